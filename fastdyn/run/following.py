"""Inverse kinematics of any loops along a path of a link: states that close them, velocities, accelerations."""

import numpy as np
from numpy.typing import ArrayLike

from ..describe.chain import Chain
from ..describe.check import NOTHING, shown
from ..formulations.loops import gap_seconds, gap_values
from ..layout import ACROSS, GAP_KIND, GAP_STIFFNESS, SEPARATION
from ..status import ModelError
from .asking import numbers, rows_of, states
from .assembly import NEAR, right_way_round
from .driving import PLACE_ROWS, TURN_ROWS
from .loops import gap_jacobian, gap_list, moved, name_of, shortest
from .places import ORIGIN, acceleration, jacobian, orientation, position
from .scales import FAR, scales
from .upright import rotation_vector, upside_down
from .wrenches import OFF_PLANE

REACHED = 1e-12             # of a scale
ROUNDS = 40
CUT = 1e-11                 # of the largest singular value


def follow(system: Chain, link: str, places: ArrayLike, *, angles: ArrayLike | None = None,
           attitudes: ArrayLike | None = None, velocities: ArrayLike | None = None,
           accelerations: ArrayLike | None = None, point: ArrayLike | str = ORIGIN, q: ArrayLike | None = None):
    """States that close the loops and take a point of a link along places, each near the one before.

    Parameters
    ----------
    places : (places, 3) of the point, world axes, m.
    angles : in the plane, of the link about z against the world, rad, one a place; None leaves it free.
    attitudes : in space, (places, 4) unit quaternions (w, x, y, z) that turn components along the link's axes to world
        components; None leaves them free.
    velocities, accelerations : of the point, (places, 3), m/s and m/s^2; with angles or attitudes (places, 6), those of
        the angle behind them, rad/s and rad/s^2, world axes, as `velocity` and `acceleration` give them.
    point : of the link, or the name of one of its points.
    q : where to begin, the chain's start if not given; the working mode is that of this guess.

    Loops held by springs are closed too, as if they were held exactly; of them only distances stay what they are,
    springs between two points.

    Returns
    -------
    q, (places, nq); (q, v) with velocities; (q, v, acc) with accelerations too, as `drive_torques` takes them. For
    these the path has to leave the chain no freedom.

    Examples
    --------
    >>> import numpy as np
    >>> import fastdyn as fd
    >>> robot = fd.catalog.rrr_rose()
    >>> still, away = np.zeros((1, 6)), [[1.0, 0.0, 0.0, 0.0, 0.0, 0.0]]           # 1 m/s^2 along x, from rest
    >>> q, v, acc = fd.follow(robot, "platform", [[0.02, 0.01, 0.0]], angles=[0.1], velocities=still,
    ...                       accelerations=away)
    >>> torques = fd.drive_torques(robot, q, v, acc, ["I1", "II1", "III1"])        # on top of the robot's own drives
    >>> torques.shape, bool(np.allclose(acc[0, 6:], [1.0, 0.0, 0.0]))
    ((1, 9), True)
    """
    q, _ = states(system, system.start_state()[0] if q is None else q)
    n = (*rows_of(places), 1)[0]
    if n == 0:
        raise ModelError("places has no rows; give one place or more")
    places = numbers(places, (n, 3), "places")
    turns = _turns(system, angles, attitudes, n)
    rates = [None if given is None else numbers(given, (n, 3 if turns is None else 6), what)
             for given, what in ((velocities, "velocities"), (accelerations, "accelerations"))]
    if rates[0] is None and rates[1] is not None:
        raise ModelError("accelerations are given without velocities; give both")
    for given, what in zip((places, *rates), ("places", "velocities", "accelerations")):
        if system.planar and given is not None:
            _check_plane(given, what)
    found = []
    for i, place in enumerate(places):
        q = _reached(system, q, link, point, place, None if turns is None else turns[i], i)
        given = [x[i] for x in rates if x is not None]
        found.append((q, *_moving(system, q, link, point, _sizes(system, place, turns is not None), given, i)))
    answers = tuple(map(np.array, zip(*found)))
    return answers if len(answers) > 1 else answers[0]


def _check_plane(given, what):
    """Refuse what no link of a planar chain does; rounding may be left out."""
    off = np.abs(given[:, [at for at in OFF_PLANE if at < given.shape[1]]]).max(axis=1)
    leaves = off > NOTHING*np.abs(given).max(axis=1)
    if leaves.any():
        i = int(np.argmax(leaves))
        raise ModelError(f"{what}[{i}] {shown(tuple(given[i].tolist()))} leaves the plane z = 0, in which this chain "
                         'is computed; give z, and rates about x and y, as 0, or take Chain(..., space="space")')


