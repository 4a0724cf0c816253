"""Joints that would have nothing to move: a status with the name of the link, never a number; and no false alarms.

The accelerations of such a chain are not determined; `numpy.linalg.solve` answers all the same.
"""

import numpy as np
import pytest
from formulations import free_bodies
from formulations.common import examples, within
from hypothesis import given, settings
from hypothesis import strategies as st
from strategies import random_rotation

import fastdyn as fd
from fastdyn import Body, Chain, Free, FreePlanar, Link, Prismatic, Revolute, SimulationError, Spherical, Universal
from fastdyn.layout import FLOOR
from fastdyn.status import SINGULAR_INERTIA

pytestmark = [pytest.mark.usefixtures("one_ladder"), pytest.mark.kernels,
              pytest.mark.filterwarnings("ignore::RuntimeWarning")]
rngs = st.integers(0, 2**32 - 1).map(np.random.default_rng)


def direction(rng):
    v = rng.normal(size=3)
    return v/np.linalg.norm(v)


def solid(rng, planar=False):
    com = 0.3*rng.normal(size=3)*[1, 1, not planar]
    return Body(mass=1.3, com=com, inertia=(0.1, 0.2, 0.15))


def needle(rng, ratio):
    """(body, tip) of a rod in any direction; ratio: of its moments about its own axis and across, about the joint"""
    R = free_bodies.turn_of(rng.normal(size=4))
    I = R @ np.diag([ratio/3, 1/12, 1/12]) @ R.T
    return Body(mass=1.0, com=R @ [0.5, 0.0, 0.0], inertia=(I + I.T)/2), R @ [1.0, 0.0, 0.0]


def asked(chain, rng, batch=False):
    """Accelerations at a state of random numbers."""
    rows = (3,) if batch else ()
    return fd.forward_dynamics(chain, rng.normal(size=(*rows, chain.nq)), rng.normal(size=(*rows, chain.nv)))


def troubled(chain, rng, batch=False):
    """The link that the error names"""
    with pytest.raises(SimulationError, match="is not safely positive: give the outer links mass") as error:
        asked(chain, rng, batch)
    assert error.value.status == SINGULAR_INERTIA
    return str(error.value).split('"')[1]


def behind(rng, *links, planar=False):
    """The links on an arm that is sound itself, so that numbers have been rounded before they get there."""
    arm = Link(name="arm", joint=Revolute() if planar else Revolute(axis=direction(rng)), body=solid(rng, planar))
    at = rng.normal(size=3)*[1, 1, not planar]
    first = {name: getattr(links[0], name) for name in links[0].__struct_fields__} | {"at": at}
    if not planar:
        first["turn"] = random_rotation(rng)
    return Chain([arm, Link(**first), *links[1:]], space="plane" if planar else "space")


def along(e, joint):
    return joint(axis=tuple(e))


BAD = {
    "massless tip, revolute": lambda rng: [Link(name="bad", joint=along(direction(rng), Revolute))],
    "massless tip, prismatic": lambda rng: [Link(name="bad", joint=along(direction(rng), Prismatic))],
    "massless tip, spherical": lambda rng: [Link(name="bad", joint=Spherical())],
    "massless tip, universal": lambda rng: [Link(name="bad", joint=Universal())],
    "point on a ball": lambda rng: [Link(name="bad", joint=Spherical(), body=Body.point(1.0, rng.normal(size=3)))],
    "point at a ball": lambda rng: [Link(name="bad", joint=Spherical(), body=Body.point(1.0))],
    "point at a revolute": lambda rng: [Link(name="bad", body=Body.point(1.0))],
    "point on the axis of a universal": lambda rng: [Link(name="bad", joint=Universal(),
                                                          body=Body.point(1.0, (0.0, 0.5, 0.0)))],
    "two balls in one place": lambda rng: [
        Link(name="bad", joint=Spherical()), Link(joint=Spherical(), body=solid(rng))],
    "two balls on a bar that weighs nothing": lambda rng: [
        Link(name="bad", joint=Spherical()), Link(joint=Spherical(), at=rng.normal(size=3), body=solid(rng))],
}


@pytest.mark.parametrize("batch", [False, True])
@pytest.mark.parametrize("name", BAD)
def test_nothing_to_move(name, batch):
    for seed in range(examples(20)):
        rng = np.random.default_rng(seed)
        assert troubled(Chain(BAD[name](rng), space="space"), rng, batch) == "bad"
        assert troubled(behind(rng, *BAD[name](rng)), rng, batch) == "bad"


