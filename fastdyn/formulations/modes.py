"""The mode of a contact whose friction jumps at rest: the friction it stands for, its switching functions, its room.

A point that is let go may still slip against its way, by what no impulse stops. So much room it has, kept as the
fraction of its mode, before its function tells that it came to rest. Derivation in docs/theory/contact.md.
"""

import math

from .._jit import leaf
from ..laws.friction import creeping_friction, holding_force, rest_speed, slipping_force
from ..layout import CONTACT_FRICTION, CONTACT_FRICTION_NUMBERS
from .sticking import BREAKS, CREEPS, SLIPS, STICKS, grip_of

AT_REST = 1e-10             # m/s: slower, at a switch, is rest
ROOM = 1e-15                # m/s: rounding of a slip, and of a mode that has room
EDGE = 0.01                 # of a band: how thick its edge is
DRIFT = 1e-14               # m/s: a point that sticks and is faster is stopped after a step


@leaf
def kind_of(mode): return math.floor(abs(mode))


@leaf
def room_of(mode):
    """m/s against its way that a point still had when it was let go"""
    return abs(mode) - kind_of(mode)


@leaf
def with_room(mode, slip):
    """The mode of a point that slips, with room for a slip against its way; none once it moves its way"""
    against = -slip if mode > 0.0 else slip
    return math.copysign(kind_of(mode) + (max(against, 0.0) + ROOM if -ROOM < against <= AT_REST else 0.0), mode)


@leaf
def law_of(model, k):
    c = CONTACT_FRICTION_NUMBERS
    X = model.contact
    return int(X[k, CONTACT_FRICTION]), (X[k, c], X[k, c + 1], X[k, c + 2], X[k, c + 3], X[k, c + 4])


@leaf
def friction_in_mode(model, work, k, mode, N, slip):
    """N along the tangent"""
    law, p = law_of(model, k)
    way = 1.0 if mode > 0.0 else -1.0
    if mode == STICKS:
        return grip_of(model, work).force[k]
    if kind_of(mode) == SLIPS:
        return slipping_force(law, p, N, way, slip)
    if kind_of(mode) == BREAKS:
        return -way*holding_force(law, p, N)
    return creeping_friction(law, p, N, slip)


@leaf
def let_go(model, work, k, N):
    """No friction of a point that sticks until it is known, and the most it may be"""
    g, (law, p) = grip_of(model, work), law_of(model, k)
    g.force[k], g.limit[k] = 0.0, holding_force(law, p, N)


@leaf
def mode_gaps(model, work, k, mode, slip):
    """The two functions of a mode; of all that jumps where another point switches they know nothing but what holds"""
    (law, p), g, way = law_of(model, k), grip_of(model, work), 1.0 if mode > 0.0 else -1.0
    band = rest_speed(law, p)
    if mode == STICKS:
        return g.limit[k] - g.force[k], g.limit[k] + g.force[k]
    if kind_of(mode) == SLIPS:
        return band - way*slip - room_of(mode), -1.0
    if kind_of(mode) == BREAKS:
        return -way*slip - room_of(mode), way*slip - band*(1.0 + EDGE)
    return 1.0, 1.0


@leaf
def let_creep(model, touch, k):
    """A point creeps from now on, which stays noted when it parts."""
    n = model.contact.shape[0]
    touch[n + k], touch[2*n + k] = CREEPS, 1.0


@leaf
def mode_side(mode): return 1 if mode == STICKS else 0 if mode == CREEPS else -1
