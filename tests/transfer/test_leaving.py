"""What a run leaves: a table and a file that read back to the bit, figures, papers; and how the command does it."""

import os

import h5py
import numpy as np
import pytest

import fastdyn as fd
from fastdyn import cli, kinds
from fastdyn.results.table import write_table
from fastdyn.transfer import (
    SCHEMES, BeamArm, BendingChain, Hinge, Mass, Motion, Rigid, Servo, Span, Support, TorsionChain, beam_arm,
    LinkArm, cantilever, newmark, torsion_chain)
from fastdyn.transfer.front import PAPERS
from fastdyn.transfer.keeping import system_of, text_of

RUNS = {"torsion-chain": lambda: torsion_chain(7).simulate(2.0, 0.05),
        "beam-arm": lambda: beam_arm(3).simulate(1.0, 0.02),
        "cantilever": lambda: cantilever(2, payload=0.1).simulate(1.0, 0.05)}
WORDS = ("scheme", "form", "dt", "steps", "seconds", "error_estimate", "passes", "status", "notes", "provenance")
TREE = TorsionChain(inertia=(1.0, 0.1, 3.0), stiffness=(0.1 + 0.2, 1e100, 5e-324), damping=1/3, parents=(0, 1, 1),
                    loads=((3, fd.Sine(1.0, 2.0)), (3, 0.5), (-1, fd.Table((0.0, 1.0), (0.0, 1.0)))),
                    base=fd.Sine(0.1, 2.0), rates=(0.0, -0.0, 1.0), name='a "tree"')
ARM = BeamArm(n=3, torque=0.5, servo=Servo(2.0, 0.1), hub_inertia=1.0, tip_force=(fd.Sine(1.0, 2.0), 0.0), payload=0.3)
BEAM = BendingChain(parts=[Span(length=0.1 + 0.2, EI=1/3, mass_per_length=0.0), Hinge(stiffness=2.0), Rigid(length=1.0),
                           Mass(mass=2.0), Support(turning=1e-300)], base="pinned",
                    loads={2: fd.Sine(1.0, 2.0), (3, "moment"): 1.0}, held={(0, "moment"): 1/3})


