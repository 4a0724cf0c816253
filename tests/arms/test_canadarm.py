"""The catalog's Canadarm2: every number by name, alone, with where it comes from, and it is the one that acts."""

import re

import numpy as np
import pytest

import fastdyn as fd
from fastdyn import cli
from fastdyn.arms import canadarm2
from fastdyn.arms.canadarm import FREE, FRICTIONS, GIVEN, PARTLY, PUBLIC, REBUILT, SETS, TABLE, YOURS
from fastdyn.arms.files import text_of
from fastdyn.describe.catalog import parameters

CASES = [(set, friction) for set in SETS for friction in FRICTIONS]


def numbers(arm):
    """Name -> Origin of what has a row in the table."""
    return {origin.name: origin for origin in arm.provenance if origin.name in {row.name for row in TABLE}}


def words_of(arm):
    """All there is of an arm but where it comes from."""
    return text_of(arm.replace(provenance=()))


@pytest.mark.parametrize("set, friction", CASES)
def test_every_number_says_where_it_comes_from(set, friction):
    arm = canadarm2(set, friction)
    found = numbers(arm)
    assert {origin.source for origin in arm.provenance} <= {GIVEN, PARTLY, PUBLIC, REBUILT, FREE}
    assert all(isinstance(origin.value, (int, float, str)) for origin in found.values())
    assert all(origin.unit for origin in found.values() if origin.name[:4] in ("leng", "mass", "Ixx1", "EI1"))
    assert len(arm.provenance) == len({origin.name for origin in arm.provenance})
    assert ("mass5" in found) == ("Iyz5" in found) == (set == "R5") and ("steepness" in found) == (friction == "II")


@pytest.mark.parametrize("set, friction", CASES)
def test_every_number_that_is_listed_acts(set, friction):
    arm = canadarm2(set, friction)
    before = words_of(arm)
    for name, origin in numbers(arm).items():
        value = origin.value
        other = {"linear": "exp", True: False}.get(value) if isinstance(value, (bool, str)) else (
            value + 1 if isinstance(value, int) else 1.001*value + 0.001)
        changed = canadarm2(set, friction, **{name: other})
        assert words_of(changed) != before, name
        sources = {x.name: x.source for x in changed.provenance if x.source == YOURS}
        assert sources == {name: YOURS} and numbers(changed)[name].value == other


def test_end_masses_of_booms_meet_mass_centre_and_moment():
    printed = (62.029080288930345, 38.66483024913683, 38.656089461932815), (
        55.06286199231195, 16.178569003844025, 16.178569003844025)
    for link, (beam, *ends) in zip(canadarm2("R5").links, printed):
        assert link.beam.rho_A*link.beam.length == pytest.approx(beam, rel=1e-14)
        assert [link.proximal[0].mass, link.distal[0].mass] == pytest.approx(ends, rel=1e-14)


def test_tensors_of_the_wrist_are_turned_into_the_axes_of_its_links():
    pitch, yaw, roll = (link.proximal[0] for link in canadarm2("R5").links[2:])
    assert np.array_equal(pitch.inertia, np.diag((0.0893, 0.402, 0.402))) and yaw.com == (0.381, 0.0, 0.0)
    assert roll.com == (0.0, 0.0, 0.3302)
    assert np.array_equal(roll.inertia, [(2.823, -0.353, -0.966), (-0.353, 3.816, 0.385), (-0.966, 0.385, 1.903)])


@pytest.mark.parametrize("words, said", [
    ({"EI": 1.0}, 'canadarm2 has no "EI"; did you mean "EI2"? known are set, friction, length1'),
    ({"mass5": 1.0}, 'set "R2" with friction "II" has no mass5'), ({"v0": 1.0}, 'friction "II" has no v0'),
    ({"EI1": float("nan")}, "EI1 is nan; give a finite number"), ({"set": "R3"}, 'known are "R2", "R5"'),
    ({"set": "R5", "com1": 0.1}, "mass1, com1 and the moments of boom 1"),
    ({"bending_modes": 2.5}, "modes"),
])
def test_what_cannot_be_is_said_in_one_sentence(words, said):
    with pytest.raises(fd.ModelError, match=re.escape(said)):
        canadarm2(**words)


def test_the_command_shows_and_takes_every_number(capsys):
    assert {row.name for row in TABLE} | {"set", "friction"} == set(parameters(canadarm2))
    assert cli.main(["show", "canadarm2", "--set", "set=R5", "friction=III", "beta=0.3", "bending_modes=5"]) == 0
    said = " ".join(capsys.readouterr().out.split())
    assert "mass5 45.21 kg given wrist roll" in said and "beta 0.3 rad set by you" in said
    assert "bending_modes 5 set by you" in said and "steepness" not in said and "mu 0.4 free choice" in said
    assert cli.main(["show", "canadarm2"]) == 0
    said = capsys.readouterr().out
    assert "wrist roll" not in said and "EI1" in said and "reconstructed" in said
    assert cli.main(["show", "canadarm2", "--set", "mass5=3"]) == 2
    assert capsys.readouterr().err.count("\n") == 1
    assert cli.main(["list"]) == 0
    assert "canadarm2: The simplified Canadarm2" in capsys.readouterr().out
