"""Dialects from TableGen's records and passes: upstream's TOSA, with no operation described by hand."""

from __future__ import annotations

import json
import re
import subprocess
from typing import TYPE_CHECKING

import numpy as np
import pytest
from tests.dialects.tosa import KEPT, PASSES, RECORDS, imported, instances_of, kept_parts, needs_tools, tosa_target
from tests.shared import is_exhaustive

from tensorlift.cli import main
from tensorlift.diagnostics import LiftError
from tensorlift.dialects import windows
from tensorlift.dialects.from_passes import import_dump
from tensorlift.dialects.table import instance_lines
from tensorlift.dialects.tablegen import read_dump
from tensorlift.pipeline import LiftOptions, lift_source
from tensorlift.proofs.certificate import certificate_from_json
from tensorlift.proofs.check import check
from tensorlift.proofs.failure import CheckFailure
from tensorlift.runtime.mlir.program import Module
from tensorlift.runtime.mlir.tools import find_tools
from tensorlift.source import source_from_text
from tensorlift.targets import get_target

if TYPE_CHECKING:
    from collections.abc import Callable

    import numpy.typing as npt

    from tensorlift.source import Source

    Array = npt.NDArray[np.float32]

_NUMBERS = ("f32", "f64", "i32")
_HEAD = "for (int i = 0; i < n; i++) for (int j = 0; j < m; j++)"
_LAYER = f"""void f(int n, int m, int k, float A[n][k], float B[k][m], float b[m], float C[n][m]) {{ {_HEAD} {{
  float s = b[j];
  for (int p = 0; p < k; p++) s += A[i][p] * B[p][j];
  C[i][j] = s > 0 ? s : 0; }} }}
"""
_AFFINE = _LAYER.replace("s > 0 ? s : 0", "s")
_PICK = """void f(int n, float a[n], float b[n], float x[n]) {
  for (int i = 0; i < n; i++) x[i] = a[i] > b[i] ? b[i] : x[i];
}
"""
_BITS = "void f(int n, int a[n], int b[n], int x[n]) { for (int i = 0; i < n; i++) x[i] = (a[i] & x[i]) >> b[i]; }"
_QUANTISED = """void f(int q, int n, int m, int k, signed char a[q][n][k], signed char b[q][k][m], int x[q][n][m]) {
  for (int h = 0; h < q; h++)
    for (int i = 0; i < n; i++)
      for (int j = 0; j < m; j++) {
        x[h][i][j] = 0;
        for (int p = 0; p < k; p++) x[h][i][j] += a[h][i][p] * b[h][p][j];
      }
}
"""
_SCALED = "void f(int n, float s, float x[n], float y[n]) { for (int i = 0; i < n; i++) y[i] += s * x[i]; }\n"


def _source(text: str) -> Source:
    return source_from_text(text, "dump.json")


def _meanings(operation: str) -> list[str]:
    return [" ".join(instance_lines(instance)) for instance in instances_of(operation)]


@needs_tools
def test_open_extents_give_a_meaning_for_all_of_them() -> None:
    start = "tosa.matmul(a: f32[a_d0, a_d1, a_d2], b: f32[a_d0, a_d2, b_d2], a_zp: f32[1] = 0, b_zp: f32[1] = 0)"
    assert _meanings("matmul")[0].startswith(f"{start} -> f32[a_d0, a_d1, b_d2]")
    assert all(instance.sampled == () for instance in instances_of("matmul"))


@needs_tools
def test_attributes_are_part_of_an_instance() -> None:
    (by_rows, by_columns) = [text for text in _meanings("reduce_sum") if "f32[input_d0, input_d1])" in text]
    assert "{axis = 0 : i32} -> f32[1, input_d1]" in by_rows
    assert "{axis = 1 : i32} -> f32[input_d0, 1]" in by_columns
    assert sum("perms = array<i32: 1, 0>" in text for text in _meanings("transpose")) == len(_NUMBERS)


