"""The page that plays a run of a spatial arm: lines of its links, planes, forces of contacts as arrows."""

import math

import numpy as np

from ..show.player import ABOVE, NUMBERS, SIDE, html, listed, packed
from ..show.stage import Shape, Stage
from ..show.traces import evenly
from . import layout as L
from .outline import lines_of

POINTS = 17                                                 # of the line of a flexible link
SHOWN = 0.08                                                # of a link: the bow that is drawn, if none is told
LOOKED_AT = 400                                             # samples from which a stage is told
LOGGED = (L.L_TIME, L.L_NORMAL, L.L_SLIP1, L.L_SLIP2, L.L_FRICTION)


def page(run, magnify):
    """The HTML text."""
    arm = run.arm
    rows = evenly(len(run.t), max(2, NUMBERS//(3*POINTS*len(arm.links))))
    lines = lines_of(arm, run.q[rows], run.t[rows], POINTS)
    flexible = sum(link.beam is not None for link in arm.links)
    contacts = len(run.contacts)
    about = [f"{len(arm.links)} link{'s'*(len(arm.links) > 1)}, {flexible} of them flexible",
             f"{run.t[-1] - run.t[0]:.6g} s", *[f"{contacts} contact{'s'*(contacts > 1)}"]*(contacts > 0),
             *[f"{len(rows)} of {len(run.t)} samples"]*(len(rows) < len(run.t))]
    said = ", ".join(about) + ("" if run.ok else f"; stopped: {run.message}")
    return html(arm.name, said, content(run, rows, lines, good_factor(lines) if magnify is None else magnify))


def content(run, rows, lines, magnify):
    """What the page has to know; see show/player/motion.js."""
    arm, t = run.arm, run.t[rows] - run.t[0]
    low, high = _bounds(lines)
    up = "xyz".index(_upward(arm))
    middle, extent = (low + high)/2, np.maximum(high - low, 1e-9 + 0.05*np.max(high - low))
    contacts, touch = _contacts(run)
    return {
        "planar": False, "up": "xyz"[up], "t0": float(run.t[0]), "t": packed(t), "pose": "", "modal": "",
        "modes": sum(link.beam is not None for link in arm.links), "links": [], "shapes": [],
        "lines": packed(np.concatenate(lines, axis=1)), "lineCounts": [line.shape[1] for line in lines],
        "base": [listed(lines[0][0, 0])], "points": packed(run.points[rows, :, :3]),
        "pointNames": [f"link {plane.link + 1}" for plane in arm.planes], "contacts": contacts,
        "touch": touch, "vectors": True,
        "grounds": [{"normal": listed(plane.normal), "point": listed(plane.point),
                     "near": listed(_near(run, k, middle))} for k, plane in enumerate(arm.planes)],
        "middle": listed(middle), "lowest": listed(np.where(np.arange(3) == up, low, middle)),
        "extent": listed(extent[:2]), "size": float(np.linalg.norm(extent)), "view": [SIDE, ABOVE],
        "magnify": float(f"{magnify:.4g}"),
    }


def stage(run, magnify):
    """What there is to see of a run, sample by sample, without the forces; magnify None: a bow that shows."""
    arm, rows = run.arm, evenly(len(run.t), LOOKED_AT)
    lines = lines_of(arm, run.q[rows], run.t[rows], POINTS)
    factor = good_factor(lines) if magnify is None else magnify

    def shape(k):
        parts = [bowed(line, factor)[0] for line in lines_of(arm, run.q[k:k + 1], run.t[k:k + 1], POINTS)]
        joints = np.array([*(part[0] for part in parts), parts[-1][-1]])
        apart = np.full((1, 3), np.nan)
        return Shape(np.vstack([row for part in parts for row in (part, apart)]), joints, run.points[k, :, :3],
                     np.zeros((len(arm.planes), 3)))

    return Stage(arm.name, run.t, shape, *_bounds(lines), _upward(arm), False,
                 tuple((plane.normal, plane.point) for plane in arm.planes), lines[0][0, :1], 0.0)


def _bounds(lines):
    """The box (low, high) of lines, the origin in it."""
    return (function(np.array([function(line, axis=(0, 1)) for line in [*lines, np.zeros((1, 1, 3))]]), axis=0)
            for function in (np.nanmin, np.nanmax))


def _upward(arm):
    """The axis that is drawn upwards."""
    x, y, z = np.abs(arm.gravity)
    return "y" if y >= max(x, z) else "z"


def _near(run, k, middle):
    """What the grid of a plane is drawn around: between the arm and where its point comes nearest to the plane."""
    plane, places = run.arm.planes[k], run.points[:, k, :3]
    height = (places - plane.point) @ np.array(plane.normal, float)
    return (middle + places[np.nanargmin(np.abs(height))])/2 if np.isfinite(height).any() else middle


def _contacts(run):
    """Contacts in words, times since the start of the run; their forces as world vectors, step by step."""
    found, rows, at = [], [np.empty((0, 4))], 0
    for c in run.contacts:
        plane = run.arm.planes[c.plane]
        n, t1 = np.array(plane.normal, float), np.array(plane.tangent, float)
        t2 = np.cross(t1, n)
        t, N, s1, s2, F = c.lines[:, LOGGED].T
        slip = np.hypot(s1, s2)
        share = np.divide(F, slip, out=np.zeros_like(F), where=slip > 0.0)[:, None]
        force = N[:, None]*n - share*(s1[:, None]*t1 + s2[:, None]*t2)
        rows.append(np.column_stack([t - c.start, force]))
        most = max((peak for _, peak, _ in c.peaks), default=float(N.max(initial=0.0)))
        peak = max(c.peaks, key=lambda peak: peak[1])[0] if c.peaks else c.start
        found.append({"point": c.plane, "ground": c.plane, "start": float(c.start - run.t[0]),
                      "end": float(c.end - run.t[0]) if math.isfinite(c.end) else None, "most": most,
                      "peak": float(peak - run.t[0]), "from": at, "to": at + len(t)})
        at += len(t)
    return found, packed(np.vstack(rows))


def bowed(line, magnify):
    """A line (samples, points, 3) whose bow beside the chord between its ends is magnified."""
    s = np.linspace(0.0, 1.0, line.shape[1])[:, None]
    chord = (1 - s)*line[:, :1] + s*line[:, -1:]
    return chord + magnify*(line - chord)


def good_factor(lines):
    """1, 2, 5, 10, ...: the largest bow beside a chord becomes about a twelfth of its link."""
    most = 0.0
    for line in lines:
        bow = np.linalg.norm(line - bowed(line, 0.0), axis=2)
        length = np.linalg.norm(line[:, -1] - line[:, 0], axis=1)
        most = max(most, float(np.nanmax(bow/np.maximum(length, 1e-300)[:, None])))
    wanted = SHOWN/(most or SHOWN)
    if wanted <= 1.0:
        return 1.0
    power = 10.0**math.floor(math.log10(wanted))
    return max(s*power for s in (1, 2, 5) if s*power <= wanted)
