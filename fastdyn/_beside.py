"""Registers as states side by side, a lane a state: arrays of them, and what has one answer for all lanes."""

from llvmlite import ir
from numba import extending

from ._address import CHECKED, bare
from ._jit import boolean, float64, leaf, pointer, types
from ._registers import REGISTER
from .layout import WIDTH

MASK = ir.IntType(WIDTH)
WHOLE = ir.VectorType(ir.IntType(64), WIDTH)


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
def any_below(context, a, b):
    def emit(context, builder, sig, args):
        found = builder.bitcast(builder.fcmp_ordered("<=", *args), MASK)
        return builder.icmp_unsigned("!=", found, ir.Constant(MASK, 0))

    return boolean(REGISTER, REGISTER), emit


@extending.intrinsic
def all_finite(context, x):
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
def with_number(context, register, k, x):
    def emit(context, builder, sig, args):
        return builder.insert_element(args[0], args[2], args[1])

    return REGISTER(register, k, x), emit


@extending.intrinsic
def turned_quarters(context, rounded, s, c):
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
def everywhere(x, number):
    """A register like x with the number in every lane"""
    for k in range(WIDTH):
        x = with_number(x, k, number)
    return x
