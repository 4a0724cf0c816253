"""An elastic link: its beam, the shapes it bends and stretches in, and which readings of turn and spin it takes."""

from functools import cached_property, lru_cache
from typing import Literal

import numpy as np
from msgspec.structs import force_setattr

from ..beams import Beam, Integrals, PolynomialMode, PrintedMode, SampledMode, axial_modes, integrals, modes
from ..beams.axial import known_axial_ends
from ..beams.modes import known_ends
from ..beams.printed import TABLE
from ..beams.shapes import END_TOLERANCE
from ..status import ModelError
from .body import Body
from .check import kind_of, numbers, one_of, shown, whole
from .modal import ModalNumbers, Stretch
from .words import Words

THEORIES = ("timoshenko", "euler-bernoulli", "printed")
NO_BENDING = 1e-9   # of E I/l^3 and the mean square of W; any bending has 1 or more
DEPENDENT = 1e-12   # eigenvalue of the shapes' matrices with ones on the diagonal
KEPT = 256  # sets of modes that are remembered: links of one make share theirs


class Polynomial(Words, frozen=True, kw_only=True, forbid_unknown_fields=True, tag_field="kind", tag="polynomial"):
    """A shape as a polynomial in eta/length, lowest power first; (0, 0, 1) is (eta/length)^2.

    W: deflection, without dimension. Theta: turn of sections, 1/m; None is W'. ends: two letters, see Elastic.
    """

    W: tuple[float, ...]
    Theta: tuple[float, ...] | None = None
    ends: str

    def __post_init__(self):
        _check_shape(self, "W", "")
        _check_shape(self, "Theta", "1/m")

    def over(self, length):
        """The shape of a beam of that length, m."""
        return PolynomialMode(length=length, W=self.W, Theta=self.Theta, ends=self.ends)


class Samples(Words, frozen=True, kw_only=True, forbid_unknown_fields=True, tag_field="kind", tag="samples"):
    """A shape by its values at places eta, m, from 0 to the beam's length; six at least, a smooth spline between.

    W: deflections there, without dimension. Theta: turns of sections, 1/m; None is W'. ends: two letters, see Elastic.
    """

    eta: tuple[float, ...]
    W: tuple[float, ...]
    Theta: tuple[float, ...] | None = None
    ends: str

    def __post_init__(self):
        _check_shape(self, "eta", "m")
        _check_shape(self, "W", "")
        _check_shape(self, "Theta", "1/m")

    def over(self, length):
        """The shape; a length other than the beam's is refused with the integrals."""
        return SampledMode(eta=self.eta, W=self.W, Theta=self.Theta, ends=self.ends)


SHAPES = {kind.__struct_config__.tag: kind for kind in (Polynomial, Samples)}


