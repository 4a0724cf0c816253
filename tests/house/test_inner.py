"""Functions that kernels are made of: code alone in kernels, whole when Python calls them."""

import gc

import numpy as np
import pytest
from house.toy import Toy
from numba.core import config, errors

from fastdyn._jit import c_array, float64, int64, kernel, lane, leaf, sweep

pytestmark = pytest.mark.skipif(config.DISABLE_JIT, reason="without the compiler they are plain functions")
V = c_array(float64, 1)


@leaf
def raised(x, n=2):
    return x**n


@sweep
def summed(v, n):
    total = 0.0
    for i in range(v.shape[0]):
        total += raised(v[i], n)
    return total


def double(x, y):
    for i in range(len(x)):
        y[i] = 2.0*x[i]


def test_in_a_kernel_they_are_code_alone_and_for_python_whole():
    @kernel(float64(V, int64))
    def both(v, n):
        return summed(v, n) + summed(v, 1.0) + raised(v[0])

    v = np.array([1.5, 2.0])
    assert both(v, 3) == 1.5**3 + 2.0**3 + 3.5 + 2.25
    assert not raised.overloads and not summed.overloads
    assert raised(1.5, 3) == 1.5**3 and raised(1.5, n=3.0) == 1.5**3 and raised(2.0) == 4.0
    assert len(raised.overloads) == 3 and summed(v, 3) == 1.5**3 + 2.0**3
    assert both(v, 3) == 1.5**3 + 2.0**3 + 3.5 + 2.25


def test_a_lane_takes_nothing_to_overlap_either_way():
    def promises(inner):
        @kernel(float64(V, V))
        def twice(x, y):
            inner(x, y)
            return y[0]

        assert twice(np.ones(3), np.zeros(3)) == 2.0
        inner(np.ones(3), np.zeros(3))
        return [next(iter(made.inspect_llvm().values())).count("noalias") for made in (twice, inner)]

    assert all(more > less for more, less in zip(promises(lane(double)), promises(sweep(double))))


def test_an_error_inside_is_told_by_the_kernel():
    @leaf
    def refused(x):
        if x < 0.0:
            raise ValueError("below zero")
        return x

    @kernel(float64(float64))
    def asked(x):
        return refused(x) + 1.0

    assert asked(1.0) == 2.0
    with pytest.raises(ValueError, match="below zero"):
        asked(-1.0)
    with pytest.raises(ValueError, match="below zero"):
        refused(-1.0)


def test_bounds_are_checked_inside_where_they_are_asked_for(tmp_path):
    toy = Toy(tmp_path/"tree").write()
    asked = """
from toy._jit import c_array, float64, int64
@leaf
def entry(v, i):
    return v[i]

@kernel(float64(c_array(float64, 1), int64))
def asked(v, i):
    return entry(v, i)

for function in asked, entry:
    try: function(np.ones(3), 5)
    except IndexError as error: answer.setdefault("errors", []).append(str(error))
"""
    assert toy.run(asked, NUMBA_BOUNDSCHECK="1")["errors"] == ["index is out of bounds"]*2


@pytest.mark.parametrize("collects", [True, False])
def test_the_collector_is_left_as_it_was(collects):
    @kernel(float64(float64))
    def fine(x):
        return x

    @kernel(float64(float64))
    def wrong(x):
        return x.nothing

    (gc.enable if collects else gc.disable)()
    try:
        assert fine(1.0) == 1.0
        with pytest.raises(errors.TypingError):
            wrong(1.0)
        assert gc.isenabled() == collects
    finally:
        gc.enable()
