"""Arrays as bare addresses: what function pointers hand on, for nothing, where arrays would cost 10 ns each.

A **handle** is the address of one list of integers: counts, then for every array of a Model and a Work where it starts
and its shape. Steppers pass it through unread; a formulation opens it. Where a process checks bounds, addresses are
flat arrays instead; without a compiler a handle is the Python object that holds the arrays.
"""

import ctypes
from functools import partial

import numpy as np
from llvmlite import ir
from numba import carray, cfunc, extending
from numba.core import cgutils, config
from numba.np import arrayobj

from ._jit import c_array, float64, int64, leaf, pointer, ready, types, void

CHECKED = bool(config.DISABLE_JIT or config.BOUNDSCHECK)
HANDLE = c_array(int64, 1) if CHECKED else types.CPointer(int64)
ADDRESS = c_array(float64, 1) if CHECKED else types.CPointer(float64)
INTEGERS = c_array(int64, 1) if CHECKED else types.CPointer(int64)

# a system as a stepper calls it
RATE = int64(HANDLE, float64, ADDRESS, ADDRESS)                     # (handle, t, y, dy out) -> status
SETTLE = int64(HANDLE, float64, ADDRESS, ADDRESS)                   # (handle, t, y, dy in place) -> is dy void now?
GAPS = int64(HANDLE, float64, ADDRESS, ADDRESS)                     # (handle, t, y, gaps out) -> status
SWITCH = int64(HANDLE, float64, ADDRESS, int64, int64, INTEGERS)    # (handle, t, y, which, direction, sides) -> answer
PULLED = int64(HANDLE, float64, ADDRESS, ADDRESS, ADDRESS, ADDRESS)  # (handle, t, y, s, dy out, force out) -> status
SLOPES = int64(HANDLE, ADDRESS, int64, ADDRESS)                     # (handle, y, len(y), d force/dy out) -> status
ASK = int64(HANDLE, ADDRESS, ADDRESS, ADDRESS, ADDRESS)             # (handle, q, v, given, answer out) -> status

# a handle starts with: coordinates, velocities, C functions of the user, the rate of its state where others ask for it
NQ, NV, DRIVE, EVENTS, ACTIONS, RATE_OF = range(6)
COUNTS = 6
WORDS = 3                       # of an array: where it starts, its shape (1 for a dimension it has not)
NUMBERS = ctypes.POINTER(ctypes.c_double)


class Handle(np.ndarray):
    """The list of integers, together with the arrays it tells of, which live as long as it does."""

    arrays: tuple = ()
    rate: object = None


def handle_of(model, work, nq, drive=0, events=0, actions=0, rate=None):
    """The handle of a Model and a Work, with the address of a drive, those of lists of addresses of functions, and one
    of the kernel that others ask for the rate."""
    address = 0 if rate is None or config.DISABLE_JIT else address_of(rate)
    handle = _listed((nq, len(model.spring), drive, events, actions, address), (*model, *work), (model, work))
    handle.rate = rate
    return handle


def desk_of(arrays, named, counts):
    """The handle of arrays that kernels see as `named`: the addresses of all, then numbers or addresses of kernels."""
    flat = named(*(array.reshape(-1) for array in arrays), *counts)
    return _listed([x if isinstance(x, int) else 0 for x in counts], arrays, flat)


def address_of(kernel):
    """What other kernels call a kernel by."""
    return kernel if config.DISABLE_JIT else ready(kernel).address


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
def _word_at(context, address, i):
    """Integer number i from an address given as a number."""
    def emit(context, builder, signature, args):
        start = builder.inttoptr(args[0], ir.IntType(64).as_pointer())
        return builder.load(builder.gep(start, [args[1]]))

    return types.int64(types.int64, types.int64), emit


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


def _word(builder, address, i):
    """Integer number i of a list."""
    return builder.load(builder.gep(address, [ir.Constant(ir.IntType(64), i)]))


def _opening(found):
    """What opens a handle, by an intrinsic that finds things at its address."""
    if config.DISABLE_JIT:
        return lambda handle: handle.arrays
    if CHECKED:
        return leaf(lambda handle: found(bare(handle)))
    return leaf(lambda handle: found(handle))


def opener(*kinds):
    """Leaf: handle -> one NamedTuple of arrays per given type of one."""

    @extending.intrinsic
    def arrays(context, address):
        result = types.Tuple(kinds)

        def emit(context, builder, signature, args):
            word = partial(_word, builder, args[0])

            def array(kind, at):
                data = builder.inttoptr(word(at), context.get_data_type(kind.dtype).as_pointer())
                return _array(context, builder, kind, data, [word(at + 1 + d) for d in range(kind.ndim)])

            at, opened = COUNTS, []
            for kind in kinds:
                opened.append(context.make_tuple(builder, kind, [array(a, at + WORDS*i) for i, a in enumerate(kind)]))
                at += WORDS*len(kind)
            return context.make_tuple(builder, result, opened)

        return result(types.CPointer(types.int64)), emit

    return _opening(arrays)


