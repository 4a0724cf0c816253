"""Natural frequencies by counting: how many lie below a number is known exactly, so none is missed or found twice."""

import numpy as np

from ..describe.check import shown
from ..status import ModelError

WIDTH = 4.0*np.finfo(float).eps                     # of a bracket, relative: as far as bisection goes
NEAR = 2e-6                                         # of a square of a frequency: what is taken for it
NOTHING = 1e-26                                     # of the largest root: below this a root is zero
ROUNDS = 400
SPAN = 1e-12                                        # of the largest root: smaller ones are rounding
UNHELD = 1e-15                                      # of the stiffest motion and per coordinate: none at all


def roots(count_below, wanted, top, still=None):
    """The lowest `wanted` roots: count_below(row of numbers) is how many lie below each; `top` bounds the wanted.

    still : how many are known to be zero, the others to be as exact as the count is, however small; None: what is below
        NOTHING of the largest is zero.
    """
    number = np.arange(wanted)
    if still is not None:
        return np.where(number < still, 0.0, _by_digits(count_below, number, top))
    low, high = np.zeros(wanted), np.full(wanted, top)
    for _ in range(ROUNDS):
        middle = 0.5*(low + high)
        above = count_below(middle) > number
        low, high = np.where(above, low, middle), np.where(above, middle, high)
        if np.all(high - low <= np.maximum(WIDTH*high, NOTHING*top)):
            break
    return np.where(high <= 2.0*NOTHING*top, 0.0, 0.5*(low + high))


def _by_digits(count_below, number, top):
    """Bisection of the numbers a float64 can be, in order as their bits are: none is too small to be found."""
    low, high = np.zeros(len(number), np.int64), np.full(len(number), top).view(np.int64)
    while np.any(high - low > 1):
        middle = low + (high - low)//2
        above = count_below(middle.view(float)) > number
        low, high = np.where(above, low, middle), np.where(above, middle, high)
    return high.view(float)


def check_natural(below, omega, still):
    """How many natural frequencies each of omega is, refused where it is none; still: how many are zero."""
    square = omega*omega
    many = np.where(omega == 0.0, still, below(square*(1.0 + NEAR)) - below(square*(1.0 - NEAR)))
    none = (many == 0) | (omega < 0.0)
    if np.any(none):
        raise ModelError(f"omega has {shown(float(omega[none][0]))} rad/s, which is no natural frequency; give those "
                         "that natural_frequencies finds")
    return many


def bound(count_below, wanted, start):
    """A number with `wanted` roots below it."""
    top = start
    for _ in range(ROUNDS):
        if count_below(np.array([top]))[0] >= wanted:
            return top
        top *= 4.0
    raise ModelError(f"the chain has fewer than {wanted} natural frequencies, since parts without inertia have none; "
                     "ask for fewer")


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


def quadratic_roots(M, C, K, damped, joined):
    """All s with det(s^2 M + s C + K) = 0, by a state matrix from which motions without springs are taken out.

    damped, joined : C and K with all dampers and springs that there are equal to one: what they leave free is told
        from those, where weak springs are not beside strong ones. Each motion that no spring holds is a root of zero,
        one that no damper holds either another: s^2 M + s C on them. The angles of these motions act on nothing, so the
        state is their rates, and angles and rates of all else.
    """
    root = np.linalg.cholesky(M)
    loose = _unheld(joined, joined)
    undamped = _unheld(loose.T @ damped @ loose, damped)
    rigid, still = loose.shape[1], undamped.shape[1]
    first = np.linalg.qr(np.hstack([undamped, np.eye(rigid)]))[0] if still else np.eye(rigid)
    turn = np.linalg.qr(root.T @ loose @ first, mode="complete")[0]
    C, K = (turn.T @ np.linalg.solve(root, np.linalg.solve(root, X).T) @ turn for X in (C, K))
    drift, held = slice(still, rigid), slice(rigid, None)
    size, many = rigid - still, len(M) - rigid
    rate = np.zeros((size + 2*many,)*2)
    rate[:size, :size], rate[:size, size + many:] = -C[drift, drift], -C[drift, held]
    rate[size:size + many, size + many:] = np.eye(many)
    rate[size + many:, :size] = -C[held, drift]
    rate[size + many:, size:size + many], rate[size + many:, size + many:] = -K[held, held], -C[held, held]
    found = np.linalg.eigvals(rate)
    sizes = np.abs(found)
    least, most = (float(np.min(sizes)), float(np.max(sizes))) if len(sizes) else (1.0, 1.0)
    if least < SPAN*most:
        raise ModelError(f"damped roots from {least:.3g} to {most:.3g} 1/s are too far apart to be found together; "
                         "make inertias, stiffnesses and dampings more alike")
    return np.concatenate([np.zeros(rigid + still, complex), found])


def undamped_roots(omega):
    """Both roots of each natural frequency, slowest first."""
    return slowest_first(np.concatenate([-1j*omega, 1j*omega]))


def _unheld(X, whole):
    """Columns that span what a symmetric matrix of no negative work, a part of `whole`, does no work on."""
    sizes, shapes = np.linalg.eigh(X)
    return shapes[:, sizes <= UNHELD*len(whole)*np.linalg.norm(whole, 2)]


def slowest_first(s):
    """Sorted by size, of a pair the one with the negative imaginary part first."""
    near = np.round(np.log(np.abs(s) + np.finfo(float).tiny), 9)
    return s[np.lexsort((s.imag, near))]
