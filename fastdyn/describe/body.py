"""What a link weighs: mass, mass centre and inertia of a rigid body, checked to be physically possible."""

import math

import numpy as np
from msgspec.structs import force_setattr

from ..status import ModelError
from .check import in_a_row, not_negative, number, numbers, positive, shown, squarable
from .words import Words

INERTIA_SLACK = 1e-9  # of the largest moment: what rounding in printed data may hide


class Body(Words, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A rigid body fixed to a link.

    Parameters
    ----------
    mass : kg, > 0.
    com : mass centre in the link frame, m.
    inertia : about the mass centre, axes parallel to the link frame, kg m^2: three moments or a symmetric 3x3 matrix
        (Ixy = -integral of x y dm, the tensor's own sign). Kept as a 3x3 tuple.
    """

    mass: float
    com: tuple[float, float, float] = (0.0, 0.0, 0.0)
    inertia: tuple[float | tuple[float, float, float], ...]

    def __post_init__(self):
        force_setattr(self, "mass", positive(self.mass, "body.mass", "kg"))
        try:
            force_setattr(self, "com", squarable(numbers(self.com, "body.com", 3, "m"), "body.com", self.mass))
            force_setattr(self, "inertia", _possible(_matrix(self.inertia)))
        except ModelError as refused:                      # a body has no name, but a mass
            raise ModelError(f"{refused} (in the body of {shown(self.mass)} kg)") from None

    @classmethod
    def rod(cls, length, mass, radius=0.0):
        """A straight solid rod from the link origin along +x; radius 0 leaves it no inertia about its own axis."""
        length = positive(length, "body.length", "m")
        return cls.cylinder(length, radius, mass, com=(length / 2, 0.0, 0.0))

    @classmethod
    def cylinder(cls, length, radius, mass, com=(0.0, 0.0, 0.0)):
        """A solid cylinder along x, its middle at com."""
        length = positive(length, "body.length", "m")
        radius = not_negative(radius, "body.radius", "m")
        mass = positive(mass, "body.mass", "kg")
        across = mass * (3 * radius * radius + length * length) / 12
        if across == math.inf:
            what, size = ("length", length) if length > radius else ("radius", radius)
            raise ModelError(f"body.{what} is {shown(size, 'm')}: mass times its square is no finite number; "
                             f"give a shorter {what}")
        return cls(mass=mass, com=com, inertia=(mass * radius * radius / 2, across, across))

    @classmethod
    def box(cls, size, mass, com=(0.0, 0.0, 0.0)):
        """A solid box with edges size = (x, y, z) in m along the link axes, its middle at com."""
        x, y, z = (positive(s, "body.size", "m") for s in numbers(size, "body.size", 3, "m"))
        m = positive(mass, "body.mass", "kg") / 12
        return cls(mass=mass, com=com, inertia=(m * (y * y + z * z), m * (x * x + z * z), m * (x * x + y * y)))

    @classmethod
    def sphere(cls, radius, mass, com=(0.0, 0.0, 0.0)):
        """A solid ball, its middle at com."""
        radius = positive(radius, "body.radius", "m")
        moment = 0.4 * positive(mass, "body.mass", "kg") * radius * radius
        return cls(mass=mass, com=com, inertia=(moment, moment, moment))

    @classmethod
    def point(cls, mass, at=(0.0, 0.0, 0.0)):
        """All mass in one point of the link frame."""
        return cls(mass=mass, com=at, inertia=(0.0, 0.0, 0.0))


def together(one, other):
    """Two bodies fixed to the same link as one; None is no body."""
    if one is None or other is None:
        return one or other
    mass = one.mass + other.mass
    arm = np.subtract(other.com, one.com)
    spread = one.mass*other.mass/mass*(arm @ arm*np.eye(3) - np.outer(arm, arm))
    com = np.array(one.com) + other.mass/mass*arm
    return Body(mass=mass, com=com, inertia=np.add(one.inertia, other.inertia) + spread)


def _matrix(inertia):
    """Three moments or nine numbers as a 3x3 tuple, exactly symmetric."""
    if not in_a_row(inertia) or len(inertia) != 3:
        raise ModelError(f"body.inertia is {shown(inertia)}; give three moments or a 3x3 matrix in kg m^2")
    if not any(map(in_a_row, inertia)):
        a, b, c = (number(x, f"body.inertia[{i}]", "kg m^2") for i, x in enumerate(inertia))
        return (a, 0.0, 0.0), (0.0, b, 0.0), (0.0, 0.0, c)
    rows = [numbers(row, f"body.inertia[{i}]", 3, "kg m^2") for i, row in enumerate(inertia)]
    slack = INERTIA_SLACK * max(abs(x) for row in rows for x in row)
    for i, j in ((0, 1), (0, 2), (1, 2)):
        if abs(rows[i][j] - rows[j][i]) > slack:
            raise ModelError(
                f"body.inertia is not symmetric: [{i}][{j}] is {shown(rows[i][j])} but [{j}][{i}] is "
                f"{shown(rows[j][i])} kg m^2; make the two equal"
            )
    return tuple(tuple(rows[i][j] / 2 + rows[j][i] / 2 if i != j else rows[i][i] for j in range(3)) for i in range(3))


def _possible(inertia):
    """The matrix itself when some spread of mass can have it: no moment negative, none above the sum of the others."""
    scale = max(abs(x) for row in inertia for x in row)
    if scale == 0.0:
        return inertia
    moments = np.linalg.eigvalsh(np.array(inertia) / scale).tolist()
    said = f"body.inertia has principal moments {shown(tuple(m * scale for m in moments))} kg m^2"
    if moments[0] < -INERTIA_SLACK:
        raise ModelError(f"{said}; none may be negative: check the signs of the products of inertia")
    if moments[0] + moments[1] < moments[2] - INERTIA_SLACK:
        raise ModelError(
            f"{said}; the largest must not exceed the sum of the other two: check that they are taken about the "
            "mass centre and that the products of inertia have the right sign"
        )
    return inertia
