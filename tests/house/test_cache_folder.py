"""The folder itself: whole entries or none, no exception from any disk, old folders swept."""

import errno
import os
import time
from unittest import mock

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fastdyn import _cache


@pytest.fixture
def folder(tmp_path, unedited):
    return _cache.Folder(str(tmp_path/"root"), lambda: "0"*32)


@pytest.fixture(scope="module")
def unedited():
    """Whoever edits the package while its tests run shall not disturb those that are about something else."""
    with mock.patch.object(_cache, "_sources", lambda: _cache._AT_IMPORT):
        yield


@given(st.binary(max_size=64), st.data())
def test_a_cut_or_a_flipped_bit_is_seen_wherever_it_is(tmp_path_factory, unedited, payload, data):
    folder = _cache.Folder(str(tmp_path_factory.mktemp("root")), lambda: "0"*32)
    assert folder.write("a.kernel", b"key", payload) and folder.read("a.kernel", b"key") == payload
    path = os.path.join(folder.path, "a.kernel")
    with open(path, "rb") as file:
        whole = file.read()
    at = data.draw(st.integers(0, len(whole) - 1))
    for broken in (whole[:at], whole[:at] + bytes([whole[at] ^ 1 << at % 8]) + whole[at + 1:], whole + b"x"):
        with open(path, "wb") as file:
            file.write(broken)
        assert folder.read("a.kernel", b"key") is None


@pytest.mark.parametrize("call", ["open", "replace"])
@pytest.mark.parametrize("code", [errno.ENOSPC, errno.EROFS, errno.EACCES, errno.EDQUOT])
def test_any_failing_call_of_a_write_is_survived(folder, monkeypatch, call, code):
    folder.write("old.kernel", b"key", b"payload")
    with monkeypatch.context() as patch, pytest.warns(RuntimeWarning, match="cannot be written"):
        patch.setattr(_cache.os, call, failing(getattr(os, call), code))
        assert not folder.write("new.kernel", b"key", b"payload")
    assert os.listdir(folder.path) == ["old.kernel"]
    assert folder.read("old.kernel", b"key") == b"payload"


def failing(call, code):
    def fails(path, *args):
        if call is os.open and not args[0] & os.O_CREAT:
            return call(path, *args)
        raise OSError(code, os.strerror(code))
    return fails


def test_a_file_named_like_the_folder_is_refused(tmp_path, unedited):
    (tmp_path/("0"*32)).touch()
    folder = _cache.Folder(str(tmp_path), lambda: "0"*32)
    with pytest.warns(RuntimeWarning, match="must be a folder"):
        assert not folder.usable()


def test_no_home_means_no_cache(monkeypatch):
    for name in ("FASTDYN_CACHE_DIR", "XDG_CACHE_HOME", "LOCALAPPDATA"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setattr(_cache.os.path, "expanduser", lambda path: path)
    with pytest.warns(RuntimeWarning, match="no home"):
        folder = _cache.Folder(_cache._root(), lambda: "0"*32)
    assert folder.refused and not folder.write("a", b"", b"") and folder.read("a", b"") is None


def test_folders_unused_for_a_month_go_and_nothing_else_does(tmp_path, monkeypatch):
    ages = {"a"*32: 31, "b"*32: 29, "photos": 400}
    for name, days in ages.items():
        (tmp_path/name).mkdir()
        (tmp_path/name/"x.kernel").touch()
        os.utime(tmp_path/name, (time.time() - days*86400,)*2)
    (tmp_path/("c"*32)).mkdir()
    (tmp_path/("c"*32)/"letter.txt").touch()
    os.utime(tmp_path/("c"*32), (0, 0))
    folder = _cache.Folder(str(tmp_path), lambda: "d"*32)
    assert sorted(os.listdir(tmp_path)) == ["b"*32, "c"*32, "d"*32, "photos"]
    assert os.listdir(tmp_path/("c"*32)) == ["letter.txt"] and folder.refused is None


def test_the_state_counts_entries_and_tries_to_write(folder, monkeypatch):
    folder.write("a.kernel", b"key", b"payload")
    size = os.path.getsize(os.path.join(folder.path, "a.kernel"))
    expected = {"folder": folder.path, "entries": 1, "bytes": size, "writable": True, "refused": None}
    assert folder.state() == expected and os.listdir(folder.path) == ["a.kernel"]
    monkeypatch.setattr(_cache, "_ours", lambda status: False)
    with pytest.warns(RuntimeWarning, match="nobody else"):
        assert not folder.state()["writable"] and "nobody else" in folder.refused
