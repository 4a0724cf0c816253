"""Runs of systems that are no chains: what all of them leave, and their files, as safe as those of chains (file.py).

The kind of a run (fastdyn.kinds) says which words and arrays there are; here they are written and read.
"""

import io
import os
from functools import cached_property

import numpy as np

from ..describe.writing import write_whole
from ..kinds import KINDS, kind, kind_of
from ..status import OK, SENTENCE, SimulationError
from .hdf5 import VERSION, group_of, put_array, put_text, put_words, take_array, take_text, words_of

FORMAT = 1
SUFFIX = " run"                                             # of the file's attribute `fastdyn`, behind the kind


class Leaving:
    """What runs of every kind have: how they ended, files, papers, what computed them.

    A run has `system` with a name, `t` (s) and `status`, and its class has `kind`, a key of fastdyn.kinds.KINDS.
    """

    kind = ""
    notes = ()
    file = None                                             # where it was written to last

    @property
    def ok(self):
        return self.status == OK

    @property
    def message(self):
        """What the status means."""
        return SENTENCE[self.status]

    def check(self):
        """This run, or what stopped it as an exception."""
        if not self.ok:
            raise SimulationError(self.status, self.system.name)
        return self

    @cached_property
    def provenance(self):
        """What computed it: versions, processor, date, hashes; by name."""
        from datetime import UTC, datetime

        from .provenance import facts, hash_of

        packed = kind_of(self).pack(self)
        return facts(hash_of({name: text.encode() for name, (text, _) in packed.texts.items()}), datetime.now(UTC))

    def cite(self):
        """The papers this run stands on, as text."""
        from .cite import cite

        return cite(self)

    def save(self, path):
        """Write all of it to an HDF5 file, whole or not at all; `fastdyn.open` gives it back, every bit of it."""
        save(self, path)
        self.file = os.path.realpath(path)


def save(run, path):
    """Write a run to an HDF5 file, whole or not at all."""
    import h5py

    packed, image = kind_of(run).pack(run), io.BytesIO()
    with h5py.File(image, "w", libver=(VERSION, VERSION), track_order=True) as file:
        put_words(file, {"fastdyn": run.kind + SUFFIX, "format": FORMAT, "status": run.status,
                         "message": run.message, "notes": tuple(run.notes)} | packed.words)
        groups = packed.groups | {"provenance": ("what computed it, as attributes", run.provenance)}
        for name, (meaning, words) in groups.items():
            put_words(file.create_group(name, track_order=True), {"meaning": meaning} | words)
        for name, (array, unit, meaning) in packed.arrays.items():
            put_array(file, name, array, unit, meaning)
        for name, (text, meaning) in packed.texts.items():
            put_text(file, name, text, meaning)
    write_whole(path, image.getbuffer())


def is_packed(head):
    """Whether the first words of a file are those of a run of another kind than chains."""
    name = head.get("fastdyn")
    return isinstance(name, str) and name.endswith(SUFFIX) and name.removesuffix(SUFFIX) in KINDS


def read(file, head):
    """The run in an open file, whose status and format are known to be right."""
    run = kind(head["fastdyn"].removesuffix(SUFFIX)).unpack(Shelf(file, head))
    run.status, run.notes = head["status"], (*head["notes"], *(n for n in run.notes if n not in head["notes"]))
    run.provenance = Shelf(file, head).group("provenance")
    return run


class Shelf:
    """An open run file: `words` of its head, arrays, texts and groups, each checked as it is taken."""

    def __init__(self, file, head):
        self.words, self._file = head, file

    def array(self, path, *shape, dtype=np.float64):
        """An array of that shape; sizes that are None may be anything."""
        group, name = self._place(path)
        return take_array(group, name, dtype, *shape)

    def text(self, path):
        return take_text(*self._place(path))

    def group(self, name):
        """The words of a group, its meaning left out."""
        return {word: value for word, value in words_of(group_of(self._file, name)).items() if word != "meaning"}

    def names(self, name):
        """Names of the arrays in a group, in their order."""
        return list(group_of(self._file, name))

    def _place(self, path):
        *groups, name = path.split("/")
        group = self._file
        for inner in groups:
            group = group_of(group, inner)
        return group, name
