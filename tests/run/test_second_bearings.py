"""Closures of several gaps that say what a joint says already: their rows are rounding, and hold nothing.

A door with a second bearing, a lift with a second rail: accelerations, runs, forces and torques are those without.
"""

import numpy as np
import pytest
from msgspec.structs import replace

import fastdyn as fd

SKEW = (0.36, 0.48, 0.8)
BODY = fd.Body(mass=2.0, com=(0.5, 0.1, 0.2), inertia=(0.1, 0.2, 0.2))
PLANAR = fd.Body(mass=2.0, com=(0.5, 0.1, 0.0), inertia=(0.1, 0.2, 0.2))
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


ODD = 0.1 + 0.2 - 0.3                                  # 5.55e-17: what a sum leaves of no distance


def nearly_there(where):
    """A door pinned again at its hinge, but for the rounding of a place."""
    door = fd.Link(name="door", joint=fd.Revolute(), length=1.0, body=PLANAR, points={"c": (ODD, 0.0, 0.0)})
    if where == "at the base":
        return [door], fd.Closure(kind="pin", a=(0.0, 0.0, 0.0), b="door.c")
    if where == "without lengths":
        return [replace(door, length=0.0)], fd.Closure(kind="pin", a=(0.0, 0.0, 0.0), b="door.c")
    if where == "on an arm":
        arm = fd.Link(name="arm", length=1.0, mass=1.0, radius=0.1, points={"p": (0.1 + 0.2, 0.0, 0.0)})
        return [arm, replace(door, at=(0.3, 0.0, 0.0))], fd.Closure(kind="pin", a="arm.p", b="door")
    knee = fd.Link(name="knee", at=(1.0, 0.0, 0.0), joint=fd.Fixed(), length=1.0, body=PLANAR)
    return [knee, replace(door, at=(-1.0, 0.0, 0.0))], fd.Closure(kind="pin", a=(0.0, 0.0, 0.0), b="door.c")


@ROADS
@pytest.mark.parametrize("where", ["at the base", "without lengths", "on an arm", "behind a knee"])
def test_rounding_of_a_place_is_no_lever(where, closures):
    """Neither as the length of a loop nor as a reach: at rest and in motion."""
    links, bearing = nearly_there(where)
    once, twice = (fd.Chain(links, closures=held, space="plane") for held in ([], [bearing]))
    q = np.array([0.3, 0.4])[:once.nv]
    assert fd.mobility(twice, q)[:5] == (2, 0, once.nv, once.nv, ("closure[0]",))
    for v in (np.zeros(once.nv), np.array([1.0, 0.5])[:once.nv]):
        run, alone = fd.simulate(twice, 1.0, q, v, closures=closures), fd.simulate(once, 1.0, q, v)
        assert run.ok and np.abs(run.q - alone.q).max() < 1e-8
        assert "(rank 0 of 2 gaps)" in run.notes[0]


def test_a_lever_that_is_small_and_real_holds():
    """A pin a micrometre off the hinge: the door stands still, as it would where the pin is far off."""
    door = fd.Link(name="door", joint=fd.Revolute(), length=1.0, body=PLANAR, points={"c": (1e-6, 0.0, 0.0)})
    chain = fd.Chain([door], closures=[fd.Closure(kind="pin", a=(1e-6, 0.0, 0.0), b="door.c")], space="plane")
    assert fd.mobility(chain, [0.0])[:3] == (2, 1, 0) and abs(fd.forward_dynamics(chain, [0.0], [0.0])[0]) < 1e-6
    assert np.abs(fd.simulate(chain, 0.1, [0.0]).q).max() < 1e-9


def behind_a_knee(s, kind):
    """The place is told on a link that is fixed to the door, and near its hinge only by a difference."""
    door = fd.Link(name="door", joint=fd.Revolute(), length=1.0, body=PLANAR)
    knee = fd.Link(name="knee", at=(0.7, 0.0, 0.0), joint=fd.Fixed(), length=1.0, body=PLANAR,
                   points={"c": (s - 0.7, 0.0, 0.0)})
    held = (fd.Closure(kind="pin", a=(s, 0.0, 0.0), b="knee.c") if kind == "pin" else
            fd.Closure(kind="distance", a=(0.0, -1.0, 0.0), b="knee.c", length=np.hypot(1.0, s)))
    return fd.Chain([door, knee], closures=[held])


