"""Pictures as a list of simple parts in pixels, y downwards: strokes, areas, dots and words; written as SVG or PNG."""

from collections.abc import Iterable
from typing import NamedTuple

import numpy as np

from ..describe.writing import write_whole
from ..status import ModelError
from .svg import document

INK, SOFT, GRID, PAPER = "#22303c", "#5d6b78", "#e3e8ec", "#ffffff"
FORMATS = ("svg", "png")
NARROW, BROAD = set("iljtfr.,:;'|!()[] "), set("mwMWGOQ%@")


class Stroke(NamedTuple):
    """A polyline through (n, 2) pixels; a break wherever a row is NaN. dashes: lengths on and off, px."""

    points: np.ndarray
    colour: str
    width: float = 1.5
    opacity: float = 1.0
    dashes: tuple[float, ...] = ()


class Area(NamedTuple):
    """A filled polygon."""

    points: np.ndarray
    colour: str
    opacity: float = 1.0


class Dots(NamedTuple):
    points: np.ndarray
    colour: str
    radius: float
    opacity: float = 1.0


class Words(NamedTuple):
    """A line of text; (x, y) is its start, middle or end on the baseline."""

    x: float
    y: float
    text: str
    size: float = 12
    colour: str = INK
    anchor: str = "start"
    bold: bool = False


Part = Stroke | Area | Dots | Words


class Page:
    """A finished picture of some size in pixels, on white paper.

    `svg` is its text, `png()` its bytes (with the extra `plot`), `save(path)` writes it as the ending of the path says,
    whole or not at all. Notebooks show it by itself.
    """

    def __init__(self, width: float, height: float, parts: Iterable[Part], title: str = ""):
        self.width, self.height, self.title = round(width), round(height), title
        self.parts: list[Part] = list(parts)

    def __repr__(self):
        return f"<Page {self.title!r}: {self.width} x {self.height} px>"

    @property
    def svg(self) -> str:
        return document(self)

    def png(self, scale: float = 2.0) -> bytes:
        """The picture as PNG, `scale` dots to a pixel."""
        from .png import drawn

        return drawn(self, scale)

    def save(self, path) -> None:
        kind = str(path).rpartition(".")[2].lower()
        if kind not in FORMATS:
            raise ModelError(f'"{path}": pictures are written as .svg or .png; give the file one of these endings')
        write_whole(path, self.svg if kind == "svg" else self.png())

    def _repr_svg_(self):
        return self.svg


def box(left, top, width, height, colour, opacity=1.0):
    """A filled rectangle."""
    right, bottom = left + width, top + height
    return Area(np.array([[left, top], [right, top], [right, bottom], [left, bottom]]), colour, opacity)


def segment(x1, y1, x2, y2, colour, width=1.0, opacity=1.0, dashes=()):
    """A straight line."""
    return Stroke(np.array([[x1, y1], [x2, y2]], dtype=float), colour, width, opacity, dashes)


def width_of(text, size):
    """Room to keep for a text, px: no font at hand makes it wider."""
    return size*sum(0.38 if c in NARROW else 0.95 if c in BROAD else 0.68 if c.isupper() else 0.63 for c in text)
