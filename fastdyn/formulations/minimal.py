"""Closures held exactly in as few unknowns as there are freedoms: the null space of J by pivots, no multipliers.

acc = N a + c with J N = 0, J c = -(second rates of the gaps at acc = 0): N' M N a = N' M (acc0 - c), acc0 that of the
free chain. N and c come from J by Gauss-Jordan elimination with the largest pivot of all, which names the dependent
velocities anew at every state; a row counts by its levers, as in graded.py; docs/theory/loops.md.
Source: [Wehage & Haug 1982], [Saha 1999].
"""

import math
from functools import cache

from .._jit import borrower, leaf
from ..algebra.semidefinite import factor_semidefinite, solve_semidefinite
from ..layout import GAP_SCALE, WEB_HEAD, held_exactly
from ..status import OK
from .gaps import gaps, held
from .graded import LEFT
from .idle import in_doubt, is_idle, is_sure, levers
from .mobility import bench, mass_by_ways
from .ways import up, way

OF_MASS = 1e-13             # of the diagonal, below which a pivot of N' M N is rounding: it is never singular


def dense_size(model):
    """Numbers of Work.dense, at its end: J, three square matrices, vectors."""
    m, nv = held_exactly(model), len(model.spring)
    return m*nv + 3*nv*nv + 8*nv + m


@leaf
def times_ways(web, nv, M, x, y):
    """y = M x"""
    for j in range(nv):
        y[j] = 0.0
    for j in range(nv):
        at, length = way(web, nv, j)
        y[j] += M[at]*x[j]
        i = j
        for s in range(1, length):
            i = up(web, i)
            y[j] += M[at + s]*x[i]
            y[i] += M[at + s]*x[j]


@leaf
def longest_entry(A, nv, k):
    most = 0.0
    for j in range(nv):
        most = max(most, abs(A[k*nv + j]))
    return most


@leaf
def measured_rows(model, web, nv, m, M, A, g, size, longest, scale):
    """A, g: rows of J over their scales where M's diagonal measures, as `longest`; size: their lengths squared."""
    for j in range(nv):
        scale[j] = 1.0/math.sqrt(M[web[WEB_HEAD + nv + j]])
        longest[j] = LEFT*scale[j]*longest[j] if longest[j] > 0.0 else math.inf
    for k in range(m):
        size[k] = 0.0
        g[k] /= model.closure[k, GAP_SCALE]
        for j in range(nv):
            A[k*nv + j] *= scale[j]/model.closure[k, GAP_SCALE]
            size[k] += A[k*nv + j]*A[k*nv + j]


@leaf
def eliminate(A, g, size, longest, m, nv, column):
    """The rank r; row p < r reads x[column[p]] + sum of A[p, i] x[i] over the other columns = g[p].

    A number is no pivot that is rounding of its row and, beside the longest lever of its column, of the pose too.
    """
    for p in range(m):
        best, row, col = 0.0, -1, 0
        for k in range(p, m):
            for j in range(nv):
                x = abs(A[k*nv + j])
                if x > best and (x > longest[j] or x > LEFT*size[k]):
                    best, row, col = x, k, j
        if row < 0:
            return p
        g[p], g[row], size[row] = g[row], g[p], size[p]
        for j in range(nv):
            A[p*nv + j], A[row*nv + j] = A[row*nv + j], A[p*nv + j]
        pivot = A[p*nv + col]
        g[p] /= pivot
        for j in range(nv):
            A[p*nv + j] /= pivot
        for k in range(m):
            share = A[k*nv + col]
            if k != p and share != 0.0:
                g[k] -= share*g[p]
                for j in range(nv):
                    A[k*nv + j] -= share*A[p*nv + j]
                A[k*nv + col] = 0.0
        column[p] = col
    return m


