"""Runs against formulas: rebounds of every law, an oblique rod, a beam that rings, flights, limits, mirrors."""

import math

import numpy as np
import pytest
from elastic_references import read
from formulations.common import off, within
from formulations.elastic_chains import beam_changed, elastic_changed, one_ladder_of_beams

import fastdyn as fd
from fastdyn import Beam, Chain, Contact, Elastic, Fixed, FreePlanar, Ground, Link
from fastdyn.describe.falling import falling_chain

__all__ = ["one_ladder_of_beams"]
pytestmark = pytest.mark.usefixtures("one_ladder_of_beams")
REBOUNDS = read("closed_forms")["rebound"]["rows"]
FLAT = read("closed_forms")["flat_rigid_drop_v3"]
RINGING = read("closed_forms")["single_ss_link_free_free"]
STEEL = Beam(length=1.0, E=2e11, G=7.7e10, A=3.75e-4, I=4.883e-9, mu=1.0, J33=2.9473e-5, K_v=125.0, gamma=0.025)
WHIP = Beam(length=0.8, E=2e8, G=8e7, A=3e-4, I=4e-9, rho=2000.0, J33=2e-3)
RIGID = Elastic(beam=STEEL, ends="ss", modes=0)


def rod(law, restitution, v, angle=0.0, stiffness=140e6, height=0.1):
    """One rigid link of the published size thrown down, without weight."""
    ground = Ground(contact=Contact(law=law, stiffness=stiffness, restitution=restitution))
    return Chain([Link(elastic=RIGID, joint=FreePlanar())], gravity=(0.0, 0.0, 0.0), grounds=[ground],
                 start_q=(0.0, height, angle), start_v=(0.0, -v, 0.0))


@pytest.mark.parametrize("row", REBOUNDS)
def test_the_restitution_of_a_flat_drop(row):
    """Each end carries half of the mass: a point mass against a law, whatever its speed."""
    law, told = row.rsplit("_", 1)
    for v in (3.0, 0.1):
        contacts = fd.simulate(rod(law, float(told), v), 0.11*v**-1 + 0.02, samples=2, rtol=1e-11).contacts
        assert len(contacts) == 2 and contacts["start"][0] == contacts["start"][1]
        assert within(np.max(np.abs(contacts["restitution"] - REBOUNDS[row]["e"])), 1e-9)
        c, most = REBOUNDS[row]["c"], (2.5*0.5*v*v*REBOUNDS[row]["G1"]/140e6)**0.4
        assert within(off(contacts["depth"], np.full(2, most)), 1e-8) and c >= 0.0
        assert within(off(contacts["impulse"], np.full(2, 0.5*v*(1.0 + REBOUNDS[row]["e"]))), 1e-8)


@pytest.mark.parametrize("law", FLAT)
def test_depth_and_force_of_a_flat_drop(law):
    contacts = fd.simulate(rod(law, 0.8, 3.0), 0.05, samples=2, rtol=1e-11).contacts
    for name, known in (("depth", "d_max"), ("force", "F_max"), ("restitution", "e")):
        assert within(off(contacts[name], np.full(2, FLAT[law][known])), 1e-8), name


@pytest.mark.parametrize("angle", [0.3, 0.9, 1.5])
def test_an_oblique_rod(angle):
    """1/m = 1/(mu l) + (l cos/2)^2/(mu l^3/12 + J33 l) is what hits; the shorter the impact, the better."""
    lever = math.cos(angle)/2.0
    mass = 1.0/(1.0 + lever**2/(1.0/12.0 + 2.9473e-5))
    errors = []
    for stiffness in (1e10, 1e13):
        run = fd.simulate(rod("hu-guo", 0.8, 2.0, angle, stiffness), 0.051, samples=2, rtol=1e-11)
        [contact] = run.contacts
        sideways, upward, _ = fd.momentum(run.chain, run.q[-1], run.v[-1])[0]
        errors.append(abs((upward + 2.0)/(mass*2.0*(1.0 + 0.7991987821935682)) - 1.0))
        depth = (2.5*mass*4.0*(1/0.375 - math.log(1.375)/0.375**2)/stiffness)**0.4
        assert within(off(contact["depth"], depth), 20.0*depth)
        assert contact["point"] == 0 and within(abs(sideways), 1e-12)
    assert within(errors[1], 1e-4) and errors[1] < 0.1*errors[0] + 1e-9


