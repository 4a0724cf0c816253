"""The same chains in Pinocchio and MuJoCo: agreement to the rounding of the two."""

import numpy as np
import pytest
from formulations import zoo
from formulations.common import off, within
from formulations.described import changed, joint_changed, undriven
from formulations.judges import mjcf, mujoco_turn, pinocchio_model, pinocchio_q
from strategies import random_chain, random_state

import fastdyn as fd

pytestmark = pytest.mark.usefixtures("one_ladder")
WITHOUT_PIN = "Pinocchio judges here where it is installed: pip install pin"
WITHOUT_MUJOCO = "MuJoCo judges here where it is installed: pip install mujoco"
KINDS = ["revolute", "aligned", "prismatic", "spherical", "universal", "mixed"]
cases = pytest.mark.parametrize("kind, free, tree", [(kind, free, tree) for kind in KINDS for free in (False, True)
                                                     for tree in (False, True)])


def chains(kind, free, tree):
    """(chain, q, v, torque), several sizes"""
    rng = np.random.default_rng([KINDS.index(kind), free, tree])
    for n in (1, 3, 7):
        chain = random_chain(rng, n, kind, free=free, tree=tree, gravity=(1.0, -3.0, -9.0))
        if kind == "prismatic" and not free and n > 3:
            continue                                                # more slides than directions: nothing is determined
        if free:                                                    # MuJoCo's floating base is placed in the world
            links = [changed(chain.links[0], at=None, turn=(1.0, 0.0, 0.0, 0.0)), *chain.links[1:]]
            chain = chain.replace(links=links)
        yield (chain, *random_state(rng, chain), rng.uniform(-5.0, 5.0, chain.nv))


@cases
def test_pinocchio(kind, free, tree):
    pin = pytest.importorskip("pinocchio", reason=WITHOUT_PIN)
    for chain, q, v, torque in chains(kind, free, tree):
        judge(pin, chain, q, v, torque)


def judge(pin, chain, q, v, torque):
    model, data = pinocchio_model(pin, chain)
    p, still = pinocchio_q(chain, q), np.zeros(chain.nv)
    weight = pin.rnea(model, data, p, still, still)
    M = np.array([pin.rnea(model, data, p, still, unit) - weight for unit in np.eye(chain.nv)])
    assert within(off(fd.mass_matrix(chain, q), M), 1e-13)
    if all(parent == i for i, parent in enumerate(list(model.parents)[1:])):    # crba wants subtrees in one piece
        upper = np.triu(pin.crba(model, data, p))
        assert within(off(fd.mass_matrix(chain, q), upper + np.triu(upper, 1).T), 1e-14)
    acc = pin.aba(model, data, p, v, torque)
    growth = np.linalg.cond(M)
    assert within(off(fd.forward_dynamics(chain, q, v, torque), acc, least=1.0)/growth, 1e-14)
    given = pin.rnea(model, data, p, v, acc)
    size = max(np.abs(given).max(), np.max(np.abs(M) @ np.abs(acc)))
    assert within(np.abs(fd.inverse_dynamics(chain, q, v, acc) - given).max()/size, 1e-14)
    assert within(abs(fd.kinetic_energy(chain, q, v)/pin.computeKineticEnergy(model, data, p, v) - 1.0), 1e-13)
    center = pin.centerOfMass(model, data, p)
    assert within(off(fd.mass_center(chain, q), center, least=1.0), 1e-14)


@pytest.mark.parametrize("seed", range(3))
def test_pinocchio_on_all_joints_at_once(seed):
    pin = pytest.importorskip("pinocchio", reason=WITHOUT_PIN)
    chain = zoo.tree(laws=False)
    judge(pin, chain, *zoo.motion(chain, seed))


@cases
def test_mujoco(kind, free, tree, tmp_path):
    """Told by us, and read back by us from the file that we told it with."""
    mujoco = pytest.importorskip("mujoco", reason=WITHOUT_MUJOCO)
    for chain, q, v, torque in chains(kind, free, tree):
        judge_mujoco(mujoco, chain, q, v, torque, tmp_path)


def judge_mujoco(mujoco, chain, q, v, torque, folder):
    text = mjcf(chain)
    m = mujoco.MjModel.from_xml_string(text)
    d = mujoco.MjData(m)
    order = coordinates(m, chain)
    G, slip = mujoco_turn(chain, q)
    d.qpos[order[0]], d.qvel[order[1]] = q, G @ v
    d.qfrc_applied[order[1]] = G @ torque
    mujoco.mj_forward(m, d)
    M, full = full_matrix(mujoco, m, d), order[1]
    M = G.T @ M[np.ix_(full, full)] @ G
    (folder/"chain.xml").write_text(text)
    for system in (chain, fd.load_mjcf(folder/"chain.xml")):
        to = matching(system, chain)
        Mf = fd.mass_matrix(system, q[to[0]])
        back = np.argsort(to[1])
        assert within(off(Mf[np.ix_(back, back)], M), 1e-13)
        h = G.T @ (d.qfrc_bias[full] - d.qfrc_passive[full])
        h += M @ (G.T @ slip(v))                                    # their bias holds another velocity constant
        size = max(np.abs(h).max(), np.abs(M).max())
        assert within(np.abs(fd.bias(system, q[to[0]], v[to[1]])[back] - h).max()/size, 1e-13)
        acc = fd.forward_dynamics(system, q[to[0]], v[to[1]], torque[to[1]])[back]
        theirs = G.T @ (d.qacc[full] - slip(v))
        assert within(off(acc, theirs, least=1.0)/np.linalg.cond(M), 1e-14)
        assert within(off(fd.mass_center(system, q[to[0]]), d.subtree_com[0], least=1.0), 1e-13)


