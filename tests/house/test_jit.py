"""Kernels: one declared signature, asked for late, refused to everything else, handed over as pointers."""


import numpy as np
import pytest
from house.toy import RIGHT, Toy
from numba import njit
from numba.core import config

from fastdyn._jit import KERNELS, c_array, float64, int64, kernel, leaf, overload, ready, typeof, types

COMPILED = pytest.mark.skipif(config.DISABLE_JIT, reason="without the compiler a kernel is a plain function")
LAW = float64(float64)
V = c_array(float64, 1)


@kernel(LAW)
def square(x):
    return x*x


@kernel(float64(V, int64))
def item(v, i):
    return v[i]


@kernel(lambda: float64(types.FunctionType(LAW), V))
def total(law, v):
    result = 0.0
    for i in range(v.shape[0]):
        result += law(v[i])
    return result


@kernel(float64(int64))
def fourth(n):
    return square(square(n))


@COMPILED
@pytest.mark.parametrize("v, i", [
    (np.ones(3, dtype=np.float32), 0),
    (np.ones(3, dtype=np.int64), 0),
    (np.ones((3, 2))[:, 0], 0),
    (np.ones((3, 1)), 0),
    (np.broadcast_to(1.0, 3), 0),
    (np.ones(3).astype(">f8"), 0),
    ([1.0, 2.0], 0),
    (np.ones(3), 0.0),
    (np.ones(3), np.int32(0)),
    (None, 0),
])
def test_another_type_is_a_type_error_and_not_another_version(v, i):
    assert ready(item)(np.array([3.0, 4.0]), 1) == 4.0
    with pytest.raises(TypeError, match=r"item: (v|i) must be"):
        item(v, i)
    assert len(item.signatures) == 1


@COMPILED
def test_the_first_call_of_a_kernel_that_is_not_ready_is_as_strict():
    @kernel(LAW)
    def twice(x):
        return 2.0*x

    with pytest.raises(TypeError, match="twice: x must be float64, got int64"):
        twice(3)
    assert twice(3.0) == 6.0 and twice(x=3.0) == 6.0 and len(twice.signatures) == 1


def test_the_field_of_a_tuple_of_arrays_is_named(tmp_path):
    toy = Toy(tmp_path/"tree").write()
    run = toy.run("""
try: high.energy(low.Model(mass=np.ones(2), length=np.ones((2, 3))[:, 0]), np.ones(2))
except TypeError as error: answer["error"] = str(error)
""")
    assert "energy: model.length must be array(float64, 1d, C), got array(float64, 1d, A)" in run["error"]


def test_a_kernel_calls_another_by_name_and_converts_as_numba_does():
    assert ready(fourth)(3) == 81.0


def test_a_kernel_is_a_function_pointer_for_another():
    v = np.array([1.0, 2.0, 3.0])
    assert ready(total)(ready(square), v) == 14.0

    @kernel(LAW)
    def cube(x):
        return x**3

    assert total(cube, v) == 36.0


@COMPILED
def test_a_pointer_of_another_signature_or_a_python_function_is_refused():
    for wrong in (item, abs, lambda x: x):
        with pytest.raises(TypeError, match="total: law must be FunctionType"):
            ready(total)(wrong, np.ones(2))


def test_a_pointer_loads_in_a_new_process_without_compiling(tmp_path):
    toy = Toy(tmp_path/"tree").write()
    pointer = "answer['value'] = ready(high.march)(low.law, 4)"
    assert {"march", "law"} <= set(toy.run(pointer)["compiled"])
    assert toy.run(pointer) == {"value": 12.0, "compiled": [], "warned": []}


@COMPILED
def test_a_signature_is_asked_for_when_it_is_needed():
    asked = []

    def late():
        asked.append(True)
        return LAW

    @kernel(late)
    def half(x):
        return 0.5*x

    assert asked == [] and ready(half)(3.0) == 1.5 and ready(half) is half and asked == [True]


def test_only_kernels_can_be_readied():
    with pytest.raises(TypeError, match="not a kernel"):
        ready(5)
    if not config.DISABLE_JIT:
        with pytest.raises(TypeError, match="not a kernel"):
            ready(leaf(lambda x: x))


@pytest.mark.parametrize("options", [{"fastmath": True}, {"fastmath": {"nnan"}}, {"parallel": True}, {"cache": True}])
def test_options_that_change_bits_or_bypass_the_cache_are_refused(options):
    with pytest.raises(ValueError, match="kernels take neither"):
        kernel(LAW, **options)


@COMPILED
def test_strict_arithmetic_unless_contraction_is_asked_for():
    def fma(x, y, z):
        return x*y + z

    signature = float64(float64, float64, float64)
    code = [next(iter(ready(kernel(signature, **options)(fma)).inspect_llvm().values()))
            for options in ({}, {"fastmath": {"contract"}})]
    assert "fmul double" in code[0] and "fmul contract double" in code[1]


def test_division_by_zero_gives_infinity_and_the_lock_of_the_interpreter_is_free():
    @kernel(LAW)
    def inverse(x):
        return 1.0/x

    if not config.DISABLE_JIT:
        assert ready(inverse)(0.0) == np.inf and inverse.targetoptions["nogil"]
    assert inverse(4.0) == 0.25


def test_an_overload_is_chosen_by_type():
    def width(x):
        return 1

    @overload(width)
    def _width(x):
        if isinstance(x, types.BaseTuple):
            n = len(x)
            return lambda x: n
        return lambda x: 1

    @leaf
    def wide(x):
        return width(x)

    if not config.DISABLE_JIT:
        assert (wide((1.0, 2.0)), wide(1.0)) == (2, 1)


def test_kernels_travel_in_pickles(tmp_path):
    toy = Toy(tmp_path/"tree").write()
    toy.run("""
import pickle
@kernel(low.LAW)
def mine(x): return x + 1.0
pickle.dump((ready(low.law), mine), open("kernels", "wb"))
""")
    run = toy.run("""
import pickle
law, mine = pickle.load(open("kernels", "rb"))
answer["values"] = law(2.0), mine(2.0), law is low.law, pickle.loads(pickle.dumps(mine)) is mine
""")
    assert run["values"] == [4.0, 3.0, True, True] and run["compiled"] == ["mine"]


def test_without_the_compiler_everything_is_plain_python(tmp_path):
    toy = Toy(tmp_path/"tree").write()
    run = toy.run("answer['values'] = values()\nanswer['plain'] = ready(high.march) is high.march\n"
                  "answer['type'] = type(high.march).__name__\nanswer['listed'] = sorted(KERNELS)",
                  NUMBA_DISABLE_JIT="1")
    names = ("high:energy", "high:march", "high:twice", "high:within", "low:item", "low:law")
    listed = [f"toy.{name}" for name in names]
    assert run == {"values": RIGHT, "plain": True, "type": "function", "listed": listed, "compiled": [], "warned": []}
    assert not toy.cache.exists()


def test_functions_from_outside_are_not_listed():
    assert not any(name.startswith(square.__module__) for name in KERNELS)


@COMPILED
def test_a_plain_dispatcher_sees_a_kernel_as_a_pointer():
    @njit
    def call(law, x):
        return law(x)

    assert call(square, 3.0) == 9.0 and typeof(square) == types.FunctionType(LAW)
