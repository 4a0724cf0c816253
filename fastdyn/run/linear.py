"""Small motions beside a state: the linear system a controller is made for, natural frequencies and their shapes.

Source: [Goldstein 1980], [Wehage & Haug 1982] for the coordinates of closed loops; docs/theory/linear.md.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike
from scipy.linalg import eig, eigh, qr

from ..describe.chain import Chain
from ..formulations import loops as k
from ..layout import held_exactly
from ..status import ModelError
from .asking import numbers, states
from .assembly import check_closed
from .driving import driven, motions
from .dynamics import forward_dynamics, mass_matrix
from .loops import gap_list, jacobian_of, moved
from .places import ORIGIN, jacobian
from .scales import scales

FAR = 0.04                  # rad, or that share of a length: the largest of the steps, each half of the one before
STEPS = 4
SMOOTH = 1e-6               # what the last two estimates may differ by, of the largest rate
AT_REST = 1e-6              # of the stiffness, what may be left of the acceleration in an equilibrium
ROUNDING = 1e-10            # of the largest: rates and asymmetries below it are none
RIGID = 1e-13               # of the largest squared frequency: below it nothing holds the motion
CLOSE = 8                   # Newton's steps that close the loops of a neighbour


class Linear(NamedTuple):
    """dx/dt = drift + A x + B u, y = C x + D u, beside a state.

    x : how far the `freedoms` have moved, then how much faster they are. Ball joints and floating links turn and move
    along the link's own axes, beside the motion of the state itself.
    u : what the inputs give on top of the torques at the state. y : moves of the points asked for, else x.
    basis : (nv, freedoms), speeds of all joints per speed of the freedoms. drift : rates at the state, 0 if it stays.
    scale : (freedoms,) moves of one size: 1 of what turns, a length of the chain of what slides.
    """

    A: np.ndarray
    B: np.ndarray
    C: np.ndarray
    D: np.ndarray
    drift: np.ndarray
    basis: np.ndarray
    scale: np.ndarray
    freedoms: tuple[str, ...]
    inputs: tuple[str, ...]
    outputs: tuple[str, ...]

    @property
    def states(self) -> tuple[str, ...]:
        """Names of x."""
        return (*(f"move of {name}" for name in self.freedoms), *self.freedoms)

    def to_control(self):
        """The same as a `control.StateSpace`, with names; it has no drift, which must be small."""
        try:
            import control
        except ImportError:
            raise ModelError('python-control is not installed; get it with: pip install "fastdyn[control]"') from None
        self.check_steady()
        names = {"states": self.states, "inputs": self.inputs, "outputs": self.outputs}
        plain = {what: [name.replace(".", "_").replace(" ", "_") for name in given] for what, given in names.items()}
        return control.ss(self.A, self.B, self.C, self.D, **plain)

    def check_steady(self):
        """Refuse a state that does not stay, with what moves."""
        m = len(self.freedoms)
        if not m:
            return
        stiffness = np.abs(self.A[m:, :m]*self.scale).max(axis=1)
        left = (np.abs(self.drift[m:]) - AT_REST*stiffness)/self.scale
        at = int(left.argmax())
        if left[at] > 0.0:
            raise ModelError(f"{self.freedoms[at]} changes by {self.drift[m + at]:.6g} a second in this state, which "
                             "is no equilibrium; give the torques that hold it, those of fastdyn.bias or "
                             "drive_torques, or another state")


class Modes(NamedTuple):
    """Free small motions about an equilibrium, slowest first: each moves as shape e^(root t), or its real part.

    roots : (modes,) complex, 1/s; of a pair of them the one that turns forwards. An undamped motion that nothing holds
    has the root 0, one that falls over a positive one.
    frequency : (modes,) rad/s. damping : (modes,) share of the critical damping, 1 of what does not swing, nan of what
    nothing holds. shape : (nv, modes) moves of all joints, the largest 1.
    """

    roots: np.ndarray
    frequency: np.ndarray
    damping: np.ndarray
    shape: np.ndarray


def linearize(system: Chain, q: ArrayLike | None = None, v: ArrayLike | None = None, torque: ArrayLike | None = None, *,
              inputs=None, outputs=None, t: float = 0.0) -> Linear:
    """The linear system of small motions beside a state, loops kept closed.

    Parameters
    ----------
    q, v, torque : the state, and what actuators give in it; the chain's start and none if not given.
    inputs : names of the links whose joints are driven; all joints if not given.
    outputs : (link, point) each, as `position` takes them, or names of links for their origins; x if not given.
    t : time, s, for drives and loads, which stay as they are then.

    Accelerations are differentiated by central differences with extrapolation, to 1e-10 or so; where they are not
    smooth, at the edge of a limit, that is refused. Forces of grounds are left out, as in `forward_dynamics`.

    Examples
    --------
    >>> import fastdyn as fd
    >>> rod = fd.Chain([fd.Link(length=1.0, mass=1.0)])
    >>> hanging = fd.linearize(rod, [-1.5707963267948966])
    >>> round(float(hanging.A[1, 0]), 6), round(float(hanging.B[1, 0]), 6)      # -3 g/2l, 3/m l^2
    (-14.715, 3.0)
    """
    start = system.start_state() if isinstance(system, Chain) else (None, None)
    q, v = states(system, start[0] if q is None else q, start[1] if v is None and q is None else
                  np.zeros(system.nv) if v is None else v)
    torque = np.zeros(system.nv) if torque is None else numbers(torque, (system.nv,), "torque", system.velocity_names)
    at = range(system.nv) if inputs is None else driven(system, inputs)
    q = moved(system, q, np.zeros(system.nv))                       # quaternions of length one
    check_closed(system, q, v)
    size = scales(system).speeds
    chosen = _independent(motions(system, q), size)
    N, m = _basis(system, q, chosen), len(chosen)
    names = tuple(system.velocity_names[i] for i in chosen)

    def rate(q, v, more=0.0):
        return forward_dynamics(system, q, v, torque + more, t=t)[chosen]

    def aside(z, w):
        there = _closed_beside(system, q, N @ z, chosen)
        return rate(there, _basis(system, there, chosen) @ (v[chosen] + w))

    A = np.zeros((2*m, 2*m))
    A[:m, :m] = _carried(system, v, N)[chosen]
    A[:m, m:] = np.eye(m)
    here, one, fast = rate(q, v), np.eye(m)*size[chosen], max(1.0, np.abs(v/size).max())
    ways = [(e, 0.0*e) for e in one] + [(0.0*e, fast*e) for e in one]
    A[m:] = _slopes(lambda way, h: aside(h*way[0], h*way[1]), ways, here, size[chosen], names)
    A[m:] /= np.concatenate([size[chosen], fast*size[chosen]])
    B = np.zeros((2*m, len(at)))
    for j, column in enumerate(at):
        B[m:, j] = rate(q, v, np.eye(system.nv)[column]) - here
    drift = np.concatenate([np.zeros(m), here])                     # x is counted from the state, wherever it moves to
    C, said = _outputs(system, q, N, outputs, names)
    return Linear(A, B, C, np.zeros((len(C), len(at))), drift, N, size[chosen], names,
                  tuple(system.velocity_names[i] for i in at), said)


def modes(system: Chain, q: ArrayLike | None = None, torque: ArrayLike | None = None, *, t: float = 0.0) -> Modes:
    """Natural frequencies, damping and shapes of the small motions about an equilibrium at rest, loops kept closed.

    Arguments as in `linearize`; a state that is no equilibrium is refused with what moves.

    Examples
    --------
    >>> import fastdyn as fd
    >>> rod = fd.Chain([fd.Link(length=1.0, mass=1.0)])
    >>> round(float(fd.modes(rod, [-1.5707963267948966]).frequency[0]), 6)      # sqrt(3 g/2l)
    3.836013
    """
    start = system.start_state()[0] if isinstance(system, Chain) else None
    q, _ = states(system, start if q is None else q)
    found = linearize(system, q, np.zeros(system.nv), torque, t=t)
    found.check_steady()
    N, m = found.basis, len(found.freedoms)
    M, K, D = N.T @ mass_matrix(system, q) @ N, -found.A[m:, :m], -found.A[m:, m:]
    K, D = M @ K, M @ D
    scale = 1.0/np.sqrt(np.diag(M))                                 # rows and columns of one size, whatever their units
    M, K, D = (scale[:, None]*X*scale for X in (M, K, D))
    most = np.abs(K).max(initial=0.0)
    plain = np.abs(D).max(initial=0.0) <= ROUNDING*np.sqrt(most) and np.abs(K - K.T).max(initial=0.0) <= ROUNDING*most
    roots, z = _undamped(M, K) if plain else _damped(M, K, D)
    order = np.lexsort((-roots.real, np.abs(roots)))
    roots, shape = roots[order], (N @ (scale[:, None]*z))[:, order]
    shape = shape/np.take_along_axis(shape, np.abs(shape).argmax(axis=0)[None], axis=0)
    with np.errstate(invalid="ignore"):
        damping = np.where(roots == 0.0, np.nan, -roots.real/np.abs(roots)) + 0.0
    return Modes(roots, np.abs(roots), damping, shape.real.copy() if plain else shape)


def _undamped(M, K):
    """(roots, z) where all forces have an energy: squared frequencies are real."""
    square, z = eigh((K + K.T)/2, M)
    square[np.abs(square) <= RIGID*np.abs(square).max(initial=0.0)] = 0.0
    falling = np.flatnonzero(square < 0.0)
    roots = np.where(square > 0.0, 1j, 1.0)*np.sqrt(np.abs(square))
    return np.concatenate([roots, -roots[falling]]), np.hstack([z, z[:, falling]])


def _damped(M, K, D):
    """(roots, z) with one of each pair that swings."""
    m = len(M)
    roots, x = eig(np.block([[np.zeros((m, m)), np.eye(m)], [-np.linalg.solve(M, np.hstack([K, D]))]]))
    kept = roots.imag >= 0.0
    return roots[kept], x[:m, kept]


def _slopes(rate, ways, here, size, names):
    """Derivatives of rate(way, h) at h = 0, a column each: central differences freed of h^2, h^4, h^6.

    here : rate at h = 0. Kinks are found by second differences over h, which go to zero where there is none.
    """
    steps = FAR*0.5**np.arange(STEPS)
    ahead, back = (np.array([[rate(way, sign*h) for way in ways] for h in steps]) for sign in (1.0, -1.0))
    slopes, bends = (x/steps[:, None, None] for x in ((ahead - back)/2.0, ahead - 2.0*here + back))
    for order in range(1, STEPS):
        last, slopes = slopes[-1], slopes[1:] + np.diff(slopes, axis=0)/(4.0**order - 1.0)
        bends = bends[1:] + np.diff(bends, axis=0)/(2.0**(2*order - 1) - 1.0)
    left = np.abs(np.array([slopes[0] - last, bends[0]])/size).max(axis=(0, 2), initial=0.0)
    most = np.abs(np.array([ahead[0]/FAR, slopes[0]])/size).max(axis=(0, 2), initial=0.0)
    rough = np.flatnonzero(left > SMOOTH*np.maximum(most, SMOOTH*most.max(initial=0.0)))
    if len(rough):
        raise ModelError(f"accelerations do not change smoothly with {names[rough[0] % len(names)]} beside this state, "
                         "as at the edge of a limit; take a state apart from it")
    return slopes[0].T


def _independent(N, size):
    """Numbers of the speeds that all others follow from, those that do best."""
    _, _, order = qr((N/size[:, None]).T, mode="economic", pivoting=True)
    return np.sort(order[:N.shape[1]])


def _basis(system, q, chosen):
    """(nv, freedoms): speeds of all joints per speed of the chosen ones."""
    held = held_exactly(system.model)
    if not held:
        return np.eye(system.nv)[:, chosen]
    J = jacobian_of(system, q)[:held]
    N, others = np.zeros((system.nv, len(chosen))), np.setdiff1d(np.arange(system.nv), chosen)
    N[chosen] = np.eye(len(chosen))
    N[others] = -np.linalg.lstsq(J[:, others], J[:, chosen], rcond=None)[0]
    return N


def _closed_beside(system, q, step, chosen):
    """q moved by a step, the joints that are not chosen such that loops close."""
    held, there = held_exactly(system.model), moved(system, q, step)
    if not held:
        return there
    others, more = np.setdiff1d(np.arange(system.nv), chosen), np.zeros(system.nv)
    for _ in range(CLOSE):
        gap = gap_list(system, k.gap_values, there)[:held]
        more[others] = -np.linalg.lstsq(jacobian_of(system, there)[:held][:, others], gap, rcond=None)[0]
        there = moved(system, there, more)
    return there


def _carried(system, v, N):
    """(nv, freedoms): rates of small moves because the state turns, seen along the axes of the link."""
    rates = np.zeros((system.nv, system.nv))
    for link in system.links:
        names, first = link.joint.v_names, system.v_slice(link.name).start
        if "qw" not in link.joint.q_names:
            continue
        turn = first + names.index("wx")
        w = _cross(v[turn:turn + 3])
        rates[turn:turn + 3, turn:turn + 3] = -w
        if turn > first:
            rates[first:first + 3, first:first + 3] = -w
            rates[first:first + 3, turn:turn + 3] = -_cross(v[first:first + 3])
    return rates @ N


def _cross(w):
    x, y, z = w
    return np.array([[0.0, -z, y], [z, 0.0, -x], [-y, x, 0.0]])


def _outputs(system, q, N, outputs, names):
    """(C, names of y)"""
    m = len(names)
    if outputs is None:
        return np.eye(2*m), (*(f"move of {name}" for name in names), *names)
    if isinstance(outputs, str):
        raise ModelError(f'outputs is "{outputs}"; give the names of links, or (link, point), in a list')
    rows, said, axes = [np.empty((0, 2*m))], [], "xy" if system.planar else "xyz"
    for one in outputs:
        link, point = (one, ORIGIN) if isinstance(one, str) else one
        J = jacobian(system, q, link, point)[:len(axes)] @ N
        rows.append(np.hstack([J, np.zeros_like(J)]))
        where = link if isinstance(one, str) else f"{link} {point if isinstance(point, str) else tuple(point)}"
        said += [f"{where} {axis}" for axis in axes]
    return np.vstack(rows), tuple(said)
