"""Grounds as words: laws coded, points found once each whoever names them, refusals with the ground and the field."""

import cmath
import math

import numpy as np
import pytest
from describe.elastic_words import BEND, BUMP, contacts, elastic_chains, frictions, grounds, refusal
from hypothesis import assume, given
from hypothesis import strategies as st
from strategies import chains

from beams.common import STEEL
from fastdyn import (
    Chain, Contact, Elastic, Fixed, Free, FreePlanar, Friction, Ground, Link, ModelError, Prismatic, Revolute,
    Spherical)
from fastdyn.describe.files import parse
from fastdyn.laws.contact import NORMAL_LAWS
from fastdyn.laws.friction import FRICTION_LAWS

FLOOR = Ground(contact=BUMP)


def names(chain, g=0):
    return [chain.contact_points[point].name for point, ground in chain.contact_pairs if ground == g]


def hit(*points, links=None):
    """A chain of two links of 1 m and a hand, with a ground for those points."""
    links = links or [Link(length=1, mass=1), Link(length=1, mass=1, points={"hand": (0.5, 0.1, 0), "end": (1, 0, 0)})]
    return Chain(links, grounds=[Ground(contact=BUMP, points=points[0] if points == ("joints",) else points)])


# ----------------------------------------------------------------------------------------------------------------- laws

@given(contacts())
def test_contacts_are_coded_as_the_law_lists_its_numbers(contact):
    ground = Ground(contact=contact)
    law = NORMAL_LAWS[contact.law]
    given_ones = [getattr(contact, p.name) for p in law.parameters]
    known = [p.default if x is None else x for x, p in zip(given_ones, law.parameters)]
    assert ground.normal_code == law.code and ground.normal_numbers == tuple(map(float, known))
    assert (ground.friction_code, ground.friction_numbers) == (0, (0.0,)*5)


@given(frictions())
def test_frictions_are_coded_as_the_law_lists_its_numbers(friction):
    ground, law = Ground(contact=BUMP, friction=friction), FRICTION_LAWS[friction.law]
    known = [getattr(friction, p.name) for p in law.parameters]
    assert ground.friction_code == law.code
    assert ground.friction_numbers == (*known, *(0.0,)*(5 - len(known)))


@pytest.mark.parametrize("kind, laws", [(Contact, NORMAL_LAWS), (Friction, FRICTION_LAWS)])
def test_every_number_of_every_law_has_its_word_and_every_law_is_told_of(kind, laws):
    assert {p.name for law in laws.values() for p in law.parameters} == set(kind.__struct_fields__) - {"law"}
    assert all(f'"{name}"' in kind.__doc__ for name in laws)


@given(st.lists(grounds(), max_size=3))
def test_grounds_come_back_bit_for_bit(given_ones):
    chain = Chain([Link(joint=FreePlanar(), length=1, mass=1)], grounds=given_ones)
    again = parse(chain.to_toml())
    assert again == chain and repr(again) == repr(chain)


# --------------------------------------------------------------------------------------------------------------- points

def test_a_free_chain_of_beams_may_hit_with_every_pin_and_both_tips():
    chain = Chain([Link(joint=FreePlanar(), elastic=BEND), Link(elastic=BEND), Link(elastic=BEND)], grounds=[FLOOR])
    assert chain.contact_points == (
        (0, "link1", (0.0, 0.0, 0.0), False), (1, "link2", (0.0, 0.0, 0.0), False),
        (2, "link3", (0.0, 0.0, 0.0), False), (2, "link3.tip", (1.0, 0.0, 0.0), True))
    assert chain.contact_pairs == ((0, 0), (1, 0), (2, 0), (3, 0))
    assert Chain([Link()]).contact_points == Chain([Link()]).contact_pairs == ()


@pytest.mark.parametrize("joint, first", [
    (Revolute(), []), (Fixed(), []), (Spherical(), []), (Prismatic(), ["link1"]), (Free(), ["link1"]),
    (FreePlanar(), ["link1"])])
def test_a_joint_that_the_base_holds_does_not_count(joint, first):
    assert names(hit("joints", links=[Link(joint=joint, length=1), Link(length=1)])) == [
        *first, *([] if isinstance(joint, Fixed) else ["link2"]), "link2.tip"]


