"""Bending chains in the frequency domain: every mode counted with 30 digits, Euler-Bernoulli beams, global matrices."""

import decimal
from decimal import Decimal

import mpmath
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from transfer.common import read

from fastdyn import ModelError
from fastdyn.transfer.bending import BendingChain, hinged_beam
from fastdyn.transfer.hinges import RULES, hinging
from fastdyn.transfer.stations import Hinge, Mass, Rigid, Span, Support

BEAM = read("beam_frequencies")
THEIRS = {"mid_seed": "mid", "mid_unit": "mid-unit", "left_trap": "left", "left_unit": "left-unit",
          "left_seed": "left-printed"}
CANTILEVER = [Span(length=1.0, EI=1.0, mass_per_length=1.0)]


def count_below(omega, made, mass_per_length):
    """Sturm's count of a clamped row of rods and hinges, with decimals: negative pivots from the tip to the base."""
    square, found = Decimal(omega)**2, 0
    a = b = d = Decimal(0)
    for l, k in zip(reversed(made.lengths.tolist()), reversed(made.stiffness.tolist())):
        l, k = Decimal(l), Decimal(k)
        m = square*Decimal(mass_per_length)*l
        a, b, d = a - m, b + l*a - m*l/2, d + l*(2*b + l*a) - m*l*l/3
        pivot = k + d
        found += pivot < 0
        a, b, d = a - b*b/pivot, b*k/pivot, d*k/pivot
    return found


def test_an_anti_resonance_has_its_limit():
    """The outer hinge's pivot is exactly zero at omega = 2: its spring is m l^2/3 omega^2."""
    rod = Rigid(length=1.0, mass=3.0)
    chain = BendingChain(parts=[Hinge(stiffness=10.0), rod, Hinge(stiffness=4.0), rod])
    M, K, ends = np.array([[4.0, 1.5], [1.5, 1.0]]), np.array([[14.0, -4.0], [-4.0, 4.0]]), np.array([1.0, 1.0])
    found = chain.frequency_response([2.0, 3.0], -1, -1)
    for omega, deflection in zip((2.0, 3.0), found):
        assert deflection == pytest.approx(ends @ np.linalg.solve(K - omega**2*M, ends), rel=1e-9)


@pytest.mark.parametrize("n", [1, 2, 20, 200])
def test_every_mode_is_there_and_right(n):
    """30 digits count j modes below omega_j (1 + 1e-11) and one fewer below omega_j (1 - 1e-11), of all of them."""
    omega, made = hinged_beam(n).natural_frequencies(), hinging(n, 1.0, 1.0)
    assert len(omega) == n
    with decimal.localcontext(prec=30):
        for j in range(n):
            assert count_below(omega[j]*(1.0 - 1e-11), made, 1.0) == j
            assert count_below(omega[j]*(1.0 + 1e-11), made, 1.0) == j + 1


def test_modes_are_those_of_global_matrices():
    """All 200, by two dense symmetric problems scaled by the masses, each exact where its own numbers are largest.

    Low modes are those of the flexibility, which is summed and not inverted, high modes those of the stiffness.
    """
    n = 200
    chain, made = hinged_beam(n), hinging(n, 1.0, 1.0)
    M, _, K = chain.matrices()
    F = np.tril(np.ones((n, n))) @ np.diag(1.0/made.stiffness) @ np.triu(np.ones((n, n)))
    assert np.max(np.abs(K @ F - np.eye(n))) < 1e-9
    root, omega = np.linalg.cholesky(M), chain.natural_frequencies()
    soft = np.sqrt(1.0/np.linalg.eigvalsh(root.T @ F @ root)[::-1])
    stiff = np.sqrt(np.linalg.eigvalsh(np.linalg.solve(root, np.linalg.solve(root, K).T)))
    assert np.max(np.abs(np.where(np.arange(n) < 15, soft, stiff)/omega - 1.0)) < 1e-11


def test_one_element_bends_as_far_as_the_beam():
    """Static tip deflection L^3/(3 EI) by one hinge in the middle of the beam: k = 3 EI/(4 L)."""
    for n in (1, 2, 3, 10):
        deflection = hinged_beam(n, length=2.0, EI=3.0).frequency_response(0.0, -1, -1).real
        assert deflection == pytest.approx(2.0**3/(3.0*3.0), rel=1e-13)


