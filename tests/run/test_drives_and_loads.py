"""What pulls besides the joints: loads on links, wrenches given with the question, drives of joints and of the user."""

import numpy as np
import pytest
from formulations import described, free_bodies, zoo
from formulations.common import examples, off, within
from hypothesis import given, settings
from hypothesis import strategies as st
from strategies import between, chains_in_motion, signals

import fastdyn as fd
from fastdyn import Chain, Constant, Link, Load, ModelError, Sine, Table

pytestmark = [pytest.mark.usefixtures("one_ladder"), pytest.mark.kernels]
in_motion = st.booleans().flatmap(lambda planar: chains_in_motion(planar=planar))
ROD = {"length": 1.0, "mass": 1.0, "radius": 0.1}
triples = st.tuples(*[between(-2.0, 2.0)]*3)


def flat(chain, force, moment, at):
    """Without what would leave the plane where the chain is in it"""
    if not chain.planar:
        return np.array(force), np.array(moment), np.array(at)
    return np.array(force)*[1, 1, 0], np.array(moment)*[0, 0, 1], np.array(at)*[1, 1, 0]


@settings(max_examples=examples(40))
@given(in_motion, triples, triples, triples, signals(), between(-1.0, 6.0), st.sampled_from(["link", "world"]))
def test_a_load_is_a_wrench_about_the_joint(case, force, moment, at, signal, t, frame):
    """Link axes, or world axes turned into them; the moment of the force about the joint included; times the signal."""
    chain, q, v, torque = case
    force, moment, at = flat(chain, force, moment, at)
    load = Load(force=force, moment=moment, at=at, frame=frame, signal=signal)
    last = described.changed(chain.links[-1], loads=[load])
    loaded = chain.replace(links=[*chain.links[:-1], last])
    C = np.eye(3) if frame == "link" else fd.orientation(chain, q, last.name).T
    wrench = np.zeros((len(chain.links), 6))
    wrench[-1] = free_bodies.value(signal, t)*np.concatenate([C @ force, C @ moment + np.cross(at, C @ force)])
    acc = fd.forward_dynamics(loaded, q, v, torque, t=t)
    assert within(off(acc, fd.forward_dynamics(chain, q, v, torque, wrench=wrench), least=1.0), 1e-12)
    together = fd.forward_dynamics(loaded, q, v, torque, t=t, wrench=-wrench)
    assert within(off(together, fd.forward_dynamics(chain, q, v, torque), least=np.abs(acc).max()), 1e-12)


@settings(max_examples=examples(40))
@given(in_motion, st.data())
def test_a_drive_of_a_joint_is_a_torque(case, data):
    chain, q, v, torque = case
    t, links, extra = data.draw(between(-1.0, 6.0)), [], np.zeros(chain.nv)
    for link in chain.links:
        if hasattr(link.joint, "drive"):
            drive = [data.draw(signals()) for _ in range(link.joint.nv)]
            extra[chain.v_slice(link.name)] = [free_bodies.value(signal, t) for signal in drive]
            link = described.changed(link, joint=described.joint_changed(link.joint, drive=drive))
        links.append(link)
    driven = chain.replace(links=links)
    acc = fd.forward_dynamics(chain, q, v, torque + extra)
    assert within(off(fd.forward_dynamics(driven, q, v, torque, t=t), acc, least=1.0), 1e-12)
    given = fd.inverse_dynamics(chain, q, v, acc)
    assert within(off(fd.inverse_dynamics(driven, q, v, acc, t=t), given - extra, least=np.abs(given).max()), 1e-13)


def test_signals_in_time():
    """A hanging weight that comes and goes: the joint holds 9.81/2 N m and its share of 2 N at 1 m."""
    chain = Chain([Link(**ROD, loads=[Load(force=(0.0, -2.0, 0.0), at=(1.0, 0.0, 0.0), frame="world",
                                           signal=Table([1.0, 2.0], [0.0, 1.0]))])])
    for t, share in ((0.0, 0.0), (1.0, 0.0), (1.25, 0.25), (2.0, 1.0), (7.0, 1.0)):
        held = fd.inverse_dynamics(chain, [0.0], [0.0], [0.0], t=t)[0]
        assert held == pytest.approx(9.81/2 + 2.0*share, rel=1e-14)
        assert fd.bias(chain, [0.0], [0.0], t=t)[0] == held


