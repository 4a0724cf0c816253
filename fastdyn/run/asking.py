"""From a user's arrays to what a kernel takes, from a status to a sentence; scratch kept per chain and thread."""

import threading
from contextlib import contextmanager

import numpy as np

from ..describe.chain import Chain
from ..describe.check import array_of, shown
from ..describe.functions import raised
from ..describe.idle import troubled
from ..formulations import formulation
from ..layout import LINK, STATE, TROUBLED, work_of
from ..status import NOT_FINITE, OK, SINGULAR_INERTIA, ModelError, SimulationError

SQUARABLE = np.sqrt(np.finfo(float).max)                # a place beyond it makes inertias that are no numbers
HARDLY_SQUARABLE = 1e100


def numbers(x, shape, what, names=None) -> np.ndarray:
    """x as a contiguous float64 array of `shape`, all finite; names tell which entry is not.

    The one place where a user's numbers are cast. Lists, single and half precision, whole numbers, strided, read-only
    and byte-swapped arrays are copied to float64, each number at its value: what single precision has rounded stays
    rounded. An array that is contiguous, writable float64 is taken as it is, without a copy, and never written to.
    Complex numbers, truth values, objects, long double and masked entries are refused.
    """
    a = array_of(x, what, described(shape))
    if a.shape != shape:
        raise ModelError(f"{what} has shape {a.shape}; give {described(shape)}")
    a = np.require(a, np.float64, ["C", "A", "W"])
    if not np.isfinite(a).all():
        at = tuple(int(i) for i in np.argwhere(~np.isfinite(a))[0])
        raise ModelError(f"{placed(what, at, names)} is {a[at]}; every number must be finite")
    return a


def placed(what, at, names):
    """An entry of an array in words: by the name of its column, and its row where there are several.

    names : of the columns, or a function (what, at) -> words.
    """
    if callable(names):
        return names(what, at)
    if not names:
        return f"{what}[{', '.join(map(str, at))}]" if at else what
    return f"{what} of {names[at[-1]]}" + (f" in row {at[0]}" if len(at) > 1 else "")


def described(shape):
    return f"shape {shape}" if shape else "one number"


def states(chain, q, *v, many=False):
    """(q, v) checked, quaternions away from zero; many: one state or one a row. Without v there is None."""
    if not isinstance(chain, Chain):
        raise ModelError(f"system is {shown(chain)}; {getattr(chain, 'instead', 'give a Chain')}")
    rows = rows_of(q) if many else ()
    q = numbers(q, (*rows, chain.nq), "q", chain.coordinate_names)
    if rows == (0,):
        raise ModelError("q has no rows; give one state or more")
    for name, part in chain.quaternions:
        size = np.abs(q[..., part]).max(axis=-1)
        bad = (size < 1e-100) | (size > 1e100)
        if bad.any():
            at = (int(np.argmax(bad)), 0) if rows else (0,)
            said = placed("q", at, [f'link "{name}"'])
            raise ModelError(f"{said} has a quaternion of no sensible length; give a unit one (w, x, y, z)")
    return q, numbers(v[0], (*rows, chain.nv), "v", chain.velocity_names) if v else None


def rows_of(q):
    """(rows,) of a matrix, else ()."""
    shape = shape_of(q)
    return shape[:1] if len(shape) == 2 else ()


def shape_of(x):
    """() of what is no array."""
    try:
        return np.shape(x)
    except ValueError:
        return ()


class Scratch(threading.local):
    """Work of one chain, a set for every thread."""

    def __init__(self, chain):
        self.chain = chain
        self.kept = {}

    def work(self, lanes=1, dense=0):
        key = lanes, dense
        if key not in self.kept:
            self.kept[key] = work_of(self.chain.model, lanes, dense)
        return self.kept[key]


def scratch(chain, lanes=1, dense=0):
    """The scratch arrays of this thread for `chain`."""
    kept = chain.__dict__.get("_scratch")
    if kept is None:
        kept = chain.__dict__.setdefault("_scratch", Scratch(chain))
    return kept.work(lanes, dense)


def page_of(name, question):
    """A formulation's function, or a sentence that it does not answer that."""
    page = formulation(name)
    if not hasattr(page, question):
        raise ModelError(f'formulation "{name}" does not answer {question}; take formulation="recursive"')
    return getattr(page, question), getattr(page, "dense_size", lambda model: 0)


def check(status, chain, work, **given):
    """Raise what a status means, with the link that a singular inertia was met at, or what a signal's function raised.

    given : the arrays asked about by their names, of which the largest is told where an answer is not finite.
    """
    failure = raised()
    if failure is not None:
        raise failure
    if status == SINGULAR_INERTIA:
        row = int(work.note[TROUBLED])
        raise SimulationError(int(status), troubled(chain, int(chain.model.row[row, LINK])))
    if status != OK:
        raise SimulationError(int(status), largest(chain, **given) if status == NOT_FINITE else "")


def largest(chain, **given):
    """The largest number of arrays, by its name in the chain, where its square is hardly a number; else nothing."""
    size, what = max(((np.abs(x).max(initial=0.0), what) for what, x in given.items()), default=(0.0, ""))
    if size < HARDLY_SQUARABLE:
        return ""
    at = int(np.argmax(np.abs(given[what])))
    names = chain.coordinate_names if what == "q" else chain.velocity_names
    return f"{what} of {names[at]} is {shown(float(given[what][at]))}"


def check_batch(status, chain, work, side, inverse, **given):
    """The same for states side by side, with the first one in trouble: lanes tell which, the kernel only that."""
    if status == OK:
        return check(status, chain, work)
    q = given["q"]
    stuck, answers = (side.trouble > 0.0) & (not inverse), side.dense[-chain.nv*len(side.trouble):]
    lane = int(np.argmax(stuck | ~np.isfinite(answers.reshape(chain.nv, -1)).all(axis=0)))
    state = int(work.note[STATE]) + lane
    status = NOT_FINITE
    if stuck[lane] and np.abs(q[state]).max() < SQUARABLE:
        status, work.note[TROUBLED] = SINGULAR_INERTIA, int(side.trouble[lane]) - 1
    with said_of(state, len(q)):
        check(status, chain, work, **{what: x[state] for what, x in given.items()})


@contextmanager
def said_of(state, states):
    """Errors begin with the state they are about."""
    try:
        yield
    except (ModelError, SimulationError) as wrong:
        wrong.args = (f"state {state + 1} of {states} (row {state}): {wrong}",)
        raise


def each_state(ask, *given):
    """ask of one state, or of every row: answers stacked, and an error says which state it is about."""
    if given[0].ndim == 1:
        return ask(*given)
    answers = []
    for state, rows in enumerate(zip(*given)):
        with said_of(state, len(given[0])):
            answers.append(ask(*rows))
    return tuple(map(np.array, zip(*answers))) if isinstance(answers[0], tuple) else np.array(answers)


def sound(*answers, where=""):
    """The answers, as long as no number in them got too large."""
    if not all(np.isfinite(a).all() for a in answers):
        raise SimulationError(NOT_FINITE, where)
    return answers if len(answers) > 1 else answers[0]
