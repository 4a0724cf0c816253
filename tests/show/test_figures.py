"""Figures of runs: all there, well-formed, in their frame, each curve where its numbers say, every word readable."""

import numpy as np
import pytest
from show.motions import HOP, LASTS, hopping, hopping_chain
from show.pictures import SVG, boxes, panels, parsed, points_of, words, written

import fastdyn as fd
from fastdyn.describe.catalog import falling_chain, n_pendulum
from fastdyn.results.run import Run
from fastdyn.show.figures import FIGURES, plot
from fastdyn.show.skeleton import free_tips, with_free_tips
from fastdyn.show.traces import first_group, forces_of, hardest, roughest
from fastdyn.status import ModelError

pytestmark = pytest.mark.usefixtures("one_ladder")
HOPPING = ("overview", "positions", "velocities", "modes", "forces", "ledger", "energy-error", "snapshots")


@pytest.fixture(scope="module")
def run():
    return hopping()


def drawn(run, name, **words):
    return parsed(plot(run, figures=name, **words)[name].svg)


# ------------------------------------------------------------------------------------------------------- all of them

def swaying(chain, size=1.0):
    """A run by formulas: every joint sways, quaternions turn."""
    t, (q, v) = np.linspace(0.0, 1.0, 51), chain.zero_state()
    q = q + size*np.sin(t)[:, None]*np.arange(1, chain.nq + 1)/chain.nq
    for _, part in chain.quaternions:
        q[:, part] /= np.linalg.norm(q[:, part], axis=1, keepdims=True)
    return Run(chain, t, q, v + size*np.cos(t)[:, None])


# names that XML and layouts do not like, more points than can be told apart
AWKWARD = fd.Chain([fd.Link(name=f'<"{"very long name "*4}{i}&>', length=0.1, mass=1.0) for i in range(30)],
                   name="]]><b>&")
SPACE = fd.Chain([fd.Link(length=1.0, mass=1.0, radius=0.1, joint=fd.Spherical()),
                  fd.Link(length=0.5, mass=1.0, radius=0.1, joint=fd.Universal())])
LOSING = fd.Chain([fd.Link(length=1.0, mass=1.0, joint=fd.Revolute(damping=0.1))])      # nobody knows its ledger
RUNS = {
    "hopping": hopping, "touching to the end": lambda: hopping(open_end=True),
    "failed": lambda: hopping(failed=True), "two samples": lambda: hopping(samples=2),
    "awkward": lambda: swaying(AWKWARD), "pendulum": lambda: swaying(n_pendulum(2)), "space": lambda: swaying(SPACE),
    "not counted": lambda: swaying(LOSING), "at rest": lambda: swaying(n_pendulum(1), 0.0),
}


@pytest.mark.parametrize("kind", RUNS)
def test_every_figure_is_well_formed_stays_in_its_frame_and_says_what_it_is(kind):
    run = RUNS[kind]()
    pages = plot(run)
    assert set(pages) >= {"overview", "positions", "velocities", "ledger", "snapshots"}
    for name, page in pages.items():
        root = parsed(page.svg)
        frame = [float(root.get(size)) for size in ("width", "height")]
        for path in root.iter(f"{SVG}path"):
            points = points_of(path)
            assert len(points) and np.all(points >= -0.5) and np.all(points <= np.add(frame, 0.5)), name
        said = written(root)
        assert (run.chain.name or "chain") in said and "nan" not in said.lower() and "inf" not in said.lower()
        assert page.svg.count("http") == 1                  # the name of the format: nothing is fetched


@pytest.mark.parametrize("kind", RUNS)
def test_no_words_overlap_and_none_leave_the_page(kind):
    for name, page in plot(RUNS[kind]()).items():
        found = boxes(parsed(page.svg))
        for i, (text, left, top, right, bottom) in enumerate(found):
            if name != "overview" and kind != "awkward":    # names as long as these leave any page
                assert left > 0 and right < page.width + 1 and top > 0 and bottom < page.height, (name, text)
            for other, x1, y1, x2, y2 in found[:i]:
                assert right <= x1 or x2 <= left or bottom <= y1 or y2 <= top, (name, text, other)


