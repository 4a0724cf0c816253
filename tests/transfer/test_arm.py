"""The arm: accelerations and motion against dense equations and the general recursion, orders, statics, limits."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.integrate import solve_ivp
from scipy.optimize import brentq
from scipy.special import ellipk
from transfer.common import read

import fastdyn as fd
from fastdyn import Constant, ModelError, SimulationError, Sine
from fastdyn.status import NOT_FINITE
from fastdyn.transfer.arm import BeamArm, Servo, beam_arm
from fastdyn.transfer.arm_run import accelerations
from fastdyn.transfer.bending import hinged_beam
from fastdyn.transfer.bridge import from_chain_state, to_chain_state
from fastdyn.transfer.hinges import RULES
from fastdyn.transfer.linked import link_arm
from fastdyn.transfer.motions import Motion, values
from fastdyn.transfer.schemes import SCHEMES, newmark

ELASTICA = read("beam_static")
RULE = {"mid_seed": "mid", "mid_unit": "mid-unit", "left_trap": "left", "left_unit": "left-unit",
        "left_seed": "left-printed"}
MOTORS = {
    "turned": {"rotation": Sine(1.0, 2.0)},
    "torque": {"torque": Sine(2.0, 5.0), "hub_inertia": 0.3},
    "servo": {"servo": Servo(50.0, 1.0), "rotation": Sine(0.5, 2.0), "torque": 0.7, "hub_inertia": 0.3},
}
LOADED = {"payload": 0.3, "payload_inertia": 0.02, "tip_force": (1.0, Sine(2.0, 1.0)), "tip_moment": 0.4,
          "gravity": (1.0, -9.81), "damping": 0.01}


def densely(arm, t, th, w):
    """Accelerations by Jacobians of all mass centres and one dense solve."""
    made, n, now = arm.links, len(th), np.array([t])
    s, c = np.sin(th), np.cos(th)
    M, f, node, falling = np.zeros((n, n)), np.zeros(n), np.zeros((2, n)), np.zeros(2)
    for i in range(n):
        across, along = np.array([-s[i], c[i]]), np.array([c[i], s[i]])
        center = node.copy()
        center[:, i] += made.com[i]*across
        M += made.mass[i]*center.T @ center
        M[i, i] += made.inertia[i]
        f += made.mass[i]*center.T @ (arm.gravity - falling + made.com[i]*along*w[i]**2)
        node = node.copy()
        node[:, i] += made.length[i]*across
        falling = falling - made.length[i]*along*w[i]**2
    f += node.T @ np.array([values(x, now)[0] for x in arm.tip_force])
    f[-1] += values(arm.tip_moment, now)[0]
    for i in range(1, n):
        tau = made.stiffness[i]*(th[i] - th[i - 1]) + made.damping[i]*(w[i] - w[i - 1])
        f[i] -= tau
        f[i - 1] += tau
    angle, rate, acceleration = arm.rotation.at(t)
    if arm.driven:
        rest = np.linalg.solve(M[1:, 1:], f[1:] - M[1:, 0]*acceleration)
        return np.concatenate([[acceleration], rest])
    f[0] -= made.stiffness[0]*(th[0] - angle) + made.damping[0]*(w[0] - rate)
    f[0] += 0.0 if arm.torque is None else values(arm.torque, now)[0]
    return np.linalg.solve(M, f)


def truth(arm, t_end):
    n = arm.n + 1
    rate = lambda t, y: np.concatenate([y[n:], densely(arm, t, y[:n], y[n:])])
    return solve_ivp(rate, (0.0, t_end), np.concatenate([arm.angles, arm.rates]), "DOP853", rtol=1e-11,
                     atol=1e-12).y[:n, -1]


# ----------------------------------------------------------------------------------------------------- accelerations


@pytest.mark.kernels
@given(st.sampled_from(sorted(MOTORS)), st.sampled_from(sorted(RULES)), st.integers(1, 9), st.integers(0, 10**6))
def test_accelerations_are_those_of_dense_matrices(motor, rule, n, seed):
    arm, chance = BeamArm(n=n, rule=rule, **LOADED, **MOTORS[motor]), np.random.default_rng(seed)
    th, w = chance.uniform(-3.0, 3.0, (2, n + 1))
    if arm.driven:
        th[0], w[0], _ = arm.rotation.at(0.3)
    exact = densely(arm, 0.3, th, w)
    assert np.max(np.abs(accelerations(arm, 0.3, th, w) - exact)) < 1e-11*np.max(np.abs(exact))


@given(st.booleans(), st.integers(1, 12), st.integers(0, 10**6))
@settings(max_examples=12)
def test_accelerations_are_those_of_the_general_recursion(driven, n, seed):
    words = LOADED | {"rotation": 0.4} | ({} if driven else {"torque": Constant(2.0), "hub_inertia": 0.1,
                                                               "servo": Servo(3.0, 0.2)})
    arm, chance = BeamArm(n=n, **words), np.random.default_rng(seed)
    th, w = chance.uniform(-3.0, 3.0, (2, n + 1))
    if driven:
        th[0], w[0] = 0.4, 0.0
    q, v = to_chain_state(arm, th, w)
    back = from_chain_state(arm, q, v)
    assert np.max(np.abs(back[0] - th)) < 1e-14*n and np.max(np.abs(back[1] - w)) < 1e-14*n
    joints = fd.forward_dynamics(arm.chain(), q, v, t=0.3)
    exact = np.cumsum(np.insert(joints, 0, 0.0)) if driven else np.cumsum(joints)
    assert np.max(np.abs(accelerations(arm, 0.3, th, w) - exact)) < 1e-11*np.max(np.abs(exact))


def test_motion_is_that_of_the_general_recursion():
    arm = BeamArm(n=6, EI=5.0, torque=Sine(3.0, 4.0), hub_inertia=0.2, payload=0.2, damping=1e-3, gravity=(0.0, -9.81))
    run = fd.simulate(arm.chain(), 0.5, *to_chain_state(arm, arm.angles, arm.rates), samples=3, rtol=1e-10)
    exact = from_chain_state(arm, run.q, run.v)[0]
    found = arm.simulate(0.5, 2.5e-4, "newmark", every=1000).angles
    assert np.max(np.abs(found - exact)) < 3e-6*np.max(np.abs(exact))


# ------------------------------------------------------------------------------------------------------ through time


@pytest.mark.parametrize("motor", MOTORS)
@pytest.mark.parametrize("name", ["newmark", "newmark-1/6", "wilson", "houbolt", "gen-alpha", "hht", "proposed"])
def test_order(motor, name):
    """One Newton pass in a step is enough for the order, and for nearly the whole accuracy."""
    arm = BeamArm(n=3, damping=0.002, payload=0.3, gravity=(0.0, -9.81), **MOTORS[motor])
    exact = truth(arm, 0.4)
    for passes in (None, 1):
        error = [np.max(np.abs(arm.simulate(0.4, T, name, passes).angles[-1] - exact)) for T in (1e-3, 5e-4)]
        assert np.log2(error[0]/error[1]) == pytest.approx(SCHEMES[name].order, abs=0.12), passes
    assert error[1] < 1e-4


@pytest.mark.kernels
def test_newton_has_converged():
    """A step satisfies the equations of motion at its own balance: Newmark's acceleration is that of its angles."""
    arm = BeamArm(n=8, EI=3.0, **MOTORS["torque"], gravity=(0.0, -9.81))
    run = arm.simulate(0.2, 0.004, "newmark")
    for at in (1, 10, 50):
        exact = densely(arm, run.t[at], run.angles[at], run.velocities[at])
        assert np.max(np.abs(run.accelerations[at] - exact)) < 1e-8*np.max(np.abs(exact))
    assert 1.5 < run.passes/run.steps < 5.0 and run.ok


