"""What a stepper asks of a chain: the rate of its state y, and quaternions of length one.

Every kernel here takes a handle (fastdyn/_address.py) and bare addresses: a function pointer costs 3 ns then.
"""

import math
from functools import cache

from .._address import DRIVE, NQ, NV, PULLED, RATE, SETTLE, SLOPES, c_caller, opener, shifted, vector
from .._jit import float64, kernel, leaf, ready, void
from ..algebra.rotation import quaternion_matrix, quaternion_normalized, quaternion_rate
from ..algebra.vectors import mul
from ..layout import (
    ACTING, AIR, FREE, FRICTION, GAP_DAMPING, GAP_STIFFNESS, GIVEN, GROUND, INPUT, JOINTS, KEPT_OF_STICKY, Q_AT,
    SPHERICAL, STEP, STRUCTURE, TROUBLED, TURNED_SPHERICAL, V_AT, WORKS, held_exactly, in_plane)
from ..status import OFF_PLANE, OK
from . import BY_ENERGY, formulation, recursive
from .contacts import any_touch, contacts
from .gaps import gaps
from .joints import freedoms
from .kinematics import load3, store
from .loads import add_link_wrenches, has_laws, joint_drives, joint_springs, link_loads
from .loops import bound
from .minimal import minimal
from .mobility import many_gaps
from .powers import damper_power, input_power, modal_powers
from .signatures import MODEL, VECTOR, WORK
from .sticking import asks, grips, held_friction, holding

DRIVE_CALL = void(float64, VECTOR, VECTOR, VECTOR, VECTOR)   # (t, q, v, torque, (links, 6) wrench to add to)
MULTIPLIERS, MINIMAL = CLOSED_BY = ("multipliers", "minimal")
BALLS = {SPHERICAL, TURNED_SPHERICAL, FREE}

opened = opener(MODEL, WORK)
call_drive = c_caller(DRIVE_CALL)


def rate(model, name="recursive", driven=False, ledger=False, closures=MULTIPLIERS):
    """Kernel: dy/dt of y = (q, v, contacts, works) under joint laws, loads, grounds and the drive of the handle.

    Parameters
    ----------
    driven : whether there is a drive.
    ledger : whether the works of layout.WORKS are in the state.
    closures : how those held exactly are, a word of CLOSED_BY.
    """
    return ready(kernel_of(model, name, driven, ledger, closures=closures))


def rate_when_pulled(model, name="recursive", driven=False, ledger=False):
    """Kernel: the same rate, the forces of gaps with springs being given; it tells what K g + D g' is there."""
    return ready(kernel_of(model, name, driven, ledger, pulled=True))


def pull_slopes(model):
    """Kernel: how K g + D g' changes with the state, a row for every gap with a spring."""
    return ready(_pull_slopes(in_plane(model), not turns_balls(model)))


def sprung_gaps(model):
    """Number of gaps with springs."""
    return len(model.closure) - held_exactly(model)


def state_size(model, nq, ledger):
    """Numbers of y."""
    return nq + len(model.spring) + contact_numbers(model) + (WORKS if ledger else 0)


def contact_numbers(model):
    """Numbers of y behind q and v that are of contacts."""
    return len(model.contact)*((KEPT_OF_STICKY if grips(model) else 1) + GIVEN)


def kernel_of(model, name="recursive", driven=False, ledger=False, pulled=False, closures=MULTIPLIERS):
    """The same, not compiled yet."""
    if name == "recursive":
        variant = recursive.variant(model)
        ask, kind = recursive.motion(variant), variant.name()
    else:
        ask, kind = _asking(formulation(name).forward_dynamics(model)), name
    held = held_exactly(model)
    if held:
        ask, how = closed(model, ask, closures)
        kind = f"{kind} {how}"
    sprung = "" if sprung_gaps(model) == 0 else "plane" if in_plane(model) else "space"
    return _rate(ask, kind, not turns_balls(model), has_laws(model), grounds_of(model), grips(model), sprung, driven,
                 ledger, pulled, name in BY_ENERGY)


def closed(model, ask, closures):
    """(a leaf that keeps the closures of the model too, its name)"""
    plane, many = in_plane(model), many_gaps(model)
    name = f"loops in {'plane' if plane else 'space'}"
    if closures == MINIMAL:
        return minimal(ask, plane), f"minimal {name}"
    return bound(ask, plane, many), f"many {name}" if many else name


def settle(model):
    """Kernel: quaternions of y to length one, and their rates with them."""
    return ready(settle_quaternions if turns_balls(model) else settle_nothing)


