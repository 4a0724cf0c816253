"""What a run carries, one line an array or a column: its type, its unit, its meaning.

Run, the run file and its page docs/run-file.md read the lines below. World axes, SI units; the normal of a ground
points out of it, a depth is positive inside. Work is done **on** the chain: what is dissipated is negative.
"""

from typing import NamedTuple

import numpy as np

from ..layout import Array, f8

# one row per sample; points: the places of the chain that may touch a ground (none without ground)
SERIES: dict[str, Array] = {
    "t": f8("samples", unit="s", meaning="time of every sample"),
    "q": f8("samples", "nq", unit="rad, m, 1", meaning="coordinates, in the order of coordinate_names"),
    "v": f8("samples", "nv", unit="rad/s, m/s", meaning="velocities, in the order of velocity_names"),
    "points": f8("samples", "points", 3, unit="m", meaning="contact points, world axes, in the order of point_names"),
    "point_velocities": f8("samples", "points", 3, unit="m/s", meaning="their velocities, world axes"),
    "forces": f8("samples", "points", 3, unit="N", meaning="force of the grounds on each contact point, world axes"),
}


class Column(NamedTuple):
    """One column of a structured array."""

    dtype: type
    unit: str
    meaning: str


def _f8(unit, meaning):
    return Column(np.float64, unit, meaning)


def _i8(meaning):
    return Column(np.int64, "", meaning)


EVENT_COLUMNS = {
    "time": _f8("s", "when the function was zero"),
    "event": _i8("which: a place in event_names"),
    "direction": _i8("-1 falling, 1 rising, 2 brought to rest"),
    "point": _i8("that touched or parted: a place in point_names; -1 of the user's events"),
    "speed": _f8("m/s", "at which it met the ground, or left it; nan of the user's events"),
}
EVENT_KINDS = {-1: "falling", 1: "rising", 2: "rest"}   # by direction; of contacts, which begin and end:
CONTACT_KINDS = EVENT_KINDS | {-1: "touch", 1: "part"}
CONTACT_COLUMNS = {                                     # one row per contact, in the order in which they began
    "point": _i8("which: a place in point_names"),
    "ground": _i8("which ground"),
    "start": _f8("s", "when the depth became positive; nan if it was when the run began"),
    "end": _f8("s", "when it became zero again; nan while open"),
    "speed": _f8("m/s", "of the impact: the depth's rate when it became positive"),
    "leaving": _f8("m/s", "speed out of the ground at the end; nan while open"),
    "restitution": _f8("", "leaving over speed; nan while open"),
    "depth": _f8("m", "the largest"),
    "force": _f8("N", "the largest of the normal force"),
    "force_least": _f8("N", "the least of the normal force; negative where the ground pulls"),
    "impulse": _f8("N s", "of the normal force"),
    "friction_impulse": _f8("N s", "of friction, along the tangent of the ground"),
    "work": _f8("J", "of the normal force on the chain"),
}
TOUCH_COLUMNS = {                                       # one row per accepted step and touching point
    "time": _f8("s", "end of the step"),
    "point": _i8("which: a place in point_names"),
    "ground": _i8("which ground"),
    "depth": _f8("m", "of the point in the ground"),
    "rate": _f8("m/s", "of the depth, positive going in"),
    "normal": _f8("N", "normal force, positive out of the ground"),
    "slip": _f8("m/s", "speed along the tangent of the ground"),
    "friction": _f8("N", "friction, along that tangent"),
}
ENERGY_COLUMNS = {
    "kinetic": _f8("J", "kinetic energy"),
    "gravity": _f8("J", "potential energy of weight"),
    "strain": _f8("J", "strain energy of elastic links"),
    "spring": _f8("J", "energy of the springs and limits of joints"),
}
WORK_COLUMNS = {
    "air": _f8("J", "work of the air since the start"),
    "structure": _f8("J", "work of the damping inside elastic links since the start"),
    "joints": _f8("J", "work of the dampers of joints since the start"),
    "contact": _f8("J", "work of the normal forces of the grounds since the start"),
    "friction": _f8("J", "work of friction on the grounds since the start"),
    "input": _f8("J", "work of drives and loads since the start"),
}
LEDGER_COLUMNS = ENERGY_COLUMNS | WORK_COLUMNS          # one row per sample

# structured arrays of a run
TABLES: dict[str, dict[str, Column]] = {
    "events": EVENT_COLUMNS, "contacts": CONTACT_COLUMNS, "touching": TOUCH_COLUMNS, "ledger": LEDGER_COLUMNS,
}


def dtype_of(columns: dict[str, Column]) -> np.dtype:
    """The element type of a structured array with these columns."""
    return np.dtype([(name, column.dtype) for name, column in columns.items()])


EVENT, CONTACT, TOUCH, LEDGER = map(dtype_of, TABLES.values())


def with_kinds(events):
    """Rows of events with their kind in words behind the columns that are kept."""
    found = np.empty(len(events), [*EVENT.descr, ("kind", "U7")])
    for name in EVENT.names:
        found[name] = events[name]
    for kinds, mine in ((EVENT_KINDS, events["point"] < 0), (CONTACT_KINDS, events["point"] >= 0)):
        for direction, word in kinds.items():
            found["kind"][mine & (events["direction"] == direction)] = word
    return found


def kept(rows, columns):
    """The columns of rows that a file keeps."""
    found = np.empty(len(rows), dtype_of(columns))
    for name in columns:
        found[name] = rows[name]
    return found
