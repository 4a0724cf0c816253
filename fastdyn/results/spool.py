"""What reaches the disk while a run goes on: a file beside the run file that is only ever added to.

It is a row of frames, each with its length and a checksum; one that is not whole, and all behind it, is as good as not
written. So what was handed over before a process is killed can be read, whatever it was doing at that moment. An HDF5
file that grows does not promise that: its last chunk is written anew each time. (Killed at random, 80 writers that
flush after every 300 rows left one file that could not be read at all; with single-writer-multiple-reader, two.)

    frame = tag "FRAM", length of the rest, checksum (CRC-32) of the rest,
            length of the head, head (JSON: kind, words, type and shape of each array), the arrays' bytes
"""

import contextlib
import io
import json
import os
import struct
import time
import warnings
import zlib
from datetime import UTC, datetime

import numpy as np
from numpy.lib.format import descr_to_dtype, dtype_to_descr

from ..describe.files import parse
from ..run.checkpoint import Checkpoint
from ..status import UNFINISHED, ModelError
from .hdf5 import Damaged
from .ledger import ledger_of
from .provenance import provenance
from .run import Run
from .tables import TABLES, WORK_COLUMNS, dtype_of

SIGNATURE = b"fastdyn spool 1\n"
ENDING = ".part"            # behind the name of the run file
TAG = b"FRAM"
FRAME, HEAD = struct.Struct("<4sQI"), struct.Struct("<Q")
SYNCED_EVERY = 1.0          # s on the clock: what a power cut may cost; a killed process loses nothing
DRIVE = "the chain had a drive; a Python function cannot be kept in a file, give it again with chain.replace(drive=...)"
UNREADABLE = "the last {} bytes of the file are not whole and were not read"


class Spool:
    """Takes the rows of a run as they come; `finish` makes the run file of them.

    Parameters
    ----------
    path : of the run file to be; until then there is `path.part`, which `fastdyn.open` reads too.
    chain : the chain, its drive left out.
    stepper, formulation, settings, event_names, point_names : as in Run.
    works : how many numbers at the end of a row are the works of the ledger; 0: none, for nothing works on the chain;
        None: none, they are not counted.

    A disk that is full stops neither the run nor this: `failure` holds the first error, what comes later is dropped.
    """

    def __init__(self, path, chain, *, stepper="", formulation="", settings=None, event_names=(), point_names=(),
                 works=None):
        self.path, self.part = os.path.realpath(path), os.path.realpath(path) + ENDING
        self.failure, self._synced, self._begun, self._rows = None, -np.inf, False, False
        toml = chain.replace(drive=None).to_toml()          # refuses what a file cannot keep before there is one
        try:
            self._file = io.BufferedWriter(io.FileIO(self.part, "x"))
        except FileExistsError:
            raise ModelError(f"{path}{ENDING} is there already, left by a run that was cut off or still goes on; look "
                             "at it with fastdyn.open, then remove it") from None
        self._file.write(SIGNATURE)                         # kept in memory until the first frame
        self._add("run", {
            "toml": toml, "stepper": stepper, "formulation": formulation, "works": works,
            "settings": {name: np.asarray(value).tolist() for name, value in (settings or {}).items()},
            "event_names": list(event_names), "point_names": list(point_names), "notes": lost(chain),
            "provenance": provenance(chain, datetime.now(UTC))}, {})

    def append(self, times, states, *, checkpoint=None, **tables):
        """Put rows on the disk.

        Parameters
        ----------
        times, states : s; rows (q, v, contacts, works) as on the tape.
        checkpoint : None or a function without arguments that gives one, of the end of these rows; it is asked now and
            then, so that a run that was cut off can go on.
        **tables : rows of events, contacts, touching by name, structured arrays.
        """
        rows = {"t": times, "y": states} | tables
        if any(len(array) for array in rows.values()):
            self._add("rows", {}, rows)
            self._rows = self._rows or self.failure is None
        if time.monotonic() - self._synced > SYNCED_EVERY and self.failure is None:
            self._synced = time.monotonic()
            if checkpoint is not None:
                taken = checkpoint()._asdict()
                self._add("checkpoint", {name: x for name, x in taken.items() if name != "arrays"}, taken["arrays"])
            with self._noted():
                os.fsync(self._file.fileno())

    def finish(self, run):
        """Write the run file and remove what was spooled; if there is no room for it, warn and leave that.

        A run that stopped where it began has nothing to keep: a file of that name stays as it is.
        """
        self.close()
        if not run.ok and len(run.t) < 2:
            self._remove()
            return
        try:
            run.save(self.path)
        except OSError as error:
            left = f"what there was room for is in {os.path.basename(self.part)}"
            warnings.warn(f"{self.path}: {error.strerror or error}; the run is not in a file, "
                          f"{left if self._begun else 'there was no room'}", RuntimeWarning, 2)
        except KeyboardInterrupt:
            raise KeyboardInterrupt(f"{self.path} is not written; its rows are in {self.part}") from None
        else:
            self._remove()

    def close(self):
        """Leave the beginnings of the run file as they are; where not even the first frame found room, nothing."""
        with self._noted():
            self._file.close()
        if not self._begun:
            self._remove()

    def abandon(self):
        """The same where the run failed to end; of one that left no rows, nothing."""
        self.close()
        if not self._rows:
            self._remove()

    def _remove(self):
        with self._noted(), contextlib.suppress(FileNotFoundError):
            os.unlink(self.part)

    def _add(self, kind, words, arrays):
        if self.failure is None:
            arrays = {name: np.ascontiguousarray(array) for name, array in arrays.items()}
            types = {name: [dtype_to_descr(array.dtype), array.shape] for name, array in arrays.items()}
            head = json.dumps({"kind": kind, "words": words, "arrays": types}).encode()
            rest = b"".join([HEAD.pack(len(head)), head, *(array.tobytes() for array in arrays.values())])
            with self._noted():
                self._file.write(FRAME.pack(TAG, len(rest), zlib.crc32(rest)) + rest)
                self._file.flush()
                self._begun = True

    @contextlib.contextmanager
    def _noted(self):
        try:
            yield
        except OSError as error:
            self.failure = self.failure or error


