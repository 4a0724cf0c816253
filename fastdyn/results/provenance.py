"""What computed a run: versions, processor, commit, date, hashes. No user and no place on a machine is named."""

import hashlib
import os
import platform
import re
import subprocess
import sys
from functools import cache
from importlib import metadata

from .. import _cache

PACKAGES = ("numba", "llvmlite", "numpy")

MEANINGS = {
    "fastdyn": "version",
    "commit": 'of the checkout it ran from, "-dirty" if files differed from it; empty if it was installed',
    "sources": "SHA-256 of the names and contents of all sources of the package",
    "python": "version",
    "numba": "version",
    "llvmlite": "version",
    "numpy": "version",
    "libc": "name and version of the C library",
    "platform": "operating system and machine",
    "processor": "as the compiler calls it",
    "features": "of the processor that kernels were compiled for",
    "date": "when the run was done, UTC",
    "command": "words of the command line, of paths the last part",
    "model": "SHA-256 of the names, types, shapes and numbers of the arrays of the model",
}


def provenance(chain, when) -> dict[str, str]:
    """The facts about a run of `chain` that was done at `when`, a datetime; names are those of MEANINGS."""
    return facts(model_hash(chain.model), when)


def facts(model, when) -> dict[str, str]:
    """The same, of a model with that hash."""
    date = when.strftime("%Y-%m-%dT%H:%M:%SZ")
    known = _of_this_process() | {"date": date, "command": command(sys.argv), "model": model}
    return {name: known[name] for name in MEANINGS}


@cache
def _of_this_process():
    from .. import __version__

    _, name, features = _cache.target()
    return {
        "fastdyn": __version__,
        "commit": commit(os.path.dirname(_cache.ROOT)),
        "sources": source_hash() + (" (changed since imported)" if _cache._sources() != _cache._AT_IMPORT else ""),
        "python": platform.python_version(),
        **{package: metadata.version(package) for package in PACKAGES},
        "libc": " ".join(platform.libc_ver()).strip(),
        "platform": f"{platform.system()} {platform.machine()}",
        "processor": name,
        "features": " ".join(sorted(word[1:] for word in features.split(",") if word.startswith("+"))),
    }


def model_hash(model) -> str:
    """SHA-256 of the arrays of a model."""
    return hash_of({f"{name}\0{array.dtype.str}\0{array.shape}": array.tobytes()
                    for name, array in model._asdict().items()})


def hash_of(named) -> str:
    """SHA-256 of bytes by their names."""
    total = hashlib.sha256()
    for name, content in named.items():
        total.update(f"{name}\0".encode() + content)
    return total.hexdigest()


def source_hash() -> str:
    """SHA-256 of the sources of this package."""
    total = hashlib.sha256()
    for folder, folders, names in os.walk(_cache.ROOT):
        folders.sort()
        for name in sorted(name for name in names if name.endswith(".py")):
            with open(os.path.join(folder, name), "rb") as file:
                content = file.read()
            place = os.path.relpath(os.path.join(folder, name), _cache.ROOT).replace(os.sep, "/")
            total.update(f"{place}\0{len(content)}\0".encode() + content)
    return total.hexdigest()


def commit(house) -> str:
    """The commit a checkout is at, "" if the folder is none or there is no git to ask."""
    if not os.path.exists(os.path.join(house, ".git")):
        return ""
    try:
        at = _git(house, "rev-parse", "HEAD")
        return at + ("-dirty" if _git(house, "status", "--porcelain", "--untracked-files=no") else "")
    except (OSError, subprocess.SubprocessError):
        return ""


def _git(house, *words):
    """What git answers to a question, asked without writing to the repository: others may be at work in it."""
    words = ["git", "--no-optional-locks", "-C", house, *words]
    return subprocess.run(words, capture_output=True, text=True, timeout=10, check=True).stdout.strip()


def command(words) -> str:
    """Words of a command line; absolute paths and those that climb are cut to their last part."""
    return " ".join(_without_place(word) for word in words)


def _without_place(word):
    start, value = re.fullmatch(r"(?s)(-*[\w.-]*=)?(.*)", word).groups()
    parts = re.split(r"[\\/]", value)
    away = value[:1] in ("/", "\\", "~") or re.match("[A-Za-z]:", value) or ".." in parts
    return (start or "") + (next((part for part in reversed(parts) if part), "") if away else value)
