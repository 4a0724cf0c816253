"""`python -m perf.stiff`: what closures with springs cost implicit steppers, by stiffness.

Every mechanism starts with its springs stretched by the forces they have to give, so that it moves as one with rigid
closures does; rows of windows stop before they fold, for behind that they ring. The same error is asked of every
stiffness. Milliseconds are those of the integration.
"""

import sys

import msgspec
import numpy as np
from rich.table import Table

import fastdyn as fd
from fastdyn.describe import rrr
from fastdyn.describe.mechanisms import n_four_bar
from fastdyn.run.dynamics import motion_and_forces
from fastdyn.run.loops import moved, shortest

from . import _timing, budget
from ._timing import console

STIFFNESS = (1e3, 1e4, 1e5, 1e6, 1e7, 1e8)
TOLERANCES = (1e-5, 1e-7)
STEPPERS = ("radau5", "esdirk4")
MOMENT = 1e-4                                           # s, in which forces are looked at


# --------------------------------------------------------------------------------------------------------- mechanisms

def rose(k):
    """The planar 3RRR robot on the path P0 for 2 s."""
    return rrr.rrr_rose(method="lvs", ks=k, preloaded=True), 2.0


def windows(n):
    """Of a row of n four-bar linkages, 0.5 s."""
    return lambda k: (stretched(n_four_bar(n), k), 0.5)


def swing(k):
    """Two ball-jointed rods in space, their tips held by rods with ball joints at fixed distances, 1 s."""
    rods = [fd.Link(name=f"rod{i}", parent="base", at=(0.0, 0.7*i, 0.0), length=1.0, mass=1.0 + 2.0*i, radius=0.1,
                    joint=fd.Spherical(damping=0.5*i)) for i in range(2)]
    tie = fd.Closure(kind="distance", a="rod0.tip", b="rod1.tip", length=0.7)
    chain = fd.Chain(rods, closures=[tie], gravity=(0.0, 0.0, -9.81), start_v=(0.1, 0.0, 0.5, 0.1, 0.0, 0.5))
    return stretched(chain, k), 1.0


def hanging(k, n=5):
    """n bodies hung on each other by springs, let go level, 1 s."""
    bodies = [fd.Link(name=f"m{i}", parent="base", joint=fd.FreePlanar(), length=0.1, mass=1.0) for i in range(n)]
    ties = [fd.Closure(kind="distance", a=(0.0, 0.0, 0.0) if i == 0 else f"m{i - 1}", b=f"m{i}", length=1.0)
            for i in range(n)]
    q = tuple(x for i in range(n) for x in (1.0 + i, 0.0, 0.0))
    return stretched(fd.Chain(bodies, closures=ties, gravity=(0.0, -9.81, 0.0), start_q=q), k), 1.0


MECHANISMS = {"3RRR on a rose": rose, "1 window": windows(1), "3 windows": windows(3), "5 windows": windows(5),
              "rods on ball joints": swing, "5 hanging bodies": hanging}


def stretched(chain, k):
    """The chain with springs in place of its closures, stretched by what those give, and as fast as that changes."""
    times = np.array([0.0, 1.0, 2.0])*MOMENT
    held = fd.simulate(chain, times[-1], times=times, rtol=1e-12, atol=1e-12)
    f0, f1, f2 = (_forces(chain, q, v) for q, v in zip(held.q, held.v))
    rate = (-3.0*f0 + 4.0*f1 - f2)/(2.0*MOMENT)
    q, v = held.q[0], held.v[0]
    for _ in range(4):
        q = moved(chain, q, -shortest(fd.gap_jacobian(chain, q), fd.gaps(chain, q) + f0/k))
    J = fd.gap_jacobian(chain, q)
    v = v - shortest(J, J @ v + rate/k)
    springs = tuple(msgspec.structs.replace(c, stiffness=k) for c in chain.closures)
    return fd.Chain(chain.links, closures=springs, gravity=chain.gravity, start_q=tuple(q), start_v=tuple(v))


def _forces(chain, q, v):
    return motion_and_forces(chain, 0.0, q, v, np.zeros(chain.nv), None)[1]


# ------------------------------------------------------------------------------------------------------------ figures

def main(words=None):
    """Measure, print, write results/stiff.json; the exit code."""
    parser = _timing.arguments(__doc__)
    parser.add_argument("--mechanisms", nargs="+", choices=MECHANISMS, default=list(MECHANISMS))
    parser.add_argument("--stiffness", nargs="+", type=float, default=STIFFNESS, help="N/m, ascending")
    parser.add_argument("--tolerances", nargs="+", type=float, default=TOLERANCES)
    parser.add_argument("--steppers", nargs="+", choices=STEPPERS, default=STEPPERS)
    asked = parser.parse_args(words)
    with _timing.alone(asked.core) as place:
        watch, timings = _timing.Watch(), []
        runs = [record for name in asked.mechanisms for record in runs_of(name, asked, timings)]
        content = {"report": "stiff", "place": place, "contention": watch.report(timings),
                   "machine": _timing.machine(), "runs": runs}
    _timing.save(asked.results, "stiff", content)
    show(content)
    return budget.show(budget.of_stiff(content), asked.strict)


def runs_of(name, asked, timings):
    """A record for every stepper, tolerance and stiffness."""
    chains = {k: MECHANISMS[name](k) for k in asked.stiffness}

    def run_of(stepper, rtol, k):
        chain, t_end = chains[k]
        return fd.simulate(chain, t_end, stepper=stepper, rtol=rtol, atol=rtol, samples=2).check()

    def seconds(key):
        return lambda calls: sum(run_of(*key).seconds for _ in range(calls))

    keys = [(stepper, rtol, k) for stepper in asked.steppers for rtol in asked.tolerances for k in asked.stiffness]
    took = _timing.measure({key: seconds(key) for key in keys}, asked.seconds)
    timings += took.values()
    for key, t in took.items():
        stats = run_of(*key).stats
        yield {"mechanism": name, "stepper": key[0], "rtol": key[1], "k": key[2], "steps": stats["steps"],
               "evaluations": stats["evaluations"], "jacobians": stats["jacobians"], "ms": t.least*1e3,
               "ms_median": t.middle*1e3}


def show(content):
    """A table of steps, evaluations and milliseconds."""
    stiffness = sorted({r["k"] for r in content["runs"]})
    table = Table(title="Steps / evaluations / ms by stiffness, N/m")
    for i, name in enumerate(("mechanism", "stepper", "rtol", *(f"{k:g}" for k in stiffness), "evaluations, ratio")):
        table.add_column(name, justify="right" if i > 1 else "left")
    found = {(r["mechanism"], r["stepper"], r["rtol"], r["k"]): r for r in content["runs"]}
    for key in dict.fromkeys(key[:3] for key in found):
        cells = [found[*key, k] for k in stiffness]
        ratio = cells[-1]["evaluations"]/cells[0]["evaluations"]
        table.add_row(key[0], key[1], f"{key[2]:g}",
                      *(f"{r['steps']} / {r['evaluations']} / {r['ms']:.1f}" for r in cells), f"{ratio:.2f}")
    console.print(table)
    _timing.say_disturbance(content["contention"])


if __name__ == "__main__":
    sys.exit(main())
