"""``tensorlift lift --in-place`` for parts of functions in MLIR, in modules of several dialects."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import jsonschema
import pytest
from bench.fuzz_in_place_mlir import difference, run

from tensorlift.cli import main
from tensorlift.runtime.mlir.tools import checked, find_tools

if TYPE_CHECKING:
    from pathlib import Path

_TOOLS = find_tools()
_NEEDS_TOOLS = pytest.mark.skipif(_TOOLS is None, reason="upstream MLIR is not installed")

# Dialects that the loop IR does not have stand between, in and around the loops; the last call hands one array twice.
MIXED = """// several dialects
#next = affine_map<(d0) -> (d0 + 1)>
memref.global "private" constant @w : memref<3xf64> = dense<[1.0, 2.0, 3.0]>
func.func private @shown(%v: f64) {
  vector.print %v : f64
  return
}

// runs a step
func.func @step(%n: index, %A: memref<?x?xf64>, %x: memref<?xf64>, %y: memref<?xf64>) -> f64 {
  %zero = arith.constant 0.0 : f64
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  affine.for %i = 0 to %n { // clears
    affine.store %zero, %y[%i] : memref<?xf64>
  }
  %one = arith.constant 1.0 : f64 // used by all
  affine.for %i = 0 to %n {
    affine.for %j = 0 to %n {
      %a = affine.load %A[%i, %j] : memref<?x?xf64>
      %b = affine.load %x[%j] : memref<?xf64>
      %c = affine.load %y[%i] : memref<?xf64>
      %p = arith.mulf %a, %b : f64
      %s = arith.addf %c, %p : f64
      affine.store %s, %y[%i] : memref<?xf64>
    }
  }
  vector.print %one : f64
  %m = index.sub %n, %c1
  %t = affine.for %i = 0 to %m iter_args(%acc = %zero) -> (f64) {
    %a = affine.load %y[%i] : memref<?xf64>
    %s = arith.addf %acc, %a : f64
    affine.yield %s : f64
  } loc("k.c":3:7)
  affine.for %k = 0 to %n {
    affine.for %j = 0 to %n {
      %b = affine.load %A[%k, %j] : memref<?x?xf64>
      %d = arith.addf %b, %t : f64
      affine.store %d, %A[%k, %j] : memref<?x?xf64>
    }
    %v = affine.load %A[%k, %k] : memref<?x?xf64>
    func.call @shown(%v) : (f64) -> ()
  }
  %w = memref.get_global @w : memref<3xf64>
  cf.br ^bb1(%c0 : index)
^bb1(%q: index):
  affine.for %i = 0 to 3 {
    %b = affine.load %w[%i] : memref<3xf64>
    %c = affine.load %x[%q + %i] : memref<?xf64>
    %d = arith.addf %b, %c : f64
    affine.store %d, %y[%q + %i] : memref<?xf64>
  }
  %more = index.cmp ult(%q, %c1)
  cf.cond_br %more, ^bb2, ^bb3
^bb2:
  vector.print %one : f64
  cf.br ^bb3
^bb3:
  return %t : f64
}