@pytest.mark.parametrize("name", ["newmark", "newmark-1/12", "newmark-1/8"])
def test_energy_is_kept_as_well_as_the_scheme_is_exact(name):
    arm = BeamArm(n=5, gravity=(0.0, -9.81), angles=(0.0, 0.1, 0.2, 0.3, 0.4, 0.5))
    drift = [np.ptp(arm.simulate(0.5, T, name).energy) for T in (2e-3, 1e-3)]
    assert np.log2(drift[0]/drift[1]) == pytest.approx(2.0, abs=0.3)
    assert arm.simulate(0.5, 1e-3).energies["kinetic"].max() > 1.0


def test_a_stiff_arm_is_a_pendulum():
    """No bending left: the hub turns as a rod of mu L^3/3 about the motor."""
    arm = BeamArm(n=4, EI=1e7, torque=0.0, gravity=(0.0, -9.81), damping=1e-4)
    rod = solve_ivp(lambda t, y: (y[1], -9.81*1.5*np.cos(y[0])), (0.0, 1.0), (0.0, 0.0), rtol=1e-11, atol=1e-12)
    assert arm.simulate(1.0, 1e-3, "gen-alpha").angles[-1] == pytest.approx(np.full(5, rod.y[0, -1]), abs=2e-5)


def test_small_motion_has_the_frequency_of_the_hinged_beam():
    """Let go from its first shape, the tip passes zero after a quarter of a period."""
    beam = hinged_beam(8)
    omega = beam.natural_frequencies(1)
    shape = beam.mode_shapes(omega)[0, :, 1]
    angles = 1e-4*np.concatenate([[0.0], shape[2::2]])
    T = 2.0*np.pi/omega[0]/4000.0
    tip = BeamArm(n=8, angles=angles).simulate(1000*T, T, "newmark-1/12").angles[:, -1]
    assert abs(tip[-1]) < 1e-5*abs(tip[0]) and np.all(tip[:-1] > 0.0)


