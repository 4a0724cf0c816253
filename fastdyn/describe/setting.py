"""Fields of a chain by dotted words, `grounds.0.contact.restitution=0.3`, `links.arm2.length=0.7`: the chain, changed.

A path begins with a field of the chain; of links, grounds and closures follows which one, by its number from 0 or, of a
link, by its name. A value is written as in a model file; what is no TOML is a word.
"""

import contextlib
import difflib
import tomllib

from ..status import ModelError
from .files import chain_from
from .ground import Friction
from .writing import chain_text

ROWS = {"links": "link", "grounds": "ground", "closures": "closure"}    # by their names in model files
HEAD = ("name", "gravity", "space", "start_q", "start_v")


class NoSuchKey(ModelError):
    """A key that leads nowhere, whatever its value."""


def is_path(key):
    """Whether a key is meant for a chain."""
    return key in HEAD or ("." in key and key.partition(".")[0] in ROWS)


def changed(chain, words, source="--set"):
    """The chain with fields set to other values, all of them at once.

    Parameters
    ----------
    words : dictionary, path -> value as it was written; `source` is how errors call it.

    Raises
    ------
    NoSuchKey : a path that leads nowhere, with what is known there.
    ModelError : a value that cannot be.
    """
    if not words:
        return chain
    raw = tomllib.loads(chain_text(chain))
    for path, value in words.items():
        _put(chain, raw, path, value_of(value))
    return chain_from(raw, source)


def value_of(text):
    """What a word means: a value as TOML has it, a number, else the word."""
    for read in (lambda: tomllib.loads(f"x = {text}")["x"], lambda: float(text)):
        with contextlib.suppress(ValueError, KeyError):
            return read()
    return text


def _put(chain, raw, path, value):
    first, *rest = path.split(".")
    if first in HEAD:
        _check(not rest, path, first, "has no fields")
        raw[first] = value
        return
    rows = getattr(chain, first)
    k, rest = _row_of(first, rows, rest, path)
    owner, table = rows[k], raw[ROWS[first]][k]
    while len(rest) > 1 and not isinstance(owner, dict):
        owner, table, rest = _inside(owner, table, rest, path)
    if isinstance(owner, dict):                             # such as the points of a link: names of the user's
        rest = [".".join(rest)]
    else:
        _field(owner, rest[0], path)
    if rest == ["law"]:
        _without_strangers(owner, table, value)
    table[rest[0]] = value


def _without_strangers(owner, table, law):
    """Another law of contact or friction: numbers that it does not take go."""
    from ..laws.contact import NORMAL_LAWS
    from ..laws.friction import FRICTION_LAWS

    laws = FRICTION_LAWS if isinstance(owner, Friction) else NORMAL_LAWS
    if law in laws:
        for name in set(table) - {"law"} - {p.name for p in laws[law].parameters}:
            del table[name]


def _row_of(first, rows, rest, path):
    """(number of the row, what of the path is left); names of links may have dots themselves."""
    names = [row.name for row in rows] if first == "links" else []
    for cut in range(len(rest) - 1, 0, -1):
        if ".".join(rest[:cut]) in names:
            return names.index(".".join(rest[:cut])), rest[cut:]
    if rest[0].isdecimal() and int(rest[0]) < len(rows) and len(rest) > 1:
        return int(rest[0]), rest[1:]
    if len(rest) == 1 and (rest[0] in names or rest[0].isdecimal()):
        raise NoSuchKey(f'"{path}" names no field; write {path}.FIELD=VALUE')
    there = f"numbers go from 0 to {len(rows) - 1}" if rows else "the chain has none"
    raise NoSuchKey(f'"{path}": there is no {ROWS[first]} "{rest[0]}"; {_near(rest[0], names)}{there}'
                    + (", names are " + ", ".join(names[:12]) if names else ""))


def _inside(owner, table, rest, path):
    """One step inwards: (struct, its table, what of the path is left)."""
    name, *rest = rest
    _field(owner, name, path)
    inner = getattr(owner, name)
    if isinstance(inner, tuple) and inner and hasattr(inner[0], "__struct_fields__"):
        _check(rest[0].isdecimal() and int(rest[0]) < len(inner) and len(rest) > 1, path, name,
               f"has the numbers 0 to {len(inner) - 1}; write .{name}.0.FIELD")
        k = int(rest[0])
        return inner[k], table[name][k], rest[1:]
    if isinstance(inner, dict):
        return inner, table.setdefault(name, {}), rest
    _check(hasattr(inner, "__struct_fields__"), path, name, "is not there, or has no fields")
    kind = inner.__struct_config__.tag
    return inner, table.setdefault(name, {} if kind is None else {"kind": kind}), rest


def _field(owner, name, path):
    known = owner.__struct_fields__
    _check(name in known, path, name, f"is no field there; {_near(name, known)}known are {', '.join(known)}")


def _near(word, words):
    close = difflib.get_close_matches(word, words, n=1)
    return f'did you mean "{close[0]}"? ' if close else ""


def _check(well, path, name, said):
    if not well:
        raise NoSuchKey(f'"{path}": "{name}" {said}')
