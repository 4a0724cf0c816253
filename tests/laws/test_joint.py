"""What a joint does by itself: slopes of an energy, and brakes that only ever take power."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from strategies import between

from fastdyn.laws.joint import ball_torque, spring_energy, spring_torque
from fastdyn.layout import DAMPING, LIMIT_DAMPING, LIMIT_STIFFNESS, LOWER, REST, SPRING, STIFFNESS, UPPER

pytestmark = pytest.mark.kernels
positive = between(0.0, 10.0)


@st.composite
def springs(draw, braked=True):
    """The row of a joint's spring behind another one; without limits every other time."""
    row = np.zeros((2, SPRING))
    row[:, LOWER], row[:, UPPER] = -np.inf, np.inf
    row[1, STIFFNESS], row[1, REST] = draw(positive), draw(between(-1.0, 1.0))
    if draw(st.booleans()):
        row[1, LOWER], row[1, UPPER] = -draw(positive), draw(positive)
        row[1, LIMIT_STIFFNESS] = draw(positive)
    if braked:
        row[1, DAMPING], row[1, LIMIT_DAMPING] = draw(positive), draw(positive)
    return row


@settings(max_examples=200)
@given(springs(braked=False), between(-15.0, 15.0))
def test_the_slope_of_the_energy(spring, q):
    h = 1e-3
    for limit in (spring[1, LOWER], spring[1, UPPER]):
        if abs(q - limit) <= h:
            q = limit + 2*h
    slope = (spring_energy(spring, 1, q + h) - spring_energy(spring, 1, q - h))/(2*h)  # a parabola
    assert spring_torque(spring, 1, q, 0.0) == pytest.approx(-slope, rel=1e-9, abs=1e-9)
    assert spring_energy(spring, 1, q) >= 0.0


@settings(max_examples=100)
@given(springs(), between(-15.0, 15.0), between(-5.0, 5.0))
def test_brakes_take_power(spring, q, v):
    braking = spring_torque(spring, 1, q, v) - spring_torque(spring, 1, q, 0.0)
    c = spring[1, DAMPING] + spring[1, LIMIT_DAMPING]*(q < spring[1, LOWER] or q > spring[1, UPPER])
    assert braking == pytest.approx(-c*v, rel=1e-12, abs=1e-12)


def test_nothing_happens_at_a_limit():
    spring = np.zeros((1, SPRING))
    spring[0, [LOWER, UPPER, LIMIT_STIFFNESS, LIMIT_DAMPING]] = -1.0, 1.0, 10.0, 5.0
    assert [spring_torque(spring, 0, q, 2.0) for q in (-1.0, 1.0)] == [0.0, 0.0]
    assert [spring_torque(spring, 0, q, 2.0) for q in (-1.5, 1.5)] == [5.0 - 10.0, -5.0 - 10.0]
    assert [spring_energy(spring, 0, q) for q in (-1.5, 0.0, 1.0, 1.5)] == [1.25, 0.0, 0.0, 1.25]


def test_without_limits_infinity_is_no_number_to_reckon_with():
    spring = np.zeros((1, SPRING))
    spring[0, LOWER], spring[0, UPPER] = -np.inf, np.inf
    assert spring_torque(spring, 0, 3.0, 1.0) == 0.0 and spring_energy(spring, 0, 3.0) == 0.0


def test_a_ball_joint_acts_alike_in_all_directions():
    spring = np.zeros((4, SPRING))
    spring[1, [STIFFNESS, DAMPING]] = 2.0, 0.5
    assert ball_torque(spring, 1, (1.0, -2.0, 3.0), (4.0, 0.0, -2.0)) == (-4.0, 4.0, -5.0)
