"""What every stepper works on: the arrays of Stepping as bare addresses, and the sums all methods share."""

import math
from typing import NamedTuple

import numpy as np

from .._address import (
    ADDRESS, GAPS, HANDLE, PULLED, RATE, SETTLE, SLOPES, SWITCH, address_of, caller, desk_of, desk_opener)
from .._jit import float64, int64, lane, leaf, unknown
from .._registers import folded, larger, load, place, store
from ..layout import (
    CLOCKS, COUNTED, COUNTS, GAP_ROWS, LOOKS, RATES, RTOL, SETTINGS, TIGHTER, WIDTH, Stepping, Tape, allocate, table_of)

SETTLED, VOID, FULL = range(3)      # what a settler answers: dy is good, dy is void, empty what I keep

U = np.uint64


class Desk(NamedTuple):
    """The arrays of Stepping as addresses; numbers of components, of registers they fill, of switching functions, of
    forces that are unknowns of their own (steppers/forces.py), and the kernels about those."""

    setting: object
    clock: object
    count: object
    atol: object
    y: object
    rate: object
    new: object
    look: object
    stage: object
    dense: object
    matrix: object
    pivot: object
    gap: object
    side: object
    watch: object
    n: int
    blocks: int
    switches: int
    forces: int
    pulled: object
    slopes: object


open_desk = desk_opener(Desk, [int64 if array.dtype is np.int64 else float64 for _, array in table_of(Stepping)])


class Reel(NamedTuple):
    """The arrays of Tape as addresses, how many samples, wanted times, events and stops they hold."""

    time: object
    state: object
    wanted: object
    happened: object
    what: object
    stop: object
    samples: int
    wishes: int
    events: int
    stops: int


open_reel = desk_opener(Reel, [int64 if array.dtype is np.int64 else float64 for _, array in table_of(Tape)])

# what a method is made of: kernels that get the rate and their desk as addresses
ATTEMPT = float64(int64, HANDLE, HANDLE, float64)                       # (rate, handle, desk, h) -> error
FINISH = int64(int64, HANDLE, HANDLE, float64)                          # (rate, handle, desk, h) -> status
INTERPOLATE = int64(int64, HANDLE, HANDLE, float64, ADDRESS)            # (rate, handle, desk, x, out)
COMMIT = int64(HANDLE, float64)                                         # (desk, h)
call_rate, call_settle, call_gaps, call_switch = caller(RATE), caller(SETTLE), caller(GAPS), caller(SWITCH)
call_pulled, call_slopes = caller(PULLED), caller(SLOPES)
call_attempt, call_finish, call_inside, call_commit = map(caller, (ATTEMPT, FINISH, INTERPOLATE, COMMIT))


