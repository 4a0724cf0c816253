"""A page as SVG text."""

from html import escape

import numpy as np

FONT = "Helvetica, Arial, sans-serif"


def document(page):
    """The whole picture."""
    head = (f"<svg xmlns='http://www.w3.org/2000/svg' width='{page.width}' height='{page.height}' "
            f"viewBox='0 0 {page.width} {page.height}' role='img' font-family='{FONT}'>")
    named = [f"<title>{_plain(page.title)}</title>"] if page.title else []
    parts = filter(None, (WRITERS[type(part).__name__](part) for part in page.parts))
    return "\n".join([head, *named, f"<rect width='{page.width}' height='{page.height}' fill='white'/>", *parts,
                      "</svg>", ""])


def _stroke(part):
    path = _path(part.points)
    if not path:
        return ""
    dashed = f" stroke-dasharray='{' '.join(f'{x:g}' for x in part.dashes)}'" if part.dashes else ""
    return (f"<path d='{path}' fill='none' stroke='{part.colour}' stroke-width='{part.width:g}' "
            f"stroke-opacity='{part.opacity:.2g}' stroke-linejoin='round' stroke-linecap='round'{dashed}/>")


def _area(part):
    return f"<path d='{_path(part.points)}Z' fill='{part.colour}' fill-opacity='{part.opacity:.2g}'/>"


def _dots(part):
    return "\n".join(f"<circle cx='{x:.1f}' cy='{y:.1f}' r='{part.radius:g}' fill='{part.colour}' "
                     f"fill-opacity='{part.opacity:.2g}'/>" for x, y in np.asarray(part.points).tolist())


def _words(part):
    bold = " font-weight='bold'" if part.bold else ""
    return (f"<text x='{part.x:.1f}' y='{part.y:.1f}' font-size='{part.size:g}' fill='{part.colour}' "
            f"text-anchor='{part.anchor}'{bold}>{_plain(part.text)}</text>") if part.text else ""


WRITERS = {"Stroke": _stroke, "Area": _area, "Dots": _dots, "Words": _words}


def _path(points):
    steps, new = [], True
    for x, y in np.asarray(points, float).tolist():
        if x != x or y != y:
            new = True
        else:
            steps.append(f"{'M' if new else 'L'}{x:.1f} {y:.1f}")
            new = False
    return "".join(steps)


def _plain(text):
    """What XML can hold of a text."""
    return escape("".join(c if c.isprintable() else " " for c in text), quote=False)
