"""Grounds at both sides of every threshold: on them at the start, grazed, hit by two, pulled at, lain on for long."""

import numpy as np
import pytest
from formulations.common import off, within

import fastdyn as fd
from fastdyn import Body, Chain, Contact, Friction, FreePlanar, Ground, Link, Load, Table
from fastdyn.describe.falling import falling_chain
from fastdyn.status import CHATTER, OK

pytestmark = pytest.mark.usefixtures("one_ladder")
E_HU_GUO = 0.7991987821935682                           # what the law reaches when it is told 0.8
HARD = {"law": "hu-guo", "stiffness": 1e8, "restitution": 0.8}
DISC = Body(mass=1.0, com=(0.0, 0.0, 0.0), inertia=np.diag([0.1, 0.1, 0.1]))


def floor(normal=(0.0, 1.0, 0.0), point=(0.0, 0.0, 0.0), friction=None, **contact):
    return Ground(normal=normal, point=point, points=["ball"], contact=Contact(**HARD | contact),
                  friction=friction or Friction())


def ball(height=1.0, v=(0.0, 0.0, 0.0), grounds=None, gravity=(0.0, 0.0, 0.0), x=0.0, **words):
    """A body of 1 kg whose centre is its contact point."""
    return Chain([Link(name="ball", joint=FreePlanar(), body=DISC, **words)], gravity=gravity,
                 grounds=[floor()] if grounds is None else grounds, start_q=(x, height, 0.0), start_v=v)


# ---- at the start


@pytest.mark.parametrize("depth", [1.0, 1e-3, 1e-9])
def test_a_start_inside_the_ground_is_refused(depth):
    with pytest.raises(fd.ModelError, match=r'point "ball" is \S+ m inside ground\[0\] at the start; .* lift the'):
        fd.simulate(ball(-depth, v=(0.0, 1.0, 0.0)), 0.1)
    two = [floor(), floor(normal=(1.0, 0.0, 0.0), point=(-depth, 0.0, 0.0))]
    with pytest.raises(fd.ModelError, match=r"inside ground\[1\]"):
        fd.simulate(ball(1.0, x=-2.0*depth, grounds=two), 0.1)
    assert fd.simulate(ball(1.0, x=-0.5*depth, grounds=two), 0.1).ok


def test_what_stands_on_the_ground_and_falls_touches_at_once():
    run = fd.simulate(ball(0.0, v=(0.3, -1.0, 0.0)), 0.3).check()
    [contact] = run.contacts
    assert contact["start"] == 0.0 and contact["speed"] == 1.0
    assert within(abs(contact["restitution"] - E_HU_GUO), 1e-7)
    from_above = fd.simulate(ball(0.1, v=(0.3, -1.0, 0.0)), 0.4).contacts[0]
    for name in ("depth", "force", "impulse", "restitution"):
        assert within(off(contact[name], from_above[name]), 1e-5)
    assert within(abs(from_above["end"] - from_above["start"] - contact["end"]), 1e-9)


def test_what_stands_on_the_ground_and_rises_does_not_touch():
    run = fd.simulate(ball(0.0, v=(0.0, 1.0, 0.0), gravity=(0.0, -10.0, 0.0)), 0.25).check()
    assert within(abs(run.contacts["start"][0] - 0.2), 1e-9) and len(run.contacts) == 1
    assert len(fd.simulate(ball(0.0, v=(0.0, 1.0, 0.0)), 0.25).contacts) == 0


def test_the_policy_of_contact_follows_grounds_and_nothing_that_is_only_logged():
    chain, words = ball(0.05, v=(0.3, -1.0, 0.0)), {"every": True, "policy": "flight-contact", "h_min": 1e-6}
    low = fd.Event(function=lambda t, q, v: q[1] - 0.04, name="low")
    plain, logged = fd.simulate(chain, 0.2, **words).check(), fd.simulate(chain, 0.2, events=low, **words).check()
    for run in (plain, logged):
        [(start, end)] = run.contacts[["start", "end"]].tolist()
        t, h = run.t[:-1], np.diff(run.t)
        touching, before = (t >= start) & (t < end) & (h > 0.0), (t > start - 0.01) & (t < start) & (h > 0.0)
        assert within(abs(start - 0.05), 1e-10) and np.count_nonzero(touching) > 100
        assert h[touching].max() < 1.001e-6 and h[t > end + 0.02].max() > 0.9e-3 and h[t < 0.03].max() > 0.9e-3
        assert np.all(np.diff(h[before][:-10]) < 1e-12) and h[before][-10] < 1e-5
    assert logged.events["event"].tolist().count(0) == 2
    assert logged.stats["steps"] < plain.stats["steps"] + 150


