"""The contacts of a run from what was logged of every step: when, how fast, how deep, how hard, what it worked.

Between two lines of the log the normal force is known with its rate at both, the depth too. Peaks are those of
polynomials through several lines (Hermite), good to a millionth where a contact took ten steps. Impulses and works are
carried along in the state of the run, and as good as that.
"""

import numpy as np

from ..layout import (
    LOG_CONTACT, LOG_DEPTH, LOG_FRICTION, LOG_IMPULSE, LOG_NORMAL, LOG_RATE, LOG_RUBBED, LOG_SLIP, LOG_SLOPE, LOG_TIME,
    LOG_WORK)
from .tables import CONTACT, TOUCH

NODES = 4                                               # lines a polynomial goes through
LOOKS = 65                                              # places where its top is looked for first


def touching_of(log, chain):
    """The rows of Run.touching."""
    rows = np.empty(len(log), TOUCH)
    pairs = np.array(chain.contact_pairs, np.int64).reshape(-1, 2)[log[:, LOG_CONTACT].astype(int)]
    rows["point"], rows["ground"] = pairs.T
    for name, column in (("time", LOG_TIME), ("depth", LOG_DEPTH), ("rate", LOG_RATE), ("normal", LOG_NORMAL),
                         ("slip", LOG_SLIP), ("friction", LOG_FRICTION)):
        rows[name] = log[:, column]
    return rows


def contact_row(chain, k, lines, start, speed, end):
    """A row of Run.contacts.

    Parameters
    ----------
    k : number of the contact; lines : of Work.log, of this contact, in order of time.
    start, end : s; nan for one that was open before the first line, or is after the last.
    speed : m/s, None for that of the first line.
    """
    row = np.zeros((), CONTACT)
    row["point"], row["ground"] = chain.contact_pairs[k]
    row["start"], row["end"] = start, end
    at = lines[:, LOG_TIME]
    first = np.flatnonzero(at == start)[-1] if start == start else 0    # one may begin where the one before ended
    lines = lines[first:][~(at[first:] > end)]
    t, depth, rate, normal, slope = (lines[:, c] for c in (LOG_TIME, LOG_DEPTH, LOG_RATE, LOG_NORMAL, LOG_SLOPE))
    row["speed"] = rate[0] if speed is None else speed
    row["leaving"] = np.nan if np.isnan(end) else -rate[-1]
    row["restitution"] = row["leaving"]/row["speed"]
    row["depth"] = top_of(t, depth, rate)
    row["force"] = top_of(t, normal, slope)
    row["force_least"] = min(0.0, -top_of(t, -normal, -slope)) if np.min(normal) < 0.0 else 0.0
    for name, column in (("impulse", LOG_IMPULSE), ("work", LOG_WORK), ("friction_impulse", LOG_RUBBED)):
        row[name] = lines[-1, column] - lines[0, column]
    return row


def top_of(t, y, slope):
    """The largest value of a function known with its slope at some places."""
    best = int(np.argmax(y))
    if len(t) < 2:
        return float(y[best])
    first = min(max(best - NODES//2, 0), max(len(t) - NODES, 0))
    some = slice(first, first + NODES)
    x0, scale = t[best], max(t[some][-1] - t[some][0], 1e-300)
    x = (t[some] - x0)/scale
    coefficients, nodes = newton_form(x, y[some], slope[some]*scale)
    low, high = x[max(best - first - 1, 0)], x[min(best - first + 1, len(x) - 1)]
    for _ in range(4):
        places = np.linspace(low, high, LOOKS)
        values = value_of(coefficients, nodes, places)
        at = int(np.argmax(values))
        low, high = places[max(at - 1, 0)], places[min(at + 1, LOOKS - 1)]
    return float(max(np.max(values), y[best]))


def newton_form(x, y, slope):
    """Divided differences of the polynomial with these values and slopes [Hairer, Norsett & Wanner 1993, II.3]."""
    z = np.repeat(x, 2)
    table = np.repeat(y, 2).astype(float)
    coefficients = [table[0]]
    for order in range(1, len(z)):
        step = z[order:] - z[:-order]
        new = np.divide(table[1:] - table[:-1], step, out=np.zeros_like(step), where=step != 0.0)
        if order == 1:
            new[::2] = slope
        table = new
        coefficients.append(table[0])
    return np.array(coefficients), z


def value_of(coefficients, nodes, x):
    total = np.full_like(x, coefficients[-1])
    for c, z in zip(coefficients[-2::-1], nodes[len(coefficients) - 2::-1]):
        total = total*(x - z) + c
    return total
