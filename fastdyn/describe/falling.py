"""The published falling chain: elastic links joined by pins, let go as an arch above the ground, and its relatives."""

import math
import re
from contextlib import contextmanager

import numpy as np

from ..beams import Beam
from ..beams.printed import TABLE
from ..status import ModelError
from .chain import Chain
from .check import MOST_LINKS, number, one_of, positive, shown, whole
from .elastic import THEORIES, Elastic
from .ground import Contact, Friction, Ground
from .joints import FreePlanar
from .link import Link
from .words import spelt

PUBLISHED = {"length": 1.0, "A": 3.75e-4, "I": 4.883e-9, "E": 2e11, "G": 7.7e10, "k": 5/6}  # what shapes depend on
OWN_WORDS = (   # what a refusal says of beams and laws -> what it says of this chain's parameters
    (r" \(in the link .*\)$", ""), (r"^beam\.I\b", "I33"), (r"give I\b", "give I33"),
    (r"^beam\.mu\b", "mass_per_length"), (r"give mu >", "give mass_per_length >"), (r"^beam\.", ""),
    (r"^elastic\.modes\b", "m"), (r"^elastic\.ends\b", "modes"), (r"^elastic\.", ""), (r"\btheory\b", "shapes"),
    (r"^contact: (\"[^\"]*\") (is not|has no|needs)", r"law \1 \2"),
    (r"^friction: (\"[^\"]*\") (is not|has no|needs)", r"friction_law \1 \2"),
    (r"^friction: mu of", "friction of"), (r"^friction\.mu\b", "friction"), (r"below mu,", "below friction,"),
    (r">= mu$", ">= friction"),
    (r"^friction: exponent of", "stribeck_exponent of"), (r"^(contact|friction)(: |\.)", ""))
LEVEL = 1e-9    # of a link's length: joints as low as the tips, but for rounding
HIGHEST = 1e9   # lengths of a link: from there a ten-millionth of one is rounding


