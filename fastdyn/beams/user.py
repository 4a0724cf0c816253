"""Modes of your own: polynomials, and shapes known at some places only, from a measurement or another program."""

import math

import numpy as np

from ..describe.check import numbers, positive
from ..status import ModelError
from .modes import known_ends
from .shapes import Shape


class PolynomialMode(Shape):
    """W and Theta as polynomials in xi = eta/length, lowest power first.

    Parameters
    ----------
    length : m.
    W : coefficients of the deflection, without dimension: (0, 0, 1) is (eta/length)^2.
    Theta : coefficients of the turn of sections, 1/m; None is W', a section that stays square to the axis.
    ends : two letters (s, c, f, g), checked: W = 0 at s and c, Theta = 0 at c and g.
    """

    omega = None

    def __init__(self, *, length, W, Theta=None, ends):
        self.length, self.ends = positive(length, "length", "m"), known_ends(ends)
        rows = [np.array(numbers(W, "W", None))]
        if Theta is not None:
            rows.append(np.array(numbers(Theta, "Theta", None, "1/m")))
        if any(row.size == 0 for row in rows) or not np.any(rows[0]):
            raise ModelError("W or Theta has no coefficients, or W is 0 everywhere; give at least one that is not 0")
        self._W, self._Theta = rows[0], rows[1] if Theta is not None else None
        self.panels = math.ceil(max(row.size for row in rows)/18)
        self.check_supports("polynomial mode")

    def W(self, eta):
        return self._value(self._W, eta, 0)

    def dW(self, eta):
        return self._value(self._W, eta, 1)

    def ddW(self, eta):
        return self._value(self._W, eta, 2)

    def Theta(self, eta):
        return self.dW(eta) if self._Theta is None else self._value(self._Theta, eta, 0)

    def dTheta(self, eta):
        return self.ddW(eta) if self._Theta is None else self._value(self._Theta, eta, 1)

    def _value(self, row, eta, times):
        xi = np.asarray(eta, dtype=float)/self.length
        return np.polynomial.polynomial.polyval(xi, np.polynomial.polynomial.polyder(row, times))/self.length**times


class SampledMode(Shape):
    """Splines of degree five through samples: W wrong by O(h^6) between samples h apart, its curvature by O(h^4).

    Parameters
    ----------
    eta : places, m, increasing from 0 to the length; six at least.
    W : deflections there, without dimension.
    Theta : turns of sections there, 1/m; None is W', whose value 0 at ends c and g the spline then keeps exactly.
    ends : two letters (s, c, f, g), checked: W = 0 at s and c, Theta = 0 at c and g.
    """

    omega = None
    panels = 1

    def __init__(self, *, eta, W, Theta=None, ends):
        self.ends = known_ends(ends)
        x = np.array(numbers(eta, "eta", None, "m"))
        if x.size < 6:
            raise ModelError(f"eta has {x.size} places; give six or more, increasing from 0 to the length")
        if x[0] != 0.0:
            raise ModelError(f"eta starts at {x[0]:.6g} m; start at 0, where the link does")
        back = np.flatnonzero(np.diff(x) <= 0.0)
        if len(back):
            k = int(back[0]) + 1
            raise ModelError(f"eta[{k}] is {x[k]:.6g} m and eta[{k - 1}] {x[k - 1]:.6g} m; sort the places, each once")
        self.length = float(x[-1])
        held = ["c" in end or "g" in end for end in self.ends] if Theta is None else (False, False)
        self._W = _spline(x, np.array(numbers(W, "W", x.size)), held)
        self._Theta = None
        if Theta is not None:
            self._Theta = _spline(x, np.array(numbers(Theta, "Theta", x.size, "1/m")), (False, False))
        if not np.any(self._W.c):
            raise ModelError("W is 0 everywhere; give deflections that are not all 0")
        self.knots = tuple(x[1:-1].tolist())
        self.check_supports("sampled mode")

    def W(self, eta):
        return self._W(eta)

    def dW(self, eta):
        return self._W(eta, 1)

    def ddW(self, eta):
        return self._W(eta, 2)

    def Theta(self, eta):
        return self.dW(eta) if self._Theta is None else self._Theta(eta)

    def dTheta(self, eta):
        return self.ddW(eta) if self._Theta is None else self._Theta(eta, 1)


def _spline(x, y, held):
    """Not-a-knot, with slope 0 at the ends that are held: there the end counts as two places."""
    from scipy.interpolate import make_interp_spline

    places = np.concatenate([x[:1]]*held[0] + [x] + [x[-1:]]*held[1])
    knots = np.concatenate([x[:1]]*6 + [places[3:-3]] + [x[-1:]]*6)
    level = [[(1, 0.0)] if hold else None for hold in held]
    return make_interp_spline(x, y, k=5, t=knots, bc_type=tuple(level))
