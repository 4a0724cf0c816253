"""Bars that become longer: modes in closed form against their energies, shapes of one's own against exact integrals."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from beams.common import STEEL, beams
from fastdyn import ModelError
from fastdyn.beams import AxialMode, AxialPolynomial, axial_modes, integrals, modes

EVERY = st.sampled_from(["cc", "cf", "fc", "ff"])


@given(beams(), EVERY)
def test_axial_modes_are_orthogonal_and_their_energies_give_their_frequencies(beam, ends):
    found_modes = axial_modes(beam, ends, 4)
    found, omega = integrals(beam, found_modes), np.array([m.omega for m in found_modes])
    size = np.sqrt(np.outer(np.diag(found.C), np.diag(found.C)))
    np.testing.assert_allclose(found.C/size, np.eye(4), rtol=0, atol=1e-13)
    np.testing.assert_allclose(found.K/size/np.outer(omega, omega), np.eye(4), rtol=0, atol=1e-12)
    assert not (found.a.any() or found.c.any() or found.S.any() or found.B.any() or found.W_l.any())


@given(beams(), EVERY, st.integers(1, 5))
def test_ends_are_held_or_free_of_force(beam, ends, order):
    mode, wave = AxialMode(beam, ends, order), order*np.pi/beam.length
    for end, eta in zip(ends, (0.0, beam.length)):
        assert abs(mode.U(eta) if end == "c" else mode.dU(eta)/wave) < 1e-14
    assert mode.omega == pytest.approx(mode.wave*np.sqrt(beam.E*beam.A/beam.mass_per_length), rel=1e-15)
    assert np.max(np.abs(mode.U(np.linspace(0, beam.length, 60*order + 1)))) == pytest.approx(1.0, abs=1e-3)


def test_sines_across_and_parabolas_along():
    """By hand: xi = eta/l, W = sin(k pi xi), U = 4 xi - 4 xi^2 and 2 xi^2 - xi."""
    l, mu, pi = STEEL.length, STEEL.mass_per_length, np.pi
    shapes = modes(STEEL, "ss", 2, "euler-bernoulli") + (
        AxialPolynomial(length=l, U=(0, 4, -4)), AxialPolynomial(length=l, U=(0, -1, 2)))
    found, m = integrals(STEEL, shapes), mu*l
    assert found.b == pytest.approx([0, 0, 2*m/3, m/6], abs=1e-15*m)
    assert found.d == pytest.approx([0, 0, m*l/3, m*l/6], abs=1e-15*m)
    assert found.a == pytest.approx([2*m/pi, 0, 0, 0], abs=1e-14*m)
    assert found.U_l == pytest.approx([0, 0, 0, 1]) and found.W_l == pytest.approx([0]*4, abs=1e-14)
    B = np.zeros((4, 4))
    B[2:, :2] = [[16/pi**3, 0], [1/pi - 8/pi**3, -0.5/pi]]
    np.testing.assert_allclose(found.B, m*(B - B.T), rtol=0, atol=1e-14*m)
    np.testing.assert_allclose(found.C, m*np.array(
        [[0.5, 0, 0, 0], [0, 0.5, 0, 0], [0, 0, 8/15, 1/15], [0, 0, 1/15, 2/15]]), rtol=0, atol=1e-14*m)
    stiff = STEEL.E*STEEL.A/l
    np.testing.assert_allclose(found.K[2:, 2:], stiff*np.array([[16, -8], [-8, 7]])/3, rtol=1e-14)
    assert not found.K[:2, 2:].any()
    np.testing.assert_allclose(found.D[2:, 2:], STEEL.K_v/STEEL.E*found.K[2:, 2:], rtol=1e-13)


@pytest.mark.parametrize("ask, said", [
    (lambda: axial_modes(STEEL, "sf", 1), "ends is 'sf'; give two letters such as \"cf\""),
    (lambda: axial_modes(STEEL, "cf", -1), "number is -1; give a whole number of modes, 0 or more"),
    (lambda: axial_modes(3, "cf", 1), "beam is 3; give a Beam"),
    (lambda: AxialPolynomial(length=1.0, U=(0, 0)), "U has no coefficient that is not 0"),
])
def test_refusals(ask, said):
    with pytest.raises(ModelError, match=said):
        ask()
