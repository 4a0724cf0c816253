"""Kernels that were compiled in different processes do not take each other's functions for their own."""

import os
import subprocess
import sys

import pytest
from numba.core import config

pytestmark = pytest.mark.skipif(bool(config.DISABLE_JIT), reason="nothing is compiled without the compiler")

COMPILE = """
import sys
from fastdyn._jit import ready
from fastdyn.steppers import stepper
method = stepper(sys.argv[1])
for kernel in (method.attempt, method.prepare):
    ready(kernel)
"""
RUN = """
import sys
from steppers.problems import pendulum
problem = pendulum()
for method in sys.argv[1:]:
    course = problem.course(method)
    print(method, course.to(problem.t_end, wanted=[0.3]), *course.y.tolist(), *course.samples[1].ravel().tolist())
"""


def test_methods_compiled_apart_work_side_by_side(tmp_path):
    def python(code, *arguments, **more):
        environment = os.environ | {"PYTHONPATH": os.pathsep.join(sys.path)} | more
        found = subprocess.run([sys.executable, "-c", code, *arguments], env=environment, capture_output=True,
                               text=True, check=True)
        return sorted(found.stdout.splitlines())

    kernels = {"FASTDYN_CACHE_DIR": str(tmp_path/"kernels")}
    for method in ("rkf45", "dopri5"):
        python(COMPILE, method, **kernels)
    assert python(RUN, "rkf45", "dopri5", **kernels) == python(RUN, "dopri5") + python(RUN, "rkf45")
