"""Every road gives what the production road gives, and keeps the laws of mechanics by itself."""

import numpy as np
import pytest
from formulations import free_bodies
from formulations.common import examples, off, within
from formulations.zoo import motion, tree
from hypothesis import given, settings
from hypothesis import strategies as st
from strategies import chains_in_motion, random_chain, random_state

import fastdyn as fd
from fastdyn import Body, Chain, Fixed, Free, Link, Prismatic, Revolute, Spherical, Universal
from fastdyn.formulations import formulation, recursive
from fastdyn.layout import ACTING, work_of
from fastdyn.status import NOT_FINITE, OK, SINGULAR_INERTIA

pytestmark = [pytest.mark.usefixtures("one_ladder"), pytest.mark.kernels]
ROADS = "denoc", "gibbs-appell", "boltzmann-hamel", "lagrange"
CLOSE = 1e-12                                             # accelerations, up to 12 links
in_motion = st.booleans().flatmap(lambda planar: chains_in_motion(planar=planar))
with_laws = st.booleans().flatmap(lambda planar: chains_in_motion(planar=planar, laws=True))
every_road = pytest.mark.parametrize("road", ROADS)


def pushes(rng, chain):
    """(links, 6): a force and a moment on every link; such that stay in the plane for a planar chain."""
    return rng.normal(size=(len(chain.links), 6))*((1, 1, 0, 0, 0, 1) if chain.planar else 1)


def pushes_like(chain, q):
    return pushes(np.random.default_rng(int(1e3*np.abs(q).sum()) % 1000), chain)


def effort(chain, q, v, acc):
    """The torques' size before they add up: what rounding is measured against."""
    return np.max(np.abs(fd.mass_matrix(chain, q)) @ np.abs(acc) + np.abs(fd.bias(chain, q, v)), initial=1.0)


# ---- the production road


@every_road
@settings(max_examples=examples(40))
@given(case=with_laws)
def test_accelerations_are_those_of_the_recursion(road, case):
    chain, q, v, torque = case
    w = pushes_like(chain, q)
    expected = fd.forward_dynamics(chain, q, v, torque, t=0.4, wrench=w)
    acc = fd.forward_dynamics(chain, q, v, torque, t=0.4, wrench=w, formulation=road)
    assert within(off(acc, expected, least=1.0)/np.linalg.cond(fd.mass_matrix(chain, q)), 1e-14)
    taken = fd.inverse_dynamics(chain, q, v, acc, t=0.4, wrench=w)
    assert within(np.abs(taken - torque).max()/effort(chain, q, v, acc), 5e-14)


@every_road
@settings(max_examples=examples(40))
@given(case=with_laws)
def test_torques_are_those_of_the_recursion(road, case):
    chain, q, v, acc = case
    w = pushes_like(chain, q)
    expected = fd.inverse_dynamics(chain, q, v, acc, t=0.4, wrench=w)
    torque = fd.inverse_dynamics(chain, q, v, acc, t=0.4, wrench=w, formulation=road)
    size = np.max(np.abs(free_bodies.reactions(chain, q, v, acc, 0.4, w)), initial=1.0)
    assert within(np.abs(torque - expected).max()/size, 1e-14)


@every_road
@settings(max_examples=examples(60))
@given(case=in_motion)
def test_mass_matrix(road, case):
    """Symmetric to the last bit, positive definite, the same on every road; M acc + h = torque."""
    chain, q, v, acc = case
    M = fd.mass_matrix(chain, q, formulation=road)
    assert np.array_equal(M, M.T) and np.linalg.eigvalsh(M).min() > 0.0
    assert all(within(off(M, fd.mass_matrix(chain, q, formulation=other)), 1e-14) for other in ("recursive", *ROADS))
    torque, h = (fd.inverse_dynamics(chain, q, v, a, formulation=road) for a in (acc, 0.0*acc))
    assert within(np.abs(M @ acc + h - torque).max()/effort(chain, q, v, acc), 1e-14)


def kernel_answers(page, model, q, v, x, wrench, acting):
    """acc under x, torque for x, M, straight from the kernels; scratch starts as NaN."""
    work, nv = work_of(model, dense=page.dense_size(model)), len(v)
    work.dense[:], work.wrench[:], work.note[ACTING] = np.nan, wrench, acting
    acc, torque, M = np.full(nv, np.nan), np.full(nv, np.nan), np.full((nv, nv), np.nan)
    assert page.forward_dynamics(model)(model, work, q, v, x, acc) == OK
    assert page.inverse_dynamics(model)(model, work, q, v, x, torque) == OK
    assert page.mass_matrix(model)(model, work, q, M) == OK
    return acc, torque, M


