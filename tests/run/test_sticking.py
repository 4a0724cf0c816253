"""Points that stick in the plane: inclines, growing pushes, legs that stand by friction, against formulas."""

import math

import numpy as np
import pytest
from formulations.common import off, within

import fastdyn as fd
from fastdyn import Chain, Contact, FreePlanar, Friction, Ground, Link, Load, Revolute, Table
from fastdyn.formulations.sticking import STICKS
from fastdyn.laws.friction import FRICTION_LAWS
from fastdyn.results.resting import notes_on_creeping
from fastdyn.show.traces import forces_of

G, MASS = 9.81, 2.0
LAWS = {"coulomb": {"mu": 0.4}, "stiction": {"mu": 0.3, "mu_static": 0.4},
        "coulomb-viscous": {"mu": 0.4, "viscosity": 1.0},
        "stribeck": {"mu": 0.3, "mu_static": 0.4, "v_stribeck": 0.1},
        "karnopp": {"mu": 0.3, "mu_static": 0.4, "band": 1e-3}}
every_law = pytest.mark.parametrize("law", LAWS)


def ground(law, **numbers):
    return Ground(contact=Contact(law="hunt-crossley", stiffness=1e5, restitution=0.3, slowest=0.05),
                  friction=Friction(law=law, **LAWS[law] | numbers))


def rod(law, angle=0.0, speed=0.0, push=0.0, **numbers):
    """It lies on both ends, on an incline; a force along it grows by `push` a second. Points of a plane that tell each
    other's slips, and share the load."""
    load = Load(force=(1.0, 0.0, 0.0), at=(0.5, 0.0, 0.0), signal=Table(time=(0.0, 10.0), value=(0.0, 10.0*push)))
    return Chain([Link(length=1.0, mass=MASS, joint=FreePlanar(), loads=[load])], grounds=[ground(law, **numbers)],
                 gravity=(G*math.sin(angle), -G*math.cos(angle), 0.0), start_q=(0.0, 1e-9, 0.0),
                 start_v=(speed, -0.01, 0.0))


def legs(half, law="coulomb"):
    """Two legs joined at the top, each this angle off the vertical, dropped on their feet."""
    pause = Load(at=(0.5, 0.0, 0.0), signal=Table(time=(0.0, 10.0), value=(0.0, 0.0)))
    left = math.pi/2.0 - half
    return Chain([Link(name="left", length=1.0, mass=1.0, joint=FreePlanar(), loads=[pause]),
                  Link(name="right", length=1.0, mass=1.0, joint=Revolute())],
                 grounds=[Ground(points=("left", "right.tip"), contact=ground(law).contact,
                                 friction=ground(law).friction)],
                 start_q=(0.0, 1e-9, left, -2.0*left), start_v=(0.0, -0.01, 0.0, 0.0))


@pytest.mark.kernels
@every_law
def test_a_rod_that_slides_in_sticks(law):
    """So slowly that a thousandth of a second is enough, while the impact still lasts; its energy goes to friction."""
    run = fd.simulate(rod(law, speed=1e-6), 2e-3, samples=5)
    assert run.ok and np.all(run.forces[-1, :, 1] > 0.0) and abs(run.v[-1, 0]) < 1e-12
    assert abs(run.ledger["friction"][-1] + 0.5*MASS*1e-12) < 1e-17


@every_law
def test_below_its_angle_a_rod_rests(law):
    """10 s without a creep, without a loss; friction is what gravity pulls with."""
    angle = math.atan(0.9*LAWS[law]["mu"])
    run = fd.simulate(rod(law, angle), 10.0, samples=101)
    rests = run.t > 0.5
    assert run.ok and np.max(np.abs(run.v[rests, 0])) < 1e-12 and np.ptp(run.q[rests, 0]) < 1e-12
    assert np.ptp(run.ledger["friction"][rests]) < 1e-15 and within(np.max(np.abs(run.energy_error)), 1e-8)
    assert within(off(run.forces[-1, :, 0], np.full(2, -MASS*G*math.sin(angle)/2.0)), 1e-9)
    assert run.stats["steps"] < 3000


@pytest.mark.parametrize("stepper", ["bs32", "dopri5", "rkf45", "adams", "radau5"])
def test_every_method_holds_it(stepper):
    run = fd.simulate(rod("coulomb", math.atan(0.36)), 2.0, samples=41, stepper=stepper, rtol=1e-7)
    rests = run.t > 0.5
    assert run.ok and np.max(np.abs(run.v[rests, 0])) < 1e-12 and np.ptp(run.q[rests, 0]) < 1e-12


