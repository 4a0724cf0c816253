"""Tangential force of one contact point against its slip v (m/s), for the normal force N (N) that acts there.

The force is on the sliding point, along the tangent that v is counted on, and opposes v: F = -f(|v|) v/|v|. In space v
is a 3-tuple in the ground's plane, and F is along it. `hold` is the force that would keep the point from accelerating;
laws that jump at v = 0 answer with it at rest, up to what they hold. A caller who cannot tell it gives 0.
N < 0 (a ground that pulls) makes dry friction push along the slip, and holds nothing.

Codes and numbers p, a tuple of five: FRICTION_LAWS; forms and sources: docs/theory/contact.md.
"""

import math

from .._jit import leaf
from ..algebra.arctan import arctan
from ..algebra.exponential import exp, tanh
from ..algebra.power import accurate_power
from .words import Law, Parameter

(NO_FRICTION, AMBROSIO, COULOMB, STICTION, VISCOUS, COULOMB_VISCOUS, STRIBECK, KARNOPP, BENGISU_AKAY, ARCTAN, TANH,
 STEP) = range(12)

CREEP = 1e-4                                            # m/s: a point that cannot be held creeps at most as fast
HOLDING = COULOMB, STICTION, COULOMB_VISCOUS, STRIBECK, KARNOPP     # these jump at rest

_MU = Parameter("mu", "", None, "coefficient of sliding friction")
_MU_STATIC = Parameter("mu_static", "", None, "coefficient of friction at rest, or of its peak")
_VISCOSITY = Parameter("viscosity", "N s/m", 0.0, "force over speed, whatever the normal force")
_TANGENTIAL = Parameter("tangential", "", 1.0, "tangential restitution, a factor of mu")
_STEEPNESS = Parameter("steepness", "s/m", 20.0, "slope of the smoothed sign at rest")

FRICTION_LAWS = {
    "none": Law(NO_FRICTION, (), ""),
    "ambrosio": Law(AMBROSIO, (
        _MU, Parameter("v0", "m/s", 1e-4, "no friction up to here"),
        Parameter("v1", "m/s", 1e-3, "full friction from here on", positive=True)), "Ambrosio 2003", ("v0", "v1")),
    "coulomb": Law(COULOMB, (_MU,), "Coulomb 1785"),
    "stiction": Law(STICTION, (_MU, _MU_STATIC), "Morin 1833"),
    "viscous": Law(VISCOUS, (_VISCOSITY._replace(default=None),), "Reynolds 1886"),
    "coulomb-viscous": Law(COULOMB_VISCOUS, (_MU, _VISCOSITY._replace(default=None)),
                           "Olsson, Astrom, Canudas de Wit, Gafvert & Lischinsky 1998"),
    "stribeck": Law(STRIBECK, (
        _MU, _MU_STATIC, Parameter("v_stribeck", "m/s", None, "where the peak has fallen to 1/e", positive=True),
        Parameter("exponent", "", 2.0, "of the speed in the fall", positive=True), _VISCOSITY), "Stribeck 1902"),
    "karnopp": Law(KARNOPP, (
        _MU, _MU_STATIC, Parameter("band", "m/s", None, "slower counts as rest", positive=True), _VISCOSITY),
        "Karnopp 1985"),
    "bengisu-akay": Law(BENGISU_AKAY, (
        _MU, _MU_STATIC, Parameter("v0", "m/s", None, "where the peak is", positive=True),
        Parameter("decay", "s/m", None, "of the peak beyond v0")), "Bengisu & Akay 1994"),
    "arctan": Law(ARCTAN, (_MU, _TANGENTIAL, _STEEPNESS), "Mostaghel & Davis 1997"),
    "tanh": Law(TANH, (_MU, _TANGENTIAL, _STEEPNESS), "Mostaghel & Davis 1997"),
    "step": Law(STEP, (
        _MU, _MU_STATIC, Parameter("v_static", "m/s", 0.1, "where the peak is", positive=True),
        Parameter("v_sliding", "m/s", 1.0, "mu from here on", positive=True)),
        "MSC Software, Adams Solver, friction of contacts", ("v_static", "v_sliding")),
}


@leaf
def smooth_step(x): return x*x*(3.0 - 2.0*x)


