"""Joints, signals and loads: coordinates, directions made exactly unit once and for all, and what is refused."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from strategies import joints, signals

from fastdyn.describe.chain import Chain
from fastdyn.describe.check import UNIT_TOLERANCE
from fastdyn.describe.files import parse
from fastdyn.describe.joints import JOINTS, Fixed, Free, FreePlanar, Prismatic, Revolute, Spherical, Universal
from fastdyn.describe.link import Link
from fastdyn.describe.loads import Load
from fastdyn.describe.signals import Constant, Sine, Table
from fastdyn.layout import LOWER
from fastdyn.status import ModelError

COUNTS = {
    "revolute": (1, 1),
    "prismatic": (1, 1),
    "universal": (2, 2),
    "spherical": (4, 3),
    "fixed": (0, 0),
    "free": (7, 6),
    "free-planar": (3, 3),
}
directions = st.tuples(*[st.floats(-1.0, 1.0)] * 3).filter(lambda v: math.hypot(*v) > 1e-3)


def test_every_kind_counts_its_coordinates():
    assert {kind: (make().nq, make().nv) for kind, make in JOINTS.items()} == COUNTS
    for kind, make in JOINTS.items():
        joint = make()
        assert joint.kind == kind
        assert len(joint.q_zero) == joint.nq
        assert joint.base_only == kind.startswith("free")


@given(directions)
def test_a_direction_is_normalised_once(v):
    length = math.hypot(*v)
    axis = Revolute(axis=tuple(x / length for x in v)).axis
    assert abs(math.hypot(*axis) - 1.0) < 1e-15
    assert Revolute(axis=axis).axis == axis
    assert Prismatic(axis=np.array(axis)).axis == axis


@given(directions, st.sampled_from([-1, 1]))
def test_both_sides_of_the_unit_tolerance(v, sign):
    inside, outside = (tuple((1 + sign * f * UNIT_TOLERANCE) * x / math.hypot(*v) for x in v) for f in (0.99, 1.01))
    assert abs(math.hypot(*Prismatic(axis=inside).axis) - 1.0) < 1e-15
    with pytest.raises(ModelError, match=r"joint\.axis .* has length .*, not 1; write \("):
        Prismatic(axis=outside)


@given(st.tuples(*[st.floats(-1.0, 1.0)] * 4).filter(lambda v: math.hypot(*v) > 1e-3))
def test_a_rotation_is_normalised_once(v):
    turn = Link(turn=tuple(x / math.hypot(*v) for x in v)).turn
    assert abs(math.hypot(*turn) - 1.0) < 1e-15
    assert Link(turn=turn).turn == turn
    assert max(abs(a - b) for a, b in zip(Link(turn=tuple(1.0009 * x for x in turn)).turn, turn)) < 3e-16
    with pytest.raises(ModelError, match=r"turn .* has length 1.0011.*, not 1; write \("):
        Link(turn=tuple(1.0011 * x for x in turn))


def test_the_sentence_gives_the_vector_to_write():
    with pytest.raises(ModelError, match=r"joint\.axis \(0, 3, 4\) has length 5, not 1; write \(0, 0\.6, 0\.8\)"):
        Revolute(axis=(0, 3, 4))
    with pytest.raises(ModelError, match=r"has length 0, not 1; give a vector of length 1"):
        Revolute(axis=(0, 0, 0))


@given(directions, directions)
def test_universal_axes_are_made_perpendicular_once(a, b):
    a = np.array(a) / math.hypot(*a)
    across = np.cross(a, b)
    if np.linalg.norm(across) < 1e-2:
        return
    across /= np.linalg.norm(across)
    for slant, fine in ((0.9e-9, True), (-0.9e-9, True), (1.1e-9, False)):
        axes = a, across + slant * a
        if fine:
            made = Universal(axes=axes).axes
            assert abs(np.dot(*made)) < 1e-15
            assert Universal(axes=made).axes == made
        else:
            with pytest.raises(ModelError, match=r"joint\.axes .* not perpendicular"):
                Universal(axes=axes)


@given(joints(laws=True))
def test_a_second_check_changes_nothing(joint):
    words = {name: getattr(joint, name) for name in joint.__struct_fields__}
    assert repr(type(joint)(**words)) == repr(joint)


def test_values_per_velocity():
    assert Revolute(stiffness=3).per_velocity("stiffness") == (3.0,)
    assert Spherical(damping=3).per_velocity("damping") == (3.0, 3.0, 3.0)
    assert Universal(upper=(1, 2), rest=4).per_velocity("upper") == (1.0, 2.0)
    assert Universal(upper=(1, 2), rest=4).per_velocity("rest") == (4.0, 4.0)
    assert Revolute().per_velocity("lower", -math.inf) == (-math.inf,)
    assert Free().per_velocity("stiffness") == (0.0,) * 6
    assert Fixed().per_velocity("stiffness") == ()


@pytest.mark.parametrize("make", [Free, FreePlanar, Fixed])
@pytest.mark.parametrize("field", ["stiffness", "damping", "rest", "lower"])
def test_kinds_without_springs_take_none(make, field):
    with pytest.raises(ModelError, match=f"joint.{field}: unknown field; "):
        make(**{field: 1.0})


def test_a_lone_signal_drives_a_lone_coordinate():
    assert Revolute(drive=Sine(1.0, 2.0)).drive == (Sine(1.0, 2.0),)
    assert Spherical(drive=[Constant(1.0)] * 3).drive == (Constant(1.0),) * 3


def test_an_angle_may_be_without_a_limit():
    joint = Universal(lower=(None, -1), upper=(0.5, None), limit_stiffness=3)
    assert joint.per_velocity("lower", -math.inf) == (-math.inf, -1.0)
    assert joint.per_velocity("upper", math.inf) == (0.5, math.inf)
    assert Universal(lower=(-math.inf, -1), upper=(0.5, math.inf), limit_stiffness=3) == joint
    chain = Chain([Link(length=1, mass=1, radius=0.1, joint=joint)])
    assert "lower = [-inf, -1.0]" in chain.to_toml() and parse(chain.to_toml()) == chain
    assert chain.model.spring[:, LOWER].tolist() == [-math.inf, -1.0]


@given(signals())
def test_signals_check_the_same_twice(signal):
    words = {name: getattr(signal, name) for name in signal.__struct_fields__}
    assert repr(type(signal)(**words)) == repr(signal)


def test_tables_rise_strictly():
    assert Table([0, 1e-300], [1, 2]).time == (0.0, 1e-300)
    for time in ([0, 0], [0.0, -0.0], [1, 0], [0, 1, 1], [0, 2, 1]):
        with pytest.raises(ModelError, match=r"signal\.time must rise"):
            Table(time, [0] * len(time))


def test_minus_zero_becomes_zero():
    assert repr(Load(force=(-0.0, 0.0, -0.0))) == repr(Load(force=(0.0, 0.0, 0.0)))
    assert repr(Revolute(axis=(0.0, -0.0, 1.0))) == repr(Revolute())


JOINT_SENTENCES = [
    (lambda: Revolute(stiffness=-1), "joint.stiffness is -1; give a stiffness >= 0"),
    (lambda: Revolute(damping=math.nan), "joint.damping is nan; give a finite number"),
    (lambda: Revolute(rest=math.inf), "joint.rest is inf; give a finite number"),
    (lambda: Revolute(rest="1"), "joint.rest is '1'; give a number"),
    (lambda: Revolute(stiffness=True), "joint.stiffness is True; give a number"),
    (lambda: Revolute(axis=(0, 0)), "joint.axis is (0, 0); give 3 numbers"),
    (lambda: Revolute(axis=(0, math.nan, 1)), "joint.axis[1] is nan; give a finite number"),
    (lambda: Revolute(lower=1, upper=1), "joint.lower is 1, not below joint.upper 1; give lower < upper"),
    (lambda: Revolute(lower=math.inf), "joint.lower is inf; give a finite number"),
    (lambda: Prismatic(limit_damping=1), "joint.limit_damping has no limit to act at"),
    (lambda: Prismatic(limit_stiffness=1), "joint.limit_stiffness has no limit to act at"),
    (lambda: Revolute(drive=[Constant(1)] * 2), "give 1 signal(s), or none"),
    (lambda: Free(drive=[Constant(1)]), "give 6 signal(s), or none"),
    (lambda: Revolute(drive=[1.0]), "joint.drive[0] is 1; give one of: Constant, Sine, Table"),
    (lambda: Revolute(drive=3.0), "joint.drive is 3; give 1 signal(s)"),
    (lambda: Universal(axes=(1, 0, 0)), "joint.axes is (1, 0, 0); give two unit vectors"),
    (lambda: Universal(axes=((1, 0, 0), (0, 2, 0))), "joint.axes[1] (0, 2, 0) has length 2"),
    (lambda: Universal(stiffness=(1, -2)), "joint.stiffness is -2; give a stiffness >= 0"),
    (lambda: Universal(rest=(1, 2, 3)), "joint.rest is (1, 2, 3); give 2 numbers"),
    (lambda: Universal(lower=(0, 1), upper=(1, 1)), "joint.lower is 1, not below joint.upper 1"),
    (lambda: Universal(limit_stiffness=(0, 1)), "joint.limit_stiffness has no limit to act at"),
    (lambda: Universal(upper=(None, math.nan)), "joint.upper[1] is nan; give a finite number"),
    (lambda: Universal(lower=(None, 1, 2)), "joint.lower is (None, 1, 2); give a number for both angles, or two, None"),
    (lambda: Universal(lower=(None, None), limit_damping=1), "joint.limit_damping has no limit to act at"),
    (lambda: Spherical(stiffness=-1), "joint.stiffness is -1"),
    (lambda: Spherical(stiffness=-1), "give a stiffness >= 0 (in a spherical joint)"),
    (lambda: Revolute(dampin=1), 'joint.dampin: unknown field; did you mean "damping"? known are drive'),
    (lambda: Sine(1.0), "signal.omega is missing; give it a value"),
    (lambda: Load(forc=(1, 2, 3)), 'load.forc: unknown field; did you mean "force"? known are force, moment'),
    (lambda: Constant(math.nan), "signal.value is nan; give a finite number"),
    (lambda: Sine(1.0, math.inf), "signal.omega is inf; give a finite number"),
    (lambda: Sine(1.0, 1.0, phase=None), "signal.phase is None; give a number"),
    (lambda: Table([0], [1]), "signal.time has 1 row(s); give two or more, or use Constant"),
    (lambda: Table([0, 1], [1]), "signal.value has 1 rows but signal.time has 2"),
    (lambda: Table([0, math.nan], [1, 1]), "signal.time[1] is nan; give a finite number in s"),
    (lambda: Table("01", [1, 1]), "signal.time is '01'; give a row of numbers in s"),
    (lambda: Load(force=(1, 2)), "load.force is (1, 2); give 3 numbers in N"),
    (lambda: Load(moment=(1, 2, math.nan)), "load.moment[2] is nan; give a finite number in N m"),
    (lambda: Load(at=None), "load.at is None; give 3 numbers in m"),
    (lambda: Load(frame="moon"), 'load.frame is \'moon\'; known are "link", "world"'),
    (lambda: Load(signal=3.0), "load.signal is 3; give one of: Constant, Sine, Table"),
]


@pytest.mark.parametrize("make, sentence", JOINT_SENTENCES, ids=[s for _, s in JOINT_SENTENCES])
def test_refusals_say_what_and_what_helps(make, sentence):
    with pytest.raises(ModelError) as refused:
        make()
    assert sentence in str(refused.value)
