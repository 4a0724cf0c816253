"""A chain that bends across its length, a step at a time: 2x2 Riccati matrices inward, motions outward.

Nodes have deflection and slope, unknown is x = T^2 (y'', phi''), u = p + b x (schemes.py). Node j hangs on node j-1 by
x_j = E x_{j-1} + d, E = [1, l; 0, 1], d what the part is bent: nothing (rigid), a slope (hinge), both (element). With
its inertia RR, RD, DD in (x_{j-1}, d), S = DD + b T^2 K + g T C and pre = T^2 K d_p + T C d_v:

    outer part exerts G - J x_j           D = S + J,   U = D^-1 (S E - DR),   W = (E' J + RD) D^-1
    inward    q = D^-1 (G - pre),   G <- U' G + W pre
              J <- RR + E' S D^-1 J E - RD D^-1 DR - (RD D^-1 J E + its transpose)
    outward   x_j = U x_{j-1} + q

S and J are positive: no pivoting, no difference of large numbers where parts are stiff. All but G, q, x depends on the
step alone. A base that moves as prescribed is a node inside of node 0 whose x is known: u = p + b x is its motion.
Derivation: docs/theory/transfer.md. Sources: [Horner & Pilkey 1978], [Kumar & Sankar 1986].
"""

from functools import cache

from .._jit import borrower, borrower_leaf, float64, int64, kernel, leaf, pointer, uint64
from .riccati import BOX, MATRIX, VECTOR, WHOLE, go_on, next2, next3, output

RIGID, HINGE, ELEMENT = 1, 2, 3                             # kinds of parts between nodes; 0 inside of node 0
ACTED, KIND = 4, 3                                          # more where loads or springs to the ground act; the rest
LENGTH, RR, RD, DD, K, C, NODE_M, NODE_K, NODE_C = 0, 1, 4, 8, 11, 14, 15, 18, 20   # rows of the numbers of a node
PARTS = 22
# numbers that steps read, three tables one after the other: of forces inward l, T^2 K, T C, D^-1, W of every part; U of
# every part, of a rigid link [1, l; 0, 1], which motions outward need too; springs to the ground of every node
L, KEPT, DAMPED, INV, W = 0, 1, 4, 5, 8
INWARD, BOTH, GROUND = 12, 4, 4
DATA = INWARD + BOTH + GROUND
CLAMPED, PINNED, FREE = range(3)
HELD = (2, 1, 0)                                            # motions that each of these prescribes
SLIGHT = 1e-14                                              # of a product of pivots: a determinant that is rounding
MOVED = 3                                                   # numbers of a motion that is prescribed: p, v, x

# (kinds, numbers, b, g, base, data out) -> node that has no pivot, -1 if all have one
FACTOR = int64(WHOLE, MATRIX, float64, float64, int64, VECTOR)
# (kinds, data, state, numbers of the scheme, loads, their places, motions of the base, a row for each step or one for
#  all, scratch, samples out, steps, wait, every)
ADVANCE = int64(WHOLE, VECTOR, MATRIX, MATRIX, MATRIX, WHOLE, MATRIX, MATRIX, BOX, int64, int64, int64)


# ------------------------------------------------------------------------------------------------------ small algebra

@leaf
def symmetric(X, row, j):
    return X[row, j], X[row + 1, j], X[row + 2, j]


@leaf
def whole(X, row, j):
    return X[row, j], X[row + 1, j], X[row + 2, j], X[row + 3, j]


@leaf
def put(x, start, values):
    for i, value in enumerate(values):
        x[start + i] = value


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
def at_node(parts, b, g, j):
    """What a node itself answers x with"""
    m = symmetric(parts, NODE_M, j)
    return (m[0] + b*parts[NODE_K, j] + g*parts[NODE_C, j], m[1],
            m[2] + b*parts[NODE_K + 1, j] + g*parts[NODE_C + 1, j])


@leaf
def stiffened(parts, b, g, j):
    """S"""
    d, k = symmetric(parts, DD, j), symmetric(parts, K, j)
    return d[0] + b*k[0], d[1] + b*k[1], d[2] + b*k[2] + g*parts[C, j]


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
    return mul(full(S), full(inv)), mul(full(J), full(inv)), inv, min(D[0], det - SLIGHT*D[0]*D[2])