def turns_balls(model):
    """Whether some coordinates are quaternions; otherwise the rate of every coordinate is its velocity."""
    return bool(BALLS & set(model.row[:, STEP].tolist()))


@cache
def _asking(question):
    """The forward dynamics of any page, as `recursive.motion` gives it."""
    @leaf
    def ask(model, work, q, v, torque, acc):
        return question(model, work, q, v, torque, acc)

    return ask


def grounds_of(model):
    """"plane" or "space" of a chain that meets grounds, else ""."""
    return "" if len(model.contact) == 0 else "plane" if in_plane(model) else "space"


@cache
def _rate(ask, kind, plain, laws, grounds, sticky, sprung, driven, ledger, pulled, by_energy):
    meets, tied = grounds != "", sprung != ""
    pulls, stretched = laws or driven or meets or tied or ledger, _stretched(sprung == "plane", pulled, by_energy)
    at_grounds, hold = contacts(grounds == "plane", sticky), holding(ask)
    ground_forces, held_power = at_grounds.ground_forces, at_grounds.held_power

    @leaf
    def pull(handle, model, work, t, q, v, touch, gives, power, s, e):
        """What acts besides gravity, into work.torque and work.wrench; what contacts give and works per s; status"""
        for j in range(work.torque.shape[0]):
            work.torque[j] = 0.0
        touching, given_wrench = meets and any_touch(model, touch), driven or (laws and model.load.shape[0] > 0)
        work.note[ACTING] = 1 if given_wrench else 0        # what springs and grounds add does its work apart
        if given_wrench or touching or tied:
            for c in range(work.wrench.shape[0]):
                work.wrench[c] = 0.0
            if driven:
                given = work.pose                           # 6 numbers a link; poses are told after
                for c in range(6*model.row.shape[0]):
                    given[c] = 0.0
                call_drive(handle[DRIVE], t, q, v, work.torque, given)
                off = add_link_wrenches(model, given, work.wrench)
                if off > 0:
                    work.note[TROUBLED] = off - 1
                    return OFF_PLANE
            if laws:
                link_loads(model, t, q, work.pose, work.wrench)
        if laws:
            joint_drives(model, t, q, v, work.torque)
        if ledger:
            for c in range(WORKS):
                power[c] = 0.0
            if laws or driven:
                power[INPUT] = input_power(model, work, q, v)
                power[JOINTS] = damper_power(model, q, v)
            power[AIR], power[STRUCTURE] = modal_powers(model, v)
        if laws:
            joint_springs(model, q, v, work.torque)
        if tied:
            lost = stretched(model, work, q, v, s, e)
            if ledger:
                power[JOINTS] += lost
        if meets:
            if touching:
                normal, along = ground_forces(model, work, q, v, touch, gives)
                if ledger:
                    power[GROUND], power[FRICTION] = normal, along
        if touching or tied:
            work.note[ACTING] = 1
        return OK

    words = ((kind, True), ("plain", plain), ("laws", laws), (f"grounds in {grounds}", meets), ("sticky", sticky),
             (f"tied in {sprung}", tied), ("driven", driven), ("ledger", ledger))
    name = " ".join(word for word, said in words if said)

    @leaf
    def rate_of(handle, t, y, s, dy, e):
        model, work = opened(handle)
        nq, nv = handle[NQ], handle[NV]
        q, v = vector(y, nq), vector(shifted(y, nq), nv)
        if pulls:
            end = nq + nv + model.contact.shape[0]*((KEPT_OF_STICKY if sticky else 1) + GIVEN)
            touch, gives, power = shifted(y, nq + nv), shifted(dy, end - GIVEN*model.contact.shape[0]), shifted(dy, end)
            for k in range(nq + nv, end):
                dy[k] = 0.0
            status = pull(handle, model, work, t, q, v, touch, gives, power, s, e)
            if status != OK:
                return status
        if plain:
            for j in range(nv):
                dy[j] = v[j]
        else:
            coordinate_rates(model.row, q, v, dy)
        acc = vector(shifted(dy, nq), nv)
        if sticky:
            status = ask(model, work, q, v, work.torque, acc)
            touch, at = shifted(y, nq + nv), nq + nv + (KEPT_OF_STICKY + GIVEN - 1)*model.contact.shape[0]
            if status == OK:
                status = hold(model, work, q, v, touch, work.torque, acc)
            if status == OK and asks(model, touch):
                held_friction(model, work, touch, shifted(dy, at))
                if ledger:
                    dy[at + model.contact.shape[0] + FRICTION] += held_power(model, work, q, v, touch)
            return status
        return ask(model, work, q, v, work.torque, acc)

    if pulled:
        @kernel(PULLED, variant=name)
        def rate_when_pulled(handle, t, y, s, dy, e):
            return rate_of(handle, t, y, s, dy, e)

        return rate_when_pulled

    @kernel(RATE, variant=name)
    def rate(handle, t, y, dy):
        return rate_of(handle, t, y, y, dy, dy)

    return rate


