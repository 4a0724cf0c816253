"""The pair of order 3(2) of Bogacki and Shampine [1989]."""

from fractions import Fraction as F

from . import explicit
from .tableaus import Tableau, floats, nested

_b = [F(2, 9), F(1, 3), F(4, 9)]
TABLEAU = Tableau(
    "bs32", 3, 3,
    A=floats([[], [F(1, 2)], [0, F(3, 4)], _b]), c=[0.0, 0.5, 0.75, 1.0], b=floats([_b])[0],
    errors=floats([[F(2, 9) - F(7, 24), F(1, 3) - F(1, 4), F(4, 9) - F(1, 3), -F(1, 8)]]), dense=nested(_b),
    damp=0.04)


def method():
    return explicit.method(TABLEAU)
