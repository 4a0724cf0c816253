"""A stretch of a torsion chain as one part with two ends, and the product that joins such parts: Redheffer's star.

Instead of (angle, torque) outside by those inside, a part takes what it is given at either end to what it gives back:

    th_out = r th_in + c tau_out          tau_in = r tau_out - k th_in

One joint and its link: d = Z + I s^2, r = Z/d, c = 1/d, k = r I s^2 with Z = k_j + c_j s. A part A and B outside of it:

    e = 1/(1 + c_A k_B),    r = r_A e r_B,    c = c_B + r_B e c_A r_B,    k = k_A + r_A e k_B r_A

It is associative, so stretches may be joined in any order, here in pairs, all pairs at once; and where s > 0 nothing in
it cancels and no number is larger than those of a spring, where products of transfer matrices grow as a power of n.
Derivation: docs/theory/transfer.md. Source: [Redheffer 1960].
"""

from typing import NamedTuple

import numpy as np

from ..describe.check import kind_of, shown
from ..status import ModelError
from .rows import frequencies_of, with_limits


class TwoPort(NamedTuple):
    """r: without unit; c: rad/(N m), what the outer end gives way; k: N m/rad, what the inner end resists."""

    r: np.ndarray
    c: np.ndarray
    k: np.ndarray


def star(inner: TwoPort, outer: TwoPort) -> TwoPort:
    """Both as one."""
    for part, what in ((inner, "inner"), (outer, "outer")):
        kind_of(part, TwoPort, what)
    e = 1.0/(1.0 + inner.c*outer.k)
    return TwoPort(inner.r*e*outer.r, outer.c + outer.r*e*inner.c*outer.r, inner.k + inner.r*e*outer.k*inner.r)


def two_port(chain, s, first, last):
    """See TorsionChain.two_port."""
    if chain.branched:
        raise ModelError("a tree has more than two ends; two_port knows chains without branches")
    last = chain.n if last == -1 else last
    whole = all(isinstance(x, (int, np.integer)) and not isinstance(x, bool) for x in (first, last))
    if not whole or not 1 <= first <= last <= chain.n:
        raise ModelError(f"first is {shown(first)} and last {shown(last)}; give links in 1..{chain.n}, the inner first")
    s, links = frequencies_of(s, "s", complex), slice(first - 1, last)
    row = lambda numbers: np.array(numbers)[links][:, None]

    def joined(s):
        """r, c, k in a row"""
        Z, J = row(chain.stiffness) + row(chain.damping)*s, row(chain.inertia)*s*s
        d = Z + J
        parts = TwoPort(Z/d, 1.0/d, Z/d*J)
        while len(parts.r) > 1:
            even = len(parts.r)//2*2
            pairs = star(*(TwoPort(*(x[start:even:2] for x in parts)) for start in (0, 1)))
            parts = TwoPort(*(np.concatenate([x, y[even:]]) for x, y in zip(pairs, parts)))
        return np.array([x[0] for x in parts])

    return TwoPort(*with_limits(joined, s.ravel()).reshape(3, *s.shape))
