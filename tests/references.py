"""Reads the reference files of tests/reference: spherical chains in other people's words become chains in ours.

Every number there was computed with 40 digits by formulations that have nothing in common with this package. The link
frame of link i is base i with its origin at joint J_i (floating first link: at its mass centre C_1), so the mass centre
lies at R_i and the next joint at R_i + r_i; lam is our v, quaternions are ours.
"""

import json
from pathlib import Path
from typing import NamedTuple

import numpy as np
from formulations.described import changed, quaternion_of

from fastdyn import Body, Chain, Constant, Free, Link, Load, Sine, Spherical

FOLDER = Path(__file__).parent/"reference"/"spherical_chains"


class Case(NamedTuple):
    """A chain with its loads, a state, the torques of the joints, what comes out, and the condition of M"""

    name: str
    chain: Chain
    t: float
    q: np.ndarray
    v: np.ndarray
    torque: np.ndarray
    expect: dict
    condition: float


def names(pattern):
    """Names of the files that match, shortest chains first."""
    return sorted((path.stem for path in FOLDER.glob(f"{pattern}.json")), key=lambda name: (len(name), name))


def read(name):
    """The cases of a file."""
    content = json.loads((FOLDER/f"{name}.json").read_text())
    return [_case(content, case) for case in content["cases"]]


class Course(NamedTuple):
    """A chain that moves by itself, and where it is when: a row per time; how far two ways to compute it differ"""

    chain: Chain
    t: np.ndarray
    q: np.ndarray
    v: np.ndarray
    rows: list
    gap: float


def trajectory(name):
    """A motion that was integrated until its digits stood; torques of the joints have become drives."""
    content = json.loads((FOLDER/f"{name}.json").read_text())
    floats, loads = content["chain"]["kind"] == "space", content["loads"]
    chain, links = _chain(content["chain"], loads, floats), []
    for i, link in enumerate(chain.links):
        torque = loads.get("joint_torque", np.zeros((len(chain.links), 3)))[i]
        drive = [Sine(x, loads["joint_torque_omega"]) if "joint_torque_omega" in loads else Constant(x) for x in torque]
        joint = Free(drive=[Constant(0.0)]*3 + drive) if isinstance(link.joint, Free) else Spherical(drive=drive)
        links.append(changed(link, joint=joint))
    q, v = zip(*(_state(row, floats) for row in content["rows"]))
    return Course(chain.replace(links=links), np.array([row["t"] for row in content["rows"]]), np.array(q), np.array(v),
                  content["rows"], content["gap_two_step_sizes"])


def _case(content, case):
    data, loads = content["chain"], case["loads"]
    floats, t = data["kind"] == "space", case.get("t", 0.0)
    turn = np.sin(loads.get("joint_torque_omega", 0.0)*t) if "joint_torque_omega" in loads else 1.0
    torque = turn*np.array(loads.get("joint_torque", np.zeros((data["n"], 3)))).ravel()
    q, v = _state(case, floats)
    expect = {name: np.array(value) for name, value in case["expect"].items() if name not in ("C", "D")}
    condition = case.get("gaps", {}).get("cond_M") or content.get("cond_M") or np.nan
    return Case(case.get("name", ""), _chain(data, loads, floats), t, q, v,
                np.concatenate([np.zeros(3*floats), torque]), expect, float(condition))


def _chain(data, loads, floats):
    links, at = [], np.zeros(3)
    for i, (m, I, R, r) in enumerate(zip(data["m"], data["I"], data["R"], data["r"])):
        links.append(Link(joint=Free() if floats and i == 0 else Spherical(), at=at, loads=[*_loads(loads, i + 1, R)],
                          body=Body(mass=m, com=R, inertia=I)))
        at = np.array(R) + r
    return Chain(links, gravity=loads.get("gravity", (0.0, 0.0, 0.0)), space="space")


def _loads(loads, body, R):
    """Forces act at a point given from the mass centre, in the body's base."""
    for kind in ("force", "torque"):
        for load in loads.get(kind + "s", []):
            if load["body"] == body:
                words = {"force": load["vector"], "at": np.array(R) + load["point"]} if kind == "force" else (
                    {"moment": load["vector"]})
                signal = Sine(1.0, load["omega"]) if "omega" in load else Constant(1.0)
                frame = "link" if load["frame"] == "body" else "world"
                yield Load(frame=frame, signal=signal, **words)


def _state(case, floats):
    """(q, v); the blocks give passive matrices instead of quaternions."""
    state = case.get("state", case)
    quaternions = state["quat"] if "quat" in state else [quaternion_of(np.array(C).T) for C in case["expect"]["C"]]
    turns = [np.array(q)/np.linalg.norm(q) for q in quaternions]
    q = np.concatenate([np.array(state.get("p1", np.zeros(3)))[:3*floats], *turns])
    return q, np.array(state["lam"])
