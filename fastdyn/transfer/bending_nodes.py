"""The nodes of a bending chain as numbers: what the parts between them are, masses and springs at them."""

import numpy as np

from .._jit import ready
from ..layout import aligned
from ..status import ModelError
from . import bending_steps as kernels
from .bending import BASES
from .stations import Hinge, Mass, Rigid, Span, Support


def nodes_of(chain, T, elements):
    """(kinds, numbers by node, node of every station); stiffness times T^2, damping times T."""
    kinds, columns, stations = [0], [np.zeros(kernels.PARTS)], [0]
    for part in chain.parts:
        if isinstance(part, Mass):
            columns[-1][kernels.NODE_M] += part.mass
            columns[-1][kernels.NODE_M + 2] += part.inertia
        elif isinstance(part, Support):
            kinds[-1] |= kernels.ACTED
            columns[-1][kernels.NODE_K:] += (T*T*part.stiffness, T*T*part.turning, T*part.damping,
                                             T*part.turning_damping)
        elif isinstance(part, Hinge):
            kinds.append(kernels.HINGE)
            columns.append(_column(K=(0.0, 0.0, T*T*part.stiffness), C=(T*part.damping,)))
        elif isinstance(part, Rigid):
            m, c = part.mass, 0.5*part.length if part.com is None else part.com
            I = m*part.length**2/12.0 if part.inertia is None else part.inertia
            kinds.append(kernels.RIGID)
            columns.append(_column(LENGTH=(part.length,), RR=(m, m*c, I + m*c*c)))
        elif isinstance(part, Span):
            many = elements if part.mass_per_length > 0.0 else 1
            for _ in range(many):
                kinds.append(kernels.ELEMENT)
                columns.append(_element(part.length/many, T*T*part.EI, part.mass_per_length))
        stations.append(len(kinds) - 1)
    parts = aligned((kernels.PARTS, len(kinds)))
    parts[:] = np.array(columns).T
    return np.array(kinds, np.int64), parts, np.array(stations)


def check_inertia(chain, elements):
    """Refuse a chain in which something moves that has no inertia."""
    kinds, parts, stations = nodes_of(chain, 1.0, elements)
    node = ready(kernels.factor)(kinds, parts, 0.0, 0.0, BASES.index(chain.base), aligned((kernels.DATA*len(kinds),)))
    if node >= 0:
        raise unmoved(chain, stations, node, 0.0)


def unmoved(chain, stations, node, b):
    """The refusal of a chain whose node gets no pivot; b = 0: where inertia alone is asked."""
    station = int(np.searchsorted(stations, node))
    if b == 0.0:
        return ModelError(f"{chain.name}: station {station} and all outside of it have no inertia against what moves "
                          "them: give them some, a Mass with inertia at the end or a Rigid with mass")
    return ModelError(f"{chain.name}: nothing holds station {station} and all outside of it: give it inertia, or the "
                      "chain another base or a Support where it is to rest")


def _column(**rows):
    column = np.zeros(kernels.PARTS)
    for name, numbers in rows.items():
        start = getattr(kernels, name)
        column[start:start + len(numbers)] = numbers
    return column


def element(l, EI, mu):
    """Hermite's cubic element in the motion of its inner node and what it is bent from there: RR, RD, DD, K."""
    m = mu*l
    return (np.array([[m, m*l/2], [m*l/2, m*l*l/3]]), np.array([[m/2, -m*l/12], [7*m*l/20, -m*l*l/20]]),
            np.array([[13*m/35, -11*m*l/210], [-11*m*l/210, m*l*l/105]]),
            np.array([[12*EI/l**3, -6*EI/l**2], [-6*EI/l**2, 4*EI/l]]))


def _element(l, EI, mu):
    RR, RD, DD, K = element(l, EI, mu)
    upper = lambda X: (X[0, 0], X[0, 1], X[1, 1])
    return _column(LENGTH=(l,), RR=upper(RR), RD=RD.ravel(), DD=upper(DD), K=upper(K))
