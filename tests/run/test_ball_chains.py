"""Runs of chains on ball joints, hanging and floating: published and stored motions, what stays, closed forms."""

import json

import numpy as np
import pytest
from formulations.common import COMPILED, off, within
from formulations.described import changed
from references import FOLDER, names, trajectory
from scipy.special import ellipj
from strategies import random_chain, random_state

import fastdyn as fd
from fastdyn.describe.catalog import heavy_top, space_arm, two_link
from fastdyn.formulations import FORMULATIONS
from fastdyn.layout import LANES
from fastdyn.status import SINGULAR_INERTIA

pytestmark = pytest.mark.usefixtures("one_ladder")
TIGHT = {"rtol": 1e-12, "atol": 1e-14}


def same_turns(p, q):
    """Largest difference of unit quaternions whose signs do not count, one a row"""
    p, q = p.reshape(-1, 4), q.reshape(-1, 4)
    return np.abs(p*np.sign(np.sum(p*q, axis=1))[:, None] - q).max()


def balls(chain):
    """Places of all quaternions in q"""
    return np.concatenate([np.arange(s.start, s.stop) for _, s in chain.quaternions])


# ---- the published pair


@pytest.mark.parametrize("joint", ["spherical", "revolute"])
@pytest.mark.parametrize("case", [0, 1], ids=["A", "B"])
def test_the_published_pair_moves_as_stored(case, joint):
    """t, psi1, psi2, their rates and T over 20 s; seen: 3e-13."""
    rows = np.array(json.loads((FOLDER/"two_link_published.json").read_text())["cases"][case]["rows"])
    chain = two_link("AB"[case], joint)
    run = fd.simulate(chain, 20.0, samples=21, **TIGHT)
    angles, rates = run.q, run.v
    if joint == "spherical":
        angles, rates = 2*np.arctan2(run.q[:, [3, 7]], run.q[:, [0, 4]]), run.v[:, [2, 5]]
        assert np.abs(np.delete(run.v, [2, 5], axis=1)).max() == 0.0 == np.abs(np.delete(run.q, [0, 3, 4, 7], 1)).max()
    got = np.column_stack([run.t, angles, rates, run.kinetic])
    assert within(np.abs(got - rows).max(), 1e-11 if COMPILED else 1e-10)
    assert within(np.abs(run.energy_defect).max(), 1e-12)


@pytest.mark.parametrize("formulation", FORMULATIONS)
@pytest.mark.parametrize("joint", ["spherical", "revolute"])
def test_equations_91(joint, formulation):
    """Both rows, with the forces that go with sin t, to rounding"""
    chain, m, l, f = two_link(joint=joint, force=0.7, omega=1.3), 3.0, 1.0, 0.7
    rng = np.random.default_rng(2)
    for _ in range(20):
        (a, b), (ad, bd), (add, bdd) = rng.uniform(-2.0, 2.0, (3, 2))
        c, s, t = np.cos(b), np.sin(b), rng.uniform(0.0, 5.0)
        push = f*np.sin(1.3*t)
        left = 2/3*m*l*l*np.array([2*(5 + 3*c)*add + (2 + 3*c)*bdd - 3*bd*(2*ad + bd)*s,
                                   (2 + 3*c)*add + 2*bdd + 3*ad*ad*s])
        right = 2*l*push*np.array([2 + c, 1.0])
        q, v, acc = np.array([a, b]), np.array([ad, bd]), np.array([add, bdd])
        if joint == "spherical":
            q = np.concatenate([(np.cos(x/2), 0.0, 0.0, np.sin(x/2)) for x in q])
            v, acc = (np.array([0.0, 0.0, x[0], 0.0, 0.0, x[1]]) for x in (v, acc))
        torque = fd.inverse_dynamics(chain, q, v, acc, t=t, formulation=formulation)
        if joint == "spherical":
            assert np.array_equal(np.delete(torque, [2, 5]), np.zeros(4))
            torque = torque[[2, 5]]
        assert within(np.abs(torque - (left - right)).max(), 2e-14*np.abs(left).max())


def test_lanes_of_a_long_chain_are_the_chain_alone():
    """As many states as a set of lanes and some more take, of 128 ball joints, to the bit"""
    rng = np.random.default_rng(9)
    chain = random_chain(rng, 128 if COMPILED else 4, "spherical")
    q, v = (np.array(x) for x in zip(*(random_state(rng, chain) for _ in range(LANES + 3))))
    torque = rng.normal(size=v.shape)
    for ask in (fd.forward_dynamics, fd.inverse_dynamics):
        assert np.array_equal(ask(chain, q, v, torque), [ask(chain, *one) for one in zip(q, v, torque)])


