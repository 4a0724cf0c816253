"""Many states at once: of one in trouble the row is told."""

import numpy as np
import pytest
from formulations.common import examples

import fastdyn as fd
from fastdyn import Body, Chain, Link, Revolute, SimulationError
from fastdyn.status import NOT_FINITE, SINGULAR_INERTIA

pytestmark = [pytest.mark.usefixtures("one_ladder"), pytest.mark.kernels,
              pytest.mark.filterwarnings("ignore::RuntimeWarning")]
ROADS = "recursive", "denoc", "gibbs-appell"
HERE = (0.0, 0.0, 0.0)
BALL = Body.sphere(0.1, 1.0, (0.2, 0.1, 0.3))
LOCK = Chain([Link(name="hub", joint=Revolute(axis=(1.0, 0.0, 0.0)), body=BALL), Link(name="lock"),
              Link(name="a", joint=Revolute(axis=(0.0, 1.0, 0.0)), at=HERE), Link(name="b", at=HERE, body=BALL)])
LOCKED, WILD = 2, 1e200             # at q[2] = 0 three axes fall into a plane; a speed that cannot be squared


def many(rows, locked=(), wild=()):
    """(q, v): sound states but for those."""
    rng = np.random.default_rng(5)
    q, v = rng.uniform(0.5, 1.0, (rows, 4)), rng.uniform(-1.0, 1.0, (rows, 4))
    q[list(locked), LOCKED] = 0.0
    v[list(wild)] = WILD
    return q, v


@pytest.mark.parametrize("road", ROADS)
@pytest.mark.parametrize("rows", [1, 17, 100])
def test_the_state_in_trouble_is_told(road, rows):
    for bad in {0, rows//2, rows - 1}:
        with pytest.raises(SimulationError) as refused:
            fd.forward_dynamics(LOCK, *many(rows, locked=[bad]), formulation=road)
        assert refused.value.status == SINGULAR_INERTIA
        assert str(refused.value).startswith(f'state {bad + 1} of {rows} (row {bad}): link "lock": the inertia that')
        for ask in (fd.forward_dynamics, lambda *a, **k: fd.inverse_dynamics(*a, None, **k)):
            with pytest.raises(SimulationError) as refused:
                ask(LOCK, *many(rows, wild=[bad]), formulation=road)
            assert refused.value.status == NOT_FINITE
            assert str(refused.value).startswith(f"state {bad + 1} of {rows} (row {bad}): a number is not finite")
    assert np.isfinite(fd.forward_dynamics(LOCK, *many(rows), formulation=road)).all()


@pytest.mark.parametrize("road", ROADS)
def test_the_first_one_in_trouble_is_told(road):
    """Whatever it is, also where others stand beside it in the vector unit."""
    for seed in range(examples(30)):
        rng = np.random.default_rng(seed)
        bad = np.sort(rng.choice(70, 3, replace=False))
        what = rng.integers(2, size=3) == 0
        with pytest.raises(SimulationError) as refused:
            fd.forward_dynamics(LOCK, *many(70, locked=bad[what], wild=bad[~what]), formulation=road)
        assert str(refused.value).startswith(f"state {bad[0] + 1} of 70 (row {bad[0]}): ")
        assert refused.value.status == (SINGULAR_INERTIA if what[0] else NOT_FINITE)


def test_inverse_dynamics_knows_nothing_of_a_lock_met_before():
    q, v = many(40, locked=[3])
    with pytest.raises(SimulationError, match="state 4 of 40"):
        fd.forward_dynamics(LOCK, q, v)
    v[20] = WILD
    with pytest.raises(SimulationError, match="state 21 of 40"):
        fd.inverse_dynamics(LOCK, q, v, np.zeros((40, 4)))


def test_a_place_too_far_to_be_squared_is_no_lock():
    chain = Chain([Link(body=BALL), Link(joint=fd.Prismatic(), body=BALL)], space="space")
    q, v = np.zeros((40, 2)), np.zeros((40, 2))
    q[12, 1] = 1e300
    with pytest.raises(SimulationError, match=r"state 13 of 40 \(row 12\): a number is not finite"):
        fd.forward_dynamics(chain, q, v)


@pytest.mark.parametrize("road", ROADS)
def test_a_drive_that_goes_wrong_for_one_state(road):
    def drive(t, q, v, torque, wrench):
        torque[1] = np.nan if q[0] == 7.0 else 0.0

    chain = LOCK.replace(drive=drive)
    q, v = many(20)
    q[8, 0] = 7.0
    with pytest.raises(fd.ModelError, match=r"^state 9 of 20 \(row 8\): torque from drive of lock is nan"):
        fd.forward_dynamics(chain, q, v, formulation=road)
