"""Wave numbers of a vibrating beam by counting them: none is missed, none found twice; derived in docs/theory/beams.md.

Everything here is without dimension: lengths by the beam's, xi from -1/2 to 1/2, times so that E I = mu = 1.

    s = E I/(k A G l^2)   shear's softness        r = R/(mu l^2)   rotary inertia        (both zero: Euler-Bernoulli)
    al, be                wave numbers of sin, cos (al xi) and sinh, cosh (be xi);   y = Omega^2 = om^2 mu l^4/(E I)

The hyperbolic pair is cosh(be xi)/cosh(be/2) and sinh(be xi)/cosh(be/2): sums and differences of e^(-be (1/2 - xi)) and
e^(-be (1/2 + xi)), never larger than one.
"""

import math
from typing import NamedTuple

import numpy as np

from ..status import ModelError

BELOW_CUT_OFF = 1.0 - 1e-9  # of the wave number at the cut-off; the last place that is looked at
LOWEST = 1e-2               # wave number below any elastic mode's, far above the rounding of rigid ones
CLEAR = 1e-7                # how far beside a root the count is checked, of the wave number
ENDS = {"s": "simply supported: W = 0, Theta' = 0", "c": "clamped: W = 0, Theta = 0",
        "f": "free: Theta' = 0, shear 0", "g": "guided: Theta = 0, shear 0"}
VANISH = {"s": [0, 2], "c": [0, 1], "f": [2, 3], "g": [1, 3]}  # of W, Theta, moment, force
FREE_TO = {"s": (1,), "c": (), "f": (0, 1), "g": (0,)}         # which of (W, Theta) may move
RIGID = {"ff": ("translation", "rotation"), "gg": ("translation",), "fg": ("translation",), "gf": ("translation",),
         "fs": ("rotation",), "sf": ("rotation",)}


class Wave(NamedTuple):
    """All that follows from one wave number below the cut-off. Theta = a cos for W = sin, b cosh for W = sinh."""

    al: float
    be: float
    y: float
    a: float
    b: float


def wave(al, s, r):
    """al^4 - y (s + r) al^2 - y (1 - y r s) = 0 solved for y, and what goes with it."""
    al2 = al*al
    if r == s == 0:
        return Wave(al, al, al2*al2, al, al)
    q = 1 + (s + r)*al2
    y = 2*al2*al2/(q + math.sqrt(q*q - 4*r*s*al2*al2))
    be2 = y*(1 - y*r*s)/al2
    be = math.sqrt(be2)
    return Wave(al, be, y, (be2 + y*r)/al, be + y*s/be)


def wave_number(y, s, r):
    """al at a given y below the cut-off."""
    p = y*(s + r)
    return math.sqrt((math.sqrt(p*p + 4*y*(1 - y*r*s)) + p)/2)


def cut_off(s, r):
    """al at Omega^2 = 1/(r s), where be = 0; infinite without shear or rotary inertia."""
    return math.sqrt(1/r + 1/s) if r > 0 and s > 0 else math.inf


def end_rows(w, side):
    """W, Theta, moment Theta' and shear force of (sin, cos, sinh/cosh(be/2), cosh/cosh(be/2)) at xi = side/2."""
    sin, cos, th = side*math.sin(w.al/2), math.cos(w.al/2), side*math.tanh(w.be/2)
    al, be, y, a, b = w
    return np.array([[sin, cos, th, 1.0],
                     [a*cos, -a*sin, b, b*th],
                     [-a*al*sin, -a*al*cos, b*be*th, b*be],
                     [y/al*cos, -y/al*sin, -y/be, -y/be*th]])  # the integral of -y W


def conditions(w, ends):
    """Four rows that vanish for a mode's coefficients, each divided by its power of al."""
    return np.concatenate([(end_rows(w, side)/_powers(w))[VANISH[end]] for end, side in zip(ends, (-1.0, 1.0))])


def coefficients(w, ends):
    """Of (sin, cos, sinh/cosh(be/2), cosh/cosh(be/2)) in the mode with wave number w, up to a factor."""
    size = np.linalg.norm(end_rows(w, 1.0)/_powers(w), axis=0)  # of all rows: of those that vanish it may be rounding
    rows = conditions(w, ends)/size
    rows /= np.linalg.norm(rows, axis=1)[:, None]
    return (null_vector(rows)/size).tolist()


