"""Chains that bend, through time: against matrices put together here from books, closed forms, energy, both forms."""

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from fastdyn import Sine
from fastdyn.status import DIGITS_LOST, OK, ModelError
from fastdyn.transfer import (
    SCHEMES, BendingChain, Hinge, Mass, Motion, PrecisionWarning, Rigid, Span, Support, cantilever, hinged_beam)
from fastdyn.transfer.schemes import scheme_of

BEAM = Span(length=1.0, EI=1.0, mass_per_length=1.0)


HELD = {"clamped": 2, "pinned": 1, "free": 0}


def matrices(chain, elements):
    """M, C, K of deflections and slopes, the base's first; of every station its rows (y, phi) in them; what they are
    when the chain lies straight and its base is moved, turned, by one."""
    sizes = [{Hinge: 1, Span: 2*elements}.get(type(part), 0) for part in chain.parts]
    unit = np.eye(2 + sum(sizes))
    M, C, K = np.zeros((3, len(unit), len(unit)))
    (y, phi), free, x, straight = unit[:2], 2, 0.0, [(1.0, 0.0), (0.0, 1.0)]
    rows = [(y, phi)]
    for part in chain.parts:
        if isinstance(part, Rigid):
            c = 0.5*part.length if part.com is None else part.com
            I = part.mass*part.length**2/12.0 if part.inertia is None else part.inertia
            M += part.mass*np.outer(y + c*phi, y + c*phi) + I*np.outer(phi, phi)
            y, x = y + part.length*phi, x + part.length
        elif isinstance(part, Hinge):
            turn, free = unit[free] - phi, free + 1
            K, C, phi = K + part.stiffness*np.outer(turn, turn), C + part.damping*np.outer(turn, turn), phi + turn
            straight.append((0.0, 1.0))
        elif isinstance(part, Mass):
            M += part.mass*np.outer(y, y) + part.inertia*np.outer(phi, phi)
        elif isinstance(part, Support):
            K += part.stiffness*np.outer(y, y) + part.turning*np.outer(phi, phi)
            C += part.damping*np.outer(y, y) + part.turning_damping*np.outer(phi, phi)
        else:
            l = part.length/elements
            k = part.EI/l**3*np.array([[12, 6*l, -12, 6*l], [6*l, 4*l*l, -6*l, 2*l*l], [-12, -6*l, 12, -6*l],
                                       [6*l, 2*l*l, -6*l, 4*l*l]])
            m = part.mass_per_length*l/420*np.array([[156, 22*l, 54, -13*l], [22*l, 4*l*l, 13*l, -3*l*l],
                                                     [54, 13*l, 156, -22*l], [-13*l, -3*l*l, -22*l, 4*l*l]])
            for _ in range(elements):
                B, free, x = np.array([y, phi, unit[free], unit[free + 1]]), free + 2, x + l
                K, M, (y, phi) = K + B.T @ k @ B, M + B.T @ m @ B, B[2:]
                straight += [(1.0, x), (0.0, 1.0)]
        rows.append((y, phi))
    return M, C, K, np.array(rows), np.array(straight)


def of_base(chain, t):
    """(u, u', u'') of the base's deflection and slope."""
    found = np.zeros((3, 2))
    for i, motion in enumerate((chain.base_deflection, chain.base_slope)):
        if motion is not None:
            a, w, angle = motion.angle.amplitude, motion.angle.omega, motion.angle.omega*t + motion.angle.phase
            found[:, i] = a*np.sin(angle), a*w*np.cos(angle), -a*w*w*np.sin(angle)
    return found


