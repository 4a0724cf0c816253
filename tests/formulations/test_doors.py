"""The doors of the kernels: no other arrays than the declared ones, and no number out of what is no number."""

from importlib import import_module
from pkgutil import walk_packages
from types import SimpleNamespace

import numpy as np
import pytest
from formulations.common import COMPILED

import fastdyn as fd
from fastdyn import Link, Prismatic, Spherical
from fastdyn._jit import KERNELS, Kernel, ready, types
from fastdyn.formulations import FORMULATIONS, formulation, recursive
from fastdyn.layout import work_of
from fastdyn.status import OK

ROD = {"length": 1.0, "mass": 1.0, "radius": 0.1}
CHAIN = fd.Chain([Link(**ROD), Link(name="ball", joint=Spherical(), **ROD),
                  Link(name="slide", joint=Prismatic(), **ROD)], space="space")
ROOMS = ("algebra", "laws", "formulations", "steppers", "arms", "transfer", "run")
ROADS = pytest.mark.parametrize("road", FORMULATIONS)
pytestmark = pytest.mark.kernels


def kernels():
    """Every kernel of the package that a page declares, and the recursions of a chain."""
    for room in ROOMS:
        package = import_module(f"fastdyn.{room}")
        for page in walk_packages(package.__path__, f"{package.__name__}."):
            import_module(page.name)
    found = {name: one for name, one in KERNELS.items() if name.startswith("fastdyn.")}
    return found | {one.py_func.__qualname__: one for one in recursive.kernels_of(CHAIN.model)}


def others(kind):
    """What may stand in place of an array of that kind: other numbers, another order, more axes, no numbers at all."""
    dtype = np.dtype(str(kind.dtype))
    plain = np.ones((2,)*kind.ndim, dtype)
    yield from (plain.astype(other) for other in ("f4", "f8", "i4", "i8", "c16", "?", "O") if np.dtype(other) != dtype)
    yield from (np.ones((4,)*kind.ndim, dtype)[::2], plain[None], plain.astype(dtype.newbyteorder(">")),
                np.broadcast_to(plain[:1], plain.shape), plain.tolist(), None)
    if kind.ndim > 1:
        yield np.asfortranarray(plain)


@pytest.mark.skipif(not COMPILED, reason="without the compiler a kernel is a plain function")
def test_kernels_take_no_other_arrays_and_are_not_compiled_to_say_so():
    found = kernels()
    assert len(found) > 60 and all(isinstance(one, Kernel) for one in found.values())
    asked = 0
    for name, one in found.items():
        compiled, kinds = len(one.overloads), one.signature.args
        right = [SimpleNamespace(_numba_type_=kind) for kind in kinds]
        for at, kind in enumerate(kinds):
            for wrong in others(kind) if isinstance(kind, types.Array) else ():
                with pytest.raises(TypeError) as refused:
                    one(*right[:at], wrong, *right[at + 1:])
                assert f" must be {kind}, got " in str(refused.value) and "\n" not in str(refused.value), name
                asked += 1
        assert len(one.overloads) == compiled, name
    assert asked > 1000


@pytest.mark.skipif(not COMPILED, reason="without the compiler a kernel is a plain function")
def test_kernels_take_no_model_or_work_with_another_array_in_it():
    model, v = CHAIN.model, np.zeros(CHAIN.nv)
    question, work = recursive.kernels_of(model)[0], work_of(model)
    with pytest.raises(TypeError, match=r"model\.body must be array\(float64, 2d, C\), got array\(float32, 2d, C\)$"):
        question(model._replace(body=model.body.astype("f4")), work, v, v, v, v)
    with pytest.raises(TypeError, match=r"work\.note must be array\(int64, 1d, C\), got array\(int64, 1d, A\)$"):
        question(model, work._replace(note=np.zeros(2*len(work.note), int)[::2]), v, v, v, v)


def asked(road, question, *given):
    """(status, answer) of a kernel with its own scratch."""
    page, model = formulation(road), CHAIN.model
    dense, answer = getattr(page, "dense_size", lambda model: 0)(model), np.zeros(CHAIN.nv)
    return ready(getattr(page, question)(model))(model, work_of(model, dense=dense), *given, answer), answer


@ROADS
@pytest.mark.parametrize("question", ["forward_dynamics", "inverse_dynamics"])
@pytest.mark.parametrize("value", [np.nan, np.inf])
@pytest.mark.filterwarnings("ignore::RuntimeWarning")
def test_every_road_tells_of_what_is_no_number(road, question, value):
    q, v = CHAIN.zero_state()
    q[0] = 1.0
    given = q, v + 0.5, v + 2.0
    status, answer = asked(road, question, *given)
    assert status == OK and np.isfinite(answer).all()
    for which, x in enumerate(given):
        for at in range(len(x)):
            bad = [one.copy() for one in given]
            bad[which][at] = value
            assert asked(road, question, *bad)[0] != OK


@ROADS
@pytest.mark.filterwarnings("ignore::RuntimeWarning")
def test_no_mass_matrix_of_what_is_no_number(road):
    q, _ = CHAIN.zero_state()
    page, model = formulation(road), CHAIN.model
    ask, work = ready(page.mass_matrix(model)), work_of(model, dense=page.dense_size(model))
    M = np.zeros((CHAIN.nv, CHAIN.nv))
    for at in range(1, CHAIN.nq):                           # the first turns all there is, and M does not change
        bad = q.copy()
        bad[at] = np.nan
        ask(model, work, bad, M)
        assert np.isnan(M).any()
