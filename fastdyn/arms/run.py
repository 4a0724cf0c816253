"""A run of a spatial arm: steps by any stepper, contacts with their peaks and reversals, the ledger of energy."""

import math
import time
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np

from .._address import handle_of
from .._jit import ready
from ..layout import GAP
from ..laws.friction import creeping_friction_in_space
from ..results.packed import Leaving
from ..run.course import Course
from ..run.looking import interrupted
from ..status import INTERRUPTED, OK, SENTENCE, STOPPED, ModelError, SimulationError
from ..steppers import STEPPERS
from . import layout, recursive_system, system
from .compile import compiled
from .layout import LOG, LOGGED, WORKS, work_for
from .questions import accelerations, energies, marked_points

LINES = 4096
ROADS = {"recursive": recursive_system.rate, "lagrange": system.rate}
SLIPS = ((layout.L_SLIP1, layout.L_SLOPE1), (layout.L_SLIP2, layout.L_SLOPE2))
LINGER = 0.005                                              # of a run: steps are kept so long after a touch
BENT = "an end of a flexible link went aside by half its length: beyond what a second-order theory of bending says"


@dataclass
class Contact:
    """One stay of a marked point on its plane; s, N, m. peaks: (t, F_N, F_T) of each maximum."""

    plane: int
    start: float
    end: float                                              # NaN: the run ended first
    speed: float                                            # m/s, of approach at the start
    peaks: list = field(default_factory=list)
    reversals: tuple = ((), ())                             # times at which v_t1 and v_t2 change sign
    depth: float = 0.0                                      # m, the deepest
    lines: np.ndarray | None = None                         # the log, columns of layout.L_...


@dataclass(eq=False)
class ArmRun(Leaving):
    """What a run leaves; arrays have a row per sample.

    Attributes
    ----------
    arm : the arm; also `system`.
    t, q, v : s; coordinates in the order of arm.names, and their rates.
    works : of normal forces, friction, dampers and constant torques since the start, J.
    contacts : a Contact for every stay of a point on its plane.
    touch : for every plane the speed, m/s, its point came with, 0 while it does not touch.
    status : a number of fastdyn.status; counts : what it took; why : how it ended, as a sentence.
    seconds : on the clock, kernels ready. stepper, formulation, settings : how it was computed.
    notes : sentences about what a file the run was read from could not keep.

    `save`, `cite`, `provenance`, `check` as of every run.
    """

    arm: object
    t: np.ndarray
    q: np.ndarray
    v: np.ndarray
    works: np.ndarray
    contacts: list
    status: int
    counts: dict
    why: str
    touch: np.ndarray
    seconds: float = 0.0
    stepper: str = "dop853"
    formulation: str = "recursive"
    settings: dict = field(default_factory=dict)
    notes: tuple = ()

    kind = "arms"

    def __repr__(self):
        return f"<ArmRun of {self.arm.name}: {len(self.t)} samples, {len(self.contacts)} contacts, {self.why}>"

    @property
    def system(self):
        return self.arm

    @property
    def message(self):
        return self.why

    def check(self):
        """This run, or what stopped it as an exception."""
        if not self.ok:
            raise SimulationError(self.status, f"{self.arm.name}, t = {self.t[-1]:.9g} s: {self.why}")
        return self

    @cached_property
    def energy(self):
        """(samples, 2) kinetic and potential, J; NaN for arms with a joint whose motion is prescribed."""
        if any(link.joint.spin is not None for link in self.arm.links):
            return np.full((len(self.t), 2), np.nan)
        return np.column_stack(energies(self.arm, self.q, self.v))

    @cached_property
    def accelerations(self):
        """(samples, nv) z''."""
        return accelerations(self.arm, self.q, self.v, t=self.t, touch=self.touch, formulation=self.formulation)

    @cached_property
    def points(self):
        """(samples, planes, 9) place, velocity and acceleration of the points that may touch, world axes."""
        return np.concatenate(marked_points(self.arm, self.q, self.v, self.accelerations, t=self.t), axis=-1)

    @property
    def balance(self):
        """J by which kinetic, potential and what was worked differ from the start, a number per sample."""
        left = self.energy.sum(axis=1) - self.works.sum(axis=1)
        return left - left[0]


