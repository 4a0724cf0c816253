"""How far a run has come: simulated time, events so far, the clock on the wall."""

import time
from contextlib import contextmanager

REDRAWN = 10  # times per second at most


def of_a_run(t, t_end, events):
    return f"{t:.3g} of {t_end:.6g} s" + (f", {events} events" if events else "")


def of_a_study(done, points, bad):
    return f"{done} of {points} points" + (f", {bad} not well" if bad else "")


@contextmanager
def progress(doing="integrating", told=of_a_run):
    """A bar on the screen while it lasts; gives the function to call with what is reached, what is to be reached, and a
    number that goes with it: of a run times, s, and events so far; of a study points, and those that went wrong."""
    from rich.console import Console
    from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn, TimeRemainingColumn

    console = Console(stderr=True)
    columns = (TextColumn("{task.description}"), BarColumn(), TextColumn("{task.fields[reached]}"),
               TimeElapsedColumn(), TextColumn("left"), TimeRemainingColumn())
    with Progress(*columns, console=console, refresh_per_second=REDRAWN, transient=True,
                  disable=not console.is_terminal) as bar:
        task = bar.add_task("preparing kernels", total=None, reached="")
        said = float("-inf")

        def at(reached, end, count):
            nonlocal said
            if time.monotonic() - said >= 1/REDRAWN:
                said = time.monotonic()
                bar.update(task, description=doing, total=end, completed=reached, reached=told(reached, end, count))

        yield at
