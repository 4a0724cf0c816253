"""`view`: a run as one HTML file that plays the motion, with no network and nothing else beside it."""

import base64
import json
import math
from html import escape
from pathlib import Path
from string import Template

import numpy as np

from ..describe.check import positive
from ..describe.joints import Free, FreePlanar
from ..describe.link import BASE
from ..describe.writing import write_whole
from ..kinds import kind_of
from .body_box import box_of
from .frames import frames, modal, shape_table
from .skeleton import end_of, on_line, seats, with_free_tips
from .traces import check_drawable, evenly, span_of

PARTS = Path(__file__).parent/"player"
SCRIPTS = ("motion.js", "camera.js", "drawing.js", "controls.js")
NUMBERS = 2_000_000             # of all samples together, 4 bytes each; beyond it some samples are left out
SIDE, ABOVE = math.atan2(-0.6, 0.8), math.asin(0.3)     # rad, where space is first seen from


def view(run, out="motion.html", *, magnify=None):
    """Write a page that plays a run: one HTML file of its own, to open in any browser, without network.

    Parameters
    ----------
    run : of a chain, or of another kind of system that can be played.
    out : file to write, whole or not at all.
    magnify : factor of the deflection to begin with; None takes one that shows it.

    Returns
    -------
    out.
    """
    check_drawable(run)
    magnify = None if magnify is None else positive(magnify, "magnify", "")
    write_whole(out, kind_of(run).player(run, magnify))
    return out


