"""A run of a spatial arm: steps by any stepper, contacts with their peaks and reversals, the ledger of energy."""

import math
import time
from dataclasses import dataclass, field
from functools import cached_property
from itertools import pairwise
from numbers import Integral, Real

import numpy as np

from .._address import handle_of
from .._jit import ready
from ..layout import GAP
from ..laws.friction import creeping_friction_in_space
from ..describe.check import known, not_negative, number, numbers, one_of, positive, shown, whole, yes_or_no
from ..describe.functions import raised
from ..results.packed import Leaving
from ..run.course import SETTINGS, Course
from ..run.looking import interrupted
from ..run.wishes import LIMITS, WHOLE
from ..status import INTERRUPTED, OK, SENTENCE, SIGNAL_FAILED, STOPPED, ModelError, SimulationError
from ..steppers import STEPPERS
from ..steppers.policy import POLICIES
from . import layout, recursive_system, system, watching
from .compile import bends_of, compiled
from .layout import LOG, LOGGED, WORKS, work_for
from .modal_link import ModalLink
from .questions import accelerations, energies, marked_points

LINES = 4096
ROADS = {"recursive": recursive_system.rate, "lagrange": system.rate}
SLIPS = ((layout.L_SLIP1, layout.L_SLOPE1), (layout.L_SLIP2, layout.L_SLOPE2))
LINGER = 0.005                                              # of a run: steps are kept so long after a touch
ROUNDING = 16*np.finfo(float).eps                           # of a point's place: a gap that is nothing else is 0
NO_TIME = 1e-6                                              # s of its speed: nearer to its plane a contact may begin
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
    works : of normal forces, friction, dampers and drives since the start, J.
    contacts : a Contact for every stay of a point on its plane.
    touch : for every plane the speed, m/s, its point came with, 0 while it does not touch.
    status : a number of fastdyn.status; counts : what it took; why : how it ended, as a sentence.
    seconds : on the clock, kernels ready. stepper, formulation, settings : how it was computed.
    notes : sentences about what a file the run was read from could not keep.
    failure : the exception that the function of a torque raised, or None; `check` raises from it.

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
    failure: object = None

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
            raise SimulationError(self.status, f"{self.arm.name}, t = {self.t[-1]:.9g} s: {self.why}") from self.failure
        return self

    @cached_property
    def energy(self):
        """(samples, 2) kinetic and potential, J."""
        return np.column_stack(energies(self.arm, self.q, self.v, t=self.t))

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
    q, v : where it starts; else arm.start, or rest at zero. touch : speeds that contacts which last began with; a
        point just on its plane that goes or rests against it touches in any case.
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
    one_of(formulation, tuple(ROADS), "formulation")
    t, t_end = number(t, "t", "s"), number(t_end, "t_end", "s")
    if not t_end > t:
        raise ModelError(f"t_end is {shown(t_end)} s and the start {shown(t)} s; give a later end")
    if isinstance(samples, Integral):
        samples = tuple(np.linspace(t, t_end, whole(samples, "samples", "times", 2)).tolist())
    samples = numbers(samples if not isinstance(samples, range) else tuple(samples), "samples", None, "s")
    if samples and not (min(samples) >= t and max(samples) <= t_end):
        raise ModelError(f"samples reach from {shown(min(samples))} s to {shown(max(samples))} s; give times from "
                         f"{shown(t)} s to {shown(t_end)} s")
    settings = settings_of(method, rtol, atol, every, settings)
    if formulation == "lagrange" and any(isinstance(link.beam, ModalLink) for link in arm.links):
        raise ModelError('formulation "lagrange" sums over places along a link, and of a ModalLink only its integrals '
                         'are known; take "recursive"')
    model = compiled(arm)
    nv, contacts = len(model.spring), len(model.contact)
    y = np.zeros(2*nv + contacts + WORKS)
    start = arm.start or (np.zeros(nv), np.zeros(nv))
    for at, given in ((0, start[0] if q is None else q), (nv, start[1] if v is None else v)):
        y[at:at + nv] = numbers(given, "v" if at else "q", nv)
    if touch is not None:
        y[2*nv:2*nv + contacts] = [not_negative(x, f"touch[{c}]", "m/s")
                                   for c, x in enumerate(numbers(touch, "touch", contacts, "m/s"))]
    work = work_for(model, LINES, dense=formulation == "lagrange")
    y[2*nv:2*nv + contacts] = met_at_start(model, t, y[:nv], y[nv:2*nv], y[2*nv:2*nv + contacts])
    course = course_of(ROADS[formulation], model, work, y, t, nv, settings)
    first = t, y[2*nv:2*nv + contacts].copy()
    wanted = sorted({*samples, t, t_end})
    kept = Kept(work, wanted if fine and not every else None, slice(2*nv, 2*nv + contacts))
    began = time.perf_counter()
    raised()                                                # what was not told before is not of this run
    failures = []
    with interrupted() as pressed:
        def look(course):
            kept.take(course)
            failures.extend(filter(None, [raised()]))
            if failures:
                return SIGNAL_FAILED if isinstance(failures[0], Exception) else INTERRUPTED
            if progress is not None:
                progress(course.t, t_end, sum(map(len, course.happened)))
            return INTERRUPTED if pressed() else OK

        status = course.to(t_end, wanted=wanted, every=every or fine, look=look, seconds=max_seconds,
                           stops=bends_of(model))
        look(course)
    if failures:
        status = SIGNAL_FAILED if isinstance(failures[0], Exception) else INTERRUPTED
    seconds = time.perf_counter() - began
    times, rows = course.samples
    if status != OK and not (len(times) and times[-1] == course.t):
        times, rows = np.append(times, course.t), np.vstack([rows, course.y])
    if fine and not every:                                  # a step that ends at a sample is there twice
        again = np.append(False, (np.diff(times) == 0.0) & (rows[1:] == rows[:-1]).all(axis=1))
        times, rows = times[~again], rows[~again]
    return ArmRun(arm, times, rows[:, :nv], rows[:, nv:2*nv], rows[:, 2*nv + contacts:],
                  contacts_of(np.concatenate(kept.lines), *course.events, model.contact, *first), status, course.counts,
                  why(status, *failures[:1]), rows[:, 2*nv:2*nv + contacts], seconds, method,
                  formulation, {"t_end": t_end} | {name: x for name, x in settings.items() if name != "method"},
                  failure=failures[0] if failures else None)


