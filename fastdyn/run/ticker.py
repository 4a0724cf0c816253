"""`ticker`: a chain that goes on by a tick whenever it is told to, under the torques it is told."""

import numpy as np
from msgspec.structs import replace
from numpy.typing import ArrayLike

from ..describe.chain import Chain
from ..describe.check import positive, shown, whole
from ..describe.signals import Constant
from ..layout import (
    DRIVE, H_FIRST, HAPPENED, KEPT, LOGGED, ROWS, SIGNAL_A, STARTED, STEP_NEXT, T_END, TIME, WORD, Tape, allocate)
from ..results.tables import EVENT, with_kinds
from ..status import AT_REST, LET_GO, OK, PAUSED, SENTENCE, STOPPED, TAPE_FULL, ModelError, SimulationError
from ..steppers.desk import reel
from ..steppers.driver import GOING, JUMPED
from . import wishes
from .asking import numbers
from .assembly import may_be_open, what_is_open, widths
from .checkpoint import SETTINGS_OF_THE_RUN
from .course import EVENTS_OF_TAPE
from .driving import driven
from .happenings import NO_LINES, Happenings
from .simulate import ENDED, begun, knots_of, place_of, take_sides

ANY_ERROR = 1e300           # an absolute tolerance that every step of an explicit pair keeps


def ticker(system: Chain, dt: float = 1e-3, drives=None, *, q: ArrayLike | None = None, v: ArrayLike | None = None,
           t: float = 0.0, steps: int | None = None, events=(), stepper: str = "dop853",
           formulation: str = "recursive", closures: str = "multipliers", rtol: float = 1e-9, atol=1e-12,
           event_tol: float = 1e-8, preset=None, **settings) -> "Ticker":
    """A chain for a control loop: tick = ticker(...), then q, v = tick(torque) again and again.

    Parameters
    ----------
    system : Chain.
    dt : of a tick, s.
    drives : names of the links whose joints are driven; all that have no drive of their own if not given.
    q, v, t : state and time to start from; the chain's start and 0 s if not given.
    steps : None lets the stepper choose its steps, the last of a tick ending with it; a number makes so many equal
        steps a tick, whatever their error: with explicit pairs, such as dop853, a tick then always costs the same.
    events : Event, or several; a terminal one ends the motion within a tick.
    stepper, formulation, closures, rtol, atol, event_tol, preset, **settings : as of `simulate`.

    Returns
    -------
    Ticker. Kernels are made ready, and arrays laid out, once; a tick then costs its steps and some microseconds.

    Examples
    --------
    >>> import fastdyn as fd
    >>> rod = fd.Chain([fd.Link(name="rod", length=1.0, mass=1.0)])
    >>> tick = fd.ticker(rod, dt=0.01)
    >>> q, v = tick([4.905])                            # N m, what holds the rod level
    >>> for _ in range(99):
    ...     q, v = tick()                               # the same torque
    >>> bool(abs(q[0]) < 1e-9), tick.t
    (True, 1.0)
    """
    chain = wishes.chain_of(system)
    method = wishes.method_of(stepper, chain)
    formulation, closures = wishes.formulation_of(formulation), wishes.closures_of(closures, chain, method)
    dt = positive(wishes.plain(dt), "dt", "s")
    at = list(_free(chain)) if drives is None else driven(chain, drives)
    chain = _held_ready(chain, at)
    if steps is not None:
        settings, atol = _equal_steps(method, dt, whole(steps, "steps"), settings, atol)
    options = wishes.options_of(rtol, atol, event_tol, preset, settings, chain.nq + chain.nv, method)
    if steps is None:
        wishes.check_steps(options, dt, np.inf)
    y, t = wishes.start_of(chain, q, v, t, None)
    return Ticker(chain, dt, at, wishes.events_of(events), (stepper, formulation, closures, options), y, t)


