"""What cannot be right is refused in a sentence that names the place; what is only written otherwise is taken."""

import re

import msgspec
import numpy as np
import pytest
from formulations.common import COMPILED

import fastdyn as fd
from fastdyn import Chain, Fixed, Link, ModelError, Prismatic, SimulationError, Spherical
from fastdyn.formulations import kinematics, recursive
from fastdyn.formulations.mass import mass_matrix
from fastdyn.layout import TROUBLED, work_of
from fastdyn.run.asking import check, numbers
from fastdyn.status import NOT_FINITE, OK, SINGULAR_INERTIA

pytestmark = [pytest.mark.usefixtures("one_ladder"), pytest.mark.kernels]
ROD = {"length": 1.0, "mass": 1.0, "radius": 0.1}
CHAIN = Chain([Link(**ROD), Link(name="ball", joint=Spherical(), **ROD), Link(name="slide", joint=Prismatic(), **ROD)],
              space="space")
Q, V = CHAIN.zero_state()
QUESTIONS = {
    "forward_dynamics": lambda q, v: fd.forward_dynamics(CHAIN, q, v),
    "inverse_dynamics": lambda q, v: fd.inverse_dynamics(CHAIN, q, v, None),
    "mass_matrix": lambda q, v: fd.mass_matrix(CHAIN, q),
    "bias": lambda q, v: fd.bias(CHAIN, q, v),
    "apply_inverse_mass": lambda q, v: fd.apply_inverse_mass(CHAIN, q, v),
    "kinetic_energy": lambda q, v: fd.kinetic_energy(CHAIN, q, v),
    "potential_energy": lambda q, v: fd.potential_energy(CHAIN, q),
    "momentum": lambda q, v: fd.momentum(CHAIN, q, v),
    "mass_center": lambda q, v: fd.mass_center(CHAIN, q),
    "position": lambda q, v: fd.position(CHAIN, q, "ball"),
    "orientation": lambda q, v: fd.orientation(CHAIN, q, "ball"),
    "velocity": lambda q, v: fd.velocity(CHAIN, q, v, "ball"),
    "acceleration": lambda q, v: fd.acceleration(CHAIN, q, v, None, "ball"),
    "jacobian": lambda q, v: fd.jacobian(CHAIN, q, "ball"),
    "reactions": lambda q, v: fd.reactions(CHAIN, q, v),
    "gibbs_function": lambda q, v: fd.gibbs_function(CHAIN, q, v, None),
}
TAKES_V = [name for name in QUESTIONS
           if name not in ("mass_matrix", "potential_energy", "mass_center", "position", "orientation", "jacobian")]


def spoiled(x, at, value):
    x = np.array(x)
    x[at] = value
    return x


def refused(words):
    return pytest.raises(ModelError, match=re.escape(words))


@pytest.mark.parametrize("value", [np.nan, np.inf, -np.inf])
@pytest.mark.parametrize("name", QUESTIONS)
def test_states_that_are_no_numbers(name, value):
    ask = QUESTIONS[name]
    with refused(f"q of ball.qy is {value}"):
        ask(spoiled(Q, 3, value), V)
    if name in TAKES_V:
        with refused(f"{'x' if name == 'apply_inverse_mass' else 'v'} of ball.wy is {value}"):
            ask(Q, spoiled(V, 2, value))


@pytest.mark.parametrize("name", QUESTIONS)
def test_masked_entries_are_no_numbers(name):
    ask, masked = QUESTIONS[name], np.ma.masked_array(Q, np.arange(6) == 3)
    with refused("q has masked entries"):
        ask(masked, V)
    assert np.array_equal(np.array(ask(np.ma.masked_array(Q), V), object), np.array(ask(Q, V), object))


@pytest.mark.parametrize("value", [np.nan, np.inf])
def test_what_is_given_besides(value):
    with refused(f"torque of slide is {value}"):
        fd.forward_dynamics(CHAIN, Q, V, spoiled(V, 4, value))
    with refused(f"acc of link1 is {value}"):
        fd.inverse_dynamics(CHAIN, Q, V, spoiled(V, 0, value))
    with refused(f'wrench of link "{CHAIN.links[1].name}", moment y is {value}'):
        fd.forward_dynamics(CHAIN, Q, V, wrench=spoiled(np.zeros((3, 6)), (1, 4), value))
    with refused(f"t is {value}"):
        fd.forward_dynamics(CHAIN, Q, V, t=value)
    with refused(f"v of ball.wz in row 1 is {value}"):
        fd.forward_dynamics(CHAIN, [Q, Q], [V, spoiled(V, 3, value)])
    with refused(f"q of slide in row 0 is {value}"):
        fd.forward_dynamics(CHAIN, [spoiled(Q, 5, value), Q], [V, V])


