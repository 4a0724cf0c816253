"""Integrals against another arithmetic, against energies of vibration, and against what symmetry says."""

from itertools import pairwise

import mpmath
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from beams.common import STEEL, TABLE_STEEL, TABLES, beams, every_ends
from fastdyn import ModelError
from fastdyn.beams import Beam, PolynomialMode, PrintedMode, SampledMode, integrals, modes
from fastdyn.beams.integrals import PLACES, WEIGHTS

@given(beams(), every_ends, st.sampled_from(["timoshenko", "euler-bernoulli"]))
def test_modes_are_orthogonal_and_their_energies_give_their_frequencies(beam, ends, theory):
    """K = omega^2 (mu <W, W> + rho I <Theta, Theta>), nothing off the diagonal, rho I with shear only."""
    found_modes = modes(beam, ends, 4, theory)
    found = integrals(beam, found_modes)
    mass = found.C + (beam.rotary_inertia*found.theta_theta if theory == "timoshenko" else 0.0)
    omega = np.array([m.omega for m in found_modes])
    size = np.sqrt(np.outer(np.diag(mass), np.diag(mass)))
    np.testing.assert_allclose(mass/size, np.eye(4), rtol=0, atol=1e-12)
    np.testing.assert_allclose(found.K/size/np.outer(omega, omega), np.eye(4), rtol=0, atol=2e-11)
    assert np.diag(found.K)/np.diag(mass) == pytest.approx(omega**2, rel=3e-12, abs=0)


@pytest.mark.parametrize("ends", ["ss", "cf", "cg", "ff"])
def test_fifty_modes_are_orthogonal(ends):
    found_modes = modes(STEEL, ends, 50)
    found = integrals(STEEL, found_modes)
    mass = found.C + STEEL.rotary_inertia*found.theta_theta
    size = np.sqrt(np.outer(np.diag(mass), np.diag(mass)))
    omega = np.array([m.omega for m in found_modes])
    np.testing.assert_allclose(mass/size, np.eye(50), rtol=0, atol=1e-13)
    np.testing.assert_allclose(found.K/size/np.outer(omega, omega), np.eye(50), rtol=0, atol=1e-12)


@pytest.mark.parametrize("ends, orders", [
    ("ss", (1, 4)), ("cf", (2, 3)), ("cc", (1, 7)), ("gf", (1, 12)), ("sc", (25, 3)),
])
def test_against_forty_digits(ends, orders):
    """Frequency equation, shapes and quadrature again, with mpmath, from the equations as the books print them."""
    chosen = [modes(STEEL, ends, order)[-1] for order in orders]
    found = integrals(STEEL, chosen)
    largest = max(m.alpha for m in chosen)
    with mpmath.workdps(40):
        exact = [ExactMode(STEEL, m) for m in chosen]
        for name, size, f in (("a", 1.0, lambda e, x: e.W(x)), ("c", 1.0, lambda e, x: x*e.W(x)),
                              ("theta", largest, lambda e, x: e.Theta(x))):
            known = [float(e.integral(lambda x, e=e, f=f: f(e, x))) for e in exact]
            np.testing.assert_allclose(getattr(found, name), known, rtol=0, atol=1e-13*size)
        S, EI = mpmath.mpf(STEEL.shear_stiffness), mpmath.mpf(STEEL.bending_stiffness)
        for name, f in (
            ("C", lambda e, g, x: e.W(x)*g.W(x)),
            ("K", lambda e, g, x: S*e.Gamma(x)*g.Gamma(x) + EI*e.dTheta(x)*g.dTheta(x)),
            ("D", lambda e, g, x: STEEL.gamma*e.W(x)*g.W(x) + STEEL.K_v*STEEL.I*e.ddW(x)*g.ddW(x)),
            ("theta_theta", lambda e, g, x: e.Theta(x)*g.Theta(x)),
        ):
            matrix, finest = getattr(found, name), max(exact, key=lambda e: e.waves)
            diagonal = [float(e.integral(lambda x, e=e, f=f: f(e, e, x))) for e in exact]
            mixed = float(finest.integral(lambda x, f=f: f(exact[0], exact[1], x)))
            np.testing.assert_allclose(np.diag(matrix), diagonal, rtol=1e-13)
            assert matrix[0, 1] == matrix[1, 0] == pytest.approx(mixed, rel=0, abs=1e-13*max(diagonal))
        np.testing.assert_allclose(found.S, [float(e.Theta(1)) for e in exact], rtol=0, atol=1e-13*largest)
        np.testing.assert_allclose(found.W_l, [float(e.W(1)) for e in exact], rtol=0, atol=1e-13)


