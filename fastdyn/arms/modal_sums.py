"""Sums over the mass of one bent link as polynomials of its modes: no quadrature, nothing but what `moments` gives.

K_ai = int (mode's column a)(column i of the link), L_ab the same with the columns' rates, for every mode; s_f, the
shortening of mode f, is taken off from the columns along x. Derivation: docs/theory/spatial_flexible.md.
"""

from .._address import shifted
from .._jit import leaf, overload, sweep
from .beside import beside
from .layout import AXIAL, BEND_Y, BEND_Z, CHAIN_MODES, EXACT, FIRST, MODES, MOMENTS, PHI, PSI, WD, WDD, WIDE, W
from .link_sums import sum_link
from .rows import all_weighted, joined, joined_twice, stride_of, weighted
from .view import chain_of, link_of, pose_of

NUMBERS = 48                                                # at the start of the scratch
GRAM, PULL, OWN = 0, 8, 32


@leaf
def three(X, i): return X[i], X[i + 1], X[i + 2]


@leaf
def rotated(X, i, j, a, b):
    """Columns a of the matrix at i and b of that at j, multiplied"""
    return X[i + a]*X[j + b] + X[i + 4 + a]*X[j + 4 + b] + X[i + 8 + a]*X[j + 8 + b]


@sweep
def shortened(nx, ny, nz, b, m, width, first, q, v, short, twice, N, K, L, bias, F, rows):
    """Take the shortening off: s_f e_x from the columns of mode f, b e_x/2 from those of the link, b = sum d_f s_f.

    Gives (int b, int eta b; int b h without the shortening in h; int b^2; int h_i h''_x).
    """
    tests, square, o = 2 + nx + b, b*b, first + nx
    rates = shifted(F, 2*b*tests)                           # F: int s_f (1, eta, axial, bending); rates: s_f of d'
    Vy = shifted(rates, 2*b*tests)                          # int s_ij s_l of the plane's d
    Vz = shifted(Vy, square*b)
    S = shifted(Vz, square*b)                               # int s_f s_l: both in y, y with z, both in z
    by_place = shifted(S, 3*square)                         # int b (1, eta, axial, bending)
    by_rate = shifted(by_place, tests)                      # the same with d'
    by_both = shifted(by_rate, tests)                       # int sum d'_f d'_l s_fl (1, ...)
    w = shifted(by_both, tests)
    for i in range(4*b*tests + 2*square*b + 4*square + 3*tests):
        F[i] = 0.0
    for j in range(ny):
        joined_twice(b*tests, q[o + j], v[o + j], shifted(short, j*b*tests), F, rates)
        joined(square*b, q[o + j], shifted(twice, j*square*b), Vy)
    for j in range(nz):
        d = q[o + ny + j]
        joined_twice(b*tests, d, v[o + ny + j], shifted(short, j*b*tests), shifted(F, b*tests),
                     shifted(rates, b*tests))
        joined(square*b, d, shifted(twice, j*square*b), Vz)
    for j in range(ny):
        joined(square, q[o + j], shifted(Vy, j*square), S)
        joined(square, q[o + j], shifted(Vz, j*square), shifted(S, square))
    for j in range(nz):
        joined(square, q[o + ny + j], shifted(Vz, j*square), shifted(S, 2*square))
    for i in range(b):
        for j in range(b):
            w[i*b + j] = ((v[o + i]*v[o + j] if i < ny and j < ny else 0.0)
                          + (v[o + ny + i]*v[o + ny + j] if i < nz and j < nz else 0.0))
    for f in range(ny + nz):
        at = (f if f < ny else b + f - ny)*tests
        joined_twice(tests, q[o + f], v[o + f], shifted(F, at), by_place, by_rate)
        joined(tests, v[o + f], shifted(rates, at), by_both)
    xx, xy, xz = N[GRAM], N[GRAM + 3], N[GRAM + 4]
    beta, b_squared, pulled = (0.0, 0.0, 0.0, 0.0), 0.0, 0.0
    for f in range(ny + nz):
        in_y, i = f < ny, f if f < ny else f - ny
        s, mine, column, d = shifted(F, (i if in_y else b + i)*tests), xy if in_y else xz, nx + f, q[o + f]
        x, y, z, rx, ry, rz, own, own_rate = s[1], 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0
        row = shifted(rows, column*width)
        for l in range(nx):
            t = s[2 + l]
            x, rx = x + q[first + l]*t, rx + v[first + l]*t
            row[l] -= xx*t
            rows[l*width + column] -= xx*t
        for l in range(ny):
            t, u = s[2 + nx + l], S[i*b + l] if in_y else S[square + l*b + i]
            y, ry = y + q[o + l]*t, ry + v[o + l]*t
            own, own_rate = own + q[o + l]*u, own_rate + v[o + l]*u
            row[nx + l] += xx*u - (xy*t + mine*F[l*tests + 2 + nx + i])
        for l in range(nz):
            t, u = s[2 + nx + l], S[square + i*b + l] if in_y else S[2*square + i*b + l]
            z, rz = z + q[o + ny + l]*t, rz + v[o + ny + l]*t
            own, own_rate = own + q[o + ny + l]*u, own_rate + v[o + ny + l]*u
            row[nx + ny + l] += xx*u - (xz*t + mine*F[(b + l)*tests + 2 + nx + i])
        pull, V = 0.0, Vy if in_y else Vz
        for p in range(square):
            pull += w[p]*V[p*b + i]
        beta = (beta[0] + d*x, beta[1] + d*y, beta[2] + d*z, beta[3] + d*s[0])
        b_squared += d*own
        pulled += d*pull
        across = (3 if in_y else 6)*m + column
        K[column] += 0.5*own - x
        K[m + column] -= y
        K[2*m + column] -= z
        K[9*m + column] -= s[0]
        K[across] -= 0.5*by_place[2 + nx + i]
        L[column] += own_rate - rx
        L[m + column] -= ry
        L[2*m + column] -= rz
        L[across] -= by_rate[2 + nx + i]
        bias[column] += xx*pull - mine*by_both[2 + nx + i]
    x, y, z = by_both[1] - 0.5*pulled, 0.0, 0.0
    for l in range(nx):
        K[l] -= 0.5*by_place[2 + l]
        L[l] -= by_rate[2 + l]
        bias[l] -= xx*by_both[2 + l]
        x += q[first + l]*by_both[2 + l]
    for i in range(ny):
        y += q[o + i]*by_both[2 + nx + i]
    for i in range(nz):
        z += q[o + ny + i]*by_both[2 + nx + i]
    return (by_place[0], by_place[1]), beta, b_squared, (-x, -y, -z, -by_both[0])


