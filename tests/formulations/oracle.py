"""The judge of rigid chains: Newton's and Euler's law of every link in world axes, with 40 digits."""

import mpmath as mp
import numpy as np

DIGITS = 40


def judged(chain, q, v, torque):
    """(dv/dt, the condition number of the mass matrix) of any tree under gravity and the given torques."""
    with mp.workdps(DIGITS):
        M, rest = _equations(chain, q, v, torque)
        return np.array([float(y) for y in mp.lu_solve(M, rest)]), float(mp.cond(M))


def column(x):
    return mp.matrix([mp.mpf(float(c)) for c in x])


def dot(a, b):
    return (a.T*b)[0]


def cross(a, b):
    return mp.matrix([a[1]*b[2] - a[2]*b[1], a[2]*b[0] - a[0]*b[2], a[0]*b[1] - a[1]*b[0]])


def about(e, angle):
    X = mp.matrix([[0, -e[2], e[1]], [e[2], 0, -e[0]], [-e[1], e[0], 0]])
    return mp.eye(3) + mp.sin(angle)*X + (1 - mp.cos(angle))*X*X


class _Frame:
    """A link as its joint leaves it: R, origin x, angular velocity w; al and u, the part of its angular acceleration
    and of its origin's that is there without dv/dt; ways, the (number, axis, foot) of all that moves it, no foot: a
    slide."""

    def __init__(self, R, x, w, al, u, ways):
        self.R, self.x, self.w, self.al, self.u, self.ways = R, x, w, al, u, ways

    def placed(self, at, turn):
        """A frame fixed to this one"""
        d = self.R*column(at)
        return _Frame(self.R*_matrix(column(turn)), self.x + d, self.w, self.al, self.u + self.spun(d), self.ways)

    def spun(self, d):
        return cross(self.al, d) + cross(self.w, cross(self.w, d))

    def turned(self, e, angle, rate, number):
        z = self.R*(e/mp.norm(e))
        R, al = self.R*about(e/mp.norm(e), angle), self.al + cross(self.w, z)*rate
        return _Frame(R, self.x, self.w + z*rate, al, self.u, [*self.ways, (number, z, self.x)])

    def slid(self, e, way, rate, number):
        z = self.R*(e/mp.norm(e))
        u = self.u + self.spun(z*way) + 2*cross(self.w, z)*rate
        return _Frame(self.R, self.x + z*way, self.w, self.al, u, [*self.ways, (number, z, None)])

    def rolled(self, p, rates, first):
        """By a quaternion; the rates are along the axes that come of it."""
        R = self.R*_matrix(p)
        spin = R*rates
        return _Frame(R, self.x, self.w + spin, self.al + cross(self.w, spin), self.u,
                      [*self.ways, *((first + k, R[:, k], self.x) for k in range(3))])

    def flown(self, place, p, rates):
        """From the base, which rests: by a place along its axes, a quaternion, velocities along the axes that come."""
        R = self.R*_matrix(p)
        w, u = R*rates[3:], R*rates[:3]
        x = self.x + self.R*place
        return _Frame(R, x, w, mp.zeros(3, 1), cross(w, u), [(k, R[:, k], None) for k in range(3)]
                      + [(3 + k, R[:, k], x) for k in range(3)])


def _matrix(p):
    p = p/mp.norm(p)
    X = mp.matrix([[0, -p[3], p[2]], [p[3], 0, -p[1]], [-p[2], p[1], 0]])
    return mp.eye(3) + 2*p[0]*X + 2*X*X


def _moved(joint, frame, q, v, j):
    """The link's frame from that of its joint; q, v, its own; j, the number of its first velocity."""
    if joint.kind == "revolute":
        return frame.turned(column(joint.axis), q[0], v[0], j)
    if joint.kind == "prismatic":
        return frame.slid(column(joint.axis), q[0], v[0], j)
    if joint.kind == "universal":
        first, second = (column(axis) for axis in joint.axes)
        return frame.turned(first, q[0], v[0], j).turned(second, q[1], v[1], j + 1)
    if joint.kind == "spherical":
        return frame.rolled(q, v, j)
    if joint.kind == "free":
        return frame.flown(q[:3], q[3:], v)
    if joint.kind == "free-planar":
        x, y, z = (mp.eye(3)[:, k] for k in range(3))
        return frame.slid(x, q[0], v[0], j).slid(y, q[1], v[1], j + 1).turned(z, q[2], v[2], j + 2)
    return frame


def _equations(chain, q, v, torque):
    zero = mp.zeros(3, 1)
    frames, M, rest = {"base": _Frame(mp.eye(3), zero, zero, zero, zero, [])}, mp.zeros(chain.nv), column(torque)
    q, v, g = column(q), column(v), column(chain.gravity)
    for link, at in zip(chain.links, chain.joint_positions):
        a, j = chain.q_slice(link.name), chain.v_slice(link.name)
        joint = frames[link.parent].placed(at, link.turn)
        frame = frames[link.name] = _moved(link.joint, joint, q[a.start:a.stop], v[j.start:j.stop], j.start)
        body = link.rigid_body
        if body is None:
            continue
        c, m = frame.R*column(body.com), mp.mpf(body.mass)
        I = frame.R*mp.matrix([[mp.mpf(float(x)) for x in row] for row in body.inertia])*frame.R.T
        pull = m*(frame.u + frame.spun(c) - g)
        moment = I*frame.al + cross(frame.w, I*frame.w)
        ways = [(k, zero if foot is None else z, z if foot is None else cross(z, frame.x + c - foot))
                for k, z, foot in frame.ways]
        for k, turn, way in ways:
            rest[k] -= dot(way, pull) + dot(turn, moment)
            for i, other_turn, other_way in ways:
                M[k, i] += m*dot(way, other_way) + dot(turn, I*other_turn)
    return M, rest
