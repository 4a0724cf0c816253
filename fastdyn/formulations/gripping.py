"""When points of a planar chain begin to stick, break away and slip: switching functions of a mode, and its switches.

While a point sticks two functions tell by how much its friction is below its limit, either way (sides 1). While it
slips or breaks away they tell what is missing to rest, or to leave the band (sides -1): who changes its mode changes
their sides, so what one switch has done to others at the same moment is not done to them again. A point that changes
more often than functions are watched creeps until it parts. Derivation in docs/theory/contact.md.
"""

import math
from functools import cache

from .._address import NQ, NV, rate_by, shifted, vector
from .._jit import borrower, leaf, pointer
from ..laws.friction import KARNOPP, creeping_friction, holding_force, rest_speed, slipping_force
from ..layout import CONTACT_FRICTION, CONTACT_FRICTION_NUMBERS, FRICTION, GRIPPED, RESTED
from ..status import OK
from .contact_points import normal_of, points_in_plane
from .sticking import BREAKS, CREEPS, SLIPS, STICKS, asks, grip_of, holds, stopping

AT_REST = 1e-10             # m/s: slower, at a switch, is rest
ALIKE = 1e-9                # shares of their limits that are one moment
ROUNDING = 1e-12            # of a limit
DRIFT = 1e-14               # m/s: a point that sticks and is faster is stopped after a step


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
    if abs(mode) == SLIPS:
        return slipping_force(law, p, N, way, slip)
    if abs(mode) == BREAKS:
        return -way*holding_force(law, p, N)
    return creeping_friction(law, p, N, slip)


@leaf
def let_go(model, work, k, N):
    """No friction of a point that sticks until it is known, and the most it may be"""
    g, (law, p) = grip_of(model, work), law_of(model, k)
    g.force[k], g.limit[k] = 0.0, holding_force(law, p, N)


@leaf
def mode_gaps(model, work, k, mode, slip, pull):
    """The two functions of a mode; pull: slip acceleration"""
    (law, p), g, way = law_of(model, k), grip_of(model, work), 1.0 if mode > 0.0 else -1.0
    band = rest_speed(law, p)
    if mode == STICKS:
        return g.limit[k] - g.force[k], g.limit[k] + g.force[k]
    if abs(mode) == SLIPS:
        return band - way*slip, -1.0
    if abs(mode) == BREAKS:
        return -way*pull, way*slip - band
    return 1.0, 1.0


@leaf
def mode_side(mode): return 1 if mode == STICKS else 0 if mode == CREEPS else -1


@cache
def gripping(ledger, functions):
    """Leaves (grip_switched, hold_still); `functions`: of a contact, those of its mode are the second and the third."""
    at_points, stop = points_in_plane(), stopping()
    speeds, velocity, slip = at_points.speeds, at_points.velocity, at_points.slip

    @leaf
    def slip_of(model, work, k): return slip(normal_of(model, k), velocity(model, work, k))

    @leaf
    def rate_now(handle, model, work, t, y): return rate_by(handle, t, y, pointer(grip_of(model, work).rate))

    @leaf
    def stopped(handle, model, work, y):
        """Those that stick are at rest, to rounding; friction has done the work of it."""
        nq, nv = handle[NQ], handle[NV]
        done = stop(model, work, vector(y, nq), vector(shifted(y, nq), nv))
        if ledger:
            y[nq + nv + 2*model.contact.shape[0] + FRICTION] += done

    @borrower
    def try_to_stick(handle, model, work, y):
        """All that are at rest stick, the others slip their way; (how many stick)."""
        nq, nv, n, count = handle[NQ], handle[NV], model.contact.shape[0], 0
        v, touch = vector(shifted(y, nq), nv), shifted(y, nq + nv)
        speeds(model, work, vector(y, nq), v, v)
        for k in range(n):
            if touch[k] > 0.0 and holds(model, k) and touch[n + k] != CREEPS:
                (law, p), v_slip = law_of(model, k), slip_of(model, work, k)
                at_rest = abs(v_slip) <= rest_speed(law, p)*(1.0 + ALIKE) + AT_REST
                if touch[n + k] == STICKS or at_rest:
                    count += 1
                    touch[n + k] = STICKS if count <= GRIPPED else CREEPS
                else:
                    touch[n + k] = math.copysign(SLIPS, v_slip)
        return min(count, GRIPPED)

    @borrower
    def break_away(model, work, touch, breaking):
        """How many are let go: those most beyond their limits, and all that are so alike.

        breaking: a point reached its limit, to rounding; those that reach it with it, too.
        """
        g, n, most, count = grip_of(model, work), model.contact.shape[0], 0.0, 0
        for k in range(n):
            if touch[n + k] == STICKS:
                most = max(most, share(g, k))
        least = 1.0 - ALIKE if breaking and most <= 1.0 + ALIKE else max(most*(1.0 - ALIKE), 1.0 + ROUNDING)
        for k in range(n):
            if touch[n + k] == STICKS and share(g, k) >= least:
                law, _ = law_of(model, k)
                touch[n + k] = math.copysign(BREAKS if law == KARNOPP else SLIPS, -g.force[k])
                count += 1
        return count

    @leaf
    def settle_modes(handle, model, work, t, y, breaking, sides):
        n, touch = model.contact.shape[0], shifted(y, handle[NQ] + handle[NV])
        status, stuck = OK, try_to_stick(handle, model, work, y)
        while stuck > 0 and status == OK:
            status = rate_now(handle, model, work, t, y)
            gone = break_away(model, work, touch, breaking)
            breaking, stuck = False, stuck - gone
            if gone == 0:
                break
        if stuck > 0 and status == OK:
            stopped(handle, model, work, y)
        for k in range(n):
            if touch[k] > 0.0 and holds(model, k):
                side = mode_side(touch[n + k])
                sides[functions*k + 1], sides[functions*k + 2] = side, side

    @leaf
    def grip_switched(handle, model, work, t, y, which, direction, sides):
        """A contact that began or ended, or a function of a mode that crossed zero."""
        k, part, n = which//functions, which % functions, model.contact.shape[0]
        touch = shifted(y, handle[NQ] + handle[NV])
        if not holds(model, k) or part > 2:
            return
        mode = touch[n + k]
        if touch[k] == 0.0:
            touch[n + k] = 0.0
        elif part == 2 and abs(mode) == BREAKS:
            touch[n + k] = math.copysign(SLIPS, mode)
            sides[which], sides[which - 1] = -1, -1
        else:
            if direction == RESTED:
                touch[n + k] = CREEPS
            settle_modes(handle, model, work, t, y, mode == STICKS and part > 0, sides)

    @leaf
    def hold_still(handle, model, work, t, y, dy):
        """After a step: forces of those that stick, which have not drifted; dy is the rate."""
        nq, nv = handle[NQ], handle[NV]
        if asks(model, shifted(y, nq + nv)):
            rate_by(handle, t, y, dy)
            g, v, most = grip_of(model, work), vector(shifted(y, nq), nv), 0.0
            speeds(model, work, vector(y, nq), v, v)
            for i in range(int(g.note[0])):
                most = max(most, abs(slip_of(model, work, int(g.index[i]))))
            if most > DRIFT:
                stopped(handle, model, work, y)
                rate_by(handle, t, y, dy)

    return grip_switched, hold_still


@leaf
def share(g, k):
    """Of its limit, what holds a point"""
    return abs(g.force[k])/g.limit[k] if g.limit[k] > 0.0 else math.inf if g.force[k] != 0.0 else 0.0
