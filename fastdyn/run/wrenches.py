"""Forces and moments on links, as users give them, in the rows' frames; the user's own function called."""

import numpy as np

from .asking import numbers


def row_wrenches(system, wrench, driven) -> np.ndarray:
    """Flat (rows, 6) of moments and forces, row frames, from (links, 6) of forces and moments, link axes."""
    total = np.zeros((len(system.links), 6))
    if wrench is not None:
        total += numbers(wrench, total.shape, "wrench")
    if driven is not None:
        total += driven
    model = system.model
    rows = np.zeros((len(model.row), 6))
    for link, row in system.body_rows.items():
        C = model.frame[row].reshape(3, 3)
        rows[row, :3], rows[row, 3:] = total[link, 3:] @ C, total[link, :3] @ C
    return rows.ravel()


def user_drive(system, t, q, v, torque):
    """Call drive(t, q, v, torque, wrench): torque is added to in place; the wrenches (links, 6) or None."""
    if system.drive is None:
        return None
    wrench = np.zeros((len(system.links), 6))
    system.drive(t, q.copy(), v.copy(), torque, wrench)
    numbers(torque, torque.shape, "torque from drive", system.velocity_names)
    return numbers(wrench, wrench.shape, "wrench from drive")
