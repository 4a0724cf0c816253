"""The same arm as a chain for the general recursion: a judge that shares no formula with this room."""

import math

import numpy as np

from ..describe import Body, Chain, Constant, Fixed, Link, Load, Revolute
from ..describe.signals import SIGNALS
from .motions import values

def chain_of(arm) -> Chain:
    """An arm as a Chain: link "hub" with the stub, then "link1", ...; joints are angles between neighbours.

    A hub that a motor turns as prescribed is fixed: the chain lives in its frame, and where it moves a drive adds what
    bodies feel there. A drive also brings what signals of joints and loads cannot say: functions of time, a servo that
    follows a rotation.
    """
    made, start = arm.links, arm.rotation.at(0.0)[0]
    turning = arm.driven and not _rests(arm.rotation)
    half = 0.0 if turning else 0.5*start
    turn = (math.cos(half), 0.0, 0.0, math.sin(half))
    if arm.driven:
        hub = Fixed()
    else:
        torque = arm.torque if isinstance(arm.torque, SIGNALS) else Constant(0.0)
        hub = Revolute(stiffness=float(made.stiffness[0]), damping=float(made.damping[0]), drive=torque)
    joints = [hub] + [Revolute(stiffness=float(k), damping=float(c))
                      for k, c in zip(made.stiffness[1:], made.damping[1:])]
    links = [Link(name="hub" if j == 0 else f"link{j}", joint=joint, length=float(made.length[j]),
                  turn=turn if j == 0 else (1.0, 0.0, 0.0, 0.0), body=_body(made, j),
                  loads=() if turning else tuple(_loads(arm, j)))
             for j, joint in enumerate(joints)]
    drive = Drive(arm, start, turning)
    return Chain(links, gravity=(0.0, 0.0, 0.0) if turning else (*arm.gravity, 0.0), space="plane", name=arm.name,
                 drive=drive if drive.needed else None)


def _rests(rotation):
    return all(isinstance(part, Constant) for part in rotation) and rotation.rate.value == 0.0


class Drive:
    """What a chain's joints and loads cannot say of an arm, as its drive(t, q, v, torque, wrench).

    In a frame that turns by th0 a mass m at r with velocity u feels m (th0'^2 r - th0'' z x r - 2 th0' z x u) besides
    weight, and an inertia I the moment -I th0''; z x (x, y) = (-y, x).
    """

    def __init__(self, arm, start, turning):
        self.arm, self.start, self.turning = arm, start, turning
        self.follows = arm.servo is not None and not _rests(arm.rotation)
        self.torque = None if arm.driven or isinstance(arm.torque, SIGNALS) else arm.torque
        self.loads = [row for row in arm.acting
                      if turning or any(not isinstance(signal, SIGNALS) for signal in row[1:])]
        self.needed = turning or self.follows or self.torque is not None or bool(self.loads)

    def __call__(self, t, q, v, torque, wrench):
        arm, made, now = self.arm, self.arm.links, np.array([t])
        angle, rate, acceleration = arm.rotation.at(t)
        if self.follows:
            torque[0] += made.stiffness[0]*(angle - self.start) + made.damping[0]*rate
        if self.torque is not None:
            torque[0] += values(self.torque, now, "torque")[0]
        q, v = (np.concatenate([[0.0], x]) if arm.driven else x for x in (q, v))
        th, w = np.cumsum(q), np.cumsum(v)                              # from the frame of the hub, or of its start
        world = angle if self.turning else self.start
        for station, *row in self.loads:
            x, y, moment = (0.0 if isinstance(signal, SIGNALS) and not self.turning else values(signal, now)[0]
                            for signal in row)
            along, across = _turned(x, y, -world - th[station])
            wrench[station] += along, across, 0.0, 0.0, 0.0, moment + made.length[station]*across
        if not self.turning:
            return
        joint, speed, weight = np.zeros(2), np.zeros(2), np.array(_turned(*arm.gravity, -world))
        for j in range(arm.n + 1):
            unit = np.array([math.cos(th[j]), math.sin(th[j])])
            aside = np.array([-unit[1], unit[0]])
            r, u = joint + made.com[j]*unit, speed + made.com[j]*w[j]*aside
            pull = made.mass[j]*(weight + rate**2*r - acceleration*np.array([-r[1], r[0]])
                                 - 2.0*rate*np.array([-u[1], u[0]]))
            along, across = pull @ unit, pull @ aside
            wrench[j] += along, across, 0.0, 0.0, 0.0, made.com[j]*across - made.inertia[j]*acceleration
            joint, speed = joint + made.length[j]*unit, speed + made.length[j]*w[j]*aside


def _turned(x, y, angle):
    c, s = math.cos(angle), math.sin(angle)
    return c*x - s*y, s*x + c*y


def _body(made, j):
    """None where there is nothing; a hub without mass of its own is so small a weight that only its inertia counts."""
    m, I = float(made.mass[j]), float(made.inertia[j])
    if m == 0.0 and I == 0.0:
        return None
    return Body(mass=m or 1e-12*float(np.sum(made.mass)), com=(float(made.com[j]), 0.0, 0.0), inertia=(0.0, I, I))


def _loads(arm, j):
    """Of link j, as far as they are signals."""
    for station, *row in arm.acting:
        if station == j:
            for axis, given in enumerate(row[:2]):
                if isinstance(given, SIGNALS):
                    force = tuple(1.0 if i == axis else 0.0 for i in range(3))
                    yield Load(force=force, at=(float(arm.links.length[j]), 0.0, 0.0), frame="world", signal=given)
            if isinstance(row[2], SIGNALS):
                yield Load(moment=(0.0, 0.0, 1.0), signal=row[2])


def to_chain_state(arm, angles, rates):
    """(q, v) of the chain from angles and rates of the arm, of one state or rows of them."""
    start = arm.rotation.at(0.0)[0]
    q = np.diff(np.asarray(angles, float), axis=-1, prepend=start)
    v = np.diff(np.asarray(rates, float), axis=-1, prepend=0.0)
    return (q[..., 1:], v[..., 1:]) if arm.driven else (q, v)


def from_chain_state(arm, q, v, t=0.0):
    """(angles, rates) of the arm from states of the chain, at one time or a time a row."""
    q, v = np.asarray(q, float), np.asarray(v, float)
    if not arm.driven:
        return arm.rotation.at(0.0)[0] + np.cumsum(q, axis=-1), np.cumsum(v, axis=-1)
    angle, rate, _ = (values(part, np.atleast_1d(np.asarray(t, float)), "rotation") for part in arm.rotation)
    hub = (*q.shape[:-1], 1)
    return tuple(np.cumsum(np.concatenate([np.broadcast_to(first.reshape(-1, *(1,)*(q.ndim - 1)), hub), x], axis=-1),
                           axis=-1) if q.ndim > 1 else np.cumsum(np.append(first[0], x))
                 for first, x in ((angle, q), (rate, v)))
