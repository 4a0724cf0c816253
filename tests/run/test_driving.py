"""Driven closed loops: torques of the drives, weights, paths, singular poses, refusals."""

import numpy as np
import pytest
from msgspec.structs import replace

import fastdyn as fd
from fastdyn.describe import rrr
from fastdyn.status import ModelError

LEGS = ("I1", "II1", "III1")
PIN = {"kind": "pin", "a": (1.0, 0.0, 0.0), "b": "rocker.tip"}


@pytest.fixture(scope="module")
def robot():
    return fd.catalog.rrr_rose("P2")


@pytest.fixture(scope="module")
def window():
    """A parallelogram that lies along the ground at zero"""
    bars = [fd.Link(name=name, length=1.0, mass=1.0) for name in ("crank", "coupler", "rocker")]
    return fd.Chain([*bars[:2], fd.Link(name="rocker", parent="base", at=(1.0, 0.0, 0.0), length=1.0, mass=1.0)],
                    closures=[fd.Closure(kind="pin", a="coupler.tip", b="rocker.tip")])


def along_the_rose(t):
    (q, v, acc), platform = rrr.motion([t], 0.10)
    return [np.concatenate([legs[0].ravel(), rest[0]]) for legs, rest in zip((q, v, acc), platform)]


def without_drives(chain):
    return chain.replace(links=tuple(replace(x, joint=fd.Revolute()) if x.name in LEGS else x for x in chain.links))


def test_torques_of_the_robot(robot):
    wanted, _ = rrr.inverse_dynamics([0.3], *rrr.CASES["P2"])
    chain, (q, v, acc) = without_drives(robot), along_the_rose(0.3)
    torque = fd.drive_torques(chain, q, v, acc, LEGS)
    assert np.allclose(torque[[0, 2, 4]], wanted[0], atol=1e-11) and np.all(torque[[1, 3, 5, 6, 7, 8]] == 0.0)
    assert np.allclose(fd.forward_dynamics(chain, q, v, torque), acc, atol=1e-10)


def test_redundant_drives_share_by_their_weights(robot):
    chain, (q, v, acc) = without_drives(robot), along_the_rose(0.3)
    names, at = (*LEGS, "I2", "II2"), [0, 2, 4, 1, 3]
    weights = np.array([1.0, 2.0, 3.0, 4.0, 5.0])
    torque = fd.drive_torques(chain, q, v, acc, names, weights=weights)
    assert np.allclose(fd.forward_dynamics(chain, q, v, torque), acc, atol=1e-10)
    other = fd.drive_torques(chain, q, v, acc, LEGS)
    change = (other - torque)[at]                       # does nothing to the motion: least torques do not lean on it
    assert abs(change @ (weights*torque[at])) < 1e-10*np.linalg.norm(change)*np.linalg.norm(weights*torque[at])
    assert weights @ torque[at]**2 < weights @ other[at]**2


def test_too_few_drives_are_told(robot):
    chain, (q, v, acc) = without_drives(robot), along_the_rose(0.3)
    with pytest.raises(ModelError, match="is left that no drive moves"):
        fd.drive_torques(chain, q, v, acc, LEGS[:2])
    with pytest.raises(ModelError, match="give the names of the links"):
        fd.drive_torques(chain, q, v, acc, "I1")


