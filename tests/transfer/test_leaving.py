"""What a run leaves on the disk: a table that reads back to the bit, a picture."""

import numpy as np
import pytest

from fastdyn.transfer import beam_arm, torsion_chain
from fastdyn.transfer.pictures import plot
from fastdyn.transfer.tables import write_table

RUNS = {"torsion-chain": lambda: torsion_chain(7).simulate(2.0, 0.05),
        "beam-arm": lambda: beam_arm(3).simulate(1.0, 0.02)}


@pytest.mark.parametrize("name", RUNS)
def test_a_table_reads_back(name, tmp_path):
    run = RUNS[name]()
    write_table(tmp_path/"run.csv", run)
    lines = (tmp_path/"run.csv").read_text().splitlines()
    numbers = np.array([[float(x) for x in line.split(",")] for line in lines[1:]])
    expect = np.column_stack([run.t, run.angles, run.velocities, *run.energies.values(), run.energy])
    assert np.array_equal(numbers, expect) and len(lines[0].split(",")) == expect.shape[1]
    assert lines[0].split(",")[1] == ("angle.hub" if name == "beam-arm" else "angle.link1")


@pytest.mark.parametrize("name", RUNS)
def test_a_picture_shows_links_and_energies(name, tmp_path):
    plot(tmp_path/"run.svg", RUNS[name]())
    text = (tmp_path/"run.svg").read_text()
    words = [name, "strain", "kinetic", "Angles"] + (["hub", "Tip"] if name == "beam-arm" else ["link1", "link7"])
    assert text.startswith("<svg") and all(word in text for word in words) and text.count("<path") > 5
