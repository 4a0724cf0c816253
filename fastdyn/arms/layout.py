"""The arrays of a spatial flexible arm, and what stands in their columns.

Coordinates z link by link: motor angle (flexible joints only), angle on the side of the link, modes. A joint whose
motion is prescribed has no coordinate.
"""

from typing import NamedTuple

import numpy as np

from ..layout import WIDTH, aligned

# Arm.link, a row per link
(MODES, MOTOR, TURN, FIRST, TABLE, GAUSS, POINT, EXACT, STIFF, TIED, AXIAL, BEND_Y, BEND_Z, MOMENTS, CHAIN, APART,
 REACH) = range(17)
LINK = REACH + 12
# TIED: the stiffness ties modes to each other. REACH: where modes begin and end that do c to the end of the link: 0 to
# 2 turn it, 3 to 5 shift it; along x all may draw it in

# Arm.frame, a row per link: the constant transform T of its joint, the tip of a rigid link, pseudo-inertias, the joint;
# FAR: DISTAL in the seat of the next joint; ROTOR: gear^2 times the rotor; GYRO: gear times half of it, if it shows
SEAT, TIP, PROXIMAL, DISTAL = 0, 12, 24, 40
JOINT_K, JOINT_C, ROTOR, BETA, RHO_A, RHO_IY, RHO_IZ, SPIN, SPIN_TIME, GYRO, FAR = range(56, 67)
FRAME = FAR + 16

FORCE, DAMPER = range(2)                                    # Arm.spring, a row per coordinate
D_ROW, D_GEAR, D_LIMIT = range(3)                           # Arm.drive, a row per signal of Arm.signal

# Arm.contact, a row per marked point and plane
C_LINK, C_POINT, C_LEVEL, C_NORMAL, C_T1, C_T2, C_LAW, C_NUMBERS, C_FRICTION, C_FRICTION_NUMBERS = (
    0, 1, 2, 3, 6, 9, 12, 13, 18, 19)
CONTACT = 24

# Work.pose, a row per link and one before them for the base: 3x4 matrices but for the 4x4 and 4x3 sums
W, WD, WDD, H, HD, HDD, E, A, N, PSI, PHI = 0, 12, 24, 36, 48, 60, 72, 84, 96, 108, 124
POSE = 136

# Work.spare: E' and E''* of the link at hand, matrices, then what the factoring needs
ED_AT, EDD_AT, CHI_AT, SUM_AT, FACTORS_AT = 16, 28, 64, 80, 96

# Work.chain, for every link from link[CHAIN] on, what the elimination leaves for the way outward: the joint's row, 1/D,
# sine and cosine, E T' of the next seat, six columns B of the end, then e, what each mode adds to these, then the
# modes' rows [matrix | coupling, bias]. Numbers of modes are filled up to `stride`.
WIDE, BIAS = 16, 12                                         # 12 of an affine frame, the bias, filled up
J_ROW, J_PIVOT, J_TURN, J_END, J_COLUMNS, CHAIN_HEAD = 0, 16, 17, 20, 32, 104
CHAIN_MODES = CHAIN_HEAD                                    # six rows of `stride`, then the modes' rows

# Work.note
LOGGED = 0

# Work.log of a contact that touches, a line after every step
(L_TIME, L_CONTACT, L_DEPTH, L_RATE, L_NORMAL, L_SLOPE, L_SLIP1, L_SLIP2, L_SLOPE1, L_SLOPE2, L_FRICTION) = range(11)
LOG = 11

# the works in the state, behind z, zd and the speeds of touch
NORMAL, FRICTION, DAMPING, DRIVES = range(4)
WORKS = 4


class Arm(NamedTuple):
    """What the arm is; `spring` is what acts on each coordinate by itself."""

    link: np.ndarray                                        # int64 (n, LINK)
    frame: np.ndarray                                       # (n, FRAME)
    table: np.ndarray                                       # shapes at points of flexible links
    stiffness: np.ndarray                                   # modal stiffness matrices
    spring: np.ndarray                                      # (nv, 2)
    contact: np.ndarray                                     # (contacts, CONTACT)
    gravity: np.ndarray                                     # (3,)
    moments: np.ndarray                                     # integrals of flexible links (moments.py)
    drive: np.ndarray                                       # (signals, 3): coordinate, gear, limit of the torque
    signal: np.ndarray                                      # torques that change with time (laws/signal.py)
    knots: np.ndarray


class ArmWork(NamedTuple):
    """Scratch of both roads and the lines of the log; `mass` is J only for recursive Lagrange, else a link's block."""

    pose: np.ndarray                                        # (n + 1, POSE)
    mode: np.ndarray                                        # (12, nv): W M of each mode
    moment: np.ndarray                                      # (12, nv): sums of D J P,a' in the frame reached
    beyond: np.ndarray                                      # (12, nv): the same at the end of the link before
    column: np.ndarray                                      # (WIDE,), and one more
    column2: np.ndarray
    mass: np.ndarray                                        # (nv, nv), or (most, most)
    force: np.ndarray                                       # (nv,)
    section: np.ndarray                                     # (4, most modes)
    spare: np.ndarray                                       # factors, small matrices
    note: np.ndarray                                        # int64 (4,)
    log: np.ndarray                                         # lines
    share: np.ndarray                                       # (most modes,)
    chain: np.ndarray                                       # see CHAIN
    affine: np.ndarray                                      # (12, WIDE) and as much again: what is beyond a frame
    modal: np.ndarray                                       # sums of the link at hand
    drive: np.ndarray                                       # (nv + n,): torques of motors now; then, of joints whose
                                                            # motion is prescribed, contacts' torque, later power


FOUR = 4                                                    # modes of bending that are summed at once


def fours(count):
    """Room for so many, four by four"""
    return (count + FOUR - 1)//FOUR*FOUR


def stride(modes):
    """Room for so many modes: whole registers."""
    return (modes + WIDTH - 1)//WIDTH*WIDTH


def shapes_of(link):
    """Bending shapes that draw a link in: planes share them unless the z modes have their own, APART from them."""
    return int(max(link[BEND_Y], link[APART] + link[BEND_Z]))


def work_for(arm, lines=0, dense=True, lanes=1):
    """Scratch for an arm, with room for `lines` of its log; dense: for recursive Lagrange too; lanes: states at once.

    Number i of lane k stands at i*lanes + k.
    """
    n, nv = len(arm.link), len(arm.spring)
    most = max(int(arm.link[:, MODES].max()), 1)
    wide, b = stride(most), max(map(shapes_of, arm.link), default=1) or 1
    size, last = nv if dense else most, arm.link[-1]
    end = int(last[CHAIN]) + CHAIN_HEAD + stride(last[MODES])*6 + last[MODES]*(stride(last[MODES]) + WIDE)
    bent, tests, pairs = stride(2*b), stride(2 + most + b), stride(b*(b + 1)//2)
    modal = 48 + 28*wide + (fours(b) + 2 + most + b + pairs + 2*b + 3)*bent + 3*(pairs + tests)
    before = [(n + 1, POSE), (12, nv), (12, size), (12, nv), (WIDE,), (WIDE,), (size, size), (nv,), (4, most),
              (2*nv + FACTORS_AT,)]
    behind = [(most,), (end,), (2*12*WIDE,), (modal,), (nv + n,)]
    own = [[aligned((*shape[:-1], shape[-1]*lanes)) for shape in shapes] for shapes in (before, behind)]
    return ArmWork(*own[0], np.zeros(4, np.int64), np.zeros(LOG*max(lines, 1)), *own[1])