def full_matrix(mujoco, m, d):
    M = np.empty((m.nv, m.nv))
    try:
        mujoco.mj_fullM(m, d, M)
    except TypeError:                                               # before MuJoCo 4
        mujoco.mj_fullM(m, M, d.qM)
    return M


def coordinates(m, chain):
    """Where MuJoCo keeps our q and v: it walks a tree depth first."""
    places = [], []
    for link in chain.links:
        count = {"revolute": 1, "prismatic": 1, "universal": 2}.get(link.joint.kind, 0)
        names = [f"{link.name}_{i}" for i in range(count)] or [link.name]*(link.joint.nv > 0)
        for joint in map(m.joint, names):
            places[0].extend(range(joint.qposadr[0], joint.qposadr[0] + len(joint.qpos0)))
            places[1].extend(range(joint.dofadr[0], joint.dofadr[0] + len(joint.damping)))
    return tuple(np.array(p, dtype=int) for p in places)


def matching(system, chain):
    """For every q and v of the imported system, which of ours it is."""
    parts = [], []
    for link in system.links:
        name = link.name
        first = name.endswith(("_0", "_0_link"))
        own = chain.links[chain.index(name.split("_")[0])]
        for into, part in zip(parts, (chain.q_slice, chain.v_slice)):
            s = part(own.name)
            if own.joint.kind == "universal" != link.joint.kind:
                s = slice(s.start, s.start + 1) if first else slice(s.start + 1, s.stop)
            into.extend(range(s.start, s.stop))
    return tuple(np.array(p, dtype=int) for p in parts)


def test_mujoco_with_springs_and_dampers(tmp_path):
    mujoco = pytest.importorskip("mujoco", reason=WITHOUT_MUJOCO)
    chain = zoo.tree()
    links = []
    for link in chain.links:
        link = changed(undriven(link), loads=())
        if hasattr(link.joint, "lower"):
            link = changed(link, joint=joint_changed(link.joint, lower=None, upper=None, limit_stiffness=0.0,
                                                     limit_damping=0.0))
        links.append(link)
    chain = chain.replace(links=links)
    for seed in range(3):
        judge_mujoco(mujoco, chain, *zoo.motion(chain, seed), tmp_path)


URDF = """<robot name="arm">
<link name="world"/>
<link name="a"><inertial><origin xyz="0.1 0.2 -0.1" rpy="0.3 -0.2 0.5"/><mass value="2.0"/>
  <inertia ixx="0.3" iyy="0.25" izz="0.2" ixy="0.02" ixz="-0.03" iyz="0.01"/></inertial></link>
<link name="b"><inertial><origin xyz="0.2 0 0.1"/><mass value="1.5"/>
  <inertia ixx="0.1" iyy="0.2" izz="0.2" ixy="0" ixz="0.01" iyz="0"/></inertial></link>
<link name="c"><inertial><origin xyz="0 0.1 0.3" rpy="1 0 0"/><mass value="0.7"/>
  <inertia ixx="0.05" iyy="0.04" izz="0.03" ixy="0" ixz="0" iyz="0.004"/></inertial></link>
<link name="d"><inertial><mass value="0.4"/>
  <inertia ixx="0.01" iyy="0.02" izz="0.015" ixy="0" ixz="0" iyz="0"/></inertial></link>
<joint name="a" type="revolute"><parent link="world"/><child link="a"/><origin xyz="0 0 0.5" rpy="0.1 0.2 0.3"/>
  <axis xyz="0 0.6 0.8"/><limit lower="-2" upper="2" effort="10" velocity="5"/></joint>
<joint name="b" type="prismatic"><parent link="a"/><child link="b"/><origin xyz="0.4 0 0.1" rpy="0 1.2 -0.4"/>
  <axis xyz="1 0 0"/><limit lower="-1" upper="1" effort="10" velocity="5"/></joint>
<joint name="c" type="continuous"><parent link="b"/><child link="c"/><origin xyz="0.3 0.1 0"/>
  <axis xyz="0 0 1"/></joint>
<joint name="d" type="continuous"><parent link="a"/><child link="d"/><origin xyz="-0.3 0.1 0" rpy="0.5 0 0"/>
  <axis xyz="1 0 0"/></joint>
</robot>"""


def test_a_urdf_read_by_pinocchio(tmp_path):
    """Two readers of one file that share no line."""
    pin = pytest.importorskip("pinocchio", reason=WITHOUT_PIN)
    pytest.importorskip("mujoco", reason=WITHOUT_MUJOCO)
    (tmp_path/"arm.urdf").write_text(URDF)
    chain = fd.load_urdf(tmp_path/"arm.urdf")
    model = pin.buildModelFromXML(URDF)
    chain = chain.replace(gravity=tuple(model.gravity.linear))
    data = model.createData()
    rng = np.random.default_rng(4)
    for _ in range(5):
        q, v, torque = rng.uniform(-1.0, 1.0, (3, chain.nv))
        p, u, to = pin.neutral(model), np.zeros(model.nv), np.zeros(model.nv, dtype=int)
        for k, name in enumerate(chain.coordinate_names):
            joint = model.joints[model.getJointId(name)]
            u[joint.idx_v], to[k] = v[k], joint.idx_v
            p[joint.idx_q:joint.idx_q + joint.nq] = [q[k]] if joint.nq == 1 else [np.cos(q[k]), np.sin(q[k])]
        tau = np.zeros(model.nv)
        tau[to] = torque
        acc = pin.aba(model, data, p, u, tau)[to]
        assert within(off(fd.forward_dynamics(chain, q, v, torque), acc), 1e-12)
        M = np.triu(pin.crba(model, data, p))
        M = (M + np.triu(M, 1).T)[np.ix_(to, to)]
        assert within(off(fd.mass_matrix(chain, q), M), 1e-13)
