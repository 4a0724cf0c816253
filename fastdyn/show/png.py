"""A page as PNG, drawn by matplotlib (the extra `plot`): the same parts at the same places as in the SVG."""

import io

import numpy as np

from ..status import ModelError

FONTS = ["Helvetica", "Arial", "Liberation Sans", "DejaVu Sans"]
PER_INCH = 100.0
POINT = 72.0/PER_INCH                                       # of a pixel


def drawn(page, scale):
    """PNG bytes, `scale` dots to a pixel."""
    try:
        from matplotlib import rc_context
        from matplotlib.backends.backend_agg import FigureCanvasAgg
        from matplotlib.figure import Figure
        from matplotlib.font_manager import get_font_names
    except ImportError:
        raise ModelError('PNG pictures need matplotlib: pip install "fastdyn[plot]", or take the format svg') from None

    known = get_font_names()
    with rc_context({"font.family": [font for font in FONTS if font in known] or "sans-serif", "path.simplify": False}):
        figure = Figure(figsize=(page.width/PER_INCH, page.height/PER_INCH), dpi=scale*PER_INCH, facecolor="white")
        axes = figure.add_axes((0, 0, 1, 1), xlim=(0, page.width), ylim=(page.height, 0))
        axes.axis("off")
        for order, part in enumerate(page.parts):
            ADDERS[type(part).__name__](axes, part, order)
        stream = io.BytesIO()
        FigureCanvasAgg(figure).print_png(stream)
    return stream.getvalue()


def _stroke(axes, part, order):
    x, y = np.asarray(part.points, float).reshape(-1, 2).T
    width = part.width*POINT
    style = (0, tuple(length/part.width for length in part.dashes)) if part.dashes else "-"
    axes.plot(x, y, color=part.colour, linewidth=width, alpha=part.opacity, linestyle=style, solid_joinstyle="round",
              solid_capstyle="round", dash_capstyle="round", zorder=order, scalex=False, scaley=False)


def _area(axes, part, order):
    x, y = np.asarray(part.points, float).T
    axes.fill(x, y, color=part.colour, alpha=part.opacity, linewidth=0, zorder=order)


def _dots(axes, part, order):
    x, y = np.asarray(part.points, float).reshape(-1, 2).T
    axes.plot(x, y, "o", color=part.colour, alpha=part.opacity, markersize=2*part.radius*POINT, markeredgewidth=0,
              zorder=order, scalex=False, scaley=False)


def _words(axes, part, order):
    side = {"start": "left", "middle": "center", "end": "right"}[part.anchor]
    axes.text(part.x, part.y, part.text, color=part.colour, fontsize=part.size*POINT, ha=side, va="baseline",
              fontweight="bold" if part.bold else "normal", zorder=order, parse_math=False)


ADDERS = {"Stroke": _stroke, "Area": _area, "Dots": _dots, "Words": _words}
