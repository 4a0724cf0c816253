"""Gaps of closures: their values, rates and second rates, the pair of wrenches each acts with, springs on them.

A gap g between place a and place b (layout.py, Model.closure) has, with d from a to b, n a direction of a, w one of b:

    ALONG       g = n.d             ACROSS      g = n.w             SEPARATION  g = |d| - length

Its gradient is a force f on b at b, -f on a at a, and moments m on both: g' = f.(u_b - u_a) + m_a.w_a + m_b.w_b.
Everything is in world axes. Places and motions come from Work.motion and Work.pose (row_motion.py).
"""

import math
from functools import cache
from typing import NamedTuple

from .._jit import borrower, leaf
from ..algebra.vectors import add, cross, dot, mul, scale, sub, tmul
from ..layout import (
    ACROSS, ALONG, GAP_AT_A, GAP_AT_B, GAP_DAMPING, GAP_FIXED, GAP_KIND, GAP_LENGTH, GAP_ON_A, GAP_ON_B, GAP_ROW_A,
    GAP_ROW_B, GAP_STIFFNESS, MOTION, PARENT, STEP, V_AT, WEB_AT, WEB_BOTH, WEB_GAP, WEB_HEAD, WEB_WAY_A, WEB_WAY_B)
from .elastic import VECTOR_S, VECTOR_W, Z, deflecting, is_beam, of_vector
from .joints import freedoms, joint_column, numbers3
from .kinematics import load3, load9, store
from .row_motion import motion_in_plane, motion_in_space

NOTHING = (0.0, 0.0, 0.0)
PLACES, SPEEDS, ACCELERATIONS = range(3)


class Gaps(NamedTuple):
    """What is asked of the first `count` gaps of a chain in the plane, or in space; `fill`ed first, as far as needed.

    Each a function of its own, not inlined: it is compiled once for all kernels.
    """

    places: object          # (model, work, q, v, acc): fill Work.motion and Work.pose; then up to speeds, accelerations
    speeds: object
    accelerations: object
    values: object          # (model, work, count, out): g
    worst: object           # (model, work, count, out) -> the largest g for its size; g into out
    rates: object           # (model, work, count, out): g'
    seconds: object         # (model, work, count, out): g'', Work.motion filled for accelerations
    gradient: object        # (model, work, k, J, at): row k of the Jacobian, from place `at` on
    gradients: object       # (model, work, count, J): its rows, flat
    on_ways: object         # (model, work, count, J): of gaps held exactly, only what is on their ways (mobility.py)
    pairs: object           # (model, work, count, out): f, m_a, m_b of each, (count, 9)
    push: object            # (model, work, count, force): force times the gradients on top of Work.wrench
    springs: object         # (model, work, q, v) -> power of the dampers; forces of gaps with springs, Work.wrench
    turned: object          # leaf (work, i, x): row components to world axes
    origin: object          # leaf (work, i)
    column: object          # leaf (model, work, i, c) -> (turn, slide) of a unit rate, world axes
    given: object           # (model, work, q, v, s, e) -> the same, s given in place of K g + D g', which is told as e
    energy: object          # (model, work, q, v) -> the same power; slopes of the energy of springs, to Work.torque
    energy_given: object    # (model, work, q, v, s, e) -> the same, s given in place of K g + D g'
    pair: object            # leaf (model, work, k) -> f, m_a, m_b, and the arms of a and b


