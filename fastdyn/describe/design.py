"""The points of a sweep: every combination of lists of values, or a list of points as they come; keys are words."""

import math
from collections.abc import Iterable, Mapping
from itertools import pairwise, zip_longest

import numpy as np

from ..status import ModelError
from .check import shown
from .setting import value_of


class Design:
    """Points in their order; those of a grid are never all in memory.

    Parameters
    ----------
    grid : key -> values; the points are all combinations, the last key changes first.
    points : dictionaries key -> value instead, all with the same keys.
    """

    def __init__(self, grid=None, points=None):
        if (grid is None) == (points is None):
            raise ModelError("give either grid={key: values, ...} or points=[{key: value, ...}, ...]")
        self.axes = self.rows = None
        if grid is not None:
            if not isinstance(grid, Mapping):
                raise ModelError(f"grid is {shown(grid)}; give a dictionary, key -> list of values")
            self.axes = {_key(key): _axis(key, values) for key, values in grid.items()}
            self.keys, self.shape = tuple(self.axes), tuple(map(len, self.axes.values()))
        else:
            self.rows = _rows(points)
            self.keys, self.shape = tuple(self.rows[0]), (len(self.rows),)

    def __len__(self):
        return math.prod(self.shape)

    def __getitem__(self, number):
        """The point of that number, key -> value."""
        if self.rows is not None:
            return self.rows[number]
        places = np.unravel_index(number, self.shape) if self.shape else ()
        return {key: values[place] for (key, values), place in zip(self.axes.items(), places)}

    def column(self, key):
        """The values of a key at all points."""
        if self.rows is not None:
            return [row[key] for row in self.rows]
        k = self.keys.index(key)
        places = np.arange(len(self))//math.prod(self.shape[k + 1:]) % self.shape[k]
        return [self.axes[key][place] for place in places.tolist()]

    @property
    def worded(self):
        """Keys that have a word, not a number, somewhere."""
        rows = self.rows or [dict(zip(self.axes, values)) for values in zip_longest(*self.axes.values())]
        return tuple(key for key in self.keys if any(isinstance(row[key], str) for row in rows))

    def told(self):
        """What `again` makes it of."""
        return {"grid": self.axes} if self.rows is None else {"points": self.rows}


def again(told) -> Design:
    """The design that told so of itself."""
    return Design(told.get("grid"), told.get("points"))


def plain(value, key):
    """A value as Python, JSON and TOML have it: numbers, words, yes or no, lists of them."""
    if isinstance(value, (np.generic, np.ndarray)):
        value = value.tolist()
    if isinstance(value, (list, tuple)):
        return [plain(item, key) for item in value]
    if isinstance(value, (bool, int, float, str)):
        return value
    if isinstance(value, dict):
        raise ModelError(f'"{key}" is to be {shown(value)}; give a table as the text that a model file has for it, '
                         'such as \'{chart = "xyz", values = [0.1, 0.2, 0.3]}\'')
    raise ModelError(f'"{key}" is to be {shown(value)}; a point holds numbers, words, yes or no, and lists of them: '
                     "what needs more is made of those by a function, given as the system")


def read_axis(text):
    """(key, values) of a word `key=a:b:n`, n equal steps from a to b, or `key=v1,v2,...`.

    Whole numbers stay whole where all steps are.
    """
    key, equals, values = text.partition("=")
    if not (key and equals and values):
        raise ModelError(f'"{text}" is no line of a grid; write key=FROM:TO:HOW_MANY, such as t_end=1:2:5, or '
                         "key=VALUE,VALUE,...")
    ends = values.split(":")
    if len(ends) != 3 or values.startswith(("[", '"', "'")):
        return key, [value_of(word) for word in _between_commas(values)]
    try:
        first, last, n = float(ends[0]), float(ends[1]), int(ends[2])
    except ValueError:
        raise ModelError(f'"{text}": {values} is not FROM:TO:HOW_MANY in numbers, such as 0.5:2:7') from None
    if n < 1 or not math.isfinite(first) or not math.isfinite(last):
        raise ModelError(f'"{text}": give finite ends, and one value or more')
    found = np.linspace(first, last, n)
    whole = all(isinstance(value_of(end), int) for end in ends) and np.array_equal(found, np.round(found))
    return key, (found.astype(np.int64) if whole else found).tolist()


def value_of_word(text):
    """(key, value) of a word `key=value`."""
    key, equals, value = text.partition("=")
    if not (key and equals):
        raise ModelError(f'"{text}" is not a setting; write key=value, such as t_end=2')
    return key, value_of(value)


def _between_commas(text):
    """Parts between the commas that stand in no brackets."""
    depths = np.cumsum([(c == "[") - (c == "]") for c in text])
    cuts = [-1, *(i for i, c in enumerate(text) if c == "," and depths[i] == 0), len(text)]
    return [text[a + 1:b].strip() for a, b in pairwise(cuts)]


def _key(key):
    if not isinstance(key, str) or not key:
        raise ModelError(f"{shown(key)} is a key of the design; give the words that --set takes, in quotes")
    return key


def _axis(key, values):
    if isinstance(values, (str, Mapping)) or not isinstance(values, Iterable) or getattr(values, "ndim", 1) == 0:
        raise ModelError(f'grid["{key}"] is {shown(values)}; give a list of values')
    found = [plain(value, key) for value in values]
    if not found:
        raise ModelError(f'grid["{key}"] is empty; give one value or more')
    return found


def _rows(points):
    if isinstance(points, (str, Mapping)) or not isinstance(points, Iterable):
        raise ModelError(f"points is {shown(points)}; give a list of dictionaries, key -> value")
    found = []
    for k, point in enumerate(points):
        if not isinstance(point, Mapping):
            raise ModelError(f"points[{k}] is {shown(point)}; give a dictionary, key -> value")
        found.append({_key(key): plain(value, key) for key, value in point.items()})
        if found[k].keys() != found[0].keys():
            raise ModelError(f"points[{k}] has the keys {', '.join(found[k])} and points[0] {', '.join(found[0])}; "
                             "give all points the same keys")
    if not found:
        raise ModelError("points is empty; give one point or more")
    return [{key: point[key] for key in found[0]} for point in found]