@pytest.mark.parametrize("row", BEAM["rows"], ids=lambda row: f"{row['rule']}-{row['n']}")
def test_rules_of_hinges(row):
    """The numbers come from a dense eigen-solver, whose rounding grows as the square of the span of frequencies."""
    omega = hinged_beam(row["n"], rule=THEIRS[row["rule"]]).natural_frequencies(len(row["omega"]))
    assert np.max(np.abs(omega/row["omega"] - 1.0)) < 1e-15*row["n"]**4 + 1e-12


@pytest.mark.parametrize("rule", ["mid-unit", "left"])
def test_hinges_become_the_beam_as_the_square_of_their_number(rule):
    error = [hinged_beam(n, rule=rule).natural_frequencies(1)[0]/BEAM["euler_bernoulli"][0] - 1.0 for n in (40, 80)]
    assert np.log2(error[0]/error[1]) == pytest.approx(2.0, abs=0.1)


@pytest.mark.parametrize("parts", [CANTILEVER, [Span(length=0.01, EI=1.0, mass_per_length=1.0)]*100,
                                   [Span(length=x, EI=1.0, mass_per_length=1.0) for x in (0.25, 0.6, 0.15)]],
                         ids=["one", "hundred", "three"])
def test_spans_are_the_beam(parts):
    exact = np.array(BEAM["beta_l"])**2
    assert np.max(np.abs(BendingChain(parts=parts).natural_frequencies(12)/exact - 1.0)) < 1e-11


@pytest.mark.parametrize("base, tip, equation", [
    ("free", (), lambda z: mpmath.cos(z) - mpmath.sech(z)), ("pinned", (), lambda z: mpmath.tan(z) - mpmath.tanh(z))])
def test_other_ends(base, tip, equation):
    omega = BendingChain(parts=[*CANTILEVER, *tip], base=base).natural_frequencies(20)
    rigid = {"free": 2, "pinned": 1}[base]
    assert np.all(omega[:rigid] == 0.0)
    for w in omega[rigid:]:
        z = mpmath.findroot(equation, mpmath.mpf(w)**0.5)
        assert w == pytest.approx(float(z)**2, rel=1e-9)


def test_a_heavy_tip_on_a_massless_beam():
    chain = BendingChain(parts=[Span(length=2.0, EI=3.0, mass_per_length=0.0), Mass(mass=5.0)])
    assert chain.natural_frequencies(1)[0] == pytest.approx(np.sqrt(3.0*3.0/8.0/5.0), rel=1e-13)


@st.composite
def chains(draw):
    size = st.floats(0.2, 3.0)
    parts = [Rigid(length=draw(size), mass=draw(size))]                     # what the base leaves free has inertia
    for _ in range(draw(st.integers(1, 4))):
        parts.append(Hinge(stiffness=draw(size), damping=draw(size)))
        parts.append(Rigid(length=draw(size), mass=draw(size), inertia=draw(size), com=draw(size)))
        if draw(st.booleans()):
            parts.append(Mass(mass=draw(size), inertia=draw(size)))
        if draw(st.booleans()):
            parts.append(Support(stiffness=draw(size), damping=draw(size), turning=draw(size), turning_damping=0.1))
    return BendingChain(parts=parts, base=draw(st.sampled_from(["clamped", "pinned", "free"])))


@given(chains(), st.floats(-1.0, 1.0), st.floats(0.1, 4.0))
def test_any_chain_is_its_matrices(chain, real, imaginary):
    M, C, K = chain.matrices()
    s, size = complex(real, imaginary), len(M)
    last = np.linalg.inv(s*s*M + s*C + K)[-1, -1]
    behind = 1 + max(i for i, part in enumerate(chain.parts) if isinstance(part, Hinge))
    found = chain.transfer_function(s, behind, behind, "slope", "moment")
    assert abs(found - last) < 1e-8*abs(last)
    squares = np.sort(np.linalg.eigvals(np.linalg.solve(M, K)).real)
    assert chain.natural_frequencies()**2 == pytest.approx(squares, rel=1e-7, abs=1e-9*squares[-1])
    roots = chain.damped_eigenvalues()
    assert len(roots) == 2*size
    assert np.sum(roots).real == pytest.approx(-np.trace(np.linalg.solve(M, C)), rel=1e-8)


@pytest.mark.parametrize("n", [10, 40])
def test_roots_without_damping_are_the_frequencies(n):
    """To digits that the state matrix alone does not have: it gives 2e-10 with forty elements."""
    beam = hinged_beam(n)
    roots = beam.damped_eigenvalues()
    assert np.sort(roots.imag)[n:] == pytest.approx(beam.natural_frequencies(), rel=3e-12)


