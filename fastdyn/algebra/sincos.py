"""Sine and cosine together, with the same bits on every machine: only +, -, *, integer masks and no library call.

x = k pi/2 + y, |y| <= pi/4. Up to REDUCED the multiple k pi/2 is taken off in three parts whose first two products are
exact [Cody & Waite, Software Manual for the Elementary Functions, 1980]; beyond, only those bits of 2/pi that matter
are multiplied as integers [Payne & Hanek, SIGNUM Newsletter 18 (1983) 19]. y comes as `y - over`, 106 bits, and goes
into the minimax polynomials of fdlibm [SunPro 1993; Ng, Argument Reduction for Huge Arguments, 1992].
Largest error seen: 0.96 units in the last place, also next to the zeros.
"""

import math

import numpy as np

from .._jit import leaf

REDUCED = 1e5                                           # rad; k < 2^16 here, and k*HALF_PI_1, k*HALF_PI_2 are exact
TWO_OVER_PI = 0.6366197723675814
ROUND = 6755399441055744.0                              # 1.5*2^52: adding it rounds to an integer kept in the last bits
HALF_PI_1 = 1.5707963267923333                          # pi/2 to 2^-36
HALF_PI_2 = 2.5633441515839558e-12                      # the next bits, to 2^-73
HALF_PI_3 = 1.0562999066987428e-23                      # the rest, to 2^-130

HALF_PI = 1.5707963267948966
HALF_PI_LOW = 6.123233995736766e-17
HALF_PI_HEAD = 1.5707963407039642                       # HALF_PI in two halves of 26 bits [Dekker 1971]
HALF_PI_TAIL = HALF_PI - HALF_PI_HEAD
SPLIT = 134217729.0                                     # 2^27 + 1

S1, S2, S3 = 1.66666666666666324348e-01, -8.33333333332248946124e-03, 1.98412698298579493134e-04
S4, S5, S6 = -2.75573137070700676789e-06, 2.50507602534068634195e-08, -1.58969099521155010221e-10
C1, C2, C3 = 4.16666666666666019037e-02, -1.38888888888741095749e-03, 2.48015872894767294178e-05
C4, C5, C6 = -2.75573143513906633035e-07, 2.08757232129817482790e-09, -1.13596475577881948265e-11

# 2/pi, 1200 bits after the point, behind 48 zeros for arguments below 2^55, cut into 24-bit digits
_TWO_OVER_PI_BITS = int(
    "a2f9836e4e441529fc2757d1f534ddc0db6295993c439041fe5163abdebbc561b7246e3a424dd2e006492eea09d1921cfe1d"
    "eb1cb129a73ee88235f52ebb4484e99c7026b45f7e413991d639835339f49c845f8bbdf9283b1ff897ffde05980fef2f118b"
    "5a0a6d1f6d367ecf27cb09b74f463f669e5fea2d7527bac7ebe5f17b3d0739f78a5292ea6bfb5fb11f8d5d0856033046fc7b", 16)
DIGIT = 0xFFFFFF
TWO_OVER_PI_DIGITS = np.array([_TWO_OVER_PI_BITS >> 24*(49 - i) & DIGIT for i in range(-2, 50)], dtype=np.int64)


@leaf
def reduce_near(x):
    """(k, y, over): x = k pi/2 + y - over, for |x| <= REDUCED; only the last two bits of k are meant."""
    shifted = x*TWO_OVER_PI + ROUND
    k = shifted - ROUND
    r = x - k*HALF_PI_1                                 # exact
    w = k*HALF_PI_2                                     # exact
    t = r - w
    v = k*HALF_PI_3
    y = t - v
    over = (v - (t - y)) - ((r - t) - w)
    return np.float64(shifted).view(np.int64), y, over


@leaf
def digit_of_two_over_pi(bit):
    """24 bits of 2/pi from place `bit` on, counted in TWO_OVER_PI_DIGITS"""
    i = bit//24
    r = bit - 24*i
    return (int(TWO_OVER_PI_DIGITS[i]) << r | int(TWO_OVER_PI_DIGITS[i + 1]) >> (24 - r)) & DIGIT


