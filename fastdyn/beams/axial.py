"""How a bar becomes longer and shorter: axial modes in closed form, polynomials of your own; docs/theory/beams.md."""

import math

import numpy as np

from ..describe.check import numbers, positive, whole
from ..status import ModelError
from .section import Beam
from .shapes import Shape

AXIAL_ENDS = {"cc": "held at both ends", "cf": "held at eta = 0", "fc": "held at the tip", "ff": "free"}


class AxialShape(Shape):
    """A displacement U along the link, without dimension, of a section that neither deflects nor turns."""

    ends = ""

    def W(self, eta):
        return np.zeros_like(np.asarray(eta, dtype=float))

    dW = ddW = W


class AxialMode(AxialShape):
    """A mode of a uniform bar, max |U| = 1: U = sin(wave eta) where eta = 0 is held, cos(wave eta) where it is free.

    wave in 1/m, omega in rad/s.
    """

    def __init__(self, beam, ends, order):
        self.length, self.ends, self.order = beam.length, ends, order
        self.wave = (order - (0.5 if ends in ("cf", "fc") else 0.0))*math.pi/beam.length
        self.omega = self.wave*math.sqrt(beam.E*beam.A/beam.mass_per_length)
        self.panels = order + 1

    def U(self, eta):
        phase = self.wave*np.asarray(eta, dtype=float)
        return np.sin(phase) if self.ends[0] == "c" else np.cos(phase)

    def dU(self, eta):
        phase = self.wave*np.asarray(eta, dtype=float)
        return self.wave*np.cos(phase) if self.ends[0] == "c" else -self.wave*np.sin(phase)


class AxialPolynomial(AxialShape):
    """U as a polynomial in xi = eta/length, lowest power first: (0, 1) stretches all of the bar alike."""

    omega = None

    def __init__(self, *, length, U):
        self.length, self._U = positive(length, "length", "m"), np.array(numbers(U, "U", None))
        if not np.any(self._U):
            raise ModelError("U has no coefficient that is not 0; give at least one")
        self.panels = math.ceil(self._U.size/18)

    def U(self, eta):
        return self._value(eta, 0)

    def dU(self, eta):
        return self._value(eta, 1)

    def _value(self, eta, times):
        xi = np.asarray(eta, dtype=float)/self.length
        return np.polynomial.polynomial.polyval(xi, np.polynomial.polynomial.polyder(self._U, times))/self.length**times


def axial_modes(beam, ends, number):
    """The lowest axial modes of a uniform bar, a tuple of `number`; motions of the rigid bar (of ff) are not counted.

    Parameters
    ----------
    beam : Beam.
    ends : two letters, the ends at eta = 0 and eta = length: c held, f free.
    number : 0 or more.
    """
    if not isinstance(beam, Beam):
        raise ModelError(f"beam is {beam!r}; give a Beam")
    known_axial_ends(ends)
    return tuple(AxialMode(beam, ends, order + 1) for order in range(whole(number, "number", "modes", 0)))


def known_axial_ends(ends):
    """Refuse ends that are not two letters, c or f."""
    if not isinstance(ends, str) or ends not in AXIAL_ENDS:
        raise ModelError(f'ends is {ends!r}; give two letters such as "cf": '
                         + ", ".join(f"{two} {words}" for two, words in AXIAL_ENDS.items()))
    return ends
