"""When points of a planar chain begin to stick, break away and slip: switching functions of a mode, and its switches.

While a point sticks two functions tell by how much its friction is below its limit, either way (sides 1). While it
slips or moves inside a band they tell what is missing to rest or to the band, or to leave it (sides -1): who changes
its mode changes their sides, so what one switch has done to others at the same moment is not done to them again. A
point that changes more often than functions are watched creeps until it parts. Derivation in docs/theory/contact.md.
"""

import math
from functools import cache

from .._address import NQ, NV, rate_by, shifted, vector
from .._jit import borrower, leaf, pointer
from ..laws.friction import KARNOPP, STICTION, rest_speed
from ..layout import FRICTION, GIVEN, GRIPPED, KEPT_OF_STICKY, RESTED
from ..status import OK
from .choosing import choose
from .contact_points import normal_of, points_in_plane
from .modes import AT_REST, DRIFT, EDGE, kind_of, law_of, let_creep, mode_side, room_of, with_room
from .sticking import BREAKS, CREEPS, SLIPS, STICKS, asks, equations, grip_of, holds, stopping

BACK = 2e-11                # m/s: what slips by less when it is let go may go either way
ALIKE = 1e-9                # shares of their limits that are one moment
MIRRORED = 1e-3             # how nearly two points are mirror images, by their limits and what they hold
LATER = 1e-2                # of what keeps a mirror image back: it lacks as little as that, and goes too
ROUNDING = 1e-12            # of a limit


