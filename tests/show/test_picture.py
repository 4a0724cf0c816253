"""Pictures of motions: well-formed, complete, inside their frame, and every line where the chain is."""

import math
import re
from xml.etree import ElementTree

import numpy as np
import pytest
from strategies import random_chain, random_state

import fastdyn as fd
from fastdyn.describe.catalog import n_pendulum
from fastdyn.results.run import Run
from fastdyn.show.picture import HEIGHT, SNAPSHOTS, WIDTH, picture
from fastdyn.show.skeleton import strokes
from fastdyn.show.page import Page, Stroke
from fastdyn.show.panel import Panel, alike, colour_at, span, ticks

pytestmark = pytest.mark.usefixtures("one_ladder")
SVG = "{http://www.w3.org/2000/svg}"


def points_of(path):
    return np.array(re.findall(r"[ML](-?[\d.]+) (-?[\d.]+)", path.get("d")), dtype=float)


def written(root):
    return " ".join(node.text or "" for node in root.iter(f"{SVG}text"))


@pytest.mark.parametrize("chain", [
    n_pendulum(1),
    n_pendulum(3).replace(name='<&"', gravity=(0.0, 0.0, 0.0)),
    random_chain(np.random.default_rng(2), 4, "mixed", free=True, tree=True),
    fd.Chain([fd.Link(joint=fd.Prismatic(axis=(0.0, -1.0, 0.0), damping=0.2), body=fd.Body.point(1.0))]),
], ids=["rod", "at rest, named awkwardly", "thrown tree", "slider"])
def test_a_picture_is_well_formed_and_stays_in_its_frame(chain):
    root = ElementTree.fromstring(picture(fd.simulate(chain, t_end=0.3, samples=21)))
    assert (root.get("width"), root.get("height")) == (str(WIDTH), str(HEIGHT))
    for path in root.iter(f"{SVG}path"):
        points = points_of(path)
        assert len(points) and np.all(points >= 0.0) and np.all(points <= (WIDTH, HEIGHT))
    said = written(root)
    assert f"{chain.name or 'chain'}: {len(chain.links)} link" in said and "kinetic" in said and "t = 0.3 s" in said
    assert ("energy less the work done" in said) == (chain.links[0].joint.kind == "prismatic")
    assert "nan" not in said.lower()


def test_the_chain_is_drawn_where_it_is():
    chain = n_pendulum(2, length=2.0)
    q = np.array([[0.0, 0.0], [-math.pi/2, 0.0]])                             # along x, then hanging
    rest = np.zeros(2)
    motion = Run(chain, np.array([0.0, 1.0]), q, np.zeros((2, 2)))
    motion._energies = rest, rest
    root = ElementTree.fromstring(picture(motion))
    first, last = (points_of(path) for path in root.iter(f"{SVG}path") if path.get("stroke-width") == "3.5")
    assert len(first) == len(last) == 3
    size = first[2, 0] - first[0, 0]
    assert size > 100 and np.allclose(first - first[0], [[0, 0], [size/2, 0], [size, 0]], atol=0.2)
    assert np.allclose(last - first[0], [[0, 0], [0, size/2], [0, size]], atol=0.2)


def test_a_stroke_runs_from_joint_to_joint_and_off_the_line_to_where_others_hang():
    chain = fd.Chain([
        fd.Link(name="a", length=1.0, mass=1.0),
        fd.Link(name="b", at=(0.5, 0.3, 0.0), joint=fd.Prismatic(), length=0.2, mass=1.0),
        fd.Link(name="c", parent="a", body=fd.Body.point(1.0, at=(0.0, 0.4, 0.0))),
        fd.Link(name="d", parent="a", at=(1.5, 0.0, 0.0), length=0.1, mass=1.0),
    ])
    q = np.array([math.pi/2, 0.7, 0.0, 1.0])
    lines, joints = strokes(chain, q)
    at = {name: fd.position(chain, q, name) for name in "abcd"}
    tip, seat = fd.position(chain, q, "a", (1.0, 0.0, 0.0)), fd.position(chain, q, "a", (0.5, 0.3, 0.0))
    ends = [at["a"], tip, at["b"], fd.position(chain, q, "b", (0.2, 0.0, 0.0)), at["a"], seat, at["b"],
            at["c"], fd.position(chain, q, "c", (0.0, 0.4, 0.0)),
            at["d"], fd.position(chain, q, "d", (0.1, 0.0, 0.0)), at["a"], at["d"]]
    assert np.allclose(lines[~np.isnan(lines[:, 0])], ends) and np.allclose(joints, list(at.values()))
    assert np.flatnonzero(np.isnan(lines[:, 0])).tolist() == [0, 3, 6, 10, 13, 16]


