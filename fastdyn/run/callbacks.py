"""The user's functions as kernels can call them: compiled ones by their address, Python ones through a C doorway.

A Python function that raises cannot raise through compiled code: its exception is kept, NaN or a word of failure goes
back, the run stops and the exception is told then.
"""

import ctypes
import math

import numpy as np

from .._address import NUMBERS, c_function_type
from ..describe.check import shown
from ..describe.events import DIRECTIONS
from ..describe.functions import raised
from ..formulations.rates import DRIVE_CALL
from ..formulations.watching import ACTION_CALL, EVENT_CALL
from ..layout import CHANGED, FAILED, HALT, HELD, UNCHANGED, in_plane
from ..status import ACTION_FAILED, DRIVE_FAILED, EVENT_FAILED, INTERRUPTED, OK, SIGNAL_FAILED, ModelError
from .closing import closes_after, closing
from .wrenches import asked, check_plane, is_compiled

ANSWERS = {None: CHANGED, "stop": HALT, "held": HELD}       # of an action in Python


class Callbacks:
    """C functions of one run, alive as long as this object.

    `failure` is the first exception one of them raised; `status` and `place` tell what that makes of the run, and whose
    function it was. `sizes`: of the parts of a state as events are given it. `check_way`: of t, q, v after an action in
    a singular pose; the Plant's.
    """

    event_call, action_call = EVENT_CALL, ACTION_CALL
    close = None                                                # takes q and v onto closures; None: there are none
    check_way = None

    def __init__(self, system, events=()):
        self.system, self.close = system, closing(system)
        self._begin((system.nq, system.nv), events)
        self.drive = 0 if system.drive is None else self._address(self._drive(system.drive), DRIVE_CALL)

    def _begin(self, sizes, events):
        raised()                                                # what was not told before is not of this run
        self.sizes, self.failure, self.status, self.place, self.kept = sizes, None, OK, "", []
        self.functions = np.array([self._address(self._event(e), self.event_call) for e in events], np.int64)
        self.actions = np.array([self._address(self._action(e), self.action_call) for e in events], np.int64)
        self.watch = [DIRECTIONS[e.direction] for e in events]

    def look(self):
        """See whether the function of a signal raised an exception."""
        failure = raised()
        if failure is not None and self.failure is None:
            self.failure = failure
            self.status = SIGNAL_FAILED if isinstance(failure, Exception) else INTERRUPTED

    def values(self, t, y):
        """Of all events at a state; NaN where there is none."""
        parts = [part.copy() for part in np.split(y, np.cumsum(self.sizes)[:-1])]
        numbers = [x.ctypes.data_as(NUMBERS) for x in parts]
        return [c_function_type(self.event_call)(int(address))(t, *numbers) for address in self.functions]

    def _address(self, function, signature):
        address = getattr(function, "address", None)
        if isinstance(address, int):
            return address
        made = c_function_type(signature)(function)
        self.kept.append(made)
        return ctypes.cast(made, ctypes.c_void_p).value

    def _guarded(self, function, otherwise, status, place=""):
        def guarded(*args):
            try:
                return function(*args)
            except BaseException as failure:                    # told when the run has stopped
                if self.failure is None:
                    self.failure, self.place = failure, place
                    self.status = status if isinstance(failure, Exception) else INTERRUPTED
                return otherwise

        return guarded

    def _state(self, *parts):
        return [np.ctypeslib.as_array(part, (size,)) for part, size in zip(parts, self.sizes)]

    def _copy(self, *parts):
        return [x.copy() for x in self._state(*parts)]

    def _drive(self, drive):
        system = self.system

        def call(t, q, v, torque, wrench):
            wrench = np.ctypeslib.as_array(wrench, (len(system.links), 6))
            torque = np.ctypeslib.as_array(torque, (system.nv,))
            driven = torque.copy()
            torque[:] = math.nan                                # unless the drive comes back
            asked(drive, t, *self._copy(q, v), driven, wrench)
            if in_plane(system.model):
                check_plane(system, wrench)
            torque[:] = driven

        return drive if is_compiled(drive) else self._guarded(call, None, DRIVE_FAILED)

    def _event(self, event):
        function = event.function
        if hasattr(function, "address"):
            return function
        return self._guarded(lambda t, *parts: _value(function(t, *self._copy(*parts))), math.nan, EVENT_FAILED,
                             f'event "{event.name}"')

    def _action(self, event):
        action, terminal = event.action, event.terminal
        if hasattr(action, "address"):
            if not terminal and self.close is None:
                return action
            act = self._compiled(c_function_type(self.action_call)(action.address), terminal)
        else:
            act = self._python(action, terminal)
        act = act if self.close is None or action is None else closes_after(
            act, self.close, lambda *state: self.check_way(*state))
        return self._guarded(lambda t, *given: act(t, *self._state(*given[:-1]), given[-1]), FAILED, ACTION_FAILED,
                             f'event "{event.name}"')

    @staticmethod
    def _compiled(action, terminal):
        def act(t, *given):
            *parts, direction = given
            answer = action(t, *(part.ctypes.data_as(NUMBERS) for part in parts), direction)
            return HALT if terminal and answer in (UNCHANGED, CHANGED) else answer

        return act

    @staticmethod
    def _python(action, terminal):
        def act(*given):
            if action is None:
                return HALT if terminal else UNCHANGED
            said = action(*given)
            if not (said is None or (isinstance(said, str) and said in ANSWERS)):
                raise ModelError(f'the action answered {shown(said)}; let it return None, "stop" or "held"')
            return HALT if terminal and said is None else ANSWERS[said]

        return act


def _value(told):
    """What the function of an event told, as a number"""
    if isinstance(told, (bool, np.bool_)):
        raise ModelError(f"the function gives {told}, and yes and no have no zero to go through; let it return a "
                         "number that changes its sign there, such as a distance, or 1.0 for yes and -1.0 for no")
    return float(told)
