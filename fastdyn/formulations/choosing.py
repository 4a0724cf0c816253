"""Which of the points at rest stick: forces within their limits that leave the least of what accelerates them.

With H definite and x the forces over the roots of their limits (formulations/sticking.py) they are the minimum of

    x'H x/2 - b'x,       |x_k| <= bound_k.

There each point sticks, inside its bound, or is pushed by it and accelerates against it. States of the points (0: free,
1, -1: at a bound) are changed for all that are wrong at once, and if that leads nowhere for the last one alone, which
always ends [Judice & Pires 1994]. 2, -2: a point that is at its bound in any case. Derived in docs/theory/contact.md.
"""

import math

from .._jit import borrower

SOUND = 1e-13               # of the largest number: rounding
TRIES, CHANGES = 4, 1000


@borrower
def choose(H, b, bound, state, x, L, m):
    """States of the points, and their forces into x; L: room for a factor of H."""
    fewest, left = m + 1, TRIES
    for _ in range(CHANGES):
        scale = free_forces(H, b, bound, state, x, L, m)
        count, last = 0, 0
        for i in range(m):
            if next_state(H, b, bound, state, x, m, i, scale) != state[i]:
                count, last = count + 1, i
        if count == 0:
            break
        left = TRIES if count < fewest else left - 1
        fewest = min(fewest, count)
        for i in range(m):                              # x stays as it is: all are judged by the same forces
            if left >= 0 or i == last:
                L[i] = next_state(H, b, bound, state, x, m, i, scale)
            else:
                L[i] = state[i]
        for i in range(m):
            state[i] = L[i]


@borrower
def free_forces(H, b, bound, state, x, L, m):
    """x of the free for those at bounds as they are; the largest number in it and in b"""
    for i in range(m):
        x[i] = math.copysign(bound[i], state[i]) if state[i] != 0.0 else b[i]
    for i in range(m):
        if state[i] == 0.0:
            for j in range(m):
                if state[j] != 0.0:
                    x[i] -= H[i*m + j]*x[j]
    for i in range(m):
        if state[i] == 0.0:
            for j in range(i + 1):
                if state[j] == 0.0:
                    total = H[i*m + j]
                    for k in range(j):
                        if state[k] == 0.0:
                            total -= L[i*m + k]*L[j*m + k]
                    L[i*m + j] = total/L[j*m + j] if j < i else math.sqrt(max(total, SOUND))
            for k in range(i):
                if state[k] == 0.0:
                    x[i] -= L[i*m + k]*x[k]
            x[i] /= L[i*m + i]
    for i in range(m - 1, -1, -1):
        if state[i] == 0.0:
            for k in range(i + 1, m):
                if state[k] == 0.0:
                    x[i] -= L[k*m + i]*x[k]
            x[i] /= L[i*m + i]
    scale = 0.0
    for i in range(m):
        scale = max(scale, abs(x[i]), abs(b[i]))
    return scale


@borrower
def next_state(H, b, bound, state, x, m, i, scale):
    """The state of a point, or the one that it should have"""
    if abs(state[i]) == 2.0:
        return state[i]
    if state[i] == 0.0:
        return state[i] if abs(x[i]) <= bound[i] else math.copysign(1.0, x[i])
    rest = -b[i]
    for j in range(m):
        rest += H[i*m + j]*x[j]
    return 0.0 if state[i]*rest > SOUND*scale else state[i]
