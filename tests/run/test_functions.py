"""Functions of the user as signals, as laws of joints and as drives: compiled or in Python, they act alike."""

import math
import pickle

import numpy as np
import pytest
from msgspec.structs import replace
from numba import cfunc, float32, float64, njit, types, void

import fastdyn as fd
from fastdyn import Chain, Link, Load, ModelError, Sine, Table
from fastdyn.describe.files import parse
from fastdyn.status import DRIVE_FAILED, OFF_PLANE, SIGNAL_FAILED

pytestmark = [pytest.mark.usefixtures("one_ladder"), pytest.mark.kernels]
NUMBERS = types.CPointer(float64)
DRIVE = void(float64, NUMBERS, NUMBERS, NUMBERS, NUMBERS)
LAW = float64(float64, NUMBERS, NUMBERS)
ROD = {"length": 1.0, "mass": 1.0, "radius": 0.1}


def swing(t): return 0.3 + 2.0*math.sin(3.0*t + 0.5)


SWING = Sine(2.0, 3.0, 0.5, 0.3)
COMPILED = {"python": swing, "njit": njit(swing), "cfunc": cfunc(float64(float64))(swing)}
ways = pytest.mark.parametrize("way", list(COMPILED))


def pushed(signal, drive=(), **words):
    """Two links in the plane: a load on the first, a drive at the second."""
    load = Load(force=(0.4, 1.0, 0.0), moment=(0.0, 0.0, 0.2), at=(0.5, 0.0, 0.0), signal=signal)
    return Chain([Link(name="a", loads=[load], **ROD), Link(name="b", joint=fd.Revolute(drive=drive), **ROD)], **words)


def in_space():
    """Rows in another order than links, and joints of two rows."""
    turn = (math.sqrt(0.5), 0.0, math.sqrt(0.5), 0.0)
    return Chain([Link(name="a", joint=fd.Universal(), turn=turn, **ROD),
                  Link(name="b", joint=fd.Spherical(), **ROD), Link(name="c", parent="a", joint=fd.Universal(), **ROD),
                  Link(name="d", parent="b", joint=fd.Fixed(), **ROD)])


def floating():
    return Chain([Link(name="a", joint=fd.FreePlanar(), **ROD), Link(name="b", **ROD),
                  Link(name="c", parent="a", turn=(math.sqrt(0.5), 0.0, 0.0, math.sqrt(0.5)), **ROD)])


@ways
def test_a_function_of_time_is_the_signal_it_computes(way):
    chain, told = pushed(COMPILED[way], COMPILED[way]), pushed(SWING, SWING)
    q, v = [0.3, -0.4], [0.2, 0.1]
    for t in (0.0, 0.7, 5.0):
        asked = [(*fd.forward_dynamics(c, q, v, t=t), *fd.inverse_dynamics(c, q, v, q, t=t)) for c in (chain, told)]
        assert asked[0] == pytest.approx(asked[1], rel=1e-13)
    many = fd.forward_dynamics(chain, [q]*3, [v]*3, t=0.7)
    assert np.array_equal(many[2], fd.forward_dynamics(chain, q, v, t=0.7))
    run, other = (fd.simulate(c, 1.0, q=q, v=v, rtol=1e-9) for c in (chain, told))
    assert run.check().q[-1] == pytest.approx(other.q[-1], abs=1e-9)
    for name in run.ledger.dtype.names:
        assert run.ledger[name][-1] == pytest.approx(other.ledger[name][-1], abs=1e-7)


def test_a_function_with_corners_is_a_table():
    ramp = Table([0.0, 1.0, 2.0], [0.0, 1.0, 1.0])
    chain, told = pushed(lambda t: min(max(t, 0.0), 1.0)), pushed(ramp)
    for t in (-1.0, 0.25, 1.0, 3.0):
        asked = [fd.bias(c, [0.3, 0.1], [0.0, 0.0], t=t) for c in (chain, told)]
        assert asked[0] == pytest.approx(asked[1], rel=1e-14)


def spring(t, q, v): return -3.0*q[0] - 0.4*v[0]


