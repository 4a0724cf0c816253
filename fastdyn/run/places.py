"""Where things are, how fast, how much: points, Jacobians, energies, momenta of a chain at a state."""

import numpy as np
from numpy.typing import ArrayLike

from .._jit import ready
from ..describe.chain import Chain
from ..formulations import kinematics as k
from ..status import ModelError
from .asking import numbers, sound, states

ORIGIN = (0.0, 0.0, 0.0)


def position(system: Chain, q: ArrayLike, link: str, point: ArrayLike | str = ORIGIN) -> np.ndarray:
    """World position (3,) of a point of a link, given in the link frame, or the name of one of the link's points.

    The tip of an elastic link is where it has bent to.
    """
    _, R, origin, r = _place(system, q, link, point)
    return sound(origin + R @ r)


def orientation(system: Chain, q: ArrayLike, link: str) -> np.ndarray:
    """Rotation matrix (3, 3): components along the link's axes to world components."""
    row, R, _, _ = _place(system, q, link, ORIGIN)
    return R @ system.model.frame[row].reshape(3, 3).T


def velocity(system: Chain, q: ArrayLike, v: ArrayLike, link: str,
             point: ArrayLike | str = ORIGIN) -> tuple[np.ndarray, np.ndarray]:
    """(velocity of a point of a link, angular velocity of the link there), world axes."""
    q, v = states(system, q, v)
    row, R, _, r = _place(system, q, link, point)
    twist = np.empty(6*len(system.model.row))
    ready(k.twists)(system.model, q, v, twist)
    w, u = twist.reshape(-1, 6)[row].reshape(2, 3)
    return sound(R @ (u + np.cross(w, r)), R @ w)


def jacobian(system: Chain, q: ArrayLike, link: str, point: ArrayLike | str = ORIGIN) -> np.ndarray:
    """J (6, nv): velocity of the point (rows 0..2) and angular velocity of its link (3..5), world axes, are J v."""
    q, _ = states(system, q)
    row, R, origin, r = _place(system, q, link, point)
    x, y, z = origin + R @ r
    J = np.empty((6, system.nv))
    ready(k.jacobian)(system.model, _poses(system, q), row, float(x), float(y), float(z), J)
    return sound(J)


def kinetic_energy(system: Chain, q: ArrayLike, v: ArrayLike) -> float:
    """J"""
    return float(_totals(system, q, v)[k.KINETIC])


def potential_energy(system: Chain, q: ArrayLike) -> float:
    """J, of weight (zero at the world origin), of bending, and of the springs and limits of the joints."""
    total = _totals(system, q)
    return float(total[k.GRAVITATIONAL] + total[k.SPRINGS] + total[k.STRAIN])


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
    return total[k.LINEAR:k.LINEAR + 3].copy(), total[k.ANGULAR:k.ANGULAR + 3].copy()


def mass_center(system: Chain, q: ArrayLike) -> np.ndarray:
    """World position (3,) of the mass centre of the whole chain."""
    total = _totals(system, q)
    if total[k.TOTAL_MASS] == 0.0:
        raise ModelError("no link of the chain weighs anything, so there is no mass centre; give a link mass or body")
    return total[k.CENTER:k.CENTER + 3]/total[k.TOTAL_MASS]


def _totals(system, q, *v):
    q, v = states(system, q, *v)
    v = np.zeros(system.nv) if v is None else v
    n, total = len(system.model.row), np.empty(k.TOTALS)
    ready(k.totals)(system.model, q, v, np.empty(12*n), np.empty(6*n), total)
    return sound(total)


def _poses(system, q):
    pose = np.empty(12*len(system.model.row))
    ready(k.poses)(system.model, q, pose)
    return pose


def _place(system, q, link, point):
    """(row that carries a point of a link, turn of its row frame to the world, its origin, the point in that frame)"""
    q, _ = states(system, q)
    row, r = _seat(system, link, point)
    pose = _poses(system, q).reshape(-1, 12)[row]
    return row, pose[:9].reshape(3, 3), pose[9:], r


def _seat(system, link, point):
    """(row, point in its row frame); a point at the tip of a beam is the origin of the beam's row."""
    i = system.index(link)
    points = system.links[i].points
    if isinstance(point, str):
        if point not in points:
            known = ", ".join(f'"{name}"' for name in points) or "none"
            raise ModelError(f'link "{link}": there is no point "{point}"; it has {known}')
        point = points[point]
    point, row = numbers(point, (3,), "point"), system.body_rows[i]
    if system.tip_rows[i] != row and np.array_equal(point, system.links[i].tip):
        return system.tip_rows[i], np.zeros(3)
    return row, point @ system.model.frame[row].reshape(3, 3)
