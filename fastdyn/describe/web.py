"""Which velocities a closure feels, as numbers for kernels: ways to the base, gaps on them, an order of many gaps.

Kernels solve with the mass matrix along ways and keep J M^-1 J' as a skyline if there are many gaps; how narrow that is
follows from the order, that of Cuthill and McKee turned round [George & Liu 1981].
"""

from collections import defaultdict, deque

import numpy as np

from ..layout import (
    DENSE_GAPS, FIXED, FREE, GAP_ROW_A, GAP_ROW_B, GAP_STIFFNESS, LISTS, PLANE_BEAM, PLANE_FIXED, SPHERICAL,
    STRETCHING, TURNED_SPHERICAL)

FREEDOMS = {FREE: 6, SPHERICAL: 3, TURNED_SPHERICAL: 3, FIXED: 0, PLANE_FIXED: 0}
BODY = {True: 4, False: 10}         # numbers of a composite body in the plane, in space


def web_of(closure, step, parent, v_at, plane) -> np.ndarray:
    """Model.web of a chain with these gaps and rows."""
    m = int(np.count_nonzero(np.isinf(closure[:, GAP_STIFFNESS])))
    if m == 0:
        return np.zeros(0, np.int64)
    freedoms = [(s - PLANE_BEAM) % STRETCHING if s > PLANE_BEAM else FREEDOMS.get(s, 1) for s in step.tolist()]
    nv = sum(freedoms)
    up, last = _ups(v_at, freedoms, parent.tolist())
    depth = np.zeros(nv, np.int64)
    for j in range(nv):
        depth[j] = 1 + (depth[up[j]] if up[j] >= 0 else 0)
    start = np.concatenate([[0], np.cumsum(depth)])
    found, touched, total = [], [], 0
    for gap in closure[:m]:
        a, b = (_way(last[int(gap[row])], up) for row in (GAP_ROW_A, GAP_ROW_B))
        both = len(set(a) & set(b))
        found.append((total, a[0] if a else -1, b[0] if b else -1, len(a), len(b), both))
        touched.append(a + b)
        total += len(a) + len(b) - both
    matrix, null, rows, order = m*m, m*m, 2*m*nv, []
    if m > DENSE_GAPS:
        near = _neighbours(touched)
        place = _order(near)
        where = {gap: i for i, gap in enumerate(place)}
        first = [min([where[g] for g in near[gap]] + [i]) for i, gap in enumerate(place)]
        size = np.arange(1, m + 1) - first
        matrix, null, rows = size.sum(), 0, 0
        order = [place, first, np.cumsum(size) - size - first]
    sizes = 3*nv, BODY[plane]*len(parent), start[-1], total, total, matrix, matrix, null, rows, LISTS*m
    return np.concatenate([np.cumsum(sizes), up, start, np.ravel(found), *order]).astype(np.int64)


def _ups(v_at, freedoms, parent):
    """(velocity before each on the way to the base, or -1; the last velocity that moves each row, -1: the base's)"""
    up, last = np.full(sum(freedoms), -1), {-1: -1}
    for i, (begin, count) in enumerate(zip(v_at, freedoms)):
        last[i] = last[parent[i]]
        for j in range(begin, begin + count):
            up[j], last[i] = last[i], j
    return up, last


def _way(j, up):
    way = []
    while j >= 0:
        way.append(int(j))
        j = up[j]
    return way


def _neighbours(touched):
    """Of each gap those that move something it moves."""
    of = defaultdict(set)
    for gap, way in enumerate(touched):
        for j in way:
            of[j].add(gap)
    return [set().union(*(of[j] for j in way)) for way in touched]


def _order(near):
    """Neighbours next to each other, from an end of each group on, turned round."""
    done, order = set(), []
    for seed in sorted(range(len(near)), key=lambda gap: len(near[gap])):
        if seed in done:
            continue
        for _ in range(2):                              # the farthest from the first is an end
            seen, group, waiting = {seed}, [], deque([seed])
            while waiting:
                group.append(gap := waiting.popleft())
                for other in sorted(near[gap] - seen, key=lambda g: (len(near[g]), g)):
                    seen.add(other)
                    waiting.append(other)
            seed = group[-1]
        order += group
        done |= seen
    return order[::-1]
