"""Powers by logarithms: eight digits over the whole range, exact where powers of two meet whole exponents."""

import math

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from fastdyn.algebra.power import exp2, log2, power, rough_exp2, rough_log2

pytestmark = pytest.mark.kernels
positive = st.floats(-300.0, 300.0).map(lambda e: 10.0**e)


@given(positive)
@example(1.0)
@example(math.nextafter(math.sqrt(2.0), 2.0))
@example(math.nextafter(1.0, 0.0))
def test_logarithms_have_nine_digits(x):
    assert abs(log2(x) - math.log2(x)) <= 1e-9


@given(st.floats(-990.0, 990.0))
@example(0.5)
@example(-0.5)
def test_powers_of_two_have_nine_digits(y):
    assert abs(exp2(y)/2.0**y - 1.0) <= 1e-9


@given(positive, st.floats(-1.0, 1.0))
def test_powers_have_eight_digits(x, p):
    assert abs(power(x, p)/x**p - 1.0) <= 1e-8


@pytest.mark.parametrize("whole", [-900, -1, 0, 1, 52, 900])
def test_powers_of_two_are_exact(whole):
    assert exp2(float(whole)) == 2.0**whole and log2(2.0**whole) == whole


@given(positive)
@example(math.nextafter(1.0, 0.0))
@example(1e-14)
def test_rough_logarithms_have_four_digits(x):
    assert abs(rough_log2(x) - math.log2(x)) <= 1.6e-5


@given(st.floats(-990.0, 990.0))
@example(0.5)
@example(-0.5)
def test_rough_powers_of_two_have_five_digits(y):
    assert abs(rough_exp2(y)/2.0**y - 1.0) <= 3e-6


@given(st.floats(0.5, 4.0), st.floats(0.0, 1e-3))
@example(math.nextafter(2.0, 0.0), math.ulp(1.0))
def test_rough_logarithms_never_fall(x, more):
    assert rough_log2(x + more*x) >= rough_log2(x) - 1e-15


@pytest.mark.parametrize("whole", [-900, -1, 0, 1, 52, 900])
def test_rough_powers_of_two_are_exact(whole):
    assert rough_exp2(float(whole)) == 2.0**whole and rough_log2(2.0**whole) == whole
