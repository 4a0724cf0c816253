"""Chains of ball joints, on the ground and floating, against numbers computed with 40 digits by other formulations."""

import numpy as np
import pytest
from formulations import described
from formulations.common import off, within
from references import names, read

import fastdyn as fd

pytestmark = [pytest.mark.usefixtures("one_ladder"), pytest.mark.kernels]


def unloaded(chain):
    """The chain in empty space."""
    return chain.replace(links=[described.changed(link, loads=()) for link in chain.links], gravity=(0.0, 0.0, 0.0))


@pytest.mark.parametrize("name", names("accel_*"))
def test_accelerations(name):
    """At most 2e-15 was seen, at any cond(M) up to 450: nothing grows."""
    for case in read(name):
        acc = fd.forward_dynamics(case.chain, case.q, case.v, case.torque, t=case.t)
        assert within(off(acc, case.expect["lamdot"]), 1e-14)
        torque = fd.inverse_dynamics(case.chain, case.q, case.v, case.expect["lamdot"], t=case.t)
        size = max(np.abs(case.expect["h"]).max(), np.abs(case.expect["Phi"]).max())
        assert within(np.abs(torque - case.torque).max()/size, 1e-14)


@pytest.mark.parametrize("name", names("accel_*"))
def test_mass_matrix_bias_and_forces(name):
    for case in read(name):
        M, h, Phi = case.expect["M"], case.expect["h"], case.expect["Phi"]
        assert within(off(fd.mass_matrix(case.chain, case.q), M), 3e-15)
        still = unloaded(case.chain)
        assert within(off(fd.bias(still, case.q, case.v), h, least=1e-10), 1e-14)
        felt = fd.bias(still, case.q, case.v) - fd.bias(case.chain, case.q, case.v, t=case.t)
        assert within(off(felt + case.torque, Phi, least=np.abs(h).max() + 1e-10), 1e-14)
        assert within(off(fd.apply_inverse_mass(case.chain, case.q, Phi - h), case.expect["lamdot"]), 1e-14)


@pytest.mark.parametrize("name", names("accel_*") + names("long_*"))
def test_energy_and_momenta(name):
    for case in read(name):
        expect = case.expect
        P, H = fd.momentum(case.chain, case.q, case.v)
        c = fd.mass_center(case.chain, case.q)
        assert within(abs(fd.kinetic_energy(case.chain, case.q, case.v) - expect["T"])/max(expect["T"], 1e-300), 1e-14)
        size = max(np.abs(expect["H_origin"]).max(), 1e-300)
        assert within(off(c, expect["com"]), 1e-14) and within(off(P, expect["P"]), 1e-14)
        assert within(off(H, expect["H_origin"]), 1e-14)
        assert within(off(H - np.cross(c, P), expect["H_com"], least=size), 1e-14)


@pytest.mark.parametrize("name", names("blocks_*"))
def test_forces_of_every_kind(name):
    """Gravity, forces and couples in both frames, joint torques; the state comes as matrices."""
    for case in read(name):
        acc = fd.forward_dynamics(case.chain, case.q, case.v, case.torque, t=case.t)
        assert within(off(acc, case.expect["lamdot"]), 1e-14)
        still = unloaded(case.chain)
        felt = fd.bias(still, case.q, case.v) - fd.bias(case.chain, case.q, case.v, t=case.t)
        assert within(off(felt + case.torque, case.expect["Phi"]), 1e-14)
        assert within(off(fd.mass_matrix(case.chain, case.q) @ case.v, case.expect["p"]), 1e-14)
        for link, w in zip(case.chain.links, case.expect["Omega"]):
            _, turning = fd.velocity(case.chain, case.q, case.v, link.name)
            assert within(off(fd.orientation(case.chain, case.q, link.name).T @ turning, w), 1e-14)


@pytest.mark.parametrize("name", names("long_*"))
def test_long_chains(name):
    """Rounding must not grow from link to link: 6x6 recursions that store antisymmetric rounding fail at n = 64.

    Seen: 1e-14 for 128 links, whose M has the condition 4e8.
    """
    for case in read(name):
        acc = fd.forward_dynamics(case.chain, case.q, case.v, case.torque)
        assert within(off(acc, case.expect["lamdot"]), 1e-13)
        torque = fd.inverse_dynamics(case.chain, case.q, case.v, case.expect["lamdot"])
        size = np.max(np.abs(fd.mass_matrix(case.chain, case.q)) @ np.abs(case.expect["lamdot"]))
        assert within(np.abs(torque).max()/size, 1e-14)