@spelt
def falling_chain(
    modes: str = "ss-ss-ss",
    n: int = 0,
    m: int = 1,
    shapes: str = "auto",
    length: float = 1.0,
    A: float = 3.75e-4,
    mass_per_length: float = 1.0,
    I33: float = 4.883e-9,
    J33: float = 2.9473e-5,
    E: float = 2e11,
    G: float = 7.7e10,
    k: float = 5/6,
    K_v: float = 125.0,
    gamma: float = 0.025,
    gravity: float = 9.81,
    law: str = "hu-guo",
    restitution: float = 0.8,
    stiffness: float = 140e6,
    exponent: float | None = None,
    slowest: float | None = None,
    clamp: bool = False,
    friction_law: str = "ambrosio",
    friction: float = 0.1,
    v0: float = 1e-4,
    v1: float = 1e-3,
    mu_static: float | None = None,
    viscosity: float | None = None,
    v_stribeck: float | None = None,
    stribeck_exponent: float | None = None,
    band: float | None = None,
    decay: float | None = None,
    tangential: float | None = None,
    steepness: float | None = None,
    v_static: float | None = None,
    v_sliding: float | None = None,
    carried: str = "section",
    spin: str = "frame",
    height: float = 0.9,
    angle: float = 30.0,
) -> Chain:
    """A free chain of elastic links, let go as an arch, hits the ground many times.

    Errors grow a hundred million times from the first touch to 1.5 s. So `fastdyn run falling-chain` takes rtol 1e-10
    and atol 1e-13, while `fd.simulate` with nothing said takes 1e-9 and 1e-12, as for every chain.

    The links lean from +angle at the first to -angle at the last in equal steps, symmetric about x = 0, straight and at
    rest; a single link lies level. Joints and tips hit the ground y = 0.

    Parameters
    ----------
    modes : ends of the modes, a word of two letters for each link, joined by "-".
    n : number of links, the words taken in turn; 0 is as many as there are words.
    m : modes of each link.
    shapes : "timoshenko", "euler-bernoulli", "printed" (the published digits), or "auto": printed where the link is the
        published one and m is 1, else "timoshenko".
    length : of a link, m.
    A, I33 : area and second moment of the section, m^2, m^4.
    mass_per_length, J33 : mass and moment of inertia per length, kg/m, kg m.
    E, G, k : Young's modulus and shear modulus, Pa; shear coefficient.
    K_v, gamma : viscosity of the material, Pa s, and of the air, kg/(m s).
    gravity : m/s^2.
    law, restitution, stiffness, exponent, slowest, clamp : of contact, see Contact; stiffness in N/m^exponent.
    friction_law, friction, v0, v1 : its coefficient, and speeds, m/s, if the law has them.
    mu_static, viscosity, v_stribeck, stribeck_exponent, band, decay, tangential, steepness, v_static, v_sliding : more
        numbers of those friction laws that take them, see Friction.
    carried, spin : see Elastic.
    height : of the lowest joint or tip, m; up to 1e9 lengths of a link.
    angle : degrees.
    """
    if not isinstance(modes, str) or not all(modes.split("-")):
        raise ModelError(f'modes is {shown(modes)}; give a word of two letters for each link, such as "ss-ss-ss"')
    n = whole(n, "n", "links", 0, "or 0 for as many as modes has words", MOST_LINKS)
    m = whole(m, "m", "modes", 0)
    one_of(shapes, ("auto", *THEORIES), "shapes")
    words = modes.split("-")
    if 0 < n < len(words) and len(set(words)) > 1:
        raise ModelError(f'modes is "{modes}", {len(words)} words, and n is {n}; give no more words than links')
    with _own_words():
        beam = Beam(length=length, A=A, I=I33, E=E, G=G, k=k, mu=mass_per_length, J33=J33, K_v=K_v, gamma=gamma)
        made = {word: Elastic(beam=beam, ends=word, modes=m, theory=_theory(shapes, beam, word, m), carried=carried,
                              spin=spin) for word in words}
        links = [Link(elastic=made[words[i % len(words)]]) for i in range(n or len(words))]
        links[0] = Link(elastic=made[words[0]], joint=FreePlanar())
        given = {"mu_static": mu_static, "viscosity": viscosity, "v_stribeck": v_stribeck, "band": band, "decay": decay,
                 "exponent": stribeck_exponent, "tangential": tangential, "steepness": steepness,
                 "v_static": v_static, "v_sliding": v_sliding}
        ground = Ground(contact=Contact(law=law, stiffness=stiffness, exponent=exponent, restitution=restitution,
                                        slowest=slowest, clamp=clamp),
                        friction=_friction(friction_law, given, mu=friction, v0=v0, v1=v1))
        return Chain(links, gravity=(0.0, -number(gravity, "gravity", "m/s^2"), 0.0), name="falling-chain",
                     grounds=[ground], start_q=_arch(len(links), m, beam.length, height, angle))


@contextmanager
def _own_words():
    """Refusals with the words of this page's parameters for those of beams, contacts and friction."""
    try:
        yield
    except ModelError as refused:
        sentence = str(refused)
        for theirs, ours in OWN_WORDS:
            sentence = re.sub(theirs, ours, sentence)
        raise ModelError(sentence) from None


def _theory(shapes, beam, word, m):
    if shapes != "auto":
        return shapes
    published = all(getattr(beam, name) == value for name, value in PUBLISHED.items())
    return "printed" if m == 1 and word in TABLE and published else "timoshenko"


def _friction(law, given, **usual):
    """A law with the numbers that were given, and with those of the usual ones that it takes."""
    from ..laws.friction import FRICTION_LAWS

    taken = [p.name for p in FRICTION_LAWS[law].parameters] if isinstance(law, str) and law in FRICTION_LAWS else []
    return Friction(law=law, **{name: usual[name] for name in taken if name in usual}, **given)


def _arch(n, m, length, height, angle):
    """Coordinates of the chain at the start: place and angle of the first link, turns at the pins, straight beams."""
    height, angle = positive(height, "height", "m"), number(angle, "angle", "degrees")
    if height > HIGHEST*length:
        raise ModelError(f"height is {shown(height, 'm')}; give a height of {HIGHEST*length:g} m or less, {HIGHEST:g} "
                         "lengths of a link: from further up the touch is lost in rounding")
    step = 2*angle/(n - 1) if n > 1 else 0.0
    lean = np.radians((angle if n > 1 else 0.0) - step*np.arange(n))
    lowest = float(np.min(np.cumsum(np.sin(lean))))*length
    x = -float(np.sum(np.cos(lean)))*length/2
    y = height - lowest if lowest < -LEVEL*length else height
    straight = [0.0]*m
    return [x, y, float(lean[0]), *straight, *[-math.radians(step), *straight]*(n - 1)]
