"""What equation (49) of the Boltzmann-Hamel page is made of at a state, link by link."""

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from ..describe.chain import Chain
from ..formulations import boltzmann_hamel as page
from ..layout import BASE_TURN, MASS, MOMENT, PARENT, PLANE_MASS, PLANE_MOMENT, in_plane
from .asking import each_state, numbers, page_of, scratch, sound, states
from .dynamics import answer_of, dense_of
from .wrenches import wrenches

ROAD = "boltzmann-hamel"


class BoltzmannHamelTerms(NamedTuple):
    """The quantities of the page on Boltzmann-Hamel by their symbols there; numbers in brackets are its equations.

    First index: the link, i. Vectors are (n, 3) along the axes of link i unless it is said otherwise; p is its parent.
    A joint of several parts (universal, free in the plane) stands here with its last part, and p is then the part
    before. Gradients have a row for each variable by which is differentiated.

    u, w : velocity, m/s, and angular velocity, rad/s, that joint i adds (9, 25).
    V_J : velocity of joint i as a point of p, along the axes of p, m/s (68).
    V, Omega : velocity of the mass centre, m/s, and angular velocity, rad/s (21).
    V_rate, Omega_rate : d/dt of their components, m/s^2, rad/s^2.
    Omega_by_parent : dOmega_i/dOmega_p = dV_i/dV_p = C', (n, 3, 3) (22).
    V_by_Omega, V_by_parent : dV_i/dOmega_i = [R x], dV_i/dOmega_p = [r x] C', (n, 3, 3), m (22).
    P, H : dT/du and dT/dw: momentum of all that is outward of joint i, kg m/s, and its angular momentum about joint i,
        kg m^2/s (52, 53).
    P_rate, H_rate : d/dt of their components, N, N m.
    turning_P, turning_H : rows of [lambda x] dT/d lambda: w x P and w x H + u x P, N, N m (42).
    Omega_by_alpha, V_by_alpha : [j, i], (n, n, 3, 3): D_i^-T dOmega_j/dalpha_i and D_i^-T dV_j/dalpha_i, rows along the
        axes of link i, columns along those of link j; zero unless j is i or outward of it (62-67).
    T_by_p, T_by_alpha : rows of S^-T dT/dq, N, N m (60).
    Phi_u, Phi_w : quasi-forces, N, N m: force, and moment about joint i, of weight, loads and wrenches on all that is
        outward of joint i (82, 83). Torques of joints are not among them; they count in their own row alone.
    torque : (nv,), N, N m, what (49) leaves to actuators along each freedom: rate + turning - T_by - Phi, less what
        springs, dampers and drives of the joint give; equal to `inverse_dynamics`.
    """

    u: np.ndarray
    w: np.ndarray
    V_J: np.ndarray
    V: np.ndarray
    Omega: np.ndarray
    V_rate: np.ndarray
    Omega_rate: np.ndarray
    Omega_by_parent: np.ndarray
    V_by_Omega: np.ndarray
    V_by_parent: np.ndarray
    P: np.ndarray
    H: np.ndarray
    P_rate: np.ndarray
    H_rate: np.ndarray
    turning_P: np.ndarray
    turning_H: np.ndarray
    Omega_by_alpha: np.ndarray
    V_by_alpha: np.ndarray
    T_by_p: np.ndarray
    T_by_alpha: np.ndarray
    Phi_u: np.ndarray
    Phi_w: np.ndarray
    torque: np.ndarray