NOWHERE = float("nan")
LAWS = [({"drive": lambda t, q, v: NOWHERE}, {}, "nan"), ({"stiffness": 1e308}, {"q": 100.0}, "-inf"),
        ({"damping": 1e200}, {"v": 1e150}, "-inf"), ({"drive": fd.Sine(1.0, 1e300)}, {"t": 1e300}, "nan")]


@pytest.mark.parametrize("law, state, said", LAWS, ids=["function", "spring", "damper", "sine"])
@pytest.mark.parametrize("ask", [fd.inverse_dynamics, fd.forward_dynamics])
def test_joints_that_pull_with_no_number(ask, law, state, said):
    rod, arm = (fd.Link(name=name, length=1.0, mass=1.0) for name in ("rod", "arm"))
    chain = fd.Chain([rod, msgspec.structs.replace(arm, joint=fd.Revolute(**law))])
    q, v, t = [0.0, state.get("q", 0.0)], [0.0, state.get("v", 0.0)], state.get("t", 0.0)
    still = [0.0, 0.0]
    words = f"what spring, damper, limits and drive of arm give is {said} at t = {t:.9g} s"
    with not_finite(words):
        ask(chain, q, v, still, t=t)
    row = 1 if state.keys() & {"q", "v"} else 0
    with not_finite(f"state {row + 1} of 2 (row {row}): {words}"):
        ask(chain, [still, q], [still, v], [still, still], t=t)
    run = fd.simulate(chain, t + 1.0, q=q, v=v, t=t) if t == 0.0 else None
    assert run is None or (not run.ok and words.partition(" at")[0] in run.message)


def test_a_load_that_is_no_number():
    load = fd.Load(force=(0.0, 1.0, 0.0), signal=lambda t: NOWHERE if t > 0.5 else 1.0)
    chain = fd.Chain([fd.Link(length=1.0, mass=1.0), fd.Link(name="arm", length=1.0, mass=1.0, loads=(load,))])
    fd.bias(chain, [0.0, 0.0], [0.0, 0.0])
    with not_finite('what loads give on link "arm" is nan at t = 0.6 s'):
        fd.bias(chain, [0.0, 0.0], [0.0, 0.0], t=0.6)
    assert 'what loads give on link "arm" is nan, t = 0.5' in fd.simulate(chain, 1.0).message


@pytest.mark.parametrize("gives, said", [
    (lambda t, q, v, torque, wrench: torque.__setitem__(1, NOWHERE if t > 0.5 else 0.0),
     "the torque that the drive gives arm is nan"),
    (lambda t, q, v, torque, wrench: wrench.__setitem__((0, 1), np.inf if q[1] < -0.05 else 0.0),
     'the wrench that the drive gives link "rod" has a number that is inf')], ids=["torque", "wrench"])
@pytest.mark.parametrize("stepper", ["dop853", "adams", "radau5"])
def test_a_drive_that_gives_no_number(gives, said, stepper):
    links = [fd.Link(name=name, length=1.0, mass=1.0) for name in ("rod", "arm")]
    run = fd.simulate(fd.Chain(links, drive=gives), 1.0, v=[0.0, -0.2], stepper=stepper)
    assert 0.0 < run.t[-1] < 1.0 and said in run.message and np.isfinite(run.q).all()


def not_finite(words):
    return pytest.raises(fd.SimulationError, match=re.escape(words))


@pytest.mark.parametrize("name", QUESTIONS)
def test_wrong_shapes(name):
    ask = QUESTIONS[name]
    for q, words in ((Q[:-1], "q has shape (5,); give shape (6,)"), (np.append(Q, 0.0), "q has shape (7,)"),
                     (Q[None, None], "q has shape (1, 1, 6)"), (1.0, "q has shape ()")):
        with refused(words):
            ask(q, V)
    if name in TAKES_V:
        with refused("has shape (4,); give shape (5,)"):
            ask(Q, V[:-1])


