"""Momenta over a run and what the base feels: Newton's and Euler's laws for the whole, for the ground, for the box."""

import numpy as np
import pytest
from formulations.common import off, within
from formulations.loop_chains import chains as looped
from formulations.loop_chains import closed_state
from formulations.zoo import motion, tree
from msgspec.structs import replace
from strategies import random_chain, random_state

import fastdyn as fd
from fastdyn.describe.catalog import falling_chain, n_pendulum, space_arm
from fastdyn.results.run import Run
from fastdyn.run.loops import moved

pytestmark = pytest.mark.usefixtures("one_ladder")
TIGHT = {"rtol": 1e-11, "atol": 1e-13}


def rates(run, links):
    """d/dt of linear momentum and of angular momentum about the world's origin of some links, by Newton and Euler"""
    chain, force, moment = run.chain, np.zeros((len(run.t), 3)), np.zeros((len(run.t), 3))
    for row, (t, q, v) in enumerate(zip(run.t, run.q, run.v)):
        acc = fd.forward_dynamics(chain, q, v, t=float(t))
        for name in links:
            body = chain.links[chain.index(name)].rigid_body
            a, al = fd.acceleration(chain, q, v, acc, name, body.com)
            _, w = fd.velocity(chain, q, v, name)
            R = fd.orientation(chain, q, name)
            I = R @ np.array(body.inertia) @ R.T
            force[row] += body.mass*a
            moment[row] += I @ al + np.cross(w, I @ w) + np.cross(fd.position(chain, q, name, body.com), body.mass*a)
    return force, moment


@pytest.fixture(scope="module")
def arm():
    return fd.simulate(space_arm(), 4.0, samples=41, **TIGHT)


@pytest.fixture(scope="module")
def hanging():
    chain = random_chain(np.random.default_rng(6), 3, "spherical", gravity=(0.0, 0.0, -9.81))
    return fd.simulate(chain, 0.5, *random_state(np.random.default_rng(7), chain), samples=51, **TIGHT)


def test_momenta_are_those_of_single_states(hanging):
    point = np.array([0.3, -0.2, 0.5])
    found = fd.momenta(hanging, point)
    for row in (0, 25, 50):
        P, H = fd.momentum(hanging.chain, hanging.q[row], hanging.v[row])
        c = fd.mass_center(hanging.chain, hanging.q[row])
        for got, expected in zip(found, (P, H - np.cross(c, P), H - np.cross(point, P), c)):
            assert np.array_equal(got[row], expected)
    assert np.array_equal(fd.momenta(hanging).about_point, fd.momentum(hanging.chain, hanging.q, hanging.v)[1])


