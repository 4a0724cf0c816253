"""Chains that bend across their length: natural frequencies, shapes, responses, damped roots, by Riccati's form.

Products of 4x4 transfer matrices lose one mode after the other: none is right from the twelfth or so on. Here all
outside of a cross-section is one symmetric 2x2 matrix, taken inward part by part (stations.py), and frequencies are
counted by its pivots [Wittrick & Williams 1971]: as many modes as there are, each to the last digits.
Sources: [Myklestad 1944], [Horner & Pilkey 1978].
"""

from typing import Any

import numpy as np
from msgspec.structs import force_setattr, replace

from ..describe.check import kind_of, not_negative, one_of, positive, printable, shown, whole
from ..describe.signals import Constant
from ..describe.words import spelt
from ..status import ModelError
from .classic import beside, clusters, how_many
from .counting import bound, check_natural, polished, quadratic_roots, roots, slowest_first, undamped_roots
from .hinges import hinging
from .motions import motion_of, signal_of
from .rows import Unbranched, frequencies_in_a_row, frequencies_of, pairs_of, place_of, with_limits
from .stations import PARTS, TINY, Frequency, Hinge, Mass, Rigid, Span, Support

BASES = ("clamped", "pinned", "free")
QUANTITIES = ("deflection", "slope", "force", "moment")
LOADS = {"force": 0, "moment": 1}


