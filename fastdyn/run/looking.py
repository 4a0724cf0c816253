"""While a run goes on: Ctrl-C and progress, seen and told in the pauses of its stepper."""

import signal
import threading
import time
from contextlib import contextmanager

import numpy as np

from ..status import INTERRUPTED, OK, PROGRESS_FAILED

TOLD_EVERY = 0.125  # s on the clock between two calls of `progress`: with the one at the end at most ten in any second


@contextmanager
def interrupted(at_once=lambda: None):
    """Gives a function that tells whether Ctrl-C was pressed; outside the main thread it is not ours to see.

    at_once : what is called when it is.
    """
    pressed = []
    if threading.current_thread() is not threading.main_thread():
        yield lambda: False
        return
    before = signal.signal(signal.SIGINT, lambda *args: (pressed.append(args), at_once()))
    try:
        yield lambda: bool(pressed)
    finally:
        signal.signal(signal.SIGINT, before)


class Looking:
    """What is done in the pauses: the log is emptied, progress told, Ctrl-C and failures of functions seen."""

    def __init__(self, plant, calls, stop, progress, t_end):
        self.plant, self.calls, self.stop, self.progress, self.t_end = plant, calls, stop, progress, t_end
        self.told, self.failure, self.events, self.counted = -np.inf, None, 0, 0

    def __call__(self, course):
        self.plant.drain()
        status = OK
        if time.monotonic() - self.told >= TOLD_EVERY:
            self.told = time.monotonic()
            status = self.tell(course)
        self.calls.look()
        return INTERRUPTED if self.stop() else self.calls.status or status

    def tell(self, course):
        """Progress; a status."""
        if self.progress is None:
            return OK
        new, self.counted = course.what[self.counted:], len(course.what)
        self.events += self.plant.told(new)
        try:
            self.progress(course.t, self.t_end, self.events)
        except BaseException as failure:
            self.failure = failure
            return PROGRESS_FAILED if isinstance(failure, Exception) else INTERRUPTED
        return OK

    def end(self, course, status):
        """(status, failure) of a run that has stopped."""
        self.calls.look()
        if self.calls.failure is not None:
            return self.calls.status, self.calls.failure
        if status == OK:
            status = self.tell(course)
        return status, self.failure
