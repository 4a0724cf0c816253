"""Signals in numbers: constants, sines, tables with straight lines between their rows and ends that hold."""

import mpmath
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from strategies import signals

from fastdyn import Constant, Fourier, Sine, Table
from fastdyn.describe.forces import Signals
from fastdyn.describe.pieces import roots_of_one
from fastdyn.laws.signal import signal_value
from fastdyn.layout import PIECES, SIGNAL_C, SIGNAL_KIND

pytestmark = pytest.mark.kernels
times = st.floats(-2.0, 8.0) | st.integers(-20, 80).map(lambda k: k/10)


def value(signal, t, before=()):
    """Of a signal that stands behind others in the arrays"""
    kept = Signals()
    number = [kept.number(s) for s in (*before, signal)][-1]
    arrays = kept.arrays()
    return signal_value(arrays["signal"], arrays["table"], number, float(t))


@pytest.mark.parametrize("t", [-3.0, 0.0, 0.25, 1e6])
def test_in_closed_form(t):
    assert value(Constant(2.5), t) == 2.5
    assert value(Sine(amplitude=3.0, omega=2.0, phase=0.5, offset=-1.0), t) == pytest.approx(
        -1.0 + 3.0*np.sin(2.0*t + 0.5), rel=1e-15, abs=1e-14)


@pytest.mark.parametrize("t", [-3.0, 0.0, 0.25, 40.0])
def test_a_fourier_series_term_by_term(t):
    cosine, sine, k = np.cos(np.arange(20)), np.sin(np.arange(12)), np.arange(1, 21)
    expected = 0.7 + cosine @ np.cos(1.3*k*t) + sine @ np.sin(1.3*k[:12]*t)
    series = Fourier(1.3, tuple(cosine), tuple(sine), 0.7)
    assert value(series, t) == pytest.approx(expected, abs=1e-11)
    assert value(series, t, before=(Table([0.0, 9.0], [7.0, 8.0]), series)) == value(series, t)
    assert value(Fourier(2.0, offset=3.0), t) == 3.0


@pytest.mark.parametrize("terms, fall", [(12, 0.0), (40, 0.0), (60, 0.7), (300, 0.02)])
def test_many_terms_become_polynomials_good_to_rounding(terms, fall):
    """Against 30 digits, also far from the start and before it, and across the borders of cells."""
    k, rng = np.arange(1, terms + 1), np.random.default_rng(terms)
    cosine, sine = (tuple(rng.normal(size=terms)*np.exp(-fall*k)) for _ in range(2))
    kept = Signals()
    number = kept.number(Fourier(0.9, cosine, sine, 0.4))
    arrays = kept.arrays()
    assert arrays["signal"][0, SIGNAL_KIND] == PIECES
    cells, lap = arrays["signal"][0, SIGNAL_C], 2.0*np.pi/0.9
    borders = (rng.integers(0, cells, 6) + 0.5)*lap/cells
    largest = np.sum(np.hypot(cosine, sine))
    slope = np.sum(k*np.hypot(cosine, sine))
    with mpmath.workdps(30):
        for t in [-1.7, 0.0, 300.0*lap, *rng.uniform(0.0, lap, 6), *borders, *np.nextafter(borders, lap)]:
            angle = mpmath.mpf(0.9)*mpmath.mpf(float(t))
            exact = 0.4 + mpmath.fsum(a*mpmath.cos(n*angle) + b*mpmath.sin(n*angle)
                                      for n, a, b in zip(k.tolist(), cosine, sine))
            found = signal_value(arrays["signal"], arrays["table"], number, float(t))
            assert abs(found - exact) < 1e-15*largest + 4e-16*abs(0.9*t)*slope


def test_roots_of_one_are_the_nearest_doubles():
    cosine, sine = roots_of_one(64)
    with mpmath.workdps(30):
        for n in range(64):
            angle = 2*mpmath.pi*n/64
            assert abs(cosine[n] - mpmath.cos(angle)) <= 2.0**-54 and abs(sine[n] - mpmath.sin(angle)) <= 2.0**-54


@pytest.mark.parametrize("t, expected", [(-1.0, 4.0), (0.0, 4.0), (0.5, 3.0), (1.0, 2.0), (1.5, 2.0), (2.0, 2.0),
                                         (2.5, 1.0), (3.0, 0.0), (3.25, 2.0), (3.5, 4.0), (99.0, 4.0)])
def test_a_table_row_by_row(t, expected):
    table = Table([0.0, 1.0, 2.0, 3.0, 3.5], [4.0, 2.0, 2.0, 0.0, 4.0])
    assert value(table, t) == expected
    assert value(table, t, before=(Table([0.0, 9.0], [7.0, 8.0]), Constant(1.0))) == expected


@settings(max_examples=100)
@given(signals().filter(lambda s: isinstance(s, Table)), times)
def test_tables_as_numpy_reads_them(table, t):
    assert value(table, t) == pytest.approx(np.interp(t, table.time, table.value), rel=1e-14, abs=1e-14)