@cache
def gripping(ledger, functions):
    """Leaves (grip_switched, kicked, hold_still); `functions`: of a contact, the 2nd and 3rd are those of its mode."""
    at_points, stop = points_in_plane(), stopping()
    speeds, velocity, slip = at_points.speeds, at_points.velocity, at_points.slip

    @leaf
    def slip_of(model, work, k): return slip(normal_of(model, k), velocity(model, work, k))

    @leaf
    def rate_now(handle, model, work, t, y): return rate_by(handle, t, y, pointer(grip_of(model, work).rate))

    @leaf
    def stopped(handle, model, work, y):
        """Those that stick are at rest, to rounding; friction has done the work of it."""
        nq, nv, n = handle[NQ], handle[NV], model.contact.shape[0]
        end = nq + nv + (KEPT_OF_STICKY + GIVEN)*n
        done = stop(model, work, vector(y, nq), vector(shifted(y, nq), nv), shifted(y, end - n))
        if ledger:
            y[end + FRICTION] += done

    @leaf
    def at_rest(model, work, k, mode, ends):
        """Whether a point might stick: one that slips, when it does so no longer, as its function told if it `ends`"""
        v_slip, way = slip_of(model, work, k), 1.0 if mode > 0.0 else -1.0
        if mode == STICKS or (ends and abs(v_slip) <= AT_REST):
            return True
        if kind_of(mode) == BREAKS:
            return way*v_slip <= DRIFT
        return abs(v_slip) <= AT_REST and (kind_of(mode) != SLIPS or way*v_slip <= DRIFT)

    @leaf
    def moving(model, work, k):
        """The mode of a point that slips its way, inside its band or out of it"""
        (law, p), v_slip = law_of(model, k), slip_of(model, work, k)
        inside = abs(v_slip) < rest_speed(law, p)*(1.0 + 0.5*EDGE)
        return math.copysign(BREAKS if inside else SLIPS, v_slip)

    @borrower
    def try_to_stick(handle, model, work, y, ended):
        """All that are at rest stick, the others slip their way; (how many stick)."""
        nq, nv, n, count = handle[NQ], handle[NV], model.contact.shape[0], 0
        v, touch = vector(shifted(y, nq), nv), shifted(y, nq + nv)
        speeds(model, work, vector(y, nq), v, v)
        for k in range(n):
            if touch[k] > 0.0 and holds(model, k) and touch[n + k] != CREEPS:
                if at_rest(model, work, k, touch[n + k], k == ended):
                    count += 1
                    touch[n + k] = STICKS
                    if count > GRIPPED:
                        let_creep(model, touch, k)
                else:
                    touch[n + k] = moving(model, work, k)
        return min(count, GRIPPED)

    @leaf
    def goes_on(model, work, k):
        """The way of a point that moves although it was stopped, 0 at rest"""
        v_slip = slip_of(model, work, k)
        return math.copysign(1.0, v_slip) if abs(v_slip) > BACK else 0.0

    @leaf
    def let_slip(model, work, touch, k, force):
        """Against what held it, or the way it still moves"""
        (law, _), way = law_of(model, k), goes_on(model, work, k)
        touch[model.contact.shape[0] + k] = math.copysign(BREAKS if law == KARNOPP else SLIPS, way if way else -force)

    @borrower
    def choose_modes(model, work, touch, broke, way):
        """How many of those that would stick are let go: those that accelerate, whatever is held.

        broke: the contact whose friction reached its limit, to rounding, `way`; it goes, and those that reach theirs
        with it, too, and mirror images that it would keep back. -1: none.
        """
        g, most, count, again = grip_of(model, work), 0.0, 0, True
        m, first = int(g.note[0]), share(g, broke) if broke >= 0 else math.inf
        least = min(first, 1.0)*(1.0 - ALIKE)
        equations(g, g.note[2])
        for i in range(m):
            most = max(most, share(g, int(g.index[i])))
        for i in range(m):
            k = int(g.index[i])
            with_it = broke >= 0 and 0.0 < least <= share(g, k) and most <= 1.0 + ALIKE
            g.state[i] = math.copysign(2.0, g.force[k]) if with_it else 0.0
            if k == broke and first <= 1.0 + ALIKE:
                g.state[i] = 2.0*way
            goes = g.state[i] != 0.0
            g.bound[i] = g.limit[k]*(falls_to(model, k) if goes else 1.0)/g.weight[i]
        while again:
            choose(g.whole, g.wanted, g.bound, g.state, g.answer, g.room, m)
            again = False
            for i in range(m):
                if g.state[i] != 0.0:
                    k = int(g.index[i])
                    way, less = goes_on(model, work, k), g.limit[k]*falls_to(model, k)/g.weight[i]
                    if g.bound[i] > less or g.state[i]*way > 0.0:
                        g.bound[i], again = less, True
                        g.state[i] = -2.0*way if way else g.state[i]
                elif broke >= 0 and is_late(g, m, i):
                    g.state[i], again = math.copysign(2.0, g.force[int(g.index[i])]), True
        for i in range(m):
            if g.state[i] != 0.0:
                let_slip(model, work, touch, int(g.index[i]), g.state[i])
                count += 1
        return count

    @borrower
    def break_away(model, work, touch):
        """How many are let go since they are beyond their limits: the most so, and all that are alike."""
        g, n, most, count = grip_of(model, work), model.contact.shape[0], 0.0, 0
        for k in range(n):
            if touch[n + k] == STICKS:
                most = max(most, share(g, k))
        for k in range(n):
            if touch[n + k] == STICKS and share(g, k) >= max(most*(1.0 - ALIKE), 1.0 + ROUNDING):
                let_slip(model, work, touch, k, g.force[k])
                count += 1
        return count

    @leaf
    def settle_modes(handle, model, work, t, y, ended, broke, way, sides):
        """ended: the contact whose slip ended now, -1: none; broke, way: as in choose_modes"""
        nq, nv, n = handle[NQ], handle[NV], model.contact.shape[0]
        q, v, touch = vector(y, nq), vector(shifted(y, nq), nv), shifted(y, nq + nv)
        status, stuck, chosen = OK, try_to_stick(handle, model, work, y, ended), False
        if stuck > 0:
            status = rate_now(handle, model, work, t, y)
            if status == OK:
                stopped(handle, model, work, y)
        while stuck > 0 and status == OK:
            status = rate_now(handle, model, work, t, y)
            speeds(model, work, q, v, v)
            gone = break_away(model, work, touch) if chosen else choose_modes(model, work, touch, broke, way)
            chosen, stuck = True, stuck - gone
            if gone == 0:
                break
        if stuck > 0 and status == OK:
            stopped(handle, model, work, y)
        speeds(model, work, q, v, v)
        for k in range(n):
            if touch[k] > 0.0 and holds(model, k):
                if abs(touch[n + k]) < STICKS:
                    touch[n + k] = with_room(touch[n + k], slip_of(model, work, k))
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
        else:
            if direction == RESTED:
                let_creep(model, touch, k)
            broke = k if mode == STICKS and part > 0 else -1
            ended = k if abs(mode) < STICKS and part == 1 else -1
            settle_modes(handle, model, work, t, y, ended, broke, 1.0 if part == 1 else -1.0, sides)

    @borrower
    def kicked(handle, model, work, t, y, sides):
        """Velocities may have jumped: what was stuck and moves slips, and the others are chosen anew."""
        nq, nv, n, found = handle[NQ], handle[NV], model.contact.shape[0], False
        v, touch = vector(shifted(y, nq), nv), shifted(y, nq + nv)
        speeds(model, work, vector(y, nq), v, v)
        for k in range(n):
            if touch[k] > 0.0 and holds(model, k) and touch[n + k] != CREEPS and abs(slip_of(model, work, k)) > AT_REST:
                mode = moving(model, work, k)
                found = found or mode != touch[n + k]
                touch[n + k] = mode
        if found:
            settle_modes(handle, model, work, t, y, -1, -1, 0.0, sides)

    @leaf
    def hold_still(handle, model, work, t, y, dy):
        """After a step: forces of those that stick, which have not drifted; dy is the rate."""
        nq, nv, n = handle[NQ], handle[NV], model.contact.shape[0]
        touch, found = shifted(y, nq + nv), False
        for k in range(n):
            found = found or (touch[k] > 0.0 and holds(model, k) and room_of(touch[n + k]) > 0.0)
        if found:
            speeds(model, work, vector(y, nq), vector(shifted(y, nq), nv), vector(shifted(y, nq), nv))
            for k in range(n):
                if touch[k] > 0.0 and holds(model, k) and room_of(touch[n + k]) > 0.0:
                    touch[n + k] = with_room(touch[n + k], slip_of(model, work, k))
        if asks(model, touch):
            rate_by(handle, t, y, dy)
            g, v, most = grip_of(model, work), vector(shifted(y, nq), nv), 0.0
            speeds(model, work, vector(y, nq), v, v)
            for i in range(int(g.note[0])):
                most = max(most, abs(slip_of(model, work, int(g.index[i]))))
            if most > DRIFT:
                stopped(handle, model, work, y)
                rate_by(handle, t, y, dy)

    return grip_switched, kicked, hold_still


