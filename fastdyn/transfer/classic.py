"""Transfer matrices in the frequency domain, for links that turn about one axis: frequencies, shapes, responses.

With Z = k + c s the outer part of joint j answers an angle with -D th; one elimination a joint, tip to base:

    D_j = I_j s^2 + sum over outer joints of Z D/(Z + D),   d_j = Z_j + D_j,   th_j = (Z_j th_parent + G_j)/d_j

The d_j are the pivots of s^2 M + s C + K: for s = i omega without damping as many are negative as natural frequencies
lie below omega [Wittrick & Williams 1971]; their product is the determinant. Sources: [Holzer 1921],
[Horner & Pilkey 1978].
"""

import numpy as np

from ..describe.check import one_of, shown, whole
from ..status import ModelError
from .counting import check_natural, polished, quadratic_roots, roots, slowest_first, undamped_roots
from .rows import frequencies_in_a_row, frequencies_of, place_of, with_limits

OFF, APART = 1e-13, 1e-10                           # how far beside a resonance, or several, shapes are looked at
ALIKE = 1e-9                                        # of a frequency: what is one and the same
QUANTITIES = ("angle", "torque")


def natural_frequencies(chain, count=None):
    """See TorsionChain."""
    wanted = how_many(count, chain.n)
    stiff = np.array((0.0, *chain.stiffness))
    held = stiff.copy()
    np.add.at(held, np.array(chain.parents, int), stiff[1:])
    top = 2.01*np.max(held[1:]/np.array(chain.inertia)) + np.finfo(float).tiny
    return np.sqrt(roots(_counter(chain), wanted, top, chain.stiffness.count(0.0)))


def how_many(count, most):
    """A count of modes, checked."""
    if count is None:
        return most
    or_else = f"1 to {most}, or None for all"
    count = whole(count, "count", "modes", or_else=or_else)
    if count > most:
        raise ModelError(f"count is {count}; give a whole number of modes, {or_else}")
    return count


def _counter(chain):
    """A function: how many squares of frequencies lie below each of the given ones."""
    from .._jit import ready
    from .counting_steps import count

    rows = [np.array((0.0, *row)) for row in (chain.stiffness, chain.inertia)]
    parent, room = np.array((0, *chain.parents), np.int64), np.empty(chain.n + 1)

    def below(squares):
        found = np.empty(len(squares), np.int64)
        ready(count)(parent, *rows, np.ascontiguousarray(squares), np.finfo(float).tiny, room, found)
        return found

    return below


# ------------------------------------------------------------------------------------------------------- responses


def pivots(chain, s):
    """(Z_j, D_j, d_j) for j = n, ..., 1, at a row of complex s."""
    outer = [0.0]*(chain.n + 1)
    for j in range(chain.n, 0, -1):
        Z, D = chain.stiffness[j - 1] + chain.damping[j - 1]*s, chain.inertia[j - 1]*s*s + outer[j]
        d = Z + D
        d = np.where(d == 0.0, np.finfo(float).tiny, d)
        parent = chain.parents[j - 1]
        outer[parent] = outer[parent] + (Z/d)*D
        yield Z, D, d


def response(chain, s, torques, base=0.0):
    """(angles, torques in their joints) of all links, a row each, at a row of s, for rows of torques and a base."""
    G, steps = [0.0, *torques], []
    for j, (Z, D, d) in zip(range(chain.n, 0, -1), pivots(chain, s)):
        parent = chain.parents[j - 1]
        steps.append((Z/d, G[j]/d, D, G[j]))
        G[parent] = G[parent] + G[j]*(Z/d)
    angles, passed = [np.full(len(s), base)], []
    for j, (r, q, D, g) in enumerate(reversed(steps), 1):
        angles.append(r*angles[chain.parents[j - 1]] + q)
        passed.append(g - D*angles[j])
    return np.array(angles[1:]), np.array(passed)


def transfer_function(chain, s, out, into, quantity):
    """See TorsionChain."""
    s, out = frequencies_of(s, "s", complex), place_of(out, "out is", "link", 1, chain.n)
    into = place_of(into, "into is", "link, or the base,", 0, chain.n)
    one_of(quantity, QUANTITIES, "quantity")
    torques = [1.0 if j == into else 0.0 for j in range(1, chain.n + 1)]

    def ask(s):
        return response(chain, s, torques, 1.0 if into == 0 else 0.0)[QUANTITIES.index(quantity)][out - 1]

    return with_limits(ask, s.ravel()).reshape(s.shape)


def mode_shapes(chain, omega):
    """See TorsionChain: what torques of any kind do a hair beside the resonance, twice.

    Where frequencies repeat, as many torques as there are of them; what they do is made orthogonal by the inertia.
    """
    from msgspec.structs import replace

    omega = frequencies_in_a_row(omega)
    many = check_natural(_counter(chain), omega, chain.stiffness.count(0.0))
    free, inertia = replace(chain, damping=0.0), np.array(chain.inertia)[:, None]
    groups = clusters(omega, many)
    s = 1j*beside(omega, groups)
    torques = np.random.default_rng(1).standard_normal((chain.n, len(omega)))
    for _ in range(3):
        shape = normalized(response(free, s, torques)[0].real)
        for group in groups:
            if len(group) > 1:
                shape[:, group] = _apart(shape[:, group], inertia)
        torques = inertia*shape
    return normalized(shape).T


def clusters(omega, many):
    """Numbers of frequencies that are one and the same, group by group; refused where a group has more than `many`."""
    order, groups = np.argsort(omega, kind="stable"), []
    for i in order.tolist():
        first = omega[groups[-1][0]] if groups else np.nan
        if abs(omega[i] - first) <= ALIKE*abs(omega[i]):
            groups[-1].append(i)
        else:
            groups.append([i])
    for group in groups:
        if len(group) > many[group[0]]:
            there = many[group[0]]
            raise ModelError(f"omega has {shown(float(omega[group[0]]))} rad/s {len(group)} times, but only {there} "
                             f"{'shape is' if there == 1 else 'shapes are'} of that frequency; give each as often as "
                             "natural_frequencies finds it")
    return groups


def beside(omega, groups):
    """A hair beside each frequency, the same for all of a group; not quite zero."""
    found = np.where(omega > 0.0, omega*(1.0 + OFF), OFF*np.max(omega, initial=1.0))
    for group in groups:
        if len(group) > 1 and omega[group[0]] > 0.0:
            found[group] = np.mean(omega[group])*(1.0 + APART)
    return found


def _apart(shape, inertia):
    """Columns that span the same, orthogonal by the inertia; columns that are too many say so by zeros."""
    root = np.sqrt(inertia)
    return np.linalg.qr(root*shape)[0]/root


def normalized(shape):
    """Columns with largest part 1."""
    return shape/np.take_along_axis(shape, np.argmax(np.abs(shape), axis=0)[None], axis=0)


def damped_eigenvalues(chain):
    """See TorsionChain."""
    from msgspec.structs import replace

    if not any(chain.damping):
        return undamped_roots(natural_frequencies(chain))
    ones = {field: tuple(1.0*(x > 0.0) for x in getattr(chain, field)) for field in ("damping", "stiffness")}
    found = quadratic_roots(*chain.matrices(), *replace(chain, **ones).matrices()[1:])
    return slowest_first(polished(lambda s: [d for *_, d in pivots(chain, s)], found))
