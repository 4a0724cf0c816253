"""The audit of a scheme for a chain: limits in closed form, and what it says is what runs do."""

import numpy as np
import pytest
from transfer.common import read

from fastdyn import ModelError
from fastdyn.transfer.audit import limit
from fastdyn.transfer.linked import LinkArm
from fastdyn.transfer.schemes import SCHEMES, newmark
from fastdyn.transfer.torsion import TorsionChain, torsion_chain


def test_it_finds_the_limits_of_stability():
    for name, exact in (("newmark", np.inf), ("newmark-1/6", 12**0.5), ("newmark-1/8", 8**0.5), ("newmark-0", 2.0),
                        ("newmark-1/12", 6**0.5), ("houbolt", np.inf), ("proposed", 0.0),
                        (newmark(0.2, 0.5), 20**0.5)):
        assert limit(name) == pytest.approx(exact, rel=1e-4)
    for row in read("integrator_spectra")["proposed_stability_limit"]:
        if row["xi"] >= 0.01:
            assert limit("proposed", row["xi"]) == pytest.approx(row["omega_dt_limit"], rel=1e-3)


@pytest.mark.parametrize("name", SCHEMES)
@pytest.mark.parametrize("dt", [0.1, 0.3, 0.6])
def test_what_it_says_is_what_runs_do(name, dt):
    """Growth over many steps from a random start, against the radius to their power."""
    chance = np.random.default_rng(1)
    row = lambda low, high: tuple(chance.uniform(low, high, 4))
    chain = TorsionChain(inertia=row(0.5, 2.0), stiffness=row(10.0, 40.0), damping=row(0.05, 0.3),
                         angles=row(-1.0, 1.0))
    found = chain.audit(dt, name)
    steps = 400 if found.radius < 2.0 else 100
    size = np.max(np.abs(chain.simulate(steps*dt, dt, name).angles[steps - 20:]))
    assert np.log(size)/steps == pytest.approx(np.log(found.radius), abs=0.02) or found.radius < 0.9
    assert found.stable == (found.radius <= 1.0 + 1e-9) and (size < 5.0 if found.stable else size > 5.0)


def test_the_published_examples_and_the_proposed_scheme():
    """Unstable from T = 0.85 s with two links, from 0.216 s with ten."""
    for n, inertia, edge in ((2, 5.0, 0.85), (10, 1.0, 0.216)):
        chain = torsion_chain(n, inertia=inertia)
        assert chain.audit(edge*0.98, "proposed").stable and not chain.audit(edge*1.02, "proposed").stable
        assert chain.audit(edge, "proposed").limit == 0.0 == chain.audit(edge, "proposed").largest_dt


def test_the_largest_step_by_the_fastest_frequency():
    found = torsion_chain(5, damping=0.0).audit(0.2, "newmark-0")
    omega = torsion_chain(5, damping=0.0).natural_frequencies()[-1]
    assert found.fastest == pytest.approx(0.2*omega) and found.largest_dt == pytest.approx(2.0/omega, rel=1e-4)
    for share, stable in ((0.999, True), (1.001, False)):
        assert torsion_chain(5, damping=0.0).audit(share*found.largest_dt, "newmark-0").stable is stable


def test_chains_too_long_for_a_matrix_are_refused():
    with pytest.raises(ModelError, match="has 500 links"):
        torsion_chain(500).audit(0.1)


def test_motions_without_inertia_are_refused():
    """Two straight links that carry a point mass turn against each other without moving it."""
    with pytest.raises(ModelError, match=r"link 2: masses is 1e\+300; give a number from"):
        LinkArm(lengths=(1.0, 1.0), masses=(1.0, 1e300))
    arm = LinkArm(lengths=(1.0, 1.0), masses=(0.0, 1.0), inertias=0.0, centres=1.0, stiffness=1.0)
    for ask in (lambda: arm.audit(0.1), lambda: arm.simulate(1.0, 0.1)):
        with pytest.raises(ModelError, match="link-arm: some of its motions have no inertia"):
            ask()
