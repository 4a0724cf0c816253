"""A chain whose rows follow each other: kept in registers, its cosines by vectors, and every bit as in a tree."""

import numpy as np
import pytest
from formulations.common import COMPILED
from formulations.test_assembly import FEATURES, arithmetic, assembly
from formulations.test_assembly import widest as widest
from formulations.test_lanes import QUESTIONS, ask
from numba.core import config
from numba.core.caching import NullCache
from strategies import random_chain, random_state

import fastdyn as fd
from fastdyn._jit import ready
from fastdyn.algebra.sincos import REDUCED
from fastdyn.formulations import recursive
from fastdyn.status import OK

pytestmark = pytest.mark.kernels
own_variant = recursive.variant


def as_a_tree(model): return own_variant(model)._replace(unbranched=False)


def both(question, chain, seed, far, monkeypatch):
    """Answers of the chain as it is and as one that might have branches"""
    rng = np.random.default_rng(seed)
    q, v = random_state(rng, chain)
    if far:
        q[-1], q[len(q)//2] = 3.7e7, -2.0*REDUCED
    state = [x[None] for x in (q, v, rng.uniform(-5.0, 5.0, chain.nv))]
    wrench = rng.uniform(-3.0, 3.0, (1, 6*len(chain.model.row)))
    answers = []
    for kind in (own_variant, as_a_tree):
        with monkeypatch.context() as patch:
            patch.setattr(recursive, "variant", kind)
            status, work, answer = ask(question, chain.model, *state, wrench)
            assert status == OK
            answers += [answer.tobytes(), work.row.tobytes()]
    return answers


@pytest.mark.parametrize("question", QUESTIONS)
@pytest.mark.parametrize("kind, lengths", [("planar", (1, 2, 7, 8, 9, 17)), ("revolute", (9,)), ("spherical", (3,))])
def test_the_bits_are_those_of_a_tree(question, kind, lengths, monkeypatch):
    """Lengths on both sides of a register's, angles on both sides of the reach of the polynomials"""
    for n in lengths if COMPILED else (3,):
        chain = random_chain(np.random.default_rng(n), n, kind)
        assert own_variant(chain.model).unbranched
        for far in {False, kind != "spherical"}:
            answer, work, other, other_work = both(question, chain, n, far, monkeypatch)
            assert answer == other and work == other_work


@pytest.mark.parametrize("question", QUESTIONS)
def test_several_kinds_of_steps_in_a_row(question, monkeypatch):
    chain = random_chain(np.random.default_rng(3), 6, "planar", free=True)
    assert own_variant(chain.model).unbranched and len(own_variant(chain.model).steps) > 1
    answer, _, other, _ = both(question, chain, 5, False, monkeypatch)
    assert answer == other


@pytest.mark.parametrize("second, third, unbranched", [("a", "b", True), ("a", "a", False), ("base", "b", False)])
def test_what_hangs_in_a_row(second, third, unbranched):
    rods = [fd.Link(name=name, length=1.0, mass=1.0, parent=parent) for name, parent in
            (("a", "base"), ("b", second), ("c", third))]
    assert own_variant(fd.Chain(rods).model).unbranched == unbranched


@pytest.mark.skipif(config.DISABLE_JIT or config.BOUNDSCHECK, reason="there is no assembly to look at, or another")
@pytest.mark.skipif(not FEATURES.get("avx2"), reason="this processor has neither AVX-512 nor AVX2 registers")
def test_the_cosines_of_one_chain_are_vectors(widest):
    kind = own_variant(random_chain(np.random.default_rng(1), 3, "planar").model)
    for variant, vectors in ((kind, True), (kind._replace(unbranched=False), False)):
        kernel = recursive._forward.__wrapped__(variant, 1, False)
        kernel._cache = NullCache()
        assert (arithmetic(assembly(ready(kernel)), widest) > 30) == vectors
