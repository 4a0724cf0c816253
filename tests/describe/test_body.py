"""Bodies: the formulas against sums over small pieces, and only what some spread of mass can have."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from strategies import bodies

from fastdyn.describe.body import INERTIA_SLACK, Body
from fastdyn.describe.chain import Chain
from fastdyn.describe.link import Link
from fastdyn.status import ModelError


def pieces(inside, low, high, n=60):
    """Mass centre and inertia about it, per kg, of the part of a box where `inside` holds, by the midpoint rule."""
    edges = [low[i] + (high[i] - low[i]) * (np.arange(n) + 0.5) / n for i in range(3)]
    p = np.stack(np.meshgrid(*edges, indexing="ij"), -1).reshape(-1, 3)
    p = p[inside(*p.T)]
    com = p.mean(0)
    d = p - com
    return com, np.eye(3) * (d**2).sum(1).mean() - d.T @ d / len(d)


SHAPES = {
    "rod": (
        Body.rod(0.8, 2.0, radius=0.3),
        pieces(lambda x, y, z: y**2 + z**2 < 0.09, (0, -0.3, -0.3), (0.8, 0.3, 0.3)),
    ),
    "cylinder": (
        Body.cylinder(0.8, 0.3, 2.0, com=(0.1, 0.2, 0.3)),
        pieces(lambda x, y, z: (y - 0.2) ** 2 + (z - 0.3) ** 2 < 0.09, (-0.3, -0.1, 0.0), (0.5, 0.5, 0.6)),
    ),
    "box": (Body.box((0.2, 0.5, 0.9), 2.0), pieces(lambda x, y, z: x < 1, (-0.1, -0.25, -0.45), (0.1, 0.25, 0.45))),
    "sphere": (Body.sphere(0.4, 2.0), pieces(lambda x, y, z: x * x + y * y + z * z < 0.16, [-0.4] * 3, [0.4] * 3)),
}


@pytest.mark.parametrize("shape", SHAPES)
def test_shapes_are_the_sums_over_their_pieces(shape):
    body, (com, inertia) = SHAPES[shape]
    assert body.mass == 2.0
    assert np.allclose(body.com, com, atol=1e-12)
    assert np.allclose(np.array(body.inertia) / 2.0, inertia, atol=3e-4 * np.trace(inertia) / 3 + 1e-5)


def test_a_thin_rod_and_a_point():
    assert Body.rod(3.0, 2.0).inertia == ((0.0, 0.0, 0.0), (0.0, 1.5, 0.0), (0.0, 0.0, 1.5))
    assert Body.rod(3.0, 2.0).com == (1.5, 0.0, 0.0)
    assert Body.point(2.0, (1, 2, 3)) == Body(mass=2.0, com=(1.0, 2.0, 3.0), inertia=(0, 0, 0))


def test_numpy_integers_and_lists_are_numbers():
    body = Body(mass=np.int64(2), com=np.array([1, 2, 3]), inertia=np.diag([1.0, 1.0, 1.0]).astype(np.float32))
    assert body == Body(mass=2.0, com=[1.0, 2.0, 3.0], inertia=[1, 1, 1])
    assert all(type(x) is float for x in (body.mass, *body.com, *body.inertia[0]))


@given(bodies())
def test_the_matrix_is_exactly_symmetric_and_a_second_check_changes_nothing(body):
    assert all(body.inertia[i][j] == body.inertia[j][i] for i in range(3) for j in range(3))
    assert repr(Body(mass=body.mass, com=body.com, inertia=body.inertia)) == repr(body)


def test_asymmetry_of_rounding_is_healed_and_more_is_refused():
    slack = INERTIA_SLACK
    healed = Body(mass=1, inertia=[[2, 0.5 + 1.9 * slack, 0], [0.5, 2, 0], [0, 0, 2]]).inertia
    assert healed[0][1] == healed[1][0] == pytest.approx(0.5, abs=2 * slack)
    with pytest.raises(ModelError, match="not symmetric"):
        Body(mass=1, inertia=[[2, 0.5 + 2.1 * slack, 0], [0.5, 2, 0], [0, 0, 2]])


@given(st.floats(-1e-2, 1e-2), st.sampled_from([1e-12, 1.0, 1e12]), st.permutations(range(3)))
def test_the_triangle_inequality_divides_exactly(excess, scale, order):
    """A body is possible when the largest moment is at most the sum of the others (flat bodies are at the limit)."""
    moments = [(1.0 * scale, 2.0 * scale, (3.0 + excess) * scale)[i] for i in order]
    if excess <= 0.9 * 3 * INERTIA_SLACK:
        Body(mass=1, inertia=moments)
    elif excess > 1.1 * 3 * INERTIA_SLACK:
        with pytest.raises(ModelError, match=r"body\.inertia has principal moments .* sum of the other two"):
            Body(mass=1, inertia=moments)


@pytest.mark.parametrize("excess, fine", [(0.9, True), (1.1, False)])
def test_both_sides_of_the_rounding_slack(excess, fine):
    flat, negative = (1, 2, 3 * (1 + excess * INERTIA_SLACK)), (1, 1, -excess * INERTIA_SLACK)
    for moments, sentence in ((flat, "sum of the other two"), (negative, "none may be negative")):
        if fine:
            Body(mass=1, inertia=moments)
        else:
            with pytest.raises(ModelError, match=sentence):
                Body(mass=1, inertia=moments)


def test_the_triangle_is_that_of_the_principal_moments():
    a, b = 0.6, 0.8
    R = np.array([[a, -b, 0], [b, a, 0], [0, 0, 1]])
    Body(mass=1, inertia=R @ np.diag([1, 2.5, 3]) @ R.T)
    with pytest.raises(ModelError, match="sum of the other two"):
        Body(mass=1, inertia=R @ np.diag([1, 2.5, 3.6]) @ R.T)


def test_huge_and_tiny_bodies_are_bodies():
    Body(mass=5e-324, inertia=(5e-324, 5e-324, 5e-324))
    Body(mass=1e308, inertia=(1.5e308, 1.5e308, 1.5e308))
    Body(mass=1, inertia=[[1.7e308, 1e307, 0], [1e307, 1.7e308, 0], [0, 0, 1.7e308]])
    with pytest.raises(ModelError, match="finite"):
        Body.rod(1e200, 1.0)


@pytest.mark.filterwarnings("error")
def test_a_place_too_far_to_be_squared_is_refused():
    with pytest.raises(ModelError, match=r"body.com is \(1e\+200, 0, 0\) m: .* \(in the body of 1 kg\)"):
        Body(mass=1.0, com=(1e200, 0.0, 0.0), inertia=(1.0, 1.0, 1.0))
    heavy = Body(mass=1e20, inertia=(1.0, 1.0, 1.0))
    chain = Chain([Link(name="near", body=heavy), Link(name="far", at=(1e150, 0.0, 0.0), body=heavy)])
    with pytest.raises(ModelError, match=r'link "far": mass times distance .* at \(1e\+150, 0, 0\) m'):
        _ = chain.model


def test_a_sentence_is_one_line():
    with pytest.raises(ModelError) as refused:
        Body(mass=1.0, inertia=np.eye(4))
    assert "\n" not in str(refused.value) and "body.inertia is array([[1., 0., 0., 0.], [0., 1." in str(refused.value)


@pytest.mark.parametrize("bad", [math.nan, math.inf, -math.inf, 10**400, True, "1", None, 1j, np.bool_(True)])
@pytest.mark.parametrize("field", ["mass", "com", "inertia", "product"])
def test_only_finite_numbers(field, bad):
    words = {"mass": 1.0, "com": (0.0, 0.0, 0.0), "inertia": (1.0, 1.0, 1.0)}
    if field == "product":
        words["inertia"] = ((1.0, 0.0, bad), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0))
    else:
        words[field] = bad if field == "mass" else (1.0, bad, 1.0)
    with pytest.raises(ModelError, match=rf"body\.{'inertia' if field == 'product' else field}.*give a"):
        Body(**words)


@pytest.mark.parametrize("mass", [0, -1.0, -0.0])
def test_mass_is_positive(mass):
    for make in (lambda: Body(mass=mass, inertia=(1, 1, 1)), lambda: Body.rod(1.0, mass), lambda: Body.point(mass)):
        with pytest.raises(ModelError, match=r"body\.mass is -?[01] kg; give a mass > 0"):
            make()


@pytest.mark.parametrize(
    "inertia", [(1, 1), (1, 1, 1, 1), 3.0, "abc", ((1, 0), (0, 1), (0, 0)), (1, 1, (1, 1, 1)), {1, 2, 3}]
)
def test_inertia_has_three_moments_or_nine_numbers(inertia):
    with pytest.raises(ModelError, match=r"body\.inertia"):
        Body(mass=1, inertia=inertia)


@pytest.mark.parametrize(
    "make, field",
    [
        (lambda: Body.rod(0.0, 1.0), "length"),
        (lambda: Body.rod(1.0, 1.0, radius=-0.1), "radius"),
        (lambda: Body.cylinder(-1.0, 0.1, 1.0), "length"),
        (lambda: Body.box((1.0, 0.0, 1.0), 1.0), "size"),
        (lambda: Body.box((1.0, 1.0), 1.0), "size"),
        (lambda: Body.sphere(0.0, 1.0), "radius"),
    ],
)
def test_shapes_refuse_impossible_sizes(make, field):
    with pytest.raises(ModelError, match=rf"body\.{field}"):
        make()
