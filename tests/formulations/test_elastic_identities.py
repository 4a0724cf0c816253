"""What holds for elastic chains whatever their numbers: other worlds, mirrors, the other end first, powers, limits."""

import numpy as np
import pytest
from asking import ask_rate
from formulations import described
from formulations.common import examples, off, within
from formulations.elastic_chains import (
    beam_changed, bent_chains_in_motion, elastic_changed, one_ladder_of_beams)
from formulations.elastic_oracle import oracle
from formulations.free_bodies import rate_of
from hypothesis import given, settings
from hypothesis import strategies as st
from strategies import between

import fastdyn as fd
from fastdyn import Beam, Body, Chain, Elastic, FreePlanar, Link, Load, Prismatic, Sine
from fastdyn.formulations import recursive
from fastdyn.layout import AIR, FRICTION, GROUND, JOINTS, STRUCTURE, WORKS
from fastdyn.run.callbacks import Callbacks
from fastdyn.run.plant import Plant

__all__ = ["one_ladder_of_beams"]
pytestmark = [pytest.mark.usefixtures("one_ladder_of_beams"), pytest.mark.kernels]
in_motion = bent_chains_in_motion()
floating = bent_chains_in_motion(free_base=True)
SAG = Beam(length=0.8, E=2e8, G=8e7, A=3e-4, I=4e-9, rho=2000.0, J33=2e-3)


def same(chain, q, v, acc, torque, bound=1e-14):
    """Whether accelerations are those of this chain: what torque they leave is rounding of the forces in it."""
    known = oracle(chain, q, v)
    size = np.max(known.effort + np.abs(known.M) @ np.abs(acc), initial=1.0)
    return within(np.max(np.abs(fd.inverse_dynamics(chain, q, v, acc) - torque))/size, bound)


# ---- the same motion told in other words


@settings(max_examples=examples(40))
@given(in_motion, between(-3.0, 3.0), st.tuples(between(-2.0, 2.0), between(-2.0, 2.0)))
def test_a_turned_world(case, angle, shift):
    chain, q, v, torque = case
    c, s = np.cos(angle), np.sin(angle)
    other = described.turned(chain, np.array([[c, -s, 0.0], [s, c, 0.0], [0.0, 0.0, 1.0]]), (*shift, 0.0))
    assert other.planar and same(other, q, v, fd.forward_dynamics(chain, q, v, torque), torque)
    assert within(off(fd.mass_matrix(other, q), fd.mass_matrix(chain, q)), 1e-14)


@settings(max_examples=examples(40))
@given(floating, st.tuples(between(-20.0, 20.0), between(-20.0, 20.0)), between(-3.0, 3.0))
def test_where_a_floating_chain_is_and_how_fast_it_flies(case, shift, angle):
    """Base moved, turned and sent off: accelerations of joints and modes are what they were."""
    chain, q, v, torque = case
    torque[:3] = 0.0
    acc, empty = fd.forward_dynamics(chain, q, v, torque), chain.replace(gravity=(0.0, 0.0, 0.0))
    moved, faster = q.copy(), v.copy()
    moved[:2] += shift
    faster[:2] += shift
    assert same(chain, moved, faster, acc, torque)
    acc = fd.forward_dynamics(empty, q, v, torque)
    c, s = np.cos(angle), np.sin(angle)
    turned, spun, there = q.copy(), v.copy(), acc.copy()
    turned[2] += angle
    for x, y in ((spun, v), (there, acc)):
        x[:2] = c*y[0] - s*y[1], s*y[0] + c*y[1]
    assert same(empty, turned, spun, there, torque)


def mirrored(chain):
    """The chain as seen in a mirror on the x axis."""
    links = []
    for link, at in zip(chain.links, chain.joint_positions):
        (w, x, y, z), body = link.turn, None if link.elastic is None and link.body is None else link.body
        if body is not None:
            body = Body(mass=body.mass, com=(body.com[0], -body.com[1], 0.0),
                        inertia=np.array(body.inertia)*[[1, -1, 1], [-1, 1, 1], [1, 1, 1]])
        joint = link.joint
        if isinstance(joint, Prismatic):
            joint = Prismatic(axis=(joint.axis[0], -joint.axis[1], 0.0))
        links.append(described.changed(link, at=(at[0], -at[1], 0.0), turn=(w, x, y, -z), body=body, joint=joint))
    g = chain.gravity
    return chain.replace(links=links, gravity=(g[0], -g[1], 0.0))


def mirror_signs(chain):
    """Of the coordinates: angles and modes the other way round, slides and x as they are."""
    signs = []
    for link in chain.links:
        own = [1.0, -1.0, -1.0] if isinstance(link.joint, FreePlanar) else [
            1.0 if isinstance(link.joint, Prismatic) else -1.0]*link.joint.nq
        signs += own + [-1.0]*link.modes
    return np.array(signs)


@settings(max_examples=examples(40))
@given(in_motion)
def test_a_mirror(case):
    chain, q, v, torque = case
    other, signs = mirrored(chain), mirror_signs(chain)
    acc = fd.forward_dynamics(chain, q, v, torque)
    assert within(off(signs*fd.forward_dynamics(other, signs*q, signs*v, signs*torque), acc, least=1.0), 1e-14)


