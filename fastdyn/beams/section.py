"""What an elastic link is made of: length, section, stiffness, mass and damping of a straight uniform beam, in SI."""

from msgspec.structs import force_setattr

from ..describe.check import not_negative, number, positive
from ..describe.words import Words
from ..status import ModelError

LARGEST = 1e40  # and smallest, 1e-40: from nanotubes to stars, and no product of these numbers overflows


class Beam(Words, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A straight beam of uniform section that bends in the plane. What is not given is worked out by the properties.

    Parameters
    ----------
    length : m, > 0.
    E : Young's modulus, Pa.
    G : shear modulus, Pa; None will do for modes without shear ("euler-bernoulli").
    A : area of the section, m^2.
    I : second moment of the section about the axis it bends about, m^4.
    k : shear coefficient in the shear stiffness k A G; 5/6 for a rectangle.
    rho, mu : density, kg/m^3, or mass per length, kg/m: one of the two.
    J33 : moment of inertia per length about the axis of bending, kg m, in the link's spin; None is rho I.
        The modes always take rho I.
    K_v : viscosity of the material (Kelvin-Voigt), Pa s; the bending moment it adds is K_v I W''.
    gamma : force of the air per length and velocity of bending, kg/(m s).
    """

    length: float
    E: float
    G: float | None = None
    A: float
    I: float
    k: float = 5.0 / 6.0
    rho: float | None = None
    mu: float | None = None
    J33: float | None = None
    K_v: float = 0.0
    gamma: float = 0.0

    def __post_init__(self):
        units = {"length": "m", "E": "Pa", "A": "m^2", "I": "m^4", "k": ""}
        for name, unit in units.items():
            force_setattr(self, name, positive(getattr(self, name), f"beam.{name}", unit))
        for name, unit in (("G", "Pa"), ("rho", "kg/m^3"), ("mu", "kg/m")):
            if getattr(self, name) is not None:
                force_setattr(self, name, positive(getattr(self, name), f"beam.{name}", unit))
        for name, unit in (("J33", "kg m"), ("K_v", "Pa s"), ("gamma", "kg/(m s)")):
            if getattr(self, name) is not None or name != "J33":
                force_setattr(self, name, not_negative(getattr(self, name), f"beam.{name}", unit))
        if (self.rho is None) == (self.mu is None):
            given = "both given" if self.rho is not None else "both missing"
            raise ModelError(f"beam.rho and beam.mu are {given}; give density or mass per length, one of the two")
        for name in self.__struct_fields__:
            value = getattr(self, name)
            if value and not 1/LARGEST <= value <= LARGEST:
                raise ModelError(f"beam.{name} is {value:.6g}; give a number between 1e-40 and 1e40, in SI units")

    @classmethod
    def rectangle(cls, *, width, height, E, nu=None, G=None, **others):
        """A solid rectangle, width along the axis it bends about, height across it, m; G = E/(2(1 + nu)).

        A = width height and I = width height^3/12 are not rounded. The other fields of Beam go by their names.
        """
        width, height = positive(width, "beam.width", "m"), positive(height, "beam.height", "m")
        if nu is not None:
            if G is not None:
                raise ModelError("beam.nu and beam.G are both given; G follows from nu: give one of the two")
            nu = number(nu, "beam.nu")
            if not -1.0 < nu <= 0.5:
                raise ModelError(f"beam.nu is {nu:.12g}; give Poisson's ratio above -1 and at most 0.5 (steel: 0.3)")
            G = positive(E, "beam.E", "Pa")/(2*(1 + nu))
        return cls(A=width*height, I=width*height**3/12, E=E, G=G, **others)

    @property
    def mass_per_length(self) -> float:
        """mu, kg/m."""
        return self.mu if self.rho is None else self.rho*self.A

    @property
    def rotary_inertia(self) -> float:
        """rho I of the modes, kg m: moment of inertia per length about the axis of bending."""
        return self.mass_per_length*self.I/self.A

    @property
    def spin_inertia(self) -> float:
        """J33 as given, else rho I, kg m."""
        return self.rotary_inertia if self.J33 is None else self.J33

    @property
    def bending_stiffness(self) -> float:
        """E I, N m^2."""
        return self.E*self.I

    @property
    def shear_stiffness(self) -> float:
        """k A G, N."""
        if self.G is None:
            raise ModelError('beam.G is missing but the beam is sheared; give G > 0 in Pa, or take modes of theory '
                             '"euler-bernoulli"')
        return self.k*self.A*self.G
