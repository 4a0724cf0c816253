"""Inverse dynamics in the plane: motion outward, wrenches inward; LANES chains side by side or one."""

from .._jit import leaf
from ..layout import (
    GRAVITY, PLANE_ALONG, PLANE_ARM, PLANE_AXIS, PLANE_BEAM, PLANE_BODY, PLANE_FIXED, PLANE_INERTIA,
    PLANE_MASS, PLANE_MOMENT, PLANE_PRISMATIC, PLANE_REVOLUTE, PLANE_SLOT_SIZE, PLANE_WORK, P_K, P_OMEGA)
from .lanes import accessors, plane_speeds
from .plane_beam import beam_passes, ladder
from .plane_steps import back2, link_wrench, moved, turn2, wheel


def build(lanes, variant, own):
    """Inverse dynamics of `lanes` chains side by side with the joints of a variant."""
    a = accessors(lanes, variant, own, PLANE_BODY, PLANE_SLOT_SIZE, PLANE_WORK)
    one_pass, all_cosines, goes, on_base, at_tip = a.one_pass, a.all_cosines, a.goes, a.on_base, a.at_tip
    count = a.count
    L, lane, column, place, beam_place, clear, inherit, join_parent, withstand = (
        a.L, a.lane, a.column, a.place, a.beam_place, a.clear, a.inherit, a.join_parent, a.withstand)
    get, get2, put, put2, of_body, of_body2, _ = a.get, a.get2, a.put, a.put2, a.of_body, a.of_body2, a.note
    turning_speed, sliding_speed, fixed_speed = plane_speeds(a)
    turns = PLANE_REVOLUTE in variant.steps or PLANE_ALONG in variant.steps
    slides, fixed = PLANE_PRISMATIC in variant.steps, PLANE_FIXED in variant.steps
    modes = [step - PLANE_BEAM for step in variant.steps if step > PLANE_BEAM]
    bends = len(modes) > 0
    bending_demands = ladder(lambda m: beam_passes(a, m).demand, modes)
    bending_shares = ladder(lambda m: beam_passes(a, m).shares, modes)

    # ---- outward. Slot: w, al, a of the parent, then the link's

    @lane
    def turning_demand(B, i, W, b, S, z, q, qa, v, va, acc):
        turning_speed(W, b, S, z, q, qa, v, va)
        for k in range(count()):
            wp, al = get(W, b + column(P_OMEGA), k) - get(v, va, k), get(S, z + L, k)
            a = moved(al, get2(S, z + column(2), k), wp, of_body2(B, i, PLANE_ARM, k))
            put_demand(B, i, W, b, S, z, k, al + get(acc, va, k), back2(get(W, b, k), get(W, b + L, k), a))

    @lane
    def sliding_demand(B, i, W, b, S, z, q, qa, v, va, acc):
        sliding_speed(B, i, W, b, S, z, q, qa)
        for k in range(count()):
            al, w, s = get(S, z + L, k), get(S, z, k), of_body2(B, i, PLANE_AXIS, k)
            a = moved(al, get2(S, z + column(2), k), w, get2(W, b, k))
            e, x = 2.0*w*get(v, va, k), get(acc, va, k)
            put_demand(B, i, W, b, S, z, k, al, (a[0] - e*s[1] + x*s[0], a[1] + e*s[0] + x*s[1]))

    @lane
    def fixed_demand(B, i, W, b, S, z):
        fixed_speed(W, b, S, z)
        for k in range(count()):
            al = get(S, z + L, k)
            a = moved(al, get2(S, z + column(2), k), get(S, z, k), of_body2(B, i, PLANE_ARM, k))
            put_demand(B, i, W, b, S, z, k, al, a)

    @leaf
    def put_demand(B, i, W, b, S, z, k, al, a):
        put(S, z + L, k, al); put2(S, z + column(2), k, a)
        n, f = link_wrench(al, a, get(S, z, k), of_body(B, i, PLANE_MASS, k), of_body2(B, i, PLANE_MOMENT, k),
                           of_body(B, i, PLANE_INERTIA, k))
        put(W, b + column(P_K), k, n); put2(W, b + column(P_K + 1), k, f)

    # ---- inward. Slot: what the links outside ask for

    @leaf
    def demand(W, b, S, z, k):
        """Moment and force at joint i, the link's own and what hangs on it; they stay in W as the joint's reaction."""
        n, f, g = get(W, b + column(P_K), k) + get(S, z, k), get2(W, b + column(P_K + 1), k), get2(S, z + L, k)
        f = f[0] + g[0], f[1] + g[1]
        put(W, b + column(P_K), k, n); put2(W, b + column(P_K + 1), k, f)
        return n, f

    @leaf
    def hand_inward(S, z, k, n, f, r):
        z1 = wheel(r)
        put(S, z, k, n + (z1[0]*f[0] + z1[1]*f[1])); put2(S, z + L, k, f)

    @lane
    def turning_torque(B, i, W, b, S, z, va, torque):
        for k in range(count()):
            n, f = demand(W, b, S, z, k)
            put(torque, va, k, n)
            hand_inward(S, z, k, n, turn2(get(W, b, k), get(W, b + L, k), f), of_body2(B, i, PLANE_ARM, k))

    @lane
    def sliding_torque(B, i, W, b, S, z, va, torque):
        for k in range(count()):
            (n, f), s = demand(W, b, S, z, k), of_body2(B, i, PLANE_AXIS, k)
            put(torque, va, k, f[0]*s[0] + f[1]*s[1])
            hand_inward(S, z, k, n, f, get2(W, b, k))

    @lane
    def fixed_torque(B, i, W, b, S, z):
        for k in range(count()):
            n, f = demand(W, b, S, z, k)
            hand_inward(S, z, k, n, f, of_body2(B, i, PLANE_ARM, k))

    # ---- the passes

    @one_pass
    def demands(n, row, B, E, base, W, V, S, q, v, acc):
        all_cosines(n, W, q)
        for j in range(n):
            i, step, z, b, qa, va = place(row, j)
            inherit(row, j, S, z, 4)
            if on_base(row, j):
                for k in range(count()):
                    put2(S, z + column(2), k, (-base[GRAVITY], -base[GRAVITY + 1]))
            if bends:
                if step > PLANE_BEAM:
                    e, u = beam_place(row, j)
                    bending_demands(step - PLANE_BEAM, E, e, V, u, W, b, S, z, q, qa, v, va, acc)
            if turns:
                if goes(step, PLANE_REVOLUTE) or step == PLANE_ALONG:
                    turning_demand(B, i, W, b, S, z, q, qa, v, va, acc)
            if slides:
                if goes(step, PLANE_PRISMATIC):
                    sliding_demand(B, i, W, b, S, z, q, qa, v, va, acc)
            if fixed:
                if goes(step, PLANE_FIXED):
                    fixed_demand(B, i, W, b, S, z)

    @one_pass
    def torques(n, row, B, E, W, V, S, wrench, acting, torque):
        for back in range(n):
            j = n - 1 - back
            i, step, z, b, _, va = place(row, j)
            if at_tip(row, j, back):
                clear(S, z, 3)
            if acting:
                withstand(S, z, 3, wrench, i*column(6) + column(2))                 # M_z, F_x, F_y
            if bends:
                if step > PLANE_BEAM:
                    e, u = beam_place(row, j)
                    bending_shares(step - PLANE_BEAM, E, e, V, u, W, b, S, z, va, torque)
            if turns:
                if goes(step, PLANE_REVOLUTE) or step == PLANE_ALONG:
                    turning_torque(B, i, W, b, S, z, va, torque)
            if slides:
                if goes(step, PLANE_PRISMATIC):
                    sliding_torque(B, i, W, b, S, z, va, torque)
            if fixed:
                if goes(step, PLANE_FIXED):
                    fixed_torque(B, i, W, b, S, z)
            join_parent(row, j, S, z, 3)

    def inverse_dynamics(n, row, B, E, base, W, V, S, q, v, acc, wrench, acting, torque):
        """The torque that gives acc at q, v under the wrenches."""
        demands(n, row, B, E, base, W, V, S, q, v, acc)
        torques(n, row, B, E, W, V, S, wrench, acting, torque)

    return inverse_dynamics
