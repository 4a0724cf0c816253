"""How the gaps of held closures yield to forces: S = J M^-1 J' by the sparse factors of the mass matrix.

M = L'D L and y = L^-T J' stand on ways to the base (ways.py); S_kl = y_k' D^-1 y_l. Derivation in docs/theory/loops.md.
"""

from functools import cache
from typing import NamedTuple

from .._jit import borrower, borrower_leaf, leaf
from ..algebra.rotation import rotate_sym
from ..algebra.semidefinite import RANK_FLOOR, factor_semidefinite, solve_semidefinite
from ..algebra.skyline import factor_skyline, solve_skyline
from ..algebra.vectors import add, cross, dot, sadd, scale, smul, sub
from ..layout import (
    DENSE_GAPS, GAP_SCALE, PARENT, STEP, V_AT, WEB_BODIES, WEB_G, WEB_GAP, WEB_HEAD, WEB_J, WEB_L, WEB_LISTS, WEB_M,
    WEB_ROWS, WEB_S, WEB_Y, held_exactly)
from .elastic import MATRIX_SPIN, VECTOR_A, Z, beam_body, deflecting, is_beam, of_matrix, turning_of
from .gaps import gaps
from .graded import FINE, grading, least_root
from .idle import in_doubt, is_idle, is_sure, levers
from .joints import freedoms, rigid_body
from .kinematics import load3, load9, store
from .ways import factor_ways, gathered, half_solved, longest_of, put_scaled, solve_ways, spread, way


class Bench(NamedTuple):
    """The parts of Work.loop for m gaps that are held and nv velocities."""

    zero: object            # nv zeros
    step: object            # nv
    pull: object            # nv: x of M x = J' force
    body: object            # composite bodies of the rows
    M: object               # the mass matrix by ways to the base, then L and D
    J: object               # of each gap on its ways
    y: object               # L^-T J', the same
    S: object               # J M^-1 J', a square or a skyline
    L: object               # its factors, as semidefinite.py or skyline.py say
    G: object
    rows: object            # of a square: 2 m nv, see graded.py
    size: object            # m each
    order: object
    force: object           # of the gaps, N or N m
    value: object
    spare: object
    more: object
    second: object


@borrower_leaf
def bench(model, work, m, nv):
    X, w = work.loop, model.web
    z = w[WEB_LISTS]
    return Bench(X[:nv], X[nv:2*nv], X[2*nv:3*nv], X[w[WEB_BODIES]:w[WEB_M]], X[w[WEB_M]:w[WEB_J]],
                 X[w[WEB_J]:w[WEB_Y]], X[w[WEB_Y]:w[WEB_S]], X[w[WEB_S]:w[WEB_L]], X[w[WEB_L]:w[WEB_G]],
                 X[w[WEB_G]:w[WEB_ROWS]], X[w[WEB_ROWS]:z], X[z:z + m], X[z + m:z + 2*m], X[z + 2*m:z + 3*m],
                 X[z + 3*m:z + 4*m], X[z + 4*m:z + 5*m], X[z + 5*m:z + 6*m],
                 X[z + 6*m:z + 7*m])


def many_gaps(model):
    """Whether S is kept as a skyline."""
    return held_exactly(model) > DENSE_GAPS


# ---- S and its factors

@leaf
def add_columns(model, b, m, nv, force, sign, x):
    """x plus sign times M^-1 J' force"""
    for j in range(nv):
        b.pull[j] = 0.0
    for k in range(m):
        spread(model.web, nv, k, b.J, force[k], b.pull)
    solve_ways(model.web, nv, b.M, b.pull)
    for j in range(nv):
        x[j] += sign*b.pull[j]


