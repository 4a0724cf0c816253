"""The run file: an HDF5 file that holds all of a run, and `fastdyn.open`, which gives the run back, every bit of it.

docs/run-file.md lists what is in it; the page is made from the tables here and in `tables.py`.
"""

import builtins
import io
import os

import numpy as np

from ..describe.files import parse
from ..describe.writing import write_whole
from ..layout import Model, Stepping, table_of
from ..run.checkpoint import Checkpoint
from ..status import SENTENCE, ModelError
from . import journal, packed, spool, study
from .hdf5 import (
    VERSION, Damaged, dataset_of, group_of, put_array, put_text, put_words, take_array, take_text, words_of)
from .run import Run
from .tables import SERIES, TABLES, dtype_of, kept

FORMAT = 1
KIND = "run"
SIGNATURE = b"\x89HDF\r\n\x1a\n"

# attributes of the file itself
WORDS = {
    "fastdyn": f'kind of file: "{KIND}"',
    "format": f"number of the format, {FORMAT}",
    "status": "number of fastdyn.status, how the run ended",
    "message": "the same as a sentence",
    "where": "link that the status is about",
    "failure": "exception of a user's function that stopped the run",
    "seconds": "time on the clock, s",
    "stepper": "name",
    "formulation": "name",
    "notes": "sentences about what a file cannot keep, such as a drive in Python",
}
GROUPS = {
    "model": "the arrays kernels read, as fastdyn.layout describes them, and `toml`, the text of the model file",
    "checkpoint": "all a stepper knows at the end, to go on from; as fastdyn.layout describes its arrays",
    "stats": "what the run took, as attributes",
    "settings": "of the stepper, as attributes",
    "provenance": "what computed it, as attributes",
}
NAMES = {"q": "coordinate_names", "v": "velocity_names", "points": "point_names", "events": "event_names"}
OTHER_ARRAYS = "this version of fastdyn makes other arrays of the chain than the one that wrote the file"


class Reported(Exception):
    """An exception that stopped a run which was then written to a file: only what it said is known."""

    def __repr__(self):
        return str(self)


# ------------------------------------------------------------------------------------------------------------- writing

def save(run, path):
    """Write a run to an HDF5 file, whole or not at all.

    The file is put together in memory: HDF5 cannot recover from a disk that is full.
    """
    import h5py

    image = io.BytesIO()
    with h5py.File(image, "w", libver=(VERSION, VERSION), track_order=True) as file:
        _fill(file, run)
    write_whole(path, image.getbuffer())


def _fill(file, run):
    words = {
        "fastdyn": KIND, "format": FORMAT, "status": run.status, "message": run.message, "where": run.where,
        "failure": None if run.failure is None else repr(run.failure), "seconds": run.seconds, "stepper": run.stepper,
        "formulation": run.formulation, "notes": run.notes + spool.lost(run.chain),
    }
    put_words(file, {name: words[name] for name in WORDS})
    names = _names(run)
    for name, array in SERIES.items():
        put_array(file, name, getattr(run, name), array.unit, array.meaning, **names.get(name, {}))
    for name, columns in TABLES.items():
        put_array(file, name, kept(getattr(run, name), columns), [c.unit for c in columns.values()],
                  [c.meaning for c in columns.values()], **names.get(name, {}))
    group = _group(file, "model")
    for name, array in table_of(Model):
        put_array(group, name, getattr(run.chain.model, name), array.unit, array.meaning)
    put_text(group, "toml", run.chain.replace(drive=None).to_toml(), "the model file")
    for name, values in (("stats", run.stats), ("settings", run.settings), ("provenance", run.provenance)):
        put_words(_group(file, name), values)
    if run.checkpoint is not None:
        group = _group(file, "checkpoint")
        known = dict(table_of(Stepping))
        for name, array in run.checkpoint.arrays.items():
            put_array(group, name, array, known[name].unit, known[name].meaning)
        put_words(group, {name: value for name, value in run.checkpoint._asdict().items() if name != "arrays"})


def _group(file, name):
    group = file.create_group(name, track_order=True)
    put_words(group, {"meaning": GROUPS[name]})
    return group


def _names(run):
    known = {"q": run.chain.coordinate_names, "v": run.chain.velocity_names, "points": run.point_names,
             "events": run.event_names}
    return {array: {word: tuple(known[array])} for array, word in NAMES.items()}


# ------------------------------------------------------------------------------------------------------------- reading

