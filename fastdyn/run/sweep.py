"""`sweep`: one system at many points of a design, on all cores, to the same bits however it is done; a table of it."""

import contextlib
import hashlib
import json
import os
from collections.abc import Callable
from contextlib import closing
from datetime import UTC, datetime

from ..describe.chain import Chain
from ..describe.check import shown
from ..describe.design import Design, again, plain
from ..describe.files import parse, text_of
from ..describe.writing import write_whole
from ..kinds import known, wanted
from ..results import journal
from ..results.file import open as open_file
from ..results.provenance import facts
from ..results.study import WELL, study_of
from ..status import ModelError
from .points import Job, check_keys, marked, warm
from .workers import check_not_starting, computed

VERSIONS = ("fastdyn", "sources", "python", "numba", "llvmlite", "numpy")
TRIAL = 0.3             # s on the clock, of the first point, to see how long points take
TRIES = 8               # points without kernels of their own to show, until no more are tried


def sweep(system, grid=None, *, points=None, store=None, workers=None, measure=None, progress=None, **settings):
    """Simulate a system at every point of a grid, and tell of each run in a row of a table.

    Parameters
    ----------
    system : Chain; or a name of the catalog or the path of a model file, as `fastdyn run` takes them; or a function
        that makes a chain from those words of a point that are among its arguments.
    grid : key -> list of values; points are all combinations, the last key changes first. Keys are those behind --set:
        fields of the chain such as "links.arm.length" or "grounds.0.contact.restitution", settings of `simulate`
        such as "rtol" or "t_end", of a name in the catalog its parameters.
    points : list of dictionaries key -> value instead, for any other design.
    store : None, or a folder: what is done is kept there as it is done. After Ctrl-C, a kill or a power cut the same
        call, or `fastdyn resume`, goes on with what is left. A folder of another study is refused.
    workers : number of processes; 1 computes here; None: one a core, if that is quicker than here. Or an executor, such
        as that of concurrent.futures (threads, MPI) or a client of dask.distributed: something with `submit`, or `map`.
    measure : None: what every run has, t at the end, counts, energies, the state at the end. Or a function of a run
        that gives a number, text or array, or several by name. Other processes have to find it: define it in a module,
        or in a script that calls sweep behind `if __name__ == "__main__":`.
    progress : None or a function of the points done, of all, and of those that did not go well.
    **settings : of `simulate`, or any key, the same at all points.

    Returns
    -------
    Study. Rows stand in the order of the design and have the same bits for any number of workers. A point that cannot
    be computed has a status and a sentence, and stops no other. Ctrl-C keeps what is done.

    Examples
    --------
    >>> import fastdyn as fd
    >>> rod = fd.Chain([fd.Link(name="rod", length=1.0, mass=1.0)])
    >>> study = fd.sweep(rod, {"links.rod.length": [0.5, 1.0, -1.0]}, t_end=1.0, workers=1)
    >>> study["status"].tolist(), study["message"].tolist()[2].partition("): ")[2]
    ([0, 0, 52], 'length is -1 m; give a length >= 0')
    """
    design = Design(grid, points)
    workers = _workers_of(workers, len(design))
    check_not_starting()
    for name, function in (("measure", measure), ("progress", progress)):
        if function is not None and not isinstance(function, Callable):
            raise ModelError(f"{name} is {shown(function)}; give a function")
    _check_system(system)
    settings = {key: _plain_if_possible(value) for key, value in settings.items()}
    job = Job(system, settings, measure)
    check_keys(job, design)
    about = {"system": _named(system), "settings": {key: _shown(value) for key, value in settings.items()},
             "measure": None if measure is None else getattr(measure, "__qualname__", type(measure).__name__)}
    marks = {name: _hash(told) for name, told in (
        ("system", _content(system)), ("settings", marked(settings)), ("design", design.told()),
        ("measure", marked(measure)))}
    provenance = facts(_hash(marks), datetime.now(UTC))
    if store is None:
        rows = {}
        _compute(job, design, workers, rows, lambda new: rows.update((row["number"], row) for row in new), progress)
        return study_of(design, rows, about, provenance)
    plan = {"marks": marks, "versions": {name: provenance[name] for name in VERSIONS}, "provenance": provenance,
            "about": about | {"design": design.told()}, "again": _again(job)}
    with closing(journal.Journal(_folder(store), plan)) as kept:
        if kept.whole:
            return open_file(os.path.join(kept.folder, journal.WHOLE))
        try:
            _compute(job, design, workers, kept.rows, kept.take, progress)
        finally:
            kept.flush()
        study = study_of(design, kept.rows, kept.about, kept.provenance)
        if len(kept.rows) == len(design):
            kept.finish(study)
        return study


