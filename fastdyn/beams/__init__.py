"""Elastic links: sections, mode shapes and their integrals. NumPy, run once; knows nothing of chains or kernels."""

from .axial import AxialMode, AxialPolynomial, AxialShape, axial_modes
from .integrals import Integrals, integrals
from .modes import Mode, count_below, cut_off_frequency, mode, modes, rigid_motions
from .printed import PrintedMode
from .section import Beam
from .shapes import Shape
from .user import PolynomialMode, SampledMode

__all__ = [
    "AxialMode",
    "AxialPolynomial",
    "AxialShape",
    "Beam",
    "Integrals",
    "Mode",
    "PolynomialMode",
    "PrintedMode",
    "SampledMode",
    "Shape",
    "axial_modes",
    "count_below",
    "cut_off_frequency",
    "integrals",
    "mode",
    "modes",
    "rigid_motions",
]
