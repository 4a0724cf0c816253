"""The planar 3RRR robot on a rose: geometry, inverse kinematics and dynamics in closed form, torques as Fourier series.

Three legs of two links carry a platform; the first joint of each is driven. Source: [Raoofian et al. 2017]. What its
text leaves open is fixed in docs/theory/loops.md. All functions here take arrays of times.
"""

import math

import numpy as np

from ..status import ModelError
from .body import Body
from .chain import Chain
from .check import one_of, positive, shown, yes_or_no
from .closures import Closure
from .joints import FreePlanar, Revolute
from .link import Link
from .signals import Fourier
from .words import spelt

L1, L2, BASE_SIDE, PLATFORM_SIDE = 0.4, 0.6, 1.2, 0.4   # m
M1, M2, M_PLATFORM = 3.0, 4.0, 8.0                      # kg
I1, I2, I_PLATFORM = 0.04, 0.12, 0.0817                 # kg m^2, about the mass centres
ANGLES = np.radians([-150.0, -30.0, 90.0])              # of the three legs
LEGS = ("I", "II", "III")
CASES = {"P0": (0.06, 0.0), "P1": (0.10, 0.0), "P2": (0.10, 9.81)}      # r0, m; gravity, m/s^2
OMEGA, SAMPLES = math.pi, 512                           # rad/s of one path in 2 s; samples of the series
METHODS = ("denoc", "mdenoc", "lvs")
SPRINGS = 1e6                                           # N/m
UP = 1.0, 1.0, 1.0                                      # signs of sin(theta2) of the legs


def u(a):
    """(..., 2) unit vectors"""
    return np.stack([np.cos(a), np.sin(a)], axis=-1)


def E(x):
    """Turned by a quarter"""
    return np.stack([-x[..., 1], x[..., 0]], axis=-1)


def rose(t, r0):
    """Place, velocity, acceleration (times, 2) of the platform's centre; it does not turn."""
    t = np.asarray(t, float)
    three, one = 3*OMEGA*t, OMEGA*t
    x = np.stack([np.cos(three) + np.cos(one), np.sin(three) - np.sin(one)], axis=-1)
    v = OMEGA*np.stack([-3*np.sin(three) - np.sin(one), 3*np.cos(three) - np.cos(one)], axis=-1)
    a = OMEGA**2*np.stack([-9*np.cos(three) - np.cos(one), -9*np.sin(three) + np.sin(one)], axis=-1)
    return 0.5*r0*x, 0.5*r0*v, 0.5*r0*a


def inverse_kinematics(x, theta=0.0, elbows=UP):
    """Angles (..., 3, 2) of the legs, the second relative to the first, for the platform at x (..., 2), turned.

    elbows: sign of sin(theta2) of each leg, the working mode.
    """
    d = x[..., None, :] + PLATFORM_SIDE/math.sqrt(3)*u(ANGLES + np.asarray(theta)[..., None]) \
        - BASE_SIDE/math.sqrt(3)*u(ANGLES)
    cosine = (np.sum(d*d, axis=-1) - L1**2 - L2**2)/(2*L1*L2)
    if np.any(np.abs(cosine) > 1.0):
        raise ModelError("the platform is where a leg cannot reach it; make the path smaller")
    second = np.asarray(elbows)*np.arccos(cosine)
    first = np.arctan2(d[..., 1], d[..., 0]) - np.arctan2(L2*np.sin(second), L1 + L2*np.cos(second))
    return np.stack([first, second], axis=-1)


def motion(t, r0, elbows=UP):
    """(angles, rates, accelerations), each (times, 3, 2), and those of the platform, each (times, 3)."""
    x, v, a = rose(t, r0)
    q = inverse_kinematics(x, elbows=elbows)
    first, both = q[..., 0], q.sum(axis=-1)
    A = np.stack([E(L1*u(first) + L2*u(both)), L2*E(u(both))], axis=-1)
    qd = np.linalg.solve(A, np.broadcast_to(v[:, None, :], q.shape)[..., None])[..., 0]
    turning = qd.sum(axis=-1)
    centripetal = L1*u(first)*qd[..., :1]**2 + L2*u(both)*turning[..., None]**2
    qdd = np.linalg.solve(A, (a[:, None, :] + centripetal)[..., None])[..., 0]
    still = np.zeros((len(x), 1))
    return (q, qd, qdd), tuple(np.concatenate([p, still], axis=-1) for p in (x, v, a))


