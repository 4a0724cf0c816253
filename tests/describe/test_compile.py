"""Words to arrays: which rows, which frames, which steps; and that the frames are what the words say."""

from fractions import Fraction

import numpy as np
import pytest
from formulations import described, free_bodies
from formulations.common import off, within
from hypothesis import given, settings
from hypothesis import strategies as st
from strategies import chains, chains_in_motion, directions

import fastdyn as fd
from fastdyn import Body, Chain, Constant, Fixed, Free, FreePlanar, Link, Load, Prismatic, Revolute, Sine, Spherical
from fastdyn import Table, Universal, layout
from fastdyn.describe.compile import matrices
from fastdyn.layout import (
    BASE_TURN, FIXED, FREE, GRAVITY, INERTIA, LEVEL, LINK, MASS, MOMENT, PARENT, PLANE_ALONG, PLANE_FIXED,
    PLANE_PRISMATIC, PLANE_REVOLUTE, PRISMATIC, Q_AT, REVOLUTE, SCREW, SHARES, SLOT, SPHERICAL, SQUARE, STEP, TIP, TURN,
    TURNED_SPHERICAL, V_AT, in_plane)

EPS = 2.0**-52
AXIS = np.eye(3)
body = Body(mass=1.0, com=(0.3, 0.1, 0.0), inertia=(0.1, 0.2, 0.2))
turned = (np.cos(0.2), np.sin(0.2), 0.0, 0.0)


def steps(*links, space="space"):
    """The step of every row."""
    chain = Chain([described.changed(link, body=body) for link in links], space=space)
    return chain.model.row[:, STEP].tolist()


def test_rows_of_a_serial_chain():
    assert steps(Link(), Link(), Link(joint=Revolute(axis=AXIS[0])), Link(joint=Revolute(axis=(0.0, 0.6, 0.8)))) == [
        LEVEL, LEVEL, SQUARE, SQUARE]
    assert steps(Link(), Link(joint=Revolute(axis=(0.0, 0.6, 0.8)))) == [SCREW, SCREW]
    assert steps(Link(joint=Spherical()), Link(joint=Spherical()), Link(joint=Spherical(), turn=turned)) == [
        SPHERICAL, SPHERICAL, TURNED_SPHERICAL]
    assert steps(Link(joint=Free()), Link(joint=Revolute()), Link(joint=Prismatic()), Link(joint=Fixed())) == [
        FREE, REVOLUTE, PRISMATIC, FIXED]


def test_only_the_last_child_turns_as_a_screw():
    """The parent's x axis can be chosen for one of them."""
    fork = steps(Link(name="a"), Link(parent="a", joint=Revolute(axis=AXIS[0])),
                 Link(parent="a", joint=Revolute(axis=AXIS[0])))
    assert fork == [SQUARE, REVOLUTE, SQUARE]


def test_rows_in_the_plane():
    arm = {"length": 1.0}
    aside, slide = Link(at=(0.5, 0.1, 0.0)), Link(joint=Prismatic(), **arm)
    assert steps(Link(**arm), Link(**arm), aside, slide, Link(joint=Fixed()), space="plane") == [
        PLANE_ALONG, PLANE_ALONG, PLANE_REVOLUTE, PLANE_PRISMATIC, PLANE_FIXED]
    assert steps(Link(joint=FreePlanar()), space="plane") == [PLANE_PRISMATIC, PLANE_PRISMATIC, PLANE_ALONG]


@pytest.mark.parametrize("joint, plane", [(Revolute(), True), (Revolute(axis=(0.0, 0.0, -1.0)), False),
                                          (Prismatic(axis=(0.0, -1.0, 0.0)), True), (FreePlanar(), True)])
def test_the_plane_is_for_axes_that_point_up(joint, plane):
    chain = Chain([Link(joint=joint, body=body), Link(body=body)], space="plane")
    assert chain.planar and in_plane(chain.model) == plane


def test_joints_of_several_rows():
    """A universal joint takes two, a planar base three in space too; the last one carries the link."""
    chain = Chain([Link(name="a", joint=FreePlanar(), body=body), Link(name="b", joint=Universal(), body=body)],
                  space="space")
    row, mass = chain.model.row, chain.model.body[:, MASS]
    assert row[:, LINK].tolist() == [0, 0, 0, 1, 1] and row[:, PARENT].tolist() == [-1, 0, 1, 2, 3]
    assert row[:, Q_AT].tolist() == [0, 1, 2, 3, 4] and row[:, V_AT].tolist() == [0, 1, 2, 3, 4]
    assert mass.tolist() == [0.0, 0.0, 1.0, 0.0, 1.0] and chain.body_rows == {0: 2, 1: 4}


