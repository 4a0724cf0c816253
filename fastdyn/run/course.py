"""A run of any system with any stepper: settings in words, the tape emptied into memory, pauses to look around.

The system is a set of kernels (signatures in steppers/desk.py) and a handle that is passed to them unread.
"""

import threading
import time

import numpy as np

from .._address import parts_of
from .._jit import ready
from ..layout import (
    ABOUT, CAPTURE, CONTACT_SHARE, COUNTED, DAMP, ERROR_ORDER, EVENT_TOL, EVENTS, EVERY, FACTORINGS, GROW, H_FIRST,
    H_MAX, H_MIN, HAPPENED, ITERATIONS, JACOBIANS, KEPT, METHOD_ORDER, NEWTON_TOL, ORDER_MOST, PAUSE, PIECE, POLICY,
    RATES, REJECTED, ROWS, RTOL, SAFETY, SAMPLE, SEARCHED, SHRINK, SPECTRAL, STEPS, SIGNAL_A, SIGNAL_B, SIGNAL_KIND,
    STEPS_MOST, SWITCHES_MOST, T_END, TABLE, TIME, TRIED, WORD, Tape, allocate)
from ..status import OK, OUT_OF_TIME, PAUSED, TAPE_FULL, ModelError
from ..steppers import plain, stepper
from ..steppers.desk import desk, reel, stepping_of
from ..steppers.driver import Parts, advance
from ..steppers.policy import NO_POLICY, POLICIES
from .checkpoint import checkpoint_of
from .room import memory

ROWS_OF_TAPE, EVENTS_OF_TAPE = 4096, 1024
LOOK_EVERY = 0.05                           # s between pauses, once it is known how long evaluations take
FIRST_PAUSE, FIRST_WORK, FIRST_FACTORS = 2000.0, 1e5, 1e8   # until then, at most: evaluations, n of each, n^3 of each

# words a user may set, where they stand, and what they are if nothing is said
SETTINGS = {
    "rtol": (RTOL, 1e-8), "h_min": (H_MIN, 0.0), "h_max": (H_MAX, np.inf), "h_first": (H_FIRST, 0.0),
    "safety": (SAFETY, 0.9), "event_tol": (EVENT_TOL, 1e-8), "capture": (CAPTURE, 0.0), "max_steps": (STEPS_MOST, 1e9),
    "max_switches": (SWITCHES_MOST, 100.0), "newton_tol": (NEWTON_TOL, 0.0), "rho": (SPECTRAL, 0.8),
    "max_order": (ORDER_MOST, 12.0), "policy": (POLICY, NO_POLICY), "shrink": (SHRINK, np.nan), "grow": (GROW, np.nan),
    "damp": (DAMP, np.nan), "contact_share": (CONTACT_SHARE, 1/32),
}
PRESETS = {"contact": {"h_min": 1e-7, "h_max": 1e-3}}


