"""What raising assumes is tested where the function starts, and the original runs where it does not hold."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import jsonschema
import numpy as np
import pytest
from bench.mlir_in_place import find_blas, load_in_place
from referencing import Registry, Resource

from tensorlift.cli import main
from tensorlift.proofs.certificate import seal_of
from tensorlift.raising.pipeline import Result, run_passes
from tensorlift.raising.pipeline_text import parse_passes
from tensorlift.runtime.mlir.tools import checked, find_tools

_DOCS = Path(__file__).parents[2] / "docs"
_TOOLS = find_tools()
_COMPILED = pytest.mark.skipif(
    _TOOLS is None or find_blas() is None, reason="upstream MLIR's tools or OpenBLAS are not installed"
)
SHIFT = """func.func @k(%a: memref<?xf64>, %b: memref<?xf64>) {
  %c0 = arith.constant 0 : index
  %n = memref.dim %a, %c0 : memref<?xf64>
  affine.for %i = 1 to %n {
    %v = affine.load %a[%i - 1] : memref<?xf64>
    affine.store %v, %b[%i] : memref<?xf64>
  }
  return
}
"""
CALLER = """func.func @g(%a: memref<?xf64>) {
  call @k(%a, %a) : (memref<?xf64>, memref<?xf64>) -> ()
  return
}
"""
SUM = """func.func @k(%n: i32, %a: memref<?xf64>, %b: memref<?xf64>) -> f64 {
  %z = arith.constant 0.0 : f64
  %m = arith.index_cast %n : i32 to index
  %s = affine.for %i = 0 to %m iter_args(%t = %z) -> f64 {
    %v = affine.load %a[%i] : memref<?xf64>
    affine.store %v, %b[%i] : memref<?xf64>
    %u = arith.addf %t, %v : f64
    affine.yield %u : f64
  }
  return %s : f64
}
"""
PASSES = ["raise-affine-to-linalg", "distribute-loops", "raise-affine-to-affine"]


def guarded(text: str, pipeline: str = "raise-affine-to-linalg") -> Result:
    """Run passes, and demand that upstream accepts what comes out."""
    result = run_passes(text, "in.mlir", parse_passes(pipeline))
    if _TOOLS is not None:
        checked(result.text, _TOOLS)
    return result


def test_a_function_that_assumes_something_keeps_its_original() -> None:
    text = guarded(SHIFT + CALLER).text
    for name in ("func.func @k(", "func.func private @k_raised(", "func.func private @k_original(", "func.func @g("):
        assert text.count(name) == 1
    assert text.count("linalg.copy") == text.count("affine.for") == text.count("scf.if") == 1
    assert CALLER in text


def test_the_original_is_the_text_of_the_source_without_attributes() -> None:
    head, body = SHIFT.split("{", 1)
    text = guarded(f'{head}attributes {{note = "{{"}} {{{body}'.replace("%a[", "%a  [")).text
    assert f"{head.replace('@k', 'private @k_original')}{{{body}".replace("%a[", "%a  [") in text
    assert text.count("attributes") == 1


@_COMPILED
def test_compiled_the_original_runs_where_arrays_overlap() -> None:
    results = []
    for text in (SHIFT, guarded(SHIFT).text):
        memory = np.arange(1.0, 9.0)
        (call,) = load_in_place(text, "k")
        call(memory, memory)
        apart, other = np.arange(1.0, 9.0), np.zeros(8)
        call(apart, other)
        behind = np.arange(1.0, 17.0)
        call(behind[:8], behind[8:])
        part = np.arange(1.0, 17.0)
        call(part[:8], part[1:9])
        short = np.array([7.0])
        call(short, short)
        results.append([memory, other, behind, part, short])
    for mine, wanted in zip(*results, strict=True):
        np.testing.assert_array_equal(mine, wanted)
    assert results[0][0].tolist() == [1.0] * 8


def test_functions_that_give_values_are_guarded_too() -> None:
    text = guarded(SUM).text
    assert "scf.if" in text
    assert "-> (f64)" in text
    assert "arith.index_cast" in text


def test_nothing_is_guarded_where_nothing_is_assumed() -> None:
    own = SHIFT.replace("%b: memref<?xf64>", "%u: index").replace("memref<?xf64>", "memref<8xf64>")
    own = own.replace("  affine.for", "  %b = memref.alloc() : memref<8xf64>\n  affine.for")
    text = guarded(own).text
    assert "linalg.copy" in text
    assert "_original" not in text


def test_names_that_are_taken_are_left_alone() -> None:
    text = guarded(SHIFT + "func.func private @k_original(index)\n").text
    assert "func.func private @k_original_2(%a: memref<?xf64>" in text
    assert "func.func private @k_original(index)" in text


def test_visibility_and_attributes_stay_with_the_name() -> None:
    marked = SHIFT.replace("func.func @k", "func.func private @k").replace(
        ") {\n  %c0", ") attributes {keep} {\n  %c0", 1
    )
    text = guarded(marked).text
    assert text.count("func.func private @k(") == 1
    assert text.count("keep") <= 1


def test_what_cannot_be_tested_at_the_start_is_not_assumed() -> None:
    """The arrays come out of a call, so that nobody knows at the start whether they overlap."""
    text = """func.func private @make() -> memref<?xf64>
