"""Gaps told from each other by their levers where S cannot: masses far apart, and rows that are nearly the same.

S of two gaps that move one light body is of its size all over, and what else they move is lost in it, where it yields
less by more than rounding. Rows of Y = D^-1/2 L^-T J' keep it apart: eliminated with the largest number of all as the
next pivot they come out in grades, Y = share U, the rows of what is light first, and U U' of rows of length one is as
good a matrix as the loop is. A gap is told from those before it where some joint has a lever on what they leave of its
row of J. Where gaps are redundant, forces are measured by the most that any gap of their closure moves, so that one
whose row hardly moves anything on its way through zero is not a cheap one. Derivation in docs/theory/loops.md.
"""

import math
from functools import cache

from .._jit import borrower, leaf
from ..algebra.semidefinite import RANK_FLOOR, null_space
from ..layout import GAP_OF, GAP_SCALE, WEB_HEAD
from .idle import levers
from .ways import spread

FINE = 3e-3                 # root of the least pivot of S, down to which its factors lose 1e-11 at most
SHARE = 0.1                 # of what its closure moves, from which on a row is as good a first pivot as others
LEFT = 3e-5                 # of the longest lever, what counts of a row that others are taken from


@leaf
def least_root(L, m, rank):
    """The root of the least pivot that counts"""
    least = math.inf
    for p in range(rank):
        least = min(least, L[p*m + p])
    return least


@leaf
def rows_by_scale(model, nv, m, b, Y, A):
    """Rows of Y and of J, each over the scale of its gap; zeros of what is idle"""
    web = model.web
    for k in range(m):
        for j in range(nv):
            Y[k*nv + j], A[k*nv + j] = 0.0, 0.0
        if b.size[k] > 0.0:
            share, here, there = 1.0/model.closure[k, GAP_SCALE], Y[k*nv:k*nv + nv], A[k*nv:k*nv + nv]
            spread(web, nv, k, b.y, share, here)
            spread(web, nv, k, b.J, share, there)
            for j in range(nv):
                here[j] /= math.sqrt(b.M[web[WEB_HEAD + nv + j]])


@leaf
def counts(Y, A, longest, least, k, nv):
    """Whether row k, of which others are taken, is more than rounding of it: by its levers, or by what it yields"""
    total = 0.0
    for j in range(nv):
        total += Y[k*nv + j]*Y[k*nv + j]
        if longest[j] > 0.0 and abs(A[k*nv + j]) > LEFT*longest[j]:
            return True
    return total > least


@leaf
def eliminated(model, Y, A, longest, m, nv, b, order, share):
    """The rank; rows of Y become those of U, in the order taken, and share[k m + p] how much of row p is in row k."""
    for k in range(m):
        order[k] = k
    for p in range(m):
        best, row, col = 0.0, -1, 0
        for k in range(p, m):
            g = int(order[k])
            size = b.size[g]/model.closure[g, GAP_SCALE]
            if counts(Y, A, longest, RANK_FLOOR*size*size, k, nv):
                for j in range(nv):
                    if abs(Y[k*nv + j]) > best:
                        best, row, col = abs(Y[k*nv + j]), k, j
        if row < 0:
            return p
        order[p], order[row] = order[row], order[p]
        for j in range(nv):
            Y[p*nv + j], Y[row*nv + j] = Y[row*nv + j], Y[p*nv + j]
            A[p*nv + j], A[row*nv + j] = A[row*nv + j], A[p*nv + j]
        for l in range(p):
            share[p*m + l], share[row*m + l] = share[row*m + l], share[p*m + l]
        for k in range(p + 1, m):
            part = Y[k*nv + col]/Y[p*nv + col]
            share[k*m + p] = part
            if part != 0.0:
                for j in range(nv):
                    Y[k*nv + j] -= part*Y[p*nv + j]
                    A[k*nv + j] -= part*A[p*nv + j]
                Y[k*nv + col] = 0.0
    return m


@leaf
def products(U, nv, rank, m, length, C):
    """C C' = U U' of rows of length one"""
    for p in range(rank):
        total = 0.0
        for j in range(nv):
            total += U[p*nv + j]*U[p*nv + j]
        length[p] = math.sqrt(total)
        for l in range(p + 1):
            total = 0.0
            for j in range(nv):
                total += (U[p*nv + j]/length[p])*(U[l*nv + j]/length[l])
            for k in range(l):
                total -= C[p*m + k]*C[l*m + k]
            C[p*m + l] = total/C[l*m + l] if l < p else math.sqrt(total)


@leaf
def measure(model, m, size, alike, found):
    """Sizes of gaps that take part; alike: as the largest over its scale in their closure, times their own scale"""
    first = 0
    while first < m:
        end, most = first, 0.0
        while end < m and model.closure[end, GAP_OF] == model.closure[first, GAP_OF]:
            most = max(most, size[end]/model.closure[end, GAP_SCALE])
            end += 1
        for k in range(first, end):
            found[k] = most*model.closure[k, GAP_SCALE] if alike and size[k] > 0.0 else size[k]
        first = end


@leaf
def are_good(b, m, rank):
    """Whether pivots of S are not small, nor from rows that hardly move anything beside others of their closure"""
    for p in range(rank):
        g = int(b.order[p])
        if b.size[g] < SHARE*b.more[g]:
            return False
    return least_root(b.L, m, rank) > FINE


@leaf
def put_together(model, m, rank, b, share, length, C, L):
    """L of S over the sizes: share, the lengths and C, one times the other"""
    for a in range(m):
        g, last = int(b.order[a]), min(a, rank - 1)
        unit = model.closure[g, GAP_SCALE]/b.more[g] if b.more[g] > 0.0 else 0.0
        for i in range(m):
            total = 0.0
            for k in range(i, last + 1):
                total += (1.0 if k == a else share[a*m + k])*length[k]*C[k*m + i]
            L[a*m + i] = total*unit


@cache
def grading(plane):
    """Leaf: (model, work, b, m, rank, part) -> the rank; factors of S anew where better, part of m not idle."""
    lever = levers(plane)

    @borrower
    def graded(model, work, b, m, rank, part):
        nv, order, share = model.spring.shape[0], b.force, b.S
        Y, A, longest = b.rows[:m*nv], b.rows[m*nv:2*m*nv], b.step
        for j in range(nv):
            longest[j] = 0.0
        for k in range(m):
            lever(model, work, k, longest)
        rows_by_scale(model, nv, m, b, Y, A)
        found = eliminated(model, Y, A, longest, m, nv, b, order, share)
        measure(model, m, b.size, found < part, b.more)
        if found == rank and are_good(b, m, rank):
            for a in range(m):
                g = int(b.order[a])
                for i in range(a + 1):
                    b.L[a*m + i] *= b.size[g]/b.more[g] if b.more[g] > 0.0 else 0.0
        else:
            for k in range(m):
                b.order[k] = order[k]
            products(Y, nv, found, m, b.spare, b.G)
            put_together(model, m, found, b, share, b.spare, b.G, b.L)
        for k in range(m):
            b.size[k] = b.more[k]
        null_space(b.L, b.G, m, found)
        return found

    return graded
