"""Energy of closures with springs, from the poses of the rows."""

import math

from .._jit import leaf
from ..algebra.vectors import add, dot, mul, sub
from ..layout import (
    ACROSS, ALONG, GAP_AT_A, GAP_AT_B, GAP_FIXED, GAP_KIND, GAP_LENGTH, GAP_ON_A, GAP_ON_B, GAP_ROW_A, GAP_ROW_B,
    GAP_STIFFNESS)
from .joints import STRAIGHT, numbers3


@leaf
def pose_of(pose, i):
    """(turn to the world, origin) of row i, -1: the base"""
    if i < 0:
        return STRAIGHT, (0.0, 0.0, 0.0)
    a = 12*i
    return ((pose[a], pose[a + 1], pose[a + 2], pose[a + 3], pose[a + 4], pose[a + 5], pose[a + 6], pose[a + 7],
             pose[a + 8]), (pose[a + 9], pose[a + 10], pose[a + 11]))


@leaf
def stretch(model, pose, k):
    """The value of gap k, as in formulations/gaps.py"""
    c, kind = model.closure, int(model.closure[k, GAP_KIND])
    (A, a), (B, b) = pose_of(pose, int(c[k, GAP_ROW_A])), pose_of(pose, int(c[k, GAP_ROW_B]))
    n, w = numbers3(c, k, GAP_ON_A), numbers3(c, k, GAP_ON_B)
    if kind == ACROSS:
        return dot(mul(A, n), mul(B, w))
    d = sub(add(b, mul(B, numbers3(c, k, GAP_AT_B))), add(a, mul(A, numbers3(c, k, GAP_AT_A))))
    if kind == ALONG:
        return dot(mul(A, n) if c[k, GAP_FIXED] == 1.0 else n, d)
    return math.sqrt(dot(d, d)) - c[k, GAP_LENGTH]


@leaf
def closure_energy(model, pose):
    """Energy in the springs of closures"""
    energy = 0.0
    for k in range(model.closure.shape[0]):
        if model.closure[k, GAP_STIFFNESS] < math.inf:
            g = stretch(model, pose, k)
            energy += 0.5*model.closure[k, GAP_STIFFNESS]*g*g
    return energy
