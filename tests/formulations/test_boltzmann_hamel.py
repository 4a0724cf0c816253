"""Every intermediate of equation (49) against numbers with 40 digits, what its terms have to be, who is refused."""

import json

import numpy as np
import pytest
from formulations import free_bodies
from formulations.common import COMPILED, examples, off, within
from formulations.zoo import motion, tree
from hypothesis import given, settings
from hypothesis import strategies as st
from references import FOLDER, names, read
from strategies import chains_in_motion, random_chain, random_state

import fastdyn as fd
from fastdyn.describe.catalog import falling_chain
from fastdyn.formulations import boltzmann_hamel as page
from fastdyn.layout import work_of
from fastdyn.run.asking import scratch
from fastdyn.status import OK

pytestmark = [pytest.mark.usefixtures("one_ladder"), pytest.mark.kernels]
in_motion = st.booleans().flatmap(lambda planar: chains_in_motion(planar=planar))


def parts(chain, q, v, acc, t=None):
    """name -> (links, 3) in link axes: what (49) is made of at a state; under the chain's own loads if t is given."""
    model, D = chain.model, page.dense_size(chain.model)
    if t is None:
        work = work_of(model, dense=D)
        assert page.inverse_dynamics(model)(model, work, q, v, acc, np.zeros(chain.nv)) == OK
    else:
        fd.inverse_dynamics(chain, q, v, acc, t=t, formulation="boltzmann-hamel")
        work = scratch(chain, dense=D)
    rows = work.dense[:page.PER_ROW*len(model.row)].reshape(-1, page.PER_ROW)
    of = {"V_J": page.JOINT_SPEED, "V": page.SPEED, "P": page.MOMENTA, "P_dot": page.MOMENTA_RATE,
          "dp": page.COORDINATE, "F": page.PULL, "u": page.JOINT}
    of |= {second: of[first] + 3 for first, second in
           (("V", "Omega"), ("P", "H"), ("P_dot", "H_dot"), ("dp", "dalpha"), ("F", "N"), ("u", "w"))}
    body = [row for _, row in sorted(chain.body_rows.items())]
    return {name: np.array([model.frame[i].reshape(3, 3) @ rows[i, at:at + 3] for i in body])
            for name, at in of.items()}


def stacked(floats, linear, angular):
    """As the paper stacks lambda: the velocity of a floating base, then a turn for each link."""
    return np.concatenate([linear[0]]*floats + list(angular))


@pytest.mark.parametrize("name", names("blocks_*"))
def test_every_intermediate(name):
    charts = [(np.array(c["expect"]["D"]), np.array(c["expect"]["C"])) for c in
              json.loads((FOLDER/f"{name}.json").read_text())["cases"]]
    for case, (D, C) in zip(read(name), charts):
        floats, e = "space" in name, case.expect
        p = parts(case.chain, case.q, case.v, np.zeros(case.chain.nv), t=case.t)
        assert within(off(p["Omega"], e["Omega"]), 4e-15) and within(off(p["V"], e["V"]), 4e-15)        # (21)
        if len(C) > 1:
            in_parent = np.array([C_i @ V_J for C_i, V_J in zip(C[1:], e["V_joint"])])
            here = np.array([C_i @ V_J for C_i, V_J in zip(C[1:], p["V_J"][1:])])
            assert within(off(here, in_parent), 4e-15)                                                  # (68)
        assert within(off(stacked(floats, p["P"], p["H"]), e["p"]), 1e-14)                              # (52), (53)
        turning = np.cross(p["w"], p["P"]), np.cross(p["w"], p["H"]) + np.cross(p["u"], p["P"])
        assert within(off(stacked(floats, *turning), e["lamcross_p"]), 1e-14)                           # (42)
        kept = -stacked(floats, p["dp"], p["dalpha"])
        assert within(off(kept, e["minus_SinvT_dTdq"], least=1e-10), 1e-14)                             # (60)-(69)
        with_chart = np.einsum("nji,nj->ni", D, p["dalpha"])
        assert within(off(with_chart, e["dT_dalpha"], least=1e-10), 1e-14)
        assert within(off(stacked(floats, p["P_dot"], p["H_dot"]), e["pdot_frozen_lam"]), 1e-14)
        joints = np.concatenate([np.zeros(3)]*floats + [case.torque[3*floats:]])
        assert within(off(stacked(floats, p["F"], p["N"]) + joints, e["Phi"]), 1e-14)                   # (82), (83)


@pytest.mark.parametrize("name", names("accel_*"))
def test_accelerations(name):
    """What a dense solution leaves: 2e-14 at cond(M) up to 450."""
    for case in read(name):
        acc = fd.forward_dynamics(case.chain, case.q, case.v, case.torque, t=case.t, formulation="boltzmann-hamel")
        assert within(off(acc, case.expect["lamdot"]), 5e-14)
        M = fd.mass_matrix(case.chain, case.q, formulation="boltzmann-hamel")
        assert within(off(M, case.expect["M"]), 3e-15)


