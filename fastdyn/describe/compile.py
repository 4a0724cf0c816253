"""Words to arrays: the Model of a Chain, computed once, all rows together.

Every row gets a frame of its own choice, so that the recursion multiplies as little as possible
(docs/theory/recursion.md). In space z lies along a turning or sliding joint and x across it and across the axis of the
child that goes on: then the turn from a row to its parent is a screw, about x by a constant and about z by the joint.
Ball, free and fixed joints keep the link's own frame. In the plane all row frames are parallel with all joints at zero.
"""

import numpy as np

from ..layout import (
    ARM, BASE_TURN, BODY, FIXED, FLOOR, GRAVITY, INERTIA, IN_PLANE, LEVEL, MASS, MOMENT, PLANE_ALONG, PLANE_ARM,
    PLANE_AXIS, PLANE_BODY, PLANE_FIXED, PLANE_FLOOR, PLANE_INERTIA, PLANE_MASS, PLANE_MOMENT, PLANE_PRISMATIC,
    PLANE_REVOLUTE, PRISMATIC, REVOLUTE, SCREW, SPHERICAL, SQUARE, TURN, TURNED_SPHERICAL, Model, allocate)
from ..status import ModelError
from .bending import beam_numbers, weights_of
from .check import NOTHING, shown
from .closures import closures_of
from .floors import floors_in_plane, floors_in_space
from .forces import Signals, contacts_of, loads_of, springs_of
from .rows import last_children, rows_of, slots_of
from .web import web_of

PLANE_STEP = {REVOLUTE: PLANE_REVOLUTE, PRISMATIC: PLANE_PRISMATIC, FIXED: PLANE_FIXED}
QUARTER_TURN = np.array([[1.0, 0.0, 0.0], [0.0, 0.0, -1.0], [0.0, 1.0, 0.0]])  # about x
UPPER_TRIANGLE = ([0, 0, 0, 1, 1, 2], [0, 1, 2, 1, 2, 2])


def compile_chain(chain) -> Model:
    """The arrays of `chain`: planar ones if it stays in the plane and every axis points up."""
    rows = rows_of(chain)
    step, axis, parent = np.array(rows.step), np.array(rows.axis), np.array(rows.parent)
    plane = chain.planar and bool(np.all(axis[step == REVOLUTE, 2] > 0.0))
    frames = plane_frames if plane else space_frames
    step, frame, base, turn = frames(step, axis, parent, matrices(np.array(rows.turn)))

    signals = Signals()
    spring = springs_of(chain, signals)
    carrying = rows.carrying()
    load = loads_of(chain, carrying, frame, signals)
    beam_at, beam = beam_numbers(rows.elastic, frame)
    contact = contacts_of(chain, carrying, frame)
    closure = closures_of(chain, carrying, frame, matrices)
    web = web_of(closure, step, parent, rows.v_at, plane)
    model = allocate(Model, rows=len(step), columns=PLANE_BODY if plane else BODY, nv=chain.nv, loads=len(load),
                     beam_numbers=len(beam), contacts=len(contact), gaps=len(closure), signals=len(signals.rows),
                     knots=len(signals.knots), threads=len(web))
    slot, shares = slots_of(parent)
    tip = last_children(parent)[:-1] < 0
    outer = np.concatenate([frame, base[None]])[parent]  # frame of each row's parent
    arm = np.einsum("nij,ni->nj", outer, np.array(rows.at))
    if plane:
        step[(step == PLANE_REVOLUTE) & (arm[:, 1] == 0.0)] = PLANE_ALONG
    model.row[:] = np.column_stack([step, parent, rows.q_at, rows.v_at, slot, shares, tip, rows.link, beam_at])
    fill = fill_plane if plane else fill_space
    with np.errstate(over="ignore", invalid="ignore"):
        fill(model.body, step, parent, frame, arm, turn, axis, *moments(rows.body, frame))
        if len(beam):
            model.body[:, PLANE_FLOOR] = floors_in_plane(step, parent, *weights_of(rows, frame, arm, model.body))
    if not np.isfinite(model.body).all():
        raise ModelError(too_large(chain, rows, arm))
    model.beam[:] = beam
    model.frame[:] = frame.reshape(-1, 9)
    model.spring[:], model.load[:], model.contact[:], model.closure[:] = spring, load, contact, closure
    model.web[:] = web
    for name, values in signals.arrays().items():
        getattr(model, name)[:] = values
    model.base[GRAVITY:GRAVITY + 3] = np.array(chain.gravity) @ base
    model.base[BASE_TURN:BASE_TURN + 9] = base.ravel()
    model.base[IN_PLANE] = plane
    return model


