"""Model files: what is saved comes back bit for bit, the broken is refused by place, writing is all or nothing."""

import errno
import os
import tomllib

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from strategies import chains, directions

from fastdyn.describe import Body, Chain, Link, Load, Revolute, Sine, Spherical, Table, Universal, load
from fastdyn.describe.files import parse
from fastdyn.status import ModelError

finite = st.floats(allow_nan=False, allow_infinity=False)
vectors = st.tuples(finite, finite, finite)
places = st.tuples(*[st.floats(-1e150, 1e150)]*3)               # whose squares are finite
names = st.text(min_size=1, max_size=8).filter(str.isprintable)


def assert_same_bits(a, b):
    assert a == b
    assert repr(a) == repr(b)  # repr of a float is exact, and tells 0.0 from -0.0


@given(chains(laws=True))
def test_chains_come_back_bit_for_bit(chain):
    assert_same_bits(parse(chain.to_toml()), chain)


@given(places, vectors, finite, finite, directions(), directions(4), st.floats(1e-300, 1e300))
def test_any_finite_number_comes_back(at, force, rest, phase, axis, turn, mass):
    link = Link(
        joint=Revolute(axis=axis, rest=rest, drive=Sine(1.0, 2.0, phase)),
        at=at,
        turn=turn,
        body=Body(mass=mass, com=(0.5, -0.25, 0.0), inertia=(mass, mass, mass)),
        loads=[Load(force=force, signal=Table((0.1, 0.2), (rest, phase)))],
        points={"p": at},
    )
    chain = Chain([link], gravity=force)
    assert_same_bits(parse(chain.to_toml()), chain)


@pytest.mark.parametrize("i, j", [(0, 1), (0, 2), (1, 2)])
def test_every_product_of_inertia_comes_back(i, j):
    inertia = [[float(a == b) for b in range(3)] for a in range(3)]
    inertia[i][j] = inertia[j][i] = 1e-300
    chain = Chain([Link(body=Body(mass=1, inertia=inertia))])
    assert_same_bits(parse(chain.to_toml()), chain)


@given(st.lists(names.filter("base".__ne__), min_size=1, max_size=4, unique=True), names, st.text("'\"\\#=[]{} .éß𝄞"))
@example(["a.b", "c d", "1", "true"], '"', "\\")
@example(["é", "\\n", "#"], "'''", '"""')
def test_any_name_comes_back(link_names, point, title):
    chain = Chain([Link(name=name, points={point: (1, 2, 3)}) for name in link_names], name=title)
    assert_same_bits(parse(chain.to_toml()), chain)


@given(chains(laws=True))
def test_a_saved_file_is_plain_toml(chain):
    raw = tomllib.loads(chain.to_toml())
    assert set(raw) <= {"name", "gravity", "space", "link"}
    assert [link["name"] for link in raw["link"]] == list(chain.link_names)


def test_a_file_by_hand():
    text = """
    name = "arm"
    gravity = [0, 0, -9.81]

    [[link]]                     # integers are numbers too
    name = "upper"
    joint = {kind = "universal", axes = [[1, 0, 0], [0, 0, 1]], stiffness = 3, upper = [1, 2]}
    length = 1
    mass = 2

    [[link]]
    body = {mass = 1, inertia = [[1, 0.5, 0], [0.5, 1, 0], [0, 0, 1]]}
    [link.joint]
    kind = "spherical"
    damping = 0.5
    [link.points]
    grip = [0, 1, 2]
    [[link.loads]]
    force = [0, 0, 1]
    frame = "world"
    signal = {kind = "table", time = [0, 1], value = [0, 1]}
    """
    upper = Link(
        name="upper", length=1, mass=2, joint=Universal(axes=((1, 0, 0), (0, 0, 1)), stiffness=3, upper=(1, 2))
    )
    hand = Link(
        joint=Spherical(damping=0.5),
        body=Body(mass=1, inertia=((1, 0.5, 0), (0.5, 1, 0), (0, 0, 1))),
        points={"grip": (0, 1, 2)},
        loads=[Load(force=(0, 0, 1), frame="world", signal=Table((0, 1), (0, 1)))],
    )
    assert_same_bits(parse(text), Chain([upper, hand], gravity=(0, 0, -9.81), name="arm"))


def test_save_and_load(tmp_path):
    chain = Chain([Link(length=0.1, mass=1 / 3)] * 3, name="three")
    chain.save(tmp_path / "a.toml")
    assert_same_bits(load(tmp_path / "a.toml"), chain)
    assert_same_bits(load(str(tmp_path / "a.toml")), chain)
    (tmp_path / "windows.toml").write_bytes(b"\xef\xbb\xbf" + chain.to_toml().replace("\n", "\r\n").encode())
    assert_same_bits(load(tmp_path / "windows.toml"), chain)


