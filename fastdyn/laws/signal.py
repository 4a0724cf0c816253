"""A number that changes with time: constant, sine, Fourier series, or a table with straight lines between its rows.

A series of many terms comes as polynomials on equal cells of a lap (describe/pieces.py). A function of the user comes
as its address, which a float64 holds exactly below 2^53.
"""

import numpy as np

from .._address import c_caller
from .._jit import c_array, float64, leaf
from ..algebra.sincos import ROUND, sincos_any
from ..layout import (
    CALLED, CONSTANT, FOURIER, LAW, PIECES, SIGNAL_A, SIGNAL_B, SIGNAL_C, SIGNAL_D, SIGNAL_KIND, SINE)

VECTOR = c_array(float64, 1)
SIGNAL_CALL = float64(float64)                          # t -> number
LAW_CALL = float64(float64, VECTOR, VECTOR)             # t, q, v of a joint -> number

call_signal, call_law = c_caller(SIGNAL_CALL), c_caller(LAW_CALL)


@leaf
def signal_value(signal, table, i, t):
    """Value of signal i at time t."""
    kind = int(signal[i, SIGNAL_KIND])
    if kind == CONSTANT:
        return signal[i, SIGNAL_A]
    if kind == SINE:                                      # offset + amplitude sin(omega t + phase)
        s, _ = sincos_any(signal[i, SIGNAL_C]*t + signal[i, SIGNAL_D])
        return signal[i, SIGNAL_A] + signal[i, SIGNAL_B]*s
    if kind == FOURIER:
        first, count = int(signal[i, SIGNAL_C]), int(signal[i, SIGNAL_D])
        return signal[i, SIGNAL_A] + fourier_value(table, first, count, signal[i, SIGNAL_B]*t)
    if kind == PIECES:
        return piece_value(table, signal[i, SIGNAL_A]*t, int(signal[i, SIGNAL_B]), int(signal[i, SIGNAL_C]),
                           int(signal[i, SIGNAL_D]))
    if kind == CALLED:
        return call_signal(int(signal[i, SIGNAL_A]), t)
    return table_value(table, int(signal[i, SIGNAL_A]), int(signal[i, SIGNAL_B]), t)


@leaf
def drive_value(signal, table, i, t, q, v):
    """Of signal i, which may be a law of its joint, at time t and the whole chain's q, v."""
    if int(signal[i, SIGNAL_KIND]) == LAW:
        return call_law(int(signal[i, SIGNAL_A]), t, q[int(signal[i, SIGNAL_B]):], v[int(signal[i, SIGNAL_C]):])
    return signal_value(signal, table, i, t)


@leaf
def fourier_value(table, first, count, angle):
    """Sum over k = 1 ... count of a_k cos(k angle) + b_k sin(k angle), rows (a_k, b_k) [Clenshaw 1955]."""
    s, c = sincos_any(angle)
    double, a, b, a_last, b_last = 2.0*c, 0.0, 0.0, 0.0, 0.0
    for k in range(first + count - 1, first - 1, -1):
        a, a_last = (table[k, 0] - a_last) + double*a, a
        b, b_last = (table[k, 1] - b_last) + double*b, b
    return (c*a - a_last) + s*b


@leaf
def piece_value(table, place, first, cells, rows):
    """The polynomial of the cell whose middle is next to `place`, even and odd powers side by side.

    `cells`, a power of two, are a lap; beyond 2^51 of them time has no digits left to tell where in a cell it is.
    """
    shifted = place + ROUND
    x = place - (shifted - ROUND)
    low = first + rows*(np.float64(shifted).view(np.int64) & (cells - 1))
    square, even, odd = x*x, 0.0, 0.0
    for j in range(low + rows - 1, low - 1, -1):
        even, odd = table[j, 0] + square*even, table[j, 1] + square*odd
    return even + x*odd


@leaf
def table_value(table, first, count, t):
    """Row `first` and the next: straight lines between, the ends held outside."""
    low, high = first, first + count - 1
    if t <= table[low, 0]:
        return table[low, 1]
    if t >= table[high, 0]:
        return table[high, 1]
    while high - low > 1:
        middle = (low + high)//2
        if t < table[middle, 0]:
            high = middle
        else:
            low = middle
    share = (t - table[low, 0])/(table[high, 0] - table[low, 0])
    return table[low, 1] + share*(table[high, 1] - table[low, 1])
