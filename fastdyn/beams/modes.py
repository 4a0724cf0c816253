"""Modes of Timoshenko and Euler-Bernoulli beams, any order, any two ends; derived in docs/theory/beams.md."""

import math
from dataclasses import dataclass

import numpy as np

from ..describe.check import one_of, whole
from ..status import ModelError
from .section import Beam
from .shapes import Shape
from .spectrum import ENDS, RIGID, coefficients, count, root, wave, wave_number

THEORIES = ("timoshenko", "euler-bernoulli")
HIGHEST = 10_000  # order; its phase at the tip is known to 1e-11, its summits are looked for in a grid of 10 MB
SOFTEST = 1e3      # E I/(k A G l^2); of blocks of usual matter it is below 1; Theta, 1/s of W', loses digits


@dataclass(frozen=True, eq=False)
class Mode(Shape):
    """One mode; max |W| = 1.

    W = odd[0] sin(alpha x) + even[0] cos(alpha x) + (odd[1] sinh(beta x) + even[1] cosh(beta x))/cosh(beta length/2)
    with x = eta - length/2. `turn` and `shear` are the fractions of W' that Theta and Gamma are, of the circular part
    and of the hyperbolic one. omega in rad/s, alpha and beta in 1/m. What it can be asked, and the units: Shape.
    """

    ends: str
    order: int
    length: float
    omega: float
    alpha: float
    beta: float
    odd: tuple[float, float]
    even: tuple[float, float]
    turn: tuple[float, float]
    shear: tuple[float, float]

    @property
    def panels(self):
        return math.ceil(self.alpha*self.length/math.pi) + 1

    def W(self, eta):
        circular, hyperbolic = self._parts(eta)
        return circular + hyperbolic

    def ddW(self, eta):
        circular, hyperbolic = self._parts(eta)
        return self.beta**2*hyperbolic - self.alpha**2*circular

    def dTheta(self, eta):
        circular, hyperbolic = self._parts(eta)
        return self.turn[1]*self.beta**2*hyperbolic - self.turn[0]*self.alpha**2*circular

    def dW(self, eta):
        circular, hyperbolic = self._slopes(eta)
        return circular + hyperbolic

    def Theta(self, eta):
        circular, hyperbolic = self._slopes(eta)
        return self.turn[0]*circular + self.turn[1]*hyperbolic

    def Gamma(self, eta):
        circular, hyperbolic = self._slopes(eta)
        return self.shear[0]*circular + self.shear[1]*hyperbolic

    def coefficients(self):
        """(C1, C2, C3, C4) of W = C1 sin + C2 cos (alpha eta) + C3 sinh + C4 cosh (beta eta); low orders only."""
        half = self.length/2
        s, c, th = math.sin(self.alpha*half), math.cos(self.alpha*half), math.tanh(self.beta*half)
        return (self.odd[0]*c + self.even[0]*s, self.even[0]*c - self.odd[0]*s,
                self.odd[1] - self.even[1]*th, self.even[1] - self.odd[1]*th)

    def _parts(self, eta):
        x = np.asarray(eta, dtype=float) - self.length/2
        sinh, cosh = _hyperbolic(self.beta*x, self.beta*self.length/2)
        phase = self.alpha*x
        return self.odd[0]*np.sin(phase) + self.even[0]*np.cos(phase), self.odd[1]*sinh + self.even[1]*cosh

    def _slopes(self, eta):
        x = np.asarray(eta, dtype=float) - self.length/2
        sinh, cosh = _hyperbolic(self.beta*x, self.beta*self.length/2)
        phase = self.alpha*x
        return (self.alpha*(self.odd[0]*np.cos(phase) - self.even[0]*np.sin(phase)),
                self.beta*(self.odd[1]*cosh + self.even[1]*sinh))


def _hyperbolic(u, h):
    """sinh u/cosh h and cosh u/cosh h for |u| <= h, however large."""
    size = np.abs(u)
    scale = np.exp(size - h)/(1 + math.exp(-2*h))
    return -np.copysign(scale, u)*np.expm1(-2*size), scale*(1 + np.exp(-2*size))


def mode(beam, ends, order, theory="timoshenko"):
    """The elastic mode of that order, 1 the lowest.

    Parameters
    ----------
    beam : Beam.
    ends : two letters, the ends at eta = 0 and eta = length: s simply supported, c clamped, f free, g guided.
    order : 1, 2, ...; motions of the rigid beam (of ff, fs, sf, gg, fg, gf) are not counted.
    theory : "timoshenko" (shear and rotary inertia rho I) or "euler-bernoulli" (neither).

    Returns
    -------
    Mode, with max |W| = 1 and W > 0 just right of eta = 0; modes of "cs" are the mirror images of those of "sc".
    """
    _check(beam, ends, theory)
    order = whole(order, "order", or_else=f'1 or more for "{ends}"{_rigid_words(ends)}')
    if order > HIGHEST:
        raise ModelError(f"order is {order}; give one up to {HIGHEST}, beyond it double precision has few digits left")
    s, r = _softness(beam, theory)
    turned = ends == "cs"
    found = _mode(beam, "sc" if turned else ends, order, s, r)
    return _mirrored(found) if turned else found


