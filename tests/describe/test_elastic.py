"""Elastic links as words: counted, integrated, written and read bit for bit, refused with the link and the field."""

import pickle

import numpy as np
import pytest
from describe.elastic_words import BEND, CANTILEVERS, ENDS, elastic_chains, elastics, refusal, sampled
from formulations.described import joined
from hypothesis import given
from strategies import bodies

from beams.common import STEEL, TABLE_STEEL
from fastdyn import (
    Body, Chain, Elastic, Fixed, Free, FreePlanar, Link, Load, Polynomial, Prismatic, Revolute, Samples, Spherical)
from fastdyn.beams import PolynomialMode, mode
from fastdyn.describe.body import together
from fastdyn.describe.files import parse

STRAIGHT = Polynomial(W=(0, 1), ends="sf")


@given(elastic_chains())
def test_elastic_chains_come_back_bit_for_bit(chain):
    again = parse(chain.to_toml())
    assert again == chain and repr(again) == repr(chain)
    assert repr(pickle.loads(pickle.dumps(chain))) == repr(chain)
    assert again.contact_points == chain.contact_points and again.contact_pairs == chain.contact_pairs


@given(elastic_chains())
def test_modes_stand_right_behind_their_joint(chain):
    q, v = chain.zero_state()
    assert (len(q), len(v)) == (chain.nq, chain.nv) == (len(chain.coordinate_names), len(chain.velocity_names))
    at_q = at_v = 0
    for link in chain.links:
        m = 0 if link.elastic is None else len(link.elastic.mode_shapes)
        assert link.modes == m and (link.nq, link.nv) == (link.joint.nq + m, link.joint.nv + m)
        assert chain.q_slice(link.name) == slice(at_q, at_q + link.joint.nq + m)
        assert chain.v_slice(link.name) == slice(at_v, at_v + link.joint.nv + m)
        modes = tuple(f"{link.name}.mode{k + 1}" for k in range(m))
        at_q, at_v = at_q + link.nq, at_v + link.nv
        assert chain.coordinate_names[at_q - m:at_q] == chain.velocity_names[at_v - m:at_v] == modes
        assert tuple(q[chain.q_slice(link.name)]) == link.joint.q_zero + (0.0,)*m
    assert (at_q, at_v) == (chain.nq, chain.nv) and not v.any()


def test_a_file_says_the_length_of_a_beam_once():
    assert Chain([Link(elastic=BEND)]).to_toml().count("length") == 1
    assert Chain([Link(length=1)]).to_toml().count("length") == 1


def test_names_of_a_small_chain():
    free = Link(joint=FreePlanar(), elastic=Elastic(beam=STEEL, ends="cf", modes=2))
    chain = Chain([free, Link(), Link(elastic=BEND)])
    assert chain.coordinate_names == ("link1.x", "link1.y", "link1.theta", "link1.mode1", "link1.mode2", "link2",
                                      "link3", "link3.mode1")
    assert chain.velocity_names[2:6] == ("link1.omega", "link1.mode1", "link1.mode2", "link2")
    assert [link.length for link in chain.links] == [1.0, 0.0, 1.0]
    assert chain.joint_positions[1] == (1.0, 0.0, 0.0)


def test_the_published_link_has_the_published_integrals():
    for ends, K, D, a, C in (("ss", 47545.8138569, 0.0125297280, 0.636619772, 0.5),
                             ("cc", 193497.302322, 0.0100362083, 0.523349236, 0.396615784),
                             ("sc", 101826.352699, 0.0110409306, 0.569914122, 0.439092003),
                             ("cs", 101826.352699, 0.0110409306, 0.569914122, 0.439092003)):
        found = Elastic(beam=TABLE_STEEL, ends=ends, theory="printed").integrals
        assert [found.K[0, 0], found.D[0, 0], found.a[0], found.C[0, 0]] == pytest.approx([K, D, a, C], rel=1e-8)
        assert found.J == 2.9473e-5