@pytest.mark.parametrize("name", QUESTIONS)
@pytest.mark.parametrize("value", [np.nan, np.inf])
def test_one_wrong_state_among_many(name, value):
    ask = QUESTIONS[name]
    with refused(f"q of ball.qy in row 1 is {value}"):
        ask([Q, spoiled(Q, 3, value), Q], [V]*3)
    with refused("q has no rows"):
        ask(np.zeros((0, 6)), np.zeros((0, 5)))
    if name in TAKES_V:
        with refused(f"{'x' if name == 'apply_inverse_mass' else 'v'} of ball.wy in row 2 is {value}"):
            ask([Q]*3, [V, V, spoiled(V, 2, value)])
        with refused("has shape (2, 5); give shape (3, 5)"):
            ask([Q]*3, [V]*2)
        with refused("has shape (5,); give shape (2, 5)"):
            ask([Q]*2, V)


def test_wrong_shapes_of_many_and_of_the_rest():
    for q, v, words in (([Q, Q], [V, V, V], "v has shape (3, 5); give shape (2, 5)"), ([Q, Q], V, "v has shape (5,)"),
                        (np.zeros((0, 6)), np.zeros((0, 5)), "q has no rows"), (Q, [V], "v has shape (1, 5)")):
        with refused(words):
            fd.forward_dynamics(CHAIN, q, v)
    for words, given in (("torque has shape (1,)", {"torque": [1.0]}),
                         ("wrench has shape (6,)", {"wrench": np.zeros(6)}),
                         ("wrench has shape (2, 6); give shape (3, 6)", {"wrench": np.zeros((2, 6))}),
                         ("t has shape (1,); give one number", {"t": [0.0]})):
        with refused(words):
            fd.forward_dynamics(CHAIN, Q, V, **given)


@pytest.mark.parametrize("q", ["abc", list("abcdef"), None, {}, Q + 0j, Q > 0.0, Q.astype(object), [1, [2]],
                               [[1], [1, 2]], Q.astype(np.longdouble), np.array(["NaT"]*6, "M8[s]"),
                               [10**400, 1, 0, 0, 0, 0], print])
@pytest.mark.parametrize("name", ["forward_dynamics", "mass_matrix", "position"])
def test_what_is_not_an_array_of_real_numbers(name, q):
    if isinstance(q, np.ndarray) and q.dtype == float:
        pytest.skip("long double is double on this machine")
    with pytest.raises(ModelError, match=r"^q "):
        QUESTIONS[name](q, V)
    for bad in (None, "abc", V > 0.0, [[1], [1, 2]]):
        with pytest.raises(ModelError, match=r"^v "):
            fd.bias(CHAIN, Q, bad)


def test_numbers_written_otherwise():
    """Single precision, whole numbers, strided, read-only or foreign byte order: taken at their value."""
    q, v = np.array([0.5, 1.0, 0.0, 0.5, 0.0, -0.25]), np.array([1.0, 2.0, -1.0, 0.5, 3.0])
    expected = fd.forward_dynamics(CHAIN, q, v)
    frozen = q.copy()
    frozen.setflags(write=False)
    for a, b in ((q.astype(np.float32), v.astype(np.float32)), (np.repeat(q, 2)[::2], np.repeat(v, 3)[::3]),
                 (q.astype(">f8"), v.astype(np.float16)), (frozen, v), (q.tolist(), tuple(v))):
        assert np.array_equal(fd.forward_dynamics(CHAIN, a, b), expected)
    rows = np.asfortranarray([q, q, q])
    assert np.array_equal(fd.forward_dynamics(CHAIN, rows, np.array([v]*6)[::2]), [expected]*3)
    whole = fd.forward_dynamics(CHAIN, [1, 1, 0, 0, 0, 0], [0]*5)
    assert np.array_equal(whole, fd.forward_dynamics(CHAIN, [1.0, 1.0, 0.0, 0.0, 0.0, 0.0], np.zeros(5)))