@settings(max_examples=60)
@given(chains(max_links=10))
def test_rows_and_slots_of_a_tree(chain):
    """Depth first; a last child takes its parent's slot, any other row opens one that nobody else uses meanwhile."""
    row = chain.model.row
    n, parent, slot = len(row), row[:, PARENT], row[:, SLOT]
    assert all(parent[i] < i for i in range(n))
    children = {p: np.flatnonzero(parent == p).tolist() for p in range(-1, n)}
    size = [1]*n
    for i in range(n - 1, -1, -1):
        size[i] += sum(size[c] for c in children[i])
        places = [i + 1 + sum(size[c] for c in children[i][:k]) for k in range(len(children[i]))]
        assert children[i] == places                                # every subtree in one piece
        assert row[i, TIP] == (not children[i])
        shares = parent[i] >= 0 and children[parent[i]][-1] == i
        assert row[i, SHARES] == shares
        if shares:
            assert slot[i] == slot[parent[i]]
    opened = [slot[i] for i in range(n) if not row[i, SHARES]]
    assert sorted(opened) == list(range(len(opened)))


@settings(max_examples=60)
@given(chains(planar=False, laws=True))
def test_frames_in_space(chain):
    """Right-handed and orthogonal, z along a turning or sliding joint, T of a screw with its zeros exact."""
    model = chain.model
    T, frame = (x.reshape(-1, 3, 3) for x in (model.body[:, TURN:TURN + 9], model.frame))
    for R in (*T, *frame, model.base[BASE_TURN:].reshape(-1)[:9].reshape(3, 3)):
        assert np.abs(R @ R.T - np.eye(3)).max() <= 8*EPS and np.linalg.det(R) > 0.0
    for i, step in enumerate(model.row[:, STEP]):
        joint = chain.links[model.row[i, LINK]].joint
        if isinstance(joint, Revolute | Prismatic):
            assert np.abs(frame[i][:, 2] - joint.axis).max() <= 2*EPS
        if step in (SCREW, SQUARE, LEVEL):
            assert T[i][0, 2] == 0.0
            assert step != SQUARE or T[i][1, 2] == -1.0
            assert step != LEVEL or T[i][2, 2] == 1.0
        if step in (SPHERICAL, TURNED_SPHERICAL, FREE, FIXED):
            assert np.array_equal(frame[i], np.eye(3))
        if step == SPHERICAL:
            assert np.array_equal(T[i], np.eye(3))


@settings(max_examples=40)
@given(chains(laws=True))
def test_bodies_in_row_frames(chain):
    """Mass, first moment and inertia about the joint; nothing else weighs."""
    model = chain.model
    for i, link in enumerate(chain.links):
        row, b = chain.body_rows[i], link.body
        C, c = model.frame[row].reshape(3, 3), np.array(b.com)
        I = C.T @ (np.array(b.inertia) + b.mass*(c @ c*np.eye(3) - np.outer(c, c))) @ C
        if in_plane(model):
            got = model.body[row, layout.PLANE_MASS:layout.PLANE_MASS + 4]
            assert off(got, [b.mass, *(b.mass*C.T @ c)[:2], I[2, 2]]) <= 8*EPS
        else:
            got = model.body[row, MASS:layout.FLOOR]
            assert off(got, [b.mass, *(b.mass*C.T @ c), *I[np.triu_indices(3)]]) <= 16*EPS
    mass = model.body[:, layout.PLANE_MASS if in_plane(model) else MASS]
    assert np.count_nonzero(mass) == len(chain.links)
    assert MOMENT == MASS + 1 and INERTIA == MOMENT + 3


@settings(max_examples=60)
@given(chains_in_motion(planar=False, laws=True))
def test_frames_put_links_where_the_words_say(case):
    chain, q, _, _ = case
    for link, p in zip(chain.links, free_bodies.places(chain, q)):
        assert within(off(fd.position(chain, q, link.name), p.x, least=1.0), 1e-14)
        assert within(off(fd.orientation(chain, q, link.name), p.R), 1e-14)


