"""Vectors as 3-tuples, 3x3 matrices as 9-tuples (rows), symmetric ones as 6-tuples (xx, xy, xz, yy, yz, zz)."""

from .._jit import leaf


@leaf
def add(a, b): return a[0] + b[0], a[1] + b[1], a[2] + b[2]


@leaf
def sub(a, b): return a[0] - b[0], a[1] - b[1], a[2] - b[2]


@leaf
def scale(k, a): return k*a[0], k*a[1], k*a[2]


@leaf
def dot(a, b): return a[0]*b[0] + a[1]*b[1] + a[2]*b[2]


@leaf
def cross(a, b): return a[1]*b[2] - a[2]*b[1], a[2]*b[0] - a[0]*b[2], a[0]*b[1] - a[1]*b[0]


@leaf
def mul(A, x):
    """A x"""
    return A[0]*x[0] + A[1]*x[1] + A[2]*x[2], A[3]*x[0] + A[4]*x[1] + A[5]*x[2], A[6]*x[0] + A[7]*x[1] + A[8]*x[2]


@leaf
def tmul(A, x):
    """A' x"""
    return A[0]*x[0] + A[3]*x[1] + A[6]*x[2], A[1]*x[0] + A[4]*x[1] + A[7]*x[2], A[2]*x[0] + A[5]*x[1] + A[8]*x[2]


@leaf
def smul(S, x):
    """S x, S symmetric"""
    return S[0]*x[0] + S[1]*x[1] + S[2]*x[2], S[1]*x[0] + S[3]*x[1] + S[4]*x[2], S[2]*x[0] + S[4]*x[1] + S[5]*x[2]


@leaf
def matmul(A, B):
    """A B"""
    return (A[0]*B[0] + A[1]*B[3] + A[2]*B[6], A[0]*B[1] + A[1]*B[4] + A[2]*B[7], A[0]*B[2] + A[1]*B[5] + A[2]*B[8],
            A[3]*B[0] + A[4]*B[3] + A[5]*B[6], A[3]*B[1] + A[4]*B[4] + A[5]*B[7], A[3]*B[2] + A[4]*B[5] + A[5]*B[8],
            A[6]*B[0] + A[7]*B[3] + A[8]*B[6], A[6]*B[1] + A[7]*B[4] + A[8]*B[7], A[6]*B[2] + A[7]*B[5] + A[8]*B[8])


@leaf
def sadd(A, B): return A[0] + B[0], A[1] + B[1], A[2] + B[2], A[3] + B[3], A[4] + B[4], A[5] + B[5]


@leaf
def madd(A, B):
    return (A[0] + B[0], A[1] + B[1], A[2] + B[2], A[3] + B[3], A[4] + B[4], A[5] + B[5], A[6] + B[6], A[7] + B[7],
            A[8] + B[8])


@leaf
def transpose(A): return A[0], A[3], A[6], A[1], A[4], A[7], A[2], A[5], A[8]


@leaf
def sdown(S, k, u):
    """S - k u u'"""
    return (S[0] - k*u[0]*u[0], S[1] - k*u[0]*u[1], S[2] - k*u[0]*u[2], S[3] - k*u[1]*u[1], S[4] - k*u[1]*u[2],
            S[5] - k*u[2]*u[2])


@leaf
def mdown(H, k, u, v):
    """H - k u v'"""
    return (H[0] - k*u[0]*v[0], H[1] - k*u[0]*v[1], H[2] - k*u[0]*v[2],
            H[3] - k*u[1]*v[0], H[4] - k*u[1]*v[1], H[5] - k*u[1]*v[2],
            H[6] - k*u[2]*v[0], H[7] - k*u[2]*v[1], H[8] - k*u[2]*v[2])
