"""Inside the room: pages of kernels know no words and no runs; an import is light; the catalog makes its arms."""

import ast
import json
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from fastdyn import arms
from fastdyn.arms.compile import compiled
from fastdyn.arms.shapes import bending, root

ROOM = Path(arms.__file__).parent
KERNELS = ("homogeneous", "section", "link_sums", "lagrange", "touching", "rows", "view", "modal_sums", "poses",
           "recursive", "recursive_system", "rotors", "system", "watching", "beside")
LOWER = {"_jit", "_address", "_registers", "_beside", "status", "layout", "algebra", "laws", *KERNELS}


@pytest.mark.parametrize("page", KERNELS)
def test_kernels_know_kernels_only(page):
    tree = ast.parse((ROOM/f"{page}.py").read_text())
    named = [n.module.split(".")[0] if n.module else n.names[0].name for n in ast.walk(tree)
             if isinstance(n, ast.ImportFrom) and n.level]
    assert set(named) <= LOWER


def test_an_import_is_light():
    code = "import fastdyn.arms, json, sys; print(json.dumps([name for name in sys.modules]))"
    out = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True,
                         cwd=ROOM.parents[1]).stdout
    assert {name.split(".")[0] for name in json.loads(out)} & {"numba", "scipy", "h5py", "rich", "matplotlib"} == set()


@pytest.mark.parametrize("name", sorted(arms.CATALOG))
def test_the_catalog_makes_its_arms(name):
    arm = arms.CATALOG[name]()
    assert len(compiled(arm).spring) == len(arm.names)


@pytest.mark.parametrize("j", [1, 2, 5, 9])
def test_bending_shapes_are_those_of_a_clamped_free_beam(j):
    L, eta = 3.0, np.linspace(0.0, 3.0, 301)
    Y, dY, ddY = bending(j, L, eta)
    b = root(j)/L
    assert np.abs([Y[0], dY[0], ddY[-1]/(b*b)]).max() < 1e-12 and abs(Y[-1] - 1.0) < 1e-12
    h = eta[1]
    assert np.abs((Y[2:] - Y[:-2])/(2*h) - dY[1:-1]).max() < (b*h)**2*b
    assert abs(1.0 + np.cos(root(j))*np.cosh(root(j))) < 1e-13*np.cosh(root(j))*root(j)
