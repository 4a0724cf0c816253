"""Welds and sliders stand as `turn` says: half a turn away their gaps vanish too, and that is not taken as closed."""

import numpy as np
import pytest
from formulations.loop_chains import chains
from msgspec.structs import replace
from scipy.spatial.transform import Rotation

import fastdyn as fd
from fastdyn.run.assembly import held_slopes
from fastdyn.run.loops import moved
from fastdyn.run.scales import scales
from fastdyn.run.upright import turn_slopes, upside_down, whole_turns
from fastdyn.status import ModelError

CHAINS = {name: chain for name, chain in chains().items() if name.split()[0] in ("weld", "slider")}
SWAPPED = Rotation.from_matrix([[0.0, 1.0, 0.0], [0.0, 0.0, 1.0], [1.0, 0.0, 0.0]])
OTHERS = {"in the plane": [Rotation.from_rotvec([0.0, 0.0, np.pi])],
          "in space": [*(Rotation.from_rotvec(np.pi*axis) for axis in np.eye(3)), SWAPPED]}
ARM = [fd.Link(name=name, length=1.0, mass=1.0) for name in ("a", "b", "c")]


def angle_off(chain, q):
    """Of place b of the only closure against how it should stand, rad, with the attitudes of its links."""
    closure, R = chain.closures[0], []
    for end in (closure.a, closure.b):
        R.append(np.eye(3) if not isinstance(end, str) else fd.orientation(chain, q, end.split(".")[0]))
    wanted = R[0] @ Rotation.from_quat(closure.turn, scalar_first=True).as_matrix()
    return Rotation.from_matrix(R[1] @ wanted.T).magnitude()


def wrong_ways(name):
    """The same chain with b's attitude turned in the words, which is closed the wrong way round where this one is."""
    chain = CHAINS[name]
    for turn in OTHERS[name.split(maxsplit=1)[1]]:
        right = Rotation.from_quat(chain.closures[0].turn, scalar_first=True)
        w, x, y, z = (right*turn).as_quat(scalar_first=True)
        q = (w, 0.0, 0.0, z) if name.endswith("plane") else (w, x, y, z)
        yield chain.replace(closures=[replace(chain.closures[0], turn=tuple(np.array(q)/np.linalg.norm(q)))])


@pytest.mark.parametrize("name", CHAINS)
def test_assembly_turns_what_stands_the_wrong_way_round(name):
    chain, rng = CHAINS[name], np.random.default_rng(2)
    q = assembled(chain, rng)
    assert angle_off(chain, q) < 1e-10 and upside_down(chain, q) is None
    for other in wrong_ways(name):
        assert upside_down(other, q) == 0
        if np.abs(fd.gaps(other, q)).max() > 1e-9:      # a slider's line turns along
            continue
        with pytest.raises(ModelError, match=r"closure\[0\] is closed the wrong way round at the start, b turned"):
            fd.simulate(other, 0.1, q, np.zeros(chain.nv))
        with pytest.raises(ModelError, match=r"closure\[0\] is closed the wrong way round, b turned"):
            fd.follow(other, "bar3", [fd.position(chain, q, "bar3")], q=q)
        if name == "weld in the plane":                 # then its bars are too short
            with pytest.raises(ModelError, match=r"closure\[0\] closes only the wrong way round from here"):
                fd.assemble(other, q)
            continue
        found = assembled(other, rng, q)
        assert angle_off(other, found) < 1e-10 and np.abs(fd.gaps(other, found)).max() < 1e-11


def assembled(chain, rng, q=None):
    """Closed from q, or from beside it if not from there."""
    guess = chain.start_state()[0] if q is None else q
    for spread in (0.0, *[0.5]*60):
        try:
            return fd.assemble(chain, moved(chain, guess, spread*rng.normal(size=chain.nv)))
        except ModelError:
            continue
    raise AssertionError("nothing closed")


