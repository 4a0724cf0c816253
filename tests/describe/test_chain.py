"""Chains: names, parents, places in q and v, the plane or not, and every refusal with the link's name."""

import copy
import math
import pickle
import subprocess
import sys

import numpy as np
import pytest
from hypothesis import given
from strategies import SPATIAL, chains, chains_in_motion, random_chain, random_state

from fastdyn.describe import (
    Body,
    Chain,
    Constant,
    Fixed,
    Free,
    FreePlanar,
    Link,
    Load,
    Prismatic,
    Revolute,
    Spherical,
    Universal,
)
from fastdyn.status import ModelError

SKEW = (math.cos(0.5), math.sin(0.5), 0.0, 0.0)


def test_one_link_many_times():
    chain = Chain([Link(length=1.0, mass=1.0)] * 3)
    assert chain.link_names == ("link1", "link2", "link3")
    assert [link.parent for link in chain.links] == ["base", "link1", "link2"]
    assert chain.joint_positions == ((0.0, 0.0, 0.0), (1.0, 0.0, 0.0), (1.0, 0.0, 0.0))
    assert chain.links[1].rigid_body == Body.rod(1.0, 1.0)


def test_the_links_of_the_user_stay_as_they_were():
    link = Link(length=1.0)
    Chain([link, link])
    assert (link.name, link.parent) == ("", "")


def test_names_and_parents_of_a_tree():
    chain = Chain([Link(name="torso", length=2.0), Link(), Link(name="arm", parent="torso"), Link(at=(0, 1, 0))])
    assert chain.link_names == ("torso", "link2", "arm", "link4")
    assert [link.parent for link in chain.links] == ["base", "torso", "torso", "arm"]
    assert chain.joint_positions == ((0, 0, 0), (2, 0, 0), (2, 0, 0), (0, 1, 0))
    assert Chain([Link(), Link(parent="base")]).links[1].parent == "base"


def test_coordinates_have_names_and_places():
    chain = Chain([Link(joint=Free()), Link(joint=Spherical()), Link(), Link(joint=Fixed()), Link(joint=Universal())])
    assert (chain.nq, chain.nv) == (14, 12)
    assert chain.coordinate_names[5:9] == ("link1.qy", "link1.qz", "link2.qw", "link2.qx")
    assert chain.coordinate_names[11:] == ("link3", "link5.first", "link5.second")
    assert chain.velocity_names == (
        *(f"link1.{part}" for part in ("vx", "vy", "vz", "wx", "wy", "wz")),
        *("link2.wx", "link2.wy", "link2.wz", "link3", "link5.first", "link5.second"),
    )
    assert (chain.q_slice("link2"), chain.v_slice("link2")) == (slice(7, 11), slice(6, 9))
    assert (chain.q_slice("link4"), chain.v_slice("link4")) == (slice(12, 12), slice(10, 10))
    assert chain.index("link5") == 4
    assert Chain([Link(joint=FreePlanar())]).coordinate_names == ("link1.x", "link1.y", "link1.theta")


@given(chains())
def test_slices_tile_the_state(chain):
    q, v = chain.zero_state()
    assert q.dtype == v.dtype == np.float64
    assert (len(q), len(v)) == (chain.nq, chain.nv) == (len(chain.coordinate_names), len(chain.velocity_names))
    for names, slice_of in ((chain.coordinate_names, chain.q_slice), (chain.velocity_names, chain.v_slice)):
        tiles = [names[slice_of(name)] for name in chain.link_names]
        assert tuple(name for tile in tiles for name in tile) == names
    for link in chain.links:
        assert tuple(q[chain.q_slice(link.name)]) == link.joint.q_zero
    assert not v.any()


@given(chains_in_motion())
def test_drawn_states_fit_their_chain(drawn):
    chain, q, v, torque = drawn
    assert (len(q), len(v), len(torque)) == (chain.nq, chain.nv, chain.nv)
    for link in chain.links:
        if "qw" in link.joint.q_names:
            turn = q[chain.q_slice(link.name)][link.joint.q_names.index("qw") :]
            assert np.linalg.norm(turn) == pytest.approx(1.0, abs=1e-15)


