"""Symmetric matrices that may be singular: factors of full rank, and solutions of least length.

S (m x m, flat, by rows) is scaled to a diagonal of ones, S = d C d, and eliminated with the largest pivot first until
what is left is rounding: C = L L', L = (L1; L2) with m x r numbers, rows in the order taken [Higham 2002] 10.3. Where
r = m the solution is unique; where r < m the first r equations are solved, the others take what comes, and of all
solutions x the one with the shortest d x is given. With z from L1 L1' z = b/d it is (z, 0) - N (N'N)^-1 N' (z, 0) for
the null space N = (-T; 1), T = L1^-T L2': N'N = 1 + T'T is never nearly singular. A number without any diagonal entry
has no equation.
"""

import math

from .._jit import leaf

RANK_FLOOR = 1e-9          # of the scaled diagonal: below it a pivot counts as rounding


@leaf
def factor_semidefinite(S, m, L, G, size, order, floor):
    """The rank r; L and G (m x m), size (m), order (m) are overwritten. Pivots up to floor count as rounding."""
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
        if not L[best*m + best] > floor:
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
    null_space(L, G, m, rank)
    return rank


@leaf
def null_space(L, G, m, rank):
    """T = L1^-T L2' into the upper right corner of G, factors of 1 + T'T into the lower one; other pivots become 0."""
    for a in range(rank, m):
        L[a*m + a] = 0.0
        for i in range(rank - 1, -1, -1):               # column of T
            total = L[a*m + i]
            for k in range(i + 1, rank):
                total -= L[k*m + i]*G[k*m + a]
            G[i*m + a] = total/L[i*m + i]
        for b in range(rank, a + 1):
            total = 1.0 if a == b else 0.0
            for k in range(rank):
                total += G[k*m + a]*G[k*m + b]
            for k in range(rank, b):
                total -= G[a*m + k]*G[b*m + k]
            G[a*m + b] = math.sqrt(total) if a == b else total/G[b*m + b]


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
    solve_lower(L, 0, rank, m, spare)
    solve_upper(L, 0, rank, m, spare)
    for a in range(rank, m):                            # y = (N'N)^-1 N' (z, 0), and its negative in its place
        spare[a] = 0.0
        for k in range(rank):
            spare[a] -= G[k*m + a]*spare[k]
    solve_lower(G, rank, m, m, spare)
    solve_upper(G, rank, m, m, spare)
    for a in range(rank, m):
        for k in range(rank):
            spare[k] += G[k*m + a]*spare[a]
        spare[a] = -spare[a]
    for i in range(m):
        at = int(order[i])
        x[at] = spare[i]/size[at] if size[at] > 0.0 else 0.0


@leaf
def solve_lower(L, begin, end, m, x):
    for i in range(begin, end):
        for k in range(begin, i):
            x[i] -= L[i*m + k]*x[k]
        x[i] /= L[i*m + i]


@leaf
def solve_upper(L, begin, end, m, x):
    for i in range(end - 1, begin - 1, -1):
        for k in range(i + 1, end):
            x[i] -= L[k*m + i]*x[k]
        x[i] /= L[i*m + i]
