"""The figures of a run; as SVG text radii, damping, periods of the schemes, the published examples."""

import numpy as np

from ..show.figures import Figure
from ..show.page import INK, SOFT, Page, Stroke, Words
from ..show.panel import COLOURS, Panel, alike, colour_at
from ..show.sheet import Curve, Plot, Sheet
from ..show.traces import evenly
from .laboratory import CLAIMED, SHOWN, TEN, TWO, exact, quietly
from .run import bends, is_arm, link_names
from .schemes import SCHEMES, errors
from .torsion import torsion_chain

MOST_LINKS = 5                                      # whose angles are drawn
SHAPES, ROOM = 9, (70, 70, 980, 620)                # times at which an arm is drawn; left, top, width, height, px
HIGHEST = 2.0                                       # of the axis of radii
STEP = {2: 0.4, 10: 0.2}                            # s: coarse enough to see a difference


def pictures():
    """File name -> (SVG text, what it shows)."""
    return {"schemes.svg": (of_schemes(), "spectral radius, damping and period error of the schemes"),
            "examples.svg": (of_examples(), "tip of the published examples, exact and by the schemes"),
            "growth.svg": (of_growth(), "the undamped chain by the proposed scheme and by the mean acceleration")}


# ------------------------------------------------------------------------------------------------------------- a run


def overview(run, **_):
    """Angles of some links, the tip of an arm, energies."""
    first = [_deflections] if bends(run) else [_angles, _tip] if is_arm(run) else [_angles]
    return _page(run, [[of(run)] for of in (*first, _energies)])


def deflections(run, zoom, **_):
    return _page(run, [[_deflections(run), *([_deflections(run, zoom)] if zoom else [])]])


def angles(run, zoom, **_):
    return _page(run, [[_angles(run), *([_angles(run, zoom)] if zoom else [])]])


def velocities(run, zoom, **_):
    return _page(run, [[_of_links(run, "Rates", "rad/s", run.velocities, window)
                        for window in (None, *([zoom] if zoom else []))]])


def tip(run, zoom, **_):
    return _page(run, [[_tip(run), *([_tip(run, zoom)] if zoom else [])]])


def energies(run, **_):
    return _page(run, [[_energies(run)]])


def shapes(run, times=None, **_):
    """The arm at several times, in the plane it moves in; deflections along a chain."""
    chosen = evenly(len(run.t), SHAPES) if times is None else np.searchsorted(run.t, times).clip(0, len(run.t) - 1)
    if bends(run):
        x = np.cumsum([0.0, *(getattr(part, "length", 0.0) for part in run.system.parts)])
        curves = [Curve(x, run.deflections[row], f"{run.t[row]:.4g} s", i) for i, row in enumerate(chosen)]
        return _page(run, [[Plot("Deflection", "m", curves, x_label="x, m", legend=True)]])
    places = run.system.positions(run.angles[chosen])
    panel = Panel(*ROOM, *alike(places.reshape(-1, 2), *ROOM[2:]))
    parts = [Words(24, 38, _title(run), 20, INK, bold=True), *panel.axes("x, m", "y, m")]
    for row, line in zip(chosen, places):
        colour = colour_at(row/(len(run.t) - 1))
        parts.append(Stroke(panel.pixels(*line.T), colour, 1.8))
        parts.append(Words(*(panel.pixels(*line[-1:].T)[0] + [5, 4]), f"{run.t[row]:.4g} s", 10, SOFT))
    return Page(ROOM[0]*2 + ROOM[2], ROOM[1] + ROOM[3] + 56, parts, _title(run))


FIGURES = {
    "overview": Figure(overview, lambda run: "", "angles of some links, energies"),
    "deflections": Figure(deflections, lambda run: "" if bends(run) else "it does not bend across its length",
                          "deflections of some stations, whole run and a window"),
    "angles": Figure(angles, lambda run: "", "angles of some links, whole run and a window"),
    "velocities": Figure(velocities, lambda run: "", "their rates"),
    "tip": Figure(tip, lambda run: "" if is_arm(run) else "it is no arm", "the tip of the arm over time"),
    "shapes": Figure(shapes, lambda run: "" if is_arm(run) or bends(run) else "it does not bend", "at several times"),
    "energies": Figure(energies, lambda run: "", "kinetic energy, strain energy and others"),
}


