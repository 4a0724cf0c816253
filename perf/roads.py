"""`python -m perf.roads`: what the roads of the papers cost beside the production recursion, against length.

Forward dynamics of chains of ball joints by every formulation, one chain, microseconds a call, and the power of n with
which a call's time goes between the two longest chains.
"""

import math
import sys

from rich.table import Table

from fastdyn._jit import int64, kernel, ready, types
from fastdyn.formulations import FORMULATIONS
from fastdyn.formulations.signatures import FORWARD, MODEL, VECTOR, WORK
from fastdyn.layout import work_of
from fastdyn.run.asking import page_of

from . import _timing, chains
from ._timing import console

FAMILY, LENGTHS = "spherical", (1, 2, 4, 8, 16, 32, 64, 128)


@kernel(lambda: int64(types.FunctionType(FORWARD), MODEL, WORK, VECTOR, VECTOR, VECTOR, VECTOR, int64))
def burst(question, model, work, q, v, torque, acc, calls):
    """Ask `calls` times; the largest status."""
    worst = 0
    for _ in range(calls):
        worst = max(worst, question(model, work, q, v, torque, acc))
    return worst


def main(words=None):
    """Measure, print, write results/roads.json; the exit code."""
    parser = _timing.arguments(__doc__)
    parser.add_argument("--lengths", nargs="+", type=int, default=LENGTHS)
    asked = parser.parse_args(words)
    with _timing.alone(asked.core) as place:
        watch, timings, figures = _timing.Watch(), [], []
        for n in asked.lengths:
            took = _timing.measure({name: question(name, n) for name in FORMULATIONS}, asked.seconds)
            timings += took.values()
            figures += [{"formulation": name, "n": n, "us": t.least*1e6, "us_median": t.middle*1e6}
                        for name, t in took.items()]
        content = {"report": "roads", "place": place, "contention": watch.report(timings),
                   "machine": _timing.machine(), "family": FAMILY, "figures": figures}
    _timing.save(asked.results, "roads", content)
    show(content)
    return 0


def question(name, n):
    """Function of a number of calls: forward dynamics by a formulation of a chain of n links."""
    model = chains.model_of(FAMILY, n)
    asked, dense_size = page_of(name, "forward_dynamics")
    asked, work = ready(asked(model)), work_of(model, dense=dense_size(model))
    q, v, torque = (rows[0].copy() for rows in chains.states(FAMILY, n))
    acc = torque.copy()

    def run(calls):
        if status := burst(asked, model, work, q, v, torque, acc, calls):
            raise ArithmeticError(f"{name} stopped with status {status}")

    return run


def show(content):
    """Microseconds of a call, minima, and the power between the two longest."""
    found = {(f["formulation"], f["n"]): f for f in content["figures"]}
    lengths = sorted({f["n"] for f in content["figures"]})
    table = Table(title="forward dynamics, ball joints, us a call, minima")
    for word in ("formulation", *(f"n = {n}" for n in lengths), "power of n"):
        table.add_column(word, justify="left" if word == "formulation" else "right")
    for name in FORMULATIONS:
        cells = [f"{found[name, n]['us']:.4g}" for n in lengths]
        table.add_row(name, *cells, f"{power(found, name, lengths):.2f}")
    console.print(table)
    _timing.say_disturbance(content["contention"])


def power(found, name, lengths):
    """Of n, with which the time of a call goes between the two longest chains; NaN of a single one."""
    if len(lengths) < 2:
        return math.nan
    a, b = lengths[-2:]
    return math.log(found[name, b]["us"]/found[name, a]["us"])/math.log(b/a)


if __name__ == "__main__":
    sys.exit(main())
