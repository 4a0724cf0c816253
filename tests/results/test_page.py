"""The page about the run file is that of the source, and what `fastdyn show` prints of a run is what it is."""

from pathlib import Path

import numpy as np
import pytest
from results.runs import CHAIN, any_run

import fastdyn as fd
from fastdyn.results.spool import Spool
from fastdyn.results.tables import CONTACT, EVENT, LEDGER
from fastdyn.show.contents import contents
from fastdyn.show.run_file_page import page

HOUSE = Path(fd.__file__).parents[1]


def test_the_page_of_the_run_file_is_made_from_the_source():
    written = (HOUSE/"docs"/"run-file.md").read_text()
    assert written == page(), "run: python -m fastdyn.show.run_file_page docs/run-file.md"


@pytest.fixture
def run():
    events, contacts = np.zeros(3, EVENT), np.zeros(4, CONTACT)
    events["event"], contacts["point"], contacts["force"] = [1, 1, 0], [0, 0, 0, 1], [5.0, 7.5, 1.0, 2.0]
    return any_run(events=events, contacts=contacts, ledger=np.ones(7, LEDGER))


def test_contents_tell_what_happened(run, capsys):
    run.t = np.arange(7.0)
    contents(run)
    said = " ".join(capsys.readouterr().out.split())
    for part in ("every bit: 3 links, 10 degrees of freedom", "7 samples, 0 to 6 s", run.message, "3 steps",
                 'events 3: 1 low, 2 höher "?"', "contacts 4: 3 point 0, 1 point 1", "largest force 7.5 N",
                 "4 J at the start", "energy error 0.0e+00 % at most", "rtol 1e-09", "[Angeles & Lee 1988]"):
        assert part in said, part
    assert run.provenance["model"][:16] in said and "numba" in said


def test_contents_of_a_run_of_which_little_is_known(tmp_path, capsys):
    Spool(tmp_path/"a.h5", CHAIN.replace(drive=lambda *given: None)).close()
    contents(fd.open(tmp_path/"a.h5.part"))
    said = " ".join(capsys.readouterr().out.split())
    assert "no sample" in said and "cut off" in said and "had a drive" in said and "nan" not in said.replace("nant", "")