def open(path):
    """Read a run of any kind from the file that `run.save` wrote, or from what a run that was cut off left beside it.

    Parameters
    ----------
    path : of a run file (.h5), or of the beginnings of one (.h5.part); or the folder of a study, or its file.

    Returns
    -------
    The study as far as it is done; or the run, equal to the saved one in every bit. Its chain is made from the model
    text in the file; a drive is a Python function and is not: see `notes`.

    Raises
    ------
    ModelError : whatever is wrong with the file.
    """
    if isinstance(path, (str, os.PathLike)) and journal.is_there(path):
        return journal.opened(path)
    start = _start(path)
    try:
        if start.startswith(SIGNATURE):
            return _opened(path)
        if start.startswith(spool.SIGNATURE):
            return spool.read(path)
        if not start:
            raise Damaged("is empty")
        raise Damaged("is not a run file; give one that run.save or `fastdyn run` wrote")
    except Damaged as wrong:
        raise ModelError(f"{path}: {wrong}") from None
    except ModelError as wrong:
        raise ModelError(f"{path}: the model in it cannot be read: {wrong}") from None
    except MemoryError:
        raise ModelError(f"{path}: it takes more memory than there is") from None
    except (OSError, RuntimeError, LookupError, ValueError, TypeError, AttributeError, ArithmeticError) as wrong:
        reason = str(wrong).strip("'\"").partition("\n")[0] or type(wrong).__name__
        raise ModelError(f"{path}: is damaged or cut short ({reason}); no number of it was taken") from None


def _start(path):
    try:
        with builtins.open(path, "rb") as file:
            return file.read(64)
    except (OSError, ValueError, TypeError) as wrong:
        why = getattr(wrong, "strerror", None) or wrong
        left = f"{os.fspath(path)}{spool.ENDING}" if isinstance(path, (str, os.PathLike)) else ""
        hint = f"; a run that was cut off left {left}, open that" if left and os.path.exists(left) else ""
        raise ModelError(f"{path}: cannot be read: {why}{hint}") from None


def _opened(path):
    import h5py

    with h5py.File(path, "r", locking=False) as file:
        head = words_of(file)
        if not packed.is_packed(head) and head.get("fastdyn") not in (KIND, study.KIND):
            raise Damaged("is an HDF5 file, but not a run of fastdyn")
        if head["format"] > FORMAT:
            raise Damaged(f"is a run file of format {head['format']}; this version of fastdyn reads up to {FORMAT}, a "
                          "newer one is needed")
        if head["status"] not in SENTENCE:
            raise Damaged(f"has a status {head['status']} that this version of fastdyn does not know")
        if head["fastdyn"] == study.KIND:
            return study.read(file, head)
        return packed.read(file, head) if packed.is_packed(head) else _run(file, head)


def _run(file, head):
    group = group_of(file, "model")
    chain = parse(take_text(group, "toml"), "/model/toml")
    t = take_array(file, "t", np.float64, None)
    event_names, point_names = (words_of(dataset_of(file, name))[NAMES[name]] for name in ("events", "points"))
    shapes = {"q": (chain.nq,), "v": (chain.nv,)}
    series = {name: take_array(file, name, np.float64, len(t), *shapes.get(name, (len(point_names), 3)))
              for name in SERIES if name != "t"}
    tables = {name: take_array(file, name, dtype_of(columns), len(t) if name == "ledger" else None)
              for name, columns in TABLES.items()}
    notes = head["notes"]
    if OTHER_ARRAYS not in notes and not _same_arrays(group, chain.model):
        notes += (OTHER_ARRAYS,)
    words = {name: words_of(group_of(file, name)) for name in ("stats", "settings", "provenance")}
    for found in words.values():
        del found["meaning"]
    return Run(chain, t, **series, **tables, **words, notes=notes, status=head["status"], where=head["where"],
               failure=None if head["failure"] is None else Reported(head["failure"]), seconds=head["seconds"],
               stepper=head["stepper"], formulation=head["formulation"], event_names=event_names,
               point_names=point_names, checkpoint=_checkpoint(file))


def _same_arrays(group, model):
    """Whether the arrays in the file are those that are made of its text now."""
    for name, array in model._asdict().items():
        if name not in group or dataset_of(group, name).shape != array.shape:
            return False
        if not np.array_equal(take_array(group, name, array.dtype, *array.shape), array, equal_nan=True):
            return False
    return True


def _checkpoint(file):
    if "checkpoint" not in file:
        return None
    group = group_of(file, "checkpoint")
    words = words_of(group)
    known = dict(table_of(Stepping))
    arrays = {name: take_array(group, name, known[name].dtype, *(None for _ in known[name].shape))
              for name in group if name in known}
    return Checkpoint(**{name: words[name] for name in Checkpoint._fields if name != "arrays"}, arrays=arrays)