class Course:
    """The arrays of a run and what was taken off its tape.

    Parameters
    ----------
    rate : kernel of signature RATE; `handle`: what is passed to it.
    y, t : state and time to start from.
    method : name of a stepper.
    settle, gaps, switch : kernels of signatures SETTLE, GAPS, SWITCH.
    pulled, slopes : kernels of signatures PULLED and SLOPES, the rate where so many `forces` of stiff springs are
        given, and how they change with the state; implicit steppers treat them as unknowns of their own.
    watch : direction that counts for each switching function: 1 rising, -1 falling, 0 both, GAP both of one that
        touches and parts.
    atol : one number, or one for each component; infinite for those whose error does not count. Such at the end of y
        act on no rate, or do not change between switches: implicit steppers take them so.
    spool : None, or set later: a function of what is taken off the tape each time, (times, states) and of events
        (times, functions and directions).
    model : fingerprint of what the handle stands for; checkpoints carry it, and are put into no other course.
    **settings : words of SETTINGS; policy: "none", or "flight-contact" (steppers/policy.py) with the steps of the
        preset "contact" unless h_min (the step in contact) and h_max are given.
    """

    def __init__(self, rate, handle, y, t=0.0, *, method="dop853", settle=plain.settled, gaps=plain.no_gaps,
                 switch=plain.only_noted, watch=(), atol=1e-10, model="", forces=0, pulled=None, slopes=None,
                 **settings):
        self.method = m = stepper(method)
        n = self.n = len(y)
        check_room(m, n, forces)
        self.handle, self.model = handle, model
        self.stepping = s = stepping_of(n, len(watch), m.stages, m.polynomials, m.matrices(n, forces),
                                         m.pivots(n))
        s.atol[:], s.atol[:n], s.y[:n], s.clock[TIME], s.watch[:] = 1.0, atol, y, t, watch
        settings = policed(settings)
        for word, (at, usual) in SETTINGS.items():
            s.setting[at] = settings.pop(word, usual)
        if settings:
            raise TypeError(f"no setting is called {', '.join(settings)}; there are {', '.join(SETTINGS)}")
        for at, own in ((SHRINK, m.shrink), (GROW, m.grow), (DAMP, m.damp)):
            s.setting[at] = own if np.isnan(s.setting[at]) else s.setting[at]
        s.setting[[ERROR_ORDER, METHOD_ORDER]] = m.error_order, m.order
        s.setting[PAUSE], s.setting[COUNTED] = first_pause(n, m), np.count_nonzero(np.isfinite(s.atol[:n]))
        self.desk = desk(s, n, forces, pulled, slopes)
        self.parts = parts_of(Parts, (rate, settle, gaps, switch, m.restart, m.attempt, m.close, m.prepare,
                                      m.interpolate, m.commit))
        self.advance = ready(advance)
        self.times, self.states, self.happened, self.what = [], [], [], []
        self.spool = None

    @property
    def t(self):
        """Time reached."""
        return float(self.stepping.clock[TIME])

    @property
    def y(self):
        """State there."""
        return self.stepping.y[:self.n].copy()

    @property
    def counts(self):
        """What it took, by name."""
        names = {"steps": STEPS, "rejected": REJECTED, "evaluations": RATES, "jacobians": JACOBIANS,
                 "factorizations": FACTORINGS, "iterations": ITERATIONS, "events": EVENTS}
        return {name: int(self.stepping.count[at]) for name, at in names.items()}

    def to(self, t_end, wanted=(), every=False, rows=ROWS_OF_TAPE, look=lambda course: None, seconds=np.inf, stops=()):
        """Run until t_end or trouble; a status. `look` is called now and then and may return a status to stop with.

        stops : s, ascending; steps end there, if they are not all of one size.
        """
        s, wanted = self.stepping, np.asarray(wanted, float)
        tape = self.tape = allocate(Tape, samples=max(rows, 2), components=self.n, wanted=len(wanted),
                                    events=max(EVENTS_OF_TAPE, 4*len(s.side)), stops=len(stops))
        tape.wanted[:], tape.stop[:] = wanted, stops
        self.reel = reel(tape)
        s.setting[T_END], s.setting[EVERY], s.count[SAMPLE], s.count[WORD] = t_end, every, 0, OK
        end = time.monotonic() + seconds
        bell = threading.Timer(min(seconds, threading.TIMEOUT_MAX), self.look_soon)
        bell.daemon = True
        if seconds < np.inf:
            bell.start()
        try:
            return self._until(end, look)
        finally:
            bell.cancel()

    def _until(self, end, look):
        """A status: the run goes on until trouble or its end, in pauses, or until the clock shows `end`."""
        setting = self.stepping.setting
        while True:
            began = time.monotonic()
            status = self.advance(self.parts, self.handle, self.desk, self.reel)
            took = time.monotonic() - began
            self.empty()
            if status not in (PAUSED, TAPE_FULL):
                return int(status)
            if status == PAUSED:
                setting[PAUSE] = max(setting[PAUSE], 1.0)*min(max(LOOK_EVERY/max(took, 1e-6), 0.2), 4.0)
            stop = look(self)
            if stop:
                return stop
            if time.monotonic() > end:                      # behind PAUSE: the bell may have been told not to ring
                return OUT_OF_TIME

    def look_soon(self):
        """Let the stepper pause behind the step it is at: functions of Python may have become slow."""
        self.stepping.setting[PAUSE] = 0.0

    @property
    def about(self):
        """The switching function that the last word of the stepper is about."""
        return int(self.stepping.count[ABOUT])

    @property
    def searching(self):
        """What of a step was being looked through for events when the run paused, in words, or ""."""
        step, from_there, piece = self.stepping.clock[[TRIED, SEARCHED, PIECE]]
        return f"looking for events in a step of {step:.3g} s, {piece:.1g} s at a time" if step*from_there > 0.0 else ""

    def checkpoint(self):
        """Everything there is to know at the last accepted step."""
        return checkpoint_of(self)

    def empty(self):
        """Take what is on the tape."""
        count, tape = self.stepping.count, self.tape
        rows, events = count[ROWS], count[HAPPENED]
        self.times.append(tape.time[:rows].copy())
        self.states.append(tape.state[:rows].copy())
        self.happened.append(tape.happened[:events].copy())
        self.what.append(tape.what[:events].copy())
        count[ROWS] = count[HAPPENED] = count[KEPT] = 0
        if self.spool is not None:
            self.spool(self.times[-1], self.states[-1], self.happened[-1], self.what[-1])

    @property
    def samples(self):
        """(times, states) stored so far."""
        return np.concatenate(self.times), np.concatenate(self.states)

    def samples_until(self, status):
        """The same, and where a run that was stopped is."""
        times, rows = self.samples
        if status != OK and (len(times) == 0 or times[-1] < self.t):
            times, rows = np.append(times, self.t), np.vstack([rows, self.y])
        return times, rows

    @property
    def events(self):
        """(times, (function, direction)) of the events so far."""
        return np.concatenate(self.happened), np.concatenate(self.what)


