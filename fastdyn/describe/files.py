"""Model files (TOML): text to Chain, and for every mistake one sentence with the file and the path of the field."""

import re
import tomllib

import msgspec

from ..beams import Beam
from ..kinds import others
from ..status import ModelError
from .attitude import Attitude
from .body import Body
from .chain import Chain
from .check import known, path_of
from .closures import KINDS, Closure
from .elastic import SHAPES, THEORIES, Elastic
from .ground import Contact, Friction, Ground
from .joints import JOINTS
from .link import Link
from .loads import Load
from .modal import ModalNumbers, Stretch
from .named import SYSTEM, made
from .signals import SIGNAL_WORDS

_TABLES = {"link": Link, "body": Body, "loads": Load, "elastic": Elastic, "beam": Beam, "numbers": ModalNumbers,
           "axial_shapes": Stretch, "ground": Ground, "contact": Contact, "friction": Friction, "closure": Closure,
           "start": Attitude}
_WORDS = {"space": ("auto", "plane", "space"), "frame": ("link", "world"), "theory": THEORIES,
          "carried": ("section", "axis"), "spin": ("frame", "section")}
_KINDS = {"joint": JOINTS, "shapes": SHAPES, "closure": KINDS}
_TYPES = {"array": "a list", "object": "a table", "float": "a number", "int": "a whole number", "str": "text",
          "bool": "true or false"}
_SIGNALS = 'a list of signals such as drive = [{ kind = "constant", value = 1.0 }]'
_WRITTEN = {"str": "text in quotes", "drive": _SIGNALS, "joint": 'a table such as joint = { kind = "revolute" }'} | {
    row: f"tables that begin with [[{row}]]" for row in ("link", "ground", "closure")}
LINKS = "link"         # the rows of a file that describes a chain, as one that names a system does not
_FILE_FIELDS = ("name", "gravity", "space", "start_q", "start_v", "ground", "closure", "link")


def load(path) -> Chain:
    """Read a system from a TOML model file.

    Parameters
    ----------
    path : of a file as written by `Chain.save` or by hand: `name`, `gravity`, `space`, `start_q`, `start_v`, one
        `[[ground]]` table per ground with the fields of `Ground`, one `[[closure]]` table per closure with those of
        `Closure`, and one `[[link]]` table per link with those of `Link`; joints, closures, signals and shapes say
        their `kind`. Or of a file that names a system of the catalog, `system = "falling-chain"`, and what is to be
        other than usual: its parameters, and fields of the chain by their dotted paths. Or of a file that says its
        `kind`, as `SpatialArm.save` writes it.

    Raises
    ------
    ModelError : whatever is wrong with the file, with the path of the field.
    """
    path = path_of(path)
    return parse(text_of(path), str(path))


def text_of(path):
    """The text of a model file."""
    try:
        with open(path, "rb") as file:
            return file.read().decode("utf-8-sig")
    except UnicodeDecodeError as wrong:
        raise ModelError(f"{path}: byte {wrong.start} is not UTF-8 text; a model file is TOML text") from None
    except (OSError, ValueError) as wrong:
        raise ModelError(f"{path}: cannot be read: {getattr(wrong, 'strerror', None) or wrong}") from None


def parse(text: str, source: str = "model text") -> Chain:
    """Read a system from TOML text; `source` is how errors call it."""
    raw = tables(text, source)
    if SYSTEM in raw:
        return made(raw, source)
    if "kind" in raw:
        readers = {word: read for kind in others() for word, read in kind.models.items()}
        if raw["kind"] not in readers:
            raise ModelError(f'{source}: kind is {raw["kind"]!r}; leave it out for a chain, or take '
                             + ", ".join(readers))
        return readers[raw["kind"]](raw, source)
    if "drive" in raw:
        raise ModelError(f"{source}: $.drive: unknown field; a chain's drive is a Python function, set it in Python")
    return chain_from(raw, source)


def tables(text, source):
    """The tables of TOML text."""
    try:
        return tomllib.loads(text)
    except tomllib.TOMLDecodeError as wrong:
        raise ModelError(f"{source}: not valid TOML: {wrong}") from None
    except RecursionError:
        raise ModelError(f"{source}: brackets are nested too deep; a model needs a few levels") from None
    except ValueError:
        raise ModelError(f"{source}:{_long_integer(text)} an integer has thousands of digits; write a float") from None


def chain_from(raw, source):
    """The chain of tables as TOML has them."""
    try:
        return msgspec.convert(raw, Chain)
    except msgspec.ValidationError as wrong:
        raise ModelError(f"{source}: {_sentence(str(wrong), raw)}") from None


def _long_integer(text):
    found = re.search(r"\d[\d_]{4000,}", text)
    return f" line {text.count(chr(10), 0, found.start()) + 1}:" if found else ""