@pytest.mark.parametrize("law", [spring, njit(spring), cfunc(LAW)(spring)], ids=["python", "njit", "cfunc"])
def test_a_law_of_a_joint_can_be_its_spring(law):
    chain = pushed(SWING, law)
    told = Chain([chain.links[0], Link(name="b", joint=fd.Revolute(stiffness=3.0, damping=0.4), **ROD)])
    q, v = [0.3, -0.4], [0.2, 0.7]
    assert fd.forward_dynamics(chain, q, v) == pytest.approx(fd.forward_dynamics(told, q, v), rel=1e-13)
    run, other = (fd.simulate(c, 1.0, q=q, v=v, rtol=1e-9) for c in (chain, told))
    assert run.check().q[-1] == pytest.approx(other.q[-1], abs=1e-8)


def test_a_law_sees_all_of_its_joint_and_nothing_else():
    """q and v of its own joint, whole: of the second angle too, and the quaternion of a ball."""
    seen = {}

    def telling(name, answer):
        def law(t, q, v):
            seen[name] = t, *q, *v
            return answer
        return law

    base = in_space()
    joints = {"a": fd.Universal(drive=[telling("a0", 0.5), telling("a1", -0.25)]),
              "b": fd.Spherical(drive=[telling("b0", 1.0), Sine(2.0, 1.0), telling("b2", 3.0)])}
    chain = base.replace(links=[replace(link, joint=joints.get(link.name, link.joint)) for link in base.links])
    rng = np.random.default_rng(3)
    q, v = rng.uniform(-1.0, 1.0, chain.nq), rng.uniform(-1.0, 1.0, chain.nv)
    torque = np.zeros(chain.nv)
    torque[chain.v_slice("a")], torque[chain.v_slice("b")] = (0.5, -0.25), (1.0, 2.0*math.sin(0.7), 3.0)
    assert fd.forward_dynamics(chain, q, v, t=0.7) == pytest.approx(fd.forward_dynamics(base, q, v, torque), rel=1e-13)
    for name in ("a", "b"):
        own = 0.7, *q[chain.q_slice(name)], *v[chain.v_slice(name)]
        assert seen[f"{name}0"] == own
    assert seen["a1"] == seen["a0"] and seen["b2"] == seen["b0"]


def drives(on, planar):
    """The same drive compiled and in Python: torque on the first coordinate, a wrench on one link."""
    parts = np.array([0.5, -1.0, 0.0, 0.0, 0.0, 2.0] if planar else [0.5, -1.0, 0.7, 0.3, -0.4, 2.0])

    def push(t, q, v, torque, wrench):
        torque[0] += 1.0 - v[0]
        for k in range(6):
            wrench[on, k] += parts[k]*(1.0 + t)*(1.0 + q[0])

    def compiled(t, q, v, torque, wrench):
        torque[0] += 1.0 - v[0]
        for k in range(6):
            wrench[6*on + k] += parts[k]*(1.0 + t)*(1.0 + q[0])

    return cfunc(DRIVE)(compiled), push


@pytest.mark.parametrize("make, on", [(floating, 0), (floating, 2), (in_space, 0), (in_space, 2), (in_space, 3)])
def test_a_compiled_drive_has_the_wrenches_of_links(make, on):
    """Force, then moment, along the axes of the link, as in Python, by question and by run."""
    chain = make()
    compiled, plain = drives(on, chain.planar)
    fast, slow = chain.replace(drive=compiled), chain.replace(drive=plain)
    rng = np.random.default_rng(5)
    q, v = rng.uniform(-1.0, 1.0, chain.nq), rng.uniform(-1.0, 1.0, chain.nv)
    for _, part in chain.quaternions:
        q[part] /= np.linalg.norm(q[part])
    acc = fd.forward_dynamics(slow, q, v, t=0.3)
    assert np.abs(acc - fd.forward_dynamics(chain, q, v, t=0.3)).max() > 0.1
    assert np.array_equal(fd.forward_dynamics(fast, q, v, t=0.3), acc)
    torque, wrench = np.zeros(chain.nv), np.zeros((len(chain.links), 6))
    plain(0.3, q, v, torque, wrench)
    assert fd.forward_dynamics(chain, q, v, torque, t=0.3, wrench=wrench) == pytest.approx(acc, rel=1e-12)
    run, other = (fd.simulate(c, 0.3, q=q, v=v) for c in (fast, slow))
    assert np.array_equal(run.check().q, other.check().q)