def test_the_moment_of_momentum_of_a_free_hub_is_kept():
    arm = BeamArm(n=4, torque=0.0, hub_inertia=0.1, rates=(1.0, 1.0, 0.5, -2.0, 3.0))
    run = arm.simulate(1.0, 2e-4, "newmark")
    made = arm.links

    def momentum(th, w):
        node, speed, total = np.zeros(2), np.zeros(2), 0.0
        for l, m, com, I, a, r in zip(made.length, made.mass, made.com, made.inertia, th, w):
            along, across = np.array([np.cos(a), np.sin(a)]), np.array([-np.sin(a), np.cos(a)])*r
            at, v = node + com*along, speed + com*across
            total += m*(at[0]*v[1] - at[1]*v[0]) + I*r
            node, speed = node + l*along, speed + l*across
        return total

    found = [momentum(*pair) for pair in zip(run.angles[::500], run.velocities[::500])]
    assert np.ptp(found) < 1e-4*abs(found[0])


def test_the_proposed_scheme_fails_where_the_beam_is_stiff():
    arm = beam_arm(8)
    wild = arm.simulate(2.0, 0.02, "proposed")
    assert not wild.ok or np.max(np.abs(wild.angles)) > 100.0
    assert np.max(np.abs(arm.simulate(2.0, 0.02, "gen-alpha").angles)) < 5.0


def test_a_run_that_breaks_off_says_so():
    arm = BeamArm(n=3, tip_force=(0.0, 1e300))
    run = arm.simulate(1.0, 0.1, newmark(0.0, 0.5))
    assert run.status == NOT_FINITE and np.isnan(run.angles[-1, -1]) and np.isfinite(run.angles[0]).all()
    with pytest.raises(SimulationError, match="beam-arm: a number is not finite"):
        run.check()


@pytest.mark.kernels
def test_samples_are_those_of_every_step_and_of_the_last():
    arm, rows = beam_arm(3), [*range(0, 100, 7), 100]
    whole, some = arm.simulate(1.0, 0.01, "houbolt"), arm.simulate(1.0, 0.01, "houbolt", every=7)
    assert np.array_equal(some.angles, whole.angles[rows]) and np.array_equal(some.velocities, whole.velocities[rows])
    assert np.array_equal(some.t, whole.t[rows])
    hub = -np.cos(0.5*np.pi*whole.t)
    assert np.max(np.abs(whole.angles[:, 0] - hub)) < 1e-14


# ----------------------------------------------------------------------------------------------------------- statics


@pytest.mark.parametrize("row", ELASTICA["rows"], ids=lambda row: f"load {row['alpha']}")
def test_resting_chains_and_the_elastica(row):
    for chain in row["chains"]:
        arm = BeamArm(n=chain["n"], rule=RULE[chain["rule"]], tip_force=(0.0, row["alpha"]))
        tip = arm.tip(arm.equilibrium())
        assert tip == pytest.approx((chain["x"], chain["y"]), abs=1e-11)
    fine = BeamArm(n=80, tip_force=(0.0, row["alpha"]))
    assert fine.tip(fine.equilibrium()) == pytest.approx((row["elastica"]["x"], row["elastica"]["y"]), rel=5e-4)


@pytest.mark.parametrize("rule", ["mid-unit", "left"])
def test_hinges_become_the_elastica_as_the_square_of_their_number(rule):
    row = next(row for row in ELASTICA["rows"] if row["alpha"] == 2.0)
    error = [BeamArm(n=n, rule=rule, tip_force=(0.0, 2.0)).tip(
        BeamArm(n=n, rule=rule, tip_force=(0.0, 2.0)).equilibrium())[1] - row["elastica"]["y"] for n in (40, 80)]
    assert np.log2(error[0]/error[1]) == pytest.approx(2.0, abs=0.1)


@pytest.mark.parametrize("load", [3.0, 10.0, 40.0])
def test_a_column_that_gives_way_rests_bent_as_the_elastica(load):
    """Its tip turns by a with K(sin(a/2)) = sqrt(P L^2/EI); below Euler's load it stays straight."""
    tip = 2.0*np.arcsin(brentq(lambda k: ellipk(k*k) - np.sqrt(load), 0.0, 1.0 - 1e-9))
    angles = [BeamArm(n=n, tip_force=(-load, 0.0)).equilibrium() for n in (40, 80)]
    errors = [abs(found[-1] - tip) for found in angles]
    assert errors[1] < 5e-3 and errors[0] > 3.0*errors[1]
    for small in (BeamArm(n=5, tip_force=(-2.0, 0.0)), BeamArm(n=5, tip_force=(10.0, 0.0))):
        assert not np.any(small.equilibrium())


