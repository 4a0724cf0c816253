"""The same chains by the longest road: every link a free body in world axes, straight from the words of its Link.

Nothing of the package's arrays, frames or kernels is used here; numpy alone, no attempt at speed.
"""

from typing import NamedTuple

import numpy as np

from fastdyn import Constant, Fixed, Free, FreePlanar, Prismatic, Revolute, Sine, Spherical, Universal


class Place(NamedTuple):
    """A link in world axes: turn, origin, angular velocity, velocity of the origin, their rates, and per freedom of its
    joint what a unit rate adds to (angular velocity, velocity of the origin)."""

    R: np.ndarray
    x: np.ndarray
    w: np.ndarray
    u: np.ndarray
    al: np.ndarray
    a: np.ndarray
    freedoms: list


ZERO = np.zeros(3)
GROUND = Place(np.eye(3), ZERO, ZERO, ZERO, ZERO, ZERO, [])


def turn_about(axis, angle):
    x, y, z = axis
    K = np.array([[0.0, -z, y], [z, 0.0, -x], [-y, x, 0.0]])
    return np.eye(3) + np.sin(angle)*K + (1.0 - np.cos(angle))*(K @ K)


def turn_of(q):
    """Rotation matrix of a quaternion of any length."""
    w, (x, y, z) = q[0], q[1:]
    K = np.array([[0.0, -z, y], [z, 0.0, -x], [-y, x, 0.0]])
    return np.eye(3) + 2.0*(w*K + K @ K)/np.dot(q, q)


def places(chain, q, v=None, acc=None):
    """A Place per link."""
    v = np.zeros(chain.nv) if v is None else v
    acc = np.zeros(chain.nv) if acc is None else acc
    known, found = {"base": GROUND}, []
    tips = {"base": ZERO} | {link.name: np.array([link.length, 0.0, 0.0]) for link in chain.links}
    for link in chain.links:
        p, s = known[link.parent], chain.v_slice(link.name)
        at = np.array(tips[link.parent] if link.at is None else link.at)
        C, d = p.R @ turn_of(np.array(link.turn)), p.R @ at
        joint = p._replace(R=C, x=p.x + d, u=p.u + np.cross(p.w, d), freedoms=[],
                           a=p.a + np.cross(p.al, d) + np.cross(p.w, np.cross(p.w, d)))
        known[link.name] = MOVES[type(link.joint)](joint, link.joint, q[chain.q_slice(link.name)], v[s], acc[s])
        found.append(known[link.name])
    return found


def turning(p, axis, angle, v, acc):
    """Turned about a joint-frame axis"""
    e = p.R @ axis
    return p._replace(R=p.R @ turn_about(axis, angle), w=p.w + v*e, al=p.al + acc*e + np.cross(p.w, v*e),
                      freedoms=p.freedoms + [(e, ZERO)])


def sliding(p, axis, way, v, acc):
    """Slid along a joint-frame axis"""
    e = p.R @ axis
    d = way*e
    return p._replace(x=p.x + d, u=p.u + np.cross(p.w, d) + v*e, freedoms=p.freedoms + [(ZERO, e)],
                      a=p.a + np.cross(p.al, d) + np.cross(p.w, np.cross(p.w, d)) + 2*np.cross(p.w, v*e) + acc*e)


def balling(p, _, q, v, acc):
    R = p.R @ turn_of(q)
    return p._replace(R=R, w=p.w + R @ v, al=p.al + R @ acc + np.cross(p.w, R @ v),
                      freedoms=[(e, ZERO) for e in R.T])


def floating(p, _, q, v, acc):
    R = p.R @ turn_of(q[3:])
    w, u = R @ v[3:], R @ v[:3]
    return Place(R, p.x + p.R @ q[:3], w, u, R @ acc[3:], R @ acc[:3] + np.cross(w, u),
                 [(ZERO, e) for e in R.T] + [(e, ZERO) for e in R.T])


def floating_in_plane(p, _, q, v, acc):
    x, y, z = np.eye(3)
    return turning(sliding(sliding(p, x, q[0], v[0], acc[0]), y, q[1], v[1], acc[1]), z, q[2], v[2], acc[2])


def crossed(p, joint, q, v, acc):
    a, b = (np.array(axis) for axis in joint.axes)
    return turning(turning(p, a, q[0], v[0], acc[0]), b, q[1], v[1], acc[1])


MOVES = {
    Revolute: lambda p, joint, q, v, acc: turning(p, np.array(joint.axis), q[0], v[0], acc[0]),
    Prismatic: lambda p, joint, q, v, acc: sliding(p, np.array(joint.axis), q[0], v[0], acc[0]),
    Universal: crossed,
    Spherical: balling,
    Fixed: lambda p, joint, q, v, acc: p,
    Free: floating,
    FreePlanar: floating_in_plane,
}


def weights(chain, found):
    """(link number, place, mass, mass centre relative to the link origin, inertia about it), world axes."""
    for i, (link, p) in enumerate(zip(chain.links, found)):
        body = link.rigid_body
        if body is not None:
            yield i, p, body.mass, p.R @ np.array(body.com), p.R @ np.array(body.inertia) @ p.R.T


