"""Who computes the points of a sweep: this process, processes of ours, or an executor of the user.

Points go out in pieces, small at first, then of PIECE seconds; answers come in any order. What one process does to
itself costs that process: pieces that were out when one died are computed again, each point alone in a new process, and
only a point whose own process dies is given up.
"""

import contextlib
import functools
import multiprocessing
import os
import pickle
import queue
import signal
import sys
import threading
import time
import types
import warnings
from collections import deque
from concurrent.futures import BrokenExecutor, Future, ProcessPoolExecutor

from ..describe.check import shown
from ..status import SENTENCE, WORKER_LOST, ModelError
from .points import rows_of

PIECE, LARGEST = 0.1, 1000                              # s on the clock, and points, in a piece
WORTH = 2.0                                             # s of one process from which on it pays to start others
OUT = 1024                                              # pieces an executor of the user has at a time
LOOK_EVERY = 0.2                                        # s, to see Ctrl-C where waiting cannot be interrupted


GUARD = 'a script has to call fastdyn.sweep behind `if __name__ == "__main__":`, or take workers=1'


def check_not_starting():
    """A script that is run once more by a process that starts for it is not to sweep there."""
    if getattr(multiprocessing.current_process(), "_inheriting", False):
        raise ModelError(f"fastdyn.sweep was called by a process that only starts; {GUARD}")


