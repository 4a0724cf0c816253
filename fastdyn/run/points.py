"""One point of a sweep: the system with its words, the run, what is measured of it; a row of plain values, always.

Nothing that goes wrong at a point is raised: its row has a status and a sentence.
"""

import difflib
import hashlib
import inspect
import time
import types
from collections.abc import Callable
from functools import partial
from typing import Any, NamedTuple

import numpy as np

from .. import _cache
from ..describe.catalog import FIELDS
from ..describe.chain import Chain
from ..describe.check import shown
from ..describe.named import written
from ..describe.setting import HEAD, NoSuchKey, changed, is_path
from ..kinds import wanted
from ..results.measures import numbers_of, usual
from ..status import BROKEN, INTERRUPTED, MEASURE_FAILED, OUT_OF_TIME, REFUSED, SENTENCE, ModelError, SimulationError
from .course import SETTINGS
from .simulate import simulate

NOT_OF_A_POINT = ("system", "settings", "store", "progress")
WORDS = (bool, int, float, str)
NO_TIME = 1e-9      # s on the clock, for a run that is only to have its kernels made


class Job(NamedTuple):
    """What all points have in common.

    system : Chain, name of the catalog, path of a model file, or a function that makes a chain.
    settings : words of all points, of the system or of simulate.
    measure : function of a run, or None for what every run has.
    """

    system: Any
    settings: dict
    measure: Callable | None


def prepared(job, point):
    """What runs a point, a function without arguments.

    Raises
    ------
    NoSuchKey : a key that leads nowhere.
    ModelError : a value that cannot be.
    """
    words = job.settings | point
    if isinstance(job.system, str):
        said = {key: value for key, value in words.items() if is_path(key) or isinstance(value, WORDS)}
        kind, name, settings = wanted(job.system, [f"{key}={written(value)}" for key, value in said.items()], runs=True)
        system, run = kind.find(name, settings)
        return partial(run, system, **{key: value for key, value in words.items() if key not in said})
    chain = job.system
    if not isinstance(chain, Chain):
        own = {key: words[key] for key in words if _takes(job.system, key)}
        chain = job.system(**own)
        words = {key: value for key, value in words.items() if key not in own}
        if not isinstance(chain, Chain):
            raise ModelError(f"the function given as system made {shown(chain)}; let it return a Chain")
    paths = {key: written(value) for key, value in words.items() if is_path(key)}
    rest = {key: value for key, value in words.items() if key not in paths}
    for key in rest:
        _check_key(key)
    if paths:
        chain = changed(chain.replace(drive=None), paths, "point").replace(drive=chain.drive)
    return partial(simulate, chain, **rest)


def check_keys(job, design):
    """Refuse keys that lead nowhere at both corners of the design; a value that cannot be is a row, not a refusal."""
    wrong = []
    for number in (0, len(design) - 1):
        try:
            prepared(job, design[number])
        except NoSuchKey as refused:
            wrong.append(refused)
        except Exception:                                   # told by the row of that point
            continue
    if len(wrong) == 2:
        raise wrong[0]


def _takes(function, key):
    """Whether a function has an argument of that name."""
    found = inspect.signature(function).parameters
    return key in found or any(p.kind is p.VAR_KEYWORD for p in found.values())


def _check_key(key):
    known = [name for name in dict.fromkeys((*inspect.signature(simulate).parameters, *SETTINGS))
             if name not in NOT_OF_A_POINT]
    if key not in known:
        close = difflib.get_close_matches(key.partition(".")[0], [*known, *HEAD, "links", "grounds", "closures"], n=1)
        hint = f'did you mean "{close[0]}"? ' if close else ""
        raise NoSuchKey(f'"{key}" cannot be set here; {hint}known are {", ".join([*known, *HEAD, FIELDS])}')


# ---------------------------------------------------------------------------------------------------------- computing

def rows_of(job, numbered):
    """(rows of points (number, point), s on the clock); those that were interrupted from the keyboard are left out."""
    began = time.perf_counter()
    rows = [_row(job, number, point) for number, point in numbered]
    return [row for row in rows if row["status"] != INTERRUPTED], time.perf_counter() - began


def _row(job, number, point):
    status, message, values = _outcome(job, point)
    return {"number": number, "status": int(status), "message": message, "values": values}


def _outcome(job, point):
    """(status, sentence, numbers)"""
    try:
        run = prepared(job, point)()
        status, message = run.status, run.message
    except ModelError as refused:
        return REFUSED, str(refused), {}
    except SimulationError as stopped:
        return stopped.status, str(stopped), {}
    except KeyboardInterrupt:
        return INTERRUPTED, SENTENCE[INTERRUPTED], {}
    except Exception as failure:
        return BROKEN, f"{SENTENCE[BROKEN]} ({failure!r})", {}
    if status == INTERRUPTED:
        return status, message, {}
    try:
        return status, message, numbers_of(usual(run) if job.measure is None else job.measure(run), job.measure)
    except KeyboardInterrupt:
        return INTERRUPTED, SENTENCE[INTERRUPTED], {}
    except Exception as failure:
        return MEASURE_FAILED, f"{SENTENCE[MEASURE_FAILED]} ({failure!r})", {}


def warm(job, point, most=NO_TIME):
    """Have the kernels of a point made, or loaded, by a run of so many s on the clock at most.

    Returns
    -------
    About how long the point takes, s, infinite if that is longer or not known; None: it cannot be run.
    """
    began = time.perf_counter()
    try:
        run = prepared(job, point)
        made = time.perf_counter() - began
        if "max_seconds" not in inspect.signature(run).parameters:
            return np.inf
        short = run(max_seconds=most)
        if job.measure is None:
            usual(short)
    except Exception:                                       # told by the row of that point
        return None
    if short.status == INTERRUPTED:
        raise KeyboardInterrupt
    return np.inf if short.status == OUT_OF_TIME else made + short.seconds


# ------------------------------------------------------------------------------------------------- one job or another

def marked(value):
    """A value as plain words that are the same in every process; functions by what they do."""
    value = getattr(value, "py_func", value)
    if value is None or isinstance(value, (bool, int, float, str)):
        return value
    if isinstance(value, np.generic):
        return value.item()
    if isinstance(value, np.ndarray):
        return [str(value.dtype), value.tolist()]
    if isinstance(value, (list, tuple)):
        return [type(value).__name__, *map(marked, value)]
    if isinstance(value, dict):
        return {str(key): marked(item) for key, item in value.items()}
    if isinstance(value, partial):
        return ["partial", marked(value.func), marked(value.args), marked(value.keywords)]
    if isinstance(value, types.FunctionType):
        told = "\0".join(_cache._describe(value, set()))
        return [_cache.name_of(value), hashlib.sha256(told.encode()).hexdigest()]
    fields = getattr(value, "__struct_fields__", ())
    return [type(value).__qualname__, {name: marked(getattr(value, name)) for name in fields}]
