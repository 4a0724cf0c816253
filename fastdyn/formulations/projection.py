"""Back onto the closures after a step: the nearest places and velocities, distances measured by the mass matrix.

Newton on the gaps: dq = -M^-1 J' S^-1 g and then dv = -M^-1 J' S^-1 g', S = J M^-1 J' (mobility.py). The factors of the
first round serve all that follow as long as each leaves a tenth or less.
"""

import math
from functools import cache

import numpy as np

from .._address import NQ, NV, SETTLE, shifted, vector
from .._jit import borrower, int64, kernel, leaf, ready
from ..layout import WEB_G, WEB_GAP, WEB_HEAD, WEB_L, WEB_LISTS, held_exactly, in_plane
from ..status import OK
from . import formulation, recursive
from .gaps import gaps, held
from .mobility import add_columns, bench, many_gaps, mobility, yielding
from .rates import MULTIPLIERS, _asking, closed, coordinate_rates, opened, settle_row_quaternions, turns_balls
from .signatures import FORWARD, MATRIX, MODEL, WORK

GOAL = 4e-15                # of the size of a gap: no better is asked for
ROUNDS = 20
SLOW = 0.1                  # a round that leaves more asks for new factors
VOID = 1                    # the rate has to be asked again
SIZE, ORDER, FORCES = 0, 1, 2   # which of the lists of Work.loop they are: mobility.py, Bench


def settle(model):
    """Kernel of signature SETTLE for chains with closures that are held exactly."""
    return _settle(in_plane(model), many_gaps(model), not turns_balls(model))


def project_states(model):
    """Kernel (model, work, q, v, rates): rows of states onto the closures; `rates` is scratch like q."""
    return _project_states(in_plane(model), many_gaps(model), not turns_balls(model))


def forward_dynamics(model, name="recursive", closures=MULTIPLIERS):
    """Kernel: acc of the closed chain under torque and Work.wrench; multipliers stay in Work.loop."""
    ask, kind = _road(model, name)
    ask, how = closed(model, ask, closures)
    return _forward(ask, f"{kind} {how}")


def gap_forces(model, work):
    """The forces of the gaps that are held, as the last forward dynamics left them in `work`."""
    m = held_exactly(model)
    at = int(model.web[WEB_LISTS]) + FORCES*m
    return work.loop[at:at + m].copy()


def idle_gaps(model, work):
    """Numbers of the gaps that took no part when gaps were last asked how they yield."""
    order, pivot, _ = _factors(model, work)
    return sorted(int(g) for g in order[~(pivot > 0.0)])


def gaps_that_count(model, work, q):
    """(of each gap held exactly whether it is not idle at q, how many say something that the others do not)"""
    rates = np.empty((1, len(q)))
    ready(project_states(model))(model, work, q[None].copy(), np.zeros((1, len(model.spring))), rates)
    order, pivot, size = _factors(model, work)
    count = np.zeros(len(order), bool)
    count[order.astype(int)] = size > 0.0
    return count, int(np.count_nonzero(pivot > 0.0))


def _factors(model, work):
    """Of the factors of J M^-1 J' as they were last: gaps in their order, their pivots, their sizes."""
    m, nv, web = held_exactly(model), len(model.spring), model.web
    L, at = work.loop[web[WEB_L]:web[WEB_G]], int(web[WEB_LISTS])
    size = work.loop[at + SIZE*m:at + ORDER*m]
    if many_gaps(model):
        places = WEB_HEAD + 2*nv + 1 + WEB_GAP*m
        order, start = web[places:places + m], web[places + 2*m:places + 3*m]
        return order, L[start + np.arange(m)], size
    order = work.loop[at + ORDER*m:at + FORCES*m]
    return order, L[:m*m:m + 1], size[order.astype(int)]


@cache
def _forward(ask, kind):
    @kernel(FORWARD, variant=kind)
    def forward_dynamics(model, work, q, v, torque, acc):
        return ask(model, work, q, v, torque, acc)

    return forward_dynamics


def _road(model, name):
    """(forward dynamics as a leaf, its name)"""
    if name == "recursive":
        variant = recursive.variant(model)
        return recursive.motion(variant), variant.name()
    return _asking(formulation(name).forward_dynamics(model)), f"{name} {'plane' if in_plane(model) else 'space'}"


@cache
def projection(plane, many, plain):
    """Leaf: (model, work, q, v, rates); rates: scratch of q's size."""
    G, yields, (*_, solve) = gaps(plane), mobility(plane, many), yielding(many)

    @leaf
    def move(model, q, step, rates):
        """q by a small change of the velocities' kind"""
        if plain:
            for j in range(step.shape[0]):
                q[j] += step[j]
        else:
            coordinate_rates(model.row, q, step, rates)
            for j in range(q.shape[0]):
                q[j] += rates[j]
            settle_row_quaternions(model.row, q, rates)

    @borrower
    def project(model, work, q, v, rates):
        m, nv = held(model), model.spring.shape[0]
        b, before, rank = bench(model, work, m, nv), math.inf, -1
        for _ in range(ROUNDS):
            G.places(model, work, q, v, v)
            worst = G.worst(model, work, m, b.value)
            if not GOAL < worst < before:
                break
            if rank < 0 or worst > SLOW*before:
                rank = yields(model, work, q, b, m)
            before = worst
            solve(model, b, m, nv, rank, b.force)
            for j in range(nv):
                b.step[j] = 0.0
            add_columns(model, b, m, nv, b.force, -1.0, b.step)
            move(model, q, b.step, rates)
        if rank < 0:
            rank = yields(model, work, q, b, m)
        for _ in range(2):
            G.speeds(model, work, q, v, v)
            G.rates(model, work, m, b.value)
            solve(model, b, m, nv, rank, b.force)
            add_columns(model, b, m, nv, b.force, -1.0, v)

    return project


def _name(plane, many, plain):
    return f"{'many ' if many else ''}loops in {'plane' if plane else 'space'}{' plain' if plain else ''}"


@cache
def _settle(plane, many, plain):
    project = projection(plane, many, plain)

    @kernel(SETTLE, variant=_name(plane, many, plain))
    def settle(handle, t, y, dy):
        model, work = opened(handle)
        if not plain:
            settle_row_quaternions(model.row, y, dy)
        project(model, work, vector(y, handle[NQ]), vector(shifted(y, handle[NQ]), handle[NV]),
                        vector(dy, handle[NQ]))
        return VOID

    return settle


@cache
def _project_states(plane, many, plain):
    project = projection(plane, many, plain)

    @kernel(int64(MODEL, WORK, MATRIX, MATRIX, MATRIX), variant=_name(plane, many, plain))
    def project_states(model, work, q, v, rates):
        for i in range(q.shape[0]):
            project(model, work, q[i], v[i], rates[0])
        return OK

    return project_states
