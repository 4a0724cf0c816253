"""Questions about closed loops: gaps, their Jacobian, states that close, the forces of closures."""

from collections.abc import Iterable

import numpy as np
from numpy.typing import ArrayLike

from .._jit import ready
from ..describe.chain import Chain
from ..describe.check import shown
from ..formulations import loops as k
from ..formulations import projection, recursive
from ..layout import ACTING, GAP_DAMPING, GAP_OF, GAP_STIFFNESS, held_exactly
from ..status import ModelError
from .asking import each_state, numbers, rows_of, scratch, sound, states
from .wrenches import wrenches

CLOSED = 1e-12              # m, or of a cosine: what counts as closed, times the size of the chain
NEAR = 1e-6                 # what a start may be off, times that size: it is closed without a word
KEPT = 1e-9                 # what may be left of a gap when all are as closed as they can be, times that size
ROUNDS = 60
LEAST_STEP = 1e-4
KICKS = 0.0, 0.1, 0.3       # rad or m by which a guess is bent where loops do not close from it


def gaps(system: Chain, q: ArrayLike) -> np.ndarray:
    """Gaps (gaps,) of all closures, m, of attitudes the sine of the angle; those held exactly come first.

    A pin has two in the plane and five in space, a ball three, a slot one and two, a slider two and five, a weld three
    and six, a distance one. Their order is that of `system.model.closure`. Of many states a row each.
    """
    q, _ = states(system, q, many=True)
    return each_state(lambda q: sound(gap_list(system, k.gap_values, q)), q)


def gap_rates(system: Chain, q: ArrayLike, v: ArrayLike) -> np.ndarray:
    """Rates of the gaps, m/s or rad/s."""
    return each_state(lambda q, v: sound(gap_list(system, k.gap_rates, q, v)), *states(system, q, v, many=True))


def gap_jacobian(system: Chain, q: ArrayLike) -> np.ndarray:
    """J (gaps, nv): rates of the gaps are J v."""
    q, _ = states(system, q, many=True)
    return each_state(lambda q: sound(jacobian_of(system, q)), q)


def closure_forces(system: Chain, q: ArrayLike, v: ArrayLike, torque: ArrayLike | None = None, *, t: float = 0.0,
                   wrench: ArrayLike | None = None) -> np.ndarray:
    """What each closure gives place b: (closures, 6), force and moment about b, world axes; a gets the opposite force.

    Of closures held exactly the force that keeps them closed, of redundant ones the smallest such forces; of the others
    what their springs and dampers give. Arguments as in `forward_dynamics`; for many states (batch, closures, 6).
    Nothing here closes loops: in a state that is open these are the forces that keep its gaps from changing faster.
    `gaps` and `gap_rates` tell whether it is, `assemble` closes it.
    """
    from .dynamics import forward_dynamics

    def of_one(q, v, torque, wrench):
        forward_dynamics(system, q, v, torque, t=t, wrench=wrench)
        return on_ends(system, q, forces_in_gaps(system, q, v))[:, 1]

    q, v = states(system, q, v, many=True)
    given = np.zeros_like(v) if torque is None else numbers(torque, v.shape, "torque", system.velocity_names)
    return each_state(of_one, q, v, given, wrenches(system, wrench, q))


def assemble(system: Chain, q: ArrayLike | None = None, v: ArrayLike | None = None, *, hold=()):
    """A state near the given one in which all closures held exactly are closed.

    Parameters
    ----------
    q : guess, the chain's start if not given; it decides how the loops close where they can in several ways.
    v : None, or velocities to be made possible too.
    hold : names of links whose joints stay as they are, such as the driven ones.

    Returns
    -------
    q, or (q, v) if v is given.

    Examples
    --------
    >>> import fastdyn as fd
    >>> bars = [fd.Link(name=n, length=1.0, mass=1.0) for n in ("crank", "coupler", "rocker")]
    >>> window = fd.Chain(bars, closures=[fd.Closure(kind="pin", a=(1.0, 0.0, 0.0), b="rocker.tip")])
    >>> q = fd.assemble(window, [1.0, -1.1, -1.9], hold=["crank"])
    >>> bool(abs(fd.gaps(window, q)).max() < 1e-12), float(q[0])
    (True, 1.0)
    """
    q = system.start_state()[0] if q is None else q
    q, given = states(system, q, np.zeros((*rows_of(q), system.nv)) if v is None else v, many=True)
    free = np.ones(system.nv, bool)
    for name in link_names(system, hold, "hold"):
        free[system.v_slice(name)] = False

    def one(q, given):
        q = _closed(system, _unit(system, q.copy()), free)
        return q if v is None else (q, _closing(system, q, given, free))

    return each_state(one, q, given)


def link_names(system, names, what):
    """Names of links of the chain."""
    if isinstance(names, str) or not isinstance(names, Iterable):
        raise ModelError(f"{what} is {shown(names)}; give the names of links in a list")
    names = tuple(names)
    for name in names:
        system.index(name)
    return names


