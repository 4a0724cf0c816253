"""The report on closed loops: what it tells, and what it is held to."""

import json

import pytest
from perf import budget, loops


def test_the_report_on_closed_loops(tmp_path, capsys):
    words = ["--runs", "held exactly, rtol 1e-3", "--windows", "3", "5", "--scipy", "RK45, held exactly",
             "--seconds", "0.01", "--core", "-1", "--results", str(tmp_path)]
    assert loops.main(words) == 0
    content = json.loads((tmp_path/"loops.json").read_text())
    assert [r["n"] for r in content["windows"]] == [3, 5] and content["runs"][0]["off_the_path"] < 1.0
    assert all(0.0 < r["ms"] <= r["ms_median"] and r["steps"] < r["evaluations"] for r in content["runs"])
    beside, = content["scipy"]
    assert beside["run"] == "held exactly, rtol 1e-3" and beside["off_the_path"] < 1.0
    assert beside["ratio"] == pytest.approx(beside["ms"]/beside["ours_ms"], rel=0.01)
    assert "held exactly, rtol 1e-3" in capsys.readouterr().out


def test_scipy_stands_beside_runs_that_there_are():
    assert {"RK45, 1e8 N/m", "Radau, 1e8 N/m", "BDF, 1e8 N/m"} <= loops.SCIPY.keys()
    assert all(run in loops.RUNS for _, run in loops.SCIPY.values())


def test_what_loops_are_held_to():
    runs = [{"run": f"implicit, 1e{k} N/m", "k": 10.0**k, "ms": ms, "off_the_path": 1e-5}
            for k, ms in ((5, 8.0), (8, 11.0))]
    runs.append({"run": "held exactly, rtol 1e-6", "k": None, "ms": 9.0, "off_the_path": 1e-9})
    found = budget.of_loops({"runs": runs, "windows": [{"n": 10, "us": 0.4}, {"n": 1000, "us": 0.3}]})
    assert [f.reached for f in found] == [True, False, True, False, False, True]
