"""Chains side by side: every lane has the very bits of the chain alone, whatever stands in the other lanes."""

from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
from formulations import described, zoo
from formulations.common import COMPILED, off, within

import fastdyn as fd
from fastdyn import Body, Chain, Constant, Link, Load
from fastdyn.formulations import recursive
from fastdyn.layout import ACTING, LANES, STEP, TROUBLED, aligned, work_of
from fastdyn.status import NOT_FINITE, OK, SINGULAR_INERTIA
from perf.ours import Case

pytestmark = [pytest.mark.usefixtures("one_ladder"), pytest.mark.kernels]
QUESTIONS = {"forward": recursive.forward_dynamics, "inverse": recursive.inverse_dynamics}
planes = pytest.mark.parametrize("planar", [False, True], ids=["space", "plane"])
both_ways = pytest.mark.parametrize("question", QUESTIONS)


def side_by_side(rows):
    """Number j of row k at j*len(rows) + k"""
    flat = aligned(rows.size)
    flat.reshape(rows.T.shape)[:] = rows.T
    return flat


def ask(question, model, q, v, given, wrench=None, own=False):
    """(status, work, answer) of a raw kernel for rows of states."""
    lanes, answer = len(q), np.empty_like(v)
    work, flat = work_of(model, lanes), aligned(v.size)
    if wrench is not None:
        work.wrench[:] = side_by_side(wrench)
        work.note[ACTING] = 1
    kernel = QUESTIONS[question](model, lanes=lanes, own=own)
    status = kernel(model, work, *map(side_by_side, (q, v, given)), flat)
    answer[:] = flat.reshape(-1, lanes).T
    return status, work, answer


def alone(question, model, q, v, given, wrench=None):
    """The same, state by state."""
    wrench = [None]*len(q) if wrench is None else wrench[:, None]
    rows = [ask(question, model, *(x[None] for x in state), w) for *state, w in zip(q, v, given, wrench)]
    assert all(status == OK for status, _, _ in rows)
    return np.concatenate([answer for *_, answer in rows])


def loaded(chain, rows):
    """Wrenches on every row of the model, in the plane where the chain is."""
    on = [0, 0, 1, 1, 1, 0] if chain.planar else [1]*6
    return np.random.default_rng(5).uniform(-3.0, 3.0, (rows, len(chain.model.row)*6))*np.tile(on, len(chain.model.row))


@planes
@both_ways
@pytest.mark.parametrize("wrenched", [False, True])
def test_a_lane_is_the_chain_alone(question, planar, wrenched):
    chain = zoo.tree(planar)
    motion = zoo.motion(chain, rows=LANES)
    wrench = loaded(chain, LANES) if wrenched else None
    status, _, answer = ask(question, chain.model, *motion, wrench)
    assert status == OK and np.array_equal(answer, alone(question, chain.model, *motion, wrench))
    assert np.array_equal(answer, ask(question, chain.model, *motion, wrench)[2])


@planes
@both_ways
@pytest.mark.parametrize("rows", [1, 3])
def test_a_kernel_asked_by_address(question, planar, rows):
    """As compiled loops ask, here those of the reports on speed."""
    chain = zoo.tree(planar)
    motion = zoo.motion(chain, rows=rows)
    assert np.array_equal(Case(question, chain.model, *motion).answer(), alone(question, chain.model, *motion))


@planes
@both_ways
def test_the_place_of_a_lane_does_not_matter(question, planar):
    chain = zoo.tree(planar)
    motion = zoo.motion(chain, rows=LANES)
    turned = [np.roll(x, 3, axis=0) for x in motion]
    answer = ask(question, chain.model, *motion)[2]
    assert np.array_equal(ask(question, chain.model, *turned)[2], np.roll(answer, 3, axis=0))
    same = [np.repeat(x[:1], LANES, axis=0) for x in motion]
    answer = ask(question, chain.model, *same)[2]
    assert np.array_equal(answer, np.repeat(answer[:1], LANES, axis=0))


def relatives(planar):
    """As many chains as lanes, with the joints of the zoo and other bodies and places."""
    chain, rng, made = zoo.tree(planar), np.random.default_rng(11), []
    for _ in range(LANES):
        links = []
        for link, at in zip(chain.links, chain.joint_positions):
            m, s = rng.uniform(0.5, 2.0, 2)
            body = Body(mass=m*link.body.mass, com=s*np.array(link.body.com), inertia=m*np.array(link.body.inertia))
            links.append(described.changed(link, body=body, at=s*np.array(at)))
        made.append(chain.replace(links=links))
    return made


@planes
@both_ways
def test_every_lane_with_bodies_of_its_own(question, planar):
    chains = relatives(planar)
    models = [chain.model for chain in chains]
    assert all(np.array_equal(model.row[:, STEP], models[0].row[:, STEP]) for model in models)
    bodies = aligned((len(models[0].row), models[0].body.shape[1]*LANES))
    bodies.reshape(*models[0].body.shape, LANES)[:] = np.stack([model.body for model in models], axis=2)
    motion, wrench = zoo.motion(chains[0], rows=LANES), loaded(chains[0], LANES)
    status, _, answer = ask(question, models[0]._replace(body=bodies), *motion, wrench, own=True)
    assert status == OK
    for k, model in enumerate(models):
        assert np.array_equal(answer[k:k + 1], alone(question, model, *(x[k:k + 1] for x in motion), wrench[k:k + 1]))


