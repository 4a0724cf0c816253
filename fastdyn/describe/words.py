"""Classes of words: what is misspelt or left out is refused in the sentence that a model file would get."""

import dataclasses
import inspect
from collections.abc import Callable
from functools import wraps
from typing import ClassVar, ParamSpec, TypeVar

from msgspec import Struct
from msgspec.structs import fields

from ..status import ModelError
from .check import known

P, R = ParamSpec("P"), TypeVar("R")


class _Spelt(type(Struct)):
    """Looks at the words of a call that msgspec refused."""

    def __call__(cls, *args, **words):
        try:
            return super().__call__(*args, **words)
        except TypeError:
            refused = misspelt(cls, words, cls.place_of(words), len(args))
            if refused is None:
                raise
        raise ModelError(refused)


class Words(Struct, frozen=True, metaclass=_Spelt):
    """What a user says of one thing. `word` is what sentences call it; "" is the name of the class."""

    word: ClassVar[str] = ""

    @classmethod
    def place_of(cls, words):
        """How the sentence about one of the words begins: "joint.", or 'link "arm": '."""
        return f"{cls.word or cls.__name__.lower()}."


def misspelt(kind, words, place, said=0):
    """None, or what is wrong with the words for a struct of this kind; the first `said` of its fields have no word."""
    for word in words:
        if word not in kind.__struct_fields__:
            return f"{place}{word}: unknown field; {known(word, kind.__struct_fields__)}"
    for field in fields(kind)[said:]:
        if field.required and field.name not in words:
            return f"{place}{field.name} is missing; give it a value"
    return None


def spelt_class(word):
    """Decorator of a dataclass whose words are refused as those of `Words` are; `word` is what sentences call it."""
    def checked(kind):
        make, known_words = kind.__init__, {f.name: f for f in dataclasses.fields(kind)}
        needed = [name for name, f in known_words.items() if f.default is f.default_factory is dataclasses.MISSING]
        place = f"{word}." if word else ""

        @wraps(make)
        def init(self, *args, **given):
            for name in given:
                if name not in known_words:
                    raise ModelError(f"{place}{name}: unknown field; {known(name, known_words)}")
            for name in needed[len(args):]:
                if name not in given:
                    raise ModelError(f"{place}{name} is missing; give it a value")
            make(self, *args, **given)

        kind.__init__ = init
        return kind

    return checked


def spelt(make: Callable[P, R]) -> Callable[P, R]:
    """A function that refuses words it does not have in a sentence, as the command line does."""
    words = tuple(inspect.signature(make).parameters)

    @wraps(make)
    def checked(*args, **given):
        for word in given:
            if word not in words:
                raise ModelError(f"{make.__name__}: {word} cannot be set; {known(word, words)}")
        return make(*args, **given)

    return checked
