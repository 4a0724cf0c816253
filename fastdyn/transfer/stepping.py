"""A run of a torsion chain: tables of loads, steps of the start, steps of the scheme, samples."""

import time
import warnings

import numpy as np

from .._jit import ready
from ..describe.check import positive, shown, whole
from ..layout import aligned
from ..status import DIGITS_LOST, ModelError
from . import riccati
from .audit import warn_beforehand, worthless
from .displacement import advance_displacement
from .growth import of_torsion
from .motions import check_rates, values, weighted
from .product import advance_product, error_estimate
from .riccati import DATA, C, K
from .run import LOSS, PrecisionWarning, TransferRun
from .schemes import PAST, scheme_of

FORMS = ("riccati", "product", "displacement")
MOST_STEPS = 1e15                                           # counted without rounding, and more than anybody waits for
AHEAD = 1 << 20                                             # numbers of loads that are computed ahead


def steps_of(t_end, dt):
    """How many steps dt there are up to t_end; refused unless they fit."""
    t_end, dt = positive(t_end, "t_end", "s"), positive(dt, "dt", "s")
    if not t_end/dt < MOST_STEPS:
        raise ModelError(f"t_end {shown(t_end)} s are {t_end/dt:.3g} steps dt of {shown(dt)} s; take a larger dt")
    steps = round(t_end/dt)
    if steps < 1 or abs(steps*dt - t_end) > 1e-9*t_end:
        near = t_end/max(1, steps)
        raise ModelError(f"t_end {shown(t_end)} s is not a whole number of steps dt {shown(dt)} s; take dt={near!r}")
    return steps, t_end/steps


def asked_every(every, steps):
    """After how many of the steps a sample is kept, checked."""
    return min(whole(every, "every", "steps"), steps)


def kept(steps, every):
    """The steps after which a sample is kept: none, every so many, the last."""
    try:
        at = np.arange(0, steps + 1, every)
    except (MemoryError, ValueError):
        raise too_many(f"{steps//every + 1} samples") from None
    return at if at[-1] == steps else np.append(at, steps)


def stretch(done, steps, every, most):
    """(how many steps, `most` at most, to go at once, after how many of them a sample is kept first)"""
    even = steps - steps % every
    return min(most, (even if done < even else steps) - done), min(every - done % every, steps - done)


def room_for(shape):
    """An array for samples, or a refusal of one that is too large."""
    try:
        return np.empty(shape)
    except (MemoryError, ValueError):
        raise too_many(f"{shape[0]} samples of {shape[-1]} columns") from None


def too_many(samples):
    return ModelError(f"{samples} are more than the memory holds; raise every, so that fewer are kept")


def numbers_of(phase):
    """A phase as kernels read it: rows of (A, B), of (outputs, drop), and (b, g)."""
    W, A, B, O = phase.reduced
    m = len(W)
    numbers = np.zeros((m + 4, m + 1))
    numbers[:m, :m], numbers[:m, m] = A, B
    numbers[m:-1, :m], numbers[m:-1, m] = O, phase.drop
    numbers[-1, :2] = phase.b, phase.g
    return numbers


def simulate(chain, t_end, dt, scheme="newmark", form="riccati", every=1):
    """See TorsionChain.simulate."""
    steps, T = steps_of(t_end, dt)
    scheme = scheme_of(scheme)
    if form not in FORMS:
        raise ModelError(f"form is {shown(form)}; known are " + ", ".join(FORMS))
    every = asked_every(every, steps)
    check_rates(chain.base, t_end, T, "base")
    with np.errstate(all="ignore"):                                     # the status tells of numbers that are none
        course = Course(chain, T, scheme, form)
        course.steps = steps
        at = kept(steps, every)
        samples = room_for((len(at), 3, chain.n))
        samples[0] = course.history[:3, 1:]
        warn_beforehand(chain, T, scheme, steps)
        started = time.perf_counter()
        course.go(steps, every, samples[1:])
        seconds = time.perf_counter() - started
        return left(course, samples, at, steps=steps, seconds=seconds)


def left(course, samples, at, **words):
    """The run of a course that has gone its way, samples after `at` steps: in s, energies, torques, how it ended."""
    chain, T = course.chain, course.T
    samples /= T**np.arange(3.0)[:, None]
    t = T*at
    base = values(chain.base.angle, t, "base"), values(chain.base.rate, t, "base")
    energies = chain.energies(samples[:, 0], samples[:, 1], base[0])
    return TransferRun(chain, t, samples, scheme=course.scheme.name, form=course.form, dt=T, energies=energies,
                       forces={"torque": chain.torques(samples[:, 0], samples[:, 1], *base)},
                       error_estimate=course.estimate, status=course.ended(energies), **words)