def desk_opener(named, dtypes):
    """Leaf: handle -> `named`, with the addresses of its arrays (flat arrays where bounds are checked) and counts."""
    fields = [c_array(dtype, 1) if CHECKED else types.CPointer(dtype) for dtype in dtypes]
    counts = len(named._fields) - len(fields)
    result = types.NamedTuple((*fields, *(types.int64,)*counts), named)

    @extending.intrinsic
    def addresses(context, address):
        def emit(context, builder, signature, args):
            word = partial(_word, builder, args[0])

            def field(kind, at):
                data = builder.inttoptr(word(at), context.get_data_type(kind.dtype).as_pointer())
                if not CHECKED:
                    return data
                return _array(context, builder, kind, data, [builder.mul(word(at + 1), word(at + 2))])

            found = [field(kind, counts + WORDS*i) for i, kind in enumerate(fields)]
            return context.make_tuple(builder, result, found + [word(i) for i in range(counts)])

        return result(types.CPointer(types.int64)), emit

    return _opening(addresses)


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


if config.DISABLE_JIT:
    def rate_by(handle, t, y, dy):
        """The rate of the system of a handle."""
        return handle.rate(handle, t, y, dy)
else:
    _call_rate = caller(RATE)

    @leaf
    def rate_by(handle, t, y, dy):
        """The rate of the system of a handle."""
        return _call_rate(handle[RATE_OF], handle, t, y, dy)


def parts_of(named, kernels):
    """The addresses of kernels as a handle that kernels open as `named`, by `parts_opener`."""
    if config.DISABLE_JIT:
        return _listed((), (), named(*kernels))
    return _listed([address_of(kernel) for kernel in kernels], (), kernels)


def parts_opener(named):
    """Leaf: handle -> `named`, with the addresses of its kernels."""
    count = len(named._fields)
    result = types.NamedTuple((types.int64,)*count, named)

    @extending.intrinsic
    def parts(context, address):
        def emit(context, builder, signature, args):
            return context.make_tuple(builder, result, [_word(builder, args[0], i) for i in range(count)])

        return result(types.CPointer(types.int64)), emit

    return _opening(parts)


def c_caller(signature):
    """Leaf: (address of a C function, numbers and arrays) -> its answer; arrays arrive there as pointers."""
    if config.DISABLE_JIT:
        return lambda address, *args: _called_by_ctypes(signature, address, args)

    @extending.intrinsic
    def call(context, address, args):
        def emit(context, builder, _, given):
            values = [context.make_array(kind)(context, builder, value).data if isinstance(kind, types.Array) else value
                      for kind, value in zip(signature.args, cgutils.unpack_tuple(builder, given[1]))]
            nothing = signature.return_type == void
            answer = ir.VoidType() if nothing else context.get_value_type(signature.return_type)
            kind = ir.FunctionType(answer, [value.type for value in values])
            result = builder.call(builder.inttoptr(given[0], kind.as_pointer()), values)
            return context.get_dummy_value() if nothing else result

        return signature.return_type(types.int64, types.Tuple(signature.args)), emit

    @leaf
    def called(address, *args):
        return call(address, args)

    return called


def compiled_doorway(function, sizes):
    """C function that hands on to a function of njit: of t, or of t and as many arrays of these sizes, two."""
    if not sizes:
        return cfunc(float64(float64))(lambda t: function(t))
    nq, nv = sizes

    def law(t, q, v):
        return function(t, carray(q, nq), carray(v, nv))

    return cfunc(float64(float64, types.CPointer(float64), types.CPointer(float64)))(law)


def c_function_type(signature):
    """The type of ctypes that belongs to a signature of numbers and arrays."""
    plain = {float64: ctypes.c_double, int64: ctypes.c_int64, void: None}
    return ctypes.CFUNCTYPE(plain[signature.return_type], *(plain.get(kind, NUMBERS) for kind in signature.args))


def _called_by_ctypes(signature, address, args):
    given = [x.ctypes.data_as(NUMBERS) if isinstance(x, np.ndarray) else x for x in args]
    return c_function_type(signature)(int(address))(*given)


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
    def word_at(address, i):
        """Integer number i from an address given as a number."""
        return ctypes.c_int64.from_address(int(address) + 8*i).value

    def door(handle):
        """A handle as it came."""
        return handle
else:
    @leaf
    def word_at(address, i):
        """Integer number i from an address given as a number."""
        return _word_at(address, i)

    @leaf
    def door(handle):
        """The list of integers as a handle."""
        return pointer(handle)
