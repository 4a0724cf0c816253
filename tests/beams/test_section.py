"""A beam's words: what they make, what is refused and how."""

import msgspec
import pytest
from hypothesis import given

from beams.common import STEEL, beams
from fastdyn import ModelError
from fastdyn.beams import Beam

GOOD = {"length": 1.0, "E": 2e11, "G": 7.7e10, "A": 3.75e-4, "I": 4.883e-9, "mu": 1.0}
BLOCK = {"length": 1.0, "width": 0.1, "height": 0.1, "E": 1e9, "rho": 1000.0}


def test_a_rectangle_is_not_rounded():
    assert (STEEL.A, STEEL.I, STEEL.G) == (0.03*0.0125, 0.03*0.0125**3/12, 2e11/2.6)
    assert STEEL.bending_stiffness == 2e11*STEEL.I
    assert STEEL.shear_stiffness == pytest.approx(2e11/2.6*3.75e-4*5/6, rel=1e-15, abs=0)


def test_density_and_mass_per_length_say_the_same():
    by_rho = Beam.rectangle(length=2.0, width=0.1, height=0.2, E=1e9, nu=0.0, rho=500.0)
    by_mu = Beam.rectangle(length=2.0, width=0.1, height=0.2, E=1e9, nu=0.0, mu=500.0*by_rho.A)
    assert by_rho.mass_per_length == by_mu.mass_per_length
    assert by_rho.rotary_inertia == pytest.approx(500.0*0.1*0.2**3/12, rel=1e-15, abs=0)


def test_spin_inertia_is_that_of_the_modes_unless_given():
    assert STEEL.spin_inertia == STEEL.rotary_inertia == pytest.approx(STEEL.I/STEEL.A, rel=1e-15, abs=0)
    assert Beam(**GOOD, J33=2.9473e-5).spin_inertia == 2.9473e-5
    assert Beam(**GOOD, J33=0.0).spin_inertia == 0.0


@given(beams())
def test_a_beam_survives_being_written(beam):
    assert msgspec.json.decode(msgspec.json.encode(beam), type=Beam) == beam


@pytest.mark.parametrize("field", ["length", "E", "G", "A", "I", "k", "mu"])
@pytest.mark.parametrize("value", [0.0, -1.0, float("nan"), float("inf"), "1", True])
def test_what_has_to_be_positive_is(field, value):
    with pytest.raises(ModelError, match=rf"^beam\.{field} is .*; give (a |an |{field} > 0$)"):
        Beam(**{**GOOD, field: value})


@pytest.mark.parametrize("field", ["J33", "K_v", "gamma"])
def test_what_may_be_zero_may_not_be_negative(field):
    assert getattr(Beam(**GOOD, **{field: 0}), field) == 0.0
    with pytest.raises(ModelError, match=rf"^beam\.{field} is -1 .*; give {field} >= 0"):
        Beam(**GOOD, **{field: -1.0})


@pytest.mark.parametrize("field", ["length", "E", "G", "A", "I", "k", "mu", "J33", "K_v", "gamma"])
@pytest.mark.parametrize("value", [1e-41, 1e41, 5e-324])
def test_numbers_nobody_means_are_refused_before_they_overflow(field, value):
    with pytest.raises(ModelError, match=rf"^beam\.{field} is .*; give a number between 1e-40 and 1e40"):
        Beam(**{**GOOD, field: value})


@pytest.mark.parametrize("words, said", [
    ({"rho": 7850.0}, "beam.rho and beam.mu are both given"), ({"mu": None}, "beam.rho and beam.mu are both missing"),
    ({"K_v": None}, "beam.K_v is None; give a number in Pa s"),
])
def test_mass_is_said_once(words, said):
    with pytest.raises(ModelError, match=said):
        Beam(**{**GOOD, **words})


@pytest.mark.parametrize("words, said", [
    ({"nu": 0.6}, "beam.nu is 0.6; give Poisson's ratio"), ({"nu": -1.0}, "beam.nu is -1"),
    ({"nu": 0.3, "G": 1e9}, "beam.nu and beam.G are both given"), ({"width": 0.0}, "beam.width is 0 m"),
    ({"height": -1.0}, "beam.height is -1 m"),
])
def test_a_rectangle_names_its_own_fields(words, said):
    with pytest.raises(ModelError, match=said):
        Beam.rectangle(**{**BLOCK, **words})


def test_shear_without_a_shear_modulus_says_what_helps():
    beam = Beam(**{**GOOD, "G": None})
    with pytest.raises(ModelError, match=r'beam\.G is missing but the beam is sheared; .*"euler-bernoulli"'):
        _ = beam.shear_stiffness
