"""From a user's arrays to what a kernel takes, from a status to a sentence; scratch kept per chain and thread."""

import threading

import numpy as np

from ..formulations import formulation
from ..layout import LINK, TROUBLED, work_of
from ..status import OK, ModelError, SimulationError


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
        place = names[at[-1]] if names else str(at)
        raise ModelError(f"{what} of {place} is {a[at]}; every number must be finite")
    return a


def described(shape):
    return f"shape {shape}" if shape else "one number"


def states(chain, q, v=None):
    """(q, v) checked, quaternions away from zero; one state or one a row."""
    many = np.ndim(q) == 2
    rows = (np.shape(q)[0],) if many else ()
    q = numbers(q, (*rows, chain.nq), "q", chain.coordinate_names)
    if many and not rows[0]:
        raise ModelError("q has no rows; give one state or more")
    for name, part in chain.quaternions:
        if np.any(np.abs(q[..., part]).max(axis=-1) < 1e-100) or np.any(np.abs(q[..., part]).max(axis=-1) > 1e100):
            raise ModelError(f'q of link "{name}" has a quaternion of no sensible length; give a unit one (w, x, y, z)')
    return q, None if v is None else numbers(v, (*rows, chain.nv), "v", chain.velocity_names)


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
    """Raise what a status means, with the link it speaks of."""
    if status != OK:
        row = int(work.note[TROUBLED])
        raise SimulationError(int(status), f'link "{chain.links[int(chain.model.row[row, LINK])].name}"')
