"""Forward dynamics in the plane: load, one link step, store; LANES chains side by side or one.

`build(lanes, variant, own)` makes the sweeps for a number of lanes and for the joints that occur.
"""

from .._jit import leaf
from ..algebra.dense import PIVOT_FLOOR
from ..layout import (
    GRAVITY, PLANE_ALONG, PLANE_ARM, PLANE_AXIS, PLANE_BEAM, PLANE_BODY, PLANE_FIXED, PLANE_FLOOR,
    PLANE_INERTIA, PLANE_MASS, PLANE_MOMENT, PLANE_PRISMATIC, PLANE_REVOLUTE, PLANE_SLOT_SIZE, PLANE_WORK, P_K, P_L,
    P_OMEGA, P_X)
from .lanes import accessors, plane_speeds
from .plane_beam import beam_passes, ladder
from .plane_steps import (
    add_link, back2, back_slide, force_along, force_to_parent, moved, moved_along, pivot_slide, pivot_turn, to_parent)


def build(lanes, variant, own):
    """Forward dynamics of `lanes` chains side by side with the joints of a variant."""
    a = accessors(lanes, variant, own, PLANE_BODY, PLANE_SLOT_SIZE, PLANE_WORK)
    one_pass, all_cosines, goes, on_base, at_tip = a.one_pass, a.all_cosines, a.goes, a.on_base, a.at_tip
    count = a.count
    L, lane, column, place, beam_place, clear, inherit, join_parent, withstand = (
        a.L, a.lane, a.column, a.place, a.beam_place, a.clear, a.inherit, a.join_parent, a.withstand)
    get, get2, put, put2, of_body, of_body2, note = a.get, a.get2, a.put, a.put2, a.of_body, a.of_body2, a.note
    turning_speed, sliding_speed, fixed_speed = plane_speeds(a)
    off_axis, along = PLANE_REVOLUTE in variant.steps, PLANE_ALONG in variant.steps
    slides, fixed = PLANE_PRISMATIC in variant.steps, PLANE_FIXED in variant.steps
    turns, modes = off_axis or along, [step - PLANE_BEAM for step in variant.steps if step > PLANE_BEAM]
    bends = len(modes) > 0

    @leaf
    def articulated(S, z, k):
        """(J, H, M, n, f) of a slot"""
        return (get(S, z, k), get2(S, z + column(1), k), get2(S, z + column(3), k) + (get(S, z + column(5), k),),
                get(S, z + column(6), k), get2(S, z + column(7), k))

    @leaf
    def put_articulated(S, z, k, A):
        J, H, M, n, f = A
        put(S, z, k, J); put2(S, z + column(1), k, H)
        put2(S, z + column(3), k, (M[0], M[1])); put(S, z + column(5), k, M[2])
        put(S, z + column(6), k, n); put2(S, z + column(7), k, f)

    @leaf
    def with_link(B, i, W, b, S, z, k):
        return add_link(articulated(S, z, k), get(W, b + column(P_OMEGA), k), of_body(B, i, PLANE_MASS, k),
                        of_body2(B, i, PLANE_MOMENT, k), of_body(B, i, PLANE_INERTIA, k))

    # ---- inward: articulated inertia

    @leaf
    def turned(B, i, W, b, S, z, v, tau, va, trouble, k):
        """Row i without its joint: (K, f) in the parent's axes, the torque, the parent's speed"""
        A, t = with_link(B, i, W, b, S, z, k), get(tau, va, k)
        K, f, h, x = pivot_turn(get(W, b, k), get(W, b + L, k), A, t)
        put2(W, b + column(P_K), k, h); put(W, b + column(P_X), k, x)
        note(trouble, i, k, A[0] > of_body(B, i, PLANE_FLOOR, k))
        return K, f, t, get(W, b + column(P_OMEGA), k) - get(v, va, k)

    @lane
    def turning_inward(B, i, W, b, S, z, v, tau, va, trouble):
        for k in range(count()):
            K, f, t, wp = turned(B, i, W, b, S, z, v, tau, va, trouble, k)
            put_articulated(S, z, k, force_to_parent(K, f, t, wp, of_body2(B, i, PLANE_ARM, k)))

    @lane
    def along_inward(B, i, W, b, S, z, v, tau, va, trouble):
        for k in range(count()):
            K, f, t, wp = turned(B, i, W, b, S, z, v, tau, va, trouble, k)
            put_articulated(S, z, k, force_along(K, f, t, wp, of_body(B, i, PLANE_ARM, k)))

    @lane
    def sliding_inward(B, i, W, b, S, z, v, tau, va, trouble):
        for k in range(count()):
            A, w, s = with_link(B, i, W, b, S, z, k), get(W, b + column(P_OMEGA), k), of_body2(B, i, PLANE_AXIS, k)
            trace = A[2][0] + A[2][2]
            A, h, l, x, d = pivot_slide(A, w, get(v, va, k), s, get(tau, va, k))
            put(W, b + column(P_K), k, h); put2(W, b + column(P_L), k, l); put(W, b + column(P_X), k, x)
            note(trouble, i, k, d > max(PIVOT_FLOOR*trace, of_body(B, i, PLANE_FLOOR, k)))
            put_articulated(S, z, k, to_parent(A, w, get2(W, b, k)))

    @lane
    def fixed_inward(B, i, W, b, S, z):
        for k in range(count()):
            A = with_link(B, i, W, b, S, z, k)
            put_articulated(S, z, k, to_parent(A, get(W, b + column(P_OMEGA), k), of_body2(B, i, PLANE_ARM, k)))

    def bending_inward(m):
        beam_inward = beam_passes(a, m).inward

        @lane
        def bending_inward(i, E, e, V, u, W, b, S, z, q, qa, v, va, tau, trouble):
            for k in range(count()):
                put_articulated(S, z, k, beam_inward(i, E, e, V, u, W, b, articulated(S, z, k), q, qa, v, va, tau,
                                                     trouble, k))

        return bending_inward

    # ---- the same for every number of modes that occurs

    bending_speeds = ladder(lambda m: beam_passes(a, m).speed, modes)
    bendings_inward = ladder(bending_inward, modes)
    bendings_outward = ladder(lambda m: beam_passes(a, m).outward, modes)

    # ---- outward: accelerations. Slot: the parent's (al, a), then the link's

    @leaf
    def put_answer(W, b, S, z, va, acc, k, al, a):
        """qdd = x - k.a - al_p, with a where the joint sits, parent components"""
        h = get2(W, b + column(P_K), k)
        new = get(W, b + column(P_X), k) - (h[0]*a[0] + h[1]*a[1])
        put(acc, va, k, new - al); put(S, z, k, new); put2(S, z + L, k, back2(get(W, b, k), get(W, b + L, k), a))

    @lane
    def turning_outward(B, i, W, b, S, z, v, va, acc):
        for k in range(count()):
            al, wp = get(S, z, k), get(W, b + column(P_OMEGA), k) - get(v, va, k)
            a = moved(al, get2(S, z + L, k), wp, of_body2(B, i, PLANE_ARM, k))
            put_answer(W, b, S, z, va, acc, k, al, a)

    @lane
    def along_outward(B, i, W, b, S, z, v, va, acc):
        for k in range(count()):
            al, wp = get(S, z, k), get(W, b + column(P_OMEGA), k) - get(v, va, k)
            a = moved_along(al, get2(S, z + L, k), wp, of_body(B, i, PLANE_ARM, k))
            put_answer(W, b, S, z, va, acc, k, al, a)

    @lane
    def sliding_outward(B, i, W, b, S, z, v, va, acc):
        for k in range(count()):
            al, w = get(S, z, k), get(W, b + column(P_OMEGA), k)
            a = moved(al, get2(S, z + L, k), w, get2(W, b, k))
            a, x = back_slide(al, a, w, get(v, va, k), of_body2(B, i, PLANE_AXIS, k), get(W, b + column(P_K), k),
                              get2(W, b + column(P_L), k), get(W, b + column(P_X), k))
            put(acc, va, k, x); put2(S, z + L, k, a)

    @lane
    def fixed_outward(B, i, W, b, S, z):
        for k in range(count()):
            a = moved(get(S, z, k), get2(S, z + L, k), get(W, b + column(P_OMEGA), k), of_body2(B, i, PLANE_ARM, k))
            put2(S, z + L, k, a)

    # ---- the passes

    @one_pass
    def velocities(n, row, B, E, W, V, S, q, v):
        all_cosines(n, W, q)
        for j in range(n):
            i, step, z, b, qa, va = place(row, j)
            inherit(row, j, S, z, 1)
            if bends:
                if step > PLANE_BEAM:
                    e, u = beam_place(row, j)
                    bending_speeds(step - PLANE_BEAM, E, e, V, u, W, b, S, z, q, qa, v, va)
            if turns:
                if goes(step, PLANE_REVOLUTE) or step == PLANE_ALONG:
                    turning_speed(W, b, S, z, q, qa, v, va)
            if slides:
                if goes(step, PLANE_PRISMATIC):
                    sliding_speed(B, i, W, b, S, z, q, qa)
            if fixed:
                if goes(step, PLANE_FIXED):
                    fixed_speed(W, b, S, z)

    @one_pass
    def elimination(n, row, B, E, W, V, S, q, v, tau, wrench, acting, trouble):
        for back in range(n):
            j = n - 1 - back
            i, step, z, b, qa, va = place(row, j)
            if at_tip(row, j, back):
                clear(S, z, PLANE_SLOT_SIZE)
            if acting:
                withstand(S, z + column(6), 3, wrench, i*column(6) + column(2))     # M_z, F_x, F_y
            if bends:
                if step > PLANE_BEAM:
                    e, u = beam_place(row, j)
                    bendings_inward(step - PLANE_BEAM, i, E, e, V, u, W, b, S, z, q, qa, v, va, tau, trouble)
            if off_axis:
                if goes(step, PLANE_REVOLUTE):
                    turning_inward(B, i, W, b, S, z, v, tau, va, trouble)
            if along:
                if goes(step, PLANE_ALONG):
                    along_inward(B, i, W, b, S, z, v, tau, va, trouble)
            if slides:
                if goes(step, PLANE_PRISMATIC):
                    sliding_inward(B, i, W, b, S, z, v, tau, va, trouble)
            if fixed:
                if goes(step, PLANE_FIXED):
                    fixed_inward(B, i, W, b, S, z)
            join_parent(row, j, S, z, PLANE_SLOT_SIZE)

    @one_pass
    def accelerations(n, row, B, E, base, W, V, S, v, acc):
        for j in range(n):
            i, step, z, b, _, va = place(row, j)
            start(row, j, base, S, z)
            if bends:
                if step > PLANE_BEAM:
                    e, u = beam_place(row, j)
                    bendings_outward(step - PLANE_BEAM, E, e, V, u, W, b, S, z, va, acc)
            if off_axis:
                if goes(step, PLANE_REVOLUTE):
                    turning_outward(B, i, W, b, S, z, v, va, acc)
            if along:
                if goes(step, PLANE_ALONG):
                    along_outward(B, i, W, b, S, z, v, va, acc)
            if slides:
                if goes(step, PLANE_PRISMATIC):
                    sliding_outward(B, i, W, b, S, z, v, va, acc)
            if fixed:
                if goes(step, PLANE_FIXED):
                    fixed_outward(B, i, W, b, S, z)

    @leaf
    def start(row, j, base, S, z):
        """(al, a) of the parent; the base falls upward instead of everything else falling down"""
        inherit(row, j, S, z, 3)
        if on_base(row, j):
            for k in range(count()):
                put2(S, z + L, k, (-base[GRAVITY], -base[GRAVITY + 1]))

    def forward_dynamics(n, row, B, E, base, W, V, S, q, v, tau, wrench, acting, trouble, acc):
        """acc of the chains at q, v under tau and wrenches; trouble[k] is 1 + the row with an unsafe pivot, else 0."""
        for k in range(count()):
            trouble[k] = 0.0
        velocities(n, row, B, E, W, V, S, q, v)
        elimination(n, row, B, E, W, V, S, q, v, tau, wrench, acting, trouble)
        accelerations(n, row, B, E, base, W, V, S, v, acc)

    return forward_dynamics
