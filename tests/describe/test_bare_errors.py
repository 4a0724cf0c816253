"""Words that are no words: told in one sentence, where Python's own would name nothing the user wrote."""

import numpy as np
import pytest

import fastdyn as fd
from fastdyn import Body, Chain, Constant, Fourier, Link, Load, ModelError, Prismatic, Revolute, Sine, Table, Universal

ROD = {"length": 1.0, "mass": 1.0}
SCALAR = np.array(3.0)
SENTENCES = [
    (lambda: Fourier(omega=1.0, cosine=None), "signal.cosine is None; give a row of numbers"),
    (lambda: Fourier(omega=1.0, sine=2.0), "signal.sine is 2; give a row of numbers"),
    (lambda: Revolute(axis=SCALAR), "joint.axis is array(3.); give 3 numbers"),
    (lambda: Universal(axes=SCALAR), "joint.axes is array(3.); give two unit vectors"),
    (lambda: Body(mass=1, inertia=SCALAR), "body.inertia is array(3.); give three moments"),
    (lambda: Table(time=SCALAR, value=(1,)), "signal.time is array(3.); give a row of numbers"),
    (lambda: Link(at=SCALAR), "at is array(3.); give 3 numbers"),
    (lambda: fd.load(None), "path is None; give the name of a file"),
    (lambda: fd.load(3), "path is 3; give the name of a file"),
    (lambda: Chain([Link()]).save(None), "path is None; give the name of a file"),
    (lambda: Chain([Link()]).save(1), "path is 1; give the name of a file"),
    (lambda: Link(name="tip", length=1e200, mass=1), 'link "tip": length is 1e+200 m'),
    (lambda: Body.rod(1e200, 1.0), "body.length is 1e+200 m: mass times its square is no finite number"),
    (lambda: Body.cylinder(1.0, 1e200, 1.0), "body.radius is 1e+200 m: mass times its square is no finite number"),
]


@pytest.mark.parametrize("make, sentence", SENTENCES, ids=[s for _, s in SENTENCES])
def test_one_sentence(make, sentence):
    with pytest.raises(ModelError) as refused:
        make()
    assert str(refused.value).startswith(sentence) and "\n" not in str(refused.value)


@pytest.mark.parametrize("name", ["missing/chain.toml", "."])
def test_a_file_that_cannot_be_written_is_the_one_that_was_named(tmp_path, name):
    with pytest.raises(OSError) as refused:
        Chain([Link()]).save(tmp_path/name)
    assert refused.value.filename == str((tmp_path/name).resolve()) and ".tmp" not in str(refused.value)
    assert list(tmp_path.iterdir()) == []


NAMED = [
    ({"joint": {"kind": "revolute", "damping": -1}}, "joint.damping is -1; give a damping >= 0"),
    ({"joint": {"kind": "revolut"}}, "joint.kind is 'revolut'; known are \"revolute\", "),
    ({"joint": {"damping": 1}}, "joint.kind is None; known are"),
    ({"joint": {"kind": "revolute", "dampin": 1}}, 'joint.dampin: unknown field; did you mean "damping"? known are'),
    ({"joint": {"kind": "universal", "damping": -1}}, "joint.damping is -1; give a damping >= 0 (in a universal"),
    ({"mas": 1.0}, 'mas: unknown field; did you mean "mass"? known are name, parent, joint, at'),
    ({"at": (1e200, 0, 0)}, "at is (1e+200, 0, 0) m: its square is no finite number; give a place less far away"),
    ({"body": {"mass": 2.0, "com": (1e160, 0, 0), "inertia": (1, 1, 1)}}, "body.com is (1e+160, 0, 0) m: mass times"),
    ({"joint": {"kind": "revolute", "drive": {"kind": "sine", "amplitude": 1}}}, "joint.drive[0].omega is missing"),
    ({"body": {"mass": -1, "inertia": (1, 1, 1)}}, "body.mass is -1 kg; give a mass > 0"),
    ({"body": {"mass": 1}}, "body.inertia is missing; give it a value"),
    ({"loads": [{"force": (1, 2)}]}, "load.force is (1, 2); give 3 numbers in N"),
    ({"loads": [{"signal": {"kind": "constant", "value": None}}]}, "signal.value is None; give a number"),
]


@pytest.mark.parametrize("words, sentence", NAMED, ids=[s for _, s in NAMED])
def test_words_of_a_link_are_refused_by_its_name(words, sentence):
    with pytest.raises(ModelError) as refused:
        Link(name="arm", **words)
    assert str(refused.value).startswith(f'link "arm": {sentence}')


def test_words_make_what_their_classes_make():
    said = Link(name="arm", length=1.0, joint={"kind": "prismatic", "axis": np.array([0, 1, 0]), "drive": {
        "kind": "constant", "value": 2}}, body={"mass": 1.0, "inertia": (1, 1, 1)},
        loads=[{"force": (1, 0, 0), "signal": {"kind": "sine", "amplitude": 1.0, "omega": 2.0}}])
    assert said == Link(name="arm", length=1.0, joint=Prismatic(axis=(0, 1, 0), drive=Constant(2.0)),
                        body=Body(mass=1.0, inertia=(1, 1, 1)),
                        loads=[Load(force=(1, 0, 0), signal=Sine(amplitude=1.0, omega=2.0))])


def test_equal_chains_have_one_hash():
    words = [{**ROD, "points": {"grip": (1, 0, 0)}}, {**ROD, "joint": Prismatic(damping=2.0)}]
    one, two = (Chain([Link(**w) for w in words], name="arm") for _ in range(2))
    other = one.replace(gravity=(0, 0, 0))
    assert one == two and hash(one) == hash(two) and hash(one) != hash(other)
    assert {one: 1}[two] == 1 and len({one, two, other}) == 2 and hash(one.links[0]) == hash(two.links[0])
