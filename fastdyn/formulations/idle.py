"""Which gaps that are held take no part for a while: those that the pose leaves no joint a lever on.

In a singular pose the row of a gap vanishes, whatever the masses are; what heavy links leave small is a row all the
same. So a gap is idle where no joint has a lever on it but rounding, and where it yields little beside others of its
closure, or has none to be compared with, and, joint by joint, its lever is small beside the longest that the joint ever
has there. A single freedom between the ends has its lever in one pose only. Derivation in docs/theory/loops.md.
"""

import math
from functools import cache

from .._jit import borrower, leaf
from ..algebra.vectors import add, cross, dot, scale, sub
from ..layout import (
    ACROSS, GAP_AT_A, GAP_AT_B, GAP_FIXED, GAP_KIND, GAP_OF, GAP_ON_A, GAP_ON_B, GAP_ROW_A, GAP_ROW_B, GAP_SCALE,
    PARENT, STEP, V_AT)
from .gaps import NOTHING, gaps
from .joints import freedoms, numbers3

IDLE = 1e-8                 # of what the other gaps of a closure yield, each measured by its scale
LEVER = 1e-4                # of the longest lever: its square is IDLE
NO_LEVER = 1e-10            # of the longest lever: what rounding leaves of none
KEPT = 1e-9                 # of a gap's scale, or of 1: a joint that never opens a gap by more has no lever on it
NO_REACH = 1e-12            # of the same: what rounding leaves of no lever, where it may be one in other poses
FAR = 0.01                  # of how far from origins of the base and of links places are: that much they are rounded
SURE = 1e-6                 # of a gap's scale, or of 1: an entry of its row is a lever without more ado
ROUNDING = 1e-8             # of a gap's scale: shorter reaches are what rounding leaves of none


@leaf
def length(x): return math.sqrt(dot(x, x))


@leaf
def is_sure(model, g, most):
    """Whether the row of gap g, `most` its largest entry, is none of rounding: nearly always, and at little cost"""
    return most > SURE*max(model.closure[g, GAP_SCALE], 1.0)


@leaf
def is_idle(sure, doubtful, share):
    """Of a gap that is_sure, or in_doubt, or both; share: of the longest lever, what a joint has on it here"""
    return share <= (LEVER if doubtful else NO_LEVER) and (doubtful or not sure)


@leaf
def in_doubt(model, m, x, g):
    """Whether gap g yields hardly, or alone, beside others of its closure"""
    most = 0.0
    for way in range(2):
        l = g
        while 0 <= l < m and model.closure[l, GAP_OF] == model.closure[g, GAP_OF]:
            if l != g:
                most = max(most, x[l])
            l += 1 if way == 0 else -1
    return x[g] < IDLE*most or most <= IDLE*x[g]


@cache
def levers(plane):
    """Leaf: (model, work, k, longest) -> share; Work.motion and Work.pose are filled.

    The largest share of its longest lever that a velocity has on gap k here, 0 where all are rounding, 1 where there
    is a single one that is not. longest (nv) becomes, where it is less, the longest lever that each velocity ever has
    on the gap, over its scale.
    """
    G = gaps(plane)

    @borrower
    def lever(model, work, k, longest):
        """From the ends inwards up to where their ways meet; a reach is as long as what joints leave stiff on the way.

        What slides, a joint or a place along a line of a, may reach as far as the loop. The first joint that turns
        about one axis keeps its end at the same distance from it: what it opens a gap by at most is there in any pose.
        """
        f, ma, mb, _, _ = G.pair(model, work, k)
        a, b, unit = int(model.closure[k, GAP_ROW_A]), int(model.closure[k, GAP_ROW_B]), model.closure[k, GAP_SCALE]
        arm_a = G.turned(work, a, numbers3(model.closure, k, GAP_AT_A))
        arm_b = G.turned(work, b, numbers3(model.closure, k, GAP_AT_B))
        along = int(model.closure[k, GAP_KIND]) != ACROSS
        stiff_a, stiff_b, reach_a, reach_b = arm_a, arm_b, 0.0, 0.0     # the arms: stiff from here to the last joint
        far = length(G.origin(work, a)) + length(G.origin(work, b)) + length(arm_a) + length(arm_b)
        size, share, count = unit + FAR*far if along else 1.0, 0.0, 0
        n = G.turned(work, a, numbers3(model.closure, k, GAP_ON_A))
        w = G.turned(work, b, numbers3(model.closure, k, GAP_ON_B))
        if model.closure[k, GAP_FIXED] == 1.0:
            stiff_a, reach_a = NOTHING, max(length(arm_a), unit)
        while a != b:
            on_a = a > b
            i, arm, stiff, reach = (a, arm_a, stiff_a, reach_a) if on_a else (b, arm_b, stiff_b, reach_b)
            force = scale(-1.0, f) if on_a else f
            moment, p, j = add(ma if on_a else mb, cross(arm, force)), model.row[i, PARENT], model.row[i, V_AT]
            free, slid = freedoms(model.row[i, STEP]), False
            count += free
            for c in range(free):
                turn, slide = G.column(model, work, i, c)
                turns, slides, slid = length(turn), length(slide), slid or dot(slide, slide) > 0.0
                has = abs(dot(turn, moment) + dot(slide, force))
                if along:
                    swept = length(cross(turn, stiff)) if free == 1 and reach == 0.0 else turns*(reach + length(stiff))
                    most = max(swept, turns*ROUNDING*unit) + slides
                else:
                    swept, slides, most = min(length(cross(turn, n)), length(cross(turn, w))), 0.0, turns
                longest[j + c] = max(longest[j + c], most/unit)
                if has > NO_REACH*size*turns and (has > KEPT*slides if slides > 0.0 else swept > KEPT*size*turns):
                    share = max(share, has/most)
            if free > 0:
                stiff, reach = NOTHING, max(reach + length(stiff), unit if slid else 0.0)
            step = sub(G.origin(work, i), G.origin(work, p))
            arm, stiff = add(arm, step), add(stiff, step)
            if on_a:
                a, arm_a, stiff_a, reach_a = p, arm, stiff, reach
            else:
                b, arm_b, stiff_b, reach_b = p, arm, stiff, reach
        return 1.0 if count == 1 and share > 0.0 else share

    return lever
