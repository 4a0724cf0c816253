"""A run of a bending chain: its nodes as arrays, where it starts, steps, samples of its stations."""

import time
import warnings

import numpy as np

from .._jit import ready
from ..describe.check import one_of, whole
from ..layout import aligned
from ..status import DIGITS_LOST, ModelError
from . import bending_product as products
from . import bending_steps as kernels
from .audit import warn_beforehand, worthless
from .bending import BASES, LOADS
from .bending_nodes import nodes_of, unmoved
from .growth import Brought, norm_of
from .motions import at_balance, check_rates, values, weighted
from .run import LOSS, BendingRun, PrecisionWarning
from .schemes import PAST, TH, A, Phase, V, scheme_of
from .stepping import asked_every, kept, numbers_of, room_for, steps_of, stretch

FORMS = ("riccati", "product")
AHEAD = 1 << 18                                             # numbers of loads that are computed ahead
AT_ONCE = Phase(TH, V, 0.0, 0.0, np.array([TH, V, 0.0*A]), np.array([0.0, 0.0, 1.0]))
EPS = np.finfo(float).eps


def simulate(chain, t_end, dt, scheme, form, every, elements):
    """See BendingChain.simulate."""
    steps, T = steps_of(t_end, dt)
    scheme, every = scheme_of(scheme), asked_every(every, steps)
    with np.errstate(all="ignore"):                                     # the status tells of numbers that are none
        course = Course(chain, T, scheme, one_of(form, FORMS, "form"), whole(elements, "elements", "elements"))
        course.steps = steps
        for what, motion in course.motions:
            check_rates(motion, t_end, T, what)
        at = kept(steps, every)
        samples = room_for((len(at), 3, 2*len(course.kinds)))
        samples[0] = course.history[:3]
        warn_beforehand(chain, T, scheme, steps, elements)
        started = time.perf_counter()
        course.go(steps, every, samples[1:])
        seconds = time.perf_counter() - started
        t = T*at
        course.put_base(t, samples)
        forces = course.forces(t, samples)
        samples /= T**np.arange(3.0)[:, None]
        energies = course.energies(samples)
        found = samples.reshape(len(samples), 3, -1, 2)[:, :, course.stations]
        return BendingRun(chain, t, found[..., 1], found[..., 0], scheme=scheme.name, form=form, dt=T, steps=steps,
                          seconds=seconds, energies=energies, error_estimate=course.estimate,
                          status=course.ended(energies, elements),
                          forces={name: forces[:, course.stations, i] for i, name in enumerate(LOADS)})