def test_a_beam_that_rings():
    """Bent and let go in free space without turning, by symmetry: one mode against the mass of the whole."""
    d0, w, z = 1e-3, RINGING["omega"], RINGING["z"]
    link = Link(elastic=Elastic(beam=STEEL, ends="ss", theory="printed"), joint=FreePlanar())
    run = fd.simulate(Chain([link], gravity=(0.0, 0.0, 0.0), start_q=(0.0, 0.0, 0.0, d0)), 0.1, samples=101, rtol=1e-11)
    wd = math.sqrt(w*w - z*z)
    expected = d0*np.exp(-z*run.t)*(np.cos(wd*run.t) + z/wd*np.sin(wd*run.t))
    assert within(off(run.q[:, 3], expected), 1e-7) and within(np.max(np.abs(run.q[:, [0, 2]])), 1e-15)
    assert within(np.max(np.abs(run.energy_error)), 1e-7) and run.ledger["air"][-1] < run.ledger["structure"][-1] < 0.0


def whips(stiffness=1.0, **words):
    """A floating chain of three soft links, bent and thrown, no ground; the middle one hangs on a fixed joint."""
    beam = beam_changed(WHIP, E=stiffness*WHIP.E, G=stiffness*WHIP.G)
    links = [Link(elastic=Elastic(beam=beam, ends=ends, **{"modes": 2} | words), joint=joint)
             for ends, joint in (("cf", FreePlanar()), ("sg", Fixed()), ("ss", fd.Revolute()))]
    return Chain(links, gravity=(1.0, -9.0, 0.0))


def thrown(chain, t_end=0.4, bend=0.01, seed=4, **words):
    rng = np.random.default_rng(seed)
    bends = np.array(["mode" in name for name in chain.coordinate_names])
    q, v = np.zeros((2, chain.nq))
    q[~bends], v[~bends] = rng.uniform(-1.0, 1.0, (2, np.count_nonzero(~bends)))
    q[bends] = bend*rng.uniform(-1.0, 1.0, np.count_nonzero(bends))
    return fd.simulate(chain, t_end, q, v, samples=9, **{"rtol": 1e-11} | words)


@pytest.mark.parametrize("spin", ["frame", "section"])
def test_momenta_in_flight(spin):
    chain = whips(spin=spin)
    run = thrown(chain)
    mass = 3*WHIP.mass_per_length*WHIP.length
    start, (P0, _) = fd.mass_center(chain, run.q[0]), fd.momentum(chain, run.q[0], run.v[0])
    turning = []
    for t, q, v in zip(run.t, run.q, run.v):
        (P, L), c = fd.momentum(chain, q, v), fd.mass_center(chain, q)
        assert within(off(P, P0 + mass*t*np.array(chain.gravity)), 1e-10)
        assert within(off(c, start + t*P0/mass + 0.5*t*t*np.array(chain.gravity), 1.0), 1e-10)
        turning.append(L[2] - np.cross(c, P)[2])
    assert within(np.ptp(turning)/abs(turning[0]), 1e-9) and within(np.max(np.abs(run.energy_change)), 1e-9)