@pytest.mark.parametrize("law", ["coulomb", "stiction", "karnopp"])
@pytest.mark.parametrize("tangent", [0.4*(1.0 + 1e-6), 0.6])
def test_above_it_a_rod_slides(law, tangent):
    """From where it slides on: v = g sin t - mu (g cos t + what the normal force did to the normal speed)."""
    angle, mu = math.atan(tangent), LAWS[law]["mu"]
    run = fd.simulate(rod(law, angle), 2.0, samples=41)
    v = G*math.sin(angle)*run.t - mu*(G*math.cos(angle)*run.t + run.v[:, 1])
    late = run.t > 0.5
    assert within(off(np.diff(run.v[late, 0]), np.diff(v[late]), 1.0), 1e-9) and np.all(np.diff(run.v[late, 0]) > 0.0)
    assert within(np.max(np.abs(run.energy_error)), 1e-8)


@every_law
@pytest.mark.parametrize("way", [1.0, -1.0])
def test_a_growing_push_breaks_it_away(law, way):
    """At mu_static m g = push t; then m v = push (t^2 - t0^2)/2 - mu m g (t - t0), for laws without viscosity."""
    push, static = 8.0, LAWS[law].get("mu_static", LAWS[law]["mu"])
    start = static*MASS*G/push
    times = np.linspace(0.0, 1.5, 151)
    run = fd.simulate(rod(law, push=way*push), 1.5, times=times, rtol=1e-11, atol=1e-14)
    before, after = (run.t > 0.5) & (run.t < start), run.t > start
    assert np.max(np.abs(run.v[before, 0])) < 1e-12 and np.ptp(run.q[before, 0]) < 1e-12
    slides = run.touching["time"][(run.touching["time"] > 0.5) & (np.abs(run.touching["slip"]) > 1e-12)]
    held = run.touching["time"][(run.touching["time"] > 0.5) & (np.abs(run.touching["slip"]) < 1e-12)]
    assert within(abs(held.max() - start), 1e-8) and slides.min() > start
    if law in ("coulomb", "stiction"):
        t = run.t[after]
        v = (push*(t*t - start*start)/2.0/MASS - LAWS[law]["mu"]*G*(t - start))*way
        assert within(off(run.v[after, 0], v), 1e-7)


@every_law
def test_what_slides_comes_to_rest(law):
    """All it had is in the ledger; it stops, and stays."""
    run = fd.simulate(rod(law, speed=0.3), 2.0, samples=201)
    stays = run.t > 0.5
    assert np.max(np.abs(run.v[stays, 0])) < 1e-12 and np.ptp(run.q[stays, 0]) < 1e-12
    assert within(abs(run.ledger["friction"][-1]/(-0.5*MASS*0.09) - 1.0), 1e-8)
    assert within(np.max(np.abs(run.energy_error)), 1e-8)


def test_jumps_of_friction_are_drawn_as_jumps():
    """Slides in, sticks with -push t/2, breaks away at 0.981 s: from mu_static N to mu N."""
    run = fd.simulate(rod("stiction", speed=0.1, push=8.0), 1.5, samples=2)
    for drawn in forces_of(run)[0]:
        jumps = np.flatnonzero((np.diff(drawn.t) == 0.0) & (np.diff(drawn.friction) != 0.0))
        before, after = drawn.friction[jumps], drawn.friction[jumps + 1]
        rests = drawn.t[jumps[0]]
        assert len(jumps) == 2 and rests < 0.1 and within(abs(drawn.t[jumps[1]] - 0.981), 1e-8)
        assert before[0] < -3.0 and within(abs(after[0] + 4.0*rests), 1e-2)
        assert within(off([before[1], after[1]], [-0.4*G, -0.3*G]), 1e-6)
        held = (drawn.t > rests) & (drawn.t < 0.98)
        assert within(np.max(np.abs(drawn.friction[held] + 4.0*drawn.t[held])), 1e-2)


@every_law
@pytest.mark.parametrize("angle", [0.05, -0.3])
def test_what_holds_a_bar_that_comes_to_lie_flat_is_in_the_ledger(law, angle):
    """Two points that hold nearly the same, against a slip of 1e-7 m/s: their work counts as any other."""
    chain = rod(law, speed=0.3).replace(start_q=(0.0, max(1e-9, -math.sin(angle) + 0.05), angle))
    run = fd.simulate(chain, 1.0, samples=101, rtol=1e-11, atol=1e-14)
    assert run.ok and within(np.max(np.abs(run.energy_error)), 1e-10)