def _page(run, rows):
    wide = (1.7, 1.0) if len(rows[0]) > 1 else (1.0,)
    return Sheet(_title(run), rows, shares=wide).page()


def _title(run):
    return f"{run.system.name}: {run.scheme}, T = {run.dt:g} s"


def _angles(run, window=None):
    return _of_links(run, "Slopes" if bends(run) else "Angles", "rad", run.angles, window)


def _deflections(run, window=None):
    return _of_links(run, "Deflections", "m", run.deflections, window)


def _of_links(run, title, unit, values, window):
    names = link_names(run)
    curves = [Curve(run.t, values[:, j], names[j], i) for i, j in enumerate(evenly(len(names), MOST_LINKS))]
    return Plot(title, unit, curves, window, legend=True)


def _tip(run, window=None):
    places = run.system.tip(run.angles)
    return Plot("Tip", "m", [Curve(run.t, places[:, i], "xy"[i], i) for i in range(2)], window, legend=True)


def _energies(run):
    found = [Curve(run.t, column, word, i) for i, (word, column) in enumerate(run.energies.items()) if np.any(column)]
    return Plot("Energies", "J", [*found, Curve(run.t, run.energy, "all", 6)], legend=True)


# ------------------------------------------------------------------------------------------------------- the schemes


def _drawn(title, rows):
    return Sheet(title, rows).page().svg


def _curves(function, x):
    widths = [1.4 if i < len(COLOURS) else 3.0 for i in range(len(SHOWN))]       # colours come again in thick lines
    return [Curve(x, np.array([function(SCHEMES[name].main, at) for at in x]), name, i, width)
            for i, (name, width) in enumerate(zip(SHOWN, widths))]


def of_schemes():
    def radius(phase, log):
        found = np.max(np.abs(np.linalg.eigvals(phase.amplification(10.0**log))))
        return found if found <= HIGHEST else np.nan

    wide, near = np.linspace(-2.0, 3.0, 201), np.linspace(0.01, 0.2, 80)
    per_cent = lambda which: lambda phase, x: 100.0*errors(phase, 2.0*np.pi*x)[which]
    return _drawn("Schemes on an undamped oscillation", [
        [Plot("Spectral radius, up to 2", "", _curves(radius, wide), x_label="log10 of omega T")],
        [Plot("Damping ratio", "%", _curves(per_cent(0), near), x_label="T over the period")],
        [Plot("Period error", "%", _curves(per_cent(1), near), x_label="T over the period")]])


def of_examples():
    plots = []
    for words, last in ((TWO, 20.0), (TEN, 40.0)):
        chain, T = torsion_chain(**words), STEP[words["n"]]
        t = np.linspace(0.0, last, 800)
        curves = [Curve(t, exact(chain, t)[:, -1], "exact", 6, 2.4)]
        for i, name in enumerate(("fox-euler", "newmark", "houbolt", "proposed")):
            run = chain.simulate(last, T, name)
            curves.append(Curve(run.t, run.angles[:, -1], name, i))
        marked, note = [], ""
        if words is TWO:
            settled = CLAIMED["settled"]
            marked = [(settled - 0.05, settled + 0.05)]
            note = f"tinted: {settled:g} s, where the proposed scheme was claimed to settle"
        else:
            curves.append(Curve(t[[0, -1]], np.full(2, CLAIMED["swing"]), "claimed swing of older schemes", 7, 1.0))
        plots.append([Plot(f"Tip of {words['n']} links, T = {T:g} s", "rad", curves, marked=marked, note=note)])
    return _drawn("The published examples", plots)


def of_growth():
    chain, curves = torsion_chain(**TEN, damping=0.0), []
    for i, name in enumerate(("newmark", "proposed")):
        run = quietly(chain.simulate, 100.0, 0.2, name)
        largest = np.maximum.accumulate(np.abs(run.angles[1:, -1]))
        curves.append(Curve(run.t[1:], np.log10(largest), name, i))
    return _drawn("Ten links without damping, T = 0.2 s", [[Plot("log10 of the largest angle of the tip so far, in rad",
                                                               "", curves)]])
