"""What implicit methods share: the Jacobian by differences, when it is worth a new one, when an iteration is done.

Stepping.matrix begins with what a method remembers in numbers, then the Jacobian by rows, then factors;
Stepping.count[OWN:] holds its flags. Derivations in docs/theory/implicit.md.
"""

import math

from .._jit import kernel, leaf, sweep
from ..algebra.power import power
from ..layout import GROW, H_MAX, H_MIN, JACOBIANS, MET, NEWTON_TOL, OWN, RTOL, SHRINK, SUGGESTED, TIME
from ..status import NOT_FINITE, OK
from .desk import COMMIT, copy, norm, open_desk
from .noise import EPS
from .forces import HEAD, ask_given, behind, room, smooth_part, turn

# the first numbers of Stepping.matrix
(H_FACTORS, H_PAST, H_TRIED, ERROR_TRIED, H_TAKEN, ERROR_TAKEN, THETA, CONTRACTION, H_GOOD,
 THETA_NEW) = range(10)
# flags in Stepping.count: whether the Jacobian is of now, of a place before, or none; whether the first half's rates
# are the other half; whether there is a past; whether a step since the last one taken was refused; two of radau5;
# whether directions of forces are of now
JACOBIAN, SECOND, PAST, REFUSED, APART, TRIALS, TURNED = range(OWN, OWN + 7)
NONE, BEFORE, NOW = range(3)
KEEP = 1.2                  # a step that may grow by less stays, and its factors with it
FAR = 20.0                  # times a step: as far as its polynomial is carried on
CALM, CALMEST = 1e-3, 0.1   # of n, at most: an iteration that contracts by this needs no new Jacobian of n rates


@leaf
def forget(d):
    """There is no past and no Jacobian"""
    for flag in range(JACOBIAN, TURNED + 1):
        d.count[flag] = 0
    for i in range(HEAD):
        d.matrix[i] = 0.0


@kernel(COMMIT)
def restart_newton(desk, h):
    """`restart` of a method that remembers nothing else."""
    forget(open_desk(desk))
    return OK


@leaf
def jacobian_of(d): return behind(d)


def numbers(n, forces):
    """Of Stepping.matrix before the Jacobian."""
    return HEAD + room(n, forces)


@leaf
def core(d):
    """Components that act on the rates of others: the last ones, whose error does not count, are works and the like"""
    k = d.n
    while k > 0 and d.atol[k - 1] == math.inf:
        k -= 1
    return k if k > 0 else d.n


@leaf
def nudge(d, j, y):
    """Increment of component j for a difference [Hairer & Wanner 1996, IV.8], smaller where what is small matters"""
    least = min(max(d.atol[j]/rtol_of(d), 1e-14), 1e-5)
    return math.sqrt(EPS*max(least, abs(y)))


@sweep
def jacobian_at(rate, handle, d, t, y, r, there, spare):
    """df/dy at a time and state, where the rate is known, by forward differences, the forces of row r given; a status.
    """
    n, acting, J, tied = d.n, core(d), jacobian_of(d), d.forces > 0
    out = smooth_part(d) if tied else J
    copy(y, d.look, d.blocks)
    for j in range(acting):
        d.look[j] = y[j] + nudge(d, j, y[j])
        by = d.look[j] - y[j]
        status = ask_given(rate, handle, d, t, d.look, r, spare)
        if status != OK:
            return status
        for i in range(n):
            out[i*n + j] = (spare[i] - there[i])/by
        d.look[j] = y[j]
    if tied:
        status = turn(handle, d, t, y, r, there, J, spare)
        if status != OK:
            return status
    d.count[JACOBIANS] += 1
    d.count[JACOBIAN], d.count[TURNED], d.matrix[H_FACTORS] = NOW, 1, 0.0
    d.count[SECOND] = int(second_order(J, n, acting))
    return OK


@leaf
def jacobian(rate, handle, d, there, spare):
    """df/dy where the step starts; a status"""
    return jacobian_at(rate, handle, d, d.clock[TIME], d.y, 0, there, spare)


@leaf
def renew(rate, handle, d, there, spare):
    """What of the Jacobian is most likely too old at the start of the step; a status"""
    if d.forces == 0 or d.count[JACOBIAN] == NONE or d.count[TURNED] != 0:
        return jacobian(rate, handle, d, there, spare)
    d.count[TURNED], d.matrix[H_FACTORS] = 1, 0.0
    return turn(handle, d, d.clock[TIME], d.y, 0, there, jacobian_of(d), spare)


@sweep
def second_order(J, n, k):
    """Whether J = (0 1; A B) of the first k: to the bit, for differences of v_i itself are exact."""
    m = k//2
    if k != 2*m:
        return False
    for i in range(m):
        for j in range(k):
            if J[i*n + j] != (1.0 if j == m + i else 0.0):
                return False
    return True


