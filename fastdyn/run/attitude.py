"""Attitudes in words people use: Euler angles, rotation vectors, Rodrigues parameters, from and to quaternions.

For q and v of ball joints and floating bases, before and after a run: the dynamics has quaternions alone, so nothing is
singular inside. Quaternions (w, x, y, z) turn components along the link's axes into the parent's; angular velocities
are along the link's axes.
"""

import warnings
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from .._jit import ready
from ..algebra import chart_slopes, charts
from ..describe.attitude import chart_code, check_size
from ..status import ModelError
from .asking import numbers, rows_of, sound

NEAR, SINGULAR = 1e-6, 1e-14                            # of singular values of D, below which digits are few, or none


def to_quaternion(values: ArrayLike, chart: str = "zyx") -> np.ndarray:
    """Unit quaternions (w, x, y, z) of attitudes in a chart.

    Parameters
    ----------
    values : (3,) or (n, 3); angles in rad.
    chart : "zyx" and the eleven other sequences: turns about the link's own axes, the first first; "rotation-vector":
        axis times angle; "mrp": axis times tan(angle/4), the modified Rodrigues parameters, which are no angles
        ("rodrigues" is the same).

    Returns
    -------
    (4,) or (n, 4).

    Examples
    --------
    >>> import fastdyn as fd
    >>> fd.to_quaternion([0.0, 0.0, 0.0], "zyx").tolist()
    [1.0, 0.0, 0.0, 0.0]
    """
    code, x, shape = _asked(values, chart)
    return _answer(charts.quaternions, code, x, columns=4).reshape(*shape, 4)


def from_quaternion(quaternion: ArrayLike, chart: str = "zyx") -> np.ndarray:
    """Attitudes in a chart, (3,) or (n, 3), of quaternions (w, x, y, z) of any length, (4,) or (n, 4).

    The shorter way round. The middle of three Euler angles is in [-pi/2, pi/2], in [0, pi] if the first and third axis
    are the same. The attitude is right to rounding everywhere; near a singular place of the chart, where single angles
    mean little, a RuntimeWarning says so.
    """
    q = _rows(quaternion, "quaternion", 4)
    size = np.abs(q).max(axis=1, initial=0.0)
    if not np.all((size > 1e-100) & (size < 1e100)):
        raise ModelError("quaternion has no sensible length; give a unit one (w, x, y, z)")
    x = _answer(charts.values, chart_code(chart), q)
    _watch(chart, x)
    return x.reshape(*rows_of(quaternion), 3)


def to_angular_velocity(values: ArrayLike, rates: ArrayLike, chart: str = "zyx") -> np.ndarray:
    """Angular velocity along the link's axes, rad/s, of rates of chart values at an attitude; (3,) or (n, 3) each.

    Right to rounding everywhere and without a warning, also where the chart is singular: rates give an angular velocity
    there too, only not every angular velocity has rates.
    """
    code, x, shape = _asked(values, chart)
    return _answer(charts.turning, code, x, _like(rates, shape, "rates")).reshape(*shape, 3)


def from_angular_velocity(values: ArrayLike, omega: ArrayLike, chart: str = "zyx") -> np.ndarray:
    """Rates of chart values at an attitude of a link that turns with omega, rad/s, along its axes.

    Near a singular place of the chart they lose digits, and a RuntimeWarning says so; at it there are none.
    """
    code, x, shape = _asked(values, chart)
    w = _like(omega, shape, "omega")
    if _watch(chart, x) < SINGULAR:
        raise ModelError(f'chart "{chart}" is singular there and has no rates; take another sequence, or quaternions')
    return _answer(charts.rates, code, x, w).reshape(*shape, 3)


def chart_matrix(values: ArrayLike, chart: str = "zyx") -> np.ndarray:
    """The matrix D of a chart: angular velocity along the link's axes = D (rates); (3, 3), or (n, 3, 3) of many.

    Singular where the chart is, and right to rounding there too.

    Examples
    --------
    >>> import fastdyn as fd
    >>> fd.chart_matrix([0.0, 0.0, 0.0], "mrp").tolist()        # four times the unit matrix
    [[4.0, 0.0, 0.0], [0.0, 4.0, 0.0], [0.0, 0.0, 4.0]]
    """
    code, x, shape = _asked(values, chart)
    return _answer(chart_slopes.matrices, code, x, columns=9).reshape(*shape, 3, 3)


def chart_matrix_rate(values: ArrayLike, rates: ArrayLike, chart: str = "zyx") -> np.ndarray:
    """dD/dt of a chart at an attitude whose values change with rates; (3, 3) or (n, 3, 3); exact, no differences."""
    code, x, shape = _asked(values, chart)
    return _answer(chart_slopes.matrix_rates, code, x, _like(rates, shape, "rates"), columns=9).reshape(*shape, 3, 3)


class ChartGradients(NamedTuple):
    """Derivatives by the values of a chart, (3, 3) or (n, 3, 3) each; a row for each value by which is differentiated.

    omega : of the angular velocity D (rates), the rates held; turned : of C x, the components along the link's axes of
    a vector x of the parent; returned : of C'x, the components along the parent's axes of a vector x of the link.
    """

    omega: np.ndarray
    turned: np.ndarray
    returned: np.ndarray


def chart_gradients(values: ArrayLike, rates: ArrayLike, x: ArrayLike, chart: str = "zyx") -> ChartGradients:
    """What the kinematic identities (41) of the Boltzmann-Hamel page are made of, besides D and its rate; exact.

    Parameters
    ----------
    values, rates : of the chart, (3,) or (n, 3).
    x : the vector that is turned, (3,) or (n, 3).
    """
    code, given, shape = _asked(values, chart)
    found = _answer(chart_slopes.gradients, code, given, _like(rates, shape, "rates"), _like(x, shape, "x"), columns=27)
    return ChartGradients(*(part.reshape(*shape, 3, 3) for part in np.split(found, 3, axis=1)))


def _asked(values, chart):
    """(number of the chart, rows of values, shape of what is in front of the three)"""
    code, x = chart_code(chart), _rows(values, "values", 3)
    check_size(code, float(np.abs(x).max(initial=0.0)), "values")
    return code, x, rows_of(values)


def _rows(x, what, columns):
    return numbers(x, (*rows_of(x), columns), what).reshape(-1, columns)


def _like(x, shape, what):
    return numbers(x, (*shape, 3), what).reshape(-1, 3)


def _answer(question, code, *given, columns=3):
    out = np.empty((len(given[0]), columns))
    ready(question)(code, *given, out)
    return sound(out)


def _watch(chart, x):
    """The least ratio of singular values of D, smallest to largest, of the rows; warns when it is small."""
    ratio = _answer(charts.conditions, chart_code(chart), x, columns=1)[:, 0]
    least = float(ratio.min(initial=1.0))
    if least < NEAR:
        row = f" in row {int(ratio.argmin())}" if len(ratio) > 1 else ""
        warnings.warn(f'chart "{chart}" is nearly singular{row}, singular values of D as 1 to {least:.3g}: single '
                      "values and their rates lose digits there; take another sequence, or quaternions",
                      RuntimeWarning, stacklevel=3)
    return least
