"""The public names: what is loaded later is known to type checkers all the same, each with a typed signature."""

import ast
import inspect
import re
from importlib import import_module
from pathlib import Path

import pytest

import fastdyn

HOUSE = Path(fastdyn.__file__).parents[1]
TREE = ast.parse(Path(fastdyn.__file__).read_text())


def block(condition):
    """The statements under `if` with that condition, written as in the source."""
    (found,) = (node.body for node in TREE.body if isinstance(node, ast.If) and ast.unparse(node.test) == condition)
    return found


def told_to_checkers():
    """name -> module it is imported from, for those who do not run the package."""
    return {alias.name: node.module for node in block("TYPE_CHECKING") for alias in node.names}


def test_checkers_see_what_is_loaded_later():
    later = {name: room.rpartition(".")[0] if name == "catalog" else room for name, room in fastdyn._LATER.items()}
    assert told_to_checkers() == later
    assert {node.name for node in block("not TYPE_CHECKING")} == {"__getattr__"}


def test_all_is_a_list_that_checkers_can_read():
    """Literals alone, every name once, and nothing public besides."""
    (written,) = (ast.literal_eval(node.value) for node in TREE.body
                  if isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == "__all__")
    assert written == sorted(set(written)) == dir(fastdyn)
    imported = {alias.name for node in TREE.body if isinstance(node, ast.ImportFrom) and node.level
                for alias in node.names}
    assert set(written) == imported | set(fastdyn._LATER) | {"__version__"}


@pytest.mark.parametrize("name", fastdyn.__all__)
def test_every_name_is_there(name):
    found = getattr(fastdyn, name)
    if name in fastdyn._LATER:
        page = import_module(f"fastdyn.{fastdyn._LATER[name]}")
        assert found is (page if name == "catalog" else getattr(page, name))
    assert callable(found) or name in ("catalog", "__version__")


@pytest.mark.parametrize("name", [n for n, room in fastdyn._LATER.items() if room in ("run.dynamics", "run.places")])
def test_questions_say_what_they_take_and_give(name):
    signature = inspect.signature(getattr(fastdyn, name))
    assert signature.return_annotation is not inspect.Signature.empty
    assert [p.name for p in signature.parameters.values() if p.annotation is inspect.Parameter.empty] == []


def test_all_that_can_be_called_is_told_of():
    told = re.findall(r"\w+", (HOUSE/"docs"/"api.md").read_text())
    missing = {name for name, room in fastdyn._LATER.items() if room.startswith("run.") and name not in told}
    assert missing == set()


def test_no_other_name_is_there():
    with pytest.raises(AttributeError, match="module 'fastdyn' has no attribute 'forward'"):
        assert fastdyn.forward
