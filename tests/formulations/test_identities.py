"""Forward and inverse dynamics, mass matrix and bias of any chain: consistent with each other and with free bodies."""

import numpy as np
import pytest
from formulations import free_bodies, zoo
from formulations.common import JOINTS_IN_PLANE, JOINTS_IN_SPACE, examples, off, within
from hypothesis import given, settings
from hypothesis import strategies as st
from strategies import chains_in_motion

import fastdyn as fd
from fastdyn.layout import STEP

pytestmark = [pytest.mark.usefixtures("one_ladder"), pytest.mark.kernels]
EPS = 2.0**-52
in_motion = st.booleans().flatmap(lambda planar: chains_in_motion(planar=planar))
with_laws = st.booleans().flatmap(lambda planar: chains_in_motion(planar=planar, laws=True))
times = st.integers(-10, 60).map(lambda k: k/10)


def effort(chain, q, v, acc):
    """The torques' size before they add up: what rounding is measured against."""
    return np.max(np.abs(fd.mass_matrix(chain, q)) @ np.abs(acc) + np.abs(fd.bias(chain, q, v)), initial=1.0)


@pytest.mark.parametrize("planar", [False, True])
def test_every_joint_there_is(planar):
    chain = zoo.tree(planar)
    assert set(chain.model.row[:, STEP]) == set(JOINTS_IN_PLANE if planar else JOINTS_IN_SPACE)
    q, v, torque = zoo.motion(chain)
    wrench = np.random.default_rng(1).uniform(-3.0, 3.0, (len(chain.links), 6))*([1, 1, 0, 0, 0, 1] if planar else 1.0)
    acc = fd.forward_dynamics(chain, q, v, torque, t=0.7, wrench=wrench)
    size = np.abs(free_bodies.reactions(chain, q, v, acc, 0.7, wrench)).max()
    for ask in (fd.inverse_dynamics, free_bodies.inverse_dynamics):
        assert within(np.abs(ask(chain, q, v, acc, t=0.7, wrench=wrench) - torque).max()/size, 1e-14)
    M = fd.mass_matrix(chain, q)
    assert within(np.abs(M @ fd.apply_inverse_mass(chain, q, torque) - torque).max()/np.abs(torque).max(), 1e-13)


@settings(max_examples=examples(60))
@given(with_laws, times)
def test_inverse_of_forward(case, t):
    chain, q, v, torque = case
    acc = fd.forward_dynamics(chain, q, v, torque, t=t)
    back = fd.inverse_dynamics(chain, q, v, acc, t=t)
    assert within(np.abs(back - torque).max()/effort(chain, q, v, acc), 1e-14)


@settings(max_examples=examples(60))
@given(with_laws, times)
def test_forward_of_inverse(case, t):
    chain, q, v, acc = case
    torque = fd.inverse_dynamics(chain, q, v, acc, t=t)
    back = fd.forward_dynamics(chain, q, v, torque, t=t)
    weakest = np.linalg.eigvalsh(fd.mass_matrix(chain, q)).min()
    assert within(np.abs(back - acc).max()*weakest/effort(chain, q, v, acc), 1e-14)


@settings(max_examples=examples(60))
@given(with_laws, times)
def test_torques_are_those_of_free_bodies(case, t):
    chain, q, v, acc = case
    torque = fd.inverse_dynamics(chain, q, v, acc, t=t)
    size = np.max(np.abs(free_bodies.reactions(chain, q, v, acc, t)), initial=1.0)
    assert within(np.abs(torque - free_bodies.inverse_dynamics(chain, q, v, acc, t)).max()/size, 1e-14)


@settings(max_examples=examples(60))
@given(in_motion)
def test_mass_matrix(case):
    """Symmetric to the last bit, positive definite, M acc + h = torque; columns are torques of unit accelerations."""
    chain, q, v, acc = case
    M, h = fd.mass_matrix(chain, q), fd.bias(chain, q, v)
    assert np.array_equal(M, M.T) and np.linalg.eigvalsh(M).min() > 0.0
    assert within(np.abs(M @ acc + h - fd.inverse_dynamics(chain, q, v, acc)).max()/effort(chain, q, v, acc), 1e-14)
    still, light = np.zeros(chain.nv), chain.replace(gravity=(0.0, 0.0, 0.0))
    columns = np.array([fd.inverse_dynamics(light, q, still, e) for e in np.eye(chain.nv)]).T
    assert within(off(M, columns), 1e-14)
    freely = np.array([free_bodies.inverse_dynamics(light, q, still, e) for e in np.eye(chain.nv)]).T
    assert within(off(M, freely), 1e-14)


@settings(max_examples=examples(60))
@given(in_motion)
def test_inverse_mass(case):
    chain, q, _, x = case
    y = fd.apply_inverse_mass(chain, q, x)
    M = fd.mass_matrix(chain, q)
    assert within(np.abs(M @ y - x).max()/np.max(np.abs(M) @ np.abs(y), initial=1e-300), 1e-14)


@settings(max_examples=examples(60))
@given(in_motion)
def test_kinetic_energy(case):
    chain, q, v, _ = case
    T = fd.kinetic_energy(chain, q, v)
    assert within(abs(T - 0.5*v @ fd.mass_matrix(chain, q) @ v)/max(T, 1e-300), 1e-14) and T >= 0.0
    assert within(abs(T - free_bodies.momenta(chain, q, v)[2])/max(T, 1e-300), 1e-14)


@settings(max_examples=examples(40))
@given(in_motion)
def test_bias_is_even_and_square_in_the_speeds(case):
    chain, q, v, _ = case
    light = chain.replace(gravity=(0.0, 0.0, 0.0))
    h = fd.bias(light, q, v)
    assert np.array_equal(fd.bias(light, q, -v), h)
    assert np.array_equal(fd.bias(light, q, 4.0*v), 16.0*h)
    size = np.abs(free_bodies.reactions(light, q, 3.0*v, 0.0*v)).max()
    assert within(np.abs(fd.bias(light, q, 3.0*v) - 9.0*h).max()/max(size, 1e-300), 1e-14)


@settings(max_examples=examples(40))
@given(in_motion)
def test_without_speed_accelerations_are_linear(case):
    chain, q, v, torque = case
    light, rest = chain.replace(gravity=(0.0, 0.0, 0.0)), np.zeros(chain.nv)
    one = fd.forward_dynamics(light, q, rest, torque)
    assert np.array_equal(fd.forward_dynamics(light, q, rest, -0.5*torque), -0.5*one)
    both = fd.forward_dynamics(light, q, rest, v) + one
    size = max(np.abs(one).max(), np.abs(both).max())
    assert within(off(fd.forward_dynamics(light, q, rest, v + torque), both, least=size), 1e-13)