def test_a_drive_inside_leaves_the_momenta_of_what_floats():
    """Torques of the user's own law between the links"""
    def drive(t, q, v, torque, wrench):
        torque[6:] += 3.0*np.sin(2*t) - 2.0*v[6:] + [1.0, -2.0, 0.5]*(len(v)//3 - 2)

    chain = space_arm(2, torque=0.0, stiffness=0.0, damping=0.0).replace(drive=drive)
    _, v = random_state(np.random.default_rng(3), chain, speed=0.3)
    run = fd.simulate(chain, 1.0, v=v, samples=21, **TIGHT)
    found = fd.momenta(run)
    assert np.ptp(run.kinetic) > 1.0
    for x in (found.linear, found.about_center):
        assert within(off(x, np.broadcast_to(x[0], x.shape)), 1e-11)


def test_weight_and_the_base_change_the_momenta(hanging):
    """What the ground feels is weight less the rate of momentum; its moment about the origin likewise."""
    found, felt = fd.momenta(hanging), fd.base_reaction(hanging)
    mass = sum(link.rigid_body.mass for link in hanging.chain.links)
    weight = mass*np.array([0.0, 0.0, -9.81])
    force, moment = rates(hanging, hanging.chain.link_names)
    assert within(off(felt[:, :3], weight - force), 1e-12)
    assert within(off(felt[:, 3:], np.cross(found.center, weight) - moment, least=10.0), 1e-12)
    assert within(np.abs(felt[:, 3:]).max()/np.abs(felt[:, :3]).max(), 1e-13)     # a ball joint at the origin


def test_the_box_feels_what_its_arm_does(arm):
    """Newton and Euler for the box alone, its mass centre its origin"""
    felt, (force, moment) = fd.base_reaction(arm), rates(arm, ["box"])
    places = np.array([fd.position(arm.chain, q, "box") for q in arm.q])
    assert within(off(felt[:, :3], force), 1e-11)
    assert within(off(felt[:, 3:], moment - np.cross(places, force)), 1e-11)


def test_joint_torques_are_what_turns_the_box_at_rest(arm):
    """At the start, straight and at rest: the drive about z, 80 N m, comes back from the arm to the box."""
    felt = fd.base_reaction(arm)[0]
    acc = fd.forward_dynamics(arm.chain, arm.q[0], arm.v[0], t=0.0)
    assert within(abs(felt[5] - acc[5]*100.0/6), 1e-12*80.0) and felt[5] < -1.0


def test_a_run_whose_drive_is_lost_is_asked_for_it(tmp_path):
    def drive(t, q, v, torque, wrench):
        torque[0] += 3.0

    chain = n_pendulum(1).replace(drive=drive)
    q, v = chain.start_state()
    Run(chain, np.array([0.0]), q[None], v[None]).save(tmp_path/"run.h5")
    run = fd.open(tmp_path/"run.h5")
    with pytest.raises(fd.ModelError, match="cannot keep the drive its chain had; give it again"):
        fd.base_reaction(run)
    run.chain = run.chain.replace(drive=drive)
    assert fd.base_reaction(run)[0, 5] == pytest.approx(-3.0, abs=1e-12)


def test_a_pendulum_hangs_with_its_weight():
    chain = n_pendulum(3, mass=2.0, angle=0.0)
    run = fd.simulate(chain, 0.1, samples=3)
    assert within(np.abs(fd.base_reaction(run) - [0.0, -2.0*9.81, 0.0, 0.0, 0.0, 0.0]).max(), 1e-12)


def test_branches_of_a_floating_tree_add_up():
    chain = tree(laws=False).replace(gravity=(0.0, 0.0, 0.0))
    q, v, _ = motion(chain)
    run = fd.simulate(chain, 1e-3, q, v, samples=2)
    felt = fd.base_reaction(run)[0]
    hub, acc = chain.links[0].body, fd.forward_dynamics(chain, run.q[0], run.v[0])
    u, w, a, al = run.v[0][:3], run.v[0][3:6], acc[:3], acc[3:6]
    c, I = np.array(hub.com), np.array(hub.inertia)
    force = hub.mass*(a + np.cross(w, u) + np.cross(al, c) + np.cross(w, np.cross(w, c)))
    moment = I @ al + np.cross(w, I @ w) + np.cross(c, force)
    R = fd.orientation(chain, run.q[0], "hub")
    assert within(off(felt, np.concatenate([R @ force, R @ moment])), 1e-11)


# ------------------------------------------------------------------------------------------------------ closures
PUSH = fd.Load(force=(3.0, -2.0, 0.0), moment=(0.0, 0.0, 1.5), at=(0.3, 0.1, 0.0))
TURN = (0.8, 0.0, 0.36, 0.48)


def afloat(kind):
    """A raft with an arm closed back to it, and a side link"""
    raft = fd.Link(name="raft", joint=fd.Free(), points={"eye": (0.4, 0.5, 0.2)}, loads=[PUSH],
                   body=fd.Body(mass=2.0, com=(0.1, 0.0, 0.05), inertia=(0.2, 0.3, 0.25)))
    arm = [fd.Link(name=f"bar{i + 1}", parent=parent, length=0.8, joint=joint, loads=[PUSH][i:],
                   body=fd.Body(mass=1.0 + 0.3*i, com=(0.4, 0.05, 0.02), inertia=(0.05, 0.12, 0.1)))
           for i, (parent, joint) in enumerate((("raft", fd.Universal()), ("bar1", fd.Spherical()),
                                                ("bar2", fd.Spherical()), ("raft", fd.Spherical(stiffness=2.0))))]
    words = {"turn": TURN} if kind in ("pin", "slider", "weld") else {"length": 0.7} if kind == "distance" else {}
    return fd.Chain([raft, *arm], closures=[fd.Closure(kind=kind, a="raft.eye", b="bar3.tip", **words)])


def turned_about(chain):
    """The same with the ends of all closures the other way about, as far as that says the same"""
    return chain.replace(closures=tuple(replace(c, a=c.b, b=c.a) if c.kind in ("ball", "distance") else c
                                        for c in chain.closures))


def sprung(chain):
    return chain.replace(closures=tuple(replace(c, stiffness=30.0 + 10*k, damping=2.0)
                                        for k, c in enumerate(chain.closures)))


def on_the_ground(chain):
    return any(-1 in (held.a[0], held.b[0]) for held in chain.held)


LOOPED = looped() | {
    "andrews": fd.catalog.andrews(),
    "ball to ball": fd.Chain([fd.Link(name=name, length=0.8, joint=fd.Spherical(), body=fd.Body.rod(0.8, 1.0, 0.1))
                              for name in "ab"], closures=[fd.Closure(kind="ball", a="b.tip", b=(1.2, 0.0, 0.0))])}
AFLOAT = {f"afloat on a {kind}": afloat(kind) for kind in ("pin", "ball", "slot", "slider", "weld", "distance")}
CLOSED = {name: chain for name, chain in LOOPED.items() if on_the_ground(chain)} | AFLOAT


def momenta_of(chain, q, v, links):
    """(linear, angular about the world's origin) of some links"""
    P, H = np.zeros(3), np.zeros(3)
    for name in links:
        body = chain.links[chain.index(name)].rigid_body
        u, w = fd.velocity(chain, q, v, name, body.com)
        R = fd.orientation(chain, q, name)
        P += body.mass*u
        H += R @ np.array(body.inertia) @ R.T @ w + np.cross(fd.position(chain, q, name, body.com), body.mass*u)
    return np.concatenate([P, H])


def from_outside(chain, q, t, links):
    """Force and moment about the world's origin of weight and constant loads on some links"""
    total = np.zeros(6)
    for name in links:
        link = chain.links[chain.index(name)]
        R, weight = fd.orientation(chain, q, name), link.rigid_body.mass*np.array(chain.gravity)
        total += [*weight, *np.cross(fd.position(chain, q, name, link.rigid_body.com), weight)]
        for load in link.loads:
            force, place = R @ load.force, fd.position(chain, q, name, load.at)
            total += [*force, *(np.cross(place, force) + R @ load.moment)]
    return total


def of_differences(run, links, sign):
    """What the base feels, by what changes the momenta of some links at the first sample; central differences"""
    chain, (t, q, v), h = run.chain, (run.t[0], run.q[0], run.v[0]), 1e-5
    acc = fd.forward_dynamics(chain, q, v, t=t)
    ahead, behind = (momenta_of(chain, moved(chain, q, s*v), v + s*acc, links) for s in (h, -h))
    wanted = sign*(from_outside(chain, q, t, links) - (ahead - behind)/(2*h))
    if sign < 0.0:                                      # of the floating link, about its own origin
        wanted[3:] -= np.cross(fd.position(chain, q, "raft"), wanted[:3])
    return wanted


@pytest.mark.parametrize("name", CLOSED)
@pytest.mark.parametrize("change", [
    lambda chain: chain, turned_about, sprung, lambda chain: sprung(turned_about(chain))],
                         ids=["held", "turned", "sprung", "both"])
def test_what_is_closed_to_the_base_is_felt_too(name, change):
    """Weight, loads and the base make the rate of all momenta; loads, weight and what it feels that of a raft."""
    chain, rng = change(CLOSED[name]), np.random.default_rng(8)
    for _ in range(3):
        q, v = closed_state(chain, rng) if name != "andrews" else chain.start_state()
        run = Run(chain, np.zeros(1), q[None], v[None])
        got = fd.base_reaction(run)[0]
        wanted = of_differences(run, ["raft"], -1.0) if name in AFLOAT else of_differences(run, chain.link_names, 1.0)
        assert within(off(got, wanted, least=1e-3), 2e-8)


def test_closures_from_the_ground_to_a_raft_are_not_of_its_arm():
    """A raft moored to the ground feels from its arm what moves it less the mooring; the mooring is the ground's."""
    chain = afloat("distance")
    moored = chain.replace(closures=(*chain.closures, fd.Closure(kind="ball", a=(0.2, 0.1, 0.3), b="raft.eye",
                                                                 stiffness=40.0)))
    q, v = closed_state(moored, np.random.default_rng(1))
    run = Run(moored, np.zeros(1), q[None], v[None])
    force = fd.closure_forces(moored, q, v)[1, :3]
    arm = fd.position(moored, q, "raft", "eye") - fd.position(moored, q, "raft")
    wanted = of_differences(run, ["raft"], -1.0) - [*force, *np.cross(arm, force)]
    assert np.abs(force).max() > 1.0 and within(off(fd.base_reaction(run)[0], wanted), 2e-8)


def test_two_rods_closed_at_a_ball_share_their_weight():
    """At rest, 2 kg hung between two places 1.2 m apart: the ground feels all of it, halfway between them."""
    rods = [fd.Link(name=name, length=1.0, joint=fd.Spherical(), body=fd.Body.rod(1.0, 1.0, 0.1)) for name in "ab"]
    arch = fd.Chain(rods, gravity=(0.0, 0.0, -9.81), closures=[fd.Closure(kind="ball", a="b.tip", b=(1.2, 0.0, 0.0))])
    hang = np.arctan2(0.8, 0.6)
    q = [*fd.to_quaternion([0.0, hang, 0.0], "xyz"), *fd.to_quaternion([0.0, -2*hang, 0.0], "xyz")]
    felt = fd.base_reaction(fd.simulate(arch, 1e-3, q=q, samples=2))[0]
    assert within(np.abs(felt - [0.0, 0.0, -19.62, 0.0, 11.772, 0.0]).max(), 1e-12)


@pytest.mark.parametrize("rtol", [1e-7, 1e-10])
@pytest.mark.parametrize("seed", range(4))
def test_momenta_drift_no_more_than_the_tolerance_allows(rtol, seed):
    """Wild motion of random floating chains"""
    rng = np.random.default_rng(seed)
    chain = random_chain(rng, 4, "spherical", free=True, gravity=(0.0, 0.0, 0.0))
    found = fd.momenta(fd.simulate(chain, 5.0, *random_state(rng, chain), samples=51, rtol=rtol, atol=0.1*rtol).check())
    for x in (found.linear, found.about_center):
        assert within(off(x, np.broadcast_to(x[0], x.shape)), 100*rtol)


@pytest.mark.parametrize("ask", [fd.momenta, fd.base_reaction])
@pytest.mark.parametrize("given", [space_arm(), None, "run.h5"])
def test_what_is_no_run_is_told_so(ask, given):
    with pytest.raises(fd.ModelError, match=r"^run is .*; give a Run, such as fastdyn.simulate\("):
        ask(given)


def test_chains_that_meet_grounds_are_refused():
    chain = falling_chain(m=0)
    run = Run(chain, np.zeros(1), *(x[None] for x in chain.start_state()))
    with pytest.raises(fd.ModelError, match=r"^the chain has ground\[0\]"):
        fd.base_reaction(run)


@pytest.mark.parametrize("kind", ["ball", "pin", "weld", "slot", "slider"])
@pytest.mark.parametrize("damping", [0.0, 2.0])
def test_springs_and_dampers_between_two_bodies_keep_their_momenta(kind, damping):
    """Open by much, and turning: a damper along the world's axes would give a couple that nobody holds."""
    body = fd.Body(mass=1.0, com=(0.1, 0.0, 0.0), inertia=(0.1, 0.2, 0.25))
    links = [fd.Link(name=name, parent="base", joint=fd.Free(), body=body, points={"p": (0.3, 0.1, -0.2)})
             for name in "ab"]
    chain = fd.Chain(links, gravity=(0.0, 0.0, 0.0), space="space", closures=[
        fd.Closure(kind=kind, a="a.p", b="b.p", stiffness=20.0, damping=damping)])
    q = chain.start_state()[0]
    q[7:10] = 0.3, -0.4, 0.5
    run = fd.simulate(chain, 1.0, q, np.random.default_rng(1).normal(size=12), rtol=1e-11, atol=1e-13).check()
    found = fd.momenta(run)
    for momentum in (found.linear, found.about_center):
        assert np.abs(momentum - momentum[0]).max() < 1e-9
    lost = run.energy[-1] - run.energy[0]
    assert lost < -0.1 if damping else abs(lost) < 1e-8
