"""The whole chain, one road a page; a new formulation is one file and one line here."""

from importlib import import_module

from ..status import ModelError

FORMULATIONS = {
    "recursive": "recursive",
    "denoc": "denoc",
    "gibbs-appell": "gibbs_appell",
    "boltzmann-hamel": "boltzmann_hamel",
    "lagrange": "lagrange",
}
BY_ENERGY = {"lagrange"}        # where springs of closures act by the slopes of their energy, not as wrenches on links


def formulation(name: str):
    """The page behind a name."""
    if name not in FORMULATIONS:
        raise ModelError(f'formulation "{name}" is not known; choose from {", ".join(FORMULATIONS)}')
    return import_module("." + FORMULATIONS[name], __name__)
