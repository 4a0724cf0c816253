"""The scripts people start with: a Python that is new enough, one installation, words handed on, honest exit codes."""

import os
import shutil
import stat
import subprocess
from pathlib import Path

import pytest

HOUSE = Path(__file__).parents[2]
BASH = shutil.which("bash")
SCRIPTS = ("scripts/run", "scripts/test", ".ci/run", "scripts/set-up")

pytestmark = pytest.mark.skipif(BASH is None or os.name != "posix", reason="the scripts are for bash")

# a Python that only pretends: it says its version, makes an environment of copies of itself, and notes what it is told
PYTHON = """#!{bash}
echo "$*" >>"{log}"
case "$*" in
    "-c import sys; "*) exit {too_old} ;;
    "-c import pip") exit {no_pip} ;;
    --version) echo "Python 3.1x" ;;
    "-m venv --clear "*)
        for last; do :; done
        if [ {no_pip} = 1 ] && [[ "$*" != *--without-pip* ]]; then exit 1; fi
        mkdir -p "$last/bin"; cp "$0" "$last/bin/python"; cp "$0" "$last/bin/fastdyn" ;;
    *collapse*) exit 3 ;;
esac
"""


class Machine:
    """A checkout with a space in its name, on a machine with one Python of our making and little else."""

    def __init__(self, folder):
        self.root, self.tools, self.log = folder/"my checkout", folder/"tools", folder/"log"
        for name in SCRIPTS:
            (self.root/name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(HOUSE/name, self.root/name)
        (self.root/"pyproject.toml").write_text("one")
        self.tools.mkdir()
        for tool in ("dirname", "cat", "mkdir", "cp", "rm", "mktemp", "bash"):
            (self.tools/tool).symlink_to(shutil.which(tool))

    def python(self, name, too_old=0, no_pip=0):
        path = self.tools/name
        path.write_text(PYTHON.format(bash=BASH, log=self.log, too_old=too_old, no_pip=no_pip))
        path.chmod(path.stat().st_mode | stat.S_IXUSR)

    def start(self, script, *words):
        done = subprocess.run([BASH, self.root/script, *words], env={"PATH": str(self.tools)}, capture_output=True,
                              text=True, timeout=60, cwd="/", stdin=subprocess.DEVNULL)
        told = self.log.read_text().splitlines() if self.log.exists() else []
        self.log.unlink(missing_ok=True)
        return done, [line for line in told if not line.startswith(("-c ", "--version"))]


@pytest.fixture
def machine(tmp_path):
    return Machine(tmp_path)


def test_scripts_can_be_started_and_parsed():
    for name in SCRIPTS:
        assert subprocess.run([BASH, "-n", HOUSE/name]).returncode == 0
        assert os.access(HOUSE/name, os.X_OK) or name == "scripts/set-up"


def test_without_a_python_one_sentence_is_said(machine):
    for script in ("scripts/run", "scripts/test", ".ci/run"):
        done, _ = machine.start(script)
        assert done.returncode != 0 and done.stdout == ""
        assert done.stderr.count("\n") == 1 and "needs Python 3.11 or newer" in done.stderr


def test_a_python_that_is_too_old_is_passed_over(machine):
    machine.python("python3.14", too_old=1)
    machine.python("python3", too_old=1)
    assert machine.start("scripts/run")[0].returncode != 0
    machine.python("python3.12")
    assert machine.start("scripts/run")[0].returncode == 0


def test_the_first_run_installs_and_the_next_ones_do_not(machine):
    machine.python("python3.11")
    root = machine.root
    installed = f"-m pip install --quiet --disable-pip-version-check --editable {root}"
    fall = f"run falling-chain --out {root}/out --pictures"
    assert machine.start("scripts/run")[1] == [f"-m venv --clear {root}/.venv", installed, fall]
    assert machine.start("scripts/run")[1] == [fall]
    (root/"pyproject.toml").write_text("two")
    assert machine.start("scripts/run")[1] == [installed, fall]
    moved = root.rename(root.parent/"elsewhere")
    machine.root = moved
    assert machine.start("scripts/run")[1] == [line.replace(str(root), str(moved)) for line in (installed, fall)]
    (moved/".venv/bin/python").unlink()
    assert machine.start("scripts/run")[1][0] == f"-m venv --clear {moved}/.venv"


def test_words_are_handed_on_whole(machine):
    machine.python("python3")
    out = f"--out {machine.root}/out --pictures"
    assert machine.start("scripts/run", "--set", "n=3")[1][-1] == f"run falling-chain {out} --set n=3"
    assert machine.start("scripts/run", "my arm.toml", "--out", "x")[1][-1] == f"run my arm.toml {out} --out x"
    assert machine.start("scripts/run", "collapse")[0].returncode == 3


def test_a_python_without_ensurepip_lends_its_own_pip(machine):
    machine.python("python3", no_pip=1)
    _, told = machine.start("scripts/run")
    assert told[1].startswith("-m venv --clear --without-pip") and told[2].startswith("-m pip --python ")


def test_the_suite_fails_when_any_of_its_passes_fails(machine):
    machine.python("python3")
    done, told = machine.start("scripts/test")
    assert done.returncode == 0 and done.stdout.count("passed") == 3
    assert [line for line in told if line.startswith("-m pip")] == [
        f"-m pip install --quiet --disable-pip-version-check --editable {machine.root}[{extra}]"
        for extra in ("test", "judges", "bridges")]
    assert {line for line in told if "-m pytest" in line} == {
        "-m pytest -n auto --maxprocesses 8 --dist loadfile",
        "-m coverage run -m pytest -m kernels -p no:cacheprovider -W ignore::RuntimeWarning",
        "-m pytest -m kernels -p no:cacheprovider -n 2 --dist loadfile"}
    for words in ("-n auto", "coverage run", "coverage report", "-m pytest -m kernels"):
        python = machine.root/".venv/bin/python"
        kept = python.read_text()
        python.write_text(kept.replace("*collapse*)", f'*collapse* | *"{words}"*)'))
        done, _ = machine.start("scripts/test")
        assert done.returncode == 1 and "FAILED" in done.stdout
        python.write_text(kept)


@pytest.mark.parametrize("extras, said", [("*judges* | *import]*", "tests that compare with them are skipped"),
                                          ("*bridges]*", "tests that hand over are skipped")])
def test_packages_that_cannot_be_installed_are_missed_aloud(machine, extras, said):
    machine.python("python3")
    source = (machine.tools/"python3").read_text()
    (machine.tools/"python3").write_text(source.replace("*collapse*)", f"{extras})"))
    done, _ = machine.start("scripts/test")
    assert done.returncode == 0 and done.stdout.count("are skipped.") == 1 and said in done.stdout


def test_the_readme_sets_up_with_two_commands():
    text = (HOUSE/"README.md").read_text()
    assert [line for line in text.splitlines() if line.startswith("./")] == ["./scripts/run", "./scripts/test"]
