"""Plain products of transfer matrices: right where few digits are lost, loud where all are."""

import warnings

import numpy as np
import pytest
from numba import config
from transfer.common import cases, chain_of

import fastdyn as fd
from fastdyn import ModelError, SimulationError
from fastdyn.status import DIGITS_LOST, GROWN, OK
from fastdyn.transfer.product import joint_matrix, link_matrix, load_matrix
from fastdyn.transfer.run import PrecisionWarning, StabilityWarning
from fastdyn.transfer.schemes import SCHEMES
from fastdyn.transfer.torsion import TorsionChain, torsion_chain

pytestmark = pytest.mark.kernels
DIVIDING = [name for name in SCHEMES if name != "newmark-0"]


def compared(n, T, steps, damping, scheme="newmark"):
    """(largest error of the product form over the largest angle, its own estimate, warnings)"""
    chain = torsion_chain(n, damping=damping)
    with warnings.catch_warnings(record=True) as said, np.errstate(all="ignore"):
        warnings.simplefilter("always")
        product = chain.simulate(steps*T, T, scheme, form="product")
    right = chain.simulate(steps*T, T, scheme).angles
    error = np.max(np.abs(product.angles - right))/np.max(np.abs(right))
    return error, product.error_estimate, [w for w in said if w.category is PrecisionWarning]


@pytest.mark.parametrize("name", DIVIDING)
@pytest.mark.parametrize("case", ["1dof", "2dof_seed", "2dof_mixed"])
def test_both_forms_agree_in_short_chains(case, name):
    case = cases("integrator_sequences")[case]
    chain, t_end, T = chain_of(case), case["steps"]*case["dt"], case["dt"]
    product, right = (chain.simulate(t_end, T, name, form=form).angles for form in ("product", "riccati"))
    assert np.max(np.abs(product - right)) < 1e-10*case["theta_scale"]


@pytest.mark.parametrize("n, T, damping", [(5, 0.1, 5.0), (10, 0.1, 5.0), (15, 0.1, 5.0), (4, 0.01, 5.0), (6, 0.1, 0.0),
                                           (8, 0.1, 0.0), (2, 0.01, 0.0), (3, 0.01, 0.0)])
def test_the_estimate_is_of_the_size_of_the_error(n, T, damping):
    """Rounding gathers over 200 steps to some hundred times the error of one."""
    error, estimate, said = compared(n, T, 200, damping)
    assert 0.1*estimate < error < 3e4*estimate
    assert (len(said) == 1) == (200*estimate > 1e-10)


@pytest.mark.parametrize("n, T, damping", [(22, 0.1, 5.0), (10, 0.01, 5.0), (12, 0.1, 0.0), (5, 0.01, 0.0)])
def test_all_digits_are_lost_and_it_says_so(n, T, damping):
    error, estimate, said = compared(n, T, 600, damping)
    assert not error < 0.01 and estimate > 1e-2
    assert len(said) == 1 and "do not use this result" in str(said[0].message)


def test_a_hundred_links_give_no_number_where_riccati_is_exact():
    case = cases("integrator_sequences")["100dof_undamped_fine"]
    chain = chain_of(case)
    with pytest.warns(PrecisionWarning, match="no digit is left"), np.errstate(all="ignore"):
        run = chain.simulate(0.1, 1e-3, form="product")
    assert not run.ok and run.status == DIGITS_LOST and "a smaller dt loses more: take form=" in repr(run)
    with pytest.raises(SimulationError, match="plain products of transfer matrices have lost their digits"):
        run.check()
    assert chain.simulate(1.0, 1e-3).ok


@pytest.mark.parametrize("n, damping, dt, steps, lost", [
    (10, 5.0, 0.01, 600, True), (8, 5.0, 0.01, 600, False), (18, 5.0, 0.1, 1_000_000, False),
    (10, 0.0, 0.1, 1_000, False), (10, 0.0, 0.1, 100_000, True)])
def test_a_run_without_a_digit_is_not_done(n, damping, dt, steps, lost, tmp_path):
    """However finite its numbers. With dampers the errors of long ago are gone; without they gather."""
    if config.DISABLE_JIT and steps > 1_000:
        pytest.skip("so many steps take minutes without the compiler")
    chain = torsion_chain(n, damping=damping)
    with pytest.warns(PrecisionWarning):
        run = chain.simulate(steps*dt, dt, form="product", every=steps//50)
    right = chain.simulate(steps*dt, dt, every=steps//50).angles
    error = np.max(np.abs(run.angles - right))/np.max(np.abs(right))
    assert run.status == (DIGITS_LOST if lost else OK) and run.ok != lost
    assert 0.1 < error < 1e3 if lost else error < 0.03
    run.save(tmp_path/"a.h5")
    again = fd.open(tmp_path/"a.h5")
    assert again.status == run.status and again.message == run.message
    if lost:
        with pytest.raises(SimulationError, match="have lost their digits"):
            again.check()


def test_a_scheme_that_grows_is_not_blamed_on_products():
    """Two links keep their digits; a step beyond the limit of the scheme is what is wrong, and is said so."""
    with pytest.warns(StabilityWarning):
        run = torsion_chain(2, damping=0.0).simulate(100.0, 1.0, "newmark-1/6", form="product")
    assert run.status == GROWN and "take a smaller dt" in run.message


def test_every_matrix_has_determinant_one():
    for U in (joint_matrix(3.0, 0.4, 20.0, 20.0, 0.3, -0.2), link_matrix(2.0, 400.0, -3.0), load_matrix(1.7)):
        assert np.linalg.det(np.reshape(U, (3, 3))) == pytest.approx(1.0, abs=1e-12)


def test_a_prescribed_base_goes_into_the_product():
    chain = TorsionChain(inertia=(1.0, 2.0), stiffness=10.0, damping=0.5, base=0.3)
    product, right = (chain.simulate(2.0, 0.05, form=form).angles for form in ("product", "riccati"))
    assert np.max(np.abs(product - right)) < 1e-12 and np.max(np.abs(right)) > 0.3


@pytest.mark.parametrize("chain, scheme, said", [
    (TorsionChain(inertia=(1.0, 1.0), stiffness=1.0, parents=(0, 0)), "newmark", "knows chains only"),
    (torsion_chain(2), "newmark-0", "beta, which is 0"),
    (TorsionChain(inertia=(1.0, 1.0), stiffness=(0.0, 1.0)), "newmark", "a joint has neither"),
])
def test_what_products_cannot_do(chain, scheme, said):
    with pytest.raises(ModelError, match=said):
        chain.simulate(1.0, 0.1, scheme, form="product")


# --------------------------------------------------------------------------------------- Riccati's form in angles


@pytest.mark.parametrize("chain, scheme, said", [
    (TorsionChain(inertia=(1.0, 1.0), stiffness=1.0, parents=(0, 0)), "newmark", "\"displacement\" knows chains only"),
    (torsion_chain(2), "newmark-0", "\"displacement\" divides by the scheme's beta, which is 0"),
])
def test_what_angles_as_unknowns_cannot_do(chain, scheme, said):
    with pytest.raises(ModelError, match=said):
        chain.simulate(1.0, 0.1, scheme, form="displacement")


def test_a_joint_without_spring_is_no_trouble_for_angles_as_unknowns():
    chain = TorsionChain(inertia=(1.0, 1.0), stiffness=(0.0, 1.0), loads={2: 1.0}, base=0.3)
    right, other = (chain.simulate(1.0, 0.1, form=form).angles for form in ("riccati", "displacement"))
    assert np.max(np.abs(right - other)) < 1e-13
