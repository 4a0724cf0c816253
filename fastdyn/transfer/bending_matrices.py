"""A bending chain as matrices, for roots with damping and for the audit of a scheme: M u'' + C u' + K u.

Coordinates: what the base leaves free of deflection and slope, the slope behind every hinge, and what every element of
a span is bent, (6) of docs/theory/transfer.md.
"""

import numpy as np

from .bending_nodes import element
from .stations import Hinge, Mass, Rigid, Span, Support

FREE = {"clamped": 0, "pinned": 1, "free": 2}


def size(chain, elements):
    """How many coordinates there are."""
    bent = sum(_cuts(part, elements) for part in chain.parts if isinstance(part, Span))
    return FREE[chain.base] + sum(isinstance(part, Hinge) for part in chain.parts) + 2*bent


def _cuts(span, elements):
    return elements if span.mass_per_length > 0.0 else 1


def matrices(chain, elements):
    """M, C, K in those coordinates."""
    many, free = size(chain, elements), FREE[chain.base]
    unit, (M, C, K) = np.eye(many), np.zeros((3, many, many))
    y, phi = (unit[0] if free == 2 else np.zeros(many)), (unit[free - 1] if free else np.zeros(many))
    add = lambda X, x, amount: np.add(X, amount*np.outer(x, x), out=X)
    for part in chain.parts:
        if isinstance(part, Rigid):
            c = 0.5*part.length if part.com is None else part.com
            add(M, y + c*phi, part.mass)
            add(M, phi, part.mass*part.length**2/12.0 if part.inertia is None else part.inertia)
            y = y + part.length*phi
        elif isinstance(part, Hinge):
            turned, free = unit[free], free + 1
            add(K, turned - phi, part.stiffness)
            add(C, turned - phi, part.damping)
            phi = turned
        elif isinstance(part, Mass):
            add(M, y, part.mass)
            add(M, phi, part.inertia)
        elif isinstance(part, Support):
            add(K, y, part.stiffness)
            add(C, y, part.damping)
            add(K, phi, part.turning)
            add(C, phi, part.turning_damping)
        else:
            l = part.length/_cuts(part, elements)
            RR, RD, DD, stiff = element(l, part.EI, part.mass_per_length)
            for _ in range(_cuts(part, elements)):
                inner, d = np.array([y, phi]), unit[free:free + 2]
                cross = inner.T @ RD @ d
                M += inner.T @ RR @ inner + cross + cross.T + d.T @ DD @ d
                K += d.T @ stiff @ d
                y, phi, free = y + l*phi + d[0], phi + d[1], free + 2
    return M, C, K