def globally(chain, steps, T, name, elements):
    """(deflections and slopes of the stations) after so many steps of the same scheme on global matrices."""
    (M, C, K, rows, straight), scheme, held = matrices(chain, elements), scheme_of(name), HELD[chain.base]
    places = [rows[station, int(kind == "moment")] for station, kind, _ in chain.loads]
    push = lambda t: sum((row*(s.offset + s.amplitude*np.sin(s.omega*t + s.phase)) for row, (_, _, s) in zip(
        places, chain.loads)), np.zeros(len(M)))
    fixed, free = np.arange(held), np.arange(held, len(M))
    inner, across = np.ix_(free, free), np.ix_(free, fixed)
    base = lambda t: of_base(chain, t)[:, :held]
    full = of_base(chain, 0.0) @ straight.T
    if chain.held:
        pull = sum(rows[station, int(kind == "moment")]*s.value for station, kind, s in chain.held)
        full[0, free] = np.linalg.solve(K[inner], pull[free] - K[across] @ base(0.0)[0])
    u, v, a = base(0.0)
    H = np.zeros((6, len(free)))
    H[0], H[1] = full[0, free], T*full[1, free]
    H[2] = T*T*np.linalg.solve(M[inner], push(0.0)[free] - (K @ full[0] + C @ full[1])[free] - M[across] @ a)
    for i in range(steps):
        phase = scheme.phases[min(i, len(scheme.start))]
        mix = lambda f, w, i=i: w*f((i + 1)*T) + (1.0 - w)*f(i*T)
        u, v, a = base((i + 1.4)*T) if name == "wilson" else mix(base, phase.weight)
        left = M[inner] + T*T*phase.b*K[inner] + T*phase.g*C[inner]
        f = mix(push, phase.weight)[free] - K[across] @ u - C[across] @ v - M[across] @ a
        x = np.linalg.solve(left, T*T*(f - K[inner] @ (phase.P @ H)) - T*C[inner] @ (phase.V @ H))
        A, B = phase.transition
        H = A @ H + np.outer(B, x)
    return rows @ np.concatenate([base(steps*T)[0], H[0]])


@st.composite
def chains(draw):
    """Mixed parts, each outer end heavy; the base anything, held where it is clamped."""
    size, small = st.floats(0.3, 3.0), st.floats(0.0, 1.0)
    kinds = draw(st.lists(st.sampled_from("rhsmg"), min_size=1, max_size=6))
    parts = [Mass(mass=1.0, inertia=1.0)]                   # a base that is free to turn needs some
    for kind in kinds:
        parts += {
            "r": lambda: [Rigid(length=draw(size), mass=draw(size))],
            "h": lambda: [Hinge(stiffness=draw(size), damping=draw(small)), Mass(mass=draw(size), inertia=draw(size))],
            "s": lambda: [Span(length=draw(size), EI=draw(size), mass_per_length=draw(size))],
            "m": lambda: [Mass(mass=draw(size), inertia=draw(small))],
            "g": lambda: [Support(stiffness=draw(size), damping=draw(small), turning=draw(size))],
        }[kind]()
    parts.append(Mass(mass=1.0, inertia=0.5))
    base = draw(st.sampled_from(["clamped", "pinned", "free"]))
    where = lambda: (draw(st.integers(0, len(parts))), draw(st.sampled_from(["force", "moment"])))
    loads = {where(): Sine(draw(size), draw(size), phase=0.4) for _ in range(draw(st.integers(0, 2)))}
    moves = {name: draw(st.none() | st.builds(Sine, size, size, phase=st.floats(-3.0, 3.0)))
             for name in ("base_deflection", "base_slope")[:HELD[base]]}
    return BendingChain(parts=parts, base=base, loads=loads, held={where(): 0.1} if base == "clamped" else {}, **moves)


@pytest.mark.kernels
@given(chains(), st.sampled_from(sorted(SCHEMES)), st.sampled_from([1, 2]))
def test_any_chain_is_its_global_matrices(chain, name, elements):
    expect = globally(chain, 7, 0.03, name, elements)
    run = chain.simulate(7*0.03, 0.03, name, elements=elements)
    found = np.column_stack([run.deflections[-1], run.angles[-1]])
    assert np.max(np.abs(found - expect)) < 1e-10*max(1e-3, np.max(np.abs(expect)))


@pytest.mark.kernels
@pytest.mark.filterwarnings("ignore::fastdyn.transfer.PrecisionWarning")
@given(chains(), st.sampled_from(["newmark", "houbolt", "gen-alpha"]))
def test_a_step_of_products_agrees_within_its_own_estimate(chain, name):
    ours, other = (chain.simulate(0.1, 0.1, name, form, elements=1) for form in ("riccati", "product"))
    scale = max(np.max(np.abs(ours.deflections)), np.max(np.abs(ours.angles)))
    assume(scale > 1e-6)                                    # a load on what is held moves nothing
    assert ours.error_estimate is None
    assert np.max(np.abs(ours.deflections - other.deflections)) < 30*other.error_estimate*scale


