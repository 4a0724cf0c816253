"""Small motions beside a state: closed forms, runs beside the state, energies, loops, refusals."""

import numpy as np
import pytest
from formulations.common import examples
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.linalg import eigvals, expm
from strategies import chains_in_motion

import fastdyn as fd
from fastdyn.run.loops import moved
from fastdyn.status import ModelError, SimulationError

G = 9.81
DOWN = -np.pi/2
pytestmark = pytest.mark.usefixtures("one_ladder")


def rods(n, **words):
    return fd.Chain([fd.Link(name=f"rod{i}", length=1.0, mass=1.0, **words) for i in range(n)])


def test_two_rods_swing_as_the_book_says():
    """M = [[8/3, 5/6], [5/6, 1/3]] and K = g [[2, 1/2], [1/2, 1/2]] in relative angles, hanging."""
    M = np.array([[8/3, 5/6], [5/6, 1/3]])
    K = G*np.array([[2.0, 0.5], [0.5, 0.5]])
    found = fd.modes(rods(2), [DOWN, 0.0])
    assert np.allclose(found.frequency, np.sqrt(np.sort(eigvals(K, M).real)), rtol=1e-10)
    assert np.all(found.roots.real == 0.0) and np.all(found.damping == 0.0)
    for w, z in zip(found.frequency, found.shape.T):
        assert np.abs(K @ z - w*w*(M @ z)).max() < 1e-9*np.abs(K @ z).max() and np.abs(z).max() == 1.0


def test_standing_up_falls_both_ways():
    found = fd.modes(rods(1), [np.pi/2])
    assert np.allclose(found.roots, [np.sqrt(1.5*G), -np.sqrt(1.5*G)], rtol=1e-10)
    assert np.allclose(found.damping, [-1.0, 1.0])


@pytest.mark.parametrize("share", [0.1, 0.9, 1.1])
def test_a_damped_joint_has_its_share_of_critical_damping(share):
    inertia, stiffness = 1/3, 20.0
    joint = fd.Revolute(stiffness=stiffness, damping=share*2.0*np.sqrt(stiffness*inertia))
    chain = fd.Chain([fd.Link(length=1.0, mass=1.0, joint=joint)], gravity=(0.0, 0.0, 0.0))
    found, w = fd.modes(chain, [0.0]), np.sqrt(stiffness/inertia)
    if share < 1.0:
        assert np.allclose([*found.frequency, *found.damping], [w, share], rtol=1e-9)
    else:
        rest = np.sqrt(share**2 - 1.0)
        assert np.allclose(found.roots, [-w*(share - rest), -w*(share + rest)], rtol=1e-9)
        assert np.allclose(found.damping, 1.0)


@settings(max_examples=examples(5))
@given(chains_in_motion(planar=False), st.integers(0, 2**31))
def test_runs_beside_the_state_stay_with_the_linear_system(case, seed):
    """Twice as near the state they are four times as near to each other: balls, floating links, moving states."""
    chain, q, v, _ = case
    found, t = fd.linearize(chain, q, v), 1e-3
    x = np.random.default_rng(seed).normal(size=2*chain.nv)
    missed = []
    for h in (1e-2, 5e-3):
        ends = [fd.simulate(chain, t, moved(chain, q, s*h*x[:chain.nv]), v + s*h*x[chain.nv:], samples=2, rtol=1e-12,
                            atol=1e-14) for s in (1.0, -1.0)]
        speed = (ends[0].v[-1] - ends[1].v[-1])/2.0
        missed.append(np.abs(speed - (expm(found.A*t) @ (h*x))[chain.nv:]).max()/h)
    assert missed[1] < 0.3*missed[0] + (t*(10.0 + np.abs(found.A).max()))**2


def test_a_top_sleeps_when_it_spins_fast_enough():
    """Upright it is stable from I3 w = 2 sqrt(I1 m g l) on; its axes turn with it, and so do the small motions."""
    body = fd.Body(mass=2.0, com=(0.0, 0.0, 0.3), inertia=(0.05, 0.05, 0.04))
    top = fd.Chain([fd.Link(name="top", joint=fd.Spherical(), body=body)])
    about = 0.05 + 2.0*0.3**2
    edge = 2.0*np.sqrt(about*2.0*G*0.3)/0.04
    for share, stable in ((0.98, False), (1.02, True)):
        roots = np.linalg.eigvals(fd.linearize(top, [1.0, 0.0, 0.0, 0.0], [0.0, 0.0, share*edge]).A)
        assert (roots.real.max() < 1e-6*edge) == stable
    roots = np.sort(np.linalg.eigvals(fd.linearize(top, [1.0, 0.0, 0.0, 0.0], [0.0, 0.0, 1.02*edge]).A).imag)
    spin, fast = 1.02*edge, 0.04*1.02*edge
    swing = np.roots([about, -fast, 2.0*G*0.3])                     # of the axis, from outside: I1 s^2 - I3 w s + m g l
    assert np.allclose(np.sort(np.abs(spin - swing)), roots[-2:], rtol=1e-8)