def why(status, failure=None):
    """How a run ended, as a sentence"""
    return (BENT if status == STOPPED else SENTENCE[status]) + (f" ({failure!r})" if failure is not None else "")


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


def settings_of(method, rtol, atol, every, settings):
    """Words of Course, each asked whether it can be."""
    one_of(method, tuple(STEPPERS), "method")
    yes_or_no(every, "every")
    for name, value in settings.items():
        if name not in SETTINGS:
            raise ModelError(f"{name}: no such setting; {known(name, SETTINGS)}")
        if name == "policy":
            one_of(value, tuple(POLICIES), "policy")
            continue
        low, high = LIMITS.get(name, (0.0, np.inf))
        x = float(value) if isinstance(value, Real) and not isinstance(value, bool) else np.nan
        if not low <= x <= high or (name in WHOLE and x < np.inf and x != int(x)):
            kind = "a whole number" if name in WHOLE else "a number"
            raise ModelError(f"{name} is {shown(value)}; give {kind} of {low:g} to {high:g}")
    if settings.get("h_min", 0.0) > settings.get("h_max", np.inf):
        raise ModelError(f"h_min is {shown(settings['h_min'])} s and h_max {shown(settings['h_max'])} s; give a "
                         "smaller h_min")
    if positive(rtol, "rtol", "") < 1e-15:
        raise ModelError(f"rtol is {shown(rtol)}; numbers have sixteen digits, give 1e-15 or more")
    return {"method": method, "rtol": float(rtol), "atol": positive(atol, "atol", ""), **settings}


def course_of(rate, model, work, y, t, nv, settings):
    contacts = len(model.contact)
    tolerance = np.full(len(y), np.inf)
    tolerance[:2*nv] = settings["atol"]
    kernels = {"gaps": ready(watching.gaps), "switch": ready(system.switch), "settle": ready(system.settle)}
    watch = [GAP, 0, 0, -1]*contacts + [-1]
    return Course(ready(rate), handle_of(model, work, nv), y, t, watch=watch, **kernels,
                  **{**settings, "atol": tolerance})


