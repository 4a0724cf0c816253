"""Sums over the mass of one bent link as polynomials of its modes: no quadrature, nothing but what `moments` gives.

K_ai = int (mode's column a)(column i of the link), L_ab the same with the columns' rates, for every mode; s_f, the
shortening of mode f, is taken off from the columns along x. A row is all modes, or all that bend. Of the modes' matrix
the upper half counts. Derivation: docs/theory/spatial_flexible.md.
"""

from .._address import shifted
from .._jit import leaf, overload, sweep, unknown
from .beside import beside
from .layout import (
    APART, AXIAL, BEND_Y, BEND_Z, BIAS, CHAIN_MODES, EXACT, FIRST, FOUR, MODES, MOMENTS, PHI, PSI, WD, WDD, WIDE, W)
from .link_sums import sum_link
from .rows import first_part, fours_of, given, part, parts, product, put_part, scattered, stride_of
from .view import chain_of, link_of, pose_of

NUMBERS = 48                                                # at the start of the scratch
GRAM, PULL, OWN = 0, 8, 32


@leaf
def rotated(X, i, j, a, b):
    """Columns a of the matrix at i and b of that at j, multiplied"""
    return X[i + a]*X[j + b] + X[i + 4 + a]*X[j + 4 + b] + X[i + 8 + a]*X[j + 8 + b]


@leaf
def pair(b, i, j):
    """Number of the pair (i, j), in either order, of b"""
    i, j = min(i, j), max(i, j)
    return i*b - i*(i - 1)//2 + j - i


@sweep
def sorted_out(nx, ny, nz, z0, b, w, many, d, u, tests, D, P):
    """D: row j, for each mode that bends the d of mode j of its plane; P: d d, d d', d' d' by pairs of shapes.

    tests: any constants.
    """
    o = nx + ny
    for k in range(parts(D, fours_of(max(ny, nz))*w)):
        put_part(D, k, 0.0*given(D, tests, 0))
    for j in range(ny):
        for f in range(j*w, j*w + ny):
            D[unknown(f)] = d[nx + j]
    for j in range(nz):
        for f in range(j*w + ny, j*w + ny + nz):
            D[unknown(f)] = d[o + j]
    for t in range(3):
        for k in range(parts(P, many)):
            put_part(shifted(P, t*many), k, 0.0*given(P, tests, 0))
    for start, end, shape in ((nx, ny, 0), (o, nz, z0)):
        for i in range(end):
            x, y, at = d[start + i], u[start + i], pair(b, shape + i, shape + i)
            P[at] += x*x
            P[many + at] += x*y
            P[2*many + at] += y*y
            for j in range(i + 1, end):
                j = unknown(j)
                p, r = d[start + j], u[start + j]
                P[at + j - i] += 2.0*(x*p)
                P[many + at + j - i] += x*r + y*p
                P[2*many + at + j - i] += 2.0*(y*r)


@sweep
def by_four(rows, w, nb, most, D, c, out):
    """out, `rows` rows: sum over `most` j of rows D[j] times c[j][row], four j at a time"""
    for k in range(parts(out, nb)):
        for j in range(0, most, FOUR):
            x, y, z, u = (part(shifted(D, j*w), k), part(shifted(D, (j + 1)*w), k), part(shifted(D, (j + 2)*w), k),
                          part(shifted(D, (j + 3)*w), k))
            for i in range(rows):
                e = shifted(c, (j*rows + i)*w)
                t = x*given(out, e, k) + y*given(out, shifted(e, rows*w), k) + z*given(out, shifted(e, 2*rows*w), k) + (
                    u*given(out, shifted(e, 3*rows*w), k))
                place = shifted(out, i*w)
                put_part(place, k, t if j == 0 else part(place, k) + t)


