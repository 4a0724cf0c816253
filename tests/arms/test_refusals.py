"""Words that cannot be are refused in one sentence, and what may be said in several ways is taken in all of them."""

import math

import numpy as np
import pytest

from fastdyn.arms import Body, FlexibleLink, Joint, Link, Plane, SpatialArm, flexible_arm, modified_dh
from fastdyn.arms.compile import compiled
from fastdyn.arms.layout import C_NORMAL, C_T1
from fastdyn.status import ModelError

BEAM = {"length": 1.0, "rho_A": 1.0, "EA": 1e5, "EIy": 10.0, "EIz": 10.0, "GJ": 5.0, "rho_Iy": 1e-3, "rho_Iz": 1e-3,
        "modes": (0, 1, 0, 0)}
PLANE = {"link": 0, "point": (0.0, -1.0, 0.0), "normal": (0.0, 1.0, 0.0), "tangent": (1.0, 0.0, 0.0), "law": "hertz",
         "numbers": {"stiffness": 1e4}}


def arm(plane=None, **words):
    planes = () if plane is None else (Plane(**{**PLANE, **plane}),)
    return SpatialArm(**{"links": (Link(Joint(), FlexibleLink(**BEAM)),), "gravity": (0.0, -9.81, 0.0),
                         "planes": planes, **words})


@pytest.mark.parametrize("words, match", [
    ({"length": "1"}, "length"), ({"length": math.nan}, "length"), ({"modes": 3}, "modes"),
    ({"modes": (1, 2)}, "modes"),
    ({"modes": (0, True, 0, 0)}, "modes"), ({"modes": (0, 0, 0, 0)}, "no mode"), ({"foreshortening": "off"}, "True"),
    ({"points": 20.5}, "points"), ({"points": 4}, "points"), ({"rho_Iy": math.nan}, "rho_Iy"),
    ({"rho_Iy": -1.0}, "rho_Iy"), ({"damping": -1.0}, "damping"), ({"damping": math.nan}, "damping"),
    ({"rotation": "euler"}, "rotation"), ({"EIz": 0.0}, "1 modes stand on it"),
    ({"modes": (0, 0, 0, 1), "rho_Iy": 0.0, "rho_Iz": 0.0}, "no inertia")])
def test_beams(words, match):
    with pytest.raises(ModelError, match=match):
        FlexibleLink(**{**BEAM, **words})


@pytest.mark.parametrize("words, match", [
    ({"rotor": math.nan}, "rotor"), ({"rotor": -1.0}, "rotor"), ({"torque": math.inf}, "torque"),
    ({"place": (math.nan, 0.0, 0.0)}, "place"), ({"place": (0.0, 0.0)}, "place"), ({"spin": (1.0, -1.0)}, "spin"),
    ({"spin": (1.0, 1.0), "torque_limit": 2.0}, "torque_limit or gear"),
    ({"stiffness": math.inf}, "stiffness"), ({"stiffness": "soft"}, "stiffness"), ({"turn": 1.0}, "turn"),
    ({"turn": ((1.0, 0.0, 0.0),)*3}, "no rotation"), ({"stiffness": 1.0}, "rotor")])
def test_joints(words, match):
    with pytest.raises(ModelError, match=match):
        Joint(**words)


@pytest.mark.parametrize("words, match", [
    ({"mass": -1.0}, "mass"), ({"mass": math.nan}, "mass"), ({"com": (0.0, 0.0)}, "com"),
    ({"inertia": (1.0, 1.0)}, "inertia"), ({"inertia": (1.0, 1.0, 3.0)}, "no body has"),
    ({"inertia": ((1.0, 0.1, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0))}, "symmetric"), ({"inertia": 1.0}, "inertia")])
def test_bodies(words, match):
    with pytest.raises(ModelError, match=match):
        Body(**{"mass": 1.0, **words})