def beside_the_axis(s, kind):
    link = fd.Link(name="door", joint=fd.Revolute(axis=(0.0, 0.0, 1.0)), length=1.0, body=BODY,
                   points={"c": (s, 0.0, 0.7)})
    held = fd.Closure(kind=kind, a=(s, 0.0, 0.7), b="door.c", axis=None if kind == "ball" else (0.0, 0.0, 1.0))
    return fd.Chain([link], closures=[held], space="space", gravity=(0.0, -9.81, 0.0))


def askew(s, kind):
    """A pin whose axis, or a rail that, leans by s: all of its place is on the axis, or the way, of the joint."""
    leaning = (0.0, np.sin(s), np.cos(s)) if kind == "pin" else (np.cos(s), np.sin(s), 0.0)
    joint = fd.Revolute(axis=(0.0, 0.0, 1.0)) if kind == "pin" else fd.Prismatic(axis=(1.0, 0.0, 0.0))
    link = fd.Link(name="door", joint=joint, length=1.0, body=BODY, points={"c": (0.0, 0.0, 0.7)})
    held = fd.Closure(kind=kind, a=(0.0, 0.0, 0.7), b="door.c", axis=leaning)
    return fd.Chain([link], closures=[held], space="space", gravity=(-5.0, -9.81, 0.0))


SMALL = {f"{made.__name__} {kind}": (made, kind) for made, kinds in (
    (behind_a_knee, ("pin", "distance")), (beside_the_axis, ("ball", "pin", "slot")), (askew, ("pin", "slot")))
    for kind in kinds}


@ROADS
@pytest.mark.parametrize("which", SMALL)
def test_small_levers_of_a_single_joint_hold(which, closures):
    """Nothing is singular where nothing can move: what is no rounding holds, whether other gaps are rounding or not."""
    made, kind = SMALL[which]
    for s in (3e-9, 1e-7, 1e-5, 3e-4, 1e-2):
        chain = made(s, kind)
        assert fd.mobility(chain, [0.0])[1:4] == (1, 0, 0)
        assert abs(fd.forward_dynamics(chain, [0.0], [0.0], closures=closures)[0]) < 1e-6
        run = fd.simulate(chain, 0.1, [0.0], closures=closures, samples=2)
        assert run.ok and np.abs(run.q).max() < 1e-8
        assert fd.closure_forces(chain, [0.0], [0.0])[0] != pytest.approx(0.0)
    assert which == "behind_a_knee distance" or "no freedom is left" in run.notes[0]
    free = made(3e-10, kind)
    assert fd.mobility(free, [0.0])[1:4] == (0, 1, 1)
    assert abs(fd.forward_dynamics(free, [0.0], [0.0], closures=closures)[0]) > 1.0


@pytest.mark.parametrize("more", [False, True], ids=["alone", "beside a second bearing"])
def test_a_gap_that_is_left_out_though_it_says_something_is_told(more):
    """A telescope on a rail that leans by a microradian; whatever else is told of this closure, or of others."""
    links = [fd.Link(name="outer", joint=fd.Prismatic(axis=(1.0, 0.0, 0.0)), body=BODY),
             fd.Link(name="inner", joint=fd.Prismatic(axis=(1.0, 0.0, 0.0)), body=BODY),
             fd.Link(name="door", parent="base", joint=fd.Revolute(), body=BODY, points={"c": (0.0, 0.0, 1.0)})]
    rail = fd.Closure(kind="slot", a=(0.0, 0.0, 0.0), b="inner", axis=(np.cos(1e-6), np.sin(1e-6), 0.0), name="rail")
    bearing = fd.Closure(kind="ball", a=(0.0, 0.0, 1.0), b="door.c", name="bearing")
    chain = fd.Chain(links, space="space", closures=[rail, bearing] if more else [rail])
    notes = fd.simulate(chain, 0.1, np.zeros(3), np.zeros(3)).notes
    assert len(notes) == 2 and notes[0].count("1 of its 2 gaps says nothing") == 1
    assert ('closure[1] "bearing": says nothing' in notes[0]) == more
    assert notes[1].startswith('closure[0] "rail": takes no part at the start, where joints move its gaps by less')


