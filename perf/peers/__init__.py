"""Other codes asked the same questions: one adaptor each, present when its package is installed."""

from importlib import import_module

ADAPTORS = {"pinocchio": "Pinocchio", "mujoco": "MuJoCo", "drake": "Drake", "exudyn": "Exudyn"}


def installed():
    """(classes of the peers whose packages are here, names of those that are not)."""
    here, missing = [], []
    for module, name in ADAPTORS.items():
        try:
            here.append(getattr(import_module(f".{module}", __name__), name))
        except ImportError:
            missing.append(name)
    return here, missing
