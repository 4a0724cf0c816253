"""A chain as an FMU: what its description says, and its slave, stepped by hand, against runs."""

import importlib.util
import sys
import zipfile
from xml.etree import ElementTree

import numpy as np
import pytest

import fastdyn as fd
from fastdyn.status import ModelError

pytestmark = pytest.mark.usefixtures("one_ladder")
WHY = 'pythonfmu is not there: pip install ".[fmi]"'


def arm(**words):
    return fd.Chain([fd.Link(name="upper", length=0.4, mass=2.0, radius=0.03, joint=fd.Revolute(**words)),
                     fd.Link(name="lower", length=0.3, mass=1.0, radius=0.02, points={"tip": (0.3, 0.0, 0.0)})],
                    name="an arm", start_q=[0.3, -0.5])


@pytest.fixture
def unit(tmp_path):
    """path of an FMU -> its slave, unpacked and instantiated as the program that steps it does."""
    pytest.importorskip("pythonfmu", reason=WHY)

    def unpacked(path):
        zipfile.ZipFile(path).extractall(tmp_path/"unpacked")
        inside = tmp_path/"unpacked"/"resources"
        name = (inside/"slavemodule.txt").read_text()
        spec = importlib.util.spec_from_file_location(name, inside/f"{name}.py")
        module = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)
        return getattr(module, name.removesuffix("_unit"))(instance_name="one", resources=str(inside))

    return unpacked


def test_the_description_names_what_goes_in_and_out(tmp_path):
    pytest.importorskip("pythonfmu", reason=WHY)
    path = fd.export_fmu(arm(), tmp_path/"my arm.fmu", ["lower"], ["upper", ("lower", "tip"), ("lower", (0.1, 0, 0))],
                         dt=2e-3)
    assert path == tmp_path/"my arm.fmu" and [file.name for file in tmp_path.iterdir()] == ["my arm.fmu"]
    with zipfile.ZipFile(path) as unit:
        root = ElementTree.fromstring(unit.read("modelDescription.xml"))
        assert {"resources/chain.toml", "resources/export.json"} <= set(unit.namelist())
    assert root.get("fmiVersion") == "2.0" and root.get("modelName") == "my_arm" and root.get("description") == "an arm"
    assert root.find("CoSimulation").get("modelIdentifier") == "my_arm"
    assert float(root.find("DefaultExperiment").get("stepSize")) == 2e-3
    found = [(one.get("causality"), one.get("name")) for one in root.find("ModelVariables")]
    point = [f"lower.{name}.{axis}" for name in ("tip", "point3") for axis in ("x", "vx", "y", "vy")]
    assert found == [("input", "torque.lower")] + [("output", name) for name in ["q.upper", "v.upper", *point]]
    for name in ("Outputs", "InitialUnknowns"):
        assert [one.get("index") for one in root.find(f"ModelStructure/{name}")] == [str(k) for k in range(2, 12)]
    assert not any(name.endswith("my_arm") for name in sys.modules)


def test_the_slave_is_a_run(tmp_path, unit):
    """Under torques that change, by a function of time in the run; steps of the master are not all alike."""
    slave = unit(fd.export_fmu(arm(), tmp_path/"arm.fmu", outputs=["upper", "lower", ("lower", "tip")], rtol=1e-11))
    names = {one.name: number for number, one in slave.vars.items()}
    torques, times = [(1.0, -0.5), (4.0, 1.0), (-3.0, 0.0)], [0.0, 0.1, 0.25, 0.3]
    slave.setup_experiment(0.0)
    slave.enter_initialization_mode()
    slave.exit_initialization_mode()
    q, v = np.array([0.3, -0.5]), np.zeros(2)
    for torque, t, end in zip(torques, times, times[1:]):
        slave.set_real([names["torque.upper"], names["torque.lower"]], list(torque))
        for k in range(5):
            assert slave.do_step(t + (end - t)*k/5, (end - t)/5)
        driven = arm().replace(drive=lambda t, q, v, given, wrench, torque=torque: given.__iadd__(torque))
        run = fd.simulate(driven, end, q, v, t=t, samples=2, rtol=1e-11, atol=1e-13)
        q, v = run.q[-1], run.v[-1]
        found = slave.get_real([names[name] for name in ("q.upper", "q.lower", "v.upper", "v.lower")])
        assert np.abs(found - np.concatenate([q, v])).max() < 1e-9
        place = slave.get_real([names["lower.tip.x"], names["lower.tip.y"]])
        assert np.abs(place - fd.position(arm(), q, "lower", "tip")[:2]).max() < 1e-9
        speed = slave.get_real([names["lower.tip.vx"], names["lower.tip.vy"]])
        assert np.abs(speed - fd.velocity(arm(), q, v, "lower", "tip")[0][:2]).max() < 1e-9
    slave.setup_experiment(2.0)
    assert slave.get_real([names["q.upper"], names["q.lower"]]) == [0.3, -0.5] and slave.do_step(2.0, 0.1)


def test_trouble_is_a_step_that_failed_and_a_word_in_the_log(tmp_path, unit):
    slave = unit(fd.export_fmu(arm(), tmp_path/"arm.fmu", max_steps=4))
    slave.setup_experiment(0.0)
    assert not slave.do_step(0.0, 5.0)
    assert "reached max_steps" in slave.log_queue[-1].msg
    assert not slave.do_step(5.0, 5.0)


@pytest.mark.parametrize("words, said", [
    ({"path": "arm"}, r"path is 'arm'; give one that ends in \.fmu"),
    ({"inputs": ["tip"]}, 'link "tip" is not in this chain'),
    ({"outputs": "lower"}, 'outputs is "lower"; give the names of links'),
    ({"outputs": [("lower", "grip")]}, "grip"),
    ({"outputs": [3]}, r"outputs has 3; give the names of links, or \(link, point\)"),
    ({"outputs": ["lower", "lower"]}, 'two variables would be called "q.lower"'),
    ({"dt": -1.0}, "dt is -1"),
    ({"system": arm(drive=lambda t: 0.0)}, "function"),
])
def test_what_cannot_be_is_refused(tmp_path, words, said):
    pytest.importorskip("pythonfmu", reason=WHY)
    words = {"system": arm(), "path": tmp_path/"arm.fmu"} | words
    with pytest.raises(ModelError, match=said):
        fd.export_fmu(**words)
    assert list(tmp_path.iterdir()) == []