def boltzmann_hamel_terms(system: Chain, q: ArrayLike, v: ArrayLike, acc: ArrayLike | None = None, *, t: float = 0.0,
                          wrench: ArrayLike | None = None) -> BoltzmannHamelTerms:
    """Every quantity of d/dt(dT/d lambda) + [lambda x] dT/d lambda - S^-T dT/dq = Phi (49) at a state.

    Parameters
    ----------
    system : Chain of rigid links.
    q, v, t, wrench : as in `inverse_dynamics`, one state or one a row; then each array has a row a state in front.
    acc : accelerations, (nv,) or (batch, nv); None is zero: rates are those of momenta whose lambda is held.

    Returns
    -------
    BoltzmannHamelTerms. Source: [Khoshnood, Azad & Razavi 2016]; docs/theory/boltzmann_hamel.md.

    Examples
    --------
    >>> import fastdyn as fd
    >>> arm = fd.catalog.two_link()
    >>> q, v = arm.start_state()
    >>> terms = fd.boltzmann_hamel_terms(arm, q, [0.0, 0.0, 1.0, 0.0, 0.0, 0.0])    # straight, the first joint turns
    >>> terms.V[:, 1].tolist(), terms.H[:, 2].round(12).tolist()
    ([1.0, 3.0], [32.0, 10.0])
    """
    question, dense = page_of(ROAD, "inverse_dynamics")
    q, v = states(system, q, v, many=True)
    acc = np.zeros_like(v) if acc is None else numbers(acc, v.shape, "acc", system.velocity_names)
    t, wrench = float(numbers(t, (), "t")), wrenches(system, wrench, q)

    def one(q, v, acc, wrench):
        torque = answer_of(system, question, dense, t, ROAD, True, q, v, acc, wrench)
        found = _read(system, scratch(system, dense=dense_of(system, ROAD, dense)).dense)
        return sound(*found, torque)

    return BoltzmannHamelTerms(*each_state(one, q, v, acc, wrench))


def _read(system, D):
    """What the page left in its scratch, row by row, along the axes of links."""
    model = system.model
    n, body = len(model.row), [row for _, row in sorted(system.body_rows.items())]
    rows, centers = D[:page.PER_ROW*n].reshape(n, page.PER_ROW), _centers(model)
    turn = np.concatenate([model.frame, model.base[None, BASE_TURN:BASE_TURN + 9]]).reshape(-1, 3, 3)
    own, before = turn[body], turn[model.row[body, PARENT]]                 # last of all: the base
    R, R_p = _turned(own, centers[body]), centers[model.row[body, PARENT]]
    r = _turned(before, rows[body, page.ARM:page.ARM + 3] - R_p)
    C_t = before @ rows[body, page.TURN_OUT:page.TURN_OUT + 9].reshape(-1, 3, 3) @ own.transpose(0, 2, 1)

    def both(at):
        return _turned(own, rows[body, at:at + 3]), _turned(own, rows[body, at + 3:at + 6])

    (u, w), (P, H) = both(page.JOINT), both(page.MOMENTA)
    V_J = _turned(before, rows[body, page.JOINT_SPEED:page.JOINT_SPEED + 3])
    return (u, w, V_J, *both(page.SPEED), *both(page.SPEED_RATE), C_t, _crossed(R), _crossed(r) @ C_t, P, H,
            *both(page.MOMENTA_RATE), np.cross(w, P), np.cross(w, H) + np.cross(u, P), *_gradients(model, D, body, own),
            *both(page.COORDINATE), *both(page.PULL))


def _gradients(model, D, body, own):
    """The tables of (62)-(67), zero for pairs of links that are not on one way to the base"""
    n, parent = len(model.row), model.row[:, PARENT]
    carried = np.eye(n, dtype=bool)
    for j in range(n):
        if parent[j] >= 0:
            carried[j] |= carried[parent[j]]
    table = D[page.PER_ROW*n:][:page.PER_PAIR*n*n].reshape(n, n, 2, 3, 3)
    table = np.where(carried[:, :, None, None, None], table, 0.0)[np.ix_(body, body)]
    table = own[None, :, None] @ table @ own.transpose(0, 2, 1)[:, None, None]
    return table[:, :, 0], table[:, :, 1]


def _centers(model):
    """Mass centres of the rows, row axes, and of the base; the joint where there is no mass"""
    mass, first = (PLANE_MASS, PLANE_MOMENT) if in_plane(model) else (MASS, MOMENT)
    R = np.zeros((len(model.row) + 1, 3))
    weighs, width = np.flatnonzero(model.body[:, mass] > 0.0), 2 if in_plane(model) else 3
    R[weighs, :width] = model.body[weighs, first:first + width]/model.body[weighs, mass, None]
    return R


def _turned(turns, vectors):
    return np.einsum("nij,nj->ni", turns, vectors)


def _crossed(x):
    """[x cross] of each row"""
    return np.cross(x[:, None], np.eye(3)).transpose(0, 2, 1)
