"""The table of a motion: every bit of it comes back, names tell the columns, and it is written whole or not at all."""

import csv
import os

import numpy as np
import pytest

import fastdyn as fd
from fastdyn.results.run import Run
from fastdyn.results.table import write_table


@pytest.fixture
def motion():
    joints = [fd.Free(), fd.Spherical(), fd.Revolute()]
    names = ["base, loose", 'say "hand"', "c"]
    chain = fd.Chain([fd.Link(name=n, length=1.0, mass=1.0, radius=0.1, joint=j) for n, j in zip(names, joints)])
    rows = np.random.default_rng(3).normal(size=(4, chain.nq + chain.nv + 3))*10.0**np.arange(-6, 19)
    q, v = rows[:, 1:chain.nq + 1], rows[:, chain.nq + 1:-2]
    run = Run(chain, rows[:, 0], q, v)
    run._energies = rows[:, -2], rows[:, -1]
    return run


def test_every_bit_comes_back_under_its_name(motion, tmp_path):
    write_table(tmp_path/"a.csv", motion)
    with open(tmp_path/"a.csv", newline="") as file:
        names, *rows = csv.reader(file)
    assert names[:2] == ["t", "q.base, loose.x"] and names[8] == 'q.say "hand".qw' and names[12] == "q.c"
    assert names[13] == "v.base, loose.vx" and names[22:] == ["v.c", "kinetic", "potential", "energy"]
    written = np.array(rows, dtype=float)
    expected = [motion.t, *motion.q.T, *motion.v.T, motion.kinetic, motion.potential, motion.energy]
    assert np.array_equal(written.T, expected)


def test_a_disk_in_trouble_leaves_the_old_table_and_nothing_else(motion, tmp_path, monkeypatch):
    (tmp_path/"a.csv").write_text("old")

    def full(*args):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(OSError, match="No space"):
        write_table(tmp_path/"a.csv", motion)
    assert [path.name for path in tmp_path.iterdir()] == ["a.csv"] and (tmp_path/"a.csv").read_text() == "old"
