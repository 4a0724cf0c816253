"""Accelerations of chains on ball joints in 40 digits: what every code is measured against.

Of a link only a force goes through its joint, so that what hangs on it answers an acceleration a of the joint with the
force K a + c, K 3x3. In the components of link i, with O its angular velocity, d the way from its joint to the next,
h = m com, I about the joint, C turning the components of link i+1 into those of link i:

    inward    K' = C K C', c' = C c, t' = C t  of link i+1 in link i's components,  g = K' (O x (O x d)) + c'
              J = I + [d] K' [d]',  B = [h] + [d] K'
              n = O x I O + d x g + t',  f = O x (O x h) + g
              K = m U + K' - B' J^-1 B,  c = f + B' J^-1 (t - n)
    outward   a = C' (a + A x d + O x (O x d)) of link i-1,  A = J^-1 (t - n - B a)

The base falls upward. dw/dt = A - C' A_(i-1) - (C' O_(i-1)) x w are the rates of the relative angular velocities w.
Every K is made symmetric, or its rounding would grow from link to link and eat any number of digits.
Source: [Featherstone 2008] ch. 7, eliminated joint by joint in 3x3 blocks.
"""

import mpmath as mp
import numpy as np

DIGITS = 40


def accelerations(chain, q, v, torque, digits=DIGITS):
    """dv/dt of a chain of ball joints without turns; every input is the exact double it is, the answer is rounded."""
    with mp.workdps(digits):
        n = len(chain.links)
        C = [rotation(x) for x in q.reshape(n, 4)]                     # link i's components into its parent's
        w, t = ([column(x) for x in y.reshape(n, 3)] for y in (v, torque))
        d = [column(at) for at in chain.joint_positions[1:]] + [mp.zeros(3, 1)]
        O = [w[0]]
        for i in range(1, n):
            O.append(C[i].T*O[-1] + w[i])
        inward = eliminate(chain, C, O, d, t)
        a, A, rates = -(C[0].T*column(chain.gravity)), mp.zeros(3, 1), []
        for i in range(n):
            if i:
                a = C[i].T*(a + cross(A, d[i - 1]) + cross(O[i - 1], cross(O[i - 1], d[i - 1])))
            carried = C[i].T*A
            J, B, u = inward[i]
            A = mp.lu_solve(J, u - B*a)
            rates.append(A - carried - (cross(C[i].T*O[i - 1], w[i]) if i else mp.zeros(3, 1)))
        return np.array([float(x) for rate in rates for x in rate])


def eliminate(chain, C, O, d, t):
    """(J, B, t - n) of every link, from the tip to the base."""
    n = len(chain.links)
    K, c, passed = mp.zeros(3), mp.zeros(3, 1), mp.zeros(3, 1)
    found = [None]*n
    for i in reversed(range(n)):
        m, h, I = moments(chain.links[i].rigid_body)
        g = K*cross(O[i], cross(O[i], d[i])) + c
        D, H = cross_matrix(d[i]), cross_matrix(h)
        J, B = symmetric(I + D*K*D.T), H + D*K
        u = t[i] - (cross(O[i], I*O[i]) + cross(d[i], g) + passed)
        f = cross(O[i], cross(O[i], h)) + g
        found[i] = J, B, u
        X = mp.lu_solve(J, u)
        Y = mp.matrix(3, 3)
        for k in range(3):
            Y[:, k] = mp.lu_solve(J, B[:, k])
        K = symmetric(C[i]*symmetric(m*mp.eye(3) + K - B.T*Y)*C[i].T)
        c, passed = C[i]*(f + B.T*X), C[i]*t[i]
    return found


def moments(body):
    """Mass, first moment, inertia about the joint."""
    m, com, I = mp.mpf(body.mass), column(body.com), mp.matrix([list(row) for row in body.inertia])
    X = cross_matrix(com)
    return m, m*com, I + m*X*X.T


def rotation(q):
    """The matrix of a quaternion (w, x, y, z) of any length."""
    w, x, y, z = (mp.mpf(float(c)) for c in q)
    R = mp.matrix([[w*w + x*x - y*y - z*z, 2*(x*y - w*z), 2*(x*z + w*y)],
                   [2*(x*y + w*z), w*w - x*x + y*y - z*z, 2*(y*z - w*x)],
                   [2*(x*z - w*y), 2*(y*z + w*x), w*w - x*x - y*y + z*z]])
    return R/(w*w + x*x + y*y + z*z)


def column(x):
    return mp.matrix([mp.mpf(float(c)) for c in x])


def cross_matrix(a):
    return mp.matrix([[0, -a[2], a[1]], [a[2], 0, -a[0]], [-a[1], a[0], 0]])


def cross(a, b):
    return mp.matrix([a[1]*b[2] - a[2]*b[1], a[2]*b[0] - a[0]*b[2], a[0]*b[1] - a[1]*b[0]])


def symmetric(K):
    return (K + K.T)/2