@leaf
def sliding_force(law, p, normal, s):
    """f(s), N against the slip, at the speed s >= 0; for s = 0 its limit from above"""
    if law == AMBROSIO:                                 # mu, v0, v1
        return p[0]*normal*(0.0 if s <= p[1] else 1.0 if s >= p[2] else (s - p[1])/(p[2] - p[1]))
    if law == COULOMB or law == STICTION:               # mu (mu_static)
        return p[0]*normal
    if law == VISCOUS:                                  # viscosity
        return p[0]*s
    if law == COULOMB_VISCOUS:                          # mu, viscosity
        return p[0]*normal + p[1]*s
    if law == STRIBECK:                                 # mu, mu_static, v_stribeck, exponent, viscosity
        x = s/p[2]
        fall = exp(-(x*x if p[3] == 2.0 else accurate_power(x, p[3])))
        return (p[0] + (p[1] - p[0])*fall)*normal + p[4]*s
    if law == KARNOPP:                                  # mu, mu_static, band, viscosity
        return p[0]*normal + p[3]*s
    if law == BENGISU_AKAY:                             # mu, mu_static, v0, decay
        x = s/p[2]
        if x < 1.0:
            return p[1]*normal*x*(2.0 - x)
        return (p[0] + (p[1] - p[0])*exp(-p[3]*(s - p[2])))*normal
    if law == ARCTAN:                                   # mu, tangential, steepness
        return p[0]*p[1]*normal*(2.0/math.pi)*arctan(p[2]*s)
    if law == TANH:                                     # mu, tangential, steepness
        return p[0]*p[1]*normal*tanh(p[2]*s)
    if law == STEP:                                     # mu, mu_static, v_static, v_sliding
        if s < p[2]:                                    # step from -mu_static at -v_static, its terms gathered
            x = s/p[2]
            return p[1]*normal*0.5*x*(3.0 - x*x)
        return normal*(p[0] if s >= p[3] else p[1] + (p[0] - p[1])*smooth_step((s - p[2])/(p[3] - p[2])))
    return 0.0


@leaf
def holding_force(law, p, normal):
    """N that a point at rest is held with at most; 0 for laws that go through 0 at v = 0"""
    mu = 0.0
    if law == COULOMB or law == COULOMB_VISCOUS:
        mu = p[0]
    elif law == STICTION or law == STRIBECK or law == KARNOPP:
        mu = p[1]
    return mu*normal if normal > 0.0 else 0.0


@leaf
def rests(law, p, s):
    """Whether the speed s >= 0 counts as rest"""
    return s == 0.0 or (law == KARNOPP and s < p[2])


@leaf
def rest_speed(law, p):
    """m/s up to which a speed counts as rest"""
    return p[2] if law == KARNOPP else 0.0


@leaf
def slipping_force(law, p, normal, way, v):
    """N along the tangent of a point known to slip its way, 1 or -1; no jump where v is a rounding against it"""
    s = way*v
    return -way*sliding_force(law, p, normal, s if s > 0.0 else 0.0)


@leaf
def friction(law, p, normal, v, hold):
    """N along the tangent of the plane that v and hold are counted on"""
    s = abs(v)
    if rests(law, p, s):
        most = holding_force(law, p, normal)
        return most if hold > most else -most if hold < -most else hold
    f = sliding_force(law, p, normal, s)
    return -f if v > 0.0 else f


@leaf
def friction_in_space(law, p, normal, v, hold):
    """3-tuple, N; v and hold are 3-tuples in the plane of the ground"""
    s = math.sqrt(v[0]*v[0] + v[1]*v[1] + v[2]*v[2])
    if rests(law, p, s):
        most = holding_force(law, p, normal)
        size = math.sqrt(hold[0]*hold[0] + hold[1]*hold[1] + hold[2]*hold[2])
        part = most/size if size > most else 1.0 if most > 0.0 else 0.0
        return part*hold[0], part*hold[1], part*hold[2]
    part = -sliding_force(law, p, normal, s)/s
    return part*v[0], part*v[1], part*v[2]


@leaf
def creep_speed(law, p):
    """m/s below which a law that jumps at v = 0 creeps where nobody can tell what would hold the point; others: 0"""
    if law == KARNOPP:
        return p[2]
    return CREEP if law in HOLDING else 0.0


@leaf
def creeping_friction(law, p, normal, v):
    """`friction` without knowing `hold`: below the creep speed v times what holds at most over that speed"""
    creep = creep_speed(law, p)
    if abs(v) < creep:
        return -holding_force(law, p, normal)*(v/creep)
    return friction(law, p, normal, v, 0.0)


@leaf
def creeping_friction_in_space(law, p, normal, v):
    """The same for a 3-tuple in the plane of the ground"""
    creep = creep_speed(law, p)
    if v[0]*v[0] + v[1]*v[1] + v[2]*v[2] < creep*creep:
        part = -holding_force(law, p, normal)/creep
        return part*v[0], part*v[1], part*v[2]
    return friction_in_space(law, p, normal, v, (0.0, 0.0, 0.0))


@leaf
def creeping_kinks(law, p):
    """`kinks` of these: the creep speed instead of 0; what jumps there only in its second derivative is left out"""
    creep = creep_speed(law, p)
    if creep > 0.0:
        return (1, creep, 0.0)
    return (1, p[2], 0.0) if law == BENGISU_AKAY else kinks(law, p)


@leaf
def kinks(law, p):
    """(count, s0, s1): speeds |v|, rising, where some derivative of the force jumps or, at 0 or Karnopp's band, itself

    In the plane v = s and v = -s are kinks; a kink at 0 is where v changes its sign.
    """
    if law == AMBROSIO:
        return (2, p[1], p[2])
    if law == COULOMB or law == STICTION or law == COULOMB_VISCOUS or law == STRIBECK:
        return (1, 0.0, 0.0)
    if law == KARNOPP:
        return (1, p[2], 0.0)
    if law == BENGISU_AKAY:
        return (2, 0.0, p[2])
    if law == STEP:
        return (2, p[2], p[3])
    return (0, 0.0, 0.0)
