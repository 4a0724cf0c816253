"""Chains of beams against single states of another program: matrices, forces, accelerations, contact."""

import numpy as np
import pytest
from asking import ask_rate
from elastic_references import chain_of, ours, read
from formulations.common import COMPILED, off, within
from formulations.elastic_chains import one_ladder_of_beams

import fastdyn as fd
from fastdyn.formulations import recursive
from fastdyn.layout import AIR, FRICTION, GIVEN, GROUND, INPUT, JOINTS, STRUCTURE, WORKS
from fastdyn.run.callbacks import Callbacks
from fastdyn.run.plant import Plant

__all__ = ["one_ladder_of_beams"]
pytestmark = [pytest.mark.usefixtures("one_ladder_of_beams"), pytest.mark.kernels]
CASES = read("acc")["cases"] if COMPILED else read("acc")["cases"][::7]
all_cases = pytest.mark.parametrize("n", sorted({case["n"] for case in CASES}))


def cases(n):
    """(case, chain, q, v) of the chains of n links"""
    for case in (case for case in CASES if case["n"] == n):
        yield case, chain_of("acc", case), ours(case["Z"]), ours(case["Zd"])


@all_cases
def test_mass_matrix(n):
    for case, chain, q, _ in cases(n):
        if "M" in case:
            M, size = np.zeros((chain.nv, chain.nv)), chain.nv
            for i, row in enumerate(case["M"]):
                M[i, i:] = M[i:, i] = row
            order = (np.arange(size) - 2) % size
            assert within(off(fd.mass_matrix(chain, q), M[np.ix_(order, order)]), 1e-14)


@all_cases
def test_accelerations_in_flight(n):
    for case, chain, q, v in cases(n):
        acc = fd.forward_dynamics(chain, q, v)
        assert within(off(acc, ours(case["acc_flight"])), case["rel_tol_acc"])
        if "R_flight" in case:
            assert within(off(-fd.bias(chain, q, v), ours(case["R_flight"])), 1e-11)


@all_cases
def test_energies_and_momenta(n):
    for case, chain, q, v in cases(n):
        T, V, strain = case["energies_T_Vg_Ve"]
        p1, p2, H, x1, x2 = case["momenta_p1_p2_H_xc1_xc2"]
        assert within(off(fd.kinetic_energy(chain, q, v), T), 1e-13)
        assert within(off(fd.potential_energy(chain, q), V + strain), 1e-13)
        (P, L), c = fd.momentum(chain, q, v), fd.mass_center(chain, q)
        assert within(off(P[:2], [p1, p2]), 1e-13) and within(off(c[:2], [x1, x2]), 1e-13)
        size = np.linalg.norm(c)*np.linalg.norm(P)
        assert within(off(L[2] - np.cross(c, P)[2], H, least=size), 1e-13)


@all_cases
def test_joints(n):
    """Places, velocities and, of short chains, the gradients of both."""
    for case, chain, q, v in cases(n):
        ends = [(link.name, (0.0, 0.0, 0.0)) for link in chain.links]
        ends = [(ends[0][0], (0.0, 0.0, 0.0))] + [(link.name, link.tip) for link in chain.links]
        columns = np.array(case.get("J_columns_v1v2_of_each_joint", []))
        for k, ((name, point), expected) in enumerate(zip(ends, case["joints_x1_x2_v1_v2"])):
            x, (u, _) = fd.position(chain, q, name, point), fd.velocity(chain, q, v, name, point)
            assert within(off([*x[:2], *u[:2]], expected, least=1.0), 1e-13)
            if len(columns):
                J = fd.jacobian(chain, q, name, point)[:2]
                assert within(off(J, ours(columns)[:, 2*k:2*k + 2].T, least=1.0), 1e-13)


@all_cases
def test_one_joint_on_the_ground(n):
    """On the ramp of its friction; the impact speed is in the state, and the rate of a run tells the acceleration."""
    for case, chain, q, v in cases(n):
        known = case["contact"]
        q[:2], v[:2] = known["X"], known["Xd"]
        plant = Plant(chain, "recursive", recursive.dense_size(chain.model), Callbacks(chain, ()))
        y = np.zeros(chain.nq + chain.nv + (1 + GIVEN)*plant.contacts + WORKS)
        y[:chain.nq], y[chain.nq:chain.nq + chain.nv] = q, v
        y[chain.nq + chain.nv + known["joint"] - 1] = known["vn_start"]
        dy = np.full_like(y, np.nan)
        assert ask_rate(plant.rate, plant.handle, 0.0, y, dy) == 0
        acc = dy[chain.nq:chain.nq + chain.nv]
        assert within(off(acc, ours(known["acc"])), case["rel_tol_acc"])
        assert np.array_equal(dy[:chain.nq], v) and not np.any(dy[chain.nq + chain.nv:][:plant.contacts])
        points, velocities, forces = plant.at_points(y[None])
        k = known["joint"] - 1
        d, u = points[0, k], velocities[0, k]
        N = 140e6*(-d[1])**1.5*(1.0 + 0.375*-u[1]/known["vn_start"])
        F = -0.1*N*np.sign(u[0])*np.clip((abs(u[0]) - 1e-4)/9e-4, 0.0, 1.0)
        assert within(off(forces[0, k], [F, N, 0.0]), 1e-13)
        given = forces[0, :, 1], forces[0, :, 1]*velocities[0, :, 1], forces[0, :, 0]
        assert within(off(dy[-WORKS - GIVEN*plant.contacts:-WORKS], np.concatenate(given)), 1e-13)
        assert np.count_nonzero(forces) == 2
        power = dy[-WORKS:]
        assert within(off(power[GROUND], N*u[1]), 1e-13) and within(off(power[FRICTION], F*u[0]), 1e-13)
        assert power[AIR] < 0.0 and power[STRUCTURE] < 0.0 and power[JOINTS] == power[INPUT] == 0.0