@needs_tools
def test_extents_that_are_numbers_become_sizes_where_two_sets_agree() -> None:
    assert (
        "tosa.add(input1: f32[input1_d0, input1_d1], input2: f32[1, input1_d1]) -> f32[input1_d0, input1_d1]"
        in " ".join(_meanings("add"))
    )
    assert {instance.sampled for instance in instances_of("add")} >= {((4327, 4327), (5407, 5407))}


@needs_tools
@pytest.mark.parametrize("place", range(KEPT))
def test_operations_without_a_meaning_are_listed(place: int) -> None:
    part = kept_parts()[place]
    used = {"tosa.const_shape": "it gives the lists of integers that others take", "tosa.yield": "it has no result"}
    assert dict(imported(part).without) == (used if "Tosa_ConstShapeOp" in part["!instanceof"]["Op"] else {})


@needs_tools
def test_an_attribute_may_be_one_of_some_cases() -> None:
    """Of the modes of `apply_scale` the passes lower two."""
    found = {i.attributes for i in instances_of("apply_scale")}
    assert found == {f"{{rounding_mode = #tosa.rounding_mode<{case}_ROUND>}}" for case in ("SINGLE", "DOUBLE")}


@needs_tools
def test_a_condition_chooses_between_arrays_by_regions_that_give_them() -> None:
    """Regions that give other values mean something else."""
    text = """func.func @f(%s: i1, %x: memref<?xf32>, %y: memref<?xf32>, %z: memref<?xf32>) {
      %c0 = arith.constant 0 : index
      %n = memref.dim %x, %c0 : memref<?xf32>
      affine.for %i = 0 to %n {
        %a = affine.load %x[%i] : memref<?xf32>
        %b = affine.load %y[%i] : memref<?xf32>
        %v = arith.select %s, %a, %b : f32
        affine.store %v, %z[%i] : memref<?xf32>
      }
      return
    }"""
    program, run = _lifted(text, "enumerate", "f.mlir")
    assert re.findall(r'"(tosa\.\w+)"', program) == ["tosa.cond_if", "tosa.yield", "tosa.yield"]
    x, y = np.arange(3, dtype=np.float32), np.arange(3, 6, dtype=np.float32)
    for chosen, expected in ((True, x), (False, y)):
        np.testing.assert_array_equal(run(chosen, x, y), expected)
    (record,) = lift_source(source_from_text(text, "f.mlir"), LiftOptions(target=tosa_target())).functions
    certificate = certificate_from_json(record.certificate or {})
    place = '"tosa.yield"(%own.{})'
    for old, new in ((0, 1), (1, 0)):
        wrong = program.replace(place.format(old), place.format(new))
        assert wrong != program
        with pytest.raises(CheckFailure):
            check(wrong, certificate.entry, certificate.summary, get_target(tosa_target()), certificate.cuts)


@needs_tools
def test_each_of_several_results_has_a_meaning() -> None:
    real, imaginary = (text for text in _meanings("rfft2d") if "f32[" in text)
    assert "f32[input_real_d0, input_real_d1, input_real_d2_div_2 + 1], result 1 of 2" in real
    assert "result 2 of 2" in imaginary
    assert ("cos" in real, "sin" in imaginary) == (True, True)


@needs_tools
def test_what_is_written_over_is_a_copy() -> None:
    assert all("values_in(" in text and "input(" in text for text in _meanings("scatter"))


@needs_tools
def test_lists_say_which_extents_a_result_has() -> None:
    assert any("start: !tosa.shape<1> = [1], size: !tosa.shape<1> = [2]) -> f32[2]" in t for t in _meanings("slice"))
    assert any("shape: !tosa.shape<2> = [-1, 1]) -> f32[input1_d0, 1]" in text for text in _meanings("reshape"))
    assert any(
        "f32[1, input1_d1], multiples: !tosa.shape<2> = [3, 1]) -> f32[3, input1_d1]" in t for t in _meanings("tile")
    )


