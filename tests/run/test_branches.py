"""Starts in singular poses: what has a motion of its own goes it, what has not is refused by the closure's name."""

import numpy as np
import pytest

import fastdyn as fd
from fastdyn import ModelError
from fastdyn.describe.signals import Constant
from fastdyn.status import ACTION_FAILED

G = 9.81
TURNED, FOLDED = np.array([1.0, -1.0, 1.0]), np.array([0.0, 1.0, 1.0])     # the motions that leave the flat window
pytestmark = pytest.mark.filterwarnings("ignore:the start is a singular pose")


def window(gravity=G, torque=(0.0, 0.0, 0.0)):
    """A parallelogram of three bars of 1 m and 1 kg, flat at zero."""
    bars = [fd.Link(name=name, length=1.0, mass=1.0, joint=fd.Revolute(drive=Constant(x)) if x else fd.Revolute(),
                    **({"parent": "base", "at": (1.0, 0.0, 0.0)} if name == "rocker" else {}))
            for name, x in zip(("crank", "coupler", "rocker"), map(float, torque))]
    return fd.Chain(bars, gravity=(0.0, -gravity, 0.0),
                    closures=[fd.Closure(kind="pin", a="coupler.tip", b="rocker.tip", name="top")])


def pushed(way):
    """At rest without weight, driven so that it would begin this way."""
    return window(0.0, fd.mass_matrix(window(), np.zeros(3)) @ way)


def test_at_rest_where_weight_moves_it_one_way():
    """A parallelogram falls as the pendulum it is, through the flat pose on the other side and back."""
    run = fd.simulate(window(), 3.0, np.zeros(3), samples=61, rtol=1e-11, atol=1e-13).check()
    pendulum = fd.integrate(lambda t, y: np.array([y[1], -1.2*G*np.cos(y[0])]), [0.0, 0.0], 3.0, samples=61, rtol=1e-12)
    assert np.abs(run.q - pendulum.y[:, :1]*TURNED).max() < 1e-6 and np.abs(fd.gaps(run.chain, run.q)).max() < 1e-12
    assert np.abs(run.energy_change).max() < 1e-7 and run.q.min() < -3.1


@pytest.mark.parametrize("way", [TURNED, FOLDED])
def test_velocities_of_one_of_its_motions_take_it_there(way):
    run = fd.simulate(window(0.0), 0.5, np.zeros(3), way, samples=6).check()
    assert np.abs(run.q - run.t[:, None]*way).max() < 1e-9 and np.abs(fd.gaps(run.chain, run.q)).max() < 1e-12


@pytest.mark.parametrize("way", [TURNED, FOLDED])
def test_at_rest_where_a_push_begins_one_of_them(way):
    run = fd.simulate(pushed(way), 0.1, np.zeros(3), samples=2).check()
    assert np.abs(run.q[-1] - 0.005*way).max() < 1e-4 and np.abs(fd.gaps(run.chain, run.q)).max() < 1e-12


def test_at_rest_where_nothing_pushes_it_stays():
    run = fd.simulate(window(0.0), 1.0, np.zeros(3), samples=2).check()
    assert np.array_equal(run.q[-1], np.zeros(3)) and "singular pose" in run.notes[0]


@pytest.mark.parametrize("share", [1.0, 0.1, 0.01])
def test_between_its_motions_nothing_decides(share):
    """By forces from rest, and by velocities that no motion begins with; how fast or how strong does not count."""
    for size in (1e-3, 1.0, 1e3):
        with pytest.raises(ModelError, match=r'closure\[0\] "top": .* singular pose at rest, and forces begin'):
            fd.simulate(pushed(size*(TURNED + share*FOLDED)), 0.1, np.zeros(3))
        with pytest.raises(ModelError, match=r'closure\[0\] "top": .* velocities as given would open this closure'):
            fd.simulate(window(0.0), 0.1, np.zeros(3), size*(TURNED + share*FOLDED))


def test_beside_the_pose_it_goes():
    """A tenth of a degree is enough for forces that cannot decide at the pose itself."""
    chain = pushed(TURNED + FOLDED)
    run = fd.simulate(chain, 0.1, 0.002*TURNED, samples=2).check()
    assert np.abs(fd.gaps(chain, run.q)).max() < 1e-12 and run.notes == ()


def test_of_a_loop_in_which_a_gap_is_redundant_every_start_is_its_own():
    assert fd.simulate(fd.catalog.bricard(), 0.01, samples=2).ok


@pytest.fixture(scope="module")
def tick():
    return fd.ticker(window(0.0), 0.01, q=np.zeros(3))


