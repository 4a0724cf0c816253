"""The arc tangent: below one unit in the last place everywhere, no steps between its pieces, and angles of points."""

import math

import pytest
from algebra.common import ulps
from hypothesis import example, given, settings
from hypothesis import strategies as st
from mpmath import mp, mpf

from fastdyn.algebra.arctan import arctan, arctan2

pytestmark = pytest.mark.kernels
JOINTS = (0.4375, 0.6875, 1.1875, 2.4375)                # where one form of the series takes over from the next
sizes = st.floats(0.0, math.inf) | st.floats(0.0, 4.0) | st.floats(-320.0, 308.0).map(lambda e: 10.0**e)


def with_neighbours(test):
    for x in (*JOINTS, 1.0, 0.0, 5e-324, 1e-300, 1e300, math.inf):
        for y in (x, math.nextafter(x, math.inf), math.nextafter(x, 0.0)):
            test = example(y)(test)
    return test


@settings(max_examples=400)
@given(sizes)
@with_neighbours
def test_below_one_unit_in_the_last_place(x):
    true = mp.atan(mpf(x)) if math.isfinite(x) else mp.pi/2
    assert ulps(arctan(x), true) <= (0.9 if x > 0.0 else 0.0)


@settings(max_examples=400)
@given(st.floats(-1e300, 1e300) | st.floats(-4.0, 4.0), st.floats(0.0, 1e300) | st.floats(0.0, 4.0))
@example(0.0, 0.0)
@example(-1.0, 0.0)
@example(1.0, 0.0)
@example(0.0, 1.0)
@example(-1e-300, 1e300)
@example(1e300, 1e-300)
def test_angle_of_a_point(x, y):
    """Within 1.5 units of the last place, or of the smallest number where the angle itself is smaller"""
    got, true = arctan2(y, x), mp.atan2(mpf(y), mpf(x))
    assert 0.0 <= got <= math.pi
    assert abs(mpf(got) - true) <= 1.5*mpf(math.ulp(float(true)))


def test_no_number_stays_none():
    assert math.isnan(arctan(math.nan)) and math.isnan(arctan2(math.nan, 1.0))
