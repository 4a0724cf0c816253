"""Forces of joints and closures by every road: each link on its own, against Newton and Euler in plain NumPy."""

import numpy as np
import pytest
from formulations import free_bodies
from formulations.common import within
from formulations.loop_chains import chains, closed_state
from msgspec.structs import replace

import fastdyn as fd
from fastdyn.run.loops import moved

CHAINS = chains()
HELD = {"multipliers": {}, "multipliers, denoc": {"formulation": "denoc"},
        "multipliers, lagrange": {"formulation": "lagrange"}, "null space": {"closures": "minimal"},
        "null space, denoc": {"formulation": "denoc", "closures": "minimal"}}
SPRUNG = {"springs": {}, "springs, denoc": {"formulation": "denoc"}, "springs, lagrange": {"formulation": "lagrange"}}
every_chain = pytest.mark.parametrize("name", ["two loops", "weld in the plane", "weld in space", "slot in space"])


def left_over(chain, q, v, torque, wrench, **road):
    """(links, 2, 3), size: what m a and I al + w x I w leave of all forces, and of their moments about the centre."""
    acc = fd.forward_dynamics(chain, q, v, torque, wrench=wrench, **road)
    joints = fd.reactions(chain, q, v, torque, wrench=wrench, **road)
    found = free_bodies.places(chain, q, v, acc)
    arm = {i: c for i, _, _, c, _ in free_bodies.weights(chain, found)}
    total = np.zeros((len(chain.links), 2, 3))

    def act(i, place, force, moment):
        if i >= 0:
            total[i] += force, moment + np.cross(place - found[i].x - arm[i], force)

    for i, (link, given, outer) in enumerate(zip(chain.links, joints, wrench)):
        R, x, parent = found[i].R, found[i].x, -1 if link.parent == "base" else chain.index(link.parent)
        act(i, x, R @ given[:3], R @ given[3:])
        act(parent, x, -R @ given[:3], -R @ given[3:])
        act(i, x, R @ outer[:3], R @ outer[3:])
    for held, given in zip(chain.held, fd.closure_forces(chain, q, v, torque, wrench=wrench, **road)):
        (a, _), (b, place) = held.a, held.b
        place = np.array(place) if b < 0 else found[b].x + found[b].R @ place
        act(b, place, given[:3], given[3:])
        act(a, place, -given[:3], -given[3:])
    for i, p, m, c, I in free_bodies.weights(chain, found):
        a = p.a + np.cross(p.al, c) + np.cross(p.w, np.cross(p.w, c))
        total[i] -= m*(a - np.array(chain.gravity)), I @ p.al + np.cross(p.w, I @ p.w)
    return total, max(1.0, np.abs(joints).max())


def state_of(chain, rng):
    wrench = rng.uniform(-3.0, 3.0, (len(chain.links), 6))*([1, 1, 0, 0, 0, 1] if chain.planar else 1.0)
    return *closed_state(chain, rng), rng.normal(size=chain.nv), wrench


@every_chain
def test_each_link_where_closures_are_held_exactly(name):
    chain = CHAINS[name]
    q, v, torque, wrench = state_of(chain, np.random.default_rng(5))
    usual = fd.closure_forces(chain, q, v, torque, wrench=wrench)
    for road, words in HELD.items():
        rest, size = left_over(chain, q, v, torque, wrench, **words)
        assert within(np.abs(rest).max()/size, 1e-9), road
        force = fd.closure_forces(chain, q, v, torque, wrench=wrench, **words)
        assert within(np.abs(force - usual).max()/size, 1e-9), road


@every_chain
def test_each_link_on_springs(name):
    rng = np.random.default_rng(6)
    q, v, torque, wrench = state_of(CHAINS[name], rng)
    chain = CHAINS[name].replace(closures=[replace(c, stiffness=1e4, damping=20.0) for c in CHAINS[name].closures])
    q = moved(chain, q, 0.05*rng.normal(size=chain.nv))
    for road, words in SPRUNG.items():
        rest, size = left_over(chain, q, v, torque, wrench, **words)
        assert within(np.abs(rest).max()/size, 1e-9), road


def test_after_runs_by_every_method():
    """One motion of a window: the same forces by every method, by springs of 1e9 N/m to what they give way."""
    held = fd.catalog.four_bar()
    sprung = held.replace(closures=[replace(c, stiffness=1e9) for c in held.closures])
    runs = {"multipliers": (held, {}), "null space": (held, {"closures": "minimal"}),
            "lagrange": (held, {"formulation": "lagrange"})}
    found = {}
    for name, (chain, words) in runs.items():
        run = fd.simulate(chain, 0.3, samples=2, rtol=1e-11, atol=1e-13, **words).check()
        found[name] = [ask(chain, run.q[-1], run.v[-1], **words) for ask in (fd.reactions, fd.closure_forces)]
    for name in found:
        for got, wanted in zip(found[name], found["multipliers"]):
            assert np.abs(got - wanted).max() < 1e-8*np.abs(wanted).max(), name
    q, v = run.q[-1], run.v[-1]
    force = fd.closure_forces(held, q, v)[0, :2]
    q = moved(held, q, -np.linalg.pinv(fd.gap_jacobian(held, q)) @ force/1e9)     # stretched by what they have to give
    for words in SPRUNG.values():
        given = fd.closure_forces(sprung, q, v, **words)[0, :2]
        assert np.abs(given - force).max() < 1e-6*np.abs(force).max()
        joints = fd.reactions(sprung, q, v, **words)
        assert np.abs(joints - found["multipliers"][0]).max() < 1e-5*np.abs(force).max()


def test_redundant_closures_share_by_the_null_space_too():
    pin = CHAINS["pin in the plane"].closures[0]
    twice = CHAINS["pin in the plane"].replace(closures=(pin, pin))
    q, v = closed_state(CHAINS["pin in the plane"], np.random.default_rng(5))
    usual, other = (fd.closure_forces(twice, q, v, closures=way) for way in ("multipliers", "minimal"))
    assert np.allclose(other, usual, rtol=0.0, atol=1e-10*np.abs(usual).max())


def test_a_road_that_is_not_known():
    chain = fd.catalog.four_bar()
    with pytest.raises(fd.ModelError, match='closures "none" is not known; choose from multipliers, minimal'):
        fd.reactions(chain, *chain.start_state(), closures="none")
    with pytest.raises(fd.ModelError, match='formulation "none" is not known'):
        fd.closure_forces(chain, *chain.start_state(), formulation="none")
