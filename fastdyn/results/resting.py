"""What is said of contacts that take a step after the other, at rest or for rounding, or creep."""

import numpy as np

from ..layout import GRIPPED, ROUNDING, STEP_TAKEN

MANY, SHARE = 1000, 0.5     # steps in one contact, and of all of them, that are worth a word
LONG = 10.0                 # an impact takes three times its depth over its speed; what takes so many stays
NEAR = 0.03                 # of what is allowed of an error: rounding that leaves shorter steps little to win
NAMED = 4


def notes_on_contacts(chain, names, contacts, touching, steps, clock):
    """Sentences for Run.notes: none, or one on all contacts that rest, or that steps grew short in for rounding.

    A contact rests that began with less than its law's slowest impact, or that is open longer than any impact and took
    most of the steps.

    Parameters
    ----------
    names : of the points. contacts, touching : tables of a run. steps : how many it took. clock : of the stepper.
    """
    floors = np.array([ground.normal_numbers[3] for ground in chain.grounds])[contacts["ground"]]
    resting, stuck, most = [], [], 0
    for contact, floor in zip(contacts[np.isnan(contacts["end"])], floors[np.isnan(contacts["end"])]):
        since = contact["start"] if np.isfinite(contact["start"]) else -np.inf
        mine = (touching["point"] == contact["point"]) & (touching["ground"] == contact["ground"])
        times = touching["time"][mine & (touching["time"] >= since)]
        if len(times) <= MANY:
            continue
        slow = contact["speed"] < floor
        stays = (times[-1] - times[0])*contact["speed"] > LONG*contact["depth"] and len(times) > SHARE*steps
        (resting if slow or stays else stuck).append(names[contact["point"]])
        most = max(most, len(times))
    most = min(most, steps)                                 # the touch itself has a line too
    if resting:
        return (f"{_told(resting)}: in contact to the end, and {most} of {steps} steps went there; the damping of an "
                "impact, over the speed it began with, is stiff at rest: end the run before, or give contact.slowest "
                f"more than its {np.min(floors):g} m/s (docs/theory/contact.md, Rest)",)
    if stuck and clock[STEP_TAKEN]*clock[ROUNDING] > NEAR:
        return (f"{_told(stuck)}: {most} of {steps} steps went into one touch, the last of {clock[STEP_TAKEN]:.2g} s; "
                "rounding of the contact forces is as large as the errors rtol and atol allow: give larger ones "
                "(docs/theory/contact.md, Rounding)",)
    return ()


def notes_on_creeping(chain, names, creeping):
    """A sentence for Run.notes on the contacts that could not stick any longer, none where there are none."""
    points = [names[point] for (point, _), creeps in zip(chain.contact_pairs, creeping) if creeps]
    if not points:
        return ()
    return (f"{_told(points)}: creeping instead of sticking, until parted or to the end, after more than max_switches "
            f"switches within a five-hundredth of the run or beside {GRIPPED} points that stick "
            "(docs/theory/contact.md)",)


def _told(points):
    return ", ".join(points[:NAMED]) + (f" and {len(points) - NAMED} more" if len(points) > NAMED else "")
