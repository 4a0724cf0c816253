"""Newmark's method of average acceleration: generalized-alpha without its shifts; see steppers/alpha.py."""

from . import alpha


def method():
    return alpha.method(newmark=True)
