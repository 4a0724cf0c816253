"""Shapes of a clamped-free link in space, at the points where its integrals are summed and where it may touch.

Bending: Y_j = f_j(eta)/f_j(L) with f = cosh - cos - s (sinh - sin) of b eta, written without cancellation. Axial and
torsion: sin((2j - 1) pi eta/2L). Shortening: s_jf = int_0^eta (y_j' y_f' + z_j' z_f'). [Book 1984]
"""

import math

import numpy as np

ROOTS = (1.875104068711961, 4.694091132974175, 7.854757438237613, 10.99554073487547, 14.13716839104647,
         17.27875953208824)                                 # of 1 + cos cosh = 0
FINE = 40                                                   # points of the integrals from 0 to a point
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


def components(beam, eta):
    """(6, modes, points) displacements and rotations, and (modes, modes, points) integrands of the shortening."""
    modes, eta = kinds(beam), np.atleast_1d(np.asarray(eta, float))
    found = np.zeros((COMPONENTS, len(modes), len(eta)))
    for i, (kind, j) in enumerate(modes):
        if kind in "yz":
            value, slope, _ = bending(j, beam.length, eta)
            found[1 if kind == "y" else 2, i] = value
            found[5 if kind == "y" else 4, i] = slope if kind == "y" else -slope
        else:
            found[0 if kind == "x" else 3, i] = waves(j, beam.length, eta)[0]
    return found, np.einsum("aip,ajp->ijp", found[4:], found[4:])


def gauss(count, length):
    """Points and weights on 0..length."""
    x, w = np.polynomial.legendre.leggauss(count)
    return 0.5*length*(x + 1.0), 0.5*length*w


def shortening(beam, eta):
    """(modes, modes) s_jf at one place; zero where the beam is told not to shorten."""
    count = len(kinds(beam))
    if not beam.foreshortening or eta == 0.0:
        return np.zeros((count, count))
    x, w = gauss(FINE, eta)
    return components(beam, x)[1] @ w


def stiffness(beam):
    """(modes, modes) of EA, EI and GJ; orthogonal shapes leave a diagonal."""
    modes, L = kinds(beam), beam.length
    x, w = gauss(FINE, L)
    bend = {"x": beam.EA, "y": beam.EIz, "z": beam.EIy, "t": beam.GJ}
    slope = [bending(j, L, x)[2] if kind in "yz" else waves(j, L, x)[1] for kind, j in modes]
    K = np.zeros((len(modes), len(modes)))
    for i, (kind, _) in enumerate(modes):
        K[i, i] = bend[kind]*np.sum(w*slope[i]**2)
    return K


def table(beam, marks=()):
    """A row a point: eta, weight, six shapes of every mode, shortening; Gauss points, then the tip, then the marks."""
    eta, weight = gauss(beam.points, beam.length)
    eta = np.concatenate([eta, [beam.length], marks])
    weight = np.concatenate([weight, np.zeros(1 + len(marks))])
    shape, _ = components(beam, eta)
    return np.array([np.concatenate([[eta[p], weight[p]], shape[:, :, p].ravel(), shortening(beam, eta[p]).ravel()])
                     for p in range(len(eta))])
