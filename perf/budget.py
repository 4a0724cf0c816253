"""What was measured against what it may be (budget.toml): figures, tables, the exit code."""

import math
import tomllib
from typing import NamedTuple

from rich.table import Table

from fastdyn.steppers import stepper

from ._timing import ROOT, console
from .chains import FAMILIES

BUDGET = tomllib.loads((ROOT/"budget.toml").read_text())
WITHIN = (7, 300)                                       # links the limits in ns are for
BEYOND = (1000, 10_000)                                 # and those beyond the caches
WAYS = {"scalar": "fastdyn", "lanes": "fastdyn lanes"}  # ours in the report on peers
RIVAL = "Pinocchio"
USUAL = "dop853"                                        # the stepper of a run where none is named


class Figure(NamedTuple):
    """A figure and its limit: not above `limit`, nor below `least`; `rival` is the peer's, `at` the links it is for."""

    what: str
    unit: str
    measured: float | None
    limit: float
    least: float = -math.inf
    rival: float | None = None
    at: int | None = None

    @property
    def reached(self):
        return self.measured is not None and self.least <= self.measured <= self.limit


# -------------------------------------------------------------------------------------------- figures of a report


def of_kernels(content):
    """Speed within and beyond the caches, exponents, memory."""
    found = [figure for way in WAYS for family in FAMILIES
             for figure in _speed(content, way, family, WITHIN, BUDGET["forward"][way][family], "")]
    found += [figure for family in FAMILIES
              for figure in _speed(content, "own", family, WITHIN, BUDGET["forward"]["own"][family], "")]
    return found + of_long_chains(content)


def of_long_chains(content):
    """What the report on peers does not measure itself."""
    long, found = BUDGET["long"], []
    for family in FAMILIES:
        for way in ("lanes", "own"):
            limit = BUDGET["forward"][way][family]*long["beyond_caches"]
            found += _speed(content, way, family, BEYOND, limit, ", beyond caches")
    low, high = long["exponent"]
    found += [Figure(f"exponent in n, {family}", "", s["exponent"], high, low, at=s["points"][-1]["n"])
              for family, s in sorted(content["scaling"].items())]
    memory = content["memory"]
    if memory:
        for what, field in (("model and work", "bytes_per_link"), ("growth of the process", "grown_bytes_per_link")):
            if memory[field] is not None:
                found.append(Figure(f"memory, {what}", "bytes/link", memory[field], long["bytes_per_link"],
                                    at=memory["n"]))
    return found


def _speed(content, way, family, between, limit, note):
    """The slowest length of a family, if there is one."""
    asked = "forward", way, family
    times = [(f["ns"], f["n"]) for f in content["figures"]
             if (f["question"], f["way"], f["family"]) == asked and between[0] <= f["n"] <= between[1]]
    return [Figure(f"forward, {family}, {way}{note}", "ns/link", ns, limit, at=n) for ns, n in times and [max(times)]]


def of_peers(content):
    """Speed beside the peer's in the same run, accuracy, agreement."""
    times = {(f["question"], f["code"], f["family"], f["n"]): f for f in content["figures"]}
    found = [figure for way in WAYS for family in FAMILIES for figure in _beside(times, way, family)]
    errors = content["accuracy"]
    for n in (8, 128):
        ours, rival = (errors.get(code, {}).get(str(n)) for code in ("fastdyn", RIVAL))
        if ours is not None:
            found.append(Figure("error, ball joints", "relative", ours, BUDGET["accuracy"][f"n{n}"], rival=rival, at=n))
    limit = BUDGET["agreement"]["formulations"]
    return found + [Figure(f"{name} against recursive", "relative", x, limit, at=content["agreement_links"])
                    for name, x in sorted(content["agreement"].items())]


def _beside(times, way, family):
    """Forward at its slowest length; inverse where it is least ahead of rnea by the measure of aba."""
    limit = BUDGET["forward"][way][family]
    rows = {"forward": [], "inverse": []}
    for (question, code, where, n), f in times.items():
        if code != WAYS[way] or where != family or not WITHIN[0] <= n <= WITHIN[1]:
            continue
        aba, rival = (times.get((q, RIVAL, family, n), {}).get("ns_corrected") for q in ("forward", question))
        if question == "forward":
            rows[question].append((f["ns"]/limit, limit, f["ns"], rival, n))
        elif question == "inverse" and aba:
            ahead = limit*rival/aba
            rows[question].append((f["ns"]/ahead, ahead, f["ns"], rival, n))
    for question, row in rows.items():
        if row:
            _, limit, ns, rival, n = max(row, key=lambda r: r[0])
            yield Figure(f"{question}, {family}, {way}", "ns/link", ns, limit, rival=rival, at=n)


