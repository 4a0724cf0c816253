"""The questions people ask of a chain: words with units outside, kernels inside, no arithmetic here.

State q, v as the joints of the chain define them (`coordinate_names`, `velocity_names`); N, N m, kg, m, rad, s.
Every question takes one state, or many, one a row; then it answers with one row a state.
"""

from functools import partial

import numpy as np
from numpy.typing import ArrayLike

from .._jit import ready
from ..describe.chain import Chain
from ..formulations import BY_ENERGY, minimal, projection, rates, recursive
from ..formulations.elastic import MATRIX_K
from ..layout import (
    ACTING, BASE, BEAM_AT, BEAM_MODES, BEAM_VECTORS, GRAVITY, PLANE_BEAM, STEP, STRETCHING, aligned, held_exactly,
    lanes_for)
from ..status import NOT_FINITE, SimulationError
from .asking import check, check_batch, each_state, numbers, page_of, scratch, sound, states
from .assembly import check_held
from .balance import forces_behind
from .loops import add_wrenches, jacobian_of, spring_forces, work_of_loops
from .pulls import add_pulls, check_pulls, has_laws
from .wishes import word_of
from .wrenches import row_wrenches, user_drive, wrenches


def forward_dynamics(system: Chain, q: ArrayLike, v: ArrayLike, torque: ArrayLike | None = None, *, t: float = 0.0,
                     wrench: ArrayLike | None = None, formulation: str = "recursive",
                     closures: str = "multipliers") -> np.ndarray:
    """Accelerations of a chain under its own loads and the given torques, loops kept closed.

    Gaps of closures held exactly change no faster by them, or an error names the closure that no force holds; a state
    that is open stays so, without a word. `gaps` and `gap_rates` tell whether it is, `assemble` closes it.

    Parameters
    ----------
    system : Chain
    q, v : coordinates (nq,) and velocities (nv,); or (batch, nq) and (batch, nv) for many states at once.
    torque : generalized forces of actuators (nv,), or (batch, nv), on top of springs, dampers, limits and drives.
    t : time, s, for drives and loads.
    wrench : (links, 6), force (N) and moment about the joint (N m) on each link, link axes, on top of its loads; or
        (batch, links, 6).
    formulation : a name of fastdyn.formulations.FORMULATIONS.
    closures : how those held exactly are: by "multipliers", or "minimal", in as many unknowns as there are freedoms.

    Returns
    -------
    Time derivative of v, (nv,) or (batch, nv).

    Examples
    --------
    >>> import fastdyn as fd
    >>> pendulum = fd.Chain([fd.Link(length=1.0, mass=1.0)])
    >>> round(float(fd.forward_dynamics(pendulum, [0.0], [0.0])[0]), 3)
    -14.715
    """
    return _ask(system, q, v, torque, t, wrench, formulation, inverse=False, closures=closures)


def inverse_dynamics(system: Chain, q: ArrayLike, v: ArrayLike, acc: ArrayLike | None, *, t: float = 0.0,
                     wrench: ArrayLike | None = None, formulation: str = "recursive") -> np.ndarray:
    """Actuator torques (nv,) that give the accelerations acc at q, v; arguments as in `forward_dynamics`.

    Closures that are held exactly give nothing here: these are the torques of the chain with its loops cut open.
    `drive_torques` are those of closed loops.
    """
    return _ask(system, q, v, acc, t, wrench, formulation, inverse=True)


def bias(system: Chain, q: ArrayLike, v: ArrayLike, *, t: float = 0.0, wrench: ArrayLike | None = None,
         formulation: str = "recursive") -> np.ndarray:
    """Actuator torques that keep v from changing: h in M acc + h = torque."""
    return inverse_dynamics(system, q, v, None, t=t, wrench=wrench, formulation=formulation)


def mass_matrix(system: Chain, q: ArrayLike, *, formulation: str = "recursive") -> np.ndarray:
    """Joint-space mass matrix (nv, nv) at q.

    It is given as it is, also where a joint has nothing to move and it is singular, which solving with it may not
    show: `forward_dynamics` and `apply_inverse_mass` refuse there and name the link.
    """
    question, dense = page_of(formulation, "mass_matrix")
    q, _ = states(system, q, many=True)
    work, ask = scratch(system, dense=dense_of(system, formulation, dense)), question(system.model)

    def one(q):
        M = np.empty((system.nv, system.nv))
        check(ask(system.model, work, q, M), system, work, q=q)
        return sound(M)

    return each_state(one, q)