class Course:
    """The arrays of a run and where it stands."""

    def __init__(self, chain, T, scheme, form):
        n = chain.n
        self.chain, self.T, self.scheme, self.form, self.done, self.estimate = chain, T, scheme, form, 0, None
        self.parent = np.array((0, *chain.parents), np.int64)
        self.inertia = np.array((0.0, *chain.inertia))
        self.station = np.array([link for link, _ in chain.loads], np.int64)
        if form != "riccati":
            self._refuse()
        self.kernels = {phase: ready(self._kernel_of(phase)) for phase in scheme.phases}
        ready(riccati.factor)
        self.history = np.zeros((PAST, n + 1))
        self.history[0, 1:], self.history[1, 1:] = chain.angles, T*np.array(chain.rates)
        self.history[2] = T*T*self._first_acceleration()
        self.brought, self.steps = of_torsion(chain), 1
        self.scratch = aligned((4 if form == "riccati" else 7, max(n + 1, PAST)))

    def _refuse(self):
        if self.chain.branched:
            raise ModelError(f'form "{self.form}" knows chains only, and this is a tree; take form="riccati"')
        if any(phase.b == 0.0 for phase in self.scheme.phases):
            raise ModelError(f'form "{self.form}" divides by the scheme\'s beta, which is 0 in {self.scheme.name}; '
                             'take form="riccati"')
        if self.form == "product" and any(k + c == 0.0 for k, c in zip(self.chain.stiffness, self.chain.damping)):
            raise ModelError('form "product" divides by stiffness and damping, and a joint has neither; take '
                             'form="riccati"')

    def _first_acceleration(self):
        """Where springs, dampers and loads at t = 0 push; the base counts as it is."""
        chain, inner = self.chain, self.parent[1:]
        th, rate, t = self.history[0].copy(), self.history[1]/self.T, np.zeros(1)
        th[0], rate[0] = values(chain.base.angle, t, "base")[0], values(chain.base.rate, t, "base")[0]
        tau = np.array(chain.stiffness)*(th[1:] - th[inner]) + np.array(chain.damping)*(rate[1:] - rate[inner])
        push = np.zeros(chain.n + 1)
        push[1:] -= tau
        np.add.at(push, inner, tau)
        for link, signal in chain.loads:
            push[link] += values(signal, t, f"loads[{link}]")[0]
        return np.concatenate([[0.0], push[1:]/self.inertia[1:]])

    # ------------------------------------------------------------------------------------------------------ stepping

    def go(self, steps, every, out):
        """All steps; samples after `every`, 2 `every`, ... steps, and the last, go to out."""
        row = 0
        for phase in self.scheme.start[:steps]:
            latest = np.empty((1, 3, self.chain.n))
            self.enter(phase)
            self._advance(1, 1, 1, latest)
            self.history = np.vstack([np.pad(latest[0], ((0, 0), (1, 0))), self.history[[0, 3, 2]]])
            if self.done % every == 0 or self.done == steps:
                out[row] = latest[0]
                row += 1
        if self.done == steps:
            return
        self.enter(self.scheme.main)
        chunk = max(1, AHEAD//max(1, len(self.station)))
        while self.done < steps:
            now, wait = stretch(self.done, steps, every, chunk)
            row += self._advance(now, wait, every, out[row:])

    def enter(self, phase):
        """Make the arrays of a phase from the history."""
        W = phase.reduced[0]
        n, T = self.chain.n, self.T
        self.phase, self.state = phase, aligned((len(W), n + 1))
        self.state[:] = W @ self.history
        self.data = aligned((DATA, n + 1))
        self.data[K, 1:], self.data[C, 1:] = T*T*np.array(self.chain.stiffness), T*np.array(self.chain.damping)
        self.numbers = numbers_of(phase)
        if self.form != "riccati":
            self.scratch[0, :n + 1] = self.inertia
        if self.form == "product":
            self._warn(error_estimate(self.inertia, self.data, phase.b, phase.g))
        elif self.form == "riccati":
            link = ready(riccati.factor)(self.parent, self.inertia, phase.b, phase.g, self.data)
            if link:
                raise ModelError(f"link {link}: its inertia, stiffness and damping give no pivot; make them finite")

    def ended(self, energies):
        """The status of the run: digits that are lost come before growth."""
        lost = self.form == "product" and worthless(self.estimate, self.steps, self.chain, self.T, self.scheme)
        return DIGITS_LOST if lost else self.brought.status(energies)

    def _warn(self, estimate):
        if estimate*self.steps > LOSS and not (self.estimate or 0.0)*self.steps > LOSS:
            digits = -np.log10(estimate*self.steps)
            left = "no digit is left" if estimate >= 1.0 else "perhaps none is left at the end" if digits < 0.5 else (
                f"about {digits:.0f} digits are left at the end")
            warnings.warn(f"{self.chain.name}: plain products of {self.chain.n} transfer matrices with dt = "
                          f"{self.T:.3g} s have a relative error of {estimate:.1e} in every step, and it feeds back "
                          f'in {self.steps} steps ({left}): do not use this result; form="riccati" keeps all digits',
                          PrecisionWarning, stacklevel=6)
        self.estimate = max(estimate, self.estimate or 0.0)

    def _advance(self, steps, wait, every, out):
        t = self.T*np.arange(self.done, self.done + steps + 1)
        F, base = self.tables(t)
        rest = (self.state, self.data, self.numbers, F, self.station, base, self.scratch, out, steps, wait, every)
        kernel = self.kernels[self.phase]
        found = kernel(self.parent, *rest) if kernel is riccati.advance_tree else kernel(*rest)
        self.done += steps
        return found

    def _kernel_of(self, phase):
        if self.form != "riccati":
            return advance_product if self.form == "product" else advance_displacement
        many = len(phase.reduced[0])
        if self.chain.branched or many > 3:
            return riccati.advance_tree
        return riccati.advance2 if many == 2 else riccati.advance3

    def tables(self, t):
        """T^2 times the loads, and the base's (angle, T rate), as the balance of forces of each step sees them."""
        weight, chain = self.phase.weight, self.chain
        F = np.empty((len(t) - 1, len(chain.loads)))
        for column, (link, signal) in enumerate(chain.loads):
            F[:, column] = self.T*self.T*weighted(values(signal, t, f"loads[{link}]"), weight)
        base = np.column_stack([weighted(values(part, t, "base"), weight) for part in chain.base[:2]])
        self.brought.by(np.hstack([F/(self.T*self.T), base]), self.T)
        base[:, 1] *= self.T
        return F, base
