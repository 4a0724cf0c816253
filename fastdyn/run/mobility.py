"""What closures held exactly leave of the motion: rank, redundant closures, singular poses."""

import warnings
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from ..describe.chain import Chain
from ..formulations.idle import NO_LEVER
from ..layout import GAP_OF, held_exactly
from ..status import ModelError
from .asking import states
from .assembly import assemble
from .dynamics import apply_inverse_mass, mass_matrix
from .loops import gap_jacobian, levers_of, moved, name_of, named_by
from .scales import scales

RANK = 1e-9                 # of the largest singular value: below it counts as none
NOTHING_NEW = 1e-7          # of a row of length one, what is left of it beside the rows before it
VANISHES = 0.1              # of the longest row that a closure has beside a pose
NEARLY = 1e-3               # measure, below which gaps that take no part make a pose singular
BESIDE = 0.03               # rad or lengths of the chain, how far beside a pose its neighbour is
LARGE = 300                 # velocities, beyond which a run does not ask the square matrices here at its start


class Mobility(NamedTuple):
    """Freedoms of a chain with its closures held exactly, at one pose.

    gaps : held exactly. rank : how many of them say something that the others do not, here. freedoms : velocities that
    are left, nv - rank. beside : freedoms of poses beside this one; less than here where it is singular.
    redundant : closures, by name, with gaps that say beside this pose what joints or closures before them say already.
    measure : smallest singular value of the gaps that count beside this pose over the largest, or over 1,
    closures of one size where the mass matrix measures; 0 in a singular pose.
    """

    gaps: int
    rank: int
    freedoms: int
    beside: int
    redundant: tuple[str, ...]
    measure: float


def mobility(system: Chain, q: ArrayLike) -> Mobility:
    """Rank of the closures and freedoms of a chain at one pose; whether closures are redundant, or the pose singular.

    Examples
    --------
    >>> import fastdyn as fd
    >>> found = fd.mobility(fd.catalog.four_bar(), fd.catalog.four_bar().start_q)
    >>> found.freedoms, found.redundant
    (1, ())
    """
    return _looked_at(system, states(system, q)[0])[0]


def _looked_at(system, q):
    """(Mobility, numbers of the gaps that are redundant, rows of J of one size)"""
    J, L = _rows(system, q)
    near = neighbour(system, q, np.linalg.solve(L.T, free_directions(_of_one_size(system, J)).T))
    there = J if near is None else _rows(system, near)[0]
    J, there = _of_one_size(system, J, there), _of_one_size(system, there)
    size = np.linalg.svd(J, compute_uv=False)
    rank = _rank(size)
    wanted = max(rank, _rank(np.linalg.svd(there, compute_uv=False)))
    repeating = _repeating(there)
    redundant = dict.fromkeys(named_by(system, gap) for gap in repeating)
    measure = float(size[wanted - 1]/max(size[0], 1.0)) if wanted and rank == wanted else 0.0 if wanted else 1.0
    return Mobility(len(J), rank, system.nv - rank, system.nv - wanted, tuple(redundant), measure), repeating, J


def measured_gaps(system, q):
    """(J L^-T, the longest row of each closure of length one, L), M = L L'."""
    J, L = _rows(system, q)
    return _of_one_size(system, J), L


def _rows(system, q):
    """(J L^-T, gaps over their scales, L)"""
    try:
        L = np.linalg.cholesky(mass_matrix(system, q))
    except np.linalg.LinAlgError:
        apply_inverse_mass(system, q, np.zeros(system.nv))    # raises, and names the link
        raise ModelError("the mass matrix is singular here: a joint has nothing to move; give links mass") from None
    held = held_exactly(system.model)
    J = gap_jacobian(system, q)[:held]/scales(system).gaps[:held, None]
    J[levers_of(system, q)[:held] <= NO_LEVER] = 0.0    # rows of rounding
    return np.linalg.solve(L, J.T).T, L


