"""Springs of closures that steps have made ring: runs that are wrong for it say so, runs that are right do not."""

import numpy as np
import pytest
from msgspec.structs import replace

import fastdyn as fd
from fastdyn.describe import rrr


def rose(ks, stepper, rtol, **words):
    chain = fd.catalog.rrr_rose("P0", method="mdenoc", ks=ks)
    return fd.simulate(chain, 6.0, stepper=stepper, rtol=rtol, atol=1e-3*rtol, **{"samples": 301} | words).check()


def off(run):
    """m off the path."""
    return np.abs(run.q[:, 6:8] - rrr.rose(run.t, rrr.CASES["P0"][0])[0]).max()


@pytest.mark.parametrize("ks, stepper, rtol, least", [
    (1e8, "dopri5", 1e-3, 0.05), (1e7, "dopri5", 1e-3, 0.01), (1e8, "rkf45", 1e-4, 0.01), (1e8, "adams", 1e-3, 0.05),
    (1e5, "dopri5", 1e-2, 0.1)])
def test_springs_that_ring_by_the_steps_are_told(ks, stepper, rtol, least):
    """However few samples there are."""
    for samples in (301, 2):
        run = rose(ks, stepper, rtol, samples=samples)
        note, = run.notes
        assert note.startswith('closure[0] "I", closure[1] "II", closure[2] "III": springs that hold')
        assert f"give less than {rtol:g}" in note
    assert off(rose(ks, stepper, rtol)) > least


@pytest.mark.parametrize("ks, stepper, rtol, most", [
    (1e8, "dopri5", 2.4e-4, 5e-5), (1e8, "dop853", 1e-3, 5e-5), (1e8, "radau5", 1e-3, 5e-5), (1e7, "rkf45", 1e-4, 5e-4),
    (1e7, "adams", 1e-4, 5e-4), (1e4, "dopri5", 1e-3, 0.05), (1e4, "rkf45", 1e-5, 0.05)])
def test_where_the_platform_is_as_near_as_springs_let_it_nothing_is_said(ks, stepper, rtol, most):
    for samples in (301, 2):
        run = rose(ks, stepper, rtol, samples=samples)
        assert run.notes == () and off(run) < most


@pytest.mark.parametrize("stepper", ["dop853", "dopri5", "radau5"])
@pytest.mark.parametrize("stiffness, damping", [(1e6, 0.0), (1e6, 100.0), (1e7, 0.0)])
def test_of_what_rounding_does_at_rest_nothing_is_said(stepper, stiffness, damping):
    """Gaps of 1e-17 m at the start, no gravity: energies of 1e-20 J are all there is, a million times the springs'."""
    chain = fd.catalog.four_bar()
    q = fd.assemble(chain, np.array(chain.start_q) + 0.3)
    springs = [replace(c, stiffness=stiffness, damping=damping) for c in chain.closures]
    run = fd.simulate(chain.replace(gravity=(0.0, 0.0, 0.0), closures=springs), 1.0, q, np.zeros(3), stepper=stepper)
    assert run.check().notes == () and np.abs(fd.gaps(run.chain, run.q)).max() < 1e-12


def test_ringing_that_was_there_is_the_chain_s_own():
    """A window that is let go with a stretched spring rings with what it was given, a thousand times what swings."""
    bars = [fd.Link(name=name, length=1.0, mass=1.0) for name in ("crank", "coupler", "rocker")]
    chain = fd.Chain([*bars[:2], fd.Link(name="rocker", parent="base", at=(1.0, 0.0, 0.0), length=1.0, mass=1.0)],
                     closures=[fd.Closure(kind="pin", a="coupler.tip", b="rocker.tip", stiffness=1e6)])
    run = fd.simulate(chain, 1.0, [1.0, -1.0, 1.05], stepper="dopri5", rtol=1e-4).check()
    assert run.notes == () and run.ledger["spring"].max() > 1e3
