"""A chain as TOML text, every float by its shortest exact digits, and files that appear whole or not at all."""

import contextlib
import math
import os
import re
import secrets

from msgspec import NODEFAULT, Struct
from msgspec.structs import fields

from ..status import ModelError
from .check import path_of
from .functions import Function

INFINITE = {"lower": -math.inf, "upper": math.inf}      # what TOML has for no limit


def chain_text(chain):
    """The TOML of a chain: what differs from the defaults, and gravity always."""
    if chain.drive is not None:
        raise ModelError("drive is a Python function and cannot be written to a model file; save replace(drive=None)")
    head = [("name", chain.name)] if chain.name else []
    head += [("gravity", chain.gravity), ("space", chain.space)]
    head += [(name, getattr(chain, name)) for name in ("start_q", "start_v") if getattr(chain, name) is not None]
    blocks = [lines(head)] + ["[[ground]]\n" + lines(_said(ground)) for ground in chain.grounds]
    blocks += ["[[closure]]\n" + lines(_said(closure)) for closure in chain.closures]
    return "\n".join(blocks + ["[[link]]\n" + _text_of_link(link) for link in chain.links])


def _text_of_link(link):
    try:
        return lines(_of_link(link))
    except ModelError as refused:
        raise ModelError(f'link "{link.name}": the signal {refused}') from None


def _of_link(link):
    """An elastic link is as long as its beam."""
    return (pair for pair in _said(link) if link.elastic is None or pair[0] != "length")


def lines(pairs):
    return "".join(f"{_key(name)} = {_value(value)}\n" for name, value in pairs)


def _said(struct):
    """The fields of a struct that differ from their defaults; the body's inertia as three moments where that is all."""
    kind = struct.__struct_config__.tag
    if kind is not None:
        yield "kind", kind
    for field in fields(struct):
        value = getattr(struct, field.name)
        if field.name == "inertia":
            value = _short(value)
        if field.name in INFINITE and isinstance(value, tuple):
            value = tuple(INFINITE[field.name] if x is None else x for x in value)
        default = field.default if field.default_factory is NODEFAULT else field.default_factory()
        if value != default:
            yield field.name, value


def _short(inertia):
    (xx, xy, xz), (_, yy, yz), (_, _, zz) = inertia
    return inertia if xy or xz or yz else (xx, yy, zz)


def _value(x):
    if isinstance(x, bool):
        return "true" if x else "false"
    if isinstance(x, (int, float)):
        return repr(x)
    if isinstance(x, str):
        return quoted(x)
    if isinstance(x, Function):
        raise ModelError(f"{x.name} is a function and cannot be written to a model file; give a Table, or Sine, or "
                         "Fourier, in its place")
    if isinstance(x, tuple):
        return "[" + ", ".join(map(_value, x)) + "]"
    pairs = _said(x) if isinstance(x, Struct) else x.items()
    return "{" + ", ".join(f"{_key(name)} = {_value(value)}" for name, value in pairs) + "}"


def _key(name):
    return name if re.fullmatch("[A-Za-z0-9_-]+", name) else quoted(name)


def quoted(text):
    """Text as TOML has it."""
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"') + '"'


def write_whole(path, content):
    """Write text or bytes to a file beside `path`, make sure it is on the disk, then give it the name `path`."""
    path = os.path.realpath(path_of(path))
    folder, name = os.path.split(path)
    temporary = os.path.join(folder, f".{name}.{secrets.token_hex(6)}.tmp")
    try:
        with open(temporary, "xb") as file:
            file.write(content.encode() if isinstance(content, str) else content)
            file.flush()
            os.fsync(file.fileno())
        os.replace(temporary, path)
    except BaseException as wrong:
        with contextlib.suppress(OSError):
            os.unlink(temporary)
        if isinstance(wrong, OSError) and wrong.errno is not None:      # of the file as the user knows it
            raise OSError(wrong.errno, wrong.strerror, path) from None
        raise
    _sync_folder(folder)


def _sync_folder(folder):
    """Make the new name itself last through a power cut, where the system lets a folder be opened."""
    with contextlib.suppress(OSError):
        handle = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)
