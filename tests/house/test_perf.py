"""The reports on speed are well-formed, measure what they say and judge by the budget; no figure is judged here."""

import json
import math
import os
from itertools import combinations, pairwise
from pathlib import Path
from time import sleep

import numpy as np
import pytest

import fastdyn as fd
from fastdyn.formulations import FORMULATIONS
from perf import _timing, agreement, budget, chains, flexible, kernels, long_chain, ours, roads, trees, truth
from perf import arms as spatial
from perf import compile as starts
from perf.peers import __main__ as peers
from perf.peers import installed

QUICK = ["--core", "-1", "--seconds", "0.001"]
SHARED = {"report", "place", "contention", "machine"}


def run(report, folder, *words):
    """(exit code, content of the file it wrote)."""
    code = report.main([*QUICK, "--results", str(folder), *words])
    name = report.__name__.removesuffix(".__main__").rpartition(".")[2]
    return code, json.loads((folder/f"{name}.json").read_text())


def numbers(x):
    if isinstance(x, dict | list):
        for item in x.values() if isinstance(x, dict) else x:
            yield from numbers(item)
    elif isinstance(x, float):
        yield x


def test_the_report_on_kernels(tmp_path, capsys):
    code, content = run(kernels, tmp_path, "--families", "planar", "--lengths", "3", "--longest", "30")
    assert code == 0 and content.keys() == SHARED | {"figures", "scaling", "memory"}
    asked = {(f["question"], f["family"], f["way"], f["n"]) for f in content["figures"]}
    assert asked == {(question, "planar", way, 3) for question in ours.QUESTIONS for way in ours.WAYS}
    assert all(0.0 < f["ns"] <= f["ns_median"] for f in content["figures"])
    assert [p["n"] for p in content["scaling"]["planar"]["points"]] == [10, 30]
    memory = content["memory"]
    assert memory["n"] == 30 and memory["finite"] and memory["bytes_per_link"] > memory["vector_bytes_per_link"] > 0
    assert all(math.isfinite(x) for x in numbers(content))
    printed = capsys.readouterr().out
    assert "forward dynamics" in printed and "exponent in n, planar" in printed and "memory, model and work" in printed


def test_the_report_on_roads(tmp_path, capsys):
    code, content = run(roads, tmp_path, "--lengths", "1", "3")
    assert code == 0 and content.keys() == SHARED | {"figures", "family"}
    asked = {(f["formulation"], f["n"]) for f in content["figures"]}
    assert asked == {(name, n) for name in FORMULATIONS for n in (1, 3)}
    assert all(0.0 < f["us"] <= f["us_median"] for f in content["figures"])
    assert "power of n" in capsys.readouterr().out
    found = {("a", n): {"us": 0.7*n**3} for n in (8, 16)}
    assert roads.power(found, "a", [8, 16]) == pytest.approx(3.0)


@pytest.mark.parametrize("family", ["planar", "revolute", "spherical"])
def test_the_report_on_peers_compares_like_with_like(tmp_path, capsys, family):
    code, content = run(peers, tmp_path, "--families", family, "--lengths", "8", "--true", "2", "--states", "0")
    assert code == 0
    figures = {(f["code"], f["question"], f["n"]): f for f in content["figures"]}
    for peer in installed()[0]:
        for question in peer.timed if family in peer.families else ():
            figure = figures[peer.name, question, 8]
            assert question == "mass" or figure["differs"] < 1e-9
            assert figure["ns_corrected"] < figure["ns"] <= figure["ns_median"]
    assert {code for code, _, _ in figures} >= {"fastdyn", "fastdyn lanes"}
    assert max(content["accuracy"]["fastdyn"].values()) < 1e-13
    printed = capsys.readouterr().out
    assert f"forward, {family}, lanes" in printed and "not measured yet: python -m perf.compile" in printed


def test_the_report_on_starts(tmp_path, capsys):
    code, content = run(starts, tmp_path, "--families", "planar", "--cold", "1", "--warm", "1")
    assert code == 0 and content.keys() == SHARED | {"links", "python", "import", "starts"}
    took = [content["python"], content["import"], *(content["starts"]["planar"][kind] for kind in ("warm", "cold"))]
    assert all(a["minimum"] < b["minimum"] for a, b in pairwise(took))
    assert "first forward dynamics, planar, cold" in capsys.readouterr().out


