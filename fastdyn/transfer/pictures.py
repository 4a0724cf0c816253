"""Pictures as SVG text: a run; radii, damping, periods of the schemes; the published examples."""

import numpy as np

from ..describe.writing import write_whole
from .laboratory import TEN, TWO, exact
from .run import link_names
from .schemes import SCHEMES, errors
from .torsion import torsion_chain

DRAWN = ("fox-euler", "newmark", "newmark-1/6", "wilson", "houbolt", "proposed", "gen-alpha")
MOST_LINKS = 5                                      # whose angles are drawn
HIGHEST = 2.0                                       # of the axis of radii
STEP = {2: 0.4, 10: 0.2}                            # s: coarse enough to see a difference


def pictures():
    """File name -> (SVG text, what it shows)."""
    return {"schemes.svg": (of_schemes(), "spectral radius, damping and period error of the schemes"),
            "examples.svg": (of_examples(), "tip of the published examples, exact and by the schemes"),
            "growth.svg": (of_growth(), "the undamped chain by the proposed scheme and by the mean acceleration")}


def plot(path, run):
    """Write the picture of a run: angles of some links, the tip of an arm, energies."""
    write_whole(path, of_run(run))


def of_run(run):
    from ..show.sheet import Curve, Plot

    n, arm = run.angles.shape[1], hasattr(run.system, "tip")
    shown = np.unique(np.linspace(0, n - 1, min(n, MOST_LINKS)).astype(int)).tolist()
    names = link_names(run)
    plots = [[Plot("Angles", "rad", [Curve(run.t, run.angles[:, j], names[j], i) for i, j in enumerate(shown)],
                   legend=True)]]
    if arm:
        tip = run.system.tip(run.angles)
        plots.append([Plot("Tip", "m", [Curve(run.t, tip[:, i], "xy"[i], i) for i in range(2)], legend=True)])
    energies = [Curve(run.t, column, word, i) for i, (word, column) in enumerate(run.energies.items())]
    plots.append([Plot("Energies", "J", [*energies, Curve(run.t, run.energy, "all", 6)], legend=True)])
    return _drawn(f"{run.system.name}: {run.scheme}, T = {run.dt:g} s", plots)


def _drawn(title, rows):
    from ..show.sheet import Sheet
    from ..show.svg import document

    return document(Sheet(title, rows).page())


def _curves(function, x):
    from ..show.sheet import Curve

    return [Curve(x, np.array([function(SCHEMES[name].main, at) for at in x]), name, i)
            for i, name in enumerate(DRAWN)]


def of_schemes():
    from ..show.sheet import Plot

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
    from ..show.sheet import Curve, Plot

    plots = []
    for words, last in ((TWO, 20.0), (TEN, 40.0)):
        chain, T = torsion_chain(**words), STEP[words["n"]]
        t = np.linspace(0.0, last, 800)
        curves = [Curve(t, exact(chain, t)[:, -1], "exact", 6, 2.4)]
        for i, name in enumerate(("fox-euler", "newmark", "houbolt", "proposed")):
            run = chain.simulate(last, T, name)
            curves.append(Curve(run.t, run.angles[:, -1], name, i))
        plots.append([Plot(f"Tip of {words['n']} links, T = {T:g} s", "rad", curves)])
    return _drawn("The published examples", plots)


def of_growth():
    from ..show.sheet import Curve, Plot

    chain, curves = torsion_chain(**TEN, damping=0.0), []
    for i, name in enumerate(("newmark", "proposed")):
        run = chain.simulate(60.0, 0.1, name)
        curves.append(Curve(run.t, run.angles[:, -1], name, i))
    return _drawn("Ten links without damping", [[Plot("Tip, T = 0.1 s", "rad", curves)]])
