"""Modes of one's own: polynomials exactly, samples to the order of their splines, supports checked."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from beams.common import ALL_ENDS, STEEL, beams, every_ends
from fastdyn import ModelError
from fastdyn.beams import PolynomialMode, SampledMode, integrals, mode

ASKED = ("W", "dW", "ddW", "Theta", "dTheta")
numbers = st.floats(-2.0, 2.0).filter(lambda x: abs(x) > 1e-3)
CANTILEVER = {"W": (0.0, 0.0, 1.0), "ends": "cf"}


@given(st.lists(numbers, min_size=1, max_size=9), st.floats(0.1, 10.0), st.floats(0.0, 1.0))
def test_a_polynomial_and_its_derivatives(row, length, xi):
    m, poly = PolynomialMode(length=length, W=row, ends="ff"), np.polynomial.Polynomial(row)
    eta = xi*length
    for name, times in zip(ASKED, (0, 1, 2, 1, 2)):
        known = (poly.deriv(times) if times else poly)(eta/length)/length**times
        assert float(getattr(m, name)(eta)) == pytest.approx(known, rel=1e-12, abs=1e-11/length**times)
    assert m.Gamma(eta) == 0.0


def test_a_turn_of_its_own_is_sheared():
    m = PolynomialMode(length=2.0, W=(0.0, 1.0, 0.5), Theta=(0.0, 0.25), ends="cf")
    assert (m.Theta(1.0), m.dTheta(1.0), m.dW(1.0)) == (0.125, 0.125, 0.75)
    assert m.Gamma(1.0) == 0.625


@given(beams(), st.lists(numbers, min_size=1, max_size=4))
def test_no_polynomial_vibrates_slower_than_the_first_mode(beam, row):
    """Rayleigh: energies of any shape that keeps the supports bound the lowest frequency from above."""
    shape = PolynomialMode(length=beam.length, W=[0.0, 0.0, *row], ends="cf")
    found = integrals(beam, [shape])
    quotient = found.K[0, 0]/(found.C[0, 0] + beam.rotary_inertia*found.theta_theta[0, 0])
    assert quotient >= mode(beam, "cf", 1).omega**2


def test_the_static_shape_comes_near_the_first_mode():
    shape = PolynomialMode(length=1.0, W=(0.0, 0.0, 2.0, -4/3, 1/3), ends="cf")         # under its own weight
    found = integrals(STEEL, [shape])
    omega = mode(STEEL, "cf", 1, "euler-bernoulli").omega
    assert np.sqrt(found.K/found.C)[0, 0] == pytest.approx(omega, rel=5e-3, abs=0)


@given(every_ends, st.integers(1, 3), st.sampled_from(["timoshenko", "euler-bernoulli"]))
def test_samples_give_the_mode_back(ends, order, theory):
    m, eta = mode(STEEL, ends, order, theory), np.linspace(0.0, 1.0, 2001)
    errors = {}
    for n in (41, 81):
        x = np.linspace(0.0, 1.0, n)
        turned = {} if theory == "euler-bernoulli" else {"Theta": _clean(m.Theta(x))}
        s = SampledMode(eta=x, W=_clean(m.W(x)), ends=ends, **turned)
        errors[n] = np.array([np.max(np.abs(getattr(s, name)(eta) - getattr(m, name)(eta))) for name in ASKED])
    size = m.alpha**np.array([0, 1, 2, 1, 2])
    assert np.all(errors[41] < [2e-5, 2e-4, 4e-3, 2e-4, 4e-3]*size)
    assert np.all(errors[81] < errors[41]/8 + 1e-12*size)


def _clean(values):
    """Rounding at supports set to zero, as people write them."""
    return np.where(np.abs(values) < 1e-12*np.max(np.abs(values)), 0.0, values)


@given(st.lists(numbers, min_size=3, max_size=6), st.floats(0.1, 10.0))
def test_a_polynomial_of_low_degree_and_its_samples_are_one(row, length):
    m = PolynomialMode(length=length, W=row, ends="ff")
    x = length*np.array([0.0, 0.11, 0.3, 0.42, 0.5, 0.77, 0.9, 1.0])
    s = SampledMode(eta=x, W=m.W(x), ends="ff")
    eta = np.linspace(0.0, length, 50)
    for name, times in zip(ASKED, (0, 1, 2, 1, 2)):
        np.testing.assert_allclose(getattr(s, name)(eta), getattr(m, name)(eta), rtol=0, atol=1e-9/length**times)


@pytest.mark.parametrize("ends", [ends for ends in ALL_ENDS if set(ends) & set("cg")])
def test_a_held_slope_is_kept_exactly_between_samples(ends):
    m, x = mode(STEEL, ends, 1, "euler-bernoulli"), np.linspace(0.0, 1.0, 9)
    s = SampledMode(eta=x, W=_clean(m.W(x)), ends=ends)
    for end, eta in zip(ends, (0.0, 1.0)):
        if end in "cg":
            assert abs(s.Theta(eta)) < 1e-13


def sampled(**words):
    x = np.linspace(0.0, 1.0, 7)
    return SampledMode(**{"eta": x, "W": x**2, "ends": "cf", **words})


@pytest.mark.parametrize("call, said", [
    (lambda: PolynomialMode(length=0.0, **CANTILEVER), "length is 0 m"),
    (lambda: PolynomialMode(length=1.0, W=(0.0, 0.0), ends="cf"), "W is 0 everywhere"),
    (lambda: PolynomialMode(length=1.0, W=(), ends="cf"), "no coefficients"),
    (lambda: PolynomialMode(length=1.0, W=(0.0, np.nan), ends="cf"), r"W\[1\] is nan"),
    (lambda: PolynomialMode(length=1.0, W=(0.0, 0.0, 1.0), ends="cc"), 'polynomial mode: W is 1 at eta = 1 m.*"cc"'),
    (lambda: PolynomialMode(length=1.0, W=(0.0, 1.0), ends="cf"), "polynomial mode: Theta is 1 at eta = 0 m"),
    (lambda: PolynomialMode(length=1.0, W=(1.0,), ends="sf"), "polynomial mode: W is 1 at eta = 0 m"),
    (lambda: PolynomialMode(length=1.0, W=(0.0, 1.0), ends="free"), "ends is 'free'; give two letters"),
    (lambda: sampled(eta=np.linspace(0.1, 1.0, 7)), "eta starts at 0.1 m; start at 0"),
    (lambda: sampled(eta=[0.0, 0.2, 0.1, 0.3, 0.4, 0.5, 1.0]),
     r"eta\[2\] is 0.1 m and eta\[1\] 0.2 m; sort the places, each once"),
    (lambda: sampled(eta=np.linspace(0.0, 1.0, 5), W=np.ones(5)), "eta has 5 places; give six or more"),
    (lambda: sampled(W=np.ones(6)), "give 7 numbers"), (lambda: sampled(W=np.zeros(7)), "W is 0 everywhere"),
    (lambda: sampled(ends="cs"), "sampled mode: W is 1 at eta = 1 m"),
    (lambda: sampled(Theta=np.ones(7)), "sampled mode: Theta is 1 at eta = 0 m"),
])
def test_refusals_say_what_helps(call, said):
    with pytest.raises(ModelError, match=said):
        call()
