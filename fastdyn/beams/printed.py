"""The first modes printed with the published falling chain, digit by digit: a steel link of 1 m, 30 mm x 12.5 mm.

Their digits are those of `mode` for Beam.rectangle(length=1, width=0.03, height=0.0125, E=2e11, nu=0.3, mu=1). On a
link of another length the arguments are eta/length, and Theta is divided by the length.
"""

import math
from typing import NamedTuple

import numpy as np

from ..describe.check import one_of, positive
from .shapes import Shape


class Printed(NamedTuple):
    """Wave numbers, factors of sin, cos, sinh, cosh in W and of cos, sin, cosh, sinh in Theta; length 1 m."""

    al: float
    be: float
    W: tuple[float, float, float, float]
    Theta: tuple[float, float, float, float]


TABLE = {
    "ss": Printed(math.pi, 1.0, (1.0, 0.0, 0.0, 0.0), (3.140333690109594, 0.0, 0.0, 0.0)),
    "cc": Printed(4.728894916196515, 4.72606095063675,
                  (0.6189067368941716, -0.6292076184824934, -0.6181543604098716, 0.6292076184824934),
                  (2.924089234018893, 2.97275682019588, -2.924089234018893, 2.976375062609595)),
    "sc": Printed(3.926181400745614, 3.924559038288969,
                  (0.937356072626805, 0.0, 0.02617115567137916, 0.0),
                  (3.677927210568842, 0.0, 0.1027745658114473, 0.0)),
    "cs": Printed(3.926181400745614, 3.924559038288969,
                  (0.6633471080156852, -0.6622741284223433, -0.6627910308436212, 0.6622741284223433),
                  (2.602791457664548, 2.598581381090682, -2.602791457664547, 2.600761573215394)),
}


class PrintedMode(Shape):
    """The printed first mode of "ss", "cc", "sc" or "cs"; what it can be asked: Shape."""

    omega = None
    panels = 3

    def __init__(self, ends, length=1.0):
        self.ends = one_of(ends, tuple(TABLE), "printed mode")
        self.length = positive(length, "length", "m")

    def W(self, eta):
        c, (sin, cos, sinh, cosh) = TABLE[self.ends].W, self._functions(eta)
        return c[0]*sin + c[1]*cos + c[2]*sinh + c[3]*cosh

    def dW(self, eta):
        (al, be, c, _), (sin, cos, sinh, cosh) = TABLE[self.ends], self._functions(eta)
        return (al*(c[0]*cos - c[1]*sin) + be*(c[2]*cosh + c[3]*sinh))/self.length

    def ddW(self, eta):
        (al, be, c, _), (sin, cos, sinh, cosh) = TABLE[self.ends], self._functions(eta)
        return (be*be*(c[2]*sinh + c[3]*cosh) - al*al*(c[0]*sin + c[1]*cos))/self.length**2

    def Theta(self, eta):
        c, (sin, cos, sinh, cosh) = TABLE[self.ends].Theta, self._functions(eta)
        return (c[0]*cos + c[1]*sin + c[2]*cosh + c[3]*sinh)/self.length

    def dTheta(self, eta):
        (al, be, _, c), (sin, cos, sinh, cosh) = TABLE[self.ends], self._functions(eta)
        return (al*(c[1]*cos - c[0]*sin) + be*(c[2]*sinh + c[3]*cosh))/self.length**2

    def _functions(self, eta):
        al, be, _, _ = TABLE[self.ends]
        xi = np.asarray(eta, dtype=float)/self.length
        return np.sin(al*xi), np.cos(al*xi), np.sinh(be*xi), np.cosh(be*xi)
