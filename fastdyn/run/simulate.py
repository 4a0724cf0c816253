"""`simulate`: a chain, a state, a time to reach; steps, events, samples, and what stops it with all that was done."""

import time

import numpy as np

from ..describe.idle import troubled
from ..formulations.contacts import FUNCTIONS
from ..layout import LINK, PAUSE, TROUBLED
from ..results.run import Run
from ..status import (
    ACTION_FAILED, AT_REST, CHATTER, EVENT_FAILED, LET_GO, NOT_FINITE, OFF_PLANE, OK, SINGULAR_INERTIA, STOPPED)
from ..steppers import stepper as stepper_of
from . import wishes
from .asking import page_of
from .assembly import let_go
from .callbacks import Callbacks
from .checkpoint import fingerprint
from .course import Course, bends
from .looking import Looking, interrupted
from .loops import meeting
from .plant import Plant
from .pulls import who_fails

ENDED = OK, STOPPED, AT_REST                            # as it should

def simulate(system, t_end: float = 5.0, q=None, v=None, *, t=None, samples: int = 501, times=None, every=False,
             stepper: str = "dop853", formulation: str = "recursive", closures: str = "multipliers",
             rtol: float = 1e-9, atol: float = 1e-12, event_tol: float = 1e-8, events=(), start=None, progress=None,
             max_seconds: float = np.inf, preset=None, store=None, **settings):
    """Integrate the motion of a chain under gravity and whatever its links, joints and drive carry.

    Parameters
    ----------
    system : Chain.
    t_end : s.
    q, v : state to start from, start_q and start_v of the chain if not given; t : time to start from, 0 s if not given.
    samples : number of equally spaced states to keep, start and end among them.
    times : those times instead, ascending, s. At an event with an action the state kept is the one after it.
    every : keep the state after every step instead; at an event before and after it. Not with times.
    stepper, formulation : names of fastdyn.steppers.STEPPERS and fastdyn.formulations.FORMULATIONS.
    closures : how those held exactly are: by "multipliers", or "minimal", in as many unknowns as there are freedoms.
    rtol, atol : error allowed per step, relative and absolute (one number or one per component of (q, v)).
    event_tol : s, width to which events are located on the step's own polynomial; their error in time is that of the
        state (rtol) on top.
    events : Event, or several.
    start : a checkpoint of an earlier run (`run.checkpoint`) to go on from, instead of q, v, t; with the settings of
        that run the result has the bits of a run that was never stopped, if what stopped it was not its t_end, to
        which the last step is shortened (an event or max_seconds shorten none). The chain must have the numbers it had.
        max_steps are then steps from there on; run.stats counts all.
    progress : None or a function of the time reached, t_end and the number of events so far, called at most ten times
        a second, the call at the end among them.
    max_seconds : on the clock, kernels ready, after which the run stops and keeps what it has. What a first run
        compiles is not counted (`fastdyn warmup NAME --set ...` does that ahead).
    preset : "contact" sets h_min = 1e-7 s and h_max = 1e-3 s.
    store : None or the path of a run file, written when the run has ended; until then what is done is added to
        `path.part`, which `fastdyn.open` reads too, so that a process that is killed loses a second at most. A run that
        stops where it began writes none.
    **settings : h_min, h_max, h_first (s), safety, max_steps and more of fastdyn.run.course. h_min = h_max makes equal
        steps: implicit steppers take them whatever their error, the others end the run with a status where one has too
        much of it for the tolerances. shrink, grow : what a step may be of the one before; damp : share of the last
        error in the rule of the step size. policy : "none" or "flight-contact": finer towards a touch of the grounds,
        and of any event with direction="falling", steps of h_min while one is below zero. capture : s; an event whose
        action changes something twice within it rests, and the run ends there unless the action answers "held".
        max_switches : of one event whose action changes something, within a five-hundredth of the run. contact_share :
        of rtol and atol, what holds while something touches a ground, 1/32.

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
    chain = wishes.chain_of(system)
    method, formulation = wishes.method_of(stepper, chain), wishes.formulation_of(formulation)
    closures = wishes.closures_of(closures, chain, method)
    options = wishes.options_of(rtol, atol, event_tol, preset, settings, chain.nq + chain.nv, method)
    events = wishes.events_of(events)
    y, t = wishes.start_of(chain, q, v, t, start)
    t_end, wanted = wishes.times_of(t, t_end, samples, times, every, chain.nq + chain.nv)
    wishes.check_steps(options, t_end - t, max_seconds, max(abs(t), abs(t_end)))
    known = {"stepper": stepper, "formulation": formulation, "settings": {"t_end": t_end} | options | closures}
    progress, max_seconds = wishes.watched_by(progress, max_seconds)
    calls, plant, course = begun(chain, events, stepper, formulation, closures, options, y, t, start)
    if start is None:
        plant.check_way(t, course.y)
    spool = None if store is None else _spooled(course, plant, store, events, known)
    began = time.perf_counter()
    try:
        with interrupted(course.look_soon) as stop:
            looking = Looking(plant, calls, stop, progress, t_end)
            status = course.to(t_end, wanted, every, look=looking, seconds=max_seconds, stops=knots_of(chain))
    except BaseException:
        if spool is not None:
            spool.abandon()
        raise
    plant.drain()
    seconds = time.perf_counter() - began
    status, failure = looking.end(course, status)
    times, rows = course.samples_until(status)
    plant.close(rows)
    q, v = _settled(chain, plant.split(rows))
    open_gap = let_go(chain, q, np.max(options["rtol"])) if status in ENDED else ""
    status = LET_GO if open_gap else status
    results = plant.results(times, rows, *course.events, [e.name for e in events])
    place = open_gap or calls.place or place_of(chain, plant, results["event_names"], course, status)
    run = Run(chain, times, q, v, status=status, failure=failure, where=place, stats=course.counts, seconds=seconds,
              checkpoint=course.checkpoint(), acting=tuple(i for i, e in enumerate(events) if e.action is not None),
              notes=plant.notes(q, results, course.stepping, course.counts["steps"]), **known, **results)
    if spool is not None:
        spool.finish(run)
    return run


def begun(chain, events, stepper, formulation, closures, options, y, t, start=None):
    """(calls, plant, course) of a run whose first step is not taken yet; arguments are checked already."""
    calls, method = Callbacks(chain, events), stepper_of(stepper)
    plant = Plant(chain, formulation, page_of(formulation, "forward_dynamics")[1](chain.model), calls,
                  method.second_order, method.takes_forces, **closures)
    options = options | {"atol": plant.tolerance(options["atol"])}
    course = Course(plant.rate, plant.handle, plant.start(y) if start is None else np.zeros(len(options["atol"])), t,
                    method=stepper, watch=plant.watch, model=_mark(chain), **plant.kernels, **options)
    if start is None:
        take_sides(course, plant, calls, events, t, y)
    else:
        start.put_into(course)
        plant.go_on(course)
    if calls.kept:                                          # Python is asked: it may be slow
        course.stepping.setting[PAUSE] = 1.0
    return calls, plant, course


def take_sides(course, plant, calls, events, t, y):
    """Sides of all switching functions at the start."""
    course.stepping.side[:plant.own] = plant.sides
    course.stepping.side[plant.own:] = wishes.sides_at_the_start(events, calls.values(t, y))


def knots_of(chain):
    """Times at which tables of the chain's signals bend."""
    return bends(chain.model.signal, chain.model.table)