def test_products_of_a_few_links_are_right_and_no_warning_says_otherwise():
    chain = BendingChain(parts=hinged_beam(6).parts, loads={-1: 1.0, (3, "moment"): 0.2})
    ours, other = (chain.simulate(1.0, 0.01, form=form) for form in ("riccati", "product"))
    assert 1e-12 < other.error_estimate < 1e-9
    assert np.max(np.abs(ours.deflections - other.deflections)) < 1e-10*np.max(np.abs(ours.deflections))


def test_a_held_beam_is_that_of_books():
    run = cantilever(4, length=2.0, EI=3.0, force=0.5).simulate(0.1, 0.01)
    x = np.linspace(0.0, 2.0, 5)
    assert np.max(np.abs(run.deflections[0] - 0.5*x*x*(6.0 - x)/18.0)) < 1e-14
    assert run.energy[0] == pytest.approx(0.5*0.5*run.deflections[0, -1], rel=1e-12)


def test_a_heavy_tip_on_a_massless_beam_swings_as_it_should():
    chain = BendingChain(parts=[Span(length=2.0, EI=3.0, mass_per_length=0.0), Mass(mass=0.7, inertia=1e-12)],
                         held={-1: 1.0})
    run = chain.simulate(20.0, 0.01, "newmark")
    exact = 8.0/9.0*np.cos(np.sqrt(3.0*3.0/(0.7*8.0))*run.t)
    assert np.max(np.abs(run.deflections[:, -1] - exact)) < 3e-4


def test_a_beam_that_is_let_go_swings_in_all_its_modes():
    """The tip is sum 4/omega^2 cos(omega t) for EI, mu, length and force of one."""
    run = cantilever().simulate(4.0, 2.5e-4, elements=32)
    omega = BendingChain(parts=[BEAM]).natural_frequencies(60)
    exact = (4.0/omega**2) @ np.cos(np.multiply.outer(omega, run.t))
    assert np.max(np.abs(run.deflections[:, -1] - exact)) < 1e-4 and exact[0] == pytest.approx(1.0/3.0, abs=1e-6)


def test_energy_is_kept_by_the_mean_acceleration():
    chain = BendingChain(parts=[BEAM, Mass(mass=0.3), Hinge(stiffness=2.0), Rigid(length=0.5, mass=0.2), BEAM],
                         held={-1: 0.1, (2, "moment"): 0.2})
    run = chain.simulate(10.0, 0.01)
    assert np.ptp(run.energy) < 1e-11*run.energy[0] and run.energies["kinetic"].max() > 0.1*run.energy[0]


@pytest.mark.parametrize("name", ["newmark", "houbolt", "gen-alpha", "fox-euler"])
def test_order(name):
    chain = BendingChain(parts=hinged_beam(2, damping=0.1).parts, loads={-1: Sine(1.0, 3.0, phase=0.5)})
    exact = chain.simulate(2.0, 1/12800, "newmark-1/6", every=64).deflections[:, -1]
    sizes = [np.max(np.abs(chain.simulate(2.0, T, name, every=round(1/200/T)).deflections[:, -1] - exact))
             for T in (1/400, 1/800)]
    assert np.log2(sizes[0]/sizes[1]) == pytest.approx(scheme_of(name).order, abs=0.25)


def test_riccati_keeps_its_digits_where_products_have_none():
    """A thousand links in one huge step: at rest where statics says, while the product warns and is wrong."""
    chain = hinged_beam(1000)
    chain = BendingChain(parts=chain.parts, loads={-1: 1.0})
    run = chain.simulate(1e5, 1e5, "fox-euler")
    assert run.deflections[-1, -1] == pytest.approx(1.0/3.0, rel=1e-7)
    short = BendingChain(parts=hinged_beam(20).parts, loads={-1: 1.0})
    with pytest.warns(PrecisionWarning, match="do not use this result"):
        wrong = short.simulate(0.2, 1e-3, form="product")
    right = short.simulate(0.2, 1e-3)
    assert wrong.error_estimate > 1e-8
    assert not np.max(np.abs(wrong.deflections - right.deflections)) < 1e-6*np.max(np.abs(right.deflections))


