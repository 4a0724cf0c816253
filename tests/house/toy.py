"""A throw-away package with the real `_jit` and `_cache`, two kernel modules, and a way to run code against it."""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

from fastdyn import _cache

LOW = '''
from typing import NamedTuple

import numpy as np

from ._jit import c_array, float64, int64, kernel, leaf, typeof, types

GAIN = 2.0


class Model(NamedTuple):
    mass: np.ndarray
    length: np.ndarray


MODEL = typeof(Model(np.zeros(1), np.zeros(1)))
LAW = float64(float64)


@leaf
def gain(x): return GAIN*x


@kernel(LAW)
def law(t): return gain(t)


@kernel(float64(c_array(float64, 1), int64))
def item(v, i): return v[i]
'''

HIGH = '''
from . import low
from ._jit import c_array, float64, int64, kernel, types
from .low import LAW, MODEL, law


@kernel(LAW)
def twice(t): return 2.0*law(t)


@kernel(lambda: float64(MODEL, c_array(float64, 1)))
def energy(model, v):
    total = 0.0
    for i in range(v.shape[0]):
        total += 0.5*model.mass[i]*(model.length[i]*v[i])**2
    return total


@kernel(lambda: float64(types.FunctionType(LAW), int64))
def march(force, n):
    total = 0.0
    for i in range(n):
        total += force(1.0*i)
    return total


@kernel(float64(int64))
def within(n): return march(law, n)
'''

PRELUDE = '''
import json, os, warnings
import numpy as np
from numba.core import event

class Compiled(event.Listener):
    names = []
    def on_start(self, event): self.names.append(event.data["dispatcher"].py_func.__name__)
    def on_end(self, event): pass

event.register("numba:compile", Compiled())
caught = warnings.catch_warnings(record=True)
said = caught.__enter__()
warnings.simplefilter("always")

from toy import _cache, _jit, high, low
from toy._jit import KERNELS, kernel, leaf, ready

def values():
    model = low.Model(mass=np.array([1.0, 2.0]), length=np.array([3.0, 5.0]))
    return [ready(high.twice)(3.0), ready(high.energy)(model, np.ones(2)), ready(high.march)(low.law, 4),
            ready(high.within)(4)]

answer = {}
'''

POSTLUDE = '''
warned = [str(w.message) for w in said if issubclass(w.category, RuntimeWarning)]
print(json.dumps(answer | {"compiled": Compiled.names, "warned": warned}))
'''

RIGHT = [12.0, 0.5*(9.0 + 50.0), 12.0, 12.0]            # of `values()`
KERNELS_USED = {"twice", "law", "energy", "march", "within"}


class Toy:
    """The package `toy` in a folder, and its cache in another."""

    def __init__(self, folder: Path):
        self.folder, self.cache = folder, folder/"cache"

    def write(self):
        package = self.folder/"toy"
        package.mkdir(parents=True)
        for name in ("_jit.py", "_inner.py", "_cache.py", "_sweep.py"):
            shutil.copy(Path(_cache.ROOT)/name, package/name)
        (package/"__init__.py").touch()
        (package/"low.py").write_text(LOW)
        (package/"high.py").write_text(HIGH)
        return self

    def copy(self, folder):
        shutil.copytree(self.folder, folder)
        return Toy(folder)

    def edit(self, module, old, new):
        path = self.folder/"toy"/module
        text = path.read_text()
        assert old in text
        path.write_text(text.replace(old, new))

    def start(self, code, **env):
        """Start a process that runs `code`, which leaves what it has to say in the dictionary `answer`."""
        kept = {key: value for key, value in os.environ.items() if not key.startswith(("NUMBA_", "PYTHONWARN"))}
        settings = {"FASTDYN_CACHE_DIR": str(self.cache), "PYTHONDONTWRITEBYTECODE": "1", **env}
        return subprocess.Popen([sys.executable, "-c", PRELUDE + code + POSTLUDE], cwd=self.folder, env=kept | settings,
                                stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)

    def run(self, code="answer['values'] = values()", **env):
        return answer_of(self.start(code, **env))

    def entries(self):
        return sorted(self.cache.glob("*/*.kernel"))

    def leftovers(self):
        return [path for path in self.cache.glob("*/*") if path.suffix != ".kernel"]


def answer_of(process):
    out, err = process.communicate(timeout=120)
    assert process.returncode == 0, err
    return json.loads(out.splitlines()[-1])