def apply_inverse_mass(system: Chain, q: ArrayLike, x: ArrayLike) -> np.ndarray:
    """y of M(q) y = x, in O(n): accelerations per torque without gravity, speed, bending or loads."""
    q, _ = states(system, q, many=True)
    x = numbers(x, (*q.shape[:-1], system.nv), "x", system.velocity_names)
    model, work, still = weightless(system), scratch(system), np.zeros(system.nv)
    ask = recursive.forward_dynamics(system.model)
    work.note[ACTING] = 0

    def one(q, x):
        y = np.empty(system.nv)
        check(ask(model, work, q, still, x, y), system, work, q=q, x=x)
        return y

    return each_state(one, q, x)


def reactions(system: Chain, q: ArrayLike, v: ArrayLike, torque: ArrayLike | None = None, *, t: float = 0.0,
              wrench: ArrayLike | None = None, formulation: str = "recursive",
              closures: str = "multipliers") -> np.ndarray:
    """What each joint gives its link: (links, 6), force and moment about the joint, link axes.

    The part along the joint's own freedom is the torque that acts there: actuator, spring, damper, limit and drive.
    formulation, closures : the road by which accelerations and forces of closures come, as in `forward_dynamics`.
    """
    q, v = states(system, q, v, many=True)
    torque = np.zeros_like(v) if torque is None else numbers(torque, v.shape, "torque", system.velocity_names)
    rows = [row for _, row in sorted(system.body_rows.items())]
    work = scratch(system, dense=dense_of(system, "recursive", recursive.dense_size))
    inverse, t = page_of("recursive", "inverse_dynamics"), float(numbers(t, (), "t"))

    def one(q, v, torque, wrench):
        acc, force = motion_and_forces(system, t, q, v, torque, wrench, formulation, closures)
        answer_of(system, *inverse, t, "recursive", True, q, v, acc, wrench, force)
        return recursive.joint_wrenches(system.model, work)[rows]

    return each_state(one, q, v, torque, wrenches(system, wrench, q))


def gibbs_function(system: Chain, q: ArrayLike, v: ArrayLike, acc: ArrayLike | None) -> float | np.ndarray:
    """Gibbs' function of the accelerations, W/s: the sum of m a.a/2 over all particles but for what acc has no part in.

    Its gradient along acc is M acc + h, what the motion takes: h is `bias` without gravity, springs, drag and loads.
    acc None is zero. Source: [Gibbs 1879], [Appell 1899]; docs/theory/gibbs_appell.md.
    """
    question, dense = page_of("gibbs-appell", "gibbs_function")
    q, v = states(system, q, v, many=True)
    acc = np.zeros_like(v) if acc is None else numbers(acc, v.shape, "acc", system.velocity_names)
    work, ask = scratch(system, dense=dense_of(system, "gibbs-appell", dense)), question(system.model)
    return each_state(lambda q, v, acc: sound(ask(system.model, work, q, v, acc)), q, v, acc)


def _ask(system, q, v, given, t, wrench, formulation, inverse, closures=rates.MULTIPLIERS):
    word_of(closures, rates.CLOSED_BY, "closures")
    question, dense = page_of(formulation, "inverse_dynamics" if inverse else "forward_dynamics")
    q, v = states(system, q, v, many=True)
    what = "acc" if inverse else "torque"
    given = np.zeros_like(v) if given is None else numbers(given, v.shape, what, system.velocity_names)
    t, wrench = float(numbers(t, (), "t")), wrenches(system, wrench, q)
    if q.ndim == 2 and formulation == "recursive" and not system.closures:
        return _batch(system, q, v, given, t, wrench, inverse)

    def one(q, v, given, wrench):
        answer = answer_of(system, question, dense, t, formulation, inverse, q, v, given, wrench, closures=closures)
        return answer if inverse else check_held(system, q, v, answer)

    return each_state(one, q, v, given, wrench)


