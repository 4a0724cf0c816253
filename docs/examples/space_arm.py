"""A floating box turned by its arm: no force, no momentum, and after every round of the arm another attitude.

    python docs/examples/space_arm.py [folder]

writes space_arm.svg, the attitude of the box and the momenta that stay zero, and space_arm.html, the motion to look at
from all sides in any browser.
"""

import sys
from pathlib import Path

import numpy as np

import fastdyn as fd
from fastdyn.show.sheet import Curve, Plot, Sheet


def motion(t_end=30.0):
    """(run, angles of the box in degrees, momenta, what the box feels)"""
    run = fd.simulate(fd.catalog.space_arm(), t_end, samples=601, rtol=1e-10).check()
    part = run.chain.q_slice("box")
    angles = np.degrees(np.unwrap(fd.from_quaternion(run.q[:, part.start + 3:part.stop], "xyz"), axis=0))
    return run, angles, fd.momenta(run), fd.base_reaction(run)


def main(folder="."):
    run, angles, found, felt = motion()

    def three(title, unit, x):
        return Plot(title, unit, [Curve(run.t, x[:, k], "xyz"[k], k) for k in range(3)])

    rows = [[three("attitude of the box, angles about its axes", "degrees", angles),
             three("place of the box", "m", run.q[:, run.chain.q_slice("box")])],
            [three("angular momentum about the mass centre", "N m s", found.about_center),
             three("linear momentum", "N s", found.linear)],
            [three("moment of the arm on the box", "N m", felt[:, 3:]),
             three("force of the arm on the box", "N", felt[:, :3])]]
    picture, player = Path(folder)/"space_arm.svg", Path(folder)/"space_arm.html"
    Sheet("A box in space turned by its arm", rows, shares=(1.0, 1.0)).page().save(picture)
    fd.view(run, player)
    print(f"{picture}, {player}: the box has turned by {angles[-1, 0]:.0f} degrees about x; largest momenta "
          f"{np.abs(found.linear).max():.0e} N s, {np.abs(found.about_center).max():.0e} N m s")
    return picture, player


if __name__ == "__main__":
    main(*sys.argv[1:2])
