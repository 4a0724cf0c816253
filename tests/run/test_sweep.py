"""Sweeps: the same bits whoever computes, whatever stops it and whenever; a row a point, in the order of the design."""

import json
import multiprocessing
import os
import signal
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path

import numpy as np
import pytest
from run import swept
from run.swept import LENGTH, LENGTHS, USUAL, WELL

import fastdyn as fd
from fastdyn import cli
from fastdyn.describe.design import Design, read_axis
from fastdyn.run import workers
from fastdyn.run.sweep import resume
from fastdyn.status import BROKEN, MEASURE_FAILED, NOT_YET, OK, OUT_OF_TIME, REFUSED, WORKER_LOST

HOUSE = Path(fd.__file__).parents[1]
GRID = {LENGTH: LENGTHS}


@pytest.fixture(scope="module")
def usual():
    return fd.sweep(swept.rod(), GRID, workers=1, **USUAL)


def same(one, other):
    return one.table.dtype == other.table.dtype and one.table.tobytes() == other.table.tobytes()


class Backwards:
    """Has only `map`, and does the last first."""

    def imap_unordered(self, work, pieces):
        return map(work, list(pieces)[::-1])

    map = None


# ------------------------------------------------------------------------------------------------------ the table

def test_a_row_is_what_the_run_of_its_point_gives(usual):
    assert usual["status"].tolist() == WELL and usual[LENGTH].tolist() == LENGTHS and not usual.ok
    for k, length in enumerate(LENGTHS):
        if length > 0.0:
            run = fd.simulate(swept.of_length(length), **USUAL)
            assert usual["q.rod"][k] == run.q[-1, 0] and usual["v.rod"][k] == run.v[-1, 0] and usual["t"][k] == 0.3
            assert usual["energy"][k] == run.energy[-1] and usual["steps"][k] == run.stats["steps"]
    assert np.isnan(usual["energy"][2]) and "length is -1 m" in usual["message"][2]
    assert "4 of 5 points: done" in usual.message and usual.counts == {OK: 4, REFUSED: 1} and len(usual) == 5


def test_the_last_key_changes_first_and_shapes_fit():
    study = fd.sweep("n-pendulum", {"n": [1, 2], "rtol": np.array([1e-5, 1e-7]), "links.link1.mass": [1.0]}, workers=1,
                     t_end=0.2, samples=2)
    assert study.shape == (2, 2, 1) and study["n"].tolist() == [1, 1, 2, 2]
    assert study["rtol"].tolist() == [1e-5, 1e-7]*2 and study["n"].dtype == np.int64
    assert np.isnan(study["q.link2"]).tolist() == [True, True, False, False] and study.ok
    assert study["q.link2"].reshape(study.shape).shape == (2, 2, 1)


def test_points_of_any_design_words_lists_and_functions_that_make_chains():
    points = [{"length": 0.5, "gravity": [0.0, -1.6, 0.0], "stepper": "rkf45"},
              {"length": 0.6, "gravity": (0.0, -9.81, 0.0), "stepper": "dop853"}]
    study = fd.sweep(swept.of_length, points=points, workers=1, measure=swept.lowest, **USUAL)
    assert study["gravity"].shape == (2, 3) and study["stepper"].tolist() == ["rkf45", "dop853"]
    assert study["all"].shape == (2, 3, 1) and study["word"].tolist() == ["swung", "swung"]
    moon = fd.simulate(swept.of_length(0.5).replace(gravity=(0.0, -1.6, 0.0)), stepper="rkf45", **USUAL)
    assert study["lowest"][0] == moon.q.min() and study.system == "of_length" and study.keys == tuple(points[0])


def test_measures_of_other_shapes_are_padded_and_taken_names_stand_aside():
    study = fd.sweep("n-pendulum", {"n": [1, 2]}, workers=1, measure=lambda run: {"n": run.q[-1], "status": 7},
                     t_end=0.1, samples=2)
    assert study["run.n"].shape == (2, 2) and np.isnan(study["run.n"][0, 1]) and study["run.status"].tolist() == [7, 7]


def test_other_kinds_of_systems_are_swept_by_their_names():
    study = fd.sweep("torsion-chain", {"n": [2, 3]}, workers=1, t_end=0.1)
    assert study.ok and np.isfinite(study["energy"]).all() and (study["t"] == 0.1).all()


def test_a_column_that_is_not_there_is_told(usual):
    with pytest.raises(fd.ModelError, match='no column "enrgy"; did you mean "energy"'):
        usual["enrgy"]


