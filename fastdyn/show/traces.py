"""What the figures of a run read from it: a few points over time, forces between contacts, and windows worth a look."""

import math
from typing import NamedTuple

import numpy as np

from ..describe.joints import Free, FreePlanar
from ..describe.link import BASE
from ..run.places import position, velocity
from ..status import ModelError
from .panel import gentle, smoothed

MOST = 8            # curves that can be told apart in one panel
STATES = 2000       # at which points are asked for that the run does not carry
SAME = 1e-9         # of a contact: times closer than that are one
FINE = 100          # columns of pixels for which the force of a contact is made smooth
GROUP = 10.0        # contacts closer than so many durations belong together
AT_REST = 1e-10     # m/s: where a point slips no faster it may begin to stick, or to slip
JUMP = 0.02         # of the largest friction of a contact: a jump that shows
PART = 1/15         # of the run: a window that shows more is none


def check_drawable(run):
    """Refuse a run in which nothing moves on."""
    if len(run.t) < 2 or not run.t[-1] > run.t[0]:
        raise ModelError(f"the run has {len(run.t)} sample{'s'*(len(run.t) != 1)} and no motion to draw")


class Points(NamedTuple):
    """A few points: names, times (s), places (samples, points, 3), velocities alike; how many there are in all."""

    names: tuple[str, ...]
    t: np.ndarray
    x: np.ndarray
    v: np.ndarray
    of: int


def points_of(run):
    """The contact points of a run or, without ground, its joints and tips; evenly chosen if they are many."""
    if run.point_names:
        chosen = evenly(len(run.point_names), MOST)
        return Points(tuple(run.point_names[i] for i in chosen), run.t, run.points[:, chosen],
                      run.point_velocities[:, chosen], len(run.point_names))
    places = _moving_places(run.chain)
    chosen = [places[i] for i in evenly(len(places), MOST)]
    finite = np.flatnonzero(np.isfinite(run.q).all(axis=1) & np.isfinite(run.v).all(axis=1))
    rows = finite[evenly(len(finite), STATES)]
    x, v = np.empty((2, len(rows), len(chosen), 3))
    for i, row in enumerate(rows):
        for k, (_, link, place) in enumerate(chosen):
            x[i, k] = position(run.chain, run.q[row], link, place)
            v[i, k] = velocity(run.chain, run.q[row], run.v[row], link, place)[0]
    return Points(tuple(name for name, _, _ in chosen), run.t[rows], x, v, len(places))


def speeds_of(run, points, k):
    """(s, velocities) of point k: those of the samples and, in the plane, of every step while it touches."""
    mine = run.touching[run.touching["point"] == _number(run, points.names[k])]
    if not (run.chain.planar and len(mine)):
        return points.t, points.v[:, k]
    n = np.array([ground.normal for ground in run.chain.grounds])[mine["ground"]]
    along = np.column_stack([n[:, 1], -n[:, 0], n[:, 2]])
    v = -mine["rate"][:, None]*n + mine["slip"][:, None]*along
    t, first = np.unique(np.concatenate([points.t, mine["time"]]), return_index=True)
    return t, np.concatenate([points.v[:, k], v])[first]


def _number(run, name):
    return run.point_names.index(name) if name in run.point_names else -1


def _moving_places(chain):
    """(name, link, place) of joints that are not held by the base, and of tips that nothing hangs on."""
    parents = {link.parent for link in chain.links}
    found = []
    for link in chain.links:
        if link.parent != BASE or isinstance(link.joint, Free | FreePlanar):
            found.append((link.name, link.name, (0.0, 0.0, 0.0)))
        if link.name not in parents and link.length > 0.0:
            found.append((f"{link.name}.tip", link.name, link.tip))
    return found or [(link.name, link.name, (0.0, 0.0, 0.0)) for link in chain.links]


def evenly(count, most):
    """Up to `most` of the numbers below count, the first and the last among them."""
    return np.unique(np.linspace(0, count - 1, min(count, most)).round().astype(int)) if count else np.zeros(0, int)


# --------------------------------------------------------------------------------------------------------------- forces

class Force(NamedTuple):
    """The force of one ground on one point, N: zero between contacts."""

    name: str
    t: np.ndarray
    normal: np.ndarray
    friction: np.ndarray


