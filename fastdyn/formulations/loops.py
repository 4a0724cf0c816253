"""Closures held exactly: M acc = h + J' force, J acc = -(second rates of the gaps at acc = 0).

The free chain answers first; then, column by column, what a unit force in each gap adds: W = M^-1 J', from the same
recursion without weight, speed and loads. (J W) force = -(second + J acc), by factors that find redundant gaps
(algebra/semidefinite.py). Work.loop holds it all; docs/theory/loops.md has the derivation.
Source: [Angeles & Lee 1988], [Saha 1999].
"""

from functools import cache
from typing import NamedTuple

from .._jit import int64, kernel, leaf, sweep
from ..algebra.semidefinite import factor_semidefinite, solve_semidefinite
from ..layout import ACTING, BASE, GAP_OF, GRAVITY, Model, in_plane
from ..status import OK
from .elastic import add_strain
from .gaps import gaps, held
from .signatures import MATRIX, MODEL, VECTOR, WORK


IDLE = 1e-8                 # of what the other gaps of a closure yield to a unit force


class Bench(NamedTuple):
    """The parts of Work.loop for m gaps that are held and nv velocities."""

    base: object            # Model.base without weight
    zero: object            # nv zeros
    step: object            # nv
    J: object               # (m, nv) by rows
    W: object               # M^-1 J', column k at k*nv
    S: object               # J W
    L: object               # its factors, as semidefinite.py says
    G: object
    size: object
    order: object
    force: object           # of the gaps, N or N m
    value: object           # m each
    spare: object


@leaf
def bench(work, m, nv):
    X = work.loop
    a = BASE + 2*nv
    b = a + 2*m*nv
    c = b + 3*m*m
    return Bench(X[:BASE], X[BASE:BASE + nv], X[BASE + nv:a], X[a:a + m*nv], X[a + m*nv:b], X[b:b + m*m],
                 X[b + m*m:b + 2*m*m], X[b + 2*m*m:c], X[c:c + m], X[c + m:c + 2*m], X[c + 2*m:c + 3*m],
                 X[c + 3*m:c + 4*m], X[c + 4*m:c + 5*m])


@leaf
def weightless(model, base):
    """The same chain where nothing falls."""
    for c in range(BASE):
        base[c] = model.base[c]
    for c in range(GRAVITY, GRAVITY + 3):
        base[c] = 0.0
    return Model(model.row, model.body, model.beam, model.frame, model.spring, model.load, model.contact, model.closure,
                 model.signal, model.table, base)


@leaf
def solve(b, m, rank, x):
    """Forces that change the rates of the gaps by b.value"""
    solve_semidefinite(b.L, b.G, b.size, b.order, rank, m, b.value, x, b.spare)


@leaf
def row_times(X, k, nv, x):
    """Row k of a matrix with nv columns, times x"""
    total = 0.0
    for j in range(nv):
        total += X[k*nv + j]*x[j]
    return total


@leaf
def add_columns(b, m, nv, force, sign, x):
    """x plus sign times W force"""
    for k in range(m):
        f = sign*force[k]
        for j in range(nv):
            x[j] += f*b.W[k*nv + j]


@leaf
def idle(model, S, m):
    """A gap that hardly answers, beside others of its closure, takes no part: no row, no column"""
    for k in range(m):
        most = 0.0
        for l in range(m):
            if model.closure[l, GAP_OF] == model.closure[k, GAP_OF]:
                most = max(most, abs(S[l*m + l]))
        if S[k*m + k] < IDLE*most:
            S[k*m + k] = -S[k*m + k]                    # semidefinite.py: without a diagonal, without an equation


