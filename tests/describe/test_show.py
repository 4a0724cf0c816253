"""The table of a chain names every link, joint, axis, mass and what else pulls, in the order of the tree."""

import io
import re

from hypothesis import given, settings
from strategies import chains

from fastdyn.describe import (
    Beam,
    Body,
    Chain,
    Constant,
    Contact,
    Elastic,
    Fixed,
    Free,
    FreePlanar,
    Friction,
    Ground,
    Link,
    Load,
    Polynomial,
    Prismatic,
    Revolute,
    Universal,
)
from fastdyn.show.tree import show


def shown(chain):
    file = io.StringIO()
    show(chain, file)
    return file.getvalue()


def row(text, name):
    """The cells of a link's row."""
    lines = (line.strip(" │├└") for line in text.splitlines())
    return next(re.split(r" {2,}", line) for line in lines if line.startswith(f"{name} "))


def test_a_row_says_it_all():
    body = Body(mass=2.5, com=(0.1, 0.2, 0.3), inertia=((1, 0.1, 0), (0.1, 2, 0), (0, 0, 2.5)))
    upper = Link(name="upper", joint=Universal(stiffness=3, damping=(1, 2), upper=1), at=(0, 1, 2), body=body)
    hand = Link(name="hand", joint=Prismatic(drive=Constant(1)), loads=[Load()] * 2, points={"grip": (1, 2, 3)})
    text = shown(Chain([upper, hand, Link(joint=Fixed())], name="arm"))
    assert row(text, "upper") == [
        *("upper", "base", "universal", "(1, 0, 0) (0, 1, 0)", "q[0:2] v[0:2]", "(0, 1, 2)", "2.5", "(0.1, 0.2, 0.3)"),
        *("(1, 2, 2.5) + products", "stiffness 3, damping 1 2, limits"),
    ]
    assert row(text, "hand") == [
        *("hand", "upper", "prismatic", "(1, 0, 0)", "q[2] v[2]", "(0, 0, 0)", "-", "-", "-"),
        "1 drive, 2 loads, 1 point",
    ]
    assert row(text, "link3") == ["link3", "hand", "fixed", "-", "-", "(0, 0, 0)", "-", "-", "-"]
    assert '"arm": 3 links, 3 degrees of freedom, 2.5 kg' in text
    assert "in space, gravity (0, 0, -9.81) m/s^2" in text


def test_a_tree_is_drawn_with_children_under_their_parents():
    links = [Link(name="torso", joint=Free()), Link(name="left"), Link(name="right", parent="torso")]
    links += [Link(name="left hand", parent="left"), Link(name="right hand", parent="right"), Link(parent="right")]
    drawn = [line[1 : line.index("  ", 8)].rstrip() for line in shown(Chain(links)).splitlines()[3:9]]
    assert drawn == ["torso", "├ left", "│ left hand", "└ right", "  ├ right hand", "  └ link6"]


def test_the_plane_a_turn_a_drive_and_one_of_each():
    def law(t, q, v, torque, wrench):
        """No torque."""

    text = shown(Chain([Link(length=1, mass=2, turn=(0, 0, 0, 1))], drive=law))
    assert "1 link, 1 degree of freedom, 2 kg" in text
    assert "in the plane z = 0, gravity (0, -9.81, 0) m/s^2" in text
    assert "(0, 0, 0) turned" in text
    assert "driven by the function law" in text


def test_beams_have_a_table_and_grounds_too():
    beam = Beam(length=2, E=2e11, A=1e-3, I=5e-9, rho=8000)
    bent = Elastic(beam=beam, ends="cf", modes=2, theory="euler-bernoulli")
    own = Elastic(beam=beam, shapes=[Polynomial(W=(0, 0, 1), ends="cf")])
    stiff = Elastic(beam=beam, ends="ss", modes=0, theory="euler-bernoulli")
    ball = Body.sphere(0.1, 4)
    links = [Link(joint=FreePlanar(), elastic=bent, body=ball), Link(elastic=own), Link(elastic=stiff), Link()]
    bump = Contact(law="hu-guo", stiffness=1e8, restitution=0.8)
    floor = Ground(contact=bump)
    wall = Ground(
        normal=(1, 0, 0),
        point=(-3, 0, 0),
        points=["link1"],
        contact=Contact(law="hertz", stiffness=2, clamp=True),
        friction=Friction(law="coulomb", mu=0),
    )
    text = shown(Chain(links, grounds=[floor, wall], start_v=(0,) * 9))
    rows = [re.split(r" {2,}", line.strip()) for line in text.splitlines()]
    # 20 kg of beam and 4 kg of ball at its root; the first frequency of a cantilever is 3.516/(2 pi) sqrt(E I/mu)/l^2
    assert row(text, "link1")[4:8] == ["q[0:5] v[0:5]", "(0, 0, 0)", "20", "(0.8, 0, 0)"]
    assert row(text, "link1")[9] == "bends in 2 modes" and row(text, "link2")[9] == "bends in 1 mode"
    assert row(text, "link3")[6:8] == ["16", "(1, 0, 0)"] and row(text, "link3")[9] == "beam without modes"
    assert ["link1", "2", "1000", "8", "cf", "2", "euler-bernoulli", "1.5641, 9.80208"] in rows
    assert ["link2", "2", "1000", "8", "cf", "1", "shapes of its own", "1.98943"] in rows
    assert ["link3", "2", "1000", "8", "ss", "0", "euler-bernoulli", "-"] in rows
    points = "link1, link2, link3, link4"
    assert ["0", "(0, 0, 0)", "(0, 1, 0)", points, "hu-guo (stiffness 1e+08, restitution 0.8)", "none"] in rows
    assert ["1", "(-3, 0, 0)", "(1, 0, 0)", "link1", "hertz (stiffness 2, clamp)", "coulomb (mu 0)"] in rows
    assert "9 degrees of freedom, 52 kg" in text and "starts from a state of its own" in text
    many = shown(Chain([Link(length=1)] * 30, grounds=[floor]))
    assert "link2, link3, link4, link5, link6, link7, ... (30)" in many
    assert not any(word in shown(Chain([Link()])) for word in ("elastic", "ground", "state of its own"))


def test_names_are_never_taken_for_markup():
    assert "[red]x[/]" in shown(Chain([Link(name="[red]x[/]", joint=Revolute())], name="[b]"))
    assert '"[b]": 1 link' in shown(Chain([Link()], name="[b]"))


@settings(max_examples=15)
@given(chains(laws=True))
def test_every_link_has_its_row(chain):
    text = shown(chain)
    for i, link in enumerate(chain.links):
        assert row(text, f"link{i + 1}")[1:3] == [link.parent, link.joint.kind]


def test_the_screen_is_the_default(capsys):
    show(Chain([Link()]))
    assert "revolute" in capsys.readouterr().out


def test_a_long_chain_is_drawn_without_recursion():
    assert shown(Chain([Link()] * 3000)).count("revolute") == 3000
