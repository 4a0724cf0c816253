"""Codes that integrate the same pendulum with the same compiled right-hand side: ours by name of stepper and others."""

import time
from typing import NamedTuple

import numpy as np
from llvmlite import ir
from numba import extending

from fastdyn._address import RATE, caller, door, handle_of, parts_of, parts_opener
from fastdyn._jit import c_array, float64, int64, kernel, pointer, types
from fastdyn.formulations import rates
from fastdyn.layout import PAUSE, RATES, RTOL, T_END, work_of
from fastdyn.run.course import Course

LIST, VECTOR = c_array(int64, 1), c_array(float64, 1)


class One(NamedTuple):
    """One kernel by address."""

    rate: object


open_one, call_rate = parts_opener(One), caller(RATE)


@kernel(RATE)
def idle(handle, t, y, dy):
    """A right-hand side that costs nothing: y stays what it is."""
    return 0


@kernel(int64(LIST, LIST, float64, VECTOR, VECTOR, int64))
def evaluate(parts, handle, t, y, dy, calls):
    """Ask for the rate `calls` times."""
    rate, handle, worst = open_one(door(parts)).rate, door(handle), 0
    for _ in range(calls):
        worst = max(worst, call_rate(rate, handle, t, pointer(y), pointer(dy)))
    return worst


class Pendulum:
    """A chain at rest, its right-hand side, the state to start from."""

    def __init__(self, chain, t_end, idle_rate=False):
        self.chain, self.t_end, self.evaluations, self.seconds = chain, t_end, None, 0.0
        self.handle = handle_of(chain.model, work_of(chain.model), chain.nq)
        self.rate = idle if idle_rate else rates.rate(chain.model)
        self.y = np.concatenate(chain.zero_state())
        self.one, self.dy = parts_of(One, (self.rate,)), np.zeros_like(self.y)

    def f(self, t, y):
        """dy/dt, for codes that ask from Python."""
        dy = np.empty_like(y)
        evaluate(self.one, self.handle, t, y, dy, 1)
        return dy

    def evaluate(self, calls):
        evaluate(self.one, self.handle, 0.0, self.y, self.dy, calls)

    def tolerances(self, usual):
        return usual

    def run(self, tolerance):
        """The final state."""
        began = time.perf_counter()
        final = self.integrate(tolerance)
        self.seconds = time.perf_counter() - began
        return final


class Ours(Pendulum):
    """A stepper of fastdyn; the arrays of the first run are used again."""

    def __init__(self, chain, name, t_end, idle=False):
        super().__init__(chain, t_end, idle)
        self.name = name
        self.course = Course(self.rate, self.handle, self.y, method=name)
        self.advance, self.parts, self.desk = self.course.advance, self.course.parts, self.course.desk
        self.course.to(1e-6)

    def integrate(self, tolerance):
        s = self.course.stepping
        s.clock[:], s.count[:], s.y[:len(self.y)] = 0.0, 0, self.y
        s.setting[[RTOL, T_END, PAUSE]], s.atol[:len(self.y)] = (tolerance, self.t_end, 1e12), tolerance
        if self.advance(self.parts, self.handle, self.desk, self.course.reel) != 0:
            return np.full_like(self.y, np.nan)
        self.evaluations = int(s.count[RATES])
        return s.y[:len(self.y)].copy()

    def python_seconds(self):
        """What a call takes that does nothing."""
        best = np.inf
        for _ in range(200):
            began = time.perf_counter()
            self.advance(self.parts, self.handle, self.desk, self.course.reel)
            best = min(best, time.perf_counter() - began)
        return best


class SciPy(Pendulum):
    """solve_ivp of SciPy, asking our compiled right-hand side from Python."""

    def __init__(self, chain, t_end, method):
        super().__init__(chain, t_end)
        self.name, self.method = f"SciPy {method}", method

    def integrate(self, tolerance):
        from scipy.integrate import solve_ivp

        found = solve_ivp(self.f, (0.0, self.t_end), self.y, method=self.method, rtol=tolerance, atol=tolerance)
        self.evaluations = found.nfev
        return found.y[:, -1]


@extending.intrinsic
def address_of(context, number):
    """The address that stands in the bits of a number, as a handle."""
    def emit(context, builder, signature, args):
        bits = builder.bitcast(args[0], ir.IntType(64))
        return builder.inttoptr(bits, ir.IntType(64).as_pointer())

    return types.CPointer(types.int64)(types.float64), emit


class NumbaLsoda(Pendulum):
    """numbalsoda: compiled Fortran and C++ loops around our compiled right-hand side."""

    def __init__(self, chain, t_end, method):
        import numbalsoda
        from numba import cfunc

        super().__init__(chain, t_end)
        self.name, self.solve = f"numbalsoda {method}", getattr(numbalsoda, method)
        handle, parts = self.handle, self.one

        @cfunc(numbalsoda.lsoda_sig)
        def right_hand_side(t, y, dy, data):
            call_rate(open_one(address_of(data[0])).rate, address_of(data[1]), t, y, dy)

        self.made = right_hand_side
        self.data = np.array([parts.ctypes.data, handle.ctypes.data], np.int64).view(np.float64)

    def integrate(self, tolerance):
        states, well = self.solve(self.made.address, self.y, np.array([0.0, self.t_end]), data=self.data,
                                  rtol=tolerance, atol=tolerance, mxstep=10**7)
        return states[-1] if well else np.full_like(self.y, np.nan)