def test_karnopp_brakes_with_all_it_holds_inside_its_band():
    """With the normal impulse I of a unit mass v = 0.3 - mu I down to the band, 0.1, then 0.1 less mu_static a unit."""
    run = fd.simulate(rod("karnopp", speed=0.3, band=0.1), 1.0, every=True, rtol=1e-11, atol=1e-14)
    impulse = G*run.t + run.v[:, 1] + 0.01
    v = np.minimum(0.3 - 0.3*impulse, 0.1 - 0.4*(impulse - 0.2/0.3))
    assert within(off(run.v[:, 0], np.maximum(v, 0.0)), 1e-9) and np.count_nonzero((v > 1e-3) & (v < 0.1)) > 5
    assert np.max(np.abs(run.v[v < -1e-9, 0])) < 1e-12 and np.all(np.diff(run.ledger["friction"]) <= 1e-15)
    assert np.all(np.abs(run.touching["friction"]) <= 0.4*np.abs(run.touching["normal"])*(1.0 + 1e-9))
    assert within(np.max(np.abs(run.energy_defect)), 1e-10)


def test_karnopp_leaves_its_band_at_the_far_side_of_its_edge():
    """Pushed on by mu_static m g and more: mu_static N up to 1.01 of the band, then mu N."""
    run = fd.simulate(rod("karnopp", push=8.0, band=0.1), 2.0, every=True, rtol=1e-11, atol=1e-14)
    rows = run.touching[(run.touching["slip"] > 1e-9) & (run.touching["normal"] > 1.0)]
    share, edge = -rows["friction"]/rows["normal"], 0.101
    assert np.all(np.abs(share[rows["slip"] < edge*(1.0 - 1e-9)] - 0.4) < 1e-9)
    assert np.all(np.abs(share[rows["slip"] > edge*(1.0 + 1e-9)] - 0.3) < 1e-9)
    assert rows["slip"].min() < 0.09 and rows["slip"].max() > 0.2


@pytest.mark.parametrize("share", [0.9, 1.1])
def test_legs_stand_by_friction_up_to_an_angle(share):
    """Feet pushed apart by m g tan(half)/2 each, held up to mu m g: two points, mirror images, at one moment."""
    half = math.atan(2.0*0.4*share)
    run = fd.simulate(legs(half), 1.0, samples=101)
    feet = run.points[:, :, 0]
    assert run.ok and within(np.max(np.abs(run.points[:, 0, 1] - run.points[:, 1, 1])), 1e-9)
    if share < 1.0:
        late = run.t > 0.6
        assert np.ptp(feet[late], axis=0).max() < 1e-10 and np.abs(run.point_velocities[late, :, 0]).max() < 1e-12
        H = 0.5*G*math.tan(half)
        assert within(off(run.forces[-1, :, 0], [H, -H]), 1e-2) and within(off(run.forces[-1, :, 1], [G, G]), 1e-2)
    else:
        assert np.max(feet[:, 1] - feet[:, 0]) > feet[0, 1] - feet[0, 0] + 0.1
    assert within(np.max(np.abs(run.energy_error)), 1e-7)


NUMBERS = LAWS | {
    "none": {}, "viscous": {"viscosity": 2.0}, "ambrosio": {"mu": 0.4}, "arctan": {"mu": 0.4}, "tanh": {"mu": 0.4},
    "bengisu-akay": {"mu": 0.3, "mu_static": 0.4, "v0": 0.01, "decay": 10.0}, "step": {"mu": 0.3, "mu_static": 0.4}}


@pytest.mark.parametrize("law", FRICTION_LAWS)
@pytest.mark.parametrize("speed, push", [(0.2, 0.0), (-0.05, 0.0), (1e-3, 8.0)])
def test_the_impulse_of_friction_is_the_momentum_it_takes(law, speed, push):
    """Sliding in, at rest, breaking away: what each law gives between two steps too, and what stops a point at once."""
    hard, numbers = ground("coulomb").contact, NUMBERS[law] | ({"band": 0.1} if law == "karnopp" else {})
    chain = rod("coulomb", speed=speed, push=push).replace(
        grounds=[Ground(contact=hard, friction=Friction(law=law, **numbers))])
    first = fd.simulate(chain, 0.7, samples=2)
    second = fd.simulate(chain, 1.5, samples=2, start=first.checkpoint)
    given = [run.contacts["friction_impulse"].sum() for run in (first, second)]
    momentum = [MASS*run.point_velocities[-1, :, 0].mean() - push*run.t[-1]**2/2.0 for run in (first, second)]
    assert first.ok and second.ok
    assert within(off(given, np.diff([MASS*speed, *momentum]), 1.0), 1e-12)
    assert abs(sum(given)) > 0.009 or law in ("none", "viscous", "arctan", "tanh", "step")


