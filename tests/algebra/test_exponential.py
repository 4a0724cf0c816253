"""exp, tanh and accurate powers against mpmath, in units in the last place; the same bits everywhere."""

import math
import os
import subprocess
import sys
from pathlib import Path

import pytest
from algebra.common import ulps
from hypothesis import example, given, settings
from hypothesis import strategies as st
from mpmath import mp, mpf

from fastdyn.algebra import exponential as page
from fastdyn.algebra.exponential import exp, tanh
from fastdyn.algebra.power import accurate_power, log_parts

pytestmark = pytest.mark.kernels
BOUND, BOUND_TANH, BOUND_POWER = 1.0, 1.5, 1.0          # ulp; 0.86, 1.09 and 0.89 measured over 4e5 arguments
any_size = st.floats(-300.0, 300.0).map(lambda e: 10.0**e)


@settings(max_examples=400)
@given(st.floats(-708.0, 709.7) | st.floats(-2.0, 2.0))
@example(0.5*math.log(2.0))
@example(math.nextafter(0.5*math.log(2.0), 1.0))
@example(709.7827128933840)
def test_exp_is_right_to_the_last_place(x):
    assert ulps(exp(x), mp.exp(mpf(x))) <= BOUND


@settings(max_examples=400)
@given(st.floats(-25.0, 25.0) | st.floats(-1.3, 1.3) | st.floats(1e-300, 1e-3))
@example(1.0)
@example(math.nextafter(1.0, 0.0))
@example(19.06)
def test_tanh_is_right_to_the_last_place(x):
    assert ulps(tanh(x), mp.tanh(mpf(x))) <= BOUND_TANH
    assert tanh(-x) == -tanh(x) and abs(tanh(x)) <= 1.0


@settings(max_examples=400)
@given(any_size, st.floats(-1.0, 1.0), st.floats(0.99, 1.01))
@example(math.sqrt(2.0), 1.0, 1.0)
@example(math.nextafter(math.sqrt(2.0), 2.0), 1.0, 1.0)
@example(math.nextafter(1.0, 0.0), 1.0, math.nextafter(1.0, 2.0))
def test_accurate_powers_are_right_to_the_last_place(x, share, near):
    for base, p in ((x, share*700.0/max(abs(math.log(x)), 1.0)), (near, share*6e4)):
        true = mpf(base)**mpf(p)
        assert ulps(accurate_power(base, p), true) <= BOUND_POWER


@given(any_size)
@example(5e-324)
@example(math.nextafter(1.0, 2.0))
def test_logarithms_have_more_digits_than_a_double(x):
    high, low = log_parts(x)
    true = mp.log(mpf(x))
    assert high + low == high
    assert abs(mpf(high) + mpf(low) - true) <= abs(true)*mpf(2)**-62


def test_the_ends():
    inf, nan = math.inf, math.nan
    assert [exp(x) for x in (-inf, -745.2, -745.0, 0.0, -0.0, 709.79, inf)] == [0.0, 0.0, 5e-324, 1.0, 1.0, inf, inf]
    assert [tanh(x) for x in (-inf, -30.0, 0.0, 1e-320, 30.0, inf)] == [-1.0, -1.0, 0.0, 1e-320, 1.0, 1.0]
    assert math.copysign(1.0, tanh(-0.0)) == -1.0
    assert all(math.isnan(y) for y in (exp(nan), tanh(nan), accurate_power(nan, 1.5), accurate_power(-1.0, 1.5)))
    powers = {(0.0, 1.5): 0.0, (0.0, -1.0): inf, (inf, 2.0): inf, (inf, -2.0): 0.0, (5e-324, 1.0): 5e-324,
              (5e-324, 0.5): math.sqrt(5e-324), (2.0, 1023.0): 2.0**1023, (2.0, 1024.0): inf, (2.0, -1074.0): 5e-324,
              (10.0, 1e200): inf, (10.0, -1e200): 0.0, (nan, 0.0): 1.0, (1.0, 1e280): 1.0, (3.0, 1.0): 3.0}
    assert {xp: accurate_power(*xp) for xp in powers} == powers


SAME_BITS = """
import hashlib, numpy as np
from numba import njit
from fastdyn.algebra.exponential import exp, tanh
from fastdyn.algebra.power import accurate_power
@njit(error_model="numpy")
def fill(x, out):
    for i in range(x.shape[0]):
        out[i, 0], out[i, 1], out[i, 2] = exp(x[i]), tanh(x[i]), accurate_power(abs(x[i]), 1.0 + 0.1*x[i])
x = np.concatenate([np.random.default_rng(4).uniform(-width, width, 500) for width in (0.01, 1.0, 20.0, 800.0)])
out = np.zeros((2000, 3))
fill(x, out)
print(hashlib.sha256(out.tobytes()).hexdigest())
"""


def digest(**env):
    root = Path(page.__file__).parents[2]
    return subprocess.check_output([sys.executable, "-c", SAME_BITS], env=os.environ | env, cwd=root, text=True)


def test_bits_are_the_same_without_compiler_and_on_other_processors():
    compiled = digest(NUMBA_DISABLE_JIT="0")
    assert len(compiled) == 65
    assert digest(NUMBA_DISABLE_JIT="1") == compiled
    assert digest(NUMBA_DISABLE_JIT="0", NUMBA_CPU_NAME="generic", NUMBA_OPT="1") == compiled
