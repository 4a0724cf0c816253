"""An arm and a run of it as tables on the screen: where every number comes from; contacts, energies, cost."""

import math
from dataclasses import astuple

import numpy as np

from ..describe.check import shown
from ..show.paper import paper
from ..show.summary import table
from .modal_link import ModalLink

WORKERS = ("normal forces", "friction", "dampers", "drives")
MOST = 24                                                   # contacts that are told one by one


def of_arm(arm):
    """Print links, planes, and where every number comes from."""
    console = paper()
    console.print(f"{arm.name}: {len(arm.links)} links, {len(arm.names)} degrees of freedom")
    console.print()
    for rows, sides in ((_links(arm), "lrrrrl"), (_planes(arm), "ll"), (_origins(arm), "lrlll")):
        rows = list(rows)
        if len(rows) > 1:
            console.print(table(rows, sides))
            console.print()


def _links(arm):
    yield "link", "length, m", "mass, kg", "joint K, N m/rad", "rotor, kg m^2", "modes: axial, y, z, torsion"
    for k, link in enumerate(arm.links, 1):
        beam, joint = link.beam, link.joint
        mass = sum(b.mass for b in (*link.proximal, *link.distal)) + (
            0.0 if beam is None else beam.straight[3][3] if isinstance(beam, ModalLink) else beam.rho_A*beam.length)
        length = math.dist((0.0, 0.0, 0.0), link.tip) if beam is None else beam.length
        yield (f"{k}", f"{length:.6g}", f"{mass:.6g}", f"{joint.stiffness:.6g}" if joint.stiffness else "rigid",
               f"{joint.rotor:.6g}", "rigid" if beam is None else ", ".join(map(str, beam.modes)))


def _planes(arm):
    yield "plane", "what meets it"
    for plane in arm.planes:
        where = "end" if plane.eta is None else f"place {plane.eta:.6g} m"
        laws = [f"{law}: " + ", ".join(f"{key} {shown(value)}" for key, value in numbers.items())
                for law, numbers in ((plane.law, plane.numbers), (plane.friction, plane.friction_numbers))]
        yield (f"through {shown(plane.point)} m, normal {shown(tuple(round(x, 6) for x in plane.normal))}",
               f"the {where} of link {plane.link + 1}; " + "; ".join(law.removesuffix(": ") for law in laws))


def _origins(arm):
    yield "parameter", "value", "unit", "source", "of"
    for name, value, unit, source, about in map(astuple, arm.provenance):
        yield name, value if isinstance(value, str) else _number(value), unit, source, about


def _number(value):
    return ("yes" if value else "no") if isinstance(value, bool) else f"{value:.10g}"


# --------------------------------------------------------------------------------------------------------------- a run

def of_run(run):
    """Print what it cost, contacts with their peaks and reversals, energies and works."""
    console = paper()
    for rows, sides in ((_cost(run), "lrl"), (_contacts(run), "rrrrrrrl"), (_peaks(run), "rrrr"),
                        (_energy(run), "lrrl")):
        rows = list(rows)
        if len(rows) > 1:
            console.print(table(rows, sides))
            console.print()


def _cost(run):
    yield "links", f"{len(run.arm.links)}", ""
    yield "degrees of freedom", f"{run.q.shape[1]}", ""
    yield "simulated time", f"{run.t[-1]:.6g}", "s"
    yield "steps", f"{run.counts['steps']}", run.stepper
    evaluations = run.counts["evaluations"]
    yield "evaluations", f"{evaluations}", f"formulation {run.formulation}"
    yield "time on the clock", f"{run.seconds:.3g}", f"s, {1e6*run.seconds/max(evaluations, 1):.3g} us/evaluation"


def _contacts(run):
    yield ("contact", "start, s", "end, s", "lasts, ms", "speed, m/s", "depth, mm", "peaks",
           "sliding turns along t1; t2, s")
    for k, c in enumerate(run.contacts[:MOST], 1):
        turns = "; ".join(", ".join(f"{t:.6f}" for t in times) or "never" for times in c.reversals)
        yield (f"{k}", f"{c.start:.10f}", f"{c.end:.10f}" if c.end == c.end else "open", f"{1e3*(c.end - c.start):.6f}"
               if c.end == c.end else "", f"{c.speed:.6g}", f"{1e3*c.depth:.6g}", f"{len(c.peaks)}", turns)
    if len(run.contacts) > MOST:
        yield f"{len(run.contacts)}", "in all", "", "", "", "", "", ""


def _peaks(run):
    yield "peak of contact", "at, s", "normal force, N", "friction, N"
    for k, c in enumerate(run.contacts[:MOST], 1):
        for t, N, F in c.peaks:
            yield f"{k}", f"{t:.9f}", f"{N:.3f}", f"{F:.3f}"


def _energy(run):
    yield "energy, J", "at the start", "at the end", ""
    (T0, V0), (T1, V1) = run.energy[[0, -1]]
    yield "kinetic", f"{T0:.9g}", f"{T1:.9g}", ""
    yield "potential", f"{V0:.9g}", f"{V1:.9g}", ""
    for name, work in zip(WORKERS, run.works[-1]):
        if work:
            yield f"work of {name}", "", f"{work:.9g}", ""
    yield "missing", "", f"{run.balance[-1]:.1e}", f"at most {np.abs(run.balance).max():.1e} at any time"
