"""Who may import whom, what kernels may not ask of the compiler, how long a file may be, what stays out of it."""

import ast
import json
import re
import subprocess
import sys
from pathlib import Path

import pytest

import fastdyn

PACKAGE = Path(fastdyn.__file__).parent
HOUSE = PACKAGE.parent
KERNEL_ROOMS = ("algebra", "laws", "formulations", "steppers")  # each imports those to its left
SHARED = ("_jit", "_address", "_registers", "_beside", "layout", "status")
MEET_NUMBA = ("_jit", "_inner", "_address", "_registers", "_beside", "_cache", "doctor")
LATE = ("scipy", "h5py", "rich", "matplotlib", "mujoco")
NEVER = {"fastmath", "parallel", "objmode", "jitclass", "cache"}
LONGEST = 400

modules = {".".join(path.relative_to(PACKAGE).with_suffix("").parts): path for path in PACKAGE.rglob("*.py")}
trees = {name: ast.parse(path.read_text()) for name, path in modules.items()}
every_module = pytest.mark.parametrize("name", sorted(modules))


def imports(tree, name):
    """Absolute dotted names of all a module imports, wherever it does."""
    inside = ["fastdyn", *name.split(".")]
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (alias.name + ".__init__"*(alias.name == "fastdyn") for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            base = inside[:-node.level] if node.level else []
            base = ".".join(base + ([node.module] if node.module else []))
            yield from (f"{base}.{alias.name}" for alias in node.names)


def rooms_of(names):
    """The rooms, or modules of the ground floor, of this package among dotted names."""
    return {name.split(".")[1] for name in names if name.startswith("fastdyn.")}


def strangers(tree, name):
    """What a module of a kernel room may not import."""
    room = name.split(".")[0]
    allowed = {*KERNEL_ROOMS[:KERNEL_ROOMS.index(room) + 1], *SHARED}
    return rooms_of(imports(tree, name)) - allowed


def forbidden(tree):
    """Compiler options and Numba's side doors, by name: as keyword, import, attribute or name."""
    for node in ast.walk(tree):
        if isinstance(node, ast.keyword) and node.arg in NEVER and not _is(node.value, False):
            yield node.arg
        if isinstance(node, ast.Attribute) and node.attr in ("objmode", "jitclass"):
            yield node.attr
        if isinstance(node, ast.alias) and node.name.split(".")[-1] in ("objmode", "jitclass", "prange"):
            yield node.name


def _is(node, value):
    return isinstance(node, ast.Constant) and node.value is value


def kernel_modules():
    return [name for name in sorted(modules) if name.split(".")[0] in KERNEL_ROOMS]


@pytest.mark.parametrize("name", kernel_modules())
def test_kernel_rooms_import_only_leftwards(name):
    assert strangers(trees[name], name) == set()


def test_all_kernel_rooms_are_there():
    assert {name.split(".")[0] for name in kernel_modules()} >= {"algebra", "laws", "formulations"}


@every_module
def test_numba_comes_in_by_one_door(name):
    if name not in MEET_NUMBA:
        assert [n for n in imports(trees[name], name) if n.split(".")[0] in ("numba", "llvmlite")] == []


@every_module
def test_no_option_that_changes_bits_or_bypasses_the_cache(name):
    assert set(forbidden(trees[name])) == set()


@every_module
def test_describe_knows_no_kernels_and_nobody_below_knows_people(name):
    found = rooms_of(imports(trees[name], name))
    room = name.split(".")[0]
    if room == "describe":
        assert found & {"formulations", "steppers", "run", "results", "show", "cli"} == set()
    if room in ("run", "results", "beams"):
        assert found & {"show", "cli"} == set()


@every_module
def test_files_stay_short(name):
    assert len(modules[name].read_text().splitlines()) <= LONGEST


def text_files():
    kept = {".py", ".md", ".toml", ".sh", ""}
    for path in [HOUSE, *(HOUSE/room for room in ("fastdyn", "tests", "perf", "scripts", "docs", ".ci"))]:
        found = path.iterdir() if path == HOUSE else path.rglob("*")
        yield from (file for file in found if file.is_file() and file.suffix in kept)


def test_no_file_speaks_of_a_machine():
    places = re.compile(r"(?<![\w.$])/(?:home|root|work|tmp|Users|mnt|opt)/\w")
    found = [f"{file.relative_to(HOUSE)}:{n}" for file in text_files()
             for n, line in enumerate(file.read_text(errors="replace").splitlines(), 1) if places.search(line)]
    assert found == []


def test_an_import_is_light():
    code = "import fastdyn, json, sys; print(json.dumps([name for name in sys.modules]))"
    out = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, cwd=HOUSE).stdout
    assert {name.split(".")[0] for name in json.loads(out)} & set(LATE) == set()


# ------------------------------------------------------------------------------------- the borders themselves hold

@pytest.mark.parametrize("line, found", [
    ("from ..formulations import lanes", {"formulations"}),
    ("from .. import run", {"run"}),
    ("import fastdyn.describe.chain", {"describe"}),
    ("import fastdyn", {"__init__"}),
    ("def f():\n    from ..show.tree import show", {"show"}),
    ("from .vectors import add\nfrom .._jit import leaf\nimport math", set()),
])
def test_a_stranger_in_a_kernel_room_is_seen(line, found):
    assert strangers(ast.parse(line), "algebra.page") == found


@pytest.mark.parametrize("line", [
    "kernel(LAW, fastmath=True)", "njit(parallel=True)", "njit(cache=True)", "from numba.experimental import jitclass",
    "with numba.objmode(y='f8'): pass", "from numba import prange",
])
def test_a_forbidden_option_is_seen(line):
    assert list(forbidden(ast.parse(line)))


def test_no_name_of_the_table_of_arrays_stands_for_two_numbers():
    """Columns and words of all arrays share one page: the second of one name would move the first."""
    tree = ast.parse((PACKAGE/"layout.py").read_text())
    names = [name.id for line in tree.body if isinstance(line, ast.Assign) for target in line.targets
             for name in ast.walk(target) if isinstance(name, ast.Name)]
    assert len(names) > 100 and sorted(names) == sorted(set(names))
