"""What a theory of second order leaves: the beam that is spun up beside a chain of rigid bars on springs, any bend."""

import numpy as np
import pytest

import fastdyn as fd
from arms.words import stored

HUB = 1e9                                                   # kg m^2, so heavy that the beam does not slow it


def lag(bars, length, mass, EI, rate, t_end):
    """The largest way the tip stays behind, m, of a beam that is spun up within 15 s; hinges between equal bars"""
    h = length/bars
    drive = fd.Sine(-HUB*rate/15.0, 2.0*np.pi/15.0, phase=np.pi/2, offset=HUB*rate/15.0)
    links = [fd.Link(joint=fd.Revolute(drive=(drive,)), body=fd.Body(mass=1.0, inertia=(HUB, HUB, HUB)))]
    links += [fd.Link(length=h, mass=mass*h, at=None if k else (0.0, 0.0, 0.0),
                      joint=fd.Revolute(stiffness=(1.0 if k else 2.0)*EI/h)) for k in range(bars)]
    times = np.linspace(6.3, t_end, 141)
    run = fd.simulate(fd.Chain(links, gravity=(0.0, 0.0, 0.0)), t_end, times=times, rtol=1e-9, atol=1e-10).check()
    aside = -h*np.sin(np.cumsum(run.q[:, 1:], axis=1)).sum(axis=1)
    some = slice(np.argmax(aside) - 2, np.argmax(aside) + 3)
    course = np.polyfit(run.t[some] - run.t[some][2], aside[some], 4)
    return np.polyval(course, np.linspace(-0.01, 0.01, 2001)).max()


@pytest.mark.parametrize("beam, t_end, expected, least, most", [
    ((10.0, 1.2, 1.4e4, 6.0), 7.0, 0.57375, 0.003, 0.005),
    ((8.0, 2766.67*7.2968e-5, 6.8952e10*8.2189e-9, 6.0), 6.9, 0.75053, 0.009, 0.012),
])
def test_the_gap_to_bars_is_that_of_the_theory(beam, t_end, expected, least, most):
    coarse, fine = (lag(bars, *beam, t_end) for bars in (16, 32))
    exact = fine + (fine - coarse)/3.0                      # the error of hinges goes as the square of the bars' length
    assert exact == pytest.approx(expected, abs=1e-5)
    kind = {10.0: "kane", 8.0: "wuhaug"}[beam[0]]
    second_order, = (-record["max_lag"][1] for record in stored("spinup") if record["foreshortening"] and (
        record["beam"], record["Omega_s"], record["ny"], record["nx"]) == (kind, 6.0, 3, 0))
    assert least < second_order/exact - 1.0 < most
