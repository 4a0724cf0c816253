"""The 3RRR robot done again: what is printed is what was measured, and errors go as springs say."""

import math

import numpy as np
import pytest
from fastdyn._address import handle_of
from fastdyn.describe.catalog import rrr_rose
from fastdyn.formulations import rates
from fastdyn.layout import work_of
from fastdyn.reproduce import rrr
from fastdyn.run.dynamics import forward_dynamics
from fastdyn.steppers.outside import right_hand_side


def test_gaps_go_as_one_over_the_stiffness():
    found = rrr.study(True, rrr.IMPLICIT, (1e4, 1e5, 1e6))
    gaps = [row[3] for row in found.values()]
    assert gaps[0]/gaps[1] == pytest.approx(10.0, rel=0.06) and gaps[1]/gaps[2] == pytest.approx(10.0, rel=0.01)
    assert math.log(gaps[1]) == pytest.approx(-7.40, abs=0.01)      # half of what the closed start rings to


def test_the_closed_start_rings_as_published():
    """Natural logarithms of the specification's own runs; the errors of steps at rtol 1e-3 are of that size too."""
    (_, steps, _, gaps, off), = rrr.study(False, rrr.EXPLICIT | {"rtol": 1e-6, "atol": 1e-9}, (1e5,)).values()
    assert math.log(gaps) == pytest.approx(-6.87, abs=0.15) and math.log(off) == pytest.approx(-4.20, abs=0.15)
    assert steps > 2000


def test_held_exactly_it_stays_on_the_path():
    _, run = rrr.quickest(rrr_rose("P0"), rtol=1e-9, atol=1e-12)
    gaps, off = rrr.errors(run)
    assert gaps < 1e-12 and off < 1e-9


def test_scipy_is_given_the_same_right_hand_side():
    chain = rrr_rose("P0")
    f = right_hand_side(rates.rate(chain.model), handle_of(chain.model, work_of(chain.model), chain.nq))
    q, v = chain.start_state()
    dy = f(0.3, np.concatenate([q, v]))
    assert np.array_equal(dy, np.concatenate([v, forward_dynamics(chain, q, v, t=0.3)]))


def test_the_report(monkeypatch, capsys, tmp_path):
    monkeypatch.setattr(rrr, "CLAIMED", {1e1: 0.576, 1e5: 11.9, 1e7: 160.6, 1e8: 499.4})
    monkeypatch.setattr(rrr, "study", lambda preloaded, words: {
        ks: (0.1, 100, 1000, 60.0/ks, 1.0/ks) for ks in rrr.CLAIMED})
    monkeypatch.setattr(rrr, "T_END", 0.1)
    monkeypatch.setattr(rrr, "REPEATS", 1)
    monkeypatch.setattr(rrr, "scipy_run", lambda chain, method, rtol, atol: (1.25, 4321, 1e-5))
    rrr.report(str(tmp_path))
    printed = capsys.readouterr().out
    assert "499.4" in printed and "to the power -1.00" in printed and "held exactly" in printed
    assert "4321" in printed and "BDF" in printed
    assert (tmp_path/"rrr.svg").read_text().startswith("<svg")
