"""Charts of attitude: three numbers for a rotation, and D with w = D (their rates), w in the link's own frame.

A chart is a number: its axes as digits for Euler angles (321: about z, then about the new y, then about the new x),
ROTATION_VECTOR (axis times angle) or RODRIGUES (axis times the tangent of a quarter of the angle, modified Rodrigues
parameters). Charts are for input and output; the dynamics has quaternions and no D. See docs/theory/attitude.md.
"""

import math

from .._jit import c_array, float64, int64, kernel, leaf
from ..status import OK
from .arctan import arctan2
from .rotation import quaternion_exp, quaternion_log, quaternion_normalized, quaternion_product
from .sincos import sincos_any
from .vectors import add, cross, dot, scale, sub

ROTATION_VECTOR, RODRIGUES = 1, 2
SMALL = 1.0                                             # angles squared up to which series are summed
MATRIX = c_array(float64, 2)


@leaf
def axes(chart): return chart//100 - 1, chart//10 % 10 - 1, chart % 10 - 1


@leaf
def unit(a): return 1.0 if a == 0 else 0.0, 1.0 if a == 1 else 0.0, 1.0 if a == 2 else 0.0


@leaf
def part(x, a): return x[0] if a == 0 else (x[1] if a == 1 else x[2])


@leaf
def angle_of(y, x):
    """In [-pi, pi]; 0 of (0, 0)"""
    return math.copysign(arctan2(abs(y), x), y)


@leaf
def quarter_turns(a, b): return 1.0 if (b - a) % 3 == 1 else -1.0


# ---- to a quaternion and back ----------------------------------------------------------------------------------------
@leaf
def chart_quaternion(chart, x):
    """The unit quaternion of chart values x"""
    if chart == ROTATION_VECTOR:
        return quaternion_exp(x)
    if chart == RODRIGUES:
        n = 1.0 + dot(x, x)
        return quaternion_normalized((2.0 - n, 2.0*x[0], 2.0*x[1], 2.0*x[2]))
    a, b, c = axes(chart)
    q = quaternion_product(quaternion_product(turn(a, x[0]), turn(b, x[1])), turn(c, x[2]))
    return quaternion_normalized(q)


@leaf
def turn(a, angle):
    s, c = sincos_any(0.5*angle)
    e = unit(a)
    return c, s*e[0], s*e[1], s*e[2]


@leaf
def chart_values(chart, q):
    """Chart values of a quaternion: the shorter way round, for Euler angles the middle one in [0, pi] or +-pi/2.

    Euler angles by sums and differences of half angles [Bernardes & Viollet 2022]: the attitude is kept to rounding
    everywhere; where only a sum or a difference is determined, the third angle is zero.
    """
    w, x, y, z = quaternion_normalized(q)
    if chart == ROTATION_VECTOR:
        return quaternion_log((w, x, y, z))
    if chart == RODRIGUES:
        k = math.copysign(1.0/(1.0 + abs(w)), w)
        return k*x, k*y, k*z
    a, b, c = axes(chart)
    sign, proper = quarter_turns(a, b), a == c
    v, third = (x, y, z), 3 - a - b
    p, r, s = part(v, a), part(v, b), sign*part(v, third)
    if not proper:                                      # a quarter turn about b makes axis c into axis a
        w, p, r, s = w - r, p - s, r + w, s + p
    half_sum, half_difference = angle_of(p, w), angle_of(s, r)
    along, across = math.sqrt(w*w + p*p), math.sqrt(r*r + s*s)
    first, second, last = half_sum + half_difference, 2.0*arctan2(across, along), half_sum - half_difference
    if along == 0.0 or across == 0.0:
        first, last = (2.0*half_sum if across == 0.0 else 2.0*half_difference), 0.0
    if not proper:
        second, last = second - 0.5*math.pi, -sign*last
    return wrapped(first), second, wrapped(last)


@leaf
def wrapped(angle):
    """The same angle in [-pi, pi]; the turn that is taken away is no double, its rest is below rounding"""
    return angle - 2.0*math.pi if angle > math.pi else (angle + 2.0*math.pi if angle < -math.pi else angle)


# ---- D ---------------------------------------------------------------------------------------------------------------
@leaf
def chart_columns(chart, x):
    """The columns of D: what a unit rate of each chart value makes of w"""
    e, f, g = unit(0), unit(1), unit(2)
    if chart == ROTATION_VECTOR:
        h, k = vector_numbers(dot(x, x))
        return vector_column(x, h, k, e), vector_column(x, h, k, f), vector_column(x, h, k, g)
    if chart == RODRIGUES:
        return rodrigues_column(x, e), rodrigues_column(x, f), rodrigues_column(x, g)
    a, b, c = axes(chart)
    return turned_back(c, x[2], turned_back(b, x[1], unit(a))), turned_back(c, x[2], unit(b)), unit(c)


@leaf
def turned_back(a, angle, x):
    """Components of x along axes turned by an angle about axis a"""
    s, c = sincos_any(angle)
    e = unit(a)
    return add(scale(c, x), sub(scale((1.0 - c)*dot(e, x), e), scale(s, cross(e, x))))


