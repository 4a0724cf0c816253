"""Sums over the mass of one bent link as polynomials of its modes: no quadrature, nothing but what `moments` gives.

K_ai = int (mode's column a)(column i of the link), L_ab the same with the columns' rates, for every mode; s_f, the
shortening of mode f, is taken off from the columns along x. Derivation: docs/theory/spatial_flexible.md.
"""

from .._address import shifted
from .._jit import leaf, pointer, sweep
from .layout import (
    AXIAL, BEND_Y, BEND_Z, CHAIN, CHAIN_MODES, EXACT, FIRST, MODES, MOMENTS, PHI, PSI, WD, WDD, WIDE, W)
from .link_sums import sum_link
from .rows import all_weighted, joined, joined_twice, stride_of, weighted

NUMBERS = 48                                                # at the start of the scratch
GRAM, PULL, OWN = 0, 8, 32


@leaf
def pair(i, j):
    """Number of the pair of bending shapes i and j"""
    return i*(i + 1)//2 + j if i >= j else j*(j + 1)//2 + i


@leaf
def rotated(X, i, j, a, b):
    """Columns a of the matrix at i and b of that at j, multiplied"""
    return X[i + a]*X[j + b] + X[i + 4 + a]*X[j + 4 + b] + X[i + 8 + a]*X[j + 8 + b]


@sweep
def shortened_block(nx, ny, nz, tests, m, width, N, F, S, rows):
    """The modes' matrix with the columns s_f e_x taken off"""
    xx, xy, xz = N[GRAM], N[GRAM + 3], N[GRAM + 4]
    for f in range(ny + nz):
        o, mine, shape = nx + f, xy if f < ny else xz, 2 + nx + (f if f < ny else f - ny)
        for l in range(nx):
            t = xx*F[f*tests + 2 + l]
            rows[o*width + l] -= t
            rows[l*width + o] -= t
        for l in range(ny + nz):
            theirs, other = xy if l < ny else xz, 2 + nx + (l if l < ny else l - ny)
            rows[o*width + nx + l] += xx*S[f*(ny + nz) + l] - (theirs*F[f*tests + other] + mine*F[l*tests + shape])


@sweep
def shortened_bias(nx, ny, nz, N, by_both, SW, bias):
    """What the shortening's own acceleration, - sum d'_f d'_l s_fl, asks of the modes"""
    for l in range(nx):
        bias[l] -= N[GRAM]*by_both[2 + l]
    for f in range(ny + nz):
        mine, shape = (N[GRAM + 3], f) if f < ny else (N[GRAM + 4], f - ny)
        bias[nx + f] += N[GRAM]*SW[f] - mine*by_both[2 + nx + shape]


@sweep
def shortened_forces(first, nx, ny, nz, q, by_both, SW):
    """int h_i h''_x for i = x, y, z, 1"""
    x, y, z, o = by_both[1], 0.0, 0.0, first + nx
    for l in range(nx):
        x += q[first + l]*by_both[2 + l]
    for f in range(ny + nz):
        x -= 0.5*q[o + f]*SW[f]
    for i in range(ny):
        y += q[o + i]*by_both[2 + nx + i]
    for i in range(nz):
        z += q[o + ny + i]*by_both[2 + nx + i]
    return -x, -y, -z, -by_both[0]


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


