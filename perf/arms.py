"""`python -m perf.arms`: what spatial flexible arms cost: an evaluation by either road, states
side by side, the fall of the Canadarm2.

Evaluations are those of a stepper, asked by address in a compiled loop; a link has one axial, one torsion and as many
bending modes in each plane as said. The fall runs from rest through the impact, by the processor's clock, whole call;
its peaks are those of the first contact, beside stored ones.
"""

import time

import numpy as np
from rich.table import Table

from fastdyn._address import RATE, caller, door, handle_of, parts_of, parts_opener
from fastdyn._jit import c_array, float64, int64, kernel, pointer, ready
from fastdyn.arms import canadarm2, flexible_arm
from fastdyn.arms.compile import compiled
from fastdyn.arms.layout import WORKS, work_for
from fastdyn.arms.many import MANY, accelerate_beside
from fastdyn.arms.run import ROADS
from fastdyn.layout import WIDTH, aligned

from . import _timing, budget, long_chain
from ._timing import console
from .ours import LIST, One

LENGTHS, BENDING, LINKS, USUAL, SHORT = (1, 2, 4, 8, 16, 32), (1, 2, 3, 4, 6, 8), 8, 4, 8
RTOL, T_END, PEAKS = 1e-8, 0.66, (47791.0285, 19543.2563, 25454.0861)
VECTOR = c_array(float64, 1)
open_one, call_rate = parts_opener(One), caller(RATE)


@kernel(int64(LIST, LIST, VECTOR, VECTOR, int64))
def burst(parts, handle, y, dy, calls):
    """Ask `calls` times; the largest status."""
    question, handle, worst = open_one(door(parts)).question, door(handle), 0
    for _ in range(calls):
        worst = max(worst, call_rate(question, handle, 0.0, pointer(y), pointer(dy)))
    return worst


def main(words=None):
    """Measure, print, write results/arms.json; the exit code."""
    parser = _timing.arguments(__doc__)
    parser.add_argument("--lengths", nargs="+", type=int, default=LENGTHS, help=f"links with {USUAL} bending modes")
    parser.add_argument("--modes", nargs="*", type=int, default=BENDING, help=f"per plane, of arms of {LINKS} links")
    parser.add_argument("--until", type=float, default=T_END, help="s, the end of the fall")
    asked = parser.parse_args(words)
    with _timing.alone(asked.core) as place:
        watch = _timing.Watch()
        figures, timings = evaluations(asked)
        beside, more = side_by_side(asked)
        content = {"report": "arms", "place": place, "fall": fall(asked.until), "lanes": beside,
                   "contention": watch.report(timings + more),
                   "machine": _timing.machine(), "figures": figures, "exponents": exponents(figures)}
    _timing.save(asked.results, "arms", content)
    show(content)
    return budget.show(budget.of_arms(content), asked.strict)


def case_of(road, n, b, rotation="linear"):
    """A loop over evaluations of an arm bent and moving at random."""
    model, states = bent(n, b, 1, rotation)
    work, nv = work_for(model, dense=road == "lagrange"), len(model.spring)
    y = np.concatenate([*states[:, 0], np.zeros(WORKS)])
    dy, parts, handle, loop = np.empty(len(y)), parts_of(One, (ROADS[road],)), handle_of(model, work, nv), ready(burst)

    def run(calls):
        status = loop(parts, handle, y, dy, calls)
        if status:
            raise ArithmeticError(f"{road}, {n} links: status {status}")

    return run


def bent(n, b, count, rotation="linear"):
    """(model, q and v of so many states) of an arm bent and moving at random"""
    arm = flexible_arm(n, (1, b, b, 1), rotation=rotation)
    small = np.array([0.01 if name[0] == "d" else 1.0 for name in arm.names])
    return compiled(arm), np.random.default_rng([n, b]).uniform(-1.0, 1.0, (2, count, len(small)))*small


def case_beside(n, b):
    """A loop over evaluations of so many states, WIDTH side by side at a time."""
    model, (q, v) = bent(n, b, MANY)
    work, state, acc = work_for(model, dense=False, lanes=WIDTH), aligned(2*q.shape[1]*WIDTH), np.empty_like(q)
    ask = ready(accelerate_beside)

    def run(calls):
        for _ in range(calls):
            if ask(model, work, state, 0.0, q, v, acc):
                raise ArithmeticError(f"{n} links side by side")

    return run


