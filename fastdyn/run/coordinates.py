"""How the coordinates of a chain follow its velocities: rates as they are, quaternions by their own rule."""

import numpy as np

from ..algebra.rotation import quaternion_matrix, quaternion_rate
from ..algebra.vectors import mul
from ..describe.joints import Free, Spherical


def plain(leaf):
    """The Python function of a leaf: its arithmetic works on arrays as well, all joints of a kind at once."""
    return getattr(leaf, "py_func", leaf)


class Coordinates:
    """Where the quaternions and the floating base of a chain stand in q and v, and what follows from it."""

    def __init__(self, chain):
        self.alike_q, self.alike_v = [], []             # coordinates whose rate is a velocity
        self.ball_q, self.ball_v = [], []               # first of a quaternion, first of its angular velocity
        self.floating = None                            # first q, first v of a floating base
        q = v = 0
        for link in chain.links:
            joint = link.joint
            if isinstance(joint, Free):
                self.floating = q, v
            if isinstance(joint, Free | Spherical):
                self.ball_q.append(q + joint.nq - 4)
                self.ball_v.append(v + joint.nv - 3)
            else:
                self.alike_q += range(q, q + joint.nq)
                self.alike_v += range(v, v + joint.nv)
            q, v = q + joint.nq, v + joint.nv
        self.simple = not self.ball_q
        self.quaternions = np.array(self.ball_q, dtype=int) + np.arange(4)[:, None]
        self.turnings = np.array(self.ball_v, dtype=int) + np.arange(3)[:, None]

    def normalized(self, q):
        """q, one row per state, with quaternions of length one."""
        if self.simple:
            return q
        q = q.copy()
        balls = q[..., self.quaternions]
        q[..., self.quaternions] = balls/np.linalg.norm(balls, axis=-2, keepdims=True)
        return q

    def rate(self, q, v):
        """dq/dt of one state."""
        if self.simple:
            return v
        qd = np.empty_like(q)
        qd[self.alike_q] = v[self.alike_v]
        qd[self.quaternions] = plain(quaternion_rate)(q[self.quaternions], v[self.turnings])
        if self.floating is not None:
            a, b = self.floating
            qd[a:a + 3] = plain(mul)(plain(quaternion_matrix)(q[a + 3:a + 7]), v[b:b + 3])
        return qd
