"""The papers a run of a spatial arm stands on."""

from ..laws.contact import NORMAL_LAWS
from ..laws.friction import FRICTION_LAWS
from ..results.cite import EVENTS, STEP_SIZE, STEPPERS

ROADS = {"recursive": ("Featherstone 2008", "Book 1984"), "lagrange": ("Book 1984",)}


def used(run):
    """(what for, keys of papers) of everything in use."""
    yield f"formulation {run.formulation}", ROADS[run.formulation]
    if any(link.beam is not None for link in run.arm.links):
        yield "flexible links", ("Book 1984",)
    yield f"stepper {run.stepper}", STEPPERS.get(run.stepper, ())
    yield "size of the steps", STEP_SIZE.get(run.stepper, ())
    if run.arm.planes:
        yield "location of events", EVENTS
    for plane in run.arm.planes:
        for law, known in ((plane.law, NORMAL_LAWS), (plane.friction, FRICTION_LAWS)):
            if known[law].cite:
                yield f"law {law}", (known[law].cite,)
    if any(origin.source == "public" for origin in run.arm.provenance):
        yield "public data of the arm", ("Nguyen & Hughes 1994",)
