"""Back onto the closures after a step: the nearest places and velocities, distances measured by the mass matrix.

Newton on the gaps: dq = -W (J W)^-1 g and then dv = -W (J W)^-1 g', W = M^-1 J' (loops.py). The factors of the first
round serve all that follow as long as each leaves a tenth or less.
"""

import math
from functools import cache

from .._address import NQ, NV, SETTLE, shifted, vector
from .._jit import int64, kernel, leaf, sweep
from ..layout import held_exactly, in_plane
from ..status import OK
from . import formulation, recursive
from .gaps import gaps, held
from .loops import add_columns, bench, bound, mobility, solve
from .rates import _asking, coordinate_rates, opened, settle_row_quaternions, turns_balls
from .signatures import FORWARD, MATRIX, MODEL, WORK

GOAL = 4e-15                # of the size of a gap: no better is asked for
ROUNDS = 20
SLOW = 0.1                  # a round that leaves more asks for new factors
SETTLED, VOID = 0, 1


def settle(model, name="recursive"):
    """Kernel of signature SETTLE for chains with closures that are held exactly."""
    return _settle(*_road(model, name), not turns_balls(model))


def project_states(model, name="recursive"):
    """Kernel (model, work, q, v, rates): rows of states onto the closures; `rates` is scratch like q."""
    return _project_states(*_road(model, name), not turns_balls(model))


def forward_dynamics(model, name="recursive"):
    """Kernel: acc of the closed chain under torque and Work.wrench; the forces of its gaps stay in Work.loop."""
    return _forward(*_road(model, name))


def gap_forces(model, work):
    """The forces of the gaps that are held, as the last forward dynamics left them in `work`."""
    return bench(work, held_exactly(model), len(model.spring)).force.copy()


@cache
def _forward(ask, kind, plane):
    closed = bound(ask, plane)

    @kernel(FORWARD, variant=kind)
    def forward_dynamics(model, work, q, v, torque, acc):
        return closed(model, work, q, v, torque, acc)

    return forward_dynamics


def _road(model, name):
    """(forward dynamics as a leaf, its name, whether in the plane)"""
    if name == "recursive":
        plane, steps = recursive.variant(model)
        return recursive.motion(plane, steps), recursive.variant_name(plane, steps), plane
    plane = in_plane(model)
    return _asking(formulation(name).forward_dynamics(model)), f"{name} {'plane' if plane else 'space'}", plane


@cache
def projection(ask, plane, plain):
    """Leaf: (model, work, q, v, rates) -> whether q or v moved; rates: scratch of q's size."""
    G, columns = gaps(plane), mobility(ask, plane)

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

    @sweep
    def project(model, work, q, v, rates):
        m, nv = held(model), model.spring.shape[0]
        b, before, rank, moved = bench(work, m, nv), math.inf, -1, False
        for _ in range(ROUNDS):
            G.places(model, work, q, v, v)
            worst = G.worst(model, work, m, b.value)
            if not GOAL < worst < before:
                break
            if rank < 0 or worst > SLOW*before:
                status, rank = columns(model, work, q, b, m)
                if status != OK:
                    return moved
            before, moved = worst, True
            solve(b, m, rank, b.force)
            for j in range(nv):
                b.step[j] = 0.0
            add_columns(b, m, nv, b.force, -1.0, b.step)
            move(model, q, b.step, rates)
        if rank < 0:
            status, rank = columns(model, work, q, b, m)
            if status != OK:
                return moved
        for _ in range(2):
            G.speeds(model, work, q, v, v)
            G.rates(model, work, m, b.value)
            solve(b, m, rank, b.force)
            add_columns(b, m, nv, b.force, -1.0, v)
        return True

    return project


@cache
def _settle(ask, kind, plane, plain):
    project = projection(ask, plane, plain)

    @kernel(SETTLE, variant=f"loops {kind}")
    def settle(handle, t, y, dy):
        model, work = opened(handle)
        if not plain:
            settle_row_quaternions(model.row, y, dy)
        moved = project(model, work, vector(y, handle[NQ]), vector(shifted(y, handle[NQ]), handle[NV]),
                        vector(dy, handle[NQ]))
        return VOID if moved else SETTLED

    return settle


@cache
def _project_states(ask, kind, plane, plain):
    project = projection(ask, plane, plain)

    @kernel(int64(MODEL, WORK, MATRIX, MATRIX, MATRIX), variant=f"{kind} {'plain' if plain else ''}")
    def project_states(model, work, q, v, rates):
        for i in range(q.shape[0]):
            project(model, work, q[i], v[i], rates[0])
        return OK

    return project_states
