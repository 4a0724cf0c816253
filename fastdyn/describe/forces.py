"""Springs, limits, drives, loads and signals of a chain as arrays."""

import math
from typing import NamedTuple

import numpy as np

from ..layout import (
    CALLED,
    CONSTANT,
    CONTACT,
    CONTACT_AT,
    CONTACT_FRICTION,
    CONTACT_FRICTION_NUMBERS,
    CONTACT_LAW,
    CONTACT_LEVEL,
    CONTACT_NORMAL,
    CONTACT_NUMBERS,
    CONTACT_ROW,
    DAMPING,
    DRIVE,
    FOURIER,
    LAW,
    LIMIT_DAMPING,
    LIMIT_STIFFNESS,
    LOAD,
    LOAD_AT,
    LOAD_FORCE,
    LOAD_MOMENT,
    LOAD_ROW,
    LOAD_SIGNAL,
    LOAD_WORLD,
    LOWER,
    PIECES,
    REST,
    SIGNAL,
    SINE,
    SPRING,
    STIFFNESS,
    TABLE,
    UPPER,
)
from . import pieces
from .functions import Function
from .signals import Constant, Fourier, Sine

FIELDS = ((STIFFNESS, "stiffness", 0.0), (DAMPING, "damping", 0.0), (REST, "rest", 0.0), (LOWER, "lower", -np.inf),
          (UPPER, "upper", np.inf), (LIMIT_STIFFNESS, "limit_stiffness", 0.0), (LIMIT_DAMPING, "limit_damping", 0.0))


class Place(NamedTuple):
    """Where a joint's q and v start, and how many numbers they are."""

    starts: tuple[int, int]
    sizes: tuple[int, int]


class Signals:
    """Collects signals; `number` tells where one stands."""

    def __init__(self):
        self.rows, self.knots = [], []

    def number(self, signal, joint=None) -> int:
        """Of a joint's drive: the Place of the joint."""
        if isinstance(signal, Constant):
            row = (CONSTANT, signal.value)
        elif isinstance(signal, Sine):
            row = (SINE, signal.offset, signal.amplitude, signal.omega, signal.phase)
        elif isinstance(signal, Fourier):
            row = self._fourier(signal)
        elif isinstance(signal, Function):
            row = (LAW, signal.address(*joint.sizes), *joint.starts) if signal.law else (CALLED, signal.address())
        else:
            row = (TABLE, len(self.knots), len(signal.time))
            self.knots.extend(zip(signal.time, signal.value))
        self.rows.append(row + (0.0,)*(SIGNAL - len(row)))
        return len(self.rows) - 1

    def _fourier(self, signal):
        """Few terms as they are, more as polynomials"""
        first = len(self.knots)
        if not pieces.FEW < len(signal.cosine) <= pieces.MANY:
            self.knots.extend(zip(signal.cosine, signal.sine))
            return FOURIER, signal.offset, signal.omega, first, len(signal.cosine)
        cells, found = pieces.pieces(signal.cosine, signal.sine, signal.offset)
        self.knots.extend(map(tuple, found.reshape(-1, 2).tolist()))
        return PIECES, cells*signal.omega/(2.0*math.pi), first, cells, found.shape[1]//2

    def arrays(self) -> dict[str, np.ndarray]:
        return {"signal": _matrix(self.rows, SIGNAL), "table": _matrix(self.knots, 2)}


def springs_of(chain, signals: Signals) -> np.ndarray:
    """Model.spring: a row per velocity coordinate."""
    spring = np.zeros((chain.nv, SPRING))
    q_at = at = 0
    for link in chain.links:
        joint = link.joint
        part = spring[at:at + joint.nv]
        for column, name, missing in FIELDS:
            part[:, column] = joint.per_velocity(name, missing)
        part[:, DRIVE] = -1.0
        for k, signal in enumerate(getattr(joint, "drive", ())):
            part[k, DRIVE] = signals.number(signal, Place((q_at, at), (joint.nq, joint.nv)))
        spring[at + joint.nv:at + link.nv, DRIVE] = -1.0
        q_at, at = q_at + link.nq, at + link.nv
    return spring


def loads_of(chain, carrying, frame: np.ndarray, signals: Signals) -> np.ndarray:
    """Model.load: points in row frames; forces and moments too, unless they keep to world axes."""
    loads = []
    for i, link in enumerate(chain.links):
        for load in link.loads:
            row, at = carrying(i, load.at)
            C, world = frame[row], load.frame == "world"
            new = np.zeros(LOAD)
            new[LOAD_ROW], new[LOAD_WORLD], new[LOAD_SIGNAL] = row, world, signals.number(load.signal)
            new[LOAD_AT:LOAD_AT + 3] = np.array(at) @ C
            new[LOAD_FORCE:LOAD_FORCE + 3] = load.force if world else np.array(load.force) @ C
            new[LOAD_MOMENT:LOAD_MOMENT + 3] = load.moment if world else np.array(load.moment) @ C
            loads.append(new)
    return _matrix(loads, LOAD)


def contacts_of(chain, carrying, frame: np.ndarray) -> np.ndarray:
    """Model.contact: a row for each point and each ground it may touch."""
    contacts = []
    for point, ground in chain.contact_pairs:
        link, _, at, _ = chain.contact_points[point]
        row, at = carrying(link, at)
        plane, new = chain.grounds[ground], np.zeros(CONTACT)
        new[CONTACT_ROW], new[CONTACT_LAW], new[CONTACT_FRICTION] = row, plane.normal_code, plane.friction_code
        new[CONTACT_AT:CONTACT_AT + 3] = np.array(at) @ frame[row]
        new[CONTACT_NORMAL:CONTACT_NORMAL + 3] = plane.normal
        new[CONTACT_LEVEL] = np.dot(plane.normal, plane.point)
        new[CONTACT_NUMBERS:CONTACT_NUMBERS + 5] = plane.normal_numbers
        new[CONTACT_FRICTION_NUMBERS:CONTACT_FRICTION_NUMBERS + 5] = plane.friction_numbers
        contacts.append(new)
    return _matrix(contacts, CONTACT)


def _matrix(rows, columns):
    return np.array(rows, dtype=float).reshape(len(rows), columns)
