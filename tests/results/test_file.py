"""The run file: every bit comes back, a file is whole or not there, and what is not right is refused in a sentence."""

import os
import subprocess
import sys

import h5py
import numpy as np
import pytest
from formulations.common import one_ladder  # noqa: F401
from results.runs import CHAIN, any_run, assert_same

import fastdyn as fd
from fastdyn.describe.catalog import n_pendulum
from fastdyn.layout import Model, Stepping, table_of
from fastdyn.results import file as page
from fastdyn.results.run import Run
from fastdyn.results.tables import SERIES, TABLES
from fastdyn.status import ModelError, SimulationError

pytestmark = pytest.mark.usefixtures("one_ladder")
LOW = fd.Event(function=lambda t, q, v: q[0] + 0.3, name="low")


@pytest.fixture
def saved(tmp_path):
    any_run().save(tmp_path/"a.h5")
    return tmp_path/"a.h5"


# ---------------------------------------------------------------------------------------------------- it comes back

@pytest.mark.parametrize("samples, points", [(7, 2), (7, 0), (1, 1), (3000, 5), (0, 3)])
def test_every_bit_comes_back(samples, points, tmp_path):
    run = any_run(samples, points)
    if samples == 0:
        run.status = 0                                  # a run that stopped says when
    run.save(tmp_path/"a.h5")
    assert_same(run, fd.open(tmp_path/"a.h5"))
    fd.open(tmp_path/"a.h5").save(tmp_path/"b.h5")
    assert (tmp_path/"a.h5").read_bytes() == (tmp_path/"b.h5").read_bytes()


@pytest.mark.parametrize("stepper", ["dop853", "adams", "radau5"])
def test_a_run_goes_on_from_its_file_to_the_bit(stepper, tmp_path):
    chain = n_pendulum(3)
    run = fd.simulate(chain, 0.5, samples=11, events=LOW, stepper=stepper)
    run.save(tmp_path/"a.h5")
    again = fd.open(tmp_path/"a.h5")
    assert_same(run, again)
    assert len(run.events) and again.ok and again.energy.tobytes() == run.energy.tobytes()
    on, theirs = (fd.simulate(r.chain, 1.0, samples=11, events=LOW, stepper=stepper, start=r.checkpoint)
                  for r in (run, again))
    assert on.q.tobytes() == theirs.q.tobytes() and on.v.tobytes() == theirs.v.tobytes()
    assert on.events.tobytes() == theirs.events.tobytes()


def test_an_exception_that_stopped_a_run_is_told_by_its_file(tmp_path):
    def fails(t, q, v, torque, wrench):
        if t > 0.1:
            raise ZeroDivisionError("no more sand")

    run = fd.simulate(n_pendulum(1).replace(drive=fails), 1.0, samples=11)
    run.save(tmp_path/"a.h5")
    again = fd.open(tmp_path/"a.h5")
    assert_same(run, again.__class__(**{**vars_of(again), "notes": ()}))
    assert "no more sand" in again.message and len(again.t) > 1
    with pytest.raises(SimulationError) as stopped:
        again.check()
    assert repr(stopped.value.__cause__) == repr(run.failure)


def vars_of(run):
    kept = ("chain", "t", "q", "v", "events", "event_names", "status", "failure", "where", "stats", "seconds",
            "stepper", "formulation", "checkpoint", "points", "point_velocities", "forces", "point_names", "contacts",
            "touching", "ledger", "settings", "provenance")
    return {name: getattr(run, name) for name in kept}


def test_a_drive_is_missed_and_said_to_be(tmp_path):
    any_run(chain=CHAIN.replace(drive=lambda *given: None)).save(tmp_path/"a.h5")
    again = fd.open(tmp_path/"a.h5")
    assert again.chain == CHAIN and [note for note in again.notes if "had a drive" in note] == list(again.notes)
    again.save(tmp_path/"b.h5")
    assert fd.open(tmp_path/"b.h5").notes == again.notes and len(again.notes) == 1


def test_a_model_that_would_be_compiled_otherwise_today_is_said_to_be(saved):
    with h5py.File(saved, "r+") as file:
        file["model/base"][0] += 1.0
    assert fd.open(saved).notes == (page.OTHER_ARRAYS,) and fd.open(saved).chain == CHAIN


