"""What loads and moving bases can have brought into a run at most: more is a motion that the scheme made grow.

With H = kinetic + strain energy, dampers only taking, a load f brings in f . u' <= |f| sqrt(2 H), |f|^2 = f . M^-1 f:

    sqrt(2 H) <= sqrt(2 H_0) + integral of |f| dt

and about the rest u_s = K^-1 f, which moves as the load does, in the norm |f|^2 = f . K^-1 f instead,

    sqrt(2 H) <= sqrt(2 H_0) + |f_0| + max |f| + variation of f

Both hold for what the equations say, whatever the scheme. Derivation: docs/theory/transfer.md.
"""

import numpy as np

from ..status import GROWN, OK

MUCH = 10.0                                                 # over the bound of sqrt(2 H)
FLOOR = 1e-100


class Brought:
    """Bounds of one run; `pushing`, `resting`: norms of a unit of each load; `moved`: sqrt(2 H) of a unit of a base."""

    def __init__(self, pushing, resting, moved):
        self.pushing, self.resting, self.moved = pushing, resting, moved
        self.pushed, self.varied, self.base, self.before = 0.0, None, 0.0, None

    def by(self, loads, T):
        """Rows of loads, a step each."""
        columns = [np.ascontiguousarray(column) for column in loads.T]
        sums, sizes = _over_time(columns)
        self.base = max(self.base, float(norm_of(self.moved, sizes)))
        self.pushed += T*float(norm_of(self.pushing, sums))
        first = float(norm_of(self.resting, np.abs(loads[0] - (0.0 if self.before is None else self.before))))
        change = float(norm_of(self.resting, _over_time([np.diff(column) for column in columns])[0]))
        self.varied, self.before = (self.varied or 0.0) + 2.0*(first + change), loads[-1]

    def share(self, energies):
        """(sqrt(2 H) at the samples, what it can be at most)"""
        with np.errstate(all="ignore"):
            held = np.sqrt(2.0*np.maximum(sum(column for name, column in energies.items() if name != "gravity"), 0.0))
        return held, held[0] + 2.0*self.base + min(self.pushed, np.inf if self.varied is None else self.varied)

    def status(self, energies):
        """GROWN if the samples hold far more energy than there can be."""
        held, bound = self.share(energies)
        return GROWN if np.any(held > MUCH*bound + FLOOR) else OK


def _over_time(columns):
    """(sums of sizes, largest size) of columns of numbers; those that rest are cheap"""
    found = np.zeros((2, len(columns)))
    for i, column in enumerate(columns):
        if len(column) and (column[0] != 0.0 or np.any(column)):
            size = np.abs(column)
            found[:, i] = size.sum(), size.max()
    return found


def norm_of(sizes, amounts):
    """sum of sizes*amounts; what does not act does not count"""
    with np.errstate(invalid="ignore", over="ignore"):
        return np.sum(np.where(amounts == 0.0, 0.0, sizes*amounts))


def of_torsion(chain):
    """Of a torsion chain: its loads, then angle and rate of its base."""
    parents, inertia = np.array(chain.parents, int), np.array(chain.inertia)
    with np.errstate(divide="ignore", invalid="ignore"):
        softness = [0.0]
        for parent, k in zip(chain.parents, chain.stiffness):
            softness.append(softness[parent] + (1.0/k if k > 0.0 else np.inf))
        links = np.array([link for link, _ in chain.loads], int)
        on_base = np.flatnonzero(parents == 0)
        ways = [np.array(row)[on_base] for row in (chain.stiffness, chain.damping)]
        soft = np.array(softness)
        pushing = [*(1.0/np.sqrt(inertia[links - 1])), *(np.sum(way/np.sqrt(inertia[on_base])) for way in ways)]
        resting = [*np.sqrt(soft[links]),
                   *(norm_of(np.sqrt(soft[on_base + 1]), way) for way in ways)]
        moved = [0.0]*len(links) + [float(np.sqrt(np.sum(ways[0]))), 0.0]
    return Brought(np.array(pushing), np.array(resting), np.array(moved))


class OfArm(Brought):
    """Of an arm, which moves as far as it likes: loads in the frame of a motor that turns as prescribed.

    There weight counts as a load, the motor by centrifugal forces and those of its acceleration on every link as far
    out as it can be; a link takes a force at its end by its own mass and inertia.
    """

    def __init__(self, arm):
        made = arm.links
        reach = np.cumsum(made.length) - made.length + np.maximum(made.length, np.abs(made.com))
        about, whole = np.sqrt(np.sum(made.mass*reach**2 + made.inertia)), np.sqrt(np.sum(made.mass))
        self.driven, self.about = arm.driven, about
        self.weight = whole*float(np.hypot(*arm.gravity))
        with np.errstate(divide="ignore", invalid="ignore"):
            ends = np.sqrt(_over(1.0, made.mass) + _over((made.length - made.com)**2, made.inertia))
            turns = np.sqrt(_over(1.0, made.inertia))
            hub = made.inertia[0] + made.mass[0]*made.com[0]**2
            ends[0], turns[0] = (0.0, 0.0) if arm.driven else (made.length[0]/np.sqrt(hub), 1.0/np.sqrt(hub))
        links = [station for station, *_ in arm.acting]
        k, c = made.stiffness[0], made.damping[0]
        servo = 0.0 if arm.driven else np.sqrt(k) + c*turns[0]
        pushing = [0.0, servo, 0.0, turns[0], *(x for j in links for x in (ends[j], ends[j], turns[j]))]
        super().__init__(np.array(pushing), np.full(len(pushing), np.inf), np.zeros(len(pushing)))

    def by(self, loads, T):
        rate, acceleration = loads[:, 1], loads[:, 2]
        self.pushed += T*self.weight*len(loads)
        if self.driven:
            self.base = max(self.base, self.about*float(np.max(np.abs(rate))))
            self.pushed += T*self.about*float(np.sum(rate**2 + np.abs(acceleration)))
        self.pushed += T*float(norm_of(self.pushing, np.sum(np.abs(loads), axis=0)))


def _over(x, y):
    """x/y, zero where x is"""
    return np.where(x == 0.0, 0.0, x/y)