def null_vector(rows):
    """Of a matrix singular but for rounding; elimination with complete pivoting keeps small components' digits."""
    U, n = rows.copy(), len(rows)
    order = np.arange(n)
    for k in range(n - 1):
        i, j = np.unravel_index(np.argmax(np.abs(U[k:, k:])), (n - k, n - k))
        U[[k, k + i]] = U[[k + i, k]]
        U[:, [k, k + j]] = U[:, [k + j, k]]
        order[[k, k + j]] = order[[k + j, k]]
        U[k + 1:] -= np.outer(U[k + 1:, k]/U[k, k], U[k])
    v = np.ones(n)
    for k in range(n - 2, -1, -1):
        v[k] = -(U[k, k + 1:] @ v[k + 1:])/U[k, k]
    found = np.empty(n)
    found[order] = v
    return found


def _powers(w):
    return np.array([[1.0], [w.al], [w.al**2], [w.al**3]])


def frequency_function(al, ends, s, r):
    """The determinant whose roots are the wave numbers; it has no poles."""
    return float(np.linalg.det(conditions(wave(al, s, r), ends)))


def count(al, ends, s, r):
    """How many modes, rigid ones included, have smaller wave numbers: the algorithm of Wittrick and Williams.

    Simply supported modes are known, al = j pi. Each end condition released adds the negative eigenvalues of its
    dynamic stiffness, each one imposed takes them away.
    """
    K = stiffness(wave(al, s, r))
    clamped = math.ceil(al/math.pi) - 1 - _negative(K, "ss")
    return clamped + _negative(K, ends)


def stiffness(w):
    """Forces at both ends over their displacements (W_0, -Theta_0, W_l, Theta_l), at frequency w."""
    W, turn, moment, force = end_rows(w, 1.0)
    odd, even = (0, 2), (1, 3)
    K_odd, K_even = (np.array([force[list(p)], moment[list(p)]])
                     @ np.linalg.inv(np.array([W[list(p)], turn[list(p)]])) for p in (odd, even))
    K = np.block([[K_even + K_odd, K_even - K_odd], [K_even - K_odd, K_even + K_odd]])/2
    return (K + K.T)/2


def _negative(K, ends):
    free = [*FREE_TO[ends[0]], *(2 + i for i in FREE_TO[ends[1]])]
    return int(np.sum(np.linalg.eigvalsh(K[np.ix_(free, free)]) < 0)) if free else 0


def root(order, ends, s, r):
    """Wave number of the elastic mode of that order, 1 the lowest."""
    n = order + len(RIGID.get(ends, ()))
    top = cut_off(s, r)*BELOW_CUT_OFF
    low, high = max(LOWEST, (n - 4.7)*math.pi), min((n + 2.3)*math.pi, top)  # J_cc >= J_ss - 2, J_any <= J_cc + 4
    below = count(high, ends, s, r) if high > LOWEST else 0
    if below < n:
        there = max(0, below - n + order)
        lie = "mode lies" if there == 1 else "modes lie"
        raise ModelError(f'mode {order} of "{ends}" lies above the cut-off of shear waves, where there are no such '
                         f'modes; {there} {lie} below it: ask for fewer, or take theory="euler-bernoulli"')
    reached = count(low, ends, s, r)
    while below - reached > 1 or high - low > 0.1*high:
        middle = low + 0.4871*(high - low)              # not where poles are
        found = count(middle, ends, s, r)
        if found < n:
            low, reached = middle, found
        else:
            high, below = middle, found
    al = _zero(lambda x: frequency_function(x, ends, s, r), low, high)
    around = [count(al*(1 + side*CLEAR), ends, s, r) for side in (-1, 1) if al*(1 + CLEAR) < top or side < 0]
    if around != [n - 1, n][:len(around)]:
        raise ModelError(f'mode {order} of "{ends}" cannot be told from its neighbours in double precision; '
                         "check beam.G, beam.I and beam.A against the length")
    return al


def _zero(f, a, b):
    """Root between a and b to the last bits [Chandrupatla 1997]."""
    fa, fb, t = f(a), f(b), 0.5
    for _ in range(200):
        x = a + t*(b - a)
        fx = f(x)
        if (fx > 0) == (fa > 0):
            c, fc = a, fa
        else:
            c, fc, b, fb = b, fb, a, fa
        a, fa = x, fx
        best, f_best = (a, fa) if abs(fa) < abs(fb) else (b, fb)
        width = 2.3e-16*abs(best)/abs(b - c) if b != c else 1.0
        if f_best == 0 or width > 0.5 or b == a:
            return best
        t = 0.5
        if fb != fa and fc != fb and fc != fa and c != a:
            xi, phi = (a - b)/(c - b), (fa - fb)/(fc - fb)
            if phi*phi < xi and (1 - phi)**2 < 1 - xi:
                t = fa/(fb - fa)*fc/(fb - fc) + (c - a)/(b - a)*fa/(fc - fa)*fb/(fc - fb)
        t = min(max(t, width), 1 - width)
    return best
