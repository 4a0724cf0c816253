"""Falling chains that stop in the middle of a contact, are sampled more or less densely, run with other steppers."""

import numpy as np
import pytest

import fastdyn as fd
from fastdyn.describe.falling import falling_chain
from formulations.common import off, within

LOW = falling_chain("ss-sc", angle=20.0, height=1e-3)   # touches after 14 ms
STEPPERS = ["dop853", "dopri5", "rkf45", "adams", "radau5"]
every_stepper = pytest.mark.parametrize("stepper", STEPPERS)
UNTIL, WAY = 0.022, {"rtol": 1e-7, "atol": 1e-9, "every": True}


@every_stepper
def test_a_run_stopped_in_mid_contact_goes_on_to_the_bit(stepper, tmp_path):
    """Stopped in the air, at the touch, on its friction's ramp, deep in the ground and as it leaves; from a file."""
    whole = fd.simulate(LOW, UNTIL, stepper=stepper, **WAY).check()
    first, times = whole.contacts[0], np.unique(whole.t)
    assert len(whole.contacts) >= 2 and first["end"] < UNTIL
    span = first["end"] - first["start"]
    places = [0.5*first["start"], first["start"], first["start"] + 0.004*span, first["start"] + 0.5*span, first["end"]]
    for place in places:
        steps = max(int(np.searchsorted(times, place)), 1)
        part = fd.simulate(LOW, UNTIL, stepper=stepper, max_steps=steps, **WAY)
        assert part.stats["steps"] == steps and not part.ok
        part.checkpoint.save(tmp_path/"stop.npz")
        rest = fd.simulate(LOW, UNTIL, stepper=stepper, start=fd.open_checkpoint(tmp_path/"stop.npz"), **WAY)
        n = len(rest.t)
        assert rest.ok and rest.stats == whole.stats
        for name in ("t", "q", "v", "points", "point_velocities", "forces"):
            assert np.array_equal(getattr(rest, name), getattr(whole, name)[-n:]), name
        for name in ("touching", "events"):
            both = np.concatenate([getattr(part, name), getattr(rest, name)])
            assert both.tobytes() == getattr(whole, name).tobytes(), name
        for name in ("contact", "friction", "structure", "air"):
            assert np.array_equal(rest.ledger[name], whole.ledger[name][-n:]), name


def test_how_many_samples_are_kept_changes_nothing():
    few, many = (fd.simulate(falling_chain("ss-ss-ss"), 0.6, samples=samples) for samples in (2, 501))
    assert len(few.contacts) > 8 and few.contacts.tobytes() == many.contacts.tobytes()
    assert few.touching.tobytes() == many.touching.tobytes() and few.events.tobytes() == many.events.tobytes()
    assert few.stats == many.stats
    assert np.array_equal(few.q, many.q[[0, -1]]) and few.ledger.tobytes() == many.ledger[[0, -1]].tobytes()


@every_stepper
def test_all_steppers_see_the_same_contacts(stepper):
    rtol = 1e-9
    known, found = (fd.simulate(LOW, 0.05, samples=2, stepper=name, rtol=own).check().contacts
                    for name, own in (("dop853", 1e-11), (stepper, rtol)))
    assert len(known) >= 3 and np.array_equal(found["point"], known["point"])
    assert within(np.max(np.abs(found["start"] - known["start"])), 1e-8)
    closed = ~np.isnan(known["end"])
    assert within(np.max(np.abs(found["end"] - known["end"])[closed]), 1e-8)
    for name, bound in (("speed", 1e-5), ("force", 1e-5), ("depth", 1e-5), ("impulse", 1e-4)):
        assert within(off(found[name], known[name]), bound), name