@given(elastics())
def test_shapes_are_still_at_the_joint_and_independent(elastic):
    for shape in elastic.mode_shapes:
        assert abs(shape.W(0.0)) < 1e-9*np.max(np.abs(shape.W(np.linspace(0.0, elastic.beam.length, 99))))
    for matrix in (elastic.integrals.C, elastic.integrals.K):
        assert np.all(np.linalg.eigvalsh(matrix) > 0.0)


@pytest.mark.parametrize("ends", ENDS)
def test_frequencies_are_those_of_the_modes(ends):
    elastic = Elastic(beam=STEEL, ends=ends, modes=3)
    assert elastic.frequencies == tuple(mode(STEEL, ends, k).omega for k in (1, 2, 3))
    assert elastic.mode_shapes[2].ends == ends


def test_frequencies_of_printed_and_own_shapes_are_rayleighs():
    assert Elastic(beam=STEEL, ends="cc", theory="printed").frequencies == pytest.approx([698.407767360], rel=1e-9)
    own = Elastic(beam=STEEL, shapes=[Polynomial(W=(0, 0, 3, -1), ends="cf")])
    exact = mode(STEEL, "cf", 1).omega
    assert exact < own.frequencies[0] < 1.02*exact


def test_readings_reach_the_integrals():
    section, axis = (Elastic(beam=STEEL, ends="ss", carried=word).integrals.S[0] for word in ("section", "axis"))
    assert section == pytest.approx(-3.140333690109594) and axis == pytest.approx(-np.pi)
    polynomial = Elastic(beam=STEEL, shapes=[CANTILEVERS[1]])
    assert polynomial.integrals.S == pytest.approx([4.0])
    assert PolynomialMode(length=1.0, W=(0, 0, 0, 0, 1), ends="cf").dW(1.0) == 4.0


def test_links_of_one_make_share_their_modes_and_nobody_can_spoil_them():
    one, other = (Elastic(beam=STEEL, ends="cc", modes=2) for _ in range(2))
    assert one.mode_shapes is other.mode_shapes and one.integrals is other.integrals
    with pytest.raises(ValueError, match="read-only"):
        one.integrals.K[0, 0] = 0.0


def test_samples_of_a_polynomial_are_that_polynomial():
    poly = Elastic(beam=STEEL, shapes=[Polynomial(W=(0, 0, 1), ends="cf")]).integrals
    for ours, theirs in zip(Elastic(beam=STEEL, shapes=[sampled(1.0)]).integrals, poly):
        assert ours == pytest.approx(theirs, rel=1e-9)


# -------------------------------------------------------------------------------------------------------------- weights

@given(bodies(), bodies())
def test_two_bodies_together(one, other):
    found, known = together(one, other), joined(one, other)
    assert found.mass == known.mass and found.com == pytest.approx(known.com, abs=1e-14)
    assert np.array(found.inertia) == pytest.approx(np.array(known.inertia), abs=1e-14)
    assert together(one, None) is one and together(None, other) is other and together(None, None) is None


def test_what_an_elastic_link_weighs():
    hub = Body.point(2.0, (0.0, 0.0, 0.0))
    bends, bends_not = (Link(elastic=Elastic(beam=TABLE_STEEL, ends="ss", modes=m), body=hub) for m in (1, 0))
    assert bends.rigid_body == hub and Link(elastic=BEND).rigid_body is None
    assert bends.straight_body == bends_not.straight_body == bends_not.rigid_body
    assert bends.straight_body.mass == 3.0 and bends.straight_body.com == pytest.approx((1/6, 0.0, 0.0))
    beam = Link(elastic=BEND).straight_body
    assert beam.com == (0.5, 0.0, 0.0) and beam.mass == 1.0
    assert beam.inertia[2][2] == pytest.approx(1/12 + 2.9473e-5) and beam.inertia[0][0] == 2.9473e-5
    assert Link(length=1.0, mass=1.0).straight_body == Body.rod(1.0, 1.0) and Link().straight_body is None


# ------------------------------------------------------------------------------------------------------------- refusals

def bend(**words):
    return Elastic(**{"beam": TABLE_STEEL, "ends": "ss"} | words)


