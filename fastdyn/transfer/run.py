"""What a transfer chain leaves: times, angles, velocities, accelerations, energies, how it was computed."""

from typing import ClassVar

import numpy as np

from ..results.packed import Leaving
from ..status import DIGITS_LOST, GROWN, NOT_FINITE, OK

LOSS = 1e-10                    # relative error of plain products after all steps from which on nothing is believed


class PrecisionWarning(UserWarning):
    """Plain products of transfer matrices lose their digits here."""


class StabilityWarning(UserWarning):
    """The scheme makes motions grow with this step."""


def link_names(run):
    """Names of the columns of a run: an arm starts with its hub, a bending chain with the station of its base."""
    count = run.angles.shape[1]
    if bends(run):
        return [f"station{j}" for j in range(count)]
    return ["hub", *(f"link{j}" for j in range(1, count))] if is_arm(run) else [
        f"link{j}" for j in range(1, count + 1)]


def bends(run):
    """Whether it is a chain that bends across its length."""
    return isinstance(run, BendingRun)


def is_arm(run):
    """Whether it is an arm that moved."""
    return hasattr(run.system, "tip")


class TransferRun(Leaving):
    """A finished run; arrays have one row per stored sample, one column per link.

    Attributes
    ----------
    system : the chain or the arm.
    t : s.
    angles, velocities, accelerations : rad, rad/s, rad/s^2, from the fixed direction.
    energies : name -> J at every sample.
    forces : name -> N or N m at every sample, a column a link: what the outer part exerts on the inner one. "torque" in
        the joint that carries the link; of arms "force x", "force y", "moment" at the link's inner end, the hub first.
    scheme, form, dt : how it was computed.
    steps, seconds : number of steps; on the clock, kernels ready.
    error_estimate : relative rounding error to expect of plain products; None for the Riccati forms.
    passes : Newton passes in all, of arms.
    status : a number of fastdyn.status; `message` says what it means.
    notes : sentences about what a file the run was read from could not keep.

    `save`, `cite`, `provenance`, `check` as of every run.
    """

    kind = "transfer"
    series: ClassVar = {                                    # name -> unit, meaning of what has a column a link
        "angles": ("rad", "of every link from the fixed direction, in the order of link_names"),
        "velocities": ("rad/s", "their rates"),
        "accelerations": ("rad/s^2", "of the balance of forces of each step, see scheme"),
    }

    def __init__(self, system, t, samples, *, scheme, form, dt, steps, seconds, energies, forces,
                 error_estimate=None, passes=0, status=OK):
        self.system, self.t = system, t
        self.angles, self.velocities, self.accelerations = samples[:, 0], samples[:, 1], samples[:, 2]
        self.scheme, self.form, self.dt, self.steps, self.seconds = scheme, form, dt, steps, seconds
        self.energies, self.forces, self.error_estimate, self.passes = energies, forces, error_estimate, passes
        finite = all(np.all(np.isfinite(found)) for found in (self.angles, *energies.values()))
        self.status = NOT_FINITE if status == OK and not finite else status
        if self.status in (GROWN, NOT_FINITE) and form == "product" and (error_estimate or 0.0)*steps > LOSS:
            self.status = DIGITS_LOST

    def __repr__(self):
        return f"<TransferRun of {self.system.name}: {len(self.t)} samples, {self.scheme}, {self.form}, {self.message}>"

    @property
    def motor_torque(self):
        """N m on what the base carries at every sample: an arm's hub, links 1 of a torsion chain, a bending chain."""
        if "moment" in self.forces:
            return -self.forces["moment"][:, 0]
        return -self.forces["torque"] @ (np.array(self.system.parents) == 0)

    @property
    def energy(self):
        """J, all of it."""
        return sum(self.energies.values())


class BendingRun(TransferRun):
    """A run of a bending chain: a column a station; angles are slopes.

    Attributes
    ----------
    deflections, deflection_rates, deflection_accelerations : m, m/s, m/s^2; all others as in TransferRun.
    forces : "force" across, N, and "moment", N m, just inside of every station, loads and masses there included; at
        station 0 what the chain exerts on its base.
    """

    series: ClassVar = TransferRun.series | {
        "angles": ("rad", "slope at every station, the base first"),
        "deflections": ("m", "of every station"),
        "deflection_rates": ("m/s", "their rates"),
        "deflection_accelerations": ("m/s^2", "of the balance of forces of each step, see scheme"),
    }

    def __init__(self, system, t, samples, deflections, **words):
        super().__init__(system, t, samples, **words)
        self.deflections, self.deflection_rates, self.deflection_accelerations = (deflections[:, i] for i in range(3))
