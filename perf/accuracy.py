"""How true accelerations are: every code against 40 digits on chains of ball joints."""

import numpy as np

from . import chains, ours, truth

LENGTHS = (8, 32, 64, 128)
STATES = 3                                              # of each length against 40 digits: the worst counts


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