def resume(folder, workers=None, progress=None):
    """Go on with the study in a folder, from what stands there alone."""
    plan = journal.plan_of(folder)
    said, design = plan["again"], again(plan["about"]["design"])
    if said is None:
        raise ModelError(f"{folder}: functions in Python belong to this study; go on by the call of fastdyn.sweep that "
                         "began it")
    if said["kind"] == "name":
        system = said["text"]
    elif said["kind"] == "chain":
        system = parse(said["text"])
    else:
        write_whole(system := os.path.join(folder, journal.MODEL), said["text"])
    words = {"grid": design.axes} if design.rows is None else {"points": design.rows}
    return sweep(system, **words, store=folder, workers=workers, progress=progress, **said["settings"])


def _compute(job, design, workers, rows, take, progress):
    """Compute the points that have no row yet; Ctrl-C ends it with those that are done."""
    todo = [number for number in range(len(design)) if number not in rows]
    bad = sum(row["status"] not in WELL for row in rows.values())

    def tell():
        if progress is not None:
            progress(len(design) - left, len(design), bad)

    left = len(todo)
    try:
        tell()
        expected = _warm(job, design, todo)*left
        with closing(computed(job, ((number, design[number]) for number in todo), workers, expected)) as found:
            for new in found:
                take(new)
                left -= len(new)
                bad += sum(row["status"] not in WELL for row in new)
                tell()
    except KeyboardInterrupt:
        return


def _warm(job, design, todo):
    """Kernels are made here, once for each set of words among the points: other processes find them on the disk.

    Returns
    -------
    About how long a point takes, s: as the first that can be run.
    """
    seen, tries, keys, known = set(), TRIES, design.worded, None
    for number in todo:
        if not tries or (seen and not keys):
            break
        point = design[number]
        words = tuple(point[key] for key in keys)
        if words in seen:
            continue
        seconds = warm(job, point) if seen else warm(job, point, TRIAL)
        if seconds is None:
            tries -= 1
        else:
            seen.add(words)
            known = seconds if known is None else known
    return 0.0 if known is None else known


# -------------------------------------------------------------------------------------------------- what is asked for

def _workers_of(workers, points):
    if workers is None or hasattr(workers, "submit") or hasattr(workers, "map"):
        return workers
    if not isinstance(workers, int) or isinstance(workers, bool) or workers < 1:
        raise ModelError(f"workers is {shown(workers)}; give a number of processes, 1 or more, or an executor with "
                         "`submit` or `map`")
    return min(workers, points)


def _check_system(system):
    if isinstance(system, (str, Chain)) or callable(system):
        return
    raise ModelError(f"system is {shown(system)}; give a Chain, a name of the catalog, the path of a model file, or a "
                     "function that makes a chain")


def _folder(store):
    if not (isinstance(store, (str, os.PathLike)) and os.fspath(store)):
        raise ModelError(f'store is {shown(store)}; give the path of a folder, such as "study"')
    return os.fspath(store)


def _plain_if_possible(value):
    try:
        return plain(value, "")
    except ModelError:
        return value


# ------------------------------------------------------------------------------------------------- how it is told again

def _hash(told):
    return hashlib.sha256(json.dumps(told, sort_keys=True).encode()).hexdigest()


def _in_file(system):
    return isinstance(system, str) and system not in known()


def _content(system):
    """What makes a system this one: of a file what stands in it."""
    if _in_file(system):
        return ["file", _model_text(system)]
    if isinstance(system, Chain):
        with contextlib.suppress(ModelError):               # functions are in it
            system = parse(system.to_toml())
    return marked(system)


def _model_text(path):
    """The text of a model file in TOML, whatever the file is."""
    kind, name, _ = wanted(path)
    return text_of(path) if path.lower().endswith(".toml") else kind.make(name, []).to_toml()


def _named(system):
    if isinstance(system, str):
        return os.path.basename(system)
    return system.name or "a chain" if isinstance(system, Chain) else getattr(system, "__qualname__", "a function")


def _shown(value):
    return value if isinstance(value, (bool, int, float, str, list)) else shown(value)


def _again(job):
    """What `resume` needs beside the design; None: Python functions are part of it."""
    if job.measure is not None or not isinstance(job.system, (str, Chain)):
        return None
    try:
        settings = {key: plain(value, key) for key, value in job.settings.items()}
        if isinstance(job.system, Chain):
            return {"kind": "chain", "text": job.system.to_toml(), "settings": settings}
    except ModelError:
        return None
    if _in_file(job.system):
        return {"kind": "file", "text": _model_text(job.system), "settings": settings}
    return {"kind": "name", "text": job.system, "settings": settings}