def page(run, magnify):
    """The HTML text of a chain's run."""
    rows = evenly(len(run.t), max(2, NUMBERS//_numbers_a_sample(run)))
    return html(run.chain.name or "chain", _about(run, rows), content(run, rows, magnify))


def html(title, about, content):
    """The text of a page that plays `content`."""
    from .. import __version__

    script = "\n".join((PARTS/name).read_text(encoding="utf-8") for name in SCRIPTS)
    data = json.dumps(content, separators=(",", ":"), allow_nan=False).replace("<", "\\u003c")
    return Template((PARTS/"page.html").read_text(encoding="utf-8")).substitute(
        version=__version__, title=escape(title), about=escape(about),
        style=(PARTS/"style.css").read_text(encoding="utf-8").strip(), data=data, script=script.strip())


def _numbers_a_sample(run):
    return (3 if run.chain.planar else 7)*len(run.chain.links) + 3*len(run.point_names) \
        + sum(link.modes for link in run.chain.links) + 1


def _about(run, rows):
    links, bent = len(run.chain.links), sum(1 for link in run.chain.links if link.modes)
    said = [f"{links} link{'s' if links > 1 else ''}" + (f", {bent} of them elastic" if bent else ""),
            f"{run.t[-1] - run.t[0]:.6g} s"]
    if len(run.contacts):
        said.append(f"{len(run.contacts)} contact{'s' if len(run.contacts) > 1 else ''}")
    if len(rows) < len(run.t):
        said.append(f"{len(rows)} of {len(run.t)} samples")
    return ", ".join(said) + ("" if run.ok else f"; stopped: {run.message}")


# -------------------------------------------------------------------------------------------------------------- content

def content(run, rows, magnify):
    """What the page has to know, numbers of many samples as text of base 64."""
    chain, t, q = run.chain, run.t[rows] - run.t[0], run.q[rows]
    turns, origins = frames(chain, q)
    shapes, shape_of = _shapes(chain)
    amplitudes = [q[:, modal(chain, i)] for i, link in enumerate(chain.links) if link.modes]
    low, high = bounds(run, turns, origins)
    up = "xyz".index(upward(chain))
    extent = np.maximum(high - low, 1e-9 + 0.05*np.max(high - low))
    middle = (low + high)/2
    contacts, touch = _contacts(run)
    return {
        "planar": chain.planar, "up": "xyz"[up], "t0": float(run.t[0]), "t": packed(t),
        "pose": packed(_planar_poses(turns, origins) if chain.planar else _poses(turns, origins)),
        "modal": packed(np.hstack(amplitudes) if amplitudes else []), "modes": sum(a.shape[1] for a in amplitudes),
        "links": list(_links(chain, shape_of)), "shapes": shapes, "base": listed(seats(chain)),
        "points": packed(run.points[rows]), "pointNames": list(run.point_names), "contacts": contacts, "touch": touch,
        "grounds": [{"normal": listed(ground.normal), "point": listed(ground.point)} for ground in chain.grounds],
        "middle": listed(middle), "lowest": listed(np.where(np.arange(3) == up, low, middle)),
        "extent": listed(extent[:2]), "size": float(np.linalg.norm(extent)), "view": [SIDE, ABOVE],
        "magnify": float(f"{magnify:.4g}"),
    }


def packed(values):
    return base64.b64encode(np.ascontiguousarray(values, "<f4").tobytes()).decode()


def listed(values):
    return np.asarray(values, float).tolist()


def _planar_poses(turns, origins):
    angles = np.unwrap(np.arctan2(turns[:, :, 1, 0], turns[:, :, 0, 0]), axis=0)
    return np.concatenate([origins[:, :, :2], angles[:, :, None]], axis=2)


def _poses(turns, origins):
    return np.concatenate([origins, quaternions(turns)], axis=2)


def quaternions(turns):
    """Unit quaternions (..., 4), w x y z, of rotation matrices (..., 3, 3), from the largest of their parts."""
    R = np.asarray(turns, float)
    xx, yy, zz = R[..., 0, 0], R[..., 1, 1], R[..., 2, 2]
    a, b, c = R[..., 2, 1], R[..., 0, 2], R[..., 1, 0]
    d, e, f = R[..., 1, 2], R[..., 2, 0], R[..., 0, 1]
    products = np.stack([
        np.stack([1 + xx + yy + zz, a - d, b - e, c - f], -1), np.stack([a - d, 1 + xx - yy - zz, f + c, b + e], -1),
        np.stack([b - e, f + c, 1 - xx + yy - zz, d + a], -1), np.stack([c - f, b + e, d + a, 1 - xx - yy + zz], -1),
    ], -2)                                                  # 4 q q^T
    largest = np.argmax(np.diagonal(products, axis1=-2, axis2=-1), axis=-1)
    row = np.take_along_axis(products, largest[..., None, None], axis=-2)[..., 0, :]
    return row/np.linalg.norm(row, axis=-1, keepdims=True)


def _shapes(chain):
    """The tables of all mode shapes, each once, and which of them a link has."""
    tables, number = [], {}
    for link in chain.links:
        if link.modes and link.elastic not in number:
            places, table = shape_table(link)
            number[link.elastic] = len(tables)
            tables.append({"places": _short(places), "W": [_short(row) for row in table]})
    return tables, number


def _short(values):
    return [float(f"{x:.6g}") for x in values]


def _links(chain, shape_of):
    at, free = 0, {link.name for link in with_free_tips(chain)}
    for link, place in zip(chain.links, chain.joint_positions):
        on_base = link.parent == BASE
        parent = None if on_base else chain.links[chain.index(link.parent)]
        yield {
            "parent": -1 if on_base else chain.index(link.parent), "end": listed(end_of(link)), "modes": link.modes,
            "seat": None if on_base and isinstance(link.joint, Free | FreePlanar) else listed(place),
            "freeTip": link.name in free, "atTip": bool(parent and parent.modes and any(place)),
            "offLine": bool(parent and not on_line(place, parent)),
            "box": [listed(np.round(edge, 9)) for edge in box_of(link)],
            **({"shape": shape_of[link.elastic], "modalAt": at} if link.modes else {}),
        }
        at += link.modes


def upward(chain):
    """The axis that is drawn upwards."""
    x, y, z = map(abs, chain.gravity)
    return "y" if chain.planar or y > max(x, z) else "z"


def bounds(run, turns, origins):
    """The box (low, high) that joints, tips, bodies and contact points stay in."""
    marks = [np.vstack([end_of(link), *box_of(link)]) for link in run.chain.links]
    marked = [origins[:, i, None] + mark @ np.swapaxes(turns[:, i], 1, 2) for i, mark in enumerate(marks)]
    points = np.concatenate([x.reshape(-1, 3) for x in (origins, *marked, run.points, seats(run.chain))])
    points = points[np.all(np.isfinite(points), axis=1)]
    return (points.min(axis=0), points.max(axis=0)) if len(points) else (np.zeros(3), np.ones(3))


def _contacts(run):
    """Contacts in words, times since the start of the run; their forces step by step, times since their own start."""
    found, rows = [], [np.empty((0, 3))]
    for contact in run.contacts:
        (start, last), end = span_of(run, contact), contact["end"]
        mine = run.touching[(run.touching["point"] == contact["point"]) & (run.touching["ground"] == contact["ground"])
                            & (run.touching["time"] >= start) & (run.touching["time"] <= last)]
        peak = mine["time"][np.argmax(mine["normal"])] if len(mine) else (start + last)/2
        at = sum(map(len, rows))
        rows.append(np.column_stack([mine["time"] - start, mine["normal"], mine["friction"]]))
        found.append({
            "point": int(contact["point"]), "ground": int(contact["ground"]), "start": float(start - run.t[0]),
            "end": float(end - run.t[0]) if np.isfinite(end) else None, "most": float(np.nan_to_num(contact["force"])),
            "peak": float(peak - run.t[0]), "from": at, "to": at + len(mine),
        })
    return found, packed(np.vstack(rows))