class Ticker:
    """A chain under torques that are held between ticks; `ticker` makes it.

    Attributes
    ----------
    t, q, v : time, s, and state; copies, to be kept.
    torque : on the driven joints, N m or N, in the order of `inputs`, their names in v.
    events : structured array of what happened within the last tick, as `Run.events`; event_names by their number.
    stopped : whether a terminal event, or rest, has ended the motion; `message` says where. `reset` begins anew.
    """

    def __init__(self, chain, dt, at, events, how, y, t):
        self.chain, self.dt, self._events = chain, dt, events
        self.inputs = tuple(chain.velocity_names[i] for i in at)
        self._calls, self._plant, self._course = begun(chain, events, *how, y, t)
        self._stepping = s = self._course.stepping
        self._setting, self._clock, self._count = s.setting, s.clock, s.count
        self._first = float(s.setting[H_FIRST])
        # h_first would also be the step after a switch, and past steps are forgotten: then it is found anew
        self._goes_on = self._first == 0.0 and not self._course.method.own_steps and len(s.side) == 0
        knots = knots_of(chain)
        self._tape = allocate(Tape, samples=2, components=self._course.n, wanted=0,
                              events=max(EVENTS_OF_TAPE, 4*len(s.side)), stops=len(knots))
        self._tape.stop[:] = knots
        self._reel = reel(self._tape)
        self._may_be_open = may_be_open(chain, np.max(how[-1]["rtol"]))
        self._signals = chain.model.signal, chain.model.spring[at, DRIVE].astype(int)
        self.event_names = tuple(self._plant.names([e.name for e in events])["event_names"])
        self._begin(t)

    def __call__(self, torque: ArrayLike | None = None, until: float | None = None):
        """Go on by dt, or to the time `until`, s, under these torques, or those of before; (q, v) there.

        What stops a run raises SimulationError here, a closure that has come open too; a terminal event only ends the
        tick early, see `stopped`. Torques that would move a chain at rest in a singular pose between the motions that
        leave it raise ModelError, and it stays there.
        """
        if self.status != OK:
            raise ModelError(f"the motion has ended: {self.message}; reset() before the next tick")
        if torque is not None:
            self._hold(numbers(torque, self._torque.shape, "torque", self.inputs))
        if self._waits:
            self._choose_way()
        self._setting[T_END] = self._end(until)
        self._count[WORD] = OK
        self._happened = []
        while True:
            status = self._course.advance(self._course.parts, self._course.handle, self._course.desk, self._reel)
            if self._count[HAPPENED] or self._plant.work.note[LOGGED]:
                self._empty()
            self._count[KEPT] = self._count[ROWS] = 0
            self._calls.look()
            if self._calls.failure is not None or status not in (PAUSED, TAPE_FULL):
                break
        if status in ENDED and len(self._may_be_open):
            self._open = what_is_open(self.chain, widths(self.chain, self.q), self._may_be_open)
            status = LET_GO if self._open else status
        if status != OK or self._calls.failure is not None:
            self._end_with(status)
        return self.q, self.v

    def reset(self, q: ArrayLike | None = None, v: ArrayLike | None = None, t: float = 0.0):
        """Begin anew at a state, the chain's start if not given, without torques; (q, v) there."""
        y, t = wishes.start_of(self.chain, q, v, t, None)
        s, state = self._stepping, self._plant.start(y)
        for name, array in s._asdict().items():
            if name not in SETTINGS_OF_THE_RUN:
                array[:] = 0
        s.y[:len(state)], self._clock[TIME] = state, t
        take_sides(self._course, self._plant, self._calls, self._events, t, y)
        self._plant.work.note[LOGGED] = 0
        self._begin(t)
        return self.q, self.v

    def __reduce__(self):
        raise TypeError("a ticker cannot be copied: kernels know where its arrays are; make another with ticker(...), "
                        "and reset it to q, v, t of this one")

    @property
    def t(self) -> float:
        return float(self._clock[TIME])

    @property
    def q(self) -> np.ndarray:
        return self._stepping.y[:self.chain.nq].copy()

    @property
    def v(self) -> np.ndarray:
        return self._stepping.y[self.chain.nq:self.chain.nq + self.chain.nv].copy()

    @property
    def torque(self) -> np.ndarray:
        return self._torque.copy()

    @property
    def events(self) -> np.ndarray:
        rows = self._happened
        return with_kinds(np.concatenate(rows) if rows else np.empty(0, EVENT))

    @property
    def stats(self) -> dict[str, int]:
        """What it took since the last beginning, by name, as `Run.stats`."""
        return self._course.counts

    @property
    def stopped(self) -> bool:
        return self.status in (STOPPED, AT_REST)

    @property
    def message(self) -> str:
        """What the status means, and where the motion ended."""
        return SENTENCE[OK] if self.status == OK else f"{self._place}: {SENTENCE[self.status]}"

    def _begin(self, t):
        """Nothing of before counts: times are t + k dt."""
        self.status, self._place, self._open, self._happened = OK, "", "", []
        self._calls.failure, self._calls.status, self._calls.place = None, OK, ""
        self._from, self._ticks, self._setting[H_FIRST] = t, 0, self._first
        self._torque = np.zeros(len(self.inputs))
        self._put()
        self._waits = True
        if self.v.any():
            self._choose_way()

    def _choose_way(self):
        """Refuse to leave a singular pose between its motions; at rest the first torques that move it decide, too."""
        self._waits = not self._plant.check_way(self.t, self._course.y)

    def _hold(self, torque):
        """From here on; the rate jumps, and the stepper begins anew: with the step it would have taken, if it can."""
        if (torque == self._torque).all():
            return
        self._torque = torque.copy()
        self._put()
        if self._count[STARTED] == GOING:
            self._count[STARTED] = JUMPED
            if self._goes_on:
                self._setting[H_FIRST] = self._clock[STEP_NEXT]

    def _put(self):
        signal, rows = self._signals
        signal[rows, SIGNAL_A] = self._torque

    def _end(self, until):
        if until is None:
            self._ticks += 1
            return self._from + self._ticks*self.dt
        until = float(numbers(until, (), "until"))
        if until <= self._clock[TIME]:
            raise ModelError(f"until is {until:.9g} s and it is {self.t:.9g} s; give a later time")
        self._from, self._ticks = until, 0
        return until

    def _empty(self):
        """What happened, off the tape and the log."""
        events, tape, plant = self._count[HAPPENED], self._tape, self._plant
        lines = plant.drain()
        plant.lines.clear()
        if events:
            found = Happenings(self.chain, len(self._events), {}, NO_LINES)
            rows, _ = found.take(tape.happened[:events].copy(), tape.what[:events].copy(), lines)
            self._happened.append(rows["events"])
            self._count[HAPPENED] = 0

    def _end_with(self, status):
        calls = self._calls
        self.status = int(status) if calls.failure is None else calls.status
        place = self._open or calls.place or place_of(self.chain, self._plant, self.event_names, self._course,
                                                      self.status)
        self._place = ", ".join(filter(None, (place, f"t = {self.t:.9g} s")))
        if not self.stopped:
            raise SimulationError(self.status, self._place) from calls.failure


