"""A platform on six legs against the statics and dynamics of one body under six forces along the legs."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import fastdyn as fd

LIGHT = {"cylinder_mass": 1e-9, "rod_mass": 1e-9}
SLIDES = [f"rod{k}" for k in range(1, 7)]


def legs_of(chain, q):
    """(6, 3) feet, (6, 3) heads, world axes, both from joints of the model and from the platform's pose alone"""
    feet = np.array([fd.position(chain, q, f"cylinder{k}") for k in range(1, 7)])
    return feet, np.array([fd.position(chain, q, "platform", f"head{k}") for k in range(1, 7)])


def at_pose(chain, place, turn):
    """A state with the platform there, small turns about x, y, z in that order."""
    q, v = chain.start_state()
    angles = np.linalg.norm(turn)
    q[-7:-4] = place
    q[-4:] = np.concatenate([[np.cos(angles/2)], np.sin(angles/2)*np.asarray(turn)/max(angles, 1e-300)])
    q, _ = fd.assemble(chain, q, v, hold=["platform"])
    return q


@pytest.mark.parametrize("words", [{}, {"spread": 0.6, "height": 0.5}, {"mass": 1.0, "cylinder_mass": 5.0}])
def test_the_slides_hold_it(words):
    chain = fd.catalog.stewart(**words)
    q, v = chain.start_state()
    assert np.abs(fd.gaps(chain, q)).max() < 1e-15
    assert np.abs(fd.forward_dynamics(chain, q, v)).max() < 1e-11
    assert chain.nv == 24 and fd.singularity(chain, q, SLIDES).freedoms == 6


@given(place=st.tuples(*[st.floats(-0.1, 0.1)]*3), turn=st.tuples(*[st.floats(-0.2, 0.2)]*3),
       acc=st.lists(st.floats(-3.0, 3.0), min_size=6, max_size=6))
def test_light_legs_are_six_forces_on_one_body(place, turn, acc):
    """The strokes follow from the pose in closed form, the forces from the balance of the platform."""
    chain = fd.catalog.stewart(**LIGHT, push=0.0)
    q = at_pose(chain, place, turn)
    feet, heads = legs_of(chain, q)
    start = np.linalg.norm(np.subtract(*legs_of(chain, chain.start_state()[0])), axis=1)
    lengths = np.linalg.norm(heads - feet, axis=1)
    assert np.allclose(q[2:18:3], lengths - start, rtol=0.0, atol=1e-13)

    along = (heads - feet)/lengths[:, None]
    middle, R = fd.position(chain, q, "platform"), fd.orientation(chain, q, "platform")
    lines = np.column_stack([along, np.cross(heads - middle, along)]).T
    forces = np.linalg.solve(lines, [*(-9.81*20.0*np.array([0.0, 0.0, -1.0])), 0.0, 0.0, 0.0])
    torque = np.zeros(chain.nv)
    torque[2:18:3] = forces
    assert np.abs(fd.forward_dynamics(chain, q, np.zeros(24), torque)[18:]).max() < 1e-6      # light legs weigh 1e-9

    moments = 20.0*0.36/4*np.array([1.0, 1.0, 2.0])
    wanted = np.concatenate([20.0*(R @ acc[:3] + (0.0, 0.0, 9.81)), R @ (moments*acc[3:])])
    torque[2:18:3] = np.linalg.solve(lines, wanted)
    assert np.allclose(fd.forward_dynamics(chain, q, np.zeros(24), torque)[18:], acc, rtol=0.0, atol=1e-6)


def test_all_of_the_platform_counts():
    """With light legs it is a free disk, twice as hard to turn in its plane; after a quarter turn nothing holds it."""
    chain = fd.catalog.stewart(**LIGHT, push=0.0)
    q, _ = chain.start_state()
    whole, velocity, turning = (fd.singularity(chain, q, SLIDES, "platform", output=part).output
                                for part in ("twist", "velocity", "turning"))
    assert turning == pytest.approx(np.sqrt(0.5), rel=1e-6)                 # moments 1.8, 1.8, 3.6 kg m^2
    middle, head = 1/20.0, 1/20.0 + 0.6**2/1.8                              # squares of speeds, J of energy being 1/2
    assert velocity == pytest.approx(np.sqrt(middle/head), rel=1e-6) and whole == pytest.approx(velocity, rel=1e-12)
    steps = np.radians(np.linspace(0.0, 90.0, 10))/2
    attitudes = np.column_stack([np.cos(steps), 0*steps, 0*steps, np.sin(steps)])
    turned = fd.follow(chain, "platform", [fd.position(chain, q, "platform")]*10, attitudes=attitudes)
    measures = fd.singularity(chain, turned, SLIDES).drives
    assert np.all(np.diff(measures) < 0.0) and measures[-1] < 1e-9 < 1e-3 < measures[-2]


def test_a_fall_followed_needs_no_force():
    """Place and attitude prescribed with their rates: states, velocities and accelerations come back."""
    chain = fd.catalog.stewart(push=0.0)
    spin = np.zeros(24)
    spin[18:] = 0.2, -0.1, 0.3, 0.5, -0.4, 0.6
    run = fd.simulate(chain, 0.1, v=fd.assemble(chain, v=spin, hold=["platform"])[1], samples=4).check()
    acc, at = fd.forward_dynamics(chain, run.q, run.v), "platform"
    rates = {"velocities": np.hstack(fd.velocity(chain, run.q, run.v, at)),
             "accelerations": np.hstack(fd.acceleration(chain, run.q, run.v, acc, at))}
    found = fd.follow(chain, at, fd.position(chain, run.q, at), attitudes=run.q[:, -4:], **rates)
    for mine, wanted in zip(found, (run.q, run.v, acc)):
        assert np.abs(mine - wanted).max() < 1e-9*max(1.0, np.abs(wanted).max())
    assert np.abs(fd.drive_torques(chain, *found, SLIDES)).max() < 1e-8
    with pytest.raises(fd.ModelError, match=r"attitudes\[0\] has length 2, not 1"):
        fd.follow(chain, at, [[0.0, 0.0, 1.2]], attitudes=[[2.0, 0.0, 0.0, 0.0]])
    with pytest.raises(fd.ModelError, match="angles are given, but the chain is in space"):
        fd.follow(chain, at, [[0.0, 0.0, 1.2]], angles=[0.0])


def test_let_go_it_falls_and_its_legs_stay_closed():
    chain = fd.catalog.stewart(push=0.0)
    run = fd.simulate(chain, 0.4, v=None, samples=21, rtol=1e-10, atol=1e-12).check()
    start = np.linalg.norm(np.subtract(*legs_of(chain, run.q[0])), axis=1)
    for q in run.q:
        feet, heads = legs_of(chain, q)
        assert np.abs(fd.gaps(chain, q)).max() < 1e-13
        assert np.allclose(q[2:18:3], np.linalg.norm(heads - feet, axis=1) - start, rtol=0.0, atol=1e-13)
    assert run.q[-1, -5] < 0.8 and np.abs(run.energy_change).max() < 1e-8*abs(np.ptp(run.potential))
    assert np.allclose(run.q[:, -7:-5], 0.0, atol=1e-9)                     # of three mirror planes none is left


def test_what_cannot_be_is_refused():
    with pytest.raises(fd.ModelError, match="pairs of joints meet; give less than pi/3"):
        fd.catalog.stewart(spread=1.1)
