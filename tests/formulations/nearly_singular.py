"""Chains with a joint that has next to nothing to move: how little is a number, from as good as none to plenty."""

import numpy as np
from formulations.described import changed
from strategies import random_chain, random_state

from fastdyn import Body, Chain, Free, FreePlanar, Link, Prismatic, Revolute, Spherical, Universal

HERE = (0.0, 0.0, 0.0)


def direction(rng, planar=False):
    v = rng.normal(size=3)*[1, 1, not planar]
    return v/np.linalg.norm(v)


def tilted(rng, e, little, planar=False):
    """A unit vector at the angle `little` from e."""
    aside = np.array([-e[1], e[0], 0.0]) if planar else np.cross(e, direction(rng))
    v = e + little*aside/np.linalg.norm(aside)
    return v/np.linalg.norm(v)


def solid(rng, planar=False):
    return Body(mass=rng.uniform(0.3, 3.0), com=0.3*rng.normal(size=3)*[1, 1, not planar],
                inertia=rng.uniform(0.1, 0.19, 3))


def turn(e): return Revolute(axis=tuple(e))


def slide(e): return Prismatic(axis=tuple(e))


def one_axis_twice(rng, little):
    """A frame that weighs nothing turns about the axis of the link on it, but for an angle."""
    e = direction(rng)
    return [Link(joint=turn(e)), Link(joint=turn(tilted(rng, e, little)), at=rng.normal()*e, body=solid(rng))]


def one_slide_twice(rng, little):
    e = direction(rng)
    return [Link(joint=slide(e)), Link(joint=slide(tilted(rng, e, little)), at=rng.normal(size=3), body=solid(rng))]


def thin_rod(rng, little, joint=Spherical):
    """All but without inertia about itself"""
    e = direction(rng)
    R = np.linalg.qr(np.column_stack([e, rng.normal(size=(3, 2))]))[0]
    I = R @ np.diag([little**2/3, 1/12, 1/12]) @ R.T
    return [Link(joint=joint(), body=Body(mass=1.0, com=0.5*e, inertia=(I + I.T)/2))]


def floating_rod(rng, little):
    return thin_rod(rng, little, Free)


def light_tip(rng, little):
    """A little ball on the axis of its joint: all that it has to turn"""
    return [Link(joint=turn(direction(rng)), body=Body.sphere(little, 1.0))]


def light_universal(rng, little):
    return [Link(joint=Universal(), body=Body.sphere(little, 1.0, (0.0, 0.5, 0.0)))]


def fourth_slide(rng, little):
    """Inside three slides across each other, with a mass of its own"""
    axes = [direction(rng), *np.linalg.qr(rng.normal(size=(3, 3)))[0]]
    bodies = [Body.sphere(0.5, little**2), None, None, solid(rng)]
    return [Link(joint=slide(e), at=HERE, body=body) for e, body in zip(axes, bodies)]


def fourth_axis(rng, little):
    """Inside three axes through its point, with an inertia of its own"""
    axes = [direction(rng), *np.linalg.qr(rng.normal(size=(3, 3)))[0]]
    bodies = [Body.sphere(0.5, little**2), None, None, solid(rng)]
    return [Link(joint=turn(e), at=HERE, body=body) for e, body in zip(axes, bodies)]


def ball_on_ball(rng, little):
    return [Link(joint=Spherical(), body=Body.sphere(0.5, little**2)),
            Link(joint=Spherical(), at=rng.normal(size=3), body=solid(rng))]


def straight_arm(rng, little):
    """In the plane: a bar without mass and a point mass on another bar, in line but for an angle with joints at zero"""
    point = Body.point(rng.uniform(0.3, 3.0), (rng.uniform(0.3, 1.0), 0.0, 0.0))
    return [Link(length=rng.uniform(0.3, 1.0)), Link(turn=(np.cos(little/2), 0.0, 0.0, np.sin(little/2)), body=point)]


def light_disc(rng, little):
    return [Link(body=Body.sphere(little, 1.0))]


def slide_twice_in_the_plane(rng, little):
    e = direction(rng, planar=True)
    return [Link(joint=slide(e)), Link(joint=slide(tilted(rng, e, little, planar=True)), body=solid(rng, planar=True))]


def third_slide(rng, little):
    a = direction(rng, planar=True)
    axes = [direction(rng, planar=True), a, (-a[1], a[0], 0.0)]
    bodies = [Body.sphere(0.5, little**2), None, solid(rng, planar=True)]
    return [Link(joint=slide(e), body=body) for e, body in zip(axes, bodies)]


def floating_frame(rng, little):
    """A frame that weighs next to nothing, floating, and a body that turns on it"""
    return [Link(joint=FreePlanar(), body=Body.sphere(0.5, little**2)), Link(body=solid(rng, planar=True))]


IN_PLANE = straight_arm, slide_twice_in_the_plane, third_slide, light_disc, floating_frame
SELF_CONTAINED = light_tip, light_disc, floating_frame      # little, but no rounding comes from outside: it moves
NEARLY_SINGULAR = (one_axis_twice, one_slide_twice, thin_rod, floating_rod, light_universal, fourth_slide, fourth_axis,
                   ball_on_ball, straight_arm, slide_twice_in_the_plane, third_slide)


def case(make, seed, little, inside=1, outside=0):
    """(chain, q, v, torque), the joint in trouble named "first": sound links inside, towards the base, and outside.

    The same but for what is little with the same seed.
    """
    rng, planar = np.random.default_rng(seed), make in IN_PLANE
    kind = "planar" if planar else "mixed"
    links = [] if make in (floating_rod, floating_frame) else sound(rng, inside, kind)
    core = make(rng, little)
    if links:
        core[0] = changed(core[0], at=rng.normal(size=3)*[1, 1, not planar])
    links += [changed(core[0], name="first"), *core[1:]]
    if make is not straight_arm:                            # a link on its tip is no point
        links += sound(rng, outside, kind)
    chain = Chain(links, space="plane" if planar else "space")
    q, v = random_state(rng, chain)
    if make is straight_arm:
        q[-1] = 0.0
    return chain, q, v, rng.normal(size=chain.nv)


def sound(rng, n, kind):
    """Links each on the one before"""
    return [changed(link, name="", parent="") for link in random_chain(rng, n, kind).links] if n else []