def test_a_pendulum_does_not_rest_upright():
    assert link_arm(3, gravity=-9.81).equilibrium() == pytest.approx([0.0, np.pi, np.pi, np.pi], abs=1e-9)


def test_a_damped_arm_comes_to_rest_where_it_should():
    arm = BeamArm(n=5, tip_force=(0.0, 1.0), tip_moment=0.2, damping=0.3, gravity=(0.0, -0.5), payload=0.1,
                  servo=Servo(5.0, 3.0), rotation=0.2)
    assert arm.simulate(60.0, 0.02, "newmark-damped").angles[-1] == pytest.approx(arm.equilibrium(), abs=1e-8)


# ----------------------------------------------------------------------------------------------------------- refused


@pytest.mark.parametrize("words, said", [
    ({"n": 0}, "n is 0"), ({"EI": 0.0}, "EI is 0"), ({"rule": "right"}, "rule is 'right'"),
    ({"payload": -1.0}, "payload is -1"), ({"servo": 3.0}, "servo is 3"), ({"tip_force": 1.0}, "tip_force is 1"),
    ({"rule": "left", "torque": 1.0}, "hub_inertia is 0 and rule \"left\" puts nothing else on the hub"),
    ({"angles": (0.0,)}, "angles is"), ({"rotation": lambda t: t}, "its rate and acceleration are needed too"),
])
def test_words_that_cannot_be_right(words, said):
    with pytest.raises(ModelError, match=said):
        BeamArm(**words)


@pytest.mark.parametrize("words, said", [({"passes": 0}, "passes is 0"), ({"every": 0}, "every is 0"),
                                         ({"scheme": "euler"}, "scheme is 'euler'"),
                                         ({"dt": 0.3}, "whole number of steps")])
def test_runs_that_cannot_be_right(words, said):
    with pytest.raises(ModelError, match=said):
        beam_arm(2).simulate(**{"t_end": 1.0, "dt": 0.1, **words})


# ------------------------------------------------------------------------------------------- as a chain, in any frame


BRIDGED = {
    "turned": {"rotation": Sine(1.0, 2.0, phase=0.3)},
    "spun up": {"rotation": Motion(lambda t: t*t, lambda t: 2*t, lambda t: 2.0)},
    "followed": {"servo": Servo(50.0, 1.0), "rotation": Sine(0.5, 2.0, phase=0.3), "torque": lambda t: t,
                 "hub_inertia": 0.3},
    "resting, functions": {"rotation": 0.4},
}


@pytest.mark.parametrize("motor", BRIDGED)
def test_a_moving_motor_and_functions_of_time_reach_the_general_recursion(motor):
    """Accelerations of any state, and motion: the hub's frame turns, forces are those of that frame."""
    arm = BeamArm(n=4, EI=3.0, **BRIDGED[motor], payload=0.2, damping=0.01, gravity=(1.0, -9.81),
                  tip_force=(1.0, lambda t: 2.0*t), tip_moment=0.4, loads={2: (0.5, Sine(1.0, 3.0))})
    chain, chance, t = arm.chain(), np.random.default_rng(3), 0.3
    for _ in range(3):
        th, w = chance.uniform(-3.0, 3.0, (2, arm.n + 1))
        if arm.driven:
            th[0], w[0], hub = arm.rotation.at(t)
        q, v = to_chain_state(arm, th, w)
        if arm.driven:
            q[0], v[0] = th[1] - th[0], w[1] - w[0]
        back = from_chain_state(arm, q, v, t)
        assert np.max(np.abs(back[0] - th)) < 1e-13 and np.max(np.abs(back[1] - w)) < 1e-13
        torque, wrench = np.zeros(len(q)), np.zeros((arm.n + 1, 6))
        chain.drive(t, q, v, torque, wrench)
        joints = fd.forward_dynamics(chain.replace(drive=None), q, v, torque, t=t, wrench=wrench)
        exact = np.cumsum(np.insert(joints, 0, hub)) if arm.driven else np.cumsum(joints)
        found = accelerations(arm, t, th, w)
        assert np.max(np.abs(found - exact)) < 1e-11*np.max(np.abs(exact))


def test_the_arm_of_the_catalog_moves_as_the_general_recursion_says():
    arm = beam_arm(2)
    run = fd.simulate(arm.chain(), 0.5, *to_chain_state(arm, arm.angles, arm.rates), samples=3, rtol=1e-9)
    exact = from_chain_state(arm, run.q, run.v, run.t)[0]
    found = arm.simulate(0.5, 5e-4, "newmark", every=500).angles
    assert np.max(np.abs(found - exact)) < 1e-5 and np.ptp(exact[:, 0]) > 0.2
