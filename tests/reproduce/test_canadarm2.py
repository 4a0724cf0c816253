"""The table of the space arm's first contact by the number of modes, as the command prints it."""

import os

from fastdyn import cli
from fastdyn.reproduce import canadarm2


def test_the_report_tells_the_first_contact_by_modes(capsys, tmp_path, monkeypatch):
    monkeypatch.setattr(canadarm2, "MODES", (2, 4))
    assert cli.main(["reproduce", "canadarm2", "--out", str(tmp_path)]) == 0
    said = capsys.readouterr().out
    rows = [[cell.strip() for cell in line.split("│")[1:-1]] for line in said.splitlines() if line.count("│") > 4]
    assert rows[-2][:4] == ["2", "0.645011605", "0.648189882", "64.92"]
    assert rows[-1][:4] == ["4", "0.645017623", "0.654125961", "47.79, 19.54, 25.45"]
    assert "The first peak is 47.8 kN with 4" in " ".join(said.split())
    drawn = os.listdir(tmp_path)
    assert drawn and all(f"{name}: with 4 modes" in " ".join(said.split()) for name in drawn)
