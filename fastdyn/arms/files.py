"""A spatial arm as a model file (TOML) and back, equal in every bit; run files keep the same text."""

from dataclasses import MISSING, fields, is_dataclass

import numpy as np
from msgspec import to_builtins

from ..describe.check import known as nearest
from ..describe.signals import SIGNALS
from ..describe.writing import lines
from ..status import ModelError
from . import describe
from .describe import Body, FlexibleLink, Joint, Link, Origin, Plane, SpatialArm

KIND = "spatial-arm"                                        # the word `kind` of such a file
ROWS = {"link": "links", "plane": "planes", "origin": "provenance"}     # table of the file -> field of the arm
USUAL = {"link": Link, "plane": Plane, "origin": Origin, "joint": Joint, "beam": FlexibleLink, "proximal": Body,
         "distal": Body}                                    # what a table is; any other says its `kind`
OTHERS = {name: kind for name, kind in vars(describe).items() if is_dataclass(kind)}
NONE = "none"                                               # in place of a number that there is by default
NUMBERS = ("numbers", "friction_numbers", "torque")         # tables that are what they say


def text_of(arm):
    """The text of an arm: what differs from the defaults."""
    rows = {table: getattr(arm, field) for table, field in ROWS.items()}
    head = [("kind", KIND)] + [(name, value) for name, value in _said(arm, "") if name not in ROWS.values()]
    blocks = [lines(head)] + [f"[[{table}]]\n" + lines(_said(row, table)) for table, found in rows.items()
                              for row in found]
    return "\n".join(blocks)


def _said(words, table):
    """(name, value) of what differs from the defaults."""
    if table and type(words) is not USUAL.get(table):
        yield "kind", type(words).__name__
    for name, default in _fields(type(words)).items():
        value = getattr(words, name)
        if value is None and isinstance(default, float):
            yield name, NONE
        elif value is not None and (default is MISSING or not _same(value, default)):
            yield name, _plain(value, name)


def _fields(kind):
    """Name -> default of the fields of a kind of words."""
    return {f.name: f.default if f.default_factory is MISSING else f.default_factory() for f in fields(kind)}


def _same(value, default):
    return type(value) is type(default) and value == default


def _plain(value, table):
    if isinstance(value, np.ndarray | np.generic):
        return _plain(value.tolist(), table)
    if isinstance(value, dict):
        return {name: _plain(inner, "") for name, inner in value.items()}
    if isinstance(value, SIGNALS):
        return to_builtins(value)
    if is_dataclass(value):
        return dict(_said(value, table))
    return tuple(_plain(inner, table) for inner in value) if isinstance(value, tuple | list) else value


# ------------------------------------------------------------------------------------------------------------- reading

def arm_of(text, source="model text"):
    """The arm that `text_of` wrote."""
    from ..describe.files import tables

    return arm_from(tables(text, source), source)


def arm_from(raw, source):
    """The arm of tables as TOML has them."""
    words = {ROWS.get(name, name): value for name, value in raw.items() if name != "kind"}
    for table, field in ROWS.items():
        rows = words.get(field, [])
        if not isinstance(rows, list) or not all(isinstance(row, dict) for row in rows):
            raise ModelError(f"{source}: {table} is no row of tables; write tables that begin with [[{table}]]")
        words[field] = tuple(_made(row, table, f"{table}[{k}]", source) for k, row in enumerate(rows))
    try:
        return _words(SpatialArm, {name: _made(x, name, name, source) for name, x in words.items()}, "", source)
    except ModelError as wrong:
        said = str(wrong)
        raise ModelError(said if said.startswith(source) else f"{source}: {said}") from None


def _made(x, table, path, source):
    if isinstance(x, list):
        return tuple(_made(inner, table, f"{path}[{i}]", source) for i, inner in enumerate(x))
    if not isinstance(x, dict) or table in NUMBERS:
        return x
    name = x.get("kind")
    kind = OTHERS.get(name) if "kind" in x else USUAL.get(table)
    if kind is None:
        raise ModelError(f"{source}: {path} is a table of no kind that is known here")
    words = {key: _made(value, key, f"{path}.{key}", source) for key, value in x.items() if key != "kind"}
    return _words(kind, words, path + ".", source)


def _words(kind, words, path, source):
    known = _fields(kind)
    for name in words:
        if name not in known:
            raise ModelError(f"{source}: {path}{name}: unknown field; {nearest(name, known)}")
    for name, default in known.items():
        if default is MISSING and name not in words:
            raise ModelError(f"{source}: {path}{name} is missing; give it a value")
    words = {name: None if value == NONE and isinstance(known[name], float) else value
             for name, value in words.items()}
    try:
        return kind(**words)
    except ModelError as wrong:                             # `beam.EA is -1` of what stands at link[0].beam
        said, last = str(wrong), path.rstrip(".").rpartition(".")[2]
        raise ModelError(f"{source}: {path}{said.removeprefix(f'{last}.')}" if path else said) from None
    except TypeError as wrong:
        raise ModelError(f"{source}: {path.rstrip('.') or 'the arm'}: a value is of the wrong kind ({wrong})") from None
