"""Transfer matrices for long flexible chains: in the frequency domain, and in time by Riccati's form.

`torsion_chain` and `TorsionChain` turn about one axis; `hinged_beam` and `BendingChain` bend across their length.
Derivations: docs/theory/transfer.md.
"""

from .bending import BendingChain, hinged_beam
from .hinges import RULES
from .motions import Motion
from .product import PrecisionWarning
from .run import TransferRun
from .schemes import SCHEMES, Scheme, alpha, hht, houbolt, newmark, proposed, wilson
from .stations import Hinge, Mass, Rigid, Span, Support
from .torsion import TorsionChain, torsion_chain

__all__ = [
    "RULES", "SCHEMES", "BendingChain", "Hinge", "Mass", "Motion", "PrecisionWarning", "Rigid", "Scheme", "Span",
    "Support", "TorsionChain", "TransferRun", "alpha", "hht", "hinged_beam", "houbolt", "newmark", "proposed",
    "torsion_chain", "wilson",
]
