"""The command: what it prints, what it writes, and how it refuses: one sentence, a code, no traceback, no file."""

import os
import re
import signal
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import fastdyn as fd
from fastdyn import cli, doctor
from fastdyn.describe.catalog import CATALOG, n_pendulum, parameters
from fastdyn.kinds import others
from fastdyn.run.course import SETTINGS
from fastdyn.run.simulate import simulate
from fastdyn.show.chains import more_of_a_run
from fastdyn.show.progress import progress


@pytest.fixture
def here(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    return tmp_path


def files(folder):
    return sorted(str(path.relative_to(folder)) for path in folder.rglob("*") if path.is_file())


def test_list_names_every_chain_with_what_can_be_set(capsys):
    assert cli.main(["list"]) == 0
    said = capsys.readouterr().out
    names = [*CATALOG, *(name for kind in others() for name in kind.catalog)]
    assert all(f"{name}: " in said for name in names) and "torsion-chain" in names
    assert "n=10 length=1 mass=1 angle=1.5708 radius=0" in said


def test_show_prints_a_named_chain_and_a_file(capsys, here):
    assert cli.main(["show", "n-pendulum", "--set", "n=3"]) == 0
    named = capsys.readouterr().out
    n_pendulum(3).save("three.toml")
    assert cli.main(["show", "three.toml"]) == 0
    assert capsys.readouterr().out == named and "3 links, 3 degrees of freedom, 1 kg" in named


def test_run_writes_a_table_a_picture_and_the_model(capsys, here):
    assert cli.main(["run", "n-pendulum", "--set", "n=2", "t_end=0.5", "--set", "samples=6"]) == 0
    said = capsys.readouterr().out
    assert files(here) == [f"out{os.sep}n-pendulum.{ending}" for ending in ("csv", "h5", "svg", "toml")]
    assert all(str(Path("out")/name) in said for name in ("n-pendulum.csv", "n-pendulum.svg", "n-pendulum.toml"))
    assert "energy drift" in said and "evaluations" in said
    table = np.genfromtxt("out/n-pendulum.csv", delimiter=",", names=True)
    assert table["t"].tolist() == np.linspace(0.0, 0.5, 6).tolist() and np.ptp(table["energy"]) < 1e-9
    assert fd.load("out/n-pendulum.toml") == n_pendulum(2)


def test_a_falling_chain_is_run_drawn_and_played(capsys, here):
    """By itself only the chain has to be named; here it is let go just above the ground"""
    words = ["run", "falling-chain", "--pictures", "--set", "modes=cc-cc-cc", "height=0.001", "t_end=0.03"]
    assert cli.main(words) == 0
    said, written = capsys.readouterr().out, files(here)
    assert {Path(name).suffix for name in written} == {".csv", ".h5", ".html", ".svg", ".toml"}
    assert all(str(Path("out", "falling-chain", f"{name}.svg")) in written for name in ("forces", "modes", "snapshots"))
    assert sorted(line.partition(": ")[0] for line in said.splitlines() if line.startswith("out")) == written
    assert {"link1", "link3.tip"} <= set(said.split()) and "energy error" in said
    run = fd.open("out/falling-chain.h5")
    assert len(run.contacts) > 1 and len(run.t) == 1501 and run.settings["rtol"] == 1e-10
    assert run.chain == fd.catalog.falling_chain("cc-cc-cc", height=0.001)


def test_a_name_that_ends_in_h5_is_the_run_file_and_all_there_is(capsys, here):
    words = ["run", "n-pendulum", "--set", "n=1", "t_end=0.1", "samples=3", "h_max=1e-3", "every=yes", "--out"]
    assert cli.main([*words, "some/where/mine.h5"]) == 0
    assert files(here) == [os.path.join("some", "where", "mine.h5")] and "mine.h5: the run" in capsys.readouterr().out
    run = fd.open("some/where/mine.h5")
    assert run.settings["h_max"] == 1e-3 and np.max(np.diff(run.t)) <= 1e-3 + 1e-12 and len(run.t) > 100
    assert cli.main([*words, "mine.h5", "--pictures"]) == 0
    written = files(here)
    assert "mine.h5" in written and "mine.html" in written and os.path.join("mine", "positions.svg") in written
    assert not any(name.endswith((".csv", ".toml")) for name in written)
    os.mkdir("folder.h5")
    assert cli.main([*words, "folder.h5"]) == 2
    assert "folder.h5: is a folder; give the name of a run file" in capsys.readouterr().err


def test_every_setting_of_a_run_can_be_told():
    named = set(parameters(more_of_a_run)) | set(parameters(simulate))
    assert set(SETTINGS) <= named and {"preset", "every", "max_seconds", "t_end", "samples"} <= named


def test_progress_tells_times_and_events(capsys, monkeypatch):
    monkeypatch.setenv("FORCE_COLOR", "1")
    monkeypatch.setenv("COLUMNS", "150")
    with progress() as at:
        at(0.75, 1.5, 14)
    drawn = re.sub(r"\x1b\[[0-9;?]*[A-Za-z]", "", capsys.readouterr().err)
    assert "integrating" in drawn and "0.75 of 1.5 s, 14 events" in drawn and "left" in drawn


def test_show_prints_what_is_in_a_run_file(capsys, here):
    assert cli.main(["run", "n-pendulum", "--set", "n=2", "t_end=0.5", "samples=6"]) == 0
    capsys.readouterr()
    assert cli.main(["show", "out/n-pendulum.h5"]) == 0
    said = capsys.readouterr().out
    assert "n-pendulum: 2 links" in said and "6 samples, 0 to 0.5 s" in said and "[Featherstone 2008] R. " in said
    assert "Dormand & Prince" in said and "energy error" in said and fd.open("out/n-pendulum.h5").t[-1] == 0.5


def test_the_model_that_was_written_gives_the_same_table(here):
    settings = ["--set", "t_end=0.3", "samples=4"]
    assert cli.main(["run", "n-pendulum", "--out", "first", *settings, "n=2"]) == 0
    assert cli.main(["run", "first/n-pendulum.toml", "--out", "second", *settings]) == 0
    assert Path("first/n-pendulum.csv").read_bytes() == Path("second/n-pendulum.csv").read_bytes()


def test_a_model_file_stays_as_its_author_wrote_it(capsys, here):
    text = "# my arm\n" + n_pendulum(1).to_toml()
    Path("arm.toml").write_text(text)
    assert cli.main(["run", "arm.toml", "--set", "t_end=0.1", "samples=2", "--out", "."]) == 0
    assert files(here) == ["arm.csv", "arm.h5", "arm.svg", "arm.toml"] and Path("arm.toml").read_text() == text
    assert "arm.toml" not in capsys.readouterr().out


REFUSED = {
    "no such name": (["run", "n-pendlum"], '"n-pendlum" is neither in the catalog nor a model file'),
    "no such file": (["show", "gone.toml"], "gone.toml: cannot be read: No such file"),
    "no such setting": (["run", "n-pendulum", "--set", "links=3"], '"links" cannot be set here'),
    "no setting": (["run", "n-pendulum", "--set", "fast"], '"fast" is not a setting'),
    "a word for a number": (["run", "n-pendulum", "--set", "n=many"], 'n is "many"; give a whole number'),
    "a model that cannot be": (["run", "n-pendulum", "--set", "mass=-1"], "mass is -1 kg; give a mass > 0"),
    "a time that cannot be": (["run", "n-pendulum", "--set", "t_end=nan"], "t_end is nan; give a finite number"),
    "a file that is no model": (["show", "bad.toml"], "bad.toml: $.links: unknown field"),
    "a chain that cannot move": (["run", "still.toml"], "nothing can move"),
    "a joint without inertia": (["run", "weightless.toml"], 'link "tip", t = 0 s: the inertia that joint'),
    "no such run": (["show", "gone.h5"], "gone.h5: cannot be read: No such file"),
    "a file that is no run": (["show", "bad.h5"], "bad.h5: is not a run file"),
    "no kernels of its own": (["warmup", "beam-arm"], "beam-arm is no chain; its kernels are made by its first run"),
    "a run to change": (["show", "bad.h5", "--set", "n=3"], "bad.h5 is a run that is done; nothing of it can be set"),
    "no folder": (["run", "n-pendulum", "--out", "bad.toml/out"], "bad.toml"),
}


@pytest.mark.parametrize("case", REFUSED)
def test_what_cannot_be_done_is_said_in_one_sentence(case, capsys, here):
    words, said = REFUSED[case]
    Path("bad.toml").write_text("links = 3\n")
    Path("bad.h5").write_text("links = 3\n")
    fd.Chain([fd.Link(length=1.0, mass=1.0, joint=fd.Fixed())]).save("still.toml")
    fd.Chain([fd.Link(name="tip", length=1.0)]).save("weightless.toml")
    before = files(here)
    assert cli.main(words) == 2
    printed = capsys.readouterr()
    assert printed.out == "" and printed.err.count("\n") == 1 and printed.err.startswith("fastdyn: ")
    assert said in printed.err and files(here) == before


def test_a_full_disk_is_said_and_leaves_nothing_half(capsys, here, monkeypatch):
    def full(*args):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    assert cli.main(["run", "n-pendulum", "--set", "n=1", "t_end=0.1", "samples=2"]) == 2
    said = capsys.readouterr().err
    assert said.endswith("n-pendulum.h5: No space left on device\n") and said.count("\n") == 2
    assert "what there was room for is in n-pendulum.h5.part" in said and files(here) == ["out/n-pendulum.h5.part"]


def test_a_run_that_is_stopped_writes_nothing(capsys, here, monkeypatch):
    def stopped(*args, **words):
        raise KeyboardInterrupt

    monkeypatch.setattr("fastdyn.run.course.Course.to", stopped)
    assert cli.main(["run", "n-pendulum"]) == 130
    assert capsys.readouterr().err == "fastdyn: stopped, nothing was written\n" and files(here) == []


@pytest.mark.parametrize("where, said, left", [
    ("fastdyn.results.run.Run.save", "n-pendulum.h5 is not written; its rows are in {}/out/n-pendulum.h5.part",
     ["out/n-pendulum.h5.part"]),
    ("fastdyn.results.table.write_table", "what is named above is written, nothing else", ["out/n-pendulum.h5"])])
def test_a_stop_while_files_are_written_says_what_there_is(where, said, left, capsys, here, monkeypatch):
    def stopped(*args, **words):
        raise KeyboardInterrupt

    monkeypatch.setattr(where, stopped)
    assert cli.main(["run", "n-pendulum", "--set", "n=1", "t_end=0.1", "samples=2"]) == 130
    last = capsys.readouterr().err.splitlines()[-1]
    assert last.startswith("fastdyn: stopped, ") and last.endswith(said.format(os.getcwd())) and files(here) == left
    assert len(fd.open(left[0]).t) == 2


@pytest.mark.skipif(not hasattr(signal, "SIGHUP"), reason="POSIX systems tell of closed terminals")
@pytest.mark.parametrize("number", ["SIGTERM", "SIGHUP"])
@pytest.mark.parametrize("ctrl_c", [signal.SIG_IGN, signal.default_int_handler], ids=["background", "terminal"])
def test_a_limit_of_time_ends_the_command_before_the_run_begins(here, capsys, monkeypatch, number, ctrl_c):
    monkeypatch.setattr("fastdyn.run.simulate.begun", lambda *given: signal.raise_signal(getattr(signal, number)))
    before = signal.signal(signal.SIGINT, ctrl_c)
    try:
        assert cli.main(["run", "n-pendulum"]) == 130
        assert signal.getsignal(getattr(signal, number)) == signal.SIG_DFL
    finally:
        signal.signal(signal.SIGINT, before)
    assert capsys.readouterr().err == "fastdyn: stopped, nothing was written\n" and files(here) == []


@pytest.mark.parametrize("command, function", [("warmup", "warmup"), ("doctor", "main")])
@pytest.mark.parametrize("code", [0, 1])
def test_the_doctors_answer_is_the_exit_code(command, function, code, monkeypatch):
    monkeypatch.setattr(doctor, function, lambda *chains: code)
    assert cli.main([command]) == code


@pytest.mark.parametrize("words", [[], ["fly"], ["run"], ["show", "a", "b"], ["list", "--fast"]])
def test_words_that_are_no_command_are_refused_with_the_usage(words, capsys):
    with pytest.raises(SystemExit) as refused:
        cli.main(words)
    assert refused.value.code == 2 and "usage: fastdyn" in capsys.readouterr().err


def test_the_version_is_printed(capsys):
    with pytest.raises(SystemExit) as done:
        cli.main(["--version"])
    assert done.value.code == 0 and capsys.readouterr().out == fd.__version__ + "\n"


def start(code, **words):
    return subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=120, **words)