@kernel(FACTOR)
def factor(kinds, parts, b, g, base, data):
    n, J = len(kinds), (0.0, 0.0, 0.0)
    ways, grounds = n*INWARD, n*(INWARD + BOTH)
    for j in range(n - 1, -1, -1):
        own = at_node(parts, b, g, j)
        J = (J[0] + own[0], J[1] + own[1], J[2] + own[2])
        put(data, grounds + GROUND*j, whole(parts, NODE_K, j))
        if j == 0:
            break
        l, S = parts[LENGTH, j], stiffened(parts, b, g, j)
        RS, QJ, inv, pivot = of_part(kinds[j] & KIND, S, J)
        if not pivot > 0.0:
            return j
        E, rd, I = (1.0, l, 0.0, 1.0), whole(parts, RD, j), full(inv)
        DR, QE = mul(I, transposed(rd)), mul(transposed(QJ), E)
        X = mul(transposed(RS), E)
        put(data, INWARD*j, (l, *symmetric(parts, K, j), parts[C, j], *inv))
        put(data, INWARD*j + W, (QE[0] + DR[0], QE[2] + DR[2], QE[1] + DR[1], QE[3] + DR[3]))
        put(data, ways + BOTH*j, (X[0] - DR[0], X[1] - DR[1], X[2] - DR[2], X[3] - DR[3]))
        RJ, rr = mul(RS, full(J)), symmetric(parts, RR, j)
        RJ = moved(l, (RJ[0], RJ[2], RJ[3]))
        inner, cross = mul(rd, DR), mul(rd, QE)
        J = (rr[0] + RJ[0] - inner[0] - 2.0*cross[0], rr[1] + RJ[1] - inner[1] - cross[1] - cross[2],
             rr[2] + RJ[2] - inner[3] - 2.0*cross[3])
    det = J[0]*J[2] - J[1]*J[1]
    if (base == PINNED and not J[2] > 0.0) or (base == FREE and not min(J[0], det - SLIGHT*J[0]*J[2]) > 0.0):
        return 0
    if base == CLAMPED:
        put(data, INV, (0.0, 0.0, 0.0))
        put(data, ways, (1.0, 0.0, 0.0, 1.0))
    elif base == PINNED:
        put(data, INV, (0.0, 0.0, 1.0/J[2]))
        put(data, ways, (1.0, 0.0, -J[1]/J[2], 0.0))
    else:
        put(data, INV, (J[2]/det, -J[1]/det, J[0]/det))
        put(data, ways, (0.0, 0.0, 0.0, 0.0))
    return -1


# ------------------------------------------------------------------------------------------------------------- steps

@leaf
def prescribed(base, at, quantity):
    """p, v or x (0, 1, 2) of a base in a step; what it leaves free counts as zero"""
    row = min(at, len(base) - 1)
    return (base[row, quantity] if base.shape[1] >= MOVED else 0.0,
            base[row, MOVED + quantity] if base.shape[1] == 2*MOVED else 0.0)


