"""Bases and motors that move as prescribed, by every scheme: order, forces inside and strain against exact motions."""

import numpy as np
import pytest

from fastdyn import Sine
from fastdyn.transfer import SCHEMES, BendingChain, Hinge, LinkArm, Rigid, Servo, TorsionChain
from fastdyn.transfer.schemes import scheme_of

OMEGA, MOVES, ROD = 3.0, Sine(0.1, 3.0), 1.0/3.0            # rad/s; a slender rod of 1 m and 1 kg about its end, kg m^2
SHORT, STIFF = 0.01, ROD*150.0**2                           # s; N m/rad, of 1.5/SHORT rad/s


def across(k, c):
    """A rod on a base that moves across: the hub of a base that turns feels no inertia."""
    return BendingChain(parts=[Hinge(stiffness=k, damping=c), Rigid(length=1.0, mass=1.0)], base_deflection=MOVES)


def turning(k, c):
    return BendingChain(parts=[Hinge(stiffness=k, damping=c), Rigid(length=1.0, mass=1.0)], base_slope=MOVES)


def torsion(k, c):
    return TorsionChain(inertia=(ROD,), stiffness=k, damping=c, base=MOVES)


def motor(k, c):
    return LinkArm(lengths=(1.0,), masses=1.0, stiffness=k, damping=c, rotation=MOVES)


def servo(k, c):
    """The rod is the stub, and the servo its hinge; the link behind it has next to no mass."""
    return LinkArm(lengths=(1.0,), masses=1e-9, stub=1.0, stub_mass=1.0, servo=Servo(k, c),
                   rotation=MOVES)


def answers(make, k, c, t):
    """(angle of the rod, what it is turned from the base, moment in the hinge) when the start has died away."""
    Z, I = k + 1j*OMEGA*c, -ROD*OMEGA**2
    angle = 0.1*(0.5*OMEGA**2 if make is across else Z)/(Z + I)
    turned = angle - (0.0 if make is across else 0.1)
    return [(x*np.exp(1j*OMEGA*t)).imag for x in (angle, turned, Z*turned)]


@pytest.mark.kernels
@pytest.mark.parametrize("make", [across, turning, torsion, motor, servo])
@pytest.mark.parametrize("name", SCHEMES)
def test_a_scheme_keeps_its_order(make, name):
    sizes = []
    for T in (0.02, 0.01):
        run = make(8.0, 1.0).simulate(16.0, T, name)
        late, column = run.t > 13.0, 0 if make is servo else -1
        exact = answers(make, 8.0, 1.0, run.t)[0]
        sizes.append(np.max(np.abs(run.angles[:, column] - exact)[late])/np.max(exact))
    assert np.log2(sizes[0]/sizes[1]) == pytest.approx(scheme_of(name).order, abs=0.25) and sizes[0] < 0.05


@pytest.mark.kernels
@pytest.mark.parametrize("make, name", [(make, name) for make in (across, turning, torsion, motor, servo)
                                        for name in SCHEMES if (make, name) != (torsion, "wilson")])
def test_a_stiff_hinge_passes_on_what_it_must(make, name):
    """Forces and strain belong to turnings that are a ten-thousandth of the motion."""
    c = 0.2*ROD*150.0
    run = make(STIFF, c).simulate(4.0, SHORT, name)
    late, (_, turned, moment) = run.t > 2.0, answers(make, STIFF, c, run.t)
    forces = run.forces["torque" if make is torsion else "moment"]
    found = forces[:, 1 if make is motor else 0]
    strain, exact = run.energies["servo" if make is servo else "strain"], 0.5*STIFF*turned**2
    close = 0.02 if scheme_of(name).order == 1 else 0.005
    assert np.max(np.abs(found - moment)[late]) < close*np.max(np.abs(moment))
    assert np.max(np.abs(strain - exact)[late]) < 2.0*close*np.max(exact)


@pytest.mark.kernels
def test_a_torsion_chain_on_a_straight_line_of_its_base_is_off_as_the_page_says():
    """Wilson's balance at t + w T sees the base w (w - 1)/2 T^2 theta_0'' ahead; the spring passes that on."""
    c = 0.2*ROD*150.0
    run = torsion(STIFF, c).simulate(4.0, SHORT, "wilson")
    late, (_, _, moment) = run.t > 2.0, answers(torsion, STIFF, c, run.t)
    off = np.max(np.abs(run.forces["torque"][:, 0] - moment)[late])
    assert off == pytest.approx(1.4*0.4/2.0*STIFF*SHORT**2*0.1*OMEGA**2, rel=0.3)