@pytest.mark.parametrize("n", [2, 10, 40, 128])
def test_planar_rows_are_those_of_the_plane(n):
    rng = np.random.default_rng(n)
    flat = random_chain(rng, n, "planar", gravity=(1.0, -9.0, 0.0))
    links = [fd.Link(length=link.length, body=link.body, joint=fd.Spherical()) for link in flat.links]
    chain = fd.Chain(links, gravity=flat.gravity, space="space")
    (q, v), torque = random_state(rng, flat), rng.normal(size=n)
    turns = np.concatenate([(np.cos(x/2), 0.0, 0.0, np.sin(x/2)) for x in q])
    spread = np.kron(np.eye(n), [[0.0], [0.0], [1.0]])
    acc = fd.forward_dynamics(chain, turns, spread @ v, spread @ torque)
    assert within(off(acc, spread @ fd.forward_dynamics(flat, q, v, torque)), 1e-13)
    acc = rng.normal(size=n)
    back = fd.inverse_dynamics(chain, turns, spread @ v, spread @ acc)
    assert within(off(back, spread @ fd.inverse_dynamics(flat, q, v, acc)), 1e-13)


# ---- stored motions


@pytest.mark.parametrize("name", names("traj_*"))
def test_stored_motions(name):
    """1 to 4 links, free and loaded; errors grow as the motions part: 1e-10 is what tight steps leave of 14 digits."""
    course = trajectory(name)
    run = fd.simulate(course.chain, course.t[-1], course.q[0], course.v[0], times=course.t, **TIGHT)
    turns = balls(course.chain)
    assert within(same_turns(run.q[:, turns], course.q[:, turns]), 1e-10)
    assert within(np.abs(np.delete(run.q - course.q, turns, axis=1)).max(initial=0.0), 1e-10)
    assert within(off(run.v, course.v), 1e-10)
    assert within(off(run.kinetic, [row["T"] for row in course.rows]), 1e-10)


# ---- what stays


def with_torques(chain):
    """Sines, springs and dampers in the joints of a random floating chain"""
    links = [link if isinstance(link.joint, fd.Free) else changed(link, joint=fd.Spherical(
        stiffness=1.0, damping=0.2, drive=[fd.Sine(1.0, 1.0 + 0.2*i, phase=0.5*k) for k in range(3)]))
        for i, link in enumerate(chain.links)]
    return chain.replace(links=links)


@pytest.fixture(scope="module", params=["space arm", "one boom", "random links"])
def long_run(request):
    """1e4 steps of arms that float, move and turn, driven by their joints, and their momenta at 101 of them"""
    rng = np.random.default_rng(1)
    chain = {"space arm": lambda: space_arm(3), "one boom": lambda: space_arm(1, torque=120.0, omega=0.7),
             "random links": lambda: with_torques(random_chain(rng, 4, "spherical", free=True, gravity=(0.0,)*3))
             }[request.param]()
    v = random_state(rng, chain, speed=0.5)[1]
    run = fd.simulate(chain, 100.0 if COMPILED else 1.0, v=v, h_max=0.01, samples=101,
                      rtol=2e-11 if request.param == "random links" else 2e-10)
    P, H = (np.array(x) for x in zip(*(fd.momentum(chain, *state) for state in zip(run.q, run.v))))
    return run, P, H, np.array([fd.mass_center(chain, q) for q in run.q])


def test_momenta_of_a_floating_arm_stay_under_torques_of_its_own(long_run):
    run, P, H, c = long_run
    assert run.stats["steps"] >= (10_000 if COMPILED else 100) and np.ptp(run.kinetic) > 1.0
    mass = sum(link.rigid_body.mass for link in run.chain.links)
    about_center = H - np.cross(c, P)
    assert within(off(P, np.broadcast_to(P[0], P.shape)), 1e-12)
    assert within(off(about_center, np.broadcast_to(about_center[0], H.shape)), 1e-12)
    assert within(off(c, c[0] + np.outer(run.t, P[0])/mass, least=1.0), 1e-12)
    arm = np.linalg.norm(c, axis=1).max()*np.linalg.norm(P[0])      # 45 m out, H = H_C + c x P is what is left of it
    assert within(off(H, np.broadcast_to(H[0], H.shape), least=arm), 1e-13 if run.chain.name else 3e-13)


