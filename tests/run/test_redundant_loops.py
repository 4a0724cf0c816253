"""Loops with more gaps than say something new, one of whose rows vanishes on the way: Bennett's linkage."""

import numpy as np
import pytest
from formulations.uneven_loops import by_geometry

import fastdyn as fd
from fastdyn.run.loops import on_ends
from fastdyn.run.scales import scales

ROADS = "multipliers", "minimal"


def twist(x):
    return np.cos(x/2), np.sin(x/2), 0.0, 0.0


def bennett(first=0.6, second=1.1):
    """Four bars of lengths a, b, a, b and axes twisted by these angles, a/sin(first) = b/sin(second): it moves."""
    a, b = 1.0, np.sin(second)/np.sin(first)
    c, s = np.cos(second), np.sin(second)
    bars = [fd.Link(name=name, length=length, turn=twist(turn), body=fd.Body(
        mass=1.0, com=(length/2, 0.02, 0.01), inertia=(0.01, length**2/12, length**2/12)))
        for name, length, turn in (("l1", a, 0.0), ("l2", b, first), ("l3", a, second))]
    pin = fd.Closure(kind="pin", a=(-b, 0.0, 0.0), b="l3.tip", axis=(0.0, s, c), turn=twist(-first - second))
    return fd.Chain(bars, gravity=(0.3, -9.81, 1.0), space="space", closures=[pin])


@pytest.fixture(scope="module")
def run():
    chain = bennett()
    q = fd.assemble(chain, [1.0, -3.4975901, -1.0], hold=["l1"])
    q, v = fd.assemble(chain, q, [1.0, 0.0, 0.0], hold=["l1"])
    return fd.simulate(chain, 3.0, q, v, samples=301, rtol=1e-9, atol=1e-11).check()


def shortest_forces(chain, q, v, acc):
    """(forces by NumPy's pseudoinverse, all gaps of the one closure measured alike; how much each moves)"""
    L, J = np.linalg.cholesky(fd.mass_matrix(chain, q)), fd.gap_jacobian(chain, q)
    scale = scales(chain).gaps
    Y = np.linalg.solve(L, J.T)/scale
    missing = np.linalg.solve(L, fd.inverse_dynamics(chain, q, v, acc))
    size = np.linalg.norm(Y, axis=0)
    return np.linalg.pinv(Y, rcond=1e-7) @ missing/scale, size/size.max()


def test_forces_have_no_poles_where_a_row_vanishes(run):
    """Those that follow from what all gaps of a closure move, in every state and by both roads."""
    chain, beside = run.chain, 0
    for q, v in zip(run.q, run.v):
        acc, rank = by_geometry(chain, q, v, np.zeros(3))
        force, size = shortest_forces(chain, q, v, acc)
        wanted = on_ends(chain, q, force)[0, 1]
        near = 1e-9 if size.min() > 2e-4 else 1e-3      # a gap that is idle gives nothing
        beside += size.min() < 0.01
        assert rank == 2
        for way in ROADS:
            found = fd.closure_forces(chain, q, v, closures=way)[0]
            assert np.abs(found - wanted).max() < near*np.abs(wanted).max()
            assert np.abs(fd.forward_dynamics(chain, q, v, closures=way) - acc).max() < 1e-12*np.abs(acc).max()
    assert beside > 1


def test_a_row_that_vanishes_costs_no_digits(run):
    assert np.abs(fd.gap_rates(run.chain, run.q, run.v)).max() < 1e-12
    assert np.abs(fd.gaps(run.chain, run.q)).max() < 1e-12 and run.stats["steps"] < 100
    assert np.abs(fd.closure_forces(run.chain, run.q, run.v)).max() < 25.0
