"""Random bodies, joints, chains and states: for hypothesis (`chains()`), and from a numpy generator (`random_chain`).

By default every chain is physically possible and well conditioned: each link weighs 0.3..3 kg, is 0.3..1 m long and has
moments of inertia of at least 0.02 m l^2 about every axis through its mass centre.
"""

import numpy as np
from formulations.free_bodies import places
from hypothesis import assume
from hypothesis import strategies as st
from msgspec.structs import replace

from fastdyn.describe.body import Body
from fastdyn.describe.chain import Chain
from fastdyn.describe.closures import Closure
from fastdyn.describe.joints import Fixed, Free, FreePlanar, Prismatic, Revolute, Spherical, Universal
from fastdyn.describe.link import Link
from fastdyn.describe.loads import Load
from fastdyn.describe.signals import Constant, Sine, Table

SPATIAL = ("revolute", "prismatic", "spherical", "universal", "fixed")
PLANAR = ("revolute", "prismatic", "fixed")
IDENTITY = (1.0, 0.0, 0.0, 0.0)
ALIGNED = [tuple(float(s * (i == j)) for j in range(3)) for i in range(3) for s in (1, -1)]


def between(low, high):
    """Floats with three decimals: readable when a test fails, and zero, one and the ends come up often."""
    return st.integers(round(low * 1000), round(high * 1000)).map(lambda k: k / 1000)


def directions(size=3, planar=False):
    """Unit vectors (rotations); along an axis one time of three, and one time of three a hair of 1e-17 or more off."""
    raw = st.tuples(*[st.integers(-100, 100)] * (2 if planar else size)).filter(any).map(lambda v: _unit(v, size))
    if size != 3:
        return raw | st.tuples(st.sampled_from(np.eye(4).tolist()), hairs(), raw).map(lambda d: _off(*d))
    aligned = st.sampled_from(ALIGNED[: 4 if planar else 6])
    return aligned | st.tuples(aligned, hairs(), raw).map(lambda d: _off(*d)) | raw


def hairs():
    """How far a direction is off another: 1e-17 to 1e-3."""
    return st.floats(-17.0, -3.0).map(lambda exponent: 10.0**exponent)


def rotations(planar=False):
    """Unit quaternions (w, x, y, z); about z when planar."""
    if not planar:
        return st.just(IDENTITY) | directions(4)
    return between(-1.5, 1.5).map(lambda half: (float(np.cos(half)), 0.0, 0.0, float(np.sin(half))))


@st.composite
def bodies(draw, length=1.0, planar=False):
    """Bodies whose size goes with a link of that length; symmetric about the plane z = 0 when planar."""
    mass = draw(between(0.3, 3.0))
    spread = draw(st.tuples(*[between(0.01, 0.08)] * 3))
    com = draw(st.tuples(between(0.2, 0.8), between(-0.2, 0.2), st.just(0.0) if planar else between(-0.2, 0.2)))
    return _body(mass, length, com, spread, draw(rotations(planar)))


def signals():
    number = between(-2.0, 2.0)
    times = st.lists(st.integers(0, 50), min_size=2, max_size=4, unique=True).map(sorted)
    table = times.flatmap(
        lambda t: st.builds(Table, st.just([x / 10 for x in t]), st.lists(number, min_size=len(t), max_size=len(t)))
    )
    return st.builds(Constant, number) | st.builds(Sine, number, number, number, number) | table


@st.composite
def joints(draw, kind=None, planar=False, laws=False):
    """Joints of one kind, or of any that may hang on a link; with springs, dampers, limits and drives if `laws`."""
    kind = kind or draw(st.sampled_from(PLANAR if planar else SPATIAL))
    make, words = {
        "revolute": (Revolute, {"axis": st.sampled_from(ALIGNED[4:]) if planar else directions()}),
        "prismatic": (Prismatic, {"axis": directions(planar=planar)}),
        "universal": (Universal, {"axes": rotations().map(lambda r: tuple(_matrix(r).T[:2].tolist()))}),
        "spherical": (Spherical, {}),
        "fixed": (Fixed, {}),
        "free": (Free, {}),
        "free-planar": (FreePlanar, {}),
    }[kind]
    fields = {name: draw(strategy) for name, strategy in words.items()}
    if laws:
        fields |= _laws(draw, make)
    return make(**fields)