def met_at_start(model, t, q, v, touch):
    """Speeds contacts begin with: of points just on their planes too; a start inside a plane is refused."""
    nv, touch, work = len(q), touch.copy(), work_for(model, dense=False)
    q, v, acc, found = q.copy(), v.copy(), np.zeros(nv), np.empty((len(model.contact), 9))

    def motion():
        """Gaps, their rounding, and their two derivatives, for the z'' in acc"""
        ready(system.point_motion)(model, work, t, q, v, acc, found)
        n = model.contact[:, layout.C_NORMAL:layout.C_NORMAL + 3]
        level = model.contact[:, layout.C_LEVEL]
        size = ROUNDING*np.maximum(np.abs(level), np.abs(found[:, :3]).max(axis=1, initial=0.0))
        gap, speed, drift = (np.einsum("ci,ci->c", n, found[:, at:at + 3]) for at in (0, 3, 6))
        return gap - level, size, speed, drift

    gap, size, speed, _ = motion()
    for c in np.flatnonzero((gap < -size) & ~(touch > 0.0)):
        raise ModelError(f"the point of plane[{c}] is {-gap[c]:.6g} m inside it at the start; a contact begins with "
                         "an impact: lower the plane, or give `touch`, the speed the contact began with")
    for c in np.flatnonzero(gap > size + NO_TIME*touch):
        if touch[c] > system.STILL:
            raise ModelError(f"touch[{c}] is {touch[c]:g} m/s, but the point of plane[{c}] is {gap[c]:.6g} m off "
                             "it at the start: a contact has begun; give 0 there, or move the plane")
    on = (np.abs(gap) <= size) & ~(touch > 0.0)
    touch[on & (speed < 0.0)] = -speed[on & (speed < 0.0)]
    resting = on & (speed == 0.0)
    if resting.any() and ready(recursive_system.accelerate)(model, work, t, q, v, touch, acc) == OK:
        touch[resting & (motion()[3] <= 0.0)] = system.STILL
    return touch


# ------------------------------------------------------------------------------------------------------- what touched

def contacts_of(log, times, what, rows, t, touch):
    """Contact of each stay, from the lines of the log and the events of the gaps; touch: speeds of those at t."""
    found = []
    for c in range(len(rows)):
        own = [(t, d) for t, (which, d) in zip(times, what) if which == system.FUNCTIONS*c]
        mine = log[log[:, layout.L_CONTACT] == c]
        ends = [t for t, d in own if d > 0]
        starts = [t for t, d in own if d < 0]
        going_on = bool(touch[c] > 0.0 and not (own and own[0][1] < 0))
        starts = [t]*going_on + starts
        for i, start in enumerate(starts):
            end = min((t for t in ends if t > start), default=np.nan)
            lines = mine[(mine[:, layout.L_TIME] >= start) & ~(mine[:, layout.L_TIME] > end)]
            found.append(stay(rows[c], c, start, end, lines))
            if i == 0 and going_on:
                found[-1].speed = float(touch[c]) if touch[c] > system.STILL else 0.0
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
    reversals = tuple(tuple(crossings(t, x[:, u], x[:, du])) for u, du in SLIPS)
    return Contact(c, start, end, float(x[0, layout.L_RATE]) if len(x) else np.nan, peaks, reversals,
                   float(max([*deepest, *depth], default=0.0)), x)


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


def crossings(t, y, dy):
    """Times at which the cubics between the lines change sign, also twice between two lines, or on one."""
    sign, found = 0.0, []
    for i in range(len(t) - 1):
        y0, y1, d0, d1 = piece = two(t, y, dy, i)
        turns = np.roots([3.0*(d0 + d1 - 2.0*(y1 - y0)), 2.0*(3.0*(y1 - y0) - 2.0*d0 - d1), d0])
        inner = sorted(float(s.real) for s in turns if s.imag == 0.0 and 0.0 < s.real < 1.0)
        for low, high in pairwise([0.0, *inner, 1.0]):
            sign, end = sign or np.sign(hermite(*piece, low)), hermite(*piece, high)
            if sign*end < 0.0:
                s = bisected(lambda s, sign=sign, piece=piece: sign*hermite(*piece, s), low, high)
                found.append(float(t[i] + s*(t[i + 1] - t[i])))
                sign = np.sign(end)
    return found


def bisected(function, low=0.0, high=1.0):
    for _ in range(60):
        middle = 0.5*(low + high)
        low, high = (middle, high) if function(middle) > 0.0 else (low, middle)
    return 0.5*(low + high)