def test_a_parallelogram_swings_as_a_rod_with_the_coupler_at_its_tip():
    bars = [fd.Link(name=name, length=1.0, mass=1.0) for name in ("crank", "coupler", "rocker")]
    window = fd.Chain([*bars[:2], fd.Link(name="rocker", parent="base", at=(1.0, 0.0, 0.0), length=1.0, mass=1.0)],
                      closures=[fd.Closure(kind="pin", a="coupler.tip", b="rocker.tip")])
    q = [DOWN, np.pi/2, DOWN]
    found = fd.modes(window, q)
    assert np.allclose(found.frequency, np.sqrt(2.0*G/(2/3 + 1.0)), rtol=1e-9)
    assert np.allclose(found.shape[:, 0]/found.shape[0, 0], [1.0, -1.0, 1.0], atol=1e-12)
    linear = fd.linearize(window, q, inputs=["crank"], outputs=[("coupler", (1.0, 0.0, 0.0))])
    assert linear.A.shape == (2, 2) and linear.outputs == ("coupler (1.0, 0.0, 0.0) x", "coupler (1.0, 0.0, 0.0) y")
    assert np.allclose(linear.B[1]*linear.basis[0, 0], 1.0/(2/3 + 1.0)*linear.basis[0, 0]**2, rtol=1e-9)
    assert np.allclose(linear.C[:, 0]/linear.basis[0, 0], [1.0, 0.0], atol=1e-12)


def test_springs_of_a_loop_count_along_the_closed_way():
    """At the rest of all springs the stiffness of the only freedom is c N.N, N the speeds of all joints."""
    chain = fd.catalog.four_bar().replace(gravity=(0.0, 0.0, 0.0))
    springs = tuple(fd.Link(**{f: getattr(link, f) for f in link.__struct_fields__} | {"joint": fd.Revolute(
        stiffness=5.0, rest=float(angle))}) for link, angle in zip(chain.links, chain.start_q))
    chain = chain.replace(links=springs)
    found = fd.modes(chain, chain.start_q)
    linear = fd.linearize(chain, chain.start_q)
    N = linear.basis[:, 0]
    assert np.allclose(found.frequency[0]**2, 5.0*(N @ N)/(N @ fd.mass_matrix(chain, chain.start_q) @ N), rtol=1e-9)


def test_what_floats_has_the_root_zero_exactly():
    """Six ways to move and turn as a whole, three springs between the two links."""
    body = fd.Body(mass=2.0, com=(0.3, 0.1, 0.0), inertia=(0.05, 0.06, 0.04))
    pair = fd.Chain([fd.Link(name="box", joint=fd.Free(), body=body),
                     fd.Link(name="arm", joint=fd.Spherical(stiffness=3.0), body=body)], gravity=(0.0, 0.0, 0.0))
    found = fd.modes(pair)
    assert np.all(found.roots[:6] == 0.0) and np.all(found.frequency[6:] > 1.0) and len(found.roots) == 9
    assert np.all(np.isnan(found.damping[:6])) and np.all(found.damping[6:] == 0.0)


def test_mechanisms_of_any_size_have_the_same_linear_system():
    """Lengths in other units, gravity too, so that nothing changes in time; a slope held by torques."""
    joints = {"arm": fd.Revolute(), "slide": fd.Prismatic(axis=(1.0, 0.0, 0.0), stiffness=50.0)}

    def found(size):
        chain = fd.Chain([fd.Link(name=name, length=size, mass=1.0, joint=joint) for name, joint in joints.items()],
                         gravity=(0.0, -G*size, 0.0))
        state = [-0.4, 0.3*size], [1.2, 0.5*size]
        linear = fd.linearize(chain, *state, fd.bias(chain, *state))
        units = np.concatenate([linear.scale, linear.scale])*np.array([1.0, size/linear.scale[1]]*2)
        return linear.A*units/units[:, None]

    usual = found(1.0)
    for size in (1e-6, 1e6):
        assert np.allclose(found(size), usual, rtol=1e-9, atol=1e-9*np.abs(usual).max())


def test_states_go_to_python_control_with_their_names():
    pytest.importorskip("control.statesp", reason="python-control is not installed")    # tests has a room of that name
    control = pytest.importorskip("control")
    system = fd.linearize(rods(2), [DOWN, 0.0], inputs=["rod0"]).to_control()
    assert isinstance(system, control.StateSpace)
    assert system.state_labels == ["move_of_rod0", "move_of_rod1", "rod0", "rod1"] and system.input_labels == ["rod0"]
    assert control.ctrb(system.A, system.B).shape == (4, 4)


def test_what_is_no_equilibrium_is_told():
    with pytest.raises(ModelError, match=r"rod0 changes by .* a second in this state, which is no equilibrium"):
        fd.modes(rods(1), [0.0])
    held = fd.bias(rods(1), [0.0], [0.0])
    assert fd.modes(rods(1), [0.0], held).frequency[0] == 0.0


def test_the_edge_of_a_limit_is_told():
    chain = rods(1, joint=fd.Revolute(upper=DOWN, limit_stiffness=100.0))
    with pytest.raises(ModelError, match="do not change smoothly with rod0"):
        fd.linearize(chain, [DOWN])


def test_outputs_are_places_or_refused():
    found = fd.linearize(rods(2), [DOWN, 0.0], outputs=["rod1", ("rod1", (1.0, 0.0, 0.0))])
    assert np.allclose(found.C[:, :2], [[1.0, 0.0], [0.0, 0.0], [2.0, 1.0], [0.0, 0.0]], atol=1e-12)
    with pytest.raises(ModelError, match=r"in a list"):
        fd.linearize(rods(2), [DOWN, 0.0], outputs="rod1")
    with pytest.raises(ModelError, match="rod9"):
        fd.linearize(rods(2), [DOWN, 0.0], outputs=["rod9"])


def test_a_link_with_nothing_to_move_is_named():
    chain = fd.catalog.two_link(roll_inertia=0.0)
    for ask in (fd.linearize, fd.mobility):
        with pytest.raises(SimulationError, match=r'link "link2" about \(1, 0, 0\)'):
            ask(chain, chain.start_state()[0])
