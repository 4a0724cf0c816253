"""The page that plays a run: whole in one file, asks no network, carries the motion to seven digits, compactly."""

import base64
import json
import re

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from show.motions import BEAM, hopping, hopping_chain
from strategies import random_chain, random_state

import fastdyn as fd
from fastdyn.describe.catalog import n_pendulum
from fastdyn.results.run import Run
from fastdyn.show import player
from fastdyn.show.player import quaternions, view
from fastdyn.status import ModelError

pytestmark = pytest.mark.usefixtures("one_ladder")


def carried(path):
    """The data in a page."""
    return json.loads(re.search(r'<script id="run" type="application/json">(.*?)</script>', path.read_text(), re.S)[1])


def floats(text, *shape):
    return np.frombuffer(base64.b64decode(text), "<f4").reshape(shape)


@pytest.fixture
def page(tmp_path):
    return tmp_path/"motion.html"


def test_the_page_is_whole_and_asks_no_network(page):
    assert view(hopping(), page) == page and [p.name for p in page.parent.iterdir()] == ["motion.html"]
    text = page.read_text()
    assert "http://" not in text and "https://" not in text and "$" not in re.sub(r"\$\{", "", text)
    assert re.findall(r"\b(?:src|href)\s*=|url\(|@import|fetch\(|XMLHttp", text) == []
    assert "default-src 'none'" in text and "<title>hopping</title>" in text
    assert "2 links, 2 of them elastic, 1 s, 6 contacts" in text


def test_it_carries_poses_modes_points_and_contacts(page):
    run = hopping()
    data = carried(view(run, page))
    n = len(run.t)
    assert np.allclose(floats(data["t"], n), run.t, atol=1e-7)
    pose = floats(data["pose"], n, 2, 3)
    assert np.allclose(pose[:, 0], run.q[:, [0, 1, 2]], atol=1e-6)
    assert np.allclose(pose[:, 1, :2], run.points[:, 1, :2], atol=1e-6)
    assert np.allclose(floats(data["modal"], n, 3), run.q[:, [3, 4, 6]], atol=1e-8) and data["modes"] == 3
    assert np.allclose(floats(data["points"], n, 3, 3), run.points, atol=1e-6)
    assert [link["modes"] for link in data["links"]] == [2, 1] and [link["modalAt"] for link in data["links"]] == [0, 2]
    places, W = (np.array(data["shapes"][0][name]) for name in ("places", "W"))
    assert np.allclose(W[0], np.sin(np.pi*places), atol=1e-5) and data["links"][1]["atTip"]
    touch = floats(data["touch"], -1, 3)
    for contact, row in zip(data["contacts"], run.contacts):
        mine = touch[contact["from"]:contact["to"]]
        assert (contact["point"], contact["start"], contact["end"]) == (row["point"], row["start"], row["end"])
        assert np.isclose(mine[:, 1].max(), contact["most"], rtol=1e-6)
        assert abs(contact["peak"] - row["start"] - 1e-3) < 1e-9
        assert np.allclose(mine[:, 2], 0.1*mine[:, 1], rtol=1e-5) and abs(mine[-1, 0] - 2e-3) < 1e-8


def test_an_open_contact_and_a_failed_end_are_carried(page):
    data = carried(view(hopping(open_end=True, failed=True), page))
    assert [c["end"] is None for c in data["contacts"]] == [False]*4 + [True, False]
    assert all(np.isfinite(data[name]).all() for name in ("middle", "extent", "size"))
    assert "stopped: t = 1 s" in page.read_text()


def test_a_run_of_the_middle_of_time_keeps_its_clock(page):
    run = hopping()
    run.t = run.t + 1e6
    for name in ("start", "end"):
        run.contacts[name] += 1e6
    run.touching["time"] += 1e6
    data = carried(view(run, page))
    assert data["t0"] == 1e6
    assert np.allclose(floats(data["t"], len(run.t)), np.linspace(0.0, 1.0, len(run.t)), atol=1e-7)
    assert abs(data["contacts"][0]["start"] - 0.25) < 1e-9


