"""Chains side by side have the bits of chains alone, and vectors do their work."""

import re
import warnings

import numpy as np
import pytest
from msgspec.structs import replace
from numba.core.caching import NullCache

from fastdyn import ModelError, Sine
from fastdyn._jit import config, ready
from fastdyn.transfer import StabilityWarning, simulate_many
from fastdyn.transfer.lanes import build, lanes_for
from fastdyn.transfer.torsion import TorsionChain, torsion_chain

pytestmark = pytest.mark.kernels


def some(count, n, seed=0):
    chance = np.random.default_rng(seed)
    for i in range(count):
        row = lambda low, high: tuple(chance.uniform(low, high, n))
        loads = {int(link): Sine(*chance.uniform(0.5, 3.0, 2)) for link in chance.integers(1, n + 1, 2)}
        yield TorsionChain(inertia=row(0.5, 2.0), stiffness=row(1.0, 50.0), damping=row(0.0, 1.0),
                           angles=row(-1.0, 1.0), rates=row(-1.0, 1.0), base=Sine(0.1, 1.0 + i), loads=loads)


@pytest.mark.parametrize("name", ["newmark", "houbolt", "proposed", "gen-alpha", "wilson"])
def test_bits_are_those_of_one_chain(name):
    chains = list(some(35, 6))
    runs = simulate_many(chains, 0.5, 0.01, name, every=3)
    assert len(runs) == 35 and lanes_for(6) == 32
    for chain, run in zip(chains, runs):
        alone = chain.simulate(0.5, 0.01, name, every=3)
        assert run.system is chain and np.array_equal(run.t, alone.t)
        assert np.array_equal(run.angles, alone.angles)
        assert np.array_equal(run.accelerations, alone.accelerations)
        assert run.energies["strain"] == pytest.approx(alone.energies["strain"], rel=1e-13)


@pytest.mark.parametrize("name", ["newmark", "gen-alpha"])
def test_chains_that_differ_in_loads_and_starts_share_their_numbers(name):
    one, chance = next(some(1, 6)), np.random.default_rng(3)
    row = lambda: tuple(chance.uniform(-1.0, 1.0, 6))
    loads = lambda: {int(chance.integers(1, 7)): Sine(*chance.uniform(0.5, 3.0, 2))}
    chains = [replace(one, angles=row(), rates=row(), loads=loads(), base=Sine(0.1, 1.0 + i)) for i in range(33)]
    for chain, run in zip(chains, simulate_many(chains, 0.5, 0.01, name, every=7)):
        alone = chain.simulate(0.5, 0.01, name, every=7)
        assert np.array_equal(run.angles, alone.angles) and np.array_equal(run.t, alone.t)
        assert np.array_equal(run.accelerations, alone.accelerations) and run.t[-1] == pytest.approx(0.5)


@pytest.mark.parametrize("n", [400, 3500])
def test_longer_chains_go_by_fewer_lanes(n):
    chains = list(some(3, n))
    run = simulate_many(chains, 0.05, 0.01)[2]
    assert np.array_equal(run.angles, chains[2].simulate(0.05, 0.01).angles) and lanes_for(n) < 32


@pytest.mark.parametrize("many, shared", [(2, False), (3, False), (2, True)])
@pytest.mark.skipif(bool(config.DISABLE_JIT or config.BOUNDSCHECK), reason="there is no assembly of plain Python")
def test_lane_loops_are_vectors(many, shared):
    """Products and sums of whole registers, many more than of single numbers; what comes from the cache has no text."""
    made = build.__wrapped__(32, many, shared)
    made._cache = NullCache()
    (text,) = ready(made).inspect_asm().values()
    whole, single = (len(re.findall(rf"\bv?(?:mul|add|sub){kind}\b", text)) for kind in ("pd", "sd"))
    assert whole > 20 and whole > single


def test_there_may_be_none():
    assert simulate_many([], 1.0, 0.1) == []


@pytest.mark.parametrize("chains", [
    [torsion_chain(2), torsion_chain(3)], [torsion_chain(2), "chain"],
    [TorsionChain(inertia=(1.0, 1.0), stiffness=1.0, parents=(0, 0))],
])
def test_what_is_refused(chains):
    with pytest.raises(ModelError, match=r"chains\[\d\] is .*; give torsion chains without branches"):
        simulate_many(chains, 1.0, 0.1)


def test_a_scheme_that_makes_one_of_them_grow_is_warned_of_once():
    """The stiffest of chains that differ; chains that are alike are looked at once."""
    calm, wild = torsion_chain(5, damping=0.0), torsion_chain(5, damping=0.0, stiffness=2000.0)
    with pytest.warns(StabilityWarning, match=r"chains\[2\]: newmark-0 with dt = 0.05 s multiplies") as said:
        simulate_many([calm, calm, wild, wild, calm], 2.0, 0.05, "newmark-0")
    assert len(said) == 1 and said[0].filename == __file__
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        simulate_many([calm]*3, 2.0, 0.05, "newmark-0")