@pytest.mark.parametrize("planar", [False, True])
def test_a_wrench_reaches_every_link(planar):
    """Also links without freedom, and all of them at once."""
    chain = zoo.tree(planar)
    q, v, torque = zoo.motion(chain)
    on = np.array([1, 1, 0, 0, 0, 1] if planar else [1]*6)
    wrench = np.random.default_rng(2).uniform(-3.0, 3.0, (len(chain.links), 6))*on
    acc = fd.forward_dynamics(chain, q, v, torque, t=0.7, wrench=wrench)
    size = np.abs(free_bodies.reactions(chain, q, v, acc, 0.7, wrench)).max()
    for i in range(len(chain.links)):
        alone = wrench*(np.arange(len(chain.links)) == i)[:, None]
        felt = fd.bias(chain, q, v, t=0.7) - fd.bias(chain, q, v, t=0.7, wrench=alone)
        expected = free_bodies.inverse_dynamics(chain, q, v, 0.0*v, 0.7) - free_bodies.inverse_dynamics(
            chain, q, v, 0.0*v, 0.7, alone)
        assert within(np.abs(felt - expected).max()/size, 1e-14)
        assert np.abs(felt).max() > 0.0


# ---- the user's own function


def test_a_drive_sees_the_state_and_adds_to_what_is_given():
    seen = []

    def drive(t, q, v, torque, wrench):
        seen.append((t, q.copy(), v.copy(), torque.copy(), wrench.shape))
        torque += -3.0*v + t
        wrench[1] += 1.0, 0.0, 2.0, 0.0, 0.5, 0.0

    bare = Chain([Link(**ROD)]*2, space="space")
    chain = bare.replace(drive=drive)
    q, v, torque = np.array([0.3, -0.4]), np.array([1.0, 2.0]), np.array([5.0, 6.0])
    wrench = np.array([[0.1, 0.2, 0.3, 0.4, 0.5, 0.6]]*2)
    extra = np.array([[0.0]*6, [1.0, 0.0, 2.0, 0.0, 0.5, 0.0]])
    acc = fd.forward_dynamics(chain, q, v, torque, t=2.0, wrench=wrench)
    assert acc == pytest.approx(fd.forward_dynamics(bare, q, v, torque - 3.0*v + 2.0, wrench=wrench + extra), rel=1e-13)
    t, *state, shape = seen[0]
    assert t == 2.0 and shape == (2, 6) and all(np.array_equal(a, b) for a, b in zip(state, (q, v, torque)))
    given = fd.inverse_dynamics(chain, q, v, acc, t=2.0, wrench=wrench)
    assert given == pytest.approx(torque, rel=1e-13)
    assert seen[1][3].tolist() == [0.0, 0.0]
    many = fd.forward_dynamics(chain, [q]*3, [v, 2*v, v], [torque]*3, t=2.0, wrench=wrench)
    assert np.array_equal(many[[0, 2]], [acc, acc]) and many[1].tolist() != acc.tolist()


def test_a_drive_may_replace_the_torque():
    """A motor that saturates: the same alone and in a batch."""
    def limit(t, q, v, torque, wrench):
        np.clip(torque, -1.0, 1.0, out=torque)

    bare = Chain([Link(**ROD)]*2)
    chain, rest = bare.replace(drive=limit), np.zeros(2)
    expected = fd.forward_dynamics(bare, rest, rest, [1.0, -0.5])
    assert np.array_equal(fd.forward_dynamics(chain, rest, rest, [4.0, -0.5]), expected)
    assert np.array_equal(fd.forward_dynamics(chain, [rest]*2, [rest]*2, [[4.0, -0.5]]*2), [expected]*2)


@pytest.mark.parametrize("many", [False, True])
@pytest.mark.parametrize("value", [np.nan, np.inf])
def test_a_drive_that_gives_no_number(value, many):
    def wild(t, q, v, torque, wrench):
        torque[1] = value

    def wilder(t, q, v, torque, wrench):
        wrench[0, 2] = value

    state = [np.zeros((2, 2))]*2 if many else [np.zeros(2)]*2
    for drive, words in ((wild, f"torque from drive of link2 is {value}"), (wilder, f"wrench from drive.*is {value}")):
        with pytest.raises(ModelError, match=words):
            fd.forward_dynamics(Chain([Link(**ROD)]*2, drive=drive), *state)


def test_an_error_in_a_drive_is_the_users_own():
    def broken(t, q, v, torque, wrench):
        raise KeyError("gain")

    with pytest.raises(KeyError, match="gain"):
        fd.forward_dynamics(Chain([Link(**ROD)], drive=broken), [0.0], [0.0])


