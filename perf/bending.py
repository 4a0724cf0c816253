"""Chains that bend, for the race of `perf.transfer`: our steps and global matrices of the same scheme.

A clamped beam of unit elements (EI = 20, mass 1, mean acceleration, T = 0.01 s, a force on the tip). Global matrices
have 2x2 blocks on and beside the diagonal: *blocks*, compiled, L D L' made once, loops as lean as we could write them;
*cholesky* and *solveh_banded*, SciPy's, as for torsion chains. *ours* per element; *hinged*, ours, per link behind a
hinge.
"""

import numpy as np

from fastdyn._jit import c_array, float64, int64, kernel, ready
from fastdyn.layout import aligned
from fastdyn.transfer import BendingChain, Hinge, Rigid, Span, bending_run, bending_steps
from fastdyn.transfer.schemes import scheme_of

EI, T = 20.0, 0.01
MATRIX = c_array(float64, 2)
STEP = int64(MATRIX, MATRIX, MATRIX, MATRIX, MATRIX, MATRIX, float64, float64, int64)


@kernel(STEP)
def blocks(p, v, a, own, beside, factors, f, T, steps):
    """Mean acceleration with M a + K u = f; rows of nodes. p: prediction of u, which every step leaves for the next.

    own, beside: K's diagonal blocks (three numbers) and those to the node inside (four); factors: D^-1 and L of M + T^2
    K/4; f on the tip.
    """
    n = len(p)
    for _ in range(steps):
        g, h, y, turn, b, c = 0.0, 0.0, 0.0, 0.0, 0.0, 0.0          # what the node inside left, its u, its row
        for j in range(n):
            y1, turn1 = p[j, 0], p[j, 1]
            k, B, L = own[j], beside[j], factors[j]
            if j > 0:                                               # the row inside is finished by this node
                g -= B[0]*y1 + B[2]*turn1
                h -= B[1]*y1 + B[3]*turn1
                a[j - 1, 0], a[j - 1, 1] = g, h
            b = -(k[0]*y1 + k[1]*turn1) - (B[0]*y + B[1]*turn) - (L[3]*g + L[4]*h)
            c = -(k[1]*y1 + k[2]*turn1) - (B[2]*y + B[3]*turn) - (L[5]*g + L[6]*h)
            g, h, y, turn = b, c, y1, turn1
        a[n - 1, 0], a[n - 1, 1] = g + f, h
        y, turn = 0.0, 0.0
        for back in range(n):
            j = n - 1 - back
            L, z, w = factors[j], a[j, 0], a[j, 1]
            y1, turn1 = L[0]*z + L[1]*w, L[1]*z + L[2]*w
            if back > 0:
                N = factors[j + 1]
                y1 -= N[3]*y + N[5]*turn
                turn1 -= N[4]*y + N[6]*turn
            a[j, 0], a[j, 1] = y1, turn1
            y, turn = y1, turn1
            v[j, 0] += T*y1
            v[j, 1] += T*turn1
            p[j, 0] += T*v[j, 0]
            p[j, 1] += T*v[j, 1]
    return 0


def assembled(n, X):
    """(diagonal blocks, blocks to the node inside) of nodes 1..n from the matrix of an element."""
    own, beside = np.zeros((n, 2, 2)), np.zeros((n, 2, 2))
    own += X[2:, 2:]
    own[:-1] += X[:2, :2]
    beside[1:] = X[2:, :2]
    return own, beside


class Ours:
    """n unit elements, or n links behind hinges."""

    def __init__(self, n, hinged=False):
        parts = [Hinge(stiffness=EI), Rigid(length=1.0, mass=1.0)] if hinged else [
            Span(length=1.0, EI=EI, mass_per_length=1.0)]
        chain = BendingChain(parts=parts*n, loads={-1: 1.0})
        self.course = bending_run.Course(chain, T, scheme_of("newmark"), "riccati", 1)
        self.course.enter(self.course.scheme.main)
        self.kernel, self.none = ready(bending_steps.kernel_for(2)), np.empty((0, 3, 2*len(self.course.kinds)))
        self.base, self.F = np.zeros((1, 6)), np.full((4096, 1), T*T)

    def run(self, steps):
        c = self.course
        while steps > 0:
            now = min(steps, len(self.F))
            self.kernel(c.codes, c.data, c.state, c.numbers, self.F, c.place, self.base, c.scratch, self.none, now, 0,
                        1)
            steps -= now

    def angles(self):
        """What the next step starts from: deflections and slopes of the nodes, T times their rates."""
        return self.course.state[0, 2:], self.course.state[1, 2:]


