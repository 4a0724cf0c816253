"""Torsion chains through time: sequences from global matrices, exact responses, trees, long chains, what is refused."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from transfer.common import NAMES, at_stations, cases, chain_of, read

import fastdyn as fd
from fastdyn import Constant, ModelError, Sine, Table
from fastdyn.transfer import beam_arm, cantilever, stepping
from fastdyn.transfer.motions import Motion
from fastdyn.transfer.schemes import SCHEMES, scheme_of
from fastdyn.transfer.torsion import TorsionChain, torsion_chain

SEQUENCES, EXACT = cases("integrator_sequences"), cases("linear_exact")


@pytest.mark.parametrize("case", SEQUENCES.values(), ids=SEQUENCES)
def test_sequences_of_global_matrices(case):
    chain, scale = chain_of(case), case["theta_scale"]
    for theirs, expect in case["methods"].items():
        run = chain.simulate(case["steps"]*case["dt"], case["dt"], NAMES[theirs])
        close = 1e-11 if theirs == "houbolt" else 1e-13
        assert np.max(np.abs(at_stations(case, run.angles)[case["rows"]] - expect["theta"])) < close*scale, theirs
        for found, wanted, order in ((run.velocities, expect["rate"], 1),
                                     (run.accelerations, expect["acceleration"], 2)):
            size = max(np.max(np.abs(wanted)), scale/case["dt"]**order*1e-3)
            assert np.max(np.abs(at_stations(case, found)[-1] - wanted)) < 1e-9*size, (theirs, order)


@pytest.mark.parametrize("case", EXACT.values(), ids=EXACT)
def test_exact_responses(case):
    """Two runs, T and T/2: the error falls fourfold and the value extrapolated from both is that much nearer."""
    chain = chain_of(case)
    T = 0.005 if chain.stiffness[0] < 500.0 else 0.005/40                    # the last is a stiff chain
    steps = np.round(np.array(case["times"])/T).astype(int)
    assert np.max(np.abs(steps*T - case["times"])) < 1e-9
    coarse, fine = (at_stations(case, chain.simulate(case["t_end"], T/cut, every=cut).angles)[steps] for cut in (1, 2))
    errors = [np.max(np.abs(run - case["theta"]))/case["theta_max"] for run in (coarse, fine, fine + (fine - coarse)/3)]
    assert errors[1] < 3e-3 and errors[2] < 0.05*errors[1]
    assert errors[0]/errors[1] == pytest.approx(4.0, rel=0.03)


@pytest.mark.parametrize("row", [r for r in read("examples")["rows"] if r["name"] != "2dof_unit_inertia"],
                         ids=lambda r: r["name"])
def test_the_published_examples_settle_when_exact_ones_do(row):
    """5 % settling and the peak of the tip: older schemes are right to take more than 10 s."""
    chain = torsion_chain(row["n"], row["inertia"], row["stiffness"], row["damping"])
    for name in ("newmark", "proposed", "wilson"):
        run = chain.simulate(80.0, 0.005, name)
        tip = run.angles[:, -1]
        outside = np.flatnonzero(np.abs(tip - row["static_tip"]) > 0.05*row["static_tip"])
        assert run.t[outside[-1] + 1] == pytest.approx(row["settling_time_5pct"], abs=0.011)
        assert np.max(tip) == pytest.approx(row["peak"], rel=1e-4)


# ------------------------------------------------------------------------------------------------ any tree, any scheme


@st.composite
def trees(draw):
    n = draw(st.integers(1, 7))
    size = st.floats(0.1, 10.0)
    row = lambda least: tuple(draw(st.floats(least, 10.0)) for _ in range(n))
    links = draw(st.lists(st.integers(1, n), max_size=2, unique=True))
    return TorsionChain(
        inertia=row(0.1), stiffness=row(0.0), damping=row(0.0),
        parents=tuple(draw(st.integers(0, j)) for j in range(n)),
        loads={link: Sine(draw(size), draw(size)) for link in links}, base=Sine(0.1, draw(size), phase=0.3),
        angles=tuple(draw(st.floats(-1.0, 1.0)) for _ in range(n)), rates=(0.5,)*n)


def globally(chain, steps, T, scheme):
    """The same scheme with global matrices, solved densely, on the whole history."""
    inner = np.array(chain.parents)
    joint = np.eye(chain.n + 1)[1:] - np.eye(chain.n + 1)[inner]
    whole = [joint.T @ np.diag(row) @ joint for row in (chain.stiffness, chain.damping)]
    M, held = np.diag(chain.inertia), slice(1, None)

    def push(t):
        angle, rate, _ = chain.base.at(t)
        f = -whole[0][held, 0]*angle - whole[1][held, 0]*rate
        for link, s in chain.loads:
            f[link - 1] += s.amplitude*np.sin(s.omega*t)
        return f

    K, C = (matrix[held, held] for matrix in whole)
    H = np.zeros((6, chain.n))
    H[0], H[1] = chain.angles, T*np.array(chain.rates)
    H[2] = T*T*np.linalg.solve(M, push(0.0) - C @ H[1]/T - K @ H[0])
    for i in range(steps):
        phase = scheme.phases[min(i, len(scheme.start))]
        f = phase.weight*push((i + 1)*T) + (1.0 - phase.weight)*push(i*T)
        left = M + T*T*phase.b*K + T*phase.g*C
        x = np.linalg.solve(left, T*T*(f - K @ (phase.P @ H)) - T*C @ (phase.V @ H))
        A, B = phase.transition
        H = A @ H + np.outer(B, x)
    return H[0]


@pytest.mark.kernels
@given(trees(), st.sampled_from(sorted(SCHEMES)))
def test_any_tree_is_its_global_matrices(tree, name):
    expect = globally(tree, 7, 0.03, scheme_of(name))
    found = tree.simulate(7*0.03, 0.03, name).angles[-1]
    assert np.max(np.abs(found - expect)) < 1e-11*max(1.0, np.max(np.abs(expect)))


@pytest.mark.kernels
@pytest.mark.parametrize("name", SCHEMES)
def test_a_chain_is_the_tree_it_is(name):
    """The quick kernels for chains and the one for trees, with loads on several links."""
    loads = {1: Sine(1.0, 3.0), 3: 0.5, 6: Table((0.0, 0.2), (0.0, 1.0))}
    chain = TorsionChain(inertia=(1.0, 2.0, 0.5, 1.0, 3.0, 1.0), stiffness=30.0, damping=0.3, loads=loads)
    grown = TorsionChain(inertia=(*chain.inertia, 1.0), stiffness=(*chain.stiffness, 0.0),
                         damping=(*chain.damping, 0.0), parents=(*range(6), 0), loads=loads)      # a loose one beside
    ours, other = (c.simulate(1.0, 0.01, name, every=7) for c in (chain, grown))
    assert not chain.branched and grown.branched
    for a, b in ((ours.angles, other.angles), (ours.velocities, other.velocities)):
        assert np.max(np.abs(a - b[:, :6])) < 1e-12*np.max(np.abs(a))
    assert np.all(other.angles[:, 6] == 0.0)


def test_equal_branches_may_be_exchanged():
    twin = TorsionChain(inertia=(1.0, 2.0, 2.0), stiffness=10.0, parents=(0, 1, 1), loads={1: 1.0})
    run = twin.simulate(2.0, 0.01)
    assert np.array_equal(run.angles[:, 1], run.angles[:, 2]) and np.ptp(run.angles[:, 1]) > 0.01


@pytest.mark.parametrize("name", ["newmark", "gen-alpha", "houbolt"])
@pytest.mark.parametrize("steps, every", [(100, 8), (100, 10), (7, 100), (1, 3), (2, 2), (3, 2)])
def test_samples_are_those_of_every_step_and_of_the_last(name, steps, every):
    chain, rows = torsion_chain(4, damping=0.1), sorted({*range(0, steps, every), steps})
    whole, some = (chain.simulate(0.01*steps, 0.01, name, every=e) for e in (1, every))
    assert np.array_equal(some.angles, whole.angles[rows]) and np.array_equal(some.t, whole.t[rows])
    assert np.array_equal(some.accelerations, whole.accelerations[rows])


def test_the_last_step_is_kept_where_loads_are_computed_piece_by_piece(monkeypatch):
    chain = torsion_chain(4, damping=0.1)
    whole = chain.simulate(1.0, 0.01)
    monkeypatch.setattr(stepping, "AHEAD", 13)
    some = chain.simulate(1.0, 0.01, every=8)
    assert np.array_equal(some.angles, whole.angles[[*range(0, 100, 8), 100]])


def test_energy_is_kept_by_the_mean_acceleration():
    chain = TorsionChain(inertia=(1.0,)*20, stiffness=20.0, angles=tuple(np.linspace(0.0, 1.0, 20)))
    run = chain.simulate(20.0, 0.05)
    assert np.ptp(run.energy) < 1e-12*run.energy[0] and run.energies["kinetic"].max() > 0.1*run.energy[0]


def test_a_moving_base_carries_a_stiff_link():
    base = Motion(lambda t: t**3, lambda t: 3.0*t*t, lambda t: 6.0*t)
    run = TorsionChain(inertia=(1.0,), stiffness=1e6, base=base).simulate(1.0, 1e-3, "hht")
    assert np.max(np.abs(run.angles[:, 0] - run.t**3)) < 1e-5


# ------------------------------------------------------------------------------------------------------ long chains


def test_riccati_keeps_its_digits_in_long_chains():
    """1e5 links: a wave from the tip has not met the base yet, so the last links move as those of a shorter chain."""
    tips = [torsion_chain(n, damping=0.01).simulate(2.0, 0.01, every=20).angles[:, -50:] for n in (1000, 100_000)]
    assert np.max(np.abs(tips[0] - tips[1])) < 1e-12*np.max(np.abs(tips[0]))


def test_riccati_is_right_in_long_chains():
    """The static angle of 1e5 links, found in one huge step: th_j = j torque/k."""
    n = 100_000
    run = torsion_chain(n, inertia=1e-12, damping=0.0).simulate(1e6, 1e6, "fox-euler")
    assert np.max(np.abs(run.angles[-1]/(np.arange(1, n + 1)/20.0) - 1.0)) < 1e-9


# --------------------------------------------------------------------------------------------------------- refused


@pytest.mark.parametrize("words, said", [
    ({"inertia": ()}, "inertia is"), ({"inertia": (1.0, 0.0)}, "link 2: inertia is 0; give a number > 0"),
    ({"stiffness": (1.0, -1.0)}, "link 2: stiffness is -1"), ({"damping": (1.0,)}, "damping is"),
    ({"parents": (0, 2)}, "link 2: its parent is 2"), ({"parents": (0,)}, "parents has 1 numbers for 2 links"),
    ({"loads": {3: 1.0}}, "loads has link 3; give a whole number in 1..2"),
    ({"loads": {1.0: 1.0}}, "loads has link 1.0; give a whole number in 1..2"),
    ({"stiffness": 1e300}, r"link 1: stiffness is 1e\+300; give a number from 0 to 1e\+100, in SI units"),
    ({"loads": {1: "much"}}, r"loads\[1\] is 'much'"),
    ({"base": lambda t: t}, "its rate and acceleration are needed too"),
])
def test_words_that_cannot_be_right(words, said):
    with pytest.raises(ModelError, match=said):
        TorsionChain(**{"inertia": (1.0, 1.0), "stiffness": 1.0, **words})


@pytest.mark.parametrize("words, said", [
    ({"dt": 0.3}, "is not a whole number of steps"),
    ({"t_end": 1e9, "dt": 1e-5}, "100000000000001 samples are more than the memory holds; raise every"),
    ({"t_end": 1e300, "dt": 1e-300}, "t_end 1e[+]300 s are inf steps dt of 1e-300 s; take a larger dt"),
    ({"form": "plain"}, "form is 'plain'; known are riccati, product, displacement"),
    ({"every": 0}, "every is 0"), ({"dt": -1.0}, "dt is -1 s"),
])
def test_runs_that_cannot_be_right(words, said):
    with pytest.raises(ModelError, match=said):
        torsion_chain(2).simulate(**{"t_end": 1.0, "dt": 0.1, **words})


@pytest.mark.parametrize("make, said", [
    (lambda: TorsionChain(inerta=(1.0,), stiffness=1.0), r'TorsionChain\.inerta: unknown .*; did you mean "inertia"'),
    (lambda: TorsionChain(inertia=(1.0,)), r"TorsionChain\.stiffness is missing; give it a value"),
    (lambda: fd.simulate(torsion_chain(5), 1.0), r"system is Tors.*; ask its own .*; system\.simulate\(t_end, dt\)"),
    (lambda: fd.simulate(beam_arm(), 1.0), r"system\.simulate\(t_end, dt\) .*, and system\.chain\(\) is a Chain of it"),
    (lambda: fd.mass_matrix(cantilever(), [0.0]), r"system is Bend.*; ask its own methods"),
])
def test_what_is_meant_is_said(make, said):
    with pytest.raises(ModelError, match=said):
        make()


def test_a_load_that_is_not_finite_is_named():
    chain = TorsionChain(inertia=(1.0,), stiffness=1.0, loads={1: lambda t: np.inf if t > 0.5 else 0.0})
    with pytest.raises(ModelError, match=r"loads\[1\] is not finite at t = 0.6 s"):
        chain.simulate(1.0, 0.1)
    assert TorsionChain(inertia=(1.0,), stiffness=1.0, loads={1: Constant(2.0)}).simulate(1.0, 0.1).ok
