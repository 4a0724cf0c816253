"""Tableaus against the order conditions of all rooted trees [Hairer, Norsett & Wanner 1993, II.2 and II.6]."""

from functools import cache
from importlib import import_module

import numpy as np
import pytest
from numpy.polynomial import Polynomial

from fastdyn.steppers import STEPPERS

TABLEAUS = {name: tableau for name, file in STEPPERS.items()
            if (tableau := getattr(import_module(f"fastdyn.steppers.{file}"), "TABLEAU", None))}
INSIDE = {"bs32": 3, "rkf45": 4, "dopri5": 4, "dop853": 7}          # order of the step as a function of its fraction
EMBEDDED = {"bs32": (2,), "rkf45": (4,), "dopri5": (4,), "dop853": (5, 3)}      # order that each error estimate sees
ROUNDING = 2e-14                            # of coefficients as large as 400 and rounded to 16 digits

every_tableau = pytest.mark.parametrize("name", TABLEAUS)


@cache
def trees(order):
    """Rooted trees with so many nodes, each the sorted tuple of its branches."""
    if order == 1:
        return ((),)
    return tuple({tuple(sorted(branches)) for branches in forests(order - 1)})


def forests(nodes):
    if nodes == 0:
        yield ()
    for first in range(1, nodes + 1):
        for tree in trees(first):
            for rest in forests(nodes - first):
                yield (tree, *rest)


def nodes(tree):
    return 1 + sum(map(nodes, tree))


def density(tree):
    """Gamma: the integral of the elementary differential over a step is 1/gamma."""
    return nodes(tree)*np.prod([density(branch) for branch in tree])


def matrix(tableau):
    size = len(tableau.A)
    return np.array([np.pad(np.asarray(row, float), (0, size - len(row))) for row in tableau.A])


def grown(tree, A):
    """What every stage makes of an elementary differential"""
    stages = np.ones(len(A))
    for branch in tree:
        stages = stages*(A @ grown(branch, A))
    return stages


def defects(weights, A, order, x=1.0):
    """Of sum w_i Phi_i(tree) = x^nodes/gamma(tree), for all trees with exactly `order` nodes."""
    weights = np.pad(np.asarray(weights, float), (0, len(A) - len(weights)))
    return np.array([weights @ grown(tree, A) - x**order/density(tree) for tree in trees(order)])


def inside(tableau, x):
    """Weights of the stages in (y(x) - y)/h, and their derivative by x, from Hairer's nested form."""
    size = len(tableau.A)
    weights = [Polynomial([0.0])]*size
    for row in range(len(tableau.dense) - 1, -1, -1):
        form = np.pad(tableau.dense[row], (0, size - len(tableau.dense[row])))
        weights = [(w + f)*Polynomial([1.0, -1.0] if row & 1 else [0.0, 1.0]) for w, f in zip(weights, form)]
    return np.array([w(x) for w in weights]), np.array([w.deriv()(x) for w in weights])


def test_there_are_as_many_trees_as_cayley_counted():
    assert [len(trees(order)) for order in range(1, 9)] == [1, 1, 2, 4, 9, 20, 48, 115]


@every_tableau
def test_rows_add_up_to_the_nodes(name):
    T = TABLEAUS[name]
    assert np.abs(matrix(T).sum(axis=1) - T.c).max() < ROUNDING
    assert np.array_equal(T.A[T.stages][:T.stages], np.asarray(T.b, float)) and T.c[T.stages] == 1.0


@every_tableau
def test_every_stage_stands_on_those_before_it(name):
    A = matrix(TABLEAUS[name])
    assert np.all(np.triu(A) == 0.0)


@every_tableau
def test_the_step_has_its_order_and_no_more(name):
    T, A = TABLEAUS[name], matrix(TABLEAUS[name])
    for order in range(1, T.order + 1):
        assert np.abs(defects(T.b, A, order)).max() < ROUNDING
    assert np.abs(defects(T.b, A, T.order + 1)).max() > 1e-7


@every_tableau
def test_quadrature(name):
    T = TABLEAUS[name]
    for order in range(1, T.order + 1):
        assert abs(np.asarray(T.b) @ np.asarray(T.c[:T.stages])**(order - 1) - 1/order) < ROUNDING


@every_tableau
def test_error_estimates_see_the_first_order_they_should(name):
    T, A = TABLEAUS[name], matrix(TABLEAUS[name])
    for row, order in zip(T.errors, EMBEDDED[name], strict=True):
        for below in range(1, order + 1):
            assert np.abs(defects(row, A, below, 0.0)).max() < ROUNDING
        assert np.abs(defects(row, A, order + 1, 0.0)).max() > 1e-4
    assert T.error_order == {1: EMBEDDED[name][0] + 1, 2: 8}[len(T.errors)]


@every_tableau
@pytest.mark.parametrize("x", [0.1, 0.5, 0.83])
def test_the_step_as_a_function_has_its_order_and_no_more(name, x):
    T, A = TABLEAUS[name], matrix(TABLEAUS[name])
    weights, _ = inside(T, x)
    for order in range(1, INSIDE[name] + 1):
        assert np.abs(defects(weights, A, order, x)).max() < 10*ROUNDING
    assert np.abs(defects(weights, A, INSIDE[name] + 1, x)).max() > 1e-7


@every_tableau
def test_steps_meet_with_one_slope(name):
    T = TABLEAUS[name]
    value, slope = inside(T, 0.0)
    assert np.array_equal(value, np.zeros(len(T.A))) and np.abs(slope - np.eye(len(T.A))[0]).max() < ROUNDING
    value, slope = inside(T, 1.0)
    assert np.abs(value[:T.stages] - T.b).max() < 10*ROUNDING
    assert np.abs(slope - np.eye(len(T.A))[T.stages]).max() < 100*ROUNDING
