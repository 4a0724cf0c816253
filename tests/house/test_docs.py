"""What is written for people is true: examples run, links lead somewhere, the page of arrays is that of the source."""

import doctest
import re
import tomllib
from pathlib import Path

import pytest

from fastdyn.describe.files import parse
from fastdyn.show.layout_page import page

HOUSE = Path(__file__).parents[2]
pytestmark = pytest.mark.usefixtures("one_ladder")
PAGES = sorted([*HOUSE.glob("*.md"), *(HOUSE/"docs").rglob("*.md")])


def blocks(path, language):
    return re.findall(rf"```{language}\n(.*?)```", path.read_text(), re.DOTALL)


def named(path):
    return str(path.relative_to(HOUSE))


def having(language):
    return pytest.mark.parametrize("path", [path for path in PAGES if blocks(path, language)], ids=named)


@having("python")
def test_programs_run(path, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    names = {}
    for block in blocks(path, "python"):
        exec(compile(block, named(path), "exec"), names)
    assert "nan" not in capsys.readouterr().out


@having("pycon")
def test_examples_give_what_they_say(path, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    text = "\n".join(blocks(path, "pycon"))
    test = doctest.DocTestParser().get_doctest(text, {}, named(path), named(path), 0)
    said = []
    assert doctest.DocTestRunner().run(test, out=said.append).failed == 0, "".join(said)
    assert len(test.examples) > 3


@having("toml")
def test_model_files_load(path):
    for block in blocks(path, "toml"):
        assert parse(block).nv > 0 and {"link", "system"} & tomllib.loads(block).keys()


@pytest.mark.parametrize("path", PAGES, ids=named)
def test_links_lead_somewhere(path):
    for target in re.findall(r"\]\(([^)#:]+)\)", path.read_text()):
        assert (path.parent/target).exists(), target


def test_the_page_of_arrays_is_made_from_the_source():
    assert (HOUSE/"docs"/"layout.md").read_text() == page(), "run: python -m fastdyn.show.layout_page docs/layout.md"


@pytest.mark.parametrize("path", sorted((HOUSE/"docs"/"theory").glob("*.md")), ids=named)
def test_every_key_on_a_page_of_theory_is_explained(path):
    """Among the papers, or at the end of the page itself"""
    known, text = (HOUSE/"docs"/"papers.md").read_text() + path.read_text(), " ".join(path.read_text().split())
    for key in re.findall(r"\[([A-Z][A-Za-z]+(?:(?: &|,) [A-Z][A-Za-z]+)* \d{4})[],;]", text):
        assert f"**[{key}]**" in known, f"{named(path)} cites [{key}]"


@pytest.mark.parametrize("page", ["boltzmann_hamel.md", "denoc.md", "gibbs_appell.md"])
def test_pages_of_theory_lead_to_the_recursion(page):
    assert "](recursion.md)" in (HOUSE/"docs"/"theory"/page).read_text()


def test_every_key_in_the_source_is_among_the_papers():
    papers = (HOUSE/"docs"/"papers.md").read_text()
    for path in (HOUSE/"fastdyn").rglob("*.py"):
        for key in re.findall(r"\[([A-Z][A-Za-z]+(?:(?: &|,) [A-Z][A-Za-z]+)* \d{4})[],;]", path.read_text()):
            assert f"**[{key}]**" in papers, f"{named(path)} cites [{key}]"