def modes(run):
    """Of two contacts at the end"""
    first = run.q.shape[1] + run.v.shape[1] + 2
    return run.checkpoint.y[first:first + 2]


def dropped(law, slope, aslant, speed):
    """A rod let go above a slope, 5 cm from it."""
    floor = Ground(normal=(-math.sin(slope), math.cos(slope), 0.0), contact=ground(law).contact,
                   friction=ground(law).friction)
    return Chain([Link(length=1.0, mass=1.0, joint=FreePlanar())], grounds=[floor],
                 start_q=(0.0, 0.05 + max(0.0, -math.sin(aslant))/math.cos(slope), slope + aslant),
                 start_v=(speed, 0.0, 0.0))


@every_law
@pytest.mark.parametrize("slope, aslant, speed", [
    (0.0, 0.01, 0.0), (0.0, 0.05, 0.5), (0.0, 0.2, 0.0), (0.0, 0.5, 0.5), (0.2, 0.05, 0.0), (-0.2, 0.05, 0.0),
    (0.2, -0.2, 0.0), (0.2, 0.5, 0.5), (0.28, 0.05, 0.0), (-0.28, 0.2, -0.5)])
def test_a_rod_dropped_aslant_comes_to_rest_where_friction_holds_it(law, slope, aslant, speed):
    """One end after the other, ends that tell each other's slips or hardly: both stick, no point is left creeping."""
    run = fd.simulate(dropped(law, slope, aslant, speed), 3.0, max_seconds=60.0)
    late = run.t > 2.5
    assert run.ok and np.array_equal(modes(run), [STICKS, STICKS])
    assert np.abs(run.point_velocities[late, :, 0]).max() < 1e-9 and np.ptp(run.points[late, :, 0], axis=0).max() < 1e-9
    along = run.forces[-1, :, 0]*math.cos(slope) + run.forces[-1, :, 1]*math.sin(slope)
    assert within(abs(along.sum() - G*math.sin(slope)), 1e-6)
    assert within(np.max(np.abs(run.energy_error)), 1e-7)


@pytest.mark.parametrize("law", ["coulomb", "stiction", "karnopp"])
@pytest.mark.parametrize("slope, aslant", [(0.5, 0.05), (-0.5, 0.2)])
def test_a_rod_dropped_aslant_slides_where_it_does_not(law, slope, aslant):
    """Along the slope v = g sin t - mu (g cos t + change of the speed off it), where both ends slide."""
    run, mu = fd.simulate(dropped(law, slope, aslant, 0.0), 3.0, max_seconds=60.0), LAWS[law]["mu"]
    late, s, c = run.t > 2.0, math.sin(slope), math.cos(slope)
    middle = run.point_velocities[late].mean(axis=1)
    down, off_it = -np.sign(slope)*(c*middle[:, 0] + s*middle[:, 1]), c*middle[:, 1] - s*middle[:, 0]
    wanted = G*(abs(s) - mu*c)*run.t[late] - mu*off_it
    assert run.ok and within(off(np.diff(down), np.diff(wanted), 1.0), 1e-7) and np.all(np.diff(down) > 0.0)


@every_law
def test_a_point_that_bears_next_to_nothing_rests_with_the_others(law):
    """The middle of a rod, 1e-10 m deep where its ends are 1.3e-3 m: all rest, and let go as one."""
    sunk = (MASS*G/2.0/1e5)**(2.0/3.0)
    low = Ground(point=(0.0, -sunk + 1e-10, 0.0), points=["link1.middle"], contact=ground(law).contact,
                 friction=ground(law).friction)
    ends = Ground(points=["link1", "link1.tip"], contact=ground(law).contact, friction=ground(law).friction)
    start = rod(law)
    push = Load(force=(1.0, 0.0, 0.0), at=(0.5, 0.0, 0.0), signal=Table(time=(0.0, 10.0), value=(0.0, 80.0)))
    link = Link(length=1.0, mass=MASS, joint=FreePlanar(), loads=[push], points={"middle": (0.5, 0.0, 0.0)})
    run = fd.simulate(start.replace(links=[link], grounds=[ends, low]), 1.5, samples=301, max_seconds=60.0)
    static = LAWS[law].get("mu_static", LAWS[law]["mu"])
    rests = (run.t > 0.5) & (run.t < static*MASS*G/8.0)
    assert run.ok and run.notes == () and np.max(np.abs(run.v[rests, 0])) < 1e-12 and run.v[-1, 0] > 0.01


