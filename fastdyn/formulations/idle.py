"""Which gaps that are held take no part for a while: those that the pose leaves no joint a lever on.

In a singular pose the row of a gap vanishes, whatever the masses are; what heavy links leave small is a row all the
same. So a gap is idle where no joint has a lever on it but rounding, and where it yields little beside others of its
closure, or has none to be compared with, and, joint by joint, its lever is small beside the longest that the joint ever
has there. Derivation in docs/theory/loops.md.
"""

import math
from functools import cache

from .._jit import borrower, leaf
from ..algebra.vectors import add, cross, dot, scale, sub
from ..layout import (
    ACROSS, GAP_AT_A, GAP_AT_B, GAP_FIXED, GAP_KIND, GAP_OF, GAP_ROW_A, GAP_ROW_B, GAP_SCALE, PARENT, STEP, V_AT)
from .gaps import gaps
from .joints import freedoms, numbers3
from .ways import longest_of

IDLE = 1e-8                 # of what the other gaps of a closure yield, each measured by its scale
LEVER = 1e-4                # of the longest lever: its square is IDLE
NO_LEVER = 1e-10            # of the longest lever: what rounding leaves of none
NO_REACH = 1e-12            # of a gap's scale: the same, of places on the axis of a joint
FAR_AWAY = 1e-14            # of how far from the origins of the base and of their links the ends are: the same
SURE = 1e-6                 # of a gap's scale, or of 1: an entry of its row is a lever without more ado
ROUNDING = 1e-8             # of a gap's scale: shorter reaches are what rounding leaves of none


@leaf
def is_sure(model, nv, g, J):
    """Whether the row of gap g has an entry of the size of levers: nearly always, and at little cost"""
    return longest_of(model.web, nv, g, J) > SURE*max(model.closure[g, GAP_SCALE], 1.0)


@leaf
def is_idle(model, m, x, g, share):
    """x: what each gap yields over its scale squared; share: of the longest lever, what a joint has on g here"""
    return share <= NO_LEVER or (share <= LEVER and in_doubt(model, m, x, g))


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

    The largest share of its longest lever that a velocity has on gap k here, 0 where all are rounding. longest (nv)
    becomes, where it is less, the longest lever that each velocity ever has on the gap, over its scale.
    """
    G = gaps(plane)

    @borrower
    def lever(model, work, k, longest):
        """From the ends inwards up to where their ways meet; a reach is as long as the links on the way to the end.

        What slides, a joint or a place along a line of a, may reach as far as the loop.
        """
        f, ma, mb, _, _ = G.pair(model, work, k)
        a, b, unit = int(model.closure[k, GAP_ROW_A]), int(model.closure[k, GAP_ROW_B]), model.closure[k, GAP_SCALE]
        arm_a = G.turned(work, a, numbers3(model.closure, k, GAP_AT_A))
        arm_b = G.turned(work, b, numbers3(model.closure, k, GAP_AT_B))
        along = 0.0 if int(model.closure[k, GAP_KIND]) == ACROSS else 1.0
        reach_a, reach_b, share = math.sqrt(dot(arm_a, arm_a)), math.sqrt(dot(arm_b, arm_b)), 0.0
        here, there = G.origin(work, a), G.origin(work, b)
        far = math.sqrt(dot(here, here)) + math.sqrt(dot(there, there)) + reach_a + reach_b
        none = along*(FAR_AWAY*far + NO_REACH*unit)
        if model.closure[k, GAP_FIXED] == 1.0:
            reach_a = max(reach_a, unit)
        while a != b:
            on_a = a > b
            i, arm, reach = (a, arm_a, reach_a) if on_a else (b, arm_b, reach_b)
            force = scale(-1.0, f) if on_a else f
            moment, p, j = add(ma if on_a else mb, cross(arm, force)), model.row[i, PARENT], model.row[i, V_AT]
            for c in range(freedoms(model.row[i, STEP])):
                turn, slide = G.column(model, work, i, c)
                turns, slides = math.sqrt(dot(turn, turn)), math.sqrt(dot(slide, slide))
                most = turns*(max(reach, ROUNDING*unit) if along > 0.0 else 1.0) + along*slides
                longest[j + c] = max(longest[j + c], most/unit)
                has = abs(dot(turn, moment) + dot(slide, force))
                if has > none*turns:
                    share = max(share, has/most)
            for c in range(freedoms(model.row[i, STEP])):
                turn, slide = G.column(model, work, i, c)
                if dot(slide, slide) > 0.0:
                    reach = max(reach, unit)
            step = sub(G.origin(work, i), G.origin(work, p))
            arm, reach = add(arm, step), reach + math.sqrt(dot(step, step))
            if on_a:
                a, arm_a, reach_a = p, arm, reach
            else:
                b, arm_b, reach_b = p, arm, reach
        return share

    return lever
