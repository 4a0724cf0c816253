"""One motion told in other words is the same motion: another world, other link frames, other joints, another order."""

import numpy as np
import pytest
from formulations import described, rounding, zoo
from formulations.common import examples, off, within
from formulations.free_bodies import turn_of
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from strategies import between, bodies, chains_in_motion, directions, rotations

import fastdyn as fd
from fastdyn import Body, Chain, Fixed, Free, Link, Prismatic, Revolute, Spherical, Universal

pytestmark = [pytest.mark.usefixtures("one_ladder"), pytest.mark.kernels]
in_space = chains_in_motion(planar=False, laws=True)
either = st.booleans().flatmap(lambda planar: chains_in_motion(planar=planar, laws=True))
turns = directions(4).map(lambda q: turn_of(np.array(q)))
shifts = st.tuples(*[between(-2.0, 2.0)]*3).map(np.array)


def same(got, expected):
    """Distance of accelerations relative to the largest one, or to 1"""
    return off(got, expected, least=1.0)


@settings(max_examples=examples(40))
@given(in_space, turns, shifts)
def test_a_turned_world(case, G, shift):
    chain, q, v, torque = case
    acc = fd.forward_dynamics(chain, q, v, torque, t=0.4)
    other = described.turned(chain, G, shift)
    assert within(same(fd.forward_dynamics(other, q, v, torque, t=0.4), acc), 1e-13)
    there = fd.potential_energy(other, q) - fd.potential_energy(chain, q)
    weight = fd.mass_matrix(other, q).max() + np.abs(there)
    total = sum(link.body.mass for link in chain.links)
    assert within(abs(there + total*np.dot(other.gravity, shift))/max(weight, 100.0), 1e-13)


@settings(max_examples=examples(40))
@given(chains_in_motion(planar=True, laws=True), between(-3.0, 3.0), shifts)
def test_a_turned_plane(case, angle, shift):
    chain, q, v, torque = case
    G = np.array([[np.cos(angle), -np.sin(angle), 0.0], [np.sin(angle), np.cos(angle), 0.0], [0.0, 0.0, 1.0]])
    other = described.turned(chain, G, shift*[1, 1, 0])
    assert other.planar
    acc = fd.forward_dynamics(chain, q, v, torque, t=0.4)
    assert within(same(fd.forward_dynamics(other, q, v, torque, t=0.4), acc), 1e-13)


@settings(max_examples=examples(40))
@given(chains_in_motion(planar=False, laws=True, free_base=True), shifts)
def test_a_base_that_flies_faster(case, extra):
    """A velocity of the whole chain leaves every acceleration in the world what it was."""
    chain, q, v, torque = case
    base = chain.links[0].name
    R = fd.orientation(chain, q, base)
    quick = v.copy()
    quick[:3] += R.T @ extra
    acc, other = (fd.forward_dynamics(chain, q, s, torque, t=0.4) for s in (v, quick))
    other[:3] += np.cross(v[3:6], R.T @ extra)
    assert within(same(other, acc), 1e-13)


def half_turned(chain, q):
    """Whether a sprung ball joint stands at half a turn, where two rotation vectors are equally short."""
    return any(abs(q[part][0]) < 1e-6 and chain.links[chain.index(name)].joint.per_velocity("stiffness")[0] > 0.0
               for name, part in chain.quaternions)


@settings(max_examples=examples(60))
@given(in_space, st.data())
def test_other_link_frames(case, data):
    """A frame with its origin far from the mass centre costs digits: as many as its larger terms say."""
    chain, q, v, torque = case
    assume(not half_turned(chain, q))
    chain = chain.replace(links=[described.undriven(link) for link in chain.links])
    frames = {}
    for link in chain.links:
        frames[link.name] = data.draw(turns), described.free_shift(link.joint, data.draw(shifts))
    v_turns = {}
    other = described.reframed(chain, frames, v_turns)
    q2, v2 = described.reframed_state(chain, q, v_turns, frames, v)
    _, torque2 = described.reframed_state(chain, q, v_turns, frames, torque)
    acc, got = fd.forward_dynamics(chain, q, v, torque, t=0.4), fd.forward_dynamics(other, q2, v2, torque2, t=0.4)
    allowed = max(rounding.of_accelerations(chain, q, v, acc, 0.4), rounding.of_accelerations(other, q2, v2, got, 0.4))
    _, acc = described.reframed_state(chain, q, v_turns, frames, acc)
    assert within(np.abs(got - acc).max(), 4.0*allowed)                # seen: 1.0
    allowed = max(rounding.of_kinetic_energy(chain, q, v), rounding.of_kinetic_energy(other, q2, v2))
    growth = 2.0 + len(chain.links)              # velocities add up from the base; seen: 1.7
    assert within(abs(fd.kinetic_energy(other, q2, v2) - fd.kinetic_energy(chain, q, v)), 4.0*growth*allowed)


