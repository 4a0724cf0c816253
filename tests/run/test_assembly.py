"""Loops that are closed from a guess: straight guesses, held joints, ends of distances that meet, what cannot close."""

import numpy as np
import pytest

import fastdyn as fd
from fastdyn.status import ModelError

PIN = {"kind": "pin", "a": (1.0, 0.0, 0.0), "b": "rocker.tip"}


def test_ends_of_a_distance_that_meet_are_bent_apart():
    """From there every way is the way apart, so the gap has no slope."""
    body = fd.Link(name="p", joint=fd.FreePlanar(), length=1.0, mass=1.0, radius=0.1)
    chain = fd.Chain([body], closures=[fd.Closure(kind="distance", a=(0.0, 0.0, 0.0), b="p", length=1.0)])
    q = fd.assemble(chain)
    assert np.hypot(q[0], q[1]) == pytest.approx(1.0, abs=1e-12)
    for ask in (fd.gap_jacobian, lambda chain, q: fd.gap_rates(chain, q, q), fd.mobility):
        with pytest.raises(ModelError, match=r"closure\[0\]: the ends of this distance meet here, so that no"):
            ask(chain, np.zeros(3))


@pytest.mark.parametrize("words", [{}, {"stiffness": 100.0}])
def test_motions_asked_where_ends_of_a_distance_meet_name_it(words):
    body = fd.Link(name="p", joint=fd.FreePlanar(), length=1.0, mass=1.0, radius=0.1)
    here = fd.Closure(kind="distance", a=(0.0, 0.0, 0.0), b="p", length=1.0, name="string", **words)
    chain, still = fd.Chain([body], closures=[here]), np.zeros(3)
    for way in ("multipliers", "minimal"):
        for ask in fd.forward_dynamics, fd.closure_forces, fd.reactions:
            with pytest.raises(ModelError, match=r'closure\[0\] "string": the ends of this distance meet here'):
                ask(chain, still, still, closures=way)
    if words:
        for formulation in "recursive", "lagrange":
            with pytest.raises(ModelError, match=r'closure\[0\] "string": the ends of this distance meet here'):
                fd.inverse_dynamics(chain, still, still, still, formulation=formulation)
        run = fd.simulate(chain, 0.1, still, still, samples=2)
        assert not run.ok and 'closure[0] "string": the ends of this distance meet here' in run.message


def test_a_straight_guess_is_bent_and_many_states_are_answered():
    bars = [fd.Link(name=name, length=1.0, mass=1.0) for name in ("crank", "coupler", "rocker")]
    chain = fd.Chain(bars, closures=[fd.Closure(**PIN)])
    q = fd.assemble(chain, np.zeros(3))
    assert np.abs(fd.gaps(chain, q)).max() < 1e-12 and np.abs(q).max() < 2*np.pi
    guesses = np.array([[1.0, -1.1, -1.9], [1.0, 2.2, -1.5]])
    many, v = fd.assemble(chain, guesses, np.ones((2, 3)), hold=["crank"])
    assert np.array_equal(many, [fd.assemble(chain, guess, hold=["crank"]) for guess in guesses])
    assert fd.gaps(chain, many).shape == (2, 2) and np.abs(fd.gap_rates(chain, many, v)).max() < 1e-12
    acc, J = fd.forward_dynamics(chain, many, v), fd.gap_jacobian(chain, many)
    assert J.shape == (2, 2, 3) and np.array_equal(J[1], fd.gap_jacobian(chain, many[1]))
    assert np.abs(fd.drive_torques(chain, many, v, acc, ["crank"])).max() < 1e-9
    with pytest.raises(ModelError, match=r"state 2 of 2 \(row 1\): closure\[0\] is open"):
        fd.drive_torques(chain, [many[0], guesses[1]], v, acc, ["crank"])


def test_assembly_takes_the_guess_and_holds_joints():
    bars = [fd.Link(name=name, length=1.0, mass=1.0) for name in ("crank", "coupler", "rocker")]
    chain = fd.Chain(bars, closures=[fd.Closure(**PIN)])
    up, down = (fd.assemble(chain, [1.0, *guess], hold=["crank"]) for guess in ((-1.1, -1.9), (2.2, -1.5)))
    assert up[0] == down[0] == 1.0 and up[1] < 0.0 < down[1]
    assert max(np.abs(fd.gaps(chain, q)).max() for q in (up, down)) < 1e-12
    q, v = fd.assemble(chain, up, [2.0, 0.0, 0.0], hold=["crank"])
    assert v[0] == 2.0 and np.abs(fd.gap_rates(chain, q, v)).max() < 1e-12


@pytest.mark.parametrize("given, said", [
    ({"a": (9.0, 0.0, 0.0)}, r"closure\[0\] cannot be closed from here: .* m is the least gap"),
    ({"name": "last pin", "a": (0.0, 9.0, 0.0)}, r'closure\[0\] "last pin" cannot be closed'),
])
def test_loops_that_cannot_close(given, said):
    bars = [fd.Link(name=name, length=1.0, mass=1.0) for name in ("crank", "coupler", "rocker")]
    with pytest.raises(ModelError, match=said):
        fd.assemble(fd.Chain(bars, closures=[fd.Closure(**PIN | given)]), [0.3, 0.2, 0.1])


def test_open_starts_are_refused():
    bars = [fd.Link(name=name, length=1.0, mass=1.0) for name in ("crank", "coupler", "rocker")]
    chain = fd.Chain(bars, closures=[fd.Closure(**PIN)])
    with pytest.raises(ModelError, match=r"closure\[0\] is open by .* at the start"):
        fd.simulate(chain, 1.0)
    q = fd.assemble(chain, [1.0, -1.1, -1.9])
    with pytest.raises(ModelError, match=r"closure\[0\] opens with .* m/s at the start"):
        fd.simulate(chain, 1.0, q, [1.0, 0.0, 0.0])
