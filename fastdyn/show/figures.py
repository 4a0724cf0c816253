"""The figures of a run by name, and `plot`, which draws them."""

import os
from collections.abc import Callable, Iterable
from typing import NamedTuple

import numpy as np

from ..describe.check import positive, shown
from ..kinds import kind_of
from ..status import ModelError
from .frames import modal
from .page import FORMATS
from .picture import overview
from .sheet import Curve, Plot, Sheet
from .snapshots import snapshots
from .traces import (
    check_drawable, contact_spans, evenly, first_group, forces_of, hardest, points_of, roughest, speeds_of, zoom_of)

MOST_MARKED = 60    # contacts that are marked on the panels of the whole run
MOST_LINKS = 6      # whose modal coordinates are drawn
MILLI = 1e3
BLACK = 6           # of the colours


class Figure(NamedTuple):
    """How to draw it: run, zoom -> Page; what a run lacks for it: run -> words, "" if nothing; what it shows."""

    draw: Callable
    lacks: Callable
    about: str


# --------------------------------------------------------------------------------------------------------------- motion

def positions(run, zoom, **_):
    return _of_points(run, zoom, "Positions", "x", "m")


def velocities(run, zoom, **_):
    return _of_points(run, zoom, "Velocities", "v", "m/s")


def _of_points(run, zoom, title, field, unit):
    """The components of some points over the whole run, and within a window."""
    points, zoom = points_of(run), zoom or zoom_of(run)
    letter = "" if field == "x" else "velocity "
    traces = [(points.t, points.x[:, k], points.v[:, k]) if field == "x" else (*speeds_of(run, points, k), None)
              for k in range(len(points.names))]
    rows = []
    for axis in range(2 if run.chain.planar else 3):
        name = letter + "xyz"[axis]
        curves = [Curve(t, x[:, axis], label, k, slope=None if slope is None else slope[:, axis])
                  for k, (label, (t, x, slope)) in enumerate(zip(points.names, traces))]
        row = [Plot(name, unit, curves, marked=contact_spans(run, MOST_MARKED))]
        rows.append(row + ([Plot(name, unit, curves, zoom, marked=contact_spans(run))] if zoom else []))
    what = "contact points" if run.point_names else "joints and tips"
    about = f"{len(points.names)} of {points.of} {what}" if points.of > len(points.names) else what
    return Sheet(f"{title}: {_name(run)}", rows, about + _contacts_marked(run), (1.7, 1.0) if zoom else (1.0,)).page()


def modes(run, zoom, **_):
    """The modal coordinates of every elastic link."""
    chain, zoom = run.chain, zoom or zoom_of(run)
    bending = [i for i, link in enumerate(chain.links) if link.modes]
    rows = []
    for i in (bending[k] for k in evenly(len(bending), MOST_LINKS)):
        link, at, rate = chain.links[i], modal(chain, i).start, chain.v_slice(chain.links[i].name).stop
        curves = [Curve(run.t, run.q[:, at + k], f"mode {k + 1}", k, slope=run.v[:, rate - link.modes + k])
                  for k in range(link.modes)]
        title = link.name if link.modes > 1 else f"{link.name}, mode 1"
        row = [Plot(title, "m", curves, marked=contact_spans(run, MOST_MARKED))]
        rows.append(row + ([Plot(title, "m", curves, zoom, marked=contact_spans(run))] if zoom else []))
    about = f"{len(rows)} of {len(bending)} elastic links" if len(rows) < len(bending) else "elastic links"
    return Sheet(f"Modal coordinates: {_name(run)}", rows, about + _contacts_marked(run),
                 (1.7, 1.0) if zoom else (1.0,), 150).page()


# --------------------------------------------------------------------------------------------------------------- ground

def forces(run, zoom, **_):
    """Normal force and friction over the whole run, over the first contacts or the given window, at their hardest."""
    first = zoom or _around(run, *first_group(run))
    drawn, count = forces_of(run, [first, _around(run, *hardest(run)), _around(run, *roughest(run))])
    rows = []
    for title, field, most in (("normal force", "normal", hardest), ("friction", "friction", roughest)):
        row = [Plot(title, "N", [Curve(f.t, getattr(f, field), f.name, k) for k, f in enumerate(drawn)])]
        for low, high in (first, _around(run, *most(run))):
            curves = [Curve(MILLI*(f.t - low), getattr(f, field), f.name, k) for k, f in enumerate(drawn)]
            marked = [(MILLI*(start - low), MILLI*(end - low)) for start, end in contact_spans(run)]
            row.append(Plot(title, "N", curves, (0.0, MILLI*(high - low)), f"t − {low:.6f} s, ms", marked))
        rows.append(row)
    about = f"{len(run.contacts)} contacts; whole run, {'chosen window' if zoom else 'first contacts'}, hardest contact"
    about += f"; {len(drawn)} of {count} points, the hardest hit of each panel" if count > len(drawn) else ""
    return Sheet(f"Forces of the ground: {_name(run)}", rows, about, (1.5, 1.0, 1.0), 220).page()


def _around(run, start, end):
    room = 0.12*(end - start)
    return max(start - room, float(run.t[0])), min(end + room, float(run.t[-1]))


# --------------------------------------------------------------------------------------------------------------- energy

