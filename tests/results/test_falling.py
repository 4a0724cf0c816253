"""A chain that falls on the ground: its file, its beginnings on the disk, its papers."""

import numpy as np
import pytest
from results.runs import assert_same

import fastdyn as fd
from fastdyn.layout import PAUSE
from fastdyn.results import spool as page
from fastdyn.results.spool import ENDING, Spool
from fastdyn.results.tables import WORK_COLUMNS
from fastdyn.run.course import Course


@pytest.fixture(scope="module")
def run():
    return fd.simulate(fd.catalog.falling_chain(), 0.6, samples=120)


def test_all_of_it_comes_back(run, tmp_path):
    run.save(tmp_path/"a.h5")
    assert_same(run, fd.open(tmp_path/"a.h5"))
    assert len(run.contacts) > 1 and len(run.touching) > 10 and run.points.shape == (120, 4, 3)


def test_events_tell_in_words_what_the_table_of_contacts_says(run):
    touch, part = (run.events[run.events["kind"] == kind] for kind in ("touch", "part"))
    contacts, closed = run.contacts, run.contacts[~np.isnan(run.contacts["end"])]
    closed = closed[np.argsort(closed["end"], kind="stable")]
    assert len(touch) == len(contacts) > 4 and len(touch) + len(part) == len(run.events)
    for mine, theirs in (("time", "start"), ("speed", "speed")):
        assert touch[mine].tolist() == contacts[theirs].tolist()
    assert touch["point"].tolist() == contacts["point"].tolist() and touch["speed"].min() > 0.0
    assert part["time"].tolist() == closed["end"].tolist()
    assert sorted(part["speed"].tolist()) == sorted(closed["leaving"].tolist())
    low = fd.Event(function=lambda t, q, v: q[1] - 0.5, name="low", terminal=True)
    mine = fd.simulate(run.chain, 0.6, events=low).events[-1]
    assert (mine["kind"], mine["point"], mine["direction"]) == ("falling", -1, -1) and np.isnan(mine["speed"])


def test_its_papers_are_those_of_its_beams_and_its_ground(run):
    for paper in ("Timoshenko 1921", "Hu & Guo 2015", "Ambrosio 2003", "Chandrupatla 1997", "Featherstone 2008"):
        assert f"[{paper}]" in run.cite()


@pytest.mark.parametrize("law, share", [("ambrosio", 0.3), ("ambrosio", 0.75), ("ambrosio", 0.95), ("coulomb", 0.75)])
def test_it_can_be_cut_off_anywhere_and_goes_on_to_the_bit(law, share, run, tmp_path, monkeypatch):
    """Contacts, modes of those that may stick, and works stand behind q and v in the tape, and in the checkpoint"""
    if law != run.chain.grounds[0].friction.law:
        run = fd.simulate(fd.catalog.falling_chain(friction_law=law), 0.6, samples=120)
    monkeypatch.setattr(page, "SYNCED_EVERY", -1.0)
    spool, path = Spool(tmp_path/"a.h5", run.chain, works=len(WORK_COLUMNS)), tmp_path/f"a.h5{ENDING}"
    empty, to = Course.empty, Course.to

    def emptied(course):
        empty(course)
        spool.append(course.times[-1], course.states[-1], checkpoint=course.checkpoint)

    def by_tens(course, *given, **words):
        course.stepping.setting[PAUSE] = np.inf             # pauses go by the clock; a tape that is full does not
        return to(course, *given, rows=10, **words)

    with monkeypatch.context() as patch:
        patch.setattr(Course, "empty", emptied)
        patch.setattr(Course, "to", by_tens)
        fd.simulate(run.chain, 0.6, samples=120)
    whole, content = fd.open(path), path.read_bytes()
    assert whole.q.tobytes() == run.q.tobytes() and whole.ledger.tobytes() == run.ledger.tobytes()
    assert np.array_equal(whole.energy_error, run.energy_error) and run.ledger["contact"].any()
    path.write_bytes(content[:int(share*len(content))])
    part = fd.open(path)
    n = len(part.t)
    assert 0.9*share - 0.1 < n/120 < share + 0.1 and part.v.tobytes() == run.v[:n].tobytes()
    on = fd.simulate(part.chain, 0.6, times=run.t[run.t > part.checkpoint.t], start=part.checkpoint)
    assert on.q[-1].tobytes() == run.q[-1].tobytes() and on.ledger[-1] == run.ledger[-1]
