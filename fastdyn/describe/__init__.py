"""Words in: what a chain is, checked for the user's mistakes, and where it comes from (Python, TOML, URDF, MJCF)."""

from .body import Body
from .chain import Chain
from .events import Event
from .files import load
from .importing import load_mjcf, load_urdf
from .joints import Fixed, Free, FreePlanar, Prismatic, Revolute, Spherical, Universal
from .link import Link
from .loads import Load
from .signals import Constant, Sine, Table

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
    "Prismatic",
    "Revolute",
    "Sine",
    "Spherical",
    "Table",
    "Universal",
    "load",
    "load_mjcf",
    "load_urdf",
]
