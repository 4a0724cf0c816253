"""Three hundred elastic links fall on the ground: the arch stays its own mirror image, and its ledger closes."""

import numpy as np
import pytest

import fastdyn as fd
from fastdyn.describe.catalog import falling_chain
from fastdyn.layout import ROUNDING, TIGHTER, TIGHTEST


@pytest.fixture(scope="module")
def arch():
    """286 m wide, 39 m high: its feet land first, joint after joint follows."""
    return fd.simulate(falling_chain("ss", n=300), 1.5, samples=16, rtol=1e-8, atol=1e-11)


def test_the_ledger_closes(arch):
    assert arch.ok and arch.t[-1] == 1.5 and arch.energy[0] > 7e4
    lost = {name: arch.ledger[name][-1] for name in ("air", "structure", "contact", "friction")}
    assert all(work < 0.0 for work in lost.values()) and lost["contact"] + lost["friction"] < -50.0
    assert np.max(np.abs(arch.energy_error)) < 1e-6 and np.max(np.abs(arch.energy_defect)) < 1e-5


def test_joints_touch_from_the_feet_inwards_and_in_pairs(arch):
    early = arch.contacts[arch.contacts["start"] < 1.2]     # later ones hang on digits that are lost by then
    counts = np.bincount(early["point"], minlength=301)
    assert len(arch.contacts) > 70 and counts.sum() > 30 and np.array_equal(counts, counts[::-1])
    touched = np.flatnonzero(counts[:150])
    assert len(touched) > 5 and touched[0] == 0 and touched[-1] < 50
    first = [early["start"][early["point"] == k][0] for k in (0, touched[-1])]
    assert first[0] == pytest.approx(np.sqrt(1.8/9.81), abs=1e-10) and first[1] > first[0]


def test_both_halves_do_the_same(arch):
    x = arch.points[:, :, :2]
    apart = np.max(np.abs(x + x[:, ::-1]*[1.0, -1.0]), axis=(1, 2))
    assert np.all(apart[arch.t < 0.6] < 1e-8) and apart[-1] < 0.01


def test_no_step_of_a_touch_is_shortened_for_rounding():
    """A depth carries the rounding of all links: tolerances are tightened as far as an error is told from it."""
    chain, words = falling_chain("ss", n=300), {"samples": 2, "rtol": 1e-11, "atol": 1e-14}
    deep = fd.simulate(chain, 0.4287, **words).check()
    clock = deep.checkpoint.arrays["clock"]
    assert clock[TIGHTEST] == 31.0 and clock[ROUNDING] > 0.0 and 0.0 <= clock[TIGHTER] < 8.0
    up = fd.simulate(chain, 0.4295, start=deep.checkpoint, **words).check()
    assert len(up.contacts) == 2 and np.all(up.contacts["end"] < 0.4291) and up.stats["steps"] < 1000


def test_where_rounding_holds_up_a_run_its_note_says_so_and_not_that_the_chain_rests():
    run = fd.simulate(falling_chain("ss", n=300), 0.43, samples=2, rtol=1e-13, atol=1e-16, max_steps=2500)
    assert not run.ok and 0.42835 < run.t[-1] < 0.43
    [note] = run.notes
    assert {"link1", "link300.tip"} == set(note.partition(":")[0].split(", "))
    assert "rounding of the contact forces" in note and "slowest" not in note