def _sentence(message, raw):
    """msgspec's or our own message, led by the path of the field and followed by what is known there."""
    found = re.fullmatch(r"(?s)(.*) - at `(\$[^`]*)`", message)
    said, path = found.groups() if found else (message, "$")
    if unknown := re.fullmatch(r"Object contains unknown field `(.*)`", said):
        fields = f"unknown field; {known(unknown[1], _fields_at(path, raw))}"
        named = f', and {SYSTEM} = "NAME" for one of the catalog' if path == "$" and LINKS not in raw else ""
        return f"{path}.{unknown[1]}{_owner(path, raw)}: {fields}{named}"
    if missing := re.fullmatch(r"Object missing required field `(.*)`", said):
        what = _WRITTEN.get(missing[1], "it a value")
        return f"{path}.{missing[1]}{_owner(path, raw)}: is missing; give {what}"
    if said.startswith("Invalid"):
        word = _at(path, raw)
        words = _WORDS.get(_last(path)) or _KINDS.get(_last(path.removesuffix(".kind")), SIGNAL_WORDS)
        return f'{path}{_owner(path, raw)}: "{word}" is not a word known here; {known(word, words)}'
    if path == "$":
        return said
    if said[0].isupper():
        said = said.replace(" | null", "").replace("`", "").replace("range", "range; give a finite number")
        path = _with_names(path, raw)
        if wrong := re.fullmatch(r"Expected array of length (\d+), got (\d+)", said):
            said = f"has {wrong[2]} {'entry' if wrong[2] == '1' else 'entries'}; give {wrong[1]}"
        elif wrong := re.fullmatch(r"Expected ([a-z]+(?: \| [a-z]+)*), got ([a-z]+)", said):
            wanted = " or ".join(_WRITTEN.get(word, _TYPES.get(word, word)) for word in wrong[1].split(" | "))
            given = _TYPES.get(wrong[2], f"a {wrong[2]}")
            wanted = wanted if path.endswith("]") else _WRITTEN.get(_last(path), wanted)
            said = f"is {given}; give {wanted}"
    else:  # our own sentences begin with the field, `joint.axis` or `link "tip": length`
        said = re.sub(r'^link ".*?": ', "", said)
        said = re.sub(r" \(in (a|the) link without a name.*\)$", "", said)      # its number is known here
        field = said.split(" ")[0]
        path = _lengthened(path, field.rstrip(":"))
        said = said.removeprefix(f"{field} ") if field.endswith(":") else said
    return f"{path}{_owner(path, raw)}: {said}"


def _with_names(path, raw):
    """The path with the name of the point in the place of [...], where one point alone is no list of three numbers."""
    head, several, tail = path.partition("[...]")
    points = _at(head, raw)
    if not several or not isinstance(points, dict):
        return path
    wrong = [name for name, place in points.items()
             if not (isinstance(place, list) and len(place) == 3
                     and all(isinstance(x, (int, float)) and not isinstance(x, bool) for x in place))]
    return f"{head}.{wrong[0]}{tail}" if wrong else path


def _lengthened(path, field):
    """The path with the field behind it, which may begin with what the path already ends with: `load` in `loads[0]`."""
    here = {"drive": "signal"}.get(_last(path), _last(path).removesuffix("s"))
    return ".".join([path, *field.split(".")[field.split(".")[0] == here:]])


def _last(path):
    """The last name on the path, without its row number."""
    return re.search(r"\.?([^.\[]+)(\[\d*\.*\])*$", path)[1]


def _at(path, raw):
    """The value the path leads to, as far as it leads."""
    for name, index in re.findall(r"\.([^.\[]+)|\[(\d+)\]", path):
        try:
            raw = raw[name] if name else raw[int(index)]
        except (LookupError, TypeError):
            break
    return raw


def _owner(path, raw):
    """The name of the link the path goes through, where it has one."""
    step = re.match(r"\$\.link\[(\d+)\]", path)
    link = _at(step[0], raw) if step else None
    if not isinstance(link, dict):
        return ""
    name = link.get("name") or f"link{int(step[1]) + 1}"         # as the chain will call it
    return f' (link "{name}")' if isinstance(name, str) and name.isprintable() else ""


def _fields_at(path, raw):
    """The names of the fields the table at `path` may have."""
    if path == "$":
        return _FILE_FIELDS
    here = _at(path, raw)
    kind = here.get("kind") if isinstance(here, dict) else None
    table = _TABLES.get(_last(path)) or next((k[kind] for k in (JOINTS, SIGNAL_WORDS, SHAPES) if kind in k), None)
    kinds = ("kind",) if table and table.__struct_config__.tag else ()
    return kinds + table.__struct_encode_fields__ if table else ()
