"""Why arms integrate angles only: where x, y, theta of every node are integrated, chains of two links blow up."""

import numpy as np
import pytest

from fastdyn.transfer.arm import BeamArm
from fastdyn.transfer.arm_run import accelerations


def arm_of(n):
    """Hinges at the inner ends, links of equal length; a force across the tip."""
    return BeamArm(n=n, rule="left-unit", EI=2.0, tip_force=(0.0, 0.5))


def by_nodes(arm, steps, T, b=0.25, g=0.5):
    """Angles after every step, while there are any: 7x7 matrices for [x, y, theta, M, N, V, 1], sines from before."""
    made, n = arm.links, arm.n
    l, m, I, k = (row[1:] for row in (made.length, made.mass, made.inertia, made.stiffness))
    acc = accelerations(arm, 0.0, np.zeros(n + 1), np.zeros(n + 1))[1:]
    place = np.cumsum(l) - l
    past = {"x": np.array([place, 0.0*l, 0.0*l]), "y": np.array([0.0*l, 0.0*l, np.cumsum(l*acc) - l*acc]),
            "th": np.array([0.0*l, 0.0*l, acc])}                             # value, rate, acceleration
    A, D, found = 1.0/(b*T*T), g/(b*T), []
    for _ in range(steps):
        p = {name: h[0] + T*h[1] + (0.5 - b)*T*T*h[2] for name, h in past.items()}
        v = past["th"][1] + (1.0 - g)*T*past["th"][2]
        U, parts = np.eye(7), []
        for j in range(n):
            hinge = np.eye(7)
            hinge[2, 3] = 1.0/k[j]
            U = hinge @ U
            parts.append(U)
            U = link(l[j], m[j], I[j], past["th"][:, j], A, D, {name: -A*row[j] for name, row in p.items()},
                     v[j] - D*p["th"][j], T) @ U
        ends = np.array([0.0, 0.0, 0.5])                                     # M, N, V at the tip
        try:
            start = np.linalg.solve(U[3:6, 3:6], ends - U[3:6, 6])
        except np.linalg.LinAlgError:                                        # no digit is left of it
            break
        states = np.array([part[:, 3:6] @ start + part[:, 6] for part in parts])
        for row, name in enumerate(("x", "y", "th")):
            new = A*(states[:, row] - p[name])
            old = past[name]
            past[name] = np.array([states[:, row], old[1] + T*((1.0 - g)*old[2] + g*new), new])
        found.append(past["th"][0])
        if not np.max(np.abs(found[-1])) < 1e6:
            break
    return np.array(found)


def link(l, m, I, th, A, D, B, E, T):
    turn = T*th[1]
    s = np.sin(th[0])*(1.0 - turn*turn/2.0) + np.cos(th[0])*(turn + T*T*th[2]/2.0)
    c = np.cos(th[0])*(1.0 - turn*turn/2.0) - np.sin(th[0])*(turn + T*T*th[2]/2.0)
    a, b0 = 2.0*th[1], T*T*th[2]**2 - th[1]**2                               # theta'^2 = a theta' + b0
    h, spread = m*l/2.0, I - m*l*l/4.0*(s*s + c*c)
    U = np.eye(7)
    U[0, 6], U[1, 6] = l*c, l*s
    U[3] = [h*s*A, -h*c*A, spread*A, 1.0, l*s, -l*c, spread*B["th"] + h*(s*B["x"] - c*B["y"])]
    U[4] = [m*A, 0.0, -h*(s*A + c*a*D), 0.0, 1.0, 0.0, m*B["x"] - h*(s*B["th"] + c*(a*E + b0))]
    U[5] = [0.0, m*A, h*(c*A - s*a*D), 0.0, 0.0, 1.0, m*B["y"] + h*(c*B["th"] - s*(a*E + b0))]
    return U


def test_one_link_is_right_by_both():
    arm = arm_of(1)
    errors = []
    for T in (0.01, 0.005):
        exact = arm.simulate(0.5, 1e-4, "newmark", every=100).angles[:, 1:]
        found = by_nodes(arm, round(0.5/T), T)
        errors.append(np.max(np.abs(found[-1] - exact[-1])))
    assert errors[1] < 1e-4 and np.log2(errors[0]/errors[1]) == pytest.approx(2.0, abs=0.3)


@pytest.mark.parametrize("n", [2, 3, 5])
@pytest.mark.parametrize("T", [0.02, 0.002, 0.0002])
@pytest.mark.parametrize("b, g", [(0.25, 0.5), (0.5, 1.0)])
def test_two_links_and_more_blow_up_at_every_step_size(n, T, b, g):
    """It ends within 60 steps: by angles of 1e6, or by a product that has become singular."""
    assert len(by_nodes(arm_of(n), 60, T, b, g)) < 60
    assert np.max(np.abs(arm_of(n).simulate(60*T, T, "newmark").angles)) < 2.0