def _laws(draw, make):
    fields = {}
    if make in (Revolute, Prismatic, Universal, Spherical):
        fields = {"stiffness": draw(between(0.0, 20.0)), "damping": draw(between(0.0, 2.0))}
    if make in (Revolute, Prismatic, Universal):
        fields |= {"rest": draw(between(-1.0, 1.0))}
        if draw(st.booleans()):
            fields |= {"lower": -draw(between(0.1, 2.0)), "upper": draw(between(0.1, 2.0))}
            fields |= {"limit_stiffness": draw(between(0.0, 50.0)), "limit_damping": draw(between(0.0, 2.0))}
    if make is not Fixed and draw(st.booleans()):
        fields["drive"] = [draw(signals()) for _ in range(make().nv)]
    return fields


@st.composite
def loads(draw, planar=False):
    """Loads that stay in the plane z = 0 when planar."""
    x = between(-2.0, 2.0)
    zero = st.just(0.0)
    flat = st.tuples(x, x, zero) if planar else st.tuples(x, x, x)
    moment = st.tuples(zero, zero, x) if planar else st.tuples(x, x, x)
    frame = draw(st.sampled_from(("link", "world")))
    return Load(force=draw(flat), moment=draw(moment), at=draw(flat), frame=frame, signal=draw(signals()))


@st.composite
def chains(draw, min_links=1, max_links=8, planar=None, trees=True, free_base=None, kinds=None, laws=False):
    """Chains and trees that can move.

    planar: True in the plane, False in space (though its links may happen to lie in a plane), None either.
    free_base: True floats, False does not, None either. kinds: words of the joints but a floating base's.
    laws: with springs, dampers, limits, drives, loads and points; False leaves gravity alone.
    """
    planar = draw(st.booleans()) if planar is None else planar
    floats = draw(st.booleans()) if free_base is None else free_base
    kinds = kinds or (PLANAR if planar else SPATIAL)
    moving = [kind for kind in kinds if kind != "fixed"]
    links = []
    for i in range(draw(st.integers(min_links, max_links))):
        kind = draw(st.sampled_from(kinds if i else moving))
        if floats and i == 0:
            kind = "free-planar" if planar else "free"
        length = draw(between(0.3, 1.0))
        words = {"name": f"link{i + 1}", "length": length, "body": draw(bodies(length, planar))}
        words["joint"] = draw(joints(kind, planar, laws))
        words["parent"] = f"link{draw(st.integers(1, i))}" if trees and i else ""
        if draw(st.booleans()):
            place = between(-0.8, 0.8)
            words["at"] = draw(st.tuples(place, place, st.just(0.0) if planar else place))
            words["turn"] = draw(rotations(planar))
        if laws:
            words["loads"] = draw(st.lists(loads(planar), max_size=2))
            words["points"] = {"tip": (length, 0.0, 0.0)}
        links.append(Link(**words))
    gravity = draw(st.tuples(*[between(-10.0, 10.0)] * (2 if planar else 3)))
    return Chain(links, gravity=(*gravity, 0.0)[:3], space="plane" if planar else "space")


@st.composite
def states(draw, chain, speed=2.0):
    """(q, v) of the chain: angles of up to 3 rad, slides of up to 0.5 m, unit quaternions."""
    q = []
    for link in chain.links:
        names = link.joint.q_names
        reach = 0.5 if isinstance(link.joint, Prismatic) else 3.0
        while names:
            if names[0] == "qw":
                q, names = [*q, *draw(directions(4))], names[4:]
            else:
                q, names = [*q, draw(between(-reach, reach))], names[1:]
    return np.array(q, dtype=float), draw(_vectors(chain.nv, speed))


def torques(chain, size=5.0):
    """One force or torque per velocity coordinate."""
    return _vectors(chain.nv, size)


def chains_in_motion(**words):
    """(chain, q, v, torque), with the keywords of `chains`."""
    return chains(**words).flatmap(
        lambda chain: st.tuples(states(chain), torques(chain)).map(lambda drawn: (chain, *drawn[0], drawn[1]))
    )


