"""Published mechanisms with closed loops as chains: where they come from is told in docs/theory/loops.md."""

import math

from ..status import ModelError
from .body import Body
from .chain import Chain
from .check import MOST_LINKS, number, one_of, positive, whole
from .closures import Closure
from .joints import Revolute
from .link import Link
from .signals import Constant
from .words import spelt

# Andrews' squeezer: masses kg, moments of inertia kg m^2, places and lengths m, spring N/m and m, torque N m
MASSES = (0.04325, 0.00365, 0.02373, 0.00706, 0.07050, 0.00706, 0.05498)
INERTIAS = (2.194e-6, 4.410e-7, 5.255e-6, 5.667e-7, 1.169e-5, 5.667e-7, 1.912e-5)
A, B, C = (-0.06934, -0.00227, 0.0), (-0.03635, 0.03273, 0.0), (0.014, 0.072, 0.0)
D, DA, EL, EA, RR, RA = 0.028, 0.0115, 0.02, 0.01421, 0.007, 0.00092
SS, SA, SB, SC, SD = 0.035, 0.01874, 0.01043, 0.018, 0.02
TA, TB, U, UA, UB, ZF, ZT, FA = 0.02308, 0.00916, 0.04, 0.01228, 0.00449, 0.02, 0.04, 0.01421
SPRING, FREE_LENGTH, TORQUE = 4530.0, 0.07785, 0.033
# beta, Theta, gamma, delta, phi, epsilon, Omega
ANDREWS_START = (-0.0617138900142764496, 0.0, 0.455279819163070380, 0.487364979543842550, 0.222668390165885885,
                 1.23054744454982119, -0.222668390165885885)


@spelt
def andrews() -> Chain:
    """Andrews' squeezing mechanism: seven bodies in the plane, three loops, a stiff spring, driven from rest.

    Coordinates are the angles of the literature in the order beta, Theta, gamma, delta, phi, epsilon, Omega; all three
    loops close at one place of the coupler K2.
    """
    def link(name, k, com, **words):
        body = Body(mass=MASSES[k - 1], com=(*com, 0.0), inertia=(INERTIAS[k - 1],)*3)
        return Link(name=name, body=body, **words)

    links = [
        link("K1", 1, (RA, 0.0), parent="base", length=RR, joint=Revolute(drive=Constant(TORQUE))),
        link("K2", 2, (-DA, 0.0), points={"E": (-D, 0.0, 0.0)}),
        link("K3", 3, (SB, -SA), parent="base", at=B, points={"E": (0.0, -SS, 0.0), "D": (SD, -SC, 0.0)}),
        link("K5", 5, (TA, TB), parent="base", at=A, length=ZT),
        link("K4", 4, (0.0, EA - EL), points={"E": (0.0, -EL, 0.0)}),
        link("K7", 7, (-UB, -UA), parent="base", at=A),
        link("K6", 6, (ZF - FA, 0.0), at=(0.0, -U, 0.0), points={"E": (ZF, 0.0, 0.0)}),
    ]
    closures = [Closure(kind="pin", a="K2.E", b=f"{other}.E", name=f"E of {other}") for other in ("K3", "K4", "K6")]
    spring = Closure(kind="distance", a=C, b="K3.D", length=FREE_LENGTH, stiffness=SPRING, name="spring")
    return Chain(links, gravity=(0.0, 0.0, 0.0), closures=[*closures, spring], start_q=ANDREWS_START, name="andrews")


@spelt
def n_four_bar(n: int = 2, length: float = 1.0, mass: float = 1.0, speed: float = 1.0) -> Chain:
    """n windows of four bars in a row: equal cranks on the ground, upright at the start, joined by equal bars.

    Parameters
    ----------
    n : number of windows, n + 1 cranks.
    length, mass : of every bar, m, kg.
    speed : of the tips of the cranks at the start, towards +x, m/s.
    """
    n = whole(n, "n", "windows", most=MOST_LINKS//3)
    length, mass = positive(length, "length", "m"), positive(mass, "mass", "kg")
    rate = number(speed, "speed", "m/s")/length
    upright = (math.cos(math.pi/4), 0.0, 0.0, math.sin(math.pi/4))
    links, v = [], []
    for k in range(n + 1):
        at = k*length, 0.0, 0.0
        links.append(Link(name=f"crank{k}", parent="base", at=at, turn=upright, length=length, mass=mass))
        v.append(-rate)
        if k < n:
            links.append(Link(name=f"bar{k}", turn=(upright[0], 0.0, 0.0, -upright[3]), length=length, mass=mass))
            v.append(rate)
    closures = [Closure(kind="pin", a=f"bar{k}.tip", b=f"crank{k + 1}.tip", name=f"window{k}") for k in range(n)]
    return Chain(links, closures=closures, start_q=(0.0,)*len(v), start_v=tuple(v), name="n-four-bar")


@spelt
def four_bar(ground: float = 1.0, crank: float = 0.4, coupler: float = 1.2, rocker: float = 0.8,
             density: float = 1.0, elbow: str = "+") -> Chain:
    """A four-bar linkage of slender bars: crank and rocker turn on the ground, the coupler joins them.

    Parameters
    ----------
    ground, crank, coupler, rocker : lengths, m; the linkage has to close with its crank along the ground.
    density : mass of a bar per length, kg/m.
    elbow : "+" or "-", the working mode: coupler and rocker meet to the left or to the right of the way from the tip of
        the crank to the joint of the rocker.
    """
    lengths = [positive(x, what, "m") for x, what in ((ground, "ground"), (crank, "crank"), (coupler, "coupler"),
                                                      (rocker, "rocker"))]
    density = positive(density, "density", "kg/m")
    side = 1.0 if one_of(elbow, ("+", "-"), "elbow") == "+" else -1.0
    ground, crank, coupler, rocker = lengths
    apart = abs(ground - crank)
    if not abs(coupler - rocker) < apart < coupler + rocker:
        raise ModelError(f"with the crank along the ground its tip is {apart:.6g} m from the rocker's joint: coupler "
                         f"{coupler:.6g} m and rocker {rocker:.6g} m do not meet; change a length")
    at_tip = math.acos((apart*apart + coupler*coupler - rocker*rocker)/(2*apart*coupler))
    way = 0.0 if ground > crank else math.pi
    first = way + side*at_tip
    x, y = crank + coupler*math.cos(first) - ground, coupler*math.sin(first)
    links = [Link(name=name, parent=parent, at=at, length=length, mass=density*length) for name, parent, at, length in (
        ("crank", "base", None, crank), ("coupler", "crank", None, coupler),
        ("rocker", "base", (ground, 0.0, 0.0), rocker))]
    pin = Closure(kind="pin", a="coupler.tip", b="rocker.tip")
    return Chain(links, closures=[pin], start_q=(0.0, first, math.atan2(y, x)), name="four-bar")