def test_the_carried_slope_is_a_matter_of_words():
    """The same motion of all joints, whichever turn of the tip the next link is measured from."""
    soft = elastic_changed(Elastic(beam=beam_changed(WHIP, G=1e6), ends="ss", modes=2), carried="section")
    chains = [Chain([Link(elastic=elastic_changed(soft, carried=carried), joint=FreePlanar()), Link(elastic=soft)])
              for carried in ("section", "axis")]
    run = thrown(chains[0])
    change = np.eye(chains[0].nq)                           # from coordinates of the first to those of the second
    change[5, 3:5] = [shape.Theta(0.8) - shape.dW(0.8) for shape in soft.mode_shapes]
    assert np.min(np.abs(change[5, 3:5])) > 0.1
    other = fd.simulate(chains[1], 0.4, change @ run.q[0], change @ run.v[0], samples=9, rtol=1e-11)
    assert within(off(other.q, run.q @ change.T), 1e-9) and within(off(other.v, run.v @ change.T), 1e-7)


def test_stiff_links_move_as_rigid_ones():
    """Ten times the stiffness, a tenth of the difference."""
    rigid = thrown(whips(modes=0), bend=0.0, t_end=0.2)
    errors = []
    for stiffness in (30.0, 300.0, 3000.0):
        run = thrown(whips(stiffness), bend=0.0, t_end=0.2, rtol=1e-9)
        joints = np.array(["mode" not in name for name in run.chain.coordinate_names])
        errors.append(np.max(np.abs(run.q[:, joints] - rigid.q)))
    assert errors[0] > 1e-5 and np.all(np.array(errors[:-1])/errors[1:] > 4.0) and errors[-1] < errors[0]/50.0


def test_a_single_rigid_link_spins_on_and_falls():
    chain = Chain([Link(elastic=RIGID, joint=FreePlanar())], start_v=(1.0, 2.0, 3.0))
    run = fd.simulate(chain, 1.0, samples=11, rtol=1e-11)
    assert within(off(run.q[:, 2], 3.0*run.t), 1e-13)
    middle = np.array([fd.mass_center(chain, q) for q in run.q])
    u = np.array([1.0, 2.0]) + 3.0*np.array([0.0, 0.5])
    assert within(off(middle[:, :2], [0.5, 0.0] + np.outer(run.t, u) - np.outer(4.905*run.t**2, [0.0, 1.0])), 1e-11)


# ---- the ground is level


def impact(shift=0.0, mirror=False):
    """Two unlike links fall on their first joints, aslant, and slide."""
    sign = -1.0 if mirror else 1.0
    chain = falling_chain("ss-sc", angle=20.0, height=0.2)
    angle, bend = math.pi if mirror else 0.0, sign*0.5
    q = [shift, 0.2, angle + sign*0.7, 0.0, -bend, 0.0]
    return fd.simulate(chain, 0.35, q, [sign*0.4, -1.0, sign*0.3, 0.0, 0.0, 0.0], samples=15, rtol=1e-11)


def test_where_on_the_ground_it_happens_does_not_matter():
    here, there = impact(), impact(shift=3.0)
    assert len(here.contacts) == len(there.contacts) > 2
    assert within(off(there.contacts["start"], here.contacts["start"]), 1e-9)
    assert within(off(there.contacts["force"], here.contacts["force"]), 1e-6)
    assert within(off(there.q - (3.0, 0.0, 0.0, 0.0, 0.0, 0.0), here.q), 1e-7)


def test_the_mirrored_chain_bounces_as_the_mirror_says():
    """x and all angles the other way round; friction too."""
    here, there = impact(), impact(mirror=True)
    assert np.array_equal(there.contacts["point"], here.contacts["point"])
    assert within(off(there.contacts["start"], here.contacts["start"]), 1e-9)
    assert within(off(there.contacts["friction_impulse"], -here.contacts["friction_impulse"]), 1e-4)
    mirror = here.q*(-1.0, 1.0, -1.0, -1.0, -1.0, -1.0)
    mirror[:, 2] += math.pi
    assert within(off(there.q, mirror), 1e-7)
    assert np.max(np.abs(here.contacts["friction_impulse"])) > 1e-3
