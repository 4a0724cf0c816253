"""`python -m perf.integrate`: seconds of a run at an achieved error: our steppers and other integrators in one run.

Planar pendulums of 1 m links, straight, 0.5 rad from hanging, 10 s. Every code is run with tolerances from loose to
tight; what counts is its run at the loosest one whose final state is within the asked error of a converged one. Peers
get the same compiled right-hand side where they take one (numbalsoda, SciPy), else their own dynamics (Exudyn, Drake,
MuJoCo, diffrax). Beside it: the energy a long fall keeps, events, and what a step costs.
"""

import math
import sys

import numpy as np
from rich.table import Table

from fastdyn.describe.catalog import n_pendulum
from fastdyn.layout import H_MAX, RATES, REJECTED, STEPS
from fastdyn.steppers import STEPPERS, stepper

from . import _timing, budget, instants
from ._timing import console
from .integrators import Ours
from .own_dynamics import available, energy, missing

LINKS, ERRORS, SECONDS, ANGLE = (3, 30), (1e-6, 1e-9), 10.0, 0.5
TOLERANCES = 10.0**-np.arange(3.0, 14.0, 0.5)
SLOW = 2.0                                              # s a run may take to be looked at
CONVERGED = 1e-14
FALLING = 0.1                                           # rad above the horizontal, ten links of 1 m and 1 kg together
FALL_SECONDS, FALL_RTOL = 5.0, 1e-8
MANY = 1000                                             # steps, so that the start of a run does not count


def main(words=None):
    """Measure, print, write results/integrate.json; the exit code."""
    parser = _timing.arguments(__doc__)
    parser.add_argument("--links", nargs="+", type=int, default=LINKS)
    parser.add_argument("--steppers", nargs="+", choices=STEPPERS, default=list(STEPPERS))
    asked = parser.parse_args(words)
    with _timing.alone(asked.core) as place:
        watch, timings, figures, gave_up = _timing.Watch(), [], [], []
        for n in asked.links:
            race(n, asked, timings, figures, gave_up)
        content = {"report": "integrate", "place": place, "contention": watch.report(timings),
                   "machine": _timing.machine(), "seconds": SECONDS, "angle": ANGLE, "steppers": asked.steppers,
                   "figures": figures, "gave_up": gave_up, "missing": missing(),
                   "energy": [fall(name, asked.seconds, timings) for name in asked.steppers],
                   "events": instants.compared(),
                   "overhead": [overhead(name, n) for n in (1, 3, 10) for name in asked.steppers]}
    _timing.save(asked.results, "integrate", content)
    show(content)
    return budget.show(budget.of_runs(content), asked.strict, rival="best peer")


def race(n, asked, timings, figures, gave_up):
    """A record for every code and asked error: the tolerance that does it, what it takes; or why there is none."""
    chain = n_pendulum(n, length=float(n), mass=float(n), angle=ANGLE)
    truth = Ours(chain, "dop853", SECONDS).run(CONVERGED)
    codes = [Ours(chain, name, SECONDS) for name in asked.steppers] + available(chain, SECONDS)
    for error in ERRORS:
        chosen = {}
        for code in codes:
            tolerance = enough(code, truth, error)
            if tolerance:
                chosen[code.name] = code, tolerance
            else:
                why = f"no run within {SLOW:g} s" if code.seconds > SLOW else "not reached"
                gave_up.append({"code": code.name, "n": n, "asked": error, "why": why})
        took = _timing.measure({name: _repeat(*pair) for name, pair in chosen.items()}, asked.seconds)
        timings += took.values()
        for name, t in took.items():
            code, tolerance = chosen[name]
            final = code.run(tolerance)
            figures.append({"code": name, "n": n, "asked": error, "achieved": float(np.max(np.abs(final - truth))),
                            "tolerance": tolerance, "ms": t.least*1e3, "ms_median": t.middle*1e3,
                            "evaluations": code.evaluations})


def enough(code, truth, error):
    """The loosest tolerance with which a code gets within `error` of the truth, None if none does in time."""
    for tolerance in code.tolerances(TOLERANCES):
        with np.errstate(all="ignore"):
            final = code.run(tolerance)
        if code.seconds > SLOW:
            return None
        if np.max(np.abs(final - truth)) <= error:
            return tolerance
    return None


