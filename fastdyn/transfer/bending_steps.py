"""A chain that bends across its length, a step at a time: 2x2 Riccati matrices inward, motions outward; and products.

Nodes have deflection and slope, unknown is x = T^2 (y'', phi''), u = p + b x (schemes.py). Node j hangs on node j-1 by
x_j = E x_{j-1} + d, E = [1, l; 0, 1], d what the part is bent: nothing (rigid), a slope (hinge), both (element). With
its inertia RR, RD, DD in (x_{j-1}, d), S = DD + b T^2 K + g T C and pre = T^2 K d_p + T C d_v:

    outer part exerts G - J x_j           D = S + J,   q = D^-1 (G - pre),   U = D^-1 (S E - DR)
    inward    G <- E' (S D^-1 G + J D^-1 pre) - RD q
              J <- RR + E' S D^-1 J E - RD D^-1 DR - (RD D^-1 J E + its transpose)
    outward   x_j = U x_{j-1} + q

S and J are positive: no pivoting, no difference of large numbers where parts are stiff. All but G, q, x depends on the
step alone. Derivation: docs/theory/transfer.md. Sources: [Horner & Pilkey 1978], [Kumar & Sankar 1986].
"""

from .._jit import float64, int64, kernel, leaf
from .riccati import BOX, MATRIX, WHOLE, P, V, go_on, output

RIGID, HINGE, ELEMENT = 1, 2, 3                             # kinds of parts between nodes
LENGTH, RR, RD, DD, K, C, NODE_M, NODE_K, NODE_C = 0, 1, 4, 8, 11, 14, 17, 20, 22   # rows of the numbers of a node
PARTS = 24
R, Q, INV, U = 0, 4, 8, 11                                  # rows of what a step needs; of products Z, Y stand at R, Q
DATA = 15
CLAMPED, PINNED, FREE = range(3)

# (kinds, numbers, b, g, base, data out) -> node that has no pivot, -1 if all have one
FACTOR = int64(WHOLE, MATRIX, float64, float64, int64, MATRIX)
# (kinds, numbers, data, state, numbers of the scheme, loads, their places, scratch, samples out, steps, wait, every)
ADVANCE = int64(WHOLE, MATRIX, MATRIX, MATRIX, MATRIX, MATRIX, WHOLE, MATRIX, BOX, int64, int64, int64)
# the same, the base in front -> samples; error over that of a bit, largest over largest found, goes to scratch[0, 0]
ADVANCE_PRODUCT = int64(int64, WHOLE, MATRIX, MATRIX, MATRIX, MATRIX, MATRIX, WHOLE, MATRIX, BOX, int64, int64, int64)


# ------------------------------------------------------------------------------------------------------ small algebra

@leaf
def symmetric(X, row, j):
    return X[row, j], X[row + 1, j], X[row + 2, j]


@leaf
def whole(X, row, j):
    return X[row, j], X[row + 1, j], X[row + 2, j], X[row + 3, j]


@leaf
def put(X, row, j, values):
    for i, value in enumerate(values):
        X[row + i, j] = value


@leaf
def full(s):
    return s[0], s[1], s[1], s[2]


@leaf
def mul(a, b):
    return (a[0]*b[0] + a[1]*b[2], a[0]*b[1] + a[1]*b[3], a[2]*b[0] + a[3]*b[2], a[2]*b[1] + a[3]*b[3])


@leaf
def times(a, x):
    return a[0]*x[0] + a[1]*x[1], a[2]*x[0] + a[3]*x[1]


@leaf
def transposed(a):
    return a[0], a[2], a[1], a[3]


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
    p, v = bent(parts, Y, P, j), bent(parts, Y, V, j)
    k, c = times(full(symmetric(parts, K, j)), p), times(full(symmetric(parts, C, j)), v)
    return k[0] + c[0], k[1] + c[1]


@leaf
def ground(parts, Y, j, i):
    """Of the springs to the ground at node j; i = 0 across, 1 turning"""
    return parts[NODE_K + i, j]*Y[P, 2*j + i] + parts[NODE_C + i, j]*Y[V, 2*j + i]


@leaf
def at_node(parts, b, g, j):
    """What a node itself answers x with"""
    m = symmetric(parts, NODE_M, j)
    return (m[0] + b*parts[NODE_K, j] + g*parts[NODE_C, j], m[1],
            m[2] + b*parts[NODE_K + 1, j] + g*parts[NODE_C + 1, j])