@settings(max_examples=examples(60))
@given(rngs)
def test_one_axis_twice(rng):
    """Two slides, two turns, with nothing between, or a point mass on the axis: in any direction"""
    e = direction(rng)
    for joint in (Prismatic, Revolute):
        pair = Link(name="bad", joint=along(e, joint)), Link(joint=along(e, joint), at=tuple(0.7*e), body=solid(rng))
        assert troubled(behind(rng, *pair), rng) == "bad"
    on_axis = Link(name="bad", joint=along(e, Revolute), body=Body.point(1.0, tuple(0.7*e)))
    assert troubled(behind(rng, on_axis), rng) == "bad"


TRIAD = {
    "slides": lambda rng, axis: along(axis, Prismatic),
    "axes through a point": lambda rng, axis: along(axis, Revolute),
}


def on_a_triad(rng, joint, body=None, first=None):
    """A fourth slide or axis inside three across each other, nothing but rounding between: link "bad" has that body."""
    triad = [first or TRIAD[joint](rng, direction(rng))]
    triad += [TRIAD[joint](rng, axis) for axis in free_bodies.turn_of(rng.normal(size=4))]
    bodies = [body, None, None, solid(rng)]
    return [Link(name="bad" if k == 0 else f"link{k}", joint=own, body=it, at=np.zeros(3))
            for k, (own, it) in enumerate(zip(triad, bodies))]


@settings(max_examples=examples(60))
@given(rngs, st.sampled_from(sorted(TRIAD)), st.booleans())
def test_what_three_joints_leave_is_rounding_and_no_inertia(rng, joint, batch):
    """The whole block of such a pivot is rounding, its trace too: it is measured by the masses outside."""
    assert troubled(Chain(on_a_triad(rng, joint), space="space"), rng, batch) == "bad"
    assert troubled(behind(rng, *on_a_triad(rng, joint)), rng, batch) == "bad"


@settings(max_examples=examples(60))
@given(rngs)
def test_what_a_whole_arm_leaves_is_rounding(rng):
    """Six axes in general positions hold one body in every way; a seventh without mass has nothing left."""
    def places(k): return np.array([(0.5, 0, 0), (0, 0.5, 0), (0, 0, 0.5)])[k % 3]

    axes = [*np.eye(3), *np.roll(np.eye(3), 1, axis=0)]
    G = free_bodies.turn_of(rng.normal(size=4))
    arm = [Link(name="bad", joint=along(direction(rng), Revolute))]
    arm += [Link(joint=along(G @ axis, Revolute), at=G @ places(k), body=solid(rng) if k == 5 else None)
            for k, axis in enumerate(axes)]
    chain = Chain(arm, space="space")
    state = 0.1*rng.normal(size=chain.nq), np.zeros(chain.nv)
    with pytest.raises(SimulationError, match='link "bad"'):
        fd.forward_dynamics(chain, *state)
    assert np.isfinite(fd.forward_dynamics(Chain(arm[1:], space="space"), state[0][1:], state[1][1:])).all()


@pytest.mark.parametrize("joint", TRIAD)
def test_how_little_may_be_moved(joint):
    """1e-11 of what is outside is a mass, and moves as it should; 1e-15 of it could be rounding, and is refused."""
    for seed in range(examples(40)):
        rng = np.random.default_rng(seed)
        tiny = [Body.sphere(0.5, x) for x in (1e-11, 1e-15)]
        chain = Chain(on_a_triad(rng, joint, tiny[0]), space="space")
        q, v, acc = 0.3*rng.normal(size=4), np.zeros(4), rng.normal(size=4)
        torque = fd.inverse_dynamics(chain, q, v, acc)
        assert within(np.abs(fd.forward_dynamics(chain, q, v, torque) - acc).max(), 0.1)
        assert troubled(Chain(on_a_triad(rng, joint, tiny[1]), space="space"), rng) == "bad"


def test_floors_do_not_grow_with_the_chain():
    """A million links are no reason to refuse the first: what is more than six freedoms outside does not count."""
    def floors(n, joint):
        return Chain([Link(length=1.0, mass=1.0, radius=0.1, joint=joint)]*n, space="space").model.body[0, FLOOR:]

    for joint in (Revolute(axis=(0.0, 1.0, 0.0)), Spherical(), Prismatic()):
        assert np.array_equal(floors(9, joint), floors(40, joint)) and floors(9, joint).max() > 0.0


@settings(max_examples=examples(60))
@given(rngs)
def test_a_rod_that_turns_about_itself(rng):
    rod, tip = needle(rng, 0.0)
    joint = along(tip/np.linalg.norm(tip), Revolute)
    assert troubled(behind(rng, Link(name="bad", joint=joint, body=rod)), rng) == "bad"


