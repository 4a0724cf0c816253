"""A run of an arm: tables of motor and loads, first accelerations, steps, samples."""

import time
from functools import partial

import numpy as np

from .._jit import ready
from ..describe.check import whole
from ..layout import aligned
from ..status import NEWTON_FAILED, NOT_FINITE, OK
from . import arm_steps as kernels
from .audit import LOOKED_AT, check_inertia, warn_beforehand
from .growth import OfArm
from .motions import STILL, at_balance, check_rates, values, weighted
from .run import TransferRun
from .schemes import PAST, scheme_of
from .stepping import asked_every, kept, numbers_of, room_for, steps_of, stretch

CONVERGED = 1e-14                                           # rad, of the change of an angle in a Newton pass
MOST_PASSES = 25
AHEAD = 1 << 14                                             # steps whose tables are computed ahead
FORCES = {"force x": kernels.FORCE_X, "force y": kernels.FORCE_Y, "moment": kernels.TORQUE_IN}


def simulate(arm, t_end, dt, scheme, passes, every):
    """See Arm.simulate."""
    steps, T = steps_of(t_end, dt)
    scheme, every = scheme_of(scheme), asked_every(every, steps)
    passes = passes if passes is None else whole(passes, "passes")
    check_rates(arm.rotation, t_end, T, "rotation")
    with np.errstate(all="ignore"):                                     # the status tells of numbers that are none
        course = Course(arm, T, scheme, passes)
        at = kept(steps, every)
        samples = room_for((len(at), 3, arm.n + 1))
        samples[0], samples[1:] = course.history[:3], np.nan
        if arm.size() <= LOOKED_AT:
            check_inertia(arm, arm.matrices()[0])
        warn_beforehand(arm, T, scheme, steps)
        started = time.perf_counter()
        course.go(steps, every, samples[1:])
        seconds = time.perf_counter() - started
        samples /= T**np.arange(3.0)[:, None]
        t = T*at
        turns = np.column_stack([values(part, t, "rotation") for part in arm.rotation])
        if arm.driven:
            samples[:, :, 0] = turns
        found = course.balance(t, samples[:, 0], samples[:, 1])
        energies = arm.energies(samples[:, 0], samples[:, 1], turns[:, 0])
        return TransferRun(arm, t, samples, scheme=scheme.name, form="riccati", dt=T, steps=steps, seconds=seconds,
                           energies=energies, forces={name: found[:, row] for name, row in FORCES.items()},
                           passes=int(course.passes), status=course.ended(energies))


def accelerations(arm, t, angles, rates):
    """Of the hub and the links, rad/s^2, for given angles and rates at time t, loads and motor as they are then."""
    return balance(arm, np.array([t]), np.array([angles], float), np.array([rates], float))[0, kernels.ACC]


def balance(arm, t, angles, rates):
    """(samples, 4, links): accelerations, and force in x, in y, and moment on the inner part at each inner end."""
    course = Course(arm, 1.0, None, None)
    return course.balance(t, angles, rates)


class Course:
    """The arrays of a run and where it stands; without a scheme it answers for single times."""

    def __init__(self, arm, T, scheme, passes):
        self.arm, self.T, self.scheme, self.passes_asked = arm, T, scheme, passes
        self.done, self.passes, self.status = 0, 0, OK
        self.station = np.array([station for station, *_ in arm.acting], np.int64)
        self.links = aligned((kernels.LINK, arm.n + 1))
        self.links[:] = arm.links
        self.scratch = aligned((kernels.SCRATCH, max(arm.n + 2, PAST)))
        if scheme is not None:
            ready(kernels.advance_arm)
            self.history = np.zeros((PAST, arm.n + 1))
            self.history[0], self.history[1] = arm.angles, T*np.array(arm.rates)
            first = self.balance(np.zeros(1), self.history[:1], np.array([arm.rates]))[0, kernels.ACC]
            self.history[2] = T*T*first
            self.scratch[kernels.STAR, :arm.n + 1] = first
            self.brought = OfArm(arm)

    def balance(self, t, angles, rates):
        """See the function; the forces of the last step stay as they are."""
        n = self.arm.n + 1
        table, out = self._tables(np.append(t, t[-1:]), 0.0), np.empty((len(t), kernels.FOUND, n))
        room, settings = np.zeros((2, n)), self._settings(0.0, 0.0, 1.0)
        ready(kernels.balance)(np.ascontiguousarray(angles), np.ascontiguousarray(rates), room, self.links, table,
                               self.station, settings, np.zeros_like(self.scratch), out)
        return out

    def ended(self, energies):
        """The status of the run: numbers that are not finite come before growth, growth before a loose step."""
        return self.status if self.status == NOT_FINITE else self.brought.status(energies) or self.status

    def _settings(self, Bt, Gt, T):
        return np.array([Bt, Gt, T, *self.arm.gravity, 1.0 if self.arm.driven else 0.0, CONVERGED])

    def go(self, steps, every, out):
        """All steps, or up to where a number is not finite; samples after `every`, 2 `every`, ..., the last to out."""
        row = 0
        for phase in self.scheme.start[:steps]:
            latest = np.empty((1, 3, self.arm.n + 1))
            self._advance(phase, phase.reduced[0] @ self.history, 1, 1, 1, latest)
            if self.status == NOT_FINITE:
                return
            self.history = np.vstack([latest[0], self.history[[0, 3, 2]]])
            if self.done % every == 0 or self.done == steps:
                out[row] = latest[0]
                row += 1
        phase = self.scheme.main
        state = phase.reduced[0] @ self.history
        while self.done < steps and self.status != NOT_FINITE:
            now, wait = stretch(self.done, steps, every, AHEAD)
            row += self._advance(phase, state, now, wait, every, out[row:])

    def _advance(self, phase, state, steps, wait, every, out):
        t = self.T*np.arange(self.done, self.done + steps + 1)
        table = self._tables(t, phase.weight)
        self.brought.by(table, self.T)
        passes = MOST_PASSES if self.passes_asked is None else self.passes_asked
        counts = self._kernel(state, phase, self.T, table, out, steps, wait, every, passes)
        self.done += steps
        self.passes += counts[kernels.PASSES]
        if counts[kernels.STATUS] != OK:
            self.status = int(counts[kernels.STATUS])
        elif counts[kernels.LOOSE] and self.passes_asked is None:
            self.status = NEWTON_FAILED
        return counts[kernels.ROWS]

    def _kernel(self, state, phase, T, table, out, steps, wait, every, passes):
        counts = np.zeros(kernels.COUNTS, np.int64)
        ready(kernels.advance_arm)(np.ascontiguousarray(state), self.links, numbers_of(phase), table, self.station,
                                   self._settings(phase.b*T*T, phase.g*T, T), self.scratch, out, counts, steps, wait,
                                   every, passes)
        return counts

    def _tables(self, t, weight):
        arm = self.arm
        signals = [(STILL if arm.torque is None else arm.torque, "torque")]
        signals += [(signal, f"loads[{station}][{i}]") for station, *row in arm.acting for i, signal in enumerate(row)]
        turns = [at_balance(partial(values, part, what="rotation"), t, weight) for part in arm.rotation]
        return np.column_stack(turns + [weighted(values(signal, t, what), weight) for signal, what in signals])
