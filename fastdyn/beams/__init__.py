"""Elastic links: sections, mode shapes and their integrals. NumPy, run once; knows nothing of chains or kernels."""

from .integrals import Integrals, integrals
from .modes import Mode, count_below, cut_off_frequency, mode, modes, rigid_motions
from .printed import PrintedMode
from .section import Beam
from .shapes import Shape
from .user import PolynomialMode, SampledMode

__all__ = [
    "Beam",
    "Integrals",
    "Mode",
    "PolynomialMode",
    "PrintedMode",
    "SampledMode",
    "Shape",
    "count_below",
    "cut_off_frequency",
    "integrals",
    "mode",
    "modes",
    "rigid_motions",
]
