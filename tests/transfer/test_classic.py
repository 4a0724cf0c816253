"""Torsion in the frequency domain: closed forms, numbers from elsewhere, reciprocity, trees."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from transfer.common import read

from fastdyn import ModelError
from fastdyn.transfer import simulate_many, star
from fastdyn.transfer.torsion import TorsionChain, torsion_chain

FREQUENCIES = read("frequencies")
parts = st.floats(0.1, 10.0)


@st.composite
def trees(draw):
    n = draw(st.integers(1, 7))
    row = lambda: tuple(draw(parts) for _ in range(n))
    return TorsionChain(inertia=row(), stiffness=row(), damping=row(),
                        parents=tuple(draw(st.integers(0, j)) for j in range(n)))


def matrices(chain):
    inner = np.array(chain.parents)
    joint = (np.eye(chain.n + 1)[1:] - np.eye(chain.n + 1)[inner])[:, 1:]
    return np.diag(chain.inertia), *(joint.T @ np.diag(row) @ joint for row in (chain.damping, chain.stiffness))


@pytest.mark.parametrize("n", [1, 2, 10, 100, 500])
def test_uniform_chains(n):
    omega = torsion_chain(n, damping=0.0).natural_frequencies()
    exact = 2.0*np.sqrt(20.0)*np.sin((2.0*np.arange(1, n + 1) - 1.0)*np.pi/(2.0*(2*n + 1)))
    assert np.max(np.abs(omega/exact - 1.0)) < 1e-14
    if n <= 100:
        shape = np.sin(np.outer(2*np.arange(1, n + 1) - 1, np.arange(1, n + 1))*np.pi/(2*n + 1))
        found = torsion_chain(n).mode_shapes(omega)
        cosine = np.sum(shape*found, axis=1)/np.linalg.norm(shape, axis=1)/np.linalg.norm(found, axis=1)
        assert np.max(1.0 - np.abs(cosine)) < 1e-12


@pytest.mark.parametrize("case", FREQUENCIES["graded"], ids=lambda case: f"n{len(case['omega'])}")
def test_graded_chains(case):
    chain = TorsionChain(inertia=case["inertia"], stiffness=case["stiffness"])
    assert np.max(np.abs(chain.natural_frequencies()/case["omega"] - 1.0)) < 1e-11
    assert np.array_equal(chain.natural_frequencies(2), chain.natural_frequencies()[:2])


@pytest.mark.parametrize("case", FREQUENCIES["damped"], ids=lambda case: f"n{len(case['inertia'])}")
def test_damped_roots(case):
    chain = TorsionChain(**{field: case[field] for field in ("inertia", "stiffness", "damping")})
    found = chain.damped_eigenvalues()
    assert len(found) == 2*chain.n
    for real, imaginary in case["eigenvalues"]:
        root = complex(real, imaginary)
        assert np.min(np.abs(found - root)) < 1e-11*abs(root)


@pytest.mark.parametrize("case", read("transfer_functions")["cases"], ids=lambda case: case["name"])
def test_transfer_functions(case):
    chain = TorsionChain(**{field: case[field] for field in ("inertia", "stiffness", "damping")})
    for row in case["rows"]:
        for value in row["values"]:
            found = chain.transfer_function(complex(*row["s"]), value["out"] + 1, value["in"] + 1)
            assert abs(found - complex(*value["h"])) < 1e-11*abs(complex(*value["h"]))


def test_two_links_in_closed_form():
    """theta1/f1, theta2/f1, theta1/f2, theta2/f2 as fractions of polynomials."""
    (I1, I2), (k1, k2), (c1, c2) = (1.5, 0.4), (30.0, 12.0), (0.2, 0.9)
    s = np.array([0.3 + 2.0j, 5.0j, -0.2 + 1.0j])
    P = (I1*s**2 + (c1 + c2)*s + k1 + k2)*(I2*s**2 + c2*s + k2) - (c2*s + k2)**2
    chain = TorsionChain(inertia=(I1, I2), stiffness=(k1, k2), damping=(c1, c2))
    for out, into, top in ((1, 1, I2*s**2 + c2*s + k2), (2, 1, c2*s + k2), (1, 2, c2*s + k2),
                           (2, 2, I1*s**2 + (c1 + c2)*s + k1 + k2)):
        assert chain.transfer_function(s, out, into) == pytest.approx(top/P, rel=1e-13)


@given(trees(), st.floats(-2.0, 2.0), st.floats(0.1, 10.0))
def test_any_tree_is_its_matrices(tree, real, imaginary):
    M, C, K = matrices(tree)
    s = complex(real, imaginary)
    exact = np.linalg.inv(s*s*M + s*C + K)
    for out in range(1, tree.n + 1):
        found = tree.transfer_function(s, out, -1)
        assert abs(found - exact[out - 1, -1]) < 1e-9*np.max(np.abs(exact))
        assert abs(found - tree.transfer_function(s, -1, out)) < 1e-11*np.max(np.abs(exact))     # reciprocity
    squares = np.sort(np.linalg.eigvals(np.linalg.solve(M, K)).real)
    assert tree.natural_frequencies() == pytest.approx(np.sqrt(squares), rel=1e-7)
    assert np.prod(-tree.damped_eigenvalues()).real == pytest.approx(np.linalg.det(K)/np.linalg.det(M), rel=1e-9)


ANTI = [torsion_chain(2, inertia=5.0, stiffness=20.0, damping=0.0),
        TorsionChain(inertia=(10.0, 1.0), stiffness=(1000.0, 400.0), damping=(2.0, 0.0)),
        TorsionChain(inertia=(1.0, 1.0, 2.0), stiffness=(4.0, 4.0, 9.0), parents=(0, 1, 1))]


@pytest.mark.parametrize("chain", ANTI, ids=["chain", "absorber", "tree"])
def test_an_anti_resonance_has_its_limit(chain):
    """The pivot of the second joint is exactly zero there: k = I omega^2."""
    omega = np.sqrt(chain.stiffness[1]/chain.inertia[1])
    M, C, K = matrices(chain)
    exact = np.linalg.inv(K + 1j*omega*C - omega*omega*M)
    size = np.max(np.abs(exact))
    for out in range(1, chain.n + 1):
        for into in range(1, chain.n + 1):
            found = chain.frequency_response([0.9*omega, omega], out, into)
            assert abs(found[1] - exact[out - 1, into - 1]) < 1e-9*size
    if not chain.branched:
        port = chain.two_port(1j*omega)
        assert abs(port.c - exact[-1, -1]) < 1e-9*size
        assert abs(port.r - chain.transfer_function(1j*omega, -1, 0)) < 1e-9


@pytest.mark.parametrize("damping", [0.0, 2.0])
def test_what_nothing_holds_has_its_limits_at_rest(damping):
    """Angles are infinite; torques take along what is outside, or leave all to a damper on the base."""
    inertia = np.array([1.0, 2.0, 3.0])
    chain = TorsionChain(inertia=inertia, stiffness=(0.0, 5.0, 6.0), damping=(damping, 0.1, 0.0))
    for into in (1, 2, 3):
        for out in (1, 2, 3):
            assert chain.transfer_function([0.0, 0.0], out, into).tolist() == [np.inf, np.inf]
            share = np.sum(inertia[out - 1:])/6.0 if damping == 0.0 else 0.0
            found = chain.transfer_function([0.0, 1e-7], out, into, "torque")
            assert found == pytest.approx((into >= out) - share, abs=1e-6)
    assert chain.transfer_function(0.0, 2, 0) == (1.0 if damping else 0.0)


def test_a_pole_is_infinite():
    pendulum = TorsionChain(inertia=(1.0,), stiffness=4.0)
    assert pendulum.frequency_response([2.0, 1.0], 1, 1).tolist() == [np.inf, pytest.approx(1.0/3.0, rel=1e-15)]


@given(trees())
def test_shapes_are_orthogonal(tree):
    omega = tree.natural_frequencies()
    shapes = tree.mode_shapes(omega)
    mass = shapes @ np.diag(tree.inertia) @ shapes.T
    scale = np.sqrt(np.outer(np.diag(mass), np.diag(mass)))
    apart = np.abs(omega[:, None] - omega) > 1e-3*omega                     # others may be mixed as one likes
    assert np.all(np.abs(mass)[apart] < 1e-8*scale[apart])


def test_a_loose_chain_has_a_frequency_of_zero():
    omega = TorsionChain(inertia=(1.0, 2.0), stiffness=(0.0, 5.0)).natural_frequencies()
    assert omega[0] == 0.0 and omega[1] == pytest.approx(np.sqrt(5.0*1.5), rel=1e-14)


def test_the_response_at_rest_is_static():
    assert torsion_chain(10).frequency_response(0.0, -1, -1) == pytest.approx(10/20.0, rel=1e-14)
    assert torsion_chain(3).frequency_response([1.0, 2.0], 1, 2).shape == (2,)


@pytest.mark.parametrize("words, zeros", [
    ({"stiffness": (0.0, 5.0, 6.0), "damping": (0.0, 0.1, 0.2)}, 2),
    ({"stiffness": (0.0, 5.0, 6.0), "damping": (0.3, 0.1, 0.2)}, 1), ({"stiffness": 0.0, "damping": 0.2}, 3),
    ({"stiffness": (0.0, 5.0, 0.0), "damping": 0.0, "parents": (0, 1, 1)}, 4),
    ({"stiffness": (1e-9, 1e9, 1e5), "damping": 0.0}, 0), ({"stiffness": (1e-3, 1e3, 1e3), "damping": 0.01}, 0)])
def test_what_no_spring_holds_has_roots_of_exactly_zero(words, zeros):
    chain = TorsionChain(inertia=(1.0, 2.0, 3.0), **words)
    roots = chain.damped_eigenvalues()
    assert len(roots) == 6 and np.sum(roots == 0.0) == zeros
    rates = np.array(chain.damping)/chain.inertia + [sum(c for c, i in zip(chain.damping, chain.parents) if i == j)/I
                                                     for j, I in enumerate(chain.inertia, 1)]
    assert np.sum(roots).real == pytest.approx(-np.sum(rates), rel=1e-12, abs=1e-12)
    if not any(chain.damping):
        sizes = np.repeat(chain.natural_frequencies(), 2)
        assert np.sort(np.abs(roots)) == pytest.approx(sizes, rel=1e-14)


@pytest.mark.parametrize("light", [1e-90, 1e-40, 1e-20])
def test_frequencies_are_found_however_far_apart(light):
    """A light link on a heavy one, and the other way round."""
    k1, k2 = 20.0, 7.0
    omega = TorsionChain(inertia=(1.0, light), stiffness=(k1, k2)).natural_frequencies()
    assert omega == pytest.approx([np.sqrt(k1), np.sqrt(k2/light)], rel=1e-14)
    omega = TorsionChain(inertia=(light, 1.0), stiffness=(k1, k2)).natural_frequencies()
    assert omega == pytest.approx([np.sqrt(k1*k2/(k1 + k2)), np.sqrt((k1 + k2)/light)], rel=1e-14)


@pytest.mark.parametrize("ask, said", [
    (lambda c: c.mode_shapes([1.0]), "omega has 1 rad/s, which is no natural frequency; give those that natural_fre"),
    (lambda c: c.mode_shapes([*c.natural_frequencies(2), 0.0]), "omega has 0 rad/s"),
    (lambda c: c.mode_shapes(-c.natural_frequencies(1)), "rad/s, which is no natural frequency"),
    (lambda c: c.transfer_function([1.0, 1e200j], 1, 1), r"s has 1e\+200, whose square is no number; give"),
    (lambda c: c.frequency_response(1e101, 1, 1), r"omega has 1e\+101"),
    (lambda c: TorsionChain(inertia=(1.0, 1e-300), stiffness=1.0), "link 2: inertia is 1e-300; give a number from"),
    (lambda c: TorsionChain(inertia=(1e300,), stiffness=1.0), r"link 1: inertia is 1e\+300"),
    (lambda c: TorsionChain(inertia=(1.0, 1e-40), stiffness=1.0, damping=1.0).damped_eigenvalues(), "too far apart"),
])
def test_numbers_out_of_all_measure_are_refused(ask, said):
    with pytest.raises(ModelError, match=said):
        ask(torsion_chain(3))


@pytest.mark.parametrize("ask, said", [
    (lambda c: c.natural_frequencies(0), "count is 0; give a whole number of modes, 1 to 3"),
    (lambda c: c.natural_frequencies(4), "count is 4"), (lambda c: c.transfer_function(1j, 0, 1), "out is 0"),
    (lambda c: c.transfer_function(1j, 1, 9), "into is 9"),
])
def test_what_cannot_be_asked(ask, said):
    with pytest.raises(ModelError, match=said):
        ask(torsion_chain(3))


# ----------------------------------------------------------------------------------- torques, bases, what is repeated


@given(trees(), st.floats(-2.0, 2.0), st.floats(0.1, 10.0))
def test_torques_and_a_moving_base_are_those_of_matrices(tree, real, imaginary):
    M, C, K = matrices(tree)
    s, onto = complex(real, imaginary), np.array(tree.parents) == 0
    Z = np.array(tree.stiffness) + s*np.array(tree.damping)
    D, inner = s*s*M + s*C + K, np.array(tree.parents)
    for into, load, base in ((tree.n, np.eye(tree.n)[-1], 0.0), (0, Z*onto, 1.0)):
        exact = np.linalg.solve(D, load)
        torque = Z*(exact - np.append(base, exact)[inner])
        for out in range(1, tree.n + 1):
            assert abs(tree.transfer_function(s, out, into) - exact[out - 1]) < 1e-9*np.max(np.abs(exact))
            found = tree.transfer_function(s, out, into, "torque")
            assert abs(found - torque[out - 1]) < 1e-8*(np.max(np.abs(torque)) + np.max(np.abs(Z*exact)))


@pytest.mark.parametrize("words, mode, often", [
    ({"inertia": (1.0,)*3, "stiffness": 20.0}, 0, 1), ({"inertia": (1.0,)*3, "stiffness": (0.0, 1.0, 1.0)}, 0, 1),
    ({"inertia": (1.0,)*4, "stiffness": 20.0, "parents": (0, 1, 1, 1)}, 1, 2)])
def test_a_frequency_has_no_more_shapes_than_it_is_often(words, mode, often):
    chain = TorsionChain(**words)
    omega = chain.natural_frequencies()
    assert len(chain.mode_shapes([omega[mode]]*often)) == often
    with pytest.raises(ModelError, match=f"rad/s {often + 1} times, but only {often} shapes? "):
        chain.mode_shapes([omega[mode]]*(often + 1))


@pytest.mark.parametrize("words", [
    {"inertia": (1.0,)*4, "stiffness": 20.0, "parents": (0, 1, 1, 1)},
    {"inertia": (2.0, 2.0), "stiffness": 3.0, "parents": (0, 0)},
    {"inertia": (1.0, 2.0, 3.0), "stiffness": 0.0},
    {"inertia": (1.0,)*7, "stiffness": 5.0, "parents": (0, 0, 0, 1, 2, 3, 3)},
])
def test_repeated_frequencies_have_as_many_shapes(words):
    tree = TorsionChain(**words)
    omega = tree.natural_frequencies()
    shapes = tree.mode_shapes(omega)
    M, _, K = tree.matrices()
    sizes = np.sqrt(np.diag(shapes @ M @ shapes.T))
    assert np.max(np.abs(shapes @ M @ shapes.T/np.outer(sizes, sizes) - np.eye(tree.n))) < 1e-9
    assert np.max(np.abs(K @ shapes.T - M @ shapes.T*omega**2)) < 1e-8*np.max(np.abs(K) + 1.0)
    assert np.all(np.max(np.abs(shapes), axis=1) == 1.0)


def test_long_chains_have_their_frequencies_counted():
    n = 20_000
    exact = 2.0*np.sqrt(20.0)*np.sin((2.0*np.arange(1, 4) - 1.0)*np.pi/(2.0*(2*n + 1)))
    assert torsion_chain(n).natural_frequencies(3) == pytest.approx(exact, rel=1e-9)


@pytest.mark.parametrize("ask, said", [
    (lambda c: c.frequency_response("a", 1, 1), "omega is 'a'"), (lambda c: c.mode_shapes([np.nan]), "not finite"),
    (lambda c: c.mode_shapes("a"), "omega is 'a'; give numbers, rad/s"), (lambda c: c.two_port("a"), "s is 'a'"),
    (lambda c: c.transfer_function(1j, 1, 1, "force"), "quantity is 'force'"),
    (lambda c: c.audit(-1.0), "dt is -1 s"), (lambda c: c.simulate(1.0, 0.1, ["a"]), "scheme is"),
    (lambda c: c.simulate(1.0, 0.1, every=0), "every is 0"),
    (lambda c: c.simulate(1.0, 0.1, every=1.5), "every is 1.5"),
    (lambda c: TorsionChain(inertia=(1.0,), stiffness=1.0, parents=3), "parents is 3"),
    (lambda c: TorsionChain(inertia=(1.0,), stiffness=1.0, loads=[3.0]), r"loads\[0\] is 3"),
    (lambda c: simulate_many(c, 1.0, 0.1), "give a list of torsion chains"), (lambda c: star(1, 2), "inner is 1"),
])
def test_words_that_are_none(ask, said):
    with pytest.raises(ModelError, match=said):
        ask(torsion_chain(3))


def test_numbers_of_numpy_are_numbers():
    chain = TorsionChain(inertia=range(1, 3), stiffness=np.float32(1.0), damping=np.int64(1), loads={1: np.int64(2)})
    assert chain == TorsionChain(inertia=(1.0, 2.0), stiffness=1.0, damping=1.0, loads={1: 2.0})


def test_frequencies_of_the_lightest_and_stiffest_are_numbers():
    found = TorsionChain(inertia=(1e-100, 1e-100), stiffness=1e100).natural_frequencies()
    assert found == pytest.approx([0.5e100*(5**0.5 - 1.0), 0.5e100*(5**0.5 + 1.0)], rel=1e-11)
