"""An elastic row in the plane: a beam of m modes, from the frame at its root to that at its tip.

The beam is straight along e in the axes of its root, n = z x e across it; modes delta move the section at eta by
W(eta).delta along n. Its tip stands at p = l e + w n, turned by s = S.delta. With (al, a) of the root and the modes'
own accelerations it asks for

    moment = J al + H.a + c.dd + n,  force = H al + m a + (a.dd) n + f,  share_j = c_j al + a_j n.a + (C dd)_j + r_j (1)

H the wheel of the first moment h = b0 e + (a.delta) n, J = I0 + delta.C delta. `beam_passes(accessors, kind)` makes
the steps of all passes for one number of modes; sums over modes stand as loops, which the compiler unrolls. Where modes
also stretch the beam, by U(eta).delta along e, there are further terms, with b, d, U and B: the steps of other beams
are made without them. Derivation in docs/theory/elastic.md.
"""

from types import SimpleNamespace

from .._jit import leaf
from ..algebra.dense import PIVOT_FLOOR
from ..layout import (
    BEAM_INERTIA, BEAM_LENGTH, BEAM_MASS, BEAM_MATRICES, BEAM_MODES, BEAM_MOMENT, BEAM_VECTORS, BEAM_X, BEND,
    DEFLECTION, DEFLECTION_RATE, MODE_WRENCH, P_K, P_OMEGA, STRETCHING, STRETCH_VECTORS)
from .plane_steps import back2, dot2, sym2, turn2, turn_sym2, wheel


