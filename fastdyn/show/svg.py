"""Pictures as SVG text: panels with axes, lines in their coordinates, a colour for every time."""

import math
from html import escape

import numpy as np

INK, SOFT, GRID = "#22303c", "#5d6b78", "#e3e8ec"
FONT = "font-family='Helvetica, Arial, sans-serif'"
RAMP = ("#f0a32f", "#e2552d", "#a5306c", "#573b8b", "#17395c")  # from the start to the end


def document(width, height, parts):
    """The whole picture on a white ground."""
    head = f"<svg xmlns='http://www.w3.org/2000/svg' width='{width}' height='{height}' viewBox='0 0 {width} {height}'>"
    return "\n".join([head, f"<rect width='{width}' height='{height}' fill='white'/>", *parts, "</svg>", ""])


def text(x, y, words, size=12, colour=INK, anchor="start", weight="normal"):
    return (f"<text x='{x:.1f}' y='{y:.1f}' font-size='{size}' fill='{colour}' text-anchor='{anchor}' "
            f"font-weight='{weight}' {FONT}>{escape(words)}</text>")


def line(points, colour, width=1.5, opacity=1.0, dashes=""):
    """A polyline through (n, 2) pixels; a break wherever a row is NaN; nothing without points."""
    runs, new = [], True
    for x, y in points.tolist():
        if x != x:
            new = True
        else:
            runs.append(f"{'M' if new else 'L'}{x:.1f} {y:.1f}")
            new = False
    if not runs:
        return ""
    dashed = f" stroke-dasharray='{dashes}'" if dashes else ""
    return (f"<path d='{''.join(runs)}' fill='none' stroke='{colour}' stroke-width='{width}' "
            f"stroke-opacity='{opacity:.2g}' stroke-linejoin='round' stroke-linecap='round'{dashed}/>")


def dots(points, colour, radius, opacity=1.0):
    return "\n".join(f"<circle cx='{x:.1f}' cy='{y:.1f}' r='{radius}' fill='{colour}' fill-opacity='{opacity:.2g}'/>"
                     for x, y in points.tolist())


def colour_at(share):
    """The colour of the time `share` (0 start, 1 end) of a run."""
    at = min(max(share, 0.0), 1.0)*(len(RAMP) - 1)
    i = min(int(at), len(RAMP) - 2)
    ends = [[int(colour[k:k + 2], 16) for k in (1, 3, 5)] for colour in RAMP[i:i + 2]]
    return "#" + "".join(f"{round(a + (b - a)*(at - i)):02x}" for a, b in zip(*ends))


def ticks(low, high, most=6):
    """Round numbers between low and high, at most `most` steps of 1, 2 or 5 times a power of ten."""
    least = (high - low)/most
    power = 10.0**math.floor(math.log10(least))
    step = next(s*power for s in (1, 2, 5, 10) if s*power >= least*(1 - 1e-9))
    first, last = math.ceil(low/step - 1e-9), math.floor(high/step + 1e-9)
    return [k*step for k in range(first, last + 1)]


class Panel:
    """A rectangle of pixels (left, top, width, height) that shows x from `xs` and y from `ys`, (low, high) each."""

    def __init__(self, left, top, width, height, xs, ys):
        self.left, self.top, self.width, self.height = left, top, width, height
        self.xs, self.ys = xs, ys

    def pixels(self, x, y):
        """(n, 2) pixels of the points x, y."""
        across = (np.asarray(x, float) - self.xs[0])/(self.xs[1] - self.xs[0])
        up = (np.asarray(y, float) - self.ys[0])/(self.ys[1] - self.ys[0])
        return np.stack(np.broadcast_arrays(self.left + across*self.width, self.top + (1 - up)*self.height), axis=-1)

    def axes(self, x_label="", y_label="", title=""):
        """Grid lines at round numbers with their labels; `title` above, the labels beside."""
        bottom = self.top + self.height
        for x in ticks(*self.xs):
            (px, _), = self.pixels([x], [self.ys[0]])
            yield line(np.array([[px, self.top], [px, bottom]]), GRID, 1)
            yield text(px, bottom + 17, f"{x:.6g}", 11, SOFT, "middle")
        for y in ticks(*self.ys):
            (_, py), = self.pixels([self.xs[0]], [y])
            yield line(np.array([[self.left, py], [self.left + self.width, py]]), GRID, 1)
            yield text(self.left - 7, py + 4, f"{y:.6g}", 11, SOFT, "end")
        yield text(self.left, self.top - 12, title, 13, INK, weight="bold")
        yield text(self.left + self.width, bottom + 34, x_label, 11, SOFT, "end")
        yield text(self.left - 7, self.top - 8, y_label, 11, SOFT, "end")


def span(values, room=0.06):
    """(low, high) of the values with some room around; never empty."""
    low, high = float(np.min(values)), float(np.max(values))
    size = high - low or abs(high) or 1.0
    return low - room*size, high + room*size


def alike(points, width, height, room=0.06):
    """Ranges for x and y that hold the points (n, 2) at one scale in width x height pixels."""
    lows, highs = points.min(axis=0), points.max(axis=0)
    scale = max((highs[0] - lows[0])/width, (highs[1] - lows[1])/height)*(1 + 2*room) or 1.0/width
    middle = (lows + highs)/2
    return tuple((float(middle[i] - scale*size/2), float(middle[i] + scale*size/2))
                 for i, size in enumerate((width, height)))
