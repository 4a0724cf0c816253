"""Systems whose equations stand in every book."""

import json

import numpy as np
import pytest
from formulations.common import off, within
from formulations.described import product
from references import FOLDER

import fastdyn as fd
from fastdyn import Body, Chain, Free, Link, Load, Prismatic, Revolute, Sine, Spherical

pytestmark = [pytest.mark.usefixtures("one_ladder"), pytest.mark.kernels]
G = 9.81
angles = np.linspace(-3.0, 3.0, 7)


@pytest.mark.parametrize("space", ["plane", "space"])
def test_point_pendulum(space):
    """l q'' = -g cos q, q from the horizontal"""
    l, m = 0.7, 1.3
    chain = Chain([Link(body=Body.point(m, (l, 0.0, 0.0)))], gravity=(0.0, -G, 0.0), space=space)
    for q in angles:
        assert within(abs(fd.forward_dynamics(chain, [q], [2.0])[0] + G/l*np.cos(q)), 1e-14)
        assert within(abs(fd.mass_matrix(chain, [q])[0, 0] - m*l*l), 1e-15)


@pytest.mark.parametrize("axis", [(1.0, 0.0, 0.0), (0.0, 0.6, 0.8)])
def test_physical_pendulum(axis):
    """(I + m d^2) q'' = -m g d sin(q) cos(slope), about an axis that leans"""
    body = Body(mass=2.0, com=(0.0, 0.3, -0.4), inertia=(0.5, 0.4, 0.3))
    chain = Chain([Link(body=body, joint=Revolute(axis=axis))], space="space")
    e, c = np.array(axis), np.array(body.com)
    I = e @ np.array(body.inertia) @ e + 2.0*np.sum(np.cross(e, c)**2)
    for q in angles:
        turned = np.cos(q)*c + np.sin(q)*np.cross(e, c) + (1.0 - np.cos(q))*(e @ c)*e         # Rodrigues
        expected = e @ np.cross(turned, [0.0, 0.0, -2.0*G])/I
        assert within(abs(fd.forward_dynamics(chain, [q], [1.0])[0] - expected), 2e-14)


def test_sliding_mass():
    """On an incline: x'' = -g sin(slope) + F/m; turned by a turning rod: r'' = r w^2, and Coriolis on the rod"""
    slope, m = 0.4, 1.5
    chain = Chain([Link(joint=Prismatic(axis=(np.cos(slope), np.sin(slope), 0.0)), body=Body.point(m))],
                  gravity=(0.0, -G, 0.0))
    assert within(abs(fd.forward_dynamics(chain, [0.3], [5.0], [2.0])[0] - (2.0/m - G*np.sin(slope))), 4e-15)
    I = 0.2
    rod = Chain([Link(body=Body(mass=1.0, inertia=(I, I, I))),
                 Link(joint=Prismatic(), at=(0.0, 0.0, 0.0), body=Body.point(m))], gravity=(0.0, 0.0, 0.0))
    r, w, u = 0.8, 3.0, -2.0
    acc = fd.forward_dynamics(rod, [0.3, r], [w, u])
    assert within(abs(acc[1] - r*w*w), 4e-15) and within(abs(acc[0] + 2.0*m*r*w*u/(I + m*r*r)), 4e-15)


def test_double_pendulum():
    """Point masses at the ends, absolute angles a, b from the vertical (Landau and Lifshitz, section 5, problem 1):

    (m1 + m2) l1 a'' + m2 l2 b'' cos(a - b) + m2 l2 b'^2 sin(a - b) + (m1 + m2) g sin a = 0
    l2 b'' + l1 a'' cos(a - b) - l1 a'^2 sin(a - b) + g sin b = 0
    """
    m1, m2, l1, l2 = 1.2, 0.7, 0.9, 0.6
    chain = Chain([Link(length=l1, body=Body.point(m1, (l1, 0.0, 0.0))), Link(body=Body.point(m2, (l2, 0.0, 0.0)))],
                  gravity=(G, 0.0, 0.0))
    for a, b, u, w in np.random.default_rng(1).uniform(-3.0, 3.0, (20, 4)):
        s, c = np.sin(a - b), np.cos(a - b)
        A = [[(m1 + m2)*l1, m2*l2*c], [l1*c, l2]]
        x, y = np.linalg.solve(A, [-m2*l2*w*w*s - (m1 + m2)*G*np.sin(a), l1*u*u*s - G*np.sin(b)])
        assert within(off(fd.forward_dynamics(chain, [a, b - a], [u, w - u]), [x, y - x]), 3e-15)