@pytest.mark.parametrize("heavy", [1.0, 1e-9])
def test_a_dead_point_is_told(heavy):
    """Crank and coupler in line: no torque of the rocker moves them, what rounding leaves of its lever is none."""
    chain = fd.catalog.four_bar()
    links = [*chain.links[:2], replace(chain.links[2], mass=heavy)]
    chain, x = chain.replace(links=links), (1.6**2 + 1.0 - 0.8**2)/2
    y = np.sqrt(1.6**2 - x*x)
    q = np.array([np.arctan2(y, x), 0.0, np.arctan2(y, x - 1.0)])
    for acc in None, np.zeros(3):
        with pytest.raises(ModelError, match=r"drives \('rocker',\) cannot give acc: .* or leave this pose, which is"):
            fd.drive_torques(chain, q, np.zeros(3), acc, ["rocker"])
    crank, both = (fd.drive_torques(chain, q, np.zeros(3), None, names) for names in (["crank"], ["crank", "rocker"]))
    assert crank == pytest.approx(both, abs=1e-9) and crank[0] == pytest.approx(
        fd.inverse_dynamics(chain, q, np.zeros(3), np.zeros(3)) @ free_motion(chain, q), rel=1e-9)
    still = chain.replace(gravity=(0.0, 0.0, 0.0))
    assert np.array_equal(fd.drive_torques(still, q, np.zeros(3), None, ["rocker"]), np.zeros(3))
    beside = fd.assemble(chain, q + [0.0, -1e-6, 0.0], hold=["coupler"])
    assert 1e5 < fd.drive_torques(chain, beside, np.zeros(3), None, ["rocker"])[2] < 1e7


def free_motion(chain, q):
    """The only one, with the crank's rate 1, from the null space of the gaps"""
    motion = np.linalg.svd(fd.gap_jacobian(chain, q))[2][2]
    return motion/motion[0]


def test_the_robot_follows_its_path(robot):
    t = np.linspace(0.0, 0.5, 26)
    x, _, _ = rrr.rose(t, 0.10)
    places = np.column_stack([x, np.zeros(len(t))])
    found = fd.follow(robot, "platform", places, angles=np.zeros(len(t)), q=along_the_rose(0.0)[0])
    wanted = rrr.inverse_kinematics(x).reshape(len(t), 6)
    assert np.abs(np.exp(1j*found[:, :6]) - np.exp(1j*wanted)).max() < 1e-11
    with pytest.raises(ModelError, match=r"places\[1\].*out of reach"):
        fd.follow(robot, "platform", [places[0], (3.0, 0.0, 0.0)])


def test_singular_poses(robot, window):
    q, _, _ = along_the_rose(0.3)
    inside = fd.singularity(robot, q, LEGS, "platform")
    assert inside.freedoms == 3 and inside.drives > 0.01 and inside.output > 0.1
    folded = fd.singularity(window, [1e-7, -1e-7, 1e-7], ["crank"])
    assert folded.freedoms == 1 and fd.singularity(window, np.zeros(3), ["crank"]).freedoms == 2
    assert fd.singularity(window, np.zeros(3), ["crank"]).drives == 0.0         # locked, it could still fold
    assert fd.singularity(robot, q, LEGS[:2]).drives == 0.0


def turned_pose(robot, eps):
    """Leg III folded all but the square root of eps, the platform turned and beside the middle."""
    x, turn, far, angle = 0.1, 0.3, rrr.L2 - rrr.L1, rrr.ANGLES[2]
    corner, foot = rrr.PLATFORM_SIDE/np.sqrt(3)*rrr.u(angle + turn), rrr.BASE_SIDE/np.sqrt(3)*rrr.u(angle)
    across = x + corner[0] - foot[0]
    y = foot[1] - corner[1] - np.sqrt(far**2 - across**2) - eps
    return np.concatenate([rrr.inverse_kinematics(np.array([x, y]), turn).ravel(), [x, y, turn]])


def test_a_folded_leg_of_a_turned_platform_is_of_type_1(robot):
    """It cannot turn and move every way at once, though its middle still can: all of the twist counts."""
    poses = [turned_pose(robot, eps) for eps in (1e-4, 1e-6, 1e-8)]
    found = fd.singularity(robot, poses, LEGS, "platform")
    assert found.output[1:]/found.output[:-1] == pytest.approx(0.1, rel=0.02)
    assert found.output[2] < 3e-4 and np.all(found.drives > 0.05) and np.all(found.freedoms == 3)
    assert np.sin(poses[2][5]) == pytest.approx(1.3e-4, rel=0.02)
    for part in ("velocity", "turning"):
        assert fd.singularity(robot, poses[2], LEGS, "platform", output=part).output > 0.05
    M, J = fd.mass_matrix(robot, poses[1])[6:, 6:], fd.gap_jacobian(robot, poses[1])
    alike = np.linalg.svd(J)[2][6:]                                 # motions that the mass matrix does not measure
    size = np.linalg.svd(np.sqrt(M) @ alike[:, 6:].T, compute_uv=False)
    assert 0.1 < found.output[1]/(size[-1]/size[0]) < 10.0


