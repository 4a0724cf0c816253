"""A chain as an environment of Gymnasium: its own checker, seeds, episodes, refusals."""

import numpy as np
import pytest

import fastdyn as fd
from fastdyn.control import needed
from fastdyn.status import ModelError

pytestmark = pytest.mark.usefixtures("one_ladder")


def test_what_is_missing_is_said_with_the_command_that_gets_it():
    with pytest.raises(ModelError, match=r'^Gym is not installed; get it with: pip install "fastdyn\[gym\]"$'):
        needed("no_such_package", "Gym", "gym")


@pytest.fixture
def checker():
    return pytest.importorskip("gymnasium.utils.env_checker", reason='Gymnasium is not there: pip install ".[gym]"')


def arm():
    return fd.Chain([fd.Link(name="upper", length=0.4, mass=2.0, radius=0.03),
                     fd.Link(name="lower", length=0.3, mass=1.0, radius=0.02)], start_q=[0.3, -0.5])


def made(system=None, drives=("lower",), **words):
    words = {"reward": lambda t, q, v, torque: -float(torque @ torque), "t_end": 0.2, "start": 0.1,
             "torque_limit": 4.0} | words
    return fd.gym_env(arm() if system is None else system, drives, **words)


@pytest.mark.filterwarnings("ignore:.*A Box observation space:UserWarning", "ignore:.*not having a spec:UserWarning")
def test_gymnasium_finds_nothing_wrong(checker):
    pytest.importorskip("matplotlib")
    checker.check_env(made(render_mode="rgb_array"))


def test_an_episode_is_what_the_ticker_does(checker):
    env, tick = made(start=None), fd.ticker(arm(), 0.02, ["lower"])
    seen, info = env.reset(seed=1)
    assert np.array_equal(seen, np.float32([0.3, -0.5, 0.0, 0.0])) and info["t"] == 0.0
    for k in range(10):
        seen, reward, terminated, truncated, info = env.step(np.float32([0.5 - 0.25*(k % 3)]))
        q, v = tick([2.0 - (k % 3)])
        assert np.array_equal(info["q"], q) and np.array_equal(seen, np.concatenate([q, v]).astype(np.float32))
        assert reward == -(2.0 - (k % 3))**2 and not terminated and truncated == (k == 9)
    assert info["t"] == pytest.approx(0.2)
    assert env.step([7.0])[1] == -16.0                              # cut to the limit


def test_seeds_make_starts(checker):
    env = made()
    first, again, other = (env.reset(seed=seed)[0] for seed in (5, 5, 6))
    assert np.array_equal(first, again) and not np.array_equal(first, other)
    assert np.abs(first - [0.3, -0.5, 0.0, 0.0]).max() <= 0.1 and not np.array_equal(env.reset()[0], other)
    env = made(start=lambda random: (random.normal(size=2), [1.0, 2.0]))
    assert np.array_equal(env.reset(seed=5)[0], env.reset(seed=5)[0]) and env.reset()[0][3] == 2.0


def test_starts_close_loops(checker):
    chain = fd.catalog.four_bar()
    env = made(chain, None if not chain.links[0].joint.drive else [chain.links[1].name])
    for seed in range(3):
        _, info = env.reset(seed=seed)
        assert np.abs(fd.gaps(chain, info["q"])).max() < 1e-9


def test_done_and_terminal_events_terminate(checker):
    low = fd.Event(function=lambda t, q, v: q[0] + 0.2, direction="falling", terminal=True, name="low")
    for words in ({"events": low}, {"done": lambda t, q, v: q[0] < -0.2}):
        env, terminated, count = made(start=None, t_end=5.0, **words), False, 0
        env.reset()
        while not terminated:
            _, _, terminated, truncated, info = env.step([0.0])
            count += 1
        assert not truncated and count < 50 and info["events"] == ["low"]*("events" in words)
        assert env.reset()[1]["t"] == 0.0


def test_motion_that_cannot_go_on_is_truncated_and_said(checker):
    env = made(start=None, max_steps=3, t_end=9.0)
    env.reset()
    for _ in range(99):
        _, _, terminated, truncated, info = env.step([1.0])
        if truncated:
            break
    assert not terminated and "reached max_steps" in info["message"]


def test_observations_of_ones_own_and_pictures(checker):
    pytest.importorskip("matplotlib")
    env = made(observe=lambda t, q, v: [np.cos(q[0]), np.sin(q[0])], render_mode="rgb_array")
    seen, _ = env.reset(seed=1)
    assert env.observation_space.shape == (2,) and seen @ seen == pytest.approx(1.0)
    picture = env.render()
    assert picture.shape == (480, 480, 3) and picture.dtype == np.uint8 and 100 < (picture < 128).any(axis=2).sum()
    assert made().render() is None


@pytest.mark.parametrize("words, said", [
    ({"reward": 1.0}, "reward is 1; give a function"),
    ({"start": "noise"}, "start is 'noise'; give a number, or a function"),
    ({"start": -1.0}, "start is -1"),
    ({"torque_limit": [1.0, 2.0]}, r"torque_limit has shape \(2,\); give shape \(1,\)"),
    ({"torque_limit": 0.0}, "torque_limit has a number that is not positive"),
    ({"render_mode": "human"}, "render_mode is 'human'; give None or"),
    ({"t_end": 0.0}, "t_end is 0 s"),
    ({"drives": ["tip"]}, 'link "tip" is not in this chain'),
])
def test_what_cannot_be_is_refused(checker, words, said):
    with pytest.raises(ModelError, match=said):
        made(**words)