def test_a_run_feels_the_wrench_that_a_question_is_told():
    """The speeds after a microsecond from rest are the acceleration that the question answers."""
    chain = in_space()
    compiled, _ = drives(2, False)
    driven = chain.replace(drive=compiled)
    q, v = chain.zero_state()
    q = q + 0.1
    for _, part in chain.quaternions:
        q[part] /= np.linalg.norm(q[part])
    run = fd.simulate(driven, 1e-6, q=q, v=v, rtol=1e-12, atol=1e-14)
    acc = fd.forward_dynamics(driven, q, v)
    assert run.check().v[-1]/1e-6 == pytest.approx(acc, rel=1e-3, abs=1e-3*np.abs(acc).max())


def test_a_compiled_drive_that_leaves_the_plane_is_told_with_its_link():
    def lift(t, q, v, torque, wrench): wrench[1, 2] += 1.0

    def compiled(t, q, v, torque, wrench): wrench[8] += 1.0

    for drive, status in ((lift, DRIVE_FAILED), (cfunc(DRIVE)(compiled), OFF_PLANE)):
        chain = pushed(SWING, drive=()).replace(drive=drive)
        with pytest.raises(ModelError, match=r'link "b": wrench .* leaves the plane'):
            fd.forward_dynamics(chain, [0.0, 0.0], [0.0, 0.0])
        run = fd.simulate(chain, 0.1)
        assert run.status == status and 'link "b"' in run.message


def test_what_a_signal_raises_is_told(tmp_path):
    def broken(t):
        if t > 0.05:
            raise KeyError("sensor")
        return 1.0

    chain = pushed(broken)
    fd.forward_dynamics(chain, [0.0, 0.0], [0.0, 0.0])
    for q in ([0.0, 0.0], [[0.0, 0.0]]*2):
        with pytest.raises(KeyError, match="sensor"):
            fd.forward_dynamics(chain, q, np.zeros_like(q), t=1.0)
    fd.forward_dynamics(chain, [0.0, 0.0], [0.0, 0.0])
    run = fd.simulate(chain, 0.2)
    with pytest.raises(ModelError, match='link "a": the signal broken is a function and cannot be written'):
        fd.simulate(chain, 0.2, store=tmp_path/"run.h5")
    assert not list(tmp_path.iterdir())
    assert run.status == SIGNAL_FAILED and "KeyError" in run.message and run.t[-1] <= 0.06
    with pytest.raises(ModelError, match="<lambda> answered 'x'; let it return a number"):
        fd.forward_dynamics(pushed(lambda t: "x"), [0.0, 0.0], [0.0, 0.0])


@pytest.mark.parametrize("make, said", [
    (lambda: Load(force=(1.0, 0.0, 0.0), signal=spring), r"signal is called as function\(t\), but spring\(t, q, v\)"),
    (lambda: fd.Revolute(drive=lambda t, q: 0.0), r"or function\(t, q, v\), but .* \(in a revolute joint\)"),
    (lambda: fd.Revolute(drive=[swing, swing]), "give 1 signal"),
    (lambda: fd.Revolute(drive=cfunc(float32(float32))(lambda t: t)), r"compiled as \(float32\) -> float32, .* double"),
    (lambda: pushed(SWING, drive=()).replace(drive=cfunc(void(*[float64]*5))(lambda t, q, v, a, b: None)),
     r"compiled as .* called as \(float64, float64\*, "),
    (lambda: pushed(swing).to_toml(), 'link "a": the signal swing is a function and cannot be written to a model file'),
    (lambda: pushed(SWING, spring).to_toml(), 'link "b": the signal spring is a function'),
])
def test_what_a_function_cannot_be_is_refused(make, said):
    with pytest.raises(ModelError, match=said):
        make()


def test_functions_are_equal_when_they_are_the_same():
    assert pushed(swing) == pushed(swing) and hash(pushed(swing)) == hash(pushed(swing))
    assert pushed(swing) != pushed(math.sin)
    assert pickle.loads(pickle.dumps(fd.Function(swing))) == fd.Function(swing)
    assert parse(pushed(SWING).to_toml()) == pushed(SWING)
