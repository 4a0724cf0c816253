"""What an elastic link may be given besides shapes across it: shapes along it, and integrals known from elsewhere."""

import numpy as np
from msgspec.structs import force_setattr

from ..beams import AxialPolynomial, Integrals
from ..status import ModelError
from .check import numbers, shown
from .words import Words

VECTORS = {"a": "kg", "b": "kg", "c": "kg m", "d": "kg m", "S": "1/m", "W_l": "", "U_l": ""}
MATRICES = {"B": "kg", "C": "kg", "K": "N/m", "D": "kg/s"}
SYMMETRY = {"B": -1.0, "C": 1.0, "K": 1.0, "D": 1.0}
SAME = 1e-12                # of the largest entry: what rounding may leave between the two halves of a matrix
Matrix = tuple[tuple[float, ...], ...]


class Stretch(Words, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A shape in which a link becomes longer: a polynomial in eta/length, lowest power first.

    U: displacement along the link, without dimension, 0 at the joint; (0, 1) stretches all of the link alike.
    """

    U: tuple[float, ...]

    def __post_init__(self):
        force_setattr(self, "U", numbers(self.U, "stretch.U", None))

    def over(self, length):
        """The shape of a beam of that length, m."""
        return AxialPolynomial(length=length, U=self.U)


class ModalNumbers(Words, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Integrals over the shapes of a link, known from elsewhere: a finite element program, a publication.

    Names, units and signs as in docs/theory/elastic.md, modes across the link first, then those along it. What is None
    is integrated.

    Parameters
    ----------
    a, b : momenta of a mode's unit rate across and along the link, kg.
    c, d : first moments of W and U, kg m.
    S, W_l, U_l : turn (1/m), deflection and displacement of the tip.
    B : (j, k) int mu (U_j W_k - W_j U_k), kg. C : mass matrix, kg. K : stiffness, N/m. D : damping, kg/s.
    """

    a: tuple[float, ...] | None = None
    b: tuple[float, ...] | None = None
    c: tuple[float, ...] | None = None
    d: tuple[float, ...] | None = None
    S: tuple[float, ...] | None = None
    W_l: tuple[float, ...] | None = None
    U_l: tuple[float, ...] | None = None
    B: Matrix | None = None
    C: Matrix | None = None
    K: Matrix | None = None
    D: Matrix | None = None

    def __post_init__(self):
        for field, unit in VECTORS.items():
            if getattr(self, field) is not None:
                force_setattr(self, field, numbers(getattr(self, field), f"numbers.{field}", None, unit))
        for field, unit in MATRICES.items():
            if getattr(self, field) is not None:
                force_setattr(self, field, _matrix(getattr(self, field), f"numbers.{field}", unit, SYMMETRY[field]))

    def instead_of(self, found: Integrals) -> Integrals:
        """The integrals with what is given here put in."""
        m, given = len(found.a), {}
        for field in (*VECTORS, *MATRICES):
            value = getattr(self, field)
            if value is None:
                continue
            if len(value) != m:
                raise ModelError(f"numbers.{field} has {len(value)} rows, but the link has {m} modes; give one a mode")
            given[field] = np.array(value)
        for field in {"C", "K"} & set(given):
            if np.linalg.eigvalsh(given[field])[0] <= 0.0:
                raise ModelError(f"numbers.{field} is not positive definite; give one of independent shapes that all "
                                 "cost energy")
        return found._replace(**given)


def _matrix(value, what, unit, symmetry):
    """Rows as tuples; square, and symmetric or, with symmetry -1, antisymmetric."""
    if not isinstance(value, (tuple, list, np.ndarray)):
        raise ModelError(f"{what} is {shown(value)}; give a list of rows")
    rows = tuple(numbers(row, f"{what}[{i}]", len(value), unit) for i, row in enumerate(value))
    array = np.array(rows).reshape(len(rows), len(rows))
    if np.any(np.abs(array - symmetry*array.T) > SAME*np.max(np.abs(array), initial=0.0)):
        raise ModelError(f"{what} is not {'symmetric' if symmetry > 0 else 'antisymmetric'}; give both halves alike"
                         + ("" if symmetry > 0 else " but for the sign"))
    return rows
