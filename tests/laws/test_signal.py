"""Signals in numbers: constants, sines, tables with straight lines between their rows and ends that hold."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from strategies import signals

from fastdyn import Constant, Fourier, Sine, Table
from fastdyn.describe.forces import Signals
from fastdyn.laws.signal import signal_value

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
