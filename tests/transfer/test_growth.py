"""Motions that a scheme makes grow are called by their name; motions that loads and bases cause are not."""

import warnings

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fastdyn import Sine, cli
from fastdyn.status import GROWN, NOT_FINITE
from fastdyn.transfer import (
    BendingChain, LinkArm, Motion, Servo, StabilityWarning, TorsionChain, beam_arm, cantilever, hinged_beam, newmark,
    simulate_many, torsion_chain, wilson)
from fastdyn.transfer.arm_run import Course as ArmCourse
from fastdyn.transfer.bending_run import Course as BendingCourse
from fastdyn.transfer.schemes import SCHEMES
from fastdyn.transfer.stepping import Course

SIGNALS = (0.0, 1.0, Sine(2.0, 3.0), lambda t: t, lambda t: float(t > 0.5))
WILD = {
    "proposed without damping": lambda: torsion_chain(5, damping=0.0).simulate(200.0, 0.2, "proposed"),
    "explicit": lambda: torsion_chain(5).simulate(20.0, 0.5, "newmark-0"),
    "wilson below 1.366": lambda: torsion_chain(5, damping=0.0).simulate(500.0, 1.0, wilson(1.2)),
    "gamma below a half": lambda: torsion_chain(5, damping=0.0).simulate(200.0, 0.1, newmark(0.25, 0.4)),
    "arm": lambda: beam_arm(4).simulate(2.0, 0.05, "newmark-1/6", passes=1),
    "beam": lambda: BendingChain(parts=hinged_beam(4).parts, loads={-1: 1.0}).simulate(4.0, 0.1, "newmark-1/6"),
    "spans": lambda: cantilever().simulate(1.0, 0.01, "newmark-1/12"),
}


@pytest.mark.parametrize("which", WILD)
def test_a_motion_that_the_scheme_made_grow_is_warned_of_and_named(which):
    with pytest.warns(StabilityWarning, match="multiplies the fastest motion by"):
        run = WILD[which]()
    assert run.status in (GROWN, NOT_FINITE) and not run.ok
    assert run.status == NOT_FINITE or "audit(dt, scheme)" in run.message


def test_what_is_too_long_to_look_at_beforehand_is_named_afterwards():
    runs = [torsion_chain(100, damping=0.0).simulate(20.0, 0.5, "newmark-0"),
            *simulate_many([torsion_chain(5, damping=0.0)], 100.0, 0.5, "newmark-0")]
    assert all(run.status in (GROWN, NOT_FINITE) for run in runs)


@pytest.mark.parametrize("name", SCHEMES)
def test_no_word_about_runs_that_are_well(name):
    with warnings.catch_warnings():
        warnings.simplefilter("error", StabilityWarning)
        assert torsion_chain(4).simulate(20.0, 0.02, name).ok
        assert beam_arm(2, damping=0.05).simulate(1.0, 2e-3, name).ok


def test_the_command_says_so_by_its_exit(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    words = ["n=5", "damping=0", "scheme=proposed", "dt=0.2", "t_end=200"]
    assert cli.main(["run", "torsion-chain", "--set", *words, "--out", "a.h5"]) == 1
    said = capsys.readouterr().err
    assert "no dt is small enough" in said and "far more energy than" in said


# -------------------------------------------------------------------------------------------------- the bounds hold


def within(course, run):
    held, bound = course.brought.share(run.energies)
    assert np.all(held <= 1.001*bound + 1e-12) and run.ok
    return np.max(held)/(bound + 1e-300)


@given(st.integers(0, 10**6))
@settings(max_examples=15)
def test_no_torsion_chain_has_more_than_was_brought_in(seed):
    chance = np.random.default_rng(seed)
    n = int(chance.integers(1, 6))
    row = lambda low, high: tuple(chance.uniform(low, high, n))
    pick = lambda: SIGNALS[chance.integers(len(SIGNALS))]
    chain = TorsionChain(inertia=row(0.5, 2.0), stiffness=row(0.0, 20.0), damping=row(0.0, 0.1), rates=row(-1.0, 1.0),
                         parents=tuple(int(chance.integers(0, j + 1)) for j in range(n)), angles=row(-1.0, 1.0),
                         loads=((1, pick()), (-1, pick()), (-1, pick())),
                         base=(None, Sine(0.3, 2.0), 0.5)[chance.integers(3)])
    course = Course(chain, 0.01, SCHEMES["newmark"], "riccati")
    course.go(300, 300, np.empty((1, 3, n)))
    within(course, chain.simulate(3.0, 0.01))


@given(st.integers(0, 10**6))
@settings(max_examples=15)
def test_no_arm_has_more_than_was_brought_in(seed):
    chance = np.random.default_rng(seed)
    pick = lambda: SIGNALS[chance.integers(len(SIGNALS))]
    swing = (Sine(0.5, 3.0), Motion(lambda t: t*t, lambda t: 2*t, lambda t: 2.0), None)[chance.integers(3)]
    motor = {} if chance.integers(2) else {"servo": Servo(10.0, 0.2), "torque": pick()}
    arm = LinkArm(lengths=(0.5, 0.3, 0.2), masses=tuple(chance.uniform(0.1, 1.0, 3)), rotation=swing, stub=0.1,
                  stiffness=tuple(chance.uniform(0.0, 20.0, 3)), damping=0.01, hub_inertia=0.1, **motor,
                  loads={-1: (pick(), pick(), pick()), 1: (pick(), 0.0)}, gravity=(0.0, -2.0))
    course = ArmCourse(arm, 2e-3, SCHEMES["newmark"], None)
    course.go(500, 500, np.empty((1, 3, 4)))
    within(course, arm.simulate(1.0, 2e-3, "newmark"))


def test_no_beam_has_more_than_was_brought_in_and_a_bound_is_met():
    """A force held, and let go: the bound by rest is what there is."""
    chain = cantilever(2)
    course = BendingCourse(chain, 0.01, SCHEMES["newmark"], "riccati", 4)
    course.go(100, 100, np.empty((1, 3, 2*len(course.kinds))))
    assert within(course, chain.simulate(1.0, 0.01, elements=4)) > 0.99
    loaded = BendingChain(parts=chain.parts, loads={-1: 1.0, (1, "moment"): Sine(1.0, 3.0)})
    course = BendingCourse(loaded, 0.01, SCHEMES["newmark"], "riccati", 4)
    course.go(100, 100, np.empty((1, 3, 2*len(course.kinds))))
    assert 0.05 < within(course, loaded.simulate(1.0, 0.01, elements=4)) <= 1.0


@pytest.mark.filterwarnings("error::RuntimeWarning", "ignore::fastdyn.transfer.StabilityWarning")
@pytest.mark.parametrize("run, status", [
    (lambda: cantilever(2).simulate(1.0, 0.01, "newmark-0"), GROWN),
    (lambda: torsion_chain(5, damping=0.0).simulate(1000.0, 1.0, "newmark-0"), GROWN),
    (lambda: beam_arm(4).simulate(1.0, 0.1, "newmark-0"), GROWN),
    (lambda: TorsionChain(inertia=(1.0,), stiffness=1.0, loads={1: 1e308}).simulate(1.0, 0.1), NOT_FINITE),
    (lambda: simulate_many([TorsionChain(inertia=(1.0,), stiffness=1.0, loads={1: 1e308})], 1.0, 0.1)[0], NOT_FINITE)])
def test_numbers_that_are_none_are_told_by_the_status_alone(run, status):
    assert run().status == status