@cache
def yielding(many):
    """(gap_at, fill, leave_out, factor, solve): leaves for S as a square, or as a skyline of many gaps."""
    @leaf
    def entry_at(web, nv, m, k, l):
        """Place of entry (k, l), l <= k, in the order S is kept in"""
        return web[WEB_HEAD + 2*nv + 1 + WEB_GAP*m + 2*m + k] + l if many else k*m + l

    @leaf
    def gap_at(web, nv, m, k): return web[WEB_HEAD + 2*nv + 1 + WEB_GAP*m + k] if many else k

    @leaf
    def first_of(web, nv, m, k): return web[WEB_HEAD + 2*nv + 1 + WEB_GAP*m + m + k] if many else 0

    @borrower
    def fill(model, b, m, nv):
        """S, and in b.spare what each gap yields over its scale squared"""
        web = model.web
        for k in range(m):
            g = gap_at(web, nv, m, k)
            put_scaled(web, nv, g, b.M, b.y, b.pull, False)
            for l in range(first_of(web, nv, m, k), k + 1):
                b.S[entry_at(web, nv, m, k, l)] = gathered(web, nv, gap_at(web, nv, m, l), b.y, b.pull)
            put_scaled(web, nv, g, b.M, b.y, b.pull, True)
            unit = model.closure[g, GAP_SCALE]
            b.spare[g] = b.S[entry_at(web, nv, m, k, k)]/(unit*unit)

    @leaf
    def leave_out(web, nv, m, S, k):
        """What stands at place k takes no part: no row, no column"""
        S[entry_at(web, nv, m, k, k)] *= -1.0

    @borrower
    def factor(model, b, m, nv):
        """The rank, or m of a skyline."""
        web = model.web
        if many:
            at = WEB_HEAD + 2*nv + 1 + WEB_GAP*m + m
            factor_skyline(b.S, m, web[at:at + m], web[at + m:at + 2*m], b.L, b.size)
            return m
        for k in range(m):
            for l in range(k):
                b.S[l*m + k] = b.S[k*m + l]
        return factor_semidefinite(b.S, m, b.L, b.G, b.size, b.order, RANK_FLOOR)

    @leaf
    def solve(model, b, m, nv, rank, x):
        """Forces that change the rates of the gaps by b.value"""
        if many:
            web, at = model.web, WEB_HEAD + 2*nv + 1 + WEB_GAP*m
            solve_skyline(b.L, m, web[at:at + m], web[at + m:at + 2*m], web[at + 2*m:at + 3*m], b.size, b.value, x,
                          b.spare)
        else:
            solve_semidefinite(b.L, b.G, b.size, b.order, rank, m, b.value, x, b.spare)

    return gap_at, fill, leave_out, factor, solve


# ---- the mass matrix by ways, world axes, from the places in Work.motion and Work.pose

