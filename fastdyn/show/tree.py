"""A chain as a table: who hangs on whom, how each joint moves, what each link weighs, how it bends, what it may hit."""

import math

from ..describe.link import BASE
from .paper import paper

NUMBERS = ("mass kg", "length m", "E I N m^2", "kg/m", "modes")  # columns of one number each
MOST = 6    # frequencies and points that are named one by one


def show(chain, file=None):
    """Print the tree of a chain: joints, axes, coordinates, masses, mass centres and inertias, and totals.

    Elastic links weigh what they weigh when straight. A second table has their beams and modes, a third the grounds.

    Parameters
    ----------
    chain : Chain.
    file : where to print; None is the screen.
    """
    from rich.text import Text

    console = paper(file, 200)
    console.print(_table(chain))
    for heading, table in (("elastic links", _beams(chain)), ("grounds", _grounds(chain))):
        if table.row_count:
            console.print(Text(heading))
            console.print(table)
    for line in _totals(chain):
        console.print(Text(line))


def _table(chain):
    headings = ("link", "parent", "joint", "axis", "coordinates", "at m", "mass kg", "mass centre m", "inertia kg m^2",
                "also")
    return _filled(headings, (_row(chain, i, branch) for i, branch in _in_tree_order(chain)))


def _beams(chain):
    headings = ("link", "length m", "E I N m^2", "kg/m", "ends", "modes", "theory", "frequencies Hz")
    return _filled(headings, (_beam(link) for link in chain.links if link.elastic is not None))


def _grounds(chain):
    headings = ("ground", "point m", "normal", "hit by", "contact", "friction")
    return _filled(headings, (_ground(chain, i, ground) for i, ground in enumerate(chain.grounds)))


def _filled(headings, rows):
    from rich.box import SIMPLE_HEAD
    from rich.table import Table
    from rich.text import Text

    table = Table(box=SIMPLE_HEAD, pad_edge=False)
    for heading in headings:
        table.add_column(heading, justify="right" if heading in NUMBERS else "left", overflow="fold")
    for row in rows:
        table.add_row(*map(Text, row))
    return table


def _in_tree_order(chain):
    """(index, branch drawing) of every link, each after its parent."""
    children = {BASE: []} | {name: [] for name in chain.link_names}
    for i, link in enumerate(chain.links):
        children[link.parent].append(i)
    waiting = [(i, "") for i in reversed(children[BASE])]
    order = []
    while waiting:
        i, above = waiting.pop()
        link = chain.links[i]
        siblings = children[link.parent]
        last = siblings[-1] == i
        # a lone child stays in its parent's column, so that a long chain does not walk off the page
        alone = len(siblings) == 1
        order.append((i, above + ("" if alone else "└ " if last else "├ ")))
        below = above + ("" if alone else "  " if last else "│ ")
        waiting += [(child, below) for child in reversed(children[link.name])]
    return order


def _row(chain, i, branch):
    link, body = chain.links[i], chain.links[i].straight_body
    joint = link.joint
    axes = getattr(joint, "axes", None) or ([joint.axis] if hasattr(joint, "axis") else [])
    return (
        branch + link.name,
        link.parent,
        joint.kind,
        " ".join(_vector(axis) for axis in axes) or "-",
        _places("q", chain.q_slice(link.name)) + " " + _places("v", chain.v_slice(link.name)) if link.nv else "-",
        _vector(chain.joint_positions[i]) + ("" if link.turn == (1.0, 0.0, 0.0, 0.0) else " turned"),
        _number(body.mass) if body else "-",
        _vector(body.com) if body else "-",
        _inertia(body.inertia) if body else "-",
        ", ".join(_extras(link)),
    )


def _beam(link):
    elastic, beam = link.elastic, link.elastic.beam
    shown = [_number(omega/(2*math.pi)) for omega in elastic.frequencies]
    return (
        link.name,
        _number(beam.length),
        _number(beam.bending_stiffness),
        _number(beam.mass_per_length),
        " ".join(shape.ends for shape in elastic.shapes) or elastic.ends,
        f"{elastic.modes} + {elastic.axial_modes} axial" if elastic.stretches else str(elastic.modes),
        "shapes of its own" if elastic.shapes else elastic.theory,
        _some(shown) or "-",
    )


def _ground(chain, i, ground):
    points = [chain.contact_points[point].name for point, g in chain.contact_pairs if g == i]
    laws = _law(ground.contact), _law(ground.friction)
    return str(i), _vector(ground.point), _vector(ground.normal), _some(points), *laws


def _law(law):
    """Its name, and the numbers that were given."""
    given = ((name, getattr(law, name)) for name in law.__struct_fields__ if name != "law")
    told = [name if x is True else f"{name} {_number(x)}" for name, x in given if x is not None and x is not False]
    return law.law + (f" ({', '.join(told)})" if told else "")


def _some(words):
    return ", ".join(words[:MOST]) + (f", ... ({len(words)})" if len(words) > MOST else "")


def _extras(link):
    joint = link.joint
    if link.elastic is not None:
        yield f"bends in {_count(link.modes, 'mode')}" if link.modes else "beam without modes"
    for field in ("stiffness", "damping"):
        values = joint.per_velocity(field)
        if any(values):
            yield f"{field} " + " ".join(_number(x) for x in dict.fromkeys(values))
    if any(getattr(joint, field, None) is not None for field in ("lower", "upper")):
        yield "limits"
    for word, things in (("drive", getattr(joint, "drive", ())), ("load", link.loads), ("point", link.points)):
        if things:
            yield f"{len(things)} {word}{'s' if len(things) > 1 else ''}"


def _totals(chain):
    bodies = [body for body in (link.straight_body for link in chain.links) if body]
    name = f'"{chain.name}": ' if chain.name else ""
    yield (
        f"{name}{_count(len(chain.links), 'link')}, {_count(chain.nv, 'degree')} of freedom, "
        f"{_number(sum(body.mass for body in bodies))} kg"
    )
    yield f"in {'the plane z = 0' if chain.planar else 'space'}, gravity {_vector(chain.gravity)} m/s^2"
    turned = any(getattr(link.joint, "start", None) for link in chain.links)
    if turned or chain.start_q is not None or chain.start_v is not None:
        yield "starts from a state of its own"
    if chain.drive is not None:
        yield f"driven by the function {getattr(chain.drive, '__name__', chain.drive)}"


def _places(letter, place):
    """Where it stands, as one would write it in Python: q[3], v[0:6]."""
    return f"{letter}[{place.start}]" if place.stop - place.start == 1 else f"{letter}[{place.start}:{place.stop}]"


def _count(n, word):
    return f"{n} {word}" + ("" if n == 1 else "s")


def _number(x):
    return f"{x:.6g}"


def _vector(v):
    return "(" + ", ".join(_number(x) for x in v) + ")"


def _inertia(inertia):
    """The moments about the link axes, and whether there are products besides."""
    (xx, xy, xz), (_, yy, yz), (_, _, zz) = inertia
    return _vector((xx, yy, zz)) + (" + products" if xy or xz or yz else "")
