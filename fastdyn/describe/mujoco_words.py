"""A compiled MuJoCo model told in links and joints.

A body becomes one link whose axes are the body's and whose origin is the body's last joint; a body with several joints
becomes a row of links, all but the last without mass. Numbers that are rounding next to their neighbours become zero.
"""

import contextlib

import numpy as np

from ..status import ModelError
from .body import Body
from .chain import Chain
from .joints import Fixed, Free, Prismatic, Revolute, Spherical
from .link import BASE, Link

ROUNDING = 1e-12  # of the largest number beside it
UNTITLED = "MuJoCo Model"


def weight_refusals(spec):
    """One sentence for every body whose weight cannot be, before compiling drops or corrects it."""
    for body in spec.bodies:
        if not body.explicitinertial:
            continue
        full = body.fullinertia
        if not 0.0 <= body.mass < np.inf:
            yield f'body "{body.name}" has mass {body.mass:g} kg; give a finite mass > 0'
        elif body.mass == 0.0 and np.any((body.inertia if np.isnan(full[0]) else full) != 0.0):
            yield f'body "{body.name}" has inertia but no mass; give a mass > 0, or take the inertia out as well'


def refusals(mujoco, m):
    """One sentence for everything in the model that moves it and that a Chain cannot say."""
    counts = {"equality constraint": m.neq, "tendon": m.ntendon, "flex": m.nflex, "plugin": m.nplugin}
    for word, count in counts.items():
        if count:
            yield f"it has {count} {word}(s), which would change the motion and are not carried over; take them out"
    if m.nmocap:
        yield f"it has {m.nmocap} mocap bod(ies), moved from outside; make them fixed bodies"
    for i in range(len(m.actuator_trntype)):
        if not _plain_motor(mujoco, m, i):
            yield f'actuator "{m.actuator(i).name}" is not a plain motor; replace it by <motor>, or give a drive'
    for i in range(m.njnt):
        for word in _joint_refusals(mujoco, m, i):
            yield f'joint "{m.joint(i).name}" has {word}, which is not carried over; take it out of the file'
    for i in range(1, m.nbody):
        if m.body_gravcomp[i]:
            yield f'body "{m.body(i).name}" has gravcomp, which is not carried over; take it out of the file'
    for word in ("density", "viscosity"):
        if getattr(m.opt, word):
            yield f"option {word} is {getattr(m.opt, word):g}: forces of the medium are not carried over; set it to 0"
    for flag in ("SPRING", "DAMPER"):
        if m.opt.disableflags & getattr(mujoco.mjtDisableBit, f"mjDSBL_{flag}"):
            yield f"option flag {flag.lower()} is off; switch it on, or take stiffness and damping out of the joints"


def _plain_motor(mujoco, m, i):
    """Nothing but a torque or force on one joint, as large as its control."""
    return (
        m.actuator_trntype[i] == mujoco.mjtTrn.mjTRN_JOINT
        and m.actuator_gaintype[i] == mujoco.mjtGain.mjGAIN_FIXED
        and m.actuator_biastype[i] == mujoco.mjtBias.mjBIAS_NONE
        and m.actuator_dyntype[i] == mujoco.mjtDyn.mjDYN_NONE
        and not any(_nonzero(m, f"actuator_{word}", i) for word in ("armature", "damping", "dampingpoly"))
    )


def _joint_refusals(mujoco, m, i):
    dofs = slice(m.jnt_dofadr[i], m.jnt_dofadr[i] + {0: 6, 1: 3}.get(int(m.jnt_type[i]), 1))
    yield from (word for word in ("armature", "frictionloss", "dampingpoly") if _nonzero(m, f"dof_{word}", dofs))
    yield from (word for word in ("stiffnesspoly", "springyield") if _nonzero(m, f"jnt_{word}", i))
    free = m.jnt_type[i] == mujoco.mjtJoint.mjJNT_FREE
    if m.jnt_type[i] == mujoco.mjtJoint.mjJNT_BALL and m.jnt_limited[i]:
        yield "a range though it is a ball joint"
    if free and (m.jnt_stiffness[i] or _nonzero(m, "dof_damping", dofs)):
        yield "stiffness or damping though it is free"


def _nonzero(m, field, place):
    """Is that field set there? Fields that this MuJoCo does not know are not."""
    values = getattr(m, field, None)
    return values is not None and bool(np.any(values[place] != 0.0))


