"""Rotations: quaternions (w, x, y, z), matrices A with {x}_parent = A {x}_link, turns about one axis.

A product p q of quaternions belongs to the product of their matrices; angular velocities are in the link's own frame.
Angles in rad, |angle| <= sincos.REDUCED.
"""

import math

from .._jit import leaf
from .arctan import arctan2
from .sincos import sincos
from .vectors import dot, matmul, smul, transpose

SMALL_ANGLE_SQUARED = 1e-8                              # below, sin(a/2)/a = 1/2 - a^2/48 is exact to rounding
HUGE, TINY = 2.0**500, 2.0**-500                        # between them squares neither overflow nor lose digits


@leaf
def cross_matrix(x):
    """[x cross] y = x cross y"""
    return 0.0, -x[2], x[1], x[2], 0.0, -x[0], -x[1], x[0], 0.0


# quaternions ----------------------------------------------------------------------------------------------------------
@leaf
def quaternion_product(p, q):
    return (p[0]*q[0] - p[1]*q[1] - p[2]*q[2] - p[3]*q[3], p[0]*q[1] + p[1]*q[0] + p[2]*q[3] - p[3]*q[2],
            p[0]*q[2] - p[1]*q[3] + p[2]*q[0] + p[3]*q[1], p[0]*q[3] + p[1]*q[2] - p[2]*q[1] + p[3]*q[0])


@leaf
def quaternion_conjugate(q): return q[0], -q[1], -q[2], -q[3]


@leaf
def quaternion_rate(q, w):
    """dq/dt = 1/2 q (0, w), w in the link's frame"""
    a, b, c = 0.5*w[0], 0.5*w[1], 0.5*w[2]
    return (-q[1]*a - q[2]*b - q[3]*c, q[0]*a + q[2]*c - q[3]*b, q[0]*b - q[1]*c + q[3]*a, q[0]*c + q[1]*b - q[2]*a)


@leaf
def quaternion_matrix(q):
    """The rotation of q/|q|, for any q with 1e-150 < |q| < 1e150; no square root is taken."""
    k = 2.0/(q[0]*q[0] + q[1]*q[1] + q[2]*q[2] + q[3]*q[3])
    x, y, z = k*q[1], k*q[2], k*q[3]
    wx, wy, wz = q[0]*x, q[0]*y, q[0]*z
    xx, xy, xz = q[1]*x, q[1]*y, q[1]*z
    yy, yz, zz = q[2]*y, q[2]*z, q[3]*z
    return 1.0 - (yy + zz), xy - wz, xz + wy, xy + wz, 1.0 - (xx + zz), yz - wx, xz - wy, yz + wx, 1.0 - (xx + yy)


@leaf
def quaternion_normalized(q):
    """q/|q| for any q but zero (that gives NaN), the largest and smallest doubles included; |result| is 1 to 2^-52."""
    m = max(max(abs(q[0]), abs(q[1])), max(abs(q[2]), abs(q[3])))
    k = 2.0**-600 if m > HUGE else (2.0**600 if m < TINY else 1.0)
    w, x, y, z = k*q[0], k*q[1], k*q[2], k*q[3]
    n = math.sqrt((w*w + x*x) + (y*y + z*z))
    n = n if n > 0.0 else math.nan
    return w/n, x/n, y/n, z/n


@leaf
def quaternion_from_matrix(A):
    """The unit quaternion with w >= 0 of a rotation matrix (orthogonal up to rounding or a little worse).

    Of the four columns of 4 q q' the one of the largest component is taken [Shepperd 1978], by selects.
    """
    ww, xx = 1.0 + (A[0] + A[4] + A[8]), 1.0 + (A[0] - A[4] - A[8])
    yy, zz = 1.0 + (A[4] - A[0] - A[8]), 1.0 + (A[8] - A[0] - A[4])
    wx, wy, wz = A[7] - A[5], A[2] - A[6], A[3] - A[1]
    xy, xz, yz = A[1] + A[3], A[2] + A[6], A[5] + A[7]
    wx_wins, yz_wins = ww >= xx, yy >= zz               # first round, then the final
    a = ww if wx_wins else xx
    b = yy if yz_wins else zz
    final = a >= b
    w = (ww if wx_wins else wx) if final else (wy if yz_wins else wz)
    x = (wx if wx_wins else xx) if final else (xy if yz_wins else xz)
    y = (wy if wx_wins else xy) if final else (yy if yz_wins else yz)
    z = (wz if wx_wins else xz) if final else (yz if yz_wins else zz)
    n = math.sqrt((w*w + x*x) + (y*y + z*z))
    n = -n if w < 0.0 else n
    return w/n, x/n, y/n, z/n


