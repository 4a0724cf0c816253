"""States in which loops are closed: found near a guess, or asked of a state that somebody gives."""

from collections.abc import Iterable

import numpy as np
from numpy.typing import ArrayLike

from ..describe.chain import Chain
from ..describe.check import shown
from ..formulations import loops as k
from ..formulations import projection
from ..formulations.idle import KEPT
from ..layout import ACROSS, GAP_KIND, held_exactly
from ..status import LET_GO, ModelError, SimulationError
from .asking import each_state, rows_of, states
from .loops import (
    check_apart, difference, gap_list, jacobian_of, moved, name_of, named_by, shortest, unit_quaternions, work_of_loops)
from .scales import scales
from .upright import turn_slopes, upside_down, whole_turns

CLOSED = 1e-12              # of a gap's scale: what counts as closed
NEAR = 1e-6                 # what a start may be off, of the same: it is closed without a word
STRAY = 0.03                # rad, lengths or of the greatest speed: how far away a start may close that is near
OPEN = 100.0                # of rtol, what may be of a gap in a run: singular poses let it go for a moment
IDLE_YET = 1e-3             # of accelerations, what a gap may do that is idle: levers of 1e-4 are none
LOOKED_AT = 16              # samples of a run, the last one and others in between
ROUNDS = 60
LEAST_STEP = 1e-4
KICKS = 0.0, 0.1, 0.3       # rad or lengths by which a guess is bent where loops do not close from it


def assemble(system: Chain, q: ArrayLike | None = None, v: ArrayLike | None = None, *, hold=()):
    """A state near the given one in which all closures held exactly are closed.

    Parameters
    ----------
    q : guess, the chain's start if not given; it decides how the loops close where they can in several ways.
    v : None, or velocities to be made possible too.
    hold : names of links whose joints stay as they are, such as the driven ones.

    Returns
    -------
    q, or (q, v) if v is given. Near is: by the least change, slides measured by a length of the chain.

    Examples
    --------
    >>> import fastdyn as fd
    >>> bars = [fd.Link(name=n, length=1.0, mass=1.0) for n in ("crank", "coupler", "rocker")]
    >>> window = fd.Chain(bars, closures=[fd.Closure(kind="pin", a=(1.0, 0.0, 0.0), b="rocker.tip")])
    >>> q = fd.assemble(window, [1.0, -1.1, -1.9], hold=["crank"])
    >>> bool(abs(fd.gaps(window, q)).max() < 1e-12), float(q[0])
    (True, 1.0)
    """
    q = system.start_state()[0] if q is None else q
    q, given = states(system, q, np.zeros((*rows_of(q), system.nv)) if v is None else v, many=True)
    free = np.ones(system.nv, bool)
    for name in link_names(system, hold, "hold"):
        free[system.v_slice(name)] = False

    def one(q, given):
        q = _closed(system, unit_quaternions(system, q.copy()), free)
        return q if v is None else (q, _closing(system, q, given, free))

    return each_state(one, q, given)


def link_names(system, names, what):
    """Names of links of the chain."""
    if isinstance(names, str) or not isinstance(names, Iterable):
        raise ModelError(f"{what} is {shown(names)}; give the names of links in a list")
    names = tuple(names)
    for name in names:
        system.index(name)
    return names


def held_gaps(system, q):
    """Gaps held exactly over their scales."""
    held = held_exactly(system.model)
    return gap_list(system, k.gap_values, q)[:held]/scales(system).gaps[:held]


def held_slopes(system, q):
    """Their rates per speed over its scale."""
    of, held = scales(system), held_exactly(system.model)
    return jacobian_of(system, q)[:held]*of.speeds/of.gaps[:held, None]


def _closing(system, q, given, free):
    """The velocities nearest to those given that leave loops closed."""
    J, wanted = held_slopes(system, q), given/scales(system).speeds
    rates = J @ wanted
    step = np.zeros(system.nv)
    step[free] = shortest(J[:, free], rates)
    left = np.abs(rates - J @ step)
    if left.size and left.max() > 1e-9*max(1.0, np.abs(wanted).max(initial=0.0)):
        at = int(left.argmax())
        raise ModelError(f"{named_by(system, at)} cannot move as v asks: its gap changes by "
                         f"{in_words(system, at, left[at]*scales(system).gaps[at])} a second whatever the other joints "
                         "do; change v, or hold fewer joints")
    return given - step*scales(system).speeds