# ----------------------------------------------------------------------------------------------------- who computes

def test_bits_are_the_same_whoever_computes(usual):
    words = {"system": swept.rod(), "grid": GRID} | USUAL
    assert same(fd.sweep(workers=2, **words), usual)
    with ThreadPoolExecutor(2) as threads:
        assert same(fd.sweep(workers=threads, **words), usual)
    assert same(fd.sweep(workers=Backwards(), **words), usual)


def test_by_itself_a_sweep_starts_processes_only_if_that_pays(usual, monkeypatch):
    words = {"system": swept.rod(), "grid": GRID} | USUAL
    monkeypatch.setattr(workers, "cores", lambda: 2)
    with monkeypatch.context() as patch:
        patch.setattr(workers, "Processes", None)
        patch.setattr(workers, "WORTH", 1e9)
        patch.setattr("fastdyn.run.sweep.TRIAL", 1e3)
        assert same(fd.sweep(**words), usual)
    started, processes = [], workers.Processes
    monkeypatch.setattr(workers, "WORTH", 0.0)
    monkeypatch.setattr(workers, "Processes", lambda *args: started.append(args) or processes(*args))
    assert same(fd.sweep(**words), usual) and len(started) == 1
    with pytest.warns(RuntimeWarning, match="is computed in this process alone: the study cannot be sent"):
        study = fd.sweep(measure=lambda run: run.q[-1, 0], **words)
    assert np.array_equal(study["measure"], usual["q.rod"], equal_nan=True)
    with monkeypatch.context() as patch:
        patch.setattr(multiprocessing.current_process(), "_inheriting", True, raising=False)
        with pytest.raises(fd.ModelError, match="was called by a process that only starts; a script has to call"):
            fd.sweep(**words)


def test_a_client_of_dask(usual):
    distributed = pytest.importorskip("distributed")
    with distributed.Client(processes=False, n_workers=1, threads_per_worker=2, dashboard_address=None) as client:
        assert same(fd.sweep(swept.rod(), GRID, workers=client, **USUAL), usual)


def test_a_point_that_kills_its_process_is_lost_alone():
    study = fd.sweep(swept.rod(), GRID, workers=2, measure=swept.deadly, **USUAL)
    assert study["status"].tolist() == [0, 0, REFUSED, WORKER_LOST, 0]
    assert np.isfinite(study["deadly"]).tolist() == [True, True, False, False, True]


def test_whatever_goes_wrong_at_a_point_is_in_its_row():
    study = fd.sweep(swept.rod(), {"max_seconds": [1e-9, 600.0]}, workers=1, t_end=50.0)
    assert study["status"].tolist() == [OUT_OF_TIME, OK] and study["t"][0] < 50.0
    bad = fd.sweep(swept.rod(), {LENGTH: [1.0]}, workers=1, measure=lambda run: 1/0, **USUAL)
    assert bad["status"].tolist() == [MEASURE_FAILED] and "ZeroDivisionError" in bad["message"][0]
    none = fd.sweep(swept.rod(), {LENGTH: [1.0]}, workers=1, measure=lambda run: run, **USUAL)
    assert none["status"].tolist() == [MEASURE_FAILED]

    def broken(length):
        raise OSError("gone")

    assert fd.sweep(broken, {"length": [1.0]}, workers=1)["status"].tolist() == [BROKEN]


def test_a_script_without_a_guard_may_use_processes(tmp_path):
    script = tmp_path/"study.py"
    script.write_text("import fastdyn as fd\n"
                      "rod = fd.Chain([fd.Link(name='rod', length=1.0, mass=1.0)])\n"
                      "print(fd.sweep(rod, {'links.rod.length': [1.0, 2.0]}, workers=2, t_end=0.1).ok)\n")
    done = subprocess.run([sys.executable, script], capture_output=True, text=True, cwd=HOUSE, timeout=120,
                          env=os.environ | {"PYTHONPATH": str(HOUSE)})
    assert done.stdout == "True\n", done.stderr


# ------------------------------------------------------------------------------------------------------- refusals

