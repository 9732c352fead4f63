"""What the literal reader says of Python: a case holds its source, and the text of its module behind `# MLIR`."""

from __future__ import annotations

import shutil
import subprocess
from functools import partial
from io import StringIO
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from xdsl.printer import Printer

from tensorlift.deep import with_deep_stack
from tensorlift.pipeline import LiftOptions, read_functions
from tensorlift.reading import literal_module
from tensorlift.source import source_from_text

if TYPE_CHECKING:
    from xdsl.dialects.builtin import ModuleOp

CASES = sorted((Path(__file__).parent / "python_literal").glob("*.txt"))
CONSTRUCTS = Path(__file__).parent / "constructs.py"
_MARK = "\n# MLIR\n"
_MLIR_OPT = shutil.which("mlir-opt") or next(map(str, Path("/usr/lib").glob("llvm-*/bin/mlir-opt")), None)


def _read(text: str) -> list[ModuleOp]:
    read = read_functions(source_from_text(text, "f.py"), LiftOptions())
    return [literal_module(function) for function in read if function.module is not None]


def _text(module: ModuleOp, *, debuginfo: bool = False) -> str:
    stream = StringIO()
    Printer(stream, print_debuginfo=debuginfo).print_op(module)
    return stream.getvalue() + "\n"


@pytest.mark.parametrize("path", CASES, ids=lambda path: path.stem)
def test_the_module_says_what_the_source_says(path: Path, update: bool) -> None:  # noqa: FBT001 - a fixture
    source, _, expected = path.read_text(encoding="utf-8").partition(_MARK)
    module = _read(source + "\n")[-1]
    module.verify()
    found = "".join(f"# {line[2:]}\n" for line in _text(module).splitlines()[1:-1])
    if update:
        path.write_text(f"{source.rstrip()}\n{_MARK}{found}", encoding="utf-8")
    else:
        assert found == expected


@pytest.mark.skipif(_MLIR_OPT is None, reason="mlir-opt is not installed")
def test_mlir_opt_accepts_each_construct() -> None:
    modules = with_deep_stack(partial(_read, CONSTRUCTS.read_text(encoding="utf-8")))
    command = [str(_MLIR_OPT), "--split-input-file", "--verify-each", "-o", "/dev/null"]
    texts = [_text(module, debuginfo=True) for module in modules]
    done = subprocess.run(
        command, input="// -----\n".join(texts), capture_output=True, text=True, timeout=120, check=False
    )
    assert done.stderr == ""


@pytest.mark.parametrize(
    ("source", "message"),
    [
        (
            'def f(x: "list[float]", y: "float32[:]"):\n    for i in range(len(x)):\n        x[i] = y[i]\n',
            "f.py:3:9: error TL166: a list that holds values of several types is not read literally",
        ),
        (
            'def f(x: "list[float]", y: "float32[:]"):\n    x[0] += y[0]\n',
            "f.py:2:5: error TL166: a list that holds values of several types is not read literally",
        ),
    ],
)
def test_what_is_not_understood_is_refused(source: str, message: str) -> None:
    (function,) = read_functions(source_from_text(source, "f.py"), LiftOptions())
    assert str(function.diagnostics[0]).startswith(message)
