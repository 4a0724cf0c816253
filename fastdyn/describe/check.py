"""The questions every word is asked: is it a number, finite, of the right sign, of unit length?

Answers are plain floats.
`what` is the field as the user writes it ("body.mass", "joint.axis"); every refusal is one ModelError sentence.
Minus zero becomes zero, so that equal models are equal bit by bit.
"""

import difflib
import math
import operator
import os
from numbers import Real

import numpy as np

from ..status import ModelError

UNIT_TOLERANCE = 1e-9  # how far from length one, or from a right angle, a user's direction may be
TYPED_TOLERANCE = 1e-3  # the same of a quaternion: what three typed digits leave
_ROUNDING = 3 * np.finfo(float).eps  # a vector once normalised is left alone, so files keep every bit
NO_NOUNS = ("gamma", "magnify", "rtol")
MOST_LINKS = 1_000_000  # of a chain of the catalog: each is described, 0.1 ms and some kB
NOTHING = 4 * np.finfo(float).eps  # of a vector's length: what products of a few rotations leave of a zero


def shown(value, unit=""):
    """A number or a vector as it appears in a sentence."""
    if isinstance(value, Real) and not isinstance(value, bool):
        text = f"{float(value):.12g}" if not isinstance(value, int) or abs(value) < 1e15 else "a huge integer"
    elif isinstance(value, (tuple, list)) and all(isinstance(x, Real) for x in value):
        text = "(" + ", ".join(shown(x) for x in value) + ")"
    else:
        text = " ".join(repr(value).split())                  # arrays print on several lines
        text = text if len(text) <= 60 else text[:57] + "..."
    return f"{text} {unit}" if unit else text


def number(value, what, unit=""):
    """A finite float."""
    if not isinstance(value, Real) or isinstance(value, bool):
        raise ModelError(f"{what} is {shown(value)}; give a number" + (f" in {unit}" if unit else ""))
    try:
        x = float(value)
    except OverflowError:
        x = math.inf
    if not math.isfinite(x):
        raise ModelError(f"{what} is {shown(x)}; give a finite number" + (f" in {unit}" if unit else ""))
    return x + 0.0


def positive(value, what, unit=""):
    x = number(value, what, unit)
    if x <= 0.0:
        raise ModelError(f"{what} is {shown(x, unit)}; give {article(what)} > 0")
    return x


def whole(value, what, of="", least=1, or_else="", most=None):
    """An int from `least` to `most`; NumPy's integers are taken too."""
    try:
        answer = least - 1 if isinstance(value, (bool, np.bool_)) else operator.index(value)
    except TypeError:
        answer = least - 1
    of = f" of {of}" if of else ""
    if answer < least:
        given = repr(value) if isinstance(value, float) else shown(value)
        raise ModelError(f"{what} is {given}; give a whole number{of}, {or_else or f'{least} or more'}")
    if most is not None and answer > most:
        raise ModelError(f"{what} is {shown(answer)}; give a whole number{of}, {most} or less")
    return answer


def article(what):
    """"a mass" of "body.mass", "an angle"; letters, and words that are no nouns, have none: "A", "t_end"."""
    word = what.rpartition(".")[2]
    if len(word) < 3 or not (word.isalpha() and word.islower()) or word in NO_NOUNS:
        return word
    return f"{'an' if word[:1] in 'aeiou' else 'a'} {word}"


def not_negative(value, what, unit=""):
    x = number(value, what, unit)
    if x < 0.0:
        raise ModelError(f"{what} is {shown(x, unit)}; give {article(what)} >= 0")
    return x


def in_a_row(value):
    """Whether it has a length and entries."""
    return isinstance(value, (tuple, list)) or (isinstance(value, np.ndarray) and value.ndim > 0)


def numbers(value, what, size, unit=""):
    """A tuple of `size` finite floats (any length when size is None)."""
    if not in_a_row(value) or (size is not None and len(value) != size):
        count = f"{size} numbers" if size is not None else "a row of numbers"
        raise ModelError(f"{what} is {shown(value)}; give {count}" + (f" in {unit}" if unit else ""))
    return tuple(number(x, f"{what}[{i}]", unit) for i, x in enumerate(value))


def array_of(x, what, instead, kinds="fiu"):
    """x as an array as it stands, of numbers of these kinds and of no more than double precision."""
    try:
        a = np.asarray(x)
    except ValueError:
        raise ModelError(f"{what} is not an array of numbers; give {instead}") from None
    if np.ma.is_masked(x):
        raise ModelError(f"{what} has masked entries, which are no numbers; give an array without a mask")
    if a.dtype.kind not in kinds or a.dtype.itemsize > (16 if a.dtype.kind == "c" else 8):
        raise ModelError(f"{what} holds {a.dtype} instead of {'' if 'c' in kinds else 'real '}numbers; give float64")
    return a