@settings(max_examples=examples(60))
@given(rngs, st.booleans())
def test_in_the_plane(rng, batch):
    frame, body = Link(name="bad"), solid(rng, planar=True)
    slide = along((0.6, 0.8, 0.0), Prismatic)
    turn = rng.uniform(0.0, np.pi)
    cross = [Prismatic(axis=(np.cos(turn + k), np.sin(turn + k), 0.0)) for k in (0.9, 0.0, np.pi/2)]
    slides = Link(name="bad", joint=cross[0]), Link(joint=cross[1]), Link(joint=cross[2], body=body)
    for links in (slides, (frame, Link(body=body)), (frame,), (Link(name="bad", body=Body.point(1.0)),),
                  (Link(name="bad", joint=slide), Link(joint=slide, body=body)), (Link(name="bad", joint=slide),)):
        assert troubled(behind(rng, *links, planar=True), rng, batch) == "bad"
        assert troubled(Chain(links, space="plane"), rng, batch) == "bad"
    assert troubled(Chain([Link(name="bad", joint=FreePlanar()), Link(body=body)], space="plane"), rng, batch) == "bad"


@settings(max_examples=examples(40))
@given(rngs)
def test_floating_bases(rng):
    for body in (None, Body.point(1.0, rng.normal(size=3)), needle(rng, 0.0)[0]):
        assert troubled(Chain([Link(name="bad", joint=Free(), body=body)], space="space"), rng) == "bad"
    for joint in (Spherical(), along(direction(rng), Revolute), along(direction(rng), Prismatic)):
        arm = Link(joint=joint, at=rng.normal(size=3), body=solid(rng))
        assert troubled(Chain([Link(name="bad", joint=Free()), arm], space="space"), rng) == "bad"


def rods(rng, n, ratio, joint=None):
    """n thin rods on ball joints, each in a direction of its own in its link frame"""
    links, at = [], np.zeros(3)
    for i in range(n):
        body, tip = needle(rng, ratio)
        links.append(Link(joint=joint if joint and i == 0 else Spherical(), at=at, body=body))
        at = tip
    return Chain(links, space="space")


@pytest.mark.parametrize("joint", [None, Free()])
@pytest.mark.parametrize("n", [1, 2, 5, 20])
def test_rods_on_ball_joints(n, joint):
    """Without moment of inertia about themselves every one is in trouble, the outermost is named; tilted in any way."""
    for seed in range(examples(40)):
        rng = np.random.default_rng(seed)
        assert troubled(rods(rng, n, 0.0, joint), rng) == f"link{n}"


@pytest.mark.parametrize("n", [1, 2, 5, 20])
def test_how_thin_a_rod_may_be(n):
    """Down to 1e-12 of the moment across it runs, at 1e-14 rounding may be all there is: seen, the line is 1..8e-13."""
    for seed in range(examples(40)):
        rng = np.random.default_rng(seed)
        troubled(rods(rng, n, 1e-14), rng)
        assert np.isfinite(asked(rods(rng, n, 1e-12), rng)).all()


@settings(max_examples=examples(40))
@given(rngs, st.sampled_from([1e-2, 1e-4, 1e-6, 1e-8]))
def test_thin_rods_move_as_they_should(rng, ratio):
    """A spin about the rod itself is lost by nothing but rounding over its moment: the torque comes back."""
    chain = rods(rng, 4, ratio)
    q, v, torque = rng.normal(size=chain.nq), rng.normal(size=chain.nv), rng.normal(size=chain.nv)
    acc = fd.forward_dynamics(chain, q, v, torque)
    effort = np.max(np.abs(fd.mass_matrix(chain, q)) @ np.abs(acc))
    assert within(np.abs(fd.inverse_dynamics(chain, q, v, acc) - torque).max()/effort, 1e-14)


def test_light_links_are_no_trouble():
    """A milligram at the tip of a tonne, and the other way round"""
    rng = np.random.default_rng(1)
    for first, second in ((1e3, 1e-6), (1e-6, 1e3)):
        for joint in (Revolute(), Spherical(), Universal()):
            links = [Link(length=1.0, joint=joint, body=Body.box((1.0, 0.1, 0.1), m, (0.5, 0.0, 0.0)))
                     for m in (first, second)]
            assert np.isfinite(asked(Chain(links, space="space"), rng)).all()


def test_inverse_mass_knows_it_too():
    chain = Chain([Link(length=1.0, mass=1.0), Link(name="bad")])
    with pytest.raises(SimulationError, match='link "bad"'):
        fd.apply_inverse_mass(chain, [0.1, 0.2], [1.0, 1.0])
    with pytest.raises(SimulationError, match='link "bad"'):
        fd.reactions(chain, [0.1, 0.2], [1.0, 1.0])
    assert np.isfinite(fd.inverse_dynamics(chain, [0.1, 0.2], [1.0, 1.0], [1.0, 1.0])).all()
    assert np.linalg.matrix_rank(fd.mass_matrix(chain, [0.1, 0.2])) == 1
