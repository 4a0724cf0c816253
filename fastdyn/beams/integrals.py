"""What the modes of a link are for its equations of motion: integrals over the length, to rounding.

Shapes are cut where they are not smooth, and in panels of about half a wave; in each a Gauss rule of twenty points
takes products of two shapes to rounding: it is exact for polynomials up to degree 39.
"""

from typing import NamedTuple

import numpy as np

from ..describe.check import one_of
from ..status import ModelError
from .section import Beam
from .shapes import Shape

CARRIED = ("section", "axis")
PLACES = np.array([0.07652652113349734, 0.22778585114164507, 0.37370608871541955, 0.5108670019508271,
                   0.636053680726515, 0.7463319064601508, 0.8391169718222188, 0.912234428251326,
                   0.9639719272779138, 0.9931285991850949])
WEIGHTS = np.array([0.15275338713072584, 0.14917298647260374, 0.14209610931838204, 0.13168863844917664,
                    0.11819453196151841, 0.10193011981724044, 0.08327674157670475, 0.06267204833410907,
                    0.04060142980038694, 0.017614007139152118])  # those of NumPy are wrong by 7e-14 at the ends
SAME_LENGTH = 1e-12


class Integrals(NamedTuple):
    """Integrals over a link, eta from 0 to its length, modes j and k; W has no dimension, Theta is in 1/m."""

    m: float                 # mu l, kg
    b0: float                # int mu eta, kg m
    I0: float                # int mu eta^2, kg m^2
    J: float                 # int J33, kg m^2
    a: np.ndarray            # (j) int mu W, kg
    c: np.ndarray            # (j) int mu eta W, kg m
    C: np.ndarray            # (j, k) int mu (W W + U U), kg
    K: np.ndarray            # (j, k) int k A G Gamma Gamma + E I Theta' Theta' + E A U' U', N/m
    D: np.ndarray            # (j, k) int gamma W W + K_v (I W'' W'' + A U' U'), kg/s
    theta: np.ndarray        # (j) int Theta, without dimension
    theta_theta: np.ndarray  # (j, k) int Theta Theta, 1/m
    S: np.ndarray            # (j) turn carried to the next link, at the tip, 1/m
    W_l: np.ndarray          # (j) W at the tip
    b: np.ndarray            # (j) int mu U, kg
    d: np.ndarray            # (j) int mu eta U, kg m
    B: np.ndarray            # (j, k) int mu (U_j W_k - W_j U_k), kg
    U_l: np.ndarray          # (j) U at the tip
    air: np.ndarray          # (j, k) int gamma W W, the part of D that is the air's, kg/s


def integrals(beam, shapes, carried="section"):
    """All integrals of a link's modes.

    Parameters
    ----------
    beam : Beam.
    shapes : modes over the beam's length, of any kind, mixed as you like; none is a link that does not bend.
    carried : the turn the next link feels: "section" Theta(l), a pin fixed to the section, or "axis" W'(l).

    Returns
    -------
    Integrals
    """
    if not isinstance(beam, Beam):
        raise ModelError(f"beam is {beam!r}; give a Beam")
    one_of(carried, CARRIED, "carried")
    for i, shape in enumerate(shapes):
        if not isinstance(shape, Shape):
            raise ModelError(f"shapes[{i}] is {shape!r}; give a Mode, PrintedMode, PolynomialMode or SampledMode")
        if abs(shape.length - beam.length) > SAME_LENGTH*beam.length:
            raise ModelError(f"shapes[{i}] has length {shape.length:.12g} m, beam.length is {beam.length:.12g} m; "
                             "make the shape for this beam")
    l, mu = beam.length, beam.mass_per_length
    eta, weight = _rule(l, shapes)
    W, ddW, Theta, dTheta, Gamma = (_table(shapes, name, eta)
                                    for name in ("W", "ddW", "Theta", "dTheta", "Gamma"))
    WW, bending = _products(W, weight), beam.bending_stiffness*_products(dTheta, weight)
    shear = beam.shear_stiffness*_products(Gamma, weight) if np.any(Gamma) else 0.0
    stiffness, damping, mass = bending + shear, beam.gamma*WW + beam.K_v*beam.I*_products(ddW, weight), mu*WW
    U, dU = _table(shapes, "U", eta), _table(shapes, "dU", eta)
    if np.any(U):
        strain = _products(dU, weight)
        stiffness = stiffness + beam.E*beam.A*strain
        damping, mass = damping + beam.K_v*beam.A*strain, mass + mu*_products(U, weight)
    crossed = (U*weight) @ W.T
    tip = _table(shapes, "Theta" if carried == "section" else "dW", np.array([l]))
    return Integrals(
        m=mu*l, b0=mu*l**2/2, I0=mu*l**3/3, J=beam.spin_inertia*l,
        a=mu*(W @ weight), c=mu*(W @ (weight*eta)), C=mass, K=stiffness, D=damping,
        theta=Theta @ weight, theta_theta=_products(Theta, weight),
        S=tip[:, 0], W_l=_table(shapes, "W", np.array([l]))[:, 0],
        b=mu*(U @ weight), d=mu*(U @ (weight*eta)), B=mu*(crossed - crossed.T),
        U_l=_table(shapes, "U", np.array([l]))[:, 0], air=beam.gamma*(mu*WW/mu))


def _rule(length, shapes):
    """Places and weights."""
    x, w = np.concatenate([-PLACES[::-1], PLACES]), np.concatenate([WEIGHTS[::-1], WEIGHTS])
    panels = max((shape.panels for shape in shapes), default=1)
    cuts = np.union1d(np.linspace(0.0, length, panels + 1), [eta for shape in shapes for eta in shape.knots])
    half = np.diff(cuts)[:, None]/2
    return (cuts[:-1, None] + half*(1 + x)).ravel(), (half*w).ravel()


def _table(shapes, name, eta):
    """A row of values for each shape."""
    return np.array([getattr(shape, name)(eta) for shape in shapes]).reshape(len(shapes), eta.size)


def _products(F, weight):
    product = (F*weight) @ F.T
    return (product + product.T)/2