def test_a_drive_cannot_be_saved(tmp_path):
    chain = Chain([Link()], drive=lambda t, q, v, torque, wrench: None)
    with pytest.raises(ModelError, match=r"drive is a Python function .*; save replace\(drive=None\)"):
        chain.save(tmp_path / "a.toml")
    assert not list(tmp_path.iterdir())
    assert parse(chain.replace(drive=None).to_toml()) == Chain([Link()])


@pytest.mark.parametrize("call", ["fsync", "replace", "open"])
def test_a_failed_save_leaves_the_old_file_and_nothing_else(tmp_path, monkeypatch, call):
    path = tmp_path / "a.toml"
    Chain([Link()]).save(path)
    before = path.read_bytes()

    def fail(*_, **__):
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr("builtins.open" if call == "open" else f"os.{call}", fail)
    with pytest.raises(OSError, match="No space left"):
        Chain([Link()] * 2).save(path)
    monkeypatch.undo()
    assert path.read_bytes() == before
    assert os.listdir(tmp_path) == ["a.toml"]


def test_saving_through_a_symbolic_link_changes_the_file_behind_it(tmp_path):
    (tmp_path / "real").mkdir()
    target, link = tmp_path / "real" / "a.toml", tmp_path / "b.toml"
    target.write_text("old")
    link.symlink_to(target)
    Chain([Link()]).save(link)
    assert link.is_symlink()
    assert load(target) == Chain([Link()])


