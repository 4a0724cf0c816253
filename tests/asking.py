"""A rate kernel asked once, from Python."""

from typing import NamedTuple

from fastdyn._address import RATE, caller, door, parts_of, parts_opener
from fastdyn._jit import c_array, float64, int64, kernel, pointer

LIST, VECTOR = c_array(int64, 1), c_array(float64, 1)


class Parts(NamedTuple):
    """One address."""

    rate: object


open_parts, call_rate = parts_opener(Parts), caller(RATE)


@kernel(int64(LIST, LIST, float64, VECTOR, VECTOR))
def ask(parts, handle, t, y, dy):
    return call_rate(open_parts(door(parts)).rate, door(handle), t, pointer(y), pointer(dy))


def ask_rate(rate, handle, t, y, dy):
    """The status; dy is written."""
    return ask(parts_of(Parts, (rate,)), handle, t, y, dy)
