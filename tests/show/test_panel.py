"""Panels: ticks, units, cutting, thinning and smoothing of curves, which curve lies on which; PNG beside SVG."""

import io
import math
import sys

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from show.pictures import parsed

from fastdyn.show.page import Area, Dots, Page, Stroke, Words, box
from fastdyn.show.panel import cut, gentle, on_top_of, prefixed, raised, said, smoothed, span, thinned, ticks
from fastdyn.show.sheet import Curve, Plot, Sheet
from fastdyn.status import ModelError

SIZES = st.floats(1e-14, 1e11)


@given(SIZES, st.sampled_from(["N", "m", "J", "m/s"]))
def test_a_prefix_brings_numbers_between_one_and_a_thousand(size, unit):
    factor, named = prefixed(size, unit)
    assert named.endswith(unit) and 0.0999 <= size*factor < 1000.0*(1 + 1e-9)
    powers = {"": 0, "k": 3, "M": 6, "G": 9, "m": -3, "µ": -6, "n": -9}
    powers |= {f"10{raised(k)} ": k for k in range(-15, -9)}
    assert math.isclose(factor, 10.0**-powers[named.removesuffix(unit)], rel_tol=1e-12)


def test_per_cent_get_a_power_of_ten_and_odd_sizes_none():
    assert prefixed(2.4e-15, "N m s")[1] == "10⁻¹⁵ N m s" and prefixed(2.4e-9, "N m s")[1] == "nN m s"
    assert prefixed(5.8e-8, "%") == (1e8, "10⁻⁸ %") and prefixed(12.0, "%") == (1.0, "%")
    assert prefixed(0.0, "N") == prefixed(math.nan, "N") == prefixed(math.inf, "N") == (1.0, "N")


@given(SIZES, st.floats(-1.0, 1.0), st.integers(2, 10))
def test_ticks_are_told_apart_by_their_words(size, start, most):
    low = start*size
    values = ticks(low, low + size, most)
    words = said(values)
    assert len(set(words)) == len(words) == len(values) <= most + 1
    for value, word in zip(values, words):
        assert abs(float(word.replace("−", "-")) - value) <= 2e-4*max(abs(value), size)


@given(st.lists(st.floats(0.0, 1.0), min_size=1, max_size=30), st.floats(-0.2, 0.6), st.floats(0.05, 0.5))
def test_a_cut_curve_is_the_curve_within_its_window(places, low, size):
    x = np.sort(np.array(places))
    y = np.sin(7*x)
    xs, ys = cut(x, y, low, low + size)
    assert np.all((xs >= low) & (xs <= low + size)) and np.all(np.diff(xs) >= 0.0)
    if len(x) > 1 and np.all(np.diff(x) > 0.0):
        assert np.allclose(ys, np.interp(xs, x, y), atol=1e-12)
        if x[0] < low and x[-1] > low + size:
            assert xs[0] == low and xs[-1] == low + size


@given(st.integers(0, 10**6), st.integers(5, 60))
def test_a_thinned_curve_keeps_its_ends_and_the_outline_of_every_column(seed, columns):
    rng = np.random.default_rng(seed)
    x = np.sort(rng.random(5000))
    y = np.cumsum(rng.normal(size=5000))
    kept = thinned(x, y, columns)
    assert len(kept) <= 4*columns and kept[0] == 0 and kept[-1] == 4999
    column = np.minimum((x - x[0])/(x[-1] - x[0])*columns, columns - 1).astype(int)
    for k in range(columns):
        mine, left = y[column == k], y[kept][column[kept] == k]
        assert left.min() == mine.min() and left.max() == mine.max()


def test_a_break_in_a_long_curve_stays():
    x, y = np.linspace(0.0, 1.0, 5000), np.ones(5000)
    y[3000] = np.nan
    assert 3000 in thinned(x, y, 20)


def test_a_smooth_curve_goes_through_its_points_and_comes_near_what_they_were_taken_from():
    x = np.sort(np.append([0.0, 3.0], 3*np.random.default_rng(1).random(40)))
    theory = 3**4/384*np.max(np.diff(x))**4                 # of cubics with exact slopes
    straight = 3**2/8*np.max(np.diff(x))**2                 # of straight lines
    for slope, bound in ((3*np.cos(3*x), 1.01*theory), (gentle(x, np.sin(3*x)), 0.4*straight)):
        fine, smooth = smoothed(x, np.sin(3*x), slope, 600)
        assert np.abs(np.interp(x, fine, smooth) - np.sin(3*x)).max() < 1e-12
        assert np.abs(smooth - np.sin(3*fine)).max() < bound and len(fine) > 500
    assert smoothed(x, x, None, 600)[0] is x and gentle(x[:2], x[:2]) is None


