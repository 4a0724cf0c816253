"""What a run leaves while it goes on: all that was handed over, whenever the process dies, and a way to go on."""

import os
import random
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest
from formulations.common import one_ladder  # noqa: F401
from results.runs import CHAIN, any_bits, any_run, assert_same

import fastdyn as fd
from fastdyn.describe.catalog import n_pendulum
from fastdyn.results import spool as page
from fastdyn.results.spool import ENDING, Spool
from fastdyn.results.tables import EVENT, EVENT_COLUMNS, TABLES, TOUCH, dtype_of, kept
from fastdyn.status import UNFINISHED, ModelError

pytestmark = pytest.mark.usefixtures("one_ladder")
TESTS = Path(__file__).parents[1]


def blocks(chain, seed=0, sizes=(3, 0, 1, 40)):
    rng = np.random.default_rng(seed)
    for n in sizes:
        yield rng.normal(size=n), rng.normal(size=(n, chain.nq + chain.nv)), any_bits(rng, (n//2,), EVENT)


def filled(path, chain=CHAIN, **words):
    spool = Spool(path, chain, **words)
    for times, states, events in blocks(chain):
        spool.append(times, states, events=events)
    return spool


def left(path):
    return Path(f"{path}{ENDING}")


def test_rows_come_back_to_the_bit_and_are_told_to_be_unfinished(tmp_path):
    settings = {"rtol": 1e-9, "h_max": np.inf, "atol": np.array([1.0, 2.0]), "policy": "none"}
    filled(tmp_path/"a.h5", CHAIN, stepper="adams", formulation="denoc", settings=settings, event_names=("low", "high"),
           point_names=("tip",))
    run = fd.open(left(tmp_path/"a.h5"))
    times, states, events = (np.concatenate(parts) for parts in zip(*blocks(CHAIN)))
    assert run.t.tobytes() == times.tobytes() and kept(run.events, EVENT_COLUMNS).tobytes() == events.tobytes()
    assert run.v.tobytes() == states[:, CHAIN.nq:].tobytes()
    assert np.array_equal(run.q[:, CHAIN.q_slice("c")], states[:, CHAIN.q_slice("c")])
    for _, part in CHAIN.quaternions:
        q = states[:, part]
        assert np.array_equal(run.q[:, part], q/np.linalg.norm(q, axis=1, keepdims=True))
    assert (run.stepper, run.formulation) == ("adams", "denoc")
    assert (run.event_names, run.point_names) == (("low", "high"), ("tip",))
    assert run.chain == CHAIN and run.notes == () and run.checkpoint is None
    assert run.points.shape == (44, 1, 3) and np.isnan(run.points).all()
    assert run.settings.keys() == settings.keys()
    assert all(np.array_equal(run.settings[name], settings[name]) for name in settings)
    assert run.status == UNFINISHED and not run.ok and "cut off" in run.message
    assert run.provenance["model"] == any_run().provenance["model"]
    run.save(tmp_path/"b.h5")
    assert_same(run, fd.open(tmp_path/"b.h5"))


def test_a_file_cut_anywhere_gives_all_whole_blocks(tmp_path):
    filled(tmp_path/"a.h5")
    path = left(tmp_path/"a.h5")
    content, whole = path.read_bytes(), fd.open(path)
    rows = []
    for size in range(len(content) - 100, len(page.SIGNATURE) - 1, -97):
        path.write_bytes(content[:size])
        try:
            run = fd.open(path)
        except ModelError as refused:
            assert "nothing of the run had reached it" in str(refused)
            rows.append(-1)
            continue
        n = len(run.t)
        assert run.t.tobytes() == whole.t[:n].tobytes() and run.q.tobytes() == whole.q[:n].tobytes()
        assert run.events.tobytes() == whole.events[:len(run.events)].tobytes()
        rows.append(n)
    assert rows == sorted(rows, reverse=True) and set(rows) == {4, 3, 0, -1}
    path.write_bytes(content[:-1])
    assert "bytes of the file are not whole" in fd.open(path).notes[0]


def test_a_flipped_bit_ends_what_is_read(tmp_path):
    filled(tmp_path/"a.h5")
    path, rng = left(tmp_path/"a.h5"), np.random.default_rng(0)
    content, whole = bytearray(path.read_bytes()), fd.open(path)
    for at, bit in zip(rng.integers(0, len(content), 200), rng.integers(8, size=200)):
        content[at] ^= 1 << bit
        path.write_bytes(content)
        content[at] ^= 1 << bit
        try:
            run = fd.open(path)
        except ModelError:
            continue
        assert run.t.tobytes() == whole.t[:len(run.t)].tobytes() and run.v.tobytes() == whole.v[:len(run.t)].tobytes()
        assert len(run.t) < len(whole.t) and run.notes


WRITER = """
import os, sys
import numpy as np
from fastdyn.describe.catalog import n_pendulum
from fastdyn.results.spool import Spool
spool, done, log = Spool(sys.argv[1], n_pendulum(6)), 0, os.open(sys.argv[2], os.O_WRONLY | os.O_CREAT)
while True:
    times = np.arange(done, done + int(sys.argv[3]), dtype=float)
    spool.append(times, times[:, None] + np.arange(12))
    done += len(times)
    os.pwrite(log, b"%12d" % done, 0)
"""


def test_a_killed_process_has_lost_nothing_it_had_handed_over(tmp_path):
    """At any moment, most of which are in the middle of a write"""
    random.seed(1)
    path = os.pathsep.join([str(TESTS.parent), *sys.path])
    for trial, rows in enumerate([3, 300]*3):
        target, log = tmp_path/f"{trial}.h5", tmp_path/f"{trial}.log"
        writer = subprocess.Popen([sys.executable, "-c", WRITER, target, log, str(rows)],
                                  env=os.environ | {"PYTHONPATH": path})
        end = time.monotonic() + 60
        while not log.exists() and writer.poll() is None and time.monotonic() < end:
            time.sleep(0.01)
        time.sleep(random.uniform(0.0, 0.2))
        writer.kill()
        writer.wait()
        run, said = fd.open(left(target)), int(log.read_bytes() or 0)
        assert len(run.t) >= said > 0 and np.array_equal(run.t, np.arange(len(run.t)))
        assert np.array_equal(np.hstack([run.q, run.v]), run.t[:, None] + np.arange(12))
        left(target).unlink()


def test_a_run_that_was_cut_off_goes_on_to_the_bit(tmp_path, monkeypatch):
    monkeypatch.setattr(page, "SYNCED_EVERY", -1.0)
    chain = n_pendulum(2)
    part = fd.simulate(chain, 2.0, every=True, max_steps=30)
    spool = Spool(tmp_path/"a.h5", chain, stepper="dop853")
    spool.append(part.t, np.hstack([part.q, part.v]), checkpoint=lambda: part.checkpoint)
    run = fd.open(left(tmp_path/"a.h5"))
    assert run.checkpoint.t == part.t[-1] and run.checkpoint.arrays.keys() == part.checkpoint.arrays.keys()
    on = fd.simulate(run.chain, 2.0, every=True, start=run.checkpoint)
    assert np.array_equal(on.q[-1], fd.simulate(chain, 2.0, every=True).q[-1])


def test_a_checkpoint_is_asked_for_now_and_then(tmp_path):
    asked = []
    checkpoint = fd.simulate(n_pendulum(1), 0.1, samples=2).checkpoint
    spool = Spool(tmp_path/"a.h5", n_pendulum(1))
    for _ in range(50):
        spool.append(np.zeros(1), np.zeros((1, 2)), checkpoint=lambda: asked.append(1) or checkpoint)
    assert 1 <= len(asked) < 10


def test_the_end_is_the_run_file_alone(tmp_path):
    run = any_run()
    spool = filled(tmp_path/"a.h5")
    spool.finish(run)
    assert [path.name for path in tmp_path.iterdir()] == ["a.h5"]
    assert_same(run, fd.open(tmp_path/"a.h5"))


def test_what_was_written_stays_where_there_is_no_room_for_the_run_file(tmp_path, monkeypatch):
    def full(*args):
        raise OSError(28, "No space left on device")

    spool = filled(tmp_path/"a.h5")
    monkeypatch.setattr(os, "replace", full)
    with pytest.warns(RuntimeWarning, match=r"No space left on device; the run is not in a file.*a\.h5\.part"):
        spool.finish(any_run())
    assert [path.name for path in tmp_path.iterdir()] == ["a.h5.part"] and len(fd.open(left(tmp_path/"a.h5")).t) == 44


def fill_a_disk_of(size, path, *appends):
    """A run to path where no file may be larger than `size`; in a process of its own, which ends well all the same"""
    pytest.importorskip("resource", reason="only POSIX systems limit the size of files")
    code = "\n".join(["import resource, signal, sys", "from results.test_spool import CHAIN, blocks",
                      "from fastdyn.results.spool import Spool", "signal.signal(signal.SIGXFSZ, signal.SIG_IGN)",
                      f"resource.setrlimit(resource.RLIMIT_FSIZE, ({size}, {size}))",
                      "spool = Spool(sys.argv[1], CHAIN)", *appends,
                      "spool.close()", "print(type(spool.failure).__name__)"])
    where = os.pathsep.join([str(TESTS.parent), str(TESTS), *sys.path])
    done = subprocess.run([sys.executable, "-c", code, path], capture_output=True, text=True,
                          env=os.environ | {"PYTHONPATH": where})
    assert (done.returncode, done.stdout) == (0, "OSError\n"), done.stderr


def test_a_full_disk_stops_no_run_and_leaves_whole_blocks(tmp_path):
    """A limit on the size of files, where there is one, is met in the middle of a block"""
    fill_a_disk_of(9000, tmp_path/"a.h5",
                   "for times, states, events in blocks(CHAIN): spool.append(times, states, events=events)",
                   "spool.append(*next(blocks(CHAIN))[:2])")
    run = fd.open(left(tmp_path/"a.h5"))
    assert len(run.t) == 4 and "are not whole" in run.notes[0]


def test_a_disk_that_is_full_from_the_start_leaves_nothing_in_the_way(tmp_path):
    fill_a_disk_of(10, tmp_path/"a.h5")
    assert os.listdir(tmp_path) == []


def test_what_a_killed_run_left_is_not_written_over(tmp_path):
    filled(tmp_path/"a.h5")
    before = left(tmp_path/"a.h5").read_bytes()
    with pytest.raises(ModelError, match=r"a\.h5\.part is there already"):
        Spool(tmp_path/"a.h5", CHAIN)
    assert left(tmp_path/"a.h5").read_bytes() == before
    with pytest.raises(ModelError, match=r"cannot be read: No such file.*; a run that was cut off left .*a\.h5\.part"):
        fd.open(tmp_path/"a.h5")


def test_a_drive_is_missed_and_said_to_be(tmp_path):
    filled(tmp_path/"a.h5", CHAIN.replace(drive=lambda *given: None))
    run = fd.open(left(tmp_path/"a.h5"))
    assert run.chain == CHAIN and "had a drive" in run.notes[0]


def test_every_table_that_grows_can_be_spooled(tmp_path):
    spool = Spool(tmp_path/"a.h5", n_pendulum(1))
    rows = {name: any_bits(np.random.default_rng(2), (5,), dtype_of(columns)) for name, columns in TABLES.items()}
    del rows["ledger"]                                  # made of the states
    for half in (slice(0, 2), slice(2, 5)):
        spool.append(np.zeros(1), np.zeros((1, 2)), **{name: table[half] for name, table in rows.items()})
    run = fd.open(left(tmp_path/"a.h5"))
    rows["contacts"] = rows["contacts"][np.argsort(rows["contacts"]["start"])]      # as they began, not as they ended
    found = {name: kept(getattr(run, name), TABLES[name]).tobytes() for name in rows}
    assert found == {name: rows[name].tobytes() for name in rows}
    assert run.touching.dtype == TOUCH
