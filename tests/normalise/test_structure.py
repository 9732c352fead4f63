"""What control of literal IR becomes: a case holds its source, and the text of its structured module."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from tensorlift.ir.literal_interpreter import LiteralInterpreter
from tensorlift.ir.location import location_of
from tensorlift.ir.regions import IrreducibleError
from tensorlift.ir.text import print_module
from tensorlift.normalise.loop_ir import PASSES
from tensorlift.pipeline import LiftOptions, read_functions
from tensorlift.readers.clang import read_literally
from tensorlift.reading import literal_module
from tensorlift.source import source_from_text

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


@pytest.mark.parametrize("end", ["return {};", "{{ r = {}; break; }}", "{{ r = {}; s = i; goto out; }}"])
def test_each_end_of_a_loop_costs_the_same(end: str) -> None:
    """All lead to one place with what they pass on: no flag tells which one it was."""
    sizes = []
    for count in (4, 8, 12):
        exits = "\n".join(f"if (a[i] == {3 * number}) {end.format(number)}" for number in range(count))
        loop = f"for (int i = 0; i < n; i++) {{ {exits} s += a[i]; }}"
        text = f"int f(int n, const int *a) {{ int r = -1, s = 0; {loop} out: return r + s; }}"
        sizes.append(sum(1 + len(op.operands) for op in _structured(text).walk()))
    assert sizes[2] - sizes[1] == sizes[1] - sizes[0]


_ASKED_LATER = """
func.func @f(%x: memref<?xf64>, %i: index) -> f64 {
  %c0 = arith.constant 0 : index
  %n = memref.dim %x, %c0 : memref<?xf64>
  %z = arith.constant 0.0 : f64
  %in = arith.cmpi ult, %i, %n : index
  %go = scf.if %in -> (i1) {
    %v = memref.load %x[%i] : memref<?xf64>
    %p = arith.cmpf ogt, %v, %z : f64
    scf.yield %p : i1
  } else {
    scf.yield %in : i1
  }
  %r = scf.if %go -> (f64) {
    %w = memref.load %x[%i] : memref<?xf64>
    scf.yield %w : f64
  } else {
    scf.yield %z : f64
  }
  func.return %r : f64
}
"""


def test_what_is_passed_on_to_be_asked_is_asked_at_once() -> None:
    """So the branch on it stands in the arm where it may hold, and no flag is left."""
    (read,) = read_functions(source_from_text(_ASKED_LATER, "f.mlir"), LiftOptions())
    module = literal_module(read)
    before = LiteralInterpreter(module.clone())
    for one in PASSES:
        one.apply(module)
    module.verify()
    assert [str(op.results[0].type) for op in module.walk() if op.name == "scf.if"] == ["f64", "f64"]
    after = LiteralInterpreter(module)
    for values, place in (([], 0), ([1.0], 0), ([-1.0], 0), ([2.0, 3.0], 1), ([2.0, -3.0], 1), ([2.0], 1)):
        assert _run(after, values, place) == _run(before, values, place)


def _run(interpreter: LiteralInterpreter, values: list[float], place: int) -> object:
    return interpreter("f", [[*values], 0, len(values), place])