def test_legs_through_one_point_are_of_type_2(robot):
    """Turned until the outer bars of the legs, in line with the platform's middle, let it turn."""
    def off(turn):
        q = rrr.inverse_kinematics(np.zeros(2), turn)[0].sum()
        return np.sin(q - rrr.ANGLES[0] - turn)

    low, high = -2.8, -2.6
    for _ in range(60):
        low, high = (low, 0.5*(low + high)) if off(low)*off(0.5*(low + high)) < 0.0 else (0.5*(low + high), high)
    poses = [np.concatenate([rrr.inverse_kinematics(np.zeros(2), low + beside).ravel(), [0.0, 0.0, low + beside]])
             for beside in (1e-2, 1e-4, 0.0)]
    found = fd.singularity(robot, poses, LEGS, "platform")
    assert found.drives[0] == pytest.approx(100.0*found.drives[1], rel=0.02) and found.drives[2] < 1e-12
    assert np.all(found.output > 0.3)


def test_one_freedom_is_measured_too():
    """A rocker at its dead point: the only motion there is does not move it, and beside that hardly."""
    chain = fd.catalog.four_bar(ground=1.0, crank=0.3, coupler=0.9, rocker=0.7)
    reach = 0.9 + 0.3                                               # crank and coupler in line
    crank = np.arccos((1.0 + reach**2 - 0.49)/(2*reach))
    rocker = np.pi - np.arccos((1.0 + 0.49 - reach**2)/(2*0.7))
    found = []
    for beside in (1e-2, 1e-3):
        q = fd.assemble(chain, [crank + beside, -beside, rocker], hold=["crank"])
        found.append(fd.singularity(chain, q, ["rocker"], "rocker", output="turning"))
    assert found[0].drives == pytest.approx(10.0*found[1].drives, rel=0.05) and found[1].drives < 0.01
    assert found[0].output == pytest.approx(10.0*found[1].output, rel=0.05)


def test_a_point_that_never_moves_has_no_measure():
    """Feet of the rocker and of an arm, a tip that a closure holds, a slide's turning; not a slide at its end."""
    chain = fd.catalog.four_bar()
    q = chain.start_state()[0]
    assert np.isnan(fd.singularity(chain, q, ["crank"], "rocker").output)
    assert fd.singularity(chain, q, ["crank"], "rocker", "tip").output > 0.1
    arm = fd.Chain([fd.Link(name="arm", length=1.0, mass=1.0)])
    assert np.isnan(fd.singularity(arm, [0.3], ["arm"], "arm").output)
    bars = [fd.Link(name=name, length=1.0, mass=1.0) for name in ("crank", "coupler", "rocker")]
    row = fd.Chain(bars, closures=[fd.Closure(**PIN)])
    q = fd.assemble(row, [1.0, -1.1, -1.9])
    assert np.isnan(fd.singularity(row, q, ["crank"], "rocker", "tip").output)
    assert fd.singularity(row, q, ["crank"], "rocker").output > 0.1
    slide = fd.Link(name="slide", parent="base", joint=fd.Prismatic(axis=(1.0, 0.0, 0.0)), body=fd.Body.point(1.0))
    engine = fd.Chain([*bars[:2], slide], closures=[fd.Closure(kind="pin", a="coupler.tip", b="slide")])
    dead = np.array([0.0, 0.0, 2.0])
    bent = fd.assemble(engine, [0.5, -1.0, 1.7], hold=["crank"])
    assert fd.singularity(engine, bent, ["crank"], "slide").output > 0.1
    assert np.isnan(fd.singularity(engine, bent, ["crank"], "slide", output="turning").output)
    assert fd.singularity(engine, dead, ["crank"], "slide").output < 1e-12