def test_what_rests_is_told_with_what_it_costs():
    """A chain let go on the ground: the note names its points; one that only hits the ground has none."""
    chain = falling_chain(slowest=1e-4)
    on_ground = chain.replace(start_q=(chain.start_q[0], 0.0, *chain.start_q[2:]))
    run = fd.simulate(on_ground, 0.1, samples=2).check()
    [note] = run.notes
    assert note.startswith("link1, link3.tip: in contact to the end, and ") and "more than its 0.0001 m/s" in note
    assert f"of {run.stats['steps']} steps" in note and run.stats["steps"] > 1000
    assert fd.simulate(falling_chain(), 0.45, samples=2).notes == ()


def test_what_rests_on_the_ground_stays_there():
    """An impact with no speed at all: damped as one of 1e-6 m/s, it sinks to where the ground carries the weight."""
    run = fd.simulate(ball(0.0, gravity=(0.0, -9.81, 0.0)), 0.5, rtol=1e-8).check()
    [contact] = run.contacts
    assert contact["start"] == 0.0 and contact["speed"] == 0.0 and np.isnan(contact["end"])
    assert np.isnan(contact["leaving"]) and np.isnan(contact["restitution"])
    depth = -run.q[:, 1]
    assert 0.0 <= depth.min() and np.all(np.diff(depth) > 0.0) and depth.max() < (9.81/1e8)**(2/3)
    assert within(abs(run.forces[-1, 0, 1] - 9.81), 1e-4) and within(np.max(np.abs(run.energy_defect)), 1e-8)


def test_all_joints_of_a_level_chain_touch_at_once():
    """It is thrown down from the ground itself."""
    chain = falling_chain("ss-ss-ss", m=0, angle=0.0, height=1.0, gravity=0.0)
    chain = chain.replace(start_q=(*chain.start_q[:1], 0.0, *chain.start_q[2:]), start_v=(0.0, -2.0, *(0.0,)*3))
    run = fd.simulate(chain, 0.01)
    assert np.array_equal(np.sort(run.contacts["point"][:4]), range(4)) and not np.any(run.contacts["start"][:4])
    assert within(off(run.contacts["speed"][:4], np.full(4, 2.0)), 1e-15)


# ---- grazes


@pytest.mark.parametrize("excess", [1e-3, 1e-6, 1e-9, 1e-12])
@pytest.mark.parametrize("stepper", ["dop853", "dopri5", "rkf45", "adams", "radau5"])
def test_a_graze_is_found_and_a_miss_is_none(excess, stepper):
    """Thrown down against a pull upward: y = h - t + t^2/2 turns at h - 1/2, in the middle of a long step."""
    words = {"v": (0.0, -1.0, 0.0), "gravity": (0.0, 1.0, 0.0)}
    over = fd.simulate(ball(0.5 + excess, **words), 2.0, samples=2, stepper=stepper)
    assert len(over.contacts) == 0 and over.ok
    under = fd.simulate(ball(0.5 - excess, **words), 2.0, samples=2, stepper=stepper)
    assert len(under.contacts) == 1 and under.ok
    speed, depth = under.contacts["speed"][0], under.contacts["depth"][0]
    assert within(abs(speed - np.sqrt(2.0*excess))/np.sqrt(2.0*excess), 1e-3 if excess > 1e-10 else 1.0)
    assert 0.0 < depth <= excess*(1 + 1e-3) + 1e-13


# ---- several grounds


