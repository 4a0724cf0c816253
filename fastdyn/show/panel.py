"""A panel with axes: numbers to pixels, ticks at round numbers, units with a prefix, curves cut and thinned to what
can be seen.
"""

import math
from itertools import pairwise

import numpy as np

from .page import GRID, INK, SOFT, Stroke, Words, segment, width_of

COLOURS = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#56b4e9", "#e69f00", "#22303c", "#8c6d31")  # Okabe & Ito's
RAMP = ("#f0a32f", "#e2552d", "#a5306c", "#573b8b", "#17395c")  # from the start to the end
ON_TOP = ((), (7.0, 6.0), (2.0, 6.0), (1.0, 10.0))  # dashes of a curve that lies on one or more others
PREFIXES = {12: "T", 9: "G", 6: "M", 3: "k", 0: "", -3: "m", -6: "µ", -9: "n"}
SMALL = 11  # px, of the numbers


def colour_at(share):
    """The colour of the time `share` (0 start, 1 end) of a run."""
    at = min(max(share, 0.0), 1.0)*(len(RAMP) - 1)
    i = min(int(at), len(RAMP) - 2)
    ends = [[int(colour[k:k + 2], 16) for k in (1, 3, 5)] for colour in RAMP[i:i + 2]]
    return "#" + "".join(f"{round(a + (b - a)*(at - i)):02x}" for a, b in zip(*ends))


# --------------------------------------------------------------------------------------------------- numbers and units

def ticks(low, high, most=6):
    """Round numbers between low and high, at most `most` steps of 1, 2 or 5 times a power of ten."""
    step = _step(low, high, most)
    first, last = math.ceil(low/step - 1e-9), math.floor(high/step + 1e-9)
    return [k*step for k in range(first, last + 1)]


def _step(low, high, most):
    least = (high - low)/most
    power = 10.0**math.floor(math.log10(least))
    return next(s*power for s in (1, 2, 5, 10) if s*power >= least*(1 - 1e-9))


def said(values):
    """Ticks as words, all with the same decimals."""
    step = min((b - a for a, b in pairwise(values)), default=abs(values[0]) if values else 1.0) or 1.0
    decimals = max(0, -math.floor(math.log10(step) + 1e-9))
    most = max(map(abs, values), default=0.0)
    if most >= 1e6 or decimals > 7:
        return [f"{v:.4g}".replace("-", "−") for v in values]
    return [f"{v + 0.0:.{decimals}f}".replace("-", "−") for v in values]


def prefixed(largest, unit):
    """(factor, unit with a prefix) that brings numbers up to `largest` between 1 and 1000.

    Units that take none, and numbers of an ordinary size, stay as they are; per cent, and numbers below a billionth,
    mostly rounding, get a power of ten instead.
    """
    if not (largest > 0.0 and math.isfinite(largest)) or 0.1 <= largest < 1000.0:
        return 1.0, unit
    if unit in ("", "%", "rad") or largest < 10.0**min(PREFIXES):
        power = math.floor(math.log10(largest))
        return (1.0, unit) if -2 <= power < 5 else (10.0**-power, f"10{raised(power)} {unit}".strip())
    power = 3*math.floor(math.log10(largest)/3 + 1e-9)
    power = min(power, max(PREFIXES))
    return 10.0**-power, PREFIXES[power] + unit


