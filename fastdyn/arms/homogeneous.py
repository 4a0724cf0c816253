"""4x4 homogeneous matrices as twelve numbers of a flat array: rows 0 to 2; the last row is (0, 0, 0, e).

e = 1 for transforms, 0 for their derivatives. Sums over mass are 4x4 or 4x3, row by row; their right side is in world
axes where it has three columns.
"""

from .._jit import sweep


@sweep
def times(a, i, b, j, e, out, k, share, keep):
    """out = keep out + share a b; e: last number of b's last row"""
    for r in range(3):
        x, y, z, p = a[i + 4*r], a[i + 4*r + 1], a[i + 4*r + 2], a[i + 4*r + 3]
        for c in range(4):
            t = x*b[j + c] + y*b[j + 4 + c] + z*b[j + 8 + c] + (p*e if c == 3 else 0.0)
            out[k + 4*r + c] = share*t + (keep*out[k + 4*r + c] if keep != 0.0 else 0.0)


@sweep
def times_spin(a, i, out, k, share, keep):
    """out = keep out + share a Omega, Omega the derivative of a turn about z"""
    for r in range(3):
        x, y = a[i + 4*r], a[i + 4*r + 1]
        for c in range(4):
            t = y if c == 0 else (-x if c == 1 else 0.0)
            out[k + 4*r + c] = share*t + keep*out[k + 4*r + c]


@sweep
def times_spin_twice(a, i, out, k, share):
    """out = out + share a Omega Omega"""
    for r in range(3):
        out[k + 4*r] -= share*a[i + 4*r]
        out[k + 4*r + 1] -= share*a[i + 4*r + 1]


@sweep
def onto(T, i, columns, x, j, out, k):
    """4 x columns: out = T x, T a transform; out may be x"""
    for c in range(columns):
        p, q, r, s = x[j + c], x[j + columns + c], x[j + 2*columns + c], x[j + 3*columns + c]
        for a in range(3):
            out[k + columns*a + c] = T[i + 4*a]*p + T[i + 4*a + 1]*q + T[i + 4*a + 2]*r + T[i + 4*a + 3]*s
        out[k + 3*columns + c] = s


@sweep
def congruent(T, i, S, j, out, k, spare):
    """4x4: out = T S T', T a transform, S symmetric; out may be S"""
    onto(T, i, 4, S, j, spare, 0)                           # T S; its transpose is S T'
    for a in range(4):
        for b in range(a):
            spare[4*a + b], spare[4*b + a] = spare[4*b + a], spare[4*a + b]
    onto(T, i, 4, spare, 0, out, k)


@sweep
def by_transposed(S, j, a, i, e, out, k):
    """4x3: out = S a', S 4x4, a 3x4; nothing is known of the last row of a but its first three numbers"""
    for r in range(4):
        for c in range(3):
            out[k + 3*r + c] = (S[j + 4*r]*a[i + 4*c] + S[j + 4*r + 1]*a[i + 4*c + 1]
                                + S[j + 4*r + 2]*a[i + 4*c + 2] + S[j + 4*r + 3]*a[i + 4*c + 3]) + (
                                    e*out[k + 3*r + c] if e != 0.0 else 0.0)


@sweep
def trace(a, i, x, j):
    """tr(a x), a 3x4, x 4x3"""
    t = 0.0
    for r in range(3):
        for c in range(4):
            t += a[i + 4*r + c]*x[j + 3*c + r]
    return t


@sweep
def point_of(T, i, x, y, z, e):
    """World place (e = 1) or what a derivative makes of a place (e its last number)"""
    return (T[i]*x + T[i + 1]*y + T[i + 2]*z + T[i + 3]*e, T[i + 4]*x + T[i + 5]*y + T[i + 6]*z + T[i + 7]*e,
            T[i + 8]*x + T[i + 9]*y + T[i + 10]*z + T[i + 11]*e)