def _of_one_size(system, J, beside=None):
    """J, the longest row of each closure of length one; beside this pose where all of a closure vanish in it."""
    closure = system.model.closure[:len(J), GAP_OF].astype(int)
    most, near = np.full((2, len(system.closures)), 1e-300)
    np.maximum.at(most, closure, np.linalg.norm(J, axis=1))
    if beside is not None:
        np.maximum.at(near, closure, np.linalg.norm(beside, axis=1))
    return J/np.where(most < VANISHES*near, near, most)[closure, None]


def free_directions(J):
    """(freedoms, nv): rows, orthonormal, that J has nothing to say of."""
    if not len(J):
        return np.eye(J.shape[1])
    _, size, rows = np.linalg.svd(J)
    return rows[_rank(size):]


def _rank(size):
    return int(np.count_nonzero(size > RANK*size[0])) if len(size) else 0


def neighbour(system, q, motions):
    """A closed pose beside q along some of its motions, or None."""
    if not motions.shape[1]:
        return None
    step = motions @ np.cos(1.0 + np.arange(motions.shape[1]))
    try:
        return assemble(system, moved(system, q, BESIDE*step/np.abs(step/scales(system).speeds).max()))
    except ModelError:
        return None


def _repeating(J):
    """Numbers of rows that are made of rows before them."""
    kept, found = np.empty((0, J.shape[1])), []
    for number, row in enumerate(J):
        for _ in range(2):                              # once more: what rounding left
            row = row - kept.T @ (kept @ row)
        size = np.linalg.norm(row)
        if size > NOTHING_NEW:
            kept = np.vstack([kept, row/size])
        else:
            found.append(number)
    return found


def notes_on_closures(system, q, idle):
    """Sentences for Run.notes on a start where the gaps `idle` take no part; a singular one warns too."""
    if not idle:
        return ()
    if system.nv > LARGE:
        return (f"{_names(system, idle)}: takes no part at the start, being redundant or in a singular pose; "
                "fastdyn.mobility tells which",)
    (found, repeating, J), said = _looked_at(system, q), []
    if found.redundant:
        left = "the motion is unique all the same" if found.freedoms else "no freedom is left and nothing moves"
        said.append(f"{_silent(system, repeating)} (rank {found.rank} of {found.gaps} gaps); {left}, of the forces the "
                    "shortest are given")
    missing = _rank(np.linalg.svd(np.delete(J, idle, axis=0), compute_uv=False)) < found.rank
    if found.beside < found.freedoms or (missing and found.measure < NEARLY):
        said.append(f"the start is a singular pose, measure {found.measure:.3g}: {found.freedoms} freedoms here, "
                    f"{found.beside} beside it; the chain goes the way its velocities, or from rest its forces, begin, "
                    "and loses digits there: a start beside it loses none")
        warnings.warn(said[-1], RuntimeWarning, 4)
    elif missing:
        names = _names(system, [gap for gap in idle if gap not in repeating] or idle)
        said.append(f"{names}: takes no part at the start, where joints move its gaps by less than 1e-4 of what they "
                    "could; where it is to hold, choose a place or an axis that they move more")
    return tuple(said)


def _names(system, gaps):
    return ", ".join(dict.fromkeys(named_by(system, gap) for gap in gaps))


def _silent(system, repeating):
    """What redundant closures do not say, with the names of those of which it is true."""
    closure, said = system.model.closure[:held_exactly(system.model), GAP_OF], {}
    for which in dict.fromkeys(closure[repeating]):
        silent, gaps = np.count_nonzero(closure[repeating] == which), np.count_nonzero(closure == which)
        some = f"{silent} of its {gaps} gaps {'says' if silent == 1 else 'say'}" if silent < gaps else "says"
        said.setdefault(f"{some} nothing that joints and other gaps do not", []).append(name_of(system, int(which)))
    return "; ".join(f"{', '.join(names)}: {what}" for what, names in said.items())
