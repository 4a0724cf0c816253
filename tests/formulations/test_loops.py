"""Gaps, their rates and second rates; accelerations of closed chains against the dense system of all unknowns."""

import numpy as np
import pytest
from formulations.loop_chains import bars, chains, closed_state

import fastdyn as fd
from fastdyn.formulations import loops as k
from fastdyn.run.loops import gap_list, moved

CHAINS = chains()
every_chain = pytest.mark.parametrize("name", CHAINS)


@pytest.fixture(params=CHAINS)
def moving(request):
    """(chain, q, v) with closed loops"""
    chain = CHAINS[request.param]
    return chain, *closed_state(chain, np.random.default_rng(len(request.param)))


def second_rates(chain, q, v, acc):
    return gap_list(chain, k.gap_seconds, q, v, acc)


def test_counts_of_gaps():
    counts = {name: len(chain.model.closure) for name, chain in CHAINS.items()}
    assert counts == {
        "pin in the plane": 2, "slot in the plane": 1, "slider in the plane": 2, "weld in the plane": 3,
        "distance in the plane": 1, "ball in space": 3, "pin in space": 5, "slot in space": 2, "slider in space": 5,
        "weld in space": 6, "distance in space": 1, "two loops": 3}


def test_rates_are_derivatives(moving):
    chain, q, v = moving
    v = np.random.default_rng(1).normal(size=chain.nv)
    h = 1e-6
    slope = (fd.gaps(chain, moved(chain, q, h*v)) - fd.gaps(chain, moved(chain, q, -h*v)))/(2*h)
    assert np.allclose(fd.gap_rates(chain, q, v), slope, atol=1e-8)
    assert np.allclose(fd.gap_jacobian(chain, q) @ v, fd.gap_rates(chain, q, v), atol=1e-13)


def test_second_rates_are_derivatives(moving):
    chain, q, v = moving
    rng, h = np.random.default_rng(2), 1e-6
    v, acc = rng.normal(size=chain.nv), rng.normal(size=chain.nv)
    later, before = (fd.gap_rates(chain, moved(chain, q, s*h*v), v + s*h*acc) for s in (1, -1))
    assert np.allclose(second_rates(chain, q, v, acc), (later - before)/(2*h), atol=1e-7)


def test_accelerations_solve_the_whole_system(moving):
    chain, q, v = moving
    torque = np.random.default_rng(3).normal(size=chain.nv)
    M, J, m = fd.mass_matrix(chain, q), fd.gap_jacobian(chain, q), len(chain.model.closure)
    whole = np.block([[M, -J.T], [J, np.zeros((m, m))]])
    right = np.concatenate([torque - fd.bias(chain, q, v), -second_rates(chain, q, v, np.zeros(chain.nv))])
    wanted = np.linalg.solve(whole, right)
    acc = fd.forward_dynamics(chain, q, v, torque)
    scale = max(1.0, np.abs(wanted).max())*np.linalg.cond(whole)*1e-14
    assert np.abs(acc - wanted[:chain.nv]).max() < scale
    assert np.abs(fd.forward_dynamics(chain, q, v, torque, formulation="denoc") - acc).max() < scale
    assert np.abs(second_rates(chain, q, v, acc)).max() < scale
    many = fd.forward_dynamics(chain, np.array([q, q]), np.array([v, v]), np.array([torque, torque]))
    assert np.array_equal(many[1], acc)


def test_as_few_unknowns_as_freedoms_give_the_same(moving):
    chain, q, v = moving
    torque = np.random.default_rng(3).normal(size=chain.nv)
    acc, minimal = (fd.forward_dynamics(chain, q, v, torque, closures=way) for way in ("multipliers", "minimal"))
    assert np.abs(minimal - acc).max() < 1e-11*max(1.0, np.abs(acc).max())
    assert np.abs(second_rates(chain, q, v, minimal)).max() < 1e-11*max(1.0, np.abs(acc).max())


def test_springs_are_elongation_energy(moving):
    """Generalized forces of springs and dampers are those of Lagrange: J'(-K g - D g')."""
    chain, q, v = moving
    rng = np.random.default_rng(6)
    q, v = moved(chain, q, 0.1*rng.normal(size=chain.nv)), rng.normal(size=chain.nv)
    soft = chain.replace(closures=[fd.Closure(**{f: getattr(c, f) for f in c.__struct_fields__}
                                              | {"stiffness": 70.0, "damping": 3.0}) for c in chain.closures])
    cut = chain.replace(closures=())
    pull = -70.0*fd.gaps(soft, q) - 3.0*fd.gap_rates(soft, q, v)
    wanted = fd.forward_dynamics(cut, q, v, fd.gap_jacobian(soft, q).T @ pull)
    assert np.allclose(fd.forward_dynamics(soft, q, v), wanted, atol=1e-11*np.abs(wanted).max())
    energy = fd.potential_energy(soft, q) - fd.potential_energy(cut, q)
    assert energy == pytest.approx(35.0*np.sum(fd.gaps(chain, q)**2), abs=1e-11)
    assert np.allclose(fd.inverse_dynamics(soft, q, v, wanted), 0.0, atol=1e-9*max(1.0, np.abs(wanted).max()))