@needs_tools
def test_an_extent_that_a_list_leaves_out_is_one_that_upstream_computes() -> None:
    """The verifier takes any extent where `tile` is to repeat something -1 times."""
    assert not any("-1" in text for text in _meanings("tile"))


@needs_tools
@pytest.mark.parametrize(
    ("operation", "line"),
    [
        ("greater", "(input1: i32[input1_d0], input2: i32[input1_d0]) -> bool[input1_d0]"),
        ("greater", "(input1: f64[input1_d0, input1_d1], input2: f64[1, input1_d1]) -> bool[input1_d0, input1_d1]"),
        ("select", "(input1: bool[input1_d0], input2: f32[input1_d0], input3: f32[input1_d0]) -> f32[input1_d0]"),
        ("bitwise_and", "result_1(result_x0) = input1(result_x0) & input2(result_x0)"),
        ("logical_right_shift", "result_1(result_x0) = i32(u32(input1(result_x0)) >> u32(input2(result_x0)))"),
        (
            "arithmetic_right_shift",
            "(input1: i32[input1_d0], input2: i32[input1_d0]) {round = false} -> i32[input1_d0]",
        ),
        ("logical_not", "result_1(result_x0) = not(input1(result_x0))"),
        ("reduce_any", "result_1(result_x0) = any("),
        ("add", "(input1: i32[input1_d0], input2: i32[input1_d0]) -> i32[input1_d0]"),
        ("mul", "result_1(result_x0) = i32(input1(result_x0)) * i32(input2(result_x0))"),
        ("matmul", "b: i8[a_d0, a_d2, b_d2], a_zp: i8[1] = 0, b_zp: i8[1] = 0) -> i32[a_d0, a_d1, b_d2]"),
    ],
)
def test_operands_and_results_may_be_of_different_types(operation: str, line: str) -> None:
    assert line in " ".join(_meanings(operation))


@needs_tools
@pytest.mark.parametrize(
    ("text", "operations", "engine"),
    [
        (_PICK, ("greater", "select"), "derive"),
        (_BITS, ("bitwise_and", "arithmetic_right_shift"), "derive"),
        (_QUANTISED, ("matmul",), "enumerate"),
    ],
)
def test_programs_of_other_types_run_as_upstream_lowers_them(
    text: str, operations: tuple[str, ...], engine: str
) -> None:
    program, run = _lifted(text, engine)
    assert re.findall(r'"tosa\.(\w+)"', program) == list(operations)
    rng = np.random.default_rng(1)
    a, b, x = (rng.integers(0, 9, 6, np.int32) for _ in range(3))
    if text == _PICK:
        real = (number.astype(np.float32) for number in (a, b, x))
        np.testing.assert_array_equal(run(*real), np.where(a > b, b, x))
    elif text == _BITS:
        np.testing.assert_array_equal(run(a, b, x), (a & x) >> b)
    else:
        left, right = (rng.integers(-128, 128, shape, np.int8) for shape in ((2, 3, 4), (2, 4, 5)))
        np.testing.assert_array_equal(run(left, right), left.astype(np.int32) @ right)


@pytest.mark.in_turns(2)
@needs_tools
@pytest.mark.parametrize(
    ("text", "operations", "engine"),
    [(_LAYER, 3, "derive"), (_AFFINE, 2, "enumerate")]
    + [(_LAYER, 3, "sketch"), (_SCALED, 2, "auto")] * is_exhaustive(),
)
def test_programs_lift_and_run_as_upstream_lowers_them(text: str, operations: int, engine: str) -> None:
    program, run = _lifted(text, engine)
    assert program.count('"tosa.') == operations
    rng = np.random.default_rng(1)
    given: dict[str, Array] = {name: rng.standard_normal(shape, np.float32) for name, shape in _shapes(program).items()}
    np.testing.assert_allclose(run(*given.values()), _expected(text, given), rtol=1e-5)


