"""The motion of a chain left to itself, from rest with all joints at zero, sampled at equal times.

Integrator: DOP853 [Hairer, Norsett & Wanner 1993, II.10] as SciPy has it.
"""

import time
from itertools import pairwise
from typing import NamedTuple

import numpy as np

from ..describe.chain import Chain
from ..describe.check import positive
from ..status import NOT_FINITE, ModelError, SimulationError
from .coordinates import Coordinates
from .dynamics import forward_dynamics
from .places import kinetic_energy, potential_energy

RTOL, ATOL = 1e-10, 1e-12


class FreeMotion(NamedTuple):
    """What a run leaves: one row per sample, and what it took."""

    chain: Chain
    t: np.ndarray           # s
    q: np.ndarray
    v: np.ndarray
    kinetic: np.ndarray     # J
    potential: np.ndarray   # J: gravity, springs, limits
    steps: int
    evaluations: int        # of the forward dynamics
    seconds: float          # on the clock, kernels ready

    @property
    def energy(self):
        return self.kinetic + self.potential

    @property
    def energy_scale(self):
        """What a change of the energy is compared with: the most that was kinetic at any time, J."""
        return float(np.max(self.kinetic)) or float(np.ptp(self.potential)) or 1.0

    @property
    def energy_change(self):
        """The energy's change since the start, relative to its scale, at every sample."""
        return (self.energy - self.energy[0])/self.energy_scale


def free_motion(chain, t_end: float = 5.0, samples: int = 501, at=None):
    """Integrate a chain from rest at zero coordinates under gravity and whatever its links and joints carry.

    Parameters
    ----------
    chain : Chain.
    t_end : how long, s.
    samples : number of equally spaced states to keep, start and end among them.
    at : None or a function called after every step with the time that has been reached and t_end, s.

    Returns
    -------
    FreeMotion
    """
    t_end = positive(t_end, "t_end", "s")
    if samples < 2:
        raise ModelError(f"samples is {samples}; give 2 or more, the start and the end are among them")
    if chain.nv == 0:
        raise ModelError("nothing can move: no joint of the chain has a degree of freedom; give one that is not fixed")
    coordinates = Coordinates(chain)
    q, v = chain.zero_state()
    forward_dynamics(chain, q, v)                           # compiles what is not on the disk
    began = time.perf_counter()
    t = np.linspace(0.0, t_end, samples)
    start, tell = np.concatenate([q, v]), at or (lambda t, t_end: None)
    states, steps, evaluations = _integrate(chain, coordinates, start, t, tell)
    seconds = time.perf_counter() - began
    q, v = coordinates.normalized(states[:, :chain.nq]), states[:, chain.nq:]
    kinetic = np.array([kinetic_energy(chain, *state) for state in zip(q, v)])
    potential = np.array([potential_energy(chain, state) for state in q])
    return FreeMotion(chain, t, q, v, kinetic, potential, steps, evaluations, seconds)


def _integrate(chain, coordinates, y, times, at):
    """States at `times`, number of steps, number of evaluations.

    Every time is the end of a step: the dense output between steps is ten times less accurate than they are.
    """
    from scipy.integrate import DOP853

    nq, states, steps, evaluations, h = chain.nq, [y], 0, 0, None

    def rate(t, y):
        q, v = coordinates.normalized(y[:nq]), y[nq:]
        return np.concatenate([coordinates.rate(q, v), forward_dynamics(chain, q, v, t=t)])

    for start, end in pairwise(times):
        solver = DOP853(rate, start, states[-1], end, rtol=RTOL, atol=ATOL, first_step=h and end - start)
        solver.h_abs = h or solver.h_abs                    # may lead beyond the end: then the step is cut to fit
        h = 0.0
        while solver.status == "running":
            solver.step()
            if solver.status == "failed":
                raise SimulationError(NOT_FINITE, f"t = {solver.t:.9g} s")
            steps, h = steps + 1, max(h, solver.step_size)
            at(solver.t, times[-1])
        h = max(h, solver.h_abs)
        states.append(solver.y)
        evaluations += solver.nfev
    return np.array(states), steps, evaluations


def not_conserved_by(chain):
    """The first thing that feeds or drains the energy, in words; "" when the energy has to stay what it is."""
    if chain.drive is not None:
        return "the chain has a drive"
    for link in chain.links:
        for field in ("damping", "limit_damping"):
            if any(link.joint.per_velocity(field)):
                return f'link "{link.name}" has joint.{field}'
        if getattr(link.joint, "drive", ()):
            return f'link "{link.name}" has joint.drive'
        if link.loads:
            return f'link "{link.name}" has loads'
    return ""
