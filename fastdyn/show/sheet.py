"""A figure in words - panels in rows, curves in panels - and its layout: what the figures of a run are made of."""

from dataclasses import dataclass, field, replace

import numpy as np

from .page import INK, SOFT, Page, Words, box, segment, width_of
from .panel import COLOURS, ON_TOP, Panel, cut, on_top_of, prefixed, smoothed, span

WIDTH, LEFT, RIGHT, BETWEEN = 1120, 66, 26, 70              # px: of the page, beside and between the panels
ABOVE, BELOW, LINE = 40, 50, 20                             # for a panel's title, for its numbers, a line of a legend
SAMPLE, GAP, SMALL = 20, 20, 12                             # of a legend: its line, between its entries, its letters
TINT = "#f5ecda"


@dataclass
class Curve:
    """A curve over x, ascending; number: of its colour; slope: of y if it is known, for the way between points."""

    x: np.ndarray
    y: np.ndarray
    label: str = ""
    number: int = 0
    width: float = 1.6
    slope: np.ndarray | None = None

    @property
    def colour(self):
        return COLOURS[self.number % len(COLOURS)]

    def within(self, window, columns):
        """What a window shows of it in so many columns of pixels."""
        low, high = window
        some = slice(max(np.searchsorted(self.x, low) - 2, 0), np.searchsorted(self.x, high, "right") + 2)
        slope = None if self.slope is None else self.slope[some]
        return replace(self, **dict(zip("xy", cut(*smoothed(self.x[some], self.y[some], slope, columns), low, high))))


@dataclass
class Plot:
    """A panel: `window` is what it shows of x, None is all; `marked` are spans of x on a tinted ground.

    The unit of y takes a prefix that suits the numbers. `legend`: whether the curves are named in the panel's own title
    line rather than in the head of the figure. `note`: words below the panel on the left.
    """

    title: str
    unit: str
    curves: list[Curve]
    window: tuple[float, float] | None = None
    x_label: str = "t, s"
    marked: list[tuple[float, float]] = field(default_factory=list)
    legend: bool = False
    note: str = ""


@dataclass
class Sheet:
    """Rows of panels under a title; `shares` are the widths of the columns, `height` is that of a panel, px."""

    title: str
    rows: list[list[Plot]]
    about: str = ""
    shares: tuple[float, ...] = (1.0,)
    height: float = 200

    def page(self):
        usable = WIDTH - LEFT - RIGHT - BETWEEN*(len(self.shares) - 1)
        widths = [usable*share/sum(self.shares) for share in self.shares]
        common = {c.label: c for row in self.rows for plot in row if not plot.legend for c in plot.curves if c.label}
        lines = _wrapped(list(common.values()), WIDTH - LEFT - RIGHT) if len(common) > 1 else []
        parts = [Words(24, 38, self.title, 20, INK, bold=True), Words(24, 60, self.about, SMALL, SOFT)]
        top = 72
        for line in lines:
            top += LINE
            parts += _entries(line, LEFT, top)
        for row in self.rows:
            top += ABOVE + LINE*max(_lines_of_its_own(plot, width) for plot, width in zip(row, widths))
            left = LEFT
            for plot, width in zip(row, widths):
                parts += _drawn(plot, left, top, width, self.height)
                left += width + BETWEEN
            top += self.height + BELOW
        return Page(WIDTH, top, parts, self.title)


def _drawn(plot, left, top, width, height):
    xs = plot.window or _extent(plot.curves)
    curves = [curve.within(xs, int(width)) for curve in plot.curves]
    values = np.concatenate([curve.y for curve in curves] or [np.zeros(0)])
    factor, unit = prefixed(float(np.max(np.abs(values[np.isfinite(values)]), initial=0.0)), plot.unit)
    panel = Panel(left, top, width, height, xs, span(values*factor))
    for low, high in plot.marked:
        (start, _), (end, _) = panel.pixels(np.clip([low, high], *panel.xs), [0.0, 0.0])
        if high >= panel.xs[0] and low <= panel.xs[1]:
            yield box(start, top, max(end - start, 1.0), height, TINT)
    yield from panel.axes(plot.x_label)
    yield from panel.zero()
    covered = on_top_of([(curve.x, curve.y*factor) for curve in curves], panel.ys[1] - panel.ys[0])
    for curve, times in zip(curves, covered):
        dashes = ON_TOP[min(times, len(ON_TOP) - 1)]
        yield panel.curve(curve.x, curve.y*factor, curve.colour, curve.width, dashes=dashes)
    lines = _lines_of_its_own(plot, width)
    yield Words(left, top - 12 - lines*LINE, plot.title + (f", {unit}" if unit else ""), 13, INK, bold=True)
    yield Words(left, panel.bottom + 34, plot.note, SMALL - 1, SOFT)
    if plot.legend and not lines:
        yield from _entries(plot.curves, panel.right - _room(plot.curves), top - 12)
    elif plot.legend:
        for k, line in enumerate(_wrapped(plot.curves, width)):
            yield from _entries(line, left, top - 12 - (lines - 1 - k)*LINE)


def _extent(curves):
    ends = [x for curve in curves if len(curve.x) for x in (curve.x[0], curve.x[-1])]
    low, high = (min(ends), max(ends)) if ends else (0.0, 1.0)
    return (float(low), float(high)) if high > low else (float(low) - 0.5, float(low) + 0.5)


# -------------------------------------------------------------------------------------------------------------- legends

def _entries(curves, left, y):
    """A line of a legend."""
    for curve in curves:
        yield segment(left, y - 4, left + SAMPLE, y - 4, curve.colour, 2.5)
        yield Words(left + SAMPLE + 6, y, curve.label, SMALL, SOFT)
        left += _wide(curve)


def _wide(curve):
    return SAMPLE + 6 + width_of(curve.label, SMALL) + GAP


def _room(curves):
    return sum(map(_wide, curves)) - GAP


def _wrapped(curves, width):
    """The curves in as many lines as their names need."""
    lines = [[]]
    for curve in curves:
        if lines[-1] and _room([*lines[-1], curve]) > width:
            lines.append([])
        lines[-1].append(curve)
    return lines


def _lines_of_its_own(plot, width):
    """Lines of the panel's legend that do not fit beside its title."""
    if not plot.legend or width_of(plot.title + ", 10⁻¹² W", 13)*1.1 + GAP + _room(plot.curves) <= width:
        return 0
    return len(_wrapped(plot.curves, width))
