"""Points of a planar chain that stick to grounds: the friction that keeps all of them from accelerating, together.

A contact whose friction law jumps at rest has a **mode** in the state of a run: it slips (1, -1: its way along the
tangent), moves inside the band of a law that has one (2, -2), sticks or creeps; 0 where it does not touch, or
its law passes through 0. For those that stick, with J the rates of their slips per velocity and acc as it is without
their friction,

    (J M^-1 J') F = -(slip accelerations at acc),       acc += M^-1 J' F.

Columns of M^-1 J' are what a push on one point adds to the answer of the chain. A rigid link that lies on two points
has two equations that say the same: docs/theory/contact.md tells how the load is shared.
"""

import math
from functools import cache
from typing import NamedTuple

from .._address import shifted, vector
from .._jit import borrower, borrower_leaf, leaf, pointer
from ..laws.friction import HOLDING
from ..layout import CONTACT_FRICTION, GIVEN, GRIPPED, KEPT_OF_STICKY, WORKS, in_plane
from ..status import OK
from .contact_points import normal_of, points_in_plane, row_of
from .kinematics import store

SLIPS, BREAKS, STICKS, CREEPS = 1.0, 2.0, 3.0, 4.0
PUSH = 1e6                  # N that columns are asked with: any, but so large that they drown what is there without
SHARED = 1e-9               # of the largest: eigenvalues below tell of points that others hold already
NOISE = 1e-13               # of accelerations: rounding
ROUNDS = 30
LEAST = 1e-6                # of the largest limit: what a point is taken to hold at least where loads are shared


def grips(model):
    """Whether points of the chain may stick."""
    return in_plane(model) and any(int(law) in HOLDING for law in model.contact[:, CONTACT_FRICTION])


def grip_size(model, nq):
    """Numbers of Work.grip."""
    n, nv, most = len(model.contact), len(model.spring), min(len(model.contact), GRIPPED)
    return 3 + 2*n + 7*most + 4*most*most + (most + 1)*nv + nq + nv + (KEPT_OF_STICKY + GIVEN)*n + WORKS


class Grip(NamedTuple):
    """The parts of Work.grip, of n contacts, nv velocities and `most` points that stick."""

    note: object            # how many stick, the largest entry of A before it was weighted down, noise of accelerations
    force: object           # n: friction of each that sticks, N along its tangent
    limit: object           # n: the most it may be
    index: object           # most: which contacts stick
    weight: object          # most: roots of limits
    wanted: object          # most: slip accelerations, or slips, that are to be added
    left: object            # most: the same along eigenvectors
    answer: object          # most: forces, or impulses
    bound: object           # most: what each may take, over its weight
    state: object           # most: whether each takes it: see choosing.py
    A: object               # J M^-1 J', then as `factor` leaves it
    turn: object            # its eigenvectors
    whole: object           # A weighted and definite: see `equations`
    room: object            # for its factor
    still: object           # nv zeros
    column: object          # M^-1 J'
    rate: object            # of the whole state, by whoever asks for it


@borrower_leaf
def grip_of(model, work):
    X, n, nv = work.grip, model.contact.shape[0], model.spring.shape[0]
    m = min(n, GRIPPED)
    a = 3 + 2*n
    b = a + 7*m
    c = b + 4*m*m
    d = c + nv
    return Grip(X[:3], X[3:3 + n], X[3 + n:a], X[a:a + m], X[a + m:a + 2*m], X[a + 2*m:a + 3*m],
                X[a + 3*m:a + 4*m], X[a + 4*m:a + 5*m], X[a + 5*m:a + 6*m], X[a + 6*m:b], X[b:b + m*m],
                X[b + m*m:b + 2*m*m], X[b + 2*m*m:b + 3*m*m], X[b + 3*m*m:c], X[c:d], X[d:d + m*nv], X[d + m*nv:])


@leaf
def mode_of(model, touch, k): return touch[model.contact.shape[0] + k]


@leaf
def holds(model, k): return int(model.contact[k, CONTACT_FRICTION]) in HOLDING


