"""Flexible links by the data of a reduced body: from files, against the beams they were made from, and refused."""

from dataclasses import fields, replace

import numpy as np
import pytest

from arms.test_recursive import TILTED, state
from fastdyn.arms import Body, FlexibleLink, Joint, Link, ModalLink, SpatialArm, modal_data, recursive_system
from fastdyn.arms.compile import compiled
from fastdyn.arms.layout import work_for
from fastdyn.status import OK, ModelError

BEAM = FlexibleLink(1.5, 2.0, 2e5, 300.0, 200.0, 150.0, 5e-4, 8e-4, (1, 3, 2, 1), damping=1e-4)


def arm_with(*beams):
    body = Body(0.7, (0.1, -0.2, 0.05), (0.05, 0.06, 0.04))
    return SpatialArm(tuple(Link(Joint(TILTED, (0.1, 0.2, -0.1)), beam, distal=(body,)) for beam in beams),
                      (1.0, -9.0, 2.0))


def acceleration(arm, q, v):
    model, acc = compiled(arm), np.empty(len(q))
    assert recursive_system.accelerate(model, work_for(model, dense=False), 0.0, q, v, np.zeros(0), acc) == OK
    return acc


@pytest.fixture(scope="module")
def data():
    return modal_data(BEAM)


@pytest.mark.parametrize("suffix", ["npz", "h5"])
@pytest.mark.parametrize("words", [{}, {"foreshortening": False}, {"EIy": 200.0, "shear": (900.0, 700.0)}])
def test_data_written_from_a_beam_move_as_the_beam(tmp_path, suffix, words):
    beam = replace(BEAM, **words)
    modal_data(beam).write(tmp_path/f"beam.{suffix}")
    found = ModalLink.read(tmp_path/f"beam.{suffix}")
    theirs, ours = arm_with(beam, beam), arm_with(beam, found)
    q, v = state(theirs, np.random.default_rng(1))
    expected = acceleration(theirs, q, v)
    assert ours.names == theirs.names
    assert np.abs(acceleration(ours, q, v) - expected).max() < 1e-13*np.abs(expected).max()


def test_modes_of_a_body_may_be_mixed(data):
    """Sums of modes are modes as good; without shortening, whose shapes stay."""
    n = sum(BEAM.modes)
    T = np.eye(n) + 0.1*np.random.default_rng(2).normal(size=(n, n))
    flat = replace(data, foreshortening=False)
    other = replace(flat, stiffness=T.T @ data.stiffness @ T, mass=T.T @ data.mass @ T, first=data.first @ T,
                    second=np.einsum("abfl,fi,lj->abij", data.second, T, T), end=data.end @ T)
    rng = np.random.default_rng(3)
    d, dd = 0.05*rng.uniform(-1.0, 1.0, (2, n))
    one = acceleration(arm_with(flat), np.array([0.3, *(T @ d)]), np.array([0.5, *(T @ dd)]))
    two = acceleration(arm_with(other), np.array([0.3, *d]), np.array([0.5, *dd]))
    assert two[0] == pytest.approx(one[0], rel=1e-10)
    assert np.abs(T @ two[1:] - one[1:]).max() < 1e-10*np.abs(one).max()


def test_the_road_of_lagrange_needs_places(data):
    arm = arm_with(data)
    with pytest.raises(ModelError, match="only its integrals"):
        arm.simulate(0.01, formulation="lagrange")


def test_data_that_no_body_has(data):
    K, M = data.stiffness.copy(), data.mass.copy()
    K[1, 1] *= -1.0
    M[1, 2] = M[2, 1] = 0.2*M[1, 1]
    second = data.second.copy()
    second[1, 1] += M - data.mass
    drawn, mixed, twice = data.shortening.copy(), data.end_shortening.copy(), data.shortening_twice.copy()
    drawn[0, 1] *= 2.0
    mixed[1, 5] = mixed[5, 1] = 0.3
    twice[0, 1, 1, 2] += 0.1
    for words, match in (({"shortening": drawn}, "modal.shortening is not symmetric"),
                         ({"end_shortening": mixed}, "between modes of different planes"),
                         ({"shortening_twice": twice}, "modal.shortening_twice is not symmetric"),
                         ({"stiffness": K}, "stiffness is not positive definite"),
                         ({"mass": M}, "not the one that modal.second makes"),
                         ({"mass": M, "second": second, "orthogonal": 1e-2}, "modes 1 and 2 are not orthogonal"),
                         ({"shortening": None}, "foreshortening is asked for, but the data have no shortening"),
                         ({"end": data.end[:3]}, "modal.end has shape"),
                         ({"first": data.first*np.nan}, "not finite"), ({"modes": (1, 3, 2)}, "modal.modes"),
                         ({"stiffness": K[:2]}, "modal.stiffness has shape"), ({"length": "1"}, "modal.length"),
                         ({"straight": data.straight + np.triu(np.ones((4, 4)), 1)}, "not symmetric")):
        with pytest.raises(ModelError, match=match):
            replace(data, **words)