@pytest.mark.parametrize("beam, kind", [(STEEL, "exact"), (TABLE_STEEL, "own")])
@pytest.mark.parametrize("ends", ["ss", "cc", "sc", "cs", "cf"])
def test_reference_integrals(beam, kind, ends):
    known, found = TABLES[f"{ends}_{kind}"], integrals(TABLE_STEEL, modes(beam, ends, 5))
    for values, name in ((found.K, "K"), (found.D, "D"), (found.a, "int_W"), (found.c, "int_etaW"), (found.C, "int_WW"),
                         (found.theta, "int_Th"), (found.theta_theta, "int_ThTh")):
        size = np.max(np.abs(known[name]))
        np.testing.assert_allclose(values, known[name], rtol=0, atol=1e-13*(size if name != "int_Th" else 16.0))


@pytest.mark.parametrize("ends, K, D, W, WW", [
    ("ss", 47545.8138569, 0.0125297280, 0.636619772, 0.5),
    ("cc", 193497.302322, 0.0100362083, 0.523349236, 0.396615784),
    ("sc", 101826.352699, 0.0110409306, 0.569914122, 0.439092003),
    ("cs", 101826.352699, 0.0110409306, 0.569914122, 0.439092003),
])
def test_numbers_of_the_published_link(ends, K, D, W, WW):
    found = integrals(TABLE_STEEL, [PrintedMode(ends)])
    values = [found.K[0, 0], found.D[0, 0], found.a[0], found.C[0, 0]]
    assert values == pytest.approx([K, D, W, WW], rel=5e-9, abs=0)
    assert (found.m, found.b0, found.I0, found.J) == (1.0, 0.5, 1/3, 2.9473e-5)


def test_a_free_link_with_one_mode_swings_as_the_closed_form_says():
    """phi fixed, ends free to move: w^2 = K/(C - a^2/m), z = D/(2 (C - a^2/m))."""
    found = integrals(TABLE_STEEL, [PrintedMode("ss")])
    moved = found.C[0, 0] - found.a[0]**2/found.m
    assert moved == pytest.approx(0.0947152654306489, rel=1e-14, abs=0)
    assert np.sqrt(found.K[0, 0]/moved) == pytest.approx(708.5102744478581, rel=1e-14, abs=0)
    assert found.D[0, 0]/(2*moved) == pytest.approx(0.06614418478373098, rel=1e-14, abs=0)


@given(st.lists(st.lists(st.integers(-4, 4), min_size=1, max_size=18).filter(any), min_size=1, max_size=3))
def test_polynomials_are_integrated_exactly(rows):
    beam = Beam(length=2.0, E=3.0, A=1.0, I=1.0, mu=1.0, K_v=0.5, gamma=2.0)
    found = integrals(beam, [PolynomialMode(length=2.0, W=row, ends="ff") for row in rows])
    polys = [np.polynomial.Polynomial(row) for row in rows]
    size = max(np.sum(np.abs(row)) for row in rows)
    for i, f in enumerate(polys):
        assert found.a[i] == pytest.approx(2*_whole(f), abs=1e-13*size)
        assert found.c[i] == pytest.approx(4*_whole(f*np.polynomial.Polynomial([0, 1])), abs=1e-13*size)
        assert found.theta[i] == pytest.approx(f(1) - f(0), abs=1e-13*size*20)
        for j, g in enumerate(polys):
            bent = 2*_whole(f.deriv(2)*g.deriv(2))/16
            assert found.C[i, j] == pytest.approx(2*_whole(f*g), abs=1e-13*size**2)
            assert found.K[i, j] == pytest.approx(3*bent, abs=1e-13*size**2*17**4)
            assert found.D[i, j] == pytest.approx(4*_whole(f*g) + 0.5*bent, abs=1e-13*size**2*17**4)


@pytest.mark.parametrize("power", range(0, 40, 2))
def test_the_rule_has_all_its_digits(power):
    assert np.sum(WEIGHTS*PLACES**power) == pytest.approx(1/(power + 1), rel=2e-15, abs=0)


