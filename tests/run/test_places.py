"""Where things are and how fast they move, against free bodies; Jacobians against speeds, differences and statics."""

import numpy as np
import pytest
from formulations import free_bodies, zoo
from formulations.common import examples, off, within
from formulations.free_bodies import moved, rate_of
from hypothesis import given, settings
from hypothesis import strategies as st
from strategies import between, chains_in_motion

import fastdyn as fd
from fastdyn import ModelError

pytestmark = [pytest.mark.usefixtures("one_ladder"), pytest.mark.kernels]
in_motion = st.booleans().flatmap(lambda planar: chains_in_motion(planar=planar))
with_laws = st.booleans().flatmap(lambda planar: chains_in_motion(planar=planar, laws=True))
points = st.tuples(*[between(-1.0, 1.0)]*3)


@settings(max_examples=examples(60))
@given(in_motion, points)
def test_places_and_speeds(case, point):
    chain, q, v, _ = case
    for link, p in zip(chain.links, free_bodies.places(chain, q, v)):
        d = p.R @ point
        assert within(off(fd.orientation(chain, q, link.name), p.R), 1e-14)
        assert within(off(fd.position(chain, q, link.name), p.x, least=1.0), 1e-14)
        assert within(off(fd.position(chain, q, link.name, point), p.x + d, least=1.0), 1e-14)
        u, w = fd.velocity(chain, q, v, link.name, point)
        assert within(off(w, p.w, least=1.0), 1e-14) and within(off(u, p.u + np.cross(p.w, d), least=1.0), 1e-14)


@settings(max_examples=examples(40))
@given(in_motion, points)
def test_velocity_is_the_rate_of_position(case, point):
    chain, q, v, _ = case
    name = chain.links[-1].name
    u, w = fd.velocity(chain, q, v, name, point)
    rate = rate_of(lambda t: fd.position(chain, moved(chain, q, v, t), name, point))
    assert within(off(u, rate, least=1.0), 1e-12)
    R, rate = fd.orientation(chain, q, name), rate_of(lambda t: fd.orientation(chain, moved(chain, q, v, t), name))
    W = rate @ R.T
    assert within(off([W[2, 1], W[0, 2], W[1, 0]], w, least=1.0), 1e-12)


@settings(max_examples=examples(40))
@given(in_motion, points)
def test_jacobian_times_velocity(case, point):
    chain, q, v, _ = case
    for link in chain.links:
        J = fd.jacobian(chain, q, link.name, point)
        assert J.shape == (6, chain.nv)
        assert within(off(J @ v, np.concatenate(fd.velocity(chain, q, v, link.name, point)), least=1.0), 1e-14)
        for j, e in enumerate(np.eye(chain.nv)):
            column = np.concatenate(fd.velocity(chain, q, e, link.name, point))
            assert within(off(J[:, j], column, least=1.0), 1e-14)


@settings(max_examples=examples(60))
@given(in_motion, points)
def test_accelerations(case, point):
    chain, q, v, acc = case
    for link, p in zip(chain.links, free_bodies.places(chain, q, v, acc)):
        d = p.R @ point
        a, al = fd.acceleration(chain, q, v, acc, link.name, point)
        expected = p.a + np.cross(p.al, d) + np.cross(p.w, np.cross(p.w, d))
        assert within(off(al, p.al, least=1.0), 1e-14) and within(off(a, expected, least=1.0), 1e-14)


def rates_of_velocity(chain, q, v, acc, link, point):
    """Differences of (velocity, angular velocity) along a motion that passes q with v and acc"""
    return rate_of(lambda t: np.array(fd.velocity(chain, moved(chain, q, v, t), v + t*acc, link, point)))


@settings(max_examples=examples(40))
@given(in_motion, points)
def test_acceleration_is_the_rate_of_velocity(case, point):
    chain, q, v, acc = case
    name = chain.links[-1].name
    got = np.array(fd.acceleration(chain, q, v, acc, name, point))
    assert within(off(got, rates_of_velocity(chain, q, v, acc, name, point), least=1.0), 1e-11)


@settings(max_examples=examples(40))
@given(in_motion, points)
def test_acceleration_by_the_jacobian(case, point):
    """J acc + dJ/dt v; without acc the latter alone"""
    chain, q, v, acc = case
    for link in chain.links:
        J = fd.jacobian(chain, q, link.name, point)
        turning = rate_of(lambda t, name=link.name: fd.jacobian(chain, moved(chain, q, v, t), name, point)) @ v
        rest = np.concatenate(fd.acceleration(chain, q, v, None, link.name, point))
        whole = np.concatenate(fd.acceleration(chain, q, v, acc, link.name, point))
        assert within(off(rest, turning, least=1.0), 1e-11)
        assert within(off(whole, J @ acc + rest, least=1.0), 1e-14)


