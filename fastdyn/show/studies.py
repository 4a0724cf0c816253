"""A study as a table on the screen and as text."""

import csv
import io

import numpy as np

from ..describe.design import value_of_word
from ..describe.writing import write_whole
from ..results.study import MESSAGE, STATUS, WELL, Study
from ..status import SENTENCE
from .paper import paper
from .summary import table

MOST = 24           # columns of numbers that are told
TROUBLES = 6        # points that went wrong


def is_study(found):
    """Whether what a file held is a study, not a run."""
    return isinstance(found, Study)


def words_of(settings):
    """Words `key=value` as a dictionary of values."""
    return dict(map(value_of_word, settings))


def summary(study):
    """Print what was swept, how its points ended, and the range of every column."""
    console = paper()
    console.print(table(_head(study), "ll"))
    console.print()
    console.print(table(_ranges(study), "lrrl"))
    if bad := list(_troubles(study)):
        console.print()
        console.print(table(bad, "ll"))
    console.print()


def _head(study):
    yield "study of", study.system
    yield "points", " x ".join(map(str, study.shape)) + (f" = {len(study)}" if len(study.shape) > 1 else "")
    for status, n in study.counts.items():
        yield f"{n}", SENTENCE[status]


def _ranges(study):
    yield "column", "least", "most", ""
    numbers = [name for name in study.names if study[name].dtype.kind in "if" and name != STATUS]
    for name in numbers[:MOST]:
        column = study[name][np.isfinite(study[name])]
        if len(column):
            of = "of the design" if name in study.keys else ""
            yield name, f"{np.min(column):.9g}", f"{np.max(column):.9g}", of
    if len(numbers) > MOST:
        yield f"and {len(numbers) - MOST} more", "", "", ""


def _troubles(study):
    """(point, sentence) of the first that did not go well."""
    done = study[STATUS] != study.status if study.status else np.ones(len(study), bool)
    bad = np.flatnonzero(done & ~np.isin(study[STATUS], WELL))
    for number in bad[:TROUBLES].tolist():
        yield ", ".join(f"{key} {study[key][number]}" for key in study.keys), str(study[MESSAGE][number])
    if len(bad) > TROUBLES:
        yield f"and {len(bad) - TROUBLES} more", ""


def write_table(path, study):
    """Write the table as comma-separated values, every number by its shortest exact digits, whole or not at all."""
    text = io.StringIO()
    rows = csv.writer(text, lineterminator="\n")
    rows.writerow(study.names)
    rows.writerows([value if isinstance(value, str) else repr(value) for value in row] for row in _plain(study))
    write_whole(path, text.getvalue())


def _plain(study):
    return zip(*(study[name].tolist() for name in study.names))
