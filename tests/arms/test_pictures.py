"""Figures of a run of an arm say what the run says, and the page that plays it does so in a browser."""

import base64

import numpy as np
import pytest

import fastdyn as fd
from arms.words import landing
from fastdyn.arms import flexible_arm
from fastdyn.arms.scene import content, good_factor
from fastdyn.arms.outline import lines_of
from show.pictures import panels, parsed, written

FIGURES = ("overview", "point", "tip", "forces", "sliding", "velocities", "accelerations", "modes", "energy")


@pytest.fixture(scope="module")
def run():
    return landing()


@pytest.fixture(scope="module")
def pages(run, tmp_path_factory):
    folder = tmp_path_factory.mktemp("figures")
    pages = fd.plot(run, folder)
    assert tuple(pages) == FIGURES
    assert all((folder/f"{name}.svg").read_text() == page.svg for name, page in pages.items())
    return {name: parsed(page.svg) for name, page in pages.items()}


def test_forces_reach_their_peak_when_the_run_says(run, pages):
    (contact,) = run.contacts
    (t, N, F), = contact.peaks
    whole, window, *_ = panels(pages["forces"])
    for panel in (whole, window):
        _, curve = panel.curves[-1]
        top = curve[np.argmax(curve[:, 1])]
        assert abs(top[1]*panel.factor - N) < 2*panel.pixel[1]*panel.factor and abs(top[0] - t) < 1e-5
    assert f"{t:.6f} s {N/1e3:.3f} kN" in written(pages["forces"])
    friction = panels(pages["forces"])[3]
    assert friction.title == "friction"
    assert friction.curves[-1][1][:, 1].max()*friction.factor == pytest.approx(F, rel=0.02)


def test_sliding_marks_its_changes_of_sign(run, pages):
    (contact,) = run.contacts
    first, second = panels(pages["sliding"])
    lines = [curve for _, curve in first.curves if np.ptp(curve[:, 0]) < first.pixel[0]]
    assert [line[0, 0] for line in lines] == pytest.approx(contact.reversals[0], abs=2*first.pixel[0])
    assert len(second.curves) == 1 and "does not change sign" in written(pages["sliding"])
    assert all(f"{t:.9g} s" in written(pages["sliding"]) for t in contact.reversals[0])


def test_every_figure_has_a_window_around_the_contact(run, pages):
    (contact,) = run.contacts
    for name in ("point", "tip", "velocities", "modes", "energy"):
        whole, window, *_ = panels(pages[name])
        seen = window.curves[0][1][:, 0]
        assert seen.min() <= contact.start <= seen.max() and np.ptp(seen) <= np.ptp(whole.curves[0][1][:, 0]) + 1e-5
    said = written(pages["modes"])
    assert all(word in said for word in ("link 1, axial", "link 2, bending z", "link 2, torsion", "mode 4"))
    assert "height above the plane" in written(pages["point"]) and "link 2, y" in written(pages["tip"])


def test_what_a_run_has_nothing_for_is_left_out_or_refused():
    still = flexible_arm(1).simulate(0.002)
    assert set(fd.plot(still)) == set(FIGURES) - {"point", "forces", "sliding"}
    with pytest.raises(fd.ModelError, match='figure "forces" cannot be drawn: nothing touched a plane'):
        fd.plot(still, figures="forces")


def test_the_page_has_forces_as_vectors_against_the_sliding(run):
    rows = np.arange(len(run.t))
    found = content(run, rows, lines_of(run.arm, run.q, run.t), 10.0)
    touch = np.frombuffer(base64.b64decode(found["touch"]), "<f4").reshape(-1, 4)
    (contact,), n = found["contacts"], np.array(run.arm.planes[0].normal)
    assert touch[:, 1:] @ n == pytest.approx(run.contacts[0].lines[:, 4], rel=1e-5)
    k = len(touch)//3
    friction = touch[k, 1:] - (touch[k, 1:] @ n)*n
    at = np.searchsorted(run.t, run.contacts[0].lines[k, 0])
    speed = run.points[at, 0, 3:6]
    sliding = speed - (speed @ n)*n
    assert friction @ sliding == pytest.approx(-np.linalg.norm(friction)*np.linalg.norm(sliding), rel=1e-5)
    assert contact["most"] == run.contacts[0].peaks[0][1] and found["up"] == "y"
    assert good_factor(lines_of(run.arm, 0*run.q, run.t)) >= 1.0


def test_the_page_plays_in_a_browser(run, tmp_path):
    pytest.importorskip("fcntl", reason="a browser is told what to do through pipes, which are others on this system")
    from show.browser import Browser, found
    from show.test_browser import FORCE, LINK, drawn

    if found() is None:
        pytest.skip("there is no browser")
    path = fd.view(run, tmp_path/"arm.html", magnify=20)
    with Browser() as browser:
        browser.open(path).until("document.getElementById('time').textContent.startsWith('t = ')")
        assert "2 links, 2 of them flexible" in browser.ask("document.getElementById('about').textContent")
        start = float(browser.ask("document.getElementById('scrub').min"))
        assert len(drawn(browser, LINK)) > 300 and len(drawn(browser, FORCE)) == 0
        peak = run.contacts[0].peaks[0][0] - run.t[0]
        browser.ask(f"(s => {{ s.value = {start + peak}; s.dispatchEvent(new Event('input')); }})"
                    "(document.getElementById('scrub'))")
        browser.until("document.getElementById('state').textContent === '1 of 1 contacts'")
        arrow = drawn(browser, FORCE)
        assert len(arrow) > 60 and np.ptp(arrow[:, 1]) > 50
        bent = drawn(browser, LINK)
        browser.ask("(s => { s.value = '1'; s.dispatchEvent(new Event('change')); })"
                    "(document.getElementById('magnify'))")
        straight = drawn(browser, LINK)
        assert len({*map(tuple, bent)} ^ {*map(tuple, straight)}) > 20
        assert browser.trouble == []
