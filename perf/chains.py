"""The systems that are timed: four families of serial chains, random states, and models of up to millions of links.

The data of the links are random and repeat every PERIOD links: so the model of a long chain is put together from the
first, the middle and the last period of a described one, bit for bit what describing every link would give.
"""

from functools import cache

import numpy as np

from fastdyn.describe import Body, Chain, Link, Revolute, Spherical
from fastdyn.layout import LINK, PARENT, Q_AT, V_AT, Model, aligned, allocate

PERIOD = 100
FAMILIES = {
    "aligned": "revolute about x, y, z in turn, diagonal inertia",
    "revolute": "revolute about any axis, full inertia",
    "spherical": "ball joints, full inertia",
    "planar": "revolute in the plane",
}
AXES = ((1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0))
UNTURNED = (1.0, 0.0, 0.0, 0.0)


def chain(family, n):
    """The first n links of a family."""
    links = _period(family)
    return Chain([links[i % PERIOD] for i in range(n)], space="plane" if family == "planar" else "space")


@cache
def _period(family):
    rng = np.random.default_rng(list(FAMILIES).index(family))
    return [_LINKS[family](rng, i) for i in range(PERIOD)]


def _aligned(rng, i):
    """A beam along x: its mass centre on x, so that the inertia about the joint is diagonal too."""
    length, moments = rng.uniform(0.3, 1.0), rng.uniform(0.01, 0.08, 3)
    body = Body(mass=rng.uniform(0.3, 3.0), com=(length/2, 0.0, 0.0), inertia=_inertia(length, moments, np.eye(3)))
    return Link(length=length, body=body, joint=Revolute(axis=AXES[i % 3]))


def _revolute(rng, i):
    place, body = _any_body(rng)
    return Link(at=place, body=body, turn=_unit(rng, 4), joint=Revolute(axis=_unit(rng, 3)))


def _spherical(rng, i):
    place, body = _any_body(rng)
    return Link(at=place, body=body, joint=Spherical())


def _planar(rng, i):
    length = rng.uniform(0.3, 1.0)
    return Link(length=length, mass=rng.uniform(0.3, 3.0), radius=0.05*length)


_LINKS = {"aligned": _aligned, "revolute": _revolute, "spherical": _spherical, "planar": _planar}


def _any_body(rng):
    """(joint position on the parent, body) without a zero among their numbers."""
    length = rng.uniform(0.3, 1.0)
    moments, axes = rng.uniform(0.01, 0.08, 3), np.linalg.qr(rng.normal(size=(3, 3)))[0]
    body = Body(mass=rng.uniform(0.3, 3.0), com=length*rng.uniform((0.2, -0.2, -0.2), (0.8, 0.2, 0.2)),
                inertia=_inertia(length, moments, axes))
    return length*rng.uniform((0.5, -0.2, -0.2), (1.0, 0.2, 0.2)), body


def _inertia(length, moments, axes):
    """About the mass centre, of 1 kg spread with second moments `moments` along `axes`, in parts of the length."""
    return length**2*(axes @ np.diag(np.sum(moments) - moments) @ axes.T)


def _unit(rng, size):
    v = rng.normal(size=size)
    return tuple((v/np.linalg.norm(v)).tolist())


# ---- states


def states(family, n, lanes=1, seed=0):
    """(q, v, torque) of `lanes` chains, a row each: any angles and attitudes, speeds and torques up to 1."""
    rng = np.random.default_rng([seed, n])
    if family == "spherical":
        quaternions = rng.normal(size=(lanes, n, 4))
        q = (quaternions/np.linalg.norm(quaternions, axis=2, keepdims=True)).reshape(lanes, 4*n)
        freedoms = 3*n
    else:
        q, freedoms = rng.uniform(-np.pi, np.pi, (lanes, n)), n
    return q, rng.uniform(-1.0, 1.0, (lanes, freedoms)), rng.uniform(-1.0, 1.0, (lanes, freedoms))


def side_by_side(x):
    """Rows to lanes: number j of row k stands at j*lanes + k, on a register's boundary."""
    flat = aligned(x.size)
    flat.reshape(x.T.shape)[:] = x.T
    return flat


# ---- models


def model_of(family, n):
    """The arrays of the first n links; above three periods n is a multiple of PERIOD."""
    if n <= 3*PERIOD:
        return chain(family, n).model
    if n % PERIOD:
        raise ValueError(f"a chain of more than {3*PERIOD} links has whole periods of {PERIOD}, not {n} links")
    return _prolonged(chain(family, 3*PERIOD).model, n)


def _prolonged(model, n):
    """`model` of three periods with its middle one repeated until there are n rows."""
    freedoms = len(model.spring)//(3*PERIOD)
    long = allocate(Model, rows=n, columns=model.body.shape[1], beam_numbers=0, nv=freedoms*n, loads=0, contacts=0,
                    gaps=0, signals=0, knots=0, threads=0)
    for source, target, size in ((model.row, long.row, PERIOD), (model.body, long.body, PERIOD),
                                 (model.frame, long.frame, PERIOD), (model.spring, long.spring, freedoms*PERIOD)):
        target[:size], target[-size:] = source[:size], source[-size:]
        target[size:-size].reshape(-1, size, source.shape[1])[:] = source[size:-size]
    count = np.arange(n)
    for column, per_row in ((PARENT, 1), (Q_AT, model.row[1, Q_AT]), (V_AT, freedoms), (LINK, 1)):
        long.row[:, column] = per_row*count
    long.row[:, PARENT] -= 1
    long.base[:] = model.base
    return long


def with_own_bodies(model, lanes):
    """The same model with bodies for every lane: column c of lane k at c*lanes + k."""
    rows, columns = model.body.shape
    bodies = aligned((rows, columns*lanes))
    bodies.reshape(rows, columns, lanes)[:] = model.body[:, :, None]
    return model._replace(body=bodies)
