"""Registers: the bits of one number after the other, nothing beyond an end, and loops that stay short."""

import operator
import re

import numpy as np
import pytest
from llvmlite import binding as llvm
from numba import njit, types
from numba.core import config

from fastdyn._jit import c_array, float64, int64, kernel, pointer, ready
from fastdyn._registers import folded, larger, load, place, store
from fastdyn.layout import WIDTH
from fastdyn.steppers.desk import copy, weighted

pytestmark = pytest.mark.kernels
U, V = np.uint64, c_array(float64, 1)
OPERATORS = {"+": operator.add, "*": operator.mul, "/": operator.truediv}
BLOCKS = 3


@kernel(int64(V, V, float64, int64, V))
def reckon(x, y, h, blocks, out):
    """Rows of out: x + y, x*y, x/y, h + x, h*x, h/x, the larger one; then a row with the sums of x"""
    x, y, out, size = pointer(x), pointer(y), pointer(out), U(blocks)*U(WIDTH)
    for b in range(U(blocks)):
        at = place(b)
        r, s = load(x, at), load(y, at)
        store(out, at, r + s)
        store(out, size + at, r*s)
        store(out, U(2)*size + at, r/s)
        store(out, U(3)*size + at, h + r)
        store(out, U(4)*size + at, h*r)
        store(out, U(5)*size + at, h/r)
        store(out, U(6)*size + at, larger(r, s))
        out[U(7)*size + b] = folded(r)
    return 0


@kernel(float64(V, int64))
def last(x, at):
    return folded(load(pointer(x), U(at)))


def test_registers_reckon_as_numbers_do():
    rng = np.random.default_rng(5)
    x, y = rng.normal(size=(2, BLOCKS*WIDTH))*10.0**rng.integers(-9, 9, (2, BLOCKS*WIDTH))
    out = np.zeros((8, BLOCKS*WIDTH))
    ready(reckon)(x, y, 0.3, BLOCKS, out.reshape(-1))
    expected = [f(a, b) for a, b in ((x, y), (0.3, x)) for f in OPERATORS.values()]
    assert np.array_equal(out[:6], expected)
    assert np.array_equal(out[6], np.maximum(abs(x), abs(y)))
    for b, found in enumerate(out[7, :BLOCKS]):
        s = x[b*WIDTH:(b + 1)*WIDTH].tolist()
        assert found == ((s[0] + s[4]) + (s[2] + s[6])) + ((s[1] + s[5]) + (s[3] + s[7]))


def test_what_is_not_a_number_is_seen_in_sums_but_not_among_what_is_larger():
    x, y, out = np.ones(WIDTH), np.full(WIDTH, -2.0), np.zeros(8*WIDTH)
    x[3], y[5] = np.nan, np.nan
    ready(reckon)(x, y, 1.0, 1, out)
    assert np.isnan(out[3]) and np.isnan(out[5]) and np.isnan(out[7*WIDTH])
    assert np.isnan(out[6*WIDTH + 3]) and out[6*WIDTH + 5] == 1.0 and out[6*WIDTH] == 2.0


@pytest.mark.skipif(not config.BOUNDSCHECK, reason="bounds are checked by another run of these tests")
def test_a_register_that_reaches_beyond_an_end_is_an_error():
    x = np.ones(2*WIDTH)
    assert ready(last)(x, WIDTH) == WIDTH
    with pytest.raises(IndexError):
        ready(last)(x, WIDTH + 1)


@pytest.mark.skipif(config.DISABLE_JIT or config.BOUNDSCHECK, reason="no assembly, or one that checks bounds")
@pytest.mark.skipif(not llvm.get_host_cpu_features().get("avx2"), reason="other registers, or other words for them")
def test_loops_over_registers_stay_as_they_are_written():
    """No call of memcpy, no copies of the body, every product in a register."""
    total = weighted([0.5, 0.0, 0.25, 0.125])

    @njit(error_model="numpy")
    def both(K, start, out, h, blocks):
        copy(K, out, blocks)
        total(K, start, out, h, blocks)

    K = types.CPointer(float64)
    both.compile((K, K, K, float64, int64))
    (text,) = both.inspect_asm().values()
    assert "memcpy" not in text and "mulsd" not in text
    assert len(re.findall("mulpd", text)) in (4, 8)         # a register may be two of the machine's
