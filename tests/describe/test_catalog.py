"""Chains by name and settings in words: what is built, what is typed, what is refused with the known words."""

import math

import numpy as np
import pytest

import fastdyn as fd
from fastdyn.describe.catalog import CATALOG, arguments, find, n_pendulum, parameters
from fastdyn.describe.files import parse


def test_every_name_gives_a_chain_that_says_so_and_survives_a_file():
    for name, build in CATALOG.items():
        chain = build()
        assert chain.name == name and parse(chain.to_toml()) == chain
        assert build.__doc__.splitlines()[0].endswith(".")


@pytest.mark.parametrize("angle", [0.0, math.pi/2, -1.0, math.pi, 3.0])
def test_the_pendulum_stands_straight_at_its_angle(angle):
    chain = n_pendulum(4, length=2.0, mass=6.0, angle=angle, radius=0.01)
    q, _ = chain.zero_state()
    tip = fd.position(chain, q, "link4", (0.5, 0.0, 0.0))
    assert np.allclose(tip, (2.0*math.sin(angle), -2.0*math.cos(angle), 0.0), rtol=0, atol=1e-14)
    bodies = [link.rigid_body for link in chain.links]
    assert chain.planar and chain.nv == 4 and bodies == [fd.Body.rod(0.5, 1.5, 0.01)]*4


@pytest.mark.parametrize("words, said", [
    ({"n": 0}, "n is 0; give a whole number of links, 1 or more"),
    ({"n": 2.0}, "n is 2.0; give a whole number"),
    ({"length": -1.0}, "length is -1 m; give a length > 0"),
    ({"mass": 0.0}, "mass is 0 kg; give a mass > 0"),
    ({"angle": math.nan}, "angle is nan; give a finite number in rad"),
    ({"radius": -0.1}, "radius is -0.1 m; give a radius >= 0"),
])
def test_pendulums_that_cannot_be_are_refused(words, said):
    with pytest.raises(fd.ModelError, match=said):
        n_pendulum(**words)


def run(chain, t_end: float = 1.0, samples: int = 3, at=None):
    """A job with two numbers to set."""


def test_words_become_typed_arguments_of_the_functions_that_have_them():
    assert parameters(run) == {"t_end": (float, 1.0), "samples": (int, 3)}
    assert arguments(["n=4", "t_end=2", "angle=1e-3"], n_pendulum, run) == [{"n": 4, "angle": 1e-3}, {"t_end": 2.0}]
    chain, (options,) = find("n-pendulum", ["n=3", "samples=7"], run)
    assert chain == n_pendulum(3) and options == {"samples": 7}


@pytest.mark.parametrize("word, said", [
    ("n", '"n" is not a setting; write key=value, such as n=2'),
    ("lenght=2", '"lenght" cannot be set here; did you mean "length"? known are n, length, mass, angle, radius, t_end'),
    ("at=2", '"at" cannot be set here; .*samples$'),
    ("n=2.5", 'n is "2.5"; give a whole number'),
    ("n=", 'n is ""; give a whole number'),
    ("mass=heavy", 'mass is "heavy"; give a number'),
])
def test_words_that_mean_nothing_are_refused(word, said):
    with pytest.raises(fd.ModelError, match=said.replace("?", r"\?")):
        find("n-pendulum", [word], run)


def test_files_are_found_by_their_ending(tmp_path):
    n_pendulum(2).save(tmp_path/"two.TOML")
    assert find(str(tmp_path/"two.TOML"), ["t_end=3"], run) == (n_pendulum(2), [{"t_end": 3.0}])
    with pytest.raises(fd.ModelError, match='"n" cannot be set here; known are t_end, samples'):
        find(str(tmp_path/"two.TOML"), ["n=3"], run)
    with pytest.raises(fd.ModelError, match=r"gone\.urdf"):
        find(str(tmp_path/"gone.urdf"))
    for name in ("n-pendlum", "two.json", "", "two"):
        with pytest.raises(fd.ModelError, match=r"neither in the catalog .* n-pendulum, .*\.toml, \.urdf, \.xml"):
            find(name)
