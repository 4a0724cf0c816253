"""Ready-made chains by name, and words from a command line as their arguments."""

import difflib
import inspect
import math
import os

from ..kinds import known, others
from ..status import ModelError
from .balls import heavy_top, space_arm, two_link
from .chain import Chain
from .check import MOST_LINKS, not_negative, number, positive, whole
from .falling import falling_chain
from .files import load
from .importing import load_mjcf, load_urdf
from .joints import Revolute
from .link import Link
from .mechanisms import andrews, four_bar, n_four_bar
from .rrr import rrr_rose
from .setting import HEAD, ROWS, NoSuchKey, changed, is_path
from .slider_crank import slider_crank
from .spatial_loops import bricard, flyball, stewart
from .words import spelt


@spelt
def n_pendulum(
    n: int = 10, length: float = 1.0, mass: float = 1.0, angle: float = math.pi/2, radius: float = 0.0
) -> Chain:
    """A chain of n equal rods that hangs in the plane from a hinge, straight at the start.

    Parameters
    ----------
    n : number of links, 1 or more.
    length : of all rods together, m.
    mass : of all rods together, kg.
    angle : of the straight chain from the downward vertical, towards +x, rad; with all joints at zero it stands there.
    radius : of a rod, m.
    """
    n = whole(n, "n", "links", most=MOST_LINKS)
    half = (number(angle, "angle", "rad") - math.pi/2)/2
    rod = Link(length=positive(length, "length", "m")/n, mass=positive(mass, "mass", "kg")/n,
               radius=not_negative(radius, "radius", "m"))
    first = Link(joint=Revolute(), turn=(math.cos(half), 0.0, 0.0, math.sin(half)), length=rod.length, mass=rod.mass,
                 radius=rod.radius)
    return Chain([first] + [rod]*(n - 1), name="n-pendulum")


CATALOG = {"n-pendulum": n_pendulum, "falling-chain": falling_chain, "two-link": two_link, "space-arm": space_arm,
           "heavy-top": heavy_top, "rrr-rose": rrr_rose, "four-bar": four_bar, "n-four-bar": n_four_bar,
           "andrews": andrews, "bricard": bricard, "flyball": flyball, "stewart": stewart,
           "slider-crank": slider_crank}
# of runs of a named chain, where nothing else is said
RUN_SETTINGS = {"falling-chain": {"t_end": 1.5, "samples": 1501,    # its links swing 150 times a second; errors grow
                                  "rtol": 1e-10, "atol": 1e-13},    # a hundred million times from the first touch on
                "two-link": {"t_end": 20.0}, "space-arm": {"t_end": 60.0}, "heavy-top": {"t_end": 2.0},
                "rrr-rose": {"t_end": 6.0, "samples": 601}, "andrews": {"t_end": 0.03},
                "n-four-bar": {"t_end": 10.0}, "bricard": {"t_end": 10.0},
                "flyball": {"t_end": 10.0, "stepper": "radau5"},
                "slider-crank": {"t_end": 0.1}}
OF_METHODS = {"lvs": {"formulation": "lagrange"}}           # the same, by the word `method` of a named chain

READERS = {".toml": load, ".urdf": load_urdf, ".xml": load_mjcf}
WORDS = {int: "whole number", float: "number", float | None: "number", int | None: "whole number", str: "word",
         bool: "yes or no"}
FIELDS = "and fields such as links.NAME.length or grounds.0.contact.restitution"
YES_OR_NO = {"yes": True, "true": True, "1": True, "no": False, "false": False, "0": False}


def __getattr__(name):
    """Systems of other kinds that the catalog has, such as catalog.torsion_chain."""
    for kind in others():
        for named in kind.catalog.values():
            if named.make.__name__ == name:
                return named.make
    raise AttributeError(f"the catalog has no {name!r}")


def find(name, settings=(), *functions):
    """A chain and arguments for `functions`, by a name of the catalog or the path of a model file.

    Parameters
    ----------
    name : of the catalog, or a file ending in .toml, .urdf or .xml (MJCF); `./name` is always a file.
    settings : words `key=value` for the parameters of a named chain, those of the functions, and fields of the chain by
        their dotted path (setting.py); the last word about one of them counts.
    functions : whose arguments may be among the settings.

    Returns
    -------
    The chain, and a list with a dictionary of keyword arguments for each function.
    """
    if name in CATALOG:
        words, paths = _sorted(settings, CATALOG[name], *functions)
        mine, *theirs = arguments(words, CATALOG[name], *functions)
        given = [_usual(name, mine, f) | words for f, words in zip(functions, theirs)]
        return changed(CATALOG[name](**mine), paths), given
    reader = READERS.get(os.path.splitext(name)[1].lower())
    if reader is None:
        close = difflib.get_close_matches(name, known(), n=1)
        hint = f'did you mean "{close[0]}"? ' if close else ""
        raise ModelError(f'"{name}" is neither in the catalog nor a model file; {hint}known are {", ".join(known())}, '
                         f'and files ending in {", ".join(READERS)}')
    words, paths = _sorted(settings, *functions)
    given = arguments(words, *functions)
    return changed(reader(name), paths), given


def _sorted(settings, *functions):
    """(words for the functions, path -> value of those for the chain)"""
    taken = {key for function in functions for key in parameters(function)}
    words, paths = [], {}
    for word in settings:
        key, equals, value = word.partition("=")
        if equals and key not in taken and is_path(key):
            paths[key] = value
        else:
            words.append(word)
    return words, paths


def _usual(name, mine, function):
    """What a named chain is run with, as far as the function takes it; mine: what the chain is made with."""
    usual = RUN_SETTINGS.get(name, {}) | OF_METHODS.get(mine.get("method"), {})
    return {key: value for key, value in usual.items() if key in parameters(function)}


def arguments(words, *functions, paths=True):
    """Keyword arguments for each function from words `key=value`, typed as its annotations say.

    paths: whether what is refused might have been the path of a field of a chain.

    Raises
    ------
    NoSuchKey : a key none of the functions has.
    ModelError : a word that is no `key=value`, a value of the wrong type.
    """
    taken = {key: kind for function in functions for key, (kind, _) in parameters(function).items()}
    typed = {}
    for word in words:
        key, equals, value = word.partition("=")
        if not equals:
            raise ModelError(f'"{word}" is not a setting; write key=value, such as ' + next(iter(taken), "n") + "=2")
        if key not in taken:
            close = difflib.get_close_matches(key.partition(".")[0], [*taken, *((*HEAD, *ROWS) if paths else ())], n=1)
            hint = f'did you mean "{close[0]}"? ' if close else ""
            all_known = ", ".join([*taken, *HEAD, FIELDS] if paths else taken)
            raise NoSuchKey(f'"{key}" cannot be set here; {hint}known are {all_known}')
        typed[key] = _read(key, value, taken[key])
    return [{key: typed[key] for key in parameters(function) if key in typed} for function in functions]


def parameters(function):
    """Name -> (type, default) of the numbers and words a function takes and has a default for."""
    found = inspect.signature(function, eval_str=True).parameters.values()
    return {p.name: (p.annotation, p.default) for p in found if p.annotation in WORDS}


def _read(key, value, kind):
    kind = {float | None: float, int | None: int}.get(kind, kind)
    try:
        return YES_OR_NO[value.lower()] if kind is bool else kind(value)
    except (ValueError, KeyError):
        raise ModelError(f'{key} is "{value}"; give {"" if kind is bool else "a "}{WORDS[kind]}') from None
