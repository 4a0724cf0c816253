"""Arms given link by link: every scheme against global equations of minimal coordinates, pendulums, forces inside."""

from functools import partial

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.integrate import solve_ivp

import fastdyn as fd
from fastdyn import ModelError, Sine
from fastdyn.transfer import SCHEMES, BeamArm, LinkArm, Motion, Servo, link_arm
from fastdyn.transfer.arm_run import balance
from fastdyn.transfer.motions import values

UNEVEN = {"lengths": (0.5, 0.3, 0.4, 0.2), "masses": (1.0, 0.4, 0.0, 0.2), "inertias": (0.02, 0.0, 0.01, 3e-3),
          "centres": (0.2, 0.3, 0.1, -0.05), "stiffness": (30.0, 0.0, 8.0, 5.0), "damping": (0.1, 0.3, 0.0, 0.02)}
ARMS = {
    "springs and loads": LinkArm(**UNEVEN, gravity=(0.0, -9.81), payloads={2: 0.5, -1: (0.1, 1e-3)}, loads={
        1: (0.5, Sine(2.0, 5.0)), -1: (lambda t: t, -0.4, 0.1), 3: (0.0, 0.0, Sine(0.2, 9.0))},
        angles=(0.0, 0.1, 0.2, 0.3, 0.4)),
    "pendulum": LinkArm(lengths=(1.0, 1.0, 1.0), masses=1.0, damping=0.05, gravity=(9.81, 0.0),
                        angles=(0.0, 1.5, 1.5, 1.5), rates=(0.0, 3.0, -2.0, 5.0)),
    "turned": LinkArm(**UNEVEN, stub=0.1, stub_mass=0.2, rotation=Sine(0.5, 4.0), payloads={0: 0.1}),
    "servo": LinkArm(**UNEVEN, stub=0.1, hub_inertia=0.1, servo=Servo(40.0, 0.5), rotation=Sine(0.3, 3.0), torque=0.4,
                     loads={0: (1.0, 1.0)}),
}
T, STEPS = 2e-3, 40


def dense(arm, t, th, w, weigh):
    """(M, forces) of all angles, by Jacobians of mass centres and stations; weigh gives a signal at the balance."""
    made, n = arm.links, len(th)
    along, across = np.array([np.cos(th), np.sin(th)]), np.array([-np.sin(th), np.cos(th)])
    M, f, end, fall = np.zeros((n, n)), np.zeros(n), np.zeros((2, n)), np.zeros(2)
    for i in range(n):
        centre = end.copy()
        centre[:, i] += made.com[i]*across[:, i]
        M += made.mass[i]*centre.T @ centre
        M[i, i] += made.inertia[i]
        f += made.mass[i]*centre.T @ (arm.gravity - fall + made.com[i]*along[:, i]*w[i]**2)
        end = end.copy()
        end[:, i] += made.length[i]*across[:, i]
        fall = fall - made.length[i]*along[:, i]*w[i]**2
        for station, x, y, moment in arm.acting:
            if station == i:
                f += end.T @ np.array([weigh(x), weigh(y)])
                f[i] += weigh(moment)
        if i > 0:
            tau = made.stiffness[i]*(th[i] - th[i - 1]) + made.damping[i]*(w[i] - w[i - 1])
            f[i], f[i - 1] = f[i] - tau, f[i - 1] + tau
    if not arm.driven:
        angle, rate, _ = (weigh(part) for part in arm.rotation)
        f[0] -= made.stiffness[0]*(th[0] - angle) + made.damping[0]*(w[0] - rate)
        f[0] += 0.0 if arm.torque is None else weigh(arm.torque)
    return M, f


def accelerations(arm, t, th, w, weigh=None):
    weigh = weigh or (lambda signal: values(signal, np.array([t]))[0])
    M, f = dense(arm, t, th, w, weigh)
    if not arm.driven:
        return np.linalg.solve(M, f)
    hub = weigh(arm.rotation.acceleration)
    return np.concatenate([[hub], np.linalg.solve(M[1:, 1:], f[1:] - M[1:, 0]*hub)])


