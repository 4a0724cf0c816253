"""The one door to Numba: leaves (inlined functions of values) and kernels (compiled under one signature, cached)."""

import gc
import itertools
import secrets
from collections.abc import Callable
from contextlib import contextmanager
from functools import cached_property, partial
from importlib import import_module

from llvmlite import ir
from numba import boolean, carray, cfunc, extending, float64, int64, typeof, types, uint64, void
from numba.core import bytecode, config, errors, sigutils, typing
from numba.core.compiler_lock import global_compiler_lock
from numba.core.registry import CPUDispatcher
from numba.core.typing.typeof import Purpose

from . import _cache
from ._inner import Inner

__all__ = [
    "KERNELS", "Kernel", "boolean", "borrower", "borrower_leaf", "c_array", "c_function", "carray", "errors", "float64",
    "int64", "is_compiled", "kernel", "lane", "leaf", "overload", "pointer", "ready", "sweep", "typeof", "types",
    "uint64", "unknown", "void",
]

KERNELS: dict[str, Callable] = {}               # "module:name" of every kernel of this package imported so far

# Numba tells functions of one name apart by a number it counts up from 1 in every process. Kernels from the cache were
# compiled in several: two functions made by one closure would meet under one name, and the first would serve both.
bytecode.FunctionIdentity._unique_ids = itertools.count(secrets.randbits(48))

def _inner(without_alias=False, **options):
    """A decorator for functions that kernels call."""
    def decorate(py_func):
        if config.DISABLE_JIT:
            return py_func
        return Inner(py_func, options | {"error_model": "numpy"}, without_alias)

    return decorate


leaf = _inner(forceinline=True)
sweep = _inner()                                # a pass of a kernel: a function of its own, compiled with it
lane = _inner(without_alias=True)               # a loop over lanes on arrays that never overlap, which fills vectors

# the same for those that take many arrays and hand none on: nobody counts references, of which their callers hold one.
# Numba counts at every branch that reads an array: places of a four-bar linkage took 1.0 us, now 0.06. A process that
# checks bounds passes arrays on, and counts
_uncounted = {} if config.BOUNDSCHECK else {"_nrt": False}
borrower = _inner(**_uncounted)
borrower_leaf = _inner(forceinline=True, **_uncounted)

overload = partial(extending.overload, jit_options={"forceinline": True, "error_model": "numpy"})


def c_array(dtype, ndim):
    """Type of a writable C-contiguous array."""
    return types.Array(dtype, ndim, "C")


@extending.intrinsic
def _data(context, array):
    """Address of the first element of an array."""
    def emit(context, builder, signature, args):
        return context.make_array(signature.args[0])(context, builder, args[0]).data

    return types.CPointer(array.dtype)(array), emit


if config.DISABLE_JIT or config.BOUNDSCHECK:
    @leaf
    def pointer(array):
        """The array itself, flat: this process checks its bounds."""
        return array.reshape(array.size)
else:
    @leaf
    def pointer(array):
        """A contiguous array as the bare address of its numbers: passed for nothing, read without a check.

        An array costs a kernel some 10 ns in reference counts that the compiler does not always see through.
        """
        return _data(array)


@extending.intrinsic
def _unknown(context, number):
    """The number, passed through a register that the compiler does not look into."""
    def emit(context, builder, signature, args):
        kind = args[0].type
        return builder.asm(ir.FunctionType(kind, [kind]), "", "=r,0", args, False)

    return number(number), emit


if config.DISABLE_JIT:
    @leaf
    def unknown(number):
        """The number itself."""
        return number
else:
    @leaf
    def unknown(number):
        """The same number, of which the compiler knows nothing; costs no instruction.

        A loop of known length is unrolled, when it is short, before anybody looks for vectors in it.
        """
        return _unknown(number)


def is_compiled(function):
    """Whether a function of the user is one of Numba's (njit)."""
    return isinstance(function, CPUDispatcher)


def c_function(signature, function):
    """A function around one of the user as a C function, which kernels call by its `address`: arrays are pointers."""
    args = [types.CPointer(kind.dtype) if isinstance(kind, types.Array) else kind for kind in signature.args]
    return cfunc(signature.return_type(*args), error_model="numpy")(function)


def kernel(signature, variant="", **options):
    """Declare a function to be compiled under `signature` and no other; nothing is compiled before `ready` or a call.

    Parameters
    ----------
    signature
        A Numba signature, or a function without arguments that returns one (asked when the kernel is readied).
    variant
        What tells this one from its brothers when a function builds kernels; all it captures must follow from it.
    **options
        Further compiler options; what would change bits or bypass the cache is refused.
    """
    if options.keys() & {"cache", "parallel"} or options.get("fastmath", False) not in (False, {"contract"}):
        raise ValueError(f"kernels take neither cache, parallel nor fastmath beyond {{'contract'}}, got {options}")

    def decorate(py_func):
        if variant:
            py_func.__qualname__ = f"{py_func.__name__}[{variant}]"
        made = py_func if config.DISABLE_JIT else Kernel(py_func, signature, options)
        if _cache.belongs(py_func):
            KERNELS[_cache.name_of(py_func)] = made
        return made

    return decorate


