"""The pair of order 5(4) of Dormand and Prince [1980], interpolant of [Hairer, Norsett & Wanner 1993] II.6."""

from fractions import Fraction as F

from . import explicit
from .tableaus import Tableau, floats, nested

_b = [F(35, 384), 0, F(500, 1113), F(125, 192), -F(2187, 6784), F(11, 84)]
_b4 = [F(5179, 57600), 0, F(7571, 16695), F(393, 640), -F(92097, 339200), F(187, 2100), F(1, 40)]
TABLEAU = Tableau(
    "dopri5", 5, 5,
    A=floats([[], [F(1, 5)], [F(3, 40), F(9, 40)], [F(44, 45), -F(56, 15), F(32, 9)],
              [F(19372, 6561), -F(25360, 2187), F(64448, 6561), -F(212, 729)],
              [F(9017, 3168), -F(355, 33), F(46732, 5247), F(49, 176), -F(5103, 18656)], _b]),
    c=[0.0, 0.2, 0.3, 0.8, 8/9, 1.0, 1.0], b=floats([_b])[0],
    errors=floats([[x - y for x, y in zip([*_b, 0], _b4)]]),
    dense=nested(_b, [F(-12715105075, 11282082432), 0, F(87487479700, 32700410799), F(-10690763975, 1880347072),
                      F(701980252875, 199316789632), F(-1453857185, 822651844), F(69997945, 29380423)]),
    damp=0.04)


def method():
    return explicit.method(TABLEAU)
