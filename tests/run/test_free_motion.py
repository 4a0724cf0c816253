"""Chains left to themselves: closed forms, what must be conserved, coordinates that follow velocities, refusals."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from scipy.special import ellipj, ellipk
from strategies import chains, random_chain, states

import fastdyn as fd
from fastdyn.describe.catalog import n_pendulum
from fastdyn.run.coordinates import Coordinates
from fastdyn.run.free_motion import free_motion, not_conserved_by

pytestmark = pytest.mark.usefixtures("one_ladder")


@pytest.mark.parametrize("angle", [0.1, math.pi/2, 3.0])
def test_one_rod_swings_as_the_elliptic_functions_say(angle):
    run = free_motion(n_pendulum(1, length=0.7, angle=angle), t_end=4.0, samples=50)
    k, omega = math.sin(angle/2), math.sqrt(1.5*9.81/0.7)
    _, cn, dn, _ = ellipj(omega*run.t, k*k)
    assert np.allclose(angle + run.q[:, 0], 2*np.arcsin(k*cn/dn), rtol=0, atol=2e-8)
    assert 4*ellipk(k*k)/omega < 4.0                                          # it came back at least once


def test_a_thrown_tree_keeps_its_momenta_and_falls_like_a_stone():
    chain = random_chain(np.random.default_rng(5), 5, "mixed", free=True, tree=True, gravity=(0.3, -2.0, 1.0))
    spring = fd.Spherical(stiffness=3.0)
    chain = chain.replace(links=[*chain.links, fd.Link(name="tail", length=0.4, mass=0.5, radius=0.05, joint=spring)])
    run = free_motion(chain, t_end=1.5, samples=7)
    start = fd.mass_center(chain, run.q[0])
    fallen = np.array([fd.mass_center(chain, q) - start for q in run.q])
    assert np.allclose(fallen, 0.5*run.t[:, None]**2*np.array(chain.gravity), rtol=0, atol=1e-9)
    mass = sum(link.rigid_body.mass for link in chain.links)
    for t, q, v in zip(run.t, run.q, run.v):
        linear, angular = fd.momentum(chain, q, v)
        assert np.allclose(linear, mass*t*np.array(chain.gravity), rtol=0, atol=1e-9)
        assert np.allclose(angular, np.cross(start, mass*t*np.array(chain.gravity)), rtol=0, atol=1e-9)


@pytest.mark.parametrize("kind", ["planar", "spherical", "universal"])
def test_energy_is_kept(kind):
    chain = random_chain(np.random.default_rng(1), 4, kind)
    run = free_motion(chain, t_end=1.0, samples=30)
    assert not not_conserved_by(chain) and run.energy_scale > 0.1
    assert np.max(np.abs(run.energy_change)) < 1e-9
    assert np.max(run.kinetic) == run.energy_scale and np.ptp(run.potential) > 0.1


def test_damping_takes_energy_at_every_moment():
    chain = fd.Chain([fd.Link(length=1.0, mass=1.0, joint=fd.Revolute(damping=0.4))]*3)
    change = free_motion(chain, t_end=2.0, samples=40).energy_change
    assert np.all(np.diff(change) < 0.0) and change[-1] < -0.1


@given(chains(max_links=4).flatmap(lambda chain: states(chain).map(lambda state: (chain, *state))))
@settings(max_examples=25)
def test_coordinates_follow_velocities(chain_and_state):
    chain, q, v = chain_and_state
    coordinates, h, point = Coordinates(chain), 1e-5, (0.3, 0.2, 0.0)
    rate = coordinates.rate(q, v)
    for name in chain.link_names:
        ahead, behind = (fd.position(chain, coordinates.normalized(q + s*h*rate), name, point) for s in (1, -1))
        linear, _ = fd.velocity(chain, q, v, name, point)
        assert np.allclose((ahead - behind)/(2*h), linear, rtol=0, atol=1e-6)
    for i in coordinates.ball_q:
        assert abs(q[i:i + 4] @ rate[i:i + 4]) < 1e-12


def test_quaternions_stay_of_length_one():
    chain = fd.Chain([fd.Link(length=1.0, mass=1.0, radius=0.1, joint=fd.Spherical())]*2)
    run = free_motion(chain, t_end=1.0, samples=20)
    for link in chain.link_names:
        assert np.allclose(np.linalg.norm(run.q[:, chain.q_slice(link)], axis=1), 1.0, rtol=0, atol=1e-15)


def test_more_samples_change_what_is_kept_and_little_else():
    few, many = (free_motion(n_pendulum(3), t_end=1.0, samples=n) for n in (3, 401))
    assert np.allclose(few.q, many.q[::200], rtol=0, atol=1e-7)
    assert 400 <= many.steps <= 400 + few.steps
    assert np.array_equal(many.t, np.linspace(0.0, 1.0, 401)) and many.q.shape == many.v.shape == (401, 3)


def test_a_run_repeats_itself_bit_by_bit():
    first, second = (free_motion(n_pendulum(4), t_end=0.5, samples=11) for _ in range(2))
    assert np.array_equal(first.q, second.q) and np.array_equal(first.energy, second.energy)


def test_progress_is_told_in_order_and_to_the_end():
    told = []
    run = free_motion(n_pendulum(2), t_end=0.7, samples=3, at=lambda *times: told.append(times))
    assert len(told) == run.steps and told == sorted(told) and told[-1] == (0.7, 0.7)
    assert run.evaluations > 11*run.steps


@pytest.mark.parametrize("field, words", [
    ({"joint": fd.Revolute(damping=0.1)}, 'link "b" has joint.damping'),
    ({"joint": fd.Revolute(upper=1.0, limit_stiffness=1.0, limit_damping=0.1)}, 'link "b" has joint.limit_damping'),
    ({"joint": fd.Revolute(drive=fd.Constant(1.0))}, 'link "b" has joint.drive'),
    ({"loads": [fd.Load(force=(1.0, 0.0, 0.0))]}, 'link "b" has loads'),
    ({"joint": fd.Revolute(stiffness=1.0, upper=1.0, limit_stiffness=1.0)}, ""),
])
def test_what_feeds_or_drains_the_energy_is_named(field, words):
    rod = fd.Link(name="a", length=1.0, mass=1.0)
    assert not_conserved_by(fd.Chain([rod, fd.Link(name="b", length=1.0, mass=1.0, **field)])) == words


def test_a_drive_of_the_user_is_named():
    chain = fd.Chain([fd.Link(length=1.0, mass=1.0)], drive=lambda t, q, v, torque, wrench: None)
    assert not_conserved_by(chain) == "the chain has a drive"


@pytest.mark.parametrize("words, said", [
    ({"t_end": 0.0}, "t_end is 0 s; give a t_end > 0"),
    ({"t_end": math.inf}, "t_end is inf; give a finite number in s"),
    ({"samples": 1}, "samples is 1; give 2 or more"),
])
def test_times_that_make_no_sense_are_refused(words, said):
    with pytest.raises(fd.ModelError, match=said):
        free_motion(n_pendulum(1), **words)


def test_a_chain_that_cannot_move_is_refused():
    with pytest.raises(fd.ModelError, match="nothing can move"):
        free_motion(fd.Chain([fd.Link(length=1.0, mass=1.0, joint=fd.Fixed())]))


def test_a_torque_without_bounds_stops_the_run_where_it_sets_in():
    def drive(t, q, v, torque, wrench):
        torque[0] = 1e300*(t > 0.3)

    chain = fd.Chain([fd.Link(length=1.0, mass=1.0)], drive=drive)
    with pytest.raises(fd.SimulationError, match=r"^t = 0\.3 s: .*not finite"):
        free_motion(chain, t_end=1.0, samples=3)
