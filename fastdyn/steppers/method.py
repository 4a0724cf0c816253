"""What a method of integration is to the driver; a new one is one file here and one line in the table of steppers."""

from collections.abc import Callable
from typing import NamedTuple


class Method(NamedTuple):
    """Kernels on a desk (steppers/desk.py); h in s, x a fraction of a step.

    A step is tried (`attempt`), closed when its error is accepted, prepared if somebody wants to look inside, and
    committed; a tried step that is not committed leaves no trace but counts.
    """

    name: str
    order: int                  # of the solution that is carried on
    error_order: int            # the error estimate of one step goes as h to this power
    stages: int                 # rows of Stepping.stage
    polynomials: int            # rows of Stepping.dense
    damp: float                 # share of the last error in the rule of the step size [Gustafsson 1991]
    shrink: float               # the step changes by no less and no more
    grow: float
    restart: Callable           # (desk, h): forget the past; y and rate are what there is
    attempt: Callable           # (rate, handle, desk, h) -> error of `new`, 1: just allowed; NaN and a status in MET
    close: Callable             # (rate, handle, desk, h) -> status; the rate at the end, if it is not there yet
    prepare: Callable           # (rate, handle, desk, h) -> status; before `interpolate`
    interpolate: Callable       # (rate, handle, desk, x, out); `commit` and `restart` do not spoil it
    commit: Callable            # (desk, h): `rate` is the rate at the end; called before y becomes `new`
    matrices: Callable = lambda n, forces: 0        # numbers of Stepping.matrix for n components
    pivots: Callable = lambda n: 0
    own_steps: bool = False                         # whether steps have rules that know no `shrink` and `grow`
    second_order: bool = False                      # whether it takes only y = (q, v) with dq/dt = v
    takes_forces: bool = False                      # whether forces of springs may be unknowns (steppers/forces.py)
