"""Closed loops that are driven: torques of the drives, how close a pose is to a singular one."""

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from ..describe.chain import Chain
from ..describe.check import shown
from ..status import ModelError
from .asking import each_state, numbers, states
from .assembly import check_closed, link_names
from .dynamics import inverse_dynamics
from .loops import shortest
from .mobility import free_directions, measured_gaps, neighbour
from .places import ORIGIN, jacobian
from .scales import scales
from .wishes import word_of
from .wrenches import wrenches

PLACE_ROWS = {True: [0, 1], False: [0, 1, 2]}           # of `jacobian`, in the plane and in space
TURN_ROWS = {True: [5], False: [3, 4, 5]}
OUTPUTS = ("twist", "velocity", "turning")
NOWHERE = 1e-9              # of the fastest of all: what moves less, here and beside, loops or the base hold still
LOCKED = 1e-9               # of all joints, speeds over their scales: motions of which drives have less are not theirs


class Singularity(NamedTuple):
    """How well a pose is driven and moves, of many states arrays: 0 where it is singular, about 1 far from that.

    freedoms : of the closed chain. drives : the least rate of the drives over all motions of one kinetic energy that
    loops allow; 0 in a pose of type 2, where the chain moves though its drives are locked, as with fewer drives than
    freedoms. output : the same for the motion of a link, 0 in a pose of type 1, where it cannot move every way; nan if
    nobody asks, or if the point never moves, as the foot of a rocker on the base. Both are nan where nothing can move.
    Turning is measured by the fastest that these motions turn any link, sliding and velocities by the fastest that they
    move the origin or the tip of any.
    """

    freedoms: int
    drives: float
    output: float


def drive_torques(system: Chain, q: ArrayLike, v: ArrayLike, acc: ArrayLike | None, drives, *,
                  weights: ArrayLike | None = None, t: float = 0.0, wrench: ArrayLike | None = None) -> np.ndarray:
    """Torques (nv,) of the driven joints that give a closed chain the accelerations acc; zero at all other joints.

    Parameters
    ----------
    drives : names of the links whose joints are driven. With more drives than freedoms the smallest torques are given:
    weights : one positive number a drive coordinate; the sum of weights*torque^2 is least. All alike if not given.

    The state has to be closed and to have a freedom, and acc to be an acceleration that loops allow, as `follow` gives
    them for a path; None is zero. The other arguments are those of `inverse_dynamics`; many states, one a row, are
    answered a row each.
    """
    q, v = states(system, q, v, many=True)
    acc = np.zeros_like(v) if acc is None else numbers(acc, v.shape, "acc", system.velocity_names)
    at = driven(system, drives)
    size = np.ones(len(at)) if weights is None else numbers(weights, (len(at),), "weights")
    if not np.all(size > 0.0):
        raise ModelError("weights has a number that is not positive; give one weight > 0 for every drive coordinate")
    share = 1.0/np.sqrt(size)

    def one(q, v, acc, wrench):
        check_closed(system, q, v, acc)
        N = motions(system, q)
        if not N.shape[1]:
            raise ModelError("closures leave the chain no freedom here: nothing moves, whatever torques drives give; "
                             "leave a closure out, or give it stiffness")
        moved, need = _moved_by(system, N, at), N.T @ inverse_dynamics(system, q, v, acc, t=t, wrench=wrench)
        torque = np.zeros(system.nv)
        torque[at] = share*shortest((N[at] @ moved).T*share, moved.T @ need)
        left = np.abs(need - N.T @ torque).max(initial=0.0)
        one = 1.0/np.abs(N/scales(system).speeds[:, None]).max(initial=1e-300)      # what 1 rad/s^2 needs, or less
        if left > 1e-8*max(one, np.abs(need).max(initial=0.0)):
            raise ModelError(f"drives {shown(tuple(drives))} cannot give acc: {left:.6g} is left that no drive moves; "
                             "name more of them, or leave this pose, which is singular")
        return torque

    return each_state(one, q, v, acc, wrenches(system, wrench, q))


