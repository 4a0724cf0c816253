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
from fastdyn.run.loops import moved

pytestmark = [pytest.mark.usefixtures("one_ladder"), pytest.mark.kernels]
in_motion = st.booleans().flatmap(lambda planar: chains_in_motion(planar=planar))


def stacked(floats, linear, angular):
    """As the paper stacks lambda: the velocity of a floating base, then a turn for each link."""
    return np.concatenate([linear[0]]*floats + list(angular))


@pytest.mark.parametrize("name", names("blocks_*"))
def test_every_intermediate(name):
    charts = [(np.array(c["expect"]["D"]), np.array(c["expect"]["C"])) for c in
              json.loads((FOLDER/f"{name}.json").read_text())["cases"]]
    for case, (D, C) in zip(read(name), charts):
        floats, e = "space" in name, case.expect
        p = fd.boltzmann_hamel_terms(case.chain, case.q, case.v, t=case.t)
        assert within(off(p.Omega, e["Omega"]), 4e-15) and within(off(p.V, e["V"]), 4e-15)              # (21)
        if len(C) > 1:
            assert within(off(p.V_J[1:], e["V_joint"], least=1e-10), 4e-15)                             # (68)
        assert within(np.abs(p.Omega_by_parent.transpose(0, 2, 1) - C).max(), 2e-15)                    # (22)
        assert within(off(stacked(floats, p.P, p.H), e["p"]), 1e-14)                                    # (52), (53)
        assert within(off(stacked(floats, p.turning_P, p.turning_H), e["lamcross_p"]), 1e-14)           # (42)
        kept = -stacked(floats, p.T_by_p, p.T_by_alpha)
        assert within(off(kept, e["minus_SinvT_dTdq"], least=1e-10), 1e-14)                             # (60)-(69)
        with_chart = np.einsum("nji,nj->ni", D, p.T_by_alpha)
        assert within(off(with_chart, e["dT_dalpha"], least=1e-10), 1e-14)
        assert within(off(stacked(floats, p.P_rate, p.H_rate), e["pdot_frozen_lam"]), 1e-14)
        joints = np.concatenate([np.zeros(3)]*floats + [case.torque[3*floats:]])
        assert within(off(stacked(floats, p.Phi_u, p.Phi_w) + joints, e["Phi"]), 1e-14)                 # (82), (83)
        acc = e["lamdot"]                                                                               # (49)
        p = fd.boltzmann_hamel_terms(case.chain, case.q, case.v, acc, t=case.t)
        left = (p.P_rate + p.turning_P - p.T_by_p, p.H_rate + p.turning_H - p.T_by_alpha)
        assert within(off(stacked(floats, *left), e["Phi"], least=np.abs(p.H_rate).max()), 2e-14)
        assert np.array_equal(p.torque, fd.inverse_dynamics(case.chain, case.q, case.v, acc, t=case.t,
                                                            formulation="boltzmann-hamel"))


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
    p = fd.boltzmann_hamel_terms(chain, q, v)
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
        assert within(np.abs(x.R @ p.P[k] - P[k]).max()/size, 1e-14)
        assert within(np.abs(x.R @ p.H[k] - H[k]).max()/size, 1e-14)


@settings(max_examples=examples(40))
@given(in_motion)
def test_terms_are_the_angular_momentum_balance_of_what_is_outward(case):
    """-S^-T dT/dq and [lambda x] together: Omega x H + V_J x P, V_J the velocity of the joint's point of the link."""
    chain, q, v, acc = case
    p = fd.boltzmann_hamel_terms(chain, q, v, acc)
    V_J = [x.R.T @ x.u for x in free_bodies.places(chain, q, v)]
    lin = p.turning_P - p.T_by_p
    ang = p.turning_H - p.T_by_alpha
    size = np.abs(p.H).max()*np.abs(p.Omega).max() + np.abs(p.P).max()*np.abs(V_J).max() + 1.0
    assert within(np.abs(lin - np.cross(p.Omega, p.P)).max()/size, 1e-14)
    assert within(np.abs(ang - np.cross(p.Omega, p.H) - np.cross(V_J, p.P)).max()/size, 1e-14)


