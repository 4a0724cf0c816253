"""Runs: closed forms, what must be conserved, events, what stops them, what they keep, refusals."""

import math
import os
import signal
import threading
import time

import numpy as np
import pytest
from asking import ask_rate
from hypothesis import given, settings
from numba import cfunc, float64, types
from scipy.special import ellipj, ellipk
from strategies import chains, random_chain, states

import fastdyn as fd
from fastdyn._address import handle_of
from fastdyn.describe.catalog import n_pendulum
from fastdyn.formulations import FORMULATIONS, rates
from fastdyn.layout import work_of
from fastdyn.run import course as course_page, looking
from fastdyn.results.run import not_conserved_by
from fastdyn.status import DRIVE_FAILED, INTERRUPTED, OUT_OF_TIME, STOPPED

pytestmark = pytest.mark.usefixtures("one_ladder")


@pytest.mark.parametrize("angle", [0.1, math.pi/2, 3.0])
def test_one_rod_swings_as_the_elliptic_functions_say(angle):
    run = fd.simulate(n_pendulum(1, length=0.7, angle=angle), t_end=4.0, samples=50, rtol=1e-11)
    k, omega = math.sin(angle/2), math.sqrt(1.5*9.81/0.7)
    _, cn, dn, _ = ellipj(omega*run.t, k*k)
    assert np.allclose(angle + run.q[:, 0], 2*np.arcsin(k*cn/dn), rtol=0, atol=2e-8)
    assert 4*ellipk(k*k)/omega < 4.0                                          # it came back at least once


def test_a_thrown_tree_keeps_its_momenta_and_falls_like_a_stone():
    chain = random_chain(np.random.default_rng(5), 5, "mixed", free=True, tree=True, gravity=(0.3, -2.0, 1.0))
    spring = fd.Spherical(stiffness=3.0)
    chain = chain.replace(links=[*chain.links, fd.Link(name="tail", length=0.4, mass=0.5, radius=0.05, joint=spring)])
    run = fd.simulate(chain, t_end=1.5, samples=7)
    start = fd.mass_center(chain, run.q[0])
    fallen = np.array([fd.mass_center(chain, q) - start for q in run.q])
    assert np.allclose(fallen, 0.5*run.t[:, None]**2*np.array(chain.gravity), rtol=0, atol=1e-9)
    mass = sum(link.rigid_body.mass for link in chain.links)
    for t, q, v in zip(run.t, run.q, run.v):
        linear, angular = fd.momentum(chain, q, v)
        assert np.allclose(linear, mass*t*np.array(chain.gravity), rtol=0, atol=1e-9)
        assert np.allclose(angular, np.cross(start, mass*t*np.array(chain.gravity)), rtol=0, atol=1e-9)


@pytest.mark.parametrize("kind", ["planar", "spherical", "universal"])
def test_energy_is_kept(kind):
    chain = random_chain(np.random.default_rng(1), 4, kind)
    run = fd.simulate(chain, t_end=1.0, samples=30)
    assert not not_conserved_by(chain) and run.energy_scale > 0.1
    assert np.max(np.abs(run.energy_change)) < 1e-9
    assert np.max(run.kinetic) == run.energy_scale and np.ptp(run.potential) > 0.1


def test_damping_takes_energy_at_every_moment():
    chain = fd.Chain([fd.Link(length=1.0, mass=1.0, joint=fd.Revolute(damping=0.4))]*3)
    change = fd.simulate(chain, t_end=2.0, samples=40).energy_change
    assert np.all(np.diff(change) < 0.0) and change[-1] < -0.1


def normalized(chain, q):
    q = q.copy()
    for _, part in chain.quaternions:
        q[part] /= np.linalg.norm(q[part])
    return q


@given(chains(max_links=4).flatmap(lambda chain: states(chain).map(lambda state: (chain, *state))))
@settings(max_examples=25)
def test_the_rate_of_a_state_is_where_its_coordinates_go_and_its_accelerations(chain_and_state):
    chain, q, v = chain_and_state
    y, dy, h, point = np.concatenate([q, v]), np.zeros(chain.nq + chain.nv), 1e-5, (0.3, 0.2, 0.0)
    handle = handle_of(chain.model, work_of(chain.model), chain.nq)
    assert ask_rate(rates.rate(chain.model), handle, 0.0, y, dy) == 0
    assert np.array_equal(dy[chain.nq:], fd.forward_dynamics(chain, q, v))
    for name in chain.link_names:
        ahead, behind = (fd.position(chain, normalized(chain, q + s*h*dy[:chain.nq]), name, point) for s in (1, -1))
        linear, _ = fd.velocity(chain, q, v, name, point)
        assert np.allclose((ahead - behind)/(2*h), linear, rtol=0, atol=1e-6)
    for _, part in chain.quaternions:
        assert abs(q[part] @ dy[part]) < 1e-12


