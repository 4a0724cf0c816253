"""Friction laws: signs, cones, kinks where they are told and nowhere else, one law as the limit of another."""

import json
import math
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fastdyn.laws.friction import (
    AMBROSIO, BENGISU_AKAY, COULOMB, COULOMB_VISCOUS, FRICTION_LAWS, KARNOPP, NO_FRICTION, STEP, STICTION, STRIBECK,
    VISCOUS, friction, friction_in_space, holding_force, kinks, rests, sliding_force, smooth_step)
from fastdyn.laws.words import NUMBERS, coded
from fastdyn.status import ModelError

pytestmark = pytest.mark.kernels
RATIOS = json.loads((Path(__file__).parents[1]/"reference"/"spatial_flexible"/"friction_ratio.json").read_text())
GIVEN = {
    "none": {}, "ambrosio": {"mu": 0.3, "v0": 0.02, "v1": 0.1}, "coulomb": {"mu": 0.3},
    "stiction": {"mu": 0.3, "mu_static": 0.4}, "viscous": {"viscosity": 2.0},
    "coulomb-viscous": {"mu": 0.3, "viscosity": 2.0},
    "stribeck": {"mu": 0.3, "mu_static": 0.4, "v_stribeck": 0.2, "exponent": 1.4, "viscosity": 0.5},
    "karnopp": {"mu": 0.3, "mu_static": 0.4, "band": 0.05, "viscosity": 0.5},
    "bengisu-akay": {"mu": 0.3, "mu_static": 0.4, "v0": 0.1, "decay": 3.0},
    "arctan": {"mu": 0.3, "steepness": 30.0}, "tanh": {"mu": 0.3, "tangential": 0.9, "steepness": 30.0},
    "step": {"mu": 0.3, "mu_static": 0.4, "v_static": 0.1, "v_sliding": 0.5},
}
every_law = pytest.mark.parametrize("word", GIVEN)
words, normals, speeds = st.sampled_from(list(GIVEN)), st.floats(0.0, 1e4), st.floats(-3.0, 3.0)
holds = st.floats(-1e4, 1e4)


def law_of(word, **changed):
    return coded(FRICTION_LAWS, word, **GIVEN[word] | changed)


def size(v):
    return math.sqrt(v[0]*v[0] + v[1]*v[1] + v[2]*v[2])


def test_every_law_is_here():
    assert GIVEN.keys() == FRICTION_LAWS.keys()
    assert sorted(law.code for law in FRICTION_LAWS.values()) == list(range(12))


@pytest.mark.parametrize("model, word, given", [
    ("I", "ambrosio", {"mu": 0.5, "v0": 0.01, "v1": 0.1}), ("II", "tanh", {"mu": 0.5}),
    ("III", "step", {"mu": 0.4, "mu_static": 0.5})])
def test_ratios_of_the_reference(model, word, given):
    law, p = coded(FRICTION_LAWS, word, **given)
    for speed, ratio in RATIOS[model]:
        for v, sign in ((speed, -1.0), (-speed, 1.0)):
            assert friction(law, p, 1.0, v, 0.0) == pytest.approx(sign*ratio, rel=1e-14, abs=1e-15)


def test_ratios_at_three_hundredths():
    told = {"ambrosio": 1/9, "tanh": 0.2685248, "step": 0.21825, "arctan": 0.5*2/math.pi*math.atan(0.6)}
    given = {"ambrosio": {"mu": 0.5, "v0": 0.01, "v1": 0.1}, "step": {"mu": 0.4, "mu_static": 0.5}}
    for word, ratio in told.items():
        law, p = coded(FRICTION_LAWS, word, **given.get(word, {"mu": 0.5}))
        assert friction(law, p, 2.0, 0.03, 0.0) == pytest.approx(-2.0*ratio, rel=2e-7 if word == "tanh" else 1e-15)


