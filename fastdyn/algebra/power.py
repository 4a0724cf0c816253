"""x to the power p for step-size rules: eight digits, the same bits everywhere (libraries differ in theirs)."""

import math

from .._jit import leaf

LN2 = 0.6931471805599453
ROOT_HALF = 0.7071067811865476


@leaf
def power(x, p):
    """x^p for x > 0, |p log2 x| < 1000: 2^(p log2 x), the logarithm by its odd series, relative error below 1e-8."""
    m, e = math.frexp(x)
    if m < ROOT_HALF:
        m, e = 2.0*m, e - 1
    s = (m - 1.0)/(m + 1.0)
    z = s*s
    log = e + 2.0*s*(1.0 + z*(1/3 + z*(1/5 + z*(1/7 + z*(1/9 + z/11)))))/LN2
    y = p*log
    whole = math.floor(y + 0.5)
    f = (y - whole)*LN2
    series = 1.0 + f*(1.0 + f*(1/2 + f*(1/6 + f*(1/24 + f*(1/120 + f*(1/720 + f*(1/5040 + f/40320)))))))
    return math.ldexp(series, int(whole))