@cache
def _pull_slopes(plane, plain):
    places, gradient = gaps(plane).places, gaps(plane).gradient

    @kernel(SLOPES, variant=f"{'plane' if plane else 'space'} {'plain' if plain else 'balls'}")
    def pull_slopes(handle, y, n, slopes):
        """Ball joints: dp/dt = Q v, Q'Q = 1/4, so dg/dp = 4 Q (dg/dt per v). What g' changes with q is left out."""
        model, work = opened(handle)
        nq, nv, at = handle[NQ], handle[NV], 0
        q = vector(y, nq)
        places(model, work, q, work.torque, work.torque)
        for k in range(model.closure.shape[0]):
            stiffness, damping = model.closure[k, GAP_STIFFNESS], model.closure[k, GAP_DAMPING]
            if stiffness < math.inf:
                gradient(model, work, k, slopes, at + nq)
                if plain:
                    for j in range(nv):
                        slopes[at + j] = slopes[at + nq + j]
                else:
                    row = vector(shifted(slopes, at), nq)
                    coordinate_rates(model.row, q, vector(shifted(slopes, at + nq), nv), row)
                    four_times_quaternions(model.row, row)
                for j in range(n):
                    slopes[at + j] *= stiffness if j < nq else damping
                for j in range(nq + nv, n):
                    slopes[at + j] = 0.0
                at += n
        return 0

    return pull_slopes


@leaf
def four_times_quaternions(row, dq):
    for i in range(row.shape[0]):
        step, a = row[i, STEP], row[i, Q_AT]
        if step == FREE or step == SPHERICAL or step == TURNED_SPHERICAL:
            a += 3 if step == FREE else 0
            for c in range(a, a + 4):
                dq[c] *= 4.0


@cache
def _stretched(plane, pulled, by_energy):
    """(model, work, q, v, s, e) -> power of the dampers: the springs of gaps, or the forces s in their place."""
    G = gaps(plane)
    springs, given = (G.energy, G.energy_given) if by_energy else (G.springs, G.given)

    @leaf
    def stretched(model, work, q, v, s, e):
        return springs(model, work, q, v)

    return given if pulled else stretched


@leaf
def coordinate_rates(row, q, v, dq):
    """dq/dt: velocities as they are, quaternions by their own rule, a floating base in the parent's axes."""
    for i in range(row.shape[0]):
        step, a, j = row[i, STEP], row[i, Q_AT], row[i, V_AT]
        if step == FREE:
            p = load4(q, a + 3)
            store(dq, a, mul(quaternion_matrix(p), load3(v, j)) + quaternion_rate(p, load3(v, j + 3)))
        elif step == SPHERICAL or step == TURNED_SPHERICAL:
            store(dq, a, quaternion_rate(load4(q, a), load3(v, j)))
        elif freedoms(step) == 1:
            dq[a] = v[j]


@leaf
def load4(X, at): return X[at], X[at + 1], X[at + 2], X[at + 3]


@kernel(SETTLE)
def settle_quaternions(handle, t, y, dy):
    """Quaternions of length one; their rates are linear in them and take the same factor."""
    settle_row_quaternions(opened(handle)[0].row, y, dy)
    return 0


@leaf
def settle_row_quaternions(row, y, dy):
    for i in range(row.shape[0]):
        step, a = row[i, STEP], row[i, Q_AT]
        if step == FREE or step == SPHERICAL or step == TURNED_SPHERICAL:
            a += 3 if step == FREE else 0
            p = load4(y, a)
            k = 1.0/math.sqrt((p[0]*p[0] + p[1]*p[1]) + (p[2]*p[2] + p[3]*p[3]))
            store(y, a, quaternion_normalized(p))
            store(dy, a, (k*dy[a], k*dy[a + 1], k*dy[a + 2], k*dy[a + 3]))


@kernel(SETTLE)
def settle_nothing(handle, t, y, dy):
    """No coordinate is bound to another."""
    return 0
