"""`simulate`: a chain, a state, a time to reach; steps, events, samples, and what stops it with all that was done."""

import signal
import threading
import time
from collections.abc import Callable, Iterable
from contextlib import contextmanager

import numpy as np

from ..describe.chain import Chain
from ..describe.check import positive, shown
from ..describe.events import DIRECTIONS, Event
from ..layout import LINK, PAUSE, TROUBLED
from ..results.run import Run
from ..status import DRIVE_FAILED, INTERRUPTED, OK, SINGULAR_INERTIA, ModelError
from .asking import numbers, page_of, states
from .callbacks import Callbacks
from .course import PRESETS, SETTINGS, Course
from .plant import Plant

LIMITS = {"h_max": (1e-300, np.inf), "rho": (0.0, 1.0), "safety": (0.1, 1.0), "max_order": (1.0, 12.0)}
FIRST_PAUSE_WITH_PYTHON = 20.0  # evaluations
TOLD_EVERY = 0.1    # s on the clock between two calls of `progress`


def simulate(system, t_end: float = 5.0, q=None, v=None, *, t=0.0, samples: int = 501, times=None, every=False,
             stepper: str = "dop853", formulation: str = "recursive", rtol: float = 1e-9, atol: float = 1e-12,
             event_tol: float = 1e-8, events=(), start=None, progress=None, max_seconds: float = np.inf, preset=None,
             **settings):
    """Integrate the motion of a chain under gravity and whatever its links, joints and drive carry.

    Parameters
    ----------
    system : Chain.
    t_end : s.
    q, v : state to start from, start_q and start_v of the chain if not given; t : time to start from, s.
    samples : number of equally spaced states to keep, start and end among them.
    times : those times instead, ascending, s.
    every : keep the state after every step instead; at an event before and after it.
    stepper, formulation : names of fastdyn.steppers.STEPPERS and fastdyn.formulations.FORMULATIONS.
    rtol, atol : error allowed per step, relative and absolute (one number or one per component of (q, v)).
    event_tol : s, width to which events are located on the step's own polynomial; their error in time is that of the
        state (rtol) on top.
    events : Event, or several.
    start : a checkpoint of an earlier run (`run.checkpoint`) to go on from, instead of q, v, t; with the settings of
        that run the result has the bits of a run that was never stopped.
    progress : None or a function of the time reached and t_end, called at most ten times a second.
    max_seconds : on the clock, after which the run stops and keeps what it has.
    preset : "contact" sets h_min = 1e-7 s and h_max = 1e-3 s.
    **settings : h_min, h_max, h_first (s), safety, capture (s), max_steps, max_switches and more of fastdyn.run.course.

    Returns
    -------
    Run. A run that is stopped, by trouble, by Ctrl-C or by max_seconds, keeps all it has: see its status and message.

    Examples
    --------
    >>> import fastdyn as fd
    >>> pendulum = fd.Chain([fd.Link(length=1.0, mass=1.0)])
    >>> down = fd.Event(function=lambda t, q, v: q[0] + np.pi/2, name="lowest point")
    >>> run = fd.simulate(pendulum, 2.0, events=down)
    >>> run.ok, len(run.events), round(float(run.events["time"][0]), 6)
    (True, 3, 0.483412)
    """
    chain = _chain(system)
    page_of(formulation, "forward_dynamics")
    options = _options(stepper, rtol, atol, event_tol, preset, settings, chain)
    events = _events(events)
    if start is None:
        y, t = _state(chain, q, v), float(numbers(t, (), "t"))
    elif q is None and v is None:
        y, t = start.y, start.t
    else:
        raise ModelError("both start and q or v are given; a checkpoint already has the state")
    wanted = _wanted(t, t_end, samples, times, every)
    calls = Callbacks(chain, events)
    plant = Plant(chain, formulation, page_of(formulation, "forward_dynamics")[1](chain.model), calls)
    options["atol"] = plant.tolerance(options["atol"])
    course = Course(plant.rate, plant.handle, plant.start(y) if start is None else y, t, method=stepper,
                    watch=plant.watch, **plant.kernels, **options)
    if start is None:
        _not_there_yet(chain, events, calls, y, t)
    else:
        start.put_into(course)
    if calls.kept:                                          # Python is asked: it may be slow
        course.stepping.setting[PAUSE] = FIRST_PAUSE_WITH_PYTHON
    began = time.perf_counter()
    with _interrupted() as stop:
        look = _looking(course, plant, calls, stop, progress, t_end)
        status = course.to(t_end, wanted, every, look=look, seconds=max_seconds)
    plant.drain()
    seconds = time.perf_counter() - began
    if calls.failure is not None:
        status = DRIVE_FAILED if isinstance(calls.failure, Exception) else INTERRUPTED
    if progress is not None and status == OK:
        progress(course.t, t_end)
    times, rows = course.samples
    if status != OK and (len(times) == 0 or times[-1] < course.t):
        times, rows = np.append(times, course.t), np.vstack([rows, course.y])
    q, v = _settled(chain, plant.split(rows))
    return Run(chain, times, q, v, status=status, failure=calls.failure, where=_place(chain, plant.work, status),
               stats=course.counts, seconds=seconds, stepper=stepper, formulation=formulation,
               checkpoint=course.checkpoint(), **plant.results(rows, *course.events, [e.name for e in events]))


# --------------------------------------------------------------------------------------------------- what was asked for

