"""Compiled kernels on disk, in a private folder named by everything that shaped them.

The folder's name is the hash of all sources of this package, of the versions of Python, NumPy, Numba and llvmlite, of
the processor and of the compiler's settings: an edited callee or a moved field means another folder. An entry is a
pickle, so the border is the folder: on POSIX systems it and each file in it must belong to us and be writable by nobody
else, which is checked before a byte is unpickled. (On Windows that rests on the user's profile folder.) Trouble of any
kind means a kernel is compiled, never an exception.
"""

import contextlib
import functools
import hashlib
import os
import pickle
import re
import stat
import sys
import types
import uuid
import warnings

import llvmlite
import numba
import numpy as np
from numba.core import config
from numba.core.compiler import CompileResult
from numba.core.registry import cpu_target
from numba.core.serialize import dumps

from ._sweep import hold, sweep
from ._sweep import ours as _ours

ROOT = os.path.dirname(os.path.abspath(__file__))
MAGIC = b"fastdyn kernel 1\n"
TRIES = 20                                              # to have a folder that is not swept away just then
SETTINGS = (
    "OPT", "BOUNDSCHECK", "CPU_NAME", "CPU_FEATURES", "ENABLE_AVX", "LOOP_VECTORIZE", "SLP_VECTORIZE",
    "DISABLE_INTEL_SVML", "USING_SVML", "DEBUGINFO_DEFAULT", "EXTEND_VARIABLE_LIFETIMES", "JIT_COVERAGE",
    "LLVM_REFPRUNE_PASS", "LLVM_REFPRUNE_FLAGS", "DEBUG_NRT", "NRT_STATS", "ENABLE_PROFILING",
)


# ---------------------------------------------------------------------------------------------- what shaped a kernel

def _sources():
    """Relative path -> (time, size) of every source file of this package."""
    found = {}
    for folder, _, names in os.walk(ROOT):
        for name in names:
            if name.endswith(".py"):
                with contextlib.suppress(OSError):                  # an editor's lock may be a link to nowhere
                    status = os.stat(path := os.path.join(folder, name))
                    found[os.path.relpath(path, ROOT)] = status.st_mtime_ns, status.st_size
    return found


_AT_IMPORT = _sources()


def target():
    """What kernels are compiled for: the triple, the processor's name, its features."""
    return cpu_target.target_context.codegen().magic_tuple()


def _digest():
    """Hash of what shapes every kernel, as 32 hexadecimal digits."""
    total = hashlib.sha256()
    for path in sorted(_AT_IMPORT):
        with open(os.path.join(ROOT, path), "rb") as file:
            content = file.read()
        total.update(f"{path}\0{len(content)}\0".encode() + content)
    settings = [(name, str(getattr(config, name, None))) for name in SETTINGS]
    versions = sys.version, np.__version__, numba.__version__, llvmlite.__version__
    total.update(repr((versions, target(), settings)).encode())
    return total.hexdigest()[:32]


def name_of(function):
    return f"{function.__module__}:{function.__qualname__}"


def belongs(function):
    """Whether a function is one of this package, with a name; others change without our sources changing."""
    root, _, path = os.path.abspath(function.__code__.co_filename).partition(ROOT + os.sep)
    return not root and path in _AT_IMPORT and "<" not in function.__qualname__


def _describe(function, seen):
    """Code and frozen constants of a function and of those it names: a constant patched at run time is another key."""
    seen.add(function)
    codes = [function.__code__]
    for code in codes:
        codes += [inner for inner in code.co_consts if isinstance(inner, types.CodeType)]
        yield code.co_code.hex()
        yield from _describe_value(code.co_consts, seen)
    yield name_of(function)
    for name in sorted({name for code in codes for name in code.co_names} & function.__globals__.keys()):
        yield name
        yield from _describe_value(function.__globals__[name], seen)
    for cell in function.__closure__ or ():
        yield from _describe_value(cell.cell_contents, seen)


def _describe_value(value, seen):
    value = getattr(value, "py_func", value)
    if isinstance(value, types.FunctionType):
        if value not in seen:
            yield from _describe(value, seen)
    elif isinstance(value, tuple):
        for item in value:
            yield from _describe_value(item, seen)
    elif isinstance(value, np.ndarray):
        yield repr((value.dtype, value.shape, value.tobytes()))
    elif isinstance(value, int | float | complex | str | np.generic):
        yield repr(value)


# ---------------------------------------------------------------------------------------------------- the folder

def _root():
    """`FASTDYN_CACHE_DIR`, or `fastdyn` in the user's cache folder."""
    chosen = os.environ.get("FASTDYN_CACHE_DIR")
    if chosen:
        return os.path.abspath(chosen)
    if sys.platform == "win32":
        base = os.environ.get("LOCALAPPDATA") or os.path.expanduser("~/AppData/Local")
    elif sys.platform == "darwin":
        base = os.path.expanduser("~/Library/Caches")
    else:
        base = os.environ.get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache")
    return os.path.join(base, "fastdyn")


