"""Forward dynamics in space: load, one link step, store; LANES chains side by side or one.

`build(lanes, variant, own)` makes the sweeps for a number of lanes and for the joints that occur.
"""

from .._jit import leaf
from ..algebra.dense import ldl6, ldl6_safe, ldl6_solve
from ..algebra.rotation import quaternion_matrix, rotate_sym, turn_z
from ..algebra.screw import ANY, LEVEL_ONE, SQUARE_ONE
from ..algebra.vectors import add, cross, matmul, mul, scale, sub, tmul
from ..layout import (
    ARM, BODY, FIXED, FLOOR, FREE, INERTIA, LEVEL, MASS, MOMENT, PRISMATIC, REVOLUTE, SCREW, SLOT_SIZE,
    SPHERICAL, SQUARE, TURN, TURNED_SPHERICAL, work_columns)
from .lanes import accessors, space_accessors
from .space_steps import (
    add_link, back_ball, back_slide, back_turn, ball_to_parent, carry_flat, carry_full, moved, pivot_ball,
    pivot_slide, pivot_turn, to_parent)


def build(lanes, variant, own):
    """Forward dynamics of `lanes` chains side by side with the joints of a variant."""
    W_OMEGA, W_G, W_PIVOT, width = work_columns(variant.steps)
    a = accessors(lanes, variant, own, BODY, SLOT_SIZE, width)
    one_pass, all_cosines, goes, on_base, at_tip = a.one_pass, a.all_cosines, a.goes, a.on_base, a.at_tip
    L, lane, column, place, clear, inherit, join_parent, withstand = (
        a.L, a.lane, a.column, a.place, a.clear, a.inherit, a.join_parent, a.withstand)
    get, get3, get4, get6, get9, put, put3, put6, put9 = (
        a.get, a.get3, a.get4, a.get6, a.get9, a.put, a.put3, a.put6, a.put9)
    of_body, of_body3, of_body6, of_body9, cosines, note = (
        a.of_body, a.of_body3, a.of_body6, a.of_body9, a.cosines, a.note)
    crossing, put_fall = space_accessors(a)
    has_screw, has_square, has_level = SCREW in variant.steps, SQUARE in variant.steps, LEVEL in variant.steps
    has_revolute, has_prismatic = REVOLUTE in variant.steps, PRISMATIC in variant.steps
    has_ball, has_turned_ball = SPHERICAL in variant.steps, TURNED_SPHERICAL in variant.steps
    has_any_ball = has_ball or has_turned_ball
    has_free, has_fixed = FREE in variant.steps, FIXED in variant.steps

    @leaf
    def articulated(S, z, k):
        """(J, H, M, n, f) of a slot"""
        return (get6(S, z, k), get9(S, z + column(6), k), get6(S, z + column(15), k), get3(S, z + column(21), k),
                get3(S, z + column(24), k))

    @leaf
    def put_articulated(S, z, k, A):
        put6(S, z, k, A[0]); put9(S, z + column(6), k, A[1]); put6(S, z + column(15), k, A[2])
        put3(S, z + column(21), k, A[3]); put3(S, z + column(24), k, A[4])

    # ---- outward: where the joints stand, how fast the links turn. Slot: the parent's w, then the link's

    @leaf
    def put_speed(W, b, S, z, k, w, wp, p):
        put3(S, z, k, w); put3(W, b + column(W_OMEGA), k, w)
        put3(W, b + column(W_G), k, cross(wp, cross(wp, p)))

    @lane
    def revolute_speed(B, i, W, b, S, z, v, va):
        for k in range(L):
            wp, E = get3(S, z, k), turn_z(of_body9(B, i, TURN, k), get(W, b + L, k), get(W, b, k))
            put9(W, b, k, E)
            w = tmul(E, wp)
            put_speed(W, b, S, z, k, (w[0], w[1], w[2] + get(v, va, k)), wp, of_body3(B, i, ARM, k))

    @lane
    def prismatic_speed(B, i, W, b, S, z, q, qa):
        for k in range(L):
            wp, T, x = get3(S, z, k), of_body9(B, i, TURN, k), get(q, qa, k)
            r = add(of_body3(B, i, ARM, k), scale(x, (T[2], T[5], T[8])))
            put3(W, b, k, r)
            put_speed(W, b, S, z, k, tmul(T, wp), wp, r)

    @lane
    def ball_speed(B, i, W, b, S, z, q, qa, v, va):
        for k in range(L):
            put_ball_speed(B, i, W, b, S, z, k, quaternion_matrix(get4(q, qa, k)), get3(v, va, k))

    @lane
    def turned_ball_speed(B, i, W, b, S, z, q, qa, v, va):
        for k in range(L):
            E = matmul(of_body9(B, i, TURN, k), quaternion_matrix(get4(q, qa, k)))
            put_ball_speed(B, i, W, b, S, z, k, E, get3(v, va, k))

    @leaf
    def put_ball_speed(B, i, W, b, S, z, k, E, rate):
        wp = get3(S, z, k)
        put9(W, b, k, E)
        put_speed(W, b, S, z, k, add(tmul(E, wp), rate), wp, of_body3(B, i, ARM, k))

    @lane
    def free_speed(B, i, W, b, S, z, q, qa, v, va):
        for k in range(L):
            w = get3(v, va + column(3), k)
            put9(W, b, k, matmul(of_body9(B, i, TURN, k), quaternion_matrix(get4(q, qa + column(3), k))))
            put3(S, z, k, w); put3(W, b + column(W_OMEGA), k, w)

    @lane
    def fixed_speed(B, i, W, b, S, z):
        for k in range(L):
            wp = get3(S, z, k)
            put_speed(W, b, S, z, k, tmul(of_body9(B, i, TURN, k), wp), wp, of_body3(B, i, ARM, k))

    # ---- inward: articulated inertia. Slot: what hangs on link i, then what hangs on its joint as the parent sees it

    @leaf
    def with_link(B, i, W, b, S, z, k):
        return add_link(articulated(S, z, k), get3(W, b + column(W_OMEGA), k), of_body(B, i, MASS, k),
                        of_body3(B, i, MOMENT, k), of_body6(B, i, INERTIA, k))

    @leaf
    def put_turn(W, b, k, kx, ky, x, h, trouble, i, safe):
        put3(W, b + column(W_PIVOT), k, (kx, ky, x)); put3(W, b + column(W_PIVOT + 3), k, h)
        note(trouble, i, k, safe)

    @lane
    def revolute_inward(B, i, W, b, S, z, v, tau, va, trouble):
        for k in range(L):
            E, g = get9(W, b, k), get3(W, b + column(W_G), k)
            A, w = with_link(B, i, W, b, S, z, k), get3(W, b + column(W_OMEGA), k)
            F, h0, h1, M, n, f, y, h, safe = pivot_turn(A, w, get(v, va, k), get(tau, va, k), of_body(B, i, FLOOR, k))
            put_turn(W, b, k, y[0], y[1], y[2], h, trouble, i, safe)
            A = carry_flat(F, h0, h1, M, n, f, E)
            put_articulated(S, z, k, to_parent(A, g, of_body3(B, i, ARM, k)))

    @lane
    def prismatic_inward(B, i, W, b, S, z, v, tau, va, trouble):
        for k in range(L):
            r, g = get3(W, b, k), get3(W, b + column(W_G), k)
            A, h, y, safe = pivot_slide(with_link(B, i, W, b, S, z, k), get3(W, b + column(W_OMEGA), k), get(v, va, k),
                                        get(tau, va, k), of_body(B, i, FLOOR + 1, k))
            put_turn(W, b, k, y[0], y[1], y[2], h, trouble, i, safe)
            put_articulated(S, z, k, to_parent(carry_full(A, of_body9(B, i, TURN, k)), g, r))

    @lane
    def ball_inward(B, i, W, b, S, z, tau, va, trouble):
        p = b + column(W_PIVOT)
        for k in range(L):
            E, g, u = get9(W, b, k), get3(W, b + column(W_G), k), get3(tau, va, k)
            A = with_link(B, i, W, b, S, z, k)
            K, f, F, x, safe = pivot_ball(A, u, of_body(B, i, FLOOR, k))
            put6(W, p, k, F); put9(W, p + column(6), k, A[1]); put3(W, p + column(15), k, x)
            note(trouble, i, k, safe)
            A = ball_to_parent(rotate_sym(E, K), mul(E, f), mul(E, u), g, of_body3(B, i, ARM, k))
            put_articulated(S, z, k, A)

    @lane
    def free_inward(B, i, W, b, S, z, tau, va, trouble):
        """All six at once; what is stored is the answer (al, a)."""
        for k in range(L):
            J, H, M, n, f = with_link(B, i, W, b, S, z, k)
            F = ldl6(J, H, M)
            al, a = ldl6_solve(F, sub(get3(tau, va + column(3), k), n), sub(get3(tau, va, k), f))
            put3(W, b + column(W_PIVOT), k, al); put3(W, b + column(W_PIVOT + 3), k, a)
            floors = of_body(B, i, FLOOR, k), of_body(B, i, FLOOR + 1, k)
            note(trouble, i, k, ldl6_safe(F, J, M, floors))

    @lane
    def fixed_inward(B, i, W, b, S, z):
        for k in range(L):
            g, T = get3(W, b + column(W_G), k), of_body9(B, i, TURN, k)
            A = carry_full(with_link(B, i, W, b, S, z, k), T)
            put_articulated(S, z, k, to_parent(A, g, of_body3(B, i, ARM, k)))

    # ---- outward again: accelerations. Slot: the parent's (al, a), then the link's

    @leaf
    def arrival(B, i, W, b, S, z, k, p):
        """The parent's al, and its acceleration where joint i sits"""
        al = get3(S, z, k)
        return al, moved(al, get3(S, z + column(3), k), get3(W, b + column(W_G), k), p)

    @leaf
    def put_answer(S, z, k, al, a): put3(S, z, k, al); put3(S, z + column(3), k, a)

    @lane
    def revolute_outward(B, i, W, b, S, z, v, va, acc):
        for k in range(L):
            E, y = get9(W, b, k), get3(W, b + column(W_PIVOT), k)
            al, a = arrival(B, i, W, b, S, z, k, of_body3(B, i, ARM, k))
            a = tmul(E, a)
            al, x = back_turn(tmul(E, al), a, get3(W, b + column(W_OMEGA), k), get(v, va, k), y[0], y[1], y[2],
                              get3(W, b + column(W_PIVOT + 3), k))
            put_answer(S, z, k, al, a); put(acc, va, k, x)

    @lane
    def prismatic_outward(B, i, W, b, S, z, v, va, acc):
        for k in range(L):
            T, y = of_body9(B, i, TURN, k), get3(W, b + column(W_PIVOT), k)
            al, a = arrival(B, i, W, b, S, z, k, get3(W, b, k))
            al = tmul(T, al)
            a, x = back_slide(al, tmul(T, a), get3(W, b + column(W_OMEGA), k), get(v, va, k),
                              get3(W, b + column(W_PIVOT + 3), k), y[0], y[1], y[2])
            put_answer(S, z, k, al, a); put(acc, va, k, x)

    @lane
    def ball_outward(B, i, W, b, S, z, v, va, acc):
        p = b + column(W_PIVOT)
        for k in range(L):
            E = get9(W, b, k)
            al, a = arrival(B, i, W, b, S, z, k, of_body3(B, i, ARM, k))
            a = tmul(E, a)
            al, x = back_ball(tmul(E, al), a, get3(W, b + column(W_OMEGA), k), get3(v, va, k), get6(W, p, k),
                              get9(W, p + column(6), k), get3(W, p + column(15), k))
            put_answer(S, z, k, al, a); put3(acc, va, k, x)

    @lane
    def free_outward(W, b, S, z, v, va, acc):
        """V' = a - w x V - E' a_0: the rate of the velocity's components in the turning frame"""
        for k in range(L):
            al, a = get3(W, b + column(W_PIVOT), k), get3(W, b + column(W_PIVOT + 3), k)
            fall = tmul(get9(W, b, k), get3(S, z + column(3), k))
            V, w = get3(v, va, k), get3(W, b + column(W_OMEGA), k)
            put_answer(S, z, k, al, a)
            put3(acc, va, k, sub(sub(a, cross(w, V)), fall)); put3(acc, va + column(3), k, al)

    @lane
    def fixed_outward(B, i, W, b, S, z):
        for k in range(L):
            T = of_body9(B, i, TURN, k)
            al, a = arrival(B, i, W, b, S, z, k, of_body3(B, i, ARM, k))
            put_answer(S, z, k, tmul(T, al), tmul(T, a))

    # ---- joints whose turn to the parent is a screw: the three passes, made for each kind of screw

    def screws(kind):
        turn_out, turn_in, turn_sym, turn_flat_sym, turn_flat_mat = kind

        @lane
        def speed(B, i, W, b, S, z, v, va):
            for k in range(L):
                wp, c, s = get3(S, z, k), get(W, b, k), get(W, b + L, k)
                cb, sb, (ca, sa) = of_body(B, i, TURN, k), -of_body(B, i, TURN + 1, k), crossing(B, i, k)
                c, s = c*cb - s*sb, s*cb + c*sb
                put(W, b, k, c); put(W, b + L, k, s)
                w = turn_in(wp, c, s, ca, sa)
                put_speed(W, b, S, z, k, (w[0], w[1], w[2] + get(v, va, k)), wp, of_body3(B, i, ARM, k))

        @lane
        def inward(B, i, W, b, S, z, v, tau, va, trouble):
            for k in range(L):
                ca, sa = crossing(B, i, k)
                c, s, g = get(W, b, k), get(W, b + L, k), get3(W, b + column(W_G), k)
                A, w = with_link(B, i, W, b, S, z, k), get3(W, b + column(W_OMEGA), k)
                F, h0, h1, M, n, f, y, h, safe = pivot_turn(A, w, get(v, va, k), get(tau, va, k),
                                                            of_body(B, i, FLOOR, k))
                put_turn(W, b, k, y[0], y[1], y[2], h, trouble, i, safe)
                A = (turn_flat_sym(F, c, s, ca, sa), turn_flat_mat(h0, h1, c, s, ca, sa), turn_sym(M, c, s, ca, sa),
                     turn_out(n, c, s, ca, sa), turn_out(f, c, s, ca, sa))
                put_articulated(S, z, k, to_parent(A, g, of_body3(B, i, ARM, k)))

        @lane
        def outward(B, i, W, b, S, z, v, va, acc):
            for k in range(L):
                ca, sa = crossing(B, i, k)
                c, s, y = get(W, b, k), get(W, b + L, k), get3(W, b + column(W_PIVOT), k)
                al, a = arrival(B, i, W, b, S, z, k, of_body3(B, i, ARM, k))
                a = turn_in(a, c, s, ca, sa)
                al, x = back_turn(turn_in(al, c, s, ca, sa), a, get3(W, b + column(W_OMEGA), k), get(v, va, k),
                                  y[0], y[1], y[2], get3(W, b + column(W_PIVOT + 3), k))
                put_answer(S, z, k, al, a); put(acc, va, k, x)

        return speed, inward, outward

    screw_speed, screw_inward, screw_outward = screws(ANY)
    square_speed, square_inward, square_outward = screws(SQUARE_ONE)
    level_speed, level_inward, level_outward = screws(LEVEL_ONE)

    # ---- the passes

    @one_pass
    def velocities(n, row, B, W, S, q, v):
        all_cosines(n, W, q)
        for j in range(n):
            i, step, z, b, qa, va = place(row, j)
            inherit(row, j, S, z, 3)
            if has_screw:
                if goes(step, SCREW):
                    cosines(W, b, q, qa)
                    screw_speed(B, i, W, b, S, z, v, va)
            if has_square:
                if goes(step, SQUARE):
                    cosines(W, b, q, qa)
                    square_speed(B, i, W, b, S, z, v, va)
            if has_level:
                if goes(step, LEVEL):
                    cosines(W, b, q, qa)
                    level_speed(B, i, W, b, S, z, v, va)
            if has_revolute:
                if goes(step, REVOLUTE):
                    cosines(W, b, q, qa)
                    revolute_speed(B, i, W, b, S, z, v, va)
            if has_prismatic:
                if goes(step, PRISMATIC):
                    prismatic_speed(B, i, W, b, S, z, q, qa)
            if has_ball:
                if goes(step, SPHERICAL):
                    ball_speed(B, i, W, b, S, z, q, qa, v, va)
            if has_turned_ball:
                if goes(step, TURNED_SPHERICAL):
                    turned_ball_speed(B, i, W, b, S, z, q, qa, v, va)
            if has_free:
                if goes(step, FREE):
                    free_speed(B, i, W, b, S, z, q, qa, v, va)
            if has_fixed:
                if goes(step, FIXED):
                    fixed_speed(B, i, W, b, S, z)

    @one_pass
    def elimination(n, row, B, W, S, v, tau, wrench, acting, trouble):
        for back in range(n):
            j = n - 1 - back
            i, step, z, b, _, va = place(row, j)
            if at_tip(row, j, back):
                clear(S, z, SLOT_SIZE)
            if acting:
                withstand(S, z + column(21), 6, wrench, i*column(6))
            if has_screw:
                if goes(step, SCREW):
                    screw_inward(B, i, W, b, S, z, v, tau, va, trouble)
            if has_square:
                if goes(step, SQUARE):
                    square_inward(B, i, W, b, S, z, v, tau, va, trouble)
            if has_level:
                if goes(step, LEVEL):
                    level_inward(B, i, W, b, S, z, v, tau, va, trouble)
            if has_revolute:
                if goes(step, REVOLUTE):
                    revolute_inward(B, i, W, b, S, z, v, tau, va, trouble)
            if has_prismatic:
                if goes(step, PRISMATIC):
                    prismatic_inward(B, i, W, b, S, z, v, tau, va, trouble)
            if has_any_ball:
                if goes(step, SPHERICAL) or step == TURNED_SPHERICAL:
                    ball_inward(B, i, W, b, S, z, tau, va, trouble)
            if has_free:
                if goes(step, FREE):
                    free_inward(B, i, W, b, S, z, tau, va, trouble)
            if has_fixed:
                if goes(step, FIXED):
                    fixed_inward(B, i, W, b, S, z)
            join_parent(row, j, S, z, SLOT_SIZE)

    @one_pass
    def accelerations(n, row, B, base, W, S, v, acc):
        for j in range(n):
            i, step, z, b, _, va = place(row, j)
            inherit(row, j, S, z, 6)
            if on_base(row, j):
                put_fall(base, S, z + column(3))
            if has_screw:
                if goes(step, SCREW):
                    screw_outward(B, i, W, b, S, z, v, va, acc)
            if has_square:
                if goes(step, SQUARE):
                    square_outward(B, i, W, b, S, z, v, va, acc)
            if has_level:
                if goes(step, LEVEL):
                    level_outward(B, i, W, b, S, z, v, va, acc)
            if has_revolute:
                if goes(step, REVOLUTE):
                    revolute_outward(B, i, W, b, S, z, v, va, acc)
            if has_prismatic:
                if goes(step, PRISMATIC):
                    prismatic_outward(B, i, W, b, S, z, v, va, acc)
            if has_any_ball:
                if goes(step, SPHERICAL) or step == TURNED_SPHERICAL:
                    ball_outward(B, i, W, b, S, z, v, va, acc)
            if has_free:
                if goes(step, FREE):
                    free_outward(W, b, S, z, v, va, acc)
            if has_fixed:
                if goes(step, FIXED):
                    fixed_outward(B, i, W, b, S, z)

    def forward_dynamics(n, row, B, base, W, S, q, v, tau, wrench, acting, trouble, acc):
        """acc of the chains at q, v under tau and wrenches; trouble[k] is 1 + the row with an unsafe pivot, else 0."""
        for k in range(L):
            trouble[k] = 0.0
        velocities(n, row, B, W, S, q, v)
        elimination(n, row, B, W, S, v, tau, wrench, acting, trouble)
        accelerations(n, row, B, base, W, S, v, acc)

    return forward_dynamics
