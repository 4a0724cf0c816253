"""Random elastic links, grounds and chains of them for hypothesis, and one beam to try things on."""

from hypothesis import strategies as st
from strategies import between, bodies, joints, rotations

from beams.common import TABLE_STEEL, beams
from fastdyn import Chain, Contact, Elastic, Friction, Ground, Link, Load, ModelError, Polynomial, Samples
from fastdyn.laws.contact import NORMAL_LAWS
from fastdyn.laws.friction import FRICTION_LAWS

ENDS = [a + b for a in "sc" for b in "scfg"]
BEND = Elastic(beam=TABLE_STEEL, ends="ss")
BUMP = Contact(law="hu-guo", stiffness=1e8, restitution=0.8)
CANTILEVERS = [Polynomial(W=(0, 0, 3, -1), ends="cf"), Polynomial(W=(0, 0, 0, 0, 1), Theta=(0, 0, 0, 4), ends="cf")]
PLACES = (0.0, 0.1, 0.2, 0.35, 0.6, 0.8, 1.0)


def sampled(length):
    """A shape by samples: xi^2 at seven places"""
    return Samples(eta=[length*x for x in PLACES], W=[x*x for x in PLACES], ends="cf")


@st.composite
def elastics(draw):
    """Beams of all sorts with modes by theory, printed or of one's own."""
    beam = draw(st.just(TABLE_STEEL) | beams(thickest=0.05))
    carried, spin = draw(st.sampled_from(("section", "axis"))), draw(st.sampled_from(("frame", "section")))
    kind = draw(st.sampled_from(("timoshenko", "euler-bernoulli", "printed", "own")))
    if kind == "own":
        shapes = [CANTILEVERS[0], draw(st.sampled_from([CANTILEVERS[1], sampled(beam.length)]))]
        return Elastic(beam=beam, shapes=shapes[:draw(st.integers(1, 2))], carried=carried, spin=spin)
    words = {"ends": draw(st.sampled_from(("ss", "cc", "sc", "cs")))} if kind == "printed" else {
        "ends": draw(st.sampled_from(ENDS)), "modes": draw(st.integers(0, 3))}
    return Elastic(beam=beam, theory=kind, carried=carried, spin=spin, **words)


@st.composite
def contacts(draw):
    words = {"restitution": draw(between(0.1, 1.0)), "exponent": draw(between(1.0, 2.0)),
             "slowest": draw(between(0.001, 1.0)), "clamp": draw(st.booleans())}
    some = {name: value for name, value in words.items() if name == "restitution" or draw(st.booleans())}
    return Contact(law=draw(st.sampled_from(sorted(NORMAL_LAWS))), stiffness=draw(st.floats(1.0, 1e12)), **some)


@st.composite
def frictions(draw):
    """All numbers of a law given; speeds that have to rise do."""
    law = draw(st.sampled_from(sorted(FRICTION_LAWS)))
    parameters = FRICTION_LAWS[law].parameters
    numbers = sorted(draw(st.lists(between(0.1, 2.0), min_size=5, max_size=5, unique=True)))
    return Friction(law=law, **{p.name: x for p, x in zip(parameters, numbers)})


@st.composite
def grounds(draw, normals=None):
    w, _, _, z = draw(rotations(planar=True))
    normal = draw(normals or st.just((-2*w*z, w*w - z*z, 0.0)))
    place = draw(st.tuples(*[between(-2.0, 2.0)]*3))
    return Ground(normal=normal, point=place, contact=draw(contacts()), friction=draw(frictions()))


@st.composite
def elastic_chains(draw, most=5):
    """Chains and trees in the plane of elastic and rigid links, with grounds, loads, points and a start state."""
    links, ends = [], {}
    for i in range(draw(st.integers(1, most))):
        words = {"name": f"link{i + 1}", "parent": f"link{draw(st.integers(1, i))}" if i else "base"}
        kind = draw(st.sampled_from(("revolute", "prismatic", "fixed") if i else ("revolute", "free-planar")))
        joint = draw(joints(kind, planar=True))
        words["joint"] = type(joint)() if kind == "revolute" else joint
        words["turn"] = draw(rotations(planar=True))
        bends = draw(st.booleans())
        if bends:
            words["elastic"] = draw(elastics())
            tip = (words["elastic"].beam.length, 0.0, 0.0)
            words["body"] = draw(st.none() | bodies(planar=True))
        else:
            words["length"] = draw(between(0.3, 1.0))
            tip = (words["length"], 0.0, 0.0)
            words["body"] = draw(bodies(planar=True))
        anywhere = st.tuples(between(-0.8, 0.8), between(-0.8, 0.8), st.just(0.0))
        words["at"] = draw(st.none() | st.just((0.0, 0.0, 0.0)) | (
            st.nothing() if ends.get(words["parent"], True) else anywhere)) if i else None
        words["loads"] = draw(st.lists(st.builds(Load, at=st.sampled_from([(0.0, 0.0, 0.0), tip])), max_size=1))
        words["points"] = draw(st.sampled_from([{}, {"hand": tip}]))
        links.append(Link(**words))
        ends[f"link{i + 1}"] = bends
    chain = Chain(links)
    places = draw(st.lists(grounds(), max_size=2)) if chain.nv else []
    start = st.none() | st.lists(between(-1.0, 1.0), min_size=chain.nq, max_size=chain.nq).map(tuple)
    speeds = st.none() | st.lists(between(-1.0, 1.0), min_size=chain.nv, max_size=chain.nv).map(tuple)
    return chain.replace(grounds=places, start_q=draw(start), start_v=draw(speeds))


def refusal(make):
    """The sentence with which something is refused."""
    try:
        made = make()
    except ModelError as refused:
        return str(refused)
    raise AssertionError(f"not refused: {made!r}")
