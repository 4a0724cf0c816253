"""What a bending chain is made of, each part as its dynamic stiffness: kept small where the part is light or slow.

At a cross-section e = (y, phi): deflection, m, and slope, rad. All outside of it takes the force and moment D e - G,
D symmetric 2x2 kept as (D11, D12, D22), G from loads. A part takes D and G of its outer end to those of its inner end,
has pivots (negative ones count frequencies), and carries motions outward. `w` is (s, s^2); to count, (0, -omega^2).
"""

from typing import NamedTuple

import numpy as np
from msgspec.structs import force_setattr, replace

from ..describe.check import not_negative, number, positive
from ..describe.words import Words
from .rows import sensible
from .span import blocks, pieces

TINY = np.finfo(float).tiny


class Frequency(NamedTuple):
    """s and its square, rows of numbers."""

    s: object
    s2: object


class Part(Words, frozen=True, kw_only=True):
    """What all parts share: numbers, checked. A part without a joint has no pivots and moves as a whole."""

    def __post_init__(self):
        for field in self.__struct_fields__:
            value = getattr(self, field)
            if value is not None:
                check = positive if field in ("length", "EI") else number if field == "com" else not_negative
                what = f"{type(self).__name__}.{field}"
                value = check(value, what)
                force_setattr(self, field, value if field == "com" else sensible(value, what))

    @classmethod
    def place_of(cls, words):
        return f"{cls.__name__}."

    def pivots(self, D, w):
        """Pivots of the elimination of this part's outer end."""
        return ()

    def cut(self, size):
        """This part as a row of parts that serve |s^2| <= size."""
        return (self,)

    def push(self, G, D, w):
        return G

    def carry(self, e, D, G, w):
        """e at the outer end from e at the inner end; D and G are those of the outer end."""
        return e


class Rigid(Part, frozen=True, kw_only=True):
    """A rigid link: length, m, mass, kg, inertia about its mass centre, kg m^2, and the centre's distance `com`, m.

    Without inertia and com it is a slender rod.
    """

    length: float
    mass: float = 0.0
    inertia: float | None = None
    com: float | None = None

    def fold(self, D, w):
        l, m = self.length, self.mass
        c = 0.5*l if self.com is None else self.com
        I = m*l*l/12.0 if self.inertia is None else self.inertia
        a, b, d = D
        return a + m*w.s2, b + l*a + m*c*w.s2, d + l*(2.0*b + l*a) + (I + m*c*c)*w.s2

    def push(self, G, D, w):
        return G[0], G[1] + self.length*G[0]

    def carry(self, e, D, G, w):
        return e[0] + self.length*e[1], e[1]


class Hinge(Part, frozen=True, kw_only=True):
    """A torsion spring and damper, N m/rad, N m s/rad."""

    stiffness: float
    damping: float = 0.0

    def pivots(self, D, w):
        d = self.stiffness + self.damping*w.s + D[2]
        return (np.where(d == 0.0, TINY, d),)

    def fold(self, D, w):
        (d,) = self.pivots(D, w)
        r = (self.stiffness + self.damping*w.s)/d
        return D[0] - D[1]*(D[1]/d), r*D[1], r*D[2]

    def push(self, G, D, w):
        (d,) = self.pivots(D, w)
        return G[0] - D[1]*(G[1]/d), G[1]*((self.stiffness + self.damping*w.s)/d)

    def carry(self, e, D, G, w):
        (d,) = self.pivots(D, w)
        return e[0], ((self.stiffness + self.damping*w.s)*e[1] - D[1]*e[0] + G[1])/d


class Mass(Part, frozen=True, kw_only=True):
    """A mass, kg, with inertia, kg m^2, at one place."""

    mass: float
    inertia: float = 0.0

    def fold(self, D, w):
        return D[0] + self.mass*w.s2, D[1], D[2] + self.inertia*w.s2