@cache
def mass_by_ways(plane):
    """Leaf: (model, work, q, nv, body, M)."""
    G = gaps(plane)
    size = 4 if plane else 10

    @leaf
    def own_body(model, work, i):
        """(m, h, I) about the row's origin, world axes; in the plane I is a number"""
        m, h, I = rigid_body(model.row, model.body, i)
        if plane:
            return m, G.turned(work, i, h), I[5]
        return m, G.turned(work, i, h), rotate_sym(load9(work.pose, 12*i), I)

    @leaf
    def bent_body(model, work, i, q):
        """The same of the beam of row i, about its root"""
        m, h, I = beam_body(model, i, q)
        return m, G.turned(work, model.row[i, PARENT], h), I[5]

    @leaf
    def put(body, i, m, h, I):
        if plane:
            store(body, size*i, (m, h[0], h[1], I))
        else:
            store(body, size*i, (m,) + h + I)

    @leaf
    def taken(body, i):
        a = size*i
        if plane:
            return body[a], (body[a + 1], body[a + 2], 0.0), body[a + 3]
        return body[a], load3(body, a + 1), load3(body, a + 4) + load3(body, a + 7)

    @leaf
    def moved(r, m, h, I):
        """A body's numbers about a point r before its own"""
        if plane:
            return m, (h[0] + m*r[0], h[1] + m*r[1], 0.0), I + (2.0*(r[0]*h[0] + r[1]*h[1]) + m*(r[0]*r[0] + r[1]*r[1]))
        d, b = 2.0*dot(r, h) + m*dot(r, r), add(scale(2.0, h), scale(m, r))     # I + d 1 - sym(r b'), b = 2 h + m r
        return m, add(h, scale(m, r)), (
            I[0] + d - r[0]*b[0], I[1] - 0.5*(r[0]*b[1] + r[1]*b[0]), I[2] - 0.5*(r[0]*b[2] + r[2]*b[0]),
            I[3] + d - r[1]*b[1], I[4] - 0.5*(r[1]*b[2] + r[2]*b[1]), I[5] + d - r[2]*b[2])

    @leaf
    def taken_by(m, h, I, turn, slide):
        """(moment, force) that a unit rate takes"""
        if plane:
            w, u = turn[2], slide
            return ((0.0, 0.0, I*w + (h[0]*u[1] - h[1]*u[0])), (m*u[0] - w*h[1], m*u[1] + w*h[0], 0.0))
        return add(smul(I, turn), cross(h, slide)), add(scale(m, slide), cross(turn, h))

    @leaf
    def times(turn, slide, n, f):
        if plane:
            return turn[2]*n[2] + (slide[0]*f[0] + slide[1]*f[1])
        return dot(turn, n) + dot(slide, f)

    @leaf
    def shifted(r, n, f):
        if plane:
            return 0.0, 0.0, n[2] + (r[0]*f[1] - r[1]*f[0])
        return add(n, cross(r, f))

    @borrower
    def mass(model, work, q, nv, body, M):
        row, web = model.row, model.web
        for i in range(row.shape[0]):
            m, h, I = own_body(model, work, i)
            put(body, i, m, h, I)
        for back in range(row.shape[0]):
            i = row.shape[0] - 1 - back
            m, h, I = taken(body, i)
            for c in range(freedoms(row[i, STEP])):
                turn, slide = G.column(model, work, i, c)
                n, f = taken_by(m, h, I, turn, slide)
                s, _ = way(web, nv, row[i, V_AT] + c)
                k, here = i, G.origin(work, i)
                while k >= 0:
                    last = c if k == i else freedoms(row[k, STEP]) - 1
                    for up_to in range(last + 1):
                        d = last - up_to
                        turn, slide = G.column(model, work, k, d)
                        entry = times(turn, slide, n, f)
                        if plane:
                            if k == i and is_beam(row, i):
                                entry += of_matrix(model, i, MATRIX_SPIN, d, c)
                        M[s] = entry
                        s += 1
                    p = row[k, PARENT]
                    if p >= 0:
                        there = G.origin(work, p)
                        n, here = shifted(sub(here, there), n, f), there
                        if plane:
                            if k == i and is_beam(row, i):
                                n = add(n, scale(turning_of(model, i, c, q), Z))
                                f = add(f, G.turned(work, p, deflecting(model, i, VECTOR_A, c)))
                    k = p
            p = row[i, PARENT]
            if p >= 0:
                m, h, I = moved(sub(G.origin(work, i), G.origin(work, p)), m, h, I)
                mp, hp, Ip = taken(body, p)
                if plane:
                    if is_beam(row, i):
                        mb, hb, Ib = bent_body(model, work, i, q)
                        m, h, I = m + mb, add(h, hb), I + Ib
                    put(body, p, mp + m, add(hp, h), Ip + I)
                else:
                    put(body, p, mp + m, add(hp, h), sadd(Ip, I))

    return mass


@cache
def mobility(plane, many):
    """Leaf: (model, work, q, b, m) -> rank: J, the factors of M and those of J M^-1 J' at the places in Work.motion."""
    G, mass = gaps(plane), mass_by_ways(plane)
    (gap_at, fill, leave_out, factor, _), lever, graded = yielding(many), levers(plane), grading(plane)

    @borrower
    def mobility(model, work, q, b, m):
        web, nv = model.web, model.spring.shape[0]
        mass(model, work, q, nv, b.body, b.M)
        factor_ways(web, nv, b.M)
        G.on_ways(model, work, m, b.J)
        for c in range(b.J.shape[0]):
            b.y[c] = b.J[c]
        for k in range(m):
            half_solved(web, nv, k, b.M, b.y)
        for j in range(nv):
            b.pull[j] = 0.0
        fill(model, b, m, nv)
        idle = 0
        for k in range(m):
            g = gap_at(web, nv, m, k)
            sure, doubtful = is_sure(model, g, longest_of(web, nv, g, b.J)), in_doubt(model, m, b.spare, g)
            if (doubtful or not sure) and is_idle(sure, doubtful, lever(model, work, g, b.step)):
                leave_out(web, nv, m, b.S, k)
                idle += 1
        rank = factor(model, b, m, nv)
        if not many and (rank + idle < m or least_root(b.L, m, rank) < FINE):
            return graded(model, work, b, m, rank, m - idle)
        return rank

    return mobility