def modes(beam, ends, number, theory="timoshenko"):
    """The lowest elastic modes, a tuple of `number`; what else to say: `mode`."""
    _check(beam, ends, theory)
    count = whole(number, "number", "modes", 0)
    return tuple(mode(beam, ends, order, theory) for order in range(1, count + 1))


def rigid_motions(ends):
    """Names of the motions without bending that these ends allow; a chain's joints carry them, not its modes."""
    return RIGID.get(known_ends(ends), ())


def count_below(beam, ends, omega, theory="timoshenko"):
    """How many modes, rigid motions included, vibrate slower than omega, rad/s, itself below the cut-off."""
    _check(beam, ends, theory)
    s, r = _softness(beam, theory)
    y = (omega/_pulse(beam))**2
    if not 0 < y or y*r*s >= 1:
        raise ModelError(f"omega is {omega:.6g} rad/s; give one above 0 and below the cut-off, "
                         f"{cut_off_frequency(beam, theory):.6g} rad/s")
    return count(wave_number(y, s, r), ends, s, r)


def cut_off_frequency(beam, theory="timoshenko"):
    """sqrt(k A G/(rho I)), rad/s: from here on a Timoshenko beam carries a second kind of waves. Else infinite."""
    one_of(theory, THEORIES, "theory")
    return math.sqrt(beam.shear_stiffness/beam.rotary_inertia) if theory == "timoshenko" else math.inf


def known_ends(ends):
    """Two letters out of s, c, f, g."""
    if not isinstance(ends, str) or len(ends) != 2 or not set(ends) <= set(ENDS):
        known = "; ".join(f"{letter} {words}" for letter, words in ENDS.items())
        raise ModelError(f'ends is {ends!r}; give two letters such as "cf", one for each end: {known}')
    return ends


def _check(beam, ends, theory):
    if not isinstance(beam, Beam):
        raise ModelError(f"beam is {beam!r}; give a Beam")
    known_ends(ends)
    one_of(theory, THEORIES, "theory")


def _rigid_words(ends):
    names = RIGID.get(ends, ())
    return f": its {' and '.join(names)} as a rigid beam belong to the link's own motion" if names else ""


def _softness(beam, theory):
    """(s, r) of spectrum.py."""
    if theory == "euler-bernoulli":
        return 0.0, 0.0
    square = beam.length**2
    s, r = beam.bending_stiffness/(beam.shear_stiffness*square), beam.I/(beam.A*square)
    if s > SOFTEST:
        raise ModelError(f"beam: E I/(k A G length^2) is {s:.6g}, all shear and no bending; give a stiffer beam.G, or "
                         "check the units of beam.I and beam.A")
    return s, r


def _pulse(beam):
    """Unit of omega: sqrt(E I/(mu l^4)), rad/s."""
    return math.sqrt(beam.bending_stiffness/beam.mass_per_length)/beam.length**2


def _mode(beam, ends, order, s, r):
    w, length = wave(root(order, ends, s, r), s, r), beam.length
    sin, cos, sinh, cosh = coefficients(w, ends)
    raw = Mode(ends, order, length, math.sqrt(w.y)*_pulse(beam), w.al/length, w.be/length, (sin, sinh), (cos, cosh),
               (w.a/w.al, w.b/w.be), (w.y*s/w.al**2, -w.y*s/w.be**2))
    top = _largest(raw)*_first_sign(raw)
    return _scaled(raw, (sin/top, sinh/top), (cos/top, cosh/top))


def _scaled(m, odd, even, ends=None):
    return Mode(ends or m.ends, m.order, m.length, m.omega, m.alpha, m.beta, odd, even, m.turn, m.shear)


def _mirrored(m):
    """W(length - eta); Theta turns the other way."""
    return _scaled(m, (-m.odd[0], -m.odd[1]), m.even, m.ends[::-1])


def _largest(m):
    """max |W|: summits of a grid, climbed by Newton's method."""
    grid = np.linspace(0.0, m.length, 64*m.panels + 1)
    size = np.abs(m.W(grid))
    inner = (size[1:-1] >= size[:-2]) & (size[1:-1] >= size[2:])
    tops, step = grid[1:-1][inner], grid[1]
    x = tops
    for _ in range(4):
        bend = m.ddW(x)
        move = np.divide(m.dW(x), bend, out=np.zeros_like(x), where=bend != 0)
        x = np.clip(x - move, tops - step, tops + step)
    return float(max(size[0], size[-1], *np.abs(m.W(x))))


def _first_sign(m):
    """The sign of W just right of eta = 0: of W there, or of W' and W'' where W = 0 (they agree)."""
    if m.ends[0] in "fg":
        return math.copysign(1.0, m.W(0.0))
    return math.copysign(1.0, m.dW(0.0)/m.alpha + m.ddW(0.0)/m.alpha**2)
