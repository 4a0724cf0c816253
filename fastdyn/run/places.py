"""Where things are, how fast, how much: points, Jacobians, energies, momenta of a chain at a state.

Every question takes one state, or many, one a row; then it answers with one row a state.
"""

import numpy as np
from numpy.typing import ArrayLike

from .._jit import ready
from ..describe.chain import Chain
from ..formulations import kinematics as k
from ..status import ModelError
from .asking import each_state, numbers, sound, states

ORIGIN = (0.0, 0.0, 0.0)


def position(system: Chain, q: ArrayLike, link: str, point: ArrayLike | str = ORIGIN) -> np.ndarray:
    """World position (3,) of a point of a link: in the link frame, "tip", or the name of one of the link's points.

    The tip of an elastic link is where it has bent to. Other questions about points take them the same way.
    """
    q, _ = states(system, q, many=True)
    row, at = _point(system, link, point)

    def ask(q):
        R, origin = _pose(system, row, q)
        return sound(origin + R @ at)

    return each_state(ask, q)


def orientation(system: Chain, q: ArrayLike, link: str, point: ArrayLike | str = ORIGIN) -> np.ndarray:
    """Rotation matrix (3, 3): components along the link's axes at a point of it to world components.

    The axes of an elastic link at its tip are turned as far as it has bent there.
    """
    q, _ = states(system, q, many=True)
    row, _ = _point(system, link, point)
    return each_state(lambda q: _pose(system, row, q)[0] @ system.model.frame[row].reshape(3, 3).T, q)


def velocity(system: Chain, q: ArrayLike, v: ArrayLike, link: str,
             point: ArrayLike | str = ORIGIN) -> tuple[np.ndarray, np.ndarray]:
    """(velocity of a point of a link, angular velocity of the link there), world axes."""
    q, v = states(system, q, v, many=True)
    row, at = _point(system, link, point)
    twist = np.empty((len(system.model.row), 2, 3))
    twists = ready(k.twists)

    def ask(q, v):
        R, _ = _pose(system, row, q)
        twists(system.model, q, v, twist.ravel())
        w, u = twist[row]
        with np.errstate(all="ignore"):
            return sound(R @ (u + np.cross(w, at)), R @ w)

    return each_state(ask, q, v)


def acceleration(system: Chain, q: ArrayLike, v: ArrayLike, acc: ArrayLike | None, link: str,
                 point: ArrayLike | str = ORIGIN) -> tuple[np.ndarray, np.ndarray]:
    """(acceleration of a point of a link, angular acceleration of the link there), world axes.

    They are J acc + dJ/dt v with the J of `jacobian`: acc are the rates of v, as `forward_dynamics` gives them; None is
    zero and leaves dJ/dt v. What falls freely has the acceleration of gravity.
    """
    q, v = states(system, q, v, many=True)
    acc = np.zeros_like(v) if acc is None else numbers(acc, v.shape, "acc", system.velocity_names)
    row, at = _point(system, link, point)
    twist, rate = np.empty((2, len(system.model.row), 2, 3))
    accelerations = ready(k.accelerations)

    def ask(q, v, acc):
        R, _ = _pose(system, row, q)
        accelerations(system.model, q, v, acc, twist.ravel(), rate.ravel())
        (w, _), (al, a) = twist[row], rate[row]
        with np.errstate(all="ignore"):
            return sound(R @ (a + np.cross(al, at) + np.cross(w, np.cross(w, at))), R @ al)

    return each_state(ask, q, v, acc)


def jacobian(system: Chain, q: ArrayLike, link: str, point: ArrayLike | str = ORIGIN) -> np.ndarray:
    """J (6, nv): velocity of the point (rows 0..2) and angular velocity of its link (3..5), world axes, are J v."""
    q, _ = states(system, q, many=True)
    row, at = _point(system, link, point)
    jacobian = ready(k.jacobian)

    def ask(q):
        pose, J = _poses(system, q), np.empty((6, system.nv))
        x, y, z = (pose[row, 9:] + pose[row, :9].reshape(3, 3) @ at).tolist()
        jacobian(system.model, pose.ravel(), row, x, y, z, J)
        return sound(J)

    return each_state(ask, q)