@sweep
def shortened(nx, ny, nz, z0, m, width, d, u, tests, N, K, L, bias, D, rows):
    """Take the shortening off: s_f e_x from the columns of mode f, b e_x/2 from those of the link, b = sum d_f s_f.

    Mode i of the plane y has shape i, of the plane z shape z0 + i.
    Gives (int b, int eta b; int b h without the shortening in h; int b^2; int h_i h''_x). D: scratch.
    """
    b, nb, most = max(ny, z0 + nz), ny + nz, max(ny, nz)
    w, count, pairs, fours = stride_of(nb), 2 + nx + b, b*(b + 1)//2, fours_of(most)
    many, wide = stride_of(pairs), stride_of(count)
    twice = shifted(tests, fours*count*w)
    by_pairs = shifted(twice, fours*pairs*w)
    P = shifted(D, fours*w)                                     # products of modes by pairs: d d, d d', d' d'
    F = shifted(P, 3*many)                                  # int s_f (1, eta, axial, bending)
    T = shifted(F, count*w)                                 # int s_ij s_f
    S = shifted(T, pairs*w)                                 # int s_l s_f
    by = shifted(S, nb*w)                                   # int b (1, ...), with d d', with d' d'
    own = shifted(by, 3*wide)                               # int b s_f, and with d' d' in b
    pull = shifted(own, w)
    for k in range(parts(own, 2*w)):
        put_part(own, k, 0.0*given(own, tests, 0))
    sorted_out(nx, ny, nz, z0, b, w, many, d, u, tests, D, P)
    for t in range(3):
        for k in range(parts(by, count)):
            x = 0.0*given(by, by_pairs, k)
            for p in range(pairs):
                x = x + P[t*many + p]*given(by, shifted(by_pairs, p*wide), k)
            put_part(shifted(by, t*wide), k, x)
    by_rate, by_both = shifted(by, wide), shifted(by, 2*wide)
    by_four(count, w, nb, most, D, tests, F)
    by_four(pairs, w, nb, most, D, twice, T)
    xx, xy, xz, o = N[GRAM], N[GRAM + 3], N[GRAM + 4], nx
    for k in range(parts(F, nb)):
        t = part(shifted(F, w), k)
        x, rx, y, z, ry, rz, q, qr, qp = t, 0.0*t, 0.0*t, 0.0*t, 0.0*t, 0.0*t, 0.0*t, 0.0*t, 0.0*t
        for l in range(nx):
            t = part(shifted(F, (2 + l)*w), k)
            x, rx = x + d[l]*t, rx + u[l]*t
        for i in range(b):
            t = part(shifted(F, (2 + nx + i)*w), k)
            if i < ny:
                y, ry = y + d[o + i]*t, ry + u[o + i]*t
            if z0 <= i < z0 + nz:
                z, rz = z + d[o + ny + i - z0]*t, rz + u[o + ny + i - z0]*t
        for p in range(pairs):
            t = part(shifted(T, p*w), k)
            q, qr, qp = q + P[p]*t, qr + P[many + p]*t, qp + P[2*many + p]*t
        put_part(own, k, q)
        put_part(pull, k, qp)
        added(K, o, k, 0.5*q - x)
        added(K, m + o, k, -y)
        added(K, 2*m + o, k, -z)
        added(K, 9*m + o, k, -part(F, k))
        added(L, o, k, qr - rx)
        added(L, m + o, k, -ry)
        added(L, 2*m + o, k, -rz)
        added(bias, o, k, xx*qp)
        for l in range(nx):
            added(rows, l*width + o, k, -xx*part(shifted(F, (2 + l)*w), k))
    for f in range(nb):
        in_y, i = f < ny, f if f < ny else z0 + f - ny
        mine, across, test = xy if in_y else xz, (3 if in_y else 6)*m + o + f, 2 + nx + i
        K[across] -= 0.5*by[test]
        L[across] -= by_rate[test]
        bias[o + f] -= mine*by_both[test]
        row, modes = shifted(rows, (o + f)*width + o), shifted(F, test*w)
        for k in range(first_part(F, f), parts(F, nb)):
            start = 0 if in_y else z0
            t, at = 0.0*part(modes, k), pair(b, start, i)
            for j in range(start, start + (ny if in_y else nz)):
                t = t + d[o + (j if in_y else ny + j - z0)]*part(shifted(T, at*w), k)
                at += b - 1 - j if j < i else 1
            added(row, 0, k, xx*t - mine*part(modes, k))
        for l in range(f, nb):
            l = unknown(l)
            t = F[(2 + nx + (l if l < ny else z0 + l - ny))*w + f]
            row[l] -= xy*t if l < ny else xz*t
    x, y, z = by_both[1] - 0.5*product(nb, pull, shifted(d, o)), 0.0, 0.0
    bx, b_y, bz = by[1], 0.0, 0.0
    for l in range(nx):
        l = unknown(l)
        K[l] -= 0.5*by[2 + l]
        L[l] -= by_rate[2 + l]
        bias[l] -= xx*by_both[2 + l]
        x, bx = x + d[l]*by_both[2 + l], bx + d[l]*by[2 + l]
    for i in range(ny):
        i = unknown(i)
        y, b_y = y + d[o + i]*by_both[2 + nx + i], b_y + d[o + i]*by[2 + nx + i]
    for i in range(nz):
        i = unknown(i)
        z, bz = z + d[o + ny + i]*by_both[2 + nx + z0 + i], bz + d[o + ny + i]*by[2 + nx + z0 + i]
    return (by[0], by[1]), (bx, b_y, bz, by[0]), product(nb, own, shifted(d, o)), (-x, -y, -z, -by_both[0])


