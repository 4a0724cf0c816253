"""Spatial arms as a kind of system: their names in the catalog, and what command, run files and pictures ask."""

import math
from functools import partial
from typing import ClassVar

import numpy as np

from ..describe.check import shown
from ..kinds import Kind, Named
from .catalog import CATALOG
from .files import KIND as WORD
from .files import arm_from, text_of



def run_arm(system, t_end: float = 2.0, samples: int = 601, stepper: str = "dop853", formulation: str = "recursive",
            rtol: float = 1e-9, atol: float = 1e-11, h_min: float = 0.0, h_max: float = math.inf,
            policy: str = "none", every: bool = False, max_seconds: float = math.inf, progress=None):
    """An arm from its start; samples equally spaced, and every step in which something touches."""
    steps = {"h_min": h_min} if h_min else {}
    steps |= {"h_max": h_max} if h_max < math.inf else {}
    return system.simulate(t_end, samples=samples, method=stepper, formulation=formulation, rtol=rtol, atol=atol,
                           policy=policy, every=every, fine=True, max_seconds=max_seconds, progress=progress, **steps)


ENDS = {"canadarm2": 0.66, "spin-up": 20.0, "flexible-arm": 2.0}


class Arms(Kind):
    """Arms of fastdyn.arms."""

    name = "arms"
    catalog: ClassVar = {name: Named(make, partial(run_arm, t_end=ENDS[name])) for name, make in CATALOG.items()}
    models: ClassVar = {WORD: arm_from}
    plays = True

    def make(self, name, settings):
        return super().make(name, settings) if name in self.catalog else self._read(name, settings)[0]

    def find(self, name, settings):
        return super().find(name, settings) if name in self.catalog else self._read(name, settings, run_arm)

    @staticmethod
    def _read(path, settings, *functions):
        """The arm of a model file, and what runs it."""
        from ..describe.catalog import arguments
        from ..describe.files import load

        given = arguments(settings, *functions, paths=False)
        return load(path), *(partial(function, **words) for function, words in zip(functions, given))

    def show(self, system):
        from .tables import of_arm

        of_arm(system)

    def summary(self, run):
        from .tables import of_run

        of_run(run)

    def contents(self, run):
        from ..show.contents import provenance

        yield "run", f"{run.arm.name}: {len(run.arm.links)} links, {run.q.shape[1]} degrees of freedom"
        yield "time", f"{len(run.t)} samples, {run.t[0]:.6g} to {run.t[-1]:.9g} s"
        yield "ended", run.message
        for note in run.notes:
            yield "note", note
        yield "method", f"{run.stepper}, formulation {run.formulation}"
        yield "settings", ", ".join(f"{name} {shown(value)}" for name, value in run.settings.items())
        yield "took", ", ".join([f"{count} {name}" for name, count in run.counts.items() if count]
                                + [f"{run.seconds:.3g} s on the clock"])
        if run.arm.planes:
            forces = [N for contact in run.contacts for _, N, _ in contact.peaks]
            yield "contacts", f"{len(run.contacts)}" + (f", largest force {max(forces):.6g} N" if forces else "")
        first, last = run.energy[[0, -1]].sum(axis=1)
        yield "energy", f"{first:.9g} J at the start, {last:.9g} J at the end"
        yield "balance", f"{np.abs(run.balance).max():.1e} J at most"
        yield from provenance(run)

    def columns(self, run):
        names = run.arm.names
        planes = [f"{name}.plane{k}" for k in range(len(run.arm.planes)) for name in ("x", "y", "z")]
        places = run.points[:, :, :3].reshape(len(run.t), -1)
        return (["t", *(f"q.{name}" for name in names), *(f"v.{name}" for name in names), *planes, "kinetic",
                 "potential", "energy"],
                np.column_stack([run.t, run.q, run.v, places, run.energy, run.energy.sum(axis=1)]))

    def figures(self):
        from .pictures import FIGURES

        return FIGURES

    def player(self, run, magnify):
        from .scene import page

        return page(run, magnify)

    def stage(self, run, magnify):
        from .scene import stage

        return stage(run, magnify)

    def used(self, run):
        from .citing import used

        return used(run)

    def model_text(self, run):
        return text_of(run.arm)

    def pack(self, run):
        from .keeping import pack

        return pack(run)

    def unpack(self, shelf):
        from .keeping import unpack

        return unpack(shelf)


KIND = Arms()
