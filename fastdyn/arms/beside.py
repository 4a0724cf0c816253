"""States side by side: the recursion, written for numbers, asked with registers of them, a lane a state.

An array of registers is an address like one of numbers, so the same pages serve both, and every lane has the bits of a
state alone. Here is what they need beyond + - * /: sines, and questions whose answer is one for all lanes.
"""

import math

from .._beside import all_finite, any_below, everywhere, number_of, turned_quarters, with_number
from .._jit import leaf, overload, types
from .._registers import REGISTER, Register
from ..algebra.sincos import (
    HALF_PI_1, HALF_PI_2, HALF_PI_3, REDUCED, ROUND, TWO_OVER_PI, polynomials, sincos_any)
from ..layout import WIDTH
from .section import rotation_terms

STRAIGHT = (1.0, 0.0, 0.0, 0.0, 0.0, 0.0)


@leaf
def near_registers(x):
    """(sin, cos) up to REDUCED; the operations of `reduce_near` in their order"""
    shifted = x*TWO_OVER_PI + ROUND
    k = shifted - ROUND
    r = x - k*HALF_PI_1
    w = k*HALF_PI_2
    t = r - w
    v = k*HALF_PI_3
    y = t - v
    s, c = polynomials(y, (v - (t - y)) - ((r - t) - w))
    return turned_quarters(shifted, s, c)


@leaf
def any_registers(x):
    """(sin, cos) of every double"""
    s, c = near_registers(x)
    if any_below(everywhere(x, REDUCED), abs(x)):
        for k in range(WIDTH):
            sk, ck = sincos_any(number_of(x, k))
            s, c = with_number(s, k, sk), with_number(c, k, ck)
    return s, c


def beside(kind):
    """Whether a Numba type is that of states side by side"""
    return kind == types.CPointer(REGISTER)


def sine_cosine(x):
    """(sin x, cos x)"""
    return sincos_any(x)


@overload(sine_cosine)
def _sine_cosine(x):
    if isinstance(x, Register):
        return lambda x: any_registers(x)
    return lambda x: sincos_any(x)


def below(a, b):
    """Whether a <= b, in any lane"""
    return a <= b


@overload(below)
def _below(a, b):
    if isinstance(a, Register):
        return lambda a, b: any_below(a, b)
    return lambda a, b: a <= b


def finite(x):
    """Whether x is a finite number, in all lanes"""
    return abs(x) < math.inf


@overload(finite)
def _finite(x):
    if isinstance(x, Register):
        return lambda x: all_finite(x)
    return lambda x: abs(x) < math.inf


def terms_of(exact, phi):
    """Of a turn by exp(skew(phi)); of a linear one, and of states side by side, nothing that matters"""
    return rotation_terms(phi[0]*phi[0] + phi[1]*phi[1] + phi[2]*phi[2]) if exact else STRAIGHT


@overload(terms_of)
def _terms_of(exact, phi):
    if isinstance(phi[0], Register):
        return lambda exact, phi: STRAIGHT
    return lambda exact, phi: (rotation_terms(phi[0]*phi[0] + phi[1]*phi[1] + phi[2]*phi[2]) if exact
                               else STRAIGHT)