@leaf
def asks(model, touch):
    """Whether a contact is in a mode that asks for forces"""
    found = False
    for k in range(model.contact.shape[0]):
        found = found | (mode_of(model, touch, k) == STICKS)
    return found


@leaf
def held_friction(model, work, touch, rubs):
    """Of those that stick, N"""
    for k in range(model.contact.shape[0]):
        if mode_of(model, touch, k) == STICKS:
            rubs[k] = grip_of(model, work).force[k]


# ---- (W A W) x = W b, W the roots of the limits: loads that several points could take are shared by what they hold

@borrower
def factor(g, m):
    """A weighted, over its largest diagonal entry: eigenvalues onto its diagonal, eigenvectors into g.turn."""
    most, size = 0.0, 0.0
    for i in range(m):
        most = max(most, g.limit[int(g.index[i])])
    for i in range(m):
        g.weight[i] = math.sqrt(max(g.limit[int(g.index[i])], LEAST*most)) if most > 0.0 else 1.0
        size = max(size, g.weight[i]*g.weight[i]*g.A[i*m + i])
    for i in range(m):
        for j in range(i + 1):
            g.A[i*m + j] = 0.5*(g.A[i*m + j] + g.A[j*m + i])*g.weight[i]*g.weight[j]/size
            g.A[j*m + i] = g.A[i*m + j]
            g.turn[i*m + j] = g.turn[j*m + i] = 1.0 if i == j else 0.0
    g.note[0], g.note[1] = m, size
    for _ in range(ROUNDS):
        off = 0.0
        for i in range(m):
            for j in range(i):
                off = max(off, abs(g.A[i*m + j]))
                turn_pair(g, m, i, j)
        if off < 1e-16:
            break


@borrower
def turn_pair(g, m, i, j):
    """The turn in the plane of i and j that leaves no A_ij"""
    A, V, a = g.A, g.turn, g.A[i*m + j]
    if abs(a) < 1e-18:
        return
    half = 0.5*(A[j*m + j] - A[i*m + i])/a
    t = math.copysign(1.0, half)/(abs(half) + math.sqrt(half*half + 1.0))
    c = 1.0/math.sqrt(t*t + 1.0)
    s = t*c
    for k in range(m):
        x, y = A[k*m + i], A[k*m + j]
        A[k*m + i], A[k*m + j] = c*x - s*y, s*x + c*y
        x, y = V[k*m + i], V[k*m + j]
        V[k*m + i], V[k*m + j] = c*x - s*y, s*x + c*y
    for k in range(m):
        x, y = A[i*m + k], A[j*m + k]
        A[i*m + k], A[j*m + k] = c*x - s*y, s*x + c*y


@leaf
def stiffness(d): return (d + SHARED)*(d + SHARED)/(d + 2.0*SHARED)


@borrower
def along_eigenvectors(g, noise):
    """g.wanted, weighted, into g.left, but for what may be noise of it"""
    m, size = int(g.note[0]), g.note[1]
    for i in range(m):
        most, g.left[i] = 0.0, 0.0
        for k in range(m):
            g.left[i] += g.turn[k*m + i]*g.weight[k]*g.wanted[k]/size
            most += abs(g.turn[k*m + i])*g.weight[k]*noise/size
        g.left[i] = g.left[i] if abs(g.left[i]) > most else 0.0


@borrower
def solve(g, noise):
    """Forces that add g.wanted, known to its noise, into g.answer"""
    m = int(g.note[0])
    along_eigenvectors(g, noise)
    for k in range(m):
        g.answer[k] = 0.0
        for i in range(m):
            g.answer[k] += g.left[i]/stiffness(max(g.A[i*m + i], 0.0))*g.turn[k*m + i]*g.weight[k]


@borrower
def impulses(g):
    """Impulses that end the slips g.wanted, as far as impulses can, into g.answer"""
    m = int(g.note[0])
    along_eigenvectors(g, 0.0)
    for k in range(m):
        g.answer[k] = 0.0
        for i in range(m):
            d = max(g.A[i*m + i], 0.0)
            g.answer[k] += g.left[i]*d/stiffness(d)/stiffness(d)*g.turn[k*m + i]*g.weight[k]


