"""Arms of the stored references in the words of fastdyn.arms."""

import json
from pathlib import Path

import numpy as np

from fastdyn.arms import Body, FlexibleLink, Joint, Link, Plane, SpatialArm, canadarm2

FOLDER = Path(__file__).parents[1]/"reference"/"spatial_flexible"


def stored(name):
    return json.loads((FOLDER/f"{name}.json").read_text())


def arm_of(model, options=None, planes=()):
    """SpatialArm of a stored model; options: foreshortening, rotmode, flexible_joint."""
    options = options or {}
    links = []
    for words in model["links"]:
        flexible = options.get("flexible_joint", words["flexible_joint"])
        joint = Joint(turn=tuple(map(tuple, words["C"])), place=tuple(words["d"]),
                      stiffness=words["Kj"] if flexible else 0.0, rotor=words["Jr"] if flexible else 0.0,
                      damping=words["Cj"])
        beam, b = None, words.get("beam")
        if b:
            beam = FlexibleLink(b["L"], b["rhoA"], b["EA"], b["EIy"], b["EIz"], b["GJ"], b["rhoIy"], b["rhoIz"],
                                tuple(int(b[n]) for n in ("nx", "ny", "nz", "nt")),
                                options.get("foreshortening", b["foreshortening"]),
                                options.get("rotmode", model["rotmode"]), b["damping"], int(b["ngauss"]))
        bodies = [tuple(Body(x["m"], tuple(x["com"]), tuple(map(tuple, x["I"]))) for x in words[end])
                  for end in ("prox", "dist")]
        links.append(Link(joint, beam, tuple(words["tip"]), *bodies))
    return SpatialArm(tuple(links), tuple(model["gravity"]), tuple(planes))


def tip_mark(link):
    """A plane far below, so that the end of a link is watched."""
    return Plane(link, (0.0, -1e6, 0.0), (0.0, 1.0, 0.0), (1.0, 0.0, 0.0), "hertz", {"stiffness": 1.0})


def landing():
    """A run of R2, friction II, that begins a moment before the stored touch-down and ends behind its first peak."""
    ref, ahead = stored("contacts")["R2_II"], 1e-4
    q, v = np.array(ref["q_start"]), np.array(ref["qd_start"])
    return canadarm2().simulate(0.64665, t=ref["t_start"] - ahead, q=q - ahead*v, v=v, samples=11, fine=True)
