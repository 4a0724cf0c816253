"""Kernels on disk: the right number every time, nothing of a stranger's unpickled, no trouble that ends a run."""

import errno
import os
import time
from unittest import mock

import pytest
from house.toy import KERNELS_USED, RIGHT, Toy, answer_of
from hypothesis import given
from hypothesis import strategies as st

from fastdyn import _cache

POSIX = pytest.mark.skipif(not hasattr(os, "geteuid"), reason="owners and modes are POSIX matters")


@pytest.fixture(scope="module")
def cold(tmp_path_factory):
    return Toy(tmp_path_factory.mktemp("cold")/"tree").write()


@pytest.fixture(scope="module")
def warm(cold, tmp_path_factory):
    """The toy with a cache filled by one process."""
    toy = cold.copy(tmp_path_factory.mktemp("warm")/"tree")
    first = toy.run()
    assert first["values"] == RIGHT and set(first["compiled"]) >= KERNELS_USED and first["warned"] == []
    return toy


@pytest.fixture
def toy(warm, tmp_path):
    return warm.copy(tmp_path/"tree")


@pytest.fixture
def fresh(cold, tmp_path):
    return cold.copy(tmp_path/"tree")


@pytest.fixture
def folder(tmp_path, unedited):
    return _cache.Folder(str(tmp_path/"root"), lambda: "0"*32)


@pytest.fixture(scope="module")
def unedited():
    """Whoever edits the package while its tests run shall not disturb those that are about something else."""
    with mock.patch.object(_cache, "_sources", lambda: _cache._AT_IMPORT):
        yield


# ------------------------------------------------------------------------------------------------- the right number

def test_a_second_process_loads_everything_and_compiles_nothing(toy):
    assert toy.run() == {"values": RIGHT, "compiled": [], "warned": []}


def test_an_import_compiles_nothing_and_makes_no_folder(fresh):
    assert fresh.run("")["compiled"] == [] and not fresh.cache.exists()


def test_a_callee_edited_in_another_module_gives_the_new_number(toy):
    toy.edit("low.py", "return GAIN*x", "return 101.0*x")
    assert toy.run()["values"] == [606.0, RIGHT[1], 606.0, 606.0]


def test_fields_that_changed_places_are_read_rightly(toy):
    toy.edit("low.py", "mass: np.ndarray\n    length: np.ndarray", "length: np.ndarray\n    mass: np.ndarray")
    assert toy.run()["values"] == RIGHT


def test_a_constant_patched_at_run_time_stays_in_its_process(toy):
    patched = toy.run("low.GAIN = 50.0\nanswer['values'] = values()")
    assert patched["values"] == [300.0, RIGHT[1], 300.0, 300.0]
    assert toy.run()["values"] == RIGHT


def test_sources_edited_in_a_running_process_are_neither_saved_nor_loaded(toy):
    edit = "text = open('toy/low.py').read()\nopen('toy/low.py', 'w').write(text.replace('GAIN*x', '7.00*x'))\n"
    running = toy.run(edit + "answer['values'] = values()")
    assert running["values"] == RIGHT and set(running["compiled"]) >= KERNELS_USED
    assert len(running["warned"]) == 1 and "changed since" in running["warned"][0]
    assert toy.run()["values"] == [42.0, RIGHT[1], 42.0, 42.0]


def test_compiler_settings_have_their_own_folders(toy):
    checked = toy.run("try: ready(low.item)(np.ones(2), 5)\nexcept IndexError: answer['stopped'] = True",
                      NUMBA_BOUNDSCHECK="1")
    assert checked["stopped"] and checked["compiled"] == ["item"]
    assert len(list(toy.cache.iterdir())) == 2


def test_functions_outside_the_package_are_not_kept(toy):
    entries = toy.entries()
    for factor in (3.0, 5.0):
        (toy.folder/"user.py").write_text(f"from toy._jit import kernel\nfrom toy.low import LAW\n"
                                          f"@kernel(LAW)\ndef push(t): return {factor}*t\n")
        run = toy.run("import user\nanswer['value'] = high.march(ready(user.push), 4)")
        assert run["value"] == factor*6.0 and run["compiled"] == ["push"]
    assert toy.entries() == entries


def test_six_cold_starts_at_once(fresh):
    runs = [answer_of(run) for run in [fresh.start("answer['values'] = values()") for _ in range(6)]]
    assert all(run["values"] == RIGHT and run["warned"] == [] for run in runs)
    assert fresh.leftovers() == [] and fresh.run()["compiled"] == []


def test_recompile_does_not_read_what_it_wrote(toy):
    run = toy.run("ready(high.energy).recompile()")
    assert run["compiled"] == ["energy"] and toy.run()["compiled"] == []


# ------------------------------------------------------------------------------------------------- strangers' files

PLANT = """
class Trap:
    def __reduce__(self): return open, ("marker", "w")

import pickle
for name, function in (("law", low.law), ("twice", high.twice)):
    assert _cache.folder().write(*function._cache._entry(function.signature), pickle.dumps(Trap()))
"""


@pytest.fixture(scope="module")
def planted(warm, tmp_path_factory):
    """A cache whose entries, right in every byte of their seals, open a file when unpickled."""
    toy = warm.copy(tmp_path_factory.mktemp("planted")/"tree")
    toy.run(PLANT)
    return toy