@leaf
def added(x, at, k, numbers):
    """Register k of the row that starts at x[at] += numbers"""
    row = shifted(x, at)
    put_part(row, k, part(row, k) + numbers)


@sweep
def frame_sums(n, m, straight, at_start, N, K, X, d, u, drawn, beta, squared, xi):
    """PSI = int h h' and PHI = int h (P''*)' of the link

    drawn: int b and int eta b, beta: int b h without the shortening in h, squared: int b^2, b = sum d_f s_f.
    """
    b_h = beta[0] - 0.5*squared, beta[1], beta[2], beta[3]
    for i in range(4):
        at, step = (i*m, 3*m) if i < 3 else (9*m, m)
        l0 = 2.0*product(n, u, shifted(K, at))
        l1, l2 = 2.0*product(n, u, shifted(K, at + step)), 2.0*product(n, u, shifted(K, at + 2*step))
        for r in range(3):
            X[PHI + 3*i + r] += (l0*X[WD + 4*r] + l1*X[WD + 4*r + 1] + l2*X[WD + 4*r + 2]) + xi[i]*X[W + 4*r]
    N[OWN + 15] = straight[15]
    for i in range(3):
        for j in range(i, 4):
            t = straight[4*i + j] + product(n, d, shifted(K, (3*i + j if j < 3 else 9 + i)*m))
            if j < 3:
                t += product(n, d, shifted(at_start, (3*j + i)*m))
            if i == 0:
                t += 0.5*(b_h[0] if j == 0 else (b_h[1] if j == 1 else (b_h[2] if j == 2 else b_h[3])))
                if j == 0:
                    t -= 0.5*drawn[1]
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
def moments_of_modes(n, m, second, at_start, d, u, K, L):
    """K and L without shortening"""
    for k in range(parts(K, 12*m)):
        put_part(K, k, given(K, at_start, k))
    for k in range(parts(L, 9*m)):
        put_part(L, k, 0.0*given(L, at_start, 0))
    for i in range(int(second[0])):
        x = shifted(second, 1 + i*(4 + m))
        ab, l, begin, end, row = int(x[0])*m, int(x[1]), int(x[2]), int(x[3]), shifted(x, 4)
        k_row, l_row, dl, ul = shifted(K, ab), shifted(L, ab), d[l], u[l]
        for k in range(first_part(K, begin), parts(K, end)):
            c = given(K, row, k)
            put_part(k_row, k, part(k_row, k) + dl*c)
            put_part(l_row, k, part(l_row, k) + ul*c)


@sweep
def modes_matrix(n, m, width, G, even, rows):
    """Modes' rows: sums of six by the numbers G, from the diagonal on"""
    g0, g1, g2, g3, g4, g5 = G[0], G[1], G[2], G[3], G[4], G[5]
    for f in range(n):
        row, x = shifted(rows, width*f), shifted(even, 6*m*f)
        for k in range(first_part(rows, f), parts(rows, n)):
            put_part(row, k, g0*given(rows, x, k) + g1*given(rows, shifted(x, m), k)
                     + g2*given(rows, shifted(x, 2*m), k) + g3*given(rows, shifted(x, 3*m), k)
                     + g4*given(rows, shifted(x, 4*m), k) + g5*given(rows, shifted(x, 5*m), k))