def test_a_place_counts_once():
    links = [Link(joint=FreePlanar(), length=1), Link(length=1), Link(length=1, parent="link1"), Link(at=(0, 0, 0)),
             Link(at=(0.5, 0, 0), parent="link1", joint=Fixed()), Link(parent="link5")]
    assert names(hit("joints", links=links)) == ["link1", "link2", "link2.tip", "link3.tip", "link5"]
    sliding = [Link(joint=FreePlanar(), length=1), Link(joint=Prismatic(), length=1)]
    assert names(hit("joints", links=sliding)) == ["link1", "link1.tip", "link2", "link2.tip"]


def test_a_beam_between_walls_can_move_by_its_modes_alone():
    cantilever = Link(joint=Fixed(), elastic=Elastic(beam=STEEL, ends="cf"))
    assert names(hit("joints", links=[cantilever])) == ["link1.tip"]
    held = [cantilever, Link(joint=Fixed(), length=1)]
    assert names(hit("joints", links=held)) == ["link2", "link2.tip"]


def test_points_by_name():
    chain = hit("link2.hand", "link2", "link1.tip", "link2.end", "link2.tip")
    assert chain.contact_points == (
        (1, "link2.hand", (0.5, 0.1, 0.0), False), (1, "link2", (0.0, 0.0, 0.0), False),
        (1, "link2.end", (1.0, 0.0, 0.0), True))
    odd = [Link(name="a.b", joint=FreePlanar(), length=1), Link(name="a", points={"c.d": (1, 2, 0)})]
    assert names(hit("a.b", "a.c.d", links=odd)) == ["a.b", "a.c.d"]
    beam = Link(joint=FreePlanar(), elastic=BEND, points={"end": (1, 0, 0), "root": (0, 0, 0)})
    assert [p[2:] for p in hit("link1.end", "link1.root", links=[beam]).contact_points] == [
        ((1.0, 0.0, 0.0), True), ((0.0, 0.0, 0.0), False)]
    shadowed = Link(joint=FreePlanar(), length=1, points={"tip": (2, 0, 0)})
    assert hit("link1.tip", links=[shadowed]).contact_points[0].position == (2.0, 0.0, 0.0)


def test_two_grounds_share_their_points():
    wall = Ground(normal=(1, 0, 0), contact=BUMP, points=["link2.tip", "link2.hand", "link1.tip"])
    chain = hit("joints").replace(grounds=[FLOOR, wall])
    assert [p.name for p in chain.contact_points] == ["link2", "link2.tip", "link2.hand"]
    assert chain.contact_pairs == ((0, 0), (1, 0), (1, 1), (2, 1), (0, 1))


def walked(chain, q):
    """Where joints and tips are in the plane, as complex numbers: {(link, "joint" or "tip"): place}."""
    frame, found = {"base": (0j, 0.0)}, {}
    for i, (link, at) in enumerate(zip(chain.links, chain.joint_positions)):
        (origin, angle), joint = frame[link.parent], q[chain.q_slice(link.name)]
        parent = None if link.parent == "base" else chain.links[chain.index(link.parent)]
        if parent is not None and parent.elastic is not None:
            origin, angle = frame[link.parent, "tip"] if any(at) else (origin, angle)
        else:
            origin += cmath.exp(1j*angle)*complex(*at[:2])
        angle += 2*math.atan2(link.turn[3], link.turn[0])
        if isinstance(link.joint, Prismatic):
            origin += cmath.exp(1j*angle)*complex(*link.joint.axis[:2])*joint[0]
        elif isinstance(link.joint, Revolute):
            angle += joint[0]*link.joint.axis[2]
        elif isinstance(link.joint, FreePlanar):
            origin, angle = origin + cmath.exp(1j*angle)*complex(joint[0], joint[1]), angle + joint[2]
        modes = joint[link.joint.nq:]
        shapes = link.elastic.integrals if link.modes else None
        w, s = (modes @ shapes.W_l, modes @ shapes.S) if link.modes else (0.0, 0.0)
        frame[link.name] = origin, angle
        frame[link.name, "tip"] = origin + cmath.exp(1j*angle)*complex(link.length, w), angle + s
        found[i, "joint"], found[i, "tip"] = origin, frame[link.name, "tip"][0]
    return found


