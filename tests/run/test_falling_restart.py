"""Falling chains that stop in the middle of a contact, are sampled more or less densely, run with other steppers."""

import base64

import numpy as np
import pytest

import fastdyn as fd
from fastdyn.describe.falling import falling_chain
from fastdyn.show.player import content
from fastdyn.show.traces import forces_of
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
        again = np.count_nonzero(rest.touching["time"] == part.t[-1])   # what touches then is told by both
        assert again == np.count_nonzero(np.isnan(part.contacts["end"]))
        for name, left in (("touching", rest.touching[again:]), ("events", rest.events)):
            both = np.concatenate([getattr(part, name), left])
            assert both.tobytes() == getattr(whole, name).tobytes(), name
        for name in ("contact", "friction", "structure", "air"):
            assert np.array_equal(rest.ledger[name], whole.ledger[name][-n:]), name


def test_what_touches_where_a_run_goes_on_is_seen_from_there_on():
    """Its force is in the log at once, and the page that plays the run has an arrow at its first instant."""
    first = fd.simulate(LOW, UNTIL, **WAY).contacts[0]
    part = fd.simulate(LOW, 0.5*(first["start"] + first["end"]), samples=2)
    rest = fd.simulate(LOW, UNTIL, start=part.checkpoint, samples=20)
    log = rest.touching[rest.touching["point"] == first["point"]]
    force = rest.forces[0, first["point"], 1]
    assert log["time"][0] == rest.t[0] and log["normal"][0] == pytest.approx(force, rel=1e-12)
    page = content(rest, np.arange(len(rest.t)), 1.0)
    contact = next(c for c in page["contacts"] if c["point"] == first["point"])
    rows = np.frombuffer(base64.b64decode(page["touch"]), "<f4").reshape(-1, 3)[contact["from"]:contact["to"]]
    assert contact["start"] == 0.0 and rows[0, 0] == 0.0 and rows[0, 1] == np.float32(log["normal"][0]) > 1.0
    drawn = next(f for f in forces_of(rest)[0] if f.name == rest.point_names[first["point"]])
    assert drawn.t[0] == rest.t[0] and drawn.normal[0] == pytest.approx(log["normal"][0], rel=1e-12)


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
