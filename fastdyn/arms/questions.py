"""What can be asked of a spatial arm at a state: accelerations, mass matrix, energies, where its points are.

q, v in the order of `arm.names`, one state or many, one a row; then answers have a row a state. SI units, world axes.
"""

from numbers import Integral
from typing import NamedTuple

import numpy as np

from .._jit import ready
from ..describe.check import one_of, shown
from ..describe.functions import raised
from ..run.asking import each_state, numbers, rows_of, shape_of
from ..status import NOT_FINITE, OK, ModelError, SimulationError
from . import recursive_system, system
from .compile import compiled
from .describe import Plane, SpatialArm
from .layout import work_for
from .many import side_by_side
from .modal_link import ModalLink

ROADS = {"recursive": recursive_system, "lagrange": system}
MARKS_KEPT = 16


class PointMotion(NamedTuple):
    """Place (m), velocity (m/s), acceleration (m/s^2) of a point of an arm, world axes."""

    place: np.ndarray
    velocity: np.ndarray
    acceleration: np.ndarray


def model_of(arm):
    """The arrays of an arm, made once."""
    if not isinstance(arm, SpatialArm):
        raise ModelError(f"arm is a {type(arm).__name__}; give a SpatialArm, such as fastdyn.arms.canadarm2()")
    if "_model" not in arm.__dict__:
        arm.__dict__["_model"] = compiled(arm)
    return arm.__dict__["_model"]


def states(arm, q, *more):
    """(model, q, ...) with all arrays checked."""
    model, names = model_of(arm), arm.names
    shape = (*rows_of(q), len(names))
    return model, *(numbers(x, shape, what, names) for what, x in zip(("q", "v", "acc"), (q, *more)))


def times(t, rows):
    """t of every state, a number for all of them or one for each"""
    return np.broadcast_to(numbers(t, shape_of(t) and rows, "t"), rows)


def check(status, arm, found):
    """Raise what a status means, or what the function of a torque raised; z'' that are no numbers are refused."""
    failure = raised()
    if failure is not None:
        raise failure
    if status != OK:
        raise SimulationError(int(status), arm.name)
    if not np.isfinite(found).all():
        raise SimulationError(NOT_FINITE, arm.name)


def check_dense(arm, what):
    """Refuse what only recursive Lagrange answers, of links by modal data."""
    model_of(arm)
    if any(isinstance(link.beam, ModalLink) for link in arm.links):
        raise ModelError(f"{what} sums over places along a link, and of a ModalLink only its integrals are known; ask "
                         'for accelerations by formulation="recursive"')


def accelerations(arm, q, v, *, t=0.0, touch=None, formulation="recursive"):
    """z'' of an arm; of many states side by side, with the bits of each alone.

    Parameters
    ----------
    q, v : coordinates and their rates, (nv,) or (states, nv).
    t : s, of joints whose motion is prescribed.
    touch : for each plane the speed, m/s, with which its point came, 0 where it does not touch; None: it touches none.
    formulation : "recursive", or "lagrange", which solves J z'' = R densely.

    Returns
    -------
    (nv,) or (states, nv).

    Examples
    --------
    >>> from fastdyn.arms import accelerations, canadarm2
    >>> arm = canadarm2()
    >>> q, v = arm.start
    >>> round(float(accelerations(arm, q, v)[arm.names.index("th1_2")]), 4)
    -0.0
    """
    raised()                                                # what was not told before is not of this state
    if one_of(formulation, tuple(ROADS), "formulation") == "lagrange":
        check_dense(arm, 'formulation "lagrange"')
    model, q, v = states(arm, q, v)
    rows, t = q.shape[:-1], times(t, q.shape[:-1])
    planes = len(model.contact)
    touch = np.zeros(planes) if touch is None else numbers(touch, (*rows_of(touch), planes), "touch")
    if (touch < 0.0).any():
        raise ModelError(f"touch is {float(touch.min()):g} m/s; give the speed with which the point came, 0 where none "
                         "touches")
    if rows and formulation == "recursive" and not np.any(touch) and (t == t[:1]).all():
        found = side_by_side(model, q, v, float(t[0]) if len(t) else 0.0)
        if found is not None:
            check(OK, arm, found)
            return found
    work, ask = work_for(model, dense=formulation == "lagrange"), ready(ROADS[formulation].accelerate)

    def one(q, v, touch, t):
        found = np.empty(len(q))
        check(ask(model, work, float(t), q, v, touch, found), arm, found)
        return found

    return each_state(one, q, v, np.array(np.broadcast_to(touch, (*rows, planes))), t)


