"""Codes that integrate the same pendulum with dynamics of their own; models are made before the clock runs.

Each takes tolerances in its own words. MuJoCo has no error control: its numbers of steps are tried instead.
"""

import importlib.util

import numpy as np

from .integrators import NumbaLsoda, Pendulum, SciPy

FIRST_STEP, LEAST_STEP = 1e-3, 1e-5                     # s: with the whole run as the first step it ends in infinity
MOST_STEP = 0.1                                         # s, Drake's usual one; without, it does not come back

_WORLD = """<mujoco><option integrator="RK4" gravity="{gravity}">
<flag contact="disable" constraint="disable"/></option><worldbody>{bodies}</worldbody></mujoco>"""
_BODY = """<body pos="{place} 0 0" quat="{turn}"><joint type="hinge" axis="0 0 1"/>
<inertial pos="{com} 0 0" mass="{mass}" diaginertia="{inertia}"/>"""


def _words(numbers):
    return " ".join(map(str, numbers))


class Mujoco(Pendulum):
    """MuJoCo with its own dynamics and its Runge-Kutta method of order four at fixed steps."""

    name = "MuJoCo RK4"

    def __init__(self, chain, t_end):
        import mujoco

        super().__init__(chain, t_end)
        places = [0.0, *(link.length for link in chain.links)]
        bodies = "".join(_BODY.format(
            place=place, turn=_words(link.turn), com=link.rigid_body.com[0], mass=link.rigid_body.mass,
            inertia=_words([link.rigid_body.inertia[2][2]]*3)) for place, link in zip(places, chain.links))
        text = _WORLD.format(gravity=_words(chain.gravity), bodies=bodies + "</body>"*len(chain.links))
        self.mujoco, self.model = mujoco, mujoco.MjModel.from_xml_string(text)
        self.data = mujoco.MjData(self.model)

    def tolerances(self, usual):
        """Numbers of steps instead, as their inverse"""
        return [1.0/steps for steps in (1000, 2000, 5000, 10_000, 20_000, 50_000, 100_000, 200_000)]

    def integrate(self, tolerance):
        steps = round(1.0/tolerance)
        self.model.opt.timestep = self.t_end/steps
        self.mujoco.mj_resetData(self.model, self.data)
        self.mujoco.mj_step(self.model, self.data, steps)
        return np.concatenate([self.data.qpos, self.data.qvel])


class Drake(Pendulum):
    """Drake's Simulator over a MultibodyPlant, error-controlled Runge-Kutta of order five, its highest order.

    Its accuracy is relative; the error of velocities counts as that of coordinates.
    """

    name = "Drake RK5"

    def __init__(self, chain, t_end):
        from pydrake.systems.analysis import ResetIntegratorFromFlags, Simulator

        from .peers.drake import Drake as Model

        super().__init__(chain, t_end)
        q, v = chain.zero_state()
        self.model = Model(chain, q, v, np.zeros_like(v), np.zeros_like(v))
        self.simulator = Simulator(self.model.plant, self.model.plant.CreateDefaultContext())
        self.integrator = ResetIntegratorFromFlags(self.simulator, "runge_kutta5", MOST_STEP)
        self.integrator.set_fixed_step_mode(False)

    def integrate(self, tolerance):
        context = self.simulator.get_mutable_context()
        context.SetTime(0.0)
        self.model.plant.SetPositionsAndVelocities(context, self.y)
        self.integrator.Reset()
        self.integrator.set_maximum_step_size(MOST_STEP)
        self.integrator.set_target_accuracy(tolerance)
        self.simulator.Initialize()
        try:
            self.simulator.AdvanceTo(self.t_end)
        except RuntimeError:                            # it wants a step below its smallest
            return np.full_like(self.y, np.nan)
        return self.model.plant.GetPositionsAndVelocities(context).copy()


class Exudyn(Pendulum):
    """Exudyn's kinematic tree in minimal coordinates, its pair of Dormand and Prince with automatic steps."""

    name = "Exudyn DOPRI5"

    def __init__(self, chain, t_end):
        import exudyn

        from .peers.exudyn import Exudyn as Model

        super().__init__(chain, t_end)
        q, v = chain.zero_state()
        self.mbs, self.settings = (model := Model(chain, q, v, np.zeros_like(v), np.zeros_like(v))).mbs, model.settings
        self.solver = exudyn.MainSolverExplicit
        steps = self.settings.timeIntegration
        steps.explicitIntegration.dynamicSolverType = exudyn.DynamicSolverType.DOPRI5
        steps.automaticStepSize, steps.endTime, steps.minimumStepSize = True, t_end, LEAST_STEP
        steps.numberOfSteps, steps.initialStepSize = 1, FIRST_STEP      # so few do not limit it
        self.settings.solutionSettings.sensorsWritePeriod = t_end

    def integrate(self, tolerance):
        steps = self.settings.timeIntegration
        steps.relativeTolerance = steps.absoluteTolerance = tolerance
        solved = self.solver().SolveSystem(self.mbs, self.settings)
        data = self.mbs.systemData
        final = np.concatenate([data.GetODE2Coordinates(), data.GetODE2Coordinates_t()])
        return final if solved and abs(data.GetTime() - self.t_end) < 1e-9 else np.full_like(self.y, np.nan)


