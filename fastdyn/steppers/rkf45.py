"""The pair of order 4(5) of Fehlberg [1969]; the step is carried on with order five."""

from fractions import Fraction as F

from . import explicit
from .tableaus import Tableau, floats, nested, with_quartic

_b4 = [F(25, 216), 0, F(1408, 2565), F(2197, 4104), -F(1, 5), 0]
_b = [F(16, 135), 0, F(6656, 12825), F(28561, 56430), -F(9, 50), F(2, 55)]
TABLEAU = with_quartic(Tableau(
    "rkf45", 5, 5,
    A=floats([[], [F(1, 4)], [F(3, 32), F(9, 32)], [F(1932, 2197), -F(7200, 2197), F(7296, 2197)],
              [F(439, 216), -8, F(3680, 513), -F(845, 4104)],
              [-F(8, 27), 2, -F(3544, 2565), F(1859, 4104), -F(11, 40)], _b]),
    c=[0.0, 0.25, 0.375, 12/13, 1.0, 0.5, 1.0], b=floats([_b])[0],
    errors=floats([[x - y for x, y in zip(_b, _b4)]]), dense=nested(_b), damp=0.04), place=0.25)


def method():
    return explicit.method(TABLEAU)