def padded(n):
    """Numbers a state of n components takes."""
    return WIDTH*((n + WIDTH - 1)//WIDTH)


def stepping_of(n, switches, stages, polynomials, matrices=0, pivots=0):
    """The arrays of a stepper whose method needs so many rows of stages and polynomials."""
    size = padded(n)
    return allocate(Stepping, settings=SETTINGS, clocks=CLOCKS, counts=COUNTS, padded=size, stages=stages*size,
                    polynomials=polynomials*size, matrices=matrices, pivots=pivots, gaps=GAP_ROWS*switches,
                    switches=switches)


def desk(stepping, n, forces=0, pulled=None, slopes=None):
    """The handle of a stepper's arrays, of which the first n components are the state."""
    kernels = [0 if kernel is None else address_of(kernel) for kernel in (pulled, slopes)]
    return desk_of(stepping, Desk, (n, len(stepping.y)//WIDTH, len(stepping.side), forces, *kernels))


def reel(tape):
    """The handle of a tape."""
    return desk_of(tape, Reel, (len(tape.time), len(tape.wanted), len(tape.happened), len(tape.stop)))


@leaf
def ask(rate, handle, d, t, y, dy):
    """The rate at t, y, counted"""
    d.count[RATES] += 1
    return call_rate(rate, handle, t, y, dy)


@leaf
def worked(d):
    """Rates asked for, and looks at switching functions, which may cost as much"""
    return d.count[RATES] + d.count[LOOKS]


@leaf
def register():
    """WIDTH, hidden from the compiler: a loop of known length is unrolled before vectors are looked for"""
    return unknown(U(1))*U(WIDTH)


def total_of(weights):
    """Leaf: sum of weights[r] times row r of K from number `at` on, zeros left out; a register.

    Two sums side by side: no addition waits for the one before.
    """
    rows = np.flatnonzero(weights)
    A, R, m = np.asarray(weights, float)[rows], rows.astype(np.uint64), len(rows)

    @leaf
    def total_of(K, size, at):
        total = A[0]*load(K, R[0]*size + at)
        if m > 1:
            other = A[1]*load(K, R[1]*size + at)
            for r in range(2, m - 1, 2):
                total = total + A[r]*load(K, R[r]*size + at)
                other = other + A[r + 1]*load(K, R[r + 1]*size + at)
            if m & 1:
                total = total + A[m - 1]*load(K, R[m - 1]*size + at)
            total = total + other
        return total

    return total_of


def weighted(weights):
    """out = start + h sum of weights[r] times row r of K"""
    total = total_of(weights)

    @lane
    def weighted(K, start, out, h, blocks):
        size = U(blocks)*U(WIDTH)
        for b in range(U(blocks)):
            at = place(b)
            store(out, at, load(start, at) + h*total(K, size, at))

    return weighted


def weighted_error(weights):
    """Sum of the squares of h sum of weights[r] times row r of K over what is allowed"""
    total = total_of(weights)

    @lane
    def weighted_error(K, y, new, atol, rtol, h, blocks):
        size = U(blocks)*U(WIDTH)
        squares = square(h*total(K, size, U(0)), atol, rtol, y, new, U(0))
        for b in range(U(1), U(blocks)):
            at = place(b)
            squares = squares + square(h*total(K, size, at), atol, rtol, y, new, at)
        return folded(squares)

    return weighted_error


@lane
def copy(x, out, blocks):
    for b in range(U(blocks)):
        at = place(b)
        store(out, at, load(x, at))


@lane
def add_scaled(x, h, y, out, blocks):
    """out = x + h y"""
    for b in range(U(blocks)):
        at = place(b)
        store(out, at, load(x, at) + h*load(y, at))


@leaf
def scale_of(d, at, x, y):
    """The size of an error that is just allowed"""
    return (d.atol[at] + d.setting[RTOL]*max(abs(x), abs(y)))/(1.0 + d.clock[TIGHTER])


@leaf
def square(e, atol, rtol, y, new, at):
    """Of an error over what is allowed; registers."""
    part = e/(load(atol, at) + rtol*larger(load(y, at), load(new, at)))
    return part*part


@lane
def squares(e, atol, rtol, y, new, blocks):
    """Sum of the squares of e over what is allowed"""
    total = square(load(e, U(0)), atol, rtol, y, new, U(0))
    for b in range(U(1), U(blocks)):
        at = place(b)
        total = total + square(load(e, at), atol, rtol, y, new, at)
    return folded(total)


@leaf
def share_of(d):
    """What a sum of squares is multiplied with to become the mean that counts, more of it while something touches"""
    tighter = 1.0 + d.clock[TIGHTER]
    return tighter*tighter/d.setting[COUNTED]


@leaf
def error_size(d, e):
    """Root mean square of an error estimate over what is allowed."""
    return math.sqrt(squares(e, d.atol, d.setting[RTOL], d.y, d.new, d.blocks)*share_of(d))


@leaf
def norm(d, x, y):
    """Root mean square of x over the scale of y"""
    total = 0.0
    for at in range(d.n):
        part = x[at]/scale_of(d, at, y[at], y[at])
        total += part*part
    return math.sqrt(total/d.setting[COUNTED])


@leaf
def tightness(d):
    """Size of the state over what is allowed of its error: one over the relative tolerance, 1e3 at least."""
    return min(max(norm(d, d.y, d.y), 1e3), 2.0**52)
