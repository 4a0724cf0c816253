"""The shape of a chain at several times, side by side: deflection magnified, ground, and the forces of the ground."""

import math

import numpy as np

from .frames import modal, shape_table
from .ground import ground_of
from .page import GRID, INK, SOFT, Area, Dots, Page, Stroke, Words, segment
from .panel import COLOURS, Panel, alike, prefixed, ticks
from .skeleton import at_an_angle, free_tips, on_page, strokes

COLUMNS, WIDTH, LEFT, RIGHT, TOP = 4, 1120, 58, 24, 112     # px
BETWEEN, ABOVE, BELOW = 34, 34, 34
SHAPE, STRAIGHT, FORCE = COLOURS[0], "#9aa7b2", COLOURS[1]
SHOWN = 0.15            # of a link's length: the largest deflection that is drawn, when the factor is chosen here
LONGEST = 0.28          # of the panel's height: the longest arrow
FEW = 60                # links whose joints are still worth a dot


def snapshots(run, times=None, magnify=None, **_):
    rows = chosen_rows(run, times)
    factor = good_factor(run) if magnify is None else float(magnify)
    largest = _largest_force(run, rows)
    drawn = [_shape(run, row, factor) for row in rows]
    panels = _panels([lines for lines, _, _ in drawn])
    parts = _head(run, panels[0], factor, largest)
    decimals = max(0, 3 - math.floor(math.log10(max(run.t[-1] - run.t[0], 1e-9))))
    for row, panel, shape in zip(rows, panels, drawn):
        parts += ground_of(run.chain, panel)
        parts += panel.axes() if run.chain.planar else _frame(panel)
        parts.append(Words(panel.left, panel.top - 10, f"t = {run.t[row]:.{decimals}f} s", 13, INK, bold=True))
        parts += _chain(panel, *shape)
        parts += _arrows(run, row, panel, largest)
    bottom = panels[-1].bottom + BELOW
    if run.chain.planar:
        parts.append(Words(WIDTH - RIGHT, bottom + 12, "x and y in m", 11, SOFT, "end"))
    return Page(WIDTH, bottom + 24, parts, _title(run))


def _title(run):
    return f"Snapshots: {run.chain.name or 'chain'}"


def _head(run, panel, factor, largest):
    """Title, and what is not to be read from the axes."""
    scale, unit = prefixed(largest, "N")
    bends = any(link.modes for link in run.chain.links)
    said = [f"deflection × {factor:g}, straight chords in grey"] if bends else []
    said += [f"arrows: force of the ground, the longest {largest*scale:.3g} {unit}"] if largest else []
    said += [] if run.chain.planar else [f"each picture is {panel.xs[1] - panel.xs[0]:.3g} m wide"]
    return [Words(24, 38, _title(run), 20, INK, bold=True), Words(24, 60, "; ".join(said), 12, SOFT)]


def _shape(run, row, factor):
    """Lines and joints on the page, and the straight lines of a chain that bends."""
    lines, joints = strokes(run.chain, run.q[row], factor)
    joints = np.vstack([joints, free_tips(run.chain, run.q[row], factor)])
    lines, joints = (on_page(run.chain, points) for points in (lines, joints))
    bends = any(link.modes for link in run.chain.links)
    return lines, joints, on_page(run.chain, strokes(run.chain, run.q[row], 0.0)[0]) if bends else None


def _panels(shapes):
    """A panel for each shape, all at one scale."""
    points = np.vstack(shapes)
    points = points[np.isfinite(points).all(axis=1)]
    columns = min(COLUMNS, len(shapes))
    width = (WIDTH - LEFT - RIGHT - BETWEEN*(columns - 1))/columns
    across, up = np.ptp(points, axis=0)
    height = float(np.clip(width*(up + 0.1*max(across, up))/(across or 1.0), 0.45*width, 1.25*width))
    xs, ys = alike(points, width, height, 0.08)
    places = [divmod(k, columns) for k in range(len(shapes))]
    return [Panel(LEFT + column*(width + BETWEEN), TOP + row*(height + ABOVE + BELOW), width, height, xs, ys)
            for row, column in places]


def _chain(panel, lines, joints, straight):
    if straight is not None:
        yield Stroke(panel.pixels(*straight.T), STRAIGHT, 1.2, dashes=(4.0, 4.0))
    yield Stroke(panel.pixels(*lines.T), SHAPE, 2.4)
    if len(joints) <= FEW:
        yield Dots(panel.pixels(*joints.T), INK, 2.6)


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
            most = max(most, float(np.max(np.abs(np.nan_to_num(w, posinf=0.0, neginf=0.0))))/link.length)
    return most


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