def test_nothing_that_moves_has_no_measure():
    bars = [fd.Link(name=name, length=1.0, mass=1.0) for name in ("a", "b")]
    stuck = fd.Chain(bars, closures=[fd.Closure(kind="pin", a=(1.0, 0.0, 0.0), b="b.tip")])
    found = fd.singularity(stuck, [np.pi/3, -2*np.pi/3], ["a"], "b")
    assert found.freedoms == 0 and np.isnan(found.drives) and np.isnan(found.output)
    with pytest.raises(ModelError, match="closures leave the chain no freedom here: nothing moves, whatever torques"):
        fd.drive_torques(stuck, [np.pi/3, -2*np.pi/3], np.zeros(2), None, ["a"])


def test_a_stretched_leg_is_of_type_1():
    """With its two bars nearly in line the tip of an arm hardly moves along them: the measure goes with the bend."""
    arm = fd.Chain([fd.Link(name=name, length=1.0, mass=1.0) for name in ("upper", "fore")])
    measures = [fd.singularity(arm, [0.3, bend], ["upper", "fore"], "fore", (1.0, 0.0, 0.0)) for bend in (1e-2, 1e-3)]
    assert measures[0].output == pytest.approx(10.0*measures[1].output, rel=1e-3) and measures[1].output < 1e-3
    assert measures[0].drives == pytest.approx(measures[1].drives, rel=1e-3) and measures[1].drives > 0.01


def test_the_robot_follows_its_path_with_rates(robot):
    t = np.linspace(0.0, 0.5, 11)
    (_, v, acc), (x, u, a) = rrr.motion(t, 0.10)
    zero = np.zeros((len(t), 4))
    places = np.column_stack([x[:, :2], zero[:, 0]])
    rates = {"velocities": np.column_stack([u[:, :2], zero]), "accelerations": np.column_stack([a[:, :2], zero])}
    found = fd.follow(robot, "platform", places, angles=0*t, q=along_the_rose(0.0)[0], **rates)
    for mine, legs in zip(found[1:], (v, acc)):
        assert np.abs(mine[:, :6] - legs.reshape(-1, 6)).max() < 1e-9
    torques = fd.drive_torques(without_drives(robot), *found, LEGS)
    assert np.abs(torques[:, [0, 2, 4]] - rrr.inverse_dynamics(t, *rrr.CASES["P2"])[0]).max() < 1e-9
    with pytest.raises(ModelError, match=r'places\[0\]: the path of link "platform" leaves 1 freedoms'):
        fd.follow(robot, "platform", places, q=along_the_rose(0.0)[0], velocities=u)


@pytest.mark.parametrize("method", ["mdenoc", "lvs"])
def test_loops_of_springs_are_closed_on_the_way(robot, method):
    """The path, its rates and its accelerations are those of the robot without springs, in every bit but rounding."""
    t = np.linspace(0.0, 0.3, 4)
    _, (x, u, a) = rrr.motion(t, 0.06)
    zero = np.zeros((len(t), 4))
    asked = {"angles": 0*t, "velocities": np.column_stack([u[:, :2], zero]),
             "accelerations": np.column_stack([a[:, :2], zero])}
    places = np.column_stack([x[:, :2], 0*t])
    springs, rigid = (fd.follow(fd.catalog.rrr_rose("P0", **words), "platform", places, **asked)
                      for words in ({"method": method, "ks": 1e4, "preloaded": True}, {}))
    assert np.abs(fd.gaps(robot, springs[0])).max() < 1e-12
    for mine, wanted in zip(springs, rigid):
        assert np.abs(mine - wanted).max() < 1e-9


def test_springs_between_points_may_stretch_on_the_way():
    """Of the governor only the sleeve is led: its springs are no loops."""
    governor = fd.catalog.flyball()
    q = fd.follow(governor, "sleeve", [governor_place(governor) + [0.0, 0.0, 0.1]])
    assert np.abs(fd.gaps(governor, q[0])).max() > 1e-3


