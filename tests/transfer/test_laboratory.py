"""The laboratory says what the schemes do and what is true of the published examples."""

import numpy as np
import pytest
from transfer.common import cases, chain_of, read

from fastdyn.transfer import laboratory
from fastdyn.transfer.torsion import torsion_chain


@pytest.mark.parametrize("name", ["2dof_seed_example", "10dof_seed_example"])
def test_its_exact_motion_is_exact(name):
    case = cases("linear_exact")[name]
    chain = torsion_chain(case["n"], inertia=case["inertia"][0])
    assert chain_of(case).inertia == chain.inertia and chain_of(case).damping == chain.damping
    assert np.max(np.abs(laboratory.exact(chain, np.array(case["times"])) - case["theta"])) < 1e-12


def test_it_says_when_examples_settle():
    for row in read("examples")["rows"][::2]:
        chain = torsion_chain(row["n"], inertia=row["inertia"])
        t = np.linspace(0.0, 100.0, 20001)
        tip = laboratory.exact(chain, t)[:, -1]
        assert laboratory.settled(t, tip, row["static_tip"]) == pytest.approx(row["settling_time_5pct"], abs=0.006)


def test_published_times_are_those_of_the_table():
    claimed = read("examples")["seed_claims"]["cpu_seconds"]
    for name, two, ten, ratio in zip(claimed["columns"], claimed["2dof"], claimed["10dof"], claimed["ratio"]):
        assert laboratory.CLOCK[name.replace("_", "-")] == (two, ten)
        assert ten/two == pytest.approx(ratio, abs=0.006)


def test_the_report(tmp_path, capsys):
    laboratory.report(tmp_path/"made")
    said = capsys.readouterr().out
    for words in ("always", "never", "motion settles at 13.64 s", "settled at 48.1 s", "order 3.00 against 2.00",
                  "schemes.svg", "1.09", "3.53"):
        assert words in said, words
    assert "nan" not in said and all(name in said for name in laboratory.SHOWN)
    for name in ("schemes.svg", "examples.svg", "growth.svg"):
        text = (tmp_path/"made"/name).read_text()
        assert text.startswith("<svg") and text.count("<path") > 1 and "proposed" in text
    text = (tmp_path/"made"/"schemes.svg").read_text()
    assert all(name in text for name in laboratory.SHOWN)
    assert "claimed to settle" in (tmp_path/"made"/"examples.svg").read_text()
