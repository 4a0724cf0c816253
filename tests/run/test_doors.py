"""Every public question that takes arrays: what is written otherwise is taken at its value, all else is refused."""

from fractions import Fraction

import numpy as np
import pytest

import fastdyn as fd
from fastdyn import ModelError, arms, transfer

ROD = {"length": 1.0, "mass": 1.0, "radius": 0.125}
ARM = fd.Chain([fd.Link(**ROD), fd.Link(name="lower", **ROD)])
FOUR = fd.catalog.four_bar()
FOUR_Q, FOUR_V = FOUR.start_state()
CRANK = [FOUR.links[0].name]
Q, V = np.array([0.25, -0.5]), np.array([1.0, 0.5])
WRENCH = np.array([[1.0, 0.5, 0.0, 0.0, 0.0, 0.25], [0.0, 2.0, 0.0, 0.0, 0.0, 0.0]])
HALF = np.array([0.5, 0.5, 0.5, 0.5])
ANGLES = np.array([0.25, -0.5, 0.75])
SPATIAL = arms.spin_up()
SPATIAL_Q = SPATIAL_V = np.zeros(len(SPATIAL.names))
TWIST, BENT = transfer.torsion_chain(n=3), transfer.link_arm(n=2)
PLACES = np.array([[1.5, 0.5, 0.0], [1.5, 0.625, 0.0]])


def tick_of(**words):
    return fd.ticker(ARM, 0.125, steps=1, **words)


DOORS = {
    "forward_dynamics torque": (lambda x: fd.forward_dynamics(ARM, Q, V, x), V),
    "forward_dynamics wrench": (lambda x: fd.forward_dynamics(ARM, Q, V, wrench=x), WRENCH),
    "forward_dynamics of many": (lambda x: fd.forward_dynamics(ARM, x, [V, V]), np.array([Q, V])),
    "inverse_dynamics": (lambda x: fd.inverse_dynamics(ARM, Q, V, x), V),
    "reactions": (lambda x: fd.reactions(ARM, Q, V, x), V),
    "gibbs_function": (lambda x: fd.gibbs_function(ARM, Q, V, x), V),
    "boltzmann_hamel_terms": (lambda x: fd.boltzmann_hamel_terms(ARM, Q, V, x).torque, V),
    "boltzmann_hamel_terms wrench": (lambda x: fd.boltzmann_hamel_terms(ARM, Q, V, wrench=x).torque, WRENCH),
    "position point": (lambda x: fd.position(ARM, Q, "lower", x), PLACES[0]),
    "acceleration": (lambda x: fd.acceleration(ARM, Q, V, x, "lower"), V),
    "linearize": (lambda x: fd.linearize(ARM, x).A, Q),
    "linearize torque": (lambda x: fd.linearize(ARM, Q, V, x).A, V),
    "modes torque": (lambda x: fd.modes(ARM, [-0.5*np.pi, 0.0], x).frequency, 0.0*V),
    "follow": (lambda x: fd.follow(ARM, "lower", x, point=(1.0, 0.0, 0.0)), PLACES),
    "follow velocities": (lambda x: fd.follow(ARM, "lower", PLACES, point=(1.0, 0.0, 0.0), velocities=x), PLACES),
    "simulate": (lambda x: fd.simulate(ARM, 0.125, q=x, samples=3).q, Q),
    "simulate v": (lambda x: fd.simulate(ARM, 0.125, v=x, samples=3).q, V),
    "simulate times": (lambda x: fd.simulate(ARM, times=x).q, np.array([0.0, 0.0625, 0.125])),
    "ticker q": (lambda x: tick_of(q=x)(), Q),
    "ticker v": (lambda x: tick_of(v=x)(), V),
    "tick": (lambda x: tick_of()(x), V),
    "reset": (lambda x: tick_of().reset(x), Q),
    "integrate": (lambda x: fd.integrate(lambda t, y: -y, x, 0.125, samples=3).y, Q),
    "integrate numbers": (lambda x: fd.integrate(lambda t, y, n: n*y, Q, 0.125, numbers=x, samples=3).y, V),
    "assemble": (lambda x: fd.assemble(FOUR, x), np.round(FOUR_Q, 2)),
    "gaps": (lambda x: fd.gaps(FOUR, x), FOUR_Q),
    "gap_rates": (lambda x: fd.gap_rates(FOUR, FOUR_Q, x), FOUR_V + 0.5),
    "gap_jacobian": (lambda x: fd.gap_jacobian(FOUR, x), FOUR_Q),
    "closure_forces": (lambda x: fd.closure_forces(FOUR, FOUR_Q, 0.0*FOUR_V, x), FOUR_V + 0.5),
    "mobility": (lambda x: fd.mobility(FOUR, x)[:4], FOUR_Q),
    "singularity": (lambda x: fd.singularity(FOUR, x, CRANK)[1], FOUR_Q),
    "drive_torques weights": (lambda x: fd.drive_torques(FOUR, FOUR_Q, 0.0*FOUR_V, None, CRANK, weights=x), V[:1]),
    "to_quaternion": (fd.to_quaternion, ANGLES),
    "from_quaternion": (fd.from_quaternion, HALF),
    "to_angular_velocity": (lambda x: fd.to_angular_velocity(ANGLES, x), ANGLES),
    "from_angular_velocity": (lambda x: fd.from_angular_velocity(ANGLES, x), ANGLES),
    "chart_matrix": (fd.chart_matrix, ANGLES),
    "chart_matrix_rate": (lambda x: fd.chart_matrix_rate(ANGLES, x), ANGLES),
    "chart_gradients": (lambda x: fd.chart_gradients(ANGLES, ANGLES, x)[0], ANGLES),
    "arms.accelerations": (lambda x: arms.accelerations(SPATIAL, x, SPATIAL_V), SPATIAL_Q + 0.125),
    "arms.mass_matrix": (lambda x: arms.mass_matrix(SPATIAL, x), SPATIAL_Q + 0.125),
    "arms.energies": (lambda x: arms.energies(SPATIAL, SPATIAL_Q, x), SPATIAL_V + 0.5),
    "arms.point": (lambda x: arms.point(SPATIAL, SPATIAL_Q, SPATIAL_V, x).place, SPATIAL_V + 0.5),
    "TorsionChain.frequency_response": (lambda x: TWIST.frequency_response(x, 1, 2), V),
    "TorsionChain.torques": (lambda x: TWIST.torques(x, ANGLES, 0.0, 0.0), ANGLES),
    "TorsionChain.energies": (lambda x: list(TWIST.energies(x, ANGLES, 0.0).values()), ANGLES),
    "LinkArm.positions": (BENT.positions, ANGLES),
    "LinkArm.energies": (lambda x: list(BENT.energies(x, ANGLES, 0.0).values()), ANGLES),
}
ANY_LENGTH = {"simulate times", "integrate", "integrate numbers", "TorsionChain.frequency_response"}
OF_RUNS = {"TorsionChain.torques", "TorsionChain.energies", "LinkArm.positions", "LinkArm.energies"}
every_door = pytest.mark.parametrize("door", DOORS)


