"""Marked points of an arm that meet planes: gap, sliding, forces, and what the forces do to the coordinates.

Q_a = (F_N n + F_T)' dr_P/dz_a, from the point inward with its place in homogeneous numbers.
"""

from .._address import shifted
from .._jit import leaf, pointer, sweep
from ..algebra.vectors import add, dot, scale, sub
from ..laws.contact import normal_force, normal_force_rate
from ..laws.friction import creeping_friction_in_space, creeping_kinks
from .homogeneous import point_of
from .layout import (
    C_FRICTION, C_FRICTION_NUMBERS, C_LAW, C_LEVEL, C_LINK, C_NORMAL, C_NUMBERS, C_POINT, FIRST, GAUSS, MODES, POINT,
    TABLE, TIP, TURN, WD, WDD, A, E, W)
from .link_sums import SD
from .section import place, shape_of


@leaf
def three(x, k, i): return x[k, i], x[k, i + 1], x[k, i + 2]


@leaf
def five(x, k, i): return x[k, i], x[k, i + 1], x[k, i + 2], x[k, i + 3], x[k, i + 4]


@sweep
def local_point(arm, work, c, q, v):
    """((r, r', r''*), row of the table) of contact c's point in the frame of its link, row -1: a rigid link"""
    k = int(arm.contact[c, C_LINK])
    link = arm.link[k]
    if link[MODES] == 0:
        tip = arm.frame[k, TIP + 3], arm.frame[k, TIP + 7], arm.frame[k, TIP + 11]
        return (scale(arm.contact[c, C_POINT], tip), (0.0, 0.0, 0.0), (0.0, 0.0, 0.0)), -1
    at = link[TABLE] + (link[GAUSS] + int(arm.contact[c, C_POINT]))*link[POINT]
    found, _ = place(arm.table, at, link, q, v, shifted(pointer(work.section), SD*work.section.shape[1]))
    return found, at


@sweep
def motion_of(arm, work, c, q, v):
    """(place, velocity, acceleration with z'' = 0 and gravity taken off) of a point, world axes; poses are known"""
    (r, u, a), _ = local_point(arm, work, c, q, v)
    X = work.pose[int(arm.contact[c, C_LINK]) + 1]
    at = point_of(X, W, r[0], r[1], r[2], 1.0)
    speed = add(point_of(X, WD, r[0], r[1], r[2], 1.0), point_of(X, W, u[0], u[1], u[2], 0.0))
    drift = add(add(point_of(X, WDD, r[0], r[1], r[2], 1.0), scale(2.0, point_of(X, WD, u[0], u[1], u[2], 0.0))),
                point_of(X, W, a[0], a[1], a[2], 0.0))
    return at, speed, add(drift, (arm.gravity[0], arm.gravity[1], arm.gravity[2]))


@leaf
def depth_of(arm, c, r): return arm.contact[c, C_LEVEL] - dot(three(arm.contact, c, C_NORMAL), r)


@leaf
def sliding(n, u): return sub(u, scale(dot(n, u), n))


@leaf
def forces_of(arm, c, r, u, touch):
    """(F_N, F_T as a vector)"""
    n, K = three(arm.contact, c, C_NORMAL), arm.contact
    N = normal_force(int(K[c, C_LAW]), five(K, c, C_NUMBERS), depth_of(arm, c, r), -dot(n, u), touch)
    return N, creeping_friction_in_space(int(K[c, C_FRICTION]), five(K, c, C_FRICTION_NUMBERS), N, sliding(n, u))


@leaf
def normal_slope(arm, c, r, u, a, touch):
    """dF_N/dt"""
    n, K = three(arm.contact, c, C_NORMAL), arm.contact
    return normal_force_rate(int(K[c, C_LAW]), five(K, c, C_NUMBERS), depth_of(arm, c, r), -dot(n, u), -dot(n, a),
                             touch)


@leaf
def kink_gap(arm, c, which, n, u):
    """Slip speed less that of a kink of the friction; 1 where there is no such kink"""
    count, first, second = creeping_kinks(int(arm.contact[c, C_FRICTION]), five(arm.contact, c, C_FRICTION_NUMBERS))
    s = sliding(n, u)
    return dot(s, s)**0.5 - (first if which == 0 else second) if which < count else 1.0


@sweep
def pushed(arm, work, c, q, v, F, out, share):
    """out += share F' dr/dz of contact c's point; returns F' dr/dz v, work.mode is known"""
    (r, _, _), at = local_point(arm, work, c, q, v)
    k, power = int(arm.contact[c, C_LINK]), 0.0
    x, y, z = r
    for i in range(k, -1, -1):
        link, X = arm.link[i], work.pose[i + 1]
        n, first = link[MODES], link[FIRST]
        for f in range(n):
            if i == k:
                d, _ = shape_of(arm.table, at, n, f, work.section[SD, f])
                u = point_of(X, W, d[0], d[1], d[2], 0.0)
            else:
                m = work.mode
                u = (m[0, first + f]*x + m[1, first + f]*y + m[2, first + f]*z + m[3, first + f],
                     m[4, first + f]*x + m[5, first + f]*y + m[6, first + f]*z + m[7, first + f],
                     m[8, first + f]*x + m[9, first + f]*y + m[10, first + f]*z + m[11, first + f])
            out[first + f] += share*dot(F, u)
            power += dot(F, u)*v[first + f]
        if i < k:
            x, y, z = point_of(X, E, x, y, z, 1.0)
        if link[TURN] >= 0:
            u = point_of(X, W, -y, x, 0.0, 0.0)
            out[link[TURN]] += share*dot(F, u)
            power += dot(F, u)*v[link[TURN]]
        else:                                               # held by the drive that prescribes its motion
            u = point_of(X, W, -y, x, 0.0, 0.0)
            work.drive[arm.spring.shape[0] + i] += share*dot(F, u)
        x, y, z = point_of(X, A, x, y, z, 1.0)
    return power


@sweep
def met(arm, work, q, v, touch, out):
    """out += forces of all contacts that touch; (power of normal forces, of friction); work.mode is known"""
    normal_power = friction_power = 0.0
    for c in range(arm.contact.shape[0]):
        if touch[c] > 0.0:
            r, u, _ = motion_of(arm, work, c, q, v)
            N, F = forces_of(arm, c, r, u, touch[c])
            n = three(arm.contact, c, C_NORMAL)
            normal_power += N*dot(n, u)
            friction_power += dot(F, u)
            pushed(arm, work, c, q, v, add(scale(N, n), F), out, 1.0)
    return normal_power, friction_power


@leaf
def touches(arm, touch):
    """Whether any contact does"""
    any_touch = False
    for c in range(arm.contact.shape[0]):
        any_touch = any_touch | (touch[c] > 0.0)
    return any_touch
