"""The page in a real browser: it plays, stops, steps and scrubs, shows forces and bends, and complains of nothing."""

import numpy as np
import pytest
from show.motions import hopping
from show.pictures import SVG

import fastdyn as fd
from fastdyn.results.run import Run

pytest.importorskip("fcntl", reason="a browser is told what to do through pipes, which are others on this system")
from show.browser import NAMES, Browser, found

pytestmark = [pytest.mark.usefixtures("one_ladder"), pytest.mark.skipif(
    found() is None, reason=f"there is no browser: none of {', '.join(NAMES)} is installed")]
# what a pixel r, g, b has to be like: links are blue and forces orange, also where they are faint
LINK, FORCE, EARTH = "b - r > 60", "r - b > 80", "Math.abs(r - 233) + Math.abs(g - 226) + Math.abs(b - 213) < 6"
DARK = "Math.max(r, g, b) < 40"
T = "(+document.getElementById('time').textContent.replace(/[^-0-9.]/g, ''))"


@pytest.fixture(scope="module")
def page(tmp_path_factory, one_ladder):
    return fd.view(hopping(), tmp_path_factory.mktemp("page")/"hop.html")


@pytest.fixture(scope="module")
def space(tmp_path_factory, one_ladder):
    """An arm that turns in space."""
    chain = fd.Chain([fd.Link(length=1.0, mass=1.0, radius=0.1, joint=fd.Spherical()),
                      fd.Link(length=0.5, mass=1.0, radius=0.1, joint=fd.Universal())], name="arm")
    t = np.linspace(0.0, 1.0, 51)
    q = np.column_stack([np.cos(t), 0*t, 0.6*np.sin(t), 0.8*np.sin(t), t, -2*t])
    return fd.view(Run(chain, t, q, np.zeros((51, 5))), tmp_path_factory.mktemp("page")/"arm.html")


@pytest.fixture(scope="module")
def started():
    with Browser() as browser:
        yield browser


@pytest.fixture
def browser(started, page):
    """At the start of the motion; whatever a test does, nobody complained and nothing was asked of a network."""
    started.trouble.clear()
    started.asked.clear()
    started.open(page).until(f"{T} === 0")
    yield started
    assert started.trouble == [] and started.asked == [page.resolve().as_uri()]


def drawn(browser, like, where="scene", when="true"):
    """(n, 2) pixels of a canvas that are like something, in the first picture after two in which `when` is true."""
    text = browser.ask(f"""new Promise(done => {{
        const look = () => {{
            if (!({when})) return requestAnimationFrame(look);
            const canvas = document.getElementById("{where}"), {{width, height}} = canvas, found = [];
            const pen = new OffscreenCanvas(width, height).getContext("2d", {{willReadFrequently: true}});
            pen.drawImage(canvas, 0, 0);
            const data = pen.getImageData(0, 0, width, height).data;
            for (let i = 0; i < data.length; i += 4) {{
                const [r, g, b] = data.subarray(i, i + 3);
                if ({like}) found.push((i/4)%width, Math.floor(i/4/width));
            }}
            done(found.join(" "));
        }};
        requestAnimationFrame(() => requestAnimationFrame(look));
    }})""")
    return np.array(text.split(), int).reshape(-1, 2)


def at(browser, t):
    browser.ask(f"(s => {{ s.value = {t}; s.dispatchEvent(new Event('input')); }})(document.getElementById('scrub'))")
    browser.until(f"Math.abs({T} - {t}) < 1e-4")


def chosen(browser, select):
    return float(browser.ask(f"document.getElementById('{select}').value"))


# -------------------------------------------------------------------------------------------------------------- playing

@pytest.mark.parametrize("how", ["key", "button"])
def test_play_moves_time_on_and_pause_holds_it(browser, how):
    def toggle():
        browser.press(" ") if how == "key" else browser.click("#play")

    toggle()
    browser.until(f"{T} > 0.01")
    assert browser.ask("document.getElementById('play').getAttribute('aria-label')") == "Pause"
    assert browser.ask("+document.getElementById('scrub').value") > 0.0
    toggle()
    browser.until("document.getElementById('play').getAttribute('aria-label') === 'Play'")
    held = browser.ask(T)
    assert held < 1.0 and browser.ask(f"new Promise(done => setTimeout(() => done({T}), 200))") == held


