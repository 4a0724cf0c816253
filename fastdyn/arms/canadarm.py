"""The simplified Canadarm2 that falls on an oblique plane, every number of it by name, with where it comes from.

Sources: "given" by the paper, whole or (partly) where letters are missing; "public" data of the Shuttle arm [Nguyen &
Hughes 1994]; "reconstructed" from the paper's wording; "free choice" where any other value would be as legitimate.
"""

import inspect
import math
from typing import NamedTuple

import numpy as np

from ..describe.check import known, number, one_of, positive, whole, yes_or_no
from ..status import ModelError
from .describe import MOST_MODES, ROTATIONS, Body, FlexibleLink, Joint, Link, Origin, Plane, SpatialArm

GIVEN, PARTLY, PUBLIC, REBUILT, FREE = "given", "given (partly)", "public", "reconstructed", "free choice"
YOURS = "set by you"
SETS, FRICTIONS = ("R2", "R5"), ("I", "II", "III", "none")
LAWS = {"I": "ambrosio", "II": "tanh", "III": "step", "none": "none"}
NUMBERS = {"I": ("mu", "v0", "v1"), "II": ("mu", "tangential", "steepness"),
           "III": ("mu", "mu_static", "v_static", "v_sliding"), "none": ()}


class Row(NamedTuple):
    """A number of the catalog: its value in each set, or by friction; None: that set has no such number."""

    name: str
    unit: str
    value: object
    source: str
    about: str


def _both(r2, r5):
    return {"R2": r2, "R5": r5}


def _wrist(k, where, length, mass, com, moments, weighed, products=(0.0, 0.0, 0.0)):
    """Rows of a link of the wrist: its mass is as sure as `weighed` says, the rest is public."""
    names = ("Ixx", "Iyy", "Izz", "Ixy", "Ixz", "Iyz")
    return [Row(f"length{k}", "m", _both(None, length), PUBLIC, f"{where}, to the next joint or the end"),
            Row(f"mass{k}", "kg", _both(None, mass), weighed, where),
            Row(f"com{k}", "m", _both(None, com), PUBLIC, f"{where}, mass centre along it"),
            *(Row(f"{name}{k}", "kg m^2", _both(None, value), PUBLIC, f"{where}, about its mass centre, x along it")
              for name, value in zip(names, (*moments, *products)))]


