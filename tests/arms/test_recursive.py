"""The production road against recursive Lagrange: accelerations, energies, contacts; what it does not depend on."""

import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from fastdyn import arms
from fastdyn.arms import (
    Body, FlexibleLink, Joint, Link, Plane, SpatialArm, canadarm2, flexible_arm, mass_matrix, point, recursive_system,
    rotors, spin_up, system)
from fastdyn.arms.compile import compiled
from fastdyn.arms.layout import MOMENTS, TABLE, work_for
from fastdyn.status import OK, SINGULAR_INERTIA, ModelError

TILTED = ((0.36, 0.48, -0.8), (-0.8, 0.6, 0.0), (0.48, 0.64, 0.6))


def mixed(modes=((1, 3, 2, 1), (0, 0, 0, 0), (2, 1, 3, 0)), rotation="linear", foreshortening=True):
    """Unequal flexible links and a rigid one, stiff and flexible joints, bodies at both ends of links, dampers."""
    beams = [FlexibleLink(1.5 + 0.2*k, 2.0 + k, 2e5, 300.0, 200.0, 150.0, 5e-4, 8e-4, m, foreshortening, rotation,
                          damping=1e-4) if any(m) else None for k, m in enumerate(modes)]
    body = Body(0.7, (0.1, -0.2, 0.05), ((0.05, 0.01, -0.02), (0.01, 0.06, 0.005), (-0.02, 0.005, 0.04)))
    return SpatialArm((
        Link(Joint(TILTED, (0.1, 0.2, -0.1), damping=0.3, torque=0.4, rotor=0.1), beams[0], distal=(body,)),
        Link(Joint(TILTED, (0.0, 0.1, 0.3), stiffness=300.0, damping=0.1, rotor=0.3, torque=-0.2), beams[1],
             (0.0, 0.0, 0.0) if beams[1] else (0.4, 0.2, -0.1), (body,), (body,)),
        Link(Joint(TILTED, (0.0, 0.1, 0.3)), beams[2], proximal=(body,))), (1.0, -9.0, 2.0))


def state(arm, rng, bent=0.05):
    names = arm.names
    small = np.array([bent if name[0] == "d" else 1.0 for name in names])
    return rng.uniform(-1.0, 1.0, (2, len(names)))*small


def both(arm, q, v, touch=(), t=0.0):
    """z'' of Lagrange and of the production road, the work behind Lagrange's."""
    model = compiled(arm)
    work, found = work_for(model, 4), np.empty((2, len(q)))
    for a, road in zip(found, (system, recursive_system)):
        scratch = work if road is system else work_for(model, 4, dense=False)
        assert road.accelerate(model, scratch, t, q.copy(), v.copy(), np.array(touch, float), a) == OK
    return (*found, work)


ARMS = {
    "mixed": mixed(), "stiff": mixed(foreshortening=False), "exp": mixed(rotation="exp"),
    "one plane": mixed(((0, 3, 0, 0), (0, 1, 0, 0), (0, 0, 2, 0))),
    "no bending": mixed(((2, 0, 0, 1), (1, 0, 0, 0), (0, 0, 0, 2))),
    "equal": flexible_arm(2), "rigid joints": flexible_arm(2, (1, 3, 2, 1), stiffness=0.0),
    "R2": canadarm2(), "R5": canadarm2("R5"), "R5, exp": canadarm2("R5").with_beams(rotation="exp"),
}


def noise(arm, q, v, rng):
    """How far z'' of Lagrange and of the production road move when each coordinate moves by its last bit or not."""
    at = [both(arm, q*(1.0 + 2.2e-16*rng.integers(-1, 2, len(q))), v, np.zeros(len(arm.planes)))[:2] for _ in range(5)]
    return np.ptp(at, axis=0).max(axis=1)


@pytest.mark.parametrize("name", ARMS)
def test_two_roads_give_one_acceleration(name):
    """To 1e-11, or to what Lagrange's accelerations tremble by: more than that with the wrist of R5."""
    arm, rng = ARMS[name], np.random.default_rng(len(name))
    for _ in range(5):
        q, v = state(arm, rng, 0.02 if name[0] == "R" else 0.05)
        lagrange, found, _ = both(arm, q, v, np.zeros(len(arm.planes)))
        assert np.abs(found - lagrange).max() < (4e-11 if "R5" in name else 1e-11)*np.abs(lagrange).max()


