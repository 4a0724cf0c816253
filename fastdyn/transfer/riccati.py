"""Chains of links that turn about one axis, a step at a time: forces folded inward, accelerations carried outward.

Of link j: th its angle, x = T^2 th'' in the balance of forces, th = p + b x and T th' = v + g x (schemes.py). With
k, c for T^2 k_j, T c_j the joint passes on tau = pre + kappa (x_j - x_{j-1}), kappa = b k + g c. The outer part answers
tau = G - J x_j; one elimination a joint, with J > 0 and d > 0, keeps all digits for any number of links.

    d = kappa + J,  r = kappa/d,  s = J/d           inward:   q = (G + f - pre)/d,  G <- r (G + f) + s pre
    J of the inner link += r J                      outward:  x_j = r x_{j-1} + q

r, s, 1/d depend on the step alone. Derivation: docs/theory/transfer.md.
Sources: [Horner & Pilkey 1978], [Kumar & Sankar 1986].
"""

from .._jit import borrower, c_array, float64, int64, kernel, leaf, pointer, sweep, uint64

VECTOR, MATRIX, BOX, WHOLE = c_array(float64, 1), c_array(float64, 2), c_array(float64, 3), c_array(int64, 1)
K, C, R, S, INV = range(5)                  # rows of the numbers of a joint
DATA = 5
P, V = range(2)                             # rows of the state; column 0 is the base

# (parent, inertia, b, g, data in and out) -> the number of the first link without pivot, 0 if all have one
FACTOR = int64(WHOLE, VECTOR, float64, float64, MATRIX)
# (state, data, numbers of the scheme, loads, their stations, base, scratch, samples out, steps, wait, every) -> samples
ADVANCE = int64(MATRIX, MATRIX, MATRIX, MATRIX, WHOLE, MATRIX, MATRIX, BOX, int64, int64, int64)
# the same with the parents in front
ADVANCE_TREE = int64(WHOLE, MATRIX, MATRIX, MATRIX, MATRIX, WHOLE, MATRIX, MATRIX, BOX, int64, int64, int64)


# ------------------------------------------------------------------------------------------------------- link steps

@leaf
def fold(p, v, p_in, v_in, H, k, c, r, s, inverse):
    """Link and joint folded inward: (q, G)"""
    pre = k*(p - p_in) + c*(v - v_in)
    return (H - pre)*inverse, r*H + s*pre


@leaf
def next2(a, p, v, x):
    """State of the next step from two numbers"""
    return a[0]*p + a[1]*v + a[2]*x, a[3]*p + a[4]*v + a[5]*x


@leaf
def next3(a, p, v, z, x):
    """The same from three"""
    return (a[0]*p + a[1]*v + a[2]*z + a[3]*x, a[4]*p + a[5]*v + a[6]*z + a[7]*x,
            a[8]*p + a[9]*v + a[10]*z + a[11]*x)


@leaf
def output(numbers, Y, j, x, what):
    """th, T th' or T^2 th'' (what = 0, 1, 2) of link j at the end of a step that found x"""
    many = len(Y)
    total = numbers[many + what, many]*x
    for i in range(many):
        total += numbers[many + what, i]*Y[i, j]
    return total


@leaf
def go_on(numbers, Y, j, x, old):
    """The state of link j becomes that of the next step"""
    many = len(Y)
    for i in range(many):
        old[i] = Y[i, j]
    for i in range(many):
        total = numbers[i, many]*x
        for o in range(many):
            total += numbers[i, o]*old[o]
        Y[i, j] = total


@borrower
def end_step(numbers, Y, x, first, tell, out, row, old):
    """The state of links `first` and on becomes that of the next step; before, if asked, a row of the samples"""
    if tell:
        for what in range(3):
            for j in range(first, Y.shape[1]):
                out[row, what, j - first] = output(numbers, Y, j, x[j], what)
    for j in range(first, Y.shape[1]):
        go_on(numbers, Y, j, x[j], old)


# ------------------------------------------------------------------------------------------------------ factorization

@kernel(FACTOR)
def factor(parent, inertia, b, g, data):
    """r, s, 1/d of every joint; parent[j] < j, links counted from 1, the base is 0."""
    n = len(parent)
    for j in range(n):
        data[S, j] = inertia[j]
    for j in range(n - 1, 0, -1):
        kappa, J = b*data[K, j] + g*data[C, j], data[S, j]
        d = kappa + J
        if not d > 0.0:
            return j
        data[R, j], data[S, j], data[INV, j] = kappa/d, J/d, 1.0/d
        data[S, parent[j]] += data[R, j]*J
    return 0


# --------------------------------------------------------------------------------------------------- chains, one by one

