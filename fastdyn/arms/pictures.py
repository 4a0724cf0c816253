"""The figures of a run of a spatial arm: those of the source, whole run and around the first contact."""

from dataclasses import replace

import numpy as np

from ..show.figures import Figure
from ..show.panel import gentle
from ..show.sheet import Curve, Plot, Sheet
from . import layout as L
from .outline import tips
from .run import hermite, two
from .shapes import kinds
from .tables import WORKERS

WIDE = (1.4, 1.0)                                           # a column for the whole run, one for the window
ROOM = 0.25                                                 # of a contact, before and behind it in its window
PARTS = {"x": "axial", "y": "bending y", "z": "bending z", "t": "torsion"}
MOST = 4                                                    # contacts whose sliding is drawn
FINE = 12                                                   # points drawn between two steps of a contact
BLACK, SOFT = 6, 7                                          # of the colours


# -------------------------------------------------------------------------------------------------------------- windows

def spans(run):
    """(start, end) of the contacts as far as the run tells of them, s."""
    last = float(run.t[-1])
    return [(float(c.start), float(c.end) if c.end == c.end else last) for c in run.contacts]


def window(run, zoom):
    """The chosen window, or one around the first contact; None without."""
    if zoom or not run.contacts:
        return zoom
    start, end = max(spans(run)[:4], key=lambda span: span[1] - span[0])
    room = ROOM*(end - start)
    return max(start - room, float(run.t[0])), min(end + room, float(run.t[-1]))


def _both(run, zoom, title, unit, curves, **words):
    """A panel of the whole run and one of the window."""
    seen, marked = window(run, zoom), spans(run)
    row = [Plot(title, unit, curves, marked=marked, legend=any(curve.label for curve in curves), **words)]
    curves = [replace(curve, label="") for curve in curves]
    return row + ([Plot(title, unit, curves, seen, marked=marked, **words)] if seen else [])


def _sheet(run, title, rows, about, height=190):
    about += "; contacts on a tinted ground" if run.contacts else ""
    return Sheet(f"{title}: {run.arm.name}", rows, about, WIDE if len(rows[0]) > 1 else (1.0,), height).page()


def _only(run, x, slope=None, label="", number=0):
    return [Curve(run.t, x, label, number, slope=slope)]


# --------------------------------------------------------------------------------------------------------------- motion

def overview(run, zoom=None, **_):
    """Angles of the joints, tips, energies on one page."""
    rows = [_both(run, zoom, "joint angles", "rad", _joints(run, run.q, run.v))] if _turning(run) else []
    if _bends(run):
        k = _bends(run)[-1]
        ends, speeds = tips(run.arm, run.q, run.v)
        curves = [Curve(run.t, ends[:, k, i], "xyz"[i], i, slope=speeds[:, k, i]) for i in range(3)]
        rows.append(_both(run, zoom, f"end of link {k + 1}, from straight", "m", curves))
    rows.append(_both(run, zoom, "energy", "J", _energies(run)))
    return _sheet(run, "Overview", rows, f"{len(run.arm.links)} links, {run.q.shape[1]} degrees of freedom")


def point(run, zoom=None, **_):
    """Displacement of each point that may touch: x, y, z, and its height above the plane."""
    rows = []
    for k, plane in enumerate(run.arm.planes):
        place, speed = run.points[:, k, :3], run.points[:, k, 3:6]
        name = f"end of link {plane.link + 1}" if plane.eta is None else f"link {plane.link + 1} at {plane.eta:g} m"
        for i in range(3):
            curves = _only(run, place[:, i], speed[:, i], number=i)
            rows.append(_both(run, zoom, f"{'xyz'[i]} of the {name}", "m", curves))
        n = np.array(plane.normal)
        rows.append(_both(run, zoom, "height above the plane", "m",
                          _only(run, (place - plane.point) @ n, speed @ n, number=3)))
    return _sheet(run, "Contact point", rows, "world axes", 150)