def _repeat(code, tolerance):
    def repeat(calls):
        for _ in range(calls):
            code.run(tolerance)

    return repeat


def fall(name, seconds, timings):
    """What a fall of ten links costs and loses of its energy; None where it does not get to its end."""
    chain = n_pendulum(10, angle=math.pi/2 + FALLING)
    code = Ours(chain, name, FALL_SECONDS)
    final = code.run(FALL_RTOL)
    if not np.all(np.isfinite(final)):
        return {"stepper": name, "joules": None, "ms": None}
    took = _timing.measure({name: _repeat(code, FALL_RTOL)}, seconds)[name]
    timings.append(took)
    return {"stepper": name, "joules": energy(chain, final) - energy(chain, code.y), "ms": took.least*1e3,
            "ms_median": took.middle*1e3, "start": energy(chain, code.y), "evaluations": code.evaluations}


def overhead(name, n):
    """Nanoseconds of a step beyond its evaluations of the right-hand side, by a right-hand side that does nothing."""
    code = Ours(n_pendulum(n), name, SECONDS, idle=True)
    code.course.stepping.setting[H_MAX] = SECONDS/MANY
    took = _timing.measure({"run": _repeat(code, 1e-6), "rate": code.evaluate}, 0.1)
    count = code.course.stepping.count
    steps, rates = int(count[STEPS] + count[REJECTED]), int(count[RATES])
    beyond = (took["run"].least - code.python_seconds() - rates*took["rate"].least)/steps
    return {"stepper": name, "order": stepper(name).order, "n": n, "steps": steps, "evaluations": rates,
            "ns": beyond*1e9}


def show(content):
    """Milliseconds by code and error, how far ahead of peers, energy, events; overhead of a step."""
    for n in sorted({f["n"] for f in content["figures"]}):
        table = Table(title=f"{n} links, {SECONDS:g} s: ms to reach an error, minimum (median), evaluations; "
                            "peers: times our best")
        for word in ("code", *(f"{e:g}" for e in ERRORS)):
            table.add_column(word, justify="left" if word == "code" else "right")
        mine = [f for f in content["figures"] if f["n"] == n]
        best = {e: budget.best_of_ours(content, n, e) for e in ERRORS}
        cells = {(f["code"], f["asked"]): _cell(f, content, best) for f in mine}
        cells |= {(g["code"], g["asked"]): g["why"] for g in content["gave_up"] if g["n"] == n}
        for code in dict.fromkeys(code for code, _ in cells):
            table.add_row(code, *(cells[code, e] for e in ERRORS))
        console.print(table)
    if content["missing"]:
        console.print("not installed: " + ", ".join(content["missing"]))
    table = Table(title=f"Ten links, 1 m, 1 kg, fall for {FALL_SECONDS:g} s from {FALLING:g} rad above the horizontal, "
                        f"rtol {FALL_RTOL:g}: error of the energy")
    for word in ("stepper", "J", "ms, minimum (median)", "evaluations"):
        table.add_column(word, justify="left" if word == "stepper" else "right")
    for f in content["energy"]:
        told = "not reached", "", ""
        if f["ms"] is not None:
            told = f"{f['joules']:.1e}", f"{f['ms']:.3f} ({f['ms_median']:.3f})", str(f["evaluations"])
        table.add_row(f["stepper"], *told)
    console.print(table)
    instants.show(content["events"])
    table = Table(title="ns of a step beyond its evaluations")
    for word in ("stepper", *(f"n = {n}" for n in (1, 3, 10))):
        table.add_column(word, justify="left" if word == "stepper" else "right")
    for name in dict.fromkeys(o["stepper"] for o in content["overhead"]):
        table.add_row(name, *(f"{o['ns']:.0f}" for o in content["overhead"] if o["stepper"] == name))
    console.print(table)
    _timing.say_disturbance(content["contention"])


def _cell(f, content, best):
    told = f"{f['ms']:.3f} ({f['ms_median']:.3f}) {f['evaluations'] or ''}"
    if f["code"] in content["steppers"] or best[f["asked"]] is None:
        return told
    return f"{told} {f['ms']/best[f['asked']]:.3g} x"


if __name__ == "__main__":
    sys.exit(main())