@planes
def test_angles_far_out_in_one_lane_alone(planar):
    """The turns are taken off exactly; the other lanes do not feel it."""
    chain = zoo.tree(planar)
    q, v, torque = zoo.motion(chain, rows=LANES)
    near = ask("forward", chain.model, q, v, torque)[2]
    a = chain.q_slice("arm").start
    far = q.copy()
    far[2, a], far[5, a] = 1e6, -1e15
    answer = ask("forward", chain.model, far, v, torque)[2]
    keep = [k for k in range(LANES) if k not in (2, 5)]
    assert np.array_equal(answer[keep], near[keep])
    assert np.array_equal(answer, alone("forward", chain.model, far, v, torque))
    back = far.copy()
    back[2, a], back[5, a] = (np.arctan2(np.sin(x), np.cos(x)) for x in (1e6, -1e15))
    assert within(off(answer, ask("forward", chain.model, back, v, torque)[2]), 1e-12)


@planes
@both_ways
def test_a_lane_that_is_no_number(question, planar):
    """The others keep their bits; the status tells that something is wrong."""
    chain = zoo.tree(planar)
    q, v, given = zoo.motion(chain, rows=LANES)
    sound = ask(question, chain.model, q, v, given)[2]
    v = v.copy()
    v[3, 1] = np.nan
    status, _, answer = ask(question, chain.model, q, v, given)
    keep = [k for k in range(LANES) if k != 3]
    assert status == NOT_FINITE and np.array_equal(answer[keep], sound[keep])


@planes
def test_a_lane_in_trouble_is_told_with_its_row(planar):
    chain = zoo.tree(planar)
    model, (q, v, torque) = chain.model, zoo.motion(chain, rows=LANES)
    bodies = aligned((len(model.row), model.body.shape[1]*LANES))
    bodies.reshape(*model.body.shape, LANES)[:] = model.body[:, :, None]
    tip = chain.body_rows[chain.index("foot" if planar else "ankle")]
    many = bodies.reshape(*model.body.shape, LANES)
    many[tip, 2 if planar else 12:, 6] = 0.0                         # mass and moments of one link, in one lane
    status, work, _ = ask("forward", model._replace(body=bodies), q, v, torque, own=True)
    assert status == SINGULAR_INERTIA and work.note[TROUBLED] == tip
    assert work.trouble.tolist() == [tip + 1.0 if k == 6 else 0.0 for k in range(LANES)]


def driven(planar):
    """The zoo with springs and drives on the same joints, two loads a link, and a user's drive on top."""
    def drive(t, q, v, torque, wrench):
        torque -= 0.3*v + 0.1*t
        wrench[2] += q[0], 0.5, 0.0, 0.0, 0.0, np.sin(t)

    chain = zoo.tree(planar)
    links = [*chain.links]
    links[1] = described.changed(links[1], joint=described.joint_changed(links[1].joint, drive=(Constant(0.7),)),
                                 loads=[Load(force=(0.3, 0.1, 0.0), frame="world"), Load(force=(0.1, 0.7, 0.0))])
    return chain.replace(links=links, drive=drive)


@planes
@both_ways
@pytest.mark.parametrize("rows", [1, LANES - 1, LANES, 2*LANES + 1])
def test_a_batch_is_its_states_one_by_one(question, planar, rows):
    chain, bare = driven(planar), zoo.tree(planar)
    ask_one = fd.forward_dynamics if question == "forward" else fd.inverse_dynamics
    q, v, given = zoo.motion(chain, rows=rows)
    wrench = loaded(chain, 1).reshape(-1, 6)[:len(chain.links), [3, 4, 5, 0, 1, 2]]
    for system, words in ((chain, {"wrench": wrench}), (chain, {}), (bare, {})):
        many = ask_one(system, q, v, given, t=0.7, **words)
        one_by_one = np.array([ask_one(system, *state, t=0.7, **words) for state in zip(q, v, given)])
        assert many.shape == (rows, chain.nv) and np.array_equal(many, one_by_one)


def test_a_batch_of_a_chain_with_a_single_load():
    chain = Chain([Link(length=1.0, mass=1.0, loads=[Load(force=(0.0, 3.0, 0.0), at=(1.0, 0.0, 0.0))])])
    many = fd.forward_dynamics(chain, [[0.1], [0.2]], [[0.3], [0.4]])
    assert many[:, 0].tolist() == [fd.forward_dynamics(chain, [a], [b])[0] for a, b in ((0.1, 0.3), (0.2, 0.4))]
    assert many[0, 0] == pytest.approx((3.0 - 9.81/2*np.cos(0.1))/(1/3), rel=1e-14)


@planes
def test_threads_do_not_meet(planar):
    """Two threads asking about one chain, alone and in batches: the bits of one thread."""
    chain = driven(planar)
    motion = zoo.motion(chain, rows=40 if COMPILED else 4)
    expected = fd.forward_dynamics(chain, *motion, t=0.7)

    def work(part):
        rows = [fd.forward_dynamics(chain, *state, t=0.7) for state in zip(*(x[part] for x in motion))]
        return np.array_equal(rows, expected[part]) and np.array_equal(
            fd.forward_dynamics(chain, *(x[part] for x in motion), t=0.7), expected[part])

    with ThreadPoolExecutor(2) as pool:
        half = len(expected)//2
        assert all(pool.map(work, [slice(0, half), slice(half, None)]*(10 if COMPILED else 1)))
