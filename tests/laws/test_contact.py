"""Normal laws: their damping factors, forces, energies; what the ground may take and never gives."""

import json
import math
from pathlib import Path

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from fastdyn.algebra.power import accurate_power
from fastdyn.laws.contact import (
    FLORES, GHARIB_HURMUZLU, HERBERT_MCWHANNELL, HERTZ, HU_GUO, HUNT_CROSSLEY, LANKARANI_NIKRAVESH, LEE_WANG,
    NORMAL_LAWS, SLOWEST, clamp_gap, damping_factor, depth_power, dissipated_power, normal_force, stored_energy)
from fastdyn.laws.words import coded
from fastdyn.status import ModelError

pytestmark = pytest.mark.kernels
REFERENCE = Path(__file__).parents[1]/"reference"/"elastic_chain"
CLOSED = json.loads((REFERENCE/"closed_forms.json").read_text())
laws = st.sampled_from([law.code for law in NORMAL_LAWS.values()])
restitutions, touches = st.floats(0.05, 1.0), st.floats(1e-3, 10.0)
depths, rates, exponents = st.floats(1e-9, 0.1), st.floats(-30.0, 10.0), st.sampled_from([1.0, 1.2, 1.5, 2.0])


def numbers(restitution, exponent=1.5, clamp=0.0, stiffness=140e6):
    return stiffness, exponent, restitution, SLOWEST, clamp


@pytest.mark.parametrize("name, row", CLOSED["rebound"]["rows"].items())
def test_damping_factors_of_the_reference(name, row):
    law, restitution = name.split("_")
    assert damping_factor(NORMAL_LAWS[law].code, float(restitution)) == pytest.approx(row["c"], rel=1e-15, abs=1e-16)


@pytest.mark.parametrize("law", [law for law in NORMAL_LAWS if law != "gharib-hurmuzlu"])
def test_full_restitution_is_hertz(law):
    assert damping_factor(NORMAL_LAWS[law].code, 1.0) == 0.0


@given(st.floats(1e-9, 1e-4))
def test_laws_near_full_restitution_are_one_law_or_its_half(loss):
    """All but Lee & Wang, Flores et al. and Gharib & Hurmuzlu tend to 3(1 - cr)/2"""
    first = 1.5*loss
    for law in (HUNT_CROSSLEY, HERBERT_MCWHANNELL, LANKARANI_NIKRAVESH, HU_GUO):
        assert damping_factor(law, 1.0 - loss)/first == pytest.approx(1.0, rel=2*loss + 1e-6)
    assert damping_factor(LEE_WANG, 1.0 - loss)/first == pytest.approx(0.5, rel=1e-6)
    assert damping_factor(FLORES, 1.0 - loss)/first == pytest.approx(16/15, rel=2*loss + 1e-6)


@given(laws, restitutions, restitutions)
def test_less_restitution_is_more_damping(law, a, b):
    low, high = sorted((a, b))
    assert damping_factor(law, low) >= damping_factor(law, high) >= 0.0


@given(depths)
def test_three_halves_are_a_root(d):
    assert depth_power(d, 1.5) == d*math.sqrt(d)
    assert depth_power(d, 1.0) == d
    assert depth_power(d, 1.3) == accurate_power(d, 1.3)
    assert depth_power(d, 1.5) == pytest.approx(accurate_power(d, 1.5), rel=4e-16)


@given(laws, restitutions, touches, rates, exponents)
def test_outside_there_is_nothing(law, restitution, touch, rate, n):
    for d in (0.0, -0.0, -1e-3):
        p = numbers(restitution, n)
        assert normal_force(law, p, d, rate, touch) == 0.0 == dissipated_power(law, p, d, rate, touch)
        assert stored_energy(p, d) == 0.0


@given(laws, restitutions, touches, depths, rates, exponents, st.sampled_from([0.0, 1.0]))
@example(HU_GUO, 0.05, 1e-3, 1e-3, -30.0, 1.5, 1.0)
@example(GHARIB_HURMUZLU, 0.05, 1e-3, 1e-3, -30.0, 1.5, 0.0)
def test_power_in_is_stored_or_lost_and_never_made(law, restitution, touch, d, rate, n, clamp):
    p = numbers(restitution, n, clamp)
    force, lost = normal_force(law, p, d, rate, touch), dissipated_power(law, p, d, rate, touch)
    elastic = normal_force(HERTZ, p, d, 0.0, touch)
    assert lost >= 0.0
    assert force*rate == pytest.approx(elastic*rate + lost, rel=1e-12, abs=1e-14*abs(force*rate) + 4e-16*lost)
    assert force >= 0.0 or not clamp
    h = 1e-4*d
    slope = (stored_energy(p, d + h) - stored_energy(p, d - h))/(2.0*h)
    assert slope == pytest.approx(elastic, rel=1e-7)


@given(laws, restitutions, touches, depths, rates)
def test_the_clamp_only_keeps_the_ground_from_pulling(law, restitution, touch, d, rate):
    free = normal_force(law, numbers(restitution), d, rate, touch)
    assert normal_force(law, numbers(restitution, clamp=1.0), d, rate, touch) == max(free, 0.0)


