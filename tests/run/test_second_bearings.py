"""Closures of several gaps that say what a joint says already: their rows are rounding, and hold nothing.

A door with a second bearing, a lift with a second rail: accelerations, runs, forces and torques are those without.
"""

import numpy as np
import pytest

import fastdyn as fd

SKEW = (0.36, 0.48, 0.8)
BODY = fd.Body(mass=2.0, com=(0.5, 0.1, 0.2), inertia=(0.1, 0.2, 0.2))
ROADS = pytest.mark.parametrize("closures", ["multipliers", "minimal"])


def on_axis(axis, height):
    return tuple(height*np.array(axis))


def door(kind, axis, height, foot):
    at = tuple(foot + np.array(on_axis(axis, height)))
    link = fd.Link(name="door", at=foot, length=1.0, joint=fd.Revolute(axis=axis), body=BODY,
                   points={"bearing": on_axis(axis, height)})
    return [link], fd.Closure(kind=kind, a=at, b="door.bearing", axis=None if kind == "ball" else axis)


def lift(kind, axis, height, foot):
    link = fd.Link(name="car", at=foot, joint=fd.Prismatic(axis=axis), body=BODY, points={"shoe": (0.0, height, 0.0)})
    at = tuple(np.array(foot) + (0.0, height, 0.0))
    return [link], fd.Closure(kind=kind, a=at, b="car.shoe", axis=axis)


def on_an_arm(kind, axis, height, foot):
    """The hinge is on a link that moves, and the link behind it carries another: rows in the midst of a chain."""
    links = [fd.Link(name="arm", at=foot, length=1.0, mass=1.0, radius=0.1, joint=fd.Spherical(),
                     points={"bearing": tuple((1.0, 0.0, 0.0) + np.array(on_axis(axis, height)))}),
             fd.Link(name="door", length=1.0, joint=fd.Revolute(axis=axis), body=BODY,
                     points={"bearing": on_axis(axis, height)}),
             fd.Link(name="tail", length=0.5, mass=0.5, radius=0.1, joint=fd.Universal())]
    line = None if kind == "ball" else axis
    return links, fd.Closure(kind=kind, a="arm.bearing", b="door.bearing", axis=line)


SECOND = {f"{made.__name__} {kind}": (made, kind) for made, kinds in (
    (door, ("pin", "ball", "slot")), (on_an_arm, ("pin", "ball", "slot")), (lift, ("slot", "slider")))
    for kind in kinds}


def bearings(which, random, foot=(0.0, 0.0, 0.0)):
    """(chain with the second one, chain without, a state)"""
    made, kind = SECOND[which]
    axis = random.normal(size=3)
    links, closure = made(kind, tuple(axis/np.linalg.norm(axis)), random.uniform(0.2, 1.5), foot)
    twice, once = (fd.Chain(links, closures=closures, space="space") for closures in ([closure], []))
    q = fd.assemble(once, random.uniform(-1.0, 1.0, once.nq))
    return twice, once, q, random.uniform(-1.0, 1.0, once.nv)


@ROADS
@pytest.mark.parametrize("foot", [(0.0, 0.0, 0.0), (300.0, -500.0, 800.0)], ids=["here", "far"])
@pytest.mark.parametrize("which", SECOND)
def test_a_second_bearing_holds_nothing(which, foot, closures):
    random = np.random.default_rng(7)
    for _ in range(8):
        twice, once, q, v = bearings(which, random, foot)
        acc = fd.forward_dynamics(once, q, v)
        found = fd.forward_dynamics(twice, q, v, closures=closures)
        assert np.abs(found - acc).max() < 1e-9*max(1.0, np.abs(acc).max())
        assert np.abs(fd.closure_forces(twice, q, v, closures=closures)).max() == 0.0
        assert fd.mobility(twice, q)[:5] == (len(fd.gaps(twice, q)), 0, twice.nv, twice.nv, ("closure[0]",))


@ROADS
@pytest.mark.parametrize("which", SECOND)
def test_runs_with_a_second_bearing(which, closures):
    twice, once, q, v = bearings(which, np.random.default_rng(11))
    exact = {"samples": 6, "rtol": 1e-10, "atol": 1e-10}
    run, alone = fd.simulate(twice, 0.5, q, v, closures=closures, **exact), fd.simulate(once, 0.5, q, v, **exact)
    assert run.ok and np.abs(run.q - alone.q).max() < 1e-8 and np.abs(run.q[-1] - q).max() > 0.01
    assert run.notes[0].startswith("closure[0]: says nothing that joints and other gaps do not (rank 0 of")


@ROADS
def test_a_second_bearing_beside_a_loop(closures):
    """The chain is closed besides: what holds keeps its forces, and the bearing has none."""
    links, bearing = on_an_arm("pin", SKEW, 0.7, (0.0, 0.0, 0.0))
    once = fd.Chain(links, closures=[fd.Closure(kind="ball", a=(1.5, 0.6, 0.3), b="tail.tip")])
    twice = once.replace(closures=[bearing, *once.closures])
    q = fd.assemble(once, once.zero_state()[0] + 0.1)
    q, v = fd.assemble(once, q, np.random.default_rng(2).uniform(-1.0, 1.0, once.nv))
    acc = fd.forward_dynamics(once, q, v)
    assert np.abs(fd.forward_dynamics(twice, q, v, closures=closures) - acc).max() < 1e-9*np.abs(acc).max()
    forces, alone = (fd.closure_forces(chain, q, v, closures=closures) for chain in (twice, once))
    assert np.abs(forces[1] - alone[0]).max() < 1e-9*np.abs(alone).max() and np.abs(forces[0]).max() == 0.0


@pytest.mark.parametrize("count", [4, 30])
def test_many_of_them(count):
    """More gaps than are told from each other singly: the whole is held as a skyline."""
    links, bearing = door("pin", SKEW, 0.7, (0.0, 0.0, 0.0))
    once, twice = fd.Chain(links, space="space"), fd.Chain(links, closures=[bearing]*count, space="space")
    assert fd.forward_dynamics(twice, [0.3], [1.0]) == pytest.approx(fd.forward_dynamics(once, [0.3], [1.0]), rel=1e-12)
    run, alone = (fd.simulate(chain, 0.5, [0.3], [1.0], samples=2) for chain in (twice, once))
    assert np.abs(run.q - alone.q).max() < 1e-9
