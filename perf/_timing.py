"""The stopwatch: one core, many bursts, the least and the middle one; what the machine is and who disturbed it."""

import argparse
import contextlib
import json
import os
import platform
import resource
import statistics
import subprocess
import sys
import time
from importlib import metadata
from pathlib import Path
from typing import NamedTuple

from rich.console import Console

ROOT = Path(__file__).resolve().parent
RESULTS = ROOT/"results"
BURST = 1e-3                # seconds: short enough to fall between two interruptions, long enough for the clock
SPREAD = 1.15               # median over minimum above which a figure was disturbed
BUSY = 0.5                  # load average of others above which a run is not alone
SWITCHES = 20.0             # involuntary context switches per second
STOLEN = 0.01               # share of the time a hypervisor gave to somebody else
PEERS = ("pin", "mujoco", "drake", "exudyn", "diffrax")
VECTOR_FLAGS = (("avx512f", "AVX-512"), ("avx2", "AVX2"), ("avx", "AVX"), ("sse2", "SSE2"), ("asimd", "NEON"))
WIDTH = 150                 # columns of a table that does not go to a terminal

console = Console(width=None if sys.stdout.isatty() else WIDTH)


class Timing(NamedTuple):
    """Seconds per call: of the quickest burst, of the middle one; and how many calls a burst had."""

    least: float
    middle: float
    calls: int


# ---------------------------------------------------------------------------------------------------- measuring


def measure(runs, seconds=0.15):
    """Timings of several `run(calls)` in the same minutes: a burst of each in turn, until each had its `seconds`.

    A run that returns a number has measured itself: those seconds count instead of ours.
    """
    calls = {name: _calls_per_burst(run) for name, run in runs.items()}
    took = {name: [] for name in runs}
    one_round = sum(_clock(run, calls[name]) for name, run in runs.items())
    for _ in range(max(5, round(seconds*len(runs)/one_round))):
        for name, run in runs.items():
            run(1)                                                     # its data back into the caches
            took[name].append(_clock(run, calls[name])/calls[name])
    return {name: Timing(min(t), statistics.median(t), calls[name]) for name, t in took.items()}


def _calls_per_burst(run):
    run(1)
    calls, took = 1, _clock(run, 1)
    while took < BURST/4:
        calls *= 4
        took = _clock(run, calls)
    return max(1, round(calls*BURST/took))


def _clock(run, calls):
    started = time.perf_counter()
    own = run(calls)                                                   # seconds by a clock of its own, or None
    return time.perf_counter() - started if own is None else own


# ------------------------------------------------------------------------------------------------- being alone


@contextlib.contextmanager
def alone(core):
    """Run on one core (None: the last one we may use; -1: wherever), before others if that is allowed.

    Gives the words that describe it; what was changed is put back.
    """
    if core == -1 or not hasattr(os, "sched_setaffinity"):
        yield {"core": None, "priority": "as started"}
        return
    cores, policy, parameters = os.sched_getaffinity(0), os.sched_getscheduler(0), os.sched_getparam(0)
    core = max(cores) if core is None else core
    os.sched_setaffinity(0, {core})
    try:
        yield {"core": core, "priority": _first(policy)}
    finally:
        os.sched_setscheduler(0, policy, parameters)
        os.sched_setaffinity(0, cores)


def _first(policy):
    """Go before other processes, as far as the system lets us."""
    if policy == os.SCHED_OTHER:
        try:
            os.sched_setscheduler(0, os.SCHED_FIFO, os.sched_param(50))
        except OSError:
            return "normal"
    return "real time"


class Watch:
    """What else happened on the machine between `start` and `report`."""

    def __init__(self):
        self.load = os.getloadavg()[0]
        self.before = self._now()

    @staticmethod
    def _now():
        return time.perf_counter(), resource.getrusage(resource.RUSAGE_SELF).ru_nivcsw, *_stolen()

    def report(self, timings):
        """Signs of others at work, and the sentences to be said about them."""
        seconds, switches, stolen, ticks = (after - before for after, before in zip(self._now(), self.before))
        spreads = [t.middle/t.least for t in timings]
        disturbed = sum(s > SPREAD for s in spreads)
        said = []
        if self.load > BUSY:
            said.append(f"the load average was {self.load:.2f} at the start: other programs were running")
        if switches > SWITCHES*max(seconds, 1.0):
            said.append(f"this process was interrupted {switches} times in {seconds:.0f} s")
        if ticks and stolen > STOLEN*ticks:
            said.append(f"the hypervisor took {stolen/ticks:.1%} of the time")
        if disturbed > len(spreads)/10:
            said.append(f"{disturbed} of {len(spreads)} figures have a median above {SPREAD} of the minimum")
        return {
            "seconds": round(seconds, 1), "load_before": self.load, "involuntary_switches": switches,
            "stolen": stolen/ticks if ticks else 0.0, "disturbed_figures": disturbed, "figures": len(spreads),
            "warnings": said,
        }