def _turns(system, angles, attitudes, n):
    """(places, 3, 3): attitudes as matrices, or None."""
    if angles is not None and not system.planar:
        raise ModelError("angles are given, but the chain is in space; give attitudes, unit quaternions (w, x, y, z)")
    if attitudes is not None and system.planar:
        raise ModelError("attitudes are given, but the chain is in the plane; give angles, rad")
    if angles is not None:
        half = 0.5*numbers(angles, (n,), "angles")
        return _matrices(np.column_stack([np.cos(half), 0*half, 0*half, np.sin(half)]))
    if attitudes is None:
        return None
    attitudes = numbers(attitudes, (n, 4), "attitudes")
    length = np.linalg.norm(attitudes, axis=1)
    if not np.all(np.abs(length - 1.0) < 1e-6):
        i = int(np.abs(length - 1.0).argmax())
        raise ModelError(f"attitudes[{i}] has length {length[i]:.6g}, not 1; give unit quaternions (w, x, y, z)")
    return _matrices(attitudes/length[:, None])


def _matrices(p):
    w, x, y, z = p.T
    return np.array([[1 - 2*(y*y + z*z), 2*(x*y - w*z), 2*(x*z + w*y)],
                     [2*(x*y + w*z), 1 - 2*(x*x + z*z), 2*(y*z - w*x)],
                     [2*(x*z - w*y), 2*(y*z + w*x), 1 - 2*(x*x + y*y)]]).transpose(2, 0, 1)


def _looped(system):
    """Numbers of the gaps that make loops: all but those of distances with springs."""
    closure = system.model.closure
    return np.flatnonzero(np.isinf(closure[:, GAP_STIFFNESS]) | (closure[:, GAP_KIND] != SEPARATION))


def _asked(system, q, link, point, turned):
    """(rates of gaps and of what is prescribed of the link per velocity, numbers of the latter among six)"""
    rows = PLACE_ROWS[system.planar] + (TURN_ROWS[system.planar] if turned else [])
    return np.vstack([gap_jacobian(system, q)[_looped(system)], jacobian(system, q, link, point)[rows]]), rows


def _sizes(system, place, turned):
    """Scales of what is asked: of gaps, of the place, of turns."""
    of, looped = scales(system), _looped(system)
    wide = [max(of.length, FAR*np.abs(place).max())]*len(PLACE_ROWS[system.planar])
    return np.concatenate([of.closing[looped], wide, [1.0]*(len(TURN_ROWS[system.planar]) if turned else 0)])


def _reached(system, q, link, point, place, turn, number):
    """Newton on gaps, place and attitude at once."""
    looped, wide, speeds = _looped(system), PLACE_ROWS[system.planar], scales(system).speeds
    size = _sizes(system, place, turn is not None)
    for _ in range(ROUNDS):
        off = [gap_list(system, gap_values, q)[looped], (position(system, q, link, point) - place)[wide]]
        if turn is not None:
            off.append(rotation_vector(orientation(system, q, link) @ turn.T)[-len(TURN_ROWS[system.planar]):])
        off = np.concatenate(off)/size
        if np.abs(off).max() <= REACHED:
            which = upside_down(system, right_way_round(system, q), springs=True)
            if which is None:
                return q
            raise ModelError(f"{name_of(system, which)} is closed the wrong way round at places[{number}], b turned "
                             "against closure.turn; begin with a q nearer to the turn that is meant")
        A, _ = _asked(system, q, link, point, turn is not None)
        q = moved(system, q, -speeds*shortest(A*speeds/size[:, None], off))
    raise ModelError(f'places[{number}] {shown(tuple(place.tolist()))} m is out of reach of link "{link}" from the '
                     "state before it; give places closer together, or others")


def _moving(system, q, link, point, size, rates, number):
    """(v, acc), as far as rates of them are given."""
    if not rates:
        return ()
    looped, speeds, zero, found = _looped(system), scales(system).speeds, np.zeros(system.nv), []
    A, rows = _asked(system, q, link, point, len(size) > len(looped) + len(PLACE_ROWS[system.planar]))
    A = A*speeds/size[:, None]
    for rate, what, unit in zip(rates, ("velocities", "accelerations"), ("/s", "/s^2")):
        wanted = np.concatenate([np.zeros(len(looped)), rate[rows]])
        if found:
            kept = np.concatenate(acceleration(system, q, found[0], None, link, point))
            wanted -= np.concatenate([gap_list(system, gap_seconds, q, found[0], zero)[looped], kept[rows]])
        wanted /= size
        x, _, rank, _ = np.linalg.lstsq(A, wanted, rcond=CUT)
        if rank < system.nv:
            raise ModelError(f'places[{number}]: the path of link "{link}" leaves {system.nv - rank} freedoms of the '
                             f"chain open, so that no {what} follow; prescribe more of it, or leave this pose if it is "
                             "singular")
        left = np.abs(A @ x - wanted)
        at = int(left.argmax())
        if left[at] > NEAR*max(1.0, np.abs(wanted).max()):
            turns = [*(system.model.closure[looped, GAP_KIND] == ACROSS), *(row in TURN_ROWS[False] for row in rows)]
            raise ModelError(f"{what}[{number}] cannot be: loops and joints leave {left[at]*size[at]:.6g} "
                             f"{'rad' if turns[at] else 'm'}{unit} of it; give those of a path that the link can take")
        found.append(speeds*x)
    return found