@leaf
def share(g, k):
    """Of its limit, what holds a point"""
    return abs(g.force[k])/g.limit[k] if g.limit[k] > 0.0 else math.inf if g.force[k] != 0.0 else 0.0


@leaf
def is_late(g, m, i):
    """Whether a point that is held less since others go is the mirror image of one of them, but for errors of a run."""
    k = int(g.index[i])
    lacks, found = 1.0 - share(g, k), False
    kept_back = share(g, k) - abs(g.answer[i])*g.weight[i]/g.limit[k] if g.limit[k] > 0.0 else 0.0
    if lacks <= MIRRORED and lacks < LATER*kept_back:
        for j in range(m):
            l = int(g.index[j])
            found = found or (
                g.state[j]*g.force[k] < 0.0 and abs(g.limit[k] - g.limit[l]) <= MIRRORED*g.limit[k]
                and abs(g.force[k] + g.force[l]) <= MIRRORED*g.limit[k]
                and abs(g.whole[i*m + i] - g.whole[j*m + j]) <= MIRRORED*g.whole[i*m + i])
    return found


@leaf
def falls_to(model, k):
    """What is left of the limit of a point when it slips"""
    law, p = law_of(model, k)
    return p[0]/p[1] if law == STICTION and p[1] > 0.0 else 1.0
