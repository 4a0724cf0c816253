"""Loops over rows of numbers, register by register: WIDTH neighbours of one state, or one number of WIDTH states.

A row of one state is filled up to whole registers with zeros. What a page adds to a number, and in which order, is the
same either way. Constants are those of one state, always.
"""

import numpy as np

from .._address import shifted
from .._beside import number_of
from .._jit import leaf, overload, sweep
from .._registers import folded, load, store
from ..layout import WIDTH
from .beside import beside
from .layout import fours, stride

U = np.uint64
stride_of, fours_of = leaf(stride), leaf(fours)


def parts(x, count):
    """How many registers hold so many numbers"""
    return (count + WIDTH - 1)//WIDTH


def first_part(x, i):
    """The register that number i stands in"""
    return i//WIDTH


def part(x, k):
    """Register k of a row"""
    return load(x, k*WIDTH)


def put_part(x, k, numbers):
    """Register k of a row becomes `numbers`"""
    store(x, k*WIDTH, numbers)


def given(x, c, k):
    """Register k of a row of constants, to go with those of x"""
    return load(c, k*WIDTH)


def scattered(x, at, step, count, k, numbers):
    """Register k of a row of `count` numbers into a column of x: from `at` on, `step` apart"""
    for j in range(min(WIDTH, count - k*WIDTH)):
        x[at + (k*WIDTH + j)*step] = numbers[j]


@overload(parts)
def _parts(x, count):
    if beside(x):
        return lambda x, count: count
    return lambda x, count: (count + WIDTH - 1)//WIDTH


@overload(first_part)
def _first_part(x, i):
    if beside(x):
        return lambda x, i: i
    return lambda x, i: i//WIDTH


@overload(part)
def _part(x, k):
    if beside(x):
        return lambda x, k: x[k]
    return lambda x, k: load(x, U(k)*U(WIDTH))


@overload(put_part)
def _put_part(x, k, numbers):
    if beside(x):
        def put(x, k, numbers): x[k] = numbers
        return put
    return lambda x, k, numbers: store(x, U(k)*U(WIDTH), numbers)


@overload(given)
def _given(x, c, k):
    if beside(x):
        return lambda x, c, k: c[k]
    return lambda x, c, k: load(c, U(k)*U(WIDTH))


@overload(scattered)
def _scattered(x, at, step, count, k, numbers):
    if beside(x):
        def put(x, at, step, count, k, numbers): x[at + k*step] = numbers
        return put

    def spread(x, at, step, count, k, numbers):
        for j in range(min(WIDTH, count - k*WIDTH)):
            x[at + (k*WIDTH + j)*step] = number_of(numbers, j)
    return spread


@sweep
def product_alone(count, x, c):
    t = part(x, 0)*part(c, 0)
    for k in range(1, parts(x, count)):
        t = t + part(x, k)*part(c, k)
    return folded(t)


@sweep
def product_beside(count, x, c):
    """In the order of `folded`"""
    s0, s1, s2, s3, s4, s5, s6, s7 = (x[0]*c[0], x[1]*c[1], x[2]*c[2], x[3]*c[3], x[4]*c[4], x[5]*c[5], x[6]*c[6],
                                      x[7]*c[7])
    for k in range(WIDTH, count, WIDTH):
        s0, s1, s2, s3 = s0 + x[k]*c[k], s1 + x[k + 1]*c[k + 1], s2 + x[k + 2]*c[k + 2], s3 + x[k + 3]*c[k + 3]
        s4, s5, s6, s7 = (s4 + x[k + 4]*c[k + 4], s5 + x[k + 5]*c[k + 5], s6 + x[k + 6]*c[k + 6],
                          s7 + x[k + 7]*c[k + 7])
    return ((s0 + s4) + (s2 + s6)) + ((s1 + s5) + (s3 + s7))


def product(count, x, c):
    """Sum of products of two rows filled up with zeros; c: numbers of the state like x, or constants"""
    return product_alone(count, x, c)


@overload(product)
def _product(count, x, c):
    if beside(x):
        return lambda count, x, c: product_beside(count, x, c)
    return lambda count, x, c: product_alone(count, x, c)


@sweep
def joined(count, a, x, out):
    """out += a x"""
    for k in range(parts(out, count)):
        put_part(out, k, part(out, k) + a*part(x, k))


@sweep
def moved(count, T, r0, r1, r2, r3):
    """Rows of the numbers 0 to 3 of a homogeneous vector: (r0, r1, r2) = T r, T a 3x4 transform; `count` columns"""
    for c in range(parts(r0, count)):
        x, y, z, w = part(r0, c), part(r1, c), part(r2, c), part(r3, c)
        put_part(r0, c, T[0]*x + T[1]*y + T[2]*z + T[3]*w)
        put_part(r1, c, T[4]*x + T[5]*y + T[6]*z + T[7]*w)
        put_part(r2, c, T[8]*x + T[9]*y + T[10]*z + T[11]*w)


@sweep
def turned_rows(count, s, c, r0, r1):
    """(r0, r1) = (c r0 - s r1, s r0 + c r1)"""
    for k in range(parts(r0, count)):
        x, y = part(r0, k), part(r1, k)
        put_part(r0, k, c*x - s*y)
        put_part(r1, k, s*x + c*y)


@sweep
def gathered(first, last, count, g, x, step, out):
    """out, `count` columns, = rows `first` to `last` - 1 of x, `step` apart, by the numbers g[first], ..."""
    for k in range(parts(out, count)):
        t = g[first]*part(shifted(x, first*step), k)
        for i in range(first + 1, last):
            t = t + g[i]*part(shifted(x, i*step), k)
        put_part(out, k, t)


@sweep
def less(begin, count, rows, step, w, x, width, r0, r1, r2, r3):
    """Four rows, from column `begin` on, less `rows` rows of x, `width` apart, by numbers: w, w + step, ... for each"""
    for k in range(first_part(r0, begin), parts(r0, count)):
        a, b, c, d = part(r0, k), part(r1, k), part(r2, k), part(r3, k)
        for f in range(rows):
            t = part(shifted(x, f*width), k)
            a, b, c, d = a - w[f]*t, b - w[step + f]*t, c - w[2*step + f]*t, d - w[3*step + f]*t
        put_part(r0, k, a)
        put_part(r1, k, b)
        put_part(r2, k, c)
        put_part(r3, k, d)


@sweep
def reduced(begin, count, rows, w, x, width, out):
    """A row, from column `begin` on, less `rows` rows of x, `width` apart, by numbers w"""
    for k in range(first_part(out, begin), parts(out, count)):
        t = part(out, k)
        for f in range(rows):
            t = t - w[f]*part(shifted(x, f*width), k)
        put_part(out, k, t)
