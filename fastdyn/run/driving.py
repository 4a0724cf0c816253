"""Closed loops that are driven: torques of the drives, states along a path, how close a pose is to a singular one."""

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from ..describe.chain import Chain
from ..describe.check import shown
from ..formulations.loops import gap_values
from ..layout import held_exactly
from ..status import ModelError
from .asking import numbers, states
from .dynamics import inverse_dynamics, mass_matrix
from .loops import gap_jacobian, gap_list, moved, shortest
from .places import jacobian, orientation, position

RANK = 1e-9                 # of the largest singular value: below it counts as none
REACHED = 1e-12             # m, times the largest number of a place
ROUNDS = 40


class Singularity(NamedTuple):
    """How well a pose is driven and moves: 0 where it is singular, 1 where all directions are alike.

    freedoms : of the closed chain. drives : smallest over largest rate of the drives for motions of one kinetic energy,
    0 in a pose of type 2, where the chain moves though its drives are locked, as with fewer drives than freedoms.
    output : the same for the velocity of a place, 0 in a pose of type 1, where it cannot move every way; nan if nobody
    asks.
    """

    freedoms: int
    drives: float
    output: float


def drive_torques(system: Chain, q: ArrayLike, v: ArrayLike, acc: ArrayLike, drives, *,
                  weights: ArrayLike | None = None, t: float = 0.0, wrench: ArrayLike | None = None) -> np.ndarray:
    """Torques (nv,) of the driven joints that give a closed chain the accelerations acc; zero at all other joints.

    Parameters
    ----------
    drives : names of the links whose joints are driven. With more drives than freedoms the smallest torques are given:
    weights : one positive number a drive coordinate; the sum of weights*torque^2 is least. All alike if not given.

    acc has to be an acceleration the loops allow; the other arguments are those of `inverse_dynamics`.
    """
    q, v = states(system, q, v)
    need = inverse_dynamics(system, q, v, acc, t=t, wrench=wrench)
    N, at = motions(system, q), driven(system, drives)
    size = np.ones(len(at)) if weights is None else numbers(weights, (len(at),), "weights")
    if not np.all(size > 0.0):
        raise ModelError("weights has a number that is not positive; give one weight > 0 for every drive coordinate")
    share = 1.0/np.sqrt(size)
    found = share*shortest(N[at].T*share, N.T @ need)
    left = np.abs(N.T @ need - N[at].T @ found).max(initial=0.0)
    if left > 1e-8*max(1.0, np.abs(N.T @ need).max(initial=0.0)):
        raise ModelError(f"drives {shown(tuple(drives))} cannot give acc: {left:.6g} is left that no drive moves; name "
                         "more of them, or leave this pose, which is singular")
    torque = np.zeros(system.nv)
    torque[at] = found
    return torque


def follow(system: Chain, link: str, places: ArrayLike, *, angles: ArrayLike | None = None, point=(0.0, 0.0, 0.0),
           q: ArrayLike | None = None) -> np.ndarray:
    """States (places, nq) that close the loops and take a point of a link along places, each near the one before.

    Parameters
    ----------
    places : (places, 3) of the point, world axes, m.
    angles : of the link about z against the world, rad, one a place; None leaves it free. In the plane.
    point : of the link, or the name of one of its points.
    q : where to begin; the working mode is that of this guess.
    """
    q, _ = states(system, system.start_state()[0] if q is None else q)
    places = numbers(places, (len(places), 3), "places")
    angles = None if angles is None else numbers(angles, (len(places),), "angles")
    if angles is not None and not system.planar:
        raise ModelError("angles are given, but the chain is in space; leave them out")
    found = []
    for i, place in enumerate(places):
        q = _reached(system, q, link, point, place, None if angles is None else angles[i], i)
        found.append(q)
    return np.array(found)


def singularity(system: Chain, q: ArrayLike, drives, link: str | None = None, point=(0.0, 0.0, 0.0)) -> Singularity:
    """How close a pose is to a singular one, for the given driven joints and the velocity of a point of a link."""
    q, _ = states(system, q)
    N, at = motions(system, q), driven(system, drives)
    freedoms, output = N.shape[1], np.nan
    if link is not None:
        speed = jacobian(system, q, link, point)[:2 if system.planar else 3] @ N
        output = _evenness(speed, min(speed.shape))
    return Singularity(freedoms, _evenness(N[at], freedoms), output)


def motions(system, q):
    """(nv, freedoms): velocities the loops allow, a basis that is orthonormal where the mass matrix measures."""
    held, L = held_exactly(system.model), np.linalg.cholesky(mass_matrix(system, q))
    if held == 0:
        return np.linalg.inv(L).T
    J = np.linalg.solve(L, gap_jacobian(system, q)[:held].T).T
    J /= np.maximum(np.linalg.norm(J, axis=1, keepdims=True), 1e-300)
    _, size, rows = np.linalg.svd(J)
    rank = int(np.count_nonzero(size > RANK*size[0]))
    return np.linalg.solve(L.T, rows[rank:].T)


def driven(system, drives):
    """Numbers in v of the joints of the named links."""
    if isinstance(drives, str) or not len(drives):
        raise ModelError(f"drives is {shown(drives)}; give the names of the links whose joints are driven")
    at = [j for name in drives for j in range(*system.v_slice(name).indices(system.nv))]
    if len(at) == 0:
        raise ModelError(f"drives {shown(tuple(drives))} have no joint that moves; name others")
    return at


def _evenness(A, needed):
    """Smallest over largest singular value, 0 where there are too few"""
    size = np.linalg.svd(A, compute_uv=False)
    return float(size[needed - 1]/size[0]) if len(size) >= needed > 0 and size[0] > 0.0 else 0.0


def _reached(system, q, link, point, place, angle, number):
    """Newton on gaps and place at once."""
    held, wide = held_exactly(system.model), 2 if system.planar else 3
    scale = max(1.0, np.abs(place).max())
    for _ in range(ROUNDS):
        J = jacobian(system, q, link, point)
        off = [gap_list(system, gap_values, q)[:held], (position(system, q, link, point) - place)[:wide]]
        rows = [gap_jacobian(system, q)[:held], J[:wide]]
        if angle is not None:
            off.append([_turned(system, q, link) - angle])
            off[-1][0] = np.arctan2(np.sin(off[-1][0]), np.cos(off[-1][0]))
            rows.append(J[5:])
        off = np.concatenate(off)
        if np.abs(off).max() <= REACHED*scale:
            return q
        q = moved(system, q, -shortest(np.vstack(rows), off))
    raise ModelError(f'places[{number}] {shown(tuple(place.tolist()))} m is out of reach of link "{link}" from the '
                     "state before it; give places closer together, or others")


def _turned(system, q, link):
    R = orientation(system, q, link)
    return np.arctan2(R[1, 0], R[0, 0])