def test_quaternions_keep_their_length(long_run):
    run = long_run[0]
    for q in (run.q, run.checkpoint.y[None, :run.chain.nq]):
        lengths = np.linalg.norm(q[:, balls(run.chain)].reshape(-1, 4), axis=1)
        assert within(np.abs(lengths - 1.0).max(), 1e-15)


def test_an_arm_at_rest_turns_its_box_without_momentum():
    """Torques inside move everything; linear and angular momentum and the mass centre stay zero where they were."""
    chain = space_arm()
    run = fd.simulate(chain, 10.0, samples=51, **TIGHT)
    P, H = (np.array(x) for x in zip(*(fd.momentum(chain, *state) for state in zip(run.q, run.v))))
    c = np.array([fd.mass_center(chain, q) for q in run.q])
    effort = 20.0*np.abs(run.v).max()                   # kg m/s or kg m^2/s that the arm has and the box takes back
    assert within(np.abs(P).max()/effort, 1e-13) and within(np.abs(H).max()/effort, 1e-12)
    assert within(np.abs(c - c[0]).max(), 1e-13)
    assert np.degrees(fd.from_quaternion(run.q[-1, 3:7], "xyz"))[0] > 30.0


# ---- what cannot be solved


@pytest.mark.parametrize("formulation", FORMULATIONS)
def test_links_without_inertia_about_themselves_are_named(formulation):
    """A slender rod on a ball joint may spin as it likes; numpy.linalg.solve answers, we do not."""
    thin = two_link(roll_inertia=0.0)
    q, v = thin.zero_state()
    M = fd.mass_matrix(thin, q, formulation=formulation)
    assert np.count_nonzero(np.abs(np.linalg.eigvalsh(M)) < 1e-14) == 2
    with pytest.raises(fd.SimulationError, match=r'^link "link2" about \(1, 0, 0\), link "link1" about \(1, 0, 0\): '
                                              "the inertia that joint has to move is not"):
        fd.forward_dynamics(thin, q, v, formulation=formulation)
    run = fd.simulate(thin, 1.0, formulation=formulation)
    assert run.status == SINGULAR_INERTIA and 'link "link2" about (1, 0, 0), link "link1" about' in run.message


@pytest.mark.parametrize("roll_inertia", [1e-3, 1e-6, 1e-9])
def test_with_a_little_inertia_they_run(roll_inertia):
    expected = fd.simulate(two_link(), 5.0, samples=6, **TIGHT)
    run = fd.simulate(two_link(roll_inertia=roll_inertia), 5.0, samples=6, **TIGHT)
    assert run.ok and within(np.abs(run.v - expected.v).max(), 1e-12)


# ---- springs past half a turn


@pytest.mark.parametrize("stepper", ["dop853", "radau5"])
@pytest.mark.parametrize("rtol", [1e-6, 1e-11])
def test_the_spring_of_a_ball_joint_turns_about_at_half_a_turn(stepper, rtol):
    """About one axis with the energy to go round: its torque jumps from -k pi to k pi, its energy does not."""
    k, I, w = 1.0, 0.25, 10.0
    body = fd.Body(mass=1.0, inertia=(0.1, 0.2, I))
    chain = fd.Chain([fd.Link(joint=fd.Spherical(stiffness=k), body=body)], gravity=(0.0, 0.0, 0.0), space="space")
    rate = np.sqrt(k/I)
    round_once = 2*np.arcsin(np.pi*rate/w)/rate
    run = fd.simulate(chain, 3.5*round_once, v=[0.0, 0.0, w], times=np.arange(1, 4)*round_once, stepper=stepper,
                      rtol=rtol, atol=1e-2*rtol, max_steps=20_000)
    assert run.ok and within(np.abs(run.v[:, 2] - w).max(), 1e3*rtol)
    assert within(np.abs(run.q[:3, 3]).max(), 1e3*rtol) and run.stats["steps"] < 10_000


# ---- closed forms


def test_a_free_body_turns_as_the_elliptic_functions_say():
    """Asymmetric and free of torque [Landau & Lifshitz, Mechanics, par. 37]: w = A cn, B sn, C dn"""
    I1, I2, I3 = 1.0, 2.0, 2.7
    body = fd.Body(mass=1.0, inertia=(I1, I2, I3))
    chain = fd.Chain([fd.Link(joint=fd.Free(), body=body)], gravity=(0.0, 0.0, 0.0))
    w1, w3 = 0.3, 1.4
    twice_T, LL = I1*w1**2 + I3*w3**2, (I1*w1)**2 + (I3*w3)**2
    rate = np.sqrt((I3 - I2)*(LL - I1*twice_T)/(I1*I2*I3))
    kk = (I2 - I1)*(I3*twice_T - LL)/((I3 - I2)*(LL - I1*twice_T))
    assert 0.0 < kk < 1.0
    run = fd.simulate(chain, 30.0, v=[0.0, 0.0, 0.0, w1, 0.0, w3], samples=301, **TIGHT)
    sn, cn, dn, _ = ellipj(rate*run.t, kk)
    B = np.sqrt((I3*twice_T - LL)/(I2*(I3 - I2)))
    assert within(np.abs(run.v[:, 3:] - np.column_stack([w1*cn, B*sn, w3*dn])).max(), 1e-11)