@every_road
def test_many_random_chains(road):
    """Up to 12 links, all joints, trees and floating bases; wrenches on rows without mass too."""
    rng = np.random.default_rng(11)
    for _ in range(examples(300)):
        kind = str(rng.choice(["mixed", "planar", "spherical", "universal", "revolute", "prismatic", "aligned"]))
        n = int(rng.integers(1, 4 if kind == "prismatic" else 13))
        free, branches = bool(rng.integers(2)) and kind != "prismatic", bool(rng.integers(2))
        gravity = 1.0, -9.0, 0.0 if kind == "planar" else 3.0
        chain = random_chain(rng, n, kind, free=free, tree=branches, gravity=gravity)
        (q, v), x, model = random_state(rng, chain), rng.normal(size=chain.nv), chain.model
        outside = rng.normal(size=6*len(model.row)), int(rng.integers(2))
        acc, torque, M = kernel_answers(formulation(road), model, q, v, x, *outside)
        acc_too, torque_too, M_too = kernel_answers(recursive, model, q, v, x, *outside)
        assert within(off(acc, acc_too), CLOSE), (kind, n)
        assert within(off(torque, torque_too), 1e-13) and within(off(M, M_too), 1e-14), (kind, n)


@pytest.mark.parametrize("family", ["planar", "spherical"])
def test_digits_do_not_go_with_the_condition_of_the_mass_matrix(family):
    """Twelve links, cond(M) up to 3e5: what a dense solution loses, 7e-12, comes back with its correction."""
    rng, worst = np.random.default_rng(5), 0.0
    for _ in range(examples(150)):
        chain = random_chain(rng, 12, family)
        (q, v), torque = random_state(rng, chain), rng.normal(size=chain.nv)
        acc = fd.forward_dynamics(chain, q, v, torque, formulation="gibbs-appell")
        worst = max(worst, off(acc, fd.forward_dynamics(chain, q, v, torque)))
    assert within(worst, 2e-13)


# ---- laws of mechanics


@every_road
@settings(max_examples=examples(40))
@given(case=with_laws)
def test_inverse_of_forward(road, case):
    chain, q, v, torque = case
    acc = fd.forward_dynamics(chain, q, v, torque, formulation=road)
    back = fd.inverse_dynamics(chain, q, v, acc, formulation=road)
    assert within(np.abs(back - torque).max()/effort(chain, q, v, acc), 5e-14)


@every_road
@settings(max_examples=examples(40))
@given(case=in_motion)
def test_power_of_the_torques_is_the_rate_of_energy(road, case):
    """While v stays as it is, v.h = d/dt (v' M v/2 + U)."""
    chain, q, v, _ = case
    h = fd.inverse_dynamics(chain, q, v, 0.0*v, formulation=road)

    def energy(t):
        there = free_bodies.moved(chain, q, v, t)
        return 0.5*v @ fd.mass_matrix(chain, there, formulation=road) @ v + fd.potential_energy(chain, there)

    size = max(np.abs(v) @ np.abs(h), abs(energy(0.0)), 1.0)
    assert within(abs(v @ h - free_bodies.rate_of(energy))/size, 1e-9)


@every_road
@pytest.mark.parametrize("planar", [False, True])
def test_gravity_is_a_force_at_every_mass_centre(road, planar):
    chain = tree(planar, laws=False)
    (q, v, torque), g = motion(chain), np.array([3.0, -7.0, 0.0 if planar else 2.0])
    w = np.zeros((len(chain.links), 6))
    for i, p, m, c, _ in free_bodies.weights(chain, free_bodies.places(chain, q)):
        w[i] = *(p.R.T @ (m*g)), *(p.R.T @ np.cross(c, m*g))
    falling, pushed = chain.replace(gravity=g), chain.replace(gravity=(0.0, 0.0, 0.0))
    assert within(off(fd.forward_dynamics(falling, q, v, torque, formulation=road),
                      fd.forward_dynamics(pushed, q, v, torque, wrench=w, formulation=road)), 1e-12)
    assert within(off(fd.inverse_dynamics(falling, q, v, torque, formulation=road),
                      fd.inverse_dynamics(pushed, q, v, torque, wrench=w, formulation=road)), 1e-13)


@every_road
@pytest.mark.parametrize("planar", [False, True])
def test_what_floats_falls_as_one(road, planar):
    chain = tree(planar, laws=False).replace(gravity=(0.0, -9.0, 0.0))
    q = motion(chain)[0]
    acc = fd.forward_dynamics(chain, q, np.zeros(chain.nv), formulation=road)
    base = free_bodies.places(chain, q)[0].R.T @ chain.gravity if not planar else np.array(chain.gravity)
    n = 2 if planar else 3
    assert within(off(acc, np.concatenate([base[:n], np.zeros(chain.nv - n)])), 1e-13)


