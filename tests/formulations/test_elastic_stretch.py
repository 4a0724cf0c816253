"""Links that also become longer: all that holds for links that bend, closures on their tips, and a bar that is spun."""

import numpy as np
import pytest
from formulations import test_elastic as bending
from formulations import test_elastic_identities as identities
from formulations.common import JOINTS_IN_PLANE, examples, off, within
from formulations.elastic_chains import ENDS, OWN, beams, bent_chains_in_motion
from formulations.elastic_oracle import oracle
from hypothesis import given, settings
from hypothesis import strategies as st

import fastdyn as fd
from fastdyn import Beam, Chain, Closure, Elastic, Link, Stretch
from fastdyn.formulations import recursive
from fastdyn.formulations.loops import gap_seconds
from fastdyn.layout import PLANE_BEAM, STRETCHING
from fastdyn.run.loops import gap_list

pytestmark = pytest.mark.kernels
STEPS = (*JOINTS_IN_PLANE, PLANE_BEAM + 1, PLANE_BEAM + STRETCHING + 2)
ALONG = [Stretch(U=(0, 4, -4)), Stretch(U=(0, -1, 2))]


@pytest.fixture(scope="module", autouse=True)
def one_kernel():
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(recursive, "variant", lambda model: recursive.Variant(True, STEPS, False))
        yield


@st.composite
def stretching(draw, least=0):
    """Up to two modes, across and along, of theory or of one's own; some beams only bend, some only stretch."""
    words = {"beam": draw(beams()), "carried": draw(st.sampled_from(("section", "axis"))),
             "spin": draw(st.sampled_from(("frame", "section")))}
    across, along = draw(st.sampled_from([(1, 1), (1, 1), (0, 2), (1, 0)]))
    if across and draw(st.booleans()):
        words["shapes"] = [OWN[1]]
    elif across:
        words |= {"ends": draw(st.sampled_from(ENDS)), "modes": 1}
    if along and draw(st.booleans()):
        words["axial_shapes"] = draw(st.permutations(ALONG))[:along]
    elif along:
        words |= {"axial_ends": draw(st.sampled_from(("cf", "cc"))), "axial_modes": along}
    return Elastic(**words)


in_motion = bent_chains_in_motion(most=3, links_of=stretching)


@pytest.mark.parametrize("road", ["recursive", "gibbs-appell"])
@settings(max_examples=examples(30))
@given(case=in_motion)
def test_dynamics(road, case):
    for claim in (bending.test_mass_matrix, bending.test_inverse_dynamics, bending.test_forward_dynamics):
        claim.hypothesis.inner_test(road, case)


@settings(max_examples=examples(30))
@given(in_motion)
def test_energies_momenta_places_and_reactions(case):
    for claim in (bending.test_energies_and_momenta, bending.test_places_and_speeds,
                  bending.test_what_a_joint_gives_is_what_moves_all_that_hangs_on_it):
        claim.hypothesis.inner_test(case)


@settings(max_examples=examples(20))
@given(bent_chains_in_motion(most=3, links_of=stretching), st.data())
def test_works_and_loads(case, data):
    bending.test_loads_at_both_ends.hypothesis.inner_test(case, data)
    identities.test_works_add_up_to_the_change_of_energy.hypothesis.inner_test(case, data)


@settings(max_examples=examples(20))
@given(in_motion)
def test_a_batch_is_its_states_one_by_one(case):
    chain, q, v, torque = case
    states = tuple(np.array([x, 0.5*x, -x]) for x in (q, v, torque))
    for ask in (fd.forward_dynamics, fd.inverse_dynamics):
        assert np.array_equal(ask(chain, *states), [ask(chain, *state) for state in zip(*states)])


def rubber_arm(**words):
    """Two links that bend and stretch, from the base"""
    beam = Beam.rectangle(length=0.5, width=0.03, height=0.03, E=3e6, nu=0.3, rho=1500.0, K_v=30.0, gamma=0.1)
    return Chain([Link(elastic=Elastic(beam=beam, ends="cf", axial_ends="cf")),
                  Link(elastic=Elastic(beam=beam, ends="ss", axial_shapes=ALONG[1:], spin="section"))], **words)


@pytest.mark.parametrize("seed", range(4))
def test_a_closure_on_a_tip(seed):
    """A bar from the base to the last tip: M acc + h = torque + J' f, J acc + g'' = 0, from the oracle alone."""
    chain, anchor, rng = rubber_arm(), np.array([-1.3, 0.7]), np.random.default_rng(seed)
    q = rng.uniform(-1.0, 1.0, 6)*[1.0, 0.05, 0.05, 1.0, 0.05, 0.05]
    v, torque = rng.uniform(-2.0, 2.0, (2, 6))
    known = oracle(chain, q, v)
    tip = known.tips["link2"]
    d, u = tip.place - anchor, tip.moving @ v
    length = np.linalg.norm(d)
    e = d/length
    j, second = e @ tip.moving, e @ tip.bias + (u @ u - (e @ u)**2)/length
    held = rubber_arm(closures=[Closure(kind="distance", a=(*anchor, 0.0), b="link2.tip", length=length)])
    assert within(abs(fd.gaps(held, q)[0]), 1e-14) and within(off(fd.gap_jacobian(held, q)[0], j, 1.0), 1e-14)
    assert within(off(gap_list(held, gap_seconds, q, v, torque)[0], j @ torque + second, 1.0), 1e-13)
    acc = fd.forward_dynamics(held, q, v, torque)
    assert within(abs(j @ acc + second)/(np.abs(j) @ np.abs(acc)), 1e-12)
    left = known.M @ acc + known.h - torque
    force = (j @ left)/(j @ j)
    assert abs(force) > 1e-3 and within(np.max(np.abs(left - force*j))/bending.size_of(known, v, acc), 1e-12)


def test_a_bar_that_is_spun():
    """u'' + k^2 (eta + u) = 0 with k^2 = mu w^2/(E A), u = 0 at the hinge, u' = 0 at the tip."""
    beam = Beam(length=0.8, E=2e6, A=3e-4, I=4e-9, rho=2000.0)
    powers = [Stretch(U=(0, 1)), Stretch(U=(0, 0, 0, 1))]
    chain = Chain([Link(elastic=Elastic(beam=beam, axial_shapes=powers))], gravity=(0.0, 0.0, 0.0))
    w, still = 12.0, np.zeros(3)
    q, v = np.zeros(3), np.array([w, 0.0, 0.0])
    left = fd.inverse_dynamics(chain, q, v, still)[1:]     # the forces on the modes are linear in them
    step = np.array([fd.inverse_dynamics(chain, q + x, v, still)[1:] - left for x in np.eye(3)[1:]]).T
    q[1:] -= np.linalg.solve(step, left)
    k = w*np.sqrt(beam.mass_per_length/(beam.E*beam.A))
    exact = np.sin(k*beam.length)/(k*np.cos(k*beam.length)) - beam.length
    assert fd.position(chain, q, "link1", (0.8, 0.0, 0.0))[0] - beam.length == pytest.approx(exact, rel=1e-4)
    assert exact > 1e-2
