"""The production road as a stepper sees it; gaps, switches and lines of the log are those of `system`."""


from .._address import RATE, shifted
from .._jit import float64, int64, kernel, leaf, pointer, sweep
from ..status import OK
from .homogeneous import point_of
from .layout import (
    DISTAL, FIRST, GYRO, HD, JOINT_K, MODES, MOTOR, PROXIMAL, PSI, ROTOR,
    STIFF, TURN, WD, WIDE, H, W)
from .link_sums import end_of
from .modal_sums import modal_sums
from .poses import poses
from .recursive import accelerations, inward, modes_rows
from .rotors import driven, spin_and_drift
from .rows import stride_of
from .system import ARM, MATRIX, VECTOR, WORK, opened, parts, rates
from .touching import met, touches
from .view import chain_of, frame_of, link_of, pose_of, view


@sweep
def solved(arm, work, t, q, v, touch):
    """z'' into work.force; (status, power of normal forces, of friction)"""
    a = view(arm, work)
    driven(arm, a.drive, t)
    poses(a, t, pointer(q), pointer(v))
    for j in range(a.coordinates):
        a.force[j] = 0.0
    normal_power = friction_power = 0.0
    if touches(arm, touch):
        for k in range(arm.link.shape[0]):
            if arm.link[k, MODES] > 0:
                end_of(arm, work, k, q, v)
        normal_power, friction_power = met(arm, work, q, v, touch, work.force)
    status = inward(a, pointer(q), pointer(v))
    if status == OK:
        status = accelerations(a)
    return status, normal_power, friction_power


@kernel(int64(ARM, WORK, float64, VECTOR, VECTOR, VECTOR, VECTOR))
def accelerate(arm, work, t, q, v, touch, acc):
    """z'' of a state; a status."""
    status, _, _ = solved(arm, work, t, q, v, touch)
    for j in range(acc.shape[0]):
        acc[j] = work.force[j]
    return status


@kernel(RATE)
def rate(handle, t, y, dy):
    """z', z'', 0, powers."""
    arm, work = opened(handle)
    q, v, touch = parts(handle, y)
    status, normal_power, friction_power = solved(arm, work, t, q, v, touch)
    return rates(arm, work, v, touch, status, normal_power, friction_power, dy)


@leaf
def square(X, i, J, j):
    """tr(x J x') of a 3x4 and a 4x4"""
    t = 0.0
    for r in range(3):
        for a in range(4):
            for b in range(4):
                t += X[i + 4*r + a]*J[j + 4*a + b]*X[i + 4*r + b]
    return t


@leaf
def weight(arm, X, i, J, j):
    """Potential of the mass 4x4 J whose frame is the 3x4 transform"""
    c = point_of(X, i, J[j + 3], J[j + 7], J[j + 11], J[j + 15])
    return -(arm.gravity[0]*c[0] + arm.gravity[1]*c[1] + arm.gravity[2]*c[2])


@kernel(int64(ARM, WORK, VECTOR, MATRIX, MATRIX, MATRIX))
def energies(arm, work, t, q, v, out):
    """out[b] = (kinetic, potential) of state b at its time."""
    a = view(arm, work)
    for b in range(q.shape[0]):
        poses(a, t[b], pointer(q[b]), pointer(v[b]))
        T = V = 0.0
        for k in range(arm.link.shape[0]):
            link, frame, X = link_of(a, k), frame_of(a, k), pose_of(a, k)
            n, first, m = link[MODES], link[FIRST], stride_of(link[MODES])
            if n > 0:
                modal_sums(a, k, pointer(q[b]), pointer(v[b]))
                rows = modes_rows(link, chain_of(a, k))
                for f in range(n):
                    row, w = shifted(rows, f*(m + WIDE)), v[b, first + f]
                    for i in range(4):
                        for r in range(3):
                            T += w*row[m + 3*i + r]*X[WD + 4*r + i]
                    for l in range(n):
                        stiff = arm.stiffness[link[STIFF] + n*f + l]
                        T += w*row[l]*v[b, first + l]*(0.0 if l < f else (0.5 if l == f else 1.0))
                        V += 0.5*stiff*q[b, first + f]*q[b, first + l]
            T += 0.5*(square(X, WD, X, PSI) + square(X, WD, frame, PROXIMAL) + square(X, HD, frame, DISTAL))
            V += weight(arm, X, W, X, PSI) + weight(arm, X, W, frame, PROXIMAL) + weight(arm, X, H, frame, DISTAL)
            turn, motor = link[TURN], link[MOTOR]
            if motor >= 0:
                V += 0.5*frame[JOINT_K]*(q[b, motor] - q[b, turn])**2
                T += 0.5*frame[ROTOR]*v[b, motor]*v[b, motor]
            elif turn >= 0:
                T += 0.5*frame[ROTOR]*v[b, turn]*v[b, turn]
            if frame[GYRO] != 0.0:
                T += frame[GYRO]*v[b, motor if motor >= 0 else turn]*spin_and_drift(X, v[b, turn])[0]
        out[b, 0], out[b, 1] = T, V
    return OK
