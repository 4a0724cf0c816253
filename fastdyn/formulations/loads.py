"""Everything that pulls besides the caller: springs, dampers, limits and drives of joints, loads on links."""

from .._jit import float64, int64, kernel, leaf
from ..algebra.rotation import quaternion_log
from ..algebra.vectors import add, cross, scale, tmul
from ..laws.joint import ball_torque, spring_torque
from ..laws.signal import drive_value, signal_value
from ..layout import (
    ACTING, DAMPING, DRIVE, IN_PLANE, LIMIT_DAMPING, LIMIT_STIFFNESS, LINK, LOAD_AT, LOAD_FORCE, LOAD_MOMENT,
    LOAD_ROW, LOAD_SIGNAL, LOAD_WORLD, Q_AT, SPHERICAL, STEP, STIFFNESS, TURNED_SPHERICAL, V_AT)
from .elastic import is_beam
from .joints import freedoms, numbers3
from .kinematics import fill_poses, load3, load9, store
from .signatures import MODEL, VECTOR, WORK

NOTHING = 2.0**-50                                      # of a wrench: what rounding may leave off the plane


@kernel(int64(MODEL, WORK, float64, VECTOR, VECTOR))
def add_loads(model, work, t, q, v):
    """Add to work.torque what the joints do by themselves at t, q, v and to work.wrench what acts on the links."""
    joint_laws(model, t, q, v, work.torque)
    if model.load.shape[0] > 0:
        link_loads(model, t, q, work.pose, work.wrench)
        work.note[ACTING] = 1
    return 0


def has_laws(model) -> bool:
    """Whether joints or loads pull by themselves."""
    laws = model.spring[:, [STIFFNESS, DAMPING, LIMIT_STIFFNESS, LIMIT_DAMPING]]
    return bool(laws.any() or (model.spring[:, DRIVE] >= 0).any() or len(model.load))


@leaf
def joint_laws(model, t, q, v, torque):
    """Springs, dampers and limits, then drives, on top of torque"""
    joint_springs(model, q, v, torque)
    joint_drives(model, t, q, v, torque)


@leaf
def joint_springs(model, q, v, torque):
    for i in range(model.row.shape[0]):
        step, a, j = model.row[i, STEP], model.row[i, Q_AT], model.row[i, V_AT]
        if step == SPHERICAL or step == TURNED_SPHERICAL:
            r = quaternion_log((q[a], q[a + 1], q[a + 2], q[a + 3]))
            u = ball_torque(model.spring, j, r, load3(v, j))
            store(torque, j, add(load3(torque, j), u))
        elif freedoms(step) == 1:
            torque[j] += spring_torque(model.spring, j, q[a], v[j])


@leaf
def joint_drives(model, t, q, v, torque):
    for j in range(model.spring.shape[0]):
        drive = int(model.spring[j, DRIVE])
        if drive >= 0:
            torque[j] += drive_value(model.signal, model.table, drive, t, q, v)


@leaf
def add_link_wrenches(model, given, wrench):
    """Add force and moment on each link, link axes, to the rows: moment and force, row axes. OFF_PLANE names a row."""
    rows = model.row.shape[0]
    for i in range(rows):
        if carries_frame(model, i):
            at = 6*model.row[i, LINK]
            force, moment = load3(given, at), load3(given, at + 3)
            if model.base[IN_PLANE] == 1.0:
                off = max(abs(force[2]), abs(moment[0]), abs(moment[1]))
                if off > NOTHING*max(abs(force[0]), abs(force[1]), abs(moment[2])):
                    return i + 1
            C = numbers3(model.frame, i, 0) + numbers3(model.frame, i, 3) + numbers3(model.frame, i, 6)
            store(wrench, 6*i, add(load3(wrench, 6*i), tmul(C, moment)) + add(load3(wrench, 6*i + 3), tmul(C, force)))
    return 0


@leaf
def carries_frame(model, i):
    """Whether a row is the last one of its link's joint, where the link's own frame is."""
    if is_beam(model.row, i):
        return False
    last = i + 1 == model.row.shape[0]
    return last or model.row[i + 1, LINK] != model.row[i, LINK] or is_beam(model.row, i + 1)


@leaf
def link_loads(model, t, q, pose, wrench):
    fill_poses(model, q, pose)
    for l in range(model.load.shape[0]):
        i = int(model.load[l, LOAD_ROW])
        share = signal_value(model.signal, model.table, int(model.load[l, LOAD_SIGNAL]), t)
        at = numbers3(model.load, l, LOAD_AT)
        force = scale(share, numbers3(model.load, l, LOAD_FORCE))
        moment = scale(share, numbers3(model.load, l, LOAD_MOMENT))
        if model.load[l, LOAD_WORLD] == 1.0:
            R = load9(pose, 12*i)
            force, moment = tmul(R, force), tmul(R, moment)
        moment = add(moment, cross(at, force))
        store(wrench, 6*i, add(load3(wrench, 6*i), moment) + add(load3(wrench, 6*i + 3), force))