def test_the_production_road_trembles_less():
    arm, rng = ARMS["R5"], np.random.default_rng(9)
    q, v = state(arm, rng, 0.02)
    lagrange, production = noise(arm, q, v, rng)
    assert production < 0.5*lagrange and production < 1e-11*np.abs(both(arm, q, v, [0.0])[1]).max()


def test_two_roads_while_the_motion_of_a_joint_is_prescribed():
    arm, rng = spin_up(modes=3, axial=1), np.random.default_rng(3)
    for t in (0.0, 4.0, 20.0):
        lagrange, found, _ = both(arm, *state(arm, rng, 0.3), t=t)
        assert np.abs(found - lagrange).max() < 1e-12*np.abs(lagrange).max()


@pytest.mark.parametrize("rotation", ["linear", "exp"])
@pytest.mark.parametrize("eta", [None, 1.1])
def test_two_roads_in_contact(eta, rotation):
    arm, rng = mixed(rotation=rotation), np.random.default_rng(8)
    planes = [Plane(k, (0.0, 30.0, 0.0), (0.0, 1.0, 0.0), (1.0, 0.0, 0.0), "hertz", {"stiffness": 1e3}, "tanh",
                    {"mu": 0.4}, where) for k, where in ((2, eta), (1, None), (0, eta))]
    q, v = state(arm, rng)
    lagrange, found, _ = both(arm.replace(planes=tuple(planes)), q, v, np.ones(3))
    free, _, _ = both(arm, q, v)
    assert np.abs(found - lagrange).max() < 1e-12*np.abs(lagrange).max()
    assert np.abs(lagrange - free).max() > 1e-3*np.abs(free).max()


@pytest.mark.parametrize("rotation", ["linear", "exp"])
@pytest.mark.parametrize("link, eta", [(0, 0.4), (1, None), (1, 0.3), (2, 1.9)])
def test_a_contact_works_along_the_way_of_its_point(link, eta, rotation):
    """J (z'' with contact - z'' without) = F dr/dz, the place differentiated by differences."""
    arm, rng, h = mixed(rotation=rotation), np.random.default_rng(link), 1e-4
    q, v = state(arm, rng)
    here, normal = point(arm, q, v, link=link, eta=eta).place, np.array([0.48, -0.6, 0.64])
    met = arm.replace(planes=(Plane(link, tuple(here + 0.01*normal), tuple(normal), (0.8, 0.64, 0.0), "hertz",
                                    {"stiffness": 1e5}, eta=eta),))
    more = both(met, q, v, [1.0])[1] - both(met, q, v, [0.0])[1]
    ways = [sum(c*point(arm, q + i*h*e, v, link=link, eta=eta).place for i, c in (
        (-2, 1.0), (-1, -8.0), (1, 8.0), (2, -1.0)))/(12.0*h) for e in np.eye(len(q))]
    expected = 1e5*0.01**1.5*(np.array(ways) @ normal)
    assert np.abs(mass_matrix(arm, q) @ more - expected).max() < 1e-9*np.abs(expected).max()


@pytest.mark.parametrize("name", ["mixed", "exp", "R5"])
def test_kinetic_energy_is_that_of_the_matrix(name):
    arm, rng = ARMS[name], np.random.default_rng(5)
    q, v = state(arm, rng)
    *_, work = both(arm, q, v, np.zeros(len(arm.planes)))
    model, energy = compiled(arm), np.empty((1, 2))
    system.set_equations(model, work, 0.0, q, v, np.zeros(len(arm.planes)))
    expected = 0.5*v @ work.mass @ v
    assert recursive_system.energies(model, work_for(model, dense=False), np.zeros(1), q[None], v[None], energy) == OK
    assert energy[0, 0] == pytest.approx(expected, rel=1e-13)


