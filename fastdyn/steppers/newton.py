"""What implicit methods share: the Jacobian by differences, when it is worth a new one, when an iteration is done.

Stepping.matrix begins with what a method remembers in numbers, then the Jacobian by rows, then factors;
Stepping.count[OWN:] holds its flags. Derivations in docs/theory/implicit.md.
"""

import math

from .._address import shifted
from .._jit import kernel, leaf, sweep
from ..algebra.power import power
from ..layout import H_MAX, H_MIN, JACOBIANS, MET, NEWTON_TOL, OWN, RTOL, SUGGESTED, TIME
from ..status import NOT_FINITE, OK
from .desk import COMMIT, ask, copy, norm, open_desk
from .events import EPS

# the first numbers of Stepping.matrix
(H_FACTORS, H_PAST, H_TRIED, ERROR_TRIED, H_TAKEN, ERROR_TAKEN, THETA, CONTRACTION, H_GOOD) = range(9)
HEAD = 16
# flags in Stepping.count: whether the Jacobian is of now, of a place before, or none; whether the first half's rates
# are the other half; whether there is a past; whether a step since the last one taken was refused; two of radau5
JACOBIAN, SECOND, PAST, REFUSED, APART, TRIALS = range(OWN, OWN + 6)
NONE, BEFORE, NOW = range(3)
KEEP = 1.2                  # a step that may grow by less stays, and its factors with it
CALM, CALMEST = 1e-3, 0.1   # of n, at most: an iteration that contracts by this needs no new Jacobian of n rates


@leaf
def forget(d):
    """There is no past and no Jacobian"""
    for flag in range(JACOBIAN, TRIALS + 1):
        d.count[flag] = 0
    for i in range(HEAD):
        d.matrix[i] = 0.0


@kernel(COMMIT)
def restart_newton(desk, h):
    """`restart` of a method that remembers nothing else."""
    forget(open_desk(desk))
    return OK


@leaf
def jacobian_of(d): return shifted(d.matrix, HEAD)


@leaf
def nudge(d, j, y):
    """Increment of component j for a difference [Hairer & Wanner 1996, IV.8], smaller where what is small matters"""
    least = min(max(d.atol[j]/rtol_of(d), 1e-14), 1e-5)
    return math.sqrt(EPS*max(least, abs(y)))


@sweep
def jacobian_at(rate, handle, d, t, y, there, spare):
    """df/dy at a time and state, where the rate is known, by forward differences; a status."""
    n, J = d.n, jacobian_of(d)
    copy(y, d.look, d.blocks)
    for j in range(n):
        d.look[j] = y[j] + nudge(d, j, y[j])
        status = ask(rate, handle, d, t, d.look, spare)
        if status != OK:
            return status
        for i in range(n):
            J[i*n + j] = (spare[i] - there[i])/(d.look[j] - y[j])
        d.look[j] = y[j]
    d.count[JACOBIANS] += 1
    d.count[JACOBIAN], d.matrix[H_FACTORS] = NOW, 0.0
    d.count[SECOND] = int(second_order(J, n))
    return OK


@leaf
def jacobian(rate, handle, d, spare):
    """df/dy where the step starts; a status"""
    return jacobian_at(rate, handle, d, d.clock[TIME], d.y, d.rate, spare)


@sweep
def second_order(J, n):
    """Whether J = (0 1; A B): to the bit, for differences of v_i itself are exact."""
    m = n//2
    if n != 2*m:
        return False
    for i in range(m):
        for j in range(n):
            if J[i*n + j] != (1.0 if j == m + i else 0.0):
                return False
    return True


@leaf
def calm(d): return min(CALM*max(d.n, 1), CALMEST)


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
def suggest(d, h, ahead, good):
    """What the driver is to try next; a shorter try behind a good one, as events ask for, says nothing new"""
    if not good or h >= d.matrix[H_GOOD]:
        d.clock[SUGGESTED] = ahead
        d.matrix[H_GOOD] = h if good else 0.0


@leaf
def taken(d):
    """The step tried last is taken; what was of now is of before"""
    d.count[JACOBIAN] = min(d.count[JACOBIAN], BEFORE)
    d.count[REFUSED], d.matrix[H_GOOD] = 0, 0.0
    d.matrix[H_TAKEN], d.matrix[ERROR_TAKEN] = d.matrix[H_TRIED], d.matrix[ERROR_TRIED]


@leaf
def next_size(d, h, error, power_of, grow, shrink, safe):
    """h times the cautious root of the error, and the predictive one where there is a step before [Gustafsson 1994]."""
    slower = power(error, power_of)/safe
    if error < 1.0 and d.matrix[H_TAKEN] > 0.0:
        slower = max(slower, d.matrix[H_TAKEN]/h*power(error*error/d.matrix[ERROR_TAKEN], power_of)/safe)
    return h/min(max(slower, 1.0/grow), 1.0/shrink)


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
