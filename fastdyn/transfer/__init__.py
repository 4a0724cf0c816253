"""Transfer matrices for long flexible chains: in the frequency domain, and in time by Riccati's form.

`torsion_chain` and `TorsionChain` turn about one axis; `hinged_beam` and `BendingChain` bend across their length;
`beam_arm` and `BeamArm` turn on a motor and bend as far as they like. Derivations: docs/theory/transfer.md.
"""

from .arm import BeamArm, Servo, beam_arm
from .beside import simulate_many
from .bending import BendingChain, hinged_beam
from .hinges import RULES
from .motions import Motion
from .product import PrecisionWarning
from .run import TransferRun
from .schemes import SCHEMES, Scheme, alpha, hht, houbolt, newmark, proposed, wilson
from .stations import Hinge, Mass, Rigid, Span, Support
from .torsion import TorsionChain, torsion_chain

CATALOG = {"torsion-chain": torsion_chain, "beam-arm": beam_arm}

__all__ = [
    "CATALOG", "RULES", "SCHEMES", "BeamArm", "BendingChain", "Hinge", "Mass", "Motion", "PrecisionWarning", "Rigid",
    "Scheme", "Servo", "Span", "Support", "TorsionChain", "TransferRun", "alpha", "beam_arm", "hht", "hinged_beam",
    "houbolt", "newmark", "proposed", "simulate_many", "torsion_chain", "wilson",
]
