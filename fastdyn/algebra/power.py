"""Powers by way of logarithms, the same bits everywhere (libraries differ).

`rough_log2` and `rough_exp2` give four digits, soon: what the next step waits for. `power` gives eight digits, enough
for any step-size rule. `accurate_power` gives all of them: its logarithm is a sum of two doubles, good to 62 bits.
Largest error seen over 4e5 arguments: 0.89 units in the last place.
"""

import math

import numpy as np

from .._jit import leaf
from .exponential import LN2_HIGH, LN2_LOW, exp_of_sum
from .sincos import SPLIT

LN2 = 0.6931471805599453
ROOT_TWO = 1.4142135623730951
ONE = 1023 << 52                                        # the bits of 1.0
MANTISSA = (1 << 52) - 1
LEAST_NORMAL = 2.0**-1022
THIRD, THIRD_LOW = 1/3, 2.0**-54/3.0                    # 1/3 to 106 bits
FAR = 800.0                                             # e^FAR is no double, nor is e^-FAR
TO_WHOLE = 1.5*2.0**52                                  # what is added to it ends on a whole number, in its last bits
# of least largest error: log2(1 + f) = f + f(1 - f)(L0 + L1 f + ...), 0 <= f < 1, and 2^f = 1 + E1 f + ..., |f| <= 1/2
L0, L1, L2, L3 = 0.44191704136187204, -0.2671794171552822, 0.14842666840007898, -0.04514905599252738
E1, E2, E3, E4 = 0.693124193388117, 0.240240985983446, 0.055906424808596436, 0.009582853619940076


@leaf
def rough_log2(x):
    """Logarithm of finite x > 0 (not subnormal) to base 2, error below 1.6e-5; exact for powers of two, rising."""
    bits = np.float64(x).view(np.int64)
    f = float(np.int64(bits & MANTISSA | ONE).view(np.float64)) - 1.0
    return ((bits >> 52) - 1023) + (f + f*(1.0 - f)*((L0 + L1*f) + f*f*(L2 + L3*f)))


@leaf
def rough_exp2(y):
    """2^y for |y| < 1000, relative error below 3e-6; exact for whole y."""
    whole = np.float64(y + TO_WHOLE)
    f = y - (whole - TO_WHOLE)
    z = f*f
    series = (1.0 + E1*f) + z*((E2 + E3*f) + z*E4)
    return series*float(np.int64((whole.view(np.int64) << 52) + ONE).view(np.float64))


@leaf
def log2(x):
    """Logarithm of x > 0 (not subnormal) to base 2, error below 1e-9: the odd series about 1."""
    bits = np.float64(x).view(np.int64)
    e = (bits >> 52) - 1023
    m = float(np.int64(bits & MANTISSA | ONE).view(np.float64))
    m, e = (0.5*m, e + 1) if m > ROOT_TWO else (m, e)
    s = (m - 1.0)/(m + 1.0)
    z = s*s
    return e + s*(2.0/LN2)*(1.0 + z*(1/3 + z*(1/5 + z*(1/7 + z*(1/9 + z/11)))))


@leaf
def exp2(y):
    """2^y for |y| < 1000, relative error below 1e-9."""
    whole = math.floor(y + 0.5)
    f = (y - whole)*LN2
    series = 1.0 + f*(1.0 + f*(1/2 + f*(1/6 + f*(1/24 + f*(1/120 + f*(1/720 + f*(1/5040 + f/40320)))))))
    return series*float(np.int64((np.int64(whole) << 52) + ONE).view(np.float64))


@leaf
def power(x, p):
    """x^p for x > 0 (not subnormal), |p log2 x| < 1000, relative error below 1e-8."""
    return exp2(p*log2(x))


@leaf
def two_sum(a, b):
    """a + b = rounded sum + rest, for |a| >= |b|"""
    total = a + b
    return total, b - (total - a)


@leaf
def two_product(a, b):
    """a b = rounded product + rest [Dekker 1971], for factors below 1e290"""
    g, h = a*SPLIT, b*SPLIT
    a1, b1 = g - (g - a), h - (h - b)
    a2, b2 = a - a1, b - b1
    p = a*b
    return p, ((a1*b1 - p) + a1*b2 + a2*b1) + a2*b2


@leaf
def log_parts(x):
    """log x = high + low for finite x > 0: 2s(1 + s^2/3 + s^4/5 + ...) with s = (m - 1)/(m + 1), as two doubles."""
    small = x < LEAST_NORMAL
    bits = np.float64(x*2.0**54 if small else x).view(np.int64)
    e = int(bits >> 52) - (1077 if small else 1023)
    m = float(np.int64(bits & MANTISSA | ONE).view(np.float64))
    m, e = (0.5*m, e + 1) if m > ROOT_TWO else (m, e)
    f, g = m - 1.0, m + 1.0                             # f is exact
    g_low = m - (g - 1.0)
    s = f/g
    p, p_low = two_product(s, g)
    s_low = (((f - p) - p_low) - s*g_low)/g
    z, z_low = two_product(s, s)
    z_low += 2.0*s*s_low
    tail = z*z*(1/5 + z*(1/7 + z*(1/9 + z*(1/11 + z*(1/13 + z*(1/15 + z*(1/17 + z*(1/19 + z*(1/21 + z/23)))))))))
    t, t_low = two_product(z, THIRD)
    u, u_low = two_sum(t, tail)
    u_low += t_low + z*THIRD_LOW + z_low*THIRD
    v, v_low = two_product(s, u)
    high, low = two_sum(s, v)
    low += s_low + v_low + (s*u_low + s_low*u)
    total, rest = two_sum(e*LN2_HIGH, 2.0*high) if e != 0 else (2.0*high, 0.0)
    return two_sum(total, rest + (2.0*low + e*LN2_LOW))


@leaf
def accurate_power(x, p):
    """x^p for x >= 0 and |p| < 1e290, error below one unit in the last place; NaN for x < 0 or NaN."""
    if p == 0.0 or x == 1.0:
        return 1.0
    if not 0.0 < x < math.inf:
        high, low = (math.inf if x > 0.0 else -math.inf if x == 0.0 else math.nan), 0.0
    else:
        high, low = log_parts(x)
    y = p*high
    if not abs(y) < FAR:
        return math.inf if y > 0.0 else (0.0 if y < 0.0 else math.nan)
    y, rest = two_product(p, high)
    if y <= -746.0:
        return 0.0
    return exp_of_sum(y, rest + p*low) if y < 710.0 else math.inf
