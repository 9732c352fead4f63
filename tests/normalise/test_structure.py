"""What control of literal IR becomes: a case holds its source, and the text of its structured module."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from tensorlift.ir.location import location_of
from tensorlift.ir.regions import IrreducibleError
from tensorlift.ir.text import print_module
from tensorlift.normalise.loop_ir import PASSES
from tensorlift.readers.clang import read_literally

if TYPE_CHECKING:
    from xdsl.dialects.builtin import ModuleOp

CASES = sorted((Path(__file__).parent / "structured").glob("*.c"))
_MARK = "\n// MLIR\n"
_MLIR_OPT = shutil.which("mlir-opt") or next(map(str, Path("/usr/lib").glob("llvm-*/bin/mlir-opt")), None)


def _structured(text: str) -> ModuleOp:
    module = read_literally(text, "f.c").module
    for one in PASSES:
        one.apply(module)
        module.verify()
    return module


def _read(path: Path) -> ModuleOp:
    return _structured(path.read_text(encoding="utf-8").partition(_MARK)[0] + "\n")


@pytest.mark.parametrize("path", CASES, ids=lambda path: path.stem)
def test_control_becomes_structured(path: Path, update: bool) -> None:  # noqa: FBT001 - a fixture
    source, _, expected = path.read_text(encoding="utf-8").partition(_MARK)
    module = _read(path)
    assert [len(function.regions[0].blocks) for function in module.ops] == [1] * len(module.ops)
    found = "".join(f"// {line[2:]}\n" for line in print_module(module).splitlines()[1:-2])
    if update:
        path.write_text(f"{source.rstrip()}\n{_MARK}{found}", encoding="utf-8")
    else:
        assert found == expected


@pytest.mark.skipif(_MLIR_OPT is None, reason="mlir-opt is not installed")
def test_mlir_opt_accepts_each_module() -> None:
    texts = [print_module(_read(path)) for path in CASES]
    command = [str(_MLIR_OPT), "--split-input-file", "--verify-each", "-o", "/dev/null"]
    done = subprocess.run(
        command, input="// -----\n".join(texts), capture_output=True, text=True, timeout=120, check=False
    )
    assert done.stderr == ""


def test_a_loop_stands_where_it_is_entered() -> None:
    """Claims on literal IR are matched by these places."""
    text = "void f(int n, int *a) {\n  for (int i = 0; i < n; i++)\n    a[i] = 0;\n  while (n) n--;\n}\n"
    loops = [op for op in _structured(text).walk() if op.name == "scf.while"]
    places = [location_of(op) for op in loops]
    assert [(place.line, place.column) for place in places if place is not None] == [(2, 3), (4, 3)]


def test_a_cycle_with_two_entries_is_refused() -> None:
    text = "void f(int n) { if (n) goto b; a: n++; b: if (n < 9) goto a; }"
    with pytest.raises(IrreducibleError):
        _structured(text)
