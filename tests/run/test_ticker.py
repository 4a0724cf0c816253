"""The ticker: against runs and closed forms, torques that jump, contacts, events, fixed steps, resets, refusals."""

import copy
import pickle

import numpy as np
import pytest

import fastdyn as fd
from fastdyn.status import ModelError, SimulationError

pytestmark = pytest.mark.usefixtures("one_ladder")
START = [0.3, -0.5]


def arm(**words):
    return fd.Chain([fd.Link(name="upper", length=0.4, mass=2.0, radius=0.03, joint=fd.Revolute(**words)),
                     fd.Link(name="lower", length=0.3, mass=1.0, radius=0.02)])


def slide(axis=(1.0, 0.0, 0.0), **words):
    return fd.Chain([fd.Link(name="stone", joint=fd.Prismatic(axis=axis), body=fd.Body.point(2.0))], **words)


def pushed(chain, torque):
    """The chain with a constant drive at every joint."""
    links = [fd.Link(name=link.name, parent=link.parent, length=link.length, mass=link.mass, radius=link.radius,
                     joint=fd.Revolute(drive=fd.Constant(float(u)))) for link, u in zip(chain.links, torque)]
    return chain.replace(links=links)


@pytest.mark.parametrize("stepper, rtol", [("dop853", 1e-10), ("rkf45", 1e-10), ("adams", 1e-10)])
def test_ticks_without_torque_are_a_run(stepper, rtol):
    chain, times = arm(damping=0.02), np.arange(201)*5e-3
    run = fd.simulate(chain, 1.0, START, times=times, stepper=stepper, rtol=rtol, atol=1e-13)
    tick = fd.ticker(chain, 5e-3, ["lower"], q=START, v=[0.0, 0.0], stepper=stepper, rtol=rtol, atol=1e-13)
    found = [(tick.q, tick.v)] + [tick([0.0]) if k % 2 else tick() for k in range(200)]
    q, v = map(np.array, zip(*found))
    assert tick.t == 1.0 and tick.inputs == ("lower",)
    assert np.abs(q - run.q).max() < 3e-9 and np.abs(v - run.v).max() < 3e-8


def test_one_tick_to_the_end_is_a_run_to_the_bit():
    run = fd.simulate(pushed(arm(), [1.0, 2.0]), 0.7, START, samples=2)
    tick = fd.ticker(arm(), 0.7, q=START)
    q, v = tick([1.0, 2.0])
    assert np.array_equal(q, run.q[-1]) and np.array_equal(v, run.v[-1])


def test_forces_jump_where_ticks_begin():
    """x'' = F/m, piece by piece; the force of a tick acts from its beginning to its end."""
    tick, dt, x, speed = fd.ticker(slide(gravity=(0.0, 0.0, 0.0)), 0.01), 0.01, 0.0, 0.0
    for k, force in enumerate(np.random.default_rng(1).uniform(-5.0, 5.0, 100)):
        (q,), (v,) = tick([force])
        x, speed = x + speed*dt + 0.25*force*dt*dt, speed + 0.5*force*dt
        assert abs(q - x) < 1e-13 and abs(v - speed) < 1e-13 and tick.t == (k + 1)*dt
    assert tick.torque == [force]


def test_torques_of_ticks_are_those_of_runs():
    chain, tick = arm(), fd.ticker(arm(), 0.02, q=START)
    q, v = np.array(START), np.zeros(2)
    for torque in np.random.default_rng(2).uniform(-8.0, 8.0, (25, 2)):
        run = fd.simulate(pushed(chain, torque), 0.02, q, v, samples=2)
        q, v = run.q[-1], run.v[-1]
        found = tick(torque)
    assert np.abs(found[0] - q).max() < 1e-8 and np.abs(found[1] - v).max() < 1e-7


def test_a_tick_until_another_time():
    tick, one = fd.ticker(arm(), 0.1, q=START), fd.ticker(arm(), 0.1, q=START)
    tick([1.0, 0.0], until=0.03)
    assert tick.t == 0.03
    tick()
    assert tick.t == pytest.approx(0.13)
    assert np.abs(tick.q - one([1.0, 0.0], until=0.13)[0]).max() < 1e-9


def ground():
    return fd.Ground(contact=fd.Contact(law="hunt-crossley", stiffness=1e5, restitution=0.6))


def test_contacts_are_those_of_a_run():
    """A stone falls and bounces; ticks end in flight and in touch."""
    chain = slide((0.0, 1.0, 0.0), grounds=[ground()], start_q=[0.05])
    run = fd.simulate(chain, 0.6, samples=61).check()
    tick, events, q = fd.ticker(chain, 0.01), [], [0.05]
    for _ in range(60):
        q.append(tick()[0][0])
        events += [(row["time"], row["kind"], row["speed"]) for row in tick.events]
    assert len(events) == len(run.events) > 4
    for row, (t, kind, speed) in zip(run.events, events):
        assert abs(row["time"] - t) < 1e-6 and row["kind"] == kind and abs(row["speed"] - speed) < 1e-5
    assert np.abs(np.array(q) - run.q[:, 0]).max() < 1e-6


