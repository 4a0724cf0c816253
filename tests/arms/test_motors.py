"""Motors of joints: geared rotors that are gyroscopes, torques of time and their limits, the work of every drive."""

import math
from dataclasses import replace

import numba
import numpy as np
import pytest
from scipy.spatial.transform import Rotation

import fastdyn as fd
from arms.test_recursive import TILTED, both, state
from fastdyn.arms import Body, FlexibleLink, Joint, Link, Plane, SpatialArm, accelerations, recursive_system, spin_up
from fastdyn.arms.compile import compiled
from fastdyn.arms.files import arm_of, text_of
from fastdyn.arms.layout import work_for
from fastdyn.status import SIGNAL_FAILED, ModelError, SimulationError

BODY = Body(0.7, (0.1, -0.2, 0.05), ((0.05, 0.01, -0.02), (0.01, 0.06, 0.005), (-0.02, 0.005, 0.04)))


def geared(rotation="linear", shear=None):
    """A steady torque, a sine within limits at a flexible joint, a table at a rigid one; two rotors are gyroscopes."""
    beam = FlexibleLink(1.5, 2.0, 2e5, 300.0, 200.0, 150.0, 5e-2, 8e-2, (1, 2, 1, 1), True, rotation, shear=shear)
    return SpatialArm((
        Link(Joint(TILTED, (0.1, 0.2, -0.1), rotor=0.1, gear=3.0, torque=0.3), beam, distal=(BODY,)),
        Link(Joint(TILTED, (0.0, 0.1, 0.3), stiffness=300.0, damping=0.1, rotor=0.03, gear=5.0, gyroscopic=True,
                   torque=fd.Sine(1.0, 3.0), torque_limit=0.2), None, (0.4, 0.2, -0.1), (BODY,), (BODY,)),
        Link(Joint(TILTED, (0.0, 0.1, 0.3), rotor=0.05, gear=4.0, gyroscopic=True,
                   torque=fd.Table((0.0, 1.0), (0.1, 0.4))), beam, proximal=(BODY,))), (1.0, -9.0, 2.0))


@pytest.mark.parametrize("rotation", ["linear", "exp"])
def test_two_roads_with_rotors(rotation):
    arm, rng = geared(rotation), np.random.default_rng(1)
    for t in (0.0, 0.2, 0.7):
        lagrange, found, _ = both(arm, *state(arm, rng), t=t)
        assert np.abs(found - lagrange).max() < 1e-13*np.abs(lagrange).max()


def swing(t):
    return 0.8*math.sin(3.0*t)


def test_torques_that_are_functions_of_time(tmp_path):
    """At a flexible joint: in Python and compiled, as the sine they are; they fail in words, and files tell them."""
    def arm(torque, limit=0.5):
        joint = Joint(TILTED, stiffness=300.0, damping=0.1, rotor=0.03, gear=5.0, torque=torque, torque_limit=limit)
        return SpatialArm((Link(joint, None, (0.4, 0.2, -0.1), (BODY,)),), (1.0, -9.0, 2.0))

    expected = arm(fd.Sine(0.8, 3.0)).simulate(1.0, rtol=1e-9)
    for function in (swing, numba.njit(swing), numba.cfunc("float64(float64)")(swing)):
        run = arm(function).simulate(1.0, rtol=1e-9).check()
        assert np.abs(run.q - expected.q).max() < 1e-12 and np.abs(run.balance).max() < 1e-8
        many = accelerations(arm(function), np.zeros((70, 2)), np.zeros((70, 2)), t=0.7)
        assert np.abs(many - accelerations(arm(fd.Sine(0.8, 3.0)), [0.0, 0.0], [0.0, 0.0], t=0.7)).max() < 1e-12
    with pytest.raises(ModelError, match="swing is a function and cannot be written to a model file"):
        arm(swing).to_toml()
    run = arm(swing).simulate(0.1)
    run.save(tmp_path/"run.h5")
    found = fd.open(tmp_path/"run.h5")
    assert (found.q == run.q).all() and found.notes == (
        "the torque of links[0] was swing, a function, which a file cannot keep: here it is 0",)

    def broken(t):
        return 1.0/(0.5 - t) if t < 0.4 else None

    run = arm(broken).simulate(1.0)
    assert run.status == SIGNAL_FAILED and "let it return a number" in run.why and 0.2 < run.t[-1] <= 0.5
    with pytest.raises(SimulationError):
        run.check()
    with pytest.raises(ModelError, match="broken answered None"):
        accelerations(arm(broken), [0.0, 0.0], [0.0, 0.0], t=0.45)
    with pytest.raises(ModelError, match="broken answered None"):
        accelerations(arm(broken), np.zeros((70, 2)), np.zeros((70, 2)), t=0.45)
    with pytest.raises(SimulationError):
        accelerations(arm(numba.njit(lambda t: math.nan)), [0.0, 0.0], [0.0, 0.0])
    with pytest.raises(ModelError, match="signal is called as function"):
        Joint(torque=lambda: 1.0)
    with pytest.raises(ModelError, match="torque is 'fast'; give a number"):
        Joint(torque="fast")