class Course:
    """The arrays of a run and where it stands."""

    def __init__(self, chain, T, scheme, form, elements):
        self.chain, self.T, self.scheme, self.form = chain, T, scheme, form
        self.kinds, self.parts, self.stations = nodes_of(chain, T, elements)
        self.place, self.motions = self._places(chain.loads), chain.motions
        self.codes = self._acted(self.place)
        self.held = kernels.HELD[BASES.index(chain.base)]
        self.done, self.estimate, self.steps, size = 0, None, 1, 2*len(self.kinds)
        for kernel in self._kernels():
            ready(kernel)
        self.scratch = aligned((6, max(size, PAST)))
        self.still = self.parts.copy()
        self.still[kernels.RR:kernels.K] = self.still[kernels.NODE_M:kernels.NODE_K] = 0.0
        self.history, now = np.zeros((PAST, size)), np.zeros(2)
        self.history[:2] = self._straight()
        if chain.held:
            forces = T*T*np.array([[signal.value for _, _, signal in chain.held]])
            rest = np.zeros((1, self.held, kernels.MOVED))
            rest[..., 2] = self.based(now[:1])[..., 0]
            (self.history[0],) = self._at_once(self.still, 1.0, forces, self._places(chain.held), rest.reshape(1, -1),
                                               np.zeros((1, 2, size)))
        self.brought = self._brought()
        self.history[2] = self._at_once(self.parts, 0.0, self._loads(now, 1.0), self.place, self._motion(now, AT_ONCE))

    def _kernels(self):
        """What steps call, to be ready before the clock runs."""
        if self.form == "product":
            return products.prepare, products.advance_product
        return kernels.factor, *(kernels.kernel_for(len(phase.reduced[0])) for phase in self.scheme.phases)

    def _places(self, loads):
        return np.array([2*self.stations[station] + LOADS[kind] for station, kind, _ in loads], np.int64)

    def _acted(self, place):
        """Kinds of parts as steps read them: loads at `place` act besides the springs to the ground."""
        kinds = self.kinds.copy()
        kinds[place//2] |= kernels.ACTED
        return kinds

    def _straight(self):
        """(u, T u') of a chain that lies straight on its base and moves with it at t = 0."""
        found, now = np.zeros((2, len(self.kinds), 2)), self.based(np.zeros(1))[0]
        if self.held > 0:
            found[..., 0] = now[0, :2, None]
        if self.held > 1:
            found[..., 0] += now[1, :2, None]*self.reach
            found[..., 1] = now[1, :2, None]
        return found.reshape(2, -1)

    @property
    def reach(self):
        """m, of every node from the base."""
        return np.cumsum(self.parts[kernels.LENGTH])

    def _at_once(self, parts, b, F, place, motion, states=None):
        """The unknown of balances of forces: T^2 accelerations or, without inertia, rest; of the latest history.

        With states, rows of T^0 u and T u', that of each with its row of loads and of the base's motion.
        """
        data, out = aligned((kernels.DATA*parts.shape[1],)), np.empty((1, 3, self.history.shape[1]))
        self._factor(parts, b, 0.0, data)
        numbers, kinds, found, last = numbers_of(AT_ONCE), self._acted(place), [], len(motion) - 1
        advance = ready(kernels.kernel_for(len(AT_ONCE.reduced[0])))
        for i, state in enumerate([AT_ONCE.reduced[0] @ self.history] if states is None else states):
            at = min(i, last)
            advance(kinds, data, np.array(state), numbers, F[i:i + 1], place, motion[at:at + 1],
                    self.scratch, out, 1, 1, 1)
            found.append(out[0, 2].copy())
        return found[0] if states is None else np.array(found)

    def _sizes(self, place):
        """Of a unit of load at each place: its norm by the inverse of the masses, and by that of the springs."""
        if len(place) == 0:
            return np.zeros((2, 0))
        units, states = np.eye(len(place))*self.T**2, np.zeros((len(place), 2, self.history.shape[1]))
        still, found = np.zeros((1, kernels.MOVED*self.held)), []
        for parts, b in ((self.parts, 0.0), (self.still, 1.0)):
            try:
                order = np.argsort(place)
                moved = np.empty_like(states[:, 0])
                moved[order] = self._at_once(parts, b, units, place[order], still, states)
                found.append(np.sqrt(np.maximum(moved[np.arange(len(units)), place], 0.0)/self.T**(2 - 2*b)))
            except ModelError:
                if b == 0.0:
                    raise
                found.append(np.full(len(units), np.inf))
        return found

    def _brought(self):
        """What loads and a base that moves can bring in; see growth.py."""
        many, parts, T = len(self.place), self.parts, self.T
        on = np.flatnonzero(self.kinds >= kernels.ACTED) if self.motions else np.zeros(0, int)
        pushing, resting = self._sizes(np.concatenate([self.place, np.add.outer(2*on, [0, 1]).ravel()]))
        bounds = [pushing[:many].tolist(), resting[:many].tolist(), [0.0]*many]
        springs, dampers = (parts[row:row + 2, on].T/scale for row, scale in (
            (kernels.NODE_K, T*T), (kernels.NODE_C, T)))
        x, (m, mh, I), (own, _, turning) = self.reach, parts[kernels.RR:kernels.RD], parts[
            kernels.NODE_M:kernels.NODE_K]
        inner = x - parts[kernels.LENGTH]
        whole = (np.sum(m + own), np.sum(m*inner**2 + 2.0*mh*inner + I + own*x*x + turning))
        arms = (np.array([1.0, 0.0]) + 0.0*x[on, None], np.column_stack([x[on], 1.0 + 0.0*x[on]]))
        for arm, size in list(zip(arms, np.sqrt(whole)))[:len(self.motions)]:
            for i, norm in enumerate((pushing, resting)):
                push = norm[many:].reshape(-1, 2)
                bounds[i] += [norm_of(push, springs*arm), norm_of(push, dampers*arm), (size, np.inf)[i]]
            bounds[2] += [float(np.sqrt(np.sum(springs*arm**2))), size, 0.0]
        return Brought(*map(np.array, bounds))

    def _factor(self, parts, b, g, data):
        node = ready(kernels.factor)(self.kinds, parts, b, g, BASES.index(self.chain.base), data)
        if node >= 0:
            raise unmoved(self.chain, self.stations, node, b)

    def go(self, steps, every, out):
        """All steps; samples after `every`, 2 `every`, ... steps, and the last, go to out."""
        row = 0
        for phase in self.scheme.start[:steps]:
            latest = np.empty((1, 3, self.history.shape[1]))
            self.enter(phase)
            self._advance(1, 1, 1, latest)
            self.history = np.vstack([latest[0], self.history[[0, 3, 2]]])
            if self.done % every == 0 or self.done == steps:
                out[row] = latest[0]
                row += 1
        self.enter(self.scheme.main)
        chunk = max(1, AHEAD//max(1, len(self.place)))
        while self.done < steps:
            now, wait = stretch(self.done, steps, every, chunk)
            row += self._advance(now, wait, every, out[row:])

    def enter(self, phase):
        """Make the arrays of a phase from the history."""
        self.phase, self.numbers = phase, numbers_of(phase)
        self.state = np.ascontiguousarray(phase.reduced[0] @ self.history)
        if self.form == "product":
            self.data = aligned((len(self.kinds), products.DATA))
            ready(products.prepare)(self.kinds, self.parts, phase.b, phase.g, self.data)
        else:
            self.data = aligned((kernels.DATA*len(self.kinds),))
            self._factor(self.parts, phase.b, phase.g, self.data)

    def _advance(self, steps, wait, every, out):
        t = self.T*np.arange(self.done, self.done + steps + 1)
        rest = (self.data, self.state, self.numbers, self.tables(t, self.phase.weight), self.place,
                self._motion(t, self.phase), self.scratch, out, steps, wait, every)
        if self.form == "product":
            found = ready(products.advance_product)(BASES.index(self.chain.base), self.kinds, self.parts, *rest)
            self._warn(EPS*self.scratch[0, 0])
        else:
            found = ready(kernels.kernel_for(len(self.state)))(self.codes, *rest)
        self.done += steps
        return found

    def ended(self, energies, elements):
        """The status of the run: digits that are lost come before growth."""
        words = self.steps, self.chain, self.T, self.scheme, elements
        return DIGITS_LOST if self.form == "product" and worthless(self.estimate, *words) else (
            self.brought.status(energies))

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
        true = self.based(t[1:])/self.T**np.arange(3.0) if self.motions else np.empty((len(F), 0))
        self.brought.by(np.hstack([F/self.T**2, true.reshape(len(F), -1)]), self.T)
        return F

    def based(self, t):
        """(times, motions, 3): what the base prescribes, u, T u', T^2 u''."""
        found = np.zeros((len(t), self.held, 3))
        for i, (what, motion) in enumerate(self.motions):
            found[:, i] = np.column_stack([values(part, t, what) for part in motion])
        return found*self.T**np.arange(3.0)

    def _motion(self, t, phase):
        """(p, v, x) of what the base prescribes in steps from each t to the next; one row where nothing moves."""
        if not self.motions:
            return np.zeros((1, kernels.MOVED*self.held))
        u, v, x = np.moveaxis(at_balance(self.based, t, phase.weight), 2, 0)
        return np.stack([u - phase.b*x, v - phase.g*x, x], 2).reshape(len(t) - 1, -1)

    def put_base(self, t, samples):
        """The motion of the base into samples at t, and to where rigid links and hinges take it."""
        if not self.motions:
            return
        samples[..., :self.held] = self.based(t).transpose(0, 2, 1)
        for j, kind in enumerate(self.kinds & kernels.KIND):
            if kind in (kernels.RIGID, kernels.HINGE):
                samples[..., 2*j] = samples[..., 2*j - 2] + self.parts[kernels.LENGTH, j]*samples[..., 2*j - 1]
            if kind == kernels.RIGID:
                samples[..., 2*j + 1] = samples[..., 2*j - 1]

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
        a = self._at_once(parts, 0.0, F, self.place, self._motion(np.append(t[:1], t), AT_ONCE), samples[:, :2])
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


def _symmetric(three):
    return np.array([[three[0], three[1]], [three[1], three[2]]])