# ---------------------------------------------------------------------------------------------------- what others see

def test_everything_has_its_unit_meaning_and_checksum(tmp_path):
    fd.simulate(n_pendulum(2), 0.5, samples=11).save(tmp_path/"a.h5")
    found = {}
    with h5py.File(tmp_path/"a.h5") as file:
        file.visititems(lambda name, item: found.update({name: item}))
        datasets = {name: item for name, item in found.items() if isinstance(item, h5py.Dataset)}
        assert datasets.keys() >= {*SERIES, *TABLES, "model/toml", *(f"model/{name}" for name, _ in table_of(Model))}
        assert set(file["checkpoint"]) < set(Stepping._fields)
        for name, item in datasets.items():
            assert item.attrs["meaning"] is not None and item.compression is None and "unit" in item.attrs, name
            assert item.fletcher32 or item.size == 0, name
        for name, array in table_of(Model):
            assert datasets[f"model/{name}"].attrs["unit"].decode() == array.unit
            assert datasets[f"model/{name}"].attrs["meaning"].decode() == array.meaning
        for name, columns in TABLES.items():
            assert datasets[name].dtype.names == tuple(columns)
            assert [unit.decode() for unit in datasets[name].attrs["unit"]] == [c.unit for c in columns.values()]
        assert [name.decode() for name in file["q"].attrs["coordinate_names"]] == ["link1", "link2"]
        assert file["model/toml"][0].decode() == n_pendulum(2).to_toml()
        assert set(file.attrs) == set(page.WORDS) and set(file["provenance"].attrs) > {"numba", "model"}
        assert set(page.GROUPS) == {name for name, item in file.items() if isinstance(item, h5py.Group)}


def test_who_writes_no_file_waits_for_no_h5py():
    code = "import fastdyn as fd, sys; print(fd.simulate(fd.catalog.n_pendulum(1), 0.1, samples=3).ok)\n" \
           "print('h5py' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True).stdout == "True\nFalse\n"


# ------------------------------------------------------------------------------------------------- whole or not at all

@pytest.mark.parametrize("step", ["fsync", "replace"])
def test_a_write_that_does_not_end_leaves_the_old_file_and_nothing_else(step, saved, monkeypatch):
    def fails(*args):
        raise OSError(28, "No space left on device")

    before = saved.read_bytes()
    monkeypatch.setattr(os, step, fails)
    with pytest.raises(OSError, match="No space"):
        any_run(seed=1).save(saved)
    assert saved.read_bytes() == before and [path.name for path in saved.parent.iterdir()] == ["a.h5"]


def test_a_disk_that_is_full_ends_no_interpreter(saved):
    resource = pytest.importorskip("resource", reason="only POSIX systems limit the size of files")
    assert resource
    code = """
import resource, signal, sys
from results.runs import any_run
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
resource.setrlimit(resource.RLIMIT_FSIZE, (4096, 4096))
try:
    any_run(seed=1).save(sys.argv[1])
except OSError as error:
    print("said", error.errno)
"""
    before = saved.read_bytes()
    path = os.pathsep.join(map(str, [os.path.dirname(os.path.dirname(__file__)), *sys.path]))
    done = subprocess.run([sys.executable, "-c", code, str(saved)], capture_output=True, text=True,
                          env=os.environ | {"PYTHONPATH": path})
    assert (done.returncode, done.stdout[:4]) == (0, "said"), done.stderr
    assert saved.read_bytes() == before and [path.name for path in saved.parent.iterdir()] == ["a.h5"]


# ---------------------------------------------------------------------------------------------------- what is refused

def refusal(path):
    with pytest.raises(ModelError) as refused:
        fd.open(path)
    said = str(refused.value)
    assert said.startswith(f"{path}: ") and "\n" not in said
    return said


def test_a_file_cut_short_anywhere_is_refused(saved):
    content = saved.read_bytes()
    for size in [0, 1, 7, 8, 9, 100, *np.linspace(200, len(content) - 1, 40).astype(int)]:
        saved.write_bytes(content[:size])
        said = refusal(saved)
        assert ("is empty" if size == 0 else "not a run file" if size < 8 else "cut short") in said, size


