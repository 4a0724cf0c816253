"""`gym_env`: a chain as an environment of Gymnasium, for programs that learn."""

from collections.abc import Callable
from functools import cache
from numbers import Real

import numpy as np

from ..describe.chain import Chain
from ..describe.check import not_negative, positive, shown
from ..layout import held_exactly
from ..run.asking import numbers, shape_of
from ..run.assembly import assemble
from ..run.loops import moved
from ..run.ticker import ticker
from ..run.wishes import plain
from ..status import ModelError, SimulationError
from . import needed

PIXELS = 480                # of a picture, along each side
AROUND = 1.1                # how much wider it is than the chain


def gym_env(system: Chain, drives=None, dt: float = 0.02, t_end: float = 10.0, *, reward, torque_limit=1.0, start=None,
            observe=None, done=None, events=(), render_mode: str | None = None, **settings):
    """A gymnasium.Env: actions are torques of drives, held for dt; observations are states (with the extra `gym`).

    Parameters
    ----------
    system : Chain.
    drives : names of the links whose joints are driven; all that have no drive of their own if not given.
    dt : of a step, s. t_end : s, after which an episode is truncated.
    reward : function reward(t, q, v, torque) of the state a step led to and the torques that did, a number.
    torque_limit : N m or N, what an action of 1 gives; one number, or one per driven coordinate. Actions are in a Box
        from -1 to 1, and cut to it.
    start : None, the chain's start; a number, by which at most each coordinate (rad, m) and velocity of it is moved, at
        random, closures closed again; or a function start(random) -> (q, v), random the environment's own generator.
    observe : None, q and v in a row; or a function observe(t, q, v) -> numbers. Observations are float32.
    done : None, or a function done(t, q, v) -> whether the episode is terminated. Terminal events do so too.
    events, **settings : as of `ticker`.
    render_mode : None, or "rgb_array": render() draws the chain, if matplotlib is there.

    Each step tells t, q, v in full and the names of its events in info. Motion that cannot go on, say because a number
    is not finite, truncates the episode, with the reason in info["message"]; what a function of yours raises is raised.

    Examples
    --------
    ::

        rod = fd.Chain([fd.Link(name="rod", length=1.0, mass=1.0)])
        env = fd.gym_env(rod, ["rod"], reward=lambda t, q, v, torque: np.sin(q[0]) - 0.001*torque[0]**2,
                         torque_limit=3.0, start=0.1)
        observation, info = env.reset(seed=1)
        observation, reward, terminated, truncated, info = env.step(env.action_space.sample())
    """
    made = _kind()
    for name, function in (("reward", reward), ("observe", observe), ("done", done)):
        if not isinstance(function, Callable) and (name == "reward" or function is not None):
            raise ModelError(f"{name} is {shown(function)}; give a function")
    if not (start is None or isinstance(start, Callable) or (isinstance(start, Real) and not isinstance(start, bool))):
        raise ModelError(f"start is {shown(start)}; give a number, or a function start(random) -> (q, v)")
    if render_mode not in (None, *Environment.metadata["render_modes"]):
        raise ModelError(f'render_mode is {shown(render_mode)}; give None or "rgb_array"')
    return made(system, ticker(system, dt, drives, events=events, **settings), positive(plain(t_end), "t_end", "s"),
                reward, torque_limit, start, observe, done, render_mode)