TIP = '[[link]]\nname = "tip"\n'
JOINTS = "known are revolute, prismatic, universal, spherical, fixed, free, free-planar"
BROKEN = {
    # TOML itself
    "empty": ("", "a.toml: $.link: is missing; give tables that begin with [[link]]"),
    "not TOML": ("name = ", "a.toml: not valid TOML: Invalid value (at end of document)"),
    "not TOML, line": ("\n\nx y", "a.toml: not valid TOML: Expected '=' after a key in a key/value pair (at line 3"),
    "NUL": ("\x00", "a.toml: not valid TOML: "),
    "key twice": (TIP + 'name = "b"', "a.toml: not valid TOML: Cannot overwrite a value"),
    "3000 brackets": ("x = " + "[" * 3000, "a.toml: brackets are nested too deep"),
    "3000 closed brackets": ("x = " + "[" * 3000 + "]" * 3000, "a.toml: brackets are nested too deep"),
    "3000 braces": ("x = " + "{a=" * 3000, "a.toml: brackets are nested too deep"),
    "300 brackets": (TIP + "at = " + "[" * 300 + "]" * 300, 'a.toml: $.link[0].at (link "tip"): has 1 entry; give 3'),
    "5000 digits": (TIP + "length = " + "9" * 5000, "a.toml: line 3: an integer has thousands of digits"),
    # numbers
    "nan": (TIP + "length = nan", 'a.toml: $.link[0].length (link "tip"): length is nan; give a finite number in m'),
    "inf": (TIP + "at = [0, inf, 0]", 'a.toml: $.link[0].at[1] (link "tip"): at[1] is inf; give a finite number in m'),
    "1e400": (TIP + "length = 1e400", 'a.toml: $.link[0].length (link "tip"): length is inf; give a finite number'),
    "500 digits": (TIP + "length = " + "9" * 500, 'a.toml: $.link[0].length (link "tip"): Number out of range; give a'),
    "bool": (TIP + "length = true", 'a.toml: $.link[0].length (link "tip"): is true or false; give a number'),
    "text": (TIP + 'mass = "1"', 'a.toml: $.link[0].mass (link "tip"): is text; give a number'),
    "date": (TIP + "length = 1979-05-27", 'a.toml: $.link[0].length (link "tip"): is a date; give a number'),
    "gravity": ("gravity = [0, nan, 0]\n" + TIP, "a.toml: gravity[1] is nan; give a finite number"),
    "gravity bool": ("gravity = [0, true, 0]\n" + TIP, "a.toml: $.gravity[1]: is true or false; give a number"),
    # shapes
    "two numbers": ("gravity = [0, 1]\n" + TIP, "a.toml: $.gravity: has 2 entries; give 3"),
    "link = 3": ("link = 3", "a.toml: $.link: is a whole number; give tables that begin with [[link]]"),
    "link = [3]": ("link = [3]", "a.toml: $.link[0]: is a whole number; give a table"),
    "link = []": ("link = []", "a.toml: links is (); give a list of one Link or more"),
    "joint = 3": (TIP + "joint = 3", 'a.toml: $.link[0].joint (link "tip"): is a whole number; give a table such as'),
    "name = 3": ("[[link]]\nname = 3", "a.toml: $.link[0].name: is a whole number; give text in quotes"),
    "inertia": (TIP + 'body = {mass = 1, inertia = "a"}', 'a.toml: $.link[0].body.inertia (link "tip"): is text; give'),
    # words
    "unknown top": (
        "unit = 1\n" + TIP,
        "a.toml: $.unit: unknown field; known are name, gravity, space, start_q, start_v, ground, closure, link",
    ),
    "unknown in link": (
        TIP + "lenght = 1",
        'a.toml: $.link[0].lenght (link "tip"): unknown field; did you mean "length"? known are name, parent, joint',
    ),
    "unknown in joint": (
        TIP + 'joint = {kind = "revolute", axs = [0, 0, 1]}',
        'a.toml: $.link[0].joint.axs (link "tip"): unknown field; did you mean "axis"? known are kind, drive',
    ),
    "unknown in body": (
        TIP + "body = {mas = 1}",
        'a.toml: $.link[0].body.mas (link "tip"): unknown field; did you mean "mass"? known are mass, com, inertia',
    ),
    "unknown in load": (
        TIP + "loads = [{torque = [1, 2, 3]}]",
        'a.toml: $.link[0].loads[0].torque (link "tip"): unknown field; known are force, moment, at, frame, signal',
    ),
    "unknown in signal": (
        TIP + 'joint = {kind = "revolute", drive = [{kind = "sine", amplitud = 1}]}',
        'a.toml: $.link[0].joint.drive[0].amplitud (link "tip"): unknown field; did you mean "amplitude"?',
    ),
    "spring on fixed": (
        TIP + 'joint = {kind = "fixed", stiffness = 1}',
        'a.toml: $.link[0].joint.stiffness (link "tip"): unknown field; known are kind',
    ),
    "unknown joint": (
        TIP + 'joint = {kind = "hinge"}',
        f'a.toml: $.link[0].joint.kind (link "tip"): "hinge" is not a word known here; {JOINTS}',
    ),
    "joint typo": (
        TIP + 'joint = {kind = "revolut"}',
        'a.toml: $.link[0].joint.kind (link "tip"): "revolut" is not a word known here; did you mean "revolute"?',
    ),
    "no kind": (TIP + "joint = {axis = [0, 0, 1]}", 'a.toml: $.link[0].joint.kind (link "tip"): is missing'),
    "unknown signal": (
        TIP + 'loads = [{signal = {kind = "noise"}}]',
        'a.toml: $.link[0].loads[0].signal.kind (link "tip"): "noise" is not a word known here; known are constant',
    ),
    "signal without value": (
        TIP + 'loads = [{signal = {kind = "sine"}}]',
        'a.toml: $.link[0].loads[0].signal.amplitude (link "tip"): is missing',
    ),
    "unknown space": ('space = "flat"\n' + TIP, 'a.toml: $.space: "flat" is not a word known here; known are auto'),
    "unknown frame": (
        TIP + 'loads = [{frame = "moon"}]',
        'a.toml: $.link[0].loads[0].frame (link "tip"): "moon" is not a word known here; known are link, world',
    ),
    "a name as catalogs have them": (
        'catalog = "falling-chain"\n', 'a.toml: $.catalog: unknown field; known are name, gravity, space, start_q, '
        'start_v, ground, closure, link, and system = "NAME" for one of the catalog'),
    "drive": ("drive = 1\n" + TIP, "a.toml: $.drive: unknown field; a chain's drive is a Python function"),
    "line in name": ('[[link]]\nname = "a\\nb"', "a.toml: $.link[0].name: name is 'a\\nb'; give a name of printable"),
    "point": (TIP + "points = {g = [0, 0, nan]}", 'a.toml: $.link[0].points.g[2] (link "tip"): points.g[2] is nan'),
    "point of two": (
        TIP + "points = {g = [0, 0, 0], h = [0, 1]}", 'a.toml: $.link[0].points.h (link "tip"): has 2 entries; give 3'),
    "load of two": (TIP + "loads = [{force = [1, 2]}]", 'a.toml: $.link[0].loads[0].force (link "tip"): has 2 entries'),
    "drive of 3": (
        TIP + 'joint = {kind = "revolute", drive = 3}',
        'a.toml: $.link[0].joint.drive (link "tip"): is a whole number; give a list of signals such as drive = [{ kind',
    ),
    "point of text": (
        TIP + 'points = {g = [0, "x", 0]}',
        'a.toml: $.link[0].points.g[1] (link "tip"): is text; give a number',
    ),
    # physics
    "axis": (
        TIP + 'joint = {kind = "revolute", axis = [0, 0, 2]}',
        'a.toml: $.link[0].joint.axis (link "tip"): joint.axis (0, 0, 2) has length 2, not 1; write (0, 0, 1)',
    ),
    "mass": (
        TIP + "body = {mass = -1, inertia = [1, 1, 1]}",
        'a.toml: $.link[0].body.mass (link "tip"): body.mass is -1 kg; give a mass > 0',
    ),
    "inertia missing": (TIP + "body = {mass = 1}", 'a.toml: $.link[0].body.inertia (link "tip"): is missing'),
    "triangle": (
        TIP + "body = {mass = 1, inertia = [1, 1, 3]}",
        'a.toml: $.link[0].body.inertia (link "tip"): body.inertia has principal moments (1, 1, 3) kg m^2',
    ),
    "table": (
        TIP + 'joint = {kind = "revolute", drive = [{kind = "table", time = [1, 0], value = [0, 1]}]}',
        'a.toml: $.link[0].joint.drive[0].time (link "tip"): signal.time must rise',
    ),
    "length of the unnamed": ("[[link]]\nlength = -1", 'a.toml: $.link[0].length (link "link1"): length is -1 m; give'),
    "mass and body": (
        TIP + "length = 1\nmass = 1\nbody = {mass = 1, inertia = [1, 1, 1]}",
        'a.toml: $.link[0].mass (link "tip"): mass and body are both given',
    ),
    # kinship
    "twice": (TIP + TIP, 'a.toml: link "tip": name is used twice'),
    "stranger": (TIP + 'parent = "x"', 'a.toml: link "tip": parent "x" is not a link of this chain; known are "base"'),
    "circle": (
        '[[link]]\nname = "a"\nparent = "b"\n[[link]]\nname = "b"\nparent = "a"',
        'a.toml: link "a": parents run in a circle, "a" under "b" under "a"',
    ),
    "free": ('[[link]]\n[[link]]\njoint = {kind = "free"}', 'a.toml: link "link2": a free joint can only hang on'),
    "plane": ('space = "plane"\n' + TIP + "at = [0, 0, 1]", 'a.toml: link "tip": at (0, 0, 1) m has a z component'),
}