@given(st.floats(-0.3, 0.3), st.floats(0.05, 0.3), st.floats(0.0, 1.0))
def test_the_gathered_step_is_the_step(v, v_static, mu_static):
    """step(x, -v_s, -mu_s, v_s, mu_s) as it is written"""
    law, p = coded(FRICTION_LAWS, "step", mu=0.1, mu_static=mu_static, v_static=v_static, v_sliding=0.5)
    if abs(v) < v_static:
        literal = -mu_static + 2.0*mu_static*smooth_step((v + v_static)/(2.0*v_static))
        assert friction(law, p, 1.0, v, 0.0) == pytest.approx(-literal, abs=1e-15)


@given(words, normals, speeds, holds)
def test_friction_never_gives_energy(word, normal, v, hold):
    law, p = law_of(word)
    power = friction(law, p, normal, v, hold)*v
    if word == "karnopp" and rests(law, p, abs(v)):                   # it holds what it takes to be at rest
        assert power <= holding_force(law, p, normal)*p[2]
    else:
        assert power <= 0.0


@given(words, normals, st.tuples(speeds, speeds, speeds), st.tuples(holds, holds, holds))
def test_friction_in_space_never_gives_energy(word, normal, v, hold):
    law, p = law_of(word)
    force = friction_in_space(law, p, normal, v, hold)
    power = sum(f*u for f, u in zip(force, v))
    assert power <= (holding_force(law, p, normal)*p[2]*(1 + 1e-12) if rests(law, p, size(v)) else 0.0)


@given(words, normals, speeds, holds)
def test_odd_in_the_speed_and_what_holds(word, normal, v, hold):
    law, p = law_of(word)
    assert friction(law, p, normal, -v, -hold) == -friction(law, p, normal, v, hold)


@given(words, normals, speeds.filter(lambda v: v == 0.0 or abs(v) > 1e-100), holds, st.integers(0, 2))
def test_along_an_axis_space_is_the_line(word, normal, v, hold, axis):
    law, p = law_of(word)
    along = tuple(v*(i == axis) for i in range(3)), tuple(hold*(i == axis) for i in range(3))
    force = friction_in_space(law, p, normal, *along)
    assert force[axis] == pytest.approx(friction(law, p, normal, v, hold), rel=1e-14, abs=1e-300)
    assert [force[i] for i in range(3) if i != axis] == [0.0, 0.0]


@given(words, normals, st.tuples(speeds, speeds, speeds), st.floats(0.0, 6.3))
def test_friction_turns_with_the_slip(word, normal, v, angle):
    law, p = law_of(word)
    s, c = math.sin(angle), math.cos(angle)

    def turned(u):
        return c*u[0] - s*u[1], s*u[0] + c*u[1], u[2]

    if word == "karnopp" and abs(size(v) - p[2]) < 1e-9:
        return
    force = friction_in_space(law, p, normal, turned(v), (0.0, 0.0, 0.0))
    assert force == pytest.approx(turned(friction_in_space(law, p, normal, v, (0.0, 0.0, 0.0))), rel=1e-9, abs=1e-9)


@given(words, normals, speeds, holds)
def test_the_cone(word, normal, v, hold):
    law, p = law_of(word, **{name: 0.0 for name in ("viscosity",) if name in GIVEN[word]})
    most = max(GIVEN[word].get("mu", 0.0), GIVEN[word].get("mu_static", 0.0))*normal
    assert abs(friction(law, p, normal, v, hold)) <= most*(1 + 1e-15)


@every_law
def test_what_holds_a_point_at_rest(word):
    law, p = law_of(word)
    held = {"coulomb": 0.3, "coulomb-viscous": 0.3, "stiction": 0.4, "stribeck": 0.4, "karnopp": 0.4}.get(word, 0.0)
    assert holding_force(law, p, 100.0) == pytest.approx(100.0*held, rel=1e-15) and holding_force(law, p, -1.0) == 0.0
    for hold in (0.0, 12.0, -12.0, 35.0, 1e3, -1e3):
        expected = max(min(hold, 100.0*held), -100.0*held)
        assert friction(law, p, 100.0, 0.0, hold) == pytest.approx(expected, rel=1e-15)
        assert friction(law, p, -100.0, 0.0, hold) == 0.0
        force = friction_in_space(law, p, 100.0, (0.0, 0.0, 0.0), (0.6*hold, 0.8*hold, 0.0))
        assert force == pytest.approx((0.6*expected, 0.8*expected, 0.0), rel=1e-14)


