"""The slider crank with an elastic rod against the published solution of the test set, and against converged values."""

import json
from pathlib import Path

import numpy as np

import fastdyn as fd
from fastdyn.describe.slider_crank import of_the_test_set

KNOWN = json.loads((Path(__file__).parents[1]/"reference"/"parallel_robot"/"slider_crank.json").read_text())
OFFSET = KNOWN["y0"][2] - 0.45 - KNOWN["y0"][6]         # of the published start: its slider is not where the rod ends


def in_their_words(x):
    """Angles of crank and rod, place of the slider, modes"""
    return np.array([x[0], x[0] + x[1], x[6], *x[2:6]])


def test_the_rod_is_that_of_the_test_set_but_for_its_axial_mass():
    theirs, ours = (fd.catalog.slider_crank(published=p).links[1].elastic.integrals for p in (True, False))
    for name in ("a", "b", "c", "d", "B", "K", "U_l"):
        size = np.max(np.abs(getattr(ours, name)))
        assert np.allclose(getattr(theirs, name), getattr(ours, name), rtol=0.0, atol=1e-7*size)
    share = theirs.C/np.where(ours.C == 0.0, 1.0, ours.C)
    assert np.allclose(share[:2, :2], np.diag([1.0, 1.0])) and np.allclose(share[2:, 2:], 15.0)
    assert of_the_test_set().W_l == (0.0,)*4


def test_its_equations_are_those_of_the_test_set():
    """Accelerations, forces in the pin and torque of the crank along the converged solution; no integration."""
    chain, flywheel = fd.catalog.slider_crank(), 1e12
    for row in KNOWN["own"]:
        q, v = (np.array([x[0], x[1] - x[0], *x[3:], x[2]]) for x in (row["p_q"], row["rates"]))
        acc, (y, x, torque) = fd.forward_dynamics(chain, q, v), row["lam"]
        assert np.abs(in_their_words(acc) - row["acc"]).max() < 1e-14*np.abs(row["acc"]).max()
        assert np.allclose(fd.closure_forces(chain, q, v)[0, :2], [-x, y], rtol=0.0, atol=1e-10)
        assert abs(flywheel*acc[0] - torque) < 1e-10


def test_a_crank_of_the_test_set():
    """Published to 12 digits; converged to 1e-12. The published slider keeps the error of its start, 2e-10 m."""
    chain, rows = fd.catalog.slider_crank(), KNOWN["own"]
    assert 1.5e-10 < OFFSET < 2.5e-10
    run = fd.simulate(chain, 0.1, times=[row["t"] for row in rows], rtol=1e-12, atol=1e-16).check()
    for row, q, v in zip(rows, run.q, run.v):
        place = np.array(row["p_q"]) - OFFSET*np.eye(7)[2]
        assert np.abs(in_their_words(q) - place).max() < 1e-12
        assert np.abs(in_their_words(v) - row["rates"]).max() < 2e-10
        acc = fd.forward_dynamics(chain, q, v)
        assert np.abs(in_their_words(acc) - row["acc"]).max() < 5e-6
        assert np.abs(fd.gaps(chain, q)).max() < 2e-15
    last = np.array(KNOWN["published_t0_1"][:7]) - OFFSET*np.eye(7)[2]
    assert np.abs(in_their_words(run.q[-1]) - last)[1:].max() < 1e-12
