"""The printed modes are those of the unrounded section, and one of their own kind of shape."""

import numpy as np
import pytest

from beams.common import STEEL, TABLE_STEEL, TABLES
from fastdyn import ModelError
from fastdyn.beams import PrintedMode, integrals, mode
from fastdyn.beams.printed import TABLE

ASKED = ("W", "dW", "ddW", "Theta", "dTheta")
printed_ends = pytest.mark.parametrize("ends", ["ss", "cc", "sc", "cs"])


@printed_ends
def test_the_unrounded_section_gives_every_printed_digit(ends):
    m, row = mode(STEEL, ends, 1), TABLE[ends]
    assert m.alpha == pytest.approx(row.al, rel=1e-15, abs=0)
    np.testing.assert_allclose(m.coefficients(), row.W, rtol=0, atol=1e-13)
    C1, C2, C3, C4 = m.coefficients()
    a, b = m.turn[0]*m.alpha, m.turn[1]*m.beta
    np.testing.assert_allclose([a*C1, -a*C2, b*C3, b*C4], row.Theta, rtol=0, atol=1e-13)
    assert ends == "ss" or m.beta == pytest.approx(row.be, rel=1e-15, abs=0)


@printed_ends
def test_they_can_be_asked_what_computed_modes_can(ends):
    m, known, eta = mode(STEEL, ends, 1), PrintedMode(ends), np.linspace(0.0, 1.0, 101)
    for name, size in zip(ASKED, (1.0, 5.0, 25.0, 5.0, 25.0)):
        np.testing.assert_allclose(getattr(known, name)(eta), getattr(m, name)(eta), rtol=0, atol=1e-13*size)


@printed_ends
def test_integrals_of_the_published_problem(ends):
    known, found = TABLES[f"{ends}_table2"], integrals(TABLE_STEEL, [PrintedMode(ends)])
    for values, name in ((found.K, "K"), (found.D, "D"), (found.a, "int_W"), (found.c, "int_etaW")):
        np.testing.assert_allclose(values, known[name], rtol=1e-14)
    np.testing.assert_allclose(found.C[0], known["int_WW"], rtol=2e-15)
    np.testing.assert_allclose(found.S, known["Theta_l"], rtol=0, atol=1e-13)


@printed_ends
def test_on_a_link_of_another_length(ends):
    short, long, xi = PrintedMode(ends), PrintedMode(ends, length=2.5), np.linspace(0.0, 1.0, 11)
    for name, power in zip(ASKED, (0, 1, 2, 1, 2)):
        np.testing.assert_allclose(getattr(long, name)(2.5*xi)*2.5**power, getattr(short, name)(xi), rtol=0, atol=1e-12)


@pytest.mark.parametrize("words, said", [
    (("cf",), 'printed mode is \'cf\'; known are "ss", "cc", "sc", "cs"'), (("ss", 0.0), "length is 0 m"),
])
def test_refusals(words, said):
    with pytest.raises(ModelError, match=said):
        PrintedMode(*words)
