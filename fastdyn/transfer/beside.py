"""Many torsion chains of equal length at once, each with its own numbers, loads, start; the bits of runs alone."""

import time
from collections.abc import Iterable

import numpy as np

from .._jit import ready
from ..describe.check import shown
from ..layout import aligned
from ..status import ModelError
from .audit import LOOKED_AT, warn_beforehand
from .lanes import build, lanes_for
from .motions import check_rates
from .schemes import scheme_of
from .stepping import Course, asked_every, kept, left, numbers_of, room_for, steps_of, stretch
from .torsion import TorsionChain

AHEAD = 1 << 21                                         # numbers of loads that are computed ahead
LOOKED = 20                                             # chains whose stability is looked at beforehand


def simulate_many(chains, t_end, dt, scheme="newmark", every=1):
    """See fastdyn.transfer."""
    if isinstance(chains, TorsionChain) or not isinstance(chains, Iterable):
        raise ModelError(f"chains is {shown(chains)}; give a list of torsion chains")
    chains = list(chains)
    for i, chain in enumerate(chains):
        if not isinstance(chain, TorsionChain) or chain.branched or chain.n != chains[0].n:
            raise ModelError(f"chains[{i}] is {shown(chain)}; give torsion chains without branches, all of one length")
    steps, T = steps_of(t_end, dt)
    scheme, every = scheme_of(scheme), asked_every(every, steps)
    for chain in chains:
        check_rates(chain.base, t_end, T, "base")
    runs, shared = [], all(_numbers(chain) == _numbers(chains[0]) for chain in chains)
    lanes = lanes_for(chains[0].n, shared, len(chains)) if chains else 1
    with np.errstate(all="ignore"):                                     # the status tells of numbers that are none
        _warn(chains, T, scheme, steps)
        for first in range(0, len(chains), lanes):
            runs += _together(chains[first:first + lanes], lanes, shared, steps, T, scheme, every)
    return runs


def _warn(chains, T, scheme, steps):
    """Say so if a chain will grow; of those that differ the ones with the fastest links are looked at."""
    if not chains or chains[0].n > LOOKED_AT:
        return
    unlike = {_numbers(chain): i for i, chain in reversed(list(enumerate(chains)))}
    rate = lambda numbers: max((k + c/T)/inertia for inertia, k, c in zip(*numbers))
    for i in sorted(unlike.values(), key=lambda i: -rate(_numbers(chains[i])))[:LOOKED]:
        if warn_beforehand(chains[i], T, scheme, steps, name=f"chains[{i}]", stacklevel=5):
            return


def _together(chains, lanes, shared, steps, T, scheme, every):
    n = chains[0].n
    courses = [Course(chain, T, scheme, "riccati") for chain in chains]
    kernel = ready(build(lanes, len(scheme.main.reduced[0]), shared))
    at = kept(steps, every)
    samples = [room_for((len(at), 3, n)) for _ in chains]
    early, begun = min(steps, len(scheme.start)), time.perf_counter()
    for course, out in zip(courses, samples):
        out[0] = course.history[:3, 1:]
        course.go(early, every, out[1:])
    if early < steps:
        _main(kernel, shared, courses, lanes, steps, early, T, scheme.main, every, samples)
    seconds = time.perf_counter() - begun
    return [left(course, out, at, steps=steps, seconds=seconds/len(chains)) for course, out in zip(courses, samples)]


def _numbers(chain):
    """What lanes share where it is the same in all of them."""
    return chain.inertia, chain.stiffness, chain.damping


def _main(kernel, shared, courses, lanes, steps, done, T, phase, every, samples):
    """The steps after those of the start."""
    for course in courses:
        course.enter(phase)
    state = _packed([course.state for course in courses], lanes)
    data = courses[0].data if shared else _packed([course.data for course in courses], lanes)
    scratch = aligned((3, max(state.shape[1], lanes)))
    station = np.unique(np.concatenate([course.station for course in courses]))
    n, chunk, at = courses[0].chain.n, max(1, AHEAD//(lanes*(len(station) + 2))), kept(steps, every)
    while done < steps:
        now, wait = stretch(done, steps, every, chunk)
        first, past = np.searchsorted(at, (done, done + now), "right")
        t = T*np.arange(done, done + now + 1)
        F, base = _tables(courses, t, station, lanes)
        out = np.empty((past - first, 3, n*lanes))
        kernel(state, data, numbers_of(phase), F, station, base, scratch, out, now, wait, every)
        for k, found in enumerate(samples):
            found[first:past] = out.reshape(-1, 3, n, lanes)[..., k]
        done += now


def _tables(courses, t, station, lanes):
    F, base = aligned((len(t) - 1, len(station), lanes)), aligned((len(t) - 1, 2, lanes))
    for k, course in enumerate(courses):
        mine, base[:, :, k] = course.tables(t)
        for column, at in enumerate(course.station):
            F[:, np.searchsorted(station, at), k] += mine[:, column]
    F[:, :, len(courses):], base[:, :, len(courses):] = F[:, :, :1], base[:, :, :1]
    return F, base


def _packed(rows, lanes):
    """(rows, (n + 1) lanes) of one array per chain; lanes without a chain repeat the first."""
    whole = aligned((len(rows[0]), rows[0].shape[1]*lanes))
    view = whole.reshape(len(rows[0]), -1, lanes)
    for k in range(lanes):
        view[:, :, k] = rows[k if k < len(rows) else 0]
    return whole
