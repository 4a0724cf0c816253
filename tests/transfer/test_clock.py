"""What a run says of its time: steps alone, no kernel is loaded or compiled while the clock runs."""

import time
from types import SimpleNamespace

import pytest

from fastdyn import _jit
from fastdyn.transfer import BeamArm, arm_run, bending_run, cantilever, stepping, torsion_chain


@pytest.mark.parametrize("system, page, words", [
    (torsion_chain(3), stepping, {}), (torsion_chain(3), stepping, {"form": "product"}),
    (torsion_chain(3), stepping, {"scheme": "houbolt"}), (BeamArm(n=3, tip_force=(0.0, 1.0)), arm_run, {}),
    (BeamArm(n=3, tip_force=(0.0, 1.0)), arm_run, {"scheme": "houbolt"}), (cantilever(1), bending_run, {"elements": 1}),
    (cantilever(1), bending_run, {"scheme": "houbolt", "elements": 1}),
    (cantilever(1), bending_run, {"form": "product", "elements": 1}),
])
@pytest.mark.filterwarnings("ignore::fastdyn.transfer.PrecisionWarning")
def test_kernels_are_ready_before_the_clock_runs(system, page, words, monkeypatch):
    """All that is asked for while it runs was asked for before."""
    before, during, running = set(), set(), []

    def clock():
        running.append(True)
        return time.monotonic()

    def ready(kernel):
        (during if len(running) == 1 else before).add(kernel)
        return _jit.ready(kernel)

    monkeypatch.setattr(page, "ready", ready)
    monkeypatch.setattr(page, "time", SimpleNamespace(perf_counter=clock))
    system.simulate(0.1, 0.01, **words)
    assert len(running) == 2 and before and during <= before
