"""``tensorlift lift --in-place`` for MLIR: the module runs the same before and after, by upstream's own passes."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING

import pytest
from bench.fuzz_in_place_mlir import run

from tensorlift.cli import main
from tensorlift.runtime.mlir.tools import find_tools

if TYPE_CHECKING:
    from pathlib import Path

_TOOLS = find_tools()
_NEEDS_TOOLS = pytest.mark.skipif(_TOOLS is None, reason="upstream MLIR is not installed")

# The second product writes what it reads, and the shift overlaps itself: there the originals run.
MODULE = """// a module with a main
module {
  // fills an array
  func.func @fill(%n: index, %A: memref<?x?xf64>, %f: f64) {
    affine.for %i = 0 to %n {
      affine.for %j = 0 to %n {
        %s = arith.addi %i, %j : index
        %k = arith.index_cast %s : index to i32
        %v = arith.sitofp %k : i32 to f64
        %w = arith.mulf %v, %f : f64
        affine.store %w, %A[%i, %j] : memref<?x?xf64>
      }
    }
    return
  }
  func.func private @gemm(%n: index, %A: memref<?x?xf64>, %B: memref<?x?xf64>, %C: memref<?x?xf64>) {
    affine.for %i = 0 to %n {
      affine.for %j = 0 to %n {
        affine.for %k = 0 to %n {
          %a = affine.load %A[%i, %k] : memref<?x?xf64>
          %b = affine.load %B[%k, %j] : memref<?x?xf64>
          %c = affine.load %C[%i, %j] : memref<?x?xf64>
          %p = arith.mulf %a, %b : f64
          %s = arith.addf %c, %p : f64
          affine.store %s, %C[%i, %j] : memref<?x?xf64>
        }
      }
    }
    return
  }
  func.func @scale(%x: memref<16xf64>, %q: memref<f64>) {
    affine.for %i = 0 to 16 {
      %a = affine.load %x[%i] : memref<16xf64>
      %b = affine.load %q[] : memref<f64>
      %c = arith.mulf %a, %b : f64
      affine.store %c, %x[%i] : memref<16xf64>
    }
    return
  }
  func.func @shift(%n: index, %x: memref<?xf64>, %y: memref<?xf64>) {
    affine.for %i = 1 to %n {
      %a = affine.load %x[%i - 1] : memref<?xf64>
      affine.store %a, %y[%i] : memref<?xf64>
    }
    return
  }
  func.func @ramp(%n: i32, %x: memref<16xf64>, %y: memref<16xi32>) {
    %m = arith.index_cast %n : i32 to index
    affine.for %i = 0 to %m {
      %a = affine.load %x[%i] : memref<16xf64>
      %b = arith.addf %a, %a : f64
      affine.store %b, %x[%i] : memref<16xf64>
      affine.store %n, %y[%i] : memref<16xi32>
    }
    return
  }
  func.func @total(%x: memref<16xf64>) -> f64 {
    %z = arith.constant 0.0 : f64
    %t = affine.for %i = 0 to 16 iter_args(%acc = %z) -> (f64) {
      %a = affine.load %x[%i] : memref<16xf64>
      %s = arith.addf %acc, %a : f64
      affine.yield %s : f64
    }
    return %t : f64
  }
  func.func @main() -> i64 {
    %n = arith.constant 4 : index
    %m = arith.constant 6 : index
    %f = arith.constant 0.5 : f64
    %A = memref.alloc(%m, %m) : memref<?x?xf64>
    %B = memref.alloc(%m, %m) : memref<?x?xf64>
    %C = memref.alloc(%m, %m) : memref<?x?xf64>
    func.call @fill(%m, %A, %f) : (index, memref<?x?xf64>, f64) -> ()
    func.call @fill(%m, %B, %f) : (index, memref<?x?xf64>, f64) -> ()
    func.call @fill(%m, %C, %f) : (index, memref<?x?xf64>, f64) -> ()
    func.call @gemm(%n, %A, %B, %C) : (index, memref<?x?xf64>, memref<?x?xf64>, memref<?x?xf64>) -> ()
    func.call @gemm(%m, %C, %B, %C) : (index, memref<?x?xf64>, memref<?x?xf64>, memref<?x?xf64>) -> ()
    %x = memref.alloc() : memref<16xf64>
    %q = memref.alloc() : memref<f64>
    affine.store %f, %q[] : memref<f64>
    affine.for %i = 0 to 4 {
      affine.for %j = 0 to 4 {
        %v = affine.load %C[%i, %j] : memref<?x?xf64>
        affine.store %v, %x[%i * 4 + %j] : memref<16xf64>
      }
    }
    func.call @scale(%x, %q) : (memref<16xf64>, memref<f64>) -> ()
    %ints = memref.alloc() : memref<16xi32>
    %eight = arith.constant 8 : i32
    func.call @ramp(%eight, %x, %ints) : (i32, memref<16xf64>, memref<16xi32>) -> ()
    %y = memref.cast %x : memref<16xf64> to memref<?xf64>
    %k = arith.constant 16 : index
    func.call @shift(%k, %y, %y) : (index, memref<?xf64>, memref<?xf64>) -> ()
    %t = func.call @total(%x) : (memref<16xf64>) -> f64
    %h = arith.constant 1000.0 : f64
    %u = arith.mulf %t, %h : f64
    %r = arith.fptosi %u : f64 to i64
    return %r : i64
  }
}
"""


@_NEEDS_TOOLS
def test_a_module_runs_the_same_before_and_after(tmp_path: Path) -> None:
    source, out, report = tmp_path / "m.mlir", tmp_path / "out.mlir", tmp_path / "r.json"
    source.write_text(MODULE, encoding="utf-8")
    assert main(["lift", str(source), "--in-place", "--test", "-o", str(out), "--json", str(report)]) == 0
    found = json.loads(report.read_text(encoding="utf-8"))["functions"]
    assert [f["name"] for f in found] == ["fill", "gemm", "scale", "shift", "ramp", "total", "main_at_81"]
    assert {(f["level"], f["target"]) for f in found} == {("proved", "linalg")}
    assert [f["verdict"] for f in found] == ["loop-free"] * 6 + ["hybrid"]
    assert run(source) == run(out) == "612000\n"


def test_what_is_not_replaced_stays_byte_for_byte(tmp_path: Path) -> None:
    source, out = tmp_path / "m.mlir", tmp_path / "out.mlir"
    source.write_text(MODULE, encoding="utf-8")
    assert main(["lift", str(source), "--in-place", "-o", str(out), "--function", "total"]) == 0
    text = out.read_text(encoding="utf-8")
    before, behind = MODULE.split("  func.func @total(")
    assert text.startswith(before)
    assert text.endswith("  func.func private @total_original(" + behind)
    inserted = text.removeprefix(before).split("  func.func private @total_original(")[0]
    assert inserted.startswith(
        "  // total: loop-free, proved for every size, over the reals\n  func.func private @total_lifted("
    )
    assert re.search(r"^  func\.func @total\(%a0: memref<16xf64>\) -> f64 \{$", inserted, re.MULTILINE)


LOOP = """func.func @f(%n: index, %x: memref<?xf64>) {
  affine.for %i = 0 to %n {
    %z = arith.constant 0.0 : f64
    affine.store %z, %x[%i] : memref<?xf64>
  }
  return
}
"""


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (LOOP.replace("@f(", '@"f"('), "does not start in the text as `func.func @f(`"),
        (LOOP + "func.func private @f_lifted()\n", "the module has a function @f_lifted"),
        (LOOP.replace(") {\n  affine", ") attributes {llvm.always_inline} {\n  affine"), "attributes"),
        (LOOP.replace("x: memref<?xf64>", "x: memref<?xf64> {llvm.noalias}"), "attributes"),
    ],
)
def test_functions_that_cannot_be_another_one_stay_and_their_loops_are_replaced(
    text: str, message: str, tmp_path: Path
) -> None:
    source, out, report = tmp_path / "m.mlir", tmp_path / "out.mlir", tmp_path / "r.json"
    source.write_text(text, encoding="utf-8")
    assert main(["lift", str(source), "--in-place", "-o", str(out), "--json", str(report)]) == 0
    written = json.loads(report.read_text(encoding="utf-8"))
    assert [f["name"] for f in written["functions"]] == ["f_at_2"]
    (note,) = written["diagnostics"]
    assert (note["code"], note["severity"]) == ("TL582", "note")
    assert message in note["message"]
    head = text.splitlines()[0]
    assert f"{head}\n  func.call @f_at_2(%n, %x) : (index, memref<?xf64>) -> ()\n  return\n" in out.read_text("utf-8")


def test_a_module_with_programs_in_it_stays(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    source = tmp_path / "m.mlir"
    source.write_text(LOOP, encoding="utf-8")
    assert main(["lift", str(source), "--in-place"]) == 0
    text = source.read_text(encoding="utf-8")
    assert main(["lift", str(source), "--in-place"]) == 0
    assert "m.mlir: already rewritten by tensorlift\n" in capsys.readouterr().out
    assert source.read_text(encoding="utf-8") == text


def test_attributes_for_callers_in_c_are_kept(tmp_path: Path) -> None:
    source = tmp_path / "m.mlir"
    source.write_text(
        LOOP.replace(") {\n  affine", ") attributes {llvm.emit_c_interface} {\n  affine"), encoding="utf-8"
    )
    assert main(["lift", str(source), "--in-place"]) == 0
    assert source.read_text(encoding="utf-8").count("attributes {llvm.emit_c_interface}") == 2


def test_a_module_without_loops_stays(tmp_path: Path) -> None:
    source, out = tmp_path / "m.mlir", tmp_path / "out.mlir"
    source.write_text("func.func @f() {\n  return\n}\n", encoding="utf-8")
    assert main(["lift", str(source), "--in-place", "-o", str(out)]) == 0
    assert out.read_bytes() == source.read_bytes()
