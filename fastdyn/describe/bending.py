"""Elastic links as numbers of Model.beam, and as the masses by which floors of pivots are measured."""

import numpy as np

from ..layout import (
    BEAM_INERTIA, BEAM_LENGTH, BEAM_MASS, BEAM_MODES, BEAM_MOMENT, BEAM_X, BEAM_Y, PLANE_INERTIA, PLANE_MASS, beam_size)


def beam_numbers(elastic, frame):
    """(where the numbers of each row start, all numbers): rows without a beam start at 0."""
    at, numbers = np.zeros(len(elastic), np.int64), []
    for row, link in enumerate(elastic):
        if link is not None:
            at[row] = sum(map(len, numbers))
            numbers.append(of_one(link, frame[row, 0, :2]))
    return at, np.concatenate(numbers) if numbers else np.empty(0)


def of_one(elastic, direction):
    """Numbers of one beam along `direction`; a section that turns by itself adds its spin to c and to C."""
    i, beam = elastic.integrals, elastic.beam
    m = len(i.a)
    spin = beam.spin_inertia if elastic.spin == "section" else 0.0
    numbers = np.empty(beam_size(m, elastic.stretches))
    numbers[[BEAM_MASS, BEAM_MOMENT, BEAM_INERTIA, BEAM_LENGTH]] = i.m, i.b0, i.I0 + i.J, beam.length
    numbers[[BEAM_X, BEAM_Y]] = direction
    vectors = np.array([i.a, i.c + spin*i.theta, i.S, i.W_l])
    matrices = np.array([i.C, i.C + spin*i.theta_theta, i.K, i.D, i.air])
    parts = [vectors, matrices] + ([np.array([i.b, i.d, i.U_l]), i.B] if elastic.stretches else [])
    numbers[BEAM_MODES:] = np.concatenate([part.ravel() for part in parts])
    return numbers


def weights_of(rows, frame, arm, body):
    """(arm, mass, inertia) of the rows as `floors_in_plane` wants them: a beam's mass is that of its tip's row."""
    arm, mass, inertia = arm.copy(), body[:, PLANE_MASS].copy(), np.zeros((len(body), 3, 3))
    inertia[:, 2, 2] = body[:, PLANE_INERTIA]
    for row, link in enumerate(rows.elastic):
        if link is not None:
            i = link.integrals
            arm[row] = link.beam.length*frame[row, 0]
            mass[row], inertia[row, 2, 2] = i.m, i.I0 + i.J
    return arm, mass, inertia