@pytest.mark.parametrize("case", BROKEN)
def test_broken_files_say_where(case):
    text, sentence = BROKEN[case]
    with pytest.raises(ModelError) as refused:
        parse(text, "a.toml")
    assert str(refused.value).startswith(sentence)


@pytest.mark.parametrize("content", [b"\xff\xfe\x00\x01", bytes(range(128, 256)), b"name = '\x80'"])
def test_binary_garbage(tmp_path, content):
    path = tmp_path / "a.toml"
    path.write_bytes(content)
    with pytest.raises(ModelError, match=r"a\.toml: byte \d+ is not UTF-8 text"):
        load(path)


def test_files_that_cannot_be_read(tmp_path):
    with pytest.raises(ModelError, match=r"none\.toml: cannot be read: No such file"):
        load(tmp_path / "none.toml")
    with pytest.raises(ModelError, match="cannot be read: Is a directory"):
        load(tmp_path)
    with pytest.raises(ModelError, match="cannot be read: embedded null byte"):
        load("a\0b")


GOOD = Chain(
    [
        Link(joint=Universal(stiffness=1, upper=2, drive=(Sine(1, 2), Table((0, 1), (2, 3)))), length=1, mass=1),
        Link(joint=Spherical(), body=Body.box((1, 2, 3), 4), loads=[Load(force=(1, 2, 3))], points={"p": (1, 2, 3)}),
    ]
).to_toml()
SPLINTERS = ["nan", "1e999", "-1", "true", '"x"', *"[]{}=\n\\0é\0", "[[link]]\n", "1979-05-27"]
wounds = st.tuples(st.integers(0, len(GOOD)), st.integers(0, 12), st.sampled_from(SPLINTERS))


@given(st.lists(wounds, min_size=1, max_size=3))
def test_a_mangled_file_is_a_chain_or_a_named_error(wounds):
    text = GOOD
    for place, cut, splinter in wounds:
        text = text[:place] + splinter + text[place + cut :]
    try:
        chain = parse(text, "a.toml")
    except ModelError as refused:
        assert str(refused).startswith("a.toml: ")
    else:
        assert_same_bits(parse(chain.to_toml()), chain)