@pytest.fixture
def here(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    return tmp_path


def files(folder):
    return sorted(path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file())


@pytest.mark.parametrize("name", RUNS)
def test_a_table_reads_back(name, tmp_path):
    run = RUNS[name]()
    write_table(tmp_path/"run.csv", run)
    lines = (tmp_path/"run.csv").read_text().splitlines()
    numbers = np.array([[float(x) for x in line.split(",")] for line in lines[1:]])
    states = [run.angles, run.velocities]
    if name == "cantilever":
        states = [run.deflections, run.angles, run.deflection_rates, run.velocities]
    expect = np.column_stack([run.t, *states, *run.energies.values(), run.energy])
    assert np.array_equal(numbers, expect) and len(lines[0].split(",")) == expect.shape[1]
    first = {"torsion-chain": "angle.link1", "beam-arm": "angle.hub", "cantilever": "deflection.station0"}
    assert lines[0].split(",")[1] == first[name]


# ------------------------------------------------------------------------------------------------------ the run file


@pytest.mark.parametrize("name", RUNS)
def test_every_bit_of_a_run_comes_back(name, tmp_path):
    run = RUNS[name]()
    run.save(tmp_path/"a.h5")
    again = fd.open(tmp_path/"a.h5")
    assert type(again) is type(run) and again.system == run.system
    assert all(getattr(again, word) == getattr(run, word) for word in WORDS)
    assert all(getattr(again, word).tobytes() == getattr(run, word).tobytes() for word in ("t", *run.series))
    assert [(k, x.tobytes()) for k, x in again.energies.items()] == [(k, x.tobytes()) for k, x in run.energies.items()]
    again.save(tmp_path/"b.h5")
    assert (tmp_path/"a.h5").read_bytes() == (tmp_path/"b.h5").read_bytes()


@pytest.mark.parametrize("system", [TREE, ARM, torsion_chain(2), BEAM])
def test_words_come_back(system):
    text, lost = text_of(system)
    again = system_of(text)
    assert again == system and lost == [] and text_of(again)[0] == text
    assert [repr(getattr(again, f)) for f in again.__struct_fields__] == [
        repr(getattr(system, f)) for f in system.__struct_fields__]


LINKED = LinkArm(lengths=(1.0, 0.5), masses=(1.0, 1/3), stiffness=(0.0, 2.0), loads={1: (1.0, fd.Sine(1.0, 2.0), 0.5)},
                 payloads={-1: 0.1}, rotation=Motion(fd.Sine(1.0, 1.0), fd.Sine(1.0, 1.0, phase=1.5), 0.0))


@pytest.mark.parametrize("system", [TREE, ARM, LINKED, BEAM])
def test_a_model_file_reads_back(system, tmp_path):
    system.save(tmp_path/"a.toml")
    assert fd.load(tmp_path/"a.toml") == system
    fd.load(tmp_path/"a.toml").save(tmp_path/"b.toml")
    assert (tmp_path/"a.toml").read_bytes() == (tmp_path/"b.toml").read_bytes()


@pytest.mark.parametrize("text, said", [
    ('kind = "Sine"', "kind is 'Sine'; leave it out for a chain"),
    ('kind = "TorsionChain"\ninertia = [1.0]\nstifness = 1.0', "TorsionChain has no field stifness"),
    ('kind = "TorsionChain"\ninertia = [1.0]', "stiffness"),
    ('kind = "BeamArm"\nservo = {stiffness = 3.0}', "kind is None"),
])
def test_a_model_file_that_is_wrong_is_refused(text, said, tmp_path):
    (tmp_path/"a.toml").write_text(text)
    with pytest.raises(fd.ModelError, match=said):
        fd.load(tmp_path/"a.toml")


LOADS = 'loads = [[3, {kind = "Sine", amplitude = 1.0, omega = 2.0}]]\n'


def test_a_model_file_by_hand_runs_with_its_settings(here):
    (here/"a.toml").write_text('kind = "TorsionChain"\ninertia = [1, 2.0, 0.5]\nstiffness = 20.0\n'
                               'parents = [0, 1, 1]\n' + LOADS + '[run]\nt_end = 1.0\n')
    assert cli.main(["run", "a.toml", "--set", "dt=0.1", "--out", "a.h5"]) == 0
    chain = TorsionChain(inertia=(1.0, 2.0, 0.5), stiffness=20.0, parents=(0, 1, 1), loads={3: fd.Sine(1.0, 2.0)})
    assert fd.open("a.h5").angles.tobytes() == chain.simulate(1.0, 0.1).angles.tobytes()
    with pytest.raises(fd.ModelError, match="a function of time in Python, which a model file cannot keep"):
        TorsionChain(inertia=(1.0,), stiffness=1.0, loads={1: lambda t: t}).save("b.toml")


@pytest.mark.parametrize("name", RUNS)
def test_a_page_plays_every_kind(name):
    from fastdyn.transfer.playing import played

    run = RUNS[name]()
    shown = played(run)
    turned = np.cumsum(shown.q, axis=1)
    if name == "cantilever":                                                # where its rods end, magnified
        ends = np.cumsum(np.tan(turned)*[link.length for link in shown.chain.links], axis=1)
        found = run.deflections[:, 1:3]*np.max(np.abs(ends))/np.max(np.abs(run.deflections))
        assert np.max(np.abs(ends - found)) < 1e-12
    else:
        assert np.max(np.abs(turned - run.angles)) < 1e-12
    text = kinds.kind("transfer").player(run, None)
    assert text.lstrip().startswith("<!") and run.system.name in text


def test_a_base_that_slides_takes_the_rods_of_the_page_along():
    from fastdyn.transfer.playing import played

    span = Span(length=0.5, EI=1.0, mass_per_length=1.0)
    run = BendingChain(parts=[span]*3, base_deflection=fd.Sine(0.1, 3.0, phase=0.4)).simulate(0.5, 0.05)
    shown = played(run, 1.0)
    lengths = [link.length for link in shown.chain.links[1:]]
    ends = shown.q[:, :1] + np.cumsum(np.tan(np.cumsum(shown.q[:, 1:], axis=1))*lengths, axis=1)
    assert np.max(np.abs(ends - run.deflections[:, 1:])) < 1e-12
    assert np.array_equal(shown.q[:, 0], run.deflections[:, 0]) and np.ptp(shown.q[:, 0]) > 0.05


def test_functions_of_time_are_missed_and_said_to_be(tmp_path):
    base = Motion(np.sin, np.cos, lambda t: -np.sin(t))
    chain = TorsionChain(inertia=(1.0,), stiffness=1.0, loads={1: lambda t: t}, base=base)
    chain.simulate(1.0, 0.1).save(tmp_path/"a.h5")
    again = fd.open(tmp_path/"a.h5")
    again.save(tmp_path/"b.h5")
    told = [note.partition(" was")[0] for note in fd.open(tmp_path/"b.h5").notes]
    assert told == ["loads[0][1]", "base.angle", "base.rate", "base.acceleration"]


def test_a_run_that_broke_off_says_so_from_its_file(tmp_path):
    run = torsion_chain(10, damping=0.0).simulate(20.0, 0.01, "newmark-0")
    assert run.ok
    run.status = 2
    run.save(tmp_path/"a.h5")
    with pytest.raises(fd.SimulationError, match="torsion-chain: a number is not finite"):
        fd.open(tmp_path/"a.h5").check()


@pytest.mark.parametrize("spoil, said", [
    (lambda file: file.__delitem__("angles"), "/angles is missing"),
    (lambda file: file["energies"].__delitem__("strain") or file["energies"].create_dataset("strain", data=[1.0]),
     "strain has shape"),
    (lambda file: file.__delitem__("model"), "/model is missing"),
    (lambda file: file.attrs.__setitem__("format", 99), "format 99"),
    (lambda file: file.attrs.__setitem__("fastdyn", "teapot run"), "not a run of fastdyn"),
])
def test_a_spoiled_file_is_refused_in_a_sentence(spoil, said, tmp_path):
    RUNS["torsion-chain"]().save(tmp_path/"a.h5")
    with h5py.File(tmp_path/"a.h5", "r+") as file:
        spoil(file)
    with pytest.raises(fd.ModelError, match=said):
        fd.open(tmp_path/"a.h5")


def test_everything_in_a_file_has_its_unit_and_meaning(tmp_path):
    RUNS["beam-arm"]().save(tmp_path/"a.h5")
    with h5py.File(tmp_path/"a.h5") as file:
        found = {}
        file.visititems(lambda name, item: found.update({name: item}) if isinstance(item, h5py.Dataset) else None)
        assert len(found) >= 9
        for item in found.values():
            assert item.attrs["meaning"] and "unit" in item.attrs and item.fletcher32


# ------------------------------------------------------------------------------------------------ figures and papers


@pytest.mark.parametrize("name", RUNS)
def test_figures_show_links_and_energies(name, tmp_path):
    pages = fd.plot(RUNS[name](), tmp_path, zoom=(0.2, 0.4), times=[0.0, 0.5])
    arm, more = name == "beam-arm", {"beam-arm": ("tip", "shapes"), "cantilever": ("deflections", "shapes")}
    assert set(pages) == {"overview", "angles", "velocities", "energies", *more.get(name, ())}
    text = (tmp_path/"overview.svg").read_text()
    words = {"beam-arm": ["hub", "Tip", "Angles"], "torsion-chain": ["link1", "link7", "Angles"],
             "cantilever": ["station2", "Deflections"]}[name] + [name, "strain", "kinetic"]
    assert text.startswith("<svg") and all(word in text for word in words) and text.count("<path") > 5
    assert not arm or {"0 s", "0.5 s"} <= {part.text for part in pages["shapes"].parts if hasattr(part, "text")}


def test_what_is_no_arm_has_no_tip():
    with pytest.raises(fd.ModelError, match='figure "tip" cannot be drawn: it is no arm'):
        fd.plot(RUNS["torsion-chain"](), figures="tip")


@pytest.mark.parametrize("name", [name for name in SCHEMES if name != "proposed"])
def test_every_scheme_is_cited(name):
    told = torsion_chain(2).simulate(1.0, 0.1, name).cite()
    assert f"(scheme {name})" in told.replace("\n    ", " ") and "[Kumar & Sankar 1986]" in told
    assert all(f"[{key}]" in told for key in PAPERS.get(name, ()))


# ------------------------------------------------------------------------------------------------------- the command


def test_the_command_runs_a_torsion_chain(here, capsys):
    words = ["run", "torsion-chain", "--set", "n=4", "scheme=houbolt", "form=product", "t_end=2", "dt=0.1", "--out"]
    assert cli.main([*words, "run.h5"]) == 0
    run = fd.open("run.h5")
    assert files(here) == ["run.h5"] and "houbolt, product" in capsys.readouterr().out
    expect = torsion_chain(4).simulate(2.0, 0.1, "houbolt", "product")
    assert run.angles.tobytes() == expect.angles.tobytes() and run.error_estimate == expect.error_estimate
    assert cli.main(["show", "run.h5"]) == 0 and "[Houbolt 1950]" in capsys.readouterr().out
    assert cli.main(["plot", "run.h5", "--figure", "angles", "--zoom", "0.5", "1"]) == 0
    assert files(here) == ["figures/angles.svg", "run.h5"]
    capsys.readouterr()
    assert cli.main(["view", "run.h5"]) == 0 and "torsion-chain" in (here/"run.html").read_text()


def test_the_command_runs_an_arm_and_leaves_what_chains_leave(here, capsys):
    assert cli.main(["run", "beam-arm", "--set", "n=3", "t_end=0.1"]) == 0
    assert files(here) == ["out/beam-arm.csv", "out/beam-arm.h5", "out/beam-arm.svg", "out/beam-arm.toml"]
    assert "gen-alpha" in capsys.readouterr().out
    assert cli.main(["run", "beam-arm", "--set", "n=3", "t_end=0.1", "--pictures", "--out", "more"]) == 0
    assert os.path.exists("more/beam-arm/shapes.svg") and os.path.exists("more/beam-arm.html")
    assert cli.main(["run", "out/beam-arm.toml", "--set", "t_end=0.1", "--out", "again.h5"]) == 0
    assert fd.open("again.h5").angles.tobytes() == fd.open("out/beam-arm.h5").angles.tobytes()


@pytest.mark.parametrize("words, said", [
    (["run", "torsion-chain", "--set", "links=3"], '"links" cannot be set here; known are n, inertia'),
    (["run", "torsion-chain", "--set", "scheme=euler"], "scheme is 'euler'; known are fox-euler"),
    (["run", "beam-arm", "--set", "form=product"], '"form" cannot be set here'),
    (["run", "torsion-chian"], 'did you mean "torsion-chain"? known are n-pendulum'),
])
def test_what_cannot_be_done_is_said_in_one_sentence(words, said, here, capsys):
    assert cli.main(words) == 2
    printed = capsys.readouterr()
    assert said in printed.err and printed.err.count("\n") == 1 and files(here) == []


@pytest.mark.parametrize("name", RUNS)
def test_show_tells_the_words(name, capsys):
    assert cli.main(["show", name, "--set", "n=3"]) == 0
    said = capsys.readouterr().out
    assert ("natural frequencies" in said) == (name != "beam-arm") and ("loads" in said or "damping" in said)


def test_the_catalog_has_what_all_kinds_have():
    assert fd.catalog.torsion_chain is torsion_chain and fd.catalog.beam_arm is beam_arm
    with pytest.raises(AttributeError, match="no 'torsion_chian'"):
        fd.catalog.torsion_chian  # noqa: B018


@pytest.mark.parametrize("name", kinds.KINDS)
def test_every_kind_knows_its_name_and_answers(name):
    kind = kinds.kind(name)
    assert kind.name == name and callable(next(iter(kind.figures().values())).draw)
    assert all(kinds.kind_named(system) is kind for system in kind.catalog)


def test_the_command_takes_a_scheme_with_numbers(here, capsys):
    words = ["n=2", "t_end=1", "dt=0.1", "scheme=newmark(0.3,0.6)"]
    assert cli.main(["run", "torsion-chain", "--set", *words, "--out", "run.h5"]) == 0
    assert "newmark(0.3, 0.6)" in capsys.readouterr().out
    assert fd.open("run.h5").angles.tobytes() == torsion_chain(2).simulate(
        1.0, 0.1, newmark(0.3, 0.6)).angles.tobytes()


def test_the_command_does_not_pass_over_products_without_a_digit(here, capsys):
    words = ["n=10", "t_end=6", "dt=0.01", "form=product"]
    assert cli.main(["run", "torsion-chain", "--set", *words, "--out", "run.h5"]) != 0
    assert "fastdyn: plain products of transfer matrices have lost their digits" in capsys.readouterr().err
    with pytest.raises(fd.SimulationError, match="have lost their digits"):
        fd.open("run.h5").check()
