"""A chain that bends across its length by plain products of transfer matrices, base to tip: kept for study.

(x, forces) goes outward part by part from the two motions or forces that the base leaves open, and these are found at
the tip; the parts are those of bending_steps.py. Derivation: docs/theory/transfer.md. Source: [Kumar & Sankar 1986].
"""

from .._jit import float64, int64, kernel, leaf
from .bending_steps import (
    CLAMPED, ELEMENT, HINGE, KIND, LENGTH, NODE_C, NODE_K, PINNED, RD, RR, C, K, at_node, full,
    mul, prescribed, put, settle, stiffened, symmetric, times, transposed, whole)
from .riccati import BOX, MATRIX, WHOLE, P, V, end_step

Z, Y0, OWN = 0, 4, 8                                        # numbers of a node that its steps read
DATA = 11

# (kinds, numbers, b, g, data out)
PREPARE = int64(WHOLE, MATRIX, float64, float64, MATRIX)
# (base, kinds, numbers, data, state, numbers of the scheme, loads, their places, motions of the base, scratch, samples
#  out, steps, wait, every) -> samples; error over that of a bit, largest over largest found, goes to scratch[0, 0]
ADVANCE_PRODUCT = int64(int64, WHOLE, MATRIX, MATRIX, MATRIX, MATRIX, MATRIX, WHOLE, MATRIX, MATRIX, BOX, int64, int64,
                        int64)


@leaf
def four(X, j, start):
    return X[j, start], X[j, start + 1], X[j, start + 2], X[j, start + 3]


@leaf
def inverse(a):
    """Of a full matrix; without one it is not finite"""
    det = a[0]*a[3] - a[1]*a[2]
    return a[3]/det, -a[1]/det, -a[2]/det, a[0]/det


@leaf
def bent(parts, Y, row, j):
    """What part j is bent in a row of the state"""
    slope = Y[row, 2*j - 1]
    return Y[row, 2*j] - Y[row, 2*j - 2] - parts[LENGTH, j]*slope, Y[row, 2*j + 1] - slope


@leaf
def stress(parts, Y, j):
    """T^2 K d_p + T C d_v"""
    k, v = times(full(symmetric(parts, K, j)), bent(parts, Y, P, j)), bent(parts, Y, V, j)
    return k[0], k[1] + parts[C, j]*v[1]


@leaf
def ground(parts, Y, j, i):
    """Of the springs to the ground at node j; i = 0 across, 1 turning"""
    return parts[NODE_K + i, j]*Y[P, 2*j + i] + parts[NODE_C + i, j]*Y[V, 2*j + i]


@kernel(PREPARE)
def prepare(kinds, parts, b, g, data):
    """Of each part what takes (x, forces) inside to what it is bent: d = Z (f - Y0 x - E' pre)."""
    for j in range(1, len(kinds)):
        l, S, rd, rr = parts[LENGTH, j], stiffened(parts, b, g, j), whole(parts, RD, j), symmetric(parts, RR, j)
        z, kind = (0.0, 0.0, 0.0, 0.0), kinds[j] & KIND
        if kind == HINGE:
            z = (0.0, 0.0, 0.0, 1.0/S[2])
        elif kind == ELEMENT:
            X = mul((1.0, 0.0, l, 1.0), full(S))
            z = inverse((X[0] - rd[0], X[1] - rd[1], X[2] - rd[2], X[3] - rd[3]))
        y = mul((1.0, 0.0, l, 1.0), transposed(rd))
        put(data[j], Z, z)
        put(data[j], Y0, (y[0] - rr[0], y[1] - rr[1], y[2] - rr[1], y[3] - rr[2]))
    for j in range(len(kinds)):
        put(data[j], OWN, at_node(parts, b, g, j))
    return 0


@leaf
def through_node(own, x, f, pre):
    """Forces outside of a node from those inside"""
    return f[0] + own[0]*x[0] + own[1]*x[1] + pre[0], f[1] + own[1]*x[0] + own[2]*x[1] + pre[1]


@leaf
def through_part(parts, data, j, x, f, pre):
    """(x, forces) at the outer end of a part"""
    l, y = parts[LENGTH, j], times(four(data, j, Y0), x)
    d = times(four(data, j, Z), (f[0] - y[0] - pre[0], f[1] - y[1] - pre[1] - l*pre[0]))
    rr, r = symmetric(parts, RR, j), times(whole(parts, RD, j), d)
    h = (f[0] + rr[0]*x[0] + rr[1]*x[1] + r[0], f[1] + rr[1]*x[0] + rr[2]*x[1] + r[1])
    return (x[0] + l*x[1] + d[0], x[1] + d[1]), (h[0], h[1] - l*h[0])


@leaf
def started(base, column):
    """One of the two motions or forces that a base leaves open: (x, forces)"""
    if base == CLAMPED or (base == PINNED and column == 0):
        return (0.0, 0.0), (1.0 - column, 1.0*column)
    return (1.0 - column, 1.0*column), (0.0, 0.0)


@kernel(ADVANCE_PRODUCT)
def advance_product(base, kinds, parts, data, Y, numbers, F, place, motion, scratch, out, steps, wait, every):
    """The same steps by plain products from base to tip; scratch: sum, x, old, three columns of x."""
    n, row, largest, found = len(kinds), 0, 0.0, 0.0
    x, old = scratch[1], scratch[2]
    for at in range(steps):
        settle(kinds, parts[LENGTH], Y, motion, at)
        (a, fa), (b, fb), c, fc = started(base, 0), started(base, 1), prescribed(motion, at, 2), (0.0, 0.0)
        load = 0
        for j in range(n):
            if j > 0:
                pre, none = stress(parts, Y, j), (0.0, 0.0)
                a, fa = through_part(parts, data, j, a, fa, none)
                b, fb = through_part(parts, data, j, b, fb, none)
                c, fc = through_part(parts, data, j, c, fc, pre)
            pre = (ground(parts, Y, j, 0), ground(parts, Y, j, 1))
            while load < len(place) and place[load]//2 == j:
                f = F[at, load]
                pre = (pre[0] - f, pre[1]) if place[load] % 2 == 0 else (pre[0], pre[1] - f)
                load += 1
            own = data[j, OWN], data[j, OWN + 1], data[j, OWN + 2]
            fa, fb = through_node(own, a, fa, (0.0, 0.0)), through_node(own, b, fb, (0.0, 0.0))
            fc = through_node(own, c, fc, pre)
            for i in range(2):
                scratch[3, 2*j + i], scratch[4, 2*j + i], scratch[5, 2*j + i] = a[i], b[i], c[i]
        inv = inverse((fa[0], fb[0], fa[1], fb[1]))
        s, t = times(inv, (-fc[0], -fc[1]))
        gross = (abs(fa[0]*s) + abs(fb[0]*t) + abs(fc[0]), abs(fa[1]*s) + abs(fb[1]*t) + abs(fc[1]))
        ds, dt = times((abs(inv[0]), abs(inv[1]), abs(inv[2]), abs(inv[3])), gross)     # their error over that of a bit
        for i in range(2*n):
            x[i] = s*scratch[3, i] + t*scratch[4, i] + scratch[5, i]
            largest = max(largest, abs(scratch[3, i])*ds + abs(scratch[4, i])*dt + abs(scratch[5, i]))
            found = max(found, max(abs(x[i]), abs(Y[P, i])))
        tell = at + 1 == wait
        end_step(numbers, Y, x, 0, tell, out, row, old)
        if tell:
            row, wait = row + 1, wait + every
    scratch[0, 0] = largest/found if found > 0.0 else 0.0
    return row
