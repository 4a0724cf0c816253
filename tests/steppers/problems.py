"""Systems with known answers, as kernels that steppers take; most are y = (q, v) with dq/dt = v.

Reference values of Pleiades, van der Pol, HIRES and Robertson: [Mazzia & Magherini 2008], computed there with RADAU in
quadruple precision; the orbit of Arenstorf: [Hairer, Norsett & Wanner 1993], II.0. Each is what two solvers that know
nothing of each other give (tests/steppers/test_standard_problems.py).
"""

import math
from typing import NamedTuple

import numpy as np
from scipy.special import ellipj, ellipk

from fastdyn._jit import Kernel, kernel
from fastdyn.run.course import Course
from fastdyn.steppers import STEPPERS, stepper
from fastdyn.steppers.desk import RATE
from perf.instants import NOTHING

class Problem(NamedTuple):
    """A system, where it starts, and where it is at the end; `scale`: size of the components, for errors."""

    name: str
    rate: Kernel
    y: tuple
    t_end: float
    end: tuple
    scale: object = 1.0
    halves: bool = True         # y = (q, v) and dq/dt = v

    def course(self, method, **settings):
        return Course(self.rate, NOTHING, self.y, method=method, **settings)

    def error(self, y):
        """Largest difference from the reference, in units of `scale`"""
        return float(np.max(np.abs(np.asarray(y) - self.end)/self.scale))


def implicit(name):
    """Whether a method solves equations for its step: stiff problems are for those."""
    return stepper(name).pivots(4) > 0


def inside_order(name):
    """Order of the step as a function of its fraction; None where no single step tells."""
    return {"bs32": 3, "rkf45": 4, "dopri5": 4, "dop853": 7, "radau5": 3}.get(name)


def second_order(name):
    """Whether a method takes only systems y = (q, v) with dq/dt = v."""
    return STEPPERS[name] in ("alpha", "gen_alpha", "newmark")


any_system = [name for name in STEPPERS if not second_order(name)]
explicit_ones = [name for name in STEPPERS if not implicit(name)]
implicit_ones = [name for name in STEPPERS if implicit(name)]


# ------------------------------------------------------------------------------------------------------- closed forms

@kernel(RATE)
def fall_of_a_pendulum(handle, t, y, dy):
    dy[0] = y[1]
    dy[1] = -math.sin(y[0])
    return 0


@kernel(RATE)
def pull_of_a_sun(handle, t, y, dy):
    r2 = y[0]*y[0] + y[1]*y[1]
    r3 = r2*math.sqrt(r2)
    dy[0] = y[2]
    dy[1] = y[3]
    dy[2] = -y[0]/r3
    dy[3] = -y[1]/r3
    return 0


def swing(t, amplitude):
    """(angle, rate) of a pendulum of unit length and gravity let go at `amplitude` [Ochs 2011, eq. 2.6]."""
    m = math.sin(0.5*amplitude)**2
    sn, cn, _, _ = ellipj(np.asarray(t) + ellipk(m), m)
    return np.array([2.0*np.arcsin(math.sqrt(m)*sn), 2.0*math.sqrt(m)*cn])


def quarter(amplitude):
    """A quarter of the period"""
    return float(ellipk(math.sin(0.5*amplitude)**2))


def orbit(t, e):
    """(x, y, vx, vy) of Kepler's ellipse with unit axis, from the point next to the sun."""
    t = np.asarray(t, float)
    E = t + e*np.sin(t)
    for _ in range(50):
        E = E - (E - e*np.sin(E) - t)/(1.0 - e*np.cos(E))
    b, r = math.sqrt(1.0 - e*e), 1.0 - e*np.cos(E)
    return np.array([np.cos(E) - e, b*np.sin(E), -np.sin(E)/r, b*np.cos(E)/r])


def pendulum(amplitude=2.0, t_end=5.0):
    return Problem("pendulum", fall_of_a_pendulum, (amplitude, 0.0), t_end, tuple(swing(t_end, amplitude)))


def kepler(e, t_end):
    return Problem(f"kepler {e}", pull_of_a_sun, tuple(orbit(0.0, e)), t_end, tuple(orbit(t_end, e)))


# -------------------------------------------------------------------------------------------------- published numbers

MOON = 0.012277471


@kernel(RATE)
def pull_of_earth_and_moon(handle, t, y, dy):
    earth, moon = y[0] + MOON, y[0] - (1.0 - MOON)
    r1, r2 = earth*earth + y[1]*y[1], moon*moon + y[1]*y[1]
    a, b = (1.0 - MOON)/(r1*math.sqrt(r1)), MOON/(r2*math.sqrt(r2))
    dy[0] = y[2]
    dy[1] = y[3]
    dy[2] = y[0] + 2.0*y[3] - a*earth - b*moon
    dy[3] = y[1] - 2.0*y[2] - a*y[1] - b*y[1]
    return 0


