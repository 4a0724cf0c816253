"""What a run of a spatial arm leaves: files that read back to the bit, tables, papers; and how the command does it."""

import h5py
import numpy as np
import pytest

import fastdyn as fd
from arms.words import landing
from fastdyn import cli
from fastdyn.arms import CATALOG, FlexibleLink, Joint, Link, SpatialArm, canadarm2, flexible_arm
from fastdyn.arms.files import arm_of, text_of
from fastdyn.results.table import write_table

WORDS = ("seconds", "stepper", "formulation", "settings", "counts", "why", "status", "notes", "provenance")
ARRAYS = ("t", "q", "v", "works", "touch", "accelerations", "points", "energy")


@pytest.fixture(scope="module")
def run():
    return landing()


@pytest.fixture
def here(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    return tmp_path


def files(folder):
    return sorted(path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file())


def contact_words(contact):
    return contact.plane, contact.start, contact.speed, contact.peaks, contact.reversals, contact.depth


def test_a_run_keeps_every_step_that_touches_and_the_samples_asked_for(run):
    (contact,) = run.contacts
    touching = run.touch[:, 0] > 0.0
    assert np.isin(contact.lines[:, 0], run.t).all() and np.isin(np.linspace(run.t[0], run.t[-1], 11), run.t).all()
    assert run.t[touching][0] == contact.start and 0 < np.count_nonzero(~touching) < len(run.t)/2
    assert len(contact.reversals[0]) == 2 and len(contact.peaks) == 1 and np.isnan(contact.end)


def test_every_bit_of_a_run_comes_back(run, tmp_path):
    run.save(tmp_path/"a.h5")
    again = fd.open(tmp_path/"a.h5")
    assert type(again) is type(run) and again.arm == run.arm and again.system.name == run.arm.name
    assert all(getattr(again, word) == getattr(run, word) for word in WORDS)
    assert all(getattr(again, name).tobytes() == getattr(run, name).tobytes() for name in ARRAYS)
    for one, other in zip(again.contacts, run.contacts, strict=True):
        assert contact_words(one) == contact_words(other) and one.lines.tobytes() == other.lines.tobytes()
    again.save(tmp_path/"b.h5")
    assert (tmp_path/"a.h5").read_bytes() == (tmp_path/"b.h5").read_bytes()


def test_everything_in_a_file_has_its_unit_and_meaning(run, tmp_path):
    run.save(tmp_path/"a.h5")
    with h5py.File(tmp_path/"a.h5") as file:
        found = [item for item in file.values() if isinstance(item, h5py.Dataset)]
        assert len(found) >= 13 and all(item.attrs["meaning"] and "unit" in item.attrs for item in found)
        assert file.attrs["fastdyn"] == b"arms run"
        names = [name.decode() for name in file.attrs["coordinate_names"]]
    assert names == run.arm.names


@pytest.mark.parametrize("spoil, said", [
    (lambda file: file.__delitem__("q"), "/q is missing"),
    (lambda file: file.__delitem__("model"), "/model is missing"),
    (lambda file: file.attrs.__setitem__("format", 99), "format 99"),
])
def test_a_spoiled_file_is_refused_in_a_sentence(run, spoil, said, tmp_path):
    run.save(tmp_path/"a.h5")
    with h5py.File(tmp_path/"a.h5", "r+") as file:
        spoil(file)
    with pytest.raises(fd.ModelError, match=said):
        fd.open(tmp_path/"a.h5")


def test_a_table_reads_back(run, tmp_path):
    write_table(tmp_path/"run.csv", run)
    head, *lines = (tmp_path/"run.csv").read_text().splitlines()
    table = np.array([[float(x) for x in line.split(",")] for line in lines])
    places = run.points[:, 0, :3]
    expect = np.column_stack([run.t, run.q, run.v, places, run.energy, run.energy.sum(axis=1)])
    assert np.array_equal(table, expect) and head.split(",")[1] == "q.th1_1" and "x.plane0" in head.split(",")


def test_the_papers_of_a_run_are_told(run):
    told = run.cite()
    for key in ("Book 1984", "Featherstone 2008", "Lankarani & Nikravesh 1990", "Nguyen & Hughes 1994"):
        assert f"[{key}]" in told


# ----------------------------------------------------------------------------------------------------------- the model

SHORT = FlexibleLink(1.0, 2.0, EIz=3.0, EIy=2.0, rho_Iy=0.1, rho_Iz=0.1, modes=(0, 1, 1, 0), shear=(30.0, 20.0))
ARMS = [make() for make in CATALOG.values()] + [
    canadarm2("R5", "III", EI1=1/3, rotation="exp", torque=0.1 + 0.2), flexible_arm(3, (0, 2, 0, 0), 0.0),
    SpatialArm((Link(Joint(stiffness=3.0, rotor=0.1, torque=fd.Sine(1.0, 2.0), torque_limit=0.5), SHORT),),
               name="motor")]


@pytest.mark.parametrize("arm", ARMS, ids=lambda arm: arm.name)
def test_words_come_back(arm, tmp_path):
    arm.save(tmp_path/"arm.toml")
    again = fd.load(tmp_path/"arm.toml")
    assert again == arm and again.to_toml() == arm.to_toml() and again.provenance == arm.provenance


@pytest.mark.parametrize("old, new, said", [
    ("length = 2.0", "lenght = 2.0", r"link\[0\].beam.lenght: unknown field; did you mean \"length\"\?"),
    ("length = 2.0, ", "", r"link\[0\].beam.length is missing"), ("[[link]]", "[link]", "row of tables"),
    ('kind = "spatial-arm"', 'kind = "teapot"', "kind is 'teapot'; leave it out for a chain, or take .*spatial-arm"),
    ("length = 2.0", 'length = "long"', "wrong kind|length"),
    ("EA = 200000.0", "EA = -1.0", r"link\[0\].beam.EA is -1"),
    ("gravity", "gravty", "gravty: unknown field"),
])
def test_a_wrong_model_file_is_refused_in_a_sentence(old, new, said, tmp_path):
    text = text_of(flexible_arm(1))
    assert old in text
    (tmp_path/"arm.toml").write_text(text.replace(old, new, 1))
    with pytest.raises(fd.ModelError, match=said) as refused:
        fd.load(tmp_path/"arm.toml")
    assert "arm.toml" in str(refused.value) and "\n" not in str(refused.value)


def test_text_in_a_run_file_is_that_of_a_model_file(run):
    assert arm_of(run.arm.to_toml()) == run.arm


# --------------------------------------------------------------------------------------------------------- the command

def test_the_command_runs_an_arm_and_leaves_what_chains_leave(here, capsys):
    words = ["run", "canadarm2", "--set", "friction=III", "t_end=0.002", "samples=5", "restitution=0.9"]
    assert cli.main(words) == 0
    assert files(here) == [f"out/canadarm2.{ending}" for ending in ("csv", "h5", "svg", "toml")]
    said = capsys.readouterr().out
    assert "evaluations" in said and "missing" in said
    run = fd.open("out/canadarm2.h5")
    assert run.arm == canadarm2("R2", "III", restitution=0.9) and len(run.t) == 5 and run.settings["t_end"] == 0.002
    assert cli.main(["show", "out/canadarm2.h5"]) == 0
    said = capsys.readouterr().out
    assert "24 degrees of freedom" in said and "[Book 1984]" in said and "balance" in said
    assert cli.main(["run", "out/canadarm2.toml", "--set", "t_end=0.002", "samples=5", "--out", "b.h5"]) == 0
    assert fd.open("b.h5").q.tobytes() == run.q.tobytes()
    capsys.readouterr()
    assert cli.main(["show", "out/canadarm2.toml"]) == 0 and "set by you" in capsys.readouterr().out


@pytest.mark.parametrize("words, said", [
    (["run", "canadarm2", "--set", "EI=3"], '"EI" cannot be set here; did you mean'),
    (["run", "canadarm2", "--set", "stepper=euler"], 'euler'),
    (["run", "canadarm2", "--set", "t_end=-1"], "t_end is -1"),
    (["run", "canadarm3"], 'did you mean "canadarm2"?'),
    (["run", "canadarm2", "--set", "y_p=9"], "inside it at the start"),
])
def test_what_cannot_be_done_is_said_in_one_sentence(words, said, here, capsys):
    assert cli.main(words) == 2
    printed = capsys.readouterr()
    assert said in printed.err and printed.err.count("\n") == 1 and files(here) == []


def test_the_closing_table_tells_contacts_peaks_and_energies(run, capsys):
    from fastdyn.kinds import kind_of

    kind_of(run).summary(run)
    said = capsys.readouterr().out
    (contact,) = run.contacts
    assert f"{contact.start:.10f}" in said and f"{contact.peaks[0][1]:.3f}" in said and "open" in said
    assert all(f"{t:.6f}" in said for t in contact.reversals[0]) and "work of friction" in said


def test_progress_is_told_and_the_clock_stops_a_run():
    told = []
    arm = flexible_arm(1)
    arm.simulate(0.05, progress=lambda *words: told.append(words), every=True)
    times = [t for t, _, _ in told]
    assert told and all(t_end == 0.05 for _, t_end, _ in told) and times == sorted(times)
    stopped = arm.simulate(1e4, max_seconds=0.05)
    assert not stopped.ok and "max_seconds" in stopped.message and 0.0 < stopped.t[-1] < 1e4
    with pytest.raises(fd.SimulationError, match=r"flexible-arm, t = .*max_seconds"):
        stopped.check()
