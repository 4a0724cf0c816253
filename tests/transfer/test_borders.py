"""Inside the room: pages of kernels know no words and no people, words know no people, an import is light."""

import ast
import json
import subprocess
import sys
from pathlib import Path

import pytest

from fastdyn import transfer

ROOM = Path(transfer.__file__).parent
KERNELS = ("riccati", "product", "arm_steps", "lanes", "bending_steps", "bending_product", "displacement",
           "counting_steps")
PEOPLE = ("laboratory", "pictures", "front", "playing")
LOWER = {"_jit", "_address", "status", "algebra.sincos", "layout"} | set(KERNELS)


def imported(page):
    """Modules of this package that a page imports, wherever it does; those of the room without its name."""
    for node in ast.walk(ast.parse((ROOM/f"{page}.py").read_text())):
        if isinstance(node, ast.ImportFrom) and node.level:
            yield from [node.module] if node.module else [alias.name for alias in node.names]


@pytest.mark.parametrize("page", KERNELS)
def test_kernels_know_kernels_only(page):
    assert set(imported(page)) <= LOWER


@pytest.mark.parametrize("page", sorted(path.stem for path in ROOM.glob("*.py") if path.stem not in PEOPLE))
def test_only_these_pages_know_people(page):
    rooms = {name.split(".")[0] for name in imported(page)}
    assert rooms & {"show", "cli", *PEOPLE} == set()


def test_an_import_is_light():
    code = "import fastdyn.transfer, json, sys; print(json.dumps([name for name in sys.modules]))"
    out = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True,
                         cwd=ROOM.parents[1]).stdout
    assert {name.split(".")[0] for name in json.loads(out)} & {"numba", "scipy", "h5py", "rich", "matplotlib"} == set()


def test_the_catalog_makes_its_chains():
    assert {name: make().name for name, make in transfer.CATALOG.items()} == {
        name: name for name in ("torsion-chain", "beam-arm", "link-arm", "cantilever")}
