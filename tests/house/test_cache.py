"""Kernels on disk: the right number every time, nothing of a stranger's unpickled, no trouble that ends a run."""

import contextlib
import os

import pytest
from house.toy import KERNELS_USED, RIGHT, Toy, answer_of

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


def test_a_kernel_that_cannot_be_pickled_is_not_kept(fresh):
    run = fresh.run("def dumps(result): raise TypeError('no way')\n_cache.dumps = dumps\nanswer['values'] = values()")
    assert run["values"] == RIGHT and len(run["warned"]) == 1 and "cannot be pickled (no way)" in run["warned"][0]
    assert fresh.entries() == []


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
    with contextlib.suppress(PermissionError):          # most users may not; see below
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


def pose_as_another_user(toy, case):
    """Where files could not be given away, the process pretends to be somebody else."""
    still_ours = {path.stat().st_uid for path in (toy.entries()[0].parent, *toy.entries())} == {os.geteuid()}
    return "os.geteuid = lambda: 12345\n" if "another user" in case and still_ours else ""


@POSIX
@pytest.mark.parametrize("case", STRANGE)
def test_what_a_stranger_may_have_written_is_never_unpickled(planted, tmp_path, case):
    toy = planted.copy(tmp_path/"tree")
    STRANGE[case](toy)
    posing = pose_as_another_user(toy, case)
    run = toy.run(posing + "answer['value'] = high.twice(3.0)")
    assert run["value"] == 12.0 and not (toy.folder/"marker").exists()
    assert len(run["warned"]) == (1 if case.startswith("folder") or posing else 0)


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
    twice, law = (next(path for path in toy.entries() if word in path.name) for word in ("twice", "law"))
    twice.write_bytes(law.read_bytes())
    assert toy.run()["values"] == RIGHT


def test_a_sealed_entry_that_cannot_be_rebuilt_is_compiled_and_written_anew(toy):
    toy.run("_cache.folder().write(*low.law._cache._entry(low.law.signature), b'no pickle')")
    assert "law" in toy.run()["compiled"] and toy.run() == {"values": RIGHT, "compiled": [], "warned": []}


def test_a_kernel_that_holds_addresses_is_not_kept(fresh):
    with open(fresh.folder/"toy"/"low.py", "a") as file:
        file.write("\n\nTABLE = np.ones(200_000)\n\n\n@kernel(float64(int64))\ndef look(i): return TABLE[i]\n")
    run = fresh.run("answer['value'] = ready(low.look)(7)")
    assert run["value"] == 1.0 and len(run["warned"]) == 1 and "look holds addresses" in run["warned"][0]
    assert fresh.entries() == []


# -------------------------------------------------------------------------------------------------- disks in trouble

@POSIX
def test_a_full_disk_ends_nothing_and_leaves_nothing(fresh):
    limit = "import resource\nresource.setrlimit(resource.RLIMIT_FSIZE, (1000, 1000))\n"
    run = fresh.run(limit + "answer['values'] = values()")
    assert run["values"] == RIGHT and len(run["warned"]) == 1 and "cannot be written" in run["warned"][0]
    assert fresh.entries() == [] and fresh.leftovers() == []


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
