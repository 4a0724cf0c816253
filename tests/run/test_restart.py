"""Runs that are stopped and gone on from: the same to the bit with every stepper, events among them; refusals."""

import numpy as np
import pytest

import fastdyn as fd
from fastdyn.describe.catalog import n_pendulum
from fastdyn.status import STOPPED
from fastdyn.steppers import STEPPERS, stepper

every_stepper = pytest.mark.parametrize("method", STEPPERS)
WAY = {"rtol": 1e-5, "atol": 1e-5}
ARM = n_pendulum(2, angle=1.2)
BALLS = fd.Chain([fd.Link(length=0.6, mass=1.0, radius=0.1, joint=fd.Spherical(stiffness=2.0, damping=0.05))]*2)


def bounce(t, q, v, direction):
    """Of the first link off a wall; the second feels nothing."""
    v[0] = -0.7*v[0]


def wall(chain):
    at = chain.zero_state()[0][0]
    return [fd.Event(function=lambda t, q, v: 0.5*(q[0] - at) + 0.3, direction="falling", action=bounce, name="wall"),
            fd.Event(function=lambda t, q, v: v[1], name="turn")]


def run_of(chain, method, t_end=1.5, **more):
    return fd.simulate(chain, t_end, stepper=method, events=wall(chain), every=True, **WAY, **more)


