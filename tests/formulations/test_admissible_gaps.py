"""What springs may pull on: a point on a line in space, held by numbers that are elongations and by such that are not.

Only the first can be said of a closure (docs/theory/loops.md); the others show why, by NumPy alone.
"""

import numpy as np
import pytest
from scipy.integrate import solve_ivp

G, MASS, T_END = np.array([0.0, -9.81, -4.0]), 1.0, 0.6
MIXTURE = np.array([[1.0, -1.0], [0.5, 1.0]])
LOSING = np.array([[0.2, 1.0], [-1.0, 0.2]])            # invertible, no potential: it turns elongations round


def gaps(x):
    """Off the line y = 0.3 x^2, z = 0.2 x^2."""
    return np.array([x[1] - 0.3*x[0]**2, x[2] - 0.2*x[0]**2])


def slopes(x):
    return np.array([[-0.6*x[0], 1.0, 0.0], [-0.4*x[0], 0.0, 1.0]])


def on_the_line(t, y):
    """Multipliers: M a + A' f = M g, A a = -A' v."""
    x, v = y[:3], y[3:]
    A = slopes(x)
    f = np.linalg.solve(A @ A.T, A @ G + np.array([-0.6, -0.4])*v[0]**2)
    return np.concatenate([v, G - A.T @ f])


PULL = {                                                # of springs of stiffness k on the point
    "elongations": lambda k, x: -k*slopes(x).T @ gaps(x),
    "a mixture": lambda k, x: -k*slopes(x).T @ MIXTURE.T @ MIXTURE @ gaps(x),
    "half their squares": lambda k, x: -k*slopes(x).T @ (0.5*gaps(x)**3),
    "one left out": lambda k, x: -k*slopes(x)[0]*gaps(x)[0],
    "without potential": lambda k, x: -k*slopes(x).T @ LOSING @ gaps(x),
}
START = np.array([0.5, 0.075, 0.05, 0.3, 0.09, 0.06])


def off(kind, k):
    """How far the point is at the end from where the line takes it."""
    exact = solve_ivp(on_the_line, (0.0, T_END), START, rtol=1e-10, atol=1e-12).y[:3, -1]
    run = solve_ivp(lambda t, y: np.concatenate([y[3:], G + PULL[kind](k, y[:3])/MASS]), (0.0, T_END), START, "DOP853",
                    rtol=1e-8, atol=1e-10, events=lost)
    return np.linalg.norm(run.y[:3, -1] - exact)


def lost(t, y):
    return np.abs(y[:3]).max() - 10.0


lost.terminal = True


@pytest.mark.parametrize("kind", ["elongations", "a mixture"])
def test_elongations_and_their_mixtures_converge(kind):
    errors = [off(kind, k) for k in (1e3, 1e5)]
    assert errors[1] < 0.05*errors[0] and errors[1] < 1e-3


def test_squares_converge_as_a_root():
    """Without stiffness where they are zero: gaps go as the third root of force over stiffness."""
    errors = [off("half their squares", k) for k in (1e3, 1e5)]
    assert errors[1] > 0.02 and errors[1] > 30.0*off("elongations", 1e5)


def test_one_left_out_never_converges():
    errors = [off("one left out", k) for k in (1e3, 1e5)]
    assert min(errors) > 0.1 and errors[1] == pytest.approx(errors[0], rel=0.1)


def test_without_potential_it_blows_up():
    assert off("without potential", 1e3) > 9.0


def test_every_closure_pulls_with_a_potential():
    """A spring is J' K g of one and the same gaps: the stiffness matrix of a state near closed is J' K J."""
    import fastdyn as fd

    chain = fd.catalog.rrr_rose("P0", method="mdenoc", ks=1e5).replace(gravity=(0.0, 0.0, 0.0))
    q, still, h = chain.start_state()[0], np.zeros(9), 1e-6
    force = np.array([[fd.bias(chain, q + s*h*e, still) for e in np.eye(9)] for s in (1, -1)])
    stiffness, J = (force[0] - force[1])/(2*h), fd.gap_jacobian(chain, q)
    assert np.allclose(stiffness, 1e5*J.T @ J, rtol=0.0, atol=1e-3)