DEGREE = math.radians(1.0)
TABLE = (
    Row("length1", "m", 6.377, GIVEN, "upper boom"), Row("length2", "m", 7.06, PUBLIC, "lower boom"),
    Row("mass1", "kg", 139.35, GIVEN, "upper boom"), Row("mass2", "kg", 87.42, PUBLIC, "lower boom"),
    Row("Ixx1", "kg m^2", 3.225, GIVEN, "upper boom about its length; per length shared by y and z"),
    Row("Ixx2", "kg m^2", 1.59, PUBLIC, "lower boom"),
    Row("com1", "m", _both(None, 3.1883), GIVEN, "upper boom, mass centre along it"),
    Row("com2", "m", _both(None, 3.53), PUBLIC, "lower boom"),
    Row("Iyy1", "kg m^2", _both(None, 998.63), GIVEN, "upper boom, across, about its mass centre"),
    Row("Izz1", "kg m^2", _both(None, 997.18), GIVEN, "upper boom"),
    Row("Iyy2", "kg m^2", _both(None, 632.90), PUBLIC, "lower boom"),
    Row("Izz2", "kg m^2", _both(None, 632.51), PUBLIC, "lower boom"),
    Row("elbow", "m", -0.475, GIVEN, "offset of the lower boom along the axis of its joint"),
    *_wrist(3, "wrist pitch", 0.4572, 8.48, 0.2286, (0.0893, 0.402, 0.402), PUBLIC),
    *_wrist(4, "wrist yaw", 0.762, 45.94, 0.381, (0.408, 4.68, 4.68), GIVEN),
    *_wrist(5, "wrist roll", 0.6604, 45.21, 0.3302, (1.903, 3.816, 2.823), GIVEN, (0.385, 0.966, 0.353)),
    Row("EI1", "N m^2", 6.0e6, FREE, "upper boom, both planes"),
    Row("EI2", "N m^2", 4.5e6, FREE, "lower boom, both planes"),
    Row("EA1", "N", 3.0e8, FREE, "upper boom"), Row("EA2", "N", 2.0e8, FREE, "lower boom"),
    Row("GJ1", "N m^2", 1.5e6, FREE, "upper boom"), Row("GJ2", "N m^2", 1.0e6, FREE, "lower boom"),
    Row("damping", "s", 0.0, FREE, "of the booms, over their stiffness"),
    Row("axial_modes", "", 1, FREE, "of each boom"),
    Row("bending_modes", "", _both(4, 3), FREE, "of each boom in each of two planes"),
    Row("torsion_modes", "", 1, FREE, "of each boom"),
    Row("foreshortening", "", True, GIVEN, "bending draws the sections in; the factor 1/2 of it is reconstructed"),
    Row("rotation", "", "linear", REBUILT, "of sections: linear, 1 + skew(phi), or exp"),
    Row("joint_stiffness", "N m/rad", 1e5, FREE, "of every joint"),
    Row("joint_damping", "N m s/rad", 0.0, FREE, "of every joint"),
    Row("rotor", "kg m^2", 1.0, FREE, "inertia of every motor, spin relative to its seat"),
    Row("torque", "N m", 0.0, GIVEN, "of every motor: a free fall"),
    Row("angle1", "rad", 25*DEGREE, FREE, "of joint 1 at the start, motor and link alike"),
    Row("angle2", "rad", -25*DEGREE, FREE, "of joint 2 at the start; all others are zero, as given"),
    Row("gravity", "m/s^2", 9.81, FREE, "along -Y"),
    Row("beta", "rad", 20*DEGREE, FREE, "turn of the plane about X; that it is about X is given"),
    Row("x_p", "m", 13.0, FREE, "a point of the plane"),
    Row("y_p", "m", _both(0.562, 0.405), FREE, "that point: when it is struck"),
    Row("z_p", "m", 0.0, FREE, "that point"),
    Row("stiffness", "N/m^exponent", _both(2.0e8, 5.5e7), FREE, "of the contact: how long it lasts"),
    Row("exponent", "", 1.5, FREE, "of the depth"),
    Row("restitution", "", 0.8, FREE, "what the law of contact is told"),
    Row("mu", "", {"I": 0.5, "II": 0.5, "III": 0.4}, FREE, "sliding friction"),
    Row("v0", "m/s", {"I": 0.01}, FREE, "no friction up to here"),
    Row("v1", "m/s", {"I": 0.1}, FREE, "full friction from here on"),
    Row("tangential", "", {"II": 1.0}, FREE, "tangential restitution, a factor of mu"),
    Row("steepness", "s/m", {"II": 20.0}, FREE, "of the smooth sign"),
    Row("mu_static", "", {"III": 0.5}, FREE, "friction at its peak"),
    Row("v_static", "m/s", {"III": 0.1}, FREE, "where the peak is"),
    Row("v_sliding", "m/s", {"III": 1.0}, FREE, "mu from here on"),
)
CHOICES = (                                                 # what is no number, for provenance
    ("links on joints", "booms flexible, joints flexible with motor and link angles", "", GIVEN, ""),
    ("contact point", "end of the lower boom", "", GIVEN, ""),
    ("contact law", "lankarani-nikravesh, never pulling", "", PARTLY,
     "the formula is lost in part; that it never pulls is a free choice"),
)
FRICTION_TOLD = {"I": (PARTLY, "piecewise"), "II": (PARTLY, "smooth; the exact function is lost"),
                 "III": (PARTLY, "Stribeck by steps"), "none": (FREE, "none")}