@pytest.mark.parametrize("kind", ["revolute", "aligned", "prismatic", "spherical", "universal", "planar", "mixed"])
@pytest.mark.parametrize("free", [False, True])
def test_random_chains_are_what_they_are_called(kind, free):
    rng = np.random.default_rng(1)
    chain = random_chain(rng, 12, kind, free=free, tree=True)
    kinds = {link.joint.kind for link in chain.links[free:]}
    assert kinds <= ({"aligned": {"revolute"}, "planar": {"revolute"}, "mixed": set(SPATIAL)}.get(kind, {kind}))
    assert chain.planar == (kind == "planar")
    assert chain.links[0].joint.base_only == free
    q, v = random_state(rng, chain)
    assert (len(q), len(v)) == (chain.nq, chain.nv)


@given(chains(laws=True))
def test_equality_pickling_and_replacing(chain):
    assert chain == Chain(chain.links, gravity=chain.gravity, space=chain.space)
    assert repr(pickle.loads(pickle.dumps(chain))) == repr(chain)
    assert copy.deepcopy(chain) == chain
    assert chain.replace(name="b") != chain
    assert chain.replace(name="b").replace(name=chain.name) == chain
    assert chain.replace(gravity=(1, 2, 0)).gravity == (1.0, 2.0, 0.0)


def test_replacing_checks_anew():
    chain = Chain([Link()])
    with pytest.raises(ModelError, match=r"gravity\[2\] is nan"):
        chain.replace(gravity=(0, 0, math.nan))
    with pytest.raises(ModelError, match='link "link1": a spherical joint moves in space'):
        chain.replace(links=[Link(joint=Spherical())], space="plane")


def test_gravity_falls_to_where_down_is():
    assert Chain([Link()]).gravity == (0.0, -9.81, 0.0)
    assert Chain([Link()], space="plane").gravity == (0.0, -9.81, 0.0)
    assert Chain([Link()], space="space").gravity == (0.0, 0.0, -9.81)
    assert Chain([Link(joint=Spherical())]).gravity == (0.0, 0.0, -9.81)
    assert Chain([Link()], gravity=(0, 0, -1)).gravity == (0.0, 0.0, -1.0)


TINY = 5e-324
SMALL = 1.4e-15  # a component of a unit vector that is more than rounding
OUT_OF_PLANE = {
    "axis": (Link(joint=Revolute(axis=(0, 0, -1))), Link(joint=Revolute(axis=(SMALL, 0, 1))), "joint.axis"),
    "slide": (Link(joint=Prismatic(axis=(0.6, 0.8, 0))), Link(joint=Prismatic(axis=(1, 0, SMALL))), "joint.axis"),
    "spherical": (Link(joint=Fixed()), Link(joint=Spherical()), "a spherical joint"),
    "universal": (Link(), Link(joint=Universal()), "a universal joint"),
    "free": (Link(joint=FreePlanar()), Link(joint=Free()), "a free joint"),
    "at": (Link(at=(1, 2, 0)), Link(at=(1, 2, 2*SMALL)), "at"),
    "turn x": (Link(turn=(0.6, 0, 0, 0.8)), Link(turn=(1, SMALL, 0, 0)), "turn"),
    "turn y": (Link(turn=(0, 0, 0, 1)), Link(turn=(1, 0, SMALL, 0)), "turn"),
    "com": (Link(body=Body.point(1, (1, 2, 0))), Link(body=Body.point(1, (1, 2, 2*SMALL))), "body.com"),
    "Ixz": (
        Link(body=Body(mass=1, inertia=((1, 0.5, 0), (0.5, 1, 0), (0, 0, 1)))),
        Link(body=Body(mass=1, inertia=((1, 0, SMALL), (0, 1, 0), (SMALL, 0, 1)))),
        "body.inertia",
    ),
    "Iyz": (
        Link(body=Body.box((1, 2, 3), 1)),
        Link(body=Body(mass=1, inertia=((1, 0, 0), (0, 1, -0.1), (0, -0.1, 1)))),
        "body.inertia",
    ),
    "force": (Link(loads=[Load(force=(1, 2, 0))]), Link(loads=[Load(force=(0, 0, TINY))]), "loads[0]"),
    "force at": (Link(loads=[Load(at=(1, 2, 0))]), Link(loads=[Load(at=(0, 0, TINY))]), "loads[0]"),
    "moment x": (Link(loads=[Load(moment=(0, 0, 1))]), Link(loads=[Load(moment=(TINY, 0, 0))]), "loads[0].moment"),
    "moment y": (Link(loads=[Load(), Load()]), Link(loads=[Load(), Load(moment=(0, TINY, 0))]), "loads[1].moment"),
    "point": (Link(points={"p": (1, 2, 0)}), Link(points={"p": (0, 0, TINY)}), "points.p"),
}