def test_a_failing_start_is_told():
    with pytest.raises(ChildProcessError, match="ZeroDivisionError"):
        starts._start("1/0")


@pytest.mark.parametrize("family", chains.FAMILIES)
def test_a_long_model_is_the_described_one_bit_for_bit(family):
    n = 5*chains.PERIOD
    for long, described in zip(chains.model_of(family, n), chains.chain(family, n).model):
        assert long.dtype == described.dtype and np.array_equal(long, described)


def test_a_long_model_has_whole_periods():
    with pytest.raises(ValueError, match="whole periods"):
        chains.model_of("planar", 3*chains.PERIOD + 1)


def test_lanes_are_chains_of_their_own():
    q, v, torque = chains.states("spherical", 3, lanes=8)
    model = chains.model_of("spherical", 3)
    alone = [ours.Case("forward", model, *(x[k:k + 1] for x in (q, v, torque))).answer()[0] for k in range(8)]
    for own in (False, True):
        together = ours.Case("forward", model, q, v, torque, own).answer()
        assert np.allclose(together, alone, rtol=1e-12) and not np.allclose(together[0], together[1])


def test_the_truth_needs_no_more_digits_and_gives_the_torques_back():
    chain = chains.chain("spherical", 6)
    q, v, torque = (x[0] for x in chains.states("spherical", 6))
    acc = truth.accelerations(chain, q, v, torque)
    assert np.array_equal(acc, truth.accelerations(chain, q, v, torque, digits=60))
    assert not np.array_equal(acc, truth.accelerations(chain, q, v, torque, digits=12))
    back = fd.inverse_dynamics(chain, q, v, acc)
    assert np.max(np.abs(back - torque)) < 1e-12*np.max(np.abs(acc))


def test_formulations_are_compared(monkeypatch):
    monkeypatch.setattr(agreement, "FAMILIES", {"planar": "", "planar tree": ""})
    monkeypatch.setattr(agreement, "LINKS", 2)
    found = peers.agreements(2)
    assert found.keys() == {*FORMULATIONS} - {"recursive"} and all(0.0 <= x < 1e-10 for x in found.values())
    right = fd.forward_dynamics
    monkeypatch.setattr(fd, "forward_dynamics", lambda *a, formulation: right(*a, formulation=formulation)
                        *(1 + 1e-6*(formulation != "recursive")))
    assert all(x > 1e-7 for x in peers.agreements(2).values())
    assert peers.agreements(2).keys() == found.keys() and peers.agreements(0) == {}


def test_the_report_on_agreement(tmp_path, capsys, monkeypatch):
    words = "--families", "planar", "planar tree", "--links", "2", "--states", "9"
    code, content = run(agreement, tmp_path, *words)
    assert code == 0 and content.keys() == SHARED | {"figures", "links", "states", "seconds"}
    asked = {(f["question"], f["family"], f["n"], *f["pair"]) for f in content["figures"]}
    pairs = list(combinations(FORMULATIONS, 2))
    assert {("recursive", "denoc"), ("recursive", "gibbs-appell"), ("denoc", "gibbs-appell")} <= {*pairs}
    assert asked == {(q, family, n, *pair) for q in agreement.QUESTIONS for family in ("planar", "planar tree")
                     for n in (1, 2) for pair in pairs}
    assert content["states"] == 12 and all(f["differs"] < 1e-12 for f in content["figures"])
    assert "inverse dynamics, largest difference" in capsys.readouterr().out
    right = fd.inverse_dynamics
    monkeypatch.setattr(fd, "inverse_dynamics", lambda *a, formulation: right(*a, formulation=formulation)
                        *(1 + 1e-6*(formulation == "denoc")))
    code, content = run(agreement, tmp_path, *words, "--strict")
    wrong = {(f["question"], *f["pair"]) for f in content["figures"] if f["differs"] > 1e-7}
    assert code == 1 and wrong == {("inverse", *pair) for pair in pairs if "denoc" in pair}


def test_trees_are_compared_as_well_as_chains():
    assert agreement.FAMILIES.keys() == chains.FAMILIES.keys() | trees.FAMILIES.keys()
    with pytest.raises(SystemExit):
        agreement.main(["--families", "palm"])