BOOMS_TOLD = {"R2": (FREE, "uniform, mass over length; the wrist is left out"),
              "R5": (FREE, "uniform with a point mass at each end: mass, centre and mean of Iyy and Izz are met")}


def canadarm2(set: str = "R2", friction: str = "II", **numbers):
    """The simplified Canadarm2 that falls from rest onto an oblique plane with the end of its lower boom.

    Parameters
    ----------
    set : "R2", the two flexible booms, which shows the published three peaks; "R5", all five links.
    friction : "I" piecewise, "II" smooth, "III" Stribeck by steps, "none".
    **numbers : any of TABLE by name, SI units; those not given are the set's own. `arm.provenance` lists all of them.

    Examples
    --------
    >>> from fastdyn.arms import canadarm2
    >>> arm = canadarm2("R5", "III", EI1=5e6, restitution=0.9)
    >>> len(arm.links), next(x for x in arm.provenance if x.name == "EI1").source
    (5, 'set by you')
    """
    one_of(set, SETS, "set")
    one_of(friction, FRICTIONS, "friction")
    x = {row.name: _value(row, set, friction) for row in TABLE}
    given = {name: _checked(name, value, set, friction, x) for name, value in numbers.items() if value is not None}
    x |= given
    arm = SpatialArm(tuple(_links(x, set == "R5")), (0.0, -x["gravity"], 0.0), (_plane(x, friction),),
                     provenance=tuple(_origins(x, set, friction, given)), name=f"canadarm2 {set}, friction {friction}")
    names = arm.names
    q = np.zeros(len(names))
    for name in names:
        if name.startswith(("th1_", "th2_")):
            q[names.index(name)] = x[f"angle{name[2]}"]
    return arm.replace(start=(tuple(q.tolist()), (0.0,)*len(q)))


def _value(row, set, friction):
    """Its value in that set with that friction; None: it is not there."""
    return row.value.get(set, row.value.get(friction)) if isinstance(row.value, dict) else row.value


def _checked(name, value, set, friction, usual):
    """A value that is given, of the kind of the usual one."""
    if name not in usual:
        raise ModelError(f'canadarm2 has no "{name}"; {known(name, ("set", "friction", *usual))}')
    if usual[name] is None:
        raise ModelError(f'canadarm2: set "{set}" with friction "{friction}" has no {name}; leave it out')
    if isinstance(usual[name], bool):
        return yes_or_no(value, name)
    if isinstance(usual[name], str):
        return one_of(value, ROTATIONS, name)
    if isinstance(usual[name], int):
        return whole(value, name, "modes", 0, most=MOST_MODES)
    unit, = (row.unit for row in TABLE if row.name == name)
    return (positive if name.startswith(("length", "mass", "Ixx")) else number)(value, name, unit)


