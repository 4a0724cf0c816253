"""Trees whose formulations are compared: all joints, branches, bases that float or do not; none of them is timed.

The links of a family are random and every one hangs on an earlier one: the first n are a tree for any n.
"""

from functools import cache

import numpy as np

from fastdyn.describe import Body, Chain, Fixed, Free, FreePlanar, Link, Prismatic, Revolute, Spherical, Universal

FAMILIES = {
    "forest": "trees on one base, all joints",
    "floating tree": "a floating base, all joints",
    "planar tree": "a floating base in the plane, turning, sliding and fixed joints",
}
IN_SPACE = "revolute", "spherical", "prismatic", "revolute", "universal", "fixed"       # in turn
IN_PLANE = "revolute", "prismatic", "revolute", "fixed"


def chain(family, n):
    """The first n links of a family."""
    return Chain(_links(family, n), space="plane" if family == "planar tree" else "space")


def states(family, n, lanes=1, seed=0):
    """(q, v, torque), a row each: any angles and attitudes, slides up to half a metre, speeds and torques up to 1."""
    rng, tree, parts = np.random.default_rng([seed, n]), chain(family, n), []
    for link in tree.links:
        names = link.joint.q_names
        q = rng.uniform(-np.pi, np.pi, (lanes, len(names)))
        if "x" in names or isinstance(link.joint, Prismatic):
            q /= 2.0*np.pi
        if "qw" in names:
            turn = rng.normal(size=(lanes, 4))
            q[:, names.index("qw"):] = turn/np.linalg.norm(turn, axis=1, keepdims=True)
        parts.append(q)
    return np.hstack(parts), *rng.uniform(-1.0, 1.0, (2, lanes, tree.nv))


@cache
def _links(family, n):
    if n == 0:
        return ()
    links, i = _links(family, n - 1), n - 1
    rng = np.random.default_rng([list(FAMILIES).index(family), i])
    planar, floats = family == "planar tree", family != "forest"
    parents = [*(link.name for link in links), *["base"]*(not floats or i == 0)]
    flat = (1.0, 1.0, 0.0) if planar else 1.0
    body = Body.box(rng.uniform(0.2, 0.8, 3), rng.uniform(0.3, 3.0), com=rng.uniform(-0.3, 0.6, 3)*flat)
    return (*links, Link(name=f"link{n}", parent=str(rng.choice(parents)), at=rng.uniform(-0.5, 0.5, 3)*flat, body=body,
                         turn=_turn(rng, planar), joint=_joint(rng, i, planar, floats)))


def _turn(rng, planar):
    q = rng.normal(size=4)*((1.0, 0.0, 0.0, 1.0) if planar else 1.0)
    return q/np.linalg.norm(q)


def _joint(rng, i, planar, floats):
    if i == 0 and floats:
        return FreePlanar() if planar else Free()
    kinds, axis = IN_PLANE if planar else IN_SPACE, rng.normal(size=3)
    kind = kinds[i % len(kinds)]
    if kind == "revolute":
        return Revolute() if planar else Revolute(axis=axis/np.linalg.norm(axis))
    if kind == "prismatic":
        axis *= (1.0, 1.0, 0.0) if planar else 1.0
        return Prismatic(axis=axis/np.linalg.norm(axis))
    return {"spherical": Spherical, "universal": Universal, "fixed": Fixed}[kind]()
