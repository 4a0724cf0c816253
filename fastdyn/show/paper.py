"""Where tables and sentences are printed: as wide as the screen, or of one width for those who read it later."""

import sys

WIDTH = 132             # columns of what does not go to a terminal


def paper(file=None, width=WIDTH):
    """A console of rich on a file, None is the screen; who stops reading is met as a BrokenPipeError."""
    from rich.console import Console

    class Paper(Console):
        def on_broken_pipe(self):
            raise BrokenPipeError

    file = sys.stdout if file is None else file
    seen = bool(getattr(file, "isatty", bool)())
    return Paper(file=file, highlight=False, markup=False, width=None if seen else width)