@pytest.mark.parametrize("flexible", [True, False])
def test_a_rotor_is_a_link_of_its_own(flexible):
    """Rigid links; in the chain every rotor is a link on the link before, beside the one its joint carries."""
    rng, n, g = np.random.default_rng(2), 3, (0.3, -9.81, 1.2)
    gear, spin, across, mass, K = 7.0, 0.02, 0.03, 0.4, 50.0 if flexible else 0.0
    place, seat = (0.3, -0.2, 0.4), Rotation.random(rng=rng)
    C = seat.as_matrix()
    rod = C @ np.diag([across - 0.5*spin, across - 0.5*spin, 0.0]) @ C.T     # the spin's share is the joint's
    hung = Body(mass, place, tuple(map(tuple, 0.5*(rod + rod.T))))
    arm = SpatialArm(tuple(Link(Joint(tuple(map(tuple, C)), place, K, gear=gear, rotor=spin, gyroscopic=True),
                                proximal=(BODY,), distal=(hung,)*(k + 1 < n)) for k in range(n)), g)
    x, y, z, w = seat.as_quat()
    links = []
    for k in range(n):
        here = {"parent": f"link{k}" if k else "base", "joint": fd.Revolute(), "at": place, "turn": (w, x, y, z)}
        links += [fd.Link(name=f"rotor{k + 1}", body=fd.Body(mass=mass, com=(0.0, 0.0, 0.0),
                                                             inertia=(across, across, spin)), **here),
                  fd.Link(name=f"link{k + 1}", body=fd.Body(mass=BODY.mass, com=BODY.com, inertia=BODY.inertia),
                          **here)]
    chain = fd.Chain(links, gravity=g, space="space")
    nv = len(arm.names)
    q, v = rng.normal(size=nv), rng.normal(size=nv)
    motors, turns = (q[0::2], q[1::2]) if flexible else (q, q)
    angles = np.ravel(np.column_stack([gear*motors, turns]))
    rates = np.ravel(np.column_stack([gear*(v[0::2] if flexible else v), v[1::2] if flexible else v]))
    if flexible:
        torque = K*(motors - turns)
        expected = fd.forward_dynamics(chain, angles, rates, np.ravel(np.column_stack([-torque/gear, torque])))
        expected[0::2] /= gear
    else:                                                   # angles of rotors are gear times those of links
        M, h = fd.mass_matrix(chain, angles), fd.inverse_dynamics(chain, angles, rates, np.zeros(2*n))
        G = np.kron(np.eye(n), [[gear], [1.0]])
        expected = np.linalg.solve(G.T @ M @ G, -G.T @ h)
    for found in both(arm, q, v)[:2]:
        assert np.abs(found - expected).max() < 1e-11*np.abs(expected).max()
    plain = arm.replace(links=tuple(replace(link, joint=replace(link.joint, gyroscopic=False)) for link in arm.links))
    assert np.abs(both(plain, q, v)[1] - expected).max() > 1e-4*np.abs(expected).max()


