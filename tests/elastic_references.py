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
