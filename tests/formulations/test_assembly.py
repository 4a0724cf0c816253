"""Every sweep over lanes fills the widest vector registers: read from the assembly, which no timing can replace.

This is lost easily and silently: one array that might overlap another, one branch, one loop so short that the compiler
unrolls it before it looks for vectors.
"""

import re
from types import SimpleNamespace

import llvmlite.binding as llvm
import pytest
from formulations.common import JOINTS_IN_PLANE, JOINTS_IN_SPACE
from numba import njit
from numba.core import config
from numba.core.caching import NullCache

from fastdyn import _jit
from fastdyn._jit import float64, leaf, ready, types, uint64
from fastdyn.formulations import lanes, plane_forward, plane_inverse, recursive, space_forward, space_inverse
from fastdyn.layout import LANES

FEATURES = llvm.get_host_cpu_features()
pytestmark = [
    pytest.mark.skipif(config.DISABLE_JIT or config.BOUNDSCHECK, reason="there is no assembly to look at, or another"),
    pytest.mark.skipif(not FEATURES.get("avx2"), reason="this processor has neither AVX-512 nor AVX2 registers"),
]
PAGES = {"space forward": space_forward, "space inverse": space_inverse, "plane forward": plane_forward,
         "plane inverse": plane_inverse}
NUMBERS = {"B", "W", "S", "q", "v", "tau", "acc", "trouble", "torque"}    # all else is a place or a row
HOISTED = 0.06          # scalar work that is the same in all lanes and done once, as a part of the vector work


@pytest.fixture(scope="module")
def quiet_cosines():
    """Angles beyond the reach of the polynomials are redone one by one, in scalars, on purpose: out of sight here."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(lanes, "sincos_any", leaf(lambda x: (0.0, 1.0)))
        patch.setattr(_jit, "KERNELS", dict(_jit.KERNELS))
        yield


@pytest.fixture(scope="module")
def widest():
    """The register that this compiler takes for a plain long loop here: on some processors with AVX-512 it is ymm."""
    number = types.CPointer(float64)

    @njit((number, number, uint64), error_model="numpy")
    def squares(x, y, n):
        for k in range(n):
            x[k] = y[k]*y[k]

    found = [name for name in ("zmm", "ymm") if arithmetic(assembly(squares), name)]
    assert found, "the compiler makes no vectors of the simplest loop"
    return found[0]


def assembly(dispatcher):
    return "".join(dispatcher.inspect_asm().values())


def arithmetic(text, register):
    """How many additions and multiplications, of vectors in that register or of one number ("")"""
    if register:
        return len(re.findall(rf"^\tv(?:mul|add|sub)pd\s[^\n]*%{register}", text, re.M))
    return len(re.findall(r"^\tv?(?:mul|add|sub)sd\s", text, re.M))


def every_joint(name):
    plane = name.startswith("plane")
    return recursive.Variant(plane, JOINTS_IN_PLANE if plane else JOINTS_IN_SPACE, unbranched=False)


def sweeps_of(function, found):
    """name -> dispatcher of every lane sweep that a function reaches through its closure"""
    function = getattr(function, "py_func", function)
    for cell in getattr(function, "__closure__", None) or ():
        inner = cell.cell_contents
        if hasattr(inner, "py_func") and inner.py_func.__name__ not in found:
            if inner.without_alias:
                found[inner.py_func.__name__] = inner
            sweeps_of(inner, found)
    return found


def counts(sweep):
    code = sweep.py_func.__code__
    names = code.co_varnames[:code.co_argcount]
    assert names.index("z" if "z" in names else "q") > 0
    sweep.compile(tuple(types.CPointer(float64) if name in NUMBERS else uint64 for name in names))
    text = assembly(sweep)
    return SimpleNamespace(scalar=arithmetic(text, ""),
                           **{name: arithmetic(text, name) for name in ("xmm", "ymm", "zmm")})


@pytest.fixture(scope="module", params=[(name, own) for name in PAGES for own in (False, True)],
                ids=lambda p: f"{p[0]}{' own' if p[1] else ''}")
def page(request, quiet_cosines):
    """(name, own, name of every sweep -> its counts)"""
    name, own = request.param
    sweeps = sweeps_of(PAGES[name].build(LANES, every_joint(name), own), {})
    return name, own, {sweep: counts(dispatcher) for sweep, dispatcher in sweeps.items()}


def test_every_sweep_is_a_vector(page, widest):
    name, _, sweeps = page
    assert len(sweeps) >= (10 if name.startswith("space") else 8)
    lost = {}
    for sweep, n in sweeps.items():
        wide = getattr(n, widest)
        if n.scalar > 1 + HOISTED*wide or n.xmm or n.ymm + n.zmm > wide + 1 + HOISTED*wide:
            lost[sweep] = n
    assert not lost


@pytest.mark.parametrize("name", ["space inverse", "plane forward"])
def test_nothing_is_lost_on_the_way_into_the_kernel(name, quiet_cosines, widest):
    """The kernel has all the vector arithmetic of its sweeps, but for what it does not need to do twice."""
    sweeps = sweeps_of(PAGES[name].build(LANES, every_joint(name), False), {})
    inner = {part for sweep in sweeps.values() for part in sweeps_of(sweep, {})}
    alone = sum(getattr(counts(sweep), widest) for part, sweep in sweeps.items() if part not in inner)
    build = recursive._forward if name.endswith("forward") else recursive._inverse
    kernel = build.__wrapped__(every_joint(name), LANES, False)
    kernel._cache = NullCache()                                      # what comes from the disk has no assembly
    assert arithmetic(assembly(ready(kernel)), widest) >= 0.95*alone
