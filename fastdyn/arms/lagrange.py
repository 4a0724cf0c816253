"""Recursive Lagrange with 4x4 homogeneous transforms: J(z) z'' = R(z, z', t) of a spatial flexible arm.

Outward W_k = What_{k-1} A_k, What_k = W_k E_k with two derivatives (z'' = 0); inward the sums Psi = int D J D' and
Phi = int D J (P''*)' of all that is beyond; a row of J is the trace of W U or W M with them. [Book 1984]
"""

import math

from .._address import shifted
from .._jit import leaf, pointer, sweep
from ..algebra.dense import cholesky, cholesky_solve
from ..algebra.sincos import sincos_any
from ..status import OK
from .homogeneous import by_transposed, congruent, onto, times, times_spin, times_spin_twice, trace
from .layout import (
    CHI_AT, DAMPER, DISTAL, ED_AT, EDD_AT, FACTORS_AT, FIRST, GYRO, HD, HDD, JOINT_C, JOINT_K, MODES, MOTOR, PHI,
    PROXIMAL, PSI, ROTOR, SEAT, SPIN, SPIN_TIME, SUM_AT, TIP, TURN, WD, WDD, A, E, H, N, W)
from .link_sums import end_of, strained, sum_link
from .rotors import spin_and_drift, turned_with_seat
from .view import view


@leaf
def spun_up(speed, span, t):
    """(angle, rate, acceleration) of rest brought to `speed` smoothly within `span`"""
    if t <= 0.0:
        return 0.0, 0.0, 0.0
    if t >= span:
        return speed*(t - 0.5*span), speed, 0.0
    x = 2.0*math.pi*t/span
    rate = speed/span*(t - span/(2.0*math.pi)*math.sin(x))
    angle = speed/span*(0.5*t*t + (span/(2.0*math.pi))*(span/(2.0*math.pi))*(math.cos(x) - 1.0))
    return angle, rate, speed/span*(1.0 - math.cos(x))


@sweep
def outward(arm, work, t, q, v, sums):
    """Poses with their derivatives, and, if `sums`, the sums over each link."""
    base = work.pose[0]
    for i in range(base.shape[0]):
        base[i] = 0.0
    base[H] = base[H + 5] = base[H + 10] = 1.0
    for i in range(3):
        base[HDD + 4*i + 3] = -arm.gravity[i]
    D = work.spare
    for k in range(arm.link.shape[0]):
        link, frame, X, Y = arm.link[k], arm.frame[k], work.pose[k + 1], work.pose[k]
        j = link[TURN]
        if j >= 0:
            th, rate, acc = q[j], v[j], 0.0
        else:
            th, rate, acc = spun_up(frame[SPIN], frame[SPIN_TIME], t)
        s, c = sincos_any(th)
        for r in range(3):
            x, y = frame[SEAT + 4*r], frame[SEAT + 4*r + 1]
            X[A + 4*r], X[A + 4*r + 1] = c*x + s*y, c*y - s*x
            X[A + 4*r + 2], X[A + 4*r + 3] = frame[SEAT + 4*r + 2], frame[SEAT + 4*r + 3]
        times(Y, H, X, A, 1.0, X, W, 1.0, 0.0)
        times(Y, HD, X, A, 1.0, X, WD, 1.0, 0.0)
        times(Y, HDD, X, A, 1.0, X, WDD, 1.0, 0.0)
        times_spin(X, WD, X, WDD, 2.0*rate, 1.0)
        times_spin(X, W, X, WDD, acc, 1.0)
        times_spin_twice(X, W, X, WDD, rate*rate)
        times_spin(X, W, X, WD, rate, 1.0)
        for i in range(28):
            X[PSI + i] = 0.0
        for i in range(24):
            D[ED_AT + i] = 0.0
        if link[MODES] > 0:
            if sums:
                sum_link(view(arm, work), k, q, v, pointer(work.mass), work.force, pointer(work.moment),
                         arm.spring.shape[0], link[FIRST], 3)
                strained(arm, k, q, v, work.force)
            end_of(arm, work, k, q, v)
        else:
            for i in range(12):
                X[E + i] = frame[TIP + i]
        times(X, W, X, E, 1.0, X, H, 1.0, 0.0)
        times(X, WD, X, E, 1.0, X, HD, 1.0, 0.0)
        times(X, W, D, ED_AT, 0.0, X, HD, 1.0, 1.0)
        times(X, WDD, X, E, 1.0, X, HDD, 1.0, 0.0)
        times(X, WD, D, ED_AT, 0.0, X, HDD, 2.0, 1.0)
        times(X, W, D, EDD_AT, 0.0, X, HDD, 1.0, 1.0)


@leaf
def set_both(J, a, b, x):
    J[a, b] = x
    J[b, a] = x


