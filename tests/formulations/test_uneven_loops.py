"""What closures hold does not depend on what links weigh: one body of a loop 1e-14 to 1e10 times as heavy as others."""

import numpy as np
import pytest
from formulations import uneven_loops as uneven
from msgspec.structs import replace

import fastdyn as fd
from fastdyn.formulations import projection
from fastdyn.run.loops import work_of_loops
from fastdyn.status import LET_GO

MASSES = (1e-14, 1e-10, 1e-8, 1e-6, 1e-3, 1.0, 1e3, 1e6, 1e10)
ROADS = "multipliers", "minimal"
LOOPS = {
    "coupler": (uneven.coupler, 2, 0), "coupler in space": (lambda m: uneven.coupler(m, "space"), 2, 3),
    "floating": (uneven.floating, 4, 0), "tilted": (uneven.tilted, 2, 1),
    "crank": (lambda m: uneven.window(m, 0), 2, 0), "bar": (lambda m: uneven.window(m, 1), 2, 0),
    "rocker": (lambda m: uneven.window(m, 2), 2, 0), "bar in space": (lambda m: uneven.window(m, 1, "space"), 2, 3),
    "rocker in space": (lambda m: uneven.window(m, 2, "space"), 2, 3), "bricard": (uneven.bricard, 4, 1),
    "last of bricard": (lambda m: uneven.bricard(m, 4), 4, 1)}


def moving(chain):
    rng = np.random.default_rng(3)
    return *fd.assemble(chain, chain.start_state()[0], rng.normal(size=chain.nv)), rng.normal(size=chain.nv)


@pytest.mark.parametrize("name", LOOPS)
def test_masses_do_not_say_what_is_held(name):
    """Rank and accelerations are those of the geometry; what moves is what J' f, and nothing else, does."""
    make, rank, idle = LOOPS[name]
    for mass in MASSES:
        chain = make(mass)
        q, v, torque = moving(chain)
        wanted, found = uneven.by_geometry(chain, q, v, torque)
        assert found == rank
        projection.gaps_that_count(chain.model, work := work_of_loops(chain), q)
        assert len(projection.idle_gaps(chain.model, work)) == idle, mass
        force = {}
        for way in ROADS:
            acc = fd.forward_dynamics(chain, q, v, torque, closures=way)
            assert np.abs(acc - wanted).max() < 1e-9*np.abs(wanted).max() + 1e-15, (mass, way)
            force[way] = fd.closure_forces(chain, q, v, torque, closures=way)
        size = np.abs(force["multipliers"]).max()
        assert np.abs(force["minimal"] - force["multipliers"]).max() < 1e-9*size, mass


@pytest.mark.parametrize("name", ["coupler", "floating", "tilted", "bar in space", "bricard"])
def test_loops_stay_closed(name):
    for mass in (1e-12, 1e10):
        chain = LOOPS[name][0](mass)
        for way in ROADS:
            run = fd.simulate(chain, 0.2, samples=5, closures=way, max_steps=2000).check()
            assert np.abs(fd.gaps(chain, run.q)).max() < 1e-12*max(1.0, np.abs(run.q).max()), (mass, way)
            assert np.abs(run.energy_defect).max() < 1e-7*max(1.0, mass), (mass, way)


def test_a_link_that_weighs_nothing_is_driven_in_its_loop():
    """Alone its joint would turn 1e14 times as fast: what holds it is found to the last digit, and the run is one."""
    chain = uneven.bricard(1e-14, 4)
    (q, v, _), drive = moving(chain), np.array([0.0, 0.0, 0.0, 0.0, 1.0])
    wanted, _ = uneven.by_geometry(chain, q, v, drive)
    *links, last = chain.links
    driven = chain.replace(links=(*links, replace(last, joint=replace(last.joint, drive=fd.Constant(1.0)))))
    runs = []
    for way in ROADS:
        acc = fd.forward_dynamics(chain, q, v, drive, closures=way)
        assert np.abs(acc - wanted).max() < 1e-13*np.abs(wanted).max(), way
        runs.append(fd.simulate(driven, 0.1, samples=3, closures=way).check())
    assert np.abs(runs[0].q - runs[1].q).max() < 1e-9


def test_an_inner_rotor_that_weighs_nothing_beside_the_outer_one():
    """Two rotors on one axis beside a window, the outer 1e10 times as heavy: no freedom gets lost on the way to few."""
    window, turn = uneven.window(1.0, 1), np.array([0.0, 0.0, 0.0, 1e-10, 0.0])
    rotors = [fd.Link(name="inner", parent="base", body=uneven.solid(1e-10, 1.0)),
              fd.Link(name="outer", parent="inner", at=(0.0, 0.0, 0.0), body=uneven.solid(1.0, 1.0))]
    chain = window.replace(links=(*window.links, *rotors), start_q=(*window.start_q, 0.0, 0.0))
    q, v = chain.start_state()
    for way in ROADS:
        acc = fd.forward_dynamics(chain, q, v, turn, closures=way)
        assert np.abs(acc[3:] - [1.0, -1.0]).max() < 1e-5, way


def test_nothing_is_answered_where_a_closure_is_not_held():
    """Of more than 24 gaps rotors are too light at 1e-14: a question, a run and a tick say which closure it is."""
    many = uneven.tilted(1e-14)
    many = many.replace(closures=many.closures*9)
    q, v = many.start_state()
    with pytest.raises(fd.SimulationError, match=r"closure\[0\] opens with .* m/s\^2: forces do not hold") as found:
        fd.forward_dynamics(many, q, v)
    assert found.value.status == LET_GO
    for question in fd.closure_forces, fd.reactions:
        with pytest.raises(fd.SimulationError, match=r"closure\[0\] opens with"):
            question(many, q, v)
    half = 1.0/(2.0 + 1e-14)
    assert np.allclose(fd.forward_dynamics(many, q, v, closures="minimal"), [half, half, 0.0], rtol=1e-12)
    run = fd.simulate(many, 1.0, samples=3)
    assert run.status == LET_GO and not run.ok and "closure[0] is open by" in run.message
    tick = fd.ticker(many, dt=0.1)
    with pytest.raises(fd.SimulationError, match=r"closure\[0\] is open by .*, t = 0.1 s: forces do not hold") as found:
        tick()
    assert found.value.status == tick.status == LET_GO and not tick.stopped
    with pytest.raises(fd.ModelError, match="the motion has ended: closure"):
        tick()
    q, v = tick.reset()
    assert tick.status == 0


def test_closures_that_contradict_each_other_in_motion_are_named():
    """A point on two strings in one line: its motion across them bends one way by one, the other way by the other."""
    point = fd.Link(name="point", parent="base", joint=fd.FreePlanar(), body=uneven.solid(1.0))
    strings = [fd.Closure(kind="distance", a=(x, 0.0, 0.0), b="point", length=abs(x - 1.0), name=f"to {x:g}")
               for x in (0.0, 3.0)]
    chain = fd.Chain([point], closures=strings, gravity=(0.0, 0.0, 0.0))
    for way in ROADS:
        assert np.allclose(fd.forward_dynamics(chain, [1.0, 0.0, 0.0], np.zeros(3), closures=way), 0.0)
        with pytest.raises(fd.SimulationError, match=r'"to ." opens with 1\.5 m/s'):
            fd.forward_dynamics(chain, [1.0, 0.0, 0.0], [0.0, 1.0, 0.0], closures=way)
