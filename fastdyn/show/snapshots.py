"""The shape of a chain at several times, side by side: deflection magnified, ground, and the forces of the ground."""

import math

import numpy as np

from .frames import modal, shape_table
from .page import GRID, INK, SOFT, Area, Dots, Page, Stroke, Words, segment
from .panel import COLOURS, Panel, alike, prefixed, ticks
from .skeleton import at_an_angle, on_page, strokes

COLUMNS, WIDTH, LEFT, RIGHT, TOP = 4, 1120, 58, 24, 112     # px
BETWEEN, ABOVE, BELOW = 34, 34, 34
SHAPE, STRAIGHT, FORCE, EARTH = COLOURS[0], "#9aa7b2", COLOURS[1], "#b9a888"
SHOWN = 0.15            # of a link's length: the largest deflection that is drawn, when the factor is chosen here
LONGEST = 0.28          # of the panel's height: the longest arrow
FEW = 60                # links whose joints are still worth a dot


def snapshots(run, times=None, magnify=None, **_):
    rows = chosen_rows(run, times)
    factor = good_factor(run) if magnify is None else float(magnify)
    bends = any(link.modes for link in run.chain.links)
    shapes = [[on_page(run.chain, points) for points in strokes(run.chain, run.q[i], factor)] for i in rows]
    straight = [on_page(run.chain, strokes(run.chain, run.q[i], 0.0)[0]) for i in rows] if bends else []
    points = np.vstack([shape[0] for shape in shapes])
    points = points[~np.isnan(points[:, 0])]
    columns = min(COLUMNS, len(rows))
    width = (WIDTH - LEFT - RIGHT - BETWEEN*(columns - 1))/columns
    extent = np.ptp(points, axis=0)
    height = float(np.clip(width*(extent[1] + 0.1*extent.max())/(extent[0] or 1.0), 0.45*width, 1.25*width))
    xs, ys = alike(points, width, height, 0.08)
    largest = _largest_force(run, rows)
    decimals = max(0, 3 - math.floor(math.log10(max(run.t[-1] - run.t[0], 1e-9))))
    title = f"Snapshots: {run.chain.name or 'chain'}"
    said = [f"deflection × {factor:g}, straight chords in grey"] if bends else []
    scale, unit = prefixed(largest, "N")
    said += [f"arrows: force of the ground, the longest {largest*scale:.3g} {unit}"] if largest else []
    said += [] if run.chain.planar else [f"each picture is {xs[1] - xs[0]:.3g} m wide"]
    parts = [Words(24, 38, title, 20, INK, bold=True), Words(24, 60, "; ".join(said), 12, SOFT)]
    for k, row in enumerate(rows):
        left = LEFT + (k % columns)*(width + BETWEEN)
        top = TOP + (k//columns)*(height + ABOVE + BELOW)
        panel = Panel(left, top, width, height, xs, ys)
        parts += _ground(run.chain, panel)
        parts += panel.axes() if run.chain.planar else _frame(panel)
        parts.append(Words(left, top - 10, f"t = {run.t[row]:.{decimals}f} s", 13, INK, bold=True))
        lines, joints = shapes[k]
        if bends:
            parts.append(Stroke(panel.pixels(*straight[k].T), STRAIGHT, 1.2, dashes=(4.0, 4.0)))
        parts.append(Stroke(panel.pixels(*lines.T), SHAPE, 2.4))
        if len(joints) <= FEW:
            parts.append(Dots(panel.pixels(*joints.T), INK, 2.6))
        parts += _arrows(run, row, panel, largest)
    bottom = TOP + math.ceil(len(rows)/columns)*(height + ABOVE + BELOW)
    if run.chain.planar:
        parts.append(Words(WIDTH - RIGHT, bottom - 8, "x and y in m", 11, SOFT, "end"))
    return Page(WIDTH, bottom + 4, parts, title)


def chosen_rows(run, times):
    """Samples nearest to the times, or to eight or so round ones, one of them moved into the hardest contact."""
    first, last = float(run.t[0]), float(run.t[-1])
    if times is not None or last <= first:
        return _nearest(run.t, [first] if times is None else times)
    times = np.array(ticks(first, last, 8))
    pressed = np.abs(run.forces).sum(axis=(1, 2))
    if np.any(pressed > 0.0):
        hardest = run.t[np.argmax(pressed)]
        times[np.argmin(np.abs(times - hardest))] = hardest
    return _nearest(run.t, times)


def _nearest(t, times):
    return np.unique([int(np.argmin(np.abs(t - time))) for time in times])


def good_factor(run):
    """1, 2, 5, 10, ...: the largest deflection becomes about a seventh of its link."""
    wanted = SHOWN/(most_bent(run) or SHOWN)
    if wanted <= 1.0:
        return 1.0
    power = 10.0**math.floor(math.log10(wanted))
    return max(s*power for s in (1, 2, 5) if s*power <= wanted)


def most_bent(run):
    """The largest deflection from a chord at any sample, as a part of the link's length."""
    most = 0.0
    for i, link in enumerate(run.chain.links):
        if link.modes:
            places, table = shape_table(link)
            w = run.q[:, modal(run.chain, i)] @ (table - np.outer(table[:, -1], places/link.length))
            most = max(most, float(np.max(np.abs(w)))/link.length)
    return most


def _ground(chain, panel):
    """The grounds of a planar chain: a line, and earth below it as far as the panel goes."""
    if not chain.planar:
        return
    corners = np.array([[panel.xs[a], panel.ys[b]] for a, b in ((0, 0), (1, 0), (1, 1), (0, 1))])
    for ground in chain.grounds:
        normal, at = np.array(ground.normal[:2]), np.array(ground.point[:2])
        inside = clipped(corners, normal, at)
        if len(inside) > 2:
            yield Area(panel.pixels(*inside.T), EARTH, 0.28)
        along = np.array([normal[1], -normal[0]])
        reach = np.abs((corners - at) @ along).max()
        ends = at + np.outer([-reach, reach], along)
        for edge, side in ((panel.xs, 0), (panel.ys, 1)):
            ends = _within(ends, side, *edge)
        if len(ends):
            yield Stroke(panel.pixels(*ends.T), EARTH, 2.0)


def clipped(corners, normal, at):
    """The part of a convex polygon that lies below a line, as corners."""
    found = []
    depth = (at - corners) @ normal
    for i, j in zip(range(len(corners)), [*range(1, len(corners)), 0]):
        if depth[i] >= 0.0:
            found.append(corners[i])
        if (depth[i] > 0.0) != (depth[j] > 0.0) and depth[i] != depth[j]:
            found.append(corners[i] + depth[i]/(depth[i] - depth[j])*(corners[j] - corners[i]))
    return np.array(found).reshape(-1, 2)


def _within(ends, side, low, high):
    """The part of a segment whose coordinate `side` lies between low and high."""
    if not len(ends):
        return ends
    a, b = ends
    if a[side] == b[side]:
        return ends if low <= a[side] <= high else ends[:0]
    shares = sorted(((low - a[side])/(b[side] - a[side]), (high - a[side])/(b[side] - a[side])))
    start, end = max(0.0, shares[0]), min(1.0, shares[1])
    return np.array([a + start*(b - a), a + end*(b - a)]) if start < end else ends[:0]


def _frame(panel):
    """The axes of space at an angle."""
    yield segment(panel.left, panel.bottom, panel.right, panel.bottom, GRID)
    start = np.array([panel.left + 26.0, panel.bottom - 22.0])
    for axis, direction in zip("xyz", np.eye(3)):
        (right, up), = at_an_angle(direction[None])
        tip = start + 18*np.array([right, -up])
        yield Stroke(np.array([start, tip]), SOFT, 1.2)
        yield Words(*(start + 1.5*(tip - start) + [-3, 4]), axis, 10, SOFT)


def _largest_force(run, rows):
    return float(np.max(np.linalg.norm(run.forces[rows], axis=2), initial=0.0)) if run.point_names else 0.0


def _arrows(run, row, panel, largest):
    """The forces on the contact points at a sample, from the point outwards."""
    if not largest:
        return
    for place, force in zip(run.points[row], run.forces[row]):
        size = np.linalg.norm(force)
        if size < 0.01*largest:
            continue
        foot = panel.pixels(*on_page(run.chain, place[None]).T)[0]
        right, up = on_page(run.chain, force[None])[0]/largest*LONGEST*panel.height
        yield from arrow(foot, foot + [right, -up])


def arrow(foot, tip, colour=FORCE):
    along = (tip - foot)/(np.linalg.norm(tip - foot) or 1.0)
    across, head = np.array([-along[1], along[0]]), min(8.0, np.linalg.norm(tip - foot))
    yield Stroke(np.array([foot, tip - 0.7*head*along]), colour, 2.2)
    yield Area(np.array([tip, tip - head*along + 0.4*head*across, tip - head*along - 0.4*head*across]), colour)