REFUSALS = {
    "no design": ({}, "give either grid="),
    "both": ({"grid": GRID, "points": [{}]}, "give either grid="),
    "no list": ({"grid": {LENGTH: 1.0}}, "give a list of values"),
    "an empty list": ({"grid": {LENGTH: []}}, "is empty"),
    "a value that is no word": ({"grid": {LENGTH: [len]}}, "a point holds numbers, words"),
    "a table": ({"grid": {LENGTH: [{"chart": "xyz"}]}}, "give a table as the text that a model file has for it"),
    "points that differ": ({"points": [{"rtol": 1e-3}, {"atol": 1e-3}]}, "give all points the same keys"),
    "no such field": ({"grid": {"links.rod.lenght": [1.0]}}, '"lenght" is no field there; did you mean "length"'),
    "no such link": ({"grid": {"links.arm.length": [1.0]}}, 'there is no link "arm"'),
    "no such setting": ({"grid": GRID, "rtoll": 1e-3}, '"rtoll" cannot be set here; did you mean "rtol"'),
    "no workers": ({"grid": GRID, "workers": 0}, "workers is 0; give a number of processes"),
    "no measure": ({"grid": GRID, "measure": 3}, "measure is 3; give a function"),
    "no folder": ({"grid": GRID, "store": 3}, "store is 3; give the path of a folder"),
    "no system": ({"system": 3, "grid": GRID}, "system is 3; give a Chain"),
    "no such name": ({"system": "n-pendlum", "grid": {"n": [1]}}, "is neither in the catalog nor a model file"),
    "a function nobody else has": ({"grid": GRID, "measure": lambda run: 1.0, "workers": 2}, "cannot be sent to other"),
}


@pytest.mark.parametrize("case", REFUSALS)
def test_what_cannot_be_swept_is_said_before_anything_runs(case):
    words, sentence = REFUSALS[case]
    with pytest.raises(fd.ModelError) as refused:
        fd.sweep(**{"system": swept.rod()} | words)
    assert sentence in str(refused.value) and "\n" not in str(refused.value)


@pytest.mark.parametrize("text, values", [
    ("n=1:3:3", [1, 2, 3]), ("x=0:1:3", [0.0, 0.5, 1.0]), ("x=0.0:2.0:3", [0.0, 1.0, 2.0]), ("law=hertz,hu-guo",
     ["hertz", "hu-guo"]), ("gravity=[0,-1.6,0],[0,-9.81,0]", [[0, -1.6, 0], [0, -9.81, 0]]), ("x=1e-3,2", [1e-3, 2]),
])
def test_lines_of_a_grid(text, values):
    found = read_axis(text)[1]
    assert found == values and [type(value) for value in found] == [type(value) for value in values]


@pytest.mark.parametrize("text", ["n", "n=", "=3", "n=a:b:3", "n=1:2:0", "n=1:inf:3"])
def test_lines_that_are_none(text):
    with pytest.raises(fd.ModelError):
        read_axis(text)


def test_a_design_tells_its_points_without_having_them_all():
    design = Design({"a": range(1000), "b": range(1000), "c": ["x", "y"]})
    assert len(design) == 2_000_000 and design[1_234_567] == {"a": 617, "b": 283, "c": "y"}
    small = Design({"a": [1, 2], "b": [3, 4, 5]})
    assert [[small[k][key] for k in range(6)] for key in small.keys] == [small.column("a"), small.column("b")]


# -------------------------------------------------------------------------------------------------------- the folder

def test_a_study_is_kept_whole_and_given_back(usual, tmp_path):
    study = fd.sweep(swept.rod(), GRID, store=tmp_path/"study", workers=1, **USUAL)
    assert same(study, usual) and sorted(os.listdir(tmp_path/"study")) == ["plan.json", "study.h5"]
    for path in (tmp_path/"study", tmp_path/"study"/"study.h5"):
        assert same(fd.open(path), usual) and fd.open(path).shape == (5,) and fd.open(path).settings["t_end"] == 0.3
    again = fd.sweep(swept.rod(), GRID, store=tmp_path/"study", workers=1, measure=None, **USUAL)
    assert same(again, usual) and again.provenance == study.provenance


@pytest.mark.parametrize("change, part", [
    ({"grid": {LENGTH: [1.0]}}, "grid or points is"), ({"t_end": 0.2}, "settings is"), ({"measure": swept.lowest},
     "measure is"), ({"system": swept.of_length(1.5), "t_end": 0.2}, "system and settings are"),
])
def test_a_folder_of_another_study_is_refused(change, part, tmp_path):
    words = {"system": swept.rod(), "grid": {LENGTH: [0.5]}, "store": tmp_path/"study", "workers": 1} | USUAL
    fd.sweep(**words)
    with pytest.raises(fd.ModelError, match=f"holds another study: its {part} not the same; give another folder"):
        fd.sweep(**words | change)


