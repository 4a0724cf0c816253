"""Long chains: the exponent of cost in length, and what a million links weigh. Also the child process that weighs."""

import contextlib
import json
import resource
import subprocess
import sys
import time
from pathlib import Path

import numpy as np

from . import _timing, chains, ours

LENGTHS = [10, 30, 100, 300, 1000, 3000, 10_000, 30_000, 100_000, 300_000, 1_000_000]
LONGEST = {"planar": 1_000_000, "revolute": 100_000}
MOST = 1_000_000


def scaling(family, longest, seconds):
    """Nanoseconds per link of forward dynamics for n = 10 to `longest`, and the exponent of a call's time in n."""
    lengths = [n for n in LENGTHS if n <= longest]
    timings = {}
    for n in lengths:                                                  # one at a time: the long ones are large
        timings |= _timing.measure({n: ours.case("forward", family, n).run}, seconds)
    times = np.array([timings[n].least for n in lengths])
    points = [{"n": n, "ns": t.least/n*1e9, "ns_median": t.middle/n*1e9} for n, t in timings.items()]
    return {"exponent": exponent(lengths, times), "points": points}, list(timings.values())


def exponent(lengths, times):
    """Least squares of log time over log length."""
    return float(np.polyfit(np.log(lengths), np.log(times), 1)[0])


def weigh(family="planar", n=MOST):
    """Bytes per link of n links in one call, counted and as the process grew; in a process of its own."""
    words = [sys.executable, "-m", __name__, family, str(n)]
    done = subprocess.run(words, cwd=Path(__file__).parent.parent, capture_output=True, text=True)
    if done.returncode:
        raise ChildProcessError(f"weighing {n} links failed: {done.stderr.strip().splitlines()[-1]}")
    return json.loads(done.stdout)


def _weigh_here(family, n):
    ours.case("forward", family, chains.PERIOD).run(1)                 # kernels ready: what follows is data
    before, reached = _resident(), _peak()
    case = ours.case("forward", family, n)
    case.run(1)                                                        # its pages, on first touch
    started = time.perf_counter()
    case.run(1)
    seconds = time.perf_counter() - started
    peak = _peak()
    vectors = sum(x.nbytes for x in (case.q, case.v, case.given, case.result))
    return {
        "family": family, "n": n, "bytes_per_link": case.bytes/n, "vector_bytes_per_link": vectors/n,
        "grown_bytes_per_link": (peak - before)/n if peak > reached else None, "peak_MB": peak/1e6,
        "call_ms": seconds*1e3, "finite": bool(np.isfinite(case.result).all()),
    }


def _peak():
    """Most bytes this process ever had in memory; the kernel's own count, for ru_maxrss starts with the parent's."""
    with contextlib.suppress(OSError):
        told = dict(line.split(":", 1) for line in Path("/proc/self/status").read_text().splitlines())
        return int(told["VmHWM"].split()[0])*1024
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss*(1 if sys.platform == "darwin" else 1024)


def _resident():
    """Bytes in memory now; where that is not told, the most there ever were."""
    try:
        return int(Path("/proc/self/statm").read_text().split()[1])*resource.getpagesize()
    except OSError:
        return _peak()


if __name__ == "__main__":
    print(json.dumps(_weigh_here(sys.argv[1], int(sys.argv[2]))))