def test_a_run_gets_the_figures_it_has_something_for(run, tmp_path):
    assert tuple(plot(run)) == HOPPING == tuple(FIGURES)
    assert "modes" not in plot(RUNS["pendulum"]()) and "forces" not in plot(RUNS["pendulum"]())
    assert "energy-error" not in plot(RUNS["not counted"]())
    pages = plot(run, tmp_path/"deep"/"down", figures=["ledger", "forces"])
    assert sorted(path.name for path in (tmp_path/"deep"/"down").iterdir()) == ["forces.svg", "ledger.svg"]
    assert (tmp_path/"deep"/"down"/"ledger.svg").read_text() == pages["ledger"].svg == pages["ledger"]._repr_svg_()


@pytest.mark.parametrize("words, said", [
    ({"figures": "position"}, 'figure "position" is not known; there are overview, positions'),
    ({"format": "pdf"}, "format is 'pdf'; choose from svg, png"),
    ({"zoom": (0.5, 0.2)}, "zoom is 0.5 to 0.2 s; give two times of the run, which goes from 0 to 1 s"),
    ({"zoom": (0.5, 2.0)}, "zoom is 0.5 to 2 s"),
    ({"times": [0.1, 3.0]}, "times are"),
    ({"magnify": -1.0}, "magnify is -1; give magnify > 0"),
])
def test_what_cannot_be_drawn_is_refused(run, words, said):
    with pytest.raises(ModelError) as refused:
        plot(run, **words)
    assert str(refused.value).startswith(said)


@pytest.mark.parametrize("name, said", [("modes", "no link bends"), ("forces", "nothing touched a ground")])
def test_a_figure_of_what_did_not_happen_is_refused(name, said):
    with pytest.raises(ModelError, match=f'figure "{name}" cannot be drawn: {said}'):
        plot(RUNS["pendulum"](), figures=name)


def test_a_run_that_did_not_get_far_is_refused(run):
    for samples in (0, 1):
        short = Run(run.chain, run.t[:samples], run.q[:samples], run.v[:samples])
        with pytest.raises(ModelError, match=f"the run has {samples} sample"):
            plot(short)


# ------------------------------------------------------------------------------------------------ each in its numbers

def follows(panel, colour, t, values):
    """Whether the panel's curve of that colour goes through all the numbers it shows, to a pixel or so."""
    (curve,) = (points for stroke, points in panel.curves if stroke == colour)
    low, high = curve[0, 0], curve[-1, 0]
    inside = (t >= low) & (t <= high)
    error = np.interp(t[inside], *curve.T)*panel.factor - values[inside]
    return inside.sum() > 5 and np.abs(error).max() < 2.5*panel.pixel[1]*panel.factor


def test_positions_and_velocities_are_where_the_numbers_say(run):
    for name, values in (("positions", run.points), ("velocities", run.point_velocities)):
        found = panels(drawn(run, name))
        assert [panel.title.split()[-1] for panel in found] == ["x", "x", "y", "y"]
        assert {panel.unit for panel in found} == {"m"} if name == "positions" else {"m/s"}
        for panel, axis in zip(found, (0, 0, 1, 1)):
            assert len(panel.curves) == 3
            for k, (colour, curve) in enumerate(panel.curves):
                assert len(curve) > 25 and follows(panel, colour, run.t, values[:, k, axis])


def test_the_window_lies_around_the_hardest_contact_at_round_times(run):
    whole, window = panels(drawn(run, "positions"))[:2]
    assert abs(whole.curves[0][1][0, 0]) < 0.01 and abs(whole.curves[0][1][-1, 0] - 1.0) < 0.01
    assert np.allclose([window.curves[0][1][0, 0], window.curves[0][1][-1, 0]], [0.7, 0.8], atol=1e-3)
    _, mine = panels(drawn(run, "positions", zoom=(0.31, 0.47)))[:2]
    assert np.allclose([mine.curves[0][1][0, 0], mine.curves[0][1][-1, 0]], [0.31, 0.47], atol=1e-3)


def test_between_samples_a_curve_goes_where_its_velocity_leads():
    coarse, fine = hopping(samples=81), hopping(samples=8001)
    panel = panels(drawn(coarse, "modes", zoom=(0.3, 0.45)))[1]
    assert follows(panel, panel.curves[0][0], fine.t, fine.q[:, 3])


def test_modes_of_each_link_are_drawn_and_named(run):
    root = drawn(run, "modes")
    found = panels(root)
    assert [panel.title for panel in found[::2]] == ["link1", "link2"] and found[2].unit == "mode 1, mm"
    assert [len(panel.curves) for panel in found[::2]] == [2, 1]
    assert {"mode 1", "mode 2"} <= {text for text, _, _ in words(root)}
    assert follows(found[0], found[0].curves[1][0], run.t, run.q[:, 4])