@pytest.mark.parametrize("family", trees.FAMILIES)
def test_trees_branch_and_have_all_joints(family):
    tree = trees.chain(family, 12)
    assert tree.planar == (family == "planar tree")
    assert tree.replace(links=tree.links[:7]) == trees.chain(family, 7)
    parents = [link.parent for link in tree.links]
    assert max(parents.count(name) for name in tree.link_names) > 1
    assert parents.count("base") == 1 if family != "forest" else parents.count("base") > 1
    assert {link.joint.kind for link in tree.links} == {
        "forest": {"revolute", "spherical", "prismatic", "universal", "fixed"},
        "floating tree": {"free", "revolute", "spherical", "prismatic", "universal", "fixed"},
        "planar tree": {"free-planar", "revolute", "prismatic", "fixed"}}[family]
    q, v, torque = trees.states(family, 12, lanes=4)
    assert q.shape == (4, tree.nq) and v.shape == torque.shape == (4, tree.nv)
    assert not np.allclose(q[0], q[1]) and not np.allclose(v, torque)
    for _, part in tree.quaternions:
        assert np.allclose(np.linalg.norm(q[:, part], axis=1), 1.0, rtol=1e-15)


def test_the_report_on_elastic_chains(tmp_path, capsys, monkeypatch):
    monkeypatch.setattr(flexible, "T_END", 0.45)
    words = "--sets", "ss-ss-ss", "--lengths", "3", "4", "--lanes", "--modes", "--steps", "1e-4"
    code, content = run(flexible, tmp_path, *words)
    told = {"t_end", "runs", "figures", "exponents", "window", "peers", "missing"}
    assert code == 0 and content.keys() == SHARED | told
    assert [(r["rtol"], r["contacts"], r["right_contacts"]) for r in content["runs"]] == [(1e-6, 6, 6), (1e-9, 6, 6)]
    assert all(0.0 < r["ms"] <= r["ms_median"] and r["ms"] < r["ms_whole"] for r in content["runs"])
    assert content["runs"][1]["error"] < 1e-2*content["runs"][0]["error"] < 1e-6
    assert {(f["way"], f["n"], f["m"]) for f in content["figures"]} == {("scalar", 3, 1), ("scalar", 4, 1)}
    ours = [p for p in content["peers"] if p["code"] == "fastdyn"]
    assert [(p["m"], p["rtol"]) for p in ours] == [(1, 1e-6), (1, 1e-9), (4, 1e-6), (4, 1e-9)]
    assert all(p["error"] < 1e-5 for p in ours)
    if "Exudyn" not in content["missing"]:
        theirs = [(p["kind"], p["h"]) for p in content["peers"] if p["code"] == "Exudyn"]
        assert theirs == [("geometrically exact beams", 1e-4), ("ANCF cables", 1e-4)]
    printed = capsys.readouterr().out
    assert "fall of ss-ss-ss, rtol 1e-06" in printed
    assert ("not installed: Exudyn" in printed) == bool(content["missing"])


def test_the_report_on_arms(tmp_path, capsys):
    code, content = run(spatial, tmp_path, "--lengths", "1", "4", "--modes", "--until", "0.002")
    assert code == 0 and content.keys() == SHARED | {"fall", "lanes", "figures", "exponents"}
    asked = {(f["road"], f["rotation"], f["n"], f["modes"]) for f in content["figures"]}
    assert asked == {(road, "linear", n, 10) for road in ("recursive", "lagrange") for n in (1, 4)} | {
        ("recursive", "exp", 1, 10)}
    assert all(0.0 < f["us"] <= f["us_median"] for f in content["figures"]) and content["exponents"] == {}
    assert [r["n"] for r in content["lanes"]] == [1, 4]
    assert all(0.0 < r["ns"] <= r["ns_median"] for r in content["lanes"])
    assert [(r["road"], r["peaks"], r["peaks_off"]) for r in content["fall"]] == [
        ("recursive", 0, None), ("lagrange", 0, None)]
    printed = capsys.readouterr().out
    assert "10 modes a link" in printed and "fall and impact of R2" in printed
    found = [{"road": "recursive", "rotation": "linear", "n": n, "modes": m, "us": 0.5*n**1.1*m**2}
             for n in (4, 8, 16) for m in (10,)] + [
        {"road": "recursive", "rotation": "linear", "n": 8, "modes": 20, "us": 0.5*8**1.1*400}]
    assert spatial.exponents(found) == pytest.approx({"n": 1.1, "m": 2.0})


