"""Rigid and articulated inertia about the origin of a frame, as blocks J (6-tuple), H (9-tuple), M (6-tuple):

    n = J al + H a,   f = H' al + M a

al angular acceleration, a acceleration of the origin, f force, n moment about the origin; kg m^2, kg m, kg.
A rigid body has H = [h cross], h = mass times the vector from the origin to the mass centre, and M = mass times unity.
J and M keep six numbers: the antisymmetric rounding that full 6x6 recursions breed link by link has no place to grow.
"""

from .._jit import leaf
from .rotation import cross_matrix, rotate_mat, rotate_sym
from .vectors import add, cross, dot, madd, mul, sadd, smul, tmul


@leaf
def point_mass_inertia(m, d):
    """J of a point mass m at d"""
    x, y, z = m*d[0], m*d[1], m*d[2]
    return y*d[1] + z*d[2], -x*d[1], -x*d[2], x*d[0] + z*d[2], -y*d[2], x*d[0] + y*d[1]


@leaf
def parallel_axis(I_c, m, d):
    """J about the origin of a body with I_c about its mass centre at d (Huygens, Steiner)"""
    return sadd(I_c, point_mass_inertia(m, d))


@leaf
def rigid(I_o, h, m):
    """(J, H, M) of a rigid body: I_o about the origin, h = mass times mass centre"""
    return I_o, cross_matrix(h), (m, 0.0, 0.0, m, 0.0, m)


@leaf
def add_rigid(J, H, M, I_o, h, m):
    """(J, H, M) plus a rigid body about the same origin"""
    return (sadd(J, I_o),
            (H[0], H[1] - h[2], H[2] + h[1], H[3] + h[2], H[4], H[5] - h[0], H[6] - h[1], H[7] + h[0], H[8]),
            (M[0] + m, M[1], M[2], M[3] + m, M[4], M[5] + m))


@leaf
def add_inertia(J, H, M, J_too, H_too, M_too): return sadd(J, J_too), madd(H, H_too), sadd(M, M_too)


@leaf
def rotate_inertia(R, J, H, M):
    """The blocks in the axes of the parent, R its rotation: {x}_parent = R {x}_own"""
    return rotate_sym(R, J), rotate_mat(R, H), rotate_sym(R, M)


@leaf
def shift(J, H, M, p):
    """The blocks about the parent's origin, same axes; p = vector from the parent's origin to the present one.

    H + [p cross] M, and J + [p cross] H' - (H + [p cross] M) [p cross] of which only one triangle is formed.
    """
    c0, c1, c2 = cross(p, (M[0], M[1], M[2])), cross(p, (M[1], M[3], M[4])), cross(p, (M[2], M[4], M[5]))
    E = (H[0] + c0[0], H[1] + c1[0], H[2] + c2[0], H[3] + c0[1], H[4] + c1[1], H[5] + c2[1],
         H[6] + c0[2], H[7] + c1[2], H[8] + c2[2])
    h0, h1, h2 = cross(p, (H[0], H[1], H[2])), cross(p, (H[3], H[4], H[5])), cross(p, (H[6], H[7], H[8]))
    e0, e1, e2 = cross(p, (E[0], E[1], E[2])), cross(p, (E[3], E[4], E[5])), cross(p, (E[6], E[7], E[8]))
    return (J[0] + h0[0] + e0[0], J[1] + h1[0] + e0[1], J[2] + h2[0] + e0[2],
            J[3] + h1[1] + e1[1], J[4] + h2[1] + e1[2], J[5] + h2[2] + e2[2]), E, M


@leaf
def apply(J, H, M, al, a):
    """(n, f) for the accelerations (al, a), or angular and linear momentum for the velocities (w, v)"""
    return add(smul(J, al), mul(H, a)), add(tmul(H, al), smul(M, a))


@leaf
def energy(J, H, M, w, v):
    """Kinetic energy, J; w angular velocity, v velocity of the origin"""
    return 0.5*dot(w, smul(J, w)) + dot(w, mul(H, v)) + 0.5*dot(v, smul(M, v))