def shapes_from_the_other_end(elastic):
    """Signs of the modes when the beam is told from its tip; all four shapes stay on the chord."""
    eta = np.linspace(0.0, elastic.beam.length, 7)
    other = Elastic(beam=elastic.beam, ends=elastic.ends[::-1], modes=elastic.modes, spin=elastic.spin)
    return other, [-np.sign(a.W(elastic.beam.length - eta) @ b.W(eta))
                   for a, b in zip(elastic.mode_shapes, other.mode_shapes)]


@settings(max_examples=examples(30))
@given(st.lists(st.tuples(st.sampled_from(["ss", "sc", "cs", "cc"]), st.integers(1, 3)), min_size=1, max_size=4),
       st.sampled_from(["frame", "section"]), st.integers(0, 10000))
def test_a_chain_told_from_its_other_end(kinds, spin, seed):
    """Links in the other order, each from its other end: the joints are where they were and accelerate as they did."""
    rng = np.random.default_rng(seed)
    elastic = [Elastic(beam=SAG, ends=ends, modes=m, spin=spin) for ends, m in kinds]
    pairs = [shapes_from_the_other_end(e) for e in elastic]
    chain = Chain([Link(elastic=e, joint=FreePlanar() if i == 0 else fd.Revolute()) for i, e in enumerate(elastic)])
    back = Chain([Link(elastic=e, joint=FreePlanar() if i == 0 else fd.Revolute())
                  for i, (e, _) in enumerate(pairs[::-1])])
    q, v = rng.uniform(-1.0, 1.0, (2, chain.nq))
    q[["mode" in name for name in chain.coordinate_names]] *= 0.03
    there = oracle(chain, q, v)
    last = there.tips[chain.link_names[-1]]
    q2, v2 = [*last.place], [*(last.moving @ v)]
    turn, spinning = 0.0, 0.0
    for name, (e, signs) in list(zip(chain.link_names, pairs))[::-1]:
        d, dd = (signs*x[-e.modes:] for x in (q[chain.q_slice(name)], v[chain.v_slice(name)]))
        angle, rate = there.joints[name].angle + np.pi, there.joints[name].turning @ v
        q2, v2 = [*q2, angle - turn, *d], [*v2, rate - spinning, *dd]
        S = np.array([shape.Theta(e.beam.length) for shape in e.mode_shapes])
        turn, spinning = angle + S @ d, rate + S @ dd
    q2, v2 = np.array(q2), np.array(v2)
    again = oracle(back, q2, v2)
    acc, acc2 = fd.forward_dynamics(chain, q, v), fd.forward_dynamics(back, q2, v2)
    for name, other in zip(chain.link_names, back.link_names[::-1]):
        a, b = there.joints[name], again.tips[other]
        assert within(off(b.place, a.place, 1.0), 1e-13) and within(off(b.moving @ v2, a.moving @ v, 1.0), 1e-13)
        size = np.max(np.abs(acc))
        assert within(off(b.moving @ acc2 + b.bias, a.moving @ acc + a.bias, size), 1e-13)


@settings(max_examples=examples(40))
@given(bent_chains_in_motion(kinds=("revolute",)))
def test_which_slope_is_carried_only_changes_the_angle_of_the_next_joint(case):
    """q' = q + (Theta - W').delta behind every beam; everything else accelerates as it did."""
    chain, q, v, torque = case
    readings = [chain.replace(links=[link if link.elastic is None else described.changed(
        link, elastic=elastic_changed(link.elastic, carried=carried)) for link in chain.links])
        for carried in ("section", "axis")]
    change = np.eye(chain.nv)                               # from velocities of the first to those of the second
    for link in chain.links:
        parent = None if link.parent == "base" else chain.links[chain.index(link.parent)]
        if parent is None or parent.elastic is None or link.at == (0.0, 0.0, 0.0):
            continue
        behind = chain.v_slice(parent.name)
        differ = [shape.Theta(parent.length) - shape.dW(parent.length) for shape in parent.elastic.mode_shapes]
        change[chain.v_slice(link.name).start, behind.stop - parent.modes:behind.stop] = differ
    acc = fd.forward_dynamics(readings[0], q, v, change.T @ torque)
    assert same(readings[1], change @ q, change @ v, change @ acc, torque)


# ---- laws of mechanics


