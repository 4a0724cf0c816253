"""The production road: O(n) elimination of the joints, in the plane and in space, one chain or LANES side by side.

Every question is a function of the model that returns a kernel: which sweeps are compiled depends on whether the chain
is planar, on the joints that occur in it and on the number of lanes. All kernels of one question share a signature.
Source: [Featherstone 2008] ch. 7, [Saha 1999]; derivation in docs/theory/recursion.md.
"""

from functools import cache

from .._jit import kernel, leaf, ready
from ..layout import ACTING, STEP, TROUBLED, in_plane
from ..status import NOT_FINITE, OK, SINGULAR_INERTIA
from . import plane_forward, plane_inverse, space_forward, space_inverse
from .signatures import FORWARD, INVERSE


def forward_dynamics(model, lanes=1, own=False):
    """Kernel: acc under torque and Work.wrench at q, v. Flat arrays, number j of lane k at j*lanes + k."""
    return ready(_forward(*_variant(model), lanes, own))


def inverse_dynamics(model, lanes=1, own=False):
    """Kernel: the torque that gives acc under Work.wrench at q, v."""
    return ready(_inverse(*_variant(model), lanes, own))


def _variant(model):
    return in_plane(model), tuple(sorted(set(model.row[:, STEP].tolist())))


def _name(plane, steps, lanes, own):
    return f"{'plane' if plane else 'space'} {'.'.join(map(str, steps))} x{lanes}{' own' if own else ''}"


@cache
def _forward(plane, steps, lanes, own):
    sweeps = leaf((plane_forward if plane else space_forward).build(lanes, own, steps))

    @kernel(FORWARD, variant=_name(plane, steps, lanes, own))
    def forward_dynamics(model, work, q, v, torque, acc):
        sweeps(model.row, model.body, model.base, work.row, work.slot, q, v, torque, work.wrench,
               work.note[ACTING] == 1, work.trouble, acc)
        return answer(work, acc)

    return forward_dynamics


@cache
def _inverse(plane, steps, lanes, own):
    sweeps = leaf((plane_inverse if plane else space_inverse).build(lanes, own, steps))

    @kernel(INVERSE, variant=_name(plane, steps, lanes, own))
    def inverse_dynamics(model, work, q, v, acc, torque):
        sweeps(model.row, model.body, model.base, work.row, work.slot, q, v, acc, work.wrench,
               work.note[ACTING] == 1, torque)
        return finite(torque)

    return inverse_dynamics


@leaf
def answer(work, acc):
    """Status of a forward run: trouble in any lane, or an answer that is no number."""
    for k in range(work.trouble.shape[0]):
        if work.trouble[k] > 0.0:
            work.note[TROUBLED] = int(work.trouble[k]) - 1
            return SINGULAR_INERTIA
    return finite(acc)


@leaf
def finite(x):
    """OK if every number of x is finite: 0 x is zero then, and NaN otherwise."""
    total = 0.0
    for j in range(x.shape[0]):
        total += 0.0*x[j]
    return OK if total == 0.0 else NOT_FINITE
