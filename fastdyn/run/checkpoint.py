"""A run in a bottle: all a stepper knows at an accepted step, to go on later, to the bit."""

import hashlib
import io
import zipfile
import zlib
from typing import NamedTuple

import numpy as np

from ..describe.writing import write_whole
from ..layout import STEPS, STEPS_MOST, TIME, Stepping
from ..status import ModelError

SETTINGS_OF_THE_RUN = ("setting", "atol", "watch")      # those come with the call that goes on
FORMAT = 7
# what NumPy raises of a file that is cut, damaged, or another one
UNREADABLE = (ValueError, TypeError, KeyError, IndexError, AttributeError, EOFError, NotImplementedError, RuntimeError,
              MemoryError, OverflowError, SyntaxError, zipfile.BadZipFile, zlib.error)


class Checkpoint(NamedTuple):
    """The method's name, the number of components, the arrays of Stepping that are not settings, whose model it was."""

    method: str
    n: int
    arrays: dict[str, np.ndarray]
    model: str = ""

    @property
    def t(self) -> float:
        """s"""
        return float(self.arrays["clock"][TIME])

    @property
    def y(self) -> np.ndarray:
        """State (q, v)."""
        return self.arrays["y"][:self.n].copy()

    def put_into(self, course):
        """Bring a course to where this one was taken."""
        if course.method.name != self.method or course.n != self.n:
            raise ModelError(f'the checkpoint is of stepper "{self.method}" and {self.n} components, the run of '
                             f'"{course.method.name}" and {course.n}; go on with the same stepper and chain')
        if course.model != self.model:
            raise ModelError("the checkpoint is of another chain, or of this one with other numbers; go on with the "
                             "chain as it was")
        for name, saved in self.arrays.items():
            array = getattr(course.stepping, name)
            if array.shape != saved.shape:
                raise ModelError(f"the checkpoint has {saved.size} numbers of {name}, the run {array.size}; go on with "
                                 "the same events")
            array[:] = saved
        course.stepping.setting[STEPS_MOST] += course.stepping.count[STEPS]     # max_steps is of this call

    def save(self, path):
        """Write an .npz file, whole or not at all."""
        file = io.BytesIO()
        np.savez(file, format=FORMAT, method=self.method, n=self.n, model=self.model, **self.arrays)
        write_whole(path, file.getvalue())


def checkpoint_of(course) -> Checkpoint:
    """A copy of what a course is at."""
    arrays = {name: array.copy() for name, array in course.stepping._asdict().items()
              if name not in SETTINGS_OF_THE_RUN}
    return Checkpoint(course.method.name, course.n, arrays, course.model)


def fingerprint(model) -> str:
    """Of the arrays of a model; equal models have equal ones."""
    told = hashlib.sha256()
    for name, array in model._asdict().items():
        told.update(f"{name} {array.dtype} {array.shape};".encode() + array.tobytes())
    return told.hexdigest()


def open_checkpoint(path) -> Checkpoint:
    """Read what `save` wrote."""
    names = [name for name in Stepping._fields if name not in SETTINGS_OF_THE_RUN]
    with open(path, "rb") as file:
        content = io.BytesIO(file.read())                       # in it, no damage looks as if the disk were at fault
    try:
        with np.load(content, allow_pickle=False) as file:
            if int(file["format"]) != FORMAT:
                raise ModelError(f"{path}: a checkpoint of format {int(file['format'])}; this version reads {FORMAT}")
            arrays = {name: file[name] for name in names}
            return Checkpoint(str(file["method"]), int(file["n"]), arrays, str(file["model"]))
    except ModelError:
        raise
    except UNREADABLE as error:
        reason = " ".join(str(error).split()) or type(error).__name__
        raise ModelError(f"{path}: not a checkpoint, or not whole ({reason}); give a file that Checkpoint.save "
                         "wrote") from None
