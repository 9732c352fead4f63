"""``tensorlift opt``: pipelines, what they print, and requests that are wrong."""

from __future__ import annotations

import dataclasses
import io
import re
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from xdsl.rewriter import Rewriter

from tensorlift.cli import main
from tensorlift.raising.pipeline_text import PASSES
from tensorlift.raising.simplify import EliminateCommon

if TYPE_CHECKING:
    from xdsl.dialects.builtin import ModuleOp

_MATMUL = (Path(__file__).parents[2] / "bench" / "mlir_programs" / "matmul.mlir").read_text(encoding="utf-8")
_LINALG = "--raise-affine-to-linalg"


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder to work in, with a module."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "matmul.mlir").write_text(_MATMUL)
    return tmp_path


def test_without_passes_a_module_is_printed_as_it_is(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["opt", "matmul.mlir"]) == 0
    assert "affine.store" in capsys.readouterr().out


@pytest.mark.parametrize(
    "arguments",
    [
        [_LINALG],
        ["-raise-affine-to-linalg", "-pass-pipeline=cse"],
        ["--pass-pipeline", "raise-affine-to-linalg"],
        ["--pass-pipeline=builtin.module(raise-affine-to-linalg)"],
        ["--pass-pipeline=builtin.module( func.func(raise-affine-to-linalg, cse), canonicalize )"],
        ["--pass-pipeline=any(builtin.module(any(func.func(raise-affine-to-linalg)),builtin.module(cse)))"],
        ["--pass-pipeline=func.func(raise-affine-to-linalg{}),cse", "--canonicalize"],
    ],
)
def test_a_pass_is_a_flag_or_part_of_a_pipeline(arguments: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["opt", "matmul.mlir", *arguments]) == 0
    shown = capsys.readouterr()
    assert "linalg.matmul" in shown.out
    assert "matmul.mlir:3:3: note: the nest becomes linalg.matmul, where k >= 1; m >= 1; n >= 1; C shares" in shown.err


def test_the_module_is_written_to_a_file(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["opt", "matmul.mlir", _LINALG, "-o", "out.mlir"]) == 0
    assert "linalg.matmul" in (folder / "out.mlir").read_text()
    assert capsys.readouterr().out == ""


def test_standard_input_is_read(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(_MATMUL.encode())))
    assert main(["opt", "-", _LINALG]) == 0
    assert "linalg.matmul" in capsys.readouterr().out


@pytest.mark.parametrize("flag", ["--print-ir-after-all", "--mlir-print-ir-after-all"])
def test_the_module_is_shown_behind_each_pass(flag: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["opt", "matmul.mlir", _LINALG, flag]) == 0
    assert "// -----// IR Dump After raise-affine-to-linalg //----- //\nfunc.func @" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("flag", "shown"),
    [
        ("--mlir-print-ir-before-all", ["Before raise-affine-to-linalg", "Before cse"]),
        ("--mlir-print-ir-before=cse", ["Before cse"]),
        ("--mlir-print-ir-after=canonicalize,raise-affine-to-linalg", ["After raise-affine-to-linalg"]),
    ],
)
def test_the_module_is_shown_around_passes(flag: str, shown: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["opt", "matmul.mlir", _LINALG, "--cse", flag]) == 0
    assert re.findall("IR Dump (.*) //-", capsys.readouterr().err) == shown


def test_a_module_is_not_shown_around_a_pass_that_there_is_not(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["opt", "matmul.mlir", "--mlir-print-ir-after=raise"]) == 2
    assert "there is no pass 'raise' [TL591]" in capsys.readouterr().err


def test_times_are_a_table(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["opt", "matmul.mlir", "--cse", "--mlir-timing"]) == 0
    shown = capsys.readouterr().err
    assert re.search(r"Execution time report.*\n.*\n  Total Execution Time: [\d.]+ seconds\n", shown)
    assert re.findall(r"^ +[\d.]+ \( *[\d.]+%\)  (.*)$", shown, re.MULTILINE) == ["cse", "Rest", "Total"]


def test_operations_are_printed_in_generic_form(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["opt", "matmul.mlir", _LINALG, "--mlir-print-op-generic"]) == 0
    shown = capsys.readouterr().out
    assert '"func.return"() : () -> ()' in shown
    assert "linalg.matmul ins(" in shown  # upstream's generic form has a region, which is not kept