@pytest.mark.parametrize("name", ["mixed", "exp"])
def test_accelerations_take_the_power_of_forces_as_energy(name):
    """d(T + V)/dt along z'' is what dampers and constant torques do."""
    arm, rng = ARMS[name], np.random.default_rng(6)
    q, v = state(arm, rng)
    _, acc, _ = both(arm, q, v)
    model, h = compiled(arm), 1e-5
    work = work_for(model, dense=False)
    steps = h*np.array([-2.0, -1.0, 1.0, 2.0])
    energy = np.empty((4, 2))
    recursive_system.energies(model, work, steps, np.array([q + s*v + 0.5*s*s*acc for s in steps]),
                              np.array([v + s*acc for s in steps]), energy)
    slope = energy.sum(axis=1) @ [1.0, -8.0, 8.0, -1.0]/(12.0*h)
    rotors.driven(model, work.drive, 0.0)
    damping, drives = system.other_powers(model, work, v)
    assert slope == pytest.approx(damping + drives, abs=1e-5*abs(energy).max())


def test_nothing_is_summed_at_points():
    """With sections that turn linearly the number of Gauss points is of no matter, to the last bit."""
    coarse, fine = (canadarm2().with_beams(points=p) for p in (12, 32))
    q, v = state(fine, np.random.default_rng(7), 0.02)
    assert (both(coarse, q, v, [0.0])[1] == both(fine, q, v, [0.0])[1]).all()
    assert np.abs(both(coarse, q, v, [0.0])[0] - both(fine, q, v, [0.0])[0]).max() > 0.0


def test_scratch_grows_by_the_link():
    sizes = [sum(x.nbytes for x in work_for(compiled(flexible_arm(n)), dense=False)) for n in (10, 20, 40)]
    assert sizes[2] - sizes[1] == 2*(sizes[1] - sizes[0])


def test_equal_beams_share_their_numbers_and_others_do_not():
    one, two = compiled(flexible_arm(1)), compiled(flexible_arm(2))
    assert len(two.moments) == len(one.moments) and len(two.table) == len(one.table)
    model = compiled(mixed(((1, 3, 2, 1), (1, 3, 2, 1), (0, 1, 0, 0))))
    assert len(set(model.link[:, MOMENTS])) == len(set(model.link[:, TABLE])) == 3


def test_bits_are_those_of_plain_python():
    """Vectors of whatever width leave the order of every sum as it is written."""
    arm = flexible_arm(2, (1, 2, 1, 1))
    q, v = state(arm, np.random.default_rng(11))
    code = ("import sys, numpy as np; from fastdyn.arms import flexible_arm, recursive_system as r; "
            "from fastdyn.arms.compile import compiled; from fastdyn.arms.layout import MOMENTS, TABLE, work_for; "
            "m, y = compiled(flexible_arm(2, (1, 2, 1, 1))), np.array(list(map(float.fromhex, sys.argv[1:]))); "
            "n = len(y)//2; a = np.empty(n); "
            "r.accelerate(m, work_for(m, dense=False), 0.0, y[:n], y[n:], np.zeros(0), a); print(a.tobytes().hex())")
    words = [x.hex() for x in np.concatenate([q, v]).tolist()]
    told = subprocess.run([sys.executable, "-c", code, *words], capture_output=True, text=True, check=True,
                          env={**os.environ, "NUMBA_DISABLE_JIT": "1"}, cwd=Path(arms.__file__).parents[2]).stdout
    assert told.strip() == both(arm, q, v)[1].tobytes().hex()


def test_a_run_by_either_road():
    arm = canadarm2()
    runs = [arm.simulate(0.05, formulation=road) for road in ("recursive", "lagrange")]
    assert np.abs(runs[0].q[-1] - runs[1].q[-1]).max() < 1e-10 and (runs[0].q[-1] != runs[1].q[-1]).any()
    assert (runs[0].q[-1] == arm.simulate(0.05).q[-1]).all()
    with pytest.raises(ModelError, match='"recursive", "lagrange"'):
        arm.simulate(0.05, formulation="dense")


def test_a_joint_with_nothing_to_move_has_a_status():
    arm = SpatialArm((Link(tip=(1.0, 0.0, 0.0)),))
    model = compiled(arm)
    assert recursive_system.accelerate(model, work_for(model, dense=False), 0.0, np.zeros(1), np.zeros(1), np.zeros(0),
                                       np.zeros(1)) == SINGULAR_INERTIA
