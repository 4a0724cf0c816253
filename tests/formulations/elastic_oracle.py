"""Elastic chains in the plane from first principles: every element of every beam is a place with a mass.

A place is known with its gradient by the velocities, so that its acceleration is J v' + b. The Gibbs function
G = sum of 1/2 mu |J v' + b - g|^2 + 1/2 J33 alpha^2 over Gauss stations has the gradient M v' + h by its structure
alone; nothing is derived on paper, and nothing is shared with the package but the shapes W and Theta.
"""

from typing import NamedTuple

import numpy as np

from fastdyn import FreePlanar, Prismatic, Revolute
from fastdyn.describe.link import BASE

STATIONS, WEIGHTS = np.polynomial.legendre.leggauss(24)


class Frame(NamedTuple):
    """A frame, world axes: angle and its gradient; place, its gradient (2, nv), its acceleration where v' = 0.

    Or many frames of one angle, their places and gradients stacked.
    """

    angle: float
    turning: np.ndarray
    place: np.ndarray
    moving: np.ndarray
    bias: np.ndarray

    def at(self, v, r, columns=None, angle=0.0, turning=0.0):
        """The frame at r in the axes of this one, where r has the gradient `columns`; turned by `angle`."""
        c, s, w = np.cos(self.angle), np.sin(self.angle), self.turning @ v
        R = np.array([[c, -s], [s, c]])
        r, columns = r @ R.T, np.zeros_like(self.moving) if columns is None else R @ columns
        return Frame(self.angle + angle, self.turning + turning, self.place + r,
                     self.moving + across(r)[..., None]*self.turning + columns,
                     self.bias - w*w*r + 2.0*w*across(columns @ v))


class Answer(NamedTuple):
    """M v' + h = torque; energies, momentum, angular momentum about the origin, mass, its first moment; the frames
    at joints and tips by the link's name; the effort, a size of the forces before they add up."""

    M: np.ndarray
    h: np.ndarray
    kinetic: float
    gravity: float
    strain: float
    momentum: np.ndarray
    spin: float
    mass: float
    moment: np.ndarray
    joints: dict
    tips: dict
    effort: np.ndarray


def across(r): return np.stack([-r[..., 1], r[..., 0]], axis=-1)


class Sums:
    """What is summed over all elements."""

    def __init__(self, chain, v):
        self.v, self.g = v, np.array(chain.gravity[:2])
        self.M, self.h, self.effort = np.zeros((len(v), len(v))), np.zeros(len(v)), np.zeros(len(v))
        self.kinetic, self.gravity, self.strain, self.spin, self.mass = 0.0, 0.0, 0.0, 0.0, 0.0
        self.momentum, self.moment = np.zeros(2), np.zeros(2)

    def elements(self, mass, inertia, frames, turning):
        """Masses at the origins of frames, and inertias that turn with `turning` v."""
        mass, inertia = np.atleast_1d(mass, inertia)
        J, place, b = (x.reshape(len(mass), *shape) for x, shape in (
            (frames.moving, (2, -1)), (frames.place, (2,)), (frames.bias, (2,))))
        turning = np.broadcast_to(turning, (len(mass), len(self.v)))
        u, w = J @ self.v, turning @ self.v
        self.M += np.einsum("s,sdi,sdj->ij", mass, J, J) + np.einsum("s,si,sj->ij", inertia, turning, turning)
        self.force(np.einsum("s,sdi,sd->i", mass, J, b))
        self.force(-np.einsum("s,sdi,d->i", mass, J, self.g))
        self.kinetic += 0.5*(mass @ np.sum(u*u, axis=1) + inertia @ (w*w))
        self.gravity -= mass @ place @ self.g
        self.momentum += mass @ u
        self.spin += mass @ np.sum(across(place)*u, axis=1) + inertia @ w
        self.mass += np.sum(mass)
        self.moment += mass @ place

    def force(self, h):
        self.h += h
        self.effort += np.abs(h)