@settings(max_examples=60)
@given(chains(planar=False))
def test_gravity_along_the_axes_of_the_base(chain):
    """Three products and two sums of numbers that are exact: 3 roundings of half an EPS of the products at most.

    How far the axes are from orthogonal is their own affair, and is asked above.
    """
    axes = chain.model.base[BASE_TURN:BASE_TURN + 9].reshape(3, 3).T.tolist()
    for got, axis in zip(chain.model.base[GRAVITY:GRAVITY + 3].tolist(), axes):
        products = [Fraction(a)*Fraction(g) for a, g in zip(axis, chain.gravity)]
        assert abs(Fraction(got) - sum(products)) <= Fraction(1.5*EPS)*sum(map(abs, products))


@settings(max_examples=60)
@given(directions(), directions(), st.integers(1, 18), st.floats(-3.0, 3.0))
def test_axes_that_nearly_point_the_same_way(z, aside, exponent, angle):
    """Down to no difference at all: the frame chosen across both axes stays good to the last digits."""
    tilted = np.array(z) + 10.0**-exponent*np.array(aside)
    tilted = tilted/np.linalg.norm(tilted) if np.linalg.norm(tilted) > 0.5 else np.array(z)
    chain = Chain([Link(joint=Revolute(axis=z), length=1.0, body=body), Link(joint=Revolute(axis=tilted), body=body)],
                  space="space")
    q = [angle, -0.7*angle + 1.0]
    for link, p in zip(chain.links, free_bodies.places(chain, q)):
        assert within(off(fd.orientation(chain, q, link.name), p.R), 2e-15)
        assert within(off(fd.position(chain, q, link.name), p.x, least=1.0), 2e-15)


def test_matrices_of_quarter_turns_are_exact():
    h = 0.5**0.5
    quarters = np.array([[1, 0, 0, 0], [h, h, 0, 0], [h, 0, -h, 0], [0, 0, 0, 1], [0.5, 0.5, 0.5, 0.5], [0, h, h, 0]])
    R = matrices(quarters)
    assert np.array_equal(R, np.round(R)) and np.array_equal(R[1] @ [0.0, 1.0, 0.0], [0.0, 0.0, 1.0])
    rng = np.random.default_rng(1)
    turns = rng.normal(size=(50, 4))
    assert off(matrices(turns), [free_bodies.turn_of(q) for q in turns]) <= 4*EPS


def test_springs_loads_and_signals():
    load = Load(force=(1.0, 0.0, 0.0), moment=(0.0, 0.0, 2.0), at=(0.0, 0.5, 0.0), signal=Table([0.0, 1.0], [3.0, 4.0]))
    fixed_way = Load(force=(0.0, 1.0, 0.0), frame="world", signal=Sine(2.0, 3.0, 0.1, 0.2))
    chain = Chain([
        Link(joint=Prismatic(stiffness=5.0, damping=6.0, rest=0.1, lower=-1.0, drive=Constant(9.0)), body=body),
        Link(joint=Universal(stiffness=(1.0, 2.0), lower=(-3.0, -4.0), upper=(3.0, 4.0), limit_stiffness=(7.0, 8.0)),
             body=body),
        Link(joint=Spherical(stiffness=1.5, damping=2.5), body=body, loads=[load, fixed_way]),
    ], space="space")
    m, inf = chain.model, np.inf
    assert m.spring.tolist() == [
        [5.0, 6.0, 0.1, -1.0, inf, 0.0, 0.0, 0.0],
        [1.0, 0.0, 0.0, -3.0, 3.0, 7.0, 0.0, -1.0], [2.0, 0.0, 0.0, -4.0, 4.0, 8.0, 0.0, -1.0],
        *[[1.5, 2.5, 0.0, -inf, inf, 0.0, 0.0, -1.0]]*3]
    row = chain.body_rows[2]
    assert m.load.tolist() == [[row, 0.0, 1.0, 0.0, 0.5, 0.0, 1.0, 0.0, 0.0, 0.0, 0.0, 2.0],
                               [row, 1.0, 2.0, 0.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 0.0]]
    assert m.signal.tolist() == [[layout.CONSTANT, 9.0, 0.0, 0.0, 0.0], [layout.TABLE, 0.0, 2.0, 0.0, 0.0],
                                 [layout.SINE, 0.2, 2.0, 3.0, 0.1]]
    assert m.table.tolist() == [[0.0, 3.0], [1.0, 4.0]]


def test_the_model_is_made_once():
    chain = Chain([Link(length=1.0, mass=1.0)])
    assert chain.model is chain.model and chain.model is not chain.replace().model