def top(**words):
    """(chain, inertia of the disc about the foot across and about the axis, m g h)"""
    m, h, r, g = 1.0, 0.2, 0.1, 9.81
    return heavy_top(m, h, r, gravity=g, **words), m*r*r/4 + m*h*h, m*r*r/2, m*g*h


def height(chain, run):
    return np.array([fd.position(chain, q, "top", (1.0, 0.0, 0.0))[2] for q in run.q])


@pytest.mark.parametrize("which", [0, 1], ids=["fast", "slow"])
def test_a_heavy_top_precesses_evenly(which):
    """A p^2 cos = C (spin + p cos) p - m g h has two rates p at which the axis neither sinks nor rises."""
    tilt, spin = 40.0, 200.0
    _, A, C, mgh = top()
    cos = np.cos(np.radians(tilt))
    slow, fast = sorted(np.roots([(C - A)*cos, C*spin, -mgh]).real, key=abs)
    p = slow if which else fast
    chain = top(spin=spin, tilt=tilt, precession=float(p))[0]
    run = fd.simulate(chain, 1.0, samples=101, **TIGHT)
    assert within(np.abs(height(chain, run) - cos).max(), 1e-10)
    disc = np.array([fd.position(chain, q, "top", (1.0, 0.0, 0.0)) for q in run.q])
    around = np.exp(1j*p*run.t)*(disc[0, 0] + 1j*disc[0, 1])
    assert within(np.abs(disc[:, 0] + 1j*disc[:, 1] - around).max(), 1e-9)


def test_a_heavy_top_nutates_as_the_elliptic_functions_say():
    """z = cos(tilt) swings between two roots of a cubic: z = z1 + (z2 - z1) sn^2, let go with the axis at rest"""
    tilt, spin = 30.0, 60.0
    chain, A, C, mgh = top(spin=spin, tilt=tilt)
    z0, a, b = np.cos(np.radians(tilt)), C*spin/A, 2*mgh/A
    run = fd.simulate(chain, 2.0, samples=401, **TIGHT)
    # A z'^2 = (z0 - z)(b A (1 - z^2) - A a^2 (z0 - z)): one root is z0, two those of the bracket
    low, high = np.sort(np.roots([-b, a*a, b - a*a*z0]).real)
    u = 0.5*np.sqrt(b*(high - low))*run.t
    kk = (z0 - low)/(high - low)
    _, cn, dn, _ = ellipj(u, kk)
    z = low + (z0 - low)*(cn/dn)**2
    assert within(np.abs(height(chain, run) - z).max(), 1e-10)
    assert within(np.abs(run.v[:, 0] - spin).max(), 1e-11)


# ---- what events see


@pytest.mark.parametrize("stepper", ["dop853", "bs32", "adams", "radau5"])
@pytest.mark.parametrize("grounds", [(), (fd.Ground(normal=(0.0, 0.0, 1.0), point=(0.0, 0.0, -3.0),
                                                   contact=fd.Contact(law="hertz", stiffness=1e6)),)],
                         ids=["hanging", "over a ground"])
def test_functions_of_events_see_quaternions_of_length_one(stepper, grounds):
    """Inside the steps too, where they are off by the tolerance otherwise."""
    off_one = []

    def height(t, q, v):
        off_one.append(np.abs(np.linalg.norm(q.reshape(-1, 4), axis=1) - 1.0).max())
        return q[0] - 0.5

    links = [fd.Link(length=0.4, mass=2.0, radius=0.03, joint=fd.Spherical()) for _ in range(2)]
    chain = fd.Chain(links, space="space", grounds=grounds)
    run = fd.simulate(chain, 2.0, v=[1.0, 2.0, 3.0, -1.0, 2.0, 4.0], stepper=stepper, rtol=1e-4, atol=1e-6,
                      events=fd.Event(function=height))
    assert run.ok and len(off_one) > 50 and max(off_one) < 2e-14