@sweep
def frame_sums(n, m, straight, at_start, N, K, X, q, v, first, drawn, beta, squared, xi):
    """PSI = int h h' and PHI = int h (P''*)' of the link

    drawn: int b and int eta b, beta: int b h without the shortening in h, squared: int b^2, b = sum d_f s_f.
    """
    b_h = beta[0] - 0.5*squared, beta[1], beta[2], beta[3]
    for i in range(4):
        lam = (0.0, 0.0, 0.0)
        for f in range(n):
            w = v[first + f]
            c = ((K[i*m + f], K[(3 + i)*m + f], K[(6 + i)*m + f]) if i < 3 else
                 (K[9*m + f], K[10*m + f], K[11*m + f]))
            lam = lam[0] + w*c[0], lam[1] + w*c[1], lam[2] + w*c[2]
        for r in range(3):
            X[PHI + 3*i + r] += 2.0*(lam[0]*X[WD + 4*r] + lam[1]*X[WD + 4*r + 1] + lam[2]*X[WD + 4*r + 2]) + (
                xi[i]*X[W + 4*r])
    N[OWN + 15] = straight[15]
    for i in range(3):
        for j in range(i, 4):
            t = straight[4*i + j]
            if i == 0:
                t += 0.5*(b_h[0] if j == 0 else (b_h[1] if j == 1 else (b_h[2] if j == 2 else b_h[3])))
                if j == 0:
                    t -= 0.5*drawn[1]
            at = (3*i + j if j < 3 else 9 + i)*m
            for f in range(n):
                t += q[first + f]*K[at + f]
                if j < 3:
                    t += q[first + f]*at_start[(3*j + i)*m + f]
            N[OWN + 4*i + j] = N[OWN + 4*j + i] = t
    for i in range(4):
        for j in range(4):
            X[PSI + 4*i + j] += N[OWN + 4*i + j]
        for r in range(3):
            X[PHI + 3*i + r] += (N[OWN + 4*i]*X[WDD + 4*r] + N[OWN + 4*i + 1]*X[WDD + 4*r + 1]
                                 + N[OWN + 4*i + 2]*X[WDD + 4*r + 2] + N[OWN + 4*i + 3]*X[WDD + 4*r + 3])