def chain_of(mujoco, m, name, free_base):
    """The chain of a compiled model; free_base gives a root body without joints a Free one."""
    names = _Names(m)
    frames = {0: (BASE, np.zeros(3))}  # body -> its last link, and that link's origin in the body's frame
    links = []
    for b in range(1, m.nbody):
        parent, offset = frames[m.body_parentid[b]]
        at, turn = m.body_pos[b] - offset, m.body_quat[b]
        joints = range(m.body_jntadr[b], m.body_jntadr[b] + m.body_jntnum[b])
        origin = np.zeros(3)
        if not joints:
            joint = Free() if free_base and m.body_parentid[b] == 0 else Fixed()
            links.append({"parent": parent, "joint": joint, "at": _clean(at), "turn": _clean(turn)})
        for j in joints:
            if m.jnt_type[j] == mujoco.mjtJoint.mjJNT_FREE:
                at, turn = np.zeros(3), np.array([1.0, 0.0, 0.0, 0.0])
            else:
                at = at + _rotated(turn, m.jnt_pos[j] - origin)
                origin = m.jnt_pos[j]
            with _of("joint", names.joint[j]):
                joint, slid, turned = _joint(mujoco, m, j)
            placed = {"at": _clean(at + _rotated(turn, slid)), "turn": _clean(_product(turn, turned))}
            links.append({"parent": parent, "joint": joint, **placed})
            if j != joints[-1]:
                links[-1]["name"] = parent = names.frame(j)
                at, turn = np.zeros(3), np.array([1.0, 0.0, 0.0, 0.0])
        with _of("body", names.body[b]):
            links[-1].update(name=names.body[b], body=_body(m, b, origin), points=_points(m, b, origin))
        frames[b] = links[-1]["name"], origin
    if not links:
        raise ModelError("it has no bodies; a chain needs at least one link")
    gravity = (0.0, 0.0, 0.0) if m.opt.disableflags & mujoco.mjtDisableBit.mjDSBL_GRAVITY else tuple(m.opt.gravity)
    return Chain([Link(**words) for words in links], gravity=gravity, name="" if name == UNTITLED else name)


@contextlib.contextmanager
def _of(what, name):
    """Refusals begin with the joint or body of the file they are about."""
    try:
        yield
    except ModelError as wrong:
        raise ModelError(f'{what} "{name}": {wrong}') from None


class _Names:
    """Names of links: those of the bodies where they are free, and of the joints for the frames between."""

    def __init__(self, m):
        self.taken = {BASE} | {m.body(b).name for b in range(1, m.nbody)}
        given = [m.body(b).name for b in range(m.nbody)]
        self.body = [self._fresh(name or f"body{b}") if name in ("", BASE) else name for b, name in enumerate(given)]
        self.joint = [m.joint(j).name or f"joint{j}" for j in range(m.njnt)]

    def frame(self, j):
        return self._fresh(self.joint[j])

    def _fresh(self, name):
        while name in self.taken:
            name += "_link"
        self.taken.add(name)
        return name


def _joint(mujoco, m, j):
    """The joint, and what its zero differs from MuJoCo's: a slide (vector) and a turn (quaternion)."""
    kind, adr = m.jnt_type[j], m.jnt_qposadr[j]
    still, unturned = np.zeros(3), np.array([1.0, 0.0, 0.0, 0.0])
    if kind == mujoco.mjtJoint.mjJNT_FREE:
        return Free(), still, unturned
    stiffness, damping = float(m.jnt_stiffness[j]), float(m.dof_damping[m.jnt_dofadr[j]])
    if kind == mujoco.mjtJoint.mjJNT_BALL:
        return Spherical(stiffness=stiffness, damping=damping), still, unturned
    axis, ref = np.array(_clean(m.jnt_axis[j])), m.qpos0[adr]
    lower, upper = m.jnt_range[j] if m.jnt_limited[j] else (None, None)
    words = {"axis": axis, "stiffness": stiffness, "damping": damping, "lower": lower, "upper": upper}
    words["rest"] = float(m.qpos_spring[adr]) if stiffness else 0.0
    if kind == mujoco.mjtJoint.mjJNT_SLIDE:
        return Prismatic(**words), -ref * axis, unturned
    return Revolute(**words), still, np.array([np.cos(ref / 2), *(-np.sin(ref / 2) * axis)])


def _body(m, b, origin):
    if m.body_mass[b] == 0.0:
        return None
    R = np.array([_rotated(m.body_iquat[b], e) for e in np.eye(3)]).T
    inertia = R @ np.diag(m.body_inertia[b]) @ R.T
    inertia[np.abs(inertia) <= ROUNDING * np.abs(inertia).max()] = 0.0
    return Body(mass=float(m.body_mass[b]), com=_clean(m.body_ipos[b] - origin), inertia=(inertia + inertia.T) / 2)


def _points(m, b, origin):
    sites = (s for s in range(m.nsite) if m.site_bodyid[s] == b and m.site(s).name)
    return {m.site(s).name: _clean(m.site_pos[s] - origin) for s in sites}


def _clean(v):
    return tuple(0.0 if abs(x) <= ROUNDING * np.abs(v).max() else float(x) for x in v)


def _rotated(turn, v):
    w, u = turn[0], turn[1:]
    t = 2 * np.cross(u, v)
    return v + w * t + np.cross(u, t)


def _product(a, b):
    w = a[0] * b[0] - a[1:] @ b[1:]
    return np.array([w, *(a[0] * b[1:] + b[0] * a[1:] + np.cross(a[1:], b[1:]))])