def give_away(path):
    if os.geteuid() == 0:
        os.chown(path, 65534, -1)


def through_a_link(path):
    elsewhere = path.rename(path.parent.parent/f"{path.stem}-elsewhere")
    path.symlink_to(elsewhere)


STRANGE = {
    "folder others may write to": lambda toy: toy.entries()[0].parent.chmod(0o777),
    "folder the group may write to": lambda toy: toy.entries()[0].parent.chmod(0o770),
    "folder of another user": lambda toy: give_away(toy.entries()[0].parent),
    "folder behind a link": lambda toy: through_a_link(toy.entries()[0].parent),
    "files others may write to": lambda toy: [path.chmod(0o666) for path in toy.entries()],
    "files of another user": lambda toy: [give_away(path) for path in toy.entries()],
    "files behind links": lambda toy: [through_a_link(path) for path in toy.entries()],
}


def pose_as_another_user(case):
    """Only root can give files away; others pretend to be somebody else."""
    return "os.geteuid = lambda: 12345\n" if "another user" in case and os.geteuid() else ""


@POSIX
@pytest.mark.parametrize("case", STRANGE)
def test_what_a_stranger_may_have_written_is_never_unpickled(planted, tmp_path, case):
    toy = planted.copy(tmp_path/"tree")
    STRANGE[case](toy)
    run = toy.run(pose_as_another_user(case) + "answer['value'] = high.twice(3.0)")
    assert run["value"] == 12.0 and not (toy.folder/"marker").exists()
    assert len(run["warned"]) == (1 if case.startswith("folder") or pose_as_another_user(case) else 0)


def test_the_planted_files_would_do_harm_if_they_were_ours(planted, tmp_path):
    toy = planted.copy(tmp_path/"tree")
    assert toy.run("answer['value'] = high.twice(3.0)")["value"] == 12.0
    assert (toy.folder/"marker").exists()


@POSIX
def test_folder_and_entries_are_private(toy):
    for path in (*toy.cache.iterdir(), *toy.entries()):
        assert path.stat().st_mode & 0o077 == 0 and path.stat().st_uid == os.geteuid()


# ---------------------------------------------------------------------------------------------------- damaged files

@pytest.mark.parametrize("damage", [
    lambda path: path.write_bytes(path.read_bytes()[:-1]),
    lambda path: path.write_bytes(b""),
    lambda path: path.write_bytes(path.read_bytes()[:3000] + bytes([path.read_bytes()[3000] ^ 1])
                                  + path.read_bytes()[3001:]),
    lambda path: (path.unlink(), path.mkdir(), (path/"x").touch(), path.rename(f"{path}.aside")),
])
def test_damaged_entries_are_compiled_and_written_anew(toy, damage):
    for path in toy.entries():
        damage(path)
    run = toy.run()
    assert run["values"] == RIGHT and set(run["compiled"]) >= KERNELS_USED and run["warned"] == []
    assert toy.run()["compiled"] == []


def test_an_entry_under_another_name_is_not_taken(toy):
    twice, march = (next(path for path in toy.entries() if word in path.name) for word in ("twice", "march"))
    twice.write_bytes(march.read_bytes())
    assert toy.run()["values"] == RIGHT


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


# -------------------------------------------------------------------------------------------------- disks in trouble

@POSIX
def test_a_full_disk_ends_nothing_and_leaves_nothing(fresh):
    limit = "import resource\nresource.setrlimit(resource.RLIMIT_FSIZE, (1000, 1000))\n"
    run = fresh.run(limit + "answer['values'] = values()")
    assert run["values"] == RIGHT and len(run["warned"]) == 1 and "cannot be written" in run["warned"][0]
    assert fresh.entries() == [] and fresh.leftovers() == []


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


@POSIX
def test_a_read_only_folder_is_still_read(toy):
    next(path for path in toy.entries() if "energy" in path.name).unlink()
    toy.entries()[0].parent.chmod(0o500)
    as_root = """
openat = os.open
def read_only(path, flags, *mode):
    if flags & os.O_CREAT: raise OSError(30, "read-only")
    return openat(path, flags, *mode)
os.open = read_only
"""
    run = toy.run((as_root if os.geteuid() == 0 else "") + "answer['values'] = values()")
    toy.entries()[0].parent.chmod(0o700)
    assert run["values"] == RIGHT and run["compiled"] == ["energy"] and len(run["warned"]) == 1


def test_a_file_in_place_of_the_folder_means_no_cache(fresh):
    fresh.cache.write_text("not a folder")
    run = fresh.run()
    assert run["values"] == RIGHT and len(run["warned"]) == 1 and "FASTDYN_CACHE_DIR" in run["warned"][0]


def test_no_home_means_no_cache(monkeypatch):
    for name in ("FASTDYN_CACHE_DIR", "XDG_CACHE_HOME", "LOCALAPPDATA"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setattr(_cache.os.path, "expanduser", lambda path: path)
    with pytest.warns(RuntimeWarning, match="no home"):
        folder = _cache.Folder(_cache._root(), lambda: "0"*32)
    assert folder.refused and not folder.write("a", b"", b"") and folder.read("a", b"") is None


# -------------------------------------------------------------------------------------------------------- old folders

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