def solved(arm, i, guess, p, v, b, g, weight=1.0):
    """a = accelerations(p + b T^2 a, v + g T a) by Newton's method with differences; motor and loads at the balance."""
    def weigh(signal):
        if weight > 1.0 and any(signal is part for part in arm.rotation):
            return values(signal, T*np.array([i - 1.0 + weight]))[0]
        before, now = values(signal, T*np.array([i - 1.0, i]))
        return weight*now + (1.0 - weight)*before

    def rest(x):
        th, w = p + b*T*T*x, v + g*T*x
        if arm.driven:
            th[0], w[0] = weigh(arm.rotation.angle), weigh(arm.rotation.rate)
        return x - accelerations(arm, 0.0, th, w, weigh)

    x = guess.copy()
    for _ in range(30):
        found = rest(x)
        h = 1e-4*(1.0 + np.abs(x))
        slope = np.array([(rest(x + step) - found)/step.max() for step in np.diag(h)]).T
        move = np.linalg.solve(slope, found)
        x = x - move
        if g*T*T*np.max(np.abs(move)) < 1e-15:
            break
    return x


def globally(arm, name):
    """Angles of every step, by the scheme as its papers write it."""
    th, w = np.array(arm.angles), np.array(arm.rates)
    past = [(th, w, accelerations(arm, 0.0, th, w))]
    newmarks = {"newmark": (1/4, 1/2), "newmark-1/6": (1/6, 1/2), "newmark-1/8": (1/8, 1/2),
                "newmark-1/12": (1/12, 1/2), "newmark-0": (0.0, 1/2), "newmark-damped": (0.3025, 0.6),
                "fox-euler": (1/2, 1.0)}
    alphas = {"gen-alpha": ((2*0.8 - 1)/1.8, 0.8/1.8), "hht": (0.0, 0.1)}
    for i in range(1, STEPS + 1):
        th, w, a = past[-1]
        solve = partial(solved, arm, i, a)
        if name in newmarks or (i == 1 and name in ("houbolt", "proposed")):
            b, g = newmarks.get(name, (1/6, 1/2))
            p, v = th + T*w + (1/2 - b)*T*T*a, w + (1 - g)*T*a
            x = solve(p, v, b, g)
            new = p + b*T*T*x, v + g*T*x, x
        elif name == "wilson":
            r = 1.4*T
            x = a + (solve(th + r*w + r*r/3*a, w + r/2*a, 1.4**2/6, 0.7, 1.4) - a)/1.4
            new = th + T*w + T*T/6*(2*a + x), w + T/2*(a + x), x
        elif name == "proposed":
            old = past[-2][2]
            p, v = th + T*w + T*T*(5/12*a - old/24), w + T*(2/3*a - old/12)
            x = solve(p, v, 1/8, 5/12)
            new = p + T*T/8*x, v + 5/12*T*x, x
        elif name == "houbolt":
            two = past[-2]
            if i == 2:
                p = (4*th - 2*two[0] + T*T*two[2])/2
                v = (11*p - 16*th + 5*two[0] - 2*T*T*two[2])/(6*T)
            else:
                p = (5*th - 4*two[0] + past[-3][0])/2
                v = (11*p - 18*th + 9*two[0] - 2*past[-3][0])/(6*T)
            x = solve(p, v, 1/2, 11/12)
            new = p + T*T/2*x, v + 11/12*T*x, x
        else:
            am, af = alphas[name]
            b, g = (1 - am + af)**2/4, 1/2 - am + af
            p, v, share = th + T*w + (1/2 - b)*T*T*a, w + (1 - g)*T*a, 1/(1 - am)
            x = solve((1 - af)*(p - b*T*T*am*share*a) + af*th, (1 - af)*(v - g*T*am*share*a) + af*w,
                      (1 - af)*b*share, (1 - af)*g*share, 1 - af)
            x = share*(x - am*a)
            new = p + b*T*T*x, v + g*T*x, x
        if arm.driven:
            for part, value in zip(new, arm.rotation.at(i*T)):
                part[0] = value
        past.append(new)
    return np.array([row[0] for row in past])


@pytest.mark.parametrize("which", ARMS)
@pytest.mark.parametrize("name", SCHEMES)
def test_every_scheme_is_that_of_global_equations(which, name):
    arm = ARMS[which]
    exact = globally(arm, name)
    run = arm.simulate(STEPS*T, T, name)
    assert run.ok and np.max(np.abs(exact - exact[0])) > 0.01
    assert np.max(np.abs(run.angles - exact)) < 1e-12*max(1.0, np.max(np.abs(exact)))