def _closing(system, q, given, free):
    """The velocities nearest to those given that leave loops closed."""
    J = jacobian_of(system, q)[:held_exactly(system.model)]
    rates = J @ given
    step = np.zeros(system.nv)
    step[free] = shortest(J[:, free], rates)
    left = np.abs(rates - J @ step)
    if left.size and left.max() > 1e-9*max(1.0, np.abs(given).max(initial=0.0)):
        raise ModelError(f"{named_by(system, int(left.argmax()))} cannot move as v asks: its gap changes by "
                         f"{left.max():.6g} a second whatever the other joints do; change v, or hold fewer joints")
    return given - step


def _closed(system, q, free):
    """The closed state near a guess; one that is straight, where no small step closes anything, is bent a little."""
    goal, tried = CLOSED*_size(system), []
    if not held_exactly(system.model):
        return q
    bend = np.where(free, np.cos(1.0 + np.arange(system.nv)), 0.0)
    for kick in KICKS:
        found, gap = _narrowed(system, moved(system, q, kick*bend) if kick else q, free, 1e-3*goal)
        if np.abs(gap).max() <= goal:
            return found
        tried.append(gap)
    gap = np.abs(min(tried, key=np.linalg.norm))
    at = int(gap.argmax())
    raise ModelError(f"{named_by(system, at)} cannot be closed from here: {gap[at]:.6g} m is the least gap that was "
                     "found near q; try another guess, one that is not straight, hold fewer joints, or check lengths")


def _narrowed(system, q, free, goal):
    """(q, gaps) by Gauss-Newton, shorter steps where a whole one makes gaps wider."""
    held = held_exactly(system.model)
    gap = gap_list(system, k.gap_values, q)[:held]
    for _ in range(ROUNDS):
        if np.abs(gap).max() <= goal:
            break
        J, step = jacobian_of(system, q)[:held], np.zeros(system.nv)
        if not np.isfinite(J).all():                    # the ends of a distance meet, and no way is the way apart
            break
        step[free] = -shortest(J[:, free], gap)
        step /= max(1.0, np.abs(step).max(initial=0.0)/max(1.0, np.abs(gap).max()))     # no joint winds up
        share, before = 1.0, np.linalg.norm(gap)
        while share > LEAST_STEP:
            tried = moved(system, q, share*step)
            there = gap_list(system, k.gap_values, tried)[:held]
            if np.linalg.norm(there) < (1.0 - 0.1*share)*before:
                break
            share *= 0.5
        if share <= LEAST_STEP:
            break
        q, gap = tried, there
    return q, gap


def check_closed(system, q, v, acc=None, when=""):
    """Refuse a state that is not near one in which the loops are closed and stay so, accelerations that open them."""
    held, scale = held_exactly(system.model), _size(system)
    if not held:
        return
    fast = np.abs(v).max(initial=0.0)
    asked = [(k.gap_values, NEAR*scale, "is open by {:.6g} m", "q = fastdyn.assemble(chain, q) closes loops"),
             (k.gap_rates, NEAR*max(scale, fast), "opens with {:.6g} m/s",
              "q, v = fastdyn.assemble(chain, q, v) closes loops")]
    if acc is not None:
        asked.append((k.gap_seconds, NEAR*max(scale, fast**2, np.abs(acc).max(initial=0.0)),
                      "opens with {:.6g} m/s^2", "take acc that loops allow, of forward_dynamics or follow"))
    for question, most, what, cure in asked:
        x = np.abs(gap_list(system, question, q, v, acc)[:held])
        at = int(x.argmax())
        if not x[at] <= most:
            raise ModelError(f"{named_by(system, at)} {what.format(x[at])}{when}; {cure}")


def check_kept(system, q):
    """Refuse closures that contradict each other: all as closed as they can be, one of them is not."""
    gap = np.abs(gap_list(system, k.gap_values, q)[:held_exactly(system.model)])
    at = int(gap.argmax())
    if gap[at] > KEPT*_size(system):
        raise ModelError(f"{named_by(system, at)} is open by {gap[at]:.6g} m when all are as closed as they can be: "
                         "closures contradict each other; check its places, leave it out, or give it stiffness")


def _size(system):
    """m: how far the chain reaches, more or less"""
    lengths = [np.linalg.norm(at) for at in system.joint_positions] + [link.length for link in system.links]
    return max(1.0, max(lengths, default=1.0))


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
    return _unit(system, q)


def _unit(system, q):
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


def named_by(system, gap):
    """A closure, by the number of one of its gaps."""
    which = int(system.model.closure[gap, GAP_OF])
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


def work_of_loops(system):
    """The scratch that forward dynamics leaves the forces of the gaps in."""
    return scratch(system, dense=recursive.dense_size(system.model))


def spring_forces(system, q, v):
    """Forces of all gaps by their springs and dampers, 0 of those held."""
    held, force = held_exactly(system.model), np.zeros(len(system.model.closure))
    if held < len(force):
        stretch, rate = (gap_list(system, of, q, v)[held:] for of in (k.gap_values, k.gap_rates))
        stiffness, damping = system.model.closure[held:, [GAP_STIFFNESS, GAP_DAMPING]].T
        force[held:] = -(stiffness*stretch + damping*rate)
    return force


def forces_in_gaps(system, q, v):
    """Forces of all gaps: of those held as the last forward dynamics left them, of the others by their springs."""
    force, held = spring_forces(system, q, v), held_exactly(system.model)
    if held:
        force[:held] = projection.gap_forces(system.model, work_of_loops(system))
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
