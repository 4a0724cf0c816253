"""Inverse dynamics in space: motion outward, wrenches inward; LANES chains side by side or one."""

from .._jit import leaf
from ..algebra.rotation import quaternion_matrix, turn_z
from ..algebra.screw import ANY, LEVEL_ONE, SQUARE_ONE
from ..algebra.vectors import add, cross, matmul, mul, scale, tmul
from ..layout import (
    ARM, BODY, FIXED, FREE, INERTIA, LEVEL, MASS, MOMENT, PRISMATIC, REVOLUTE, SCREW, SLOT_SIZE, SPHERICAL,
    SQUARE, TURN, TURNED_SPHERICAL, work_columns)
from .lanes import accessors, space_accessors
from .space_steps import link_wrench, moved


def build(lanes, variant, own):
    """Inverse dynamics of `lanes` chains side by side with the joints of a variant."""
    W_PIVOT, width = work_columns(variant.steps)[2:]
    a = accessors(lanes, variant, own, BODY, SLOT_SIZE, width)
    one_pass, all_cosines, goes, on_base, at_tip = a.one_pass, a.all_cosines, a.goes, a.on_base, a.at_tip
    L, lane, column, place, clear, inherit, join_parent, withstand = (
        a.L, a.lane, a.column, a.place, a.clear, a.inherit, a.join_parent, a.withstand)
    get, get3, get4, _, get9, put, put3, _, put9 = (
        a.get, a.get3, a.get4, a.get6, a.get9, a.put, a.put3, a.put6, a.put9)
    of_body, of_body3, of_body6, of_body9, cosines, _ = (
        a.of_body, a.of_body3, a.of_body6, a.of_body9, a.cosines, a.note)
    crossing, put_fall = space_accessors(a)
    has_screw, has_square, has_level = SCREW in variant.steps, SQUARE in variant.steps, LEVEL in variant.steps
    has_revolute, has_prismatic = REVOLUTE in variant.steps, PRISMATIC in variant.steps
    has_ball, has_turned_ball = SPHERICAL in variant.steps, TURNED_SPHERICAL in variant.steps
    has_any_ball = has_ball or has_turned_ball
    has_free, has_fixed = FREE in variant.steps, FIXED in variant.steps

    # ---- outward. Slot: w, al, a of the parent, then the link's

    @leaf
    def put_demand(B, i, W, b, S, z, k, w, al, a):
        put3(S, z, k, w); put3(S, z + column(3), k, al); put3(S, z + column(6), k, a)
        n, f = link_wrench(al, a, w, of_body(B, i, MASS, k), of_body3(B, i, MOMENT, k), of_body6(B, i, INERTIA, k))
        put3(W, b + column(W_PIVOT), k, n); put3(W, b + column(W_PIVOT + 3), k, f)

    @leaf
    def parent_motion(S, z, k, p):
        """The parent's w and al, and its acceleration where the joint sits"""
        w, al = get3(S, z, k), get3(S, z + column(3), k)
        return w, al, moved(al, get3(S, z + column(6), k), cross(w, cross(w, p)), p)

    @lane
    def revolute_demand(B, i, W, b, S, z, q, qa, v, va, acc):
        cosines(W, b, q, qa)
        for k in range(L):
            wp, al, a = parent_motion(S, z, k, of_body3(B, i, ARM, k))
            E = turn_z(of_body9(B, i, TURN, k), get(W, b + L, k), get(W, b, k))
            put9(W, b, k, E)
            w, al, qd = tmul(E, wp), tmul(E, al), get(v, va, k)
            put_demand(B, i, W, b, S, z, k, (w[0], w[1], w[2] + qd),
                       (al[0] + qd*w[1], al[1] - qd*w[0], al[2] + get(acc, va, k)), tmul(E, a))

    @lane
    def prismatic_demand(B, i, W, b, S, z, q, qa, v, va, acc):
        for k in range(L):
            T, x = of_body9(B, i, TURN, k), get(q, qa, k)
            r = add(of_body3(B, i, ARM, k), scale(x, (T[2], T[5], T[8])))
            put3(W, b, k, r)
            wp, al, a = parent_motion(S, z, k, r)
            w, a, e = tmul(T, wp), tmul(T, a), 2.0*get(v, va, k)
            put_demand(B, i, W, b, S, z, k, w, tmul(T, al), (a[0] + e*w[1], a[1] - e*w[0], a[2] + get(acc, va, k)))

    @lane
    def ball_demand(B, i, W, b, S, z, q, qa, v, va, acc):
        for k in range(L):
            put_ball_demand(B, i, W, b, S, z, k, quaternion_matrix(get4(q, qa, k)), get3(v, va, k), get3(acc, va, k))

    @lane
    def turned_ball_demand(B, i, W, b, S, z, q, qa, v, va, acc):
        for k in range(L):
            E = matmul(of_body9(B, i, TURN, k), quaternion_matrix(get4(q, qa, k)))
            put_ball_demand(B, i, W, b, S, z, k, E, get3(v, va, k), get3(acc, va, k))

    @leaf
    def put_ball_demand(B, i, W, b, S, z, k, E, rate, x):
        put9(W, b, k, E)
        wp, al, a = parent_motion(S, z, k, of_body3(B, i, ARM, k))
        w = add(tmul(E, wp), rate)
        put_demand(B, i, W, b, S, z, k, w, add(tmul(E, al), add(cross(w, rate), x)), tmul(E, a))

    @lane
    def free_demand(B, i, W, b, S, z, q, qa, v, va, acc):
        for k in range(L):
            E = matmul(of_body9(B, i, TURN, k), quaternion_matrix(get4(q, qa + column(3), k)))
            w, fall = get3(v, va + column(3), k), tmul(E, get3(S, z + column(6), k))
            put9(W, b, k, E)
            put_demand(B, i, W, b, S, z, k, w, get3(acc, va + column(3), k),
                       add(add(get3(acc, va, k), cross(w, get3(v, va, k))), fall))

    @lane
    def fixed_demand(B, i, W, b, S, z):
        for k in range(L):
            T = of_body9(B, i, TURN, k)
            wp, al, a = parent_motion(S, z, k, of_body3(B, i, ARM, k))
            put_demand(B, i, W, b, S, z, k, tmul(T, wp), tmul(T, al), tmul(T, a))

    # ---- inward. Slot: what the links outside ask for

    @leaf
    def demand(W, b, S, z, k):
        """Moment and force at joint i, the link's own and what hangs on it; they stay in W as the joint's reaction."""
        n = add(get3(W, b + column(W_PIVOT), k), get3(S, z, k))
        f = add(get3(W, b + column(W_PIVOT + 3), k), get3(S, z + column(3), k))
        put3(W, b + column(W_PIVOT), k, n); put3(W, b + column(W_PIVOT + 3), k, f)
        return n, f

    @leaf
    def hand_inward(S, z, k, n, f, r):
        put3(S, z, k, add(n, cross(r, f))); put3(S, z + column(3), k, f)

    @lane
    def revolute_torque(B, i, W, b, S, z, va, torque):
        for k in range(L):
            (n, f), E = demand(W, b, S, z, k), get9(W, b, k)
            put(torque, va, k, n[2])
            hand_inward(S, z, k, mul(E, n), mul(E, f), of_body3(B, i, ARM, k))

    @lane
    def prismatic_torque(B, i, W, b, S, z, va, torque):
        for k in range(L):
            (n, f), T = demand(W, b, S, z, k), of_body9(B, i, TURN, k)
            put(torque, va, k, f[2])
            hand_inward(S, z, k, mul(T, n), mul(T, f), get3(W, b, k))

    @lane
    def ball_torque(B, i, W, b, S, z, va, torque):
        for k in range(L):
            (n, f), E = demand(W, b, S, z, k), get9(W, b, k)
            put3(torque, va, k, n)
            hand_inward(S, z, k, mul(E, n), mul(E, f), of_body3(B, i, ARM, k))

    @lane
    def free_torque(W, b, S, z, va, torque):
        for k in range(L):
            n, f = demand(W, b, S, z, k)
            put3(torque, va, k, f); put3(torque, va + column(3), k, n)

    @lane
    def fixed_torque(B, i, W, b, S, z):
        for k in range(L):
            (n, f), T = demand(W, b, S, z, k), of_body9(B, i, TURN, k)
            hand_inward(S, z, k, mul(T, n), mul(T, f), of_body3(B, i, ARM, k))

    # ---- joints whose turn to the parent is a screw: both passes, made for each kind of screw

    def screws(kind):
        turn_out, turn_in, _, _, _ = kind

        @lane
        def ask(B, i, W, b, S, z, q, qa, v, va, acc):
            cosines(W, b, q, qa)
            for k in range(L):
                wp, al, a = parent_motion(S, z, k, of_body3(B, i, ARM, k))
                c, s = get(W, b, k), get(W, b + L, k)
                cb, sb, (ca, sa) = of_body(B, i, TURN, k), -of_body(B, i, TURN + 1, k), crossing(B, i, k)
                c, s = c*cb - s*sb, s*cb + c*sb
                put(W, b, k, c); put(W, b + L, k, s)
                w, al, qd = turn_in(wp, c, s, ca, sa), turn_in(al, c, s, ca, sa), get(v, va, k)
                put_demand(B, i, W, b, S, z, k, (w[0], w[1], w[2] + qd),
                           (al[0] + qd*w[1], al[1] - qd*w[0], al[2] + get(acc, va, k)), turn_in(a, c, s, ca, sa))

        @lane
        def answer(B, i, W, b, S, z, va, torque):
            for k in range(L):
                (n, f), c, s, (ca, sa) = demand(W, b, S, z, k), get(W, b, k), get(W, b + L, k), crossing(B, i, k)
                put(torque, va, k, n[2])
                hand_inward(S, z, k, turn_out(n, c, s, ca, sa), turn_out(f, c, s, ca, sa), of_body3(B, i, ARM, k))

        return ask, answer

    screw_demand, screw_torque = screws(ANY)
    square_demand, square_torque = screws(SQUARE_ONE)
    level_demand, level_torque = screws(LEVEL_ONE)

    # ---- the passes

    @one_pass
    def demands(n, row, B, base, W, S, q, v, acc):
        all_cosines(n, W, q)
        for j in range(n):
            i, step, z, b, qa, va = place(row, j)
            inherit(row, j, S, z, 9)
            if on_base(row, j):
                put_fall(base, S, z + column(6))
            if has_screw:
                if goes(step, SCREW):
                    screw_demand(B, i, W, b, S, z, q, qa, v, va, acc)
            if has_square:
                if goes(step, SQUARE):
                    square_demand(B, i, W, b, S, z, q, qa, v, va, acc)
            if has_level:
                if goes(step, LEVEL):
                    level_demand(B, i, W, b, S, z, q, qa, v, va, acc)
            if has_revolute:
                if goes(step, REVOLUTE):
                    revolute_demand(B, i, W, b, S, z, q, qa, v, va, acc)
            if has_prismatic:
                if goes(step, PRISMATIC):
                    prismatic_demand(B, i, W, b, S, z, q, qa, v, va, acc)
            if has_ball:
                if goes(step, SPHERICAL):
                    ball_demand(B, i, W, b, S, z, q, qa, v, va, acc)
            if has_turned_ball:
                if goes(step, TURNED_SPHERICAL):
                    turned_ball_demand(B, i, W, b, S, z, q, qa, v, va, acc)
            if has_free:
                if goes(step, FREE):
                    free_demand(B, i, W, b, S, z, q, qa, v, va, acc)
            if has_fixed:
                if goes(step, FIXED):
                    fixed_demand(B, i, W, b, S, z)

    @one_pass
    def torques(n, row, B, W, S, wrench, acting, torque):
        for back in range(n):
            j = n - 1 - back
            i, step, z, b, _, va = place(row, j)
            if at_tip(row, j, back):
                clear(S, z, 6)
            if acting:
                withstand(S, z, 6, wrench, i*column(6))
            if has_screw:
                if goes(step, SCREW):
                    screw_torque(B, i, W, b, S, z, va, torque)
            if has_square:
                if goes(step, SQUARE):
                    square_torque(B, i, W, b, S, z, va, torque)
            if has_level:
                if goes(step, LEVEL):
                    level_torque(B, i, W, b, S, z, va, torque)
            if has_revolute:
                if goes(step, REVOLUTE):
                    revolute_torque(B, i, W, b, S, z, va, torque)
            if has_prismatic:
                if goes(step, PRISMATIC):
                    prismatic_torque(B, i, W, b, S, z, va, torque)
            if has_any_ball:
                if goes(step, SPHERICAL) or step == TURNED_SPHERICAL:
                    ball_torque(B, i, W, b, S, z, va, torque)
            if has_free:
                if goes(step, FREE):
                    free_torque(W, b, S, z, va, torque)
            if has_fixed:
                if goes(step, FIXED):
                    fixed_torque(B, i, W, b, S, z)
            join_parent(row, j, S, z, 6)

    def inverse_dynamics(n, row, B, base, W, S, q, v, acc, wrench, acting, torque):
        """The torque that gives acc at q, v under the wrenches."""
        demands(n, row, B, base, W, S, q, v, acc)
        torques(n, row, B, W, S, wrench, acting, torque)

    return inverse_dynamics
