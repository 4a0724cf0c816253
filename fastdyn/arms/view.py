"""The arrays of an arm and its scratch as bare addresses: rows are taken from them without counting references."""

from typing import Any, NamedTuple

from .._address import shifted
from .._beside import registers
from .._jit import leaf, pointer
from ..layout import WIDTH
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
    drive: Any


def viewing(scratch, lanes):
    """Leaf: (arm, work) -> View; `scratch` makes the addresses of what is each state's own."""
    @leaf
    def viewed(arm, work):
        return View(arm.link.shape[0], arm.spring.shape[0], work.section.shape[1]//lanes, pointer(arm.link),
                    pointer(arm.frame), pointer(arm.table), pointer(arm.stiffness), pointer(arm.spring),
                    pointer(arm.gravity), pointer(arm.moments), scratch(work.pose), scratch(work.mass),
                    scratch(work.moment), scratch(work.column), scratch(work.column2), scratch(work.force),
                    scratch(work.section), scratch(work.spare), scratch(work.share), scratch(work.chain),
                    scratch(work.affine), scratch(work.modal), scratch(work.drive))

    return viewed


view, view_beside = viewing(pointer, 1), viewing(registers, WIDTH)


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
