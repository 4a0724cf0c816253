"""Small dense factorizations: 3x3 and 6x6 as values, n x n in place on C-contiguous float64 arrays.

Nothing raises. A symmetric matrix counts as singular when all but some three digits are lost to cancellation. A small
pivot alone does not show that: for a rod without inertia about its axis the last pivot is rounding divided by the pivot
before, of any size and sign. Pivot d_k is the form v' S v with v the k-th row of L^-1, and is measured against the
terms of that form.
"""

import math

from .._jit import leaf
from ..status import NOT_FINITE, OK, SINGULAR_INERTIA
from .vectors import mul, sub, tmul, transpose

PIVOT_FLOOR = 1e-13                                     # of the terms a pivot is made of
ROUNDING_FLOOR = 1e-15                                  # n x n: of the largest diagonal entry, where units may mix


# 3x3 symmetric, S = L D L' --------------------------------------------------------------------------------------------
@leaf
def reciprocal(d): return 1.0/d if d != 0.0 else math.inf


@leaf
def ldl3(S):
    """Factors of S = L D L': (1/d0, 1/d1, 1/d2, L10, L20, L21). Whether they may be used says `ldl3_safe`."""
    r0 = reciprocal(S[0])
    l10, l20 = r0*S[1], r0*S[2]
    t = S[4] - l20*S[1]
    r1 = reciprocal(S[3] - l10*S[1])
    l21 = r1*t
    r2 = reciprocal((S[5] - l20*S[2]) - l21*t)
    return r0, r1, r2, l10, l20, l21


@leaf
def factors_safe(F, floor):
    """Whether the matrix with factors F has only eigenvalues above `floor`; False with NaN in F

    The sum is the trace of the inverse, 1 to 3 times the reciprocal of the smallest eigenvalue.
    """
    w = F[3]*F[5] - F[4]
    trace = F[0] + F[1]*(1.0 + F[3]*F[3]) + F[2]*(1.0 + F[5]*F[5] + w*w)
    return (F[0] > 0.0) & (F[1] > 0.0) & (F[2] > 0.0) & (trace*floor < 1.0)


@leaf
def ldl3_safe(F, S, floor=0.0):
    """Whether S, with factors F, is safely positive definite, measured by its largest diagonal entry.

    floor: what its eigenvalues have to exceed in any case, where all of S may be rounding.
    """
    return factors_safe(F, max(PIVOT_FLOOR*max(max(S[0], S[3]), S[5]), floor))


@leaf
def ldl3_solve(F, b):
    """x of S x = b"""
    y1 = b[1] - F[3]*b[0]
    y2 = b[2] - F[4]*b[0] - F[5]*y1
    x2 = F[2]*y2
    x1 = F[1]*y1 - F[5]*x2
    return F[0]*b[0] - F[3]*x1 - F[4]*x2, x1, x2


@leaf
def ldl3_forward(F, b):
    """y = L^-1 b, so that b' S^-1 c = sum of y_k z_k/d_k"""
    y1 = b[1] - F[3]*b[0]
    return b[0], y1, b[2] - F[4]*b[0] - F[5]*y1


@leaf
def ldl3_schur(F, H, M):
    """M - H' S^-1 H, symmetric by construction: what a joint with all three turns free hands inward"""
    a, b = ldl3_forward(F, (H[0], H[3], H[6])), ldl3_forward(F, (H[1], H[4], H[7]))
    c = ldl3_forward(F, (H[2], H[5], H[8]))
    u, v, w = (F[0]*a[0], F[1]*a[1], F[2]*a[2]), (F[0]*b[0], F[1]*b[1], F[2]*b[2]), (F[0]*c[0], F[1]*c[1], F[2]*c[2])
    return (M[0] - (a[0]*u[0] + a[1]*u[1] + a[2]*u[2]), M[1] - (a[0]*v[0] + a[1]*v[1] + a[2]*v[2]),
            M[2] - (a[0]*w[0] + a[1]*w[1] + a[2]*w[2]), M[3] - (b[0]*v[0] + b[1]*v[1] + b[2]*v[2]),
            M[4] - (b[0]*w[0] + b[1]*w[1] + b[2]*w[2]), M[5] - (c[0]*w[0] + c[1]*w[1] + c[2]*w[2]))


# 6x6 symmetric in blocks [J H; H' M] ----------------------------------------------------------------------------------
@leaf
def ldl6(J, H, M):
    """Factors for n = J al + H a, f = H' al + M a of a free base: those of M and of J - H M^-1 H', and H."""
    FM = ldl3(M)
    return ldl3(ldl3_schur(FM, transpose(H), J)), FM, H


@leaf
def ldl6_safe(F, J, M, floors=(0.0, 0.0)):
    """Whether the blocks with factors F are safely positive definite, J on its own scale and M on its own."""
    return ldl3_safe(F[0], J, floors[0]) & ldl3_safe(F[1], M, floors[1])


@leaf
def ldl6_solve(F, n, f):
    """(al, a) from (n, f)"""
    al = ldl3_solve(F[0], sub(n, mul(F[2], ldl3_solve(F[1], f))))
    return al, ldl3_solve(F[1], sub(f, tmul(F[2], al)))