def _whole(poly):
    whole = poly.integ()
    return whole(1.0) - whole(0.0)


@given(beams(), every_ends)
def test_mass_and_stiffness_are_symmetric_and_positive(beam, ends):
    found = integrals(beam, modes(beam, ends, 3))
    for matrix in (found.C, found.K, found.D, found.theta_theta):
        assert np.array_equal(matrix, matrix.T)
        scale = np.sqrt(np.diag(matrix))
        assert np.all(np.linalg.eigvalsh(matrix/np.outer(scale, scale)) > 0.1)
    rod = np.array([[found.m, found.b0], [found.b0, found.I0]])
    assert np.all(np.linalg.eigvalsh(found.C - np.array([found.a, found.c]).T @ np.linalg.solve(
        rod, np.array([found.a, found.c]))) > -1e-12*found.m)       # no mode has more momentum than mass


@given(beams(), st.sampled_from(["timoshenko", "euler-bernoulli"]))
def test_mirror_images_have_mirrored_integrals(beam, theory):
    left, right = (integrals(beam, modes(beam, ends, 3, theory)) for ends in ("sc", "cs"))
    for name in ("C", "K", "D", "theta_theta", "a"):
        value = getattr(left, name)
        np.testing.assert_allclose(getattr(right, name), value, rtol=0, atol=1e-12*np.max(np.abs(value)))
    np.testing.assert_allclose(left.c + right.c, beam.length*left.a, rtol=0, atol=1e-12*left.m*beam.length)
    np.testing.assert_allclose(left.theta, -right.theta, rtol=0, atol=1e-12)
    if theory == "euler-bernoulli":
        np.testing.assert_allclose(left.theta, 0.0, atol=1e-12)      # W(l) - W(0)


def test_the_turn_that_is_carried_to_the_next_link():
    (mode,) = found = modes(STEEL, "ss", 1)
    section, axis = (integrals(STEEL, found, carried=word).S[0] for word in ("section", "axis"))
    assert (section, axis) == (mode.Theta(1.0), mode.dW(1.0))
    assert section/axis - 1 == pytest.approx(-4.0e-4, rel=1e-2, abs=0)
    with pytest.raises(ModelError, match=r'carried is .tip.; known are "section", "axis"'):
        integrals(STEEL, found, carried="tip")


def test_kinds_of_shapes_mix_and_samples_are_cut_at_their_places():
    x = np.linspace(0.0, 1.0, 13)
    computed, rough = modes(STEEL, "ss", 1)[0], PolynomialMode(length=1.0, W=(0.0, 1.0, -1.0), ends="ss")
    sampled = SampledMode(eta=x, W=np.sin(40*x)*x*(1 - x), ends="ss")
    found = integrals(STEEL, [computed, PrintedMode("ss"), rough, sampled])
    assert found.C[0, 1] == pytest.approx(found.C[0, 0], rel=1e-14, abs=0)
    assert found.C[0, 2] == pytest.approx(4/np.pi**3, rel=1e-14, abs=0)
    # splines of degree five are polynomials between places: a rule of six points is exact for their squares
    places, weights = np.polynomial.legendre.leggauss(6)
    pieces = [(a + (b - a)*(1 + places)/2, (b - a)*weights/2) for a, b in pairwise(x)]
    known = sum(np.sum(w*sampled.W(eta)**2) for eta, w in pieces)
    assert found.C[3, 3] == pytest.approx(known, rel=1e-14, abs=0)


def test_a_link_that_does_not_bend():
    found = integrals(STEEL, [])
    assert (found.m, found.b0, found.I0) == (1.0, 0.5, 1/3) and found.a.shape == found.S.shape == (0,)
    assert found.C.shape == found.K.shape == found.D.shape == found.theta_theta.shape == (0, 0)


@pytest.mark.parametrize("call, said", [
    (lambda: integrals(STEEL, ["ss"]), r"shapes\[0\] is 'ss'; give a Mode"),
    (lambda: integrals(STEEL, [PrintedMode("ss", 2.0)]), r"shapes\[0\] has length 2 m, beam.length is 1 m"),
    (lambda: integrals("beam", []), "beam is 'beam'; give a Beam"),
    (lambda: integrals(Beam(length=1.0, E=1e9, A=1e-4, I=1e-9, mu=1.0), [PrintedMode("ss")]), "beam.G is missing"),
])
def test_refusals_say_what_helps(call, said):
    with pytest.raises(ModelError, match=said):
        call()


