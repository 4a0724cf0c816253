"""Does a chain stay in the plane z = 0? Asked exactly: what a planar model leaves out has to be zero, not small."""

from .check import shown
from .joints import Fixed, FreePlanar, Prismatic, Revolute


def first_out_of_plane(links, gravity):
    """None when the chain moves in the plane z = 0, else the sentence that names the first thing that does not."""
    for link in links:
        found = next(_reasons(link), None)
        if found:
            return f'link "{link.name}": {found}'
    if gravity is not None and gravity[2] != 0.0:
        return f"gravity {shown(gravity)} m/s^2 has a z component"
    return None


def _reasons(link):
    yield from _joint_reasons(link.joint)
    if link.at is not None and link.at[2] != 0.0:
        yield f"at {shown(link.at)} m has a z component"
    if link.turn[1] != 0.0 or link.turn[2] != 0.0:
        yield f"turn {shown(link.turn)} is not about z"
    yield from _body_reasons(link.body)
    for i, load in enumerate(link.loads):
        if load.force[2] != 0.0 or load.at[2] != 0.0:
            yield f"loads[{i}] has a force or a point off the plane z = 0"
        if load.moment[0] != 0.0 or load.moment[1] != 0.0:
            yield f"loads[{i}].moment {shown(load.moment)} N m is not about z"
    for name, point in link.points.items():
        if point[2] != 0.0:
            yield f"points.{name} {shown(point)} m has a z component"


def _joint_reasons(joint):
    if isinstance(joint, Revolute):
        if joint.axis[0] != 0.0 or joint.axis[1] != 0.0:
            yield f"joint.axis {shown(joint.axis)} of a revolute joint is not along z"
    elif isinstance(joint, Prismatic):
        if joint.axis[2] != 0.0:
            yield f"joint.axis {shown(joint.axis)} of a prismatic joint has a z component"
    elif not isinstance(joint, (Fixed, FreePlanar)):
        yield f"a {joint.kind} joint moves in space"


def _body_reasons(body):
    if body is None:
        return
    if body.com[2] != 0.0:
        yield f"body.com {shown(body.com)} m has a z component"
    if body.inertia[0][2] != 0.0 or body.inertia[1][2] != 0.0:
        yield "body.inertia has products Ixz or Iyz: it is not symmetric about the plane z = 0"
