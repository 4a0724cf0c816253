"""Elastic chains side by side: every lane has the very bits of the chain alone, and so has a kernel that knows more."""

import numpy as np
import pytest
from formulations import described
from formulations.common import COMPILED, examples
from formulations.elastic_chains import (
    OWN, all_beams_in_one_kernel, beam_changed, bent_chains_in_motion, elastic_changed, sampled)
from formulations.test_lanes import QUESTIONS, alone, ask
from hypothesis import given, settings
from strategies import random_chain

import fastdyn as fd
from fastdyn import Beam, Chain, Elastic, Fixed, FreePlanar, Link, Load, Prismatic, Revolute, Sine
from fastdyn.formulations import recursive
from fastdyn.layout import BEAM_AT, BEAM_MODES, LANES, STEP, TROUBLED, aligned, lanes_for
from fastdyn.status import NOT_FINITE, OK, SINGULAR_INERTIA

pytestmark = pytest.mark.kernels
both_ways = pytest.mark.parametrize("question", QUESTIONS)
TURN = (float(np.cos(0.4)), 0.0, 0.0, float(np.sin(0.4)))
RUBBER = Beam(length=0.7, E=3e6, G=1e6, A=4e-4, I=1.3e-8, rho=1200.0, J33=0.003, K_v=40.0, gamma=0.1)
VARIANT = recursive.variant
BATCHES = [1, 33] if COMPILED else [3]


@pytest.fixture(scope="module", autouse=True)
def one_kernel():
    with all_beams_in_one_kernel():
        yield


def tree():
    """A floating tree of beams of 1 to 4 modes and of rigid links, on joints of all kinds of the plane."""
    bodies = [link.body for link in random_chain(np.random.default_rng(7), 3, "planar").links]
    load = Load(force=(1.0, -2.0, 0.0), at=(0.7, 0.0, 0.0), frame="world", signal=Sine(1.5, 2.0, 0.3, 0.1))
    elastic = {m: Elastic(beam=RUBBER, ends=ends, modes=m) for m, ends in ((1, "ss"), (2, "cf"), (3, "sf"), (4, "cg"))}
    return Chain([
        Link(name="hub", joint=FreePlanar(), elastic=elastic[2], body=bodies[0], loads=[load]),
        Link(name="arm", joint=Revolute(stiffness=2.0, damping=0.1), turn=TURN, elastic=elastic[1]),
        Link(name="slide", parent="hub", joint=Prismatic(axis=(0.6, -0.8, 0.0)), elastic=elastic[3], loads=[load]),
        Link(name="plate", parent="slide", joint=Fixed(), turn=TURN, body=bodies[1], length=0.3),
        Link(name="hand", parent="plate", elastic=elastic[4], at=(0.1, 0.2, 0.0)),
        Link(name="wing", parent="hub", at=(0.0, 0.0, 0.0), elastic=Elastic(beam=RUBBER, shapes=[OWN[1], sampled(0.7)],
                                                                           carried="axis", spin="section")),
        Link(name="tail", parent="wing", joint=Fixed(), elastic=elastic[1]),
        Link(name="foot", parent="arm", body=bodies[2], length=0.4),
    ], gravity=(2.0, -9.0, 0.0))


def motion(chain, rows, seed=3):
    """(q, v, torque), a state a row"""
    rng = np.random.default_rng(seed)
    bends = np.array(["mode" in name for name in chain.coordinate_names])
    q = rng.uniform(-1.0, 1.0, (rows, chain.nq))*np.where(bends, 0.05, 1.0)
    return q, rng.uniform(-2.0, 2.0, q.shape), rng.uniform(-5.0, 5.0, q.shape)


@both_ways
def test_a_lane_is_the_chain_alone(question):
    model = tree().model
    state = motion(tree(), LANES)
    wrench = np.random.default_rng(5).uniform(-3.0, 3.0, (LANES, len(model.row)*6))
    for w in (None, wrench):
        status, _, answer = ask(question, model, *state, w)
        assert status == OK and np.array_equal(answer, alone(question, model, *state, w))
    turned = ask(question, model, *(np.roll(x, 3, axis=0) for x in state), np.roll(wrench, 3, axis=0))[2]
    assert np.array_equal(turned, np.roll(answer, 3, axis=0))


@both_ways
def test_every_lane_with_beams_of_its_own(question):
    """As many chains as lanes, other numbers in every beam and every body."""
    chain, rng, models = tree(), np.random.default_rng(11), []
    for _ in range(LANES):
        links = []
        for link in chain.links:
            E, A, K_v = rng.uniform(0.5, 2.0, 3)
            beam = beam_changed(RUBBER, E=E*RUBBER.E, A=A*RUBBER.A, K_v=K_v*RUBBER.K_v)
            links.append(described.changed(link, elastic=link.elastic and elastic_changed(link.elastic, beam=beam)))
        models.append(chain.replace(links=links).model)
    model, state = models[0], motion(chain, LANES)
    assert all(np.array_equal(other.row, model.row) for other in models)
    body, beam = aligned((len(model.row), model.body.shape[1]*LANES)), aligned(len(model.beam)*LANES)
    body.reshape(*model.body.shape, LANES)[:] = np.stack([m.body for m in models], axis=2)
    beam.reshape(-1, LANES)[:] = np.stack([m.beam for m in models], axis=1)
    status, _, answer = ask(question, model._replace(body=body, beam=beam), *state, own=True)
    assert status == OK
    for k, other in enumerate(models):
        assert np.array_equal(answer[k:k + 1], alone(question, other, *(x[k:k + 1] for x in state)))


