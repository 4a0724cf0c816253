"""Closed chains of every kind of closure, in the plane and in space, with states that close them."""

import numpy as np
from strategies import random_state

import fastdyn as fd


def bars(n, length=1.0, **words):
    return [fd.Link(name=f"bar{i + 1}", length=length, mass=1.0 + 0.3*i, radius=0.1, **words) for i in range(n)]


def chains():
    """Name -> chain: what is closed, and how, between links, branches and the base."""
    ball = fd.Spherical()
    side = fd.Link(name="side", parent="bar1", length=0.8, mass=0.7, radius=0.1, points={"eye": (0.4, 0.1, 0.0)})
    plane = [*bars(3), side]
    turn = (np.cos(0.2), 0.0, 0.0, np.sin(0.2))
    closures = {
        "pin": {"kind": "pin", "a": (1.2, 0.3, 0.0), "b": "bar3.tip"},
        "slot": {"kind": "slot", "a": "bar2", "b": "side.eye", "axis": (0.6, 0.8, 0.0)},
        "slider": {"kind": "slider", "a": (1.0, 0.5, 0.0), "b": "bar3.tip", "axis": (0.6, 0.8, 0.0), "turn": turn},
        "weld": {"kind": "weld", "a": (1.2, 0.3, 0.0), "b": "bar3.tip", "turn": turn},
        "distance": {"kind": "distance", "a": "side.eye", "b": "bar3.tip", "length": 0.9},
    }
    found = {f"{kind} in the plane": fd.Chain(plane, closures=[fd.Closure(**words)])
             for kind, words in closures.items()}
    arm = [fd.Link(name=f"bar{i + 1}", length=1.0, joint=joint, turn=turn,
                   body=fd.Body(mass=1.0 + 0.3*i, com=(0.5, 0.05, 0.02), inertia=(0.05, 0.12, 0.1)))
           for i, joint in enumerate((fd.Universal(), ball, ball, fd.Universal()))]
    floating = fd.Link(name="raft", parent="base", joint=fd.Free(), points={"eye": (0.3, 0.2, 0.1)},
                       body=fd.Body(mass=2.0, com=(0.1, 0.0, 0.05), inertia=(0.2, 0.3, 0.25)))
    tilt = (0.9, 0.1, -0.3, 0.3)
    tilt = tuple(x/np.linalg.norm(tilt) for x in tilt)
    space = {
        "ball": {"kind": "ball", "a": "raft.eye", "b": "bar4.tip"},
        "pin": {"kind": "pin", "a": (1.5, 0.8, 0.3), "b": "bar4.tip", "axis": (0.0, 0.6, 0.8), "turn": tilt},
        "slot": {"kind": "slot", "a": "raft.eye", "b": "bar3.tip", "axis": (0.6, 0.0, 0.8)},
        "slider": {"kind": "slider", "a": "raft.eye", "b": "bar4.tip", "axis": (0.0, 0.6, 0.8), "turn": tilt},
        "weld": {"kind": "weld", "a": "raft", "b": "bar4.tip", "turn": tilt},
        "distance": {"kind": "distance", "a": "raft.eye", "b": "bar4.tip", "length": 1.3},
    }
    return found | {f"{kind} in space": fd.Chain(arm + [floating], closures=[fd.Closure(**words)])
                    for kind, words in space.items()} | {
        "two loops": fd.Chain(plane, closures=[fd.Closure(**closures["slot"]), fd.Closure(**closures["pin"])])}


def closed_state(chain, rng):
    """A state in which the loops are closed and stay so."""
    for _ in range(50):
        try:
            return fd.assemble(chain, *random_state(rng, chain))
        except fd.ModelError:
            continue
    raise AssertionError("no state was found")
