"""The slider crank with an elastic rod of the test set of initial value problems: docs/theory/loops.md."""

from ..beams import Beam
from .body import Body
from .chain import Chain
from .check import positive, yes_or_no
from .closures import Closure
from .elastic import Elastic
from .joints import Prismatic, Revolute
from .link import Link
from .modal import ModalNumbers, Stretch
from .words import spelt

CRANK, ROD = 0.15, 0.30                                     # lengths, m
SIDE, DENSITY, YOUNG, POISSON = 0.008, 7870.0, 2e11, 0.3    # of the rod: square section, steel
ROD_MASS, SLIDER_MASS, ROD_INERTIA = 0.151104, 0.075552, 0.0045339259   # kg, kg m^2 about the pin of the crank
SPEED, ROD_SPEED = 150.0, -74.995767                        # of crank and rod at the start, rad/s
PI = 3.1415927                                              # as the test set has it
AXIAL_MASS = 15.0                                           # its axial mass matrix, over int mu U U
# the modes and their rates at the start: two across the rod, then the displacements of its middle and of its end
MODES = (0.0, 0.0, 1.03339863e-5, 1.69327969e-5)
RATES = (0.444896105, 0.00463434311, -1.78591076e-6, -2.68938672e-6)


@spelt
def slider_crank(published: bool = True, flywheel: float = 1e12) -> Chain:
    """A crank that turns uniformly, an elastic rod of two bending and two axial modes, a block that slides.

    Parameters
    ----------
    published : the modal numbers of the test set, whose axial mass is 15 times that of the rod and whose pi has eight
        digits; no takes those of the rod.
    flywheel : moment of inertia of the crank, kg m^2, so large that it turns at 150 rad/s whatever the rod does; times
        the crank's acceleration it is the torque that the rod takes.
    """
    published, flywheel = yes_or_no(published, "published"), positive(flywheel, "flywheel", "kg m^2")
    beam = Beam.rectangle(length=ROD, width=SIDE, height=SIDE, E=YOUNG, nu=POISSON, rho=DENSITY,
                          J33=(ROD_INERTIA - ROD_MASS*ROD*ROD/3.0)/ROD)
    rod = Elastic(beam=beam, ends="ss", modes=2, theory="euler-bernoulli",
                  numbers=of_the_test_set() if published else None,
                  axial_shapes=(Stretch(U=(0.0, 4.0, -4.0)), Stretch(U=(0.0, -1.0, 2.0))))
    crank = Body(mass=1.0, com=(0.0, 0.0, 0.0), inertia=(flywheel,)*3)
    return Chain(
        [Link(name="crank", joint=Revolute(), length=CRANK, body=crank), Link(name="rod", elastic=rod),
         Link(name="slider", parent="base", joint=Prismatic(axis=(1.0, 0.0, 0.0)),
              body=Body.point(SLIDER_MASS, (0.0, 0.0, 0.0)))],
        gravity=(0.0, 0.0, 0.0), closures=[Closure(kind="pin", a="rod.tip", b="slider")], name="slider-crank",
        start_q=(0.0, 0.0, *MODES, CRANK + (ROD + MODES[3])), start_v=(SPEED, ROD_SPEED - SPEED, *RATES, RATES[3]))


def of_the_test_set() -> ModalNumbers:
    """Modal numbers as it prints them."""
    m = DENSITY*SIDE*SIDE*ROD
    EA, slender = YOUNG*SIDE*SIDE/ROD, (SIDE/ROD)**2
    K = EA*PI**4*slender
    B = {(0, 2): -16.0/PI**3, (0, 3): 8.0/PI**3 - 1.0/PI, (1, 3): 0.5/PI}
    return ModalNumbers(
        a=(m*2.0/PI, 0.0, 0.0, 0.0), b=(0.0, 0.0, m*2.0/3.0, m/6.0), W_l=(0.0, 0.0, 0.0, 0.0),
        c=(ROD*m/PI, -ROD*m*0.5/PI, 0.0, 0.0), d=(0.0, 0.0, ROD*m/3.0, ROD*m/6.0),
        B=[[m*(B.get((j, k), 0.0) - B.get((k, j), 0.0)) for k in range(4)] for j in range(4)],
        C=[[0.5*m, 0.0, 0.0, 0.0], [0.0, 0.5*m, 0.0, 0.0],
           [0.0, 0.0, AXIAL_MASS*m*8.0/15.0, AXIAL_MASS*m/15.0], [0.0, 0.0, AXIAL_MASS*m/15.0, AXIAL_MASS*m*2.0/15.0]],
        K=[[K/24.0, 0.0, 0.0, 0.0], [0.0, K*2.0/3.0, 0.0, 0.0],
           [0.0, 0.0, EA*16.0/3.0, -EA*8.0/3.0], [0.0, 0.0, -EA*8.0/3.0, EA*7.0/3.0]])
