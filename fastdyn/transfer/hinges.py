"""A beam as rigid elements and hinges: where the hinges sit and how stiff they are.

n elements of length l = L/n. Hinges at the **middle** of the elements with

    k_1 = 8 EI/(9 l),   k_2 = (48 n - 72)/(42 n - 71) EI/l,   k_j = EI/l

give the static tip deflection P L^3/(3 EI) under a tip force exactly; where n = 1 there is one hinge, in the middle of
the beam, and k_1 = 3 EI/(4 L) does. The other rules are there to
compare: the same factors at the left ends of the elements are 16 % too soft with ten elements.
"""

from typing import NamedTuple

import numpy as np

from ..describe.check import one_of, whole

RULES = {
    "mid": "hinges in the middle, first two factors so that the static tip is exact",
    "mid-unit": "hinges in the middle, all EI/l",
    "left": "hinges at the inner ends, the first 2 EI/l",
    "left-unit": "hinges at the inner ends, all EI/l",
    "left-printed": "hinges at the inner ends with the factors of mid",
}


class Hinging(NamedTuple):
    """Length of the stub on the base, lengths of the moving links, stiffness of the hinge before each."""

    stub: float
    lengths: np.ndarray
    stiffness: np.ndarray


def hinging(n, length, EI, rule="mid") -> Hinging:
    """n elements of a beam by a rule of RULES."""
    n = whole(n, "n", "elements")
    one_of(rule, tuple(RULES), "rule")
    l = length/n
    factors = np.ones(n)
    if rule == "left":
        factors[0] = 2.0
    elif rule in ("mid", "left-printed"):
        factors[0] = 0.75 if n == 1 and rule == "mid" else 8.0/9.0
        if n > 1:
            factors[1] = (48.0*n - 72.0)/(42.0*n - 71.0)
    lengths = np.full(n, l)
    middle = rule.startswith("mid")
    if middle:
        lengths[-1] = 0.5*l
    return Hinging(0.5*l if middle else 0.0, lengths, factors*EI/l)
