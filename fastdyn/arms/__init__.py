"""Spatial arms of flexible links on flexible joints that may meet oblique planes: the road of recursive Lagrange.

Derivations: docs/theory/spatial_flexible.md.
"""

from .describe import Body, FlexibleLink, Joint, Link, Plane, SpatialArm, modified_dh

__all__ = ["Body", "FlexibleLink", "Joint", "Link", "Plane", "SpatialArm", "modified_dh"]
