"""Elastic links in the plane: every answer is that of an oracle which adds up the elements of the beams one by one."""

import numpy as np
import pytest
from formulations import described
from formulations.common import examples, off, within
from formulations.elastic_chains import bent_chains_in_motion, one_ladder_of_beams
from formulations.elastic_oracle import oracle
from hypothesis import given, settings
from hypothesis import strategies as st
from strategies import between

import fastdyn as fd
from fastdyn import FreePlanar, Load

__all__ = ["one_ladder_of_beams"]
pytestmark = [pytest.mark.usefixtures("one_ladder_of_beams"), pytest.mark.kernels]
in_motion = bent_chains_in_motion()
every_road = pytest.mark.parametrize("road", ["recursive", "gibbs-appell"])


def size_of(known, v, acc=None):
    """Effort of the largest generalized force before its parts add up: what rounding is measured against"""
    return np.max(known.effort + (0.0 if acc is None else np.abs(known.M) @ np.abs(acc)), initial=1.0)


@every_road
@settings(max_examples=examples(60))
@given(case=in_motion)
def test_mass_matrix(road, case):
    chain, q, v, _ = case
    M = fd.mass_matrix(chain, q, formulation=road)
    assert within(off(M, oracle(chain, q, v).M), 1e-14)
    assert np.array_equal(M, M.T) and np.linalg.eigvalsh(M)[0] > 0.0


@every_road
@settings(max_examples=examples(60))
@given(case=in_motion)
def test_inverse_dynamics(road, case):
    chain, q, v, acc = case
    known = oracle(chain, q, v)
    for x in (0.0*acc, acc, 1000.0*acc):
        torque = fd.inverse_dynamics(chain, q, v, x, formulation=road)
        assert within(np.max(np.abs(torque - known.M @ x - known.h))/size_of(known, v, x), 1e-14)


@every_road
@settings(max_examples=examples(60))
@given(case=in_motion)
def test_forward_dynamics(road, case):
    """Accelerations to what the condition of M leaves of them, the forces they leave to rounding."""
    chain, q, v, torque = case
    known = oracle(chain, q, v)
    acc = fd.forward_dynamics(chain, q, v, torque, formulation=road)
    assert within(np.max(np.abs(known.M @ acc + known.h - torque))/size_of(known, v, acc), 1e-14)
    scale = 1.0/np.sqrt(np.diag(known.M))
    condition = np.linalg.cond(known.M*np.outer(scale, scale))
    expected = scale*np.linalg.solve(known.M*np.outer(scale, scale), scale*(torque - known.h))
    assert within(off(acc/scale, expected/scale, least=1.0), 2e-15*condition)


@settings(max_examples=examples(60))
@given(in_motion)
def test_energies_and_momenta(case):
    chain, q, v, _ = case
    known = oracle(chain, q, v)
    size = np.abs(v) @ np.abs(known.M) @ np.abs(v) + 1e-300
    assert within(abs(fd.kinetic_energy(chain, q, v) - known.kinetic)/size, 1e-14)
    weight = np.linalg.norm(chain.gravity)*known.mass
    stored = fd.potential_energy(chain, q) - known.gravity
    assert within(off(stored, known.strain, max(weight, 1.0)), 1e-14)
    (P, H), c = fd.momentum(chain, q, v), fd.mass_center(chain, q)
    least = known.mass*np.max(np.abs(v), initial=0.1)
    assert within(off(P[:2], known.momentum, least), 1e-14) and within(off(H[2], known.spin, least), 1e-14)
    assert within(off(c[:2], known.moment/known.mass, 1.0), 1e-14) and P[2] == H[0] == H[1] == c[2] == 0.0


@settings(max_examples=examples(40))
@given(in_motion)
def test_places_and_speeds(case):
    """The link frame is the one at its joint; its tip is where the link has bent to."""
    chain, q, v, _ = case
    known = oracle(chain, q, v)
    for link in chain.links:
        for point, frame in (((0.0, 0.0, 0.0), known.joints[link.name]), (link.tip, known.tips[link.name])):
            assert within(off(fd.position(chain, q, link.name, point)[:2], frame.place, 1.0), 1e-14)
            linear, angular = fd.velocity(chain, q, v, link.name, point)
            assert within(off(linear[:2], frame.moving @ v, 1.0), 1e-14)
            assert within(off(angular[2], frame.turning @ v, 1.0), 1e-14)
            J = fd.jacobian(chain, q, link.name, point)
            assert within(off(J[:2], frame.moving, 1.0), 1e-14) and within(off(J[5], frame.turning, 1.0), 1e-14)
        c, s = np.cos(known.joints[link.name].angle), np.sin(known.joints[link.name].angle)
        assert within(off(fd.orientation(chain, q, link.name), [[c, -s, 0], [s, c, 0], [0, 0, 1]]), 1e-14)