def oracle(chain, q, v):
    """An Answer for a chain in the plane."""
    sums, joints, tips = Sums(chain, v), {}, {}
    none = np.zeros(chain.nv)
    joints[BASE] = tips[BASE] = Frame(0.0, none, np.zeros(2), np.zeros((2, chain.nv)), np.zeros(2))
    for link, at in zip(chain.links, chain.joint_positions):
        a, j = chain.q_slice(link.name), chain.v_slice(link.name)
        frame = joint_frame(chain, link, at, joints, tips, q[a], v, j.start)
        joints[link.name], tips[link.name] = frame, frame.at(v, np.array([link.length, 0.0]))
        if link.elastic is not None:
            modes = slice(j.stop - link.modes, j.stop)
            tips[link.name] = add_beam(sums, link.elastic, frame, q[a.stop - link.modes:a.stop], v, modes)
        body = link.body if link.elastic is not None else link.rigid_body
        if body is not None:
            sums.elements(body.mass, body.inertia[2][2], frame.at(v, np.array(body.com[:2])), frame.turning)
    return Answer(sums.M, sums.h, sums.kinetic, sums.gravity, sums.strain, sums.momentum, sums.spin, sums.mass,
                  sums.moment, joints, tips, sums.effort)


def joint_frame(chain, link, at, joints, tips, q, v, first):
    """Where a link's own frame is: `first` is the place of its joint in v."""
    parent, psi, at = joints[link.parent], 2.0*np.arctan2(link.turn[3], link.turn[0]), np.array(at[:2])
    if link.parent != BASE and chain.links[chain.index(link.parent)].elastic is not None and np.any(at):
        parent, at = tips[link.parent], np.zeros(2)             # a beam carries at its two ends only
    unit = np.eye(chain.nv)
    frame = parent.at(v, at, angle=psi)
    if isinstance(link.joint, Revolute):
        return frame.at(v, np.zeros(2), angle=q[0], turning=unit[first])
    if isinstance(link.joint, Prismatic):
        axis = np.array(link.joint.axis[:2])
        return frame.at(v, q[0]*axis, np.outer(axis, unit[first]))
    if isinstance(link.joint, FreePlanar):
        return frame.at(v, q[:2], unit[first:first + 2], q[2], unit[first + 2])
    return frame


def add_beam(sums, elastic, frame, d, v, modes):
    """All elements of a beam; the frame at its tip."""
    beam, shapes, dd = elastic.beam, elastic.mode_shapes, v[modes]

    def columns(values):
        """Gradient by v of numbers that are values.d"""
        full = np.zeros((*values.shape[:-1], len(v)))
        full[..., modes] = values
        return full

    def gradient(u, w):
        """Of places (u, w), from columns"""
        return np.stack([u, w], axis=-2)

    eta, weight = stations(beam.length, shapes)

    def values(name, eta):
        """A column for each shape"""
        return np.array([getattr(shape, name)(eta) for shape in shapes]).reshape(len(shapes), eta.size).T

    W, Theta, Gamma, ddW, dTheta, U, dU = (
        values(name, eta) for name in ("W", "Theta", "Gamma", "ddW", "dTheta", "U", "dU"))
    places = frame.at(v, np.stack([eta + U @ d, W @ d], axis=-1), gradient(columns(U), columns(W)))
    turning = frame.turning + (columns(Theta) if elastic.spin == "section" else 0.0)
    sums.elements(beam.mass_per_length*weight, beam.spin_inertia*weight, places, turning)
    shear, bending = (beam.k*beam.A*beam.G if np.any(Gamma) else 0.0), beam.E*beam.I
    sums.strain += 0.5*weight @ (shear*(Gamma @ d)**2 + bending*(dTheta @ d)**2 + beam.E*beam.A*(dU @ d)**2)
    sums.force(columns((weight*(dU @ d)) @ (beam.E*beam.A*dU) + (weight*(dU @ dd)) @ (beam.K_v*beam.A*dU)))
    sums.force(columns((weight*(Gamma @ d)) @ (shear*Gamma) + (weight*(dTheta @ d)) @ (bending*dTheta)))
    sums.force(columns((weight*(W @ dd)) @ (beam.gamma*W) + (weight*(ddW @ dd)) @ (beam.K_v*beam.I*ddW)))
    end = np.array([beam.length])
    U, W = values("U", end)[0], values("W", end)[0]
    S = values("Theta" if elastic.carried == "section" else "dW", end)[0]
    return frame.at(v, np.array([beam.length + U @ d, W @ d]), gradient(columns(U), columns(W)), S @ d, columns(S))


def stations(length, shapes):
    """Places and weights of Gauss rules on panels on which all shapes are smooth and short of a wave."""
    knots = [knot for shape in shapes for knot in shape.knots]
    cuts = np.unique([*np.linspace(0.0, length, 3 + len(shapes)), *knots])
    half = 0.5*np.diff(cuts)[:, None]
    return (cuts[:-1, None] + half*(1.0 + STATIONS)).ravel(), (half*WEIGHTS).ravel()
