"""Closures hold and do not drive: the power of their forces over random loops, from velocities in plain NumPy."""

import numpy as np
import pytest
from formulations import free_bodies
from formulations.common import examples, within
from hypothesis import assume, given, settings
from strategies import loops_in_motion

import fastdyn as fd

pytestmark = [pytest.mark.usefixtures("one_ladder"), pytest.mark.kernels]


def power(chain, q, v, force):
    """(power, size): what wrenches of closures on both links work a second; every number before it adds up."""
    found, total, size = free_bodies.places(chain, q, v), 0.0, 0.0
    for held, wrench in zip(chain.held, force):
        (a, _), (b, place) = held.a, held.b
        x = np.array(place) if b < 0 else found[b].x + found[b].R @ place
        for sign, i in ((1.0, b), (-1.0, a)):
            if i >= 0:
                u = found[i].u + np.cross(found[i].w, x - found[i].x)
                total += sign*(wrench[:3] @ u + wrench[3:] @ found[i].w)
                size += np.abs(wrench[:3]) @ np.abs(u) + np.abs(wrench[3:]) @ np.abs(found[i].w)
    return total, size


@pytest.mark.parametrize("closures", ["multipliers", "minimal"])
@settings(max_examples=examples(60))
@given(case=loops_in_motion())
def test_closures_held_exactly_do_no_work(closures, case):
    """Away from singular poses, where not every velocity that keeps gaps shut begins a motion."""
    chain, q, v, torque = case
    J = fd.gap_jacobian(chain, q)
    beside = free_bodies.moved(chain, q, np.cos(np.arange(len(v))), 0.05)
    assume(np.linalg.matrix_rank(J, 1e-9) == np.linalg.matrix_rank(fd.gap_jacobian(chain, beside), 1e-9))
    allowed = v - np.linalg.lstsq(J, J @ v, rcond=1e-12)[0]
    force = fd.closure_forces(chain, q, allowed, torque, closures=closures)
    _, size = power(chain, q, v, force)                 # of the motion before it was made possible
    assert within(abs(power(chain, q, allowed, force)[0])/max(size, np.abs(force).max(), 1.0), 1e-12)


@pytest.mark.parametrize("damping", [0.0, 30.0])
@settings(max_examples=examples(60))
@given(case=loops_in_motion(stiffness=1e3))
def test_springs_give_what_their_energy_loses(damping, case):
    """And dampers take D g'^2 more. The springs are stretched: the chain has moved on by 0.05 s."""
    chain, q, v, torque = case
    chain = chain.replace(closures=[fd.Closure(**{f: getattr(c, f) for f in c.__struct_fields__}
                                               | {"damping": damping}) for c in chain.closures])
    q, cut = free_bodies.moved(chain, q, v, 0.05), chain.replace(closures=())

    def energy(t):
        there = free_bodies.moved(chain, q, v, t)
        return fd.potential_energy(chain, there) - fd.potential_energy(cut, there)

    force = fd.closure_forces(chain, q, v, torque)
    work, size = power(chain, q, v, force)
    lost = -free_bodies.rate_of(energy) - damping*np.sum(fd.gap_rates(chain, q, v)**2)
    assert within(abs(work - lost)/max(size, energy(0.0), 1.0), 1e-8)
