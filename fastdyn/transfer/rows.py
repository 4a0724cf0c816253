"""Rows of numbers by link, and what is given by station: the questions that words of all transfer chains are asked."""

from collections.abc import Mapping
from numbers import Real
from typing import ClassVar

import numpy as np

from ..describe.check import array_of, in_a_row, numbers, shown
from ..describe.words import Words
from ..status import ModelError

SIDE = 1e-4                                             # of a frequency: how far beside it its limit is looked for
LEAST, MOST = 1e-100, 1e100                             # sizes of numbers whose squares and products stay numbers
LEAP = 1e-6                                             # of a value: what its two sides differ by is no rounding
STILL, SLOW, OTHER = 1e-40, 1e-32, 1e4                  # 1/s: what zero is looked at by; a ratio that is no rounding


class Transfer(Words, frozen=True):
    """Words of a chain that has ways of its own; what `Chain` is asked, it is not."""

    instead: ClassVar[str] = "ask its own methods; system.simulate(t_end, dt) steps it through time"

    @classmethod
    def place_of(cls, words):
        return f"{cls.__name__}."


class Unbranched(Transfer, frozen=True):
    """Words of a chain that has no branches."""

    @classmethod
    def place_of(cls, words):
        if "parents" in words:
            raise ModelError(f"{cls.__name__} has no parents: it is one row without branches; a TorsionChain may "
                             "branch, and trees whose links bend are a fastdyn.Chain of Links with Elastic")
        return super().place_of(words)


def is_number(value):
    """Whether it is one real number, NumPy's taken too."""
    return isinstance(value, Real) and not isinstance(value, (bool, np.bool_))


def row_of(value, what, n=None, unit="", least=None):
    """n finite floats, each at least `least`, or above zero where that is ">"; one number serves all."""
    value = (value,)*n if n is not None and is_number(value) else tuple(value) if isinstance(value, range) else value
    found = numbers(value, what, n, unit)
    for j, x in enumerate(found, 1):
        if least is not None and (x < 0.0 or (x == 0.0 and least == ">")):
            raise ModelError(f"link {j}: {what} is {shown(x)}; give a number {'> 0' if least == '>' else '>= 0'}")
        if least is not None:
            sensible(x, f"link {j}: {what}", LEAST if least == ">" else 0.0)
    return found


def sensible(x, what, least=0.0):
    """x, of a size whose squares stay numbers."""
    if not least <= x <= MOST:
        raise ModelError(f"{what} is {shown(x)}; give a number from {least:g} to {MOST:g}, in SI units")
    return x


def pairs_of(given, what, example):
    """(place, value) of a mapping, or of rows whose last entries are the value."""
    rows = list(given.items()) if isinstance(given, Mapping) else given
    if not in_a_row(rows):
        raise ModelError(f"{what} is {shown(given)}; give a mapping such as {example}")
    for i, row in enumerate(rows):
        if not isinstance(row, (tuple, list)) or len(row) < 2:
            raise ModelError(f"{what}[{i}] is {shown(row)}; give a mapping such as {example}")
        yield row[0], row[1] if len(row) == 2 else tuple(row[1:])


def place_of(value, what, noun, first, last):
    """The number of a link or a station in first..last; -1 is the last. `what` begins the sentence: "out is"."""
    whole = isinstance(value, (int, np.integer)) and not isinstance(value, bool)
    if not whole or not (first <= value <= last or value == -1):
        given, noun = (repr(value), "whole number") if isinstance(value, float) else (shown(value), noun)
        raise ModelError(f"{what} {given}; give a {noun} in {first}..{last}, or -1, the last")
    return last if value == -1 else int(value)


def with_limits(ask, s):
    """ask(s), numbers for each of a row of s; where it met 0/0, the limit from both sides; infinite at a pole.

    An undamped pivot may vanish exactly where the answer is finite: at an anti-resonance, or inside a chain. Mean
    values of both sides, at one, two and three times a distance, leave an error of its sixth power [Richardson 1911];
    nearer by, rounding would grow as its square shrinks. At a pole the two sides differ by more the nearer they are.
    At s = 0, where what nothing holds has a pole and forces inside of it have limits, masses count as at a tiny s > 0:
    all terms of a sum are positive there, so no digit is lost. What is larger the nearer to zero is infinite.
    """
    with np.errstate(all="ignore"):
        still = s == 0.0
        found = ask(np.where(still, STILL, s))
        if still.any():
            near, far = np.abs(found[..., still]), np.abs(ask(np.full(np.count_nonzero(still), SLOW + 0.0j)))
            found[..., still] = np.where((near > OTHER*far) & (far > 0.0), np.inf,
                                         np.where(OTHER*near < far, 0.0, found[..., still]))
        lost = ~np.isfinite(found).reshape(-1, len(s)).all(axis=0) & ~still
        if lost.any():
            sides = [[ask(s[lost]*(1.0 + sign*k*SIDE)) for sign in (1, -1)] for k in (1, 2, 3)]
            near, far, farthest = (0.5*(a + b) for a, b in sides)
            apart, wider, _ = (np.abs(a - b) for a, b in sides)
            pole = (apart > 1.5*wider) & (apart > LEAP*np.abs(near))
            found[..., lost] = np.where(pole, np.inf, 1.5*near - 0.6*far + 0.1*farthest)
    return found


def frequencies_of(value, what, kind=float):
    """An array of frequencies, finite."""
    instead = f"numbers, {'1' if kind is complex else 'rad'}/s"
    try:
        found = array_of(value, what, instead, "fiuc" if kind is complex else "fiu").astype(kind)
    except ModelError:
        raise ModelError(f"{what} is {shown(value)}; give {instead}") from None
    if not np.all(np.isfinite(found)):
        raise ModelError(f"{what} has a number that is not finite; give finite numbers")
    if np.any(np.abs(found) > MOST):
        raise ModelError(f"{what} has {shown(float(np.max(np.abs(found))))}, whose square is no number; give numbers "
                         f"up to {MOST:g} in size")
    return found


def frequencies_in_a_row(omega):
    """Of one or several modes."""
    found = np.atleast_1d(frequencies_of(omega, "omega"))
    if found.ndim > 1:
        raise ModelError(f"omega has shape {found.shape}; give a row of frequencies, rad/s")
    return found


def samples_of(value, what, count):
    """Rows of `count` numbers, such as those of a run, where some may not be finite."""
    instead = f"rows of {count} numbers"
    found = array_of(value, what, instead).astype(float)
    if found.ndim < 1 or found.shape[-1] != count:
        raise ModelError(f"{what} has shape {found.shape}; give {instead}")
    return found


def motion_of_links(count, angles, rates, **base):
    """[angles, rates, what the base does], one number a row, as arrays that fit each other."""
    found = [samples_of(x, what, count) for x, what in ((angles, "angles"), (rates, "rates"))]
    rows = found[0].shape[:-1]
    if found[1].shape != found[0].shape:
        raise ModelError(f"rates has shape {found[1].shape}; give shape {found[0].shape}, that of angles")
    for what, x in base.items():
        one = array_of(x, what, "one number a row").astype(float)
        if one.shape not in ((), rows):
            raise ModelError(f"{what} has shape {one.shape}; give shape {rows}, one number a row of angles")
        found.append(np.broadcast_to(one, rows))
    return found
