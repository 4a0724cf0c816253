"""The report on runs is well-formed, its codes compute the same motion, its budget judges; no figure is judged here."""

import json
import math

import numpy as np
import pytest

import fastdyn as fd
from fastdyn.describe.catalog import n_pendulum
from perf import budget, instants, integrate
from perf.integrators import Ours
from perf.own_dynamics import _absolute, available, energy, missing

QUICK = ["--core", "-1", "--seconds", "0.001", "--links", "2", "--steppers", "dop853", "dopri5"]


def test_the_report_on_runs(tmp_path, capsys):
    assert integrate.main([*QUICK, "--results", str(tmp_path)]) == 0
    content = json.loads((tmp_path/"integrate.json").read_text())
    assert content["missing"] == missing()
    assert all(f["achieved"] <= f["asked"] and 0.0 < f["ms"] <= f["ms_median"] for f in content["figures"])
    told = {(r["code"], r["asked"]) for r in content["figures"] + content["gave_up"]}
    codes = {"dop853", "dopri5", "SciPy DOP853", "SciPy LSODA"}
    assert told >= {(code, error) for code in codes for error in integrate.ERRORS}
    for f in content["energy"]:
        assert f["start"] == pytest.approx(9.81/2*math.sin(0.1), rel=1e-3) and abs(f["joules"]) < 1e-5
    assert [r["code"] for r in content["events"]] == ["fastdyn", "SciPy RK45", "SciPy DOP853"]
    printed = capsys.readouterr().out
    assert "least times ahead of SciPy LSODA" in printed and "ninth zero" in printed and "never" in printed
    assert ("not installed: " + ", ".join(content["missing"]) in printed) == bool(content["missing"])


def test_every_code_goes_the_same_way():
    chain = n_pendulum(3, length=3.0, mass=3.0, angle=0.5)
    truth = Ours(chain, "dop853", 1.0).run(1e-14)
    for code in available(chain, 1.0):
        tolerance = code.tolerances([1e-10])[0]
        assert np.max(np.abs(code.run(tolerance) - truth)) < 1e-5, code.name


def test_a_code_that_does_not_get_there_in_time_is_given_up(monkeypatch):
    chain = n_pendulum(2)
    code = Ours(chain, "dopri5", 1.0)
    truth = code.run(1e-13)
    assert integrate.enough(code, truth, 1e-6) > integrate.enough(code, truth, 1e-9)
    assert integrate.enough(code, truth + 1.0, 1e-6) is None
    monkeypatch.setattr(integrate, "SLOW", 0.0)
    assert integrate.enough(code, truth, 1e-6) is None


def test_energy_and_masses_are_those_of_the_chain():
    chain = n_pendulum(4, length=2.0, mass=3.0, angle=0.3)
    q, v = np.random.default_rng(3).normal(size=(2, 4))
    fall = Ours(chain, "dop853", 1.0)
    fall.y = np.concatenate([q, v])
    assert energy(chain, fall.run(1e-12)) == pytest.approx(energy(chain, fall.y), rel=1e-9)
    mass, _, upright = _absolute(chain)
    angle, down = np.cumsum(q) + upright, np.tril(np.ones((4, 4)))
    assert down.T @ (mass*np.cos(angle[:, None] - angle)) @ down == pytest.approx(fd.mass_matrix(chain, q), rel=1e-12)


def test_events_are_ours_to_the_promised_digits():
    """And those of SciPy are what is known of it: its zeros are late, it misses grazes, its ball never rests."""
    ours, *theirs = instants.compared()
    assert ours["grazes"] == 13 and ours["rest"] < 1e-6 and ours["first"] < 1e-10 and ours["ninth"] < 2e-8
    assert all(r["rest"] is None and r["grazes"] < 13 and ours["ninth"] < r["ninth"] < 1e-6 for r in theirs)


def test_runs_are_held_to_every_peer():
    figures = [{"code": code, "n": 3, "asked": error, "ms": ms} for code, error, ms in
               (("dop853", 1e-6, 0.2), ("adams", 1e-6, 0.3), ("slow", 1e-6, 2.0), ("quick", 1e-6, 0.1),
                ("dop853", 1e-9, 0.5), ("slow", 1e-9, 1.0))]
    event = {"first": 2e-10, "ninth": 1e-8, "rest": None, "events": 101, "grazes": 12}
    content = {"figures": figures, "steppers": ["dop853", "adams"], "events": [event, event],
               "overhead": [{"stepper": name, "n": n, "ns": ns} for name, n, ns in (
                   ("dopri5", 1, 50.0), ("dopri5", 10, 70.0), ("bs32", 3, 59.0), ("adams", 10, 61.0),
                   ("radau5", 10, 900.0))],
               "energy": [{"stepper": "dop853", "joules": -7e-7, "ms": 14.0}]}
    found = {f.what: f for f in budget.of_runs(content)}
    assert found["least times ahead of slow"].measured == pytest.approx(2.0)
    assert found["least times ahead of slow"].reached and not found["least times ahead of quick"].reached
    assert found["run of 10 s to 1e-06"].limit == 0.1 and found["run of 10 s to 1e-09"].limit == 0.385
    beyond = {what.split()[-1]: (f.measured, f.at, f.reached) for what, f in found.items() if "evaluations" in what}
    assert beyond == {"dopri5": (70.0, 10, False), "bs32": (59.0, 3, True), "adams": (61.0, 10, False)}
    assert {what for what, f in found.items() if f.reached} == {
        "step beyond its evaluations, bs32", "least times ahead of slow", "ninth zero of a pendulum",
        "fall of 5 s, dop853"}


def test_events_are_as_late_as_the_path_and_no_later(capsys):
    records = instants.by_stepper(["dopri5", "dop853"])
    for r in records:
        assert r["events"] == (pytest.approx(r["path"][0], abs=1e-12), pytest.approx(r["path"][1], abs=1e-9))
    instants.show_steppers(records)
    assert "path there" in capsys.readouterr().out