def _links(x, full):
    drive = {"stiffness": x["joint_stiffness"], "damping": x["joint_damping"], "rotor": x["rotor"],
             "torque": x["torque"]}
    modes = (x["axial_modes"], x["bending_modes"], x["bending_modes"], x["torsion_modes"])
    for k in (1, 2):
        L, mass, section = x[f"length{k}"], x[f"mass{k}"], x[f"Ixx{k}"]/(2*x[f"length{k}"])
        bodies = ((), ())
        if full:
            mass, *ends = lumped(L, mass, x[f"com{k}"], (x[f"Iyy{k}"] + x[f"Izz{k}"] - x[f"Ixx{k}"])/2, k)
            bodies = [(Body(m),) for m in ends]
        beam = FlexibleLink(L, mass/L, x[f"EA{k}"], x[f"EI{k}"], x[f"EI{k}"], x[f"GJ{k}"], section, section, modes,
                            x["foreshortening"], x["rotation"], x["damping"])
        yield Link(Joint(place=(0.0, 0.0, x["elbow"] if k == 2 else 0.0), **drive), beam, (0.0, 0.0, 0.0), *bodies)
    if full:
        about_x = (1.0, 0.0, 0.0), (0.0, 0.0, -1.0), (0.0, 1.0, 0.0)
        about_y = (0.0, 0.0, 1.0), (0.0, 1.0, 0.0), (-1.0, 0.0, 0.0)
        straight = Joint().turn
        in_pitch = np.array([(1.0, 0.0, 0.0), (0.0, 0.0, -1.0), (0.0, 1.0, 0.0)])
        for k, turn, axes in ((3, straight, in_pitch), (4, about_x, np.eye(3)), (5, about_y, np.array(about_y).T)):
            I = np.array([[x[f"I{min(a, b)}{max(a, b)}{k}"] for b in "xyz"] for a in "xyz"])
            along = axes @ (1.0, 0.0, 0.0)
            inertia = tuple(map(tuple, (axes @ I @ axes.T + 0.0).tolist()))
            yield Link(Joint(turn=turn, **drive), tip=tuple((x[f"length{k}"]*along).tolist()),
                       proximal=(Body(x[f"mass{k}"], tuple((x[f"com{k}"]*along).tolist()), inertia),))


def lumped(L, mass, com, across, k):
    """Masses of a uniform beam and of points at its ends with that mass, centre and moment about the centre."""
    found = np.linalg.solve([[1.0, 1.0, 1.0], [L/2, 0.0, L], [L*L/3, 0.0, L*L]],
                            [mass, mass*com, across + mass*com*com]).tolist()
    if not min(found) >= 0.0:
        raise ModelError(f"canadarm2: mass{k}, com{k} and the moments of boom {k} are those of no uniform beam with a "
                         f"point mass at each end; bring com{k} nearer to the middle or change Iyy{k} and Izz{k}")
    return found


def _plane(x, friction):
    c, s = math.cos(x["beta"]), math.sin(x["beta"])
    return Plane(1, (x["x_p"], x["y_p"], x["z_p"]), (0.0, c, s), (1.0, 0.0, 0.0), "lankarani-nikravesh",
                 {"stiffness": x["stiffness"], "exponent": x["exponent"], "restitution": x["restitution"],
                  "clamp": 1.0}, LAWS[friction], {name: x[name] for name in NUMBERS[friction]})


def _origins(x, set, friction, given):
    """An Origin for all that is there, choices first."""
    for words in CHOICES:
        yield Origin(*words)
    yield Origin("mass of the booms", BOOMS_TOLD[set][1], "", BOOMS_TOLD[set][0], "")
    yield Origin("friction law", f"{friction}: {LAWS[friction]}", "", *FRICTION_TOLD[friction])
    if set == "R5":
        yield Origin("axes of the wrist", "pitch z, yaw Rx(90 deg), roll Ry(90 deg)", "", FREE, "")
    for row in TABLE:
        if x[row.name] is not None:
            yield Origin(row.name, x[row.name], row.unit, YOURS if row.name in given else row.source, row.about)


def _signature():
    """What can be set, as tools and the command see it; None: the set's own."""
    kinds = {bool: bool, str: str, int: int | None, float: float | None}
    first = [inspect.Parameter(name, inspect.Parameter.POSITIONAL_OR_KEYWORD, default=default, annotation=str)
             for name, default in (("set", "R2"), ("friction", "II"))]
    more = []
    for row in TABLE:
        default = None if isinstance(row.value, dict) else row.value
        kind = type(next(v for v in row.value.values() if v is not None) if default is None else default)
        annotation = kind if default is not None else kinds[kind]
        more.append(inspect.Parameter(row.name, inspect.Parameter.KEYWORD_ONLY, default=default,
                                      annotation=annotation))
    return inspect.Signature(first + more)


canadarm2.__signature__ = _signature()