def kinetic_energy(system: Chain, q: ArrayLike, v: ArrayLike) -> float | np.ndarray:
    """J"""
    return _number(_totals(system, q, v)[..., k.KINETIC])


def potential_energy(system: Chain, q: ArrayLike) -> float | np.ndarray:
    """J, of weight (zero at the world origin), of bending, and of the springs and limits of the joints."""
    return _number(_totals(system, q)[..., [k.GRAVITATIONAL, k.SPRINGS, k.STRAIN]].sum(axis=-1))


def energies(system, q, v):
    """(kinetic, potential) energies, J, of many states, one a row."""
    n, total, kinetic, potential = len(system.model.row), np.empty(k.TOTALS), np.empty(len(q)), np.empty(len(q))
    pose, twist, totals = np.empty(12*n), np.empty(6*n), ready(k.totals)
    for i in range(len(q)):
        totals(system.model, q[i], v[i], pose, twist, total)
        kinetic[i], potential[i] = total[k.KINETIC], total[k.GRAVITATIONAL] + total[k.SPRINGS] + total[k.STRAIN]
    return kinetic, potential


def momentum(system: Chain, q: ArrayLike, v: ArrayLike) -> tuple[np.ndarray, np.ndarray]:
    """(linear momentum, angular momentum about the world origin), world axes, kg m/s and kg m^2/s."""
    total = _totals(system, q, v)
    return total[..., k.LINEAR:k.LINEAR + 3].copy(), total[..., k.ANGULAR:k.ANGULAR + 3].copy()


def mass_center(system: Chain, q: ArrayLike) -> np.ndarray:
    """World position (3,) of the mass centre of the whole chain."""
    total = _totals(system, q)
    mass = total[..., k.TOTAL_MASS:k.TOTAL_MASS + 1]
    if not mass.all():
        raise ModelError("no link of the chain weighs anything, so there is no mass centre; give a link mass or body")
    return total[..., k.CENTER:k.CENTER + 3]/mass


def _totals(system, q, *v):
    q, v = states(system, q, *v, many=True)
    v = np.zeros((*q.shape[:-1], system.nv)) if v is None else v
    pose, twist, totals = _poses(system), np.empty(6*len(system.model.row)), ready(k.totals)

    def ask(q, v):
        total = np.empty(k.TOTALS)
        totals(system.model, q, v, pose.ravel(), twist, total)
        return sound(total)

    return each_state(ask, q, v)


def _number(x):
    """A plain float, unless it is many."""
    return x if np.ndim(x) else float(x)


def _poses(system, q=None):
    """(rows, 12) at q: turn of every row frame to the world, origin there; to be written where there is no q."""
    pose = np.empty((len(system.model.row), 12))
    if q is not None:
        ready(k.poses)(system.model, q, pose.ravel())
    return pose


def _pose(system, row, q):
    """(turn of the row frame to the world, origin) at q"""
    pose = _poses(system, q)[row]
    return pose[:9].reshape(3, 3), pose[9:]


def _point(system, link, point):
    """(row that carries a point of a link, the point in its frame); the tip of a beam is the origin of its row."""
    i = system.index(link)
    if isinstance(point, str):
        known = system.links[i].named_points
        if point not in known:
            said = ", ".join(f'"{name}"' for name in known)
            raise ModelError(f'link "{link}": there is no point "{point}"; it has {said}')
        point = known[point]
    point, row = numbers(point, (3,), "point"), system.body_rows[i]
    if system.tip_rows[i] != row and np.array_equal(point, system.links[i].tip):
        return system.tip_rows[i], np.zeros(3)
    return row, point @ system.model.frame[row].reshape(3, 3)