def test_forces_are_zero_between_contacts_and_reach_their_peaks(run):
    root = drawn(run, "forces")
    found = panels(root)
    normal, friction = found[:3], found[3:]
    assert all(panel.unit == "kN" for panel in normal)
    for rows, share in ((normal, 1.0), (friction, 0.1)):
        whole, first, hardest = rows
        for k, part in ((0, 1.0), (1, 0.5)):
            curve = whole.curves[k][1]*[1.0, whole.factor]
            for n in (1, 2, 3):
                near = np.abs(curve[:, 0] - n*HOP - LASTS/2) < 0.02
                assert abs(curve[near, 1].max() - 1000*n*part*share) < 30*part*share + whole.pixel[1]*whole.factor
            between = np.interp([0.1, 0.24, 0.26, 0.49, 0.51, 0.7, 0.76, 0.99], *curve.T)
            assert np.abs(between).max() <= 2*whole.pixel[1]*whole.factor
            for panel, n in ((first, 1), (hardest, 3)):
                ms = panel.curves[k][1]*[1.0, panel.factor]
                start, end = ms[ms[:, 1] > 0.1*part*share*1000*n, 0][[0, -1]]
                assert 1.4 < end - start < 2.0 and abs(ms[:, 1].max() - 1000*n*part*share) < 15*n
    assert "6 contacts" in written(root) and "link2.tip" in written(root)


def test_the_hardest_friction_is_found_where_the_slip_turns_round():
    """Its impulse cancels, its force is what counts; the second touch has it, the third the largest normal force."""
    run = hopping()
    second = (run.touching["time"] >= 2*HOP) & (run.touching["time"] <= 2*HOP + LASTS)
    run.touching["friction"][second] *= 4.0*np.sign(2*HOP + LASTS/2 - run.touching["time"][second])
    run.contacts["friction_impulse"][np.abs(run.contacts["start"] - 2*HOP) < 1e-9] = 0.0
    assert np.allclose([hardest(run)[0], *roughest(run)], [3*HOP, 2*HOP, 2*HOP + LASTS], rtol=0, atol=1e-12)
    friction = panels(drawn(run, "forces"))[5]
    newton = friction.curves[0][1][:, 1]*friction.factor
    assert newton.max() > 700.0 and newton.min() < -700.0


def test_the_ledger_shows_what_there_is(run):
    root = drawn(run, "ledger")
    energy, work = panels(root)
    said = written(root)
    assert all(word in said for word in ("kinetic", "gravity", "strain", "sum", "contact"))
    assert "spring" not in said and "air" not in said
    assert follows(energy, "#22303c", run.t, run.energy)
    assert follows(work, work.curves[0][0], run.t, run.ledger["contact"])


def test_the_energy_error_is_told_and_drawn(run):
    root = drawn(run, "energy-error")
    (panel,) = panels(root)
    assert panel.unit == "10⁻⁸ %" and "largest 1.3e-08 %" in written(root)
    assert follows(panel, panel.curves[0][0], run.t, run.energy_error*1e8)


# --------------------------------------------------------------------------------------------------------- snapshots

def test_snapshots_show_the_chosen_times(run):
    root = drawn(run, "snapshots", times=[0.0, 0.4004, 1.0], magnify=3.0)
    assert [text for text, _, _ in words(root, bold=True)[1:]] == ["t = 0.000 s", "t = 0.400 s", "t = 1.000 s"]
    assert "deflection × 3" in written(root)
    assert sum(path.get("stroke") == "#0072b2" for path in root.iter(f"{SVG}path")) == 3


def test_every_joint_and_the_free_tip_has_a_dot(run):
    root = drawn(run, "snapshots", times=[0.3, 0.4], magnify=3.0)
    assert len(list(root.iter(f"{SVG}circle"))) == 6
    tips = free_tips(run.chain, run.q[120], 3.0)
    assert np.allclose(tips, [run.points[120, 2]], atol=1e-12)      # the end of a beam that is magnified stays
    tree = fd.Chain([fd.Link(name="a", length=1.0, mass=1.0), fd.Link(name="b", parent="a", length=0.5, mass=1.0),
                     fd.Link(name="c", parent="a", at=(0.5, 0.0, 0.0), mass=1.0, length=0.2)])
    assert [link.name for link in with_free_tips(tree)] == ["b", "c"]


