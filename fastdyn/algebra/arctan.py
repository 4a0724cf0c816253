"""Arc tangent with the same bits everywhere (the fdlibm kernel, Sun Microsystems 1993: error below one ulp)."""

import math

from .._jit import leaf


@leaf
def series(x):
    """x - atan(x) for |x| <= 7/16"""
    z = x*x
    w = z*z
    even = z*(3.33333333333329318027e-01 + w*(1.42857142725034663711e-01 + w*(9.09088713343650656196e-02 + w*(
        6.66107313738753120669e-02 + w*(4.97687799461593236017e-02 + w*1.62858201153657823623e-02)))))
    odd = w*(-1.99999999998764832476e-01 + w*(-1.11111104054623557880e-01 + w*(-7.69187620504482999495e-02 + w*(
        -5.83357013379057348645e-02 + w*-3.65315727442169155270e-02))))
    return x*(even + odd)


@leaf
def arctan(x):
    """atan(x) for x >= 0"""
    if x < 0.4375:
        return x - series(x)
    if x < 0.6875:
        y, high, low = (2.0*x - 1.0)/(2.0 + x), 4.63647609000806093515e-01, 2.26987774529616870924e-17
    elif x < 1.1875:
        y, high, low = (x - 1.0)/(x + 1.0), 7.85398163397448278999e-01, 3.06161699786838301793e-17
    elif x < 2.4375:
        y, high, low = (x - 1.5)/(1.0 + 1.5*x), 9.82793723247329054082e-01, 1.39033110312309984516e-17
    else:
        y, high, low = -1.0/x, 1.57079632679489655800e+00, 6.12323399573676603587e-17
    return high - ((series(y) - low) - y)


@leaf
def arctan2(y, x):
    """Angle of (x, y) in [0, pi], for y >= 0"""
    if x > 0.0:
        return arctan(y/x)
    if x < 0.0:
        return math.pi - (arctan(y/-x) - 1.22464679914735317636e-16)
    return 0.5*math.pi if y > 0.0 else 0.0