@pytest.mark.parametrize("formulation", ["recursive", "denoc", "gibbs-appell"])
def test_drives_and_wrenches_under_every_formulation(formulation):
    def drive(t, q, v, torque, wrench):
        torque -= v
        wrench[0, 1] += np.sin(t)

    chain = zoo.tree().replace(drive=drive)
    q, v, torque = zoo.motion(chain)
    wrench = np.random.default_rng(2).uniform(-3.0, 3.0, (len(chain.links), 6))
    acc = fd.forward_dynamics(chain, q, v, torque, t=0.7, wrench=wrench, formulation=formulation)
    one = fd.forward_dynamics(chain, q, v, torque, t=0.7, wrench=wrench)
    assert within(off(acc, one), 1e-11)
    many = fd.forward_dynamics(chain, [q, q], [v, v], [torque, torque], t=0.7, wrench=wrench, formulation=formulation)
    assert within(off(many, [one, one]), 1e-11)


def test_constant_and_sine_loads_agree_where_they_meet():
    q, v = [0.3], [0.2]
    for signal, t, share in ((Constant(2.0), 5.0, 2.0), (Sine(2.0, np.pi, offset=1.0), 0.5, 3.0)):
        chain = Chain([Link(**ROD, loads=[Load(moment=(0.0, 0.0, 1.0), signal=signal)])])
        bare = fd.bias(Chain([Link(**ROD)]), q, v)
        assert fd.bias(chain, q, v, t=t) == pytest.approx(bare - share, rel=1e-14)


def test_a_drive_that_writes_into_its_state_changes_nothing():
    def careless(t, q, v, torque, wrench):
        q[:], v[:] = 9.0, 9.0

    rod = fd.Chain([fd.Link(length=1.0, mass=1.0)])
    driven, q, v = rod.replace(drive=careless), np.zeros(1), np.zeros(1)
    assert np.array_equal(fd.forward_dynamics(driven, q, v), fd.forward_dynamics(rod, q, v))
    assert q[0] == v[0] == 0.0
    runs = [fd.simulate(chain, t_end=0.1, samples=3) for chain in (rod, driven)]
    assert np.array_equal(runs[0].q, runs[1].q)


def test_a_torque_that_is_returned_is_not_lost_without_a_word():
    rod = Chain([Link(**ROD)])
    returned = rod.replace(drive=lambda t, q, v, torque, wrench: torque - v)
    with pytest.raises(ModelError, match=r"drive returned .*let it add to torque and wrench in place"):
        fd.forward_dynamics(returned, [0.0], [1.0])
    with pytest.raises(ModelError, match="drive returned"):
        fd.forward_dynamics(returned, [[0.0]]*2, [[1.0]]*2)
    assert "drive returned" in fd.simulate(returned, t_end=0.1).message
    in_place = rod.replace(drive=lambda t, q, v, torque, wrench: torque.__iadd__(-v))
    assert fd.forward_dynamics(in_place, [0.0], [1.0]) == pytest.approx(fd.forward_dynamics(rod, [0.0], [1.0], [-1.0]))


def test_a_drive_of_another_shape():
    for drive in (lambda t, q: None, lambda: None, lambda t, q, v, torque, wrench, more: None):
        with pytest.raises(ModelError, match=r"drive is called as drive\(t, q, v, torque, wrench\)"):
            Chain([Link(**ROD)], drive=drive)
    for drive in (print, max, lambda *given: None, lambda t, q, v, torque, wrench, more=1: None):
        Chain([Link(**ROD)], drive=drive)


PLANAR = Chain([Link(name="upper", **ROD), Link(name="lower", **ROD)])


@pytest.mark.parametrize("part", [2, 3, 4])
@pytest.mark.parametrize("ask", ["forward_dynamics", "inverse_dynamics", "reactions", "bias", "many", "drive", "run"])
def test_a_wrench_that_leaves_the_plane(ask, part):
    """Which the joints would feel and a planar chain does not compute."""
    wrench, rest = np.zeros((2, 6)), np.zeros(2)
    wrench[1] = 1.0, 2.0, 0.0, 0.0, 0.0, 3.0
    wrench[1, part] = 0.1

    def drive(t, q, v, torque, outer):
        outer += wrench

    asked = {
        "forward_dynamics": lambda chain: fd.forward_dynamics(chain, rest, rest, wrench=wrench),
        "inverse_dynamics": lambda chain: fd.inverse_dynamics(chain, rest, rest, rest, wrench=wrench),
        "reactions": lambda chain: fd.reactions(chain, rest, rest, wrench=wrench),
        "bias": lambda chain: fd.bias(chain, rest, rest, wrench=wrench),
        "many": lambda chain: fd.forward_dynamics(chain, [rest]*3, [rest]*3, wrench=wrench),
        "drive": lambda chain: fd.forward_dynamics(chain.replace(drive=drive), rest, rest),
        "run": lambda chain: told(fd.simulate(chain.replace(drive=drive), t_end=0.01)),
    }[ask]
    with pytest.raises(ModelError, match=r'link "lower": wrench with force .* leaves the plane .*space="space"'):
        asked(PLANAR)
    asked(PLANAR.replace(space="space"))