def raised(power):
    return str(power).translate(str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹"))


def span(values, room=0.06):
    """(low, high) of the finite values with some room around; never empty."""
    values = np.asarray(values, float)
    values = values[np.isfinite(values)]
    low, high = (float(values.min()), float(values.max())) if values.size else (0.0, 0.0)
    if low == high:
        room, size = 0.5, abs(high) or 1.0
    else:
        size = high - low
    return low - room*size, high + room*size


def alike(points, width, height, room=0.06):
    """Ranges for x and y that hold the points (n, 2) at one scale in width x height pixels."""
    lows, highs = points.min(axis=0), points.max(axis=0)
    scale = max((highs[0] - lows[0])/width, (highs[1] - lows[1])/height)*(1 + 2*room) or 1.0/width
    middle = (lows + highs)/2
    return tuple((float(middle[i] - scale*size/2), float(middle[i] + scale*size/2))
                 for i, size in enumerate((width, height)))


# --------------------------------------------------------------------------------------------------------------- curves

def cut(x, y, low, high):
    """The part of the polyline x (ascending), y between low and high, its ends interpolated."""
    first, last = np.searchsorted(x, low, "left"), np.searchsorted(x, high, "right")
    xs, ys = x[first:last], y[first:last]
    if 0 < first < len(x) and not (len(xs) and xs[0] == low):
        xs, ys = np.append(low, xs), np.append(np.interp(low, x, y), ys)
    if 0 < last < len(x) and xs[-1] != high:
        xs, ys = np.append(xs, high), np.append(ys, np.interp(high, x, y))
    return xs, ys


def thinned(x, y, columns):
    """Indices of what shows of a curve in so many columns of pixels: first, last, least and largest of each."""
    if len(x) <= 4*columns:
        return np.arange(len(x))
    column = np.minimum((x - x[0])/((x[-1] - x[0]) or 1.0)*columns, columns - 1).astype(int)
    starts = np.flatnonzero(np.diff(column, prepend=-1))
    by_size = np.lexsort((np.nan_to_num(y, nan=np.inf), column))
    ends = np.append(starts[1:], len(x)) - 1
    return np.unique(np.concatenate([starts, ends, by_size[starts], by_size[ends], np.flatnonzero(~np.isfinite(y))]))


def gentle(x, y):
    """Slopes at the points of a curve that make it smooth and round at its peaks (Akima); none of less than three."""
    if len(x) < 3:
        return None
    h = np.diff(x)
    d = np.divide(np.diff(y), h, out=np.zeros(len(h)), where=h > 0.0)
    d = np.concatenate([[3*d[0] - 2*d[1], 2*d[0] - d[1]], d, [2*d[-1] - d[-2], 3*d[-1] - 2*d[-2]]])
    turn = np.abs(np.diff(d))
    after, before = turn[2:], turn[:-2]
    weight = after + before
    even = weight <= 1e-9*np.max(weight, initial=0.0)
    share = np.divide(after, weight, out=np.full(len(weight), 0.5), where=~even)
    return share*d[1:-2] + (1 - share)*d[2:-1]


def smoothed(x, y, slope, columns):
    """The curve with cubics between its points where they are few for so many columns of pixels, given its slopes."""
    parts = min(16, 4*columns//max(len(x) - 1, 1))
    if slope is None or parts < 2:
        return x, y
    s = np.arange(parts)/parts
    h, rise = np.diff(x)[:, None], np.diff(y)[:, None]
    start, end = h*slope[:-1, None], h*slope[1:, None]
    bend = s*(1 - s)*((1 - s)*(start - rise) - s*(end - rise))
    return (np.append((x[:-1, None] + h*s).ravel(), x[-1]), np.append((y[:-1, None] + rise*s + bend).ravel(), y[-1]))


def on_top_of(curves, height):
    """How many earlier ones each of the curves (x, y) lies on, as far as the eye can tell when y fills `height`."""
    def same(one, other):
        return len(one[0]) and len(other[0]) and np.max(np.abs(np.interp(*other[:1], *one) - other[1])) < 0.006*height

    return [sum(1 for one in curves[:k] if same(one, curve)) for k, curve in enumerate(curves)]


# ---------------------------------------------------------------------------------------------------------------- panel

class Panel:
    """A rectangle of pixels (left, top, width, height) that shows x from `xs` and y from `ys`, (low, high) each."""

    def __init__(self, left, top, width, height, xs, ys):
        self.left, self.top, self.width, self.height = left, top, width, height
        self.xs, self.ys = xs, ys

    @property
    def bottom(self):
        return self.top + self.height

    @property
    def right(self):
        return self.left + self.width

    def pixels(self, x, y):
        """(n, 2) pixels of the points x, y."""
        across = (np.asarray(x, float) - self.xs[0])/(self.xs[1] - self.xs[0])
        up = (np.asarray(y, float) - self.ys[0])/(self.ys[1] - self.ys[0])
        return np.stack(np.broadcast_arrays(self.left + across*self.width, self.top + (1 - up)*self.height), axis=-1)

    def axes(self, x_label="", y_label="", title=""):
        """Grid lines at round numbers with their labels; `title` above, the labels beside."""
        xs = self._ticks_with_room()
        for x, word in zip(xs, said(xs)):
            (px, _), = self.pixels([x], [self.ys[0]])
            yield segment(px, self.top, px, self.bottom, GRID)
            yield Words(px, self.bottom + 17, word, SMALL, SOFT, "middle")
        ys = ticks(*self.ys, most=max(2, int(self.height/30)))
        for y, word in zip(ys, said(ys)):
            (_, py), = self.pixels([self.xs[0]], [y])
            yield segment(self.left, py, self.right, py, GRID)
            yield Words(self.left - 7, py + 4, word, SMALL, SOFT, "end")
        if title:
            yield Words(self.left, self.top - 12, title, 13, INK, bold=True)
        if x_label:
            yield Words(self.right, self.bottom + 34, x_label, SMALL, SOFT, "end")
        if y_label:
            yield Words(self.left - 7, self.top - 8, y_label, SMALL, SOFT, "end")

    def _ticks_with_room(self):
        """As many round numbers along x as can be read side by side."""
        for most in range(max(2, min(8, int(self.width/40))), 1, -1):
            xs = ticks(*self.xs, most)
            room = (xs[1] - xs[0])/(self.xs[1] - self.xs[0])*self.width if len(xs) > 1 else self.width
            if max((width_of(word, SMALL) for word in said(xs)), default=0.0) + 12 <= room:
                break
        return xs

    def zero(self):
        """The line y = 0, where it is in sight."""
        if self.ys[0] < 0.0 < self.ys[1]:
            (_, y), = self.pixels([self.xs[0]], [0.0])
            yield segment(self.left, y, self.right, y, "#b4bec7", 1.2)

    def curve(self, x, y, colour, width=1.6, opacity=1.0, dashes=()):
        """The polyline x (ascending), y, as far as it shows."""
        x, y = np.asarray(x, float), np.asarray(y, float)
        kept = thinned(x, y, int(self.width))
        points = self.pixels(x[kept], y[kept])
        points[~np.isfinite(points[:, 1])] = np.nan
        return Stroke(points, colour, width, opacity, dashes)
