"""The table of a chain names every link, joint, axis, mass and what else pulls, in the order of the tree."""

import io
import re

from hypothesis import given, settings
from strategies import chains

from fastdyn.describe import Body, Chain, Constant, Fixed, Free, Link, Load, Prismatic, Revolute, Universal
from fastdyn.show.tree import show


def shown(chain):
    file = io.StringIO()
    show(chain, file)
    return file.getvalue()


def row(text, name):
    """The cells of a link's row."""
    return next(
        re.split(r" {2,}", line.strip()) for line in text.splitlines() if re.match(rf"[ │├└]*{re.escape(name)} ", line)
    )


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
