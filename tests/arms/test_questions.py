"""Public questions of an arm: the kernels' answers, rows of states, and where the pictures put its links."""

import numpy as np
import pytest

import fastdyn as fd
from arms.words import arm_of, stored
from fastdyn import arms
from fastdyn.arms import Body, Joint, Link, SpatialArm, canadarm2, flexible_arm, spin_up
from fastdyn.arms import modal_data
from fastdyn.arms.outline import lines_of, tips

RECORDS = stored("accel")


def states_of(arm, rows, size=0.05):
    rng = np.random.default_rng(7)
    return size*rng.standard_normal((2, rows, len(arm.names)))


@pytest.mark.parametrize("i", [0, 7])
def test_answers_are_those_of_another_program(i):
    r = RECORDS["records"][i]
    arm = arm_of(RECORDS["models"][r["model"]], r["options"])
    q, v = r["q"], r["qd"]
    acc = arms.accelerations(arm, q, v)
    assert np.abs(acc - r["qdd"]).max() < 1e-11*np.abs(r["qdd"]).max()
    assert arms.energies(arm, q, v) == pytest.approx((r["T"], r["V"]), rel=1e-12)
    assert np.diag(arms.mass_matrix(arm, q)) == pytest.approx(r["M_diag"], rel=1e-12)
    found = arms.point(arm, q, v, acc, link=r["point_link"] - 1)
    for mine, name in zip(found, ("point_r", "point_v", "point_acc")):
        assert np.abs(mine - r[name]).max() < 1e-11*max(1.0, np.abs(r["qdd"]).max())


def test_mass_matrix_and_velocities_give_the_kinetic_energy_of_many_states():
    arm = canadarm2("R5")
    q, v = states_of(arm, 3)
    kinetic, potential = arms.energies(arm, q, v)
    assert kinetic.shape == potential.shape == (3,)
    M = arms.mass_matrix(arm, q)
    assert np.einsum("si,sij,sj->s", v, M, v)/2 == pytest.approx(kinetic, rel=1e-12)
    acc = arms.accelerations(arm, q, v)
    assert acc.shape == q.shape and np.array_equal(acc[1], arms.accelerations(arm, q[1], v[1]))
    dense = arms.accelerations(arm, q, v, formulation="lagrange")
    assert np.abs(acc - dense).max() < 1e-10*np.abs(dense).max()


def test_a_point_that_touches_is_pushed():
    arm = canadarm2()
    ref = stored("contacts")["R2_II"]
    q, v = np.array(ref["q_start"]), np.array(ref["qd_start"])
    inside = q + 1e-4*v
    free, pushed = (arms.accelerations(arm, inside, v, touch=[speed]) for speed in (0.0, ref["v0_normal"]))
    n = np.array(arm.planes[0].normal)
    rise = arms.point(arm, inside, v, pushed).acceleration - arms.point(arm, inside, v, free).acceleration
    assert rise @ n > 1.0


@pytest.mark.parametrize("arm, t", [(canadarm2("R5"), 0.0), (flexible_arm(2, rotation="exp"), 0.0),
                                    (flexible_arm(2, foreshortening=False), 0.0), (spin_up(), 11.0)],
                         ids=["R5", "exp", "no shortening", "spin"])
def test_links_are_drawn_where_the_kernels_have_them(arm, t):
    q, v = states_of(arm, 2)
    times = np.full(2, t)
    lines, (ends, rates) = lines_of(arm, q, times, 5), tips(arm, q, v)
    for k, link in enumerate(arm.links):
        expect = arms.point(arm, q, v, link=k, t=times).place
        assert np.abs(lines[k][:, -1] - expect).max() < 1e-12*np.abs(expect).max()
        if link.beam is not None:
            expect = arms.point(arm, q, v, link=k, eta=link.beam.length/4, t=times).place
            assert np.abs(lines[k][:, 1] - expect).max() < 1e-12*np.abs(expect).max()
    h = 1e-6
    nearby = [tips(arm, q + s*h*v, v)[0] for s in (1, -1)]
    assert np.abs((nearby[0] - nearby[1])/(2*h) - rates).max() < 1e-8 and np.abs(ends).max() > 1e-3


def test_a_link_by_modal_data_is_drawn_from_its_root_to_its_end(tmp_path):
    beam = flexible_arm(1).links[0].beam
    modal = SpatialArm((Link(Joint(), modal_data(beam)), Link(Joint(place=(0.0, 0.1, 0.0)), beam)))
    straight = modal.replace(links=(Link(Joint(), beam), modal.links[1]))
    q, v = states_of(modal, 2)
    lines, same = lines_of(modal, q, np.zeros(2), 33), lines_of(straight, q, np.zeros(2), 33)
    assert np.abs(lines[1] - same[1]).max() < 1e-9 and np.abs(tips(modal, q, v) - tips(straight, q, v)).max() < 1e-9
    assert np.abs(lines[0] - same[0]).max() < 0.5*np.abs(q).max()
    modal.save(tmp_path/"arm.toml")
    assert fd.load(tmp_path/"arm.toml").to_toml() == modal.to_toml()
    with pytest.raises(fd.ModelError, match="mass_matrix sums over places along a link"):
        arms.mass_matrix(modal, q)


RIGID = SpatialArm((Link(Joint(), tip=(1.0, 0.0, 0.0), proximal=(Body(1.0, (0.5, 0.0, 0.0), (0.1, 0.1, 0.1)),)),))


@pytest.mark.parametrize("ask, said", [
    (lambda: arms.accelerations(fd.catalog.n_pendulum(2), [0, 0], [0, 0]), "arm is a Chain; give a SpatialArm"),
    (lambda: arms.accelerations(RIGID, [0.0, 1.0], [0.0]), r"q has shape \(2,\); give shape \(1,\)"),
    (lambda: arms.accelerations(RIGID, [np.nan], [0.0]), "q of th1_2 is nan"),
    (lambda: arms.accelerations(RIGID, [0.0], [0.0], formulation="newton"), 'known are "recursive", "lagrange"'),
    (lambda: arms.accelerations(arms.canadarm2(), *arms.canadarm2().start, touch=[-1.0]), "touch is -1 m/s"),
    (lambda: arms.point(RIGID, [0.0], [0.0], link=3), "there are links 0 to 0"),
    (lambda: arms.point(RIGID, [0.0], [0.0], eta=1.3), "beyond link"),
    (lambda: fd.forward_dynamics(RIGID, [0.0], [0.0]), "ask fastdyn.arms.accelerations"),
    (lambda: fd.mass_matrix(RIGID, [0.0]), "mass_matrix"), (lambda: fd.position(RIGID, [0.0], "link"), "or point"),
    (lambda: fd.kinetic_energy(RIGID, [0.0], [0.0]), "energies"),
    (lambda: fd.simulate(RIGID, 1.0), r"arm.simulate\(t_end\) runs it"),
])
def test_what_is_asked_wrongly_is_told_whom_to_ask(ask, said):
    with pytest.raises(fd.ModelError, match=said):
        ask()
