"""Robots from URDF and MJCF files, read by MuJoCo (the `import` extra) and told again in this package's words.

What is carried over: bodies with mass, mass centre and inertia; hinge, slide, ball and free joints with damping,
stiffness, spring rest and limits (as data: they do not push back); the tree; gravity; sites as points.
What is left out without a word, because forces without it are the same: pictures, contact geometry and its settings,
sensors, cameras, keyframes, solver settings, joint friction of zero, motors (give their torque to the run instead).
What would change the motion and has no word here is refused by name: see `refusals`.
"""

import contextlib
import re
import warnings
from xml.etree import ElementTree

from ..status import ModelError
from .chain import Chain
from .check import path_of
from .mujoco_words import chain_of, refusals, weight_refusals

_PICTURES = re.compile("geom|mesh|texture|material|visual", re.IGNORECASE)


def load_urdf(path, free_base=False) -> Chain:
    """Read a robot from a URDF file.

    Parameters
    ----------
    path : of the file. Mass comes from <inertial> alone; a link without one is a frame, and hangs on fixed joints:
        MuJoCo, which reads the file, takes no link on a moving joint without mass and inertia. Give the empty link
        between two hinges a mass of 1e-9, or write it as one `Universal` joint in a Chain.
    free_base : True lets the root link float; False holds it still, as URDF has it. Where the file itself has a
        floating joint, links on fixed joints are merged into their parents.
    """
    path, mujoco = path_of(path), _mujoco(path)
    _check_root(path, "robot", "load_mjcf")
    _check_tree(path)
    with _told_by(mujoco, path):
        spec = mujoco.MjSpec.from_file(str(path))
        _refuse(path, weight_refusals(spec))
        for picture in [*spec.geoms, *spec.meshes]:
            spec.delete(picture)
        spec.compiler.fusestatic = any(joint.type == mujoco.mjtJoint.mjJNT_FREE for joint in spec.joints)
        model = spec.compile()
    return _chain(mujoco, model, path, spec.modelname, free_base)


def load_mjcf(path) -> Chain:
    """Read a model from a MuJoCo XML file; bodies without <inertial> get theirs from their geoms, as in MuJoCo.

    q means the same as MuJoCo's qpos (joint `ref` included) and v the same as qvel, but for the linear velocity of a
    free joint, which MuJoCo gives in world axes and Free in link axes.
    """
    path, mujoco = path_of(path), _mujoco(path)
    _check_root(path, "mujoco", "load_urdf")
    with _told_by(mujoco, path):
        spec = mujoco.MjSpec.from_file(str(path))
        _refuse(path, weight_refusals(spec))
        model = spec.compile()
    return _chain(mujoco, model, path, spec.modelname, free_base=False)


def _mujoco(path):
    try:
        import mujoco
    except ImportError:
        raise ModelError(f'{path}: reading URDF and MJCF takes MuJoCo; pip install "fastdyn[import]"') from None
    return mujoco


def _check_root(path, root, other):
    """Refuse what is not XML, and the other of the two formats, before MuJoCo guesses."""
    try:
        with open(path, "rb") as file:
            found = next(ElementTree.iterparse(file, events=["start"]))[1].tag
    except (OSError, ValueError) as wrong:
        raise ModelError(f"{path}: cannot be read: {getattr(wrong, 'strerror', None) or wrong}") from None
    except (ElementTree.ParseError, StopIteration) as wrong:
        raise ModelError(f"{path}: not valid XML: {wrong}") from None
    if found != root:
        raise ModelError(f"{path}: its root is <{found}>, not <{root}>; is it a file for {other}?")


def _read(path):
    """The root of the file, whole."""
    try:
        return ElementTree.parse(path).getroot()
    except ElementTree.ParseError as wrong:
        raise ModelError(f"{path}: not valid XML: {wrong}") from None


def _check_tree(path):
    """Refuse a URDF whose links are not one tree, whose joints share a name, or one whose limits leave no room."""
    robot, seen = _read(path), set()
    for joint in robot.iterfind("joint"):
        name = joint.get("name")
        if name in seen:
            raise ModelError(f'{path}: two joints are named "{name}"; give each a name of its own')
        seen.add(name)
        limit = joint.find("limit")
        lower, upper = ((limit.get(side) or 0.0) for side in ("lower", "upper")) if limit is not None else (0.0, 0.0)
        if _is_number(lower) and _is_number(upper) and float(lower) > float(upper):
            raise ModelError(f'{path}: joint "{name}": lower {lower} is above upper {upper}; give lower < upper')
    carried = {child.get("link") for child in robot.iterfind("joint/child")}
    roots = [f'"{link.get("name")}"' for link in robot.iterfind("link") if link.get("name") not in carried]
    if len(roots) > 1:
        raise ModelError(f"{path}: links {', '.join(roots)} hang on no joint; a URDF is one tree with one root")


def _is_number(text):
    try:
        return bool(float(text) - float(text) == 0.0)
    except ValueError:
        return False


def _not_a_number(path):
    """Which element has a NaN or an infinity among its numbers, in words."""
    for element in _read(path).iter():
        for field, text in element.items():
            if field != "name" and re.search(r"(?i)(^|\s)[+-]?(nan|inf|infinity)($|\s)", text):
                name = f' name="{element.get("name")}"' if element.get("name") else ""
                return f'<{element.tag}{name}> has {field}="{text}"; give finite numbers'
    return None


@contextlib.contextmanager
def _told_by(mujoco, path):
    """MuJoCo's errors and warnings become errors here, except warnings about pictures; its log file is not written.

    What it tells Python of singular inertias is left to the questions of dynamics, which name the link.
    """
    told = []
    before = mujoco.get_mju_user_warning()
    mujoco.set_mju_user_warning(told.append)
    try:
        with warnings.catch_warnings():
            warnings.filterwarnings("ignore", message="Inertia matrix is too close to singular")
            yield
    except ModelError:
        raise
    except (ValueError, mujoco.FatalError) as wrong:
        said = "; ".join(line.strip() for line in str(wrong).splitlines() if line.strip())
        raise ModelError(f"{path}: {_not_a_number(path) or f'MuJoCo cannot read it: {said}'}") from None
    finally:
        mujoco.set_mju_user_warning(before)
    for said in told:
        if not _PICTURES.search(said):
            said = f"MuJoCo reads it only with a warning: {said.rstrip('. ')}; change the file until it is quiet"
            raise ModelError(f"{path}: {_not_a_number(path) or said}")


def _refuse(path, refusals):
    for refusal in refusals:
        raise ModelError(f"{path}: {refusal}")


def _chain(mujoco, model, path, name, free_base):
    _refuse(path, refusals(mujoco, model))
    try:
        return chain_of(mujoco, model, name, free_base)
    except ModelError as wrong:
        raise ModelError(f"{path}: {wrong}") from None