def test_a_stone_that_rests_on_its_ground_is_pressed_and_lifted():
    chain = slide((0.0, 1.0, 0.0), grounds=[ground()], start_q=[0.001])
    tick = fd.ticker(chain, 0.01)
    for _ in range(300):
        tick([-30.0])
    depth = ((2.0*9.81 + 30.0)/1e5)**(2.0/3.0)                      # k depth^1.5 is what presses
    assert tick.q[0] == pytest.approx(-depth, rel=1e-9) and abs(tick.v[0]) < 1e-9
    for _ in range(20):
        _, before = tick([2.0*9.81 + 10.0])
    assert tick.q[0] > 0.05 and tick()[1] - before == pytest.approx(0.05, abs=1e-12)      # 5 m/s^2 up, in flight


def test_a_rod_that_sticks_breaks_away_where_its_push_jumps():
    """On both ends, limit mu m g; behind the jump it slides with (F - mu m g)/m from the first instant on."""
    floor = fd.Ground(contact=fd.Contact(law="hunt-crossley", stiffness=1e5, restitution=0.3, slowest=0.05),
                      friction=fd.Friction(law="coulomb", mu=0.4))
    chain = fd.Chain([fd.Link(length=1.0, mass=2.0, joint=fd.FreePlanar())], grounds=[floor], start_q=(0.0, 1e-9, 0.0),
                     start_v=(0.0, -0.01, 0.0))
    tick, limit, x = fd.ticker(chain, 0.05), 0.4*2.0*9.81, 0.0
    for _ in range(60):
        tick()
    for push in (0.9*limit, -0.9*limit, 0.0, 0.99*limit):
        x = tick.q[0]
        q, v = tick([push, 0.0, 0.0])
        assert abs(v[0]) < 1e-12 and abs(q[0] - x) < 1e-12
    for share in (1.2, 2.0):
        _, v = tick([share*limit, 0.0, 0.0])
    assert v[0] == pytest.approx((0.2 + 1.0)*limit/2.0*0.05, rel=1e-6)
    for _ in range(20):
        _, v = tick([0.5*limit, 0.0, 0.0])
    assert abs(v[0]) < 1e-12                                        # it has come to rest, and sticks again


def test_reset_begins_anew_to_the_bit():
    tick = fd.ticker(slide((0.0, 1.0, 0.0), grounds=[ground()], start_q=[0.05]), 0.01)
    forces = np.random.default_rng(3).uniform(-20.0, 20.0, (40, 1))
    first = [tick(force) for force in forces]
    q, v = tick.reset()
    assert q == [0.05] and v == [0.0] and tick.t == 0.0 and tick.torque == [0.0] and len(tick.events) == 0
    again = [tick(force) for force in forces]
    assert np.array_equal(first, again)
    q, v = tick.reset([0.2], [0.1], t=5.0)
    assert (q[0], v[0], tick.t) == (0.2, 0.1, 5.0)
    assert tick()[0][0] == pytest.approx(0.2 + 0.001 - 0.5*9.81e-4, abs=1e-12)


def test_balls_and_floating_links_tick():
    chain = fd.Chain([fd.Link(name="bus", joint=fd.Free(), body=fd.Body.box((0.5, 0.4, 0.3), 20.0)),
                      fd.Link(name="boom", at=(0.25, 0.0, 0.0), length=2.0, mass=1.0, radius=0.02,
                              joint=fd.Spherical(stiffness=4.0))], gravity=(0.0, 0.0, 0.0))
    q, _ = chain.zero_state()
    v = np.linspace(-0.5, 0.5, chain.nv)
    tick = fd.ticker(chain, 0.02, ["boom"], q=q, v=v)
    assert tick.inputs == ("boom.wx", "boom.wy", "boom.wz")
    before = np.concatenate(fd.momentum(chain, q, v))
    for _ in range(50):
        q, v = tick([0.1, 0.0, -0.2])                               # inside the chain: momenta stay
    run = fd.simulate(chain.replace(drive=push), 1.0, v=np.linspace(-0.5, 0.5, chain.nv), samples=2)
    assert np.abs(q - run.q[-1]).max() < 1e-9 and np.abs(v - run.v[-1]).max() < 2e-7
    assert np.abs(np.concatenate(fd.momentum(chain, q, v)) - before).max() < 1e-8


def push(t, q, v, torque, wrench):
    torque[6:] += 0.1, 0.0, -0.2


def test_loops_stay_closed():
    chain = fd.catalog.four_bar()
    names = [link.name for link in chain.links if not link.joint.drive]
    tick = fd.ticker(chain, 0.02, names[:1])
    for torque in (0.5, -0.5, 1.0):
        q, _ = tick([torque])
        assert np.abs(fd.gaps(chain, q)).max() < 1e-12