class Folder:
    """One private directory of entries. `refused` is None, or the sentence why it is neither read nor written."""

    def __init__(self, root, digest):
        self.path = root
        self.refused = None
        self.said = False
        try:
            self.path = os.path.join(root, digest())
            if not os.path.isabs(root):
                raise OSError("no home folder is known")
            made = False
            for _ in range(TRIES):
                if not os.path.isdir(self.path):
                    os.makedirs(root, mode=0o700, exist_ok=True)
                    with contextlib.suppress(FileExistsError):
                        os.mkdir(self.path, 0o700)
                    made = True
                if hold(self, self.path):
                    break
            if made:
                with contextlib.suppress(OSError):
                    sweep(root, self.path)
            with contextlib.suppress(OSError):
                os.utime(self.path)                                 # "used now", for the sweep
        except OSError as error:
            self.refuse(f"{self.path} cannot be made ({error})")

    def refuse(self, reason):
        self.refused = reason
        self.say(reason)

    def say(self, reason):
        """Tell the user, once per process, why the next start will be slow again."""
        if not self.said:
            self.said = True
            advice = "FASTDYN_CACHE_DIR may name another place for them"
            warnings.warn(f"compiled kernels are not kept for the next process: {reason}; {advice}", RuntimeWarning, 2)

    def usable(self):
        """Whether the folder is (still) private and the sources are (still) those that were imported."""
        if self.refused is None:
            try:
                status = os.lstat(self.path)
                if not stat.S_ISDIR(status.st_mode) or not _ours(status):
                    self.refuse(f"{self.path} must be a folder of ours that nobody else can write to")
                elif _sources() != _AT_IMPORT:
                    self.refuse(f"sources in {ROOT} changed since they were imported")
            except OSError as error:
                self.refuse(f"{self.path} cannot be used ({error})")
        return self.refused is None

    def read(self, name, key):
        """The payload written under `name` and `key`; None if there is none or it is not whole, ours and private."""
        if not self.usable():
            return None
        flags = os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_BINARY", 0)
        try:
            with open(os.open(os.path.join(self.path, name), flags), "rb") as file:
                status = os.fstat(file.fileno())
                content = file.read() if stat.S_ISREG(status.st_mode) and _ours(status) else b""
        except OSError:
            return None
        start = len(MAGIC) + hashlib.sha256().digest_size
        payload = content[start:]
        return payload if content[:start] == _seal(key, payload) else None

    def write(self, name, key, payload):
        """Write whole or not at all; a full or read-only disk is no error. Returns whether it was written."""
        if not self.usable():
            return False
        temporary = os.path.join(self.path, f"{uuid.uuid4().hex}.tmp")
        flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0)
        try:
            with open(os.open(temporary, flags, 0o600), "wb") as file:
                file.write(_seal(key, payload) + payload)
            os.replace(temporary, os.path.join(self.path, name))
        except OSError as error:
            self.say(f"{self.path} cannot be written ({error})")
            return False
        finally:
            with contextlib.suppress(OSError):
                os.unlink(temporary)
        return True

    def remove(self, name):
        with contextlib.suppress(OSError):
            os.unlink(os.path.join(self.path, name))

    def state(self):
        """What is in the folder and whether one may write to it; a dict."""
        state = {"folder": self.path, "entries": 0, "bytes": 0, "writable": False}
        if self.usable():
            sizes = [entry.stat().st_size for entry in os.scandir(self.path) if entry.name.endswith(".kernel")]
            state |= {"entries": len(sizes), "bytes": sum(sizes), "writable": self.write("probe", b"", b"")}
            self.remove("probe")
        return state | {"refused": self.refused}


def _seal(key, payload):
    return MAGIC + hashlib.sha256(len(key).to_bytes(8, "big") + key + payload).digest()


@functools.cache
def folder():
    """The folder of this process, opened when the first kernel is readied."""
    return Folder(_root(), _digest)


# ------------------------------------------------------------------------------------------- what a dispatcher asks

class KernelCache:
    """The part of Numba's cache protocol that a dispatcher uses."""

    def __init__(self, function, options):
        self.function, self.options = function, options

    @property
    def cache_path(self):
        return folder().path

    def _entry(self, sig):
        """File name and key of this kernel under one signature."""
        parts = [os.path.basename(folder().path), name_of(self.function), str(sig), repr(sorted(self.options.items()))]
        key = "\0".join([*parts, *_describe(self.function, set())]).encode()
        return f"{self._stem()}-{hashlib.sha256(key).hexdigest()[:16]}.kernel", key

    def _stem(self):
        return re.sub("[^A-Za-z0-9_.]", "-", name_of(self.function).partition(".")[2])[-80:]

    def load_overload(self, sig, target_context):
        """The compiled result, or None for any reason at all."""
        target_context.refresh()
        payload = folder().read(*self._entry(sig))
        if payload is None:
            return None
        try:
            return CompileResult._rebuild(target_context, *pickle.loads(payload))
        except Exception:
            return None

    def save_overload(self, sig, result):
        if result.library.has_dynamic_globals or not all(lifted.can_cache for lifted in result.lifted):
            return folder().say(f"{name_of(self.function)} holds addresses that are good in this process only")
        try:
            payload = dumps(result._reduce())
        except Exception as error:
            return folder().say(f"{name_of(self.function)} cannot be pickled ({error})")
        folder().write(*self._entry(sig), payload)

    def flush(self):
        """Forget this kernel, for `recompile`."""
        with contextlib.suppress(OSError):
            for name in os.listdir(folder().path):
                if re.fullmatch(re.escape(self._stem()) + r"-[0-9a-f]{16}\.kernel", name):
                    folder().remove(name)