def section_sums(a, k, q, v):
    """The sections' own inertia where they turn by the exponential, at Gauss' points"""
    sum_link(a, k, q, v, a.mass, a.share, a.moment, a.most, 0, 2)


@overload(section_sums)
def _section_sums(a, k, q, v):
    if beside(q):                                           # such states go one after the other
        return lambda a, k, q, v: None
    return lambda a, k, q, v: sum_link(a, k, q, v, a.mass, a.share, a.moment, a.most, 0, 2)


@sweep
def modal_sums(a, k, q, v):
    """Pose of link k known: PSI and PHI into it, the modes' rows [J | g, bias] into the chain."""
    link, X = link_of(a, k), pose_of(a, k)
    n, first, m, exact = link[MODES], link[FIRST], stride_of(link[MODES]), link[EXACT] == 1
    width, rows = m + WIDE, shifted(chain_of(a, k), CHAIN_MODES + 6*m)
    if exact:
        section_sums(a, k, q, v)
    nx, ny, nz = link[AXIAL], link[BEND_Y], link[BEND_Z]
    b = max(ny, nz)
    straight = shifted(a.moments, link[MOMENTS])            # integrals of the straight link
    at_start = shifted(straight, 16)
    second = shifted(at_start, 12*m)
    even = shifted(second, 9*n*m)
    short = shifted(even, 6*n*m)
    N = a.modal
    K = shifted(N, NUMBERS)
    L = shifted(K, 12*m)
    bias = shifted(L, 9*m)
    # the metric of the frame and what pulls along its axes
    for i in range(3):
        N[GRAM + i] = rotated(X, W, W, i, i)
        for j in range(3):
            N[PULL + 3*i + j] = rotated(X, W, WDD, i, j)
            N[PULL + 12 + 3*i + j] = 2.0*rotated(X, W, WD, i, j)
        N[PULL + 9 + i] = rotated(X, W, WDD, i, 3)
    N[GRAM + 3], N[GRAM + 4], N[GRAM + 5] = rotated(X, W, W, 0, 1), rotated(X, W, W, 0, 2), rotated(X, W, W, 1, 2)
    for i in range(12*m):
        K[i] = at_start[i]
    for i in range(10*m):
        L[i] = 0.0
    for l in range(n):
        joined_twice(9*m, q[first + l], v[first + l], shifted(second, 9*m*l), K, L)
    weighted(n, m, width, shifted(N, GRAM), even, rows)
    drawn, beta, squared, xi = (0.0, 0.0), (0.0, 0.0, 0.0, 0.0), 0.0, (0.0, 0.0, 0.0, 0.0)
    if b > 0:
        drawn, beta, squared, xi = shortened(nx, ny, nz, b, m, width, first, q, v, short,
                                             shifted(short, b*b*(2 + nx + b)), N, K, L, bias, shifted(bias, m), rows)
    all_weighted(m, shifted(N, PULL), K, bias)
    w0, w1, w2 = three(X, W), three(X, W + 4), three(X, W + 8)
    for f in range(n):
        row = shifted(rows, f*width + m)
        for i in range(4):
            at = i*m + f if i < 3 else 9*m + f
            step = 3*m if i < 3 else m
            c0, c1, c2 = K[at], K[at + step], K[at + 2*step]
            row[3*i] = w0[0]*c0 + w0[1]*c1 + w0[2]*c2
            row[3*i + 1] = w1[0]*c0 + w1[1]*c1 + w1[2]*c2
            row[3*i + 2] = w2[0]*c0 + w2[1]*c1 + w2[2]*c2
        row[12] = bias[f]
        row[13] = row[14] = row[15] = 0.0
    frame_sums(n, m, straight, at_start, N, K, X, q, v, first, drawn, beta, squared, xi)
    if exact:
        for f in range(n):
            for l in range(n):
                rows[f*width + l] += a.mass[f*a.most + l]
            for i in range(12):
                rows[f*width + m + i] += a.moment[i*a.most + f]
            rows[f*width + m + 12] -= a.share[f]
