"""The user's functions as signals and laws of joints: kernels call them by their address."""

import ctypes
import inspect
import math
import threading

import numpy as np

from ..status import ModelError
from .check import shown

ONE, LAW, DRIVE = "function(t)", "function(t, q, v)", "drive(t, q, v, torque, wrench)"
COMPILED = {                                            # as Numba prints the C function of each
    ONE: "(float64) -> float64",
    LAW: "(float64, float64*, float64*) -> float64",
    DRIVE: "(float64, float64*, float64*, float64*, float64*) -> none",
}
HERE = threading.local()                                # what a function raised in this thread


class Function:
    """A number that a function tells: f(t) of time, or at a joint also f(t, q, v), a law of the joint.

    q and v are arrays of the joint's own coordinates and velocities, the answer is a number. A function may be compiled
    by Numba: njit, or cfunc, which is called with nothing in between, as float64(float64) of t, or
    float64(float64, CPointer(float64), CPointer(float64)) of t, q, v. A Python function works too and is slower: some
    microseconds a call. It has to give the same number for the same t, q, v. Model files cannot keep it.
    """

    def __init__(self, function, laws=False):
        self.function, self.law, self._kept = function, _is_law(function, laws), {}
        check_types(function, LAW if self.law else ONE)

    @property
    def name(self):
        """What the function is called."""
        return getattr(self.function, "__name__", shown(self.function))

    def __repr__(self):
        return f"Function({self.name})"

    def __eq__(self, other):
        return isinstance(other, Function) and self.function == other.function

    def __hash__(self):
        return hash(self.function)

    def __reduce__(self):
        return Function, (self.function, self.law)

    def address(self, nq=0, nv=0):
        """Where kernels call it; nq, nv: of the joint. What stands there lives as long as this object."""
        if (nq, nv) not in self._kept:
            self._kept[nq, nv] = self._doorway(nq, nv)
        return self._kept[nq, nv][0]

    def _doorway(self, nq, nv):
        """(address, what has to be kept alive)"""
        from .._address import c_function_type, compiled_doorway    # the compiler, which descriptions can do without
        from ..laws.signal import LAW_CALL, SIGNAL_CALL

        address = getattr(self.function, "address", None)
        if isinstance(address, int):
            return address, self.function
        if hasattr(self.function, "py_func"):
            made = compiled_doorway(self.function, (nq, nv) if self.law else ())
            return made.address, made
        sizes = (nq, nv) if self.law else ()

        def called(t, *parts):
            try:
                said = self.function(t, *(np.ctypeslib.as_array(x, (n,)).copy() for x, n in zip(parts, sizes)))
                return _number(said, self.name)
            except BaseException as failure:            # told when the kernel has answered
                HERE.failure = HERE.__dict__.get("failure") or failure
                return math.nan

        made = c_function_type(LAW_CALL if self.law else SIGNAL_CALL)(called)
        return ctypes.cast(made, ctypes.c_void_p).value, made


def is_function(value):
    """Whether it is a user's function, in Python or compiled."""
    return not isinstance(value, type) and (callable(value) or isinstance(getattr(value, "address", None), int))


def raised():
    """The first exception a signal's function raised in this thread since the last time this was asked, or None."""
    return HERE.__dict__.pop("failure", None)


def _number(said, name):
    try:
        return float(said)
    except (TypeError, ValueError):
        raise ModelError(f"{name} answered {shown(said)}; let it return a number") from None


def _is_law(function, laws):
    """Whether it takes (t, q, v), which only those of joints may."""
    takes = [count for count in (1, 3) if _takes(function, count)]
    if 1 in takes:
        return False
    if laws and 3 in takes:
        return True
    wanted = f"{ONE} or {LAW}" if laws else ONE
    name = getattr(function, "__name__", "signal")
    raise ModelError(f"signal is called as {wanted}, but {name}{_arguments(function)} does not take that")


def _takes(function, count):
    try:
        inspect.signature(function).bind(*range(count))
    except TypeError:
        return False
    except ValueError:                                  # of what is not written in Python
        return True
    return True


def _arguments(function):
    try:
        return str(inspect.signature(function))
    except (TypeError, ValueError):
        return ""


def check_types(function, called):
    """Refuse a C function of Numba that takes other numbers than kernels give, such as single precision."""
    types = str(getattr(function, "_sig", COMPILED[called])).replace(",)", ")")
    if types != COMPILED[called]:
        raise ModelError(f"{getattr(function, '__name__', 'the function')} is compiled as {types}, but {called} is "
                         f"called as {COMPILED[called]}, in double precision")
