"""Shapes of a clamped-free link in space, at the points where its integrals are summed and where it may touch.

Bending of a thin beam: Y_j = f_j(eta)/f_j(L) with f = cosh - cos - s (sinh - sin) of b eta, written without
cancellation; beams with shear have the modes of fastdyn.beams. Axial and torsion: sin((2j - 1) pi eta/2L). Shortening:
s_jf = int_0^eta (y_j' y_f' + z_j' z_f'). [Book 1984]
"""

import math

import numpy as np

from ..beams import Beam
from ..beams import modes as modes_of
from .modal_link import ModalLink

ROOTS = (1.875104068711961, 4.694091132974175, 7.854757438237613, 10.99554073487547, 14.13716839104647,
         17.27875953208824)                                 # of 1 + cos cosh = 0
FINE = 64                                                   # points of integrals, or more if the modes are many
COMPONENTS = 6                                              # of a shape: displacement x, y, z, rotation x, y, z


def root(j):
    """b L of bending mode j = 1, 2, ..."""
    if j <= len(ROOTS):
        return ROOTS[j - 1]
    x = (2*j - 1)*math.pi/2
    for _ in range(3):
        x += (math.cos(x) + 1.0/math.cosh(x))/(math.sin(x) + math.sinh(x)/math.cosh(x)**2)
    return x


def bending(j, L, eta):
    """(Y, Y', Y'') of clamped-free bending mode j, unit tip value."""
    bl = root(j)
    b, x = bl/L, np.asarray(eta, float)
    gap = (-math.exp(-bl) + math.sin(bl) - math.cos(bl))/(math.sinh(bl) + math.sin(bl))    # 1 - s
    s = 1.0 - gap
    u = b*x
    decay, grow = np.exp(-u), gap*np.sinh(u)
    cosine, sine = np.cos(u), np.sin(u)
    flat, steep = decay + grow, -decay + gap*np.cosh(u)     # cosh - s sinh and its derivative
    tip = math.exp(-bl) + gap*math.sinh(bl) - math.cos(bl) + s*math.sin(bl)
    return ((flat - cosine + s*sine)/tip, b*(steep + sine + s*cosine)/tip, b*b*(flat + cosine - s*sine)/tip)


def waves(j, L, eta):
    """(value, slope) of axial or torsion mode j."""
    k = (2*j - 1)*math.pi/(2*L)
    return np.sin(k*np.asarray(eta, float)), k*np.cos(k*np.asarray(eta, float))


def kinds(beam):
    """("x" | "y" | "z" | "t", order) of each mode, in the order of the coordinates."""
    return [(kind, j + 1) for kind, count in zip("xyzt", beam.modes) for j in range(count)]


def points_of(beam):
    """Gauss points for products of four shapes with the highest mode of the link."""
    return max(FINE, 12*max(beam.modes))


def bends(beam, kind):
    """A function of eta for each bending mode of plane "y" or "z": (Y, Y', turn, its slope, shear), unit tip value."""
    L, count = beam.length, beam.modes[1 if kind == "y" else 2]
    if beam.shear is None:
        def thin(j):
            def at(eta):
                Y, dY, ddY = bending(j, L, eta)
                return Y, dY, dY, ddY, 0.0*dY
            return at
        return [thin(j + 1) for j in range(count)]
    EI, rho_I, kGA = ((beam.EIz, beam.rho_Iy, beam.shear[0]) if kind == "y" else
                      (beam.EIy, beam.rho_Iz, beam.shear[1]))
    A = beam.rho_A/rho_I                                    # of a section with I = 1 m^4
    section = Beam(length=L, E=EI, A=A, I=1.0, k=1.0, G=kGA/A, mu=beam.rho_A)

    def thick(shape):
        tip = float(shape.W(L))
        return lambda eta: tuple(f(eta)/tip for f in (shape.W, shape.dW, shape.Theta, shape.dTheta, shape.Gamma))
    return [thick(shape) for shape in modes_of(section, "cf", count)]


