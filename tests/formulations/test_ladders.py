"""A kernel knows only the joints that occur: the rungs it lacks change no bit, nor does the number of lanes."""

import numpy as np
import pytest
from formulations import zoo
from formulations.common import COMPILED, all_joints_in_one_kernel
from formulations.test_lanes import alone, ask
from strategies import random_chain, random_state

import fastdyn as fd
from fastdyn.layout import (
    LANES, LONG_IN_PLANE, LONG_IN_SPACE, LONG_LANES, SHORT, SHORT_LANES, STEP, lanes_for, row_width)
from fastdyn.status import OK

pytestmark = pytest.mark.kernels
KINDS = ["spherical", "planar"] + ([] if COMPILED else ["revolute", "aligned", "prismatic", "universal"])


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("free", [False] if COMPILED else [False, True])
def test_rungs_that_are_not_there(kind, free):
    rng = np.random.default_rng(1)
    chain = random_chain(rng, 3, kind, free=free, tree=True)
    (q, v), torque = random_state(rng, chain), rng.uniform(-5.0, 5.0, chain.nv)
    assert len(set(chain.model.row[:, STEP])) <= 4
    own = answers(chain, q, v, torque)
    with all_joints_in_one_kernel():
        one = answers(chain.replace(), q, v, torque)
    assert all(np.array_equal(a, b) for a, b in zip(own, one))


def answers(chain, q, v, given):
    return fd.forward_dynamics(chain, q, v, given), fd.inverse_dynamics(chain, q, v, given), fd.reactions(chain, q, v)


@pytest.mark.parametrize("question, planar", [("inverse", False), ("forward", True)])
def test_as_many_lanes_as_long_chains_take(question, planar):
    with all_joints_in_one_kernel():
        chain = zoo.tree(planar)
        motion = zoo.motion(chain, rows=LONG_LANES)
        status, _, answer = ask(question, chain.model, *motion)
        assert status == OK and np.array_equal(answer, alone(question, chain.model, *motion))


@pytest.mark.parametrize("kind, long", [("planar", LONG_IN_PLANE), ("revolute", LONG_IN_SPACE)])
def test_who_is_short_and_who_is_long(kind, long):
    few = random_chain(np.random.default_rng(1), 3, kind).model

    def lanes_of(rows):
        return lanes_for(few._replace(row=np.repeat(few.row[:1], rows, axis=0)))

    width = row_width(few)
    assert LONG_LANES < LANES < SHORT_LANES
    assert lanes_of(SHORT//width) == SHORT_LANES and lanes_of(SHORT//width + 1) == LANES
    assert lanes_of((long - 1)//width) == LANES and lanes_of(long//width + 1) == LONG_LANES


def test_ball_joints_go_by_eight_however_short():
    assert lanes_for(random_chain(np.random.default_rng(1), 2, "spherical").model) == LONG_LANES