def test_at_the_end_it_stops_and_begins_anew(browser):
    at(browser, 0.995)
    browser.press("ArrowUp")                                # twice as fast
    browser.press(" ")
    browser.until(f"{T} === 1 && document.getElementById('play').getAttribute('aria-label') === 'Play'")
    browser.press(" ")
    browser.until(f"{T} > 0 && {T} < 0.9")
    browser.press(" ")


def test_the_slider_sets_the_time(browser):
    left, width, y = browser.ask("(r => [r.x, r.width, r.y + r.height/2])"
                                 "(document.getElementById('scrub').getBoundingClientRect())")
    browser.drag((left + 10, y), (left + 0.6*width, y))
    browser.until(f"Math.abs({T} - 0.6) < 0.02")


def test_keys_step_by_samples_and_choose_the_speed(browser):
    for key, modifiers, t in (("ArrowRight", 0, 0.0025), ("ArrowRight", 8, 0.0275), ("ArrowLeft", 0, 0.025),
                              ("End", 0, 1.0), ("ArrowLeft", 8, 0.975), ("Home", 0, 0.0)):
        browser.press(key, modifiers)
        browser.until(f"Math.abs({T} - {t}) < 1e-4")
    before = chosen(browser, "speed")
    browser.press("ArrowUp")
    faster = chosen(browser, "speed")
    browser.press("ArrowDown")
    browser.press("ArrowDown")
    assert chosen(browser, "speed") < before < faster
    browser.click("#forth")
    browser.until(f"Math.abs({T} - 0.0025) < 1e-4")
    browser.click("#back")
    browser.until(f"{T} === 0")


# ------------------------------------------------------------------------------------------------------- what is drawn

def test_the_chain_stands_on_the_page_as_it_does_in_the_world(browser):
    at(browser, 0.0)                                        # both links straight: along x, then up by 0.4 rad
    line, ground = drawn(browser, LINK), drawn(browser, EARTH)
    left, right = line[line[:, 0].argmin()], line[line[:, 0].argmax()]
    metre = (right[0] - left[0])/(1 + np.cos(0.4))
    assert metre > 100 and abs((left[1] - right[1])/metre - np.sin(0.4)) < 0.03
    assert abs((ground[:, 1].min() - left[1])/metre - 0.05) < 0.03          # it starts 5 cm above the ground
    assert len(np.unique(ground[ground[:, 1] == ground[:, 1].max(), 0])) > 500


def test_deflection_is_magnified_by_the_chosen_factor(browser):
    at(browser, 0.0195)                                     # link1 bends by 2 cm
    sag = {}
    for wanted in (1.0, 10.0):
        while chosen(browser, "magnify") != wanted:
            browser.press("+" if chosen(browser, "magnify") < wanted else "-")
        line = drawn(browser, LINK)
        half = line[line[:, 0] < line[:, 0].min() + 0.45*np.ptp(line[:, 0])]
        sag[wanted] = half[0, 1]                            # the highest place
    line = drawn(browser, LINK)
    assert 20 < sag[1.0] - sag[10.0] < 0.4*np.ptp(line[:, 0])


def heights(arrows):
    """Of the arrow on the left and of that on the right, px."""
    return [np.ptp(arrows[side, 1]) for side in (arrows[:, 0] < 500, arrows[:, 0] > 500)]


def test_forces_are_shown_where_and_when_they_act(browser):
    assert len(drawn(browser, FORCE)) == 0
    browser.press("n")
    browser.until(f"Math.abs({T} - 0.251) < 1e-4")
    assert browser.ask("document.getElementById('state').textContent") == "2 of 6 contacts"
    first = heights(drawn(browser, FORCE))                  # on link1 and, half as hard, on the tip
    for _ in range(2):
        browser.click("#next")
    browser.until(f"Math.abs({T} - 0.751) < 1e-4")
    hardest = heights(drawn(browser, FORCE))
    assert abs(first[1]/first[0] - 0.5) < 0.05 and abs(hardest[1]/hardest[0] - 0.5) < 0.05 and first[1] > 10
    assert abs(hardest[0]/first[0] - 3.0) < 0.3
    browser.click("#forces")
    assert len(drawn(browser, FORCE)) == 0
    browser.click("#forces")
    browser.press("p")
    browser.until(f"Math.abs({T} - 0.501) < 1e-4")
    marks = drawn(browser, FORCE, "marks")
    assert len(marks) > 0


