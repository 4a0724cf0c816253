"""What a run leaves: times, states, events, energies, how it ended and what it took."""

from functools import cached_property

import numpy as np

from ..run.places import energies
from ..status import OK, SENTENCE, STOPPED, SimulationError

EVENT = np.dtype([("time", np.float64), ("event", np.int64), ("direction", np.int64)])


class Run:
    """A finished or stopped run; arrays have one row per stored sample.

    Attributes
    ----------
    chain : the chain.
    t, q, v : s, coordinates, velocities.
    events : structured array (time, event, direction), direction -1 falling, 1 rising, 2 brought to rest.
    event_names : names of the events by their number.
    status : a number of fastdyn.status; `ok` when the run came to its end or to a terminal event.
    message : what the status means, and where the run stopped.
    stats : steps, rejected steps, evaluations and what else the stepper counts.
    seconds : on the clock, kernels ready.
    stepper, formulation : their names.
    checkpoint : the state of everything at the end; `simulate(chain, start=run.checkpoint)` goes on from there.
    """

    def __init__(self, chain, t, q, v, *, events=None, event_names=(), status=OK, failure=None, where="", stats=None,
                 seconds=0.0, stepper="", formulation="", checkpoint=None):
        self.chain, self.t, self.q, self.v = chain, t, q, v
        self.events = np.empty(0, EVENT) if events is None else events
        self.event_names, self.status, self.failure, self.where = tuple(event_names), status, failure, where
        self.stats = {"steps": 0, "evaluations": 0} | (stats or {})
        self.seconds, self.stepper, self.formulation, self.checkpoint = seconds, stepper, formulation, checkpoint

    def __repr__(self):
        return f"<Run of {self.chain.name or 'a chain'}: {len(self.t)} samples, {self.message}>"

    @property
    def ok(self):
        return self.status in (OK, STOPPED)

    @property
    def message(self):
        """What the status means, and where the run stopped."""
        if self.status == OK:
            return SENTENCE[OK]
        return f"{self._place}: {SENTENCE[self.status]}" + (f" ({self.failure!r})" if self.failure else "")

    @property
    def _place(self):
        return ", ".join(filter(None, (self.where, f"t = {self.t[-1]:.9g} s")))

    def check(self):
        """This run, or what stopped it as an exception."""
        if not self.ok:
            raise SimulationError(self.status, self._place) from self.failure
        return self

    @cached_property
    def _energies(self):
        return energies(self.chain, self.q, self.v)

    @property
    def kinetic(self):
        """J, at every sample."""
        return self._energies[0]

    @property
    def potential(self):
        """J, of weight, springs and limits, at every sample."""
        return self._energies[1]

    @property
    def energy(self):
        return self.kinetic + self.potential

    @property
    def energy_scale(self):
        """What a change of the energy is compared with: the most that was kinetic at any time, J."""
        return float(np.max(self.kinetic)) or float(np.ptp(self.potential)) or 1.0

    @property
    def energy_change(self):
        """The energy's change since the start, relative to its scale, at every sample."""
        return (self.energy - self.energy[0])/self.energy_scale


def not_conserved_by(chain):
    """The first thing that feeds or drains the energy, in words; "" when the energy has to stay what it is."""
    if chain.drive is not None:
        return "the chain has a drive"
    for link in chain.links:
        for field in ("damping", "limit_damping"):
            if any(link.joint.per_velocity(field)):
                return f'link "{link.name}" has joint.{field}'
        if getattr(link.joint, "drive", ()):
            return f'link "{link.name}" has joint.drive'
        if link.loads:
            return f'link "{link.name}" has loads'
    return ""
