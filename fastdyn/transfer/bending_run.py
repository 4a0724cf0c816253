"""A run of a bending chain: its nodes as arrays, where it starts, steps, samples of its stations."""

import time
import warnings

import numpy as np

from .._jit import ready
from ..describe.check import one_of, whole
from ..layout import aligned
from ..status import ModelError
from . import bending_steps as kernels
from .audit import warn_beforehand
from .bending import BASES, LOADS
from .growth import Brought
from .motions import values, weighted
from .product import LOSS
from .run import BendingRun, PrecisionWarning
from .schemes import PAST, TH, A, Phase, V, scheme_of
from .stations import Hinge, Mass, Rigid, Span, Support
from .stepping import asked_every, numbers_of, room_for, steps_of

FORMS = ("riccati", "product")
AHEAD = 1 << 18                                             # numbers of loads that are computed ahead
AT_ONCE = Phase(TH, V, 0.0, 0.0, np.array([TH, V, 0.0*A]), np.array([0.0, 0.0, 1.0]))
EPS = np.finfo(float).eps


def simulate(chain, t_end, dt, scheme, form, every, elements):
    """See BendingChain.simulate."""
    steps, T = steps_of(t_end, dt)
    scheme, every = scheme_of(scheme), asked_every(every, steps)
    course = Course(chain, T, scheme, one_of(form, FORMS, "form"), whole(elements, "elements", "elements"))
    course.steps = steps
    samples = room_for((steps//every + 1, 3, 2*len(course.kinds)))
    samples[0] = course.history[:3]
    warn_beforehand(chain, T, scheme, steps, elements)
    started = time.perf_counter()
    with np.errstate(all="ignore"):
        course.go(steps, every, samples[1:])
    seconds = time.perf_counter() - started
    t = T*(every*np.arange(len(samples)))
    forces = course.forces(t, samples)
    samples /= T**np.arange(3.0)[:, None]
    energies = course.energies(samples)
    found = samples.reshape(len(samples), 3, -1, 2)[:, :, course.stations]
    return BendingRun(chain, t, found[..., 1], found[..., 0], scheme=scheme.name, form=form, dt=T, steps=steps,
                      seconds=seconds, energies=energies, error_estimate=course.estimate,
                      status=course.brought.status(energies),
                      forces={name: forces[:, course.stations, i] for i, name in enumerate(LOADS)})


class Course:
    """The arrays of a run and where it stands."""

    def __init__(self, chain, T, scheme, form, elements):
        self.chain, self.T, self.scheme, self.form = chain, T, scheme, form
        self.kinds, self.parts, self.stations = nodes_of(chain, T, elements)
        self.place = self._places(chain.loads)
        self.done, self.estimate, size = 0, None, 2*len(self.kinds)
        self.scratch = aligned((6, max(size, PAST)))
        self.history = np.zeros((PAST, size))
        self.still = self.parts.copy()
        self.still[kernels.RR:kernels.K] = self.still[kernels.NODE_M:kernels.NODE_K] = 0.0
        if chain.held:
            forces = T*T*np.array([[signal.value for _, _, signal in chain.held]])
            self.history[0] = self._at_once(self.still, 1.0, forces, self._places(chain.held))
        self.brought, self.steps = Brought(*self._sizes(), np.zeros(len(self.place))), 1
        self.history[2] = self._at_once(self.parts, 0.0, self._loads(np.zeros(2), 1.0), self.place)

    def _places(self, loads):
        return np.array([2*self.stations[station] + LOADS[kind] for station, kind, _ in loads], np.int64)

    def _at_once(self, parts, b, F, place, states=None):
        """The unknown of balances of forces: T^2 accelerations or, without inertia, rest; of the latest history.

        With states, rows of T^0 u and T u', that of each with its row of loads.
        """
        data, out = aligned((kernels.DATA, parts.shape[1])), np.empty((1, 3, self.history.shape[1]))
        self._factor(parts, b, 0.0, data)
        numbers, advance, found = numbers_of(AT_ONCE), ready(kernels.advance), []
        for i, state in enumerate([AT_ONCE.reduced[0] @ self.history] if states is None else states):
            advance(self.kinds, parts, data, np.ascontiguousarray(state), numbers, F[i:i + 1], place, self.scratch, out,
                    1, 1, 1)
            found.append(out[0, 2].copy())
        return found[0] if states is None else np.array(found)

    def _sizes(self):
        """Of a unit of every load: its norm by the inverse of the masses, and by that of the springs; see growth.py."""
        if len(self.place) == 0:
            return np.zeros((2, 0))
        units, states = np.eye(len(self.place))*self.T**2, np.zeros((len(self.place), 2, self.history.shape[1]))
        found = []
        for parts, b in ((self.parts, 0.0), (self.still, 1.0)):
            try:
                moved = self._at_once(parts, b, units, self.place, states)
                found.append(np.sqrt(np.maximum(moved[np.arange(len(units)), self.place], 0.0)/self.T**(2 - 2*b)))
            except ModelError:
                if b == 0.0:
                    raise
                found.append(np.full(len(units), np.inf))
        return found

    def _factor(self, parts, b, g, data):
        node = ready(kernels.factor)(self.kinds, parts, b, g, BASES.index(self.chain.base), data)
        if node >= 0:
            station = int(np.searchsorted(self.stations, node))
            raise ModelError(f"{self.chain.name}: nothing holds station {station} and all outside of it: give it "
                             "inertia, or the chain another base or a Support where it is to rest")

    def go(self, steps, every, out):
        """All steps; samples after `every`, 2 `every`, ... steps go to out."""
        row = 0
        for phase in self.scheme.start[:steps]:
            latest = np.empty((1, 3, self.history.shape[1]))
            self.enter(phase)
            self._advance(1, 1, 1, latest)
            self.history = np.vstack([latest[0], self.history[[0, 3, 2]]])
            if self.done % every == 0:
                out[row] = latest[0]
                row += 1
        self.enter(self.scheme.main)
        chunk = max(1, AHEAD//max(1, len(self.place)))
        while self.done < steps:
            wait = every - self.done % every
            row += self._advance(min(chunk, steps - self.done), wait, every, out[row:])

    def enter(self, phase):
        """Make the arrays of a phase from the history."""
        self.phase, self.numbers = phase, numbers_of(phase)
        self.state = np.ascontiguousarray(phase.reduced[0] @ self.history)
        self.data = aligned((kernels.DATA, len(self.kinds)))
        if self.form == "product":
            ready(kernels.prepare)(self.kinds, self.parts, phase.b, phase.g, 0, self.data)
        else:
            self._factor(self.parts, phase.b, phase.g, self.data)

    def _advance(self, steps, wait, every, out):
        F = self.tables(self.T*np.arange(self.done, self.done + steps + 1), self.phase.weight)
        rest = (self.kinds, self.parts, self.data, self.state, self.numbers, F, self.place, self.scratch, out, steps,
                wait, every)
        if self.form == "product":
            found = ready(kernels.advance_product)(BASES.index(self.chain.base), *rest)
            self._warn(EPS*self.scratch[0, 0])
        else:
            found = ready(kernels.advance)(*rest)
        self.done += steps
        return found

    def _warn(self, estimate):
        before, estimate = self.estimate or 0.0, np.nan_to_num(estimate, nan=np.inf)
        if estimate*self.steps > LOSS and not before*self.steps > LOSS:
            warnings.warn(f"{self.chain.name}: plain products of {len(self.kinds) - 1} transfer matrices with dt = "
                          f"{self.T:.3g} s have a relative error of {estimate:.1e} in a step, "
                          f'and it feeds back in {self.steps} steps: do not use this result; form="riccati" keeps all '
                          "digits", PrecisionWarning, stacklevel=6)
        self.estimate = max(estimate, before)

    def tables(self, t, weight):
        """T^2 times the loads as the balance of forces of each step sees them."""
        F = self._loads(t, weight)
        self.brought.by(F/self.T**2, self.T)
        return F

    def _loads(self, t, weight):
        F = np.empty((len(t) - 1, len(self.chain.loads)))
        for column, (station, _, signal) in enumerate(self.chain.loads):
            F[:, column] = self.T*self.T*weighted(values(signal, t, f"loads[{station}]"), weight)
        return F

    def forces(self, t, samples):
        """(samples, nodes, 2): force and moment that all outside of a node, and what is at it, exert on the inside.

        Accelerations are those of the balance of forces at the sample itself, whatever the scheme.
        """
        parts, F = self.parts, self._loads(np.append(t, t[-1:]), 0.0)
        a = self._at_once(parts, 0.0, F, self.place, samples[:, :2])
        u, v, a = (x.reshape(len(t), -1, 2) for x in (samples[:, 0], samples[:, 1], a))
        f, found = np.zeros((len(t), 2)), np.empty_like(a)
        for j in range(len(self.kinds) - 1, -1, -1):
            m, k, c = (parts[row:row + size, j] for row, size in (
                (kernels.NODE_M, 3), (kernels.NODE_K, 2), (kernels.NODE_C, 2)))
            f = f - a[:, j] @ _symmetric(m) - u[:, j]*k - v[:, j]*c
            for column in np.flatnonzero(self.place//2 == j):
                f[:, self.place[column] % 2] += F[:, column]
            found[:, j] = f
            if j:
                l, inner = parts[kernels.LENGTH, j], a[:, j - 1]
                bent = a[:, j] - inner
                bent[:, 0] -= l*inner[:, 1]
                f = f - inner @ _symmetric(parts[kernels.RR:kernels.RD, j])
                f -= bent @ parts[kernels.RD:kernels.DD, j].reshape(2, 2).T
                f[:, 1] += l*found[:, j, 0]
        return found/self.T**2

    def energies(self, samples):
        """Kinetic and strain energy, J, at every sample, from the motions of all nodes."""
        parts, T2 = self.parts, self.T**2
        u, rate = (samples[:, i].reshape(len(samples), -1, 2) for i in range(2))
        def bent(x):
            return x[:, 1:, 0] - x[:, :-1, 0] - parts[kernels.LENGTH, 1:]*x[:, :-1, 1], x[:, 1:, 1] - x[:, :-1, 1]

        def form(row, x):
            a, b, c = parts[row:row + 3, -x[0].shape[1]:]
            return a*x[0]**2 + 2.0*b*x[0]*x[1] + c*x[1]**2

        node, inner, d = (rate[..., 0], rate[..., 1]), (rate[:, :-1, 0], rate[:, :-1, 1]), bent(rate)
        rd = sum(parts[kernels.RD + 2*i + k, 1:]*inner[i]*d[k] for i in range(2) for k in range(2))
        with np.errstate(all="ignore"):
            kinetic = form(kernels.NODE_M, node).sum(1) + (
                form(kernels.RR, inner) + 2.0*rd + form(kernels.DD, d)).sum(1)
            strain = form(kernels.K, bent(u)).sum(1) + sum(
                (parts[kernels.NODE_K + i]*u[..., i]**2).sum(1) for i in range(2))
        return {"kinetic": 0.5*kinetic, "strain": 0.5*strain/T2}


# -------------------------------------------------------------------------------------------------------- the nodes


def nodes_of(chain, T, elements):
    """(kinds, numbers by node, node of every station); stiffness times T^2, damping times T."""
    kinds, columns, stations = [0], [np.zeros(kernels.PARTS)], [0]
    for part in chain.parts:
        if isinstance(part, Mass):
            columns[-1][kernels.NODE_M] += part.mass
            columns[-1][kernels.NODE_M + 2] += part.inertia
        elif isinstance(part, Support):
            columns[-1][kernels.NODE_K:] += (T*T*part.stiffness, T*T*part.turning, T*part.damping,
                                             T*part.turning_damping)
        elif isinstance(part, Hinge):
            kinds.append(kernels.HINGE)
            columns.append(_column(K=(0.0, 0.0, T*T*part.stiffness), C=(0.0, 0.0, T*part.damping)))
        elif isinstance(part, Rigid):
            m, c = part.mass, 0.5*part.length if part.com is None else part.com
            I = m*part.length**2/12.0 if part.inertia is None else part.inertia
            kinds.append(kernels.RIGID)
            columns.append(_column(LENGTH=(part.length,), RR=(m, m*c, I + m*c*c)))
        elif isinstance(part, Span):
            many = elements if part.mass_per_length > 0.0 else 1
            for _ in range(many):
                kinds.append(kernels.ELEMENT)
                columns.append(_element(part.length/many, T*T*part.EI, part.mass_per_length))
        stations.append(len(kinds) - 1)
    parts = aligned((kernels.PARTS, len(kinds)))
    parts[:] = np.array(columns).T
    return np.array(kinds, np.int64), parts, np.array(stations)


def _column(**rows):
    column = np.zeros(kernels.PARTS)
    for name, numbers in rows.items():
        start = getattr(kernels, name)
        column[start:start + len(numbers)] = numbers
    return column


def element(l, EI, mu):
    """Hermite's cubic element in the motion of its inner node and what it is bent from there: RR, RD, DD, K."""
    m = mu*l
    return (np.array([[m, m*l/2], [m*l/2, m*l*l/3]]), np.array([[m/2, -m*l/12], [7*m*l/20, -m*l*l/20]]),
            np.array([[13*m/35, -11*m*l/210], [-11*m*l/210, m*l*l/105]]),
            np.array([[12*EI/l**3, -6*EI/l**2], [-6*EI/l**2, 4*EI/l]]))


def _element(l, EI, mu):
    RR, RD, DD, K = element(l, EI, mu)
    upper = lambda X: (X[0, 0], X[0, 1], X[1, 1])
    return _column(LENGTH=(l,), RR=upper(RR), RD=RD.ravel(), DD=upper(DD), K=upper(K))


def _symmetric(three):
    return np.array([[three[0], three[1]], [three[1], three[2]]])
