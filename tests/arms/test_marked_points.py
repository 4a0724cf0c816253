"""Points along links that meet planes: where the modes take them, and as a shorter link's end would."""

from dataclasses import replace

import numpy as np
import pytest

from fastdyn.arms import Body, FlexibleLink, Joint, Link, Plane, SpatialArm, point

BODY = Body(1.0, (0.2, 0.0, 0.0), (0.02, 0.05, 0.05))
FLOOR = Plane(0, (0.0, -0.3, 0.0), (0.0, 1.0, 0.0), (1.0, 0.0, 0.0), "lankarani-nikravesh",
              {"stiffness": 1e5, "restitution": 0.8}, "tanh", {"mu": 0.3})


def test_a_point_of_a_rigid_link_is_the_end_of_a_shorter_one():
    long, short = (SpatialArm((Link(Joint(), tip=tip, proximal=(BODY,)),), (0.0, -9.81, 0.0),
                              (replace(FLOOR, eta=eta),))
                   for tip, eta in (((0.8, 0.6, 0.0), 0.7), ((0.56, 0.42, 0.0), None)))
    runs = [arm.simulate(0.8, rtol=1e-9) for arm in (long, short)]
    assert len(runs[0].contacts) == len(runs[1].contacts) > 0
    assert np.abs(runs[0].q[-1] - runs[1].q[-1]).max() < 1e-9
    assert point(long, [0.3], [0.0], eta=0.7).place == pytest.approx(point(short, [0.3], [0.0]).place, abs=1e-15)


def test_the_middle_of_a_bent_link_strikes():
    """Middle and end each have a floor of their own; the middle meets it where its deflection takes it."""
    beam = FlexibleLink(1.0, 1.0, 1e5, 10.0, 10.0, 5.0, 1e-3, 1e-3, (1, 3, 1, 1))
    planes = replace(FLOOR, eta=0.5), replace(FLOOR, point=(0.0, -0.9, 0.0))
    arm = SpatialArm((Link(Joint(), beam),), (0.0, -9.81, 0.0), planes)
    run = arm.simulate(0.5, rtol=1e-9, samples=501)
    first = run.contacts[0]
    assert first.plane == 0 and np.abs(run.balance).max() < 1e-8
    q = arm.simulate(first.start, rtol=1e-9).q[-1]
    here = point(arm, q, 0.0*q, eta=0.5).place
    assert here[1] == pytest.approx(-0.3, abs=1e-7)
    assert abs(0.5*np.sin(q[0]) + 0.3) > 1e-3                # where the straight link would be is elsewhere
    depth = -0.3 - point(arm, run.q, run.v, eta=0.5).place[:, 1]
    assert 0.5*max(c.depth for c in run.contacts) < depth.max() <= max(c.depth for c in run.contacts) + 1e-6