def test_every_chain_has_a_stroke_for_every_link():
    rng = np.random.default_rng(7)
    for kind in ("mixed", "planar", "spherical"):
        chain = random_chain(rng, 6, kind, tree=True)
        q, _ = random_state(rng, chain)
        lines, joints = strokes(chain, q)
        assert len(joints) == 6 and np.all(np.isfinite(joints))
        for link in chain.links:
            tip = fd.position(chain, q, link.name, link.tip)
            assert np.min(np.linalg.norm(lines[~np.isnan(lines[:, 0])] - tip, axis=1)) < 1e-12


def test_many_samples_do_not_make_a_large_file():
    motion = fd.simulate(n_pendulum(2), t_end=0.2, samples=5000)
    text = picture(motion)
    assert len(text) < 400_000 and text.count("stroke-width='3.5'") == 2
    assert text.count("stroke-width='1.6' stroke-opacity='0.8'") == SNAPSHOTS - 2


# ----------------------------------------------------------------------------------------------------- the pieces

@pytest.mark.parametrize("low, high, expected", [
    (0.0, 5.0, [0, 1, 2, 3, 4, 5]),
    (-1.07, 1.07, [-1.0, -0.5, 0.0, 0.5, 1.0]),
    (0.0, 1e-9, [0, 2e-10, 4e-10, 6e-10, 8e-10, 1e-9]),
    (1e6, 1.5e6, [1e6, 1.1e6, 1.2e6, 1.3e6, 1.4e6, 1.5e6]),
])
def test_ticks_are_round_numbers_inside(low, high, expected):
    assert np.allclose(ticks(low, high), expected, rtol=1e-12, atol=0.0)


def test_panels_put_numbers_on_pixels():
    panel = Panel(10, 20, 100, 50, (0.0, 2.0), (-1.0, 1.0))
    assert panel.pixels([0.0, 2.0, 1.0], [-1.0, 1.0, 0.0]).tolist() == [[10, 70], [110, 20], [60, 45]]
    (x_low, x_high), (y_low, y_high) = alike(np.array([[0.0, 0.0], [4.0, 1.0]]), 200, 100, room=0.0)
    assert (x_low, x_high, y_low, y_high) == (0.0, 4.0, -0.5, 1.5)
    for values in ([3.0], [0.0, 0.0], [1.0, 2.0]):
        low, high = span(np.array(values))
        assert low < min(values) and high > max(values)
    xs, ys = alike(np.array([[1.0, 1.0]]), 100, 100)
    assert xs[0] < 1.0 < xs[1] and ys[0] < 1.0 < ys[1]


def test_a_line_breaks_where_a_number_is_missing():
    page = Page(9, 9, [Stroke(np.array([[0, 1], [2, 3], [np.nan]*2, [4, 5]]), "red")])
    assert "d='M0.0 1.0L2.0 3.0M4.0 5.0'" in page.svg


def test_colours_run_from_the_start_to_the_end():
    assert colour_at(0.0) == "#f0a32f" and colour_at(1.0) == colour_at(1.1) == "#17395c"
    assert re.fullmatch("#[0-9a-f]{6}", colour_at(0.37)) and len({colour_at(k/20) for k in range(21)}) == 21