@settings(max_examples=examples(40))
@given(in_motion)
def test_momenta_are_those_of_free_bodies(case):
    """P_i and H_i of any tree with any joints: what moves outward of a joint, about that joint."""
    chain, q, v, _ = case
    p = parts(chain, q, v, 0.0*v)
    places = free_bodies.places(chain, q, v)
    P, H = np.zeros((2, len(chain.links), 3))
    for i, x, m, c, I in free_bodies.weights(chain, places):
        f = m*(x.u + np.cross(x.w, c))
        k = i
        while k >= 0:
            P[k] += f
            H[k] += I @ x.w + np.cross(x.x + c - places[k].x, f)
            parent = chain.links[k].parent
            k = chain.index(parent) if parent != "base" else -1
    size = np.abs(P).max() + np.abs(H).max() + 1.0
    for k, x in enumerate(places):
        assert within(np.abs(x.R @ p["P"][k] - P[k]).max()/size, 1e-14)
        assert within(np.abs(x.R @ p["H"][k] - H[k]).max()/size, 1e-14)


@settings(max_examples=examples(40))
@given(in_motion)
def test_terms_are_the_angular_momentum_balance_of_what_is_outward(case):
    """-S^-T dT/dq and [lambda x] together: Omega x H + V_J x P, V_J the velocity of the joint's point of the link."""
    chain, q, v, acc = case
    p = parts(chain, q, v, acc)
    V_J = [x.R.T @ x.u for x in free_bodies.places(chain, q, v)]
    lin = np.cross(p["w"], p["P"]) - p["dp"]
    ang = np.cross(p["w"], p["H"]) + np.cross(p["u"], p["P"]) - p["dalpha"]
    size = np.abs(p["H"]).max()*np.abs(p["Omega"]).max() + np.abs(p["P"]).max()*np.abs(V_J).max() + 1.0
    assert within(np.abs(lin - np.cross(p["Omega"], p["P"])).max()/size, 1e-14)
    assert within(np.abs(ang - np.cross(p["Omega"], p["H"]) - np.cross(V_J, p["P"])).max()/size, 1e-14)


@settings(max_examples=examples(40))
@given(in_motion)
def test_what_turns_the_momenta_has_half_the_power_their_change_has(case):
    """lambda'([lambda x] p - S^-T dT/dq) = -lambda' dM/dt lambda/2, so that only loads change the energy"""
    chain, q, v, _ = case
    light = chain.replace(gravity=(0.0, 0.0, 0.0))
    h = fd.bias(light, q, v, formulation="boltzmann-hamel")
    M_rate = free_bodies.rate_of(lambda t: v @ fd.mass_matrix(light, free_bodies.moved(light, q, v, t),
                                                              formulation="boltzmann-hamel") @ v)
    size = max(np.abs(v) @ np.abs(h), v @ fd.mass_matrix(light, q) @ v, 1.0)
    assert within(abs(v @ h - M_rate/2)/size, 1e-9)


@pytest.mark.parametrize("kind", ["spherical", "revolute"])
def test_long_chains(kind):
    """A dense M of 40 links: 1e-11 of the accelerations is rounding."""
    rng = np.random.default_rng(5)
    chain = random_chain(rng, 40 if COMPILED else 6, kind)
    (q, v), torque = random_state(rng, chain), rng.normal(size=chain.nv)
    acc = fd.forward_dynamics(chain, q, v, torque, formulation="boltzmann-hamel")
    assert within(off(acc, fd.forward_dynamics(chain, q, v, torque)), 1e-11)


@pytest.mark.parametrize("planar", [False, True])
def test_answers_do_not_depend_on_what_was_asked_before(planar):
    chain, words = tree(planar), {"formulation": "boltzmann-hamel"}
    q, v, torque = motion(chain)
    first = fd.forward_dynamics(chain, q, v, torque, **words)
    fd.mass_matrix(chain, motion(chain, seed=4)[0], **words)
    fd.inverse_dynamics(chain, *motion(chain, seed=5), **words)
    assert np.array_equal(first, fd.forward_dynamics(chain, q, v, torque, **words))


def test_elastic_links_are_refused_in_a_sentence():
    chain, rigid = falling_chain(), falling_chain(m=0)
    for ask in (fd.forward_dynamics, fd.inverse_dynamics):
        with pytest.raises(fd.ModelError, match=r'^formulation "boltzmann-hamel" is for trees of rigid links .* = 0$'):
            ask(chain, *chain.zero_state(), np.zeros(chain.nv), formulation="boltzmann-hamel")
    with pytest.raises(fd.ModelError, match="rigid links"):
        fd.mass_matrix(chain, chain.zero_state()[0], formulation="boltzmann-hamel")
    state = rigid.zero_state()
    assert within(off(fd.forward_dynamics(rigid, *state, formulation="boltzmann-hamel"),
                      fd.forward_dynamics(rigid, *state)), 1e-13)
