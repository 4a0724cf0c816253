"""What a joint does by itself: spring, damper, limits. Torque (N m) or force (N) along the joint coordinate."""

from .._jit import leaf
from ..layout import DAMPING, LIMIT_DAMPING, LIMIT_STIFFNESS, LOWER, REST, STIFFNESS, UPPER


@leaf
def spring_torque(spring, j, q, v):
    """-k (q - rest) - c v, and the same beyond a limit with the limit's own k, c."""
    torque = -spring[j, STIFFNESS]*(q - spring[j, REST]) - spring[j, DAMPING]*v
    beyond = 0.0
    if q < spring[j, LOWER]:
        beyond = q - spring[j, LOWER]
    elif q > spring[j, UPPER]:
        beyond = q - spring[j, UPPER]
    if beyond != 0.0:
        torque -= spring[j, LIMIT_STIFFNESS]*beyond + spring[j, LIMIT_DAMPING]*v
    return torque


@leaf
def spring_energy(spring, j, q):
    """J stored in the spring and in the limits."""
    stretch = q - spring[j, REST]
    beyond = min(q - spring[j, LOWER], 0.0) + max(q - spring[j, UPPER], 0.0)
    return 0.5*spring[j, STIFFNESS]*stretch*stretch + 0.5*spring[j, LIMIT_STIFFNESS]*beyond*beyond


@leaf
def ball_torque(spring, j, r, w):
    """-k r - c w for a ball joint turned by the rotation vector r, at the rate w."""
    k, c = spring[j, STIFFNESS], spring[j, DAMPING]
    return -k*r[0] - c*w[0], -k*r[1] - c*w[1], -k*r[2] - c*w[2]