def test_what_falls_has_the_acceleration_of_gravity():
    """And what circles that towards the centre."""
    chain = fd.Chain([fd.Link(joint=fd.Free(), body=fd.Body.box((0.3, 0.2, 0.1), 2.0))])
    q, v = chain.zero_state()
    a, al = fd.acceleration(chain, q, v, fd.forward_dynamics(chain, q, v), "link1", (1.0, 2.0, 3.0))
    assert np.abs(a - chain.gravity).max() < 1e-14 and np.abs(al).max() < 1e-14
    wheel = fd.Chain([fd.Link(length=2.0, mass=1.0)])
    a, al = fd.acceleration(wheel, [np.pi/2], [3.0], [0.5], "link1", (2.0, 0.0, 0.0))
    assert a == pytest.approx([-1.0, -18.0, 0.0], abs=1e-14) and al.tolist() == [0.0, 0.0, 0.5]


@settings(max_examples=examples(40))
@given(in_motion, points)
def test_statics_by_the_transposed_jacobian(case, force):
    """A wrench on a link is felt by the joints as J' times it."""
    chain, q, v, acc = case
    force = np.array(force)*[1, 1, not chain.planar]
    moment = force[::-1]*([0, 0, 1] if chain.planar else 1.0)
    without = fd.inverse_dynamics(chain, q, v, acc)
    size = np.abs(free_bodies.reactions(chain, q, v, acc)).max() + 1.0
    for i, link in enumerate(chain.links):
        wrench = np.zeros((len(chain.links), 6))
        wrench[i] = *force, *moment
        R = fd.orientation(chain, q, link.name)
        felt = fd.jacobian(chain, q, link.name).T @ np.concatenate([R @ force, R @ moment])
        given = fd.inverse_dynamics(chain, q, v, acc, wrench=wrench)
        assert within(np.abs(without - given - felt).max(initial=0.0)/size, 1e-14)


@settings(max_examples=examples(40))
@given(with_laws)
def test_energies_and_momenta(case):
    chain, q, v, _ = case
    P, H, T, center, mass = free_bodies.momenta(chain, q, v)
    got = fd.momentum(chain, q, v)
    assert within(off(got[0], P, least=mass), 1e-14) and within(off(got[1], H, least=mass), 1e-14)
    assert within(off(fd.kinetic_energy(chain, q, v), T, least=mass), 1e-14)
    assert within(off(fd.mass_center(chain, q), center, least=1.0), 1e-14)
    height = -mass*np.dot(chain.gravity, center)
    light = chain.replace(gravity=(0.0, 0.0, 0.0))
    springs = fd.potential_energy(light, q)
    assert springs >= 0.0
    assert within(abs(fd.potential_energy(chain, q) - springs - height)/max(100.0, abs(height), springs), 1e-14)


@pytest.mark.parametrize("planar", [False, True])
def test_every_joint_in_its_place(planar):
    chain = zoo.tree(planar)
    q, v, _ = zoo.motion(chain)
    for link, p in zip(chain.links, free_bodies.places(chain, q, v)):
        u, w = fd.velocity(chain, q, v, link.name)
        J = fd.jacobian(chain, q, link.name)
        for got, expected in ((fd.orientation(chain, q, link.name), p.R), (fd.position(chain, q, link.name), p.x),
                              (u, p.u), (w, p.w), (J @ v, np.concatenate([p.u, p.w]))):
            assert within(off(got, expected, least=1.0), 1e-14)


def test_named_points():
    chain = fd.Chain([fd.Link(length=2.0, mass=1.0, points={"grip": (1.5, 0.0, 0.0)})])
    assert fd.position(chain, [np.pi/2], "link1", "grip") == pytest.approx([0.0, 1.5, 0.0], abs=1e-15)
    u, w = fd.velocity(chain, [0.0], [2.0], "link1", "grip")
    assert u.tolist() == [0.0, 3.0, 0.0] and w.tolist() == [0.0, 0.0, 2.0]
    assert fd.jacobian(chain, [0.0], "link1", "grip")[:, 0].tolist() == [0.0, 1.5, 0.0, 0.0, 0.0, 1.0]
    with pytest.raises(ModelError, match='link "link1": there is no point "gripp"; it has "tip", "grip"'):
        fd.position(chain, [0.0], "link1", "gripp")
    with pytest.raises(ModelError, match='did you mean "link1"'):
        fd.position(chain, [0.0], "link2")


def test_the_tip_by_its_name():
    """As where closures and grounds name it: the end of the link, bent or not, unless a point has that name."""
    rigid = fd.Link(length=2.0, mass=1.0)
    bent = fd.catalog.falling_chain("cc", n=1)
    for chain, q in ((fd.Chain([rigid]), np.array([0.3])), (bent, bent.start_state()[0] + 0.01)):
        link, = chain.links
        for ask in (fd.position, fd.jacobian, fd.orientation):
            assert np.array_equal(ask(chain, q, link.name, "tip"), ask(chain, q, link.name, link.tip))
    own = fd.Chain([fd.Link(length=2.0, mass=1.0, points={"tip": (1.5, 0.0, 0.0)})])
    assert fd.position(own, [0.0], "link1", "tip").tolist() == [1.5, 0.0, 0.0]


@pytest.mark.parametrize("ask", [fd.position, fd.jacobian])
@pytest.mark.parametrize("point", [(0.0, 0.0), "x", (0.0, np.nan, 0.0), None, (0.0, 1j, 0.0)])
def test_points_that_are_none(ask, point):
    chain = fd.Chain([fd.Link(length=2.0, mass=1.0)])
    with pytest.raises(ModelError, match="point"):
        ask(chain, [0.0], "link1", point)
