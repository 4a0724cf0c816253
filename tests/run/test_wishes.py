"""What cannot be run is refused in one sentence; what can be said in several ways is understood."""

import math

import numpy as np
import pytest

import fastdyn as fd
from fastdyn.describe.catalog import n_pendulum
from fastdyn.run import course
from fastdyn.status import NOT_FINITE, OUT_OF_TIME, STEP_TOO_SMALL, TOO_MANY_STEPS

BEHIND = fd.Event(function=lambda t, q, v: -1.0, direction="falling", terminal=True, name="ground")
REFUSED = {
    "no state": ({"q": [math.nan]}, r"q of link1 is nan"),
    "tolerance": ({"rtol": 0.0}, r"rtol is 0; give rtol > 0"),
    "tolerance that is no number": ({"atol": math.nan}, "atol is nan"),
    "ragged tolerance": ({"atol": [[1.0], [1.0, 2.0]]}, "atol is not an array of numbers"),
    "too fine": ({"rtol": 1e-17}, "sixteen digits"),
    "too coarse": ({"rtol": 2.0}, r"rtol is 2\.0, an error as large as the number itself; give one below 1"),
    "width of an event": ({"event_tol": 1000}, "event_tol is 1000; give a number of 1e-15 to 1"),
    "no width": ({"event_tol": 1e-20}, "event_tol is 1e-20; give a number of 1e-15 to 1"),
    "steps without end": ({"h_max": 1e-12, "t_end": 1.0}, r"1 s in steps of at most h_max = 1e-12 s are 1e\+12 steps, "
                          r"more than the 1e\+09 of max_steps; give a larger h_max"),
    "contacts without end": ({"policy": "flight-contact", "t_end": 1e7}, r"h_max = 0\.001 s are 1e\+10 steps"),
    "more than fits": ({"samples": 10**12}, r"samples is 1e\+12, of 2 numbers each 2\.4e\+04 GB, and this machine has"),
    "no end": ({"t_end": 0.0}, "t_end is 0 s; give t_end > 0"),
    "endless": ({"t_end": math.inf}, "t_end is inf; give a finite number in s"),
    "end that is no number": ({"t_end": None}, "t_end is None; give a number in s"),
    "backward": ({"t": 3.0, "t_end": 2.0}, "give a later end"),
    "start that is no number": ({"t": "a"}, "t holds <U1"),
    "times": ({"times": [0.0, 9.0]}, "times do not ascend from 0 s to at most 5 s"),
    "one time": ({"times": 0.5}, r"times is 0\.5; give one time or more in a row"),
    "no times": ({"times": []}, "times is .*; give one time or more"),
    "ragged times": ({"times": [[1.0], [1.0, 2.0]]}, "times is .*; give one time or more"),
    "words for times": ({"times": "now"}, "times is 'now'; give one time or more"),
    "samples": ({"samples": 1}, "samples is 1; give 2 or more"),
    "broken samples": ({"samples": 2.5}, r"samples is 2\.5; give 2 or more"),
    "every and times": ({"every": True, "times": [0.5, 0.1]}, "both every and times are given; every keeps"),
    "every and no samples": ({"every": True, "samples": -3}, "samples is -3; give 2 or more"),
    "steps no clock shows": ({"t": 1e9, "t_end": 1e9 + 0.25, "h_max": 1e-8},
                             r"h_max is 1e-08 s, but between 1e\+09 s and the next number there are 1\.19e-07 s"),
    "every": ({"every": 3}, "every is 3; give True or False"),
    "stepper": ({"stepper": "euler"}, 'stepper "euler" is not known; choose from bs32, '),
    "list of steppers": ({"stepper": ["x"]}, r"stepper is \['x'\]; choose from bs32, "),
    "formulation": ({"formulation": "newton"}, 'formulation "newton" is not known; choose from recursive, '),
    "formulation of a paper": ({"formulation": "lvs"}, 'formulation "lvs" is not known; Lagrange with virtual springs '
                               'is formulation="lagrange" and closures with stiffness'),
    "method of a paper": ({"method": "mdenoc"}, 'method is no setting of a run; DeNOC with virtual springs is '
                          'formulation="denoc" and closures with stiffness'),
    "method by its name": ({"method": "radau5"}, 'method is no setting of a run; write stepper="radau5"'),
    "method of others": ({"method": ["RK45"]}, "method is no setting of a run; the integrator is named by stepper"),
    "list of formulations": ({"formulation": ["x"]}, r"formulation is \['x'\]; choose from recursive, "),
    "setting": ({"h_least": 1.0}, "h_least: no such setting; there are"),
    "preset": ({"preset": "fast"}, 'preset "fast" is not known; choose from contact'),
    "list of presets": ({"preset": ["x"]}, r"preset is \['x'\]; choose from contact"),
    "policy": ({"policy": "walk"}, 'policy "walk" is not known; choose from none, flight-contact'),
    "list of policies": ({"policy": ["x"]}, r"policy is \['x'\]; choose from none, "),
    "no step": ({"h_max": 0.0}, "h_max is 0; give a number of 1e-300"),
    "no number": ({"h_max": None}, "h_max is None; give a number"),
    "truth": ({"h_max": True}, "h_max is True; give a number"),
    "steps crossed": ({"h_min": 1e-2, "h_max": 1e-3}, "give a smaller h_min"),
    "no step at all": ({"max_steps": 0}, "max_steps is 0; give a number of 1 to inf"),
    "no switch": ({"max_switches": 0}, "max_switches is 0; give a number of 1 to inf"),
    "half a step": ({"max_steps": 2.5}, r"max_steps is 2\.5; give a whole number"),
    "order": ({"stepper": "adams", "max_order": 13}, "max_order is 13; give a number of 1 to 12"),
    "spectral radius": ({"stepper": "gen-alpha", "rho": math.nan}, "rho is nan; give a number of 0 to 1"),
    "event": ({"events": [lambda t, q, v: 1.0]}, r"give Event\(function=\.\.\.\)"),
    "no event": ({"events": None}, r"events holds None; give Event\(function=\.\.\.\)"),
    "behind an event": ({"events": BEHIND}, 'event "ground" is -1 at the start'),
    "progress": ({"progress": 3}, r"progress is 3; give a function progress\(t, t_end, events\)"),
    "seconds in words": ({"max_seconds": "a"}, "max_seconds is 'a'; give a number of seconds > 0"),
    "no number of seconds": ({"max_seconds": math.nan}, "max_seconds is nan; give a number of seconds > 0"),
    "seconds before": ({"max_seconds": -1}, "max_seconds is -1; give a number of seconds > 0"),
    "no checkpoint": ({"start": 3}, r"start is 3; give run\.checkpoint"),
}