@pytest.mark.filterwarnings("ignore::fastdyn.transfer.PrecisionWarning")
@pytest.mark.parametrize("n, steps, lost", [(20, 200, False), (20, 20_000, True), (10, 20, True)])
def test_a_beam_without_a_digit_is_not_done(n, steps, lost):
    chain = BendingChain(parts=hinged_beam(n).parts, loads={-1: 1.0})
    run, right = (chain.simulate(steps*1e-3, 1e-3, form=form, every=10) for form in ("product", "riccati"))
    error = np.max(np.abs(run.deflections - right.deflections))/np.max(np.abs(right.deflections))
    assert run.status == (DIGITS_LOST if lost else OK) and (not error < 0.1) == lost


@pytest.mark.parametrize("every, rows", [(8, [0, 8, 16, 24, 30]), (10, [0, 10, 20, 30]), (40, [0, 30])])
def test_samples_are_those_of_every_step_and_of_the_last(every, rows):
    chain = cantilever(2)
    whole, some = chain.simulate(0.3, 0.01, "houbolt"), chain.simulate(0.3, 0.01, "houbolt", every=every)
    assert np.array_equal(some.t, whole.t[rows]) and np.array_equal(some.deflections, whole.deflections[rows])
    assert np.array_equal(some.forces["moment"], whole.forces["moment"][rows])


@pytest.mark.parametrize("words, said", [
    ({"loads": {3: 1.0}}, "loads has station 3; give a whole number in 0..1"),
    ({"loads": {(1, "torque"): 1.0}}, "torque"),
    ({"held": {1: Sine(1.0, 1.0)}}, "held has a load that changes"), ({"loads": {1: "much"}}, "'much'"),
])
def test_words_that_cannot_be_right(words, said):
    with pytest.raises(ModelError, match=said):
        BendingChain(parts=[BEAM], **words)


@pytest.mark.parametrize("chain, said", [
    (BendingChain(parts=[Hinge(stiffness=1.0)]), "station 1 and all outside of it have no inertia"),
    (BendingChain(parts=[BEAM], base="free", held={1: 1.0}), "nothing holds station 0"),
])
def test_what_nothing_holds_is_named(chain, said):
    with pytest.raises(ModelError, match=said):
        chain.simulate(1.0, 0.1)


@pytest.mark.parametrize("words, said", [
    ({"elements": 0}, "elements is 0"), ({"form": "plain"}, "form is"), ({"dt": 0.3}, "not a whole number of steps"),
])
def test_runs_that_cannot_be_right(words, said):
    with pytest.raises(ModelError, match=said):
        cantilever().simulate(**{"t_end": 1.0, "dt": 0.1, **words})


def test_forces_inside_are_those_of_the_frequency_domain():
    """A slow harmonic force on a damped chain, when its start has died away."""
    parts = [Rigid(length=0.3, mass=0.2), Hinge(stiffness=40.0, damping=4.0), Rigid(length=0.5, mass=0.4),
             Mass(mass=0.2), Hinge(stiffness=20.0, damping=2.0), Rigid(length=0.2, mass=0.1, com=0.15)]
    chain = BendingChain(parts=parts, loads={-1: Sine(1.0, 6.0), (3, "moment"): Sine(0.5, 6.0)})
    run = chain.simulate(16.0, 2e-3, every=5)
    late = run.t > 14.0
    for quantity in ("force", "moment"):
        for station in range(len(parts) + 1):
            answer = chain.frequency_response(6.0, station, -1, quantity) \
                + 0.5*chain.frequency_response(6.0, station, 3, quantity, "moment")
            exact = (answer*np.exp(6.0j*run.t)).imag
            assert np.max(np.abs(run.forces[quantity][:, station] - exact)[late]) < 2e-4


@pytest.mark.parametrize("name, close, falls", [
    ("gen-alpha", 5e-3, 1.8), ("hht", 5e-3, 1.8), ("wilson", 1e-2, 1.8), ("houbolt", 1.5e-2, 1.8),
    ("fox-euler", 3e-2, 1.5), ("newmark-damped", 1.2e-2, 1.5)])
def test_forces_inside_do_not_depend_on_the_scheme(name, close, falls):
    """Of those that are stable with these steps; all of them, on bases that move, in test_moving_base.py."""
    chain = cantilever(2, payload=0.1)
    apart = []
    for T in (2e-3, 1e-3):
        one, other = (chain.simulate(0.5, T, way, every=round(0.01/T)).forces["moment"] for way in ("newmark", name))
        apart.append(np.max(np.abs(one - other)))
    assert one[0, 0] == pytest.approx(1.0) and apart[1] < close and apart[0]/apart[1] > falls


