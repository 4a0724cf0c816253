"""sincos against mpmath, in units in the last place; its symmetries; the same bits without compiler and elsewhere."""

import math
import os
import platform
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from algebra.common import ulps
from hypothesis import given
from hypothesis import strategies as st
from mpmath import mp, mpf
from numba import config, njit, uint64

from fastdyn.algebra import sincos as page
from fastdyn.algebra.sincos import REDUCED, sincos, sincos_any

pytestmark = pytest.mark.kernels
BOUND = 1.0                                             # ulp; 0.96 measured over 3e7 arguments


@njit(error_model="numpy")
def all_near(x, s, c):
    for i in range(x.shape[0]):
        s[i], c[i] = sincos(x[i])


@njit(error_model="numpy")
def all_any(x, s, c):
    for i in range(x.shape[0]):
        s[i], c[i] = sincos_any(x[i])


def both(loop, x):
    x = np.asarray(x, dtype=float)
    s, c = np.empty_like(x), np.empty_like(x)
    loop(x, s, c)
    return s, c


def worst(loop, x):
    s, c = both(loop, x)
    return max(max(ulps(s[i], mp.sin(mpf(float(v)))), ulps(c[i], mp.cos(mpf(float(v))))) for i, v in enumerate(x))


def spread(low, high, n, seed=0):
    """Both signs, exponents evenly between those of low and high"""
    rng = np.random.default_rng(seed)
    return rng.choice([-1.0, 1.0], n)*2.0**rng.uniform(math.log2(low), math.log2(high), n)


def nearest(k, parts):
    """The double next to k pi/parts"""
    with mp.workprec(1300):
        return float(k*mp.pi/parts)


def close_to_multiples():
    """For every exponent the two doubles m 2^e closest to k pi/2, one on either side: denominators of convergents."""
    found = []
    for e in range(-36, 971, 5):
        with mp.workprec(1300):
            rest, old, new, closest = mpf(2)**e*2/mp.pi, 0, 1, []
            while new < 2**53:
                closest.append(new*2.0**e)
                rest = 1/(rest - mp.floor(rest))
                old, new = new, int(mp.floor(rest))*new + old
        found += closest[-2:]
    return found


NEAR = {
    "small": spread(1e-300, 1.0, 400), "usual": spread(0.5, 10.0, 3000), "large": spread(10.0, REDUCED, 1500),
    "ends": [REDUCED, -REDUCED, 5e-324, 2.3e-308, 1e-8, 0.7853981633974483, 0.7853981633974484],
    "powers": [2.0**e for e in range(-1074, 17)],
    "near k pi/4": [nearest(k, 4)*(1 + d) for k in range(1, 50, 2) for d in np.linspace(-0.02/k, 0.02/k, 800)],
}
FAR = {
    "any": spread(REDUCED, 1.797e308, 2500), "first": np.nextafter(REDUCED, 2e5) + np.arange(50)*1e-3,
    "powers": [2.0**e for e in range(17, 1024)],
    "largest": [1.7976931348623157e308, -1.7976931348623155e308],
}
MULTIPLES = {
    "near": [nearest(k, 2) for k in [*range(1, 400), *range(401, 63662, 97), 63661]],
    "far": [nearest(k, 2) for k in [*range(63663, 300000, 997), *(2**e for e in range(18, 45))]],
    "closest": [x for x in close_to_multiples() if x > REDUCED] + [6381956970095103*2.0**797, -5.319372648326541e255],
}


@pytest.mark.parametrize("kind", NEAR)
def test_error_up_to_reduced(kind):
    assert worst(all_near, NEAR[kind]) <= BOUND


@pytest.mark.parametrize("kind", FAR)
def test_error_beyond(kind):
    assert worst(all_any, FAR[kind]) <= BOUND


@pytest.mark.parametrize("kind", MULTIPLES)
def test_error_at_multiples_of_half_pi(kind):
    """One result is next to 0 and the other next to 1: a single rounding each."""
    assert worst(all_near if kind == "near" else all_any, MULTIPLES[kind]) <= 0.502


@given(st.floats(-REDUCED, REDUCED))
def test_error_anywhere_near(x):
    assert worst(all_near, [x]) <= BOUND


@given(st.floats(allow_nan=False, allow_infinity=False))
def test_error_anywhere(x):
    assert worst(all_any, [x]) <= BOUND


