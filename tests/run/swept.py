"""What sweeps under test are made of; other processes import it from here."""

import json
import os
import signal
import time
from pathlib import Path

import fastdyn as fd
from fastdyn.results.journal import ROWS

LENGTH = "links.rod.length"
LENGTHS = [0.4, 0.7, -1.0, 1.0, 1.3]
WELL = [0, 0, 52, 0, 0]
USUAL = {"t_end": 0.3, "samples": 3}


def rod():
    return fd.Chain([fd.Link(name="rod", length=1.0, mass=1.0)], name="rod")


def of_length(length):
    return rod().replace(links=[fd.Link(name="rod", length=length, mass=1.0)])


def lowest(run):
    return {"lowest": run.q.min(), "all": run.q, "steps": run.stats["steps"], "word": "swung"}


def deadly(run):
    """Ends its process at one of the points."""
    if run.chain.links[0].length == 1.0:
        os.kill(os.getpid(), signal.SIGKILL)
    return run.q[-1, 0]


def slow(run):
    time.sleep(0.05)
    return run.q[-1, 0]


def stopped_at_the_fourth(run):
    """As if Ctrl-C came while it is measured."""
    if run.chain.links[0].length == 1.0:
        raise KeyboardInterrupt
    return run.q[-1, 0]


def numbers_in(folder):
    """The numbers of the points whose rows are on the disk."""
    return [row["number"] for path in sorted(Path(folder).iterdir()) if ROWS.fullmatch(path.name)
            for row in json.loads(path.read_text().splitlines()[1])]