def told(run):
    if run.failure is not None:
        raise run.failure


def test_a_wrench_within_rounding_of_the_plane():
    flat, rest = np.array([[1.0, 2.0, 0.0, 0.0, 0.0, 3.0]]*2), np.zeros(2)
    hair = flat + [0.0, 0.0, 1e-16, -1e-16, 1e-16, 0.0]
    expected = fd.forward_dynamics(PLANAR, rest, rest, wrench=flat)
    assert np.array_equal(fd.forward_dynamics(PLANAR, rest, rest, wrench=hair), expected)


# ---- tables in a run

PULSE = Table([4.9999, 5.0, 5.5, 5.5001], [0.0, 1.0, 1.0, 0.0])
PULLED = {"drive": Link(length=1.0, mass=1.0, joint=fd.Revolute(drive=PULSE)),
          "load": Link(length=1.0, mass=1.0, loads=[Load(moment=(0.0, 0.0, 1.0), signal=PULSE)])}


@pytest.mark.parametrize("stepper", ["dop853", "dopri5", "adams", "radau5"])
@pytest.mark.parametrize("where", PULLED)
def test_no_pulse_of_a_table_is_stepped_over(where, stepper):
    """0.5001 N m s on 1/3 kg m^2, in steps that grow to seconds before it comes."""
    chain = Chain([PULLED[where]], gravity=(0.0, 0.0, 0.0))
    run = fd.simulate(chain, 10.0, stepper=stepper, every=True).check()
    assert abs(run.v[-1, 0] - 3.0*0.5001) < 1e-7 and set(PULSE.time) <= set(run.t)
    assert np.diff(run.t).max() > 1.0


def test_a_run_with_tables_goes_on_with_the_same_bits():
    chain = Chain([PULLED["drive"]])
    whole = fd.simulate(chain, 10.0, every=True)
    stop = fd.Event(function=lambda t, q, v: t - 5.2, terminal=True)
    part = fd.simulate(chain, 10.0, events=stop)
    rest = fd.simulate(chain, 10.0, events=stop, start=part.checkpoint)
    assert part.t[-1] == pytest.approx(5.2, abs=1e-12) and rest.t[-1] == 10.0
    assert np.abs(rest.q[-1] - whole.q[-1]).max() < 1e-7
    again = fd.simulate(chain, 10.0, max_steps=60)
    assert 0.0 < again.t[-1] < 10.0
    on = fd.simulate(chain, 10.0, start=again.checkpoint)
    assert np.array_equal(on.q[-1], whole.q[-1])


@pytest.mark.parametrize("stepper, share", [("newmark", 1/8), ("radau5", 0.0236)])
@pytest.mark.parametrize("h", [0.013, 0.0091])
def test_equal_steps_lose_a_share_of_every_bend(stepper, share, h):
    """Of a ramp of 2 N m/s that begins and ends within steps, on 1/3 kg m^2: share h^2 for each of its two bends."""
    ramp = Table([1.0, 1.5], [0.0, 1.0])
    chain = Chain([Link(length=1.0, mass=1.0, joint=fd.Revolute(drive=ramp))], gravity=(0.0, 0.0, 0.0))
    run = fd.simulate(chain, 2.0, stepper=stepper, h_min=h, h_max=h, every=True).check()
    assert np.allclose(np.diff(run.t)[:-1], h, rtol=1e-9, atol=0.0)
    off = abs(run.v[-1, 0] - 3.0*(0.25 + 0.5))
    assert 1e-8 < off < 2*share*h*h*3.0*2.0*1.01


def test_steps_of_one_size_stay_so():
    run = fd.simulate(Chain([PULLED["drive"]]), 6.0, stepper="newmark", h_min=0.013, h_max=0.013, every=True)
    assert np.allclose(np.diff(run.t)[:-1], 0.013, rtol=1e-9, atol=0.0)
