"""`python -m perf.loops`: what closed loops cost: the 3RRR robot on its rose for 6 s, and rows of windows.

The robot starts with its springs stretched by the forces they have to give. Milliseconds are those of the integration,
two states kept; SciPy takes the same compiled right-hand side at the same tolerances, ours running once more just
before it and just after. "Off the path" is the greatest error of the platform's distance from the middle over 601
samples, m.
"""

import sys

import numpy as np
from rich.table import Table

import fastdyn as fd
from fastdyn._address import handle_of
from fastdyn.describe.mechanisms import n_four_bar
from fastdyn.describe.rrr import rrr_rose
from fastdyn.formulations import rates
from fastdyn.layout import work_of
from fastdyn.reproduce.rrr import HIGHER, IMPLICIT, SAMPLES, T_END, errors, scipy_run
from fastdyn.steppers.outside import right_hand_side

from . import _timing, budget
from ._timing import console

RIGID = None                                            # stiffness of closures held exactly
RUNS = {                                                # name -> stiffness, N/m, settings
    "explicit, 1e8 N/m": (1e8, HIGHER),                 # steps of order 5 ring at this tolerance: docs/theory/loops.md
    **{f"implicit, 1e{k} N/m": (10.0**k, IMPLICIT) for k in (5, 6, 7, 8)},
    "held exactly, rtol 1e-3": (RIGID, {"stepper": "dopri5", "rtol": 1e-3, "atol": 1e-6}),
    "held exactly, rtol 1e-6": (RIGID, {"stepper": "dop853", "rtol": 1e-6, "atol": 1e-9}),
}
SCIPY = {                                               # name -> its method, our run that it stands beside
    "RK45, held exactly": ("RK45", "held exactly, rtol 1e-3"),
    **{f"{method}, 1e{k} N/m": (method, f"implicit, 1e{k} N/m") for k in (5, 8) for method in ("Radau", "BDF")},
    "RK45, 1e8 N/m": ("RK45", "explicit, 1e8 N/m"),
}
WINDOWS = (10, 30, 100, 300, 1000)


def robot(ks):
    """The robot of case P0."""
    return rrr_rose("P0") if ks is RIGID else rrr_rose("P0", method="mdenoc", ks=ks, preloaded=True)


def right_hand_sides(n):
    """run(calls) of the rates of a row of n windows, as SciPy would ask them."""
    chain = n_four_bar(n)
    model, y = chain.model, np.concatenate(chain.start_state())
    f = right_hand_side(rates.rate(model), handle_of(model, work_of(model), chain.nq))

    def run(calls):
        for _ in range(calls):
            f(0.0, y)

    return run


def main(words=None):
    """Measure, print, write results/loops.json; the exit code."""
    parser = _timing.arguments(__doc__)
    parser.add_argument("--runs", nargs="+", choices=RUNS, default=list(RUNS))
    parser.add_argument("--windows", nargs="+", type=int, default=WINDOWS)
    parser.add_argument("--scipy", nargs="*", choices=SCIPY, default=list(SCIPY))
    asked = parser.parse_args(words)
    with _timing.alone(asked.core) as place:
        watch, timings = _timing.Watch(), []
        content = {"report": "loops", "place": place, "machine": _timing.machine(),
                   "runs": list(runs_of(asked.runs, asked.seconds, timings)),
                   "windows": list(windows_of(asked.windows, asked.seconds, timings))}
        content["scipy"] = list(scipy_of(asked.scipy, content["runs"]))
        content["contention"] = watch.report(timings)
    _timing.save(asked.results, "loops", content)
    show(content)
    return budget.show(budget.of_loops(content), asked.strict)


def runs_of(names, seconds, timings):
    """A record for every run of the robot."""
    chains = {name: robot(RUNS[name][0]) for name in names}

    def once(name, samples=2):
        return fd.simulate(chains[name], T_END, samples=samples, **RUNS[name][1]).check()

    took = _timing.measure({name: lambda calls, name=name: sum(once(name).seconds for _ in range(calls))
                            for name in names}, seconds)
    timings += took.values()
    for name, t in took.items():
        run = once(name, SAMPLES)
        yield {"run": name, "k": RUNS[name][0], **RUNS[name][1], "steps": run.stats["steps"],
               "evaluations": run.stats["evaluations"], "off_the_path": errors(run)[1], "ms": t.least*1e3,
               "ms_median": t.middle*1e3}


def windows_of(counts, seconds, timings):
    """A record for every row of windows: microseconds of a right-hand side, a window."""
    took = _timing.measure({n: right_hand_sides(n) for n in counts}, seconds)
    timings += took.values()
    for n, t in took.items():
        yield {"n": n, "us": t.least*1e6/n, "us_median": t.middle*1e6/n}


def scipy_of(names, runs):
    """A record for every method of SciPy whose run of ours is there; ours runs once more before it and once after."""
    known = {r["run"] for r in runs}
    for name in names:
        method, run = SCIPY[name]
        if run in known:
            ks, words = RUNS[run]
            before = fd.simulate(robot(ks), T_END, samples=SAMPLES, **words).check()
            took, asked, off = scipy_run(robot(ks), method, words["rtol"], words["atol"])
            after = fd.simulate(robot(ks), T_END, samples=SAMPLES, **words).check()
            ours = min(before.seconds, after.seconds)
            yield {"scipy": name, "run": run, "evaluations": asked, "off_the_path": off, "ms": took*1e3,
                   "ours_ms": ours*1e3, "ratio": took/ours}


def show(content):
    """Tables of the runs, of the windows, of SciPy."""
    for title, rows in (("3RRR robot on its rose, 6 s", content["runs"]), ("Rows of windows", content["windows"]),
                        ("SciPy, the same right-hand side", content["scipy"])):
        if rows:
            table = Table(*rows[0], title=title)
            for row in rows:
                table.add_row(*(f"{x:.4g}" if isinstance(x, float) else str(x) for x in row.values()))
            console.print(table)
    _timing.say_disturbance(content["contention"])


if __name__ == "__main__":
    sys.exit(main())