@borrower
def equations(g, noise):
    """The definite g.whole x = b, b in place of g.wanted, that the weighted forces of `solve` are the solution of"""
    m = int(g.note[0])
    along_eigenvectors(g, noise)
    for i in range(m):
        g.wanted[i] = 0.0
        for k in range(m):
            g.wanted[i] += g.turn[i*m + k]*g.left[k]
        for j in range(m):
            g.whole[i*m + j] = 0.0
            for k in range(m):
                g.whole[i*m + j] += g.turn[i*m + k]*stiffness(max(g.A[k*m + k], 0.0))*g.turn[j*m + k]


@borrower
def add_columns(g, nv, x):
    """x += M^-1 J' answer"""
    for i in range(int(g.note[0])):
        for j in range(nv):
            x[j] += g.answer[i]*g.column[i*nv + j]


@cache
def holding(ask):
    """Leaf: acc of a planar chain, as `ask` answered it without what holds, with it; forces into Work.grip."""
    at_points = points_in_plane()
    accelerations, acceleration, slip, push = (
        at_points.accelerations, at_points.acceleration, at_points.slip, at_points.push)

    @leaf
    def slip_acceleration(model, work, k): return slip(normal_of(model, k), acceleration(model, work, k))

    @borrower
    def hold(model, work, q, v, touch, torque, acc):
        g, nv, m = grip_of(model, work), model.spring.shape[0], 0
        for k in range(model.contact.shape[0]):
            if mode_of(model, touch, k) == STICKS:
                g.index[m] = k
                m += 1
        g.note[0] = m
        if m == 0:
            return OK
        accelerations(model, work, q, v, acc)
        g.note[2] = 0.0
        for i in range(m):
            k = int(g.index[i])
            g.wanted[i], (x, y, _) = -slip_acceleration(model, work, k), acceleration(model, work, k)
            g.note[2] = max(g.note[2], NOISE*abs(x), NOISE*abs(y))
        for i in range(m):
            k = int(g.index[i])
            n, at, column = normal_of(model, k), 6*row_of(model, k), vector(shifted(pointer(g.column), i*nv), nv)
            kept = load6(work.wrench, at)
            push(model, work, k, (PUSH*n[1], -PUSH*n[0], 0.0))
            status = ask(model, work, q, v, torque, column)
            store(work.wrench, at, kept)
            if status != OK:
                return status
            for j in range(nv):
                column[j] = (column[j] - acc[j])/PUSH
        for j in range(m):
            accelerations(model, work, q, g.still, vector(shifted(pointer(g.column), j*nv), nv))
            for i in range(m):
                g.A[i*m + j] = slip_acceleration(model, work, int(g.index[i]))
        factor(g, m)
        solve(g, g.note[2])
        add_columns(g, nv, acc)
        for i in range(m):
            g.force[int(g.index[i])] = g.answer[i]
        return OK

    return hold


@leaf
def load6(X, at): return X[at], X[at + 1], X[at + 2], X[at + 3], X[at + 4], X[at + 5]


@cache
def stopping():
    """Leaf: velocities that end the slips of the points whose hold was asked for last; the work of that impulse, J.

    It joins the impulses of friction, `rubbed`.
    """
    at_points = points_in_plane()
    speeds, velocity, slip = at_points.speeds, at_points.velocity, at_points.slip

    @borrower
    def stop(model, work, q, v, rubbed):
        g, nv, done = grip_of(model, work), model.spring.shape[0], 0.0
        for _ in range(2):
            speeds(model, work, q, v, v)
            for i in range(int(g.note[0])):
                k = int(g.index[i])
                g.wanted[i] = -slip(normal_of(model, k), velocity(model, work, k))
            impulses(g)
            add_columns(g, nv, v)
            speeds(model, work, q, v, v)
            for i in range(int(g.note[0])):
                k = int(g.index[i])
                after = slip(normal_of(model, k), velocity(model, work, k))
                done += 0.5*g.answer[i]*(after - g.wanted[i])
                rubbed[k] += g.answer[i]
        return done

    return stop