def of_starts(content):
    """Import, cold and warm start."""
    limits = BUDGET["start"]
    found = [Figure("import fastdyn", "s", content["import"]["median"], limits["import"])]
    for family, took in content["starts"].items():
        found += [Figure(f"first forward dynamics, {family}, {kind}", "s", took[kind]["median"], limits[kind])
                  for kind in ("cold", "warm")]
    return found


# ------------------------------------------------------------------------------------------------------- the table


def show(figures, strict=False, title="Budget", rival=RIVAL):
    """Print every figure beside its limit; 1 if `strict` and one is over, else 0."""
    table = Table(title=title)
    for name in ("figure", "n", "unit", "limit", "measured", rival, "ratio", ""):
        table.add_column(name, justify="left" if name in ("figure", "unit", "") else "right")
    for f in figures:
        limit = number(f.limit) if math.isinf(f.least) else f"{f.least:g}..{f.limit:g}"
        ratio = number(f.rival/f.measured) if f.rival and f.measured else ""
        verdict = "[green]reached[/green]" if f.reached else "[bold red]over[/bold red]"
        table.add_row(f.what, f"{f.at:g}" if f.at else "", f.unit, limit, number(f.measured), number(f.rival), ratio,
                      verdict)
    console.print(table)
    return 1 if strict and not all(f.reached for f in figures) else 0


def number(x):
    """Three digits; nothing for nothing."""
    if x is None:
        return ""
    return f"{x:.1e}" if x and not 1e-3 <= abs(x) < 1e5 else f"{x:.0f}" if abs(x) >= 100 else f"{x:.3g}"


def of_runs(content):
    """Our quickest stepper against the quickest peer, for every chain and error; overhead of a step."""
    found, limits = [], BUDGET["runs"]
    figures = content["figures"]
    ahead = {}
    for n, asked in sorted({(f["n"], f["asked"]) for f in figures}, key=lambda pair: (pair[0], -pair[1])):
        ours = best_of_ours(content, n, asked)
        theirs = {f["code"]: f["ms"] for f in figures
                  if f["n"] == n and f["asked"] == asked and f["code"] not in content["steppers"]}
        known = limits["ms"].get(f"{n}", {}).get(f"{asked:g}", math.inf)
        rival = min(theirs.values(), default=None)
        found.append(Figure(f"run of 10 s to {asked:g}", "ms", ours, min(known, rival or math.inf), at=n, rival=rival))
        for code, ms in theirs.items():
            ahead[code] = min(ahead.get(code, (math.inf, n)), (ms/ours if ours else 0.0, n))
    found += [Figure(f"least times ahead of {code}", "", times, math.inf, limits["ahead"], at=n)
              for code, (times, n) in ahead.items()]
    return [*found, *_beyond(content, limits["overhead"]), *_kept(content, limits)]


def _beyond(content, limit):
    """What a step costs beyond its evaluations, every explicit method at its slowest length."""
    for name in dict.fromkeys(o["stepper"] for o in content["overhead"]):
        if stepper(name).pivots(1) == 0:
            worst = max((o for o in content["overhead"] if o["stepper"] == name), key=lambda o: o["ns"])
            yield Figure(f"step beyond its evaluations, {name}", "ns", worst["ns"], limit, at=worst["n"])


def best_of_ours(content, n, asked):
    """Milliseconds of our quickest stepper that reaches an error, None if none does."""
    return min((f["ms"] for f in content["figures"]
                if f["n"] == n and f["asked"] == asked and f["code"] in content["steppers"]), default=None)


def _kept(content, limits):
    """Energy of the usual stepper's fall, events."""
    for f in content["energy"]:
        if f["stepper"] == USUAL:
            error = None if f["joules"] is None else abs(f["joules"])
            yield Figure(f"energy of a fall of 5 s, {USUAL}, error", "J", error, limits["energy"]["joules"], at=10)
            yield Figure(f"fall of 5 s, {USUAL}", "ms", f["ms"], limits["energy"]["ms"], at=10)
    ours, theirs = content["events"][:2]
    most = limits["events"]
    for word, key, unit in (("first zero of a pendulum", "first", "s"), ("ninth zero of a pendulum", "ninth", "s"),
                            ("rest of a bouncing ball", "rest", "s"), ("events until then", "events", "")):
        yield Figure(word, unit, ours[key], most[key], rival=theirs[key])
    yield Figure("grazes of a wall, of 13", "", ours["grazes"], most["grazes"], most["grazes"], theirs["grazes"])