@leaf
def reduce_far(x):
    """(k, y, over) for any finite |x| >= REDUCED: (2/pi) x mod 4 to 137 bits behind the point."""
    f, e = math.frexp(abs(x))
    m = int(f*9007199254740992.0)                       # |x| = m 2^(e - 53)
    m0, m1, m2 = m & DIGIT, m >> 24 & DIGIT, m >> 48
    first = e - 7                                       # bits of 2/pi before this place give multiples of 4
    w1, w2, carry = 0, 0, 0
    a, b, c = 0, 0, 0                                   # the six leading digits of the product, in pairs
    for j in range(7, -1, -1):
        w0 = digit_of_two_over_pi(first + 24*j)
        carry += w0*m0 + w1*m1 + w2*m2
        c = c >> 24 | (b & DIGIT) << 24
        b = b >> 24 | (a & DIGIT) << 24
        a = a >> 24 | (carry & DIGIT) << 24
        carry >>= 24
        w2, w1 = w1, w0
    k = a >> 46
    above = a >> 45 & 1                                 # fraction >= 1/2: take the multiple above, the rest is negative
    k += above
    flip = -above & 0xFFFFFFFFFFFF                      # 1 - fraction to the last digit kept
    a = (a ^ flip) & 0x3FFFFFFFFFFF
    b ^= flip
    c ^= flip
    fa, fb, fc = float(a)*2.0**-46, float(b)*2.0**-94, float(c)*2.0**-142
    t = fb + fc
    h = fa + t
    low = (t - (h - fa)) + (fc - (t - fb))
    g = h*SPLIT
    head = g - (g - h)
    tail = h - head
    p = h*HALF_PI
    rest = (((head*HALF_PI_HEAD - p) + head*HALF_PI_TAIL) + tail*HALF_PI_HEAD) + tail*HALF_PI_TAIL
    rest += h*HALF_PI_LOW + low*HALF_PI
    y = p + rest
    over = (y - p) - rest
    backward = x < 0.0
    negative = backward != (above == 1)
    return np.int64(-k if backward else k), (-y if negative else y), (-over if negative else over)


@leaf
def polynomials(y, over):
    """sin and cos of y - over, |y| <= pi/4"""
    z = y*y
    w = z*z
    s = y - (over + y*z*((S1 + z*S2) + w*((S3 + z*S4) + w*(S5 + z*S6))))
    h = 0.5*z
    u = 1.0 - h
    c = u + (((1.0 - u) - h) + (w*((C1 + z*C2) + w*((C3 + z*C4) + w*(C5 + z*C6))) + y*over))
    return s, c


@leaf
def flip_sign(a, bit): return float(np.int64(np.float64(a).view(np.int64) ^ bit).view(np.float64))


@leaf
def turn_quarters(k, s, c):
    """(sin, cos) of an angle k quarters of a turn further on"""
    odd = k & 1 != 0
    return flip_sign(c if odd else s, (k & 2) << 62), flip_sign(s if odd else c, (k + 1 & 2) << 62)


@leaf
def sincos(x):
    """(sin x, cos x) for |x| <= REDUCED rad, without a branch; beyond, digits get lost and then the result is void.

    NaN and infinity give NaN; sin(-x) = -sin(x) and cos(-x) = cos(x) to the bit, zeros included.
    """
    k, y, over = reduce_near(x)
    s, c = polynomials(y, over)
    return turn_quarters(k, s, c)


@leaf
def sincos_any(x):
    """(sin x, cos x) for every double, the bits of `sincos` up to REDUCED; branches, so not for lane loops."""
    far = REDUCED < abs(x) < math.inf
    k, y, over = reduce_far(x) if far else reduce_near(x)
    s, c = polynomials(y, over)
    return turn_quarters(k, s, c)
