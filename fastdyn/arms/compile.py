"""Words of a spatial arm become the arrays its kernels read."""

import numpy as np

from ..describe.forces import Signals
from ..run.course import bends
from . import layout as L
from .describe import TIMED
from .modal_link import ModalLink
from .moments import moments
from .shapes import drawing, gauss_points, kinds, stiffness, table

TINY = np.finfo(float).tiny


def compiled(arm):
    """layout.Arm of a SpatialArm."""
    n, marks = len(arm.links), marks_of(arm)
    link, frame = np.full((n, L.LINK), -1, np.int64), np.zeros((n, L.FRAME))
    numbers, places = beams_of(arm, marks)
    nv, chain, spring, drives, signals = 0, 0, [], [], Signals()
    for k, words in enumerate(arm.links):
        joint, beam, row, out = words.joint, words.beam, link[k], frame[k]
        modes = 0 if beam is None else len(kinds(beam))
        row[[L.MODES, L.CHAIN]] = modes, chain
        row[[L.TABLE, L.STIFF, L.MOMENTS, L.POINT]] = places[k]
        row[[L.EXACT, L.GAUSS, L.TIED, L.AXIAL, L.BEND_Y, L.BEND_Z, L.APART]] = 0
        chain += L.CHAIN_HEAD + 6*L.stride(modes) + modes*(L.stride(modes) + L.WIDE)
        if joint.stiffness > 0.0:
            row[L.MOTOR], nv = nv, nv + 1
            spring.append((steady(joint), 0.0))
        if joint.spin is None:
            row[L.TURN], nv = nv, nv + 1
            spring.append((0.0 if joint.stiffness > 0.0 else steady(joint),
                           0.0 if joint.stiffness > 0.0 else joint.damping))
        else:
            out[[L.SPIN, L.SPIN_TIME]] = joint.spin
        if isinstance(joint.torque, TIMED):
            drives.append((nv - 1 if joint.stiffness == 0.0 else nv - 2, joint.gear, joint.torque_limit or np.inf))
            signals.number(joint.torque)
        row[L.FIRST], nv = nv, nv + modes
        spring += [(0.0, 0.0)]*modes
        out[L.SEAT:L.SEAT + 12] = np.column_stack([np.array(joint.turn, float), joint.place]).ravel()
        out[L.TIP:L.TIP + 12] = np.column_stack([np.eye(3), words.tip]).ravel()
        out[L.PROXIMAL:L.PROXIMAL + 16] = sum((b.pseudo() for b in words.proximal), np.zeros((4, 4))).ravel()
        out[L.DISTAL:L.DISTAL + 16] = sum((b.pseudo() for b in words.distal), rotor_carried(arm, k)).ravel()
        out[L.FAR:L.FAR + 16] = seen_from(arm, k, out[L.DISTAL:L.DISTAL + 16].reshape(4, 4)).ravel()
        out[[L.JOINT_K, L.JOINT_C, L.ROTOR]] = joint.stiffness, joint.damping, joint.gear**2*joint.rotor
        out[L.GYRO] = 0.5*joint.gear*joint.rotor*joint.gyroscopic
        if beam is not None:
            out[L.BETA] = beam.damping
            row[L.GAUSS], row[L.EXACT], row[L.AXIAL] = gauss_points(beam), beam.rotation == "exp", beam.modes[0]
            K = stiffness(beam)
            row[L.REACH:L.REACH + 12] = np.ravel(reach(beam))
            row[L.TIED] = (K != np.diag(np.diag(K))).any()
            apart = beam.apart if isinstance(beam, ModalLink) else drawing(beam)[1]
            row[[L.BEND_Y, L.BEND_Z, L.APART]] = np.array([*beam.modes[1:3], apart])*beam.foreshortening
            if not isinstance(beam, ModalLink):
                out[[L.RHO_A, L.RHO_IY, L.RHO_IZ]] = beam.rho_A, beam.rho_Iy, beam.rho_Iz
    table_of, stiff, integrals = numbers
    return L.Arm(link, frame, table_of, stiff, np.array(spring, float).reshape(-1, 2), contacts_of(arm, marks),
                 np.array(arm.gravity, float), integrals, np.array(drives, float).reshape(-1, 3),
                 *signals.arrays().values())