@pytest.mark.parametrize("case", OUT_OF_PLANE)
def test_both_sides_of_the_plane(case):
    inside, outside, field = OUT_OF_PLANE[case]
    assert Chain([inside]).planar
    assert Chain([inside], space="plane").planar
    assert not Chain([inside], space="space").planar
    links = [Link(name="first"), outside] if not outside.joint.base_only else [outside]
    chain = Chain(links)
    assert not chain.planar
    assert chain.gravity == (0.0, 0.0, -9.81)
    with pytest.raises(ModelError) as refused:
        Chain(links, space="plane")
    assert str(refused.value).startswith(f'link "{chain.links[-1].name}": {field}')
    assert 'space="space"' in str(refused.value)


def test_gravity_may_leave_the_plane():
    assert Chain([Link()], gravity=(3, 4, 0)).planar
    assert not Chain([Link()], gravity=(3, 4, 4*SMALL)).planar
    with pytest.raises(ModelError, match=r"gravity \(0, 0, -9.81\) m/s\^2 has a z component"):
        Chain([Link()], gravity=(0, 0, -9.81), space="plane")


HAIR = 4e-16
WITHIN_ROUNDING = {
    "axis": Link(joint=Revolute(axis=(HAIR, -1e-17, 1))),
    "slide": Link(joint=Prismatic(axis=(0.6, 0.8, -HAIR))),
    "turn": Link(turn=(0.6, HAIR, -HAIR, 0.8)),
    "at": Link(at=(1, 2, -HAIR)),
    "com": Link(body=Body.point(1, (1, 2, HAIR))),
    "inertia": Link(body=Body(mass=1, inertia=((1, 0.5, HAIR), (0.5, 1, -HAIR), (HAIR, -HAIR, 1)))),
    "load": Link(loads=[Load(force=(1, 2, HAIR), at=(1, 0, HAIR), moment=(0, HAIR, 1))]),
    "point": Link(points={"p": (1, 2, HAIR)}),
}


@pytest.mark.parametrize("case", WITHIN_ROUNDING)
def test_rounding_leaves_no_plane(case):
    """What products of rotations leave of a zero: neither gravity nor what is computed changes by it."""
    chain, axes = Chain([WITHIN_ROUNDING[case], Link(length=1, mass=1)]), np.eye(3)
    assert chain.planar and chain.gravity == (0.0, -9.81, 0.0)
    for frame in chain.model.frame.reshape(-1, 3, 3):
        assert np.array_equal(frame[2], axes[2]) and np.array_equal(frame[:, 2], axes[2])
    assert Chain([Link()], gravity=(1, -9.81, HAIR)).planar


def test_directions_within_rounding_are_kept_as_what_they_mean():
    assert Revolute(axis=(HAIR, -1e-17, 1)).axis == (0.0, 0.0, 1.0)
    assert Link(turn=(0.6, 0, HAIR, 0.8)).turn == (0.6, 0.0, 0.0, 0.8)
    assert Revolute(axis=(1e-15, 0, 1)).axis == (1e-15, 0.0, 1.0)
    start = Chain([Link(joint=Spherical())], start_q=(1, 1e-17, 0, 0))
    assert start.start_q == (1.0, 1e-17, 0.0, 0.0)  # a state is no word: an instability may grow out of it


