"""Time schemes as tables of numbers: what a step makes of the past, and what it leaves.

A step of length T is written in angles alone: th, T th', T^2 th'' of the last station in time, and what is older,

    H = (th, T th', T^2 th'', th--, th---, T^2 th''--),     x = T^2 times the acceleration in the balance of forces
    th = P.H + b x,     T th' = V.H + g x                   where forces balance
    (th, T th', T^2 th'') at the end of the step = out.H + drop x

Newmark's family, the alpha methods, Wilson's, Houbolt's and the third-order scheme differ in these numbers only
(derivations in docs/theory/transfer.md). `reduced` keeps of H what the future depends on: two or three numbers, more in
starting steps.
Sources: [Newmark 1959], [Houbolt 1950], [Wilson et al. 1973], [Hilber et al. 1977], [Chung & Hulbert 1993].
"""

import inspect
from dataclasses import dataclass
from fractions import Fraction
from functools import cache, cached_property
from typing import NamedTuple

import numpy as np

from ..describe.check import number, shown
from ..status import ModelError

PAST = 6
TH, V, A, TH2, TH3, A2 = np.eye(PAST)


@dataclass(frozen=True, eq=False)
class Phase:
    """The numbers of a step; `weight`: of its end against its start in loads and motions where forces balance."""

    P: np.ndarray
    V: np.ndarray
    b: float
    g: float
    out: np.ndarray
    drop: np.ndarray
    weight: float = 1.0

    @property
    def transition(self):
        """(A, B): what H becomes, A H + B x."""
        return np.vstack([self.out, TH, TH2, A]), np.concatenate([self.drop, np.zeros(3)])

    @cached_property
    def reduced(self):
        """(W, A, B, O): y = W H starts with (P.H, V.H) and becomes A y + B x; outputs are O y + drop x."""
        A, B = self.transition
        closed = []
        for row in (self.P, self.V, *self.out):
            closed += [row] if _new(row, closed) else []
        for row in closed:                                              # grows while it runs
            closed += [row @ A] if _new(row @ A, closed) else []
        rows = [self.P, self.V]
        for row in (*np.eye(PAST)[[2, 0, 3, 4, 5]], *closed):
            rows += [row] if _new(row, rows) and not _new(row, closed) else []
        W = np.array(rows)
        return W, _over(W @ A, W), W @ B, _over(self.out, W)

    def amplification(self, omega_dt, damping=0.0):
        """What multiplies y of th'' + 2 damping omega th' + omega^2 th = 0 in a step, omega T = omega_dt."""
        _, A, B, _ = self.reduced
        k, c = omega_dt*omega_dt, 2.0*damping*omega_dt
        row = np.zeros(len(A))
        row[:2] = k, c
        return A - np.outer(B, row)/(1.0 + c*self.g + k*self.b)


class Scheme(NamedTuple):
    """A name, the steps it starts with, the step it goes on with, and the order of its error over a fixed time."""

    name: str
    start: tuple[Phase, ...]
    main: Phase
    order: int

    @property
    def phases(self):
        return (*self.start, self.main)


# ------------------------------------------------------------------------------------------------------- the tables


def newmark(beta=0.25, gamma=0.5, name=None):
    """Newmark's family; beta 1/4 mean, 1/6 linear acceleration, 1/8, 1/12 (Fox-Goodwin), 0 explicit."""
    beta, gamma = number(beta, "beta"), number(gamma, "gamma")
    if beta < 0.0 or gamma < 0.0:
        raise ModelError(f"beta is {shown(beta)} and gamma {shown(gamma)}; give numbers >= 0")
    return Scheme(name or _name("newmark", beta, gamma), (), _newmark(beta, gamma), 2 if gamma == 0.5 else 1)


def _name(kind, *numbers):
    """As it is printed, every digit of its numbers kept."""
    return f"{kind}({', '.join(f'{x:g}' if float(f'{x:g}') == x else repr(x) for x in numbers)})"


