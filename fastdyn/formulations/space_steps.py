"""One link, one pass, values only: the steps of the O(n) recursion in space (docs/theory/recursion.md).

Row frame i is fixed in link i, its origin on joint i, its z axis along a turning or sliding joint. Everything of link i
is in its components; E turns them into the parent's, p leads from the parent's origin to joint i (parent components), w
is the absolute angular velocity. What hangs on a joint answers an acceleration (al, a) of its origin with the wrench

    moment = J al + H a + n,   force = H' al + M a + f                                                          (1)

J and M are symmetric and stored so: a long chain multiplies antisymmetric rounding from link to link.
Source: [Featherstone 2008] ch. 7; [Saha 1999], eliminated joint by joint in 3x3 blocks.
"""

from .._jit import leaf
from ..algebra.dense import PIVOT_FLOOR, ldl3, ldl3_safe, ldl3_schur, ldl3_solve
from ..algebra.inertia import add_rigid, shift
from ..algebra.rotation import rotate_mat, rotate_sym
from ..algebra.screw import turn_flat_mat, turn_flat_sym
from ..algebra.vectors import add, cross, dot, mul, smul, sub, tmul

# ---- inward: the link joins what hangs on it, the joint is eliminated, the rest is carried to the parent


@leaf
def add_link(A, w, m, h, I):
    """The rigid link (mass m, first moment h, inertia I about the joint) with its bias w x I w, w x (w x h)."""
    J, H, M, n, f = A
    return add_rigid(J, H, M, I, h, m) + (add(n, cross(w, smul(I, w))), add(f, cross(w, cross(w, h))))


@leaf
def pivot_turn(A, w, qd, tau, floor):
    """Eliminate a rotation about z: d = J_zz, (kx, ky, 1; k) = row z of (J, H) over d, x = (tau - n_z)/d.         (2)

    J is left without z row and column, B = (a, b, d); H without z row, h0, h1. The joint's own zeta = w x z qd
    joins the bias of what is left; n_z becomes tau.
    """
    J, H, M, n, f = A
    safe = J[5] > max(PIVOT_FLOOR*(J[0] + J[3] + J[5]), floor)
    Di = 1.0/J[5]
    kx, ky, x = Di*J[2], Di*J[4], Di*(tau - n[2])
    B = J[0] - kx*J[2], J[1] - kx*J[4], J[3] - ky*J[4]
    h0 = H[0] - kx*H[6], H[1] - kx*H[7], H[2] - kx*H[8]
    h1 = H[3] - ky*H[6], H[4] - ky*H[7], H[5] - ky*H[8]
    k = Di*H[6], Di*H[7], Di*H[8]
    M = (M[0] - k[0]*H[6], M[1] - k[0]*H[7], M[2] - k[0]*H[8], M[3] - k[1]*H[7], M[4] - k[1]*H[8], M[5] - k[2]*H[8])
    zx, zy = qd*w[1], -qd*w[0]
    n = n[0] + x*J[2] + B[0]*zx + B[1]*zy, n[1] + x*J[4] + B[1]*zx + B[2]*zy, tau
    f = (f[0] + x*H[6] + h0[0]*zx + h1[0]*zy, f[1] + x*H[7] + h0[1]*zx + h1[1]*zy,
         f[2] + x*H[8] + h0[2]*zx + h1[2]*zy)
    return B, h0, h1, M, n, f, (kx, ky, x), k, safe


@leaf
def pivot_slide(A, w, qd, tau, floor):
    """Eliminate a translation along z: d = M_zz, U = H z, V = M z, zeta = 2 w x z qd."""
    J, H, M, n, f = A
    safe = M[5] > max(PIVOT_FLOOR*(M[0] + M[3] + M[5]), floor)
    Di = 1.0/M[5]
    x = Di*(tau - f[2])
    U, V = (H[2], H[5], H[8]), (M[2], M[4])
    k, l = (Di*U[0], Di*U[1], Di*U[2]), (Di*V[0], Di*V[1])
    J = (J[0] - k[0]*U[0], J[1] - k[0]*U[1], J[2] - k[0]*U[2], J[3] - k[1]*U[1], J[4] - k[1]*U[2], J[5] - k[2]*U[2])
    H = (H[0] - U[0]*l[0], H[1] - U[0]*l[1], 0.0, H[3] - U[1]*l[0], H[4] - U[1]*l[1], 0.0,
         H[6] - U[2]*l[0], H[7] - U[2]*l[1], 0.0)
    M = M[0] - l[0]*V[0], M[1] - l[0]*V[1], 0.0, M[3] - l[1]*V[1], 0.0, 0.0
    zx, zy = 2.0*qd*w[1], -2.0*qd*w[0]
    n = (n[0] + x*U[0] + H[0]*zx + H[1]*zy, n[1] + x*U[1] + H[3]*zx + H[4]*zy, n[2] + x*U[2] + H[6]*zx + H[7]*zy)
    f = f[0] + x*V[0] + M[0]*zx + M[1]*zy, f[1] + x*V[1] + M[1]*zx + M[3]*zy, tau
    return (J, H, M, n, f), k, (l[0], l[1], x), safe