@sweep
def inward(arm, work, q, v):
    """work.mass and work.force of all coordinates."""
    n, nv, D, J, R = arm.link.shape[0], arm.spring.shape[0], work.spare, work.mass, work.force
    one, two = work.column, work.column2
    for k in range(n - 1, -1, -1):
        link, frame, X = arm.link[k], arm.frame[k], work.pose[k + 1]
        first, modes, turn, motor = link[FIRST], link[MODES], link[TURN], link[MOTOR]
        beyond = first + modes
        # the end: C = bodies + A Psi A', Chi = bodies What''' + A Phi
        C, Chi = SUM_AT, CHI_AT
        for i in range(16):
            D[C + i] = 0.0
        for i in range(12):
            D[Chi + i] = 0.0
        if k < n - 1:
            Y = work.pose[k + 2]
            congruent(Y, A, Y, PSI, D, C, D)
            onto(Y, A, 3, Y, PHI, D, Chi)
        for i in range(16):
            D[C + i] += frame[DISTAL + i]
        by_transposed(frame, DISTAL, X, HDD, 1.0, D, Chi)
        for f in range(first, beyond):
            for i in range(12):
                X[N + i] = work.mode[i, f]
            R[f] -= trace(X, N, D, Chi)
            by_transposed(D, C, X, N, 0.0, one, 0)          # C (W M)'
            for l in range(first, beyond):
                t = 0.0
                for r in range(3):
                    for c in range(4):
                        t += work.mode[4*r + c, l]*one[3*c + r]
                J[f, l] += t
            onto(X, E, 3, one, 0, two, 0)
            for i in range(12):
                work.moment[i, f] += two[i]
            for b in range(beyond, nv):                     # moments of the links beyond, at the end of this one
                t = 0.0
                for r in range(3):
                    for c in range(4):
                        t += X[N + 4*r + c]*work.beyond[3*c + r, b]
                set_both(J, f, b, t)
        # through the link
        congruent(X, E, D, C, D, C, D)
        onto(X, E, 3, D, Chi, D, Chi)
        for i in range(16):
            X[PSI + i] += D[C + i] + frame[PROXIMAL + i]
        for i in range(12):
            X[PHI + i] += D[Chi + i]
        by_transposed(frame, PROXIMAL, X, WDD, 1.0, X, PHI)
        for b in range(beyond, nv):
            for i in range(12):
                one[i] = work.beyond[i, b]
            onto(X, E, 3, one, 0, two, 0)
            for i in range(12):
                work.moment[i, b] = two[i]
        # the joint
        times_spin(X, W, X, N, 1.0, 0.0)
        if turn >= 0:
            by_transposed(X, PSI, X, N, 0.0, one, 0)
            J[turn, turn] = trace(X, N, one, 0)
            R[turn] = -trace(X, N, X, PHI)
            for b in range(first, nv):
                for i in range(12):
                    two[i] = work.moment[i, b]
                set_both(J, turn, b, trace(X, N, two, 0))
            for i in range(12):
                work.moment[i, turn] = one[i]
            R[turn] += work.drive[turn] - arm.spring[turn, DAMPER]*v[turn]
        if motor >= 0:
            for b in range(nv):
                set_both(J, motor, b, 0.0)
            for i in range(12):
                work.moment[i, motor] = 0.0
            J[motor, motor] = frame[ROTOR]
            torque = frame[JOINT_K]*(q[motor] - q[turn]) + frame[JOINT_C]*(v[motor] - v[turn])
            R[motor] = work.drive[motor] - torque
            R[turn] += torque
        elif turn >= 0:
            J[turn, turn] += frame[ROTOR]
        g, spun = frame[GYRO], motor if motor >= 0 else turn
        if g != 0.0:                                        # the rotor's momentum turns with its seat
            for c in range(2):
                for r in range(3):
                    work.moment[3*c + r, spun] += g*X[N + 4*r + c]
            R[spun] -= g*spin_and_drift(X, v[turn])[1]
            turned_with_seat(X, 2.0*g*v[spun], v[turn], shifted(pointer(X), PHI), 1)
        # into the frame of the end of the link before
        start = motor if motor >= 0 else (turn if turn >= 0 else first)
        for b in range(start, nv):
            for i in range(12):
                one[i] = work.moment[i, b]
            onto(X, A, 3, one, 0, two, 0)
            for i in range(12):
                work.beyond[i, b] = two[i]


@sweep
def solved(work):
    """z'' into work.force from what is there; a status"""
    n = work.force.shape[0]
    status = cholesky(work.mass, work.spare[FACTORS_AT:FACTORS_AT + 2*n])
    if status == OK:
        cholesky_solve(work.mass, work.force)
    return status