@settings(max_examples=examples(30))
@given(bent_chains_in_motion(most=3), st.data())
def test_works_add_up_to_the_change_of_energy(case, data):
    """Springs, dampers, drives and loads on top of beams that are damped: the powers that a run sums up."""
    chain, q, v, _ = case
    links = []
    for link in chain.links:
        joint = link.joint
        if joint.nv == 1:
            joint = described.joint_changed(joint, stiffness=data.draw(between(0.0, 9.0)), rest=0.1,
                                            damping=data.draw(between(0.0, 2.0)), drive=[Sine(0.5, 1.0, 0.3, 0.2)])
        end = data.draw(st.sampled_from([(0.0, 0.0, 0.0), link.tip]))
        load = Load(force=(1.0, -0.5, 0.0), moment=(0.0, 0.0, 0.7), at=end)
        links.append(described.changed(link, joint=joint, loads=[load]))
    chain = chain.replace(links=links)
    plant = Plant(chain, "recursive", recursive.dense_size(chain.model), Callbacks(chain, ()))
    y = np.concatenate([q, v, np.zeros(WORKS)])
    dy = np.full_like(y, np.nan)
    assert plant.ledger and ask_rate(plant.rate, plant.handle, 0.4, y, dy) == 0
    power, acc = dy[-WORKS:], dy[chain.nq:chain.nq + chain.nv]

    def energy(t):
        at, speed = q + t*v, v + t*acc
        return fd.kinetic_energy(chain, at, speed) + fd.potential_energy(chain, at)

    known = oracle(chain, q, v)
    gradient = np.abs(v) @ (known.effort + np.abs(known.M) @ np.abs(acc))
    h = 4e-3/(1.0 + np.max(np.abs(acc))**0.5)
    assert within(abs(rate_of(energy, h) - np.sum(power))/max(gradient, abs(energy(0.0))/h*1e-3, 1.0), 1e-11)
    lost = v @ (known.h - oracle(undamped(chain), q, v).h)
    assert within(abs(power[AIR] + power[STRUCTURE] + lost)/max(gradient, 1e-3), 1e-14)
    assert power[AIR] <= 0.0 and power[STRUCTURE] <= 0.0 and power[JOINTS] <= 0.0
    assert power[GROUND] == power[FRICTION] == 0.0


def undamped(chain):
    return chain.replace(links=[link if link.elastic is None else described.changed(link, elastic=(
        elastic_changed(link.elastic, beam=beam_changed(link.elastic.beam, K_v=0.0, gamma=0.0))))
        for link in chain.links])


@pytest.mark.parametrize("gravity", [(0.0, -9.81, 0.0), (3.0, 4.0, 0.0)])
def test_a_straight_chain_at_rest_falls_as_one(gravity):
    """In a uniform field nothing bends."""
    links = [Link(elastic=Elastic(beam=SAG, ends=ends, modes=3)) for ends in ("ss", "cf", "cc", "sg")]
    links[0] = Link(elastic=links[0].elastic, joint=FreePlanar())
    chain = Chain(links, gravity=gravity)
    q, _ = chain.zero_state()
    q[["mode" not in name for name in chain.coordinate_names]] = np.random.default_rng(1).uniform(-1.0, 1.0, 6)
    acc = fd.forward_dynamics(chain, q, np.zeros(chain.nv))
    assert within(off(acc, [*gravity[:2], *np.zeros(chain.nv - 2)]), 1e-13)


@pytest.mark.parametrize("kind", ["cf", "ss", "sg"])
def test_stiff_beams_are_rigid_links(kind):
    """Bent as much as the motion asks for, joints accelerate as those of rigid beams, but for 1/stiffness."""
    def chain(modes, stiffness):
        beam = beam_changed(SAG, E=stiffness*SAG.E, G=stiffness*SAG.G)
        return Chain([Link(elastic=Elastic(beam=beam, ends=kind, modes=modes), joint=FreePlanar()),
                      Link(elastic=Elastic(beam=beam, ends=kind, modes=modes)), Link(length=0.4, mass=0.5, radius=0.1)])

    rigid = chain(0, 1.0)
    q, v = np.random.default_rng(3).uniform(-1.0, 1.0, (2, rigid.nq))
    expected, errors = fd.forward_dynamics(rigid, q, v), []
    for stiffness in (10.0, 100.0, 1000.0):
        bent = chain(2, stiffness)
        modes = np.array(["mode" in name for name in bent.coordinate_names])
        there, speed, acc = (np.zeros(bent.nq) for _ in range(3))
        there[~modes], speed[~modes], acc[~modes] = q, v, expected
        for _ in range(60):                                 # modes that do not accelerate
            M, left = fd.mass_matrix(bent, there), fd.inverse_dynamics(bent, there, speed, acc)
            acc[~modes] -= np.linalg.solve(M[np.ix_(~modes, ~modes)], left[~modes])
            left = fd.inverse_dynamics(bent, there, speed, acc)
            there[modes] -= np.linalg.solve(stiffness_of(bent, modes), left[modes])
        assert np.max(np.abs(fd.inverse_dynamics(bent, there, speed, acc))) < 1e-8
        errors.append(np.max(np.abs(acc[~modes] - expected)))
    assert errors[0] > 1e-6 and np.allclose(np.array(errors[:-1])/errors[1:], 10.0, rtol=0.1)


def stiffness_of(chain, modes):
    """Matrix of the strain energy in the modes"""
    base, e = chain.zero_state()[0], np.eye(chain.nq)[modes]
    still = chain.replace(gravity=(0.0, 0.0, 0.0))
    return np.array([fd.bias(still, base + x, 0.0*base)[modes] for x in e])