@pytest.mark.parametrize("case", REFUSED)
def test_what_cannot_be_run_is_refused_in_one_sentence(case):
    words, said = REFUSED[case]
    with pytest.raises(fd.ModelError, match=said) as refused:
        fd.simulate(n_pendulum(1), **words)
    assert "\n" not in str(refused.value)


@pytest.mark.parametrize("words, said", [
    ({"name": 3}, r"event\.name is 3; give a name"), ({"terminal": 1}, r"event\.terminal is 1; give True or False"),
    ({"direction": ["up"]}, r"event\.direction is \['up'\]"), ({"action": 3}, r"event\.action is 3; give a function"),
])
def test_events_that_make_no_sense_are_refused(words, said):
    with pytest.raises(fd.ModelError, match=said):
        fd.Event(function=lambda t, q, v: 1.0, **words)


def test_numbers_of_any_make_are_taken():
    usual = fd.simulate(n_pendulum(1), 1.0, samples=5, max_steps=1000, h_max=0.5, max_seconds=60)
    other = fd.simulate(n_pendulum(1), np.float32(1.0), samples=np.int64(5), max_steps=np.float64(1000.0),
                        h_max=np.float64(0.5), max_seconds=np.inf, t=0, every=np.bool_(False))
    assert np.array_equal(usual.q, other.q) and np.array_equal(usual.t, other.t)
    for times in ((0.0, 0.5, 1.0), np.array([0.0, 0.5, 1.0])):
        assert np.array_equal(fd.simulate(n_pendulum(1), 1.0, times=times, h_max=0.5).q, usual.q[::2])
    assert len(fd.simulate(n_pendulum(1), 3.0, times=range(4)).t) == 4


def test_tolerances_may_be_arrays_of_one():
    usual = fd.simulate(n_pendulum(1), 1.0, samples=5, rtol=1e-6, atol=1e-6, event_tol=1e-9, h_max=0.5)
    one = {name: np.array(x) for name, x in (("rtol", 1e-6), ("atol", 1e-6), ("event_tol", 1e-9), ("h_max", 0.5))}
    assert np.array_equal(fd.simulate(n_pendulum(1), np.array(1.0), samples=5, **one).q, usual.q)


def test_who_says_max_steps_means_it():
    run = fd.simulate(n_pendulum(1), 1.0, h_max=1e-12, max_steps=10)
    assert run.status == TOO_MANY_STEPS and run.stats["steps"] == 10
    assert fd.simulate(n_pendulum(1), 1.0, h_max=1e-12, max_seconds=0.01).status == OUT_OF_TIME


@pytest.mark.parametrize("there, helps", [(1e6, "adams, or dop853"), (5e6, "esdirk4, or adams, or dop853")])
def test_matrices_that_do_not_fit_are_refused_before_they_are_made(there, helps, monkeypatch):
    monkeypatch.setattr(course, "memory", lambda: there)
    chain = n_pendulum(200)
    with pytest.raises(fd.ModelError, match=r'stepper "radau5" keeps matrices of 400 components in 0\.0166 GB, and '
                                            rf"this machine has {there/1e9:.3g}; take {helps}$"):
        fd.simulate(chain, 1.0, stepper="radau5")
    assert fd.simulate(chain, 1e-3, samples=2).ok