@pytest.mark.parametrize("suffix", ["npz", "h5"])
def test_what_was_written_is_read_back_in_every_bit(tmp_path, suffix):
    """All kinds of modes alone and together, shapes the planes share or not, what is None too."""
    for modes in ((1, 3, 2, 1), (1, 0, 0, 1), (0, 1, 0, 0), (0, 2, 5, 0), (0, 0, 0, 2)):
        for words in ({}, {"foreshortening": False}, {"EIy": 200.0, "shear": (900.0, 700.0)}):
            written = modal_data(Link(Joint(), replace(BEAM, modes=modes, **words)))
            for one in (written, replace(written, orthogonal=0.5)):
                one.write(tmp_path/f"beam.{suffix}")
                read = ModalLink.read(tmp_path/f"beam.{suffix}")
                for field in fields(ModalLink):
                    there, here = getattr(one, field.name), getattr(read, field.name)
                    assert type(here) is type(there) and np.array_equal(here, there), (modes, words, field.name)
    assert modal_data(written) is written
    with pytest.raises(ModelError, match="beam is 3; give one of: FlexibleLink, ModalLink"):
        modal_data(3)


def test_integrals_that_are_of_no_body(data):
    """Each alone is of the right shape and symmetric; together they are no products over one mass."""
    lighter, other = data.straight.copy(), data.second.copy()
    lighter[3, 3] *= 0.5
    other[0, 1, 0, 1] += 0.9
    other[1, 0, 1, 0] += 0.9
    odd = data.second.copy()
    odd[0, 1, 0, 1] += 0.3
    for words, match in (({"straight": lighter}, "straight, first and second are not of one body"),
                         ({"straight": -data.straight}, "has the mass -3 kg"),
                         ({"first": 2.0*data.first}, "straight, first and second are not of one body"),
                         ({"second": other}, "straight, first and second are not of one body"),
                         ({"second": odd}, "second is not symmetric"),
                         ({"shortening": 2.0*data.shortening}, "shortening and shortening_twice are not of one body"),
                         ({"shortening_twice": 0.5*data.shortening_twice}, "shortening_twice are not of one body"),
                         ({"end_shortening": -data.end_shortening}, "slopes squared are not negative"),
                         ({"stiffness": 1j*data.stiffness}, "give numbers of shape")):
        with pytest.raises(ModelError, match=match):
            replace(data, **words)
    with pytest.raises(ModelError, match="stifness: unknown field"):
        ModalLink(stifness=1.0)


@pytest.mark.parametrize("suffix", ["npz", "h5"])
def test_a_damaged_file_is_refused(tmp_path, data, suffix):
    path = tmp_path/f"body.{suffix}"
    with pytest.raises(ModelError, match="cannot be read"):
        ModalLink.read(path)
    data.write(path)
    whole = path.read_bytes()
    path.write_bytes(whole[:len(whole)//2])
    with pytest.raises(ModelError, match=r"cannot be read|damaged"):
        ModalLink.read(path)
    path.write_bytes(b"")
    with pytest.raises(ModelError, match=r"cannot be read|damaged"):
        ModalLink.read(path)
    with pytest.raises(ModelError, match="ends with"):
        ModalLink.read(tmp_path/"body.txt")


def test_a_file_that_lacks_a_word(tmp_path, data):
    np.savez(tmp_path/"half.npz", length=1.0, modes=(0, 1, 0, 0))
    with pytest.raises(ModelError, match="stiffness, mass, straight, first, second, end missing"):
        ModalLink.read(tmp_path/"half.npz")
    np.savez(tmp_path/"more.npz", colour=1.0)
    with pytest.raises(ModelError, match="colour: unknown"):
        ModalLink.read(tmp_path/"more.npz")
