"""A run of an arm: tables of motor and loads, first accelerations, steps, samples."""

import time

import numpy as np

from .._jit import ready
from ..describe.check import whole
from ..layout import aligned
from ..status import NEWTON_FAILED, NOT_FINITE, OK
from . import arm_steps as kernels
from .motions import values, weighted
from .run import TransferRun
from .schemes import PAST, TH, A, Phase, V, newmark, scheme_of
from .stepping import numbers_of, steps_of

CONVERGED = 1e-14                                           # rad, of the change of an angle in a Newton pass
MOST_PASSES = 25
AHEAD = 1 << 14                                             # steps whose tables are computed ahead
AT_ONCE = Phase(TH, V, 0.0, 0.0, np.array([TH, V, 0.0*A]), np.array([0.0, 0.0, 1.0]))   # no step, accelerations only


def simulate(arm, t_end, dt, scheme, passes, every):
    """See BeamArm.simulate."""
    steps, T = steps_of(t_end, dt)
    scheme = scheme_of(scheme)
    every = whole(every, "every", "steps")
    passes = passes if passes is None else whole(passes, "passes")
    course = Course(arm, T, scheme, passes)
    samples = np.full((steps//every + 1, 3, arm.n + 1), np.nan)
    samples[0] = course.history[:3]
    started = time.perf_counter()
    course.go(steps, every, samples[1:])
    seconds = time.perf_counter() - started
    samples /= T**np.arange(3.0)[:, None]
    t = T*(every*np.arange(len(samples)))
    turns = np.column_stack([values(part, t, "rotation") for part in arm.rotation])
    if arm.driven:
        samples[:, :, 0] = turns
    return TransferRun(arm, t, samples, scheme=scheme.name, form="riccati", dt=T, steps=steps, seconds=seconds,
                       energies=arm.energies(samples[:, 0], samples[:, 1], turns[:, 0]), passes=int(course.passes),
                       status=course.status)


def accelerations(arm, t, angles, rates):
    """Of the hub and the links, rad/s^2, for given angles and rates at time t, loads and motor as they are then."""
    course = Course(arm, 1.0, newmark(), None, history=False)
    return course.accelerations(t, np.asarray(angles, float), np.asarray(rates, float))


class Course:
    """The arrays of a run and where it stands."""

    def __init__(self, arm, T, scheme, passes, history=True):
        self.arm, self.T, self.scheme, self.passes_asked = arm, T, scheme, passes
        self.done, self.passes, self.status = 0, 0, OK
        self.links = aligned((kernels.LINK, arm.n + 1))
        self.links[:] = arm.links
        self.scratch = aligned((kernels.SCRATCH, max(arm.n + 2, PAST)))
        if history:
            self.history = np.zeros((PAST, arm.n + 1))
            self.history[0], self.history[1] = arm.angles, T*np.array(arm.rates)
            first = self.accelerations(0.0, self.history[0], np.array(arm.rates))
            self.history[2] = T*T*first
            self.scratch[kernels.STAR, :arm.n + 1] = first

    def accelerations(self, t, angles, rates):
        state, out = np.array([angles, rates]), np.empty((1, 3, self.arm.n + 1))
        table = self._tables(np.array([t, t]), 1.0)
        self._kernel(state, AT_ONCE, 1.0, table, out, 1, 1, 1, 1)
        found = out[0, 2]
        if self.arm.driven:
            found[0] = table[0, kernels.A0]
        return found

    def go(self, steps, every, out):
        """All steps, or up to where a number is not finite; samples after `every`, 2 `every`, ... steps go to out."""
        row = 0
        for phase in self.scheme.start[:steps]:
            latest = np.empty((1, 3, self.arm.n + 1))
            self._advance(phase, phase.reduced[0] @ self.history, 1, 1, 1, latest)
            if self.status == NOT_FINITE:
                return
            self.history = np.vstack([latest[0], self.history[[0, 3, 2]]])
            if self.done % every == 0:
                out[row] = latest[0]
                row += 1
        phase = self.scheme.main
        state = phase.reduced[0] @ self.history
        while self.done < steps and self.status != NOT_FINITE:
            wait = every - self.done % every
            row += self._advance(phase, state, min(AHEAD, steps - self.done), wait, every, out[row:])

    def _advance(self, phase, state, steps, wait, every, out):
        t = self.T*np.arange(self.done, self.done + steps + 1)
        table = self._tables(t, phase.weight)
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
        arm, counts = self.arm, np.zeros(kernels.COUNTS, np.int64)
        settings = np.array([phase.b*T*T, phase.g*T, T, *arm.gravity, 1.0 if arm.driven else 0.0, CONVERGED])
        state = np.ascontiguousarray(state)
        ready(kernels.advance_arm)(state, self.links, numbers_of(phase), table, settings, self.scratch, out, counts,
                                   steps, wait, every, passes)
        return counts

    def _tables(self, t, weight):
        arm = self.arm
        table = np.empty((len(t) - 1, kernels.TABLE))
        signals = [(arm.rotation.angle, "rotation"), (arm.rotation.rate, "rotation"),
                   (arm.rotation.acceleration, "rotation"), (arm.torque, "torque"), (arm.tip_force[0], "tip_force[0]"),
                   (arm.tip_force[1], "tip_force[1]"), (arm.tip_moment, "tip_moment")]
        for column, (signal, what) in enumerate(signals):
            found = np.zeros(len(t)) if signal is None else values(signal, t, what)
            table[:, column] = weighted(found, weight)
        return table