def leg_inertia(q):
    """(..., 2, 2)"""
    b = I2 + 0.25*M2*L2**2
    a, c = I1 + 0.25*M1*L1**2 + M2*L1**2 + b, 0.5*M2*L1*L2*np.cos(q[..., 1])
    return np.stack([np.stack([a + 2*c, b + c], axis=-1), np.stack([b + c, b + 0*c], axis=-1)], axis=-2)


def inverse_dynamics(t, r0, gravity, elbows=UP):
    """(torques (times, 3), forces (times, 3, 2) of the legs on the corners of the platform) along the rose."""
    (q, qd, qdd), (_, _, A) = motion(t, r0, elbows)
    first, both = q[..., 0], q.sum(axis=-1)
    s = 0.5*M2*L1*L2*np.sin(q[..., 1])
    coriolis = np.stack([-s*(2*qd[..., 0]*qd[..., 1] + qd[..., 1]**2), s*qd[..., 0]**2], axis=-1)
    outer = 0.5*M2*L2*np.cos(both)
    weight = gravity*np.stack([(0.5*M1 + M2)*L1*np.cos(first) + outer, outer], axis=-1)
    need = (leg_inertia(q) @ qdd[..., None])[..., 0] + coriolis + weight
    to_tip = np.stack([E(L1*u(first) + L2*u(both)), L2*E(u(both))], axis=-2)     # (times, 3, joint, xy)
    corner = PLATFORM_SIDE/math.sqrt(3)*u(ANGLES)
    G, b = np.zeros((len(q), 6, 6)), np.zeros((len(q), 6))
    for leg in range(3):
        at = slice(2*leg, 2*leg + 2)
        G[:, leg, at], b[:, leg] = to_tip[:, leg, 1], -need[:, leg, 1]          # nobody drives the elbow
        G[:, 3, 2*leg], G[:, 4, 2*leg + 1], G[:, 5, at] = 1.0, 1.0, E(corner[leg])
    b[:, 3:5] = M_PLATFORM*(A[:, :2] + np.array([0.0, gravity]))
    forces = np.linalg.solve(G, b[..., None])[..., 0].reshape(-1, 3, 2)
    return need[..., 0] + np.sum(to_tip[:, :, 0]*forces, axis=-1), forces


def series(values):
    """(offset, cosine, sine) of samples of one lap, (samples, ...), as far as they are more than rounding."""
    c = np.fft.rfft(values, axis=0)/len(values)
    size = np.abs(c).reshape(len(c), -1).max(axis=1)
    last = int(np.flatnonzero(size > 4e-17*size.max()*math.sqrt(len(values)))[-1])
    return c[0].real, 2*c[1:last + 1].real, -2*c[1:last + 1].imag


