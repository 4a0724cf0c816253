"""The published pair of links on ball joints: coordinates and quasi-velocities over 20 s, and how true they are.

    python docs/examples/two_link.py [folder]

writes two_link.svg: the run in space beside the motion of the planar equations (91) of Khoshnood, Azad & Razavi (2016),
which are written down here once more and integrated by SciPy.
"""

import sys
from pathlib import Path

import numpy as np
from scipy.integrate import solve_ivp

import fastdyn as fd
from fastdyn.show.sheet import Curve, Plot, Sheet

M, L, FORCE = 3.0, 1.0, 0.1
NAMES = ("first angle", "second angle", "first rate", "second rate")


def equations_91(t, y):
    """Rates of (psi1, psi2, their rates)"""
    _, b, u, w = y
    c, s, push = np.cos(b), np.sin(b), FORCE*np.sin(t)
    left = 2/3*M*L*L*np.array([[2*(5 + 3*c), 2 + 3*c], [2 + 3*c, 2.0]])
    turning = 2*M*L*L*s*np.array([-w*(2*u + w), u*u])
    return [u, w, *np.linalg.solve(left, 2*L*push*np.array([2 + c, 1.0]) - turning)]


def motion():
    """(t, ours (samples, 4), those of (91))"""
    chain = fd.catalog.two_link("A", mass=M, half_length=L, force=FORCE)
    run = fd.simulate(chain, 20.0, rtol=1e-12, atol=1e-14, formulation="boltzmann-hamel").check()
    angles = [fd.from_quaternion(run.q[:, part], "rotation-vector")[:, 2] for _, part in chain.quaternions]
    ours = np.column_stack([*angles, run.v[:, 2], run.v[:, 5]])
    theirs = solve_ivp(equations_91, (0.0, 20.0), np.zeros(4), method="DOP853", t_eval=run.t, rtol=1e-12, atol=1e-14)
    return run.t, ours, theirs.y.T


def main(folder="."):
    t, ours, theirs = motion()
    rows = []
    for first in (0, 2):
        unit = "rad/s" if first else "rad"
        rows.append([Plot(NAMES[k], unit, [Curve(t, theirs[:, k], "equations (91)", 1, 3.2),
                                           Curve(t, ours[:, k], "chain in space", 0)]) for k in (first, first + 1)])
        apart = [Curve(t, ours[:, k] - theirs[:, k], NAMES[k], 2 + k) for k in (first, first + 1)]
        rows.append([Plot(f"difference of {NAMES[k]}", unit, [curve]) for k, curve in zip((first, first + 1), apart)])
    page = Sheet("Two links on ball joints, pushed at their ends", rows, shares=(1.0, 1.0)).page()
    out = Path(folder)/"two_link.svg"
    page.save(out)
    print(f"{out}: largest difference {np.abs(ours - theirs).max():.1e}")
    return out


if __name__ == "__main__":
    main(*sys.argv[1:2])
