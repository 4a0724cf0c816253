"""What is in a run file as a page: `python -m fastdyn.show.run_file_page docs/run-file.md` writes it."""

import sys

from ..arms.keeping import KEPT, MODEL
from ..describe.writing import write_whole
from ..results.file import GROUPS, NAMES, WORDS
from ..results.provenance import MEANINGS
from ..results.tables import SERIES, TABLES

HEAD = """# The run file

`run.save("fall.h5")` and `fastdyn run` write all of a run to one HDF5 file; `fastdyn.open("fall.h5")` gives the run
back, equal in every bit, and `fastdyn show fall.h5` prints what is in it. Made from `fastdyn/results/tables.py`,
`fastdyn/results/file.py` and `fastdyn/arms/keeping.py` by `python -m fastdyn.show.run_file_page`.

Every dataset says its `unit` and `meaning` as attributes (tables: one a column) and has checksums (Fletcher-32); what
is not data has those of HDF5 1.10. Nothing is compressed. Any program that reads HDF5 1.10 reads it:

```pycon
>>> import fastdyn as fd
>>> run = fd.simulate(fd.catalog.n_pendulum(3), t_end=1.0, samples=101)
>>> run.save("fall.h5")
>>> again = fd.open("fall.h5")
>>> again.q.tobytes() == run.q.tobytes(), again.chain == run.chain
(True, True)
>>> import h5py
>>> with h5py.File("fall.h5") as file:
...     print(file["q"].shape, file["q"].attrs["coordinate_names"][0].decode(), file["t"].attrs["unit"].decode())
(101, 3) link1 s
>>> on = fd.simulate(again.chain, t_end=2.0, samples=101, start=again.checkpoint)       # goes on where it ended
>>> on.ok
True
```

A file appears under its name when all of it is on the disk; until then, and if anything goes wrong, what had the name
before stays. A file that is damaged, cut short, foreign or newer than the program is refused with one sentence; no
number of it is taken. A chain's `drive` is a Python function and cannot be kept: the run's `notes` say so when it is
opened, and `chain.replace(drive=...)` gives it back.
"""
ARMS = """\
The file's attribute `fastdyn` is "arms run"; `why` is how it ended, as a sentence. Contacts are numbered by their
rows in `/contacts`; the steps of each are the next so many `lines` of `/touching`."""
TAIL = """## What a run leaves while it goes on

With `simulate(..., store="fall.h5")` the rows of a run are added, as they come off the tape, to a file beside the run
file to be, `fall.h5.part`; contacts when they end. When the run ends, the run file is written and that one removed.
When the process is killed instead, `fastdyn.open("fall.h5.part")` gives what had been handed over until then, with the
status `UNFINISHED` and, at most a second old, a checkpoint to go on from. It is no HDF5 file but a row of frames, each
with its length and a checksum, that is only ever added to: whatever the moment, all whole frames can be read.

A contact that is open at a checkpoint has no `end` in the run that stops there and no `start` in the one that goes on:
both are nan. `speed` is that of the impact in both; impulses and works of the two add up, and the larger of the two
forces or depths is that of the contact.
"""


STUDIES = """## Studies

`study.h5` in the folder of a sweep, or `study.save(...)`, has the attribute `fastdyn` "study": in `/table` a dataset a
column, a row a point in the order of the design, `/study`, the design and the words of all points (JSON), and
`/provenance`. Until all points are done there are `plan.json` and `rows-000000.json` and on instead: rows of points
with a checksum, each file on the disk before it has its name. `fastdyn.open` reads the file, and the folder as far as
it is.
"""


def page():
    """The page docs/run-file.md."""
    series = [(f"`/{name}`", " x ".join(map(str, a.shape)), a.unit, a.meaning) for name, a in SERIES.items()]
    parts = [HEAD.rstrip(), "## Samples", "Names of columns and points are attributes of `/q`, `/v` and `/points`.",
             _table(("dataset", "shape", "unit", "meaning"), series)]
    for name, columns in TABLES.items():
        rows = [(f"`{column}`", c.dtype.__name__, c.unit, c.meaning) for column, c in columns.items()]
        more = f", attribute `{NAMES[name]}`" if name in NAMES else ""
        parts += [f"## `/{name}`{more}", _table(("column", "type", "unit", "meaning"), rows)]
    parts += ["## Groups", _table(("group", "meaning"), _named(GROUPS, "/"))]
    parts += ["Arrays in `/model` and `/checkpoint` are those of [Model and Stepping](layout.md), under their names."]
    parts += ["## Attributes of the file", _table(("attribute", "meaning"), _named(WORDS))]
    parts += ["## Attributes of `/provenance`", _table(("attribute", "meaning"), _named(MEANINGS))]
    arms = [(f"`/{name}`", shape, unit, meaning) for name, (shape, unit, meaning) in KEPT.items()]
    arms += [("`/model`", "text", "", MODEL)]
    arms += [(f"`/{name}`", "attributes", "", GROUPS[name]) for name in ("stats", "settings", "provenance")]
    parts += ["## Runs of spatial arms", ARMS, _table(("dataset", "shape", "unit", "meaning"), arms)]
    return "\n\n".join([*parts, TAIL.rstrip(), STUDIES])


def _named(meanings, before=""):
    return [(f"`{before}{name}`", meaning) for name, meaning in meanings.items()]


def _table(head, rows):
    lines = [head, ("---",)*len(head), *rows]
    return "\n".join("| " + " | ".join(cell.replace("|", "or") for cell in line) + " |" for line in lines)


if __name__ == "__main__":
    write_whole(sys.argv[1], page())