@cache
def mobility(ask, plane):
    """Leaf: (model, work, q, b, m) -> (status, rank): W and the factors of J W at the places in Work.motion.

    `ask`: the forward dynamics of the chain without closures.
    """
    gradients = gaps(plane).gradients

    @sweep
    def mobility(model, work, q, b, m):
        nv, acting = model.spring.shape[0], work.note[ACTING]
        gradients(model, work, m, b.J)
        light, status = weightless(model, b.base), OK
        work.note[ACTING] = 0
        for k in range(m):
            if status == OK:
                for j in range(nv):
                    b.step[j] = b.J[k*nv + j]
                if plane:
                    add_strain(model, q, b.step)            # else the columns would have what bent beams do
                status = ask(light, work, q, b.zero, b.step, b.W[k*nv:(k + 1)*nv])
        work.note[ACTING] = acting
        if status != OK:
            return status, 0
        for k in range(m):
            for l in range(k + 1):
                b.S[k*m + l] = row_times(b.J, k, nv, b.W[l*nv:(l + 1)*nv])
                b.S[l*m + k] = b.S[k*m + l]
        idle(model, b.S, m)
        return OK, factor_semidefinite(b.S, m, b.L, b.G, b.size, b.order)

    return mobility


@cache
def bound(ask, plane):
    """Leaf: `ask` of a chain whose gaps are held; leaves their forces in Work.loop."""
    G, columns = gaps(plane), mobility(ask, plane)

    @sweep
    def bound(model, work, q, v, torque, acc):
        m, nv = held(model), model.spring.shape[0]
        b = bench(work, m, nv)
        status = ask(model, work, q, v, torque, acc)
        if status != OK:
            return status
        G.accelerations(model, work, q, v, b.zero)
        G.seconds(model, work, m, b.value)
        status, rank = columns(model, work, q, b, m)
        if status != OK:
            return status
        for k in range(m):
            b.value[k] = -(b.value[k] + row_times(b.J, k, nv, acc))
        solve(b, m, rank, b.force)
        add_columns(b, m, nv, b.force, 1.0, acc)
        return OK

    return bound


# ---- questions about gaps, for those who ask from outside

LIST = int64(MODEL, WORK, VECTOR, VECTOR, VECTOR, VECTOR)


def gap_values(model):
    """Kernel (model, work, q, v, acc, out): values of all gaps."""
    return _list(in_plane(model), "values")


def gap_rates(model):
    """Kernel (model, work, q, v, acc, out): their rates."""
    return _list(in_plane(model), "rates")


def gap_seconds(model):
    """Kernel (model, work, q, v, acc, out): their second rates."""
    return _list(in_plane(model), "seconds")


@cache
def _list(plane, what):
    G = gaps(plane)
    of_all, fill = {"values": (G.values, G.places), "rates": (G.rates, G.speeds),
                    "seconds": (G.seconds, G.accelerations)}[what]

    @kernel(LIST, variant=f"{what} {'plane' if plane else 'space'}")
    def gap_list(model, work, q, v, acc, out):
        fill(model, work, q, v, acc)
        of_all(model, work, model.closure.shape[0], out)
        return OK

    return gap_list


def gap_jacobian(model):
    """Kernel (model, work, q, J): rates of all gaps per velocity, (gaps, nv)."""
    return _jacobian(in_plane(model))


@cache
def _jacobian(plane):
    G = gaps(plane)

    @kernel(int64(MODEL, WORK, VECTOR, MATRIX), variant="plane" if plane else "space")
    def gap_jacobian(model, work, q, J):
        G.places(model, work, q, work.torque, work.torque)
        G.gradients(model, work, model.closure.shape[0], J.reshape(J.size))
        return OK

    return gap_jacobian


def gap_pairs(model):
    """Kernel (model, work, q, out): of each gap the force on b and the moments on a and b, world axes, (gaps, 9)."""
    return _pairs(in_plane(model))


@cache
def _pairs(plane):
    G = gaps(plane)

    @kernel(int64(MODEL, WORK, VECTOR, MATRIX), variant="plane" if plane else "space")
    def gap_pairs(model, work, q, out):
        G.places(model, work, q, work.torque, work.torque)
        G.pairs(model, work, model.closure.shape[0], out)
        return OK

    return gap_pairs


def gap_wrenches(model):
    """Kernel (model, work, q, force): wrenches of `force` in each gap on top of Work.wrench."""
    return _wrenches(in_plane(model))


@cache
def _wrenches(plane):
    G = gaps(plane)

    @kernel(int64(MODEL, WORK, VECTOR, VECTOR), variant="plane" if plane else "space")
    def gap_wrenches(model, work, q, force):
        G.places(model, work, q, work.torque, work.torque)
        G.push(model, work, model.closure.shape[0], force)
        return OK

    return gap_wrenches
