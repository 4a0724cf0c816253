"""The laboratory says what the schemes do and what is true of the published examples; the page on theory agrees."""

import re
from math import inf
from pathlib import Path

import numpy as np
import pytest
from transfer.common import cases, chain_of, read

from fastdyn.transfer import laboratory
from fastdyn.transfer.schemes import SCHEMES, errors
from fastdyn.transfer.torsion import torsion_chain


@pytest.mark.parametrize("name", ["2dof_seed_example", "10dof_seed_example"])
def test_its_exact_motion_is_exact(name):
    case = cases("linear_exact")[name]
    chain = torsion_chain(case["n"], inertia=case["inertia"][0])
    assert chain_of(case).inertia == chain.inertia and chain_of(case).damping == chain.damping
    assert np.max(np.abs(laboratory.exact(chain, np.array(case["times"])) - case["theta"])) < 1e-12


def test_it_says_when_examples_settle():
    for row in read("examples")["rows"][::2]:
        chain = torsion_chain(row["n"], inertia=row["inertia"])
        t = np.linspace(0.0, 100.0, 20001)
        tip = laboratory.exact(chain, t)[:, -1]
        assert laboratory.settled(t, tip, row["static_tip"]) == pytest.approx(row["settling_time_5pct"], abs=0.006)


def test_published_times_are_those_of_the_table():
    claimed = read("examples")["seed_claims"]["cpu_seconds"]
    for name, two, ten, ratio in zip(claimed["columns"], claimed["2dof"], claimed["10dof"], claimed["ratio"]):
        assert laboratory.CLOCK[name.replace("_", "-")] == (two, ten)
        assert ten/two == pytest.approx(ratio, abs=0.006)


def test_the_report(tmp_path, capsys):
    laboratory.report(tmp_path/"made")
    said = capsys.readouterr().out
    for words in ("always", "never", "motion settles at 13.64 s", "settled at 48.1 s", "order 3.00 against 2.00",
                  "schemes.svg", "1.09", "3.53"):
        assert words in said, words
    assert "nan" not in said and all(name in said for name in laboratory.SHOWN)
    for name in ("schemes.svg", "examples.svg", "growth.svg"):
        text = (tmp_path/"made"/name).read_text()
        assert text.startswith("<svg") and text.count("<path") > 1 and "proposed" in text
    text = (tmp_path/"made"/"schemes.svg").read_text()
    assert all(name in text for name in laboratory.SHOWN)
    assert "claimed to settle" in (tmp_path/"made"/"examples.svg").read_text()


# --------------------------------------------------------------------------------------------- tables of the page

PAGE = (Path(__file__).parents[2]/"docs"/"theory"/"transfer.md").read_text()
CALLED = {"Fox-Euler": "fox-euler", "Wilson 1.4": "wilson", "Houbolt": "houbolt", "proposed": "proposed",
          "generalized-alpha 0.8": "gen-alpha", "HHT -0.1": "hht", "Newmark 1/4": "newmark"}


def table(head):
    """(name here, cells) of each row of a table of the page."""
    rows = re.search(re.escape(head) + r"\n[|-]+\n((?:\|.*\n)+)", PAGE)[1].replace("*", "").splitlines()
    named = [[cell.strip() for cell in row.strip("|").split("|")] for row in rows]
    return [(CALLED.get(name, name.lower().replace(" ", "-")), cells) for name, *cells in named]


def law(words, x):
    """The value of a cell such as 0.083 Omega^3, Omega^2/12 or -Omega/4."""
    if words == "0":
        return 0.0
    sign, factor, power, share = re.fullmatch(r"(-?)([\d.]+ )?Omega(?:\^(\d))?(?:/(\d+))?", words).groups()
    return (-1.0 if sign else 1.0)*float(factor or 1.0)/float(share or 1.0)*x**int(power or 1)


OSCILLATION = table("| scheme | order | stable for Omega = omega T | rho at infinity | damping | period error |")


@pytest.mark.parametrize("name, cells", OSCILLATION, ids=lambda x: x if isinstance(x, str) else "")
def test_what_the_page_says_of_an_oscillation(name, cells):
    """Laws of small Omega to two hundredths, printed digits to half of the last one."""
    order, stable, radius, *laws = cells
    phase, x = SCHEMES[name].main, 0.02
    assert SCHEMES[name].order == int(order)
    told = {"all": inf, "none": 0.0}.get(stable) if stable in ("all", "none") else float(stable.strip("< "))
    assert laboratory.limit(name) == pytest.approx(told, abs=6e-4)
    found = np.max(np.abs(np.linalg.eigvals(phase.amplification(1e6))))
    assert found > 1e9 if radius == "infinite" else found == pytest.approx(float(radius), abs=6e-3)
    for words, true in zip(laws, errors(phase, x)):
        assert true == pytest.approx(law(words, x), rel=0.1 if words == "0.0007 Omega^3" else 0.02, abs=1e-11)


def test_what_the_page_says_of_accuracy():
    told = dict(table("| scheme | order | error, two links | error, ten links |"))
    found = {row["scheme"]: (f"{laboratory.order(row['scheme']):.2f}", *(f"{row[f'error {n}']:.1e}".replace("e-0", "e-")
                                                                        for n in (2, 10)))
             for row in laboratory.of_examples() if row["scheme"] != "exact"}
    assert told.keys() == found.keys() == set(laboratory.SHOWN)
    assert {name: tuple(cells) for name, cells in told.items()} == found
