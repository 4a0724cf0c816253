"""`python -m perf.peers`: the same systems and states put to fastdyn and to other codes in one run; the Reach table."""

import sys

from rich.table import Table

from .. import _timing, accuracy, agreement, budget, chains, ours
from .._timing import console
from . import installed

LENGTHS = (7, 30, 100, 300)
OURS = {"fastdyn": "scalar", "fastdyn lanes": "lanes"}
QUESTIONS = ("forward", "inverse", "mass")


def main(words=None):
    """Measure, print, write results/peers.json; the exit code."""
    parser = _timing.arguments(__doc__)
    parser.add_argument("--families", nargs="+", choices=chains.FAMILIES, default=list(chains.FAMILIES))
    parser.add_argument("--lengths", nargs="+", type=int, default=LENGTHS, help="links")
    parser.add_argument("--true", nargs="*", type=int, default=accuracy.LENGTHS, help="links of chains in 40 digits")
    parser.add_argument("--states", type=int, default=10_000, help="random states for the agreement of formulations")
    asked = parser.parse_args(words)
    here, missing = installed()
    with _timing.alone(asked.core) as place:
        watch, timings = _timing.Watch(), []
        figures = [f for family in asked.families for f in family_figures(family, asked, here, timings)]
        contention = watch.report(timings)
    content = {
        "report": "peers", "place": place, "contention": contention, "machine": _timing.machine(), "missing": missing,
        "timed": {peer.name: peer.timed for peer in here}, "figures": figures,
        "accuracy": {code: {str(n): e for n, e in found.items()}
                     for code, found in accuracy.errors(here, asked.true).items()},
        "agreement": agreements(asked.states), "agreement_links": agreement.LINKS, "agreement_states": asked.states,
    }
    _timing.save(asked.results, "peers", content)
    show(content)
    return reach(content, asked)


def agreements(states):
    """Formulation -> worst difference of its accelerations from the recursion's."""
    figures = agreement.compare(agreement.FAMILIES, agreement.LINKS, states, ["forward"])[0] if states else []
    worst = (figure for figure in agreement.worst_of(figures).values() if figure["pair"][0] == "recursive")
    return {figure["pair"][1]: figure["differs"] for figure in worst}


def family_figures(family, asked, here, timings):
    """One record for every code, question and length of a family."""
    single, figures = {}, []
    for n in (1, *sorted(set(asked.lengths) - {1})):
        runs, answers = _cases(family, n, here)
        took = _timing.measure(runs, asked.seconds)
        timings += took.values()
        for (code, question), t in took.items():
            lanes = ours.lanes_of(OURS[code], chains.model_of(family, n)) if code in OURS else 1
            figure = {"code": code, "question": question, "family": family, "n": n, "ns": t.least/n/lanes*1e9,
                      "ns_median": t.middle/n/lanes*1e9}
            if code not in OURS:
                single.setdefault((code, question), t.least)
                if n > 1:
                    figure["ns_corrected"] = (t.least - single[code, question])/(n - 1)*1e9
                if (code, question) in answers:
                    figure["differs"] = accuracy.difference(answers[code, question], answers["fastdyn", question])
            figures.append(figure)
    return figures


def _cases(family, n, peers):
    """(code, question) -> run, and -> the answer at the state of lane 0."""
    chain, model, runs, answers = chains.chain(family, n), chains.model_of(family, n), {}, {}
    for code, way in OURS.items():
        q, v, torque = chains.states(family, n, ours.lanes_of(way, model))
        for question in ours.QUESTIONS:
            case = ours.Case(question, model, q, v, torque, way == "own")
            runs[code, question], answers[code, question] = case.run, case.answer()[0]
    q, v, torque = (x[0] for x in chains.states(family, n))
    runs["fastdyn", "mass"] = ours.MassCase(model, q[None]).run
    for peer in (p for p in peers if p.takes(family, chain)):
        one = peer(chain, q, v, torque, torque)
        runs |= {(peer.name, question): run for question, run in one.loops().items()}
        answers |= {(peer.name, question): getattr(one, question)() for question in ours.QUESTIONS
                    if question in one.timed}
    return runs, answers


# ---------------------------------------------------------------------------------------------------- what is shown


def show(content):
    """Nanoseconds per link, and errors."""
    codes = [*OURS, *content["timed"]]
    found = {(f["question"], f["code"], f["family"], f["n"]): f for f in content["figures"]}
    lengths = sorted({f["n"] for f in content["figures"]})
    for question in QUESTIONS:
        table = Table(title=f"{question}: ns per link (and lane); peers without their binding (with it)")
        for name in ("family", "n", *codes, "Pinocchio / fastdyn", "Pinocchio / lane"):
            table.add_column(name, justify="left" if name == "family" else "right")
        for family in chains.FAMILIES:
            for n in lengths:
                row = {code: found.get((question, code, family, n)) for code in codes}
                if row["fastdyn"]:
                    table.add_row(family, str(n), *map(_cell, row.values()), _ratio(row, "fastdyn"),
                                  _ratio(row, "fastdyn lanes"), end_section=n == lengths[-1])
        console.print(table)
    for name, timed in content["timed"].items():
        console.print(f"{name}: " + "; ".join(f"{question} is {what}" for question, what in timed.items()))
    table = Table(title="largest error over largest acceleration, ball joints, against 40 digits")
    lengths = sorted({int(n) for found in content["accuracy"].values() for n in found})
    for name in ("code", *(f"n = {n}" for n in lengths)):
        table.add_column(name, justify="left" if name == "code" else "right")
    for code, errors in content["accuracy"].items():
        table.add_row(code, *(budget.number(errors.get(str(n))) for n in lengths))
    console.print(table)
    if content["missing"]:
        console.print(f"not installed: {', '.join(content['missing'])}")
    _timing.say_disturbance(content["contention"])


def _cell(figure):
    if not figure:
        return ""
    if figure["code"] in OURS:
        return budget.number(figure["ns"])
    raw, corrected = budget.number(figure["ns"]), figure.get("ns_corrected")
    return raw if corrected is None else f"{budget.number(corrected)} ({raw})"


def _ratio(row, code):
    rival = (row.get("Pinocchio") or {}).get("ns_corrected")
    return budget.number(rival/row[code]["ns"]) if rival and row[code] else ""


def reach(content, asked):
    """All figures beside their limits: those of this run, and of the latest runs of the other reports."""
    figures, said = budget.of_peers(content), []
    for report, of in (("kernels", budget.of_long_chains), ("compile", budget.of_starts)):
        other = _timing.load(asked.results, report)
        if other is None:
            said.append(f"not measured yet: python -m perf.{report}")
        else:
            figures += of(other)
            said.append(f"{report}: measured {other['machine']['date']}, commit {other['machine']['commit']}")
    code = budget.show(figures, asked.strict, title=f"Reach, commit {content['machine']['commit']}")
    for sentence in said:
        console.print(sentence)
    return code


if __name__ == "__main__":
    sys.exit(main())
