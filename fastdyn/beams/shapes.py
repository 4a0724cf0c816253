"""What every mode can be asked, whoever made it: deflection, turn and displacement of sections along the link."""

from abc import ABC, abstractmethod

import numpy as np

from ..status import ModelError

END_TOLERANCE = 1e-9  # of the shape's largest value: what rounding may leave at a support


class Shape(ABC):
    """Deflection W, turn Theta and displacement along the link U of sections, per unit of the modal coordinate.

    They are functions over 0 <= eta <= length; U is 0 unless a shape says otherwise.

    eta is in m and may be an array. The modal coordinate is in m: W has no dimension, dW = W', Theta and Gamma are in
    1/m, ddW = W'' and dTheta = Theta' in 1/m^2. Gamma = W' - Theta is the shear strain. `ends` are two letters, see
    spectrum.py. Between `knots` the shape is smooth; cut in that many equal `panels` a Gauss rule of twenty points
    integrates the product of two such shapes to rounding. `omega` in rad/s, of shapes that vibrate by themselves.
    """

    length: float
    ends: str
    omega: float | None
    panels: int
    knots: tuple = ()

    @abstractmethod
    def W(self, eta):
        """Deflection."""

    @abstractmethod
    def dW(self, eta):
        """Its slope."""

    @abstractmethod
    def ddW(self, eta):
        """Its second derivative."""

    def Theta(self, eta):
        return self.dW(eta)

    def dTheta(self, eta):
        return self.ddW(eta)

    def Gamma(self, eta):
        return self.dW(eta) - self.Theta(eta)

    def U(self, eta):
        return np.zeros_like(np.asarray(eta, dtype=float))

    def dU(self, eta):
        return np.zeros_like(np.asarray(eta, dtype=float))

    def check_supports(self, what):
        """Refuse a shape that moves where its ends hold it: W at s and c, Theta at c and g."""
        grid = np.linspace(0.0, self.length, 20*self.panels + 1)
        for name, ask, holding in (("W", self.W, "sc"), ("Theta", self.Theta, "cg")):
            largest = float(np.max(np.abs(ask(grid))))
            for end, eta in zip(self.ends, (0.0, self.length)):
                value = float(ask(eta))
                if end in holding and abs(value) > END_TOLERANCE*largest:
                    raise ModelError(f'{what}: {name} is {value:.6g} at eta = {eta:.6g} m, where ends "{self.ends}" '
                                     f"hold it at 0; change the shape, or the letter of that end")
