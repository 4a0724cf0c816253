"""`python -m perf.kernels`: nanoseconds per link of our kernels against length: one chain, lanes, own bodies."""

import sys

from rich.table import Table

from . import _timing, budget, long_chain, ours
from ._timing import console
from .chains import FAMILIES

LENGTHS = (7, 30, 100, 300)
LANE_LENGTHS = (*LENGTHS, 1000, 10_000)


def main(words=None):
    """Measure, print, write results/kernels.json; the exit code."""
    parser = _timing.arguments(__doc__)
    parser.add_argument("--families", nargs="+", choices=FAMILIES, default=list(FAMILIES))
    parser.add_argument("--lengths", nargs="+", type=int, help="links, instead of 7 to 300 and in lanes to 10000")
    parser.add_argument("--longest", type=int, default=long_chain.MOST, help="links of the longest chain; 0: none")
    asked = parser.parse_args(words)
    with _timing.alone(asked.core) as place:
        watch, timings = _timing.Watch(), []
        figures = [figure for family in asked.families for figure in family_figures(family, asked, timings)]
        scaling = {}
        for family in long_chain.LONGEST.keys() & set(asked.families):
            if asked.longest:
                longest = min(asked.longest, long_chain.LONGEST[family])
                scaling[family], more = long_chain.scaling(family, longest, asked.seconds)
                timings += more
        memory = long_chain.weigh(n=asked.longest) if asked.longest else None
        content = {"report": "kernels", "place": place, "contention": watch.report(timings),
                   "machine": _timing.machine(), "figures": figures, "scaling": scaling, "memory": memory}
    _timing.save(asked.results, "kernels", content)
    show(content)
    return budget.show(budget.of_kernels(content), asked.strict)


def family_figures(family, asked, timings):
    """One record for every question, way and length of a family."""
    figures = []
    for n in asked.lengths or LANE_LENGTHS:
        ways = [way for way in ours.WAYS if asked.lengths or n in LENGTHS or way != "scalar"]
        cases = {(question, way): ours.case(question, family, n, way) for question in ours.QUESTIONS for way in ways}
        took = _timing.measure({name: case.run for name, case in cases.items()}, asked.seconds)
        timings += took.values()
        for (question, way), t in took.items():
            links = n*cases[question, way].lanes*1e-9
            figures.append({"question": question, "family": family, "way": way, "n": n, "ns": t.least/links,
                            "ns_median": t.middle/links})
    return figures


def show(content):
    """Tables of nanoseconds, minimum and median."""
    found = {(f["question"], f["family"], f["way"], f["n"]): f for f in content["figures"]}
    lengths = sorted({f["n"] for f in content["figures"]})
    for question in ours.QUESTIONS:
        table = Table(title=f"{question} dynamics, ns per link and lane: minimum (median)")
        for name in ("family", "way", *(f"n = {n}" for n in lengths)):
            table.add_column(name, justify="left" if name in ("family", "way") else "right")
        for family in FAMILIES:
            for way in ours.WAYS:
                cells = [_cell(found.get((question, family, way, n))) for n in lengths]
                if any(cells):
                    table.add_row(family if way == "scalar" else "", way, *cells, end_section=way == "own")
        console.print(table)
    for family, s in content["scaling"].items():
        points = ", ".join(f"{p['n']:.0e}: {p['ns']:.1f}" for p in s["points"])
        console.print(f"{family}: a call's time goes as n^{s['exponent']:.3f} (n: ns per link {points})")
    if content["memory"]:
        words = ("{n} {family} links in one call: {bytes_per_link:.0f} bytes a link for model and work, "
                 "{vector_bytes_per_link:.0f} for q, v, torque and acc; {call_ms:.1f} ms")
        console.print(words.format(**content["memory"]))
    _timing.say_disturbance(content["contention"])


def _cell(figure):
    return f"{figure['ns']:.2f} ({figure['ns_median']:.2f})" if figure else ""


if __name__ == "__main__":
    sys.exit(main())
