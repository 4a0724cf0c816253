"""Words of transfer chains as text and back: what a run file keeps of a system, every number by its exact digits."""

import json

import numpy as np
from msgspec import Struct

from ..describe.signals import SIGNALS, Constant
from .arm import BeamArm
from .bending import BendingChain
from .linked import LinkArm, Servo
from .motions import Motion, values
from .stations import PARTS
from .torsion import TorsionChain

SYSTEMS = (TorsionChain, BeamArm, LinkArm, BendingChain)
WORDS = {kind.__name__: kind for kind in (*SYSTEMS, Servo, Motion, *PARTS, *SIGNALS)}
FUNCTION = "function"


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
    words = {name: _made(value) for name, value in x.items() if name != "kind"}
    return Constant(words["start"]) if x["kind"] == FUNCTION else WORDS[x["kind"]](**words)