def side_by_side(asked):
    """(a record for every length; timings)"""
    took = _timing.measure({n: case_beside(n, USUAL) for n in asked.lengths}, asked.seconds)
    return [{"n": n, "modes": 2 + 2*USUAL, "ns": t.least*1e9/n/MANY, "ns_median": t.middle*1e9/n/MANY}
            for n, t in took.items()], list(took.values())


def evaluations(asked):
    """(a record for every road, length and number of modes; timings)"""
    wanted = [("recursive", n, USUAL, "linear") for n in asked.lengths]
    wanted += [("recursive", LINKS, b, "linear") for b in asked.modes if (LINKS, b) not in {w[1:3] for w in wanted}]
    wanted += [("lagrange", n, USUAL, "linear") for n in asked.lengths if n <= SHORT]
    wanted += [("recursive", asked.lengths[0], USUAL, "exp")]
    took = _timing.measure({key: case_of(*key) for key in wanted}, asked.seconds)
    return [{"road": road, "n": n, "modes": 2 + 2*b, "rotation": rotation, "us": t.least*1e6,
             "us_median": t.middle*1e6} for (road, n, b, rotation), t in took.items()], list(took.values())


def exponents(figures):
    """Of the time of an evaluation of the production road: in links, from 4 on, and in modes."""
    found = {}
    for name, field, mine in (("n", "n", lambda f: f["modes"] == 2 + 2*USUAL and f["n"] >= 4),
                              ("m", "modes", lambda f: f["n"] == LINKS)):
        points = sorted((f[field], f["us"]) for f in figures
                        if f["road"] == "recursive" and f["rotation"] == "linear" and mine(f))
        if len(points) > 1:
            found[name] = long_chain.exponent(*map(np.array, zip(*points)))
    return found


def fall(until):
    """A record of the fall of R2 by either road."""
    arm, records = canadarm2(), []
    for road in ROADS:
        arm.simulate(0.001, formulation=road)
        began = time.process_time()
        run = arm.simulate(until, rtol=RTOL, atol=RTOL/1000, formulation=road)
        seconds = time.process_time() - began
        tops = [peak[1] for contact in run.contacts[:1] for peak in contact.peaks]
        off = max(abs(a - b) for a, b in zip(tops, PEAKS)) if len(tops) == len(PEAKS) else None
        records.append({"road": road, "rtol": RTOL, "t_end": until, "seconds": seconds, "peaks": len(tops),
                        "peaks_off": off, "evaluations": run.counts["evaluations"], "steps": run.counts["steps"]})
    return records


def show(content):
    """The tables."""
    table = Table("road", "turns", "links", "modes", "us: minimum (median)", "us a link", title="An evaluation")
    for f in content["figures"]:
        table.add_row(f["road"], f["rotation"], f"{f['n']}", f"{f['modes']}", f"{f['us']:.1f} ({f['us_median']:.1f})",
                      f"{f['us']/f['n']:.2f}")
    console.print(table)
    table = Table("links", "modes", "ns a link and lane: minimum (median)", title=f"{WIDTH} states side by side")
    for r in content["lanes"]:
        table.add_row(f"{r['n']}", f"{r['modes']}", f"{r['ns']:.0f} ({r['ns_median']:.0f})")
    console.print(table)
    table = Table("road", "s of the processor", "evaluations", "steps", "peaks", "off by, N",
                  title=f"Fall and impact of R2, rtol {RTOL:g}")
    for r in content["fall"]:
        table.add_row(r["road"], f"{r['seconds']:.2f}", f"{r['evaluations']}", f"{r['steps']}", f"{r['peaks']}",
                      "-" if r["peaks_off"] is None else f"{r['peaks_off']:.1e}")
    console.print(table)
    console.print("exponents: " + ", ".join(f"{x:.2f} in {name}" for name, x in content["exponents"].items()))
    _timing.say_disturbance(content["contention"])


if __name__ == "__main__":
    raise SystemExit(main())
