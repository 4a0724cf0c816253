"""Attitudes in words: the charts and their names, and the attitude a joint starts from."""

import numpy as np
from msgspec.structs import force_setattr

from ..status import ModelError
from .check import numbers, shown
from .words import Words

EULER = ("xyz", "yzx", "zxy", "xzy", "yxz", "zyx", "xyx", "yzy", "zxz", "xzx", "yxy", "zyz")
VECTOR, MRP = "rotation-vector", "mrp"
CHARTS = {word: int("".join(str("xyz".index(axis) + 1) for axis in word)) for word in EULER} | {VECTOR: 1, MRP: 2}
ALSO = {"rodrigues": MRP}                               # other words for the same
LONGEST, LARGEST = 1e5, 1e30                            # rad; of Rodrigues parameters, whose squares are squared


class Attitude(Words, frozen=True, forbid_unknown_fields=True):
    """An attitude as three numbers of a chart.

    Parameters
    ----------
    chart : "zyx" and the eleven other sequences of Euler angles, "rotation-vector" or "mrp", as in `to_quaternion`.
    values : the three; angles in rad.
    """

    chart: str
    values: tuple[float, float, float]

    def __post_init__(self):
        code = chart_code(self.chart, "start.chart")
        force_setattr(self, "values", numbers(self.values, "start.values", 3))
        check_size(code, max(map(abs, self.values)), "start.values")

    @property
    def quaternion(self) -> tuple[float, float, float, float]:
        """The unit quaternion (w, x, y, z)."""
        from .._jit import ready
        from ..algebra.charts import quaternions

        q = np.empty((1, 4))
        ready(quaternions)(chart_code(self.chart, "start.chart"), np.array([self.values]), q)
        return tuple(q[0].tolist())


def chart_code(chart, what="chart"):
    """The number of a chart as kernels know it, by its name."""
    if not isinstance(chart, str) or ALSO.get(chart, chart) not in CHARTS:
        raise ModelError(f"{what} is {shown(chart)}; known are " + ", ".join(f'"{name}"' for name in CHARTS))
    return CHARTS[ALSO.get(chart, chart)]


def check_size(code, size, what):
    """Values that are too large for their digits to mean an attitude are refused."""
    if code == CHARTS[MRP]:
        if size > LARGEST:
            raise ModelError(f"{what} holds {shown(size)}; give Rodrigues parameters of at most {LARGEST:g}, or those "
                             "of the shorter way round, -values/|values|^2, the same attitude")
    elif size > LONGEST:
        raise ModelError(f"{what} holds {shown(size)}; give angles of at most {LONGEST:g} rad")