func.func @main() -> i64 {
  %n = arith.constant 5 : index
  %A = memref.alloc(%n, %n) : memref<?x?xf64>
  %x = memref.alloc(%n) : memref<?xf64>
  %y = memref.alloc(%n) : memref<?xf64>
  affine.for %i = 0 to 5 {
    %i32 = arith.index_cast %i : index to i32
    %f = arith.sitofp %i32 : i32 to f64
    affine.store %f, %x[%i] : memref<?xf64>
    affine.store %f, %y[%i] : memref<?xf64>
    affine.for %j = 0 to 5 {
      affine.store %f, %A[%i, %j] : memref<?x?xf64>
    }
  }
  %t = func.call @step(%n, %A, %x, %y) : (index, memref<?x?xf64>, memref<?xf64>, memref<?xf64>) -> f64
  %u = func.call @step(%n, %A, %x, %x) : (index, memref<?x?xf64>, memref<?xf64>, memref<?xf64>) -> f64
  vector.print %t : f64
  vector.print %u : f64
  affine.for %i = 0 to 5 {
    %f = affine.load %y[%i] : memref<?xf64>
    vector.print %f : f64
  }
  %r = arith.fptosi %u : f64 to i64
  return %r : i64
}
"""


def _rewritten(text: str, folder: Path, *options: str) -> tuple[dict[str, Any], str]:
    """Rewrite a module; give the report and the text."""
    source, out, report = folder / "m.mlir", folder / "out.mlir", folder / "r.json"
    source.write_text(text, encoding="utf-8")
    status = main(["lift", str(source), "--in-place", "-o", str(out), "--json", str(report), *options])
    written = json.loads(report.read_text(encoding="utf-8"))
    assert status == any(f["verdict"] == "refused" for f in written["functions"])
    return written, out.read_text(encoding="utf-8")


@_NEEDS_TOOLS
def test_a_module_of_several_dialects_runs_the_same_before_and_after(root: Path, tmp_path: Path) -> None:
    written, text = _rewritten(MIXED, tmp_path)
    jsonschema.validate(written, json.loads((root / "docs" / "report.schema.json").read_text(encoding="utf-8")))
    verdicts = {f["name"]: f["verdict"] for f in written["functions"]}
    assert verdicts == {
        "step_at_14": "loop-free",
        "step_at_30": "loop-free",
        "step_at_35": "refused",
        "step_at_36": "loop-free",
        "step_at_47": "loop-free",
        "main_at_67": "loop-free",
        "main_at_80": "refused",
    }
    found = {f["name"]: f for f in written["functions"]}
    assert found["step_at_14"]["region"] == {"function": "step", "end_line": 27, "end_column": 3}
    assert [d["code"] for d in found["step_at_35"]["diagnostics"]] == ["TL583"]
    assert text.count("_original(") == 2 * 5
    before, after = run(tmp_path / "m.mlir"), run(tmp_path / "out.mlir")
    assert before == after
    assert before.count("\n") == 2 * 7 + 2 + 5 + 1


def test_what_is_not_replaced_stays_byte_for_byte(tmp_path: Path) -> None:
    _, text = _rewritten(MIXED, tmp_path, "--function", "step")
    head, tail = MIXED.split("// runs a step\n")
    assert text.startswith(head + "// step_at_14: loop-free, proved for every size, over the reals\n")
    inserted, found, rest = text.partition("// runs a step\n")
    assert found
    assert "// clears" in inserted
    lines = tail.split("\n")
    expected = [
        *lines[:4],
        "  %one = arith.constant 1.0 : f64",
        "  func.call @step_at_14(%n, %y, %A, %x) : (index, memref<?xf64>, memref<?x?xf64>, memref<?xf64>) -> ()",
        *lines[18:20],
        '  %t = func.call @step_at_30(%m, %y) : (index, memref<?xf64>) -> (f64) loc("k.c":3:7)',
        lines[25],
        "    %k_in_step_at_36_shift = arith.constant 1 : index",
        "    %k_in_step_at_36 = arith.addi %k, %k_in_step_at_36_shift : index",
        "    func.call @step_at_36(%n, %A, %k_in_step_at_36, %t) : (index, memref<?x?xf64>, index, f64) -> ()",
        *lines[31:37],
        "  func.call @step_at_47(%w, %x, %q, %y) : (memref<3xf64>, memref<?xf64>, index, memref<?xf64>) -> ()",
        *lines[43:],
    ]
    assert rest.split("\n") == expected


def _function(body: str, before: str = "") -> str:
    return f"""{before}
