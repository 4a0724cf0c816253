"""Shapes of flexible links: many of them, with shear, against the theory of beams and against elastic chains."""

import numpy as np
import pytest
import scipy.linalg

import fastdyn as fd
from arms.test_recursive import both, state
from fastdyn.arms import FlexibleLink, Joint, Link, SpatialArm, system
from fastdyn.arms.compile import compiled
from fastdyn.arms.layout import work_for
from fastdyn.arms.shapes import bending, root, shortening, stiffness
from fastdyn.beams import Beam
from fastdyn.beams import modes as modes_of
from fastdyn.status import ModelError

WORDS = {"length": 1.0, "rho_A": 1.0, "EA": 1e5, "EIy": 10.0, "EIz": 12.0, "GJ": 5.0}
THICK = {**WORDS, "rho_Iy": 2e-3, "rho_Iz": 1e-3, "shear": (2e3, 1e3)}


def clamped(beam):
    """An arm whose base stands still: a joint that is brought to no speed."""
    return SpatialArm((Link(Joint(spin=(0.0, 1.0)), beam),))


def frequencies(beam):
    """rad/s, ascending, of the matrices of recursive Lagrange."""
    model = compiled(clamped(beam))
    n, work = sum(beam.modes), work_for(model)
    system.set_equations(model, work, 0.0, np.zeros(n), np.zeros(n), np.zeros(0))
    return np.sqrt(scipy.linalg.eigh(model.stiffness[:n*n].reshape(n, n), work.mass, eigvals_only=True))


def test_stiffness_and_shortening_of_many_modes():
    beam = FlexibleLink(**WORDS, modes=(0, 30, 0, 0))
    exact = 12.0*np.array([root(j) for j in range(1, 31)])**4/4.0
    assert np.abs(np.diag(stiffness(beam))/exact - 1.0).max() < 1e-11
    x, w = np.polynomial.legendre.leggauss(400)
    slope = bending(30, 1.0, 0.5*(x + 1.0))[1]
    assert shortening(beam, 1.0)[-1, -1] == pytest.approx(0.5*w @ slope**2, rel=1e-11)


def test_two_roads_agree_with_twenty_four_modes():
    arm, rng = SpatialArm((Link(Joint(), FlexibleLink(**WORDS, modes=(0, 24, 0, 0))),)), np.random.default_rng(1)
    q, v = state(arm, rng, 1e-3)
    q[1:], v[1:] = q[1:]/np.arange(1, 25)**2, v[1:]/np.arange(1, 25)
    lagrange, found, _ = both(arm, q, v)
    assert np.abs(found - lagrange).max() < 1e-9*np.abs(lagrange).max()


def test_frequencies_of_a_clamped_arm_are_those_of_a_thin_beam():
    beam = FlexibleLink(**WORDS, modes=(2, 5, 4, 2), rho_Iy=1e-30, rho_Iz=1e-9)
    exact = [np.sqrt(EI)*root(j)**2 for EI, count in ((12.0, 5), (10.0, 4)) for j in range(1, count + 1)]
    exact += [(j - 0.5)*np.pi*c for c in (np.sqrt(1e5), np.sqrt(5.0/1e-9)) for j in (1, 2)]
    assert np.abs(frequencies(beam)/np.sort(exact) - 1.0).max() < 1e-6


def test_frequencies_of_a_clamped_arm_with_shear():
    """Both planes have shapes of their own; the spectrum of fastdyn.beams, to rounding: modes stay apart."""
    beam = FlexibleLink(**THICK, modes=(0, 4, 4, 0))
    exact = []
    for EI, rho_I, kGA in ((12.0, 2e-3, 2e3), (10.0, 1e-3, 1e3)):
        section = Beam(length=1.0, E=EI, A=1.0/rho_I, I=1.0, k=1.0, G=kGA*rho_I, mu=1.0)
        exact += [m.omega for m in modes_of(section, "cf", 4)]
    found = frequencies(beam)
    assert np.abs(found/np.sort(exact) - 1.0).max() < 1e-10
    assert found[-1] < 0.8*max(np.sqrt([12.0, 10.0])*root(4)**2)


