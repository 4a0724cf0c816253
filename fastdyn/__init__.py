"""fastdyn: dynamics of link chains, O(n), compiled, the same bits everywhere."""

from importlib import import_module

from .describe import (
    Body,
    Chain,
    Constant,
    Event,
    Fixed,
    Free,
    FreePlanar,
    Link,
    Load,
    Prismatic,
    Revolute,
    Sine,
    Spherical,
    Table,
    Universal,
)
from .status import ModelError, SimulationError

__version__ = "0.1.0"

_LATER = {  # loaded when first asked for: `import fastdyn` stays quick
    "catalog": "describe.catalog",
    "load": "describe.files",
    "load_urdf": "describe.importing",
    "load_mjcf": "describe.importing",
    "show": "show.tree",
    "simulate": "run.simulate",
    "open_checkpoint": "run.checkpoint",
    **dict.fromkeys(
        ("forward_dynamics", "inverse_dynamics", "bias", "mass_matrix", "apply_inverse_mass", "reactions"),
        "run.dynamics",
    ),
    **dict.fromkeys(
        (
            "position",
            "orientation",
            "velocity",
            "jacobian",
            "kinetic_energy",
            "potential_energy",
            "momentum",
            "mass_center",
        ),
        "run.places",
    ),
}

__all__ = [
    "Body",
    "Chain",
    "Constant",
    "Event",
    "Fixed",
    "Free",
    "FreePlanar",
    "Link",
    "Load",
    "ModelError",
    "Prismatic",
    "Revolute",
    "SimulationError",
    "Sine",
    "Spherical",
    "Table",
    "Universal",
    "__version__",
    *_LATER,
]


def __getattr__(name):
    if name not in _LATER:
        raise AttributeError(f"module 'fastdyn' has no attribute {name!r}")
    found = import_module("." + _LATER[name], __name__)
    if name != "catalog":                                   # all others are functions of their page
        found = getattr(found, name)
    globals()[name] = found
    return found


def __dir__():
    return sorted(__all__)
