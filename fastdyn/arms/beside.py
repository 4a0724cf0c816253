"""States side by side: the recursion, written for numbers, asked with registers of them, a lane a state.

An array of registers is an address like one of numbers, so the same pages serve both, and every lane has the bits of a
state alone. Here is what they need beyond + - * /: sines, and questions whose answer is one for all lanes.
"""

import math

from llvmlite import ir
from numba import extending

from .._address import CHECKED, bare
from .._jit import boolean, float64, leaf, overload, pointer, types
from .._registers import REGISTER, Register
from ..algebra.sincos import (
    HALF_PI_1, HALF_PI_2, HALF_PI_3, REDUCED, ROUND, TWO_OVER_PI, polynomials, sincos_any)
from ..layout import WIDTH
from .section import rotation_terms

MASK = ir.IntType(WIDTH)
WHOLE = ir.VectorType(ir.IntType(64), WIDTH)
STRAIGHT = (1.0, 0.0, 0.0, 0.0, 0.0, 0.0)


@extending.intrinsic
def _as_registers(context, address):
    def emit(context, builder, sig, args):
        return builder.bitcast(args[0], context.get_value_type(sig.return_type))

    return types.CPointer(REGISTER)(address), emit


if CHECKED:
    registers = pointer                                     # never asked: states go one after the other
else:
    @leaf
    def registers(array):
        """An array, from a register's boundary on, as the address of its registers."""
        return _as_registers(bare(array))


@extending.intrinsic
def _any_below(context, a, b):
    def emit(context, builder, sig, args):
        found = builder.bitcast(builder.fcmp_ordered("<=", *args), MASK)
        return builder.icmp_unsigned("!=", found, ir.Constant(MASK, 0))

    return boolean(REGISTER, REGISTER), emit


@extending.intrinsic
def _all_finite(context, x):
    """Whether x - x is 0 everywhere"""
    def emit(context, builder, sig, args):
        zero = ir.Constant(args[0].type, [0.0]*WIDTH)
        found = builder.bitcast(builder.fcmp_ordered("==", builder.fsub(args[0], args[0]), zero), MASK)
        return builder.icmp_unsigned("==", found, ir.Constant(MASK, 2**WIDTH - 1))

    return boolean(REGISTER), emit


@extending.intrinsic
def number_of(context, register, k):
    return float64(register, k), lambda context, builder, sig, args: builder.extract_element(*args)


@extending.intrinsic
def _with_number(context, register, k, x):
    return REGISTER(register, k, x), lambda context, builder, sig, args: builder.insert_element(args[0], args[2], args[1])


@extending.intrinsic
def _turned(context, rounded, s, c):
    """Of sin and cos, those as many quarters of a turn further on as the last bits of `rounded` say"""
    def emit(context, builder, sig, args):
        k, s, c = (builder.bitcast(x, WHOLE) for x in args)
        one, two, far = (ir.Constant(WHOLE, [i]*WIDTH) for i in (1, 2, 62))
        odd = builder.icmp_unsigned("!=", builder.and_(k, one), ir.Constant(WHOLE, [0]*WIDTH))
        both = [builder.xor(builder.select(odd, x, y), builder.shl(builder.and_(quarter, two), far))
                for x, y, quarter in ((c, s, k), (s, c, builder.add(k, one)))]
        kind = context.get_value_type(REGISTER)
        return context.make_tuple(builder, sig.return_type, [builder.bitcast(x, kind) for x in both])

    return types.UniTuple(REGISTER, 2)(rounded, s, c), emit


@leaf
def _everywhere(x, number):
    """The number in every lane"""
    for k in range(WIDTH):
        x = _with_number(x, k, number)
    return x


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
    return _turned(shifted, s, c)


@leaf
def any_registers(x):
    """(sin, cos) of every double"""
    s, c = near_registers(x)
    if _any_below(_everywhere(x, REDUCED), abs(x)):
        for k in range(WIDTH):
            sk, ck = sincos_any(number_of(x, k))
            s, c = _with_number(s, k, sk), _with_number(c, k, ck)
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
        return lambda a, b: _any_below(a, b)
    return lambda a, b: a <= b


def finite(x):
    """Whether x is a finite number, in all lanes"""
    return abs(x) < math.inf


@overload(finite)
def _finite(x):
    if isinstance(x, Register):
        return lambda x: _all_finite(x)
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
