"""Boxes of bodies that can turn about their own line: their inertia, place, and both drawings."""

import json

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

import fastdyn as fd
from fastdyn.results.run import Run
from fastdyn.show.body_box import CORNERS, EDGES, box_of
from fastdyn.show.player import content, page
from fastdyn.show.skeleton import strokes


def corners(link):
    found = np.full((8, 3), np.nan)
    for line, edge in zip(box_of(link), EDGES, strict=True):
        found[list(edge)] = line
    return found


def test_the_box_has_the_inertia_of_its_body():
    """Of even density: second moments about its middle are thirds of those of its corners."""
    R = Rotation.from_rotvec([0.3, -1.1, 0.7]).as_matrix()
    inertia = R @ np.diag([0.5, 0.7, 0.9]) @ R.T
    link = fd.Link(joint=fd.Spherical(), body=fd.Body(mass=3.0, com=(0.2, -0.1, 0.4), inertia=inertia))
    places = corners(link)
    assert np.allclose(places.mean(axis=0), link.body.com, atol=1e-14)
    away = places - places.mean(axis=0)
    second = 3.0*(away.T @ away)/8/3
    assert np.allclose(np.trace(second)*np.eye(3) - second, inertia, atol=1e-13)


def test_the_disc_of_the_heavy_top_is_flat_and_square():
    (top,) = fd.catalog.heavy_top().links
    sides = np.ptp(corners(top), axis=0)
    assert np.sort(sides)[0] <= 1e-6 and np.sort(sides)[1] == pytest.approx(np.sort(sides)[2], rel=1e-12)


@pytest.mark.parametrize("link", [
    fd.Link(length=1.0, mass=1.0, radius=0.01, joint=fd.Spherical()),           # slender
    fd.Link(length=1.0, mass=1.0, radius=0.5),                                  # on a hinge
    fd.Link(joint=fd.Free()),                                                   # without a body
])
def test_others_have_none(link):
    assert box_of(link) == []


def test_pictures_and_pages_have_it():
    chain = fd.catalog.space_arm()
    q, v = chain.start_state()
    run = Run(chain, np.array([0.0, 1.0]), np.array([q, q]), np.array([v, v]), stats={"steps": 1, "evaluations": 1})
    box = box_of(chain.links[0])
    told = content(run, np.array([0, 1]), 1.0)
    assert len(told["links"][0]["box"]) == len(EDGES) and len(CORNERS) == 8
    assert np.ptp(np.array(box[0]), axis=0).max() <= max(told["extent"]) + 1e-12
    assert '"box":' + json.dumps(told["links"][0]["box"], separators=(",", ":")) in page(run, 1.0)
    lines, _ = strokes(chain, q)
    assert all(np.any(np.all(np.abs(lines - corner) <= 1e-12, axis=1)) for edge in box for corner in edge)