def ledger(run, **_):
    """Energies in the chain, and the work done on it."""
    from ..results.tables import ENERGY_COLUMNS, WORK_COLUMNS

    inside = [*_curves(run, ENERGY_COLUMNS), Curve(run.t, run.energy, "sum", BLACK, 2.2)]
    rows = [[Plot("energy in the chain", "J", inside, legend=True)]]
    done = _curves(run, WORK_COLUMNS)
    if done:
        rows.append([Plot("work done on the chain since the start", "J", done, legend=True)])
    about = f"{run.energy[0]:.6g} J at the start, {run.energy[-1]:.6g} J at the end"
    return Sheet(f"Energy: {_name(run)}", rows, about + ("" if done else "; nothing does work"), height=230).page()


def _curves(run, columns):
    """The columns of the ledger in which there is something, each in its own colour."""
    return [Curve(run.t, run.ledger[name], name, k) for k, name in enumerate(columns)
            if np.any(np.nan_to_num(run.ledger[name]))]


def energy_error(run, **_):
    """How well the ledger closes."""
    error = run.energy_error
    about = f"largest {np.max(np.abs(error)):.2g} %, mean {np.mean(np.abs(error)):.2g} %, of " \
            f"{max(abs(float(run.energy[0])), run.energy_scale):.4g} J"
    return Sheet(f"Energy error: {_name(run)}", [[Plot("energy less the work done", "%", [Curve(run.t, error)])]],
                 about, height=260).page()


# ----------------------------------------------------------------------------------------------------------------- plot

FIGURES = {
    "overview": Figure(lambda run, **_: overview(run), lambda run: "", "the motion on one page"),
    "positions": Figure(positions, lambda run: "", "joints over time, whole run and a window"),
    "velocities": Figure(velocities, lambda run: "", "their velocities"),
    "modes": Figure(modes, lambda run: "" if any(link.modes for link in run.chain.links) else "no link bends",
                    "modal coordinates of elastic links"),
    "forces": Figure(forces, lambda run: "" if len(run.contacts) else "nothing touched a ground",
                     "normal force and friction, whole run, first contacts, hardest contact"),
    "ledger": Figure(ledger, lambda run: "", "energies, and the work done on the chain"),
    "energy-error": Figure(energy_error, lambda run: "" if np.all(np.isfinite(run.energy_error)) else
                           "nobody counted the work of drives and loads", "how well the ledger closes, %"),
    "snapshots": Figure(snapshots, lambda run: "", "shapes at several times, deflection magnified"),
}


def plot(run, out=None, *, figures: Iterable[str] = (), format: str = "svg", zoom=None, times=None, magnify=None):
    """Draw the figures of a run.

    Parameters
    ----------
    run : of a chain, or of another kind of system.
    out : folder to write them to, made if it is not there; None writes nothing.
    figures : their names, of chains see fastdyn.show.figures.FIGURES; none named draws all that the run has something
        for.
    format : "svg", or "png" (with the extra `plot`).
    zoom : (from, to), s, window beside the whole run; None looks for one around the hardest contact.
    times : of the snapshots, s; None takes eight or so, at round numbers.
    magnify : factor of the deflection in snapshots; None takes one that shows it.

    Returns
    -------
    Name -> Page, which notebooks show and `page.save(path)` writes.
    """
    if format not in FORMATS:
        raise ModelError(f"format is {shown(format)}; choose from {', '.join(FORMATS)}")
    check_drawable(run)
    words = {"zoom": _window(run, zoom), "times": _times(run, times),
             "magnify": None if magnify is None else positive(magnify, "magnify", "")}
    known = kind_of(run).figures()
    pages = {name: known[name].draw(run, **words) for name in _wanted(run, figures, known)}
    if out is not None:
        os.makedirs(out, exist_ok=True)
        for name, page in pages.items():
            page.save(os.path.join(out, f"{name}.{format}"))
    return pages


def _wanted(run, names, known):
    names = [names] if isinstance(names, str) else list(names)
    for name in names:
        if name not in known:
            raise ModelError(f'figure "{name}" is not known; there are {", ".join(known)}')
        if known[name].lacks(run):
            raise ModelError(f'figure "{name}" cannot be drawn: {known[name].lacks(run)}')
    return names or [name for name, figure in known.items() if not figure.lacks(run)]


def _window(run, zoom):
    if zoom is None:
        return None
    try:
        low, high = map(float, zoom)
    except (TypeError, ValueError):
        raise ModelError(f"zoom is {shown(zoom)}; give two times of the run, (from, to), s") from None
    if not (run.t[0] <= low < high <= run.t[-1]):
        raise ModelError(f"zoom is {low:.6g} to {high:.6g} s; give two times of the run, which goes from "
                         f"{run.t[0]:.6g} to {run.t[-1]:.6g} s, the earlier first")
    return low, high


def _times(run, times):
    if times is None:
        return None
    try:
        times = np.atleast_1d(np.asarray(times, float))
    except (TypeError, ValueError):
        raise ModelError(f"times are {shown(times)}; give times of the run, s, one or several") from None
    if times.ndim > 1 or times.size == 0 or not np.all((times >= run.t[0]) & (times <= run.t[-1])):
        raise ModelError(f"times are {shown(times.tolist())}; give times of the run, from {run.t[0]:.6g} to "
                         f"{run.t[-1]:.6g} s")
    return times


def _name(run):
    return run.chain.name or "chain"


def _contacts_marked(run):
    return "; contacts on a tinted ground" if 0 < len(run.contacts) <= MOST_MARKED else ""
