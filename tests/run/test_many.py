"""Many states at once: what one state gives, to the bit; and of one in trouble the row is told."""

from functools import partial

import numpy as np
import pytest
from formulations.common import examples
from formulations.zoo import motion, tree

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


QUESTIONS = {
    "mass_matrix": lambda c, q, v, x, **k: fd.mass_matrix(c, q, **k),
    "apply_inverse_mass": lambda c, q, v, x: fd.apply_inverse_mass(c, q, x),
    "forward_dynamics": fd.forward_dynamics,
    "inverse_dynamics": fd.inverse_dynamics,
    "bias": lambda c, q, v, x, **k: fd.bias(c, q, v, **k),
    "reactions": fd.reactions,
    "gibbs_function": fd.gibbs_function,
    "position": lambda c, q, v, x: fd.position(c, q, c.link_names[-1], (0.1, 0.2, 0.0)),
    "orientation": lambda c, q, v, x: fd.orientation(c, q, c.link_names[-1]),
    "velocity": lambda c, q, v, x: fd.velocity(c, q, v, c.link_names[-1], (0.1, 0.2, 0.0)),
    "acceleration": lambda c, q, v, x: fd.acceleration(c, q, v, x, c.link_names[-1], (0.1, 0.2, 0.0)),
    "jacobian": lambda c, q, v, x: fd.jacobian(c, q, c.link_names[-1], (0.1, 0.2, 0.0)),
    "kinetic_energy": lambda c, q, v, x: fd.kinetic_energy(c, q, v),
    "potential_energy": lambda c, q, v, x: fd.potential_energy(c, q),
    "momentum": lambda c, q, v, x: fd.momentum(c, q, v),
    "mass_center": lambda c, q, v, x: fd.mass_center(c, q),
}


@pytest.mark.parametrize("planar", [False, True])
@pytest.mark.parametrize("name", QUESTIONS)
def test_many_are_as_one(name, planar):
    """Every question; all joints, springs, drives and loads."""
    chain, ask = tree(planar), QUESTIONS[name]
    q, v, x = motion(chain, rows=5)
    got = ask(chain, q, v, x)
    for row in range(5):
        alone = ask(chain, q[row], v[row], x[row])
        for many, one in zip(got, alone) if isinstance(got, tuple) else [(got, alone)]:
            assert type(many) is np.ndarray and many.shape == (5, *np.shape(one))
            assert np.array_equal(many[row], one)
    (one_row,) = (ask(chain, q[:1], v[:1], x[:1]),)
    assert np.shape(one_row) == tuple(1 if n == 5 else n for n in np.shape(got))


@pytest.mark.parametrize("road", ROADS)
@pytest.mark.parametrize("name", ["mass_matrix", "forward_dynamics", "inverse_dynamics", "bias"])
def test_many_on_every_road(name, road):
    chain, ask = tree(laws=False), QUESTIONS[name]
    q, v, x = motion(chain, rows=3)
    got = ask(chain, q, v, x, formulation=road)
    assert all(np.array_equal(got[row], ask(chain, q[row], v[row], x[row], formulation=road)) for row in range(3))


@pytest.mark.parametrize("planar", [False, True])
def test_a_wrench_for_all_or_one_for_each(planar):
    """On the batch's kernels, on a road that asks state by state, and in reactions."""
    chain = tree(planar)
    q, v, x = motion(chain, rows=5)
    wrench = np.random.default_rng(4).uniform(-1.0, 1.0, (5, len(chain.links), 6))
    wrench[:, :, 2:5] *= not planar
    for ask in (fd.forward_dynamics, fd.inverse_dynamics, fd.reactions, partial(fd.bias, formulation="denoc")):
        given = (q, v) if isinstance(ask, partial) else (q, v, x)
        each, shared = ask(chain, *given, wrench=wrench), ask(chain, *given, wrench=wrench[0])
        for row in range(5):
            one = [a[row] for a in given]
            assert np.array_equal(each[row], ask(chain, *one, wrench=wrench[row]))
            assert np.array_equal(shared[row], ask(chain, *one, wrench=wrench[0]))
        assert not np.array_equal(each[1], shared[1])
    with pytest.raises(fd.ModelError, match=r"^wrench has shape \(4, \d+, 6\); give shape \(5, \d+, 6\)"):
        fd.forward_dynamics(chain, q, v, wrench=wrench[:4])


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
            assert str(refused.value).startswith(f"state {bad + 1} of {rows} (row {bad}): v of hub is 1e+200: a numb")
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
    with pytest.raises(SimulationError, match=r"state 13 of 40 \(row 12\): q of link2 is 1e\+300: a number is not"):
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
