"""What is said of contacts that rest: the laws know impacts, and at rest their damping takes a step after the other."""

import numpy as np

MANY, SHARE = 1000, 0.5     # steps in one contact, and of all of them, that are worth a word
NAMED = 4


def notes_on_rest(chain, names, contacts, touching, steps):
    """Sentences for Run.notes: none, or one on all contacts that rest.

    A contact rests that began with less than its law's slowest impact, or that is open and took most of the steps.

    Parameters
    ----------
    names : of the points. contacts, touching : tables of a run. steps : how many it took.
    """
    floors = np.array([ground.normal_numbers[3] for ground in chain.grounds])[contacts["ground"]]
    resting, most = [], 0
    for contact, floor in zip(contacts, floors):
        since = contact["start"] if np.isfinite(contact["start"]) else -np.inf
        mine = (touching["point"] == contact["point"]) & (touching["ground"] == contact["ground"])
        lines = np.count_nonzero(mine & (touching["time"] >= since))
        if np.isnan(contact["end"]) and lines > MANY and (contact["speed"] < floor or lines > SHARE*steps):
            resting.append(names[contact["point"]])
            most = max(most, lines)
    if not resting:
        return ()
    said = ", ".join(resting[:NAMED]) + (f" and {len(resting) - NAMED} more" if len(resting) > NAMED else "")
    most = min(most, steps)                                 # the touch itself has a line too
    return (f"{said}: in contact to the end, and {most} of {steps} steps went there; the damping of an impact, over "
            "the speed it began with, is stiff at rest: end the run before, or give contact.slowest more than its "
            f"{np.min(floors):g} m/s (docs/theory/contact.md, Rest)",)
