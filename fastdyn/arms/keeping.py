"""A run of a spatial arm as a run file keeps it: words of the arm, samples, contacts with all their lines."""

from dataclasses import replace

import numpy as np

from ..describe.functions import Function
from ..kinds import Packed
from . import layout
from .files import arm_of, text_of
from .run import ArmRun, Contact

WORDS = ("seconds", "stepper", "formulation", "why")
LINES = ("time, s", "plane", "depth, m", "rate of the depth, m/s", "normal force, N", "its rate, N/s",
         "slip along t1, m/s", "slip along t2, m/s", "rate of the first, m/s^2", "rate of the second, m/s^2",
         "friction, N")
STAYS = ("plane", "start, s", "end, s", "speed, m/s", "depth, m", "lines")
assert len(LINES) == layout.LOG
KEPT = {                                                    # dataset: shape, unit, meaning; the page of run files too
    "t": ("samples", "s", "time of every sample"),
    "q": ("samples x nv", "rad, m", "coordinates, in the order of coordinate_names"),
    "v": ("samples x nv", "rad/s, m/s", "their rates"),
    "accelerations": ("samples x nv", "rad/s^2, m/s^2", "of the coordinates"),
    "touch": ("samples x planes", "m/s", "speed the point of each plane came with, 0 while it does not touch"),
    "points": ("samples x planes x 9", "m, m/s, m/s^2", "place, velocity, acceleration of the point of each plane"),
    "energy": ("samples x 2", "J", "kinetic, potential"),
    "works": (f"samples x {layout.WORKS}", "J", "of normal forces, friction, dampers, drives since the start"),
    "contacts": (f"contacts x {len(STAYS)}", "1, s, m/s, m", "a row per contact: " + "; ".join(STAYS)),
    "peaks": ("peaks x 4", "1, s, N", "a row per maximum of the normal force: contact; time, s; normal, N; "
                                      "friction, N"),
    "reversals": ("changes x 3", "1, s", "a row per change of sign of the slip: contact; 0 along t1, 1 along t2; "
                                         "time, s"),
    "touching": (f"lines x {layout.LOG}", "s, m, m/s, N, m/s^2", "a row per step of each contact: " + "; ".join(LINES)),
}
MODEL = "words of the arm, TOML"


def pack(run):
    """results.packed writes it."""
    contacts = run.contacts
    stays = np.array([(c.plane, c.start, c.end, c.speed, c.depth, len(c.lines)) for c in contacts]).reshape(-1, 6)
    lines = np.vstack([np.empty((0, layout.LOG)), *(c.lines for c in contacts)])
    peaks = np.array([(k, *peak) for k, c in enumerate(contacts) for peak in c.peaks]).reshape(-1, 4)
    turns = np.array([(k, axis, t) for k, c in enumerate(contacts) for axis in range(2)
                      for t in c.reversals[axis]]).reshape(-1, 3)
    made = {"contacts": stays, "peaks": peaks, "reversals": turns, "touching": lines}
    arrays = {name: (made[name] if name in made else getattr(run, name), unit, meaning)
              for name, (_, unit, meaning) in KEPT.items()}
    arm, lost = without_functions(run)
    words = {name: getattr(run, name) for name in WORDS} | {"coordinate_names": tuple(run.arm.names),
                                                            "notes": (*run.notes, *lost)}
    return Packed(words, arrays, {"model": (text_of(arm), MODEL)},
                  {"stats": ("what the run took", run.counts), "settings": ("of the stepper", run.settings)})


def without_functions(run):
    """(the arm without torques that are functions, sentences about them)"""
    links, lost = [], []
    for k, link in enumerate(run.arm.links):
        if isinstance(link.joint.torque, Function):
            lost.append(f"the torque of links[{k}] was {link.joint.torque.name}, a function, which a file cannot keep: "
                        "here it is 0")
            link = replace(link, joint=replace(link.joint, torque=0.0))
        links.append(link)
    return (run.arm.replace(links=tuple(links)) if lost else run.arm), lost


def unpack(shelf):
    """The run again."""
    arm, t = arm_of(shelf.text("model"), "/model"), shelf.array("t", None)
    n, nv, planes = len(t), len(arm.names), len(arm.planes)
    lines, peaks, turns = (shelf.array(name, None, columns)
                           for name, columns in (("touching", layout.LOG), ("peaks", 4), ("reversals", 3)))
    contacts, at = [], 0
    for k, row in enumerate(shelf.array("contacts", None, len(STAYS))):
        mine = turns[turns[:, 0] == k]
        contacts.append(Contact(
            int(row[0]), *row[1:4].tolist(), [tuple(peak[1:].tolist()) for peak in peaks[peaks[:, 0] == k]],
            tuple(tuple(mine[mine[:, 1] == axis, 2].tolist()) for axis in range(2)), float(row[4]),
            lines[at:at + int(row[5])]))
        at += int(row[5])
    words = {name: shelf.words[name] for name in WORDS}
    run = ArmRun(arm, t, shelf.array("q", n, nv), shelf.array("v", n, nv), shelf.array("works", n, layout.WORKS),
                 contacts, shelf.words["status"], shelf.group("stats"), words.pop("why"),
                 shelf.array("touch", n, planes), settings=shelf.group("settings"), **words)
    for name, shape in (("accelerations", (nv,)), ("points", (planes, 9)), ("energy", (2,))):
        run.__dict__[name] = shelf.array(name, n, *shape)
    return run
