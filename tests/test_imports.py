"""Rooms import only what docs/architecture.md allows, in no cycle, and starting up loads nothing heavy."""

from __future__ import annotations

import ast
import functools
import graphlib
import pkgutil
import re
import subprocess
import sys
from pathlib import Path

import pytest

import tensorlift
from tensorlift.targets import get_target, target_names

_PACKAGE = Path(tensorlift.__file__).parent
# These see all.
_TOP = {
    "commands",
    "readback",
    "restricted",
    "by_cases",
    "joined",
    "threads",
    "__init__",
    "__main__",
    "pipeline",
    "reading",
    "attempts",
    "first_half",
    "portfolio",
    "profit",
    "engines",
    "interface",
    "explain",
    "derivation",
    "exploring",
    "magics",
    "mlir",
    "otherwise",
    "pdl",
    "cli",
    "lifted",
    "decorated",
    "specialised",
}
_HEAVY = {"xdsl", "islpy", "clang", "numpy", "rich"}
_EMITTERS = ("emit", "emitter", "emission", "printer")


_DOCUMENT = Path(__file__).parent.parent / "docs" / "architecture.md"
_ROW = re.compile(r"^\| `(?P<room>\w+)` \| .* \|(?P<allowed>[ `\w]*)\|$", re.MULTILINE)
_ROOMS = {row["room"]: set(re.findall(r"\w+", row["allowed"])) for row in _ROW.finditer(_DOCUMENT.read_text("utf-8"))}


def _room(module: str) -> str:
    """Give the room that a dotted module name belongs to; the package itself is `__init__`."""
    parts = module.split(".")
    return parts[1] if len(parts) > 1 else "__init__"


def _imports(path: Path) -> list[str]:
    """List the modules of ours that a file imports, at any depth; names from a package count as its modules."""
    found: list[str] = []
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            found += [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            assert not node.level, f"{path}: imports are absolute"
            found += [f"{node.module}.{alias.name}" for alias in node.names]
    return [name for name in found if name == "tensorlift" or name.startswith("tensorlift.")]


def _files() -> list[tuple[str, Path]]:
    """List the package's files, each with its room."""
    files = sorted(_PACKAGE.rglob("*.py"))
    return [(path.relative_to(_PACKAGE).with_suffix("").parts[0], path) for path in files]


@functools.cache
def _graph() -> dict[str, set[str]]:
    """Give the rooms that each room imports; the package's own names (its version) load no other room."""
    graph: dict[str, set[str]] = {}
    for room, path in _files():
        targets = {_room(name) for name in _imports(path)} - {room, "__version__"}
        graph.setdefault(room, set()).update(targets)
    return graph


def _run(code: str) -> None:
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=600, check=False)
    assert done.returncode == 0, done.stderr


def test_every_room_has_its_rule() -> None:
    assert {room for room, _ in _files()} <= set(_ROOMS) | _TOP


@pytest.mark.parametrize("room", sorted(_ROOMS))
def test_a_room_imports_what_it_may(room: str) -> None:
    assert _graph().get(room, set()) <= _ROOMS[room]


def test_the_checker_reads_imports_wherever_they_stand(tmp_path: Path) -> None:
    file = tmp_path / "a.py"
    file.write_text("def f():\n  from tensorlift import targets\n  import tensorlift.proofs.x\n", encoding="utf-8")
    assert [_room(name) for name in _imports(file)] == ["targets", "proofs"]


def test_rooms_form_no_cycle() -> None:
    graph = {room: used for room, used in _graph().items() if room not in _TOP}
    assert set(graphlib.TopologicalSorter(graph).static_order()) >= set(graph)


def test_proofs_load_neither_the_finder_nor_an_emitter() -> None:
    """The checker must not trust the finder, so its process does not even hold it."""
    from tensorlift import proofs  # noqa: PLC0415 - a test of what importing does

    modules = [m.name for m in pkgutil.walk_packages(proofs.__path__, "tensorlift.proofs.")]
    _run(
        f"import importlib, sys\n"
        f"for name in {['tensorlift.proofs', *modules]}: importlib.import_module(name)\n"
        f"loaded = [m.split('.') for m in sys.modules if m.startswith('tensorlift.')]\n"
        f"wrong = [m for m in loaded if m[1] in ('synthesis', 'summarize') or"
        f" m[1] == 'targets' and m[-1] in {_EMITTERS}]\n"
        f"assert not wrong, wrong"
    )


