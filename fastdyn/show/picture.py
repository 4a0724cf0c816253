"""A motion as one picture: the chain at several times, its energies, and how well their sum was kept."""

import math

import numpy as np

from ..results.run import not_conserved_by
from .frames import frames
from .ground import ground_of
from .page import INK, SOFT, Dots, Page, Stroke, Words, box, segment
from .panel import Panel, alike, colour_at, raised, span, ticks
from .skeleton import at_an_angle, body_line, on_page, seats, strokes

WIDTH, HEIGHT = 1120, 660
CHAIN = (64, 106, 500, 450)                                 # left, top, width, height of the panels
ENERGY = (660, 106, 420, 190)
CHANGE = (660, 376, 420, 180)
SNAPSHOTS = 16
DRAWN = 1000                                                # points of a curve at most
FEW = 40                                                    # links whose joints are still worth a dot
KINETIC, POTENTIAL = "#e2552d", "#2f7f9e"


def picture(motion):
    """SVG text of a motion."""
    return overview(motion).svg


def overview(motion):
    """A motion on one page."""
    links = len(motion.chain.links)
    title = f"{motion.chain.name or 'chain'}: {links} link{'s' if links > 1 else ''}, {motion.t[-1]:.6g} s" \
            + ("" if np.any(motion.v[0]) else " from rest")
    said = "{steps} steps, {evaluations} evaluations of the forward dynamics, ".format(**motion.stats) \
           + f"{motion.seconds:.3g} s on the clock"
    head = [Words(24, 38, title, 20, bold=True), Words(24, 60, said, 12, SOFT)]
    return Page(WIDTH, HEIGHT, [*head, *_chain(motion), *_energies(motion), *_change(motion)], title)


def _chain(motion):
    """The path of the last link's end, the chain at equally spaced times, what holds it; a colour for every time."""
    chain, t = motion.chain, motion.t
    chosen = np.unique(np.linspace(0, len(t) - 1, SNAPSHOTS).round().astype(int))
    shapes = [[on_page(chain, points) for points in strokes(chain, motion.q[i])] for i in chosen]
    path, held = on_page(chain, _path_of_the_end(motion)), on_page(chain, seats(chain))
    points = np.vstack([path, held, *(part for shape in shapes for part in shape)])
    panel = Panel(*CHAIN, *alike(points[~np.isnan(points[:, 0])], *CHAIN[2:]))
    yield from ground_of(chain, panel)
    yield from panel.axes("x, m", "y, m") if chain.planar else _scale(panel)
    pixels = panel.pixels(*path.T)
    for k in range(len(pixels) - 1):
        yield Stroke(pixels[k:k + 2], colour_at(k/len(pixels)), 1, 0.35)
    for i, (lines, joints) in zip(chosen, shapes):
        colour, end = colour_at(t[i]/t[-1]), i in (0, chosen[-1])
        yield Stroke(panel.pixels(*lines.T), colour, 3.5 if end else 1.6, 1.0 if end else 0.8)
        if len(joints) <= FEW:
            yield Dots(panel.pixels(*joints.T), colour, 3.2 if end else 1.8)
    yield Dots(panel.pixels(*held.T), INK, 5)
    yield from _times(t[-1])


def _path_of_the_end(motion):
    chain, q, last = motion.chain, motion.q[_thinned(len(motion.t))], len(motion.chain.links) - 1
    turns, origins = frames(chain, q)
    ends = np.array([body_line(chain, row, last)[-1] for row in q])
    return origins[:, last] + np.einsum("nij,nj->ni", turns[:, last], ends)


def _times(t_end):
    """The colours of the times, below the chain."""
    left, top, width, height = CHAIN
    top += height + 52
    for k in range(64):
        yield box(left + k*width/64, top, width/64 + 0.5, 7, colour_at(k/63))
    yield Words(left, top + 22, "t = 0", 11, SOFT)
    yield Words(left + width, top + 22, f"t = {t_end:.6g} s", 11, SOFT, "end")


def _scale(panel):
    """Space at an angle has no axes to read from, but a length."""
    low, high = panel.xs
    size = ticks(0.0, (high - low)/4)[-1]
    ends = panel.pixels([low, low + size], [panel.ys[0]]*2)
    yield Stroke(ends, INK, 2)
    yield Words(ends[0, 0], ends[0, 1] + 17, f"{size:.6g} m", 11, SOFT)
    for axis, direction in zip("xyz", np.eye(3)):
        start = ends[0] + [40.0, -30.0]
        (right, up), = at_an_angle(direction[None])
        tip = start + 26*np.array([right, -up])
        yield Stroke(np.array([start, tip]), SOFT, 1.5)
        yield Words(*(start + 1.4*(tip - start) + [-3, 4]), axis, 11, SOFT)


def _energies(motion):
    curves = (("kinetic", motion.kinetic, KINETIC, ()), ("potential", motion.potential, POTENTIAL, ()),
              ("sum", motion.energy, INK, (6, 4)))
    panel = Panel(*ENERGY, (0.0, motion.t[-1]), span(np.concatenate([values for _, values, _, _ in curves])))
    yield from panel.axes("t, s", "J", "energy")
    for k, (name, values, colour, dashes) in enumerate(curves):
        yield panel.curve(motion.t, values, colour, dashes=dashes)
        x, y = panel.left + panel.width - 220 + (0, 74, 162)[k], panel.top - 16
        yield segment(x, y, x + 16, y, colour, 2.5)
        yield Words(x + 21, y + 4, name, 11, SOFT)


def _change(motion):
    """How well the energy was kept, or the ledger closes, on its own scale, its power of ten in the title."""
    change, why, scale = motion.energy_change, not_conserved_by(motion.chain), f"{motion.energy_scale:.4g} J"
    what, unit = ("energy change" if why else "energy drift") + f" / {scale}", "of the greatest kinetic energy"
    counted = bool(why) and np.all(np.isfinite(motion.energy_error))
    if counted:
        change, what, unit = motion.energy_error, "energy less the work done, %", "%"
    most = float(np.max(np.abs(change)))
    power = math.floor(math.log10(most)) if most > 0.0 else 0
    power = 0 if power > -2 else power
    panel = Panel(*CHANGE, (0.0, motion.t[-1]), span(np.append(change, 0.0)/10.0**power))
    yield from panel.axes("t, s", "", what + (f", in 10{raised(power)}" if power else ""))
    yield panel.curve(motion.t, change/10.0**power, INK)
    yield from panel.zero()
    said = f"not kept: {why}" if why and not counted else f"at most {most:.1e} {unit}"
    yield Words(panel.left, panel.top + panel.height + 34, said, 11, SOFT)


def _thinned(count):
    return np.unique(np.linspace(0, count - 1, min(count, DRAWN)).round().astype(int))