class Support(Part, frozen=True, kw_only=True):
    """Springs and dampers to the ground: across, N/m, N s/m, and turning, N m/rad, N m s/rad."""

    stiffness: float = 0.0
    damping: float = 0.0
    turning: float = 0.0
    turning_damping: float = 0.0

    def fold(self, D, w):
        return D[0] + self.stiffness + self.damping*w.s, D[1], D[2] + self.turning + self.turning_damping*w.s


class Span(Part, frozen=True, kw_only=True):
    """A uniform Euler-Bernoulli beam, exactly: length, m, EI, N m^2, mass per length, kg/m."""

    length: float
    EI: float
    mass_per_length: float

    def cut(self, size):
        many = pieces(self.length, self.EI, self.mass_per_length, size)
        return (replace(self, length=self.length/many),)*many

    def _met(self, D, w):
        """The matrix's blocks, and P, Q with P f = Q e - G: what the inner end takes for its motion."""
        E, X, F, R = blocks(self.length, self.EI, self.mass_per_length, w.s2)
        DE, DX = _times((D[0], D[1], D[1], D[2]), E), _times((D[0], D[1], D[1], D[2]), X)
        return E, X, R, tuple(r - x for r, x in zip(R, DX)), tuple(e - f for e, f in zip(DE, F))

    def pivots(self, D, w):
        _, X, R, _, _ = self._met(D, w)
        det = X[0]*X[3] - X[1]*X[2]                                     # of the stiffness -R/X, inner end held
        first = D[0] - (R[0]*X[3] - R[1]*X[2])/det
        cross, last = D[1] - (R[1]*X[0] - R[0]*X[1])/det, D[2] - (R[3]*X[0] - R[2]*X[1])/det
        first = np.where(first == 0.0, TINY, first)
        return first, last - cross*(cross/first)

    def free_pivots(self, D, w):
        """All of a piece whose inner end is free, that end eliminated first: those of E/X are positive, and left out.

        A long beam with two free ends has nearly the frequencies of one that is clamped at the base, poles of D there.
        """
        E, _, F, _ = blocks(self.length, self.EI, self.mass_per_length, w.s2)
        det = E[0]*E[3] - E[1]*E[2]
        first = D[0] - (F[0]*E[3] - F[1]*E[2])/det
        cross, last = D[1] - (F[1]*E[0] - F[0]*E[1])/det, D[2] - (F[3]*E[0] - F[2]*E[1])/det
        first = np.where(first == 0.0, TINY, first)
        return first, last - cross*(cross/first)

    def fold(self, D, w):
        _, _, _, P, Q = self._met(D, w)
        a, c = _solved(P, Q[0], Q[2])
        b, d = _solved(P, Q[1], Q[3])
        return a, 0.5*(b + c), d

    def push(self, G, D, w):
        return _solved(self._met(D, w)[3], *G)

    def carry(self, e, D, G, w):
        E, X, _, P, Q = self._met(D, w)
        f = _solved(P, Q[0]*e[0] + Q[1]*e[1] - G[0], Q[2]*e[0] + Q[3]*e[1] - G[1])
        return E[0]*e[0] + E[1]*e[1] + X[0]*f[0] + X[1]*f[1], E[2]*e[0] + E[3]*e[1] + X[2]*f[0] + X[3]*f[1]


def _times(A, B):
    """Product of 2x2 matrices by rows."""
    return A[0]*B[0] + A[1]*B[2], A[0]*B[1] + A[1]*B[3], A[2]*B[0] + A[3]*B[2], A[2]*B[1] + A[3]*B[3]


def _solved(P, u, v):
    """P^-1 (u, v)"""
    det = P[0]*P[3] - P[1]*P[2]
    det = np.where(det == 0.0, TINY, det)
    return (P[3]*u - P[1]*v)/det, (P[0]*v - P[2]*u)/det


PARTS = (Rigid, Hinge, Mass, Support, Span)
