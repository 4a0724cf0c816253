"""Model files with elastic links and grounds: written by hand, and refused by the place of the mistake."""

import pytest
from describe.elastic_words import refusal

from fastdyn import Beam, Chain, Contact, Elastic, FreePlanar, Friction, Ground, Link, Polynomial
from fastdyn.describe.files import parse

TIP = '[[link]]\nname = "tip"\n'
BEAM = TIP + "[link.elastic]\nbeam = {length = 1, E = 1e7, A = 0.01, I = 1e-5, mu = 1}\n"
SOFT = BEAM.replace("mu = 1", "mu = 1, G = 1e7")
GROUND = '[[ground]]\ncontact = {law = "hertz", stiffness = 1e8}\n'


def test_a_file_by_hand():
    text = """
    start_q = [0, 1, 0, 0.01, 0, 0]

    [[ground]]
    normal = [0.6, 0.8, 0]
    points = ["mast.tip", "boom"]
    [ground.contact]
    law = "hu-guo"
    stiffness = 1e8
    restitution = 0.8
    clamp = true
    [ground.friction]
    law = "coulomb"
    mu = 0.3

    [[link]]
    name = "mast"
    joint = {kind = "free-planar"}
    [link.elastic]
    ends = "cf"
    theory = "euler-bernoulli"
    spin = "section"
    [link.elastic.beam]
    length = 2
    E = 7e10
    A = 1e-3
    I = 1e-8
    rho = 2700

    [[link]]
    name = "boom"
    [link.elastic]
    beam = {length = 1, E = 7e10, A = 1e-3, I = 1e-8, mu = 1}
    shapes = [{kind = "polynomial", W = [0, 0, 1], ends = "cf"}]
    """
    stiff = {"E": 7e10, "A": 1e-3, "I": 1e-8}
    mast = Elastic(beam=Beam(length=2, rho=2700, **stiff), ends="cf", theory="euler-bernoulli", spin="section")
    boom = Elastic(beam=Beam(length=1, mu=1, **stiff), shapes=[Polynomial(W=(0, 0, 1), ends="cf")])
    links = [Link(name="mast", joint=FreePlanar(), elastic=mast), Link(name="boom", elastic=boom)]
    ground = Ground(normal=(0.6, 0.8, 0.0), points=["mast.tip", "boom"],
                    contact=Contact(law="hu-guo", stiffness=1e8, restitution=0.8, clamp=True),
                    friction=Friction(law="coulomb", mu=0.3))
    chain = Chain(links, grounds=[ground], start_q=(0, 1, 0, 0.01, 0, 0))
    assert parse(text) == chain and [p.name for p in chain.contact_points] == ["mast.tip"]