def test_quaternions_stay_of_length_one():
    chain = fd.Chain([fd.Link(length=1.0, mass=1.0, radius=0.1, joint=fd.Spherical())]*2)
    run = fd.simulate(chain, t_end=1.0, samples=20)
    for link in chain.link_names:
        assert np.allclose(np.linalg.norm(run.q[:, chain.q_slice(link)], axis=1), 1.0, rtol=0, atol=1e-15)


def test_more_samples_change_what_is_kept_and_nothing_else():
    few, many = (fd.simulate(n_pendulum(3), t_end=1.0, samples=n) for n in (3, 401))
    assert np.array_equal(few.q, many.q[::200]) and few.stats["steps"] == many.stats["steps"]
    assert np.array_equal(many.t, np.linspace(0.0, 1.0, 401)) and many.q.shape == many.v.shape == (401, 3)
    asked = fd.simulate(n_pendulum(3), t_end=1.0, times=[0.0, 0.5, 0.5, 1.0])
    assert np.array_equal(asked.q, few.q[[0, 1, 1, 2]])


def test_every_step_can_be_kept():
    run = fd.simulate(n_pendulum(2), t_end=1.0, every=True)
    assert len(run.t) == run.stats["steps"] + 1 and run.t[0] == 0.0 and run.t[-1] == 1.0 and np.all(np.diff(run.t) > 0)


def test_a_run_repeats_itself_bit_by_bit():
    first, second = (fd.simulate(n_pendulum(4), t_end=0.5, samples=11) for _ in range(2))
    assert np.array_equal(first.q, second.q) and np.array_equal(first.energy, second.energy)


def test_progress_is_told_in_order_and_to_the_end_and_not_too_often():
    told = []
    run = fd.simulate(n_pendulum(20), t_end=20.0, samples=3, rtol=1e-11,
                      progress=lambda *said: told.append(said))
    reached, ends, events = zip(*told)
    assert list(reached) == sorted(reached) and reached[-1] == 20.0 and set(ends) == {20.0} and len(told) > 2
    assert set(events) == {0}
    assert len(told) <= run.seconds/0.125 + 2 and run.seconds > 0.1


def test_events_are_found_named_and_located():
    low = fd.Event(function=lambda t, q, v: q[0] + 0.3, direction="rising", name="lowest point, from the left")
    turn = fd.Event(function=lambda t, q, v: v[0], name="turning back")
    run = fd.simulate(n_pendulum(1, length=1.5, angle=0.3), t_end=10.0, events=[low, turn])
    period = 4*ellipk(math.sin(0.15)**2)/math.sqrt(9.81)
    crossings = run.events["time"][run.events["event"] == 0]
    turns = run.events["time"][run.events["event"] == 1]
    assert run.event_names == ("lowest point, from the left", "turning back")
    assert np.allclose(crossings, period*(0.75 + np.arange(len(crossings))), rtol=0, atol=2e-8) and len(crossings) == 5
    assert np.allclose(turns, period/2*np.arange(1, len(turns) + 1), rtol=0, atol=2e-8) and len(turns) == 9


@pytest.mark.parametrize("stepper", ["rkf45", "dop853", "adams"])
def test_a_loose_run_ends_its_steps_on_its_own_events(stepper):
    low = fd.Event(function=lambda t, q, v: q[0] + 1.0)
    run = fd.simulate(n_pendulum(1, angle=1.0), t_end=5, stepper=stepper, rtol=1e-4, atol=1e-4, every=True, events=low)
    rows = np.searchsorted(run.t, run.events["time"])
    assert len(rows) > 3 and np.array_equal(run.t[rows], run.events["time"])
    late = np.abs((run.q[rows, 0] + 1.0)/run.v[rows, 0])
    assert np.max(late) <= 2e-11                              # s; a bracket is a thousandth of event_tol wide


