"""Forces of stiff springs as unknowns of an implicit method: what they cost does not depend on the stiffness then.

f(y) = F(y, s) with s = e(y), F linear in s. The system's kernel `pulled` gives F and e, `slopes` E = de/dy. Newton's
iteration takes J = J0 + B E, J0 = dF/dy and B = dF/ds at given s, and in place of f(y) the rate F(y, s) + B (e(y) - s).
An increment dy makes s = e(y) + E dy. docs/theory/implicit.md derives it.

Stepping.matrix holds behind its head: B by columns, E by rows, rows of forces s, as many of e for them, J0.
"""

from .._address import shifted
from .._jit import leaf, sweep
from ..layout import RATES, TIME
from ..status import OK
from .desk import ask, call_pulled, call_slopes, copy

HEAD = 16                               # numbers of Stepping.matrix before
ROWS = 7                                # of forces: those at the start of the step, then as the method says


def room(n, m):
    """Numbers they take."""
    return 2*n*m + 2*ROWS*m + n*n if m > 0 else 0


@leaf
def columns(d): return shifted(d.matrix, HEAD)


@leaf
def slopes(d): return shifted(d.matrix, HEAD + d.n*d.forces)


@leaf
def forces(d, r): return shifted(d.matrix, HEAD + (2*d.n + r)*d.forces)


@leaf
def pulls(d, r): return shifted(d.matrix, HEAD + (2*d.n + ROWS + r)*d.forces)


@leaf
def smooth_part(d): return shifted(d.matrix, HEAD + 2*(d.n + ROWS)*d.forces)


@leaf
def behind(d):
    """What comes after all this"""
    return shifted(smooth_part(d), d.n*d.n) if d.forces > 0 else shifted(d.matrix, HEAD)


@leaf
def ask_pulled(handle, d, t, y, s, dy, e):
    """F at t, y, s and e there, counted"""
    d.count[RATES] += 1
    return call_pulled(d.pulled, handle, t, y, s, dy, e)


@leaf
def add_what_is_off(d, r, dy):
    """B (e - s) with the forces of row r, on top of dy"""
    n, B, s, e = d.n, columns(d), forces(d, r), pulls(d, r)
    for k in range(d.forces):
        off = e[k] - s[k]
        for i in range(n):
            dy[i] += B[k*n + i]*off


@sweep
def with_forces(handle, d, t, y, r, dy):
    """F + B (e - s) with the forces of row r; a status."""
    status = ask_pulled(handle, d, t, y, forces(d, r), dy, pulls(d, r))
    if status == OK:
        add_what_is_off(d, r, dy)
    return status


@leaf
def ask_newton(rate, handle, d, t, y, r, dy):
    """The rate for Newton's iteration; where forces are unknowns, with those of row r"""
    if d.forces == 0:
        return ask(rate, handle, d, t, y, dy)
    return with_forces(handle, d, t, y, r, dy)


@leaf
def ask_given(rate, handle, d, t, y, r, dy):
    """The rate; where forces are unknowns, with those of row r given"""
    if d.forces == 0:
        return ask(rate, handle, d, t, y, dy)
    return ask_pulled(handle, d, t, y, forces(d, r), dy, pulls(d, r))


@sweep
def follow(d, r, dy):
    """Forces of row r behind an increment of the state."""
    n, E, s, e = d.n, slopes(d), forces(d, r), pulls(d, r)
    for k in range(d.forces):
        total = e[k]
        for j in range(n):
            total += E[k*n + j]*dy[j]
        s[k] = total


@sweep
def at_start(handle, d, there, past):
    """F where the step starts, with the forces of row 0, those that are there if nothing is past; a status."""
    s, e = forces(d, 0), pulls(d, 0)
    status = ask_pulled(handle, d, d.clock[TIME], d.y, s, there, e)
    if status == OK and not past:
        for k in range(d.forces):
            s[k] = e[k]
        copy(d.rate, there, d.blocks)
    return status


@sweep
def turn(handle, d, t, y, r, there, J, spare):
    """B and E of a time and state, where F is known, and J0 + B E; a status."""
    n, B, s, e = d.n, columns(d), forces(d, r), pulls(d, ROWS - 1)
    for k in range(d.forces):
        was = s[k]
        s[k] = was + (1.0 + abs(was))
        status = ask_pulled(handle, d, t, y, s, spare, e)
        more, s[k] = s[k] - was, was
        if status != OK:
            return status
        for i in range(n):
            B[k*n + i] = (spare[i] - there[i])/more
    E, J0 = slopes(d), smooth_part(d)
    status = call_slopes(d.slopes, handle, y, n, E)
    for at in range(n*n):
        J[at] = J0[at]
    for k in range(d.forces):
        for i in range(n):
            b = B[k*n + i]
            if b != 0.0:
                for j in range(n):
                    J[i*n + j] += b*E[k*n + j]
    return status