def tip(run, zoom=None, **_):
    """How far the end of each flexible link is from where it would be straight, in the link's axes."""
    ends, speeds = tips(run.arm, run.q, run.v)
    rows = []
    for k in _bends(run):
        for i in range(3):
            if np.any(ends[:, k, i]):
                curves = _only(run, ends[:, k, i], speeds[:, k, i], number=i)
                rows.append(_both(run, zoom, f"link {k + 1}, {'xyz'[i]}", "m", curves))
    return _sheet(run, "Deformation of ends", rows, "from straight, axes of the link: x along it, z its joint", 130)


def joint_velocities(run, zoom=None, **_):
    return _of_joints(run, zoom, "Velocities of joints", "rad/s", run.v, run.accelerations)


def joint_accelerations(run, zoom=None, **_):
    return _of_joints(run, zoom, "Accelerations of joints", "rad/s²", run.accelerations, None)


def _of_joints(run, zoom, title, unit, x, slope):
    rows = []
    for k, at in _turning(run):
        sides = [("link", at)] + ([("motor", at - 1)] if run.arm.links[k].joint.stiffness else [])
        curves = [Curve(run.t, x[:, j], name, i, slope=None if slope is None else slope[:, j])
                  for i, (name, j) in enumerate(sides)]
        rows.append(_both(run, zoom, f"joint {k + 1}", unit, curves))
    return _sheet(run, title, rows, "side of the link, and of the motor where the joint is flexible", 150)


def modes(run, zoom=None, **_):
    """The modal coordinates of every flexible link, kind by kind."""
    rows, at = [], 0
    for k, link in enumerate(run.arm.links):
        at += (link.joint.stiffness > 0.0) + (link.joint.spin is None)
        found = [] if link.beam is None else kinds(link.beam)
        for kind, about in PARTS.items():
            mine = [(at + j, order) for j, (own, order) in enumerate(found) if own == kind]
            if mine:
                curves = [Curve(run.t, run.q[:, j], f"mode {order}", order - 1, slope=run.v[:, j]) for j, order in mine]
                rows.append(_both(run, zoom, f"link {k + 1}, {about}", "rad" if kind == "t" else "m", curves))
        at += len(found)
    return _sheet(run, "Modal coordinates", rows, "shapes with unit value at the end", 140)


# -------------------------------------------------------------------------------------------------------------- contact

def fine_lines(contact, at, slope=None):
    """(s, values) of a column of a contact's log through its steps, by cubics with its slopes."""
    x = contact.lines
    t, y = x[:, L.L_TIME], x[:, at]
    dy = gentle(t, y) if slope is None else x[:, slope]
    if len(t) < 3 or dy is None:
        return t, y
    s = np.arange(FINE)/FINE
    where, values = [], []
    for i in np.flatnonzero(np.diff(t) > 0.0):
        where.append(t[i] + s*(t[i + 1] - t[i]))
        values.append(hermite(*two(t, y, dy, i), s))
    return np.append(np.concatenate(where), t[-1]), np.append(np.concatenate(values), y[-1])


def forces(run, zoom=None, **_):
    """Normal force and friction: whole run, and through the longest of the first contacts."""
    rows = []
    for title, at, slope, number in (("normal force", L.L_NORMAL, L.L_SLOPE, 0), ("friction", L.L_FRICTION, None, 1)):
        for k in range(len(run.arm.planes)):
            pieces = [fine_lines(c, at, slope) for c in run.contacts if c.plane == k]
            if pieces:
                edges = [([t], [0.0]) for t in (run.t[0], run.t[-1])]
                framed = [edges[0], *map(_framed, pieces), edges[1]]
                t, F = (np.concatenate([piece[i] for piece in framed]) for i in range(2))
                if np.isnan([c.end for c in run.contacts if c.plane == k][-1]):     # without the zeros behind it
                    t, F = t[:-2], F[:-2]
                name = title + (f", plane {k + 1}" if len(run.arm.planes) > 1 else "")
                rows.append(_both(run, zoom, name, "N", [Curve(t, F, "", number)]))
    peaks = [f"{t:.6f} s {N/1e3:.3f} kN" for t, N, _ in run.contacts[0].peaks]
    about = f"{len(run.contacts)} contact{'s'*(len(run.contacts) > 1)}; peaks of the first: {', '.join(peaks)}"
    return _sheet(run, "Forces of the plane", rows, about, 230)


