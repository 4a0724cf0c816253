"""Closures of one gap through singular poses, where their row of J vanishes and there is no other to compare it with.

So do slots and sliders whose place runs through the axis of their own link.
"""

import numpy as np
import pytest

import fastdyn as fd
from fastdyn.describe.signals import Constant

pytestmark = pytest.mark.filterwarnings("ignore:the start is a singular pose")
G, TORQUE, TURNED, START = 9.81, 3.0, np.array([1.0, -1.0, 1.0]), 1.0


def turning(torque):
    return fd.Revolute(drive=Constant(torque)) if torque else fd.Revolute()


def parallelogram(coupler):
    """Crank and rocker of 1 m, 1 and 3 kg, 1 m apart, driven at the crank; the coupler a distance, or a light bar."""
    bars = [fd.Link(name="crank", length=1.0, mass=1.0, joint=turning(TORQUE)),
            fd.Link(name="rocker", length=1.0, mass=3.0, parent="base", at=(1.0, 0.0, 0.0))]
    closure = fd.Closure(kind="distance", a="crank.tip", b="rocker.tip", length=1.0, name="top")
    if coupler == "bar":
        bars.insert(1, fd.Link(name="bar", parent="crank", length=1.0, mass=1e-9))
        closure = fd.Closure(kind="pin", a="bar.tip", b="rocker.tip", name="top")
    return fd.Chain(bars, closures=[closure])


def slotted(kind):
    """A crank of 1 m whose tip runs in a line of a rocker, through the foot of the rocker where the crank is at 0."""
    links = [fd.Link(name="crank", length=1.0, mass=1.0, joint=turning(TORQUE)),
             fd.Link(name="rocker", length=1.0, mass=2.0, parent="base", at=(1.0, 0.0, 0.0))]
    end = "crank.tip"
    if kind == "slider":
        links.insert(1, fd.Link(name="block", parent="crank", body=fd.Body(mass=0.5, inertia=(0.1, 0.1, 0.1))))
        end = "block"
    return fd.Chain(links, gravity=(0.0, 0.0, 0.0),
                    closures=[fd.Closure(kind=kind, a="rocker", b=end, axis=(1.0, 0.0, 0.0))])


def pendulum(t):
    """The angle of the parallelogram, which is one pendulum"""
    def rate(t, y):
        return np.array([y[1], (TORQUE - 2.0*G*np.cos(y[0]))/(4.0/3.0)])

    return fd.integrate(rate, [START, 0.0], t[-1], times=t, rtol=1e-12).y[:, 0]


FLAT = fd.Event(function=lambda t, q, v: q[0], name="flat")


@pytest.mark.parametrize("events", [(), FLAT], ids=["plain", "logged"])
@pytest.mark.parametrize("closures", ["multipliers", "minimal"])
@pytest.mark.parametrize("stepper", ["dop853", "dopri5", "adams", "radau5"])
def test_a_distance_passes_the_flat_pose_on_its_branch(stepper, closures, events):
    run = fd.simulate(parallelogram("distance"), 3.0, [START, START], [0.0, 0.0], stepper=stepper, closures=closures,
                      events=events, samples=13).check()
    assert np.abs(run.q - pendulum(run.t)[:, None]).max() < 1e-6 and np.abs(fd.gaps(run.chain, run.q)).max() < 1e-12
    assert len(run.events) == (2 if events else 0)


@pytest.mark.parametrize("closures", ["multipliers", "minimal"])
@pytest.mark.parametrize("angle", [1.0, 0.1, 1e-3, 1e-5, 1e-8, 0.0])
def test_a_distance_is_as_idle_as_a_light_bar(angle, closures):
    distance, bar = parallelogram("distance"), parallelogram("bar")
    for speed in (0.0, 1.0):
        short, full = np.array([1.0, 1.0]), TURNED
        a, b = (fd.forward_dynamics(c, angle*way, speed*way, [TORQUE, *np.zeros(c.nv - 1)], closures=closures)
                for c, way in ((distance, short), (bar, full)))
        assert np.abs(a - b[::2]).max() < 1e-6
        f, g = (fd.closure_forces(c, angle*way, speed*way, [TORQUE, *np.zeros(c.nv - 1)], closures=closures)[0, :2]
                for c, way in ((distance, short), (bar, full)))
        assert np.abs(f - g).max() < 1e-5


def test_starts_in_the_pose_are_those_of_a_bar():
    """Told, and refused between the motions; idle there, of full rank beside."""
    chain = parallelogram("distance")
    found, beside = fd.mobility(chain, np.zeros(2)), fd.mobility(chain, np.full(2, 1e-3))
    assert found[:5] == (1, 0, 2, 1, ()) and found.measure == 0.0
    assert beside[:5] == (1, 1, 1, 1, ()) and 1e-3 < beside.measure < 0.1
    run = fd.simulate(chain, 0.5, np.zeros(2), np.ones(2))
    assert "singular pose" in run.notes[0]
    with pytest.raises(fd.ModelError, match=r'"top": .* velocities as given would open this closure'):
        fd.simulate(chain, 0.5, np.zeros(2), [1.0, 0.5])


