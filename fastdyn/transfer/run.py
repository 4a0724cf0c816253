"""What a transfer chain leaves: times, angles, velocities, accelerations, energies, how it was computed."""

import numpy as np


class TransferRun:
    """A finished run; arrays have one row per stored sample, one column per link.

    Attributes
    ----------
    system : the chain or the arm.
    t : s.
    angles, velocities, accelerations : rad, rad/s, rad/s^2, from the fixed direction.
    energies : name -> J at every sample.
    scheme, form, dt : how it was computed.
    steps, seconds : number of steps; on the clock, kernels ready.
    error_estimate : relative rounding error to expect of plain products; None for the Riccati forms.
    passes : Newton passes in all, of arms.
    """

    def __init__(self, system, t, samples, *, scheme, form, dt, steps, seconds, energies, error_estimate=None,
                 passes=0):
        self.system, self.t = system, t
        self.angles, self.velocities, self.accelerations = samples[:, 0], samples[:, 1], samples[:, 2]
        self.scheme, self.form, self.dt, self.steps, self.seconds = scheme, form, dt, steps, seconds
        self.energies, self.error_estimate, self.passes = energies, error_estimate, passes

    def __repr__(self):
        state = "done" if self.ok else "not finite"
        return f"<TransferRun of {self.system.name}: {len(self.t)} samples, {self.scheme}, {self.form}, {state}>"

    @property
    def ok(self):
        """Whether all numbers are finite."""
        return bool(np.all(np.isfinite(self.angles)))

    @property
    def energy(self):
        """J, all of it."""
        return sum(self.energies.values())
