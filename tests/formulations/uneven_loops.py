"""Closed chains with one body far lighter or heavier than the others, and their motion by the geometry of the loops."""

import numpy as np
from msgspec.structs import replace

import fastdyn as fd
from fastdyn.formulations import loops as k
from fastdyn.run.loops import gap_list
from fastdyn.run.scales import scales

ALONG_X, ALONG_Y = (1.0, 0.0, 0.0), (0.0, 1.0, 0.0)


def solid(mass, size=0.3):
    return fd.Body(mass=mass, inertia=(mass*size**2,)*3)


def slides(pull=0.0, **words):
    """Two slides of 1 kg on one line, the first driven."""
    drive = {"drive": fd.Constant(pull)} if pull else {}
    return [fd.Link(name="first", parent="base", joint=fd.Prismatic(axis=ALONG_X, **drive), body=solid(1.0), **words),
            fd.Link(name="other", parent="base", at=(1.0, 0.0, 0.0), joint=fd.Prismatic(axis=ALONG_X), body=solid(1.0))]


def coupler(mass, space="plane"):
    """A crossed pair of slides and a rod of this mass between them, hinged on one, pinned to the other."""
    rod = fd.Link(name="rod", parent="first", at=(0.0, 0.0, 0.0), length=1.0,
                  body=fd.Body(mass=mass, com=(0.5, 0.0, 0.0), inertia=(0.01*mass, mass/12.0, mass/12.0)))
    first, other = slides(1.0)
    other = fd.Link(name="other", parent="base", joint=fd.Prismatic(axis=ALONG_Y), body=solid(1.0))
    return fd.Chain([first, other, rod], closures=[fd.Closure(kind="pin", a="other", b="rod.tip")], space=space,
                    gravity=(0.0, 0.0, 0.0), start_q=(-0.8, 0.6, np.arctan2(0.6, 0.8)))


def floating(mass):
    """The same with a rod that floats and is pinned at both ends: one gap of one pin says what the others do not."""
    rod = fd.Link(name="rod", parent="base", joint=fd.FreePlanar(), length=1.0,
                  body=fd.Body(mass=mass, com=(0.5, 0.0, 0.0), inertia=(0.01*mass, mass/12.0, mass/12.0)))
    first, other = slides(1.0)
    other = fd.Link(name="other", parent="base", joint=fd.Prismatic(axis=ALONG_Y), body=solid(1.0))
    pins = [fd.Closure(kind="pin", a="first", b="rod"), fd.Closure(kind="pin", a="other", b="rod.tip")]
    return fd.Chain([first, other, rod], closures=pins, gravity=(0.0, 0.0, 0.0),
                    start_q=(-0.8, 0.6, -0.8, 0.0, np.arctan2(0.6, 0.8)))


def tilted(mass):
    """A rotor between two slides, welded to one at a tip to one side: each gap turns it and pulls the slides."""
    half = np.pi/8.0
    first, other = slides(1.0, points={"eye": (0.1*np.sqrt(0.5), 0.1*np.sqrt(0.5), 0.0)})
    rotor = fd.Link(name="rotor", parent="other", at=(0.0, 0.0, 0.0), length=0.1, body=solid(mass, 0.1))
    weld = fd.Closure(kind="weld", a="first.eye", b="rotor.tip", turn=(np.cos(half), 0.0, 0.0, np.sin(half)))
    return fd.Chain([first, other, rotor], closures=[weld], gravity=(0.0, 0.0, 0.0), start_q=(1.0, 0.0, 2.0*half))


def window(mass, which, space="plane"):
    """A falling window of four bars, one of them of this mass."""
    bars = [fd.Link(name=name, length=length, body=fd.Body(
        mass=m, com=(0.5*length, 0.0, 0.0), inertia=(0.01*m, m*length**2/12.0, m*length**2/12.0)))
        for name, length, m in zip("abc", (1.0, 1.5, 1.2), (mass if i == which else 1.0 for i in range(3)))]
    chain = fd.Chain(bars, closures=[fd.Closure(kind="pin", a=(1.3, 0.0, 0.0), b="c.tip")], space=space)
    return chain.replace(start_q=fd.assemble(chain, (1.2, -1.0, -1.6)))


def bricard(mass, which=2):
    """Bricard's linkage, one of whose gaps is redundant everywhere, one of its bars so many times as heavy."""
    chain = fd.catalog.bricard()
    links, body = list(chain.links), chain.links[which].rigid_body
    body = fd.Body(mass=body.mass*mass, com=body.com, inertia=tuple(mass*body.inertia[k][k] for k in range(3)))
    links[which] = replace(links[which], mass=None, radius=0.0, body=body)
    return chain.replace(links=links)


def by_geometry(chain, q, v, torque):
    """(acc, rank): J c = -g'' and J N = 0 by singular values of J over its scales alone, N' M (N a + c) = N' (...)."""
    of = scales(chain)
    J = fd.gap_jacobian(chain, q)*of.speeds/of.gaps[:, None]
    second = gap_list(chain, k.gap_seconds, q, v, np.zeros(chain.nv))/of.gaps
    u, s, vt = np.linalg.svd(J)
    rank = np.count_nonzero(s > 1e-6*s[0])
    c = -of.speeds*(vt[:rank].T @ ((u.T @ second)[:rank]/s[:rank]))
    N = of.speeds[:, None]*vt[rank:].T
    M, h = fd.mass_matrix(chain, q), fd.bias(chain, q, v)
    a = np.linalg.solve(N.T @ M @ N, N.T @ (torque - h - M @ c))
    return N @ a + c, rank