@given(chains(), st.data())
def test_maxwell_and_betti(chain, data):
    """Deflection here by a moment there is slope there by a force here."""
    here, there = (data.draw(st.integers(0, len(chain.parts))) for _ in range(2))
    s = 0.3 + 1.7j
    one = chain.transfer_function(s, here, there, "deflection", "moment")
    other = chain.transfer_function(s, there, here, "slope", "force")
    assert abs(one - other) < 1e-9*max(abs(one), 1e-6)


def test_static_deflections_are_those_of_books():
    span = BendingChain(parts=[Span(length=0.5, EI=2.0, mass_per_length=1.0)]*2)
    assert span.frequency_response(0.0, -1, -1).real == pytest.approx(1.0/6.0, rel=1e-13)
    assert span.frequency_response(0.0, -1, 1).real == pytest.approx(5.0/96.0, rel=1e-13)
    assert span.frequency_response(0.0, -1, -1, "slope", "moment").real == pytest.approx(0.5, rel=1e-13)


@pytest.mark.parametrize("n", [2, 3, 7, 40])
def test_the_first_rule_gives_the_static_tip_for_every_number_of_elements(n):
    assert hinged_beam(n).frequency_response(0.0, -1, -1).real == pytest.approx(1.0/3.0, rel=1e-12)
    assert abs(hinged_beam(n, rule="left-printed").frequency_response(0.0, -1, -1).real*3.0 - 1.0) > 0.01


def test_shapes_of_the_beam():
    """Tip slope over tip deflection of a cantilever's modes, from the closed form."""
    z = np.array(BEAM["beta_l"][:6])
    shapes = BendingChain(parts=CANTILEVER*3).mode_shapes((z/3.0)**2)
    ratio = z/3.0*(np.sin(z)*np.cosh(z) + np.cos(z)*np.sinh(z))/(np.sin(z)*np.sinh(z))
    exact = z/3.0*(np.sinh(z) + np.sin(z) - (np.cosh(z) + np.cos(z))/(np.sinh(z) + np.sin(z))*(np.cosh(z) - np.cos(z)))
    exact /= np.cosh(z) - np.cos(z) - (np.cosh(z) + np.cos(z))/(np.sinh(z) + np.sin(z))*(np.sinh(z) - np.sin(z))
    assert shapes[:, -1, 1]/shapes[:, -1, 0] == pytest.approx(exact, rel=1e-6) and len(ratio) == 6
    assert np.all(shapes[:, 0] == 0.0) and np.max(np.abs(shapes[:, :, 0]), axis=1) == pytest.approx(np.ones(6))


@pytest.mark.parametrize("ask, said", [
    (lambda: BendingChain(parts=[]), "parts is"), (lambda: BendingChain(parts=["beam"]), r"parts\[0\] is 'beam'"),
    (lambda: BendingChain(parts=CANTILEVER, base="held"), "base is 'held'"),
    (lambda: BendingChain(parts=CANTILEVER).natural_frequencies(), "endlessly many natural frequencies; give count"),
    (lambda: BendingChain(parts=CANTILEVER).damped_eigenvalues(), "chains without spans"),
    (lambda: hinged_beam(3).natural_frequencies(4), "count is 4; give a whole number of modes, 1 to 3"),
    (lambda: hinged_beam(3).transfer_function(1j, 9, 0), "out is 9"), (lambda: hinged_beam(0), "n is 0"),
    (lambda: hinged_beam(3, rule="right"), "rule is 'right'"), (lambda: Rigid(length=0.0), "Rigid.length is 0"),
    (lambda: Hinge(stiffness=-1.0), "Hinge.stiffness is -1"),
    (lambda: Rigid(length=1.0, mass=1e300), r"Rigid.mass is 1e\+300; give a number from 0 to 1e\+100"),
    (lambda: hinged_beam(3).transfer_function(1e200, -1, -1), r"s has 1e\+200, whose square is no number"),
    (lambda: BendingChain(parts=CANTILEVER).transfer_function(1e20, -1, -1), "span of 1 m would be cut in 5.95e"),
    (lambda: hinged_beam(3).mode_shapes([1.0]), "omega has 1 rad/s, which is no natural frequency"),
    (lambda: hinged_beam(3).mode_shapes([0.0]), "omega has 0 rad/s, which is no natural frequency"),
    (lambda: BendingChain(parts=CANTILEVER).mode_shapes([-3.516]), "omega has -3.516 rad/s"),
    (lambda: BendingChain(parts=CANTILEVER, parents=(0,)), "BendingChain has no parents: it is one row"),
    (lambda: BendingChain(part=CANTILEVER), 'BendingChain.part: unknown field; did you mean "parts"'),
])
def test_what_is_refused(ask, said):
    with pytest.raises(ModelError, match=said):
        ask()
    assert len(RULES) == 5