@sweep
def inward(Y, D, q, columns, low, top, G):
    """Fold links top - 1 down to low, none of them loaded"""
    p, v = Y[top - uint64(1)], Y[columns + top - uint64(1)]
    for back in range(top - low):
        j = top - uint64(1) - uint64(back)
        i = j - uint64(1)
        p_in, v_in = Y[i], Y[columns + i]
        q[j], G = fold(p, v, p_in, v_in, G, D[j], D[columns + j], D[uint64(R)*columns + j],
                       D[uint64(S)*columns + j], D[uint64(INV)*columns + j])
        p, v = p_in, v_in
    return G


@leaf
def all_inward(Y, D, q, columns, station, F, at):
    """Fold the whole chain; loads act where they are"""
    top, G = columns, 0.0
    for back in range(len(station)):
        load = len(station) - 1 - back
        low = uint64(station[load]) + uint64(1)
        if low < top:
            G = inward(Y, D, q, columns, low, top, G)
        G += F[at, load]
        top = low
    if top > uint64(1):
        inward(Y, D, q, columns, uint64(1), top, G)


@sweep
def outward2(Y, D, q, columns, a):
    x = 0.0
    for j in range(uint64(1), columns):
        x = D[uint64(R)*columns + j]*x + q[j]
        Y[j], Y[columns + j] = next2(a, Y[j], Y[columns + j], x)


@sweep
def outward3(Y, D, q, columns, a):
    x, two = 0.0, uint64(2)*columns
    for j in range(uint64(1), columns):
        x = D[uint64(R)*columns + j]*x + q[j]
        Y[j], Y[columns + j], Y[two + j] = next3(a, Y[j], Y[columns + j], Y[two + j], x)


@sweep
def told(Y, D, q, columns, many, numbers, out, row):
    """th, T th', T^2 th'' of a step into a row of the samples"""
    for what in range(3):
        x = 0.0
        for j in range(uint64(1), columns):
            x = D[uint64(R)*columns + j]*x + q[j]
            total = numbers[many + what, many]*x
            for i in range(many):
                total += numbers[many + what, i]*Y[uint64(i)*columns + j]
            out[row, what, j - uint64(1)] = total


@kernel(ADVANCE)
def advance2(Y, D, numbers, F, station, base, q, out, steps, wait, every):
    """Steps of a scheme with two numbers a link; a sample after `wait` steps, then after `every`."""
    columns, y, data, scratch = uint64(Y.shape[1]), pointer(Y), pointer(D), pointer(q)
    a = (numbers[0, 0], numbers[0, 1], numbers[0, 2], numbers[1, 0], numbers[1, 1], numbers[1, 2])
    row = 0
    for at in range(steps):
        y[0], y[columns] = base[at, P], base[at, V]
        all_inward(y, data, scratch, columns, station, F, at)
        if at + 1 == wait:
            told(y, data, scratch, columns, 2, numbers, out, row)
            row, wait = row + 1, wait + every
        outward2(y, data, scratch, columns, a)
    return row


@kernel(ADVANCE)
def advance3(Y, D, numbers, F, station, base, q, out, steps, wait, every):
    """The same with three."""
    columns, y, data, scratch = uint64(Y.shape[1]), pointer(Y), pointer(D), pointer(q)
    a = (numbers[0, 0], numbers[0, 1], numbers[0, 2], numbers[0, 3], numbers[1, 0], numbers[1, 1], numbers[1, 2],
         numbers[1, 3], numbers[2, 0], numbers[2, 1], numbers[2, 2], numbers[2, 3])
    row = 0
    for at in range(steps):
        y[0], y[columns] = base[at, P], base[at, V]
        all_inward(y, data, scratch, columns, station, F, at)
        if at + 1 == wait:
            told(y, data, scratch, columns, 3, numbers, out, row)
            row, wait = row + 1, wait + every
        outward3(y, data, scratch, columns, a)
    return row


# -------------------------------------------------------------------------------------------------- trees, any number

@kernel(ADVANCE_TREE)
def advance_tree(parent, Y, D, numbers, F, station, base, scratch, out, steps, wait, every):
    """Steps of a tree, or of a scheme with any number of numbers a link. scratch: q, G, x, and rows for a state."""
    n, row = len(parent), 0
    q, G, x, old = scratch[0], scratch[1], scratch[2], scratch[3]
    for at in range(steps):
        Y[P, 0], Y[V, 0] = base[at, P], base[at, V]
        for j in range(n):
            G[j] = 0.0
        for load in range(len(station)):
            G[station[load]] += F[at, load]
        for j in range(n - 1, 0, -1):
            i = parent[j]
            q[j], inner = fold(Y[P, j], Y[V, j], Y[P, i], Y[V, i], G[j], D[K, j], D[C, j], D[R, j], D[S, j], D[INV, j])
            G[i] += inner
        x[0] = 0.0
        for j in range(1, n):
            x[j] = D[R, j]*x[parent[j]] + q[j]
        tell = at + 1 == wait
        end_step(numbers, Y, x, 1, tell, out, row, old)
        if tell:
            row, wait = row + 1, wait + every
    return row
