"""What a sweep leaves: a table with a row a point, in the order of its design, and its file."""

import difflib
import io
import json
from collections import Counter

import numpy as np

from ..describe.design import again
from ..describe.named import written
from ..describe.writing import write_whole
from ..status import AT_REST, NOT_YET, OK, SENTENCE, STOPPED, ModelError
from .hdf5 import (
    VERSION, Damaged, dataset_of, encoded, group_of, put_array, put_text, put_words, take_array, take_text, words_of)

FORMAT = 1
KIND = "study"
WELL = (OK, STOPPED, AT_REST)
STATUS, MESSAGE = "status", "message"                   # columns between the keys and what is measured
TABLE = "table"                                         # group with a dataset a column
MEANINGS = {STATUS: "number of fastdyn.status, how the point ended", MESSAGE: "the same as a sentence"}


class Study:
    """The points of a sweep and what came out, a row a point; `study["links.arm.length"]` is a column.

    Attributes
    ----------
    table : structured array: the keys of the design, status, message, then what is measured; nan, or "", where a point
        gave nothing. A measured name that is taken already has "run." before it.
    keys : words that change from point to point; `shape`: how many values each has, of free points how many there are:
        `study["energy"].reshape(study.shape)` has an axis a key.
    system, settings : what all points have in common, as text and words; functions by their names.
    provenance : what computed it.
    ok : whether all points are computed and went well; status : OK when all are computed, whatever came out.
    """

    def __init__(self, table, design, about, provenance):
        self.table, self.design, self.provenance = table, design, provenance
        self.about = {name: told for name, told in about.items() if name != "design"}
        self.keys, self.shape = design.keys, design.shape
        self.system, self.settings = about["system"], about["settings"]

    def __repr__(self):
        return f"<Study of {self.system}: {self.message}>"

    def __len__(self):
        return len(self.table)

    def __getitem__(self, name):
        if not isinstance(name, str):
            return self.table[name]
        if name not in self.names:
            close = difflib.get_close_matches(name, self.names, n=1)
            hint = f'did you mean "{close[0]}"? ' if close else ""
            raise ModelError(f'the study has no column "{name}"; {hint}there are {", ".join(self.names[:40])}')
        return self.table[name]

    @property
    def names(self):
        """Of the columns."""
        return self.table.dtype.names

    @property
    def status(self):
        return NOT_YET if np.any(self.table[STATUS] == NOT_YET) else OK

    @property
    def ok(self):
        return bool(np.isin(self.table[STATUS], WELL).all())

    @property
    def message(self):
        """How many points ended how."""
        return "; ".join(f"{n} of {len(self)} points: {SENTENCE[status]}" for status, n in self.counts.items())

    @property
    def counts(self):
        """status -> number of points, in ascending order."""
        return dict(sorted(Counter(self.table[STATUS].tolist()).items()))

    def save(self, path):
        """Write all of it to an HDF5 file, whole or not at all; `fastdyn.open` gives it back, every bit of it."""
        import h5py

        image = io.BytesIO()
        with h5py.File(image, "w", libver=(VERSION, VERSION), track_order=True) as file:
            put_words(file, {"fastdyn": KIND, "format": FORMAT, "status": self.status, "message": self.message,
                             "points": len(self)})
            group = file.create_group(TABLE, track_order=True)
            put_words(group, {"meaning": "a column of the study a dataset, a row a point"})
            for name in self.names:
                column = self.table[name]
                if column.dtype.kind == "U":
                    column = np.char.encode(column, "utf-8")
                meaning = MEANINGS.get(name, "key" if name in self.keys else "measured")
                put_array(group, _place(name), column, "", f"{name}: {meaning}")
            told = self.about | {"design": self.design.told(), "columns": self.names}
            put_text(file, "study", json.dumps(told), "design, words, names of the columns: JSON")
            group = file.create_group("provenance")
            put_words(group, {"meaning": "what computed it, as attributes"} | self.provenance)
        write_whole(path, image.getbuffer())


def read(file, head):
    """The study in an open file, whose status and format are known to be right."""
    about = json.loads(take_text(file, "study"))
    design = again(about["design"])
    group = group_of(file, TABLE)
    columns = {}
    for name in about.pop("columns"):
        there = dataset_of(group, place := _place(name))
        column = take_array(group, place, there.dtype.newbyteorder("="), len(design), *(None for _ in there.shape[1:]))
        columns[name] = _texts([text.decode() for text in column.tolist()]) if column.dtype.kind == "S" else column
    if tuple(columns)[:len(design.keys)] != design.keys or not {STATUS, MESSAGE} <= columns.keys():
        raise Damaged("has other columns than its design")
    provenance = words_of(group_of(file, "provenance"))
    del provenance["meaning"]
    return Study(_table(columns, len(design)), design, about, provenance)


def _place(name):
    """The name of a dataset."""
    return name.replace("%", "%25").replace("/", "%2F")


# ---------------------------------------------------------------------------------------------------------- the table

def study_of(design, rows, about, provenance) -> Study:
    """A study from the rows (number -> row of run.points) there are."""
    columns = {key: _given(design.column(key)) for key in design.keys}
    columns[STATUS] = np.full(len(design), NOT_YET, np.int64)
    messages, measured = [SENTENCE[NOT_YET]]*len(design), {}
    for number in sorted(rows):
        row = rows[number]
        columns[STATUS][number], messages[number] = row["status"], row["message"]
        for name, value in row["values"].items():
            measured.setdefault(name, {})[number] = value
    columns[MESSAGE] = _texts(messages)
    for name, values in measured.items():
        while name in columns or not name:
            name = f"run.{name}"
        columns[name] = _measured(values, len(design))
    return Study(_table(columns, len(design)), design, about, provenance)


def _table(columns, n):
    table = np.empty(n, [(name, column.dtype, column.shape[1:]) for name, column in columns.items()])
    for name, column in columns.items():
        table[name] = column
    return table


def _given(values):
    """A column of the values of a key: numbers of one kind, rows of them, or words."""
    kinds = {type(value) for value in values}
    if kinds == {str}:
        return _texts(values)
    if kinds <= {int, float} or kinds == {bool}:
        return np.array(values, bool if kinds == {bool} else float if float in kinds or _huge(values) else np.int64)
    if kinds == {list} and len({len(value) for value in values}) == 1:
        if {type(item) for value in values for item in value} <= {int, float}:
            return np.array(values, float)
    return _texts([written(value) for value in values])


def _huge(values):
    return any(abs(value) >= 2**63 for value in values)


def _measured(values, n):
    """A column of what was measured: texts, or numbers, nan up to the largest shape."""
    if any(isinstance(value, str) for value in values.values()):
        return _texts([str(values.get(number, "")) for number in range(n)])
    arrays = {number: np.asarray(value, float) for number, value in values.items()}
    if len({array.ndim for array in arrays.values()}) > 1:
        arrays = {number: array.ravel() for number, array in arrays.items()}
    column = np.full((n, *np.max([array.shape for array in arrays.values()], axis=0).astype(int)), np.nan)
    for number, array in arrays.items():
        column[(number, *map(slice, array.shape))] = array
    return column


def _texts(values):
    """Texts that a file keeps as they are."""
    kept = [encoded(value).decode().rstrip("\0") for value in values]
    return np.array(kept, f"U{max([1, *map(len, kept)])}")
