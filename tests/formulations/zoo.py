"""One tree in space and one in the plane that hold every step the recursion knows, with branches, springs and loads."""

from functools import cache

import numpy as np
from strategies import random_chain, random_rotation, random_state

from fastdyn import (
    Chain, Fixed, Free, FreePlanar, Link, Load, Prismatic, Revolute, Sine, Spherical, Table, Universal)

SPRING = {"stiffness": 3.0, "damping": 0.4}
LIMITS = {"rest": 0.2, "lower": -0.3, "upper": 0.4, "limit_stiffness": 20.0, "limit_damping": 0.5}
RISING = Table([0.0, 1.0, 2.0], [-1.0, 2.0, 0.5])


@cache
def tree(planar=False, laws=True):
    """A floating tree with all kinds of joints."""
    return (_in_plane if planar else _in_space)(np.random.default_rng(7), laws)


def motion(chain, seed=3, rows=None):
    """(q, v, torque) of one state, or of many, one a row."""
    rng = np.random.default_rng(seed)
    made = [(*random_state(rng, chain), rng.uniform(-5.0, 5.0, chain.nv)) for _ in range(rows or 1)]
    return tuple(np.array(x) for x in zip(*made)) if rows else made[0]


def _in_space(rng, laws):
    bodies = [link.body for link in random_chain(rng, 17).links]
    turns = [random_rotation(rng) for _ in range(14)]
    axes = random_rotation(rng)
    spring, limits, drive, load = _laws(laws, planar=False)
    return Chain([
        Link(name="hub", joint=Free(), body=bodies[0], loads=load),
        Link(name="arm", joint=Revolute(**spring | limits), at=(0.3, 0.1, 0.0), turn=turns[1], body=bodies[1]),
        Link(name="fore", joint=Revolute(axis=_axis(axes), **drive), at=(0.5, 0.0, 0.1), turn=turns[2], body=bodies[2]),
        Link(name="hand", joint=Revolute(axis=(1.0, 0.0, 0.0)), at=(0.4, 0.1, 0.0), body=bodies[3], loads=load),
        Link(name="thumb", parent="fore", joint=Revolute(axis=(0.0, 1.0, 0.0)), at=(0.4, -0.1, 0.0), body=bodies[4]),
        Link(name="ball", parent="hub", joint=Spherical(**spring), at=(-0.3, 0.2, 0.1), body=bodies[5], loads=load),
        Link(name="bead", joint=Spherical(), at=(0.2, 0.0, 0.3), turn=turns[6], body=bodies[6]),
        Link(name="slide", parent="hub", joint=Prismatic(axis=_axis(axes), **spring | limits | drive), turn=turns[7],
             body=bodies[7]),
        Link(name="pin", joint=Revolute(), at=(0.1, 0.0, 0.3), body=bodies[8]),
        Link(name="drawer", joint=Prismatic(), at=(0.1, 0.2, 0.0), turn=turns[9], body=bodies[9]),
        Link(name="plate", joint=Fixed(), at=(0.1, 0.2, 0.0), turn=turns[10], body=bodies[10], loads=load),
        Link(name="cross", joint=Universal(**spring), at=(0.3, 0.0, 0.0), turn=turns[11], body=bodies[11]),
        Link(name="tray", parent="plate", joint=Fixed(), at=(0.1, -0.2, 0.0), body=bodies[12]),
        Link(name="tip", joint=Spherical(), at=(0.1, 0.2, 0.1), body=bodies[13]),
        Link(name="leg", parent="hub", joint=Revolute(axis=(0.0, 1.0, 0.0)), at=(0.0, 0.2, 0.0), body=bodies[14]),
        Link(name="knee", joint=Revolute(axis=(0.0, 1.0, 0.0)), at=(0.3, 0.1, 0.2), body=bodies[15]),
        Link(name="ankle", joint=Revolute(axis=(0.0, 0.0, -1.0)), at=(0.3, 0.0, 0.1), body=bodies[16]),
    ], space="space")


def _in_plane(rng, laws):
    bodies = [link.body for link in random_chain(rng, 10, "planar").links]
    turn = (float(np.cos(0.4)), 0.0, 0.0, float(np.sin(0.4)))
    axis = (0.6, -0.8, 0.0)
    spring, limits, drive, load = _laws(laws, planar=True)
    return Chain([
        Link(name="hub", joint=FreePlanar(), body=bodies[0], loads=load),
        Link(name="arm", joint=Revolute(**spring | limits), at=(0.3, 0.1, 0.0), turn=turn, body=bodies[1]),
        Link(name="fore", joint=Revolute(**drive), at=(0.5, 0.2, 0.0), body=bodies[2], loads=load),
        Link(name="drawer", parent="arm", joint=Prismatic(axis=axis, **spring | limits), turn=turn, body=bodies[3]),
        Link(name="plate", joint=Fixed(), at=(0.2, 0.1, 0.0), turn=turn, body=bodies[4], loads=load),
        Link(name="hand", joint=Revolute(), at=(0.4, 0.1, 0.0), body=bodies[5]),
        Link(name="tray", parent="plate", joint=Fixed(), at=(0.1, -0.2, 0.0), body=bodies[6]),
        Link(name="tip", parent="hub", joint=Prismatic(axis=(0.0, 1.0, 0.0)), at=(0.1, 0.2, 0.0), body=bodies[7]),
        Link(name="leg", parent="hub", joint=Revolute(), at=(0.3, 0.0, 0.0), body=bodies[8]),
        Link(name="foot", joint=Revolute(), at=(0.4, 0.0, 0.0), body=bodies[9]),
    ])


def _laws(laws, planar):
    """(spring, limits, drive, loads) as words, or nothing."""
    if not laws:
        return {}, {}, {}, ()
    z = 0.0 if planar else 0.7
    world = Load(force=(1.0, -2.0, z), at=(0.2, 0.1, z), frame="world", signal=Sine(1.5, 2.0, 0.3, 0.1))
    link = Load(force=(-0.5, 1.0, z), moment=(z, -z, 0.4), at=(-0.1, 0.3, z), signal=RISING)
    return SPRING, LIMITS, {"drive": RISING}, (world, link)


def _axis(q):
    return tuple((np.array(q[:3])/np.linalg.norm(q[:3])).tolist())