@pytest.mark.parametrize("name", CHAINS)
def test_slopes_of_rotation_vectors(name):
    chain, rng, h = CHAINS[name], np.random.default_rng(5), 1e-6
    q = moved(chain, chain.start_state()[0], rng.normal(size=chain.nv))
    J = turn_slopes(chain, q)
    for j, step in enumerate(h*np.diag(scales(chain).speeds)):
        there, here = whole_turns(chain, moved(chain, q, step)), whole_turns(chain, moved(chain, q, -step))
        assert np.abs((there - here)/(2*h) - J[:, j]).max() < 1e-7
    closed = assembled(chain, rng)
    assert np.linalg.matrix_rank(turn_slopes(chain, closed)) == np.linalg.matrix_rank(held_slopes(chain, closed))


@pytest.mark.parametrize("name", CHAINS)
def test_springs_that_hold_what_stands_the_wrong_way_round_are_told(name):
    """They are content there: a run says so, `follow` refuses it as of the rigid twin."""
    chain, rng = CHAINS[name], np.random.default_rng(2)
    q = assembled(chain, rng)
    sprung = on_springs(chain)
    assert fd.simulate(sprung, 1e-3, q, np.zeros(chain.nv), samples=2).notes == ()
    assert np.abs(fd.follow(sprung, "bar3", [fd.position(chain, q, "bar3")], q=q)[0] - q).max() < 1e-9
    for other in map(on_springs, wrong_ways(name)):
        if np.abs(fd.gaps(other, q)).max() > 1e-9:      # a slider's line turns along
            continue
        note, = fd.simulate(other, 1e-3, q, np.zeros(chain.nv), samples=2).notes
        assert note.startswith("closure[0]: at the start b stands more than a right angle from closure.turn; its")
        with pytest.raises(ModelError, match=r"closure\[0\] is closed the wrong way round at places\[0\], b turned"):
            fd.follow(other, "bar3", [fd.position(chain, q, "bar3")], q=q)


def on_springs(chain):
    return chain.replace(closures=[replace(chain.closures[0], stiffness=1e3, damping=30.0)])


@pytest.mark.parametrize("turned, speed, said", [
    (1.7, 0.0, "start"), (1.4, 0.0, None), (0.5, 100.0, "end"), (0.5, 3.0, None)])
def test_a_weld_on_springs_that_settles_half_a_turn_off_is_told(turned, speed, said):
    """A right angle, 1.57, parts the ways, from rest and over it."""
    body = fd.Link(name="p", joint=fd.FreePlanar(), body=fd.Body(mass=1.0, inertia=(0.1, 0.1, 0.1)))
    weld = fd.Closure(kind="weld", a=(1.0, 0.5, 0.0), b="p", stiffness=100.0, damping=5.0)
    chain = fd.Chain([body], closures=[weld], gravity=(0.0, 0.0, 0.0))
    run = fd.simulate(chain, 20.0, [1.0, 0.5, turned], [0.0, 0.0, speed]).check()
    assert abs(np.sin(run.q[-1, 2])) < 1e-6 and (np.cos(run.q[-1, 2]) < 0.0) == bool(said)
    assert len(run.notes) == bool(said) and (said is None or f"at the {said} b stands more than a" in run.notes[0])


def test_what_only_closes_upside_down_is_refused():
    weld = fd.Closure(kind="weld", a=(1.0, 0.0, 0.0), b="b.tip")
    chain = fd.Chain([ARM[0], fd.Link(name="b", joint=fd.Fixed(), turn=(0.0, 0.0, 0.0, 1.0), at=(2.0, 0.0, 0.0),
                                      length=1.0, mass=1.0)], closures=[weld])
    with pytest.raises(ModelError, match=r"closure\[0\] closes only the wrong way round from here, b turned against"):
        fd.assemble(chain, [0.0])
    with pytest.raises(ModelError, match=r"closure\[0\] is closed the wrong way round, b turned against closure.turn"):
        fd.drive_torques(chain, [0.0], [0.0], None, ["a"])


def test_a_pin_closes_either_way():
    """Its axis is a line without a sense."""
    link = fd.Link(name="a", parent="base", joint=fd.Free(), body=fd.Body(mass=1.0, inertia=(0.1, 0.1, 0.1)))
    chain = fd.Chain([link], closures=[fd.Closure(kind="pin", a=(1.0, 0.0, 0.0), b="a")])
    over = np.array([1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0])
    assert np.abs(fd.assemble(chain, over) - over).max() < 1e-12
