"""Robots from URDF and MJCF files, read by MuJoCo (the `import` extra) and told again in this package's words.

What is carried over: bodies with mass, mass centre and inertia; hinge, slide, ball and free joints with damping,
stiffness, spring rest and limits (as data: they do not push back); the tree; gravity; sites as points.
What is left out without a word, because forces without it are the same: pictures, contact geometry and its settings,
sensors, cameras, keyframes, solver settings, joint friction of zero, motors (give their torque to the run instead).
What would change the motion and has no word here is refused by name: see `refusals`.
"""

import contextlib
import re
from xml.etree import ElementTree

from ..status import ModelError
from .chain import Chain
from .mujoco_words import chain_of, refusals

_PICTURES = re.compile("geom|mesh|texture|material|visual", re.IGNORECASE)


def load_urdf(path, free_base=False) -> Chain:
    """Read a robot from a URDF file.

    Parameters
    ----------
    path : of the file. Mass comes from <inertial> alone; a link without one is a frame.
    free_base : True lets the root link float; False holds it still, as URDF has it. Where the file itself has a
        floating joint, links on fixed joints are merged into their parents.
    """
    mujoco = _mujoco(path)
    _check_root(path, "robot", "load_mjcf")
    with _told_by(mujoco, path):
        spec = mujoco.MjSpec.from_file(str(path))
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
    mujoco = _mujoco(path)
    _check_root(path, "mujoco", "load_urdf")
    with _told_by(mujoco, path):
        spec = mujoco.MjSpec.from_file(str(path))
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


@contextlib.contextmanager
def _told_by(mujoco, path):
    """MuJoCo's errors and warnings become errors here, except warnings about pictures; its log file is not written."""
    warnings = []
    before = mujoco.get_mju_user_warning()
    mujoco.set_mju_user_warning(warnings.append)
    try:
        yield
    except (ValueError, mujoco.FatalError) as wrong:
        said = "; ".join(line.strip() for line in str(wrong).splitlines() if line.strip())
        raise ModelError(f"{path}: MuJoCo cannot read it: {said}") from None
    finally:
        mujoco.set_mju_user_warning(before)
    for said in warnings:
        if not _PICTURES.search(said):
            raise ModelError(f"{path}: MuJoCo reads it only with a warning: {said}; change the file until it is quiet")


def _chain(mujoco, model, path, name, free_base):
    for refusal in refusals(mujoco, model):
        raise ModelError(f"{path}: {refusal}")
    try:
        return chain_of(mujoco, model, name, free_base)
    except ModelError as wrong:
        raise ModelError(f"{path}: {wrong}") from None
