"""One link, one pass, values only: the steps of the O(n) recursion in the plane (docs/theory/recursion.md).

Row frames are parallel when all joints are at zero: a turning joint is the plain rotation by q, a sliding one none.
What hangs on a joint answers (al, a) of its origin with

    moment = J al + H.a + n,   force = H al + M a + f                                                           (1)

J a number, H a vector, M = (xx, xy, yy). The wheel of a vector, z x r = (-r_y, r_x), stands for every cross product.
"""

from .._jit import leaf


@leaf
def wheel(r): return -r[1], r[0]


@leaf
def dot2(a, b): return a[0]*b[0] + a[1]*b[1]


@leaf
def sym2(M, x): return M[0]*x[0] + M[1]*x[1], M[1]*x[0] + M[2]*x[1]


@leaf
def turn2(c, s, x): return c*x[0] - s*x[1], s*x[0] + c*x[1]


@leaf
def back2(c, s, x): return c*x[0] + s*x[1], c*x[1] - s*x[0]


@leaf
def turn_sym2(c, s, M):
    u = s*(M[0] - M[2]) + 2.0*c*M[1]
    return M[0] - s*u, c*u - M[1], M[2] + s*u


@leaf
def add_link(A, w, m, h, I):
    """The rigid link joins: H is the wheel of its first moment h, its bias -w^2 h."""
    J, H, M, n, f = A
    return (J + I, (H[0] - h[1], H[1] + h[0]), (M[0] + m, M[1], M[2] + m), n, (f[0] - w*w*h[0], f[1] - w*w*h[1]))


@leaf
def pivot_turn(c, s, A, tau):
    """Eliminate the rotation: K = M - H H'/J, in the parent's axes. It feels a force and the joint's torque only. (2)

    Turned before eliminated: the quotient 1/J, the one slow step from link to link, has something to wait beside it.
    """
    J, H, M, n, f = A
    Ji = 1.0/J
    H, M, f = turn2(c, s, H), turn_sym2(c, s, M), turn2(c, s, f)
    k, x = (Ji*H[0], Ji*H[1]), Ji*(tau - n)
    K = M[0] - Ji*(H[0]*H[0]), M[1] - Ji*(H[0]*H[1]), M[2] - Ji*(H[1]*H[1])
    return K, (f[0] + x*H[0], f[1] + x*H[1]), k, x


@leaf
def pivot_slide(A, w, qd, s, tau):
    """Eliminate the translation along s: d = s.M s, U = H.s, V = M s; zeta = 2 w qd z x s joins the bias."""
    J, H, M, n, f = A
    U, V = dot2(H, s), sym2(M, s)
    d = dot2(s, V)
    Di = 1.0/d
    k, l, x = Di*U, (Di*V[0], Di*V[1]), Di*(tau - dot2(s, f))
    J, H = J - k*U, (H[0] - k*V[0], H[1] - k*V[1])
    K = M[0] - l[0]*V[0], M[1] - l[0]*V[1], M[2] - l[1]*V[1]
    e = 2.0*w*qd
    zeta = -e*s[1], e*s[0]
    Kz = sym2(K, zeta)
    return (J, H, K, n + x*U + dot2(H, zeta), (f[0] + x*V[0] + Kz[0], f[1] + x*V[1] + Kz[1])), k, l, x, d


@leaf
def force_to_parent(K, f, tau, wp, p):
    """What `pivot_turn` left, about the parent's origin: a = a_p + al_p z x p - wp^2 p.                          (3)"""
    g, r = -wp*wp, wheel(p)
    H, Kp = sym2(K, r), sym2(K, p)
    f = f[0] + g*Kp[0], f[1] + g*Kp[1]
    return dot2(r, H), H, K, tau + dot2(r, f), f


@leaf
def force_along(K, f, tau, wp, x):
    """(3) for a joint on the parent's x axis, p = (x, 0): nothing is multiplied by the zero."""
    g = -wp*wp*x
    f = f[0] + g*K[0], f[1] + g*K[1]
    H = x*K[1], x*K[2]
    return (x*x)*K[2], H, K, tau + x*f[1], f


@leaf
def to_parent(A, w, r):
    """(3) for a joint that does not turn: all of A from the joint at r to the parent's origin."""
    J, H, M, n, f = A
    g = -w*w*r[0], -w*w*r[1]
    Mg = sym2(M, g)
    n, f = n + dot2(H, g), (f[0] + Mg[0], f[1] + Mg[1])
    z = wheel(r)
    Mz = sym2(M, z)
    G = H[0] + Mz[0], H[1] + Mz[1]
    return J + dot2(z, H) + dot2(z, G), G, M, n + dot2(z, f), f


@leaf
def moved(al, a, w, p):
    """Acceleration at p of a body with (al, a) and speed w: a + al z x p - w^2 p"""
    return a[0] - al*p[1] - w*w*p[0], a[1] + al*p[0] - w*w*p[1]


@leaf
def moved_along(al, a, w, x):
    """The same at p = (x, 0)"""
    return a[0] - w*w*x, a[1] + al*x


@leaf
def back_slide(al, a, w, qd, s, k, l, x):
    """qdd = x - k al - l.(a + zeta)"""
    e = 2.0*w*qd
    a = a[0] - e*s[1], a[1] + e*s[0]
    qdd = x - k*al - dot2(l, a)
    return (a[0] + qdd*s[0], a[1] + qdd*s[1]), qdd


@leaf
def link_wrench(al, a, w, m, h, I):
    """Moment about the joint and force that a rigid link asks for: I al + h x a, m a + (al z - w^2) h"""
    return (I*al + h[0]*a[1] - h[1]*a[0],
            (m*a[0] - al*h[1] - w*w*h[0], m*a[1] + al*h[0] - w*w*h[1]))
