"""Schemes: their tables against numbers from elsewhere, orders, stability, and what is refused."""

import numpy as np
import pytest
from transfer.common import NAMES, chain_of, cases, oscillator, read

from fastdyn import ModelError
from fastdyn.transfer import schemes
from fastdyn.transfer.schemes import SCHEMES, alpha, hht, newmark, proposed, scheme_of, wilson

ORDERS = dict.fromkeys(SCHEMES, 2) | {"fox-euler": 1, "newmark-damped": 1, "proposed": 3}
SPECTRA = read("integrator_spectra")
every_scheme = pytest.mark.parametrize("name", SCHEMES)


def radius(phase, omega_dt, damping=0.0):
    return np.max(np.abs(np.linalg.eigvals(phase.amplification(omega_dt, damping))))


@every_scheme
def test_two_or_three_numbers_hold_the_past(name):
    """W A_full = A W: the reduced step is the step of the whole history."""
    for phase in SCHEMES[name].phases:
        W, A, B, O = phase.reduced
        transition, drop = phase.transition
        assert np.max(np.abs(A @ W - W @ transition)) < 1e-14
        assert np.max(np.abs(B - W @ drop)) < 1e-14
        assert np.max(np.abs(O @ W - phase.out)) < 1e-14
    assert len(SCHEMES[name].main.reduced[0]) in (2, 3)


@pytest.mark.parametrize("key, damping", [("rho_xi_0", 0.0), ("rho_xi_0.05", 0.05), ("rho_xi_0.3", 0.3)])
@pytest.mark.parametrize("theirs", NAMES)
def test_spectral_radii(theirs, key, damping):
    """Where two roots meet (omega T at the limit of stability) they are known to the root of the rounding."""
    phase = SCHEMES[NAMES[theirs]].main
    for omega_dt, rho in zip(SPECTRA["omega_dt"], SPECTRA[key][theirs]):
        double = theirs == "newmark_0" and omega_dt == 2.0
        assert radius(phase, omega_dt, damping) == pytest.approx(rho, abs=1e-7 if double else 1e-9*max(1.0, rho))


@pytest.mark.parametrize("theirs", NAMES)
def test_damping_and_period(theirs):
    for row in SPECTRA["principal"][theirs]:
        damping, period = schemes.errors(SCHEMES[NAMES[theirs]].main, 2.0*np.pi*row["dt_over_period"])
        assert damping == pytest.approx(row["damping_ratio"], abs=1e-9)
        assert period == pytest.approx(row["period_elongation"], abs=1e-9)


@every_scheme
def test_order(name):
    """Error at a fixed time on the damped two-link example under a step torque, T halved."""
    chain = chain_of(cases("linear_exact")["2dof_mixed"])
    truth = chain.simulate(2.0, 0.001/4, "newmark-1/12").angles[-1]
    exact = truth + (truth - chain.simulate(2.0, 0.001/2, "newmark-1/12").angles[-1])/3.0
    error = [np.max(np.abs(chain.simulate(2.0, T, name).angles[-1] - exact)) for T in (0.01, 0.005)]
    assert np.log2(error[0]/error[1]) == pytest.approx(ORDERS[name], abs=0.1)
    assert SCHEMES[name].order == ORDERS[name]


def test_the_proposed_scheme_is_unstable_without_damping_at_every_step():
    phase = SCHEMES["proposed"].main
    for omega_dt in np.geomspace(0.02, 1e4, 60):
        assert radius(phase, omega_dt) > 1.0
    for omega_dt in (0.02, 0.05, 0.1):                                  # |L| = 1 + O^4/48
        assert radius(phase, omega_dt) - 1.0 == pytest.approx(omega_dt**4/48.0, rel=0.02)


@pytest.mark.parametrize("row", SPECTRA["proposed_stability_limit"][1:], ids=lambda row: f"damping {row['xi']}")
def test_damping_gives_the_proposed_scheme_a_limit(row):
    phase, limit = SCHEMES["proposed"].main, row["omega_dt_limit"]
    assert radius(phase, limit*0.999, row["xi"]) <= 1.0 < radius(phase, limit*1.001, row["xi"])


def test_the_proposed_scheme_grows_where_others_do_not():
    chain = chain_of(cases("linear_exact")["10dof_undamped_release"])
    grown = chain.simulate(100.0, 0.2, "proposed", every=10)
    assert np.max(np.abs(grown.angles)) > 1e6
    assert np.max(np.abs(chain.simulate(100.0, 0.2, "newmark", every=10).angles)) < 1.0


def test_other_weights_make_it_stable_and_of_order_two():
    phase = proposed(-1.5, -3.1).main
    assert max(radius(phase, x) for x in np.geomspace(0.01, 1e4, 200)) <= 1.0 + 1e-12
    assert proposed(-1.5, -3.1).order == 2


@pytest.mark.parametrize("rho", [0.0, 0.3, 0.5, 1.0])
def test_alpha_has_the_radius_it_is_asked_for(rho):
    assert radius(alpha(rho).main, 1e6) == pytest.approx(rho, abs=1e-2 if rho == 0.0 else 1e-4)


def test_fox_euler_is_newmark_with_one_half_and_one():
    assert oscillator().simulate(1.0, 0.1, "fox-euler").angles == pytest.approx(
        oscillator().simulate(1.0, 0.1, newmark(0.5, 1.0)).angles, abs=0.0)


def test_wilson_with_one_is_linear_acceleration():
    assert oscillator().simulate(5.0, 0.1, wilson(1.0)).angles == pytest.approx(
        oscillator().simulate(5.0, 0.1, "newmark-1/6").angles, abs=1e-14)


@pytest.mark.parametrize("make, said", [
    (lambda: wilson(0.9), "w is 0.9; give a number >= 1"), (lambda: alpha(1.1), "rho is 1.1"),
    (lambda: hht(-0.5), "shift is -0.5"), (lambda: newmark(-0.1), "beta is -0.1"),
    (lambda: scheme_of("newmarc"), "scheme is 'newmarc'; known are fox-euler"),
])
def test_what_is_refused(make, said):
    with pytest.raises(ModelError, match=said.replace("(", r"\(")):
        make()


@pytest.mark.parametrize("made", [newmark(0.3, 0.6), newmark(1/3, 0.5), alpha(0.123456789), hht(-0.2), wilson(1.5),
                                  proposed(0.2, 0.5)])
def test_what_a_run_prints_names_its_scheme(made):
    again = scheme_of(made.name)
    assert again.name == made.name and again is scheme_of(made.name)
    for one, other in zip(made.phases, again.phases, strict=True):
        assert all(np.array_equal(getattr(one, part), getattr(other, part)) for part in ("P", "V", "b", "g", "out"))


@pytest.mark.parametrize("word, said", [
    ("newmark(0.3)", r"give 2 numbers in the brackets of newmark, such as newmark\(0.3, 0.6\)"),
    ("wilson(a)", "give 1 number in the brackets of wilson"), ("wilson(0.5)", "w is 0.5; give a number >= 1"),
    ("houbolt(1)", "known are fox-euler"), ("wilson(1.5", "known are fox-euler"), (3, "known are fox-euler")])
def test_names_that_mean_no_scheme(word, said):
    with pytest.raises(ModelError, match=said):
        scheme_of(word)