def outer_wrenches(chain, found, t, wrench=None):
    """(moment about the link origin, force) on each link from its loads and from wrench (force, moment; link axes)."""
    total = np.zeros((len(chain.links), 2, 3))
    for i, (link, p) in enumerate(zip(chain.links, found)):
        for load in link.loads:
            C = p.R if load.frame == "link" else np.eye(3)
            F, M = value(load.signal, t)*(C @ load.force), value(load.signal, t)*(C @ load.moment)
            total[i] += M + np.cross(p.R @ load.at, F), F
        if wrench is not None:
            total[i] += p.R @ wrench[i, 3:], p.R @ wrench[i, :3]
    return total


def value(signal, t):
    if isinstance(signal, Constant):
        return signal.value
    if isinstance(signal, Sine):
        return signal.offset + signal.amplitude*np.sin(signal.omega*t + signal.phase)
    return float(np.interp(t, signal.time, signal.value))


def joint_laws(chain, t, q, v):
    """Torques of springs, dampers, limits and drives of the joints."""
    torque = np.zeros(chain.nv)
    for link in chain.links:
        joint, a, s = link.joint, q[chain.q_slice(link.name)], chain.v_slice(link.name)
        if isinstance(joint, Spherical):
            torque[s] -= joint.stiffness*rotation_vector(a) + joint.damping*v[s]
        elif isinstance(joint, Revolute | Prismatic | Universal):
            words = ("stiffness", "damping", "rest", "lower", "upper", "limit_stiffness", "limit_damping")
            k, c, rest, lower, upper, kl, cl = (np.atleast_1d(x if x is not None else np.nan)
                                                for x in (getattr(joint, word) for word in words))
            beyond = np.fmin(a - lower, 0.0) + np.fmax(a - upper, 0.0)
            torque[s] -= k*(a - rest) + c*v[s] + kl*beyond + cl*v[s]*(beyond != 0.0)
        torque[s] += [value(signal, t) for signal in getattr(joint, "drive", ())] or 0.0
    return torque


def rotation_vector(q):
    """Axis times angle of the shorter way"""
    q = np.array(q)/np.linalg.norm(q)
    q = -q if q[0] < 0 else q
    s = np.linalg.norm(q[1:])
    return 2.0*np.arctan2(s, q[0])*q[1:]/s if s > 0.0 else np.zeros(3)


def reactions(chain, q, v, acc, t=0.0, wrench=None):
    """(moment about the link origin, force) each joint gives its link, world axes: Newton and Euler for each body."""
    found = places(chain, q, v, acc)
    given = -outer_wrenches(chain, found, t, wrench)
    for i, p, m, c, I in weights(chain, found):
        f = m*(p.a + np.cross(p.al, c) + np.cross(p.w, np.cross(p.w, c)) - np.array(chain.gravity))
        given[i] += I @ p.al + np.cross(p.w, I @ p.w) + np.cross(c, f), f
    for i in range(len(chain.links) - 1, -1, -1):
        if chain.links[i].parent != "base":
            j = chain.index(chain.links[i].parent)
            given[j] += given[i, 0] + np.cross(found[i].x - found[j].x, given[i, 1]), given[i, 1]
    return given


def inverse_dynamics(chain, q, v, acc, t=0.0, wrench=None):
    """What actuators have to give: the reactions along the freedoms less what the joints do by themselves."""
    given = reactions(chain, q, v, acc, t, wrench)
    found = places(chain, q)
    torque = [e @ n + s @ f for p, (n, f) in zip(found, given) for e, s in p.freedoms]
    return np.array(torque) - joint_laws(chain, t, q, v)


def momenta(chain, q, v):
    """(linear, angular about the world origin, kinetic energy, mass centre, mass)"""
    found = places(chain, q, v)
    P, H, T, first, mass = np.zeros(3), np.zeros(3), 0.0, np.zeros(3), 0.0
    for _, p, m, c, I in weights(chain, found):
        u = p.u + np.cross(p.w, c)
        P, H = P + m*u, H + np.cross(p.x + c, m*u) + I @ p.w
        T, first, mass = T + 0.5*(m*u @ u + p.w @ I @ p.w), first + m*(p.x + c), mass + m
    return P, H, T, first/mass, mass


def moved(chain, q, v, t):
    """q after a time t at the constant rates v: exact, so that derivatives along the motion may be taken."""
    q = np.array(q)
    for link in chain.links:
        a, rate = chain.q_slice(link.name), v[chain.v_slice(link.name)]
        if isinstance(link.joint, Free):
            at = q[a]
            q[a] = [*(at[:3] + t*(turn_of(at[3:]) @ rate[:3])), *spun(at[3:], t*rate[3:])]
        elif isinstance(link.joint, Spherical):
            q[a] = spun(q[a], t*rate)
        else:
            q[a] += t*rate
    return q


def spun(q, r):
    """q times the quaternion of the rotation vector r"""
    half = 0.5*np.linalg.norm(r)
    s, (w, x) = np.sinc(half/np.pi)*0.5*np.array(r), (q[0], np.array(q[1:]))
    return np.array([w*np.cos(half) - x @ s, *(w*s + np.cos(half)*x + np.cross(x, s))])


WEIGHTS = np.array([672.0, -168.0, 32.0, -3.0])/840.0


def rate_of(f, h=4e-3):
    """df/dt at t = 0, central differences of order eight."""
    return sum(w*(f(k*h) - f(-k*h)) for k, w in enumerate(WEIGHTS, 1))/h
