"""A mass against the ground: runs reach the restitution that theory gives a law, which is not what it was told."""

import json
import re
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from laws.rebounds import theory, thrown
from scipy.optimize import minimize_scalar

from fastdyn.laws.contact import (
    GHARIB_HURMUZLU, HU_GUO, LANKARANI_NIKRAVESH, NORMAL_LAWS, SLOWEST, damping_factor, normal_force)

HOUSE = Path(__file__).parents[2]
REFERENCE = HOUSE/"tests"/"reference"
CLOSED = json.loads((REFERENCE/"elastic_chain"/"closed_forms.json").read_text())
TOLD = (0.05, 0.1, 0.3, 0.5, 0.7, 0.8, 0.9, 1.0)
STIFFNESS = 140e6
every_law = pytest.mark.parametrize("law", NORMAL_LAWS)


def numbers(restitution, exponent=1.5, stiffness=STIFFNESS, slowest=SLOWEST, clamp=0.0):
    return stiffness, exponent, restitution, slowest, clamp


@every_law
@pytest.mark.parametrize("v", [1e-3, 0.1, 10.0])
def test_runs_reach_what_theory_says(law, v):
    code = NORMAL_LAWS[law].code
    for told in TOLD:
        run = thrown(code, numbers(told), v)
        assert run.ratio == pytest.approx(theory(damping_factor(code, told), 1.5, STIFFNESS, v)[0], abs=1e-9)
        assert run.lost == pytest.approx(1.0 - run.ratio**2, abs=2e-9)  # nothing stays in the ground


@settings(max_examples=40)
@given(st.sampled_from([law.code for law in NORMAL_LAWS.values()]), st.floats(0.05, 1.0), st.floats(-3.0, 1.0),
       st.sampled_from([1.0, 1.3, 1.5, 2.0, 3.0]), st.floats(3.0, 9.0))
def test_the_rebound_knows_neither_speed_nor_stiffness_nor_exponent(law, told, log_v, exponent, log_stiffness):
    run = thrown(law, numbers(told, exponent, 10.0**log_stiffness), 10.0**log_v)
    assert run.ratio == pytest.approx(theory(damping_factor(law, told), 1.5, 1.0, 1.0)[0], abs=1e-8)
    assert run.lost == pytest.approx(1.0 - run.ratio**2, abs=1e-8)


@every_law
def test_a_free_mass_never_feels_the_clamp(law):
    for told in TOLD:
        free, clamped = (thrown(NORMAL_LAWS[law].code, numbers(told, clamp=c), 1.0) for c in (0.0, 1.0))
        assert (clamped.ratio, clamped.lost) == pytest.approx((free.ratio, free.lost), abs=1e-9)


@every_law
def test_below_the_floor_the_rebound_tends_to_one(law):
    code, c = NORMAL_LAWS[law].code, damping_factor(NORMAL_LAWS[law].code, 0.5)
    reached = [thrown(code, numbers(0.5, slowest=1e-2), v).ratio for v in (1e-2, 1e-3, 1e-4)]
    assert reached == pytest.approx([theory(c*share, 1.5, STIFFNESS, 1.0)[0] for share in (1.0, 0.1, 0.01)], abs=1e-9)
    assert reached[2] > 0.98 and (law == "hertz" or reached[0] < reached[1] < reached[2])


@pytest.mark.parametrize("name, row", CLOSED["rebound"]["rows"].items())
def test_rebounds_of_the_reference(name, row):
    law, told = name.split("_")
    e, _ = theory(damping_factor(NORMAL_LAWS[law].code, float(told)), 1.5, STIFFNESS, 1.0)
    assert e == pytest.approx(row["e"], abs=1e-13)


@pytest.mark.parametrize("name, row", CLOSED["flat_rigid_drop_v3"].items())
def test_depths_and_peaks_of_the_reference(name, row):
    """Each end of a rigid rod of 1 kg that falls flat at 3 m/s carries half its mass."""
    law, v, m = NORMAL_LAWS[name].code, 3.0, 0.5
    c = damping_factor(law, 0.8)
    e, most = theory(c, 1.5, STIFFNESS/m, v)

    def G(x):
        return x/c - np.log1p(c*x)/c**2 if c else 0.5*x*x

    def minus_force(x):
        depth = (2.5*m*v*v*(G(1.0) - G(x))/STIFFNESS)**0.4
        return -normal_force(law, numbers(0.8), depth, x*v, v)

    peak = minimize_scalar(minus_force, bounds=(-0.5*e, 0.999), method="bounded", options={"xatol": 1e-9})
    assert (e, most) == pytest.approx((row["e"], row["d_max"]), rel=1e-12)
    assert -peak.fun == pytest.approx(row["F_max"], rel=1e-12)


@pytest.mark.parametrize("row", json.loads((REFERENCE/"spatial_flexible"/"point_mass_LN.json").read_text())["records"])
def test_rebounds_of_lankarani_and_nikravesh(row):
    p = numbers(row["cn"], row["e"], row["K"]/row["m"])
    run, c = thrown(LANKARANI_NIKRAVESH, p, row["v0"], rtol=1e-11), damping_factor(LANKARANI_NIKRAVESH, row["cn"])
    e, most = theory(c, row["e"], row["K"]/row["m"], row["v0"])
    assert (e, most) == pytest.approx((row["effective_restitution"], row["depth_max_exact"]), rel=1e-13)
    assert run.ratio == pytest.approx(-row["v_out_exact"]/row["v0"], abs=1e-10)
    assert run.duration == pytest.approx(row["t_contact"], rel=1e-9)


def test_strong_damping_leaves_the_reciprocal_of_c():
    """The mass creeps out at v/c: Gharib & Hurmuzlu reach small restitutions, as told; Hu & Guo two thirds of them."""
    for told in (0.01, 0.03):
        assert theory(damping_factor(GHARIB_HURMUZLU, told), 1.5, 1.0, 1.0)[0] == pytest.approx(told, rel=1e-10)
        assert theory(damping_factor(HU_GUO, told), 1.5, 1.0, 1.0)[0] == pytest.approx(2/3*told/(1 - told), rel=1e-10)


def test_the_table_of_the_docs_is_what_is_reached():
    text = (HOUSE/"docs"/"theory"/"contact.md").read_text()
    head = re.search(r"\| told \|(.*)\|", text).group(1)
    told = [float(x) for x in head.split("|")]
    assert told == list(TOLD)
    rows = dict(re.findall(r"\| `([a-z-]+)` \|((?: 0\.\d{4} \|| 1\.0000 \|)+)", text))
    assert rows.keys() == NORMAL_LAWS.keys()
    for name, row in rows.items():
        reached = [theory(damping_factor(NORMAL_LAWS[name].code, x), 1.5, 1.0, 1.0)[0] for x in told]
        assert [float(x) for x in row.split("|") if x.strip()] == pytest.approx(reached, abs=5.0001e-5), name