BROKEN = {
    # elastic links
    "unknown in elastic": (
        BEAM + 'ens = "ss"',
        'a.toml: $.link[0].elastic.ens (link "tip"): unknown field; did you mean "ends"? known are beam, ends, modes',
    ),
    "unknown in beam": (
        TIP + "elastic = {beam = {lenght = 1}}",
        'a.toml: $.link[0].elastic.beam.lenght (link "tip"): unknown field; did you mean "length"? known are length, E',
    ),
    "beam": (
        TIP + "elastic = {beam = {length = -1, E = 1, A = 1, I = 1, mu = 1}}",
        'a.toml: $.link[0].elastic.beam.length (link "tip"): beam.length is -1 m; give a length > 0',
    ),
    "no ends": (BEAM, 'a.toml: $.link[0].elastic.ends (link "tip"): elastic.ends is missing; give two'),
    "ends": (BEAM + 'ends = "fs"', 'a.toml: $.link[0].elastic.ends (link "tip"): elastic.ends is "fs", whose'),
    "no G": (BEAM + 'ends = "ss"', 'a.toml: $.link[0].elastic.beam.G (link "tip"): elastic.beam.G is missing but'),
    "cut-off": (
        SOFT + 'ends = "ss"\nmodes = 500',
        'a.toml: $.link[0].elastic.modes (link "tip"): mode 14 of "ss" lies above the cut-off',
    ),
    "cut-off of the unnamed": (
        SOFT.replace(TIP, "[[link]]\n") + 'ends = "ss"\nmodes = 500',
        'a.toml: $.link[0].elastic.modes (link "link1"): mode 14 of "ss" lies above the cut-off',
    ),
    "unknown theory": (
        BEAM + 'theory = "timoshenk"',
        'a.toml: $.link[0].elastic.theory (link "tip"): "timoshenk" is not a word known here; did you mean "timo',
    ),
    "unknown spin": (
        BEAM + 'spin = "sectoin"',
        'a.toml: $.link[0].elastic.spin (link "tip"): "sectoin" is not a word known here; did you mean "section"?',
    ),
    "unknown kind of shape": (
        BEAM + 'shapes = [{kind = "poly"}]',
        'a.toml: $.link[0].elastic.shapes[0].kind (link "tip"): "poly" is not a word known here; known are polynomial',
    ),
    "unknown in shape": (
        BEAM + 'shapes = [{kind = "samples", eta = [], V = []}]',
        'a.toml: $.link[0].elastic.shapes[0].V (link "tip"): unknown field; known are kind, eta, W, Theta, ends',
    ),
    "number in shape": (
        BEAM + 'shapes = [{kind = "polynomial", W = [0, nan], ends = "cf"}]',
        'a.toml: $.link[0].elastic.shapes[0].W[1] (link "tip"): shape.W[1] is nan; give a finite number',
    ),
    "shape": (
        BEAM + 'shapes = [{kind = "polynomial", W = [1], ends = "cf"}]',
        'a.toml: $.link[0].elastic.shapes[0] (link "tip"): polynomial mode: W is 1 at eta = 0 m, where ends "cf" hold',
    ),
    "length of a beam": (
        BEAM.replace("[link.e", "length = 2\n[link.e") + 'ends = "ss"',
        'a.toml: $.link[0].length (link "tip"): length is 2 m but elastic.beam.length is 1 m; leave length out',
    ),
    # grounds
    "ground = 3": ("ground = 3\n" + TIP, "a.toml: $.ground: is a whole number; give tables that begin with [[ground]]"),
    "no contact": ("[[ground]]\n" + TIP, "a.toml: $.ground[0].contact: is missing; give it a value"),
    "unknown in ground": (
        "[[ground]]\nlaw = 1\n" + TIP,
        "a.toml: $.ground[0].law: unknown field; known are normal, point, points, contact, friction",
    ),
    "normal": (GROUND + "\nnormal = [0, 0, 0]\n" + TIP, "a.toml: $.ground[0].normal: ground.normal is (0, 0, 0); give"),
    "points word": (GROUND + '\npoints = "all"\n' + TIP, "a.toml: $.ground[0].points: ground.points is 'all'; give"),
    "points": (
        GROUND + '\npoints = ["tip", "toe"]\n' + TIP + 'joint = {kind = "free-planar"}',
        'a.toml: ground[0].points: "toe" is no point of this chain; name a link ("tip")',
    ),
    "contact law": (
        GROUND.replace("hertz", "herz") + TIP,
        'a.toml: $.ground[0].contact: "herz" is not known; choose from hertz, hunt-crossley',
    ),
    "contact number": (
        GROUND.replace("1e8", "-1") + TIP,
        'a.toml: $.ground[0].contact: stiffness of "hertz" must be above 0 N/m^exponent, got -1',
    ),
    "contact nan": (GROUND.replace("1e8", "nan") + TIP, "a.toml: $.ground[0].contact.stiffness: contact.stiffness is"),
    "contact clamp": (GROUND.replace("1e8", "1, clamp = 1") + TIP, "a.toml: $.ground[0].contact.clamp: is a whole"),
    "friction": (
        GROUND + '\nfriction = {law = "coulomb", v1 = 1}\n' + TIP,
        'a.toml: $.ground[0].friction: "coulomb" has no v1; it takes mu',
    ),
    "unknown in friction": (
        GROUND + "\nfriction = {mu_stat = 1}\n" + TIP,
        'a.toml: $.ground[0].friction.mu_stat: unknown field; did you mean "mu_static"? known are law, mu, mu_static',
    ),
    "start": ("start_q = [1, 2]\n" + TIP, "a.toml: start_q is (1, 2); give 1 numbers"),
    "start word": ("start_v = 3\n" + TIP, "a.toml: $.start_v: is a whole number; give a list"),
}


@pytest.mark.parametrize("case", BROKEN)
def test_broken_files_say_where(case):
    text, sentence = BROKEN[case]
    assert refusal(lambda: parse(text, "a.toml")).startswith(sentence)


def test_a_place_is_said_once():
    assert refusal(lambda: parse(GROUND.replace("hertz", "herz") + TIP)).count("contact") == 1
    assert refusal(lambda: parse(SOFT + 'ends = "ss"\nmodes = 500')).count("modes:") == 0
