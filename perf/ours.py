"""Our kernels in a loop that is compiled too: what a stepper sees of them, without a word of Python in between."""

from typing import NamedTuple

import numpy as np

from fastdyn._address import ASK, caller, door, handle_of, parts_of, parts_opener
from fastdyn._jit import c_array, float64, int64, kernel, pointer, types
from fastdyn.formulations import mass, recursive
from fastdyn.formulations.signatures import MASS, MODEL, VECTOR, WORK
from fastdyn.layout import aligned, lanes_for, work_of
from fastdyn.status import OK

from . import chains

QUESTIONS = ("forward", "inverse")
WAYS = ("scalar", "lanes", "own")   # one chain; chains side by side that share their bodies; with bodies of their own
LIST = c_array(int64, 1)


class One(NamedTuple):
    """One kernel by address."""

    question: object


open_one, call_question = parts_opener(One), caller(ASK)


@kernel(int64(LIST, LIST, VECTOR, VECTOR, VECTOR, VECTOR, int64))
def burst(parts, handle, q, v, given, answer, calls):
    """Ask `calls` times; the largest status."""
    question, handle, worst = open_one(door(parts)).question, door(handle), 0
    for _ in range(calls):
        worst = max(worst, call_question(question, handle, pointer(q), pointer(v), pointer(given), pointer(answer)))
    return worst


@kernel(lambda: int64(types.FunctionType(MASS), MODEL, WORK, VECTOR, c_array(float64, 2), int64))
def mass_burst(question, model, work, q, M, calls):
    """The same for a mass matrix."""
    worst = 0
    for _ in range(calls):
        worst = max(worst, question(model, work, q, M))
    return worst


class Case:
    """Forward or inverse dynamics of a model, chains side by side; `run(calls)` asks again and again.

    q, v and given have a row per lane; given: torque for "forward", acceleration for "inverse".
    """

    def __init__(self, question, model, q, v, given, own=False):
        self.lanes = len(q)
        self.question = parts_of(One, (recursive.by_address(model, self.lanes, own, question == "inverse"),))
        self.model = chains.with_own_bodies(model, self.lanes) if own else model
        self.work = work_of(model, self.lanes)
        self.handle = handle_of(self.model, self.work, q.shape[1])
        self.q, self.v, self.given = (chains.side_by_side(x) for x in (q, v, given))
        self.result = aligned(self.given.shape)

    def run(self, calls):
        _good(burst(self.question, self.handle, self.q, self.v, self.given, self.result, calls))

    def answer(self):
        """The result, a row per lane."""
        self.run(1)
        return np.ascontiguousarray(self.result.reshape(-1, self.lanes).T)

    @property
    def bytes(self):
        """Of model and work; q, v, what is given and the answer come on top."""
        return sum(array.nbytes for array in (*self.model, *self.work))


class MassCase:
    """The mass matrix of one chain; q has one row."""

    def __init__(self, model, q):
        self.kernel, self.model = recursive.mass_matrix(model), model
        self.work = work_of(model, dense=mass.dense_size(model))
        self.q, self.M = q[0].copy(), np.empty((len(model.spring), len(model.spring)))

    def run(self, calls):
        _good(mass_burst(self.kernel, self.model, self.work, self.q, self.M, calls))

    def answer(self):
        self.run(1)
        return self.M


def case(question, family, n, way="scalar"):
    """A case of a family at a random state; accelerations given to "inverse" are as random as torques."""
    model = chains.model_of(family, n)
    return Case(question, model, *chains.states(family, n, lanes_of(way, model)), way == "own")


def lanes_of(way, model):
    """How many chains a way takes side by side."""
    return 1 if way == "scalar" else lanes_for(model)


def _good(status):
    if status != OK:
        raise ArithmeticError(f"a timed kernel stopped with status {status}")
