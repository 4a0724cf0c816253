"""Words that are misspelt, missing or of another kind: told in one sentence, where Python's own would name nothing."""

import numpy as np
import pytest

from fastdyn import catalog, transfer
from fastdyn.arms import (
    Body, FlexibleLink, Joint, Link, Origin, Plane, SpatialArm, accelerations, canadarm2, energies, flexible_arm,
    mass_matrix, point, spin_up)
from fastdyn.status import ModelError

PLANE = {"link": 0, "point": (0.0, -1.0, 0.0), "normal": (0.0, 1.0, 0.0), "tangent": (1.0, 0.0, 0.0)}
HERTZ = {"law": "hertz", "numbers": {"stiffness": 1.0}}
TWO, ROW = np.int64(2), np.array([1.0, 2.0])
ARM = flexible_arm(1)
Q = np.zeros(len(ARM.names))
SENTENCES = [
    (lambda: Body(mas=1.0), 'body.mas: unknown field; did you mean "mass"? known are mass, com, inertia'),
    (lambda: Body(), "body.mass is missing; give it a value"),
    (lambda: FlexibleLink(1.0, modes=(0, 1, 0, 0)), "beam.rho_A is missing"),
    (lambda: FlexibleLink(1.0, 1.0, EIz=1.0, lenght=1.0), 'beam.lenght: unknown field; did you mean "length"?'),
    (lambda: FlexibleLink(1.0, 1.0, EIz=1.0, rotation=ROW), "beam.rotation is array([1., 2.])"),
    (lambda: FlexibleLink(1.0, 1.0, EIz=1.0, modes=(0, 10**9, 0, 0)), "beam.modes[1] is 1000000000; give a whole"),
    (lambda: Joint(stifness=1.0), 'joint.stifness: unknown field; did you mean "stiffness"?'),
    (lambda: Link(beem=None), 'link.beem: unknown field; did you mean "beam"?'),
    (lambda: Plane(**PLANE, **HERTZ, frictions="none"), "plane.frictions: unknown field; did you mean"),
    (lambda: Plane(**PLANE, law=[1], numbers={}), 'plane.law: "[1]" is not known; choose from hertz'),
    (lambda: Plane(**PLANE, law="hertz", numbers={"stiffness": True}), "plane.numbers.stiffness is True"),
    (lambda: Plane(**PLANE, law="hertz", numbers={"laws": 1.0}), 'plane.law: "hertz" has no laws'),
    (lambda: Plane(**PLANE, law="hertz", numbers={1: 1.0}), "plane.numbers is {1: 1.0}; give a dict"),
    (lambda: Origin(nam="x"), 'origin.nam: unknown field; did you mean "name"?'),
    (lambda: SpatialArm(), "links is missing"),
    (lambda: SpatialArm((Link(),), provenance=True), "provenance is True; give a row of Origin"),
    (lambda: SpatialArm((Link(),), name=3), "name is 3; give a name"),
    (lambda: ARM.replace(gravty=(0.0, 0.0, 0.0)), 'gravty: unknown field; did you mean "gravity"?'),
    (lambda: ARM.with_beams(lenght=2.0), 'beam.lenght: unknown field; did you mean "length"?'),
    (lambda: ARM.simulate(1.0, rtoll=1e-6), 'rtoll: no such setting; did you mean "rtol"?'),
    (lambda: ARM.simulate(1.0, method=["rkf45"]), "method is ['rkf45']"),
    (lambda: ARM.simulate(1.0, samples=True), "samples is True; give a whole number of times"),
    (lambda: canadarm2(["R2"]), "set is ['R2']"),
    (lambda: canadarm2(friction=ROW), "friction is array([1., 2.]); known are"),
    (lambda: canadarm2(bending_mode=3), 'canadarm2 has no "bending_mode"; did you mean "bending_modes"?'),
    (lambda: canadarm2(bending_modes=True), "bending_modes is True; give a whole number of modes"),
    (lambda: canadarm2(mass1=True), "mass1 is True; give a number in kg"),
    (lambda: canadarm2(length1=0.0), "length1 is 0 m; give length1 > 0"),
    (lambda: canadarm2(EI1=10**400), "EI1 is inf; give a finite number"),
    (lambda: canadarm2(foreshortening=1), "foreshortening is 1; give True or False"),
    (lambda: canadarm2(rotation="linaer"), 'rotation is \'linaer\'; did you mean "linear"? known are'),
    (lambda: spin_up(sped=2.0), 'spin_up: sped cannot be set; did you mean "speed"? known are beam'),
    (lambda: spin_up(["kane"]), "beam is ['kane']"),
    (lambda: spin_up(modes=2.5), "modes is 2.5; give a whole number of modes"),
    (lambda: flexible_arm(link=2), 'flexible_arm: link cannot be set; did you mean "links"?'),
    (lambda: flexible_arm(None), "links is None; give a whole number of links"),
    (lambda: flexible_arm(True), "links is True; give a whole number of links"),
    (lambda: accelerations(ARM, Q, Q, formulation=["lagrange"]), "formulation is ['lagrange']"),
    (lambda: accelerations(ARM, Q, Q, t="now"), "t holds"),
    (lambda: energies(ARM, Q, Q, t=(1.0, 2.0)), "t has shape (2,)"),
    (lambda: mass_matrix(3, Q), "arm is a int; give a SpatialArm"),
    (lambda: point(ARM, Q, Q, link="last"), "link is 'last'; there are links 0 to 0"),
    (lambda: point(ARM, Q, Q, link=1), "link is 1; there are links 0 to 0"),
    (lambda: catalog.falling_chain(m=None), "m is None; give a whole number of modes"),
    (lambda: catalog.falling_chain(friction_law=["none"]), "law is ['none']; give the name"),
    (lambda: catalog.falling_chain(clamp=ROW), "clamp is array([1., 2.]); give true or false"),
    (lambda: catalog.rrr_rose(method="lvs", ks=True), "ks is True; give a number in N/m"),
    (lambda: catalog.slider_crank(published=ROW), "published is array([1., 2.]); give True or False"),
    (lambda: transfer.torsion_chain(stifness=1.0), 'torsion_chain: stifness cannot be set; did you mean "stiffness"?'),
    (lambda: transfer.torsion_chain(load=[1]), "load is (1); give a link in 1..10"),
    (lambda: transfer.cantilever(lenght=1.0), 'cantilever: lenght cannot be set; did you mean "length"?'),
]


@pytest.mark.parametrize("make, sentence", SENTENCES, ids=[s for _, s in SENTENCES])
def test_one_sentence(make, sentence):
    with pytest.raises(ModelError) as refused:
        make()
    assert str(refused.value).startswith(sentence) and "\n" not in str(refused.value)


def test_whole_numbers_of_numpy_are_whole_numbers():
    assert canadarm2(bending_modes=TWO) == canadarm2(bending_modes=2)
    assert spin_up(modes=TWO, axial=np.int32(1)) == spin_up(modes=2, axial=1)
    assert flexible_arm(np.uint8(2)) == flexible_arm(2)
    assert len(ARM.simulate(1e-6, samples=TWO).t) == 2
    assert catalog.falling_chain(n=TWO, m=TWO) == catalog.falling_chain(n=2, m=2)
    assert catalog.n_four_bar(TWO) == catalog.n_four_bar(2)
    assert transfer.cantilever(TWO, payload=np.int64(1)) == transfer.cantilever(2, payload=1.0)
    assert transfer.torsion_chain(TWO, load=TWO) == transfer.torsion_chain(2, load=2)
