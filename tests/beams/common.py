"""Beams to try things on: the published steel link, any slender or stout one, and the reference modes."""

import json
from pathlib import Path

from hypothesis import strategies as st

from fastdyn.beams import Beam

TABLES = json.loads((Path(__file__).parents[1]/"reference"/"elastic_chain"/"modes.json").read_text())["tables"]
STEEL = Beam.rectangle(length=1.0, width=0.03, height=0.0125, E=2e11, nu=0.3, mu=1.0, K_v=125.0, gamma=0.025)
TABLE_STEEL = Beam(length=1.0, E=2e11, G=7.7e10, A=3.75e-4, I=4.883e-9, mu=1.0, J33=2.9473e-5, K_v=125.0, gamma=0.025)
ALL_ENDS = [a + b for a in "scfg" for b in "scfg"]

every_ends = st.sampled_from(ALL_ENDS)


def powers(low, high):
    return st.floats(low, high).map(lambda x: 10.0**x)


@st.composite
def beams(draw, thickest=0.15):
    """Rectangles, from hairs to blocks, of soft and hard, light and heavy matter; J33, K_v and gamma too."""
    length = draw(powers(-1, 1))
    return Beam.rectangle(
        length=length, width=draw(powers(-3, -1)), height=length*draw(st.floats(1e-3, thickest)), E=draw(powers(6, 12)),
        nu=draw(st.floats(0.0, 0.5)), k=draw(st.floats(0.5, 1.0)), rho=draw(powers(1, 4)), K_v=draw(powers(0, 4)),
        gamma=draw(powers(-4, 1)))


def stout(s, r):
    """A beam of given shear softness and rotary inertia, both without dimension; all other numbers are 1."""
    return Beam(length=1.0, E=1.0, I=r, A=1.0, G=r/s, k=1.0, mu=1.0)
