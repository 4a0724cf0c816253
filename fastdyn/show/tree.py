"""A chain as a table: who hangs on whom, how each joint moves, what each link weighs."""

import sys

from ..describe.link import BASE


def show(chain, file=None):
    """Print the tree of a chain: joints, axes, coordinates, masses, mass centres and inertias, and totals.

    Parameters
    ----------
    chain : Chain.
    file : where to print; None is the screen.
    """
    from rich.console import Console
    from rich.text import Text

    file = sys.stdout if file is None else file
    console = Console(file=file, width=None if _is_screen(file) else 200, highlight=False)
    console.print(_table(chain))
    for line in _totals(chain):
        console.print(Text(line))


def _is_screen(file):
    return bool(getattr(file, "isatty", bool)())


def _table(chain):
    from rich.box import SIMPLE_HEAD
    from rich.table import Table
    from rich.text import Text

    table = Table(box=SIMPLE_HEAD, pad_edge=False)
    for heading, justify in (
        ("link", "left"), ("parent", "left"), ("joint", "left"), ("axis", "left"), ("coordinates", "left"),
        ("at m", "left"),
        ("mass kg", "right"), ("mass centre m", "left"), ("inertia kg m^2", "left"), ("also", "left"),
    ):  # fmt: skip
        table.add_column(heading, justify=justify, overflow="fold")
    for i, branch in _in_tree_order(chain):
        table.add_row(*(Text(cell) for cell in _row(chain, i, branch)))
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
    link, body = chain.links[i], chain.links[i].rigid_body
    joint = link.joint
    axes = getattr(joint, "axes", None) or ([joint.axis] if hasattr(joint, "axis") else [])
    return (
        branch + link.name,
        link.parent,
        joint.kind,
        " ".join(_vector(axis) for axis in axes) or "-",
        _places("q", chain.q_slice(link.name)) + " " + _places("v", chain.v_slice(link.name)) if joint.nv else "-",
        _vector(chain.joint_positions[i]) + ("" if link.turn == (1.0, 0.0, 0.0, 0.0) else " turned"),
        _number(body.mass) if body else "-",
        _vector(body.com) if body else "-",
        _inertia(body.inertia) if body else "-",
        ", ".join(_extras(link)),
    )


def _extras(link):
    joint = link.joint
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
    bodies = [body for body in (link.rigid_body for link in chain.links) if body]
    name = f'"{chain.name}": ' if chain.name else ""
    yield (
        f"{name}{_count(len(chain.links), 'link')}, {_count(chain.nv, 'degree')} of freedom, "
        f"{_number(sum(body.mass for body in bodies))} kg"
    )
    yield f"in {'the plane z = 0' if chain.planar else 'space'}, gravity {_vector(chain.gravity)} m/s^2"
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