def unit(value, what):
    """A direction: a unit vector whose components that are nothing but rounding are zero."""
    return _clean(unit_length(value, what))


def rotation(value, what):
    """A unit quaternion whose components that are nothing but rounding are zero."""
    return _clean(quaternion(value, what))


def _clean(values):
    return tuple(0.0 if abs(x) <= NOTHING else x for x in values)


def quaternion(value, what):
    """A unit quaternion of one as people type it: few digits are enough, another length is a mistake."""
    return unit_length(value, what, 4, TYPED_TOLERANCE)


def squarable(place, what, mass=1.0):
    """A place (m) whose distance squared, times a mass, is a finite number."""
    if mass*sum(x*x for x in place) < math.inf:
        return place
    times = "" if mass == 1.0 else "mass times "
    raise ModelError(f"{what} is {shown(place)} m: {times}its square is no finite number; give a place less far away")


def direction(value, what):
    """The unit vector along a vector of any length, as `unit` gives it."""
    v = numbers(value, what, 3)
    most = max(map(abs, v))
    if most == 0.0:
        raise ModelError(f"{what} is {shown(v)}; give a vector that is not zero")
    length = math.hypot(*v)
    if abs(length - 1.0) > UNIT_TOLERANCE:
        v = tuple(x/most for x in v)                        # whatever its size, its square is no trouble
        v = tuple(x/math.hypot(*v) for x in v)
    return unit(v, what)


def unit_length(value, what, size=3, tolerance=UNIT_TOLERANCE):
    """A vector of length one within a tolerance, then exactly."""
    v = numbers(value, what, size)
    length = math.hypot(*v)
    if abs(length - 1.0) <= _ROUNDING:
        return v
    normalised = tuple(x / length for x in v) if 0.0 < length < math.inf else None
    if abs(length - 1.0) > tolerance:
        help = f"write {shown(normalised)}" if normalised else "give a vector of length 1"
        raise ModelError(f"{what} {shown(v)} has length {shown(length)}, not 1; {help}")
    return normalised


def perpendicular(a, b, what):
    """The unit vector b, turned by rounding alone until it is perpendicular to the unit vector a."""
    slant = math.fsum(x * y for x, y in zip(a, b))
    if abs(slant) <= 2 * NOTHING:  # of components that were called zero, so files keep every bit
        return b
    if abs(slant) > UNIT_TOLERANCE:
        raise ModelError(f"{what} {shown(a)} and {shown(b)} are not perpendicular; their product has to be 0")
    c = tuple(y - slant * x for x, y in zip(a, b))
    length = math.hypot(*c)
    return unit(tuple(x / length for x in c), what)


def one_of(value, words, what):
    """One of some words."""
    if not isinstance(value, str) or value not in words:
        raise ModelError(f"{what} is {shown(value)}; {near(value, words)}known are "
                         + ", ".join(f'"{w}"' for w in words))
    return value


def yes_or_no(value, what):
    """True or False; NumPy's are taken too."""
    if not isinstance(value, (bool, np.bool_)):
        raise ModelError(f"{what} is {shown(value)}; give True or False")
    return bool(value)


def kind_of(value, kinds, what):
    """An instance of one of the classes `kinds`."""
    if not isinstance(value, kinds):
        names = ", ".join(k.__name__ for k in (kinds if isinstance(kinds, tuple) else (kinds,)))
        raise ModelError(f"{what} is {shown(value)}; give one of: {names}")
    return value


def made(value, kinds, what):
    """One of the classes `kinds` (word -> class) from a table of its words, as model files have it; else the value."""
    if not isinstance(value, dict):
        return value
    words = dict(value)
    kind = words.pop("kind", None) if len(kinds) > 1 else next(iter(kinds))
    if kind not in kinds:
        raise ModelError(f"{what}.kind is {shown(kind)}; known are " + ", ".join(f'"{k}"' for k in kinds))
    from .words import misspelt

    refused = misspelt(kinds[kind], words, f"{what}.")
    if refused is not None:
        raise ModelError(refused)
    return kinds[kind](**words)


def known(word, words):
    """What may stand in a word's place, the nearest first."""
    words = list(words)
    return f"{near(word, words)}known are " + ", ".join(words)


def near(word, words):
    """The question whether the nearest word was meant, or nothing."""
    close = difflib.get_close_matches(str(word), list(words), n=1)
    return f'did you mean "{close[0]}"? ' if close else ""


def path_of(path):
    """The name of a file."""
    if not isinstance(path, (str, bytes, os.PathLike)):
        raise ModelError(f"path is {shown(path)}; give the name of a file")
    return os.fspath(path)


def printable(value, what):
    """A name that can be printed in a table and written in a file on one line; it may be empty."""
    if not isinstance(value, str) or not value.isprintable():
        raise ModelError(f"{what} is {shown(value)}; give a name of printable characters on one line")
    return value