func.func @f(%n: index, %x: memref<?xf64>, %y: memref<?xf64>) {{
  %z = arith.constant 0.0 : f64
{body}
  return
}}
"""


def _loop(array: str = "x", inside: str = "") -> str:
    return f"  affine.for %i = 0 to %n {{\n    affine.store %z, %{array}[%i] : memref<?xf64>\n{inside}  }}\n"


@pytest.mark.parametrize(
    ("text", "code", "message"),
    [
        (_function(_loop(inside="    gpu.barrier\n")), "TL583", "`gpu.barrier` cannot be read"),
        (_function("  gpu.launch {\n" + _loop() + "  }"), "TL583", "`gpu.launch` cannot be read"),
        (
            _function(_loop(inside="    func.call @g() : () -> ()\n"), "func.func private @g()"),
            "TL150",
            "`g` has no body",
        ),
        (_function(_loop(inside="    memref.dealloc %y : memref<?xf64>\n")), "TL584", "memory is freed here"),
        (
            _function(
                "  %p:2 = affine.for %i = 0 to %n iter_args(%a = %z, %b = %z) -> (f64, f64) {\n"
                "    affine.yield %b, %a : f64, f64\n  }\n  foo.use %p#0, %p#1 : f64, f64"
            ),
            "TL585",
            "several values",
        ),
        (
            _function(_loop())
            + "func.func @g(%n: index, %x: memref<?xf64>) {\n  %c = arith.constant 1 : index\n"
            + "  scf.parallel (%i) = (%c) to (%n) step (%c) {\n"
            + "    func.call @f(%n, %x, %x) : (index, memref<?xf64>, memref<?xf64>) -> ()\n"
            + "    vector.print %i : index\n    scf.reduce\n  }\n  return\n}\n",
            "TL586",
            "is called in parallel",
        ),
        (_function("  %t = async.execute {\n  }\n" + _loop()), "TL586", "is called in parallel"),
        (
            "func.func @f(%t: !gpu.async.token) {\n" + _loop() + "  return\n}\n" + LEAF,
            "TL583",
            "`func.func` cannot be read",
        )
        if (LEAF := "func.func @leaf() {\n  return\n}\n")
        else ("", "", ""),
    ],
)
def test_loops_that_stay_say_why(
    text: str, code: str, message: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    written, rewritten = _rewritten(text, tmp_path)
    assert rewritten == text
    complaint = capsys.readouterr().err
    assert message in complaint
    assert f"[{code}]" in complaint
    assert {f["verdict"] for f in written["functions"]} == {"refused"}


def test_a_function_without_anything_to_lift_says_so(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    text = _function("  gpu.barrier")
    written, rewritten = _rewritten(text, tmp_path, "--function", "f")
    assert rewritten == text
    assert [f["name"] for f in written["functions"]] == ["f"]
    assert "`f` has no loops that could be lifted by themselves" in capsys.readouterr().err


def test_the_longest_runs_of_loops_that_lift_are_taken(tmp_path: Path) -> None:
    scattered = (
        "  affine.for %i = 0 to %n {\n    %a = affine.load %y[%i] : memref<?xf64>\n"
        "    %b = arith.fptosi %a : f64 to i64\n"
        "    %k = arith.index_cast %b : i64 to index\n    memref.store %a, %x[%k] : memref<?xf64>\n  }\n"
    )
    written, text = _rewritten(_function(_loop() + _loop("y") + scattered + _loop()), tmp_path)
    found = {f["name"]: (f["verdict"], f["region"]["end_line"]) for f in written["functions"]}
    assert found == {"f_at_4": ("loop-free", 9), "f_at_10": ("refused", 15), "f_at_16": ("loop-free", 18)}
    body = text[text.rindex("func.func @f(") :]
    assert body.index("@f_at_4(%n, %x, %y)") < body.index("memref.store") < body.index("@f_at_16(%n, %x)")


def test_names_of_the_module_are_not_taken(tmp_path: Path) -> None:
    text = _function(
        _loop() + "  vector.print %z : f64", "func.func private @f_at_4()\nfunc.func private @f_at_5_lifted()"
    )
    written, rewritten = _rewritten(text, tmp_path)
    assert [f["name"] for f in written["functions"]] == ["f_at_5_2"]
    assert "func.call @f_at_5_2(%n, %x) :" in rewritten


def test_results_of_other_dialects_and_unnamed_values_are_handed_over(tmp_path: Path) -> None:
    body = (
        '  %0:2 = "foo.sizes"(%n) : (index) -> (index, memref<?xf64>)\n'
        "  affine.for %i = 0 to %0#0 {\n    affine.store %z, %0#1[%i] : memref<?xf64>\n  }"
    )
    written, rewritten = _rewritten(_function(body), tmp_path)
    assert [f["verdict"] for f in written["functions"]] == ["loop-free"]
    assert "func.call @f_at_5(%0#0, %0#1) : (index, memref<?xf64>) -> ()" in rewritten


@_NEEDS_TOOLS
@pytest.mark.parametrize("seed", range(3))
def test_random_modules_run_the_same_before_and_after(seed: int, tmp_path: Path) -> None:
    reason, replaced = difference(seed, tmp_path)
    assert reason == ""
    assert replaced > 0


@_NEEDS_TOOLS
@pytest.mark.parametrize(("text", "status"), [("foo.bar", 2), ('"foo.bar"() : () -> ()', 0)])
def test_upstream_reads_what_it_read_before(
    text: str, status: int, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    source = tmp_path / "m.mlir"
    source.write_text(_function(_loop() + f"  {text}"), encoding="utf-8")
    assert main(["lift", str(source), "--in-place", "--test"]) == status
    assert ("does not take" in capsys.readouterr().err) == bool(status)
    assert ("_lifted" in source.read_text(encoding="utf-8")) == (not status)


@_NEEDS_TOOLS
@pytest.mark.parametrize("flag", ["--mlir-print-op-generic", "--mlir-print-debuginfo"])
def test_what_upstream_prints_is_rewritten_too(flag: str, tmp_path: Path) -> None:
    assert _TOOLS is not None
    written, text = _rewritten(checked(MIXED, _TOOLS, flag), tmp_path)
    verdicts = [f["verdict"] for f in written["functions"]]
    assert verdicts == ["loop-free", "loop-free", "refused", "loop-free", "loop-free", "loop-free", "refused"]
    assert text.count('loc("k.c":3:7)') == 2 * (flag == "--mlir-print-debuginfo")
    assert run(tmp_path / "m.mlir") == run(tmp_path / "out.mlir")


def test_a_function_whose_types_cannot_be_read_is_named(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    source = tmp_path / "m.mlir"
    source.write_text(
        "func.func @f(%t: !gpu.token) {\n  return\n}\n" + _function(_loop()).replace("@f(", "@g("), "utf-8"
    )
    for name, message in (("f", "`func.func` cannot be read"), ("h", "there is no function `h`; the module defines g")):
        assert main(["lift", str(source), "--in-place", "--function", name]) == 2
        assert message in capsys.readouterr().err
