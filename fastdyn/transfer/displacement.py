"""Torsion chains through time by Riccati's form in angles instead of accelerations: as it is written, for comparison.

x = A th + B, T th' = D th + E from the scheme, A = 1/b, B = -p/b, D = g/b, E = v - D p; k, c are T^2 k_j, T c_j; at the
base D0 = 0, E0 = T th0'. All outside of link j takes the torque S th_j + G, S < 0:

    link    S -= I A,  G += f - I B
    joint   d = k + c D - S,  r = (k + c D0)/d,  q = (G - c (E - E0))/d,   th_j = r th_{j-1} + q,   G += S q,  S = S r

No pivot vanishes and nothing grows, but x is the difference of A th and -B, both 1/T^2 larger: with small steps some of
its digits are lost, which riccati.py keeps. Sources: [Horner & Pilkey 1978], [Kumar & Sankar 1986].
"""

from .._jit import kernel
from .riccati import ADVANCE, C, K, P, V, end_step


@kernel(ADVANCE)
def advance_displacement(Y, D, numbers, F, station, base, scratch, out, steps, wait, every):
    """Steps of a chain. scratch: inertia, T^2 f, x, r, q; row 6 for a state."""
    many, n, row = len(Y), Y.shape[1], 0
    b, g = numbers[many + 3, 0], numbers[many + 3, 1]
    I, f, x, r, q, old = scratch[0], scratch[1], scratch[2], scratch[3], scratch[4], scratch[6]
    A, slope = 1.0/b, g/b
    for at in range(steps):
        for j in range(n):
            f[j] = 0.0
        for load in range(len(station)):
            f[station[load]] += F[at, load]
        S, G = 0.0, 0.0
        for j in range(n - 1, 0, -1):
            E = Y[V, j] - slope*Y[P, j]
            slope_in, E_in = (0.0, base[at, V]) if j == 1 else (slope, Y[V, j - 1] - slope*Y[P, j - 1])
            S -= I[j]*A
            G += f[j] + I[j]*A*Y[P, j]
            d = D[K, j] + D[C, j]*slope - S
            r[j], q[j] = (D[K, j] + D[C, j]*slope_in)/d, (G - D[C, j]*(E - E_in))/d
            G += S*q[j]
            S = S*r[j]
        th = base[at, P]
        for j in range(1, n):
            th = r[j]*th + q[j]
            x[j] = A*(th - Y[P, j])
        tell = at + 1 == wait
        end_step(numbers, Y, x, 1, tell, out, row, old)
        if tell:
            row, wait = row + 1, wait + every
    return row