def _chain(system):
    if not isinstance(system, Chain):
        raise ModelError(f"system is {shown(system)}; give a Chain")
    if system.nv == 0:
        raise ModelError("nothing can move: no joint of the chain has a degree of freedom; give one that is not fixed")
    return system


def _options(stepper, rtol, atol, event_tol, preset, settings, chain):
    """Settings of the course, checked."""
    if preset is not None and preset not in PRESETS:
        raise ModelError(f"preset is {shown(preset)}; choose from {', '.join(PRESETS)}")
    options = (PRESETS[preset] if preset else {}) | settings
    unknown = options.keys() - SETTINGS.keys()
    if unknown:
        raise ModelError(f"{', '.join(sorted(unknown))}: no such setting; there are {', '.join(SETTINGS)}")
    for name, value in options.items():
        low, high = LIMITS.get(name, (0.0, np.inf))
        if name != "policy" and not (isinstance(value, (int, float, np.number)) and low <= value <= high):
            raise ModelError(f"{name} is {shown(value)}; give a number of {low:g} to {high:g}")
    if options.get("h_min", 0.0) > options.get("h_max", np.inf):
        raise ModelError(f"h_min is {options['h_min']} s and h_max {options['h_max']} s; give a smaller h_min")
    options |= {"rtol": positive(rtol, "rtol", ""), "event_tol": positive(event_tol, "event_tol", "s")}
    if options["rtol"] < 1e-15:
        raise ModelError(f"rtol is {rtol}; numbers have sixteen digits, give 1e-15 or more")
    size = np.ndim(atol) and chain.nq + chain.nv
    atol = numbers(atol, (size,) if size else (), "atol")
    if not np.all(atol > 0.0):
        raise ModelError("atol has a number that is not positive; give tolerances > 0")
    return options | {"atol": atol}


def _state(chain, q, v):
    start_q, start_v = chain.start_state()
    q, v = states(chain, start_q if q is None else q, start_v if v is None else v)
    y = np.concatenate([q, v])
    for _, part in chain.quaternions:
        y[part] /= np.linalg.norm(y[part])
    return y


def _wanted(t, t_end, samples, times, every):
    """Times of the samples."""
    t_end = positive(t_end, "t_end", "s") if t == 0.0 else float(numbers(t_end, (), "t_end"))
    if t_end <= t:
        raise ModelError(f"t_end is {t_end:.9g} s and the start {t:.9g} s; give a later end")
    if every:
        return ()
    if times is None:
        if not isinstance(samples, int) or samples < 2:
            raise ModelError(f"samples is {shown(samples)}; give 2 or more, the start and the end are among them")
        return np.linspace(t, t_end, samples)
    times = numbers(times, np.shape(times)[:1], "times")
    if len(times) == 0 or np.any(np.diff(times) < 0.0) or times[0] < t or times[-1] > t_end:
        raise ModelError(f"times do not ascend from {t:.9g} s to at most {t_end:.9g} s; sort them, or change the ends")
    return times


def _events(events):
    events = tuple(events) if isinstance(events, Iterable) else (events,)
    for event in events:
        if not isinstance(event, Event):
            raise ModelError(f"events holds {shown(event)}; give Event(function=...)")
    return events


def _not_there_yet(chain, events, calls, y, t):
    """Refuse to start behind an event that would end the run."""
    for event in events:
        if not event.terminal or not isinstance(event.function, Callable) or hasattr(event.function, "address"):
            continue
        value = float(event.function(t, y[:chain.nq].copy(), y[chain.nq:].copy()))
        if not np.isfinite(value):
            raise ModelError(f'event "{event.name}" is {value} at the start; a finite number is needed')
        if value*DIRECTIONS[event.direction] > 0.0:
            raise ModelError(f'event "{event.name}" is {value:.6g} at the start and would have to go through zero '
                             f'{event.direction}: it has happened already; start before it, or watch another direction')


# -------------------------------------------------------------------------------------------------------- while it runs

@contextmanager
def _interrupted():
    """Gives a function that tells whether Ctrl-C was pressed; outside the main thread it is not ours to see."""
    pressed = []
    if threading.current_thread() is not threading.main_thread():
        yield lambda: False
        return
    before = signal.signal(signal.SIGINT, lambda *args: pressed.append(args))
    try:
        yield lambda: bool(pressed)
    finally:
        signal.signal(signal.SIGINT, before)


def _looking(course, plant, calls, stop, progress, t_end):
    """What is done in the pauses."""
    said = -np.inf

    def look(_):
        nonlocal said
        plant.drain()
        now = time.monotonic()
        if progress is not None and now - said >= TOLD_EVERY:
            said = now
            progress(course.t, t_end)
        return INTERRUPTED if stop() else DRIVE_FAILED if calls.failure is not None else OK

    return look


# --------------------------------------------------------------------------------------------------------- what it left

def _settled(chain, parts):
    """q, v of states whose quaternions have length one, also between steps."""
    q, v = (part.copy() for part in parts[:2])
    for _, part in chain.quaternions:
        q[:, part] /= np.linalg.norm(q[:, part], axis=1, keepdims=True)
    return q, v


def _place(chain, work, status):
    """The link a status is about, where a kernel noted it."""
    if status != SINGULAR_INERTIA:
        return ""
    row = int(work.note[TROUBLED])
    return f'link "{chain.links[int(chain.model.row[row, LINK])].name}"'