@every_road
@settings(max_examples=examples(30))
@given(case=in_motion)
def test_wrenches_give_their_power_to_the_joints(road, case):
    """v.(torque without them - torque with them) = sum of moment.w + force.u"""
    chain, q, v, acc = case
    w = pushes_like(chain, q)
    power = sum((p.R @ x[3:]) @ p.w + (p.R @ x[:3]) @ p.u for p, x in zip(free_bodies.places(chain, q, v), w))
    without, under = (fd.inverse_dynamics(chain, q, v, acc, wrench=x, formulation=road) for x in (None, w))
    size = max(np.abs(v) @ np.maximum(np.abs(without), np.abs(under)), abs(power), 1.0)
    assert within(abs(v @ (without - under) - power)/size, 1e-13)


# ---- what cannot move, and what is no number


BALL = Body.sphere(0.1, 1.0, (0.2, 0.1, 0.3))
DISC = Body.sphere(0.1, 1.0)
X, Y = Revolute(axis=(1.0, 0.0, 0.0)), Revolute(axis=(0.0, 1.0, 0.0))
HERE = (0.0, 0.0, 0.0)


def links(*described):
    """Links of 0.5 m from (name, joint, body[, place]); a frame that weighs nothing without a body."""
    return [Link(name=name, joint=joint, body=body, length=0.5, at=at[0] if at else None)
            for name, joint, body, *at in described]


def slides(*axes):
    return [Prismatic(axis=tuple(np.array(axis)/np.linalg.norm(axis))) for axis in axes]


def singular_in_space():
    a, b, c, d = slides((1, 2, 3), (-1, 1, 0.5), (2, -1, 1), (1, 1, -2))
    e, f, g, h = (Revolute(axis=s.axis) for s in (a, b, c, d))
    rod, point, high = Body.rod(1.0, 2.0), Body.point(1.0, (0.3, 0.0, 0.0)), Body.point(1.0, (0.0, 0.0, 0.4))
    hub, ball = ("hub", Revolute(), BALL), Spherical()
    far = [(f"p{k}", Fixed(), Body.point(1.0), tuple(0.4*np.roll((1.0, 0.3, 0.2), k))) for k in range(3)]
    return {
        "a tip that weighs nothing": ("tip", links(hub, ("a", Y, BALL), ("tip", X, None))),
        "a point on the axis": ("tip", links(hub, ("tip", X, point))),
        "a point on a ball joint": ("tip", links(hub, ("tip", ball, point))),
        "a thin rod on a ball joint": ("rod", links(hub, ("rod", ball, rod), ("b", ball, BALL))),
        "a floating point": ("tip", links(("tip", Free(), point))),
        "one axis twice": ("a", links(hub, ("a", Y, None), ("b", Y, BALL, HERE))),
        "one slide twice": ("a", links(hub, ("a", a, None), ("b", a, BALL))),
        "four slides": ("a", links(("a", a, None), ("b", b, None), ("c", c, None), ("d", d, BALL))),
        "four axes through a point": ("a", links(("a", e, None), ("b", f, None, HERE), ("c", g, None, HERE),
                                                 ("d", h, BALL, HERE))),
        "four axes far from the mass": ("a", links(("a", e, None), ("b", f, None, HERE), ("c", g, None, HERE),
                                                   ("d", h, None, HERE), *far)),
        "ball joint on ball joint": ("a", links(hub, ("a", ball, None), ("b", ball, BALL, HERE))),
        "three axes for a point": ("hub", links(("hub", Revolute(), None), ("a", Universal(), None, HERE),
                                                ("b", Fixed(), high, HERE))),
    }


def singular_in_the_plane():
    a, b, c = slides((1, 2, 0), (-1, 1, 0), (2, -1, 0))
    turn, hub = Revolute(), ("hub", Revolute(), DISC)
    return {
        "a tip that weighs nothing": ("tip", links(hub, ("a", turn, DISC), ("tip", turn, None))),
        "a point on its joint": ("tip", links(hub, ("tip", turn, Body.point(1.0)))),
        "one axis twice": ("a", links(hub, ("a", turn, None), ("b", turn, DISC, HERE))),
        "one slide twice": ("a", links(hub, ("a", a, None), ("b", a, DISC))),
        "three slides": ("a", links(("a", a, None), ("b", b, None), ("c", c, DISC))),
    }