def _newmark(b, g):
    p, v = TH + V + (0.5 - b)*A, V + (1.0 - g)*A
    return Phase(p, v, b, g, np.array([p, v, 0.0*A]), np.array([b, g, 1.0]))


def generalized_alpha(am, af, beta, gamma, name):
    """Forces balance at a weighted time: inertia by 1 - am, all else by 1 - af [Chung & Hulbert 1993]."""
    p, v = TH + V + (0.5 - beta)*A, V + (1.0 - gamma)*A
    share = 1.0/(1.0 - am)                                              # a_i = share (x - am a)
    p_end, v_end = p - beta*am*share*A, v - gamma*am*share*A
    b, g = beta*share, gamma*share
    main = Phase((1.0 - af)*p_end + af*TH, (1.0 - af)*v_end + af*V, (1.0 - af)*b, (1.0 - af)*g,
                 np.array([p_end, v_end, -am*share*A]), np.array([b, g, share]), 1.0 - af)
    return Scheme(name, (), main, 2)


def alpha(rho=0.8):
    """Generalized-alpha by its spectral radius for infinitely fast motion, 0..1."""
    rho = number(rho, "rho")
    if not 0.0 <= rho <= 1.0:
        raise ModelError(f"rho is {shown(rho)}; give a number in 0..1")
    am, af = (2.0*rho - 1.0)/(rho + 1.0), rho/(rho + 1.0)
    return generalized_alpha(am, af, (1.0 - am + af)**2/4.0, 0.5 - am + af, _name("gen-alpha", rho))


def hht(shift=-0.1):
    """The scheme of [Hilber et al. 1977], shift in -1/3..0."""
    shift = number(shift, "shift")
    if not -1.0/3.0 <= shift <= 0.0:
        raise ModelError(f"shift is {shown(shift)}; give a number in -1/3..0")
    return generalized_alpha(0.0, -shift, (1.0 - shift)**2/4.0, 0.5 - shift, _name("hht", shift))


def wilson(w=1.4):
    """Linear acceleration over w T, forces balanced at its end; unconditionally stable for w >= 1.366."""
    w = number(w, "w")
    if w < 1.0:
        raise ModelError(f"w is {shown(w)}; give a number >= 1, 1.366 or more for stability")
    acc = (1.0 - 1.0/w)*A
    out = np.array([TH + V + (2.0*A + acc)/6.0, V + (A + acc)/2.0, acc])
    main = Phase(TH + w*V + w*w/3.0*A, V + 0.5*w*A, w*w/6.0, 0.5*w, out, np.array([1/6, 0.5, 1.0])/w, w)
    return Scheme(_name("wilson", w), (), main, 2)


def houbolt():
    """Backward differences over three steps; the first two steps with the ghosts of the start."""
    second = (4.0*TH - 2.0*TH2 + A2)/2.0
    later = (5.0*TH - 4.0*TH2 + TH3)/2.0
    return Scheme("houbolt", (
        _newmark(1/6, 1/2),
        _two_steps(second, (11.0*second - 16.0*TH + 5.0*TH2 - 2.0*A2)/6.0, 1/2, 11/12),
    ), _two_steps(later, (11.0*later - 18.0*TH + 9.0*TH2 - 2.0*TH3)/6.0, 1/2, 11/12), 2)


def proposed(alpha1=1/3, alpha2=1/2):
    """Two steps of acceleration; order three with these weights, and then unstable without damping in the system."""
    a1, a2 = number(alpha1, "alpha1"), number(alpha2, "alpha2")
    p = TH + V + (2.0 + a2)/6.0*A - a2/12.0*A2
    v = V + (1.0 + a1)/2.0*A - a1/4.0*A2
    best = abs(a1 - 1/3) < 1e-12
    name = "proposed" if best and abs(a2 - 1/2) < 1e-12 else _name("proposed", a1, a2)
    return Scheme(name, (_newmark(1/6, 1/2),), _two_steps(p, v, (2.0 - a2)/12.0, (2.0 - a1)/4.0), 3 if best else 2)