def test_the_hardest_argument_is_hard():
    """6381956970095103 2^797 lies within 2^-60 of a multiple of pi/2 [Muller et al. 2010]."""
    assert abs(mp.cos(mpf(6381956970095103*2.0**797))) < 2.0**-60


def test_both_agree_up_to_reduced():
    x = np.concatenate([spread(1e-300, REDUCED, 3000), np.linspace(3e4, REDUCED, 3000), [REDUCED, -REDUCED, 0.0, -0.0]])
    assert [a.tobytes() for a in both(all_near, x)] == [a.tobytes() for a in both(all_any, x)]


@pytest.mark.parametrize("loop, high", [(all_near, REDUCED), (all_any, 1.7e308)])
def test_sine_is_odd_and_cosine_even_to_the_bit(loop, high):
    x = np.concatenate([spread(1e-320, high, 3000), [0.0, 5e-324]])
    s, c = both(loop, x)
    s_back, c_back = both(loop, -x)
    assert (-s).tobytes() == s_back.tobytes() and c.tobytes() == c_back.tobytes()


def test_zeros_keep_their_sign():
    s, c = both(all_any, [0.0, -0.0])
    assert not np.signbit(s[0]) and np.signbit(s[1]) and list(s) == [0.0, 0.0] and list(c) == [1.0, 1.0]


@pytest.mark.parametrize("loop", [all_near, all_any])
@pytest.mark.filterwarnings("ignore:invalid value")         # without the compiler NumPy says so
def test_what_is_not_finite_gives_nan(loop):
    assert np.isnan(both(loop, [math.nan, math.inf, -math.inf])).all()


@pytest.mark.parametrize("loop, high", [(all_near, REDUCED), (all_any, 1.7e308)])
def test_squares_sum_to_one(loop, high):
    s, c = both(loop, spread(1e-3, high, 5000))
    assert np.abs(s*s + c*c - 1.0).max() <= 2.0*2.0**-52


def test_parts_of_half_pi():
    """The first two have room for k < 2^16 in 53 bits, all three leave 2^-130."""
    assert (page.HALF_PI_1*2.0**36).is_integer() and page.HALF_PI_1*2.0**36 < 2**37
    assert (page.HALF_PI_2*2.0**73).is_integer() and page.HALF_PI_2*2.0**73 < 2**37
    assert REDUCED*page.TWO_OVER_PI + 1 < 2**16
    assert abs(mpf(page.HALF_PI_1) + mpf(page.HALF_PI_2) + mpf(page.HALF_PI_3) - mp.pi/2) < mpf(2)**-130
    assert abs(mpf(page.HALF_PI) + mpf(page.HALF_PI_LOW) - mp.pi/2) < mpf(2)**-109
    assert page.HALF_PI_HEAD + page.HALF_PI_TAIL == page.HALF_PI


def test_digits_of_two_over_pi():
    value = sum(mpf(int(d))*mpf(2)**(-24*(i - 1)) for i, d in enumerate(page.TWO_OVER_PI_DIGITS))
    assert 0 <= 2/mp.pi - value < mpf(2)**-1200


SAME_BITS = """
import hashlib, numpy as np
from numba import njit
from fastdyn.algebra.sincos import sincos, sincos_any
@njit(error_model="numpy")
def fill(x, y, out):
    for i in range(x.shape[0]):
        out[i, 0], out[i, 1] = sincos(x[i])
        out[i, 2], out[i, 3] = sincos_any(y[i])
rng = np.random.default_rng(3)
x, y = rng.uniform(-1e5, 1e5, 2000), np.ldexp(rng.uniform(-2.0, 2.0, 2000), rng.integers(-1074, 1023, 2000))
out = np.zeros((2000, 4))
fill(x, y, out)
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


@pytest.mark.skipif(config.DISABLE_JIT or platform.machine() not in ("x86_64", "AMD64"), reason="looks at x86 assembly")
def test_lane_loop_uses_the_vector_unit():
    @njit("void(f8[::1], u8)", error_model="numpy")
    def lanes(rows, width):
        for k in range(width):
            s, c = sincos(rows[k])
            rows[k + uint64(32)] = s
            rows[k + uint64(64)] = c

    code = [line.split() for line in lanes.inspect_asm(lanes.signatures[0]).splitlines()]
    packed = [line for line in code if line and line[0] in ("vmulpd", "mulpd")]
    assert len(packed) >= 20                            # 21 products in the page
    assert not any("fmadd" in line[0] for line in code if line)
    assert not any(word.strip("$,") in ("sin", "cos", "sincos") for line in code for word in line)
