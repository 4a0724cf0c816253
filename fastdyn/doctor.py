"""What this installation runs on, whether its cache works, and whether it computes; `fastdyn doctor` and `warmup`."""

import os
import platform
import sys
import time
import warnings
from importlib import import_module, metadata
from pkgutil import iter_modules

import numpy as np

from . import _cache
from ._jit import KERNELS, ready

PACKAGES = ("fastdyn", "numba", "llvmlite", "numpy", "scipy", "h5py")
KERNEL_ROOMS = ("formulations", "steppers")
VECTOR_BITS = (("avx512f", 512), ("avx2", 256), ("avx", 256), ("sve", 128), ("neon", 128), ("sse2", 128))
TOLERANCE = 1e-10                                       # of what is computed in two ways, relative
STATES = 19                                             # side by side: more than one set of lanes


def report():
    """Versions, processor, cache folder and a self-check, as nested dictionaries of plain values.

    The self-check compiles (or loads) what it needs: kernels of all joints, about a minute at the first call after an
    installation, seconds from then on.
    """
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RuntimeWarning)             # what the cache warns of is in the report
        check = self_check()
        cache = _cache.folder().state()
    return {"versions": versions(), "processor": processor(), "cache": cache, "self_check": check}


def versions():
    found = {"python": platform.python_version()}
    for package in PACKAGES:
        try:
            found[package] = metadata.version(package)
        except metadata.PackageNotFoundError:
            found[package] = "not installed"
    return found


def processor():
    """What kernels are compiled for: name and vector features as the compiler sees them, and the cores we may use."""
    triple, name, features = _cache.target()
    enabled = {feature[1:] for feature in features.split(",") if feature.startswith("+")}
    usable = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()
    return {
        "name": name,
        "triple": triple,
        "vector_bits": next((bits for feature, bits in VECTOR_BITS if feature in enabled), 64),
        "avx2": "avx2" in enabled,
        "avx512": "avx512f" in enabled,
        "cores": os.cpu_count(),
        "cores_usable": usable,
    }


def self_check():
    """A double pendulum in the plane, and all joints in one chain in space, alone and side by side. Never raises.

    In the plane torques must come back from the accelerations they give; in space accelerations must be those of the
    Gibbs-Appell formulation, and those of chains side by side the same to the last bit.
    """
    started = time.perf_counter()
    try:
        defect, error = float(np.max([defect_in_plane(), defect_in_space()])), None
    except Exception as exception:
        defect, error = float("nan"), f"{type(exception).__name__}: {exception}"
    return {
        "ok": defect <= TOLERANCE, "defect": defect, "error": error, "seconds": time.perf_counter() - started,
    }


def defect_in_plane():
    """Of forward, then inverse dynamics: relative."""
    from . import Chain, Link, forward_dynamics, inverse_dynamics

    chain, tau = Chain([Link(length=1.0, mass=1.0)]*2), np.array([0.3, -0.2])
    q, v = np.array([0.4, -0.7]), np.array([0.1, 0.5])
    return _off(inverse_dynamics(chain, q, v, forward_dynamics(chain, q, v, tau)), tau)


def defect_in_space():
    """Of one chain after the other against Gibbs and Appell, relative; infinite if lanes have other bits."""
    from . import forward_dynamics

    chain, rng = all_joints(), np.random.default_rng(1)
    q, v, tau = rng.uniform(-1.0, 1.0, (STATES, chain.nq)), *rng.uniform(-1.0, 1.0, (2, STATES, chain.nv))
    many = forward_dynamics(chain, q, v, tau)
    alone = [forward_dynamics(chain, *state) for state in zip(q, v, tau)]
    if not np.array_equal(many, alone):
        return float("inf")
    return np.max([_off(acc, forward_dynamics(chain, *state, formulation="gibbs-appell"))
                   for acc, *state in zip(alone, q, v, tau)])


def all_joints():
    """A floating tree in space with every kind of joint, and every kind of turn from axis to axis."""
    from . import Body, Chain, Fixed, Free, Link, Prismatic, Revolute, Spherical, Universal

    body, aside = Body.box((0.3, 0.2, 0.4), 1.0, com=(0.2, 0.05, -0.1)), (0.8, 0.2, -0.4, 0.4)
    joints = [Free(), Revolute(), Revolute(), Revolute(axis=(0.0, 1.0, 0.0)), Revolute(axis=(0.0, 0.6, 0.8)),
              Prismatic(axis=(0.6, 0.0, 0.8)), Revolute(), Spherical(), Fixed(), Universal(), Spherical()]
    links = [Link(name=f"link{i + 1}", joint=joint, length=0.4, body=body) for i, joint in enumerate(joints)]
    side = [Link(name="arm", parent="link1", joint=Revolute(), turn=aside, length=0.4, body=body),
            Link(name="hand", joint=Spherical(), turn=aside, body=body)]
    return Chain(links + side, space="space")


def _off(got, expected):
    return float(np.max(np.abs(got - expected))/np.max(np.abs(expected)))


def main():
    """Print the report; 0 if the self-check passed, else 1."""
    from rich.table import Table

    from .show.paper import paper

    print("The self-check computes; where kernels have to be compiled first that takes half a minute ...", flush=True)
    facts = report()
    table = Table(show_header=False, box=None, pad_edge=False)
    for group, values in facts.items():
        for i, (name, value) in enumerate(values.items()):
            table.add_row(group.replace("_", " ") if i == 0 else "", name.replace("_", " "), _shown(value))
    paper().print(table)
    return 0 if facts["self_check"]["ok"] else 1


def _shown(value):
    if isinstance(value, bool):
        return "yes" if value else "no"
    return f"{value:.2g}" if isinstance(value, float) else "-" if value is None else str(value)


def import_kernel_rooms():
    """Import every module that may hold kernels, so that `KERNELS` lists them all."""
    for room in KERNEL_ROOMS:
        for module in iter_modules([os.path.join(_cache.ROOT, room)]):
            import_module(f"{__package__}.{room}.{module.name}")


def warmup(chains=()):
    """Compile, or load, every kernel that all chains share and those that `chains` need; print each with its seconds.

    Returns 1 if one failed, else 0.
    """
    failed = 0
    started = time.perf_counter()
    import_kernel_rooms()
    from .formulations import rates, recursive
    from .steppers import STEPPERS, stepper

    for chain in chains:
        recursive.kernels_of(chain.model)
        rates.kernel_of(chain.model)
    for name in STEPPERS:
        stepper(name)
    for name, kernel in sorted(KERNELS.items()):
        began = time.perf_counter()
        try:
            ready(kernel)
        except Exception as error:
            failed += 1
            print(f"{name}: {error}", file=sys.stderr)
        else:
            print(f"{time.perf_counter() - began:8.2f} s  {name}")
    print(f"{time.perf_counter() - started:8.2f} s  {len(KERNELS)} kernels, {failed} failed")
    return 1 if failed else 0
