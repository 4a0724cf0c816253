"""The arrays of an arm and its scratch as bare addresses: rows are taken from them without counting references."""

from typing import Any, NamedTuple

from .._address import shifted
from .._jit import leaf, pointer
from .layout import CHAIN, FRAME, LINK, POSE


class View(NamedTuple):
    """Numbers of links, coordinates and most modes of a link; then Arm and ArmWork, flat."""

    links: int
    coordinates: int
    most: int
    link: Any
    frame: Any
    table: Any
    stiffness: Any
    spring: Any
    gravity: Any
    moments: Any
    pose: Any
    mass: Any
    moment: Any
    column: Any
    column2: Any
    force: Any
    section: Any
    spare: Any
    share: Any
    chain: Any
    affine: Any
    modal: Any


@leaf
def view(arm, work):
    return View(arm.link.shape[0], arm.spring.shape[0], work.section.shape[1], pointer(arm.link), pointer(arm.frame),
                pointer(arm.table), pointer(arm.stiffness), pointer(arm.spring), pointer(arm.gravity),
                pointer(arm.moments), pointer(work.pose), pointer(work.mass), pointer(work.moment),
                pointer(work.column), pointer(work.column2), pointer(work.force), pointer(work.section),
                pointer(work.spare), pointer(work.share), pointer(work.chain), pointer(work.affine),
                pointer(work.modal))


@leaf
def link_of(a, k): return shifted(a.link, k*LINK)


@leaf
def frame_of(a, k): return shifted(a.frame, k*FRAME)


@leaf
def pose_of(a, k):
    """Of link k; that of the base for k = -1"""
    return shifted(a.pose, (k + 1)*POSE)


@leaf
def chain_of(a, k): return shifted(a.chain, a.link[k*LINK + CHAIN])
