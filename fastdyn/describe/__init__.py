"""Words in: what a chain is, checked for the user's mistakes, and where it comes from (Python, TOML, URDF, MJCF)."""

from ..beams import Beam
from .attitude import Attitude
from .body import Body
from .chain import Chain
from .closures import Closure
from .elastic import Elastic, Polynomial, Samples
from .events import Event
from .files import load
from .functions import Function
from .ground import Contact, Friction, Ground
from .importing import load_mjcf, load_urdf
from .joints import Fixed, Free, FreePlanar, Prismatic, Revolute, Spherical, Universal
from .link import Link
from .loads import Load
from .modal import ModalNumbers, Stretch
from .signals import Constant, Fourier, Sine, Table

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
    "Polynomial",
    "Prismatic",
    "Revolute",
    "Samples",
    "Sine",
    "Spherical",
    "Stretch",
    "Table",
    "Universal",
    "load",
    "load_mjcf",
    "load_urdf",
]
