"""Chains by name and settings in words: what is built, what is typed, what is refused with the known words."""

import math

import numpy as np
import pytest

import fastdyn as fd
from fastdyn.describe.catalog import CATALOG, arguments, falling_chain, find, n_pendulum, parameters
from fastdyn.describe.files import parse
from fastdyn.laws.friction import FRICTION_LAWS
from fastdyn.run.simulate import simulate


def test_every_name_gives_a_chain_that_says_so_and_survives_a_file():
    for name, build in CATALOG.items():
        chain = build()
        assert chain.name == name and parse(chain.to_toml()) == chain
        assert build.__doc__.splitlines()[0].endswith(".")


@pytest.mark.parametrize("angle", [0.0, math.pi/2, -1.0, math.pi, 3.0])
def test_the_pendulum_stands_straight_at_its_angle(angle):
    chain = n_pendulum(4, length=2.0, mass=6.0, angle=angle, radius=0.01)
    q, _ = chain.zero_state()
    tip = fd.position(chain, q, "link4", (0.5, 0.0, 0.0))
    assert np.allclose(tip, (2.0*math.sin(angle), -2.0*math.cos(angle), 0.0), rtol=0, atol=1e-14)
    bodies = [link.rigid_body for link in chain.links]
    assert chain.planar and chain.nv == 4 and bodies == [fd.Body.rod(0.5, 1.5, 0.01)]*4


@pytest.mark.parametrize("words, said", [
    ({"n": 0}, "n is 0; give a whole number of links, 1 or more"),
    ({"n": 2.0}, "n is 2.0; give a whole number"),
    ({"length": -1.0}, "length is -1 m; give a length > 0"),
    ({"mass": 0.0}, "mass is 0 kg; give a mass > 0"),
    ({"angle": math.nan}, "angle is nan; give a finite number in rad"),
    ({"radius": -0.1}, "radius is -0.1 m; give a radius >= 0"),
])
def test_pendulums_that_cannot_be_are_refused(words, said):
    with pytest.raises(fd.ModelError, match=said):
        n_pendulum(**words)


def test_a_word_that_a_named_chain_does_not_have_is_refused_with_those_it_has():
    for name, build in CATALOG.items():
        with pytest.raises(fd.ModelError, match=f"^{name.replace('-', '_')}: x cannot be set; ") as refused:
            build(x=1)
        assert all(word in str(refused.value) for word in parameters(build))
    with pytest.raises(fd.ModelError, match='did you mean "friction"\\?'):
        fd.catalog.falling_chain(frictoin=0.2)


# --------------------------------------------------------------------------------------------------- the falling chain

def joints_of(chain):
    """Places (n + 1, 2) of the joints and the last tip of a straight free chain at its start."""
    q, _ = chain.start_state()
    lean = np.cumsum([q[2], *(q[chain.q_slice(link.name).start] for link in chain.links[1:])])
    steps = chain.links[0].length*np.column_stack([np.cos(lean), np.sin(lean)])
    return q[:2] + np.vstack([np.zeros(2), np.cumsum(steps, axis=0)]), lean


def test_the_published_chain_is_what_was_published():
    chain = falling_chain()
    beam = fd.Beam(length=1, A=3.75e-4, I=4.883e-9, E=2e11, G=7.7e10, mu=1, J33=2.9473e-5, K_v=125, gamma=0.025)
    assert [link.elastic for link in chain.links] == [fd.Elastic(beam=beam, ends="ss", theory="printed")]*3
    assert chain.coordinate_names == ("link1.x", "link1.y", "link1.theta", "link1.mode1", "link2", "link2.mode1",
                                      "link3", "link3.mode1")
    third = math.pi/6
    assert chain.start_q == pytest.approx((-0.5 - math.sin(2*third), 0.9, third, 0, -third, 0, -third, 0), abs=1e-15)
    assert chain.start_v is None and chain.gravity == (0.0, -9.81, 0.0) and chain.planar
    (ground,) = chain.grounds
    assert ground == fd.Ground(contact=fd.Contact(law="hu-guo", stiffness=140e6, restitution=0.8, clamp=False),
                               friction=fd.Friction(law="ambrosio", mu=0.1, v0=1e-4, v1=1e-3))
    assert [p.name for p in chain.contact_points] == ["link1", "link2", "link3", "link3.tip"]
    places, _ = joints_of(chain)
    assert places == pytest.approx(np.array([[-1.3660254, 0.9], [-0.5, 1.4], [0.5, 1.4], [1.3660254, 0.9]]), abs=1e-7)


