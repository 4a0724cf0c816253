"""Symmetric matrices that may be singular: factors of full rank, and solutions of least length.

S (m x m, flat, by rows) is scaled to a diagonal of ones, S = d C d, and eliminated with the largest pivot first until
what is left is rounding: C = L L' with L (m x r, rows in the order taken). Where r = m the solution is unique; where
r < m it is the shortest one of those that solve, or of those that come closest: d y is shortest there, y being the
solution [Higham 2002] 10.3. A number without any diagonal entry has no row.
"""

import math

from .._jit import leaf

RANK_FLOOR = 1e-11          # of the scaled diagonal: below it a pivot counts as rounding


@leaf
def factor_semidefinite(S, m, L, G, size, order):
    """The rank r; L and G (m x m), size (m), order (m) are overwritten. G: factors of L'L where r < m."""
    for i in range(m):
        size[i] = math.sqrt(S[i*m + i]) if S[i*m + i] > 0.0 else 0.0
        order[i] = i
    for i in range(m):
        for j in range(m):
            scale = size[i]*size[j]
            L[i*m + j] = S[i*m + j]/scale if scale > 0.0 else 0.0
    rank = m
    for k in range(m):
        best = k
        for i in range(k + 1, m):
            if L[i*m + i] > L[best*m + best]:
                best = i
        if not L[best*m + best] > RANK_FLOOR:
            rank = k
            break
        if best != k:
            exchange(L, m, k, best)
            order[k], order[best] = order[best], order[k]
        d = math.sqrt(L[k*m + k])
        L[k*m + k] = d
        for i in range(k + 1, m):
            L[i*m + k] /= d
        for i in range(k + 1, m):
            for j in range(k + 1, i + 1):
                L[i*m + j] -= L[i*m + k]*L[j*m + k]
    if rank < m:
        for i in range(rank):
            for j in range(i + 1):
                total = 0.0
                for k in range(i, m):
                    total += L[k*m + i]*L[k*m + j]
                for k in range(j):
                    total -= G[i*m + k]*G[j*m + k]
                G[i*m + j] = math.sqrt(total) if i == j else total/G[j*m + j]
    return rank


@leaf
def exchange(L, m, k, best):
    """Rows and columns k < best of what is left, of which only the lower triangle is kept, and rows of what is done."""
    for j in range(k):
        L[k*m + j], L[best*m + j] = L[best*m + j], L[k*m + j]
    L[k*m + k], L[best*m + best] = L[best*m + best], L[k*m + k]
    for i in range(k + 1, best):
        L[i*m + k], L[best*m + i] = L[best*m + i], L[i*m + k]
    for i in range(best + 1, m):
        L[i*m + k], L[i*m + best] = L[i*m + best], L[i*m + k]


@leaf
def solve_semidefinite(L, G, size, order, rank, m, b, x, spare):
    """x of S x = b; spare: m numbers. b stays, x must be another array."""
    for i in range(m):
        at = int(order[i])
        spare[i] = b[at]/size[at] if size[at] > 0.0 else 0.0
    if rank < m:                                        # C+ = L (L'L)^-1 (L'L)^-1 L'
        for i in range(rank):
            x[i] = 0.0
            for k in range(i, m):
                x[i] += L[k*m + i]*spare[k]
        for _ in range(2):
            lower_solve(G, rank, m, x)
            upper_solve(G, rank, m, x)
        for i in range(m):
            spare[i] = 0.0
            for k in range(min(i + 1, rank)):
                spare[i] += L[i*m + k]*x[k]
    else:
        lower_solve(L, m, m, spare)
        upper_solve(L, m, m, spare)
    for i in range(m):
        at = int(order[i])
        x[at] = spare[i]/size[at] if size[at] > 0.0 else 0.0


@leaf
def lower_solve(L, n, m, x):
    for i in range(n):
        for k in range(i):
            x[i] -= L[i*m + k]*x[k]
        x[i] /= L[i*m + i]


@leaf
def upper_solve(L, n, m, x):
    for i in range(n - 1, -1, -1):
        for k in range(i + 1, n):
            x[i] -= L[k*m + i]*x[k]
        x[i] /= L[i*m + i]
