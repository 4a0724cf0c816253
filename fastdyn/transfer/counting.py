"""Natural frequencies by counting: how many lie below a number is known exactly, so none is missed or found twice."""

import numpy as np

from ..status import ModelError

WIDTH = 4.0*np.finfo(float).eps                     # of a bracket, relative: as far as bisection goes
NOTHING = 1e-26                                     # of the largest root: below this a root is zero
ROUNDS = 400


def roots(count_below, wanted, top):
    """The lowest `wanted` roots: count_below(row of numbers) is how many lie below each; `top` bounds the wanted."""
    number = np.arange(wanted)
    low, high = np.zeros(wanted), np.full(wanted, top)
    for _ in range(ROUNDS):
        middle = 0.5*(low + high)
        above = count_below(middle) > number
        low, high = np.where(above, low, middle), np.where(above, middle, high)
        if np.all(high - low <= np.maximum(WIDTH*high, NOTHING*top)):
            break
    return np.where(high <= 2.0*NOTHING*top, 0.0, 0.5*(low + high))


def bound(count_below, wanted, start):
    """A number with `wanted` roots below it."""
    top = start
    for _ in range(ROUNDS):
        if count_below(np.array([top]))[0] >= wanted:
            return top
        top *= 4.0
    raise ModelError(f"the chain has fewer than {wanted} natural frequencies; ask for fewer")


def polished(pivots, found):
    """Roots s of the product of pivots, by secants; pivots(s) gives them row by row.

    A root that would move by more than a millionth stays as it was found.
    """
    before, s = found*(1.0 + 1e-7), found.copy()
    with np.errstate(all="ignore"):
        old = list(pivots(before))
    for _ in range(5):
        with np.errstate(all="ignore"):
            new = list(pivots(s))
            ratio = np.prod([b/a for a, b in zip(old, new)], axis=0)
            moved = s - (s - before)*ratio/(ratio - 1.0)
        good = np.isfinite(moved) & (np.abs(moved - found) < 1e-6*np.abs(found))
        before, s, old = s, np.where(good, moved, s), new
    return s


def quadratic_roots(M, C, K):
    """All s with det(s^2 M + s C + K) = 0, by the state matrix."""
    n = len(M)
    rate = np.linalg.solve(M, np.hstack([-K, -C]))
    return np.linalg.eigvals(np.vstack([np.hstack([np.zeros((n, n)), np.eye(n)]), rate])).astype(complex)


def slowest_first(s):
    """Sorted by size, of a pair the one with the negative imaginary part first."""
    near = np.round(np.log(np.abs(s) + np.finfo(float).tiny), 9)
    return s[np.lexsort((s.imag, near))]
