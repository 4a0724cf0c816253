"""Where an arm comes to rest under its loads at t = 0: Newton's method on the stored energy, any deflection."""

import numpy as np

from ..status import NEWTON_FAILED, SimulationError
from .motions import values

MOST = 60
CLOSE = 1e-13


def equilibrium(arm, steps=10) -> np.ndarray:
    """Angles of the hub and the links at rest, rad; loads grow in so many steps, so the branch of small ones is met.

    A motor with a torque and no servo has no rest of its own: its hub is held where the rotation starts.
    """
    start, _, _ = arm.rotation.at(0.0)
    th = np.full(arm.n + 1, start)
    for share in np.arange(1, steps + 1)/steps:
        th = _newton(arm, th, start, share)
    return th


def _newton(arm, th, start, share):
    links, gravity, now = arm.links, share*np.array(arm.gravity), np.zeros(1)
    force = share*np.array([values(x, now)[0] for x in arm.tip_force])
    moment = share*values(arm.tip_moment, now)[0]
    outside = np.concatenate([np.cumsum(links.mass[::-1])[::-1][1:], [0.0]])
    pull = links.length[:, None]*(force + outside[:, None]*gravity) + (links.mass*links.com)[:, None]*gravity
    k = links.stiffness[1:]
    free = slice(1, None) if arm.servo is None else slice(None)
    for _ in range(MOST):
        s, c = np.sin(th), np.cos(th)
        stretch = k*np.diff(th)
        slope = pull[:, 0]*s - pull[:, 1]*c
        slope[:-1] -= stretch
        slope[1:] += stretch
        slope[-1] -= moment
        hessian = np.diag(pull[:, 0]*c + pull[:, 1]*s)
        hessian += np.diag(np.append(k, 0.0)) + np.diag(np.append(0.0, k)) - np.diag(k, 1) - np.diag(k, -1)
        if arm.servo is not None:
            slope[0] += links.stiffness[0]*(th[0] - start)
            hessian[0, 0] += links.stiffness[0]
        step = np.linalg.solve(hessian[free, free], slope[free])
        th = th.copy()
        th[free] -= step
        if np.max(np.abs(step)) < CLOSE:
            return th
    raise SimulationError(NEWTON_FAILED, f"{arm.name} at rest")