@pytest.mark.kernels
def test_an_explicit_step_takes_the_passes_its_rates_need():
    """With beta = 0 no angle changes in a step, and one pass is not enough all the same."""
    arm = ARMS["pendulum"]
    found, one = (arm.simulate(STEPS*T, T, "newmark-0", passes) for passes in (None, 1))
    assert found.passes > 1.5*found.steps and np.max(np.abs(found.angles - one.angles)) > 1e-12


def test_permuted_and_graded_links():
    """Equal links may change their numbers; links a thousand times lighter outward keep every digit."""
    word = {"lengths": (0.5,)*4, "masses": 0.3, "stiffness": (9.0, 5.0, 5.0, 5.0), "gravity": (0.0, -1.0)}
    loads = {1: (0.0, 1.0), 2: (0.3, 0.0)}
    one = LinkArm(**word, loads=loads).simulate(0.2, 2e-3).angles
    assert np.array_equal(one, LinkArm(**word, loads=dict(reversed(loads.items()))).simulate(0.2, 2e-3).angles)
    for ratio in (1e-3, 1e3):
        graded = LinkArm(lengths=(1.0,)*4, masses=tuple(ratio**j for j in range(4)), gravity=(9.81, 0.0),
                         stiffness=tuple(10.0*ratio**j for j in range(4)), angles=(0.0, 0.2, 0.2, 0.2, 0.2))
        run = graded.simulate(STEPS*T, T, "newmark")
        for at in (1, STEPS):
            exact = accelerations(graded, run.t[at], run.angles[at], run.velocities[at])
            assert np.max(np.abs(run.accelerations[at] - exact)) < 1e-7*np.max(np.abs(exact))


def test_one_link_is_a_pendulum_and_a_beam_is_its_links():
    rate = lambda t, y: (y[1], -9.81*1.5*np.sin(y[0]))
    rod = solve_ivp(rate, (0.0, 1.0), (1.0, 0.0), rtol=1e-11, atol=1e-12).y[0, -1]
    error = [abs(link_arm(1, angle=1.0).simulate(1.0, h).angles[-1, 1] - rod) for h in (2e-3, 1e-3)]
    assert error[1] < 2e-6 and np.log2(error[0]/error[1]) == pytest.approx(2.0, abs=0.1)
    beam = BeamArm(n=5, EI=3.0, damping=0.01, payload=0.2, tip_force=(0.1, 1.0), gravity=(0.0, -1.0))
    made = beam.links
    same = LinkArm(lengths=made.length[1:], masses=made.mass[1:], inertias=made.inertia[1:], centres=made.com[1:],
                   stiffness=made.stiffness[1:], damping=made.damping[1:], stub=made.length[0], stub_mass=made.mass[0],
                   loads={-1: (0.1, 1.0)}, gravity=(0.0, -1.0))
    assert np.max(np.abs(beam.simulate(0.2, 0.01).angles - same.simulate(0.2, 0.01).angles)) < 1e-14
    assert np.max(np.abs(beam.equilibrium() - same.equilibrium())) < 1e-13


def test_a_pendulum_keeps_its_energy_by_the_order_of_the_scheme():
    arm = link_arm(3, angle=2.0)
    drift = [np.ptp(arm.simulate(1.0, h, "newmark").energy) for h in (2e-3, 1e-3)]
    assert np.log2(drift[0]/drift[1]) == pytest.approx(2.0, abs=0.3)


# ------------------------------------------------------------------------------------------------------ forces inside


