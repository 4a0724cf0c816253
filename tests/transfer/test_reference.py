"""What the files of tests/reference/transfer_matrix say beyond what other tests here read: every number is met."""

import numpy as np
import pytest
from transfer.common import NAMES, at_stations, cases, chain_of, read

from fastdyn.transfer import BeamArm, hinged_beam, torsion_chain
from fastdyn.transfer.laboratory import exact

RULE = {"mid_seed": "mid", "mid_unit": "mid-unit", "left_trap": "left", "left_unit": "left-unit",
        "left_seed": "left-printed"}
EXAMPLES, ELASTICA, BEAM = read("examples"), read("beam_static"), read("beam_frequencies")
FINE = 0.005                                                # s: the examples were sampled so


# ---------------------------------------------------------------------------------------------------------- torsion


@pytest.mark.parametrize("case", cases("linear_exact").values(), ids=cases("linear_exact"))
def test_rates_of_exact_responses(case):
    """Two runs, T and T/2, and the value that both extrapolate to."""
    chain = chain_of(case)
    T = 0.005 if chain.stiffness[0] < 500.0 else 0.005/40
    steps = np.round(np.array(case["times"])/T).astype(int)
    coarse, fine = (at_stations(case, chain.simulate(case["t_end"], T/cut, every=cut).velocities)[steps]
                    for cut in (1, 2))
    size = np.max(np.abs(case["rate"]))
    assert np.max(np.abs(fine - case["rate"])) < 5e-3*size
    assert np.max(np.abs(fine + (fine - coarse)/3.0 - case["rate"])) < 0.05*np.max(np.abs(fine - case["rate"]))


@pytest.mark.parametrize("row", read("frequencies")["uniform"], ids=lambda row: f"n{row['n']}")
def test_uniform_chains(row):
    omega = torsion_chain(row["n"], row["inertia"], row["stiffness"]).natural_frequencies()
    assert omega[:len(row["omega"])] == pytest.approx(row["omega"], rel=1e-12)
    assert omega[-1] == pytest.approx(row["omega_max"], rel=1e-12)


def test_the_pair_of_links():
    theirs, roots = read("frequencies")["seed_2dof"], torsion_chain(2, 5.0).damped_eigenvalues()
    assert sorted(set(np.round(np.abs(roots), 12))) == pytest.approx(theirs["omega"], rel=1e-11)
    assert sorted(set(np.round(-roots.real/np.abs(roots), 12))) == pytest.approx(theirs["zeta"], rel=1e-11)


@pytest.mark.parametrize("row", EXAMPLES["rows"], ids=lambda row: row["name"])
def test_facts_of_the_published_examples(row):
    chain = torsion_chain(row["n"], row["inertia"], row["stiffness"], row["damping"])
    omega = chain.natural_frequencies()
    assert (omega[0], omega[-1]) == pytest.approx((row["omega_1"], row["omega_max"]), rel=1e-12)
    ratio = row["damping"]/row["stiffness"]/2.0             # damping in proportion to stiffness
    assert (ratio*omega[0], ratio*omega[-1]) == pytest.approx((row["zeta_1"], row["zeta_max"]), rel=1e-12)
    t = FINE*np.arange(24001)
    tip, static = exact(chain, t)[:, -1], row["static_tip"]
    assert np.max(tip) == pytest.approx(row["peak"], rel=1e-12)
    assert np.max(tip)/static == pytest.approx(row["peak_over_static"], rel=1e-12)
    for band, name in ((0.02, "2pct"), (0.05, "5pct"), (0.1, "10pct")):
        outside = np.flatnonzero(np.abs(tip - static) > band*static)
        assert t[outside[-1] + 1] == pytest.approx(row[f"settling_time_{name}"], abs=1.01*FINE)
    turns = 1 + np.flatnonzero(np.diff(np.sign(np.diff(tip))))
    for (when, height), at in zip(row["first_extrema"], turns):
        assert (t[at], tip[at]) == (pytest.approx(when, abs=1.01*FINE), pytest.approx(height, rel=1e-9))


def test_claimed_ratios_of_costs_are_those_of_the_claimed_costs():
    said = EXAMPLES["seed_claims"]["cpu_seconds"]
    assert [round(ten/two, 2) for ten, two in zip(said["10dof"], said["2dof"])] == said["ratio"]


@pytest.mark.parametrize("case", cases("integrator_sequences").values(), ids=cases("integrator_sequences"))
def test_angles_as_unknowns_give_the_sequences_too(case):
    chain = chain_of(case)
    for theirs, expect in case["methods"].items():
        if theirs != "newmark_0":
            run = chain.simulate(case["steps"]*case["dt"], case["dt"], NAMES[theirs], form="displacement")
            found = at_stations(case, run.angles)[case["rows"]]
            assert np.max(np.abs(found - expect["theta"])) < 1e-10*case["theta_scale"], theirs


def test_angles_as_unknowns_lose_some_digits_and_products_all():
    chain = chain_of(cases("integrator_sequences")["100dof_undamped_fine"])
    right, other = (chain.simulate(1.0, 1e-3, form=form).angles for form in ("riccati", "displacement"))
    assert 1e-13 < np.max(np.abs(right - other))/np.max(np.abs(right)) < 1e-10


# ----------------------------------------------------------------------------------------------------------- bending


@pytest.mark.parametrize("row", ELASTICA["rows"], ids=lambda row: f"load {row['alpha']}")
def test_angles_of_the_tip(row):
    for chain in row["chains"]:
        arm = BeamArm(n=chain["n"], rule=RULE[chain["rule"]], tip_force=(0.0, row["alpha"]))
        assert arm.equilibrium()[-1] == pytest.approx(chain["angle"], abs=1e-11)
    fine = BeamArm(n=160, tip_force=(0.0, row["alpha"]), rule="mid-unit")
    assert fine.equilibrium()[-1] == pytest.approx(row["elastica"]["angle"], rel=2e-4)


def test_first_springs_of_the_rule():
    for row in ELASTICA["seed_factors"]:
        n = row["n"]
        found = BeamArm(n=n).hinging.stiffness[:2]/n        # over EI/l
        assert found == pytest.approx(row["factors_first_two"], rel=1e-12)


def test_frequencies_of_the_beam_and_how_far_rules_are_from_them():
    beta, omega = np.array(BEAM["beta_l"]), np.array(BEAM["euler_bernoulli"])
    assert np.max(np.abs(np.cosh(beta)*np.cos(beta) + 1.0)/np.cosh(beta)) < 1e-13*beta[-1]
    assert omega == pytest.approx(beta[:len(omega)]**2, rel=1e-13)
    for row in BEAM["rows"]:
        found = hinged_beam(row["n"], rule=RULE[row["rule"]]).natural_frequencies(len(row["omega"]))
        assert found/omega[:len(found)] - 1.0 == pytest.approx(row["relative_error"], abs=1e-15*row["n"]**4 + 1e-11)