def forces_of(run, windows=()):
    """(a Force for each point and ground that touched, how many there are).

    If they are many these are the hardest hit ones: some in each window (from, to), s, the others of the whole run.
    """
    pairs = sorted(set(zip(run.contacts["point"].tolist(), run.contacts["ground"].tolist())))
    several, kept = len({ground for _, ground in pairs}) > 1, []
    for window in (*windows, (-np.inf, np.inf)):
        hits = _hardest_hits(run, *window)
        most = MOST if np.isinf(window[0]) else min(MOST, len(kept) + MOST//(len(windows) + 1))
        kept += [pair for pair in hits if pair not in kept][:most - len(kept)]
    changes = _changes_of_friction(run)
    return [_force(run, *pair, several, changes) for pair in sorted(kept)], len(pairs)


def _hardest_hits(run, low, high):
    """(point, ground) of contacts with a part in a window, hardest first."""
    start, end = run.contacts["start"], run.contacts["end"]
    inside = run.contacts[~(start > high) & ~(end < low)]     # NaN: it was there before, or is still
    order = inside[np.argsort(-inside["force"], kind="stable")]
    return list(dict.fromkeys(zip(order["point"].tolist(), order["ground"].tolist())))


def _force(run, point, ground, several, changes):
    mine = run.touching[(run.touching["point"] == point) & (run.touching["ground"] == ground)]
    contacts = run.contacts[(run.contacts["point"] == point) & (run.contacts["ground"] == ground)]
    pieces = [_piece(run, mine, contact, changes) for contact in contacts]
    edge = np.zeros((1, 3))
    first, last = edge + [run.t[0], 0.0, 0.0], edge + [run.t[-1], 0.0, 0.0]
    rows = np.vstack([*([] if np.isnan(contacts["start"]).any() else [first]), *pieces,
                      *([] if np.isnan(contacts["end"]).any() else [last])])
    name = run.point_names[point] + (f", ground {ground}" if several else "")
    return Force(name, *rows.T)


def _changes_of_friction(run):
    """Times, s, at which points began to stick or to slip: the friction of those that stick may jump there."""
    found = [np.zeros(0)]
    for pair in np.unique(run.touching[["point", "ground"]]):
        rows = run.touching[run.touching[["point", "ground"]] == pair]
        slips = (np.abs(rows["slip"]) > AT_REST) & (rows["slip"]*rows["friction"]*rows["normal"] <= 0.0)
        beside = np.append(slips[1:], False) | np.append(False, slips[:-1])
        found.append(rows["time"][~slips & beside])
    return np.unique(np.concatenate(found))


def _piece(run, mine, contact, changes):
    """(time, normal force, friction) through one contact, smooth between its steps and its jumps, zero where it starts
    and ends."""
    start, end = span_of(run, contact)
    near = SAME*(end - start)
    began = -1.0 if np.isnan(contact["start"]) else 1.0     # before the run: its first row has a force
    rows = mine[(mine["time"] > start + began*near) & (mine["time"] < end - near)]
    ends = [[edge]*(not np.isnan(contact[word])) for word, edge in (("start", start), ("end", end))]
    times = np.concatenate([ends[0], rows["time"], ends[1]])
    values = [np.concatenate([np.zeros(len(ends[0])), rows[name], np.zeros(len(ends[1]))])
              for name in ("normal", "friction")]
    pieces, first, normal_slope = [], 0, gentle(times, values[0])
    changing = np.isin(times, changes)
    for last in (*_jumps(times, values[1], changing), len(times) - 1):
        some = slice(first, last + 1)
        t, friction = times[some], values[1][some]
        if first > 0:
            t = np.append(times[first - 1], t)
            friction = np.append(_before(times, values[1], changing, first), friction)
        fine, friction = smoothed(t, friction, gentle(t, friction), FINE)
        pieces.append((fine, friction))
        first = last + 1
    fine, friction = (np.concatenate(parts) for parts in zip(*pieces))
    known, normal = smoothed(times, values[0], normal_slope, 4*FINE)
    return np.column_stack([fine, np.interp(fine, known, normal), friction])


def _jumps(times, friction, changing):
    """Rows of a contact behind which its friction jumps: rows hold what it was before a switch."""
    least = JUMP*np.max(np.abs(friction))
    return [i for i in np.flatnonzero(changing[:-2])
            if abs(_before(times, friction, changing, i + 1) - friction[i]) > least]


def _before(times, friction, changing, i):
    """Friction just behind the row before row i: on the line through row i and the next if nothing changes there."""
    h, before = times[i + 1] - times[i], times[i] - times[i - 1]
    return friction[i] - (before/h*(friction[i + 1] - friction[i]) if h > before and not changing[i] else 0.0)


# -------------------------------------------------------------------------------------------------------------- windows

def zoom_of(run):
    """A fifteenth of the run, at round times, around its hardest contact; None without contacts."""
    if not len(run.contacts):
        return None
    start = hardest(run)[0]
    t_first, t_last = float(run.t[0]), float(run.t[-1])
    least = 0.99*(t_last - t_first)*PART
    power = 10.0**math.floor(math.log10(least))
    width = next(s*power for s in (1, 2, 5, 10) if s*power >= least)
    low = math.floor((start - t_first)/width + 1e-9)*width + t_first
    return max(low, t_first), min(low + width, t_last)


def hardest(run):
    """(start, end) of the contact with the largest normal force, s."""
    return span_of(run, run.contacts[np.argmax(run.contacts["force"])])


def roughest(run):
    """(start, end) of the contact with the largest friction, either way, s."""
    if not len(run.touching):
        return hardest(run)
    row = run.touching[np.argmax(np.abs(run.touching["friction"]))]
    here = run.contacts[(run.contacts["point"] == row["point"]) & (run.contacts["ground"] == row["ground"])]
    spans = [span_of(run, contact) for contact in here]
    return max((span for span in spans if span[0] <= row["time"]), default=spans[0])


def first_group(run):
    """(start, end) of the first contacts that follow each other closely, s; no more than a part of the run."""
    spans = sorted(span_of(run, contact) for contact in run.contacts)
    start, end = spans[0]
    longest, most = end - start, PART*(run.t[-1] - run.t[0])
    for low, high in spans[1:]:
        if low - end > GROUP*longest or high - start > most:
            break
        end, longest = max(end, high), max(longest, high - low)
    return start, end


def span_of(run, contact):
    """(start, end) of a contact as far as the run tells of it, s."""
    start, end = float(contact["start"]), float(contact["end"])
    return start if start == start else float(run.t[0]), end if end == end else float(run.t[-1])


def contact_spans(run, most=np.inf):
    """(start, end) of all contacts, none at all if they are more than `most`."""
    return [span_of(run, contact) for contact in run.contacts] if len(run.contacts) <= most else []
