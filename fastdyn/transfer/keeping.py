"""Words of transfer chains as text and back, in run files and model files, every number by its exact digits."""

import json
import os

import numpy as np
from msgspec import Struct

from ..describe.check import shown
from ..describe.signals import SIGNALS, Constant
from ..status import ModelError
from .arm import BeamArm
from .bending import BendingChain
from .linked import LinkArm, Servo
from .motions import Motion, values
from .stations import PARTS
from .torsion import TorsionChain

SYSTEMS = (TorsionChain, BeamArm, LinkArm, BendingChain)
WORDS = {kind.__name__: kind for kind in (*SYSTEMS, Servo, Motion, *PARTS, *SIGNALS)}
FUNCTION, KEY = "function", "transfer"


def text_of(system):
    """(JSON text of the words of a system, sentences about functions of time, which no text can keep)."""
    lost = []
    return json.dumps(_plain(system, "", lost), allow_nan=False), lost


def system_of(text):
    """The system that `text_of` wrote; functions of time that it had rest at their values at t = 0."""
    return _made(json.loads(text))


def _plain(x, path, lost):
    fields = x.__struct_fields__ if isinstance(x, Struct) else x._fields if isinstance(x, Motion) else None
    if fields is not None:
        inner = {name: _plain(getattr(x, name), f"{path}.{name}" if path else name, lost) for name in fields}
        return {"kind": type(x).__name__} | inner
    if isinstance(x, (tuple, list)):
        if all(isinstance(y, float) for y in x):
            return list(x)
        return [_plain(y, f"{path}[{i}]", lost) for i, y in enumerate(x)]
    if callable(x):
        start = float(values(x, np.zeros(1), path)[0])
        lost.append(f"{path} was a function of time in Python, which a file cannot keep: here it stays at {start!r}")
        return {"kind": FUNCTION, "start": start}
    return x


def _made(x):
    if isinstance(x, list):
        return tuple(map(_made, x))
    if not isinstance(x, dict):
        return x
    words, kind = {name: _made(value) for name, value in x.items() if name != "kind"}, x.get("kind")
    if kind == FUNCTION:
        return Constant(words["start"])
    if not isinstance(kind, str) or kind not in WORDS:
        raise ModelError(f"kind is {shown(kind)}; known are " + ", ".join(WORDS))
    fields = getattr(WORDS[kind], "__struct_fields__", getattr(WORDS[kind], "_fields", ()))
    for name in words:
        if name not in fields:
            raise ModelError(f"{kind} has no field {name}; known are " + ", ".join(fields))
    try:
        return WORDS[kind](**words)
    except TypeError as wrong:
        raise ModelError(f"{kind}: {wrong}") from None


# ------------------------------------------------------------------------------------------------------- model files


def toml_of(system):
    """The text of a model file: `transfer = "TorsionChain"` and its words; tables say their kind."""
    lost = []
    plain = _plain(system, "", lost)
    if lost:
        raise ModelError(f"{system.name}: {lost[0].partition(' was')[0]} is a function of time in Python, which a "
                         "model file cannot keep; give a signal")
    rows = [f"{KEY} = {json.dumps(plain.pop('kind'))}"]
    rows += [f"{name} = {_toml(x)}" for name, x in plain.items() if x is not None and x != []]
    return "\n".join(rows) + "\n"


def _toml(x):
    if isinstance(x, list):
        return "[" + ", ".join(map(_toml, x)) + "]"
    if isinstance(x, dict):
        if x["kind"] == "Constant":
            return _toml(x["value"])
        return "{" + ", ".join(f"{name} = {_toml(value)}" for name, value in x.items() if value is not None) + "}"
    return json.dumps(x)


def save(system, path):
    """Write a model file, whole or not at all."""
    from ..describe.writing import write_whole

    write_whole(path, toml_of(system))


def tables_of(path):
    """The tables of a model file of a transfer chain, None if it is another file."""
    from ..describe.files import tables, text_of

    if not str(path).lower().endswith(".toml") or not os.path.isfile(path):
        return None
    raw = tables(text_of(path), str(path))
    return raw if KEY in raw else None


def load(path):
    """(system, words `key=value` for its runs) of a model file: what `save` wrote, and a table [run] of settings."""
    raw = dict(tables_of(path) or {})
    run = raw.pop("run", {})
    if KEY not in raw or not isinstance(run, dict):
        raise ModelError(f'{path}: no model file of a transfer chain; it has {KEY} = "TorsionChain", or another of '
                         "their kinds, and its words, and settings of a run in a table [run]")
    try:
        system = _made({"kind": raw.pop(KEY), **raw})
    except ModelError as refused:
        raise ModelError(f"{path}: {refused}") from None
    if not isinstance(system, SYSTEMS):
        raise ModelError(f"{path}: {KEY} names no system; known are " + ", ".join(kind.__name__ for kind in SYSTEMS))
    return system, [f"{name}={value}" for name, value in run.items()]