def too_large(chain, rows, arm):
    """The sentence about products that are no finite numbers: of the link farthest from its parent, or heaviest."""
    far, heavy = np.abs(arm).max(axis=1), np.array([0.0 if b is None else b.mass for b in rows.body])
    row = int(np.argmax(far if far.max() > 1.0 else heavy))
    link = chain.links[rows.link[row]].name
    return (f'link "{link}": mass times distance squared is no finite number, with its joint at '
            f"{shown(tuple(rows.at[row]))} m in its parent's frame; give smaller lengths, masses and inertias")


def matrices(q: np.ndarray) -> np.ndarray:
    """Rotation matrices of unit quaternions (n, 4); exact for multiples of a quarter turn."""
    w, x, y, z = (q/np.linalg.norm(q, axis=1, keepdims=True)).T
    near = np.array([[w*w + x*x - y*y - z*z, 2*(x*y - w*z), 2*(x*z + w*y)],
                     [2*(x*y + w*z), w*w - x*x + y*y - z*z, 2*(y*z - w*x)],
                     [2*(x*z - w*y), 2*(y*z + w*x), w*w - x*x - y*y + z*z]]).transpose(2, 0, 1)
    exact = np.round(near)
    return np.where(np.abs(near - exact) < 4e-16, exact, near)


def moments(bodies, frame):
    """Mass, first moment and inertia about the joint of each row, row-frame components."""
    n = len(bodies)
    mass = np.array([0.0 if b is None else b.mass for b in bodies])
    com = np.array([(0.0, 0.0, 0.0) if b is None else b.com for b in bodies])
    about_com = np.array([np.zeros((3, 3)) if b is None else b.inertia for b in bodies])
    square = np.einsum("ni,ni->n", com, com)
    inertia = about_com + mass[:, None, None]*(square[:, None, None]*np.eye(3) - np.einsum("ni,nj->nij", com, com))
    first = mass[:, None]*com
    return mass, np.einsum("nij,ni->nj", frame, first), frame.transpose(0, 2, 1) @ inertia @ frame, n


def space_frames(step, axis, parent, turn):
    """(step, frame, base frame, turn of every row to its parent's row frame at joint zero)."""
    n = len(step)
    on_axis = (step == REVOLUTE) | (step == PRISMATIC)
    follower = last_children(parent)
    follows = np.zeros(n, dtype=bool)                                 # the child its parent's x axis is chosen for
    z = np.where(on_axis[:, None], axis, np.array([0.0, 0.0, 1.0]))
    x = across(z)
    for_child = on_axis & (follower[:n] >= 0)
    heads = np.flatnonzero(for_child)
    heads = heads[step[follower[heads]] == REVOLUTE]
    follows[follower[heads]] = True
    z_child = np.einsum("nij,nj->ni", turn[follower[heads]], axis[follower[heads]])
    normal = np.cross(z[heads], z_child)
    size = np.linalg.norm(normal, axis=1)
    meet = size > NOTHING                                             # else the axes are parallel: any x will do
    x[heads[meet]] = normal[meet]/size[meet, None]
    x = x - np.einsum("ni,ni->n", x, z)[:, None]*z
    x /= np.linalg.norm(x, axis=1, keepdims=True)
    frame = np.where(on_axis[:, None, None], np.stack([x, np.cross(z, x), z], axis=2), np.eye(3))
    root = follower[n]
    T = np.concatenate([frame, np.eye(3)[None]])[parent].transpose(0, 2, 1) @ turn @ frame
    T[follows] = screws(T[follows])
    step = np.where(follows, SCREW, step)
    step[follows & (T[:, 1, 2] == 0.0) & (T[:, 2, 2] > 0.0)] = LEVEL  # by what a step leaves out, which is zero
    step[follows & (T[:, 2, 2] == 0.0) & (T[:, 1, 2] < 0.0)] = SQUARE
    base = np.eye(3)
    if step[root] == REVOLUTE:                             # the base's axes are free: the last root becomes a screw,
        step[root] = next((kind for kind in (LEVEL, SQUARE, SCREW) if kind in step[follows]), LEVEL)
        to_root = QUARTER_TURN if step[root] == SQUARE else np.eye(3)
        base = T[root] @ to_root.T                         # of a kind that is there already
        roots = parent < 0
        T[roots] = base.T @ T[roots]
        T[root] = to_root
    step[(step == SPHERICAL) & np.any(T != np.eye(3), axis=(1, 2))] = TURNED_SPHERICAL
    return step, frame, base, T