def test_elastic_chains_are_held_to_what_exudyn_needs():
    peers = [{"code": "fastdyn", "m": m, "rtol": 1e-9, "cpu": cpu, "error": 1e-9} for m, cpu in ((1, 0.1), (4, 9.0))]
    peers += [{"code": "Exudyn", "cpu": cpu, "error": error} for cpu, error in ((1.0, 0.1), (4.0, 1e-2))]
    content = {"runs": [{"modes": "ss", "rtol": 1e-9, "ms": 41.0}], "exponents": {"m": 1.9}, "peers": peers,
               "figures": [{"way": "scalar", "n": n, "m": 1, "ns": ns} for n, ns in ((3, 130.0), (3000, 1e6))]}
    fall, forward, exponent, cpu, error = budget.of_flexible(content)
    assert (fall.limit, fall.reached, forward.measured, forward.reached) == (40, False, 130.0, False)
    assert exponent.reached and (cpu.limit, cpu.rival, cpu.reached) == (0.08, 4.0, False)
    assert error.limit == pytest.approx(1e-8) and error.reached


def test_figures_are_judged_by_their_limits():
    assert budget.Figure("", "", 2.0, 2.0).reached and not budget.Figure("", "", 2.1, 2.0).reached
    assert not budget.Figure("", "", 0.9, 1.1, 0.95).reached and not budget.Figure("", "", None, 1.0).reached
    good, bad = budget.Figure("quick", "s", 1.0, 2.0), budget.Figure("slow", "s", 3.0, 2.0)
    assert budget.show([good], strict=True) == 0 and budget.show([good, bad]) == 0
    assert budget.show([good, bad], strict=True) == 1


def test_the_slowest_length_counts_and_inverse_dynamics_is_held_to_its_rival():
    def figure(question, code, n, ns):
        return {"question": question, "code": code, "family": "planar", "n": n, "ns": ns, "ns_corrected": ns}

    times = [figure("forward", "fastdyn", 7, 20.0), figure("forward", "fastdyn", 30, 10.0)]
    times += [figure("forward", "fastdyn", 1000, 90.0)]
    for n in (7, 30):
        times += [figure("forward", "Pinocchio", n, 150.0), figure("inverse", "Pinocchio", n, 50.0)]
    times += [figure("inverse", "fastdyn", n, ns) for n, ns in ((7, 4.0), (30, 6.0))]
    content = {"figures": times, "accuracy": {}, "agreement": {}, "agreement_links": 12}
    forward, inverse = budget.of_peers(content)
    assert (forward.measured, forward.at, forward.limit, forward.rival, forward.reached) == (20.0, 7, 15, 150.0, False)
    assert (inverse.measured, inverse.at, inverse.limit, inverse.reached) == (6.0, 30, 5.0, False)


def test_the_exponent_is_the_slope():
    n = np.array([10.0, 100.0, 1000.0])
    assert long_chain.exponent(n, 3e-9*n**1.25) == pytest.approx(1.25)


def test_a_run_may_have_a_clock_of_its_own():
    took = _timing.measure({"own": lambda calls: calls*1e-6, "ours": lambda calls: sleep(calls*1e-4)}, 1e-3)
    assert took["own"].least == pytest.approx(1e-6) and took["own"].middle == pytest.approx(1e-6)
    assert took["ours"].least > 1e-4


def test_the_process_is_put_back():
    if not hasattr(os, "sched_setaffinity"):
        pytest.skip("this system does not pin processes")
    cores, policy = os.sched_getaffinity(0), os.sched_getscheduler(0)
    with _timing.alone(None) as place:
        assert os.sched_getaffinity(0) == {place["core"]} == {max(cores)}
    assert (os.sched_getaffinity(0), os.sched_getscheduler(0)) == (cores, policy)


def test_contention_is_told():
    watch = _timing.Watch()
    watch.load, watch.before = 5.0, (watch.before[0], watch.before[1] - 10_000, *watch.before[2:])
    said = " ".join(watch.report([_timing.Timing(1.0, 2.0, 1)])["warnings"])
    assert "load average was 5.00" in said and "interrupted" in said and "1 of 1 figures" in said
    quiet = _timing.Watch()
    quiet.load = 0.0
    assert not any("load" in s or "figures" in s for s in quiet.report([_timing.Timing(1.0, 1.05, 1)])["warnings"])


def test_the_machine_is_described_without_anything_private():
    found = _timing.machine()
    assert found["versions"]["numba"] and found["processor"]["model"]
    told = json.dumps(found)
    assert str(Path.home()) not in told and str(_timing.ROOT) not in told
