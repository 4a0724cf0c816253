"""Numbers side by side as one value: loaded into a vector register, reckoned with one by one, stored.

A loop over neighbours that the compiler is to put into registers by itself first asks whether there are enough of them,
walks one pointer for every row, and may end as a call of memcpy: a step of dopri5 took 62 to 83 ns beyond its
evaluations that way, 49 to 61 this way. Where there is no compiler a register is an array.
"""

import operator

import numpy as np
from llvmlite import ir
from numba import extending
from numba.core import cgutils, config
from numba.core.imputils import lower_cast
from numba.core.typeconv import Conversion
from numba.core.typing.templates import AbstractTemplate, infer_global, signature

from ._address import CHECKED, bare
from ._jit import float64, leaf, types
from .layout import WIDTH

KIND = ir.VectorType(ir.DoubleType(), WIDTH)
U = np.uint64
LAST = U(WIDTH - 1)
HALVES = tuple(WIDTH >> i for i in range(1, WIDTH.bit_length()))


class Register(types.Type):
    """WIDTH numbers"""

    def __init__(self):
        super().__init__(name="register")

    def can_convert_from(self, context, other):
        """One number stands for WIDTH equal ones."""
        return Conversion.promote if other == float64 else None

    def unify(self, context, other):
        return self if other == float64 else None


REGISTER = Register()


@extending.register_model(Register)
class _Model(extending.models.PrimitiveModel):
    def __init__(self, manager, kind):
        super().__init__(manager, kind, KIND)


PAIRS = [(REGISTER, REGISTER), (float64, REGISTER), (REGISTER, float64)]


def _operator(founds, emitted):
    """Teach Numba an operator of two registers, or of a number and a register."""
    def generic(self, args, kws):
        return signature(REGISTER, *args) if args in PAIRS else None

    def emit(context, builder, sig, args):
        both = [x if kind == REGISTER else _splat(builder, x) for x, kind in zip(args, sig.args)]
        return getattr(builder, emitted)(*both)

    for found in founds:
        infer_global(found)(type(f"Register{found.__name__}", (AbstractTemplate,), {"generic": generic}))
        for pair in PAIRS:
            extending.lower_builtin(found, *pair)(emit)


def _function(found, emit):
    """Teach Numba a function of one register."""
    infer_global(found)(type(f"Register{found.__name__}", (AbstractTemplate,), {
        "generic": lambda self, args, kws: signature(REGISTER, REGISTER) if args == (REGISTER,) else None}))
    extending.lower_builtin(found, REGISTER)(emit)


def _splat(builder, number):
    one = builder.insert_element(ir.Constant(KIND, ir.Undefined), number, ir.Constant(ir.IntType(32), 0))
    zeros = ir.Constant(ir.VectorType(ir.IntType(32), WIDTH), None)
    return builder.shuffle_vector(one, ir.Constant(KIND, ir.Undefined), zeros)


def _absolute(builder, x):
    """Without their signs"""
    return builder.call(cgutils.get_or_insert_function(
        builder.module, ir.FunctionType(KIND, [KIND]), f"llvm.fabs.v{WIDTH}f64"), [x])


for _founds, _emitted in (((operator.add, operator.iadd), "fadd"), ((operator.sub, operator.isub), "fsub"),
                          ((operator.mul, operator.imul), "fmul"), ((operator.truediv, operator.itruediv), "fdiv")):
    _operator(_founds, _emitted)
_function(operator.neg, lambda context, builder, sig, args: builder.fneg(args[0]))
_function(abs, lambda context, builder, sig, args: _absolute(builder, args[0]))


@lower_cast(float64, REGISTER)
def _one_for_all(context, builder, one, other, number):
    return _splat(builder, number)


def _at(builder, address, at):
    return builder.bitcast(builder.gep(address, [at]), KIND.as_pointer())


@extending.intrinsic
def _load(context, address, at):
    def emit(context, builder, sig, args):
        return builder.load(_at(builder, *args), align=8)

    return REGISTER(address, at), emit


@extending.intrinsic
def _store(context, address, at, numbers):
    def emit(context, builder, sig, args):
        builder.store(args[2], _at(builder, *args[:2]), align=8)
        return context.get_dummy_value()

    return types.void(address, at, numbers), emit


@extending.intrinsic
def _larger(context, a, b):
    """Of the absolute values; of a where b is NaN"""
    def emit(context, builder, sig, args):
        made = [_absolute(builder, x) for x in args]
        return builder.select(builder.fcmp_ordered("<", *made), made[1], made[0])

    return REGISTER(a, b), emit


@extending.intrinsic
def _place(context, number):
    """The number passed through a CPU register: what the compiler does not know it does not unroll."""
    def emit(context, builder, sig, args):
        kind = args[0].type
        same = ir.InlineAsm(ir.FunctionType(kind, [kind]), "", "=r,0", False)
        return builder.call(same, args, attrs=("convergent", "nounwind", "readnone"))

    return number(number), emit


@extending.intrinsic
def _folded(context, numbers):
    def emit(context, builder, sig, args):
        total = args[0]
        for half in HALVES:
            places = ir.VectorType(ir.IntType(32), half)
            parts = [builder.shuffle_vector(total, total, ir.Constant(places, [start + i for i in range(half)]))
                     for start in (0, half)]
            total = builder.fadd(*parts)
        return builder.extract_element(total, ir.Constant(ir.IntType(32), 0))

    return float64(numbers), emit


if config.DISABLE_JIT:
    def place(block):
        """Where a register of a vector begins."""
        return block*U(WIDTH)

    def load(address, at):
        """WIDTH neighbours from number `at` of an address on."""
        return address[int(at):int(at) + WIDTH].copy()

    def store(address, at, numbers):
        """Neighbours to where they belong."""
        address[int(at):int(at) + WIDTH] = numbers

    def larger(a, b):
        """The larger one of absolute values, component by component; that of a where there is none."""
        a, b = abs(a), abs(b)
        return np.where(a < b, b, a)

    def folded(numbers):
        """The sum: halves are added, then the halves of that."""
        for half in HALVES:
            numbers = numbers[:half] + numbers[half:]
        return numbers[0]
else:
    if CHECKED:
        @leaf
        def looked_at(number): return number

        @leaf
        def within(address, at):
            """The bare address, if the last one of WIDTH neighbours is still in it; the array may be a constant."""
            looked_at(address[at + LAST])
            return bare(address)
    else:
        @leaf
        def within(address, at): return address

    @leaf
    def place(block):
        """Where a register of a vector begins; a loop over blocks stays as it is written.

        States fill few registers: unrolled, a loop would mostly be the way around what was unrolled.
        """
        return _place(block)*U(WIDTH)

    @leaf
    def load(address, at):
        """WIDTH neighbours from number `at` of an address on."""
        return _load(within(address, at), at)

    @leaf
    def store(address, at, numbers):
        """Neighbours to where they belong."""
        _store(within(address, at), at, numbers)

    @leaf
    def larger(a, b):
        """The larger one of absolute values, component by component; that of a where there is none."""
        return _larger(a, b)

    @leaf
    def folded(numbers):
        """The sum: halves are added, then the halves of that."""
        return _folded(numbers)
