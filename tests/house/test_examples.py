"""Every example runs, writes what it says it writes, and its figures show what it is there to show."""

import json
import runpy
from pathlib import Path

import numpy as np
import pytest
from references import FOLDER

EXAMPLES = Path(__file__).parents[2]/"docs"/"examples"
pytestmark = pytest.mark.usefixtures("one_ladder")


def example(name):
    return runpy.run_path(str(EXAMPLES/f"{name}.py"))


def test_every_example_is_tested():
    assert {path.stem for path in EXAMPLES.glob("*.py")} == {
        "two_link", "space_arm", "falling_chain", "striking_arm", "parallel_robot"}


def test_two_link(tmp_path, capsys):
    page = example("two_link")
    assert page["main"](tmp_path).read_text().startswith("<svg")
    assert float(capsys.readouterr().out.split()[-1]) < 1e-11
    for case in "AB":
        t, ours, at, there, wanted = page["motion"](case)
        assert np.abs(there - wanted).max() < 1e-11 and t[-1] == at[-1] == 20.0 and ours[-1, 0] > 0.2
        assert np.array_equal(at, np.arange(21.0)) and np.array_equal(t[::20], at)


def test_numbers_beside_the_example_are_those_of_the_reference():
    stored = json.loads((FOLDER/"two_link_published.json").read_text())["cases"]
    beside = json.loads((EXAMPLES/"two_link.json").read_text())
    for case, kept in zip("AB", stored):
        assert beside[case] == [row[:5] for row in kept["rows"]]


def test_space_arm(tmp_path):
    page = example("space_arm")
    picture, player = page["main"](tmp_path)
    assert picture.read_text().startswith("<svg") and "<html" in player.read_text()
    run, angles, found, felt = page["motion"](10.0)
    assert angles[-1, 0] > 90.0 and np.abs(felt).max() > 10.0 and np.abs(run.v).max() > 0.5
    assert max(np.abs(found.linear).max(), np.abs(found.about_center).max()) < 1e-10


def test_parallel_robot(tmp_path, capsys):
    page = example("parallel_robot")
    assert page["main"](tmp_path).read_text().startswith("<svg")
    assert [line.split()[1] for line in capsys.readouterr().out.splitlines()] == ["+++:", "---:"]
    t = np.array([0.0, 0.4])
    torques, near = page["driven"]("+++", t)
    mirrored, _ = page["driven"]("---", 1.0 - t)            # the path backwards in a mirror at the y axis
    assert np.allclose(mirrored, -torques[:, [1, 0, 2]], rtol=0.0, atol=1e-9) and np.abs(torques).min() > 0.1
    assert np.all(near.drives > 0.1) and np.all(near.output > 0.1)


def test_falling_chain(tmp_path, capsys):
    page = example("falling_chain")
    picture, player = page["main"](tmp_path)
    assert picture.read_text().startswith("<svg") and "<html" in player.read_text()
    lines = capsys.readouterr().out.splitlines()
    assert [line.split()[1] for line in lines] == ["22", "22", "28", "20"]
    assert "7 of link1, 4 of link2, 4 of link3, 7 of link3.tip" in lines[0]


def test_striking_arm(tmp_path, capsys):
    page = example("striking_arm")
    picture, player = page["main"](tmp_path, ("II",))
    assert picture.read_text().startswith("<svg") and "<html" in player.read_text()
    said = capsys.readouterr().out
    assert said.startswith("friction II: from 0.645018 to 0.654126 s, peaks 47.791, 19.543, 25.454 kN, sliding turns 2 "
                           "and 3 times")
