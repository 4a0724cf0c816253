"""`export_fmu`: a chain as a functional mock-up unit, FMI 2.0 for co-simulation, which other programs step.

The unit holds the chain as a model file and a script of a few lines; what it runs is the ticker.
"""

import json
import os
import re
import sys
import tempfile
from keyword import iskeyword
from pathlib import Path
from xml.etree.ElementTree import Element, SubElement

from ..describe.chain import Chain
from ..describe.check import positive, shown
from ..describe.files import load
from ..run.places import ORIGIN, position, velocity
from ..run.ticker import ticker
from ..run.wishes import plain
from ..status import ModelError, SimulationError
from . import needed

MODEL, WISHES = "chain.toml", "export.json"
SCRIPT = '''"""A chain of fastdyn as an FMI slave; fastdyn has to be installed where this runs."""

from pathlib import Path

from pythonfmu import Fmi2Slave

try:
    from fastdyn.control.fmu import Unit
except ImportError as missing:
    raise ImportError("this unit needs fastdyn where it runs; get it with: pip install fastdyn") from missing


class {name}(Fmi2Slave):
    def __init__(self, **kwargs):
        super().__init__(**kwargs)
        self.unit = Unit(self, Path(__file__).parent)

    def setup_experiment(self, start_time, stop_time=None, tolerance=None):
        self.unit.begin(start_time)

    def do_step(self, current_time, step_size):
        return self.unit.step(current_time, step_size)

    def to_xml(self, *given):
        return self.unit.described(super().to_xml(*given))
'''


def export_fmu(system: Chain, path, inputs=None, outputs=None, dt: float = 1e-3, **settings) -> Path:
    """Write a chain as an FMU, FMI 2.0 for co-simulation (with the extra `fmi`); the path of the file.

    Parameters
    ----------
    system : Chain that can be kept in a model file: no functions of yours in it.
    path : of the file, such as "arm.fmu"; its name without the ending is that of the model.
    inputs : names of the links whose joints are driven; all that have no drive of their own if not given. A variable
        "torque.upper" is the torque (N m, N) of a joint, held over each step of the master.
    outputs : names of links for the coordinates and velocities of their joints ("q.upper", "v.upper"), and (link,
        point), as `position` takes them, for places and velocities, world axes ("lower.tip.x", "lower.tip.vx" of the
        point "tip"; one given by numbers is called by its place in the list, "lower.point2"). All of q and v if not
        given.
    dt : the step that is told to the master, s; it may take others.
    **settings : of `ticker`: stepper, tolerances, steps.

    The unit has no parameters, and begins at the chain's start. It runs where fastdyn is installed.
    """
    needed("pythonfmu", "pythonfmu", "fmi")
    from pythonfmu import FmuBuilder

    if not (isinstance(path, (str, os.PathLike)) and os.fspath(path).endswith(".fmu")):
        raise ModelError(f'path is {shown(path)}; give one that ends in .fmu, such as "arm.fmu"')
    path, name = Path(path), model_name(Path(path).stem)
    wishes = {"inputs": None if inputs is None else list(inputs) if not isinstance(inputs, str) else inputs,
              "outputs": outputs, "dt": positive(plain(dt), "dt", "s"), "settings": settings}
    Variables(system, ticker(system, dt, inputs, **settings), outputs)      # what cannot be is refused here
    text = system.to_toml()
    try:
        told = json.dumps(wishes, default=list)
    except (TypeError, ValueError):
        raise ModelError(f"settings are {shown(settings)}; give numbers and words, which can be written down") from None
    with tempfile.TemporaryDirectory() as folder:
        place, before = Path(folder), list(sys.path)
        script = place/f"{name}_unit.py"
        script.write_text(SCRIPT.format(name=name))
        (place/MODEL).write_text(text)
        (place/WISHES).write_text(told)
        try:
            made = FmuBuilder.build_FMU(script, place/path.name, project_files=[place/MODEL, place/WISHES])
        finally:
            sys.path[:] = before
            sys.modules.pop(script.stem, None)
        path.parent.mkdir(parents=True, exist_ok=True)
        whole = path.with_name(path.name + ".part")
        whole.write_bytes(Path(made).read_bytes())
        whole.replace(path)
    return path


def model_name(stem):
    """A name that Python and C take."""
    name = re.sub(r"\W", "_", stem, flags=re.ASCII)
    return f"model_{name}" if not name or name[0].isdigit() or iskeyword(name) else name