# -------------------------------------------------------------------------------------- forces, bases, rigid motions


@pytest.mark.parametrize("base, load", [("clamped", "deflection"), ("clamped", "slope"), ("pinned", "deflection")])
def test_a_moving_base_is_a_stiff_support(base, load):
    """The base moved as prescribed against a free one that a strong force moves by a very stiff support."""
    rest = [Span(length=1.0, EI=2.0, mass_per_length=0.5), Mass(mass=0.3), Hinge(stiffness=3.0, damping=0.2),
            Rigid(length=0.4, mass=0.2)]
    chain, k, omega = BendingChain(parts=rest, base=base), 1e10, np.array([0.5, 4.0, 30.0])
    turning = k if base == "clamped" else 0.0
    free = BendingChain(parts=[Support(stiffness=k, turning=turning), *rest], base="free")
    kind = {"deflection": "force", "slope": "moment"}[load]
    for quantity in ("deflection", "slope", "force", "moment"):
        found = chain.frequency_response(omega, 2, 0, quantity, load)
        exact = k*free.frequency_response(omega, 3, 0, quantity, kind)
        assert found == pytest.approx(exact, rel=1e-6)


def test_forces_inside_are_static_at_rest():
    chain = BendingChain(parts=[Span(length=0.5, EI=1.0, mass_per_length=1.0)]*2)
    for station, arm in ((0, 1.0), (1, 0.5), (2, 0.0)):
        assert chain.frequency_response(0.0, station, -1, "force") == pytest.approx(1.0, rel=1e-12)
        assert chain.frequency_response(0.0, station, -1, "moment") == pytest.approx(arm, rel=1e-12, abs=1e-12)
    with pytest.raises(ModelError, match='a pinned base moves as prescribed by its deflection'):
        BendingChain(parts=CANTILEVER, base="pinned").frequency_response(1.0, 1, 0, load="slope")


@pytest.mark.parametrize("chain", [
    BendingChain(parts=CANTILEVER*3, base="free"),
    BendingChain(parts=[Mass(mass=1.0, inertia=0.2), Rigid(length=1.0, mass=2.0), Hinge(stiffness=0.0),
                        Rigid(length=0.5, mass=1.0)], base="free"),
])
def test_rigid_motions_have_shapes_of_their_own(chain):
    omega = chain.natural_frequencies(3)
    assert omega[1] == 0.0
    rigid = chain.mode_shapes(omega[omega == 0.0]).reshape(np.sum(omega == 0.0), -1)
    assert np.linalg.matrix_rank(rigid, tol=1e-6) == len(rigid)
    x = np.cumsum([0.0] + [getattr(part, "length", 0.0) for part in chain.parts])
    if omega[2] > 0.0:                                                      # straight lines, orthogonal by the mass
        lines = np.array([np.polyfit(x, shape[::2], 1) for shape in rigid])
        assert np.max(np.abs(lines[:, 0] - rigid[:, 1])) < 1e-9
        fine = np.linspace(0.0, x[-1], 2001)
        one, two = (np.polyval(line, fine) for line in lines)
        assert abs(np.trapezoid(one*two, fine)) < 1e-6*np.sqrt(np.trapezoid(one**2, fine)*np.trapezoid(two**2, fine))


@pytest.mark.parametrize("chain, often", [(hinged_beam(3), 1), (BendingChain(parts=CANTILEVER, base="free"), 2)])
def test_a_frequency_has_no_more_shapes_than_it_is_often(chain, often):
    lowest = chain.natural_frequencies(1)[0]
    assert len(chain.mode_shapes([lowest]*often)) == often
    with pytest.raises(ModelError, match=f"rad/s {often + 1} times, but only {often} shapes? "):
        chain.mode_shapes([lowest]*(often + 1))


def test_a_beam_that_nothing_holds_has_its_limits_at_rest():
    """Motions are infinite; what of a force at the tip the beam outside leaves: V = 3 x^2 - 2 x, M = x^2 - x^3."""
    beam = BendingChain(parts=[Span(length=0.25, EI=1.0, mass_per_length=1.0)]*4, base="free")
    for station in range(5):
        x = 0.25*station
        ask = lambda quantity, station=station: beam.transfer_function([0.0], station, -1, quantity)[0]
        assert [ask("deflection"), ask("slope")] == [np.inf, np.inf]
        assert ask("force") == pytest.approx(3.0*x*x - 2.0*x, abs=1e-12)
        assert ask("moment") == pytest.approx(x*x - x**3, abs=1e-12)
    swinging = BendingChain(parts=[Hinge(stiffness=0.0), Rigid(length=1.0, mass=1.0)])
    assert swinging.transfer_function(0.0, -1, -1) == np.inf
    assert swinging.transfer_function(0.0, 0, -1, "force") == pytest.approx(-0.5, abs=1e-12)