@leaf
def quaternion_exp(r):
    """The quaternion of a rotation vector (axis times angle); accurate for the smallest ones too."""
    aa = dot(r, r)
    small = aa < SMALL_ANGLE_SQUARED
    a = 1.0 if small else math.sqrt(aa)
    s, c = sincos(0.5*math.sqrt(aa))
    k = 0.5 - aa/48.0 if small else s/a
    return c, k*r[0], k*r[1], k*r[2]


# matrices -------------------------------------------------------------------------------------------------------------
@leaf
def quaternion_log(q):
    """Rotation vector of the shorter way, |r| <= pi"""
    size = math.sqrt(q[1]*q[1] + q[2]*q[2] + q[3]*q[3])
    if size == 0.0:
        return 0.0, 0.0, 0.0
    k = math.copysign(2.0, q[0])*arctan2(size, abs(q[0]))/size
    return k*q[1], k*q[2], k*q[3]


@leaf
def axis_angle_matrix(axis, angle):
    """Rotation by `angle` about the unit vector `axis` (Rodrigues)"""
    h, g = sincos(0.5*angle)
    s, k = 2.0*h*g, 2.0*h*h                             # sin, 1 - cos
    x, y, z = k*axis[0], k*axis[1], k*axis[2]
    sx, sy, sz = s*axis[0], s*axis[1], s*axis[2]
    xx, xy, xz = x*axis[0], x*axis[1], x*axis[2]
    yy, yz, zz = y*axis[1], y*axis[2], z*axis[2]
    return 1.0 - (yy + zz), xy - sz, xz + sy, xy + sz, 1.0 - (xx + zz), yz - sx, xz - sy, yz + sx, 1.0 - (xx + yy)


@leaf
def rotate_sym(R, S):
    """R S R', S symmetric"""
    a, b, c = smul(S, (R[0], R[1], R[2])), smul(S, (R[3], R[4], R[5])), smul(S, (R[6], R[7], R[8]))
    return (R[0]*a[0] + R[1]*a[1] + R[2]*a[2], R[3]*a[0] + R[4]*a[1] + R[5]*a[2], R[6]*a[0] + R[7]*a[1] + R[8]*a[2],
            R[3]*b[0] + R[4]*b[1] + R[5]*b[2], R[6]*b[0] + R[7]*b[1] + R[8]*b[2], R[6]*c[0] + R[7]*c[1] + R[8]*c[2])


@leaf
def rotate_mat(R, H):
    """R H R'"""
    return matmul(matmul(R, H), transpose(R))


# turns about one axis, s = sin, c = cos of the angle; the way back: -s ------------------------------------------------
@leaf
def turn_x(A, s, c):
    """A R_x: the frame A turned about its own x axis"""
    return (A[0], A[1]*c + A[2]*s, A[2]*c - A[1]*s, A[3], A[4]*c + A[5]*s, A[5]*c - A[4]*s,
            A[6], A[7]*c + A[8]*s, A[8]*c - A[7]*s)


@leaf
def turn_z(A, s, c):
    """A R_z: the frame A turned about its own z axis"""
    return (A[0]*c + A[1]*s, A[1]*c - A[0]*s, A[2], A[3]*c + A[4]*s, A[4]*c - A[3]*s, A[5],
            A[6]*c + A[7]*s, A[7]*c - A[6]*s, A[8])


@leaf
def turn_x_vector(x, s, c):
    """R_x x"""
    return x[0], c*x[1] - s*x[2], s*x[1] + c*x[2]


@leaf
def turn_z_vector(x, s, c):
    """R_z x"""
    return c*x[0] - s*x[1], s*x[0] + c*x[1], x[2]


@leaf
def turn_x_sym(S, s, c):
    """R_x S R_x', S symmetric"""
    u = s*(S[3] - S[5]) + 2.0*c*S[4]
    return S[0], c*S[1] - s*S[2], s*S[1] + c*S[2], S[3] - s*u, c*u - S[4], S[5] + s*u


@leaf
def turn_z_sym(S, s, c):
    """R_z S R_z', S symmetric"""
    u = s*(S[0] - S[3]) + 2.0*c*S[1]
    return S[0] - s*u, c*u - S[1], c*S[2] - s*S[4], S[3] + s*u, s*S[2] + c*S[4], S[5]


@leaf
def turn_x_mat(H, s, c):
    """R_x H R_x'"""
    u = s*(H[4] - H[8]) + c*(H[5] + H[7])
    return (H[0], c*H[1] - s*H[2], s*H[1] + c*H[2], c*H[3] - s*H[6], H[4] - s*u, c*u - H[7],
            s*H[3] + c*H[6], c*u - H[5], H[8] + s*u)


@leaf
def turn_z_mat(H, s, c):
    """R_z H R_z'"""
    u = s*(H[0] - H[4]) + c*(H[1] + H[3])
    return (H[0] - s*u, c*u - H[3], c*H[2] - s*H[5], c*u - H[1], H[4] + s*u, s*H[2] + c*H[5],
            c*H[6] - s*H[7], s*H[6] + c*H[7], H[8])
