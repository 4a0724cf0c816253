"""The sweeps of beams over lanes fill the widest vector registers, as those of joints do (test_assembly.py)."""

import pytest
from formulations import test_assembly as joints
from formulations.common import JOINTS_IN_PLANE
from formulations.test_assembly import PAGES, arithmetic, assembly, quiet_cosines, sweeps_of, widest
from numba.core.caching import NullCache

from fastdyn._jit import ready
from fastdyn.formulations import recursive
from fastdyn.layout import LANES, PLANE_BEAM

__all__ = ["quiet_cosines", "widest"]
pytestmark = joints.pytestmark
OF_BEAMS = {"plane forward": {"speed", "bending_inward", "outward"}, "plane inverse": {"demand", "shares"}}


@pytest.fixture(scope="module", params=[(name, m, own) for name in OF_BEAMS for m in (1, 2) for own in (False, True)],
                ids=lambda p: f"{p[0]} {p[1]}{' own' if p[2] else ''}")
def page(request, quiet_cosines):
    """name of every sweep of its beams -> its counts"""
    name, m, own = request.param
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(joints, "NUMBERS", {*joints.NUMBERS, "E", "V"})
        variant = recursive.Variant(True, (PLANE_BEAM + m,), unbranched=False)
        sweeps = sweeps_of(PAGES[name].build(LANES, variant, own), {})
        return {sweep: joints.counts(sweeps[sweep]) for sweep in OF_BEAMS[name]}


def test_every_sweep_of_beams_is_a_vector(page, widest):
    lost = {}
    for sweep, n in page.items():
        wide = getattr(n, widest)
        if n.scalar > 1 + joints.HOISTED*wide or n.xmm or n.ymm + n.zmm > wide + 1 + joints.HOISTED*wide:
            lost[sweep] = n
    assert not lost
    assert all(getattr(n, widest) > 3 for n in page.values())


def test_nothing_is_lost_on_the_way_into_the_kernel(quiet_cosines, widest):
    """Beams of one mode among joints of all kinds: the kernel has the vector arithmetic of all its sweeps."""
    variant = recursive.Variant(True, (*JOINTS_IN_PLANE, PLANE_BEAM + 1), unbranched=False)
    sweeps = sweeps_of(PAGES["plane forward"].build(LANES, variant, False), {})
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(joints, "NUMBERS", {*joints.NUMBERS, "E", "V"})
        inner = {part for sweep in sweeps.values() for part in sweeps_of(sweep, {})}
        alone = sum(getattr(joints.counts(sweep), widest) for part, sweep in sweeps.items() if part not in inner)
    kernel = recursive._forward.__wrapped__(variant, LANES, False)
    kernel._cache = NullCache()                                      # what comes from the disk has no assembly
    assert arithmetic(assembly(ready(kernel)), widest) >= 0.95*alone
