"""Singular poses at a start or after an action: whether one of the motions that leave them is the chain's.

docs/theory/loops.md, (2c).
"""

import numpy as np

from ..formulations import loops as k
from ..formulations.idle import IDLE
from ..layout import held_exactly
from ..status import ModelError
from .assembly import held_slopes
from .loops import gap_list, named_by
from .scales import scales

NEAR = np.sqrt(IDLE)        # rad or lengths of the chain: nearer to a singular pose a gap takes no part
OFF = 1e-3                  # of the square of a speed, what second rates may be that no acceleration takes away
STILL = 1e-9                # 1/s^2: what is slower to begin is no motion


def check_way(system, q, v, acc, sentence=None):
    """Refuse a state in a singular pose that does not say where it goes; whether it goes at all.

    acc : accelerations there, by the gaps that take part. sentence : of the name of a closure and whether the chain
    moves, `of_start` if not given.
    """
    of, held = scales(system), held_exactly(system.model)
    U, s, W = np.linalg.svd(held_slopes(system, q))
    rank, s = np.count_nonzero(s > NEAR*s[0]), np.concatenate([s, np.zeros(held - len(s))])
    v, acc = (W[rank:].T @ (W[rank:] @ (x/of.speeds)) for x in (v, acc))      # the rest is rounding
    speed, start = (np.abs(x).max(initial=0.0) for x in (v, acc))
    moves = speed*speed > NEAR*start
    if not moves and start <= STILL:
        return False
    way, size = (v, speed) if moves else (acc, start)
    second = gap_list(system, k.gap_seconds, q, way/size*of.speeds, None)[:held]/of.gaps[:held]
    for silent, answers in zip(U.T[rank:], s[rank:]):
        if abs(silent @ second) > OFF + (10.0*answers*start/size**2 if moves else 0.0):
            raise ModelError((sentence or of_start)(named_by(system, int(np.abs(silent*second).argmax())), moves))
    return True


def of_start(name, moves):
    """What a start is refused with."""
    if moves:
        return (f"{name}: the start is a singular pose, and velocities as given would open this closure: none of the "
                "motions that leave the pose begins so; start beside it, at q, v = fastdyn.assemble(chain, q, v)")
    return (f"{name}: the start is a singular pose at rest, and forces begin to move it between the motions that this "
            "closure allows, so that nothing decides which it is; start beside it, or with the velocities of one of "
            "them")


def of_action(name, moves):
    """What is refused that an action leaves."""
    if moves:
        return (f"{name}: the pose is singular, and the velocities that the action leaves would open this closure: "
                "none of the motions that leave the pose begins so; let the event be beside it, or set velocities of "
                "one of them")
    return (f"{name}: the action leaves the chain at rest in a singular pose, and forces begin to move it between the "
            "motions that this closure allows, so that nothing decides which it is; let the event be beside it, or set "
            "velocities of one of them")