class Diffrax(Pendulum):
    """diffrax in float64 on the processor, compiled by XLA before the clock runs: dense, in absolute angles."""

    def __init__(self, chain, t_end, method):
        import diffrax
        import jax
        import jax.numpy as jnp

        super().__init__(chain, t_end)
        self.name = f"diffrax {method}"
        jax.config.update("jax_enable_x64", True)
        mass, pull, upright = _absolute(chain)
        n = len(mass)

        def rate(t, y, _):
            angle, speed = y[:n] + upright, y[n:]
            between = angle[:, None] - angle
            across = jnp.stack([-jnp.sin(angle), jnp.cos(angle)], 1)
            forces = jnp.sum(pull*across, 1) - (mass*jnp.sin(between)) @ speed**2
            return jnp.concatenate([speed, jnp.linalg.solve(mass*jnp.cos(between), forces)])

        @jax.jit
        def solve(y, tolerance):
            found = diffrax.diffeqsolve(
                diffrax.ODETerm(rate), getattr(diffrax, method)(), 0.0, t_end, None, y, max_steps=10**6, throw=False,
                stepsize_controller=diffrax.PIDController(rtol=tolerance, atol=tolerance))
            return found.ys[-1], found.stats["num_steps"]

        self.solve = solve
        self.integrate(1e-3)

    def integrate(self, tolerance):
        q, v = np.split(self.y, 2)
        final, _ = self.solve(np.concatenate([np.cumsum(q), np.cumsum(v)]), tolerance)
        angle, speed = np.split(np.asarray(final), 2)
        return np.concatenate([np.diff(angle, prepend=0.0), np.diff(speed, prepend=0.0)])


def _absolute(chain):
    """Mass matrix at equal angles, weights on the links' arms, N m, the first one's angle to x, of links in a row."""
    bodies, length = [link.rigid_body for link in chain.links], np.array([link.length for link in chain.links])
    own, middle = np.array([body.mass for body in bodies]), np.array([body.com[0] for body in bodies])
    beyond = np.cumsum(own[::-1])[::-1] - own
    arm = own*middle + beyond*length                    # of what each link carries, itself included
    mass = np.triu(np.outer(length, arm), 1)
    inertia = [body.inertia[2][2] for body in bodies] + own*middle**2 + beyond*length**2
    w, _, _, z = chain.links[0].turn
    return mass + mass.T + np.diag(inertia), np.outer(arm, chain.gravity[:2]), 2.0*np.arctan2(z, w)


def energy(chain, y):
    """Kinetic and of weight, J, nothing at rest where all links lie at the height of the hinge."""
    mass, pull, upright = _absolute(chain)
    q, v = np.split(y, 2)
    angle, speed = np.cumsum(q) + upright, np.cumsum(v)
    kinetic = 0.5*speed @ (mass*np.cos(angle[:, None] - angle)) @ speed
    return float(kinetic - np.sum(pull*np.stack([np.cos(angle), np.sin(angle)], 1)))


OTHERS = [                                              # package, what is made of (chain, t_end)
    ("numbalsoda", lambda *to: NumbaLsoda(*to, "dop853")), ("numbalsoda", lambda *to: NumbaLsoda(*to, "lsoda")),
    ("scipy", lambda *to: SciPy(*to, "DOP853")), ("scipy", lambda *to: SciPy(*to, "LSODA")),
    ("exudyn", Exudyn), ("pydrake", Drake), ("mujoco", Mujoco),
    ("diffrax", lambda *to: Diffrax(*to, "Dopri8")), ("diffrax", lambda *to: Diffrax(*to, "Tsit5"))]


def available(chain, t_end):
    """The peers that are installed."""
    return [made(chain, t_end) for package, made in OTHERS if importlib.util.find_spec(package)]


def missing():
    """Packages of peers that are not."""
    return sorted({package for package, _ in OTHERS if not importlib.util.find_spec(package)})