@settings(max_examples=examples(30))
@given(in_motion)
def test_edge_partials_put_the_recursion_together(case):
    """Omega and V are linear in what (21) makes them of: the transposed gradients (22) times it."""
    chain, q, v, _ = case
    p = fd.boltzmann_hamel_terms(chain, q, v)
    size = 1.0 + np.abs(p.V).max() + np.abs(p.Omega).max()
    for i, link in enumerate(chain.links):
        if link.joint.kind in ("universal", "free-planar"):
            continue                                    # the part before is no link
        V_p, O_p = (np.zeros(3),)*2 if link.parent == "base" else (x[chain.index(link.parent)] for x in (p.V, p.Omega))
        C = p.Omega_by_parent[i].T
        assert within(np.abs(C @ O_p + p.w[i] - p.Omega[i]).max()/size, 1e-14)
        V = C @ V_p + p.V_by_Omega[i].T @ p.Omega[i] + p.V_by_parent[i].T @ O_p + p.u[i]
        assert within(np.abs(V - p.V[i]).max()/size, 1e-14)


@settings(max_examples=examples(10))
@given(st.integers(0, 2**32 - 1), st.booleans())
def test_partials_are_slopes_of_velocities(seed, free):
    """The table (62)-(67) by differences: joint i turned on about its link's axes, the quasi-velocities held"""
    rng = np.random.default_rng(seed)
    chain = random_chain(rng, 4, "spherical", free=free)
    (q, v), h = random_state(rng, chain), 1e-6
    p = fd.boltzmann_hamel_terms(chain, q, v)
    for i in range(1, 4):
        for k in range(3):
            step = np.zeros(chain.nv)
            step[chain.v_slice(chain.links[i].name).start + k] = h
            ahead, behind = (fd.boltzmann_hamel_terms(chain, moved(chain, q, s*step), v) for s in (1.0, -1.0))
            for table, x in ((p.Omega_by_alpha, "Omega"), (p.V_by_alpha, "V")):
                slope = (getattr(ahead, x) - getattr(behind, x))/(2*h)
                assert within(np.abs(table[:, i, k] - slope).max()/(1.0 + np.abs(v).max()), 1e-7)
    sums = [(np.einsum("jab,jb->a", p.V_by_alpha[:, i], p.V*[[link.body.mass] for link in chain.links])
             + sum(p.Omega_by_alpha[j, i] @ np.array(link.body.inertia) @ p.Omega[j]
                   for j, link in enumerate(chain.links))) for i in range(4)]
    assert within(off(np.array(sums), p.T_by_alpha, least=1e-6), 1e-13)                                     # (60)


def test_terms_of_many_states_are_those_of_each():
    chain = random_chain(np.random.default_rng(2), 3, "spherical", free=True)
    q, v = zip(*(random_state(np.random.default_rng(k), chain) for k in range(3)))
    rows = fd.boltzmann_hamel_terms(chain, q, v)
    for k in range(3):
        one = fd.boltzmann_hamel_terms(chain, q[k], v[k])
        assert all(np.array_equal(a[k], b) for a, b in zip(rows, one))


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
    with pytest.raises(fd.ModelError, match="rigid links"):
        fd.boltzmann_hamel_terms(chain, *chain.zero_state())
    for ask in (fd.forward_dynamics, fd.inverse_dynamics):
        with pytest.raises(fd.ModelError, match=r'^formulation "boltzmann-hamel" is for trees of rigid links .* = 0$'):
            ask(chain, *chain.zero_state(), np.zeros(chain.nv), formulation="boltzmann-hamel")
    with pytest.raises(fd.ModelError, match="rigid links"):
        fd.mass_matrix(chain, chain.zero_state()[0], formulation="boltzmann-hamel")
    state = rigid.zero_state()
    assert within(off(fd.forward_dynamics(rigid, *state, formulation="boltzmann-hamel"),
                      fd.forward_dynamics(rigid, *state)), 1e-13)