@pytest.mark.parametrize("rotation", ["linear", "exp"])
def test_power_of_motors_becomes_energy(rotation):
    arm, rng, t, h = geared(rotation), np.random.default_rng(3), 0.4, 1e-5
    q, v = state(arm, rng)
    _, acc, _ = both(arm, q, v, t=t)
    model = compiled(arm)
    work, energy = work_for(model, dense=False), np.empty((4, 2))
    steps = h*np.array([-2.0, -1.0, 1.0, 2.0])
    recursive_system.energies(model, work, t + steps, np.array([q + s*v + 0.5*s*s*acc for s in steps]),
                              np.array([v + s*acc for s in steps]), energy)
    slope = energy.sum(axis=1) @ [1.0, -8.0, 8.0, -1.0]/(12.0*h)
    assert [arm.names[i] for i in (0, 6, 7, 8)] == ["th1_2", "th2_1", "th2_2", "th3_2"]
    damping = -0.1*(v[6] - v[7])**2
    drives = 3.0*0.3*v[0] + 5.0*0.2*v[6] + 0.22*4.0*v[8]    # the sine is beyond its limit
    assert slope == pytest.approx(damping + drives, abs=2e-6*abs(energy).max())


def spun_beam(d, dd, turn):
    """(energy, angular momentum about the hub) of the 10 m beam, summed point by point from where its points are."""
    x, w = np.polynomial.legendre.leggauss(48)
    x, w = 0.5*(x + 1.0), 0.5*w
    eta, L, mass, EI = 10.0*x, 10.0, 1.2, 1.4e4

    def shape(j, eta):
        """(Y, Y', Y'') of a clamped-free beam, unit tip value"""
        b = (1.875104068711961, 4.694091132974175)[j]
        rest, end = (-np.exp(-b) + np.sin(b) - np.cos(b))/(np.sinh(b) + np.sin(b)), b
        found = [np.exp(-b*eta/L)*(-1.0)**i + rest*(np.sinh, np.cosh)[i % 2](b*eta/L) - (
            np.cos, lambda s: -np.sin(s), lambda s: -np.cos(s))[i](b*eta/L) + (1.0 - rest)*(
                np.sin, np.cos, lambda s: -np.sin(s))[i](b*eta/L) for i in range(3)]
        tip = np.exp(-end) + rest*np.sinh(end) - np.cos(end) + (1.0 - rest)*np.sin(end)
        return [f*(b/L)**i/tip for i, f in enumerate(found)]

    Y, curve = np.array([shape(j, eta)[0] for j in range(2)]), np.array([shape(j, eta)[2] for j in range(2)])
    slopes = np.array([shape(j, np.outer(eta, x))[1] for j in range(2)])
    s = np.einsum("p,jpx,fpx,x->jfp", eta, slopes, slopes, w)
    X, Yt = eta - 0.5*np.einsum("j,f,jfp->p", d, d, s), d @ Y
    u, v = -np.einsum("j,f,jfp->p", d, dd, s) - turn*Yt, dd @ Y + turn*X
    return (0.5*mass*L*(w @ (u*u + v*v)) + 0.5*EI*L*(w @ (d @ curve)**2), mass*L*(w @ (X*v - Yt*u)))