def test_what_is_copied():
    """All but contiguous, writable float64; single precision keeps the number it was rounded to."""
    q = np.array([0.1, 0.2, 0.3])
    assert numbers(q, (3,), "q") is q
    frozen = q.copy()
    frozen.setflags(write=False)
    for given in (np.float32(q), np.repeat(q, 2)[::2], frozen, q.astype(">f8"), q.tolist()):
        taken = numbers(given, (3,), "q")
        assert taken.dtype == np.float64 and taken.flags.c_contiguous and taken.flags.writeable
        assert np.array_equal(taken, given) and not np.shares_memory(taken, given)
    assert numbers(np.float32(q), (3,), "q")[0] == 0.10000000149011612


def test_what_is_given_stays_as_it_was():
    q, v, torque = Q + 0.1, V + 0.2, V + 0.3
    kept = [x.copy() for x in (q, v, torque)]
    fd.forward_dynamics(CHAIN, q, v, torque)
    fd.forward_dynamics(CHAIN, q[None], v[None], torque[None])
    fd.inverse_dynamics(CHAIN, q, v, torque)
    assert all(np.array_equal(a, b) for a, b in zip((q, v, torque), kept))


@pytest.mark.parametrize("length", [0.0, 1e-200, 1e200])
def test_quaternions_of_no_length(length):
    bad = spoiled(Q, slice(1, 5), (0.0, length, 0.0, 0.0))
    for q, v, row in ((bad, V, ""), ([Q, bad], [V, V], " in row 1")):
        with refused(f'q of link "ball"{row} has a quaternion of no sensible length; give a unit one'):
            fd.forward_dynamics(CHAIN, q, v)


@pytest.mark.parametrize("length", [1e-50, -3.0, 1e50])
def test_quaternions_of_another_length(length):
    q = spoiled(Q, slice(1, 5), (0.5, 0.5, -0.5, 0.5))
    same = spoiled(q, slice(1, 5), length*q[1:5])
    assert fd.forward_dynamics(CHAIN, same, V) == pytest.approx(fd.forward_dynamics(CHAIN, q, V), rel=1e-14, abs=1e-14)


def test_other_things_than_chains_links_and_formulations():
    with refused("system is 3; give a Chain"):
        fd.forward_dynamics(3, Q, V)
    with refused("give a Chain"):
        fd.mass_center(None, Q)
    with refused('formulation "magic" is not known; choose from recursive'):
        fd.forward_dynamics(CHAIN, Q, V, formulation="magic")
    for link in ("bal", 1, None, ["ball"]):
        with refused("is not in this chain"):
            fd.position(CHAIN, Q, link)


def test_nothing_that_weighs():
    frame = Chain([Link(joint=Fixed()), Link(joint=Fixed(), length=1.0)])
    with refused("no link of the chain weighs anything"):
        fd.mass_center(frame, [])
    assert fd.kinetic_energy(frame, [], []) == 0.0


def test_nothing_that_moves():
    still = Chain([Link(joint=Fixed(), **ROD), Link(joint=Fixed(), **ROD)], space="space")
    assert fd.forward_dynamics(still, [], []).shape == (0,) and fd.mass_matrix(still, []).shape == (0, 0)
    assert fd.forward_dynamics(still, np.zeros((3, 0)), np.zeros((3, 0))).shape == (3, 0)
    assert fd.position(still, [], "link2", (1.0, 0.0, 0.0)).tolist() == [2.0, 0.0, 0.0]
    assert fd.jacobian(still, [], "link2").shape == (6, 0)
    assert fd.reactions(still, [], [])[0] == pytest.approx([0.0, 0.0, 2*9.81, 0.0, -2*9.81, 0.0], rel=1e-14)


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
def test_a_number_too_large_is_named():
    with pytest.raises(SimulationError, match=r"^v of link1 is 1e\+200: a number is not finite"):
        fd.forward_dynamics(CHAIN, Q, spoiled(V, 0, 1e200))
    with pytest.raises(SimulationError, match=r"^state 2 of 2 \(row 1\): v of link1 is 1e\+200: a number"):
        fd.forward_dynamics(CHAIN, [Q, Q], [V, spoiled(V, 0, 1e200)])