# ---------------------------------------------------------------------------------------- a mode in another arithmetic

class ExactMode:
    """W = C1 sin + C2 cos (al eta) + C3 sinh + C4 cosh (be eta) with the digits of mpmath; length 1."""

    def __init__(self, beam, m):
        self.waves = m.panels
        S, EI, mu = (mpmath.mpf(x) for x in (beam.shear_stiffness, beam.bending_stiffness, beam.mass_per_length))
        R, ends = mpmath.mpf(beam.rotary_inertia), m.ends

        def system(omega):
            square = omega**2
            p, c = square*(mu/S + R/EI), square*mu/EI*(1 - square*R/S)
            D = mpmath.sqrt(p*p + 4*c)
            self.al, self.be, self.z = mpmath.sqrt((D + p)/2), mpmath.sqrt((D - p)/2), mu*square/S
            rows = []
            for end, x in zip(ends, (mpmath.mpf(0), mpmath.mpf(1))):
                W, turn = self._row(x, 0), self._turn(x, 0)
                moment, strain = self._turn(x, 1), [u - v for u, v in zip(self._row(x, 1), turn)]
                rows += {"s": (W, moment), "c": (W, turn), "f": (moment, strain), "g": (turn, strain)}[end]
            return mpmath.matrix(rows)

        def determinant(omega):
            A = system(omega)
            return mpmath.det(A)/mpmath.cosh(self.be)**2

        near = mpmath.mpf(m.omega)
        omega = mpmath.findroot(determinant, (near*(1 - mpmath.mpf(10)**-13), near), tol=1e-60, verify=False)
        assert abs(omega/m.omega - 1) < 1e-14
        A = system(omega)
        known = max(range(4), key=lambda i: min(abs(m.coefficients()[i]), 1))
        rest = [i for i in range(4) if i != known]
        best = max(((r, mpmath.matrix([[A[i, j] for j in rest] for i in range(4) if i != r])) for r in range(4)),
                   key=lambda pair: abs(mpmath.det(pair[1]))/max(1, mpmath.norm(A[pair[0], :], 1)))
        right = mpmath.matrix([-A[i, known] for i in range(4) if i != best[0]])
        solved = mpmath.lu_solve(best[1], right)
        self.C = [mpmath.mpf(1)]*4
        for j, value in zip(rest, solved):
            self.C[j] = value
        top = max((abs(self.W(mpmath.mpf(i)/(40*self.waves))), mpmath.mpf(i)/(40*self.waves))
                  for i in range(40*self.waves + 1))[1]
        if 0 < top < 1:
            top = mpmath.findroot(self.dW, top)
        factor = abs(self.W(top))*(1 if self.W(mpmath.mpf(1)/1000) > 0 else -1)
        self.C = [value/factor for value in self.C]

    def _row(self, x, times):
        al, be = self.al, self.be
        s, c, sh, ch = mpmath.sin(al*x), mpmath.cos(al*x), mpmath.sinh(be*x), mpmath.cosh(be*x)
        return [[s, c, sh, ch], [al*c, -al*s, be*ch, be*sh], [-al**2*s, -al**2*c, be**2*sh, be**2*ch]][times]

    def _turn(self, x, times):
        al, be, z = self.al, self.be, self.z
        a, b = (al**2 - z)/al, (be**2 + z)/be
        s, c, sh, ch = mpmath.sin(al*x), mpmath.cos(al*x), mpmath.sinh(be*x), mpmath.cosh(be*x)
        return [[a*c, -a*s, b*ch, b*sh], [-a*al*s, -a*al*c, b*be*sh, b*be*ch]][times]

    def W(self, x):
        return mpmath.fdot(self.C, self._row(x, 0))

    def dW(self, x):
        return mpmath.fdot(self.C, self._row(x, 1))

    def ddW(self, x):
        return mpmath.fdot(self.C, self._row(x, 2))

    def Theta(self, x):
        return mpmath.fdot(self.C, self._turn(x, 0))

    def dTheta(self, x):
        return mpmath.fdot(self.C, self._turn(x, 1))

    def Gamma(self, x):
        return self.dW(x) - self.Theta(x)

    def integral(self, f):
        return mpmath.quad(f, mpmath.linspace(0, 1, self.waves + 1), maxdegree=4)
