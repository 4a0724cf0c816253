"""Forces and moments on links, as users give them, in the rows' frames; the user's own function called."""

import numpy as np

from .._address import NUMBERS, c_function_type
from ..describe.check import NOTHING, shown
from ..formulations.rates import DRIVE_CALL
from ..layout import in_plane
from ..status import ModelError
from .asking import numbers, shape_of

OFF_PLANE = [2, 3, 4]                                   # of force and moment: the plane has no word for them


WORDS = ("force x", "force y", "force z", "moment x", "moment y", "moment z")


def of_links(system):
    """How an entry of wrenches is called: by link, component and row."""
    def said(what, at):
        name, word = system.links[at[-2]].name, WORDS[at[-1]]
        return f'{what} of link "{name}", {word}' + (f", in row {at[0]}" if len(at) > 2 else "")

    return said


def wrenches(system, wrench, q):
    """The user's wrench on the links at q, checked; for many states a row each, of one wrench if they share it."""
    links = len(system.links), 6
    if wrench is None:
        return None if q.ndim == 1 else [None]*len(q)
    if q.ndim == 1 or len(shape_of(wrench)) < 3:
        wrench = numbers(wrench, links, "wrench", of_links(system))
        return wrench if q.ndim == 1 else np.broadcast_to(wrench, (len(q), *links))
    return numbers(wrench, (len(q), *links), "wrench", of_links(system))


def row_wrenches(system, wrench, driven) -> np.ndarray:
    """Flat (rows, 6) of moments and forces, row frames, from (links, 6) of forces and moments, link axes."""
    total = np.zeros((len(system.links), 6))
    if wrench is not None:
        total += wrench
    if driven is not None:
        total += driven
    model = system.model
    if in_plane(model):
        check_plane(system, total)
    rows = np.zeros((len(model.row), 6))
    for link, row in system.body_rows.items():
        C = model.frame[row].reshape(3, 3)
        rows[row, :3], rows[row, 3:] = total[link, 3:] @ C, total[link, :3] @ C
    return rows.ravel()


def check_plane(system, total):
    """Refuse what a planar chain cannot feel; rounding may be left out."""
    off = np.abs(total[:, OFF_PLANE]).max(axis=1)
    leaves = off > NOTHING*np.abs(total).max(axis=1)
    if leaves.any():
        i = int(np.argmax(leaves))
        fx, fy, fz, mx, my, mz = total[i].tolist()
        raise ModelError(f'link "{system.links[i].name}": wrench with force {shown((fx, fy, fz))} N and moment '
                         f"{shown((mx, my, mz))} N m leaves the plane z = 0, in which this chain is computed; "
                         'take Chain(..., space="space")')


def asked(drive, t, q, v, torque, wrench):
    """Call drive(t, q, v, torque, wrench), which adds in place; a torque that it returns instead would be lost."""
    said = drive(t, q, v, torque, wrench)
    if not (said is None or said is torque):
        raise ModelError(f"drive returned {shown(said)}, which acts on nothing; let it add to torque and wrench in "
                         "place, as in torque += ..., and return None")


def is_compiled(function):
    """Whether kernels can call it by its address."""
    return isinstance(getattr(function, "address", None), int)


def user_drive(system, t, q, v, torque):
    """Call drive(t, q, v, torque, wrench): torque is added to in place; the wrenches (links, 6) or None."""
    if system.drive is None:
        return None
    wrench = driven(system, t, q, v, torque)
    numbers(torque, torque.shape, "torque from drive", system.velocity_names)
    return numbers(wrench, wrench.shape, "wrench from drive", of_links(system))


def driven(system, t, q, v, torque):
    """The wrenches (links, 6) that the chain's drive gives, whatever they are; torque is added to in place."""
    wrench = np.zeros((len(system.links), 6))
    if is_compiled(system.drive):
        compiled = c_function_type(DRIVE_CALL)(system.drive.address)
        compiled(t, *(x.ctypes.data_as(NUMBERS) for x in (q.copy(), v.copy(), torque, wrench)))
    elif system.drive is not None:
        asked(system.drive, t, q.copy(), v.copy(), torque, wrench)
    return wrench