# n x n arrays, in place; each returns a status ------------------------------------------------------------------------
@leaf
def pivot_status(d, floor):
    """OK when d exceeds floor; neither NaN nor an infinite floor lets anything pass"""
    return OK if floor < d else (SINGULAR_INERTIA if -math.inf < d <= floor < math.inf else NOT_FINITE)


@leaf
def rounding_floor(A):
    """The pivot below which A's own entries are rounding: ROUNDING_FLOOR times its largest diagonal entry"""
    largest = 0.0
    for i in range(A.shape[0]):
        largest = max(largest, A[i, i])
    return ROUNDING_FLOOR*largest


@leaf
def cholesky(A, scratch):
    """A = L L' of a symmetric positive definite A, L into the lower triangle; the strict upper one is not touched.

    scratch: 2 n numbers, overwritten.
    """
    n = A.shape[0]
    least = rounding_floor(A)
    for i in range(n):
        own = d = terms = A[i, i]
        for j in range(i):
            t = A[i, j]
            for k in range(j):
                t -= A[i, k]*A[j, k]
            t /= A[j, j]
            d -= t*t
            A[i, j] = t
            scratch[j] = t
        for j in range(i - 1, -1, -1):                  # v = -(row i of L) L^-1, without row and column i
            v = scratch[j]/A[j, j]
            terms += scratch[n + j]*v*v
            for k in range(j):
                scratch[k] -= A[j, k]*v
        answer = pivot_status(d, max(least, PIVOT_FLOOR*terms))
        if answer != OK:
            return answer
        scratch[n + i] = own
        A[i, i] = math.sqrt(d)
    return OK


@leaf
def cholesky_solve(A, b):
    """x of L L' x = b, into b; A as `cholesky` leaves it"""
    n = A.shape[0]
    for i in range(n):
        for k in range(i):
            b[i] -= A[i, k]*b[k]
        b[i] /= A[i, i]
    for i in range(n - 1, -1, -1):
        b[i] /= A[i, i]
        for k in range(i):
            b[k] -= A[i, k]*b[i]


@leaf
def udu(A, scratch):
    """A = U D U' of a symmetric positive definite A: U (unit upper) and D into the upper triangle.

    From the last row inward, for a chain the elimination of its joints from the tip. The strict lower triangle stays.
    scratch: 2 n numbers. The first n are overwritten; n + i becomes the diagonal entry A had in row i, once that row is
    eliminated. So where the status is not OK, entries n to n + i still hold what the caller put there: row i failed.
    """
    n = A.shape[0]
    least = rounding_floor(A)
    for i in range(n - 1, -1, -1):
        own = d = terms = A[i, i]
        for j in range(n - 1, i, -1):
            t = A[i, j]
            for k in range(j + 1, n):
                t -= scratch[k]*A[j, k]
            scratch[j] = t                              # U_ij D_j
            A[i, j] = t/A[j, j]
            d -= t*A[i, j]
        for j in range(i + 1, n):
            scratch[j] = A[i, j]
        for j in range(i + 1, n):                       # v = -(row i of U) U^-1, without row and column i
            v = scratch[j]
            terms += scratch[n + j]*v*v
            for k in range(j + 1, n):
                scratch[k] -= A[j, k]*v
        answer = pivot_status(d, max(least, PIVOT_FLOOR*terms))
        if answer != OK:
            return answer
        scratch[n + i] = own
        A[i, i] = d
    return OK


@leaf
def udu_solve(A, b):
    """x of U D U' x = b, into b; A as `udu` leaves it"""
    n = A.shape[0]
    for i in range(n - 1, -1, -1):
        for k in range(i + 1, n):
            b[i] -= A[i, k]*b[k]
    for i in range(n):
        b[i] /= A[i, i]
        for k in range(i):
            b[i] -= A[k, i]*b[k]


@leaf
def lu(A, rows):
    """A[rows] = L U with partial pivoting, L (unit lower) and U into A; rows: int64, the order taken.

    Column by column; a pivot is measured against the largest entry its column had at first. That finds columns which
    depend on each other, but not with the certainty of the symmetric routines.
    """
    n = A.shape[0]
    for i in range(n):
        rows[i] = i
    for j in range(n):
        largest = 0.0
        for i in range(n):
            largest = max(largest, abs(A[i, j]))
        best = j
        for i in range(n):
            t = A[i, j]
            for k in range(min(i, j)):
                t -= A[i, k]*A[k, j]
            A[i, j] = t
            if i > j and not abs(t) <= abs(A[best, j]):
                best = i
        answer = pivot_status(abs(A[best, j]), PIVOT_FLOOR*largest)
        if answer != OK:
            return answer
        if best != j:
            rows[j], rows[best] = rows[best], rows[j]
            for k in range(n):
                A[j, k], A[best, k] = A[best, k], A[j, k]
        for i in range(j + 1, n):
            A[i, j] /= A[j, j]
    return OK


@leaf
def lu_solve(A, rows, b, x):
    """x of A x = b, A and rows as `lu` leaves them; b stays, x must be another array"""
    n = A.shape[0]
    for i in range(n):
        x[i] = b[rows[i]]
        for k in range(i):
            x[i] -= A[i, k]*x[k]
    for i in range(n - 1, -1, -1):
        for k in range(i + 1, n):
            x[i] -= A[i, k]*x[k]
        x[i] /= A[i, i]