def _framed(piece):
    """A contact's course with a zero at both ends."""
    t, F = piece
    return np.concatenate([[t[0]], t, [t[-1]]]), np.concatenate([[0.0], F, [0.0]])


def sliding(run, **_):
    """v_t1 and v_t2 through the first contacts; where they change sign stands a line."""
    rows = []
    for number, contact in enumerate(run.contacts[:MOST], 1):
        for axis, (at, slope) in enumerate(((L.L_SLIP1, L.L_SLOPE1), (L.L_SLIP2, L.L_SLOPE2))):
            t, v = fine_lines(contact, at, slope)
            turns = contact.reversals[axis]
            note = "changes sign at " + ", ".join(f"{x:.9g} s" for x in turns) if turns else "does not change sign"
            ends = np.array([v.min(), v.max()])
            curves = [Curve(np.array([x, x]), ends, "", SOFT, 1.0) for x in turns] + [Curve(t, v, "", axis)]
            rows.append([Plot(f"v_t{axis + 1}, contact {number}", "m/s", curves, (t[0], t[-1]), note=note)])
    return Sheet(f"Sliding velocity: {run.arm.name}", rows, "of the point in the plane, along t1 and t2; a line at "
                 "every change of sign", height=180).page()


# --------------------------------------------------------------------------------------------------------------- energy

def energy(run, zoom=None, **_):
    """Energies, works, and what is missing between them."""
    works = [Curve(run.t, run.works[:, i], name, i) for i, name in enumerate(WORKERS) if np.any(run.works[:, i])]
    rows = [_both(run, zoom, "energy", "J", _energies(run))]
    rows += [_both(run, zoom, "work done on the arm", "J", works)] if works else []
    rows.append(_both(run, zoom, "energy less work, from the start", "J", _only(run, run.balance, number=BLACK)))
    return _sheet(run, "Energy", rows, f"missing at most {np.abs(run.balance).max():.1e} J")


def _energies(run):
    kinetic, potential = run.energy.T
    return [Curve(run.t, kinetic, "kinetic", 0), Curve(run.t, potential, "potential", 1),
            Curve(run.t, kinetic + potential, "sum", BLACK)]


# --------------------------------------------------------------------------------------------------------------- which

def _turning(run):
    """(link, column of q) of the joints that are free to turn, on the side of the link."""
    names = run.arm.names
    return [(k, names.index(f"th{k + 1}_2")) for k, link in enumerate(run.arm.links) if link.joint.spin is None]


def _joints(run, x, slope):
    return [Curve(run.t, x[:, at], f"joint {k + 1}", i, slope=slope[:, at]) for i, (k, at) in enumerate(_turning(run))]


def _bends(run):
    return [k for k, link in enumerate(run.arm.links) if link.beam is not None]


def _bending(run):
    return "" if _bends(run) else "no link is flexible"


def _touched(run):
    return "" if any(len(c.lines) > 2 for c in run.contacts) else "nothing touched a plane"


def _free(run):
    return "" if _turning(run) else "every joint moves as prescribed"


FIGURES = {
    "overview": Figure(overview, lambda run: "", "joints, the last flexible link, energies"),
    "point": Figure(point, lambda run: "" if run.arm.planes else "no point may touch a plane",
                    "displacement of the contact point"),
    "tip": Figure(tip, _bending, "deformation of the ends of flexible links, x, y, z"),
    "forces": Figure(forces, _touched, "normal force and friction, whole run and through a contact"),
    "sliding": Figure(sliding, _touched, "sliding velocities and where they change sign"),
    "velocities": Figure(joint_velocities, _free, "of the joints, link and motor"),
    "accelerations": Figure(joint_accelerations, _free, "of the joints, link and motor"),
    "modes": Figure(modes, _bending, "modal coordinates"),
    "energy": Figure(energy, lambda run: "", "energies, works, balance"),
}