@pytest.mark.parametrize("word", [word for word in GIVEN if word not in ("none", "viscous")])
def test_a_ground_that_pulls_pushes_along_the_slip(word):
    law, p = law_of(word, **{name: 0.0 for name in ("viscosity",) if name in GIVEN[word]})
    assert friction(law, p, -10.0, 0.3, 0.0) == -friction(law, p, 10.0, 0.3, 0.0) > 0.0


# ------------------------------------------------------------------------------------------------------------ kinks

@every_law
def test_kinks_are_where_they_are_told_and_nowhere_else(word):
    """Third differences are O(h^3) where f is smooth, else of the size of a jump of f, of h f' or of h^2 f''."""
    law, p = law_of(word, **{"exponent": 2.0} if word == "stribeck" else {})
    count, *at = kinks(law, p)
    told, h, rough = at[:count], 1e-5, 8e-11
    assert told == sorted(told) and at[count:] == [0.0]*(2 - count)
    v = np.arange(-100, 60001)*h                    # no gap anywhere; the other side is the same, the law being odd
    third = abs(np.diff([friction(law, p, 1.0, x, 0.0) for x in v.tolist()], 3))
    near = [abs(v[1:-2] + 0.5*h - s) < 3.0*h for s in told]
    assert all(third[around].max() > rough for around in near)
    assert third[~np.any([np.zeros(len(third), bool), *near], axis=0)].max() < rough


@pytest.mark.parametrize("word, order", [("ambrosio", 0), ("bengisu-akay", 0), ("step", 1)])
def test_these_have_no_jump(word, order):
    """Ambrosio and Bengisu & Akay are continuous, the step has a continuous slope too."""
    law, p = law_of(word)
    count, *at = kinks(law, p)
    for s in (0.0, *at[:count]):
        h = 1e-9
        jump = abs(sliding_force(law, p, 1.0, s + h) - sliding_force(law, p, 1.0, max(s - h, 0.0)))
        assert jump < 1e-7
        if order and s > 0.0:
            h = 1e-6
            right = sliding_force(law, p, 1.0, s + h) - sliding_force(law, p, 1.0, s)
            left = sliding_force(law, p, 1.0, s) - sliding_force(law, p, 1.0, s - h)
            assert abs(right - left)/h < 1e-3


# ----------------------------------------------------------------------------------------------------------- limits

@settings(max_examples=60)
@given(normals, speeds.filter(lambda v: abs(v) > 0.05), holds)
def test_laws_become_each_other(normal, v, hold):
    coulomb = friction(*coded(FRICTION_LAWS, "coulomb", mu=0.3), normal, v, hold)
    viscous = friction(*coded(FRICTION_LAWS, "viscous", viscosity=2.0), normal, v, hold)
    same = {"stiction": {"mu_static": 0.4}, "coulomb-viscous": {"viscosity": 0.0}, "ambrosio": {"v0": 0.0, "v1": 1e-9},
            "stribeck": {"mu_static": 0.3, "v_stribeck": 0.2}, "karnopp": {"mu_static": 0.4, "band": 1e-3},
            "bengisu-akay": {"mu_static": 0.3, "v0": 1e-3, "decay": 1.0}, "tanh": {"steepness": 1e3},
            "step": {"mu_static": 0.3, "v_static": 1e-3, "v_sliding": 1e-2}}
    for word, others in same.items():
        force = friction(*coded(FRICTION_LAWS, word, mu=0.3, **others), normal, v, hold)
        assert force == pytest.approx(coulomb, rel=1e-14), word
    smooth = friction(*coded(FRICTION_LAWS, "arctan", mu=0.3, steepness=1e9), normal, v, hold)
    assert smooth == pytest.approx(coulomb, rel=2e-8)                   # 1 - 2/(pi a |v|)
    both = friction(*coded(FRICTION_LAWS, "coulomb-viscous", mu=0.3, viscosity=2.0), normal, v, hold)
    assert both == pytest.approx(coulomb + viscous, rel=1e-14)
    assert friction(NO_FRICTION, (0.0,)*NUMBERS, normal, v, hold) == 0.0