def motion_and_forces(system, t, q, v, torque, wrench, formulation="recursive", closures=rates.MULTIPLIERS):
    """(acc, forces of all gaps or None) at one state that is checked, both by the road that is named."""
    word_of(closures, rates.CLOSED_BY, "closures")
    forward, dense = page_of(formulation, "forward_dynamics")
    acc = answer_of(system, forward, dense, t, formulation, False, q, v, torque, wrench, closures=closures)
    if not system.closures:
        return acc, None
    force, held = spring_forces(system, q, v), held_exactly(system.model)
    if held and closures == rates.MINIMAL:
        inverse, dense = page_of(formulation, "inverse_dynamics")
        taken = answer_of(system, inverse, dense, t, formulation, True, q, v, acc, wrench)
        M, J = mass_matrix(system, q, formulation=formulation), jacobian_of(system, q)[:held]
        counts, rank = projection.gaps_that_count(system.model, work_of_loops(system), q)
        force[:held] = forces_behind(J, M, taken - torque, system.model.closure[:held], counts, rank)
    elif held:
        force[:held] = projection.gap_forces(system.model, work_of_road(system, formulation, dense))
    return check_held(system, q, v, acc), force


def work_of_road(system, formulation, dense, closures=rates.MULTIPLIERS):
    """The scratch of a road: how much of Work.dense it needs says which."""
    size = dense_of(system, formulation, dense)
    return scratch(system, dense=size + (minimal.dense_size(system.model) if closures == rates.MINIMAL else 0))


def answer_of(system, question, dense, t, formulation, inverse, q, v, given, wrench, gap_force=None,
              closures=rates.MULTIPLIERS):
    model, work = system.model, work_of_road(system, formulation, dense, closures)
    work.torque[:] = 0.0 if inverse else given
    work.wrench[:], work.note[ACTING] = 0.0, 0
    if system.drive is not None or wrench is not None:
        driven = user_drive(system, t, q, v, work.torque)
        work.wrench[:] = row_wrenches(system, wrench, driven)
        work.note[ACTING] = 1
    if has_laws(system):
        add_pulls(system, work, t, q, v)
    if system.closures:
        force = spring_forces(system, q, v) if gap_force is None else gap_force
        if formulation in BY_ENERGY:
            work.torque[:] += jacobian_of(system, q).T @ force
        else:
            add_wrenches(system, work, q, force)
    answer = np.empty(system.nv)
    if held_exactly(model) and not inverse:
        ask = ready(projection.forward_dynamics(model, formulation, closures))
        check(ask(model, work, q, v, work.torque, answer), system, work, q=q, v=v, torque=given)
        return answer
    status = question(model)(model, work, q, v, given if inverse else work.torque, answer)
    check(status, system, work, q=q, v=v, **{"acc" if inverse else "torque": given})
    return sound(answer - work.torque) if inverse else answer


def _batch(system, q, v, given, t, wrench, inverse):
    model, nv, lanes = system.model, system.nv, lanes_for(system.model)
    work, side = scratch(system), scratch(system, lanes=lanes, dense=(system.nq + 3*nv)*lanes)
    outer = np.empty((0, 0))
    torque = np.zeros_like(given) if inverse else given.copy()
    if system.drive is not None or wrench[0] is not None:
        def outside(q, v, torque, wrench):
            return row_wrenches(system, wrench, user_drive(system, t, q, v, torque))

        outer = each_state(outside, q, v, torque, wrench)
    answer = np.empty_like(v)
    ask = recursive.batch(model, inverse)
    status = ask(model, work, side, t, q, v, given, torque, outer, answer)
    try:
        check_batch(status, system, work, side, inverse, q=q, v=v, **{"acc" if inverse else "torque": given})
        return sound(answer)
    except SimulationError as wrong:
        if wrong.status == NOT_FINITE:
            each_state(partial(check_pulls, system, t), q, v)
        raise


def weightless(system):
    """The chain's arrays without gravity and without the stiffness of its beams, kept."""
    if "_weightless" not in system.__dict__:
        model = system.model
        base, beam = aligned(BASE), model.beam.copy()
        base[GRAVITY + 3:] = model.base[GRAVITY + 3:]
        for row in model.row[model.row[:, STEP] > PLANE_BEAM]:
            m = (row[STEP] - PLANE_BEAM) % STRETCHING
            stiffness = row[BEAM_AT] + BEAM_MODES + BEAM_VECTORS*m + MATRIX_K*m*m
            beam[stiffness:stiffness + m*m] = 0.0
        system.__dict__["_weightless"] = model._replace(base=base, beam=beam)
    return system.__dict__["_weightless"]


def dense_of(system, formulation, dense_size):
    """How much of Work.dense a formulation needs of the chain, asked once."""
    kept = system.__dict__.setdefault("_dense", {})
    if formulation not in kept:
        kept[formulation] = dense_size(system.model)
    return kept[formulation]
