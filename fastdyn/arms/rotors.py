"""Motors: their torques now, and what the spin of a rotor does to the seat that carries it.

s = W Omega, Omega the derivative of a turn about z; S the seat, S'Rz and S''*Rz are turned by the joint as W is.
Derivation: docs/theory/spatial_flexible.md.
"""

from .._address import shifted
from .._jit import leaf, sweep
from ..laws.signal import signal_value
from .layout import BIAS, D_GEAR, D_LIMIT, D_ROW, FORCE, GYRO, ROTOR, TURN, WD, WDD, WIDE, W
from .rows import joined

ROW = WIDE


@sweep
def driven(arm, drive, t):
    """Torques of all motors at t into `drive`; no contact's torque yet."""
    nv = arm.spring.shape[0]
    for j in range(nv):
        drive[j] = arm.spring[j, FORCE]
    for k in range(arm.link.shape[0]):
        drive[nv + k] = 0.0
    for i in range(arm.drive.shape[0]):
        most, torque = arm.drive[i, D_LIMIT], signal_value(arm.signal, arm.knots, i, t)
        if abs(torque) > most:                              # what is no number stays so, and stops the run
            torque = most if torque > 0.0 else -most
        drive[int(arm.drive[i, D_ROW])] += arm.drive[i, D_GEAR]*torque


@sweep
def power_of_prescribed(arm, work):
    """W, of the drives of joints whose motion is prescribed; accelerations are known"""
    power = 0.0
    for k in range(arm.link.shape[0]):
        if arm.link[k, TURN] < 0:
            power += work.drive[arm.spring.shape[0] + k]
    return power


@leaf
def seat_motion(X, rate, r):
    """Row r of the columns x and y of S'Rz and S''*Rz"""
    x, y = X[W + 4*r], X[W + 4*r + 1]
    dx, dy = X[WD + 4*r] - rate*y, X[WD + 4*r + 1] + rate*x
    return (dx, dy, X[WDD + 4*r] - 2.0*rate*dy + rate*rate*x, X[WDD + 4*r + 1] + 2.0*rate*dx + rate*rate*y)


@leaf
def spin_and_drift(X, rate):
    """(s . S'Rz, s . S''*Rz); the first: of a seat that keeps its shape twice the angular velocity about the axis"""
    spin = drift = 0.0
    for r in range(3):
        dx, dy, ax, ay = seat_motion(X, rate, r)
        spin += X[W + 4*r + 1]*dx - X[W + 4*r]*dy
        drift += X[W + 4*r + 1]*ax - X[W + 4*r]*ay
    return spin, drift


@sweep
def along_seat(X, share, rate, row):
    """row += share s, its bias += share s . S''*Rz"""
    for r in range(3):
        row[r] += share*X[W + 4*r + 1]
        row[3 + r] -= share*X[W + 4*r]
    row[BIAS] += share*spin_and_drift(X, rate)[1]


@sweep
def turned_with_seat(X, share, rate, bias, step):
    """bias += share s', s' = S'Rz Omega; `bias` 4x3, its numbers `step` apart"""
    for r in range(3):
        dx, dy, _, _ = seat_motion(X, rate, r)
        bias[r*step] += share*dy
        bias[(3 + r)*step] -= share*dx


@sweep
def carried_rotor(X, frame, turn, motor, v, row, M, R):
    """Joint eliminated: what its rotor does to M and p; a motor with z'' of its own is eliminated too, by `row`."""
    g, spin = frame[GYRO], v[motor] if motor >= 0 else v[turn]
    turned_with_seat(X, 2.0*spin*g, v[turn], shifted(M, BIAS), ROW)
    if motor >= 0:
        for i in range(ROW):
            row[i] = 0.0
        along_seat(X, g, v[turn], row)
        d = 1.0/frame[ROTOR]
        row[BIAS] -= R[motor]/d
        R[motor] = -d*row[BIAS]
        for i in range(6):
            joined(ROW, -d*row[i], row, shifted(M, i*ROW))


@leaf
def share_of_seat(X, A):
    """s . A, A 4x3: how a motor follows what its seat does"""
    t = 0.0
    for r in range(3):
        t += X[W + 4*r + 1]*A[r] - X[W + 4*r]*A[3 + r]
    return t
