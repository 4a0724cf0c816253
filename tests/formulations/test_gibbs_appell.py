"""The function G itself: its value, its derivatives, what it does not know, and that accelerations make it least."""

import numpy as np
import pytest
from formulations import free_bodies
from formulations.common import examples, off, within
from formulations.zoo import motion, tree
from hypothesis import given, settings
from hypothesis import strategies as st
from strategies import chains_in_motion

import fastdyn as fd
from fastdyn import Body, Chain, Link, Spherical
from fastdyn.formulations import gibbs_appell
from fastdyn.layout import ACTING, work_of

pytestmark = [pytest.mark.usefixtures("one_ladder"), pytest.mark.kernels]
in_motion = st.booleans().flatmap(lambda planar: chains_in_motion(planar=planar))
floating = st.booleans().flatmap(lambda planar: chains_in_motion(planar=planar, free_base=True))


def by_hand(chain, q, v, acc):
    """G and the sum of its terms' sizes: every link a free body in world axes."""
    terms = []
    for _, p, m, c, I in free_bodies.weights(chain, free_bodies.places(chain, q, v, acc)):
        a = p.a + np.cross(p.al, c) + np.cross(p.w, np.cross(p.w, c))
        terms += [0.5*m*a @ a, 0.5*p.al @ I @ p.al, p.al @ np.cross(p.w, I @ p.w)]
    return sum(terms), sum(np.abs(terms))


@settings(max_examples=examples(60))
@given(in_motion)
def test_value_is_the_sum_over_free_bodies(case):
    chain, q, v, acc = case
    G, size = by_hand(chain, q, v, acc)
    assert within(abs(fd.gibbs_function(chain, q, v, acc) - G)/max(size, 1.0), 1e-13)


def gradient(chain, q, v, acc):
    """G is quadratic in acc: central differences are exact but for rounding, of any step."""
    steps = np.eye(chain.nv)
    ahead, behind = (fd.gibbs_function(chain, [q]*chain.nv, [v]*chain.nv, acc + way*steps) for way in (1.0, -1.0))
    return (ahead - behind)/2.0


@settings(max_examples=examples(60))
@given(in_motion)
def test_gradient_is_m_acc_plus_h(case):
    chain, q, v, acc = case
    light = chain.replace(gravity=(0.0, 0.0, 0.0))
    slope = gradient(chain, q, v, acc)
    M, h = (f for f in (fd.mass_matrix(light, q), fd.bias(light, q, v)))
    size = max(by_hand(chain, q, v, acc + e)[1] for e in np.eye(chain.nv)) + 1.0
    assert within(np.abs(slope - (M @ acc + h)).max()/size, 1e-13)
    torque = fd.inverse_dynamics(light, q, v, acc, formulation="gibbs-appell")
    assert within(np.abs(slope - torque).max()/size, 1e-13)


@settings(max_examples=examples(40))
@given(in_motion)
def test_accelerations_make_g_less_work_least(case):
    """G - torque.acc is least for the true accelerations and grows by d' M d/2 over a step d away from them."""
    chain, q, v, torque = case
    light, d = chain.replace(gravity=(0.0, 0.0, 0.0)), np.roll(torque, 1)
    acc = fd.forward_dynamics(light, q, v, torque, formulation="gibbs-appell")
    least, there = (fd.gibbs_function(light, q, v, a) - torque @ a for a in (acc, acc + d))
    growth = 0.5*d @ fd.mass_matrix(light, q, formulation="gibbs-appell") @ d
    size = by_hand(light, q, v, acc + d)[1] + np.abs(torque) @ np.abs(acc + d) + 1.0
    assert within(abs(there - least - growth)/size, 1e-12)


@pytest.mark.parametrize("planar", [False, True])
def test_value_knows_of_no_force(planar):
    chain = tree(planar)
    q, v, acc = motion(chain)
    model, weightless = chain.model, chain.replace(gravity=(0.0, 0.0, 0.0))
    work = work_of(model, dense=gibbs_appell.dense_size(model))
    work.wrench[:], work.torque[:], work.note[ACTING] = 3.0, 4.0, 1
    assert gibbs_appell.gibbs_function(model)(model, work, q, v, acc) == fd.gibbs_function(weightless, q, v, acc)


@settings(max_examples=examples(30))
@given(floating)
def test_all_that_falls_alike_has_g_of_its_mass(case):
    """At rest, with only the base accelerating along a line: G = m a.a/2 of the whole."""
    chain, q, v, _ = case
    n = 2 if chain.planar else 3
    acc = np.zeros(chain.nv)
    acc[:n] = (1.0, -2.0, 3.0)[:n]
    mass = sum(link.rigid_body.mass for link in chain.links)
    assert within(abs(fd.gibbs_function(chain, q, 0.0*v, acc)/(0.5*mass*acc @ acc) - 1.0), 1e-14)


# two equal links of length 2 l, pushed at their ends across themselves: Khoshnood, Azad & Razavi (2016), eq. 91
L, M, I = 1.0, 3.0, 0.7


@pytest.mark.parametrize("joint", ["turning", "ball"])
def test_two_links_pushed_at_their_ends(joint):
    body = Body(mass=M, com=(L, 0.0, 0.0), inertia=(0.2, I, I))
    words = {"joint": Spherical()} if joint == "ball" else {}
    chain = Chain([Link(length=2*L, body=body, **words)]*2, gravity=(0.0, 0.0, 0.0))
    rng = np.random.default_rng(4)
    for _ in range(20):
        (a, b), (ad, bd), (f1, f2) = rng.uniform(-2.0, 2.0, (3, 2))
        c, s, K = np.cos(b), np.sin(b), I + M*L*L
        mass = np.array([[2*K + 4*M*L*L*(1 + c), K + 2*M*L*L*c], [K + 2*M*L*L*c, K]])
        push = 2*L*np.array([f1 + f2*(1 + c), f2])
        expected = np.linalg.solve(mass, push + 2*M*L*L*s*np.array([bd*(2*ad + bd), -ad*ad]))
        w = np.array([[0.0, f, 0.0, 0.0, 0.0, 2*L*f] for f in (f1, f2)])
        q, v = np.array([a, b]), np.array([ad, bd])
        if joint == "ball":
            q = np.concatenate([(np.cos(x/2), 0.0, 0.0, np.sin(x/2)) for x in q])
            v = np.array([0.0, 0.0, ad, 0.0, 0.0, bd])
        acc = fd.forward_dynamics(chain, q, v, wrench=w, formulation="gibbs-appell")
        assert within(off(acc if joint == "turning" else acc[2::3], expected), 1e-13)
        assert joint == "turning" or within(np.abs(np.delete(acc, [2, 5])).max(), 1e-13)
