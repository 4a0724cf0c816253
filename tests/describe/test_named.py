"""Model files that name a system of the catalog: what they set, what is refused and how."""

import msgspec
import pytest

import fastdyn as fd
from fastdyn.cli import main
from fastdyn.describe import load
from fastdyn.describe.catalog import CATALOG, falling_chain
from fastdyn.describe.files import parse
from fastdyn.kinds import known, wanted
from fastdyn.status import ModelError

FALL = """
system = "falling-chain"
modes = "cc-cc-cc"
n = 4
restitution = 0.7
clamp = true
grounds.0.friction.mu = 0.25
links.link2.elastic.spin = "section"
links.link2.points = {mark = [1.0, 0.0, 0.0]}

[run]
t_end = 0.01
samples = 3
"""


def test_parameters_and_fields_are_those_behind_set(tmp_path):
    (tmp_path/"fall.toml").write_text(FALL)
    chain, expected = load(tmp_path/"fall.toml"), falling_chain("cc-cc-cc", n=4, restitution=0.7, clamp=True)
    assert chain.links[0] == expected.links[0] and len(chain.links) == 4
    assert chain.grounds[0].contact == expected.grounds[0].contact and chain.grounds[0].friction.mu == 0.25
    assert chain.links[1].elastic == msgspec.structs.replace(expected.links[1].elastic, spin="section")
    assert chain.links[1].points == {"mark": (1.0, 0.0, 0.0)}


@pytest.mark.parametrize("name", CATALOG)
def test_a_name_alone_is_the_system_as_it_is(name):
    assert parse(f'system = "{name}"').to_toml() == CATALOG[name]().to_toml()


def test_systems_of_other_kinds_are_named_alike():
    chain = parse('system = "torsion-chain"\nn = 5\n[run]\nscheme = "houbolt"')
    assert chain.n == 5 and type(chain).__name__ == "TorsionChain"


def test_words_of_the_command_count_last_and_those_for_runs_only_where_it_runs(tmp_path):
    path = str(tmp_path/"fall.toml")
    (tmp_path/"fall.toml").write_text(FALL)
    kind, name, words = wanted(path, ["n=5"])
    assert kind.name == "chain" and name == "falling-chain" and words[-1] == "n=5" and "t_end=0.01" not in words
    assert wanted(path, ["n=5"], runs=True)[2][-3:] == ["t_end=0.01", "samples=3", "n=5"]
    assert len(kind.make(name, words).links) == 5
    assert wanted("n-pendulum", ["n=2"])[1:] == ("n-pendulum", ["n=2"])


def test_the_command_runs_and_shows_such_a_file(tmp_path, capsys):
    (tmp_path/"swing.toml").write_text(
        'system = "n-pendulum"\nn = 2\nangle = 0.5\n[run]\nt_end = 0.125\nsamples = 5')
    assert main(["show", str(tmp_path/"swing.toml")]) == 0 and "link2" in capsys.readouterr().out
    assert main(["run", str(tmp_path/"swing.toml"), "--out", str(tmp_path/"out.h5")]) == 0
    assert fd.open(tmp_path/"out.h5").t.tolist() == [0.0, 0.03125, 0.0625, 0.09375, 0.125]


@pytest.mark.parametrize("text, said", [
    ('system = "falling"', r"model text: \$.system: is 'falling'; give a name of the catalog in quotes, one of n-pend"),
    ("system = 3", r"model text: \$.system: is 3; give a name"),
    ('system = "n-pendulum"\nrun = 3', r"model text: \$.run: is 3; give a table, such as \[run\]"),
    ('system = "n-pendulum"\nm = 3', 'model text: "m" cannot be set here; known are n, length'),
    ('system = "n-pendulum"\nn = [2]', r'model text: n is "\[2\]"; give a whole number'),
    ('system = "n-pendulum"\nlinks.link70.length = 2', 'model text: .*there is no link "link70"'),
    ('system = "n-pendulum"\nn = 2000000000', "n is 2000000000; give a whole number of links, 1000000 or l"),
])
def test_what_cannot_be_is_refused_with_the_file(text, said):
    with pytest.raises(ModelError, match=said):
        parse(text)


def test_all_names_are_known():
    assert set(CATALOG) < set(known()) and "torsion-chain" in known()