@given(elastic_chains() | chains(planar=True, max_links=5), st.integers(0, 1000))
def test_all_joints_and_free_tips_that_move_count_and_nothing_else(chain, seed):
    before, after = (walked(chain, q) for q in np.random.default_rng(seed).uniform(-1.0, 1.0, (2, chain.nq)))
    seen = {key: np.array([before[key], after[key]]) for key in before}
    moves = {key: abs(a - b) > 1e-9 for key, (a, b) in seen.items()}
    assume(any(moves.values()))
    parents = {link.parent for link in chain.links}
    points = chain.replace(grounds=[FLOOR]).contact_points
    places = [(p.link, "tip" if any(p.position) else "joint") for p in points]
    assert all(moves[place] for place in places)
    for (i, what), place in seen.items():
        if moves[i, what] and (what == "joint" or chain.links[i].name not in parents):
            assert sum(np.allclose(place, seen[point], rtol=0.0, atol=1e-9) for point in places) == 1


# ---------------------------------------------------------------------------------------------------------- start state

def test_runs_start_where_the_chain_says():
    chain = Chain([Link(joint=Free()), Link(elastic=None)])
    q, v = chain.start_state()
    assert q.tolist() == [0, 0, 0, 1, 0, 0, 0, 0] and not v.any()
    started = chain.replace(start_q=[1, 2, 3, 0, 1, 0, 0, 0.5], start_v=np.arange(7))
    q, v = started.start_state()
    assert q.tolist() == [1, 2, 3, 0, 1, 0, 0, 0.5] and v.tolist() == list(range(7))
    q[0] = v[0] = 9.0
    assert started.start_q[0] == 1.0 and started.start_v[0] == 0.0
    assert chain.replace(start_v=[1]*7).start_state()[0].tolist() == chain.zero_state()[0].tolist()
    near = chain.replace(start_q=[0, 0, 0, 1 + 1e-10, 0, 0, 0, 0])
    assert near.start_q[3] == 1.0


# ------------------------------------------------------------------------------------------------------------- refusals

def bump(**words):
    return Contact(**{"law": "hu-guo", "stiffness": 1e8, "restitution": 0.8} | words)