@pytest.mark.parametrize("n", [1, 2, 3, 4, 7, 40])
@pytest.mark.parametrize("angle", [30.0, 60.0, 0.0, -20.0])
def test_an_arch_of_any_length_is_symmetric_and_as_high_as_asked(n, angle):
    places, lean = joints_of(falling_chain("ss", n=n, m=2, length=0.5, height=1.25, angle=angle))
    assert places[:, 0] == pytest.approx(-places[::-1, 0], abs=1e-12)
    assert places[:, 1] == pytest.approx(places[::-1, 1], abs=1e-12)
    assert min(places[:, 1]) == pytest.approx(1.25, abs=1e-12)
    wanted = np.radians(np.linspace(angle, -angle, n)) if n > 1 else [0.0]
    assert lean == pytest.approx(wanted, abs=1e-12)


def test_words_of_modes_are_taken_in_turn():
    ends = [link.elastic.ends for link in falling_chain("sc-cc-cs", n=5).links]
    assert ends == ["sc", "cc", "cs", "sc", "cc"]
    assert [link.elastic.ends for link in falling_chain("cf").links] == ["cf"]
    chain = falling_chain("ss-cc", m=3)
    assert chain.nv == 3 + 3 + 1 + 3 and [link.modes for link in chain.links] == [3, 3]
    assert falling_chain(m=0).nv == 5


@pytest.mark.parametrize("words, theory", [
    ({}, "printed"), ({"m": 2}, "timoshenko"), ({"modes": "cf"}, "timoshenko"), ({"length": 2.0}, "timoshenko"),
    ({"A": 4e-4}, "timoshenko"), ({"E": 7e10}, "timoshenko"), ({"I33": 5e-9}, "timoshenko"), ({"k": 0.9}, "timoshenko"),
    ({"G": 8e10}, "timoshenko"), ({"J33": 1e-6, "K_v": 0.0, "mass_per_length": 2.0}, "printed"),
    ({"shapes": "timoshenko"}, "timoshenko"), ({"shapes": "euler-bernoulli"}, "euler-bernoulli"),
    ({"shapes": "printed", "length": 2.0}, "printed"), ({"m": 0}, "timoshenko"),
])
def test_printed_shapes_are_those_of_the_published_link(words, theory):
    assert {link.elastic.theory for link in falling_chain(**words).links} == {theory}


def test_every_number_of_the_falling_chain_arrives():
    words = {"length": 2.0, "A": 1e-3, "mass_per_length": 3.0, "I33": 1e-8, "J33": 1e-4, "E": 1e11, "G": 5e10, "k": 0.9,
             "K_v": 7.0, "gamma": 0.5}
    chain = falling_chain(**words, gravity=1.62, restitution=0.5, stiffness=1e6, friction=0.3, v0=1e-3, v1=1e-2,
                          law="flores", clamp=True, carried="axis", spin="section")
    beam = chain.links[2].elastic.beam
    told = {"mass_per_length": beam.mu, "I33": beam.I} | {f: getattr(beam, f) for f in words if hasattr(beam, f)}
    assert told == words and chain.gravity == (0.0, -1.62, 0.0)
    assert chain.grounds[0].contact == fd.Contact(law="flores", stiffness=1e6, restitution=0.5, clamp=True)
    assert chain.grounds[0].friction == fd.Friction(law="ambrosio", mu=0.3, v0=1e-3, v1=1e-2)
    assert {(link.elastic.carried, link.elastic.spin) for link in chain.links} == {("axis", "section")}
    more = falling_chain(law="hertz", exponent=1.4, slowest=1e-3).grounds[0].contact
    assert (more.exponent, more.slowest) == (1.4, 1e-3)
    for law, numbers in (("none", {}), ("coulomb", {"mu": 0.1}), ("tanh", {"mu": 0.1})):
        assert falling_chain(friction_law=law).grounds[0].friction == fd.Friction(law=law, **numbers)