def tip(**words):
    return Link(**{"name": "tip", "elastic": BEND} | words)


def own(*shapes, **words):
    return tip(elastic=Elastic(beam=TABLE_STEEL, shapes=shapes, **words))


LEAVES = 'link "tip": elastic links bend in the plane; the chain leaves it: '
SENTENCES = [
    (lambda: bend(beam=3), "elastic.beam is 3; give one of: Beam"),
    (lambda: bend(ends=""), 'elastic.ends is missing; give two letters such as "ss", or shapes of your own'),
    (lambda: bend(ends="sx"), "elastic.ends is 'sx'; give two letters such as"),
    (lambda: bend(ends=3), "elastic.ends is 3; give two letters such as"),
    (lambda: bend(ends="fs"), 'elastic.ends is "fs", whose modes move at the joint'),
    (lambda: bend(ends="gc"), 'elastic.ends is "gc", whose modes move at the joint'),
    (lambda: bend(modes=-1), "elastic.modes is -1; give a whole number of modes, 0 or more"),
    (lambda: bend(modes=1.5), "elastic.modes is 1.5; give a whole number"),
    (lambda: bend(modes=True), "elastic.modes is True; give a whole number"),
    (lambda: bend(theory="plates"), 'elastic.theory is \'plates\'; known are "timoshenko", "euler-bernoulli", "prin'),
    (lambda: bend(theory="printed", ends="cf"), 'elastic.ends of theory "printed" is \'cf\'; known are "ss", "cc"'),
    (lambda: bend(theory="printed", modes=2), 'elastic.modes is 2, but theory "printed" has one mode'),
    (lambda: bend(theory="printed", modes=0), 'elastic.modes is 0, but theory "printed" has one mode'),
    (lambda: bend(carried="tip"), 'elastic.carried is \'tip\'; known are "section", "axis"'),
    (lambda: bend(spin="tip"), 'elastic.spin is \'tip\'; known are "frame", "section"'),
    (lambda: bend(shapes=3), "elastic.shapes is 3; give a list of Polynomial or Samples"),
    (lambda: bend(ends="", shapes=[3]), "elastic.shapes[0] is 3; give one of: Polynomial, Samples"),
    (lambda: bend(shapes=CANTILEVERS), "elastic.ends and elastic.shapes are both given; shapes bring their own ends"),
    (lambda: bend(ends="", theory="printed", shapes=CANTILEVERS), "elastic.theory and elastic.shapes are both given"),
    (lambda: bend(ends="", modes=1, shapes=CANTILEVERS), "elastic.modes is 1 but elastic.shapes has 2; drop modes"),
    (lambda: Polynomial(W=(0, "a"), ends="cf"), "shape.W[1] is 'a'; give a number"),
    (lambda: Polynomial(W=(0, 1), Theta=3, ends="cf"), "shape.Theta is 3; give a row of numbers in 1/m"),
    (lambda: Samples(eta=3, W=(0, 1), ends="cf"), "shape.eta is 3; give a row of numbers in m"),
    (lambda: own(Polynomial(W=(0, 0, 1), ends="xf")), "link \"tip\": elastic.shapes[0]: ends is 'xf'; give"),
    (lambda: own(Polynomial(W=(1, 0, 1), ends="cf")), 'link "tip": elastic.shapes[0]: polynomial mode: W is 1 at eta'),
    (lambda: own(Polynomial(W=(1, 0, 1), ends="ff")), 'link "tip": elastic.shapes[0]: W is 1 at the joint, but the'),
    (lambda: own(Polynomial(W=(), ends="cf")), 'link "tip": elastic.shapes[0]: W or Theta has no coefficients'),
    (lambda: own(CANTILEVERS[0], sampled(0.9)), 'link "tip": elastic.shapes[1] has length 0.9 m, beam.length is 1 m'),
    (lambda: own(Samples(eta=(0, 1), W=(0, 1), ends="cf")), 'link "tip": elastic.shapes[0]: eta has 2 places; give'),
    (lambda: own(CANTILEVERS[0], STRAIGHT), 'link "tip": elastic.shapes[1] is straight: turning is the joint'),
    (lambda: own(Polynomial(W=(0, 0, 1), ends="cf"), sampled(1.0)), 'link "tip": elastic.shapes are not independent'),
    (lambda: own(Polynomial(W=(0, 0, 1), ends="cf"), Polynomial(W=(0, 1, 1), ends="sf")),
     'link "tip": elastic.shapes are not independent'),
    (lambda: tip(elastic=bend(modes=102)), 'link "tip": elastic.modes: mode 102 of "ss" lies above the cut-off'),
    (lambda: Link(elastic=bend(modes=102)), 'elastic.modes: mode 102 of "ss" lies above the cut-off'),
    (lambda: tip(elastic=bend(beam=Elastic)), "elastic.beam is <class"),
    (lambda: tip(elastic=3), 'link "tip": elastic is 3; give one of: Elastic'),
    (lambda: tip(length=2), 'link "tip": length is 2 m but elastic.beam.length is 1 m; leave length out'),
    (lambda: tip(mass=2), 'link "tip": mass and elastic are both given; the beam has its own mass: leave mass out'),
    (lambda: tip(radius=2), 'link "tip": radius and elastic are both given'),
    (lambda: tip(loads=[Load(), Load(at=(0.5, 0, 0))]), 'link "tip": loads[1].at (0.5, 0, 0) m is not at an end'),
    (lambda: tip(points={"g": (1, 0.1, 0)}), 'link "tip": points.g (1, 0.1, 0) m is not at an end of the beam; give'),
    (lambda: Chain([tip(), Link(name="on", at=(0.5, 0, 0))]),
     'link "on": at (0.5, 0, 0) m is not at an end of its parent "tip", which is elastic; leave at out for the tip'),
    (lambda: Chain([tip(), Link(name="ball", joint=Spherical())]),
     LEAVES + 'link "ball": a spherical joint moves in space'),
    (lambda: Chain([tip(joint=Free())]), LEAVES + 'link "tip":'),
    (lambda: Chain([tip()], space="space"), LEAVES + 'space is'),
    (lambda: Chain([tip()], gravity=(0, 0, -1)), LEAVES + 'grav'),
    (lambda: Chain([tip()], gravity=(0, 0, -1), space="plane"), "gravity (0, 0, -1) m/s^2 has a z component"),
    (lambda: Chain([Link(name="down", joint=Revolute(axis=(0, 0, -1))), tip()]),
     'link "tip": elastic links bend in the plane and are seen from above; link "down": joint.axis (0, 0, -1) points'),
]