class BendingChain(Unbranched, frozen=True, kw_only=True):
    """Parts in a row from the base to a free tip, without branches: Rigid, Hinge, Mass, Support, Span.

    Station 0 is the base, station i the outer end of part i, counted from 1.

    Parameters
    ----------
    parts : the row.
    base : "clamped", "pinned" or "free".
    base_deflection, base_slope : how a clamped base moves, m, rad, a pinned one across: None, a number, a Sine or a
        Motion. The chain starts as if it had moved with it as a rigid body.
    loads : station, or (station, "force" or "moment") -> N, N m: a number, a signal or a function of time; -1 the tip.
    held : loads, numbers, under which the chain rests until it is let go at t = 0; none: it starts straight.
    name : for tables.
    """

    parts: tuple
    base: str = "clamped"
    base_deflection: Any = None
    base_slope: Any = None
    loads: Any = ()
    held: Any = ()
    name: str = "bending-chain"

    def __post_init__(self):
        if not isinstance(self.parts, (tuple, list)) or not self.parts:
            raise ModelError(f"parts is {shown(self.parts)}; give a list of one part or more")
        parts = tuple(kind_of(part, PARTS, f"parts[{i}]") for i, part in enumerate(self.parts))
        force_setattr(self, "parts", parts)
        one_of(self.base, BASES, "base")
        self._check_motions()
        force_setattr(self, "loads", _loads(self.loads, len(parts), "loads"))
        force_setattr(self, "held", _loads(self.held, len(parts), "held"))
        if any(not isinstance(signal, Constant) for _, _, signal in self.held):
            raise ModelError("held has a load that changes with time; give numbers")
        printable(self.name, "name")

    def _check_motions(self):
        for name, held in (("base_deflection", ("clamped", "pinned")), ("base_slope", ("clamped",))):
            word = getattr(self, name)
            if word is None:
                continue
            if self.base not in held:
                raise ModelError(f"{name} is {shown(word)}, but a {self.base} base leaves it free; give None, or "
                                 f'base="{held[-1]}"')
            force_setattr(self, name, motion_of(word, name))

    @property
    def motions(self):
        """(name, Motion) of what the base prescribes: deflection, slope; nothing where it rests at zero."""
        if self.base_deflection is None and self.base_slope is None:
            return ()
        names = ("base_deflection", "base_slope")[:1 + (self.base == "clamped")]
        return tuple((name, motion_of(getattr(self, name), name)) for name in names)

    @property
    def freedoms(self):
        """How many natural frequencies there are, None for endlessly many."""
        if any(isinstance(part, Span) and part.mass_per_length > 0.0 for part in self.parts):
            return None
        return None if any(isinstance(part, Span) for part in self.parts) else self.size()

    def natural_frequencies(self, count=None):
        """The lowest `count` natural frequencies without damping, rad/s; None is all, of chains without spans."""
        most = self.freedoms
        if most is None and count is None:
            raise ModelError("a chain with spans has endlessly many natural frequencies; give count")
        if most == 0:
            raise ModelError(f"{self.name} has no natural frequencies: nothing in it can move; give it a Hinge, a Span "
                             "or another base")
        wanted = how_many(count, most or 100_000)
        below = lambda square: _below(self, square)
        return np.sqrt(roots(below, wanted, bound(below, wanted, 1.0)))

    def transfer_function(self, s, out, into, quantity="deflection", load="force"):
        """What comes out at a station per load at another, at complex s, 1/s.

        Parameters
        ----------
        s : frequencies, 1/s.
        out, into : stations; -1 is the tip.
        quantity : "deflection", m, "slope", rad, or "force", N, "moment", N m, that all outside of the station, what is
            at it included, exert on the inside.
        load : "force", N, "moment", N m, or, of the base, into=0, its "deflection", m, or "slope", rad.
        """
        s, last = frequencies_of(s, "s", complex), len(self.parts)
        out, into = (place_of(x, f"{what} is", "station", 0, last) for x, what in ((out, "out"), (into, "into")))
        one_of(quantity, QUANTITIES, "quantity")
        one_of(load, QUANTITIES, "load")
        loads, base = np.zeros((last + 1, 2, 1)), [0.0, 0.0]
        if load in LOADS:
            loads[into, LOADS[load]] = 1.0
        else:
            held = {"clamped": 2, "pinned": 1, "free": 0}[self.base]
            if into != 0 or QUANTITIES.index(load) >= held:
                raise ModelError(f'load is "{load}", into {into}; a {self.base} base moves as prescribed '
                                 f"{('not at all', 'by its deflection', 'by deflection and slope')[held]}: "
                                 'give into=0 and one of these, or "force" or "moment"')
            base[QUANTITIES.index(load)] = 1.0

        def ask(s):
            motions, forces = response(self, Frequency(s, s**2), loads, base)
            found = motions[out] if quantity in QUANTITIES[:2] else forces[out]
            return found[QUANTITIES.index(quantity) % 2]

        return with_limits(ask, s.ravel()).reshape(s.shape)

    def frequency_response(self, omega, out, into, quantity="deflection", load="force"):
        """The transfer function at i omega, rad/s."""
        return self.transfer_function(1j*frequencies_of(omega, "omega"), out, into, quantity, load)

    def mode_shapes(self, omega):
        """(modes, stations, 2): deflection, m, and slope, rad, for each frequency; the largest deflection is 1.

        Where a frequency repeats, as rigid motions of a free chain do, the shapes are orthogonal by the masses.
        """
        omega = frequencies_in_a_row(omega)
        asked = np.count_nonzero(omega == 0.0)
        slowest = self.natural_frequencies(min(asked, self.freedoms or asked)) if asked else omega
        many = check_natural(lambda square: _below(self, square), omega, np.count_nonzero(slowest == 0.0))
        groups = clusters(omega, many)
        square = beside(omega, groups)**2
        loads = np.random.default_rng(1).standard_normal((len(self.parts) + 1, 2, len(omega)))
        with np.errstate(all="ignore"):
            shape = np.array(response(self, Frequency(0.0, -square), loads)[0])
        for group in groups:
            if len(group) > 1:                          # the loads' work on what they do is its product by the masses
                work = np.einsum("ijk,ijl->kl", loads[..., group], shape[..., group])
                sign = -1.0 if np.trace(work) < 0.0 else 1.0
                shape[..., group] = shape[..., group] @ np.linalg.inv(np.linalg.cholesky(0.5*sign*(work + work.T))).T
        largest = np.argmax(np.abs(shape[:, 0]), axis=0)
        return (shape/shape[largest, 0, np.arange(len(omega))]).transpose(2, 0, 1)

    def damped_eigenvalues(self):
        """All roots s, 1/s, of a damped chain without spans, slowest first."""
        if any(isinstance(part, Span) for part in self.parts):
            raise ModelError("damped roots are found for chains without spans; make them of Rigid and Hinge")
        self._check_inertia()
        M, C, K = self.matrices()
        if not np.any(C):
            return undamped_roots(self.natural_frequencies())
        found = quadratic_roots(M, C, K, *replace(self, parts=tuple(_joined(self.parts))).matrices()[1:])
        return slowest_first(polished(lambda s: _pivots(self, Frequency(s, s*s)), found))

    def save(self, path):
        """Write a model file (TOML), which `fastdyn run` and fastdyn.load read."""
        from .keeping import save

        save(self, path)

    def size(self, elements=8):
        """Number of coordinates of `matrices`."""
        from .bending_matrices import size

        return size(self, elements)

    def matrices(self, elements=8):
        """M, C, K in the slopes and deflections that base and hinges leave free, and what elements are bent."""
        from .bending_matrices import matrices

        return matrices(self, elements)

    def audit(self, dt, scheme="newmark", elements=8):
        """Whether a scheme with steps dt, s, is stable for this chain, and what its limit is: an Audit."""
        from .audit import audit

        self._check_inertia(elements)
        return audit(self, dt, scheme, elements)

    def _check_inertia(self, elements=1):
        from .bending_nodes import check_inertia

        check_inertia(self, elements)

    def simulate(self, t_end, dt, scheme="newmark", form="riccati", every=1, elements=8):
        """Step the chain through time.

        Parameters
        ----------
        t_end, dt : s; t_end is a whole number of steps dt.
        scheme : a name of fastdyn.transfer.SCHEMES, or one with numbers, "newmark(0.3, 0.6)", or a scheme.
        form : "riccati", or "product" for plain products of transfer matrices, which lose digits in long chains.
        every : a sample is kept after so many steps, at the start and at the end.
        elements : in which every span is cut.

        Returns
        -------
        BendingRun.
        """
        from .bending_run import simulate

        return simulate(self, t_end, dt, scheme, form, every, elements)