@leaf
def stiffened(parts, b, g, j):
    """S"""
    d, k, c = symmetric(parts, DD, j), symmetric(parts, K, j), symmetric(parts, C, j)
    return d[0] + b*k[0] + g*c[0], d[1] + b*k[1] + g*c[1], d[2] + b*k[2] + g*c[2]


@leaf
def moved(l, s):
    """E' s E"""
    return s[0], s[1] + l*s[0], s[2] + l*(2.0*s[1] + l*s[0])


# ------------------------------------------------------------------------------------------------------ factorization

@leaf
def of_part(kind, S, J):
    """(S D^-1, J D^-1, D^-1, the least pivot)"""
    if kind == RIGID:
        return (1.0, 0.0, 0.0, 1.0), (0.0, 0.0, 0.0, 0.0), (0.0, 0.0, 0.0), 1.0
    if kind == HINGE:
        d = S[2] + J[2]
        return (1.0, -J[1]/d, 0.0, S[2]/d), (0.0, J[1]/d, 0.0, J[2]/d), (0.0, 0.0, 1.0/d), d
    D = (S[0] + J[0], S[1] + J[1], S[2] + J[2])
    det = D[0]*D[2] - D[1]*D[1]
    inv = (D[2]/det, -D[1]/det, D[0]/det)
    return mul(full(S), full(inv)), mul(full(J), full(inv)), inv, min(D[0], det)


@kernel(FACTOR)
def factor(kinds, parts, b, g, base, data):
    n, J = len(kinds), (0.0, 0.0, 0.0)
    for j in range(n - 1, -1, -1):
        own = at_node(parts, b, g, j)
        J = (J[0] + own[0], J[1] + own[1], J[2] + own[2])
        if j == 0:
            break
        l, S = parts[LENGTH, j], stiffened(parts, b, g, j)
        RS, QJ, inv, pivot = of_part(kinds[j], S, J)
        if not pivot > 0.0:
            return j
        put(data, R, j, RS)
        put(data, Q, j, QJ)
        put(data, INV, j, inv)
        E, rd, I = (1.0, l, 0.0, 1.0), whole(parts, RD, j), full(inv)
        X, DR = mul(transposed(RS), E), mul(I, transposed(rd))
        put(data, U, j, (X[0] - DR[0], X[1] - DR[1], X[2] - DR[2], X[3] - DR[3]))
        RJ, rr = mul(RS, full(J)), symmetric(parts, RR, j)
        RJ = moved(l, (RJ[0], RJ[2], RJ[3]))
        inner, cross = mul(rd, DR), mul(mul(rd, transposed(QJ)), E)
        J = (rr[0] + RJ[0] - inner[0] - 2.0*cross[0], rr[1] + RJ[1] - inner[1] - cross[1] - cross[2],
             rr[2] + RJ[2] - inner[3] - 2.0*cross[3])
    det = J[0]*J[2] - J[1]*J[1]
    if (base == PINNED and not J[2] > 0.0) or (base == FREE and not min(J[0], det) > 0.0):
        return 0
    if base == CLAMPED:
        put(data, INV, 0, (0.0, 0.0, 0.0))
    elif base == PINNED:
        put(data, INV, 0, (0.0, 0.0, 1.0/J[2]))
    else:
        put(data, INV, 0, (J[2]/det, -J[1]/det, J[0]/det))
    return -1


# ------------------------------------------------------------------------------------------------------------- steps

@leaf
def taken(kinds, parts, Y, numbers, x, out, row, tell, old):
    """Samples, and the state of the next step; what parts hold is not stepped but carried along"""
    n = len(kinds)
    if tell:
        for what in range(3):
            for i in range(2*n):
                out[row, what, i] = output(numbers, Y, i, x[i], what)
    for j in range(n):
        kind = kinds[j]
        if kind == RIGID or kind == HINGE:
            for i in range(len(Y)):
                Y[i, 2*j] = Y[i, 2*j - 2] + parts[LENGTH, j]*Y[i, 2*j - 1]
        else:
            go_on(numbers, Y, 2*j, x[2*j], old)
        if kind == RIGID:
            for i in range(len(Y)):
                Y[i, 2*j + 1] = Y[i, 2*j - 1]
        else:
            go_on(numbers, Y, 2*j + 1, x[2*j + 1], old)


