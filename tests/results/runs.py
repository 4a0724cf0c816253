"""Runs to be written and read: one made of arbitrary bits in every array, and what makes two runs equal."""

import numpy as np

import fastdyn as fd
from fastdyn.results.run import Run
from fastdyn.results.tables import SERIES, TABLES, dtype_of
from fastdyn.status import STOPPED

CHAIN = fd.Chain([
    fd.Link(name="base, loose", length=1.0, mass=1.0, radius=0.1, joint=fd.Free()),
    fd.Link(name='say "hand" \u03b1', length=0.3, mass=0.1, radius=0.1, joint=fd.Spherical(stiffness=0.1)),
    fd.Link(name="c", length=1/3, mass=1e-3),
], name="every bit", gravity=(0.1, -1e-17, 3.0))
WORDS = ("status", "message", "where", "seconds", "stepper", "formulation", "event_names", "point_names", "stats",
         "provenance", "notes")


def any_bits(rng, shape, dtype):
    """Arrays of any numbers, among them nan with a payload, infinities, negative zero and denormals."""
    dtype = np.dtype(dtype)
    bits = rng.integers(0, 256, int(np.prod(shape))*dtype.itemsize, np.uint8)
    return np.frombuffer(bits.tobytes(), dtype).reshape(shape)


def any_run(samples=7, points=2, seed=0, chain=CHAIN, **words):
    rng = np.random.default_rng(seed)
    sizes = {"samples": samples, "points": points, "nq": chain.nq, "nv": chain.nv}
    arrays = {name: any_bits(rng, [sizes.get(n, n) for n in a.shape], a.dtype) for name, a in SERIES.items()}
    tables = {name: any_bits(rng, (samples if name == "ledger" else rng.integers(1, 9),), dtype_of(columns))
              for name, columns in TABLES.items()}
    words = {
        "status": STOPPED, "where": 'link "c"', "stats": {"steps": 3, "evaluations": 2**60}, "seconds": 1/3,
        "stepper": "dop853", "formulation": "denoc", "event_names": ("low", 'h\u00f6her "?"'),
        "point_names": tuple(f"point {i}" for i in range(points)),
        "settings": {"rtol": 1e-9, "atol": np.array([1e-3, 1e-12]), "h_max": np.inf, "max_steps": 5, "preset": None,
                     "policy": "none", "every": False},
    } | words
    return Run(chain, **arrays | tables | words)


def assert_same(a, b):
    """Equal in every bit."""
    for name in (*SERIES, *TABLES):
        x, y = getattr(a, name), getattr(b, name)
        assert (x.dtype, x.shape) == (y.dtype, y.shape) and x.tobytes() == y.tobytes(), name
    for name in WORDS:
        assert getattr(a, name) == getattr(b, name), name
    assert a.chain.replace(drive=None) == b.chain
    assert a.settings.keys() == b.settings.keys()
    for name, value in a.settings.items():
        assert type(value) is type(b.settings[name]) and np.array_equal(value, b.settings[name]), name
    assert (a.checkpoint is None) == (b.checkpoint is None)
    if a.checkpoint is not None:
        for x, y in zip(a.checkpoint, b.checkpoint):
            if isinstance(x, dict):
                assert x.keys() == y.keys() and all(x[n].tobytes() == y[n].tobytes() for n in x)
            else:
                assert x == y and type(x) is type(y)