@given(laws, restitutions, touches, depths, rates)
def test_the_clamp_has_a_function_that_is_negative_where_it_holds(law, restitution, touch, d, rate):
    force = normal_force(law, numbers(restitution), d, rate, touch)
    side = clamp_gap(law, numbers(restitution, clamp=1.0), rate, touch)
    assert (force < 0.0) == (side < 0.0) and clamp_gap(law, numbers(restitution), rate, touch) == 1.0


def test_the_ground_pulls_only_beyond_a_speed_of_its_own():
    """Hu & Guo at 0.8: c = 0.375, so faster than 2.67 times the impact"""
    p = numbers(0.8)
    below, above = (normal_force(HU_GUO, p, 1e-3, -speed/0.375, 1.0) for speed in (0.9999999, 1.0000001))
    assert below > 0.0 > above
    clamped = numbers(0.8, clamp=1.0)
    assert normal_force(HU_GUO, clamped, 1e-3, -3.0, 1.0) == 0.0
    lost = dissipated_power(HU_GUO, clamped, 1e-3, -3.0, 1.0)     # what was stored is lost as the ground comes back
    assert lost == pytest.approx(3.0*140e6*1e-3**1.5, rel=1e-14)


@given(laws, restitutions, st.floats(0.0, SLOWEST), depths, rates)
def test_slow_impacts_are_damped_as_if_at_the_floor(law, restitution, touch, d, rate):
    p = numbers(restitution)
    at_floor = normal_force(law, p, d, rate, SLOWEST)
    assert normal_force(law, p, d, rate, touch) == at_floor and math.isfinite(at_floor)
    assert normal_force(law, p, d, rate, -touch) == at_floor


def test_peaks_of_a_falling_chain():
    """Without damping the force is largest where the depth is, K d^(3/2); with damping it is larger than that there"""
    reference = json.loads((REFERENCE/"laws_ss-ss-ss_peaks.json").read_text())
    for name, contacts in reference["contacts"].items():
        law, p = coded(NORMAL_LAWS, name, stiffness=reference["ground"]["K"], restitution=reference["ground"]["cr"])
        for contact in contacts:
            still = normal_force(law, p, contact["dmax"], 0.0, contact["vn"])
            exact = name == "hertz"
            assert still == pytest.approx(contact["Fmax"], rel=1e-10) if exact else still < contact["Fmax"]


@pytest.mark.parametrize("word", NORMAL_LAWS)
def test_restitutions_go_down_to_where_a_rebound_is_lost_in_rounding(word):
    """c is never beyond 1e9; a law whose c stays small takes any restitution."""
    least = {p.name: p.least for p in NORMAL_LAWS[word].parameters}["restitution"]
    law, p = coded(NORMAL_LAWS, word, stiffness=1.0, restitution=least or 1e-300)
    assert damping_factor(law, p[2]) == pytest.approx(1e9, rel=1e-6) if least else damping_factor(law, p[2]) < 2.0


def test_words_become_numbers():
    assert coded(NORMAL_LAWS, "hu-guo", stiffness=1e6, restitution=0.7) == (HU_GUO, (1e6, 1.5, 0.7, SLOWEST, 0.0))
    assert coded(NORMAL_LAWS, "hertz", stiffness=1e6) == (HERTZ, (1e6, 1.5, 1.0, SLOWEST, 0.0))
    assert sorted(law.code for law in NORMAL_LAWS.values()) == list(range(8))
    assert LANKARANI_NIKRAVESH == NORMAL_LAWS["lankarani-nikravesh"].code


@pytest.mark.parametrize("word, given, says", [
    ("hunt", {}, '"hunt" is not known; choose from hertz, hunt-crossley'),
    ("hertz", {}, 'stiffness of "hertz" is missing'),
    ("hertz", {"stiffness": 1.0, "mass": 2.0}, '"hertz" has no mass; it takes stiffness'),
    ("flores", {"stiffness": 1.0, "restitution": 0.0}, "restitution .* above 0 and at most 1, got 0"),
    ("flores", {"stiffness": 1.0, "restitution": 1.2}, "restitution .* above 0 and at most 1, got 1.2"),
    ("hu-guo", {"stiffness": 1.0, "restitution": 1e-300}, "restitution .* at least 1.5e-09, got 1e-300: the ground"),
    ("flores", {"stiffness": 1.0, "restitution": 1.5e-9}, "restitution .* at least 1.6e-09"),
    ("gharib-hurmuzlu", {"stiffness": 1.0, "restitution": 9e-10}, "restitution .* at least 1e-09"),
    ("hertz", {"stiffness": 1.0, "exponent": 0.0}, "exponent .* above 0, got 0"),
    ("hertz", {"stiffness": 1.0, "exponent": 0.01}, "exponent .* at least 0.1, got 0.01: the force would jump"),
    ("flores", {"stiffness": -1.0, "restitution": 0.5}, "stiffness .* above 0 N/m.exponent, got -1"),
    ("flores", {"stiffness": math.inf, "restitution": 0.5}, "stiffness .* got inf"),
    ("flores", {"stiffness": math.nan, "restitution": 0.5}, "stiffness .* got nan"),
    ("flores", {"stiffness": "hard", "restitution": 0.5}, "stiffness .* must be a number, got 'hard'"),
])
def test_mistakes_are_told(word, given, says):
    with pytest.raises(ModelError, match=f"floor: .*{says}|floor: {says}"):
        coded(NORMAL_LAWS, word, "floor", **given)
