"""The folder itself: whole entries or none, no exception from any disk, old folders swept."""

import errno
import os
import time
from concurrent.futures import ThreadPoolExecutor
from unittest import mock

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fastdyn import _cache, _sweep


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


def of_ages(root, hours):
    """Folders named by one letter, last used that many hours ago"""
    for name, ago in hours.items():
        (root/(name*32)).mkdir()
        (root/(name*32)/"x.kernel").touch()
        os.utime(root/(name*32), (time.time() - 3600*ago,)*2)


def left(root):
    return "".join(sorted(name[0] for name in os.listdir(root)))


def test_the_few_used_last_are_kept_when_a_new_one_is_made(tmp_path, unedited):
    of_ages(tmp_path, {"a": 5, "b": 1, "c": 4, "d": 2, "e": 3, "f": 6})
    kept = _cache.Folder(str(tmp_path), lambda: "c"*32)
    assert left(tmp_path) == "abcdef" and kept.usable()
    assert _cache.Folder(str(tmp_path), lambda: "9"*32).usable() and left(tmp_path) == "9bcd"


@pytest.mark.skipif(_sweep.fcntl is None, reason="no locks here: folders stay for a month")
def test_a_folder_in_use_stays(tmp_path, unedited):
    used = _cache.Folder(str(tmp_path), lambda: "a"*32)
    used.write("a.kernel", b"key", b"payload")
    os.utime(used.path, (0, 0))
    of_ages(tmp_path, dict.fromkeys("bcde", 1))
    _cache.Folder(str(tmp_path), lambda: "8"*32)
    assert left(tmp_path)[:2] == "8a" and len(left(tmp_path)) == 5
    assert used.read("a.kernel", b"key") == b"payload" and used.write("b.kernel", b"key", b"payload")
    os.utime(used.path, (0, 0))
    del used
    _cache.Folder(str(tmp_path), lambda: "9"*32)
    assert "a" not in left(tmp_path) and len(left(tmp_path)) == _sweep.KEPT


@pytest.mark.skipif(_sweep.fcntl is None, reason="no locks here: folders stay for a month")
def test_a_lock_on_a_folder_that_was_made_anew_removes_nothing(tmp_path, unedited, monkeypatch):
    """One sweep has opened the folder; before it has the lock another removes it and somebody makes it again."""
    of_ages(tmp_path, {"a": 1})
    lock, anew = _sweep.fcntl.flock, []

    def late(descriptor, how):
        if how & _sweep.fcntl.LOCK_EX and not anew:
            (tmp_path/("a"*32)/"x.kernel").unlink()
            (tmp_path/("a"*32)).rmdir()
            anew.append(_cache.Folder(str(tmp_path), lambda: "a"*32))
            assert anew[0].write("a.kernel", b"key", b"payload")
        lock(descriptor, how)

    monkeypatch.setattr(_sweep.fcntl, "flock", late)
    _sweep._remove(str(tmp_path/("a"*32)), without_lock=True)
    assert anew[0].read("a.kernel", b"key") == b"payload"


@pytest.mark.parametrize("locks", ["none", "refused"])
def test_without_locks_a_month_counts(tmp_path, unedited, monkeypatch, locks):
    def refused(lock, how): raise OSError(errno.ENOLCK, os.strerror(errno.ENOLCK))

    if locks == "none":
        monkeypatch.setattr(_sweep, "fcntl", None)
    elif _sweep.fcntl:
        monkeypatch.setattr(_sweep.fcntl, "flock", refused)
    of_ages(tmp_path, dict.fromkeys("abcdef", 1) | {"0": 31*24})
    assert _cache.Folder(str(tmp_path), lambda: "9"*32).usable() and left(tmp_path) == "9abcdef"


def test_many_at_once_make_and_sweep(tmp_path, unedited):
    """Whoever has a folder can use it, whatever others make and remove meanwhile."""
    def use(k):
        folder = _cache.Folder(str(tmp_path), lambda: f"{k % 11:x}"*32)
        assert folder.write("a.kernel", b"key", b"payload") and folder.read("a.kernel", b"key") == b"payload"

    with ThreadPoolExecutor(8) as pool:
        list(pool.map(use, range(400)))
    _cache.Folder(str(tmp_path), lambda: "f"*32)
    assert len(left(tmp_path)) == (_sweep.KEPT if _sweep.fcntl else 12)


def test_the_state_counts_entries_and_tries_to_write(folder, monkeypatch):
    folder.write("a.kernel", b"key", b"payload")
    size = os.path.getsize(os.path.join(folder.path, "a.kernel"))
    expected = {"folder": folder.path, "entries": 1, "bytes": size, "writable": True, "refused": None}
    assert folder.state() == expected and os.listdir(folder.path) == ["a.kernel"]
    monkeypatch.setattr(_cache, "_ours", lambda status: False)
    with pytest.warns(RuntimeWarning, match="nobody else"):
        assert not folder.state()["writable"] and "nobody else" in folder.refused
