"""Our chains told to Pinocchio and to MuJoCo, which know nothing of us; and how their coordinates read."""

import numpy as np
from formulations.free_bodies import turn_of

from fastdyn import Fixed, Free, Prismatic, Revolute, Spherical, Universal


def pinocchio_model(pin, chain):
    """(model, data): every link an inertia on the joint that moves it."""
    model = pin.Model()
    model.gravity.linear = np.array(chain.gravity)
    carrier = {"base": (0, pin.SE3.Identity())}         # link -> joint that moves it, the link's frame in that joint's
    for link, at in zip(chain.links, chain.joint_positions):
        parent, frame = carrier[link.parent]
        place = frame*pin.SE3(turn_of(np.array(link.turn)), np.array(at))
        for i, joint in enumerate(_pinocchio_joints(pin, link.joint)):
            parent = model.addJoint(parent, joint, place, f"{link.name}.{i}")
            place = pin.SE3.Identity()
        carrier[link.name] = parent, place
        if link.rigid_body is not None:
            b = link.rigid_body
            model.appendBodyToJoint(parent, pin.Inertia(b.mass, np.array(b.com), np.array(b.inertia)), place)
    return model, model.createData()


def _pinocchio_joints(pin, joint):
    if isinstance(joint, Revolute):
        return [pin.JointModelRevoluteUnaligned(np.array(joint.axis))]
    if isinstance(joint, Prismatic):
        return [pin.JointModelPrismaticUnaligned(np.array(joint.axis))]
    if isinstance(joint, Universal):
        return [pin.JointModelRevoluteUnaligned(np.array(axis)) for axis in joint.axes]
    return {Spherical: [pin.JointModelSpherical()], Free: [pin.JointModelFreeFlyer()], Fixed: []}[type(joint)]


def pinocchio_q(chain, q):
    """Quaternions with the real part last."""
    q = q.copy()
    for _, part in chain.quaternions:
        q[part] = np.roll(q[part], -1)
    return q


def mjcf(chain):
    """The chain as a MuJoCo model; springs, dampers and rests of hinges and slides included."""
    children = {}
    for i, link in enumerate(chain.links):
        children.setdefault(link.parent, []).append(i)
    body = "".join(_mjcf_body(chain, i, children) for i in children["base"])
    return (f'<mujoco><compiler angle="radian" boundmass="0" boundinertia="0"/>'
            f'<option gravity="{_text(chain.gravity)}"><flag constraint="disable"/></option>'
            f"<worldbody>{body}</worldbody></mujoco>")


def _mjcf_body(chain, i, children):
    link, b = chain.links[i], chain.links[i].rigid_body
    I = np.array(b.inertia)
    inertia = _text((I[0, 0], I[1, 1], I[2, 2], I[0, 1], I[0, 2], I[1, 2]))
    inner = "".join(_mjcf_body(chain, k, children) for k in children.get(link.name, []))
    return (f'<body name="{link.name}" pos="{_text(chain.joint_positions[i])}" quat="{_text(link.turn)}">'
            f'<inertial pos="{_text(b.com)}" mass="{b.mass!r}" fullinertia="{inertia}"/>'
            f"{_mjcf_joints(link)}{inner}</body>")


def _mjcf_joints(link):
    j = link.joint
    if isinstance(j, Fixed):
        return ""
    if isinstance(j, Free):
        return f'<freejoint name="{link.name}"/>'
    if isinstance(j, Spherical):
        return f'<joint name="{link.name}" type="ball" stiffness="{j.stiffness!r}" damping="{j.damping!r}"/>'
    kind = "slide" if isinstance(j, Prismatic) else "hinge"
    axes = j.axes if isinstance(j, Universal) else (j.axis,)
    words = zip(axes, *(np.broadcast_to(getattr(j, word), len(axes)) for word in ("stiffness", "damping", "rest")))
    return "".join(f'<joint name="{link.name}_{i}" type="{kind}" axis="{_text(axis)}" stiffness="{_text([k])}" '
                   f'damping="{_text([c])}" springref="{_text([rest])}"/>'
                   for i, (axis, k, c, rest) in enumerate(words))


def _text(numbers):
    return " ".join(repr(float(x)) for x in numbers)


def mujoco_turn(chain, q):
    """G of qvel = G v: MuJoCo gives the velocity of a floating base in world axes; and dG/dt v as a function of v."""
    G = np.eye(chain.nv)
    if isinstance(chain.links[0].joint, Free):
        G[:3, :3] = turn_of(q[3:7])
    return G, lambda v: np.concatenate([np.cross(G[:3, :3] @ v[3:6], G[:3, :3] @ v[:3]), np.zeros(chain.nv - 3)]) if (
        isinstance(chain.links[0].joint, Free)) else np.zeros(chain.nv)
