"""Questions about closed loops: gaps, their Jacobian, the forces of closures."""

import numpy as np
from numpy.typing import ArrayLike

from .._jit import ready
from ..describe.chain import Chain
from ..formulations import loops as k
from ..formulations import recursive
from ..layout import (
    ACTING, GAP_DAMPING, GAP_KIND, GAP_LENGTH, GAP_OF, GAP_STIFFNESS, SEPARATION, held_exactly)
from ..status import ModelError
from .asking import each_state, numbers, scratch, sound, states
from .scales import scales
from .wrenches import wrenches


def gaps(system: Chain, q: ArrayLike) -> np.ndarray:
    """Gaps (gaps,) of all closures, m, of attitudes the sine of the angle; those held exactly come first.

    A pin has two in the plane and five in space, a ball three, a slot one and two, a slider two and five, a weld three
    and six, a distance one. Their order is that of `system.model.closure`. Of many states a row each.
    """
    q, _ = states(system, q, many=True)
    return each_state(lambda q: sound(gap_list(system, k.gap_values, q)), q)


def gap_rates(system: Chain, q: ArrayLike, v: ArrayLike) -> np.ndarray:
    """Rates of the gaps, m/s or rad/s."""
    return each_state(lambda q, v: _directed(system, q, gap_list(system, k.gap_rates, q, v)),
                      *states(system, q, v, many=True))


def gap_jacobian(system: Chain, q: ArrayLike) -> np.ndarray:
    """J (gaps, nv): rates of the gaps are J v."""
    q, _ = states(system, q, many=True)
    return each_state(lambda q: _directed(system, q, jacobian_of(system, q)), q)


def closure_forces(system: Chain, q: ArrayLike, v: ArrayLike, torque: ArrayLike | None = None, *, t: float = 0.0,
                   wrench: ArrayLike | None = None, formulation: str = "recursive",
                   closures: str = "multipliers") -> np.ndarray:
    """What each closure gives place b: (closures, 6), force and moment about b, world axes; a gets the opposite there.

    Of closures held exactly the force that keeps them closed, of redundant ones the smallest such forces, gaps of a
    closure measured alike; of the others what their springs and dampers give. Arguments as in `forward_dynamics`; for
    many states (batch, closures, 6).
    Nothing here closes loops: in a state that is open these are the forces that keep its gaps from changing faster.
    `gaps` and `gap_rates` tell whether it is, `assemble` closes it.
    """
    from .dynamics import motion_and_forces

    def of_one(q, v, torque, wrench):
        return on_ends(system, q, motion_and_forces(system, t, q, v, torque, wrench, formulation, closures)[1])[:, 1]

    t = float(numbers(t, (), "t"))
    q, v = states(system, q, v, many=True)
    given = np.zeros_like(v) if torque is None else numbers(torque, v.shape, "torque", system.velocity_names)
    return each_state(of_one, q, v, given, wrenches(system, wrench, q))


def shortest(A, b):
    """The shortest x that comes closest to A x = b."""
    return np.linalg.lstsq(A, b, rcond=1e-11)[0] if A.size else np.zeros(A.shape[1])


def moved(system, q, step):
    """q after a small change `step` of the velocities' kind; quaternions of length one."""
    q = q.copy()
    for link in system.links:
        a, j = system.q_slice(link.name).start, system.v_slice(link.name).start
        if "qw" not in link.joint.q_names:
            q[a:a + link.nq] += step[j:j + link.nv]
            continue
        at = a + link.joint.q_names.index("qw")
        if at > a:
            q[a:a + 3] += _matrix(q[at:at + 4]) @ step[j:j + 3]
            j += 3
        q[at:at + 4] = _times(q[at:at + 4], np.array([1.0, *0.5*step[j:j + 3]]))
    return unit_quaternions(system, q)


def difference(system, q, other):
    """How far two states are apart, coordinate by coordinate: in rad, lengths of the chain, parts of quaternions."""
    of, unit = scales(system), np.ones(system.nq)
    for link in system.links:
        if "qw" not in link.joint.q_names:
            unit[system.q_slice(link.name)] = of.speeds[system.v_slice(link.name)]
        else:
            unit[system.q_slice(link.name)][:link.joint.q_names.index("qw")] = of.length
    return (other - q)/unit


