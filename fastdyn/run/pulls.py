"""What joints and loads of a chain do by themselves; who it was when that, or what its drive gives, is no number."""

import numpy as np

from ..describe.chain import Chain
from ..formulations import loads
from ..layout import LINK
from ..status import NOT_FINITE, OK, SimulationError
from .asking import check, scratch
from .loops import moved
from .wrenches import driven

SOON = (0.0, 1e-9, 1e-6, 1e-3)                          # s behind the last good state, where a run may have failed


def has_laws(system: Chain) -> bool:
    """Whether joints or loads of the chain pull by themselves; if not, the kernel of loads need not be compiled."""
    if "_has_laws" not in system.__dict__:
        system.__dict__["_has_laws"] = loads.has_laws(system.model)
    return system.__dict__["_has_laws"]


def add_pulls(system, work, t, q, v):
    """Springs, dampers, limits and drives on top of work.torque, loads on top of work.wrench; numbers, or an error."""
    loads.add_loads(system.model, work, t, q, v)
    check(OK, system, work)                             # what a user's function raised comes before what it left
    name = _astray(system, work)
    if name:
        raise SimulationError(NOT_FINITE, f"{name} at t = {t:.9g} s")


def check_pulls(system, t, q, v):
    """Say which joint or load of a state pulls with what is no number."""
    if has_laws(system):
        add_pulls(system, nothing_yet(system), t, q, v)


def who_fails(system, t, q, v):
    """Which joint or load, or what of the drive, it is, at a state or soon after it, in words; "" if none."""
    for later in SOON:
        work, then = nothing_yet(system), moved(system, q, later*v)
        if has_laws(system):
            loads.add_loads(system.model, work, t + later, then, v)
        if name := _astray(system, work) or _drive_astray(system, t + later, then, v):
            return name
    return ""


def _drive_astray(system, t, q, v):
    """What of the drive is not finite, in words; a drive that raises now did not before"""
    torque = np.zeros(system.nv)
    try:
        wrench = driven(system, t, q, v, torque)
    except Exception:
        return ""
    for j in np.flatnonzero(~np.isfinite(torque)):
        return f"the torque that the drive gives {system.velocity_names[j]} is {torque[j]}"
    for i, c in np.argwhere(~np.isfinite(wrench)):
        return f'the wrench that the drive gives link "{system.links[i].name}" has a number that is {wrench[i, c]}'
    return ""


def nothing_yet(system):
    """Scratch in which nothing pulls."""
    work = scratch(system)
    work.torque[:], work.wrench[:] = 0.0, 0.0
    return work


def _astray(system, work):
    """The first pull that is not finite, in words"""
    rows = np.abs(work.wrench.reshape(len(system.model.row), -1)).max(axis=1)
    for j in np.flatnonzero(~np.isfinite(work.torque)):
        return f"what spring, damper, limits and drive of {system.velocity_names[j]} give is {work.torque[j]}"
    for row in np.flatnonzero(~np.isfinite(rows)):
        return f'what loads give on link "{system.links[int(system.model.row[row, LINK])].name}" is {rows[row]}'
    return ""