@st.composite
def loops_in_motion(draw, planar=None, stiffness=None, damping=0.0):
    """(chain, q, v, torque): one to three closures between random places of links or the base, all closed at q.

    v is any. Held exactly without stiffness.
    """
    planar = draw(st.booleans()) if planar is None else planar
    kinds = [kind for kind in (PLANAR if planar else SPATIAL) if kind != "fixed"]
    chain, q, v, torque = draw(chains_in_motion(min_links=2, max_links=5, planar=planar, free_base=False, kinds=kinds))
    found, links, closures = places(chain, q), list(chain.links), []
    for k in range(draw(st.integers(1, 3))):
        b = draw(st.integers(1, len(links) - 1))
        a = draw(st.integers(-1, b - 1))
        kind = draw(st.sampled_from(("pin" if planar else "ball", "slot", "distance")))
        place, other = (_place(draw, planar) for _ in range(2))
        x = found[b].x + found[b].R @ place
        words = {"kind": kind, "b": f"{links[b].name}.b{k}", "stiffness": stiffness, "damping": damping}
        if kind == "distance":
            y = other if a < 0 else found[a].x + found[a].R @ other
            words["length"] = float(np.linalg.norm(x - y))
            assume(words["length"] > 0.1)
        else:
            other = x if a < 0 else found[a].R.T @ (x - found[a].x)
        if kind == "slot":
            words["axis"] = draw(directions(planar=planar))
        links[b] = replace(links[b], points=links[b].points | {f"b{k}": tuple(place.tolist())})
        words["a"] = tuple(other.tolist()) if a < 0 else f"{links[a].name}.a{k}"
        if a >= 0:
            links[a] = replace(links[a], points=links[a].points | {f"a{k}": tuple(other.tolist())})
        closures.append(Closure(**words))
    return chain.replace(links=links, closures=closures), q, v, torque


def _place(draw, planar):
    x = between(-0.5, 0.5)
    return np.array(draw(st.tuples(x, x, st.just(0.0) if planar else x)))


def _vectors(n, size):
    return st.lists(between(-size, size), min_size=n, max_size=n).map(lambda x: np.array(x, dtype=float))


def random_chain(rng, n, kind="revolute", free=False, tree=False, gravity=None):
    """A chain of n links from a numpy generator.

    kind: "revolute" (any axis, full inertia), "aligned" (axes x, y, z in turn, diagonal inertia), "prismatic",
    "spherical", "universal", "planar" (in the plane z = 0) or "mixed" (all but planar). free: the base floats.
    tree: every link hangs on a random earlier one, else on the one before.
    """
    planar = kind == "planar"
    links = []
    for i in range(n):
        word = rng.choice(SPATIAL[:4]) if kind == "mixed" else kind
        if free and i == 0:
            word = "free-planar" if planar else "free"
        length = rng.uniform(0.3, 1.0)
        turn = IDENTITY if planar or kind == "aligned" else random_rotation(rng)
        com = rng.uniform((0.2, -0.2, -0.2), (0.8, 0.2, 0.2)) * (1, 1, not planar)
        body = _body(rng.uniform(0.3, 3.0), length, com, rng.uniform(0.01, 0.08, 3), turn)
        parent = f"link{rng.integers(1, i + 1)}" if tree and i else ""
        placed = {"at": (length * rng.uniform(0.5, 1.0), 0.0, 0.0), "turn": random_rotation(rng)}
        joint = _random_joint(rng, word, i)
        links.append(Link(length=length, joint=joint, body=body, parent=parent, **(placed if kind == "mixed" else {})))
    return Chain(links, gravity=gravity, space="plane" if planar else "space")


def random_state(rng, chain, speed=2.0):
    """(q, v): angles and places up to 1, unit quaternions spread evenly, velocities up to `speed`."""
    q = rng.uniform(-1.0, 1.0, chain.nq)
    for i, name in enumerate(chain.coordinate_names):
        if name.endswith(".qw"):
            q[i : i + 4] = random_rotation(rng)
    return q, rng.uniform(-speed, speed, chain.nv)


def random_rotation(rng):
    return tuple(_unit(rng.normal(size=4), 4))


def _random_joint(rng, word, i):
    axis = _unit(rng.normal(size=3), 3)
    if word == "universal":
        return Universal(axes=_matrix(random_rotation(rng)).T[:2])
    return {
        "revolute": Revolute(axis=axis),
        "aligned": Revolute(axis=ALIGNED[2 * (i % 3)]),
        "planar": Revolute(),
        "prismatic": Prismatic(axis=axis),
        "spherical": Spherical(),
        "free": Free(),
        "free-planar": FreePlanar(),
    }[word]


def _body(mass, length, com, spread, turn):
    """The body whose mass has second moments m l^2 spread along axes turned by `turn`, com in parts of the length."""
    R = _matrix(turn)
    moments = mass * length**2 * (sum(spread) - np.array(spread))
    return Body(mass=mass, com=length * np.array(com), inertia=R @ np.diag(moments) @ R.T)


def _off(direction, hair, aside):
    """The direction with a hair of another one; the digits of the small components are its own."""
    return _unit([a + hair * (b if a == 0.0 else 0.0) for a, b in zip(direction, aside)], len(direction))


def _unit(v, size):
    v = np.array([*v, 0.0, 0.0][:size], dtype=float)
    return tuple((v / np.linalg.norm(v)).tolist())


def _matrix(turn):
    w, x, y, z = turn
    return np.array(
        [
            [1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
            [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
            [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)],
        ]
    )