@cache
def gaps(plane):
    """The leaves, for chains in the plane or in space."""
    motion_in = motion_in_plane if plane else motion_in_space

    def filling(depth):
        fill = motion_in(depth)

        @borrower
        def filled(model, work, q, v, acc):
            fill(model, work, q, v, acc)

        return filled

    places, speeds, accelerations = map(filling, (PLACES, SPEEDS, ACCELERATIONS))

    @leaf
    def turned(work, i, x):
        """Row components to world axes; -1 is the base"""
        if i < 0:
            return x
        if plane:
            c, s = work.motion[MOTION*i], work.motion[MOTION*i + 1]
            return c*x[0] - s*x[1], s*x[0] + c*x[1], x[2]
        return mul(load9(work.pose, 12*i), x)

    @leaf
    def origin(work, i):
        if i < 0:
            return NOTHING
        if plane:
            return work.motion[MOTION*i + 2], work.motion[MOTION*i + 3], 0.0
        return load3(work.pose, 12*i + 9)

    @leaf
    def twist(work, i, at):
        """(angular, linear) velocity of row i, or with `at` behind it, acceleration"""
        if i < 0:
            return NOTHING, NOTHING
        M, m = work.motion, MOTION*i
        if plane:
            m += 4 + at//2
            return (0.0, 0.0, M[m]), (M[m + 1], M[m + 2], 0.0)
        R, m = load9(work.pose, 12*i), m + at
        return mul(R, load3(M, m)), mul(R, load3(M, m + 3))

    @leaf
    def rows_of(model, k):
        return int(model.closure[k, GAP_ROW_A]), int(model.closure[k, GAP_ROW_B])

    @leaf
    def arms(model, work, k):
        """(arm of a, arm of b, d): origins of the rows to the places, a to b"""
        a, b = rows_of(model, k)
        ra = turned(work, a, numbers3(model.closure, k, GAP_AT_A))
        rb = turned(work, b, numbers3(model.closure, k, GAP_AT_B))
        return ra, rb, sub(add(origin(work, b), rb), add(origin(work, a), ra))

    @leaf
    def directions(model, work, k):
        """(n, w) of a and of b"""
        a, b = rows_of(model, k)
        n, w = numbers3(model.closure, k, GAP_ON_A), numbers3(model.closure, k, GAP_ON_B)
        if int(model.closure[k, GAP_KIND]) == ACROSS:
            return turned(work, a, n), turned(work, b, w)
        return (turned(work, a, n) if model.closure[k, GAP_FIXED] == 1.0 else n), w

    @leaf
    def value(model, work, k):
        kind, (_, _, d), (n, w) = int(model.closure[k, GAP_KIND]), arms(model, work, k), directions(model, work, k)
        if kind == ALONG:
            return dot(n, d)
        if kind == ACROSS:
            return dot(n, w)
        return math.sqrt(dot(d, d)) - model.closure[k, GAP_LENGTH]

    @leaf
    def size(model, work, k):
        if int(model.closure[k, GAP_KIND]) == ACROSS:
            return 1.0
        (a, b), (ra, rb, _) = rows_of(model, k), arms(model, work, k)
        x, y = origin(work, a), origin(work, b)
        return (abs(x[0]) + abs(x[1]) + abs(x[2]) + abs(y[0]) + abs(y[1]) + abs(y[2])
                + abs(ra[0]) + abs(ra[1]) + abs(ra[2]) + abs(rb[0]) + abs(rb[1]) + abs(rb[2]))

    @leaf
    def pair_and_value(model, work, k):
        """(f, m_a, m_b, arm of a, arm of b), g"""
        kind, (ra, rb, d), (n, w) = int(model.closure[k, GAP_KIND]), arms(model, work, k), directions(model, work, k)
        if kind == ALONG:
            m = cross(n, d) if model.closure[k, GAP_FIXED] == 1.0 else NOTHING
            return (n, m, NOTHING, ra, rb), dot(n, d)
        if kind == ACROSS:
            m = cross(n, w)
            return (NOTHING, m, scale(-1.0, m), ra, rb), dot(n, w)
        long = math.sqrt(dot(d, d))
        return (scale(1.0/long, d), NOTHING, NOTHING, ra, rb), long - model.closure[k, GAP_LENGTH]

    @leaf
    def pair(model, work, k): return pair_and_value(model, work, k)[0]

    @leaf
    def rate_of(model, work, k, pair):
        (a, b), (f, ma, mb, ra, rb) = rows_of(model, k), pair
        (wa, ua), (wb, ub) = twist(work, a, 0), twist(work, b, 0)
        return (dot(f, sub(add(ub, cross(wb, rb)), add(ua, cross(wa, ra)))) + dot(ma, wa) + dot(mb, wb))

    @leaf
    def rate(model, work, k): return rate_of(model, work, k, pair(model, work, k))

    @leaf
    def second(model, work, k):
        kind, (a, b), (ra, rb, d) = int(model.closure[k, GAP_KIND]), rows_of(model, k), arms(model, work, k)
        (n, w), (wa, ua), (wb, ub) = directions(model, work, k), twist(work, a, 0), twist(work, b, 0)
        (la, xa), (lb, xb) = twist(work, a, 6), twist(work, b, 6)
        if kind == ACROSS:
            dn, dw = cross(wa, n), cross(wb, w)
            ddn, ddw = add(cross(la, n), cross(wa, dn)), add(cross(lb, w), cross(wb, dw))
            return dot(ddn, w) + 2.0*dot(dn, dw) + dot(n, ddw)
        da, db = cross(wa, ra), cross(wb, rb)
        u = sub(add(ub, db), add(ua, da))
        x = sub(add(xb, add(cross(lb, rb), cross(wb, db))), add(xa, add(cross(la, ra), cross(wa, da))))
        if kind == ALONG:
            if model.closure[k, GAP_FIXED] != 1.0:
                return dot(n, x)
            dn = cross(wa, n)
            return dot(n, x) + 2.0*dot(dn, u) + dot(add(cross(la, n), cross(wa, dn)), d)
        r = 1.0/math.sqrt(dot(d, d))
        along = r*dot(d, u)
        return r*(dot(d, x) + dot(u, u) - along*along)

    @leaf
    def column(model, work, i, c):
        """(turn, slide) of a unit rate of freedom c of row i, world axes"""
        if plane and is_beam(model.row, i):
            slide = turned(work, model.row[i, PARENT], deflecting(model, i, VECTOR_W, c))
            return scale(of_vector(model, i, VECTOR_S, c), Z), slide
        turn, slide = joint_column(model.row, model.body, i, c)
        return turned(work, i, turn), turned(work, i, slide)

    @borrower
    def values(model, work, count, out):
        for k in range(count):
            out[k] = value(model, work, k)

    @borrower
    def worst(model, work, count, out):
        most = 0.0
        for k in range(count):
            out[k] = value(model, work, k)
            most = max(most, abs(out[k])/size(model, work, k))
        return most

    @borrower
    def rates(model, work, count, out):
        for k in range(count):
            out[k] = rate(model, work, k)

    @borrower
    def seconds(model, work, count, out):
        for k in range(count):
            out[k] = second(model, work, k)

    @borrower
    def pairs(model, work, count, out):
        for k in range(count):
            f, ma, mb, _, _ = pair(model, work, k)
            store(out[k], 0, f + ma + mb)

    @borrower
    def gradient(model, work, k, J, at):
        """A force through the world origin and a moment about it, felt by every row on the way to the base"""
        for j in range(model.spring.shape[0]):
            J[at + j] = 0.0
        (a, b), (f, ma, mb, ra, rb) = rows_of(model, k), pair(model, work, k)
        for end in range(2):
            i, m = (a, add(ma, cross(f, add(origin(work, a), ra)))) if end == 0 else (
                b, add(mb, cross(add(origin(work, b), rb), f)))
            force = scale(-1.0, f) if end == 0 else f
            while i >= 0:
                about, j = sub(m, cross(origin(work, i), force)), at + model.row[i, V_AT]
                for c in range(freedoms(model.row[i, STEP])):
                    turn, slide = column(model, work, i, c)
                    J[j + c] += dot(turn, about) + dot(slide, force)
                i = model.row[i, PARENT]

    @borrower
    def gradients(model, work, count, J):
        nv = model.spring.shape[0]
        for k in range(count):
            gradient(model, work, k, J, k*nv)

    @borrower
    def on_ways(model, work, count, J):
        web, base = model.web, WEB_HEAD + 2*model.spring.shape[0] + 1
        for k in range(count):
            g = base + WEB_GAP*k
            at = web[g + WEB_AT]
            long_a, long_b, both = web[g + WEB_WAY_A], web[g + WEB_WAY_B], web[g + WEB_BOTH]
            (a, b), (f, ma, mb, ra, rb) = rows_of(model, k), pair(model, work, k)
            for end in range(2):
                i, m = (b, add(mb, cross(add(origin(work, b), rb), f))) if end == 0 else (
                    a, add(ma, cross(f, add(origin(work, a), ra))))
                force, p = (f, at) if end == 0 else (scale(-1.0, f), at + long_b)
                only = at + long_b + long_a - both      # from here on a's way is b's
                while i >= 0:
                    about, last = sub(m, cross(origin(work, i), force)), freedoms(model.row[i, STEP]) - 1
                    for c in range(last + 1):
                        turn, slide = column(model, work, i, last - c)
                        pull = dot(turn, about) + dot(slide, force)
                        if end == 0 or p < only:
                            J[p] = pull
                        else:
                            J[p - only + at + long_b - both] += pull
                        p += 1
                    i = model.row[i, PARENT]

    @leaf
    def act(work, i, moment, force):
        """A wrench about the origin of row i, world axes, on top of Work.wrench"""
        if i >= 0:
            if plane:
                c, s, at = work.motion[MOTION*i], work.motion[MOTION*i + 1], 6*i + 2
                work.wrench[at] += moment[2]
                work.wrench[at + 1] += c*force[0] + s*force[1]
                work.wrench[at + 2] += c*force[1] - s*force[0]
            else:
                R, at = load9(work.pose, 12*i), 6*i
                store(work.wrench, at, add(load3(work.wrench, at), tmul(R, moment))
                      + add(load3(work.wrench, at + 3), tmul(R, force)))

    @leaf
    def push_one(model, work, k, pair, share):
        (a, b), (f, ma, mb, ra, rb) = rows_of(model, k), pair
        f, ma, mb = scale(share, f), scale(share, ma), scale(share, mb)
        act(work, b, add(mb, cross(rb, f)), f)
        act(work, a, sub(ma, cross(ra, f)), scale(-1.0, f))

    @borrower
    def push(model, work, count, force):
        for k in range(count):
            push_one(model, work, k, pair(model, work, k), force[k])

    @borrower
    def springs(model, work, q, v):
        power = 0.0
        speeds(model, work, q, v, v)
        for k in range(model.closure.shape[0]):
            stiffness, damping = model.closure[k, GAP_STIFFNESS], model.closure[k, GAP_DAMPING]
            if stiffness < math.inf:
                both, g = pair_and_value(model, work, k)
                u = rate_of(model, work, k, both)
                power -= damping*u*u
                push_one(model, work, k, both, -(stiffness*g + damping*u))
        return power

    @borrower
    def given(model, work, q, v, s, e):
        power, j = 0.0, 0
        speeds(model, work, q, v, v)
        for k in range(model.closure.shape[0]):
            stiffness, damping = model.closure[k, GAP_STIFFNESS], model.closure[k, GAP_DAMPING]
            if stiffness < math.inf:
                both, g = pair_and_value(model, work, k)
                u = rate_of(model, work, k, both)
                power -= damping*u*u
                e[j] = stiffness*g + damping*u
                push_one(model, work, k, both, -s[j])
                j += 1
        return power

    @leaf
    def along_slopes(model, work, k, v, row):
        """dg/dq of gap k into row -> (g, g')"""
        gradient(model, work, k, row, 0)
        u = 0.0
        for j in range(v.shape[0]):
            u += row[j]*v[j]
        return value(model, work, k), u

    @borrower
    def energy(model, work, q, v):
        power, row = 0.0, work.dense
        places(model, work, q, v, v)
        for k in range(model.closure.shape[0]):
            stiffness, damping = model.closure[k, GAP_STIFFNESS], model.closure[k, GAP_DAMPING]
            if stiffness < math.inf:
                g, u = along_slopes(model, work, k, v, row)
                power -= damping*u*u
                for j in range(v.shape[0]):
                    work.torque[j] -= (stiffness*g + damping*u)*row[j]
        return power

    @borrower
    def energy_given(model, work, q, v, s, e):
        power, row, i = 0.0, work.dense, 0
        places(model, work, q, v, v)
        for k in range(model.closure.shape[0]):
            stiffness, damping = model.closure[k, GAP_STIFFNESS], model.closure[k, GAP_DAMPING]
            if stiffness < math.inf:
                g, u = along_slopes(model, work, k, v, row)
                power -= damping*u*u
                e[i] = stiffness*g + damping*u
                for j in range(v.shape[0]):
                    work.torque[j] -= s[i]*row[j]
                i += 1
        return power

    return Gaps(places, speeds, accelerations, values, worst, rates, seconds, gradient, gradients, on_ways, pairs, push,
                springs, turned, origin, column, given, energy, energy_given, pair)


@leaf
def held(model):
    """Number of gaps that forces keep at zero; they come first"""
    count = 0
    for k in range(model.closure.shape[0]):
        if model.closure[k, GAP_STIFFNESS] == math.inf:
            count += 1
    return count
