"""`python -m perf.flexible`: what elastic chains cost: the published fall, right-hand sides, Exudyn at the same fall.

Runs are those of fd.simulate; their milliseconds are of the integration alone, and beside it of the whole call, which
makes the tables of contacts and samples too. Errors are those of the joints' places against a run at rtol 1e-13. Exudyn
runs where its package is installed. Beside it both run over one window, from the free fall shortly before the first
touch on, by the clock of the processor, ours the whole call; errors are those of the runs that are timed, at the
window's end: ours against rtol 1e-13, Exudyn's against its own run with steps 16 times shorter than the shortest. Its
contact and friction are functions in Python, as its users have to write them: part of its cost is theirs.
"""

import sys
import time

import numpy as np
from rich.table import Table

import fastdyn as fd
from fastdyn.describe.catalog import falling_chain

from . import _timing, budget, long_chain, ours
from ._timing import console

SETS = ("ss-ss-ss", "cc-cc-cc", "sc-cc-cs", "cs-ss-sc")
TOLERANCES, CONVERGED, T_END = (1e-6, 1e-9), 1e-13, 1.5
LENGTHS, MODES = (3, 30, 300, 3000), (1, 2, 4, 8)
LANE_LENGTHS = (3, 30, 300)
LINKS = 30                                              # of the chains with more modes
START, STOP = 0.42, 0.5                                 # s, of what Exudyn is asked to do
ELEMENTS, STEPS, FINER = 4, (1e-4, 1e-5), 16            # a link; s; for its reference


def main(words=None):
    """Measure, print, write results/flexible.json; the exit code."""
    parser = _timing.arguments(__doc__)
    parser.add_argument("--sets", nargs="+", choices=SETS, default=list(SETS))
    parser.add_argument("--lengths", nargs="+", type=int, default=LENGTHS, help="links of chains with one mode a link")
    parser.add_argument("--lanes", nargs="*", type=int, default=LANE_LENGTHS, help="the same side by side")
    parser.add_argument("--modes", nargs="*", type=int, default=MODES, help=f"a link, of chains of {LINKS} links")
    parser.add_argument("--steps", nargs="*", type=float, default=STEPS, help="of Exudyn, s")
    asked = parser.parse_args(words)
    with _timing.alone(asked.core) as place:
        watch, timings = _timing.Watch(), []
        runs = [record for modes in asked.sets for record in runs_of(modes, asked, timings)]
        figures = sides(asked, timings)
        peers, missing = beside(asked)
        content = {"report": "flexible", "place": place, "contention": watch.report(timings),
                   "machine": _timing.machine(), "t_end": T_END, "runs": runs, "figures": figures,
                   "exponents": exponents(figures), "window": [START, STOP], "peers": peers, "missing": missing}
    _timing.save(asked.results, "flexible", content)
    show(content)
    return budget.show(budget.of_flexible(content), asked.strict, rival="Exudyn")


# --------------------------------------------------------------------------------------------------------------- runs

def fall(chain, rtol, t_end=None):
    """A run of which the end is kept."""
    return fd.simulate(chain, t_end or T_END, samples=2, rtol=rtol, atol=rtol/1000).check()


def places(run):
    """Of joints and tips at the end, m."""
    return run.points[-1, :, :2]


def apart(places):
    """How far joints are from each other's mirror images, m."""
    return float(np.max(np.abs(places + places[::-1]*[1.0, -1.0])))


def runs_of(modes, asked, timings):
    """A record per tolerance."""
    chain = falling_chain(modes)
    truth = fall(chain, CONVERGED)

    def kernels(rtol):
        return lambda calls: sum(fall(chain, rtol).seconds for _ in range(calls))

    def whole(rtol):
        return lambda calls: [fall(chain, rtol) for _ in range(calls)] and None

    took = _timing.measure({(what, rtol): of(rtol) for rtol in TOLERANCES
                            for what, of in (("kernels", kernels), ("whole", whole))}, asked.seconds)
    timings += [t for (what, _), t in took.items() if what == "kernels"]
    for rtol in TOLERANCES:
        run, t = fall(chain, rtol), took["kernels", rtol]
        yield {"modes": modes, "rtol": rtol, "ms": t.least*1e3, "ms_median": t.middle*1e3,
               "ms_whole": took["whole", rtol].least*1e3, "evaluations": run.stats["evaluations"],
               "steps": run.stats["steps"], "contacts": len(run.contacts), "right_contacts": len(truth.contacts),
               "error": float(np.max(np.abs(places(run) - places(truth)))),
               "energy_error": float(np.max(np.abs(run.energy_error))), "apart": apart(places(run))}


# --------------------------------------------------------------------------------------------------- right-hand sides

def case_of(n, m, lanes):
    """Forward dynamics of a chain of n links with m modes each, bent and moving."""
    chain, rng = falling_chain("ss", n=n, m=m), np.random.default_rng([n, m])
    q = rng.uniform(-1.0, 1.0, (lanes, chain.nq))
    for link in chain.links:
        q[:, chain.q_slice(link.name).stop - m:chain.q_slice(link.name).stop] *= 0.01
    v, torque = rng.uniform(-1.0, 1.0, (2, lanes, chain.nv))
    return ours.Case("forward", chain.model, q, v, torque)


