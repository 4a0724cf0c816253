"""The ground: half-planes that points of the chain may hit, and the laws of what happens there."""

from functools import cached_property

import numpy as np
from msgspec import field
from msgspec.structs import force_setattr

from ..status import ModelError
from .check import direction, kind_of, number, numbers, shown
from .words import Words

Vector = tuple[float, float, float]
LEAST_BAND = 1e-7           # m/s: a hundredth of it, its edge, is still more than what counts as rest


class Contact(Words, frozen=True, kw_only=True, dict=True, forbid_unknown_fields=True):
    """The normal force: a law's name and its numbers; docs/theory/contact.md has the formulas.

    Parameters
    ----------
    law : "hertz", "hunt-crossley", "herbert-mcwhannell", "lee-wang", "lankarani-nikravesh", "flores",
        "gharib-hurmuzlu" or "hu-guo".
    stiffness : N/m^exponent.
    exponent : of the depth, 0.1 or more, 1.5 if not given.
    restitution : what the law is told, in (0, 1]; "hertz" can do without. "flores", "gharib-hurmuzlu" and "hu-guo" need
        some 1e-9 at least.
    slowest : floor of the impact speed the damping is divided by, m/s, 1e-6 if not given.
    clamp : True: the ground never pulls; False if not given: the law as it is written.
    """

    law: str
    stiffness: float | None = None
    exponent: float | None = None
    restitution: float | None = None
    slowest: float | None = None
    clamp: bool | None = None

    def __post_init__(self):
        if not isinstance(self.clamp, (bool, np.bool_, type(None))):
            raise ModelError(f"contact.clamp is {shown(self.clamp)}; give true or false")
        force_setattr(self, "clamp", None if self.clamp is None else bool(self.clamp))
        _plain(self, "contact", ("law", "clamp"))
        _ = self.coded

    @cached_property
    def coded(self) -> tuple[int, tuple[float, ...]]:
        """(code, five numbers) as kernels take them."""
        from ..laws.contact import NORMAL_LAWS

        return _coded(NORMAL_LAWS, self, "contact")


class Friction(Words, frozen=True, kw_only=True, dict=True, forbid_unknown_fields=True):
    """The force along the ground: a law's name and its numbers; docs/theory/contact.md has the formulas.

    In the plane a point that sticks ("coulomb", "stiction", "coulomb-viscous", "stribeck", "karnopp") is held exactly,
    up to what its law holds; one that would switch without end creeps, which `Run.notes` tells. In space, and in runs
    of arms, it creeps under its load: by less than 1e-4 m/s, with "karnopp" by less than `band`. What moves inside that
    band in the plane is braked by all that "karnopp" holds, mu_static N, until it rests.

    Parameters
    ----------
    law : "none", "ambrosio", "coulomb", "stiction", "viscous", "coulomb-viscous", "stribeck", "karnopp",
        "bengisu-akay", "arctan", "tanh" or "step". Each takes some of the numbers and has no use for the others.
    mu, mu_static : coefficients of friction, sliding and at rest (or at its peak), which is not the smaller one.
    v0, v1, v_stribeck, band, v_static, v_sliding : speeds, m/s; band 1e-7 or more.
    viscosity : N s/m.
    exponent, tangential : without unit.
    decay, steepness : s/m.
    """

    law: str = "none"
    mu: float | None = None
    mu_static: float | None = None
    v0: float | None = None
    v1: float | None = None
    viscosity: float | None = None
    v_stribeck: float | None = None
    exponent: float | None = None
    band: float | None = None
    decay: float | None = None
    tangential: float | None = None
    steepness: float | None = None
    v_static: float | None = None
    v_sliding: float | None = None

    def __post_init__(self):
        _plain(self, "friction", ("law",))
        _ = self.coded

        if self.mu_static is not None and self.mu_static < self.mu:
            raise ModelError(f'friction: mu_static of "{self.law}" is {self.mu_static:g}, below mu, {self.mu:g}; what '
                             "rests takes no less to move than what slides: give mu_static >= mu")
        if self.band is not None and self.band < LEAST_BAND:
            raise ModelError(f'friction: band of "{self.law}" is {shown(self.band, "m/s")}, hardly more than what rest '
                             f'is told from; give {LEAST_BAND:g} m/s or more, or take law "stiction"')

    @cached_property
    def coded(self) -> tuple[int, tuple[float, ...]]:
        """(code, five numbers) as kernels take them."""
        from ..laws.friction import FRICTION_LAWS

        return _coded(FRICTION_LAWS, self, "friction")


class Ground(Words, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A half-plane of ground at rest, and who may hit it.

    Parameters
    ----------
    normal : vector out of the ground, base axes; of any length, it is kept with length one.
    point : any point of its surface, base axes, m.
    points : "joints": every joint that can move and every tip that nothing hangs on; or a list of names, "link" for a
        link's joint, "link.tip", "link.grip" for one of its points.
    contact : normal force.
    friction : force along the ground; none if not given.
    """

    normal: Vector = (0.0, 1.0, 0.0)
    point: Vector = (0.0, 0.0, 0.0)
    points: str | tuple[str, ...] = "joints"
    contact: Contact
    friction: Friction = field(default_factory=Friction)

    def __post_init__(self):
        force_setattr(self, "normal", direction(self.normal, "ground.normal"))
        force_setattr(self, "point", numbers(self.point, "ground.point", 3, "m"))
        if self.points != "joints":
            force_setattr(self, "points", _names(self.points))
        kind_of(self.contact, Contact, "ground.contact")
        kind_of(self.friction, Friction, "ground.friction")

    @property
    def normal_code(self) -> int:
        return self.contact.coded[0]

    @property
    def normal_numbers(self) -> tuple[float, ...]:
        return self.contact.coded[1]

    @property
    def friction_code(self) -> int:
        return self.friction.coded[0]

    @property
    def friction_numbers(self) -> tuple[float, ...]:
        return self.friction.coded[1]


def _names(points):
    if not isinstance(points, (tuple, list)) or not points or not all(isinstance(name, str) for name in points):
        raise ModelError(f'ground.points is {shown(points)}; give "joints", or names such as ["link1", "link3.tip"]')
    return tuple(points)


def _plain(law, what, others):
    """The law's name as a word, given numbers as floats."""
    if not isinstance(law.law, str):
        raise ModelError(f"{what}.law is {shown(law.law)}; give the name of a law")
    for name in law.__struct_fields__:
        if name not in others and getattr(law, name) is not None:
            force_setattr(law, name, number(getattr(law, name), f"{what}.{name}"))


def _coded(laws, law, what):
    from ..laws.words import coded

    given = {name: getattr(law, name) for name in law.__struct_fields__ if name != "law"}
    return coded(laws, law.law, what, **{name: value for name, value in given.items() if value is not None})