def test_the_peaks():
    """Stribeck starts at mu_static and has lost all but 1/e at v_stribeck; Bengisu & Akay and the step reach it."""
    law, p = law_of("stribeck", viscosity=0.0, exponent=2.0)
    assert law == STRIBECK and sliding_force(law, p, 1.0, 0.0) == 0.4
    assert sliding_force(law, p, 1.0, 0.2) == pytest.approx(0.3 + 0.1/math.e, rel=1e-15)
    for exponent in (0.5, 1.0, 1.4, 3.0):
        law, p = law_of("stribeck", viscosity=0.0, exponent=exponent)
        expected = 0.3 + 0.1*math.exp(-(0.35/0.2)**exponent)
        assert sliding_force(law, p, 1.0, 0.35) == pytest.approx(expected, rel=1e-15)
    law, p = law_of("bengisu-akay")
    assert law == BENGISU_AKAY and sliding_force(law, p, 1.0, 0.1) == 0.4
    assert sliding_force(law, p, 1.0, 0.05) == pytest.approx(-0.4/0.1**2*(0.05 - 0.1)**2 + 0.4, rel=1e-15)
    assert sliding_force(law, p, 1.0, 0.6) == pytest.approx(0.3 + 0.1*math.exp(-1.5), rel=1e-15)
    law, p = law_of("step")
    assert law == STEP and sliding_force(law, p, 1.0, 0.1) == 0.4 and sliding_force(law, p, 1.0, 0.5) == 0.3
    law, p = law_of("ambrosio")
    assert law == AMBROSIO and [sliding_force(law, p, 1.0, s) for s in (0.0, 0.02, 0.1, 3.0)] == [0.0, 0.0, 0.3, 0.3]
    assert sliding_force(law, p, 1.0, 0.06) == pytest.approx(0.15, rel=1e-15)


def test_karnopp_rests_in_its_band():
    law, p = law_of("karnopp")
    assert law == KARNOPP and [rests(law, p, s) for s in (0.0, 0.04999, 0.05)] == [True, True, False]
    assert friction(law, p, 100.0, 0.04, -7.0) == -7.0
    assert friction(law, p, 100.0, 0.05, -7.0) == pytest.approx(-30.025, rel=1e-15)


# ------------------------------------------------------------------------------------------------------------ words

def test_words_become_numbers():
    assert coded(FRICTION_LAWS, "ambrosio", mu=0.1) == (AMBROSIO, (0.1, 1e-4, 1e-3, 0.0, 0.0))
    assert coded(FRICTION_LAWS, "stiction", mu_static=0.2, mu=0.1) == (STICTION, (0.1, 0.2, 0.0, 0.0, 0.0))
    assert coded(FRICTION_LAWS, "none") == (NO_FRICTION, (0.0,)*NUMBERS)
    assert {COULOMB, COULOMB_VISCOUS, VISCOUS} == {law_of(w)[0] for w in ("coulomb", "coulomb-viscous", "viscous")}


@pytest.mark.parametrize("word, given, says", [
    ("sticky", {}, '"sticky" is not known; choose from none, ambrosio'),
    ("none", {"mu": 0.1}, '"none" has no mu; it takes no numbers'),
    ("coulomb", {}, 'mu of "coulomb" is missing'),
    ("coulomb", {"mu": -0.1}, 'mu of "coulomb" must be at least 0, got -0.1'),
    ("ambrosio", {"mu": 0.1, "v0": 1e-2}, '"ambrosio" needs v0 below v1, got 0.01 and 0.001'),
    ("stribeck", {"mu": 0.1, "mu_static": 0.2, "v_stribeck": 0.0}, "v_stribeck .* above 0 m/s, got 0"),
])
def test_mistakes_are_told(word, given, says):
    with pytest.raises(ModelError, match=says):
        coded(FRICTION_LAWS, word, **given)
