"""Where an arm comes to rest under its loads at t = 0: Newton's method on the stored energy, any deflection.

And what small motions about given angles are made of.
"""

import numpy as np

from ..describe.check import whole
from ..status import ModelError
from .motions import values

MOST, PATIENCE = 60, 400                                # rounds of Newton's method, of a way down
CLOSE = 1e-13
FALLS = 1e-10                                           # of the stiffest motion: what is below zero by more gives way
PUSH, STRIDE = 0.05, 0.3                                # rad: off an unstable rest; at most in a round on the way down


def equilibrium(arm, steps=10) -> np.ndarray:
    """Angles of the hub and the links at rest, rad; loads grow in so many steps, so the branch of small ones is met.

    It is a stable rest: where that branch gives way, as a straight column above Euler's load does, the arm is pushed
    off it, to the side where the angle that turns most grows, and goes down to where it stays; the mirror image may be
    another such rest.
    A motor with a torque and no servo has no rest of its own: its hub is held where the rotation starts.
    """
    start, _, _ = arm.rotation.at(0.0)
    th, steps = np.full(arm.n + 1, start), whole(steps, "steps", "loads that grow")
    for share in np.arange(1, steps + 1)/steps:
        energy = Energy(arm, start, share)
        found = _newton(energy, th)
        if found is not None and energy.gives_way(found)[0]:
            found = _newton(energy, _down(energy, found))
        if found is None:
            raise ModelError(f"{arm.name}: no rest was found at {share:.3g} of the loads; give equilibrium(steps="
                             f"{10*steps}), so that they grow more slowly, or springs to joints that have none")
        th = found
    return th


class Energy:
    """What springs, weights and loads store in an arm, all that changes with the angles that are free, J."""

    def __init__(self, arm, start, share):
        self.start, self.stiff = start, _joined(arm.links.stiffness)
        self.pull, self.moment = _pulls(arm, share)
        self.free = slice(1, None) if arm.driven or arm.servo is None else slice(None)

    def __call__(self, th):
        bent = th - self.start
        return (0.5*bent @ self.stiff @ bent - self.moment @ th
                - self.pull[:, 0] @ np.cos(th) - self.pull[:, 1] @ np.sin(th))

    def slopes(self, th):
        """(gradient, Hessian) in the free angles."""
        s, c, free = np.sin(th), np.cos(th), self.free
        slope = self.pull[:, 0]*s - self.pull[:, 1]*c + self.stiff @ (th - self.start) - self.moment
        return slope[free], (self.stiff + np.diag(self.pull[:, 0]*c + self.pull[:, 1]*s))[free, free]

    def gives_way(self, th):
        """(whether some motion loses energy from this rest, the motion that loses most)"""
        sizes, shapes = np.linalg.eigh(self.slopes(th)[1])
        worst = shapes[:, 0]/shapes[np.argmax(np.abs(shapes[:, 0])), 0]
        return sizes[0] < -FALLS*np.max(np.abs(sizes)), worst

    def moved(self, th, step):
        th = th.copy()
        th[self.free] += step
        return th


def _newton(energy, th):
    """A rest near by, stable or not; None where there is none."""
    for _ in range(MOST):
        slope, hessian = energy.slopes(th)
        try:
            step = np.linalg.solve(hessian, slope)
        except np.linalg.LinAlgError:
            return None
        th = energy.moved(th, -step)
        if np.max(np.abs(step)) < CLOSE*(1.0 + np.max(np.abs(th))):
            return th
    return None


def _down(energy, th):
    """Near a stable rest, from one that is not: Newton's steps with the sizes of curvatures, so that all go down."""
    th = energy.moved(th, PUSH*energy.gives_way(th)[1])
    for _ in range(PATIENCE):
        slope, hessian = energy.slopes(th)
        sizes, shapes = np.linalg.eigh(hessian)
        step = -shapes @ ((shapes.T @ slope)/np.maximum(np.abs(sizes), FALLS*np.max(np.abs(sizes))))
        largest = np.max(np.abs(step))
        if largest < 1e-6 and sizes[0] > 0.0:
            break
        step *= min(1.0, STRIDE/largest)
        before = energy(th)
        while energy(energy.moved(th, step)) > before and np.max(np.abs(step)) > 1e-9:
            step *= 0.5
        th = energy.moved(th, step)
    return th


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