def test_planar_is_kept_through_replace_and_pickle():
    chain = Chain([Link()])
    assert pickle.loads(pickle.dumps(chain)).planar
    assert not chain.replace(space="space").planar
    assert chain.replace(space="space").gravity == chain.gravity


SENTENCES = [
    (lambda: Chain([]), "links is (); give a list of one Link or more"),
    (lambda: Chain(Link()), "links is Link("),
    (lambda: Chain([Link(), 3]), "links[1] is 3; give one of: Link"),
    (lambda: Chain([Link(name="a"), Link(name="a")]), 'link "a": name is used twice, by links 1 and 2 of the list'),
    (lambda: Chain([Link(name="link2"), Link()]), 'link "link2": name is used twice'),
    (lambda: Chain([Link(name="a", parent="a")]), 'link "a": parent is the link itself'),
    (lambda: Chain([Link(name="a", parent="x")]), 'link "a": parent "x" is not a link of this chain; known are "base"'),
    (lambda: Chain([Link(name="a", parent="b"), Link(name="b", parent="base")]), 'link "a": parent "b" is listed'),
    (
        lambda: Chain([Link(name="a", parent="b"), Link(name="b", parent="a")]),
        'link "a": parents run in a circle, "a" under "b" under "a"; hang one of them on the base',
    ),
    (
        lambda: Chain([Link(name="a", parent="b"), Link(name="b", parent="c"), Link(name="c", parent="b")]),
        'link "a": parents run in a circle, "b" under "c" under "b"',
    ),
    (lambda: Chain([Link(), Link(name="s", joint=Free())]), 'link "s": a free joint can only hang on the base, but'),
    (lambda: Chain([Link(), Link(joint=FreePlanar())]), 'link "link2": a free-planar joint can only hang on the base'),
    (lambda: Chain([Link()], gravity=(0, 0)), "gravity is (0, 0); give 3 numbers in m/s^2"),
    (lambda: Chain([Link()], gravity=(0, math.inf, 0)), "gravity[1] is inf; give a finite number in m/s^2"),
    (lambda: Chain([Link()], space="flat"), 'space is \'flat\'; known are "auto", "plane", "space"'),
    (lambda: Chain([Link()], name="a\nb"), "name is 'a\\nb'; give a name of printable characters on one line"),
    (lambda: Chain([Link()], drive="law"), "drive is 'law'; give a Python function drive(t, q, v, torque, wrench)"),
    (lambda: Chain([Link(name="arm")]).index("amr"), 'link "amr" is not in this chain; did you mean "arm"?'),
    (lambda: Chain([Link()]).q_slice("zzz"), 'link "zzz" is not in this chain; did you mean "link1"?'),
    (lambda: Link(name="base"), 'link "base": name "base" is the ground itself; give the link another name'),
    (lambda: Link(name=3), "name is 3; give a name of printable characters"),
    (lambda: Link(name="tip", parent=None), 'link "tip": parent is None; give a name'),
    (lambda: Link(name="tip", joint=Revolute), 'link "tip": joint is <class'),
    (lambda: Link(name="tip", at=(1, 2)), 'link "tip": at is (1, 2); give 3 numbers in m'),
    (lambda: Link(name="tip", turn=(1, 0, 0)), 'link "tip": turn is (1, 0, 0); give 4 numbers'),
    (lambda: Link(name="tip", turn=(1, 0, 0, 1)), 'link "tip": turn (1, 0, 0, 1) has length 1.414'),
    (lambda: Link(name="tip", length=-1), 'link "tip": length is -1 m; give a length >= 0'),
    (lambda: Link(name="tip", length=1, mass=-1), 'link "tip": mass is -1 kg; give a mass > 0'),
    (lambda: Link(name="tip", length=1, mass=0), 'link "tip": mass is 0 kg; give a mass > 0'),
    (lambda: Link(name="tip", mass=1), 'link "tip": length is 0 m but mass is spread along it; give length > 0'),
    (lambda: Link(name="tip", radius=1), 'link "tip": radius is 1 m but mass is missing'),
    (lambda: Link(name="tip", length=1, mass=1, radius=-1), 'link "tip": radius is -1 m; give a radius >= 0'),
    (lambda: Link(name="tip", body=3), 'link "tip": body is 3; give one of: Body'),
    (lambda: Link(name="tip", length=1, mass=1, body=Body.point(1)), 'link "tip": mass and body are both given'),
    (lambda: Link(name="tip", loads=Load()), 'link "tip": loads is Load('),
    (lambda: Link(name="tip", loads=[Constant(1)]), 'link "tip": loads[0] is Constant(value=1.0); give one of: Load'),
    (lambda: Link(name="tip", points=[1]), 'link "tip": points is (1); give a table of name and position'),
    (lambda: Link(name="tip", points={"": (1, 2, 3)}), 'link "tip": points has an empty name'),
    (lambda: Link(name="tip", points={"g": (1, 2)}), 'link "tip": points.g is (1, 2); give 3 numbers in m'),
    (lambda: Link(name="tip", points={1: (1, 2, 3)}), 'link "tip": points name is 1; give a name'),
]