def test_equal_steps_cost_the_same_and_have_the_order_of_their_stepper():
    chain, errors = arm(), []
    exact = fd.simulate(chain, 0.4, START, samples=2, rtol=1e-13, atol=1e-14).q[-1]
    for steps in (1, 2):
        tick = fd.ticker(chain, 0.04, q=START, stepper="rkf45", steps=steps)
        for _ in range(10):
            tick()
        assert tick.stats["steps"] == 10*steps and tick.stats["rejected"] == 0
        errors.append(np.abs(tick.q - exact).max())
    assert 3.5 < np.log2(errors[0]/errors[1]) < 6.5


# --------------------------------------------------------------------------------------------------- events and trouble

def test_a_terminal_event_ends_the_motion():
    low = fd.Event(function=lambda t, q, v: q[0] + 1.0, direction="falling", terminal=True, name="low")
    tick, count = fd.ticker(slide((0.0, 1.0, 0.0)), 0.1, events=low), 0
    while not tick.stopped:
        tick()
        count += 1
    assert count == 5 and tick.t == pytest.approx(np.sqrt(2.0/9.81), abs=1e-8) and list(tick.events["event"]) == [0]
    with pytest.raises(ModelError, match=r'event "low", t = 0\.4515236.* s: an event ended the run; reset\(\) before'):
        tick()
    tick.reset()
    tick()
    assert tick.t == 0.1 and not tick.stopped


@pytest.mark.parametrize("torques", [(0.0, 0.0), (1e-9, -1e-9)])
def test_an_event_where_a_tick_ends_happens_once(torques):
    """A stone passes 0.05 m at 0.05 s and its neighbourhood; forces stay, or jump there."""
    chain, offsets = slide(gravity=(0.0, 0.0, 0.0)), [sign*10.0**-k for k in range(7, 18) for sign in (-1.0, 1.0)]
    for offset in [0.0, *offsets]:
        gate = fd.Event(function=lambda t, q, v, offset=offset: q[0] - 0.05 + offset, name="gate")
        tick, events = fd.ticker(chain, 0.01, v=[1.0], events=gate), []
        for k in range(10):
            tick([torques[k % 2]])
            events += list(tick.events["time"])
        assert len(events) == 1 and abs(events[0] - 0.05 + offset) < 2e-8


def test_what_a_function_raises_is_raised():
    def law(t, q, v):
        if t > 0.05:
            raise KeyError("gain")
        return 0.0

    chain = arm(drive=law)
    tick = fd.ticker(chain, 0.02, q=START)
    assert tick.inputs == ("lower",)
    with pytest.raises(SimulationError, match=r"t = 0\.0"):
        for _ in range(10):
            tick([1.0])
    assert tick.t < 0.06 and "function of a signal raised" in tick.message
    tick.reset()
    assert tick.t == 0.0 and tick()[0].shape == (2,)


def test_tickers_do_not_disturb_each_other_or_the_chain():
    chain = arm()
    one, other = (fd.ticker(chain, 0.01, q=START) for _ in range(2))
    one([50.0, 0.0])
    alone = fd.ticker(chain, 0.01, q=START)([0.0, 0.0])
    assert np.array_equal(other(), alone) and not chain.links[0].joint.drive
    for copied in (copy.copy, copy.deepcopy, pickle.dumps):
        with pytest.raises(TypeError, match="a ticker cannot be copied"):
            copied(one)


@pytest.mark.parametrize("ask, said", [
    (lambda: fd.ticker(arm(), 0.0), "dt is 0 s; give dt > 0"),
    (lambda: fd.ticker(None), "system is None; give a Chain"),
    (lambda: fd.ticker(arm(), drives=["uper"]), 'link "uper" is not in this chain'),
    (lambda: fd.ticker(arm(drive=fd.Constant(1.0)), drives=["upper"]), 'drives names "upper", whose joint has a drive'),
    (lambda: fd.ticker(arm(), steps=0), "steps is 0; give a whole number, 1 or more"),
    (lambda: fd.ticker(arm(), steps=1, h_max=1e-3), "steps and h_max are both given"),
    (lambda: fd.ticker(arm(), steps=1, stepper="adams"), 'steps is 1, but stepper "adams" lives on steps of its own'),
    (lambda: fd.ticker(arm(), sped=1), "sped: no such setting"),
    (lambda: fd.ticker(arm())([1.0]), r"torque has shape \(1,\); give shape \(2,\)"),
    (lambda: fd.ticker(arm())([1.0, np.nan]), "torque of lower is nan; every number must be finite"),
    (lambda: fd.ticker(arm())(until=0.0), "until is 0 s and it is 0 s; give a later time"),
    (lambda: fd.ticker(arm()).reset([0.0]), r"q has shape \(1,\)"),
])
def test_what_cannot_be_is_refused(ask, said):
    with pytest.raises(ModelError, match=said):
        ask()