def governor_place(governor):
    return fd.position(governor, governor.start_state()[0], "sleeve")


@pytest.mark.parametrize("unit", [1e-6, 1e6])
def test_paths_are_followed_in_any_unit(unit):
    small, usual = (fd.catalog.four_bar(*unit*np.array([1.0, 0.4, 1.2, 0.8])) for unit in (unit, 1.0))
    crank = np.linspace(0.0, 0.3, 4)
    places = 0.4*np.column_stack([np.cos(crank), np.sin(crank), 0*crank])
    speed = 0.4*np.column_stack([-np.sin(crank), np.cos(crank), 0*crank])
    (q, v), (wanted, rates) = (fd.follow(chain, "coupler", unit*places, velocities=unit*speed)
                               for chain, unit in ((small, unit), (usual, 1.0)))
    assert np.abs(q[:, 0] - crank).max() < 1e-10 and np.abs(q - wanted).max() < 1e-10
    assert np.abs(v[:, 0] - 1.0).max() < 1e-9 and np.abs(v - rates).max() < 1e-9
    assert np.abs(fd.gaps(small, q)).max() < 1e-11*unit
    with pytest.raises(ModelError, match=r"velocities\[0\] cannot be: loops and joints leave"):
        fd.follow(small, "coupler", unit*places[:1], velocities=unit*(speed[:1] + [1e-4, 0.0, 0.0]))


def test_free_motion_followed_needs_no_torque():
    """A linkage let go: its coupler's motion gives back states, velocities, accelerations, and no torque at all."""
    chain = fd.catalog.four_bar()
    run = fd.simulate(chain, 1.0, v=fd.assemble(chain, chain.start_q, [1.0, 0.0, 0.0])[1], samples=6).check()
    acc, at = fd.forward_dynamics(chain, run.q, run.v), ("coupler", (0.5, 0.1, 0.0))
    places = fd.position(chain, run.q, *at)
    rates = {"velocities": fd.velocity(chain, run.q, run.v, *at)[0],
             "accelerations": fd.acceleration(chain, run.q, run.v, acc, *at)[0]}
    found = fd.follow(chain, at[0], places, point=at[1], q=run.q[0], **rates)
    for mine, wanted in zip(found, (run.q, run.v, acc)):
        assert np.abs(mine - wanted).max() < 1e-9*max(1.0, np.abs(wanted).max())
    assert np.abs(fd.drive_torques(chain, *found, ["crank"])).max() < 1e-9
    with pytest.raises(ModelError, match=r"velocities\[0\] cannot be: loops and joints leave .* m/s of it"):
        fd.follow(chain, at[0], places[:1], point=at[1], q=run.q[0], velocities=[[1.0, 1.0, 0.0]])


def test_redundant_and_singular_closures_are_told(window):
    again = fd.Closure(kind="pin", a="coupler.tip", b="rocker.tip", name="2nd")
    twice = window.replace(closures=[*window.closures, again])
    found = fd.mobility(twice, [1.0, -1.0, 1.0])
    assert found[:4] == (4, 2, 1, 1) and found.redundant == ('closure[1] "2nd"',) and found.measure > 0.1
    run = fd.simulate(twice, 0.1, [1.0, -1.0, 1.0])
    said = 'closure[1] "2nd": says nothing that joints and other gaps do not (rank 2 of 4 gaps)'
    assert run.notes[0].startswith(said)
    assert fd.simulate(window, 0.1, [1.0, -1.0, 1.0]).notes == ()
    flat, beside = fd.mobility(window, np.zeros(3)), fd.mobility(window, [1e-3, -1e-3, 1e-3])
    assert flat[:5] == (2, 1, 2, 1, ()) and flat.measure == 0.0
    assert beside.freedoms == 1 and 1e-4 < beside.measure < 1e-2
    with pytest.warns(RuntimeWarning, match="the start is a singular pose, measure 0: 2 freedoms here, 1 beside it"):
        assert len(fd.simulate(window, 0.1, np.zeros(3)).notes) == 1


