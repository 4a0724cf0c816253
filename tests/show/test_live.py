"""Chains and runs in the browser: nodes are where forward kinematics says, the server ends, what is missing is said."""

import re
import signal
import socket
import sys
import threading
import time

import numpy as np
import pytest
from formulations.common import off
from show.motions import hopping, hopping_chain

import fastdyn as fd
from fastdyn import arms, cli, transfer
from fastdyn.show.live import across, finite, pieces
from fastdyn.status import ModelError

pytestmark = pytest.mark.usefixtures("one_ladder")
SINGLE = 1e-6                                               # nodes are of single precision


@pytest.fixture
def viser():
    return pytest.importorskip("viser", reason='viser is not there: pip install ".[view]"')


def tree():
    """Balls, a slider out of the plane, a branch; nothing lies along an axis."""
    rod = {"length": 0.5, "mass": 1.0, "radius": 0.05}
    return fd.Chain([
        fd.Link(name="trunk", joint=fd.Spherical(), **rod),
        fd.Link(name="slide", joint=fd.Prismatic(axis=(0.6, 0.0, 0.8)), **rod),
        fd.Link(name="left", joint=fd.Universal(), **rod),
        fd.Link(name="right", parent="slide", joint=fd.Revolute(axis=(0.0, 1.0, 0.0)), **rod)], space="space")


def has(points, place):
    return np.min(np.linalg.norm(np.asarray(points, float).reshape(-1, 3) - place, axis=1)) < SINGLE


def test_a_chain_is_drawn_where_forward_kinematics_says(viser):
    chain, random = tree(), np.random.default_rng(1)
    with fd.live_view(chain, port=0) as view:
        for _ in range(5):
            q = random.normal(size=chain.nq)
            view.show(q)
            places = [fd.position(chain, q, link.name) for link in chain.links]
            tips = [fd.position(chain, q, name, (0.5, 0.0, 0.0)) for name in ("left", "right")]
            assert off(view.nodes["joints"].points, [*places, *tips]) < SINGLE
            lines = view.nodes["links"].points
            for link, place in zip(chain.links, places):
                assert has(lines, place) and has(lines, fd.position(chain, q, link.name, (0.5, 0.0, 0.0)))
        assert view.nodes["base"].points.tolist() == [[0.0, 0.0, 0.0]] and "forces" not in view.nodes


def test_bent_links_and_points_that_may_touch(viser):
    chain = hopping_chain()
    q = np.array([0.1, 0.5, 0.2, 0.03, -0.01, 0.3, 0.02])
    with fd.live_view(chain, port=0) as view:
        view.show(q)
        names = [(chain.links[point.link].name, point.position) for point in chain.contact_points]
        assert off(view.nodes["points"].points, [fd.position(chain, q, *name) for name in names]) < SINGLE
        assert off(view.nodes["joints"].points[-1], fd.position(chain, q, "link2", (1.0, 0.0, 0.0))) < SINGLE
        assert len(view.nodes["links"].points) == 32
        with pytest.raises(ModelError, match=r"q of link1\.x is nan"):
            view.show(q*np.nan)


def test_a_run_is_played_stopped_and_taken_to_any_time(viser):
    run = hopping(samples=41, failed=True)
    with fd.live_view(run, port=0, magnify=1.0) as view:
        seen = {view.t}
        while len(seen) < 4:
            time.sleep(0.01)
            seen.add(view.t)
        assert seen <= set(run.t)
        view.playing.value = False
        time.sleep(0.1)
        for row in (10, 11, 20):                            # of the first, in the middle of a touch at 0.25 s
            view.at(run.t[row] + 1e-4)
            assert view.t == run.t[row] and off(view.nodes["joints"].points[0], run.points[row, 0]) < SINGLE
            assert off(view.nodes["points"].points, run.points[row]) < SINGLE
        view.at(1e9)
        assert view.t == 1.0 and not any(view.nodes[name].visible for name in ("links", "joints", "points"))
        view.at(-1e9)
        assert view.t == 0.0 and view.nodes["links"].visible
        with pytest.raises(ModelError, match="t is nan"):
            view.at(np.nan)


def test_forces_are_arrows(viser):
    run = hopping(samples=1001)
    rows = np.flatnonzero(np.abs(run.forces).sum(axis=(1, 2)))
    hardest = rows[np.argmax(np.linalg.norm(run.forces[rows], axis=2).max(axis=1))]
    with fd.live_view(run, port=0) as view:
        view.playing.value = False
        time.sleep(0.1)
        view.at(run.t[hardest])
        (foot, tip), *_ = arrows = np.asarray(view.nodes["forces"].points, float)
        point = int(np.argmax(np.linalg.norm(run.forces[hardest], axis=1)))
        assert has(arrows[:, 0], run.points[hardest, point]) and len(arrows) == 2
        assert off(np.cross(tip - foot, run.forces[hardest, point]), np.zeros(3), 1e3) < SINGLE
        view.at(0.1)
        assert not view.nodes["forces"].visible