@every_stepper
def test_a_stopped_run_goes_on_to_the_bit_with_its_events(method, tmp_path):
    whole = run_of(ARM, method)
    bounced = whole.events["event"] == 0
    assert whole.ok and 2 <= np.count_nonzero(bounced) <= 90 and not bounced.all()
    at_event = np.count_nonzero(np.diff(np.unique(whole.t)) > 0.0)
    after = [int(np.searchsorted(np.unique(whole.t), whole.events["time"][i])) for i in (0, len(bounced)//2)]
    for steps in (1, *after, after[0] + 1, at_event - 1):
        part = run_of(ARM, method, max_steps=steps)
        assert part.stats["steps"] == steps and "max_steps" in part.message
        part.checkpoint.save(tmp_path/"stop.npz")
        rest = run_of(ARM, method, start=fd.open_checkpoint(tmp_path/"stop.npz"))
        n = np.count_nonzero(whole.t < part.t[-1])
        assert rest.ok and rest.t[-1] == 1.5 and rest.stats == whole.stats
        assert np.array_equal(np.unique(np.concatenate([part.t, rest.t])), np.unique(whole.t))
        assert np.array_equal(part.q[:n], whole.q[:n])
        for ours, theirs in ((rest.t, whole.t), (rest.q, whole.q), (rest.v, whole.v)):
            assert np.array_equal(ours, theirs[len(theirs) - len(ours):])
        assert np.concatenate([part.events, rest.events]).tobytes() == whole.events.tobytes()


@pytest.mark.parametrize("method", [name for name in STEPPERS if not stepper(name).second_order])
def test_ball_joints_go_on_to_the_bit_and_go_where_others_say(method):
    start = {"v": [0.5, -0.3, 0.2, 0.1, 0.4, -0.2]}
    whole, usual = (fd.simulate(BALLS, 0.6, stepper=s, samples=4, rtol=1e-7, atol=1e-9, **start)
                    for s in (method, "dop853"))
    assert whole.ok and np.allclose(whole.q, usual.q, rtol=0, atol=2e-5)
    assert np.allclose(np.linalg.norm(whole.q.reshape(-1, 2, 4), axis=2), 1.0, rtol=0, atol=1e-15)
    part = fd.simulate(BALLS, 0.6, stepper=method, samples=4, rtol=1e-7, atol=1e-9, max_steps=5, **start)
    rest = fd.simulate(BALLS, 0.6, stepper=method, times=[0.6], rtol=1e-7, atol=1e-9, start=part.checkpoint)
    assert np.array_equal(rest.q[-1], whole.q[-1]) and np.array_equal(rest.v[-1], whole.v[-1])


@pytest.mark.parametrize("stiffness", [1e3, 1e7])
def test_radau5_turns_stiff_ball_joints(stiffness):
    """A rod on a ball joint whose spring is soft, or a thousand times stiffer than its motion: it stays straight."""
    rods = [fd.Link(length=0.6, mass=1.0, radius=0.1, joint=fd.Spherical(stiffness=k, damping=d))
            for k, d in ((0.0, 0.0), (stiffness, 1e-3*stiffness))]
    chain = fd.Chain(rods)
    run = fd.simulate(chain, 0.5, v=[0.0, 0.0, 1.0, 0.0, 0.0, 0.0], stepper="radau5", samples=6, rtol=1e-6, atol=1e-9)
    assert run.ok and run.stats["steps"] < 400
    one = fd.Chain([fd.Link(length=1.2, mass=2.0, radius=0.1, joint=fd.Spherical())])
    straight = fd.simulate(one, 0.5, v=[0.0, 0.0, 1.0], samples=6)
    assert np.allclose(run.q[:, :4], straight.q, rtol=0, atol=20.0/stiffness + 1e-5)


def test_a_checkpoint_of_another_chain_is_refused(tmp_path):
    part = fd.simulate(ARM, 1.0, max_steps=5)
    for other in (n_pendulum(2, angle=1.2, length=1.001), ARM.replace(gravity=(0.0, -9.8, 0.0)), n_pendulum(2)):
        with pytest.raises(fd.ModelError, match="the checkpoint is of another chain, or of this one"):
            fd.simulate(other, 1.0, start=part.checkpoint)
    part.checkpoint.save(tmp_path/"stop.npz")
    read = fd.open_checkpoint(tmp_path/"stop.npz")
    assert fd.simulate(n_pendulum(2, angle=1.2), 1.0, start=read).ok            # another one, with the same numbers
    with pytest.raises(fd.ModelError, match='stepper "dop853" and 4 components, the run of "dop853" and 6'):
        fd.simulate(n_pendulum(3), 1.0, start=read)
    with pytest.raises(fd.ModelError, match='stepper "dop853" and 4 components, the run of "rkf45" and 4'):
        fd.simulate(ARM, 1.0, stepper="rkf45", start=read)
    with pytest.raises(fd.ModelError, match=r"numbers of gap, the run .* go on with the same events"):
        fd.simulate(ARM, 1.0, start=read, events=wall(ARM))


def test_max_steps_are_those_of_the_call():
    part = fd.simulate(ARM, 1.0, max_steps=5)
    more = fd.simulate(ARM, 1.0, max_steps=5, start=part.checkpoint)
    straight = fd.simulate(ARM, 1.0, max_steps=10)
    assert more.stats["steps"] == 10 and more.checkpoint.y.tobytes() == straight.checkpoint.y.tobytes()


def test_a_checkpoint_that_is_not_whole_or_of_something_else(tmp_path):
    path = tmp_path/"stop.npz"
    fd.simulate(ARM, 1.0, max_steps=5).checkpoint.save(path)
    whole, read = path.read_bytes(), fd.open_checkpoint(path)
    for cut in range(0, len(whole), len(whole)//40):
        path.write_bytes(whole[:cut])
        with pytest.raises(fd.ModelError, match="not a checkpoint"):
            fd.open_checkpoint(path)
    for at in range(0, len(whole), len(whole)//120):
        flipped = bytearray(whole)
        flipped[at] ^= 1 << at % 8
        path.write_bytes(flipped)
        try:
            found = fd.open_checkpoint(path)
        except fd.ModelError as error:
            assert "not a checkpoint" in str(error) or "a checkpoint of format" in str(error)
        else:
            assert all(found.arrays[name].tobytes() == array.tobytes() for name, array in read.arrays.items())
    directory = whole.find(b"PK\x01\x02")
    for at in [*range(directory, directory + 60), *range(len(whole) - 22, len(whole))]:     # what leads to the arrays
        for bit in range(8):
            flipped = bytearray(whole)
            flipped[at] ^= 1 << bit
            path.write_bytes(flipped)
            try:
                found = fd.open_checkpoint(path)
            except fd.ModelError as error:
                assert "not a checkpoint" in str(error)
            else:
                assert all(found.arrays[name].tobytes() == array.tobytes() for name, array in read.arrays.items())
    np.save(tmp_path/"rows.npy", np.arange(3.0))
    with pytest.raises(fd.ModelError, match="not a checkpoint"):
        fd.open_checkpoint(tmp_path/"rows.npy")


@pytest.mark.parametrize("given, words", [
    ({"t": 0.0}, "t"), ({"q": [0.0, 0.0]}, "q"), ({"v": [0.0, 0.0], "t": 1.0}, "v, t")])
def test_a_checkpoint_and_a_state_or_a_time_are_too_much(given, words):
    part = fd.simulate(ARM, 1.0, max_steps=5)
    with pytest.raises(fd.ModelError, match=f"both start and {words} are given"):
        fd.simulate(ARM, 1.0, start=part.checkpoint, **given)


def test_no_event_is_lost_or_told_twice_where_one_ends_a_run():
    def events(terminal):
        return [fd.Event(function=lambda t, q, v: q[0] + 1.3, name="low", terminal=terminal)]

    whole = fd.simulate(ARM, 3.0, events=events(False))
    times, part = [], fd.simulate(ARM, 3.0, events=events(True))
    while part.status == STOPPED:
        times += part.events["time"].tolist()
        part = fd.simulate(ARM, 3.0, start=part.checkpoint, events=events(True))
    assert part.ok and len(times) > 2 and np.allclose(times, whole.events["time"], rtol=0, atol=1e-8)