def _two_steps(p, v, b, g):
    return Phase(p, v, b, g, np.array([p, v, 0.0*A]), np.array([b, g, 1.0]))


SCHEMES = {
    "fox-euler": newmark(1/2, 1.0, "fox-euler"),
    "newmark": newmark(1/4, 1/2, "newmark"),
    "newmark-1/6": newmark(1/6, 1/2, "newmark-1/6"),
    "newmark-1/8": newmark(1/8, 1/2, "newmark-1/8"),
    "newmark-1/12": newmark(1/12, 1/2, "newmark-1/12"),
    "newmark-0": newmark(0.0, 1/2, "newmark-0"),
    "newmark-damped": newmark(0.3025, 0.6, "newmark-damped"),
    "wilson": wilson()._replace(name="wilson"),
    "houbolt": houbolt(),
    "proposed": proposed(),
    "gen-alpha": alpha()._replace(name="gen-alpha"),
    "hht": hht()._replace(name="hht"),
}


FREE = {"newmark": newmark, "gen-alpha": alpha, "hht": hht, "wilson": wilson, "proposed": proposed}
EXAMPLES = {scheme.name.partition("(")[0]: scheme.name for scheme in (
    newmark(0.3, 0.6), alpha(0.5), hht(-0.2), wilson(1.5), proposed(0.2, 0.5))}


def scheme_of(word) -> Scheme:
    """A scheme by its name, with numbers such as "newmark(0.3, 0.6)" or without, or the scheme itself."""
    if isinstance(word, Scheme):
        return word
    if isinstance(word, str):
        return SCHEMES[word] if word in SCHEMES else _with_numbers(word)
    raise _unknown(word)


@cache
def _with_numbers(word):
    """The scheme of a name that a run has printed."""
    name, _, inside = word.partition("(")
    if name not in FREE or not inside.endswith(")"):
        raise _unknown(word)
    names = inspect.signature(FREE[name]).parameters.keys() - {"name"}
    try:
        numbers = [float(x) for x in inside[:-1].split(",")]
    except ValueError:
        numbers = []
    if len(numbers) != len(names):
        raise ModelError(f"scheme is {shown(word)}; give {len(names)} number{'s'*(len(names) > 1)} in the brackets of "
                         f"{name}, such as {EXAMPLES[name]}")
    return FREE[name](*numbers)


def _unknown(word):
    return ModelError(f"scheme is {shown(word)}; known are " + ", ".join(SCHEMES) + ", or with numbers of their own "
                      + ", ".join(EXAMPLES.values()))


def errors(phase, omega_dt):
    """(damping ratio, elongation of the period) that a scheme gives an undamped oscillation, omega T = omega_dt.

    NaN where its motion is no oscillation any more.
    """
    roots = np.linalg.eigvals(phase.amplification(omega_dt))
    root = np.log(roots[np.argmin(np.abs(roots - np.exp(1j*omega_dt)))].astype(complex))
    if root.imag == 0.0:
        return np.nan, np.nan
    return -root.real/abs(root), omega_dt/abs(root.imag) - 1.0


# ------------------------------------------------------------------------------------------------- a little algebra


def _new(row, rows):
    """Whether a row is independent of others."""
    return len(rows) == 0 or np.max(np.abs(_over(row, np.array(rows)) @ np.array(rows) - row)) > 1e-9


def _over(rows, W):
    """X with X W = rows, cleared of rounding where a short ratio is meant."""
    found = np.linalg.lstsq(W.T, rows.T, rcond=None)[0].T
    near = np.vectorize(lambda x: float(Fraction(x).limit_denominator(1000)))(found)
    return np.where(np.abs(near - found) < 1e-13, near, found)