def test_folders_of_others_locked_ones_and_damaged_rows_are_refused(tmp_path):
    words = {"system": swept.rod(), "grid": GRID, "workers": 1, "measure": swept.stopped_at_the_fourth} | USUAL
    (tmp_path/"letter.txt").write_text("dear")
    with pytest.raises(fd.ModelError, match="is a folder with other files, such as letter"):
        fd.sweep(store=tmp_path, **words)
    folder = tmp_path/"study"
    part = fd.sweep(store=folder, **words)
    assert part["status"].tolist() == [0, 0, REFUSED, NOT_YET, NOT_YET] and part.status == NOT_YET
    assert same(fd.open(folder), part)
    plan = json.loads((folder/"plan.json").read_text())
    (folder/"plan.json").write_text(json.dumps(plan | {"versions": plan["versions"] | {"numba": "0.1"}}))
    with pytest.raises(fd.ModelError, match="was begun by another version of fastdyn"):
        fd.sweep(store=folder, **words)
    (folder/"plan.json").write_text(json.dumps(plan))
    rows = min(folder.glob("rows-*.json"))
    rows.write_text(rows.read_text().replace('"status": 0', '"status": 7'))
    with pytest.raises(fd.ModelError, match=r"rows-000000.json: is damaged .*; remove it, and its points are computed"):
        fd.sweep(store=folder, **words)
    with pytest.raises(fd.ModelError, match="functions in Python belong to this study; go on by the call"):
        resume(str(folder))
    with pytest.raises(fd.ModelError, match="is no study"):
        resume(str(tmp_path))


def test_one_process_at_a_time(tmp_path):
    pytest.importorskip("fcntl")
    seen = []

    def measure(run):
        with pytest.raises(fd.ModelError, match="another process computes this study") as refused:
            fd.sweep(swept.rod(), GRID, store=tmp_path/"study", workers=1, measure=measure, **USUAL)
        seen.append(refused)
        return 0.0

    study = fd.sweep(swept.rod(), {LENGTH: [1.0]}, store=tmp_path/"study", workers=1, measure=measure, **USUAL)
    assert study.ok and seen


# ------------------------------------------------------------------------------------------------- stopped, and on

def test_ctrl_c_keeps_what_is_done_and_the_same_call_goes_on(usual, tmp_path):
    told = []
    words = {"system": swept.rod(), "grid": GRID, "store": tmp_path/"study", "workers": 1} | USUAL

    def pressed(done, points, bad):
        told.append((done, points, bad))
        if done == 3:
            signal.raise_signal(signal.SIGINT)

    part = fd.sweep(progress=pressed, **words)
    assert told == [(0, 5, 0), (1, 5, 0), (2, 5, 0), (3, 5, 1)] and part.counts == {OK: 2, REFUSED: 1, NOT_YET: 2}
    assert swept.numbers_in(tmp_path/"study") == [0, 1, 2]
    again = []
    assert same(fd.sweep(progress=lambda *said: again.append(said[0]), **words), usual) and again == [3, 4, 5]


@pytest.mark.parametrize("call", [1, 500])                 # while kernels are made ready, and in the first run
def test_ctrl_c_inside_a_run_ends_the_sweep(call, monkeypatch):
    monkeypatch.setattr("fastdyn.run.sweep.TRIAL", 1e-9)
    calls = []

    def function(t, q, v):
        calls.append(t)
        if len(calls) == call:
            signal.raise_signal(signal.SIGINT)
        return 1.0 + q[0]**2

    watched = fd.Event(function=function)
    study = fd.sweep(swept.rod(), {LENGTH: [1.0, 2.0]}, workers=1, t_end=1e3, samples=2, events=watched)
    assert study.counts == {NOT_YET: 2} and call <= len(calls) < call + 400


def test_ctrl_c_while_processes_compute(usual, tmp_path):
    words = {"system": swept.rod(), "grid": GRID, "store": tmp_path/"study", "workers": 2} | USUAL
    part = fd.sweep(progress=lambda done, points, bad: done and signal.raise_signal(signal.SIGINT), **words)
    done = np.count_nonzero(part["status"] != NOT_YET)
    assert 1 <= done < 5 and sorted(swept.numbers_in(tmp_path/"study")) == np.flatnonzero(
        part["status"] != NOT_YET).tolist()
    assert same(resume(str(tmp_path/"study"), workers=1), usual)