class Elastic(Words, frozen=True, kw_only=True, dict=True, forbid_unknown_fields=True):
    """How a link bends and stretches in the plane: modes of a beam along x, from the link's joint to its tip.

    Modal coordinates stand in this order: bending, stretching.

    Parameters
    ----------
    beam : Beam, its length that of the link.
    ends : two letters, the ends at joint and tip while the modes are found: s simply supported, c clamped, f free,
        g guided. The first is s or c: the link frame sits at the joint. Its x axis is the tangent there with c, the
        chord with s.
    modes : how many, the lowest first; 0 is a beam that does not bend. None is 1, or as many as there are shapes.
    theory : "timoshenko", "euler-bernoulli", or "printed": the digits of the published chain's first modes.
    shapes : shapes of your own, Polynomial or Samples, instead of ends and modes.
    carried : the turn at the tip that the next link feels, "section" Theta(l) or "axis" W'(l).
    spin : what the rotary inertia J33 turns with: "frame", the link's frame, or "section", its sections too.
    axial_ends : two letters, "cf" or "cc", the ends at joint and tip while axial modes are found: c held, f free; "" is
        a link that does not stretch, or one with axial_shapes.
    axial_modes : how many, the lowest first; None is 1, or as many as there are axial_shapes.
    axial_shapes : shapes of your own along the link, Stretch, instead of axial_ends and axial_modes.
    numbers : ModalNumbers that take the place of integrals over the shapes.
    """

    beam: Beam
    ends: str = ""
    modes: int | None = None
    theory: Literal["timoshenko", "euler-bernoulli", "printed"] = "timoshenko"
    shapes: tuple[Polynomial | Samples, ...] = ()
    carried: Literal["section", "axis"] = "section"
    spin: Literal["frame", "section"] = "frame"
    axial_ends: str = ""
    axial_modes: int | None = None
    axial_shapes: tuple[Stretch, ...] = ()
    numbers: ModalNumbers | None = None

    def __post_init__(self):
        kind_of(self.beam, Beam, "elastic.beam")
        one_of(self.theory, THEORIES, "elastic.theory")
        one_of(self.carried, ("section", "axis"), "elastic.carried")
        one_of(self.spin, ("frame", "section"), "elastic.spin")
        if not isinstance(self.shapes, (tuple, list)):
            raise ModelError(f"elastic.shapes is {shown(self.shapes)}; give a list of Polynomial or Samples")
        for i, shape in enumerate(self.shapes):
            kind_of(shape, (Polynomial, Samples), f"elastic.shapes[{i}]")
        force_setattr(self, "shapes", tuple(self.shapes))
        count = self.modes if self.modes is None else whole(self.modes, "elastic.modes", "modes", 0)
        self._check_axial()
        if self.numbers is not None:
            kind_of(self.numbers, ModalNumbers, "elastic.numbers")
        if self.shapes or self.ends or not self.stretches or count not in (None, 0):
            (self._check_shapes if self.shapes else self._check_ends)()
        else:
            count = 0                                           # nothing is said of bending: it stretches only
        force_setattr(self, "modes", (len(self.shapes) or 1) if count is None else count)

    def _check_axial(self):
        """Axial modes or axial shapes, not both."""
        if not isinstance(self.axial_shapes, (tuple, list)):
            raise ModelError(f"elastic.axial_shapes is {shown(self.axial_shapes)}; give a list of Stretch")
        for i, shape in enumerate(self.axial_shapes):
            kind_of(shape, Stretch, f"elastic.axial_shapes[{i}]")
        force_setattr(self, "axial_shapes", tuple(self.axial_shapes))
        many, own = self.axial_modes, len(self.axial_shapes)
        if many is not None:
            many = whole(many, "elastic.axial_modes", "modes", 0)
        if own:
            if self.axial_ends or many not in (None, own):
                field = "axial_ends" if self.axial_ends else "axial_modes"
                raise ModelError(f"elastic.{field} and elastic.axial_shapes are both given; keep one of the two")
            many = own
        elif self.axial_ends:
            try:
                known_axial_ends(self.axial_ends)
            except ModelError as refused:
                raise ModelError(f"elastic.axial_{refused}") from None
            if self.axial_ends[0] == "f":
                raise ModelError(f'elastic.axial_ends is "{self.axial_ends}", whose modes move at the joint, but the '
                                 "link frame sits there; take c for the first letter")
            many = 1 if many is None else many
        elif many:
            raise ModelError('elastic.axial_modes is given without elastic.axial_ends; give two letters such as "cf"')
        force_setattr(self, "axial_modes", many)

    def _check_shapes(self):
        if self.ends or self.theory != "timoshenko":
            field = "ends" if self.ends else "theory"
            raise ModelError(f"elastic.{field} and elastic.shapes are both given; shapes bring their own ends and need "
                             "no theory: keep one of the two")
        if self.modes not in (None, len(self.shapes)):
            raise ModelError(f"elastic.modes is {self.modes} but elastic.shapes has {len(self.shapes)}; drop modes")

    def _check_ends(self):
        if self.ends == "":
            raise ModelError('elastic.ends is missing; give two letters such as "ss", or shapes of your own')
        try:
            known_ends(self.ends)
        except ModelError as refused:
            raise ModelError(f"elastic.{refused}") from None
        if self.ends[0] in "fg":
            raise ModelError(f'elastic.ends is "{self.ends}", whose modes move at the joint, but the link frame sits '
                             "there; take s or c for the first letter")
        if self.theory == "printed":
            one_of(self.ends, tuple(TABLE), 'elastic.ends of theory "printed"')
            if self.modes not in (None, 1):
                raise ModelError(f'elastic.modes is {self.modes}, but theory "printed" has one mode; give 1, or take '
                                 '"timoshenko"')

    @property
    def stretches(self) -> bool:
        """Whether it becomes longer and shorter."""
        return bool(self.axial_modes)

    @cached_property
    def mode_shapes(self) -> tuple:
        """The modes as fastdyn.beams has them, one Shape each: those across the link, then those along it."""
        return self._bending() + self._stretching() if self.stretches else self._bending()

    def _stretching(self):
        if not self.axial_shapes:
            return axial_modes(self.beam, self.axial_ends, self.axial_modes)
        made = []
        for i, shape in enumerate(self.axial_shapes):
            try:
                made.append(shape.over(self.beam.length))
            except ModelError as refused:
                raise ModelError(f"elastic.axial_shapes[{i}]: {refused}") from None
            root = float(made[-1].U(0.0))
            if root != 0.0:
                raise ModelError(f"elastic.axial_shapes[{i}]: U is {root:.6g} at the joint, but the link frame sits "
                                 "there; give a shape with U = 0 at eta = 0")
        return tuple(made)

    def _bending(self):
        if self.modes == 0:
            return ()
        if self.shapes:
            return tuple(self._own(i, shape) for i, shape in enumerate(self.shapes))
        try:
            return _modes(self.beam, self.ends, self.modes, self.theory)
        except ModelError as refused:
            where = "elastic." if str(refused).startswith("beam") else "elastic.modes: "
            raise ModelError(f"{where}{refused}") from None

    def _own(self, i, shape):
        """A shape of the user's, at rest at the joint."""
        try:
            made = shape.over(self.beam.length)
        except ModelError as refused:
            raise ModelError(f"elastic.shapes[{i}]: {refused}") from None
        largest = float(np.max(np.abs(made.W(np.linspace(0.0, made.length, 201)))))
        root = float(made.W(0.0))
        if abs(root) > END_TOLERANCE*largest:
            raise ModelError(f"elastic.shapes[{i}]: W is {root:.6g} at the joint, but the link frame sits there; "
                             "give a shape with W = 0 at eta = 0")
        return made

    @cached_property
    def integrals(self) -> Integrals:
        """Integrals over the beam, their arrays read-only."""
        try:
            found = _integrals(self.beam, self.mode_shapes, self.carried)
        except ModelError as refused:
            said = str(refused)
            raise ModelError(said if said.startswith("elastic.") else f"elastic.{said}") from None
        if self.shapes or self.axial_shapes:
            self._check_independent(found)
        return found if self.numbers is None else self._given(found)

    def _given(self, found):
        try:
            return self.numbers.instead_of(found)
        except ModelError as refused:
            raise ModelError(f"elastic.{refused}") from None

    def _check_independent(self, found):
        """Refuse shapes of the user's that do not bend the beam, or are sums of each other."""
        soft = NO_BENDING*self.beam.bending_stiffness/self.beam.length**3*np.diag(found.C)/found.m
        for i in np.flatnonzero((np.diag(found.K) <= soft)[:len(self.shapes)]).tolist():
            raise ModelError(f"elastic.shapes[{i}] is straight: turning is the joint's motion; give a shape that bends")
        for matrix in (found.C, found.K):
            size = np.sqrt(np.diag(matrix))
            if np.linalg.eigvalsh(matrix/np.outer(size, size))[0] < DEPENDENT:
                words = "shapes" if self.shapes else "axial_shapes"
                raise ModelError(f"elastic.{words} are not independent: one is a sum of others, or all but; leave it "
                                 "out")

    @cached_property
    def frequencies(self) -> tuple[float, ...]:
        """Circular frequency of each mode held at its ends, rad/s; of printed and own shapes by Rayleigh's quotient."""
        I, R = self.integrals, self.beam.rotary_inertia
        weight = np.diag(I.C) + R*np.diag(I.theta_theta)
        found = np.sqrt(np.diag(I.K)/weight).tolist()
        return tuple(x if shape.omega is None else shape.omega for x, shape in zip(found, self.mode_shapes))

    @cached_property
    def straight_body(self) -> Body:
        """The beam as a rigid body, straight: thin, with J33 as the spread of its mass across."""
        I, half = self.integrals, self.beam.length/2
        across = I.m*self.beam.length**2/12
        return Body(mass=I.m, com=(half, 0.0, 0.0), inertia=(I.J, across, across + I.J))


@lru_cache(KEPT)
def _modes(beam, ends, number, theory):
    return (PrintedMode(ends, beam.length),) if theory == "printed" else modes(beam, ends, number, theory)


@lru_cache(KEPT)
def _integrals(beam, shapes, carried):
    found = integrals(beam, shapes, carried)
    for values in found:
        if isinstance(values, np.ndarray):
            values.setflags(write=False)
    return found


def _check_shape(shape, field, unit):
    value = getattr(shape, field)
    if value is not None:
        force_setattr(shape, field, numbers(value, f"shape.{field}", None, unit))
