"""What is shown of the published falling chain, simulated: three touches at first, 22 in all, where the energy went."""

import numpy as np
import pytest
from show.pictures import panels, parsed

import fastdyn as fd
from fastdyn.describe.catalog import falling_chain
from fastdyn.show.summary import summary
from fastdyn.show.traces import hardest, points_of, speeds_of


@pytest.fixture(scope="module")
def fall():
    return fd.simulate(falling_chain(), 1.5, samples=1501)


def test_the_published_chain_touches_three_times_at_first(fall):
    _, first, hardest, _, slip, none = panels(parsed(fd.plot(fall, figures="forces")["forces"].svg))
    curve = dict(first.curves)["#0072b2"]
    high = curve[:, 1] > 0.1
    assert np.count_nonzero(np.diff(high.astype(int)) == 1) == 3
    assert abs(curve[:, 1].max() - 4.148) < 0.012 and abs(dict(hardest.curves)["#009e73"][:, 1].max() - 9.379) < 0.025
    assert slip.curves[0][1][:, 1].max() > 400 and np.abs(none.curves[1][1][:, 1]).max() < 0.05


def test_velocities_show_what_an_impact_does(fall):
    """A sample a millisecond says nothing of an impact of 0.8 ms; the steps in it do."""
    start, end = hardest(fall)
    drawn = panels(parsed(fd.plot(fall, figures="velocities", zoom=(start, end))["velocities"].svg))
    assert max(len(curve) for _, curve in drawn[3].curves) > 20
    points = points_of(fall)
    for k in range(len(points.names)):
        t, v = speeds_of(fall, points, k)
        inside = (t > start) & (t < end)
        dense = fd.simulate(fall.chain, 1.5, times=t[inside])
        assert np.allclose(dense.point_velocities[:len(t[inside]), k], v[inside], rtol=0, atol=1e-7)
        assert np.all(np.diff(t) > 0.0)
    assert np.count_nonzero(inside) in (0, 1)               # the last point does not touch then


def test_away_from_a_terminal_no_row_of_the_closing_table_is_folded(fall, capsys, monkeypatch):
    monkeypatch.setenv("COLUMNS", "60")
    summary(fall)
    said = capsys.readouterr().out
    assert next(line for line in said.splitlines() if line.startswith("energy error")).endswith("less the work done")


def test_the_closing_table_tells_contacts_and_the_ledger(fall, capsys):
    summary(fall)
    said = " ".join(capsys.readouterr().out.split())
    for row in ("link1 7 0.428352937 4230.78 0.9436 0.753 to 0.859", "link2 4 0.521564852", "link3.tip 7",
                "all 22 0.428352937 9378.8"):
        assert row in said
    lost = [float(said.split(f"work of {who}")[1].split()[0])
            for who in ("the air", "damping in links", "normal forces", "friction")]
    assert all(work < 0.0 for work in lost)
    start, end = map(float, said.split("sum")[1].split()[:2])
    assert abs(start - 36.297) < 1e-3 and abs(end - start - sum(lost)) < 1e-3
    assert sum(float(said.split(name)[1].split()[1]) for name in ("kinetic", "gravity", "strain")) \
        == pytest.approx(end, abs=1e-6)
    assert float(said.split("energy error")[1].split()[0]) < 1e-6
