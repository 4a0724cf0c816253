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
OF_PAPERS = {"mdenoc": ("DeNOC with virtual springs", "denoc"), "lvs": ("Lagrange with virtual springs", "lagrange")}


def formulation(name: str):
    """The page behind a name."""
    if name not in FORMULATIONS:
        raise ModelError(f'formulation "{name}" is not known; {instead(name)}')
    return import_module("." + FORMULATIONS[name], __name__)


def instead(name):
    """What to write for a name that is no formulation: what papers call so, or one of those there are."""
    if name in OF_PAPERS:
        said, road = OF_PAPERS[name]
        return f'{said} is formulation="{road}" and closures with stiffness'
    return f"choose from {', '.join(FORMULATIONS)}"
