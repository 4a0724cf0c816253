"""Time: one stepper a line; a new one is one file with a function `method` and one line here."""

from functools import cache
from importlib import import_module

from ..status import ModelError

STEPPERS = {
    "bs32": "bs32",
    "rkf45": "rkf45",
    "dopri5": "dopri5",
    "dop853": "dop853",
    "adams": "adams",
    "abm4": "abm4",
    "radau5": "radau5",
    "esdirk4": "esdirk4",
    "gen-alpha": "alpha",
    "newmark": "newmark",
}


@cache
def stepper(name: str):
    """The method behind a name."""
    if name not in STEPPERS:
        raise ModelError(f'stepper "{name}" is not known; choose from {", ".join(STEPPERS)}')
    return import_module("." + STEPPERS[name], __name__).method()