def test_ticks_start_as_runs_do(tick):
    """Velocities between the motions are refused where they are given, torques at rest when they come."""
    for begin in (lambda v: fd.ticker(window(0.0), 0.01, q=np.zeros(3), v=v), lambda v: tick.reset(np.zeros(3), v)):
        with pytest.raises(ModelError, match=r'closure\[0\] "top": .* velocities as given would open this closure'):
            begin(TURNED + 0.1*FOLDED)
    with pytest.raises(ModelError, match="velocities as given would open this closure"):
        tick()
    tick.reset(np.zeros(3))
    for _ in range(2):                                  # nothing pushes: it stays, and decides nothing yet
        assert np.array_equal(tick()[0], np.zeros(3))
    M = fd.mass_matrix(window(), np.zeros(3))
    with pytest.raises(ModelError, match=r'closure\[0\] "top": .* singular pose at rest, and forces begin'):
        tick(M @ (TURNED + FOLDED))
    assert tick.t == 0.02 and np.array_equal(tick.q, np.zeros(3)) and tick.status == 0


@pytest.mark.parametrize("way", [TURNED, FOLDED])
def test_ticks_go_the_way_they_are_sent(tick, way):
    tick.reset(np.zeros(3), way)
    assert np.abs(tick()[0] - 0.01*way).max() < 1e-9
    tick.reset(np.zeros(3))
    torque = fd.mass_matrix(window(), np.zeros(3)) @ way
    for _ in range(10):
        q, _ = tick(torque)
    assert np.abs(q - 0.005*way).max() < 1e-4 and np.abs(fd.gaps(tick.chain, q)).max() < 1e-12


def blow(what, **words):
    return fd.Event(function=lambda t, q, v: t - 0.05, action=what, direction="rising", name="blow", **words)


def add_between(t, q, v, direction):
    v[0] += 0.5


def add_turning(t, q, v, direction):
    v += TURNED


def stop_it(t, q, v, direction):
    v[:] = 0.0
    return "held"


@pytest.mark.parametrize("words", [{}, {"stepper": "radau5"}, {"closures": "minimal"}, {"stepper": "adams"}])
def test_a_blow_in_the_pose_is_refused_where_no_motion_begins_so(words):
    run = fd.simulate(window(0.0), 0.2, np.zeros(3), events=blow(add_between), **words)
    assert run.status == ACTION_FAILED and abs(run.t[-1] - 0.05) < 1e-8 and not run.v[-1].any()
    for said in ('event "blow"', 'closure[0] "top"', "velocities that the action leaves"):
        assert said in run.message
    passing = fd.Event(function=lambda t, q, v: q[0], action=add_between, name="flat")
    run = fd.simulate(window(), 2.0, TURNED, events=passing, **words)
    assert run.status == ACTION_FAILED and 0.5 < run.t[-1] < 0.52 and np.abs(fd.gaps(run.chain, run.q)).max() < 1e-12


def test_a_blow_along_a_motion_in_the_pose_begins_it():
    run = fd.simulate(window(0.0), 0.25, np.zeros(3), events=blow(add_turning), samples=6).check()
    assert np.abs(run.q[-1] - 0.2*TURNED).max() < 1e-9
    passing = fd.Event(function=lambda t, q, v: q[0], action=stop_it, direction="falling", name="flat")
    run = fd.simulate(window(), 1.0, TURNED, events=passing).check()
    assert len(run.events) == 1 and np.abs(run.q[-1] @ TURNED) > 1.0 and np.ptp(run.q[-1]*TURNED) < 1e-9


def test_what_is_stopped_in_the_pose_needs_forces_that_decide():
    """Forces that would begin both motions at once decide nothing where it has come to a stand."""
    chain = pushed(TURNED + 0.1*FOLDED)
    passing = fd.Event(function=lambda t, q, v: q[0], action=stop_it, name="flat")
    run = fd.simulate(chain, 1.0, -0.3*TURNED, events=passing)
    assert run.status == ACTION_FAILED and "leaves the chain at rest in a singular pose" in run.message


def test_a_drive_in_python_is_asked_too():
    def push(t, q, v, torque, wrench):
        torque += fd.mass_matrix(chain, np.zeros(3)) @ (TURNED + 0.1*FOLDED)

    chain = window(0.0)
    driven = fd.Chain(chain.links, gravity=(0.0, 0.0, 0.0), closures=chain.closures, drive=push)
    passing = fd.Event(function=lambda t, q, v: q[0], action=stop_it, name="flat")
    run = fd.simulate(driven, 1.0, -0.3*TURNED, events=passing)
    assert run.status == ACTION_FAILED and "leaves the chain at rest in a singular pose" in run.message