@settings(max_examples=examples(40))
@given(either, st.data())
def test_a_body_in_two_pieces(case, data):
    """Joined by a fixed joint anywhere, they move as one."""
    chain, q, v, torque = case
    which = data.draw(st.integers(0, len(chain.links) - 1))
    link = chain.links[which]
    piece = data.draw(bodies(planar=chain.planar))
    at, turn = data.draw(shifts)*[1, 1, not chain.planar], np.array(data.draw(rotations(chain.planar)))
    G = turn_of(turn)
    moved = Body(mass=piece.mass, com=at + G @ piece.com, inertia=G @ np.array(piece.inertia) @ G.T)
    whole = [*chain.links]
    whole[which] = described.changed(link, body=described.joined(link.body, moved))
    pieces = [*chain.links, Link(name="piece", parent=link.name, joint=Fixed(), at=at, turn=turn, body=piece)]
    acc = fd.forward_dynamics(chain.replace(links=whole), q, v, torque, t=0.4)
    assert within(same(fd.forward_dynamics(chain.replace(links=pieces), q, v, torque, t=0.4), acc), 1e-13)


@settings(max_examples=examples(40))
@given(chains_in_motion(planar=False, kinds=("universal", "revolute")))
def test_a_universal_joint_is_two_revolutes(case):
    """The first on a frame that weighs nothing: the very same bits; or next to nothing: nearly the same number."""
    chain, q, v, torque = case
    acc = fd.forward_dynamics(chain, q, v, torque)
    speck = Body(mass=1e-13, inertia=(1e-15, 1e-15, 1e-15))
    for frame, bound in ((None, 0.0), (speck, 1e-10)):
        links = []
        for link, at in zip(chain.links, chain.joint_positions):
            if isinstance(link.joint, Universal):
                (a, b), name = link.joint.axes, link.name + "_frame"
                links.append(described.changed(link, name=name, at=at, joint=Revolute(axis=a), body=frame))
                at = 0.0, 0.0, 0.0
                link = described.changed(link, parent=name, turn=(1.0, 0.0, 0.0, 0.0), joint=Revolute(axis=b))
            links.append(described.changed(link, at=at))
        assert within(same(fd.forward_dynamics(chain.replace(links=links), q, v, torque), acc), bound)


@settings(max_examples=examples(40))
@given(chains_in_motion(planar=False, kinds=("universal", "prismatic")))
def test_a_universal_joint_is_a_ball_joint_held_from_turning(case):
    """The same motion of a ball joint asks for a moment whose parts along the two axes are the torques."""
    chain, q, v, acc = case
    links, q2, v2, acc2, onto = [], [], [], [], []
    for link in chain.links:
        joint, a, s = link.joint, q[chain.q_slice(link.name)], chain.v_slice(link.name)
        if not isinstance(joint, Universal):
            links.append(link); q2 += [*a]; v2 += [*v[s]]; acc2 += [*acc[s]]; onto.append(np.eye(joint.nv))
            continue
        first, second = (np.array(axis) for axis in joint.axes)
        first = turn_of([np.cos(a[1]/2), *(-np.sin(a[1]/2)*second)]) @ first           # as the link sees it
        E = np.stack([first, second])
        q2 += [*described.product([np.cos(a[0]/2), *(np.sin(a[0]/2)*np.array(joint.axes[0]))],
                                   [np.cos(a[1]/2), *(np.sin(a[1]/2)*second)])]
        v2 += [*(v[s] @ E)]
        acc2 += [*(acc[s] @ E - np.cross(v[s][1]*second, v[s][0]*first))]
        links.append(described.changed(link, joint=Spherical()))
        onto.append(E)
    ball = fd.inverse_dynamics(chain.replace(links=links), np.array(q2), np.array(v2), np.array(acc2))
    ends = np.cumsum([0, *(E.shape[1] for E in onto)])
    ball = np.concatenate([E @ ball[i:j] for E, i, j in zip(onto, ends, ends[1:])])
    torque = fd.inverse_dynamics(chain, q, v, acc)
    assert within(off(ball, torque, least=np.abs(fd.reactions(chain, q, v, torque)).max() + 1.0), 1e-13)


@settings(max_examples=examples(60))
@given(chains_in_motion(planar=True, laws=True))
def test_the_plane_in_space(case):
    chain, q, v, torque = case
    other = chain.replace(space="space")
    assert chain.planar and not other.planar
    acc = fd.forward_dynamics(chain, q, v, torque, t=0.4)
    assert within(same(fd.forward_dynamics(other, q, v, torque, t=0.4), acc), 1e-13)
    given = fd.inverse_dynamics(chain, q, v, acc, t=0.4)
    size = np.abs(fd.reactions(chain, q, v, torque, t=0.4)).max() + 1.0
    assert within(off(fd.inverse_dynamics(other, q, v, acc, t=0.4), given, least=size), 1e-13)
    assert within(off(fd.mass_matrix(other, q), fd.mass_matrix(chain, q)), 1e-14)


