"""Points of elastic chains on grounds: gaps, forces, powers, log and samples as the oracle and the laws say."""

import numpy as np
import pytest
from asking import ask_rate
from formulations.common import examples, off, within
from formulations.elastic_chains import bent_chains_in_motion, one_ladder_of_beams
from formulations.elastic_oracle import oracle
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from strategies import between

import fastdyn as fd
from fastdyn import Contact, Friction, Ground
from fastdyn.describe.falling import falling_chain
from fastdyn.formulations import recursive
from fastdyn.formulations.contacts import FUNCTIONS
from fastdyn.layout import FRICTION, GIVEN, GROUND, LOG, LOGGED, WORKS
from fastdyn.run.callbacks import Callbacks
from fastdyn.run.plant import Plant

__all__ = ["one_ladder_of_beams"]
pytestmark = [pytest.mark.usefixtures("one_ladder_of_beams"), pytest.mark.kernels]
STIFFNESS, DAMPING, MU, V0, V1 = 300.0, 3.0*0.5/2.0, 0.3, 0.5, 3.0     # Hunt and Crossley told 0.5, friction's ramp


def ground(normal, place):
    return Ground(normal=(*normal, 0.0), point=(*place, 0.0),
                  contact=Contact(law="hunt-crossley", stiffness=STIFFNESS, restitution=0.5),
                  friction=Friction(law="ambrosio", mu=MU, v0=V0, v1=V1))


@st.composite
def grounded(draw):
    """(chain over one or two grounds, plant, its state with some points touching, the oracle's answer)"""
    chain, q, v, _ = draw(bent_chains_in_motion(most=4))
    assume(any(link.nv for link in chain.links))
    angles = draw(st.lists(between(-3.0, 3.0), min_size=1, max_size=2))
    places = [draw(st.tuples(between(-1.0, 1.0), between(-1.0, 1.0))) for _ in angles]
    chain = chain.replace(grounds=[ground((np.cos(a), np.sin(a)), x) for a, x in zip(angles, places)])
    plant = Plant(chain, "recursive", recursive.dense_size(chain.model), Callbacks(chain))
    y = np.zeros(chain.nq + chain.nv + (1 + GIVEN)*plant.contacts + WORKS)
    y[:chain.nq], y[chain.nq:chain.nq + chain.nv] = q, v
    speeds = draw(st.lists(st.just(0.0) | between(0.1, 2.0), min_size=plant.contacts, max_size=plant.contacts))
    y[chain.nq + chain.nv:-WORKS - GIVEN*plant.contacts] = speeds
    y[-WORKS - GIVEN*plant.contacts:-WORKS] = np.arange(GIVEN*plant.contacts)
    return chain, plant, y, oracle(chain, q, v)


def contacts_of(chain, known, v, touch):
    """(normal, tangent, frame, gap, rate of the depth, slip, N, F) of every contact"""
    for (point, number), speed in zip(chain.contact_pairs, touch):
        link, _, position, _ = chain.contact_points[point]
        name = chain.links[link].name
        frame = known.tips[name] if any(position) else known.joints[name]
        n = np.array(chain.grounds[number].normal[:2])
        t = np.array([n[1], -n[0]])
        gap, u = n @ (frame.place - chain.grounds[number].point[:2]), frame.moving @ v
        N = STIFFNESS*max(-gap, 0.0)**1.5*(1.0 - DAMPING*(n @ u)/speed) if speed else 0.0
        F = -MU*N*np.sign(t @ u)*np.clip((abs(t @ u) - V0)/(V1 - V0), 0.0, 1.0)
        yield n, t, frame, gap, -(n @ u), t @ u, N, F


