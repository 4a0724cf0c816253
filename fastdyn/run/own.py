"""A user's own rate as a stepper sees it: a kernel, a handle, and functions of the user behind it."""

import inspect
import math
import warnings
from functools import lru_cache

import numpy as np

from .._address import Handle
from .._jit import c_function, carray, errors, is_compiled, ready
from ..describe.check import shown
from ..status import RATE_FAILED, ModelError
from ..steppers import own
from .asking import shape_of
from .callbacks import Callbacks

INSTEAD = "give real ones, a complex component as two of them, its real and its imaginary part"


class Own(Callbacks):
    """What is integrated.

    Parameters
    ----------
    function : the rate, as `integrate` takes it.
    t, y : where the run starts: a rate that is not compiled for good is asked there once.
    numbers : None, or an array the rate is given too.
    events : Event, each.
    """

    event_call, action_call = own.EVENT_CALL, own.ACTION_CALL

    def __init__(self, function, t, y, numbers, events):
        self.n, self.numbers, self.given = len(y), np.zeros(1) if numbers is None else numbers, numbers is not None
        self._begin((self.n,), events)
        made = self._rate(function, t, y)
        self.handle = np.zeros(own.WORDS, np.int64).view(Handle)
        self.handle.arrays = made, self.numbers, self.functions, self.actions
        self.handle[:] = (self.n, self._address(made, own.RATE_CALL), self.numbers.ctypes.data,
                          self.functions.ctypes.data, self.actions.ctypes.data, 0)
        self.rate, self.own, self.events = ready(own.rate), 0, len(events)

    @property
    def kernels(self):
        """Those besides the rate, by their names for a Course."""
        return {"gaps": own.watching(self.events), "switch": own.acting} if self.events else {}

    def drain(self):
        """Nothing is logged."""

    def told(self, what):
        """How many events there are in pieces off the tape."""
        return sum(map(len, what))

    def _rate(self, function, t, y):
        if isinstance(getattr(function, "address", None), int):
            return function
        fills = self._fills(function)
        numbers = (self.numbers,)*self.given
        if not fills:
            self._check_answer(lambda: function(t, y.copy(), *numbers))
        elif not is_compiled(function):
            _check_filled(lambda: function(t, y.copy(), np.full(self.n, math.nan), *numbers))
        if is_compiled(function):
            return _rate_in_c(function, self.n, len(self.numbers), fills, self.given)

        def call(t, y, dy, _):
            if self.failure is None:
                dy, y = np.ctypeslib.as_array(dy, (self.n,)), np.ctypeslib.as_array(y, (self.n,)).copy()
                if not fills:
                    dy[:] = _real(function(t, y, *numbers), f"at t = {t:.9g} s")
                    return
                found = np.full(self.n, math.nan)
                function(t, y, found, *numbers)
                dy[:] = found

        return self._guarded(call, None, RATE_FAILED)

    def _event(self, event):
        if is_compiled(event.function):
            return _event_in_c(event.function, self.n)
        return super()._event(event)

    def _fills(self, function):
        """Whether it fills an array it is given, told by its arguments."""
        many = {inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD}
        parameters = inspect.signature(getattr(function, "py_func", function)).parameters.values()
        asks = sum(p.kind in many and p.default is inspect.Parameter.empty for p in parameters) - self.given
        if asks not in (2, 3):
            more, hint = (", numbers", "") if self.given else ("", "; one that takes numbers too wants numbers=...")
            raise ModelError(f"rate takes {asks + self.given} arguments; give rate(t, y{more}), which returns dy/dt, "
                             f"or rate(t, y, dy{more}), which fills dy{hint}")
        return asks == 3

    def _check_answer(self, ask):
        try:
            found = ask()
        except errors.NumbaError as wrong:
            raise _does_not_compile("rate", wrong) from wrong
        if shape_of(found) != (self.n,):
            raise ModelError(f"rate gives {shown(found)} at the start; let it give {self.n} numbers in a row, one for "
                             "each component of y")
        _real(found, "at the start")


def _real(found, when):
    """What a rate gave, if it is no row of complex numbers."""
    found = np.asarray(found)
    if found.dtype.kind == "c":
        raise ModelError(f"rate gives complex numbers {when}; {INSTEAD}")
    return found


def _check_filled(ask):
    """Whatever else goes wrong at the start is told by the run."""
    with warnings.catch_warnings():
        warnings.simplefilter("error", np.exceptions.ComplexWarning)
        try:
            ask()
        except np.exceptions.ComplexWarning:
            raise ModelError(f"rate fills dy with complex numbers at the start; {INSTEAD}") from None
        except Exception:
            return


@lru_cache(64)
def _rate_in_c(rate, n, m, fills, given):
    """A compiled rate as a C function."""
    if fills and given:
        def rate_in_c(t, y, dy, numbers):
            rate(t, carray(y, n), carray(dy, n), carray(numbers, m))
    elif fills:
        def rate_in_c(t, y, dy, _):
            rate(t, carray(y, n), carray(dy, n))
    elif given:
        def rate_in_c(t, y, dy, numbers):
            found = rate(t, carray(y, n), carray(numbers, m))
            for i in range(n):
                dy[i] = found[i]
    else:
        def rate_in_c(t, y, dy, _):
            found = rate(t, carray(y, n))
            for i in range(n):
                dy[i] = found[i]
    return _in_c(rate, own.RATE_IN_C, rate_in_c)


@lru_cache(64)
def _event_in_c(function, n):
    """A compiled function of an event as a C function."""
    def event_in_c(t, y):
        return function(t, carray(y, n))

    return _in_c(function, own.EVENT_CALL, event_in_c)


def _in_c(function, signature, around):
    try:
        return c_function(signature, around)
    except errors.NumbaError as wrong:
        raise _does_not_compile(function.__name__, wrong) from wrong


def _does_not_compile(name, wrong):
    why = " ".join(str(wrong).split())
    return ModelError(f"{name} does not compile for a time and arrays of float64: {why[:300]}")