class Environment:
    """What `gym_env` gives besides being a gymnasium.Env.

    tick : the Ticker that moves the chain. torque_limit : of each driven coordinate, tick.inputs.
    """

    metadata = {"render_modes": ["rgb_array"], "render_fps": 50}     # noqa: RUF012  as Gymnasium asks for it

    def __init__(self, system, tick, t_end, reward, torque_limit, start, observe, done, render_mode):
        from gymnasium.spaces import Box

        self.system, self.tick, self.render_mode = system, tick, render_mode
        self.metadata = self.metadata | {"render_fps": max(1, round(1.0/tick.dt))}
        count = len(tick.inputs)
        limit = numbers(plain(torque_limit), (count,) if shape_of(torque_limit) else (), "torque_limit", tick.inputs)
        if not np.all(limit > 0.0):
            raise ModelError("torque_limit has a number that is not positive; give limits > 0")
        self.torque_limit = np.full(count, limit)
        self.steps, self.taken = max(1, int(np.ceil(t_end/tick.dt - 1e-9))), 0
        self._reward, self._done, self._observe = reward, done, observe
        self._start = start if start is None or callable(start) else not_negative(plain(start), "start")
        self.action_space = Box(-1.0, 1.0, (count,), np.float32)
        self.observation_space = Box(-np.inf, np.inf, self._observation().shape, np.float32)
        self._width = AROUND*_reach(system)

    def reset(self, *, seed=None, options=None):
        """Begin an episode; options are not used."""
        super().reset(seed=seed)
        self.tick.reset(*self._state())
        self.taken = 0
        return self._observation(), self._info()

    def step(self, action):
        """Go on by dt under an action."""
        action = numbers(action, (len(self.torque_limit),), "action", self.tick.inputs)
        torque, message = self.torque_limit*np.clip(action, -1.0, 1.0), ""
        try:
            self.tick(torque)
        except SimulationError as stopped:
            if stopped.__cause__ is not None:
                raise
            message = str(stopped)
        self.taken += 1
        t, q, v = self.tick.t, self.tick.q, self.tick.v
        terminated = self.tick.stopped or bool(self._done is not None and self._done(t, q, v))
        info = self._info() | ({"message": message} if message else {})
        truncated = bool(message) or self.taken >= self.steps
        return self._observation(), float(self._reward(t, q, v, torque)), terminated, truncated, info

    def render(self):
        """The chain as it stands, (480, 480, 3) numbers of 0 to 255, or None."""
        if self.render_mode is None:
            return None
        try:
            from matplotlib.backends.backend_agg import FigureCanvasAgg
            from matplotlib.figure import Figure
        except ImportError:
            return None
        from ..show.skeleton import on_page, strokes

        lines, joints = (on_page(self.system, points) for points in strokes(self.system, self.tick.q))
        self._width = max(self._width, AROUND*np.nanmax(np.abs(lines), initial=0.0))
        figure = Figure(figsize=(4.8, 4.8), dpi=PIXELS/4.8)
        canvas = FigureCanvasAgg(figure)
        axes = figure.add_axes((0.0, 0.0, 1.0, 1.0), aspect="equal", xlim=(-self._width, self._width),
                               ylim=(-self._width, self._width))
        axes.axis("off")
        axes.plot(*lines.T, color="#1f4e79", linewidth=3.0, solid_capstyle="round")
        axes.plot(*joints.T, "o", color="#b03a2e", markersize=5.0)
        canvas.draw()
        return np.asarray(canvas.buffer_rgba())[:, :, :3].copy()

    def _state(self):
        """(q, v) an episode starts from."""
        system, start = self.system, self._start
        if callable(start):
            return start(self.np_random)
        q, v = system.start_state()
        if start is None:
            return q, v
        q = moved(system, q, self.np_random.uniform(-start, start, system.nv))
        v = v + self.np_random.uniform(-start, start, system.nv)
        return assemble(system, q, v) if held_exactly(system.model) else (q, v)

    def _observation(self):
        t, q, v = self.tick.t, self.tick.q, self.tick.v
        seen = np.concatenate([q, v]) if self._observe is None else np.asarray(self._observe(t, q, v))
        return seen.astype(np.float32)

    def _info(self):
        tick = self.tick
        return {"t": tick.t, "q": tick.q, "v": tick.v,
                "events": [tick.event_names[number] for number in tick.events["event"]]}


def _reach(system):
    """m, no less than how far a chain with joints that turn comes from the base."""
    far = sum(np.linalg.norm(place) for place in system.joint_positions)
    return far + max(link.length for link in system.links) or 1.0


@cache
def _kind():
    """The class that is an environment of Gymnasium's and ours."""
    return type("ChainEnv", (Environment, needed("gymnasium", "Gymnasium", "gym").Env), {})