def test_a_ground_that_pulls_holds_no_point():
    """Thrown out of a literal law faster than it lets go, N < 0: friction pushes along, and all is in the ledger."""
    thrown = fd.Event(function=lambda t, q, v: t - 0.5, direction="rising",
                      action=lambda t, q, v, direction: v.__setitem__(slice(0, 2), [0.01, 2.0]))
    for law in LAWS:
        run = fd.simulate(rod(law), 0.6, events=thrown, every=True, max_seconds=60.0)
        pulled = run.touching[run.touching["normal"] < 0.0]
        dry = pulled["friction"] + LAWS[law].get("viscosity", 0.0)*pulled["slip"]
        assert run.ok and run.notes == () and len(pulled) > 5 and np.all(dry*pulled["slip"] > 0.0)
        gained = MASS*(run.point_velocities[-1, :, 0].mean() - 0.01)
        assert within(abs(np.sum(run.contacts["friction_impulse"]) - gained), 1e-12)
        since = np.flatnonzero(run.t == run.events["time"][run.events["kind"] == "rising"])[-1]
        assert within(np.max(np.abs(np.diff(run.energy_defect[since:]))), 1e-8)


def test_feet_stick_from_their_touch_on():
    """They touch without a slip, where all forces are rounding: what holds them is not asked of a limit of nothing."""
    run = fd.simulate(legs(math.atan(0.72)), 1e-4, samples=11)
    assert run.ok and np.array_equal(modes(run), [STICKS, STICKS]) and run.stats["events"] < 10


@every_law
@pytest.mark.parametrize("speed", [0.5, -0.5, 1e-3])
def test_what_an_action_strikes_slips(law, speed):
    """Back to rest it comes by mu g, or somewhat more, and not at once."""
    def strike(t, q, v, direction):
        v[0] += speed

    blow = fd.Event(function=lambda t, q, v: t - 1.0, direction="rising", action=strike)
    run = fd.simulate(rod(law), 1.5, events=blow, every=True)
    after = np.flatnonzero(run.t == 1.0)[-1]
    rests = after + np.flatnonzero(np.abs(run.v[after:, 0]) < 1e-12)
    assert run.ok and abs(run.v[after, 0] - speed) < 1e-15 and np.max(np.abs(run.v[rests[0]:, 0])) < 1e-12
    assert LAWS[law]["mu"]*G*0.999 < abs(speed)/(run.t[rests[0]] - 1.0) < 5.0
    assert within(run.ledger["friction"][-1] - run.ledger["friction"][after] + 0.5*MASS*speed**2, 1e-9*speed**2)


def test_errors_of_steps_do_not_move_what_sticks():
    """A rod falls over on its tip, in fifteen steps."""
    lean = 1.2
    chain = Chain([Link(length=1.0, mass=MASS, joint=FreePlanar())], grounds=[ground("coulomb", mu=3.0)],
                  start_q=(0.0, math.sin(lean) + 1e-9, -lean), start_v=(0.0, -1e-3, 0.0))
    run = fd.simulate(chain, 0.3, rtol=1e-2, atol=1e-2, every=True)
    assert run.ok and abs(run.v[-1, 2]) > 1.9 and np.max(np.abs(run.touching["slip"])) < 1e-14


