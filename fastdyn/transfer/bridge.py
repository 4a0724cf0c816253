"""The same arm as a chain for the general recursion: a judge that shares no formula with this room."""

import math

import numpy as np

from ..describe import Body, Chain, Constant, Fixed, Link, Load, Revolute
from ..describe.signals import SIGNALS
from ..status import ModelError

STILL = 1e-300                                          # rad/s: below this a rotation counts as resting


def chain_of(arm) -> Chain:
    """A BeamArm as a Chain: link "hub" with the stub, then "link1", ...; joints are angles between neighbours.

    The motor has to rest, or to be a servo about a resting angle; a torque and tip loads have to be signals.
    """
    start, rate, acceleration = arm.rotation.at(0.0)
    if not isinstance(arm.rotation.angle, Constant) or abs(rate) + abs(acceleration) > STILL:
        raise ModelError("a chain has no joint that turns as prescribed; give the arm a resting rotation, or a torque")
    made = arm.links
    half = 0.5*start
    turn = (math.cos(half), 0.0, 0.0, math.sin(half))
    if arm.driven:
        hub = Fixed()
    else:
        torque = Constant(0.0) if arm.torque is None else _signal(arm.torque, "torque")
        hub = Revolute(stiffness=float(made.stiffness[0]), damping=float(made.damping[0]), drive=torque)
    joints = [hub] + [Revolute(stiffness=float(k), damping=float(c))
                      for k, c in zip(made.stiffness[1:], made.damping[1:])]
    links = []
    for j, joint in enumerate(joints):
        last = j == len(joints) - 1
        links.append(Link(name="hub" if j == 0 else f"link{j}", joint=joint, length=float(made.length[j]),
                          turn=turn if j == 0 else (1.0, 0.0, 0.0, 0.0), body=_body(made, j),
                          loads=tuple(_loads(arm, float(made.length[j]))) if last else ()))
    return Chain(links, gravity=(*arm.gravity, 0.0), space="plane", name=arm.name)


def _body(made, j):
    """None where there is nothing; a hub without mass of its own is so small a weight that only its inertia counts."""
    m, I = float(made.mass[j]), float(made.inertia[j])
    if m == 0.0 and I == 0.0:
        return None
    return Body(mass=m or 1e-12*float(np.sum(made.mass)), com=(float(made.com[j]), 0.0, 0.0), inertia=(0.0, I, I))


def _loads(arm, length):
    for axis, given in enumerate(arm.tip_force):
        force = tuple(1.0 if i == axis else 0.0 for i in range(3))
        yield Load(force=force, at=(length, 0.0, 0.0), frame="world", signal=_signal(given, "tip_force"))
    yield Load(moment=(0.0, 0.0, 1.0), signal=_signal(arm.tip_moment, "tip_moment"))


def _signal(given, what):
    if not isinstance(given, SIGNALS):
        raise ModelError(f"{what} is a function of time, which chains do not take; give Constant, Sine or Table")
    return given


def to_chain_state(arm, angles, rates):
    """(q, v) of the chain from angles and rates of the arm, of one state or rows of them."""
    start = arm.rotation.at(0.0)[0]
    q = np.diff(np.asarray(angles, float), axis=-1, prepend=start)
    v = np.diff(np.asarray(rates, float), axis=-1, prepend=0.0)
    return (q[..., 1:], v[..., 1:]) if arm.driven else (q, v)


def from_chain_state(arm, q, v):
    """(angles, rates) of the arm from states of the chain."""
    start = arm.rotation.at(0.0)[0]
    if arm.driven:
        q, v = (np.insert(np.asarray(x, float), 0, 0.0, axis=-1) for x in (q, v))
    return start + np.cumsum(q, axis=-1), np.cumsum(v, axis=-1)
