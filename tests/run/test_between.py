"""`run.at`: states between samples, as exact as the run; what cannot be done again is refused."""

from copy import copy

import numpy as np
import pytest

import fastdyn as fd
from fastdyn.results.spool import DRIVE

pytestmark = pytest.mark.kernels
ARM = fd.Chain([fd.Link(name="upper", length=1.0, mass=1.0), fd.Link(name="lower", length=0.7, mass=0.5)])


@pytest.fixture(scope="module")
def run():
    return fd.simulate(ARM, 2.0, [0.3, 1.0], [0.0, -1.0], samples=9)


def test_states_between_samples_are_as_exact_as_the_run(run):
    times = np.array([1.93, 0.1, 0.11, 1.2, 0.26])
    exact = fd.simulate(ARM, 2.0, [0.3, 1.0], [0.0, -1.0], times=np.sort(times), rtol=1e-13, atol=1e-13)
    order = np.argsort(np.argsort(times))
    q, v = run.at(times)
    assert np.abs(q - exact.q[order]).max() < 2e-8 and np.abs(v - exact.v[order]).max() < 2e-7
    assert np.abs(q - run.q[[7, 0, 0, 4, 1]]).max() > 0.01          # they are no samples


def test_every_time_is_answered_for_itself(run):
    q, v = run.at([0.3, 0.4, 0.26])
    for i, t in enumerate((0.3, 0.4, 0.26)):
        alone = run.at(t)
        assert alone[0].tobytes() == q[i].tobytes() and alone[1].tobytes() == v[i].tobytes()


def test_samples_are_given_as_they_are(run):
    q, v = run.at(run.t)
    assert q.tobytes() == run.q.tobytes() and v.tobytes() == run.v.tobytes()
    assert run.at(2.0)[0].shape == (2,) and run.at([])[0].shape == (0, 2)


def test_before_the_second_sample_bits_are_those_of_a_time_asked_for(run):
    wanted = fd.simulate(ARM, 2.0, [0.3, 1.0], [0.0, -1.0], times=[0.01])
    assert run.at(0.01)[0].tobytes() == wanted.q[0].tobytes()


def test_a_run_from_a_file_answers_too(run, tmp_path):
    run.save(tmp_path/"run.h5")
    again = fd.open(tmp_path/"run.h5")
    assert all(a.tobytes() == b.tobytes() for a, b in zip(again.at(0.6), run.at(0.6)))


@pytest.mark.parametrize("t, said", [
    (2.5, r"t is 2\.5 s and the run has states of 0 s to 2 s; give a time within, or run on"),
    (-1e-9, r"t is -1e-09 s and the run has states of 0 s to 2 s"),
    ("noon", "t holds <U4 instead of real numbers"), ([0.1, np.nan], r"t\[1\] is nan"), ([[0.1]], "t has shape"),
])
def test_what_is_no_time_of_the_run_is_refused(run, t, said):
    with pytest.raises(fd.ModelError, match=said):
        run.at(t)


def test_events_that_only_watch_do_not_matter(tmp_path):
    low = fd.Event(function=lambda t, q, v: q[0] + 1.3, name="low")
    run = fd.simulate(ARM, 1.0, [0.3, 0.0], samples=3, events=[low])
    exact = fd.simulate(ARM, 1.0, [0.3, 0.0], times=[0.99], rtol=1e-12)
    assert 0.5 < run.events["time"][0] < 0.99 and np.abs(run.at(0.99)[0] - exact.q[0]).max() < 1e-8
    run.save(tmp_path/"run.h5")
    opened = fd.open(tmp_path/"run.h5")                             # which knows no functions
    assert np.abs(opened.at(0.51)[0] - run.at(0.51)[0]).max() < 1e-9
    with pytest.raises(fd.ModelError, match=r'"low" at t = .* s may have changed the motion since the sample at'):
        opened.at(0.99)


def test_actions_are_not_done_twice():
    done = []

    def turn(t, q, v, direction):
        done.append(t)
        v[:] = -v

    back = fd.Event(function=lambda t, q, v: q[0] + 0.5, name="back", direction="falling", action=turn)
    run = fd.simulate(ARM, 1.0, [0.3, 0.0], samples=3, events=[back])
    (when,) = done
    q, v = run.at(when - 1e-3)
    assert 0.0 < q[0] + 0.5 < 1e-2 and v[0] < 0.0
    for t in (when, when + 1e-3):
        with pytest.raises(fd.ModelError, match=r'event "back" at t = .* actions are not done twice'):
            run.at(t)
    assert len(done) == 1


def test_a_run_that_touches_is_done_again_from_the_air():
    ground = fd.Ground(points=["ball"], contact=fd.Contact(law="hu-guo", stiffness=1e5, restitution=0.8))
    disc = fd.Body(mass=1.0, com=(0.0, 0.0, 0.0), inertia=np.diag([0.1, 0.1, 0.1]))
    ball = fd.Chain([fd.Link(name="ball", joint=fd.FreePlanar(), body=disc)], gravity=(0.0, -9.81, 0.0),
                    grounds=[ground], start_q=(0.0, 0.1, 0.0))
    run = fd.simulate(ball, 0.3, samples=301)
    (start,), (end,) = run.contacts["start"], run.contacts["end"]
    assert np.count_nonzero((run.t > start) & (run.t < end)) > 3
    for t in (start - 3e-4, 0.5*(start + end), end + 3e-4):
        exact = fd.simulate(ball, 0.3, times=[t], rtol=1e-11, atol=1e-13)
        assert abs(run.at(t)[0][1] - exact.q[0, 1]) < 1e-8 and abs(run.at(t)[1][1] - exact.v[0, 1]) < 1e-6
    half = fd.simulate(ball, float(0.5*(start + end)), samples=2)
    rest = fd.simulate(ball, 0.3, start=half.checkpoint, samples=301)
    with pytest.raises(fd.ModelError, match="something touches a ground at every sample up to"):
        rest.at(rest.t[0] + 1e-6)
    assert abs(rest.at(0.2871)[0][1] - run.at(0.2871)[0][1]) < 1e-7


def test_what_a_run_does_not_hold_is_told(run):
    without_drive, without_settings = copy(run), copy(run)
    without_drive.notes, without_settings.settings = (DRIVE,), {}
    with pytest.raises(fd.ModelError, match="the chain had a drive, which is not in the file the run is from"):
        without_drive.at(0.3)
    with pytest.raises(fd.ModelError, match="the run does not tell its settings"):
        without_settings.at(0.3)