KILLED = """
import sys
sys.path[:0] = {paths!r}
import fastdyn as fd
from run import swept
fd.sweep(swept.rod(), {grid!r}, store={folder!r}, workers=2, measure=swept.slow, t_end=0.3, samples=3)
"""


def test_a_study_that_is_killed_loses_nothing_and_does_nothing_twice(tmp_path):
    grid, folder = {LENGTH: np.linspace(0.5, 2.0, 30).tolist()}, tmp_path/"study"
    words = {"system": swept.rod(), "grid": grid, "measure": swept.slow} | USUAL
    for least in (3, 10):
        process = subprocess.Popen([sys.executable, "-c", KILLED.format(
            paths=[str(HOUSE), str(HOUSE/"tests")], grid=grid, folder=str(folder))])
        end = time.monotonic() + 100.0
        while not (folder.exists() and len(swept.numbers_in(folder)) >= least) and time.monotonic() < end:
            assert process.poll() is None
            time.sleep(0.02)
        process.kill()
        process.wait()
        (folder/".rows-000077.json.0123456789ab.tmp").write_text("half")
        done = swept.numbers_in(folder)
        assert least <= len(done) == len(set(done)) < 30
    told = []
    study = fd.sweep(store=folder, workers=1, progress=lambda *said: told.append(said[0]), **words)
    assert told == list(range(len(done), 31)) and sorted(os.listdir(folder)) == ["plan.json", "study.h5"]
    assert same(study, fd.sweep(workers=1, **words | {"measure": swept.slow}))


# ------------------------------------------------------------------------------------------------------ the command

def test_the_command_sweeps_goes_on_and_shows(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    swept.rod().save("rod.toml")
    words = ["sweep", "rod.toml", "--grid", f"{LENGTH}=0.5:1.0:3", "rtol=1e-6,1e-8", "--set", "t_end=0.2", "samples=2"]
    assert cli.main([*words, "--out", "mine", "--workers", "1"]) == 0
    said = capsys.readouterr().out
    assert "3 x 2 = 6" in said and "mine/study.h5" in said.replace(os.sep, "/") and "energy_error" in said
    table = np.genfromtxt("mine/study.csv", delimiter=",", names=True, dtype=None, encoding="utf-8")
    study = fd.open("mine")
    assert len(table) == 6 and table["energy"].tolist() == study["energy"].tolist()
    with monkeypatch.context() as patch:
        patch.setattr(workers, "rows_of", partial(_twice_then_ctrl_c, [], workers.rows_of))
        assert cli.main([*words, "--workers", "1"]) == 130
    assert "2 of 6 points: done" in capsys.readouterr().err
    os.remove("rod.toml")
    assert cli.main(["show", "study"]) == 0 and "not computed yet" in capsys.readouterr().out
    assert cli.main(["resume", "study", "--workers", "1"]) == 0
    assert same(fd.open("study"), study)
    capsys.readouterr()
    assert cli.main(["show", "study/study.h5"]) == 0 and "done" in capsys.readouterr().out
    assert cli.main(["plot", "study/study.h5"]) == 2 and "is a study, not one run" in capsys.readouterr().err
    swept.rod().save("rod.toml")
    bad = ["sweep", "rod.toml", "--grid", f"{LENGTH}=1.0,-1.0", "--set", "t_end=0.1", "--out", "bad", "--workers", "1"]
    assert cli.main(bad) == 1 and "length is -1 m" in capsys.readouterr().out


def _twice_then_ctrl_c(calls, rows_of, job, points):
    calls.append(points)
    if len(calls) > 2:
        raise KeyboardInterrupt
    return rows_of(job, points)


@pytest.mark.parametrize("words, said", [
    (["sweep", "n-pendulum", "--grid", "n"], "is no line of a grid"),
    (["sweep", "n-pendulum", "--grid", "m=1,2"], '"m" cannot be set here'),
    (["sweep", "n-pendulum", "--grid", "n=1", "--set", "fast"], '"fast" is not a setting'),
    (["resume", "gone"], "gone is no study"), (["resume", __file__], "is a file; give the folder of a study"),
])
def test_the_command_refuses_in_one_sentence(words, said, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    assert cli.main(words) == 2
    printed = capsys.readouterr()
    assert said in printed.err and printed.err.count("\n") == 1 and os.listdir(tmp_path) == []
