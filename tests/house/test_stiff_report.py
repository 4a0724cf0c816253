"""The report on closures with springs: what it tells, and what it is held to."""

import json

import pytest

from perf import budget, stiff


def test_the_report_on_stiff_closures(tmp_path, capsys):
    words = ["--mechanisms", "3RRR on a rose", "--stiffness", "1e3", "1e8", "--tolerances", "1e-5", "--steppers",
             "radau5", "--seconds", "0.01", "--core", "-1", "--results", str(tmp_path)]
    assert stiff.main(words) == 0
    content = json.loads((tmp_path/"stiff.json").read_text())
    assert [(r["k"], r["stepper"]) for r in content["runs"]] == [(1e3, "radau5"), (1e8, "radau5")]
    assert all(0.0 < r["ms"] <= r["ms_median"] and r["steps"] < r["evaluations"] for r in content["runs"])
    assert "3RRR on a rose, rtol 1e-05, evaluations" in capsys.readouterr().out


def test_the_stiffest_is_held_to_the_softest():
    runs = [{"mechanism": "m", "stepper": stepper, "rtol": 1e-5, "k": k, "evaluations": count, "ms": count/9}
            for stepper, k, count in (("radau5", 1e8, 210), ("radau5", 1e3, 100), ("radau5", 1e5, 900),
                                      ("esdirk4", 1e8, 99))]
    figures = budget.of_stiff({"runs": runs})
    assert [(f.measured, f.reached) for f in figures] == [(pytest.approx(2.1), False)]*2
