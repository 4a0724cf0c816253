"""Spatial arms of flexible links on flexible joints, whose points may meet oblique planes with friction.

Words make an arm, or the catalog does; `arm.simulate` runs it, by a recursion that eliminates modes and joints link by
link or by recursive Lagrange; accelerations, mass_matrix, energies and point answer at a state.
Derivations: docs/theory/spatial_flexible.md.
"""

from importlib import import_module

from .catalog import CATALOG, canadarm2, flexible_arm, spin_up
from .describe import Body, FlexibleLink, Joint, Link, Origin, Plane, SpatialArm, modified_dh
from .modal_link import ModalLink

_LATER = dict.fromkeys(("PointMotion", "accelerations", "energies", "mass_matrix", "point"), "questions") | {
    "modal_data": "moments"}                                # the compiler, or numbers that no import needs

__all__ = [
    "CATALOG", "Body", "FlexibleLink", "Joint", "Link", "ModalLink", "Origin", "Plane", "PointMotion",
    "SpatialArm", "accelerations", "canadarm2", "energies", "flexible_arm", "mass_matrix", "modal_data", "modified_dh",
    "point", "spin_up",
]


def __getattr__(name):
    if name not in _LATER:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f".{_LATER[name]}", __name__), name)
