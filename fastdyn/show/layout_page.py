"""The table of arrays as a page: `python -m fastdyn.show.layout_page docs/layout.md` writes it."""

import sys

from ..describe.writing import write_whole
from ..layout import LANES, LONG_LANES, SHORT_LANES, Model, Stepping, Tape, Work, table_of


def page():
    """The page docs/layout.md, made from the annotations of fastdyn/layout.py."""
    parts = [
        "# The arrays",
        "What a chain becomes for the kernels. Made from `fastdyn/layout.py` by `python -m fastdyn.show.layout_page`.",
        "A row is one step of the recursion: most joints are one, a universal joint two, a planar floating base three. "
        f"A lane sweep works on {LANES} chains side by side, on {SHORT_LANES} short ones, on {LONG_LANES} long ones.",
    ]
    for kind in (Model, Work, Stepping, Tape):
        parts += [f"## {kind.__name__}", kind.__doc__, _table(kind)]
    return "\n\n".join(parts) + "\n"


def _table(kind):
    rows = [("array", "type", "shape", "unit", "meaning"), ("---",)*5]
    for name, array in table_of(kind):
        shape = " x ".join(str(size) for size in array.shape)
        rows.append((f"`{name}`", array.dtype.__name__, shape, array.unit, array.meaning))
    return "\n".join("| " + " | ".join(cell.replace("|", "or") for cell in row) + " |" for row in rows)


if __name__ == "__main__":
    write_whole(sys.argv[1], page())
