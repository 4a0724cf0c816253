"""Does a chain stay in the plane z = 0? What a planar model leaves out has to be zero or rounding, not small."""

from .check import NOTHING, shown
from .joints import Fixed, FreePlanar, Prismatic, Revolute


def first_out_of_plane(links, gravity):
    """None when the chain moves in the plane z = 0, else the sentence that names the first thing that does not."""
    for link in links:
        found = next(_reasons(link), None)
        if found:
            return f'link "{link.name}": {found}'
    if gravity is not None and leaves(gravity):
        return f"gravity {shown(gravity)} m/s^2 has a z component"
    return None


def leaves(vector):
    """Whether its z component is more than rounding."""
    return abs(vector[2]) > NOTHING*size(vector)


def stands_off(vector):
    """Whether more than rounding of it is not along z."""
    return size(vector[:2]) > NOTHING*size(vector)


def size(numbers):
    return max(map(abs, numbers))


def _reasons(link):
    yield from _joint_reasons(link.joint)
    if link.at is not None and leaves(link.at):
        yield f"at {shown(link.at)} m has a z component"
    if link.turn[1] != 0.0 or link.turn[2] != 0.0:
        yield f"turn {shown(link.turn)} is not about z"
    yield from _body_reasons(link.body)
    for i, load in enumerate(link.loads):
        if leaves(load.force) or leaves(load.at):
            yield f"loads[{i}] has a force or a point off the plane z = 0"
        if stands_off(load.moment):
            yield f"loads[{i}].moment {shown(load.moment)} N m is not about z"
    for name, point in link.points.items():
        if leaves(point):
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
    if leaves(body.com):
        yield f"body.com {shown(body.com)} m has a z component"
    if not all(abs(row[2]) <= NOTHING*size(sum(body.inertia, ())) for row in body.inertia[:2]):
        yield "body.inertia has products Ixz or Iyz: it is not symmetric about the plane z = 0"
