"""Energy and momentum along the motion: what comes in is what there is more of.

Derivatives are differences of order eight along the exact kinematics.
"""

import numpy as np
import pytest
from formulations import described, free_bodies, zoo
from formulations.common import examples, off, within
from formulations.free_bodies import moved, rate_of
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from strategies import chains_in_motion

import fastdyn as fd
from fastdyn import Free, Prismatic, Revolute, Spherical, Universal

pytestmark = [pytest.mark.usefixtures("one_ladder"), pytest.mark.kernels]
in_motion = st.booleans().flatmap(lambda planar: chains_in_motion(planar=planar))
with_laws = st.booleans().flatmap(lambda planar: chains_in_motion(planar=planar, laws=True))
floating = st.booleans().flatmap(lambda planar: chains_in_motion(planar=planar, free_base=True, laws=True))


def along(chain, q, v, acc, f):
    """df(q, v)/dt where v changes by acc."""
    return rate_of(lambda t: f(chain, moved(chain, q, v, t), v + t*acc))


def smooth(chain, q):
    """Whether no joint is about to reach a limit and no ball joint about to be half a turn away: kinks of the energy"""
    for link in chain.links:
        joint, a = link.joint, q[chain.q_slice(link.name)]
        if isinstance(joint, Spherical) and abs(a[0]) < 0.1:
            return False
        if isinstance(joint, Revolute | Prismatic | Universal):
            limits = [x for pair in (joint.lower, joint.upper) if pair is not None for x in np.atleast_1d(pair)]
            if any(abs(x - limit) < 0.1 for x in a for limit in limits):
                return False
    return True


def power_of_loads(chain, q, v, t, wrench):
    found = free_bodies.places(chain, q, v)
    return sum(p.w @ n + p.u @ f for p, (n, f) in zip(found, free_bodies.outer_wrenches(chain, found, t, wrench)))


def power_of_joints(chain, t, q, v):
    """Of dampers and drives: all but the springs and limits, which store it."""
    return v @ free_bodies.joint_laws(chain, t, q, v) - v @ free_bodies.joint_laws(*still(chain, q))


def still(chain, q):
    """Arguments of `joint_laws` for the springs alone: drives taken out, nothing moves."""
    return chain.replace(links=[described.undriven(link) for link in chain.links]), 0.0, q, np.zeros(chain.nv)


def balance_of_power(chain, q, v, torque, t, wrench=None):
    """d(T + V)/dt against the power that comes in, relative to the traffic."""
    acc = fd.forward_dynamics(chain, q, v, torque, t=t, wrench=wrench)
    stored = along(chain, q, v, acc, lambda *s: fd.kinetic_energy(*s) + fd.potential_energy(*s[:2]))
    given = v @ torque, power_of_loads(chain, q, v, t, wrench), power_of_joints(chain, t, q, v)
    size = np.abs(v) @ (np.abs(fd.mass_matrix(chain, q)) @ np.abs(acc) + np.abs(torque)) + np.abs(given).sum()
    return abs(stored - sum(given))/max(size, fd.kinetic_energy(chain, q, v), 1.0)


@settings(max_examples=examples(40))
@given(with_laws, st.integers(0, 60).map(lambda k: k/10))
def test_power(case, t):
    chain, q, v, torque = case
    assume(smooth(chain, q))
    assert within(balance_of_power(chain, q, v, torque, t), 1e-12)


@pytest.mark.parametrize("planar", [False, True])
def test_power_with_every_joint(planar):
    chain = zoo.tree(planar)
    for seed in range(3):
        q, v, torque = zoo.motion(chain, seed)
        wrench = np.random.default_rng(seed).uniform(-3.0, 3.0, (len(chain.links), 6))
        wrench *= [1, 1, 0, 0, 0, 1] if planar else 1.0
        assert within(balance_of_power(chain, q, v, torque, 0.7, wrench), 1e-12)


@settings(max_examples=examples(40))
@given(in_motion)
def test_speed_terms_and_the_rate_of_the_mass_matrix(case):
    """v'(Mdot - 2 C)v = 0: what the speeds ask for takes half the power the changing mass matrix gives."""
    chain, q, v, _ = case
    light = chain.replace(gravity=(0.0, 0.0, 0.0))
    rate = rate_of(lambda t: fd.mass_matrix(chain, moved(chain, q, v, t)))
    c = fd.bias(light, q, v)
    size = max(np.abs(v) @ np.abs(rate) @ np.abs(v), np.abs(v) @ np.abs(c), 1.0)
    assert within(abs(v @ rate @ v - 2.0*v @ c)/size, 1e-12)


@settings(max_examples=examples(40))
@given(in_motion)
def test_speed_terms_are_christoffel_symbols(case):
    """C(q, v) v from derivatives of M alone, where rates of coordinates are velocities."""
    chain, q, v, _ = case
    assume(chain.nq == chain.nv)
    light = chain.replace(gravity=(0.0, 0.0, 0.0))
    mass = [rate_of(lambda t, e=e: fd.mass_matrix(chain, q + t*e)) for e in np.eye(chain.nv)]      # dM/dq_k
    c = np.einsum("kij,j,k->i", mass, v, v) - 0.5*np.einsum("kij,i,j->k", mass, v, v)
    assert within(off(fd.bias(light, q, v), c, least=max(1.0, np.abs(mass).max())), 1e-12)


@settings(max_examples=examples(40))
@given(floating)
def test_momentum_of_a_floating_chain_changes_by_outer_forces_alone(case):
    chain, q, v, torque = case
    chain = chain.replace(links=[described.undriven(chain.links[0]), *chain.links[1:]])
    torque[chain.v_slice(chain.links[0].name)] = 0.0
    acc = fd.forward_dynamics(chain, q, v, torque, t=0.3)
    P, H = (along(chain, q, v, acc, lambda *s, k=k: fd.momentum(*s)[k]) for k in (0, 1))
    found = free_bodies.places(chain, q, v)
    outer = free_bodies.outer_wrenches(chain, found, 0.3)
    weight = free_bodies.momenta(chain, q, v)[4]*np.array(chain.gravity)
    F = outer[:, 1].sum(axis=0) + weight
    M = sum(n + np.cross(p.x, f) for p, (n, f) in zip(found, outer)) + np.cross(fd.mass_center(chain, q), weight)
    size = max(np.abs(np.array([P, F, H, M])).max(), *np.abs(fd.momentum(chain, q, v)).ravel(), 1.0)
    on = [0, 1, 5] if chain.planar else range(6)
    assert within(np.abs(np.concatenate([P - F, H - M]))[on].max()/size, 1e-12)


@settings(max_examples=examples(40))
@given(floating)
def test_momentum_is_what_the_floating_base_feels(case):
    """The rows of M v that belong to the base, about its origin and in its axes."""
    chain, q, v, _ = case
    base = chain.links[0]
    p = fd.mass_matrix(chain, q)[:6 if isinstance(base.joint, Free) else 2] @ v
    P, H = fd.momentum(chain, q, v)
    turn = free_bodies.turn_of(np.array(base.turn))
    if isinstance(base.joint, Free):
        R, x = fd.orientation(chain, q, base.name), fd.position(chain, q, base.name)
        assert within(off(R @ p[3:], H - np.cross(x, P), least=np.abs(p).max()), 1e-14)
        assert within(off(R @ p[:3], P), 1e-14)
    else:
        assert within(off((turn.T @ P)[:2], p), 1e-14)
