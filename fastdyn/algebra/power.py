"""Powers by way of logarithms, for step-size rules: eight digits, the same bits everywhere (libraries differ)."""

import math

import numpy as np

from .._jit import leaf

LN2 = 0.6931471805599453
ROOT_TWO = 1.4142135623730951
ONE = 1023 << 52                                        # the bits of 1.0
MANTISSA = (1 << 52) - 1


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
