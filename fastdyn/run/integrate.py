"""`integrate`: a rate of the user's own with the steppers, events and checkpoints of this package."""

import time
from collections.abc import Callable

import numpy as np

from ..describe.check import shown
from ..layout import PAUSE
from ..results.solution import Solution
from ..results.tables import EVENT
from ..status import ACTION_FAILED, AT_REST, CHATTER, EVENT_FAILED, STOPPED, ModelError
from ..steppers import STEPPERS, own, stepper as stepper_of
from . import wishes
from .asking import numbers as numbers_of, shape_of
from .course import Course
from .looking import Looking, interrupted
from .own import Own

MARK = "a rate of one's own"


def integrate(rate, y=None, t_end: float = 1.0, *, t=None, numbers=None, samples: int = 501, times=None, every=False,
              stepper: str = "dop853", rtol: float = 1e-9, atol: float = 1e-12, event_tol: float = 1e-8, events=(),
              start=None, progress=None, max_seconds: float = np.inf, preset=None, **settings) -> Solution:
    """Integrate dy/dt = rate(t, y), a function of your own.

    Parameters
    ----------
    rate : rate(t, y), which returns dy/dt, or rate(t, y, dy), which fills dy. A function of Numba (njit) is called as
        compiled code, a Python function as it is, some microseconds a call. A numba.cfunc of
        void(double t, double *y, double *dy, double *numbers) is called by its address.
    y : state to start from, a row of numbers; t : time to start from, 0 if not given; t_end : where to stop.
    numbers : None, or a row of numbers that the rate is given as its last argument; so one compiled rate serves many.
    events : Event, or several, of functions function(t, y) and actions action(t, y, direction). Functions may be njit,
        or numba.cfunc of double(double t, double *y), actions numba.cfunc of int64(double, double *, int64).
    start : a checkpoint of an earlier run of this rate (`solution.checkpoint`) to go on from, instead of y and t.
    stepper : a name of fastdyn.steppers.STEPPERS; "gen-alpha" and "newmark" take y = (q, dq/dt).
    samples, times, every, rtol, atol, event_tol, progress, max_seconds, preset, **settings : as of `simulate`.

    Returns
    -------
    Solution. A run that is stopped keeps all it has: see its status and message.

    Examples
    --------
    >>> import fastdyn as fd
    >>> from numba import njit
    >>> @njit
    ... def pendulum(t, y, dy, numbers):
    ...     dy[0] = y[1]
    ...     dy[1] = -numbers[0]*np.sin(y[0])
    >>> down = fd.Event(function=lambda t, y: y[0], name="lowest point")
    >>> run = fd.integrate(pendulum, [1.0, 0.0], 2.0, numbers=[9.81], events=down)
    >>> run.ok, run.y.shape, round(float(run.events["time"][0]), 6)
    (True, (501, 2), 0.53494)
    """
    if not (isinstance(rate, Callable) or hasattr(rate, "address")):
        raise ModelError(f"rate is {shown(rate)}; give a function rate(t, y) that returns dy/dt")
    method = stepper_of(wishes.word_of(stepper, STEPPERS, "stepper"))
    y, t = _start_of(y, t, start)
    options = wishes.options_of(rtol, atol, event_tol, preset, settings, len(y), method)
    events = wishes.events_of(events)
    t_end, wanted = wishes.times_of(t, t_end, samples, times, every, len(y))
    wishes.check_steps(options, t_end - t, max_seconds, max(abs(t), abs(t_end)))
    progress, max_seconds = wishes.watched_by(progress, max_seconds)
    numbers = numbers if numbers is None else numbers_of(numbers, shape_of(numbers)[:1] or (1,), "numbers")
    system = Own(rate, t, y, numbers, events)
    course = Course(system.rate, system.handle, y, t, method=stepper, watch=system.watch, model=MARK, **system.kernels,
                    **options)
    if start is None:
        course.stepping.side[:] = wishes.sides_at_the_start(events, system.values(t, y))
    else:
        start.put_into(course)
    if system.kept:                                         # Python is asked: it may be slow
        course.stepping.setting[PAUSE] = 1.0
    began = time.perf_counter()
    with interrupted(course.look_soon) as stop:
        looking = Looking(system, system, stop, progress, t_end)
        status = course.to(t_end, wanted, every, look=looking, seconds=max_seconds)
    seconds = time.perf_counter() - began
    status, failure = looking.end(course, status)
    times, states = course.samples_until(status)
    return Solution(times, states, _rows(*course.events), [e.name for e in events], status=status, failure=failure,
                    where=system.place or _place(events, system, course, status), stats=course.counts, seconds=seconds,
                    stepper=stepper, settings={"t_end": t_end} | options, checkpoint=course.checkpoint())


def _start_of(y, t, start):
    if start is not None:
        return wishes.at_checkpoint(start, y=y, t=t)
    shape = shape_of(y)
    if len(shape) != 1 or shape == (0,):
        raise ModelError(f"y is {shown(y)}; give the state to start from, one number or more in a row")
    return numbers_of(y, shape, "y"), 0.0 if t is None else float(numbers_of(t, (), "t"))


def _rows(times, what):
    """The table of events."""
    rows = np.empty(len(times), EVENT)
    rows["time"], rows["event"], rows["direction"] = times, what[:, 0], what[:, 1]
    rows["point"], rows["speed"] = -1, np.nan
    return rows


def _place(events, system, course, status):
    """The event a status is about, or what took the time."""
    if status == EVENT_FAILED:
        return f'event "{events[int(system.handle[own.TROUBLED_AT])].name}"'
    if status in (STOPPED, AT_REST, CHATTER, ACTION_FAILED):
        return f'event "{events[course.about].name}"'
    return course.searching