def test_locations_are_printed(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["opt", "matmul.mlir", "--mlir-print-debuginfo"]) == 0
    assert 'loc("matmul.mlir":3:3)' in capsys.readouterr().out


def test_a_module_is_read_from_standard_input_by_default(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(b'"x.y"() : () -> ()\n')))
    assert main(["opt", "--allow-unregistered-dialect", "-o", "-"]) == 0
    assert capsys.readouterr().out == '"x.y"() : () -> ()\n'


def test_bytecode_is_refused_with_the_command_that_helps(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (folder / "in.mlirbc").write_bytes(b"ML\xefR\x0dMLIR22\0")
    assert main(["opt", "in.mlirbc"]) == 2
    shown = capsys.readouterr().err
    assert "'in.mlirbc' is bytecode of MLIR, which is not read [TL504]" in shown
    assert "help: make text of it: mlir-opt in.mlirbc -o in.mlir" in shown


@pytest.mark.parametrize(
    ("flags", "said"),
    [
        ([], "the module is not valid after cse: "),
        (["--verify-each"], "the module is not valid after cse: "),
        (["--verify-each=false"], "output:1:1: error: affine.for is not valid: "),  # found as it is printed
    ],
)
def test_a_module_is_verified_after_each_pass(
    flags: list[str], said: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(EliminateCommon, "apply", _spoil)
    assert main(["opt", "matmul.mlir", "--cse", *flags]) != 0
    assert said in capsys.readouterr().err


def _spoil(_: object, context: object, op: ModuleOp) -> None:
    """Leave a function without its end."""
    del context
    Rewriter.erase_op(list(op.walk())[-1])


_PIECES = """// a file of several modules
// -----
func.func @f() -> index {
  %x = arith.constant 1 : index
  return %x : index
}
// -----

func.func @g() { tosa.yield }
// -----
func.func @h(%A: memref<8xf64>) {
  affine.for %i = 0 to 8 {
    %x = arith.constant 1.0 : f64
    affine.store %x, %A[%i] : memref<8xf64>
  }
  return
}
"""


def test_pieces_of_a_file_are_modules(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (folder / "pieces.mlir").write_text(_PIECES)
    assert main(["opt", "pieces.mlir", "--split-input-file", _LINALG, "--pass-statistics"]) == 0
    shown = capsys.readouterr()
    empty, first, refused, last = shown.out.split("// -----\n")
    assert empty == "builtin.module {}\n"
    assert "@f" in first
    assert refused == "func.func @g() { tosa.yield }\n"
    assert "linalg.fill" in last
    assert "pieces.mlir:9:18: note: the function `g` stays as it is: `tosa.yield` cannot be read: " in shown.err
    assert "[TL593]\n    9 | func.func @g()" in shown.err
    assert "pieces.mlir:12:3: note: the nest becomes linalg.fill" in shown.err
    assert "     1 nests replaced" in shown.err


_EXPECTED = """// expected-remark @+1 {{`tosa.yield` cannot be read}}
func.func @g() { tosa.yield }
// -----
func.func @h(%A: memref<8xf64>) {
  // expected-warning-re @below {{the {{[a-z]+}} becomes linalg.fill}}
  affine.for %i = 0 to 8 {
    %x = arith.constant 1.0 : f64
    affine.store %x, %A[%i] : memref<8xf64>
  }
  // expected-error @unknown {{nothing}}
  return
}
"""


def test_diagnostics_are_those_that_comments_expect(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    right = _EXPECTED.replace("warning", "remark").replace("  // expected-error @unknown {{nothing}}\n", "")
    (folder / "right.mlir").write_text(right)
    (folder / "wrong.mlir").write_text(_EXPECTED)
    assert main(["opt", "right.mlir", "--split-input-file", "--verify-diagnostics", _LINALG]) == 0
    assert capsys.readouterr().err == ""
    assert main(["opt", "wrong.mlir", "--split-input-file", "--verify-diagnostics", _LINALG]) == 2
    said = [line for line in capsys.readouterr().err.splitlines() if line.startswith("wrong")]
    assert said == [
        "wrong.mlir:6:3: error: no comment expects this remark: the nest becomes linalg.fill [TL598]",
        "wrong.mlir:5:6: error: the warning is missing: the {{[a-z]+}} becomes linalg.fill [TL598]",
        "wrong.mlir:10:6: error: the error is missing: nothing [TL598]",
    ]
    (folder / "wrong.mlir").write_text("// expected-error-re {{a {{[}} b}}")
    assert main(["opt", "wrong.mlir", "--verify-diagnostics"]) == 2
    assert "wrong.mlir:1:4: error: 'a {{[}} b' holds what is no regular expression" in capsys.readouterr().err


def test_help_lists_passes_by_themselves(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["opt", "--help"]) == 0
    head = "Passes, which run in the order of the command line:\n"
    passes = capsys.readouterr().out.partition(head)[2].partition("\nOptions:\n")[0]
    listed = re.findall(r"^  --([\w-]+)", passes, re.MULTILINE)
    others = [name for name, one in PASSES.items() if not any(field.init for field in dataclasses.fields(one))]
    assert sorted(listed) == sorted([*others, "tactics"])
    assert set(PASSES) - set(others) == {"raise-with-tactics"}


@pytest.mark.parametrize("flag", ["--pass-statistics", "--mlir-pass-statistics"])
def test_statistics_count_what_a_pass_did(flag: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["opt", "matmul.mlir", _LINALG, flag]) == 0
    assert "raise-affine-to-linalg:\n     1 nests replaced\n     1 linalg.matmul\n" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("pipeline", "column", "message"),
    [
        ("raise", 1, "there is no pass 'raise' [TL591]"),
        ("raise-affine-to-linalg,", 24, "not a pipeline: a comma stands at its end [TL590]"),
        ("cse,,cse", 5, "not a pipeline: the name of a pass is missing [TL590]"),
        ("raise-affine-to-linalg{", 23, "not a pipeline: the brace is not closed [TL590]"),
        ("cse{a=}", 7, "not a pipeline: "),
        ("cse cse", 5, "not a pipeline: a comma is missing [TL590]"),
        ("builtin.module(func.func(cse)", 15, "not a pipeline: the bracket is not closed [TL590]"),
        ("func.func(cse))", 15, "not a pipeline: no bracket is open that this one closes [TL590]"),
        ("cse,gpu.module(cse)", 5, "passes cannot run on 'gpu.module' here [TL591]"),
        ("func.func(builtin.module(cse))", 11, "passes cannot run on 'builtin.module' inside of func.func( ) [TL591]"),
        ("func.func(raise-linalg-to-blas)", 11, "adds functions to the module, and cannot run on one [TL591]"),
        ("raise-affine-to-linalg{depth=3}", 24, "'raise-affine-to-linalg' has no option 'depth' [TL591]"),
    ],
)
def test_a_wrong_pipeline_is_refused(
    pipeline: str, column: int, message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["opt", "matmul.mlir", f"--pass-pipeline={pipeline}"]) == 2
    shown = capsys.readouterr()
    place, said, line, caret, remedy, *_ = shown.err.replace("error: ", "error: \n", 1).splitlines()
    assert place == f"pass-pipeline:1:{column}: error: "
    assert message in said
    assert line.endswith(f"| {pipeline}")
    assert caret.index("^") == line.index("|") + 1 + column
    assert remedy.startswith("  help: ")
    assert shown.out == ""


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("func.func @f() {", "not MLIR"),
        ("hello, world", "not MLIR"),
        ("#a = 1 : i32\n#a = 2 : i32\nfunc.func private @f()", "not MLIR: re-declaration of alias '#a' [TL190]"),
        (f'llvm.mlir.global @s("{"x" * 99}', "not MLIR"),
        ("module {\n^a:\n}\nmodule {\n^a:\n^b:\n}", "wrong.mlir:4:1: error: not MLIR: a module has one block"),
        ("module {\n  llvm.func @f() {\n}", "wrong.mlir:1:1: error: not MLIR: "),
    ],
)
def test_a_wrong_module_is_refused(text: str, message: str, folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (folder / "wrong.mlir").write_text(text)
    assert main(["opt", "wrong.mlir", _LINALG]) == 2
    assert message in capsys.readouterr().err


def test_a_file_that_is_not_there_is_refused(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["opt", "none.mlir"]) == 2
    assert "[TL501]" in capsys.readouterr().err
