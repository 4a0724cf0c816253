"""The production road: O(n) elimination of the joints, in the plane and in space, one chain or LANES side by side.

Every question is a function of the model that returns a kernel: which sweeps are compiled depends on whether the chain
is planar, on the joints that occur in it and on the number of lanes. All kernels of one question share a signature.
Source: [Featherstone 2008] ch. 7, [Saha 1999]; derivation in docs/theory/recursion.md.
"""

import math
from functools import cache
from typing import NamedTuple

import numpy as np

from .._address import ASK, NQ, NV, opener, vector
from .._jit import kernel, leaf, pointer, ready, sweep
from ..layout import ACTING, P_K, PARENT, PLANE_WORK, STATE, STEP, TROUBLED, in_plane, lanes_for, work_columns
from ..status import NOT_FINITE, OK, SINGULAR_INERTIA
from . import plane_forward, plane_inverse, space_forward, space_inverse
from .loads import joint_laws, link_loads
from .mass import dense_size as dense_size
from .mass import mass_matrix as mass_kernel
from .signatures import BATCH, FORWARD, INVERSE, MODEL, WORK

opened = opener(MODEL, WORK)


def forward_dynamics(model, lanes=1, own=False):
    """Kernel: acc under torque and Work.wrench at q, v. Flat arrays, number j of lane k at j*lanes + k."""
    return ready(_forward(variant(model), lanes, own))


def inverse_dynamics(model, lanes=1, own=False):
    """Kernel: the torque that gives acc under Work.wrench at q, v."""
    return ready(_inverse(variant(model), lanes, own))


def by_address(model, lanes=1, own=False, inverse=False):
    """Kernel: one of the two, for compiled loops: a handle and bare addresses, 50 ns less a call."""
    return ready(_by_address(variant(model), lanes, own, inverse))


def mass_matrix(model):
    """Kernel: M at q, by composite rigid bodies."""
    return ready(mass_kernel)


def batch(model, inverse=False):
    """Kernel: the same for many states of one chain, several at a time; states and answers are rows of matrices."""
    return ready(_batch(variant(model), lanes_for(model), inverse))


def kernels_of(model):
    """Every kernel that questions about this chain may need, not compiled yet."""
    wanted = variant(model)
    batches = [_batch(wanted, lanes_for(model), inverse) for inverse in (False, True)]
    return [_forward(wanted, 1, False), _inverse(wanted, 1, False), *batches]


def joint_wrenches(model, work):
    """(rows, 6): force and moment each joint gives, link axes, as the last inverse dynamics left them in `work`."""
    n, C = len(model.row), model.frame.reshape(-1, 3, 3)
    moment, force = np.zeros((n, 3)), np.zeros((n, 3))
    if in_plane(model):
        kept = work.row.reshape(n, PLANE_WORK)
        moment[:, 2], force[:, :2] = kept[:, P_K], kept[:, P_K + 1:P_K + 3]
    else:
        at = work_columns(model.row[:, STEP].tolist())
        kept = work.row.reshape(n, at.width)[:, at.pivot:]
        moment, force = kept[:, :3], kept[:, 3:6]
    return np.hstack([np.einsum("nij,nj->ni", C, force), np.einsum("nij,nj->ni", C, moment)])


class Variant(NamedTuple):
    """What the kernels of a chain are compiled for: the space, the steps that occur, whether every row hangs on the
    one before (its coordinates then stand behind that one's, for parents are listed before their children)."""

    plane: bool
    steps: tuple[int, ...]
    unbranched: bool

    def name(self, lanes=1, own=False):
        """What tells its kernels from those of other variants."""
        parts = "plane" if self.plane else "space", ".".join(map(str, self.steps)), f"x{lanes}"
        return " ".join(parts) + " unbranched"*self.unbranched + " own"*own


def variant(model):
    """The variant of a model."""
    steps, parent = set(model.row[:, STEP].tolist()), model.row[:, PARENT]
    return Variant(in_plane(model), tuple(sorted(steps)), bool(np.all(parent == np.arange(len(parent)) - 1)))


@cache
def motion(variant, lanes=1, own=False):
    """Leaf: acc under work.torque and work.wrench at q, v, and a status."""
    plane = variant.plane
    sweeps = leaf((plane_forward if plane else space_forward).build(lanes, variant, own))

    @sweep
    def passes(n, row, body, beam, base, W, V, S, q, v, torque, wrench, note, trouble, acc, coordinates, numbers):
        if plane:
            sweeps(n, row, body, beam, base, W, V, S, q, v, torque, wrench, note[ACTING] == 1, trouble, acc)
        else:
            sweeps(n, row, body, base, W, S, q, v, torque, wrench, note[ACTING] == 1, trouble, acc)
        return answer(note, trouble, q, acc, lanes, coordinates, numbers)

    @leaf
    def motion(model, work, q, v, torque, acc):
        return passes(model.row.shape[0], pointer(model.row), pointer(model.body), pointer(model.beam),
                      pointer(model.base), pointer(work.row), pointer(work.beam), pointer(work.slot), pointer(q),
                      pointer(v), pointer(torque), pointer(work.wrench), pointer(work.note), pointer(work.trouble),
                      pointer(acc), q.size, acc.size)

    return motion


@cache
def _forward(variant, lanes, own):
    ask = motion(variant, lanes, own)

    @kernel(FORWARD, variant=variant.name(lanes, own))
    def forward_dynamics(model, work, q, v, torque, acc):
        return ask(model, work, q, v, torque, acc)

    return forward_dynamics


