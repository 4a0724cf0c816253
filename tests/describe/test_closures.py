"""Closures in words: what is refused and how it is said, files, compiled rows, mechanisms of the catalog."""

import numpy as np
import pytest

from fastdyn import Chain, Closure, Link, catalog
from fastdyn.describe.files import parse
from fastdyn.layout import GAP_OF, GAP_STIFFNESS, held_exactly
from fastdyn.status import ModelError

ARM = [Link(name=name, length=1.0, mass=1.0) for name in ("a", "b", "c")]
PIN = {"kind": "pin", "a": (1.0, 0.0, 0.0), "b": "c.tip"}


@pytest.mark.parametrize("changes, said", [
    ({"kind": "rivet"}, "closure.kind is 'rivet'; known are"),
    ({"a": (1.0, 0.0)}, "closure.a is (1, 0); give 3 numbers in m"),
    ({"a": ("arm", (1.0, 0.0, 0.0))}, 'closure.a is (\'arm\', (1.0, 0.0, 0.0)); give a place on a '
                                  "link as"),
    ({"axis": (0.0, 0.0, 2.0)}, "closure.axis (0, 0, 2) has length 2, not 1"),
    ({"kind": "weld", "axis": (0.0, 0.0, 1.0)}, 'closure.axis is given, but "weld" has no axis'),
    ({"kind": "slot", "turn": (0.0, 0.0, 0.0, 1.0)}, 'closure.turn is given, but "slot" says nothing'),
    ({"kind": "distance"}, 'closure.length goes with kind "distance" and no other; give it'),
    ({"length": 1.0}, 'closure.length goes with kind "distance" and no other; leave it out'),
    ({"kind": "distance", "length": 0.0}, "closure.length is 0; give a length > 0"),
    ({"stiffness": -1.0}, "closure.stiffness is -1; give a stiffness > 0"),
    ({"damping": 1.0}, "closure.damping is given without stiffness"),
])
def test_words_that_cannot_be(changes, said):
    with pytest.raises(ModelError) as refused:
        Closure(**PIN | changes)
    assert str(refused.value).startswith(said)


@pytest.mark.parametrize("changes, said", [
    ({"b": "c.top"}, 'closure[0].b: link "c" has no point "top"'),
    ({"b": "d"}, 'closure[0].b: "d" is no point of this chain'),
    ({"a": "c"}, 'closure[0]: both ends are on link "c"'),
    ({"a": "base", "b": "a"}, "closure[0]: neither 'base' nor 'a' can move"),
])
def test_places_that_cannot_be(changes, said):
    with pytest.raises(ModelError) as refused:
        Chain(ARM, closures=[Closure(**PIN | changes)])
    assert str(refused.value).startswith(said)


@pytest.mark.parametrize("words, said", [
    (PIN | {"kind": "ball"}, "closure[0] is a ball"),
    (PIN | {"a": (1.0, 0.0, 0.5)}, "closure[0].a (1, 0, 0.5) m has a z component"),
    (PIN | {"axis": (1.0, 0.0, 0.0)}, "closure[0].axis (1, 0, 0) is not along z"),
    (PIN | {"kind": "slot", "axis": (0.0, 0.0, 1.0)}, "closure[0].axis (0, 0, 1) has a z component"),
    (PIN | {"turn": (0.0, 1.0, 0.0, 0.0)}, "closure[0].turn (0, 1, 0, 0) is not about z"),
])
def test_closures_off_the_plane(words, said):
    with pytest.raises(ModelError) as refused:
        Chain(ARM, closures=[Closure(**words)], space="plane")
    assert str(refused.value).startswith(said)
    assert not Chain(ARM, closures=[Closure(**words)]).planar


def test_files_keep_closures():
    chain = Chain(ARM, closures=[Closure(**PIN, name="last"), Closure(kind="distance", a="a", b="c.tip", length=1.5,
                                                                     stiffness=1e3, damping=2.0)])
    assert parse(chain.to_toml()) == chain
    with pytest.raises(ModelError, match=r'\$\.closure\[0\]\.kind: "pn" is not a word known here; did you mean "pin"'):
        parse(chain.to_toml().replace('"pin"', '"pn"'))


def test_what_is_held_exactly_comes_first():
    closures = [Closure(**PIN, stiffness=5.0), Closure(**PIN), Closure(**PIN, stiffness=7.0)]
    rows = Chain(ARM, closures=closures).model.closure
    assert rows[:, GAP_OF].tolist() == [1, 1, 0, 0, 2, 2]
    assert rows[:, GAP_STIFFNESS].tolist() == [np.inf, np.inf, 5.0, 5.0, 7.0, 7.0]


@pytest.mark.parametrize("name, nv, gaps, held", [
    ("rrr-rose", 9, 6, 6), ("four-bar", 3, 2, 2), ("n-four-bar", 5, 4, 4), ("andrews", 7, 7, 6), ("bricard", 5, 5, 5),
    ("flyball", 4, 2, 0), ("stewart", 24, 18, 18), ("slider-crank", 7, 2, 2)])
def test_mechanisms_of_the_catalog(name, nv, gaps, held):
    chain = catalog.CATALOG[name]()
    assert (chain.nv, len(chain.model.closure), held_exactly(chain.model)) == (nv, gaps, held)
    assert parse(chain.to_toml()) == chain


@pytest.mark.parametrize("make, said", [
    (lambda: catalog.rrr_rose("P3"), 'case is \'P3\'; known are "P0"'),
    (lambda: catalog.rrr_rose(method="rk"), "method is 'rk'; known are"),
    (lambda: catalog.rrr_rose(ks=1e5), 'ks is given, but method "denoc" holds the platform exactly'),
    (lambda: catalog.rrr_rose(preloaded=True), 'preloaded is given, but method "denoc" holds'),
    (lambda: catalog.rrr_rose(method="lvs", ks=0.0), "ks is 0 N/m; give ks > 0"),
    (lambda: catalog.four_bar(elbow="up"), "elbow is 'up'; known are"),
    (lambda: catalog.n_four_bar(0), "n is 0; give a whole number of windows"),
    (lambda: catalog.four_bar(coupler=9.0), "with the crank along the ground its tip is 0.6 m"),
])
def test_mechanisms_that_cannot_be(make, said):
    with pytest.raises(ModelError) as refused:
        make()
    assert str(refused.value).startswith(said)


@pytest.mark.parametrize("ground", [1.0, 0.3])
def test_both_working_modes_of_the_four_bar(ground):
    """Mirror images in the line of the ground, as the crank lies in it."""
    words = {"ground": ground, "crank": 0.5, "coupler": 0.8, "rocker": 0.7}
    left, right = (np.array(catalog.four_bar(**words, elbow=elbow).start_q) for elbow in "+-")
    assert np.abs(np.sin(left + right)).max() < 1e-15 and np.abs(np.cos(left) - np.cos(right)).max() < 1e-15
    for q, side in ((left, 1.0), (right, -1.0)):
        to_rocker, coupler = ground - 0.5, 0.8*np.exp(1j*q[1])
        assert abs(0.5 + coupler - ground - 0.7*np.exp(1j*q[2])) < 1e-15 and side*to_rocker*coupler.imag > 0.0
