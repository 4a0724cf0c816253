"""Symmetric matrices whose rows begin late, as those of loops in a row: factors in the same storage.

Row i holds columns first[i] ... i, one after the other, entry j at start[i] + j; factors of a matrix keep to these
places [George & Liu 1981] ch. 4. S (m x m) is scaled to a diagonal of ones, S = d C d, C = L L'. A pivot that is
rounding has no equation: its number of the solution is zero. In a band of width w this costs m w^2.
"""

import math

from .._jit import leaf
from .semidefinite import RANK_FLOOR


@leaf
def factor_skyline(S, m, first, start, L, size):
    """L, with 1/L_ii on its diagonal or 0 where there is no equation; size (m)."""
    for i in range(m):
        d = S[start[i] + i]
        size[i] = math.sqrt(d) if d > 0.0 else 0.0
    for i in range(m):
        a = start[i]
        for j in range(first[i], i + 1):
            scale, b = size[i]*size[j], start[j]
            total = S[a + j]/scale if scale > 0.0 else 0.0
            for k in range(max(first[i], first[j]), j):
                total -= L[a + k]*L[b + k]
            if j < i:
                L[a + j] = total*L[b + j]
            else:
                L[a + i] = 1.0/math.sqrt(total) if total > RANK_FLOOR else 0.0


@leaf
def solve_skyline(L, m, place, first, start, size, b, x, y):
    """x of S x = b; number i of S is number place[i] of b and x. y: m numbers of scratch."""
    for i in range(m):
        total = b[place[i]]/size[i] if size[i] > 0.0 else 0.0
        for k in range(first[i], i):
            total -= L[start[i] + k]*y[k]
        y[i] = total*L[start[i] + i]
    for back in range(m):
        i = m - 1 - back
        y[i] *= L[start[i] + i]
        for k in range(first[i], i):
            y[k] -= L[start[i] + k]*y[i]
    for i in range(m):
        x[place[i]] = y[i]/size[i] if size[i] > 0.0 else 0.0