@ROADS
@pytest.mark.parametrize("which", SECOND)
@pytest.mark.parametrize("digits", [10, 12])
def test_places_told_in_ten_digits_are_places(digits, which, closures):
    """As a drawing tells them: no lever, no jump to where the rest would close, no door that stands still."""
    random = np.random.default_rng(3)
    for _ in range(6):
        made, kind = SECOND[which]
        axis, foot = random.normal(size=3), tuple(np.round(random.normal(size=3), digits))
        links, bearing = made(kind, tuple(axis/np.linalg.norm(axis)), random.uniform(0.5, 1.5), foot)
        if not isinstance(bearing.a, str):
            bearing = replace(bearing, a=tuple(np.round(bearing.a, digits)))
        last = next(link for link in links if link.points and f"{link.name}." in bearing.b)
        links[links.index(last)] = replace(
            last, points={name: tuple(np.round(at, digits)) for name, at in last.points.items()})
        twice, once = (fd.Chain(links, closures=held, space="space") for held in ([bearing], []))
        exact = {"samples": 6, "rtol": 1e-10}
        run, alone = fd.simulate(twice, 0.5, closures=closures, **exact), fd.simulate(once, 0.5, **exact)
        assert run.ok and np.abs(run.q - alone.q).max() < 1e-8 and np.abs(run.v - alone.v).max() < 1e-7


def contradicted():
    """A ball 1e-8 m off the hinge of a door and its place on the base a radian further: they meet, a radian away."""
    door = fd.Link(name="door", joint=fd.Revolute(axis=(0.0, 0.0, 1.0)), length=1.0, body=BODY,
                   points={"c": (1e-8, 0.0, 0.7)})
    held = fd.Closure(kind="ball", a=(1e-8*np.cos(1.0), 1e-8*np.sin(1.0), 0.7), b="door.c")
    return fd.Chain([door], closures=[held], space="space")


def test_starts_that_close_far_away_are_refused():
    """Joints hardly move what is open by 1e-8 m, or opens with that much a second."""
    chain = contradicted()
    with pytest.raises(fd.ModelError, match=r"closure\[0\] is open by .*e-09 m at the start and closes only 1 rad"):
        fd.simulate(chain, 0.1, [0.0])
    assert fd.simulate(chain, 0.1, [1.0]).ok
    with pytest.raises(fd.ModelError, match=r"closure\[0\] opens with .*e-08 m/s at the start .* change by 1 of"):
        fd.simulate(chain, 0.1, [1.0], [2.0])


@ROADS
@pytest.mark.parametrize("speed", [1e-15, 1e-9, 1e-7])
def test_what_cannot_move_begins_with_speeds_of_rounding(speed, closures):
    """They are projected to rounding, which is no motion that could leave a singular pose."""
    random = np.random.default_rng(4)
    for _ in range(10):
        place = tuple(random.uniform(0.2, 0.9, 3))
        door = fd.Link(name="door", joint=fd.Revolute(axis=(0.0, 0.0, 1.0)), length=1.0, body=BODY, points={"c": place})
        chain = fd.Chain([door], closures=[fd.Closure(kind="ball", a=place, b="door.c")], space="space")
        run = fd.simulate(chain, 0.1, [0.0], [speed], closures=closures)
        assert run.ok and np.abs(run.q).max() < 1e-15


@pytest.mark.parametrize("count", [4, 30])
def test_many_of_them(count):
    """More gaps than are told from each other singly: the whole is held as a skyline."""
    links, bearing = door("pin", SKEW, 0.7, (0.0, 0.0, 0.0))
    once, twice = fd.Chain(links, space="space"), fd.Chain(links, closures=[bearing]*count, space="space")
    assert fd.forward_dynamics(twice, [0.3], [1.0]) == pytest.approx(fd.forward_dynamics(once, [0.3], [1.0]), rel=1e-12)
    run, alone = (fd.simulate(chain, 0.5, [0.3], [1.0], samples=2) for chain in (twice, once))
    assert np.abs(run.q - alone.q).max() < 1e-9
