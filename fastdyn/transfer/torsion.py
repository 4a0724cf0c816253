"""Links that turn about one axis, joined by springs and dampers: the words, and what they are as arrays."""

from collections.abc import Mapping
from typing import Any

import numpy as np
from msgspec.structs import force_setattr

from ..describe.check import in_a_row, printable, shown, whole
from ..describe.words import spelt
from ..status import ModelError
from .motions import motion_of, signal_of
from .rows import Transfer, frequencies_of, motion_of_links, pairs_of, place_of, row_of

Row = tuple[float, ...]


class TorsionChain(Transfer, frozen=True, kw_only=True):
    """Links 1..n on a base, each on the one before or, as a tree, on any earlier one.

    Parameters
    ----------
    inertia : kg m^2, of each link, > 0.
    stiffness, damping : N m/rad, N m s/rad, of the joint that carries the link, >= 0; a number serves all.
    parents : number of the link each one sits on, 0 is the base; None is a chain, (0, 1, 2, ...).
    loads : link -> torque, N m: a number, a signal or a function of time; link -1 is the last one.
    base : angle of the base: None, a number, a Sine or a Motion.
    angles, rates : at the start, rad, rad/s; None is zero.
    name : for tables.
    """

    inertia: Row
    stiffness: Row | float
    damping: Row | float = 0.0
    parents: tuple[int, ...] | None = None
    loads: Mapping[int, Any] | tuple = ()
    base: Any = None
    angles: Row | None = None
    rates: Row | None = None
    name: str = "torsion-chain"

    def __post_init__(self):
        given = tuple(self.inertia) if isinstance(self.inertia, range) else self.inertia
        if not in_a_row(given) or not len(given):
            raise ModelError(f"inertia is {shown(self.inertia)}; give one number or more, kg m^2 of each link")
        n = len(given)
        force_setattr(self, "inertia", row_of(given, "inertia", n, least=">"))
        for field in ("stiffness", "damping"):
            force_setattr(self, field, row_of(getattr(self, field), field, n, least=">="))
        for field in ("angles", "rates"):
            given = getattr(self, field)
            force_setattr(self, field, row_of(0.0 if given is None else given, field, n))
        self._check_parents(n)
        force_setattr(self, "loads", _loads(self.loads, n))
        force_setattr(self, "base", motion_of(self.base))
        printable(self.name, "name")

    def _check_parents(self, n):
        parents = tuple(range(n)) if self.parents is None else self.parents
        if not in_a_row(parents) and not isinstance(parents, range):
            raise ModelError(f"parents is {shown(parents)}; give one number for each link, 0 for the base")
        parents = tuple(parents)
        if len(parents) != n:
            raise ModelError(f"parents has {len(parents)} numbers for {n} links; give one for each, 0 for the base")
        for j, parent in enumerate(parents, 1):
            if isinstance(parent, bool) or not isinstance(parent, (int, np.integer)) or not 0 <= parent < j:
                raise ModelError(f"link {j}: its parent is {shown(parent)}; give 0 for the base or an earlier link")
        force_setattr(self, "parents", tuple(int(parent) for parent in parents))

    @property
    def n(self) -> int:
        return len(self.inertia)

    @property
    def branched(self) -> bool:
        return self.parents != tuple(range(self.n))

    def natural_frequencies(self, count=None):
        """The lowest `count` natural frequencies without damping, rad/s, all of them if None; relative error 1e-11."""
        from .classic import natural_frequencies

        return natural_frequencies(self, count)

    def mode_shapes(self, omega):
        """A row for each frequency: angles of the links, the largest 1; orthogonal by inertia where one repeats."""
        from .classic import mode_shapes

        return mode_shapes(self, omega)

    def transfer_function(self, s, out, into, quantity="angle"):
        """What a torque on link `into`, N m, or the angle of the base, 0, rad, does at complex frequencies s, 1/s.

        The angle of link `out`, rad, or the "torque" in the joint that carries it, N m.
        """
        from .classic import transfer_function

        return transfer_function(self, s, out, into, quantity)

    def frequency_response(self, omega, out, into, quantity="angle"):
        """The transfer function at i omega, rad/s."""
        return self.transfer_function(1j*frequencies_of(omega, "omega"), out, into, quantity)

    def two_port(self, s, first=1, last=-1):
        """Links first..last as one part with two ends, at the complex frequencies s, 1/s: see fastdyn.transfer.star.

        th_out = r th_in + c tau_out, tau_in = r tau_out - k th_in; `star` joins such parts.
        """
        from .star import two_port

        return two_port(self, s, first, last)

    def damped_eigenvalues(self):
        """All roots s, 1/s, of the damped chain, slowest first."""
        from .classic import damped_eigenvalues

        return damped_eigenvalues(self)

    def simulate(self, t_end, dt, scheme="newmark", form="riccati", every=1):
        """Step the chain through time.

        Parameters
        ----------
        t_end, dt : s; t_end is a whole number of steps dt.
        scheme : a name of fastdyn.transfer.SCHEMES, or one with numbers, "newmark(0.3, 0.6)", or a scheme.
        form : "riccati"; "product" for plain products of transfer matrices, which lose digits in long chains;
            "displacement" for Riccati's form in angles, which loses some with small steps.
        every : a sample is kept after so many steps, at the start and at the end.
        """
        from .stepping import simulate

        return simulate(self, t_end, dt, scheme, form, every)

    def audit(self, dt, scheme="newmark"):
        """Whether a scheme with steps dt, s, is stable for this chain, and what its limit is: an Audit."""
        from .audit import audit

        return audit(self, dt, scheme)

    def save(self, path):
        """Write a model file (TOML), which `fastdyn run` and fastdyn.load read."""
        from .keeping import save

        save(self, path)

    def size(self):
        """Number of coordinates of `matrices`."""
        return self.n

    def matrices(self):
        """M, C, K of the links on a resting base."""
        joint = (np.eye(self.n + 1)[1:] - np.eye(self.n + 1)[np.array(self.parents, int)])[:, 1:]
        C, K = (joint.T @ (np.array(row)[:, None]*joint) for row in (self.damping, self.stiffness))
        return np.diag(self.inertia), C, K

    def torques(self, angles, rates, base_angle, base_rate):
        """tau, N m, in the joint of every link, of rows of angles and rates; of the base one number a row each."""
        angles, rates, base_angle, base_rate = motion_of_links(self.n, angles, rates, base_angle=base_angle,
                                                               base_rate=base_rate)
        with np.errstate(over="ignore", invalid="ignore"):
            stretch, speed = (x - self._inner(x, x0) for x, x0 in ((angles, base_angle), (rates, base_rate)))
            return stretch*np.array(self.stiffness) + speed*np.array(self.damping)

    def energies(self, angles, rates, base_angle):
        """Kinetic and strain energy, J, of rows of angles and rates; base_angle: one number a row."""
        angles, rates, base_angle = motion_of_links(self.n, angles, rates, base_angle=base_angle)
        with np.errstate(over="ignore", invalid="ignore"):
            stretch = angles - self._inner(angles, base_angle)
            return {"kinetic": 0.5*rates**2 @ np.array(self.inertia),
                    "strain": 0.5*stretch**2 @ np.array(self.stiffness)}

    def _inner(self, x, x0):
        """What the link inward of each does, or the base."""
        return np.concatenate([x0[..., None], x], axis=-1)[..., list(self.parents)]


def _loads(loads, n):
    """(link, signal) in the order of links; what acts on one link is kept apart."""
    rows = [(place_of(link, "loads has link", "whole number", 1, n), word)
            for link, word in pairs_of(loads, "loads", "{-1: 1.0}, N m on the last link")]
    return tuple(sorted(((link, signal_of(word, f"loads[{link}]")) for link, word in rows), key=lambda pair: pair[0]))


@spelt
def torsion_chain(n: int = 10, inertia: float = 1.0, stiffness: float = 20.0, damping: float = 5.0,
                  torque: float = 1.0, load: int = -1) -> TorsionChain:
    """n equal links on springs and dampers, at rest, with a constant torque on one of them.

    Parameters
    ----------
    n : number of links, 1 or more.
    inertia : of a link, kg m^2.
    stiffness, damping : of a joint, N m/rad, N m s/rad.
    torque : N m.
    load : the link it acts on; -1 is the last.
    """
    n = whole(n, "n", "links")
    load = place_of(load, "load is", "link", 1, n)
    return TorsionChain(inertia=(inertia,)*n, stiffness=stiffness, damping=damping, loads={load: torque})


