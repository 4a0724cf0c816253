"""Heavy slides and light rotors in one loop: what is held stays held, whatever the masses are."""

import numpy as np
import pytest

import fastdyn as fd

LIGHT, HEAVY = (1e-5, 1e-7, 1e-9, 1e-12), (1e-3, 1.0, 20.0, 1e4)
ROADS = ("multipliers", "minimal")
ALONG_X = (1.0, 0.0, 0.0)


def train(M, rotor, weld, start, **words):
    """Two slides of mass M, the first pulled by M newtons; a rotor of 0.1 kg on the second, welded to the first."""
    body = fd.Body(mass=M, inertia=(1.0, 1.0, 1.0))
    pulled = fd.Link(name="pulled", joint=fd.Prismatic(axis=ALONG_X, drive=fd.Constant(M)), parent="base", body=body)
    other = fd.Link(name="other", at=ALONG_X, joint=fd.Prismatic(axis=ALONG_X), parent="base", body=body)
    return fd.Chain([pulled, other, rotor], closures=[fd.Closure(kind="weld", a="pulled", b=weld)],
                    gravity=(0.0, 0.0, 0.0), start_q=start, **words)


def welded(M, I, space="plane"):
    rotor = fd.Link(name="rotor", parent="other", at=(0.0, 0.0, 0.0), joint=fd.Revolute(),
                    body=fd.Body(mass=0.1, inertia=(I, I, I)))
    return train(M, rotor, "rotor", (1.0, 0.0, 0.0), space=space)


def thin_rod(M, I):
    """A rod of 0.1 m on a ball joint, welded at its tip; about its own line it weighs I."""
    body = fd.Body(mass=0.1, com=(0.05, 0.0, 0.0), inertia=(I, 0.1*0.01/12.0 + 0.5*I, 0.1*0.01/12.0 + 0.5*I))
    rod = fd.Link(name="rotor", parent="other", at=(0.0, 0.0, 0.0), joint=fd.Spherical(), length=0.1, body=body)
    return train(M, rod, "rotor.tip", (1.1, 0.0, 1.0, 0.0, 0.0, 0.0))


KINDS = {"in the plane": welded, "in space": lambda M, I: welded(M, I, "space"), "thin rod": thin_rod}


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("M", HEAVY)
@pytest.mark.parametrize("I", LIGHT)
def test_the_slides_go_together(kind, M, I):
    chain, acc = KINDS[kind](M, I), M/(2.0*M + 0.1)
    q, v = chain.start_state()
    for way in ROADS:
        found = fd.forward_dynamics(chain, q, v, closures=way)
        assert np.abs(found - [acc, acc, *np.zeros(chain.nv - 2)]).max() < 1e-9, way
        force = fd.closure_forces(chain, q, v, closures=way)[0]
        assert abs(force[0] - (M + 0.1)*acc) < 1e-9*M and np.abs(force[1:]).max() < 1e-9*M, way
        joints = fd.reactions(chain, q, v, closures=way)
        assert abs(joints[2, 0] + M*acc) < 1e-9*M and np.abs(joints[2, 1:]).max() < 1e-9*M, way


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("way", ROADS)
def test_they_stay_together(kind, way):
    for M, I in ((20.0, 1e-7), (1e4, 1e-12), (1e-3, 1e-9)):
        chain = KINDS[kind](M, I)
        run = fd.simulate(chain, 1.0, samples=3, closures=way).check()
        moved = run.q[-1] - chain.start_q
        assert np.abs(moved - [*[0.5*M/(2.0*M + 0.1)]*2, *np.zeros(chain.nq - 2)]).max() < 1e-8
        assert np.abs(fd.gaps(chain, run.q)).max() < 1e-12
