"""All roads refuse the same chains: one and the same line between next to nothing to move and too little."""

import numpy as np
import pytest
from formulations import nearly_singular
from formulations.common import examples, off, within
from formulations.nearly_singular import NEARLY_SINGULAR, SELF_CONTAINED
from hypothesis import assume, given, settings
from hypothesis import strategies as st

import fastdyn as fd
from fastdyn.status import SINGULAR_INERTIA

pytestmark = [pytest.mark.usefixtures("one_ladder"), pytest.mark.kernels,
              pytest.mark.filterwarnings("ignore::RuntimeWarning")]
ROADS = "recursive", "denoc", "gibbs-appell"
AS_GOOD_AS_NONE, PLENTY = 1e-9, 1e-4        # squared, in parts of what is outside: below rounding, far above it
MARGIN = 1.05                               # seen: by rounding the lines of two roads are up to 1.2 % apart
seeds, some = st.integers(0, 2**32 - 1), st.integers(0, 2)


def refused(case, road):
    """The link that the road names; nothing if it answers."""
    try:
        assert np.isfinite(fd.forward_dynamics(*case, formulation=road)).all()
        return ""
    except fd.SimulationError as error:
        assert error.status == SINGULAR_INERTIA
        return str(error).split('"')[1]


def line(case_with):
    """What is little where the recursion no longer refuses the first joint, to 0.3 %."""
    low, high = AS_GOOD_AS_NONE, PLENTY
    for _ in range(12):
        middle = np.sqrt(low*high)
        low, high = (middle, high) if refused(case_with(middle), "recursive") == "first" else (low, middle)
    return high


@settings(max_examples=examples(120))
@given(st.sampled_from(NEARLY_SINGULAR), seeds, some, some)
def test_one_line_for_all_roads(make, seed, inside, outside):
    """Just above it joints further in may be refused: what is nearly rounding is magnified there."""
    def case_with(little):
        return nearly_singular.case(make, seed, little, inside, outside)

    assume(refused(case_with(AS_GOOD_AS_NONE), "recursive"))        # links outside may give it enough
    least = line(case_with)
    assert AS_GOOD_AS_NONE < least < PLENTY/10.0
    for road in ROADS:
        assert refused(case_with(AS_GOOD_AS_NONE), road) == refused(case_with(least/MARGIN), road) == "first"
        assert refused(case_with(least*MARGIN), road) != "first"
        assert refused(case_with(least*10.0), road) == refused(case_with(PLENTY), road) == ""


@pytest.mark.parametrize("make", NEARLY_SINGULAR)
def test_every_case_has_both_sides(make):
    for seed in range(3):
        for little, link in ((AS_GOOD_AS_NONE, "first"), (PLENTY, "")):
            assert all(refused(nearly_singular.case(make, seed, little), road) == link for road in ROADS)


@settings(max_examples=examples(60))
@given(st.sampled_from(NEARLY_SINGULAR), seeds, some, some)
def test_near_the_line_the_answers_are_no_rounding(make, seed, inside, outside):
    """Ten times what is refused, squared 100: two digits and more are left, on every road."""
    def case_with(little):
        return nearly_singular.case(make, seed, little, inside, outside)

    assume(refused(case_with(AS_GOOD_AS_NONE), "recursive"))
    chain, q, v, torque = case_with(10.0*line(case_with))
    expected = fd.forward_dynamics(chain, q, v, torque)
    for road in ROADS:
        acc = fd.forward_dynamics(chain, q, v, torque, formulation=road)
        effort = np.max(np.abs(fd.mass_matrix(chain, q)) @ np.abs(acc) + np.abs(fd.bias(chain, q, v)))
        assert within(off(acc, expected), 1e-2)
        assert within(np.abs(fd.inverse_dynamics(chain, q, v, acc) - torque).max()/effort, 1e-14)


@settings(max_examples=examples(40))
@given(st.sampled_from(SELF_CONTAINED), seeds, st.floats(-9.0, -2.0), some)
def test_little_that_nothing_was_taken_from_moves(make, seed, exponent, inside):
    case = nearly_singular.case(make, seed, 10.0**exponent, inside)
    assert not any(refused(case, road) for road in ROADS)


def test_elastic_links_are_refused():
    """The page of the complements has no equations for them."""
    chain = fd.catalog.falling_chain()
    q, v = chain.zero_state()
    for ask, state in ((fd.forward_dynamics, (q, v)), (fd.bias, (q, v)), (fd.mass_matrix, (q,))):
        with pytest.raises(fd.ModelError, match='formulation "denoc" is for rigid links, and this chain has elastic'):
            ask(chain, *state, formulation="denoc")
