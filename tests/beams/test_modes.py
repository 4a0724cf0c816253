"""Modes obey their equations and ends, none is missing, limits and known numbers come out."""

import math
import subprocess
import sys
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.polynomial import chebyshev

from beams.common import ALL_ENDS, STEEL, TABLE_STEEL, TABLES, beams, every_ends, stout
from fastdyn import ModelError
from fastdyn.beams import Beam, count_below, cut_off_frequency, mode, modes, rigid_motions
from fastdyn.beams.spectrum import root

theories = st.sampled_from(["timoshenko", "euler-bernoulli"])
orders = st.integers(1, 4)
HARD = [(s, r) for s in (1e-8, 1e-4, 0.01, 0.3, 2.0, 900.0) for r in (1e-8, 1e-4, 0.01, 0.2)]


def sizes(m, eta=None):
    """Largest W, Theta, moment and shear strain of a wave of this mode."""
    grid = np.linspace(0.0, m.length, 400)
    turn = np.max(np.abs(m.Theta(grid)))
    return 1.0, turn, m.alpha*turn + m.alpha**2*m.turn[0], max(m.alpha, turn)


def derivative_error(f, df, length, panels):
    """Largest difference of df from the slope of a fine interpolant of f, over df's largest value."""
    worst, largest = 0.0, 0.0
    for i in range(panels):
        mid, half = length*(i + 0.5)/panels, 0.5*length/panels
        slope = chebyshev.chebder(chebyshev.chebinterpolate(lambda x, mid=mid, half=half: f(mid + half*x), 22))/half
        x = np.linspace(-0.9, 0.9, 7)
        exact = df(mid + half*x)
        worst = max(worst, np.max(np.abs(chebyshev.chebval(x, slope) - exact)))
        largest = max(largest, np.max(np.abs(exact)))
    return worst/largest


def check_ends(m, tolerance):
    W, turn, moment, strain = sizes(m)
    for end, eta in zip(m.ends, (0.0, m.length)):
        if end in "sc":
            assert abs(m.W(eta)) < tolerance*W
        if end in "cg":
            assert abs(m.Theta(eta)) < tolerance*turn + 1e-15*m.alpha        # soft in shear: Theta far below W'
        if end in "sf":
            assert abs(m.dTheta(eta)) < tolerance*moment
        if end in "fg":
            assert abs(m.Gamma(eta)) < tolerance*strain


@given(beams(), every_ends, orders, theories)
def test_equations_of_motion_hold_along_the_beam(beam, ends, order, theory):
    m = mode(beam, ends, order, theory)
    eta, EI, mu, square = np.linspace(0.0, m.length, 101), beam.bending_stiffness, beam.mass_per_length, m.omega**2
    sheared = theory == "timoshenko"
    R = beam.rotary_inertia if sheared else 0.0

    def force(eta):                                         # shear force, from the balance of moments
        return -(EI*theta_twice(eta) + R*square*m.Theta(eta))

    def theta_twice(eta):                                   # Theta'' of each part: Theta''/Theta = -alpha^2, beta^2
        circular, hyperbolic = m._slopes(eta)
        return m.turn[1]*m.beta**2*hyperbolic - m.turn[0]*m.alpha**2*circular

    size = mu*square*m.length
    if sheared:
        S = beam.shear_stiffness
        np.testing.assert_allclose(S*m.Gamma(eta), force(eta), rtol=0, atol=1e-11*size)
        np.testing.assert_allclose(S*(m.ddW(eta) - m.dTheta(eta)), -mu*square*m.W(eta), rtol=0,
                                   atol=1e-11*mu*square + 1e-13*S*m.alpha**2)
    else:
        assert np.array_equal(m.Theta(eta), m.dW(eta)) and not np.any(m.Gamma(eta))
    assert derivative_error(force, lambda eta: -mu*square*m.W(eta), m.length, m.panels) < 1e-9


@given(beams(), every_ends, orders, theories)
def test_derivatives_are_derivatives(beam, ends, order, theory):
    m = mode(beam, ends, order, theory)
    for f, df in ((m.W, m.dW), (m.dW, m.ddW), (m.Theta, m.dTheta)):
        assert derivative_error(f, df, m.length, m.panels) < 1e-10
    eta = np.linspace(0.0, m.length, 50)
    np.testing.assert_allclose(m.Gamma(eta), m.dW(eta) - m.Theta(eta), rtol=0, atol=1e-13*np.max(np.abs(m.dW(eta))))


@given(beams(), every_ends, orders, theories)
def test_ends_do_what_their_letters_say(beam, ends, order, theory):
    check_ends(mode(beam, ends, order, theory), 1e-12)