def alike(beam):
    """Whether modes of both planes have the same shapes."""
    return beam.shear is None or (
        beam.EIy == beam.EIz and beam.rho_Iy == beam.rho_Iz and beam.shear[0] == beam.shear[1])


def drawing(beam):
    """(bending shapes that draw the link in, where those of the z modes start)"""
    y, z = bends(beam, "y"), bends(beam, "z")
    return (max(y, z, key=len), 0) if alike(beam) else (y + z, len(y))


def components(beam, eta):
    """(6, modes, points) displacements and rotations, and (modes, modes, points) integrands of the shortening."""
    modes, eta = kinds(beam), np.atleast_1d(np.asarray(eta, float))
    found, slopes = np.zeros((COMPONENTS, len(modes), len(eta))), np.zeros((2, len(modes), len(eta)))
    planes = {kind: bends(beam, kind) for kind in "yz"}
    for i, (kind, j) in enumerate(modes):
        if kind in "yz":
            value, slope, turn, _, _ = planes[kind][j - 1](eta)
            found[1 if kind == "y" else 2, i] = value
            found[5 if kind == "y" else 4, i] = turn if kind == "y" else -turn
            slopes[0 if kind == "y" else 1, i] = slope
        else:
            found[0 if kind == "x" else 3, i] = waves(j, beam.length, eta)[0]
    return found, np.einsum("aip,ajp->ijp", slopes, slopes)


def gauss(count, length):
    """Points and weights on 0..length."""
    x, w = np.polynomial.legendre.leggauss(count)
    return 0.5*length*(x + 1.0), 0.5*length*w


def shortening(beam, eta):
    """(modes, modes) s_jf at one place; zero where the beam is told not to shorten."""
    count = len(kinds(beam))
    if not beam.foreshortening or eta == 0.0:
        return np.zeros((count, count))
    if isinstance(beam, ModalLink):
        return beam.end_shortening
    x, w = gauss(points_of(beam), eta)
    return components(beam, x)[1] @ w


def stiffness(beam):
    """(modes, modes) of EA, EI, GJ and k G A; orthogonal shapes leave a diagonal."""
    if isinstance(beam, ModalLink):
        return beam.stiffness
    modes, L = kinds(beam), beam.length
    x, w = gauss(points_of(beam), L)
    planes, shear = {kind: bends(beam, kind) for kind in "yz"}, beam.shear or (0.0, 0.0)
    K = np.zeros((len(modes), len(modes)))
    for i, (kind, j) in enumerate(modes):
        if kind in "yz":
            _, _, _, curve, sheared = planes[kind][j - 1](x)
            y = kind == "y"
            K[i, i] = (beam.EIz if y else beam.EIy)*np.sum(w*curve**2) + shear[0 if y else 1]*np.sum(w*sheared**2)
        else:
            K[i, i] = (beam.EA if kind == "x" else beam.GJ)*np.sum(w*waves(j, L, x)[1]**2)
    return K


def gauss_points(beam):
    """Of the sums at points: as told, or four a mode and sixteen more."""
    if isinstance(beam, ModalLink):
        return 0
    return beam.points if beam.points is not None else max(32, 4*max(beam.modes) + 16)


def table(beam, marks=()):
    """A row a point: eta, weight, six shapes of every mode, shortening; Gauss points, then the tip, then the marks."""
    if isinstance(beam, ModalLink):
        return np.concatenate([[beam.length, 0.0], beam.end.ravel(), shortening(beam, beam.length).ravel()])[None]
    eta, weight = gauss(gauss_points(beam), beam.length)
    eta = np.concatenate([eta, [beam.length], marks])
    weight = np.concatenate([weight, np.zeros(1 + len(marks))])
    shape, _ = components(beam, eta)
    return np.array([np.concatenate([[eta[p], weight[p]], shape[:, :, p].ravel(), shortening(beam, eta[p]).ravel()])
                     for p in range(len(eta))])