@pytest.mark.parametrize("law", FRICTION_LAWS)
def test_every_friction_law_can_be_told_all_of_its_numbers(law):
    names = {"mu": "friction", "exponent": "stribeck_exponent"}
    numbers = {p.name: 0.3 + 0.1*k for k, p in enumerate(FRICTION_LAWS[law].parameters)}
    words = [f"{names.get(name, name)}={value}" for name, value in numbers.items()]
    (ground,) = find("falling-chain", [f"friction_law={law}", *words])[0].grounds
    assert ground.friction == fd.Friction(law=law, **numbers)


@pytest.mark.parametrize("words, said", [
    ({"friction_law": "coulomb", "mu_static": 0.3}, 'friction_law "coulomb" has no mu_static; it takes mu'),
    ({"modes": ""}, "modes is ''; give a word of two letters for each link"),
    ({"modes": "-"}, "modes is '-'; give a word of two letters"),
    ({"modes": "ss--ss"}, "modes is 'ss--ss'; give a word of two letters for each link"),
    ({"modes": "ss-sx"}, "modes is 'sx'; give two letters"),
    ({"modes": "fs"}, 'modes is "fs", whose modes move at the joint'),
    ({"n": -1}, "n is -1; give a whole number of links, or 0 for as many as modes has words"),
    ({"n": 2.0}, "n is 2.0; give a whole number"),
    ({"m": -1}, "m is -1; give a whole number of modes, 0 or more"),
    ({"modes": "ss-cc-sc", "n": 2}, 'modes is "ss-cc-sc", 3 words, and n is 2; give no more words than links'),
    ({"m": 1000}, 'm: mode 102 of "ss" lies above the cut-off of shear waves, where there are no such modes; 101 modes '
     'lie below it: ask for fewer, or take shapes="euler-bernoulli"'),
    ({"shapes": "printed", "m": 2}, 'm is 2, but shapes "printed" has one mode; give 1, or take "timoshenko"'),
    ({"I33": math.nan}, "I33 is nan; give a finite number in m^4"), ({"I33": -1.0}, "I33 is -1 m^4; give I33 > 0"),
    ({"mass_per_length": 0.0}, "mass_per_length is 0 kg/m; give mass_per_length > 0"),
    ({"friction": -1.0}, 'friction of "ambrosio" must be at least 0, got -1'),
    ({"mu_static": 0.1}, 'friction_law "ambrosio" has no mu_static; it takes mu, v0, v1'),
    ({"friction_law": "stiction", "mu_static": 0.01}, 'mu_static of "stiction" is 0.01, below friction, 0.1'),
    ({"shapes": "best"}, "shapes is 'best'; known are \"auto\", \"timoshenko\""),
    ({"shapes": "printed", "modes": "cf"}, 'modes of shapes "printed" is'),
    ({"A": -1.0}, "A is -1 m^2; give A > 0"),
    ({"restitution": 1.5}, 'restitution of "hu-guo" must be above 0 and at most 1, got 1.5'),
    ({"law": "hugo"}, 'law "hugo" is not known'),
    ({"friction_law": "glue"}, 'friction_law "glue" is not known'),
    ({"friction_law": "stribeck"}, 'mu_static of "stribeck" is missing'),
    ({"friction": math.nan}, "friction is nan"),
    ({"friction_law": "karnopp", "mu_static": 0.2, "band": 9e-8}, "band of"),
    ({"v0": 1.0}, 'friction_law "ambrosio" needs v0 below v1'),
    ({"height": 0.0}, "height is 0 m; give a height > 0"),
    ({"height": 1e308}, "height is 1e+308 m; give a height of 1e+09 m or less, 1e+09 lengths of a link"),
    ({"angle": math.inf}, "angle is inf; give a finite number in degrees"),
    ({"gravity": math.nan}, "gravity is nan"),
    ({"carried": "tip"}, "carried is 'tip'"),
])
def test_falling_chains_that_cannot_be_are_refused(words, said):
    with pytest.raises(fd.ModelError) as refused:
        falling_chain(**words)
    assert str(refused.value).startswith(said)


