"""Spatial arms of flexible links on flexible joints that may meet oblique planes: the road of recursive Lagrange.

Derivations: docs/theory/spatial_flexible.md.
"""

from .catalog import CATALOG, canadarm2, flexible_arm, spin_up
from .describe import Body, FlexibleLink, Joint, Link, Plane, SpatialArm, modified_dh

__all__ = [
    "CATALOG", "Body", "FlexibleLink", "Joint", "Link", "Plane", "SpatialArm", "canadarm2", "flexible_arm",
    "modified_dh", "spin_up",
]
