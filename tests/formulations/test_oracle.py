"""Random chains and trees of all joints against Newton's and Euler's laws with 40 digits."""

import numpy as np
import pytest
from formulations.common import examples, off, within
from formulations.oracle import judged
from hypothesis import given, settings
from strategies import chains_in_motion, random_chain, random_state

import fastdyn as fd

pytestmark = [pytest.mark.usefixtures("one_ladder"), pytest.mark.kernels]
EPS = 2.0**-52


def check(chain, q, v, torque, roads=("recursive",)):
    """Errors of a few roundings times the growth that the mass matrix allows them."""
    expected, growth = judged(chain, q, v, torque)
    for road in roads:
        acc = fd.forward_dynamics(chain, q, v, torque, formulation=road)
        assert within(off(acc, expected, least=1.0), 4.0*growth*EPS), road


@pytest.mark.parametrize("kind", ["revolute", "aligned", "prismatic", "spherical", "universal", "planar", "mixed"])
@pytest.mark.parametrize("free", [False, True])
def test_every_joint_by_every_road(kind, free):
    rng = np.random.default_rng([len(kind), free])
    chain = random_chain(rng, 4, kind, free, tree=True)
    check(chain, *random_state(rng, chain), rng.uniform(-5.0, 5.0, chain.nv), ("recursive", "denoc", "gibbs-appell"))


@given(chains_in_motion(max_links=5))
@settings(max_examples=examples(25), deadline=None)
def test_any_tree(drawn):
    check(*drawn)


def test_the_states_of_a_batch():
    rng = np.random.default_rng(11)
    chain = random_chain(rng, 5, "mixed", tree=True)
    drawn = [random_state(rng, chain) for _ in range(3)]
    found = fd.forward_dynamics(chain, *map(np.array, zip(*drawn)))
    for acc, (q, v) in zip(found, drawn):
        expected, growth = judged(chain, q, v, np.zeros(chain.nv))
        assert within(off(acc, expected, least=1.0), 4.0*growth*EPS)
