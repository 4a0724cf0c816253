"""A planar parallel robot on a circle: how its legs get there, what its drives give, how far singular poses are.

    python docs/examples/parallel_robot.py [folder]

writes parallel_robot.svg: the three torques and the two measures of singularity along the path, in two working modes.
"""

import sys
from pathlib import Path

import numpy as np
from msgspec.structs import replace

import fastdyn as fd
from fastdyn.show.sheet import Curve, Plot, Sheet

DRIVES = ("I1", "II1", "III1")
RADIUS, TURN, SPEED = 0.12, 0.3, np.pi                  # m, rad the platform swings by, rad/s


def path(t):
    """(places, angles, velocities, accelerations) of the platform: once round in 2 s, swinging twice."""
    c, s, zero = RADIUS*np.cos(SPEED*t), RADIUS*np.sin(SPEED*t), 0.0*t
    swing = 2*SPEED
    first = np.column_stack([-SPEED*s, SPEED*c, zero, zero, zero, TURN*swing*np.cos(swing*t)])
    second = np.column_stack([-SPEED**2*c, -SPEED**2*s, zero, zero, zero, -TURN*swing**2*np.sin(swing*t)])
    return np.column_stack([c, s, zero]), TURN*np.sin(swing*t), first, second


def driven(elbows, t):
    """(torques (times, 3), Singularity) along the path in a working mode."""
    robot = fd.catalog.rrr_rose("P0", elbows=elbows)        # of the catalog, with drives for another path
    robot = robot.replace(links=[replace(link, joint=fd.Revolute()) if link.name in DRIVES else link
                                 for link in robot.links])
    places, angles, velocities, accelerations = path(t)
    q, v, acc = fd.follow(robot, "platform", places, angles=angles, velocities=velocities, accelerations=accelerations)
    torques = fd.drive_torques(robot, q, v, acc, DRIVES)
    return torques[:, [0, 2, 4]], fd.singularity(robot, q, DRIVES, "platform")


def main(folder="."):
    t = np.linspace(0.0, 2.0, 101)
    rows = []
    for elbows in ("+++", "---"):
        torques, near = driven(elbows, t)
        print(f"elbows {elbows}: at most {np.abs(torques).max():.4g} N m; measures at least {near.drives.min():.3g} "
              f"(drives) and {near.output.min():.3g} (platform)")
        legs = [Curve(t, torque, name, i) for i, (name, torque) in enumerate(zip(DRIVES, torques.T))]
        measures = [Curve(t, near.drives, "drives", 0), Curve(t, near.output, "platform", 1)]
        rows.append([Plot(f"torques, elbows {elbows}", "N m", legs), Plot(f"measures, elbows {elbows}", "", measures)])
    out = Path(folder)/"parallel_robot.svg"
    Sheet("A parallel robot on a circle", rows).page().save(out)
    return out


if __name__ == "__main__":
    main(*sys.argv[1:2])