@sweep
def modal_sums(arm, work, k, q, v):
    """Pose of link k known: PSI and PHI into it, the modes' rows [J | g, bias] into the chain."""
    link, X = arm.link[k], work.pose[k + 1]
    n, first, m = link[MODES], link[FIRST], stride_of(link[MODES])
    width, rows = m + WIDE, shifted(pointer(work.chain), link[CHAIN] + CHAIN_MODES + 6*m)
    if link[EXACT] == 1:
        sum_link(arm, work, k, q, v, work.mass, work.share, work.moment, 0, 2)
    nx, ny, nz = link[AXIAL], link[BEND_Y], link[BEND_Z]
    bending, b = ny + nz, max(ny, nz)
    pairs, tests = b*(b + 1)//2, 2 + nx + b
    # integrals of the straight link, and scratch
    straight = shifted(pointer(arm.moments), link[MOMENTS])
    at_start = shifted(straight, 16)
    second = shifted(at_start, 12*m)
    even = shifted(second, 9*n*m)
    short = shifted(even, 6*n*m)
    twice = shifted(short, pairs*tests)
    N = pointer(work.modal)
    K = shifted(N, NUMBERS)
    L = shifted(K, 12*m)
    Vy = shifted(L, 9*m)
    Vz = shifted(Vy, pairs*b)
    F = shifted(Vz, pairs*b)
    S = shifted(F, bending*tests)
    by_place = shifted(S, bending*bending)                  # int b, b = sum d_f s_f, with 1, eta and shapes
    by_rate = shifted(by_place, tests)                      # the same with d'
    by_both = shifted(by_rate, tests)                       # int sum d'_f d'_l s_fl with the same
    w = shifted(by_both, tests)
    SW = shifted(w, pairs)
    # the metric of the frame and what pulls along its axes
    for a in range(3):
        N[GRAM + a] = rotated(X, W, W, a, a)
    N[GRAM + 3], N[GRAM + 4], N[GRAM + 5] = rotated(X, W, W, 0, 1), rotated(X, W, W, 0, 2), rotated(X, W, W, 1, 2)
    for a in range(3):
        for i in range(3):
            N[PULL + 3*a + i] = rotated(X, W, WDD, a, i)
            N[PULL + 12 + 3*a + i] = 2.0*rotated(X, W, WD, a, i)
        N[PULL + 9 + a] = rotated(X, W, WDD, a, 3)
    # all but the shortening
    for i in range(12*m):
        K[i] = at_start[i]
    for i in range(9*m):
        L[i] = 0.0
    for l in range(n):
        joined_twice(9*m, q[first + l], v[first + l], shifted(second, 9*m*l), K, L)
    for f in range(n):
        weighted(m, shifted(N, GRAM), shifted(even, 6*m*f), shifted(rows, f*width))
    xi = (0.0, 0.0, 0.0, 0.0)
    beta = (0.0, 0.0, 0.0, 0.0)
    squared = 0.0
    if bending > 0:
        y0, z0 = first + nx, first + nx + ny
        # s_f with itself and with all shapes
        for i in range(2*pairs*b):
            Vy[i] = 0.0
        for j in range(ny):
            joined(pairs*b, q[y0 + j], shifted(twice, j*pairs*b), Vy)
        for j in range(nz):
            joined(pairs*b, q[z0 + j], shifted(twice, j*pairs*b), Vz)
        for i in range(bending*tests + bending*bending + 3*tests + pairs + bending):
            F[i] = 0.0
        for f in range(bending):
            o, i, many = (y0, f, ny) if f < ny else (z0, f - ny, nz)
            for j in range(many):
                p, d = pair(i, j), q[o + j]
                joined(tests, d, shifted(short, p*tests), shifted(F, f*tests))
                joined(ny, d, shifted(Vy, p*b), shifted(S, f*bending))
                joined(nz, d, shifted(Vz, p*b), shifted(S, f*bending + ny))
        for i in range(ny):
            for j in range(ny):
                w[pair(i, j)] += v[y0 + i]*v[y0 + j]
        for i in range(nz):
            for j in range(nz):
                w[pair(i, j)] += v[z0 + i]*v[z0 + j]
        for p in range(pairs):
            joined(tests, w[p], shifted(short, p*tests), by_both)
            joined(ny, w[p], shifted(Vy, p*b), SW)
            joined(nz, w[p], shifted(Vz, p*b), shifted(SW, ny))
        for f in range(bending):
            joined_twice(tests, q[y0 + f], v[y0 + f], shifted(F, f*tests), by_place, by_rate)
        # off from the columns along x
        for f in range(bending):
            x, y, z, rx, ry, rz, own, own_rate = F[f*tests + 1], 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0
            for l in range(nx):
                x, rx = x + q[first + l]*F[f*tests + 2 + l], rx + v[first + l]*F[f*tests + 2 + l]
            for i in range(ny):
                t = F[f*tests + 2 + nx + i]
                y, ry = y + q[y0 + i]*t, ry + v[y0 + i]*t
            for i in range(nz):
                t = F[f*tests + 2 + nx + i]
                z, rz = z + q[z0 + i]*t, rz + v[z0 + i]*t
            for l in range(bending):
                t = S[f*bending + l]
                own, own_rate = own + q[y0 + l]*t, own_rate + v[y0 + l]*t
            d, o = q[y0 + f], nx + f
            beta = (beta[0] + d*x, beta[1] + d*y, beta[2] + d*z, beta[3] + d*F[f*tests])
            squared += d*own
            K[o] += 0.5*own - x
            K[m + o] -= y
            K[2*m + o] -= z
            K[9*m + o] -= F[f*tests]
            L[o] += own_rate - rx
            L[m + o] -= ry
            L[2*m + o] -= rz
        for l in range(nx):
            K[l] -= 0.5*by_place[2 + l]
            L[l] -= by_rate[2 + l]
        for f in range(bending):
            a, t, o = (1, 2 + nx + f, nx + f) if f < ny else (2, 2 + nx + f - ny, nx + f)
            K[3*a*m + o] -= 0.5*by_place[t]
            L[3*a*m + o] -= by_rate[t]
        xi = shortened_forces(first, nx, ny, nz, q, by_both, SW)
        shortened_block(nx, ny, nz, tests, m, width, N, F, S, rows)
    # bias of every mode: what its columns feel of P''*
    bias = shifted(SW, bending)
    for f in range(m):
        bias[f] = 0.0
    if bending > 0:
        shortened_bias(nx, ny, nz, N, by_both, SW, bias)
    all_weighted(m, shifted(N, PULL), K, bias)
    for f in range(n):
        for i in range(4):
            c0, c1, c2 = ((K[i*m + f], K[(3 + i)*m + f], K[(6 + i)*m + f]) if i < 3 else
                          (K[9*m + f], K[10*m + f], K[11*m + f]))
            for r in range(3):
                rows[f*width + m + 3*i + r] = X[W + 4*r]*c0 + X[W + 4*r + 1]*c1 + X[W + 4*r + 2]*c2
        rows[f*width + m + 12] = bias[f]
    drawn = (by_place[0], by_place[1]) if bending > 0 else (0.0, 0.0)
    frame_sums(n, m, straight, at_start, N, K, X, q, v, first, drawn, beta, squared, xi)
    if link[EXACT] == 1:
        for f in range(n):
            for l in range(n):
                rows[f*width + l] += work.mass[f, l]
            for i in range(12):
                rows[f*width + m + i] += work.moment[i, f]
            rows[f*width + m + 12] -= work.share[f]
