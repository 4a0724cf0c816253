"""Inertia blocks against clouds of point masses and against dense 6x6 congruences."""

import numpy as np
import pytest
from algebra.common import EPS, blocks, full, mat, nine, off, positive, rngs, rotation, six, three
from hypothesis import given

from fastdyn.algebra import inertia as page

pytestmark = pytest.mark.kernels


def tilde(x):
    return np.array([[0, -x[2], x[1]], [x[2], 0, -x[0]], [-x[1], x[0], 0]])


def articulated(rng):
    """Blocks of a positive definite 6x6 that no rigid body has"""
    A = positive(rng, 6)
    return six(A[:3, :3]), nine(A[:3, 3:]), six(A[3:, 3:])


class Cloud:
    """A rigid body of eight point masses, seen from a frame origin"""

    def __init__(self, rng):
        self.m, self.d = rng.uniform(0.1, 1.0, 8), rng.normal(size=(8, 3))
        self.mass = float(self.m.sum())
        self.h = self.m @ self.d
        self.com = self.h/self.mass

    def inertia(self, about):
        """sum of m (d.d 1 - d d'), d from `about`"""
        d = self.d - about
        return sum(m*((x @ x)*np.eye(3) - np.outer(x, x)) for m, x in zip(self.m, d))

    def blocks(self):
        return page.rigid(six(self.inertia(np.zeros(3))), three(self.h), self.mass)


@given(rngs)
def test_point_mass(rng):
    d, m = rng.normal(size=3), rng.uniform(0.1, 2.0)
    assert off(full(page.point_mass_inertia(m, three(d))), m*(d @ d*np.eye(3) - np.outer(d, d))) <= 4*EPS


def test_point_mass_on_an_axis_has_no_inertia_about_it():
    assert page.point_mass_inertia(3.0, (0.1, 0.0, 0.0))[0] == 0.0


@given(rngs)
def test_parallel_axis(rng):
    body = Cloud(rng)
    got = page.parallel_axis(six(body.inertia(body.com)), body.mass, three(body.com))
    assert off(full(got), body.inertia(np.zeros(3))) <= 16*EPS


@given(rngs)
def test_rigid_blocks_are_newton_for_every_particle(rng):
    """f = sum m (a + al x d), n = sum d x m (a + al x d)"""
    body, al, a = Cloud(rng), rng.normal(size=3), rng.normal(size=3)
    f = body.m[:, None]*(a + np.cross(al, body.d))
    n = np.cross(body.d, f).sum(axis=0)
    got_n, got_f = page.apply(*body.blocks(), three(al), three(a))
    scale = body.mass*10.0
    assert np.abs(got_n - n).max() <= 16*EPS*scale and np.abs(got_f - f.sum(axis=0)).max() <= 16*EPS*scale


@given(rngs)
def test_energy_is_that_of_the_particles(rng):
    body, w, v = Cloud(rng), rng.normal(size=3), rng.normal(size=3)
    true = 0.5*(body.m @ ((v + np.cross(w, body.d))**2).sum(axis=1))
    assert abs(page.energy(*body.blocks(), three(w), three(v)) - true) <= 64*EPS*body.mass*(1 + w @ w)*(1 + v @ v)


@given(rngs)
def test_add(rng):
    one, body = articulated(rng), Cloud(rng)
    rigid = body.blocks()
    total = blocks(*one) + blocks(*rigid)
    assert np.array_equal(blocks(*page.add_rigid(*one, rigid[0], three(body.h), body.mass)), total)
    assert np.array_equal(blocks(*page.add_inertia(*one, *rigid)), total)


@given(rngs)
def test_apply_and_energy_are_the_dense_matrix(rng):
    one, al, a = articulated(rng), rng.normal(size=3), rng.normal(size=3)
    x = np.concatenate([al, a])
    n, f = page.apply(*one, three(al), three(a))
    assert off([*n, *f], blocks(*one) @ x) <= 16*EPS
    scale = (x @ x)*np.abs(blocks(*one)).max()
    assert abs(page.energy(*one, three(al), three(a)) - 0.5*x @ blocks(*one) @ x) <= 16*EPS*scale


@given(rngs)
def test_shift_is_a_congruence(rng):
    """X' I X with X = [1 0; -p~ 1] from (al, a) of the parent's origin to (al, a + al x p)"""
    one, p = articulated(rng), 3.0*rng.normal(size=3)
    X = np.block([[np.eye(3), np.zeros((3, 3))], [-tilde(p), np.eye(3)]])
    assert off(blocks(*page.shift(*one, three(p))), X.T @ blocks(*one) @ X) <= 16*EPS


@given(rngs)
def test_shift_of_a_rigid_body(rng):
    """To an origin at -p every particle stands at d + p."""
    body, p = Cloud(rng), rng.normal(size=3)
    J, H, M = page.shift(*body.blocks(), three(p))
    assert off(full(J), body.inertia(-p)) <= 32*EPS
    assert off(mat(H), tilde(body.h + body.mass*p)) <= 16*EPS*(1 + body.mass)
    assert np.array_equal(M, body.blocks()[2])


@given(rngs)
def test_shifts_add_up_and_go_back(rng):
    one, p, r = articulated(rng), rng.normal(size=3), rng.normal(size=3)
    twice = page.shift(*page.shift(*one, three(p)), three(r))
    once = blocks(*page.shift(*one, three(p + r)))
    assert off(blocks(*twice), once) <= 64*EPS
    assert np.abs(blocks(*page.shift(*twice, three(-p - r))) - blocks(*one)).max() <= 64*EPS*np.abs(once).max()*20


@given(rngs)
def test_rotation_of_the_blocks(rng):
    one, R = articulated(rng), rotation(rng)
    T = np.kron(np.eye(2), R)
    assert off(blocks(*page.rotate_inertia(nine(R), *one)), T @ blocks(*one) @ T.T) <= 16*EPS