@kernel(ADVANCE)
def advance(kinds, parts, data, Y, numbers, F, place, scratch, out, steps, wait, every):
    """place: twice the node of a load, one more for a moment; ascending."""
    n, row = len(kinds), 0
    q, x, old = scratch[0], scratch[1], scratch[2]
    for at in range(steps):
        G, load = (0.0, 0.0), len(place) - 1
        for j in range(n - 1, -1, -1):
            G = (G[0] - ground(parts, Y, j, 0), G[1] - ground(parts, Y, j, 1))
            while load >= 0 and place[load]//2 == j:
                f = F[at, load]
                G = (G[0] + f, G[1]) if place[load] % 2 == 0 else (G[0], G[1] + f)
                load -= 1
            if j > 0:
                pre = stress(parts, Y, j)
                q[2*j], q[2*j + 1] = times(full(symmetric(data, INV, j)), (G[0] - pre[0], G[1] - pre[1]))
                a, c = times(whole(data, R, j), G), times(whole(data, Q, j), pre)
                d = times(whole(parts, RD, j), (q[2*j], q[2*j + 1]))
                f = a[0] + c[0]
                G = (f - d[0], a[1] + c[1] + parts[LENGTH, j]*f - d[1])
        x[0], x[1] = times(full(symmetric(data, INV, 0)), G)
        for j in range(1, n):
            e = times(whole(data, U, j), (x[2*j - 2], x[2*j - 1]))
            x[2*j], x[2*j + 1] = e[0] + q[2*j], e[1] + q[2*j + 1]
        tell = at + 1 == wait
        taken(kinds, parts, Y, numbers, x, out, row, tell, old)
        if tell:
            row, wait = row + 1, wait + every
    return row


# ---------------------------------------------------------------------------------------------------------- products

@kernel(FACTOR)
def prepare(kinds, parts, b, g, base, data):
    """Of each part what takes (x, forces) inside to what it is bent: d = Z (f - Y x - E' pre); S at U."""
    for j in range(1, len(kinds)):
        l, S, rd, rr = parts[LENGTH, j], stiffened(parts, b, g, j), whole(parts, RD, j), symmetric(parts, RR, j)
        Z = (0.0, 0.0, 0.0, 0.0)
        if kinds[j] == HINGE:
            Z = (0.0, 0.0, 0.0, 1.0/S[2])
        elif kinds[j] == ELEMENT:
            X = mul((1.0, 0.0, l, 1.0), full(S))
            Z = inverse((X[0] - rd[0], X[1] - rd[1], X[2] - rd[2], X[3] - rd[3]))
        W = mul((1.0, 0.0, l, 1.0), transposed(rd))
        put(data, R, j, Z)
        put(data, Q, j, (W[0] - rr[0], W[1] - rr[1], W[2] - rr[1], W[3] - rr[2]))
    for j in range(len(kinds)):
        put(data, INV, j, at_node(parts, b, g, j))
    return -1


@leaf
def through_node(own, x, f, pre):
    """Forces outside of a node from those inside"""
    return f[0] + own[0]*x[0] + own[1]*x[1] + pre[0], f[1] + own[1]*x[0] + own[2]*x[1] + pre[1]


@leaf
def through_part(parts, data, j, x, f, pre):
    """(x, forces) at the outer end of a part"""
    l, y = parts[LENGTH, j], times(whole(data, Q, j), x)
    d = times(whole(data, R, j), (f[0] - y[0] - pre[0], f[1] - y[1] - pre[1] - l*pre[0]))
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
def advance_product(base, kinds, parts, data, Y, numbers, F, place, scratch, out, steps, wait, every):
    """The same steps by plain products from base to tip; scratch: sum, x, old, three columns of x."""
    n, row, largest, found = len(kinds), 0, 0.0, 0.0
    x, old = scratch[1], scratch[2]
    for at in range(steps):
        (a, fa), (b, fb), c, fc = started(base, 0), started(base, 1), (0.0, 0.0), (0.0, 0.0)
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
            own = symmetric(data, INV, j)
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
        taken(kinds, parts, Y, numbers, x, out, row, tell, old)
        if tell:
            row, wait = row + 1, wait + every
    scratch[0, 0] = largest/found if found > 0.0 else 0.0
    return row