def simulate(arm, t_end, *, t=0.0, q=None, v=None, touch=None, method="dop853", rtol=1e-9, atol=1e-11, samples=(),
             every=False, fine=False, formulation="recursive", progress=None, max_seconds=np.inf, **settings):
    """Run an arm from t to t_end.

    Parameters
    ----------
    q, v : where it starts; else arm.start, or rest at zero. touch : speeds that contacts which last began with.
    method : name of a stepper: "dop853", "rkf45", "adams", "abm4", ...
    samples : times wanted besides the first and the last, or how many, equally spaced. every : keep every step.
    fine : keep every step in which something touches, and those just before and behind.
    formulation : "recursive", modes and joints eliminated link by link, or "lagrange", J z'' = R solved densely.
    progress : None or a function of the time reached, t_end and the number of events so far.
    max_seconds : on the clock, after which the run stops and keeps what it has.
    **settings : words of Course, such as policy="flight-contact".

    Returns
    -------
    ArmRun; its status is OK, or tells what stopped it.
    """
    if formulation not in ROADS:
        raise ModelError(f"formulation is {formulation!r}; choose from {', '.join(ROADS)}")
    if method not in STEPPERS:
        raise ModelError(f'stepper "{method}" is not known; choose from {", ".join(STEPPERS)}')
    if not (math.isfinite(t) and math.isfinite(t_end) and t_end > t):
        raise ModelError(f"t_end is {t_end} s and the start {t} s; give an end after the start")
    model = compiled(arm)
    nv, contacts = len(model.spring), len(model.contact)
    y = np.zeros(2*nv + contacts + WORKS)
    given = arm.start or (np.zeros(nv), np.zeros(nv))
    for at, numbers in ((0, given[0] if q is None else q), (nv, given[1] if v is None else v)):
        numbers = np.asarray(numbers, float)
        if numbers.shape != (nv,) or not np.isfinite(numbers).all():
            raise ModelError(f"the start needs {nv} finite numbers for each of q and v, got {numbers.shape}")
        y[at:at + nv] = numbers
    if touch is not None:
        y[2*nv:2*nv + contacts] = touch
    work = work_for(model, LINES, dense=formulation == "lagrange")
    check_gaps(model, work, y, nv)
    course = course_of(ROADS[formulation], model, work, y, t, nv, method, rtol, atol, settings)
    wanted = np.linspace(t, t_end, samples) if isinstance(samples, int) else sorted({*samples, t, t_end})
    kept = Kept(work, wanted if fine and not every else None, slice(2*nv, 2*nv + contacts))
    began = time.perf_counter()
    with interrupted() as pressed:
        def look(course):
            kept.take(course)
            if progress is not None:
                progress(course.t, t_end, sum(map(len, course.happened)))
            return INTERRUPTED if pressed() else OK

        status = course.to(t_end, wanted=wanted, every=every or fine, look=look, seconds=max_seconds)
        look(course)
    seconds = time.perf_counter() - began
    times, rows = course.samples
    if status != OK and not (len(times) and times[-1] == course.t):
        times, rows = np.append(times, course.t), np.vstack([rows, course.y])
    if fine and not every:                                  # a step that ends at a sample is there twice
        again = np.append(False, (np.diff(times) == 0.0) & (rows[1:] == rows[:-1]).all(axis=1))
        times, rows = times[~again], rows[~again]
    return ArmRun(arm, times, rows[:, :nv], rows[:, nv:2*nv], rows[:, 2*nv + contacts:],
                  contacts_of(np.concatenate(kept.lines), *course.events, model.contact), status, course.counts,
                  BENT if status == STOPPED else SENTENCE[status], rows[:, 2*nv:2*nv + contacts], seconds, method,
                  formulation, {"t_end": t_end, "rtol": rtol, "atol": atol} | settings)


class Kept:
    """What is taken off in the pauses of a run: lines of the log; steps without touch, if only others are wanted."""

    def __init__(self, work, wanted, touch):
        self.work, self.wanted, self.touch, self.lines, self.done = work, wanted, touch, [], 0
        self.touched, self.linger = -math.inf, 0.0 if wanted is None else LINGER*(wanted[-1] - wanted[0])

    def take(self, course):
        count = self.work.note[LOGGED]
        self.lines.append(self.work.log[:LOG*count].reshape(count, LOG).copy())
        self.work.note[LOGGED] = 0
        if self.wanted is not None:
            for k in range(self.done, len(course.times)):
                t, touching = course.times[k], (course.states[k][:, self.touch] > 0.0).any(axis=1)
                latest = np.maximum.accumulate(np.where(touching, t, self.touched)) if len(t) else t
                rows = (t <= latest + self.linger) | np.append(touching[1:], False) | np.isin(t, self.wanted)
                self.touched = float(latest[-1]) if len(t) else self.touched
                course.times[k], course.states[k] = t[rows], course.states[k][rows]
            self.done = len(course.times)


def course_of(rate, model, work, y, t, nv, method, rtol, atol, settings):
    contacts = len(model.contact)
    tolerance = np.full(len(y), np.inf)
    tolerance[:2*nv] = atol
    kernels = {name: ready(getattr(system, name)) for name in ("gaps", "switch", "settle")}
    watch = ([GAP] + [0]*(system.FUNCTIONS - 1))*contacts + [-1]
    return Course(ready(rate), handle_of(model, work, nv), y, t, method=method, watch=watch, atol=tolerance,
                  rtol=rtol, **kernels, **settings)