def test_a_contact_that_is_over_in_a_wink_stays_in_sight_for_a_moment(browser):
    browser.ask("document.getElementById('speed').value = 10")
    at(browser, 0.7)
    browser.press(" ")
    browser.until(f"{T} === 1")
    assert browser.ask("document.getElementById('state').textContent") == "6 of 6 contacts"
    at(browser, 0.7)
    browser.ask("document.getElementById('speed').value = 0.5")
    browser.press(" ")
    assert len(drawn(browser, FORCE, when=f"{T} > 0.7525")) > 20
    browser.press(" ")
    assert len(drawn(browser, FORCE)) == 0


def test_dragging_and_the_wheel_move_the_view_and_fit_brings_it_back(browser):
    home = drawn(browser, LINK)
    x, y = home[len(home)//2].tolist()
    top = browser.ask("document.getElementById('scene').getBoundingClientRect().y")
    browser.drag((x, y + top), (x + 60, y + top + 25))
    moved = drawn(browser, LINK)
    assert np.abs(moved.mean(axis=0) - home.mean(axis=0) - [60, 25]).max() < 2
    browser.mouse("mouseWheel", 500, top + 200, deltaX=0, deltaY=400)
    assert np.ptp(drawn(browser, LINK)[:, 0]) < 0.8*np.ptp(home[:, 0])
    browser.press("0")
    assert np.array_equal(drawn(browser, LINK), home)


def test_what_is_followed_stays_in_the_middle(browser):
    middles = {}
    for followed in (False, True):
        if followed:
            browser.click("#follow")
        for t in (0.1, 0.9):
            at(browser, t)
            middles[followed, t] = drawn(browser, LINK)[:, 0].min()
    assert middles[False, 0.9] - middles[False, 0.1] > 30 > abs(middles[True, 0.9] - middles[True, 0.1])


# ------------------------------------------------------------------------------------------- screens, space, pictures

def test_on_a_phone_in_the_dark(page):
    with Browser(360, 640, dark=True, touch=True) as phone:
        phone.open(page).until(f"{T} === 0")
        assert phone.ask("document.documentElement.scrollWidth") <= 360
        for x, y, right, bottom in phone.ask("[...document.querySelectorAll('button, select, input, canvas')]"
                                             ".filter(e => e.offsetParent).map(e => e.getBoundingClientRect())"
                                             ".map(r => [r.left, r.top, r.right, r.bottom])"):
            assert 0 <= x < right <= 360 and 0 <= y < bottom <= 640
        assert len(drawn(phone, LINK)) > 100 and len(drawn(phone, DARK)) > 10_000 and phone.trouble == []


def test_space_is_turned_by_dragging(started, space):
    started.trouble.clear()
    started.open(space).until(f"{T} === 0")
    shown = [drawn(started, LINK)]
    for end in ((700, 300), (500, 420)):
        started.drag((500, 300), end)
        shown.append(drawn(started, LINK))
    assert all(len(pixels) > 200 for pixels in shown)
    assert not any(np.array_equal(a, b) for i, a in enumerate(shown) for b in shown[:i])
    started.press("0")
    assert np.array_equal(drawn(started, LINK), shown[0])
    started.press("End")
    started.until(f"{T} === 1")
    assert not np.array_equal(drawn(started, LINK), shown[0]) and started.trouble == []
    assert started.ask("document.getElementById('forces-label').hidden && document.getElementById('next').hidden")


def test_in_figures_no_words_overlap(started, tmp_path, one_ladder):
    """With the letters that a browser has, where the other tests estimate their width."""
    for name, picture in fd.plot(hopping(), tmp_path).items():
        started.open(tmp_path/f"{name}.svg")
        texts = started.ask("[...document.querySelectorAll('text')]"
                            ".map(t => [t.textContent, t.getBoundingClientRect()])"
                            ".map(([t, r]) => [t, r.left, r.top + 0.2*r.height, r.right, r.bottom - 0.2*r.height])")
        assert len(texts) == picture.svg.count("<text") > 5 and SVG in started.ask(
            "'{' + document.documentElement.namespaceURI + '}'")
        for i, (text, left, top, right, bottom) in enumerate(texts):
            assert left >= 0 and right <= picture.width + 1, (name, text)
            for other, x1, y1, x2, y2 in texts[:i]:
                assert right <= x1 or x2 <= left or bottom <= y1 or y2 <= top, (name, text, other)