def test_between_a_floor_and_a_ceiling():
    """No weight: every impact takes the same share of the speed, and the grounds take turns."""
    grounds = [floor(), floor(normal=(0.0, -1.0, 0.0), point=(0.0, 1.0, 0.0))]
    run = fd.simulate(ball(0.5, v=(0.0, -3.0, 0.0), grounds=grounds), 3.0, rtol=1e-11)
    contacts = run.contacts
    assert len(contacts) >= 5 and np.array_equal(contacts["ground"], np.arange(len(contacts)) % 2)
    assert set(run.event_names) == {"ball on ground[0]", "ball on ground[1]"} and run.point_names == ("ball",)
    closed = contacts[~np.isnan(contacts["end"])]
    assert within(off(contacts["speed"], 3.0*E_HU_GUO**np.arange(len(contacts))), 1e-8)
    assert within(off(closed["restitution"], np.full(len(closed), E_HU_GUO)), 1e-8)
    assert within(np.max(np.abs(run.energy_error)), 1e-7)


def test_a_valley():
    """Dropped into its middle both sides push alike; dropped beside it, one after the other; mirrored, the mirror."""
    half = np.sqrt(0.5)
    valley = [floor(normal=(half, half, 0.0)), floor(normal=(-half, half, 0.0))]
    words = {"grounds": valley, "gravity": (0.0, -9.81, 0.0)}
    run = fd.simulate(ball(0.4, **words), 0.4, rtol=1e-11)
    assert np.array_equal(np.sort(run.contacts["ground"][:2]), [0, 1]) and len(run.contacts) == 2
    assert within(np.max(np.abs(run.q[:, [0, 2]])), 1e-15)
    assert within(np.ptp(run.contacts["force"])/run.contacts["force"][0], 1e-12)
    assert within(np.max(np.abs(run.forces[:, 0, 0])), 1e-9) and np.max(np.abs(run.energy_error)) < 1e-7
    left, right = (fd.simulate(ball(0.4, x=x, **words), 0.6, rtol=1e-11) for x in (-0.1, 0.1))
    assert left.contacts["ground"][0] == 0 and right.contacts["ground"][0] == 1 and len(left.contacts) > 1
    assert np.array_equal(left.contacts["ground"], 1 - right.contacts["ground"])
    assert within(off(left.contacts["start"], right.contacts["start"]), 1e-13)
    assert within(off(left.q*(-1, 1, -1), right.q, 1.0), 1e-12)


def test_a_slope_is_a_level_ground_under_another_weight():
    c, s = np.cos(0.3), np.sin(0.3)
    turn = np.array([[c, -s], [s, c]])
    friction = Friction(law="ambrosio", mu=0.2, v0=1e-4, v1=1e-3)
    level = fd.simulate(ball(0.5, v=(1.0, 0.0, 2.0), gravity=(2.0, -9.0, 0.0), grounds=[floor(friction=friction)]), 1.0,
                        rtol=1e-11)
    place, weight, speed = turn @ (0.0, 0.5), turn @ (2.0, -9.0), turn @ (1.0, 0.0)
    slope = fd.simulate(ball(place[1], x=place[0], v=(*speed, 2.0), gravity=(*weight, 0.0),
                             grounds=[floor(normal=(-s, c, 0.0), friction=friction)]), 1.0, rtol=1e-11)
    assert len(level.contacts) == len(slope.contacts) > 1
    for name in ("start", "speed", "restitution", "depth", "force", "impulse", "friction_impulse"):
        assert within(off(slope.contacts[name], level.contacts[name]), 1e-8), name
    assert within(off(slope.q[:, :2], level.q[:, :2] @ turn.T), 1e-9)
    assert within(off(slope.forces[:, 0, :2], level.forces[:, 0, :2] @ turn.T, 1e3), 1e-6)


# ---- pulled at