def of_flexible(content):
    """Elastic chains: the published falls, the slowest length, exponents, and how far ahead of Exudyn's best steps."""
    limits, found = BUDGET["flexible"], []
    for rtol in sorted({r["rtol"] for r in content["runs"]}, reverse=True):
        found += [Figure(f"fall of {r['modes']}, rtol {rtol:g}", "ms", r["ms"], limits["ms"][f"{rtol:.0e}"], at=3)
                  for r in content["runs"] if r["rtol"] == rtol]
    for way in WAYS:
        times = [(f["ns"], f["n"]) for f in content["figures"]
                 if f["way"] == way and f["m"] == 1 and f["n"] <= WITHIN[1]]
        found += [Figure(f"forward, one mode, {way}", "ns/link", ns, limits[way], at=n)
                  for ns, n in times and [max(times)]]
    found += [Figure(f"exponent in {name}", "", x, limits[f"exponent_{name}"])
              for name, x in content["exponents"].items()]
    theirs = [p for p in content["peers"] if p["code"] == "Exudyn"]
    if theirs:
        best = min(theirs, key=lambda p: p["error"])
        mine = min((p for p in content["peers"] if p["code"] == "fastdyn" and p["m"] == 1), key=lambda p: p["error"])
        found += [Figure("processor time of a simulated second", "s", mine["cpu"], best["cpu"]/limits["ahead"],
                         rival=best["cpu"]),
                  Figure("error of the joints' places", "m", mine["error"], best["error"]*limits["closer"],
                         rival=best["error"])]
    return found


def of_arms(content):
    """Spatial flexible arms: an evaluation per link, exponents, seconds of the published fall."""
    limits = BUDGET["arms"]
    usual = [(f["us"]/f["n"], f["n"]) for f in content["figures"]
             if f["road"] == "recursive" and f["rotation"] == "linear" and f["modes"] == limits["modes"]]
    found = [Figure(f"evaluation, {limits['modes']} modes a link", "us/link", us, limits["us"], at=n)
             for us, n in usual and [max(usual)]]
    found += [Figure("states side by side", "ns/link/lane", r["ns"], limits["lanes"], at=r["n"])
              for r in content["lanes"]]
    found += [Figure(f"exponent in {name}", "", x, limits[f"exponent_{name}"])
              for name, x in content["exponents"].items()]
    return found + [Figure(f"fall and impact of R2, rtol {r['rtol']:g}", "s", r["seconds"], limits["fall"])
                    for r in content["fall"] if r["road"] == "recursive"]


def of_stiff(content):
    """Closures with springs under radau5: the stiffest over the softest, in evaluations and in time, by mechanism."""
    found, groups = [], {}
    for r in content["runs"]:
        if r["stepper"] == "radau5":
            groups.setdefault((r["mechanism"], r["rtol"]), []).append(r)
    for (mechanism, rtol), runs in groups.items():
        soft, hard = (pick(runs, key=lambda r: r["k"]) for pick in (min, max))
        found += [Figure(f"{mechanism}, rtol {rtol:g}, {what}", "stiff/soft", hard[field]/soft[field],
                         BUDGET["stiff"][what]) for what, field in (("evaluations", "evaluations"), ("time", "ms"))]
    return found


def of_loops(content):
    """Closed loops: the runs of the robot by their limits, the stiffest over the softest, a window among many."""
    limit, runs, found = BUDGET["loops"], {r["run"]: r for r in content["runs"]}, []
    for name, r in runs.items():
        way = name.partition(",")[0]
        most = limit[f"held_{name[-4:]}"] if way == "held exactly" else limit[way]
        found.append(Figure(name, "ms", r["ms"], most))
    implicit = [r for name, r in runs.items() if name.startswith("implicit")]
    if len(implicit) > 1:
        soft, hard = (pick(implicit, key=lambda r: r["k"]) for pick in (min, max))
        found += [Figure("implicit, stiffest over softest", "ratio", hard["ms"]/soft["ms"], limit["stiff"]),
                  Figure("implicit, stiffest, off the path", "m", hard["off_the_path"], limit["off_the_path"])]
    few, many = (pick(content["windows"], key=lambda r: r["n"]) for pick in (min, max))
    return [*found, Figure(f"a window of {many['n']} over one of {few['n']}", "ratio", many["us"]/few["us"],
                           limit["window"])]
