"""How true accelerations are: every code against 40 digits on chains of ball joints, formulations compared."""

import numpy as np

import fastdyn as fd
from fastdyn.formulations import FORMULATIONS

from . import chains, ours, truth

LENGTHS = (8, 32, 64, 128)
STATES = 3                                              # of each length against 40 digits: the worst counts
AGREE_LINKS = 12


def errors(peers, lengths=LENGTHS):
    """code -> {links: largest error of an acceleration over the largest acceleration}."""
    found = {}
    for n in lengths:
        chain = chains.chain("spherical", n)
        for seed in range(STATES):
            q, v, torque = chains.states("spherical", n, seed=seed)
            right = truth.accelerations(chain, q[0], v[0], torque[0])
            answers = {"fastdyn": ours.Case("forward", chain.model, q, v, torque).answer()[0]}
            for peer in peers:
                if peer.takes("spherical", chain):
                    answers[peer.name] = peer(chain, q[0], v[0], torque[0], torque[0]).forward()
            for code, answer in answers.items():
                worst = found.setdefault(code, {})
                worst[n] = max(worst.get(n, 0.0), difference(answer, right))
    return found


def difference(a, b):
    """Largest difference over the largest number of b."""
    return float(np.max(np.abs(a - b))/np.max(np.abs(b)))


def agreement(states):
    """formulation -> worst difference of its accelerations from the recursion's, of all families, 1 to 12 links."""
    worst = dict.fromkeys(set(FORMULATIONS) - {"recursive"}, 0.0)
    each = -(-states//(len(chains.FAMILIES)*AGREE_LINKS))
    for family in chains.FAMILIES:
        for n in range(1, AGREE_LINKS + 1):
            chain = chains.chain(family, n)
            for q, v, torque in zip(*chains.states(family, n, lanes=each)):
                right = fd.forward_dynamics(chain, q, v, torque)
                for name in worst:
                    answer = fd.forward_dynamics(chain, q, v, torque, formulation=name)
                    worst[name] = max(worst[name], difference(answer, right))
    return worst