def singularity(system: Chain, q: ArrayLike, drives, link: str | None = None, point: ArrayLike | str = ORIGIN, *,
                output: str | None = None) -> Singularity:
    """How close a pose is to a singular one, for the given driven joints and the motion of a link.

    Parameters
    ----------
    q : one state, or many, one a row.
    drives : names of the links whose joints are driven.
    link, point : whose motion counts, or None.
    output : what of it: "twist", the velocity of the point and the turning of the link; "velocity" of the point alone;
        or "turning". Not given, the twist where the chain has freedoms for all of it (3 in the plane, 6 in space), else
        the velocity. The length by which turning becomes a velocity is the ratio of the two measures of `Singularity`.
    """
    q, _ = states(system, q, many=True)
    at = driven(system, drives)
    if output is not None:
        word_of(output, OUTPUTS, "output")

    turning = scales(system).turns[at]

    def one(q):
        N = motions(system, q)
        speed, turn = _fastest(system, q, N)
        found = np.nan if link is None else _output(system, q, link, point, output, N, speed, turn)
        return N.shape[1], _least(N[at]/np.where(turning, turn, speed)[:, None], N.shape[1]), found

    return Singularity(*each_state(one, q))


def _fastest(system, q, N):
    """(m/s, rad/s): the most that a motion of N moves the origin or the tip of any link, and turns any."""
    J = np.array([jacobian(system, q, link.name, at) @ N for link in system.links for at in (ORIGIN, link.tip)])
    if not N.shape[1]:
        return 1.0, 1.0
    found = (float(np.linalg.norm(part, 2, axis=(1, 2)).max()) for part in (J[:, :3], J[:, 3:]))
    return tuple(most if most > 0.0 else 1.0 for most in found)


def _output(system, q, link, point, output, N, speed, turn):
    """The measure of a link's motion."""
    places, turns = PLACE_ROWS[system.planar], TURN_ROWS[system.planar]
    if output is None:
        output = "twist" if N.shape[1] >= len(places) + len(turns) else "velocity"
    rows, unit = {"twist": places + turns, "velocity": places, "turning": turns}[output], np.repeat([speed, turn], 3)

    def moving(q, N):
        return (jacobian(system, q, link, point) @ N/unit[:, None])[rows]

    A = moving(q, N)
    if not A.size or np.abs(A).max() > NOWHERE:
        return _least(A, min(A.shape))
    near = neighbour(system, q, N)
    never = near is not None and np.abs(moving(near, motions(system, near))).max(initial=0.0) < NOWHERE
    return np.nan if never else _least(A, min(A.shape))


def motions(system, q):
    """(nv, freedoms): velocities the loops allow, a basis that is orthonormal where the mass matrix measures."""
    J, L = measured_gaps(system, q)
    return np.linalg.solve(L.T, free_directions(J).T)


def driven(system, drives):
    """Numbers in v of the joints of the named links."""
    if isinstance(drives, str) or drives is None or not np.size(drives):
        raise ModelError(f"drives is {shown(drives)}; give the names of the links whose joints are driven")
    names, at = link_names(system, drives, "drives"), []
    for name in names:
        if names.count(name) > 1:
            raise ModelError(f'drives names "{name}" twice; name every driven link once')
        joint, first = system.links[system.index(name)].joint, system.v_slice(name).start
        if joint.nv == 0:
            raise ModelError(f'drives names "{name}", whose joint does not move; leave it out, or name others')
        at += range(first, first + joint.nv)
    return at


def _moved_by(system, N, at):
    """(freedoms, some): the motions N a in which the driven joints have a part, columns a."""
    rows, R = np.linalg.qr(N/scales(system).speeds[:, None])
    _, size, ways = np.linalg.svd(rows[at], full_matrices=False)
    return np.linalg.solve(R, ways[size > LOCKED].T)


def _least(A, needed):
    """The singular value of that number, 0 where there are too few, nan of nothing."""
    size = np.linalg.svd(A, compute_uv=False)
    return np.nan if needed == 0 else float(size[needed - 1]) if len(size) >= needed else 0.0