@settings(max_examples=examples(40))
@given(either, st.data())
def test_axes_that_point_the_other_way(case, data):
    chain, q, v, torque = case
    links, sign, other_q = [], np.ones(chain.nv), q.copy()
    for link in map(described.undriven, chain.links):
        joint = link.joint
        if isinstance(joint, Revolute | Prismatic) and data.draw(st.booleans()):
            sign[chain.v_slice(link.name)] = -1.0
            other_q[chain.q_slice(link.name)] *= -1.0
            lower, upper = (None if x is None else -x for x in (joint.upper, joint.lower))
            words = {"axis": tuple(-x for x in joint.axis), "rest": -joint.rest, "lower": lower, "upper": upper}
            link = described.changed(link, joint=described.joint_changed(joint, **words))
        links.append(link)
    acc = fd.forward_dynamics(chain.replace(links=[described.undriven(link) for link in chain.links]), q, v, torque)
    back = fd.forward_dynamics(chain.replace(links=links), other_q, sign*v, sign*torque)
    assert within(same(sign*back, acc), 1e-13)


@settings(max_examples=examples(40))
@given(either, st.randoms(use_true_random=False))
def test_another_order_of_the_links(case, random):
    chain, q, v, torque = case
    at = dict(zip(chain.link_names, chain.joint_positions))
    waiting, order = [*chain.links], []
    while waiting:
        ready = [x for x in waiting if x.parent == "base" or x.parent in {link.name for link in order}]
        order.append(random.choice(ready))
        waiting.remove(order[-1])
    other = chain.replace(links=[described.changed(link, at=at[link.name]) for link in order])
    names = [link.name for link in order]
    to_q, to_v = (np.concatenate([np.arange(part(n).start, part(n).stop) for n in names]).astype(int)
                  for part in (chain.q_slice, chain.v_slice))
    acc = fd.forward_dynamics(chain, q, v, torque, t=0.4)
    assert within(same(fd.forward_dynamics(other, q[to_q], v[to_v], torque[to_v], t=0.4), acc[to_v]), 1e-13)


@settings(max_examples=examples(40))
@given(st.booleans().flatmap(lambda planar: st.lists(
    chains_in_motion(planar=planar, laws=True, free_base=False, max_links=4), min_size=2, max_size=3)))
def test_neighbours_on_one_base_do_not_feel_each_other(cases):
    links, gravity = [], cases[0][0].gravity
    for k, (chain, *_) in enumerate(cases):
        for link, at in zip(chain.links, chain.joint_positions):
            parent = link.parent if link.parent == "base" else f"{link.parent}{'abc'[k]}"
            links.append(described.changed(link, name=f"{link.name}{'abc'[k]}", parent=parent, at=at))
    forest = cases[0][0].replace(links=links)
    q, v, torque = (np.concatenate([case[i] for case in cases]) for i in (1, 2, 3))
    alone = [fd.forward_dynamics(chain.replace(gravity=gravity), *state, t=0.4) for chain, *state in cases]
    assert within(same(fd.forward_dynamics(forest, q, v, torque, t=0.4), np.concatenate(alone)), 1e-13)
    M, at = fd.mass_matrix(forest, q), 0
    for chain, own, *_ in cases:
        block = slice(at, at + chain.nv)
        assert within(off(M[block, block], fd.mass_matrix(chain, own)), 1e-14)
        assert not M[block, block.stop:].any()
        at = block.stop


def test_a_free_base_is_three_slides_and_a_ball():
    """In world axes: the velocities of the one and of the other say the same."""
    chain = zoo.tree(laws=False)
    q, v, torque = zoo.motion(chain)
    torque[:6] = 0.0
    hub = chain.links[0]
    assert isinstance(hub.joint, Free)
    x, y, z = np.eye(3)
    base = [Link(name="x", joint=Prismatic(axis=x)), Link(name="y", joint=Prismatic(axis=y)),
            Link(name="z", joint=Prismatic(axis=z)), described.changed(hub, parent="z", joint=Spherical())]
    other = Chain([*base, *chain.links[1:]], gravity=chain.gravity, space="space")
    R = turn_of(q[3:7])
    v2 = np.concatenate([R @ v[:3], v[3:]])
    acc, acc2 = fd.forward_dynamics(chain, q, v, torque), fd.forward_dynamics(other, q, v2, torque)
    acc2[:3] = R.T @ acc2[:3] - np.cross(v[3:6], v[:3])
    assert within(same(acc2, acc), 1e-13)