@spelt
def rrr_rose(case: str = "P0", method: str = "denoc", ks: float | None = None, preloaded: bool = False,
             elbows: str = "+++") -> Chain:
    """The planar 3RRR robot, driven open loop by the torques that lead its platform along a rose r = r0 cos 2 theta.

    Parameters
    ----------
    case : "P0": r0 = 0.06 m in a horizontal plane; "P1": r0 = 0.10 m; "P2": the same against gravity.
    method : "denoc": the platform's joints are held exactly; "mdenoc", "lvs": by springs. A chain has no road of its
        own: "lvs" is fd.simulate(chain, formulation="lagrange"), "mdenoc" any other formulation; the command does it.
    ks : stiffness of these springs, N/m, 1e6 if not given.
    preloaded : start with the springs stretched by the forces they have to give; otherwise on the path, unstretched.
    elbows : signs of the sines of the second angles of legs I, II, III: the working mode. "+++" is the source's.
    """
    if not (isinstance(elbows, str) and len(elbows) == 3 and set(elbows) <= set("+-")):
        raise ModelError(f'elbows is {shown(elbows)}; give a + or - for each of the three legs, such as "++-"')
    signs, elbows = elbows, tuple(1.0 if sign == "+" else -1.0 for sign in elbows)
    preloaded = yes_or_no(preloaded, "preloaded")
    r0, gravity = CASES[one_of(case, tuple(CASES), "case")]
    rigid = one_of(method, METHODS, "method") == "denoc"
    if rigid and (preloaded or ks is not None):
        raise ModelError(f'{"preloaded" if ks is None else "ks"} is given, but method "denoc" holds the platform '
                         'exactly, without springs; leave it out, or take method="mdenoc" or "lvs"')
    ks = SPRINGS if ks is None else positive(ks, "ks", "N/m")
    torques, _ = inverse_dynamics(np.arange(SAMPLES)*2.0/SAMPLES, r0, gravity, elbows)
    offset, cosine, sine = series(torques)
    if len(sine) == SAMPLES//2:                         # no end of the series
        raise ModelError(f"in working mode {signs} the robot meets a singular pose on this rose, where no torque leads "
                         'on; take other elbows, or case="P0"')
    links, closures = [], []
    for leg, name in enumerate(LEGS):
        drive = Fourier(OMEGA, tuple(cosine[:, leg].tolist()), tuple(sine[:, leg].tolist()), float(offset[leg]))
        foot = BASE_SIDE/math.sqrt(3)*u(ANGLES[leg])
        links += [Link(name=f"{name}1", parent="base", at=(*foot, 0.0), length=L1, body=_rod(M1, L1, I1),
                       joint=Revolute(drive=drive)), Link(name=f"{name}2", length=L2, body=_rod(M2, L2, I2))]
        closures.append(Closure(kind="pin", a=f"platform.{name}", b=f"{name}2.tip", name=name,
                                stiffness=None if rigid else ks))
    corners = {name: (*(PLATFORM_SIDE/math.sqrt(3)*u(angle)), 0.0) for name, angle in zip(LEGS, ANGLES)}
    links.append(Link(name="platform", parent="base", joint=FreePlanar(), points=corners,
                      body=Body(mass=M_PLATFORM, inertia=(I_PLATFORM,)*3)))
    q, v = start(r0, elbows)
    if preloaded:
        q, v = stretched(q, v, r0, gravity, ks, elbows)
    return Chain(links, gravity=(0.0, -gravity, 0.0), closures=closures, start_q=tuple(q), start_v=tuple(v),
                 name="rrr-rose")


def _rod(mass, length, inertia):
    return Body(mass=mass, com=(length/2, 0.0, 0.0), inertia=(inertia, inertia, inertia))


def start(r0, elbows=UP):
    """(q, v) on the path at t = 0."""
    (q, qd, _), (x, v, _) = motion([0.0], r0, elbows)
    return np.concatenate([q.ravel(), x[0]]), np.concatenate([qd.ravel(), v[0]])


def gaps(q, v):
    """(c, A, c'): corners to tips (6,), their Jacobian (6, 9), their rates."""
    legs, x, theta = q[:6].reshape(3, 2), q[6:8], q[8]
    first, both = legs[:, 0], legs.sum(axis=1)
    corner = PLATFORM_SIDE/math.sqrt(3)*u(ANGLES + theta)
    c = BASE_SIDE/math.sqrt(3)*u(ANGLES) + L1*u(first) + L2*u(both) - x - corner
    A = np.zeros((3, 2, 9))
    for leg in range(3):
        A[leg, :, 2*leg], A[leg, :, 2*leg + 1] = E(L1*u(first[leg]) + L2*u(both[leg])), L2*E(u(both[leg]))
        A[leg, :, 6:8], A[leg, :, 8] = -np.eye(2), -E(corner[leg])
    A = A.reshape(6, 9)
    return c.ravel(), A, A @ v


def stretched(q, v, r0, gravity, ks, elbows=UP):
    """The nearest state, measured by the mass matrix, in which springs give the forces and their rates at t = 0."""
    _, forces = inverse_dynamics(np.arange(SAMPLES)*2.0/SAMPLES, r0, gravity, elbows)
    offset, cosine, sine = series(forces)
    harmonics = OMEGA*np.arange(1, len(sine) + 1)
    c = (offset + cosine.sum(axis=0)).ravel()/ks
    cd = np.tensordot(harmonics, sine, axes=1).ravel()/ks
    for _ in range(20):
        there, A, _ = gaps(q, v)
        q = q + _inertial(q, A, c - there)
    _, A, rates = gaps(q, v)
    return q, v + _inertial(q, A, cd - rates)


def _inertial(q, A, change):
    """The smallest step, measured by the mass matrix, that changes the gaps by `change`."""
    M = np.zeros((9, 9))
    for leg, block in enumerate(leg_inertia(q[:6].reshape(3, 2))):
        M[2*leg:2*leg + 2, 2*leg:2*leg + 2] = block
    M[6:, 6:] = np.diag([M_PLATFORM, M_PLATFORM, I_PLATFORM])
    W = np.linalg.solve(M, A.T)
    return W @ np.linalg.solve(A @ W, change)