@pytest.mark.parametrize("make, sentence", SENTENCES, ids=[s for _, s in SENTENCES])
def test_refusals_name_the_link_and_the_field(make, sentence):
    with pytest.raises(ModelError) as refused:
        make()
    assert str(refused.value).startswith(sentence)


NAMELESS = [
    (lambda: Link(length=-1), "length is -1 m; give a length >= 0 (in a link without a name)"),
    (
        lambda: Link(parent="hip", at=np.array([1, 2, 3]), length=0.3, mass=-1),
        "mass is -1 kg; give a mass > 0 (in the link without a name that has parent 'hip', at (1, 2, 3), length 0.3)",
    ),
    (
        lambda: Link(joint=Prismatic(), body=Body.point(2.5), radius=-1),
        "radius is -1 m; give a radius >= 0 "
        "(in the link without a name that has a prismatic joint, a body of 2.5 kg)",
    ),
    (lambda: Link(body=3, turn=(0, 1, 0, 0)), "body is 3; give one of: Body "
     "(in the link without a name that has turn (0, 1, 0, 0))"),
    (lambda: Link(joint=3, length=[2]), "joint is 3; give one of: Revolute, Prismatic, Universal, Spherical, Fixed, "
     "Free, FreePlanar (in the link without a name that has length (2))"),
    (lambda: Body(mass=2.5, inertia=(1, 1, -1)), "body.inertia has principal moments (-1, 1, 1) kg m^2; none may be "
     "negative: check the signs of the products of inertia (in the body of 2.5 kg)"),
    (lambda: Body(mass=2.5, com=3, inertia=(1, 1, 1)), "body.com is 3; give 3 numbers in m (in the body of 2.5 kg)"),
]


@pytest.mark.parametrize("make, sentence", NAMELESS, ids=[s for _, s in NAMELESS])
def test_a_link_without_a_name_is_told_by_what_else_it_has(make, sentence):
    with pytest.raises(ModelError) as refused:
        make()
    assert str(refused.value) == sentence


def test_in_the_chain_a_link_without_a_name_has_its_number():
    links = [Link(length=1.0), Link(length=1.0), Link(joint=Spherical())]
    with pytest.raises(ModelError, match='link "link3": a spherical joint moves in space'):
        Chain(links, space="plane")


def test_a_long_chain_is_quick_to_describe_and_a_long_circle_is_found():
    links = [Link(name=f"a{i}", parent=f"a{(i + 1) % 3000}") for i in range(3000)]
    with pytest.raises(ModelError, match=r'"a0" under "a1" under .* under \.\.\. under "a0"; hang') as refused:
        Chain(links)
    assert len(str(refused.value)) < 300
    assert Chain([Link()] * 20000).nv == 20000


def test_words_alone_import_nothing_heavy():
    heavy = {"scipy", "h5py", "rich", "mujoco", "matplotlib", "hypothesis"}
    code = "import sys, fastdyn.describe; print(*{name.split('.')[0] for name in sys.modules})"
    loaded = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout.split()
    assert "msgspec" in loaded
    assert not heavy & set(loaded)