@pytest.mark.parametrize("words, said", [
    ({"zoom": 3}, "zoom is 3; give two times of the run"), ({"zoom": (0, 0.1, 0.2)}, "zoom is (0, 0.1, 0.2); give two"),
    ({"zoom": ("a", "b")}, "zoom is ('a', 'b'); give two"), ({"times": ["a"]}, "times are ['a']; give times of the"),
    ({"times": [[0.1, 0.2]]}, "times are [[0.1, 0.2]]; give times"), ({"times": None, "zoom": "ab"}, "zoom is 'ab'"),
])
def test_windows_and_times_that_are_none_are_refused(run, words, said):
    with pytest.raises(fd.ModelError) as refused:
        fd.plot(run, **words)
    assert str(refused.value).startswith(said)


def test_by_themselves_they_take_round_times_and_one_in_the_hardest_contact():
    root = drawn(hopping(samples=1001), "snapshots")
    titles = [text for text, _, _ in words(root, bold=True)[1:]]
    assert len(titles) >= 5 and "t = 0.000 s" in titles and "t = 0.600 s" in titles
    assert any(0.75 <= float(title.split()[2]) <= 0.752 for title in titles)
    feet = [points_of(p)[0] for p in root.iter(f"{SVG}path") if p.get("stroke") == "#d55e00"]
    tips = [points_of(p)[0] for p in root.iter(f"{SVG}path") if p.get("fill") == "#d55e00"]
    hard, half = np.subtract(feet, tips)[:, 1]              # on link1 and the tip, upwards
    assert half > 5 and abs(half/hard - 0.5) < 0.02 and "the longest 3.01 kN" in written(root)


def test_a_bent_link_is_drawn_bent_by_the_factor():
    chain = hopping_chain(grounds=())
    q = np.zeros((2, chain.nq))
    q[1, 3] = 0.05                                          # the sine of a simply supported beam, 5 cm in its middle
    run = Run(chain, np.array([0.0, 1.0]), q, np.zeros((2, chain.nv)))
    for factor in (1.0, 4.0):
        root = drawn(run, "snapshots", times=[1.0], magnify=factor)
        (line,) = (points_of(p) for p in root.iter(f"{SVG}path") if p.get("stroke") == "#0072b2")
        metre = np.hypot(*(line[-1] - line[len(line)//2]))      # the second link stays straight
        height = line[0, 1] - line[:, 1].min()
        assert len(line) > 30 and abs(height/metre - 0.05*factor) < 0.002


def test_a_tilted_ground_has_earth_on_its_inner_side():
    ground = fd.Ground(normal=(-np.sin(0.3), np.cos(0.3), 0.0), point=(0.0, -0.5, 0.0), contact=fd.Contact(
        law="hertz", stiffness=1e6))
    chain = n_pendulum(2).replace(grounds=(ground,))
    run = Run(chain, np.array([0.0, 1.0]), np.zeros((2, 2)), np.zeros((2, 2)))
    root = drawn(run, "snapshots", times=[0.0])
    earth = next(p for p in root.iter(f"{SVG}path") if p.get("fill") == "#b9a888")
    corners = points_of(earth)
    surface = next(points_of(p) for p in root.iter(f"{SVG}path") if p.get("stroke") == "#b9a888")
    slope = -np.diff(surface[:, 1])/np.diff(surface[:, 0])
    assert np.allclose(slope, np.tan(0.3), atol=0.01)
    line = np.polyfit(*surface.T, 1)
    assert np.all(corners[:, 1] >= np.polyval(line, corners[:, 0]) - 0.3) and len(corners) >= 3


def test_panels_of_forces_show_points_that_are_hit_there():
    """Of many points the hardest hit of the whole run need not be those that touch first."""
    run = fd.simulate(falling_chain(n=24, m=0), 1.5, samples=51, rtol=1e-6)
    first = first_group(run)
    drawn, count = forces_of(run, [first])
    assert count > 2*len(drawn) and len(drawn) == 8
    hit = [force.normal[(force.t >= first[0]) & (force.t <= first[1])].max(initial=0.0) for force in drawn]
    assert np.count_nonzero(hit) >= 2 and max(hit) == pytest.approx(
        run.contacts["force"][run.contacts["start"] <= first[1]].max(), rel=0.01)