def test_a_peak_between_points_is_found_and_a_level_stays_level():
    x = np.linspace(0.0, 1.0, 20)
    smooth = smoothed(x, np.sin(np.pi*x)**1.5, gentle(x, np.sin(np.pi*x)**1.5), 200)[1]
    assert np.max(np.sin(np.pi*x)**1.5) < 0.995 and abs(smooth.max() - 1.0) < 1e-3
    step = np.repeat([0.0, 1.0], 10)
    assert np.abs(smoothed(x, step, gentle(x, step), 200)[1] - 0.5).max() <= 0.5 + 1e-12


def test_curves_that_lie_on_others_are_counted():
    x = np.linspace(0.0, 1.0, 200)
    other = np.linspace(0.0, 1.0, 333)
    curves = [(x, x**2), (other, other**2), (x, x), (x, x**2 + 0.001), (x[:0], x[:0])]
    assert on_top_of(curves, 1.0) == [0, 1, 0, 2, 0]


def test_ranges_are_never_empty_and_know_of_no_nan():
    assert span([math.nan, 1.0, 3.0, math.inf], room=0.0) == (1.0, 3.0)
    assert span([math.nan])[0] < 0.0 < span([math.nan])[1] and span([0.0, 0.0]) == (-0.5, 0.5)


# -------------------------------------------------------------------------------------------------------- whole sheets

def sheet(count=3, legend=False, label="curve"):
    x = np.linspace(0.0, 1.0, 50)
    curves = [Curve(x, np.sin(x + k), f"{label} {k}", k) for k in range(count)]
    return Sheet("Title", [[Plot("left", "N", curves, legend=legend), Plot("right", "N", curves, (0.2, 0.4))]],
                 shares=(2.0, 1.0))


@pytest.mark.parametrize("legend", [False, True])
@pytest.mark.parametrize("count", [1, 2, 8, 20])
def test_legends_take_as_many_lines_as_they_need(count, legend):
    page = sheet(count, legend, "a rather long name of a curve").page()
    texts = [node.text for node in parsed(page.svg).iter("{http://www.w3.org/2000/svg}text")]
    told = [text for text in texts if text.startswith("a rather")]
    assert len(told) == (count if legend else 0) + (count if count > 1 else 0)
    assert page.height > sheet(2, legend).page().height or count < 8


# ----------------------------------------------------------------------------------------------------------------- PNG

PARTS = [box(10, 10, 30, 20, "#ff0000"), Stroke(np.array([[50.0, 50.0], [90.0, 50.0]]), "#0000ff", 4.0),
         Stroke(np.array([[50.0, 70.0], [90.0, 70.0]]), "#0000ff", 4.0, dashes=(6.0, 8.0)),
         Dots(np.array([[70.0, 20.0]]), "#00ff00", 6.0), Words(10, 95, "$words$", 12, "#000000"),
         Area(np.array([[60.0, 80.0], [80.0, 80.0], [70.0, 95.0]]), "#ff00ff", 0.5)]


def test_png_has_the_same_parts_at_the_same_places():
    pytest.importorskip("matplotlib", reason="PNG pictures need matplotlib, the extra `plot`")
    from PIL import Image

    picture = np.asarray(Image.open(io.BytesIO(Page(100, 100, PARTS).png(2.0))).convert("RGB"))
    assert picture.shape == (200, 200, 3)
    at = {(25, 20): (255, 0, 0), (70, 50): (0, 0, 255), (70, 20): (0, 255, 0), (70, 84): (255, 127, 255)}
    for (x, y), colour in {**at, (5, 5): (255, 255, 255)}.items():
        assert np.abs(picture[2*y, 2*x].astype(int) - colour).max() <= 2
    row = picture[140, 100:180]
    blue = (row[:, 2] > 200) & (row[:, 0] < 50)
    assert 0.3 < blue.mean() < 0.95 and picture[170:192, 20:90].min() < 60


def test_png_without_matplotlib_is_refused_in_one_sentence(monkeypatch, tmp_path):
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    with pytest.raises(ModelError, match=r'need matplotlib: pip install "fastdyn\[plot\]", or take the format svg'):
        Page(10, 10, PARTS).save(tmp_path/"a.png")
    assert list(tmp_path.iterdir()) == []


def test_a_page_is_saved_by_its_ending(tmp_path):
    page = Page(10, 10, PARTS, "a & b")
    page.save(tmp_path/"a.svg")
    assert (tmp_path/"a.svg").read_text() == page.svg and "<title>a &amp; b</title>" in page.svg
    with pytest.raises(ModelError, match=r"pictures are written as \.svg or \.png"):
        page.save(tmp_path/"a.jpg")
