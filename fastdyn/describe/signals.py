"""Numbers that change with time: what drives a joint or scales a load."""

from typing import ClassVar

from msgspec.structs import force_setattr

from ..status import ModelError
from .check import number, numbers, shown
from .words import Words


class _Signal(Words, frozen=True, forbid_unknown_fields=True, tag_field="kind"):
    word: ClassVar = "signal"


class Constant(_Signal, frozen=True, tag="constant"):
    """The same value at all times."""

    value: float

    def __post_init__(self):
        force_setattr(self, "value", number(self.value, "signal.value"))


class Sine(_Signal, frozen=True, tag="sine"):
    """offset + amplitude*sin(omega*t + phase); omega in rad/s, phase in rad."""

    amplitude: float
    omega: float
    phase: float = 0.0
    offset: float = 0.0

    def __post_init__(self):
        for field in ("amplitude", "omega", "phase", "offset"):
            force_setattr(self, field, number(getattr(self, field), f"signal.{field}"))


class Table(_Signal, frozen=True, tag="table"):
    """value[i] at time[i] (s, strictly rising, two rows or more), straight lines between, held before and after.

    Steps of a run end at every time[i], so that no pulse is stepped over, unless all steps have one size.
    """

    time: tuple[float, ...]
    value: tuple[float, ...]

    def __post_init__(self):
        time = numbers(self.time, "signal.time", None, "s")
        value = numbers(self.value, "signal.value", None)
        if len(time) < 2:
            raise ModelError(f"signal.time has {len(time)} row(s); give two or more, or use Constant")
        if len(value) != len(time):
            raise ModelError(f"signal.value has {len(value)} rows but signal.time has {len(time)}; give one per time")
        for i in range(1, len(time)):
            if time[i] <= time[i - 1]:
                raise ModelError(
                    f"signal.time must rise, but row {i} ({shown(time[i])} s) follows {shown(time[i - 1])} s; "
                    "sort the rows and keep one row per time"
                )
        force_setattr(self, "time", time)
        force_setattr(self, "value", value)


class Fourier(_Signal, frozen=True, tag="fourier"):
    """offset + sum over k = 1, 2, ... of cosine[k - 1]*cos(k*omega*t) + sine[k - 1]*sin(k*omega*t); omega in rad/s."""

    omega: float
    cosine: tuple[float, ...] = ()
    sine: tuple[float, ...] = ()
    offset: float = 0.0

    def __post_init__(self):
        for field in ("omega", "offset"):
            force_setattr(self, field, number(getattr(self, field), f"signal.{field}"))
        cosine, sine = (numbers(getattr(self, field), f"signal.{field}", None) for field in ("cosine", "sine"))
        terms = max(len(cosine), len(sine))
        force_setattr(self, "cosine", cosine + (0.0,)*(terms - len(cosine)))
        force_setattr(self, "sine", sine + (0.0,)*(terms - len(sine)))


Signal = Constant | Sine | Table | Fourier
SIGNALS = (Constant, Sine, Table, Fourier)
SIGNAL_WORDS = {signal.__struct_config__.tag: signal for signal in SIGNALS}
