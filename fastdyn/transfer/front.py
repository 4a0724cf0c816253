"""Transfer chains as a kind of system: their names in the catalog, and what command, run files and pictures ask."""

from typing import ClassVar

import numpy as np

from ..describe.check import shown, whole
from ..kinds import Kind, Named, Packed
from .arm import beam_arm
from .bending import BendingChain, cantilever
from .linked import Arm, link_arm
from .run import BendingRun, TransferRun, bends, is_arm, link_names
from .torsion import TorsionChain, torsion_chain

WORDS = ("scheme", "form", "dt", "steps", "seconds", "error_estimate", "passes")
NEWMARK, ALPHA = ("Newmark 1959",), ("Newmark 1959", "Chung & Hulbert 1993")
PAPERS = {"fox-euler": NEWMARK, "newmark": NEWMARK, "wilson": ("Wilson et al. 1973",), "houbolt": ("Houbolt 1950",),
          "gen-alpha": ALPHA, "hht": ("Newmark 1959", "Hilber et al. 1977")}
UNITS = {"torque": "N m", "moment": "N m", "force": "N", "force x": "N", "force y": "N"}
MOST = 8                                                    # frequencies that are shown


def run_torsion(system, t_end: float = 20.0, dt: float = 0.05, scheme: str = "newmark", form: str = "riccati",
                every: int = 1, progress=None):
    """A torsion chain through time."""
    return system.simulate(t_end, dt, scheme, form, every)


def run_arm(system, t_end: float = 8.0, dt: float = 0.002, scheme: str = "gen-alpha", passes: int = 1, every: int = 5,
            progress=None):
    """An arm through time; passes 0: until Newton's method has converged."""
    passes = None if passes == 0 else whole(passes, "passes", or_else="0 or more")
    return system.simulate(t_end, dt, scheme, passes, every)


def run_cantilever(system, t_end: float = 10.0, dt: float = 0.01, scheme: str = "newmark", form: str = "riccati",
                   every: int = 1, elements: int = 4, progress=None):
    """A bending chain through time."""
    return system.simulate(t_end, dt, scheme, form, every, elements)


def _read(raw, source):
    from .keeping import system_from

    return system_from(raw, source)