def bends_of(model):
    """Times at which what drives an arm bends, s: rows of tables, begin and end of a prescribed spin-up."""
    spans = model.frame[model.link[:, L.TURN] < 0, L.SPIN_TIME]
    return np.unique(np.concatenate([bends(model.signal, model.knots), 0.0*spans, spans]))


def reach(beam):
    """(begin, end) of the modes that do c to the end of a link, for every c of REACH"""
    n = len(kinds(beam))
    shape = table(beam)[gauss_points(beam), 2:2 + 6*n].reshape(6, n)
    found = [np.flatnonzero(shape[c]) for c in (3, 4, 5, 0, 1, 2)]
    found[3] = np.arange(n)
    return [(f[0], f[-1] + 1) if len(f) else (0, 0) for f in found]


def steady(joint):
    """Torque on the angle of the motor that stays as it is"""
    if isinstance(joint.torque, TIMED):
        return 0.0
    most = joint.torque_limit or np.inf
    return joint.gear*min(max(joint.torque, -most), most)


def rotor_carried(arm, k):
    """4x4 at the end of link k: inertia about its axis of the next joint's rotor, where it shows as a gyroscope"""
    J = np.zeros((4, 4))
    if k + 1 < len(arm.links) and arm.links[k + 1].joint.gyroscopic:
        joint = arm.links[k + 1].joint
        across = np.array(joint.turn)[:, :2]
        J[:3, :3] = 0.5*joint.rotor*across @ across.T
    return J


def beams_of(arm, marks):
    """((table, stiffness, moments), for each link where its own start and its table's width); equal beams share."""
    numbers, sizes, known, places = ([], [], []), [0, 0, 0], {}, []
    for words, marked in zip(arm.links, marks):
        beam = words.beam
        key = (beam if isinstance(beam, ModalLink) else repr(beam), tuple(marked))
        if beam is None:
            places.append([0, 0, 0, 0])
            continue
        if key not in known:
            points = table(beam, marked)
            known[key] = [*sizes, points.shape[1]]
            for i, x in enumerate((points, stiffness(beam), np.concatenate([x.ravel() for x in moments(beam)]))):
                numbers[i].append(x.ravel())
                sizes[i] += x.size
        places.append(known[key])
    return [np.concatenate([*x, [0.0]]) for x in numbers], places


def seen_from(arm, k, J):
    """A pseudo-inertia at the end of link k in the frame of the seat of the next joint; the last link has no such."""
    if k + 1 == len(arm.links):
        return J
    joint, T = arm.links[k + 1].joint, np.eye(4)
    T[:3, :3], T[:3, 3] = joint.turn, joint.place
    back = np.linalg.inv(T)
    return back @ J @ back.T


def marks_of(arm):
    """For each link the places along it that may touch, beside its end."""
    marks = [[] for _ in arm.links]
    for plane in arm.planes:
        if plane.eta is not None and arm.links[plane.link].beam is not None:
            marks[plane.link].append(plane.eta)
    return marks


def contacts_of(arm, marks):
    """A row per plane; C_POINT is the point of the table, counted behind those of Gauss; of rigid links a share."""
    rows, used = np.zeros((len(arm.planes), L.CONTACT)), [0]*len(arm.links)
    for row, plane in zip(rows, arm.planes):
        n, t1 = np.array(plane.normal, float), np.array(plane.tangent, float)
        link = arm.links[plane.link]
        if link.beam is None:
            point = 1.0 if plane.eta is None else plane.eta/max(link.length, plane.eta, TINY)
        else:
            used[plane.link] += plane.eta is not None
            point = used[plane.link] if plane.eta is not None else 0
        row[[L.C_LINK, L.C_POINT, L.C_LEVEL]] = plane.link, point, n @ np.array(plane.point, float)
        row[L.C_NORMAL:L.C_NORMAL + 3], row[L.C_T1:L.C_T1 + 3], row[L.C_T2:L.C_T2 + 3] = n, t1, np.cross(t1, n)
        ((row[L.C_LAW], row[L.C_NUMBERS:L.C_NUMBERS + 5]),
         (row[L.C_FRICTION], row[L.C_FRICTION_NUMBERS:])) = plane.coded
    return rows