class Variables:
    """What a unit takes and gives: names of inputs, and of outputs with the functions (q, v) -> numbers behind them."""

    def __init__(self, system, tick, outputs):
        self.inputs = [f"torque.{plain_name(name)}" for name in tick.inputs]
        self.outputs = []
        if outputs is None:
            outputs = system.link_names
        if isinstance(outputs, str):
            raise ModelError(f'outputs is "{outputs}"; give the names of links, or (link, point), in a list')
        for number, one in enumerate(outputs, 1):
            self.outputs += _of_joint(system, one) if isinstance(one, str) else _of_point(system, one, number)
        names = [*self.inputs, *(name for name, _ in self.outputs)]
        twice = next((name for name in names if names.count(name) > 1), None)
        if twice:
            raise ModelError(f'two variables would be called "{twice}"; name every output once, and links by letters '
                             "and digits")


def _of_joint(system, link):
    """Coordinates and velocities of a link's joint and modes."""
    found = []
    for letter, part, names in (("q", system.q_slice(link), system.coordinate_names),
                                ("v", system.v_slice(link), system.velocity_names)):
        for i in range(part.start, part.stop):
            found.append((f"{letter}.{plain_name(names[i])}", _component(letter, i)))
    return found


def _component(letter, i):
    return lambda q, v: float(q[i] if letter == "q" else v[i])


def _of_point(system, given, number):
    """Place and velocity of a point of a link, world axes."""
    if not isinstance(given, (tuple, list)) or len(given) != 2 or not isinstance(given[0], str):
        raise ModelError(f"outputs has {shown(given)}; give the names of links, or (link, point)")
    link, point = given
    point = point if isinstance(point, str) else tuple(point)
    position(system, system.start_state()[0], link, point)
    called = "" if point == ORIGIN else f".{plain_name(point)}" if isinstance(point, str) else f".point{number}"
    found = []
    for i, axis in enumerate("xy" if system.planar else "xyz"):
        found.append((f"{plain_name(link)}{called}.{axis}", _place(system, link, point, i)))
        found.append((f"{plain_name(link)}{called}.v{axis}", _speed(system, link, point, i)))
    return found


def _place(system, link, point, i):
    return lambda q, v: float(position(system, q, link, point)[i])


def _speed(system, link, point, i):
    return lambda q, v: float(velocity(system, q, v, link, point)[0][i])


def plain_name(name):
    """A name as variables of a unit may have it."""
    name = re.sub(r"[^A-Za-z0-9_.]", "_", name)
    return f"_{name}" if name[0].isdigit() else name


class Unit:
    """What the script of a unit hands on to: variables of the slave, and steps.

    slave : the Fmi2Slave. folder : where the model file is.
    """

    def __init__(self, slave, folder):
        from pythonfmu import DefaultExperiment, Fmi2Causality, Real

        self.slave, wishes = slave, json.loads((folder/WISHES).read_text())
        self.system = load(folder/MODEL)
        self.tick = ticker(self.system, wishes["dt"], wishes["inputs"], **wishes["settings"])
        variables = Variables(self.system, self.tick, wishes["outputs"])
        self.torque, self.state = [0.0]*len(variables.inputs), (self.tick.q, self.tick.v)
        slave.default_experiment = DefaultExperiment(start_time=0.0, step_size=wishes["dt"])
        slave.description = self.system.name or "a chain of links"
        for i, name in enumerate(variables.inputs):
            slave.register_variable(Real(name, causality=Fmi2Causality.input, getter=lambda i=i: self.torque[i],
                                         setter=lambda value, i=i: self.torque.__setitem__(i, value)), nested=False)
        for name, value in variables.outputs:
            slave.register_variable(Real(name, causality=Fmi2Causality.output,
                                         getter=lambda value=value: value(*self.state)), nested=False)

    def described(self, root):
        """The description, with what is known when the unit begins: all outputs, which the standard asks to name."""
        structure = root.find("ModelStructure")
        outputs = structure.find("Outputs")
        if outputs is not None and structure.find("InitialUnknowns") is None:
            SubElement(structure, "InitialUnknowns").extend(Element("Unknown", one.attrib) for one in outputs)
        return root

    def begin(self, time):
        """At the chain's start."""
        self.state = self.tick.reset(t=time)

    def step(self, time, size):
        """Under the torques that are set; False where the motion cannot go on, with a word in the log."""
        from pythonfmu.enums import Fmi2Status

        try:
            self.state = self.tick(self.torque, until=time + size)
        except (ModelError, SimulationError) as stopped:
            self.slave.log(str(stopped), Fmi2Status.error)
            return False
        return True
