"""Will a scheme do for a system? How much a step of length dt can make of any motion, and where the limit lies."""

import warnings
from functools import cache
from typing import NamedTuple

import numpy as np

from ..describe.check import positive
from ..status import ModelError
from .run import StabilityWarning
from .schemes import scheme_of

STABLE = 1.0 + 1e-9
SLOWEST, FASTEST, GRID = 0.05, 1e4, 400             # of omega T, where a limit of stability is looked for
MOST = 400                                          # coordinates of a step that is written as a matrix
LOOKED_AT, FEW = 60, 20                             # most coordinates, fewest steps of runs looked at beforehand
SLIGHT = 1e-14                                      # of an inertia: what eliminating others leaves of it by rounding
FREE = 1e-13                                        # of the largest stiffness: what nothing holds


class Audit(NamedTuple):
    """What a scheme does to a chain or to small motions of an arm.

    radius : the largest factor by which a step multiplies a motion of the damped system; above one it is unstable.
    fastest : omega T of the fastest natural frequency.
    limit : omega T up to which the scheme is stable without damping; inf or 0.
    largest_dt : s, by that limit; inf, or 0 if no step is small enough.
    """

    radius: float
    fastest: float
    limit: float
    largest_dt: float

    @property
    def stable(self):
        return bool(self.radius <= STABLE)


def limit(scheme, damping=0.0):
    """The first omega T with a spectral radius above one, for a damping ratio; inf if there is none."""
    return _limit(scheme_of(scheme).main, damping)


@cache
def _limit(phase, damping):
    radius = lambda x: np.max(np.abs(np.linalg.eigvals(phase.amplification(x, damping))))
    grid = np.geomspace(SLOWEST, FASTEST, GRID)
    bad = next((i for i, x in enumerate(grid) if radius(x) > STABLE), None)
    if bad is None or bad == 0:
        return np.inf if bad is None else 0.0
    low, high = grid[bad - 1], grid[bad]
    for _ in range(40):
        middle = 0.5*(low + high)
        low, high = (low, middle) if radius(middle) > STABLE else (middle, high)
    return float(high)


def audit(system, dt, scheme, *more):
    """See TorsionChain.audit, BendingChain.audit, Arm.audit; more: what their matrices need besides."""
    return audit_of(*matrices_of(system, *more), positive(dt, "dt", "s"), scheme_of(scheme))


def audit_of(M, C, K, T, scheme):
    """An Audit of M u'' + C u' + K u = 0."""
    inner = np.linalg.inv(np.linalg.cholesky(M))
    K, C = (inner @ X @ inner.T for X in (K, C))
    squares = np.linalg.eigvalsh(K)
    fastest, edge = np.sqrt(max(float(squares[-1]), 0.0)), limit(scheme)
    largest = edge/fastest if fastest > 0.0 and 0.0 < edge < np.inf else edge
    if fastest == 0.0:
        largest = np.inf
    return Audit(_radius(C, K, T, scheme.main), float(fastest*T), edge, float(largest))


def warn_beforehand(system, T, scheme, steps, *more, name=None, stacklevel=4):
    """Whether the steps to come will make a motion of the system grow, said; long systems are seen afterwards only."""
    if steps < FEW or limit(scheme) == np.inf or system.size(*more) > LOOKED_AT:
        return False
    found = audit_of(*matrices_of(system, *more), T, scheme)
    growth = steps*np.log10(max(found.radius, 1.0))
    if growth > 1.0:
        most = found.largest_dt
        limit_said = f"dt up to {most:.3g} s would do" if most > 0.0 else "no dt is small enough"
        warnings.warn(f"{name or system.name}: {scheme.name} with dt = {T:.3g} s multiplies the fastest motion by "
                      f"{found.radius:.6g} in every step, by 1e{growth:.0f} in this run; without damping {limit_said}; "
                      'scheme="gen-alpha" is stable for every step', StabilityWarning, stacklevel=stacklevel)
    return growth > 1.0


def worthless(estimate, steps, system, T, scheme, *more):
    """Whether errors of that relative size in every step leave no digit at the end of a run.

    They gather as random numbers do, over as many steps as the slowest motion remembers.
    """
    if estimate >= 1.0 or estimate*np.sqrt(steps) < 1.0 or system.size(*more) > MOST:
        return bool(estimate >= 1.0)
    forgotten = 1.0 - audit_of(*matrices_of(system, *more), T, scheme).radius**2
    return bool(estimate**2 >= max(forgotten, 1.0/steps))


def matrices_of(system, *more):
    """(M, C, K) of small motions."""
    size = system.size(*more)
    if size > MOST:
        raise ModelError(f"{system.name} has {size} links or other coordinates; its step is looked at as a matrix, up "
                         f"to {MOST}")
    M, C, K = system.matrices(*more)
    check_inertia(system, M)
    return M, C, K


def check_inertia(system, M):
    """Refuse a mass matrix that leaves a motion without inertia."""
    try:
        pivots = np.diag(np.linalg.cholesky(M))**2
    except np.linalg.LinAlgError:
        pivots = np.zeros(len(M))
    if np.any(pivots <= SLIGHT*np.diag(M)):
        raise ModelError(f"{system.name}: some of its motions have no inertia, so no steps of their own: give every "
                         "link and the tip some")


def _radius(C, K, T, phase):
    """Spectral radius of one step of the whole system, mass matrix one; what moves freely keeps its speed."""
    sizes, shapes = np.linalg.eigh(T*T*K + T*C)
    held = shapes[:, sizes > FREE*max(float(sizes[-1]), np.finfo(float).tiny)]
    n = held.shape[1]
    if n == 0:
        return 1.0
    K, C = (held.T @ X @ held for X in (T*T*K, T*C))
    _, A, B, _ = phase.reduced
    x = -np.linalg.solve(np.eye(n) + phase.b*K + phase.g*C, np.hstack([K, C]))
    step = np.kron(A, np.eye(n))
    step[:, :2*n] += np.kron(B[:, None], x)
    radius = float(np.max(np.abs(np.linalg.eigvals(step))))
    return radius if n == len(shapes) else max(1.0, radius)
