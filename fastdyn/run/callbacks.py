"""The user's functions as kernels can call them: compiled ones by their address, Python ones through a C doorway.

A Python function that raises cannot raise through compiled code: its exception is kept, NaN goes back, the run stops
and the exception is told then.
"""

import math

import numpy as np

from .._address import c_function_type
from ..describe.events import DIRECTIONS
from ..formulations.rates import DRIVE_CALL
from ..formulations.watching import ACTION_CALL, EVENT_CALL
from ..steppers.desk import CHANGED, HALT, RESTED, UNCHANGED
from .wrenches import row_wrenches


class Callbacks:
    """C functions of one run, alive as long as this object; `failure` is the first exception one of them raised."""

    def __init__(self, system, events=()):
        self.system, self.events, self.failure, self.kept = system, events, None, []
        self.drive = 0 if system.drive is None else self._address(self._drive(system.drive), DRIVE_CALL)
        self.functions = np.array([self._address(self._event(e), EVENT_CALL) for e in events], np.int64)
        self.actions = np.array([self._address(self._action(e), ACTION_CALL) for e in events], np.int64)
        self.watch = [DIRECTIONS[e.direction] for e in events]

    def _address(self, function, signature):
        address = getattr(function, "address", None)
        if isinstance(address, int):
            return address
        made = c_function_type(signature)(function)
        self.kept.append(made)
        import ctypes

        return ctypes.cast(made, ctypes.c_void_p).value

    def _guarded(self, function, otherwise):
        def guarded(*args):
            try:
                return function(*args)
            except BaseException as failure:                    # told when the run has stopped
                self.failure = self.failure or failure
                return otherwise

        return guarded

    def _state(self, q, v):
        as_array = np.ctypeslib.as_array
        return as_array(q, (self.system.nq,)), as_array(v, (self.system.nv,))

    def _copy(self, q, v):
        return [x.copy() for x in self._state(q, v)]

    def _drive(self, drive):
        system, rows = self.system, 6*len(self.system.model.row)
        wrench = np.zeros((len(system.links), 6))

        def call(t, q, v, torque, rows_wrench):
            wrench[:] = 0.0
            torque = np.ctypeslib.as_array(torque, (system.nv,))
            driven = torque.copy()
            torque[:] = math.nan                                # unless the drive comes back
            drive(t, *self._copy(q, v), driven, wrench)
            if wrench.any():
                np.ctypeslib.as_array(rows_wrench, (rows,))[:] += row_wrenches(system, None, wrench)
            torque[:] = driven

        return drive if hasattr(drive, "address") else self._guarded(call, None)

    def _event(self, event):
        function = event.function
        if hasattr(function, "address"):
            return function
        return self._guarded(lambda t, q, v: float(function(t, *self._copy(q, v))), math.nan)

    def _action(self, event):
        action, terminal = event.action, event.terminal
        if hasattr(action, "address"):
            return action

        def call(t, q, v, direction):
            if action is None:
                return HALT if terminal or direction == RESTED else UNCHANGED
            action(t, *self._state(q, v), direction)
            return HALT if terminal else CHANGED

        return self._guarded(call, HALT)
