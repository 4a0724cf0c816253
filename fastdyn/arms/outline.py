"""Where an arm's links are at many states, for pictures: transforms and bent lines in NumPy, all states at once."""

import numpy as np

from . import shapes
from .describe import Joint
from .modal_link import ModalLink


def lines_of(arm, q, t, count=17):
    """For each link (samples, points, 3) of its axis, world axes; a rigid link has two points."""
    turn, place = np.broadcast_to(np.eye(3), (len(q), 3, 3)), np.zeros((len(q), 3))
    found, at = [], 0
    for link in arm.links:
        joint, beam = link.joint, link.beam
        at += joint.stiffness > 0.0
        angle = spun(joint, t) if joint.spin is not None else q[:, at]
        at += joint.spin is None
        place = place + turn @ np.array(joint.place, float)
        turn = turn @ np.array(joint.turn, float) @ about_z(angle)
        if beam is None:
            axis = np.array([(0.0, 0.0, 0.0), link.tip])[None]
            tilt = np.eye(3)
        else:
            modes = len(shapes.kinds(beam))
            axis, tilt = bent(beam, q[:, at:at + modes], np.linspace(0.0, beam.length, count))
            at += modes
        line = place[:, None] + axis @ np.swapaxes(turn, 1, 2)
        found.append(line)
        place, turn = line[:, -1], turn @ tilt
    return found


def tips(arm, q, v):
    """(samples, links, 3) end of each link less where it is straight, link axes, and its rate; zero for rigid links."""
    found, at = np.zeros((2, len(q), len(arm.links), 3)), 0
    for k, link in enumerate(arm.links):
        at += (link.joint.stiffness > 0.0) + (link.joint.spin is None)
        if link.beam is not None:
            beam, L = link.beam, link.beam.length
            some = slice(at, at + len(shapes.kinds(beam)))
            shape, s, at = end_of(beam), shapes.shortening(beam, L), some.stop
            found[:, :, k] = np.stack([q[:, some], v[:, some]]) @ shape[:3].T
            found[:, :, k, 0] -= np.einsum("csj,jl,sl->cs", np.stack([0.5*q[:, some], v[:, some]]), s, q[:, some])
    return found


def end_of(beam):
    """(6, modes) displacement and rotation of the end by each mode"""
    return np.array(beam.end) if isinstance(beam, ModalLink) else shapes.components(beam, [beam.length])[0][:, :, 0]


def between(beam, eta):
    """(6, modes, points) of a link of which only the end is known: cubics from its root to there."""
    s, end = eta/beam.length, end_of(beam)
    rise, lean = s*s*(3.0 - 2.0*s), beam.length*s*s*(s - 1.0)
    found = end[:, :, None]*s
    found[1] = end[1][:, None]*rise + end[5][:, None]*lean
    found[2] = end[2][:, None]*rise - end[4][:, None]*lean
    return found


def bent(beam, d, eta):
    """((states, points, 3) of the axis at eta; (states, 3, 3) turn of the section at the last of them), link axes."""
    modal = isinstance(beam, ModalLink)
    shape = between(beam, eta) if modal else shapes.components(beam, eta)[0]
    moved = np.einsum("sj,ijp->spi", d, shape)
    axis = moved[:, :, :3].copy()
    axis[:, :, 0] += eta
    for p, place in enumerate(eta):
        share = place/beam.length if modal else 1.0         # a ModalLink knows the shortening of its end
        axis[:, p, 0] -= 0.5*share*np.einsum("sj,jl,sl->s", d, shapes.shortening(beam, place), d)
    return axis, tilted(moved[:, -1, 3:], beam.rotation)


def tilted(phi, rotation):
    """1 + skew(phi), or exp(skew(phi))"""
    S = np.zeros((len(phi), 3, 3))
    for i, j, k in ((0, 1, 2), (1, 2, 0), (2, 0, 1)):
        S[:, k, j], S[:, j, k] = phi[:, i], -phi[:, i]
    if rotation == "linear":
        return np.eye(3) + S
    x = np.linalg.norm(phi, axis=1)[:, None, None]
    return np.eye(3) + np.sinc(x/np.pi)*S + 0.5*np.sinc(x/(2*np.pi))**2*(S @ S)


def about_z(angle):
    c, s, o = np.cos(angle), np.sin(angle), np.zeros_like(angle)
    return np.stack([np.stack([c, -s, o], -1), np.stack([s, c, o], -1), np.stack([o, o, o + 1.0], -1)], -2)


def spun(joint: Joint, t):
    """Angle of a prescribed spin-up: a speed reached within a span, then kept."""
    speed, span = joint.spin
    inside = np.minimum(t, span)
    return speed/span*(inside**2/2 + (span/(2*np.pi))**2*(np.cos(2*np.pi*inside/span) - 1.0)) + speed*(t - inside)