@pytest.mark.parametrize("ask", [
    lambda: fd.forward_dynamics(CHAIN, Q, V + 1e200), lambda: fd.inverse_dynamics(CHAIN, Q, V + 1e200, V),
    lambda: fd.forward_dynamics(CHAIN, [Q]*3, [V, V, V + 1e200]), lambda: fd.forward_dynamics(CHAIN, Q, V, V + 1e308),
    lambda: fd.gibbs_function(CHAIN, Q, V, V + 1e200), lambda: fd.acceleration(CHAIN, Q, V + 1e200, V, "slide"),
    lambda: fd.kinetic_energy(CHAIN, Q, V + 1e200), lambda: fd.momentum(CHAIN, spoiled(Q, 5, 1e300), V + 1e10),
    lambda: fd.mass_matrix(CHAIN, spoiled(Q, 5, 1e200)), lambda: fd.reactions(CHAIN, Q, V + 1e200),
    lambda: fd.velocity(CHAIN, spoiled(Q, 5, 1e300), V + 1e10, "slide"),
    lambda: fd.position(CHAIN, spoiled(Q, 5, 1.7e308), "slide", (1.7e308, 0.0, 0.0))])
@pytest.mark.filterwarnings("ignore::RuntimeWarning")
def test_numbers_that_get_too_large(ask):
    """Finite as given, infinite on the way: an error and never a number."""
    with pytest.raises(SimulationError, match="a number is not finite") as error:
        ask()
    assert error.value.status == NOT_FINITE


# ---- kernels: no exceptions below the surface, no conversions


def kernel_status(question, q, v, given):
    model = CHAIN.model
    return question(model)(model, work_of(model), q, v, given, np.empty(CHAIN.nv))


@pytest.mark.parametrize("question", [recursive.forward_dynamics, recursive.inverse_dynamics])
@pytest.mark.parametrize("value", [np.nan, np.inf])
@pytest.mark.filterwarnings("ignore::RuntimeWarning")
def test_a_kernel_answers_with_a_status(question, value):
    q = spoiled(Q, 1, 1.0)
    assert kernel_status(question, q, V, V) == OK
    for at in range(CHAIN.nv):
        assert kernel_status(question, q, spoiled(V, at, value), V) == NOT_FINITE
        assert kernel_status(question, q, V, spoiled(V, at, value)) == NOT_FINITE
    for at in range(CHAIN.nq):
        assert kernel_status(question, spoiled(q, at, value), V, V) == NOT_FINITE


@pytest.mark.parametrize("value", [np.nan, np.inf, 1e200])
@pytest.mark.filterwarnings("ignore::RuntimeWarning")
def test_a_place_that_is_no_number_is_no_singular_inertia(value):
    """Also where a link without mass was met just before: the sentence is about this call and names no link."""
    slide, turn = Prismatic(), fd.Revolute()
    for space in ("plane", "space") if value != 1e200 else ("space",):
        links = Link(joint=turn, **ROD), Link(joint=slide, **ROD), Link(name="bad", joint=turn)
        light, chain = Chain(links, space=space), Chain(links[:2], space=space)
        for scratch in (work_of(light.model), work_of(light.model, 16)):
            lanes = len(scratch.trouble)
            ask, rest = recursive.forward_dynamics(light.model, lanes), np.zeros(3*lanes)
            assert ask(light.model, scratch, rest + 1.0, rest, rest, np.empty(3*lanes)) == SINGULAR_INERTIA
            assert scratch.note[TROUBLED] == 2
            ask, rest = recursive.forward_dynamics(chain.model, lanes), np.zeros(2*lanes)
            status = ask(chain.model, scratch, spoiled(rest + 1.0, -1, value), rest, rest, np.empty(2*lanes))
            with pytest.raises(SimulationError, match=r"^a number is not finite"):
                check(status, chain, scratch)


@pytest.mark.skipif(not COMPILED, reason="without the compiler a kernel is a plain function")
@pytest.mark.parametrize("q", [Q.astype(np.float32), np.repeat(Q, 2)[::2], Q[None], Q.astype(int), Q.tolist(), Q + 0j])
def test_a_kernel_takes_no_other_arrays(q):
    model = CHAIN.model
    for question in (recursive.forward_dynamics, recursive.inverse_dynamics):
        with pytest.raises(TypeError, match="q must be array"):
            kernel_status(question, q, V, V)
    with pytest.raises(TypeError, match="q must be array"):
        recursive.ready(mass_matrix)(model, work_of(model, dense=99), q, np.empty((5, 5)))
    with pytest.raises(TypeError, match="q must be array"):
        recursive.ready(kinematics.poses)(model, q, np.empty(36))
