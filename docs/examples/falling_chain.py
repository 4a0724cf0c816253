"""The published chain of elastic links on its way to the ground and after: what the ends of the modes do to it.

    python docs/examples/falling_chain.py [folder]

prints the contacts of all four published sets of modes and writes falling_chain.svg, the weight of the middle link and
the height of the first tip in two of them, one swinging slow and wide, the other fast, and falling_chain.html, which
plays the slow one.
"""

import sys
from pathlib import Path

import numpy as np

import fastdyn as fd
from fastdyn.show.sheet import Curve, Plot, Sheet

SETS = ("ss-ss-ss", "cc-cc-cc", "sc-cc-cs", "cs-ss-sc")


def fall(modes, t_end=1.5):
    return fd.simulate(fd.catalog.falling_chain(modes), t_end, samples=1501, rtol=1e-10, atol=1e-13).check()


def told(modes, run):
    """One line of what happened."""
    counts = np.bincount(run.contacts["point"], minlength=len(run.point_names))
    hits = ", ".join(f"{count} of {name}" for name, count in zip(run.point_names, counts))
    return (f"{modes}: {len(run.contacts)} contacts ({hits}), up to {run.contacts['force'].max():.0f} N, energy error "
            f"{np.abs(run.energy_error).max():.0e} %")


def main(folder="."):
    runs = {modes: fall(modes) for modes in SETS}
    for modes, run in runs.items():
        print(told(modes, run))
    shown = {modes: runs[modes] for modes in SETS[:2]}
    middle = runs[SETS[0]].chain.q_slice("link2").stop - 1          # its modal weight
    weights = [Curve(run.t, run.q[:, middle], modes, k) for k, (modes, run) in enumerate(shown.items())]
    heights = [Curve(run.t, run.points[:, 0, 1], modes, k) for k, (modes, run) in enumerate(shown.items())]
    rows = [[Plot(name, "m", curves), Plot(name, "m", curves, (0.4, 0.6))]
            for name, curves in (("weight of the middle link", weights), ("height of the first tip", heights))]
    picture = Path(folder)/"falling_chain.svg"
    Sheet("A chain of three elastic links falls on the ground", rows, shares=(1.7, 1.0)).page().save(picture)
    return picture, fd.view(runs[SETS[0]], Path(folder)/"falling_chain.html")


if __name__ == "__main__":
    print(*main(*sys.argv[1:2]))