def test_a_named_chain_brings_how_long_its_runs_are():
    chain, (options,) = find("falling-chain", ["modes=cc-cc-cc", "clamp=yes", "friction=0.2", "samples=7"], run)
    assert chain == falling_chain("cc-cc-cc", clamp=True, friction=0.2)
    assert options == {"t_end": 1.5, "samples": 7}
    assert find("falling-chain", ["t_end=0.5"], run)[1] == [{"t_end": 0.5, "samples": 1501}]
    assert find("falling-chain", ["rtol=1e-8"], simulate)[1] == [
        {"t_end": 1.5, "samples": 1501, "rtol": 1e-8, "atol": 1e-13}]
    assert find("falling-chain", [], n_pendulum)[1] == [{}] and find("n-pendulum", [], run)[1] == [{}]
    for word, clamp in (("No", False), ("1", True), ("false", False)):
        assert find("falling-chain", [f"clamp={word}"])[0].grounds[0].contact.clamp == clamp
    with pytest.raises(fd.ModelError, match='clamp is "maybe"; give yes or no'):
        find("falling-chain", ["clamp=maybe"])


# ---------------------------------------------------------------------------------------------- words of a command line

def run(chain, t_end: float = 1.0, samples: int = 3, at=None):
    """A job with two numbers to set."""


def test_words_become_typed_arguments_of_the_functions_that_have_them():
    assert parameters(run) == {"t_end": (float, 1.0), "samples": (int, 3)}
    assert arguments(["n=4", "t_end=2", "angle=1e-3"], n_pendulum, run) == [{"n": 4, "angle": 1e-3}, {"t_end": 2.0}]
    chain, (options,) = find("n-pendulum", ["n=3", "samples=7"], run)
    assert chain == n_pendulum(3) and options == {"samples": 7}


@pytest.mark.parametrize("word, said", [
    ("n", '"n" is not a setting; write key=value, such as n=2'),
    ("lenght=2", '"lenght" cannot be set here; did you mean "length"? known are n, length, mass, angle, radius, t_end'),
    ("at=2", '"at" cannot be set here; .*samples'),
    ("n=2.5", 'n is "2.5"; give a whole number'),
    ("n=", 'n is ""; give a whole number'),
    ("mass=heavy", 'mass is "heavy"; give a number'),
])
def test_words_that_mean_nothing_are_refused(word, said):
    with pytest.raises(fd.ModelError, match=said.replace("?", r"\?")):
        find("n-pendulum", [word], run)


def test_files_are_found_by_their_ending(tmp_path):
    n_pendulum(2).save(tmp_path/"two.TOML")
    assert find(str(tmp_path/"two.TOML"), ["t_end=3"], run) == (n_pendulum(2), [{"t_end": 3.0}])
    with pytest.raises(fd.ModelError, match=r'"n" cannot be set here; .*known are t_end, samples'):
        find(str(tmp_path/"two.TOML"), ["n=3"], run)
    with pytest.raises(fd.ModelError, match=r"gone\.urdf"):
        find(str(tmp_path/"gone.urdf"))
    for name in ("n-pendlum", "two.json", "", "two"):
        with pytest.raises(fd.ModelError, match=r"neither in the catalog .* n-pendulum, .*\.toml, \.urdf, \.xml"):
            find(name)