def test_links_of_one_make_share_their_shapes(page):
    chain = fd.Chain([fd.Link(elastic=fd.Elastic(beam=BEAM, ends="cf"))]*20)
    run = Run(chain, np.array([0.0, 1.0]), np.zeros((2, 40)), np.zeros((2, 40)))
    data = carried(view(run, page))
    assert len(data["shapes"]) == 1 and {link["shape"] for link in data["links"]} == {0}


def test_names_do_no_harm(page):
    chain = n_pendulum(2).replace(name="</script><script>alert(1)</script>&\"'$title")
    view(Run(chain, np.array([0.0, 1.0]), np.zeros((2, 2)), np.zeros((2, 2))), page)
    text = page.read_text()
    assert text.count("</script>") == 2 and "&lt;/script&gt;" in text and "$title" in text


@pytest.mark.parametrize("kind", ["mixed", "spherical"])
def test_space_is_carried_as_places_and_quaternions(kind, page):
    rng = np.random.default_rng(4)
    chain = random_chain(rng, 5, kind, free=True, tree=True)
    states = [random_state(rng, chain) for _ in range(7)]
    run = Run(chain, np.linspace(0.0, 1.0, 7), np.array([q for q, _ in states]), np.array([v for _, v in states]))
    data = carried(view(run, page))
    pose = floats(data["pose"], 7, 5, 7).astype(float)
    assert data["planar"] is False
    for q, row in zip(run.q, pose):
        for name, (x, y, z, *turn) in zip(chain.link_names, row):
            assert np.allclose([x, y, z], fd.position(chain, q, name), atol=1e-5)
            assert np.allclose(matrix(turn), fd.orientation(chain, q, name), atol=1e-5)


def matrix(q):
    w, x, y, z = q
    return np.array([[1 - 2*(y*y + z*z), 2*(x*y - w*z), 2*(x*z + w*y)],
                     [2*(x*y + w*z), 1 - 2*(x*x + z*z), 2*(y*z - w*x)],
                     [2*(x*z - w*y), 2*(y*z + w*x), 1 - 2*(x*x + y*y)]])


@given(st.lists(st.floats(-1.0, 1.0), min_size=4, max_size=4).filter(lambda q: np.linalg.norm(q) > 0.1))
def test_quaternions_of_turns_half_turns_among_them(q):
    q = np.array(q)/np.linalg.norm(q)
    got = quaternions(matrix(q)[None])[0]
    assert min(np.abs(got - q).max(), np.abs(got + q).max()) < 1e-12


@pytest.mark.parametrize("axis", np.eye(3).tolist())
def test_half_turns_have_quaternions_too(axis):
    assert np.allclose(np.abs(quaternions(matrix([0.0, *axis]))), [0.0, *axis])


def test_long_runs_are_thinned_to_a_size_a_browser_likes(page, monkeypatch):
    run = hopping(samples=2001)
    monkeypatch.setattr(player, "NUMBERS", 4000)
    data = carried(view(run, page))
    t = floats(data["t"], -1)
    assert 200 < len(t) < 260 and t[0] == 0.0 and t[-1] == 1.0 and "of 2001 samples" in page.read_text()
    assert page.stat().st_size < 100_000


def test_the_factor_is_chosen_or_given(page):
    assert carried(view(hopping(), page))["magnify"] == 5.0
    assert carried(view(hopping(), page, magnify=30))["magnify"] == 30.0
    with pytest.raises(ModelError, match="magnify is 0"):
        view(hopping(), page, magnify=0)


def test_a_run_without_motion_is_refused_and_leaves_what_was_there(page):
    page.write_text("mine")
    chain = hopping_chain()
    with pytest.raises(ModelError, match="the run has 1 sample and no motion to draw"):
        view(Run(chain, np.zeros(1), np.zeros((1, chain.nq)), np.zeros((1, chain.nv))), page)
    assert page.read_text() == "mine"