def test_an_action_changes_the_state_and_a_terminal_event_ends_the_run():
    def bounce(t, q, v, direction):
        v[0] = -0.5*v[0]

    stone = fd.Chain([fd.Link(joint=fd.Prismatic(axis=(0.0, 1.0, 0.0)), body=fd.Body.point(1.0))])
    hit = fd.Event(function=lambda t, q, v: q[0] + 1.0, direction="falling", action=bounce)
    high = fd.Event(function=lambda t, q, v: v[0], direction="falling", terminal=True, name="highest")
    run = fd.simulate(stone, t_end=9.0, events=[hit, high])
    fall = math.sqrt(2/9.81)
    assert run.ok and run.status == STOPPED and run.t[-1] < 9.0
    assert np.allclose(run.events["time"], [fall, 1.5*fall], rtol=0, atol=1e-10)
    assert abs(run.q[-1, 0] + 0.75) < 1e-9 and "an event ended the run" in run.message


def test_a_stopped_run_goes_on_to_the_bit_also_through_a_file(tmp_path):
    chain = fd.Chain([fd.Link(length=1.0, mass=1.0, radius=0.1, joint=fd.Spherical())]*2)
    whole = fd.simulate(chain, t_end=1.0, samples=11)
    for steps in (1, 7, whole.stats["steps"] - 1):
        part = fd.simulate(chain, t_end=1.0, samples=11, max_steps=steps)
        assert not part.ok and part.stats["steps"] == steps and "max_steps" in part.message
        part.checkpoint.save(tmp_path/"stop.npz")
        rest = fd.simulate(chain, t_end=1.0, times=[1.0], start=fd.open_checkpoint(tmp_path/"stop.npz"))
        assert np.array_equal(rest.q[-1], whole.q[-1]) and np.array_equal(rest.v[-1], whole.v[-1])
    with pytest.raises(fd.ModelError, match='stepper "dop853" and 14 components'):
        fd.simulate(chain, t_end=1.0, stepper="rkf45", start=part.checkpoint)


def test_a_drive_that_raises_stops_the_run_and_is_told():
    def drive(t, q, v, torque, wrench):
        torque[0] = -v[0]
        if t > 0.5:
            raise LookupError("no table for this time")

    chain = n_pendulum(2).replace(drive=drive)
    run = fd.simulate(chain, t_end=1.0, samples=11)
    assert run.status == DRIVE_FAILED and 0.4 <= run.t[-1] <= 0.5 and len(run.t) >= 5
    assert "no table for this time" in run.message
    with pytest.raises(fd.SimulationError) as told:
        run.check()
    assert isinstance(told.value.__cause__, LookupError)


def test_a_drive_of_the_user_acts_as_a_damper_would():
    def drive(t, q, v, torque, wrench):
        torque -= 0.4*v

    rods = [fd.Link(length=1.0, mass=1.0, joint=fd.Revolute(damping=d)) for d in (0.4, 0.0)]
    damped, driven = fd.Chain([rods[0]]*2), fd.Chain([rods[1]]*2, drive=drive)
    first, second = (fd.simulate(chain, t_end=1.0, samples=5) for chain in (damped, driven))
    assert np.allclose(first.q, second.q, rtol=0, atol=1e-13)


def test_a_compiled_drive_gives_the_bits_of_the_same_in_python():
    numbers = types.CPointer(float64)

    @cfunc(types.void(float64, numbers, numbers, numbers, numbers))
    def compiled(t, q, v, torque, wrench):
        torque[0] -= 0.4*v[0]

    def plain(t, q, v, torque, wrench):
        torque[0] -= 0.4*v[0]

    first, second = (fd.simulate(n_pendulum(2).replace(drive=d), t_end=0.5, samples=5) for d in (compiled, plain))
    assert np.array_equal(first.q, second.q)


def test_the_clock_on_the_wall_stops_a_run():
    run = fd.simulate(n_pendulum(30), t_end=1e4, samples=3, max_seconds=0.2)
    assert run.status == OUT_OF_TIME and 0.0 < run.t[-1] < 1e4 and run.seconds < 2.0


def test_the_clock_on_the_wall_stops_a_run_with_a_slow_drive():
    slow = n_pendulum(2).replace(drive=lambda t, q, v, torque, wrench: time.sleep(0.005))
    run = fd.simulate(slow, t_end=100.0, samples=3, max_seconds=0.2)
    assert run.status == OUT_OF_TIME and run.seconds < 1.0


