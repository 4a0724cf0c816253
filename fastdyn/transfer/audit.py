"""Will a scheme do for a chain? How much a step of length dt can make of any motion, and where the limit lies."""

from typing import NamedTuple

import numpy as np

from ..status import ModelError
from .schemes import scheme_of

STABLE = 1.0 + 1e-9
SLOWEST, FASTEST, GRID = 0.05, 1e4, 400             # of omega T, where a limit of stability is looked for
MOST = 400                                          # links whose step is written as a matrix


class Audit(NamedTuple):
    """What a scheme does to a chain.

    radius : the largest factor by which a step multiplies a motion of the damped chain; above one it is unstable.
    fastest : omega T of the fastest natural frequency.
    limit : omega T up to which the scheme is stable without damping; inf or 0.
    largest_dt : s, by that limit; inf or 0.
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
    phase = scheme_of(scheme).main
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


def audit(chain, dt, scheme):
    """See TorsionChain.audit."""
    scheme = scheme_of(scheme)
    if chain.n > MOST:
        raise ModelError(f"{chain.name} has {chain.n} links; its step is looked at as a matrix, up to {MOST} links")
    fastest = float(chain.natural_frequencies()[-1])
    edge = limit(scheme)
    largest = edge if edge in (0.0, np.inf) else edge/fastest
    return Audit(_radius(chain, dt, scheme.main), fastest*dt, edge, largest)


def _radius(chain, T, phase):
    """Spectral radius of one step of the whole chain."""
    n, (_, A, B, _) = chain.n, phase.reduced
    joint = (np.eye(n + 1)[1:] - np.eye(n + 1)[np.array(chain.parents, int)])[:, 1:]
    K, C = (joint.T @ (np.array(row)[:, None]*joint) for row in (T*T*np.array(chain.stiffness),
                                                                 T*np.array(chain.damping)))
    x = -np.linalg.solve(np.diag(chain.inertia) + phase.b*K + phase.g*C, np.hstack([K, C]))
    step = np.kron(A, np.eye(n))
    step[:, :2*n] += np.kron(B[:, None], x)
    return float(np.max(np.abs(np.linalg.eigvals(step))))
