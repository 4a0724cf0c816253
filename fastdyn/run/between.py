"""States of a run between its samples: the motion is done once more from the sample before."""

import numpy as np

from ..results.spool import DRIVE
from ..status import ModelError
from .asking import numbers, shape_of

INSTEAD = "ask simulate for times=[...]"


def states_at(run, t):
    """(q, v) at a time of the run, or a row of each at several; see `Run.at`."""
    times = numbers(t, shape_of(t)[:1], "t")
    wanted = np.atleast_1d(times)
    for moment in wanted:
        if len(run.t) == 0 or not run.t[0] <= moment <= run.t[-1]:
            span = f"{run.t[0]:.9g} s to {run.t[-1]:.9g} s" if len(run.t) else "no time"
            raise ModelError(f"t is {moment:.9g} s and the run has states of {span}; give a time within, or run on")
    last = np.searchsorted(run.t, wanted, side="right") - 1     # where there are two states, the one after the event
    q, v = run.q[last], run.v[last]
    for k in np.unique(last):
        mine = (last == k) & (wanted != run.t[k])
        if np.any(mine):
            q[mine], v[mine] = _again(run, k, wanted[mine])
    return (q, v) if times.ndim else (q[0], v[0])


def _again(run, k, wanted):
    """(q, v) at times between sample k and the next."""
    from .simulate import simulate

    _check_kept(run)
    first = _without_touch(run, k)
    changed = _changes(run, run.t[first], run.t[k + 1])
    if len(changed) and changed["time"][0] <= wanted.max():
        name = run.event_names[changed["event"][0]]
        raise ModelError(f'event "{name}" at t = {changed["time"][0]:.9g} s may have changed the motion since the '
                         f"sample at {run.t[first]:.9g} s, and actions are not done twice; {INSTEAD}")
    end = changed["time"][0] if len(changed) else run.t[k + 1]
    settings = {name: value for name, value in run.settings.items() if name != "t_end"}
    order = np.argsort(wanted)
    found = simulate(run.chain, end, run.q[first], run.v[first], t=run.t[first], times=wanted[order],
                     stepper=run.stepper, formulation=run.formulation, **settings).check()
    back = np.argsort(order)
    return found.q[back], found.v[back]


def _check_kept(run):
    """Refuse a run that does not hold what its motion depends on."""
    if not {"rtol", "atol", "event_tol"} <= run.settings.keys():
        raise ModelError(f"the run does not tell its settings, so it cannot be done again; {INSTEAD}")
    if run.chain.drive is None and DRIVE in run.notes:
        raise ModelError(f"the chain had a drive, which is not in the file the run is from; {INSTEAD}")


def _without_touch(run, k):
    """The last sample, k or before, at which nothing touches a ground: a touch has a past that samples do not hold."""
    start, end = (np.nan_to_num(run.contacts[name], nan=never) for name, never in (("start", -np.inf), ("end", np.inf)))
    for first in range(k, -1, -1):
        if not np.any((start <= run.t[first]) & (run.t[first] <= end)):
            return first
    raise ModelError(f"something touches a ground at every sample up to {run.t[k]:.9g} s, and what a touch remembers "
                     f"is not in them; {INSTEAD}")


def _changes(run, after, until):
    """Events that may have changed the motion in this time: those with actions, of files any of the user's."""
    events = run.events[(run.events["point"] < 0) & (run.events["time"] > after) & (run.events["time"] <= until)]
    return events if run.acting is None else events[np.isin(events["event"], run.acting)]
