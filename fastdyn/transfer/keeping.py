"""Words of transfer chains as text and back, in run files and model files, every number by its exact digits."""

import json

import numpy as np
from msgspec import Struct

from ..describe.check import shown
from ..describe.signals import SIGNALS, Constant
from ..status import ModelError
from .arm import BeamArm
from .bending import BendingChain
from .linked import LinkArm, Servo
from .motions import Motion, values
from .rows import Unbranched
from .stations import PARTS
from .torsion import TorsionChain

SYSTEMS = (TorsionChain, BeamArm, LinkArm, BendingChain)
WORDS = {kind.__name__: kind for kind in (*SYSTEMS, Servo, Motion, *PARTS, *SIGNALS)}
FUNCTION, RUN = "function", "run"


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
    if "parents" in words and issubclass(WORDS[kind], Unbranched):
        WORDS[kind].place_of(words)
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
    """The text of a model file: `kind = "TorsionChain"` and its words; tables in it say their kind too."""
    lost = []
    plain = _plain(system, "", lost)
    if lost:
        raise ModelError(f"{system.name}: {lost[0].partition(' was')[0]} is a function of time in Python, which a "
                         "model file cannot keep; give a signal")
    rows = [f"{name} = {_toml(x)}" for name, x in plain.items() if x is not None and x != []]
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


def system_from(raw, source):
    """The system of the tables of a model file; a table [run] is for `fastdyn run`."""
    try:
        return _made({name: value for name, value in raw.items() if name != RUN})
    except ModelError as refused:
        raise ModelError(f"{source}: {refused}") from None


def load(path):
    """(system, words `key=value` for its runs) of a model file: what `save` wrote, and a table [run] of settings."""
    from ..describe.files import tables, text_of

    raw = tables(text_of(path), str(path))
    run = raw.get(RUN, {})
    if not isinstance(run, dict):
        raise ModelError(f"{path}: run is {shown(run)}; give a table [run] and below it t_end = 1.0")
    return system_from(raw, str(path)), [f"{name}={value}" for name, value in run.items()]
