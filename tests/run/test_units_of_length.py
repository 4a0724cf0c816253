"""A mechanism said in micrometres or in thousands of kilometres: the same answers, in its units."""

import numpy as np
import pytest
from formulations.loop_chains import chains, closed_state
from msgspec.structs import replace

import fastdyn as fd
from fastdyn.describe.lengths import farthest, loop_length, mechanism_length
from fastdyn.run.scales import scales
from fastdyn.status import ModelError

CHAINS = chains() | {"bricard": fd.catalog.bricard(), "stewart": fd.catalog.stewart(push=30.0)}
UNITS = 1e-6, 1e6


def times(unit, x):
    return None if x is None else tuple(unit*np.array(x))


def in_units(chain, unit):
    """The chain with all its lengths, and its gravity, that many times as large; masses stay."""
    links = []
    for link in chain.links:
        body, joint = link.body, link.joint
        if body is not None:
            body = replace(body, com=times(unit, body.com), inertia=tuple(map(tuple, unit*unit*np.array(body.inertia))))
        if isinstance(joint, fd.Prismatic):
            joint = replace(joint, drive=[fd.Constant(unit*push.value) for push in joint.drive])
        links.append(replace(link, at=times(unit, link.at), length=unit*link.length, radius=unit*link.radius, body=body,
                             joint=joint, points={name: times(unit, at) for name, at in link.points.items()}))
    closures = [replace(c, length=None if c.length is None else unit*c.length,
                        **{end: at if isinstance(at := getattr(c, end), str) else times(unit, at) for end in "ab"})
                for c in chain.closures]
    found = chain.replace(links=links, closures=closures, gravity=times(unit, chain.gravity), start_q=None)
    return found if chain.start_q is None else found.replace(start_q=tuple(places(found, unit)*chain.start_q))


def speeds(chain, unit):
    return np.where(scales(chain).turns, 1.0, unit)


def places(chain, unit):
    """What each coordinate is multiplied by."""
    lengths = {link.name: isinstance(link.joint, fd.Prismatic) for link in chain.links}
    return np.array([unit if name.split(".")[-1] in ("x", "y", "z") or lengths[name.split(".")[0]] else 1.0
                     for name in chain.coordinate_names])


@pytest.fixture(params=CHAINS)
def closed(request):
    chain = CHAINS[request.param]
    if request.param in ("bricard", "stewart"):
        q = chain.start_state()[0]
        return (chain, *fd.assemble(chain, q, np.cos(np.arange(chain.nv))))
    return (chain, *closed_state(chain, np.random.default_rng(3)))


@pytest.mark.parametrize("unit", UNITS)
def test_rank_measures_and_motion_are_the_same(closed, unit):
    chain, q, v = closed
    other, here, rate = in_units(chain, unit), q*places(chain, unit), v*speeds(chain, unit)
    mine, theirs = fd.mobility(chain, q), fd.mobility(other, here)
    assert theirs[:5] == mine[:5] and theirs.measure == pytest.approx(mine.measure, rel=1e-6)
    drives, last = [chain.link_names[0]], chain.link_names[-1]
    mine, theirs = (fd.singularity(c, x, drives, last, output="turning") for c, x in ((chain, q), (other, here)))
    assert theirs == pytest.approx(mine, rel=1e-6, abs=1e-12, nan_ok=True)
    for way in ("multipliers", "minimal"):
        mine, theirs = (fd.forward_dynamics(*state, closures=way) for state in ((chain, q, v), (other, here, rate)))
        assert np.abs(theirs/speeds(chain, unit) - mine).max() < 1e-9*max(1.0, np.abs(mine).max())


@pytest.mark.parametrize("unit", UNITS)
def test_the_same_guess_closes_the_same_way(closed, unit):
    chain, q, v = closed
    step = 0.02*np.cos(1.0 + np.arange(chain.nv))
    other, guess = in_units(chain, unit), fd.run.loops.moved(chain, q, step)
    mine, fast = fd.assemble(chain, guess, v + step)
    theirs, rate = fd.assemble(other, guess*places(chain, unit), (v + step)*speeds(chain, unit))
    assert np.abs(theirs/places(chain, unit) - mine).max() < 1e-9
    assert np.abs(rate/speeds(chain, unit) - fast).max() < 1e-9*max(1.0, np.abs(fast).max())
    assert np.all(np.abs(fd.gaps(other, theirs)) < 2e-12*scales(other).closing)


@pytest.mark.parametrize("name", ["weld in the plane", "bricard"])
@pytest.mark.parametrize("unit", UNITS)
def test_runs_are_the_same(name, unit):
    chain = CHAINS[name]
    q, v = (fd.assemble(chain, chain.start_state()[0], np.cos(np.arange(chain.nv))) if name == "bricard" else
            closed_state(chain, np.random.default_rng(3)))
    mine, theirs = (fd.simulate(c, 0.5, q, v, rtol=1e-10, atol=1e-12, samples=3).check()
                    for c in (chain, in_units(chain, unit)))
    assert np.abs(theirs.q - mine.q).max() < 1e-7 and np.abs(theirs.v - mine.v).max() < 1e-6


@pytest.mark.parametrize("unit", UNITS)
def test_open_loops_are_told_in_any_unit(unit):
    chain = in_units(fd.catalog.four_bar(), unit)
    q, v = fd.assemble(chain, v=[1.0, 0.0, 0.0])
    with pytest.raises(ModelError, match=r"closure\[0\] is open by"):
        fd.simulate(chain, 0.1, q + [0.0, 1e-5, 0.0], v)
    with pytest.raises(ModelError, match=r"closure\[0\] opens with"):
        fd.simulate(chain, 0.1, q, v + [0.0, 1e-5, 0.0])
    fd.drive_torques(chain, q, v, fd.forward_dynamics(chain, q, v), ["crank"])


def test_lengths_of_mechanisms_and_loops():
    chain = fd.catalog.four_bar()
    assert mechanism_length(chain) == loop_length(chain, chain.held[0], 9.0) == farthest(chain) == 1.2
    assert loop_length(chain, chain.held[0], 1e13) == 1e13              # 1.2 is rounding of that
    away = chain.replace(links=[replace(link, at=np.add(at, (500.0, 0.0, 0.0)).tolist()) if link.parent == "base" else
                                link for link, at in zip(chain.links, chain.joint_positions)])
    assert mechanism_length(away) == pytest.approx(1.2) and farthest(away) == pytest.approx(501.0)
    assert mechanism_length(fd.catalog.heavy_top()) > 0.0
    small = fd.Link(name="small", parent="rocker", at=(0.0, 0.0, 0.0), length=1e-3, mass=1.0)
    branch = fd.Link(name="branch", length=1e-3, mass=1.0)
    held = fd.Closure(kind="pin", a="branch.tip", b="rocker")
    both = chain.replace(links=[*chain.links, small, branch], closures=[*chain.closures, held], start_q=None)
    assert loop_length(both, both.held[1], 1.2) == 1e-3 and mechanism_length(both) == 1.2


def test_angles_of_a_small_loop_are_told_as_angles():
    bars = [fd.Link(name=name, length=1.0, mass=1.0) for name in "abc"]
    chain = fd.Chain(bars, closures=[fd.Closure(kind="weld", a=(1.0, 0.5, 0.0), b="c.tip")])
    q = fd.assemble(chain, [0.25, 2.64, -2.89])
    with pytest.raises(ModelError, match=r"closure\[0\] is open by 0.00\d+ rad"):
        fd.simulate(chain, 0.1, q + [0.0, 0.0, 1e-3], np.zeros(3))