@leaf
def put_base(Y, base, at):
    """What the base prescribes becomes the state of node 0"""
    row = min(at, len(base) - 1)
    for i in range(base.shape[1]//MOVED):
        for quantity in range(2):
            Y[quantity, i] = base[row, MOVED*i + quantity]


@leaf
def carry(kind, y, size, many, i, l):
    """The state of what a rigid link or a hinge holds follows the node inside; i: the place of the deflection"""
    for row in range(many):
        o = uint64(row)*size + i
        if kind == HINGE:
            y[o] = y[o - uint64(2)]
        else:
            slope = y[o - uint64(1)]
            y[o], y[o + uint64(1)] = y[o - uint64(2)] + l*slope, slope


@borrower
def settle(kinds, lengths, Y, base, at):
    """The state of the base and of all that parts hold, at the start of a step"""
    put_base(Y, base, at)
    for j in range(1, len(kinds)):
        if kinds[j] & KIND != ELEMENT:
            carry(kinds[j] & KIND, pointer(Y), uint64(Y.shape[1]), len(Y), uint64(2*j), lengths[j])


@leaf
def fold(kind, d, at, u, y, size, i, G):
    """Part folded inward: (q, G); at, u: where its numbers are"""
    if kind == RIGID:
        return 0.0, 0.0, (G[0], G[1] + d[u + uint64(1)]*G[0])
    turned, w = y[i + uint64(1)] - y[i - uint64(1)], at + uint64(W)
    if kind == HINGE:
        rate = y[size + i + uint64(1)] - y[size + i - uint64(1)]
        pre = d[at + uint64(KEPT + 2)]*turned + d[at + uint64(DAMPED)]*rate
        return (0.0, (G[1] - pre)*d[at + uint64(INV + 2)],
                (G[0] + d[w + uint64(1)]*(pre - G[1]), d[u + uint64(3)]*G[1] + d[w + uint64(3)]*pre))
    k, inv = at + uint64(KEPT), at + uint64(INV)
    across = y[i] - y[i - uint64(2)] - d[at + uint64(L)]*y[i - uint64(1)]
    f, m = d[k]*across + d[k + uint64(1)]*turned, d[k + uint64(1)]*across + d[k + uint64(2)]*turned
    a, b = G[0] - f, G[1] - m
    return (d[inv]*a + d[inv + uint64(1)]*b, d[inv + uint64(1)]*a + d[inv + uint64(2)]*b,
            (d[u]*G[0] + (d[w]*f + d[w + uint64(1)]*m) + d[u + uint64(2)]*G[1],
             d[u + uint64(3)]*G[1] + (d[w + uint64(2)]*f + d[w + uint64(3)]*m) + d[u + uint64(1)]*G[0]))


@leaf
def outer(kind, d, u, x, y, q, i):
    """x of the outer end of a part from that of the inner"""
    if kind == RIGID:
        return x + d[u + uint64(1)]*y, y
    turned = d[u + uint64(3)]*y + q[i + uint64(1)] + d[u + uint64(2)]*x
    if kind == HINGE:
        return x, turned
    return d[u]*x + q[i] + d[u + uint64(1)]*y, turned


@leaf
def acted(d, y, size, n, F, place, step, j, G, load):
    """(G, number of the next load) with the springs and the loads of node j"""
    k, i = n*uint64(INWARD + BOTH) + uint64(GROUND)*j, uint64(2)*j
    G = (G[0] - (d[k]*y[i] + d[k + uint64(2)]*y[size + i]),
         G[1] - (d[k + uint64(1)]*y[i + uint64(1)] + d[k + uint64(3)]*y[size + i + uint64(1)]))
    while load >= 0 and place[load] >= int64(i):
        f = F[step, load]
        G = (G[0] + f, G[1]) if place[load] % 2 == 0 else (G[0], G[1] + f)
        load -= 1
    return G, load


@borrower_leaf
def inward(kinds, d, y, size, q, F, place, step):
    """Fold the whole chain; (G of the base) and loads act where they are"""
    G, load, n, codes = (0.0, 0.0), len(place) - 1, uint64(len(kinds)), pointer(kinds)
    ways = n*uint64(INWARD)
    for back in range(n - uint64(1)):
        j = n - uint64(1) - uint64(back)
        i, code = uint64(2)*j, codes[j]
        if code >= ACTED:
            G, load = acted(d, y, size, n, F, place, step, j, G, load)
        q[i], q[i + uint64(1)], G = fold(code & KIND, d, uint64(INWARD)*j, ways + uint64(BOTH)*j, y, size, i, G)
    return acted(d, y, size, n, F, place, step, uint64(0), G, load)[0]


@leaf
def first(n, d, q, base, step):
    """x of node 0: what the base prescribes, the rest by the forces q"""
    u, inv, b = n*uint64(INWARD), uint64(INV), prescribed(base, step, 2)
    return (d[u]*b[0] + d[u + uint64(1)]*b[1] + (d[inv]*q[0] + d[inv + uint64(1)]*q[1]),
            d[u + uint64(2)]*b[0] + d[u + uint64(3)]*b[1] + (d[inv + uint64(1)]*q[0] + d[inv + uint64(2)]*q[1]))


@borrower
def told(kinds, d, Y, q, numbers, x, y, out, row):
    """u, T u', T^2 u'' of a step into a row of the samples; x, y at node 0"""
    ways = uint64(len(kinds)*INWARD)
    for j in range(len(kinds)):
        if j > 0:
            x, y = outer(kinds[j] & KIND, d, ways + uint64(BOTH*j), x, y, q, uint64(2*j))
        for what in range(3):
            out[row, what, 2*j] = output(numbers, Y, 2*j, x, what)
            out[row, what, 2*j + 1] = output(numbers, Y, 2*j + 1, y, what)


@cache
def build(many):
    """The kernel for schemes with so many numbers a motion, 2 or 3; 0: any."""

    @leaf
    def coefficients(numbers):
        if many == 2:
            return numbers[0, 0], numbers[0, 1], numbers[0, 2], numbers[1, 0], numbers[1, 1], numbers[1, 2]
        if many == 3:
            return (numbers[0, 0], numbers[0, 1], numbers[0, 2], numbers[0, 3], numbers[1, 0], numbers[1, 1],
                    numbers[1, 2], numbers[1, 3], numbers[2, 0], numbers[2, 1], numbers[2, 2], numbers[2, 3])
        return numbers[0, 0],

    @leaf
    def step_on(a, numbers, Y, y, size, i, x, old):
        """The state of a motion becomes that of the next step"""
        if many == 2:
            y[i], y[size + i] = next2(a, y[i], y[size + i], x)
        elif many == 3:
            two = uint64(2)*size
            y[i], y[size + i], y[two + i] = next3(a, y[i], y[size + i], y[two + i], x)
        else:
            go_on(numbers, Y, int64(i), x, old)

    @borrower_leaf
    def outward(kinds, d, Y, q, numbers, x, slope, base, after, old):
        """x of all nodes from that of node 0; their state becomes that of step `after`"""
        a, y, size = coefficients(numbers), pointer(Y), uint64(Y.shape[1])
        step_on(a, numbers, Y, y, size, uint64(0), x, old)
        step_on(a, numbers, Y, y, size, uint64(1), slope, old)
        put_base(Y, base, after)
        n, codes = uint64(len(kinds)), pointer(kinds)
        for j in range(uint64(1), n):
            i, kind, u = uint64(2)*j, codes[j] & KIND, n*uint64(INWARD) + uint64(BOTH)*j
            x, slope = outer(kind, d, u, x, slope, q, i)
            if kind == ELEMENT:
                step_on(a, numbers, Y, y, size, i, x, old)
                step_on(a, numbers, Y, y, size, i + uint64(1), slope, old)
            else:
                carry(kind, y, size, many or len(Y), i, d[u + uint64(1)])
                if kind == HINGE:
                    step_on(a, numbers, Y, y, size, i + uint64(1), slope, old)

    @kernel(ADVANCE, variant=f"{many}")
    def advance(kinds, data, Y, numbers, F, place, base, scratch, out, steps, wait, every):
        """place: twice the node of a load, one more for a moment; ascending."""
        d, y, size, q, old, row = pointer(data), pointer(Y), uint64(Y.shape[1]), pointer(scratch), scratch[1], 0
        n = uint64(len(kinds))
        settle(kinds, data[INWARD*len(kinds) + 1::BOTH], Y, base, 0)
        for at in range(steps):
            q[0], q[1] = inward(kinds, d, y, size, q, F, place, at)
            x, slope = first(n, d, q, base, at)
            if at + 1 == wait:
                told(kinds, d, Y, q, numbers, x, slope, out, row)
                row, wait = row + 1, wait + every
            outward(kinds, d, Y, q, numbers, x, slope, base, at + 1, old)
        return row

    return advance


def kernel_for(many):
    """The kernel for so many numbers a motion."""
    return build(many if many in (2, 3) else 0)