def test_closures_that_contradict_each_other(window):
    """Two pins a tenth of a micrometre apart: near enough to pass as closed, and never both."""
    other = fd.Closure(kind="pin", a="coupler.tip", b="rocker.eye", name="other")
    links = [*window.links[:2], replace(window.links[2], points={"eye": (1.0, 2e-7, 0.0)})]
    chain = window.replace(links=links, closures=[*window.closures, other])
    with pytest.raises(ModelError, match="m when all are as closed as they can be: closures contradict each other"):
        fd.simulate(chain, 0.1, [1.0, -1.0, 1.0])


@pytest.mark.parametrize("ask, said", [
    (lambda c, q: fd.assemble(c, q, hold=None), "hold is None; give the names of links in a list"),
    (lambda c, q: fd.assemble(c, q, hold="crank"), "hold is 'crank'; give the names of links in a list"),
    (lambda c, q: fd.singularity(c, q, None), "drives is None; give the names of the links"),
    (lambda c, q: fd.singularity(c, q, ["crank", "crank"]), 'drives names "crank" twice; name every driven link once'),
    (lambda c, q: fd.singularity(c, q, ["crank"], "rocker", output="x"), 'output "x" is not known; choose from twist'),
    (lambda c, q: fd.drive_torques(c, q, 0*q, 0*q, ["crank", "crank"]), 'drives names "crank" twice'),
    (lambda c, q: fd.drive_torques(c, q, 0*q, 0*q, ["post", "crank"]), 'names "post", whose joint does not move'),
    (lambda c, q: fd.drive_torques(c, q + 0.1, 0*q, 0*q, ["crank"]), "closure[0] is open by"),
    (lambda c, q: fd.drive_torques(c, q, [1.0, 0.0, 0.0], 0*q, ["crank"]), "closure[0] opens with"),
    (lambda c, q: fd.drive_torques(c, q, 0*q, [1.0, 0.0, 0.0], ["crank"]), "m/s^2; take acc that loops allow"),
    (lambda c, q: fd.follow(c, "coupler", None), "places holds object instead of real numbers"),
    (lambda c, q: fd.follow(c, "coupler", 3.0), "places has shape (); give shape (1, 3)"),
    (lambda c, q: fd.follow(c, "coupler", np.empty((0, 3))), "places has no rows; give one place or more"),
    (lambda c, q: fd.follow(c, "coupler", [q], attitudes=[q]), "attitudes are given, but the chain is in the plane"),
    (lambda c, q: fd.follow(c, "coupler", [q], accelerations=[q]), "accelerations are given without velocities"),
    (lambda c, q: fd.follow(c, "coupler", [(0.1, 1.0, 1.0)]), "places[0] (0.1, 1, 1) leaves the plane z = 0"),
    (lambda c, q: fd.follow(c, "coupler", [0*q], velocities=[(0.0, 0.0, 5.0)]), "velocities[0] (0, 0, 5) leaves the"),
    (lambda c, q: fd.follow(c, "coupler", [0*q], angles=[0.0], velocities=[(1.0, 0.0, 0.0, 0.0, 2.0, 0.0)]),
     "velocities[0] (1, 0, 0, 0, 2, 0) leaves the plane z = 0, in which this chain is computed; give z, and rates"),
    (lambda c, q: fd.follow(c, "coupler", [0*q], angles=[0.0], velocities=[np.zeros(6)],
                            accelerations=[(0.0, 0.0, 0.0, 3.0, 0.0, 0.0)]), "accelerations[0] (0, 0, 0, 3, 0, 0) "),
])
def test_questions_that_cannot_be(window, ask, said):
    post = fd.Link(name="post", parent="base", length=1.0, joint=fd.Fixed())
    chain = window.replace(links=[*window.links, post])
    with pytest.raises(ModelError) as refused:
        ask(chain, np.array([1.5, -1.5, 1.5]))
    assert said in str(refused.value)