@leaf
def calm(d): return min(CALM*max(core(d), 1), CALMEST)


@leaf
def stale(d):
    """Whether a new Jacobian is due before the first iteration"""
    return d.count[JACOBIAN] == NONE or (d.count[JACOBIAN] == BEFORE and d.matrix[THETA] > calm(d))


@leaf
def fixed(d):
    """Whether all steps are of one size, whatever their error"""
    return d.setting[H_MIN] >= d.setting[H_MAX]


@leaf
def goal(d, usual):
    """The size of the last increment, over what is allowed of an error, with which an iteration is done"""
    wish = d.setting[NEWTON_TOL] if d.setting[NEWTON_TOL] > 0.0 else usual
    if fixed(d):
        wish = min(wish, 1e-14*norm(d, d.y, d.y) + 1e-300)
    return max(wish, 10.0*EPS*norm(d, d.y, d.y))


@leaf
def in_reach(d, done, moved):
    """The same where the step goes far from a small state, zero even: equal steps ask for the rounding of both"""
    return max(done, 1e-14*norm(d, moved, d.y)) if fixed(d) else done


@leaf
def carried(d, h):
    """How many times the last step this one is, whose polynomial guesses it; 0 if there is none, or too short a one.

    Steps that end on events may be of no length: carried on a thousand times, they tell their rounding.
    """
    w = h/d.matrix[H_PAST] if d.count[PAST] != 0 else 0.0
    return w if w <= FAR else 0.0


@leaf
def suggest(d, h, ahead, good):
    """What the driver is to try next; a shorter try behind a good one, as events ask for, says nothing new"""
    if not good or h >= d.matrix[H_GOOD]:
        d.clock[SUGGESTED] = ahead
        d.matrix[H_GOOD] = h if good else 0.0


@leaf
def judge_turning(d):
    """New directions of forces that contract much worse than a Jacobian that was new throughout: that is old"""
    if d.count[JACOBIAN] == NOW:
        d.matrix[THETA_NEW] = d.matrix[THETA]
    elif d.count[TURNED] != 0 and d.matrix[THETA] > max(calm(d), 2.0*d.matrix[THETA_NEW]):
        d.count[JACOBIAN] = NONE
    d.count[TURNED] = 0


@leaf
def taken(d):
    """The step tried last is taken; what was of now is of before"""
    if d.forces > 0:
        judge_turning(d)
    d.count[JACOBIAN] = min(d.count[JACOBIAN], BEFORE)
    d.count[REFUSED], d.matrix[H_GOOD] = 0, 0.0
    d.matrix[H_TAKEN], d.matrix[ERROR_TAKEN] = d.matrix[H_TRIED], d.matrix[ERROR_TRIED]


@leaf
def next_size(d, h, error, power_of, safe):
    """h times the cautious root of the error, and the predictive one where there is a step before [Gustafsson 1994]."""
    slower = power(error, power_of)/safe
    if error < 1.0 and d.matrix[H_TAKEN] > 0.0:
        slower = max(slower, d.matrix[H_TAKEN]/h*power(error*error/d.matrix[ERROR_TAKEN], power_of)/safe)
    return h/min(max(slower, 1.0/d.setting[GROW]), 1.0/d.setting[SHRINK])


@leaf
def gave_up(d, h, ahead, status):
    """No error: the iteration of a step of size h did not succeed."""
    if status != NOT_FINITE:
        d.count[MET] = status
    d.count[REFUSED] = 1
    suggest(d, h, ahead, False)
    return math.nan


@leaf
def judged(d, h, error, ahead, refused, calm_enough):
    """The error, 1 where it has to do; what is to be tried next: `ahead`, or `refused` if this step is too much.

    A step that would grow little stays as it is where the iteration was calm, and its factors with it.
    """
    if not error <= 1.0 and not (fixed(d) and error < math.inf):
        d.count[REFUSED] = 1
        suggest(d, h, refused, False)
        return error
    if d.count[REFUSED] != 0:
        ahead = min(ahead, h)
    ahead = min(ahead, d.setting[H_MAX])
    if d.matrix[THETA] <= calm_enough and h <= ahead <= KEEP*h:
        ahead = h
    suggest(d, h, ahead, True)
    d.matrix[H_TRIED], d.matrix[ERROR_TRIED] = h, max(error, 1e-2)
    return min(error, 1.0)


@leaf
def tight(rtol):
    """The relative tolerance where a factor is made of it"""
    return max(rtol, EPS) if 0.0 < rtol < 1e-3 else 1e-3


@leaf
def rtol_of(d): return tight(d.setting[RTOL])