@pytest.mark.kernels
@given(st.sampled_from(sorted(ARMS)), st.integers(0, 10**6))
@settings(max_examples=20)
def test_forces_inside_are_those_of_momentum(which, seed):
    """What acts on each link, by the accelerations of its own mass centre, found from the base outward."""
    arm, chance, t = ARMS[which], np.random.default_rng(seed), 0.3
    th, w = chance.uniform(-3.0, 3.0, (2, arm.n + 1))
    if arm.driven:
        th[0], w[0], _ = arm.rotation.at(t)
    a, *found = balance(arm, np.array([t]), th[None], w[None])[0]
    exact = accelerations(arm, t, th, w)
    assert np.max(np.abs(a - exact)) < 1e-10*np.max(np.abs(exact))
    made, node, forces, moments = arm.links, np.zeros(2), [], []
    inside, centres = np.zeros((arm.n + 1, 2)), []
    for j in range(arm.n + 1):
        along, across = np.array([np.cos(th[j]), np.sin(th[j])]), np.array([-np.sin(th[j]), np.cos(th[j])])
        pull = exact[j]*across - w[j]**2*along
        inside[j] = made.mass[j]*(node + made.com[j]*pull - np.array(arm.gravity))
        centres.append((made.com[j]*along, made.length[j]*along))
        node = node + made.length[j]*pull
    force, moment = np.zeros(2), 0.0
    cross = lambda x, y: x[0]*y[1] - x[1]*y[0]
    for j in range(arm.n, -1, -1):
        for station, x, y, turning in arm.acting:
            if station == j:
                force = force + [values(x, np.array([t]))[0], values(y, np.array([t]))[0]]
                moment += values(turning, np.array([t]))[0]
        centre, end = centres[j]
        moment += cross(end, force) - cross(centre, inside[j]) - made.inertia[j]*exact[j]
        force = force - inside[j]
        forces.append(force)
        moments.append(moment)
    size = np.max(np.abs(moments)) + np.max(np.abs(forces))
    assert np.max(np.abs(np.array(found[:2]).T - forces[::-1])) < 1e-10*size
    assert np.max(np.abs(np.array(found[2]) - moments[::-1])) < 1e-10*size


def test_the_motor_does_the_work():
    """The energy of a turned arm is what its motor brings in."""
    arm = BeamArm(n=4, rotation=Sine(0.5, 3.0), EI=2.0)
    run = arm.simulate(2.0, 1e-3, "newmark", every=2)
    power = run.motor_torque*run.velocities[:, 0]
    work = np.concatenate([[0.0], np.cumsum(0.5*(power[1:] + power[:-1])*np.diff(run.t))])
    assert np.max(np.abs(run.energy - run.energy[0] - work)) < 2e-4*np.ptp(run.energy)


# ------------------------------------------------------------------------------------------------------------ refused


@pytest.mark.parametrize("words, said", [
    ({"lengths": ()}, "lengths is ()"), ({"lengths": (1.0, -1.0)}, "link 2: lengths is -1; give a number > 0"),
    ({"masses": (1.0,)}, "masses is"), ({"masses": 0.0}, "link 1: nothing turns with it"),
    ({"masses": (1.0, 0.0), "inertias": 0.0}, "link 2: nothing turns with it"),
    ({"loads": 3.0}, "loads is 3; give a mapping such as"), ({"loads": {9: (0.0, 1.0)}}, "loads has station 9"),
    ({"loads": {1: 2.0}}, r"loads\[1\] is 2; give forces in x and y"), ({"payloads": {1: "a"}}, "payloads"),
    ({"torque": 1.0}, "hub_inertia is 0 and no stub puts nothing else"),
    ({"torque": lambda: 1.0}, "torque is called as"),
    ({"angles": (0.1, 0.0, 0.0)}, r"angles\[0\] is 0.1, but the motor's rotation starts with 0"),
])
def test_words_that_cannot_be_right(words, said):
    with pytest.raises(ModelError, match=said):
        LinkArm(**({"lengths": (1.0, 1.0), "masses": 1.0} | words))


def test_motions_that_contradict_themselves():
    wrong = LinkArm(lengths=(1.0,), masses=1.0, rotation=Motion(lambda t: t*t, lambda t: t, lambda t: 1.0))
    with pytest.raises(ModelError, match=r"rotation.rate is .* but rotation.angle changes by"):
        wrong.simulate(1.0, 0.01)
    right = LinkArm(lengths=(1.0,), masses=1.0, rotation=Motion(lambda t: t*t, lambda t: 2*t, lambda t: 2.0))
    assert right.simulate(1.0, 0.01).ok
    with pytest.raises(ModelError, match=r"loads.* at t = 0 s is None; give a function of time that returns a number"):
        LinkArm(lengths=(1.0,), masses=1.0, loads={1: (0.0, lambda t: None)}).simulate(1.0, 0.1)


def test_a_run_is_kept_with_its_forces(tmp_path):
    run = ARMS["turned"].simulate(0.1, 0.01)
    run.save(tmp_path/"a.h5")
    again = fd.open(tmp_path/"a.h5")
    assert again.system == run.system and again.motor_torque.tobytes() == run.motor_torque.tobytes()
    assert {name: rows.tobytes() for name, rows in again.forces.items()} == {
        name: rows.tobytes() for name, rows in run.forces.items()}
