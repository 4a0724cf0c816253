"""Switching functions of a spatial arm: gaps, kinks of friction, the slope of normal forces, bending too far."""

import math

from .._address import GAPS
from .._jit import kernel
from ..algebra.vectors import add as plus
from ..algebra.vectors import scale
from ..status import NOT_FINITE, OK
from .layout import C_NORMAL, GAUSS, MODES, POINT, TABLE, E
from .poses import poses
from .recursive_system import solved
from .system import BEND, FUNCTIONS, SLOPE, opened, parts
from .touching import depth_of, kink_gap, motion_of, normal_slope, pushed, three, touches
from .view import view


@kernel(GAPS)
def gaps(handle, t, y, gaps):
    """FUNCTIONS numbers a contact, then how far the links are from bending by half their length."""
    arm, work = opened(handle)
    q, v, touch = parts(handle, y)
    if touches(arm, touch):
        status, _, _ = solved(arm, work, t, q, v, touch)
        if status != OK:
            return status
    else:
        poses(view(arm, work), t, q, v)
    for c in range(arm.contact.shape[0]):
        r, u, a = motion_of(arm, work, c, q, v)
        n, i = three(arm.contact, c, C_NORMAL), FUNCTIONS*c
        gaps[i], gaps[i + 1], gaps[i + 2], gaps[i + SLOPE] = -depth_of(arm, c, r), 1.0, 1.0, 1.0
        if touch[c] > 0.0:
            gaps[i + 1], gaps[i + 2] = kink_gap(arm, c, 0, n, u), kink_gap(arm, c, 1, n, u)
            more = pushed(arm, work, c, q, work.force, n, work.force, 0.0)
            gaps[i + SLOPE] = normal_slope(arm, c, r, u, plus(a, scale(more, n)), touch[c])
        if not abs(gaps[i]) < math.inf:
            return NOT_FINITE
    least = math.inf
    for k in range(arm.link.shape[0]):
        if arm.link[k, MODES] > 0:
            X = work.pose[k + 1]
            tip = arm.table[arm.link[k, TABLE] + arm.link[k, GAUSS]*arm.link[k, POINT]]
            least = min(least, BEND*tip - math.sqrt(X[E + 7]*X[E + 7] + X[E + 11]*X[E + 11]))
    gaps[FUNCTIONS*arm.contact.shape[0]] = min(least, 1.0e3)
    return OK
