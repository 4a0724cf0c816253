"""Where an arm comes to rest under its loads at t = 0: Newton's method on the stored energy, any deflection.

And what small motions about given angles are made of.
"""

import numpy as np

from ..describe.check import whole
from ..status import ModelError
from .motions import values

MOST = 60
CLOSE = 1e-13


def equilibrium(arm, steps=10) -> np.ndarray:
    """Angles of the hub and the links at rest, rad; loads grow in so many steps, so the branch of small ones is met.

    A motor with a torque and no servo has no rest of its own: its hub is held where the rotation starts.
    """
    start, _, _ = arm.rotation.at(0.0)
    th, steps = np.full(arm.n + 1, start), whole(steps, "steps", "loads that grow")
    for share in np.arange(1, steps + 1)/steps:
        th = _newton(arm, th, start, share, steps)
    return th


def _newton(arm, th, start, share, steps):
    links = arm.links
    pull, moment = _pulls(arm, share)
    stiff = _joined(links.stiffness)
    free = slice(1, None) if arm.driven or arm.servo is None else slice(None)
    for _ in range(MOST):
        s, c = np.sin(th), np.cos(th)
        slope = pull[:, 0]*s - pull[:, 1]*c + stiff @ (th - start) - moment
        hessian = stiff + np.diag(pull[:, 0]*c + pull[:, 1]*s)
        try:
            step = np.linalg.solve(hessian[free, free], slope[free])
        except np.linalg.LinAlgError:
            break
        th = th.copy()
        th[free] -= step
        if np.max(np.abs(step)) < CLOSE*(1.0 + np.max(np.abs(th))):
            return th
    raise ModelError(f"{arm.name}: no rest was found at {share:.3g} of the loads; give equilibrium(steps={10*steps}), "
                     "so that they grow more slowly, or springs to joints that have none")


def _pulls(arm, share):
    """(by link, (x, y)): forces that turn it, times their levers, N m; and moments on it, N m."""
    links, now = arm.links, np.zeros(1)
    forces, moment = share*links.mass[:, None]*np.array(arm.gravity), np.zeros(arm.n + 1)
    lever = links.com[:, None]*forces
    for station, *row in arm.acting:
        x, y, turning = (share*values(signal, now)[0] for signal in row)
        lever[station] += links.length[station]*np.array([x, y])
        forces[station] += x, y
        moment[station] += turning
    outside = np.vstack([np.cumsum(forces[::-1], axis=0)[::-1][1:], np.zeros(2)])
    return lever + links.length[:, None]*outside, moment


def _joined(k):
    """Springs before every link as a matrix."""
    return np.diag(k) + np.diag(np.append(k[1:], 0.0)) - np.diag(k[1:], 1) - np.diag(k[1:], -1)


def matrices(arm, angles):
    """See Arm.matrices."""
    links, n = arm.links, arm.n + 1
    lever = np.tril(np.broadcast_to(links.length, (n, n)), -1) + np.diag(links.com)      # of a link's centre, by link
    turned = np.subtract.outer(angles, angles)
    M = lever.T @ (links.mass[:, None]*lever)*np.cos(turned) + np.diag(links.inertia)
    free = slice(1, None) if arm.driven else slice(None)
    return tuple(X[free, free] for X in (M, _joined(links.damping), _joined(links.stiffness)))