def test_the_command_is_a_module_too():
    done = subprocess.run([sys.executable, "-m", "fastdyn", "--version"], capture_output=True, text=True, timeout=120)
    assert (done.returncode, done.stdout, done.stderr) == (0, fd.__version__ + "\n", "")
    done = subprocess.run([sys.executable, "-m", "fastdyn", "show", "nobody"], capture_output=True, text=True)
    assert done.returncode == 2 and done.stderr.startswith("fastdyn: ")


def test_what_needs_no_kernels_starts_without_the_compiler():
    code = "import sys; from fastdyn import cli; cli.main(['list']); cli.main(['show', 'n-pendulum'])\n" \
           "print({'numba', 'scipy'} & set(sys.modules))"
    assert start(code).stdout.endswith("set()\n")


@pytest.mark.parametrize("words", [["list"], ["show", "n-pendulum"]])
def test_a_reader_that_has_enough_is_no_trouble(words):
    if os.name != "posix":
        pytest.skip("pipes break in another way here")
    code = f"import sys, os; from fastdyn import cli; os.close(reading); sys.exit(cli.main({words}))"
    code = "import os\nreading, writing = os.pipe()\nos.dup2(writing, 1)\n" + code
    done = start(code)
    assert (done.returncode, done.stderr) == (0, "")