def across(z):
    """A unit vector across each z: the next coordinate axis in turn for z along one."""
    least = np.argmin(np.abs(z), axis=1)
    on = np.max(np.abs(z), axis=1) == 1.0
    least[on] = (np.argmax(np.abs(z[on]), axis=1) + 1) % 3
    x = np.eye(3)[least]
    x = x - np.einsum("ni,ni->n", x, z)[:, None]*z
    return x/np.linalg.norm(x, axis=1, keepdims=True)


def screws(T):
    """T = (about x by alpha)(about z by beta), made exactly so: T_xz is zero but for rounding.

    Axes are parallel, or square, when the sine or the cosine of alpha is rounding itself: a cosine of 1 says nothing,
    it is that of any alpha below 1e-8.
    """
    ca, sa = unit_pair(whole(T[:, 2, 2]), whole(-T[:, 1, 2]))
    cb, sb = unit_pair(T[:, 0, 0], -T[:, 0, 1])
    zero = np.zeros(len(T))
    return np.array([[cb, -sb, zero], [ca*sb, ca*cb, -sa], [sa*sb, sa*cb, ca]]).transpose(2, 0, 1)


def whole(x):
    """x, zero where it is nothing but rounding."""
    return np.where(np.abs(x) <= NOTHING, 0.0, x)


def unit_pair(c, s):
    r = np.hypot(c, s)
    return c/r, s/r


def plane_frames(step, axis, parent, turn):
    """The same in the plane: every frame parallel to the base's when all joints are at zero."""
    frame = np.tile(np.eye(3), (len(step), 1, 1))
    if np.any(turn != np.eye(3)):
        for i, p in enumerate(parent):
            frame[i] = turn[i].T @ (frame[p] if p >= 0 else np.eye(3))
    steps = np.array([PLANE_STEP.get(s, s) for s in step.tolist()])
    return steps, frame, np.eye(3), np.tile(np.eye(3), (len(step), 1, 1))


def fill_space(body, step, parent, frame, arm, turn, axis, mass, first, inertia, n):
    body[:, TURN:TURN + 9] = turn.reshape(n, 9)
    body[:, ARM:ARM + 3] = arm
    body[:, MASS] = mass
    body[:, MOMENT:MOMENT + 3] = first
    body[:, INERTIA:INERTIA + 6] = inertia[:, *UPPER_TRIANGLE]
    body[:, FLOOR:FLOOR + 2] = floors_in_space(step, parent, arm, mass, inertia)


def fill_plane(body, step, parent, frame, arm, turn, axis, mass, first, inertia, n):
    body[:, PLANE_ARM:PLANE_ARM + 2] = arm[:, :2]
    body[:, PLANE_MASS] = mass
    body[:, PLANE_MOMENT:PLANE_MOMENT + 2] = first[:, :2]
    body[:, PLANE_INERTIA] = inertia[:, 2, 2]
    body[:, PLANE_AXIS:PLANE_AXIS + 2] = np.einsum("nij,ni->nj", frame, axis)[:, :2]
    body[:, PLANE_FLOOR] = floors_in_plane(step, parent, arm, mass, inertia)