@pytest.mark.parametrize("clamp", [False, True])
def test_thrown_off_faster_than_the_ground_lets_go(clamp):
    """A slow touch, then a strong pull upward: as written the law pulls back; with clamp nothing does."""
    push = Load(force=(0.0, -50.0, 0.0), frame="world", signal=Table([0.0, 0.17, 0.175, 0.2, 0.2001, 9.0],
                                                                     [0.0, 0.0, 1.0, 1.0, -90.0, -90.0]))
    grounds = [floor(clamp=clamp, restitution=0.3)]
    run = fd.simulate(ball(0.002, v=(0.0, -0.01, 0.0), grounds=grounds, loads=[push]), 0.5, rtol=1e-10)
    contact = run.contacts[-1]
    assert not np.isnan(contact["end"]) and contact["leaving"] > 0.0
    assert (contact["force_least"] == 0.0) if clamp else (contact["force_least"] < -1.0)
    assert np.all(run.touching["normal"] >= 0.0) == clamp
    assert within(np.max(np.abs(run.energy_error)), 1e-8)


# ---- for long


def test_a_ball_that_comes_to_rest():
    """Its last contact stays open; what it did until then is kept, and the ledger closes."""
    run = fd.simulate(ball(1.0, gravity=(0.0, -9.81, 0.0)), 8.0)
    contacts = run.contacts
    assert run.status == OK and len(contacts) > 15
    assert np.isnan(contacts["end"][-1]) and not np.isnan(contacts["end"][:-1]).any()
    assert np.all(np.diff(contacts["speed"]) < 0.0)
    assert within(abs(run.q[-1, 1] + (9.81/1e8)**(2/3)), 1e-9) and within(abs(run.v[-1, 1]), 1e-3)
    assert within(np.max(np.abs(run.energy_error)), 1e-6)


def test_a_chain_left_lying():
    """Rigid links, three impacts a joint and more: all of them down in the end, and the run comes to its end."""
    chain = falling_chain("ss-ss-ss", m=0, restitution=0.3)
    run = fd.simulate(chain, 4.0, samples=100)
    assert run.status == OK and run.t[-1] == 4.0 and within(np.max(np.abs(run.energy_error)), 1e-6)
    assert np.max(np.abs(run.points[-1, :, 1])) < 1e-3 and run.ledger["kinetic"][-1] < 1e-3
    assert np.count_nonzero(np.isnan(run.contacts["end"])) >= 2


def test_more_switches_than_wanted_stop_the_run_and_keep_it():
    run = fd.simulate(ball(1.0, gravity=(0.0, -9.81, 0.0)), 8.0, max_switches=1)
    assert run.status == CHATTER and not run.ok and 0.45 < run.t[-1] < 8.0
    assert len(run.contacts) >= 1 and within(abs(run.contacts["start"][0] - np.sqrt(2/9.81)), 1e-9)
    assert within(abs(run.q[run.t < 0.4][-1, 1] - 1.0 + 9.81/2*run.t[run.t < 0.4][-1]**2), 1e-9)
    with pytest.raises(fd.SimulationError, match="max_switches"):
        run.check()


# ---- friction


@pytest.mark.parametrize("law", [
    Friction(law="ambrosio", mu=0.3, v0=1e-4, v1=1e-3), Friction(law="tanh", mu=0.3, steepness=100.0),
    Friction(law="arctan", mu=0.3, steepness=100.0), Friction(law="step", mu=0.3, mu_static=0.4),
    Friction(law="bengisu-akay", mu=0.3, mu_static=0.4, v0=0.01, decay=10.0), Friction(law="viscous", viscosity=0.5),
], ids=lambda law: law.law)
def test_friction_brakes_and_stays_in_its_cone(law):
    run = fd.simulate(ball(0.3, v=(2.0, 0.0, 0.0), gravity=(0.0, -9.81, 0.0), grounds=[floor(friction=law)]), 1.0,
                      rtol=1e-10)
    touching, most = run.touching, law.mu_static or law.mu
    assert len(run.contacts) > 1 and np.all(touching["friction"]*touching["slip"] <= 0.0)
    assert np.any(touching["friction"] < 0.0) and np.all(np.diff(run.ledger["friction"]) <= 1e-12)
    if most:
        assert np.all(np.abs(touching["friction"]) <= most*np.abs(touching["normal"])*(1 + 1e-12))
    assert within(np.max(np.abs(run.energy_error)), 1e-6)
    assert within(abs(np.sum(run.contacts["friction_impulse"]) - (run.v[-1, 0] - 2.0)), 1e-12)
