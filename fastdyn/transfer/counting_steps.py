"""How many natural frequencies of a torsion chain lie below given ones: negative pivots of one elimination each.

D_j = -I_j w^2 + sum over outer joints of k D/(k + D), d_j = k_j + D_j; see classic.py.
Source: [Wittrick & Williams 1971].
"""

from .._jit import float64, int64, kernel
from .riccati import VECTOR, WHOLE

# (parents, stiffness, inertia, squares of frequencies, the least number there is, room, counts out)
COUNT = int64(WHOLE, VECTOR, VECTOR, VECTOR, float64, VECTOR, WHOLE)


@kernel(COUNT)
def count(parent, stiffness, inertia, squares, tiny, outer, found):
    """Links are counted from 1, the base is 0; `outer` is D of all that sits on a link."""
    n = len(parent)
    for i in range(len(squares)):
        square, below = squares[i], 0
        for j in range(n):
            outer[j] = 0.0
        for j in range(n - 1, 0, -1):
            k, D = stiffness[j], outer[j] - inertia[j]*square
            d = k + D
            if d == 0.0:
                d = tiny
            if d < 0.0:
                below += 1
            outer[parent[j]] += k if abs(D) > 1e300 else D*(k/d)
        found[i] = below
    return 0
