"""What is asked of a run, checked: settings, state to start from, times, events; one sentence for what cannot be."""

import os
from collections.abc import Callable, Iterable, Sequence
from numbers import Integral, Real

import numpy as np

from ..describe.chain import Chain
from ..describe.check import positive, quaternion, shown
from ..describe.events import DIRECTIONS, Event
from ..formulations import FORMULATIONS, OF_PAPERS, instead
from ..formulations.rates import CLOSED_BY, MULTIPLIERS, sprung_gaps, turns_balls
from ..layout import held_exactly
from ..status import ModelError
from ..steppers import STEPPERS, stepper
from ..steppers.policy import POLICIES
from .asking import numbers, shape_of, states
from .checkpoint import Checkpoint
from .course import PRESETS, SETTINGS
from .room import memory

LIMITS = {"h_max": (1e-300, np.inf), "rho": (0.0, 1.0), "safety": (0.1, 1.0), "max_order": (1.0, 12.0),
          "max_steps": (1.0, np.inf), "max_switches": (1.0, np.inf), "event_tol": (1e-15, 1.0),
          "shrink": (0.01, 0.9), "grow": (1.1, 100.0), "damp": (0.0, 0.5), "contact_share": (1e-6, 1.0)}
WHOLE = ("max_steps", "max_switches", "max_order")


def chain_of(system):
    """A chain in which something can move."""
    if not isinstance(system, Chain):
        raise ModelError(f"system is {shown(system)}; {getattr(system, 'instead', 'give a Chain')}")
    if system.nv == 0:
        raise ModelError("nothing can move: no joint of the chain has a degree of freedom; give one that is not fixed")
    return system


def word_of(word, words, what):
    """One of the words there are."""
    if not (isinstance(word, str) and word in words):
        called = f'"{word}" is not known' if isinstance(word, str) else f"is {shown(word)}"
        raise ModelError(f"{what} {called}; choose from {', '.join(words)}")
    return word


def method_of(name, chain):
    """A stepper's name that this chain can be integrated with."""
    method = stepper(word_of(name, STEPPERS, "stepper"))
    if method.second_order and chain.grounds:
        raise ModelError(f'stepper "{name}" takes coordinates and velocities alone, but the chain has ground[0], whose '
                         "contacts have a state of their own; take radau5")
    if method.second_order and turns_balls(chain.model):
        raise ModelError(f'stepper "{name}" needs velocities that are the rates of the coordinates, which those of '
                         f'link "{chain.quaternions[0][0]}" are not; take radau5')
    return method


def formulation_of(name):
    if isinstance(name, str) and name in OF_PAPERS:
        raise ModelError(f'formulation "{name}" is not known; {instead(name)}')
    return word_of(name, FORMULATIONS, "formulation")


def closures_of(word, chain, method):
    """{"closures": how} where it is not the usual way."""
    if word_of(word, CLOSED_BY, "closures") == MULTIPLIERS:
        return {}
    if not held_exactly(chain.model):
        raise ModelError(f'closures="{word}" is asked for, but the chain has none that is held exactly; leave it out')
    if method.takes_forces and sprung_gaps(chain.model):
        raise ModelError(f'closures="{word}" does not go with springs in other closures and stepper "{method.name}", '
                         "which takes their forces as unknowns; take multipliers, or another stepper")
    return {"closures": word}


def options_of(rtol, atol, event_tol, preset, settings, size, method):
    """Settings of the course; atol is one number, or one for each of `size` components."""
    presets = PRESETS[word_of(preset, PRESETS, "preset")] if preset is not None else {}
    options = presets | settings
    unknown = options.keys() - SETTINGS.keys()
    if "method" in unknown:
        raise ModelError(f"method is no setting of a run; {method_in_words(options['method'])}")
    if unknown:
        raise ModelError(f"{', '.join(sorted(unknown))}: no such setting; there are {', '.join(SETTINGS)}")
    for name in ("shrink", "grow", "damp"):
        if name in options and (method.own_steps or (name == "damp" and method.damp == 0.0)):
            raise ModelError(f'{name} is given, but the rule of the step size of stepper "{method.name}" has no such '
                             "number; leave it out")
    options = {name: plain(value) for name, value in options.items()}
    options["event_tol"] = positive(plain(event_tol), "event_tol", "s")
    for name, value in options.items():
        if name == "policy":
            word_of(value, POLICIES, "policy")
            continue
        low, high = LIMITS.get(name, (0.0, np.inf))
        if not (isinstance(value, Real) and not isinstance(value, bool) and low <= value <= high):
            raise ModelError(f"{name} is {shown(value)}; give a number of {low:g} to {high:g}")
        if name in WHOLE and value < np.inf and value != int(value):
            raise ModelError(f"{name} is {shown(value)}; give a whole number")
    if options.get("h_min", 0.0) > options.get("h_max", np.inf):
        raise ModelError(f"h_min is {options['h_min']} s and h_max {options['h_max']} s; give a smaller h_min")
    options["rtol"] = positive(plain(rtol), "rtol")
    if options["rtol"] < 1e-15:
        raise ModelError(f"rtol is {rtol}; numbers have sixteen digits, give 1e-15 or more")
    if options["rtol"] >= 1.0:
        raise ModelError(f"rtol is {rtol}, an error as large as the number itself; give one below 1, 1e-9 is usual")
    atol = numbers(atol, (size,) if shape_of(atol) else (), "atol")
    if not np.all(atol > 0.0):
        raise ModelError("atol has a number that is not positive; give tolerances > 0")
    return options | {"atol": atol if atol.ndim else float(atol)}