def test_arms_and_transfer_chains_play_too(viser):
    arm = arms.flexible_arm().simulate(0.02, samples=5)
    with fd.live_view(arm, port=0, magnify=1.0) as view:
        view.playing.value = False
        view.at(0.02)
        end = arms.point(arm.arm, arm.q[-1], arm.v[-1], t=0.02).place
        assert off(view.nodes["joints"].points[-1], end) < 1e-3
    run = transfer.link_arm(n=2, angle=0.3).simulate(0.02, 0.01)
    with fd.live_view(run, port=0) as view:
        assert off(view.nodes["joints"].points[-1, :2], run.system.tip(run.angles[0])) < SINGLE


def test_a_loop_may_show_at_every_tick(viser):
    """Of sixty pictures a second at least half of the time is left to the loop; the server ends with it."""
    arm, took = fd.catalog.n_pendulum(3), []
    tick = fd.ticker(arm, dt=1/60)
    with fd.live_view(arm, port=0) as view:
        port = view.server.get_port()
        for _ in range(60):
            q, _ = tick()
            started = time.perf_counter()
            view.show(q)
            took.append(time.perf_counter() - started)
    assert np.median(took) < 1/120
    assert not_listening(port)


def not_listening(port):
    with socket.socket() as trial:
        return trial.connect_ex(("127.0.0.1", port)) != 0


def test_a_port_that_is_taken_is_said_and_another_is_found(viser):
    chain = fd.catalog.n_pendulum(1)
    with socket.socket() as other:
        other.bind(("127.0.0.1", 0))
        other.listen()
        port = other.getsockname()[1]
        with pytest.raises(ModelError, match=rf"^port {port} cannot be had \(Address already in use\); leave it out"):
            fd.live_view(chain, port=port)
    with fd.live_view(chain) as first, fd.live_view(chain) as second:
        assert first.url != second.url and all(view.url.startswith("http://127.0.0.1:") for view in (first, second))


@pytest.mark.parametrize("words, said", [
    ({"port": 70000}, "port is 70000"), ({"port": "http"}, "port is 'http'"), ({"magnify": 0.0}, "magnify is 0"),
    ({"host": "256.0.0.1"}, r"host is '256\.0\.0\.1', which is no address of this machine"),
    ({"system": 3}, "system is 3; give a Chain, or a run"),
])
def test_what_cannot_be_is_refused(viser, words, said):
    with pytest.raises(ModelError, match=said):
        fd.live_view(**{"system": fd.catalog.n_pendulum(1)} | words)


def test_without_viser_one_sentence_is_said(monkeypatch, tmp_path, capsys):
    monkeypatch.setitem(sys.modules, "viser", None)
    with pytest.raises(ModelError, match=r'^viser is not installed; get it with: pip install "fastdyn\[view\]"$'):
        fd.live_view(fd.catalog.n_pendulum(1))
    hopping(samples=11).save(tmp_path/"hop.h5")
    assert cli.main(["view", str(tmp_path/"hop.h5"), "--live"]) == 2
    assert "viser is not installed" in capsys.readouterr().err
    assert cli.main(["view", str(tmp_path/"hop.h5"), "--live", "--out", "hop.html"]) == 2
    assert cli.main(["view", str(tmp_path/"hop.h5"), "--port", "8081"]) == 2
    assert capsys.readouterr().err.count("--live writes no file") == 2


def test_the_command_plays_until_it_is_interrupted(viser, tmp_path, capsys):
    hopping(samples=11).save(tmp_path/"hop.h5")
    pressed = threading.Timer(1.5, signal.pthread_kill, [threading.main_thread().ident, signal.SIGINT])
    pressed.start()
    assert cli.main(["view", str(tmp_path/"hop.h5"), "--live", "--port", "0"]) == 0
    said = re.search(r"http://127.0.0.1:(\d+): plays in any browser until Ctrl-C", capsys.readouterr().out)
    assert not_listening(int(said[1]))


def test_lines_come_apart_and_axes_stand_on_a_plane():
    nan = np.full(3, np.nan)
    line = np.array([[0.0, 0, 0], [1.0, 0, 0], nan, [2.0, 0, 0], [3.0, 0, 0], [4.0, 0, 0]])
    assert pieces(line)[:, :, 0].tolist() == [[0.0, 1.0], [2.0, 3.0], [3.0, 4.0]] and len(finite(line)) == 5
    for normal in ([0.0, 0.0, 1.0], [0.6, 0.8, 0.0], [0.0, -1.0, 0.0]):
        axes = across(np.array(normal))
        assert off(axes.T @ axes, np.eye(3)) < 1e-15 and np.linalg.det(axes) == pytest.approx(1.0)
        assert np.array_equal(axes[:, 2], normal)