def test_importing_the_package_loads_nothing_else() -> None:
    _run(
        f"import sys, tensorlift; tensorlift.__version__\n"
        f"assert not [m for m in sys.modules if m.startswith('tensorlift.')]\n"
        f"assert not {_HEAVY} & set(sys.modules)"
    )


def test_lifting_to_a_library_does_not_load_it() -> None:
    source = "void f(int n, double a[n]) { for (int i = 0; i < n; i++) a[i] = 2 * a[i]; }"
    sizes = {name: {"n": 4} if get_target(name).takes_sizes else None for name in target_names()}
    _run(
        f"import sys; from tensorlift import lift\n"
        f"for target, sizes in {sizes!r}.items():\n"
        f"    lifted = lift({source!r}, to=target, sizes=sizes)\n"
        f"    assert lifted.level == 'proved'\n"
        f"    assert not {{'jax', 'torch'}} & set(sys.modules), target"
    )


def test_telling_of_operations_loads_no_library() -> None:
    _run(
        f"import sys; from tensorlift.cli import main\n"
        f"for arguments in [['targets', *{target_names()!r}], ['targets', '--explain', 'exp']]:\n"
        f"    assert main(arguments) == 0\n"
        f"    assert not {{'jax', 'torch'}} & set(sys.modules), arguments"
    )


_PROGRAM = "void f(int n, double a[n]) { for (int i = 0; i < n; i++) a[i] = 2 * a[i]; }"
_IN_PROCESS = "machine._SECONDS = 0; measure.run_worker = lambda _module, facts, arrays, _limits: work(facts, arrays)"


_COMMANDS: dict[str, list[str]] = {"run": [], "bench": ["--rounds", "3", "--seconds", "0.1", "--threads", "1"]}


@pytest.mark.parametrize("command", _COMMANDS)
def test_running_loads_no_other_library_than_the_one_asked_for(command: str, tmp_path: Path) -> None:
    """The worker runs in this process, so that what it loads is seen."""
    source = tmp_path / "f.c"
    source.write_text(_PROGRAM, encoding="utf-8")
    arguments = [command, str(source), "--sizes", "n=8", "--backend", "numpy", *_COMMANDS[command]]
    _run(
        f"import sys; from tensorlift.runtime import machine, measure\n"
        f"from tensorlift.runtime.measure_worker import work\n"
        f"from tensorlift.cli import main; {_IN_PROCESS}\n"
        f"assert main({arguments!r}) == 0\n"
        f"assert not {{'jax', 'torch', 'matplotlib'}} & set(sys.modules)"
    )


@pytest.mark.in_turns(2)
@pytest.mark.parametrize("backend", ["jax", "torch"])
def test_running_on_a_library_loads_it_in_the_limited_process_only(backend: str, tmp_path: Path) -> None:
    pytest.importorskip(backend, reason=f"{backend} is not installed")
    source = tmp_path / "f.c"
    source.write_text(_PROGRAM, encoding="utf-8")
    arguments = ["run", str(source), "--sizes", "n=8", "--backend", backend]
    _run(
        f"import sys; from tensorlift.cli import main\n"
        f"assert main({arguments!r}) == 0\n"
        f"assert not {{'jax', 'torch'}} & set(sys.modules)"
    )


_LIGHT = [
    ["--help"],
    ["--version"],
    ["lift", "--help"],
    ["run", "--help"],
    ["bench", "--help"],
    ["scan", "--help"],
    ["targets"],
    ["lift", "no-such-file"],
    ["run", "no-such-file"],
    ["bench", "no-such-file"],
]


def test_light_commands_load_nothing_heavy() -> None:
    """In one process: the first command that loads something is named."""
    _run(
        f"import sys; from tensorlift.cli import main\n"
        f"for arguments in {_LIGHT}:\n"
        f"    main(arguments)\n"
        f"    assert not {_HEAVY} & set(sys.modules), (arguments, {_HEAVY} & set(sys.modules))"
    )
