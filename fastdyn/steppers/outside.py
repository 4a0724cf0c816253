"""A compiled rate for integrators outside, which ask from Python: f(t, y)."""

from typing import NamedTuple

import numpy as np

from .._address import RATE, caller, door, parts_of, parts_opener
from .._jit import c_array, float64, int64, kernel, pointer

LIST, VECTOR = c_array(int64, 1), c_array(float64, 1)


class One(NamedTuple):
    """A rate by its address."""

    rate: object


open_one, call_rate = parts_opener(One), caller(RATE)


@kernel(int64(LIST, LIST, float64, VECTOR, VECTOR))
def rate_once(parts, handle, t, y, dy):
    """dy/dt into dy, and a status."""
    return call_rate(open_one(door(parts)).rate, door(handle), t, pointer(y), pointer(dy))


def right_hand_side(rate, handle):
    """f(t, y) -> dy/dt of a rate (formulations/rates.py) and its handle; numbers without meaning where it has none."""
    parts = parts_of(One, (rate,))

    def f(t, y):
        dy = np.empty(len(y))
        rate_once(parts, handle, float(t), np.ascontiguousarray(y), dy)
        return dy

    return f
