"""The published falling chain done again: what is printed is what was measured, and what was measured is so."""

import os

import numpy as np
import pytest
from fastdyn import cli
from fastdyn.reproduce import PAPERS, falling_chain, falling_chain_beyond
from fastdyn.run.simulate import simulate
from fastdyn.status import SimulationError


PEAK_BENDS = {"ss-ss-ss": (0.01592, 0.02831), "cc-cc-cc": (0.00713, 0.01489), "sc-cc-cs": (0.00719, 0.01420),
              "cs-ss-sc": (0.01047, 0.02445)}           # m, largest weights of the outer links and of the middle one


@pytest.fixture(scope="module")
def soft():
    return falling_chain.run_of("ss-ss-ss")


def test_contacts_come_in_groups_and_pairs(soft):
    assert falling_chain.counts(soft).tolist() == [7, 4, 4, 7]
    group, other = (falling_chain.first_group(soft, k) for k in (0, 3))
    assert group["force"] == pytest.approx([3666.79, 4148.29, 1345.84], rel=1e-5) and len(other) == 3
    assert falling_chain.first_group(soft, 1)["start"] == pytest.approx([0.521564852, 0.525974115], abs=1e-9)
    places, forces = falling_chain.asymmetry(soft)
    assert 0.0 < places < 1e-6 and 0.0 < forces < 1e-5


def test_a_chain_that_is_not_its_mirror_image_is_told(soft):
    lame = falling_chain.run_of(t_end=0.44, chain=soft.chain.replace(start_q=[-1.37, 0.9, 0.53, 0, -0.52, 0, -0.5, 0]))
    assert falling_chain.asymmetry(lame)[0] > 1e-3 and falling_chain.asymmetry(lame)[1] > 1e-3


def test_friction_is_a_tenth_on_the_tips_and_none_on_the_pins(soft):
    tips, pins, opposite = falling_chain.friction(soft)
    assert tips == pytest.approx(0.1, rel=1e-12) and pins == 0.0 and opposite


def test_weights_and_their_line(soft):
    (outer, outer_mean), (middle, middle_mean) = falling_chain.amplitudes(soft)
    assert (outer, middle) == (pytest.approx(0.01592, abs=1e-5), pytest.approx(0.0283, abs=3e-4))
    assert outer > outer_mean > 0.0 and middle > middle_mean > 0.0
    assert falling_chain.line(soft) == pytest.approx(63.0, abs=1.0)
    soft.q[:, 5] = 0.01*np.sin(2*np.pi*101.0*soft.t)    # the weight of the second link
    assert falling_chain.line(soft) == pytest.approx(101.0, abs=0.1)


def test_the_error_of_the_energy_follows_the_tolerance():
    errors = [np.max(np.abs(falling_chain_beyond.of_tolerance(rtol).energy_error)) for rtol in (1e-3, 1e-5, 1e-7)]
    assert errors[0] > 0.1 and errors[1] < 0.1*errors[0] and errors[2] < 0.1*errors[1]


def test_runs_that_stop_are_no_results(monkeypatch):
    """A row of such a run says when it stopped; of the runs of the claims none may."""
    def stopping(chain, t_end, **words):
        return simulate(chain, t_end, **words, max_steps=500)

    monkeypatch.setattr(falling_chain, "simulate", stopping)
    run = falling_chain_beyond.of_tolerance(1e-6)
    assert not run.ok and falling_chain.contacts_in_words(run) == f"stopped at {run.t[-1]:.3f} s"
    assert set(falling_chain_beyond.by_stepper(1e-6, "ss-ss-ss").split(", ")) & {falling_chain.contacts_in_words(run)}
    with pytest.raises(SimulationError, match="max_steps"):
        falling_chain.report()


def test_the_report_tells_claims_results_and_what_was_not_seen(capsys, tmp_path):
    assert cli.main(["reproduce", "falling-chain", "--out", str(tmp_path)]) == 0
    said = capsys.readouterr().out
    rows = {line.split("│")[1].strip(): line.split("│")[2:-1] for line in said.splitlines() if line.count("│") > 4}
    assert [cell.split()[0] for cell in rows["contacts"]] == ["22", "22", "28", "20"] and "(22)" in rows["contacts"][0]
    assert all(float(cell.split()[0]) < 1e-6 for cell in rows["energy error, largest %"])
    assert all(0.0 < float(cell) < 1e-6 for cell in rows["mirrored joints apart at the end, m"])
    assert [cell.split()[0] for cell in rows["as it is"]] == ["22", "22", "28", "20"]
    assert [rows[name][0].split()[0] for name in (
        "rotary inertia feels the section's spin", "rotary inertia of the section, rho I", "no damping")] \
        == ["26", "20", "24"]
    counts = {name: [cell.split(" (")[0].strip() for cell in rows[name]] for name in ("1", "2", "3", "1, as printed")}
    assert counts["1"] == ["22", "22", "30", "20"] and counts["1, as printed"] == ["22", "22", "28", "20"]
    assert counts["2"] == ["40", "26", "32", "36"] and counts["3"][:2] + counts["3"][3:] == ["52", "22", "26"]
    assert "2, at rtol 1e-9" in rows and rows["1e-06"][0].strip() == "22"
    assert [cell.strip() for cell in rows["1e-09, all"]] == ["22", "22", "28", "20"]
    heaviest = {name: [float(cell) for cell in rows[name]] for name in ("outer links, largest", "middle link, largest")}
    for row, link in zip(heaviest.values(), (0, 1)):
        assert np.allclose(row, [PEAK_BENDS[modes][link] for modes in falling_chain.SETS], rtol=0, atol=1.1e-5)
    ratios = [row[soft]/row[firm] for row in heaviest.values() for soft in (0, 3) for firm in (1, 2)]
    told = " ".join(said.split()).split("The ratio is ")[1].split(" of the largest")[0]
    assert told == f"{min(ratios):.1f} to {max(ratios):.1f}"
    assert set(os.listdir(tmp_path)) == {name + ending for name in falling_chain.SETS for ending in ("", ".html")}
    assert all(os.path.exists(tmp_path/name/"forces.svg") for name in falling_chain.SETS)


@pytest.mark.parametrize("m, modes, count", [
    (2, "ss-ss-ss", 40), (2, "cc-cc-cc", 26), (2, "sc-cc-cs", 32), (2, "cs-ss-sc", 36), (3, "ss-ss-ss", 52),
    (3, "cc-cc-cc", 22), (3, "cs-ss-sc", 26)])
def test_counts_with_more_modes_are_converged(m, modes, count):
    """Another stepper than that of the table gives them too, but for cs-ss-sc with two modes at its tolerance; three
    modes of sc-cc-cs converge with none."""
    fine = falling_chain_beyond.of_modes(modes, m, (1e-11, 1e-13))
    assert [len(run.contacts) for run in fine] == [count, count]
    if (m, modes) != (2, "cs-ss-sc"):
        other = falling_chain.run_of(chain=fine[0].chain, samples=2, stepper="dopri5", rtol=1e-10, atol=1e-13,
                                     event_tol=1e-12)
        assert len(other.contacts) == count


def test_papers_are_listed_and_others_refused(capsys):
    assert cli.main(["reproduce"]) == 0
    assert [line.split(":")[0] for line in capsys.readouterr().out.splitlines()] == list(PAPERS)
    assert cli.main(["reproduce", "falling-chian"]) == 2
    assert capsys.readouterr().err.startswith("fastdyn: paper is ")
