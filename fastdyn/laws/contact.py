"""Normal force of one contact point, F = K d^n (1 + c d'/v), along the normal of the ground.

d depth (m, positive inside), d' its rate (m/s, positive going in), v the d' at the start of this contact, c what a law
makes of a restitution. Derivations, closed forms, restitutions reached: docs/theory/contact.md.

Contact numbers, a tuple of five: (stiffness N/m^exponent, exponent, restitution, slowest m/s, clamp 0 or 1).
"""

import math

from .._jit import leaf
from ..algebra.power import accurate_power
from .words import Law, Parameter

(HERTZ, HUNT_CROSSLEY, HERBERT_MCWHANNELL, LEE_WANG, LANKARANI_NIKRAVESH, FLORES, GHARIB_HURMUZLU, HU_GUO) = range(8)

SLOWEST = 1e-6                                          # m/s: slower impacts are damped as if they came with this

LEAST_EXPONENT = 0.1                                    # of the depth; 0 would be a force that jumps at the touch
MOST_DAMPING = 1e9                                      # c: the rounding of d' is 1e-16 of v, so of c d'/v 1e-7 is left

_PARAMETERS = (
    Parameter("stiffness", "N/m^exponent", None, "K, force over depth^exponent", positive=True),
    Parameter("exponent", "", 1.5, "n, of the depth; 1.5 for spheres", positive=True, least=LEAST_EXPONENT,
              why="the force would jump at the touch"),
    Parameter("restitution", "", None, "what the law is told; what it reaches differs", positive=True, most=1.0),
    Parameter("slowest", "m/s", SLOWEST, "floor of the impact speed the damping is divided by", positive=True),
    Parameter("clamp", "", 0.0, "1: the ground never pulls; 0: the law as it is written", most=1.0),
)



def _down_to(least):
    """Numbers of a law whose c is MOST_DAMPING for that restitution"""
    return tuple(p._replace(least=least, why="the ground would hold what touches it, the rebound is lost in rounding")
                 if p.name == "restitution" else p for p in _PARAMETERS)


NORMAL_LAWS = {
    "hertz": Law(HERTZ, tuple(p._replace(default=1.0) if p.name == "restitution" else p for p in _PARAMETERS),
                 "Hertz 1882"),
    "hunt-crossley": Law(HUNT_CROSSLEY, _PARAMETERS, "Hunt & Crossley 1975"),
    "herbert-mcwhannell": Law(HERBERT_MCWHANNELL, _PARAMETERS, "Herbert & McWhannell 1977"),
    "lee-wang": Law(LEE_WANG, _PARAMETERS, "Lee & Wang 1983"),
    "lankarani-nikravesh": Law(LANKARANI_NIKRAVESH, _PARAMETERS, "Lankarani & Nikravesh 1990"),
    "flores": Law(FLORES, _down_to(1.6/MOST_DAMPING), "Flores, Machado, Silva & Martins 2011"),
    "gharib-hurmuzlu": Law(GHARIB_HURMUZLU, _down_to(1.0/MOST_DAMPING), "Gharib & Hurmuzlu 2012"),
    "hu-guo": Law(HU_GUO, _down_to(1.5/MOST_DAMPING), "Hu & Guo 2015"),
}


@leaf
def damping_factor(law, cr):
    """c of a law for the restitution cr in (0, 1]; 0 for a law that is not known"""
    if law == HUNT_CROSSLEY:
        return 1.5*(1.0 - cr)
    if law == HERBERT_MCWHANNELL:
        return 6.0*(1.0 - cr)/((2.0*cr - 1.0)*(2.0*cr - 1.0) + 3.0)
    if law == LEE_WANG:
        return 0.75*(1.0 - cr)
    if law == LANKARANI_NIKRAVESH:
        return 0.75*(1.0 - cr*cr)
    if law == FLORES:
        return 8.0*(1.0 - cr)/(5.0*cr)
    if law == GHARIB_HURMUZLU:
        return 1.0/cr
    if law == HU_GUO:
        return 1.5*(1.0 - cr)/cr
    return 0.0                                          # HERTZ


@leaf
def depth_power(d, n):
    """d^n for d > 0, else 0; exponents 1 and 3/2 as d and d sqrt(d)"""
    if not d > 0.0:
        return 0.0
    if n == 1.5:
        return d*math.sqrt(d)
    return d if n == 1.0 else accurate_power(d, n)


@leaf
def damping_share(law, p, rate, touch):
    """c d'/v, or -1 if that is below and the ground must not pull; `touch` is d' at the start of the contact"""
    share = literal_share(law, p, rate, touch)
    return -1.0 if p[4] != 0.0 and share < -1.0 else share


@leaf
def literal_share(law, p, rate, touch):
    """c d'/v as the law is written"""
    return damping_factor(law, p[2])*rate/(touch if touch > p[3] else p[3])


@leaf
def clamp_gap(law, p, rate, touch):
    """Falls through 0 where a ground that must not pull lets go, rises where it takes hold again; 1 if it may"""
    return 1.0 + literal_share(law, p, rate, touch) if p[4] != 0.0 else 1.0


@leaf
def normal_force(law, p, d, rate, touch):
    """N, pushing out of the ground; 0 outside. Without clamp negative when thrown out faster than v/c."""
    return p[0]*depth_power(d, p[1])*(1.0 + damping_share(law, p, rate, touch))


@leaf
def normal_force_rate(law, p, d, rate, acceleration, touch):
    """dN/dt, N/s, for the depth's second derivative in m/s^2; 0 outside and where the clamp holds"""
    share = damping_share(law, p, rate, touch)
    if not d > 0.0 or (p[4] != 0.0 and share <= -1.0):
        return 0.0
    slope = damping_factor(law, p[2])*acceleration/(touch if touch > p[3] else p[3])
    return p[0]*depth_power(d, p[1])*(p[1]*rate*(1.0 + share)/d + slope)


@leaf
def stored_energy(p, d):
    """J in the elastic part, K d^(n + 1)/(n + 1)"""
    return p[0]*d*depth_power(d, p[1])/(p[1] + 1.0) if d > 0.0 else 0.0


@leaf
def dissipated_power(law, p, d, rate, touch):
    """W, at least 0: F d' less what goes into the elastic part"""
    return p[0]*depth_power(d, p[1])*damping_share(law, p, rate, touch)*rate