def _mark(chain):
    """The fingerprint of the chain's model, taken once."""
    if "_mark" not in chain.__dict__:
        chain.__dict__["_mark"] = fingerprint(chain.model)
    return chain.__dict__["_mark"]


def _spooled(course, plant, path, events, known):
    """What is put on the disk while the run goes on."""
    from ..results.spool import Spool

    spool = Spool(wishes.path_of(path), plant.chain, **known, **plant.names([e.name for e in events]),
                  works=plant.works)
    happenings = plant.happenings()

    def put(times, states, happened, what):
        rows, _ = happenings.take(happened, what, plant.drain())
        plant.close(states := states.copy())
        spool.append(times, states, checkpoint=course.checkpoint, **rows)

    course.spool = put
    return spool


# --------------------------------------------------------------------------------------------------------- what it left

def _settled(chain, parts):
    """q, v of states whose quaternions have length one, also between steps."""
    q, v = (part.copy() for part in parts[:2])
    for _, part in chain.quaternions:
        q[:, part] /= np.linalg.norm(q[:, part], axis=1, keepdims=True)
    return q, v


def place_of(chain, plant, event_names, course, status):
    """The link, the event or the contact a status is about, where a kernel noted it; or what took the time."""
    if status in (SINGULAR_INERTIA, OFF_PLANE):
        link = int(chain.model.row[int(plant.work.note[TROUBLED]), LINK])
        return troubled(chain, link) if status == SINGULAR_INERTIA else f'link "{chain.links[link].name}"'
    if status == NOT_FINITE:
        q, v = plant.split(course.y[None])[:2]
        return who_fails(chain, course.t, q[0], v[0]) or (meeting(chain, q[0]) if chain.closures else "")
    if status == EVENT_FAILED:
        return f'event "{event_names[int(plant.work.note[TROUBLED])]}"'
    if status not in (STOPPED, AT_REST, CHATTER, ACTION_FAILED):
        return course.searching
    if course.about < plant.own:
        return f"contact of {event_names[len(plant.watch) - plant.own + course.about//FUNCTIONS]}"
    return f'event "{event_names[course.about - plant.own]}"'
