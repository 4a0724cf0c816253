"""Exponential and hyperbolic tangent with the same bits everywhere: only +, -, *, / and shifts of exponents.

exp: x = k log 2 + r, |r| <= log(2)/2, and the rational form of fdlibm for e^r [SunPro 1993]. tanh: Lambert's continued
fraction x/(1 + x^2/(3 + x^2/(5 + ...))) cut at 19 below 1, where all its terms are positive; 1 - 2/(e^2x + 1) beyond.
Largest errors seen, in units in the last place, over 4e5 arguments: exp 0.86, tanh 1.09.
"""

import math

import numpy as np

from .._jit import leaf

PER_LN2 = 1.44269504088896338700
LN2_HIGH = 6.93147180369123816490e-01                   # the last 21 bits are zero: whole multiples are exact
LN2_LOW = 1.90821492927058770002e-10
P1, P2, P3 = 1.66666666666666019037e-01, -2.77777777770155933842e-03, 6.61375632143793436117e-05
P4, P5 = -1.65339022054652515390e-06, 4.13813679705723846039e-08
LEAST, MOST = -746.0, 710.0                             # e^x is 0 below, infinite above
CUT = 20.0                                              # tanh is 1 from 19.1 on


@leaf
def two_to(k): return float(np.int64((np.int64(k) + 1023) << 52).view(np.float64))


@leaf
def exp_of_sum(x, low):
    """e^(x + low) for LEAST < x < MOST and |low| below some ulps of x"""
    k = math.floor(x*PER_LN2 + 0.5)
    high = x - k*LN2_HIGH                               # exact
    rest = k*LN2_LOW - low
    r = high - rest
    t = r*r
    c = r - t*(P1 + t*(P2 + t*(P3 + t*(P4 + t*P5))))
    y = 1.0 - ((rest - r*c/(2.0 - c)) - high)
    half = int(k) >> 1                                  # in two steps: 2^k itself may be no double
    return y*two_to(half)*two_to(int(k) - half)


@leaf
def exp(x):
    """e^x for every double, NaN for NaN"""
    inside = LEAST < x < MOST
    y = exp_of_sum(x if inside else 0.0, 0.0)
    beyond = math.inf if x > 0.0 else (0.0 if x < 0.0 else x)
    return y if inside else beyond


@leaf
def tanh(x):
    """tanh(x) for every double, odd to the bit, NaN for NaN"""
    s = abs(x)
    if s < 1.0:
        z = s*s
        over = 218243025.0 + z*(16081065.0 + z*(289575.0 + z*(1430.0 + z)))
        rest = 654729075.0 + z*(91891800.0 + z*(2837835.0 + z*(25740.0 + z*55.0)))
        y = s - s*(z*over/(rest + z*over))
    else:
        y = 1.0 - 2.0/(exp(s + s if s < CUT else 2.0*CUT) + 1.0)
    return math.copysign(y, x) if s == s else s
