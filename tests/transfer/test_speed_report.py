"""The report on speed is well-formed, and what it races computes the same motion; no figure is judged here."""

import json
import math

from perf import bending, transfer


def test_the_report(tmp_path, capsys):
    code = transfer.main(["--core", "-1", "--seconds", "0.001", "--results", str(tmp_path), "--lengths", "3", "40"])
    content = json.loads((tmp_path/"transfer.json").read_text())
    assert code == 0 and content.keys() >= {"report", "place", "contention", "machine", "figures", "arm"}
    codes = {"torsion": ("ours", "lanes", "equal", "tridiagonal", "cholesky", "solveh_banded"),
             "bending": ("ours", "hinged", "blocks", "cholesky", "solveh_banded")}
    assert {(f["chain"], f["code"], f["n"]) for f in content["figures"]} == {
        (chain, code, n) for chain, names in codes.items() for code in names for n in (3, 40)}
    assert all(0.0 < f["ns"] <= f["ns_median"] for f in content["figures"])
    assert all(f["difference"] < {"torsion": 1e-13, "bending": 1e-12}[f["chain"]] for f in content["figures"])
    assert math.isfinite(content["arm"]["ns"]) and content["arm"]["links"] == 21
    printed = capsys.readouterr().out
    assert "ns per link and step" in printed and "ours: at most 12 ns wanted" in printed


def test_what_it_compares_is_not_trivial():
    """A step that forgets the damper is seen by the comparison."""
    right, wrong = transfer.Compiled(5), transfer.Compiled(5)
    wrong.c[:] = 0.0
    for code in (right, wrong):
        code.run(transfer.CHECKED)
    assert abs(right.angles()[0][-1] - wrong.angles()[0][-1]) > 1e-3*abs(right.angles()[0][-1])


def test_nor_is_the_beam():
    """A solver with stiffer elements, or with factors of a lighter one, is seen."""
    for spoil in ("beside", "factors"):
        right, wrong = bending.Blocks(5), bending.Blocks(5)
        getattr(wrong, spoil)[:] *= 1.1
        for code in (right, wrong):
            code.run(transfer.CHECKED)
        assert abs(right.angles()[0][-2] - wrong.angles()[0][-2]) > 1e-3*abs(right.angles()[0][-2])
