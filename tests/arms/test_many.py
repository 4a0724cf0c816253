"""States of an arm side by side: the bits of each alone, whatever stands beside it; registers full of them."""

import re

import numpy as np
import pytest
from llvmlite import binding as llvm
from numba.core import config

from arms.test_motors import geared
from arms.test_recursive import mixed, state
from fastdyn._address import CHECKED
from fastdyn._jit import float64, int64, types
from fastdyn._registers import REGISTER
from fastdyn.arms import accelerations, canadarm2, flexible_arm, modal_sums, recursive_system, rows, spin_up
from fastdyn.arms.compile import compiled
from fastdyn.arms.layout import work_for
from fastdyn.arms.many import MANY, side_by_side
from fastdyn.layout import WIDTH
from fastdyn.status import SimulationError

pytestmark = pytest.mark.kernels
ARMS = {"mixed": mixed(), "without shortening": mixed(foreshortening=False),
        "one plane": mixed(((0, 3, 0, 0), (0, 1, 0, 0), (0, 0, 2, 0))), "no bending": mixed(((2, 0, 0, 1), (1, 0, 0, 0),
                                                                                             (0, 0, 0, 2))),
        "many modes": flexible_arm(2, (2, 5, 6, 3)), "planes and rotors of their own": geared(shear=(900.0, 700.0)),
        "R5": canadarm2("R5"), "exp": mixed(rotation="exp")}


def states(arm, count, seed=1):
    rng = np.random.default_rng(seed)
    return np.array([state(arm, rng, 0.02) for _ in range(count)]).transpose(1, 0, 2)


def alone(arm, q, v, t=0.0):
    model, acc = compiled(arm), np.empty_like(q)
    work = work_for(model, dense=False)
    for row in zip(q, v, acc):
        assert recursive_system.accelerate(model, work, t, *row[:2], np.zeros(len(arm.planes)), row[2]) == 0
    return acc


@pytest.mark.parametrize("name", ARMS)
def test_a_lane_is_the_arm_alone(name):
    q, v = states(ARMS[name], MANY + 3)
    q[3, 0] = 1e7                                           # an angle whose sine is found another way
    assert accelerations(ARMS[name], q, v).tobytes() == alone(ARMS[name], q, v).tobytes()
    assert (side_by_side(compiled(ARMS[name]), q, v, 0.0) is None) == (name == "exp" or CHECKED)


def test_a_prescribed_motion_is_that_of_all():
    arm = spin_up(modes=3, axial=1)
    q, v = states(arm, MANY)
    assert accelerations(arm, q, v, t=4.0).tobytes() == alone(arm, q, v, 4.0).tobytes()
    assert (accelerations(arm, q, v, t=4.0) != accelerations(arm, q, v)).any()


def test_the_state_in_trouble_is_told():
    q, v = states(ARMS["mixed"], MANY)
    v[WIDTH + 2, 0] = 1e200
    with pytest.raises(SimulationError, match=f"state {WIDTH + 3} of {MANY} "):
        accelerations(ARMS["mixed"], q, v)


@pytest.mark.skipif(config.DISABLE_JIT or config.BOUNDSCHECK, reason="no assembly, or one that checks bounds")
@pytest.mark.skipif(not llvm.get_host_cpu_features().get("avx2"), reason="other registers, or other words for them")
@pytest.mark.parametrize("sweep", [rows.less, rows.gathered, rows.moved, modal_sums.by_four], ids=lambda s: s.__name__)
def test_states_side_by_side_fill_registers(sweep):
    """Every product and every sum is of whole registers."""
    whole = ("begin", "count", "rows", "step", "first", "last", "width", "w", "nb", "b", "most")
    state, constants = types.CPointer(REGISTER), types.CPointer(float64)
    names = sweep.py_func.__code__.co_varnames[:sweep.py_func.__code__.co_argcount]
    kinds = tuple(constants if name == "c" else int64 if name in whole and (name != "w" or "nb" in names) else state
                  for name in names)
    sweep.compile(kinds)
    text = sweep.inspect_asm(kinds)
    assert len(re.findall(r"v(?:mul|add|sub)pd\s", text)) > 6 and not re.findall(r"v(?:mul|add|sub)sd\s", text)
