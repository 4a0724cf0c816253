"""What a run leaves: times, states, events, contacts, energies, how it ended, what it took and what it stands on."""

import os
from datetime import UTC, datetime
from functools import cached_property

import numpy as np

from ..status import OK
from .ledger import defect_of, ledger_of
from .outcome import Outcome
from .tables import CONTACT, ENERGY_COLUMNS, EVENT, TOUCH, with_kinds


class Run(Outcome):
    """A finished or stopped run; arrays have one row per stored sample.

    Attributes
    ----------
    chain : the chain.
    t, q, v : s, coordinates, velocities.
    events : structured array (time, event, direction, point, speed, kind): kind is "touch" or "part" of a contact,
        "falling" or "rising" of a function of the user (direction -1, 1), "rest" where one was brought to rest (2);
        point and speed, m/s, are those of the contact.
    event_names : names of the events by their number.
    status : a number of fastdyn.status; `ok` when the run came to its end, to a terminal event or to rest.
    message : what the status means, where the run stopped, and by which event or link.
    failure : the exception a function of the user raised, or None; `check` raises from it.
    stats : steps, rejected steps, evaluations and what else the stepper counts.
    seconds : on the clock, kernels ready.
    stepper, formulation : their names.
    checkpoint : the state of everything at the end; `simulate(chain, start=run.checkpoint)` goes on from there.
    points, point_velocities, forces : (samples, P, 3) contact points, m, their velocities, m/s, and the force of the
        grounds on them, N, world axes; P = 0 without ground.
    point_names : names of the contact points.
    contacts : structured array, a row per contact: see fastdyn.results.tables.
    touching : structured array, a row per accepted step and touching point.
    ledger : structured array, a row per sample: energies, and work done on the chain since the start, J.
    settings : of the stepper, by name.
    provenance : what computed it: versions, processor, date, hashes; by name.
    notes : sentences about what to read it with: contacts that rest; what a file it was read from could not keep.
    acting : numbers of the events of the user that have actions; None where nobody knows, as of files.
    file : path of the file it was written to last, by `store` or `save`; None if to none.
    """

    kind = "chain"

    def __init__(self, chain, t, q, v, *, events=None, event_names=(), status=OK, failure=None, where="", stats=None,
                 seconds=0.0, stepper="", formulation="", checkpoint=None, points=None, point_velocities=None,
                 forces=None, point_names=(), contacts=None, touching=None, ledger=None, settings=None,
                 provenance=None, notes=(), acting=None):
        self.chain, self.t, self.q, self.v = chain, t, q, v
        self.events = with_kinds(np.empty(0, EVENT) if events is None else events)
        self.event_names, self.status, self.failure, self.where = tuple(event_names), status, failure, where
        self.stats = {"steps": 0, "evaluations": 0} | (stats or {})
        self.seconds, self.stepper, self.formulation, self.checkpoint = seconds, stepper, formulation, checkpoint
        self.point_names, self.settings, self.notes = tuple(point_names), dict(settings or {}), tuple(notes)
        self.acting = acting
        nowhere = np.full((len(t), len(self.point_names), 3), np.nan) if points is None else points
        self.points, self.point_velocities, self.forces = (
            nowhere if given is None else given for given in (points, point_velocities, forces))
        self.contacts = np.empty(0, CONTACT) if contacts is None else contacts
        self.touching = np.empty(0, TOUCH) if touching is None else touching
        if ledger is not None:
            self.ledger = ledger
        if provenance is not None:
            self.provenance = provenance
        self._made = datetime.now(UTC)

    def __repr__(self):
        return f"<Run of {self.chain.name or 'a chain'}: {len(self.t)} samples, {self.message}>"

    @cached_property
    def provenance(self):
        """What computed it: versions, processor, date, hashes; by name."""
        from .provenance import provenance

        return provenance(self.chain, self._made)

    def cite(self):
        """The papers this run stands on, as text: formulation, stepper, laws of the grounds, modes of the links."""
        from .cite import cite

        return cite(self)

    def at(self, t):
        """(q, v) at any time of the run, s, or rows of them at several.

        At a time of a sample they are that sample, the one after the event where there are two. Between samples the
        motion is done again from the sample before, with the run's stepper and settings: as exact as the run, but the
        steps are others, and so are the last digits. Up to the second sample they are those of simulate(times=[t]), if
        no event was in between. What cannot be done again is refused: behind an action of an event up to the next
        sample (in a run that was opened from a file, behind any event of the user), or without the drive of the chain.
        """
        from ..run.between import states_at

        return states_at(self, t)

    def save(self, path):
        """Write all of it to an HDF5 file, whole or not at all; `fastdyn.open` gives it back, every bit of it."""
        from .file import save

        save(self, path)
        self.file = os.path.realpath(path)

    @cached_property
    def ledger(self):
        """Energies, and work done on the chain since the start, J, at every sample."""
        return ledger_of(self.chain, self.q, self.v, known=not not_conserved_by(self.chain))

    @cached_property
    def _energies(self):
        return self.ledger["kinetic"], sum(self.ledger[name] for name in ENERGY_COLUMNS if name != "kinetic")

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

    @property
    def energy_defect(self):
        """What is in the chain less what came in, J, at every sample: zero but for errors; nan where nobody counted."""
        return defect_of(self.ledger)

    @property
    def energy_error(self):
        """The defect in per cent of the energy at the start, or of what was kinetic at most if that is more."""
        return 100.0*self.energy_defect/max(abs(float(self.energy[0])), self.energy_scale)


def not_conserved_by(chain):
    """The first thing that feeds or drains the energy, in words; "" when the energy has to stay what it is."""
    if chain.drive is not None:
        return "the chain has a drive"
    if chain.grounds:
        return "the chain has ground[0]"
    for link in chain.links:
        for field in ("damping", "limit_damping"):
            if any(link.joint.per_velocity(field)):
                return f'link "{link.name}" has joint.{field}'
        if getattr(link.joint, "drive", ()):
            return f'link "{link.name}" has joint.drive'
        if link.elastic is not None and (link.elastic.beam.K_v or link.elastic.beam.gamma):
            return f'link "{link.name}" has elastic.beam.{"K_v" if link.elastic.beam.K_v else "gamma"}'
        if link.loads:
            return f'link "{link.name}" has loads'
    for k, closure in enumerate(chain.closures):
        if closure.damping:
            return f"closure[{k}] has damping"
    return ""