@pytest.mark.parametrize("s, r", HARD)
def test_blocks_of_any_softness_down_to_the_cut_off(s, r):
    """All modes up to order 20 exist or are refused, and as many as counted are below the cut-off."""
    beam = stout(s, r)
    for ends in ALL_ENDS:
        below = count_below(beam, ends, cut_off_frequency(beam)*(1 - 1e-9)) - len(rigid_motions(ends))
        for order in {1, 2, 3, 20, below, below + 1} - {0, -1}:
            if order > 200:
                continue
            if order > below:
                with pytest.raises(ModelError, match=f"mode {order} .* above the cut-off .*; {max(below, 0)} mode"):
                    mode(beam, ends, order)
            else:
                m = mode(beam, ends, order)
                assert 0 < m.omega < cut_off_frequency(beam) and m.beta > 0
                check_ends(m, 1e-12)


@given(beams(), every_ends, theories)
def test_none_is_missed(beam, ends, theory):
    """Between two neighbours the count is one more, and rigid motions are counted first."""
    found = modes(beam, ends, 4, theory)
    rigid = len(rigid_motions(ends))
    assert count_below(beam, ends, 0.99*found[0].omega, theory) == rigid
    for j, (m, after) in enumerate(pairwise(found), 1):
        assert m.omega < after.omega
        assert count_below(beam, ends, (m.omega + after.omega)/2, theory) == rigid + j


@pytest.mark.parametrize("ends", ALL_ENDS)
def test_a_mode_has_a_node_more_than_the_one_below(ends):
    """Sturm: mode n, rigid ones counted, crosses zero n - 1 times between the ends: a count that knows no frequency."""
    eta = np.linspace(1.23e-4, 1 - 0.97e-4, 40001)            # misses nodes by symmetry
    for theory in ("timoshenko", "euler-bernoulli"):
        for m in modes(STEEL, ends, 50, theory):
            signs = np.sign(m.W(eta))
            assert np.sum(signs[1:] != signs[:-1]) == m.order + len(rigid_motions(ends)) - 1, m.order


@given(beams(), st.sampled_from("scfg"), orders, theories, st.floats(0.3, 20.0))
def test_holding_an_end_raises_frequencies(beam, other, order, theory, factor):
    """Each condition imposed takes at most one mode from below any frequency: free < simply, guided < clamped."""
    omega = min(factor*mode(beam, "cf", order, theory).omega, 0.999*cut_off_frequency(beam, theory))
    count = {end: count_below(beam, end + other, omega*1.000123, theory) if omega < 0.99*cut_off_frequency(beam, theory)
             else count_below(beam, end + other, omega, theory) for end in "scfg"}
    for looser, tighter in ("fs", "fg", "sc", "gc"):
        assert 0 <= count[looser] - count[tighter] <= 1
    lowest = {end: _nth(beam, end + other, order + 2, theory) for end in "scfg"}
    for looser, tighter in ("fs", "fg", "sc", "gc"):
        assert lowest[looser] <= lowest[tighter]*(1 + 1e-13)


def _nth(beam, ends, n, theory):
    rigid = len(rigid_motions(ends))
    return 0.0 if n <= rigid else mode(beam, ends, n - rigid, theory).omega


@given(beams(), every_ends, orders, theories)
def test_shear_and_rotary_inertia_lower_frequencies(beam, ends, order, theory):
    assert mode(beam, ends, order).omega < mode(beam, ends, order, "euler-bernoulli").omega


@given(beams(), every_ends, orders, theories)
def test_size_and_sign(beam, ends, order, theory):
    m = mode(beam, ends, order, theory)
    top = np.max(np.abs(m.W(np.linspace(0.0, m.length, 20001))))
    assert 1 - 1e-6 < top <= 1 + 1e-14
    assert ends == "cs" or m.W(1e-3*m.length/order) > 0


@given(beams(), every_ends, orders, theories)
def test_a_beam_seen_from_its_other_end(beam, ends, order, theory):
    m, turned = mode(beam, ends, order, theory), mode(beam, ends[::-1], order, theory)
    eta = np.linspace(0.0, m.length, 33)
    assert m.omega == pytest.approx(turned.omega, rel=1e-14, abs=0)
    sign = 1.0 if ends in ("cs", "sc") else np.sign(m.W(0.321*m.length)*turned.W(0.679*m.length))
    np.testing.assert_allclose(turned.W(m.length - eta), sign*m.W(eta), rtol=0, atol=1e-11)
    np.testing.assert_allclose(turned.Theta(m.length - eta), -sign*m.Theta(eta), rtol=0, atol=1e-11*sizes(m)[1])


