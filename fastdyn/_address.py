"""Arrays as bare addresses: what function pointers hand on, for nothing, where arrays would cost 10 ns each.

A **handle** is the address of one list of integers: counts, then for every array of a Model and a Work where it starts
and its shape. Steppers pass it through unread; a formulation opens it. Where a process checks bounds, addresses are
flat arrays instead; without a compiler a handle is the Python object that holds the arrays.
"""

import numpy as np
from llvmlite import ir
from numba import extending
from numba.core import cgutils, config
from numba.np import arrayobj

from ._jit import c_array, float64, int64, leaf, pointer, ready, types, void

CHECKED = bool(config.DISABLE_JIT or config.BOUNDSCHECK)
HANDLE = c_array(int64, 1) if CHECKED else types.CPointer(int64)
ADDRESS = c_array(float64, 1) if CHECKED else types.CPointer(float64)
INTEGERS = c_array(int64, 1) if CHECKED else types.CPointer(int64)

NQ, NV, DRIVE = range(3)        # counts of a handle: coordinates, velocities, address of a drive (0: none)
COUNTS = 3
WORDS = 3                       # of an array: where it starts, its shape (1 for a dimension it has not)


class Handle(np.ndarray):
    """The list of integers, together with the arrays it tells of, which live as long as it does."""

    arrays: tuple = ()


def handle_of(model, work, nq, drive=0):
    """The handle of a Model and a Work; `drive`: address of a C function (see `call_drive`)."""
    return _listed((nq, len(model.spring), drive), (*model, *work), (model, work))


def desk_of(arrays, named, counts):
    """The handle of arrays that kernels see as `named`: the addresses of all, then three counts."""
    flat = named(*(array.reshape(-1) for array in arrays), *counts)
    return _listed(counts, arrays, flat)


def _listed(counts, arrays, kept):
    words = list(counts)
    for array in arrays:
        words += [array.ctypes.data, *array.shape, *(1,)*(WORDS - 1 - array.ndim)]
    handle = np.array(words, np.int64).view(Handle)
    handle.arrays = kept
    return handle


@extending.intrinsic
def _shifted(context, address, count):
    def emit(context, builder, signature, args):
        return builder.gep(args[0], [args[1]])

    return address(address, types.int64), emit


@extending.intrinsic
def _vector(context, address, count):
    """`count` numbers from an address as an array that owns nothing."""
    array = c_array(address.dtype, 1)

    def emit(context, builder, signature, args):
        return _array(context, builder, array, args[0], [args[1]])

    return array(address, types.int64), emit


def _array(context, builder, kind, data, shape):
    made = context.make_array(kind)(context, builder)
    item = context.get_constant(types.intp, 8)
    strides = [item if d == len(shape) - 1 else builder.mul(item, shape[-1]) for d in range(len(shape))]
    arrayobj.populate_array(made, data=data, shape=shape, strides=strides, itemsize=item, meminfo=None)
    return made._getvalue()


def opener(*kinds):
    """Leaf: handle -> one NamedTuple of arrays per given type of one."""

    @extending.intrinsic
    def arrays(context, address):
        result = types.Tuple(kinds)

        def emit(context, builder, signature, args):
            def word(i):
                return builder.load(builder.gep(args[0], [ir.Constant(ir.IntType(64), i)]))

            def array(kind, at):
                data = builder.inttoptr(word(at), context.get_data_type(kind.dtype).as_pointer())
                return _array(context, builder, kind, data, [word(at + 1 + d) for d in range(kind.ndim)])

            at, opened = COUNTS, []
            for kind in kinds:
                opened.append(context.make_tuple(builder, kind, [array(a, at + WORDS*i) for i, a in enumerate(kind)]))
                at += WORDS*len(kind)
            return context.make_tuple(builder, result, opened)

        return result(types.CPointer(types.int64)), emit

    if config.DISABLE_JIT:
        return lambda handle: handle.arrays
    if CHECKED:
        return leaf(lambda handle: arrays(bare(handle)))
    return leaf(lambda handle: arrays(handle))