def flat(answer):
    """All numbers of an answer in a row."""
    return np.concatenate([np.ravel(x) for x in answer]) if isinstance(answer, (tuple, list)) else np.ravel(answer)


@every_door
def test_what_is_written_otherwise_is_taken_at_its_value(door):
    ask, x = DOORS[door]
    expected = flat(ask(x.copy()))
    frozen = x.copy()
    frozen.setflags(write=False)
    single = x.astype(np.float32)
    for other in (np.repeat(x, 3, axis=-1)[..., ::3], np.asfortranarray(x), x.astype(">f8"), frozen, x.tolist()):
        assert np.array_equal(flat(ask(other)), expected, equal_nan=True)
    assert np.array_equal(flat(ask(single)), flat(ask(single.astype(float))), equal_nan=True)


SPOILT = {
    "objects": lambda x: x.astype(object), "complex": lambda x: x + 0.5j, "truths": lambda x: x > 0.0,
    "words": lambda x: x.astype(str), "long double": lambda x: x.astype(np.longdouble), "one word": lambda x: "abc",
    "table": lambda x: {}, "fractions": lambda x: [Fraction(1, 3)]*x.size, "masked": lambda x: np.ma.masked_array(
        x, x == x.flat[-1])}
LENGTHS = {"short": lambda x: x[..., :-1], "long": lambda x: np.append(x, x)}
ASTRAY = {"nan": lambda x: np.where(x == x.flat[-1], np.nan, x), "inf": lambda x: np.where(x == x.flat[-1], -np.inf, x)}


@every_door
@pytest.mark.filterwarnings("ignore::RuntimeWarning")
@pytest.mark.parametrize("how", [*SPOILT, *LENGTHS, *ASTRAY])
def test_all_else_is_refused_in_a_sentence(door, how):
    ask, x = DOORS[door]
    if how in LENGTHS and door in ANY_LENGTH:
        return
    given = (SPOILT | LENGTHS | ASTRAY)[how](x)
    if getattr(given, "dtype", None) == np.float64 and how == "long double":
        pytest.skip("long double is double on this machine")
    if how in ASTRAY and door in OF_RUNS:                   # samples of a run that was stopped have such
        assert not np.isfinite(flat(ask(given))).all()
        return
    with pytest.raises(ModelError) as refused:
        ask(given)
    assert "\n" not in str(refused.value) and len(str(refused.value)) < 300


def test_modes_are_asked_for_in_a_row():
    with pytest.raises(ModelError, match=r"omega has shape \(1, 2\); give a row of frequencies"):
        TWIST.mode_shapes([TWIST.natural_frequencies(2)])