@pytest.mark.parametrize("rows", BATCHES)
@both_ways
def test_a_batch_is_its_states_one_by_one(question, rows):
    """With springs and loads at tips; a batch has another number of lanes than the tests above."""
    chain = tree()
    assert lanes_for(chain.model) != LANES
    ask_one = fd.forward_dynamics if question == "forward" else fd.inverse_dynamics
    q, v, given = motion(chain, rows)
    wrench = np.random.default_rng(2).normal(size=(len(chain.links), 6))*(1, 1, 0, 0, 0, 1)
    for words in ({}, {"wrench": wrench}):
        many = ask_one(chain, q, v, given, t=0.7, **words)
        one_by_one = np.array([ask_one(chain, *state, t=0.7, **words) for state in zip(q, v, given)])
        assert np.array_equal(many, one_by_one)


@settings(max_examples=examples(30))
@given(bent_chains_in_motion())
def test_a_batch_of_any_chain(case):
    chain, q, v, torque = case
    states = tuple(np.array([x, 0.5*x, -x]) for x in (q, v, torque))
    for ask_one in (fd.forward_dynamics, fd.inverse_dynamics):
        assert np.array_equal(ask_one(chain, *states), [ask_one(chain, *state) for state in zip(*states)])


@both_ways
def test_angles_and_bends_far_out_in_one_lane_alone(question):
    """Bends of many turns too: their cosines are done again in that lane, the others do not feel it."""
    chain = tree()
    q, v, given = motion(chain, LANES)
    near = ask(question, chain.model, q, v, given)[2]
    far = q.copy()
    far[2, chain.q_slice("hub").start + 3] = 1e7
    far[5, chain.q_slice("arm").start] = -1e15
    answer = ask(question, chain.model, far, v, given)[2]
    keep = [k for k in range(LANES) if k not in (2, 5)]
    assert np.array_equal(answer[keep], near[keep])
    assert np.array_equal(answer, alone(question, chain.model, far, v, given))


@both_ways
def test_a_lane_that_is_no_number(question):
    chain = tree()
    q, v, given = motion(chain, LANES)
    sound = ask(question, chain.model, q, v, given)[2]
    v = v.copy()
    v[3, chain.v_slice("wing").start + 1] = np.nan
    status, _, answer = ask(question, chain.model, q, v, given)
    keep = [k for k in range(LANES) if k != 3]
    assert status == NOT_FINITE and np.array_equal(answer[keep], sound[keep])


def test_modes_in_trouble_are_told_with_their_row():
    """Two modes of one beam made equal, in one lane."""
    chain = tree()
    model, (q, v, torque) = chain.model, motion(chain, LANES)
    row, m = chain.tip_rows[chain.index("wing")], 2
    body, beam = aligned((len(model.row), model.body.shape[1]*LANES)), aligned(len(model.beam)*LANES)
    body.reshape(*model.body.shape, LANES)[:] = model.body[:, :, None]
    many = beam.reshape(-1, LANES)
    many[:] = model.beam[:, None]
    at = model.row[row, BEAM_AT] + BEAM_MODES
    for vector in range(at, at + 4*m, m):                                # a, c, S, W
        many[vector + 1, 6] = many[vector, 6]
    matrix = at + 4*m + m*m                                              # C with the spin of the section
    many[matrix:matrix + m*m, 6] = many[matrix, 6]
    status, work, _ = ask("forward", model._replace(body=body, beam=beam), q, v, torque, own=True)
    assert status == SINGULAR_INERTIA and work.note[TROUBLED] == row
    assert work.trouble.tolist() == [row + 1.0 if k == 6 else 0.0 for k in range(LANES)]


def test_rungs_that_are_not_there():
    """A kernel that knows only the beams that occur has the bits of one that knows them all."""
    chain = Chain([Link(joint=FreePlanar(), elastic=Elastic(beam=RUBBER, ends="cf", modes=2)),
                   Link(elastic=Elastic(beam=RUBBER, ends="ss"))])
    state = [x[0] for x in motion(chain, 1)]
    assert len(set(chain.model.row[:, STEP])) == 4
    questions = fd.forward_dynamics, fd.inverse_dynamics
    one = [question(chain, *state) for question in questions]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(recursive, "variant", VARIANT)
        own = [question(chain, *state) for question in questions]
    assert all(np.array_equal(a, b) for a, b in zip(own, one))