def _closed(system, q, free):
    """The closed state near a guess; one that is straight, where no small step closes anything, is bent a little."""
    held, of, tried, over = held_exactly(system.model), scales(system), [], None
    if not held:
        return q
    goal = CLOSED*of.closing[:held]/of.gaps[:held]
    bend = np.where(free, of.speeds*np.cos(1.0 + np.arange(system.nv)), 0.0)
    for kick in KICKS:
        start = moved(system, q, kick*bend) if kick else q
        for way in (held_gaps, held_slopes), (whole_turns, turn_slopes):
            found, gap = _narrowed(system, start, free, 1e-3*goal, *way)
            if np.any(np.abs(gap) > goal):
                tried.append(gap)
                break
            which = upside_down(system, found)
            if which is None:
                return found
            over = which
    if over is not None:
        raise ModelError(f"{name_of(system, over)} closes only the wrong way round from here, b turned against "
                         "closure.turn; try another guess, hold fewer joints, or change the turn")
    gap = np.abs(min(tried, key=np.linalg.norm))
    at = int(gap.argmax())
    raise ModelError(f"{named_by(system, at)} cannot be closed from here: {in_words(system, at, gap[at]*of.gaps[at])} "
                     "is the least gap that was found near q; try another guess, one that is not straight, hold fewer "
                     "joints, or check lengths")


def _narrowed(system, q, free, goal, gaps, slopes):
    """(q, gaps) by Gauss-Newton, shorter steps where a whole one makes gaps wider."""
    speeds, gap = scales(system).speeds, gaps(system, q)
    for _ in range(ROUNDS):
        if np.all(np.abs(gap) <= goal):
            break
        J, step = slopes(system, q), np.zeros(system.nv)
        if not np.isfinite(J).all():                    # the ends of a distance meet, and no way is the way apart
            break
        step[free] = -shortest(J[:, free], gap)
        step /= max(1.0, np.abs(step).max(initial=0.0)/max(1.0, np.abs(gap).max()))     # no joint winds up
        share, before = 1.0, np.linalg.norm(gap)
        while share > LEAST_STEP:
            tried = moved(system, q, share*step*speeds)
            there = gaps(system, tried)
            if np.linalg.norm(there) < (1.0 - 0.1*share)*before:
                break
            share *= 0.5
        if share <= LEAST_STEP:
            break
        q, gap = tried, there
    return q, gap


def check_closed(system, q, v, acc=None, when=""):
    """Refuse a state that is not near one in which the loops are closed and stay so, accelerations that open them."""
    held, of = held_exactly(system.model), scales(system)
    if not held:
        return
    fast = np.abs(v/of.speeds).max(initial=0.0)
    asked = [(k.gap_values, 1.0, "is open by {}", "q = fastdyn.assemble(chain, q) closes loops"),
             (k.gap_rates, max(1.0, fast), "opens with {}/s", "q, v = fastdyn.assemble(chain, q, v) closes loops")]
    if acc is not None:
        most = max(1.0, fast**2, np.abs(acc/of.speeds).max(initial=0.0))
        asked.append((k.gap_seconds, most, "opens with {}/s^2",
                      "take acc that loops allow, of forward_dynamics or follow"))
    for question, most, what, cure in asked:
        x = np.abs(gap_list(system, question, q, v, acc)[:held])/of.closing[:held]
        at = int(x.argmax())
        if not x[at] <= NEAR*most:
            found = in_words(system, at, x[at]*of.closing[at])
            raise ModelError(f"{named_by(system, at)} {what.format(found)}{when}; {cure}")
    right_way_round(system, q, when)


def right_way_round(system, q, when=""):
    """q, refused where sines of a weld or a slider are zero but b stands otherwise than it should."""
    which = upside_down(system, q)
    if which is not None:
        raise ModelError(f"{name_of(system, which)} is closed the wrong way round{when}, b turned against "
                         "closure.turn; q = fastdyn.assemble(chain, q) turns it")
    return q