# ------------------------------------------------------------------------------------------------ fields of any chain

def arm():
    ground = fd.Ground(contact=fd.Contact(law="hertz", stiffness=1e6), friction=fd.Friction(law="ambrosio", mu=0.1))
    links = [fd.Link(name="arm1", length=1.0, mass=1.0, points={"eye": (0.5, 0.0, 0.0)}),
             fd.Link(name="arm.2", length=0.5, mass=2.0)]
    return fd.Chain(links, grounds=[ground], start_q=(0.3, 0.0))


def test_fields_of_a_model_file_are_set_by_their_paths(tmp_path):
    arm().save(tmp_path/"arm.toml")
    chain, (options,) = find(str(tmp_path/"arm.toml"), [
        "grounds.0.contact.law=hu-guo", "grounds.0.contact.restitution=.3", "links.arm.2.length=0.7",
        "links.0.joint.damping=2", "links.arm1.points.eye=[0.25, 0, 0]", "gravity=[0, -1.6, 0]", "t_end=3"], run)
    assert chain.grounds[0].contact == fd.Contact(law="hu-guo", stiffness=1e6, restitution=0.3)
    assert chain.links[1].length == 0.7 and chain.links[1].rigid_body.com == (0.35, 0.0, 0.0)
    assert chain.links[0].joint == fd.Revolute(damping=2.0) and chain.links[0].points == {"eye": (0.25, 0.0, 0.0)}
    assert chain.gravity == (0.0, -1.6, 0.0) and chain.start_q == (0.3, 0.0) and options == {"t_end": 3.0}


def test_another_law_leaves_behind_what_it_does_not_take():
    (ground,) = find("falling-chain", ["grounds.0.friction.law=coulomb", "grounds.0.friction.mu=0.4"])[0].grounds
    assert ground.friction == fd.Friction(law="coulomb", mu=0.4)
    beam = find("falling-chain", ["m=2", "links.link2.elastic.beam.E=1e11"])[0].links[1].elastic.beam
    assert beam.E == 1e11


@pytest.mark.parametrize("word, said", [
    ("grounds.1.contact.law=hertz", '"grounds.1.contact.law": there is no ground "1"; numbers go from 0 to 0'),
    ("closures.0.damping=1", '"closures.0.damping": there is no closure "0"; the chain has none'),
    ("grounds.0.contct.law=hertz", '"grounds.0.contct.law": "contct" is no field there; did you mean "contact"? known'),
    ("links.arm3.length=1", '"links.arm3.length": there is no link "arm3"; did you mean "arm1"? numbers go from'),
    ("links.arm1.lenght=1", '"links.arm1.lenght": "lenght" is no field there; did you mean "length"? known are name'),
    ("links.arm1=1", '"links.arm1" names no field; write links.arm1.FIELD=VALUE'),
    ("links.arm1.elastic.beam.E=1", '"links.arm1.elastic.beam.E": "elastic" is not there, or has no fields'),
    ("links.arm1.length=-1", "--set: $.link[0].length (link \"arm1\"): length is -1 m"),
    ("links.arm1.length=long", "--set: $.link[0].length (link \"arm1\"): is text; give a number"),
    ("gravty=[0,0,0]", '"gravty" cannot be set here; did you mean "gravity"? known are name, gravity'),
    ("link.arm1.length=1", '"link.arm1.length" cannot be set here; did you mean "links"? known are'),
])
def test_paths_that_lead_nowhere_are_refused(word, said, tmp_path):
    arm().save(tmp_path/"arm.toml")
    with pytest.raises(fd.ModelError) as refused:
        find(str(tmp_path/"arm.toml"), [word])
    assert str(refused.value).startswith(said)
