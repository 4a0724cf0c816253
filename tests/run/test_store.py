"""Runs that reach the disk as they go, and contacts that are open where a run stops and another goes on."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest
from results.runs import assert_same

import fastdyn as fd
from fastdyn.describe.catalog import falling_chain, n_pendulum
from fastdyn.results import spool
from fastdyn.results.spool import ENDING
from fastdyn.run.course import Course
from fastdyn.status import INTERRUPTED, OK, UNFINISHED

LOW = falling_chain(height=1e-3)                        # touches after 14 ms
TABLES = ("events", "contacts", "touching", "ledger")


@pytest.fixture(scope="module")
def whole():
    return fd.simulate(LOW, 0.055, every=True)


def part_at(run, t, **words):
    """A run of the same chain that stops at the first step behind t."""
    return fd.simulate(LOW, 0.055, every=True, max_steps=int(np.searchsorted(np.unique(run.t), t)), **words)


def test_a_stored_run_is_the_run_and_its_file(whole, tmp_path):
    run = fd.simulate(LOW, 0.055, every=True, store=tmp_path/"a.h5")
    assert os.listdir(tmp_path) == ["a.h5"] and len(run.contacts) > 3
    for name in ("t", "q", "v", *TABLES):
        assert getattr(run, name).tobytes() == getattr(whole, name).tobytes(), name
    assert_same(run, fd.open(tmp_path/"a.h5"))


def test_settings_are_kept(whole, tmp_path):
    assert whole.settings == {"t_end": 0.055, "rtol": 1e-9, "atol": 1e-12, "event_tol": 1e-8}
    run = fd.simulate(n_pendulum(1), 0.1, rtol=1e-6, atol=[1e-6, 1e-7], preset="contact", max_steps=3,
                      store=tmp_path/"a.h5")
    for found in (run, fd.open(tmp_path/"a.h5")):
        assert found.settings["atol"].tolist() == [1e-6, 1e-7]
        assert found.settings["h_min"] == 1e-7 and found.settings["max_steps"] == 3 and not found.ok


def test_what_is_on_the_disk_while_a_run_goes_on_has_all_its_rows(whole, tmp_path, monkeypatch):
    """Emptied after every tenth row; looked at from the progress, as another process would"""
    path, to, seen = tmp_path/f"a.h5{ENDING}", Course.to, []
    monkeypatch.setattr(spool, "SYNCED_EVERY", -1.0)
    monkeypatch.setattr(Course, "to", lambda course, *given, **words: to(course, *given, rows=10, **words))
    put = spool.Spool.append

    def append(self, *given, **words):
        put(self, *given, **words)
        seen.append(fd.open(path))

    monkeypatch.setattr(spool.Spool, "append", append)
    fd.simulate(LOW, 0.055, every=True, store=tmp_path/"a.h5")
    assert len(seen) > 20 and all(run.status == UNFINISHED for run in seen)
    ended = np.sort(whole.contacts["end"])
    for run in seen:
        n = len(run.t)
        assert run.t.tobytes() == whole.t[:n].tobytes() and run.ledger.tobytes() == whole.ledger[:n].tobytes()
        assert run.touching.tobytes() == whole.touching[:len(run.touching)].tobytes()
        assert run.events.tobytes() == whole.events[:len(run.events)].tobytes()
        assert set(map(bytes, run.contacts)) <= set(map(bytes, whole.contacts))
        assert len(run.contacts) == np.count_nonzero(ended <= run.checkpoint.t)
    assert (seen[-1].contacts.tobytes(), seen[-1].event_names) == (whole.contacts.tobytes(), whole.event_names)
    on = fd.simulate(LOW, 0.055, every=True, start=seen[len(seen)//2].checkpoint)
    assert on.q[-1].tobytes() == whole.q[-1].tobytes()


KILLED = """
import sys, fastdyn as fd
from fastdyn.describe.catalog import n_pendulum
fd.simulate(n_pendulum(3), 1e5, samples=10_000_000, rtol=1e-11, store=sys.argv[1])
"""


def test_a_killed_process_leaves_a_run_that_goes_on(tmp_path):
    if os.name != "posix":
        pytest.skip("processes are killed in another way here")
    path = tmp_path/f"a.h5{ENDING}"
    process = subprocess.Popen([sys.executable, "-c", KILLED, tmp_path/"a.h5"],
                               env=os.environ | {"PYTHONPATH": str(Path(fd.__file__).parents[1])})
    end = time.monotonic() + 120.0
    while process.poll() is None and time.monotonic() < end and not (path.exists() and path.stat().st_size > 1e6):
        time.sleep(0.05)
    process.send_signal(signal.SIGKILL)
    process.wait()
    run = fd.open(path)
    assert run.status == UNFINISHED and len(run.t) > 1000 and run.settings["t_end"] == 1e5
    t, kept = run.checkpoint.t, run.t <= run.checkpoint.t
    again = fd.simulate(run.chain, t + 1.0, start=run.checkpoint, rtol=1e-11, times=[t + 0.5, t + 1.0])
    straight = fd.simulate(n_pendulum(3), t + 1.0, rtol=1e-11, times=[*run.t[kept], t + 0.5, t + 1.0])
    assert again.ok and np.array_equal(straight.q[-2:], again.q) and np.array_equal(straight.q[:-2], run.q[kept])


@pytest.mark.parametrize("sent, left, code", [("SIGKILL", ".part", -9), ("SIGTERM", "", 130), ("SIGHUP", "", 130)])
def test_a_run_of_the_command_line_that_is_ended_keeps_all_it_has(tmp_path, sent, left, code):
    """A limit of time and a closed terminal end it as Ctrl-C does."""
    if os.name != "posix":
        pytest.skip("processes are killed in another way here")
    words = ["run", "n-pendulum", "--set", "n=3", "t_end=1e5", "samples=10000000", "rtol=1e-11", "--out", "a.h5"]
    process = subprocess.Popen([sys.executable, "-m", "fastdyn", *words], cwd=tmp_path, stdout=subprocess.DEVNULL,
                               stderr=subprocess.DEVNULL,
                               env=os.environ | {"PYTHONPATH": str(Path(fd.__file__).parents[1])})
    path, end = tmp_path/f"a.h5{ENDING}", time.monotonic() + 120.0
    while process.poll() is None and time.monotonic() < end and not (path.exists() and path.stat().st_size > 1e6):
        time.sleep(0.05)
    process.send_signal(getattr(signal, sent))
    assert process.wait(60.0) == code and os.listdir(tmp_path) == [f"a.h5{left}"]
    run = fd.open(tmp_path/f"a.h5{left}")
    assert run.status == (UNFINISHED if left else INTERRUPTED) and len(run.t) > 1000 and run.checkpoint.t > 0.0


def test_a_run_that_stops_where_it_began_leaves_older_files_alone(tmp_path):
    before = fd.simulate(n_pendulum(1), 0.1, samples=2, store=tmp_path/"a.h5")
    weightless = fd.Chain([fd.Link(name="tip", length=1.0)])
    run = fd.simulate(weightless, 0.1, store=tmp_path/"a.h5")
    assert not run.ok and run.file is None and os.listdir(tmp_path) == ["a.h5"]
    assert before.file == os.path.realpath(tmp_path/"a.h5") and fd.open(before.file).ok


@pytest.mark.parametrize("store", [3, "", b"", ["a.h5"]])
def test_what_is_no_path_is_refused(store):
    with pytest.raises(fd.ModelError, match=r"store is .*; give the path of a run file"):
        fd.simulate(n_pendulum(1), 0.1, store=store)


def test_a_run_that_cannot_start_leaves_no_file(tmp_path):
    sunk = LOW.replace(start_q=[0.0, -2.0, *[0.0]*(LOW.nq - 2)])
    with pytest.raises(fd.ModelError, match="inside ground"):
        fd.simulate(sunk, 0.1, store=tmp_path/"a.h5")
    assert os.listdir(tmp_path) == []
    with pytest.raises(FileNotFoundError):
        fd.simulate(LOW, 0.1, store=tmp_path/"gone"/"a.h5")


# ---------------------------------------------------------------------------------------------------- open contacts

def test_a_contact_that_was_open_at_a_checkpoint_is_told(whole):
    """Its speed is that of the impact, what it did since the checkpoint completes what it had done until then"""
    first = whole.contacts[0]
    part = part_at(whole, 0.5*(first["start"] + first["end"]))
    rest = fd.simulate(LOW, 0.055, every=True, start=part.checkpoint)
    assert first["start"] < part.t[-1] < first["end"] and rest.status == OK
    assert part.contacts["start"].tolist() == whole.contacts["start"][:2].tolist()
    assert np.isnan(part.contacts["end"]).all() and np.isnan(rest.contacts["start"][:2]).all()
    assert len(rest.contacts) == len(whole.contacts)
    for name in ("point", "ground", "end", "speed", "leaving", "restitution"):
        assert rest.contacts[name].tolist() == whole.contacts[name].tolist(), name
    for name in ("impulse", "friction_impulse", "work"):
        both = part.contacts[name][:2] + rest.contacts[name][:2]
        assert np.allclose(both, whole.contacts[name][:2], rtol=1e-12), name
    for name in ("force", "depth"):
        assert np.array_equal(np.fmax(part.contacts[name], rest.contacts[name][:2]), whole.contacts[name][:2])
    assert rest.contacts[2:].tobytes() == whole.contacts[2:].tobytes()
    again = np.count_nonzero(rest.touching["time"] == part.t[-1])   # what touches then is told by both
    assert again == 2
    assert np.concatenate([part.touching, rest.touching[again:]]).tobytes() == whole.touching.tobytes()
    assert np.concatenate([part.events, rest.events]).tobytes() == whole.events.tobytes()


def test_a_contact_open_from_end_to_end_has_neither_start_nor_end(whole):
    first = whole.contacts[0]
    part = part_at(whole, 0.6*first["start"] + 0.4*first["end"])
    t = 0.3*first["start"] + 0.7*first["end"]
    rest = fd.simulate(LOW, t, every=True, start=part.checkpoint)
    for row in rest.contacts:
        assert np.isnan([row["start"], row["end"], row["leaving"], row["restitution"]]).all()
        assert row["speed"] == first["speed"] and 0.0 < row["impulse"] < first["impulse"] and row["force"] > 0.0
    assert len(rest.contacts) == 2 and rest.forces[0, 0, 1] > 0.0


def test_an_open_contact_is_kept_in_files_and_drawn(whole, tmp_path):
    first = whole.contacts[0]
    part = part_at(whole, 0.5*(first["start"] + first["end"]))
    rest = fd.simulate(LOW, 0.055, every=True, start=part.checkpoint, store=tmp_path/"b.h5")
    again = fd.open(tmp_path/"b.h5")
    assert_same(rest, again)
    assert fd.plot(again)["forces"].svg and fd.view(again, tmp_path/"b.html")


def test_progress_counts_events_but_no_kinks_of_friction():
    told = []
    run = fd.simulate(LOW, 0.055, progress=lambda *said: told.append(said))
    assert told[-1] == (0.055, 0.055, len(run.events)) and run.stats["events"] > len(run.events) > 10
