"""Where links are at many states, and the lines they are drawn as: straight, or bent as their modes say."""

from functools import lru_cache

import numpy as np

from .._jit import ready
from ..formulations import kinematics

SPACES = 16         # between the places at which a bent link is drawn, and as many for each half wave of its modes
MOST_SPACES = 96


def frames(chain, q):
    """(turns (states, links, 3, 3), link axes to world axes; origins (states, links, 3), m) of all links.

    q : states, one a row. The origin of a link's frame is its joint; that of an elastic link is the one at its root.
    """
    q = np.atleast_2d(np.asarray(q, dtype=float))
    model, rows = chain.model, [chain.body_rows[i] for i in range(len(chain.links))]
    pose, kept = np.empty(12*len(model.row)), np.empty((len(q), len(rows), 12))
    fill = ready(kinematics.poses)
    for i, state in enumerate(q):
        fill(model, state, pose)
        kept[i] = pose.reshape(-1, 12)[rows]
    turns = kept[:, :, :9].reshape(len(q), len(rows), 3, 3)
    return turns @ model.frame[rows].reshape(-1, 3, 3).transpose(0, 2, 1), kept[:, :, 9:].copy()


def modal(chain, link):
    """Where the modal coordinates of a link (its number) stand in q."""
    chosen = chain.links[link]
    stop = chain.q_slice(chosen.name).stop
    return slice(stop - chosen.modes, stop)


def shape_table(link):
    """(places (k,), m; deflections (modes, k) of each mode there, and at the tip) of a link that bends."""
    return _table(link.elastic)


@lru_cache(64)
def _table(elastic):
    shapes = elastic.mode_shapes
    places = np.linspace(0.0, elastic.beam.length, min(SPACES*((len(shapes) + 1)//2), MOST_SPACES) + 1)
    return places, np.array([shape.W(places) for shape in shapes]).reshape(len(shapes), len(places))


def bent(link, amplitudes, magnify=1.0):
    """(k, 3) places of a link's axis in its frame, its deflection from the chord between its ends magnified."""
    if not link.modes:
        return np.array([(0.0, 0.0, 0.0), link.tip])
    places, table = shape_table(link)
    w = np.asarray(amplitudes, float) @ table
    chord = places/link.length*w[-1]
    if link.elastic.stretches:
        places = places + np.asarray(amplitudes, float) @ [shape.U(places) for shape in link.elastic.mode_shapes]
    return np.column_stack([places, chord + magnify*(w - chord), np.zeros(len(places))])