def _free(chain):
    """Numbers in v of joints that have no drive of their own."""
    for link in chain.links:
        first = chain.v_slice(link.name).start
        if link.joint.nv and not link.joint.drive:
            yield from range(first, first + link.joint.nv)


def _held_ready(chain, at):
    """The chain with a signal at each driven joint, whose number in the model is what a tick writes."""
    links = []
    for link in chain.links:
        first = chain.v_slice(link.name).start
        if first in at and link.joint.nv:
            if link.joint.drive:
                raise ModelError(f'drives names "{link.name}", whose joint has a drive of its own; take joint.drive '
                                 "away, or leave the link out of drives")
            link = replace(link, joint=replace(link.joint, drive=(Constant(0.0),)*link.joint.nv))
        links.append(link)
    return chain.replace(links=tuple(links))


def _equal_steps(method, dt, steps, settings, atol):
    """(settings, atol) that make every step dt/steps long."""
    given = [name for name in ("h_min", "h_max", "h_first") if name in settings]
    if given:
        raise ModelError(f"steps and {given[0]} are both given; steps alone makes all of them {shown(dt/steps)} s")
    if method.own_steps:
        raise ModelError(f'steps is {steps}, but stepper "{method.name}" lives on steps of its own choice; take dop853')
    h = dt/steps
    explicit = method.pivots(1) == 0
    return settings | {"h_min": h, "h_max": h, "h_first": h}, ANY_ERROR if explicit else atol
