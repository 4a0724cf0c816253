"""Energies of a run column by column, and what is missing between them and the work that came in."""

import numpy as np
import pytest
from formulations.common import one_ladder  # noqa: F401
from results.runs import any_run

import fastdyn as fd
from fastdyn.beams import Beam
from fastdyn.describe.catalog import n_pendulum
from fastdyn.results.run import Run, not_conserved_by
from fastdyn.results.tables import ENERGY_COLUMNS, LEDGER, WORK_COLUMNS

pytestmark = pytest.mark.usefixtures("one_ladder")


def test_energies_are_those_that_can_be_asked_for():
    spring = fd.Revolute(stiffness=3.0, rest=0.2)
    chain = fd.Chain([fd.Link(length=1.0, mass=1.0, joint=spring)]*3)
    run = fd.simulate(chain, 0.5, samples=6)
    for i, (q, v) in enumerate(zip(run.q, run.v)):
        assert run.ledger["kinetic"][i] == fd.kinetic_energy(chain, q, v) == run.kinetic[i]
        assert run.potential[i] == pytest.approx(fd.potential_energy(chain, q), rel=1e-15, abs=1e-15)
    springs = 1.5*np.sum((run.q - 0.2)**2, axis=1)
    assert np.allclose(run.ledger["spring"], springs, rtol=1e-14) and not run.ledger["strain"].any()
    assert not any(run.ledger[name].any() for name in WORK_COLUMNS)
    assert np.array_equal(run.energy_defect, run.energy - run.energy[0]) and np.max(np.abs(run.energy_error)) < 1e-6


def test_work_nobody_counted_is_not_taken_for_zero():
    chain = fd.Chain([fd.Link(length=1.0, mass=1.0, joint=fd.Revolute(damping=0.1))])
    counted = fd.simulate(chain, 0.5, samples=6)
    run = Run(chain, counted.t, counted.q, counted.v)
    assert np.isnan(run.energy_defect).all() and np.array_equal(run.energy, counted.energy)
    assert np.max(np.abs(counted.energy_error)) < 1e-6 and counted.ledger["joints"][-1] < -1e-3


BEAM = {"length": 1.0, "width": 0.03, "height": 0.0125, "E": 2e11, "nu": 0.3, "mu": 1.0}
GROUND = fd.Ground(contact=fd.Contact(law="hertz", stiffness=1e6))


@pytest.mark.parametrize("part, why", [
    ({}, ""),
    ({"K_v": 125.0}, 'link "link1" has elastic.beam.K_v'),
    ({"gamma": 0.1}, 'link "link1" has elastic.beam.gamma'),
])
def test_what_takes_energy_from_a_beam_is_named(part, why):
    elastic = fd.Elastic(beam=Beam.rectangle(**BEAM, **part), ends="cf")
    assert not_conserved_by(fd.Chain([fd.Link(elastic=elastic)])) == why


def test_a_ground_takes_energy():
    assert not_conserved_by(n_pendulum(1).replace(grounds=[GROUND])) == "the chain has ground[0]"


def test_the_defect_is_what_the_columns_do_not_explain():
    ledger = np.zeros(4, LEDGER)
    rng = np.random.default_rng(0)
    for name in LEDGER.names:
        ledger[name] = rng.normal(size=4)
    run = Run(n_pendulum(1), np.arange(4.0), np.zeros((4, 1)), np.zeros((4, 1)), ledger=ledger)
    inside = sum(ledger[name] for name in ENERGY_COLUMNS)
    missing = inside - sum(ledger[name] for name in WORK_COLUMNS)
    assert np.allclose(run.energy, inside, rtol=1e-15)
    assert np.allclose(run.energy_defect, missing - missing[0], atol=1e-15)
    scale = max(abs(inside[0]), ledger["kinetic"].max())
    assert np.allclose(run.energy_error, 100*run.energy_defect/scale, rtol=1e-14)


def test_a_ledger_that_is_given_is_the_one():
    run = any_run()
    assert run.kinetic.tobytes() == run.ledger["kinetic"].tobytes() and run.ledger.dtype == LEDGER