def test_little_shear_is_none():
    thin = FlexibleLink(**WORDS, rho_Iy=1e-9, rho_Iz=1e-9, modes=(1, 3, 2, 1))
    stiff = FlexibleLink(**WORDS, rho_Iy=1e-9, rho_Iz=1e-9, modes=(1, 3, 2, 1), shear=1e10)
    rng = np.random.default_rng(2)
    two = [SpatialArm((Link(Joint(), beam), Link(Joint(), beam)), (0.0, -9.81, 0.0)) for beam in (thin, stiff)]
    q, v = state(two[0], rng)
    a, b = (both(arm, q, v)[1] for arm in two)
    assert np.abs(a - b).max() < 1e-5*np.abs(a).max()


@pytest.mark.parametrize("words", [{"foreshortening": True}, {"foreshortening": False}, {"rotation": "exp"}])
def test_two_roads_with_shear(words):
    unlike, alike = FlexibleLink(**THICK, modes=(1, 3, 2, 1), **words), FlexibleLink(
        **{**THICK, "EIy": 12.0, "rho_Iz": 2e-3, "shear": 2e3}, modes=(0, 2, 3, 0), **words)
    arm = SpatialArm((Link(Joint(), unlike), Link(Joint(((1.0, 0.0, 0.0), (0.0, 0.0, -1.0), (0.0, 1.0, 0.0))), alike)),
                     (1.0, -9.0, 2.0))
    lagrange, found, _ = both(arm, *state(arm, np.random.default_rng(3)))
    assert np.abs(found - lagrange).max() < 1e-11*np.abs(lagrange).max()


@pytest.mark.parametrize("shear", [None, 4e3])
def test_an_arm_in_a_plane_is_an_elastic_chain(shear):
    """Same shapes, no shortening; sections of the chain turn as the arm's do by the exponential."""
    L, mu, EI, J, m = 1.3, 2.0, 30.0, 0.01, 2
    beam = Beam(length=L, E=EI, A=mu/J, I=1.0, k=1.0, G=None if shear is None else shear*J/mu, mu=mu, J33=J)
    theory = "euler-bernoulli" if shear is None else "timoshenko"
    elastic = fd.Elastic(beam=beam, ends="cf", modes=m, theory=theory, spin="section")
    chain = fd.Chain([fd.Link(length=L, joint=fd.Revolute(), elastic=elastic) for _ in range(2)],
                     gravity=(0.0, -9.81, 0.0), space="plane")
    ours = FlexibleLink(L, mu, 0.0, EI, EI, 1.0, J, J, (0, m, 0, 0), False, "exp", shear=shear)
    arm = SpatialArm((Link(Joint(), ours), Link(Joint(), ours)), (0.0, -9.81, 0.0))
    tips = np.array([shape.W(L) for shape in modes_of(beam, "cf", m, theory)])
    scale = np.array([1.0, *tips, 1.0, *tips])              # unit tip values there, unit summits in the chain
    rng = np.random.default_rng(4)
    q, v = rng.uniform(-1.0, 1.0, (2, 2*(m + 1)))*np.tile([1.0] + [0.05]*m, 2)
    expected = fd.forward_dynamics(chain, q/scale, v/scale, np.zeros(len(q)))*scale
    for found in both(arm, q, v)[:2]:
        assert np.abs(found - expected).max() < 1e-9*np.abs(expected).max()


def test_words_of_beams_with_shear():
    with pytest.raises(ModelError, match="rho_Iy is 0"):
        FlexibleLink(**{**WORDS, "shear": 1e3}, modes=(0, 1, 0, 0))
    with pytest.raises(ModelError, match="shear"):
        FlexibleLink(**{**THICK, "shear": -1.0})