def check_kept(system, q):
    """Refuse closures that contradict each other: all as closed as they can be, one of them is not."""
    held, of = held_exactly(system.model), scales(system)
    gap = np.abs(gap_list(system, k.gap_values, q)[:held])/of.closing[:held]
    at = int(gap.argmax())
    if gap[at] > KEPT:
        raise ModelError(f"{named_by(system, at)} is open by {in_words(system, at, gap[at]*of.closing[at])} when all "
                         "are as closed as they can be: closures contradict each other; check its places, leave it "
                         "out, or give it stiffness")


def check_near(system, given, closed):
    """Refuse a start, (q, v), that closes far from where it was given: joints hardly move what is open."""
    speeds = scales(system).speeds
    fast = max(1.0, np.abs(given[1]/speeds).max(initial=0.0))
    asked = [(k.gap_values, difference(system, given[0], closed[0]), "is open by {} at the start and closes only "
              "{:.3g} rad or lengths of the chain away", "give its places all their digits, leave it out, or give it "
              "stiffness"),
             (k.gap_rates, (closed[1] - given[1])/speeds/fast, "opens with {}/s at the start and stays closed only if "
              "velocities change by {:.3g} of the greatest", "q, v = fastdyn.assemble(chain, q, v) gives those it "
              "allows")]
    for question, step, what, cure in asked:
        far = np.abs(step).max(initial=0.0)
        if far > STRAY:
            gap = np.abs(gap_list(system, question, *given)[:held_exactly(system.model)])
            at = int((gap/scales(system).closing[:len(gap)]).argmax())
            raise ModelError(f"{named_by(system, at)} {what.format(in_words(system, at, gap[at]), far)}: joints hardly "
                             f"move it; {cure}")


def let_go(system, q, rtol):
    """What of the closures held exactly is open in these states, in words, or ""."""
    allowed = may_be_open(system, rtol)
    if not len(allowed) or not len(q):
        return ""
    some = np.unique(np.linspace(0, len(q) - 1, LOOKED_AT).astype(int))
    return what_is_open(system, np.max([widths(system, q[i]) for i in some], axis=0), allowed)


def may_be_open(system, rtol):
    """How far each gap held exactly may be open in a run."""
    return max(NEAR, OPEN*rtol)*scales(system).closing[:held_exactly(system.model)]


def widths(system, q):
    """How far each gap held exactly is open."""
    return np.abs(gap_list(system, k.gap_values, q)[:held_exactly(system.model)])


def what_is_open(system, width, allowed):
    """In words, the gap that is farthest open of what it may be, or ""."""
    at = int((width/allowed).argmax())
    return "" if width[at] <= allowed[at] else f"{named_by(system, at)} is open by {in_words(system, at, width[at])}"


def check_held(system, q, v, acc):
    """acc, refused where closures held exactly open under it, of forces that do not hold what they should.

    What is open already may change, of a gap that is idle in a singular pose what its little lever still does.
    """
    held = held_exactly(system.model)
    if not held:
        return acc
    of = scales(system)
    fast = max(1.0, np.abs(v/of.speeds).max(initial=0.0))
    most = max(fast**2, np.abs(acc/of.speeds).max(initial=0.0))
    closing = of.closing[:held]
    x = np.abs(gap_list(system, k.gap_seconds, q, v, acc)[:held])/closing
    if np.all(x <= NEAR*most):
        return acc
    check_apart(system, q, x)
    rates = np.abs(gap_list(system, k.gap_rates, q, v)[:held])/closing
    known = NEAR + (widths(system, q)/closing).max() + rates.max()/fast
    counts, _ = projection.gaps_that_count(system.model, work_of_loops(system), q)
    over = x/np.where(counts, known, known + IDLE_YET)
    at = int(over.argmax())
    if not over[at] <= most:
        found = in_words(system, at, x[at]*closing[at])
        raise SimulationError(LET_GO, f"{named_by(system, at)} opens with {found}/s^2")
    return acc


def in_words(system, gap, size):
    """What a gap is open by, with its unit."""
    return f"{size:.6g} {'rad' if system.model.closure[gap, GAP_KIND] == ACROSS else 'm'}"