@given(beams(), every_ends, orders, theories, st.floats(0.01, 100.0))
def test_units_do_not_matter(beam, ends, order, theory, factor):
    """All lengths times a factor: frequencies over it, shapes the same. Stiffness times a factor: only faster."""
    m = mode(beam, ends, order, theory)
    same = {"k": beam.k, "rho": beam.rho}
    big = Beam(length=beam.length*factor, E=beam.E, G=beam.G, A=beam.A*factor**2, I=beam.I*factor**4, **same)
    hard = Beam(length=beam.length, E=beam.E*factor, G=beam.G*factor, A=beam.A, I=beam.I, **same)
    eta = np.linspace(0.0, 1.0, 9)*m.length
    for other, speed, scale in ((big, 1/factor, factor), (hard, math.sqrt(factor), 1.0)):
        n = mode(other, ends, order, theory)
        assert n.omega == pytest.approx(m.omega*speed, rel=1e-12, abs=0)
        np.testing.assert_allclose(n.W(eta*scale), m.W(eta), rtol=0, atol=1e-10)


# ---------------------------------------------------------------------------------------------------- known numbers

@pytest.mark.parametrize("ends, roots", [
    ("ss", [math.pi, 2*math.pi, 3*math.pi]), ("gg", [math.pi, 2*math.pi]), ("sg", [0.5*math.pi, 1.5*math.pi]),
    ("cc", [4.730040744862704, 7.853204624095838, 10.995607838001671]), ("ff", [4.730040744862704, 7.853204624095838]),
    ("sc", [3.926602312047919, 7.068582745628732, 10.210176122813031]), ("sf", [3.926602312047919, 7.068582745628732]),
    ("cf", [1.875104068711961, 4.694091132974174, 7.854757438237613]),
    ("cg", [2.365020372431352, 5.497803919000836]), ("fg", [2.365020372431352, 5.497803919000836]),
])
def test_euler_bernoulli_roots_of_the_books(ends, roots):
    for order, known in enumerate(roots, 1):
        m = mode(STEEL, ends, order, "euler-bernoulli")
        assert m.alpha == m.beta == pytest.approx(known, rel=1e-14, abs=0)
        assert m.omega == pytest.approx(known**2*math.sqrt(STEEL.bending_stiffness), rel=1e-14, abs=0)


@pytest.mark.parametrize("ends, omega", [("ss", 308.343528005), ("cc", 698.407767360), ("sc", 481.516614682),
                                         ("cs", 481.516614682)])
def test_frequencies_of_the_published_link(ends, omega):
    assert mode(STEEL, ends, 1).omega == pytest.approx(omega, abs=6e-10)


@pytest.mark.parametrize("beam, kind", [(STEEL, "exact"), (TABLE_STEEL, "own")])
@pytest.mark.parametrize("ends", ["ss", "cc", "sc", "cs", "cf"])
def test_reference_modes(beam, kind, ends):
    for known in TABLES[f"{ends}_{kind}"]["modes"]:
        m = mode(beam, ends, known["j"])
        for name in ("omega", "alpha", "beta"):
            assert getattr(m, name) == pytest.approx(known[name], rel=2e-15, abs=0)
        np.testing.assert_allclose(m.coefficients(), known["C_sin_cos_sinh_cosh"], rtol=0, atol=3e-15)
        values = [m.W(0.3), m.Theta(0.3), m.dW(0.0), m.Theta(0.0), m.W(1.0), m.dW(1.0), m.Theta(1.0)]
        names = ["dW_0", "Theta_0", "W_l", "dW_l", "Theta_l"]
        np.testing.assert_allclose(values, known["W_Theta_at_0p3"] + [known[name] for name in names], rtol=0,
                                   atol=1e-15*m.alpha**1.5 + 1e-14)


def test_reference_modes_of_a_link_of_another_length():
    known = TABLES["cc_own_l2.5"]
    data = {name: value for name, value in known["link"].items() if name not in ("bc", "l")}
    for i, m in enumerate(modes(Beam(length=2.5, **data), "cc", 3)):
        waves = [known[name][i] for name in ("omega", "alpha", "beta")]
        assert [m.omega, m.alpha, m.beta] == pytest.approx(waves, rel=2e-15, abs=0)
        assert [m.W(0.75), m.Theta(0.75)] == pytest.approx(known["W_Theta_at_0p75"][i], rel=2e-14, abs=0)


@given(every_ends, orders)
def test_without_shear_and_rotary_inertia_timoshenko_is_euler_bernoulli(ends, order):
    """The gap in frequency falls like both: by 100 where the section is ten times thinner."""
    gaps = []
    for height in (1e-2, 1e-3):
        beam = Beam.rectangle(length=1.0, width=0.01, height=height, E=7e10, nu=0.3, rho=2700.0)
        gaps.append(1 - mode(beam, ends, order).omega/mode(beam, ends, order, "euler-bernoulli").omega)
    assert gaps[0] == pytest.approx(100*gaps[1], rel=0.1, abs=0) and 0 < gaps[1] < 1e-3