@pytest.mark.parametrize("words, match", [
    ({"link": 0.5}, "whole number"), ({"link": -1}, "plane.link"), ({"link": 5}, "links 0 to 0"),
    ({"normal": (0.0, math.nan, 0.0)}, "normal"), ({"normal": (0.0, 0.0, 0.0)}, "not zero"),
    ({"tangent": (0.0, 1.0, 0.0)}, "not perpendicular"), ({"eta": 2.0}, "beyond"), ({"eta": math.nan}, "eta"),
    ({"numbers": 1e4}, "dict"), ({"point": (0.0, 1.0)}, "point"), ({"law": "bouncy"}, "bouncy"),
    ({"friction": "bouncy"}, "bouncy"), ({"numbers": {"stiffness": -1.0}}, "stiffness")])
def test_planes(words, match):
    with pytest.raises(ModelError, match=match):
        compiled(arm(words))


@pytest.mark.parametrize("make, match", [
    (lambda: arm(gravity=(0.0, -9.81)), "gravity"), (lambda: arm(gravity=(0.0, math.nan, 0.0)), "gravity"),
    (lambda: arm(links=()), "empty"), (lambda: arm(links=(1,)), r"links\[0\]"), (lambda: arm(links=3), "links"),
    (lambda: arm(start=((0.0,), (0.0,))), "start"), (lambda: arm(start=3.0), "start"),
    (lambda: Link(Joint(), FlexibleLink(**BEAM), (1.0, 0.0, 0.0)), "ends at its length"),
    (lambda: Link(1), "joint"), (lambda: Link(Joint(), proximal=(1,)), "proximal"),
    (lambda: SpatialArm((Link(Joint(spin=(1.0, 1.0))),)), "nothing can move"),
    (lambda: SpatialArm((Link(tip=(1.0, 0.0, 0.0), proximal=(Body(1.0),)),), planes=(Plane(**PLANE, eta=1.5),)),
     "beyond"), (lambda: modified_dh("a", 0.0), "alpha")])
def test_arms(make, match):
    with pytest.raises(ModelError, match=match):
        make()


@pytest.mark.parametrize("words, match", [
    ({"t_end": math.nan}, "t_end"), ({"t_end": -1.0}, "later end"), ({"t_end": 0.0}, "later end"),
    ({"t": math.inf}, "t is"), ({"rtol": -1.0}, "rtol"), ({"rtol": 1e-17}, "sixteen"), ({"atol": math.nan}, "atol"),
    ({"samples": (0.5, 2.0)}, "samples"), ({"samples": 1}, "samples"), ({"q": "ab"}, "q is"),
    ({"q": (1.0,)}, "2 numbers"),
    ({"v": (0.0, math.nan)}, r"v\[1\]"), ({"touch": (1.0,)}, "touch"), ({"every": 1}, "every"),
    ({"method": "euler"}, "method"), ({"formulation": "dense"}, "formulation"), ({"h_max": -1.0}, "h_max"),
    ({"max_steps": 2.5}, "whole"), ({"h_min": 1.0, "h_max": 0.1}, "smaller"), ({"colour": 1.0}, "no such setting"),
    ({"policy": "slow"}, "policy")])
def test_runs(words, match):
    with pytest.raises(ModelError, match=match):
        arm().simulate(**{"t_end": 1.0, **words})


def test_a_touch_that_cannot_be():
    for touch in ((-1.0,), (math.nan,)):
        with pytest.raises(ModelError, match="touch"):
            arm({}).simulate(1.0, touch=touch)


def test_a_touch_far_from_its_plane():
    far = arm({"point": (0.0, -10.0, 0.0)})
    with pytest.raises(ModelError, match=r"touch\[0\] is 1 m/s, but the point of plane\[0\] is .* m off it"):
        far.simulate(1.0, touch=(1.0,))


def test_what_may_be_said_in_several_ways():
    beam = FlexibleLink(**{**BEAM, "modes": np.array([0, 2, 1, 0])})
    assert beam.modes == (0, 2, 1, 0) and isinstance(beam.modes[1], int)
    long, short = (compiled(arm({"normal": n, "tangent": t})).contact[0]
                   for n, t in (((0.0, 3.0, 4.0), (-2.0, 0.0, 0.0)), ((0.0, 0.6, 0.8), (-1.0, 0.0, 0.0))))
    assert (long[C_NORMAL:C_T1 + 3] == short[C_NORMAL:C_T1 + 3]).all()
    assert flexible_arm(1).replace(gravity=[0, 0, 1]).gravity == (0.0, 0.0, 1.0)