def _lifted(text: str, engine: str, name: str = "f.c") -> tuple[str, Callable[..., Array]]:
    """Return a program in TOSA, and what it is when upstream lowers it."""
    (record,) = lift_source(source_from_text(text, name), LiftOptions(target=tosa_target(), engine=engine)).functions
    assert {d.code for d in record.diagnostics} <= {"TL539"}, record.diagnostics
    tools = find_tools()
    assert tools is not None
    command = [tools.opt, f"--pass-pipeline=builtin.module({PASSES})"]
    done = subprocess.run(command, input=record.program, capture_output=True, text=True, check=True)
    return record.program, Module(done.stdout.replace("module {\n", "", 1).rpartition("}")[0]).function("f")


@needs_tools
def test_a_number_is_found_as_a_cell_of_tensors() -> None:
    text = "float f(int n, float x[n], float y[n]) { "
    text += "float s = 0; for (int i = 0; i < n; i++) s += x[i] * y[i]; return s; }"
    options = LiftOptions(target=tosa_target(), engine="enumerate")
    (record,) = lift_source(source_from_text(text, "f.c"), options).functions
    assert record.program.count('"tosa.') in (1, 2), record.diagnostics


def _shapes(program: str) -> dict[str, tuple[int, ...]]:
    return {"A": (3, 4), "B": (4, 5), "b": (5,)} if "%A" in program else {"s": (), "x": (4,), "y": (4,)}


def _expected(text: str, given: dict[str, Array]) -> Array:
    if text in (_LAYER, _AFFINE):
        affine = given["A"] @ given["B"] + given["b"]
        return np.asarray(np.maximum(affine, 0) if text == _LAYER else affine)
    return np.asarray(given["y"] + given["s"] * given["x"])


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("", "it is no JSON: Expecting value"),
        ("[1,\n2", "it is no JSON: Expecting ',' delimiter"),
        ("[]", "its records are none of TableGen's"),
        ("{}", "it has no record '!instanceof'"),
        ('{"!instanceof": {"Op": []}}', "it defines no operation"),
        ('{"!instanceof": {"Op": ["A"]}}', "it has no record 'A'"),
        ('{"!instanceof": {"Op": ["A"]}, "A": 3}', "its records are none of TableGen's"),
    ],
)
def test_a_dump_that_is_none_is_refused(text: str, why: str) -> None:
    with pytest.raises(LiftError, match="is no definition of a dialect") as refused:
        read_dump(text, "d.json")
    (diagnostic,) = refused.value.diagnostics
    assert diagnostic.code == "TL534"
    assert diagnostic.message.endswith(why)
    assert diagnostic.location is not None


@pytest.mark.in_turns(2)
@needs_tools
@pytest.mark.parametrize("passes", ["no-such-pass", "func.func(tosa-to-linalg", "func.func(tosa-to-nothing)"])
def test_passes_that_are_not_taken_are_refused(passes: str) -> None:
    with pytest.raises(LiftError, match="the passes are not taken") as refused:
        import_dump("tosa", _source(RECORDS.read_text()), passes)
    assert refused.value.diagnostics[0].code == "TL537"


@needs_tools
def test_a_dialect_that_its_passes_do_not_lower_has_no_usable_operation() -> None:
    few = json.loads(RECORDS.read_text())
    few["!instanceof"]["Op"] = ["Tosa_ExpOp"]
    with pytest.raises(LiftError, match="could be given a meaning") as refused:
        import_dump("tosa", _source(json.dumps(few)), "canonicalize")
    assert refused.value.diagnostics[0].code == "TL536"


def test_passes_need_upstreams_tools(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setattr(windows, "find_tools", lambda: None)
    assert main(["target", "add", "tosa", "--tablegen", str(RECORDS), "--lowering", PASSES, "-o", "-"]) == 2
    assert "needs mlir-opt, which is not installed [TL538]" in capsys.readouterr().err
    assert main(["target", "add", "tosa", "--lowering", PASSES]) == 2