@pytest.mark.parametrize("ends", ALL_ENDS)
def test_order_fifty_keeps_its_digits(ends):
    """Neither overflow nor cancellation: bounded everywhere, ends held, waves in the middle at their known place."""
    m = mode(STEEL, ends, 50, "euler-bernoulli")
    eta = np.linspace(0.0, 1.0, 5001)
    for f, size in ((m.W, 1.0), (m.dW, m.alpha), (m.ddW, m.alpha**2), (m.Theta, m.alpha), (m.dTheta, m.alpha**2)):
        assert np.all(np.abs(f(eta)) < 1.5*size)
    check_ends(m, 1e-12)
    shift = {"ss": 0, "gg": 0, "cc": 1/2, "ff": 1/2, "sg": -1/2, "sc": 1/4, "sf": 1/4, "cf": -1/2, "cg": -1/4,
             "fg": -1/4}
    shift |= {name[::-1]: value for name, value in shift.items()}
    assert m.alpha == pytest.approx((50 + shift[ends])*math.pi, rel=1e-15, abs=0)


@pytest.mark.parametrize("ends", ["ss", "cf", "gc"])
@pytest.mark.parametrize("theory", ["timoshenko", "euler-bernoulli"])
def test_order_five_hundred_does_not_overflow(ends, theory):
    """be l = 1570, and cosh overflows at 710; half a unit of the last place in alpha is a phase of 1e-13."""
    with np.errstate(all="raise", under="ignore"):
        m = mode(stout(1e-9, 1e-9), ends, 500, theory)
        eta = np.linspace(0.0, 1.0, 50001)
        assert 0.999 < np.max(np.abs(m.W(eta))) < 1 + 1e-12
        assert np.all(np.isfinite(m.dTheta(eta)))
    check_ends(m, 1e-12)


# --------------------------------------------------------------------------------------------------------- refusals

@pytest.mark.parametrize("call, said", [
    (lambda: mode(STEEL, "cx", 1), "ends is 'cx'; give two letters"), (lambda: mode(STEEL, "c", 1), "ends is 'c'"),
    (lambda: mode(STEEL, 3, 1), "ends is 3"),
    (lambda: mode(STEEL, "ff", 0), 'order is 0; .* for "ff": its translation and rotation as a rigid beam belong to'),
    (lambda: mode(STEEL, "sf", -1), 'order is -1; .* for "sf": its rotation'),
    (lambda: mode(STEEL, "ss", 1.0), "order is 1.0"), (lambda: mode(STEEL, "ss", True), "order is True"),
    (lambda: modes(STEEL, "ss", -1), "number is -1; give a whole number of modes"),
    (lambda: mode(STEEL, "ss", 10_001, "euler-bernoulli"), "order is 10001; give one up to 10000"),
    (lambda: mode(stout(1100.0, 1e-3), "sf", 1), r"beam: E I/\(k A G length\^2\) is 1100, all shear"),
    (lambda: root(1, "sf", 1e15, 1e-10), 'mode 1 of "sf" cannot be told from its neighbours'),
    (lambda: mode(STEEL, "ss", 1, "rayleigh"), 'theory is .*"timoshenko", "euler-bernoulli"'),
    (lambda: mode(None, "ss", 1), "beam is None; give a Beam"),
    (lambda: count_below(STEEL, "ss", 2e6), "omega is 2e.06 rad/s; give one above 0 and below the cut-off, 1.358"),
    (lambda: count_below(STEEL, "ss", 0.0), "omega is 0 rad/s"),
    (lambda: mode(Beam(length=1.0, E=1e9, A=1e-4, I=1e-9, mu=1.0), "ss", 1), "beam.G is missing"),
])
def test_refusals_say_what_helps(call, said):
    with pytest.raises(ModelError, match=said):
        call()


def test_the_cut_off_of_the_published_link():
    assert cut_off_frequency(STEEL) == pytest.approx(1.36e6, rel=5e-3, abs=0)
    assert cut_off_frequency(STEEL, "euler-bernoulli") == math.inf


def test_euler_bernoulli_needs_no_shear_modulus():
    assert mode(Beam(length=1.0, E=1e9, A=1e-4, I=1e-9, mu=1.0), "ss", 3, "euler-bernoulli").omega > 0


def test_modes_are_had_without_scipy():
    code = ("import sys; from fastdyn.beams import *; b = Beam(length=1, E=1e9, A=1e-4, I=1e-9, mu=1); "
            "integrals(b, modes(b, 'cf', 3, 'euler-bernoulli')); sys.exit('scipy' in sys.modules)")
    assert subprocess.run([sys.executable, "-c", code]).returncode == 0
