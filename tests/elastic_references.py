"""Reads tests/reference/elastic_chain: chains of its words become chains in ours, their states states in ours.

Every number there comes from a dense Gibbs-Appell program that has nothing in common with this package but the paper;
its states are (q1, d11.., q2, d21.., .., X1, X2), ours (X1, X2, q1, d11.., q2, ..).
"""

import json
from functools import cache
from pathlib import Path

import numpy as np

from fastdyn.describe.falling import falling_chain

FOLDER = Path(__file__).parent/"reference"/"elastic_chain"
READINGS = {"theta": "section", "tangent": "axis"}
E0 = 36.297                                             # J in the published chain at the start


@cache
def read(name):
    return json.loads((FOLDER/f"{name}.json").read_text())


def chain_of(file, case, shapes="timoshenko", **words):
    """The chain of a case: any number of links with their own modes, over the file's ground."""
    p, ground = read(file)["params"], read(file)["ground"]
    m = case["m"]
    chain = falling_chain(
        modes="-".join(case["bcs"]), m=m, shapes=shapes, length=p["l"], A=p["A"], mass_per_length=p["mu"], I33=p["I"],
        J33=p["J33"], E=p["E"], G=p["G"], k=5/6, K_v=p["Kv"], gamma=p["gamma"], gravity=p["g"],
        carried=READINGS[case["slope"]], spin=case["rotary"], **{
            "law": ground["law"], "restitution": ground["cr"], "stiffness": ground["K"], "friction": ground["muk"],
            "v0": ground["v0"], "v1": ground["v1"]} | words)
    return chain.replace(start_q=None)


def ours(Z):
    """A state, a rate or an acceleration of theirs in our order"""
    Z = np.asarray(Z, dtype=float)
    return np.concatenate([Z[-2:], Z[:-2]])


def sorted_contacts(case):
    """Contacts of a reference run, joint by joint: arrays by name; what has a bound as (values, bounds)."""
    rows = sorted(case["contacts"], key=lambda row: (row["joint"], row["t0"][0]))
    return {name: np.array([row[name] for row in rows]).T for name in rows[0]}


def as_theirs(run):
    """Contacts of a run of ours in the same order and by the same names."""
    rows = np.sort(run.contacts, order=["point", "start"])
    return {"joint": rows["point"] + 1, "t0": rows["start"], "t1": rows["end"], "vn": rows["speed"],
            "vn1": -rows["leaving"], "dmax": rows["depth"], "Fmax": rows["force"], "least": rows["force_least"]}


def beyond(ours, known, growth=0.0):
    """Largest distance of numbers from a reference, in units of five times its bounds and what our own error may be.

    growth: relative to the size of each number.
    """
    values, bounds = known
    return np.max(np.abs(ours - values)/(5.0*bounds + growth*np.abs(values) + 1e-300), initial=0.0)