def desk_opener(named, dtypes):
    """Leaf: handle -> `named`, with the addresses of its arrays (flat arrays where bounds are checked) and counts."""
    fields = [c_array(dtype, 1) if CHECKED else types.CPointer(dtype) for dtype in dtypes]
    result = types.NamedTuple((*fields, *(types.int64,)*COUNTS), named)

    @extending.intrinsic
    def addresses(context, address):
        def emit(context, builder, signature, args):
            def word(i):
                return builder.load(builder.gep(args[0], [ir.Constant(ir.IntType(64), i)]))

            def field(kind, at):
                data = builder.inttoptr(word(at), context.get_data_type(kind.dtype).as_pointer())
                if not CHECKED:
                    return data
                return _array(context, builder, kind, data, [builder.mul(word(at + 1), word(at + 2))])

            found = [field(kind, COUNTS + WORDS*i) for i, kind in enumerate(fields)]
            return context.make_tuple(builder, result, found + [word(i) for i in range(COUNTS)])

        return result(types.CPointer(types.int64)), emit

    if config.DISABLE_JIT:
        return lambda handle: handle.arrays
    if CHECKED:
        return leaf(lambda handle: addresses(bare(handle)))
    return leaf(lambda handle: addresses(handle))


@extending.intrinsic
def bare(context, array):
    """Address of the first number of an array, also where bounds are checked."""
    def emit(context, builder, signature, args):
        return context.make_array(signature.args[0])(context, builder, args[0]).data

    return types.CPointer(array.dtype)(array), emit


def caller(signature):
    """Leaf: (address of a kernel of this signature, arguments) -> its answer; a plain call that checks nothing."""
    if config.DISABLE_JIT:
        return lambda kernel, *args: kernel(*args)

    @extending.intrinsic
    def call(context, address, args):
        def emit(context, builder, _, given):
            values = cgutils.unpack_tuple(builder, given[1])
            kind = context.call_conv.get_function_type(signature.return_type, signature.args).as_pointer()
            made = builder.inttoptr(given[0], kind)
            return context.call_conv.call_function(builder, made, signature.return_type, signature.args, values)[1]

        return signature.return_type(types.int64, types.Tuple(signature.args)), emit

    @leaf
    def called(address, *args):
        return call(address, args)

    return called


def parts_of(named, kernels):
    """The addresses of kernels as a handle that kernels open as `named`, by `parts_opener`."""
    if config.DISABLE_JIT:
        return _listed((), (), named(*kernels))
    return _listed([ready(kernel).address for kernel in kernels], (), kernels)


def parts_opener(named):
    """Leaf: handle -> `named`, with the addresses of its kernels."""
    count = len(named._fields)
    result = types.NamedTuple((types.int64,)*count, named)

    @extending.intrinsic
    def parts(context, address):
        def emit(context, builder, signature, args):
            words = [builder.load(builder.gep(args[0], [ir.Constant(ir.IntType(64), i)])) for i in range(count)]
            return context.make_tuple(builder, result, words)

        return result(types.CPointer(types.int64)), emit

    if config.DISABLE_JIT:
        return lambda handle: handle.arrays
    if CHECKED:
        return leaf(lambda handle: parts(bare(handle)))
    return leaf(lambda handle: parts(handle))


@extending.intrinsic
def _call(context, function, t, q, v, torque, wrench):
    def emit(context, builder, signature, args):
        numbers = ir.DoubleType().as_pointer()
        kind = ir.FunctionType(ir.VoidType(), [ir.DoubleType(), *[numbers]*4])
        builder.call(builder.inttoptr(args[0], kind.as_pointer()), args[1:])
        return context.get_dummy_value()

    address = types.CPointer(float64)
    return void(types.int64, float64, address, address, address, address), emit


if CHECKED:
    @leaf
    def shifted(address, count):
        """The address `count` numbers further on."""
        return address[count:]

    @leaf
    def vector(address, count):
        """`count` numbers from an address, as an array."""
        return address[:count]
else:
    @leaf
    def shifted(address, count):
        """The address `count` numbers further on."""
        return _shifted(address, count)

    @leaf
    def vector(address, count):
        """`count` numbers from an address, as an array."""
        return _vector(address, count)

if config.DISABLE_JIT:
    def call_drive(function, t, q, v, torque, wrench):
        """drive(t, q, v, torque, wrench)"""
        import ctypes

        numbers = ctypes.POINTER(ctypes.c_double)
        kind = ctypes.CFUNCTYPE(None, ctypes.c_double, *[numbers]*4)
        kind(function)(t, *(x.ctypes.data_as(numbers) for x in (q, v, torque, wrench)))

    def door(handle):
        """A handle as it came."""
        return handle
else:
    @leaf
    def call_drive(function, t, q, v, torque, wrench):
        """Call the C function void(double t, double *q, double *v, double *torque, double *wrench) at an address."""
        _call(function, t, bare(q), bare(v), bare(torque), bare(wrench))

    @leaf
    def door(handle):
        """The list of integers as a handle."""
        return pointer(handle)