@pytest.mark.parametrize("joint", [Spherical(), Free()])
def test_euler_equations(joint):
    """I w' = M - w x I w for a body on its mass centre; a floating one falls besides: V' = R'g + F/m - w x V"""
    I = np.array([[0.5, 0.1, -0.05], [0.1, 0.7, 0.02], [-0.05, 0.02, 0.4]])
    chain = Chain([Link(joint=joint, body=Body(mass=2.0, inertia=I))], space="space")
    rng = np.random.default_rng(2)
    for _ in range(20):
        q = np.concatenate([rng.normal(size=3), rng.normal(size=4)])[7 - chain.nq:]
        q[-4:] /= np.linalg.norm(q[-4:])
        v, torque = rng.normal(size=(2, chain.nv))
        w, acc = v[-3:], fd.forward_dynamics(chain, q, v, torque)
        assert within(off(acc[-3:], np.linalg.solve(I, torque[-3:] - np.cross(w, I @ w))), 4e-15)
        if chain.nv == 6:
            down = fd.orientation(chain, q, "link1").T @ [0.0, 0.0, -G]
            assert within(off(acc[:3], down + torque[:3]/2.0 - np.cross(w, v[:3])), 4e-15)


def test_symmetric_top():
    """A steady precession: with spin s about its axis, leaning by th, at the rate p that solves

    I1 p^2 cos(th) - I3 (s + p cos th) p + m g d = 0 (Goldstein, section 5.7); the axis turns, nothing else changes.
    """
    m, d, I1, I3, th, p = 1.0, 0.4, 0.3, 0.08, 0.7, 2.5
    s = (I1*p*p*np.cos(th) + m*G*d)/(I3*p) - p*np.cos(th)
    about_com = I1 - m*d*d
    body = Body(mass=m, com=(0.0, 0.0, d), inertia=(about_com, about_com, I3))
    chain = Chain([Link(joint=Spherical(), body=body)], space="space")
    spin = 1.1
    for turn in (0.0, 1.9):
        q = product(product(about("z", turn), about("x", th)), about("z", spin))
        R = fd.orientation(chain, q, "link1")
        w = R.T @ [0.0, 0.0, p] + [0.0, 0.0, s]
        expected = -np.cross([0.0, 0.0, s], R.T @ [0.0, 0.0, p])        # the vertical, seen from the spinning body
        assert within(off(fd.forward_dynamics(chain, q, w), expected), 1e-14)


def about(axis, angle):
    return np.array([np.cos(angle/2), *(np.sin(angle/2)*np.array([axis == "x", axis == "y", axis == "z"]))])


def slender(I, force=None):
    """Two equal links of 3 kg and 2 m; forces across the links at their ends [Khoshnood, Azad, Razavi 2016, sec. 6]"""
    loads = [] if force is None else [Load(force=(0.0, 1.0, 0.0), at=(2.0, 0.0, 0.0), signal=force)]
    body = Body(mass=3.0, com=(1.0, 0.0, 0.0), inertia=(min(I, 1.0), I, I))
    return Chain([Link(length=2.0, body=body, loads=loads)]*2, gravity=(0.0, 0.0, 0.0))


@pytest.mark.parametrize("space", ["plane", "space"])
@pytest.mark.parametrize("I", [1.0, 0.2])
def test_two_links_of_khoshnood(I, space):
    """Its equations (91), for any I_zz"""
    m, l = 3.0, 1.0
    chain = slender(I).replace(space=space)
    for p1, p2, u, w, f1, f2 in np.random.default_rng(3).uniform(-3.0, 3.0, (20, 6)):
        c, s = np.cos(p2), np.sin(p2)
        A = [[2*I + 6*m*l*l + 4*m*l*l*c, I + m*l*l + 2*m*l*l*c], [I + m*l*l + 2*m*l*l*c, I + m*l*l]]
        b = [2*l*(f1 + f2*(1 + c)) + 2*m*l*l*s*w*(2*u + w), 2*l*f2 - 2*m*l*l*s*u*u]
        wrench = np.array([[0.0, f1, 0.0, 0.0, 0.0, 2.0*l*f1], [0.0, f2, 0.0, 0.0, 0.0, 2.0*l*f2]])
        acc = fd.forward_dynamics(chain, [p1, p2], [u, w], wrench=wrench)
        assert within(off(acc, np.linalg.solve(A, b)), 1e-14)


@pytest.mark.parametrize("case", [0, 1])
def test_two_links_of_khoshnood_in_motion(case):
    """20 s under 0.1 sin t N, against two integrations with 45 digits"""
    from scipy.integrate import solve_ivp

    data = json.loads((FOLDER/"two_link_published.json").read_text())["cases"][case]
    chain = slender(data["Izz"], Sine(data["force_amplitude"], data["force_omega"]))
    rows = np.array(data["rows"])
    run = solve_ivp(lambda t, y: [*y[2:], *fd.forward_dynamics(chain, y[:2], y[2:], t=t)], (0.0, 20.0), np.zeros(4),
                    method="DOP853", rtol=1e-12, atol=1e-14, t_eval=rows[:, 0])
    assert within(np.abs(run.y.T - rows[:, 1:5]).max(), 1e-11)
    energy = [fd.kinetic_energy(chain, y[:2], y[2:]) for y in run.y.T]
    assert within(np.abs(energy - rows[:, 5]).max(), 1e-12)