def unit_quaternions(system, q):
    """q, its quaternions made of length one in place."""
    for _, part in system.quaternions:
        q[part] /= np.linalg.norm(q[part])
    return q


def _times(p, r):
    (a, u), (b, w) = (p[0], p[1:]), (r[0], r[1:])
    return np.array([a*b - u @ w, *(a*w + b*u + np.cross(u, w))])


def _matrix(p):
    w, x, y, z = p/np.linalg.norm(p)
    return np.array([[1 - 2*(y*y + z*z), 2*(x*y - w*z), 2*(x*z + w*y)],
                     [2*(x*y + w*z), 1 - 2*(x*x + z*z), 2*(y*z - w*x)],
                     [2*(x*z - w*y), 2*(y*z + w*x), 1 - 2*(x*x + y*y)]])


def _directed(system, q, rows):
    """What has a row a gap, unless the ends of a distance meet."""
    check_apart(system, q, rows)
    return sound(rows)


def check_apart(system, q, found):
    """Where what was found is not finite, say which distance it is whose ends meet, if it is one."""
    if not np.isfinite(found).all() and (which := meeting(system, q)):
        raise ModelError(f"{which}; take a q in which they are apart")


def meeting(system, q):
    """In words, a distance whose ends meet, or ""."""
    gone = np.flatnonzero(gap_list(system, k.gap_values, q) == -system.model.closure[:, GAP_LENGTH])
    for gap in gone[system.model.closure[gone, GAP_KIND] == SEPARATION]:
        return (f"{named_by(system, gap)}: the ends of this distance meet here, so that no direction leads from one to "
                "the other")
    return ""


def named_by(system, gap):
    """A closure, by the number of one of its gaps."""
    return name_of(system, int(system.model.closure[gap, GAP_OF]))


def name_of(system, which):
    """A closure, by its number and its name."""
    name = system.closures[which].name
    return f"closure[{which}]" + (f' "{name}"' if name else "")


def gap_list(system, question, q, v=None, acc=None):
    out, still = np.empty(len(system.model.closure)), np.zeros(system.nv)
    if len(out):
        given = (still if x is None else x for x in (v, acc))
        ready(question(system.model))(system.model, work_of_loops(system), q, *given, out)
    return out


def jacobian_of(system, q):
    """J (gaps, nv) at a state that is checked."""
    J = np.empty((len(system.model.closure), system.nv))
    if len(J):
        ready(k.gap_jacobian(system.model))(system.model, work_of_loops(system), q, J)
    return J


def levers_of(system, q):
    """Of each gap the largest share of its longest lever that a velocity has on it here."""
    shares = np.empty(len(system.model.closure))
    if len(shares):
        longest = np.zeros(system.nv)
        ready(k.gap_levers(system.model))(system.model, work_of_loops(system), q, longest, shares)
    return shares


def work_of_loops(system):
    """The scratch that questions about gaps are asked with."""
    return scratch(system, dense=recursive.dense_size(system.model))


def spring_forces(system, q, v):
    """Forces of all gaps by their springs and dampers, 0 of those held."""
    held, force = held_exactly(system.model), np.zeros(len(system.model.closure))
    if held < len(force):
        stretch, rate = (gap_list(system, of, q, v)[held:] for of in (k.gap_values, k.gap_rates))
        stiffness, damping = system.model.closure[held:, [GAP_STIFFNESS, GAP_DAMPING]].T
        force[held:] = -(stiffness*stretch + damping*rate)
        check_apart(system, q, force)
    return force


def add_wrenches(system, work, q, force):
    """Wrenches of forces in the gaps on top of those in `work`."""
    if force.any():
        ready(k.gap_wrenches(system.model))(system.model, work, q, force)
        work.note[ACTING] = 1


def on_ends(system, q, force):
    """What forces in the gaps give places a and b of each closure: (closures, 2, 6), force and moment about it."""
    pairs = np.empty((len(force), 9))
    ready(k.gap_pairs(system.model))(system.model, work_of_loops(system), q, pairs)
    total = np.zeros((len(system.closures), 2, 6))
    for gap, f, pair in zip(system.model.closure, force, pairs):
        total[int(gap[GAP_OF])] += f*np.array([[*-pair[:3], *pair[3:6]], [*pair[:3], *pair[6:]]])
    return total