def test_a_run_goes_on_where_it_stuck():
    """The modes are part of the state."""
    chain = rod("stiction", push=8.0)
    whole = fd.simulate(chain, 1.5, samples=2, max_steps=10**6)
    half = fd.simulate(chain, 1.5, samples=2, max_steps=whole.stats["steps"]//2)
    rest = fd.simulate(chain, 1.5, samples=2, start=half.checkpoint, max_steps=10**6)
    assert np.array_equal(rest.q[-1], whole.q[-1]) and np.array_equal(rest.v[-1], whole.v[-1])


@pytest.mark.parametrize("law", ["stiction", "stribeck", "karnopp"])
@pytest.mark.parametrize("way", [1.0, -1.0])
@pytest.mark.parametrize("share", [0.9995, 1.0 - 1e-7])
def test_what_hardly_holds_stays_when_another_that_it_does_not_feel_breaks_away(law, way, share):
    """Two stones on a floor: one is pushed more and more, the other all the time with a share of its limit."""
    body, most = fd.Body(mass=1.0, com=(0.0, 0.0, 0.0), inertia=np.diag([0.1]*3)), 0.4*G
    signals = Table(time=(0.0, 1.0, 3.0), value=(0.0, 0.0, 1.2*most)), Table(
        time=(0.0, 1.0, 1.5, 3.0), value=(0.0, 0.0, way*share*most, way*share*most))
    stones = [Link(name=name, parent="base", joint=FreePlanar(), body=body,
                   loads=[Load(force=(1.0, 0.0, 0.0), frame="world", signal=signal)])
              for name, signal in zip(("pushed", "held"), signals)]
    floor = Ground(points=["pushed", "held"], contact=ground(law).contact, friction=ground(law).friction)
    run = fd.simulate(Chain(stones, gravity=(0.0, -G, 0.0), grounds=[floor], start_q=(0.0, 1e-9, 0.0)*2,
                            start_v=(0.0, -1e-3, 0.0)*2), 3.0, samples=31)
    assert run.ok and run.q[-1, 0] > 0.02 and np.ptp(run.q[:, 3]) < 1e-12 and modes(run)[1] == STICKS


def test_what_creeps_is_named():
    chain = rod("coulomb")
    names = [point.name for point in chain.contact_points]
    (note,) = notes_on_creeping(chain, names, (False, True))
    assert note.startswith(f"{names[1]}: creeping") and notes_on_creeping(chain, names, (False, False)) == ()


@pytest.mark.parametrize("most", [2, 100])
def test_what_crept_is_named_though_it_parted_since(most):
    """Shaken beyond its friction, 190 times a second, and thrown up; a window is 0.04 s."""
    load = Load(force=(1.0, 0.0, 0.0), at=(0.5, 0.0, 0.0), signal=lambda t: 12.0*math.sin(600.0*t))
    chain = rod("coulomb").replace(links=[Link(length=1.0, mass=MASS, joint=FreePlanar(), loads=[load])])
    thrown = fd.Event(function=lambda t, q, v: t - 0.3, direction="rising",
                      action=lambda t, q, v, direction: v.__setitem__(1, 2.0))
    end = fd.Event(function=lambda t, q, v: t - 0.4, direction="rising", terminal=True)
    run = fd.simulate(chain, 20.0, max_switches=most, events=[thrown, end])
    assert np.all(run.contacts["end"] < 0.31) and ["creeping" in note for note in run.notes] == [True]*(most == 2)
    rest = fd.simulate(chain, 20.0, max_switches=most, events=[thrown, end], start=run.checkpoint, max_steps=1)
    assert rest.notes == run.notes


@every_law
@pytest.mark.parametrize("speed", [0.0, 1.0])
@pytest.mark.parametrize("slope", [0.3, 1.0, 2.2])
def test_a_push_that_grows_from_nothing_does_not_move_what_touches_from_nothing(law, speed, slope):
    """Force and limit are both zero at the touch; soon the limit is more by far, and the point rests, no creeping."""
    push = Load(force=(1.0, 0.0, 0.0), frame="world", signal=Table(time=(0.0, 2.0), value=(0.0, 2.0*slope)))
    body = fd.Body(mass=1.0, com=(0.0, 0.0, 0.0), inertia=np.diag([0.1]*3))
    stone = Link(joint=FreePlanar(), body=body, loads=[push])
    held = {name: 0.5 for name in ("mu", "mu_static") if name in LAWS[law]}
    ground = Ground(points=["link1"], contact=Contact(law="hu-guo", stiffness=1e5, restitution=0.3, slowest=0.5),
                    friction=Friction(law=law, **LAWS[law] | held))
    chain = Chain([stone], gravity=(0.0, -G, 0.0), start_v=(0.0, -speed, 0.0), grounds=[ground])
    run = fd.simulate(chain, 2.0, samples=3)
    assert run.ok and run.notes == () and len(run.events) < 30 and abs(run.q[-1, 0]) < 1e-6