@pytest.mark.parametrize("closures", ["multipliers", "minimal"])
@pytest.mark.parametrize("kind", ["slot", "slider"])
def test_a_place_runs_through_the_axis_of_the_link_that_guides_it(kind, closures):
    """The rocker turns by half the angle of the crank, which is therefore uniformly accelerated."""
    chain, inertia = slotted(kind), 1.0/3.0 + 2.0/3.0/4.0 + (0.5 + 0.1/4.0 if kind == "slider" else 0.0)
    t = np.linspace(0.0, 1.5, 16)
    crank = -1.0 + t + 0.5*TORQUE/inertia*t*t
    rocker = 0.5*(crank + np.pi)
    q = np.stack([crank, rocker] if kind == "slot" else [crank, rocker - crank, rocker], axis=1)
    v = [1.0, 0.5] if kind == "slot" else [1.0, -0.5, 0.5]
    for events in ((), FLAT):
        run = fd.simulate(chain, 1.5, q[0], v, times=t, closures=closures, events=events).check()
        assert np.abs(run.q - q).max() < 1e-6


@pytest.mark.parametrize("closures", ["multipliers", "minimal"])
@pytest.mark.parametrize("stepper", ["dop853", "rkf45"])
@pytest.mark.parametrize("speed", [8.0, 9.0, 10.4])
def test_samples_of_steps_across_a_flat_pose_are_on_the_way(speed, stepper, closures):
    """Rates that only a look inside a step asks for may be next to the pose, where they are wild; steps are not."""
    body = fd.Body(mass=1.0, com=(0.5, 0.1, 0.0), inertia=(0.05, 0.2, 0.22))
    bars = [fd.Link(name=name, length=1.0, body=body) for name in "ab"]
    free = fd.Chain(bars, space="plane")
    chain = free.replace(closures=[fd.Closure(kind="distance", a=(1.0, 0.0, 0.0), b="b.tip", length=1.0)])
    q, v = fd.assemble(chain, [1.0, -1.0], [speed, -speed])
    run = fd.simulate(chain, 2.0, q, v, samples=801, rtol=1e-10, atol=1e-12, stepper=stepper, closures=closures).check()
    kinetic = fd.kinetic_energy(free, run.q, run.v)
    assert np.ptp(kinetic + fd.potential_energy(free, run.q)) < 1e-6*kinetic.max()
    assert np.abs(run.q[:, 0] + run.q[:, 1]).max() < 1e-7 and np.abs(fd.gap_rates(chain, run.q, run.v)).max() < 1e-6


NOTHING = {"distance": fd.Closure(kind="distance", a="a.tip", b="b.tip", length=0.9),
           "slot": fd.Closure(kind="slot", a="b", b="a.tip", axis=(0.6, 0.8, 0.0))}


@pytest.mark.parametrize("kind", NOTHING)
@pytest.mark.parametrize("lengths", [(1.3, 0.9), (0.7, 0.9), (1.1, 0.9)])
@pytest.mark.parametrize("joint", [fd.Revolute(), fd.Revolute(axis=(0.36, 0.48, 0.8)), fd.Spherical()])
@pytest.mark.parametrize("foot", [0.0, 30.0])
def test_what_says_nothing_takes_no_freedom(kind, lengths, joint, foot):
    """A joint holds two places together that a closure holds again; its row is rounding, which grows with the foot."""
    links = [fd.Link(name=name, length=length, joint=joint, at=at,
                     body=fd.Body(mass=1.0, com=(length/2, 0.1, 0.0), inertia=(0.2, 0.3, 0.4)))
             for name, length, at in zip("ab", lengths, ((foot, -foot, 0.0), None))]
    free = fd.Chain(links)
    chain, random = fd.Chain(links, closures=[NOTHING[kind]]), np.random.default_rng(5)
    for _ in range(5):
        q = fd.assemble(free, random.uniform(-2.0, 2.0, chain.nq))
        found = fd.mobility(chain, q)
        assert found[:5] == (len(fd.gaps(chain, q)), 0, chain.nv, chain.nv, ("closure[0]",)) and found.measure == 1.0
        assert fd.singularity(chain, q, ["a", "b"]) == pytest.approx(fd.singularity(free, q, ["a", "b"]), nan_ok=True)
        v, acc = random.uniform(-1.0, 1.0, (2, chain.nv))
        torque = fd.drive_torques(chain, q, v, acc, ["a", "b"])
        assert np.abs(torque - fd.inverse_dynamics(free, q, v, acc)).max() < 1e-10
        assert np.abs(fd.forward_dynamics(chain, q, v, torque) - acc).max() < 1e-10
    run = fd.simulate(chain, 0.1, q, v, samples=2)
    assert run.notes[0].startswith("closure[0]: says nothing that joints and other gaps do not (rank 0 of")
    assert np.abs(run.q[-1] - fd.simulate(free, 0.1, q, v, samples=2).q[-1]).max() < 1e-12
