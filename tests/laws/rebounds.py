"""A point mass of 1 kg thrown against one contact point: what comes out of runs, and what theory says.

m u u' = -K d^n (1 + c u/v) separates: with G(x) = x/c - log(1 + c x)/c^2 the rebound e has G(-e) = G(1), that is
c (1 + e) = log((1 + c)/(1 - c e)), and the largest depth is ((n + 1) m v^2 G(1)/K)^(1/(n + 1)).
"""

from typing import NamedTuple

import numpy as np
from mpmath import mp, mpf

from fastdyn._address import Handle
from fastdyn._jit import kernel
from fastdyn.laws.contact import damping_factor, dissipated_power, normal_force
from fastdyn.layout import HALT
from fastdyn.run.course import Course
from fastdyn.steppers.desk import GAPS, RATE, SWITCH

NOTHING = np.zeros(4, np.int64).view(Handle)
DEPTH, SPEED, LOST, LAW, FIRST_NUMBER, TOUCH = 0, 1, 2, 3, 4, 9


@kernel(RATE)
def against_the_ground(handle, t, y, dy):
    """y: depth, its rate, energy lost; then what stays: law, its five numbers, impact speed"""
    law, p = int(y[LAW]), (y[FIRST_NUMBER], y[5], y[6], y[7], y[8])
    dy[DEPTH] = y[SPEED]
    dy[SPEED] = -normal_force(law, p, y[DEPTH], y[SPEED], y[TOUCH])
    dy[LOST] = dissipated_power(law, p, y[DEPTH], y[SPEED], y[TOUCH])
    for i in range(LAW, TOUCH + 1):
        dy[i] = 0.0
    return 0


@kernel(GAPS)
def depth_and_speed(handle, t, y, gaps):
    gaps[0], gaps[1] = y[DEPTH], y[SPEED]
    return 0


@kernel(SWITCH)
def stop_when_out(handle, t, y, which, direction, sides):
    return HALT if which == 0 else 0


class Rebound(NamedTuple):
    """Speed out over speed in; energy lost over energy in; time in contact, s; what it took"""

    ratio: float
    lost: float
    duration: float
    counts: dict


def theory(c, exponent, stiffness, v):
    """(rebound, largest depth in m) of a mass of 1 kg for F = K d^n (1 + c u/v)"""
    with mp.workdps(40):
        c, n = mpf(c), mpf(exponent)
        if c == 0:
            return 1.0, float(((n + 1)*v**2/(2*mpf(stiffness)))**(1/(n + 1)))
        low, high = mpf(0), min(mpf(1), 1/c)
        for _ in range(120):                            # c(1 + e) + log(1 - c e) - log(1 + c) falls through 0 once
            e = (low + high)/2
            low, high = (e, high) if c*(1 + e) + mp.log(1 - c*e) > mp.log(1 + c) else (low, e)
        most = ((n + 1)*mpf(v)**2*(1/c - mp.log(1 + c)/c**2)/stiffness)**(1/(n + 1))
        return float(e), float(most)


def thrown(law, p, v, touch=None, rtol=1e-10):
    """A run from the touch until the mass is out again."""
    touch = v if touch is None else touch
    e, most = theory(damping_factor(law, p[2])*v/max(touch, p[3]), p[1], p[0], v)
    scale = np.array([most, v, 0.5*v*v, *(1.0,)*7])
    course = Course(against_the_ground, NOTHING, [0.0, v, 0.0, law, *p, touch], gaps=depth_and_speed,
                    switch=stop_when_out, watch=[-1, -1], atol=1e-3*rtol*scale, rtol=rtol,
                    event_tol=1e-12*most/v)
    course.to(100.0*most/(v*e))
    d, u, lost = course.y[:3]
    assert abs(d) <= 1e-9*most, "still inside"
    return Rebound(-u/v, lost/(0.5*v*v), course.t, course.counts)