@pytest.mark.parametrize("make, sentence", SENTENCES, ids=[s for _, s in SENTENCES])
def test_refusals_name_the_link_and_the_field(make, sentence):
    assert refusal(make).startswith(sentence)


def test_a_stiff_beam_without_shear_modulus_takes_the_other_theory():
    beam = STEEL.__class__(length=1, E=1e9, A=1e-4, I=1e-8, mu=1)
    assert refusal(lambda: tip(elastic=bend(beam=beam))).startswith('link "tip": elastic.beam.G is missing but')
    assert tip(elastic=bend(beam=beam, theory="euler-bernoulli")).modes == 1
    assert own(CANTILEVERS[0]).modes == 1


def test_what_hangs_on_a_beam_hangs_on_its_ends():
    links = [tip(), *(Link(at=at, parent="tip") for at in ((1, 0, 0), (0, 0, 0))), Link(parent="tip", joint=Fixed())]
    chain = Chain(links, name="three")
    assert [link.at for link in chain.links] == [None, None, (0.0, 0.0, 0.0), None]
    assert chain.joint_positions[1:] == ((1.0, 0.0, 0.0), (0.0, 0.0, 0.0), (1.0, 0.0, 0.0))
    assert links[1].at == (1.0, 0.0, 0.0)
    ends = tip(loads=[Load(at=(1, 0, 0)), Load()], points={"a": (1, 0, 0), "b": (0, 0, 0)}, length=1.0)
    assert ends.length == 1.0 and Chain([ends, Link(joint=Prismatic())]).planar
