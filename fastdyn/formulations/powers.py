"""What works on a chain, W: the air and the material on its modes, dampers on its joints, drives and loads."""

from .._jit import leaf
from ..algebra.vectors import dot
from ..layout import (
    ACTING, DAMPING, LIMIT_DAMPING, LOWER, Q_AT, SPHERICAL, STEP, TURNED_SPHERICAL, UPPER, V_AT)
from .elastic import MATRIX_AIR, MATRIX_D, form_of_modes, is_beam
from .joints import freedoms
from .kinematics import fill_twists, load3


@leaf
def modal_powers(model, v):
    """(of the air, of the material), at most 0"""
    air, both = 0.0, 0.0
    for i in range(model.row.shape[0]):
        if is_beam(model.row, i):
            at = model.row[i, V_AT]
            air -= form_of_modes(model, i, MATRIX_AIR, v, v, at)
            both -= form_of_modes(model, i, MATRIX_D, v, v, at)
    return air, both - air


@leaf
def damper_power(model, q, v):
    """Of the dampers of joints and of their limits, at most 0"""
    power, spring = 0.0, model.spring
    for i in range(model.row.shape[0]):
        step, a, j = model.row[i, STEP], model.row[i, Q_AT], model.row[i, V_AT]
        if step == SPHERICAL or step == TURNED_SPHERICAL:
            w = load3(v, j)
            power -= spring[j, DAMPING]*dot(w, w)
        elif freedoms(step) == 1:
            beyond = q[a] < spring[j, LOWER] or q[a] > spring[j, UPPER]
            power -= (spring[j, DAMPING] + (spring[j, LIMIT_DAMPING] if beyond else 0.0))*v[j]*v[j]
    return power


@leaf
def input_power(model, work, q, v):
    """Of what is in work.torque and work.wrench"""
    power = 0.0
    for j in range(work.torque.shape[0]):
        power += work.torque[j]*v[j]
    if work.note[ACTING] == 1:
        twist = work.motion
        fill_twists(model, q, v, twist)
        for i in range(model.row.shape[0]):
            power += (dot(load3(work.wrench, 6*i), load3(twist, 6*i))
                      + dot(load3(work.wrench, 6*i + 3), load3(twist, 6*i + 3)))
    return power
