"""`fastdyn plot` and `fastdyn view`: files by name, what they say, and one sentence when something cannot be."""

from pathlib import Path

import pytest
from show.motions import hopping

from fastdyn import cli
from fastdyn.show.figures import FIGURES

pytestmark = pytest.mark.usefixtures("one_ladder")


@pytest.fixture(scope="module")
def saved(tmp_path_factory, one_ladder):
    path = tmp_path_factory.mktemp("runs")/"hop.h5"
    hopping().save(path)
    return path


@pytest.fixture
def here(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    return tmp_path


def files(folder):
    return sorted(path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file())


def test_plot_writes_all_figures_and_says_what_they_are(saved, here, capsys):
    assert cli.main(["plot", str(saved)]) == 0
    assert files(here) == sorted(f"figures/{name}.svg" for name in FIGURES)
    said = capsys.readouterr().out
    assert all(f"{name}.svg: {figure.about}" in said for name, figure in FIGURES.items())


def test_plot_writes_those_that_are_named_as_they_are_wanted(saved, here):
    pytest.importorskip("matplotlib", reason="PNG pictures need matplotlib, the extra `plot`")
    words = ["--figure", "positions", "snapshots", "--figure", "ledger", "--format", "png", "--out", "some/where",
             "--zoom", "0.2", "0.4", "--times", "0.1", "0.5", "--magnify", "3"]
    assert cli.main(["plot", str(saved), *words]) == 0
    assert files(here) == ["some/where/ledger.png", "some/where/positions.png", "some/where/snapshots.png"]
    assert all(path.read_bytes().startswith(b"\x89PNG") for path in here.rglob("*.png"))


def test_view_writes_one_page_beside_the_run_or_where_it_is_told(saved, here, capsys):
    assert cli.main(["view", str(saved), "--out", "mine.html", "--magnify", "7"]) == 0
    assert files(here) == ["mine.html"] and '"magnify":7.0' in Path("mine.html").read_text()
    assert cli.main(["view", str(saved)]) == 0
    assert saved.with_suffix(".html").read_text().startswith("<!DOCTYPE html>")
    assert capsys.readouterr().out.splitlines()[0] == "mine.html: plays in any browser, needs nothing else"


@pytest.mark.parametrize("words, said", [
    (["plot", "gone.h5"], "gone.h5"),
    (["view", "gone.h5"], "gone.h5"),
    (["plot", "FOLDER"], "is a folder; give a run file in it: FOLDER/hop.h5"),
    (["view", "FOLDER"], "is a folder; give a run file in it: FOLDER/hop.h5"),
    (["plot", "."], ". is a folder; no run file (.h5) is in it"),
    (["plot", "RUN", "--figure", "position"], 'figure "position" is not known; there are overview, positions'),
    (["plot", "RUN", "--zoom", "2", "1"], "zoom is 2 to 1 s"),
    (["plot", "RUN", "--magnify", "0"], "magnify is 0"),
    (["view", "RUN", "--magnify", "-2"], "magnify is -2"),
    (["view", "RUN", "--out", "no/such/folder.html"], "No such file or directory"),
])
def test_what_cannot_be_done_is_said_in_one_sentence(words, said, saved, here, capsys):
    places = {"RUN": str(saved), "FOLDER": str(saved.parent)}
    said = said.replace("FOLDER", str(saved.parent))
    assert cli.main([places.get(word, word) for word in words]) == 2
    printed = capsys.readouterr()
    assert printed.out == "" and printed.err.startswith("fastdyn: ") and printed.err.count("\n") == 1
    assert said in printed.err and files(here) == []