def test_ctrl_c_stops_a_run_that_keeps_what_it_has():
    before = signal.getsignal(signal.SIGINT)
    pressed = []

    def press():
        pressed.append(time.monotonic())
        os.kill(os.getpid(), signal.SIGINT)

    threading.Timer(0.3, press).start()
    run = fd.simulate(n_pendulum(30), t_end=1e4, times=np.arange(0.0, 1e4, 0.01))
    assert time.monotonic() - pressed[0] < 0.5
    assert run.status == INTERRUPTED and len(run.t) > 10 and np.all(np.isfinite(run.q))
    assert signal.getsignal(signal.SIGINT) is before


@pytest.mark.parametrize("n, stepper, first", [(10_000, "dop853", 40), (200, "radau5", 600)])
def test_long_chains_look_at_the_keyboard_after_their_first_step(n, stepper, first):
    """Whoever presses Ctrl-C when a run begins waits for one step, however long that is."""
    asked = []

    def press(t, t_end, events):
        asked.append(t)
        os.kill(os.getpid(), signal.SIGINT)

    run = fd.simulate(n_pendulum(n, length=float(n), mass=float(n)), 1e4, samples=2, stepper=stepper, progress=press)
    assert run.status == INTERRUPTED and run.stats["evaluations"] <= first and run.stats["steps"] <= 1


def test_evaluations_between_looks_follow_the_clock(monkeypatch):
    """Evaluations that take a millisecond each: fifty between two looks, and never more than four times as many."""
    now, evaluations, looks = [0.0], [], []
    chain = n_pendulum(2)

    def look(t, t_end, events):
        looks.append(len(evaluations))

    def drive(t, q, v, torque, wrench):
        evaluations.append(t)
        now[0] += 1e-3

    monkeypatch.setattr(course_page.time, "monotonic", lambda: now[0])
    monkeypatch.setattr(looking, "TOLD_EVERY", 0.0)
    assert fd.simulate(chain.replace(drive=drive), 20.0, samples=2, progress=look).ok
    between = np.diff([0, *looks[:-1]])
    assert between[0] <= 30 and between.max() <= 100 and np.median(between[5:]) >= 40


@pytest.mark.parametrize("formulation", FORMULATIONS)
@pytest.mark.parametrize("joint", [fd.Revolute, fd.Spherical])
def test_every_formulation_runs(formulation, joint):
    chain = fd.Chain([fd.Link(length=1.0, mass=1.0, radius=0.1, joint=joint(damping=0.1))]*3)
    run, usual = (fd.simulate(chain, t_end=0.5, samples=3, formulation=f) for f in (formulation, "recursive"))
    assert run.ok and np.allclose(run.q, usual.q, rtol=0, atol=1e-9)


@pytest.mark.parametrize("field, words", [
    ({"joint": fd.Revolute(damping=0.1)}, 'link "b" has joint.damping'),
    ({"joint": fd.Revolute(upper=1.0, limit_stiffness=1.0, limit_damping=0.1)}, 'link "b" has joint.limit_damping'),
    ({"joint": fd.Revolute(drive=fd.Constant(1.0))}, 'link "b" has joint.drive'),
    ({"loads": [fd.Load(force=(1.0, 0.0, 0.0))]}, 'link "b" has loads'),
    ({"joint": fd.Revolute(stiffness=1.0, upper=1.0, limit_stiffness=1.0)}, ""),
])
def test_what_feeds_or_drains_the_energy_is_named(field, words):
    rod = fd.Link(name="a", length=1.0, mass=1.0)
    assert not_conserved_by(fd.Chain([rod, fd.Link(name="b", length=1.0, mass=1.0, **field)])) == words


def test_a_drive_of_the_user_is_named():
    chain = fd.Chain([fd.Link(length=1.0, mass=1.0)], drive=lambda t, q, v, torque, wrench: None)
    assert not_conserved_by(chain) == "the chain has a drive"


def test_a_torque_without_bounds_stops_the_run_where_it_sets_in():
    def drive(t, q, v, torque, wrench):
        torque[0] = 1e300*(t > 0.3)

    run = fd.simulate(fd.Chain([fd.Link(length=1.0, mass=1.0)], drive=drive), t_end=1.0, samples=3)
    assert not run.ok and abs(run.t[-1] - 0.3) < 1e-9 and np.all(np.isfinite(run.v))
    with pytest.raises(fd.SimulationError, match=r"^t = 0\.3 s: "):
        run.check()
