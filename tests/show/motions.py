"""Runs to draw: two elastic links that hop over the ground by formulas, every number of it known."""

import numpy as np

import fastdyn as fd
from fastdyn.results.run import Run
from fastdyn.results.tables import CONTACT, LEDGER, TOUCH
from fastdyn.status import NOT_FINITE, OK

BEAM = fd.Beam(length=1.0, E=2e11, G=7.7e10, A=3.75e-4, I=4.883e-9, mu=1.0)
GROUND = fd.Ground(contact=fd.Contact(law="hu-guo", stiffness=1e8, restitution=0.8),
                   friction=fd.Friction(law="ambrosio", mu=0.1, v0=1e-4, v1=1e-3))
HOP, LASTS, ROWS = 0.25, 2e-3, 21                           # s between touches, s of a touch, steps of it


def hopping_chain(**changes):
    links = [fd.Link(joint=fd.FreePlanar(), elastic=fd.Elastic(beam=BEAM, ends="ss", modes=2)),
             fd.Link(elastic=fd.Elastic(beam=BEAM, ends="cf"))]
    return fd.Chain(links, grounds=[GROUND], name="hopping").replace(**changes)


def hopping(samples=401, open_end=False, failed=False):
    """A run of 1 s: touches at 0.25, 0.5, 0.75 s of link1 (1, 2, 3 kN) and of the tip (a half, friction a tenth)."""
    chain, t = hopping_chain(), np.linspace(0.0, 1.0, samples)
    q, v = _motion(t)
    names = [point.name for point in chain.contact_points]
    places = [("link1", (0.0, 0.0, 0.0)), ("link2", (0.0, 0.0, 0.0)), ("link2", (1.0, 0.0, 0.0))]
    x = np.array([[fd.position(chain, row, *place) for place in places] for row in q])
    u = np.array([[fd.velocity(chain, row, rate, *place)[0] for place in places] for row, rate in zip(q, v)])
    contacts, touching = _contacts(open_end)
    for line, row, rate in zip(touching, *_motion(touching["time"])):
        line["slip"], line["rate"] = fd.velocity(chain, row, rate, *places[line["point"]])[0][:2]*(1.0, -1.0)
    forces = np.zeros((samples, 3, 3))
    ledger = np.zeros(samples, LEDGER)
    ledger["kinetic"], ledger["gravity"], ledger["strain"] = 5 + np.sin(9*t), 3 - np.sin(9*t), 0.2*np.sin(80*t)**2
    for row in contacts:
        inside = (t >= row["start"]) & ~(t > row["end"])
        phase = np.pi*(t[inside] - row["start"])/LASTS
        forces[inside, row["point"], :2] = np.column_stack([0.1*np.sin(phase), np.sin(phase)])*row["force"]
        lost = -0.5*np.clip((t - row["start"])/LASTS, 0.0, 1.0)
        ledger["contact"], ledger["kinetic"] = ledger["contact"] + lost, ledger["kinetic"] + lost
    ledger["kinetic"] += 1e-9*t - ledger["strain"]
    if failed:
        q[-1] = v[-1] = x[-1] = np.nan
    return Run(chain, t, q, v, points=x, point_velocities=u, forces=forces, point_names=names, contacts=contacts,
               touching=touching, ledger=ledger, stats={"steps": 7, "evaluations": 70}, seconds=0.5, stepper="dop853",
               formulation="recursive", status=NOT_FINITE if failed else OK)


def _motion(t):
    s = t % HOP
    q = [0.3*t, 0.05 + 4.905*s*(HOP - s), 0.2*np.sin(3*t), 0.02*np.sin(80*t), 0.005*np.sin(300*t),
         0.4 - 0.3*t, 0.03*np.sin(60*t)]
    v = [0.3 + 0*t, 4.905*(HOP - 2*s), 0.6*np.cos(3*t), 1.6*np.cos(80*t), 1.5*np.cos(300*t), -0.3 + 0*t,
         1.8*np.cos(60*t)]
    return np.column_stack(q), np.column_stack(v)


def _contacts(open_end):
    contacts, touching = [], []
    for k in (1, 2, 3):
        for point, share in ((0, 1.0), (2, 0.5)):
            start, most = k*HOP, 1000.0*k*share
            still = open_end and k == 3 and point == 0
            contacts.append((point, 0, start, np.nan if still else start + LASTS, 1.2, np.nan if still else 1.0,
                             np.nan if still else 0.8, 1e-3, most, 0.0, 1.0, 1e-4*most, -0.5))
            for s in np.linspace(0.0, 1.0, ROWS):
                sine, force = np.sin(np.pi*s), most*np.sin(np.pi*s)
                touching.append((start + s*LASTS, point, 0, 1e-3*sine, 0.0, force, 0.0, 0.1*force))
    return np.array(contacts, CONTACT), np.array(sorted(touching), TOUCH)
