"""Instantaneous states of spatial flexible arms against numbers of another program, and identities of the equations."""

import numpy as np
import pytest

from arms.words import arm_of, stored, tip_mark
from fastdyn.arms import Plane, recursive_system, system
from fastdyn.arms.compile import compiled
from fastdyn.arms.layout import C_NORMAL, work_for

RECORDS = stored("accel")


ROADS = [system, recursive_system]


def accelerations(road, arm, q, v, touch=1):
    model = compiled(arm)
    work, acc = work_for(model, 4), np.empty(len(q))
    assert road.accelerate(model, work, 0.0, q, v, np.zeros(touch), acc) == 0
    return model, work, acc


@pytest.mark.parametrize("road", ROADS)
@pytest.mark.parametrize("i", range(len(RECORDS["records"])))
def test_accelerations_energies_and_the_motion_of_a_point(i, road):
    r = RECORDS["records"][i]
    arm = arm_of(RECORDS["models"][r["model"]], r["options"], [tip_mark(r["point_link"] - 1)])
    q, v = np.array(r["q"]), np.array(r["qd"])
    model, work, acc = accelerations(road, arm, q, v)
    assert np.abs(acc - r["qdd"]).max() < 1e-11*np.abs(r["qdd"]).max()
    found, energy = np.empty((1, 9)), np.empty((1, 2))
    system.point_motion(model, work, 0.0, q, v, np.array(r["qdd"]), found)
    for at, name in ((0, "point_r"), (3, "point_v"), (6, "point_acc")):
        assert np.abs(found[0, at:at + 3] - r[name]).max() < 1e-12*max(1.0, np.abs(r["qdd"]).max())
    recursive_system.energies(model, work, np.zeros(1), q[None], v[None], energy)
    assert energy[0] == pytest.approx([r["T"], r["V"]], rel=1e-12)
    system.set_equations(model, work, 0.0, q, v, np.zeros(1))
    assert np.diag(work.mass) == pytest.approx(r["M_diag"], rel=1e-12)
    assert np.abs(work.mass - work.mass.T).max() < 1e-14*r["M_frobenius"]


FRICTION = {"I": ("ambrosio", {"mu": "cf", "v0": "v0", "v1": "v1"}),
            "II": ("tanh", {"mu": "cf", "tangential": "ct", "steepness": "a"}),
            "III": ("step", {"mu": "mud", "mu_static": "mus", "v_static": "vs", "v_sliding": "vd"})}


@pytest.mark.parametrize("road", ROADS)
@pytest.mark.parametrize("i", range(3))
def test_accelerations_in_contact(i, road):
    r = RECORDS["contact_R2"][i]
    law, names = FRICTION[r["model"]]
    plane = Plane(1, tuple(r["plane_point"]), tuple(r["normal"]), tuple(r["t1"]), "lankarani-nikravesh",
                  {"stiffness": r["K"], "exponent": r["e"], "restitution": r["cn"], "clamp": 1.0}, law,
                  {name: r["par"][theirs] for name, theirs in names.items()})
    arm = arm_of(RECORDS["models"]["R2"], {}, [plane])
    q, v = np.array(r["q"]), np.array(r["qd"])
    model, work, _ = accelerations(road, arm, q, v)
    assert model.contact[0, C_NORMAL:C_NORMAL + 3] == pytest.approx(r["normal"])
    free, acc = np.empty(len(q)), np.empty(len(q))
    touch = np.array([r["v0"]])
    system.set_equations(model, work, 0.0, q, v, np.zeros(1))
    free[:] = work.force
    system.set_equations(model, work, 0.0, q, v, touch)
    assert np.abs(work.force - free - r["Qc"]).max() < 1e-9*np.abs(r["Qc"]).max()
    assert road.accelerate(model, work, 0.0, q, v, touch, acc) == 0
    assert np.abs(acc - r["qdd"]).max() < 1e-11*np.abs(r["qdd"]).max()
