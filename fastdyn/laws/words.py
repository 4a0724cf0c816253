"""The words by which users name laws and their numbers; a kernel sees a code and a tuple of NUMBERS floats."""

import math
from typing import NamedTuple

from ..status import ModelError

NUMBERS = 5                                             # floats of a law; those it has no use for are 0


class Parameter(NamedTuple):
    """A number of a law: its unit, what it is if nothing is said (None: must be said), what it means, its bounds."""

    name: str
    unit: str
    default: float | None
    meaning: str
    positive: bool = False                              # above 0, otherwise 0 is allowed too
    most: float = math.inf
    least: float = 0.0
    why: str = ""                                       # what goes wrong below it


class Law(NamedTuple):
    """A law: its code in kernels, its numbers in the order kernels take them, where it comes from."""

    code: int
    parameters: tuple[Parameter, ...]
    cite: str
    rising: tuple[str, ...] = ()                        # numbers each of which must be above the one before


def coded(laws, word, where="law", /, **given):
    """(code, NUMBERS floats) of a law and its numbers given by name.

    Raises
    ------
    ModelError
        If a word is not known, a number is missing or out of its bounds; `where` says whose law it is.
    """
    if not isinstance(word, str) or word not in laws:
        raise ModelError(f'{where}: "{word}" is not known; choose from {", ".join(laws)}')
    law = laws[word]
    known = [p.name for p in law.parameters]
    strange = [name for name in given if name not in known]
    if strange:
        raise ModelError(f'{where}: "{word}" has no {", ".join(strange)}; it takes {", ".join(known) or "no numbers"}')
    numbers = {p.name: _checked(p, given.get(p.name, p.default), f'{where}: {p.name} of "{word}"')
               for p in law.parameters}
    for low, high in zip(law.rising, law.rising[1:]):
        if not numbers[low] < numbers[high]:
            raise ModelError(f'{where}: "{word}" needs {low} below {high}, got {numbers[low]:g} and {numbers[high]:g}')
    return law.code, (*numbers.values(), *(0.0,)*(NUMBERS - len(numbers)))


def _checked(parameter, number, place):
    unit = f" {parameter.unit}" if parameter.unit else ""
    if number is None:
        raise ModelError(f"{place} is missing: {parameter.meaning}")
    try:
        number = float(number)
    except (TypeError, ValueError):
        raise ModelError(f"{place} must be a number, got {number!r}") from None
    enough = number > 0.0 if parameter.positive else number >= 0.0
    if 0.0 < number < parameter.least:
        raise ModelError(f"{place} must be at least {parameter.least:.2g}{unit}, got {number:g}: {parameter.why}")
    if not (enough and number <= parameter.most and math.isfinite(number)):
        least = "above 0" if parameter.positive else "at least 0"
        most = f" and at most {parameter.most:g}" if parameter.most < math.inf else ""
        raise ModelError(f"{place} must be {least}{most}{unit}, got {number:g}")
    return number