def _joined(parts):
    """The same parts, all springs and dampers that there are equal to one; those across by the length of the chain."""
    reach = sum(part.length for part in parts if isinstance(part, Rigid)) or 1.0
    for part in parts:
        if isinstance(part, Hinge | Support):
            part = replace(part, **{field: 1.0*(getattr(part, field) > 0.0) for field in part.__struct_fields__})
        if isinstance(part, Support):
            part = replace(part, stiffness=part.stiffness/reach**2, damping=part.damping/reach**2)
        yield part


def _loads(loads, count, what):
    """(station, "force" or "moment", signal), stations ascending."""
    found = []
    for place, word in pairs_of(loads, what, '{-1: 1.0}, N at the tip, or {(-1, "moment"): 1.0}, N m'):
        if isinstance(word, tuple) and len(word) == 2 and isinstance(word[0], str):
            place, word = (place, word[0]), word[1]
        station, kind = place if isinstance(place, tuple) and len(place) == 2 else (place, "force")
        station = place_of(station, f"{what} has station", "whole number", 0, count)
        one_of(kind, tuple(LOADS), f"{what}[{station}]")
        found.append((station, kind, signal_of(word, f"{what}[{station}]")))
    return tuple(sorted(found, key=lambda load: (load[0], LOADS[load[1]])))


@spelt
def hinged_beam(n=10, length=1.0, EI=1.0, mass_per_length=1.0, rule="mid", damping=0.0, payload=0.0) -> BendingChain:
    """A clamped beam as rigid elements and hinges, by a rule of RULES; damping in N m s/rad, payload at the tip, kg."""
    length, EI = positive(length, "length", "m"), positive(EI, "EI", "N m^2")
    made = hinging(n, length, EI, rule)
    parts = [Rigid(length=made.stub, mass=mass_per_length*made.stub)] if made.stub else []
    for l, k in zip(made.lengths.tolist(), made.stiffness.tolist()):
        parts += [Hinge(stiffness=k, damping=damping), Rigid(length=l, mass=mass_per_length*l)]
    return BendingChain(parts=parts + ([Mass(mass=payload)] if payload else []), name="hinged-beam")