@sweep
def modes_rows_filled(n, m, width, G, K, X, bias, rows):
    """What the frame does to the modes, W K, and their bias, by the numbers G from K and L, into their rows"""
    for k in range(parts(K, n)):
        t = part(bias, k)
        for i in range(21):
            t = t + G[i]*part(shifted(K, i*m), k)
        scattered(rows, m + BIAS, width, n, k, t)
        for i in range(4):
            at, step = (i*m, 3*m) if i < 3 else (9*m, m)
            x, y, z = part(shifted(K, at), k), part(shifted(K, at + step), k), part(shifted(K, at + 2*step), k)
            for r in range(3):
                scattered(rows, m + 3*i + r, width, n, k, X[W + 4*r]*x + X[W + 4*r + 1]*y + X[W + 4*r + 2]*z)


@sweep
def modal_sums(a, k, q, v):
    """Pose of link k known: PSI and PHI into it, the modes' rows [J | g, bias] into the chain."""
    link, X = link_of(a, k), pose_of(a, k)
    n, first, m, exact = link[MODES], link[FIRST], stride_of(link[MODES]), link[EXACT] == 1
    width, rows = m + WIDE, shifted(chain_of(a, k), CHAIN_MODES + 6*m)
    if exact:
        section_sums(a, k, q, v)
    nx, ny, nz = link[AXIAL], link[BEND_Y], link[BEND_Z]
    z0 = link[APART]
    b, nb = max(ny, z0 + nz), ny + nz
    pairs, tests = b*(b + 1)//2, 2 + nx + b
    straight = shifted(a.moments, link[MOMENTS])            # integrals of the straight link
    at_start = shifted(straight, 16)
    even = shifted(at_start, 12*m)
    short = shifted(even, 6*n*m)
    second = shifted(short, fours_of(max(ny, nz))*(tests + pairs)*stride_of(nb) + pairs*stride_of(tests))
    N = a.modal
    K = shifted(N, NUMBERS)
    L = shifted(K, 12*m)
    bias = shifted(L, 9*m)
    d = shifted(bias, 2*m)
    u = shifted(d, 2*m)
    for k in range(parts(bias, 6*m)):                       # bias, d and u
        put_part(bias, k, 0.0*given(bias, straight, 0))
    for f in range(n):
        f = unknown(f)
        d[f], u[f] = q[first + f], v[first + f]
    # the metric of the frame and what pulls along its axes
    for i in range(3):
        N[GRAM + i] = rotated(X, W, W, i, i)
        for j in range(3):
            N[PULL + 3*i + j] = rotated(X, W, WDD, i, j)
            N[PULL + 12 + 3*i + j] = 2.0*rotated(X, W, WD, i, j)
        N[PULL + 9 + i] = rotated(X, W, WDD, i, 3)
    N[GRAM + 3], N[GRAM + 4], N[GRAM + 5] = rotated(X, W, W, 0, 1), rotated(X, W, W, 0, 2), rotated(X, W, W, 1, 2)
    moments_of_modes(n, m, second, at_start, d, u, K, L)
    modes_matrix(n, m, width, shifted(N, GRAM), even, rows)
    drawn, beta, squared, xi = (0.0, 0.0), (0.0, 0.0, 0.0, 0.0), 0.0, (0.0, 0.0, 0.0, 0.0)
    if b > 0:
        drawn, beta, squared, xi = shortened(nx, ny, nz, z0, m, width, d, u, short, N, K, L, bias, shifted(u, 2*m),
                                             rows)
    modes_rows_filled(n, m, width, shifted(N, PULL), K, X, bias, rows)
    frame_sums(n, m, straight, at_start, N, K, X, d, u, drawn, beta, squared, xi)
    if exact:
        for f in range(n):
            for l in range(f, n):
                rows[f*width + l] += a.mass[f*a.most + l]
            for i in range(12):
                rows[f*width + m + i] += a.moment[i*a.most + f]
            rows[f*width + m + BIAS] -= a.share[f]
