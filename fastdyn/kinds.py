"""Kinds of systems beside each other: chains, and one line of KINDS for every other; who asks which kind something is.

The catalog, the command, run files, tables and pictures ask a `Kind` for all that depends on what the system is. A new
kind is a page with a subclass of Kind, named KIND, and its line here; a run says its kind as `run.kind`.
"""

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from functools import cache, partial
from importlib import import_module
from typing import Any, NamedTuple

from .status import ModelError

KINDS = {"chain": "show.chains", "transfer": "transfer.front",          # name, as in run files -> page with its KIND
         "arms": "arms.front"}


class Named(NamedTuple):
    """A system of a catalog: what makes it, and what runs it.

    Numbers and words that the two have defaults for can be set; `run` takes the system first, and `progress`.
    """

    make: Callable
    run: Callable


class Kind(ABC):
    """What is asked of a kind of system. Pages that know people or kernels are imported when they are needed."""

    name = ""                                               # its key in KINDS
    catalog: Mapping[str, Named] = {}
    models: Mapping[str, Callable] = {}                     # word `kind` of a model file -> reader of (tables, source)
    plays = False
    stores = False                                          # whether runs reach the disk as they go: `store` of find

    def make(self, name, settings):
        """A system by a name of the catalog and words `key=value`."""
        from .describe.catalog import arguments

        make = self.catalog[name].make
        return make(**arguments(settings, make, paths=False)[0])

    def find(self, name, settings):
        """(system, function that runs it) from a name and words for both; the function takes system and `progress`."""
        from .describe.catalog import arguments

        named = self.catalog[name]
        mine, theirs = arguments(settings, named.make, named.run, paths=False)
        return named.make(**mine), partial(named.run, **theirs)

    @abstractmethod
    def show(self, system):
        """Print what it is."""

    @abstractmethod
    def summary(self, run):
        """Print what came out."""

    @abstractmethod
    def contents(self, run):
        """Rows (name, text) of what is in a run file."""

    @abstractmethod
    def columns(self, run):
        """(names, array): times, states, energies of a run as a table of numbers."""

    @abstractmethod
    def figures(self):
        """Name -> show.figures.Figure; the first is drawn after every run."""

    def player(self, run, magnify):
        """The text of the page that plays a run; kinds that have it say so by `plays`. magnify None: one that shows."""
        raise ModelError(f"a run of {run.system.name} is drawn by `fastdyn plot`; no page plays it")

    def stage(self, run, magnify):
        """What there is to see of a run in three dimensions, show.stage.Stage, of kinds that play. magnify as above."""
        raise ModelError(f"a run of {run.system.name} is drawn by `fastdyn plot`; nothing plays it")

    def used(self, run):
        """(what for, keys of papers) of everything in use."""
        return ()

    def model_text(self, run):
        """The text of the model file of a run's system; None: there are no such files."""
        return None

    def pack(self, run) -> "Packed":
        """All of a run as words and arrays."""
        raise TypeError(f"runs of a {self.name} have a page of their own that keeps them")

    def unpack(self, shelf):
        """The run again, from results.packed.Shelf."""
        raise TypeError(f"runs of a {self.name} have a page of their own that keeps them")


class Packed(NamedTuple):
    """A run as a file keeps it.

    words : numbers, texts, lists of texts, None; by name. fastdyn, format, status and message are added.
    arrays : path -> (array, unit, meaning); texts: path -> (text, meaning).
    groups : name -> (meaning, words), such as stats and provenance.
    """

    words: dict[str, Any]
    arrays: dict[str, tuple]
    texts: dict[str, tuple]
    groups: dict[str, tuple]


@cache
def kind(name) -> Kind:
    """A kind by its name."""
    return import_module("." + KINDS[name], __package__).KIND


def kind_of(run) -> Kind:
    """The kind of a run."""
    return kind(run.kind)


def kind_named(system) -> Kind:
    """The kind whose catalog has a name or whose word a model file begins with; chains for all others."""
    word = first_word(system) if system.endswith(".toml") else None
    return next((other for other in others() if system in other.catalog or word in other.models), kind("chain"))


def first_word(path):
    """What a model file says of its `kind` in its first line; None: nothing."""
    try:
        with open(path, encoding="utf-8") as file:
            key, _, value = file.readline(200).partition("=")
    except (OSError, ValueError):
        return None
    return value.strip().strip("\"'") if key.strip() == "kind" else None


def wanted(name, settings=(), runs=False):
    """(kind, name, words `key=value`) of what a command is given: a name, a model file, a file that names a system."""
    from .describe.named import resolved

    name, settings = resolved(name, settings, runs)
    return kind_named(name), name, settings


def known():
    """All names of the catalog."""
    from .describe.catalog import CATALOG

    return [*CATALOG, *(name for kind in others() for name in kind.catalog)]


def others():
    """The kinds beside chains."""
    return [kind(name) for name in KINDS if name != "chain"]
