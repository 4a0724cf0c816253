"""Parts with two ends: one is its matrices, many are joined in any order, and long chains keep their digits."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from fastdyn.status import ModelError
from fastdyn.transfer import TorsionChain, TwoPort, star, torsion_chain

SIZE = st.floats(0.1, 10.0)
S = np.array([0.3, 2.0 + 1.0j, 5.0j, -0.2 + 0.7j])


@st.composite
def chains(draw):
    row = lambda n: tuple(draw(SIZE) for _ in range(n))
    n = draw(st.integers(3, 7))
    return TorsionChain(inertia=row(n), stiffness=row(n), damping=row(n))


def multiplied(chain, s, links):
    """(angle, torque) outside from those inside, by transfer matrices."""
    U = np.eye(2, dtype=complex)
    for j in links:
        joint = np.array([[1.0, 1.0/(chain.stiffness[j] + chain.damping[j]*s)], [0.0, 1.0]])
        U = np.array([[1.0, 0.0], [chain.inertia[j]*s*s, 1.0]]) @ joint @ U
    return U


@given(chains())
def test_it_is_the_product_of_transfer_matrices_in_another_form(chain):
    for i, s in enumerate(S):
        (_, b), (c, d) = multiplied(chain, s, range(1, chain.n))
        r, give, k = (x[i] for x in chain.two_port(S, 2))
        expect = np.array([1.0/d, b/d, c/d])                # det U = 1
        assert np.max(np.abs(np.array([r, give, k])/expect - 1.0)) < 1e-10


@given(chains(), st.data())
def test_stretches_are_joined_in_any_order(chain, data):
    one = data.draw(st.integers(1, chain.n - 2))
    two = data.draw(st.integers(one + 1, chain.n - 1))
    A, B, C = (chain.two_port(S, *ends) for ends in ((1, one), (one + 1, two), (two + 1, -1)))
    whole = chain.two_port(S)
    for found in (star(star(A, B), C), star(A, star(B, C))):
        assert all(np.max(np.abs(x/y - 1.0)) < 1e-10 for x, y in zip(found, whole))


@given(chains())
def test_its_ends_answer_as_the_chain_does(chain):
    found = chain.two_port(S)
    assert found.c == pytest.approx(chain.transfer_function(S, -1, -1), rel=1e-10)
    assert isinstance(found, TwoPort) and found.r.shape == S.shape


def test_long_chains_keep_their_digits():
    chain, s = torsion_chain(100_000, damping=0.1), np.array([1e-3, 0.5])
    found = chain.two_port(s).c
    assert np.max(np.abs(found/chain.transfer_function(s, -1, -1) - 1.0)) < 1e-11
    with np.errstate(all="ignore"):
        assert not np.all(np.isfinite(multiplied(torsion_chain(3000, damping=0.1), 5.0, range(3000))))


@pytest.mark.parametrize("ask, said", [
    (lambda: torsion_chain(3).two_port(1.0, 2, 1), "first is 2 and last 1; give links in 1..3"),
    (lambda: torsion_chain(3).two_port(1.0, 0), "first is 0"),
    (lambda: torsion_chain(3).two_port(1.0, True), "first is True"),
    (lambda: TorsionChain(inertia=(1.0, 1.0), stiffness=1.0, parents=(0, 0)).two_port(1.0), "more than two ends"),
])
def test_what_is_refused(ask, said):
    with pytest.raises(ModelError, match=said):
        ask()
