"""The doctor sees what is there, says what is wrong, and answers with its exit code."""

import ast
import json
import os
from pathlib import Path

import numpy as np
import pytest

import fastdyn
from fastdyn import _cache, doctor
from fastdyn._jit import KERNELS, float64, int64, kernel
from fastdyn.describe.joints import JOINTS

ROOMS = [Path(_cache.ROOT)/room for room in doctor.KERNEL_ROOMS]


def test_forward_and_inverse_dynamics_agree_here():
    check = doctor.self_check()
    assert check["error"] is None and check["ok"] and 0.0 <= check["defect"] < 1e-12 and check["seconds"] > 0.0


@pytest.mark.parametrize("spoil", [lambda tau: tau*(1.0 + 1e-9), lambda tau: tau*np.nan, lambda tau: 1/0])
def test_wrong_dynamics_are_noticed(monkeypatch, capsys, spoil):
    right = fastdyn.inverse_dynamics
    monkeypatch.setattr(fastdyn, "inverse_dynamics", lambda *args: spoil(right(*args)))
    assert not doctor.self_check()["ok"]
    assert doctor.main() == 1 and "no" in capsys.readouterr().out


@pytest.mark.parametrize("spoil", ["road", "lanes", "number"])
def test_wrong_dynamics_in_space_are_noticed(monkeypatch, spoil):
    """A road that is off, a lane with other bits, an answer that is no number."""
    right = fastdyn.forward_dynamics

    def wrong(chain, q, v, tau, **words):
        acc, many = right(chain, q, v, tau, **words), np.ndim(q) == 2
        if chain.planar:
            return acc
        return {"road": acc*(1.0 + 1e-9*bool(words)), "lanes": np.nextafter(acc, np.inf) if many else acc,
                "number": acc*np.nan}[spoil]

    assert doctor.self_check()["ok"]
    monkeypatch.setattr(fastdyn, "forward_dynamics", wrong)
    assert not doctor.self_check()["ok"]


def test_the_chain_of_the_self_check_has_every_joint_and_step():
    from fastdyn.layout import FIXED, SCREW, STEP

    chain = doctor.all_joints()
    assert {link.joint.kind for link in chain.links} == set(JOINTS) - {"free-planar"}
    assert set(chain.model.row[:, STEP].tolist()) == set(range(SCREW, FIXED + 1))


def test_the_report_is_plain_and_printed_whole(capsys):
    facts = doctor.report()
    assert json.loads(json.dumps(facts)) == facts
    assert facts["versions"]["numpy"] == np.__version__
    assert 1 <= facts["processor"]["cores_usable"] <= facts["processor"]["cores"]
    assert doctor.main() == 0
    printed = capsys.readouterr().out
    assert all(version in printed for version in facts["versions"].values()) and facts["processor"]["name"] in printed


@pytest.mark.parametrize("features, bits, avx512", [
    ("+avx,+avx2,+avx512f,+sse2", 512, True),
    ("+avx,+avx2,-avx512f,+sse2", 256, False),
    ("-avx,-avx2,-avx512f,+sse2", 128, False),
    ("", 64, False),
])
def test_the_vector_unit_is_the_one_kernels_are_compiled_for(monkeypatch, features, bits, avx512):
    monkeypatch.setattr(_cache, "target", lambda: ("x86_64-unknown-linux-gnu", "generic", features))
    facts = doctor.processor()
    assert (facts["vector_bits"], facts["avx512"], facts["name"]) == (bits, avx512, "generic")


def test_a_refused_cache_is_explained_and_no_failure(tmp_path, monkeypatch, capsys):
    (tmp_path/"file").touch()
    with pytest.warns(RuntimeWarning):
        refused = _cache.Folder(str(tmp_path/"file"), lambda: "0"*32)
    monkeypatch.setattr(_cache, "folder", lambda: refused)
    facts = doctor.report()["cache"]
    assert "cannot be made" in facts["refused"] and not facts["writable"] and facts["entries"] == 0
    assert doctor.main() == 0 and "cannot be made" in " ".join(capsys.readouterr().out.split())


def test_every_kernel_of_the_kernel_rooms_is_listed():
    doctor.import_kernel_rooms()
    written = set()
    for path in [path for room in ROOMS for path in sorted(room.glob("*.py"))]:
        for node in ast.parse(path.read_text()).body:
            for call in getattr(node, "decorator_list", ()):
                if isinstance(call, ast.Call) and getattr(call.func, "id", "") == "kernel":
                    written.add(f"fastdyn.{path.parent.name}.{path.stem}:{node.name}")
    assert written and written <= KERNELS.keys()


def test_warmup_readies_every_kernel_and_says_which_failed(monkeypatch, capsys):
    @kernel(float64(float64))
    def good(x):
        return x + 1.0

    @kernel(float64(int64))
    def bad(x):
        return x.nowhere

    listed = {}
    monkeypatch.setattr(doctor, "KERNELS", listed)
    monkeypatch.setattr(doctor, "import_kernel_rooms", lambda: listed.update({"here:good": good}))
    assert doctor.warmup() == 0
    printed = capsys.readouterr().out
    assert "s  here:good" in printed and "1 kernels, 0 failed" in printed
    if os.environ.get("NUMBA_DISABLE_JIT", "0") == "0":
        assert len(good.signatures) == 1
        listed["here:bad"] = bad
        assert doctor.warmup() == 1
        printed = capsys.readouterr()
        assert "here:bad: " in printed.err and "nowhere" in printed.err and "2 kernels, 1 failed" in printed.out
