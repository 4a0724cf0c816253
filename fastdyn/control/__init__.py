"""Doors to programs of control and learning: a chain as an environment of Gymnasium, as a functional mock-up unit."""

from importlib import import_module

from ..status import ModelError


def needed(module, called, extra):
    """A package of an extra, or the sentence that says how to get it."""
    try:
        return import_module(module)
    except ImportError:
        raise ModelError(f'{called} is not installed; get it with: pip install "fastdyn[{extra}]"') from None
