"""What is asked of elastic links besides their dynamics."""

import numpy as np
import pytest
from formulations.common import off, within
from formulations.free_bodies import rate_of

import fastdyn as fd


@pytest.mark.parametrize("modes", ["ss-ss", "cf-cf"])
def test_acceleration_of_points_that_elastic_links_carry(modes):
    """Their tips turn, and those of the clamped and free stand off the line as well."""
    chain = fd.catalog.falling_chain(modes=modes, m=2)
    rng = np.random.default_rng(2)
    q, v = chain.zero_state()
    q, v, acc = q + 0.01*rng.normal(size=chain.nq), v + rng.normal(size=chain.nv), rng.normal(size=chain.nv)
    for link in chain.links:
        for point in ((0.3, 0.1, 0.0), link.tip):
            a, al = fd.acceleration(chain, q, v, acc, link.name, point)
            rates = rate_of(lambda t, at=(link.name, point): np.array(
                fd.velocity(chain, q + t*v + t*t/2*acc, v + t*acc, *at)))
            assert within(off([a, al], rates, least=1.0), 1e-11)


def test_attitudes_at_tips_turn_as_angular_velocities():
    chain = fd.catalog.falling_chain(modes="cf-cf", m=2)
    rng = np.random.default_rng(4)
    q, v = chain.zero_state()
    q, v = q + 0.01*rng.normal(size=chain.nq), rng.normal(size=chain.nv)
    for link in chain.links:
        for point in ((0.0, 0.0, 0.0), link.tip):
            x, y = (fd.orientation(chain, q + h*v, link.name, point)[:2, 0] for h in (1e-6, -1e-6))
            turned = (np.arctan2(*x[::-1]) - np.arctan2(*y[::-1]))/2e-6
            assert turned == pytest.approx(fd.velocity(chain, q, v, link.name, point)[1][2], rel=1e-7, abs=1e-8)


def test_the_inverse_mass_of_bent_beams():
    """No stiffness has a part in it."""
    chain = fd.catalog.falling_chain(modes="cf-ss", m=2)
    rng = np.random.default_rng(0)
    q, x = chain.zero_state()[0] + 0.01*rng.normal(size=(4, chain.nq)), rng.normal(size=(4, chain.nv))
    for M, one, y in zip(fd.mass_matrix(chain, q), x, fd.apply_inverse_mass(chain, q, x)):
        assert np.abs(M @ y - one).max() < 1e-13*np.max(np.abs(M) @ np.abs(y))


def test_gibbs_function_of_beams_grows_by_the_mass_matrix():
    """G(acc) + G(-acc) - 2 G(0) = acc.M acc: it is quadratic, and acc None is zero."""
    chain = fd.catalog.falling_chain(modes="cf-ss", m=2)
    rng = np.random.default_rng(1)
    q, v, acc = chain.zero_state()[0] + 0.01*rng.normal(size=chain.nq), *rng.normal(size=(2, chain.nv))
    bend = sum(fd.gibbs_function(chain, q, v, x) for x in (acc, -acc)) - 2.0*fd.gibbs_function(chain, q, v, None)
    assert within(abs(bend - acc @ fd.mass_matrix(chain, q) @ acc)/bend, 1e-13)
