"""Transfer matrices in the frequency domain, for links that turn about one axis: frequencies, shapes, responses.

With Z = k + c s the outer part of joint j answers an angle with -D th; one elimination a joint, tip to base:

    D_j = I_j s^2 + sum over outer joints of Z D/(Z + D),   d_j = Z_j + D_j,   th_j = (Z_j th_parent + G_j)/d_j

The d_j are the pivots of s^2 M + s C + K: for s = i omega without damping as many are negative as natural frequencies
lie below omega [Wittrick & Williams 1971]; their product is the determinant. Sources: [Holzer 1921],
[Horner & Pilkey 1978].
"""

import numpy as np

from ..describe.check import shown, whole
from ..status import ModelError
from .counting import polished, quadratic_roots, roots, slowest_first

OFF = 1e-13                                         # how far beside a resonance its shape is looked at, relative


def natural_frequencies(chain, count=None):
    """See TorsionChain."""
    wanted = how_many(count, chain.n)
    stiff = np.array((0.0, *chain.stiffness))
    held = stiff.copy()
    np.add.at(held, np.array(chain.parents, int), stiff[1:])
    top = 2.01*np.max(held[1:]/np.array(chain.inertia)) + np.finfo(float).tiny
    return np.sqrt(roots(lambda square: _below(chain, square), wanted, top))


def how_many(count, most):
    """A count of modes, checked."""
    if count is None:
        return most
    or_else = f"1 to {most}, or None for all"
    count = whole(count, "count", "modes", or_else=or_else)
    if count > most:
        raise ModelError(f"count is {count}; give a whole number of modes, {or_else}")
    return count


def _below(chain, square):
    """How many squares of frequencies lie below each of the given ones: negative pivots."""
    outer = [0.0]*(chain.n + 1)
    found = np.zeros(len(square), int)
    with np.errstate(all="ignore"):
        for j in range(chain.n, 0, -1):
            k, D = chain.stiffness[j - 1], chain.inertia[j - 1]*square + outer[j]
            d = k - D
            d = np.where(d == 0.0, np.finfo(float).tiny, d)
            found += d < 0.0
            parent = chain.parents[j - 1]
            outer[parent] = outer[parent] + np.where(np.isinf(D), -k, D*(k/d))
    return found


# ------------------------------------------------------------------------------------------------------- responses


def pivots(chain, s):
    """(Z_j, d_j) for j = n, ..., 1, at a row of complex s."""
    outer = [0.0]*(chain.n + 1)
    for j in range(chain.n, 0, -1):
        Z, D = chain.stiffness[j - 1] + chain.damping[j - 1]*s, chain.inertia[j - 1]*s*s + outer[j]
        d = Z + D
        d = np.where(d == 0.0, np.finfo(float).tiny, d)
        parent = chain.parents[j - 1]
        outer[parent] = outer[parent] + (Z/d)*D
        yield Z, d


def response(chain, s, torques):
    """Angles of all links, a row each, at a row of s, for rows of torques."""
    G, steps = [0.0, *torques], []
    for j, (Z, d) in zip(range(chain.n, 0, -1), pivots(chain, s)):
        parent = chain.parents[j - 1]
        steps.append((Z/d, G[j]/d))
        G[parent] = G[parent] + G[j]*(Z/d)
    angles = [np.zeros(len(s))]
    for j, (r, q) in enumerate(reversed(steps), 1):
        angles.append(r*angles[chain.parents[j - 1]] + q)
    return np.array(angles[1:])


def transfer_function(chain, s, out, into):
    """See TorsionChain."""
    s, out, into = np.asarray(s, complex), _link(chain, out, "out"), _link(chain, into, "into")
    torques = [1.0 if j == into else 0.0 for j in range(1, chain.n + 1)]
    with np.errstate(all="ignore"):
        return response(chain, s.ravel(), torques)[out - 1].reshape(s.shape)


def _link(chain, link, what):
    if isinstance(link, bool) or not isinstance(link, (int, np.integer)) or not (1 <= link <= chain.n or link == -1):
        raise ModelError(f"{what} is {shown(link)}; give a link in 1..{chain.n}, or -1 for the last")
    return chain.n if link == -1 else int(link)


def mode_shapes(chain, omega):
    """See TorsionChain: what torques of any kind do a hair beside the resonance, twice."""
    from msgspec.structs import replace

    omega = np.atleast_1d(np.asarray(omega, float))
    free, inertia = replace(chain, damping=0.0), np.array(chain.inertia)[:, None]
    s = 1j*np.where(omega > 0.0, omega*(1.0 + OFF), OFF*np.max(omega, initial=1.0))
    torques = np.random.default_rng(1).standard_normal((chain.n, 1))*np.ones(len(omega))
    for _ in range(2):
        shape = normalized(response(free, s, torques).real)
        torques = inertia*shape
    return shape.T


def normalized(shape):
    """Columns with largest part 1."""
    return shape/np.take_along_axis(shape, np.argmax(np.abs(shape), axis=0)[None], axis=0)


def damped_eigenvalues(chain):
    """See TorsionChain."""
    n, inner = chain.n, np.array(chain.parents, int)
    joint = np.eye(n + 1)[1:] - np.eye(n + 1)[inner]
    K, C = (joint.T @ (np.array(row)[:, None]*joint) for row in (chain.stiffness, chain.damping))
    found = quadratic_roots(np.diag(chain.inertia), C[1:, 1:], K[1:, 1:])
    return slowest_first(polished(lambda s: [d for _, d in pivots(chain, s)], found))
