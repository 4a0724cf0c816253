"""What the papers on natural orthogonal complements say of their matrices: N_l N_d, U, D, and a leg in closed form."""

import numpy as np
import pytest
from formulations import free_bodies
from formulations.common import COMPILED, examples, off, within
from formulations.zoo import motion, tree
from hypothesis import given, settings
from hypothesis import strategies as st
from strategies import chains_in_motion, random_chain, random_state

import fastdyn as fd
from fastdyn import Body, Chain, Link
from fastdyn.formulations import denoc
from fastdyn.formulations.joints import freedoms
from fastdyn.layout import STEP, V_AT, work_of
from fastdyn.status import OK

pytestmark = [pytest.mark.usefixtures("one_ladder"), pytest.mark.kernels]
in_motion = st.booleans().flatmap(lambda planar: chains_in_motion(planar=planar))


def matrices(chain, q, v):
    """M, T = N_l N_d as (rows, nv, 6), and per freedom (its row, its column of psi), as the kernels leave them."""
    model, nv = chain.model, chain.nv
    work, M, acc = work_of(model, dense=denoc.dense_size(model)), np.zeros((nv, nv)), np.zeros(nv)
    assert denoc.mass_matrix(model)(model, work, q, M) == OK
    assert denoc.forward_dynamics(model)(model, work, q, v, np.zeros(nv), acc) == OK
    n, per_freedom = len(model.row), [None]*nv
    T, rows = work.dense[n*denoc.PER_ROW:].reshape(n, nv, 6), work.dense[:n*denoc.PER_ROW].reshape(n, denoc.PER_ROW)
    for i, row in enumerate(model.row):
        for c in range(getattr(freedoms, "py_func", freedoms)(row[STEP])):
            per_freedom[row[V_AT] + c] = i, rows[i, denoc.PSI + 6*c:denoc.PSI + 6*c + 6].copy()
    return M, T.copy(), per_freedom


@settings(max_examples=examples(40))
@given(in_motion)
def test_twists_are_n_l_n_d_v(case):
    chain, q, v, _ = case
    _, T, _ = matrices(chain, q, v)
    for link, p in enumerate(free_bodies.places(chain, q, v)):
        row = chain.body_rows[link]
        R = p.R @ chain.model.frame[row].reshape(3, 3)
        t = v @ T[row]
        size = np.max(np.abs(T[row]))*np.abs(v).sum() + 1.0
        assert within(np.abs(np.concatenate([R @ t[:3] - p.w, R @ t[3:] - p.u])).max()/size, 1e-14)


@settings(max_examples=examples(40))
@given(in_motion)
def test_mass_matrix_is_u_d_u(case):
    """Column (j, b) of U is T_j' psi_jb: unit upper triangular, and D = U^-1 M U^-T has a block for each joint."""
    chain, q, v, _ = case
    M, T, per_freedom = matrices(chain, q, v)
    U = np.column_stack([T[row] @ psi for row, psi in per_freedom])
    assert within(np.abs(np.tril(U) - np.eye(chain.nv)).max(), 1e-12)
    row = np.array([row for row, _ in per_freedom])
    D = np.where(row[:, None] == row, np.linalg.solve(U, np.linalg.solve(U, M).T), 0.0)
    assert within(off(U @ D @ U.T, M), 1e-12)
    assert np.linalg.eigvalsh(D).min() > 0.0


@pytest.mark.parametrize("kind", ["spherical", "revolute", "planar"])
def test_long_chains(kind):
    """h is formed before the elimination: what rounding it brings, a hundred links keep below 1e-10."""
    rng = np.random.default_rng(5)
    chain = random_chain(rng, 100 if COMPILED else 12, kind)
    (q, v), torque = random_state(rng, chain), rng.normal(size=chain.nv)
    acc = fd.forward_dynamics(chain, q, v, torque, formulation="denoc")
    assert within(off(acc, fd.forward_dynamics(chain, q, v, torque)), 1e-10)


# a leg of the planar 3-RRR robot of Raoofian et al. (2017): l, m and I = m l^2/12 of crank and coupler
L1, M1, I1, L2, M2, I2, G = 0.4, 3.0, 0.04, 0.6, 4.0, 0.12, 9.81


@pytest.mark.parametrize("space", ["plane", "space"])
def test_leg_of_a_planar_robot(space):
    leg = Chain([Link(length=l, body=Body(mass=m, com=(l/2, 0.0, 0.0), inertia=(0.0, I, I)))
                 for l, m, I in ((L1, M1, I1), (L2, M2, I2))], gravity=(0.0, -G, 0.0), space=space)
    A, B, C = I1 + M1*L1**2/4 + M2*L1**2, I2 + M2*L2**2/4, M2*L1*L2/2
    rng = np.random.default_rng(2)
    for _ in range(20):
        (a, b), (ad, bd), acc = q, v, _ = rng.uniform(-2.0, 2.0, (3, 2))
        c, s = np.cos(b), np.sin(b)
        M = np.array([[A + B + 2*C*c, B + C*c], [B + C*c, B]])
        centrifugal = C*s*np.array([-(2*ad*bd + bd**2), ad**2])
        weight = G*np.array([(M1*L1/2 + M2*L1)*np.cos(a) + M2*L2/2*np.cos(a + b), M2*L2/2*np.cos(a + b)])
        torque = M @ acc + centrifugal + weight
        assert within(off(fd.mass_matrix(leg, q, formulation="denoc"), M), 1e-15)
        assert within(off(fd.inverse_dynamics(leg, q, v, acc, formulation="denoc"), torque), 1e-14)
        assert within(off(fd.forward_dynamics(leg, q, v, torque, formulation="denoc"), acc), 1e-13)


@pytest.mark.parametrize("planar", [False, True])
def test_answers_do_not_depend_on_what_was_asked_before(planar):
    chain = tree(planar)
    q, v, torque = motion(chain)
    first = fd.forward_dynamics(chain, q, v, torque, formulation="denoc")
    fd.mass_matrix(chain, motion(chain, seed=4)[0], formulation="denoc")
    fd.inverse_dynamics(chain, *motion(chain, seed=5), formulation="denoc")
    assert np.array_equal(first, fd.forward_dynamics(chain, q, v, torque, formulation="denoc"))