@leaf
def motion_of(A, nv, rank, column, scale, i, x):
    """The motion that a unit of the independent velocity i makes of all"""
    for j in range(nv):
        x[j] = 0.0
    x[i] = scale[i]
    for p in range(rank):
        d = int(column[p])
        x[d] = -scale[d]*A[p*nv + i]


@leaf
def felt(A, nv, rank, column, scale, i, y):
    """That motion times y"""
    total = scale[i]*y[i]
    for p in range(rank):
        d = int(column[p])
        total -= scale[d]*A[p*nv + i]*y[d]
    return total


@cache
def minimal(ask, plane):
    """Leaf: `ask` of a chain whose gaps are held."""
    G, mass, lever = gaps(plane), mass_by_ways(plane), levers(plane)

    @borrower
    def minimal(model, work, q, v, torque, acc):
        m, nv, web = held(model), model.spring.shape[0], model.web
        b, X = bench(model, work, m, nv), work.dense[work.dense.shape[0] - (m*nv + 3*nv*nv + 8*nv + m):]
        z = m*nv + 3*nv*nv
        A, K, L, T = X[:m*nv], X[m*nv:m*nv + nv*nv], X[m*nv + nv*nv:z - nv*nv], X[z - nv*nv:z]
        scale, free, pull, x, y = (X[z:z + nv], X[z + nv:z + 2*nv], X[z + 2*nv:z + 3*nv], X[z + 3*nv:z + 4*nv],
                                   X[z + 4*nv:z + 5*nv])
        size, order, spare, column = (X[z + 5*nv:z + 6*nv], X[z + 6*nv:z + 7*nv], X[z + 7*nv:z + 8*nv],
                                      X[z + 8*nv:z + 8*nv + m])
        status = ask(model, work, q, v, torque, acc)
        if status != OK:
            return status
        G.accelerations(model, work, q, v, b.zero)
        G.seconds(model, work, m, b.value)
        for k in range(m):
            b.value[k] = -b.value[k]
        mass(model, work, q, nv, b.body, b.M)
        G.gradients(model, work, m, A)
        for j in range(nv):
            spare[j] = 0.0
        for k in range(m):
            b.spare[k], column[k] = longest_entry(A, nv, k), lever(model, work, k, spare)
        measured_rows(model, web, nv, m, b.M, A, b.value, b.force, spare, scale)
        for k in range(m):                              # rows of gaps that are idle become zero
            most, b.spare[k] = b.spare[k], math.sqrt(b.force[k])
            if is_idle(is_sure(model, k, most), in_doubt(model, m, b.force, k), column[k]):
                b.value[k], b.spare[k] = 0.0, 0.0
                for j in range(nv):
                    A[k*nv + j] = 0.0
        rank = eliminate(A, b.value, b.spare, spare, m, nv, column)
        for j in range(nv):
            b.step[j], free[j] = 0.0, j
        for p in range(rank):
            d = int(column[p])
            b.step[d], free[d] = scale[d]*b.value[p], -1.0
        n = 0
        for j in range(nv):
            if free[j] >= 0.0:
                free[n] = free[j]
                n += 1
        for j in range(nv):
            acc[j] -= b.step[j]
        times_ways(web, nv, b.M, acc, y)
        for i in range(n):
            pull[i] = felt(A, nv, rank, column, scale, int(free[i]), y)
        for i in range(n):
            motion_of(A, nv, rank, column, scale, int(free[i]), x)
            times_ways(web, nv, b.M, x, y)
            for l in range(i + 1):
                K[i*n + l] = felt(A, nv, rank, column, scale, int(free[l]), y)
                K[l*n + i] = K[i*n + l]
        known = factor_semidefinite(K, n, L, T, size, order, OF_MASS)
        solve_semidefinite(L, T, size, order, known, n, pull, y, spare)
        for j in range(nv):
            acc[j] = b.step[j]
        for i in range(n):
            motion_of(A, nv, rank, column, scale, int(free[i]), x)
            for j in range(nv):
                acc[j] += y[i]*x[j]
        return OK

    return minimal
