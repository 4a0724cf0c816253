"""What the tests of the dynamics share."""

from contextlib import contextmanager

import numpy as np
import pytest
from numba.core import config

from fastdyn import layout
from fastdyn.formulations import recursive, space_forward, space_inverse
from fastdyn.layout import FIXED, PLANE_BEAM, PLANE_FIXED, PLANE_REVOLUTE, SCREW

COMPILED = not config.DISABLE_JIT
JOINTS_IN_SPACE, JOINTS_IN_PLANE = tuple(range(SCREW, FIXED + 1)), tuple(range(PLANE_REVOLUTE, PLANE_FIXED + 1))


def within(error, bound):
    """Whether an error, as it should be, is a number below its bound."""
    return bool(error <= bound)


def off(got, expected, least=0.0):
    """Largest difference relative to the largest entry of `expected`, or to `least` if that is more."""
    got, expected = np.asarray(got, dtype=float), np.asarray(expected, dtype=float)
    assert got.shape == expected.shape
    return np.max(np.abs(got - expected), initial=0.0)/max(np.max(np.abs(expected), initial=0.0), least, 1e-300)


def examples(many):
    """How many examples to draw: without the compiler a few will do."""
    return many if COMPILED else 6


@contextmanager
def all_joints_in_one_kernel():
    """Every chain asks the kernel for all joints; rows of scratch are as wide as that one wants them. Beams have their
    own."""
    columns, own = layout.work_columns(JOINTS_IN_SPACE), recursive.variant

    def variant(model):
        plane, steps, _ = wanted = own(model)
        if steps[-1] > PLANE_BEAM:
            return wanted
        return recursive.Variant(plane, JOINTS_IN_PLANE if plane else JOINTS_IN_SPACE, unbranched=False)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(recursive, "variant", variant)
        for page in (layout, recursive, space_forward, space_inverse):
            patch.setattr(page, "work_columns", lambda steps: columns)
        yield


@pytest.fixture(scope="module")
def one_ladder():
    """Two kernels to compile instead of two for every set of joints that chance comes up with.

    test_ladders.py shows that the bits are the same.
    """
    with all_joints_in_one_kernel():
        yield