def mass_matrix(arm, q):
    """J of J z'' = R, (nv, nv) or (states, nv, nv)."""
    check_dense(arm, "mass_matrix")
    model, q = states(arm, q)
    work, ask, still = work_for(model), ready(system.set_equations), np.zeros(len(arm.names))
    touch = np.zeros(len(model.contact))

    def one(q):
        ask(model, work, 0.0, q, still, touch)
        raised()                                            # torques have no part in it
        return work.mass.copy()

    return each_state(one, q)


def energies(arm, q, v, *, t=0.0):
    """(kinetic, potential), J, of bodies, links and springs under gravity; numbers, or an array each.

    t : s, of joints whose motion is prescribed.
    """
    model, q, v = states(arm, q, v)
    rows = np.atleast_2d(q)
    out, t = np.empty((len(rows), 2)), np.array(np.atleast_1d(times(t, q.shape[:-1])))
    if ready(recursive_system.energies)(model, work_for(model, dense=False), t, rows, np.atleast_2d(v), out) != OK:
        raise ModelError("energies: a state is beyond what can be computed")
    return tuple(out[0].tolist() if q.ndim == 1 else out.T.copy())


def point(arm, q, v, acc=None, *, link=-1, eta=None, t=0.0):
    """PointMotion of a point along a link, or of its end.

    Parameters
    ----------
    acc : z''; None: zero.
    link : its number, 0 the first, -1 the last. eta : m along the undeformed link; None its end.
    t : s, of joints whose motion is prescribed.
    """
    model_of(arm)
    n = len(arm.links)
    if not isinstance(link, Integral) or isinstance(link, bool) or not -n <= link < n:
        raise ModelError(f"link is {shown(link)}; there are links 0 to {n - 1}")
    marked = _marked(arm, int(link) % n, eta)
    return PointMotion(*(x[..., 0, :] for x in marked_points(marked, q, v, acc, t=t)))


def _marked(arm, k, eta):
    """The arm with one mark, those asked for last kept: making its arrays takes a thousand times as long as asking."""
    mark = Plane(k, (0.0, 0.0, 0.0), (0.0, 1.0, 0.0), (1.0, 0.0, 0.0), "hertz", {"stiffness": 1.0}, eta=eta)
    kept = arm.__dict__.setdefault("_marked", {})
    if (k, mark.eta) not in kept:
        made = arm.replace(planes=(mark,))
        while len(kept) >= MARKS_KEPT:
            kept.pop(next(iter(kept)), None)
        kept[k, mark.eta] = made
    return kept[k, mark.eta]


def marked_points(arm, q, v, acc=None, *, t=0.0):
    """PointMotion of the points of all planes, an axis for the planes before that of x, y, z."""
    model, q, v, acc = states(arm, q, v, np.zeros(np.shape(q)) if acc is None else acc)
    work, ask = work_for(model), ready(system.point_motion)

    def one(q, v, acc, t):
        found = np.empty((len(model.contact), 9))
        ask(model, work, float(t), q, v, acc, found)
        return found

    found = each_state(one, q, v, acc, times(t, q.shape[:-1]))
    return PointMotion(found[..., :3], found[..., 3:6], found[..., 6:])
