"""The published pair of links on ball joints: coordinates and quasi-velocities over 20 s, and how true they are.

    python docs/examples/two_link.py [folder]

writes two_link.svg: the runs in space of both cases, the slender rods of equations (91) of Khoshnood, Azad & Razavi
(2016) and the moment of inertia of their table, on the numbers of two_link.json: the planar equations with 30 digits.
"""

import json
import sys
from pathlib import Path

import numpy as np

import fastdyn as fd
from fastdyn.show.sheet import Curve, Plot, Sheet

REFERENCE = Path(__file__).with_suffix(".json")
CASES = {"A": "slender rods, 1 kg m^2", "B": "as printed, 0.2 kg m^2"}
NAMES = ("first angle", "second angle", "first quasi-velocity", "second quasi-velocity")
TICK = 0.14                                             # s: half of a mark in the picture


def motion(case):
    """(t, ours (samples, 4), times of the reference, ours there, the reference): angles, angular velocities"""
    rows = np.array(json.loads(REFERENCE.read_text())[case])
    chain = fd.catalog.two_link(case)
    run = fd.simulate(chain, 20.0, samples=401, rtol=1e-12, atol=1e-14, formulation="boltzmann-hamel").check()
    angles = [fd.from_quaternion(run.q[:, part], "rotation-vector")[:, 2] for _, part in chain.quaternions]
    ours = np.column_stack([*angles, run.v[:, 2], run.v[:, 5]])
    return run.t, ours, rows[:, 0], ours[::20], rows[:, 1:]


def marks(t, y):
    """A dash at every point"""
    x = np.column_stack([t - TICK, t + TICK, t + TICK]).ravel()
    return x, np.column_stack([y, y, np.full(len(y), np.nan)]).ravel()


def main(folder="."):
    found = {case: motion(case) for case in CASES}
    rows = []
    for k, name in enumerate(NAMES):
        unit, drawn, apart = "rad/s" if k > 1 else "rad", [], []
        for number, (case, (t, ours, at, there, wanted)) in enumerate(found.items()):
            about = f"case {case}: {CASES[case]}"
            drawn.append(Curve(t, ours[:, k], about, number))
            apart.append(Curve(at, there[:, k] - wanted[:, k], about, number))
        for _, _, at, _, wanted in found.values():
            drawn.append(Curve(*marks(at, wanted[:, k]), "reference, 30 digits", 2, 4.0))
        rows.append([Plot(name, unit, drawn), Plot(f"{name}: less the reference", unit, apart)])
    out = Path(folder)/"two_link.svg"
    Sheet("Two links on ball joints, pushed at their ends", rows, shares=(1.4, 1.0)).page().save(out)
    worst = max(np.abs(there - wanted).max() for *_, there, wanted in found.values())
    print(f"{out}: largest difference {worst:.1e}")
    return out


if __name__ == "__main__":
    main(*sys.argv[1:2])
