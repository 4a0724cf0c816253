"""Welds and sliders the right way round: after half a turn sines vanish too, rotation vectors do not."""

import numpy as np

from ..describe.compile import matrices
from ..formulations import loops as k
from ..layout import ACROSS, GAP_KIND, GAP_OF, held_exactly
from .loops import gap_list, jacobian_of, name_of
from .places import jacobian, orientation
from .scales import scales

STANDING = "slider", "weld"                             # closures that say how b stands; the axis of a pin has no sense
UPRIGHT = 2.0               # trace of a turn: 3 of none, -1 of half a one; 0 where axes have changed places
RIGHT_ANGLE = 1.0           # the same of 90 degrees, from which on springs draw b to half a turn


def upside_down(system, q, springs=False):
    """The number of the first of them, held exactly or by springs, that is nearer to another zero of its sines."""
    least = RIGHT_ANGLE if springs else UPRIGHT
    for which, held in enumerate(system.held):
        here = held.closure.kind in STANDING and held.closure.rigid is not springs
        if here and np.trace(_turn(system, q, held)[0]) < least:
            return which
    return None


def notes_on_turns(system, q):
    """A sentence for Run.notes on springs that draw b to half a turn, at the start or the end of q."""
    for when, row in (("start", 0), ("end", -1)):
        which = upside_down(system, q[row], springs=True) if len(q) else None
        if which is not None:
            return (f"{name_of(system, which)}: at the {when} b stands more than a right angle from closure.turn; its "
                    "springs pull by sines, which are zero at half a turn too, and hold b there as well: begin with a "
                    "q nearer to the turn that is meant",)
    return ()


def whole_turns(system, q):
    """Gaps held exactly over their scales, of these closures rotation vectors in place of sines."""
    of, count = scales(system), held_exactly(system.model)
    gap = gap_list(system, k.gap_values, q)[:count]/of.gaps[:count]
    for held, rows in _standing(system):
        gap[rows] = rotation_vector(_turn(system, q, held)[0])[-len(rows):]
    return gap


def turn_slopes(system, q):
    """Their rates per speed over its scale."""
    of, count = scales(system), held_exactly(system.model)
    J = jacobian_of(system, q)[:count]*of.speeds/of.gaps[:count, None]
    for held, rows in _standing(system):
        E, Ja, Jb = _turn(system, q, held)
        J[rows] = (_rate_of_vector(rotation_vector(E)) @ (Jb - E @ Ja)*of.speeds)[-len(rows):]
    return J


def rotation_vector(R):
    """Axis times angle of R."""
    axis = 0.5*np.array([R[2, 1] - R[1, 2], R[0, 2] - R[2, 0], R[1, 0] - R[0, 1]])
    sine, cosine = np.linalg.norm(axis), 0.5*(np.trace(R) - 1.0)
    if sine < 1e-9 and cosine < 0.0:                    # half a turn: either way
        both = 0.5*(R + np.eye(3))
        axis = both[:, int(np.diag(both).argmax())]
        return np.pi*axis/np.linalg.norm(axis)
    return axis*np.arctan2(sine, cosine)/sine if sine > 0.0 else axis


def _standing(system):
    """(closure with its ends, its gaps that are sines) of each that is held exactly."""
    closure = system.model.closure[:held_exactly(system.model)]
    for which, held in enumerate(system.held):
        if held.closure.rigid and held.closure.kind in STANDING:
            yield held, np.flatnonzero((closure[:, GAP_OF] == which) & (closure[:, GAP_KIND] == ACROSS))


def _turn(system, q, held):
    """(E that turns b from where it should stand to where it stands, turning of a, of b per velocity), world axes."""
    (A, Ja), (B, Jb) = (_standing_of(system, q, *end) for end in (held.a, held.b))
    return B @ (A @ matrices(np.array([held.closure.turn]))[0]).T, Ja, Jb


def _standing_of(system, q, link, at):
    if link < 0:
        return np.eye(3), np.zeros((3, system.nv))
    name = system.links[link].name
    return orientation(system, q, name, at), jacobian(system, q, name, at)[3:]


def _rate_of_vector(e):
    """e' = this times the angular velocity, world axes."""
    angle = np.linalg.norm(e)
    half = 0.5*angle
    share = 1/12 if angle < 1e-4 else (1.0 - half/np.tan(half))/(angle*angle)
    across = np.array([[0.0, -e[2], e[1]], [e[2], 0.0, -e[0]], [-e[1], e[0], 0.0]])
    return np.eye(3) - 0.5*across + share*across @ across