def sides(asked, timings):
    """A record for every length and way with one mode, and for more modes."""
    wanted = [("scalar", n, 1) for n in asked.lengths] + [("lanes", n, 1) for n in asked.lanes]
    wanted += [("scalar", LINKS, m) for m in asked.modes if m > 1 or LINKS not in asked.lengths]
    cases = {key: case_of(*key[1:], ours.lanes_of(key[0], falling_chain("ss", n=key[1], m=key[2]).model))
             for key in wanted}
    took = _timing.measure({key: case.run for key, case in cases.items()}, asked.seconds)
    timings += took.values()
    return [{"way": way, "n": n, "m": m, "ns": t.least/n/cases[way, n, m].lanes*1e9,
             "ns_median": t.middle/n/cases[way, n, m].lanes*1e9} for (way, n, m), t in took.items()]


def exponents(figures):
    """Of the time of a call: in n with one mode, in m."""
    found = {}
    for name, pick in (("n", lambda f: f["m"] == 1), ("m", lambda f: f["n"] == LINKS)):
        mine = sorted((f[name], f["ns"]*f["n"]) for f in figures if f["way"] == "scalar" and pick(f))
        if len(mine) > 1:
            found[name] = long_chain.exponent(*map(np.array, zip(*mine)))
    return found


# ------------------------------------------------------------------------------------------------------------ Exudyn

def beside(asked):
    """(records of Exudyn's steps and of ours over the same window, names of what is missing)"""
    ours = [_ours(m, rtol) for m in (1, ELEMENTS) for rtol in TOLERANCES]
    if not asked.steps:
        return ours, []
    try:
        from .peers.exudyn_fall import ANCF, EXACT
        from .peers.exudyn_fall import fall as exudyn
    except ImportError:
        return ours, ["Exudyn"]
    theirs = []
    for kind in (EXACT, ANCF):
        _, truth = exudyn(ELEMENTS, START, STOP, min(asked.steps)/FINER, kind)
        for h in asked.steps:
            seconds, found = exudyn(ELEMENTS, START, STOP, h, kind)
            theirs.append({"code": "Exudyn", "what": f"{ELEMENTS} {kind} a link, h = {h:g} s, contact law in Python",
                           "h": h, "kind": kind, "cpu": seconds/(STOP - START),
                           "error": float(np.max(np.abs(found - truth))), "apart": apart(found)})
    return ours + theirs, []


def _ours(m, rtol):
    """Processor seconds per simulated second of a call over Exudyn's window, and the error of that run."""
    took, found = min((window(m, rtol) for _ in range(3)), key=lambda timed: timed[0])
    _, truth = window(m, CONVERGED)
    return {"code": "fastdyn", "what": f"{m} mode{'s'*(m > 1)} a link, rtol {rtol:g}", "m": m, "rtol": rtol,
            "cpu": took/(STOP - START), "error": float(np.max(np.abs(found - truth))), "apart": apart(found)}


def window(m, rtol):
    """(seconds of the processor, places at the end) of a run from START on, where the chain still falls freely."""
    chain = falling_chain(m=m)
    q, v = chain.start_state()
    q[1], v[1] = q[1] + chain.gravity[1]*START**2/2, chain.gravity[1]*START
    began = time.process_time()
    run = fd.simulate(chain, STOP, q, v, t=START, samples=2, rtol=rtol, atol=rtol/1000).check()
    return time.process_time() - began, places(run)


# ------------------------------------------------------------------------------------------------------------- tables

def show(content):
    """The tables."""
    table = _table(f"The published fall, {T_END:g} s", "modes", "rtol", "ms: minimum (median)", "whole call",
                   "evaluations", "contacts (right)", "error, m", "energy error, %", "apart, m")
    for r in content["runs"]:
        table.add_row(r["modes"], f"{r['rtol']:g}", f"{r['ms']:.1f} ({r['ms_median']:.1f})", f"{r['ms_whole']:.1f}",
                      f"{r['evaluations']}", f"{r['contacts']} ({r['right_contacts']})", f"{r['error']:.1e}",
                      f"{r['energy_error']:.1e}", f"{r['apart']:.1e}")
    console.print(table)
    table = _table("Forward dynamics of elastic chains, ns per link (and lane): minimum (median)", "way", "links",
                   "modes", "ns", "ns per mode")
    for f in content["figures"]:
        table.add_row(f["way"], f"{f['n']}", f"{f['m']}", f"{f['ns']:.1f} ({f['ns_median']:.1f})",
                      f"{f['ns']/f['m']:.1f}")
    console.print(table)
    for name, x in content["exponents"].items():
        console.print(f"a call's time goes as {name}^{x:.2f}")
    table = _table(f"s of the processor per simulated second; error of the joints' places at {STOP:g} s", "code",
                   "with", "s/s", "error, m", "mirrored joints apart, m")
    for p in content["peers"]:
        table.add_row(p["code"], p["what"], f"{p['cpu']:.3g}", f"{p['error']:.1e}", f"{p['apart']:.1e}")
    console.print(table)
    if content["missing"]:
        console.print(f"not installed: {', '.join(content['missing'])}")
    _timing.say_disturbance(content["contention"])


def _table(title, *columns):
    table = Table(title=title)
    for i, name in enumerate(columns):
        table.add_column(name, justify="right" if i else "left")
    return table


if __name__ == "__main__":
    sys.exit(main())