def check_gaps(model, work, y, nv):
    """Refuse a start with a point inside a plane it does not touch yet."""
    found = np.empty((len(model.contact), 9))
    q, v = y[:nv].copy(), y[nv:2*nv].copy()
    ready(system.point_motion)(model, work, 0.0, q, v, np.zeros(nv), found)
    for c, row in enumerate(model.contact):
        depth = row[layout.C_LEVEL] - row[layout.C_NORMAL:layout.C_NORMAL + 3] @ found[c, :3]
        if depth > 0.0 and not y[2*nv + c] > 0.0:
            raise ModelError(f"the point of plane[{c}] is {depth:.6g} m inside it at the start; a contact begins with "
                             "an impact: lower the plane, or give `touch`, the speed the contact began with")


# ------------------------------------------------------------------------------------------------------- what touched

def contacts_of(log, times, what, rows):
    """Contact of each stay, from the lines of the log and the events of the gaps."""
    found = []
    for c in range(len(rows)):
        own = [(t, d) for t, (which, d) in zip(times, what) if which == system.FUNCTIONS*c]
        mine = log[log[:, layout.L_CONTACT] == c]
        ends = [t for t, d in own if d > 0]
        starts = [t for t, d in own if d < 0]
        if len(mine) and (not starts or mine[0, layout.L_TIME] < starts[0]):
            starts = [mine[0, layout.L_TIME], *starts]
        for start in starts:
            end = min((t for t in ends if t > start), default=np.nan)
            lines = mine[(mine[:, layout.L_TIME] >= start) & ~(mine[:, layout.L_TIME] > end)]
            found.append(stay(rows[c], c, start, end, lines))
    return sorted(found, key=lambda contact: contact.start)


def stay(row, c, start, end, x):
    """Contact c, its row of Arm.contact, from the lines x of the log."""
    numbers = tuple(row[layout.C_FRICTION_NUMBERS:layout.C_FRICTION_NUMBERS + 5].tolist())
    t, N, slope = x[:, layout.L_TIME], x[:, layout.L_NORMAL], x[:, layout.L_SLOPE]
    peaks = []
    for i in np.flatnonzero((slope[:-1] > 0.0) & (slope[1:] <= 0.0)):
        s = turning_point(*two(t, N, slope, i))
        top = float(hermite(*two(t, N, slope, i), s))
        slip = [float(hermite(*two(t, x[:, u], x[:, du], i), s)) for u, du in SLIPS]
        F = creeping_friction_in_space(int(row[layout.C_FRICTION]), numbers, top, (*slip, 0.0))
        peaks.append((float(t[i] + s*(t[i + 1] - t[i])), top, math.hypot(*F)))
    depth, rate = x[:, layout.L_DEPTH], x[:, layout.L_RATE]
    deepest = [hermite(*two(t, depth, rate, i), turning_point(*two(t, depth, rate, i)))
               for i in np.flatnonzero((rate[:-1] > 0.0) & (rate[1:] <= 0.0))]
    reversals = []
    for u, du in SLIPS:
        u, du = x[:, u], x[:, du]
        reversals.append(tuple(float(t[i] + crossing(*two(t, u, du, i))*(t[i + 1] - t[i]))
                               for i in np.flatnonzero(u[:-1]*u[1:] < 0.0)))
    return Contact(c, start, end, float(x[0, layout.L_RATE]) if len(x) else np.nan, peaks, tuple(reversals),
                   max(deepest, default=0.0), x)


def two(t, y, dy, i):
    """(y0, y1, h y0', h y1') between lines i and i + 1"""
    h = t[i + 1] - t[i]
    return y[i], y[i + 1], h*dy[i], h*dy[i + 1]


def hermite(y0, y1, d0, d1, s):
    """Cubic through two values and slopes, 0 <= s <= 1"""
    r = 1.0 - s
    return r*r*((1.0 + 2.0*s)*y0 + s*d0) + s*s*((3.0 - 2.0*s)*y1 - r*d1)


def turning_point(y0, y1, d0, d1):
    """s of the extremum where the slope falls from d0 > 0 to d1 <= 0"""
    a, b = 3.0*(d0 + d1 - 2.0*(y1 - y0)), 2.0*(3.0*(y1 - y0) - 2.0*d0 - d1)
    return bisected(lambda s: (a*s + b)*s + d0)


def crossing(y0, y1, d0, d1):
    """s of the zero between values of unlike signs"""
    sign = 1.0 if y0 > 0.0 else -1.0
    return bisected(lambda s: sign*hermite(y0, y1, d0, d1, s))


def bisected(function):
    low, high = 0.0, 1.0
    for _ in range(60):
        middle = 0.5*(low + high)
        low, high = (middle, high) if function(middle) > 0.0 else (low, middle)
    return 0.5*(low + high)
