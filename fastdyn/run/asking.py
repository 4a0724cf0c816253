"""From a user's arrays to what a kernel takes, from a status to a sentence; scratch kept per chain and thread."""

import threading

import numpy as np

from ..describe.chain import Chain
from ..describe.check import shown
from ..formulations import formulation
from ..layout import LINK, TROUBLED, work_of
from ..status import NOT_FINITE, OK, SINGULAR_INERTIA, ModelError, SimulationError


def numbers(x, shape, what, names=None) -> np.ndarray:
    """x as a contiguous float64 array of `shape`, all finite; names tell which entry is not."""
    try:
        a = np.asarray(x)
    except ValueError:
        raise ModelError(f"{what} is not an array of numbers; give {described(shape)}") from None
    if a.dtype.kind not in "fiu" or a.dtype.itemsize > 8:
        raise ModelError(f"{what} holds {a.dtype} instead of real numbers; give float64")
    if a.shape != shape:
        raise ModelError(f"{what} has shape {a.shape}; give {described(shape)}")
    a = np.require(a, np.float64, ["C", "A", "W"])
    if not np.isfinite(a).all():
        at = tuple(int(i) for i in np.argwhere(~np.isfinite(a))[0])
        raise ModelError(f"{placed(what, at, names)} is {a[at]}; every number must be finite")
    return a


def placed(what, at, names):
    """An entry of an array in words: by the name of its column, and its row where there are several."""
    if not names:
        return f"{what}[{', '.join(map(str, at))}]" if at else what
    return f"{what} of {names[at[-1]]}" + (f" in row {at[0]}" if len(at) > 1 else "")


def described(shape):
    return f"shape {shape}" if shape else "one number"


def states(chain, q, *v, many=False):
    """(q, v) checked, quaternions away from zero; many: one state or one a row. Without v there is None."""
    if not isinstance(chain, Chain):
        raise ModelError(f"system is {shown(chain)}; give a Chain")
    rows = rows_of(q) if many else ()
    q = numbers(q, (*rows, chain.nq), "q", chain.coordinate_names)
    if rows == (0,):
        raise ModelError("q has no rows; give one state or more")
    for name, part in chain.quaternions:
        if np.any(np.abs(q[..., part]).max(axis=-1) < 1e-100) or np.any(np.abs(q[..., part]).max(axis=-1) > 1e100):
            raise ModelError(f'q of link "{name}" has a quaternion of no sensible length; give a unit one (w, x, y, z)')
    return q, numbers(v[0], (*rows, chain.nv), "v", chain.velocity_names) if v else None


def rows_of(q):
    """(rows,) of a matrix, else ()."""
    try:
        return np.shape(q)[:1] if np.ndim(q) == 2 else ()
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


def check(status, chain, work):
    """Raise what a status means, with the link that a singular inertia was met at."""
    if status == SINGULAR_INERTIA:
        row = int(work.note[TROUBLED])
        raise SimulationError(int(status), f'link "{chain.links[int(chain.model.row[row, LINK])].name}"')
    if status != OK:
        raise SimulationError(int(status))


def sound(*answers):
    """The answers, as long as no number in them got too large."""
    if not all(np.isfinite(a).all() for a in answers):
        raise SimulationError(NOT_FINITE)
    return answers if len(answers) > 1 else answers[0]