func.func @k(%n: index) {
  %a = call @make() : () -> memref<?xf64>
  %b = call @make() : () -> memref<?xf64>
  affine.for %i = 1 to %n {
    %v = affine.load %a[%i - 1] : memref<?xf64>
    affine.store %v, %b[%i] : memref<?xf64>
  }
  return
}
"""
    result = guarded(text)
    assert "affine.for" in result.text
    assert "_original" not in result.text
    (said,) = [d.message for d in result.diagnostics]
    assert said.startswith("the nest stays as it is: it needs that ")
    assert said.endswith(", which is not known where the function starts")


@pytest.mark.parametrize("pipeline", PASSES)
def test_what_is_guarded_is_accepted_again(pipeline: str) -> None:
    once = guarded(SHIFT + CALLER, pipeline).text
    again = guarded(once, "raise-affine-to-linalg").text
    assert "func.func @k(" in again


def test_strides_that_are_open_are_compared_where_the_function_starts() -> None:
    kind = "memref<?xf64, strided<[?], offset: ?>>"
    result = guarded(SHIFT.replace("memref<?xf64>", kind))
    guard = result.text.partition("func.func private")[0]
    assert guard.count("memref.extract_strided_metadata") == 2
    assert "no two elements of a share memory; no two elements of b share memory" in result.diagnostics[0].message
    assert "affine.for" in result.text.partition("@k_original(%a")[2]


def test_strides_that_a_type_states_are_no_condition() -> None:
    kind = "memref<8xf64, strided<[2], offset: 1>>"
    text = SHIFT.replace("memref<?xf64>", kind)
    result = guarded(text)
    assert result.diagnostics[0].message.endswith("linalg.copy, where b shares no memory with a")
    assert "extract_strided_metadata" not in result.text
    alone = guarded(text.replace("%b[%i]", "%a[%i - 1]"))
    assert "_original" not in alone.text
    assert "affine.for" not in alone.text


@pytest.mark.parametrize("kind", ["memref<?x8xf64, strided<[4, 1]>>", "memref<8xf64, strided<[-1], offset: 7>>"])
def test_strides_that_overlap_or_go_backwards_are_not_compared(kind: str) -> None:
    place = "%0, %0" if "x8" in kind else "%0"
    text = SHIFT.replace("memref<?xf64>", kind).replace("[%i - 1]", f"[{place}]").replace("[%i]", f"[{place}]")
    result = guarded(text.replace("%0", "%i"))
    assert "_original" not in result.text
    assert "affine.for" in result.text


def test_the_command_guards(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "k.mlir"
    file.write_text(SHIFT + CALLER, encoding="utf-8")
    assert main(["opt", str(file), "--raise-affine-to-linalg"]) == 0
    shown = capsys.readouterr()
    assert "func.call @k_original(" in shown.out
    assert "b shares no memory with a" in shown.err
    assert "the original runs where that does not hold" in shown.err


def test_the_report_has_certificates(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file, report = tmp_path / "k.mlir", tmp_path / "r.json"
    file.write_text(SHIFT + CALLER, encoding="utf-8")
    assert (
        main(["opt", str(file), "--raise-affine-to-linalg", "--json", str(report), "-o", str(tmp_path / "o.mlir")]) == 0
    )
    assert main(["verify", str(report)]) == 0
    assert main(["verify", str(report), "--source", str(file)]) == 0
    assert "nest: holds" in capsys.readouterr().out
    content = json.loads(report.read_text(encoding="utf-8"))
    known = [json.loads((_DOCS / f"{name}.schema.json").read_text(encoding="utf-8")) for name in ("opt", "report")]
    registry: Registry[Any] = Registry().with_resource("report.schema.json", Resource.from_contents(known[1]))
    jsonschema.Draft202012Validator(known[0], registry=registry).validate(content)
    assert content["diagnostics"]
    (function,) = content["functions"]
    assert (function["line"], function["target"]) == (4, "memref")
    for old, new in (
        ("linalg.copy", "linalg.fill"),
        ("%b[1]", "%b[0]"),
        ("func.func @nest", "func.func @other"),
        ("func.func @nest", "memref.global @x : memref<2xf64>\nfunc.func @nest"),
    ):
        changed = function["certificate"] | {"program": function["program"].replace(old, new, 1)}
        assert changed["program"] != function["program"], old
        report.write_text(json.dumps(changed | {"seal": seal_of(changed)}), encoding="utf-8")
        assert main(["verify", str(report)]) == 1
    changed = function["certificate"] | {"preconditions": []}
    report.write_text(json.dumps(changed | {"seal": seal_of(changed)}), encoding="utf-8")
    assert main(["verify", str(report)]) == 1
    other = {**content, "source": {**content["source"], "sha256": "0" * 64}}
    report.write_text(json.dumps(other), encoding="utf-8")
    assert main(["verify", str(report)]) == 1
