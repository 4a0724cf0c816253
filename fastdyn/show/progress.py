"""How far a run has come: simulated time, events so far, the clock on the wall."""

import time
from contextlib import contextmanager

REDRAWN = 10  # times per second at most


@contextmanager
def progress():
    """A bar on the screen while it lasts; gives the function to call with the time reached, the last one, s, and the
    number of events so far."""
    from rich.console import Console
    from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn, TimeRemainingColumn

    console = Console(stderr=True)
    columns = (TextColumn("{task.description}"), BarColumn(), TextColumn("{task.fields[reached]}"),
               TimeElapsedColumn(), TextColumn("left"), TimeRemainingColumn())
    with Progress(*columns, console=console, refresh_per_second=REDRAWN, transient=True,
                  disable=not console.is_terminal) as bar:
        task = bar.add_task("preparing kernels", total=None, reached="")
        said = float("-inf")

        def at(t, t_end, events):
            nonlocal said
            if time.monotonic() - said >= 1/REDRAWN:
                said = time.monotonic()
                bar.update(task, description="integrating", total=t_end, completed=t,
                           reached=f"{t:.3g} of {t_end:.6g} s" + (f", {events} events" if events else ""))

        yield at
