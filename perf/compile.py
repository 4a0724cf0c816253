"""`python -m perf.compile`: what a user waits for: import, first forward dynamics with an empty and a warm cache."""

import os
import statistics
import subprocess
import sys
import tempfile
import time

from rich.table import Table

from . import _timing, budget
from ._timing import console

LINKS = 7
READY = "\nimport time\nprint(time.time())"              # by the clock on the wall, which both processes see
IMPORT = "import fastdyn"
FIRST = """
import sys
import fastdyn as fd

family, n = sys.argv[1], int(sys.argv[2])
body = fd.Body(mass=1.0, com=(0.5, 0.0, 0.0), inertia=(0.01, 0.09, 0.09))
across = fd.Revolute(axis=(0.0, 1.0, 0.0))
first, *others = {"planar": [fd.Revolute()]*2, "revolute": [across]*2, "spherical": [fd.Spherical()]*2,
                  "mixed": [fd.Free(), across, fd.Prismatic(), fd.Spherical(), fd.Fixed()]}[family]
joints = [first] + [others[i % len(others)] for i in range(n - 1)]
chain = fd.Chain([fd.Link(length=1.0, body=body, joint=joint) for joint in joints])
q, v = chain.zero_state()
fd.forward_dynamics(chain, q, v)
"""
KINDS = ("planar", "revolute", "spherical", "mixed")


def main(words=None):
    """Measure in fresh processes, print, write results/compile.json; the exit code."""
    parser = _timing.arguments(__doc__)
    parser.add_argument("--families", nargs="+", choices=KINDS, default=list(KINDS))
    parser.add_argument("--cold", type=int, default=3, help="starts with an empty cache")
    parser.add_argument("--warm", type=int, default=10, help="starts with a filled one, and imports")
    asked = parser.parse_args(words)
    with _timing.alone(asked.core) as place:
        watch = _timing.Watch()
        _start(IMPORT)                                                 # bytecode written, files read
        bare = _summary([_start("pass") for _ in range(asked.warm)])
        imported = _summary([_start(IMPORT) for _ in range(asked.warm)])
        starts = {family: _family(family, asked.cold, asked.warm) for family in asked.families}
        many = imported, *(took["warm"] for took in starts.values())
        timings = [_timing.Timing(s["minimum"], s["median"], 1) for s in many]
        content = {"report": "compile", "place": place, "contention": watch.report(timings),
                   "machine": _timing.machine(), "links": LINKS, "python": bare, "import": imported, "starts": starts}
    _timing.save(asked.results, "compile", content)
    show(content)
    return budget.show(budget.of_starts(content), asked.strict)


def _family(family, cold, warm):
    """Seconds from process start to the first accelerations."""
    took = {"cold": [], "warm": []}
    for _ in range(cold):
        with tempfile.TemporaryDirectory() as folder:
            took["cold"].append(_start(FIRST, family, LINKS, cache=folder))
            took["warm"] += [_start(FIRST, family, LINKS, cache=folder) for _ in range(-(-warm//cold))]
    return {kind: _summary(t) for kind, t in took.items()}


def _start(program, *words, cache=None):
    """Seconds from the start of a fresh interpreter until it has run the program."""
    kept = {} if cache is None else {"FASTDYN_CACHE_DIR": cache}
    command = [sys.executable, "-c", program + READY, *map(str, words)]
    started = time.time()
    done = subprocess.run(command, cwd=_timing.ROOT.parent, env=os.environ | kept, capture_output=True, text=True)
    if done.returncode:
        raise ChildProcessError(f"a timed start failed: {done.stderr.strip().splitlines()[-1]}")
    return float(done.stdout) - started


def _summary(seconds):
    return {"minimum": min(seconds), "median": statistics.median(seconds), "starts": len(seconds)}


def show(content):
    """Seconds, minimum and median."""
    table = Table(title=f"seconds from process start, {content['links']} links: minimum (median)")
    for name in ("what", "empty cache", "warm cache"):
        table.add_column(name, justify="left" if name == "what" else "right")
    table.add_row("python alone", "", _cell(content["python"]))
    table.add_row("import fastdyn", "", _cell(content["import"]))
    for family, took in content["starts"].items():
        table.add_row(f"first forward dynamics, {family}", _cell(took["cold"]), _cell(took["warm"]))
    console.print(table)
    _timing.say_disturbance(content["contention"])


def _cell(s):
    return f"{s['minimum']:.3f} ({s['median']:.3f})"


if __name__ == "__main__":
    sys.exit(main())
