"""The arrays of a spatial flexible arm, and what stands in their columns.

Coordinates z link by link: motor angle (flexible joints only), angle on the side of the link, modes. A joint whose
motion is prescribed has no coordinate.
"""

from typing import NamedTuple

import numpy as np

# Arm.link, a row per link
MODES, MOTOR, TURN, FIRST, TABLE, GAUSS, POINT, EXACT, STIFF = range(9)
LINK = 9

# Arm.frame, a row per link: the constant transform T of its joint, the tip of a rigid link, pseudo-inertias, the joint
SEAT, TIP, PROXIMAL, DISTAL = 0, 12, 24, 40
JOINT_K, JOINT_C, ROTOR, BETA, RHO_A, RHO_IY, RHO_IZ, SPIN, SPIN_TIME = range(56, 65)
FRAME = 65

FORCE, DAMPER = range(2)                                    # Arm.spring, a row per coordinate

# Arm.contact, a row per marked point and plane
C_LINK, C_POINT, C_LEVEL, C_NORMAL, C_T1, C_T2, C_LAW, C_NUMBERS, C_FRICTION, C_FRICTION_NUMBERS = (
    0, 1, 2, 3, 6, 9, 12, 13, 18, 19)
CONTACT = 24

# Work.pose, a row per link and one before them for the base: 3x4 matrices but for the 4x4 and 4x3 sums
W, WD, WDD, H, HD, HDD, E, A, N, PSI, PHI = 0, 12, 24, 36, 48, 60, 72, 84, 96, 108, 124
POSE = 136

# Work.spare: E' and E''* of the link at hand, matrices, then what the factoring needs
ED_AT, EDD_AT, CHI_AT, SUM_AT, FACTORS_AT = 16, 28, 64, 80, 96

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


class ArmWork(NamedTuple):
    """Scratch of the recursion and the lines of its log."""

    pose: np.ndarray                                        # (n + 1, POSE)
    mode: np.ndarray                                        # (12, nv): W M of each mode
    moment: np.ndarray                                      # (12, nv): sums of D J P,a' in the frame reached
    beyond: np.ndarray                                      # (12, nv): the same at the end of the link before
    column: np.ndarray                                      # (12,), and one more
    column2: np.ndarray
    mass: np.ndarray                                        # (nv, nv)
    force: np.ndarray                                       # (nv,)
    section: np.ndarray                                     # (5, most modes)
    spare: np.ndarray                                       # factors, small matrices
    note: np.ndarray                                        # int64 (4,)
    log: np.ndarray                                         # lines


def work_for(arm, lines=0):
    """Scratch for an arm, with room for `lines` of its log."""
    n, nv = len(arm.link), len(arm.spring)
    most = max(int(arm.link[:, MODES].max()), 1)
    return ArmWork(np.zeros((n + 1, POSE)), np.zeros((12, nv)), np.zeros((12, nv)), np.zeros((12, nv)),
                   np.zeros(12), np.zeros(12), np.zeros((nv, nv)), np.zeros(nv),
                   np.zeros((5, most)), np.zeros(2*nv + FACTORS_AT), np.zeros(4, np.int64), np.zeros(LOG*max(lines, 1)))