# ------------------------------------------------------------------------------------------------------------- reading

def read(path) -> Run:
    """The run as far as it had got."""
    with open(path, "rb") as file:
        content = memoryview(file.read())
    words, rows, checkpoint, end = None, [], None, len(SIGNATURE)
    for kind, said, arrays, place in _frames(content, end):
        end = place
        if kind == "run":
            words = said
        elif kind == "rows":
            rows.append(arrays)
        elif kind == "checkpoint":
            checkpoint = Checkpoint(**said, arrays=arrays)
    if words is None:
        raise Damaged("is the beginning of a run file, but nothing of the run had reached it")
    chain = parse(words.pop("toml"), "the model in it")
    notes = words.pop("notes") + ([UNREADABLE.format(len(content) - end)] if end < len(content) else [])
    settings = {name: np.array(x) if isinstance(x, list) else x for name, x in words.pop("settings").items()}
    t = np.concatenate([np.empty(0), *(arrays["t"] for arrays in rows)])
    y = np.concatenate([arrays["y"] for arrays in rows] or [np.empty((0, chain.nq + chain.nv))])
    q, v = settled(chain, y)
    works = words.pop("works")
    ledger = ledger_of(chain, q, v, known=works is not None)
    for name, column in zip(WORK_COLUMNS, y[:, -works:].T if works else []):
        ledger[name] = column
    tables = {name: np.concatenate([np.empty(0, dtype_of(columns)), *(a[name] for a in rows if name in a)])
              for name, columns in TABLES.items() if name != "ledger"}
    tables["contacts"] = as_begun(tables["contacts"], chain)
    return Run(chain, t, q, v, **tables, **words, ledger=ledger, settings=settings, notes=notes, status=UNFINISHED,
               checkpoint=checkpoint)


def _frames(content, at):
    """(kind, words, arrays, where it ends) of each whole frame."""
    while at + FRAME.size <= len(content):
        tag, size, checksum = FRAME.unpack_from(content, at)
        rest = content[at + FRAME.size:at + FRAME.size + size]
        if tag != TAG or len(rest) < size or zlib.crc32(rest) != checksum:
            return
        at += FRAME.size + size
        (length,) = HEAD.unpack_from(rest)
        head = json.loads(bytes(rest[HEAD.size:HEAD.size + length]))
        arrays, place = {}, HEAD.size + length
        for name, (descr, shape) in head["arrays"].items():
            dtype = descr_to_dtype([tuple(column) for column in descr] if isinstance(descr, list) else descr)
            count = int(np.prod(shape))
            arrays[name] = np.frombuffer(rest, dtype, count, place).reshape(shape).copy()
            place += count*dtype.itemsize
        yield head["kind"], head["words"], arrays, at


def as_begun(contacts, chain):
    """Contacts in the order in which they began; they were written in that in which they ended."""
    number = {pair: k for k, pair in enumerate(chain.contact_pairs)}
    pairs = [number.get(pair, -1) for pair in zip(contacts["point"].tolist(), contacts["ground"].tolist())]
    return contacts[np.lexsort((pairs, np.nan_to_num(contacts["start"], nan=-np.inf)))]


def lost(chain):
    """Sentences about what a file cannot keep of a chain."""
    return (DRIVE,) if chain.drive is not None else ()


def settled(chain, rows):
    """(q, v) of states, quaternions of length one: between steps they are not quite."""
    q, v = rows[:, :chain.nq].copy(), rows[:, chain.nq:chain.nq + chain.nv].copy()
    for _, part in chain.quaternions:
        q[:, part] /= np.linalg.norm(q[:, part], axis=1, keepdims=True)
    return q, v
