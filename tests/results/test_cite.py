"""The papers of a run: everything in use is cited, with whole references, and nothing that is not."""

import ast
import re
from pathlib import Path

import numpy as np
import pytest

import fastdyn as fd
from fastdyn.beams import Beam
from fastdyn.describe import catalog
from fastdyn.describe.catalog import n_pendulum
from fastdyn.formulations import FORMULATIONS
from fastdyn.laws.contact import NORMAL_LAWS
from fastdyn.laws.friction import FRICTION_LAWS
from fastdyn.results import cite as page
from fastdyn.results.run import Run
from fastdyn.steppers import STEPPERS

PACKAGE = Path(fd.__file__).parent


def run_of(chain, stepper="dop853", formulation="recursive", **words):
    q, v = (x[None] for x in chain.zero_state())
    return Run(chain, np.zeros(1), q, v, stepper=stepper, formulation=formulation, **words)


def cited(run):
    return re.findall(r"(?m)^\[(.+?)\]", run.cite())


def sources(path):
    """Keys a page names behind "Source" in its head."""
    text = " ".join(ast.get_docstring(ast.parse(path.read_text())).split())
    found = re.search(r"Sources?: (.*)", text)
    return re.findall(r"\[([^]]+ \d{4})\]", found[1]) if found else []


@pytest.mark.parametrize("table, room", [(STEPPERS, "steppers"), (FORMULATIONS, "formulations")])
def test_every_stepper_and_formulation_cites_what_its_page_does(table, room):
    mine = getattr(page, room.upper())
    assert mine.keys() == table.keys() and all(mine.values())
    for name, module in table.items():
        assert set(sources(PACKAGE/room/f"{module}.py")) <= set(mine[name]), name


def every_key():
    tables = (page.FORMULATIONS, page.BENDING, page.STEPPERS, page.STEP_SIZE, page.MODES, page.SYSTEMS)
    return {key for table in tables for keys in table.values() for key in keys} | set(page.EVENTS)


def test_every_key_leads_to_a_reference():
    known = page.papers()
    laws = {law.cite for law in (*NORMAL_LAWS.values(), *FRICTION_LAWS.values()) if re.search(r"\d{4}$", law.cite)}
    assert [key for key in every_key() | laws if not page.reference(key, known)] == []
    written = (PACKAGE.parent/"docs"/"papers.md").read_text().count("- **[")
    assert len(known) == written > 40                   # no two papers are taken for one


def test_a_plain_run_cites_its_formulation_and_its_stepper():
    run = run_of(n_pendulum(2))
    assert cited(run) == ["Featherstone 2008", "Saha 1999", "Dormand & Prince 1980", "Hairer, Norsett & Wanner 1993",
                          "Gustafsson 1991"]
    assert "R. Featherstone. Rigid Body Dynamics Algorithms. Springer. (formulation" in run.cite()
    assert max(map(len, run.cite().splitlines())) <= 100
    assert cited(run_of(n_pendulum(2), "newmark", "denoc")) == ["Angeles & Lee 1988", "Saha 1999", "Newmark 1959"]
    assert "Chandrupatla 1997" in cited(run_of(n_pendulum(2), event_names=["low"]))


def bending(theory, ends="ss"):
    beam = Beam.rectangle(length=1.0, width=0.03, height=0.0125, E=2e11, nu=0.3, mu=1.0)
    return fd.Chain([fd.Link(elastic=fd.Elastic(beam=beam, ends=ends, theory=theory))]*2)


@pytest.mark.parametrize("theory", page.MODES)
def test_modes_cite_their_theory(theory):
    assert set(page.MODES[theory]) <= set(cited(run_of(bending(theory))))
    said = cited(run_of(bending(theory), "adams", "gibbs-appell"))
    assert said.count("Korayem & Shafei 2009") == 1 and "Shampine & Gordon 1975" in said


@pytest.mark.parametrize("law", NORMAL_LAWS)
@pytest.mark.parametrize("friction", ["none", "ambrosio", "step"])
def test_laws_of_the_ground_are_cited(law, friction):
    numbers = {"ambrosio": {"mu": 0.1}, "step": {"mu": 0.1, "mu_static": 0.2}}.get(friction, {})
    ground = fd.Ground(contact=fd.Contact(law=law, stiffness=1e6, restitution=0.5),
                       friction=fd.Friction(law=friction, **numbers))
    run = run_of(n_pendulum(1).replace(grounds=[ground]))
    said = cited(run)
    assert NORMAL_LAWS[law].cite in said and (FRICTION_LAWS[friction].cite in said) == (friction != "none")
    assert "Chandrupatla 1997" in said and len(said) == len(set(said)) == 7 + (friction != "none")


def test_a_run_that_knows_less_cites_less():
    assert run_of(n_pendulum(1), "mine", "mine").cite() == ""


def test_the_published_chain_cites_those_who_published_it():
    def uses(chain):
        said = " ".join(run_of(chain).cite().split())
        return said.partition("[Shafei & Shafei 2016]")[2].partition(" [")[0]

    whole = uses(catalog.falling_chain())
    assert all(word in whole for word in ("system falling-chain", "printed modes", "elastic links in formulation"))
    assert "system falling" not in uses(catalog.falling_chain().replace(name="mine")) and not uses(n_pendulum(2))