@cache
def effort(variant, lanes=1, own=False):
    """Leaf: the torque that gives acc under work.wrench at q, v, and a status."""
    plane = variant.plane
    sweeps = leaf((plane_inverse if plane else space_inverse).build(lanes, variant, own))

    @sweep
    def passes(n, row, body, beam, base, W, V, S, q, v, acc, wrench, note, torque, numbers):
        if plane:
            sweeps(n, row, body, beam, base, W, V, S, q, v, acc, wrench, note[ACTING] == 1, torque)
        else:
            sweeps(n, row, body, base, W, S, q, v, acc, wrench, note[ACTING] == 1, torque)
        return finite(torque, numbers)

    @leaf
    def effort(model, work, q, v, acc, torque):
        return passes(model.row.shape[0], pointer(model.row), pointer(model.body), pointer(model.beam),
                      pointer(model.base), pointer(work.row), pointer(work.beam), pointer(work.slot), pointer(q),
                      pointer(v), pointer(acc), pointer(work.wrench), pointer(work.note), pointer(torque), torque.size)

    return effort


@cache
def _inverse(variant, lanes, own):
    ask = effort(variant, lanes, own)

    @kernel(INVERSE, variant=variant.name(lanes, own))
    def inverse_dynamics(model, work, q, v, acc, torque):
        return ask(model, work, q, v, acc, torque)

    return inverse_dynamics


@cache
def _by_address(variant, lanes, own, inverse):
    ask = (effort if inverse else motion)(variant, lanes, own)

    @kernel(ASK, variant=f"{'inverse' if inverse else 'forward'} {variant.name(lanes, own)}")
    def by_address(handle, q, v, given, answer):
        model, work = opened(handle)
        nq, nv = handle[NQ]*lanes, handle[NV]*lanes
        return ask(model, work, vector(q, nq), vector(v, nv), vector(given, nv), vector(answer, nv))

    return by_address


@cache
def _batch(variant, lanes, inverse):
    ask = (effort if inverse else motion)(variant, lanes)
    name = f"{'inverse' if inverse else 'forward'} {variant.name(lanes)}"

    @leaf
    def put_lane(x, many, k):
        for j in range(x.shape[0]):
            many[j*lanes + k] = x[j]

    @leaf
    def gather(model, work, side, t, q, v, torque, outer, b, k):
        """Joint laws on top of a torque into work.torque and side.torque, loads and wrenches into side.wrench."""
        for j in range(torque.shape[0]):
            work.torque[j] = torque[j]
        joint_laws(model, t, q, v, work.torque)
        put_lane(work.torque, side.torque, k)
        if model.load.shape[0] > 0 or outer.shape[0] > 0:
            for c in range(work.wrench.shape[0]):
                work.wrench[c] = outer[b, c] if outer.shape[0] > 0 else 0.0
            if model.load.shape[0] > 0:
                link_loads(model, t, q, work.pose, work.wrench)
            put_lane(work.wrench, side.wrench, k)
            side.note[ACTING] = 1
        else:
            side.note[ACTING] = 0

    @kernel(BATCH, variant=name)
    def batch(model, work, side, t, q, v, acc, torque, outer, answer):
        """answer[b] at q[b], v[b] under torque[b] and the wrenches outer[b]; the last lanes repeat the last state.

        Forward the answer is the acceleration; inverse what acc[b] takes beyond torque[b] and the joints' own laws.
        """
        nq, nv = q.shape[1]*lanes, v.shape[1]*lanes
        lane_q, lane_v, lane_given = side.dense[:nq], side.dense[nq:nq + nv], side.dense[nq + nv:nq + 2*nv]
        lane_answer = side.dense[nq + 2*nv:]
        for first in range(0, q.shape[0], lanes):
            for k in range(lanes):
                b = min(first + k, q.shape[0] - 1)
                gather(model, work, side, t, q[b], v[b], torque[b], outer, b, k)
                put_lane(q[b], lane_q, k)
                put_lane(v[b], lane_v, k)
                put_lane(acc[b] if inverse else work.torque, lane_given, k)
            status = ask(model, side, lane_q, lane_v, lane_given, lane_answer)
            if status != OK:
                work.note[TROUBLED], work.note[STATE] = side.note[TROUBLED], first
                return status
            for k in range(min(lanes, q.shape[0] - first)):
                for j in range(v.shape[1]):
                    own = side.torque[j*lanes + k] if inverse else 0.0
                    answer[first + k, j] = lane_answer[j*lanes + k] - own
        return OK

    return batch


@leaf
def answer(note, trouble, q, acc, lanes, coordinates, numbers):
    """Status of a forward run: trouble in any lane, or an answer that is no number.

    A place that is no number, or too large to be squared, makes an inertia that is none: that is another trouble.
    """
    for k in range(lanes):
        if trouble[k] > 0.0:
            note[TROUBLED] = int(trouble[k]) - 1
            return SINGULAR_INERTIA if squarable(q, coordinates) else NOT_FINITE
    return finite(acc, numbers)


@leaf
def finite(x, numbers):
    """OK if every number of x is finite: x - x is zero then, and NaN otherwise."""
    astray = False
    for j in range(numbers):
        astray = astray | (x[j] - x[j] != 0.0)
    return NOT_FINITE if astray else OK


@leaf
def squarable(x, numbers):
    """Whether the squares of x are finite."""
    good = True
    for j in range(numbers):
        good = good & (x[j]*x[j] < math.inf)
    return good
