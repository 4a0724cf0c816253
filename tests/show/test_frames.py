"""Where links are drawn: frames as the dynamics have them, bent links as their modes say, joints where they meet."""

import numpy as np
import pytest
from show.motions import BEAM, hopping_chain
from strategies import random_chain, random_state

import fastdyn as fd
from fastdyn.show.frames import bent, frames, modal, shape_table
from fastdyn.show.skeleton import body_line, strokes

pytestmark = pytest.mark.usefixtures("one_ladder")


@pytest.mark.parametrize("kind, free", [("mixed", False), ("mixed", True), ("planar", True), ("spherical", False)])
def test_frames_are_where_links_are_at_every_state(kind, free):
    rng = np.random.default_rng(5)
    chain = random_chain(rng, 6, kind, free=free, tree=True)
    q = np.array([random_state(rng, chain)[0] for _ in range(4)])
    turns, origins = frames(chain, q)
    for state, R, o in zip(q, turns, origins):
        for i, name in enumerate(chain.link_names):
            assert np.allclose(R[i], fd.orientation(chain, state, name), atol=1e-13)
            assert np.allclose(o[i], fd.position(chain, state, name), atol=1e-13)


def elastic_chain():
    links = [fd.Link(name=f"b{ends}", joint=fd.FreePlanar() if ends == "ss" else fd.Revolute(),
                     elastic=fd.Elastic(beam=BEAM, ends=ends, modes=3)) for ends in ("ss", "cf", "sc", "cc")]
    return fd.Chain(links)


def test_bent_links_end_where_the_next_one_begins():
    chain, rng = elastic_chain(), np.random.default_rng(3)
    q = 0.1*rng.normal(size=(5, chain.nq))
    turns, origins = frames(chain, q)
    for state, R, o in zip(q, turns, origins):
        for factor in (1.0, 30.0):
            for i in range(4):
                line = o[i] + body_line(chain, state, i, factor) @ R[i].T
                end = o[i + 1] if i < 3 else fd.position(chain, state, "bcc", (1.0, 0.0, 0.0))
                assert np.allclose(line[0], o[i], atol=1e-14) and np.allclose(line[-1], end, atol=1e-13)
        lines, joints = strokes(chain, state, 30.0)
        assert np.isnan(lines[:, 0]).sum() == 1 and np.allclose(joints, o)      # one line without a break


def test_a_link_bends_as_its_modes_say_and_more_by_the_factor():
    chain = elastic_chain()
    q = np.zeros(chain.nq)
    q[modal(chain, 1)] = 0.02, -0.01, 0.03
    link = chain.links[1]
    places, table = shape_table(link)
    expected = sum(a*shape.W(places) for a, shape in zip(q[modal(chain, 1)], link.elastic.mode_shapes))
    assert table.shape == (3, len(places)) and len(places) > 16
    assert np.allclose(body_line(chain, q, 1)[:, 1], expected, atol=1e-15)
    chord = places*expected[-1]
    assert np.allclose(bent(link, q[modal(chain, 1)], 7.0)[:, 1], chord + 7*(expected - chord), atol=1e-14)
    assert np.allclose(bent(link, q[modal(chain, 1)], 0.0)[:, 1], chord, atol=1e-15)


def test_rigid_links_and_beams_without_modes_are_straight():
    chain = fd.Chain([fd.Link(elastic=fd.Elastic(beam=BEAM, ends="cf", modes=0)), fd.Link(length=0.5, mass=1.0)])
    for i, link in enumerate(chain.links):
        assert body_line(chain, np.zeros(2), i).tolist() == [[0.0, 0.0, 0.0], [link.length, 0.0, 0.0]]
    assert hopping_chain().links[0].modes == 2