@leaf
def pivot_ball(A, tau, floor):
    """Eliminate all three rotations: K = M - H' J^-1 H, f + H' J^-1 (tau - n). The parent feels a force.  (3)"""
    J, H, M, n, f = A
    F, u = ldl3(J), sub(tau, n)
    return ldl3_schur(F, H, M), add(f, tmul(H, ldl3_solve(F, u))), F, u, ldl3_safe(F, J, floor)


@leaf
def carry_flat(B, h0, h1, M, n, f, E):
    """What `pivot_turn` left, in the parent's components."""
    return turn_flat_sym(B, E), turn_flat_mat(h0, h1, E), rotate_sym(E, M), mul(E, n), mul(E, f)


@leaf
def carry_full(A, E):
    """All of A in the parent's components."""
    J, H, M, n, f = A
    return rotate_sym(E, J), rotate_mat(E, H), rotate_sym(E, M), mul(E, n), mul(E, f)


@leaf
def to_parent(A, g, r):
    """A, already in the parent's components, from the joint to the parent's origin: a = a_p + al_p x r + g.    (4)"""
    J, H, M, n, f = A
    n, f = add(n, mul(H, g)), add(f, smul(M, g))
    J, H, M = shift(J, H, M, r)
    return J, H, M, add(n, cross(r, f)), f


@leaf
def ball_to_parent(K, f, tau, g, r):
    """(4) for a joint that transmits a force and its own torque only (J = H = 0)."""
    f = add(f, smul(K, g))
    k0, k1, k2 = cross(r, (K[0], K[1], K[2])), cross(r, (K[1], K[3], K[4])), cross(r, (K[2], K[4], K[5]))
    H = k0[0], k1[0], k2[0], k0[1], k1[1], k2[1], k0[2], k1[2], k2[2]
    j0, j1, j2 = cross(r, (H[0], H[1], H[2])), cross(r, (H[3], H[4], H[5])), cross(r, (H[6], H[7], H[8]))
    return (j0[0], j0[1], j0[2], j1[1], j1[2], j2[2]), H, K, add(tau, cross(r, f)), f


# ---- outward: accelerations. (al, a) come in as the parent's, in row-frame components, the joint's place included


@leaf
def moved(al, a, g, p):
    """Acceleration at p of the parent: a + al x p + w x (w x p), parent components."""
    return add(add(a, cross(al, p)), g)


@leaf
def back_turn(al, a, w, qd, kx, ky, x, k):
    """qdd = x - (kx, ky, 1).(al + zeta) - k.a"""
    ax, ay = al[0] + qd*w[1], al[1] - qd*w[0]
    az = x - (kx*ax + ky*ay) - dot(k, a)
    return (ax, ay, az), az - al[2]


@leaf
def back_slide(al, a, w, qd, k, l0, l1, x):
    """qdd = x - k.al - (l, 1).(a + zeta)"""
    ax, ay = a[0] + 2.0*qd*w[1], a[1] - 2.0*qd*w[0]
    az = x - dot(k, al) - (l0*ax + l1*ay)
    return (ax, ay, az), az - a[2]


@leaf
def back_ball(al, a, w, rate, F, H, u):
    """The link's own al = J^-1 (tau - n - H a), and the joint's: al - E' al_p - w x rate"""
    new = ldl3_solve(F, sub(u, mul(H, a)))
    return new, sub(sub(new, al), cross(w, rate))


# ---- inverse dynamics


@leaf
def link_wrench(al, a, w, m, h, I):
    """Moment about the joint and force a rigid link asks for: I al + w x I w + h x a, m a + al x h + w x (w x h)"""
    return (add(smul(I, al), add(cross(w, smul(I, w)), cross(h, a))),
            add((m*a[0], m*a[1], m*a[2]), add(cross(al, h), cross(w, cross(w, h)))))