@pytest.mark.kernels
def test_a_base_that_shakes_a_heavy_tip_on_a_massless_beam():
    """Seen from the base the tip is an oscillator under w^2 A sin w t, from rest."""
    k, m, A, w = 3.0*3.0/8.0, 0.7, 0.05, 2.0
    chain = BendingChain(parts=[Span(length=2.0, EI=3.0, mass_per_length=0.0), Mass(mass=m, inertia=1e-12)],
                         base_deflection=Sine(A, w))
    run = chain.simulate(20.0, 0.005, "newmark")
    own = np.sqrt(k/m)
    seen = A*w*w/(own**2 - w*w)*(np.sin(w*run.t) - w/own*np.sin(own*run.t))
    assert np.max(np.abs(run.deflections[:, -1] - A*np.sin(w*run.t) - seen)) < 1e-4
    assert np.array_equal(run.deflections[:, 0], A*np.sin(w*run.t)) and np.ptp(seen) > 0.1
    assert np.max(np.abs(run.forces["force"][:, 0] - k*seen)) < 2e-4


@pytest.mark.parametrize("base", ["clamped", "pinned"])
def test_a_base_that_moves_is_that_of_the_frequency_domain(base):
    """When the start has died away."""
    parts = [Rigid(length=0.3, mass=0.2), Hinge(stiffness=40.0, damping=4.0), Rigid(length=0.5, mass=0.4),
             Support(stiffness=30.0, damping=2.0), Hinge(stiffness=20.0, damping=2.0), Mass(mass=0.2, inertia=0.1)]
    words = {"base_deflection": Sine(0.1, 6.0)} | ({"base_slope": Sine(0.2, 6.0)} if base == "clamped" else {})
    chain = BendingChain(parts=parts, base=base, **words)
    run = chain.simulate(20.0, 2e-3, every=5)
    late = run.t > 18.0
    for quantity, found in (("deflection", run.deflections), ("slope", run.angles), ("force", run.forces["force"]),
                            ("moment", run.forces["moment"])):
        for station in range(len(parts) + 1):
            answer = sum(amount*chain.frequency_response(6.0, station, 0, quantity, load)
                         for load, amount in (("deflection", 0.1), ("slope", 0.2))[:HELD[base]])
            exact = (answer*np.exp(6.0j*run.t)).imag
            assert np.max(np.abs(found[:, station] - exact)[late]) < 5e-4*max(1.0, np.max(np.abs(exact)))
    if base == "clamped":
        assert np.array_equal(run.motor_torque, -run.forces["moment"][:, 0])


def test_a_chain_without_springs_to_the_ground_goes_with_its_base():
    """A base in steady motion carries a straight chain along; one that turned keeps it turned."""
    steady = Motion(lambda t: 0.3 + 2.0*t, lambda t: 2.0, lambda t: 0.0)
    run = BendingChain(parts=[BEAM, Mass(mass=0.3)], base_deflection=steady, base_slope=0.1).simulate(1.0, 0.01)
    assert np.max(np.abs(run.deflections - (0.3 + 2.0*run.t)[:, None] - [0.0, 0.1, 0.1])) < 1e-12
    assert np.max(np.abs(run.energies["strain"])) < 1e-20 and np.ptp(run.energies["kinetic"]) < 1e-12 and run.ok


@pytest.mark.parametrize("words, said", [
    ({"base": "free", "base_deflection": 0.1}, "base_deflection is 0.1, but a free base leaves it free"),
    ({"base": "pinned", "base_slope": 0.1}, 'base_slope is 0.1, but a pinned base .* base="clamped"'),
    ({"base_slope": lambda t: 0.1*t}, "base_slope is .*; its rate and acceleration are needed too"),
])
def test_bases_that_cannot_move_so(words, said):
    with pytest.raises(ModelError, match=said):
        BendingChain(parts=[BEAM], **words)


def test_a_rate_that_is_not_the_rate_is_refused():
    chain = BendingChain(parts=[BEAM], base_deflection=Motion(lambda t: t, lambda t: 2.0, lambda t: 0.0))
    with pytest.raises(ModelError, match=r"base_deflection\.rate is 2 .*give the derivative"):
        chain.simulate(1.0, 0.1)