def _stolen():
    """(ticks a hypervisor took, all ticks) since boot; zeros where that is not told."""
    try:
        ticks = [int(x) for x in Path("/proc/stat").read_text().splitlines()[0].split()[1:9]]
    except (OSError, ValueError):
        return 0, 0
    return ticks[7], sum(ticks)


# -------------------------------------------------------------------------------------------------- the machine


def machine():
    """Processor, versions and the state of the sources: what a figure depends on and nothing private."""
    return {"processor": _processor(), "versions": _versions(), "commit": _commit(),
            "date": time.strftime("%Y-%m-%d %H:%M")}


def _processor():
    told = {}
    with contextlib.suppress(OSError):
        for line in Path("/proc/cpuinfo").read_text().splitlines():
            key, _, value = line.partition(":")
            told.setdefault(key.strip(), value.strip())
    flags = set((told.get("flags") or told.get("Features") or "").split())
    vectors = next((word for flag, word in VECTOR_FLAGS if flag in flags), "unknown")
    return {"model": told.get("model name", platform.processor() or platform.machine()), "MHz": told.get("cpu MHz"),
            "family": told.get("cpu family"), "vectors": vectors, "cores": os.cpu_count(), "system": platform.system()}


def _versions():
    found = {"python": platform.python_version()}
    for name in ("fastdyn", "numba", "llvmlite", "numpy", *PEERS):
        with contextlib.suppress(metadata.PackageNotFoundError):
            found[name] = metadata.version(name)
    return found


def _commit():
    """The commit of these sources, "+" when kernels differ from it; None outside a checkout."""
    def git(*words):
        return subprocess.run(["git", *words], cwd=ROOT, capture_output=True, text=True, check=True).stdout.strip()

    try:
        return git("rev-parse", "--short=12", "HEAD") + ("+" if git("status", "--porcelain", "../fastdyn") else "")
    except (OSError, subprocess.CalledProcessError):
        return None


# --------------------------------------------------------------------------------------------------- the report


def arguments(text):
    """The options all reports share."""
    parser = argparse.ArgumentParser(description=text)
    parser.add_argument("--core", type=int, help="core to run on; the last one, if not said; -1: any")
    parser.add_argument("--seconds", type=float, default=0.15, help="time for each figure")
    parser.add_argument("--results", type=Path, default=RESULTS, help="folder of the JSON files")
    parser.add_argument("--strict", action="store_true", help="exit with 1 when a figure is over its budget")
    return parser


def save(folder, report, content):
    """Write the latest run of a report: floats with four digits, a line for every field and every figure."""
    folder.mkdir(parents=True, exist_ok=True)
    fields = (f"{json.dumps(key)}: {_lines(value)}" for key, value in _short(content).items())
    (folder/f"{report}.json").write_text("{\n" + ",\n".join(fields) + "\n}\n")


def load(folder, report):
    """The latest run of a report, None if there was none."""
    path = folder/f"{report}.json"
    return json.loads(path.read_text()) if path.exists() else None


def _lines(x):
    if isinstance(x, list) and x and isinstance(x[0], dict):
        return "[\n" + ",\n".join(" " + json.dumps(item, allow_nan=False) for item in x) + "\n]"
    return json.dumps(x, allow_nan=False)


def _short(x):
    if isinstance(x, dict):
        return {str(key): _short(value) for key, value in x.items()}
    if isinstance(x, (list, tuple)):
        return [_short(value) for value in x]
    return float(f"{x:.4g}") if isinstance(x, float) else x


def say_disturbance(watch):
    """Print what may have spoiled the figures."""
    for sentence in watch["warnings"]:
        console.print(f"[yellow]contention: {sentence}[/yellow]")