class Transfer(Kind):
    """Chains of fastdyn.transfer."""

    name = "transfer"
    catalog: ClassVar = {"torsion-chain": Named(torsion_chain, run_torsion), "beam-arm": Named(beam_arm, run_arm),
                         "link-arm": Named(link_arm, run_arm), "cantilever": Named(cantilever, run_cantilever)}

    models: ClassVar = dict.fromkeys(("TorsionChain", "BeamArm", "LinkArm", "BendingChain"), _read)
    plays = True

    def make(self, name, settings):
        return super().make(name, settings) if name in self.catalog else self.find(name, settings)[0]

    def find(self, name, settings):
        from functools import partial

        from ..describe.catalog import arguments
        from .keeping import load

        if name in self.catalog:
            return super().find(name, settings)
        system, before = load(name)
        run = run_arm if isinstance(system, Arm) else run_torsion
        run = run_cantilever if isinstance(system, BendingChain) else run
        return system, partial(run, **arguments([*before, *settings], run, paths=False)[0])

    def model_text(self, run):
        from .keeping import text_of, toml_of

        return None if text_of(run.system)[1] else toml_of(run.system)

    def player(self, run, magnify):
        from ..show.player import page
        from .playing import played

        return page(played(run, magnify), 1.0)

    def stage(self, run, magnify):
        from ..show.stage import of_run
        from .playing import played

        return of_run(played(run, magnify))

    def show(self, system):
        numbers = ()
        if not isinstance(system, Arm):
            most = system.n if isinstance(system, TorsionChain) else system.freedoms or MOST
            numbers = system.natural_frequencies(min(MOST, most))
        rows = [(name, shown(getattr(system, name))) for name in system.__struct_fields__]
        _print(rows + [("natural frequencies", ", ".join(f"{x:.6g}" for x in numbers) + " rad/s")]*(len(numbers) > 0))

    def summary(self, run):
        tip, (low, high) = link_names(run)[-1], _ends(run.angles[:, -1])
        rows = [("links", f"{run.angles.shape[1]}"), ("simulated time", f"{run.t[-1]:.6g} s"),
                ("steps", f"{run.steps} of {run.dt:.6g} s, {run.scheme}, {run.form}"
                 + (f", {run.passes} passes" if run.passes else "")),
                ("time on the clock", f"{run.seconds:.3g} s, {_pace(run)}"),
                (f"{'slope' if bends(run) else 'angle'} of {tip}",
                 f"{low:.9g} to {high:.9g} rad, {run.angles[-1, -1]:.9g} rad at the end")]
        if bends(run):
            low, high = _ends(run.deflections[:, -1])
            rows.append((f"deflection of {tip}",
                         f"{low:.9g} to {high:.9g} m, {run.deflections[-1, -1]:.9g} m at the end"))
        if run.error_estimate is not None:
            rows.append(("relative error of products", f"{run.error_estimate:.1e} in every step"))
        _print(rows + [(f"{name} energy", f"{column[0]:.9g} J at the start, {column[-1]:.9g} J at the end")
                       for name, column in run.energies.items() if np.any(column)])

    def contents(self, run):
        from ..show.contents import provenance

        yield "run", f"{run.system.name}: {run.angles.shape[1]} links"
        yield "time", f"{len(run.t)} samples, {run.t[0]:.6g} to {run.t[-1]:.9g} s"
        yield "ended", run.message
        for note in run.notes:
            yield "note", note
        yield "method", f"{run.steps} steps of {run.dt:.6g} s, {run.scheme}, {run.form}"
        if run.error_estimate is not None:
            yield "rounding", f"{run.error_estimate:.1e} of the largest in every step, by the form's own estimate"
        yield "took", f"{run.seconds:.3g} s on the clock"
        yield "energy", f"{run.energy[0]:.9g} J at the start, {run.energy[-1]:.9g} J at the end"
        yield from provenance(run)

    def columns(self, run):
        names = link_names(run)
        words, states = ["angle", "rate"], [run.angles, run.velocities]
        if bends(run):
            words, states = ["deflection", "slope", "speed", "rate"], [run.deflections, run.angles,
                                                                       run.deflection_rates, run.velocities]
        return ["t", *(f"{word}.{name}" for word in words for name in names), *run.energies, "energy"], \
            np.column_stack([run.t, *states, *run.energies.values(), run.energy])

    def figures(self):
        from .pictures import FIGURES

        return FIGURES

    def used(self, run):
        yield "transfer matrices in time", ("Kumar & Sankar 1986", *(("Rui et al. 2005",) if is_arm(run) else ()))
        if run.form == "riccati":
            yield "from the tip inward", ("Horner & Pilkey 1978",)
        yield f"scheme {run.scheme}", next((keys for name, keys in PAPERS.items() if run.scheme.startswith(name)), ())

    def pack(self, run):
        from .keeping import text_of

        text, lost = text_of(run.system)
        arrays = {"t": (run.t, "s", "time of every sample")}
        arrays |= {name: (getattr(run, name), unit, meaning) for name, (unit, meaning) in run.series.items()}
        arrays |= {f"energies/{name}": (column, "J", f"{name} energy") for name, column in run.energies.items()}
        arrays |= {f"forces/{name}": (rows, UNITS[name], f"{name} that the outer part exerts on the inner one")
                   for name, rows in run.forces.items()}
        words = {name: getattr(run, name) for name in WORDS} | {
            "link_names": tuple(link_names(run)), "notes": (*run.notes, *lost)}
        return Packed(words, arrays, {"model": (text, "words of the system, JSON")},
                      {"energies": ("at every sample", {}), "forces": ("at every sample, by link", {})})

    def unpack(self, shelf):
        from .keeping import system_of

        system, t, names = system_of(shelf.text("model")), shelf.array("t", None), shelf.words["link_names"]
        kind = BendingRun if isinstance(system, BendingChain) else TransferRun
        found = np.array([shelf.array(name, len(t), len(names)) for name in kind.series])
        samples = [found[i:i + 3].transpose(1, 0, 2) for i in range(0, len(found), 3)]
        energies = {name: shelf.array(f"energies/{name}", len(t)) for name in shelf.names("energies")}
        forces = {name: shelf.array(f"forces/{name}", len(t), len(names)) for name in shelf.names("forces")}
        return kind(system, t, *samples, energies=energies, forces=forces,
                    **{name: shelf.words[name] for name in WORDS})


def _ends(column):
    return np.nanmin(column), np.nanmax(column)


def _pace(run):
    return f"{1e9*run.seconds/(run.steps*run.angles.shape[1]):.3g} ns per link and step"


def _print(rows):
    """Rows (name, text) as a table on the screen."""
    from rich.table import Table

    from ..show.paper import paper

    table = Table(box=None, show_header=False, pad_edge=False)
    table.add_column(no_wrap=True)
    table.add_column(overflow="fold")
    for row in rows:
        table.add_row(*row)
    console = paper()
    console.print(table)
    console.print()


KIND = Transfer()
