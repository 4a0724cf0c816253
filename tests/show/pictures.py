"""What can be read back from a picture: its words, its curves, and the numbers at its axes."""

import re
from xml.etree import ElementTree

import numpy as np

from fastdyn.show.page import width_of
from fastdyn.show.panel import COLOURS, PREFIXES

NUMBER = r"−?[\d.]+(e[−+]?\d+)?"
SVG = "{http://www.w3.org/2000/svg}"


def parsed(text):
    return ElementTree.fromstring(text)


def points_of(path):
    return np.array(re.findall(r"[ML](-?[\d.]+) (-?[\d.]+)", path.get("d")), dtype=float)


def written(root):
    return " ".join(node.text or "" for node in root.iter(f"{SVG}text"))


def words(root, bold=False):
    """(text, x, y) of all words, or of the bold ones: titles."""
    return [(node.text, float(node.get("x")), float(node.get("y"))) for node in root.iter(f"{SVG}text")
            if not bold or node.get("font-weight") == "bold"]


def boxes(root):
    """(text, left, top, right, bottom) of the room that words may take."""
    found = []
    for node in root.iter(f"{SVG}text"):
        size, x, y = (float(node.get(name)) for name in ("font-size", "x", "y"))
        width = width_of(node.text, size)
        left = x - {"start": 0.0, "middle": 0.5, "end": 1.0}[node.get("text-anchor")]*width
        found.append((node.text, left, y - 0.75*size, left + width, y + 0.2*size))
    return found


class Drawn:
    """A panel read back from the SVG: its title, unit, curves (colour, points in the panel's own numbers)."""

    def __init__(self, root, title, left, top):
        self.title, _, self.unit = title.partition(", ")
        lines = [points_of(p) for p in root.iter(f"{SVG}path") if p.get("stroke") == "#e3e8ec"]
        across = [p for p in lines if p[0, 1] == p[1, 1] and abs(p[0, 0] - left) < 0.2 and p[0, 1] > top]
        self.left, self.right = across[0][0, 0], across[0][1, 0]
        down = [p for p in lines if p[0, 0] == p[1, 0] and p[0, 1] > top
                and self.left - 0.2 <= p[0, 0] <= self.right + 0.2]
        self.top = min(p[0, 1] for p in down)
        self.bottom = min(p[1, 1] for p in down if abs(p[0, 1] - self.top) < 0.2)
        numbers = [(x, y, float(text.replace("−", "-"))) for text, x, y in words(root) if re.fullmatch(NUMBER, text)]
        self.x = _scale([(x, n) for x, y, n in numbers if abs(y - self.bottom - 17) < 0.2
                         and self.left - 1 <= x <= self.right + 1])
        self.y = _scale([(y - 4, n) for x, y, n in numbers if abs(x - self.left + 7) < 0.2
                         and self.top - 1 <= y - 4 <= self.bottom + 1])
        self.curves = [(p.get("stroke"), self.numbers(points_of(p))) for p in root.iter(f"{SVG}path")
                       if p.get("stroke") in COLOURS and self._holds(points_of(p))]

    def _holds(self, points):
        low, high = np.array([self.left, self.top]), np.array([self.right, self.bottom])
        return bool(np.all((points >= low - 0.2) & (points <= high + 0.2)))

    def numbers(self, pixels):
        return np.column_stack([np.polyval(self.x, pixels[:, 0]), np.polyval(self.y, pixels[:, 1])])

    @property
    def pixel(self):
        """What a pixel is worth, across and up."""
        return abs(self.x[0]), abs(self.y[0])

    @property
    def factor(self):
        """How many of the plain unit one of the panel's unit is."""
        powers = {prefix + unit: power for power, prefix in PREFIXES.items() for unit in ("m", "m/s", "N", "J")}
        return 10.0**powers.get(self.unit.rpartition(", ")[2], 0)


def _scale(pairs):
    """The line through (pixel, number) of an axis; the numbers have to be on it."""
    pixels, numbers = np.array(pairs, float).T
    line = np.polyfit(pixels, numbers, 1) if len(pixels) > 1 else np.array([np.nan, numbers[0]])
    assert len(pixels) == 1 or np.abs(np.polyval(line, pixels) - numbers).max() < 0.2*abs(line[0])
    return line


def panels(root):
    """All panels with a title, in the order in which they were drawn."""
    return [Drawn(root, text, x, y) for text, x, y in words(root, bold=True)[1:]]
