"""Model files that name a system of the catalog and say what is to be other than usual.

    system = "falling-chain"
    modes = "cc-cc-cc"
    n = 6
    grounds.0.friction.mu = 0.2         # fields of the chain, as behind --set

    [run]                               # of `fastdyn run`; whoever only loads the system does without
    t_end = 0.8

Keys are what `fastdyn list` shows of the system, values are as anywhere in TOML.
"""

import os

from ..status import ModelError
from .check import shown

SYSTEM, RUN = "system", "run"


def resolved(name, settings=(), runs=False):
    """(name, words `key=value`): of a file that names a system that name, and its words before those given.

    runs: whether the words for its runs are among them.
    """
    if os.path.splitext(name)[1].lower() != ".toml":
        return name, list(settings)
    from .files import tables, text_of

    raw = tables(text_of(name), name)
    if SYSTEM not in raw:
        return name, list(settings)
    system, mine, theirs = words_of(raw, name)
    return system, [*mine, *(theirs if runs else ()), *settings]


def words_of(raw, source):
    """(name of the system, words for the system, words for its runs) of a file's tables."""
    raw = dict(raw)
    system, run = raw.pop(SYSTEM), raw.pop(RUN, {})
    from ..kinds import known

    if system not in known():
        raise ModelError(f"{source}: $.{SYSTEM}: is {shown(system)}; give a name of the catalog in quotes, one of "
                         + ", ".join(known()))
    if not isinstance(run, dict):
        raise ModelError(f"{source}: $.{RUN}: is {shown(run)}; give a table, such as [{RUN}] and below it t_end = 1.0")
    return system, _words(raw), _words(run)


def made(raw, source):
    """The system that a file's tables name."""
    from ..kinds import kind_named

    system, words, _ = words_of(raw, source)
    try:
        return kind_named(system).make(system, words)
    except ModelError as refused:
        raise ModelError(f"{source}: {refused}") from None


def _words(table, path=""):
    """`key=value` for every value, tables inside as dotted keys."""
    found = []
    for key, value in table.items():
        found += _words(value, f"{path}{key}.") if isinstance(value, dict) else [f"{path}{key}={written(value)}"]
    return found


def written(value):
    """A value as it is written behind --set."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, (list, tuple)):
        return f"[{', '.join(_quoted(item) for item in value)}]"
    return str(value)


def _quoted(value):
    from .writing import quoted

    return quoted(value) if isinstance(value, str) else written(value)
