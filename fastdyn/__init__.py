"""fastdyn: dynamics of link chains, O(n), compiled, the same bits everywhere."""

from importlib import import_module
from typing import TYPE_CHECKING

from .describe import (
    Attitude,
    Beam,
    Body,
    Chain,
    Closure,
    Constant,
    Contact,
    Elastic,
    Event,
    Fixed,
    Fourier,
    Free,
    FreePlanar,
    Friction,
    Function,
    Ground,
    Link,
    Load,
    ModalNumbers,
    Polynomial,
    Prismatic,
    Revolute,
    Samples,
    Sine,
    Spherical,
    Stretch,
    Table,
    Universal,
)
from .show.tree import show             # now: a page of the room that is loaded later would put the room in its place
from .status import ModelError, SimulationError

__version__ = "0.1.0"

_LATER = {  # loaded when first asked for: `import fastdyn` stays quick
    "boltzmann_hamel_terms": "run.quasi_velocities",
    "catalog": "describe.catalog",
    "load": "describe.files",
    "load_urdf": "describe.importing",
    "load_mjcf": "describe.importing",
    "plot": "show.figures",
    "view": "show.player",
    "live_view": "show.live",
    "integrate": "run.integrate",
    "simulate": "run.simulate",
    "sweep": "run.sweep",
    "open": "results.file",
    "open_checkpoint": "run.checkpoint",
    **dict.fromkeys(
        (
            "forward_dynamics",
            "inverse_dynamics",
            "bias",
            "mass_matrix",
            "apply_inverse_mass",
            "reactions",
            "gibbs_function",
        ),
        "run.dynamics",
    ),
    **dict.fromkeys(
        (
            "position",
            "orientation",
            "velocity",
            "acceleration",
            "jacobian",
            "kinetic_energy",
            "potential_energy",
            "momentum",
            "mass_center",
        ),
        "run.places",
    ),
    "momenta": "run.momenta",
    "base_reaction": "run.momenta",
    **dict.fromkeys(
        (
            "to_quaternion",
            "from_quaternion",
            "to_angular_velocity",
            "from_angular_velocity",
            "chart_matrix",
            "chart_matrix_rate",
            "chart_gradients",
        ),
        "run.attitude",
    ),
    "assemble": "run.assembly",
    **dict.fromkeys(("closure_forces", "gap_jacobian", "gap_rates", "gaps"), "run.loops"),
    **dict.fromkeys(("drive_torques", "singularity"), "run.driving"),
    "follow": "run.following",
    **dict.fromkeys(("linearize", "modes"), "run.linear"),
    "mobility": "run.mobility",
    "ticker": "run.ticker",
    "gym_env": "control.environment",
    "export_fmu": "control.fmu",
}

if TYPE_CHECKING:                       # the same names for type checkers and editors, which do not run `__getattr__`
    from .control.environment import gym_env
    from .control.fmu import export_fmu
    from .describe import catalog
    from .describe.files import load
    from .describe.importing import load_mjcf, load_urdf
    from .results.file import open
    from .run.assembly import assemble
    from .run.attitude import (
        chart_gradients,
        chart_matrix,
        chart_matrix_rate,
        from_angular_velocity,
        from_quaternion,
        to_angular_velocity,
        to_quaternion,
    )
    from .run.checkpoint import open_checkpoint
    from .run.driving import drive_torques, singularity
    from .run.dynamics import (
        apply_inverse_mass,
        bias,
        forward_dynamics,
        gibbs_function,
        inverse_dynamics,
        mass_matrix,
        reactions,
    )
    from .run.following import follow
    from .run.integrate import integrate
    from .run.linear import linearize, modes
    from .run.loops import closure_forces, gap_jacobian, gap_rates, gaps
    from .run.mobility import mobility
    from .run.momenta import base_reaction, momenta
    from .run.places import (
        acceleration,
        jacobian,
        kinetic_energy,
        mass_center,
        momentum,
        orientation,
        position,
        potential_energy,
        velocity,
    )
    from .run.quasi_velocities import boltzmann_hamel_terms
    from .run.simulate import simulate
    from .run.sweep import sweep
    from .run.ticker import ticker
    from .show.figures import plot
    from .show.live import live_view
    from .show.player import view

__all__ = [
    "Attitude",
    "Beam",
    "Body",
    "Chain",
    "Closure",
    "Constant",
    "Contact",
    "Elastic",
    "Event",
    "Fixed",
    "Fourier",
    "Free",
    "FreePlanar",
    "Friction",
    "Function",
    "Ground",
    "Link",
    "Load",
    "ModalNumbers",
    "ModelError",
    "Polynomial",
    "Prismatic",
    "Revolute",
    "Samples",
    "SimulationError",
    "Sine",
    "Spherical",
    "Stretch",
    "Table",
    "Universal",
    "__version__",
    "acceleration",
    "apply_inverse_mass",
    "assemble",
    "base_reaction",
    "bias",
    "boltzmann_hamel_terms",
    "catalog",
    "chart_gradients",
    "chart_matrix",
    "chart_matrix_rate",
    "closure_forces",
    "drive_torques",
    "export_fmu",
    "follow",
    "forward_dynamics",
    "from_angular_velocity",
    "from_quaternion",
    "gap_jacobian",
    "gap_rates",
    "gaps",
    "gibbs_function",
    "gym_env",
    "integrate",
    "inverse_dynamics",
    "jacobian",
    "kinetic_energy",
    "linearize",
    "live_view",
    "load",
    "load_mjcf",
    "load_urdf",
    "mass_center",
    "mass_matrix",
    "mobility",
    "modes",
    "momenta",
    "momentum",
    "open",
    "open_checkpoint",
    "orientation",
    "plot",
    "position",
    "potential_energy",
    "reactions",
    "show",
    "simulate",
    "singularity",
    "sweep",
    "ticker",
    "to_angular_velocity",
    "to_quaternion",
    "velocity",
    "view",
]


if not TYPE_CHECKING:                   # a checker that saw it would take any name for one of ours

    def __getattr__(name):
        if name not in _LATER:
            raise AttributeError(f"module 'fastdyn' has no attribute {name!r}")
        found = import_module("." + _LATER[name], __name__)
        if name != "catalog":                               # all others are functions of their page
            found = getattr(found, name)
        globals()[name] = found
        return found


def __dir__():
    return sorted(__all__)
