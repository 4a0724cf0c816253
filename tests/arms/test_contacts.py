"""The fall of the Canadarm2 onto an oblique plane: contacts from touch-down to separation against stored ones."""

import numpy as np
import pytest

from arms.words import stored
from fastdyn.arms.catalog import canadarm2
from fastdyn.arms.run import crossings

CONTACTS = stored("contacts")


def landed(name, **words):
    """The contact from its stored start on."""
    ref, (set, friction) = CONTACTS[name], name.split("_", 1)
    arm = canadarm2(set, "none", restitution=1.0) if friction == "none_cn1" else canadarm2(set, friction)
    run = arm.simulate(ref["t_end"] + 1e-5, t=ref["t_start"], q=ref["q_start"], v=ref["qd_start"],
                       touch=[ref["v0_normal"]], **words)
    assert run.status == 0, run.why
    return ref, run


@pytest.mark.parametrize("name", sorted(CONTACTS))
def test_peaks_reversals_end_and_works(name):
    ref, run = landed(name, rtol=1e-9, atol=1e-11, h_max=3e-5)
    (contact,) = run.contacts
    assert contact.end == pytest.approx(ref["t_end"], abs=1e-8)
    assert [p[0] for p in contact.peaks] == pytest.approx([p["t"] for p in ref["peaks"]], abs=1e-8)
    assert [p[1] for p in contact.peaks] == pytest.approx([p["FN"] for p in ref["peaks"]], rel=1e-6)
    assert [p[2] for p in contact.peaks] == pytest.approx([p["FT"] for p in ref["peaks"]], rel=1e-5, abs=1e-6)
    assert contact.depth == pytest.approx(ref["max_penetration"], rel=1e-5)
    normal, friction, _, _ = run.works[-1]
    scale = np.sum(run.energy[0])
    assert abs(normal + ref["hysteresis_work"]) + abs(friction + ref["friction_work"]) < 1e-7*abs(scale)
    assert np.abs(run.balance).max() < 1e-10*abs(scale)
    stored_times = {s["axis"]: s["times"] for s in ref["sign_changes"]}
    for axis, times in zip(("vt1", "vt2"), contact.reversals):
        assert times == pytest.approx(stored_times.get(axis, []), abs=1e-7)


def test_reversals_are_those_of_the_cubics_between_steps():
    zeros = np.array([0.3, 0.4, 1.0])                       # two in one step, one on its end
    t = np.arange(4.0)
    poly = np.poly1d(zeros, r=True)
    assert crossings(t[:3], poly(t[:3]), poly.deriv()(t[:3])) == pytest.approx(zeros, abs=1e-12)
    line = np.array([0.0, 0.0, -1.0, 1.0])
    assert crossings(t, line, np.array([0.0, 0.0, 0.0, 0.0])) == pytest.approx([2.5], abs=1e-12)


def test_reversals_within_long_steps_are_counted():
    c = canadarm2("R2", "II").simulate(0.654136, rtol=1e-5, atol=1e-7).contacts[0]
    assert tuple(map(len, c.reversals)) == (2, 3)


@pytest.mark.parametrize("set, words", [
    ("R2", {"method": "rkf45", "rtol": 1e-10}), ("R5", {"method": "rkf45", "rtol": 1e-10}),
    ("R2", {"method": "dop853", "rtol": 1e-9}),
    ("R2", {"method": "adams", "policy": "flight-contact", "rtol": 1e-9, "h_min": 1e-6}),
    ("R2", {"method": "abm4", "policy": "flight-contact", "rtol": 1e-8, "h_min": 1e-7}),
], ids=lambda x: x if isinstance(x, str) else x["method"])
def test_from_rest_through_the_impact(set, words):
    """One fall by steppers that share no step: switches to 1e-8 s, peaks to 1e-3 N."""
    ref = CONTACTS[f"{set}_II"]
    run = canadarm2(set, "II").simulate(ref["t_end"] + 1e-5, atol=words["rtol"]/100.0, **words)
    (contact,) = run.contacts
    assert run.status == 0 and run.t[0] == 0.0
    assert [contact.start, contact.end] == pytest.approx([ref["t_start"], ref["t_end"]], abs=1e-8)
    assert contact.speed == pytest.approx(ref["v0_normal"], abs=1e-7)
    assert [p[1] for p in contact.peaks] == pytest.approx([p["FN"] for p in ref["peaks"]], abs=1e-3)
    assert [len(times) for times in contact.reversals] == ([2, 3] if set == "R2" else [0, 2])
    assert np.abs(run.balance).max() < 1e-10*np.abs(run.energy).sum(axis=1).max()


def test_adams_with_fixed_steps_in_contact():
    ref, run = landed("R2_II", method="abm4", policy="flight-contact", h_min=1e-6, rtol=1e-7)
    (contact,) = run.contacts
    assert contact.end == pytest.approx(ref["t_end"], abs=2e-8)
    assert [p[1] for p in contact.peaks] == pytest.approx([p["FN"] for p in ref["peaks"]], rel=1e-6)
    assert [len(times) for times in contact.reversals] == [2, 3]
    assert run.counts["steps"] > 9000
