"""Momenta in the tables of a run: which chains have them, and that they are those of both ends."""

import numpy as np
import pytest

import fastdyn as fd
from fastdyn.results.run import Run
from fastdyn.show.momenta_table import momenta_table
from fastdyn.show.summary import summary

pytestmark = pytest.mark.usefixtures("one_ladder")


def made(chain):
    """Two samples of a chain, not at rest."""
    q, v = chain.start_state()
    rates = np.array([v, v + np.linspace(0.1, 0.9, chain.nv)])
    return Run(chain, np.array([0.0, 1.0]), np.array([q, q]), rates, stats={"steps": 1, "evaluations": 1})


def numbers(words):
    return np.array([float(x) for x in words.strip("()").split(",")])


def test_momenta_are_those_of_both_ends():
    run = made(fd.catalog.space_arm())
    head, *rows = momenta_table(run)
    assert head[1:] == ("at the start", "at the end")
    found = fd.momenta(run)
    for (_, *ends), wanted in zip(rows, (found.linear, found.about_center, found.about_point), strict=True):
        for said, exactly in zip(ends, wanted, strict=True):
            assert np.abs(numbers(said) - exactly).max() <= 5e-6*max(np.abs(exactly).max(), 1e-300)
    assert np.abs(found.linear[1]).max() > 1.0


@pytest.mark.parametrize("chain", [fd.catalog.n_pendulum(2), fd.catalog.falling_chain(m=0)])
def test_others_have_none(chain):
    assert momenta_table(made(chain)) == []


def test_the_summary_of_a_run_has_them(capsys):
    summary(made(fd.catalog.space_arm()))
    assert "about the mass centre, N m s" in capsys.readouterr().out
    summary(made(fd.catalog.n_pendulum(2)))
    assert "mass centre" not in capsys.readouterr().out