def cores():
    """Processors this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def computed(job, points, workers, expected):
    """Rows of points (number, point), in lists, as they are done.

    workers : number of processes, None: as it pays, if one process would need the s that are `expected`; or something
        with `submit` as concurrent.futures and dask.distributed have it, or with `map` alone.
    """
    points = Pieces(points)
    if workers is None:
        yield from _as_it_pays(job, points, expected)
    elif not isinstance(workers, int):
        yield from _by_executor(job, points, workers)
    elif workers == 1:
        yield from _here(job, points)
    else:
        yield from _by_processes(job, points, workers)


def _here(job, points):
    while points.left:
        rows, _ = rows_of(job, points.next(most=1))
        if not rows:
            raise KeyboardInterrupt                         # seen by the run, which has ended itself
        yield rows


def _as_it_pays(job, points, expected):
    """Here as long as processes would cost more time than they save, or if they cannot take the study."""
    count, began = cores(), time.monotonic()
    if count == 1 or expected < WORTH:
        for rows in _here(job, points):
            yield rows
            if count > 1 and time.monotonic() - began > WORTH:
                break
    try:
        yield from _by_processes(job, points, count)
    except NoProcesses as why:
        warnings.warn(f"the study is computed in this process alone: {why}", RuntimeWarning, 2)
        yield from _here(job, points)


class NoProcesses(ModelError):
    """Processes of ours cannot take a study."""


class Pieces:
    """Points in pieces, as large as the last answers advise."""

    def __init__(self, points):
        self._points, self.seconds = iter(points), PIECE
        self._first = next(self._points, None)

    @property
    def left(self):
        return self._first is not None

    def next(self, most=LARGEST):
        """A list of points; empty at the end."""
        piece = []
        while self.left and len(piece) < max(1, min(most, int(PIECE/max(self.seconds, 1e-9)))):
            piece.append(self._first)
            self._first = next(self._points, None)
        return piece

    def took(self, points, seconds):
        self.seconds = seconds/max(points, 1)


def answers(submit, take, most):
    """(piece, answer or exception) as they come; take() gives the next piece, `most` are out at a time."""
    finished, out, number = queue.SimpleQueue(), {}, 0
    try:
        while True:
            while len(out) < most and (piece := take()):
                future = submit(piece)
                out[number] = piece, future
                future.add_done_callback(lambda _, number=number: finished.put(number))
                number += 1
            if not out:
                return
            piece, future = out.pop(_got(finished))
            try:
                answer = future.result()
            except Exception as failure:
                answer = failure
            yield piece, answer
    finally:
        for _, future in out.values():
            future.cancel()


def _got(finished):
    while True:
        with contextlib.suppress(queue.Empty):
            return finished.get(timeout=LOOK_EVERY)


# ------------------------------------------------------------------------------------------------- others' executors

def _by_executor(job, points, executor):
    work = functools.partial(rows_of, job)
    if not hasattr(executor, "submit"):
        each = getattr(executor, "imap_unordered", executor.map)
        for rows, _ in each(work, iter(lambda: points.next(most=1), [])):
            yield rows
        return
    try:
        executor.submit(work, []).result()
    except Exception as refused:
        raise ModelError(f"the executor {shown(executor)} cannot take the study: {refused!r}") from refused
    alone = deque()

    def take():
        return alone.popleft() if alone else points.next()

    for piece, answer in answers(lambda piece: executor.submit(work, piece), take, OUT):
        if isinstance(answer, BrokenExecutor):              # nobody is left to ask
            raise answer
        if isinstance(answer, Exception) and len(piece) > 1:
            alone.extend([point] for point in piece)
        elif isinstance(answer, Exception):
            yield [_lost(*piece, answer)]
        else:
            points.took(len(piece), answer[1])
            yield answer[0]


def _lost(point, failure):
    message = f"{SENTENCE[WORKER_LOST]} ({type(failure).__name__})"
    return {"number": point[0], "status": WORKER_LOST, "message": message, "values": {}}


# ------------------------------------------------------------------------------------------------ processes of our own

def _by_processes(job, points, count):
    try:
        content = pickle.dumps(job)
    except Exception as refused:
        raise NoProcesses(f"the study cannot be sent to other processes ({refused}); define its functions in a module, "
                          "not in one another and not as lambda, or take workers=1, or a ThreadPoolExecutor as "
                          "workers") from refused
    while points.left:
        suspects = []
        with Processes(count, content) as pool:
            for piece, answer in answers(pool.submit, lambda: [] if pool.broken else points.next(), 2*count):
                if isinstance(answer, Exception):
                    pool.broken = True
                    suspects += piece
                else:
                    points.took(len(piece), answer[1])
                    yield answer[0]
        for point in suspects:
            with Processes(1, content) as pool:
                answer = next(answers(pool.submit, iter([[point], []]).__next__, 1))[1]
                yield [_lost(point, answer)] if isinstance(answer, Exception) else answer[0]


class Processes:
    """Processes that start from nothing (spawn), know one job and die with this one.

    The script that runs here is run by them too, as Python does it, only if functions of the study stand in it.
    """

    def __init__(self, count, content):
        self.content, self.broken, self._in_script = content, False, b"__main__" in content
        self._pool = ProcessPoolExecutor(count, multiprocessing.get_context("spawn"), initializer=_begin)

    def __enter__(self):
        try:
            self.submit([]).result()
        except BrokenExecutor:
            self._end(True)
            raise NoProcesses(f"no process for its points could be started; {GUARD}") from None
        except Exception as failure:
            self._end(True)
            raise NoProcesses(f"functions of the study are not found by other processes ({failure}); define them in a "
                              "module, or take workers=1") from failure
        return self

    def __exit__(self, kind, *rest):
        self._end(kind is not None)

    def submit(self, piece):
        """A future of the rows of a piece; of a pool that is broken one that failed."""
        try:
            with contextlib.nullcontext() if self._in_script else _no_script():
                return self._pool.submit(_rows, self.content, piece)
        except BrokenExecutor as broken:
            failed = Future()
            failed.set_exception(broken)
            return failed

    def _end(self, at_once):
        if at_once:
            for process in list((self._pool._processes or {}).values()):
                process.terminate()
        self._pool.shutdown(cancel_futures=True)


@contextlib.contextmanager
def _no_script():
    """While it lasts, processes that start see no script to run before anything else."""
    script = sys.modules["__main__"]
    sys.modules["__main__"] = types.ModuleType("__main__")
    try:
        yield
    finally:
        sys.modules["__main__"] = script


def _begin():
    """In a new process: Ctrl-C is for the one that asked, and without that one there is nothing to do."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    threading.Thread(target=_die_with, args=[multiprocessing.parent_process()], daemon=True).start()


def _die_with(parent):
    parent.join()
    os._exit(1)


def _rows(content, piece):
    return rows_of(_job(content), piece)


@functools.lru_cache(maxsize=1)
def _job(content):
    return pickle.loads(content)
