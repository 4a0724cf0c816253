"""What computed a run: all of it is told, it tells models and sources apart, and it names no user and no place."""

import getpass
import os
import re
import shutil
import socket
import subprocess
from datetime import UTC, datetime

import pytest
from results.runs import CHAIN, any_run

import fastdyn as fd
from fastdyn import _cache
from fastdyn.describe.catalog import n_pendulum
from fastdyn.results import provenance as page
from fastdyn.results.provenance import MEANINGS, command, commit, model_hash, provenance, source_hash


def test_everything_is_told():
    found = provenance(CHAIN, datetime(2026, 3, 1, 12, 30, 5, tzinfo=UTC))
    assert list(found) == list(MEANINGS) and all(isinstance(text, str) for text in found.values())
    assert all(found[name] for name in MEANINGS if name not in ("commit", "libc"))
    assert found["date"] == "2026-03-01T12:30:05Z" and found["fastdyn"] == fd.__version__
    assert found["numba"].count(".") >= 1 and len(found["features"].split()) > 3


def test_no_user_and_no_place_is_named(tmp_path, monkeypatch):
    monkeypatch.setattr("sys.argv", [str(tmp_path/"fastdyn"), "run", str(tmp_path/"arm.toml"), f"--out={tmp_path}/a b"])
    any_run().save(tmp_path/"a.h5")
    found = fd.open(tmp_path/"a.h5").provenance
    assert found["command"] == "fastdyn run arm.toml --out=a b"
    names = {getpass.getuser(), socket.gethostname(), os.path.basename(os.path.expanduser("~"))} - {"", "/"}
    for name, text in found.items():
        assert not re.search(r"(^|[\s=:])(/|~|[A-Za-z]:\\)", text), name
        assert not names & set(re.split(r"[\s/=]", text)), name
    content = (tmp_path/"a.h5").read_bytes()
    for place in (str(tmp_path), os.path.dirname(_cache.ROOT), os.path.expanduser("~") + os.sep):
        assert place.encode() not in content, place


@pytest.mark.parametrize("words, said", [
    (["/usr/local/bin/fastdyn", "run", "models/arm.toml", "--out", "falls"], "fastdyn run models/arm.toml --out falls"),
    (["a.py", "../../eve/arm.toml", "n=3", "--file=/srv/eve/x.h5", "~/y.h5"], "a.py arm.toml n=3 --file=x.h5 y.h5"),
    ([r"C:\Users\eve\a.py", r"k=D:\x\y.toml", "\\\\server\\eve\\z.h5"], "a.py k=y.toml z.h5"),
    (["-c"], "-c"), ([""], ""), (["/"], ""), (["a\nb", "/x/\u03b1 \udcff"], "a\nb \u03b1 \udcff"),
])
def test_paths_of_a_machine_are_cut(words, said):
    assert command(words) == said


def test_a_command_line_of_any_bytes_can_be_kept(tmp_path, monkeypatch):
    monkeypatch.setattr("sys.argv", ["fastdyn", "run", "arm\udcff.toml"])
    any_run().save(tmp_path/"a.h5")
    assert fd.open(tmp_path/"a.h5").provenance["command"] == r"fastdyn run arm\udcff.toml"


def test_the_hash_of_a_model_is_that_of_its_arrays():
    first = model_hash(n_pendulum(3).model)
    assert first == model_hash(n_pendulum(3).model) and len(first) == 64
    assert first != model_hash(n_pendulum(3, mass=1.0 + 2**-52).model) != model_hash(n_pendulum(4).model)


def test_the_hash_of_the_sources_sees_any_change(tmp_path, monkeypatch):
    true = source_hash()
    shutil.copytree(_cache.ROOT, tmp_path/"package", ignore=shutil.ignore_patterns("__pycache__"))
    monkeypatch.setattr(_cache, "ROOT", str(tmp_path/"package"))
    assert source_hash() == true
    (tmp_path/"package"/"results"/"run.py").open("a").write("\n")
    assert source_hash() != true


@pytest.fixture
def checkout(tmp_path):
    if shutil.which("git") is None:
        pytest.skip("there is no git here")
    for words in (["init", "-q"], ["add", "."], ["-c", "user.name=n", "-c", "user.email=e", "commit", "-qm", "first"]):
        (tmp_path/"a.py").write_text("a = 1\n")
        subprocess.run(["git", "-C", tmp_path, *words], check=True, capture_output=True)
    return tmp_path


def test_the_commit_of_a_checkout_is_told_and_whether_files_differ(checkout):
    found = commit(checkout)
    assert re.fullmatch("[0-9a-f]{40}", found)
    (checkout/"a.py").write_text("a = 2\n")
    assert commit(checkout) == found + "-dirty"
    (checkout/"inside").mkdir()
    assert commit(checkout/"inside") == "" and commit(checkout/"not there") == ""


def test_a_checkout_is_only_looked_at(checkout):
    os.utime(checkout/"a.py", (1, 1))                   # git would like to note that
    before = (checkout/".git"/"index").read_bytes()
    assert len(commit(checkout)) == 40 and (checkout/".git"/"index").read_bytes() == before
    (checkout/".git"/"index.lock").touch()              # somebody is at work
    assert len(commit(checkout)) == 40


def test_a_checkout_without_git_has_no_commit(checkout, monkeypatch):
    monkeypatch.setenv("PATH", "")
    assert commit(checkout) == ""


def test_sources_that_changed_under_way_are_told(monkeypatch):
    monkeypatch.setattr(_cache, "_AT_IMPORT", {})
    page._of_this_process.cache_clear()
    assert "changed since imported" in provenance(CHAIN, datetime.now(UTC))["sources"]
    page._of_this_process.cache_clear()