class Global:
    """Global matrices: what all of these share."""

    def __init__(self, n):
        self.n = n
        K = EI*np.array([[12, 6, -12, 6], [6, 4, -6, 2], [-12, -6, 12, -6], [6, 2, -6, 4.0]])
        M = np.array([[156, 22, 54, -13], [22, 4, 13, -3], [54, 13, 156, -22], [-13, -3, -22, 4.0]])/420
        self.stiff, self.left, mass = assembled(n, K), assembled(n, M + 0.25*T*T*K), assembled(n, M)
        self.p, self.v, self.a = (aligned((n, 2)) for _ in range(3))
        self.force = np.zeros(2*n)
        self.force[-2] = 1.0
        from scipy import linalg

        self.linalg = linalg
        first = linalg.solveh_banded(banded(*mass), self.force, lower=True).reshape(n, 2)
        self.p[:], self.v[:] = 0.25*T*T*first, 0.5*T*first

    def angles(self):
        return self.p.ravel(), T*self.v.ravel()


class Blocks(Global):
    def __init__(self, n):
        super().__init__(n)
        self.kernel = ready(blocks)
        (own, beside), self.factors = self.left, aligned((n, 7))
        pivot = own[0]
        for j in range(n):
            if j:
                L = beside[j] @ np.linalg.inv(pivot)
                pivot = own[j] - L @ beside[j].T
                self.factors[j, 3:] = L.ravel()
            self.factors[j, :3] = np.linalg.inv(pivot)[[0, 0, 1], [0, 1, 1]]
        self.own, self.beside = aligned((n, 3)), aligned((n, 4))
        self.own[:], self.beside[:] = self.stiff[0][:, [0, 0, 1], [0, 1, 1]], self.stiff[1].reshape(n, 4)

    def run(self, steps):
        self.kernel(self.p, self.v, self.a, self.own, self.beside, self.factors, 1.0, T, steps)


class Scipy(Global):
    def __init__(self, n, once):
        super().__init__(n)
        self.once, self.band = once, banded(*self.left)
        self.factor = self.linalg.cholesky_banded(self.band, lower=True) if once else None

    def run(self, steps):
        own, beside = self.stiff
        for _ in range(steps):
            right = -np.einsum("jik,jk->ji", own, self.p)
            right[1:] -= np.einsum("jik,jk->ji", beside[1:], self.p[:-1])
            right[:-1] -= np.einsum("jki,jk->ji", beside[1:], self.p[1:])
            right = right.ravel() + self.force
            if self.once:
                a = self.linalg.cho_solve_banded((self.factor, True), right, check_finite=False)
            else:
                a = self.linalg.solveh_banded(self.band, right, lower=True, check_finite=False)
            self.v += T*a.reshape(-1, 2)
            self.p += T*self.v


def banded(own, beside):
    """A symmetric matrix of such blocks as SciPy's lower bands."""
    n = len(own)
    band = np.zeros((4, 2*n))
    band[0, ::2], band[0, 1::2], band[1, ::2] = own[:, 0, 0], own[:, 1, 1], own[:, 1, 0]
    band[1, 1:-1:2] = beside[1:, 0, 1]
    band[2, :-2:2], band[2, 1:-1:2] = beside[1:, 0, 0], beside[1:, 1, 1]
    band[3, :-2:2] = beside[1:, 1, 0]
    return band


def codes_of(n, most):
    """Name -> what runs; SciPy's up to `most` elements."""
    found = {"ours": Ours(n), "blocks": Blocks(n), "hinged": Ours(n, hinged=True)}
    return found | ({"cholesky": Scipy(n, True), "solveh_banded": Scipy(n, False)} if n <= most else {})