def test_a_chain_that_cannot_move_is_refused():
    with pytest.raises(fd.ModelError, match="nothing can move"):
        fd.simulate(fd.Chain([fd.Link(length=1.0, mass=1.0, joint=fd.Fixed())]))
    with pytest.raises(fd.ModelError, match="system is 3; give a Chain"):
        fd.simulate(3)


@pytest.mark.parametrize("stepper", ["gen-alpha", "newmark"])
@pytest.mark.parametrize("joint", [fd.Spherical(), fd.Free()])
@pytest.mark.parametrize("links", [1, 2])
def test_steppers_of_second_order_refuse_coordinates_whose_rates_are_no_velocities(stepper, joint, links):
    parent = "base" if isinstance(joint, fd.Free) else "arm"
    balls = [fd.Link(name=f"ball{i}", parent=parent, length=1.0, mass=1.0, radius=0.1, joint=joint)
             for i in range(links)]
    chain = fd.Chain([fd.Link(name="arm", length=1.0, mass=1.0), *balls])
    with pytest.raises(fd.ModelError, match=f'stepper "{stepper}" .* link "ball0" are not; take radau5'):
        fd.simulate(chain, 1.0, stepper=stepper)


@pytest.mark.parametrize("stepper", ["gen-alpha", "newmark"])
def test_steppers_of_second_order_take_whatever_else_moves(stepper):
    links = [fd.Link(length=0.5, mass=1.0, radius=0.1, joint=joint) for joint in (
        fd.Universal(damping=0.1), fd.Prismatic(axis=(1.0, 0.0, 0.0), stiffness=50.0))]
    chain = fd.Chain(links)
    run, usual = (fd.simulate(chain, 0.5, samples=3, stepper=s, rtol=1e-7, atol=1e-7) for s in (stepper, "dop853"))
    assert run.ok and np.allclose(run.q, usual.q, rtol=0, atol=1e-4)


def test_steppers_of_second_order_refuse_grounds():
    with pytest.raises(fd.ModelError, match=r'"newmark" takes coordinates and velocities alone, .* ground\[0\]'):
        fd.simulate(fd.catalog.falling_chain(), 0.1, stepper="newmark")


def test_what_nobody_counted_is_not_told_as_nothing():
    """Steppers of second order count no works."""
    damped = fd.Chain([fd.Link(length=1.0, mass=1.0, joint=fd.Revolute(damping=0.3))])
    run, usual = (fd.simulate(damped, 0.5, samples=3, stepper=s, rtol=1e-7, atol=1e-7) for s in ("newmark", "dop853"))
    assert np.all(np.isnan(run.energy_defect)) and np.abs(usual.energy_defect).max() < 1e-4
    assert np.allclose(run.energy, usual.energy, rtol=0, atol=1e-4)


def test_limits_of_the_step_are_settings():
    """Steps of a pendulum that is let go grow by no more than they may; without a word by what the method allows."""
    chain = fd.Chain([fd.Link(length=1.0, mass=1.0)])

    def growth(**words):
        run = fd.simulate(chain, 1.0, every=True, h_first=1e-6, **words).check()
        return (np.diff(run.t)[1:]/np.diff(run.t)[:-1]).max()

    assert growth() > 4.0 and growth(stepper="radau5") > 4.0
    assert growth(grow=1.5) == pytest.approx(1.5) and growth(grow=3.0, stepper="radau5") == pytest.approx(3.0)


@pytest.mark.parametrize("words, said", [
    ({"grow": 1.0}, "grow is 1; give a number of 1.1 to 100"),
    ({"shrink": 2.0}, "shrink is 2; give a number of 0.01 to 0.9"),
    ({"grow": 3.0, "stepper": "adams"}, 'step size of stepper "adams" has no such number'),
    ({"damp": 0.04, "stepper": "radau5"}, 'step size of stepper "radau5" has no such number'),
])
def test_limits_of_the_step_that_cannot_be(words, said):
    with pytest.raises(fd.ModelError, match=said):
        fd.simulate(fd.Chain([fd.Link(length=1.0, mass=1.0)]), 1.0, **words)


def test_steps_that_never_end_are_not_begun():
    """A run at 1e30 rad/s takes 1e30 steps: it stops at its start, and says so."""
    run = fd.simulate(fd.Chain([fd.Link(length=1.0, mass=1.0)]*2), 1.0, v=[1e30, -1e30], max_seconds=60.0)
    assert run.status in (STEP_TOO_SMALL, NOT_FINITE) and run.stats["steps"] == 0