def test_forces_of_closures_and_joints_add_up(moving):
    """What the base gives at its joints and closures, and weight, is the rate of momentum of the whole."""
    chain, q, v = moving
    acc, h = fd.forward_dynamics(chain, q, v), 1e-6
    linear, angular = (np.subtract(fd.momentum(chain, moved(chain, moved(chain, q, h*v), 0.5*h*h*acc), v + h*acc)[i],
                                   fd.momentum(chain, moved(chain, moved(chain, q, -h*v), 0.5*h*h*acc), v - h*acc)[i])
                       / (2*h) for i in (0, 1))
    weight = fd.momentum(chain, q, v)[0]*0.0 + np.array(chain.gravity)*sum(link.body.mass if link.body else link.mass
                                                                          for link in chain.links)
    force, moment = weight, np.cross(fd.mass_center(chain, q), weight)
    given = fd.reactions(chain, q, v)
    for link, wrench in zip(chain.links, given):
        if link.parent == "base":
            R, x = fd.orientation(chain, q, link.name), fd.position(chain, q, link.name)
            force, moment = force + R @ wrench[:3], moment + R @ wrench[3:] + np.cross(x, R @ wrench[:3])
    for closure, wrench in zip(chain.closures, fd.closure_forces(chain, q, v)):
        if not isinstance(closure.a, str):
            link, _, point = closure.b.partition(".")
            tip = chain.links[chain.index(link)].tip if point == "tip" else point
            x = fd.position(chain, q, link, tip)
            force, moment = force + wrench[:3], moment + wrench[3:] + np.cross(x, wrench[:3])
    scale = 1e-6*max(1.0, np.abs(given).max())
    assert np.allclose(force, linear, atol=scale) and np.allclose(moment, angular, atol=scale)


@every_chain
def test_runs_stay_closed_and_keep_their_energy(name):
    chain = CHAINS[name]
    q, v = closed_state(chain, np.random.default_rng(8))
    run = fd.simulate(chain, 1.0, q, 0.3*v, rtol=1e-10, atol=1e-12, samples=11)
    assert run.ok and np.abs(run.energy_change).max() < 1e-7
    for q, v in zip(run.q, run.v):
        assert np.abs(fd.gaps(chain, q)).max() < 1e-13 and np.abs(fd.gap_rates(chain, q, v)).max() < 1e-12


def test_what_is_held_twice_shares_the_force():
    pin = {"kind": "pin", "a": (1.2, 0.3, 0.0), "b": "bar3.tip"}
    once, twice = (fd.Chain(bars(3), closures=[fd.Closure(**pin)]*n) for n in (1, 2))
    q, v = closed_state(once, np.random.default_rng(5))
    assert np.allclose(fd.forward_dynamics(twice, q, v), fd.forward_dynamics(once, q, v), rtol=1e-12)
    whole, parts = fd.closure_forces(once, q, v), fd.closure_forces(twice, q, v)
    assert np.allclose(parts, 0.5*whole[[0, 0]], rtol=1e-10)


def test_minimal_runs_are_those_of_multipliers():
    chain = fd.catalog.four_bar()
    with pytest.raises(fd.ModelError, match='closures "none" is not known; choose from multipliers, minimal'):
        fd.simulate(chain, 1.0, closures="none")
    with pytest.raises(fd.ModelError, match="the chain has none that is held exactly"):
        fd.simulate(chain.replace(closures=()), 1.0, closures="minimal")
    usual, minimal = (fd.simulate(chain, 1.0, samples=11, rtol=1e-11, atol=1e-13, closures=way).check()
                      for way in ("multipliers", "minimal"))
    assert np.abs(minimal.q - usual.q).max() < 1e-8 and np.abs(minimal.energy_change).max() < 1e-9
    assert max(np.abs(fd.gaps(chain, q)).max() for q in minimal.q) < 1e-13
    assert minimal.settings["closures"] == "minimal" and "closures" not in usual.settings
    q, v = usual.q[5], usual.v[5]
    acc, other = (fd.forward_dynamics(chain, q, v, closures=way) for way in ("multipliers", "minimal"))
    assert np.abs(other - acc).max() < 1e-10*np.abs(acc).max()


def test_what_hangs_on_a_closure_weighs_what_it_weighs():
    """A bar on two strings at rest: half its weight in each closure."""
    bar = fd.Link(joint=fd.FreePlanar(), length=1.0, mass=2.0)
    strings = [fd.Closure(kind="distance", a=(x, 1.0, 0.0), b=end, length=1.0)
               for x, end in ((0.0, "link1"), (1.0, "link1.tip"))]
    chain = fd.Chain([bar], closures=strings)
    assert np.allclose(fd.closure_forces(chain, np.zeros(3), np.zeros(3))[:, :3], [[0.0, 9.81, 0.0]]*2, atol=1e-13)