def method_in_words(given):
    """What to write instead of a method, a word of the catalog's robot and of other programs."""
    if isinstance(given, str) and given in OF_PAPERS:
        return instead(given)
    for word, names in (("formulation", FORMULATIONS), ("stepper", STEPPERS)):
        if isinstance(given, str) and given in names:
            return f'write {word}="{given}"'
    return "the integrator is named by stepper, the dynamics of a chain by formulation"


def plain(value):
    """The number in an array of one without a dimension; anything else as it is."""
    return value.item() if isinstance(value, np.ndarray) and value.ndim == 0 else value


def check_steps(options, seconds, max_seconds, latest=0.0):
    """A run only max_steps would end is not begun, nor one of steps a clock at `latest` s cannot show."""
    h_max, most = options.get("h_max", np.inf), SETTINGS["max_steps"][1]
    if "policy" in options and options["policy"] != "none":
        h_max = options.get("h_max", PRESETS["contact"]["h_max"])
    if h_max < np.spacing(abs(latest)):
        raise ModelError(f"h_max is {h_max:.3g} s, but between {latest:.9g} s and the next number there are "
                         f"{np.spacing(abs(latest)):.3g} s; give a larger h_max, or start the clock nearer to zero")
    if "max_steps" not in options and max_seconds == np.inf and seconds/h_max > most:
        raise ModelError(f"{seconds:.9g} s in steps of at most h_max = {h_max:.3g} s are {seconds/h_max:.3g} steps, "
                         f"more than the {most:.0e} of max_steps; give a larger h_max, or max_steps if you mean it")


def start_of(chain, q, v, t, start):
    """(state, time) to start from, quaternions of length one."""
    if start is not None:
        return at_checkpoint(start, q=q, v=v, t=t)
    start_q, start_v = chain.start_state()
    q, v = states(chain, start_q if q is None else q, start_v if v is None else v)
    y = np.concatenate([q, v])
    for name, part in chain.quaternions:
        y[part] = quaternion(tuple(y[part].tolist()), f'q of link "{name}"')
    return y, 0.0 if t is None else float(numbers(t, (), "t"))


def at_checkpoint(start, **words):
    """(state, time) of a checkpoint, which alone says where a run starts."""
    if not isinstance(start, Checkpoint):
        raise ModelError(f"start is {shown(start)}; give run.checkpoint, or what fd.open_checkpoint reads")
    given = [name for name, value in words.items() if value is not None]
    if given:
        raise ModelError(f"both start and {', '.join(given)} are given; a checkpoint already has the state and its "
                         "time")
    return start.y, start.t


def times_of(t, t_end, samples, times, every, size):
    """(end, times of the samples, each of which keeps `size` numbers)"""
    t_end = positive(plain(t_end), "t_end", "s") if t == 0.0 else float(numbers(t_end, (), "t_end"))
    if t_end <= t:
        raise ModelError(f"t_end is {t_end:.9g} s and the start {t:.9g} s; give a later end")
    if not isinstance(every, (bool, np.bool_)):
        raise ModelError(f"every is {shown(every)}; give True or False")
    if every and times is not None:
        raise ModelError("both every and times are given; every keeps the state after every step, leave one out")
    if times is None:
        if not isinstance(samples, Integral) or isinstance(samples, bool) or samples < 2:
            raise ModelError(f"samples is {shown(samples)}; give 2 or more, the start and the end are among them")
        if every:
            return t_end, ()
        if 8.0*samples*(size + 1) > memory():
            raise ModelError(f"samples is {shown(samples)}, of {size} numbers each {8e-9*samples*(size + 1):.3g} GB, "
                             f"and this machine has {memory()/1e9:.3g}; give fewer")
        return t_end, np.linspace(t, t_end, int(samples))
    if not isinstance(times, (Sequence, np.ndarray)) or len(shape_of(times)) != 1 or len(times) == 0:
        raise ModelError(f"times is {shown(times)}; give one time or more in a row, s")
    times = numbers(times, (len(times),), "times")
    if np.any(np.diff(times) < 0.0) or times[0] < t or times[-1] > t_end:
        raise ModelError(f"times do not ascend from {t:.9g} s to at most {t_end:.9g} s; sort them, or change the ends")
    return t_end, times


def events_of(events):
    events = tuple(events) if isinstance(events, Iterable) else (events,)
    for event in events:
        if not isinstance(event, Event):
            raise ModelError(f"events holds {shown(event)}; give Event(function=...)")
    return events


def watched_by(progress, max_seconds):
    """Who looks at a run from outside: a function or nobody, and seconds on the clock."""
    if progress is not None and not isinstance(progress, Callable):
        raise ModelError(f"progress is {shown(progress)}; give a function progress(t, t_end, events)")
    if not (isinstance(max_seconds, Real) and not isinstance(max_seconds, bool) and max_seconds > 0.0):
        raise ModelError(f"max_seconds is {shown(max_seconds)}; give a number of seconds > 0")
    return progress, float(max_seconds)


def path_of(store):
    """Of the run file a run is stored in."""
    if not (isinstance(store, (str, os.PathLike)) and os.fspath(store)):
        raise ModelError(f"store is {shown(store)}; give the path of a run file, such as \"run.h5\"")
    return store


def sides_at_the_start(events, values):
    """Sides of functions whose actions would be missed: on zero or beyond they belong before it, to fire as they go on.

    The others are where they are (0 leaves that to the stepper).
    """
    sides = np.zeros(len(events), np.int64)
    for i, (event, value) in enumerate(zip(events, values)):
        way = DIRECTIONS[event.direction]
        if event.terminal and value*way > 0.0:
            raise ModelError(f'event "{event.name}" is {value:.6g} at the start and would have to go through zero '
                             f'{event.direction}: it has happened already; start before it, or watch another direction')
        if event.action is not None and way != 0 and value*way >= 0.0:
            sides[i] = -way
    return sides
