"""A study on the disk while it goes on: what is done stands in small files, each whole or not there: the journal.

    study/plan.json         what is computed, written before the first point
    study/rows-000000.json  rows of points that are done, with a checksum, in the order in which they were
    study/study.h5          all of it, when all is done; then the rows go

Whatever kills the process, and whenever: a file with its name is whole, so what is in it counts and the rest is done
again. One process at a time: it holds a lock on the folder, which goes with it.
"""

import contextlib
import json
import os
import re
import time
import zlib

from ..describe.design import again
from ..describe.writing import write_whole
from ..status import ModelError
from .hdf5 import Damaged

try:
    import fcntl
except ImportError:                                     # Windows
    fcntl = None

PLAN, WHOLE, MODEL = "plan.json", "study.h5", "model.toml"
ROWS = re.compile(r"rows-(\d{6,})\.json")
LEFT = re.compile(r"\.(rows-\d+\.json|plan\.json|study\.h5|model\.toml)\.[0-9a-f]{12}\.tmp")
FORMAT = 1
PACE = 0.1              # s between two files of rows: what a kill may cost besides the points in work
PARTS = {"system": "system", "settings": "settings", "design": "grid or points", "measure": "measure"}


class Journal:
    """The folder of a study, opened to go on with it, or made.

    Parameters
    ----------
    folder : path.
    plan : what is computed, of plain words: `marks`, the fingerprint of each of PARTS; `versions`, of what computes;
        `about`, `provenance`, as Study has them, with the design; `again`, what run.sweep.resume needs, or None.

    rows : number -> row of what is done. whole : whether all was, and is in one file. about, provenance : those of who
        began.
    """

    def __init__(self, folder, plan):
        self.folder, self.rows, self.whole, self._waiting, self._written = folder, {}, False, [], time.monotonic()
        os.makedirs(folder, exist_ok=True)
        self._lock = _locked(folder)
        try:
            self._open(plan)
        except BaseException:
            self.close()
            raise

    def _open(self, plan):
        names = os.listdir(self.folder)
        for name in names:
            if LEFT.fullmatch(name):
                with contextlib.suppress(OSError):
                    os.unlink(os.path.join(self.folder, name))
        if PLAN not in names:
            if foreign := [name for name in names if not LEFT.fullmatch(name)]:
                raise ModelError(f"{self.folder} is a folder with other files, such as {sorted(foreign)[0]}; give a "
                                 "new one")
            write_whole(os.path.join(self.folder, PLAN), json.dumps(plan | {"format": FORMAT}, indent=1))
        known = plan_of(self.folder)
        others = [PARTS[part] for part in PARTS if known["marks"][part] != plan["marks"][part]]
        if others:
            raise ModelError(f"{self.folder} holds another study: its {' and '.join(others)} "
                             f"{'are' if len(others) > 1 else 'is'} not the same; give another folder, or remove that")
        self.whole = WHOLE in names
        if not self.whole and known["versions"] != plan["versions"]:
            raise ModelError(f"{self.folder} was begun by another version of fastdyn or of what it stands on "
                             f"({_told(known['versions'])}), whose last digits may differ; finish it with that, or "
                             "give another folder")
        self._marks, self.about, self.provenance = plan["marks"], known["about"], known["provenance"]
        if self.whole:
            self._tidy()
        else:
            self.rows, self._next = rows_in(self.folder, self._marks)

    def take(self, rows):
        """Rows that were computed; they reach the disk now, or within PACE."""
        for row in rows:
            self.rows[row["number"]] = row
        self._waiting += rows
        if time.monotonic() - self._written >= PACE:
            self.flush()

    def flush(self):
        """Put what waits on the disk."""
        if not self._waiting:
            return
        body = json.dumps(self._waiting)
        head = json.dumps({"marks": self._marks, "checksum": zlib.crc32(body.encode())})
        write_whole(os.path.join(self.folder, f"rows-{self._next:06d}.json"), f"{head}\n{body}\n")
        self._next, self._waiting, self._written = self._next + 1, [], time.monotonic()

    def finish(self, study):
        """All is done: one file of it, and the rows go."""
        self.flush()
        study.save(os.path.join(self.folder, WHOLE))
        self.whole = True
        self._tidy()

    def _tidy(self):
        for name in os.listdir(self.folder):
            if ROWS.fullmatch(name):
                with contextlib.suppress(OSError):
                    os.unlink(os.path.join(self.folder, name))

    def close(self):
        """Let others have the folder."""
        if self._lock is not None:
            os.close(self._lock)
            self._lock = None


def is_there(folder):
    """Whether a path is the folder of a study."""
    return os.path.isfile(os.path.join(folder, PLAN))


def plan_of(folder):
    """The plan of a study."""
    path = os.path.join(folder, PLAN)
    try:
        with open(path, encoding="utf-8") as file:
            plan = json.load(file)
        if plan["format"] > FORMAT:
            raise ModelError(f"{path}: is of format {plan['format']}; a newer version of fastdyn is needed")
        _ = [plan["marks"][part] for part in PARTS], plan["versions"], again(plan["about"]["design"])
        return plan
    except FileNotFoundError:
        raise ModelError(f"{folder} is no study; give a folder that `fastdyn sweep` or fastdyn.sweep made") from None
    except NotADirectoryError:
        raise ModelError(f"{folder} is a file; give the folder of a study. One run goes on from its checkpoint: "
                         "fd.simulate(chain, t_end, start=fd.open(file).checkpoint)") from None
    except (ValueError, KeyError, TypeError, AttributeError) as wrong:
        if isinstance(wrong, ModelError):
            raise
        raise ModelError(f"{path}: is damaged ({wrong})") from None


def rows_in(folder, marks):
    """(number -> row, number of the next file) of a study with these marks."""
    names = sorted((int(found[1]), name) for name in os.listdir(folder) if (found := ROWS.fullmatch(name)))
    rows = {}
    for _, name in names:
        path = os.path.join(folder, name)
        try:
            with open(path, encoding="utf-8") as file:
                head, body = file.readline(), file.readline().rstrip("\n")
            said = json.loads(head)
            if said["checksum"] != zlib.crc32(body.encode()):
                raise Damaged("its checksum is another")
            found = json.loads(body)
        except (ValueError, KeyError, TypeError) as wrong:
            raise ModelError(f"{path}: is damaged ({wrong}); remove it, and its points are computed again") from None
        if said["marks"] != marks:
            raise ModelError(f"{path}: is of another study; remove it")
        for row in found:
            rows.setdefault(row["number"], row)
    return rows, names[-1][0] + 1 if names else 0


def opened(folder):
    """The study in a folder, as far as it is done."""
    from .file import open as open_file
    from .study import study_of

    plan = plan_of(folder)
    if os.path.exists(whole := os.path.join(folder, WHOLE)):
        return open_file(whole)
    return study_of(again(plan["about"]["design"]), rows_in(folder, plan["marks"])[0], plan["about"],
                    plan["provenance"])


def _locked(folder):
    """A lock on the folder, None where there are no locks."""
    if fcntl is None:
        return None
    lock = os.open(folder, os.O_RDONLY)
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        os.close(lock)
        raise ModelError(f"{folder}: another process computes this study; wait until it is done, or stop it") from None
    except OSError:                                     # a file system without locks
        pass
    return lock


def _told(versions):
    return ", ".join(f"{name} {text[:12]}" for name, text in versions.items())