ROD = Rigid(length=1.0, mass=1.0)
JOINTS = [ROD, Hinge(stiffness=1.0, damping=0.1), ROD, Hinge(stiffness=1e-9, damping=0.1), ROD]


@pytest.mark.parametrize("chain, zeros", [
    (BendingChain(parts=JOINTS, base="free"), 4), (BendingChain(parts=JOINTS, base="pinned"), 2),
    (BendingChain(parts=[*JOINTS, Support(damping=0.2)], base="free"), 3),
    (BendingChain(parts=[*JOINTS, Support(stiffness=1e-6)], base="pinned"), 0),
    (BendingChain(parts=[ROD, Hinge(stiffness=0.0), ROD], base="free"), 6),
])
def test_rigid_motions_are_roots_of_zero(chain, zeros):
    """Exactly, and weak springs are none: as many roots as there are, their sum that of the state matrix."""
    roots, (M, C, _) = chain.damped_eigenvalues(), chain.matrices()
    assert len(roots) == 2*len(M) and np.sum(roots == 0.0) == zeros
    assert np.sum(roots).real == pytest.approx(-np.trace(np.linalg.solve(M, C)), rel=1e-8)


POINT, SPRING = Mass(mass=1.0), Hinge(stiffness=1.0)


@pytest.mark.parametrize("parts, station, omega", [
    ([Span(length=1.0, EI=1.0, mass_per_length=0.0), POINT], 1, 3.0**0.5), ([SPRING, ROD, SPRING], 3, 3.0**0.5),
    ([SPRING, ROD, SPRING, Rigid(length=1.0)], 3, 3.0**0.5),
    ([Span(length=1.0, EI=1.0, mass_per_length=0.0), Rigid(length=0.3), POINT], 1, None),
])
def test_parts_without_inertia_have_frequencies_and_no_steps(parts, station, omega):
    chain = BendingChain(parts=parts)
    assert omega is None or chain.natural_frequencies(1)[0] == pytest.approx(omega, rel=1e-13)
    asks = [lambda: chain.audit(0.01), lambda: chain.simulate(1.0, 0.01)]
    for ask in asks + [chain.damped_eigenvalues]*(not any(isinstance(part, Span) for part in parts)):
        with pytest.raises(ModelError, match=f"station {station} and all outside of it have no inertia"):
            ask()
    with pytest.raises(ModelError, match="parts without inertia have none"):
        chain.natural_frequencies(2)


def test_what_cannot_move_has_no_frequency():
    with pytest.raises(ModelError, match="nothing in it can move"):
        BendingChain(parts=[Rigid(length=1.0, mass=1.0)]).natural_frequencies()
    with pytest.raises(ModelError, match="loads is 3; give a mapping"):
        BendingChain(parts=CANTILEVER, loads=3)


def test_matrices_of_spans_have_the_frequencies_of_a_beam():
    chain = BendingChain(parts=[*CANTILEVER, Mass(mass=0.2, inertia=0.01), Support(stiffness=3.0)])
    M, _, K = chain.matrices(16)
    squares = np.sort(np.linalg.eigvals(np.linalg.solve(M, K)).real)
    assert np.sqrt(squares[:4]) == pytest.approx(chain.natural_frequencies(4), rel=1e-4)


@pytest.mark.parametrize("base, sign", [("free", -1.0), ("clamped", 1.0)])
def test_forty_modes_of_a_span_with_any_ends(base, sign):
    """cos z cosh z = 1 or -1; most are right to rounding, though the two nearly have one spectrum."""
    z = np.arange(41)[(1 if base == "free" else 0):40 + (base == "free")]*np.pi + np.pi/2
    for _ in range(20):
        z = z - (np.cos(z) + sign/np.cosh(z))/(-np.sin(z) - sign*np.tanh(z)/np.cosh(z))
    found = BendingChain(parts=[Span(length=1.0, EI=1.0, mass_per_length=1.0)], base=base).natural_frequencies(
        42 if base == "free" else 40)
    apart = np.abs(found[-40:]/z**2 - 1.0)
    assert np.median(apart) < 1e-14 and np.max(apart) < 1e-8