@kernel(RATE)
def pull_of_seven_sisters(handle, t, y, dy):
    for i in range(7):
        ax, ay = 0.0, 0.0
        for j in range(7):
            if j != i:
                dx, dz = y[j] - y[i], y[7 + j] - y[7 + i]
                r2 = dx*dx + dz*dz
                pull = (j + 1.0)/(r2*math.sqrt(r2))
                ax += pull*dx
                ay += pull*dz
        dy[i] = y[14 + i]
        dy[7 + i] = y[21 + i]
        dy[14 + i] = ax
        dy[21 + i] = ay
    return 0


@kernel(RATE)
def air_of_lorenz(handle, t, y, dy):
    dy[0] = 10.0*(y[1] - y[0])
    dy[1] = y[0]*(28.0 - y[2]) - y[1]
    dy[2] = y[0]*y[1] - 8.0/3.0*y[2]
    return 0


@kernel(RATE)
def valve_of_van_der_pol(handle, t, y, dy):
    dy[0] = y[1]
    dy[1] = ((1.0 - y[0]*y[0])*y[1] - y[0])*1e6
    return 0


@kernel(RATE)
def plants_in_light(handle, t, y, dy):
    dy[0] = -1.71*y[0] + 0.43*y[1] + 8.32*y[2] + 0.0007
    dy[1] = 1.71*y[0] - 8.75*y[1]
    dy[2] = -10.03*y[2] + 0.43*y[3] + 0.035*y[4]
    dy[3] = 8.32*y[1] + 1.71*y[2] - 1.12*y[3]
    dy[4] = -1.745*y[4] + 0.43*y[5] + 0.43*y[6]
    dy[5] = -280.0*y[5]*y[7] + 0.69*y[3] + 1.71*y[4] - 0.43*y[5] + 0.69*y[6]
    dy[6] = 280.0*y[5]*y[7] - 1.81*y[6]
    dy[7] = -dy[6]
    return 0


@kernel(RATE)
def reaction_of_robertson(handle, t, y, dy):
    dy[0] = -0.04*y[0] + 1e4*y[1]*y[2]
    dy[2] = 3e7*y[1]*y[1]
    dy[1] = -dy[0] - dy[2]
    return 0


_start = (0.994, 0.0, 0.0, -2.00158510637908252240537862224)
ARENSTORF = Problem("arenstorf", pull_of_earth_and_moon, _start, 17.0652165601579625588917206249, _start)
PLEIADES = Problem(
    "pleiades", pull_of_seven_sisters,
    (3.0, 3.0, -1.0, -3.0, 2.0, -2.0, 2.0, 3.0, -3.0, 2.0, 0.0, 0.0, -4.0, 4.0,
     0.0, 0.0, 0.0, 0.0, 0.0, 1.75, -1.5, 0.0, 0.0, 0.0, -1.25, 1.0, 0.0, 0.0), 3.0,
    (0.3706139143970502, 3.237284092057233, -3.222559032418324, 0.6597091455775310, 0.3425581707156584,
     1.562172101400631, -0.7003092922212495, -3.943437585517392, -3.271380973972550, 5.225081843456543,
     -2.590612434977470, 1.198213693392275, -0.2429682344935824, 1.091449240428980, 3.417003806314313,
     1.354584501625501, -2.590065597810775, 2.025053734714242, -1.155815100160448, -0.8072988170223021,
     0.5952396354208710, -3.741244961234010, 0.3773459685750630, 0.9386858869551073, 0.3667922227200571,
     -0.3474046353808490, 2.344915448180937, -1.947020434263292))
VAN_DER_POL = Problem("van der pol", valve_of_van_der_pol, (2.0, 0.0), 2.0, (1.706167732170483, -0.8928097010247975))
HIRES = Problem(
    "hires", plants_in_light, (1.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0057), 321.8122,
    (0.7371312573325668e-3, 0.1442485726316185e-3, 0.5888729740967575e-4, 0.1175651343283149e-2,
     0.2386356198831331e-2, 0.6238968252742796e-2, 0.2849998395185769e-2, 0.2850001604814231e-2),
    scale=np.array([0.7e-3, 0.14e-3, 0.58e-4, 0.11e-2, 0.23e-2, 0.62e-2, 0.28e-2, 0.28e-2]), halves=False)
ROBERTSON = Problem("robertson", reaction_of_robertson, (1.0, 0.0, 0.0), 1e11,
                    (0.2083340149701255e-7, 0.8333360770334713e-13, 0.9999999791665050),
                    scale=np.array([2e-8, 8e-14, 1.0]), halves=False)
