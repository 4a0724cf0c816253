"""Closures held exactly: M acc = h + J' force, J acc = -(second rates of the gaps at acc = 0).

The free chain answers first; then what a unit force in each gap adds is found by the sparse factors of M (mobility.py):
(J M^-1 J') force = -(second + J acc), by factors that find redundant gaps, and once more for what this leaves where
that is more than rounding. Work.loop holds it all; docs/theory/loops.md has the derivation.
Source: [Angeles & Lee 1988], [Saha 1999].
"""

from functools import cache

from .._jit import borrower, int64, kernel, leaf
from ..layout import in_plane
from ..status import OK
from .gaps import gaps, held
from .graded import FINE, least_root
from .idle import levers
from .mobility import add_columns, bench, mobility, yielding
from .signatures import MATRIX, MODEL, VECTOR, WORK
from .ways import weighed

AGAIN = 4                   # times at most that forces are asked for what they leave
REST = 1e-12                # of the numbers a second rate is made of, what forces may leave of it


@leaf
def missing(model, b, m, nv, acc):
    """What the gaps still need of second rates, and whether one that takes part needs more than rounding"""
    far = False
    for k in range(m):
        total, size = weighed(model.web, nv, k, b.J, acc)
        b.value[k] = -(b.second[k] + total)
        far = far or (b.size[k] > 0.0 and abs(b.value[k]) > REST*(abs(b.second[k]) + size))
    return far


@cache
def bound(ask, plane, many):
    """Leaf: `ask` of a chain whose gaps are held; leaves their forces in Work.loop."""
    G, yields, (*_, solve) = gaps(plane), mobility(plane, many), yielding(many)

    @borrower
    def bound(model, work, q, v, torque, acc):
        m, nv = held(model), model.spring.shape[0]
        b = bench(model, work, m, nv)
        status = ask(model, work, q, v, torque, acc)
        if status != OK:
            return status
        G.accelerations(model, work, q, v, b.zero)
        G.seconds(model, work, m, b.second)
        rank = yields(model, work, q, b, m)
        missing(model, b, m, nv, acc)
        solve(model, b, m, nv, rank, b.force)
        add_columns(model, b, m, nv, b.force, 1.0, acc)
        uneven = not many and least_root(b.L, m, rank) < FINE
        for _ in range(AGAIN):
            if not (missing(model, b, m, nv, acc) or uneven):
                break
            solve(model, b, m, nv, rank, b.more)
            for k in range(m):
                b.force[k] += b.more[k]
            add_columns(model, b, m, nv, b.more, 1.0, acc)
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


def gap_levers(model):
    """Kernel (model, work, q, longest, out): of each gap the largest share of its longest lever that a velocity has."""
    return _levers(in_plane(model))


@cache
def _levers(plane):
    G, lever = gaps(plane), levers(plane)

    @kernel(int64(MODEL, WORK, VECTOR, VECTOR, VECTOR), variant="plane" if plane else "space")
    def gap_levers(model, work, q, longest, out):
        G.places(model, work, q, work.torque, work.torque)
        for k in range(out.shape[0]):
            out[k] = lever(model, work, k, longest)
        return OK

    return gap_levers


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