def beam_passes(accessors, kind):
    """Speeds, elimination and accelerations of a beam, and the demands and shares of inverse dynamics.

    kind : its STEP beyond PLANE_BEAM, the number m of its modes, and STRETCHING more where they stretch it.
    """
    a, stretches, m = accessors, kind > STRETCHING, kind % STRETCHING
    L, lane, count, column, get, get2, put, put2 = a.L, a.lane, a.count, a.column, a.get, a.get2, a.put, a.put2
    of_beam, put_cosine, far_cosines, note = a.of_beam, a.put_cosine, a.far_cosines, a.note
    A_, C_, S_, W_ = (BEAM_MODES + i*m for i in range(4))
    CC, CS, KK, DD = (BEAM_MODES + 4*m + i*m*m for i in range(4))
    B_, D_, U_ = (BEAM_MODES + (BEAM_VECTORS + i)*m + BEAM_MATRICES*m*m for i in range(STRETCH_VECTORS))
    BB = U_ + m
    MU, PHI, MU_K, PHI_K, X, FACTOR = (MODE_WRENCH + i*m for i in (0, 1, 3, 4, 6, 7))
    LONGER = FACTOR + m*m
    LONGER_RATE = LONGER + 1

    @leaf
    def direction(E, e, k): return of_beam(E, e, BEAM_X, k), of_beam(E, e, BEAM_X + 1, k)

    @leaf
    def tip(E, e, V, u, k):
        """p = l e + w n"""
        d, l, w = direction(E, e, k), of_beam(E, e, BEAM_LENGTH, k), get(V, u + column(DEFLECTION), k)
        if stretches:
            l += get(V, u + column(LONGER), k)
        return l*d[0] - w*d[1], l*d[1] + w*d[0]

    @leaf
    def tip_bias(d, p, w, V, u, k):
        """gamma = -w^2 p - 2 w (W.dd') e + 2 w (U.dd') n: what the tip accelerates by with al = a = dd = 0"""
        rate = get(V, u + column(DEFLECTION_RATE), k)
        g = -w*w*p[0] - 2.0*w*rate*d[0], -w*w*p[1] - 2.0*w*rate*d[1]
        if stretches:
            longer = get(V, u + column(LONGER_RATE), k)
            g = g[0] - 2.0*w*longer*d[1], g[1] + 2.0*w*longer*d[0]
        return g

    @leaf
    def own_turning(E, e, j, q, qa, k):
        """c_j + (B' delta)_j: the angular momentum of a unit rate of mode j"""
        c = of_beam(E, e, C_ + j, k)
        if stretches:
            for i in range(m):
                c += of_beam(E, e, BB + i*m + j, k)*get(q, qa + column(i), k)
        return c

    @leaf
    def first_moment(E, e, q, qa, k):
        """h = (b0 + b.delta) e + (a.delta) n"""
        d, b, x = direction(E, e, k), of_beam(E, e, BEAM_MOMENT, k), 0.0
        for j in range(m):
            x += of_beam(E, e, A_ + j, k)*get(q, qa + column(j), k)
            if stretches:
                b += of_beam(E, e, B_ + j, k)*get(q, qa + column(j), k)
        return b*d[0] - x*d[1], b*d[1] + x*d[0]

    @leaf
    def own_share(E, e, j, w, q, qa, v, va, k):
        """d_j + (C delta)_j and K delta + D delta' - w^2 (d + C delta) - 2 w B delta', the force on mode j"""
        Cd, force, cross = 0.0, 0.0, 0.0
        if stretches:
            Cd = of_beam(E, e, D_ + j, k)
        for i in range(m):
            x, xd, at = get(q, qa + column(i), k), get(v, va + column(i), k), j*m + i
            Cd += of_beam(E, e, CC + at, k)*x
            force += of_beam(E, e, KK + at, k)*x + of_beam(E, e, DD + at, k)*xd
            if stretches:
                cross += of_beam(E, e, BB + at, k)*xd
        force = force - w*w*Cd
        if stretches:
            force -= 2.0*w*cross
        return Cd, force

    @leaf
    def own_inertia(E, e, j, Cd, q, qa, k):
        """Of mode j to J: delta_j (2 d_j + (C delta)_j)"""
        if stretches:
            Cd += of_beam(E, e, D_ + j, k)
        return Cd*get(q, qa + column(j), k)

    @leaf
    def coriolis_force(E, e, d, w, v, va, k):
        """-2 w (a.delta') e + 2 w (b.delta') n"""
        flow, longer = 0.0, 0.0
        for j in range(m):
            flow += of_beam(E, e, A_ + j, k)*get(v, va + column(j), k)
            if stretches:
                longer += of_beam(E, e, B_ + j, k)*get(v, va + column(j), k)
        f = -2.0*w*flow*d[0], -2.0*w*flow*d[1]
        if stretches:
            f = f[0] - 2.0*w*longer*d[1], f[1] + 2.0*w*longer*d[0]
        return f

    # ---- outward: where the tip stands, how fast it turns

    @lane
    def speed(E, e, V, u, W, b, S, z, q, qa, v, va):
        far = False
        for k in range(count()):
            s, turning, x, rate, w = 0.0, 0.0, 0.0, 0.0, get(S, z, k)
            for j in range(m):
                d, dd = get(q, qa + column(j), k), get(v, va + column(j), k)
                s += of_beam(E, e, S_ + j, k)*d; turning += of_beam(E, e, S_ + j, k)*dd
                x += of_beam(E, e, W_ + j, k)*d; rate += of_beam(E, e, W_ + j, k)*dd
            put(V, u + column(BEND), k, s); put(V, u + column(DEFLECTION), k, x)
            put(V, u + column(DEFLECTION_RATE), k, rate)
            if stretches:
                x, rate = 0.0, 0.0
                for j in range(m):
                    x += of_beam(E, e, U_ + j, k)*get(q, qa + column(j), k)
                    rate += of_beam(E, e, U_ + j, k)*get(v, va + column(j), k)
                put(V, u + column(LONGER), k, x); put(V, u + column(LONGER_RATE), k, rate)
            put(W, b + column(P_OMEGA), k, w); put(S, z, k, w + turning)
            far = far | put_cosine(W, b, V, u, k)
        if far:
            far_cosines(W, b, V, u)

    # ---- inward: what hangs on the tip and the beam itself, without the modes

    @leaf
    def modes_join(E, e, V, u, q, qa, v, va, tau, w, z_p, tip_A, k):
        """Coupling and matrix of the modes in V, their force in X; the moment that their Coriolis forces take. (2), (3)

        mu_j = S_j J + H.y and phi_j = S_j H + M y with y = W_j n + U_j e: the wrench at the tip for an acceleration of
        mode j.
        """
        J, H, M, n, f = tip_A
        d = direction(E, e, k)
        across = wheel(d)
        Mn, Hn, fn = sym2(M, across), dot2(H, across), dot2(f, across)
        coriolis, inertia = 0.0, 0.0
        for j in range(m):
            Sj, Wj, aj = of_beam(E, e, S_ + j, k), of_beam(E, e, W_ + j, k), of_beam(E, e, A_ + j, k)
            mu, phi, pull = Sj*J + Wj*Hn, (Sj*H[0] + Wj*Mn[0], Sj*H[1] + Wj*Mn[1]), Sj*n + Wj*fn
            if stretches:
                Uj, Me = of_beam(E, e, U_ + j, k), sym2(M, d)
                mu, phi = mu + Uj*dot2(H, d), (phi[0] + Uj*Me[0], phi[1] + Uj*Me[1])
                pull += Uj*dot2(f, d)
            Cd, force = own_share(E, e, j, w, q, qa, v, va, k)
            put(V, u + column(X + j), k, get(tau, va + column(j), k) - force - pull)
            coriolis += 2.0*w*Cd*get(v, va + column(j), k)
            inertia += own_inertia(E, e, j, Cd, q, qa, k)
            phi_n, phi_e = dot2(phi, across), dot2(phi, d)
            for i in range(j + 1):
                entry = (of_beam(E, e, CS + j*m + i, k) + of_beam(E, e, S_ + i, k)*mu + of_beam(E, e, W_ + i, k)*phi_n)
                if stretches:
                    entry += of_beam(E, e, U_ + i, k)*phi_e
                put(V, u + column(FACTOR + j*m + i), k, entry)
            put(V, u + column(MU + j), k, mu + dot2(z_p, phi) + own_turning(E, e, j, q, qa, k))
            phi = phi[0] + aj*across[0], phi[1] + aj*across[1]
            if stretches:
                bj = of_beam(E, e, B_ + j, k)
                phi = phi[0] + bj*d[0], phi[1] + bj*d[1]
            put2(V, u + column(PHI + 2*j), k, phi)
        return coriolis, inertia

    @leaf
    def solved(V, u, k):
        """Modes' matrix to L D L' in place, couplings and forces solved with it; the least pivot over its diagonal."""
        least = 1.0
        for j in range(m):
            mu, phi, x = (get(V, u + column(MU + j), k), get2(V, u + column(PHI + 2*j), k),
                          get(V, u + column(X + j), k))
            pivot = get(V, u + column(FACTOR + j*m + j), k)
            whole = pivot
            for i in range(j):
                r = get(V, u + column(FACTOR + j*m + i), k)
                for h in range(i):                          # r = L_ji D_i
                    r -= get(V, u + column(FACTOR + j*m + h), k)*get(V, u + column(FACTOR + i*m + h), k)
                put(V, u + column(FACTOR + j*m + i), k, r)
            for i in range(j):
                r, D = get(V, u + column(FACTOR + j*m + i), k), get(V, u + column(FACTOR + i*m + i), k)
                l, g = r/D, get2(V, u + column(PHI_K + 2*i), k)
                pivot -= l*r
                mu, x = mu - l*get(V, u + column(MU_K + i), k), x - l*get(V, u + column(X + i), k)
                phi = phi[0] - l*g[0], phi[1] - l*g[1]
                put(V, u + column(FACTOR + j*m + i), k, l)
            put(V, u + column(FACTOR + j*m + j), k, pivot)
            put(V, u + column(MU_K + j), k, mu); put2(V, u + column(PHI_K + 2*j), k, phi)
            put(V, u + column(X + j), k, x)
            least = min(least, pivot/whole)
        for forth in range(m):
            j = m - 1 - forth
            Di = 1.0/get(V, u + column(FACTOR + j*m + j), k)
            mu, phi, x = (Di*get(V, u + column(MU_K + j), k), get2(V, u + column(PHI_K + 2*j), k),
                          Di*get(V, u + column(X + j), k))
            phi = Di*phi[0], Di*phi[1]
            for i in range(j + 1, m):
                l, g = get(V, u + column(FACTOR + i*m + j), k), get2(V, u + column(PHI_K + 2*i), k)
                mu, x = mu - l*get(V, u + column(MU_K + i), k), x - l*get(V, u + column(X + i), k)
                phi = phi[0] - l*g[0], phi[1] - l*g[1]
            put(V, u + column(MU_K + j), k, mu); put2(V, u + column(PHI_K + 2*j), k, phi)
            put(V, u + column(X + j), k, x)
        return least

    @leaf
    def without_modes(V, u, A, k):
        """dd = x - mu_K al - phi_K.a put in: what the root feels                                                (4)"""
        J, H, M, n, f = A
        for j in range(m):
            mu, phi = get(V, u + column(MU + j), k), get2(V, u + column(PHI + 2*j), k)
            mu_K, phi_K = get(V, u + column(MU_K + j), k), get2(V, u + column(PHI_K + 2*j), k)
            x = get(V, u + column(X + j), k)
            J, H = J - mu*mu_K, (H[0] - mu_K*phi[0], H[1] - mu_K*phi[1])
            M = M[0] - phi[0]*phi_K[0], M[1] - phi[0]*phi_K[1], M[2] - phi[1]*phi_K[1]
            n, f = n + x*mu, (f[0] + x*phi[0], f[1] + x*phi[1])
        return J, H, M, n, f

    @leaf
    def in_root_axes(W, b, A, k):
        J, H, M, n, f = A
        c, s = get(W, b, k), get(W, b + L, k)
        return J, turn2(c, s, H), turn_sym2(c, s, M), n, turn2(c, s, f)

    @leaf
    def inward(i, E, e, V, u, W, b, tip_A, q, qa, v, va, tau, trouble, k):
        """(J, H, M, n, f) of the root from those of the tip"""
        w, p, d = get(W, b + column(P_OMEGA), k), tip(E, e, V, u, k), direction(E, e, k)
        J, H, M, n, f = in_root_axes(W, b, tip_A, k)
        g = tip_bias(d, p, w, V, u, k)
        Mg = sym2(M, g)
        n, f = n + dot2(H, g), (f[0] + Mg[0], f[1] + Mg[1])
        z_p = wheel(p)
        coriolis, inertia = modes_join(E, e, V, u, q, qa, v, va, tau, w, z_p, (J, H, M, n, f), k)
        Mz = sym2(M, z_p)
        G = H[0] + Mz[0], H[1] + Mz[1]
        J, n = J + dot2(z_p, H) + dot2(z_p, G), n + dot2(z_p, f)
        h, mass = first_moment(E, e, q, qa, k), of_beam(E, e, BEAM_MASS, k)
        c = coriolis_force(E, e, d, w, v, va, k)
        f = f[0] - w*w*h[0] + c[0], f[1] - w*w*h[1] + c[1]
        A = (J + (of_beam(E, e, BEAM_INERTIA, k) + inertia), (G[0] - h[1], G[1] + h[0]),
             (M[0] + mass, M[1], M[2] + mass), n + coriolis, f)
        least = solved(V, u, k)
        note(trouble, i, k, least > PIVOT_FLOOR)
        return without_modes(V, u, A, k)

    # ---- outward: accelerations

    @lane
    def outward(E, e, V, u, W, b, S, z, va, acc):
        """Slot: (al, a) of the root, then of the tip"""
        for k in range(count()):
            al, a, w = get(S, z, k), get2(S, z + L, k), get(W, b + column(P_OMEGA), k)
            p, d = tip(E, e, V, u, k), direction(E, e, k)
            across, g = wheel(d), tip_bias(d, p, w, V, u, k)
            turning, x, longer = al, 0.0, 0.0
            for j in range(m):
                phi = get2(V, u + column(PHI_K + 2*j), k)
                dd = get(V, u + column(X + j), k) - get(V, u + column(MU_K + j), k)*al - dot2(phi, a)
                put(acc, va + column(j), k, dd)
                turning += of_beam(E, e, S_ + j, k)*dd
                x += of_beam(E, e, W_ + j, k)*dd
                if stretches:
                    longer += of_beam(E, e, U_ + j, k)*dd
            a = a[0] - al*p[1] + g[0] + x*across[0], a[1] + al*p[0] + g[1] + x*across[1]
            if stretches:
                a = a[0] + longer*d[0], a[1] + longer*d[1]
            put(S, z, k, turning); put2(S, z + L, k, back2(get(W, b, k), get(W, b + L, k), a))

    # ---- inverse dynamics. Slot outward: w, al, a of the root, then of the tip; inward: the wrench at the tip

    @lane
    def demand(E, e, V, u, W, b, S, z, q, qa, v, va, acc):
        """The beam's own wrench at its root into W, its modes' shares into V; the tip's motion into the slot"""
        speed(E, e, V, u, W, b, S, z, q, qa, v, va)
        for k in range(count()):
            w, al, a = get(W, b + column(P_OMEGA), k), get(S, z + L, k), get2(S, z + column(2), k)
            d, h, mass = direction(E, e, k), first_moment(E, e, q, qa, k), of_beam(E, e, BEAM_MASS, k)
            across, p = wheel(d), tip(E, e, V, u, k)
            J, n, push, turning, x = of_beam(E, e, BEAM_INERTIA, k), 0.0, 0.0, al, 0.0
            draw, longer = 0.0, 0.0
            for j in range(m):
                Cd, force = own_share(E, e, j, w, q, qa, v, va, k)
                dd, rate = get(acc, va + column(j), k), get(v, va + column(j), k)
                aj, cj = of_beam(E, e, A_ + j, k), own_turning(E, e, j, q, qa, k)
                share = force + cj*al + aj*dot2(across, a)
                if stretches:
                    bj = of_beam(E, e, B_ + j, k)
                    share, draw = share + bj*dot2(d, a), draw + bj*dd
                    longer += of_beam(E, e, U_ + j, k)*dd
                for i in range(m):
                    share += of_beam(E, e, CS + j*m + i, k)*get(acc, va + column(i), k)
                put(V, u + column(X + j), k, share)
                J, n = J + own_inertia(E, e, j, Cd, q, qa, k), n + cj*dd + 2.0*w*Cd*rate
                push = push + aj*dd
                turning, x = turning + of_beam(E, e, S_ + j, k)*dd, x + of_beam(E, e, W_ + j, k)*dd
            put(W, b + column(P_K), k, J*al + h[0]*a[1] - h[1]*a[0] + n)
            c, g = coriolis_force(E, e, d, w, v, va, k), tip_bias(d, p, w, V, u, k)
            f = (mass*a[0] - al*h[1] - w*w*h[0] + c[0] + push*across[0],
                 mass*a[1] + al*h[0] - w*w*h[1] + c[1] + push*across[1])
            a = a[0] - al*p[1] + g[0] + x*across[0], a[1] + al*p[0] + g[1] + x*across[1]
            if stretches:
                f = f[0] + draw*d[0], f[1] + draw*d[1]
                a = a[0] + longer*d[0], a[1] + longer*d[1]
            put2(W, b + column(P_K + 1), k, f)
            put(S, z + L, k, turning)
            put2(S, z + column(2), k, back2(get(W, b, k), get(W, b + L, k), a))

    @lane
    def shares(E, e, V, u, W, b, S, z, va, torque):
        """The modes' forces; slot: the wrench at the tip, then at the root"""
        for k in range(count()):
            n, f = get(S, z, k), turn2(get(W, b, k), get(W, b + L, k), get2(S, z + L, k))
            d = direction(E, e, k)
            fn, fe = dot2(f, wheel(d)), dot2(f, d)
            for j in range(m):
                share = get(V, u + column(X + j), k) + of_beam(E, e, S_ + j, k)*n + of_beam(E, e, W_ + j, k)*fn
                if stretches:
                    share += of_beam(E, e, U_ + j, k)*fe
                put(torque, va + column(j), k, share)
            own = get2(W, b + column(P_K + 1), k)
            n = get(W, b + column(P_K), k) + n + dot2(wheel(tip(E, e, V, u, k)), f)
            f = f[0] + own[0], f[1] + own[1]
            put(W, b + column(P_K), k, n); put2(W, b + column(P_K + 1), k, f)
            put(S, z, k, n); put2(S, z + L, k, f)

    return SimpleNamespace(speed=speed, inward=inward, outward=outward, demand=demand, shares=shares)


def ladder(steps_of, modes):
    """Leaf (m, ...) that does what `steps_of(m)` does for the numbers of modes m that occur."""
    if not modes:
        return None
    first, rest = steps_of(modes[0]), ladder(steps_of, modes[1:])
    if rest is None:
        return leaf(lambda m, *args: first(*args))
    one = modes[0]

    @leaf
    def either(m, *args):
        if m == one:
            first(*args)
        else:
            rest(m, *args)

    return either
