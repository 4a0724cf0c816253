"""The rotation vector of a quaternion: of any length, the shorter way round, to the last digits at both ends."""

import math

import pytest
from algebra.common import EPS, quaternions
from hypothesis import example, given, settings
from hypothesis import strategies as st
from mpmath import mp, mpf

from fastdyn.algebra.rotation import quaternion_exp, quaternion_log

pytestmark = pytest.mark.kernels
directions = st.tuples(*[st.floats(-1.0, 1.0)]*3).filter(lambda a: sum(x*x for x in a) > 1e-2)


def log(q):
    """Axis times angle, in mpmath"""
    w, v = abs(mpf(q[0])), [mpf(x)*(1 if math.copysign(1.0, q[0]) > 0 else -1) for x in q[1:]]
    size = mp.sqrt(sum(x*x for x in v))
    return [2*mp.atan2(size, w)*x/size if size else mpf(0) for x in v]


def distance(got, true):
    """Relative, or to 1e-140 rad: there squares leave the range of doubles."""
    size = max(mp.sqrt(sum(x*x for x in true)), mpf("1e-140"))
    return float(max(abs(mpf(a) - b) for a, b in zip(got, true))/size)


@settings(max_examples=300)
@given(quaternions)
@example((1.0, 0.0, 0.0, 0.0))
@example((-2.0, 0.0, 0.0, 0.0))
@example((1.0, 1e-9, -2e-9, 0.0))
@example((-1.0, 1e-9, -2e-9, 0.0))
@example((1.0, 1e-139, 0.0, 1e-139))
@example((1.0, 1e-170, 0.0, -1e-170))
@example((0.0, 0.6, 0.0, 0.8))
@example((-0.0, 0.6, 0.0, 0.8))
@example((1e-9, 0.6, 0.0, 0.8))
@example((-1e-9, 0.6, 0.0, 0.8))
def test_axis_times_angle(q):
    assert distance(quaternion_log(q), log(q)) <= 3*EPS


@settings(max_examples=100)
@given(quaternions, st.sampled_from([2.0**-300, 2.0**-20, 2.0, 2.0**300]))
def test_the_length_does_not_matter(q, k):
    q = tuple(math.ldexp(round(math.ldexp(x, 40)), -40) for x in q)       # no digits that could fall off the end
    assert quaternion_log(tuple(k*x for x in q)) == quaternion_log(q)


@settings(max_examples=100)
@given(quaternions)
def test_the_shorter_way(q):
    r = quaternion_log(q)
    assert math.sqrt(sum(x*x for x in r)) <= math.pi*(1.0 + 2*EPS)
    back = quaternion_log(tuple(-x for x in q))
    assert back == r if q[0] != 0.0 else back in (r, tuple(-x for x in r))


@settings(max_examples=200)
@given(directions, st.floats(-12.0, 0.49))
def test_the_inverse_of_the_exponential(a, exponent):
    """For every angle from 1e-12 to 3.09"""
    n = math.sqrt(sum(x*x for x in a))
    r = tuple(10.0**exponent*x/n for x in a)
    back = quaternion_log(quaternion_exp(r))
    assert distance(back, [mpf(x) for x in r]) <= 8*EPS*max(1.0, 1.0/(math.pi - 10.0**exponent))