SINGULAR = [pytest.param(guilty, chain, space, id=f"{name}, {space}")
            for space, cases in (("space", singular_in_space()), ("plane", singular_in_the_plane()))
            for name, (guilty, chain) in cases.items()]


@pytest.mark.parametrize("road", ["recursive", *ROADS])
@pytest.mark.parametrize("guilty, chain, space", SINGULAR)
def test_a_joint_with_nothing_to_move_is_named(road, guilty, chain, space):
    chain = Chain(chain, space=space)
    assert chain.planar == (space == "plane")
    q, v = random_state(np.random.default_rng(3), chain)
    with pytest.raises(fd.SimulationError, match=f'^link "{guilty}"( about \\(.*?\\))?[,:] ') as refused:
        fd.forward_dynamics(chain, q, v, formulation=road)
    assert refused.value.status == SINGULAR_INERTIA
    moments = np.linalg.eigvalsh(fd.mass_matrix(chain, q, formulation=road))
    assert abs(moments[0]) < 1e-14*moments[-1]
    torque = fd.inverse_dynamics(chain, q, v, v, formulation=road)
    assert within(off(torque, fd.inverse_dynamics(chain, q, v, v)), 1e-12)


@pytest.mark.parametrize("road", ["recursive", *ROADS])
@pytest.mark.parametrize("spare", ["an axis", "a ball joint"])
def test_rounding_is_no_inertia(road, spare):
    """What three axes through a point leave to turn about it is rounding, now and then positive in all directions."""
    rng = np.random.default_rng(8)
    for _ in range(examples(250)):
        triad = [Revolute(axis=tuple(axis)) for axis in np.linalg.qr(rng.normal(size=(3, 3)))[0]]
        joint = Revolute(axis=triad[0].axis) if spare == "an axis" else Spherical()
        points = [(f"p{k}", Fixed(), Body.point(1.0), tuple(x)) for k, x in enumerate(rng.uniform(-1.0, 1.0, (3, 3)))]
        axes = [(f"a{k}", axis, None, HERE) for k, axis in enumerate(triad)]
        chain = Chain(links(("hub", X, BALL), ("spare", joint, None), *axes, *points))
        with pytest.raises(fd.SimulationError, match=r'^link "spare": '):
            fd.forward_dynamics(chain, *random_state(rng, chain), formulation=road)


@every_road
def test_a_lock_is_found_after_a_good_answer(road):
    """Three axes through a point: where the first and the third fall together, the first has nothing left to move."""
    axes = ("lock", Revolute(), None), ("a", Y, None, HERE), ("b", Revolute(), BALL, HERE)
    chain = Chain(links(("hub", X, BALL), *axes))
    q, v = np.array([0.3, 0.2, 0.7, -0.4]), np.ones(4)
    acc = fd.forward_dynamics(chain, q, v, formulation=road)
    assert within(off(acc, fd.forward_dynamics(chain, q, v)), 1e-12)
    q[2] = 0.0
    with pytest.raises(fd.SimulationError, match=r'^link "lock": '):
        fd.forward_dynamics(chain, q, v, formulation=road)


@every_road
@pytest.mark.parametrize("planar", [False, True])
@pytest.mark.parametrize("where", ["q", "v", "torque", "wrench"])
def test_nan_is_not_finite_and_not_singular(road, planar, where):
    chain, page = tree(planar, laws=False), formulation(road)
    model, given, answer = chain.model, dict(zip(("q", "v", "torque"), motion(chain))), np.zeros(chain.nv)
    work = work_of(model, dense=page.dense_size(model))
    given["wrench"], work.note[ACTING] = work.wrench, 1
    given[where][-1] = np.nan
    for ask in (page.forward_dynamics, page.inverse_dynamics):
        assert ask(model)(model, work, given["q"], given["v"], given["torque"], answer) == NOT_FINITE


@every_road
@pytest.mark.parametrize("planar", [False, True])
def test_scratch_is_as_large_as_said(road, planar):
    """Nothing is written beyond `dense_size`, and all three questions get by with it."""
    chain, page = tree(planar, laws=False), formulation(road)
    model, (q, v, x) = chain.model, motion(chain)
    size = page.dense_size(model)
    work, out, M = work_of(model, dense=size + 999), np.zeros(chain.nv), np.zeros((chain.nv, chain.nv))
    work.dense[:] = 12345.678
    page.forward_dynamics(model)(model, work, q, v, x, out)
    page.inverse_dynamics(model)(model, work, q, v, x, out)
    page.mass_matrix(model)(model, work, q, M)
    assert np.all(work.dense[size:] == 12345.678) and work.dense[size - 1] != 12345.678