@pytest.mark.parametrize("formulation", ["recursive", "lagrange"])
def test_the_drive_that_spins_a_beam_up_pays_for_its_energy(formulation):
    """Work = int Omega dH = Omega H - int H dOmega, H the angular momentum; energies and H by sums of its own."""
    x, w = np.polynomial.legendre.leggauss(100)
    times, t_end = 1.5*(x + 1.0), 3.0
    run = spin_up(modes=2).simulate(t_end, samples=times.tolist(), formulation=formulation, rtol=1e-11, atol=1e-13)
    angle = 2.0*np.pi*run.t/15.0
    turns, gains = 6.0/15.0*(run.t - 15.0/(2.0*np.pi)*np.sin(angle)), 6.0/15.0*(1.0 - np.cos(angle))
    energy, momentum = np.array([spun_beam(*row) for row in zip(run.q, run.v, turns)]).T
    work = turns[-1]*momentum[-1] - 1.5*w @ (momentum*gains)[1:-1]
    assert np.abs(run.energy.sum(axis=1) - energy).max() < 1e-12*energy[-1]
    assert [work, run.works[-1, 3]] == pytest.approx([energy[-1]]*2, rel=1e-9)
    assert np.abs(run.balance).max() < 1e-9*energy[-1]


def test_the_drive_pays_for_contacts_too():
    """A beam that is spun up rubs over a plane: what the drive gives is what is stored or lost."""
    beam = FlexibleLink(1.0, 1.0, 0.0, 50.0, 50.0, modes=(0, 1, 1, 0))
    plane = Plane(0, (0.0, 0.5, 0.0), (0.0, -1.0, 0.0), (1.0, 0.0, 0.0), "hertz", {"stiffness": 1e5}, "tanh",
                  {"mu": 0.3})
    arm = SpatialArm((Link(Joint(spin=(4.0, 0.1)), beam),), (0.0, 0.0, -9.81), (plane,))
    runs = [arm.simulate(0.25, formulation=road, rtol=1e-8) for road in ("recursive", "lagrange")]
    for run in runs:
        assert len(run.contacts) > 0 and abs(run.works[-1, 3]) > 0.1
        assert np.abs(run.balance).max() < 1e-8*np.abs(run.works).max()


@pytest.mark.parametrize("stepper", ["dop853", "adams", "radau5"])
def test_no_pulse_of_a_motor_is_stepped_over(stepper):
    """0.5001 N m s on 0.2 kg m^2, in steps that grow to seconds before it comes."""
    pulse = fd.Table((4.9999, 5.0, 5.5, 5.5001), (0.0, 1.0, 1.0, 0.0))
    arm = SpatialArm((Link(Joint(torque=pulse), None, proximal=(Body(1.0, (0.0, 0.0, 0.0), 0.2*np.eye(3)),)),))
    run = arm.simulate(10.0, method=stepper, every=True).check()
    assert abs(run.v[-1, 0] - 0.5001/0.2) < 1e-7 and set(pulse.time) <= set(run.t)
    assert np.diff(run.t).max() > 1.0


@pytest.mark.parametrize("stepper", ["dop853", "radau5"])
def test_no_spin_up_is_stepped_over(stepper):
    """A hundredth of a second of it after five of rest, then the steady stretch that its speed keeps up."""
    run = spin_up(modes=1, speed=1.0, span=0.01).simulate(0.5, t=-5.0, method=stepper, every=True).check()
    assert {0.0, 0.01} <= set(run.t) and np.abs(run.v[-1]).max() > 1e-6
    assert run.works[-1, 3] > 0.0 and np.abs(run.balance).max() < 1e-6*run.works[-1, 3]


def test_words_of_motors():
    for words, match in (({"gear": 0.0}, "gear"), ({"gyroscopic": True}, "needs a rotor"), ({"torque_limit": -1.0},
                         "torque_limit"), ({"spin": (1.0, 0.0)}, "spin"), ({"spin": 1.0}, "spin"),
                         ({"spin": (1.0, 1.0), "damping": 0.1}, "prescribes"), ({"torque": np.nan}, "torque")):
        with pytest.raises(ModelError, match=match):
            Joint(**words)
    assert arm_of(text_of(geared())) == geared()
    limited = compiled(SpatialArm((Link(Joint(torque=5.0, torque_limit=2.0, gear=3.0), proximal=(BODY,)),)))
    assert limited.spring[0, 0] == 6.0