def test_a_flipped_bit_is_seen_or_changes_nothing(saved):
    run, content, rng = fd.open(saved), bytearray(saved.read_bytes()), np.random.default_rng(0)
    seen = 0
    for at, bit in zip(rng.integers(8, len(content), 300), rng.integers(8, size=300)):
        content[at] ^= 1 << bit
        saved.write_bytes(content)
        content[at] ^= 1 << bit
        try:
            assert_same(run, fd.open(saved))
        except ModelError as refused:
            assert "\n" not in str(refused)
            seen += 1
    assert seen > 200


def another_hdf5(path):
    with h5py.File(path, "w") as file:
        file["t"] = np.zeros(3)


def numbers_of_numpy(path):
    with open(path, "wb") as file:
        np.save(file, np.zeros(9))


def a_folder(path):
    path.mkdir()


FOREIGN = {
    "another HDF5 file": (another_hdf5, "is an HDF5 file, but not a run of fastdyn"),
    "text": (lambda path: path.write_text("t, q, v\n"), "is not a run file"),
    "numbers of numpy": (numbers_of_numpy, "is not a run file"),
    "a model": (lambda path: CHAIN.save(path), "is not a run file"),
    "a folder": (a_folder, "cannot be read: Is a directory"),
    "nothing": (lambda path: None, "cannot be read: No such file"),
}


@pytest.mark.parametrize("case", FOREIGN)
def test_a_foreign_file_is_refused(case, tmp_path):
    make, said = FOREIGN[case]
    make(tmp_path/"a.h5")
    assert said in refusal(tmp_path/"a.h5")


def replaced(file, name, **how):
    attributes = dict(file[name].attrs)
    del file[name]
    file.create_dataset(name, **how).attrs.update(attributes)


def never_written(file):
    shape = file["q"].shape
    replaced(file, "q", shape=shape, dtype="f8", chunks=(1, shape[1]))


def elsewhere(file):
    shape = file["q"].shape
    replaced(file, "q", shape=shape, dtype="f8", external=[("/dev/zero", 0, h5py.h5f.UNLIMITED)])


def virtual(file):
    shape = file["q"].shape
    layout = h5py.VirtualLayout(shape, "f8")
    layout[:] = h5py.VirtualSource("other.h5", "q", shape)
    del file["q"]
    file.create_virtual_dataset("q", layout)


def linked(file):
    del file["q"]
    file["q"] = h5py.ExternalLink("other.h5", "/q")


def broken(file):
    replaced(file, "model/toml", data=np.array([b"link = 3"]))


SPOILED = {
    "a newer format": (lambda file: file.attrs.modify("format", page.FORMAT + 1), "a newer one is needed"),
    "a strange status": (lambda file: file.attrs.modify("status", 77), "status 77"),
    "no states": (lambda file: file.__delitem__("q"), "/q is missing"),
    "no stepper's name": (lambda file: file.attrs.__delitem__("stepper"), "is damaged"),
    "too few states": (lambda file: replaced(file, "q", data=np.zeros((3, 2))), "/q has shape (3, 2) instead of"),
    "states of half the digits": (lambda file: replaced(file, "q", data=np.zeros((7, 12), "f4")), "another type"),
    "other events": (lambda file: replaced(file, "events", data=np.zeros(2, [("t", "f8")])), "other columns"),
    "states that were never written": (never_written, "a part of /q was never written"),
    "states from another place": (elsewhere, "/q stands in another file"),
    "states seen through a window": (virtual, "/q stands in another file"),
    "states in another file": (linked, "/q is missing"),
    "another model": (broken, "the model in it cannot be read: /model/toml: $.link"),
}


@pytest.mark.parametrize("case", SPOILED)
def test_a_spoiled_file_is_refused(case, saved):
    spoil, said = SPOILED[case]
    with h5py.File(saved, "r+") as file:
        spoil(file)
    assert said in refusal(saved)


@pytest.mark.parametrize("path", [None, 3.5, "a\0b"])
def test_what_is_no_path_is_refused(path):
    with pytest.raises(ModelError, match="cannot be read"):
        fd.open(path)


def test_a_run_by_hand_needs_no_more_than_its_states(tmp_path):
    run = Run(n_pendulum(1), np.zeros(2), np.zeros((2, 1)), np.zeros((2, 1)))
    run.save(tmp_path/"a.h5")
    assert_same(run, fd.open(tmp_path/"a.h5"))