BALL = [Link(joint=Spherical(), length=1)]
SENTENCES = [
    (lambda: bump(law="hugo"), 'contact: "hugo" is not known; choose from hertz, hunt-crossley'),
    (lambda: bump(law=3), "contact.law is 3; give the name of a law"),
    (lambda: bump(law=["hertz"]), "contact.law is ['hertz']; give the name of a law"),
    (lambda: bump(stiffness=None), 'contact: stiffness of "hu-guo" is missing: K, force over depth^exponent'),
    (lambda: bump(stiffness=0), 'contact: stiffness of "hu-guo" must be above 0 N/m^exponent, got 0'),
    (lambda: bump(stiffness="1e8"), "contact.stiffness is '1e8'; give a number"),
    (lambda: bump(stiffness=math.inf), "contact.stiffness is inf; give a finite number"),
    (lambda: bump(restitution=0), 'contact: restitution of "hu-guo" must be above 0 and at most 1, got 0'),
    (lambda: bump(restitution=1.1), 'contact: restitution of "hu-guo" must be above 0 and at most 1, got 1.1'),
    (lambda: bump(restitution=None), 'contact: restitution of "hu-guo" is missing'),
    (lambda: bump(exponent=-1), 'contact: exponent of "hu-guo" must be above 0, got -1'),
    (lambda: bump(slowest=0), 'contact: slowest of "hu-guo" must be above 0 m/s, got 0'),
    (lambda: bump(clamp=2), "contact.clamp is 2; give true or false"),
    (lambda: bump(clamp="yes"), "contact.clamp is 'yes'; give true or false"),
    (lambda: Friction(law="glue"), 'friction: "glue" is not known; choose from none, ambrosio'),
    (lambda: Friction(law="coulomb"), 'friction: mu of "coulomb" is missing: coefficient of sliding friction'),
    (lambda: bump(restitution=1e-300), 'contact: restitution of "hu-guo" must be at least 1.5e-09, got 1e-300'),
    (lambda: Friction(law="stiction", mu=0.4, mu_static=0.2),
     'friction: mu_static of "stiction" is 0.2, below mu, 0.4'),
    (lambda: Friction(law="coulomb", mu=-0.1), 'friction: mu of "coulomb" must be at least 0, got -0.1'),
    (lambda: Friction(law="coulomb", mu=0.1, v0=1), 'friction: "coulomb" has no v0; it takes mu'),
    (lambda: Friction(mu=0.1), 'friction: "none" has no mu; it takes no numbers'),
    (lambda: Friction(law="ambrosio", mu=0.1, v0=2, v1=1), 'friction: "ambrosio" needs v0 below v1, got 2 and 1'),
    (lambda: Friction(law="coulomb", mu=math.nan), "friction.mu is nan; give a finite number"),
    (lambda: Ground(contact=3), "ground.contact is 3; give one of: Contact"),
    (lambda: Ground(contact=BUMP, friction=0.1), "ground.friction is 0.1; give one of: Friction"),
    (lambda: Ground(contact=BUMP, normal=(0, 0, 0)), "ground.normal is (0, 0, 0); give a vector that is not zero"),
    (lambda: Ground(contact=BUMP, normal=(0, math.nan, 0)), "ground.normal[1] is nan; give a finite number"),
    (lambda: Ground(contact=BUMP, point=(0, 2)), "ground.point is (0, 2); give 3 numbers in m"),
    (lambda: Ground(contact=BUMP, points="link1"), "ground.points is 'link1'; give \"joints\", or names such as"),
    (lambda: Ground(contact=BUMP, points=[]), 'ground.points is (); give "joints", or names such as'),
    (lambda: Ground(contact=BUMP, points=[3]), 'ground.points is (3); give "joints", or names such as'),
    (lambda: Chain([Link()], grounds=FLOOR), "grounds is Ground("),
    (lambda: Chain([Link()], grounds=[3]), "ground[0] is 3; give one of: Ground"),
    (lambda: hit("link3"), 'ground[0].points: "link3" is no point of this chain; name a link ("link1", "link2"), its'),
    (lambda: hit("link2.foot"), 'ground[0].points: link "link2" has no point "foot"; known are "link2", "link2.tip", '),
    (lambda: hit("link1"), 'ground[0].points: "link1" cannot move and so hits nothing; leave it out'),
    (lambda: hit("link1.tip", links=[Link(joint=Fixed(), length=1)]), 'ground[0].points: "link1.tip" cannot move and'),
    (lambda: hit("joints", links=[Link()]), 'ground[0].points is "joints", but no joint or tip of this chain can move'),
    (lambda: hit("joints").replace(grounds=[FLOOR, Ground(contact=BUMP, points=["x"])]), 'ground[1].points: "x" is no'),
    (lambda: Chain([Link(length=1)], grounds=[Ground(contact=BUMP, normal=(0, 0, 1))], space="plane"),
     'ground[0].normal (0, 0, 1) has a z component, but space is "plane"'),
    (lambda: Chain([Link(name="b", elastic=BEND)], grounds=[Ground(contact=BUMP, normal=(0, 0, 1))]),
     'link "b": elastic links bend in the plane; the chain leaves it: ground[0].normal (0, 0, 1) has a z component'),
    (lambda: Chain([Link()], start_q=[1, 2]), "start_q is (1, 2); give 1 numbers"),
    (lambda: Chain([Link()], start_q=1), "start_q is 1; give 1 numbers"),
    (lambda: Chain([Link()], start_v=[math.nan]), "start_v[0] is nan; give a finite number"),
    (lambda: Chain(BALL, start_q=[0, 0, 0, 0]), 'start_q of link "link1" (0, 0, 0, 0) has length 0, not 1'),
    (lambda: Chain([Link(elastic=BEND)], start_v=[0]), "start_v is (0); give 2 numbers"),
]


@pytest.mark.parametrize("normal", [(0, 2, 0), (0.3, -0.1, 0.2), (3e200, 4e200, 0), (3e-200, 0, 4e-200), (1, 1, 1)])
def test_a_normal_of_any_length_is_a_direction(normal):
    """Kept with length one, and left alone from then on: what files keep is equal in every bit."""
    kept = Ground(contact=BUMP, normal=normal).normal
    scaled = np.array(normal)/np.max(np.abs(normal))
    assert np.allclose(kept, scaled/np.linalg.norm(scaled), rtol=0, atol=2e-16)
    assert abs(math.hypot(*kept) - 1.0) <= 3*np.finfo(float).eps and Ground(contact=BUMP, normal=kept).normal == kept


@pytest.mark.parametrize("make, sentence", SENTENCES, ids=[s for _, s in SENTENCES])
def test_refusals_name_the_ground_and_the_field(make, sentence):
    assert refusal(make).startswith(sentence)


def test_a_ground_may_tilt_a_chain_into_space():
    up = Ground(contact=BUMP, normal=(0, 0, 1))
    assert not Chain([Link(length=1)], grounds=[up]).planar and Chain([Link(length=1)], grounds=[FLOOR]).planar
    assert Chain([Link(length=1)], grounds=[up]).gravity == (0.0, 0.0, -9.81)


def test_errors_are_value_errors():
    assert issubclass(ModelError, ValueError)