@spelt
def cantilever(n: int = 1, length: float = 1.0, EI: float = 1.0, mass_per_length: float = 1.0, payload: float = 0.0,
               force: float = 1.0) -> BendingChain:
    """A clamped beam of n spans that a force at its tip holds bent until it is let go.

    Parameters
    ----------
    n : number of spans; their ends are the stations.
    length, EI, mass_per_length : of the whole beam, m, N m^2, kg/m.
    payload : at the tip, kg.
    force : N, across, until the start.
    """
    n = whole(n, "n", "spans")
    payload = not_negative(payload, "payload", "kg")
    span = Span(length=positive(length, "length", "m")/n, EI=EI, mass_per_length=mass_per_length)
    return BendingChain(parts=[span]*n + [Mass(mass=payload)]*(payload != 0.0), held={-1: force}, name="cantilever")


# ---------------------------------------------------------------------------------------------------------- inward


def _inward(chain, w, loads=None):
    """(part, D, G of its outer end, its station or None) from the tip inward; at last (None, D, G of the base, 0)."""
    zero, size = 0.0*w.s2, float(np.max(np.abs(w.s2), initial=0.0))
    D, G = (zero, zero, zero), (0.0, 0.0)
    for i, uncut in zip(range(len(chain.parts), 0, -1), reversed(chain.parts)):
        if loads is not None:
            G = G[0] + loads[i, 0], G[1] + loads[i, 1]
        station = i
        for part in uncut.cut(size):
            yield part, D, G, station
            if loads is not None:
                G = part.push(G, D, w)
            D, station = part.fold(D, w), None
    yield None, D, G if loads is None else (G[0] + loads[0, 0], G[1] + loads[0, 1]), 0


def _base_pivots(chain, D):
    """Of what the base leaves free."""
    if chain.base == "clamped":
        return ()
    if chain.base == "pinned":
        return (D[2],)
    first = np.where(D[0] == 0.0, TINY, D[0])
    return first, D[2] - D[1]*(D[1]/first)


def _below(chain, square):
    """How many squares of frequencies lie below each of the given ones."""
    w, found = Frequency(0.0, -square), np.zeros(len(square), int)
    with np.errstate(all="ignore"):
        for d in _pivots(chain, w):
            found += d < 0.0
    return found


def _pivots(chain, w):
    """All pivots: negative ones count frequencies, their product is the determinant."""
    inward = _inward(chain, w)
    outer, Do, _, _ = next(inward)
    for part, D, _, _ in inward:
        if part is None and chain.base == "free" and isinstance(outer, Span):
            yield from outer.free_pivots(Do, w)
        else:
            yield from outer.pivots(Do, w)
            if part is None:
                yield from _base_pivots(chain, D)
        outer, Do = part, D


def response(chain, w, loads, base=(0.0, 0.0)):
    """(y, phi) of every station, (force, moment) just inside of it, for loads[station, 0 or 1] and a moving base."""
    *steps, (_, D, G, _) = _inward(chain, w, loads)
    zero = 0.0*(w.s2 + G[0] + G[1])
    e = base[0] + zero, base[1] + zero
    if chain.base == "pinned":
        e = e[0], (G[1] - D[1]*e[0])/D[2]
    elif chain.base == "free":
        det = D[0]*D[2] - D[1]*D[1]
        e = (D[2]*G[0] - D[1]*G[1])/det, (D[0]*G[1] - D[1]*G[0])/det
    exerted = lambda D, G, e: (G[0] - D[0]*e[0] - D[1]*e[1] + zero, G[1] - D[1]*e[0] - D[2]*e[1] + zero)
    found, forces = [e], [exerted(D, G, e)]
    for part, D, G, station in reversed(steps):
        e = part.carry(e, D, G, w)
        if station is not None:
            found.append((e[0] + zero, e[1] + zero))
            forces.append(forces[-1] if isinstance(part, Mass | Support) else exerted(D, G, e))
    return found, forces
