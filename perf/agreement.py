"""`python -m perf.agreement`: how far apart the formulations are, forward and inverse, at 1e4 random states."""

import sys
import time
from itertools import combinations

from rich.table import Table

import fastdyn as fd
from fastdyn.formulations import FORMULATIONS

from . import _timing, budget, chains, trees
from ._timing import console
from .accuracy import difference

LINKS = 12
STATES = 10_000
QUESTIONS = ("forward", "inverse")
FAMILIES = chains.FAMILIES | trees.FAMILIES


def main(words=None):
    """Compare, print, write results/agreement.json; the exit code."""
    parser = _timing.arguments(__doc__)
    parser.add_argument("--families", nargs="+", choices=FAMILIES, default=list(FAMILIES))
    parser.add_argument("--links", type=int, default=LINKS, help="of the longest chain or tree")
    parser.add_argument("--states", type=int, default=STATES, help="random states altogether, at least")
    asked = parser.parse_args(words)
    started = time.perf_counter()
    with _timing.alone(asked.core) as place:
        watch = _timing.Watch()
        figures, states = compare(asked.families, asked.links, asked.states)
        contention = watch.report([])
    content = {"report": "agreement", "place": place, "contention": contention, "machine": _timing.machine(),
               "states": states, "links": asked.links, "seconds": time.perf_counter() - started, "figures": figures}
    _timing.save(asked.results, "agreement", content)
    show(content)
    return budget.show(judged(content), asked.strict)


def compare(families, links, states, questions=QUESTIONS):
    """(records, states): the worst difference of each pair of formulations for every question, family and length."""
    each = -(-states//(len(families)*links))            # of every family and length, rounded up
    figures = [figure for family in families for n in range(1, links + 1) for question in questions
               for figure in _differences(question, family, n, each)]
    return figures, each*len(families)*links


def _differences(question, family, n, states):
    """A record for each pair; the first named is the measure of the difference."""
    page, ask = trees if family in trees.FAMILIES else chains, getattr(fd, f"{question}_dynamics")
    chain = page.chain(family, n)
    worst = dict.fromkeys(combinations(FORMULATIONS, 2), 0.0)
    for state in zip(*page.states(family, n, lanes=states)):
        answers = {name: ask(chain, *state, formulation=name) for name in FORMULATIONS}
        for a, b in worst:
            worst[a, b] = max(worst[a, b], difference(answers[b], answers[a]))
    return [{"question": question, "family": family, "n": n, "pair": [a, b], "differs": x}
            for (a, b), x in worst.items()]


def worst_of(figures):
    """(question, pair) -> the worst figure of all families and lengths."""
    found = {}
    for figure in figures:
        key = figure["question"], " / ".join(figure["pair"])
        found[key] = max(found.get(key, figure), figure, key=lambda f: f["differs"])
    return found


def judged(content):
    """The worst of each question and pair beside its limit."""
    limit = budget.BUDGET["agreement"]["formulations"]
    return [budget.Figure(f"{question}, {pair}", "relative", f["differs"], limit, at=f["n"])
            for (question, pair), f in worst_of(content["figures"]).items()]


def show(content):
    """A table a question: families down, pairs across."""
    pairs = list(dict.fromkeys(tuple(f["pair"]) for f in content["figures"]))
    for question in QUESTIONS:
        table = Table(title=f"{question} dynamics, largest difference over the largest number, 1 to {content['links']} "
                            f"links, {content['states']} states")
        for name in ("family", *(" / ".join(pair) for pair in pairs)):
            table.add_column(name, justify="left" if name == "family" else "right")
        for family in dict.fromkeys(f["family"] for f in content["figures"]):
            worst = worst_of(f for f in content["figures"] if (f["question"], f["family"]) == (question, family))
            table.add_row(family, *(budget.number(worst[question, " / ".join(pair)]["differs"]) for pair in pairs))
        console.print(table)
    console.print(f"{content['seconds']:.0f} s")
    _timing.say_disturbance(content["contention"])


if __name__ == "__main__":
    sys.exit(main())
