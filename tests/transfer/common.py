"""Reads tests/reference/transfer_matrix: sequences of schemes from global matrices, exact responses, frequencies."""

import json
import math
from pathlib import Path

import numpy as np

from fastdyn import Sine
from fastdyn.transfer.torsion import TorsionChain

FOLDER = Path(__file__).parents[1]/"reference"/"transfer_matrix"
NAMES = {
    "fox_euler": "fox-euler", "newmark_1/4": "newmark", "newmark_1/6": "newmark-1/6", "newmark_1/8": "newmark-1/8",
    "newmark_1/12": "newmark-1/12", "newmark_0": "newmark-0", "wilson_1.4": "wilson", "houbolt": "houbolt",
    "proposed": "proposed", "generalized_alpha_0.8": "gen-alpha", "hht_-0.1": "hht",
}


def read(name):
    return json.loads((FOLDER/f"{name}.json").read_text())


def cases(name):
    return {case["name"]: case for case in read(name)["cases"]}


def chain_of(case):
    """The chain of a case: with its loads or, where a base moves, its base (the loads then are what the base does)."""
    n = case["n"]
    rows = {field: tuple(case[field])*(n if len(case[field]) == 1 else 1) for field in (
        "inertia", "stiffness", "damping")}
    loads, base = {}, None
    if case["base"]:
        base = Sine(case["base"]["amplitude"], case["base"]["omega"])
    else:
        for load in case["load"]:
            loads |= {int(link): signal(load, amount) for link, amount in load["vector"].items()}
    return TorsionChain(**rows, loads=loads, base=base, angles=case["u0"], rates=case["v0"])


def signal(load, amount):
    w = load.get("omega", 0.0)
    return {"step": lambda t: amount, "ramp": lambda t: amount*t, "sin": lambda t: amount*math.sin(w*t),
            "cos": lambda t: amount*math.cos(w*t)}[load["kind"]]


def at_stations(case, rows):
    return rows[:, np.array(case["stations"]) - 1]


def oscillator(omega=1.0, damping=0.0):
    """One link: th'' + 2 damping omega th' + omega^2 th = 0 from th = 1."""
    return TorsionChain(inertia=(1.0,), stiffness=omega**2, damping=2.0*damping*omega, angles=(1.0,))
