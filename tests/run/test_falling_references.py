"""Flights and impacts of elastic chains of one to six links against runs of another program; every normal law."""

import numpy as np
import pytest
from elastic_references import as_theirs, beyond, chain_of, ours, read, sorted_contacts
from formulations.common import off, within
from formulations.elastic_chains import one_ladder_of_beams

import fastdyn as fd
from fastdyn.describe.falling import falling_chain

__all__ = ["one_ladder_of_beams"]
pytestmark = pytest.mark.usefixtures("one_ladder_of_beams")
FINE = {"rtol": 1e-12, "atol": 1e-15, "event_tol": 1e-10}
MORE_MODES = {("ss-ss-ss", 2): 40, ("sc-cc-cs", 2): 32, ("cc-cc-cc", 3): 22, ("cs-ss-sc", 3): 26}


def started(chain, case):
    return chain.replace(start_q=ours(case["Z"]), start_v=ours(case["Zd"]))


def states_agree(run, case, own):
    """Coordinates and velocities at all stored times, energies and works; `own`: our error relative to the largest."""
    for i, state in enumerate(case["states"]):
        for found, (values, bounds) in ((run.q[i], state["Z"]), (run.v[i], state["Zd"])):
            error = np.abs(found - ours(values))/(5.0*ours(bounds) + own*np.max(np.abs(values)))
            assert within(error.max(), 1.0)
        w = run.ledger[i]
        found = [w["kinetic"], w["gravity"], w["strain"], w["air"] + w["structure"], w["contact"], w["friction"]]
        values, bounds = map(np.array, state["energies"])
        assert within(np.max(np.abs(found - values)/(5.0*bounds + own*np.max(np.abs(values)))), 1.0)


@pytest.mark.parametrize("n, m", [(n, m) for n in (1, 2, 3, 4) for m in (1, 2)])
def test_flights(n, m):
    """All supports, free ends too; momenta besides."""
    for name, case in read("flights")["runs"].items():
        if not name.startswith(f"n{n}_m{m}_"):
            continue
        chain = started(chain_of("flights", case).replace(grounds=()), case)
        times = [0.0, *(state["t"] for state in case["states"])]
        run = fd.simulate(chain, times[-1], times=times, **FINE).check()
        for i, (p1, p2, H, x1, x2) in ((0, case["momenta"][0]), (-1, case["momenta"][1])):
            (P, L), c = fd.momentum(chain, run.q[i], run.v[i]), fd.mass_center(chain, run.q[i])
            size = np.linalg.norm(c)*np.linalg.norm(P)
            assert within(off([*P[:2], *c[:2]], [p1, p2, x1, x2]), 1e-12)
            assert within(abs(L[2] - np.cross(c, P)[2] - H)/size, 1e-12)
        assert within(np.max(np.abs(run.energy_error)), 1e-8)
        for array in ("q", "v", "ledger"):
            setattr(run, array, getattr(run, array)[1:])
        states_agree(run, case, 1e-9)


@pytest.mark.parametrize("name", read("contacts")["runs"])
def test_impacts(name):
    case = read("contacts")["runs"][name]
    contacts_agree(fd.simulate(started(chain_of("contacts", case), case), case["t_end"], samples=2, **FINE), case)


@pytest.mark.parametrize("name", read("clamped")["runs"])
def test_impacts_on_a_ground_that_never_pulls(name):
    """Those where the literal law does pull; steps end where it lets go and where it takes hold again."""
    case = read("clamped")["runs"][name]
    chain = started(chain_of("clamped", case, clamp=True), case)
    run = fd.simulate(chain, case["t_end"], samples=2, **FINE | {"rtol": 1e-13, "atol": 1e-16})
    contacts_agree(run, case, own=1e-12)
    assert clamps_met(run, 0.375) > 0
    literal = fd.simulate(started(chain_of("clamped", case), case), case["t_end"], samples=2, **FINE)
    assert np.min(literal.contacts["force_least"]) < -1.0 and not np.any(run.contacts["force_least"])
    assert name != "n1_m3_cs" or len(literal.contacts) == 14


def clamps_met(run, c):
    """How often a contact goes over the kink of its clamp, always with a step's end on it; c of the law."""
    found = 0
    for contact in run.contacts:
        rows = run.touching[(run.touching["point"] == contact["point"]) & (run.touching["time"] > contact["start"])
                            & (run.touching["time"] < contact["end"])]
        over = 1.0 + c*rows["rate"]/contact["speed"]
        at = np.flatnonzero(np.diff(over > 0.0))
        assert np.all(np.minimum(np.abs(over[at]), np.abs(over[at + 1])) < 1e-7)
        found += len(at)
    return found


def contacts_agree(run, case, own=3e-7):
    """Joint by joint the same contacts; `own`: our error of peaks and speeds relative to each, in seconds of times."""
    known, found = sorted_contacts(case), as_theirs(run.check())
    assert np.array_equal(found["joint"], known["joint"])
    for name in ("t0", "t1", "vn", "vn1", "dmax", "Fmax"):
        assert within(beyond(found[name], known[name], own), 1.0), name
    assert within(np.max(np.abs(known["least"] - found["least"])/np.max(known["Fmax"][0])), 1e-6)
    assert within(np.max(np.abs(run.energy_error)), 1e-8)


@pytest.mark.parametrize("law", read("laws")["runs"])
def test_every_normal_law(law):
    """The published chain, 0.9 s."""
    case = read("laws")["runs"][law]
    run = fd.simulate(falling_chain("ss-ss-ss", law=law), 0.9, samples=2, **FINE)
    contacts_agree(run, case)
    assert not np.any(run.contacts["force_least"])


@pytest.mark.parametrize("modes, m", MORE_MODES)
def test_more_modes_touch_at_other_times(modes, m):
    """One mode is not enough: counts and first groups go on changing with more of them."""
    run = fd.simulate(falling_chain(modes, m=m), 1.5, samples=2, rtol=1e-11)
    assert len(run.contacts) == MORE_MODES[modes, m]
    assert within(np.max(np.abs(run.energy_error)), 1e-6)


@pytest.mark.parametrize("m", [1, 2, 3])
def test_the_first_group_has_a_touch_more_for_every_mode(m):
    contacts = fd.simulate(falling_chain("ss-ss-ss", m=m), 0.6, samples=2).contacts
    left = contacts["start"][contacts["point"] == 0]
    assert np.count_nonzero(left < 0.46) == 2 + m
