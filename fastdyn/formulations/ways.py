"""Ways to the base, on which the numbers of velocities and of gaps stand one after the other.

M = L'D L, L unit lower triangular: rows of M and L are the way from a velocity to the base. A row of J, and
y = L^-T J', live on the two ways from the ends of a gap. Model.web knows the ways (describe/web.py); derivation in
docs/theory/loops.md. Source: [Featherstone 2008] 6.5.
"""

from .._jit import leaf
from ..layout import WEB_AT, WEB_BOTH, WEB_GAP, WEB_HEAD, WEB_ON_A, WEB_ON_B, WEB_WAY_A, WEB_WAY_B


# ---- of velocity j, then of the one it moves on, and so on

@leaf
def up(web, j): return web[WEB_HEAD + j]


@leaf
def way(web, nv, j):
    """(where the numbers of j's way start, how many they are)"""
    a = WEB_HEAD + nv + j
    return web[a], web[a + 1] - web[a]


@leaf
def of_gap(web, nv, k, c): return web[WEB_HEAD + 2*nv + 1 + WEB_GAP*k + c]


@leaf
def factor_ways(web, nv, M):
    """M to L and, at the head of each way, D."""
    for back in range(nv):
        j = nv - 1 - back
        at, length = way(web, nv, j)
        d, i = M[at], j
        for s in range(1, length):
            i = up(web, i)
            share, there = M[at + s]/d, web[WEB_HEAD + nv + i]
            for t in range(s, length):
                M[there + t - s] -= share*M[at + t]
        for s in range(1, length):
            M[at + s] /= d


@leaf
def solve_ways(web, nv, M, x):
    """x of M x = b, b in its place."""
    for back in range(nv):
        j = nv - 1 - back
        at, length = way(web, nv, j)
        i = j
        for s in range(1, length):
            i = up(web, i)
            x[i] -= M[at + s]*x[j]
    for j in range(nv):
        at, length = way(web, nv, j)
        x[j], i = x[j]/M[at], j
        for s in range(1, length):
            i = up(web, i)
            x[j] -= M[at + s]*x[i]


# ---- gaps on their ways: b's way first, then what of a's way is not b's

@leaf
def half_solved(web, nv, k, M, y):
    """Row k of J, at its place in y, to L^-T J'."""
    at, a, b = of_gap(web, nv, k, WEB_AT), of_gap(web, nv, k, WEB_WAY_A), of_gap(web, nv, k, WEB_WAY_B)
    both, j = of_gap(web, nv, k, WEB_BOTH), of_gap(web, nv, k, WEB_ON_A)
    for p in range(b, a + b - both):                    # what only a moves
        L, length = way(web, nv, j)
        for s in range(1, length):
            to = p + s if p + s < a + b - both else b - (length - s)
            y[at + to] -= M[L + s]*y[at + p]
        j = up(web, j)
    j = of_gap(web, nv, k, WEB_ON_B)
    for p in range(b):
        L, length = way(web, nv, j)
        for s in range(1, length):
            y[at + p + s] -= M[L + s]*y[at + p]
        j = up(web, j)


@leaf
def spread(web, nv, k, y, share, x):
    """x plus share times row k"""
    at, a, b = of_gap(web, nv, k, WEB_AT), of_gap(web, nv, k, WEB_WAY_A), of_gap(web, nv, k, WEB_WAY_B)
    j = of_gap(web, nv, k, WEB_ON_B)
    for p in range(b):
        x[j] += share*y[at + p]
        j = up(web, j)
    j = of_gap(web, nv, k, WEB_ON_A)
    for p in range(b, a + b - of_gap(web, nv, k, WEB_BOTH)):
        x[j] += share*y[at + p]
        j = up(web, j)


@leaf
def weighed(web, nv, k, y, x):
    """Row k times x, and the sum of sizes that it is made of"""
    at, a, b = of_gap(web, nv, k, WEB_AT), of_gap(web, nv, k, WEB_WAY_A), of_gap(web, nv, k, WEB_WAY_B)
    total, size, j = 0.0, 0.0, of_gap(web, nv, k, WEB_ON_B)
    for p in range(a + b - of_gap(web, nv, k, WEB_BOTH)):
        if p == b:
            j = of_gap(web, nv, k, WEB_ON_A)
        part = y[at + p]*x[j]
        total, size = total + part, size + abs(part)
        j = up(web, j)
    return total, size


@leaf
def longest_of(web, nv, k, y):
    """The largest entry of row k by size"""
    at, a, b = of_gap(web, nv, k, WEB_AT), of_gap(web, nv, k, WEB_WAY_A), of_gap(web, nv, k, WEB_WAY_B)
    most = 0.0
    for p in range(a + b - of_gap(web, nv, k, WEB_BOTH)):
        most = max(most, abs(y[at + p]))
    return most


@leaf
def gathered(web, nv, k, y, x): return weighed(web, nv, k, y, x)[0]


@leaf
def put_scaled(web, nv, k, M, y, x, clear):
    """D^-1 times row k into x, or zeros"""
    at, a, b = of_gap(web, nv, k, WEB_AT), of_gap(web, nv, k, WEB_WAY_A), of_gap(web, nv, k, WEB_WAY_B)
    j = of_gap(web, nv, k, WEB_ON_B)
    for p in range(a + b - of_gap(web, nv, k, WEB_BOTH)):
        if p == b:
            j = of_gap(web, nv, k, WEB_ON_A)
        x[j] = 0.0 if clear else y[at + p]/M[web[WEB_HEAD + nv + j]]
        j = up(web, j)