@settings(max_examples=examples(40))
@given(grounded())
def test_gaps_forces_and_powers(case):
    chain, plant, y, known = case
    v, touch = y[chain.nq:chain.nq + chain.nv], y[chain.nq + chain.nv:-WORKS - GIVEN*plant.contacts]
    gaps, dy = np.full(FUNCTIONS*plant.contacts, np.nan), np.full_like(y, np.nan)
    pushed, powers, gave, reach = 0.0, [0.0, 0.0], [], 1.0
    assert ask_rate(plant.kernels["gaps"], plant.handle, 0.0, y, gaps) == 0
    assert ask_rate(plant.rate, plant.handle, 0.0, y, dy) == 0
    place, velocity, force = np.split(plant._contact_samples(y[None])[0], 3, axis=1)
    for k, (n, t, frame, gap, rate, slip, N, F) in enumerate(contacts_of(chain, known, v, touch)):
        kinks = (abs(slip) - V0, abs(slip) - V1) if touch[k] else (1.0, 1.0)
        assert within(off(gaps[FUNCTIONS*k:FUNCTIONS*(k + 1)], (gap, *kinks, 1.0), 10.0), 1e-14)
        assert within(off(place[k, :2], frame.place, 1.0), 1e-14)
        assert within(off(velocity[k, :2], frame.moving @ v, 10.0), 1e-14)
        assert within(off(force[k, :2], N*n + F*t, 10.0*STIFFNESS), 1e-13)
        pushed = pushed + frame.moving.T @ (N*n + F*t)
        powers, gave = [powers[0] - N*rate, powers[1] + F*slip], [*gave, (N, -N*rate, F)]
        reach += (abs(N) + abs(F))*(1.0 + abs(rate) + abs(slip))
    acc = dy[chain.nq:chain.nq + chain.nv]
    size = reach + np.max(known.effort + np.abs(known.M) @ np.abs(acc))
    assert within(np.max(np.abs(known.M @ acc + known.h - pushed))/size, 1e-13)
    assert within(max(abs(dy[-WORKS + GROUND] - powers[0]), abs(dy[-WORKS + FRICTION] - powers[1]))/reach, 1e-13)
    assert np.array_equal(dy[:chain.nq], v) and not np.any(dy[chain.nq + chain.nv:-WORKS - GIVEN*plant.contacts])
    assert within(off(dy[-WORKS - GIVEN*plant.contacts:-WORKS], np.transpose(gave).ravel(), 10.0*STIFFNESS), 1e-13)


@settings(max_examples=examples(40))
@given(grounded())
def test_the_log(case):
    """A line for each point that touches: depth and normal force with their rates."""
    chain, plant, y, known = case
    _, v, touch, _ = np.split(y, [chain.nq, chain.nq + chain.nv, len(y) - WORKS - GIVEN*plant.contacts])
    dy = np.full_like(y, np.nan)
    assert ask_rate(plant.rate, plant.handle, 0.0, y, dy) == 0
    assert ask_rate(plant.kernels["settle"], plant.handle, 2.5, y, dy) == 0
    lines, acc = plant.work.log[:LOG*plant.work.note[LOGGED]].reshape(-1, LOG), dy[chain.nq:chain.nq + chain.nv]
    assert lines[:, 1].tolist() == np.flatnonzero(touch).tolist() and np.all(lines[:, 0] == 2.5)
    every = list(contacts_of(chain, known, v, touch))
    for _, k, depth, rate, N, slope, slip, F, *gave in lines:
        n, _, frame, gap, known_rate, known_slip, known_N, known_F = every[int(k)]
        assert within(off([depth, rate, slip], [-gap, known_rate, known_slip], 10.0), 1e-14)
        assert within(off([N, F], [known_N, known_F], 10.0*STIFFNESS), 1e-13)
        assert gave == [k, plant.contacts + k, 2*plant.contacts + k]
        curve = -(n @ (frame.moving @ acc + frame.bias))
        size = np.abs(n @ frame.moving) @ np.abs(acc) + np.abs(frame.bias).sum() + 1.0
        d, damping = max(-gap, 0.0), DAMPING/touch[int(k)]
        expected = STIFFNESS*(1.5*np.sqrt(d)*rate*(1.0 + damping*rate) + d**1.5*damping*curve)
        assert within(abs(slope - expected)/(abs(expected) + STIFFNESS*size), 1e-13)


def test_a_short_impact():
    """From the air through the ground and out: switches, kinks of friction, log and rows, in all ways of running."""
    chain = falling_chain("ss-sc", angle=20.0, height=1e-3, stiffness=1e9)
    run = fd.simulate(chain, 0.0164, samples=3, rtol=1e-5).check()
    first, touching = run.contacts[0], run.touching
    assert within(abs(first["start"] - np.sqrt(2e-3/9.81)), 1e-9) and first["start"] < first["end"] < 0.0164
    assert 0.0 < first["leaving"] < 0.2 and 0.0 < first["depth"] < 1e-3
    lines = touching[touching["point"] == 0]
    N = 1e9*np.maximum(lines["depth"], 0.0)**1.5*(1.0 + 0.375*lines["rate"]/first["speed"])
    inside = (lines["time"] > first["start"]) & (lines["time"] < first["end"])
    assert np.count_nonzero(inside) > 10 and within(off(lines["normal"][inside], N[inside]), 1e-13)
    assert first["force"] >= np.max(N) and first["force"] < 1.05*np.max(N)
    F = -0.1*lines["normal"]*np.sign(lines["slip"])*np.clip((np.abs(lines["slip"]) - 1e-4)/9e-4, 0.0, 1.0)
    assert within(off(lines["friction"], F), 1e-12) and within(np.max(np.abs(run.energy_error)), 1e-6)