def first_pause(n, method):
    """Evaluations before it is known how long one takes: few enough to see Ctrl-C at once, of any size."""
    cubes = FIRST_FACTORS/n**3 if method.pivots(n) > 0 else np.inf
    return max(1.0, min(FIRST_PAUSE, FIRST_WORK/n, cubes))


def check_room(method, n, forces):
    """A method that keeps matrices may ask for more than there is: then it is refused before it starts."""
    there, needed = memory(), 8.0*method.matrices(n, forces)
    if needed > there:
        fits = [name for name in ("esdirk4", "adams", "dop853") if 8.0*stepper(name).matrices(n, forces) <= there]
        raise ModelError(f'stepper "{method.name}" keeps matrices of {n} components in {needed/1e9:.3g} GB, and this '
                         f'machine has {there/1e9:.3g}; take {", or ".join(fits)}')


def policed(settings):
    """Settings with the number of a policy that is given by name, and its steps."""
    name = settings.get("policy", "none")
    if name not in POLICIES:
        raise ModelError(f'policy "{name}" is not known; choose from {", ".join(POLICIES)}')
    steps = PRESETS["contact"] if POLICIES[name] != NO_POLICY else {}
    settings = steps | settings | {"policy": POLICIES[name]}
    if steps and not 0.0 < settings["h_min"] <= settings["h_max"]:
        raise ModelError(f'policy "{name}": h_min is {settings["h_min"]} s and h_max {settings["h_max"]} s; give a '
                         "step in contact h_min > 0 and an h_max that is not smaller")
    return settings


def bends(signal, table):
    """Times at which tables of signals bend, s, ascending."""
    rows = signal[signal[:, SIGNAL_KIND] == TABLE][:, [SIGNAL_A, SIGNAL_B]].astype(int)
    return np.unique(np.concatenate([np.empty(0), *(table[a:a + count, 0] for a, count in rows)]))