def ready(kernel):
    """Compile a kernel, or load it from the cache, unless done; returns it, to be called or handed over as a pointer.

    A call whose types are not exactly the declared ones raises TypeError from the first call on. With
    NUMBA_DISABLE_JIT=1 a kernel is the plain Python function and comes back as it is.
    """
    if isinstance(kernel, Kernel):
        return kernel.ready()
    if config.DISABLE_JIT and callable(kernel):
        return kernel
    raise TypeError(f"{kernel!r} is not a kernel: decorate it with kernel(signature)")


@contextmanager
def _without_collector():
    """Compiling makes many objects and few cycles: looking for them took a seventh of the time."""
    was = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was:
            gc.enable()


class Kernel(CPUDispatcher):
    """A dispatcher with exactly one specialization: the declared one."""

    def __init__(self, py_func, signature, options):
        fixed = {"nopython": True, "nogil": True, "error_model": "numpy", "boundscheck": None}
        super().__init__(py_func, targetoptions=fixed | options)
        self._declared = signature
        self._options = options
        if _cache.belongs(py_func):
            self._cache = _cache.KernelCache(py_func, options)

    @property
    def signature(self):
        """What was declared, evaluated now if it was given as a function."""
        if not sigutils.is_signature(self._declared):
            self._declared = self._declared()
        return self._declared

    @cached_property
    def address(self):
        """Where the compiled version is: what other kernels call it by."""
        (compiled,) = self.ready().overloads.values()
        return compiled.library.get_pointer_to_function(compiled.fndesc.llvm_func_name)

    def ready(self):
        if not self.overloads:
            with global_compiler_lock, _without_collector():
                super().compile(self.signature)
        return self

    def compile(self, sig):
        """Answer Numba's wish for `sig`: the declared version or an error, never another version."""
        args, _ = sigutils.normalize_signature(sig)
        compiled = self.ready().overloads.get(tuple(args))
        if compiled is None:
            raise errors.TypingError(f"{_cache.name_of(self.py_func)} is declared as {self.signature}, not as {sig}")
        return compiled.entry_point

    def get_call_template(self, args, kws):
        """A call from another kernel resolves to the declared version, arguments converted as Numba does."""
        pysig, args = self.ready().fold_argument_types(args, kws)
        name = self.py_func.__name__
        return typing.make_concrete_template(name, key=name, signatures=self.nopython_signatures), pysig, args, {}

    @cached_property
    def _numba_type_(self):
        """Type of a kernel given as an argument: a function pointer."""
        return types.FunctionType(self.ready().nopython_signatures[0])

    def _compile_for_args(self, *args, **kws):
        """The dispatcher found no version for these arguments: refuse them, or make ours and let it look again."""
        try:
            self._explain_matching_error(*args)
        finally:
            self._types_active_call.clear()
        return self.ready()

    def _explain_matching_error(self, *args, **kws):
        declared, _ = sigutils.normalize_signature(self.signature)
        for name, expected, value in zip(self._compiler.pysig.parameters, declared, args):
            _require_same(f"{_cache.name_of(self.py_func)}: {name}", expected, self.typeof_pyval(value))

    def __reduce__(self):
        """Kernels of this package travel by name, others and built ones with their source function."""
        name = _cache.name_of(self.py_func)
        found = KERNELS.get(name) is self and self.py_func.__closure__ is None
        return (_by_name, (name,)) if found else super().__reduce__()

    def _reduce_states(self):
        return {"uuid": self._uuid, "py_func": self.py_func, "signature": self.signature, "options": self._options}

    @classmethod
    def _rebuild(cls, uuid, **states):
        if uuid not in cls._memo:
            cls(**states)._set_uuid(uuid)
        return cls._memo[uuid]


@extending.typeof_impl.register(Kernel)
def _type_of_kernel(value, context):
    return types.Dispatcher(value) if context.purpose is Purpose.constant else value._numba_type_


def _by_name(name):
    import_module(name.partition(":")[0])
    return KERNELS[name]


def _require_same(place, expected, actual):
    """Raise TypeError naming the argument, or the field of a NamedTuple, whose type is not the expected one."""
    if expected == actual:
        return
    named = getattr(expected, "instance_class", None)
    if named is not None and getattr(actual, "instance_class", None) is named:
        for field, wanted, got in zip(expected.fields, expected, actual):
            _require_same(f"{place}.{field}", wanted, got)
    raise TypeError(f"{place} must be {expected}, got {actual}")