@every_road
@settings(max_examples=examples(40))
@given(case=in_motion, seed=st.integers(0, 1000))
def test_wrenches(road, case, seed):
    """Force and moment on the link frame at the joint, in its axes."""
    chain, q, v, torque = case
    known = oracle(chain, q, v)
    wrench = np.random.default_rng(seed).normal(size=(len(chain.links), 6))*(1, 1, 0, 0, 0, 1)
    pushed = sum(push(known.joints[link.name], w[:2], w[5], True) for link, w in zip(chain.links, wrench))
    given = fd.inverse_dynamics(chain, q, v, torque, wrench=wrench, formulation=road)
    expected = known.M @ torque + known.h - pushed
    assert within(np.max(np.abs(given - expected))/size_of(known, v, torque), 1e-14)
    acc = fd.forward_dynamics(chain, q, v, given, wrench=wrench, formulation=road)
    assert within(np.max(np.abs(known.M @ (acc - torque)))/size_of(known, v, torque), 1e-14)


def push(frame, force, moment, turns):
    """Generalized forces of a force and a moment on a frame, the force along its axes if it `turns` with it."""
    c, s = (np.cos(frame.angle), np.sin(frame.angle)) if turns else (1.0, 0.0)
    return frame.moving.T @ [c*force[0] - s*force[1], s*force[0] + c*force[1]] + moment*frame.turning


@settings(max_examples=examples(40))
@given(in_motion, st.data())
def test_loads_at_both_ends(case, data):
    """What acts on the tip of a beam keeps to the axes of its tip, or to those of the world."""
    chain, q, v, torque = case
    known, links, pushed = oracle(chain, q, v), [], 0.0
    for link in chain.links:
        at_tip, frame = data.draw(st.booleans()), data.draw(st.sampled_from(("link", "world")))
        x, y, m = (data.draw(between(-2.0, 2.0)) for _ in range(3))
        load = Load(force=(x, y, 0.0), moment=(0.0, 0.0, m), at=link.tip if at_tip else (0.0, 0.0, 0.0), frame=frame)
        links.append(described.changed(link, loads=[load]))
        pushed += push((known.tips if at_tip else known.joints)[link.name], (x, y), m, frame == "link")
    given = fd.inverse_dynamics(chain.replace(links=links), q, v, torque)
    expected = known.M @ torque + known.h - pushed
    assert within(np.max(np.abs(given - expected))/size_of(known, v, torque), 1e-14)


@settings(max_examples=examples(40))
@given(in_motion)
def test_what_a_joint_gives_is_what_moves_all_that_hangs_on_it(case):
    """The subtree by itself, floating with the motion of its joint: the force its base takes is the reaction."""
    chain, q, v, acc = case
    known = oracle(chain, q, v)
    torque = fd.inverse_dynamics(chain, q, v, acc)
    for name, wrench in zip(chain.link_names, fd.reactions(chain, q, v, torque)):
        part, state = cut_free(chain, name, known, q, v, acc)
        alone = oracle(part, *state[:2])
        frame = alone.joints[name]
        c, s = np.cos(frame.angle), np.sin(frame.angle)
        force = alone.M @ state[2] + alone.h
        given = np.array([c*wrench[0] - s*wrench[1], s*wrench[0] + c*wrench[1], wrench[5]])
        assert within(np.max(np.abs(given - force[:3]))/size_of(known, v, acc), 1e-13)
        assert not np.any(wrench[2:5])


def cut_free(chain, name, known, q, v, acc):
    """The links outward of a joint on a floating base, in the motion they had: (chain, (q, v, acc))"""
    kept, frame = [name], known.joints[name]
    for link in chain.links:
        kept += [link.name] if link.parent in kept and link.name not in kept else []
    links, states = [], []
    for link in (link for link in chain.links if link.name in kept):
        own = [x[part(link.name)] for x, part in ((q, chain.q_slice), (v, chain.v_slice), (acc, chain.v_slice))]
        if link.name == name:
            link = described.changed(link, parent="base", joint=FreePlanar(), at=(0.0, 0.0, 0.0),
                                     turn=(1.0, 0.0, 0.0, 0.0))
            base = ((*frame.place, frame.angle), (*frame.moving @ v, frame.turning @ v),
                    (*(frame.moving @ acc + frame.bias), frame.turning @ acc))
            own = [np.concatenate([b, x[len(x) - link.modes:]]) for b, x in zip(base, own)]
        links.append(link)
        states.append(own)
    return chain.replace(links=links), tuple(np.concatenate(column) for column in zip(*states))
