"""One physical system described in other words."""

import numpy as np
from formulations.free_bodies import turn_of

from fastdyn import Body, Fixed, Free, FreePlanar, Link, Load, Prismatic, Revolute, Spherical, Universal


def quaternion_of(R):
    """Unit quaternion of a rotation matrix, by the eigenvector of Bar-Itzhack [2000]."""
    (a, b, c), (d, e, f), (g, h, i) = R
    K = np.array([[a - e - i, 0, 0, 0], [d + b, e - a - i, 0, 0], [g + c, h + f, i - a - e, 0],
                  [h - f, c - g, d - b, a + e + i]])
    x, y, z, w = np.linalg.eigh(K)[1][:, -1]
    return np.array([w, x, y, z])


def product(a, b):
    """Hamilton's of two quaternions"""
    (w, *x), (u, *y) = a, b
    return np.array([w*u - np.dot(x, y), *(w*np.array(y) + u*np.array(x) + np.cross(x, y))])


def words(link):
    return {name: getattr(link, name) for name in link.__struct_fields__}


def changed(link, **changes):
    return Link(**words(link) | changes)


def joint_changed(joint, **changes):
    return type(joint)(**{name: getattr(joint, name) for name in joint.__struct_fields__} | changes)


def undriven(link):
    """The link with a joint that has no drive"""
    drives = getattr(link.joint, "drive", ())
    return changed(link, joint=joint_changed(link.joint, drive=())) if drives else link


def turned(chain, G, shift=(0.0, 0.0, 0.0)):
    """The whole world turned by the matrix G and moved: roots, gravity, loads in world axes."""
    links = []
    for link, at in zip(chain.links, chain.joint_positions):
        loads = [load if load.frame == "link" else _load(load, force=G @ load.force, moment=G @ load.moment)
                 for load in link.loads]
        link = changed(link, loads=loads, at=at)
        if link.parent == "base":
            link = changed(link, at=G @ at + shift, turn=quaternion_of(G @ turn_of(np.array(link.turn))))
        links.append(link)
    return chain.replace(links=links, gravity=G @ chain.gravity, space="auto" if chain.planar else "space")


def reframed(chain, frames, v_turns):
    """Every link frame replaced by a turned and moved one: frames[name] = (G, d), its axes and origin in the old one.

    d is taken along what the joint leaves the same: anything for a slide or a fixed link, the axis of a revolute.
    v_turns: filled with the matrices that turn the joint's velocities (ball joints and floating bases alone).
    """
    frames, links = {"base": (np.eye(3), np.zeros(3))} | frames, []
    for link, at in zip(chain.links, chain.joint_positions):
        (Gp, dp), (G, d) = frames[link.parent], frames[link.name]
        C = turn_of(np.array(link.turn))
        joint, v_turns[link.name] = _joint_in(link.joint, G)
        loads = [_load(load, at=G.T @ (load.at - d)) if load.frame == "world" else
                 _load(load, at=G.T @ (load.at - d), force=G.T @ load.force, moment=G.T @ load.moment)
                 for load in link.loads]
        links.append(changed(link, joint=joint, at=Gp.T @ (at + C @ d - dp), turn=quaternion_of(Gp.T @ C @ G),
                             body=_body(link.rigid_body, G, d), loads=loads, mass=None, points={}))
    return chain.replace(links=links)


def free_shift(joint, d):
    """The part of d by which a link's origin may move without another motion of the joint"""
    if isinstance(joint, Prismatic | Fixed):
        return d
    return (np.array(joint.axis) @ d)*np.array(joint.axis) if isinstance(joint, Revolute) else np.zeros(3)


def _joint_in(joint, G):
    """The joint said in axes turned by G, and the matrix that turns its velocities into the new components."""
    if isinstance(joint, Revolute | Prismatic):
        return joint_changed(joint, axis=G.T @ joint.axis), np.eye(1)
    if isinstance(joint, Universal):
        return joint_changed(joint, axes=[G.T @ axis for axis in joint.axes]), np.eye(2)
    turns = {Spherical: G.T, Free: np.kron(np.eye(2), G.T), Fixed: np.zeros((0, 0)), FreePlanar: np.eye(3)}
    return joint, turns[type(joint)]


def reframed_state(chain, q, v_turns, frames, v):
    q, new_v = q.copy(), v.copy()
    for link in chain.links:
        a, s, G = chain.q_slice(link.name), chain.v_slice(link.name), frames[link.name][0]
        new_v[s] = v_turns[link.name] @ v[s]
        if isinstance(link.joint, Spherical | Free):
            n = a.stop - 4
            q[n:a.stop] = quaternion_of(G.T @ turn_of(q[n:a.stop]) @ G)
            if n > a.start:
                q[a.start:n] = G.T @ q[a.start:n]
    return q, new_v


def _body(body, G, d):
    return body and Body(mass=body.mass, com=G.T @ (body.com - d), inertia=G.T @ np.array(body.inertia) @ G)


def _load(load, **changes):
    return Load(**{name: getattr(load, name) for name in load.__struct_fields__} | changes)


def joined(a, b):
    """Two bodies in the same frame as one."""
    mass = a.mass + b.mass
    com = (a.mass*np.array(a.com) + b.mass*np.array(b.com))/mass
    inertia = sum(np.array(x.inertia) + x.mass*(d @ d*np.eye(3) - np.outer(d, d))
                  for x, d in ((x, x.com - com) for x in (a, b)))
    return Body(mass=mass, com=com, inertia=inertia)
