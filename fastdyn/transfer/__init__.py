"""Transfer matrices for long flexible chains: in the frequency domain, and in time by Riccati's form.

`torsion_chain` and `TorsionChain` turn about one axis; `hinged_beam`, `cantilever` and `BendingChain` bend across
their length; `beam_arm`, `BeamArm` and `LinkArm` turn on a motor and bend as far as they like.
Derivations: docs/theory/transfer.md.
"""

from .arm import BeamArm, beam_arm
from .audit import Audit
from .bending import BendingChain, cantilever, hinged_beam
from .hinges import RULES
from .linked import LinkArm, Servo, link_arm
from .motions import Motion
from .run import BendingRun, PrecisionWarning, StabilityWarning, TransferRun
from .schemes import SCHEMES, Scheme, alpha, hht, houbolt, newmark, proposed, wilson
from .stations import Hinge, Mass, Rigid, Span, Support
from .star import TwoPort, star
from .torsion import TorsionChain, torsion_chain

CATALOG = {"torsion-chain": torsion_chain, "beam-arm": beam_arm, "link-arm": link_arm, "cantilever": cantilever}

__all__ = [
    "CATALOG", "RULES", "SCHEMES", "Audit", "BeamArm", "BendingChain", "BendingRun", "Hinge", "LinkArm", "Mass",
    "Motion", "PrecisionWarning", "Rigid", "Scheme", "Servo", "Span", "StabilityWarning", "Support", "TorsionChain",
    "TransferRun", "TwoPort", "alpha", "beam_arm", "cantilever", "hht", "hinged_beam", "houbolt", "link_arm", "newmark",
    "proposed", "simulate_many", "star", "torsion_chain", "wilson",
]


def simulate_many(chains, t_end, dt, scheme="newmark", every=1):
    """Step torsion chains of equal length, without branches, side by side.

    Parameters
    ----------
    chains : list of TorsionChain.
    t_end, dt, scheme, every : see TorsionChain.simulate.

    Returns
    -------
    List of TransferRun, in their order.
    """
    from .beside import simulate_many

    return simulate_many(chains, t_end, dt, scheme, every)
