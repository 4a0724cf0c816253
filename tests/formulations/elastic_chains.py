"""Random chains and trees of elastic and rigid links for hypothesis, and one kernel for all of them."""

from contextlib import contextmanager
from functools import cache

import numpy as np
import pytest
from formulations.common import JOINTS_IN_PLANE
from hypothesis import strategies as st
from strategies import PLANAR, between, bodies, directions, rotations

from fastdyn import Beam, Chain, Elastic, Fixed, FreePlanar, Link, Polynomial, Prismatic, Revolute, Samples
from fastdyn.formulations import recursive
from fastdyn.layout import PLANE_BEAM

MOST_MODES = 4
ENDS = [a + b for a in "sc" for b in "scfg"]
SIDES = (0.0, 0.1, 0.2, 0.35, 0.6, 0.8, 1.0)
OWN = [
    Polynomial(W=(0, 0, 3, -1), ends="cf"),
    Polynomial(W=(0, 1, 0, -2, 1), Theta=(1.1, 0, -3, 2.2), ends="ss"),
    Polynomial(W=(0, 0, 0, 0, 1), Theta=(0, 0, 0, 4), ends="cf"),
    Polynomial(W=(0, 2, -1, 0, 0.3), ends="sf"),
]
ALL_STEPS = (*JOINTS_IN_PLANE, *(PLANE_BEAM + m for m in range(1, MOST_MODES + 1)))


@contextmanager
def all_beams_in_one_kernel():
    """Every chain in the plane asks the kernel for all joints and for beams of up to MOST_MODES modes."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(recursive, "variant", lambda model: recursive.Variant(True, ALL_STEPS, False))
        yield


@pytest.fixture(scope="module")
def one_ladder_of_beams():
    """One kernel to compile a question, whatever chance comes up with; the bits are the same (test_elastic_lanes)."""
    with all_beams_in_one_kernel():
        yield


def beam_changed(beam, **changes):
    return Beam(**{name: getattr(beam, name) for name in beam.__struct_fields__} | changes)


def elastic_changed(elastic, **changes):
    return Elastic(**{name: getattr(elastic, name) for name in elastic.__struct_fields__} | changes)


@cache
def sampled(length):
    """A bump with a bent foot, by samples"""
    return Samples(eta=[length*x for x in SIDES], W=[x*x*(1.5 - x) for x in SIDES], ends="cf")


@st.composite
def beams(draw):
    """From rubber to steel: where the beam is soft, its inertia counts; where it is hard, its stiffness does."""
    length = draw(between(0.3, 1.2))
    return Beam.rectangle(
        length=length, width=0.03, height=length*draw(between(0.01, 0.08)), E=10.0**draw(between(4.0, 11.0)), nu=0.3,
        rho=draw(between(500.0, 8000.0)), J33=draw(st.none() | between(0.0, 0.01)), K_v=draw(between(0.0, 500.0)),
        gamma=draw(between(0.0, 0.5)))


@st.composite
def elastics(draw, least=0):
    beam, words = draw(beams()), {}
    words["carried"], words["spin"] = draw(st.sampled_from(("section", "axis"))), draw(
        st.sampled_from(("frame", "section")))
    if draw(st.integers(0, 4)) == 0:
        shapes = draw(st.lists(st.sampled_from([*OWN, sampled(beam.length)]), min_size=1, max_size=2, unique_by=id))
        return Elastic(beam=beam, shapes=shapes, **words)
    theory = draw(st.sampled_from(("timoshenko", "euler-bernoulli")))
    return Elastic(beam=beam, ends=draw(st.sampled_from(ENDS)), modes=draw(st.integers(least, MOST_MODES)),
                   theory=theory, **words)


@st.composite
def elastic_chains(draw, most=5, least=0, free_base=None, kinds=PLANAR, links_of=elastics):
    """Links that bend and links that do not, at tips and elsewhere, turned, on joints of some kinds of the plane.

    least: number of modes of a beam; links_of: strategy of Elastic for it.
    """
    links, bends = [], []
    for i in range(draw(st.integers(1, most))):
        kind = draw(st.sampled_from(kinds if i else kinds[:2]))
        floats = draw(st.booleans()) if free_base is None else free_base
        slide = Prismatic(axis=draw(directions(planar=True)))
        joint = {"revolute": Revolute(), "prismatic": slide, "fixed": Fixed()}[kind]
        joint = FreePlanar() if i == 0 and floats else joint
        words = {"joint": joint, "turn": draw(rotations(planar=True))}
        parent = draw(st.integers(max(0, i - 2), i - 1)) if i else None
        words["parent"] = f"link{parent + 1}" if i else "base"
        if i and not bends[parent]:
            words["at"] = draw(st.none() | st.tuples(between(-0.8, 0.8), between(-0.8, 0.8), st.just(0.0)))
        elif i and draw(st.integers(0, 4)) == 0:
            words["at"] = (0.0, 0.0, 0.0)                       # a second link at the root of a beam
        if draw(st.integers(0, 3)):
            words["elastic"] = draw(links_of(least))
            words["body"] = draw(st.none() | bodies(words["elastic"].beam.length, planar=True))
        else:
            words["length"] = draw(between(0.3, 1.0))
            words["body"] = draw(bodies(words["length"], planar=True))
        bends.append("elastic" in words)
        links.append(Link(**words))
    gravity = draw(st.tuples(between(-10.0, 10.0), between(-10.0, 10.0), st.just(0.0)))
    return Chain(links, gravity=gravity)


@st.composite
def bent_states(draw, chain, speed=4.0):
    """(q, v): angles up to 3 rad, slides up to 0.5 m, modes up to a tenth of the length, all of it moving."""
    q, v = [], []
    for link in chain.links:
        reach = 0.5 if isinstance(link.joint, Prismatic) else 3.0
        q += [draw(between(-reach, reach)) for _ in range(link.joint.nq)]
        q += [0.1*link.length*draw(between(-1.0, 1.0)) for _ in range(link.modes)]
        v += [draw(between(-speed, speed)) for _ in range(link.nv)]
    return np.array(q, dtype=float), np.array(v, dtype=float)


@st.composite
def bent_chains_in_motion(draw, **words):
    """(chain, q, v, torque)"""
    chain = draw(elastic_chains(**words))
    q, v = draw(bent_states(chain))
    torque = draw(st.lists(between(-5.0, 5.0), min_size=chain.nv, max_size=chain.nv))
    return chain, q, v, np.array(torque, dtype=float)