@leaf
def vector_numbers(tt):
    """(1 - cos t)/t^2 and (t - sin t)/t^3, of t^2"""
    if tt < SMALL:
        h, k = 0.0, 0.0
        for i in range(9, -1, -1):
            h = (1.0 - tt*h)/((2*i + 1)*(2*i + 2))
            k = (1.0 - tt*k)/((2*i + 2)*(2*i + 3))
        return h, k
    t = math.sqrt(tt)
    s, _ = sincos_any(t)
    s_half, _ = sincos_any(0.5*t)
    return 2.0*s_half*s_half/tt, (t - s)/(tt*t)


@leaf
def vector_column(r, h, k, e):
    """(1 - h [r cross] + k [r cross]^2) e"""
    x = cross(r, e)
    return add(e, sub(scale(k, cross(r, x)), scale(h, x)))


@leaf
def rodrigues_column(p, e):
    """4/(1 + p.p)^2 ((1 - p.p) e - 2 p x e + 2 p (p.e))"""
    pp = dot(p, p)
    x = add(scale(1.0 - pp, e), scale(2.0, sub(scale(dot(p, e), p), cross(p, e))))
    return scale(4.0/((1.0 + pp)*(1.0 + pp)), x)


@leaf
def determinant(columns): return dot(columns[0], cross(columns[1], columns[2]))


@leaf
def chart_condition(chart, x):
    """Least over greatest singular value of D, 0 where the chart is singular, 1 where D is a turn but for its size.

    Euler angles: columns 1 and 3 lean to each other by g, column 2 is square to both, so D'D has 1 and 1 -+ |g|.
    Rotation vectors: 1 along r and twice sin(t/2)/(t/2) across. Rodrigues parameters: three times 4/(1 + p.p).
    """
    if chart == RODRIGUES:
        return 1.0
    if chart == ROTATION_VECTOR:
        t = math.sqrt(dot(x, x))
        if t == 0.0:
            return 1.0
        s, _ = sincos_any(0.5*t)
        return abs(s)/(0.5*t)
    a, _, c = axes(chart)
    s, k = sincos_any(x[1])
    return abs(s)/(1.0 + abs(k)) if a == c else abs(k)/(1.0 + abs(s))


@leaf
def chart_rates(chart, x, w):
    """D^-1 w. Cramer's rule is good for one small singular value, the two of a rotation vector need the closed form."""
    if chart == ROTATION_VECTOR:
        return vector_rates(x, w)
    if chart == RODRIGUES:
        return add(scale(0.25*(1.0 - dot(x, x)), w), scale(0.5, add(cross(x, w), scale(dot(x, w), x))))
    a, b, c = chart_columns(chart, x)
    d = determinant((a, b, c))
    return dot(cross(b, c), w)/d, dot(cross(c, a), w)/d, dot(cross(a, b), w)/d


@leaf
def vector_rates(r, w):
    """w + r x w/2 + (1 - (t/2) cot(t/2)) u x (u x w), u along r"""
    rate, t = add(w, scale(0.5, cross(r, w))), math.sqrt(dot(r, r))
    if t == 0.0:
        return rate
    s, c = sincos_any(0.5*t)
    u = scale(1.0/t, r)
    return add(rate, scale(1.0 - 0.5*t*c/s, cross(u, cross(u, w))))


# ---- many at once: rows of matrices ----------------------------------------------------------------------------------
@leaf
def row3(X, i): return X[i, 0], X[i, 1], X[i, 2]


@leaf
def put(X, i, x):
    for c in range(len(x)):
        X[i, c] = x[c]


@kernel(int64(int64, MATRIX, MATRIX))
def quaternions(chart, x, q):
    """q[i] of chart values x[i]"""
    for i in range(x.shape[0]):
        put(q, i, chart_quaternion(chart, row3(x, i)))
    return OK


@kernel(int64(int64, MATRIX, MATRIX))
def values(chart, q, x):
    """x[i], chart values, of quaternions q[i]"""
    for i in range(x.shape[0]):
        put(x, i, chart_values(chart, (q[i, 0], q[i, 1], q[i, 2], q[i, 3])))
    return OK


@kernel(int64(int64, MATRIX, MATRIX, MATRIX))
def turning(chart, x, rate, w):
    """w[i] = D rate[i]"""
    for i in range(x.shape[0]):
        a, b, c = chart_columns(chart, row3(x, i))
        put(w, i, add(add(scale(rate[i, 0], a), scale(rate[i, 1], b)), scale(rate[i, 2], c)))
    return OK


@kernel(int64(int64, MATRIX, MATRIX, MATRIX))
def rates(chart, x, w, rate):
    """rate[i] = D^-1 w[i]"""
    for i in range(x.shape[0]):
        put(rate, i, chart_rates(chart, row3(x, i), row3(w, i)))
    return OK


@kernel(int64(int64, MATRIX, MATRIX))
def conditions(chart, x, ratio):
    """ratio[i, 0]: least over greatest singular value of D"""
    for i in range(x.shape[0]):
        ratio[i, 0] = chart_condition(chart, row3(x, i))
    return OK
